"""The objective of inverse kinematics by optimisation and its gradient, with numpy."""

from __future__ import annotations

import numpy as np

from core.ik.nodes_plain import columns, errors, frames
from core.ik.packed import Aims, Nodes, Work
from core.skeleton.skeleton import Array

POINT, UNIT, GRADIENT = 0, 1, 2
"""Rows of ``work.s``: values of the nodes, how much of each one of its variable is, gradient."""


def evaluate(nodes: Nodes, aims: Aims, z: Array, work: Work, scale: float) -> float:
    """Return the objective at ``x = unit z``, and write ``x`` and the gradient by ``z`` into ``work.s``.

    ``scale sum_g [ w_p |P_d - P_c|^2 + w_o L^2 sum_j (1 - u_jd . u_jc) ]``. With unit vectors ``1 - u.v`` is half of
    ``|u - v|^2``, which keeps its digits where they are needed. Up to third order in the angle it is the merit of
    ``errors``.

    Args:
        nodes: Degrees of freedom.
        aims: Goals.
        z: Variables, shape (K,); ``x`` is kept inside the limits, which rounding might leave.
        work: Scratch memory; row ``UNIT`` of ``s`` is read, frames, errors and Jacobian of ``x`` are in it at the end.
        scale: Factor of objective and gradient.

    Source: Welman (1993) section 3.3; Zhao and Badler (1994).
    """
    x = np.clip(work.s[UNIT] * z, nodes.lower, nodes.upper)
    work.s[POINT] = x
    frames(nodes, aims, x, work)
    errors(aims, work)
    columns(nodes, aims, work)
    value, gradient = 0.0, np.zeros(len(x))
    for g in range(len(aims.node)):
        at_position, at_rotation, reach = aims.weight[g]
        rows = slice(6 * g, 6 * g + 3)
        if at_position > 0.0:
            value += at_position * float(work.E[rows] @ work.E[rows])
            gradient -= 2.0 * at_position * (work.E[rows] @ work.J[rows])
        if at_rotation > 0.0:
            off = aims.wanted[g] - work.O[g]
            value += 0.5 * at_rotation * reach * reach * float(np.sum(off * off))
            twist = np.cross(work.O[g], off, axis=0).sum(axis=1)
            gradient -= at_rotation * reach * (twist @ work.J[6 * g + 3 : 6 * g + 6])
    work.s[GRADIENT] = scale * work.s[UNIT] * gradient
    return scale * value
