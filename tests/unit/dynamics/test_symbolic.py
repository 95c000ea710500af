"""Generated recursions: against the kernels, the paper's global matrices, and joints written as expressions."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.codegen import generated, machine
from core.dynamics import Body, Multibody, batch, fastest, joints_kernel, recursive, symbolic
from core.dynamics.motion import motion
from core.dynamics.symbolic import mixed, tree
from core.dynamics.symbolic.tree import SymbolicTree, tree_of
from core.errors import DynamicsError, JointError
from core.joints import (
    Fixed,
    Free,
    JointModel,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    SphericalEuler,
    SplineCurve,
    SurfaceOnSurface,
)  # fmt: skip
from core.joints.geometry import Sphere, Torus
from core.kernels import is_ready
from core.spatial import SpatialInertia, se3, so3
from tests.oracles.global_equations import GlobalEquations
from tests.support import paper_examples
from tests.support.counts import few_of
from tests.support.hinge_rows import HingeRow, as_hinges
from tests.support.random_trees import random_inertia, random_pose, random_state, random_tree

ROOT = Path(__file__).resolve().parents[3]
Array = np.ndarray
Rng = np.random.Generator


def largest(value: Array) -> float:
    return float(np.abs(value).max(initial=0.0))


def chain(n: int, seed: int = 0, gravity: tuple[float, float, float] = (0.0, -9.81, 0.0)) -> Multibody:
    """Hinges about local z with random frames and inertias."""
    rng = np.random.default_rng(seed)
    bodies = [
        Body(f"{i}", i - 1, Revolute(), random_pose(rng, 0.2), random_pose(rng, 0.1), random_inertia(rng))
        for i in range(n)
    ]
    return Multibody(bodies, gravity)


def slanted(n: int, seed: int) -> Multibody:
    """The same with other lengths and inertias for each seed, and axes that are never nearly parallel."""
    rng = np.random.default_rng(seed)
    bodies = []
    for i in range(n):
        X = random_pose(rng, 0.2)
        X[:3, :3] = so3.exp([0.3 + 0.9 * ((0.618 * i) % 1.0), 0.0, 0.0]) @ so3.exp([0.0, 0.0, 1.0 + i])
        bodies.append(Body(f"{i}", i - 1, Revolute(), X, random_pose(rng, 0.1), random_inertia(rng)))
    return Multibody(bodies)


def state(rng: Rng, n: int) -> tuple[Array, Array, Array]:
    return rng.uniform(-3.0, 3.0, n), rng.normal(size=n), rng.normal(size=n)


def generated_forward(model: Multibody, x: Array, v: Array, tau: Array, wrenches: Array | None = None) -> Array:
    """Generated code itself: where it does not know, this fails."""
    out = np.full(model.nv, np.nan)
    assert tree_of(model).forward(x, v, tau, model.calm if wrenches is None else wrenches, out)
    return out


@pytest.fixture
def _forgotten(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No routine has been made yet."""
    monkeypatch.setattr(tree, "_routines", {})
    monkeypatch.setattr(generated, "_noted", {})
    before = dict(generated._functions)
    generated._functions.clear()
    yield
    generated._functions.update(before)


@pytest.mark.parametrize("n", [1, 2, 20, 50, 100])
def test_chains_agree_with_the_kernels(n: int) -> None:
    rng = np.random.default_rng(n)
    model = chain(n, n)
    for _ in range(3):
        x, v, tau = state(rng, n)
        expected = model.forward_dynamics(x, v, tau)
        assert largest(generated_forward(model, x, v, tau) - expected) <= 1e-11 * largest(expected)
        assert largest(mixed.forward_dynamics(model, x, v, tau, model.calm) - expected) <= 1e-10 * largest(expected)
        needed = model.inverse_dynamics(x, v, tau)
        found = symbolic.inverse_dynamics(model, x, v, tau, model.calm)
        assert largest(found - needed) <= 1e-11 * largest(needed)


