"""Where two motions of a figure meet best: poses and speeds alike, the same feet on the ground.

Frames are compared over the whole cross-fade, in frames that stand below each figure and face as it does (after Kovar,
Gleicher and Pighin 2002, who compare clouds of points in the best alignment over the ground). What stands in both
decides before what is alike.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from core.animation.joining.stretch import Stretch
from core.animation.key import check_frame
from core.animation.sequence import Sequence
from core.arrays import Array
from core.errors import SequenceError
from core.skeleton.stance import stance
from core.spatial import so3

AHEAD = 2.0
"""So much of the second motion after the seam is looked at, for how long its feet stay, [s]."""

_STANDS_APART = 0.3  # for a foot that stands in one motion only, all the time; as a distance, [m]
_NONE_STANDS = 1.0  # for no foot that stands in both, where both have one that stands; [m]
_SKIPPED = 1e-3  # for each frame that one of them loses, [m]
_ALL_LOST = 0.15  # for all frames of one of them, [m]
_REACHED = 0.1  # of the height of the root: a second foot that is farther from where it stands does not stay there
_ALIKE = math.cos(math.radians(12.0))  # how much what stands of a foot may lean otherwise and still stay
_STAYS = 4  # frames: what leaves sooner does not stand there
_NEXT = 2  # frames: seams no farther apart than this on both sides are the same one
_LIFTED = 0.02  # [m]: feet that stand so much higher stand on other ground, and the whole motion goes there
_UP = np.array([0.0, 1.0, 0.0])


@dataclass(frozen=True, eq=False)
class Seam:
    """Where one motion goes over into another.

    Attributes:
        before: Frame of the first one from which on it fades out.
        after: Frame of the second one that comes there.
        frames: How long the cross-fade takes, [frames]; 0 for a cut.
        feet: Numbers of the figure's feet that stand in both there, that which decides where the second one goes first.
        angle: How far the second one is turned about y, [rad].
        shift: Where the world's origin goes then, shape (3,), [m].
        distance: How far both are apart over the cross-fade, root mean square over joints and frames, [m].
        first: What was looked at of the first one.
        second: What was looked at of the second one.
    """

    before: int
    after: int
    frames: int
    feet: tuple[int, ...]
    angle: float
    shift: Array
    distance: float
    first: Stretch
    second: Stretch

    @property
    def motion(self) -> Array:
        """The motion over the ground that the second one gets, shape (4, 4)."""
        made = np.eye(4)
        made[:3, :3] = so3.axis_rotation(_UP, self.angle)
        made[:3, 3] = self.shift
        return made

    @property
    def foot_names(self) -> tuple[str, ...]:
        """Names of the parts that stand in both."""
        skeleton = self.first.skeleton
        return tuple(skeleton.joint_names[self.first.feet[number].joint] for number in self.feet)


def find_seams(
    first: Sequence,
    second: Sequence,
    before: tuple[int, int],
    after: tuple[int, int],
    frames: int,
    wanted: tuple[int, int] | None = None,
    lock_aware: bool = True,
) -> Iterator[Seam]:
    """Yield places for the second motion to go on from the first, the best first, each some frames from the others.

    Args:
        first: A motion.
        second: A motion of the same figure at as many frames a second.
        before: First and last frame of the first motion that may be the seam.
        after: First and last frame of the second one that may come there.
        frames: How long the cross-fade is to take, [frames].
        wanted: The frames of both from which on each frame further costs a little; None for ``before[1]`` and
            ``after[0]``.
        lock_aware: Whether feet that stand decide; else the root's place and heading do, and only the first frames of
            ``wanted`` will do.

    Raises:
        SequenceError: If a motion has no keys, a range runs backwards, or the rates differ.
    """
    _check(first, second, before, after, frames)
    wanted = (before[1], after[0]) if wanted is None else wanted
    margin = round(0.5 * first.fps)
    ahead = round(AHEAD * first.fps)
    one = Stretch(first, max(before[0] - margin, 0), before[1] + frames + margin)
    two = Stretch(second, max(after[0] - margin, 0), after[1] + frames + ahead)
    found = _ranked(one, two, before, after, frames, wanted) if lock_aware else iter([(*wanted, 0.0)])
    for a, b, distance in found:
        feet = _standing_in_both(one, two, a, b) if lock_aware else ()
        angle, shift = _placed(one, two, a, b, feet)
        feet = feet[:1] + tuple(number for number in feet[1:] if _near(one, two, a, b, number, angle, shift))
        angle += math.tau * _rounds(one, two, a, b, angle)
        yield Seam(a, b, frames, feet, angle, shift, distance, one, two)


def _check(first: Sequence, second: Sequence, before: tuple[int, int], after: tuple[int, int], frames: int) -> None:
    for sequence, (low, high) in ((first, before), (second, after)):
        if not sequence.keys:
            raise SequenceError(f'"{sequence.name}" has no keys to join')
        if check_frame(low) > check_frame(high):
            raise SequenceError(f"frames {low} to {high} run backwards; a seam is looked for from first to last")
    if first.fps != second.fps:
        raise SequenceError(
            f'"{first.name}" has {first.fps:g} frames a second, "{second.name}" {second.fps:g}; they must be the same'
        )
    if isinstance(frames, bool) or int(frames) != frames or frames < 0:
        raise SequenceError(f"a cross-fade of {frames} frames makes no sense; it takes 0 or more")


def _ranked(
    one: Stretch, two: Stretch, before: tuple[int, int], after: tuple[int, int], frames: int, wanted: tuple[int, int]
) -> Iterator[tuple[int, int, float]]:
    a, b = np.arange(before[0], before[1] + 1), np.arange(after[0], after[1] + 1)
    i, j = a - one.first, b - two.first
    squares, apart = np.zeros((len(a), len(b))), np.zeros((len(a), len(b)))
    for k in range(frames + 1):
        u, v = one.looks[i + k], two.looks[j + k]
        squares += np.maximum((u * u).sum(1)[:, None] + (v * v).sum(1) - 2.0 * u @ v.T, 0.0)
        here, there = (np.asarray(np.hstack([each.standing, each.flat]))[at + k] for each, at in ((one, i), (two, j)))
        apart += np.not_equal(here[:, None], there[None]).mean(axis=2) if here.shape[1] else 0.0
    distance = np.sqrt(squares / (frames + 1))
    here, there = one.standing[i], two.standing[j]
    common = (here[:, None] & there[None] & (one.flat[i][:, None] == two.flat[j][None])).any(axis=2)
    stays = two.standing[j + min(frames, _STAYS)]  # and for a while
    common &= (here[:, None] & there[None] & stays[None]).any(axis=2)
    none = np.asarray(here.any(axis=1))[:, None] & np.asarray(there.any(axis=1))[None] & ~common
    cost = distance + _STANDS_APART * apart / (frames + 1) + _NONE_STANDS * none
    for skipped, sequence in (
        (np.abs(a - wanted[0])[:, None], one.sequence),
        (np.abs(b - wanted[1])[None], two.sequence),
    ):
        length = max(sequence.keys[-1].frame - sequence.keys[0].frame, 1)
        cost = cost + (_SKIPPED + _ALL_LOST / length) * skipped
    while np.isfinite(cost).any():
        n, m = (int(k) for k in np.unravel_index(int(np.argmin(cost)), cost.shape))
        yield int(a[n]), int(b[m]), float(distance[n, m])
        cost[max(n - _NEXT, 0) : n + _NEXT + 1, max(m - _NEXT, 0) : m + _NEXT + 1] = np.inf


def _standing_in_both(one: Stretch, two: Stretch, a: int, b: int) -> tuple[int, ...]:
    here, there = a - one.first, b - two.first
    alike = one.standing[here] & two.standing[there] & (one.flat[here] == two.flat[there])
    both = [number for number in np.flatnonzero(alike).tolist() if _as_tilted(one, two, a, b, number)]
    return tuple(sorted(both, key=lambda number: -two.stance_end(number, b)))


def _placed(one: Stretch, two: Stretch, a: int, b: int, feet: tuple[int, ...]) -> tuple[float, Array]:
    """Return the turn about y and the shift that bring the second motion's foot, or its root, onto the first's."""
    if not feet:
        place = stance(one.skeleton).ground_place
        (angle_1, *at_1), (angle_2, *at_2) = place(one.poses[a - one.first]), place(two.poses[b - two.first])
        angle, here, there = angle_1 - angle_2, np.insert(at_1, 1, 0.0), np.insert(at_2, 1, 0.0)
    else:
        foot, part = one.feet[feet[0]], one.anchor(feet[0], a)
        X, Y = one.frame_of(part, a), two.frame_of(part, b)
        point = foot.point if part == foot.joint else np.zeros(3)
        angle = _heading(X[:3, :3] @ Y[:3, :3].T)
        here, there = X[:3, :3] @ point + X[:3, 3], Y[:3, :3] @ point + Y[:3, 3]
        if abs(here[1] - there[1]) < _LIFTED:
            here[1] = there[1] = 0.0
    return angle, here - so3.axis_rotation(_UP, angle) @ there


def _rounds(one: Stretch, two: Stretch, a: int, b: int, angle: float) -> int:
    """Return how many whole turns more bring the value that turns the second motion's figure near the first's."""
    about = stance(one.skeleton)
    if about.turn is None:
        return 0
    placed = about.moved(two.poses[[b - two.first]], angle, 0.0, 0.0)[0]
    once = about.moved(two.poses[[b - two.first]], angle + math.tau, 0.0, 0.0)[0, about.turn] - placed[about.turn]
    return round((one.poses[a - one.first, about.turn] - placed[about.turn]) / once)


def _as_tilted(one: Stretch, two: Stretch, a: int, b: int, number: int) -> bool:
    """Return whether what stands of a foot leans alike in both motions, to either side and forward."""
    part = one.anchor(number, a)
    X, Y = one.frame_of(part, a)[:3, :3], two.frame_of(part, b)[:3, :3]
    return float((X.T @ _UP) @ (Y.T @ _UP)) > _ALIKE


def _near(one: Stretch, two: Stretch, a: int, b: int, number: int, angle: float, shift: Array) -> bool:
    """Return whether a foot of the second motion, placed, is so near that of the first one that it can stay there."""
    foot = one.feet[number]
    X, Y = one.frame_of(foot.joint, a), two.frame_of(foot.joint, b)
    here, there = (F[:3, :3] @ foot.point + F[:3, 3] for F in (X, Y))
    away = here - so3.axis_rotation(_UP, angle) @ there - shift
    return float(np.hypot(away[0], away[2])) < _REACHED * float(one.frames[a - one.first, 0, 1, 3])


def _heading(turn: Array) -> float:
    """Return how far a rotation turns about y, [rad]."""
    return float(np.arctan2(turn[0, 2] - turn[2, 0], turn[0, 0] + turn[2, 2]))
