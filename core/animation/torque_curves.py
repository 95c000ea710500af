"""Torques of joints as keyed curves over time: what a motor or muscle does while forces move a part (Welman 2.3.1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from core.animation.key import MAX_FRAME
from core.animation.locks.strip import checked_number
from core.arrays import Array
from core.errors import SequenceError
from core.keyed_curves import curve_rows
from core.keyed_curves.keyed_curve_kernel import value_at
from core.keyed_curves.keys import Keys, Place, placed_keys, with_key, without_key

LARGEST_TORQUE = 1e6
"""[N m] or [N]."""


@dataclass(frozen=True)
class TorqueCurve:
    """The torque of one degree of freedom, or the force along a slide. Immutable.

    Between keys it is a cubic that goes no farther than they do; before the first and after the last it is theirs.

    Attributes:
        joint: Name of the joint.
        dof: Which of the joint's degrees of freedom: the torque is about its axis. Of three hinges that are one
            rotation each axis is the part's own.
        keys: Frame, counted from the beginning of the strip that has the curve, and torque [N m] or force [N], in
            order, at least one.

    Raises:
        SequenceError: If a value makes no sense; names it, and what would be right.
    """

    joint: str
    dof: int
    keys: Keys

    def __post_init__(self) -> None:
        if not isinstance(self.joint, str) or not self.joint:
            raise SequenceError(f"torque curve: joint is {self.joint!r}; it must be the name of a joint")
        where = f'torque of joint "{self.joint}"'
        dof = self.dof
        if isinstance(dof, bool) or not isinstance(dof, (int, np.integer)) or dof < 0:
            raise SequenceError(f"{where}: dof is {dof!r}; it must be a whole number, 0 or more")
        object.__setattr__(self, "dof", int(dof))
        keys: list[tuple[float, float]] = []
        try:
            pairs = [tuple(key) for key in self.keys]
        except TypeError:
            raise SequenceError(f"{where}: keys are {self.keys!r}; they must be pairs of frame and torque") from None
        for pair in pairs:
            if len(pair) != 2:
                raise SequenceError(f"{where}: {pair!r} is no key; it must be a frame and a torque")
            frame, torque = checked_number(pair[0], f"{where}: frame"), checked_number(pair[1], f"{where}: torque")
            if not abs(frame) <= MAX_FRAME or not abs(torque) <= LARGEST_TORQUE:
                raise SequenceError(f"{where}: frame {frame:g} with torque {torque:g} is out of range")
            if keys and frame <= keys[-1][0]:
                raise SequenceError(f"{where}: the key at {frame:g} follows one at {keys[-1][0]:g}; frames must ascend")
            keys.append((frame, torque))
        if not keys:
            raise SequenceError(f"{where} has no keys; it needs one or more")
        object.__setattr__(self, "keys", tuple(keys))

    def at(self, frame: float) -> float:
        """Return the torque at a frame counted from the beginning of the strip, [N m] or [N]."""
        return value_at(self._rows, frame)

    @cached_property
    def _rows(self) -> Array:
        return curve_rows(self.keys)

    def with_key(self, frame: float, torque: float) -> TorqueCurve:
        """Return it with a key more, or another torque at the frame of a key."""
        return replace(self, keys=with_key(self.keys, frame, torque))

    def without_key(self, frame: float) -> TorqueCurve | None:
        """Return it without the key at a frame; None if it has no other."""
        rest = without_key(self.keys, frame)
        return replace(self, keys=rest) if rest else None

    def moved(self, by: float, factor: float = 1.0) -> TorqueCurve:
        """Return it with all frames multiplied, then moved."""
        return replace(self, keys=tuple((factor * frame + by, torque) for frame, torque in self.keys))

    def followed(self, place: Place, before: int, after: int) -> TorqueCurve | None:
        """Return it after frames of the sequence went elsewhere; None if all of its keys are gone.

        Args:
            place: Where each frame of the sequence goes.
            before: Frame at which its strip began.
            after: Frame at which its strip begins then.
        """
        keys = placed_keys(tuple((before + frame, torque) for frame, torque in self.keys), place)
        return replace(self, keys=tuple((frame - after, torque) for frame, torque in keys)) if keys else None

    def to_record(self) -> dict[str, Any]:
        """Return it as a JSON value."""
        return {"joint": self.joint, "dof": self.dof, "keys": [list(key) for key in self.keys]}


def torque_from_record(record: Any) -> TorqueCurve:
    """Return the curve of a record.

    Raises:
        SequenceError: If it is none, or a value makes no sense.
    """
    if not isinstance(record, Mapping) or not {"joint", "dof", "keys"} <= set(record):
        raise SequenceError(f"torque curve {record!r}: it must be an object with joint, dof and keys")
    return TorqueCurve(record["joint"], record["dof"], record["keys"])


def checked_torques(curves: Iterable[Any], parts: tuple[str, ...]) -> tuple[TorqueCurve, ...]:
    """Return curves after checking that a strip may have them, each degree of freedom one.

    Args:
        curves: Curves, or records of such.
        parts: Joints that the strip moves; () for all.

    Raises:
        SequenceError: If not; names the joint.
    """
    found: dict[tuple[str, int], TorqueCurve] = {}
    for each in curves:
        curve = each if isinstance(each, TorqueCurve) else torque_from_record(each)
        if parts and curve.joint not in parts:
            raise SequenceError(f'torque of joint "{curve.joint}", which the strip does not move')
        if (curve.joint, curve.dof) in found:
            raise SequenceError(f'two torque curves of joint "{curve.joint}", dof {curve.dof}; there may be one')
        found[curve.joint, curve.dof] = curve
    return tuple(found.values())


def renamed_torques(curves: Iterable[TorqueCurve], names: Mapping[str, str | None]) -> tuple[TorqueCurve, ...]:
    """Return curves whose joints have other names; those of joints that are gone are left out."""
    found = []
    for curve in curves:
        name = names.get(curve.joint, curve.joint)
        if name is not None:
            found.append(curve if name == curve.joint else replace(curve, joint=name))
    return tuple(found)