@pytest.mark.verify
def test_trees_of_all_joints_agree_and_nobody_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in few_of(range(16)):
        rng = np.random.default_rng(seed)
        model = random_tree(rng, 2 + seed, root=Free if seed % 2 else None)
        x, v = random_state(rng, model)
        tau, wrenches = rng.normal(size=model.nv), 3.0 * rng.normal(size=(len(model.bodies), 6))
        expected = model.forward_dynamics(x, v, tau, wrenches=wrenches)
        needed = model.inverse_dynamics(x, v, tau, wrenches=wrenches)
        with monkeypatch.context() as patch:
            patch.setattr(recursive, "forward", None)
            patch.setattr(recursive, "inverse", None)
            for formulation in ("symbolic", "mixed"):
                found = model.forward_dynamics(x, v, tau, formulation, wrenches=wrenches)
                assert largest(found - expected) <= 1e-10 * largest(expected), (seed, formulation)
            found = symbolic.inverse_dynamics(model, x, v, tau, wrenches)
            assert largest(found - needed) <= 1e-10 * largest(needed), seed


@pytest.mark.parametrize("pushed", [False, True])
def test_without_gravity_what_slides_has_no_motion_of_its_own_to_hand_on(pushed: bool) -> None:
    """A body that floats and one hinged limb: the routines of its first slides have nothing to write."""
    rng = np.random.default_rng(6)
    for root in (Free(), Prismatic((0, 0, 1))):
        bodies = [Body("trunk", -1, root, inertia=random_inertia(rng))]
        bodies.append(Body("limb", 0, Revolute(), random_pose(rng, 0.2), random_pose(rng, 0.1), random_inertia(rng)))
        model = Multibody(bodies, (0.0, 0.0, 0.0))
        x, v = random_state(rng, model)
        tau, wrenches = rng.normal(size=model.nv), np.zeros((2, 6))
        if pushed:
            wrenches = rng.normal(size=(2, 6))
        expected = model.forward_dynamics(x, v, tau, wrenches=wrenches)
        assert largest(generated_forward(model, x, v, tau, wrenches) - expected) <= 1e-11 * largest(expected)
        assert largest(mixed.forward_dynamics(model, x, v, tau, wrenches) - expected) <= 1e-10 * largest(expected)
        needed = model.inverse_dynamics(x, v, tau, wrenches=wrenches)
        found = symbolic.inverse_dynamics(model, x, v, tau, wrenches)
        assert largest(found - needed) <= 1e-11 * largest(needed)


@pytest.mark.verify
def test_the_global_matrices_of_the_appendices_say_the_same() -> None:
    for seed in range(8):
        rng = np.random.default_rng(100 + seed)
        model = random_tree(rng, 2 + seed, root=Free if seed % 2 else None)
        x, v = random_state(rng, model)
        tau, wrenches = rng.normal(size=model.nv), rng.normal(size=(len(model.bodies), 6))
        whole = GlobalEquations(model, x, v, wrenches)
        nilpotent, power = np.eye(len(whole.G)), whole.Gamma
        for _ in range(len(model.bodies)):  # (45)
            nilpotent, power = nilpotent + power, power @ whole.Gamma
        assert largest(nilpotent - whole.G) <= 1e-12 * largest(whole.G) and not power.any()
        assert largest(whole.Gamma @ whole.G - whole.G + np.eye(len(whole.G))) <= 1e-12 * largest(whole.G)  # (60)
        for i in range(len(model.bodies)):  # (59)
            for j in range(len(model.bodies)):
                block = whole.G[6 * i : 6 * i + 6, 6 * j : 6 * j + 6]
                assert largest(block - whole.path(i, j)) <= 1e-12 * largest(whole.G)
        assert largest(whole.S @ v + whole.Gamma @ whole.v - whole.v) <= 1e-12 * largest(whole.v)  # (36), (41)
        M = whole.mass_matrix()
        assert largest(M - model.mass_matrix(x)) <= 1e-12 * largest(M)
        bias = whole.coriolis() @ v + whole.potential()
        acceleration = rng.normal(size=model.nv)
        needed = symbolic.inverse_dynamics(model, x, v, acceleration, wrenches)
        assert largest(M @ acceleration + bias - needed) <= 1e-11 * largest(needed)  # (50)
        rates, forces = whole.rates(acceleration), whole.forces(acceleration)
        one_by_one = whole.S @ acceleration + whole.Sdot @ v + whole.Gamma @ rates + whole.ad_S @ whole.Gamma @ whole.v
        assert largest(one_by_one - rates) <= 1e-11 * largest(rates)  # (37), (42)
        h = 1e-6
        ahead, behind = (motion(model, x + d * v, v + d * acceleration).V for d in (h, -h))
        assert largest((ahead - behind).ravel() / (2.0 * h) - rates) <= 1e-6 * largest(rates)
        handed = whole.Gamma.T @ forces + whole.ad_v @ whole.J @ whole.v + whole.J @ rates + whole.f_e
        assert largest(handed - forces) <= 1e-11 * largest(forces)  # (46), (47)
        assert largest(whole.S.T @ forces - needed) <= 1e-11 * largest(needed)  # (48), (49)
        bar, by_steps = whole.accelerations(tau)
        assert largest(bar - tau + bias) <= 1e-11 * largest(bar)
        efforts = np.empty(model.nv)
        assert tree_of(model).efforts(x, v, tau, wrenches, efforts)
        assert largest(efforts - bar) <= 1e-11 * largest(bar)
        inverse = whole.inverse_by_factors()
        assert largest(inverse @ M - np.eye(model.nv)) <= 1e-8
        for formulation in ("symbolic", "mixed"):
            found = model.forward_dynamics(x, v, tau, formulation, wrenches=wrenches)
            assert largest(M @ found - bar) <= 1e-9 * largest(bar)  # (54)
            assert largest(inverse @ bar - found) <= 1e-8 * largest(found)
            assert largest(by_steps - found) <= 1e-8 * largest(found)


