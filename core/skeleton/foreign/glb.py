"""Binary glTF, .glb: checked and stripped down to its triangles here, decoded by trimesh.

What a description can ask for is bounded before anything is decoded: a file of a few hundred bytes may announce
billions of vertices, or repeat one mesh thousands of times.
"""

from __future__ import annotations

import json
import math
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import FormatError, Problem
from core.skeleton.foreign.assemble import Polygons
from core.skeleton.foreign.through_trimesh import loaded
from core.spatial.quaternion import to_matrix

Array = NDArray[np.float64]
Json = dict[str, Any]

_MAGIC, _JSON, _BINARY = 0x46546C67, 0x4E4F534A, 0x004E4942
_LONGEST = 8 << 20  # [bytes] of the description
_POINTS, _TRIANGLES, _STRIP = 3, 4, 5  # modes up to the first are points and lines
_SIZES = {5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4}
_INDEX_TYPES, _FLOAT = (5121, 5123, 5125), 5126
_MOST_NODES = 100_000
_SPARE_CORNERS = 300_000  # that any file may have, with meshes that stand in several places,
_CORNERS_A_BYTE = 1.0  # and how many on top
# Required extensions that do not change where vertices are.
_HARMLESS = ("KHR_materials_", "KHR_texture_", "KHR_lights_", "EXT_texture_", "KHR_node_visibility", "KHR_xmp")


class _Wrong(Exception):  # noqa: N818 - it never leaves this module
    """Something in the description that makes no sense; told with the file's name."""


def _whole(record: Json, name: str, default: int | None = None, most: int = 2**53) -> int:
    value = record.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise _Wrong(f'its "{name}" is not a whole number from 0')
    return value


def _records(document: Json, name: str) -> list[Json]:
    found = document.get(name, [])
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise _Wrong(f'its "{name}" are not a list of objects')
    return found


def _numbers(record: Json, name: str, count: int, default: tuple[float, ...]) -> Array:
    values = record.get(name, default)
    if not isinstance(values, (list, tuple)) or len(values) != count:
        raise _Wrong(f'the "{name}" of a node is not {count} numbers')
    if not all(isinstance(v, (int, float)) and not isinstance(v, bool) and abs(v) < 1e30 for v in values):
        raise _Wrong(f'the "{name}" of a node holds a value that is no finite number')
    return np.array(values, dtype=np.float64)


def _chunks(data: bytes) -> tuple[Json, bytes]:
    """Return the description and the binary data."""
    if len(data) < 20 or struct.unpack_from("<I", data)[0] != _MAGIC:
        raise _Wrong("it does not begin as a .glb file does")
    version, length, size, kind = struct.unpack_from("<IIII", data, 4)
    if version != 2:
        raise _Wrong(f"it is of version {version}; only glTF 2 is read")
    if kind != _JSON or length > len(data) or 20 + size > len(data):
        raise _Wrong("it is cut off, or its parts are in disorder")
    if size > _LONGEST:
        raise _Wrong(f"its description is larger than {_LONGEST >> 20} MB")
    try:
        document = json.loads(data[20 : 20 + size].decode("utf-8"))
    except (ValueError, RecursionError):
        raise _Wrong("its description is not sound JSON") from None
    if not isinstance(document, dict):
        raise _Wrong("its description is not an object")
    binary = b""
    at = 20 + size
    if at + 8 <= len(data):
        size, kind = struct.unpack_from("<II", data, at)
        if kind == _BINARY:
            binary = data[at + 8 : at + 8 + size]
            if len(binary) < size:
                raise _Wrong("it is cut off: the data end too soon")
    return document, binary


