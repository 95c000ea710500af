"""Reading ``.armature`` files as scenes, and figures of those, as other programs' scenes are read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.errors import FormatError, Problem
from core.formats import json_text
from core.formats.armature.layout import BONE, FARTHEST, FORMAT, INFLUENCES, LARGEST, VERSION
from core.formats.exchange.clips import frames_of
from core.formats.exchange.figures import MOST_JOINTS
from core.formats.exchange.reading import project_of
from core.formats.exchange.record import MEMBER
from core.formats.exchange.scene import Node, Part, Scene, SceneClip, SceneMesh, SceneSkin, Track, strongest, trs_frames
from core.formats.files import read_text
from core.formats.importing.choices import ImportChoices
from core.formats.project import Project
from core.progress import Progress, part, report
from core.skeleton import Skeleton
from core.spatial.quaternion import conjugate, multiply, normalize, one_side, rotate

_RATES = (0.01, 1e5)
_SIZE_ONE = (0.5, 2.0)  # of a quaternion
_ONES: Array = np.ones(3)


def load_armature(
    path: Path,
    *,
    choices: ImportChoices | None = None,
    skeleton: Skeleton | None = None,
    progress: Progress | None = None,
) -> Project:
    """Return the figure in an ``.armature`` file with its motion; see ``core.formats.load``.

    Its pose of zeros is the armature's rest pose.

    Raises:
        FormatError: At the first thing that makes no sense, with its place in the file.
    """
    checked = (choices or ImportChoices()).checked(path.name)
    report(progress, 0.0)
    data = json_text.parse(read_text(path, LARGEST), path.name, "an armature file")
    report(progress, 0.3)
    reading = _Reading(data, path.name)
    return project_of(reading.scene, path, checked, name=reading.name, progress=part(progress, 0.4, 1.0))


class _Reading:
    """Makes a scene of a file's content.

    Attributes:
        scene: The scene.
        name: What the armature is called.
    """

    def __init__(self, data: Any, file: str):
        self.file = file
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise FormatError(Problem(file, 0, 0, f'is not an armature file; expected "format": "{FORMAT}"'))
        if data.get("version") != VERSION:
            found = json_text.show(data.get("version"))
            message = f"has version {found}; this program reads {VERSION}. Save the add-on again and reinstall it"
            raise FormatError(Problem(file, 0, 0, message))
        self.data: dict[str, Any] = data
        self.name = self._text(data, "armature", "the file") or "armature"
        self.scene = Scene()
        self.parents: list[int] = []
        self.rest = self._bones()
        self._meshes()
        self._clip()
        self._record()

    def _wrong(self, place: str, message: str) -> FormatError:
        return FormatError(Problem(self.file, 0, 0, f"{place}: {message}"))

    def _text(self, record: dict[str, Any], name: str, place: str) -> str:
        value = record.get(name, "")
        if not isinstance(value, str):
            raise self._wrong(f"{place}.{name}", f"{json_text.show(value)} is not a name")
        return value

    def _list(self, record: dict[str, Any], name: str, place: str = "") -> list[Any]:
        value = record.get(name, [])
        if not isinstance(value, list):
            raise self._wrong(f"{place}{name}", f"{json_text.show(value)} is not a list")
        return value

    def _numbers(self, value: Any, count: int | None, place: str) -> Array:
        """Return a list of finite numbers that are not too large; of ``count`` unless that is None."""
        if not isinstance(value, list) or (count is not None and len(value) != count):
            wanted = "a list of numbers" if count is None else f"a list of {count} numbers"
            raise self._wrong(place, f"{json_text.show(value)} is not {wanted}")
        if not json_text.finite_numbers(value):
            for k, each in enumerate(value):
                if isinstance(each, bool) or not isinstance(each, (int, float)):
                    raise self._wrong(f"{place}[{k}]", f"{json_text.show(each)} is not a number")
        try:
            found = np.array(value, dtype=np.float64)
        except OverflowError:
            raise self._wrong(place, f"has a number larger than {FARTHEST:g}") from None
        if len(found) and not np.abs(found).max() <= FARTHEST:
            k = int(np.argmax(~(np.abs(found) <= FARTHEST)))
            raise self._wrong(f"{place}[{k}]", f"{found[k]:g} is too large; numbers go to {FARTHEST:g}")
        return found

    def _whole(self, value: Any, count: int | None, below: int, place: str) -> NDArray[np.int64]:
        """Return a list of whole numbers from 0 on that are less than ``below``."""
        found = self._numbers(value, count, place)
        odd = (found != np.rint(found)) | (found < 0) | (found >= below)
        if odd.any():
            k = int(np.argmax(odd))
            raise self._wrong(f"{place}[{k}]", f"{found[k]:g} is none of the {below} there are")
        return found.astype(np.int64)

    def _unit(self, turns: Array, place: str) -> Array:
        lengths = np.linalg.norm(turns, axis=-1)
        odd = ~((lengths >= _SIZE_ONE[0]) & (lengths <= _SIZE_ONE[1]))
        if odd.any():
            size = float(lengths.reshape(-1)[int(np.argmax(odd))])
            raise self._wrong(place, f"has a turn of the length {size:.3g}; expected unit quaternions w, x, y, z")
        return normalize(turns)

    # -- bones -----------------------------------------------------------------------------------------------------

    def _bones(self) -> Array:
        """Put a node for the armature, for each bone and for the ends of bones into the scene; return the bones' rest.

        Returns:
            Shape (n, 7).
        """
        records = self._list(self.data, "bones")
        if not records or len(records) > MOST_JOINTS:
            raise self._wrong("bones", f"are {len(records)}; armatures of 1 to {MOST_JOINTS} are read")
        names, tails, rest = set(), [], np.empty((len(records), BONE))
        for k, record in enumerate(records):
            place = f"bones[{k}]"
            if not isinstance(record, dict):
                raise self._wrong(place, "is not an object")
            name = self._text(record, "name", place)
            if not name or name in names:
                raise self._wrong(f"{place}.name", f'"{name}" is missing or used twice')
            names.add(name)
            parent = record.get("parent", -1)
            if isinstance(parent, bool) or not isinstance(parent, int) or not -1 <= parent < k:
                raise self._wrong(f"{place}.parent", f"{json_text.show(parent)} is no bone before it; none is -1")
            self.parents.append(parent)
            rest[k] = self._numbers(record.get("rest"), BONE, f"{place}.rest")
            rest[k, 3:] = self._unit(rest[k, 3:], f"{place}.rest")
            tails.append(self._numbers(record["tail"], 3, f"{place}.tail") if "tail" in record else None)
        holder = self.name
        while holder in names:
            holder += " root"
        nodes = self.scene.nodes
        nodes.append(Node(holder))
        places, turns = self._local(rest[None])
        for k, record in enumerate(records):
            nodes.append(Node(record["name"], self.parents[k] + 1, places[0, k], turns[0, k]))
        for k, tail in enumerate(tails):
            if tail is not None and k not in self.parents:
                nodes.append(Node(f"{records[k]['name']} end", k + 1, tail))
        return rest

    def _local(self, worlds: Array) -> tuple[Array, Array]:
        """Return where bones are in their parents' frames: places, shape (m, n, 3), and turns, (m, n, 4)."""
        places, turns = worlds[..., :3].copy(), worlds[..., 3:].copy()
        inside = [k for k, parent in enumerate(self.parents) if parent >= 0]
        above = [self.parents[k] for k in inside]
        back = conjugate(worlds[:, above, 3:])
        places[:, inside] = rotate(back, worlds[:, inside, :3] - worlds[:, above, :3])
        turns[:, inside] = multiply(back, worlds[:, inside, 3:])
        return places, turns

    # -- meshes ----------------------------------------------------------------------------------------------------

    def _meshes(self) -> None:
        records, count = self._list(self.data, "meshes"), len(self.parents)
        # Without a mesh, too: by a skin the bones are known for joints of one figure.
        bind = np.linalg.inv(trs_frames(self.rest[:, :3], self.rest[:, 3:], _ONES)).astype(np.float64)
        self.scene.skins.append(SceneSkin(self.name, tuple(range(1, count + 1)), bind, 1))
        for k, record in enumerate(records):
            place = f"meshes[{k}]"
            if not isinstance(record, dict):
                raise self._wrong(place, "is not an object")
            name = self._text(record, "name", place)
            points = self._numbers(record.get("points"), None, f"{place}.points")
            if len(points) % 3:
                raise self._wrong(f"{place}.points", f"are {len(points)} numbers; expected three a point")
            points = points.reshape(-1, 3)
            corners = self._whole(record.get("triangles"), None, len(points), f"{place}.triangles")
            if len(corners) % 3:
                raise self._wrong(f"{place}.triangles", f"are {len(corners)} numbers; expected three a triangle")
            wide = INFLUENCES * len(points)
            bones = self._whole(record.get("bones"), wide, count, f"{place}.bones").reshape(-1, INFLUENCES)
            weights = self._numbers(record.get("weights"), wide, f"{place}.weights").reshape(-1, INFLUENCES)
            made = Part(points, corners.reshape(-1, 3), None, None, name)
            if "color" in record:
                r, g, b = np.clip(self._numbers(record["color"], 3, f"{place}.color"), 0.0, 1.0).tolist()
                made.color = (r, g, b)
            made.joints, made.weights = strongest(bones, weights)
            self.scene.meshes.append(SceneMesh(name, [made]))
            self.scene.nodes.append(Node(name, 0, mesh=len(self.scene.meshes) - 1, skin=0))

    # -- motion ----------------------------------------------------------------------------------------------------

    def _clip(self) -> None:
        rows, count = self._list(self.data, "frames"), len(self.parents)
        fps = self.data.get("fps")
        if isinstance(fps, bool) or not isinstance(fps, (int, float)) or not _RATES[0] <= fps <= _RATES[1]:
            raise self._wrong("fps", f"{json_text.show(fps)} is not a number of frames a second")
        if not rows:
            return
        if frames_of(len(rows) - 1.0, count) is None:
            raise self._wrong("frames", f"are {len(rows)} of {count} bones each; so long a motion is not read")
        worlds = np.array([self._numbers(row, BONE * count, f"frames[{k}]") for k, row in enumerate(rows)])
        worlds = worlds.reshape(len(rows), count, BONE)
        worlds[..., 3:] = self._unit(worlds[..., 3:], "frames")
        places, turns = self._local(worlds)
        name = self._text(self.data, "motion", "the file") or self.name
        clip = SceneClip(name, float(fps), len(rows))
        for k in range(count):
            clip.tracks[k + 1] = Track(places[:, k].copy(), one_side(turns[:, k].copy()))
        self.scene.clips.append(clip)

    def _record(self) -> None:
        """Take what this program has left in it, if it is whole."""
        record = self.data.get(MEMBER)
        if not isinstance(record, dict) or not isinstance(record.get("poses"), list):
            return
        try:
            rows = [self._numbers(row, None, "poses") for row in record["poses"]]
            poses = [np.array(rows).reshape(-1)] if rows else []
        except (FormatError, ValueError):
            return
        self.scene.figures, self.scene.record, self.scene.poses = [0], record, poses
