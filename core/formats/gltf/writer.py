"""Writing glTF 2.0: a scene's nodes, meshes, skins, cameras and clips, every clip straight from frame to frame.

Source: the specification, Khronos Group, glTF 2.0 (2021): sections 3.6 (accessors), 3.7 (meshes and skins) and 3.11
(animations).
"""

from __future__ import annotations

import base64
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.errors import CoreError, FormatError, Problem
from core.formats.exchange.baking import scene_of
from core.formats.exchange.record import MEMBER
from core.formats.exchange.scene import Part, Scene, SceneClip, to_linear
from core.formats.extras import needed
from core.formats.files import write_bytes
from core.formats.project import Project
from core.progress import Progress, part, report

if TYPE_CHECKING:
    import pygltflib

FLOAT, UNSIGNED_SHORT, UNSIGNED_INT = 5126, 5123, 5125
_VERTICES, _CORNERS = 34962, 34963  # targets of buffer views
_TYPES = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}
_ROUGH = 0.8
_LARGEST = 2**32 - 1


class _Packer:
    """Puts arrays into one buffer and keeps the accessors that say where."""

    def __init__(self, gltf: Any, made: Any):
        self.gltf, self.made = gltf, made
        self.data = bytearray()
        self.known: dict[tuple[bytes, str, int], int] = {}

    def view(self, data: bytes, target: int | None = None) -> int:
        """Return the number of a buffer view of some bytes."""
        self.data.extend(bytes(-len(self.data) % 8))
        view = self.gltf.BufferView(buffer=0, byteOffset=len(self.data), byteLength=len(data), target=target)
        self.data.extend(data)
        self.made.bufferViews.append(view)
        return len(self.made.bufferViews) - 1

    def accessor(self, values: NDArray[Any], kind: int, target: int | None = None, bounds: bool = False) -> int:
        """Return the number of an accessor of an array, one row an element; equal arrays share one."""
        rows = np.ascontiguousarray(values)
        width = 1 if rows.ndim == 1 else rows.shape[1]
        data = rows.tobytes()
        key = (data, f"{kind} {width} {bounds}", target or 0)
        if key not in self.known:
            low, high = (None, None)
            if bounds:
                flat = rows.reshape(len(rows), width)
                low, high = flat.min(axis=0).tolist(), flat.max(axis=0).tolist()
            self.made.accessors.append(
                self.gltf.Accessor(
                    bufferView=self.view(data, target), byteOffset=0, componentType=kind, count=len(rows),
                    type=_TYPES[width], min=low, max=high,
                )
            )  # fmt: skip
            self.known[key] = len(self.made.accessors) - 1
        return self.known[key]


def save_gltf(project: Project, path: Path, *, progress: Progress | None = None) -> None:
    """Write the figures of a project and all their sequences as a glTF file; see ``core.formats.save``.

    A ``.glb`` file is binary; a ``.gltf`` file is JSON that holds its data itself.

    Raises:
        FormatError: If the package that is needed is missing, the project has no figure, or the file cannot be written.
    """
    try:
        scene = scene_of(project, path.name, part(progress, 0.0, 0.8))
        data = gltf_bytes(scene, binary=path.suffix.lower() != ".gltf", file=path.name, progress=progress)
        write_bytes(path, data)
    except FormatError:
        raise
    except CoreError as error:
        raise FormatError(Problem(path.name, 0, 0, str(error))) from None
    report(progress, 1.0)


def gltf_bytes(scene: Scene, *, binary: bool, file: str, progress: Progress | None = None) -> bytes:
    """Return a scene as the bytes of a ``.glb`` or ``.gltf`` file.

    Args:
        scene: The scene.
        binary: Whether they are those of a ``.glb`` file.
        file: Name of the file, for messages.
        progress: Told what is done, from 0.8 on.

    Raises:
        FormatError: If the package that is needed is missing, or the data are too many.
    """
    gltf = needed("pygltflib", "glTF", file)
    made = gltf.GLTF2(asset=gltf.Asset(version="2.0", generator="Sequence Editor"), scene=0)
    packer = _Packer(gltf, made)
    _nodes(gltf, made, scene)
    _meshes(gltf, made, scene, packer)
    for skin in scene.skins:
        inverse = np.swapaxes(skin.inverse_bind, 1, 2).reshape(-1, 16).astype("<f4")
        made.skins.append(
            gltf.Skin(
                name=skin.name, joints=list(skin.joints), skeleton=skin.root,
                inverseBindMatrices=packer.accessor(inverse, FLOAT),
            )
        )  # fmt: skip
    for camera in scene.cameras:
        lens = gltf.Perspective(yfov=camera.fov, znear=0.05, zfar=1000.0)
        made.cameras.append(gltf.Camera(type="perspective", perspective=lens, name=camera.name))
    for number, clip in enumerate(scene.clips):
        report(progress, 0.8 + 0.1 * number / len(scene.clips))
        _animation(gltf, made, clip, packer)
    if scene.record is not None:
        views = [packer.view(np.ascontiguousarray(q, dtype="<f8").tobytes()) for q in scene.poses]
        made.extras = {MEMBER: {**scene.record, "holders": scene.figures, "poses": views}}
    if len(packer.data) > _LARGEST:
        raise FormatError(Problem(file, 0, 0, "would be larger than 4 GB, which glTF cannot be"))
    buffer = gltf.Buffer(byteLength=len(packer.data))
    made.buffers.append(buffer)
    if not binary:
        buffer.uri = "data:application/octet-stream;base64," + base64.b64encode(packer.data).decode("ascii")
        return bytes(made.gltf_to_json(separators=(",", ": "), indent=1).encode("utf-8"))
    made.set_binary_blob(bytes(packer.data))
    return b"".join(made.save_to_bytes())


