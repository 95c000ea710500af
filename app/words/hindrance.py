"""What the window says about a part that is not at its goal: limits, reach and locks in a few words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace

from app.words.dof_names import full_label
from app.words.lengths import distance_text
from app.words.part_names import part_name, spoken_name
from core.constraints.lock import Lock
from core.posing.hindrance import MOST_NAMED, Hindrance, Stop
from core.skeleton import Skeleton
from core.skeleton.dof import ANGLE, NUMBER

MANY = {"foot": "feet", "hand": "hands"}


@dataclass(frozen=True)
class NamedStop(Stop):
    """A degree of freedom at its limit, as the window names it.

    Attributes:
        label: Its name on screen.
        text: Where it is stopped, with its unit.
    """

    label: str = ""
    text: str = ""


@dataclass(frozen=True)
class Explanation(Hindrance):
    """A hindrance in words.

    Attributes:
        stops: As ``Hindrance`` has them, with their names.
        tag: A few words beside the goal, or "". With no reason: that the solver had too few steps.
        brief: The same shorter, where there is little room.
        note: What the status line says about it, or "".
    """

    stops: tuple[NamedStop, ...] = ()
    tag: str = ""
    brief: str = ""
    note: str = ""


UNHINDERED = Explanation()


def explained(skeleton: Skeleton, hindrance: Hindrance, joint: int, nudge: bool = True) -> Explanation:
    """Return why a part is not at its goal in words.

    Args:
        skeleton: The figure.
        hindrance: Why it is not.
        joint: The part.
        nudge: Whether straight limbs are bent.
    """
    reason = hindrance.reason
    if not reason and not hindrance.unfinished:
        return UNHINDERED
    stops = tuple(named(skeleton, stop) for stop in hindrance.stops)
    left = distance_text(hindrance.distance)
    if hindrance.locks:
        names, short = lock_names(skeleton, hindrance.locks), short_names(skeleton, hindrance.locks)
        if stops:
            stops = tuple(_with_side(skeleton, stop) for stop in stops)
            tag, brief = stopped_by(stops), stopped_by(stops, 1)
            note = f"stopped by {at_limits(stops)}, with {short} locked, {left} to the goal"
        else:
            tag, brief = f"held by {names}", f"held by {short}"
            note = f"held back by {names}, {left} to the goal"
    elif reason == "out_of_reach":
        tag = brief = f"{'too close' if hindrance.inside else 'out of reach'} by {distance_text(hindrance.beyond)}"
        note = f"{tag}, stopped by {at_limits(stops)}" if stops else tag
    elif reason == "straight":
        tag, brief = "the limb is straight", "straight"
        note = f"{_limb(skeleton, joint)} is straight: nothing can bend it from here. Pull a little sideways"
        note = note if nudge else f"{note} or turn on Bend straight limbs"
    elif reason == "limits":
        tag, brief, note = stopped_by(stops), stopped_by(stops, 1), f"stopped by {at_limits(stops)}"
    else:
        tag = note = f"{left} left: too few steps"
        brief = "too few steps"
    values = {field.name: getattr(hindrance, field.name) for field in fields(Hindrance)}
    return Explanation(**{**values, "stops": stops}, tag=tag, brief=brief, note=note)


def named(skeleton: Skeleton, stop: Stop) -> NamedStop:
    """Return a stop with its name and value as the window shows them."""
    text = value_text(skeleton.dof_units[stop.dof], stop.value)
    return NamedStop(stop.dof, stop.side, stop.value, full_label(skeleton, stop.dof), text)


def _limb(skeleton: Skeleton, joint: int) -> str:
    """Return what the limb of a part is called: its group, else the part."""
    group = next((name for name, joints in skeleton.groups if name and joint in joints), "")
    return part_name(group or skeleton.joints[joint].name)


# -- values ------------------------------------------------------------------------------------------------------------


def value_text(unit: str, value: float) -> str:
    """Return a degree of freedom's value as the editor shows it: degrees, centimetres of a length, or a number."""
    if unit == NUMBER:
        text = f"{value + 0.0:.2f}"
    else:
        text = f"{math.degrees(value) + 0.0:.1f}°" if unit == ANGLE else f"{value * 100.0 + 0.0:.1f} cm"
    return text.removeprefix("-") if not text.strip("-0.°cm ") else text.replace("-", "−")


