"""Loops are closed before they move, drift is taken back, and what cannot close says so."""

from __future__ import annotations

import numpy as np
import pytest

from core.dynamics import Body, Multibody
from core.dynamics.constraints import (
    Constraint,
    JointLimits,
    LoopClosure,
    LoopJoint,
    PrescribedPose,
    PrescribedSpeed,
    Rod,
    Rope,
    Situation,
    assemble,
    stabilized_coordinates,
    stacked,
)
from core.errors import DynamicsError
from core.joints import JOINT_TYPES, Fixed, Revolute
from core.spatial import SpatialInertia, se3
from tests.support.random_trees import random_state, random_tree


def link(name: str, parent: int | str, offset: float, mass: float = 1.0) -> Body:
    """A rod of 1 m along x with a hinge about z at its start."""
    inertia = SpatialInertia(mass, (0.5, 0, 0), np.diag([1e-3, 1 / 12, 1 / 12]) * mass)
    return Body(name, parent, Revolute((0, 0, 1)), se3.transform(None, (offset, 0, 0)), inertia=inertia)


def chain(count: int, masses: tuple[float, ...] = ()) -> Multibody:
    masses = masses or (1.0,) * count
    return Multibody([link(f"link {i}", i - 1, float(i > 0), masses[i]) for i in range(count)])


def gaps(model: Multibody, x: np.ndarray, constraints: list[Constraint]) -> np.ndarray:
    return stacked(constraints, Situation(model, x, np.zeros(model.nv))).rows.gap


def test_drift_is_taken_back_by_the_least_move() -> None:
    model = chain(4, (1.0, 5.0, 0.2, 1.0))
    loop = LoopClosure("link 3", (1, 0, 0), "world", (1.0, 0.5, 0), axis=(0, 0, 1))
    closed = assemble(model, (2.0, -1.5, -1.2, -1.0), [loop])
    rng = np.random.default_rng(821)
    drifted = closed + 1e-4 * rng.normal(size=4)
    x = stabilized_coordinates(model, drifted, [loop])
    assert np.abs(gaps(model, x, [loop])).max() < 1e-10
    # The least move by kinetic energy is M^-1 G^T of something, and so across every motion that the loop allows.
    G = stacked([loop], Situation(model, x, np.zeros(4))).rows.G
    allowed = np.linalg.svd(G)[2][2:]
    move, M = x - drifted, model.mass_matrix(x)
    assert np.abs(allowed @ M @ move).max() < 1e-3 * np.abs(M @ move).max()
    plain = stabilized_coordinates(model, drifted, [loop], metric="plain")
    assert np.abs(allowed @ (plain - drifted)).max() < 1e-3 * np.abs(plain - drifted).max()
    assert np.array_equal(stabilized_coordinates(model, x, [loop]), x)


@pytest.mark.parametrize("seed", range(6))
def test_random_loops_close_from_near(seed: int) -> None:
    rng = np.random.default_rng([seed, 822])
    model = random_tree(rng, 10, [kind for kind in JOINT_TYPES if kind is not Fixed])
    there, _ = random_state(rng, model)
    poses = model.body_poses(there)
    a, b, c = rng.choice(np.arange(10), 3, replace=False).tolist()
    point = rng.normal(size=3)
    held = poses[b] @ np.array([*point, 1.0])
    constraints: list[Constraint] = [
        LoopClosure(a, (np.linalg.inv(poses[a]) @ held)[:3], b, point),
        LoopJoint("world", c, poses[c], np.eye(4), "universal"),
        Rod(a, (0, 0, 0), c, (0, 0, 0), float(np.linalg.norm(poses[a][:3, 3] - poses[c][:3, 3]))),
        Rope("world", (0, 0, 0), b, (0, 0, 0), float(np.linalg.norm(poses[b][:3, 3]))),
        PrescribedSpeed(a, lambda t: (np.full(model.bodies[a].joint.n, 7.0),) * 2),
    ]
    x = assemble(model, there + 0.1 * rng.normal(size=model.nq), constraints)
    rows = stacked(constraints, Situation(model, x, np.zeros(model.nv)))
    open_rows = rows.positional & (rows.equality | (rows.rows.gap < 0.0))
    assert np.abs(rows.rows.gap[open_rows]).max() < 1e-10
    assert rows.rows.gap[~rows.equality].min() > -1e-10


def test_a_straight_chain_bends_to_close() -> None:
    model = chain(3)
    loop = LoopClosure("link 2", (1, 0, 0), "world", (1.5, 0, 0))
    x = assemble(model, np.zeros(3), [loop])
    assert np.abs(gaps(model, x, [loop])).max() < 1e-10
    assert np.array_equal(x, assemble(model, np.zeros(3), [loop]))


def test_fixed_joints_and_limits_are_kept() -> None:
    model = chain(4)
    loop = LoopClosure("link 3", (1, 0, 0), "world", (1.0, 0.5, 0), axis=(0, 0, 1))
    limits = JointLimits("link 2", -0.6, 0.6)
    x = assemble(model, (2.0, -1.5, -1.2, -1.0), [loop, limits], fixed=["link 0"])
    assert x[0] == 2.0 and abs(x[2]) <= 0.6 + 1e-10
    assert np.abs(gaps(model, x, [loop])).max() < 1e-10


def test_what_cannot_close_says_what_is_left() -> None:
    model = chain(2)
    far = LoopClosure("link 1", (1, 0, 0), "world", (2.12, 0, 0))
    with pytest.raises(DynamicsError, match=r'^loop between "link 1" and the world cannot close: 0\.12 left$'):
        assemble(model, (0.3, -0.4), [far])
    with pytest.raises(DynamicsError, match=r'^loop between "link 1" and the world cannot close: 0\.12 left$'):
        stabilized_coordinates(model, (0.01, -0.02), [far])
    aside = PrescribedPose(
        "link 1", lambda t: (se3.transform(None, (1, 0, 0.5)), np.zeros(6), np.zeros(6)), kind="ball"
    )
    with pytest.raises(DynamicsError, match=r'prescribed pose of "link 1" cannot be met: 0\.5 left'):
        assemble(model, (0.3, -0.4), [aside])
