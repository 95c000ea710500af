"""The second criteria: values, gradients by finite differences, and what they take."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from core.errors import GoalError
from core.ik import Goal, problem
from core.ik.criteria import CRITERIA, Criterion, Posture, Solid, make_criterion
from core.ik.criteria.obstacles import INFLUENCE, nearest
from core.kinematics import forward_kinematics, manipulability
from core.skeleton import Joint, Skeleton
from core.skeleton.segment import segment_capsule
from core.spatial import so3
from tests.oracles.obstacle_pushes import obstacle_value
from tests.support.figures import arm7, chain, fork, hinge, random_figure, random_pose
from tests.support.kernels import kernels_in_use

TIP = np.array([0.0, 0.2, 0.0])
H = 1e-6
NAMES = [kind.name for kind in CRITERIA]


def posture(s: Skeleton, q: np.ndarray, goals: tuple[Goal, ...], base: int | None = None) -> Posture:
    p = problem.build(s, q, goals, base, None)
    free = np.flatnonzero(p.nodes.weight > 0.0)
    return Posture(s, q, p.structure.q_index[free], goals, p.structure.top, p.size)


def data_for(name: str, s: Skeleton, q: np.ndarray, seed: int) -> object:
    rng = np.random.default_rng(100 + seed)
    if name == "pose":
        return (name, random_pose(s, rng))
    if name == "obstacles":
        X = forward_kinematics(s, q)
        balls = [(X[j, :3, 3] + rng.normal(size=3) * 0.15, 0.1) for j in range(len(X) // 2, len(X))]
        turned = so3.exp(rng.normal(size=3))
        faces = np.concatenate([turned, -turned])
        return (name, [*balls, Solid(faces, faces @ X[-1, :3, 3] + 0.1), Solid(turned[:1], turned[:1] @ X[2, :3, 3])])
    return name


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("base", [None, problem.WORLD])
def test_gradients_by_finite_differences(name: str, seed: int, base: int | None) -> None:
    s = random_figure(seed, joints=14, scaled=seed % 2 == 1)
    rng = np.random.default_rng(seed)
    q = random_pose(s, rng)
    rotation = so3.exp(rng.normal(size=3)) if seed % 3 else None
    goals = (
        Goal(13, rng.normal(size=3) * 0.2, (0, 1, 0), rotation),
        Goal(9, position=(1, 0, 0)),
        Goal(5, rotation=np.eye(3)),
    )
    at = posture(s, q, goals[: 1 + seed % 3], base)
    criterion = make_criterion(s, data_for(name, s, q, seed))
    _, gradient = criterion.evaluate(at)
    assert gradient.shape == at.dofs.shape and np.abs(gradient).max() > 1e-4
    for slope, k in zip(gradient, at.dofs, strict=True):
        ahead, behind = q.copy(), q.copy()
        ahead[k] += H
        behind[k] -= H
        ends = criterion.evaluate(at.at(ahead))[0], criterion.evaluate(at.at(behind))[0]
        assert (ends[0] - ends[1]) / (2 * H) == pytest.approx(slope, abs=2e-8, rel=1e-7)


@pytest.mark.parametrize("use", ["compiled", "uncompiled"])
@pytest.mark.parametrize("seed", range(4))
def test_pushes_off_obstacles_are_those_of_an_oracle(seed: int, use: str) -> None:
    s = random_figure(seed, joints=14, scaled=seed % 2 == 1)
    q = random_pose(s, np.random.default_rng(seed))
    at = posture(s, q, (Goal(13, position=(0, 1, 0)),), problem.WORLD)
    data = data_for("obstacles", s, q, seed)[1]  # type: ignore[index]
    balls = [each for each in data if not isinstance(each, Solid)]
    value, gradient = obstacle_value(at, balls, [each for each in data if isinstance(each, Solid)])
    with kernels_in_use(use):
        found, slope = make_criterion(s, ("obstacles", data)).evaluate(at)
    assert value > 1e-3 and np.abs(gradient).max() > 1e-3
    assert found == pytest.approx(value, rel=1e-12)
    assert np.abs(slope - gradient).max() < 1e-12 * max(float(np.abs(gradient).max()), 1.0)


def scaled(thing: Any, by: float) -> Any:
    return Solid(thing.normals, thing.offsets * by) if isinstance(thing, Solid) else (thing[0] * by, thing[1] * by)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("power", [-10, 10])
def test_the_unit_of_length_plays_no_part(name: str, power: int) -> None:
    scale = 2.0**power
    s, large = arm7(), arm7(scale=scale)
    q = np.array([0, 0, 0, 0.2, 0.5, 0.1, 0.6, 0.1, 0.5, 0.3])
    secondary = data_for(name, s, q, 1)
    other = secondary
    if name == "obstacles":
        other = (name, [scaled(thing, scale) for thing in secondary[1]])  # type: ignore[index]
    results = []
    for figure, by, data in ((s, 1.0, secondary), (large, scale, other)):
        goals = (Goal("j6", TIP * by, np.array([0.1, 0.4, 0.3]) * by, np.eye(3)),)
        results.append(make_criterion(figure, data).evaluate(posture(figure, q, goals)))
    assert results[0][0] == results[1][0] and np.array_equal(results[0][1], results[1][1])


def test_joint_range_is_least_in_the_middle_and_leaves_out_what_has_none() -> None:
    joints = [Joint("a", -1, dofs=(hinge("z", -1.0, 3.0), hinge("x"), hinge("y", 0.5, 0.5)))]
    joints += [Joint("b", 0, offset=[0, 1, 0], dofs=(hinge("z", -np.inf, 1.0),))]
    s = Skeleton("mixed", joints)
    at = posture(s, np.array([0, 0, 0, 3.0, 2.0, 0.5, 0.7]), (Goal("b", position=(0, 1, 0)),))
    value, gradient = make_criterion(s, "range").evaluate(at)
    assert value == pytest.approx(0.25) and gradient == pytest.approx([0.25, 0.0, 0.0, 0.0])
    middle, none = make_criterion(s, "range").evaluate(at.at(np.array([0, 0, 0, 1.0, 5.0, 0.5, -9.0])))
    assert middle == 0.0 and not none.any()


def test_reference_pose_vanishes_there() -> None:
    s = fork()
    q = random_pose(s, np.random.default_rng(0), 0.5)
    at = posture(s, q, (Goal("head", position=(0, 1, 0)),))
    value, gradient = make_criterion(s, ("pose", q)).evaluate(at)
    assert value == 0.0 and not gradient.any()
    away = q.copy()
    away[3] += 0.4
    assert make_criterion(s, ("pose", q)).evaluate(at.at(away))[0] == pytest.approx(0.08)


def test_manipulability_is_yoshikawas_measure() -> None:
    s = arm7()
    q = random_pose(s, np.random.default_rng(3), 1.5)
    q[:3] = 0.0
    at = posture(s, q, (Goal("j6", TIP, (0, 1, 0)),))
    value, _ = make_criterion(s, "manipulability").evaluate(at)
    assert value == pytest.approx(-math.log(manipulability(s, q, "j6", TIP) / at.size**3), abs=1e-4)
    straight, gradient = make_criterion(s, "manipulability").evaluate(at.at(np.zeros(10)))
    assert straight > value + 5.0 and np.isfinite(gradient).all()
    few = chain(2)
    value, gradient = make_criterion(few, "manipulability").evaluate(
        posture(
            few, np.array([0, 0, 0, 0.2, 0.7]), (Goal("j1", TIP, (0, 1, 0)), Goal("j0", rotation=np.eye(3), weight=0))
        )
    )
    assert math.isfinite(value) and np.isfinite(gradient).all()


def test_obstacles_count_from_the_surface_of_segments_on() -> None:
    s = chain(2, 1.0)
    capsule = segment_capsule(s, 0)
    at = posture(s, np.zeros(5), (Goal("j1", (0, 0.5, 0), (0, 1, 0)),), s.joint_index("j1"))
    assert at.joints == (1,)
    at = posture(s, np.zeros(5), (Goal("j1", (0, 0.5, 0), (0, 1, 0)),))
    for gap, wanted in ((1.5 * INFLUENCE, 0.0), (0.5 * INFLUENCE, 0.5 * (0.5 * INFLUENCE) ** 2), (-0.1, 0.02)):
        x = 0.3 + capsule.radius + gap * at.size
        value, gradient = make_criterion(s, ("obstacles", [((x, 0.5, 0.0), 0.3)])).evaluate(at)
        near = 0.5 * max(0.0, INFLUENCE - gap) ** 2
        assert value == pytest.approx(near, abs=1e-12) and (value == 0.0) == (wanted == 0.0)
        assert (gradient[0] < 0.0) == (value > 0.0)  # turning the other way about z leads away from +x
    through, gradient = make_criterion(s, ("obstacles", [((0.0, 0.5, 0.0), 0.3)])).evaluate(at)
    assert through > 0.0 and np.isfinite(gradient).all() and np.abs(gradient).max() > 0.0
    assert make_criterion(s, ("obstacles", [])).evaluate(at)[0] == 0.0


def test_nearest_points_on_lines() -> None:
    rng = np.random.default_rng(0)
    starts, ends, centers = rng.normal(size=(6, 3)), rng.normal(size=(6, 3)), rng.normal(size=(5, 3))
    ends[3] = starts[3]
    along, off = nearest(starts, ends, centers)
    t = np.linspace(0.0, 1.0, 4001)[:, None]
    for i in range(6):
        for k in range(5):
            points = starts[i] + t * (ends[i] - starts[i])
            assert np.linalg.norm(off[i, k]) == pytest.approx(
                np.linalg.norm(points - centers[k], axis=1).min(), abs=1e-6
            )
            assert 0.0 <= along[i, k] <= 1.0


class Lean:
    """A criterion of one's own."""

    def evaluate(self, posture: Posture) -> tuple[float, np.ndarray]:
        return float(np.sum(posture.q[posture.dofs])), np.ones(len(posture.dofs))


