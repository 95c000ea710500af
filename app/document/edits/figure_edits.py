"""From what a person wants with the figures of a document to the commands that do it; everything is checked here."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from app.document.commands.base import Command
from app.document.commands.figure_commands import AddFigure, AddSequence, EditFigure, RemoveFigure, SetActive, SetFigure
from app.document.commands.sequence_commands import SetPhysics
from app.document.content.model import Active, Model
from app.document.content.records import Figure, carried_physics, sequence_for
from app.document.edits.edits import drop_pending, parts_carried, parts_named, show_sequence
from app.document.edits.skeleton_edits import figure_after
from core.animation.locks.moved import moved_lock, moved_strip
from core.animation.new_sequence import new_sequence
from core.animation.sequence import Sequence
from core.arrays import Array
from core.errors import SkeletonError
from core.kinematics import forward_kinematics
from core.kinematics.extent import pose_extent
from core.skeleton import Skeleton
from core.skeleton.figure_parts import full_name
from core.spatial import se3

Commands = list[Command]

GAP = 0.2
"""What is left between a figure that is put beside the others and them, [m]."""
_NUMBER = re.compile(r" (\d+)$")


def free_name(taken: Iterable[str], wanted: str) -> str:
    """Return a name that no figure has: the wanted one, or with the next number behind it.

    Locks, files and physics know figures by their names, so no two figures of a document may share one.
    """
    names, wanted = set(taken), wanted.strip()
    if wanted not in names:
        return wanted
    stem = _NUMBER.sub("", wanted)
    return next(name for k in range(2, len(names) + 3) if (name := f"{stem} {k}") not in names)


def copied(skeleton: Skeleton, name: str | None = None) -> Skeleton:
    """Return a figure like another one: an object of its own, since a document tells figures apart by identity.

    Args:
        skeleton: The figure.
        name: What it is called; None for the same name.
    """
    name = skeleton.name if name is None else name
    return Skeleton(name, skeleton.joints, skeleton.layout, skeleton.source, skeleton.warnings)


def named(model: Model, figure: Figure) -> Figure:
    """Return a figure for a document: itself, or a copy under a free name if the document has the name already."""
    name = free_name((other.skeleton.name for other in model.figures), figure.skeleton.name)
    known = any(other.skeleton is figure.skeleton for other in model.figures)
    if name == figure.skeleton.name and not known:
        return figure
    return figure_after(figure, copied(figure.skeleton, name))


def bounds(model: Model) -> tuple[Array, Array]:
    """Return lowest and highest corner of all figures now, each (3,), [m]; there has to be one."""
    corners = [
        pose_extent(figure.skeleton, forward_kinematics(figure.skeleton, model.figure_pose(k, model.frame)))
        for k, figure in enumerate(model.figures)
    ]
    return np.min([low for low, _ in corners], axis=0), np.max([high for _, high in corners], axis=0)


def pose_beside(model: Model, skeleton: Skeleton) -> Array:
    """Return the rest pose of a figure that is to come, moved along the floor beside all that are there, (nq,)."""
    q = skeleton.rest_pose()
    if model.sequence is None:
        return q
    lowest, highest = bounds(model)
    low, high = pose_extent(skeleton, forward_kinematics(skeleton, q))
    q[0] += highest[0] + GAP - low[0]
    q[2] += 0.5 * (lowest[2] + highest[2] - low[2] - high[2])
    return q


def moved_pose(q: Array, by: Array) -> Array:
    """Return a pose moved as a whole by a way (3,), [m]."""
    pose = np.array(q)
    pose[:3] += by
    return pose


def added(model: Model, figure: Figure, beside: bool = False, key: tuple[int, Array] | None = None) -> Commands:
    """Return the commands that put a new figure beside the others, with a sequence of its own, and make it active.

    Args:
        model: The document's content.
        figure: The figure; it gets another name if the document has a figure of its name.
        beside: Whether it gets a key at the beginning, at which it stands clear of the others.
        key: Frame and pose, shape (nq,), of the key that it gets else; None for no key.
    """
    figure = named(model, figure)
    before = model.sequence
    sequence = new_sequence(figure.skeleton, figure.skeleton.name)
    if before is not None:
        sequence.fps = before.fps
    if beside:
        key = 0 if before is None else before.range[0], pose_beside(model, figure.skeleton)
    if key is not None:
        sequence.set_key(*key)
    return [*drop_pending(model), *parts_named(model), AddFigure(figure), *_with_sequence(model, sequence)]


def _with_sequence(model: Model, sequence: Sequence) -> Commands:
    """Return what adds the sequence of a figure that was just added, and makes that figure active."""
    index = len(model.figures)
    active = Active(index, (*model.active.sequences, len(model.sequences)))
    return [AddSequence.of(index, sequence), SetActive(model.active, active)]


def loaded(model: Model, figure: Figure) -> Commands:
    """Return the commands that bring a figure in: in the active one's place if the joints are the same, else beside."""
    old, new = model.skeleton, figure.skeleton
    if old is None or (old.joint_names, old.dof_names) != (new.joint_names, new.dof_names):
        return added(model, figure)
    index = model.active.figure
    name = free_name((other.skeleton.name for k, other in enumerate(model.figures) if k != index), new.name)
    if name != new.name:
        figure = figure_after(figure, copied(new, name))
        new = figure.skeleton
    return [SetFigure(index, model.figures[index], figure), *parts_carried(model, index, new)]


