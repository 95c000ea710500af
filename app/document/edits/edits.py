"""From what a person wants to the commands that do it: everything is checked here, before anything is changed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from app.document.commands.base import Command, CommandError
from app.document.commands.figure_commands import (
    JOINT_VALUES,
    AddSequence,
    Row,
    SetActive,
    SetJointValue,
    SetJointValues,
)
from app.document.commands.layer_commands import SetLayers
from app.document.commands.sequence_commands import (
    SetHybridStrips,
    SetKeys,
    SetPhysics,
    SetPose,
    SetSequenceValue,
    SetStrips,
)
from app.document.content.model import Active, Model, Pending, read_only
from app.document.content.records import (
    Record,
    carried_physics,
    renamed_joints,
    retimed_physics,
    sequence_for,
    sequence_value,
    written_value,
)
from app.document.edits.timed_keys import SeenFrame
from core.animation.hybrid_strips import HybridStrip, checked_hybrid_strips
from core.animation.key import Key, check_frame
from core.animation.key_parts import Names
from core.animation.locks.strip import LockStrip, strip_to_json
from core.animation.retiming import made_key
from core.animation.script.written import follow, script_of
from core.animation.sequence import Sequence
from core.arrays import Array
from core.errors import CoreError, LockError, SequenceError, SkeletonError
from core.skeleton import Skeleton
from core.skeleton.figure_parts import figure_names, full_name

Commands = list[Command]
S = TypeVar("S", LockStrip, HybridStrip)
Strips = tuple[LockStrip, ...]
HybridStrips = tuple[HybridStrip, ...]


def need_figure(model: Model) -> tuple[Skeleton, Sequence]:
    """Return the active figure and its sequence.

    Raises:
        SkeletonError: If the document has no figure.
    """
    if model.skeleton is None or model.sequence is None:
        raise SkeletonError("there is no figure to edit; open one first")
    return model.skeleton, model.sequence


def found_in(strips: tuple[S, ...], strip_id: str, missing: CoreError) -> tuple[int, S]:
    """Return place and strip of an id; raise ``missing`` if there is none."""
    for place, strip in enumerate(strips):
        if strip.id == strip_id:
            return place, strip
    raise missing


def same_bits(a: Key | None, b: Key | None) -> bool:
    """Return whether two keys are the same to the last bit (``==`` would call 0.0 and -0.0 equal)."""
    return a is b or (a is not None and b is not None and a.q.tobytes() == b.q.tobytes() and a == b)


def key_changes(model: Model, keys: Iterable[Key]) -> Commands:
    """Return the command that makes ``keys`` the active sequence's keys; none if they are so already."""
    _, sequence = need_figure(model)
    old = {key.frame: key for key in sequence.keys}
    new = {key.frame: key for key in keys}
    frames = [frame for frame in sorted({*old, *new}) if not same_bits(old.get(frame), new.get(frame))]
    if not frames:
        return []
    before, after = ({frame: keys.get(frame) for frame in frames} for keys in (old, new))
    return [SetKeys(model.sequence_index, before, after)]


def posed_key(sequence: Sequence, frame: int, q: Array, names: Names = None) -> Key:
    """Return the key at ``frame`` with another pose, or a new one; ``q`` is checked already.

    Args:
        sequence: The sequence.
        frame: The frame.
        q: Pose, shape (nq,).
        names: Channels that are keyed, beside those of a key that is there; None for all.
    """
    return made_key(sequence.channels, sequence.keys.at(frame), frame, q, names)


