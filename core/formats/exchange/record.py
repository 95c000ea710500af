"""What this program keeps in a file of another format beside what the format can say.

Nodes have no degrees of freedom, limits, masses or springs. So a file that is written here also holds its figures as a
``.seq`` file would, and the poses themselves, number by number. When it is read here again and the nodes still stand
and move as these say, nothing is lost; if another program has changed them, what the nodes say counts.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from core.animation import Key, Sequence
from core.animation.key import LINEAR
from core.animation.marker import moved_markers
from core.arrays import Array
from core.errors import CoreError
from core.formats.exchange.clips import clock
from core.formats.exchange.scene import Scene
from core.formats.project import FORMAT, UNITS, VERSION, Project, project_to_json
from core.formats.project_reader import project_from_json
from core.kinematics import forward_kinematics
from core.progress import Progress, report
from core.skeleton import Skeleton
from core.skeleton.frames import frames_at

MEMBER = "sequence_editor"
"""Where it stands among a file's own members."""
_VERSION = 1
_KEPT = ("name", "menu", "figure", "fps", "loop", "markers", "camera", "audio")
_NEAR = 1e-4  # of the figure's size: joints farther off were changed by another program
_TURNED = 1e-3  # of a frame's axes
_CHECKED = 24  # frames that are looked at


def record_of(project: Project, groups: list[list[Sequence]], file: str) -> dict[str, Any]:
    """Return the record of a project: its figures, and what is to be known of its sequences besides their poses.

    Args:
        project: The project.
        groups: The sequences that are written, those that play together side by side.
        file: Name of the file, for messages.
    """
    bare = Project(project.figures, [], figure_records=project.figure_records)
    kept = []
    for number, group in enumerate(groups):
        time = clock(group, file)
        for sequence, first, step in zip(group, time.starts, time.steps, strict=True):
            alone = Project(project.figures, [_without_keys(sequence, time.rate, first, step)])
            alone.figure_records = project.figure_records
            whole = project_to_json(alone)["sequences"][0]
            kept.append({"clip": number, **{name: whole[name] for name in _KEPT if name in whole}})
    record = {"version": _VERSION, "figures": project_to_json(bare)["figures"], "sequences": kept}
    return record | ({"physics": _with_its_ground(project.physics)} if project.physics else {})


def _with_its_ground(physics: dict[str, Any]) -> dict[str, Any]:
    """Return settings of physics whose ground is no file of this machine but the triangles themselves."""
    if "file" not in (physics.get("ground") or {}):
        return physics
    from core.preview.grounds import TriangleGround  # here: few files need it
    from core.preview.settings import PhysicsSettings

    terrain = PhysicsSettings.from_record(physics).terrain
    ground = None if terrain is None else TriangleGround(terrain).to_record()
    rest = {name: value for name, value in physics.items() if name != "ground"}
    return rest if ground is None else {**rest, "ground": ground}


def _without_keys(sequence: Sequence, rate: float, first: float, step: float) -> Sequence:
    """Return what a sequence has besides its motion, at the frames of its clip."""

    def place(frame: int) -> int | None:
        return round((frame - first) / step) if frame >= first - 1e-6 else None

    fps = sequence.fps if step == 1.0 else rate
    made = Sequence(sequence.skeleton, fps, sequence.name, menu=sequence.menu, loop=sequence.loop)
    made.markers = moved_markers(sequence.markers, place)
    made.camera = sequence.camera.moved(place)
    made.audio = sequence.audio
    return made


