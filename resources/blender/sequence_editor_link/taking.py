"""A motion that came from the editor, put onto an armature of Blender as an action of its own.

A bone turns from its rest as it does in the file: ``pose = X X_rest' rest``, whatever axes bones have on either side.
Where a bone stands away from where its parent carries it, its location is keyed as well.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import bpy
from mathutils import Matrix, Quaternion, Vector

from .armature_file import BONE, Armature
from .sending import FIRST, STOOD, UPRIGHT, rate_of

_STILL = 1e-6  # of the figure's size: so far off a bone needs no location of its own
_CHECKED = 20
_LINEAR = 1  # as Blender numbers the ways between keys


@dataclass
class Taken:
    """What came of it.

    Attributes:
        action: The new action.
        bones: How many bones it moves.
        missing: Bones of the file that the armature does not have.
        first: First frame.
        last: Last frame.
        off: How far a bone is at most from where it should be, [m]: more than rounding where something else moves it.
        worst: That bone.
        constrained: Bones of the file whose constraints act.
    """

    action: bpy.types.Action
    bones: int
    missing: list[str]
    first: float
    last: float
    off: float = 0.0
    worst: str = ""
    constrained: list[str] = field(default_factory=list)


def take(context: bpy.types.Context, figure: bpy.types.Object, came: Armature, mute: bool = False) -> Taken:
    """Let an armature move as a file says, by a new action that keeps what the old one does beside bones.

    Args:
        context: Blender's context.
        figure: The object of the armature.
        came: What came; it has at least one frame.
        mute: Whether constraints of its bones are muted, which would hold them elsewhere.
    """
    scene = context.scene
    known = figure.pose.bones
    rows = {bone.name: k for k, bone in enumerate(came.bones) if bone.name in known}
    # The editor hangs several bones without a parent on one that is called as the armature.
    missing = [bone.name for bone in came.bones if bone.name not in known and bone.name != figure.name]
    constrained = []
    for name in rows:
        acting = [each for each in known[name].constraints if not each.mute and each.influence > 0.0]
        for each in acting if mute else ():
            each.mute = True
        if acting and not mute:
            constrained.append(name)
    step = rate_of(scene) / came.fps
    start = float(figure.get(FIRST, scene.frame_start)) + came.first * step
    times = [start + step * k for k in range(len(came.frames))]
    worlds = _objects(context, figure, times)
    action, home = _new_action(figure, came.motion, set(rows))
    _bake(figure, came, rows, times, worlds, home)
    made = Taken(action, len(rows), missing, times[0], times[-1], constrained=constrained)
    _check(context, figure, came, rows, times, made)
    return made


def _world(row: list[float], k: int) -> Matrix:
    """Return the frame of a bone in Blender's world, of seven numbers."""
    x, y, z, *turn = row[BONE * k : BONE * (k + 1)]
    return UPRIGHT.inverted() @ Matrix.LocRotScale(Vector((x, y, z)), Quaternion(turn), None)


