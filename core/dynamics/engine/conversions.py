"""Between the coordinates of a model and those of the step, whose rotations are quaternions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.arrays import Array
from core.dynamics.charts import converted, rates_matrix
from core.dynamics.engine.memory import Memory
from core.dynamics.engine.tree import Tree
from core.spatial import quaternion, se3, so3


def turns_of(tree: Tree, x: Array) -> Array:
    """Return the quaternions of all rotations at coordinates ``x`` of the model, shape (balls, 4); new."""
    vectors = x[tree.ball_places].reshape(-1, 3)
    turns = quaternion.exp(0.5 * vectors)
    for joint, first in tree.angles:
        turns[np.searchsorted(tree.balls, first)] = quaternion.from_matrix(
            joint.transform(x[first : first + 3])[:3, :3]
        )
    return np.asarray(turns)


def velocities(tree: Tree, x: Array, v: Array) -> Array:
    """Return the step's velocities for the rates ``v`` at ``x``, both of the model, shape (n,); new."""
    u = v.copy()
    places = tree.ball_places
    if len(places):
        u[places] = np.einsum("kij,kj->ki", so3.right_jacobian(x[places]), v[places])
    for joint, first in tree.angles:
        part = slice(first, first + 3)
        u[part] = joint.subspace(x[part])[:3] @ v[part]
    return u


def rates(tree: Tree, x: Array, u: Array) -> Array:
    """Return the model's rates at ``x`` for the step's velocities, shape (n,); new; the inverse of ``velocities``.

    General joints are not looked at.
    """
    v = u.copy()
    places = tree.ball_places
    if len(places):
        v[places] = np.einsum("kij,kj->ki", so3.inverse_right_jacobian(x[places]), u[places])
    for joint, first in tree.angles:
        part = slice(first, first + 3)
        v[part] = np.linalg.lstsq(joint.subspace(x[part])[:3], u[part], rcond=1e-9)[0]
    return v


def rates_blocks(tree: Tree, memory: Memory, x: Array) -> list[tuple[slice, Array]]:
    """Return the joints whose rates in the model are not the step's velocities: coordinates, and E of ``v = E u``.

    Args:
        tree: The nodes.
        memory: The state.
        x: Its coordinates in the charts of the model, shape (n,).
    """
    places, X = tree.ball_places, memory.x
    blocks: list[tuple[slice, Array]] = []
    if len(places):
        angles = {first for _, first in tree.angles}
        found = so3.inverse_right_jacobian(x[places])
        blocks = [
            (slice(first, first + 3), E) for first, E in zip(tree.balls.tolist(), found, strict=True)
            if first not in angles
        ]  # fmt: skip
    for joint, first in tree.angles:
        part = slice(first, first + 3)
        blocks.append((part, np.asarray(np.linalg.pinv(joint.subspace(x[part])[:3], rcond=1e-9), dtype=np.float64)))
    for general in tree.general:
        part = slice(general.first, general.first + general.home.n)
        blocks.append((part, rates_matrix(general.joint, X[part], general.home, x[part])))
    return blocks


def efforts(blocks: Sequence[tuple[slice, Array]], tau: Array) -> Array:
    """Return forces, or rows, by the step's velocities for those by the model's rates, shape (..., n); new."""
    out = tau.copy()
    for part, E in blocks:
        out[..., part] = tau[..., part] @ E
    return out


def by_velocities(blocks: Sequence[tuple[slice, Array]], A: Array) -> Array:
    """Return ``E^T A E``: a stiffness or damping by the step's velocities for one by the model's rates; new."""
    return efforts(blocks, efforts(blocks, A).T).T


def coordinates(tree: Tree, memory: Memory, near: Array | None) -> Array:
    """Return coordinates in the charts of the model for a state of the step, shape (n,); new.

    General joints are not looked at.

    Args:
        tree: The nodes.
        memory: The state.
        near: Coordinates, shape (n,): of those with the same pose the nearest are taken; None takes the least turn.
    """
    x = memory.x.copy()
    places = tree.ball_places
    if len(places):
        turns = memory.nodes["turn"][tree.balls]
        r = 2.0 * quaternion.log(np.where(turns[:, :1] < 0.0, -turns, turns))
        if near is not None:
            angle = np.linalg.norm(r, axis=1, keepdims=True)
            axis = np.where(angle > 1e-12, r / np.where(angle > 1e-12, angle, 1.0), _direction(near[places]))
            along = np.sum(axis * near[places], axis=1, keepdims=True)
            r = axis * (angle + 2.0 * np.pi * np.rint((along - angle) / (2.0 * np.pi)))
        x[places] = r
    for joint, first in tree.angles:
        part = slice(first, first + 3)
        R = quaternion.to_matrix(memory.nodes["turn"][first])
        x[part] = joint.coordinates(se3.transform(R), near=None if near is None else near[part])
    return x


def model_state(tree: Tree, memory: Memory, u: Array, near: Array | None) -> tuple[Array, Array]:
    """Return coordinates and rates in the charts of the model for a state of the step, new arrays.

    Args:
        tree: The nodes.
        memory: The state.
        u: Velocities, shape (n,).
        near: As of :func:`coordinates`.
    """
    x, X = coordinates(tree, memory, near), memory.x
    v = rates(tree, x, u)
    for general in tree.general:
        if general.joint is general.home and near is None:
            continue
        part = slice(general.first, general.first + general.home.n)
        q = converted(general.joint, X[part], general.home, None if near is None else near[part])
        x[part], v[part] = q, rates_matrix(general.joint, X[part], general.home, q) @ u[part]
    return x, v


def _direction(vectors: Array) -> Array:
    """Return the directions of vectors, shape (k, 3); the first axis for those of no length."""
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.where(length > 0.0, vectors / np.where(length > 0.0, length, 1.0), np.array([1.0, 0.0, 0.0]))
