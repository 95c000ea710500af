"""The skeleton as it is edited: axes against the motion of the figure, grids, and what can be drawn without anew."""

from __future__ import annotations

import numpy as np
import pytest

from app.document.edits import joint_edits
from app.marks.bones import rest_axes
from app.render.camera import Camera
from app.render.mesh.looks import same_body, same_looks, stretched
from app.tools.joint_picking import LEAST_STEP, STEPS, grid_step, snapped, step_text
from core.kinematics import forward_kinematics
from core.skeleton import Dof, Joint, Skeleton, SkeletonBuilder, load_skeleton
from core.skeleton.segment import rest_frames

FIGURES = ("human.scr", "stickman.scr", "arm7.scr", "chain20.scr")


def twisted() -> Skeleton:
    """Return a figure whose rest pose is not all zeros, with scales and axes that are no letters."""
    oblique = np.array([0.6, 0.0, 0.8])
    return Skeleton(
        "twisted",
        [
            Joint("a", -1, dofs=(Dof("hinge", np.eye(3)[2], 0.5, 1.0), Dof("hinge", oblique, -1.0, -0.3))),
            Joint(
                "b", 0, offset=np.array([0.2, 0.3, 0.1]), orientation=np.array([10.0, 20.0, 30.0]),
                scale=np.array([2.0, 1.0, 0.5]),
                dofs=(Dof("slide", oblique, 0.1, 0.2), Dof("hinge", np.eye(3)[0], 0.4, 0.6),
                      Dof("hinge", -np.eye(3)[1], -0.2, 0.2)),
            ),
        ],
    )  # fmt: skip


def figures(folder) -> list[Skeleton]:
    return [twisted(), *(load_skeleton(folder / name) for name in FIGURES)]


def test_axes_are_those_that_the_joints_turn_about(skeletons_folder) -> None:
    """By central differences: a turn by h about n changes the frame by h [n]x, a slide moves the origin along n."""
    h = 1e-6
    for skeleton in figures(skeletons_folder):
        q = skeleton.rest_pose()
        poses = forward_kinematics(skeleton, q)
        axes, letters = rest_axes(skeleton, poses)
        for d, dof in enumerate(skeleton.all_dofs):
            joint = skeleton.dof_joints[d]
            step = np.zeros(skeleton.nq)
            step[3 + d] = h
            ahead, behind = (forward_kinematics(skeleton, q + sign * step)[joint] for sign in (1, -1))
            rate = (ahead - behind) / (2.0 * h)
            if dof.kind == "hinge":
                spin = rate[:3, :3] @ np.linalg.inv(poses[joint, :3, :3])
                found = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
            else:
                found = rate[:3, 3] / np.linalg.norm(rate[:3, 3])
            assert axes[d] == pytest.approx(found, abs=1e-6), (skeleton.name, d)
            assert letters[d] == int(np.argmax(np.abs(dof.axis)))


class _View:
    def __init__(self, kind: str):
        self.camera = Camera(kind)

    def pixel_size(self, point) -> float:
        return self.camera.pixel_size(564, point)


def test_a_grid_is_as_fine_as_can_be_distinguished() -> None:
    view = _View("front")
    for half in (0.01, 0.1, 1.0, 10.0, 1000.0):
        view.camera.half_height = half
        step = grid_step(view, np.zeros(3))
        pixels = step / view.pixel_size(np.zeros(3))
        assert step in STEPS
        assert pixels >= LEAST_STEP or step == STEPS[0]
        finer = [other for other in STEPS if other < step]
        assert not finer or finer[0] / view.pixel_size(np.zeros(3)) < LEAST_STEP
    assert [step_text(step) for step in (1.0, 0.25, 0.025, 0.01, 0.005)] == ["1 m", "25 cm", "2.5 cm", "1 cm", "5 mm"]


def test_a_parallel_view_keeps_the_depth_when_it_snaps() -> None:
    point = np.array([0.123, 0.456, 0.789])
    assert snapped(_View("front"), point, 0.1) == pytest.approx((0.1, 0.5, 0.789))
    assert snapped(_View("side"), point, 0.1) == pytest.approx((0.123, 0.5, 0.8))
    assert snapped(_View("top"), point, 0.1) == pytest.approx((0.1, 0.456, 0.8))
    assert snapped(_View("perspective"), point, 0.1) == pytest.approx((0.1, 0.5, 0.8))


def test_a_figure_looks_the_same_while_only_joints_move(skeletons_folder) -> None:
    human = load_skeleton(skeletons_folder / "human.scr")
    place = rest_frames(human)[human.joint_index("left hand"), :3, 3] + np.array([0.1, 0.0, 0.0])

    def edited(do) -> Skeleton:
        builder = SkeletonBuilder(human)
        do(builder)
        return builder.build()

    hand = human.joint_index("left hand")
    carried = edited(lambda b: b.place("left hand", place))
    assert same_looks(human, carried, bent=False) and not same_looks(human, carried, bent=True)
    limited = edited(lambda b: b.set_limits("left hand", 0, -0.1, 0.1))
    assert same_looks(human, limited, bent=True)
    left = edited(lambda b: b.place("left hand", place, carry=False))
    assert not same_body(human, left, hand) and same_body(human, left, 0) and not same_looks(human, left, bent=False)
    assert not same_looks(human, edited(lambda b: b.set("head", color=(1.0, 0.0, 0.0))), bent=False)
    assert not same_looks(human, edited(lambda b: b.remove("left hand")), bent=False)
    assert not same_looks(human, edited(lambda b: b.remove_object("head", 0)), bent=False)


def test_a_stretched_body_is_reported_by_a_frame(skeletons_folder) -> None:
    human = load_skeleton(skeletons_folder / "human.scr")
    builder = SkeletonBuilder(human)
    joint_edits.with_object_box("head", 0, (0.3, 0.2, 0.1), (0.0, 0.2, 0.1))(builder)
    made, head = builder.build(), human.joint_index("head")
    box = stretched(human, made, head)
    old, new = (s.joints[head].objects[0].mesh.vertices for s in (human, made))
    assert old @ box[:3, :3].T + box[:3, 3] == pytest.approx(new, abs=1e-12)
    assert stretched(human, made, 0) is None
    builder.set("head", objects=())
    assert stretched(human, builder.build(), head) is None