def test_what_may_be_passed() -> None:
    s = arm7()
    lean = Lean()
    assert make_criterion(s, lean) is lean and isinstance(lean, Criterion)
    assert isinstance(make_criterion(s, ["pose", np.zeros(10)]), Criterion)
    for secondary, message in (
        ("balance", "range, pose, manipulability, obstacles"),
        (7, "secondary is 7"),
        (Lean, "secondary is"),
        ("pose", "needs a pose"),
        ("obstacles", "needs spheres"),
        (("range", 3), "takes nothing"),
        (("pose", np.zeros(4)), r"shape \(10,\)"),
        (("pose", np.full(10, np.nan)), "finite"),
        (("obstacles", 5), "pairs"),
        (("obstacles", [(0, 0, 0)]), "pairs"),
        (("obstacles", [((0, 0, np.inf), 1.0)]), "center 0"),
        (("obstacles", [((0, 0, 0), 1.0), ((0, 0, 0), -1.0)]), "radius 1"),
    ):
        with pytest.raises(GoalError, match=message):
            make_criterion(s, secondary)


def test_kinds_say_what_they_are() -> None:
    assert NAMES == ["range", "pose", "manipulability", "obstacles"]
    for kind in CRITERIA:
        assert kind.label and kind.description.endswith(".")
