"""How one joint moves its link: rotation, origin and the local Jacobians, in the frame where the joint sits.

Whatever is given at complex coordinates is the analytic continuation of the same expressions, which complex steps
differentiate. Joints that are no hinges, slides and rotation vectors, such as splines, are continued to first order:
that is all a complex step needs.

Source: Liu & Jain section 5.2.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.joints import Composite, Free, FreeRotationFirst, JointModel, Spherical, Translational
from core.joints.base import HINGE, Step
from core.spatial import so3
from core.spatial.stumpff import stumpff_arrays

Values = NDArray[Any]
"""Real, or complex where a complex step is taken."""


class Frame(NamedTuple):
    """A frame in another one, and how coordinates move it.

    Attributes:
        rotation: R, shape (3, 3).
        origin: Shape (3,), [m].
        linear: Takes rates of n coordinates to the velocity of the origin, in the other frame, shape (3, n).
        angular: Takes them to the angular velocity, in the other frame, shape (3, n): ``[J_w q'] = R' R^T``.
    """

    rotation: Values
    origin: Values
    linear: Values
    angular: Values


class FrameRates(NamedTuple):
    """Time derivatives of the two Jacobians of a frame, component-wise in the other frame, shape (3, n)."""

    linear: Array
    angular: Array


def skew(a: Values) -> Values:
    """Return ``[a]`` with ``[a] b = a x b``, shape (3, 3); new (eq. 20)."""
    x, y, z = a.tolist()
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def still(n: int, dtype: np.dtype[Any]) -> Frame:
    """Return the frame in itself, which none of n coordinates moves."""
    return Frame(np.eye(3, dtype=dtype), np.zeros(3, dtype), np.zeros((3, n), dtype), np.zeros((3, n), dtype))


def extended(base: Frame, step: Frame, part: slice) -> Frame:
    """Return the frame that ``step`` carries ``base`` to: the recursive form of eqs. 49 to 51 and 57.

    ``w = w_p + R_p J^_w q'`` and ``v = v_p + w_p x R_p d + R_p J^_v q'``.

    Args:
        base: In some frame, with Jacobians of all coordinates.
        step: In ``base``, with Jacobians of its own coordinates.
        part: Where these are among all.
    """
    arm = base.rotation @ step.origin
    linear = base.linear - skew(arm) @ base.angular
    angular = base.angular.copy()
    linear[:, part] = base.rotation @ step.linear
    angular[:, part] = base.rotation @ step.angular
    return Frame(base.rotation @ step.rotation, base.origin + arm, linear, angular)


def extended_rates(
    base: Frame, base_rates: FrameRates, step: Frame, step_rates: FrameRates, part: slice, v: Array
) -> FrameRates:
    """Return the time derivative of the Jacobians of ``extended(base, step, part)``.

    Args:
        base, step, part: As of ``extended``.
        base_rates, step_rates: Rates of their Jacobians.
        v: Rates of all coordinates, shape (n,).
    """
    turning = skew(base.angular @ v)
    arm = base.rotation @ step.origin
    own_linear, own_angular = base.rotation @ step.linear, base.rotation @ step.angular
    arm_rate = turning @ arm + own_linear @ v[part]
    linear = base_rates.linear - skew(arm_rate) @ base.angular - skew(arm) @ base_rates.angular
    angular = base_rates.angular.copy()
    linear[:, part] = turning @ own_linear + base.rotation @ step_rates.linear
    angular[:, part] = turning @ own_angular + base.rotation @ step_rates.angular
    return FrameRates(linear, angular)


def exponential_rotation(q: Values) -> Values:
    """Return ``exp([q])`` of a rotation vector, shape (3, 3); new (eqs. 53, 55, series and closed form alike).

    Args:
        q: Shape (3,), [rad].
    """
    _, a, b, *_ = stumpff_arrays(np.asarray(q @ q))
    W = skew(q)
    return np.asarray(np.eye(3) + a * W + b * (W @ W))


def exponential_jacobian(q: Values) -> Values:
    """Return the local Jacobian of a rotation vector, shape (3, 3); new (eqs. 54, 56).

    Args:
        q: Shape (3,), [rad].
    """
    _, _, b, c, *_ = stumpff_arrays(np.asarray(q @ q))
    W = skew(q)
    return np.asarray(np.eye(3) + b * W + c * (W @ W))


def joint_frame(joint: JointModel, q: Values) -> Frame:
    """Return how a joint carries its frame J, in the frame where it sits, with its own Jacobians.

    Hinges and slides in a row are eq. 52 about any axes, such as Euler angles in any order.

    Args:
        joint: Of any type.
        q: Coordinates, shape (n,), real or complex.
    """
    elements = list(_elements(joint))
    if len(elements) == 1:
        return _element_frame(elements[0][0], q)
    frame = still(joint.n, q.dtype)
    for element, part in elements:
        frame = extended(frame, _element_frame(element, q[part]), part)
    return frame


def joint_rates(joint: JointModel, q: Array, v: Array) -> FrameRates:
    """Return the time derivative of the Jacobians of ``joint_frame``.

    Args:
        joint: Of any type.
        q: Coordinates, shape (n,).
        v: Their rates, shape (n,).
    """
    elements = list(_elements(joint))
    if len(elements) == 1:
        return _element_rates(elements[0][0], q, v)
    frame = still(joint.n, q.dtype)
    rates = FrameRates(frame.linear, frame.angular)
    for element, part in elements:
        step = _element_frame(element, q[part])
        rates = extended_rates(frame, rates, step, _element_rates(element, q[part], v[part]), part, v)
        frame = extended(frame, step, part)
    return rates


def _elements(joint: JointModel, first: int = 0) -> Iterator[tuple[Step | JointModel, slice]]:
    """Yield what a joint is made of, in order, and where the coordinates of each are: steps, vectors, others."""
    parts: tuple[JointModel, ...]
    if joint.steps is not None:
        for k, step in enumerate(joint.steps, first):
            yield step, slice(k, k + 1)
        return
    if isinstance(joint, Composite):
        parts = joint.joints
    elif isinstance(joint, Free):
        parts = Translational(), Spherical()
    elif isinstance(joint, FreeRotationFirst):
        parts = Spherical(), Translational()
    else:
        yield joint, slice(first, first + joint.n)
        return
    for part in parts:
        yield from _elements(part, first)
        first += part.n


def _element_frame(element: Step | JointModel, q: Values) -> Frame:
    if isinstance(element, Step):
        frame = still(1, q.dtype)
        axis = np.array(element.axis)
        if element.kind == HINGE:
            frame.angular[:, 0] = axis
            W = skew(axis)
            turned = frame.rotation + np.sin(q[0]) * W + 2.0 * np.sin(0.5 * q[0]) ** 2 * (W @ W)
            return frame._replace(rotation=turned)
        frame.linear[:, 0] = axis
        return frame._replace(origin=q[0] * axis)
    if isinstance(element, Spherical):
        nothing = np.zeros((3, 3), q.dtype)
        return Frame(exponential_rotation(q), np.zeros(3, q.dtype), nothing, exponential_jacobian(q))
    at = np.ascontiguousarray(q.real)
    X, S = element.transform(at), element.subspace(at)
    R, p = X[:3, :3], X[:3, 3]
    if np.iscomplexobj(q):
        by = np.ascontiguousarray(q.imag)
        turn, slide = (S @ by).reshape(2, 3)
        S = S + 1j * element.subspace_rate(at, by)
        R, p = R + 1j * (R @ skew(turn)), p + 1j * (R @ slide)
    return Frame(R, p, R @ S[3:], R @ S[:3])


def _element_rates(element: Step | JointModel, q: Array, v: Array) -> FrameRates:
    n = len(v)
    if isinstance(element, Step):
        return FrameRates(np.zeros((3, 1)), np.zeros((3, 1)))
    if isinstance(element, Spherical):
        return FrameRates(np.zeros((3, n)), so3.left_jacobian_rate(q, v))
    R, S = element.transform(q)[:3, :3], element.subspace(q)
    rate = element.subspace_rate(q, v)
    turning = skew(S[:3] @ v)
    return FrameRates(R @ (turning @ S[3:] + rate[3:]), R @ (turning @ S[:3] + rate[:3]))
