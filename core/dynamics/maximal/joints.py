"""What the joints of a tree demand of the twists of its bodies (Sueda 1.10 and 1.12, for any joint).

A joint with the motion subspace S leaves the twists in the span of S free. With an orthonormal basis N of what is
orthogonal to it, ``N^T (V - Ad V_parent) = 0``, all in the joint's frame J. That holds for every type of joint, S
moving or not, and no row is redundant. Rows dropped from the adjoint, as of hinges and balls in Sueda 1.69, are the
case of an S along the axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from core.arrays import Array
from core.dynamics.maximal.state import MaximalState
from core.dynamics.maximal.tree_system import Rows, triangle_solve
from core.dynamics.motion import Motion
from core.errors import DynamicsError
from core.spatial import se3

if TYPE_CHECKING:
    from core.dynamics.tree_model import TreeModel

# What is left of a column of S beside the ones before it, relative to its length, when it is rounding and no more.
_SINGULAR = 64.0 * np.finfo(np.float64).eps


class Factors(NamedTuple):
    """``S = Q R`` of a body's joint: orthonormal ``Q``, shape (6, n), which ``N`` completes, and a triangle ``R``."""

    body: str
    Q: Array
    R: Array
    N: Array


class Joints(NamedTuple):
    """Joints in one state of the bodies, everything in the joint frames J.

    Attributes:
        rows: What each joint demands.
        factors: Of the subspaces in the model's own coordinates, which rates and generalized forces belong to.
        Ad: Take twists from the parents' joint frames to J, shape (nb, 6, 6).
        rotations: ``R_WJ``, shape (nb, 3, 3).
        V: Twists of J against the world, shape (nb, 6).
        relative: Twists of J against the parent's joint frame, shape (nb, 6); in a state that has drifted not quite in
            the span of S.
        bias: ``eta = ad(V) relative + Sdot v``: the parts of the relative accelerations that velocities make, shape
            (nb, 6).
        error: Twists that would carry the joint frames from the nearest place that the joint can reach to where they
            are, shape (nb, 6).
        x: Coordinates of that place, shape (nq,).
    """

    rows: tuple[Rows, ...]
    factors: tuple[Factors, ...]
    Ad: Array
    rotations: Array
    V: Array
    relative: Array
    bias: Array
    error: Array
    x: Array


def of_motion(model: TreeModel, x: Array, motion: Motion) -> Joints:
    """Return the joints of bodies that stand and move as their joints allow.

    Args:
        model: The bodies.
        x: Coordinates, shape (nq,).
        motion: ``motion(model, x, v)``.
    """
    assert motion.V is not None and motion.bias is not None
    factors = factored(model.names, motion.S)
    relative = against_parents(model, motion.Ad, motion.V)
    R_WJ = model.joint_poses(x)[:, :3, :3]
    rows = _rows(model, motion.Ad, factors)
    return Joints(rows, factors, motion.Ad, R_WJ, motion.V, relative, motion.bias, np.zeros_like(relative), x)


def of_state(model: TreeModel, state: MaximalState) -> Joints:
    """Return the joints of bodies wherever they are, together or apart.

    A joint whose coordinates are near a singularity is looked at in another chart: what it demands is the same.

    Args:
        model: The bodies.
        state: Their poses and twists.
    """
    X_WJ = state.joint_poses(model)
    Q = state.joint_transforms(model, X_WJ)
    Ad = se3.adjoint(se3.inverse(model.X_PJ @ Q))
    V = state.joint_twists(model)
    relative = against_parents(model, Ad, V)
    bias = np.einsum("bij,bj->bi", se3.ad(V), relative)
    error = np.empty_like(V)
    joints = [body.joint for body in model.bodies]
    x = [joint.coordinates(Q[i], state.near[model.first[i] : model.first[i + 1]]) for i, joint in enumerate(joints)]
    own = locking = factored(model.names, [joint.subspace(q) for joint, q in zip(joints, x, strict=True)])
    places = list(x)
    for i, joint in enumerate(joints):
        other = joint.rechart(x[i], np.zeros(joint.n))
        if other is not None:
            joints[i], places[i], _ = other
    if any(place is not q for place, q in zip(places, x, strict=True)):
        locking = factored(model.names, [joint.subspace(q) for joint, q in zip(joints, places, strict=True)])
    for i, (joint, q) in enumerate(zip(joints, places, strict=True)):
        v = rates(locking[i], relative[i])
        bias[i] += joint.subspace_rate(q, v) @ v
        error[i] = se3.log(se3.inverse(joint.transform(q)) @ Q[i])
    rows = _rows(model, Ad, locking)
    return Joints(rows, own, Ad, X_WJ[:, :3, :3], V, relative, bias, error, np.concatenate(x))


