"""BVH motion files: reading and writing."""

from core.formats.bvh.reader import load_bvh
from core.formats.bvh.writer import save_bvh

__all__ = ["load_bvh", "save_bvh"]
