"""The recursion against dense matrices, function by function."""

from __future__ import annotations

import copy
import math
import pickle
import sys
import threading

import numpy as np
import pytest

from core.dynamics import Body, Multibody, careful_recursion
from core.dynamics.packed import to_z
from core.errors import DynamicsError
from core.joints import (
    Composite,
    Fixed,
    Free,
    FreeRotationFirst,
    Prismatic,
    Revolute,
    Spherical,
    SplineCurve,
    SplineSurface,
    Universal,
)
from core.kernels import uncompiled
from core.spatial import SpatialInertia, se3
from tests.oracles.tree_dynamics import dense
from tests.support.random_trees import random_inertia, random_pose, random_state, random_tree, wild_state

Rng = np.random.Generator
CLOSE = 1e-10


def results(model: Multibody, x: np.ndarray, v: np.ndarray, seed: int = 0) -> dict[str, np.ndarray]:
    """What all functions make of a state, with random forces, by name."""
    rng = np.random.default_rng(seed)
    n, nb = len(x), len(model.bodies)
    tau, vdot, wrenches = rng.normal(size=n), rng.normal(size=n), rng.normal(size=(nb, 6))
    prescribed, added, rhs = rng.random(nb) < 0.5, rng.random(n), rng.normal(size=(3, n))
    given = np.flatnonzero(prescribed).tolist()
    hybrid_vdot, hybrid_tau = model.hybrid_dynamics(x, v, tau, vdot, given, wrenches=wrenches)
    return {
        "forward": model.forward_dynamics(x, v, tau, wrenches=wrenches),
        "unforced": model.forward_dynamics(x, v, tau),
        "hybrid vdot": hybrid_vdot,
        "hybrid tau": hybrid_tau,
        "inverse": model.inverse_dynamics(x, v, vdot, wrenches=wrenches),
        "mass matrix": model.mass_matrix(x),
        "product": model.inverse_mass_product(x, rhs.T, added).T,
    }


def dense_results(model: Multibody, x: np.ndarray, v: np.ndarray, seed: int = 0) -> dict[str, np.ndarray]:
    """The same by dense matrices."""
    rng = np.random.default_rng(seed)
    n, nb = len(x), len(model.bodies)
    tau, vdot, wrenches = rng.normal(size=n), rng.normal(size=n), rng.normal(size=(nb, 6))
    prescribed, added, rhs = rng.random(nb) < 0.5, rng.random(n), rng.normal(size=(3, n))
    M, bias, *_ = own = dense(model, x, v)
    push = own.forces(wrenches)
    given = np.repeat(prescribed, np.diff(model.first))
    hybrid_vdot, free = np.where(given, vdot, 0.0), ~given
    right = tau + push - bias - M @ hybrid_vdot
    hybrid_vdot[free] = np.linalg.solve(M[np.ix_(free, free)], right[free])
    return {
        "forward": np.linalg.solve(M, tau + push - bias),
        "unforced": np.linalg.solve(M, tau - bias),
        "hybrid vdot": hybrid_vdot,
        "hybrid tau": np.where(given, M @ hybrid_vdot + bias - push, tau),
        "inverse": M @ vdot + bias - push,
        "mass matrix": M,
        "product": np.linalg.solve(M + np.diag(added), rhs.T).T,
    }


def compare(model: Multibody, x: np.ndarray, v: np.ndarray, close: float = CLOSE) -> None:
    M = dense(model, x, v).M
    if M.size and np.linalg.cond(M) > 1e14:
        return  # singular but for rounding: see the test of what is refused
    close = max(close, 1e-15 * float(np.linalg.cond(M)) if M.size else 0.0)
    ours, ought = results(model, x, v), dense_results(model, x, v)
    for name, value in ought.items():
        if value.size:
            assert np.abs(ours[name] - value).max() <= close * np.abs(value).max(), name


@pytest.mark.parametrize(
    ("count", "most"),
    [pytest.param(45, 20, id="few"), pytest.param(1000, 60, id="many", marks=pytest.mark.verify)],
)
def test_random_trees(count: int, most: int) -> None:
    for seed in range(count):
        rng = np.random.default_rng(seed)
        model = random_tree(rng, 1 + seed % most, root=Free if seed % 2 else None)
        x, v = wild_state(rng, model) if seed % 3 == 0 else random_state(rng, model)
        compare(model, x, v)


