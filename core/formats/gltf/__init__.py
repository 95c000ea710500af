"""glTF 2.0 scenes, ``.glb`` and ``.gltf``: reading and writing."""

from core.formats.gltf.reader import load_gltf
from core.formats.gltf.writer import save_gltf

__all__ = ["load_gltf", "save_gltf"]