class _Stripped:
    """Takes over from a description what bounds the triangles, and checks it."""

    def __init__(self, document: Json, binary: bytes, most_corners: float):
        self.document, self.binary = document, binary
        self.views, self.accessors = _records(document, "bufferViews"), _records(document, "accessors")
        self.meshes, self.nodes = _records(document, "meshes"), _records(document, "nodes")
        self.corners_left = most_corners
        self.kept: dict[int, int] = {}  # old accessor number to new

    def accessor(self, number: object, what: str) -> int:
        """Return the new number of an accessor after checking it."""
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < len(self.accessors):
            raise _Wrong(f"{what} that is not there")
        record = self.accessors[number]
        count, kind = _whole(record, "count"), _whole(record, "componentType", 0)
        if "sparse" in record:
            raise _Wrong(f"{what} given as differences (sparse), which are not read")
        if "bufferView" not in record:
            raise _Wrong(f"{what} without data")
        is_place = what == "places"
        if record.get("type") != ("VEC3" if is_place else "SCALAR"):
            raise _Wrong(f"{what} of another type than they must have")
        if kind != _FLOAT if is_place else kind not in _INDEX_TYPES:
            raise _Wrong(f"{what} packed in a way that is not read (component type {kind})")
        row = _SIZES[kind] * (3 if is_place else 1)
        view_number = _whole(record, "bufferView")
        if view_number >= len(self.views):
            raise _Wrong(f"{what} in data that are not there")
        view = self.views[view_number]
        start, length = _whole(view, "byteOffset", 0), _whole(view, "byteLength")
        if _whole(view, "buffer") != 0 or start + length > len(self.binary):
            raise _Wrong("its data lie outside of the file")
        stride = _whole(view, "byteStride", row) or row
        if count and _whole(record, "byteOffset", 0) + (count - 1) * stride + row > length:
            raise _Wrong(f"{count} {what}, more than its data hold")
        return self.kept.setdefault(number, len(self.kept))

    def mesh(self, number: int) -> tuple[Json | None, int]:
        """Return a mesh with nothing but its triangles, None if it has none, and how many corners they have."""
        parts, corners = [], 0
        for part in _records(self.meshes[number], "primitives"):
            mode = _whole(part, "mode", _TRIANGLES)
            attributes = part.get("attributes")
            if mode <= _POINTS or not isinstance(attributes, dict) or "POSITION" not in attributes:
                continue
            if mode not in (_TRIANGLES, _STRIP):
                raise _Wrong("it has triangle fans, which are not read")
            count_of = attributes["POSITION"]
            stripped: Json = {"attributes": {"POSITION": self.accessor(count_of, "places")}, "mode": mode}
            if part.get("indices") is not None:
                count_of = part["indices"]
                stripped["indices"] = self.accessor(count_of, "corners")
            corners += _whole(self.accessors[count_of], "count") * (3 if mode == _STRIP else 1)
            corners += _whole(self.accessors[attributes["POSITION"]], "count")
            parts.append(stripped)
        return ({"primitives": parts} if parts else None), corners

    def placed(self) -> list[tuple[Array, int]]:
        """Return each mesh of the scene with its world transform, (4, 4)."""
        scenes = _records(self.document, "scenes")
        if len(self.nodes) > _MOST_NODES:
            raise _Wrong(f"it has {len(self.nodes)} nodes; {_MOST_NODES} are the most")
        if scenes:
            scene = _whole(self.document, "scene", 0)
            if scene >= len(scenes):
                raise _Wrong("its scene is not there")
            roots = scenes[scene].get("nodes", [])
        else:
            children = {child for node in self.nodes for child in self._children(node)}
            roots = [k for k in range(len(self.nodes)) if k not in children]
        if not self.nodes and self.meshes:
            return [(np.eye(4), k) for k in range(len(self.meshes))]
        if not isinstance(roots, list):
            raise _Wrong("the nodes of its scene are not a list")
        found: list[tuple[Array, int]] = []
        seen: set[int] = set()
        waiting: list[tuple[Any, Array]] = [(root, np.eye(4)) for root in reversed(roots)]
        while waiting:
            number, above = waiting.pop()
            if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < len(self.nodes):
                raise _Wrong("it names a node that is not there")
            if number in seen:
                raise _Wrong(f"node {number} hangs in two places, or in itself")
            seen.add(number)
            node = self.nodes[number]
            world = above @ _local(node)
            if not (np.abs(world) < 1e30).all():
                raise _Wrong(f"node {number} stands or is scaled beyond all bounds")
            if not np.array_equal(world[3], (0.0, 0.0, 0.0, 1.0)):
                raise _Wrong(f"the matrix of node {number} is no placing in space")
            if "mesh" in node:
                mesh = _whole(node, "mesh")
                if mesh >= len(self.meshes):
                    raise _Wrong(f"node {number} names a mesh that is not there")
                found.append((world, mesh))
            waiting += [(child, world) for child in reversed(self._children(node))]
        return found

    @staticmethod
    def _children(node: Json) -> list[Any]:
        children = node.get("children", [])
        if not isinstance(children, list) or not all(isinstance(child, int) for child in children):
            raise _Wrong("the children of a node are not a list of numbers")
        return children

    def _data(self) -> Json:
        """Return the accessors that are used, and their views."""
        views: dict[int, int] = {}
        accessors = []
        for number in self.kept:
            record = self.accessors[number]
            taken = {k: record[k] for k in ("byteOffset", "componentType", "count", "type") if k in record}
            accessors.append({**taken, "bufferView": views.setdefault(record["bufferView"], len(views))})
        known = ("byteOffset", "byteLength", "byteStride")
        places: list[Json] = []
        for view in views:
            place: Json = {"buffer": 0, "byteLength": 0}
            place.update({name: self.views[view][name] for name in known if self.views[view].get(name)})
            places.append(place)
        return {"accessors": accessors, "bufferViews": places}

    def result(self) -> bytes:
        """Return a .glb file with the triangles alone: its nodes have no children, their transforms are the world's."""
        meshes: list[Json] = []
        numbers: dict[int, int | None] = {}
        sizes: dict[int, int] = {}
        nodes: list[Json] = []
        for world, old in self.placed():
            if old not in numbers:
                stripped, sizes[old] = self.mesh(old)
                numbers[old] = len(meshes) if stripped is not None else None
                if stripped is not None:
                    meshes.append(stripped)
            self.corners_left -= sizes[old]
            if self.corners_left < 0:
                raise _Wrong("it shows its meshes so often that there would be far more triangles than the file holds")
            if numbers[old] is not None:
                nodes.append({"mesh": numbers[old], "matrix": world.T.reshape(-1).tolist()})
        document: Json = {
            "asset": {"version": "2.0"},
            "scene": 0,
            "scenes": [{"nodes": list(range(len(nodes)))}],
            "nodes": nodes,
            "meshes": meshes,
            "buffers": [{"byteLength": len(self.binary)}],
        }
        document.update(self._data())
        text = json.dumps(document).encode()
        text += b" " * (-len(text) % 4)
        binary = self.binary + b"\0" * (-len(self.binary) % 4)
        length = 12 + 8 + len(text) + 8 + len(binary)
        parts = (struct.pack("<III", _MAGIC, 2, length), struct.pack("<II", len(text), _JSON), text)
        return b"".join((*parts, struct.pack("<II", len(binary), _BINARY), binary))


