"""Reading glTF 2.0: the file's nodes, meshes, skins, cameras and animations as a scene, and figures of that."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.errors import Problem
from core.formats.exchange.clips import frames_of
from core.formats.exchange.reading import project_of
from core.formats.exchange.record import MEMBER
from core.formats.exchange.scene import (
    Node,
    Part,
    Scene,
    SceneCamera,
    SceneClip,
    SceneMesh,
    SceneSkin,
    Track,
    strongest,
    to_screen,
)
from core.formats.gltf.curves import CUBICSPLINE, LINEAR, STEP, Curve, rate_of
from core.formats.gltf.document import Document, Json
from core.formats.importing.choices import ImportChoices
from core.formats.project import Project
from core.progress import Progress, part, report
from core.skeleton import Skeleton
from core.spatial.quaternion import from_matrix, normalize, one_side

MOST_NODES = 100_000
_WIDTHS = {"translation": "VEC3", "rotation": "VEC4", "scale": "VEC3"}
_TRIANGLES, _STRIP, _FAN = 4, 5, 6
_SHEAR = 1e-3


def load_gltf(
    path: Path,
    *,
    choices: ImportChoices | None = None,
    skeleton: Skeleton | None = None,
    progress: Progress | None = None,
) -> Project:
    """Return the figures in a glTF file, each with a sequence for every animation; see ``core.formats.load``.

    Raises:
        FormatError: At the first thing that makes no sense, with its place in the file.
    """
    checked = (choices or ImportChoices()).checked(path.name)
    report(progress, 0.0)
    scene = read_scene(path, part(progress, 0.05, 0.5))
    return project_of(scene, path, checked, progress=part(progress, 0.5, 1.0))


def read_scene(path: Path, progress: Progress | None = None) -> Scene:
    """Return what is in a glTF file.

    Raises:
        FormatError: At the first thing that makes no sense, with its place in the file.
    """
    return _Reader(Document(path)).scene(progress)


class _Reader:
    """Reads one file.

    Args:
        document: The file.
    """

    def __init__(self, document: Document):
        self.d = document
        self.records = document.records("nodes")
        if len(self.records) > MOST_NODES:
            raise document.wrong("nodes", f"there are {len(self.records)}; {MOST_NODES} are the most")
        self.made = Scene()
        self.number: dict[int, int] = {}
        self.notes: set[str] = set()

    def scene(self, progress: Progress | None) -> Scene:
        skins = self.d.records("skins")
        self._nodes(skins)
        for k, record in enumerate(self.d.records("cameras")):
            lens = record.get("perspective")
            fov = self.d.number(lens, "yfov", f"cameras[{k}].perspective", 0.8) if isinstance(lens, dict) else 0.8
            self.made.cameras.append(SceneCamera(self.d.text(record, "name", f"cameras[{k}]", f"camera {k}"), fov))
        for k, record in enumerate(skins):
            self._skin(record, f"skins[{k}]")
        used = {node.mesh for node in self.made.nodes if node.mesh is not None}
        meshes = self.d.records("meshes")
        for k, record in enumerate(meshes):
            report(progress, 0.5 * k / len(meshes))
            name = self.d.text(record, "name", f"meshes[{k}]", f"mesh {k}")
            self.made.meshes.append(SceneMesh(name, self._mesh(record, f"meshes[{k}]") if k in used else []))
        animations = self.d.records("animations")
        for k, record in enumerate(animations):
            report(progress, 0.5 + 0.5 * k / len(animations))
            self._animation(record, f"animations[{k}]", k)
        self._record()
        for note in sorted(self.notes):
            self.made.warnings.append(Problem(self.d.file, 0, 0, note))
        return self.made

    # -- nodes -----------------------------------------------------------------------------------------------------

    def _nodes(self, skins: list[Json]) -> None:
        """Take the nodes of the scene that is shown, and those that skins follow, every one after its parent."""
        d, count = self.d, len(self.records)
        children = [self._list(node, "children", f"nodes[{k}]", count) for k, node in enumerate(self.records)]
        parents = [-1] * count
        for k, below in enumerate(children):
            for child in below:
                if parents[child] >= 0 or child == k:
                    raise d.wrong(f"nodes[{k}].children", f"node {child} hangs in two places, or in itself")
                parents[child] = k
        scenes = d.records("scenes")
        if scenes:
            shown = d.whole(d.json, "scene", "the file", 0, below=len(scenes))
            roots = self._list(scenes[shown], "nodes", f"scenes[{shown}]", count)
        else:
            roots = [k for k in range(count) if parents[k] < 0]
        for k, skin in enumerate(skins):
            for joint in self._list(skin, "joints", f"skins[{k}]", count):
                top, steps = joint, 0
                while parents[top] >= 0 and steps <= count:
                    top, steps = parents[top], steps + 1
                roots.append(top)
        waiting = [(root, -1) for root in reversed(dict.fromkeys(roots).keys())]
        while waiting:
            k, parent = waiting.pop()
            if k in self.number:
                raise d.wrong(f"nodes[{k}]", "hangs in two places, or in itself")
            self.number[k] = len(self.made.nodes)
            self.made.nodes.append(self._node(k, parent))
            waiting += [(child, self.number[k]) for child in reversed(children[k])]

    def _list(self, record: Json, name: str, place: str, below: int) -> list[int]:
        """Return a list of whole numbers less than ``below``."""
        found = record.get(name)
        if found is None:
            return []
        if not isinstance(found, list):
            raise self.d.wrong(f"{place}.{name}", "is not a list of numbers")
        for value in found:
            if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < below:
                raise self.d.wrong(f"{place}.{name}", f"{str(value)[:40]} is none of the {below} there are")
        return list(found)

    def _node(self, k: int, parent: int) -> Node:
        d, record, place = self.d, self.records[k], f"nodes[{k}]"
        node = Node(d.text(record, "name", place, f"node {k}"), parent)
        matrix = d.numbers(record, "matrix", 16, place)
        if matrix is not None:
            self._from_matrix(node, matrix.reshape(4, 4).T, place)
        else:
            translation, scale = d.numbers(record, "translation", 3, place), d.numbers(record, "scale", 3, place)
            rotation = d.numbers(record, "rotation", 4, place)
            if translation is not None:
                node.translation = translation
            if scale is not None:
                node.scale = scale
            if rotation is not None:
                node.rotation = self._unit(rotation[None], f"{place}.rotation")[0]
        if "mesh" in record:
            node.mesh = d.whole(record, "mesh", place, below=len(d.records("meshes")))
            if "skin" in record:
                node.skin = d.whole(record, "skin", place, below=len(d.records("skins")))
        if "camera" in record:
            node.camera = d.whole(record, "camera", place, below=len(d.records("cameras")))
        return node

    def _from_matrix(self, node: Node, matrix: Array, place: str) -> None:
        linear = matrix[:3, :3]
        scale = np.linalg.norm(linear, axis=0)
        if not (scale > 0.0).all():
            raise self.d.wrong(f"{place}.matrix", "flattens what hangs on it to nothing")
        if np.linalg.det(linear) < 0.0:
            scale = scale * np.array([-1.0, 1.0, 1.0])
        turn = linear / scale
        if np.abs(turn.T @ turn - np.eye(3)).max() > _SHEAR:
            self.notes.add(f"{place}.matrix shears, which was left out")
            u, _, v = np.linalg.svd(turn)
            turn = u @ v
        node.translation, node.rotation, node.scale = matrix[:3, 3].copy(), from_matrix(turn), scale

    def _unit(self, rotations: Array, place: str) -> Array:
        """Return (x, y, z, w) as unit quaternions (w, x, y, z), shape (n, 4)."""
        lengths = np.linalg.norm(rotations, axis=1)
        odd = (lengths < 0.5) | (lengths > 2.0)
        if odd.any():
            k = int(np.argmax(odd))
            raise self.d.wrong(place, f"number {k} has the length {lengths[k]:.3g}; expected unit quaternions")
        return np.asarray(normalize(rotations[:, [3, 0, 1, 2]]))

    # -- meshes ----------------------------------------------------------------------------------------------------

    def _skin(self, record: Json, place: str) -> None:
        d = self.d
        joints = self._list(record, "joints", place, len(self.records))
        if not joints:
            raise d.wrong(f"{place}.joints", "is empty; expected the nodes that a mesh follows")
        inverse = np.tile(np.eye(4), (len(joints), 1, 1))
        if record.get("inverseBindMatrices") is not None:
            found = d.accessor(record["inverseBindMatrices"], "MAT4", f"{place}.inverseBindMatrices")
            if len(found) < len(joints) or found.dtype.kind != "f":
                raise d.wrong(f"{place}.inverseBindMatrices", f"has {len(found)} matrices for {len(joints)} joints")
            inverse = np.swapaxes(found[: len(joints)].astype(np.float64).reshape(-1, 4, 4), 1, 2)
        name = d.text(record, "name", place, "skin")
        root = record.get("skeleton")
        top = self.number.get(root) if isinstance(root, int) else None
        self.made.skins.append(SceneSkin(name, tuple(self.number[joint] for joint in joints), inverse, top))

    def _mesh(self, record: Json, place: str) -> list[Part]:
        parts = []
        for k, primitive in enumerate(self.d.records("primitives", record, place)):
            made = self._part(primitive, f"{place}.primitives[{k}]")
            if made is not None:
                parts.append(made)
        return parts

    def _part(self, record: Json, place: str) -> Part | None:
        d = self.d
        mode = d.whole(record, "mode", place, _TRIANGLES, below=7)
        attributes = record.get("attributes")
        if not isinstance(attributes, dict):
            raise d.wrong(f"{place}.attributes", "is not an object")
        if record.get("targets"):
            self.notes.add("shapes that blend (morph targets) were left out")
        if mode < _TRIANGLES or "POSITION" not in attributes:
            self.notes.add("points and lines were left out")
            return None
        points = d.accessor(attributes["POSITION"], "VEC3", f"{place}.attributes.POSITION").astype(np.float64)
        corners = np.arange(len(points))
        if record.get("indices") is not None:
            corners = d.accessor(record["indices"], "SCALAR", f"{place}.indices")
            if corners.dtype.kind != "u":
                raise d.wrong(f"{place}.indices", "are not whole numbers from 0")
            corners = corners.astype(np.int64)
        if len(corners) and int(corners.max()) >= len(points):
            raise d.wrong(f"{place}.indices", f"{int(corners.max())} is beyond the {len(points)} vertices there are")
        triangles = _triangles(corners, mode)
        color, material = self._color(record, place)
        made = Part(points, triangles, None, color, material)
        rows = []
        for name in ("JOINTS", "WEIGHTS"):
            sets = [attributes[f"{name}_{k}"] for k in range(len(attributes)) if f"{name}_{k}" in attributes]
            rows.append([d.accessor(each, "VEC4", f"{place}.attributes.{name}") for each in sets])
        if rows[0] and len(rows[0]) == len(rows[1]):
            joints, weights = np.concatenate(rows[0], axis=1), np.concatenate(rows[1], axis=1).astype(np.float64)
            if len(joints) != len(points) or len(weights) != len(points) or joints.dtype.kind != "u":
                raise d.wrong(f"{place}.attributes", "JOINTS and WEIGHTS do not belong to its vertices")
            made.joints, made.weights = strongest(joints.astype(np.int64), weights)
        return made

    def _color(self, record: Json, place: str) -> tuple[tuple[float, float, float] | None, str]:
        d = self.d
        if record.get("material") is None:
            return None, ""
        materials = d.records("materials")
        k = d.whole(record, "material", place, below=len(materials))
        name = d.text(materials[k], "name", f"materials[{k}]", f"material {k}")
        surface = materials[k].get("pbrMetallicRoughness")
        if not isinstance(surface, dict):
            return None, name
        factor = d.numbers(surface, "baseColorFactor", 4, f"materials[{k}].pbrMetallicRoughness")
        if surface.get("baseColorTexture") is not None:
            self.notes.add("pictures on surfaces (textures) were left out")
            if factor is None or (factor[:3] > 0.99).all():
                return None, name
        if factor is None:
            return (1.0, 1.0, 1.0), name
        r, g, b = factor[:3].tolist()
        return to_screen((r, g, b)), name

    # -- motion ----------------------------------------------------------------------------------------------------

    def _animation(self, record: Json, place: str, number: int) -> None:
        d = self.d
        samplers = d.records("samplers", record, place)
        curves: dict[int, list[Curve]] = {}
        for k, channel in enumerate(d.records("channels", record, place)):
            here = f"{place}.channels[{k}]"
            target = channel.get("target")
            if not isinstance(target, dict):
                raise d.wrong(f"{here}.target", "is not an object")
            path, node = target.get("path"), target.get("node")
            if path not in _WIDTHS:
                self.notes.add("motion of other things than places, turns and sizes of nodes was left out")
                continue
            if node is None:
                continue
            at = self.number.get(d.whole(target, "node", f"{here}.target", below=len(self.records)))
            sampler = d.whole(channel, "sampler", here, below=len(samplers))
            curve = self._curve(samplers[sampler], str(path), f"{place}.samplers[{sampler}]")
            if at is not None and curve is not None:
                curves.setdefault(at, []).append(curve)
        if not curves:
            return
        extras = record.get("extras")
        told = extras.get("frames_per_second") if isinstance(extras, dict) else None
        times = [curve.times for rows in curves.values() for curve in rows]
        known = isinstance(told, (int, float)) and not isinstance(told, bool) and 0.01 <= told <= 1e5
        # Most curves share their times: those that are the same are looked at once.
        different = {each.tobytes(): each for each in times}
        rate = float(told) if known else rate_of(np.concatenate([*different.values()]))  # type: ignore[arg-type]
        end = max(float(each[-1]) for each in different.values()) * rate
        count = frames_of(end, len(curves))
        if count is None:
            raise d.wrong(place, f"lasts {end / rate:.3g} s for {len(curves)} nodes; so long a motion is not read")
        clip = SceneClip(d.text(record, "name", place, f"animation {number + 1}"), rate, count)
        when = np.arange(clip.count) / rate
        for at, rows in curves.items():
            track = Track()
            for curve in rows:
                values = curve.at(when)
                setattr(track, curve.path, one_side(values) if curve.path == "rotation" else values)
            clip.tracks[at] = track
        self.made.clips.append(clip)

    def _curve(self, record: Json, path: str, place: str) -> Curve | None:
        d = self.d
        times = d.accessor(record.get("input"), "SCALAR", f"{place}.input")  # type: ignore[arg-type]
        values = d.accessor(record.get("output"), _WIDTHS[path], f"{place}.output")  # type: ignore[arg-type]
        how = record.get("interpolation", LINEAR)
        if how not in (STEP, LINEAR, CUBICSPLINE):
            raise d.wrong(f"{place}.interpolation", f"{str(how)[:40]} is not known; expected STEP, LINEAR, CUBICSPLINE")
        if times.dtype.kind != "f" or values.dtype.kind != "f":
            raise d.wrong(place, "has times or values that are not floats")
        each = 3 if how == CUBICSPLINE else 1
        if len(values) != each * len(times):
            raise d.wrong(f"{place}.output", f"has {len(values)} values for {len(times)} times; expected {each} each")
        if not len(times):
            return None
        when = times.astype(np.float64)
        if when[0] < 0.0:
            raise d.wrong(f"{place}.input", f"begins at {when[0]:.6g} s; times are 0 or later")
        steps = np.diff(when)
        if (steps < 0.0).any():
            k = int(np.argmax(steps < 0.0))
            raise d.wrong(f"{place}.input", f"goes back from {when[k]:.6g} s to {when[k + 1]:.6g} s; times must ascend")
        rows = values.astype(np.float64)
        if path == "rotation":
            if how == CUBICSPLINE:
                self._unit(rows[1::3], f"{place}.output")
                rows = rows[:, [3, 0, 1, 2]]
            else:
                rows = self._unit(rows, f"{place}.output")
        if (steps == 0.0).any():
            kept = np.concatenate([[True], steps > 0.0])
            self.notes.add("of keys at the same time the first was taken")
            when = when[kept]
            rows = rows[np.repeat(kept, each)]
        return Curve(path, when, rows, str(how))

    # -- our own ---------------------------------------------------------------------------------------------------

    def _record(self) -> None:
        """Take what this program has left beside the scene, if it is whole."""
        extras: Any = self.d.json.get("extras")
        record = extras.get(MEMBER) if isinstance(extras, dict) else None
        if not isinstance(record, dict):
            return
        holders, views = record.get("holders"), record.get("poses")
        if not _numbers(holders) or not _numbers(views) or not all(each in self.number for each in holders):
            return
        for view in views:
            data, _ = self.d.view(view, f"extras.{MEMBER}.poses")
            if len(data) % 8:
                return
            self.made.poses.append(np.frombuffer(data, "<f8"))
        self.made.figures = [self.number[each] for each in holders]
        self.made.record = record


def _numbers(values: Any) -> TypeGuard[list[int]]:
    return isinstance(values, list) and all(isinstance(v, int) and not isinstance(v, bool) and v >= 0 for v in values)


def _triangles(corners: NDArray[np.int64], mode: int) -> NDArray[np.int64]:
    """Return the triangles of a list, strip or fan, shape (m, 3)."""
    if mode == _TRIANGLES:
        return corners[: len(corners) // 3 * 3].reshape(-1, 3)
    if len(corners) < 3:
        return np.zeros((0, 3), dtype=np.int64)
    if mode == _FAN:
        return np.column_stack([np.repeat(corners[:1], len(corners) - 2), corners[1:-1], corners[2:]])
    made = np.column_stack([corners[:-2], corners[1:-1], corners[2:]])
    made[1::2] = made[1::2, [1, 0, 2]]
    return made