def against_parents(model: TreeModel, Ad: Array, V: Array) -> Array:
    """Return the twists V of the joint frames less those of their parents, in J, shape (nb, 6); new.

    Args:
        model: The bodies.
        Ad: Take twists from the parents' joint frames to J, shape (nb, 6, 6).
        V: Twists of J in J, or their rates, shape (nb, 6).
    """
    carried = np.einsum("bij,bj->bi", Ad, V[model.parents])
    carried[model.parents < 0] = 0.0
    return np.asarray(V - carried)


def locked(joints: Joints, vectors: Array) -> tuple[Array, ...]:
    """Return the components along what the joints lock, ``N^T`` times each of the vectors (nb, 6), shapes (m_i,)."""
    return tuple(row.normal.T @ vector for row, vector in zip(joints.rows, vectors, strict=True))


def rates(factors: Factors, twist: Array) -> Array:
    """Return the rates that make a joint move with a twist, ``S^+ twist``, shape (n,); new.

    Raises:
        DynamicsError: If two coordinates of the joint move it the same way here; names the body.
    """
    return _triangle_solve(factors, factors.Q.T @ twist)


def wrench(factors: Factors, tau: Array) -> Array:
    """Return the wrench in the span of S that does the work of the generalized forces ``tau``, shape (6,); new.

    Raises:
        DynamicsError: As ``rates``.
    """
    return factors.Q @ _triangle_solve(factors, tau, transposed=True)


def wrenches_of(model: TreeModel, joints: Joints, tau: Array) -> Array:
    """Return the wrenches that the joints' generalized forces put on their own bodies, shape (nb, 6); new."""
    first = model.first
    return np.stack([wrench(f, tau[first[i] : first[i + 1]]) for i, f in enumerate(joints.factors)])


def on_bodies(joints: Joints, wrenches: Array) -> Array:
    """Return what wrenches in the joints put on each body: its own joint's, less those that it hands to its children.

    Args:
        joints: The joints.
        wrenches: On the body below the joint, at J's origin in J's axes, shape (nb, 6).

    Returns:
        Shape (nb, 6); new.
    """
    total = wrenches.copy()
    for row, part in zip(joints.rows, wrenches, strict=True):
        if row.parent >= 0:
            total[row.parent] -= row.Ad.T @ part
    return total


def _rows(model: TreeModel, Ad: Array, factors: tuple[Factors, ...]) -> tuple[Rows, ...]:
    return tuple(Rows(parent, Ad[i], factors[i].N, factors[i].Q) for i, parent in enumerate(model.parents.tolist()))


def factored(names: Sequence[str], subspaces: Sequence[Array]) -> tuple[Factors, ...]:
    """Return the factors of joints; those with as many coordinates are factored in one call.

    Args:
        names: Of the bodies, for messages.
        subspaces: ``S`` of their joints, shapes (6, n_i).
    """
    found: dict[int, Factors] = {}
    for n in {S.shape[1] for S in subspaces}:
        alike = [i for i, S in enumerate(subspaces) if S.shape[1] == n]
        if n:
            Q, R = np.linalg.qr(np.stack([subspaces[i] for i in alike]), mode="complete")
        else:
            Q, R = np.tile(np.eye(6), (len(alike), 1, 1)), np.zeros((len(alike), 6, 0))
        for k, i in enumerate(alike):
            found[i] = Factors(names[i], Q[k, :, :n], R[k, :n], Q[k, :, n:])
    return tuple(found[i] for i in range(len(subspaces)))


def _triangle_solve(factors: Factors, b: Array, transposed: bool = False) -> Array:
    R = factors.R
    if not len(R):
        return np.zeros(0)
    if (np.abs(np.diagonal(R)) <= _SINGULAR * np.linalg.norm(R, axis=0)).any():
        raise DynamicsError(
            f'body "{factors.body}": coordinates of its joint move it the same way here; '
            "expected a chart away from its singularity"
        )
    return triangle_solve(R, b[:, None], transposed=transposed)[:, 0]
