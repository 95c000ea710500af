"""An armature of Blender as a file for the editor: its rest pose, its motion as it shows, and what follows it.

Blender is z up, the editor y up: ``UPRIGHT`` turns the world; the axes of bones stay their own.
"""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Matrix, Vector

from .armature_file import Armature, Bone, Mesh

UPRIGHT = Matrix(((1, 0, 0, 0), (0, 0, 1, 0), (0, -1, 0, 0), (0, 0, 0, 1)))
FIRST = "sequence_editor_first"
"""Custom property of an armature's object: the frame that was the first one sent."""
STOOD = "sequence_editor_stood"
"""Custom property of an armature's object: how it was turned when it was sent, a quaternion w, x, y, z."""
MOST_TRIANGLES = 200_000
INFLUENCES = 4


def rate_of(scene: bpy.types.Scene) -> float:
    """Return the frames a second of a scene."""
    return scene.render.fps / scene.render.fps_base


def span(figure: bpy.types.Object, scene: bpy.types.Scene) -> tuple[int, int]:
    """Return the frames that are sent: those of the armature's action, of the scene where other things move it too."""
    data = figure.animation_data
    if data is not None and data.action is not None and not data.nla_tracks:
        first, last = data.action.frame_range
        return round(first), max(round(last), round(first))
    if scene.use_preview_range:
        return scene.frame_preview_start, scene.frame_preview_end
    return scene.frame_start, scene.frame_end


def motion_name(figure: bpy.types.Object) -> str:
    """Return what the motion of an armature is called."""
    data = figure.animation_data
    return data.action.name if data is not None and data.action is not None else figure.name


def _stood(context: bpy.types.Context, figure: bpy.types.Object) -> Matrix:
    """Return how an armature's object is turned and how large it is, shown at the scene's frame."""
    shown = figure.evaluated_get(context.evaluated_depsgraph_get())
    _, turn, size = shown.matrix_world.decompose()
    return Matrix.LocRotScale(None, turn, size)


def armature_of(context: bpy.types.Context, figure: bpy.types.Object, with_meshes: bool) -> tuple[Armature, list[str]]:
    """Return an armature as it is sent, and what is to be said about it; the scene's frame is put back.

    Its rest pose is that of the armature itself, turned and as large as its object is in the first frame; where the
    object goes from there is part of the motion.
    """
    bones = list(figure.data.bones)  # parents first
    place = {bone.name: k for k, bone in enumerate(bones)}
    scene = context.scene
    first, last = span(figure, scene)
    frame, subframe = scene.frame_current, scene.frame_subframe
    scene.frame_set(first)
    stood = _stood(context, figure)
    rests = []
    for bone in bones:
        rest = UPRIGHT @ stood @ bone.matrix_local
        head, tail = rest.translation, rest @ Vector((0.0, bone.length, 0.0))
        turn = (UPRIGHT @ stood).to_quaternion() @ bone.matrix_local.to_quaternion()
        parent = -1 if bone.parent is None else place[bone.parent.name]
        rests.append(Bone(bone.name, parent, [*head, *turn], [0.0, (tail - head).length, 0.0]))
    frames = []
    manager = context.window_manager
    manager.progress_begin(first, last + 1)
    try:
        for number in range(first, last + 1):
            scene.frame_set(number)
            manager.progress_update(number)
            shown = figure.evaluated_get(context.evaluated_depsgraph_get())
            world, row = UPRIGHT @ shown.matrix_world, []
            for bone in bones:
                at, turn, _ = (world @ shown.pose.bones[bone.name].matrix).decompose()
                row += [*at, *turn]
            frames.append(row)
    finally:
        manager.progress_end()
        scene.frame_set(frame, subframe=subframe)
    meshes, notes = _meshes(context, figure, place, stood) if with_meshes else ([], [])
    program = f"Blender {bpy.app.version_string}"
    made = Armature(figure.name, motion_name(figure), rate_of(scene), 0, rests, frames, meshes, program)
    figure[FIRST], figure[STOOD] = first, list(stood.to_quaternion())
    return made, notes


def _meshes(
    context: bpy.types.Context, figure: bpy.types.Object, place: dict[str, int], stood: Matrix
) -> tuple[list[Mesh], list[str]]:
    """Return the meshes that an armature moves, each by its materials, and what is to be said about them."""
    found: list[Mesh] = []
    total = 0
    for item in context.view_layer.objects:
        follows = any(each.type == "ARMATURE" and each.object is figure for each in item.modifiers)
        if item.type != "MESH" or not follows or item.hide_get():
            continue
        mesh = item.data
        mesh.calc_loop_triangles()
        total += len(mesh.loop_triangles)
        if total > MOST_TRIANGLES:
            return [], [f"meshes of more than {MOST_TRIANGLES} triangles were left out"]
        if not len(mesh.loop_triangles):
            continue
        whole = np.array(UPRIGHT @ stood @ figure.matrix_world.inverted() @ item.matrix_world)
        points = np.empty(3 * len(mesh.vertices))
        mesh.vertices.foreach_get("co", points)
        points = points.reshape(-1, 3) @ whole[:3, :3].T + whole[:3, 3]
        triangles = np.empty(3 * len(mesh.loop_triangles), dtype=np.int32)
        mesh.loop_triangles.foreach_get("vertices", triangles)
        materials = np.empty(len(mesh.loop_triangles), dtype=np.int32)
        mesh.loop_triangles.foreach_get("material_index", materials)
        bones, weights = _followed(item, place)
        for number in np.unique(materials):
            mine = triangles.reshape(-1, 3)[materials == number]
            used, corners = np.unique(mine, return_inverse=True)
            found.append(
                Mesh(
                    item.name,
                    points[used].ravel().tolist(),
                    corners.ravel().tolist(),
                    bones[used].ravel().tolist(),
                    weights[used].ravel().tolist(),
                    _color(item, int(number)),
                )
            )
    return found, []


def _followed(item: bpy.types.Object, place: dict[str, int]) -> tuple[np.ndarray, np.ndarray]:
    """Return the bones that each vertex follows most, and how much; what follows none stays with the first bone."""
    groups = {group.index: place[group.name] for group in item.vertex_groups if group.name in place}
    bones = np.zeros((len(item.data.vertices), INFLUENCES), dtype=np.int32)
    weights = np.zeros((len(item.data.vertices), INFLUENCES))
    for k, vertex in enumerate(item.data.vertices):
        rows = [(each.weight, groups[each.group]) for each in vertex.groups if each.group in groups and each.weight > 0]
        rows.sort(key=lambda row: -row[0])
        for column, (weight, bone) in enumerate(rows[:INFLUENCES]):
            bones[k, column], weights[k, column] = bone, weight
        if not rows:
            weights[k, 0] = 1.0
    return bones, weights


def _color(item: bpy.types.Object, number: int) -> list[float] | None:
    """Return the colour of a material as a screen has it; None where it has none of its own."""
    slots = item.material_slots
    material = slots[number].material if number < len(slots) else None
    if material is None:
        return None
    linear = list(material.diffuse_color)[:3]
    if material.use_nodes and material.node_tree is not None:
        shader = next((node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED"), None)
        if shader is not None:
            socket = shader.inputs["Base Color"]
            if socket.is_linked:
                return None
            linear = list(socket.default_value)[:3]
    screen = [12.92 * c if c <= 0.0031308 else 1.055 * c ** (1 / 2.4) - 0.055 for c in linear]
    return [min(max(c, 0.0), 1.0) for c in screen]