def key_pose(model: Model, frame: int, q: object, names: Names = None) -> Commands:
    """Return the commands that key a pose at a frame; at the current one the pending pose is in the key then.

    Under timing curves the key goes to the frame of the path that is seen there; see ``SeenFrame``.

    Args:
        model: The document's content.
        frame: The frame.
        q: Pose, shape (nq,).
        names: Channels that are keyed; None for all. Where only some are, a pending pose stays.

    Raises:
        PoseError: If the pose does not fit the figure.
        SequenceError: If the frame cannot hold a key.
        JointError: If there is no such channel.
    """
    skeleton, sequence = need_figure(model)
    if names is not None:
        names = sequence.channels.checked(names)
    if sequence.layers:
        q = sequence.base_for(check_frame(frame), skeleton.check_pose(q), model.keyed_pose(frame))
    if sequence.timing.curves:
        q = skeleton.check_pose(q)
        dropped = drop_pending(model) if frame == model.frame and names is None else []
        return SeenFrame(sequence, check_frame(frame)).commands(model.sequence_index, q, names) + dropped
    key = posed_key(sequence, frame, skeleton.check_pose(q), names)
    commands: Commands = []
    old = sequence.keys.at(key.frame)
    if not same_bits(old, key):
        commands.append(SetKeys(model.sequence_index, {key.frame: old}, {key.frame: key}))
    return commands + (drop_pending(model) if key.frame == model.frame and key.keyed is None else [])


def pend_pose(model: Model, q: object) -> Commands:
    """Return the commands that make ``q`` the pending pose at the current frame.

    Raises:
        PoseError: If the pose does not fit the figure.
    """
    skeleton, _ = need_figure(model)
    pending = Pending(model.frame, read_only(skeleton.check_pose(q)))
    return [] if pending == model.pending else [SetPose(model.pending, pending)]


def drop_pending(model: Model, go: int | None = None) -> Commands:
    """Return the commands that drop the pending pose; none if there is none."""
    return [] if model.pending is None else [SetPose(model.pending, None, go)]


def same_strips(a: Strips, b: Strips, skeleton: Skeleton) -> bool:
    """Return whether strips are the same to the last bit."""
    if len(a) != len(b):
        return False
    return all(x is y or strip_to_json(x, skeleton) == strip_to_json(y, skeleton) for x, y in zip(a, b, strict=True))


def strips_of(model: Model) -> Strips:
    """Return the active sequence's strips; () without a figure."""
    return () if model.sequence is None else tuple(model.sequence.locks.strips)


def strip_changes(model: Model, strips: Iterable[LockStrip]) -> Commands:
    """Return the command that makes ``strips`` the active sequence's; none if they are so already, to the last bit.

    Raises:
        LockError: If a lock does not fit the figure, or two strips have one id.
        SequenceError: If a strip cannot be.
    """
    skeleton, sequence = need_figure(model)
    before, after = tuple(sequence.locks.strips), tuple(strips)
    ids = [strip.id for strip in after]
    if len(set(ids)) < len(ids):
        double = next(name for name in ids if ids.count(name) > 1)
        raise LockError(f'two lock strips have the id "{double}"; each needs one of its own')
    if same_strips(before, after, skeleton):
        return []
    for strip in after:
        skeleton.joint_index(strip.lock.joint)
    return strips_put(model, model.sequence_index, after)


def strips_put(model: Model, index: int, after: Iterable[LockStrip]) -> Commands:
    """Return the commands that put checked strips in the place of a sequence's, and its script in step with them."""
    sequence = model.sequences[index]
    before, then = tuple(sequence.locks.strips), tuple(after)
    commands: Commands = [SetStrips(index, before, then, sequence.skeleton)]
    companions = model.companions_of(index)
    script = script_of(sequence, companions)
    if script is not None:
        others = {name: other.skeleton for name, other in companions.items()}
        now = follow(script, before, then, sequence.skeleton, others).to_json()
        if now != sequence.script:
            commands.append(SetSequenceValue(index, "script", sequence.script, now))
    return commands


def hybrids_of(model: Model) -> HybridStrips:
    """Return the active sequence's hybrid strips; () without a figure."""
    return () if model.sequence is None else model.sequence.hybrid_strips


def hybrid_changes(model: Model, strips: Iterable[HybridStrip]) -> Commands:
    """Return the command that makes ``strips`` the active sequence's; none if they are so already.

    Raises:
        SequenceError: If two strips have one id or move one joint at once, or one names a joint that is not there.
    """
    skeleton, sequence = need_figure(model)
    before = sequence.hybrid_strips
    after = checked_hybrid_strips(strips, skeleton, f'sequence "{sequence.name}"')
    return [] if after == before else [SetHybridStrips(model.sequence_index, before, after)]


