"""Manipulability: keep away from poses in which the chain cannot move its end every way."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from core.arrays import Array
from core.ik.criteria.criterion import Kind, Posture
from core.ik.goal import Goal
from core.kinematics.chain import ancestry
from core.skeleton.skeleton import Skeleton

SOFT = 1e-3
"""Singular values well below this part of the figure's size count alike, so that singular poses have a gradient."""


class Manipulability:
    """Minus the logarithm of ``sqrt(det(J J^T))``, summed over the goals.

    J holds the rows that a goal asks for, lengths over the figure's size, and columns of what may move. A multiple of
    the unit matrix, ``SOFT^2``, is added to ``J J^T``.

    Source: Yoshikawa (1985); named in Welman (1993) section 3.2.1.
    """

    def evaluate(self, posture: Posture) -> tuple[float, Array]:
        """Return value and gradient, shape (K,)."""
        value, gradient = 0.0, np.zeros(len(posture.dofs))
        for goal in posture.goals:
            position = goal.position is not None and goal.weights[0] > 0.0
            rotation = goal.rotation is not None and goal.weights[1] > 0.0
            if position or rotation:
                own, mine = self._one(posture, goal, position, rotation)
                value += own
                gradient += mine
        return value, gradient / posture.unit

    def _one(self, posture: Posture, goal: Goal, position: bool, rotation: bool) -> tuple[float, Array]:
        """Return what one goal adds, its gradient with respect to values in ``posture.unit``."""
        joint = posture.skeleton.joint_index(goal.joint)
        columns = posture.once(("on the way", joint), lambda: _on_path(posture, joint))
        gradient = np.zeros(len(posture.dofs))
        raw = posture.jacobian(joint, goal.point)[:, columns]
        unit = posture.unit[columns]
        v, w = raw[:3] * unit / posture.size, raw[3:] * unit
        turns = _turns(posture, joint, goal.point, columns, raw)
        J = np.concatenate([part for part, asked in ((v, position), (w, rotation)) if asked])
        gram = J @ J.T + SOFT * SOFT * np.eye(len(J))
        value = -0.5 * math.log(np.linalg.det(gram))
        pull = np.linalg.solve(gram, J)  # d log sqrt(det) = <pull, dJ>
        out = np.zeros(len(columns))
        if position:
            # What moves first turns the velocities that what moves later gives, and second derivatives commute.
            P = pull[:3].T
            out += np.sum(turns * _later(P, v.T), axis=(1, 2))
            out += np.sum(np.cumsum(np.sum(turns * P[:, :, None], axis=1), axis=0) * v.T, axis=1)
        if rotation:
            out += np.sum(_hats(w) * _later(pull[-3:].T, w.T), axis=(1, 2))
        gradient[columns] = -out
        return value, gradient


def _on_path(posture: Posture, joint: int) -> Array:
    """Return which of ``posture.dofs`` move a joint, as positions, from the root on."""
    up = set(ancestry(posture.skeleton, joint))
    owner = [0 if k < 3 else posture.skeleton.dof_joints[k - 3] for k in posture.dofs.tolist()]
    return np.array([i for i, mine in enumerate(owner) if mine in up], dtype=np.int64)


def _later(a: Array, b: Array) -> Array:
    """Return for each row the sum of the outer products of the rows after it, shape (k, 3, 3)."""
    products = a[:, :, None] * b[:, None, :]
    return np.asarray(products.sum(axis=0) - np.cumsum(products, axis=0))


def _turns(posture: Posture, joint: int, point: Array, columns: Array, raw: Array) -> Array:
    """Return the linear parts of the velocity fields that degrees of freedom give what they move, shape (k, 3, 3)."""
    if not posture.affine:
        return _hats(raw[3:])
    # Below scales a turn is no rotation of the world: it is measured between points of the joint's frame.
    frame = posture.frames[joint, :3, :3] * posture.size
    shifts = [
        (posture.jacobian(joint, point + posture.size * np.eye(3)[c])[:3, columns] - raw[:3]) for c in range(3)
    ]  # fmt: skip
    return np.einsum("cak,cb->kab", np.array(shifts), np.linalg.inv(frame))


def _hats(w: Array) -> Array:
    """Return the cross-product matrices of columns, shape (k, 3, 3)."""
    hats = np.zeros((w.shape[1], 3, 3))
    hats[:, 0, 1], hats[:, 0, 2], hats[:, 1, 2] = -w[2], w[1], -w[0]
    hats[:, 1, 0], hats[:, 2, 0], hats[:, 2, 1] = w[2], -w[1], w[0]
    return hats


def _make(skeleton: Skeleton, data: Any) -> Manipulability:
    return Manipulability()


MANIPULABILITY = Kind(
    "manipulability", "Manipulability", "Keeps elbows bent, so that every direction stays open.", "", _make
)
"""Manipulability."""