def test_the_rate_of_an_adjoint() -> None:
    """Appendix C: ``d/dt Ad(T^-1) = -ad(v) Ad(T^-1)`` for the body's twist v."""
    rng = np.random.default_rng(19)
    T, twist, h = random_pose(rng, 1.0), rng.normal(size=6), 1e-6
    ahead, behind = (se3.adjoint(se3.inverse(T @ se3.exp(d * twist))) for d in (h, -h))
    rate = -se3.ad(twist) @ se3.adjoint(se3.inverse(T))
    assert largest((ahead - behind) / (2.0 * h) - rate) <= 1e-8 * largest(rate)


AXES = ["z", "zy", "zyx", "zyyz", "zyxyz", "zyxzyx"]


def rows(rng: Rng, axes: list[str], written: bool = True) -> Multibody:
    """A tree of rows of hinges."""
    bodies = [
        Body(
            f"{i}", f"{max(0, i - 2)}" if i else -1, HingeRow(own, rng.uniform(0.1, 0.4, len(own)), written),
            random_pose(rng, 0.2), random_pose(rng, 0.2), random_inertia(rng),
        )
        for i, own in enumerate(axes)
    ]  # fmt: skip
    return Multibody(bodies)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("axes", [[each] for each in AXES] + [["zyyz"] * 4, AXES])
def test_joints_written_as_expressions_agree_with_rows_of_hinges(axes: list[str]) -> None:
    rng = np.random.default_rng(3)
    model = rows(rng, axes)
    parts = as_hinges(model)
    unwritten = rows(np.random.default_rng(3), axes, written=False)
    assert len(tree_of(unwritten)._given) == len(axes) and not tree_of(model)._given
    for _ in range(3):
        x, v, tau = 0.3 * rng.normal(size=model.nv), rng.normal(size=model.nv), rng.normal(size=model.nv)
        expected = parts.forward_dynamics(x, v, tau)
        for found in (generated_forward(model, x, v, tau), generated_forward(unwritten, x, v, tau)):
            assert largest(found - expected) <= 1e-9 * largest(expected)
        needed = parts.inverse_dynamics(x, v, tau)
        assert largest(symbolic.inverse_dynamics(model, x, v, tau, model.calm) - needed) <= 1e-11 * largest(needed)