def _nodes(gltf: Any, made: pygltflib.GLTF2, scene: Scene) -> None:
    children: list[list[int]] = [[] for _ in scene.nodes]
    roots: list[int] = []
    for number, node in enumerate(scene.nodes):
        (children[node.parent] if node.parent >= 0 else roots).append(number)
    for node, below in zip(scene.nodes, children, strict=True):
        stands = not node.translation.any() and node.rotation[0] == 1.0
        placed = (node.mesh is None and (node.camera is not None or node.parent >= 0)) or not stands
        w, x, y, z = _floats(node.rotation)
        scaled = not np.array_equal(node.scale, np.ones(3))
        made.nodes.append(
            gltf.Node(
                name=node.name, children=below or None, mesh=node.mesh, skin=node.skin, camera=node.camera,
                translation=_floats(node.translation) if placed else None, rotation=[x, y, z, w] if placed else None,
                scale=_floats(node.scale) if scaled else None,
            )
        )  # fmt: skip
    made.scenes.append(gltf.Scene(nodes=roots))


def _floats(values: Array) -> list[float]:
    """Return numbers as single precision holds them, so that what is read again is written the same."""
    return [float(each) for each in values.astype(np.float32)]


def _meshes(gltf: Any, made: pygltflib.GLTF2, scene: Scene, packer: _Packer) -> None:
    materials: dict[tuple[float, ...], int] = {}
    for mesh in scene.meshes:
        primitives = []
        for piece in mesh.parts:
            color = piece.color or (1.0, 1.0, 1.0)
            if color not in materials:
                materials[color] = len(made.materials)
                surface = gltf.PbrMetallicRoughness(
                    baseColorFactor=[*to_linear(color), 1.0], metallicFactor=0.0, roughnessFactor=_ROUGH
                )
                made.materials.append(
                    gltf.Material(
                        name=piece.material or None, pbrMetallicRoughness=surface, doubleSided=True, alphaCutoff=None
                    )
                )
            primitives.append(_primitive(gltf, piece, materials[color], packer))
        made.meshes.append(gltf.Mesh(name=mesh.name, primitives=primitives))


def _primitive(gltf: Any, piece: Part, material: int, packer: _Packer) -> Any:
    attributes = gltf.Attributes(POSITION=packer.accessor(piece.points.astype("<f4"), FLOAT, _VERTICES, bounds=True))
    if piece.normals is not None:
        attributes.NORMAL = packer.accessor(piece.normals.astype("<f4"), FLOAT, _VERTICES)
    if piece.joints is not None and piece.weights is not None:
        attributes.JOINTS_0 = packer.accessor(piece.joints.astype("<u2"), UNSIGNED_SHORT, _VERTICES)
        attributes.WEIGHTS_0 = packer.accessor(piece.weights.astype("<f4"), FLOAT, _VERTICES)
    corners = piece.triangles.reshape(-1).astype("<u4")
    indices = packer.accessor(corners, UNSIGNED_INT, _CORNERS)
    return gltf.Primitive(attributes=attributes, indices=indices, material=material)


def _animation(gltf: Any, made: pygltflib.GLTF2, clip: SceneClip, packer: _Packer) -> None:
    times = packer.accessor((np.arange(clip.count) / clip.fps).astype("<f4"), FLOAT, bounds=True)
    samplers, channels = [], []
    for number, track in clip.tracks.items():
        turned = None if track.rotation is None else track.rotation[:, [1, 2, 3, 0]]
        for name, values in (("translation", track.translation), ("rotation", turned), ("scale", track.scale)):
            if values is None:
                continue
            output = packer.accessor(values.astype("<f4"), FLOAT)
            samplers.append(gltf.AnimationSampler(input=times, output=output, interpolation="LINEAR"))
            target = gltf.AnimationChannelTarget(node=number, path=name)
            channels.append(gltf.AnimationChannel(sampler=len(samplers) - 1, target=target))
    made.animations.append(
        gltf.Animation(name=clip.name, samplers=samplers, channels=channels, extras={"frames_per_second": clip.fps})
    )
