"""Runs in Blender's own Python: where the bones of BVH files are, by Blender's importer. Knows nothing of the project.

    python places.py OUT.npz MOST FILE.bvh...

Writes for the n-th file ``names_n``, ``frames_n`` (numbers of the file's frames, from 0), ``heads_n`` of shape
(frames, bones, 3) in the axes and the unit of the file, and ``fps_n``. At most ``MOST`` frames of each, evenly.
"""

from __future__ import annotations

import contextlib
import io
import sys

import bpy
import numpy as np


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


def main(out: str, most: str, *files: str) -> None:
    found: dict[str, object] = {"version": bpy.app.version_string}
    for n, path in enumerate(files):
        names, frames, heads, fps = bone_heads(path, int(most))
        found |= {f"names_{n}": names, f"frames_{n}": frames, f"heads_{n}": heads, f"fps_{n}": fps}
    np.savez(out, **found)


if __name__ == "__main__":
    main(*sys.argv[1:])