def physics_changes(model: Model, record: Record) -> Commands:
    """Return the command that makes ``record`` the settings of physics; none if it is so already."""
    return [] if record == model.physics else [SetPhysics(model.physics, record)]


def parts_carried(model: Model, index: int, made: Skeleton) -> Commands:
    """Return what brings along all that is attached to parts, if another skeleton takes a figure's place.

    Args:
        model: The document's content.
        index: Index of the figure.
        made: The other skeleton.
    """
    if not any(model.physics.get(kind) for kind in ("strings", "forces", "strands")):
        return []
    old, skeletons = model.figures[index].skeleton, [figure.skeleton for figure in model.figures]
    new_names, there = renamed_joints(old, made), set(made.joint_names)
    own = {name: new_names.get(name, name if name in there else None) for name in old.joint_names}
    skeletons[index] = made
    names = dict(own) if index == model.active.figure else {}
    after = figure_names(skeleton.name for skeleton in skeletons)
    for i, (figure, before, now) in enumerate(zip(model.figures, model.figure_names, after, strict=True)):
        if i == index or before != now:
            for joint in figure.skeleton.joint_names:
                renamed = own[joint] if i == index else joint
                names[full_name(before, joint)] = None if renamed is None else full_name(now, renamed)
    return physics_changes(model, carried_physics(model.physics, names, model.figure_names[0]))


def parts_named(model: Model) -> Commands:
    """Return what gives parts of the active figure its name wherever something is attached: another becomes active."""
    skeleton = model.skeleton
    if skeleton is None or not (model.physics.get("strings") or model.physics.get("forces")):
        return []
    figure = model.figure_names[model.active.figure]
    names = {joint: full_name(figure, joint) for joint in skeleton.joint_names}
    lines = {
        "strings": model.physics.get("strings", []),
        "forces": [force for force in model.physics.get("forces", []) if "bodies" in force],  # along paths
    }
    carried = carried_physics({kind: list(items) for kind, items in lines.items()}, dict(names))
    along = iter(carried.get("forces", ()))
    made = {"strings": carried.get("strings", [])} if "strings" in model.physics else {}
    if "forces" in model.physics:
        made["forces"] = [next(along) if "bodies" in force else force for force in model.physics["forces"]]
    return physics_changes(model, {**model.physics, **made})


def sequence_values(model: Model, values: Mapping[str, Any]) -> Commands:
    """Return the commands that give the active sequence other values, as ``core.animation.retiming`` describes them.

    Args:
        model: The document's content.
        values: ``"keys"``, ``"strips"``, ``"hybrid_strips"``, ``"layers"``, ``"place"`` and any of
            ``SEQUENCE_VALUES``, checked by whoever made them; what is so already needs no command.
    """
    _, sequence = need_figure(model)
    commands: Commands = []
    for name, value in values.items():
        if name == "keys":
            commands += key_changes(model, value)
        elif name == "strips":
            commands += strip_changes(model, value)
        elif name == "layers":
            if value != sequence.layers:
                commands.append(SetLayers(model.sequence_index, sequence.layers, value))
        elif name == "hybrid_strips":
            commands += hybrid_changes(model, value)
        elif name == "place":
            commands += physics_changes(model, retimed_physics(model.physics, value, sequence.fps))
        else:
            before, after = sequence_value(sequence, name), written_value(name, value)
            if before != after:
                commands.append(SetSequenceValue(model.sequence_index, name, before, after))
    return commands


def clock_changes(model: Model, name: str, value: object) -> Commands:
    """Return the commands that set a value of all sequences that are shown: figures play on one clock.

    Raises:
        SequenceError: If the value is not valid.
    """
    need_figure(model)
    shown = (model.sequence_index, *(i for i in model.active.sequences if i != model.sequence_index))
    return [command for index in shown for command in sequence_change(model, name, value, index)]


