"""What the list of locks says of each lock of a document at the current frame, simulated or not."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from app.words.lock_words import (
    OUTSIDE,
    angle_text,
    count_text,
    easing_text,
    helping_joints,
    kind_text,
    length_text,
    part_of,
    signed_centimetres,
    spoken_length,
    weight_text,
    weights_of,
)
from app.words.part_names import spoken_name
from core.constraints.balance import support_of
from core.constraints.kinds import find_kind
from core.constraints.places import Places
from core.constraints.support import margin_of
from core.errors import CoreError
from core.kinematics.center_of_mass import center_of_mass

if TYPE_CHECKING:
    from app.document.document import Document
    from app.document.edits.lock_states import LockState
    from core.constraints.lock import Lock
    from core.preview.sample import LockResidual
    from core.skeleton import Skeleton

NEAR, NEAR_TURN = 1e-3, math.radians(0.5)
"""Nearer than this a constraint holds while bodies move, [m] and [rad]: it comes back to its place step by step."""
KEPT, NOT_KEPT = "Kept as a constraint", "Off while dynamic"


def simulated_lines(document: Document, lines: list[LockLine], strips: list[str | None]) -> list[LockLine]:
    """Return lines as they are at the shown sample; those of parts that only keys move stay as they are.

    Args:
        document: The document.
        lines: Its lines.
        strips: Of each line the id of the lock's strip; None for a lock that holds at all times.
    """
    sample = document.physics.current
    if sample is None:
        return lines
    by_strip = {residual.strip: residual for residual in sample.lock_residuals if residual.strip is not None}
    always = iter([residual for residual in sample.lock_residuals if residual.strip is None])
    found = []
    for line, strip in zip(lines, strips, strict=True):
        residual = next(always, None) if strip is None else by_strip.get(strip)
        moved = residual is not None and (residual.acts or _is_dynamic(document, residual))
        found.append(_as_constraint(line, residual) if residual is not None and moved else line)
    return found


def _is_dynamic(document: Document, residual: LockResidual) -> bool:
    """Return whether forces move the part of a lock, or for a balance any part."""
    moved_by, skeleton = document.physics.moved_by(), document.skeleton
    if skeleton is None:
        return False
    if find_kind(residual.kind).of_figure or residual.joint not in skeleton.joint_names:
        return any(moved_by)
    return moved_by[skeleton.joint_index(residual.joint)] > 0


def _as_constraint(line: LockLine, residual: LockResidual) -> LockLine:
    if not residual.acts:
        return replace(line, detail=NOT_KEPT, brief="off, dynamic", residual="", below="off", word="off")
    rule = find_kind(residual.kind)
    length = residual.position if rule.holds_position else math.nan
    angle = residual.rotation if rule.holds_orientation else math.nan
    far, turned = length > NEAR, angle > NEAR_TURN  # False for NaN
    word = "yields" if far or turned else "holds"
    text, below = "", word
    if math.isfinite(length):
        text = length_text(length)
        if math.isfinite(angle):
            below = f"{angle_text(angle)} · {word}"
    elif math.isfinite(angle):
        text = angle_text(angle)
    spoken = f"{line.part}, {KEPT.lower()}, {text}, {word}"
    return replace(line, detail=KEPT, brief="Constraint", residual=text, below=below, word=word, spoken=spoken)


ALWAYS = "always "
"""What the keys of locks that hold at all times begin with: they are no strips."""

MOST_NAMES = 8  # of joints in a tooltip
KEYS = "Enter opens it, Del removes it"


@dataclass(frozen=True)
class LockLine:
    """What a row shows.

    Attributes:
        key: Which lock it is, as the session's ``selected_lock`` has it.
        kind: Kind of lock, for the glyph.
        part: What it holds.
        detail: Kind and how many joints may help.
        brief: The same with the kind in as few words as there are, for narrow rows.
        weights: Its weight, or those of position and orientation.
        weight_text: The same in words.
        residual: How far it is off; for a balance lock its margin.
        below: What stands under that: the word of its state, or for a balance lock where the centre of mass is.
        word: ``"holds"``, ``"yields"``, ``"conflict"``, ``"let go"``, ``"easing"`` or ``"off"``.
        spoken: All of it in words, for assistive tools.
        tip: What the tooltip says.
    """

    key: str
    kind: str
    part: str
    detail: str
    brief: str
    weights: tuple[float, ...]
    weight_text: str
    residual: str
    below: str
    word: str
    spoken: str
    tip: str = ""


def lines_of(document: Document) -> list[LockLine]:
    """Return a line for each lock of the active figure's sequence, in the order they were made."""
    skeleton = document.skeleton
    if skeleton is None:
        return []
    states = document.locks.states()
    margins = _margins(document, states)
    lines, always = [], 0
    for state in states:
        if state.strip is None:
            key, always = f"{ALWAYS}{always}", always + 1
        else:
            key = state.strip.id
        word = state.word
        lines.append(_line(key, state, word, skeleton, margins.get(id(state)), document.frame))
    return simulated_lines(document, lines, [None if state.strip is None else state.strip.id for state in states])


