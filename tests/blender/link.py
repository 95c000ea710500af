"""Runs in Blender's own Python: the add-on in ``resources/blender`` at work. Knows nothing of the editor.

    python link.py send FOLDER    makes rigs, sends one after the other, and says where their bones are
    python link.py take FOLDER    takes motions back onto the same rigs, and onto new armatures, and says so again

``FOLDER`` is that of exchange. Rigs are as people have them: of several scales, turned objects that move, angles in
Euler orders, bones that are connected and others that slide, a foot held by inverse kinematics, a skin.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import bpy
import numpy as np
from mathutils import Matrix, Quaternion, Vector

ADD_ON = Path(__file__).parents[2] / "resources" / "blender"
sys.path.insert(0, str(ADD_ON))
import sequence_editor_link as add_on  # noqa: E402

FRAMES, FIRST, TIMES = 41, 11, 20
RIGS = ("plain", "mixamo", "constrained")


def rig(kind: str) -> bpy.types.Object:
    """Make an armature with a motion in an empty scene."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    context = bpy.context
    context.scene.render.fps = 24 if kind == "plain" else 30
    size = 100.0 if kind == "mixamo" else 1.0
    data = bpy.data.armatures.new(kind)
    figure = bpy.data.objects.new(kind.capitalize(), data)
    context.collection.objects.link(figure)
    context.view_layer.objects.active = figure
    figure.select_set(True)
    bpy.ops.object.mode_set(mode="EDIT")
    rows = (
        ("hips", "", (0.0, 0.0, 0.95), (0.0, 0.02, 1.1), 0.3, False),
        ("spine", "hips", (0.0, 0.02, 1.1), (0.0, 0.0, 1.45), -0.2, True),
        ("head", "spine", (0.0, 0.0, 1.47), (0.0, 0.03, 1.75), 0.0, False),
        ("thigh.L", "hips", (0.1, 0.0, 0.9), (0.11, -0.02, 0.48), 1.1, False),
        ("shin.L", "thigh.L", (0.11, -0.02, 0.48), (0.11, 0.02, 0.08), -0.7, True),
        ("foot.L", "shin.L", (0.11, 0.02, 0.08), (0.11, -0.15, 0.02), 0.0, True),
        ("prop", "", (0.5, 0.0, 0.0), (0.5, 0.3, 0.0), 0.0, False),
    )
    for name, parent, head, tail, roll, connected in rows:
        if name == "prop" and kind != "plain":
            continue
        bone = data.edit_bones.new(name)
        bone.head, bone.tail, bone.roll = size * Vector(head), size * Vector(tail), roll
        if kind == "mixamo":  # lies in its own axes, and the object stands it up
            turn = Matrix.Rotation(-math.pi / 2, 4, "X")
            bone.transform(turn)
        if parent:
            bone.parent, bone.use_connect = data.edit_bones[parent], connected
    bpy.ops.object.mode_set(mode="OBJECT")
    if kind == "mixamo":
        figure.rotation_euler, figure.scale = (math.pi / 2, 0.0, 0.0), (0.01, 0.01, 0.01)
    rng = np.random.default_rng(3)
    modes = ("QUATERNION", "XYZ", "ZYX", "AXIS_ANGLE")
    for number, bone in enumerate(figure.pose.bones):
        bone.rotation_mode = modes[number % len(modes)]
        for frame in (FIRST, FIRST + 17, FIRST + FRAMES - 1):
            turn = Quaternion(Vector(rng.normal(size=3)).normalized(), float(rng.uniform(-0.9, 0.9)))
            if bone.rotation_mode == "QUATERNION":
                bone.rotation_quaternion = turn
                bone.keyframe_insert("rotation_quaternion", frame=frame)
            elif bone.rotation_mode == "AXIS_ANGLE":
                axis, angle = turn.to_axis_angle()
                bone.rotation_axis_angle = (angle, *axis)
                bone.keyframe_insert("rotation_axis_angle", frame=frame)
            else:
                bone.rotation_euler = turn.to_euler(bone.rotation_mode)
                bone.keyframe_insert("rotation_euler", frame=frame)
            if bone.parent is None or bone.name == "head":
                bone.location = size * 0.2 * Vector(rng.normal(size=3))
                bone.keyframe_insert("location", frame=frame)
    if kind != "mixamo":
        for frame, x in ((FIRST, 0.0), (FIRST + FRAMES - 1, 2.0)):
            figure.location, figure.rotation_euler = (x, -0.5, 0.1), (0.0, 0.0, 0.4 * x)
            figure.keyframe_insert("location", frame=frame)
            figure.keyframe_insert("rotation_euler", frame=frame)
    if kind == "constrained":
        target = bpy.data.objects.new("target", None)
        target.location = (0.3, -0.4, 0.2)
        context.collection.objects.link(target)
        held = figure.pose.bones["shin.L"].constraints.new("IK")
        held.target, held.chain_count = target, 2
    _skin(figure, size)
    return figure


def _skin(figure: bpy.types.Object, size: float) -> None:
    """Put a box around every bone, which follows it."""
    points, triangles, owners = [], [], []
    for bone in figure.data.bones:
        for x in (-0.05, 0.05):
            for y in (0.0, bone.length / size):
                for z in (-0.05, 0.05):
                    points.append(bone.matrix_local @ (size * Vector((x, y, z))))
                    owners.append(bone.name)
        a = len(points) - 8
        faces = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
        triangles += [[a + k for k in face] for face in faces]
    mesh = bpy.data.meshes.new("skin")
    mesh.from_pydata(points, [], triangles)
    item = bpy.data.objects.new("skin", mesh)
    bpy.context.collection.objects.link(item)
    item.parent = figure
    item.modifiers.new("Armature", "ARMATURE").object = figure
    for bone in figure.data.bones:
        group = item.vertex_groups.new(name=bone.name)
        group.add([k for k, owner in enumerate(owners) if owner == bone.name], 1.0, "REPLACE")


