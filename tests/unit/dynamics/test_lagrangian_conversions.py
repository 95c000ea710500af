"""Cartesian and generalized velocities and forces: section 6 of Liu & Jain, case by case, and what they are for."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from core.dynamics import Body, Multibody, lagrangian, maximal
from core.dynamics.lagrangian import Velocities
from core.dynamics.lagrangian.velocities import parent_rotations
from core.dynamics.maximal import MaximalState
from core.errors import DynamicsError
from core.joints import Free, FreeRotationFirst, Prismatic, Revolute, Spherical, SphericalEuler, Universal
from tests.support.counts import examples
from tests.support.random_trees import JOINTS, random_inertia, random_pose, random_state, random_tree

Array = np.ndarray
Rng = np.random.Generator
TURNING = (Revolute, Universal, Spherical, SphericalEuler)


def largest(value: Array) -> float:
    return float(np.abs(value).max(initial=0.0))


def trees(
    count: int, types: tuple = tuple(JOINTS), root: type | None = None
) -> Iterator[tuple[Rng, Multibody, Array, Array]]:
    for seed in range(count):
        rng = np.random.default_rng(2400 + seed)
        model = random_tree(rng, 1 + seed % 9, types, root=root, chain=seed % 4 == 0)
        yield rng, model, *random_state(rng, model)


def figure_one() -> Multibody:
    """The links of the paper's figure 1: the second hangs on the first, the third and the fourth on the second."""
    rng = np.random.default_rng(1)
    joints = Universal(), SphericalEuler("XYZ"), Revolute((0, 0, 1)), Revolute((0, 1, 0))
    return Multibody(
        Body(f"link {k + 1}", parent, joint, random_pose(rng), random_pose(rng), random_inertia(rng))
        for k, (joint, parent) in enumerate(zip(joints, (-1, 0, 1, 1), strict=True))
    )


# -- velocities ------------------------------------------------------------------------------------------------------


def test_velocities_are_those_of_the_bodies() -> None:
    for _, model, x, v in trees(examples(20)):
        found = lagrangian.cartesian_velocities(model, x, v)
        wanted = lagrangian.velocities_of_state(model, MaximalState.from_reduced(model, x, v))
        for a, b in zip(found, wanted, strict=True):
            assert largest(a - b) <= 1e-12 * (1.0 + largest(b))


def test_rates_come_back_from_all_velocities_and_joint_by_joint() -> None:
    """Eqs. 61 and 66, the latter for joints that slide as well; and any rows of full rank do (below eq. 65)."""
    for rng, model, x, v in trees(examples(30)):
        V = lagrangian.cartesian_velocities(model, x, v)
        size = 1e-9 * (1.0 + largest(v))
        assert largest(lagrangian.generalized_velocities(model, x, V) - v) <= size
        assert largest(lagrangian.generalized_velocities_by_joint(model, x, V) - v) <= size
        J = lagrangian.jacobians(lagrangian.links(model, x)).stacked()
        rows = rng.permutation(len(J))
        rows = rows[: max(model.nv, len(J) - 2)]
        values = np.linalg.svd(J[rows], compute_uv=False)
        if model.nv and values[-1] > 1e-4:
            flat = np.concatenate(V, axis=1).ravel()
            assert largest(np.linalg.lstsq(J[rows], flat[rows], rcond=None)[0] - v) <= 1e-7 * (1.0 + largest(v))


def test_where_joints_only_turn_angular_velocities_are_enough() -> None:
    for rng, model, x, v in trees(examples(20), TURNING):
        V = lagrangian.cartesian_velocities(model, x, v)
        wrong = V._replace(linear=rng.normal(size=V.linear.shape))
        found = lagrangian.generalized_velocities_by_joint(model, x, wrong)
        assert largest(found - v) <= 1e-10 * (1.0 + largest(v))
        again = lagrangian.cartesian_velocities(model, x, found)
        assert largest(again.linear - V.linear) <= 1e-9 * (1.0 + largest(V.linear))