def _objects(context: bpy.types.Context, figure: bpy.types.Object, times: list[float]) -> list[Matrix]:
    """Return the armature's own frame in the world at each time."""
    data = figure.animation_data
    moves = figure.parent is not None or len(figure.constraints) or (data is not None and (data.action or data.drivers))
    if not moves and not (data is not None and data.nla_tracks):
        return [figure.matrix_world.copy()] * len(times)
    scene, found = context.scene, []
    frame, subframe = scene.frame_current, scene.frame_subframe
    for time in times:
        scene.frame_set(int(time // 1), subframe=time % 1)
        found.append(figure.evaluated_get(context.evaluated_depsgraph_get()).matrix_world.copy())
    scene.frame_set(frame, subframe=subframe)
    return found


def _new_action(figure: bpy.types.Object, name: str, bones: set[str]) -> tuple[bpy.types.Action, object]:
    """Give an armature a new action, with what its old one does to other things; return it and what has its curves."""
    data = figure.animation_data or figure.animation_data_create()
    old = data.action
    slot = getattr(data, "action_slot", None)
    action = old.copy() if old is not None else bpy.data.actions.new(name)
    action.name = name
    action.use_fake_user = True
    if old is not None:
        old.use_fake_user = True  # or it would be lost with the next save
    data.action = action
    if hasattr(action, "slots"):  # Blender 4.4 and later
        if slot is not None:
            data.action_slot = next(each for each in action.slots if each.identifier == slot.identifier)
        elif data.action_slot is None:
            data.action_slot = action.slots.new(id_type="OBJECT", name=figure.name)
        layer = action.layers[0] if len(action.layers) else action.layers.new("Layer")
        strip = layer.strips[0] if len(layer.strips) else layer.strips.new(type="KEYFRAME")
        home = strip.channelbag(data.action_slot, ensure=True)
    else:
        home = action
    paths = tuple(figure.pose.bones[bone].path_from_id() + "." for bone in bones)
    own = ("location", "rotation_quaternion", "rotation_euler", "rotation_axis_angle", "scale")
    for curve in [each for each in home.fcurves if each.data_path.startswith(paths)]:
        if curve.data_path.rpartition(".")[2] in own:
            home.fcurves.remove(curve)
    return action, home


def _bake(
    figure: bpy.types.Object,
    came: Armature,
    rows: dict[str, int],
    times: list[float],
    worlds: list[Matrix],
    home: object,
) -> None:
    """Write the curves of all bones, parents before children."""
    order = [bone for bone in figure.data.bones if bone.name in figure.pose.bones]
    stood = Quaternion(figure[STOOD]) if STOOD in figure else figure.matrix_world.to_quaternion()
    # From the bone's axes in the file to those here.
    turn_back = {
        name: _world(came.bones[k].rest, 0).to_3x3().transposed()
        @ (stood @ figure.data.bones[name].matrix_local.to_quaternion()).to_matrix()
        for name, k in rows.items()
    }
    values: dict[str, tuple[list[Vector], list[Quaternion]]] = {name: ([], []) for name in rows}
    for row, world in zip(came.frames, worlds, strict=True):
        inverse, turn_inverse = world.inverted(), world.to_quaternion().inverted().to_matrix()
        poses: dict[str, Matrix] = {}
        for bone in order:
            above = {}
            if bone.parent is not None:
                above = {"parent_matrix": poses[bone.parent.name], "parent_matrix_local": bone.parent.matrix_local}
            k = rows.get(bone.name)
            if k is None:
                basis = figure.pose.bones[bone.name].matrix_basis
                poses[bone.name] = bone.convert_local_to_pose(basis, bone.matrix_local, **above)
                continue
            there = _world(row, k)
            pose = (turn_inverse @ there.to_3x3() @ turn_back[bone.name]).to_4x4()
            pose.translation = inverse @ there.translation
            poses[bone.name] = pose
            basis = bone.convert_local_to_pose(pose, bone.matrix_local, **above, invert=True)
            places, turns = values[bone.name]
            places.append(basis.to_translation())
            turns.append(basis.to_quaternion())
    heads = [bone.head_local for bone in order]
    size = max((a - heads[0]).length for a in heads) or 1.0
    for name, (places, turns) in values.items():
        bone = figure.pose.bones[name]
        bone.scale = (1.0, 1.0, 1.0)
        path = bone.path_from_id()
        moves = bone.parent is None or max(place.length for place in places) > _STILL * size
        if moves and not bone.bone.use_connect:
            _curves(home, f"{path}.location", name, times, [list(place) for place in places])
        else:
            bone.location = (0.0, 0.0, 0.0)
        kind, numbers = _turned(bone.rotation_mode, turns)
        _curves(home, f"{path}.{kind}", name, times, numbers)


def _turned(mode: str, turns: list[Quaternion]) -> tuple[str, list[list[float]]]:
    """Return turns as a bone's mode has them, each near the one before."""
    found: list[list[float]] = []
    if mode == "QUATERNION":
        for k, turn in enumerate(turns):
            if k:
                turn.make_compatible(turns[k - 1])
            found.append(list(turn))
        return "rotation_quaternion", found
    if mode == "AXIS_ANGLE":
        for turn in turns:
            axis, angle = turn.to_axis_angle()
            found.append([angle, *axis])
        return "rotation_axis_angle", found
    before = None
    for turn in turns:
        before = turn.to_euler(mode, before) if before is not None else turn.to_euler(mode)
        found.append(list(before))
    return "rotation_euler", found


def _curves(home: object, path: str, group: str, times: list[float], values: list[list[float]]) -> None:
    for index in range(len(values[0])):
        curve = home.fcurves.new(path, index=index)
        curve.group = home.groups.get(group) or home.groups.new(group)
        curve.keyframe_points.add(len(times))
        flat = [number for time, row in zip(times, values, strict=True) for number in (time, row[index])]
        curve.keyframe_points.foreach_set("co", flat)
        curve.keyframe_points.foreach_set("interpolation", [_LINEAR] * len(times))
        curve.update()


def _check(
    context: bpy.types.Context,
    figure: bpy.types.Object,
    came: Armature,
    rows: dict[str, int],
    times: list[float],
    made: Taken,
) -> None:
    """Note how far bones are from where they should be, at some of the frames."""
    scene = context.scene
    frame, subframe = scene.frame_current, scene.frame_subframe
    count = len(times)
    for k in sorted({round(i * (count - 1) / max(_CHECKED - 1, 1)) for i in range(min(_CHECKED, count))}):
        scene.frame_set(int(times[k] // 1), subframe=times[k] % 1)
        shown = figure.evaluated_get(context.evaluated_depsgraph_get())
        for name, row in rows.items():
            head = shown.matrix_world @ shown.pose.bones[name].head
            off = (head - _world(came.frames[k], row).translation).length
            if off > made.off:
                made.off, made.worst = off, name
    scene.frame_set(frame, subframe=subframe)


def new_armature(context: bpy.types.Context, came: Armature) -> bpy.types.Object:
    """Return a new armature that stands at rest as a file says, in the scene and active."""
    if context.object is not None and context.object.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    data = bpy.data.armatures.new(came.name)
    figure = bpy.data.objects.new(came.name, data)
    context.collection.objects.link(figure)
    for item in context.selected_objects:
        item.select_set(False)
    context.view_layer.objects.active = figure
    figure.select_set(True)
    bpy.ops.object.mode_set(mode="EDIT")
    made = []
    for bone in came.bones:
        frame = _world(bone.rest, 0)
        new = data.edit_bones.new(bone.name)
        new.head = frame.translation
        new.tail = frame @ Vector(bone.tail)
        if new.length < 1e-4:
            new.tail = new.head + Vector((0.0, 0.0, 0.05))
        new.align_roll(frame.to_3x3() @ Vector((0.0, 0.0, 1.0)))
        if bone.parent >= 0:
            new.parent = made[bone.parent]
        made.append(new)
    bpy.ops.object.mode_set(mode="OBJECT")
    for bone in figure.pose.bones:
        bone.rotation_mode = "QUATERNION"
    figure[FIRST], figure[STOOD] = context.scene.frame_start, [1.0, 0.0, 0.0, 0.0]
    return figure
