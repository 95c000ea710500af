"""A scene that was read as a project: what was written here as it was, any other as figures and their motion."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from core.animation import Sequence
from core.arrays import Array
from core.errors import FormatError, Problem
from core.formats.exchange.cameras import carried, shot_of
from core.formats.exchange.components import Component, Tree, components
from core.formats.exchange.figures import SceneFigure
from core.formats.exchange.record import restored
from core.formats.exchange.scene import Scene, SceneMesh
from core.formats.importing.choices import AUTO, ImportChoices
from core.formats.importing.measures import Upward, standing_height, upright
from core.formats.importing.placing import done_to, placed
from core.formats.importing.recording import keys_of
from core.formats.importing.units import DOUBTFUL, FILE, GIVEN, LARGEST, SMALLEST, FileUnit
from core.formats.project import Project
from core.kinematics import forward_kinematics
from core.progress import Progress, part, report
from core.skeleton import Skeleton
from core.skeleton.scr.lexer import CONTROL

_SHORT, _TALL = 0.4, 3.0
"""A person smaller or larger than this, [m], is in another unit than the file says."""
_SMALLEST, _LARGEST = 0.02, 30.0
"""The same of anything else."""
_MOST_CORNERS = 6_000_000


def project_of(
    scene: Scene,
    path: Path,
    choices: ImportChoices,
    *,
    unit: float = 1.0,
    up: str = "y",
    name: str = "",
    progress: Progress | None = None,
) -> Project:
    """Return the project in a scene.

    Args:
        scene: The scene, in its file's own unit and axes.
        path: The file.
        choices: What the person chose, checked.
        unit: Metres in one unit of the scene, as its file says.
        up: The axis that points up, as its file says.
        name: What a figure that is alone is called; "" for as the file.
        progress: Told what is done.

    Raises:
        FormatError: If there is no figure in it, or it cannot be one here.
        Cancelled: If ``progress`` did so.
    """
    whole = np.eye(4)
    whole[:3, :3] = unit * upright(up)
    own = restored(scene, path.name, path.resolve().parent, whole, part(progress, 0.0, 0.5))
    if own is not None:
        report(progress, 1.0)
        return own
    warnings = list(scene.warnings)
    if scene.record is not None:
        message = "was changed by another program since it was written here; its figures are read as any others"
        warnings.append(Problem(path.name, 0, 0, message))
    _check_corners(scene, path.name)
    tree, found = Tree(scene), components(scene)
    if not found:
        found = _standing(scene, tree)
    if not found:
        raise FormatError(Problem(path.name, 0, 0, "holds nothing that moves and no mesh; there is nothing to read"))
    taken = choices.up if choices.up not in (None, AUTO) else up
    assert taken is not None

    def made(metres: float) -> list[SceneFigure]:
        whole = np.eye(4)
        whole[:3, :3] = metres * upright(taken)
        return [SceneFigure(scene, tree, each, whole, path.name) for each in found]

    metres, guess = choices.unit or unit, FILE if choices.unit is None else GIVEN
    figures = made(metres)
    report(progress, 0.4)
    if choices.height is not None:
        metres, guess = _unit_for(choices.height, figures, metres, path.name), GIVEN
        figures = made(metres)
    report(progress, 0.7)
    moved, starts = _moved(scene, figures)
    known = FileUnit(metres, guess)
    if guess == FILE and any(_out_of_scale(each.figure) for each in figures):
        known = FileUnit(metres, DOUBTFUL)
    tallest = max((each.figure for each in figures), key=standing_height)
    before = moved
    moved, findings = placed(moved, tallest, choices, known, Upward(up, True), taken)
    project = Project([], [], warnings=tuple(warnings), imported=findings, unit_guess=guess)
    for number, ((figure, q), where, made_figure) in enumerate(zip(moved, starts, figures, strict=True)):
        called = _name(figure, name or path.stem, len(moved), number)
        named = Skeleton(called, [j.as_given() for j in figure.joints], figure.layout)
        project.figures.append(named)
        project.sequences += _sequences(scene, named, q, where, part(progress, 0.8, 1.0))
        notes = [Problem(path.name, 0, 0, note) for note in sorted(made_figure.notes)]
        project.warnings = (*project.warnings, *notes)
    _add_cameras(scene, project, metres * upright(taken), before, moved, starts, path.name)
    report(progress, 1.0)
    return project


def _add_cameras(
    scene: Scene,
    project: Project,
    axes: Array,
    before: list[tuple[Skeleton, Array]],
    moved: list[tuple[Skeleton, Array]],
    starts: list[dict[int, slice]],
    file: str,
) -> None:
    """Give each sequence the camera that the scene has in its clip."""
    whole = np.eye(4)
    whole[:3, :3] = axes
    notes = set()
    sequences = iter(project.sequences)
    for old, new, where in zip(before, moved, starts, strict=True):
        done = done_to(old, new)
        for number, rows in where.items():
            at = forward_kinematics(old[0], old[1][rows][:1])[0, :, :3, 3].mean(axis=0)
            shot, note = shot_of(scene, scene.clips[number], whole, at)
            next(sequences).camera = carried(shot, done)
            notes |= {note} - {""}
    project.warnings = (*project.warnings, *(Problem(file, 0, 0, note) for note in sorted(notes)))


def _check_corners(scene: Scene, file: str) -> None:
    """Refuse a scene that shows its meshes so often that it is far larger than its file."""

    def size(mesh: SceneMesh) -> int:
        return sum(len(each.points) + 3 * len(each.triangles) for each in mesh.parts)

    sizes = [size(mesh) for mesh in scene.meshes]
    total = sum(sizes[node.mesh] for node in scene.nodes if node.mesh is not None)
    if total > _MOST_CORNERS:
        message = f"shows meshes of {total} vertices and corners; of more than {_MOST_CORNERS} none is read"
        raise FormatError(Problem(file, 0, 0, message))


def _standing(scene: Scene, tree: Tree) -> list[Component]:
    """Return what a scene in which nothing moves shows as one thing that hangs on its first node."""
    meshes = tuple(number for number, node in enumerate(scene.nodes) if node.mesh is not None)
    if not meshes:
        return []
    root = tree.common(list(meshes))
    root = meshes[0] if root is None else root
    return [Component((root,), (-1,), (True,), meshes, ((),), scene.nodes[root].name)]


def _unit_for(height: float, figures: list[SceneFigure], metres: float, file: str) -> float:
    tallest = max(standing_height(each.figure) for each in figures)
    unit = metres * height / tallest if tallest > 0.0 else 0.0
    if not SMALLEST <= unit <= LARGEST:
        message = f"the figure is {tallest:.3g} m tall and cannot be made {height:g} m; give its unit"
        raise FormatError(Problem(file, 0, 0, message))
    return unit


def _out_of_scale(figure: Skeleton) -> bool:
    """Whether it is far too small or too large, for a person if it is known for one."""
    from core.skeleton.anatomy import find_anatomy
    from core.skeleton.frames import frames_at

    height = standing_height(figure)
    human = find_anatomy(figure, frames_at(figure, np.zeros(figure.n_dofs))).human
    low, high = (_SHORT, _TALL) if human else (_SMALLEST, _LARGEST)
    return not low <= height <= high


def _moved(scene: Scene, figures: list[SceneFigure]) -> tuple[list[tuple[Skeleton, Array]], list[dict[int, slice]]]:
    """Return each figure with the poses of all its clips one after the other, and where each clip's are."""
    moved, starts = [], []
    alone = any(pose is not None for each in figures for pose in each.poses)
    for each in figures:
        rows, where, at = [np.empty((0, each.figure.nq))], {}, 0
        for number, q in enumerate(each.poses):
            if q is None or not alone:
                continue
            wide = np.zeros((len(q), each.figure.nq))
            wide[:, : q.shape[1]] = q
            where[number] = slice(at, at + len(q))
            at += len(q)
            rows.append(wide)
        moved.append((each.figure, np.concatenate(rows)))
        starts.append(where)
    return moved, starts


def _sequences(
    scene: Scene, figure: Skeleton, q: Array, where: dict[int, slice], progress: Progress | None
) -> list[Sequence]:
    made = []
    for number, rows in where.items():
        clip = scene.clips[number]
        fps = int(clip.fps) if float(clip.fps).is_integer() else clip.fps
        keys = keys_of(range(clip.count), q[rows], progress)
        made.append(Sequence(figure, fps, clip.name, keys=keys))
    return made


def _name(figure: Skeleton, alone: str, count: int, number: int) -> str:
    stem = CONTROL.sub("_", alone).strip() or "figure"
    return stem if count == 1 else figure.name or f"{stem} {number + 1}"
