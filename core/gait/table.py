"""All gaits there are. A new one is a file that makes it, and a line here."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

from core.animation.contacts.feet import figure_feet
from core.errors import CoreError
from core.gait.biped import Biped, biped_on
from core.gait.error import GaitError
from core.gait.fastest import check_speed, instead_of_usual, speed_is_known, springs_are_too_fast
from core.gait.four_legged import GALLOP, TROT, WALK, four_legged, four_legged_prints
from core.gait.gait import Gait
from core.gait.idling import idle_prints, make_idle
from core.gait.jumping import jump_pace, jump_prints, make_jump
from core.gait.manner import CURVES, Manner, Pace
from core.gait.prints import Print
from core.gait.quadruped import Quadruped, quadruped_on
from core.gait.running import RUN, make_run, run_prints
from core.gait.walk import Walk, make_walk, planned
from core.skeleton import Skeleton
from core.terrain.ground import LEVEL, Ground

GAITS = (
    Gait("walk", 2, "one foot on the ground at least", make_walk, keyed=partial(make_walk, each_frame=True)),
    Gait("run", 2, "a flight between steps", make_run, knees=True, pace=RUN.steps, prints=run_prints),
    Gait("jump", 2, "off both feet, and onto both", make_jump, knees=True, leaps=True, pace=jump_pace,
         prints=jump_prints),
    Gait("idle", 2, "stands, shifts its weight and breathes", make_idle, moves=False, knees=True,
         prints=idle_prints),
    Gait("walk", 4, "in lateral sequence, two or three feet on the ground", four_legged(WALK),
         prints=four_legged_prints(WALK)),
    Gait("trot", 4, "diagonal legs together", four_legged(TROT), pace=TROT.cycle.steps,
         prints=four_legged_prints(TROT)),
    Gait("gallop", 4, "hind feet, forefeet, and a flight", four_legged(GALLOP), pace=GALLOP.cycle.steps,
         prints=four_legged_prints(GALLOP), fastest=math.radians(915.0)),
)  # fmt: skip
"""Every gait, in the order in which they are offered."""

TOO_FAST_AS_USUAL = "At its usual speed its joints would turn too fast; it goes at {:.2f} m/s instead"
TOO_FAR_AS_USUAL = "As usual its joints would turn too fast; it jumps {:.2f} m far instead"
TOO_FAST_BY_FORCES = "By forces its legs would turn too fast; curves move the body instead"

KINDS = tuple(dict.fromkeys(gait.name for gait in GAITS))
"""Their names, each once."""


def number_of_feet(s: Skeleton, feet: tuple[str, ...] = ()) -> int:
    """Return on how many feet a figure goes: those picked by name, or those it stands on."""
    return len(feet) or sum(foot.grounded for foot in figure_feet(s))


def gaits_for(s: Skeleton, feet: tuple[str, ...] = ()) -> tuple[Gait, ...]:
    """Return the gaits for a figure with as many feet as it has, or as are picked by name; none if there are none."""
    number = number_of_feet(s, feet)
    return tuple(gait for gait in GAITS if gait.legs == number)


def without_knees(s: Skeleton, feet: tuple[str, ...] = ()) -> bool:
    """Return whether a figure goes on two legs that do not bend: gaits that need knees refuse it."""
    try:
        walker = walker_of(s, feet)
    except CoreError:
        return False
    return isinstance(walker, Biped) and walker.is_stiff


def check_kind(manner: Manner) -> None:
    """Check that there is the gait of a manner.

    Raises:
        GaitError: If not; says which there are.
    """
    if manner.kind not in KINDS:
        raise GaitError(f'"{manner.kind}" is no gait; there are {", ".join(KINDS)}')


def walker_of(s: Skeleton, feet: tuple[str, ...] = ()) -> Biped | Quadruped:
    """Return what of a figure goes on two or four feet.

    Raises:
        GaitError: If it cannot.
    """
    return quadruped_on(s, feet) if number_of_feet(s, feet) == 4 else biped_on(s, feet)


def footprints_of(s: Skeleton, manner: Manner, ground: Ground = LEVEL, fps: float = 30.0) -> tuple[Print, ...]:
    """Return the footprints of a figure that moves in a manner, by number, without making all of its motion.

    Raises:
        GaitError: If there is no such gait for the figure, or it cannot move like that.
    """
    gait = _gait_of(s, manner)
    manner = _as_able(gait, s, manner, fps)
    if gait.prints is not None:
        return gait.prints(s, manner, ground, fps)
    biped = biped_on(s, manner.feet)
    steps, legs = planned(biped, manner, ground, fps), {leg.side: leg for leg in biped.legs}
    rows = zip(steps.sides, steps.frames, steps.lands, steps.leaves, strict=True)
    return tuple(Print(n, legs[int(side)], frame, int(lands), int(leaves))
                 for n, (side, frame, lands, leaves) in enumerate(rows))  # fmt: skip


def make_gait(s: Skeleton, manner: Manner, ground: Ground = LEVEL, fps: float = 30.0) -> Walk:
    """Return keys and lock strips of a figure that moves in a manner. The same arguments give the same bits.

    Raises:
        GaitError: If there is no such gait for the figure, or it cannot move like that, or that fast.
    """
    gait = _gait_of(s, manner)
    if not gait.moves:
        return gait.make(s, manner, ground, fps)
    leg = walker_of(s, manner.feet).leg_length
    able, notes = _as_able(gait, s, manner, fps), []
    if able != manner:
        notes.append(TOO_FAR_AS_USUAL.format(able.step_length) if gait.leaps else TOO_FAST_AS_USUAL.format(able.speed))
    if springs_are_too_fast(gait, s, able, leg, fps):
        able = replace(able, legs=CURVES)
        notes.append(TOO_FAST_BY_FORCES)
    check_speed(gait, s, able, leg, fps)
    return gait.make(s, able, ground, fps)._replace(note=". ".join(notes))


def pace_of(s: Skeleton, manner: Manner, fps: float = 30.0) -> Pace:
    """Return speed, length and rate of the steps of a figure that moves in a manner, as ``make_gait`` makes them.

    Raises:
        GaitError: If there is no such gait for the figure.
    """
    gait = _gait_of(s, manner)
    return gait.pace_for(_as_able(gait, s, manner, fps), walker_of(s, manner.feet).leg_length)


def _as_able(gait: Gait, s: Skeleton, manner: Manner, fps: float) -> Manner:
    """Return a manner that says how fast or how far, if a figure cannot go as usual and nothing was said."""
    if not gait.moves:
        return manner
    most = instead_of_usual(gait, s, manner, walker_of(s, manner.feet).leg_length, fps)
    if most is None:
        return manner
    return replace(manner, step_length=most) if gait.leaps else replace(manner, speed=most)


def is_quickly_checked(s: Skeleton, manner: Manner, fps: float = 30.0) -> bool:
    """Return whether ``make_gait`` does no more than to make what is asked for.

    Of a manner that is faster than usual the fastest speed of the figure is looked for once, which takes as long as
    some ten short walks. What cannot be made is refused quickly.
    """
    try:
        gait = _gait_of(s, manner)
        return not gait.moves or speed_is_known(gait, s, manner, walker_of(s, manner.feet).leg_length, fps)
    except CoreError:
        return True


def _gait_of(s: Skeleton, manner: Manner) -> Gait:
    check_kind(manner)
    offered = gaits_for(s, manner.feet)
    for gait in offered:
        if gait.name == manner.kind:
            return gait
    number = number_of_feet(s, manner.feet)
    if not offered:
        raise GaitError(
            f'figure "{s.name}" stands on {number} feet, as far as names and the rest pose tell; gaits are for two or '
            "four: name them (--feet LEFT RIGHT)"
        )
    names = " and ".join(", ".join(gait.name for gait in offered).rsplit(", ", 1))
    raise GaitError(f'there is no {manner.kind} for figure "{s.name}", which stands on {number} feet; there is {names}')
