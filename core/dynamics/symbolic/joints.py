"""Joints of several coordinates as expressions: transform, motion subspace and what its change adds."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from core.dynamics.symbolic.spatial import Vector, cross, dot, plus
from core.joints.symbolic import subspace
from core.symbolic import Expression, apply, constant, derivative
from core.symbolic.expression import ONE, ZERO, select

E = Expression


class Motion(NamedTuple):
    """A joint's motion.

    Attributes:
        Q: Its transform: nine entries of the rotation, row by row, then the origin, in axes before the joint.
        S: The columns of its subspace, in axes behind it.
        rate: ``Sdot v``.
    """

    Q: Vector
    S: list[Vector]
    rate: Vector


def motion_of(Q: Sequence[E], q: Sequence[E], v: Sequence[E]) -> Motion:
    """Return the motion of a joint from its transform alone.

    Args:
        Q: Twelve expressions of the coordinates, as in ``Motion``.
        q: Coordinates, symbols.
        v: Their rates.

    Source: Si & Guenter eqs. 9, 12.
    """
    columns = subspace(Q, q)
    twist = [dot([column[row] for column in columns], v) for row in range(6)]
    rate = [dot(row, v) for row in derivative(twist, list(q))]
    return Motion(list(Q), columns, rate)


def rotation_vector(x: Sequence[E], v: Sequence[E]) -> Motion:
    """Return the motion of a rotation in exponential coordinates.

    ``R = 1 + A [x] + B [x]^2``, ``J_r = 1 - B [x] + C [x]^2``; ``B' = D x.v`` and ``C' = E x.v``, series below 1 rad.
    """
    t = dot(x, x)
    angle = apply("sqrt", t)

    def series(term: Callable[[int], float]) -> E:
        total = ZERO
        for k in range(9, -1, -1):
            total = total * t + constant((-1.0) ** k * term(k) / math.factorial(2 * k + 1))
        return total

    def either(closed: E, term: Callable[[int], float]) -> E:
        return select(t - 1.0, closed, series(term))

    half = apply("sin", 0.5 * angle) / angle
    A = either(apply("sin", angle) / angle, lambda k: 1.0)
    B = either(2.0 * half * half, lambda k: 1.0 / (2 * k + 2))
    C = either((1.0 - A) / t, lambda k: 1.0 / ((2 * k + 2) * (2 * k + 3)))
    D = either((A - 2.0 * B) / t, lambda k: -1.0 / ((2 * k + 3) * (2 * k + 4)))
    F = either((B - 3.0 * C) / t, lambda k: -1.0 / ((2 * k + 3) * (2 * k + 4) * (2 * k + 5)))
    d, c = dot(x, v), cross(x, v)
    xc, vc = cross(x, c), cross(v, c)
    rate = [F * d * xc[k] - D * d * c[k] + C * vc[k] for k in range(3)]
    skew = [[ZERO, -x[2], x[1]], [x[2], ZERO, -x[0]], [-x[1], x[0], ZERO]]
    # [x]^2 = x x^T - t
    square = [[x[i] * x[j] for j in range(3)] for i in range(3)]
    for i in range(3):
        square[i][i] = -(x[(i + 1) % 3] * x[(i + 1) % 3] + x[(i + 2) % 3] * x[(i + 2) % 3])
    R = [(ONE if i == j else ZERO) + A * skew[i][j] + B * square[i][j] for i in range(3) for j in range(3)]
    J = [[(ONE if i == j else ZERO) - B * skew[i][j] + C * square[i][j] for j in range(3)] for i in range(3)]
    columns = [[J[i][k] for i in range(3)] + [ZERO] * 3 for k in range(3)]
    return Motion(R + [ZERO] * 3, columns, rate + [ZERO] * 3)


def bias(motion: Motion, omega: Vector, v: Sequence[E]) -> tuple[Vector, Vector, Vector]:
    """Return the joint's angular velocity, and what velocities add to ``[alpha; a]`` behind it, in axes behind it.

    ``e_w + w x c_w`` and ``2 w x c_v + e_v + c_w x c_v``, with ``c = S v`` and ``e = Sdot v``.

    Args:
        motion: Of the joint.
        omega: The parent's angular velocity, in axes behind the joint.
        v: The coordinates' rates.
    """
    c = [dot([column[row] for column in motion.S], v) for row in range(6)]
    turning = plus(motion.rate[:3], cross(omega, c[:3]))
    both = [2.0 * w + own for w, own in zip(omega, c[:3], strict=True)]
    return c[:3], turning, plus(motion.rate[3:], cross(both, c[3:]))
