"""Comfort: spare freedom goes to the middle of joints' ranges, only where locks and drags need joints at all."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.constraints import Lock, bind, solve_locks
from core.constraints.comfort import STRONGEST, comfort_gradient, comfort_range, involved, joint_comfort
from core.constraints.hold import solver_kernel
from core.constraints.hold.mobility import pose_units
from core.constraints.hold.packed import DRAG, POINT
from core.constraints.hold.packing import pack_rows
from core.constraints.hold.rows import Rows
from core.errors import PoseError
from core.kernels import load
from core.kinematics import forward_kinematics
from core.kinematics.goal import Goal
from core.skeleton import Skeleton, load_skeleton
from tests.support.figures import random_figure, random_pose

SAMPLES = 24


@pytest.fixture(scope="module")
def human() -> Skeleton:
    return load_skeleton(Path(__file__).resolve().parents[3] / "skeletons" / "human.scr")


def squat(s: Skeleton, comfort: float, depth: float = 0.4, bent: float = 0.0) -> tuple[np.ndarray, float]:
    """The pose, and the distance of the knees, after the pelvis was dragged down with the toes locked."""
    start = s.rest_pose()
    for side in ("left", "right"):
        for joint, value in (("thigh", bent), ("shank", 2.0 * bent), ("foot", bent)):
            start[3 + s.first_dof[s.joint_index(f"{side} {joint}")]] = value
    locks = [bind(Lock(f"{side} toes", "position"), s, start) for side in ("left", "right")]
    pelvis = forward_kinematics(s, start)[0, :3, 3]
    q = start
    for k in range(1, SAMPLES + 1):
        goal = Goal(0, position=pelvis - [0.0, depth * k / SAMPLES, 0.0])
        result = solve_locks(s, q, locks, goals=goal, start=start, comfort=comfort)
        q = result.q
        assert result.held
        assert (q[3:] >= s.limits[:, 0]).all() and (q[3:] <= s.limits[:, 1]).all()
    frames = forward_kinematics(s, q)
    knees = [frames[s.joint_index(f"{side} shank"), :3, 3] for side in ("left", "right")]
    return q, float(np.linalg.norm(knees[0] - knees[1]))


@pytest.mark.parametrize("bent", [0.0, 0.1])
def test_knees_part_in_a_squat(human: Skeleton, bent: float) -> None:
    q, apart = squat(human, 1.0, bent=bent)
    rest = forward_kinematics(human, human.rest_pose())
    before = 2.0 * float(rest[human.joint_index("left shank"), 0, 3])
    assert forward_kinematics(human, q)[0, 1, 3] == pytest.approx(rest[0, 1, 3] - 0.4, abs=5e-3)
    assert apart >= before + 0.05
    assert apart >= squat(human, 0.0, bent=bent)[1] + 0.05
    arms = 3 + np.array([k for k, j in enumerate(human.dof_joints) if "arm" in human.joint_names[j]])
    assert np.array_equal(q[arms], human.rest_pose()[arms])


def test_more_comfort_is_nearer_to_the_middle(human: Skeleton) -> None:
    values = [comfort_gradient(human, squat(human, strength, 0.3, 0.1)[0])[0] for strength in (0.5, 0.75, 1.0)]
    assert values[0] > values[1] > values[2]


@pytest.mark.parametrize("compiled", [True, False])
def test_pull_is_the_sum_of_two_squares(human: Skeleton, compiled: bool) -> None:
    """Its minimum is that of ``(x - start)^2 / K + comfort ((x - middle) / half)^2``, value by value."""
    rng = np.random.default_rng(0)
    q, start = human.rest_pose(), random_pose(human, rng, 0.3)
    rows = [Rows(POINT, human.joint_index("left hand"), target=np.zeros(3), weight=0.5)]
    packed = pack_rows(human, rows, [], 1, comfort=0.7)
    kernels = load(solver_kernel) if compiled else solver_kernel
    kernels.hold(packed.hold, q, start, np.empty(human.nq + 11), 1e-9, 0, 0, DRAG)
    h, unit = packed.hold, pose_units(human)
    index, K = h.q_index, h.gain
    middle, half = ((values / unit)[index] for values in comfort_range(human))
    begin = (start / unit)[index]

    def cost(x: np.ndarray) -> np.ndarray:
        return (x - begin) ** 2 / K + 0.7 * STRONGEST * ((x - middle) / half) ** 2

    assert (h.comfort > 0.0).any() and (h.comfort == 0.0).any()
    a, b = rng.normal(size=(2, len(K)))
    assert cost(a) - cost(b) == pytest.approx(h.pull * ((a - h.rest) ** 2 - (b - h.rest) ** 2) / K, abs=1e-12)
    plain = pack_rows(human, rows, [], 1).hold
    kernels.hold(plain, q, start, np.empty(human.nq + 11), 1e-9, 0, 0, DRAG)
    assert (plain.pull == 1.0).all() and plain.rest == pytest.approx(begin, abs=1e-15)


def test_gradient_against_differences_and_measure() -> None:
    for seed in range(5):
        s = random_figure(seed)
        q = random_pose(s, np.random.default_rng(seed), 0.4)
        _, gradient = comfort_gradient(s, q)
        for k in range(s.nq):
            d = np.zeros(s.nq)
            d[k] = 1e-6
            slope = (comfort_gradient(s, q + d)[0] - comfort_gradient(s, q - d)[0]) / 2e-6
            assert gradient[k] == pytest.approx(slope, abs=1e-6)
        measure = joint_comfort(s, q)
        for i, joint in enumerate(s.joints):
            assert np.isnan(measure[i]) == (not joint.dofs)
    middle, _ = comfort_range(s)
    assert np.nanmin(joint_comfort(s, middle)) == 1.0
    limit = middle.copy()
    limit[3:] = s.limits[:, 1]
    assert np.nanmax(joint_comfort(s, limit)) == pytest.approx(0.0, abs=1e-12)
    with pytest.raises(PoseError):
        joint_comfort(s, q[:-1])


def test_who_is_involved(human: Skeleton) -> None:
    mask = involved(human, [human.joint_index("left toes")])
    names = {human.joint_names[human.dof_joints[k - 3]] for k in np.flatnonzero(mask) if k >= 3}
    assert names == {"pelvis", "left thigh", "left shank", "left foot", "left toes"}
    assert mask[:3].all()
    assert not involved(human, []).any()
