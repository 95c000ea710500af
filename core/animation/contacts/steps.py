"""Steps within stances: a foot that slides or turns too far while it touches the ground stands at two places."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.animation.contacts.feet import HEEL, TOES, Foot
from core.animation.contacts.finding import runs
from core.animation.contacts.phases import (
    FLAT,
    ON_HEEL,
    ON_TOES,
    REST,
    Phase,
    stillest,
    without_frames,
    without_moments,
)
from core.arrays import Array
from core.spatial import so3

_SLIDES = 0.03  # of the figure's height: a foot that slides farther makes a step
_TURNS = np.radians(12.0)  # one that turns farther likewise
_SLOWER = 0.5  # of the greatest speed in it: what is slower on either side is no part of that step
_NEAR_AN_END = 0.25  # [s]


def with_steps(foot: Foot, phases: Sequence[Phase], F: Array, size: float, rate: float) -> Sequence[Phase]:
    """Return what a foot does with a small step in each stance in which it slides or turns too far.

    Args:
        foot: The foot.
        phases: What it does.
        F: World frames of its joint and its toes at each frame, shape (m, 2, 4, 4).
        size: Height of the figure, [m].
        rate: Frames a second, [1/s].
    """
    while cut := _too_far(foot, phases, F, _SLIDES * size, round(_NEAR_AN_END * rate)):
        phases = without_moments(without_frames(phases, cut))
    return phases


def _too_far(foot: Foot, phases: Sequence[Phase], F: Array, most: float, reach: int) -> set[int]:
    """Return the frames at which a foot does not stand, of the first stance in which it slides or turns too far.

    That is what comes before or after it near an end of the stance, else a step within it, where it is the fastest.

    Args:
        foot: The foot.
        phases: What it does.
        F: World frames of its joint and its toes at each frame, shape (m, 2, 4, 4).
        most: How far it may slide, [m].
        reach: How many frames are near an end.
    """
    kinds = np.array([phase.kind for phase in phases for _ in range(phase.first, phase.last + 1)])
    origin = phases[0].first
    for region in foot.regions:
        touches = {HEEL: (FLAT, ON_HEEL), TOES: (FLAT, ON_TOES)}.get(region.name, (FLAT, ON_HEEL, ON_TOES, REST))
        stands = (FLAT, REST) if region.joint == foot.joint and foot.toes is not None else touches
        X = F[:, 0 if region.joint == foot.joint else 1]
        for a, b in runs(np.isin(kinds, touches)):
            points = np.einsum("mij,kj->mki", X[a:b, :3, :3], region.points) + X[a:b, None, :3, 3]
            at = stillest(points)
            off = np.linalg.norm(points - points[at], axis=2).max(axis=1) / most
            turned = np.linalg.norm(so3.log(X[a:b, :3, :3] @ X[a + at, :3, :3].T), axis=1) / _TURNS
            off = np.maximum(off, np.where(np.isin(kinds[a:b], stands), turned, 0.0))
            worst = int(off.argmax())
            if off[worst] <= 1.0:
                continue
            inside = off <= 1.0
            begin = worst + int(np.argmax(inside[worst : at + 1])) if worst < at else 0
            end = worst - int(np.argmax(inside[worst:at:-1])) if worst > at and inside[at + 1 :].any() else b - a
            if 0 < begin <= reach:
                return set(range(origin + a, origin + a + begin))
            if b - a - 1 - end < reach and end < b - a:
                return set(range(origin + a + end + 1, origin + b))
            # A step within: where it is the fastest, and beside that as long as it is half as fast.
            speed = np.linalg.norm(np.diff(points, axis=0), axis=2).max(axis=1) / most
            R = X[a:b, :3, :3]
            speed = np.maximum(speed, np.linalg.norm(so3.log(R[1:] @ np.swapaxes(R[:-1], 1, 2)), axis=1) / _TURNS)
            low, high = sorted((at, worst))
            fast = low + int(speed[low:high].argmax())
            slow = speed < _SLOWER * speed[fast]
            first = fast - int(np.argmax(slow[fast::-1])) if slow[:fast].any() else 0
            last = fast + int(np.argmax(slow[fast:])) if slow[fast:].any() else b - a - 1
            return set(range(origin + a + first + 1, origin + a + max(last, first + 2) + 1))
    return set()
