"""A lock in words: what it holds, how far it is off, and how it stands."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from app.words.keys_now import key_of
from app.words.part_names import part_name, spoken_name
from app.words.quantity import MINUS
from core.animation.script.writing import equation_text
from core.constraints.aiming import named_axis
from core.constraints.kinds import KINDS
from core.kinematics.chain import ancestry

if TYPE_CHECKING:
    from core.animation.locks.strip import LockStrip
    from core.constraints.lock import Lock
    from core.skeleton import Skeleton

TITLES = {kind.name: kind.title for kind in KINDS}
"""What each kind of lock is called on screen."""

TOKENS = {"holds": "ok", "yields": "warn", "conflict": "conflict", "off": "text3"}
"""Colour of each word that says how a lock stands."""

WHOLE_FIGURE = "Whole figure"
LOOK_WORDS = {"forward": "Forward", "up": "Up", "along": "Along the part"}
"""What the named axes of a part are called on screen."""
OWN = "own"  # an axis without a name
GROUND = 5e-4  # a level plane this close to y = 0 is the ground, [m]
OUTSIDE = -5e-4  # from this margin on, which is more than a rounded 0.0 cm, the centre of mass is outside, [m]
_LEVEL = 1.0 - 1e-6
MOST_PARTS = 3
"""Most parts of an equation in lists."""
LONGEST_EQUATION = 48
"""Most letters of an equation in lists."""


def joint_of(lock: Lock, skeleton: Skeleton) -> int | None:
    """Return the index of a lock's joint; None if the figure has none of that name."""
    joints = found(skeleton, [lock.joint])
    return joints[0] if joints else None


def part_of(lock: Lock, skeleton: Skeleton | None) -> str:
    """Return what a lock holds: ``"Right foot"``; of a balance lock the whole figure, of an equation all it names."""
    if lock.rule.by_equation and lock.target is not None:
        found = lock.rule.parts_in(lock.target)
        named = [spoken_name(name) + (f" of {figure}" if figure else "") for figure, name in found]
        if named:
            text = ", ".join(named[:MOST_PARTS]) + ("…" if len(named) > MOST_PARTS else "")
            return text[:1].upper() + text[1:]
    if lock.rule.of_figure:
        return WHOLE_FIGURE
    joint = lock.joint
    if isinstance(joint, int) and skeleton is not None and joint < len(skeleton.joints):
        joint = skeleton.joints[joint].name
    return part_name(str(joint))


def axes_text(lock: Lock) -> str:
    """Return the letters of the axes a lock holds, ``"Y"`` or ``"X, Z"``; "" if it holds all."""
    if lock.axes is None or all(lock.axes) or not any(lock.axes):
        return ""
    return ", ".join(letter for letter, on in zip("XYZ", lock.axes, strict=True) if on)


def is_ground(lock: Lock) -> bool:
    """Return whether a plane lock's plane is the ground."""
    if lock.kind != "plane" or lock.target is None:
        return False
    normal, height = np.asarray(lock.target, dtype=float)[:3], float(np.asarray(lock.target, dtype=float)[3])
    long = float(np.linalg.norm(normal))
    return long > 0.0 and abs(normal[1]) >= _LEVEL * long and abs(height / long) <= GROUND


def axis_word(lock: Lock, skeleton: Skeleton) -> str | None:
    """Return which named axis points where an aim or look-at lock says, ``OWN`` for none of them; None for others."""
    target = None if lock.target is None else lock.rule.pointed(lock.target)
    if target is None or joint_of(lock, skeleton) is None:
        return None
    return next((word for word in LOOK_WORDS if named_axis(skeleton, lock.joint, word) @ target > _LEVEL), OWN)


def other_of(lock: Lock, skeleton: Skeleton | None) -> str:
    """Return the name of the part that a pair, distance or aim goes to, as it stands in a sentence; "" for none."""
    if lock.second is None:
        return ""
    figure, joint, _ = lock.second
    if figure is None and skeleton is not None and isinstance(joint, int) and joint < len(skeleton.joints):
        joint = skeleton.joints[joint].name
    return spoken_name(str(joint)) + (f" of {figure}" if figure is not None else "")


def kind_text(lock: Lock, skeleton: Skeleton | None = None, short: bool = False) -> str:
    """Return what a lock holds of its part: ``"Orientation Y"``, ``"Plane, ground"``, ``"Distance, left hand"``.

    Args:
        lock: The lock.
        skeleton: Its figure, for the name of another part.
        short: Whether in as few words as there are: ``"Both"`` for position and orientation.
    """
    if lock.rule.by_equation and isinstance(lock.target, str) and skeleton is not None and not short:
        said = equation_text(lock.target, skeleton)
        return said if len(said) <= LONGEST_EQUATION else f"{said[: LONGEST_EQUATION - 1]}…"
    title = (lock.rule.short or lock.rule.title) if short else lock.rule.title
    axes, other = axes_text(lock), other_of(lock, skeleton)
    words = f"{title} {axes}" if axes else title
    return ", ".join([words, *(["ground"] if is_ground(lock) else []), *([other] if other else [])])


