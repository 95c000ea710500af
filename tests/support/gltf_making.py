"""Small glTF files written by hand, for tests of what other programs may write."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np

_FORMS = {"f": (5126, "<f4"), "H": (5123, "<u2"), "B": (5121, "<u1"), "I": (5125, "<u4"), "h": (5122, "<i2")}
_TYPES = {1: "SCALAR", 3: "VEC3", 4: "VEC4", 16: "MAT4"}


class Maker:
    """Gathers accessors and writes a ``.gltf`` file; ``document`` may be changed at will before."""

    def __init__(self) -> None:
        self.data = b""
        self.document: dict[str, Any] = {
            "asset": {"version": "2.0"}, "bufferViews": [], "accessors": [], "nodes": [], "scene": 0,
            "scenes": [{"nodes": [0]}],
        }  # fmt: skip

    def accessor(self, values: object, form: str = "f", **more: Any) -> int:
        """Return the number of an accessor of rows of numbers."""
        code, kind = _FORMS[form]
        rows = np.array(values, dtype=kind)
        views, accessors = self.document["bufferViews"], self.document["accessors"]
        views.append({"buffer": 0, "byteOffset": len(self.data), "byteLength": rows.nbytes})
        self.data += rows.tobytes() + bytes(-rows.nbytes % 4)
        width = 1 if rows.ndim == 1 else rows.shape[1]
        record = {"bufferView": len(views) - 1, "componentType": code, "count": len(rows), "type": _TYPES[width]}
        accessors.append({**record, **more})
        return len(accessors) - 1

    def animate(self, node: int, path: str, times: object, values: object, how: str = "LINEAR") -> None:
        """Put a channel into the first animation."""
        animations = self.document.setdefault("animations", [{"name": "move", "samplers": [], "channels": []}])
        one = animations[0]
        sampler = {"input": self.accessor(times), "output": self.accessor(values), "interpolation": how}
        one["samplers"].append(sampler)
        one["channels"].append({"sampler": len(one["samplers"]) - 1, "target": {"node": node, "path": path}})

    def triangle(self, name: str = "flag") -> int:
        """Return the number of a mesh of one triangle."""
        points = self.accessor([[0, 0, 0], [1, 0, 0], [0, 1, 0]])
        meshes = self.document.setdefault("meshes", [])
        meshes.append({"name": name, "primitives": [{"attributes": {"POSITION": points}}]})
        return len(meshes) - 1

    def write(self, path: Path, beside: bool = False) -> Path:
        """Write the file, its data inside or in a file beside it."""
        uri = "data:application/octet-stream;base64," + base64.b64encode(self.data).decode()
        if beside:
            path.with_suffix(".bin").write_bytes(self.data)
            uri = path.with_suffix(".bin").name
        self.document.setdefault("buffers", [{"byteLength": len(self.data), "uri": uri}])
        path.write_text(json.dumps(self.document))
        return path


def waving() -> Maker:
    """Return a pole on a base that moves, the base a node of its own: two joints, a mesh on the second."""
    made = Maker()
    made.document["nodes"] = [
        {"name": "base", "children": [1], "translation": [0, 1, 0]},
        {"name": "pole", "mesh": 0, "translation": [0, 0.5, 0]},
    ]
    made.triangle()
    half = 2**-0.5
    made.animate(1, "rotation", [0.0, 0.5, 1.0], [[0, 0, 0, 1], [0, 0, half, half], [0, 0, 1, 0]])
    made.animate(0, "translation", [0.0, 1.0], [[0, 1, 0], [2, 1, 0]])
    return made
