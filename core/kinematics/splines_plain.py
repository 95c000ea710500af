"""Joints that run along a spline curve or over a spline surface, told as packed numbers, with numpy.

A *record* holds one joint's constants in a block of numbers, as ``core.skeleton.splines`` writes it:

- curve: how many control frames, whether it is closed, pose units per unit of x; then the frames [R | p], shape
  (m, 3, 4), and their differences ``log(C_(i-1)^-1 C_i)``, shape (m, 6);
- surface: rows and columns of its net, pose units per unit of x of both coordinates; then the control values of
  translation and turns about x, y and z, shape (6, a, b).

``x`` is the coordinate in the units of whoever made the record: pose values in a skeleton's tree.

Source: Lee and Terzopoulos (2008); Sueda algorithms 3 and 4.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.joints.splines import FARTHEST, basis, cumulative, segment
from core.skeleton.tree import KIND_CURVE, KIND_FIRST, KIND_SURFACE
from core.spatial import se3

__all__ = ["CURVE_HEAD", "FARTHEST", "SURFACE_HEAD", "curve", "motion_of", "move_nodes", "surface"]

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

CURVE_HEAD, SURFACE_HEAD = 3, 4
"""Numbers in front of a record."""


def curve(splines: Array, at: int, x: float) -> tuple[Array, Array]:
    """Return the transform of a spline curve joint and its twist per unit of x.

    Args:
        splines: Block of records.
        at: Where the record begins.
        x: Coordinate.

    Returns:
        ``Q``, shape (4, 4), and ``[w; v]`` in the moved frame, shape (6,).

    Source: Sueda algorithm 3.
    """
    m, closed, unit = int(splines[at]), splines[at + 1] != 0.0, float(splines[at + 2])
    at += CURVE_HEAD
    frames = splines[at : at + 12 * m].reshape(m, 3, 4)
    differences = splines[at + 12 * m : at + 18 * m].reshape(m, 6)
    first, u = segment(x * unit, m if closed else m - 3, closed)
    weights, rates = (cumulative(functions) for functions in basis(u)[:2])
    Q = np.vstack([frames[first], [0.0, 0.0, 0.0, 1.0]])
    S = np.zeros(6)
    for i in range(3):
        difference = differences[(first + 1 + i) % m]
        step = se3.exp(difference * weights[i])
        Q = Q @ step
        S = difference * rates[i] + se3.inverse_adjoint(step) @ S
    return Q, S * unit


def surface(splines: Array, at: int, x: float, y: float) -> tuple[Array, Array, Array]:
    """Return the transform of a spline surface joint and its twists per unit of x and y, all as ``curve`` does.

    Source: Sueda eqs. 2.68 to 2.71.
    """
    rows, columns = int(splines[at]), int(splines[at + 1])
    units = float(splines[at + 2]), float(splines[at + 3])
    at += SURFACE_HEAD
    net = splines[at : at + 6 * rows * columns].reshape(6, rows, columns)
    i, u = segment(x * units[0], rows - 3, False)
    j, v = segment(y * units[1], columns - 3, False)
    patch = net[:, i : i + 4, j : j + 4]
    along, across = np.array(basis(u)[:2]), np.array(basis(v)[:2])
    f = patch @ across[0] @ along[0]
    by_x, by_y = patch @ across[0] @ along[1] * units[0], patch @ across[1] @ along[0] * units[1]
    (cx, cy, cz), (sx, sy, sz) = np.cos(f[3:]), np.sin(f[3:])
    Q = np.eye(4)
    Q[:3, :3] = [
        [cy * cz, -cy * sz, sy],
        [cx * sz + sx * sy * cz, cx * cz - sx * sy * sz, -sx * cy],
        [sx * sz - cx * sy * cz, sx * cz + cx * sy * sz, cx * cy],
    ]
    Q[:3, 3] = f[:3]
    turns = np.array([[cy * cz, sz, 0.0], [-cy * sz, cz, 0.0], [sy, 0.0, 1.0]])
    first, second = (np.concatenate([turns @ d[3:], Q[:3, :3].T @ d[:3]]) for d in (by_x, by_y))
    return Q, first, second


def move_nodes(
    kind: Ints, spline: Ints, splines: Array, fixed: Array, turn: Array, x: Array, F: Array, T: Array, S: Array
) -> None:
    """Write the transforms of nodes that are coordinates of a spline, and their twists; all others stay.

    Args:
        kind: Kinds of the nodes, shape (K,).
        spline: Where each node's record begins, shape (K,).
        splines: Block of records, lengths in the nodes' unit.
        fixed: Transforms [M | t] from the parent to the node before it moves, shape (K, 3, 4).
        turn: The same without scales, shape (K, 3, 3).
        x: Values of the nodes, shape (K,).
        F: Overwritten with the transforms at these values, shape (K, 3, 4).
        T: The same without scales, shape (K, 3, 3).
        S: Overwritten with the twists [w; v] per unit of x in the node's own frame, shape (K, 6).
    """
    for k in range(len(x)):
        if kind[k] == KIND_CURVE:
            Q, S[k] = curve(splines, spline[k], float(x[k]))
        elif kind[k] == KIND_SURFACE:
            Q, first, S[k] = surface(splines, spline[k], float(x[k - 1]), float(x[k]))
            S[k - 1] = se3.adjoint(Q) @ first
        else:
            continue
        F[k, :, :3], F[k, :, 3] = fixed[k, :, :3] @ Q[:3, :3], fixed[k, :, :3] @ Q[:3, 3] + fixed[k, :, 3]
        T[k] = turn[k] @ Q[:3, :3]


def motion_of(kind: Ints, spline: Ints, splines: Array, k: int, x: Array, value: float) -> tuple[Array, Array]:
    """Return by which motion D a node's frame X is carried on to ``X D`` when its value becomes another.

    Args:
        kind: Kinds of the nodes, shape (K,).
        spline: Where each node's record begins, shape (K,).
        splines: Block of records.
        k: The node.
        x: Values of all nodes now.
        value: Its value then.

    Returns:
        D, shape (4, 4), and the twist ``[w; v]`` with ``dD = hat(twist) D`` per unit of x, shape (6,).
    """
    if kind[k] == KIND_FIRST:
        before = surface(splines, spline[k], float(x[k]), float(x[k + 1]))[0]
        Q, S, _ = surface(splines, spline[k], value, float(x[k + 1]))
        return np.asarray(Q @ se3.inverse(before)), np.asarray(se3.adjoint(Q) @ S)
    if kind[k] == KIND_CURVE:
        before = curve(splines, spline[k], float(x[k]))[0]
        Q, S = curve(splines, spline[k], value)
    else:
        before = surface(splines, spline[k], float(x[k - 1]), float(x[k]))[0]
        Q, _, S = surface(splines, spline[k], float(x[k - 1]), value)
    D = se3.inverse(before) @ Q
    return D, se3.adjoint(D) @ S
