"""Runs in Blender's own Python: turns glTF into FBX and back. Knows nothing of the project.

python in_blender.py to-fbx|to-gltf SOURCE TARGET FPS
"""

from __future__ import annotations

import sys


def main(way: str, source: str, target: str, fps: str) -> None:
    """Read one file into an empty scene and write the other."""
    import bpy

    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene, rate = bpy.context.scene, float(fps)
    if way == "to-fbx":
        scene.render.fps, scene.render.fps_base = max(round(rate), 1), max(round(rate), 1) / rate
        bpy.ops.import_scene.gltf(filepath=source, disable_bone_shape=True)
        ends = [action.frame_range[k] for action in bpy.data.actions for k in (0, 1)] or [0.0, 1.0]
        scene.frame_start, scene.frame_end = round(min(ends)), max(round(max(ends)), round(min(ends)) + 1)
        bpy.ops.export_scene.fbx(
            filepath=target, add_leaf_bones=False, bake_anim=True, bake_anim_simplify_factor=0.0,
            bake_anim_use_nla_strips=False, bake_anim_use_all_actions=True, path_mode="STRIP",
        )  # fmt: skip
    else:
        bpy.ops.import_scene.fbx(filepath=source, use_image_search=False, anim_offset=0.0)
        known = {item.name for item in bpy.data.objects}
        for action in bpy.data.actions:  # "FIGURE|FIGURE|MOTION|LAYER", or some of these
            parts = [part for part in action.name.split("|") if part not in known]
            action.name = parts[0] if parts else action.name
        bpy.ops.export_scene.gltf(
            filepath=target, export_format="GLB", export_animations=True, export_force_sampling=True,
            export_optimize_animation_size=False, export_cameras=True, export_image_format="NONE",
            export_frame_range=False,
        )  # fmt: skip


if __name__ == "__main__":
    words = sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else sys.argv[1:]
    main(*words)
