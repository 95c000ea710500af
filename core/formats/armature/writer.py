"""Writing ``.armature`` files: the first figure of a project, and its first motion frame by frame as it shows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from core import __version__
from core.arrays import Array
from core.errors import CoreError, FormatError, Problem
from core.formats import json_text
from core.formats.armature.layout import BONE, FARTHEST, FORMAT, VERSION
from core.formats.exchange.clips import clip_groups, clock, link_group
from core.formats.exchange.frames import parted
from core.formats.exchange.physics import shown_poses
from core.formats.exchange.record import MEMBER, record_of
from core.formats.files import check_written, write_parts
from core.formats.project import Project
from core.kinematics import forward_kinematics
from core.progress import Progress, part, report
from core.skeleton import Skeleton
from core.skeleton.frames import frames_at
from core.spatial.quaternion import from_matrix

_CHUNK = 256  # frames at a time
_SHORTEST = 1e-3  # [m]: what a bone measures at least, so that there is something to see
_DIGITS = 9  # after the point: a nanometre


def save_armature(project: Project, path: Path, *, progress: Progress | None = None) -> None:
    """Write the first figure of a project and its first sequence with keys; see ``core.formats.save``.

    Locks, layers, cycles, timing and physics are worked out at every frame.

    Raises:
        FormatError: If there is no figure, the motion is too long, or the file cannot be written.
        Cancelled: If ``progress`` did so; what was there is untouched.
    """
    if not project.figures:
        raise FormatError(Problem(path.name, 0, 0, "an armature is a figure, and the project has none"))
    try:
        write_parts(path, _parts(project, path.name, progress))
    except FormatError:
        raise
    except CoreError as error:
        raise FormatError(Problem(path.name, 0, 0, str(error))) from None
    report(progress, 1.0)


def _parts(project: Project, file: str, progress: Progress | None) -> Iterator[str]:
    s, fps, first = project.figures[0], 24.0, 0
    q = np.empty((0, s.nq))
    together = next((row for row in clip_groups(project) if any(each.skeleton is s for each in row)), [])
    mine = [each for each in together if each.skeleton is s]
    if mine:
        link_group(together)
        time = clock(mine, file)
        first = round(time.starts[0])
        frames, others = time.starts[0] + np.arange(time.count, dtype=np.float64), [*together]
        others.remove(mine[0])
        q, _ = shown_poses(mine[0], frames, project.physics, others, part(progress, 0.0, 0.7))
        fps = time.rate
    rest = parted(frames_at(s, np.zeros(s.n_dofs)))[0]
    head: dict[str, Any] = {
        "format": FORMAT, "version": VERSION, "program": f"Sequence Editor {__version__}",
        "armature": s.name, "motion": mine[0].name if mine else "", "fps": fps, "first": first,
        "bones": [
            {"name": joint.name, "parent": joint.parent, "rest": row, "tail": _tail(s, i, rest)}
            for (i, joint), row in zip(enumerate(s.joints), _rows(rest), strict=True)
        ],
    }  # fmt: skip
    yield json_text.write(head).rstrip()[:-1].rstrip() + ',\n "frames": ['
    for start in range(0, len(q), _CHUNK):
        report(progress, 0.7 + 0.3 * start / len(q))
        placed = _placed(s, q[start : start + _CHUNK])
        rows = placed.reshape(len(placed), -1)
        check_written(rows, FARTHEST, 1.0, file, first + start)
        lines = [f"\n  {row}" for row in np.round(rows, _DIGITS).tolist()]
        yield ("," if start else "") + ",".join(lines)
    alone = Project([s], mine, physics=project.physics, figure_records=project.figure_records[:1])
    record = {**record_of(alone, [mine] if mine else [], file), "poses": q.tolist()}
    yield f'\n ],\n "{MEMBER}": {json_text.write(record).strip()}\n}}\n'


def _placed(s: Skeleton, q: Array) -> Array:
    """Return where the bones are in poses, shape (m, n, 7)."""
    frames = parted(forward_kinematics(s, q))[0]
    return np.concatenate([frames[..., :3, 3], from_matrix(frames[..., :3, :3])], axis=-1)


def _rows(frames: Array) -> list[list[float]]:
    made = np.concatenate([frames[:, :3, 3], from_matrix(frames[:, :3, :3])], axis=1)
    assert made.shape[1] == BONE
    return [[float(value) for value in row] for row in np.round(made, _DIGITS).tolist()]


def _tail(s: Skeleton, i: int, rest: Array) -> list[float]:
    """Return where a bone ends, in its own frame: at its only child, between its children, or at its tip."""
    places = [rest[k, :3, 3] for k, joint in enumerate(s.joints) if joint.parent == i]
    places += [] if places else [rest[i, :3, :3] @ np.asarray(tip) + rest[i, :3, 3] for tip in s.joints[i].tips]
    away = np.mean(places, axis=0) - rest[i, :3, 3] if places else np.zeros(3)
    if np.linalg.norm(away) < _SHORTEST:
        parent = s.joints[i].parent
        along = rest[i, :3, 3] - rest[parent, :3, 3] if parent >= 0 else np.array([0.0, 0.1, 0.0])
        length = float(np.linalg.norm(along))
        away = 0.4 * along if length > 2.5 * _SHORTEST else np.array([0.0, 0.05, 0.0])
    return [float(value) for value in np.round(rest[i, :3, :3].T @ away, _DIGITS)]
