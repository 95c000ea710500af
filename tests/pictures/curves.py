"""The curve editor."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest

from app.timeline.curves.box import key_box
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


def box(window: MainWindow) -> None:
    """Keys of a thigh in the box that scales them, over the curves as they were, a side of it under the mouse."""
    document, panel = window.document, window.timeline.curves
    document.selection.set(["right thigh"])
    window.timeline.show_tab("curves")
    settle_here(window, 0.3)
    model, canvas = panel.model, panel.canvas
    model.keep_curves()
    row = model.editable[0]
    frames = model.key_frames(row)
    model.select({row.id: frames[1:-1]})
    settle_here(window, 0.2)
    found = key_box(panel.values)
    assert found is not None
    start = found.grip(panel.values, (0, 1)).toPoint()
    QTest.mousePress(canvas, LEFT, pos=start)
    for step in range(1, 9):
        QTest.mouseMove(canvas, start + QPoint(0, -4 * step))
        settle_here(window, 0.02)


def cycles(window: MainWindow) -> None:
    """A walk that goes on after its keys, three rounds played."""
    document, panel = window.document, window.timeline.curves
    document.selection.set(["pelvis"])
    window.timeline.show_tab("curves")
    document.sequences.set_cycles("hold", "offset")
    document.sequences.play_rounds(3)
    panel.model.set_normalised(True)
    settle_here(window, 0.3)
    panel.canvas.fit(False)
    settle_here(window, 0.3)


def many(window: MainWindow) -> None:
    """The sliders that move many keys, over the bar."""
    curves(window)
    panel = window.timeline.curves
    rows = panel.model.editable
    panel.model.select({row.id: panel.model.key_frames(row)[1:3] for row in rows})
    page = panel.bar.keys
    page.reshape.open_over(page.more if page.tools.isHidden() else page.tools)


def tools(window: MainWindow) -> None:
    """The menu of tools, over the bar."""
    curves(window)
    page = window.timeline.curves.bar.keys
    menu = page.tools.menu()
    menu.popup(page.tools.mapToGlobal(QPoint(0, page.tools.height())))


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
    ("curves-box", box, "dark", (1600, 1000)),
    ("curves-box-small", box, "light", (1024, 680)),
    ("curves-cycles", cycles, "light", (1600, 1000)),
    ("curves-cycles-small", cycles, "dark", (1024, 680)),
    ("curves-many", many, "dark", (1024, 680)),
    ("curves-tools-light", tools, "light", (1600, 1000)),
    ("curves-nothing", curves_nothing, "dark", (1024, 680)),
)
