"""What the list of locks says while the figure is simulated: locks are constraints of the simulation."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from app.words.lock_words import angle_text, length_text

if TYPE_CHECKING:
    from app.document.document import Document
    from app.panels.locks.lock_line import LockLine
    from core.preview.sample import LockResidual

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
    if residual.kind == "balance" or residual.joint not in skeleton.joint_names:
        return any(moved_by)
    return moved_by[skeleton.joint_index(residual.joint)] > 0


def _as_constraint(line: LockLine, residual: LockResidual) -> LockLine:
    if not residual.acts:
        return replace(line, detail=NOT_KEPT, brief="off, dynamic", residual="", below="off", word="off")
    turns, lies = residual.kind in ("orientation", "aim"), residual.kind not in ("orientation", "aim", "pose")
    length, angle = math.nan if turns else residual.position, math.nan if lies else residual.rotation
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
