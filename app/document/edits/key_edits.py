"""What edits of keys do, worked out from the sequence before anything is changed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from app.document.commands.base import Command
from app.document.content.model import Model
from app.document.edits import edits
from app.document.edits.holding import held_keys
from app.document.session import Session
from core.animation.channels import channels_of
from core.animation.clip import Clip
from core.animation.key import MAX_FRAME, Key
from core.animation.key_parts import Names, Parts, frame_list, held, reshaped
from core.animation.retiming import edge_of, inserted, moved
from core.animation.sequence import Sequence
from core.errors import CoreError, KeyCollision, SequenceError
from core.skeleton import Skeleton
from core.skeleton.mirroring.pose_mirror import with_counterparts

if TYPE_CHECKING:
    from core.arrays import Array


def channels_to_key(
    session: Session, skeleton: Skeleton, selected: Iterable[int], before: Array, after: Array
) -> Names:
    """Return the channels that an edit of the pose keys; None for all, none at all if it changed nothing that counts.

    Args:
        session: What the window shares.
        skeleton: The figure.
        selected: Joints that are selected.
        before: Pose before the edit, shape (nq,).
        after: Pose after it.
    """
    channels, joints = channels_of(skeleton), tuple(selected)
    if session.keys.what == "selection" and joints:
        if session.tools.mirror_editing:  # what happens on the other side is to stay too
            joints = with_counterparts(skeleton, joints)
        return frozenset(channels.of_joints(joints, place=True)) or None
    if session.keys.what != "changed":
        return None
    changed = np.unique(channels.of_value[np.asarray(before) != np.asarray(after)])
    return frozenset(channels.names[number] for number in changed)


Values = Mapping[str, Any]


def moved_keys(
    sequence: Sequence, mapping: Mapping[int, int], parts: Parts, doing: str, ripple: bool, earlier: bool = False
) -> Values:
    """Return what the sequence has after keys have moved; see ``core.animation.retiming.moved``."""
    return moved(sequence, mapping, parts, doing, edge_of(mapping) if ripple else None, earlier)


def scale_map(frames: Iterable[int], factor: float, about: int | None) -> dict[int, int]:
    """Return the new frames, by the old ones, of keys that spread from a frame, the first of them with None.

    Raises:
        SequenceError: If the factor is not a positive number, or a key would lie past the last possible frame.
    """
    ordered = sorted(frames)
    number = isinstance(factor, (int, float)) and not isinstance(factor, bool)
    if not (number and math.isfinite(factor) and factor > 0.0):
        raise SequenceError(f"stretch factor {factor} makes no sense; it must be a positive number")
    pivot = about if about is not None else ordered[0] if ordered else 0
    if ordered and max(abs(frame - pivot) for frame in ordered) * factor > MAX_FRAME:
        raise SequenceError(f"stretch factor {factor:g} takes keys past the last possible frame {MAX_FRAME}")
    # Halves round up, on either side of the frame that stays.
    return {frame: pivot + math.floor((frame - pivot) * factor + 0.5) for frame in ordered}


def shaped(sequence: Sequence, parts: Parts, values: Mapping[str, Any]) -> list[Key]:
    """Return the keys with values of the shapes of some changed.

    Raises:
        SequenceError: If there is no key at a frame, or a value is not valid.
    """
    channels = sequence.channels
    there = {key.frame for key in sequence.keys if key.frame in parts and held(key, channels, parts[key.frame])}
    missing = parts.keys() - there
    if missing:
        raise SequenceError(f"there is no key at frame {frame_list(missing)}")
    trial = Sequence(sequence.skeleton)
    made = {
        key.frame: reshaped(key, channels, parts[key.frame], **values) for key in sequence.keys if key.frame in there
    }
    trial.set_keys(made.values())  # what fits the figure it knows best
    return [made.get(key.frame, key) for key in sequence.keys]


_TEXTS = {
    "interp": "Set interpolation",
    "turns": "Set full turns",
    "ease": "Set ease",
    "slopes_in": "Set tangents",
    "slopes_out": "Set tangents",
}


def shape_text(values: Mapping[str, Any]) -> str:
    """Return what the history calls a change of shapes."""
    texts = {_TEXTS.get(name, f"Set {name}") for name in values}
    return texts.pop() if len(texts) == 1 else "Set shape of keys"


def copied(sequence: Sequence, which: object, parts: Parts | None, last: int | None) -> Clip | None:
    """Return what is copied: the keys of a range, or parts of keys; None if there is nothing.

    Lock strips come along with a range, and with whole keys between which no key is left out.
    """
    if parts is None:
        assert isinstance(which, int) and last is not None
        return sequence.copy(which, last)
    channels = sequence.channels
    there = [key.frame for key in sequence.keys if key.frame in parts and held(key, channels, parts[key.frame])]
    if not there:
        return None
    first, end = there[0], there[-1]
    whole = all(parts[frame] is None for frame in there)
    every = whole and len(there) == sum(first <= frame <= end for frame in sequence.keys.frames)
    strips, forces = (sequence.locks.strips, sequence.hybrid_strips) if every else ((), ())
    return Clip.of(sequence.keys, first, end, sequence.skeleton, strips, parts, forces)


def collision(model: Model, frame: int, clip: Clip, flipped: bool) -> str:
    """Return which key a paste would meet, in a few words; "" if there is room, or something else hinders it."""
    skeleton, sequence = edits.need_figure(model)
    try:
        inserted(sequence, frame, clip.fitted(skeleton), False, flipped, False)
    except KeyCollision as error:
        return str(error).partition(";")[0].replace("inserting", "pasting", 1)
    except CoreError:
        return ""
    return ""


def pasted(
    model: Model, session: Session, frame: int, clip: Clip | None, make_room: bool, flipped: bool, instead: bool
) -> tuple[list[Command], str]:
    """Return the commands that put a clip in, its poses brought onto the locks there, and what to report to the person.

    Raises:
        SequenceError: If there is nothing to paste.
        KeyCollision: If a key would land on one that is there.
        PoseError: If the clip does not fit the figure.
    """
    skeleton, sequence = edits.need_figure(model)
    if clip is None or not (clip.keys or clip.strips or clip.hybrid_strips):
        raise SequenceError("there are no keys to paste; copy some first")
    if clip.offsets:
        raise SequenceError("these are keys of a layer, which add to poses and are none; paste them on a layer")
    fitted = clip.fitted(skeleton)
    try:
        values = inserted(sequence, frame, fitted, make_room, flipped, instead)
    except KeyCollision as error:
        where = str(error).partition(";")[0].replace("inserting", "pasting", 1)
        raise KeyCollision(f"{where}; paste and make room, or paste over others (Edit > Keys)") from None
    come = {key.frame + frame for key in fitted.keys}
    keys = held_keys(model, session, values["keys"], values["strips"], come)
    note = ""
    if fitted is not clip and clip.dof_names != skeleton.dof_names:
        note = f"Pasted what both figures have: {_counted(fitted.channels, skeleton)}"
    return edits.sequence_values(model, {**values, "keys": keys}), note


def _counted(names: Names, skeleton: Any) -> str:
    moving = len(channels_of(skeleton)) - 1
    return f"{moving if names is None else len(names - {''})} of {moving} joints"
