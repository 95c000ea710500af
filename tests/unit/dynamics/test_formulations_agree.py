"""All formulations of the equations of motion say the same of the joints that they take."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from core.dynamics import Body, Multibody, maximal, redmax
from core.dynamics.formulations import FORMULATIONS
from core.dynamics.motion import motion
from core.errors import DynamicsError
from core.joints import (
    JOINT_TYPES,
    Fixed,
    Free,
    FreeRotationFirst,
    JointModel,
    Revolute,
    Spherical,
    SphericalEuler,
)
from core.spatial import SpatialInertia, se3
from tests.support.formulations import ANY_JOINT
from tests.support.random_trees import JOINTS, random_inertia, random_pose, random_state, random_tree, wild_state

Rng = np.random.Generator

SKELETON = (Fixed, Free, FreeRotationFirst, Revolute, Spherical, SphericalEuler)
"""Joints that every formulation takes."""


def largest(value: np.ndarray) -> float:
    return float(np.abs(value).max(initial=0.0))


def situations(
    count: int, most: int, types: Sequence[type[JointModel]] = tuple(JOINTS)
) -> Iterator[tuple[Rng, Multibody, np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """Random trees of 1 to ``most`` bodies that floated or not, branched or not, with state, torques and wrenches."""
    for seed in range(count):
        rng = np.random.default_rng(1000 + seed)
        model = random_tree(rng, 1 + seed % most, types, root=Free if seed % 2 else None, chain=seed % 5 == 0)
        x, v = wild_state(rng, model)
        yield rng, model, x, v, 3.0 * rng.normal(size=model.nv), 3.0 * rng.normal(size=(len(model.bodies), 6))


@pytest.mark.parametrize(
    ("count", "most"),
    [pytest.param(20, 12, id="few"), pytest.param(1000, 60, id="many", marks=pytest.mark.verify)],
)
def test_accelerations_are_the_same(count: int, most: int) -> None:
    met = set()
    for _, model, x, v, tau, wrenches in situations(count, most):
        met.update(type(body.joint) for body in model.bodies)
        expected = model.forward_dynamics(x, v, tau, wrenches=wrenches)
        scale = largest(expected)
        for name in ANY_JOINT:
            found = model.forward_dynamics(x, v, tau, name, wrenches=wrenches)
            assert largest(found - expected) <= 1e-9 * scale, name
        dense = maximal.joint_accelerations(model, x, v, tau, wrenches, dense=True)
        assert largest(dense.vdot - expected) <= 1e-9 * scale
    assert met == set(JOINT_TYPES)


@pytest.mark.parametrize(
    ("count", "most"),
    [pytest.param(12, 12, id="few"), pytest.param(100, 30, id="many", marks=pytest.mark.verify)],
)
def test_all_are_the_same_where_joints_are_hinges_and_balls(count: int, most: int) -> None:
    met = set()
    for _, model, x, v, tau, wrenches in situations(count, most, SKELETON):
        met.update(type(body.joint) for body in model.bodies)
        found = {name: model.forward_dynamics(x, v, tau, name, wrenches=wrenches) for name in FORMULATIONS}
        expected = found.pop("recursive")
        for name, vdot in found.items():
            assert largest(vdot - expected) <= 1e-9 * largest(expected), name
    assert met == set(SKELETON) and set(found) | {"recursive"} == set(FORMULATIONS)


def test_redmax_jacobian_and_its_rate() -> None:
    h = 1e-6
    for rng, model, *_ in situations(12, 12):
        x, v = random_state(rng, model)  # wild ones stand at the knots of splines, where Sdot has corners
        state = motion(model, x, v)
        J, Jdot = redmax.jacobian(model, state), redmax.jacobian_rate(model, state)
        other = rng.normal(size=model.nv)
        assert largest(J @ other - model.jacobian_product(x, other).ravel()) <= 1e-12 * largest(J)
        rate = model.jacobian_rate_product(x, v, other).ravel()
        assert largest(Jdot @ other - rate) <= 1e-11 * max(largest(Jdot), largest(J))
        after, before = (redmax.jacobian(model, motion(model, x + s * h * v)) for s in (1.0, -1.0))
        assert largest((after - before) / (2 * h) - Jdot) <= 1e-7 * max(largest(Jdot), largest(J))


def test_redmax_reduced_system_is_mass_matrix_and_bias() -> None:
    for _, model, x, v, tau, wrenches in situations(12, 12):
        reduced = redmax.system(model, x, v, tau, wrenches)
        assert largest(reduced.M - model.mass_matrix(x)) <= 1e-12 * largest(reduced.M)
        needed = model.inverse_dynamics(x, v, np.zeros(model.nv), wrenches=wrenches)
        assert largest(tau - needed - reduced.f) <= 1e-11 * max(largest(needed), largest(tau))


@pytest.mark.parametrize("formulation", ANY_JOINT)
def test_hinges_without_mass_between_are_one_joint(formulation: str) -> None:
    rng = np.random.default_rng(5)
    arm, hand = random_inertia(rng), random_inertia(rng)
    X_PJ, X_JB, X_hand = random_pose(rng), random_pose(rng), random_pose(rng)
    tip = Body("hand", "arm", Spherical(), X_hand, inertia=hand)
    whole = Multibody([Body("arm", -1, SphericalEuler("ZXY"), X_PJ, X_JB, arm), tip])
    parts = Multibody(
        [
            Body("first", -1, Revolute((0, 0, 1)), X_PJ),
            Body("second", "first", Revolute((1, 0, 0))),
            Body("arm", "second", Revolute((0, 1, 0)), X_JB=X_JB, inertia=arm),
            tip,
        ]
    )
    x, v = random_state(rng, whole)
    tau = rng.normal(size=6)
    expected = whole.forward_dynamics(x, v, tau, formulation)
    assert largest(parts.forward_dynamics(x, v, tau, formulation) - expected) <= 1e-12 * largest(expected)


@pytest.mark.parametrize("formulation", list(FORMULATIONS))
def test_a_body_that_moves_no_mass_is_named(formulation: str) -> None:
    rng = np.random.default_rng(6)
    ends = [Body("outer", -1, Revolute((0, 0, 1))), Body("inner", 0, Revolute((0, 0, 1)), inertia=random_inertia(rng))]
    with pytest.raises(DynamicsError, match=r'"(outer|inner)"'):
        Multibody(ends).forward_dynamics([0.3, 0.2], [0.1, 0.5], [1.0, 2.0], formulation)
    ball = Multibody([Body("ball", -1, SphericalEuler("XYX"), inertia=random_inertia(rng))])
    with pytest.raises(DynamicsError, match='"ball"'):
        ball.forward_dynamics([0.4, 0.0, 0.2], np.ones(3), np.ones(3), formulation)


def test_fixed_bodies_alone_need_no_coordinates() -> None:
    still = Multibody([Body("post", -1, Fixed(), inertia=SpatialInertia.sphere(1.0, 0.1)), Body("sign", 0, Fixed())])
    for formulation in FORMULATIONS:
        assert still.forward_dynamics([], [], None, formulation).shape == (0,)
        assert still.forward_dynamics([], [], None, formulation, wrenches=np.ones((2, 6))).shape == (0,)


def test_joint_wrenches_take_the_place_of_the_joint() -> None:
    """A joint cut through goes on as before if both sides feel what it passed on."""
    for rng, model, x, v, tau, wrenches in situations(12, 12):
        found = maximal.joint_accelerations(model, x, v, tau, wrenches)
        J, Jdot = (f(model, motion(model, x, v)) for f in (redmax.jacobian, redmax.jacobian_rate))
        assert largest(found.twist_rates.ravel() - J @ found.vdot - Jdot @ v) <= 1e-9 * largest(found.twist_rates)
        cut = int(rng.integers(len(model.bodies)))
        state = motion(model, x, v)
        own = slice(model.first[cut], model.first[cut + 1])
        passed = found.joint_wrenches[cut]
        assert largest(state.S[cut].T @ passed - tau[own]) <= 1e-9 * max(1.0, largest(tau), largest(passed))
        free, outside = cut_through(model, cut), wrenches.copy()
        outside[cut] += se3.adjoint(model.X_JB[cut]).T @ passed
        if (parent := model.parents[cut]) >= 0:
            back = state.Ad[cut].T @ passed
            outside[parent] -= se3.adjoint(model.X_JB[parent]).T @ back
        X = se3.inverse(model.X_PJ[cut]) @ se3.inverse(state.E[cut])
        q = Free().coordinates(X)
        rates = np.linalg.solve(Free().subspace(q), state.S[cut] @ v[own])
        x_cut = np.concatenate([x[: own.start], q, x[own.stop :]])
        v_cut = np.concatenate([v[: own.start], rates, v[own.stop :]])
        tau_cut = np.concatenate([tau[: own.start], np.zeros(6), tau[own.stop :]])
        again = maximal.joint_accelerations(free, x_cut, v_cut, tau_cut, outside)
        assert largest(again.twist_rates - found.twist_rates) <= 1e-9 * largest(found.twist_rates)


def cut_through(model: Multibody, cut: int) -> Multibody:
    bodies = list(model.bodies)
    old = bodies[cut]
    bodies[cut] = Body(old.name, old.parent, Free(), old.X_PJ, old.X_JB, old.inertia)
    return Multibody(bodies, model.gravity)