@pytest.mark.verify
def test_the_examples_of_the_paper_agree_with_the_kernels_and_with_hinges() -> None:
    """Table 1: chains of tori move as rows of hinges do; the windmill has all five pairs of surfaces."""
    for example in paper_examples.examples():
        if example.name not in ("TC10", "WM"):
            continue
        model = example.model
        assert model.nv == {"TC10": 38, "WM": 73}[example.name]
        x, v, tau = paper_examples.batches(model, 3)
        vdot = np.array([generated_forward(model, *own) for own in zip(x, v, tau, strict=True)])
        second = mixed.forward_dynamics(model, x[0], v[0], tau[0], model.calm)
        assert largest(second - vdot[0]) <= 1e-9 * largest(vdot[0])
        for k in range(3):
            expected = model.forward_dynamics(x[k], v[k], tau[k])
            assert largest(vdot[k] - expected) <= 1e-10 * largest(expected)
            needed = symbolic.inverse_dynamics(model, x[k], v[k], vdot[k], model.calm)
            assert largest(needed - tau[k]) <= 1e-9 * max(largest(tau), largest(model.bias(x[k], v[k])))
        if example.hinges is not None:
            for k, own in enumerate(zip(*example.states(3), strict=True)):
                expected = example.accelerations(example.hinges.forward_dynamics(*own))
                assert largest(vdot[k] - expected) <= 1e-9 * largest(expected)


def test_joints_without_expressions_are_called_by_generated_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """Splines by their compiled functions, in rows on all processors, too; what only Python evaluates by a callback."""
    rng = np.random.default_rng(18)
    curve = SplineCurve([random_pose(rng, 1.0) for _ in range(6)])
    joints = [curve, Revolute(), Screw((0.0, 0.0, 1.0), 0.1), curve]
    bodies = [Body(f"{i}", i - 1, joint, inertia=random_inertia(rng)) for i, joint in enumerate(joints)]
    model = Multibody(bodies)
    x, v, tau = rng.uniform(0.2, 1.0, (40, 4)), *rng.normal(size=(2, 40, 4))
    expected = model.forward_dynamics(x, v, tau)
    with monkeypatch.context() as patch:
        for name in ("transform", "subspace", "subspace_rate"):
            patch.setattr(SplineCurve, name, None)
        alone = np.array([model.forward_dynamics(*own, "symbolic") for own in zip(x, v, tau, strict=True)])
        assert symbolic.quick(model, x[0], v[0], tau[0]) is not None
    if is_ready(joints_kernel):
        monkeypatch.setattr(batch, "one_by_one", None)
    assert model.forward_dynamics(x, v, tau, "symbolic").tobytes() == alone.tobytes()
    assert largest(alone - expected) <= 1e-10 * largest(expected)
    monkeypatch.undo()
    found = symbolic.inverse_dynamics(model, x[0], v[0], tau[0], model.calm)
    assert largest(found - model.inverse_dynamics(x[0], v[0], tau[0])) <= 1e-10 * largest(found)
    again = pickle.loads(pickle.dumps(model))  # without addresses of this process
    assert again.packed.generated is None and not again.packed.spare
    assert again.forward_dynamics(x, v, tau, "symbolic").tobytes() == alone.tobytes()

    mixture = Multibody(
        [*bodies, Body("row", "3", HingeRow("zy", (0.3, 0.2), written=False), inertia=random_inertia(rng))]
    )
    x, v, tau = rng.uniform(0.2, 1.0, (5, 6)), *rng.normal(size=(2, 5, 6))
    alone = np.array([mixture.forward_dynamics(*own, "symbolic") for own in zip(x, v, tau, strict=True)])
    assert largest(alone - mixture.forward_dynamics(x, v, tau)) <= 1e-9 * largest(alone)
    assert mixture.forward_dynamics(x, v, tau, "symbolic").tobytes() == alone.tobytes()

    def broken(self: HingeRow, q: Array) -> Array:
        raise JointError("out of reach")

    monkeypatch.setattr(HingeRow, "subspace", broken)
    with pytest.raises(JointError, match="out of reach"):
        mixture.forward_dynamics(x[0], v[0], tau[0], "symbolic")
    monkeypatch.undo()
    assert mixture.forward_dynamics(x[0], v[0], tau[0], "symbolic").tobytes() == alone[0].tobytes()


