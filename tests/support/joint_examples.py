"""Joints of every type with places to try them at, and derivatives by differences to check them against."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

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
from core.joints.geometry import (
    BezierCurve,
    BezierSurface,
    Circle,
    Cylinder,
    Ellipse,
    Ellipsoid,
    Helix,
    Line,
    Link,
    Plane,
    Sphere,
    Torus,
)
from core.joints.spherical_euler import ORDERS
from core.spatial import se3, so3

Array = NDArray[np.float64]


def ring() -> list[Array]:
    """Control frames of a closed curve round a figure's hand, each turned along it."""
    at = ((-10.0, 0.0, 0.0), (0.0, 0.0, -2.0), (10.0, 0.0, 0.0), (0.0, 0.0, 2.0))
    turns = (np.pi, np.pi / 2, 0.0, -np.pi / 2)
    return [se3.transform(so3.axis_rotation("y", turn), p) for turn, p in zip(turns, at, strict=True)]


def wild_frames(count: int) -> Array:
    """Control frames that turn and go anywhere."""
    return se3.exp(np.random.default_rng(3).normal(size=(count, 6)))


def bowl() -> Array:
    """Control values of a bowl of 4 by 4 frames, tilted more and more along u."""
    x, y = np.meshgrid(np.linspace(-15, 15, 4), np.linspace(-15, 15, 4), indexing="ij")
    tilt = np.pi / 60 * x
    return np.array([x, y, 0.05 * (x * x + y * y), tilt, tilt, 0.0 * x])


def wild_values(a: int, b: int) -> Array:
    """Control values that go up and down and turn all ways."""
    x, y = np.meshgrid(np.arange(a), np.arange(b), indexing="ij")
    rng = np.random.default_rng(4)
    return np.array([x, y, 0.0 * x, 0.0 * x, 0.0 * x, 0.0 * x]) + 0.4 * rng.normal(size=(6, a, b))


def hills() -> BezierSurface:
    """A patch of 5 by 5 control points that go up and down."""
    x, y = np.meshgrid(np.linspace(-1.0, 1.0, 5), np.linspace(-1.0, 1.0, 5), indexing="ij")
    return BezierSurface(np.stack([x, y, 0.05 * np.random.default_rng(6).normal(size=(5, 5))], axis=-1))


def bends() -> Array:
    """Control points of a Bezier curve with 7 of them that never goes straight up."""
    return np.array([[0, 0, 0], [1, 0.2, 0], [2, -0.2, 0.2], [3, 0, 0.2], [4, 0.2, 0], [5, 0, -0.2], [6, 0, 0]]) / 6.0


def wandering_knee() -> ExpressionJoint:
    """A hinge whose axis moves as it bends."""
    return ExpressionJoint(
        ("bend",),
        ("angle",),
        (Translate(("0", "-0.01*bend^2", "r*sin(bend/2)")), Rotate((0.8, 0.0, 0.6), "bend")),
        (("r", "3 cm"),),
    )


def bead_in_a_groove() -> ExpressionJoint:
    """A bead on an ellipse that may spin a little and rise."""
    return ExpressionJoint(
        ("round", "rise"),
        ("angle", "length"),
        (
            Translate(("a*cos(round)", "rise", "b*sin(round)")),
            Rotate((0.0, -1.0, 0.0), "heading"),
            Rotate((1.0, 0.0, 0.0), "0.2*tanh(rise)"),
        ),
        (("a", "0.5"), ("b", "a/2 + 1 mm"), ("heading", "round + 0.1*sin(2*round)")),
    )


