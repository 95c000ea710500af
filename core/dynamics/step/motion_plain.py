"""How the nodes of a tree stand and move, and their mass matrix and bias forces, in numpy.

Everything by dense Jacobians, as the equations read; the compiled twin goes through the tree instead.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from core.dynamics.step import slots as at
from core.dynamics.step.memory import Memory
from core.spatial import quaternion

Array = NDArray[np.float64]


def place(m: Memory) -> None:
    """Write rotation, place and motion subspace of every node at its coordinate."""
    x = m.vectors[at.X]
    for i, node in enumerate(m.nodes):
        parent, kind = int(m.parent[i]), int(m.kind[i])
        R, p = np.eye(3), np.zeros(3)
        if parent >= 0:
            R, p = rotation(m, parent), m.nodes[parent, at.P : at.P + 3]
        p = p + R @ node[at.AT : at.AT + 3]
        R = R @ node[at.T : at.T + 9].reshape(3, 3)
        if kind == at.HINGE:
            c, s = math.cos(x[i]), math.sin(x[i])
            R = R @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        elif kind == at.SLIDE:
            p = p + R[:, 2] * x[i]
        elif kind == at.ROTATION:
            R = R @ quaternion.to_matrix(node[at.TURN : at.TURN + 4])
        elif kind == at.GENERAL:
            p = p + R @ node[at.JOINT + 9 : at.JOINT + 12]
            R = R @ node[at.JOINT : at.JOINT + 9].reshape(3, 3)
        node[at.R : at.R + 9], node[at.P : at.P + 3] = R.ravel(), p
    first = 0
    for i, node in enumerate(m.nodes):
        kind = int(m.kind[i])
        R, arm = rotation(m, i), node[at.P : at.P + 3] - reference(m, i)
        first = i if kind in (at.ROTATION, at.GENERAL) else first
        if kind == at.SLIDE:
            S = np.concatenate([np.zeros(3), R[:, 2]])
        elif kind in (at.GENERAL, at.CONTINUED):
            w, v = R @ node[at.JOINT_COLUMN : at.JOINT_COLUMN + 3], R @ node[at.JOINT_COLUMN + 3 : at.JOINT_COLUMN + 6]
            S = np.concatenate([w, v + np.cross(arm, w)])
        else:
            axis = R[:, 2] if kind == at.HINGE else R[:, i - first]
            S = np.concatenate([axis, np.cross(arm, axis)])
        node[at.S : at.S + 6] = S


def place_bodies(m: Memory) -> None:
    """Write the poses of the bodies where the nodes stand."""
    for b, body in enumerate(m.bodies):
        i = int(m.body_node[b])
        R, p = (rotation(m, i), m.nodes[i, at.P : at.P + 3]) if i >= 0 else (np.eye(3), np.zeros(3))
        m.body_rotations[b] = R @ body[:9].reshape(3, 3)
        m.body_places[b] = p + R @ body[9:12]


def rotation(m: Memory, i: int) -> Array:
    """Return the rotation of a node, shape (3, 3), a view."""
    return m.nodes[i, at.R : at.R + 9].reshape(3, 3)


def reference(m: Memory, i: int) -> Array:
    """Return the reference point of a node's tree, shape (3,), a view."""
    return m.nodes[m.reference[i], at.P : at.P + 3]


def chain(m: Memory, i: int) -> NDArray[np.int64]:
    """Return the ancestors of a node, outermost first, and itself; nothing for the world."""
    if i < 0:
        return m.chain[:0]
    return m.chain[m.start[i] : m.start[i] + m.depth[i] + 1]


def inertia(m: Memory, i: int) -> Array:
    """Return the inertia of what is fixed to a node about its tree's reference point, shape (6, 6); new."""
    node, R = m.nodes[i], rotation(m, i)
    mass = node[at.WEIGHT]
    xx, xy, xz, yy, yz, zz = node[at.SECOND : at.SECOND + 6]
    about = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
    first = R @ node[at.FIRST : at.FIRST + 3]
    r = node[at.P : at.P + 3] - reference(m, i)
    # Moved by r: I + [first][r]^T + [r][first]^T + m [r][r]^T, first + m r
    about = about + hat(first) @ hat(r).T + hat(r) @ hat(first).T + mass * hat(r) @ hat(r).T
    first = first + mass * r
    return np.block([[about, hat(first)], [hat(first).T, mass * np.eye(3)]])


