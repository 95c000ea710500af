"""What is the matter with locks that cannot be held together, in words."""

from __future__ import annotations

import math
from collections.abc import Sequence

from core.constraints.lock import Lock
from core.skeleton.skeleton import Skeleton


def part(s: Skeleton, joint: int | str) -> str:
    """Return a part's name as it stands in a sentence."""
    return s.joints[s.joint_index(joint)].name


def other_part(s: Skeleton, lock: Lock) -> str:
    """Return the name of a lock's second part."""
    if lock.second is None:
        return ""
    figure, joint, _ = lock.second
    if figure is None:
        return part(s, joint)
    return f"{joint} of {figure}" if isinstance(joint, str) else f"a part of {figure}"


def held_name(s: Skeleton, lock: Lock) -> str:
    """Return what a lock holds: ``"right hand"``, ``"orientation of head"``, ``"the equation of chest and head"``."""
    if lock.rule.by_equation:
        return f"the equation{_of_parts(lock)}"
    return lock.rule.held_text(part(s, lock.joint), other_part(s, lock))


def _of_parts(lock: Lock) -> str:
    """The parts that an equation names, ``" of chest and head of woman"``; empty if it names none."""
    named = [joint if figure is None else f"{joint} of {figure}" for figure, joint in lock.rule.parts_in(lock.target)]
    return f" of {listed(named)}" if named else ""


def amount(position: float, angle: float) -> str:
    """Return how far off something is: ``"12.3 cm"``, ``"4.1 mm"``, ``"23°"``; the length where there are both."""
    if math.isfinite(position) and position >= 1e-4:
        return f"{100.0 * position:.1f} cm" if position >= 0.00995 else f"{1000.0 * position:.1f} mm"
    if math.isfinite(angle) and angle > 0.0:
        degrees = math.degrees(angle)
        return f"{degrees:.0f}°" if degrees >= 9.95 else f"{degrees:.1f}°"
    return "hardly anything"


def listed(names: Sequence[str]) -> str:
    """Return names in one phrase, each once: ``"a"``, ``"a and b"``, ``"a, b and c"``."""
    once = list(dict.fromkeys(names))
    return once[0] if len(once) == 1 else f"{', '.join(once[:-1])} and {once[-1]}"


def capital(text: str) -> str:
    """Return a text with a capital first letter."""
    return text[:1].upper() + text[1:]


def sentence(s: Skeleton, locks: Sequence[Lock], chosen: Sequence[int], short: tuple[int, float, float]) -> str:
    """Return what is the matter: ``"Right hand cannot be held: 12.3 cm too far while left and right foot are held"``.

    Of an equation the parts are named: ``"The equation of chest and head cannot be kept: 15° off"``.

    Args:
        s: The figure.
        locks: All locks.
        chosen: Those in conflict.
        short: Which of them gives way, and how far off it then is, [m] and [rad]; NaN if it has no such part.
    """
    number, position, angle = short
    lock = locks[number]
    others = [locks[i] for i in chosen if i != number]
    far = math.isfinite(position) and position >= 1e-4
    if lock.kind == "balance":
        missed = f"The figure cannot be balanced: {amount(position, angle)} too far out"
    elif lock.rule.by_equation:
        missed = f"{capital(held_name(s, lock))} {lock.rule.missed}: {amount(position, angle)} off"
    else:
        missed = capital(part(s, lock.joint))
        if lock.kind in ("position", "pose"):
            missed += " cannot be held: " if far or not math.isfinite(angle) else " cannot keep the orientation: "
            missed += f"{amount(position, angle)} " + ("too far" if far else "off")
        else:
            missed += f" {lock.rule.missed}: ".format(other=other_part(s, lock))
            missed += f"{amount(position, angle)} off"
    if not others:
        return missed
    if len(others) == 1 and lock.kind in ("position", "pose") and far and _same_place(lock, others[0]):
        return f"{capital(part(s, lock.joint))} cannot be in two places, {amount(position, angle)} apart"
    names = [held_name(s, other) for other in others]
    verb = "is" if len(dict.fromkeys(names)) == 1 else "are"
    return f"{missed} while {listed(_sides(names))} {verb} held"


def _same_place(a: Lock, b: Lock) -> bool:
    """Whether two locks hold the same point of one part."""
    return a.joint == b.joint and a.kind == b.kind and bool((a.point == b.point).all())


def _sides(names: Sequence[str]) -> list[str]:
    """Return names, each once, the same of both sides as one: ``"left and right foot"``."""
    merged: list[str] = []
    for name in names:
        rest = name.removeprefix("left ").removeprefix("right ")
        both = f"left {rest}" in names and f"right {rest}" in names
        text = f"left and right {rest}" if both and rest != name else name
        if text not in merged:
            merged.append(text)
    return merged