EXAMPLES: dict[type[JointModel], tuple[JointModel, ...]] = {
    Fixed: (Fixed(),),
    Revolute: (Revolute((0, 1, 0)), Revolute((1, -2, 3))),
    Prismatic: (Prismatic((1, 0, 0)), Prismatic((1e-3, 2e-3, 0))),
    Planar: (Planar(),),
    Translational: (Translational(),),
    Universal: (Universal(),),
    Spherical: (Spherical(),),
    SphericalEuler: tuple(SphericalEuler(order) for order in ORDERS),
    Composite: (
        Composite(Revolute((1, 0, 0)), Prismatic((1, 0, 0))),
        Composite(Spherical(), Fixed(), Translational()),
        Composite(Universal(), Prismatic((0, 0, 1)), Composite(SphericalEuler("ZXZ"), Free2D())),
        Composite(Fixed(), Revolute((0, 0, 1))),
    ),
    Free2D: (Free2D(),),
    Free: (Free(),),
    FreeRotationFirst: (FreeRotationFirst(),),
    SplineCurve: (SplineCurve(ring()), SplineCurve(wild_frames(7)), SplineCurve(wild_frames(6), closed=False)),
    SplineSurface: (SplineSurface(bowl()), SplineSurface(wild_values(6, 5))),
    Screw: (Screw(), Screw((1, -2, 3), -0.7), Screw((0, 1, 0), 0.0)),
    SurfaceOnSurface: (
        SurfaceOnSurface(Torus(0.3, 0.1), Torus(0.4, 0.1)),
        SurfaceOnSurface(Link(0.3, 0.1), Link(0.3, 0.1), turned=np.pi / 2),
        SurfaceOnSurface(Torus(0.3, 0.1), Torus(0.3, 0.1), "spin"),
        SurfaceOnSurface(Ellipsoid(0.3, 0.2, 0.5), Torus(0.4, 0.1), "spin", 0.7),
        SurfaceOnSurface(Sphere(-0.5), Sphere(0.2), turned=-0.4),
        SurfaceOnSurface(Sphere(0.5), Ellipsoid(0.2, 0.3, 0.2), "spin"),
        SurfaceOnSurface(Plane(), Ellipsoid(0.2, 0.3, 0.2, "y"), "spin"),
        SurfaceOnSurface(Cylinder(0.2), Torus(0.3, 0.1), "spin"),
        SurfaceOnSurface(hills(), Sphere(0.1)),
    ),
    PointOnSurface: (
        PointOnSurface(Ellipsoid(0.3, 0.2, 0.5)),
        PointOnSurface(hills(), "spin"),
        PointOnSurface(Torus(0.5, 0.2), "free"),
        PointOnSurface(Cylinder(-0.4), "spin"),
    ),
    CurveOnCurve: (
        CurveOnCurve(Circle(0.5), Circle(0.2)),
        CurveOnCurve(Ellipse(0.5, 0.3), Line(), "spin"),
        CurveOnCurve(Helix(0.3, 0.1), Helix(0.2, 0.1), "aligned"),
    ),
    PointOnCurve: (
        PointOnCurve(BezierCurve(bends()), "spin"),
        PointOnCurve(Circle(0.4)),
        PointOnCurve(Ellipse(0.4, 0.2), "free"),
        PointOnCurve(Line()),
    ),
    FourBar: (
        FourBar((1, 0, 0), (0, 0.01, 0.012), (0, -0.018, -0.008), (0, 0.012, -0.010), (0, -0.016, 0.012)),
        FourBar((0, 0, 1), (0, 0, 0), (0.1, 0.3, 0), (0.5, 0, 0.1), (0.4, 0.25, 0)),
    ),
    Scapula: (Scapula(0.14, 0.2, 0.1, (0.03, -0.02, 0.0), 1.4), Scapula(0.1, 0.2, 0.1)),
    Rolling: (Rolling(0.2), Rolling(0.2, 0.5), Rolling(0.2, -0.5)),
    Gear: (Gear((0, 0, 1), (0.3, 0, 0), (0, 0, 1), 2.5), Gear((0, 1, 0), (0.2, 0.1, 0), (1, 1, 0), -0.7)),
    ExpressionJoint: (wandering_knee(), bead_in_a_groove()),
    Mirrored: (Mirrored(Screw((1, -2, 3), 0.7)), Mirrored(Universal())),
}
"""Joints of each type in ``JOINT_TYPES``."""

ALL = [joint for joints in EXAMPLES.values() for joint in joints]


def name(joint: JointModel) -> str:
    """Return a short name for a test's parameter."""
    return repr(joint)[:48].replace("\n", " ")


def places(joint: JointModel) -> list[Array]:
    """Return coordinates of a joint to try it at: zero, tiny, usual, near half a turn, near a whole turn.

    Knots of splines are left out, where the second derivative is not smooth; their ends and what lies beyond are in.
    """
    rng = np.random.default_rng(joint.n)
    if isinstance(joint, SplineCurve):
        inner = rng.uniform(0.01, 0.99, size=8) + np.arange(8) % joint.segments
        return [np.array([q]) for q in (*inner, joint.segments + 0.3, -0.4)]
    if isinstance(joint, SplineSurface):
        inner = rng.uniform(0.01, 0.99, size=(6, 2)) + rng.integers(0, joint.segments, size=(6, 2))
        return [*inner, np.array([-0.3, 0.4]), np.array([joint.segments[0] + 0.2, joint.segments[1] + 0.1])]
    found = [np.zeros(joint.n)]
    if joint.n == 0:
        return found
    sizes = (1e-12, 1e-9, 1e-7, 1e-6, 1e-3, 0.3, 1.0, 2.0, 3.0, np.pi - 1e-9, np.pi + 1e-9, 4.5, 6.0, 6.28, 9.0)
    for size in sizes:
        direction = rng.normal(size=joint.n)
        found.append(size / np.linalg.norm(direction) * direction)
    ends = np.array(joint.domain).T * (0.8 if isinstance(joint, FourBar) else 1.0)  # it grows fast towards its ends
    return [np.clip(q, *ends) for q in found]


def difference(function: Callable[[float], Array], step: float = 2e-4) -> Array:
    """Return the derivative of ``function`` at 0 by central differences of the fourth order."""
    near, far = function(step) - function(-step), function(2 * step) - function(-2 * step)
    return (8.0 * near - far) / (12.0 * step)


def twist_between(X: Array, Y: Array) -> float:
    """Return the length of the twist from one pose to the other."""
    return float(np.linalg.norm(se3.log(se3.inverse(X) @ Y)))
