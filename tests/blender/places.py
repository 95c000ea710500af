"""Runs in Blender's own Python: where the bones of files are, by Blender's importers. Knows nothing of the project.

    python places.py OUT.npz MOST FPS:FILE...

Writes for the n-th file ``names_n``, ``frames_n`` (numbers of the file's frames, from 0), ``heads_n`` of shape
(frames, bones, 3) in the axes and the unit of the file, and ``fps_n``. At most ``MOST`` frames of each, evenly.
"""

from __future__ import annotations

import contextlib
import io
import sys

import bpy
import numpy as np

SCENE_TIMES = 20


def bone_heads(path: str, most: int) -> tuple[list[str], np.ndarray, np.ndarray, float]:
    """Import a file into an empty scene and return names, frames, heads and frames a second."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    with contextlib.redirect_stdout(io.StringIO()):
        bpy.ops.import_anim.bvh(
            filepath=path,
            frame_start=1,  # the file's frame 0 is frame 1 of the scene
            use_fps_scale=False,
            update_scene_fps=True,
            rotate_mode="QUATERNION",  # angles lose half of single precision's digits near gimbal lock
            axis_forward="-Z",
            axis_up="Y",
        )
    scene = bpy.context.scene
    figure = next(item for item in scene.objects if item.type == "ARMATURE")
    count = round(figure.animation_data.action.frame_range[1])
    frames = np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(int))
    bones = list(figure.pose.bones)
    heads = np.empty((len(frames), len(bones), 3))
    for row, frame in enumerate(frames):
        scene.frame_set(int(frame) + 1)
        world = figure.matrix_world
        for k, bone in enumerate(bones):
            x, y, z = world @ bone.head
            heads[row, k] = x, z, -y  # Blender's z is up and its -y looks forward; the file's y is up, z forward
    return [bone.name for bone in bones], frames, heads, scene.render.fps / scene.render.fps_base


def scene_heads(path: str, fps: float, most: int) -> tuple[list[str], np.ndarray, np.ndarray, float]:
    """Import a scene and return the same; of what has no bones, as a prop, where its objects are."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = round(fps), round(fps) / fps
    with contextlib.redirect_stdout(io.StringIO()):
        if path.endswith((".glb", ".gltf")):
            bpy.ops.import_scene.gltf(filepath=path)
        elif path.endswith(".fbx"):
            bpy.ops.import_scene.fbx(filepath=path, anim_offset=0.0)
        else:
            bpy.ops.wm.usd_import(filepath=path, set_frame_range=True, merge_parent_xform=False)
    begin, end = (
        fun(action.frame_range[k] for action in bpy.data.actions) for k, fun in ((0, min), (1, max))
    )  # fmt: skip
    count = round(end - begin) + 1
    frames = np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(int))
    figures = [item for item in scene.objects if item.type == "ARMATURE"]
    bones = [(figure, bone) for figure in figures for bone in figure.pose.bones]
    others = [item for item in scene.objects if item.type not in ("ARMATURE", "CAMERA")]
    heads = np.empty((len(frames), len(bones) + len(others), 3))
    for row, frame in enumerate(frames):
        scene.frame_set(round(begin) + int(frame))
        places = [figure.matrix_world @ bone.head for figure, bone in bones]
        for k, (x, y, z) in enumerate(places + [item.matrix_world.translation for item in others]):
            heads[row, k] = x, z, -y
    names = [bone.name for _, bone in bones] + [item.name for item in others]
    return names, frames, heads, scene.render.fps / scene.render.fps_base


def main(out: str, most: str, *files: str) -> None:
    found: dict[str, object] = {"version": bpy.app.version_string}
    for n, given in enumerate(files):
        fps, _, path = given.partition(":")
        if path.endswith(".bvh"):
            names, frames, heads, fps = bone_heads(path, int(most))
        else:
            names, frames, heads, fps = scene_heads(path, float(fps), SCENE_TIMES)
        found |= {f"names_{n}": names, f"frames_{n}": frames, f"heads_{n}": heads, f"fps_{n}": fps}
    np.savez(out, **found)


if __name__ == "__main__":
    main(*sys.argv[1:])