def found(skeleton: Skeleton, joints: Iterable[int | str]) -> tuple[int, ...]:
    """Return the indices of those joints that a figure has, in its order."""
    names = {name: i for i, name in enumerate(skeleton.joint_names)}
    indices = (joint if isinstance(joint, int) else names.get(joint, -1) for joint in joints)
    return tuple(sorted({i for i in indices if 0 <= i < len(skeleton.joints)}))


def ends_of(lock: Lock, skeleton: Skeleton) -> tuple[int, ...]:
    """Return the parts of a figure that a lock is about: one, or two of a pair."""
    second = lock.second
    return found(skeleton, [lock.joint] if second is None or second[0] is not None else [lock.joint, second[1]])


def helping_joints(lock: Lock, skeleton: Skeleton) -> tuple[int, ...]:
    """Return the joints that may move to keep a lock, in the figure's order.

    Without a choice of its own they are all that stand above its part, and above the other part of a pair.
    """
    if lock.joints is not None:
        return found(skeleton, lock.joints)
    joints: set[int] = set(range(len(skeleton.joints))) if lock.kind == "balance" else set()
    for end in ends_of(lock, skeleton):
        joints.update(ancestry(skeleton, end))
    return tuple(i for i in sorted(joints) if skeleton.joints[i].dofs or skeleton.joints[i].parent < 0)


def count_text(count: int) -> str:
    """Return ``"4 joints help"``."""
    return "1 joint helps" if count == 1 else f"{count} joints help"


def length_text(metres: float) -> str:
    """Return how far a lock is off: ``"0.000 mm"`` where it holds, ``"0.03 mm"``, ``"3.4 mm"``, ``"4.2 cm"``."""
    millimetres = abs(metres) * 1000.0
    if not math.isfinite(millimetres):
        return "?"
    if round(millimetres, 3) == 0.0:
        return "0.000 mm"
    if millimetres < 0.0995:
        return f"{millimetres:.3f} mm"
    if millimetres < 9.95:
        return f"{millimetres:.1f} mm"
    return f"{millimetres / 10.0:.1f} cm" if millimetres < 999.5 else f"{millimetres / 1000.0:.2f} m"


def angle_text(radians: float) -> str:
    """Return how far a lock is turned off: ``"0.00°"`` where it holds, ``"0.02°"``, ``"6.4°"``."""
    degrees = abs(math.degrees(radians))
    if not math.isfinite(degrees):
        return "?"
    return f"{degrees:.2f}°" if degrees < 0.995 else f"{degrees:.1f}°"


def signed_centimetres(metres: float) -> str:
    """Return a length with its sign: ``"+3.4 cm"``, ``"−1.2 cm"``."""
    text = f"{abs(metres) * 100.0:.1f}"
    return f"{'+' if metres >= 0.0 or not text.strip('0.') else MINUS}{text} cm"


def spoken_length(metres: float) -> str:
    """Return how far a lock is off, for assistive tools: with no more digits than an ear takes, ``"0.0 mm"``."""
    return f"{abs(metres) * 1000.0:.1f} mm" if abs(metres) < 9.95e-3 else length_text(metres)


def easing_text(strip: LockStrip | None, factor: float, frame: float) -> str:
    """Return how far a lock that eases has come on, ``"easing in, 25 %"``, or gone off; "" if it does not ease."""
    if strip is None or not 0.0 < factor < 1.0:
        return ""
    rises = frame < strip.start + strip.eases[0]
    return f"{'easing in' if rises else 'easing out'}, {100.0 * factor:.0f} %"


def weights_of(lock: Lock) -> tuple[float, ...]:
    """Return a lock's weight; of a pose lock those of position and of orientation."""
    return lock.weights if lock.rule.takes_pair else lock.weights[:1]


def weight_text(lock: Lock) -> str:
    """Return a lock's weight: ``"1.00"``; ``"1.00 / 0.50"`` where position and orientation differ."""
    weights = weights_of(lock)
    return f"{weights[0]:.2f}" if len(set(weights)) == 1 else " / ".join(f"{weight:.2f}" for weight in weights)


def select_and_lock() -> str:
    """Return what stands where there are no locks yet."""
    return f"Select a part and press {key_of('lock_cycle')}"