def test_velocities_that_joints_forbid_are_not_met() -> None:
    model = figure_one()
    rng = np.random.default_rng(2)
    x, _ = random_state(rng, model)
    V = Velocities(rng.normal(size=(4, 3)), rng.normal(size=(4, 3)))
    rates = lagrangian.generalized_velocities(model, x, V)
    met = lagrangian.cartesian_velocities(model, x, rates)
    left = np.concatenate([V.linear - met.linear, V.angular - met.angular], axis=1).ravel()
    J = lagrangian.jacobians(lagrangian.links(model, x)).stacked()
    assert largest(left) > 0.1 and largest(J.T @ left) <= 1e-11  # least squares: what is left is across all of J


def test_slides_on_bodies_that_turn_are_not_as_printed() -> None:
    """Below eq. 66 slides are ``J_v^+ v`` of the body's velocity in the world: true only where nothing turns."""
    rng = np.random.default_rng(11)
    model = Multibody(
        [
            Body("arm", -1, Revolute(), inertia=random_inertia(rng)),
            Body("bolt", 0, Prismatic((1, 0, 0)), random_pose(rng), inertia=random_inertia(rng)),
        ]
    )
    x = np.array([0.3, 0.2])
    slide = lagrangian.jacobians(lagrangian.links(model, x)).linear[1][:, 1:]
    for turning in (0.0, 2.0):
        v = np.array([turning, 0.5])
        V = lagrangian.cartesian_velocities(model, x, v)
        printed = (np.linalg.pinv(slide) @ V.linear[1])[0]
        assert (abs(printed - 0.5) > 0.1) == (turning != 0.0)
        assert largest(lagrangian.generalized_velocities_by_joint(model, x, V) - v) <= 1e-13


def test_connectivity_of_figure_one_is_as_printed() -> None:
    one, none = np.eye(3), np.zeros((3, 3))
    printed = np.block(
        [[one, none, none, none], [-one, one, none, none], [none, -one, one, none], [none, -one, none, one]]
    )
    assert np.array_equal(lagrangian.connectivity(figure_one()), printed)


def test_relative_angular_velocities() -> None:
    """``w^ = R^T D w`` and ``J^_w = R^T D J_w``, block-diagonal (eqs. 62 to 65)."""
    for _, model, x, v in trees(examples(20)):
        at = lagrangian.links(model, x)
        V = lagrangian.cartesian_velocities(model, x, v)
        R, D = parent_rotations(model, at), lagrangian.connectivity(model)
        relative = lagrangian.relative_velocities(model, x, V)
        by_matrix = np.einsum("bji,bj->bi", R, (D @ V.angular.ravel()).reshape(-1, 3))
        size = 1.0 + largest(V.angular)
        assert largest(relative.angular - by_matrix) <= 1e-12 * size
        J = lagrangian.jacobians(at).angular
        local = np.swapaxes(R, 1, 2) @ (D @ J.reshape(len(D), model.nv)).reshape(J.shape)
        for k in range(len(model.bodies)):
            own = slice(model.first[k], model.first[k + 1])
            assert largest(relative.angular[k] - at.local[k].angular @ v[own]) <= 1e-12 * size
            assert largest(relative.linear[k] - at.local[k].linear @ v[own]) <= 1e-11 * (size + largest(V.linear))
            assert largest(local[k][:, own] - at.local[k].angular) <= 1e-12 * size
            local[k][:, own] = 0.0
        assert largest(local) <= 1e-12 * size


# -- forces ----------------------------------------------------------------------------------------------------------