@pytest.mark.parametrize("size", [0.0, 1e-160, 1e-9, 1e-4, 0.5, 1.0 - 1e-9, 1.0, 3.0, math.pi, 6.0])
def test_rotation_vectors_of_all_lengths(size: float) -> None:
    rng = np.random.default_rng(1)
    for joint in (Spherical(), Free(), FreeRotationFirst()):
        bodies = [
            Body("a", -1, joint, random_pose(rng), random_pose(rng), random_inertia(rng)),
            Body("b", "a", joint, random_pose(rng), random_pose(rng), random_inertia(rng)),
        ]
        model = Multibody(bodies)
        for unit in (*np.eye(3), np.array([0.6, -0.48, 0.64])):
            compare(model, np.resize(size * unit, model.nq), rng.normal(size=model.nv))


def test_singular_joints_are_refused() -> None:
    solid = SpatialInertia(1.0, np.array([0.0, 0.5, 0.0]), np.eye(3))
    nothing = SpatialInertia.zero()
    cross = [Body("z", -1, Revolute(), inertia=nothing), Body("y", "z", Revolute((0, 1, 0)), inertia=nothing)]
    gimbal = Multibody([*cross, Body("x", "y", Revolute((1, 0, 0)), inertia=solid)])
    x, nil = np.array([0.3, 0.5 * math.pi, 0.1]), np.zeros(3)
    with pytest.raises(DynamicsError, match='body "z"'):
        gimbal.forward_dynamics(x, nil, nil)
    with pytest.raises(DynamicsError, match='body "z"'):
        gimbal.inverse_mass_product(x, np.ones(3), nil)
    assert careful_recursion.forward(gimbal, x, nil, nil, np.zeros((3, 6)), np.zeros(3)) == 0
    vdot, _ = gimbal.hybrid_dynamics(x, nil, nil, np.ones(3), [0, 1, 2])
    assert np.array_equal(vdot, np.ones(3))
    assert np.isfinite(gimbal.inverse_mass_product(x, np.ones(3), np.ones(3))).all()
    # Ill-conditioned, so that the kernel doubts, but not singular.
    model = Multibody(
        [Body("rod", -1, Revolute(), inertia=SpatialInertia(1.0, np.zeros(3), np.diag([1.0, 1.0, 2e-13])))]
    )
    assert model.forward_dynamics(np.zeros(1), np.zeros(1), np.ones(1))[0] == pytest.approx(5e12)


@pytest.mark.parametrize("seed", range(6))
def test_joints_eliminated_all_at_once_give_the_same(seed: int) -> None:
    rng = np.random.default_rng(seed)
    model = random_tree(rng, 12, root=Free if seed % 2 else None)
    x, v = random_state(rng, model)
    tau, wrenches, vdot = rng.normal(size=model.nv), rng.normal(size=(12, 6)), np.zeros(model.nv)
    assert careful_recursion.forward(model, x, v, tau, wrenches, vdot) == -1
    ought = model.forward_dynamics(x, v, tau, wrenches=wrenches)
    np.testing.assert_allclose(vdot, ought, atol=1e-10 * np.abs(ought).max())
    added, rhs, out = rng.random(model.nv), rng.normal(size=(2, model.nv)), np.zeros((2, model.nv))
    assert careful_recursion.inverse_product(model, x, added, rhs, out) == -1
    np.testing.assert_allclose(out, model.inverse_mass_product(x, rhs.T, added).T, atol=1e-10 * np.abs(out).max())


def test_bodies_that_weigh_nothing_and_bodies_welded_to_others() -> None:
    rng = np.random.default_rng(4)
    nothing = SpatialInertia.zero()
    bodies = [
        Body("post", -1, Fixed(), random_pose(rng), random_pose(rng), random_inertia(rng)),
        Body("a", "post", Universal(), random_pose(rng), random_pose(rng), nothing),
        Body("plate", "a", Fixed(), random_pose(rng), random_pose(rng), random_inertia(rng)),
        Body("b", "a", Revolute((1, 2, 3)), random_pose(rng), random_pose(rng), nothing),
        Body("c", "b", Composite(Prismatic((0, 1, 0)), Spherical(), Fixed(), Prismatic((3, 1, 0))), random_pose(rng)),
        Body("tip", "c", Fixed(), random_pose(rng), random_pose(rng), random_inertia(rng)),
        Body("last", "plate", Revolute((0, -1, 0)), random_pose(rng), random_pose(rng), random_inertia(rng)),
        Body("sign", "post", Fixed(), random_pose(rng), random_pose(rng), random_inertia(rng)),
    ]
    model = Multibody(bodies, gravity=(1.0, -9.0, 2.0))
    for _ in range(5):
        x, v = rng.normal(size=model.nq), rng.normal(size=model.nv)
        # Near a gimbal's lock both lose as many digits as the mass matrix takes.
        compare(model, x, v)
    compare(Multibody(bodies[:1]), np.zeros(0), np.zeros(0))


