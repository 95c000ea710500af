"""The recursive formulation: passes outwards and inwards over the rows of a packed tree.

Nothing is checked; arrays are float64 and contiguous. Where a pivot may be nothing but rounding,
``careful_recursion`` compares it with that of rigid bodies.
"""

from __future__ import annotations

import numpy as np

from core.dynamics.articulated_kernel import accelerate, eliminate, load
from core.dynamics.node_motion_kernel import FAST, place, push
from core.dynamics.rigid_kernel import composite, gather, move
from core.dynamics.slots import ADDED, BIAS, BODY, FORCE, GIVEN, INERTIA, WIDTH
from core.kernels import F1, F2, kernel, view
from core.kernels.types import B1


@kernel(inline=True)
def unpack(block: F1, nodes: int, bodies: int) -> tuple[F2, F1, F1]:
    """Return the rows, and room for cosines and for sines, found in a block of memory."""
    rows = 1 + nodes + bodies
    behind = rows * WIDTH
    return view(block, 0, (rows, WIDTH)), view(block, behind, (nodes,)), view(block, behind + nodes, (nodes,))


@kernel(fastmath=FAST)
def forward(block: F1, x: F1, v: F1, tau: F1, wrenches: F2, vdot: F1) -> int:
    """Write accelerations from forces; return -1, or a body whose pivot may be nothing but rounding.

    Source: Sueda algorithm 9.
    """
    rows, cosine, sine = unpack(block, len(x), len(wrenches))
    place(rows, cosine, sine, x, v)
    push(rows, len(x) + 1, wrenches)
    world = rows[0]
    for k in range(INERTIA, FORCE + 6):
        world[k] = 0.0
    doubtful = eliminate(rows, tau)
    for k in range(6):
        world[FORCE + k] = world[BIAS + k]
    accelerate(rows, vdot)
    return doubtful


@kernel(fastmath=FAST)
def inverse(block: F1, x: F1, v: F1, vdot: F1, wrenches: F2, tau: F1) -> None:
    """Write the generalized forces of given accelerations. Source: Liu & Jain section 7."""
    rows, cosine, sine = unpack(block, len(x), len(wrenches))
    place(rows, cosine, sine, x, v)
    push(rows, len(x) + 1, wrenches)
    move(rows, vdot)
    gather(rows, tau)


@kernel(fastmath=FAST)
def hybrid(block: F1, x: F1, v: F1, tau: F1, vdot: F1, prescribed: B1, wrenches: F2, vdot_out: F1) -> int:
    """Write the accelerations of the free joints; return as ``forward``.

    A prescribed joint is one of infinite inertia that moves as it is given.
    """
    n = len(x)
    rows, _, _ = unpack(block, n, len(wrenches))
    for k in range(n):
        W = rows[k + 1]
        if prescribed[int(W[BODY])]:
            W[ADDED], W[GIVEN] = np.inf, vdot[k]
    doubtful = forward(block, x, v, tau, wrenches, vdot_out)
    for k in range(n):
        W = rows[k + 1]
        W[ADDED], W[GIVEN] = 0.0, 0.0
    return doubtful


@kernel(fastmath=FAST)
def mass_matrix(block: F1, x: F1, rest: F1, bodies: int, M: F2) -> None:
    """Write the mass matrix from composite rigid bodies."""
    rows, cosine, sine = unpack(block, len(x), bodies)
    place(rows, cosine, sine, x, rest)
    composite(rows, M)


@kernel(fastmath=FAST)
def inverse_product(block: F1, x: F1, rest: F1, bodies: int, added: F1, rhs: F2, out: F2) -> int:
    """Write ``(M + diag(added))^-1 rhs`` of each row of ``rhs``; return as ``forward``. Source: Sueda algorithm 10."""
    n = len(x)
    rows, cosine, sine = unpack(block, n, bodies)
    place(rows, cosine, sine, x, rest)
    for k in range(n):
        rows[k + 1, ADDED] = added[k]
    doubtful = eliminate(rows, rest)
    for k in range(n):
        rows[k + 1, ADDED] = 0.0
    if doubtful >= 0:
        return doubtful
    world = rows[0]
    for j in range(len(rhs)):
        load(rows, rhs[j])
        for k in range(6):
            world[FORCE + k] = 0.0
        accelerate(rows, out[j])
    return -1
