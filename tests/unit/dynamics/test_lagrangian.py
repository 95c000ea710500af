"""Lagrange's equations of a tree, equation by equation of Liu & Jain, and against the other formulations."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest

from core.dynamics import Body, Multibody, lagrangian
from core.dynamics.lagrangian.jacobians import velocity_accelerations
from core.dynamics.lagrangian.local_jacobians import (
    exponential_jacobian,
    exponential_rotation,
    joint_frame,
    joint_rates,
    skew,
)
from core.joints import (
    JOINT_TYPES,
    Free,
    Free2D,
    FreeRotationFirst,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    SphericalEuler,
    Translational,
    Universal,
)
from core.spatial import SpatialInertia, so3
from tests.support.counts import examples
from tests.support.random_trees import JOINTS, random_pose, random_state, random_tree, wild_state

Array = np.ndarray
H = 1e-30

PRINTED = (
    Revolute,
    Universal,
    SphericalEuler,
    Spherical,
    Prismatic,
    Planar,
    Translational,
    Free2D,
    Free,
    FreeRotationFirst,
)
"""Joints that the paper's expressions alone make: hinges, Euler angles, rotation vectors and translations."""


def largest(value: Array) -> float:
    return float(np.abs(value).max(initial=0.0))


def stepped(x: Array, direction: Array) -> Array:
    return x + 1j * H * direction


def slope(value: Array) -> Array:
    return value.imag / H


def trees(count: int, types: tuple = tuple(JOINTS), most: int = 10) -> Iterator[tuple[Multibody, Array, Array]]:
    for seed in range(count):
        rng = np.random.default_rng(2200 + seed)
        model = random_tree(rng, 1 + seed % most, types, root=Free if seed % 2 else None, chain=seed % 3 == 0)
        yield model, *random_state(rng, model)


# -- one joint -------------------------------------------------------------------------------------------------------


def test_euler_angles_have_the_printed_jacobian() -> None:
    q = np.array([0.4, -0.9, 1.3])
    found = joint_frame(SphericalEuler("XYZ"), q).angular
    R_x, R_y = so3.axis_rotation("x", q[0]), so3.axis_rotation("y", q[1])
    printed = np.stack([[1.0, 0.0, 0.0], R_x @ [0.0, 1.0, 0.0], R_x @ R_y @ [0.0, 0.0, 1.0]], axis=1)
    assert largest(found - printed) <= 1e-15


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-3, 0.3, 1.99, 2.01, 3.1, 5.0])
def test_rotation_vectors_have_the_printed_rotation_and_jacobian(angle: float) -> None:
    axis = np.array([2.0, -3.0, 6.0]) / 7.0
    q = angle * axis
    R, J, W = exponential_rotation(q), exponential_jacobian(q), skew(q)
    if angle >= 0.3:
        s, c, t = math.sin(angle), math.cos(angle), angle
        assert largest(R - (np.eye(3) + s / t * W + (1 - c) / t**2 * W @ W)) <= 1e-14  # 53
        left = R @ (np.eye(3) - (1 - c) / t**2 * W + (t - s) / t**3 * W @ W)  # 54
        assert largest(J - left) <= 1e-14
        assert largest(J - (np.eye(3) + (1 - c) / t**2 * W + (t - s) / t**3 * W @ W)) <= 1e-14
    else:
        assert largest(R - (np.eye(3) + W + W @ W / 2)) <= angle**3 + 1e-15  # 55
        assert largest(J - (np.eye(3) + W / 2 + W @ W / 6)) <= angle**3 + 1e-15  # 56
    for j, unit in enumerate(np.eye(3)):  # [j_j] = dR/dq_j R^T, 29
        assert largest(slope(exponential_rotation(stepped(q, unit))) @ R.T - skew(J[:, j])) <= 1e-14


@pytest.mark.sampled(8)
@pytest.mark.parametrize("kind", JOINT_TYPES)
def test_every_joint_has_the_jacobians_of_its_subspace(kind: type) -> None:
    rng = np.random.default_rng(7)
    for _ in range(5):
        joint = JOINTS[kind](rng)
        q, v = random_state(rng, Multibody([Body("b", -1, joint, inertia=SpatialInertia.sphere(1.0, 0.3))]))
        frame, rates = joint_frame(joint, q), joint_rates(joint, q, v)
        X, S, Sdot = joint.transform(q), joint.subspace(q), joint.subspace_rate(q, v)
        R = X[:3, :3]
        size = 1.0 + largest(S)
        assert largest(frame.rotation - R) <= 1e-14 and largest(frame.origin - X[:3, 3]) <= 1e-13
        assert largest(frame.angular - R @ S[:3]) <= 1e-13 * size and largest(frame.linear - R @ S[3:]) <= 1e-13 * size
        turning = R @ skew(S[:3] @ v)
        size *= 1.0 + largest(Sdot) + largest(S @ v)
        assert largest(rates.angular - R @ Sdot[:3] - turning @ S[:3]) <= 1e-12 * size
        assert largest(rates.linear - R @ Sdot[3:] - turning @ S[3:]) <= 1e-12 * size


