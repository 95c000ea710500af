"""A simulation from beginning to end: which motions take part, where it begins and ends, and its motion as keys."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from core.animation.hybrid_strips import HybridStrip
from core.animation.sequence import Sequence
from core.errors import DynamicsError
from core.progress import Progress, report

if TYPE_CHECKING:
    from core.preview.preview import Preview

USUAL = 3.0
"""How long a simulation is if neither a strip nor anybody says, [s]."""
LONGEST = 3600.0
"""How long a simulation may be, [s]."""


def link_companions(sequence: Sequence, sequences: Iterable[Sequence]) -> tuple[Sequence, ...]:
    """Let a sequence know the motions of the other figures, the first of each; return them.

    Args:
        sequence: The motion that is simulated.
        sequences: All motions that there are.
    """
    others: dict[str, Sequence] = {}
    for each in sequences:
        if each.skeleton is not sequence.skeleton:
            others.setdefault(each.skeleton.name, each)
    sequence.companions = others
    return tuple(others.values())


def checked_start(sequence: Sequence, start: int | None = None) -> int:
    """Return the frame at which a simulation begins.

    Args:
        sequence: The motion that is simulated.
        start: The frame that somebody wants; None for where its first strip begins, or the motion without strips.

    Raises:
        DynamicsError: If the motion has no such frame.
    """
    starts = [strip.start for strip in sequence.hybrid_strips]
    if start is None:
        return min(starts, default=sequence.range[0])
    first, last = min([sequence.range[0], *starts]), max([sequence.range[1], *starts])
    if not first <= start <= last:
        raise DynamicsError(f'frame {start} is outside sequence "{sequence.name}"; its frames are {first} to {last}')
    return start


def lead(sequence: Sequence, preset: str, strength: float = 1.0, start: int | None = None) -> None:
    """Let a preset lead the whole figure from a frame on, instead of the sequence's own strips.

    Args:
        sequence: The motion that is simulated; its strips change.
        preset: Name of the preset.
        strength: How strong the figure is, 1 for the usual strength of its joints.
        start: The frame; None for the first of the motion.

    Raises:
        DynamicsError: If the motion has no such frame.
    """
    begin = sequence.range[0] if start is None else checked_start(sequence, start)
    sequence.hybrid_strips = [HybridStrip((), begin, None, preset, gain=strength)]


def start_warnings(preview: Preview) -> list[str]:
    """Return what somebody should know of a simulation that begins: what leaps or overlaps, and what is left out."""
    found = start_notices(preview)
    if items := preview.left_out:
        found.append(f"{preview.settings.integrator} leaves out {', '.join(items)}")
    return found


def start_notices(preview: Preview) -> list[str]:
    """Return what is odd where a simulation begins: what leaps, and what overlaps."""
    from core.preview.overlaps import overlap_message

    found = []
    if preview.leap:
        found.append(f"at the start {preview.leap}")
    if preview.overlaps:
        found.append(f"at the start {overlap_message(preview.overlaps)}; they are pushed apart")
    return found


def last_frame(preview: Preview, fps: float, duration: float | None = None) -> float:
    """Return the frame up to which is simulated, a whole one.

    Args:
        preview: The simulation, at its beginning.
        fps: Frames a second of its sequence.
        duration: How long, [s]; None until its strips have ended, or for ``USUAL``.

    Raises:
        DynamicsError: If the duration makes no sense, or all strips have ended at the beginning.
    """
    ends = preview.end_frame
    if duration is not None:
        if duration > LONGEST:
            raise DynamicsError(f"a duration of {duration:g} s is longer than can be simulated; at most {LONGEST:g} s")
        if duration * fps < 1.0 - 1e-6:
            raise DynamicsError(
                f"a duration of {duration:g} s is less than a frame; expected at least {1.0 / fps:.3g} s"
            )
        until = preview.start_frame + duration * fps
    elif ends is not None:
        until = float(ends)
    else:
        until = preview.start_frame + USUAL * fps
    if until <= preview.start_frame:
        raise DynamicsError(
            f"at frame {preview.start_frame:g} all strips have ended; start earlier, or give a duration"
        )
    return float(max(math.floor(until + 1e-6), math.floor(preview.start_frame) + 1))


def run(preview: Preview, until: float, until_rest: bool = False, progress: Progress | None = None) -> None:
    """Simulate up to a frame.

    Args:
        preview: The simulation.
        until: The frame.
        until_rest: Whether to stop as soon as nothing moves any more.
        progress: Told what is done, 0 to 1; may raise ``core.errors.Cancelled``.

    Raises:
        RunawayError: If the motion runs away.
    """
    while preview.frame < until - 1e-6 and not (until_rest and preview.samples[-1].asleep):
        preview.advance()
        report(progress, (preview.frame - preview.start_frame) / (until - preview.start_frame))


def bake_into(
    preview: Preview, sequence: Sequence, tolerance: float | None = None, progress: Progress | None = None
) -> None:
    """Bake what was simulated into its sequence, as keys.

    Args:
        preview: The simulation.
        sequence: The sequence that it began with; it changes.
        tolerance: How far a joint may be from where it was simulated, [m]; None makes a key at every frame.
        progress: Told what is done, 0 to 1; may raise ``core.errors.Cancelled``.

    Raises:
        SequenceError: As of ``core.preview.bake.bake``.
    """
    from core.preview.bake import bake, baked_values

    values = baked_values(sequence, bake(preview, sequence, tolerance=tolerance, progress=progress))
    sequence.set_keys(values["keys"])
    sequence.hybrid_strips = values["hybrid_strips"]
    sequence.range = values["range"]