def test_generalized_forces_do_the_work_of_the_forces() -> None:
    """Eq. 67: at any points; 48: at the centres, with the torques that the forces make; both as wrenches."""
    for rng, model, x, v in trees(examples(20)):
        nb = len(model.bodies)
        f, t = rng.normal(size=(nb, 3)), rng.normal(size=(nb, 3))
        at = lagrangian.links(model, x)
        points = at.centers + rng.normal(size=(nb, 3))
        V = lagrangian.cartesian_velocities(model, x, v)
        Q = lagrangian.generalized_forces(model, x, f, t, points)
        speeds = V.linear + np.cross(V.angular, points - at.centers)
        power = (f * speeds).sum() + (t * V.angular).sum()
        size = 1e-11 * (1.0 + largest(Q)) * (1.0 + largest(v)) * (1 + model.nv)
        assert Q @ v == pytest.approx(power, abs=size)
        with_moments = t + np.cross(points - at.centers, f)
        assert largest(lagrangian.generalized_forces(model, x, f, with_moments) - Q) <= size
        wrenches = lagrangian.wrenches_on_bodies(model, x, f, t, points)
        assert largest(model.jacobian_transpose_product(x, wrenches) - Q) <= size


def test_torques_of_joints() -> None:
    """Eqs. 68 and 69: each acts on its body, and its opposite on the parent."""
    for rng, model, x, _ in trees(examples(20)):
        nb = len(model.bodies)
        torques, f = rng.normal(size=(nb, 3)), rng.normal(size=(nb, 3))
        at = lagrangian.links(model, x)
        points = at.centers + rng.normal(size=(nb, 3))
        R = parent_rotations(model, at)
        on_bodies = lagrangian.body_torques(model, x, torques)
        by_matrix = lagrangian.connectivity(model).T @ (R @ torques[:, :, None]).ravel()
        assert largest(on_bodies.ravel() - by_matrix) <= 1e-13
        outside = (R @ torques[:, :, None])[model.parents < 0, :, 0].sum(axis=0)
        assert largest(on_bodies.sum(axis=0) - outside) <= 1e-12  # what is inside has no moment
        Q = lagrangian.generalized_forces_of_joint_torques(model, x, torques, f, points)
        wanted = lagrangian.generalized_forces(model, x, f, on_bodies, points)
        assert largest(Q - wanted) <= 1e-11 * (1.0 + largest(wanted))
        without = lagrangian.generalized_forces_of_joint_torques(model, x, torques)
        assert largest(without - lagrangian.generalized_forces(model, x, 0 * f, on_bodies)) <= 1e-11 * (1 + largest(Q))


def test_forces_in_the_general_case() -> None:
    """Eq. 70: any generalized forces come back, by the least forces."""
    for rng, model, x, _ in trees(examples(20)):
        Q = rng.normal(size=model.nv)
        found = lagrangian.cartesian_forces(model, x, Q)
        assert largest(lagrangian.generalized_forces(model, x, *found) - Q) <= 1e-9 * (1.0 + largest(Q))
        J = lagrangian.jacobians(lagrangian.links(model, x)).stacked()
        least = (np.linalg.pinv(J.T) @ Q).reshape(-1, 6)
        assert largest(np.concatenate(found, axis=1) - least) <= 1e-9 * (1.0 + largest(least))


def test_the_general_case_is_that_of_the_centres_of_mass() -> None:
    """With ``J'_v`` of other points, as eq. 70 prints it, forces at the centres would do something else."""
    model = figure_one()
    rng = np.random.default_rng(3)
    x, _ = random_state(rng, model)
    Q = rng.normal(size=model.nv)
    nb = len(model.bodies)
    points = lagrangian.links(model, x).centers + rng.normal(size=(nb, 3))
    units = np.eye(6 * nb).reshape(6 * nb, 2, nb, 3)
    at_points = np.stack([lagrangian.generalized_forces(model, x, f, t, points) for f, t in units], axis=1)
    f, t = (np.linalg.pinv(at_points) @ Q).reshape(2, nb, 3)
    assert largest(lagrangian.generalized_forces(model, x, f, t, points) - Q) <= 1e-11
    assert largest(lagrangian.generalized_forces(model, x, f, t) - Q) > 0.1
    centers = lagrangian.cartesian_forces(model, x, Q)
    assert largest(lagrangian.generalized_forces(model, x, *centers) - Q) <= 1e-11