def hat(a: Array) -> Array:
    """Return the matrix of the cross product with ``a``."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def cross(V: Array, U: Array) -> Array:
    """Return the rate of a spatial vector ``U`` [w; v] that moves along with the twist ``V``."""
    return np.concatenate([np.cross(V[:3], U[:3]), np.cross(V[:3], U[3:]) + np.cross(V[3:], U[:3])])


def cross_force(V: Array, F: Array) -> Array:
    """Return the rate of a spatial force ``F`` [t; f] that moves along with the twist ``V``."""
    return np.concatenate([np.cross(V[:3], F[:3]) + np.cross(V[3:], F[3:]), np.cross(V[:3], F[3:])])


def jacobian(m: Memory, i: int) -> Array:
    """Return the twist of a node about the reference point for unit velocities, shape (6, n); new."""
    J = np.zeros((6, len(m.nodes)))
    for k in chain(m, i):
        J[:, k] = m.nodes[k, at.S : at.S + 6]
    return J


def mass_matrix(m: Memory) -> Array:
    """Return the mass matrix, shape (n, n); new."""
    n = len(m.nodes)
    M = np.zeros((n, n))
    for i in range(n):
        J = jacobian(m, i)
        M += J.T @ inertia(m, i) @ J
    return M + np.diag(m.vectors[at.ARMATURE])


def bias(m: Memory, u: Array) -> Array:
    """Return the forces that keep the velocities ``u`` as they are, gravity's among them, shape (n,); new."""
    n = len(m.nodes)
    gravity = m.numbers[at.GRAVITY : at.GRAVITY + 3]
    V, A = np.zeros((n, 6)), np.zeros((n, 6))
    forces = np.zeros(n)
    for i, node in enumerate(m.nodes):
        parent, kind = int(m.parent[i]), int(m.kind[i])
        before, rate = (V[parent], A[parent]) if parent >= 0 else (np.zeros(6), np.concatenate([np.zeros(3), -gravity]))
        V[i] = before + node[at.S : at.S + 6] * u[i]
        if kind in (at.ROTATION, at.GENERAL):
            own = sum(m.nodes[k, at.S : at.S + 6] * u[k] for k in range(i, i + int(m.count[i])))
            A[i] = rate + cross(before, np.asarray(own))
            if kind == at.GENERAL:
                R, arm = rotation(m, i), node[at.P : at.P + 3] - reference(m, i)
                w, v = R @ node[at.JOINT_RATE : at.JOINT_RATE + 3], R @ node[at.JOINT_RATE + 3 : at.JOINT_RATE + 6]
                A[i] += np.concatenate([w, v + np.cross(arm, w)])
        elif kind in (at.TURNED, at.CONTINUED):
            A[i] = rate
        else:
            A[i] = rate + cross(before, node[at.S : at.S + 6] * u[i])
        own_inertia = inertia(m, i)
        forces += jacobian(m, i).T @ (own_inertia @ A[i] + cross_force(V[i], own_inertia @ V[i]))
    return forces


def measure(m: Memory) -> None:
    """Write energy, momentum, centre of mass and poses and twists as they are now."""
    place(m)
    place_bodies(m)
    u, gravity = m.vectors[at.U], m.numbers[at.GRAVITY : at.GRAVITY + 3]
    kinetic, mass = 0.5 * float(m.vectors[at.ARMATURE] @ u**2), 0.0
    first, linear, angular = np.zeros(3), np.zeros(3), np.zeros(3)
    for i, node in enumerate(m.nodes):
        V = jacobian(m, i) @ u
        node[at.V : at.V + 6] = V
        h = inertia(m, i) @ V
        kinetic += 0.5 * float(V @ h)
        mass += node[at.WEIGHT]
        first += node[at.WEIGHT] * node[at.P : at.P + 3] + rotation(m, i) @ node[at.FIRST : at.FIRST + 3]
        linear += h[3:]
        angular += h[:3] + np.cross(reference(m, i), h[3:])
    center = first / mass if mass > 0.0 else first
    m.numbers[at.KINETIC], m.numbers[at.POTENTIAL] = kinetic, -float(first @ gravity)
    m.numbers[at.MOMENTUM : at.MOMENTUM + 3] = angular - np.cross(center, linear)
    m.numbers[at.MOMENTUM + 3 : at.MOMENTUM + 6] = linear
    m.numbers[at.CENTER : at.CENTER + 3] = center