# -- the tree --------------------------------------------------------------------------------------------------------


def test_jacobians_are_the_slopes_of_places_and_rotations() -> None:
    """Eqs. 29 and 57, by complex steps of places and rotations alone; eq. 51 unrolled; columns of others are zero."""
    for model, x, _ in trees(examples(20), PRINTED):
        at = lagrangian.links(model, x)
        J = lagrangian.jacobians(at)
        for j, unit in enumerate(np.eye(model.nv)):
            moved = lagrangian.links(model, stepped(x, unit))
            assert largest(slope(moved.centers) - J.linear[:, :, j]) <= 1e-13 * (1.0 + largest(J.linear))
            turned = slope(moved.rotations) @ np.swapaxes(at.rotations, 1, 2)
            axes = np.array([skew(w) for w in J.angular[:, :, j]])
            assert largest(turned - axes) <= 1e-13 * (1.0 + largest(J.angular))
        for k in range(len(model.bodies)):
            unrolled, others, link = np.zeros((3, model.nv)), np.ones(model.nv, bool), k
            while link >= 0:
                parent = model.parents[link]
                R = np.eye(3) if parent < 0 else at.rotations[parent]
                own = slice(model.first[link], model.first[link + 1])
                unrolled[:, own], others[own] = R @ at.local[link].angular, False
                link = parent
            assert largest(J.angular[k] - unrolled) <= 1e-13
            assert not J.linear[k][:, others].any()


@pytest.mark.verify
def test_rates_of_jacobians_and_their_recursive_form() -> None:
    for model, x, v in trees(examples(20)):
        at = lagrangian.links(model, x)
        J, rates = lagrangian.jacobians(at), lagrangian.jacobian_rates(model, at, x, v)
        moved = lagrangian.jacobians(lagrangian.links(model, stepped(x, v)))
        size = 1.0 + largest(rates.linear) + largest(rates.angular)
        for found, wanted in zip(rates, moved, strict=True):
            assert largest(found - slope(wanted)) <= 1e-11 * size
        omega, linear, angular = velocity_accelerations(model, at, x, v)
        size *= 1.0 + largest(v)
        assert largest(omega - J.angular @ v) <= 1e-12 * size
        assert largest(linear - rates.linear @ v) <= 1e-11 * size
        assert largest(angular - rates.angular @ v) <= 1e-11 * size


@pytest.mark.verify
def test_axes_of_two_coordinates_turn_each_other() -> None:
    """``dj_j/dq_k - dj_k/dq_j = j_k x j_j`` (eq. 42), which makes C as short as it is."""
    for model, x, _ in trees(10, PRINTED, most=5):
        J, *moved = (
            lagrangian.jacobians(lagrangian.links(model, place)).angular
            for place in (x, *(stepped(x, unit) for unit in np.eye(model.nv)))
        )
        by = [slope(each) for each in moved]
        for j in range(model.nv):
            for k in range(j):
                z = by[k][:, :, j] - by[j][:, :, k]
                assert largest(z - np.cross(J[:, :, k], J[:, :, j])) <= 1e-12


def test_the_fifth_term_needs_the_dots_that_are_not_printed() -> None:
    """Eqs. 39 to 43: ``(Jdot)_j - dJ/dq_j q'`` is zero for places and ``w x j_j`` for axes; with J for Jdot neither."""
    without = 0.0
    for model, x, v in trees(10, PRINTED, most=5):
        at = lagrangian.links(model, x)
        J, rates = lagrangian.jacobians(at), lagrangian.jacobian_rates(model, at, x, v)
        omega = J.angular @ v
        size = 1e-12 * (1.0 + largest(rates.linear)) * (1.0 + largest(v))
        for j, unit in enumerate(np.eye(model.nv)):
            moved = lagrangian.jacobians(lagrangian.links(model, stepped(x, unit)))
            by_linear, by_angular = slope(moved.linear) @ v, slope(moved.angular) @ v
            assert largest(rates.linear[:, :, j] - by_linear) <= size
            assert largest(rates.angular[:, :, j] - by_angular - np.cross(omega, J.angular[:, :, j])) <= size
            without = max(without, largest(J.linear[:, :, j] - by_linear))
    assert without > 0.1


def test_the_energy_is_that_of_all_points() -> None:
    """Eqs. 25 to 27: half of ``m r'.r'`` of many points that fill a box, both factors rates."""
    rng = np.random.default_rng(5)
    size, mass = np.array([0.3, 0.5, 0.2]), 1.7
    model = Multibody([Body("box", -1, Free(), random_pose(rng), inertia=SpatialInertia.box(mass, size))])
    x, v = random_state(rng, model)
    steps = (np.arange(20) + 0.5) / 20 - 0.5
    places = np.stack(np.meshgrid(steps, steps, steps), axis=-1).reshape(-1, 3) * size
    at = lagrangian.links(model, x)
    J = lagrangian.jacobians(at)
    rates = J.linear[0] @ v + np.cross(J.angular[0] @ v, places @ at.rotations[0].T)
    by_points = 0.5 * mass * (rates * rates).sum() / len(places)
    assert lagrangian.kinetic_energy(model, x, v) == pytest.approx(by_points, rel=3e-3)


