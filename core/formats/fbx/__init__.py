"""FBX scenes, by way of glTF and Blender: the format is closed, and Blender knows it best of what is free."""

from core.formats.fbx.through_blender import find_blender, load_fbx, save_fbx

__all__ = ["find_blender", "load_fbx", "save_fbx"]