@pytest.mark.usefixtures("_forgotten")
def test_masses_and_lengths_recompile_nothing() -> None:
    rng = np.random.default_rng(8)
    x, v, tau = state(rng, 12)
    model = slanted(12, 1)
    generated_forward(model, x, v, tau)
    made = set(tree._routines)
    for other in (slanted(12, 2), slanted(12, 3)):
        expected = other.forward_dynamics(x, v, tau)
        assert largest(generated_forward(other, x, v, tau) - expected) <= 1e-11 * largest(expected)
    assert set(tree._routines) == made
    # The numbers that an expression joint goes by are among them.
    first, second = rows(rng, ["zyyz"] * 2), rows(rng, ["zyyz"] * 2)
    generated_forward(first, *state(rng, 8))
    made = set(tree._routines)
    x, v, tau = state(rng, 8)
    expected = as_hinges(second).forward_dynamics(x, v, tau)
    assert largest(generated_forward(second, x, v, tau) - expected) <= 1e-9 * largest(expected)
    assert set(tree._routines) == made
    # So are the radii of surfaces.
    x, v, tau = 0.3 * rng.normal(size=(3, 4))
    for radii in ((0.2, 0.3, 0.1), (0.25, 0.4, 0.15)):
        joint = SurfaceOnSurface(Sphere(radii[0]), Torus(*radii[1:]))
        other = Multibody([Body("touching", -1, joint, inertia=random_inertia(rng))])
        expected = other.forward_dynamics(x, v, tau)
        assert largest(generated_forward(other, x, v, tau) - expected) <= 1e-11 * largest(expected)
        if radii[0] == 0.2:
            made = set(tree._routines)
    assert set(tree._routines) == made


@pytest.mark.verify
@pytest.mark.usefixtures("_forgotten")
def test_a_longer_chain_needs_no_more_routines() -> None:
    tree_of(slanted(40, 1)).sweep("outward", "inward", "onward")
    made = set(tree._routines)
    assert len(made) < 20
    SymbolicTree(slanted(400, 2)).sweep("outward", "inward", "onward")
    assert set(tree._routines) == made


@pytest.mark.usefixtures("_forgotten")
def test_what_is_zero_is_left_out() -> None:
    """A flat chain of rods, hinges about z, takes much less than one with frames anywhere."""

    def operations(model: Multibody) -> int:
        own = tree_of(model)
        return sum(len(row[0].places) for row in own.sweep("outward", "inward", "onward")._rows)

    rod = SpatialInertia.box(1.0, (1.0, 0.1, 0.1)).moved(np.eye(3), np.array([0.5, 0.0, 0.0]))
    step = np.eye(4)
    step[0, 3] = 1.0
    flat = Multibody([Body(f"{i}", i - 1, Revolute(), step if i else np.eye(4), inertia=rod) for i in range(10)])
    assert operations(flat) < 0.5 * operations(chain(10))
    rng = np.random.default_rng(4)
    x, v, tau = state(rng, 10)
    expected = flat.forward_dynamics(x, v, tau)
    assert largest(generated_forward(flat, x, v, tau) - expected) <= 1e-11 * largest(expected)


@pytest.mark.verify
def test_axes_that_are_parallel_or_nearly_so() -> None:
    """Common normals whose feet lie far away are not used."""
    rng = np.random.default_rng(5)
    for tilt in (0.0, 1e-15, 1e-13, 1e-9, 1e-4, 0.05, 0.11, np.pi - 1e-9, np.pi, 0.5 * np.pi):
        bodies = []
        for i in range(8):
            c, s = np.cos(tilt), np.sin(tilt)
            X = random_pose(rng, 0.3)
            X[:3, :3] = np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
            joint: JointModel = Prismatic((0.0, 0.0, 1.0)) if i == 3 else Revolute()
            bodies.append(Body(f"{i}", i - 1 if i < 6 else 2, joint, X, random_pose(rng, 0.1), random_inertia(rng)))
        model = Multibody(bodies)
        x, v, tau = state(rng, 8)
        expected = model.forward_dynamics(x, v, tau)
        assert largest(generated_forward(model, x, v, tau) - expected) <= 1e-10 * largest(expected), tilt


@pytest.mark.usefixtures("_forgotten")
def test_without_llvm_numpy_runs_the_same_recursions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "_made", lambda: None)
    rng = np.random.default_rng(6)
    model = random_tree(rng, 7, root=Free)
    x, v = random_state(rng, model)
    tau, wrenches = rng.normal(size=model.nv), rng.normal(size=(len(model.bodies), 6))
    expected = model.forward_dynamics(x, v, tau, wrenches=wrenches)
    own, out = SymbolicTree(model), np.empty(model.nv)
    assert own.forward(x, v, tau, wrenches, out)
    assert largest(out - expected) <= 1e-10 * largest(expected)


