"""From an edit of the skeleton to the command that does it, its poses carried over; everything is checked here."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from app.document.commands.base import Command
from app.document.commands.figure_commands import EditFigure
from app.document.content.model import Model, Pending, read_only
from app.document.content.records import Figure
from app.document.edits.edits import need_figure, parts_carried
from core.animation.carried_keys import ChannelMap
from core.animation.channels import channels_of
from core.animation.key import Key
from core.animation.sequence import Sequence
from core.arrays import Array
from core.skeleton import Skeleton, SkeletonBuilder
from core.skeleton.objects.traveling import same_mesh
from core.skeleton.scr.writer import same_joint
from core.skeleton.skeleton import Rerooted

Commands = list[Command]
Edit = Callable[[SkeletonBuilder], object]
Convert = Callable[[Array], Array]
"""Poses of the figure before, shape (m, nq), to poses of the figure after."""


def edited(model: Model, edit: Edit) -> Commands:
    """Return the command that edits the active figure; none if the edit changes nothing.

    Raises:
        CoreError: If the edit is not possible or the figure cannot be built.
    """
    skeleton, _ = need_figure(model)
    builder = SkeletonBuilder(skeleton)
    edit(builder)
    made, poses = builder.build(), builder.pose_map()
    there = ChannelMap.of(channels_of(skeleton), channels_of(made), poses.columns)
    if poses.identical:
        if same_figure(skeleton, made):
            return []
        return [_command(model, made, None, there), *parts_carried(model, model.active.figure, made)]
    return [_command(model, made, poses.convert, there), *parts_carried(model, model.active.figure, made)]


def rerooted(model: Model, joint: int | str) -> Commands:
    """Return the command that makes a joint the root of the active figure; none if it is.

    Raises:
        CoreError: If there is no such joint or the figure cannot be re-rooted there.
    """
    skeleton, _ = need_figure(model)
    if skeleton.joint_index(joint) == 0:
        return []
    made = skeleton.rerooted(joint)
    return [_command(model, made, made.convert, rerooted_channels(made))]


def rerooted_channels(made: Rerooted) -> ChannelMap:
    """Return where the channels of a figure that was given another root come from.

    Where it stands and how it is turned follows from the place and turn of the root before and from all joints between
    the two.
    """
    old, columns = made.original, np.array(made.rerooting.columns)
    columns[:3] = -1
    between = (0, *made.rerooting.path)
    values = [0, 1, 2, *(3 + dof for i in between for dof in range(old.first_dof[i], old.first_dof[i + 1]))]
    solved = dict.fromkeys(np.flatnonzero(columns < 0).tolist(), values)
    return ChannelMap.of(channels_of(old), channels_of(made), columns, made.rerooting.factors, solved)


def _command(model: Model, made: Skeleton, convert: Convert | None, there: ChannelMap) -> EditFigure:
    index = model.active.figure
    after = figure_after(model.figures[index], made)
    old = model.figures[index]
    kept = frozenset(file for file, text in after.objects.items() if old.objects.get(file) == text)
    if convert is None and there.plain:
        return EditFigure(index, after, None, model.pending, kept)
    own = {i: sequence for i, sequence in enumerate(model.sequences) if sequence.skeleton is old.skeleton}
    keys = {i: _converted(sequence, convert, there) for i, sequence in own.items()}
    timings = {i: there.by_channel(sequence.timing.curves) for i, sequence in own.items() if sequence.timing.curves}
    pending = model.pending
    if pending is not None and convert is not None:
        pending = Pending(pending.frame, read_only(convert(pending.q[None])[0].copy()))
    return EditFigure(index, after, keys, pending, kept, timings or None)


def figure_after(old: Figure, made: Skeleton) -> Figure:
    """Return the figure that an edited skeleton makes of another; what was read with it stays where it is true."""
    title = old.title if made.name == old.skeleton.name else None
    # Texts stay as they were read as long as their polygons do.
    meshes = {id(part.mesh) for joint in old.skeleton.joints for part in joint.objects}
    changed = {part.file for joint in made.joints for part in joint.objects if id(part.mesh) not in meshes}
    texts = {file: text for file, text in old.objects.items() if file not in changed}
    return Figure(made, None, old.source, old.extra, title, texts)


def _converted(sequence: Sequence, convert: Convert | None, there: ChannelMap) -> tuple[Key, ...]:
    keys = sequence.keys
    if not keys:
        return keys
    poses = np.array([key.q for key in keys])
    if convert is None:
        return there.keys(keys, poses)
    if any(key.keyed is not None for key in keys):
        # What a key does not hold counts too where the new root follows from it.
        poses = np.array([sequence.pose_of(key) for key in keys])
    # All at once and in order: a rotation is described by the angles nearest to those of the key before.
    return there.keys(keys, convert(poses))


def same_figure(a: Skeleton, b: Skeleton) -> bool:
    """Return whether two figures are the same to the last bit, polygons included."""
    if a.name != b.name or a.layout != b.layout or len(a.joints) != len(b.joints):
        return False
    if not all(map(same_joint, a.joints, b.joints)):
        return False
    meshes = ([part.mesh for joint in s.joints for part in joint.objects] for s in (a, b))
    return all(map(same_mesh, *meshes))
