"""Binary glTF, .glb: a look at its scene before trimesh reads it.

What a description can ask for is bounded: a file of a few hundred bytes may announce billions of vertices, or repeat
one mesh thousands of times.
"""

from __future__ import annotations

import json
import math
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.errors import FormatError, Problem
from core.skeleton.foreign.through_trimesh import Triangles, read_triangles
from core.spatial.quaternion import to_matrix

Json = dict[str, Any]

MAGIC, _JSON, _BINARY = 0x46546C67, 0x4E4F534A, 0x004E4942
_LONGEST = 8 << 20  # [bytes] of the description
_POINTS, _TRIANGLES, _STRIP = 3, 4, 5  # modes up to the first are points and lines
_KINDS = {5121: "<u1", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_PLACES = "places"
_MOST_NODES = 100_000
_SPARE_CORNERS = 300_000  # that any file may have, with meshes that stand in several places,
_CORNERS_A_BYTE = 1.0  # and how many on top
# Required extensions that do not change where vertices are.
_HARMLESS = ("KHR_materials_", "KHR_texture_", "KHR_lights_", "EXT_texture_", "KHR_node_visibility", "KHR_xmp")


class WrongError(Exception):
    """Something in a file that makes no sense; who reads it reports it with the file's name."""


def _whole(record: Json, name: str, default: int | None = None, most: int = 2**53) -> int:
    value = record.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise WrongError(f'its "{name}" is not a whole number from 0')
    return value


def _records(document: Json, name: str) -> list[Json]:
    found = document.get(name, [])
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise WrongError(f'its "{name}" are not a list of objects')
    return found


def _numbers(record: Json, name: str, count: int, default: tuple[float, ...]) -> Array:
    values = record.get(name, default)
    if not isinstance(values, (list, tuple)) or len(values) != count:
        raise WrongError(f'the "{name}" of a node is not {count} numbers')
    if not all(isinstance(v, (int, float)) and not isinstance(v, bool) and abs(v) < 1e30 for v in values):
        raise WrongError(f'the "{name}" of a node holds a value that is not a finite number')
    return np.array(values, dtype=np.float64)


def chunks(data: bytes, longest: int = _LONGEST) -> tuple[Json, memoryview]:
    """Return the description of a .glb file and its binary data.

    Args:
        data: The whole file.
        longest: How many bytes the description may have.

    Raises:
        WrongError: If it is none, or is cut off.
    """
    if len(data) < 20 or struct.unpack_from("<I", data)[0] != MAGIC:
        raise WrongError("it does not begin as a .glb file does")
    version, length, size, kind = struct.unpack_from("<IIII", data, 4)
    if version != 2:
        raise WrongError(f"it is of version {version}; only glTF 2 is read")
    if kind != _JSON or length > len(data) or 20 + size > len(data):
        raise WrongError("it is cut off, or its parts are in disorder")
    if size > longest:
        raise WrongError(f"its description is larger than {longest >> 20} MB")
    try:
        document = json.loads(data[20 : 20 + size].decode("utf-8"))
    except (ValueError, RecursionError):
        raise WrongError("its description is not sound JSON") from None
    if not isinstance(document, dict):
        raise WrongError("its description is not an object")
    binary = memoryview(b"")
    at = 20 + size
    if at + 8 <= len(data):
        size, kind = struct.unpack_from("<II", data, at)
        if kind == _BINARY:
            binary = memoryview(data)[at + 8 : at + 8 + size]
            if len(binary) < size:
                raise WrongError("it is cut off: the data end too soon")
    return document, binary


class _Scene:
    """Checks what the triangles of the scene are made of.

    Args:
        document: The description.
        binary: The data.
        most_corners: How many vertices and corners there may be in all.
    """

    def __init__(self, document: Json, binary: memoryview, most_corners: float):
        self.document, self.binary = document, binary
        self.views, self.accessors = _records(document, "bufferViews"), _records(document, "accessors")
        self.meshes, self.nodes = _records(document, "meshes"), _records(document, "nodes")
        self.corners_left = most_corners

    def values(self, number: object, what: str) -> NDArray[Any]:
        """Return the values of an accessor, shape (count, 3) for places, else (count,); a view of the data."""
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < len(self.accessors):
            raise WrongError(f"{what} that is not there")
        record = self.accessors[number]
        count, code = _whole(record, "count"), _whole(record, "componentType", 0)
        if "sparse" in record:
            raise WrongError(f"{what} given as differences (sparse), which are not read")
        if "bufferView" not in record:
            raise WrongError(f"{what} without data")
        is_place = what == _PLACES
        if record.get("type") != ("VEC3" if is_place else "SCALAR"):
            raise WrongError(f"{what} of another type than they must have")
        kind = _KINDS.get(code)
        if kind is None or (kind == "<f4") != is_place:
            raise WrongError(f"{what} packed in a way that is not read (component type {code})")
        number = _whole(record, "bufferView")
        if number >= len(self.views):
            raise WrongError(f"{what} in data that are not there")
        view = self.views[number]
        start, length = _whole(view, "byteOffset", 0), _whole(view, "byteLength")
        if _whole(view, "buffer") != 0 or start + length > len(self.binary):
            raise WrongError("its data lie outside of the file")
        size = np.dtype(kind).itemsize
        row = size * (3 if is_place else 1)
        stride, offset = _whole(view, "byteStride", 0) or row, _whole(record, "byteOffset", 0)
        if count and offset + (count - 1) * stride + row > length:
            raise WrongError(f"{count} {what}, more than its data hold")
        shape, strides = ((count, 3), (stride, size)) if is_place else ((count,), (stride,))
        if not count:
            return np.zeros(shape, kind)
        return np.ndarray(shape, kind, self.binary, start + offset, strides)

    def corners(self, number: int) -> int:
        """Return how many vertices and corners a mesh has, after checking its triangles."""
        found = 0
        for part in _records(self.meshes[number], "primitives"):
            mode = _whole(part, "mode", _TRIANGLES)
            attributes = part.get("attributes")
            if mode <= _POINTS or not isinstance(attributes, dict) or "POSITION" not in attributes:
                continue
            if mode not in (_TRIANGLES, _STRIP):
                raise WrongError("it has triangle fans, which are not read")
            places = self.values(attributes["POSITION"], _PLACES)
            found += len(places)
            if part.get("indices") is None:
                corners, most = len(places), len(places) - 1
            else:
                values = self.values(part["indices"], "corners")
                corners, most = len(values), int(values.max(initial=0))
            if most >= len(places) and corners:
                raise WrongError("it has corners at vertices that are not there")
            if mode == _TRIANGLES and corners % 3:
                raise WrongError(f"{corners} corners do not make whole triangles")
            found += corners
        return found

    def placed(self) -> list[int]:
        """Return the meshes that the nodes of the scene show, one as often as it is shown."""
        scenes = _records(self.document, "scenes")
        if len(self.nodes) > _MOST_NODES:
            raise WrongError(f"it has {len(self.nodes)} nodes; {_MOST_NODES} are the most")
        if scenes:
            scene = _whole(self.document, "scene", 0)
            if scene >= len(scenes):
                raise WrongError("its scene is not there")
            roots = scenes[scene].get("nodes", [])
        else:
            children = {child for node in self.nodes for child in self._children(node)}
            roots = [k for k in range(len(self.nodes)) if k not in children]
        if not self.nodes and self.meshes:
            return list(range(len(self.meshes)))
        if not isinstance(roots, list):
            raise WrongError("the nodes of its scene are not a list")
        found: list[int] = []
        seen: set[int] = set()
        waiting: list[tuple[Any, Array]] = [(root, np.eye(4)) for root in reversed(roots)]
        while waiting:
            number, above = waiting.pop()
            if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < len(self.nodes):
                raise WrongError("it names a node that is not there")
            if number in seen:
                raise WrongError(f"node {number} hangs in two places, or in itself")
            seen.add(number)
            node = self.nodes[number]
            world = above @ _local(node)
            if not (np.abs(world) < 1e30).all():
                raise WrongError(f"node {number} stands or is scaled beyond all bounds")
            if not np.array_equal(world[3], (0.0, 0.0, 0.0, 1.0)):
                raise WrongError(f"the matrix of node {number} is not a placement in space")
            if "mesh" in node:
                mesh = _whole(node, "mesh")
                if mesh >= len(self.meshes):
                    raise WrongError(f"node {number} names a mesh that is not there")
                found.append(mesh)
            waiting += [(child, world) for child in reversed(self._children(node))]
        return found

    @staticmethod
    def _children(node: Json) -> list[Any]:
        children = node.get("children", [])
        if not isinstance(children, list) or not all(isinstance(child, int) for child in children):
            raise WrongError("the children of a node are not a list of numbers")
        return children

    def check(self) -> None:
        """Go over what the scene shows."""
        sizes: dict[int, int] = {}
        for number in self.placed():
            if number not in sizes:
                sizes[number] = self.corners(number)
            self.corners_left -= sizes[number]
            if self.corners_left < 0:
                raise WrongError(
                    "it shows its meshes so often that there would be far more triangles than the file holds"
                )


def _local(node: Json) -> Array:
    """Return the transform of a node in its parent, (4, 4)."""
    if "matrix" in node:
        return _numbers(node, "matrix", 16, ()).reshape(4, 4).T
    local = np.eye(4)
    x, y, z, w = _numbers(node, "rotation", 4, (0.0, 0.0, 0.0, 1.0))
    length = math.sqrt(x * x + y * y + z * z + w * w)
    if not 0.5 < length < 2.0:
        raise WrongError('the "rotation" of a node is not a unit quaternion')
    local[:3, :3] = to_matrix(np.array([w, x, y, z]) / length) * _numbers(node, "scale", 3, (1.0, 1.0, 1.0))
    local[:3, 3] = _numbers(node, "translation", 3, (0.0, 0.0, 0.0))
    return local


def read_glb(data: bytes, file: str) -> Triangles:
    """Return the triangles of a .glb file, after checking that trimesh can take its scene as it is.

    Args:
        data: The whole file.
        file: Its name, for messages.

    Raises:
        FormatError: If it is not sound, needs an extension that changes its shape, holds what trimesh reads wrongly
            (sparse data, triangle fans), or names another file.
    """
    try:
        document, binary = chunks(data)
        required = document.get("extensionsRequired", [])
        for name in required if isinstance(required, list) else ():
            if not (isinstance(name, str) and name.startswith(_HARMLESS)):
                shown = str(name)[:60]
                raise WrongError(f'it needs the extension "{shown}", which is not read')
        buffers = _records(document, "buffers")
        if buffers and buffers[0].get("uri") is not None:
            raise WrongError("its data lie in another file")
        with np.errstate(all="ignore"):
            _Scene(document, binary, _SPARE_CORNERS + _CORNERS_A_BYTE * len(data)).check()
    except WrongError as wrong:
        message = f"is not a sound .glb file ({_plain(str(wrong))}); expected one that holds triangles"
        raise FormatError(Problem(file, 0, 0, message)) from None
    return read_triangles(data, "glb", file)


def _plain(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in text)
