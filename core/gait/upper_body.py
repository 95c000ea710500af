"""What is over the legs of a figure with two: pelvis, trunk, head and arms, put into poses."""

from __future__ import annotations

import numpy as np

from core.arrays import Array
from core.gait.biped import Biped
from core.gait.carried import turn_by
from core.gait.turns import LEFT
from core.gait.walk import put_root


def upper_body(biped: Biped, place: Array, R: Array, spine: Array, neck: Array, swings: Array, elbows: Array,
               out: float) -> Array:  # fmt: skip
    """Return poses of pelvis, trunk and arms with the legs at rest, shape (m, nq).

    Args:
        biped: The figure.
        place: Where the pelvis is, shape (m, 3), [m].
        R: How it is turned from the axes left, up, forward, shape (m, 3, 3).
        spine: Rotation vectors in those axes that the spine makes, shape (m, 3), [rad].
        neck: Likewise the neck.
        swings: How far arms are swung forward, the left and the right one, shape (m, 2), [rad].
        elbows: How far elbows are bent, likewise.
        out: How far arms are held from the body, [rad].
    """
    number = len(place)
    q = np.tile(biped.stand, (number, 1))
    pelvis = np.tile(np.eye(4), (number, 1, 1))
    pelvis[:, :3, :3], pelvis[:, :3, 3] = R @ biped.pelvis_rest @ biped.facing.T, place
    put_root(biped, q, pelvis)
    for group, bend in ((biped.spine, spine), (biped.neck, neck)):
        for turns in group:
            turn_by(q, turns, bend / len(group))
    zero = np.zeros(number)
    for arm in biped.arms:
        n = 0 if arm.side == LEFT else 1
        turn_by(q, arm.shoulder, np.stack([-swings[:, n], zero, zero + out * arm.side], axis=1))
        if arm.elbow is not None:
            turn_by(q, arm.elbow, np.stack([-elbows[:, n], zero, zero], axis=1))
    return q
