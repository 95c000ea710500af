"""Poses of a sequence as they are shown, with what forces do to it where strips hand it to them."""

from __future__ import annotations

from collections.abc import Sequence as Seq
from typing import Any

import numpy as np

from core.animation import Sequence
from core.arrays import Array
from core.formats.progress import Progress, report

_CHUNK = 256  # frames at a time


def shown_poses(
    sequence: Sequence,
    frames: Array,
    physics: dict[str, Any],
    others: Seq[Sequence] = (),
    progress: Progress | None = None,
) -> Array:
    """Return the poses of a sequence at frames, locks and layers applied, and simulated where it has hybrid strips.

    Args:
        sequence: The sequence.
        frames: Frame numbers, ascending, whole or not, shape (m,).
        physics: The project's record of physics.
        others: The motions of other figures, which a simulation may touch.
        progress: Told what is done.

    Returns:
        Shape (m, nq).

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
        return poses
    from core.preview import PhysicsSettings, Preview  # here: few files need it

    begin = min(strip.start for strip in sequence.hybrid_strips)
    if begin >= frames[-1]:
        return poses
    preview = Preview(sequence, begin, PhysicsSettings.from_record(physics), others=tuple(others))
    end = float(frames[-1]) if preview.end_frame is None else min(float(preview.end_frame), float(frames[-1]))
    while preview.frame < end - 1e-6:
        preview.advance()
        report(progress, 0.2 + 0.8 * (preview.frame - begin) / max(end - begin, 1e-9))
    times = np.array([sample.frame for sample in preview.samples])
    values = np.array([sample.q for sample in preview.samples])
    inside = (frames >= times[0] - 1e-6) & (frames <= times[-1] + 1e-6)
    for k in np.flatnonzero(inside).tolist():
        # Samples stand at whole frames, so that a frame between two is rare: of those the nearer one.
        poses[k] = values[int(np.argmin(np.abs(times - frames[k])))]
    return poses
