"""A simulation from its beginning to its end: which motions take part, how long it goes on, and its motion as keys."""

from __future__ import annotations

import math
from collections.abc import Iterable

from core.animation.sequence import Sequence
from core.errors import DynamicsError
from core.preview.bake import bake, baked_values
from core.preview.preview import Preview
from core.progress import Progress, report

USUAL = 3.0
"""How long is simulated if neither a strip nor anybody says, [s]."""
LONGEST = 3600.0
"""The longest that is simulated, [s]."""


def companions(sequence: Sequence, sequences: Iterable[Sequence]) -> tuple[Sequence, ...]:
    """Return the motions of the figures beside a sequence's own, of each its first, and let the sequence know them.

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


def first_frame(sequence: Sequence) -> int:
    """Return the frame at which a simulation begins unless somebody says: where its first strip does."""
    return min((strip.start for strip in sequence.hybrid_strips), default=sequence.range[0])


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


def put_in(
    preview: Preview, sequence: Sequence, tolerance: float | None = None, progress: Progress | None = None
) -> None:
    """Put what was simulated into its sequence, as keys.

    Args:
        preview: The simulation.
        sequence: The sequence that it began with; it changes.
        tolerance: How far a joint may be from where it was simulated, [m]; None makes a key at every frame.
        progress: Told what is done, 0 to 1; may raise ``core.errors.Cancelled``.

    Raises:
        SequenceError: As of ``core.preview.bake.bake``.
    """
    values = baked_values(sequence, bake(preview, sequence, tolerance=tolerance, progress=progress))
    sequence.set_keys(values["keys"])
    sequence.hybrid_strips = values["hybrid_strips"]
    sequence.range = values["range"]
