"""The figure being edited."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest

from app.document.edits import joint_edits
from app.window.main_window import MainWindow
from tests.pictures.driving import LEFT, State, settle_here


def skeleton(window: MainWindow) -> None:
    """The skeleton being edited, an upper arm selected."""
    window.skeleton.set_mode("skeleton")
    window.document.selection.set(["right upper arm"])
    window.area.frame_all()


def joint_drag(window: MainWindow) -> None:
    """A joint on its way along an axis, its children left behind."""
    window.area.show_view("front")
    skeleton(window)
    settle_here(window, 0.3)
    scene, view = window.area.host.scene, window.area.work_view
    from app.scene.pointing import view_point

    joint = window.document.skeleton.joint_index("left forearm")  # type: ignore[union-attr]
    start = view_point(view, scene.poses[joint, :3, 3])
    window.document.session.tools.carry_children = False
    QTest.mousePress(view, LEFT, pos=start.toPoint())
    for step in range(1, 9):
        QTest.mouseMove(view, (start + QPointF(9.0, -4.0) * step).toPoint())
        settle_here(window, 0.02)
    QTest.keyClick(view, Qt.Key.Key_X)


def joint_physics(window: MainWindow) -> None:
    """What is in the elbow: mass and inertia, spring, damping, friction, torque."""
    skeleton(window)
    window.document.selection.set(["right forearm"])
    form = window.skeleton.panel.form
    for name in ("Mass", "Forces in the joint"):
        form.sections[name].setChecked(True)
    settle_here(window, 0.3)
    form.sections["Forces in the joint"].show_body()


def built(window: MainWindow) -> None:
    """A figure made here: three joints, the other side, shapes for all."""
    window.skeleton.new_figure()
    for place in ((0.2, 1.1, 0.0), (0.5, 1.1, 0.0), (0.75, 1.0, 0.1)):
        name = joint_edits.free_name(window.document.skeleton)  # type: ignore[arg-type]
        parent = window.document.skeleton.joint_names[-1]  # type: ignore[union-attr]
        window.document.figures.edit(joint_edits.added(parent, name, place), f"Add {name}")
    window.document.selection.set((2,))
    window.action_table["mirror_side"].trigger()
    window.action_table["add_bodies"].trigger()
    window.area.frame_all()


def adding(window: MainWindow) -> None:
    """The tool that adds joints, over the work area."""
    built(window)
    window.document.session.tools.joint_tool = "add"
    view = window.area.work_view
    QTest.mouseMove(view, QPointF(0.6 * view.width(), 0.3 * view.height()).toPoint())


def wrong_axis(window: MainWindow) -> None:
    """A value that makes no sense."""
    skeleton(window)
    window.skeleton.panel.form.dofs.rows[0].axis.committed.emit("sideways")


STATES: tuple[State, ...] = (
    ("skeleton", skeleton, "dark", (1600, 1000)),
    ("skeleton-light", skeleton, "light", (1440, 900)),
    ("skeleton-physics", joint_physics, "dark", (1600, 1000)),
    ("skeleton-physics-light", joint_physics, "light", (1280, 720)),
    ("skeleton-small", skeleton, "dark", (1024, 680)),
    ("joint-drag-light", joint_drag, "light", (1600, 1000)),
    ("built", built, "dark", (1600, 1000)),
    ("adding-joints", adding, "light", (1280, 800)),
    ("wrong-axis", wrong_axis, "dark", (1280, 800)),
)
