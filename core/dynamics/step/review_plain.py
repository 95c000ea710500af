"""Whether a substep is as it should be, and how it is undone, in numpy.

Rows are made of what would be reached at the velocities without any; a blow may make others matter. And they bound how
fast what touches comes nearer: what turns as it moves comes nearer still, by the square of its turn.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.dynamics.contact import pairs_kernel
from core.dynamics.step import motion_plain as motion
from core.dynamics.step import slots as at
from core.dynamics.step.memory import Memory

Array = NDArray[np.float64]


class Kept(NamedTuple):
    """Coordinates and velocities, those of the substep before too."""

    vectors: Array
    turns: Array
    jumped: int


KEPT = [at.X, at.U, at.BEFORE]


def keep(m: Memory) -> Kept:
    """Return what a substep that is undone goes back to."""
    return Kept(m.vectors[KEPT], m.nodes[:, at.TURN : at.TURN + 4].copy(), int(m.head[at.JUMPED]))


def go_back(m: Memory, kept: Kept) -> None:
    """Go back to what was kept."""
    m.vectors[KEPT] = kept.vectors
    m.nodes[:, at.TURN : at.TURN + 4] = kept.turns
    m.head[at.JUMPED], m.head[at.KNOWN] = kept.jumped, 0


def misses(m: Memory, h: float) -> bool:
    """Return whether a limit that has no row is exceeded at the end of the substep."""
    margin, free, new = float(m.numbers[at.LIMIT_MARGIN]), m.vectors[at.FREE], m.vectors[at.NEW]
    gaps = [(m.vectors[at.X] - m.vectors[at.LOW], free, new), (m.vectors[at.HIGH] - m.vectors[at.X], -free, -new)]
    for gap, before, after in gaps:
        over = (m.held == 0) & (gap + h * after < -at.OVER) & (gap + h * np.minimum(before, 0.0) >= margin)
        if over.any():
            return True
    for ball in m.balls:
        i = int(ball[at.BALL_NODE])
        if m.held[i]:
            continue
        directions = ball[at.BALL_DIRECTIONS : at.BALL_DIRECTIONS + 9].reshape(3, 3)
        angles = ball[at.BALL_ANGLES : at.BALL_ANGLES + 3]
        speed, later = directions @ free[i : i + 3], directions @ new[i : i + 3]
        for sign, bound in ((1.0, ball[at.BALL_LOW : at.BALL_LOW + 3]), (-1.0, ball[at.BALL_HIGH : at.BALL_HIGH + 3])):
            gap = sign * (angles - bound)
            over = (gap + h * sign * later < -at.OVER) & (gap + h * np.minimum(sign * speed, 0.0) >= margin)
            if over.any():
                return True
    return False


def sinks(m: Memory, find: Any) -> bool:
    """Return whether anything is too deep in something else, and deeper than the contacts tell that it was."""
    gaps = m.contact[: int(m.head[at.CONTACTS]), at.CONTACT_GAP]
    most = max(float(m.numbers[at.TOO_DEEP]), at.DEEPER - float(gaps.min(initial=np.inf)))
    motion.place(m)
    motion.place_bodies(m)
    m.reach[:] = 0.0
    found = pairs_kernel.find(find.ints, find.floats, m.body_rotations, m.body_places, m.reach, m.sunk, m.sunk_ids)
    for row in m.sunk[: int(found)]:
        owners = [int(row[side]) for side in (at.CONTACT_A, at.CONTACT_B) if row[side] >= 0.0]
        if row[at.CONTACT_GAP] + m.bodies[owners, at.BODY_GIVE].sum() < -most:
            return True
    return False