@pytest.mark.parametrize("root", [Free, FreeRotationFirst])
def test_forces_within_a_floating_tree_have_no_sum_and_no_moment(root: type) -> None:
    for rng, model, x, _ in trees(examples(12), root=root):
        if (model.parents < 0).sum() > 1:
            continue
        Q = rng.normal(size=model.nv)
        Q[:6] = 0.0
        f, t = lagrangian.cartesian_forces(model, x, Q)
        moment = t + np.cross(lagrangian.links(model, x).centers, f)
        size = 1e-10 * (1.0 + largest(f) + largest(moment))
        assert largest(f.sum(axis=0)) <= size and largest(moment.sum(axis=0)) <= size


def test_forces_at_known_points() -> None:
    """Eq. 69 inverted: forces at points of some bodies, as feet, take what torques cannot do."""
    for rng, model, x, _ in trees(examples(20), TURNING, root=Free):
        Q = rng.normal(size=model.nv)
        foot = len(model.bodies) - 1
        at = lagrangian.links(model, x)
        root = foot
        while model.parents[root] >= 0:
            root = model.parents[root]
        if root != 0 or (model.parents < 0).sum() > 1:
            continue
        point = at.centers[foot] + rng.normal(size=3)
        found = lagrangian.forces_and_joint_torques(model, x, Q, {f"body {foot}": point})
        assert not found.forces[:foot].any()
        points = at.centers.copy()
        points[foot] = point
        back = lagrangian.generalized_forces_of_joint_torques(model, x, found.torques, found.forces, points)
        assert largest(back - Q) <= 1e-9 * (1.0 + largest(Q))
        columns = []
        for k in range(3 * (1 + len(model.bodies))):
            forces, torques = np.zeros_like(found.forces), np.zeros(3 * (1 + len(model.bodies)))
            torques[k] = 1.0
            forces[foot] = torques[:3]
            rest = torques[3:].reshape(-1, 3)
            columns.append(lagrangian.generalized_forces_of_joint_torques(model, x, rest, forces, points))
        least = np.linalg.pinv(np.stack(columns, axis=1)) @ Q
        size = 1e-9 * (1.0 + largest(least))
        assert largest(found.forces[foot] - least[:3]) <= size
        assert largest(found.torques.ravel() - least[3:]) <= size
    with pytest.raises(DynamicsError, match="no forces on 0 of the bodies"):
        lagrangian.forces_and_joint_torques(model, x, np.ones(model.nv), {})


def test_torques_where_there_are_no_forces() -> None:
    """Eq. 71: a torque for each joint, the least that does it, along the axis of a hinge."""
    for rng, model, x, _ in trees(examples(20), TURNING):
        Q = rng.normal(size=model.nv)
        found = lagrangian.joint_torques(model, x, Q)
        assert largest(lagrangian.generalized_forces_of_joint_torques(model, x, found) - Q) <= 1e-11 * (1 + largest(Q))
        at = lagrangian.links(model, x)
        for k, body in enumerate(model.bodies):
            own = slice(model.first[k], model.first[k + 1])
            local = at.local[k].angular
            assert largest(found[k] - np.linalg.pinv(local.T) @ Q[own]) <= 1e-10 * (1.0 + largest(found))
            if isinstance(body.joint, Revolute):
                assert largest(found[k] - local[:, 0] * Q[own]) <= 1e-12 * (1.0 + largest(Q))


def test_no_torque_pushes_along_a_slide() -> None:
    rng = np.random.default_rng(9)
    model = Multibody(
        [
            Body("arm", -1, Revolute(), inertia=random_inertia(rng)),
            Body("bolt", 0, Prismatic(), inertia=random_inertia(rng)),
        ]
    )
    x = np.array([0.3, 0.2])
    assert lagrangian.joint_torques(model, x, [2.0, 0.0]).any()
    with pytest.raises(DynamicsError, match=r'"bolt": no torque .* slides'):
        lagrangian.joint_torques(model, x, [2.0, 0.5])
    assert lagrangian.cartesian_forces(model, x, [2.0, 0.5]).forces.any()
    ball = Multibody([Body("ball", -1, SphericalEuler("XYX"), inertia=random_inertia(rng))])
    with pytest.raises(DynamicsError, match='"ball": no torque'):
        lagrangian.joint_torques(ball, [0.4, 0.0, 0.2], [1.0, 0.0, 0.0])
    with pytest.raises(DynamicsError, match="move them the same way"):
        lagrangian.cartesian_forces(ball, [0.4, 0.0, 0.2], [1.0, 0.0, 0.0])


