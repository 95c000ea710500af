"""Values and Jacobians of the rows of locks, with numpy, over the nodes that matter."""

from __future__ import annotations

import math

import numpy as np

from core.constraints.hold.packed import (
    AFFINE,
    BOUND,
    CONE,
    CONE_ROW,
    COSINE,
    FIRST,
    FIRST_SOFT,
    FORM,
    INEQUALITY,
    MASKED,
    MASS_OF,
    MASSIVE,
    NODE,
    OTHER,
    SINE,
    SIZE,
    STATE,
    Hold,
    views,
)
from core.constraints.hold.row_values import SMALL, angle_factors
from core.constraints.hold.rows import AIM, AXIS, DISTANCE, MASS, POINT, ROTATION
from core.kinematics.nodes_plain import place
from core.kinematics.splines_plain import move_nodes
from core.skeleton.skeleton import Array
from core.skeleton.tree import KIND_CURVE, KIND_HINGE, Ints
from core.spatial import so3

__all__ = ["FAR", "SMALL", "columns", "evaluate", "points", "turned"]

FAR = 0.25
"""Distance [W] of the centre of mass from an edge at which a step need not mind it."""


def evaluate(ints: Ints, floats: Array, slot: int) -> tuple[float, float]:
    """Write the frames and the rows' C of the values in a slot.

    Returns:
        The sum of squares of the hard rows, inequalities as far as they are violated, and the largest length of C
        of one hard entry.
    """
    h = views(ints, floats)
    x, C = h.vector[STATE + slot], h.values[slot]
    affine = bool(h.header[AFFINE])
    if len(h.splines):
        move_nodes(h.kind, h.spline, h.splines, h.fixed, h.turn, x, h.F, h.placed, h.S)
    place(h.parent, h.kind, h.F, h.placed, affine, h.base, x, h.vector[COSINE], h.vector[SINE], h.X, h.R)
    if h.header[MASSIVE]:
        _gather_masses(h)
    cost = worst = 0.0
    for e, entry in enumerate(h.entry):
        rows = slice(entry[FIRST], entry[FIRST] + entry[SIZE])
        C[rows] = _value(h, e, x)
        if e < h.header[FIRST_SOFT]:
            off = np.maximum(C[rows], 0.0) if entry[INEQUALITY] else C[rows]
            cost += float(off @ off)
            worst = max(worst, math.sqrt(float(off @ off)))
    return cost, worst


def columns(ints: Ints, floats: Array, slot: int) -> None:
    """Write the Jacobian of the rows where ``evaluate`` was last: at the values in ``slot``."""
    h = views(ints, floats)
    for e, entry in enumerate(h.entry):
        h.J[entry[FIRST] : entry[FIRST] + entry[SIZE]] = _jacobian(h, e, h.vector[STATE + slot], h.values[slot])
    if h.header[MASKED]:
        h.T[:] = h.J
        h.J[:] *= h.mask


def _gather_masses(h: Hold) -> None:
    mass = h.node[MASS_OF]
    h.below[:, 0] = mass
    h.below[:, 1:] = np.einsum("kij,kj->ki", h.X[:, :, :3], h.moment) + h.X[:, :, 3] * mass[:, None]
    for k in range(len(mass) - 1, -1, -1):
        if h.parent[k] >= 0:
            h.below[h.parent[k]] += h.below[k]


def points(h: Hold, e: int) -> tuple[Array, Array]:
    """Return both points of an entry in the world."""
    found = []
    for node, point in ((h.entry[e, NODE], h.point[e]), (h.entry[e, OTHER], h.other_point[e])):
        frame = h.base[0] if node < 0 else h.X[node]
        found.append(frame[:, :3] @ point + frame[:, 3])
    return found[0], found[1]


def turned(h: Hold, e: int) -> Array:
    """Return the basis of an entry in the world: of a joint's frame, or of an axis."""
    node = h.entry[e, NODE]
    return np.asarray((h.base[1, :, :3] if node < 0 else h.R[node]) @ h.basis[e])


def _sight(h: Hold, e: int) -> tuple[Array, float]:
    if h.entry[e, FORM] == AXIS:
        return h.wanted[e, 0], 0.0
    first, second = points(h, e)
    away = second - first
    length = math.sqrt(float(away @ away))
    return (away / length, length) if length > 0.0 else (np.eye(3)[0], 1.0)