def restored(
    scene: Scene, file: str, folder: Path | None, whole: Array, progress: Progress | None = None
) -> Project | None:
    """Return the project that was written as this scene; None if there is no record, or it is not true any more.

    Args:
        scene: What was read.
        file: Name of the file for messages.
        folder: Folder it lies in.
        whole: What takes its unit and axes to metres with y up, shape (4, 4).
        progress: Told what is done.

    Raises:
        Cancelled: If ``progress`` did so.
    """
    record = scene.record
    if record is None or record.get("version") != _VERSION or not isinstance(record.get("sequences"), list):
        return None
    rows = [row for row in record["sequences"] if isinstance(row, dict)]
    data = {
        "format": FORMAT, "version": VERSION, "units": UNITS, "figures": record.get("figures"),
        "sequences": [{name: row[name] for name in _KEPT if name in row} for row in rows],
    }  # fmt: skip
    if isinstance(record.get("physics"), dict):
        data["physics"] = record["physics"]
    try:
        project = project_from_json(data, file, folder)
    except CoreError:
        return None
    if len(project.sequences) != len(scene.poses) or len(project.figures) != len(scene.figures):
        return None
    nodes = [_joint_nodes(scene, top, figure) for top, figure in zip(scene.figures, project.figures, strict=True)]
    for figure, found in zip(project.figures, nodes, strict=True):
        if found is None or not _stands(scene, figure, found, whole):
            return None
    for number, (sequence, values, row) in enumerate(zip(project.sequences, scene.poses, rows, strict=True)):
        report(progress, number / len(project.sequences))
        if values.size % sequence.skeleton.nq:
            return None
        q = values.reshape(-1, sequence.skeleton.nq)
        joints = nodes[next(i for i, figure in enumerate(project.figures) if figure is sequence.skeleton)]
        if joints is None or not _moves(scene, sequence.skeleton, joints, q, row.get("clip")):
            return None
        try:
            sequence.set_keys(Key(frame, pose, LINEAR) for frame, pose in enumerate(q))
        except CoreError:
            return None
    project.warnings = (*project.warnings, *scene.warnings)
    return project


def _joint_nodes(scene: Scene, top: int, figure: Skeleton) -> list[int] | None:
    """Return the nodes of a figure's joints under the one it hangs on; None if one is missing or hangs elsewhere."""
    named: dict[tuple[int, str], int] = {}
    for number, node in enumerate(scene.nodes):
        named.setdefault((node.parent, node.name), number)
    found: list[int] = []
    for joint in figure.joints:
        there = named.get((top if joint.parent < 0 else found[joint.parent], joint.name))
        if there is None:
            return None
        found.append(there)
    return found


def _size(frames: Array) -> float:
    return max(float(np.ptp(frames[..., :3, 3].reshape(-1, 3), axis=0).max()), 1e-3)


def _stands(scene: Scene, figure: Skeleton, joints: list[int], whole: Array) -> bool:
    """Whether the nodes stand as the figure at rest."""
    frames = frames_at(figure, np.zeros(figure.n_dofs))
    worlds = whole @ scene.rest_worlds()[joints]
    return bool(np.abs(worlds[:, :3, 3] - frames[:, :3, 3]).max() <= _NEAR * _size(frames))


def _moves(scene: Scene, figure: Skeleton, joints: list[int], q: Array, clip_number: object) -> bool:
    """Whether the nodes move in a clip as poses say."""
    whole = isinstance(clip_number, int) and not isinstance(clip_number, bool)
    if not whole or not 0 <= int(clip_number) < len(scene.clips):  # type: ignore[call-overload]
        return False
    clip = scene.clips[int(clip_number)]  # type: ignore[call-overload]
    if not len(q) or len(q) != clip.count or not np.isfinite(q).all():
        return False
    some = np.unique(np.linspace(0, len(q) - 1, _CHECKED).round().astype(int))
    X = forward_kinematics(figure, q[some])
    worlds = np.empty_like(X)
    for k, frame in enumerate(some.tolist()):
        for row, number in enumerate(joints):
            local = scene.local_frames(number, clip, slice(frame, frame + 1))[0]
            parent = figure.joints[row].parent
            worlds[k, row] = local if parent < 0 else worlds[k, parent] @ local
    near = np.abs(worlds[..., :3, 3] - X[..., :3, 3]).max() <= _NEAR * _size(X[:1])
    return bool(near and np.abs(_axes(worlds) - _axes(X)).max() <= _TURNED)


def _axes(frames: Array) -> Array:
    """Return the axes of frames at unit length: some formats put sizes into distances."""
    return np.asarray(frames[..., :3, :3] / np.linalg.norm(frames[..., :3, :3], axis=-2, keepdims=True))
