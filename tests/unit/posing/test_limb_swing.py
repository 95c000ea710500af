"""An elbow or a knee swings round the line from the limb's base to its end, and the end stays."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.kinematics import forward_kinematics
from core.posing.drag_session import DragSession
from core.posing.limb_swing import circle, end_lock, place_on_circle, swing_chain
from core.skeleton import load_skeleton
from core.skeleton.control_points import control_points
from core.spatial import so3


def bent(s, name: str):  # type: ignore[no-untyped-def]
    """A pose with the limb of a bend half folded, by a drag of its end toward the base."""
    point = next(p for p in control_points(s) if p.name == name)
    q = np.zeros(s.nq)
    session = DragSession(s, q, point.end, point.end_point, "limb", solver="damped_least_squares")
    frames = forward_kinematics(s, q)
    base = frames[point.base, :3, 3]
    goal = base + 0.75 * (session.effector - base) + np.array([0.0, 0.0, 0.02])
    return point, np.array(session.jump_to(goal))


@pytest.mark.parametrize(
    ("figure", "name", "turns"),
    [
        ("human", "left elbow", (0.3, 0.6)), ("human", "right knee", (0.15, -0.15)),
        ("woman", "right elbow", (-0.4, -0.2)), ("horse", "left hock", (0.04,)), ("robot", "left elbow", (0.2,)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("solver", ["ccd", "damped_least_squares"])
def test_the_bend_goes_round_and_the_end_stays(
    skeletons_folder: Path, figure: str, name: str, turns: tuple[float, ...], solver: str
) -> None:
    s = load_skeleton(skeletons_folder / f"{figure}.scr")
    point, q = bent(s, name)
    found = circle(s, q, point)
    assert found is not None
    middle, axis, away = found
    session = DragSession(
        s, q, point.joint, point.point, locks=[end_lock(s, point)], solver=solver, chain=swing_chain(s, point)
    )
    before = forward_kinematics(s, session.start)
    end = before[point.end, :3, :3] @ point.end_point + before[point.end, :3, 3]
    side = np.cross(axis, away)
    for turn in turns:
        goal = middle + np.cos(turn) * away + np.sin(turn) * side
        for _ in range(8):
            session.move_to(goal, 1.0)
        now = forward_kinematics(s, session.settle())
        moved = now[point.end, :3, :3] @ point.end_point + now[point.end, :3, 3]
        assert np.linalg.norm(moved - end) <= 1e-6, "the end stays"
        turned = so3.angle_between(now[point.end, :3, :3], before[point.end, :3, :3])
        assert turned < 0.8 * abs(turn), "and turns less than it would with the limb"
        assert np.abs(now[0] - before[0]).max() <= 1e-12, "the body does not move"
        here = now[point.joint, :3, 3]
        wanted, gone = np.linalg.norm(goal - middle - away), np.linalg.norm(here - middle - away)
        assert gone > 0.3 * wanted, (figure, name, turn, gone, wanted)


def test_a_ray_means_a_point_of_the_circle() -> None:
    """From the front the direction counts, edge on the nearest point, and the circle is never left."""
    middle, axis, away = np.array([0.1, 1.0, 0.2]), np.array([0.0, 0.0, 1.0]), np.array([0.3, 0.0, 0.0])
    front = place_on_circle(middle, axis, away, middle + np.array([0.0, 0.5, 2.0]), (0.0, 0.0, -1.0))
    assert np.allclose(front, middle + np.array([0.0, 0.3, 0.0]))
    for height in np.linspace(-0.29, 0.29, 30):
        place = place_on_circle(middle, axis, away, middle + np.array([2.0, height, 0.0]), (-1.0, 0.0, 0.0))
        assert np.isclose(np.linalg.norm(place - middle), 0.3)
        assert abs(place[1] - middle[1] - height) < 0.02 and place[0] > middle[0], "the side where the bend is"


def test_a_straight_limb_has_no_circle(skeletons_folder: Path) -> None:
    s = load_skeleton(skeletons_folder / "arm7.scr")
    elbow = next(p for p in control_points(s) if p.role == "bend")
    assert circle(s, np.zeros(s.nq), elbow) is None
