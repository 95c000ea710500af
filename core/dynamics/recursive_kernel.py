"""The recursive formulation: passes outwards and inwards over the nodes of a packed tree.

Nothing is checked; arrays are float64 and contiguous. Where a pivot may be nothing but rounding,
``careful_recursion`` compares it with that of rigid bodies. What ``rows_kernel`` calls too is linked: so there is one
machine code for a state and for a row of many, and they give the same bits.
"""

from __future__ import annotations

import numpy as np

from core.dynamics.articulated_kernel import accelerate, eliminate, load
from core.dynamics.node_motion_kernel import FAST, place, push
from core.dynamics.rigid_kernel import composite, gather, move
from core.dynamics.tree_memory import TreeMemory
from core.kernels import F1, F2, kernel
from core.kernels.types import B1

REFUSED = -2
"""A number is not finite, or an array has another length than the tree."""


@kernel(python=True, linked=True, fastmath=FAST)
def forward(tree: TreeMemory, x: F1, v: F1, tau: F1, wrenches: F2, vdot: F1) -> int:
    """Write accelerations from forces; return -1, a body whose pivot may be nothing but rounding, or ``REFUSED``.

    Source: Sueda algorithm 9.
    """
    n = tree.state.coordinate_count
    if len(x) != n or len(v) != n or len(tau) != n or len(vdot) != n:
        return REFUSED
    place(tree, x, v)
    push(tree, wrenches)
    nodes = tree.nodes
    world = nodes[0]
    for k in range(21):
        world.inertia[k] = 0.0
    for k in range(6):
        world.force[k] = 0.0
    doubtful = eliminate(nodes, tau)
    for k in range(6):
        world.force[k] = world.bias[k]
    accelerate(nodes, vdot)
    # A number that is not finite in x or v shows in their product, as 0 times infinity is none either, and one in tau
    # in the acceleration of its own coordinate.
    total = 0.0
    for k in range(n):
        total += x[k] * v[k] + vdot[k] * vdot[k]
    return REFUSED if doubtful < 0 and not np.isfinite(total) else doubtful


@kernel(python=True, linked=True, fastmath=FAST)
def inverse(tree: TreeMemory, x: F1, v: F1, vdot: F1, wrenches: F2, tau: F1) -> int:
    """Write the generalized forces of given accelerations; return -1 or ``REFUSED``.

    Source: Liu & Jain section 7.
    """
    n = tree.state.coordinate_count
    if len(x) != n or len(v) != n or len(vdot) != n or len(tau) != n:
        return REFUSED
    place(tree, x, v)
    push(tree, wrenches)
    move(tree.nodes, vdot)
    gather(tree.nodes, tau)
    total = 0.0
    for k in range(n):
        total += x[k] * v[k] + vdot[k] * tau[k]
    return -1 if np.isfinite(total) else REFUSED


@kernel(fastmath=FAST)
def hybrid(tree: TreeMemory, x: F1, v: F1, tau: F1, vdot: F1, prescribed: B1, wrenches: F2, vdot_out: F1) -> int:
    """Write the accelerations of the free joints; return as ``forward``.

    A prescribed joint is one of infinite inertia that moves as it is given.
    """
    n, nodes = len(x), tree.nodes
    for k in range(n):
        W = nodes[k + 1]
        if prescribed[W.body]:
            W.added, W.given = np.inf, vdot[k]
    doubtful = forward(tree, x, v, tau, wrenches, vdot_out)
    for k in range(n):
        W = nodes[k + 1]
        W.added, W.given = 0.0, 0.0
    return doubtful


@kernel(python=True, linked=True, fastmath=FAST)
def mass_matrix(tree: TreeMemory, x: F1, rest: F1, M: F2) -> None:
    """Write the mass matrix from composite rigid bodies."""
    place(tree, x, rest)
    composite(tree.nodes, M)


@kernel(fastmath=FAST)
def inverse_product(tree: TreeMemory, x: F1, rest: F1, added: F1, rhs: F2, out: F2) -> int:
    """Write ``(M + diag(added))^-1 rhs`` of each row of ``rhs``; return as ``forward``. Source: Sueda algorithm 10."""
    n, nodes = len(x), tree.nodes
    place(tree, x, rest)
    for k in range(n):
        nodes[k + 1].added = added[k]
    doubtful = eliminate(nodes, rest)
    for k in range(n):
        nodes[k + 1].added = 0.0
    if doubtful >= 0:
        return doubtful
    world = nodes[0]
    for j in range(len(rhs)):
        load(nodes, rhs[j])
        for k in range(6):
            world.force[k] = 0.0
        accelerate(nodes, out[j])
    return -1
