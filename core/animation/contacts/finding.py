"""When the feet of a motion touch the ground: by how fast and how low heel and toes are, with hysteresis.

A region of a foot, its heel or its toes, is in contact while it is slow and low. Both are judged twice: it must fall
below a strict bound somewhere, and is in contact for as long as it stays below a looser one (hysteresis, Canny 1986).
The bounds are found from the clip: the speed from how fast its feet swing, so that a clip in slow motion counts as one
at full speed does, and, where they hardly swing, as in a hop on the spot, from the figure's size; the height from the
figure's size and how much the heights of slow feet scatter.

The ground is where slow feet gather. Where they come down at several heights, as on stairs, no height is known before,
and each landing has its own: the foot must have come down to it, and must rise when it leaves. So a knee that is held
still in the air is no landing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from core.animation.contacts.feet import Foot, figure_feet
from core.animation.sequence import Sequence
from core.arrays import Array, Bools
from core.constraints.soles import height
from core.errors import SequenceError
from core.kinematics.forward import forward_kinematics
from core.progress import Progress, report
from core.terrain.ground import LEVEL, Ground

RATE = 120.0
"""At least so many samples a second are looked at, [1/s]."""


_SWING = 98.0  # percentile of the speeds: a swing's, without what a glitch has
_SLOW = 0.08  # of the speed of swings
_STEADY = 0.2  # of the figure's height in a second, but never more of the speed of swings: what lands or leaves
_SLOWEST = 0.01  # of the figure's height in a second: what sways so is at rest
_LOW, _LOWEST = 0.02, 0.006  # of the figure's height
_SCATTER = 3.0  # times the median deviation of slow feet from the ground
_LOOSE = 1.5  # the looser bounds over the strict ones
_SHORTEST = 0.05  # [s]
_HALF_WINDOW = 1.0 / 100.0  # [s]: speeds are differences over twice that
_APPROACH = 0.12  # [s]: so long before and after a landing the foot is looked at
_UNEVEN = 0.12  # of the time feet rest: more on other heights make the ground uneven
_AT_ONCE = 512


@dataclass(frozen=True)
class ContactOptions:
    """Bounds that are given instead of found; None for those to be found.

    Attributes:
        speed: A slower foot rests, [m/s].
        height: A foot that is at most so high above the ground touches it, [m].
        floor: Height of the ground, [m].
        ground: Ground whose shape is known, on which feet stand; goes before ``floor``.
        shortest: Contacts and gaps in them that are shorter do not count, [s].

    Raises:
        SequenceError: If a bound is not a positive number.
    """

    speed: float | None = None
    height: float | None = None
    floor: float | None = None
    shortest: float | None = None
    ground: Ground | None = None

    def __post_init__(self) -> None:
        for name, unit in (("speed", "m/s"), ("height", "m"), ("shortest", "s")):
            value = getattr(self, name)
            if value is not None and not (np.isfinite(value) and value > 0.0):
                raise SequenceError(f"contacts: {name} is {value!r}; it must be more than 0 {unit}, or None")
        if self.floor is not None and not np.isfinite(self.floor):
            raise SequenceError(f"contacts: floor is {self.floor!r}; it must be a height in m, or None")


class Bounds(NamedTuple):
    """What counted as contact.

    Attributes:
        speed: The strict bound of the speed, [m/s].
        height: The strict bound of the height above the ground, [m].
        floor: Height of the ground, [m]; None where it is not the same everywhere. Over ground that was given it is 0.
        shortest: Shortest contact, [s].
    """

    speed: float
    height: float
    floor: float | None
    shortest: float


@dataclass(frozen=True, eq=False)
class Contacts:
    """When the regions of feet are in contact.

    Attributes:
        feet: The feet.
        frames: Frame numbers of the samples, whole frames among them, ascending, shape (m,).
        touching: For each foot whether each of its regions is in contact, shape (regions, m).
        frames_of: For each foot the world frames of its joint and its toes, shape (m, 2, 4, 4); without toes twice the
            same.
        bounds: What counted.
        ground: What heights were counted from.
    """

    feet: tuple[Foot, ...]
    frames: Array
    touching: tuple[Bools, ...]
    frames_of: tuple[Array, ...]
    bounds: Bounds
    ground: Ground = LEVEL


def find_contacts(
    sequence: Sequence,
    feet: Iterable[Foot] | None = None,
    options: ContactOptions | None = None,
    progress: Progress | None = None,
) -> Contacts:
    """Return when feet touch the ground, as the motion is shown: with its locks, from its first key to its last.

    Args:
        sequence: The motion, at any number of frames a second.
        feet: What to look at; None for the figure's feet.
        options: Bounds to take instead of those that are found.
        progress: Takes how much is done, 0 to 1; may raise ``core.errors.Cancelled``.

    Raises:
        SequenceError: If there is no key, or no foot.
    """
    s, options = sequence.skeleton, options or ContactOptions()
    ground = options.ground or LEVEL
    if options.ground is not None:
        options = replace(options, floor=0.0)
    chosen = tuple(figure_feet(s) if feet is None else feet)
    if not sequence.keys:
        raise SequenceError("there is no key, so there is no motion to find contacts in")
    if not chosen:
        raise SequenceError("this figure has no feet; select the parts that are to keep their path")
    first, last = moving_range(sequence)
    parts = max(int(np.ceil(RATE / sequence.fps)), 1)
    frames = first + np.arange((last - first) * parts + 1) / parts
    places, lowest, turned = _sampled(sequence, chosen, frames, ground, progress)
    window = max(round(_HALF_WINDOW * sequence.fps * parts), 1)
    speeds = [[_speed(p, window, sequence.fps * parts) for p in own] for own in places]
    bounds, uneven = _bounds(s, chosen, speeds, lowest, options, sequence.fps * parts)
    rate = sequence.fps * parts
    touching = tuple(
        np.array(
            [
                _touching(v, h, bounds, uneven, foot.grounded, rate)
                for v, h in zip(speeds[n], lowest[n], strict=True)
            ]
        )
        for n, foot in enumerate(chosen)
    )  # fmt: skip
    return Contacts(chosen, frames, touching, tuple(turned), bounds, ground)


def moving_range(sequence: Sequence) -> tuple[int, int]:
    """Return the first and the last frame of a motion: of its keys, and of those of figures that locks tie it to.

    A box that is carried has hardly a key of its own.
    """
    frames = [key.frame for key in (sequence.keys[0], sequence.keys[-1])]
    mine = _named_by(sequence)
    for name, other in sequence.companions.items():
        if other.keys and (name in mine or sequence.skeleton.name in _named_by(other)):
            frames += [round(key.frame * sequence.fps / other.fps) for key in (other.keys[0], other.keys[-1])]
    return min(frames), max(frames)


def _named_by(sequence: Sequence) -> set[str]:
    """Return the names of the figures that locks of a sequence tie it to."""
    locks = (*sequence.locks, *(strip.lock for strip in sequence.locks.strips))
    return {name for lock in locks for name in lock.figures}


def _sampled(
    sequence: Sequence, feet: tuple[Foot, ...], frames: Array, ground: Ground, progress: Progress | None
) -> tuple[list[list[Array]], list[list[Array]], list[Array]]:
    """Return for each foot and region where its points are (m, k, 3) and how low the lowest is (m,), and world frames.

    How low is counted from the ground.

    The points are at most eight, which is plenty for their speed.
    """
    s = sequence.skeleton
    places: list[list[list[Array]]] = [[[] for _ in foot.regions] for foot in feet]
    lowest: list[list[list[Array]]] = [[[] for _ in foot.regions] for foot in feet]
    turned: list[list[Array]] = [[] for _ in feet]
    for start in range(0, len(frames), _AT_ONCE):
        report(progress, start / len(frames))
        X = forward_kinematics(s, sequence.poses_at_frames(frames[start : start + _AT_ONCE]))
        for n, foot in enumerate(feet):
            turned[n].append(X[:, [foot.joint, foot.joint if foot.toes is None else foot.toes]])
            for k, region in enumerate(foot.regions):
                own = X[:, region.joint]
                world = np.einsum("mij,kj->mki", own[:, :3, :3], region.points) + own[:, None, :3, 3]
                places[n][k].append(world[:, :: max(len(region.points) // 8, 1)])
                lowest[n][k].append(over_ground(ground, world).min(axis=1))
    return (
        [[np.concatenate(part) for part in own] for own in places],
        [[np.concatenate(part) for part in own] for own in lowest],
        [np.concatenate(own) for own in turned],
    )


def over_ground(ground: Ground, points: Array) -> Array:
    """Return how high points are over the ground, shape (m, k, 3) to (m, k), [m]."""
    if ground is LEVEL:
        return points[..., 1]
    return np.asarray(points[..., 1] - ground.heights(points[..., [0, 2]].reshape(-1, 2)).reshape(points.shape[:2]))


def _speed(points: Array, window: int, rate: float) -> Array:
    """Return how fast points go on average, shape (m,), [m/s]: a central difference, one-sided at the ends."""
    m = len(points)
    if m == 1:
        return np.zeros(1)
    at = np.arange(m)
    after, before = np.minimum(at + window, m - 1), np.maximum(at - window, 0)
    moved = np.linalg.norm(points[after] - points[before], axis=2).mean(axis=1)
    return np.asarray(moved * rate / (after - before))


def _bounds(
    s: object, feet: tuple[Foot, ...], speeds: list[list[Array]], lowest: list[list[Array]], given: ContactOptions,
    rate: float,
) -> tuple[Bounds, bool]:  # fmt: skip
    """Return the bounds, those that are not given found, and whether the ground is uneven."""
    size = height(s)  # type: ignore[arg-type]
    shortest = _SHORTEST if given.shortest is None else given.shortest
    every = np.concatenate([v for own in speeds for v in own])
    speed = given.speed
    if speed is None:
        swing = float(np.percentile(every, _SWING))
        speed = max(_SLOW * swing, _STEADY * min(swing, size), _SLOWEST * size)
    resting = [
        (v <= speed, h)
        for foot, own_v, own_h in zip(feet, speeds, lowest, strict=True)
        for v, h in zip(own_v, own_h, strict=True)
        if foot.grounded
    ]
    slow = np.concatenate([h[rest] for rest, h in resting]) if resting else np.zeros(0)
    floor, bound = given.floor, given.height
    widest = _LOW * size
    if floor is None and len(slow):
        floor = _gathered(slow, widest)
    if bound is None:
        near = np.abs(slow - floor) if floor is not None else np.zeros(0)
        near = near[near <= widest]
        scatter = _SCATTER * float(np.median(near)) if len(near) else 0.0
        bound = float(np.clip(scatter, _LOWEST * size, widest))
    uneven = False
    if given.floor is None and floor is not None:
        # What rests elsewhere, having come down to it, says that the ground is not level.
        landed = sum(int(_landings(rest, h, widest, rate, shortest, floor).sum()) for rest, h in resting)
        level = sum(int((rest & (np.abs(h - floor) <= widest)).sum()) for rest, h in resting)
        uneven = landed > _UNEVEN * max(level, 1)
    return Bounds(speed, bound, None if uneven else floor, shortest), uneven


def _gathered(heights: Array, width: float) -> float:
    """Return the height at which most of some heights gather, the lower one of two that are nearly as good."""
    ordered = np.sort(heights)
    number = np.searchsorted(ordered, ordered + width, side="right") - np.arange(len(ordered))
    best = int(np.flatnonzero(number >= 0.5 * number.max())[0])
    best = int(best + number[best : best + max(int(number[best]), 1)].argmax())
    return float(np.median(ordered[best : best + number[best]]))


def _landings(slow: Bools, h: Array, width: float, rate: float, shortest: float, floor: float) -> Bools:
    """Return where a foot rests on other ground than the floor, having come down to it."""
    found = np.zeros(len(h), dtype=bool)
    for a, b in runs(slow):
        if (b - a) < shortest * rate:
            continue
        own = float(np.median(h[a:b]))
        if abs(own - floor) > width and _came_down(h, a, b, own, width, rate, strict=True):
            found[a:b] = True
    return found


def _came_down(h: Array, a: int, b: int, level: float, width: float, rate: float, strict: bool = False) -> bool:
    """Return whether a foot that rests from sample ``a`` to before ``b`` came down to it and leaves it upward.

    At the ends of the clip nothing is known, and that is taken for yes unless ``strict``.
    """
    far = max(round(_APPROACH * rate), 1)
    before, after = h[max(a - far, 0) : a], h[b : b + far]
    if strict and not (len(before) and len(after)):
        return False
    least = 0.25 * width if strict else -0.25 * width
    return all(
        not len(part) or (float(part.max()) - level >= least and float(part.min()) - level >= -0.5 * width)
        for part in (before, after)
    )


def _touching(v: Array, h: Array, bounds: Bounds, uneven: bool, grounded: bool, rate: float) -> Bools:
    """Return where a region is in contact, shape (m,)."""
    strict, loose = v <= bounds.speed, v <= _LOOSE * bounds.speed
    if grounded and not uneven:
        floor = bounds.floor
        if floor is None:
            return np.zeros(len(v), dtype=bool)
        strict = strict & (h - floor <= bounds.height)
        loose = loose & (h - floor <= _LOOSE * bounds.height)
    found = kept_where(strict, loose)
    if grounded and uneven:
        for a, b in runs(found):
            level = float(np.percentile(h[a:b], 20.0))
            low = h[a:b] - level <= _LOOSE * bounds.height
            if _came_down(h, a, b, level, 4.0 * bounds.height, rate):
                found[a:b] = low
            else:
                found[a:b] = False
    return without_short(found, bounds.shortest * rate)


# -- runs ------------------------------------------------------------------------------------------------------------


def runs(mask: Bools) -> list[tuple[int, int]]:
    """Return the runs of True as (first, one past the last)."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], mask, [False])).astype(np.int8)))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


def kept_where(strict: Bools, loose: Bools) -> Bools:
    """Return the runs of ``loose`` in which ``strict`` is so somewhere: hysteresis."""
    found = np.zeros(len(loose), dtype=bool)
    for a, b in runs(loose):
        found[a:b] = bool(strict[a:b].any())
    return found


def without_short(mask: Bools, shortest: float) -> Bools:
    """Return a mask without gaps, then without runs, that are shorter than so many samples; what the ends cut stays."""
    found = mask.copy()
    for a, b in runs(~found):
        if b - a < shortest and a > 0 and b < len(found):
            found[a:b] = True
    for a, b in runs(found):
        if b - a < shortest and a > 0 and b < len(found):
            found[a:b] = False
    return found
