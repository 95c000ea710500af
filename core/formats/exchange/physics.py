"""Poses of a sequence as they are shown, with what forces do to it where strips hand it to them."""

from __future__ import annotations

from collections.abc import Sequence as Seq
from typing import Any

import numpy as np

from core.animation import Sequence
from core.arrays import Array
from core.formats.exchange.recording import Recording
from core.formats.importing.recording import keys_of
from core.progress import Progress, report
from core.skeleton import Skeleton

_CHUNK = 256  # frames at a time
_NEAR = 1e-6  # frames


def shown_poses(
    sequence: Sequence,
    frames: Array,
    physics: dict[str, Any],
    others: Seq[Sequence] = (),
    progress: Progress | None = None,
) -> tuple[Array, Recording | None]:
    """Return the poses of a sequence at frames, locks and layers applied, and simulated where it has hybrid strips.

    Between two samples of a simulation the motion goes straight.

    Args:
        sequence: The sequence.
        frames: Frame numbers, ascending, whole or not, shape (m,).
        physics: The project's record of physics.
        others: The motions of other figures, which a simulation may touch.
        progress: Told what is done.

    Returns:
        Poses, shape (m, nq), and what was simulated for them, or None.

    Raises:
        DynamicsError: If the simulation runs away or cannot be.
        Cancelled: If ``progress`` did so.
    """
    forces = bool(sequence.hybrid_strips)
    rows = [np.empty((0, sequence.skeleton.nq))]
    for start in range(0, len(frames), _CHUNK):
        report(progress, (0.2 if forces else 1.0) * start / len(frames))
        rows.append(sequence.poses_at_frames(frames[start : start + _CHUNK]))
    poses = np.concatenate(rows)
    if not forces or not len(frames):
        return poses, None
    from core.preview import PhysicsSettings, Preview  # here: few files need it

    begin = min(strip.start for strip in sequence.hybrid_strips)
    if begin >= frames[-1]:
        return poses, None
    preview = Preview(sequence, begin, PhysicsSettings.from_record(physics), others=tuple(others))
    end = float(frames[-1]) if preview.end_frame is None else min(float(preview.end_frame), float(frames[-1]))
    while preview.frame < end - 1e-6:
        preview.advance()
        report(progress, 0.2 + 0.8 * (preview.frame - begin) / max(end - begin, 1e-9))
    recording = Recording.of(preview.samples)
    return overlaid(sequence.skeleton, frames, poses, recording.frames, recording.poses), recording


def overlaid(figure: Skeleton, frames: Array, poses: Array, at: Array, simulated: Array) -> Array:
    """Return poses at frames, those of a simulation where there are some, straight from one to the next.

    Args:
        figure: The figure.
        frames: Frame numbers, shape (m,).
        poses: Its keyed poses there, shape (m, nq).
        at: Frame numbers of the simulation, rising, shape (k,).
        simulated: Poses there, shape (k, nq).
    """
    inside = (frames >= at[0] - _NEAR) & (frames <= at[-1] + _NEAR)
    made = poses.copy()
    if len(at) < 2 or not inside.any():
        made[inside] = simulated[:1]
        return made
    straight = Sequence(figure, keys=keys_of(range(len(at)), simulated))  # from sample to sample
    made[inside] = straight.poses_at_frames(np.interp(frames[inside], at, np.arange(len(at))))
    return made
