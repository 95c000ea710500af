"""Random trees of bodies for the tests of dynamics, and random states of them. Seeded by the caller's generator.

Every joint type is there, the bodies are real solids, and the frames are anywhere. What no formulation can do well is
left out by construction: places where a joint's subspace S is nearly degenerate (gimbal lock, rotation vectors near
2 pi, a composite joint of which two coordinates do almost the same); see ``is_well_posed``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from core.dynamics import Body, Multibody
from core.joints import (
    Composite,
    CurveOnCurve,
    ExpressionJoint,
    Fixed,
    FourBar,
    Free,
    Free2D,
    FreeRotationFirst,
    Gear,
    JointModel,
    Mirrored,
    Planar,
    PointOnCurve,
    PointOnSurface,
    Prismatic,
    Reversed,
    Revolute,
    Rolling,
    Scapula,
    Screw,
    Spherical,
    SphericalEuler,
    SplineCurve,
    SplineSurface,
    SurfaceOnSurface,
    Translational,
    Universal,
)
from core.joints.expression import Rotate, Translate
from core.joints.spherical_euler import ORDERS
from core.spatial import SpatialInertia, se3, so3
from tests.support.joint_examples import EXAMPLES

Array = NDArray[np.float64]
Rng = np.random.Generator

TOUCHING = (SurfaceOnSurface, PointOnSurface, CurveOnCurve, PointOnCurve, FourBar, Scapula, Rolling, Gear)
WELL_POSED = 0.1
"""Smallest singular value that S may have, its columns at unit length; and the least length of a column."""


def is_well_posed(joint: JointModel, q: Array) -> bool:
    """Return whether the coordinates of a joint move it in clearly different ways at ``q``."""
    if not joint.n:
        return True
    S = joint.subspace(q)
    lengths = np.linalg.norm(S, axis=0)
    return bool(lengths.min() > WELL_POSED and np.linalg.svd(S / lengths, compute_uv=False)[-1] > WELL_POSED)


# -- joints ----------------------------------------------------------------------------------------------------------


def _composite(rng: Rng) -> Composite:
    kinds = (
        Revolute,
        Revolute,
        Prismatic,
        Prismatic,
        Universal,
        Planar,
        Spherical,
        SphericalEuler,
        SplineCurve,
        Composite,
    )
    while True:
        parts = [JOINTS[kinds[rng.integers(len(kinds))]](rng) for _ in range(rng.integers(2, 4))]
        joint = Composite(*parts)
        if joint.n <= 6 and all(is_well_posed(joint, rng.uniform(-1.0, 1.0, size=joint.n)) for _ in range(4)):
            return joint


def _curve(rng: Rng) -> SplineCurve:
    """A ring of frames that turn as they go round, bent and dented; closed or open."""
    count = int(rng.integers(4, 8))
    angles = np.arange(count) * 2.0 * math.pi / count
    places = np.stack([np.cos(angles), np.sin(angles), np.zeros(count)], axis=1) + 0.15 * rng.normal(size=(count, 3))
    turns = so3.exp(np.stack([np.zeros(count), np.zeros(count), angles], axis=1))
    dents = so3.exp(0.2 * rng.normal(size=(count, 3)))
    return SplineCurve(se3.transform(turns @ dents, 0.5 * places), closed=bool(rng.random() < 0.5))


def _surface(rng: Rng) -> SplineSurface:
    """A dented sheet, half a metre from one control frame to the next."""
    rows, columns = int(rng.integers(4, 7)), int(rng.integers(4, 7))
    values = np.zeros((6, rows, columns))
    values[0] = 0.5 * np.arange(rows)[:, None]
    values[1] = 0.5 * np.arange(columns)
    values += np.array([0.05, 0.05, 0.2, 0.2, 0.2, 0.2])[:, None, None] * rng.normal(size=values.shape)
    return SplineSurface(values)


def _written(rng: Rng) -> ExpressionJoint:
    """A knee whose axis wanders, or a bead that rises from an ellipse as it goes round."""
    lets = tuple((name, repr(float(value))) for name, value in zip("abc", rng.uniform(0.2, 0.6, size=3), strict=True))
    x, y, z = rng.normal(size=3).tolist()
    length = math.sqrt(x * x + y * y + z * z)
    axis = (x / length, y / length, z / length)
    if rng.random() < 0.5:
        knee = Translate(("0", "a*sin(u)", "b*cos(u) + c*u")), Rotate(axis, "u + 0.2*sin(a + u)")
        return ExpressionJoint(("u",), ("angle",), knee, lets)
    bead = Translate(("a*cos(u)", "v", "b*sin(u)")), Rotate((0.0, 1.0, 0.0), "-u"), Rotate(axis, "c*v")
    return ExpressionJoint(("u", "v"), ("angle", "length"), bead, lets)


def _touching(kind: type[JointModel]) -> Callable[[Rng], JointModel]:
    """Return what picks one of the examples of a joint whose parts touch, if it is well posed almost anywhere."""

    @cache
    def candidates() -> tuple[JointModel, ...]:
        rng = np.random.default_rng(8)
        return tuple(
            joint
            for joint in EXAMPLES[kind]
            if sum(is_well_posed(joint, _ordinary(rng, joint)) for _ in range(40)) >= 20
        )

    return lambda rng: candidates()[rng.integers(len(candidates()))]


JOINTS: dict[type[JointModel], Callable[[Rng], JointModel]] = {
    Fixed: lambda rng: Fixed(),
    Revolute: lambda rng: Revolute(rng.normal(size=3)),
    Prismatic: lambda rng: Prismatic(rng.normal(size=3)),
    Planar: lambda rng: Planar(),
    Translational: lambda rng: Translational(),
    Universal: lambda rng: Universal(),
    Spherical: lambda rng: Spherical(),
    SphericalEuler: lambda rng: SphericalEuler(ORDERS[rng.integers(len(ORDERS))]),
    Composite: _composite,
    Free2D: lambda rng: Free2D(),
    Free: lambda rng: Free(),
    FreeRotationFirst: lambda rng: FreeRotationFirst(),
    SplineCurve: _curve,
    SplineSurface: _surface,
    Screw: lambda rng: Screw(rng.normal(size=3), rng.normal()),
    ExpressionJoint: _written,
    Mirrored: lambda rng: Mirrored(Screw(rng.normal(size=3), rng.normal())),
    Reversed: lambda rng: Reversed(_curve(rng) if rng.random() < 0.5 else _written(rng)),
    **{kind: _touching(kind) for kind in TOUCHING},
}
"""How to make a random joint of each type in ``JOINT_TYPES``."""


# -- bodies ----------------------------------------------------------------------------------------------------------


def random_pose(rng: Rng, length: float = 0.5) -> Array:
    """Return a random pose, shape (4, 4)."""
    return se3.transform(so3.exp(rng.uniform(-2.0, 2.0, size=3)), length * rng.normal(size=3))


def random_inertia(rng: Rng) -> SpatialInertia:
    """Return the inertia of a solid of 0.3 to 4 kg, 5 to 40 cm wide, turned and placed at random.

    A box, a ball, a capsule, an ellipsoid, or a box and a ball stuck together.
    """
    mass = float(np.exp(rng.uniform(math.log(0.3), math.log(4.0))))
    size = rng.uniform(0.05, 0.4, size=3)
    kind = rng.integers(5)
    if kind == 0:
        solid = SpatialInertia.box(mass, size)
    elif kind == 1:
        solid = SpatialInertia.sphere(mass, 0.5 * size[0])
    elif kind == 2:
        solid = SpatialInertia.capsule(mass, (0.0, -size[1], 0.0), (0.0, size[1], 0.0), 0.25 * size[0])
    elif kind == 3:
        squares = (0.5 * size) ** 2
        solid = SpatialInertia(mass, np.zeros(3), np.diag(0.2 * mass * (squares.sum() - squares)))
    else:
        ball = SpatialInertia.sphere(0.4 * mass, 0.5 * size[0], (size[0], 0.0, 0.0))
        solid = SpatialInertia.box(0.6 * mass, size) + ball
    return solid.moved(so3.exp(rng.uniform(-2.0, 2.0, size=3)), 0.2 * rng.normal(size=3))


def random_tree(
    rng: Rng,
    n_bodies: int,
    types: Sequence[type[JointModel]] = tuple(JOINTS),
    root: type[JointModel] | None = None,
    chain: bool = False,
) -> Multibody:
    """Return a random tree.

    Args:
        rng: Source of the random numbers.
        n_bodies: Number of bodies.
        types: Joint types to choose from.
        root: Type of the first joint; None for any.
        chain: Whether each body hangs on the one before it.
    """
    bodies = []
    for i in range(n_bodies):
        chosen = root if i == 0 and root is not None else types[rng.integers(len(types))]
        parent = i - 1 if chain else int(rng.integers(-1 if i == 0 or rng.random() < 0.05 else max(0, i - 4), i))
        joint = JOINTS[chosen](rng)
        bodies.append(Body(f"body {i}", parent, joint, random_pose(rng), random_pose(rng, 0.2), random_inertia(rng)))
    return Multibody(bodies, gravity=rng.normal(size=3) * 5.0)


# -- states ----------------------------------------------------------------------------------------------------------


def random_state(rng: Rng, model: Multibody) -> tuple[Array, Array]:
    """Return random coordinates, within 1 of zero or anywhere on a spline, and velocities of a model."""
    parts = [_well_posed(body.joint, lambda joint=body.joint: _ordinary(rng, joint)) for body in model.bodies]
    return np.concatenate(parts), rng.normal(size=model.nv)


def wild_state(rng: Rng, model: Multibody) -> tuple[Array, Array]:
    """Return coordinates at and near zero and far from it among ordinary ones; velocities from none to large.

    Angles go to 20 rad, lengths to 3 m, rates to some 10 a second.
    """
    parts = [_well_posed(body.joint, lambda joint=body.joint: _wild(rng, joint)) for body in model.bodies]
    return np.concatenate(parts), rng.choice([0.0, 0.1, 1.0, 3.0]) * rng.normal(size=model.nv)


def _well_posed(joint: JointModel, attempt: Callable[[], Array]) -> Array:
    q = attempt()
    while not is_well_posed(joint, q):
        q = attempt()
    return q


def _ordinary(rng: Rng, joint: JointModel) -> Array:
    unit = rng.uniform(-1.0, 1.0, size=joint.n)
    if isinstance(joint, (SplineCurve, SplineSurface)):
        return 0.5 * (unit + 1.0) * joint.segments
    if isinstance(joint, SphericalEuler) and joint.order[0] == joint.order[2]:
        unit[1] += 0.5 * math.pi  # zero is gimbal lock
    if type(joint) in TOUCHING:
        lower, upper = np.clip(np.array(joint.domain).T, -2.0, 2.0)
        return 0.5 * (lower + upper) + 0.3 * (upper - lower) * unit
    return unit


def _wild(rng: Rng, joint: JointModel) -> Array:
    manner = rng.integers(6)
    if manner == 0:
        return np.zeros(joint.n)
    if manner == 1:
        return rng.normal(size=joint.n) * 10.0 ** -rng.uniform(1.0, 12.0, size=joint.n)
    if manner == 2 and type(joint) not in TOUCHING:  # these end
        return np.where(joint.rotary, 20.0, 3.0) * rng.uniform(-1.0, 1.0, size=joint.n)
    return _ordinary(rng, joint)