@pytest.mark.parametrize(
    "call",
    [
        lambda m, x: lagrangian.cartesian_velocities(m, x[:-1], np.zeros(m.nv)),
        lambda m, x: lagrangian.generalized_velocities(m, x, Velocities(np.zeros((4, 3)), np.zeros((3, 3)))),
        lambda m, x: lagrangian.generalized_forces(m, x, np.full((4, 3), np.nan), np.zeros((4, 3))),
        lambda m, x: lagrangian.joint_torques(m, x, np.zeros(3)),
        lambda m, x: lagrangian.forces_and_joint_torques(m, x, np.zeros(m.nv), {"nobody": np.zeros(3)}),
    ],
)
def test_arguments_are_checked(call) -> None:  # type: ignore[no-untyped-def]
    model = figure_one()
    with pytest.raises(DynamicsError, match=r"shape|finite|no body"):
        call(model, np.zeros(model.nv))


# -- what they are for -----------------------------------------------------------------------------------------------


def test_torques_drive_bodies_in_maximal_coordinates() -> None:
    """Torques of eq. 71 on separate bodies accelerate them as the generalized forces do in the recursion."""
    for rng, model, x, v in trees(examples(40), TURNING):
        Q = 3.0 * rng.normal(size=model.nv)
        torques = lagrangian.body_torques(model, x, lagrangian.joint_torques(model, x, Q))
        wrenches = lagrangian.wrenches_on_bodies(model, x, np.zeros_like(torques), torques)
        found = model.forward_dynamics(x, v, None, "maximal", wrenches=wrenches)
        expected = model.forward_dynamics(x, v, Q)
        assert largest(found - expected) <= 1e-9 * largest(expected)


def test_forces_of_the_general_case_drive_any_joint() -> None:
    for rng, model, x, v in trees(examples(40)):
        Q = 3.0 * rng.normal(size=model.nv)
        wrenches = lagrangian.wrenches_on_bodies(model, x, *lagrangian.cartesian_forces(model, x, Q))
        found = model.forward_dynamics(x, v, None, "maximal", wrenches=wrenches)
        expected = model.forward_dynamics(x, v, Q)
        assert largest(found - expected) <= 1e-9 * max(1.0, largest(expected))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("general", [False, True])
def test_a_controller_of_angles_holds_separate_bodies(general: bool) -> None:
    """A servo in generalized coordinates drives bodies that only know poses and twists, and brings them to a pose."""
    model = figure_one()
    target, at_rest = np.full(model.nv, 0.3), np.zeros(model.nv)

    def servo(t: float, x: Array, v: Array) -> Array:
        return model.inverse_dynamics(x, v, 120.0 * (target - x) - 22.0 * v)

    h = 1e-2
    driven = commanded = MaximalState.from_reduced(model, np.zeros(model.nv), at_rest)
    for k in range(60):
        wrenches = lagrangian.control_wrenches(model, driven, servo, k * h, general=general)
        driven = maximal.stabilized(model, maximal.euler_step(model, driven, h, wrenches=wrenches))
        if k < 10:
            tau = servo(k * h, *commanded.to_reduced(model))
            commanded = maximal.stabilized(model, maximal.euler_step(model, commanded, h, tau))
            assert largest(driven.poses - commanded.poses) <= 1e-9
    x, v = lagrangian.generalized_state(model, driven)
    assert largest(x - target) <= 0.02 and largest(v) <= 0.1
    with pytest.raises(DynamicsError, match="what the controller returns at t = 2 s"):
        lagrangian.control_wrenches(model, driven, lambda t, x, v: x[1:], 2.0)
