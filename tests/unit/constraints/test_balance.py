"""Balance rows: half-planes that say the same as the margin, from polygons that do not depend on the pose."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.constraints import Lock, LockSolver, bind
from core.constraints.balance import balance_rows, edges_of, imbalance, outside, support_of, supports_of
from core.constraints.hold.packed import MASS
from core.constraints.places import Places
from core.constraints.soles import hull
from core.constraints.support import balance_margin, margin_of, support_polygon
from core.kinematics import center_of_mass, forward_kinematics
from core.kinematics.goal import Goal
from core.skeleton import Skeleton, load_skeleton
from tests.support.figures import random_pose

FEET = ["left foot", "right foot"]


@pytest.fixture(scope="module")
def human() -> Skeleton:
    return load_skeleton(Path(__file__).resolve().parents[3] / "skeletons" / "human.scr")


def test_rows_say_the_same_as_the_margin(human: Skeleton) -> None:
    rng = np.random.default_rng(5)
    signs = set()
    for _ in range(40):
        q = human.rest_pose() + 0.2 * random_pose(human, rng, 1.0)
        normals, bounds = balance_rows(human, q, FEET, 0.0)
        least = float((bounds - normals @ center_of_mass(human, q)).min())
        margin = balance_margin(human, q, FEET)
        signs.add(margin > 0.0)
        assert (least > 0.0) == (margin > 0.0)
        if margin > 0.0:
            assert least == pytest.approx(margin, abs=1e-12)
        else:
            assert np.linalg.norm(outside(normals, bounds, center_of_mass(human, q))) == pytest.approx(
                -margin, abs=1e-9
            )
    assert signs == {True, False}
    assert np.abs(np.linalg.norm(normals, axis=1) - 1.0).max() < 1e-12
    assert not normals[:, 1].any()


@given(st.integers(0, 10_000), st.integers(3, 12), st.floats(0.0, 0.3))
def test_nearest_balanced_place(seed: int, count: int, margin: float) -> None:
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(count, 2))
    polygon = points[hull(points)]
    normals, bounds = edges_of(polygon, margin)
    point = np.array([*rng.normal(size=3)]) * 2.0
    missing = outside(normals, bounds, point)
    over = normals @ point - bounds
    if (over <= 0.0).all():
        assert not missing.any()
        return
    nearest = point - missing
    assert (normals @ nearest - bounds).max() < 1e-8
    # No place inside is nearer: what is left of the way lies between the normals of the edges it ends on.
    for other in rng.dirichlet(np.ones(len(polygon)), 50) @ polygon:
        place = np.array([other[0], point[1], other[1]])
        if (normals @ place - bounds).max() <= 0.0:
            assert np.linalg.norm(point - place) >= np.linalg.norm(missing) - 1e-8


def test_a_margin_without_room_leaves_a_little() -> None:
    square = np.array([[0.0, 0.0], [0.1, 0.0], [0.1, 0.1], [0.0, 0.1]])
    normals, bounds = edges_of(square, 0.5)
    assert (normals @ np.array([0.05, 0.0, 0.05]) < bounds).all()
    assert margin_of(square, np.array([0.05, 0.05])) == pytest.approx(0.05)


@pytest.mark.parametrize("polygon", [[[0.1, 0.2]], [[0.1, 0.2], [0.5, 0.5]]])
def test_lines_and_points(polygon: list[list[float]]) -> None:
    corners = np.array(polygon)
    normals, bounds = edges_of(corners, 0.02)
    for share in (0.0, 0.4, 1.0):
        x, z = corners[0] * (1 - share) + corners[-1] * share
        assert (normals @ np.array([x, 1.0, z]) - bounds).max() < 1e-12
    assert (normals @ np.array([0.2, 1.0, 0.2]) - bounds).max() > 1e-3


def test_supports(human: Skeleton) -> None:
    q = human.rest_pose()
    places = Places(human, q)
    balance = Lock("pelvis", "balance", target=0.02)
    right = bind(Lock("right foot", "pose"), human, q)
    hand = bind(Lock("left hand", "position"), human, q)
    names = [human.joint_names[i] for i in supports_of(balance, (balance, right, hand), places)]
    assert names == ["right foot", "right toes"]
    names = [human.joint_names[i] for i in supports_of(balance, (balance,), places)]
    assert names == ["right foot", "right toes", "left foot", "left toes"]
    named = Lock("pelvis", "balance", target=0.02, other=("left foot",))
    names = [human.joint_names[i] for i in supports_of(named, (named, right, hand), places)]
    assert names == ["left foot", "left toes"]
    soft = bind(Lock("right foot", "pose", weight=0.5), human, q)
    assert len(supports_of(balance, (balance, soft), places)) == 4


def test_the_polygon_is_where_the_feet_are_held(human: Skeleton) -> None:
    """A solver starts from poses whose feet are not yet where they belong."""
    q = human.rest_pose()
    locks = tuple(bind(Lock(foot, "pose"), human, q) for foot in FEET)
    balance = Lock("pelvis", "balance", target=0.02)
    rng = np.random.default_rng(0)
    for _ in range(5):
        there = q + 0.1 * random_pose(human, rng, 1.0)
        there[[3 + human.dof_names.index(f"{side} toes.x") for side in ("left", "right")]] = rng.uniform(-0.1, 0.1, 2)
        away = Places(human, there)
        polygon = support_of(balance, (*locks, balance), away)
        assert polygon.shape == support_polygon(human, q, FEET).shape
        assert np.abs(polygon - support_polygon(human, q, FEET)).max() < 1e-9
    ahead = q.copy()
    ahead[2] = 0.3
    missing = imbalance(balance, (*locks, balance), Places(human, ahead))
    margin = margin_of(support_polygon(human, q, FEET), center_of_mass(human, ahead)[[0, 2]])
    assert margin < -0.1 and missing[1] == 0.0
    assert np.linalg.norm(missing) == pytest.approx(0.02 - margin, abs=4e-3)


def test_a_drag_keeps_the_balance(human: Skeleton) -> None:
    """A hand goes far ahead: alone it takes the figure over its toes, balanced it leans as far as it may."""
    start = human.rest_pose()
    for side in ("left", "right"):
        for joint, value in (("thigh", 0.15), ("shank", 0.3), ("foot", 0.15), ("forearm", 0.4)):
            start[3 + human.first_dof[human.joint_index(f"{side} {joint}")]] = value
    feet = [bind(Lock(foot, "pose"), human, start) for foot in FEET]
    hand = forward_kinematics(human, start)[human.joint_index("left hand"), :3, 3]
    ends = []
    for locks in (feet, [*feet, Lock(0, "balance", target=0.03)]):
        solver = LockSolver(human, locks, goals=Goal("left hand", position=hand), q=start)
        q, least, jump = start, np.inf, 0.0
        for share in np.linspace(0.0, 1.0, 21)[1:]:
            result = solver.solve(q, goal_positions=[hand + share * np.array([0.0, -0.2, 0.7])], start=start)
            jump = max(jump, float(np.abs(result.q - q)[3:].max()))
            q = result.q
            least = min(least, balance_margin(human, q, FEET))
            assert result.residuals.max() <= 1e-6
            if len(locks) == 3:
                missing = imbalance(locks[2], feet, Places(human, q))
                assert np.linalg.norm(missing) <= 1e-5
        assert jump < np.radians(30.0)
        ends.append((least, result.goal_error))
    (fallen, _), (balanced, reached) = ends
    assert fallen < -0.02
    assert balanced > 0.03 - 1e-4
    assert reached < 0.35


def test_balance_shifts_the_hips(human: Skeleton) -> None:
    """A raised hand has taken the figure out of balance: it comes back by its legs, trunk and arms stay as they are."""
    start = human.rest_pose()
    feet = [bind(Lock(foot, "pose"), human, start) for foot in FEET]
    hand = forward_kinematics(human, start)[human.joint_index("left hand"), :3, 3]
    q = start
    for share in np.linspace(0.0, 1.0, 11)[1:]:
        solver = LockSolver(human, feet, goals=Goal("left hand", position=hand + share * np.array([0.6, 0.3, 0.0])))
        q = solver.solve(q, start=start).q
    assert balance_margin(human, q, FEET) < -0.02
    result = LockSolver(human, [*feet, Lock(0, "balance", target=0.02)], q=q).solve(q)
    assert result.held and balance_margin(human, result.q, FEET) >= 0.02 - 1e-9
    before, after = forward_kinematics(human, q), forward_kinematics(human, result.q)
    moved = np.linalg.norm(after[:, :3, 3] - before[:, :3, 3], axis=1)
    assert 0.03 < moved[0] < 0.1 and moved[human.joint_index("left hand")] < 0.08
    for name in ("pelvis", "abdomen", "chest"):
        turn = (after @ np.linalg.inv(before))[human.joint_index(name), :3, :3]
        assert np.degrees(np.arccos(0.5 * (np.trace(turn) - 1.0))) < 5.0


def test_the_trunk_helps_where_the_legs_cannot(human: Skeleton) -> None:
    """With the pelvis held only what is above it can bring the balance back."""
    q = human.rest_pose()
    locks = [bind(Lock(joint, "pose"), human, q) for joint in (*FEET, "pelvis")]
    margin = balance_margin(human, q, FEET)
    assert margin < 0.1
    result = LockSolver(human, [*locks, Lock(0, "balance", target=margin + 0.01)], q=q).solve(q)
    assert result.held and balance_margin(human, result.q, FEET) >= margin + 0.009


def test_joints_that_no_row_is_about_weigh_what_they_did(human: Skeleton) -> None:
    """Fingers and heads are no columns of a drag with balance; their masses are where the pose has them."""
    rng = np.random.default_rng(4)
    q = human.rest_pose()
    feet = [bind(Lock(foot, "pose"), human, q) for foot in FEET]
    goal = Goal("left hand", position=np.array([0.4, 1.2, 0.3]))
    locks = [*feet, Lock(0, "balance", target=0.02)]
    solver = LockSolver(human, locks, goals=goal, q=q)
    for _ in range(4):
        pose = q + 0.3 * random_pose(human, rng, 1.0)
        pose = np.concatenate([pose[:3], np.clip(pose[3:], *human.limits.T)])
        wanted = imbalance(locks[2], feet, Places(human, pose))
        assert np.linalg.norm(wanted) > 0.01
        residual = solver.residuals(pose)
        assert len(solver._problems[True].hold.parent) < human.nq
        normals, bounds = edges_of_rows(solver)
        over = normals @ center_of_mass(human, pose) - bounds
        assert residual.position_residuals[2] == pytest.approx(np.linalg.norm(np.maximum(over, 0.0)), abs=1e-9)


def edges_of_rows(solver: LockSolver) -> tuple[np.ndarray, np.ndarray]:
    rows = next(entry for entry in solver._rows if entry.form == MASS)
    return rows.directions, rows.target
