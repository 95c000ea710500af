"""The curve editor."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest

from app.window.main_window import MainWindow
from tests.pictures.driving import LEFT, State, settle_here


def curves(window: MainWindow, parts: tuple[str, ...] = ("right upper arm", "right forearm")) -> None:
    """The curve editor with the curves of an arm, a key selected."""
    from app.timeline.curves.model import Point

    document, panel = window.document, window.timeline.curves
    document.selection.set(list(parts))
    document.set_frame(12)
    window.timeline.show_tab("curves")
    settle_here(window, 0.3)
    row = panel.model.editable[0]
    panel.model.select({row.id: np.array([12])}, Point(row, 12))


def curves_tangents(window: MainWindow) -> None:
    """A tangent on its way, button down, its two sides broken."""
    curves(window, ("right forearm",))
    panel = window.timeline.curves
    panel.canvas.fit(False)
    panel.model.scale.fit(-8.0, 42.0)  # a limit in sight
    panel.model.scale.stale = False
    panel.model.touch()
    settle_here(window, 0.3)
    view = panel.values
    handle = next(found[3] for found in view.handles() if found[1] == 1)
    drag = view.press(handle, Qt.KeyboardModifier.NoModifier)
    assert drag is not None
    panel.canvas._drag, panel.canvas._mode, panel.canvas._mouse = drag, 1, handle + QPointF(10, -45)
    drag.move(handle + QPointF(10, -45), Qt.KeyboardModifier.AltModifier)


def curves_all(window: MainWindow) -> None:
    """The whole figure's list with two groups open, keys of several curves in a box, limits hatched."""
    curves(window)
    model = window.timeline.curves.model
    model.set_every(True)
    window.timeline.curves.bar.scope.set_current("all")
    for title in ("Root", "Right leg"):
        model.toggle_closed(title)


def curves_speed(window: MainWindow) -> None:
    """Speeds of a thigh and its shank."""
    curves(window, ("right thigh", "right shank"))
    window.timeline.curves.model.set_view("speed")


def curves_timing(window: MainWindow) -> None:
    """The timing of the whole figure, a point dragged."""
    curves(window)
    panel = window.timeline.curves
    panel.model.set_view("timing")
    panel.timing.put(((0.0, 0.0), (8.0, 4.0), (20.0, 24.0), (32.0, 32.0)))
    panel.timing.chosen = 2
    panel.model.points_changed.emit()


def curves_root_speed(window: MainWindow) -> None:
    """A speed of the root sketched by hand, button down."""
    curves(window)
    panel = window.timeline.curves
    panel.model.set_view("root_speed")
    settle_here(window, 0.3)
    view, canvas = panel.root_speed, panel.canvas
    at = [QPointF(view.x(frame), view.scale.y(1.1 + 0.6 * np.sin(frame / 5.0))) for frame in np.linspace(2, 30, 60)]
    QTest.mousePress(canvas, LEFT, pos=at[0].toPoint())
    for place in at[1:]:
        QTest.mouseMove(canvas, place.toPoint())
        settle_here(window, 0.005)


def curves_ease(window: MainWindow) -> None:
    """The editor of an ease over the bar."""
    curves(window, ("right forearm",))
    page = window.timeline.curves.bar.keys
    page.actions_of_keys.set_ease("follow through")
    page.popover.open_over(page.ease)


def curves_tcb(window: MainWindow) -> None:
    """Tension, continuity and bias of several keys, one curve locked, one hidden."""
    curves(window)
    panel = window.timeline.curves
    rows = panel.model.editable
    panel.model.toggle_locked([rows[1].id])
    panel.model.toggle_hidden([rows[2].id])
    panel.values.select_all()
    panel.bar.actions_of_keys.set_shape(interp="kochanek_bartels", tension=-0.4, bias=0.5)


def curves_nothing(window: MainWindow) -> None:
    """The curve editor with nothing selected."""
    window.document.selection.set([])
    window.timeline.show_tab("curves")


STATES: tuple[State, ...] = (
    ("curves", curves, "dark", (1600, 1000)),
    ("curves-light", curves, "light", (1600, 1000)),
    ("curves-small", curves, "dark", (1024, 680)),
    ("curves-all-light", curves_all, "light", (1440, 900)),
    ("curves-tangents", curves_tangents, "dark", (1600, 1000)),
    ("curves-speed", curves_speed, "dark", (1440, 900)),
    ("curves-timing", curves_timing, "dark", (1600, 1000)),
    ("curves-root-speed", curves_root_speed, "dark", (1600, 1000)),
    ("curves-ease", curves_ease, "dark", (1600, 1000)),
    ("curves-tcb-light", curves_tcb, "light", (1600, 1000)),
    ("curves-nothing", curves_nothing, "dark", (1024, 680)),
)
