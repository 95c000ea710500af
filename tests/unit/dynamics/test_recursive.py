"""The recursive formulation against itself, against dense algebra and against finite differences, on random trees."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from core.dynamics import Body, Multibody
from core.dynamics.motion import motion
from core.errors import DynamicsError
from core.joints import Fixed, Free, Revolute, Spherical
from core.spatial import SpatialInertia, se3
from tests.support.random_trees import random_inertia, random_state, random_tree

Rng = np.random.Generator


def largest(value: np.ndarray) -> float:
    return float(np.abs(value).max(initial=0.0))


def trees(count: int, most: int) -> Iterator[tuple[Rng, Multibody, np.ndarray, np.ndarray]]:
    """Random trees of 1 to ``most`` bodies, every second one floating, each with a state."""
    for seed in range(count):
        rng = np.random.default_rng(seed)
        model = random_tree(rng, 1 + seed % most, root=Free if seed % 2 else None)
        if model.nv:
            yield rng, model, *random_state(rng, model)


def outside(rng: Rng, model: Multibody) -> np.ndarray:
    return rng.normal(size=(len(model.bodies), 6))


def dense_jacobian(model: Multibody, x: np.ndarray) -> np.ndarray:
    """Body twists for each unit velocity, shape (6 nb, nv), all through the world's frame."""
    to_bodies = se3.inverse_adjoint(model.body_poses(x))
    in_world = [X @ S for X, S in zip(se3.adjoint(model.joint_poses(x)), motion(model, x).S, strict=True)]
    J = np.zeros((len(to_bodies), 6, model.nv))
    for i in range(len(J)):
        j = i
        while j >= 0:
            J[i, :, model.first[j] : model.first[j + 1]] = to_bodies[i] @ in_world[j]
            j = model.parents[j]
    return J.reshape(-1, model.nv)


COUNTS = [pytest.param(40, 20, id="few"), pytest.param(1000, 60, id="many", marks=pytest.mark.verify)]


@pytest.mark.parametrize(("count", "most"), COUNTS)
def test_inverse_undoes_forward(count: int, most: int) -> None:
    """Forces come back as they were; accelerations up to the last bits of those that the state alone causes."""
    for rng, model, x, v in trees(count, most):
        wrenches = outside(rng, model)
        tau = rng.normal(size=model.nv)
        vdot = model.forward_dynamics(x, v, tau, wrenches=wrenches)
        error = largest(model.inverse_dynamics(x, v, vdot, wrenches=wrenches) - tau)
        assert error <= 1e-9 * largest(tau)
        vdot = rng.normal(size=model.nv)
        tau = model.inverse_dynamics(x, v, vdot, wrenches=wrenches)
        error = largest(model.forward_dynamics(x, v, tau, wrenches=wrenches) - vdot)
        assert error <= 1e-9 * max(largest(vdot), largest(model.forward_dynamics(x, v, wrenches=wrenches)))


@pytest.mark.verify
@pytest.mark.parametrize(("count", "most"), COUNTS)
def test_hybrid_torques_are_those_of_inverse_dynamics(count: int, most: int) -> None:
    for rng, model, x, v in trees(count, most):
        tau, vdot, wrenches = rng.normal(size=model.nv), rng.normal(size=model.nv), outside(rng, model)
        prescribed = rng.random(len(model.bodies)) < 0.5
        given = np.repeat(prescribed, np.diff(model.first))
        all_vdot, all_tau = model.hybrid_dynamics(x, v, tau, vdot, prescribed, wrenches=wrenches)
        assert np.array_equal(all_vdot[given], vdot[given]) and np.array_equal(all_tau[~given], tau[~given])
        needed = model.inverse_dynamics(x, v, all_vdot, wrenches=wrenches)
        assert largest(needed - all_tau) <= 1e-9 * max(1.0, largest(all_tau))
        assert largest(model.forward_dynamics(x, v, all_tau, wrenches=wrenches) - all_vdot) <= 1e-9 * largest(all_vdot)
        everything = np.ones(len(model.bodies), dtype=bool)
        _, all_tau = model.hybrid_dynamics(x, v, tau, vdot, everything, wrenches=wrenches)
        assert largest(all_tau - model.inverse_dynamics(x, v, vdot, wrenches=wrenches)) <= 1e-9 * largest(all_tau)


