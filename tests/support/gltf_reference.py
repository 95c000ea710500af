"""A second reading of glTF files: pygltflib for the structure, scipy for rotations; short, and slow on purpose."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pygltflib
from scipy.spatial.transform import Rotation, Slerp

_FORMS = {5121: "<u1", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}


class Reference:
    """One file; all numbers in its own units.

    Args:
        path: A ``.glb`` or ``.gltf`` file without sparse data, its interpolation LINEAR.
    """

    def __init__(self, path: Path):
        self.gltf = pygltflib.GLTF2().load(str(path))
        self.parents = {child: k for k, node in enumerate(self.gltf.nodes) for child in node.children or []}
        self.blob = self.gltf.binary_blob()
        if self.blob is None:
            self.gltf.convert_buffers(pygltflib.BufferFormat.BINARYBLOB)
            self.blob = self.gltf.binary_blob()

    def values(self, number: int) -> np.ndarray:
        """Return the numbers of an accessor."""
        accessor = self.gltf.accessors[number]
        view = self.gltf.bufferViews[accessor.bufferView]
        width, form = _WIDTHS[accessor.type], np.dtype(_FORMS[accessor.componentType])
        start = (view.byteOffset or 0) + (accessor.byteOffset or 0)
        step = view.byteStride or width * form.itemsize
        rows = [np.frombuffer(self.blob, form, width, start + k * step) for k in range(accessor.count)]
        found = np.array(rows)
        return found[:, 0] if width == 1 else found

    def number(self, name: str) -> int:
        """Return the first node of a name that is no mesh's."""
        return next(k for k, node in enumerate(self.gltf.nodes) if node.name == name and node.mesh is None)

    def worlds(self, clip: int | None, time: float) -> np.ndarray:
        """Return the frame of every node in the world at a time, shape (n, 4, 4); at rest without a clip."""
        parts = []
        for node in self.gltf.nodes:
            parts.append([node.translation or [0, 0, 0], node.rotation or [0, 0, 0, 1], node.scale or [1, 1, 1]])
        if clip is not None:
            animation = self.gltf.animations[clip]
            for channel in animation.channels:
                sampler = animation.samplers[channel.sampler]
                times, values = self.values(sampler.input).astype(float), self.values(sampler.output).astype(float)
                when = float(np.clip(time, times[0], times[-1]))
                if channel.target.path == "rotation" and len(times) > 1:
                    value = Slerp(times, Rotation.from_quat(values))([when])[0].as_quat()
                else:
                    value = np.array([np.interp(when, times, column) for column in values.T])
                place = ("translation", "rotation", "scale").index(channel.target.path)
                parts[channel.target.node][place] = value
        found = np.zeros((len(parts), 4, 4))
        for k in range(len(parts)):
            found[k] = self._world(k, parts)
        return found

    def _world(self, k: int, parts: list) -> np.ndarray:
        node = self.gltf.nodes[k]
        local = np.eye(4)
        if node.matrix is not None:
            local = np.array(node.matrix).reshape(4, 4).T
        else:
            t, r, s = parts[k]
            local[:3, :3] = Rotation.from_quat(r).as_matrix() * np.array(s)
            local[:3, 3] = t
        return self._world(self.parents[k], parts) @ local if k in self.parents else local

    def vertices(self, worlds: np.ndarray) -> np.ndarray:
        """Return all vertices of the meshes in the world, mesh node by mesh node, skinned where they are, (k, 3)."""
        found = []
        for k, node in enumerate(self.gltf.nodes):
            if node.mesh is None:
                continue
            for primitive in self.gltf.meshes[node.mesh].primitives:
                points = np.column_stack([self.values(primitive.attributes.POSITION), np.ones(self._count(primitive))])
                if node.skin is None:
                    found.append(points @ worlds[k].T)
                    continue
                skin = self.gltf.skins[node.skin]
                inverse = np.swapaxes(self.values(skin.inverseBindMatrices).reshape(-1, 4, 4), 1, 2)
                moves = worlds[skin.joints] @ inverse
                joints = self.values(primitive.attributes.JOINTS_0)
                weights = self.values(primitive.attributes.WEIGHTS_0).astype(float)
                weights /= weights.sum(axis=1, keepdims=True)
                found.append(np.einsum("kw,kwab,kb->ka", weights, moves[joints], points))
        return np.concatenate(found)[:, :3]

    def _count(self, primitive: pygltflib.Primitive) -> int:
        return self.gltf.accessors[primitive.attributes.POSITION].count