def test_what_moves_no_inertia_is_named_and_what_is_not_finite_stays_so() -> None:
    rng = np.random.default_rng(7)
    ball = Multibody([Body("ball", -1, SphericalEuler("XYX"), inertia=random_inertia(rng))])
    out = np.empty(3)
    assert not tree_of(ball).forward(np.array([0.4, 0.0, 0.2]), np.ones(3), np.ones(3), ball.calm, out)
    for formulation in ("symbolic", "mixed", "fastest"):
        with pytest.raises(DynamicsError, match='"ball"'):
            ball.forward_dynamics([0.4, 0.0, 0.2], np.ones(3), np.ones(3), formulation)


def test_charts_change_at_singular_parametrisations() -> None:
    """A body that tumbles through gimbal lock and past a whole turn; energy is kept."""
    rng = np.random.default_rng(9)
    for joint, speed in ((SphericalEuler("ZXY"), 4.0), (Spherical(), 9.0)):
        arm = SpatialInertia.sphere(6.0, 0.3)
        small = replace(random_inertia(rng), center=np.array([0.05, 0.0, 0.02]))
        model = Multibody([Body("a", -1, joint, inertia=arm), Body("b", 0, Revolute(), inertia=small)])
        x, v = np.array([0.1, 0.2, 0.3, 0.4]), np.array([0.3, speed, 0.2, 0.5])
        before, changes, h = sum(model.energy(x, v)), 0, 1e-3
        for _ in range(1500):
            own = model
            k1 = own.forward_dynamics(x, v, None, "symbolic")
            k2 = own.forward_dynamics(x + 0.5 * h * v, v + 0.5 * h * k1, None, "symbolic")
            k3 = own.forward_dynamics(x + 0.5 * h * (v + 0.5 * h * k1), v + 0.5 * h * k2, None, "symbolic")
            k4 = own.forward_dynamics(x + h * (v + 0.5 * h * k2), v + h * k3, None, "symbolic")
            x, v = x + h * (v + h / 6.0 * (k1 + k2 + k3)), v + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
            model, x_new, v_new = model.rechart(x, v)
            changes += x_new is not x
            x, v = x_new, v_new
        assert changes > 0
        assert abs(sum(model.energy(x, v)) - before) <= 1e-6 * abs(before) + 1e-6


def test_the_fastest_is_measured_and_says_the_same() -> None:
    rng = np.random.default_rng(10)
    model = chain(30, 4)
    x, v, tau = state(rng, 30)
    expected = model.forward_dynamics(x, v, tau)
    assert fastest.choice(model) is None
    end = time.monotonic() + 300.0  # code of other tests may be optimized first
    while fastest.choice(model) is None and time.monotonic() < end:
        found = model.forward_dynamics(x, v, tau, "fastest")
        assert largest(found - expected) <= 1e-11 * largest(expected)
        time.sleep(0.02)
    assert fastest.choice(model) in ("symbolic", "recursive")
    assert largest(model.forward_dynamics(x, v, tau, "fastest") - expected) <= 1e-11 * largest(expected)