# -- equations of motion ---------------------------------------------------------------------------------------------


def test_energy_and_mass_matrix() -> None:
    for model, x, v in trees(examples(30)):
        M = lagrangian.mass_matrix(model, x)
        assert largest(M - model.mass_matrix(x)) <= 1e-12 * largest(M)
        T = lagrangian.kinetic_energy(model, x, v)
        assert T == pytest.approx(model.energy(x, v)[0], rel=1e-11)
        assert T == pytest.approx(0.5 * v @ M @ v, rel=1e-11)


@pytest.mark.parametrize(("count", "types"), [(20, PRINTED), (20, tuple(JOINTS))], ids=["printed joints", "all joints"])
def test_both_forms_of_c_are_the_same(count: int, types: tuple) -> None:
    """C from the tensor of the mass matrix (eq. 17) is C of eq. 59, and both what the recursion has."""
    for model, x, v in trees(examples(count), types, most=7):
        C = lagrangian.coriolis(model, x, v)
        by_tensor = lagrangian.coriolis_by_tensor(model, x, v)
        scale = largest(C) + 1e-6 * largest(model.mass_matrix(x)) * largest(v) ** 2  # some have no C at all
        assert largest(by_tensor - C) <= 1e-9 * scale
        without_gravity = Multibody(model.bodies, (0.0, 0.0, 0.0))
        assert largest(without_gravity.bias(x, v) - C) <= 1e-9 * scale
        rate = np.einsum("j,jkl->kl", v, lagrangian.mass_matrix_gradient(model, x))
        assert v @ C == pytest.approx(0.5 * v @ rate @ v, abs=1e-11 * (1.0 + scale) * (1.0 + largest(v)))


def test_the_tensor_times_rates_is_not_the_rate_of_the_mass_matrix() -> None:
    """The note below eq. 17: columns and derivatives must not change places."""
    rng = np.random.default_rng(3)
    model = random_tree(rng, 3, (Spherical,), chain=True)
    x, v = random_state(rng, model)
    gradient = lagrangian.mass_matrix_gradient(model, x)
    h = 1e-6
    by_differences = (model.mass_matrix(x + h * v) - model.mass_matrix(x - h * v)) / (2.0 * h)
    rate = np.einsum("j,jkl->kl", v, gradient)
    assert largest(rate - by_differences) <= 1e-8 * largest(rate)
    assert largest(rate - np.einsum("jkl,l->kj", gradient, v)) > 0.1 * largest(rate)


def test_a_pendulum_of_two_rods_has_its_textbook_equations() -> None:
    rod = SpatialInertia(1.0, np.array([0.0, -0.5, 0.0]), np.diag([1.0, 0.1, 1.0]) / 12.0)
    X = np.eye(4)
    X[1, 3] = -1.0
    hinge = Revolute((0, 0, 1))
    model = Multibody([Body("a", -1, hinge, inertia=rod), Body("b", 0, hinge, X, inertia=rod)])
    x, v = np.array([0.7, 0.5]), np.array([1.1, -2.0])
    c, s = 0.5 * math.cos(x[1]), 0.5 * math.sin(x[1])
    M = np.array([[5.0 / 3.0 + 2.0 * c, 1.0 / 3.0 + c], [1.0 / 3.0 + c, 1.0 / 3.0]])
    assert lagrangian.mass_matrix(model, x) == pytest.approx(M, rel=1e-14)
    C = [-s * v[1] * (2.0 * v[0] + v[1]), s * v[0] ** 2]
    assert lagrangian.coriolis(model, x, v) == pytest.approx(C, rel=1e-13)
    assert lagrangian.coriolis_by_tensor(model, x, v) == pytest.approx(C, rel=1e-13)


def test_accelerations_are_those_of_the_recursion() -> None:
    """Wild states of the joints of the paper; ``test_formulations_agree`` has all joints and formulations."""
    for seed in range(examples(60)):
        rng = np.random.default_rng(2300 + seed)
        model = random_tree(rng, 1 + seed % 12, PRINTED, root=Free if seed % 2 else None)
        x, v = wild_state(rng, model)
        tau, wrenches = rng.normal(size=model.nv), rng.normal(size=(len(model.bodies), 6))
        expected = model.forward_dynamics(x, v, tau, wrenches=wrenches)
        found = model.forward_dynamics(x, v, tau, "lagrangian", wrenches=wrenches)
        assert largest(found - expected) <= 1e-9 * largest(expected)
