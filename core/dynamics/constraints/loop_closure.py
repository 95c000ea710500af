"""A point of one body stays at a point of another: closes loops that the tree of joints cannot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.dynamics.constraints.base import BodyConstraint, Vector, body_index, body_name, direction, vector
from core.dynamics.constraints.points import PointMotion, cross, point_motion
from core.dynamics.constraints.rows import WORLD, BodyRows
from core.dynamics.constraints.situation import Situation
from core.errors import DynamicsError
from core.joints import Revolute

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody


@dataclass(frozen=True)
class LoopClosure(BodyConstraint):
    """Point A of a body and point B of another body, or of the world, coincide: ``g = directions (p_A - p_B)``.

    With an axis there are two rows, in the two directions across it; they turn with the axis. That closes a loop of
    hinges with parallel axes without a redundant row. Without an axis there are three rows, in world axes; those that
    the joints of the tree imply already are redundant and do no harm.

    Attributes:
        body_a: Index or name; -1 or "world" is the world.
        point_a: In the frame of body A, shape (3,).
        body_b: Index or name; -1 or "world" is the world.
        point_b: In the frame of body B, shape (3,).
        axis: Hinge axis in the frame of body A, shape (3,); ``"hinge"`` takes that of the hinge that carries body A;
            None closes all three directions.

    Raises:
        DynamicsError: If a number is not finite or the axis has no length.

    Source: Sueda 2.93 to 2.97; the rates of the directions, which 2.97 leaves out, are derived here.
    """

    body_a: int | str
    point_a: ArrayLike
    body_b: int | str
    point_b: ArrayLike
    axis: ArrayLike | Literal["hinge"] | None = None

    failure = "cannot close"

    def __post_init__(self) -> None:
        object.__setattr__(self, "point_a", vector(self.point_a, "point A of a loop"))
        object.__setattr__(self, "point_b", vector(self.point_b, "point B of a loop"))
        if self.axis is not None and not isinstance(self.axis, str):
            object.__setattr__(self, "axis", direction(self.axis, "axis of a loop"))
        elif isinstance(self.axis, str) and self.axis != "hinge":
            raise DynamicsError(f'axis of a loop is {self.axis!r}; it must be three numbers, "hinge" or None')

    def describe(self, model: Multibody) -> str:
        """Return what messages call it."""
        return f"loop between {body_name(model, self.body_a)} and {body_name(model, self.body_b)}"

    def body_rows(self, at: Situation) -> BodyRows:
        """Return two or three rows."""
        a, b = body_index(at.model, self.body_a), body_index(at.model, self.body_b)
        if a == b:
            raise DynamicsError(f"{self.describe(at.model)}: a loop needs two different bodies")
        A, B = point_motion(at.frame(a), self.point_a), point_motion(at.frame(b), self.point_b)
        if self.axis is None:
            on_a, on_b, bias, gap = A.jacobian, -B.jacobian, A.drift - B.drift, A.position - B.position
        else:
            on_a, on_b, bias, gap = _across(at.frame(a).R, at.frame(a).w, np.array(self._axis(at.model, a)), A, B)
        zero = np.zeros(len(gap))
        blocks = tuple((i, block) for i, block in ((a, on_a), (b, on_b)) if i != WORLD)
        return BodyRows(blocks, bias, gap, zero, zero)

    def _axis(self, model: Multibody, a: int) -> Vector:
        """Return the unit axis in the frame of body A."""
        if not isinstance(self.axis, str):
            return self.axis  # type: ignore[return-value]  # a unit vector since __post_init__
        joint = None if a == WORLD else model.bodies[a].joint
        if not isinstance(joint, Revolute):
            raise DynamicsError(
                f"{self.describe(model)}: {body_name(model, self.body_a)} does not hang on a hinge; "
                "expected the loop's axis in numbers"
            )
        x, y, z = (model.X_JB[a, :3, :3].T @ np.asarray(joint.axis)).tolist()
        return x, y, z


def _across(R: Array, w: Array, axis: Array, A: PointMotion, B: PointMotion) -> tuple[Array, Array, Array, Array]:
    """Return the rows across an axis that turns with body A: columns of A and of B, bias, gap.

    ``v_2 = a x e / |a x e|`` with the unit vector ``e`` of the least component of ``a``, ``v_1 = v_2 x a`` (2.94), and
    ``g_k = v_k . d``, ``gdot_k = v_k . ddot + vdot_k . d``, ``gddot_k = v_k . dddot + 2 vdot_k . ddot + vddot_k . d``.

    Args:
        R: Rotation of body A, shape (3, 3).
        w: Angular velocity of body A in its own axes, shape (3,).
        axis: Unit axis in body A, shape (3,).
        A: Motion of point A.
        B: Motion of point B.
    """
    a = R @ axis
    omega = R @ w
    a_dot = cross(omega, a)
    a_ddot = cross(omega, a_dot)  # while the angular velocity's components in the body stay as they are
    e = np.zeros(3)
    e[np.argmin(np.abs(a))] = 1.0
    c, c_dot, c_ddot = cross(a, e), cross(a_dot, e), cross(a_ddot, e)
    s = np.linalg.norm(c)
    v2 = c / s
    s_dot = v2 @ c_dot
    v2_dot = (c_dot - s_dot * v2) / s
    v2_ddot = (c_ddot - 2.0 * s_dot * v2_dot - (v2_dot @ c_dot + v2 @ c_ddot) * v2) / s
    v1 = cross(v2, a)
    v1_dot = cross(v2_dot, a) + cross(v2, a_dot)
    v1_ddot = cross(v2_ddot, a) + 2.0 * cross(v2_dot, a_dot) + cross(v2, a_ddot)
    V, V_dot, V_ddot = np.stack([v1, v2]), np.stack([v1_dot, v2_dot]), np.stack([v1_ddot, v2_ddot])

    d, d_dot, d_drift = A.position - B.position, A.velocity - B.velocity, A.drift - B.drift

    def turning(target: Array) -> Array:
        """Return the row on the world's angular velocity for ``v2_dot . target``."""
        across = target - v2 * (v2 @ target)
        return np.asarray(cross(a, cross(e, across)) / s)

    turn = np.stack([turning(cross(a, d)) + cross(a, cross(d, v2)), turning(d)])
    on_a = V @ A.jacobian
    on_a[:, :3] += turn @ R
    return on_a, -V @ B.jacobian, V @ d_drift + 2.0 * (V_dot @ d_dot) + V_ddot @ d, V @ d
