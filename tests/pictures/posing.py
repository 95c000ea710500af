"""Posing: parts dragged and turned, what keeps them back, poses between keys and on both sides."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtTest import QTest

from app.panels import JointsPanel
from app.window.main_window import MainWindow
from tests.pictures.driving import LEFT, State, hand, settle_here


def mid_drag(window: MainWindow) -> None:
    """A hand on its way, button down."""
    window.document.set_frame(12)
    settle_here(window, 0.3)
    view, start = window.area.work_view, hand(window)
    QTest.mousePress(view, LEFT, pos=start.toPoint())
    for step in range(1, 13):
        QTest.mouseMove(view, (start + QPointF(4.0, -15.0) * step).toPoint())
        settle_here(window, 0.02)


def out_of_reach(window: MainWindow) -> None:
    """A hand pulled farther than the arm is long."""
    mid_drag(window)
    view, start = window.area.work_view, hand(window)
    for step in range(1, 5):
        QTest.mouseMove(view, (start + QPointF(55.0, -30.0) * step).toPoint())


def at_limit(window: MainWindow) -> None:
    """A foot pulled up behind the back, farther than knee and hip let it."""
    window.document.set_frame(12)
    settle_here(window, 0.3)
    view, start = window.area.work_view, hand(window, "right foot")
    QTest.mousePress(view, LEFT, pos=start.toPoint())
    for step in range(1, 21):
        QTest.mouseMove(view, (start + QPointF(-0.014, -0.022) * view.height() * step).toPoint())
        settle_here(window, 0.02)


def ellipsoid(window: MainWindow) -> None:
    """The manipulability ellipsoid of a hand."""
    window.document.session.view.overlays["ellipsoid"] = True
    window.document.set_frame(12)
    window.document.selection.set(["right hand"])


def ellipsoid_singular(window: MainWindow) -> None:
    """The ellipsoid of a hand at the end of a straight arm whose collar keeps still."""
    ellipsoid(window)
    skeleton, session = window.document.skeleton, window.document.session
    assert skeleton is not None
    session.tools.chain_base, session.tools.drag_mode = skeleton.joint_index("right upper arm"), "up_to"
    q = skeleton.rest_pose()
    for label, angle in (("Shoulder flex", 1.2), ("Shoulder out", 0.4)):
        q[3 + skeleton.dof_labels.index(label)] = angle
    window.document.posing.set(q)


def ellipsoid_dragged(window: MainWindow) -> None:
    """The ellipsoid of a hand on its way."""
    window.document.session.view.overlays["ellipsoid"] = True
    mid_drag(window)


def following(window: MainWindow) -> None:
    """A drag that has ended, and the arm set half-way to a stiff rod."""
    mid_drag(window)
    QTest.mouseRelease(window.area.work_view, LEFT)
    joints = window.panels[0]
    assert isinstance(joints, JointsPanel)
    joints.following.stiffness.field.edit_to(3.0)
    joints.following.dial.edit_to(-0.5)
    joints.following.mirror.click()


def other_solver(window: MainWindow) -> None:
    """CCD with few steps, a hand pulled out of reach, joints with values of their own."""
    window.document.session.solver.name = "ccd"
    window.document.session.solver.steps = 20
    window.document.figures.set_joint_values({"right forearm": {"weight": 0.5, "resistance": 4.0}}, "Set")
    out_of_reach(window)


def rings(window: MainWindow) -> None:
    """The rotate tool on an upper arm."""
    window.document.session.tools.tool = "rotate"
    window.document.selection.set(["right upper arm"])


def part_rings(window: MainWindow) -> None:
    """The rings that turn a hand, its place kept."""
    session = window.document.session
    window.document.set_frame(12)
    session.tools.tool, session.tools.turn_mode = "rotate", "chain"
    window.document.selection.set(["right hand"])
    settle_here(window, 0.3)


def turning(window: MainWindow, degrees: float = 40.0, index: int = 1) -> None:
    """A hand turned by one of its rings, button down."""
    from app.marks import manipulators
    from app.tools.turn_part import TurnPartTool

    part_rings(window)
    view, tool = window.area.work_view, window.area.host.toolbox.current
    assert isinstance(tool, TurnPartTool)
    shown = tool.rings(view)
    for first in range(0, 360, 3):
        path = np.radians(first + np.linspace(0.0, degrees, 21))
        points = [QPointF(x, y).toPoint() for x, y, _ in manipulators.ring_points(view, shown[index], angles=path)]
        if manipulators.hit(view, shown, points[0].x(), points[0].y()) == index:
            break
    QTest.mousePress(view, LEFT, pos=points[0])
    for point in points[1:]:
        QTest.mouseMove(view, point)
        settle_here(window, 0.02)


def turned_too_far(window: MainWindow) -> None:
    """A hand asked to turn farther than the arm allows."""
    turning(window, -75.0, 0)


def breakdown(window: MainWindow) -> None:
    """The board that poses between keys, its slider under the mouse, past the key after."""
    window.document.set_frame(14)
    window.document.selection.set(["right upper arm", "right forearm", "right hand"])
    window.action_table["pose_between"].trigger()
    settle_here(window, 0.3)
    slider = window.posing._popover.rows["breakdown"].slider  # type: ignore[union-attr]
    middle = slider.height() // 2 - 6
    QTest.mousePress(slider, LEFT, pos=QPointF(slider.position(slider.value), middle).toPoint())
    for step in range(1, 9):
        QTest.mouseMove(slider, QPointF(slider.position(slider._track[1]) * step / 8 - 6, middle).toPoint())
        settle_here(window, 0.02)


def push(window: MainWindow) -> None:
    """The same board at rest, for pushing and relaxing the whole figure."""
    window.document.set_frame(8)
    window.action_table["pose_between"].trigger()
    window.posing._popover.show_kind("push")  # type: ignore[union-attr]


def mirror_editing(window: MainWindow) -> None:
    """An arm dragged while the other side does the same."""
    window.document.session.tools.mirror_editing = True
    mid_drag(window)


def least_effort(window: MainWindow) -> None:
    """An arm that was swung between two keys with the least torques, its ghosts and the trail of its last part."""
    import numpy as np

    from app.document.content.key_selection import KeySelection
    from core.formats.bundled import bundled_folder

    document = window.document
    document.files.new()
    document.files.load_figure(bundled_folder() / "arm7.scr")
    low, high = np.clip(document.skeleton.limits, -1.2, 1.2).T  # type: ignore[union-attr]
    for frame, share in ((0, 0.2), (24, 0.75)):
        document.set_frame(frame)
        document.posing.set(np.concatenate([np.zeros(3), low + share * (high - low)]))
        document.keys.set()
    document.session.keys.selected = KeySelection.of_frames([0, 24])
    window.action_table["least_effort"].trigger()
    while window.background.busy:
        settle_here(window, 0.1)
    document.selection.set([document.skeleton.joints[-1].name])  # type: ignore[union-attr]
    document.session.view.overlays["ghosts"] = document.session.view.overlays["trail"] = True
    document.set_frame(10)
    window.area.frame_all()


STATES: tuple[State, ...] = (
    ("mid-drag", mid_drag, "dark", (1600, 1000)),
    ("mid-drag-light", mid_drag, "light", (1600, 1000)),
    ("out-of-reach", out_of_reach, "dark", (1600, 1000)),
    ("out-of-reach-light", out_of_reach, "light", (1600, 1000)),
    ("following", following, "dark", (1600, 1000)),
    ("following-light", following, "light", (1600, 1000)),
    ("following-low-light", following, "light", (1440, 760)),
    ("following-small", following, "dark", (1024, 680)),
    ("other-solver", other_solver, "dark", (1600, 1000)),
    ("at-limit", at_limit, "dark", (1600, 1000)),
    ("at-limit-small-light", at_limit, "light", (1024, 680)),
    ("ellipsoid", ellipsoid, "dark", (1600, 1000)),
    ("ellipsoid-singular-light", ellipsoid_singular, "light", (1600, 1000)),
    ("ellipsoid-drag-small", ellipsoid_dragged, "dark", (1024, 680)),
    ("rings", rings, "dark", (1600, 1000)),
    ("part-rings", part_rings, "dark", (1600, 1000)),
    ("turning-light", turning, "light", (1600, 1000)),
    ("turned-too-far", turned_too_far, "dark", (1440, 900)),
    ("small-turning", turning, "dark", (1024, 680)),
    ("least-effort", least_effort, "dark", (1280, 800)),
    ("least-effort-small", least_effort, "light", (1024, 680)),
    ("breakdown", breakdown, "dark", (1600, 1000)),
    ("breakdown-small-light", breakdown, "light", (1024, 680)),
    ("push-light", push, "light", (1440, 900)),
    ("mirror-editing", mirror_editing, "dark", (1600, 1000)),
    ("mirror-editing-light", mirror_editing, "light", (1600, 1000)),
    ("small-drag-light", mid_drag, "light", (1024, 680)),
)