def test_same_input_same_bits_whatever_came_before() -> None:
    rng = np.random.default_rng(7)
    model = random_tree(rng, 25, root=Free)
    states = [random_state(rng, model) for _ in range(3)]
    first = [results(model, *state) for state in states]
    for k in (2, 0, 1):
        for where in (model, Multibody(model.bodies, model.gravity)):
            for name, value in results(where, *states[k]).items():
                assert value.tobytes() == first[k][name].tobytes(), name


def test_the_text_alone_gives_the_same() -> None:
    rng = np.random.default_rng(3)
    model = random_tree(rng, 8, root=Free)
    x, v = random_state(rng, model)
    ours = results(model, x, v)
    with uncompiled():
        for name, value in results(model, x, v).items():
            assert np.abs(ours[name] - value).max() <= CLOSE * np.abs(value).max(), name


def test_threads_and_copies_share_nothing_but_the_model() -> None:
    rng = np.random.default_rng(11)
    model = random_tree(rng, 8, types=(SplineCurve, SplineSurface, Revolute))
    cases = [(*random_state(rng, model), rng.normal(size=model.nv)) for _ in range(2)]
    expected = [model.forward_dynamics(*case) for case in cases]
    wrong = []

    def ask(k: int) -> None:
        wrong.extend(r for r in range(40) if not np.array_equal(model.forward_dynamics(*cases[k]), expected[k]))

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        threads = [threading.Thread(target=ask, args=(k,)) for k in (0, 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not wrong
    for copied in (copy.deepcopy(model), copy.copy(model), pickle.loads(pickle.dumps(model))):
        assert np.array_equal(copied.forward_dynamics(*cases[1]), expected[1])
    assert np.array_equal(model.forward_dynamics(*cases[0]), expected[0])


def test_models_take_arrays_that_kernels_do_not() -> None:
    rng = np.random.default_rng(10)
    model = random_tree(rng, 6)
    x, v = random_state(rng, model)
    tau, wrenches = rng.normal(size=model.nv), rng.normal(size=(6, 6))
    expected = model.forward_dynamics(x, v, tau, wrenches=wrenches)
    x.setflags(write=False)
    spread, turned = np.repeat(v, 2)[::2], np.asfortranarray(wrenches)
    assert np.array_equal(model.forward_dynamics(x, spread, list(tau), wrenches=turned), expected)
    assert np.array_equal(
        model.inverse_dynamics(x, spread, tau, wrenches=turned), model.inverse_dynamics(x, v, tau, wrenches=wrenches)
    )
    vdot, _ = model.hybrid_dynamics(x, spread, tau, x, [], wrenches=turned)
    assert np.array_equal(vdot, expected)
    added = np.repeat(np.abs(v), 2)[::2]
    assert np.array_equal(model.inverse_mass_product(x, x, added), model.inverse_mass_product(x.copy(), x, np.abs(v)))
    assert np.array_equal(model.mass_matrix(x), model.mass_matrix(x.copy()))


def test_axes_are_turned_to_z_without_rounding_where_they_are_coordinate_axes() -> None:
    rng = np.random.default_rng(9)
    for axis in (*np.eye(3), *-np.eye(3)):
        R = to_z(axis)
        assert set(np.abs(R).ravel()) == {0.0, 1.0} and np.array_equal(R[:, 2], axis) and np.linalg.det(R) == 1.0
    for _ in range(20):
        axis = rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        R = to_z(axis)
        assert np.abs(R.T @ R - np.eye(3)).max() < 1e-15 and np.abs(R[:, 2] - axis).max() < 1e-15
        assert np.linalg.det(R) == pytest.approx(1.0) and np.array_equal(se3.transform(R)[:3, :3], R)