def _margins(document: Document, states: tuple[LockState, ...]) -> dict[int, float]:
    """Return how far inside its support the figure's centre of mass is, for each balance lock that acts, [m]."""
    found: dict[int, float] = {}
    wanted = [state for state in states if state.lock.kind == "balance" and state.word != "off"]
    skeleton = document.skeleton
    if not wanted or skeleton is None:
        return found
    acting = [state.lock for state in states if state.word != "off"]
    try:
        center = center_of_mass(skeleton, document.pose)[[0, 2]]
        places = Places(skeleton, document.pose, document.model.other_figures(acting))
        for state in wanted:
            found[id(state)] = margin_of(support_of(state.lock, acting, places), center)
    except CoreError:  # a figure that weighs nothing, or a part that is gone: there is no margin
        pass
    return found


def kind_line(state: LockState, skeleton: Skeleton, short: bool = False) -> str:
    """Return kind and how many joints may help: ``"Plane, ground · 5 joints help"``."""
    lock = state.lock
    return f"{kind_text(lock, skeleton, short=short)} · {count_text(len(helping_joints(lock, skeleton)))}"


def frames_text(state: LockState) -> str:
    """Return which frames a lock is for: ``"frames 12 to 40"``, ``"from frame 12 on"``, ``"at all frames"``."""
    strip = state.strip
    if strip is None:
        return "at all frames"
    return f"from frame {strip.start} on" if strip.end is None else f"frames {strip.start} to {strip.end}"


def _line(key: str, state: LockState, word: str, skeleton: Skeleton, margin: float | None, frame: float) -> LockLine:
    lock, part, frames = state.lock, part_of(state.lock, skeleton), frames_text(state)
    residual, below, said = "", word, ""
    if word != "off" and (easing := easing_text(state, frame)):  # what it is still off by is meant to be
        residual, below, word, said = easing.partition(", ")[2], easing.partition(", ")[0], "easing", easing
    elif word != "off":
        length, angle = state.position_residual, state.angle_residual
        if margin is not None and np.isfinite(margin):
            residual = signed_centimetres(margin)
            below = "inside support" if margin > OUTSIDE else "outside"
            said = f"{residual} {below}"
        elif math.isfinite(length):
            residual, said = length_text(length), spoken_length(length)
            if math.isfinite(angle):
                below, said = f"{angle_text(angle)} · {below}", f"{said}, {angle_text(angle)}"
        elif math.isfinite(angle):
            residual = said = angle_text(angle)
    else:
        below = ""
        residual = _when(state)
    kind = lock.rule.title.lower()
    weights = weight_text(lock)
    spoken = ", ".join(text for text in (part, f"{kind} lock", f"weight {weights}", word, said, frames) if text)
    name = state.strip.name if state.strip is not None else None
    return LockLine(
        key, lock.kind, part, kind_line(state, skeleton), kind_line(state, skeleton, True), weights_of(lock), weights,
        residual, below, word, spoken, f"{name or f'{part}, {kind}'}: {frames}\n{_helpers(lock, skeleton)}\n{KEYS}",
    )  # fmt: skip


def _helpers(lock: Lock, skeleton: Skeleton) -> str:
    """Return which joints may move to keep a lock, the first of them by name."""
    names = [spoken_name(skeleton.joints[joint].name) for joint in helping_joints(lock, skeleton)]
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return f"Joints that may move to hold it: {', '.join(names[:MOST_NAMES])}{more}"


def _when(state: LockState) -> str:
    """Return when a lock that is off holds, as short as it can be said: ``"30–42"``, ``"from 30"``."""
    strip = state.strip
    if strip is None:
        return "off"
    return f"from {strip.start}" if strip.end is None else f"{strip.start}–{strip.end}"
