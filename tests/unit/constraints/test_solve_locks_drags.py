"""A man whose feet and hand are locked, his pelvis dragged along paths through poses that hold."""

from __future__ import annotations

import numpy as np
import pytest

from core.constraints import Lock, LockSolver, bind
from core.formats import bundled_folder
from core.kinematics import forward_kinematics
from core.kinematics.goal import Goal
from core.skeleton import Skeleton, load_skeleton

KNEES = {"shank.x": 1.0, "thigh.-x": 0.5, "foot.-x": 0.5}


@pytest.fixture(scope="module")
def human() -> Skeleton:
    return load_skeleton(bundled_folder() / "human.scr")


def start_pose(s: Skeleton) -> np.ndarray:
    q = s.rest_pose()
    for side in ("left", "right"):
        for name, part in KNEES.items():
            q[3 + s.dof_names.index(f"{side} {name}")] = 0.5 * part
        q[3 + s.dof_names.index(f"{side} forearm.-x")] = 0.9
        q[3 + s.dof_names.index(f"{side} upper arm.-x")] = 0.4
    return q


def locks_of(s: Skeleton, q: np.ndarray) -> list[Lock]:
    made = [Lock("left foot", "pose"), Lock("right foot", "pose"), Lock("left hand", "position")]
    return [bind(lock, s, q) for lock in made]


def feasible_path(s: Skeleton, q: np.ndarray, locks: list[Lock], seed: int, samples: int) -> np.ndarray:
    """Places of the pelvis in poses that keep the locks, out from ``q`` and back to it."""
    rng = np.random.default_rng(seed)
    solver = LockSolver(s, locks, q=q)
    poses, k = [q], 0
    while len(poses) < 4:
        k += 1
        wanted = poses[-1].copy()
        wanted[:3] += rng.normal(size=3) * 0.04
        wanted[3:] += rng.normal(size=s.n_dofs) * 0.06
        found = solver.project(wanted)
        if found.held and np.abs(found.q - poses[-1])[3:].max() < 0.5:
            poses.append(found.q)
        assert k < 200
    poses.append(q)
    path = []
    for t in np.linspace(0.0, len(poses) - 1.0, samples):
        first = min(int(t), len(poses) - 2)
        mixed = poses[first] + (t - first) * (poses[first + 1] - poses[first])
        path.append(forward_kinematics(s, solver.project(mixed).q)[0, :3, 3])
    return np.array(path)


def walk(s: Skeleton, seed: int, samples: int) -> None:
    q = start_pose(s)
    locks = locks_of(s, q)
    solver = LockSolver(s, locks, goals=Goal("pelvis", position=(0, 0, 0)), q=q, tolerance=1e-6)
    pose = q
    for place in feasible_path(s, q, locks, seed, samples):
        result = solver.solve(pose, goal_positions=[place], start=q)
        assert result.held
        assert np.nanmax(result.position_residuals) <= 1e-6
        assert np.degrees(np.nanmax(result.angle_residuals)) <= 2e-4
        assert (result.q[3:] >= s.limits[:, 0]).all() and (result.q[3:] <= s.limits[:, 1]).all()
        assert np.degrees(np.abs(result.q - pose)[3:].max()) <= 20.0
        pose = result.q
    assert np.degrees(np.abs(pose - q)[3:].max()) <= 0.01
    assert np.abs(pose - q)[:3].max() <= 1e-4


@pytest.mark.parametrize("seed", range(3))
def test_some_paths(human: Skeleton, seed: int) -> None:
    walk(human, seed, 120)


@pytest.mark.verify
@pytest.mark.parametrize("seed", range(20))
def test_twenty_paths(human: Skeleton, seed: int) -> None:
    walk(human, seed, 300)
