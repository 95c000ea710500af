"""The recursive formulation: articulated bodies, Newton and Euler, composite bodies.

The only place that knows which kernels do the work.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.dynamics import careful_recursion, recursive_kernel
from core.dynamics.packed import Packed
from core.errors import DynamicsError
from core.kernels import serving

if TYPE_CHECKING:
    from core.dynamics.tree_model import TreeModel

_DOMAIN = recursive_kernel.__name__
_empty = np.empty
_EVALUATING = threading.RLock()


def _call(name: str, packed: Packed, x: Array, v: Array, *arguments: Any) -> int:
    """Call a kernel, with the joints evaluated that it cannot evaluate itself, and nobody in between."""
    kernel = getattr(serving(_DOMAIN), name)
    if not packed.general:
        return cast(int, kernel(packed.memory, x, v, *arguments))
    with _EVALUATING:
        packed.evaluate(x, v)
        return cast(int, kernel(packed.memory, x, v, *arguments))


def _own(*arrays: Array) -> tuple[Array, ...]:
    """Return arrays that kernels take: contiguous and not read-only, copied where they are not."""
    return tuple(a if a.flags.c_contiguous and a.flags.writeable else a.copy() for a in arrays)


def packed_of(model: TreeModel) -> Packed:
    """Return a model packed for the kernels, at the first call made."""
    if model.packed is None:
        model.packed = Packed(model)
    packed: Packed = model.packed
    return packed


def quick(name: str, model: TreeModel, x: Any, v: Any, given: Any) -> Array | None:
    """Return :func:`forward` or :func:`inverse` without external wrenches, in little more than the kernel's time; new.

    None where anything needs a closer look, as what is not a float64 array of the right shape, or not finite: then
    nothing is said of it here. What the compiled kernel cannot take, as an array of two dimensions, it refuses by type,
    and another length or a number that is not finite by its answer.
    """
    kernels, packed = serving(_DOMAIN), model.packed
    if kernels is recursive_kernel:  # the text takes arrays of any kind
        return None
    try:  # what is not packed yet has nothing to ask for either
        if x.ndim != 1:
            return None
        out: Array = _empty(model.nv)
        if packed.general:
            if not len(x) == len(v) == model.nv:
                return None
            status = _call(name, packed, x, v, given, model.calm, out)
        else:
            status = getattr(kernels, name)(packed.memory, x, v, given, model.calm, out)
        return out if status == -1 else None
    except (AttributeError, TypeError):
        return None


def forward(model: TreeModel, x: Array, v: Array, tau: Array, wrenches: Array) -> Array:
    """Return the accelerations, shape (nv,); new.

    Args:
        model: The tree.
        x: Coordinates, shape (nv,).
        v: Velocities, shape (nv,).
        tau: Generalized forces, shape (nv,).
        wrenches: External wrenches at B in B, shape (nb, 6).

    Raises:
        DynamicsError: If a joint has a direction that moves no inertia; names its body.

    Source: Sueda algorithm 9.
    """
    vdot = np.empty(model.nv)
    x, v, tau, wrenches = _own(x, v, tau, wrenches)
    if _call("forward", packed_of(model), x, v, tau, wrenches, vdot) >= 0:
        _check(model, careful_recursion.forward(model, x, v, tau, wrenches, vdot))
    return vdot


def hybrid(
    model: TreeModel, x: Array, v: Array, tau: Array, vdot: Array, prescribed: NDArray[np.bool_], wrenches: Array
) -> tuple[Array, Array]:
    """Return all accelerations and generalized forces, shapes (nv,), where some joints' accelerations are given.

    Arguments as of ``Multibody.hybrid_dynamics``, ``prescribed`` of shape (nb,).

    Raises:
        DynamicsError: If a joint that is not prescribed has a direction that moves no inertia; names its body.

    Source: Sueda algorithm 9.
    """
    vdot_out, tau_out = np.empty(model.nv), np.empty(model.nv)
    x, v, tau, vdot, wrenches = _own(x, v, tau, vdot, wrenches)
    packed = packed_of(model)
    if _call("hybrid", packed, x, v, tau, vdot, prescribed, wrenches, vdot_out) >= 0:
        status = careful_recursion.hybrid(model, x, v, tau, vdot, prescribed, wrenches, vdot_out, tau_out)
        _check(model, status)
        return vdot_out, tau_out
    # The torque of a prescribed joint follows by inverse dynamics.
    _call("inverse", packed, x, v, vdot_out, wrenches, tau_out)
    free = ~prescribed[packed.body]
    tau_out[free] = tau[free]
    return vdot_out, tau_out


def inverse(model: TreeModel, x: Array, v: Array, vdot: Array, wrenches: Array) -> Array:
    """Return the generalized forces of accelerations, shape (nv,); new. Liu & Jain section 7."""
    tau = np.empty(model.nv)
    x, v, vdot, wrenches = _own(x, v, vdot, wrenches)
    _call("inverse", packed_of(model), x, v, vdot, wrenches, tau)
    return tau


def mass_matrix(model: TreeModel, x: Array) -> Array:
    """Return the mass matrix from composite rigid bodies, shape (nv, nv), exactly symmetric; new."""
    M = np.empty((model.nv, model.nv))
    packed = packed_of(model)
    _call("mass_matrix", packed, *_own(x), packed.rest, M)
    return M


def inverse_product(model: TreeModel, x: Array, rhs: Array, added: Array, blocks: Array | None = None) -> Array:
    """Return ``(M + diag(added) + J^T blkdiag(blocks) J)^-1 rhs`` of each row of ``rhs``, shape (k, nv); new.

    Args:
        model: The tree.
        x: Coordinates, shape (nv,).
        rhs: Shape (k, nv).
        added: Terms of the joints, shape (nv,).
        blocks: Terms of the bodies at B in B, shape (nb, 6, 6), or None.

    Raises:
        DynamicsError: If the sum is singular; names a body.

    Source: Sueda algorithm 10.
    """
    out = np.empty(rhs.shape)
    if blocks is None:
        packed = packed_of(model)
        x, added, rhs = _own(x, added, rhs)
        if _call("inverse_product", packed, x, packed.rest, added, rhs, out) >= 0:
            _check(model, careful_recursion.inverse_product(model, x, added, rhs, out))
    else:
        _check(model, careful_recursion.damped_inverse_product(model, x, added, blocks, rhs, out))
    return out


def _check(model: TreeModel, status: int) -> None:
    if status >= 0:
        raise DynamicsError(
            f'body "{model.names[status]}": its joint has a direction here that moves no inertia; '
            "expected mass in it or in a body that it carries, and a chart away from its singularity"
        )
