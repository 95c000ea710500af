"""The compiled recursion against its plain twin, function by function."""

from __future__ import annotations

import copy
import math
import pickle
import sys
import threading
from types import ModuleType

import numpy as np
import pytest

from core.dynamics import Body, Multibody, recursive_plain
from core.dynamics.packed import Packed, to_z
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
from core.kernels import load
from core.spatial import SpatialInertia, se3
from tests.support.random_trees import random_inertia, random_pose, random_state, random_tree, wild_state

Rng = np.random.Generator
CLOSE = 1e-10


@pytest.fixture(scope="module")
def fast() -> ModuleType:
    module: ModuleType = load("core.dynamics.recursive")
    return module


def results(kernels: ModuleType, packed: Packed, x: np.ndarray, v: np.ndarray, seed: int = 0) -> dict[str, np.ndarray]:
    """What all functions make of a state, with random forces, by name."""
    rng = np.random.default_rng(seed)
    n, nb = len(x), len(packed.model.bodies)
    tau, vdot, wrenches = rng.normal(size=n), rng.normal(size=n), rng.normal(size=(nb, 6))
    prescribed, added, rhs = rng.random(nb) < 0.5, rng.random(n), rng.normal(size=(3, n))
    out = {name: np.full(n, np.nan) for name in ("forward", "hybrid vdot", "hybrid tau", "inverse", "unforced")}
    out |= {"mass matrix": np.full((n, n), np.nan), "product": np.full((3, n), np.nan)}
    status = [
        kernels.forward(packed, x, v, tau, wrenches, out["forward"]),
        kernels.forward(packed, x, v, tau, np.zeros((nb, 6)), out["unforced"]),
        kernels.hybrid(packed, x, v, tau, vdot, prescribed, wrenches, out["hybrid vdot"], out["hybrid tau"]),
        kernels.inverse_product(packed, x, added, rhs, out["product"]),
    ]
    kernels.inverse(packed, x, v, vdot, wrenches, out["inverse"])
    kernels.mass_matrix(packed, x, out["mass matrix"])
    return out | {"status": np.array(status)}


def compare(fast: ModuleType, model: Multibody, x: np.ndarray, v: np.ndarray, close: float = CLOSE) -> None:
    packed = Packed(model)
    ours, twins = results(fast, packed, x, v), results(recursive_plain, packed, x, v)
    assert ours["status"].tolist() == twins["status"].tolist()
    if ours["status"].max() >= 0:
        return
    for name, value in twins.items():
        if value.size:
            assert np.abs(ours[name] - value).max() <= close * np.abs(value).max(), name


@pytest.mark.parametrize(
    ("count", "most"),
    [pytest.param(45, 20, id="few"), pytest.param(1000, 60, id="many", marks=pytest.mark.verify)],
)
def test_random_trees(fast: ModuleType, count: int, most: int) -> None:
    for seed in range(count):
        rng = np.random.default_rng(seed)
        model = random_tree(rng, 1 + seed % most, root=Free if seed % 2 else None)
        x, v = wild_state(rng, model) if seed % 3 == 0 else random_state(rng, model)
        compare(fast, model, x, v)


@pytest.mark.parametrize("size", [0.0, 1e-160, 1e-9, 1e-4, 0.5, 1.0 - 1e-9, 1.0, 3.0, math.pi, 6.0])
def test_rotation_vectors_of_all_lengths(fast: ModuleType, size: float) -> None:
    rng = np.random.default_rng(1)
    for joint in (Spherical(), Free(), FreeRotationFirst()):
        bodies = [
            Body("a", -1, joint, random_pose(rng), random_pose(rng), random_inertia(rng)),
            Body("b", "a", joint, random_pose(rng), random_pose(rng), random_inertia(rng)),
        ]
        model = Multibody(bodies)
        for unit in (*np.eye(3), np.array([0.6, -0.48, 0.64])):
            compare(fast, model, np.resize(size * unit, model.nq), rng.normal(size=model.nv))


def test_singular_joints_are_found_as_the_twin_finds_them(fast: ModuleType) -> None:
    solid = SpatialInertia(1.0, np.array([0.0, 0.5, 0.0]), np.eye(3))
    nothing = SpatialInertia.zero()
    cross = [Body("z", -1, Revolute(), inertia=nothing), Body("y", "z", Revolute((0, 1, 0)), inertia=nothing)]
    gimbal = Multibody([*cross, Body("x", "y", Revolute((1, 0, 0)), inertia=solid)])
    packed, x, nil, out = Packed(gimbal), np.array([0.3, 0.5 * math.pi, 0.1]), np.zeros(3), np.zeros(3)
    for kernels in (fast, recursive_plain):
        assert kernels.forward(packed, x, nil, nil, np.zeros((3, 6)), out) == 0
        assert kernels.inverse_product(packed, x, nil, np.ones((1, 3)), np.zeros((1, 3))) == 0
        told = np.ones(3, dtype=bool)
        assert kernels.hybrid(packed, x, nil, nil, np.ones(3), told, np.zeros((3, 6)), out, np.zeros(3)) == -1
        assert kernels.inverse_product(packed, x, np.ones(3), np.ones((1, 3)), np.zeros((1, 3))) == -1
    # Ill-conditioned, so that the kernel doubts, but not singular: the twin's answer comes back.
    model = Multibody(
        [Body("rod", -1, Revolute(), inertia=SpatialInertia(1.0, np.zeros(3), np.diag([1.0, 1.0, 2e-13])))]
    )
    out = np.zeros(1)
    assert fast.forward(Packed(model), np.zeros(1), np.zeros(1), np.ones(1), np.zeros((1, 6)), out) == -1
    assert out[0] == pytest.approx(5e12)


def test_bodies_that_weigh_nothing_and_bodies_welded_to_others(fast: ModuleType) -> None:
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
        compare(fast, model, x, v, max(CLOSE, 1e-15 * float(np.linalg.cond(model.mass_matrix(x)))))
    compare(fast, Multibody(bodies[:1]), np.zeros(0), np.zeros(0))


def test_same_input_same_bits_whatever_came_before(fast: ModuleType) -> None:
    rng = np.random.default_rng(7)
    model = random_tree(rng, 25, root=Free)
    packed = Packed(model)
    states = [random_state(rng, model) for _ in range(3)]
    first = [results(fast, packed, *state) for state in states]
    for k in (2, 0, 1):
        for where in (packed, Packed(model)):
            for name, value in results(fast, where, *states[k]).items():
                assert value.tobytes() == first[k][name].tobytes(), name


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


def test_outputs_may_be_the_inputs(fast: ModuleType) -> None:
    rng = np.random.default_rng(8)
    model = random_tree(rng, 12)
    packed, (x, v) = Packed(model), random_state(rng, model)
    tau, vdot, wrenches = rng.normal(size=model.nv), rng.normal(size=model.nv), rng.normal(size=(12, 6))
    prescribed = rng.random(12) < 0.5
    vdot_out, tau_out = np.empty(model.nv), np.empty(model.nv)
    fast.hybrid(packed, x, v, tau, vdot, prescribed, wrenches, vdot_out, tau_out)
    fast.hybrid(packed, x, v, tau, vdot, prescribed, wrenches, vdot, tau)
    assert np.array_equal(vdot, vdot_out) and np.array_equal(tau, tau_out)


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