def _value(h: Hold, e: int, x: Array) -> Array:
    form, node = h.entry[e, FORM], h.entry[e, NODE]
    rows = slice(h.entry[e, FIRST], h.entry[e, FIRST] + h.entry[e, SIZE])
    if form == POINT:
        first, second = points(h, e)
        return np.asarray(h.directions[rows] @ (first - second - h.target[e]))
    if form == DISTANCE:
        first, second = points(h, e)
        return np.array([math.sqrt(float((first - second) @ (first - second))) - h.target[e, 0]])
    if form == ROTATION:
        return so3.log(turned(h, e) @ h.wanted[e].T)
    if form in (AXIS, AIM):
        u, v, w = (_sight(h, e)[0] @ turned(h, e)).tolist()
        s = math.hypot(u, v)
        if s < SMALL and w < 0.0:
            t = math.atan2(s, w)
            return np.array([t * u / s, t * v / s]) if s > 0.0 else np.array([t, 0.0])
        return angle_factors(s, w)[0] * np.array([u, v])
    if form == MASS:
        center = h.standing[1:] + h.below[h.parent < 0, 1:].sum(axis=0)
        return np.asarray(h.directions[rows] @ center - h.row[BOUND, rows])
    assert form == CONE_ROW
    return np.array([h.node[CONE, node] - math.cos(x[node]) * math.cos(x[h.partner[node]])])


def _moved(h: Hold, points: Array) -> Array:
    """Return how each node moves its world point, shape (K, 3)."""
    arms = np.linalg.solve(h.X[:, :, :3], (points - h.X[:, :, 3])[:, :, None])[:, :, 0]
    turned = arms[:, :1] * h.X[:, :, 1] - arms[:, 1:2] * h.X[:, :, 0]
    moved = np.where((h.kind == KIND_HINGE)[:, None], turned, h.X[:, :, 2])
    if len(h.splines):
        along = (h.X[:, :, :3] @ (h.S[:, 3:] + np.cross(h.S[:, :3], arms))[:, :, None])[:, :, 0]
        moved = np.where((h.kind >= KIND_CURVE)[:, None], along, moved)
    return moved


def _spins(h: Hold, e: int) -> Array:
    """Return how each node turns an entry's first part, shape (K, 3)."""
    spins = np.where((h.kind == KIND_HINGE)[:, None], h.R[:, :, 2], 0.0)
    if len(h.splines):
        along = (h.R @ h.S[:, :3, None])[:, :, 0]
        spins = np.where((h.kind >= KIND_CURVE)[:, None], along, spins)
    return np.where((h.reach[e] & 1 != 0)[:, None], spins, 0.0)


def _parted(h: Hold, e: int) -> Array:
    """Return how each node moves an entry's first point against its second, shape (K, 3)."""
    first, second = points(h, e)
    bits = h.reach[e][:, None]
    return np.where(bits & 1, _moved(h, first), 0.0) - np.where(bits & 2, _moved(h, second), 0.0)


def _jacobian(h: Hold, e: int, x: Array, C: Array) -> Array:
    form, node = h.entry[e, FORM], h.entry[e, NODE]
    rows = slice(h.entry[e, FIRST], h.entry[e, FIRST] + h.entry[e, SIZE])
    if form == POINT:
        return np.asarray(h.directions[rows] @ _parted(h, e).T)
    if form == DISTANCE:
        first, second = points(h, e)
        away = first - second
        length = math.sqrt(float(away @ away))
        return np.asarray((away / length if length > 0.0 else np.eye(3)[0]) @ _parted(h, e).T)[None]
    spins = _spins(h, e)
    if form == ROTATION:
        return np.asarray(so3.inverse_left_jacobian(C[rows]) @ spins.T)
    if form in (AXIS, AIM):
        basis, (direction, length) = turned(h, e), _sight(h, e)
        u, v, w = (direction @ basis).tolist()
        s = math.hypot(u, v)
        f, g = (-1.0, 0.0) if s < SMALL and w < 0.0 else angle_factors(s, w)
        Q = np.array([f * basis[:, 0] - g * u * basis[:, 2], f * basis[:, 1] - g * v * basis[:, 2]])
        J = np.cross(Q, direction) @ spins.T
        if length > 0.0:
            J -= (Q - np.outer(Q @ direction, direction)) / length @ _parted(h, e).T
        return np.asarray(J)
    if form == MASS:
        mass = h.below[:, :1]
        safe = np.where(mass > 0.0, mass, 1.0)
        J = h.directions[rows] @ (mass * _moved(h, h.below[:, 1:] / safe)).T
        if h.entry[e, INEQUALITY]:
            J[C[rows] < -FAR] = 0.0
        return np.asarray(J)
    assert form == CONE_ROW
    J, other = np.zeros((1, len(x))), h.partner[node]
    J[0, node] = math.sin(x[node]) * math.cos(x[other])
    J[0, other] = math.cos(x[node]) * math.sin(x[other])
    return J
