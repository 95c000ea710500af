"""The objective of inverse kinematics by optimisation and its gradient."""

from __future__ import annotations

from core.ik.nodes_kernel import columns, errors, frames
from core.ik.packed import Aims, Nodes, Work
from core.kernels import F1, kernel

POINT, UNIT, GRADIENT = 0, 1, 2
"""Rows of ``work.s``: values of the nodes, how much of each one of its variable is, gradient."""


@kernel
def evaluate(nodes: Nodes, aims: Aims, z: F1, work: Work, scale: float) -> float:
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
    x, unit, gradient = work.s[POINT], work.s[UNIT], work.s[GRADIENT]
    J, E, O = work.J, work.E, work.O  # noqa: E741 - the thesis' name
    number = len(x)
    for k in range(number):
        x[k] = min(max(unit[k] * z[k], nodes.lower[k]), nodes.upper[k])
        gradient[k] = 0.0
    frames(nodes, aims, x, work)
    errors(aims, work)
    columns(nodes, aims, work)
    value = 0.0
    for g in range(len(aims.node)):
        at_position, at_rotation, reach = aims.weight[g, 0], aims.weight[g, 1], aims.weight[g, 2]
        r = 6 * g
        if at_position > 0.0:
            e0, e1, e2 = E[r], E[r + 1], E[r + 2]
            value += at_position * (e0 * e0 + e1 * e1 + e2 * e2)
            for k in range(number):
                gradient[k] -= 2.0 * at_position * (e0 * J[r, k] + e1 * J[r + 1, k] + e2 * J[r + 2, k])
        if at_rotation > 0.0:
            total = t0 = t1 = t2 = 0.0
            for j in range(3):
                c0, c1, c2 = O[g, 0, j], O[g, 1, j], O[g, 2, j]
                d0, d1, d2 = aims.wanted[g, 0, j] - c0, aims.wanted[g, 1, j] - c1, aims.wanted[g, 2, j] - c2
                total += d0 * d0 + d1 * d1 + d2 * d2
                t0 += c1 * d2 - c2 * d1
                t1 += c2 * d0 - c0 * d2
                t2 += c0 * d1 - c1 * d0
            value += 0.5 * at_rotation * reach * reach * total
            for k in range(number):
                gradient[k] -= at_rotation * reach * (t0 * J[r + 3, k] + t1 * J[r + 4, k] + t2 * J[r + 5, k])
    for k in range(number):
        gradient[k] *= scale * unit[k]
    return scale * value
