"""Bodies of a scene as what limbs keep away from, and drags that do."""

from __future__ import annotations

import numpy as np
import pytest

from core.dynamics.contact.obstacles import BallObstacle, BoxObstacle, Obstacle
from core.dynamics.contact.shapes import Capsule, Geometry
from core.dynamics.contact.world import Floor
from core.errors import GoalError
from core.formats.bundled import bundled_folder
from core.ik.criteria import Solid, make_criterion
from core.kinematics import forward_kinematics
from core.posing import DragSession
from core.posing.scene_obstacles import NEAR_FLOOR, scene_obstacles
from core.skeleton import load_skeleton
from core.skeleton.segment import segment_capsule
from core.spatial import se3
from tests.support.figures import arm7


def outside(thing: object, point: np.ndarray) -> float:
    if isinstance(thing, Solid):
        return float((thing.normals @ point - thing.offsets).max())
    center, radius = thing  # type: ignore[misc]
    return float(np.linalg.norm(point - center) - radius)


def test_a_box_is_its_faces_a_ball_itself_and_a_capsule_balls_in_a_row() -> None:
    box = BoxObstacle((0.4, 0.6, 0.2), position=(1.0, 2.0, 3.0), rotation=(0.0, 0.0, np.pi / 2))
    (solid,) = scene_obstacles(box.geometries)
    assert outside(solid, np.array([1.0, 2.0, 3.0])) == pytest.approx(-0.1)
    assert outside(solid, np.array([1.5, 2.0, 3.0])) == pytest.approx(0.2)  # turned: 0.6 along x
    assert outside(solid, np.array([1.0, 2.5, 3.0])) == pytest.approx(0.3)
    (ball,) = scene_obstacles(BallObstacle(0.3, position=(0.0, 1.0, 0.0)).geometries)
    assert outside(ball, np.zeros(3)) == pytest.approx(0.7)
    row = scene_obstacles([Geometry(Capsule(0.1, 0.5), -1, se3.transform(translation=(0.0, 1.0, 0.0)))])
    nearest = [min(outside(each, np.array([0.2, 1.0, z])) for each in row) for z in np.linspace(-0.5, 0.5, 41)]
    assert 0.1 - 1e-9 <= min(nearest) and max(nearest) < 0.107


def test_the_floor_counts_close_by_only() -> None:
    (floor,) = scene_obstacles([], Floor(0.2))
    assert isinstance(floor, Solid) and floor.influence == NEAR_FLOOR
    assert outside(floor, np.array([5.0, 0.3, -2.0])) == pytest.approx(0.1)


@pytest.mark.parametrize("normals", [np.zeros((0, 3)), np.array([[0.0, 2.0, 0.0]])])
def test_planes_that_are_none_are_refused(normals: np.ndarray) -> None:
    with pytest.raises(GoalError, match="normals of solid 0"):
        make_criterion(arm7(), ("obstacles", [Solid(normals, np.zeros(len(normals)))]))


def depth(session: DragSession, things: list, joints: list[int]) -> float:
    """Return how deep the capsules of some parts are in things, [m]; below 0 if they are clear."""
    X, deepest = forward_kinematics(session.skeleton, session.q), -np.inf
    for joint in joints:
        start, end, radius = segment_capsule(session.skeleton, joint)
        for share in np.linspace(0.0, 1.0, 15):
            point = X[joint, :3, :3] @ (start + share * (end - start)) + X[joint, :3, 3]
            deepest = max(deepest, radius - min(outside(each, point) for each in things))
    return deepest


def dragged(secondary: object) -> DragSession:
    """Return a drag of the man's hand up and forwards."""
    human = load_skeleton(bundled_folder() / "human.scr")
    drag = DragSession(human, human.rest_pose(), "right hand", solver="damped_least_squares", secondary=secondary)  # type: ignore[arg-type]
    start = drag.effector.copy()
    for share in np.linspace(0.0, 1.0, 25):
        drag.move_to(start + share * np.array([0.05, 0.25, 0.25]))
    return drag


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", ["box", "ball"])
def test_a_dragged_arm_goes_round_what_is_in_its_way(kind: str) -> None:
    plain = dragged(None)
    arm = plain.skeleton.joint_index("right forearm")
    before, after = (forward_kinematics(plain.skeleton, q)[arm, :3, 3] for q in (plain.start, plain.q))
    way = (after - before) / np.linalg.norm(after - before)
    thing: Obstacle = BallObstacle(0.1, position=after + 0.08 * way)
    if kind == "box":
        thing = BoxObstacle((0.2, 0.2, 0.2), position=after + 0.1 * way)
    things = scene_obstacles(thing.geometries)
    clear = dragged(("obstacles", things))
    deep, shallow = depth(plain, things, [arm]), depth(clear, things, [arm])
    assert clear.distance < 0.01, "the hand is where it was dragged to"
    assert deep > 0.015 and shallow < -0.02


@pytest.mark.verify
def test_a_drag_among_ten_obstacles_neither_stutters_nor_jumps() -> None:
    human = load_skeleton(bundled_folder() / "human.scr")
    places = [(-0.45, 1.2, 0.1), (-0.3, 0.9, -0.4), (0.4, 1.0, 0.2), (-0.6, 1.0, 0.5), (-0.5, 1.5, 0.2)]
    shapes = [BoxObstacle((0.2, 0.2, 0.2), position=place).geometries for place in places]
    shapes += [BallObstacle(0.1, position=np.array(place) + 0.2).geometries for place in places]
    things = scene_obstacles([shape for group in shapes for shape in group], Floor())
    how: dict = {"solver": "damped_least_squares", "secondary": ("obstacles", things)}
    drag = DragSession(human, human.rest_pose(), "right hand", **how)
    start, poses, missed = drag.effector.copy(), [drag.start], 0.0
    for turn in np.linspace(0.0, 2.0 * np.pi, 240)[1:]:
        goal = start + 0.15 * np.array([0.0, 1.0 - np.cos(turn), np.sin(turn)])
        drag.move_to(goal)
        poses.append(drag.q)
        missed = max(missed, float(np.linalg.norm(drag.effector - goal)))
    moved = np.degrees(np.diff(np.array(poses)[:, 3:], axis=0))
    back = (moved[1:] * moved[:-1] < 0.0) & (np.minimum(np.abs(moved[1:]), np.abs(moved[:-1])) > 1.0)
    assert missed < 1e-3
    assert np.abs(moved).max() < 10.0, "a joint jumps"
    assert back.any(axis=1).sum() <= 5, "joints go to and fro"
    rests = 0
    while drag.behind:
        drag.again()
        rests += 1
    assert 0 < rests <= 60 and np.linalg.norm(drag.effector - goal) < 1e-3
