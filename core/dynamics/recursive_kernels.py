"""The recursive formulation, compiled: passes outwards and inwards over the rows of a packed tree.

Nothing is allocated and nothing is checked; arrays are float64 and contiguous. Where a pivot may be nothing but
rounding, the plain twin, which compares it with that of rigid bodies, decides whether the model is singular, and
computes the answer if it is not.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numba as nb
import numpy as np
from numba import types
from numpy.typing import NDArray

from core.dynamics.articulated import accelerate, eliminate, load
from core.dynamics.node_motion import FAST, place, push
from core.dynamics.packed import Packed
from core.dynamics.recursive_plain import forward as careful_forward
from core.dynamics.recursive_plain import hybrid as careful_hybrid
from core.dynamics.recursive_plain import inverse_product as careful_inverse_product
from core.dynamics.rigid import composite, gather, move
from core.dynamics.slots import ADDED, BIAS, BODY, FORCE, GIVEN, INERTIA, WIDTH
from core.kinematics.inlining import F1, F2, I0, INLINE, OPTIONS, view

Array = NDArray[np.float64]

KERNEL = OPTIONS | {"fastmath": FAST}
B1 = nb.boolean[::1]


@nb.njit(types.Tuple((F2, F1, F1))(F1, I0, I0), **INLINE)
def unpack(block, nodes, bodies):  # type: ignore[no-untyped-def]
    """Return the rows, and room for cosines and for sines, found in a block of memory."""
    rows = 1 + nodes + bodies
    behind = rows * WIDTH
    return view(block, 0, (rows, WIDTH)), view(block, behind, (nodes,)), view(block, behind + nodes, (nodes,))


@nb.njit(I0(F1, F1, F1, F1, F2, F1), **KERNEL)
def _forward(block, x, v, tau, wrenches, vdot):  # type: ignore[no-untyped-def]
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


@nb.njit(nb.void(F1, F1, F1, F1, F2, F1), **KERNEL)
def _inverse(block, x, v, vdot, wrenches, tau):  # type: ignore[no-untyped-def]
    rows, cosine, sine = unpack(block, len(x), len(wrenches))
    place(rows, cosine, sine, x, v)
    push(rows, len(x) + 1, wrenches)
    move(rows, vdot)
    gather(rows, tau)


@nb.njit(I0(F1, F1, F1, F1, F1, B1, F2, F1), **KERNEL)
def _hybrid(block, x, v, tau, vdot, prescribed, wrenches, vdot_out):  # type: ignore[no-untyped-def]
    n = len(x)
    rows, _, _ = unpack(block, n, len(wrenches))
    for k in range(n):
        W = rows[k + 1]
        if prescribed[int(W[BODY])]:
            W[ADDED], W[GIVEN] = np.inf, vdot[k]
    doubtful = _forward(block, x, v, tau, wrenches, vdot_out)
    for k in range(n):
        W = rows[k + 1]
        W[ADDED], W[GIVEN] = 0.0, 0.0
    return doubtful


@nb.njit(nb.void(F1, F1, F1, I0, F2), **KERNEL)
def _mass_matrix(block, x, rest, bodies, M):  # type: ignore[no-untyped-def]
    rows, cosine, sine = unpack(block, len(x), bodies)
    place(rows, cosine, sine, x, rest)
    composite(rows, M)


@nb.njit(I0(F1, F1, F1, I0, F1, F2, F2), **KERNEL)
def _inverse_product(block, x, rest, bodies, added, rhs, out):  # type: ignore[no-untyped-def]
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


_EVALUATING = threading.RLock()


def _call(kernel: Callable[..., Any], packed: Packed, x: Array, v: Array, *arguments: Any) -> Any:
    """Call a kernel, with the joints evaluated that it cannot evaluate itself, and nobody in between."""
    if not packed.general:
        return kernel(packed.block, x, v, *arguments)
    with _EVALUATING:
        packed.evaluate(x, v)
        return kernel(packed.block, x, v, *arguments)


def forward(packed: Packed, x: Array, v: Array, tau: Array, wrenches: Array, vdot: Array) -> int:
    """Compute accelerations from forces; see the plain twin.

    Source: Sueda algorithm 9.
    """
    if packed.general:
        doubtful = _call(_forward, packed, x, v, tau, wrenches, vdot)
    else:
        doubtful = _forward(packed.block, x, v, tau, wrenches, vdot)
    if doubtful < 0:
        return -1
    return careful_forward(packed, x, v, tau, wrenches, vdot)


def hybrid(
    packed: Packed,
    x: Array,
    v: Array,
    tau: Array,
    vdot: Array,
    prescribed: NDArray[np.bool_],
    wrenches: Array,
    vdot_out: Array,
    tau_out: Array,
) -> int:
    """Compute the accelerations of the free joints and the torques of the prescribed ones; see the plain twin.

    A prescribed joint is one of infinite inertia that moves as it is told; its torque follows by inverse dynamics.
    """
    if _call(_hybrid, packed, x, v, tau, vdot, prescribed, wrenches, vdot_out) >= 0:
        return careful_hybrid(packed, x, v, tau, vdot, prescribed, wrenches, vdot_out, tau_out)
    free = ~prescribed[packed.body]
    kept = tau[free]
    inverse(packed, x, v, vdot_out, wrenches, tau_out)
    tau_out[free] = kept
    return -1


def inverse(packed: Packed, x: Array, v: Array, vdot: Array, wrenches: Array, tau: Array) -> None:
    """Compute the generalized forces of given accelerations; see the plain twin.

    Source: Liu & Jain section 7.
    """
    _call(_inverse, packed, x, v, vdot, wrenches, tau)


def mass_matrix(packed: Packed, x: Array, out: Array) -> None:
    """Compute the mass matrix from composite rigid bodies; see the plain twin."""
    _call(_mass_matrix, packed, x, packed.rest, len(packed.model.bodies), out)


def inverse_product(packed: Packed, x: Array, added: Array, rhs: Array, out: Array) -> int:
    """Compute ``(M + diag(added))^-1 rhs``; see the plain twin.

    Source: Sueda algorithm 10.
    """
    if _call(_inverse_product, packed, x, packed.rest, len(packed.model.bodies), added, rhs, out) < 0:
        return -1
    return careful_inverse_product(packed, x, added, rhs, out)
