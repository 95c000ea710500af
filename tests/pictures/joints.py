"""The workbench with one joint of every type."""

from __future__ import annotations

from PySide6.QtCore import QPointF
from PySide6.QtTest import QTest

from app.marks import manipulators
from app.marks.control_frame_marks import control_frames
from app.scene.pointing import view_point
from app.window.main_window import MainWindow
from core.formats.bundled import bundled_folder
from tests.pictures.driving import LEFT, State, hand, settle_here, show_posed


def bench(window: MainWindow, *parts: str) -> None:
    """The bench, some parts selected."""
    values = {"loop.along": 1.3, "wire.along": 2.0, "dune.u": 1.2, "dune.v": 0.6}
    show_posed(window, bundled_folder() / "joints.scr", values, *parts)


def splines(window: MainWindow) -> None:
    """The parts on splines selected, their ways drawn."""
    bench(window, "wire", "dune", "loop")
    window.area.frame_selected()


def dragged(window: MainWindow, part: str = "dune", right: float = 5.0, down: float = -2.5) -> None:
    """A part on its way, button down."""
    bench(window, part)
    window.area.frame_selected()
    settle_here(window, 0.3)
    view, start = window.area.work_view, hand(window, part)
    QTest.mousePress(view, LEFT, pos=start.toPoint())
    for step in range(1, 13):
        QTest.mouseMove(view, (start + QPointF(right, down) * step).toPoint())
        settle_here(window, 0.02)


def off_the_wire(window: MainWindow) -> None:
    """The bead pulled off its wire, past the end."""
    dragged(window, "wire", 22.0, -3.0)


def arrows(window: MainWindow) -> None:
    """The rotate tool on the dune's puck."""
    bench(window, "dune")
    window.area.frame_selected()
    window.document.session.tools.tool = "rotate"
    settle_here(window, 0.5)
    view, handles = window.area.work_view, window.area.host.toolbox.current.handles  # type: ignore[attr-defined]
    QTest.mouseMove(view, QPointF(*manipulators.letters(view, handles)[0].tolist()).toPoint())


def rings(window: MainWindow) -> None:
    """The rotate tool on a ball at rest, where all rings cross: letters side by side."""
    arrows(window)
    window.document.posing.set(window.document.skeleton.rest_pose())  # type: ignore[union-attr]
    window.document.selection.set(["free"])
    window.area.frame_selected()


def screws(window: MainWindow) -> None:
    """The nuts half-way up their bolts, and their values in the Joints panel."""
    bench(window, "nut", "left-hand nut")
    pose = window.document.pose.copy()
    for name in ("nut.angle", "left-hand nut.angle"):
        pose[3 + window.document.skeleton.dof_names.index(name)] = 20.0  # type: ignore[union-attr]
    window.document.posing.set(pose)
    window.area.frame_selected()
    window.document.session.tools.tool = "rotate"


def _edited(window: MainWindow, part: str) -> None:
    bench(window)
    window.skeleton.set_mode("skeleton")
    window.document.selection.set([part])
    window.area.frame_selected()
    settle_here(window, 0.5)


def frames(window: MainWindow, part: str = "half-pipe") -> None:
    """The control frames of a spline in skeleton mode."""
    _edited(window, part)
    window.document.session.tools.control_frame = 2
    view = window.skeleton.panel.form
    window.skeleton.panel.view.ensureWidgetVisible(view.type.turned)


def frame_drag(window: MainWindow) -> None:
    """A control frame of the loop that is dragged, button down."""
    _edited(window, "loop")
    found = control_frames(window.area.host.scene)
    assert found is not None
    view = window.area.work_view
    start = view_point(view, found.places[7])
    QTest.mousePress(view, LEFT, pos=start.toPoint())
    for step in range(1, 13):
        QTest.mouseMove(view, (start + QPointF(4.0, -6.0) * step).toPoint())
        settle_here(window, 0.02)


def surface_frames(window: MainWindow) -> None:
    """The control net of the dune."""
    frames(window, "dune")


def curves(window: MainWindow) -> None:
    """The coordinates of the parts on splines in the curve editor."""
    splines(window)
    window.document.keys.set()
    window.document.set_frame(20)
    pose = window.document.pose.copy()
    for name, value in (("loop.along", 6.0), ("wire.along", 0.5), ("dune.u", 0.3), ("dune.v", 1.7)):
        pose[3 + window.document.skeleton.dof_names.index(name)] = value  # type: ignore[union-attr]
    window.document.posing.set(pose)
    window.document.keys.set()
    window.timeline.show_tab("curves")


def bench_edited(window: MainWindow) -> None:
    """The type of a joint in the skeleton panel: a spline with its frames."""
    bench(window)
    window.skeleton.set_mode("skeleton")
    window.document.selection.set(["loop"])
    window.area.frame_selected()


def universal_edited(window: MainWindow) -> None:
    """The type of a joint made of hinges."""
    bench_edited(window)
    window.document.selection.set(["universal"])


STATES: tuple[State, ...] = (
    ("joints", bench, "dark", (1600, 1000)),
    ("joints-light", bench, "light", (1440, 900)),
    ("joints-splines", splines, "dark", (1440, 900)),
    ("joints-splines-light", splines, "light", (1024, 680)),
    ("joints-dragged", dragged, "light", (1440, 900)),
    ("joints-off-the-wire", off_the_wire, "dark", (1280, 800)),
    ("joints-arrows", arrows, "dark", (1280, 800)),
    ("joints-arrows-light", arrows, "light", (1024, 680)),
    ("joints-rings", rings, "dark", (1280, 800)),
    ("joints-rings-light", rings, "light", (1280, 800)),
    ("joints-curves", curves, "dark", (1440, 900)),
    ("joints-curves-light", curves, "light", (1024, 680)),
    ("joints-screws", screws, "dark", (1440, 900)),
    ("joints-screws-light", screws, "light", (1280, 800)),
    ("joints-frames", frames, "dark", (1440, 900)),
    ("joints-frames-light", surface_frames, "light", (1440, 900)),
    ("joints-frame-drag", frame_drag, "dark", (1280, 800)),
    ("joints-edited", bench_edited, "dark", (1440, 900)),
    ("joints-universal-light", universal_edited, "light", (1440, 900)),
)