def sequence_change(model: Model, name: str, value: object, index: int | None = None) -> Commands:
    """Return the command that sets a value of a sequence; none if it has that value.

    Args:
        model: The document's content.
        name: One of ``SEQUENCE_VALUES``.
        value: The value.
        index: Number of the sequence; None for the active one.

    Raises:
        SequenceError: If the value is not valid.
    """
    need_figure(model)
    index = model.sequence_index if index is None else index
    sequence = model.sequences[index]
    before = sequence_value(sequence, name)
    if name in ("name", "menu"):
        if value is not None or name == "name":
            value = str(value).strip()
        if value == "":
            raise SequenceError(f"a sequence's {name} must not be empty")
    # Tried on a copy first: what a sequence accepts, the sequence itself knows best.
    trial = sequence_for(sequence, sequence.skeleton)
    trial.put({name: tuple(value) if isinstance(value, list) else value})
    after = sequence_value(trial, name)
    if after == before:
        return []
    commands: Commands = [SetSequenceValue(index, name, before, after)]
    if name == "fps" and index == model.sequence_index:  # keys stay on their frames, those of forces too
        commands += physics_changes(model, retimed_physics(model.physics, lambda frame: frame, sequence.fps, trial.fps))
    return commands


def joint_change(model: Model, joint: int | str, name: str, value: float) -> Commands:
    """Return the command that sets a joint's IK weight (0 to 1) or resistance (> 0).

    Raises:
        JointError: If there is no such joint.
        CommandError: If the value is not valid.
    """
    rows = _joint_rows(model, {joint: {name: value}})
    return [SetJointValue(model.active.figure, *row) for row in rows]


def joint_changes(model: Model, values: Mapping[int | str, Mapping[str, float]]) -> Commands:
    """Return the command that sets IK weights and resistances of several joints, by joint and name.

    Raises:
        JointError: If there is no such joint.
        CommandError: If a value is not valid.
    """
    rows = _joint_rows(model, values)
    return [SetJointValues(model.active.figure, rows)] if rows else []


def _joint_rows(model: Model, values: Mapping[int | str, Mapping[str, float]]) -> list[Row]:
    skeleton, _ = need_figure(model)
    rows = []
    for joint, wanted in values.items():
        index = skeleton.joint_index(joint)
        for name, given in wanted.items():
            if name not in JOINT_VALUES:
                raise CommandError(f'a joint has no value "{name}" to set; it has {", ".join(JOINT_VALUES)}')
            value = float(given)
            valid = 0.0 <= value <= 1.0 if name == "weight" else value > 0.0 and math.isfinite(value)
            if not valid:
                right = "from 0 to 1" if name == "weight" else "a positive number"
                place = f'{name} {value:g} of joint "{skeleton.joints[index].name}"'
                raise CommandError(f"{place} makes no sense; it must be {right}")
            before = float(getattr(skeleton.joints[index], name))
            if before != value:
                rows.append((index, name, before, value))
    return rows


def show_sequence(model: Model, index: int) -> Commands:
    """Return the commands that show sequence number ``index`` and make its figure active.

    Raises:
        SequenceError: If there is no such sequence.
    """
    if not 0 <= index < len(model.sequences):
        raise SequenceError(f"there is no sequence number {index}; the document has {len(model.sequences)}")
    figure = model.figure_of(model.sequences[index])
    shown = list(model.active.sequences)
    shown[figure] = index
    active = Active(figure, tuple(shown))
    if active == model.active:
        return []
    named = parts_named(model) if figure != model.active.figure else []
    return [*drop_pending(model), *named, SetActive(model.active, active)]


def add_sequence(model: Model, sequence: Sequence) -> Commands:
    """Return the commands that add a sequence of the active figure and show it.

    Raises:
        SkeletonError: If the document has no figure, or the sequence is another figure's.
    """
    skeleton, _ = need_figure(model)
    if sequence.skeleton.dof_names != skeleton.dof_names:
        raise SkeletonError(f'sequence "{sequence.name}" is of "{sequence.skeleton.name}", not of "{skeleton.name}"')
    figure = model.active.figure
    shown = list(model.active.sequences)
    shown[figure] = len(model.sequences)
    return [
        *drop_pending(model),
        AddSequence.of(figure, sequence),
        SetActive(model.active, Active(figure, tuple(shown))),
    ]