@pytest.mark.parametrize(("count", "most"), COUNTS)
def test_mass_matrix_by_three_routes(count: int, most: int) -> None:
    for _, model, x, _ in trees(count, most):
        M = model.mass_matrix(x)
        assert np.array_equal(M, M.T)
        still = np.zeros(model.nv)
        weight = model.bias(x, still)
        columns = np.stack([model.inverse_dynamics(x, still, unit) - weight for unit in np.eye(model.nv)], axis=1)
        assert largest(columns - M) <= 1e-12 * largest(M)
        J = dense_jacobian(model, x).reshape(-1, 6, model.nv)
        bodies = np.stack([body.inertia.matrix() for body in model.bodies])
        assert largest(np.tensordot(J, bodies @ J, axes=((0, 1), (0, 1))) - M) <= 1e-12 * largest(M)


@pytest.mark.verify
def test_products_are_those_of_the_dense_jacobian() -> None:
    h = 1e-6
    for rng, model, x, v in trees(30, 15):
        J = dense_jacobian(model, x)
        u, wrenches = rng.normal(size=model.nv), outside(rng, model)
        assert largest(model.jacobian_product(x, u).ravel() - J @ u) <= 1e-12 * largest(J)
        assert largest(model.body_twists(x, u).ravel() - J @ u) <= 1e-12 * largest(J)
        assert (
            largest(model.jacobian_transpose_product(x, wrenches) - J.T @ wrenches.ravel()) <= 1e-12 * largest(J) * 10
        )
        Jdot = (dense_jacobian(model, x + h * v) - dense_jacobian(model, x - h * v)) / (2 * h)
        noise = 1e-9 * largest(J)  # of a single hinge the Jacobian stays as it is
        assert largest(model.jacobian_rate_product(x, v, u).ravel() - Jdot @ u) <= 1e-7 * largest(Jdot @ u) + noise
        assert largest(model.jacobian_rate_product(x, v).ravel() - Jdot @ v) <= 1e-7 * largest(Jdot @ v) + noise


@pytest.mark.verify
def test_motion_is_the_derivative_of_the_poses() -> None:
    h = 1e-6
    for _, model, x, v in trees(30, 15):
        m = motion(model, x, v)
        assert m.V is not None and m.bias is not None
        after, before = model.joint_poses(x + h * v), model.joint_poses(x - h * v)
        rates = np.linalg.inv(model.joint_poses(x)) @ (after - before) / (2 * h)
        assert largest(se3.unhat(rates) - m.V) <= 1e-7 * largest(m.V)
        # With no acceleration of the coordinates the bias is what a twist's rate has beyond the parent's.
        later, earlier = motion(model, x + h * v, v).V, motion(model, x - h * v, v).V
        assert later is not None and earlier is not None
        twist_rates = (later - earlier) / (2 * h)
        for i, parent in enumerate(model.parents):
            carried = m.Ad[i] @ twist_rates[parent] if parent >= 0 else 0.0
            assert largest(twist_rates[i] - carried - m.bias[i]) <= 1e-7 * largest(twist_rates)


@pytest.mark.verify
def test_inverse_mass_products_solve_with_the_dense_matrix() -> None:
    for rng, model, x, _ in trees(30, 20):
        M = model.mass_matrix(x)
        rhs = rng.normal(size=(model.nv, 3))
        found = model.inverse_mass_product(x, rhs)
        assert found.shape == rhs.shape and largest(M @ found - rhs) <= 1e-10 * largest(found)
        assert model.inverse_mass_product(x, rhs[:, 1]) == pytest.approx(found[:, 1], rel=1e-9)
        added = rng.uniform(0.0, 2.0, size=model.nv)
        parts = rng.normal(size=(len(model.bodies), 6, 6))
        blocks = parts @ parts.transpose(0, 2, 1)
        J = dense_jacobian(model, x).reshape(-1, 6, model.nv)
        whole = M + np.diag(added) + np.tensordot(J, blocks @ J, axes=((0, 1), (0, 1)))
        expected = np.linalg.solve(whole, rhs)
        assert largest(model.inverse_mass_product(x, rhs, added, blocks=blocks) - expected) <= 1e-11 * largest(expected)
        expected = np.linalg.solve(M + np.diag(added), rhs)
        assert largest(model.inverse_mass_product(x, rhs, added) - expected) <= 1e-10 * largest(expected)


