"""Accelerations of joint coordinates from the reduced inertia ``J^T M J``, dense, whatever frames ``J`` is in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy

from core.arrays import Array
from core.dynamics.body_names import body_of_coordinate
from core.errors import DynamicsError

if TYPE_CHECKING:
    from core.dynamics.tree_model import TreeModel

# A pivot below this much of its diagonal element is rounding: it stands for zero.
_SINGULAR = 64.0 * np.finfo(np.float64).eps


def congruence(J: Array, blocks: Array) -> Array:
    """Return ``J^T blkdiag(blocks) J``, shape (nv, nv), for blocks of shape (nb, 6, 6); new."""
    return J.T @ (blocks @ J.reshape(len(blocks), 6, J.shape[1])).reshape(J.shape)


def cholesky(M: Array) -> tuple[Array, int | None]:
    """Return the lower Cholesky factor of an inertia, shape (nv, nv), and a coordinate that moves none; None if all do.

    The factor is no good where one does not.
    """
    factor, failed = scipy.linalg.lapack.dpotrf(M, lower=True)
    weak = np.flatnonzero(np.diagonal(factor) ** 2 <= _SINGULAR * np.diagonal(M))
    return factor, failed - 1 if failed else int(weak[0]) if weak.size else None


def accelerations(model: TreeModel, J: Array, blocks: Array, F: Array, tau: Array | None) -> Array:
    """Return ``vdot`` with ``J^T blkdiag(blocks) J vdot = J^T F + tau``, shape (nv,); new.

    The reduced inertia is dense, so the time grows with the cube of ``nv``.

    Args:
        model: The bodies.
        J: Takes joint rates to six velocities of each body, shape (6 nb, nv).
        blocks: Inertias of the bodies dual to these velocities, shape (nb, 6, 6).
        F: What moves each body by itself, less the inertia of ``Jdot v``, in the same frames, shape (6 nb,).
        tau: Generalized forces, shape (nv,); None is zero.

    Raises:
        DynamicsError: If a joint has a direction that moves no inertia; names its body.
    """
    factor, weak = cholesky(congruence(J, blocks))
    if weak is not None:
        body = model.names[body_of_coordinate(model, weak)]
        raise DynamicsError(
            f'body "{body}": its joint has a direction here that moves no inertia; '
            "expected mass in it or in a body that it carries, and a chart away from its singularity"
        )
    vdot = np.zeros(model.nv)
    if not model.nv:
        return vdot
    # J^T M J loses twice the digits that J does. A second round on what the first left over, expressed in bodies where
    # the large terms cancel before J^T adds them up, brings them back.
    for _ in range(2):
        left = F - (blocks @ (J @ vdot).reshape(-1, 6, 1)).ravel()
        rest = J.T @ left if tau is None else J.T @ left + tau
        vdot += scipy.linalg.lapack.dpotrs(factor, rest, lower=True)[0]
    return vdot