def duplicated(model: Model, number: int) -> Commands:
    """Return the commands that put a copy of a figure, with the sequence it shows, beside the others."""
    figure = checked(model, number)
    name = free_name((other.skeleton.name for other in model.figures), figure.skeleton.name)
    made = figure_after(figure, copied(figure.skeleton, name))
    shown = model.sequences[model.active.sequences[number]]
    sequence = sequence_for(shown, made.skeleton)
    sequence.name = name if shown.name == figure.skeleton.name else f"{shown.name} · {name}"
    low, _ = pose_extent(figure.skeleton, forward_kinematics(figure.skeleton, model.figure_pose(number, model.frame)))
    by = np.array([bounds(model)[1][0] + GAP - low[0], 0.0, 0.0])
    sequence.set_keys(key.changed(q=moved_pose(key.q, by)) for key in sequence.keys)
    locks, strips = [moved_lock(lock, by) for lock in shown.locks], shown.locks.strips
    sequence.locks = locks
    sequence.locks.strips = tuple(moved_strip(strip, se3.transform(translation=by)) for strip in strips)
    return [*drop_pending(model), *parts_named(model), AddFigure(made), *_with_sequence(model, sequence)]


def renamed(model: Model, number: int, name: str) -> Commands:
    """Return the command that gives a figure another name, a free one; locks that name it go along.

    Raises:
        SkeletonError: If the name is empty or there is no such figure.
    """
    figure = checked(model, number)
    if not name.strip():
        raise SkeletonError("a figure's name must not be empty")
    others = (other.skeleton.name for k, other in enumerate(model.figures) if k != number)
    name = free_name(others, name)
    if name == figure.skeleton.name:
        return []
    made = figure_after(figure, copied(figure.skeleton, name))
    kept = frozenset(file for file, text in made.objects.items() if figure.objects.get(file) == text)
    edit = EditFigure(number, made, None, model.pending, kept)
    return [edit, *parts_carried(model, number, made.skeleton)]


def removed(model: Model, number: int) -> Commands:
    """Return the commands that take a figure away, with its sequences and the locks of others that name it.

    Raises:
        SkeletonError: If it is the only one, or there is no such figure.
    """
    checked(model, number)
    if len(model.figures) < 2:
        raise SkeletonError("the only figure cannot be removed; New in the File menu starts over")
    commands: Commands = []
    if model.active.figure == number:
        commands += shown(model, number + 1 if number + 1 < len(model.figures) else number - 1)
    attached = next((each.after for each in commands if isinstance(each, SetPhysics)), model.physics)
    joints = model.figures[number].skeleton.joint_names
    gone = {full_name(model.figure_names[number], joint): None for joint in joints}
    left = carried_physics(attached, gone)
    taken = [] if left == attached else [SetPhysics(attached, left)]
    return [*commands, *taken, RemoveFigure(number)]


def shown(model: Model, number: int) -> Commands:
    """Return the commands that make a figure the one that is edited; none if it is."""
    checked(model, number)
    return show_sequence(model, model.active.sequences[number])


def checked(model: Model, number: int) -> Figure:
    """Return the figure of a number.

    Raises:
        SkeletonError: If there is none.
    """
    if not 0 <= number < len(model.figures):
        raise SkeletonError(f"there is no figure number {number}; the document has {len(model.figures)}")
    return model.figures[number]
