"""Armatures and their motion, ``.armature``: what goes between this program and its add-on for Blender."""

from core.formats.armature.reader import load_armature
from core.formats.armature.writer import save_armature

__all__ = ["load_armature", "save_armature"]