@pytest.mark.verify
def test_energy_changes_by_the_power_put_in() -> None:
    h = 1e-6
    for rng, model, x, v in trees(30, 15):
        tau, wrenches = rng.normal(size=model.nv), outside(rng, model)
        vdot = model.forward_dynamics(x, v, tau, wrenches=wrenches)
        states = [(x + s * h * v, v + s * h * vdot) for s in (-1.0, 1.0)]
        before, after = (sum(model.energy(*state)) for state in states)
        power = tau @ v + float(np.sum(wrenches * model.body_twists(x, v)))
        size = max(1.0, abs(power), *map(abs, model.energy(x, v)))
        assert (after - before) / (2 * h) == pytest.approx(power, abs=1e-6 * size)
        assert model.energy(x, v)[0] == pytest.approx(0.5 * v @ model.mass_matrix(x) @ v, rel=1e-12)


def test_momentum_of_a_floating_tree_changes_by_what_acts_from_outside() -> None:
    h = 1e-6
    for seed in range(20):
        rng = np.random.default_rng(seed)
        tree = random_tree(rng, 1 + seed % 12, root=Free)
        # One root only: what holds the others would act from outside too.
        bodies = [
            Body(b.name, max(tree.parents[i], 0 if i else -1), b.joint, b.X_PJ, b.X_JB, b.inertia)
            for i, b in enumerate(tree.bodies)
        ]
        model = Multibody(bodies, tree.gravity)
        x, v = random_state(rng, model)
        tau, wrenches = rng.normal(size=model.nv), outside(rng, model)
        tau[:6] = 0.0
        vdot = model.forward_dynamics(x, v, tau, wrenches=wrenches)
        states = [(x + s * h * v, v + s * h * vdot) for s in (-1.0, 1.0)]
        before, after = (model.momentum(*state) for state in states)
        to_world = se3.inverse_adjoint(model.body_poses(x)).transpose(0, 2, 1)
        weight = model.mass * model.gravity
        acting = np.einsum("bij,bj->i", to_world, wrenches)
        acting += np.concatenate([np.cross(model.center_of_mass(x), weight), weight])
        assert largest((after - before) / (2 * h) - acting) <= 1e-6 * max(largest(acting), largest(before))
        # The centre of mass moves with the momentum.
        moved = model.center_of_mass(x + h * v) - model.center_of_mass(x - h * v)
        assert largest(model.mass * moved / (2 * h) - model.momentum(x, v)[3:]) <= 1e-6 * largest(before)


def test_bodies_without_mass_are_fine_as_long_as_each_joint_moves_some() -> None:
    rng = np.random.default_rng(3)
    nothing = SpatialInertia.zero()
    bodies = [
        Body("base", -1, Fixed(), inertia=nothing),
        Body("a", "base", Revolute((0, 0, 1)), se3.transform(None, (0.3, 0, 0)), inertia=nothing),
        Body("held", "a", Fixed(), inertia=nothing),
        Body("b", "held", Revolute((1, 0, 0)), inertia=nothing),
        Body("c", "b", Revolute((0, 1, 0)), inertia=random_inertia(rng)),
        Body("d", "a", Spherical(), se3.transform(None, (0.3, 0.5, 0)), inertia=random_inertia(rng)),
    ]
    model = Multibody(bodies)
    x, v = random_state(rng, model)
    tau = rng.normal(size=model.nv)
    vdot = model.forward_dynamics(x, v, tau)
    assert model.inverse_dynamics(x, v, vdot) == pytest.approx(tau, abs=1e-11)
    assert vdot == pytest.approx(np.linalg.solve(model.mass_matrix(x), tau - model.bias(x, v)), rel=1e-10)


def test_where_a_joint_moves_nothing_the_body_is_named() -> None:
    hinges = [
        Body(axis, i - 1, Revolute(unit)) for i, (axis, unit) in enumerate(zip("zy", np.eye(3)[[2, 1]], strict=True))
    ]
    solid = SpatialInertia(1.0, np.array([0.0, 0.5, 0.0]), np.eye(3))
    model = Multibody([*hinges, Body("x", "y", Revolute((1, 0, 0)), inertia=solid)])
    locked = [0.3, np.pi / 2, 0.1]
    for call in (
        lambda: model.forward_dynamics(locked, np.zeros(3)),
        lambda: model.inverse_mass_product(locked, np.ones(3)),
    ):
        with pytest.raises(DynamicsError, match='body "z": its joint'):
            call()
    assert np.isfinite(model.inverse_mass_product(locked, np.ones(3), np.full(3, 1e-3))).all()
    near = [0.3, np.pi / 2 - 1e-4, 0.1]  # ill-conditioned, and yet right: the remainder is far above rounding
    vdot = model.forward_dynamics(near, np.zeros(3), np.zeros(3))
    assert largest(model.inverse_dynamics(near, np.zeros(3), vdot)) <= 1e-9
