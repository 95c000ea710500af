"""A whole flight repaired at once: whatever is flagged over it, and what only shows when the first fault is gone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from core.animation.key import Key
from core.animation.sequence import Sequence
from core.dynamics.contact.world import World
from core.errors import SequenceError
from core.preview.plausibility.ballistic import ballistic_fix
from core.preview.plausibility.find import find_violations
from core.preview.plausibility.violation import Violation

_ROUNDS = 3  # fixes at most: the place, the turning, and a flight that has become longer by them
_AROUND = 1.0  # s: so much either side of a flight is looked at again


class FlightRepair(NamedTuple):
    """What repairs a flight.

    Attributes:
        keys: Keys to put in the place of those at their frames, ascending.
        turned: Whether they turn the root, too.
        left: What is still wrong with the flight then.
    """

    keys: tuple[Key, ...]
    turned: bool
    left: tuple[Violation, ...]


def repair_flight(sequence: Sequence, violation: Violation, world: World | None = None) -> FlightRepair:
    """Return the keys of the root after which nothing is wrong with a flight, as far as other keys of the root do it.

    A flight may be off its parabola, be pushed sideways and turn by itself all at once; while it hangs in the air its
    turning is not even looked at. So the motion is searched again with each fix.

    Args:
        sequence: The sequence; it does not change.
        violation: One of the things that are wrong with the flight.
        world: Gravity, floor and obstacles; None for the usual ones.

    Raises:
        SequenceError: If other keys of the root cannot repair it; see :func:`ballistic_fix`.
        DynamicsError: If the figure weighs nothing or has a scale.
    """
    there = World() if world is None else world
    wrong = violation
    if violation.fixable and not violation.turning:
        wrong = _turning(_of_flight(sequence, violation, there)) or violation
    try:
        keys = ballistic_fix(sequence, wrong, there.gravity)
    except SequenceError:
        if wrong is violation:
            raise
        wrong, keys = violation, ballistic_fix(sequence, violation, there.gravity)
    turned = wrong.turning
    for _ in range(_ROUNDS - 1):
        trial = _with_keys(sequence, keys)
        left = _of_flight(trial, violation, there)
        if not left:
            return FlightRepair(keys, turned, ())
        again = _turning(left) or left[0]
        try:
            if again.turning and not turned:  # from what there was: that takes fewer keys
                keys = ballistic_fix(sequence, replace(wrong, turning=True), there.gravity)
            else:
                more = ballistic_fix(trial, again, there.gravity)
                keys = _together(keys, more)
        except SequenceError:
            return FlightRepair(keys, turned, left)
        turned = turned or again.turning
    return FlightRepair(keys, turned, _of_flight(_with_keys(sequence, keys), violation, there))


def _turning(found: Iterable[Violation]) -> Violation | None:
    return next((each for each in found if each.turning), None)


def _together(keys: Iterable[Key], others: Iterable[Key]) -> tuple[Key, ...]:
    """Return keys with others in the place of those at their frames."""
    at = {key.frame: key for key in (*keys, *others)}
    return tuple(at[frame] for frame in sorted(at))


def _of_flight(sequence: Sequence, violation: Violation, world: World) -> tuple[Violation, ...]:
    """Return what is wrong with the flight that a violation is about, and other keys of the root repair."""
    around = round(_AROUND * sequence.fps)
    first, last = sequence.range
    looked_at = _with_keys(sequence, ())
    looked_at.set_range(max(first, violation.first - around), min(last, violation.last + around))
    return tuple(
        each
        for each in find_violations(looked_at, world)
        if each.fixable and each.first < violation.last and violation.first < each.last
    )


def _with_keys(sequence: Sequence, keys: Iterable[Key]) -> Sequence:
    """Return a copy of a sequence with other keys in the place of those at their frames."""
    copy = Sequence(
        sequence.skeleton, sequence.fps, sequence.name, loop=sequence.loop, keys=_together(sequence.keys, keys)
    )
    first, last = sequence.range
    copy.set_range(first, None if sequence.ends_with_last_key else last)
    copy.locks, copy.locks.strips, copy.hybrid_strips = (
        list(sequence.locks),
        sequence.locks.strips,
        sequence.hybrid_strips,
    )
    copy.locks.holds, copy.companions = sequence.locks.holds, sequence.companions
    copy.layers = sequence.layers
    copy.timing.curves, copy.timing.root_speed = sequence.timing.curves, sequence.timing.root_speed
    return copy