# -- limits ------------------------------------------------------------------------------------------------------------


def stopped_by(stops: Sequence[NamedStop], most: int = MOST_NAMED) -> str:
    """Return what is stopped in a few words: the first ones by name and limit, of the others how many there are.

    A left and a right one that are at the same limit are one.
    """
    if (both := both_sides(stops)) is not None:
        return f"stopped by {spoken_name(both)} at {stops[0].text}"
    names = [f"{spoken_name(stop.label)} at {stop.text}" for stop in stops[:most]]
    if len(stops) > most:
        names.append(f"{len(stops) - most} more")
    return f"stopped by {', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else f"stopped by {names[0]}"


def both_sides(stops: Sequence[NamedStop]) -> str | None:
    """Return the name of two stops that are each other's counterparts: ``Left and right foot bend``; else None."""
    if len(stops) != 2 or (stops[0].text, stops[0].side) != (stops[1].text, stops[1].side):
        return None
    (first, rest), (second, other) = (stop.label.split(" ", 1) if " " in stop.label else ("", "") for stop in stops)
    return f"Left and right {rest}" if rest == other and {first, second} == {"Left", "Right"} else None


def at_limits(stops: Sequence[NamedStop]) -> str:
    """Return where degrees of freedom are stopped, as the status line says it."""
    both = both_sides(stops)
    if both is not None and stops[0].side != 0:
        return f"{spoken_name(both)} at their {_side(stops[0])} limit of {stops[0].text}"
    return " and ".join(_at(stop) for stop in stops)


def _at(stop: NamedStop) -> str:
    """Return where a degree of freedom is stopped, as the status line says it."""
    if stop.side == 0:
        return f"{spoken_name(stop.label)} at {stop.text}"
    return f"{spoken_name(stop.label)} at its {_side(stop)} limit of {stop.text}"


def _side(stop: NamedStop) -> str:
    return "lower" if stop.side < 0 else "upper"


def _with_side(skeleton: Skeleton, stop: NamedStop) -> NamedStop:
    """Return a stop whose label says which of two sides it is on, where the figure has the same one on the other."""
    side, _, rest = spoken_name(skeleton.joints[skeleton.dof_joints[stop.dof]].name).partition(" ")
    if side not in ("left", "right") or not rest or stop.label.casefold().startswith(side):
        return stop
    return replace(stop, label=f"{side.capitalize()} {stop.label[:1].lower()}{stop.label[1:]}")


# -- locks -------------------------------------------------------------------------------------------------------------


def lock_names(skeleton: Skeleton, locks: Iterable[Lock]) -> str:
    """Return locks as they stand in a sentence: ``the lock of left foot``, ``the locks of both feet``."""
    parts = _parts(skeleton, locks)
    if len(parts) == 1 and not parts[0].startswith("both "):
        return "balance" if parts[0] == "balance" else f"the lock of {parts[0]}"
    shown = parts[:2]
    text = " and ".join(shown) if len(parts) <= 2 else f"{', '.join(shown)} and {len(parts) - 2} more"
    return f"the locks of {text}" if parts else ""


def short_names(skeleton: Skeleton, locks: Iterable[Lock]) -> str:
    """Return locks in the fewest words: ``left foot``, ``both feet``, ``3 locks``."""
    locks = tuple(locks)
    parts = _parts(skeleton, locks)
    return parts[0] if len(parts) == 1 else f"{len(locks)} locks"


def _parts(skeleton: Skeleton, locks: Iterable[Lock]) -> list[str]:
    """Return the parts that locks are of; a left and a right one are ``both`` of them."""
    parts = list(dict.fromkeys("balance" if lock.kind == "balance" else _part(skeleton, lock) for lock in locks))
    for name in list(parts):
        side, _, rest = name.partition(" ")
        other = f"{'right' if side == 'left' else 'left'} {rest}"
        if side in ("left", "right") and name in parts and other in parts:
            first = min(parts.index(name), parts.index(other))
            parts.insert(first, f"both {MANY.get(rest, rest if rest.endswith('s') else rest + 's')}")
            parts.remove(name)
            parts.remove(other)
    return parts


def _part(skeleton: Skeleton, lock: Lock) -> str:
    return spoken_name(skeleton.joints[skeleton.joint_index(lock.joint)].name)