def heads(figure: bpy.types.Object, names: list[str], first: float, last: float) -> np.ndarray:
    """Return where bones are at times between two frames, y up, shape (times, bones, 3)."""
    scene, rows = bpy.context.scene, []
    for frame in np.linspace(first, last, TIMES).round():
        scene.frame_set(int(frame))
        shown = figure.evaluated_get(bpy.context.evaluated_depsgraph_get())
        places = [shown.matrix_world @ shown.pose.bones[name].head for name in names]
        rows.append([(x, z, -y) for x, y, z in places])
    return np.array(rows)


def main(way: str, given: str) -> None:
    folder = Path(given)
    from sequence_editor_link import folders, panel

    for kind in RIGS:
        blend, names_file = folder / f"{kind}.blend", folder / f"{kind}.npz"
        if way == "send":
            figure = rig(kind)
        else:
            bpy.ops.wm.open_mainfile(filepath=str(blend))
            figure = bpy.data.objects[kind.capitalize()]
        add_on.register()
        panel.folder = lambda: folder
        names = [bone.name for bone in figure.data.bones]
        if way == "send":
            assert bpy.ops.sequence_editor.send() == {"FINISHED"}
            (folder / folders.FROM_BLENDER).rename(folder / f"{kind}{Path(folders.FROM_BLENDER).suffix}")
            places = heads(figure, names, FIRST, FIRST + FRAMES - 1)
            np.savez(names_file, names=names, heads=places, version=bpy.app.version_string)
            bpy.ops.wm.save_as_mainfile(filepath=str(blend))
        else:
            old = figure.animation_data.action
            old_name = old.name
            (folder / f"{kind} back.armature").rename(folder / folders.TO_BLENDER)
            settings = bpy.context.window_manager.sequence_editor_link
            settings.mute = True
            if kind == "plain":  # by the timer
                settings.live = True
                figure = _taken_by_itself(figure)
                old = bpy.data.actions[old_name]
            else:
                assert bpy.ops.sequence_editor.take() == {"FINISHED"}
            assert figure.animation_data.action is not old and old.users
            first, last = figure.animation_data.action.frame_range
            places = {"again": heads(figure, names, FIRST, FIRST + FRAMES - 1)}
            assert bpy.ops.sequence_editor.take_new() == {"FINISHED"}
            new = bpy.context.object
            assert new is not figure
            start = bpy.context.scene.frame_start
            places["new"] = heads(new, names, start, start + FRAMES - 1)
            np.savez(folder / f"{kind} back.npz", names=names, first=first, last=last, **places)
        add_on.unregister()
    if way == "take":
        _figure_of_the_editor(folder)


def _taken_by_itself(figure: bpy.types.Object) -> bpy.types.Object:
    """Let a motion be taken as it comes; return the armature, which undoing makes anew."""
    from sequence_editor_link import panel

    name, old = figure.name, figure.animation_data.action.name
    line = f"{old}: {FRAMES} frames at 24 a second"
    # It does not fit the armature that is active: that is said before what came.
    other = bpy.data.objects.new("Other", bpy.data.armatures.new("other"))
    bpy.context.collection.objects.link(other)
    bpy.context.view_layer.objects.active = other
    assert panel.look() > 0.0
    said, icon = panel.watch.told()
    assert said == f"Other has none of the bones of {name}; take it as a new armature" and icon == "ERROR", said
    assert panel.watch.line.startswith(line) and figure.animation_data.action.name == old
    bpy.data.objects.remove(other)
    bpy.context.view_layer.objects.active = figure
    bpy.ops.ed.undo_push(message="before")
    panel.watch.seen = None  # as if it had come again
    assert panel.look() > 0.0 and panel.watch.told()[0].startswith(line), panel.watch.told()
    new = figure.animation_data.action.name
    assert new != old
    # It is a step of its own.
    assert bpy.ops.ed.undo() == {"FINISHED"} and bpy.data.objects[name].animation_data.action.name == old
    assert bpy.ops.ed.redo() == {"FINISHED"} and bpy.data.objects[name].animation_data.action.name == new
    return bpy.data.objects[name]


def _figure_of_the_editor(folder: Path) -> None:
    """Take a figure that comes from the editor as a new armature, and send that back."""
    from sequence_editor_link import folders, panel

    bpy.ops.wm.read_factory_settings(use_empty=True)
    panel.folder = lambda: folder
    (folder / "walk.armature").rename(folder / folders.TO_BLENDER)
    panel.watch = panel.Watch()
    add_on.register()
    # What is there as Blender starts is read once the panel is drawn.
    assert panel.watch.seen is not None and panel.watch.came is None and not panel.watch.line
    said, icon = panel.watch.told()
    assert "frames at" in said and icon == "ACTION"
    bpy.context.scene.render.fps = round(panel.watch.came.fps)
    assert bpy.ops.sequence_editor.take_new() == {"FINISHED"}
    figure = bpy.context.object
    names = [bone.name for bone in figure.data.bones]
    first, last = figure.animation_data.action.frame_range
    np.savez(folder / "walk back.npz", names=names, first=first, last=last, new=heads(figure, names, first, last))
    assert bpy.ops.sequence_editor.send() == {"FINISHED"}
    (folder / folders.FROM_BLENDER).rename(folder / "walk again.armature")
    add_on.unregister()


if __name__ == "__main__":
    main(*(sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else sys.argv[1:]))
