"""Ground that is not level: heights and normals anywhere, from a height field or the triangles of a mesh."""

from core.terrain.ground import LEVEL, Ground, LevelGround
from core.terrain.made import hills, stairs
from core.terrain.triangles import Terrain, height_field, read_terrain

__all__ = ["LEVEL", "Ground", "LevelGround", "Terrain", "height_field", "hills", "read_terrain", "stairs"]
