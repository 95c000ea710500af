"""Motors with the strength of muscles: what would need more torque than a joint has gets what there is."""

from __future__ import annotations

import numpy as np

from core.arrays import Array
from core.preview.anatomy import Anatomy
from core.preview.controllers.controller import Command, Situation
from core.spatial import so3

STIFF = 3.0
"""Stiffness of a joint that holds a pose, in strengths: all of it at a third of a radian."""
SLOW = 0.1
"""Its damping against its stiffness, [s]."""


def rates(anatomy: Anatomy, x: Array, v: Array) -> Array:
    """Return rates of which those of balls are about their own axes, shape (nv,)."""
    w, balls = v.copy(), anatomy.actor.balls
    if len(balls):
        w[balls] = np.einsum("bij,bj->bi", so3.right_jacobian(x[balls]), v[balls])
    return w


def own_torques(anatomy: Anatomy, x: Array, tau: Array) -> Array:
    """Return torques about balls' own axes for those by the rates of the coordinates, shape (nv,)."""
    t, balls = tau.copy(), anatomy.actor.balls
    if len(balls):
        t[balls] = np.einsum("bji,bj->bi", so3.inverse_right_jacobian(x[balls]), tau[balls])
    return t


def limited(
    anatomy: Anatomy, now: Situation, x: Array, v: Array, kp: Array, kd: Array, torque: Array | None = None
) -> Command:
    """Return motors whose torques stay within the strength of the joints.

    What is asked of a joint is worked out for the state in which the step begins; gains and torques of one that is too
    weak are lessened by the same factor, so that its direction stays.

    Args:
        anatomy: The figure.
        now: The situation.
        x, v: What the motors pull to.
        kp, kd: Their gains.
        torque: Torques besides, of balls about own axes; None for none.
    """
    balls = anatomy.actor.balls
    off, w, w_to = x - now.x, rates(anatomy, now.x, now.v), rates(anatomy, x, v)
    if len(balls):
        off[balls] = so3.log(np.swapaxes(so3.exp(now.x[balls]), 1, 2) @ so3.exp(x[balls]))
    besides = np.zeros(len(kp)) if torque is None else torque
    wanted = kp * (off - now.step * w) + kd * (w_to - w) + besides
    factor = 1.0 / np.maximum(anatomy.share(wanted, now.strength), 1.0)
    return Command(kp * factor, kd * factor, x, v, besides * factor)