def test_kernels_serve_while_code_is_generated(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first call of ``fastest`` waits for nothing; afterwards the call costs what the chosen formulation costs."""
    rng = np.random.default_rng(16)
    model = chain(15, 8)
    x, v, tau = state(rng, 15)
    expected = model.forward_dynamics(x, v, tau)
    go_on, at_work = threading.Event(), threading.Event()
    prepare = symbolic.prepare

    def slow(own: Multibody) -> None:
        at_work.set()
        assert go_on.wait(60.0)
        prepare(own)

    monkeypatch.setattr(symbolic, "prepare", slow)
    for _ in range(3):
        assert np.array_equal(model.forward_dynamics(x, v, tau, "fastest"), expected)
        assert np.array_equal(model.forward_dynamics(x[None], v, tau, "fastest"), expected[None])
    assert at_work.wait(60.0) and fastest.choice(model) is None and fastest.quick(model, x, v, tau) is None
    go_on.set()
    end = time.monotonic() + 60.0
    while fastest.choice(model) is None and time.monotonic() < end:
        model.forward_dynamics(x, v, tau, "fastest")
        time.sleep(0.02)
    for generated_one, formulation in ((True, "symbolic"), (False, "recursive")):
        model.packed.choice.generated = generated_one
        wanted = model.forward_dynamics(x, v, tau, formulation)
        assert fastest.choice(model) == formulation
        assert np.array_equal(fastest.quick(model, x, v, tau), wanted)
        assert np.array_equal(model.forward_dynamics(x, v, tau, "fastest"), wanted)
        assert np.array_equal(model.forward_dynamics(x[None], v, tau, "fastest"), wanted[None])
        assert fastest.quick(model, x.tolist(), v, tau) is None
        assert np.array_equal(model.forward_dynamics(x.tolist(), v, tau, "fastest"), wanted)


@pytest.mark.verify
def test_energy_is_kept() -> None:
    """Ten seconds of RK4 at 1 ms, nothing that brakes: drift of at most a millionth of what moves."""
    rod, step = SpatialInertia.box(1.0, (1.0, 0.1, 0.1), (0.5, 0.0, 0.0)), np.eye(4)
    step[0, 3] = 1.0
    axes = [(0.0, 0.0, 1.0), (0.0, 1.0, 0.0)]
    arm = [Body(f"{i}", i - 1, Revolute(axes[i % 2]), step if i else np.eye(4), inertia=rod) for i in range(4)]
    flying = [
        Body("base", -1, Free(), inertia=SpatialInertia.box(3.0, (0.4, 0.3, 0.2))),
        Body("wing", 0, Spherical(), step, inertia=rod),
        Body("tip", 1, Revolute(), step, inertia=rod),
    ]
    links = paper_examples.tori(2).bodies
    h = 1e-3
    for bodies, size in ((arm, 0.3), (flying, 0.3), (links, 0.1)):
        model, rng = Multibody(bodies), np.random.default_rng(17)
        x, v = size * rng.normal(size=(2, model.nv))  # links that whirl around each other take shorter steps
        before, moving, drift = sum(model.energy(x, v)), 0.0, 0.0
        for k in range(10_000):
            k1 = model.forward_dynamics(x, v, None, "symbolic")
            v2 = v + 0.5 * h * k1
            k2 = model.forward_dynamics(x + 0.5 * h * v, v2, None, "symbolic")
            v3 = v + 0.5 * h * k2
            k3 = model.forward_dynamics(x + 0.5 * h * v2, v3, None, "symbolic")
            v4 = v + h * k3
            k4 = model.forward_dynamics(x + h * v3, v4, None, "symbolic")
            x, v = x + h / 6.0 * (v + 2.0 * (v2 + v3) + v4), v + h / 6.0 * (k1 + 2.0 * (k2 + k3) + k4)
            if k % 20 == 19:
                model, x, v = model.rechart(x, v)
                kinetic, potential = model.energy(x, v)
                moving, drift = max(moving, kinetic), max(drift, abs(kinetic + potential - before))
        assert drift <= 1e-6 * moving, (len(bodies), drift, moving)


def test_many_states_at_once_have_the_same_bits() -> None:
    rng = np.random.default_rng(11)
    model = chain(9, 5)
    sweep = tree_of(model).sweep("outward", "inward", "onward")
    x, v, tau = (rng.normal(size=(25, 9)) for _ in range(3))
    x[3, 2] = 1e7  # the library's sine
    out = np.empty((25, 9))
    assert sweep.run(x, v, tau, out) == -1
    for k in range(25):
        assert np.array_equal(generated_forward(model, x[k], v[k], tau[k]), out[k])
    x[17, 4] = np.nan
    x[19, 4] = np.inf
    assert sweep.run(x, v, tau, out) == 17


def test_threads_share_a_model() -> None:
    rng = np.random.default_rng(12)
    model = random_tree(rng, 8)
    states = [(*random_state(rng, model), rng.normal(size=model.nv)) for _ in range(6)]
    wrenches = [None, rng.normal(size=(len(model.bodies), 6))]
    expected = [[model.forward_dynamics(*own, "mixed", wrenches=w) for w in wrenches] for own in states]
    wrong: list[int] = []

    def work(seed: int) -> None:
        own = np.random.default_rng(seed)
        for _ in range(150):
            k, j = int(own.integers(len(states))), int(own.integers(2))
            for formulation in ("symbolic", "mixed"):
                found = model.forward_dynamics(*states[k], formulation, wrenches=wrenches[j])
                if not largest(found - expected[k][j]) <= 1e-9 * largest(expected[k][j]):
                    wrong.append(k)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    assert not wrong


def test_nothing_moves_and_nothing_is_needed() -> None:
    still = Multibody([Body("post", -1, Fixed(), inertia=SpatialInertia.sphere(1.0, 0.1))])
    for formulation in ("symbolic", "mixed"):
        assert still.forward_dynamics([], [], None, formulation).shape == (0,)
    assert symbolic.inverse_dynamics(still, *[np.zeros(0)] * 3, still.calm).shape == (0,)


@pytest.mark.verify
def test_code_of_the_same_topology_is_read_from_the_disk(tmp_path: Path) -> None:
    code = (
        "import sys, time, numpy as np\n"
        "from core.codegen import generated\n"
        "from core.dynamics.symbolic import recursions, tree\n"
        "from tests.unit.dynamics.test_symbolic import generated_forward, slanted, state\n"
        "kept = recursions.made\n"
        "if sys.argv[1] == 'warm': recursions.made = None\n"
        "model = slanted(6, int(sys.argv[2]))\n"
        "print(generated_forward(model, *state(np.random.default_rng(1), 6)).tobytes().hex(), len(tree._routines))\n"
        "while generated._worker is not None: time.sleep(0.02)\n"
    )

    def run(manner: str, seed: int) -> list[str]:
        done = subprocess.run(
            [sys.executable, "-c", code, manner, str(seed)], cwd=ROOT, capture_output=True, text=True, timeout=120,
            env={**os.environ, "SEQUENCE_EDITOR_CACHE": str(tmp_path)},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    first, made = run("cold", 1)
    assert int(made) > 0
    assert run("warm", 1) == [first, "0"]
    # Other masses and lengths need no other code.
    bits, none = run("warm", 2)
    expected = slanted(6, 2).forward_dynamics(*state(np.random.default_rng(1), 6))
    assert none == "0" and largest(np.frombuffer(bytes.fromhex(bits)) - expected) <= 1e-11 * largest(expected)
    for path in (tmp_path / "generated").iterdir():
        path.write_bytes(path.read_bytes()[:-40])
    assert run("cold", 1) == [first, made]
    assert run("warm", 1) == [first, "0"]


def test_the_public_call_is_quick_and_looks_closer_where_it_must() -> None:
    rng = np.random.default_rng(14)
    model = chain(5, 6)
    x, v, tau = state(rng, 5)
    model.forward_dynamics(x, v, tau, "symbolic")
    expected = generated_forward(model, x, v, tau)
    assert symbolic.quick(model, x, v, tau) is not None
    assert np.array_equal(model.forward_dynamics(x, v, tau, "symbolic"), expected)
    for kind in (list, lambda a: np.stack([a, a], axis=1)[:, 0], lambda a: a.astype(">f8")):
        assert symbolic.quick(model, kind(x), v, tau) is None
        assert np.array_equal(model.forward_dynamics(kind(x), v, tau, "symbolic"), expected)
    frozen = x.copy()
    frozen.setflags(write=False)
    assert np.array_equal(model.forward_dynamics(frozen, v, tau, "symbolic"), expected)
    for wrong in (np.zeros(4), np.zeros((5, 1)), np.full(5, np.nan), np.full(5, np.inf), "text"):
        for k in range(3):
            given = [x, v, tau]
            given[k] = wrong  # type: ignore[call-overload]
            with pytest.raises(DynamicsError):
                model.forward_dynamics(*given, "symbolic")
    # The rate of a single hinge has no part in its acceleration.
    single = chain(1, 7)
    single.forward_dynamics([0.3], [0.2], [0.1], "symbolic")
    with pytest.raises(DynamicsError, match="v"):
        single.forward_dynamics(np.array([0.3]), np.array([np.inf]), np.array([0.1]), "symbolic")


def test_a_joint_without_twelve_expressions_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    model = rows(np.random.default_rng(15), ["zy"])
    monkeypatch.setattr(HingeRow, "expressions", lambda self, q, constants: list(q))
    with pytest.raises(DynamicsError, match='"hinge row" gives 2 expressions'):
        model.forward_dynamics(np.zeros(2), np.zeros(2), None, "symbolic")
