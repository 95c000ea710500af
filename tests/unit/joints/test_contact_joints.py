"""Joints of bodies that touch: they do touch, and in dynamics they are what contact constraints are."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core.dynamics import Body, Multibody, Scene, simulate
from core.errors import JointError
from core.joints import (
    Composite,
    CurveOnCurve,
    FourBar,
    Free,
    Gear,
    JointModel,
    Mirrored,
    PointOnCurve,
    PointOnSurface,
    Revolute,
    Rolling,
    Scapula,
    SurfaceOnSurface,
    Universal,
)
from core.joints.contact import ContactJoint
from core.joints.geometry import BezierCurve, Circle, Cylinder, Ellipsoid, Link, Plane, Sphere, Torus
from core.spatial import SpatialInertia, se3
from tests.support.counts import is_quick
from tests.support.joint_examples import EXAMPLES, Array, name
from tests.support.touching_bodies import body_accelerations

SURFACES = EXAMPLES[SurfaceOnSurface]
TOUCHING = [joint for joints in EXAMPLES.values() for joint in joints if isinstance(joint, ContactJoint)]


def some(joint: JointModel, count: int = 4) -> Array:
    rng = np.random.default_rng(joint.n)
    low, high = (np.clip(end, -2.5, 2.5) for end in np.array(joint.domain).T)
    return rng.uniform(0.9 * low, 0.9 * high, size=(count, joint.n))


@pytest.mark.parametrize("joint", TOUCHING, ids=name)
def test_what_touches_has_a_point_in_common_and_surfaces_face_each_other(joint: ContactJoint) -> None:
    for q in some(joint):
        frames = []
        for shape, moves, first in joint.touching:
            X = shape.frames(q[first : first + len(shape.units)])
            frames.append(joint.transform(q) @ X if moves else X)
        if len(frames) == 1:
            assert isinstance(joint, Scapula) or np.abs(joint.transform(q)[:3, 3] - frames[0][:3, 3]).max() < 1e-14
            continue
        F, G = frames
        assert np.abs(F[:3, 3] - G[:3, 3]).max() < 1e-14
        if isinstance(joint, SurfaceOnSurface):
            assert F[:3, 2] == pytest.approx(-G[:3, 2], abs=1e-14)
            angle = math.atan2(F[:3, 1] @ G[:3, 0], F[:3, 0] @ G[:3, 0])
            spin = q[4] if joint.turning else 0.0
            assert abs(math.remainder(angle - spin - joint.turned, 2.0 * math.pi)) < 1e-14


@pytest.mark.parametrize("joint", SURFACES, ids=name)
def test_a_force_along_the_normal_does_no_work(joint: SurfaceOnSurface) -> None:
    for q in some(joint):
        X = joint.second.frames(q[2:4])
        normal, place = X[:3, 2], X[:3, 3]
        wrench = np.concatenate([np.cross(place, normal), normal])
        assert np.abs(wrench @ joint.subspace(q)).max() < 1e-13
        assert np.linalg.matrix_rank(joint.subspace(q), 1e-6) == joint.n


def chain(*joints: JointModel, first: JointModel | None = None) -> Multibody:
    inertia = SpatialInertia(1.2, (0.03, -0.02, 0.05), np.diag([0.08, 0.06, 0.05]))
    bodies = [Body("0", -1, first or Free(), inertia=inertia)]
    bodies += [Body(f"{k}", k - 1, joint, inertia=inertia) for k, joint in enumerate(joints, 1)]
    return Multibody(bodies)


TORUS, LINK, EGG = Torus(0.4, 0.12), Link(0.4, 0.12), Ellipsoid(0.3, 0.2, 0.25)


@pytest.mark.verify
@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "joints",
    [
        (SurfaceOnSurface(TORUS, TORUS, "spin"), SurfaceOnSurface(TORUS, TORUS, "spin")),
        (SurfaceOnSurface(LINK, LINK, turned=0.5 * math.pi), SurfaceOnSurface(LINK, LINK, turned=0.5 * math.pi)),
        (SurfaceOnSurface(TORUS, EGG, "spin"), SurfaceOnSurface(EGG, Sphere(0.2))),
    ],
    ids=["torus chain of 5 DOF joints", "chain of links, 4 DOF and the spin row", "torus, ellipsoid and sphere"],
)
def test_agrees_with_maximal_coordinates_and_contact_constraints(joints) -> None:
    model = chain(*joints)
    rng = np.random.default_rng(3)
    for _ in range(1 if is_quick() else 3):
        x, v = 0.4 * rng.normal(size=model.nq), rng.normal(size=model.nv)
        vdot = model.forward_dynamics(x, v)
        twists, expected = body_accelerations(model, x, v)
        at, before = 0, np.zeros(6)
        for k, body in enumerate(model.bodies):
            own = slice(at, at + body.joint.n)
            Q, S = body.joint.transform(x[own]), body.joint.subspace(x[own])
            carried = se3.inverse_adjoint(Q)
            motion = S @ v[own]
            found = S @ vdot[own] + body.joint.subspace_rate(x[own], v[own]) @ v[own]
            if k:
                found = found + carried @ before - se3.ad(motion) @ (carried @ twists[k - 1])
            assert found == pytest.approx(expected[k], rel=2e-6, abs=2e-6 * np.abs(expected).max())
            before, at = found, at + body.joint.n


def pendulum(joint: JointModel, q: Array) -> tuple[Multibody, Array]:
    """A body on a joint, and another hung from it by a universal joint; coordinates of both."""
    inertia = SpatialInertia(1.0, (0.0, -0.1, 0.02), np.diag([0.02, 0.015, 0.02]))
    arm = SpatialInertia(0.5, (0.0, -0.3, 0.0), np.diag([0.02, 0.004, 0.02]))
    bodies = [Body("body", -1, joint, inertia=inertia), Body("arm", 0, Universal(), inertia=arm)]
    return Multibody(bodies), np.append(q, [0.3, -0.2])


def swinging() -> dict[str, tuple[Multibody, Array]]:
    """Conservative scenes and their first coordinates."""
    links = [SurfaceOnSurface(LINK, LINK, turned=0.5 * math.pi)] * 4
    hung = np.array([-0.5 * math.pi, 0.0, 0.5 * math.pi, 0.0])
    aside = np.tile(hung, 4)
    aside[[0, 4]] += 0.5, 0.1
    inertia = SpatialInertia.sphere(1.0, 0.2)
    bodies = [Body(f"{k}", k - 1, joint, inertia=inertia) for k, joint in enumerate(links)]
    bowl = SurfaceOnSurface(Ellipsoid(-0.8, -0.7, -0.9), Torus(0.25, 0.08), turned=0.3)
    return {
        "torus chain": (Multibody(bodies), aside),
        "torus in a bowl": pendulum(bowl, np.array([0.9, 0.2, 0.3, 0.1])),
        "bead on a Bezier curve": pendulum(PointOnCurve(BezierCurve(valley()), "spin"), np.array([0.3, 0.4])),
        "sled in an ellipsoid": pendulum(
            PointOnSurface(Ellipsoid(-0.8, -0.7, -0.9), "spin"), np.array([0.9, 0.2, 0.0])
        ),
        "wheel in a circle": pendulum(Rolling(0.2, -0.9), np.array([1.5])),
        "planet gear": pendulum(Gear((0, 0, 1), (0.3, 0, 0), (0, 0, 1), 2.5), np.array([0.4])),
    }


def valley() -> Array:
    """Control points of a curve that goes down and up again so far that what slides there stays."""
    return np.array([[-3, 3, 0], [-2, 1, 0.3], [-1, -1, 0], [0, -1.5, -0.3], [1, -1, 0], [2, 1, 0.3], [3, 3, 0]]) / 3.0


FULL = ("torus chain", "sled in an ellipsoid", "wheel in a circle", "planet gear")


@pytest.mark.verify
@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "scene",
    ["torus in a bowl", "bead on a Bezier curve", *(pytest.param(each, marks=pytest.mark.verify) for each in FULL)],
)
def test_energy_stays_over_ten_seconds(scene: str) -> None:
    model, x = swinging()[scene]
    motion = simulate(Scene(model, x, np.zeros(model.nv)), 10.0, 1e-3, "rk4")
    kinetic, total = np.array([(k, k + p) for k, p in (model.energy(*row) for row in zip(motion.x[::50], motion.v[::50],
                                                                                        strict=True))]).T  # fmt: skip
    assert kinetic.max() > 0.1
    assert np.abs(total - total[0]).max() < 1e-6 * max(abs(total[0]), kinetic.max())


def test_formulations_agree_on_every_joint_that_touches() -> None:
    rng = np.random.default_rng(8)
    for joint in (*TOUCHING, *EXAMPLES[FourBar], *EXAMPLES[Rolling], *EXAMPLES[Gear]):
        model = chain(joint, Revolute((0, 1, 0)), first=Universal())
        q = 0.3 * some(joint, 1)[0] + (0.5 if isinstance(joint, PointOnSurface | PointOnCurve) else 0.2)
        low, high = np.array(joint.domain).T
        x = np.concatenate([0.3 * rng.normal(size=2), np.clip(q, 0.9 * low, 0.9 * high), [0.4]])
        v = rng.normal(size=model.nv)
        expected = model.forward_dynamics(x, v)
        for formulation in ("redmax", "maximal"):
            found = model.forward_dynamics(x, v, formulation=formulation)
            assert found == pytest.approx(expected, rel=1e-9, abs=1e-9 * np.abs(expected).max()), joint


def test_the_rods_of_a_four_bar_joint_keep_their_lengths() -> None:
    for joint in EXAMPLES[FourBar]:
        assert isinstance(joint, FourBar)
        assert joint.transform([0.0]) == pytest.approx(np.eye(4), abs=1e-15)
        low, high = joint.domain[0]
        assert low < 0.0 < high
        across = np.eye(3) - np.outer(joint.axis, joint.axis)
        for angle in np.linspace(low, high, 9):
            X = joint.transform([angle])
            for pivot, end in ((joint.first, joint.first_end), (joint.second, joint.second_end)):
                there = X[:3, :3] @ end + X[:3, 3]
                length = np.linalg.norm(across @ (np.array(end) - pivot))
                assert np.linalg.norm(across @ (there - pivot)) == pytest.approx(length, rel=1e-12)


def test_the_knee_rolls_back_as_it_bends() -> None:
    """The point about which the shin turns just then, where its rods cross, is not the same everywhere."""
    knee = EXAMPLES[FourBar][0]
    centers = []
    for angle in np.linspace(-0.5, 0.3, 5):
        S = knee.subspace([angle])[:, 0]
        centers.append(np.cross(S[:3], S[3:]) / (S[:3] @ S[:3]))
    assert np.ptp(np.array(centers), axis=0).max() > 1e-3


def test_a_wheel_does_not_slip() -> None:
    for joint in EXAMPLES[Rolling]:
        assert isinstance(joint, Rolling)
        for q in ([0.0], [0.7], [-2.0]):
            X, S = joint.transform(q), joint.subspace(q)[:, 0]
            middle = np.array([0.0, -joint.ground, 0.0]) if math.isfinite(joint.ground) else X[:3, 3] - [0.0, 1.0, 0.0]
            away = X[:3, 3] - middle
            side = 1.0 if math.isinf(joint.ground) or joint.ground > 0.0 else -1.0
            touching = X[:3, 3] - side * joint.radius * away / np.linalg.norm(away)
            local = X[:3, :3].T @ (touching - X[:3, 3])
            assert np.abs(S[3:] + np.cross(S[:3], local)).max() < 1e-14
            if math.isfinite(joint.ground):
                assert np.linalg.norm(touching - middle) == pytest.approx(abs(joint.ground))


def test_a_planet_of_a_gear_rolls_on_the_sun() -> None:
    """A wheel of 0.1 m on one of 0.2 m is what rolls on that circle, seen from its middle."""
    gear, rolling = Gear((0, 0, 1), (0.0, 0.3, 0.0), (0, 0, 1), 2.0), Rolling(0.1, 0.2)
    for q in (0.0, 0.4, 2.0):
        X, Y = gear.transform([q]), rolling.transform([3.0 * q])
        assert X[:3, :3] == pytest.approx(Y[:3, :3]) and X[:3, 3] == pytest.approx(Y[:3, 3] + [0.0, 0.2, 0.0])


def test_what_holds_a_part_is_shown() -> None:
    knee = EXAMPLES[FourBar][0]
    for q in ([0.0], [-0.4]):
        first, second = knee.linkage(q)
        assert np.ptp(first, axis=0) @ np.ptp(first, axis=0) > 1e-5 and first[0] == pytest.approx(knee.first)
        assert second[1] == pytest.approx((knee.transform(q) @ [*knee.second_end, 1.0])[:3])
    ground, wheel, _ = Rolling(0.2, 0.5).linkage([0.7])
    assert np.linalg.norm(ground + np.array([0.0, 0.5, 0.0]), axis=1) == pytest.approx(np.full(len(ground), 0.5))
    assert np.linalg.norm(wheel[:, None] - ground[None], axis=2).min() < 0.02  # they touch
    assert len(Gear((0, 0, 1), (0.3, 0, 0), (0, 0, 1), 2.0).linkage([0.3])) == 2
    (mirrored, _) = Mirrored(knee).linkage([0.2])
    assert mirrored == pytest.approx(knee.linkage([0.2])[0] * [-1.0, 1.0, 1.0])
    assert Composite(Revolute((0, 0, 1)), knee).linkage([0.5, 0.0])[0][0] == pytest.approx(
        Revolute((0, 0, 1)).transform([0.5])[:3, :3] @ knee.first
    )


def test_a_scapula_lies_on_the_thorax_behind_the_spine() -> None:
    joint = Scapula(0.14, 0.2, 0.1)
    X = joint.transform(np.zeros(4))
    assert X[:3, 3] == pytest.approx([0.0, 0.0, -0.1]) and X[:3, 2] == pytest.approx([0.0, 0.0, -1.0])
    assert X[:3, 1] == pytest.approx([0.0, 1.0, 0.0])
    right = joint.transform([0.5, 0.0, 0.0, 0.0])[:3, 3]
    assert right[0] < 0.0 and joint.transform([0.0, 0.4, 0.0, 0.0])[1, 3] > 0.0
    for q in some(joint):
        x, y, z = joint.transform(q)[:3, 3]
        assert (x / 0.14) ** 2 + (y / 0.2) ** 2 + (z / 0.1) ** 2 == pytest.approx(1.0)


def test_coordinates_are_found_from_far_away() -> None:
    rng = np.random.default_rng(2)
    for joint in (SURFACES[0], SURFACES[3], *EXAMPLES[PointOnCurve], *EXAMPLES[CurveOnCurve]):
        for q in some(joint, 3):
            X = joint.transform(q)
            found = joint.coordinates(X, near=some(joint, 1)[0] * rng.uniform(size=joint.n))
            assert np.linalg.norm(joint.transform(found) - X) < 1e-9, (joint, q)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: SurfaceOnSurface(Plane(), Sphere(0.1), "free"), 'held "free"; expected aligned or spin'),
        (lambda: SurfaceOnSurface(Plane(), Sphere(0.1), turned=math.inf), "turned by inf"),
        (lambda: PointOnSurface(Cylinder(0.1), "loose"), 'held "loose"; expected one of aligned, spin, free'),
        (lambda: CurveOnCurve(Circle(0.1), Circle(0.1), ""), "a curve on a curve is held"),
        (lambda: FourBar((0, 0, 1), (0, 0, 0), (0, 0, 1), (1, 0, 0), (1, 1, 0)), "a rod of a four-bar joint"),
        (lambda: FourBar((0, 0, 1), (0, 0, 0), (0, 1, 0), (1, 0, 0), (1, 1, 0)), "in line or parallel"),
        (lambda: FourBar((0, 0, 0), (0, 0, 0), (0, 1, 0), (1, 0, 0), (1, 2, 0)), "no direction"),
        (lambda: Rolling(-0.1), "radius -0.1"),
        (lambda: Rolling(0.1, -0.05), "cannot roll on a circle of -0.05 m"),
        (lambda: Gear((0, 0, 1), (0, 0, math.nan), (0, 0, 1), 1.0), "expected finite numbers"),
        (lambda: Scapula(0.1, 0.2, 0.3, (0.0, 0.0, math.inf)), "not finite"),
    ],
)
def test_what_is_no_joint_is_refused(make, words) -> None:
    with pytest.raises(JointError, match=words):
        make()
