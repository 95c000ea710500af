"""What is over the legs of a figure with two: pelvis, trunk, head and arms, put into poses."""

from __future__ import annotations

import numpy as np

from core.arrays import Array
from core.gait.biped import Biped
from core.gait.placed_root import put_root
from core.gait.turns import LEFT, turn_by


def upper_body(
    biped: Biped, pelvis: Array, spine: Array, neck: Array, swings: Array, elbows: Array, out: float
) -> Array:
    """Return poses of pelvis, trunk and arms with the legs at rest, shape (m, nq).

    Args:
        biped: The figure.
        pelvis: Frames of the pelvis in the world, shape (m, 4, 4).
        spine: Rotation vectors in the body's axes (left, up, forward) that the spine makes, shape (m, 3), [rad].
        neck: Likewise the neck.
        swings: How far arms are swung forward, the left and the right one, shape (m, 2), [rad].
        elbows: How far elbows are bent, likewise.
        out: How far arms are held from the body, [rad].
    """
    q = np.tile(biped.stand, (len(pelvis), 1))
    put_root(biped, q, pelvis)
    for group, bend in ((biped.spine, spine), (biped.neck, neck)):
        for turns in group:
            turn_by(q, turns, bend / len(group))
    zero = np.zeros(len(pelvis))
    for arm in biped.arms:
        n = 0 if arm.side == LEFT else 1
        turn_by(q, arm.shoulder, np.stack([-swings[:, n], zero, zero + out * arm.side], axis=1))
        if arm.elbow is not None:
            turn_by(q, arm.elbow, np.stack([-elbows[:, n], zero, zero], axis=1))
    return q


def pelvis_at(biped: Biped, place: Array, R: Array) -> Array:
    """Return frames of the pelvis, shape (m, 4, 4), from its place, (m, 3), [m], and how the body is turned, (m, 3, 3).

    Turns are those from the body's axes (left, up, forward) to the world's.
    """
    found = np.tile(np.eye(4), (len(place), 1, 1))
    found[:, :3, :3], found[:, :3, 3] = R @ biped.pelvis_rest @ biped.facing.T, place
    return found
