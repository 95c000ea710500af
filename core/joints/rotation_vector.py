"""Exponential coordinates of a rotation, shared by the spherical joint and both free joints.

The rotation is ``R = exp(hat(r))``, its angular velocity in its own axes ``J_r(r) r'``. Every vector on the spheres of
radius 2 pi, 4 pi, ... is the identity, and there the Jacobian is singular; well before, ``r`` is replaced by
``(1 - 2 pi / |r|) r``, which is the same rotation.

Source: Grassia (1998), Practical parameterization of rotations using the exponential map; Sueda 2.4.8.
"""

from __future__ import annotations

import math

import numpy as np

from core.arrays import Array
from core.joints.base import nearest_turn
from core.spatial import so3

Three = tuple[float, float, float]

RECHART_BEYOND = 1.5 * math.pi
"""Length [rad] beyond which a rotation vector is replaced.

Half way between pi, where both vectors are as good and would replace each other all the time, and the singularity.
"""

EARLY_BEYOND = math.pi
"""The same for methods whose steps are crude: there the other vector is the shorter one."""


def rechart_vector(r: list[float], rate: list[float], early: bool = False) -> tuple[Array, Array] | None:
    """Return the rotation vector ``(1 - 2 pi / |r|) r`` and its rate for the same angular velocity; None if not due.

    The rate needs no Jacobian: ``r = t u`` becomes ``(t - 2 pi) u``, hence of ``r'`` the part along ``u`` stays and the
    part across is multiplied by ``1 - 2 pi / t``. A vector of several turns loses them all.

    Args:
        r: Rotation vector, three numbers, [rad].
        rate: ``r'``, three numbers, [rad/s].
        early: Whether it is due beyond ``EARLY_BEYOND`` already.
    """
    t = math.sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2])
    if not (EARLY_BEYOND if early else RECHART_BEYOND) < t < math.inf:
        return None
    u = [x / t for x in r]
    shorter = t - 2.0 * math.pi * round(t / (2.0 * math.pi))
    along = u[0] * rate[0] + u[1] * rate[1] + u[2] * rate[2]
    factor = shorter / t
    return (
        np.array([shorter * x for x in u]),
        np.array([along * x + factor * (y - along * x) for x, y in zip(u, rate, strict=True)]),
    )


def vector_of(R: Array, near: list[float] | None) -> list[float]:
    """Return the rotation vector of a rotation, of those with its axis and any whole turns the one nearest to ``near``.

    Args:
        R: Shape (3, 3).
        near: Three numbers, [rad]; None for the shortest.
    """
    r: list[float] = so3.log(R).tolist()
    if near is None:
        return r
    t = math.sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2])
    if t > 0.0:
        u = [x / t for x in r]
        turned = nearest_turn(t, u[0] * near[0] + u[1] * near[1] + u[2] * near[2])
        return [turned * x for x in u]
    size = math.sqrt(near[0] * near[0] + near[1] * near[1] + near[2] * near[2])
    turned = nearest_turn(0.0, size)
    return [turned * x / size for x in near] if turned > 0.0 else r
