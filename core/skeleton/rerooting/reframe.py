"""The same segment expressed in another frame: objects, centre, inertia and tips stay where they are in the world.

A frame ``A`` is given as the new frame in the old one, shape (4, 4): a point ``p`` of the segment becomes ``A^-1 p``.
Polygons that change get a file name of their own, so that no other part that uses the old file changes with them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import PurePosixPath

import numpy as np

from core.arrays import Array
from core.skeleton.joint import Joint, SegmentObject
from core.skeleton.mesh import Mesh
from core.skeleton.mirroring.mirror import reflect_mesh

_LONGEST = 60
_DIGITS = 15
_NUMBERED = re.compile(r"-\d+$")


def file_mesh(part: SegmentObject) -> Mesh | None:
    """Return an object's polygons as its file has them: not mirrored."""
    return reflect_mesh(part.mesh) if part.mesh is not None and part.mirrored else part.mesh


def file_stem(title: str, otherwise: str) -> str:
    """Return a title such as a joint's name as part of a file name; ``otherwise`` if nothing of it can stand there."""
    return re.sub(r"[^\w.-]+", "_", title).strip("._-")[:_LONGEST] or otherwise


class ObjectFiles:
    """File names of a figure's objects, to give new ones to objects that change.

    Args:
        joints: All joints of the figure.
    """

    def __init__(self, joints: Iterable[Joint]):
        self._uses = Counter(part.file for joint in joints for part in joint.objects)
        self._taken = {file.casefold() for file in self._uses}

    def changed(self, part: SegmentObject, title: str = "") -> str:
        """Return the file name of an object whose polygons change: its own where nothing else is kept under it.

        Args:
            part: The object as it was.
            title: What the file is for, such as the joint's name; by default as before, with a number.
        """
        if part.origin is None and self._uses[part.file] == 1 and not part.mirrored:
            return part.file
        path = PurePosixPath(part.file)
        stem = file_stem(title, _NUMBERED.sub("", path.stem))
        return self.fresh(str(path.with_name(f"{stem}.pol")))

    def fresh(self, file: str) -> str:
        """Return ``file``, with a number if there is such a one already, and take note of it."""
        path, number = PurePosixPath(file), 1
        stem = _NUMBERED.sub("", path.stem) or path.stem
        while file.casefold() in self._taken:
            number += 1
            file = str(path.with_name(f"{stem}-{number}{path.suffix}"))
        self._taken.add(file.casefold())
        return file


def frame_inverse(frame: Array) -> Array:
    """Return the inverse of a rigid frame, shape (4, 4)."""
    inverse = np.eye(4)
    inverse[:3, :3] = frame[:3, :3].T
    inverse[:3, 3] = -frame[:3, :3].T @ frame[:3, 3]
    return inverse


def moved_points(points: Array, frame: Array) -> Array:
    """Return points, shape (..., 3), in a new frame that is given in their old one."""
    return tidied((points - frame[:3, 3]) @ frame[:3, :3])


def tidied(lengths: Array) -> Array:
    """Return lengths, [m], without what rounding left behind, so that 0.95 is written as such and -0.0 as 0."""
    return np.asarray(np.round(lengths, _DIGITS)) + 0.0


def reframed_object(
    part: SegmentObject, frame: Array, files: ObjectFiles, title: str, counterparts: Mapping[str, str]
) -> SegmentObject:
    """Return an object in a new frame; one that is not there stays as it is.

    Args:
        part: The object.
        frame: The new frame in the old one.
        files: Gives the file name.
        title: What the file is for.
        counterparts: Name of each joint's counterpart: the object is not mirrored any more, so its weights must name
            the joints themselves.
    """
    mesh = part.mesh
    if mesh is None:
        return part
    weights = mesh.weights
    if part.mirrored:
        weights = tuple((counterparts.get(name, name), values) for name, values in weights)
    file = files.changed(part, title)
    return SegmentObject(file, Mesh(moved_points(mesh.vertices, frame), mesh.triangles, mesh.polygons, weights))


def reframed(joint: Joint, frame: Array, files: ObjectFiles, counterparts: Mapping[str, str]) -> Joint:
    """Return a joint whose segment is expressed in a new frame; offset, orientation and motion are left to the caller.

    Args:
        joint: The joint.
        frame: The new frame in the old one, rigid, shape (4, 4).
        files: Gives names to objects that change.
        counterparts: Name of each joint's counterpart.
    """
    if np.array_equal(frame, np.eye(4)):
        return joint
    turn = frame[:3, :3]
    return replace(
        joint,
        objects=tuple(reframed_object(part, frame, files, joint.name, counterparts) for part in joint.objects),
        tips=tuple(moved_points(tip, frame) for tip in joint.tips),
        pivot=None if joint.pivot is None else moved_points(joint.pivot, frame),
        center=None if joint.center is None else moved_points(joint.center, frame),
        inertia=None if joint.inertia is None else turned_inertia(joint.inertia, turn),
    )


def turned_inertia(inertia: Array, turn: Array) -> Array:
    """Return an inertia in the axes of a new frame, ``R^T I R``, symmetric to the last bit."""
    turned = turn.T @ inertia @ turn
    return np.asarray(0.5 * (turned + turned.T)) + 0.0
