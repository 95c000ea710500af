"""What stands in an ``.armature`` file: JSON, in metres, y up, right-handed, as glTF has it.

    format      "sequence-editor-armature"
    version     1
    program     what wrote it
    armature    name
    motion      name; "" without one
    fps         frames a second
    first       number of the first frame, in the program that wrote it
    bones       a list, every one after its parent: name, parent (its place in the list, -1 for none),
                rest (place x y z and unit quaternion w x y z, in the world),
                tail (where it ends, in its own frame)
    frames      for each frame the places and quaternions of all bones in the world, seven numbers a bone in one list
    meshes      a list, may be missing: name, color (red green blue in 0..1, or missing), points (x y z ...),
                triangles (numbers of points, three each), bones (four a point), weights (four a point);
                at rest, in the world

Places and turns are in the world, not in the parent's frame, so that neither side needs to know what rests, rolls and
inherited turns mean to the other. ``resources/blender`` has the other end, which knows nothing of this one.
"""

from __future__ import annotations

from core.formats.files import MEGABYTE

SUFFIX = ".armature"
FORMAT, VERSION = "sequence-editor-armature", 1
BONE = 7
"""Numbers that say where a bone is: its place and its quaternion."""
INFLUENCES = 4
"""Bones that a vertex follows."""
LARGEST = 256 * MEGABYTE
FARTHEST = 1e6
"""No place is farther off, [m]."""
