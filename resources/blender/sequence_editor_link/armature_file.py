"""The file that goes between Blender and Sequence Editor; needs no Blender.

JSON in metres, y up, right-handed. All places and turns are in the world: seven numbers a bone, its place x y z and its
quaternion w x y z. The editor's ``core/formats/armature/layout.py`` lists the members.
"""

from __future__ import annotations

import json
import math
import os
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FORMAT, VERSION = "sequence-editor-armature", 1
BONE = 7
LARGEST = 256 * 1024 * 1024
_DIGITS = 9


class LinkError(Exception):
    """A file that cannot be read or written; its text is one line for a person."""


@dataclass
class Bone:
    """A bone.

    Attributes:
        name: Its name.
        parent: Its parent's place in the list, -1 for none.
        rest: Place and quaternion at rest.
        tail: Where it ends, in its own frame.
    """

    name: str
    parent: int
    rest: Sequence[float]
    tail: Sequence[float] = (0.0, 0.1, 0.0)


@dataclass
class Mesh:
    """A mesh of one colour that follows the bones, at rest; flat lists of numbers.

    Attributes:
        name: Its name.
        points: Three a point.
        triangles: Three numbers of points each.
        bones: Four a point: which bones it follows.
        weights: Four a point: how much.
        color: Red, green and blue in 0..1 as a screen has them, or None.
    """

    name: str
    points: list[float]
    triangles: list[int]
    bones: list[int]
    weights: list[float]
    color: Sequence[float] | None = None


@dataclass
class Armature:
    """What a file holds.

    Attributes:
        name: Of the armature.
        motion: Of the motion.
        fps: Frames a second.
        first: Number of the first frame, in the program that wrote it.
        bones: Every one after its parent.
        frames: For each frame seven numbers a bone, in one list.
        meshes: What follows the bones.
        program: What wrote it.
    """

    name: str
    motion: str
    fps: float
    first: int
    bones: list[Bone]
    frames: list[Sequence[float]]
    meshes: list[Mesh] = field(default_factory=list)
    program: str = "Blender"


def write(armature: Armature, path: Path) -> None:
    """Write a file; what was there is replaced only once the new one is whole.

    Raises:
        LinkError: If it cannot be written.
    """
    head: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "program": armature.program,
        "armature": armature.name,
        "motion": armature.motion,
        "fps": float(armature.fps),
        "first": int(armature.first),
        "bones": [
            {"name": bone.name, "parent": bone.parent, "rest": _rounded(bone.rest), "tail": _rounded(bone.tail)}
            for bone in armature.bones
        ],
        "meshes": [_mesh(mesh) for mesh in armature.meshes],
    }
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}.part")
    try:
        text = json.dumps(head, ensure_ascii=False, allow_nan=False)
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with open(temporary, "x", encoding="utf-8") as stream:
                stream.write(text[:-1] + ',\n"frames": [')
                for number, row in enumerate(armature.frames):
                    stream.write((",\n" if number else "\n") + json.dumps(_rounded(row), allow_nan=False))
                stream.write("\n]}\n")
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else "") or str(error)
        raise LinkError(f"{path.name} cannot be written: {reason}") from None


def _rounded(values: Iterable[float]) -> list[float]:
    return [round(float(value), _DIGITS) for value in values]


def _mesh(mesh: Mesh) -> dict[str, Any]:
    made: dict[str, Any] = {"name": mesh.name, "points": _rounded(mesh.points), "triangles": mesh.triangles}
    made |= {"bones": mesh.bones, "weights": _rounded(mesh.weights)}
    if mesh.color is not None:
        made["color"] = _rounded(mesh.color)
    return made


def read(path: Path) -> Armature:
    """Read a file; meshes are left out.

    Raises:
        LinkError: If it cannot be read, or makes no sense; its text says where.
    """
    try:
        if path.stat().st_size > LARGEST:
            raise LinkError(f"{path.name} is too large")
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise LinkError(f"{path.name} cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError):
        raise LinkError(f"{path.name} is not an armature file, or is incomplete") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise LinkError(f"{path.name} is not an armature file")
    if data.get("version") != VERSION:
        mended = "save the add-on again and reinstall it"
        raise LinkError(f"{path.name} has version {data.get('version')}, this add-on reads {VERSION}; {mended}")

    def wrong(place: str) -> LinkError:
        return LinkError(f"{path.name}: {place} makes no sense")

    bones, names = [], set()
    for k, record in enumerate(data.get("bones") or ()):
        if not isinstance(record, dict):
            raise wrong(f"bones[{k}]")
        name, parent = record.get("name"), record.get("parent")
        tail = record.get("tail", [0.0, 0.1, 0.0])
        known = isinstance(name, str) and name and name not in names
        if not known or type(parent) is not int or not -1 <= parent < k:
            raise wrong(f"bones[{k}]")
        if not _numbers(record.get("rest"), BONE) or not _numbers(tail, 3):
            raise wrong(f"bones[{k}]")
        names.add(name)
        bones.append(Bone(name, parent, record["rest"], tail))
    rows, fps, first = data.get("frames"), data.get("fps"), data.get("first", 0)
    if not bones or not isinstance(rows, list):
        raise wrong("bones" if not bones else "frames")
    for k, row in enumerate(rows):
        if not _numbers(row, BONE * len(bones)):
            raise wrong(f"frames[{k}]")
    if not _numbers([fps], 1) or not 0.01 <= fps <= 1e5 or type(first) is not int:
        raise wrong("fps" if type(first) is int else "first")
    name, motion, program = (data.get(member) for member in ("armature", "motion", "program"))
    told = [value if isinstance(value, str) else "" for value in (name, motion, program)]
    return Armature(told[0] or "Armature", told[1] or "Motion", float(fps), first, bones, rows, [], told[2])


def _numbers(values: object, count: int) -> bool:
    return (
        isinstance(values, list)
        and len(values) == count
        and all(type(value) in (int, float) and math.isfinite(value) for value in values)
    )