def _local(node: Json) -> Array:
    """Return the transform of a node in its parent, (4, 4)."""
    if "matrix" in node:
        return _numbers(node, "matrix", 16, ()).reshape(4, 4).T
    local = np.eye(4)
    x, y, z, w = _numbers(node, "rotation", 4, (0.0, 0.0, 0.0, 1.0))
    length = math.sqrt(x * x + y * y + z * z + w * w)
    if not 0.5 < length < 2.0:
        raise _Wrong('the "rotation" of a node is no unit quaternion')
    local[:3, :3] = to_matrix(np.array([w, x, y, z]) / length) * _numbers(node, "scale", 3, (1.0, 1.0, 1.0))
    local[:3, 3] = _numbers(node, "translation", 3, (0.0, 0.0, 0.0))
    return local


def read_glb(data: bytes, file: str) -> Polygons:
    """Return the triangles of all meshes of a .glb file's scene, where its nodes place them, unbent and unposed.

    Args:
        data: The whole file.
        file: Its name, for messages.

    Raises:
        FormatError: If it is not sound, needs an extension that changes its shape, or names another file.
    """
    try:
        document, binary = _chunks(data)
        required = document.get("extensionsRequired", [])
        for name in required if isinstance(required, list) else ():
            if not (isinstance(name, str) and name.startswith(_HARMLESS)):
                shown = str(name)[:60]
                raise _Wrong(f'it needs the extension "{shown}", which is not read')
        buffers = _records(document, "buffers")
        if buffers and buffers[0].get("uri") is not None:
            raise _Wrong("its data lie in another file")
        stripped = _Stripped(document, binary, _SPARE_CORNERS + _CORNERS_A_BYTE * len(data))
        whole = stripped.result()
        if not stripped.kept:
            return Polygons.of_triangles(np.zeros((0, 3)), np.zeros((0, 3)))
    except _Wrong as wrong:
        message = f"is not a sound .glb file ({_plain(str(wrong))}); expected one that holds triangles"
        raise FormatError(Problem(file, 0, 0, message)) from None
    return loaded(whole, "glb", file)


def _plain(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in text)
