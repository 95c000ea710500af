"""Reading USD: prims, skeletons and meshes of a stage as a scene, and figures of that.

Matrices are transposed on the way: USD multiplies rows from the left. A layer that the file names is opened only if it
lies beside it.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from core.arrays import Array
from core.errors import FormatError, Problem
from core.formats.exchange.clips import frames_of
from core.formats.exchange.reading import project_of
from core.formats.exchange.record import MEMBER
from core.formats.exchange.scene import (
    Color,
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
    trs_of,
)
from core.formats.extras import needed
from core.formats.files import MEGABYTE, read_bytes
from core.formats.importing.choices import ImportChoices
from core.formats.project import Project
from core.progress import Progress, part, report
from core.skeleton import Skeleton
from core.spatial.quaternion import one_side

LARGEST = 256 * MEGABYTE
MOST_PRIMS = 100_000
_LAYERS = (".usd", ".usda", ".usdc", ".usdz")
_FASTEST = 1000.0


def load_usd(
    path: Path,
    *,
    choices: ImportChoices | None = None,
    skeleton: Skeleton | None = None,
    progress: Progress | None = None,
) -> Project:
    """Return the figures in a USD file, each with a sequence for every animation; see ``core.formats.load``.

    Raises:
        FormatError: If it cannot be read.
    """
    checked = (choices or ImportChoices()).checked(path.name)
    scene, unit, up = read_scene(path, part(progress, 0.0, 0.5))
    return project_of(scene, path, checked, unit=unit, up=up, progress=part(progress, 0.5, 1.0))


def read_scene(path: Path, progress: Progress | None = None) -> tuple[Scene, float, str]:
    """Return what is in a USD file, in its own unit and axes, with metres in a unit and the axis that points up.

    Raises:
        FormatError: If it cannot be read.
    """
    read_bytes(path, LARGEST)  # says what is wrong with a file that is missing, too large or none
    report(progress, 0.05)
    for name in ("Gf", "Sdf", "Tf", "Usd", "UsdGeom", "UsdShade", "UsdSkel", "UsdUtils"):
        needed(f"pxr.{name}", "USD", path.name)
    pxr = needed("pxr", "USD", path.name)
    try:
        with _heard() as said:
            reader = _Reader(pxr, path)
            scene = reader.scene(part(progress, 0.05, 1.0))
        if said:
            raise said[0]
    except (pxr.Tf.ErrorException, UnicodeDecodeError, TypeError, ValueError) as error:
        reason = " ".join(str(error).split())[-160:]
        raise FormatError(Problem(path.name, 0, 0, f"is not a sound USD file: {reason}")) from None
    return scene, reader.unit, reader.up


@contextmanager
def _heard() -> Iterator[list[BaseException]]:
    """Gather errors that the library meets where it cannot raise them: it hands them to the interpreter's own hook."""
    found: list[BaseException] = []
    before = sys.excepthook
    sys.excepthook = lambda kind, error, trace: found.append(error)
    try:
        yield found
    finally:
        sys.excepthook = before


class _Reader:
    """Reads one file.

    Args:
        pxr: The library.
        path: The file.

    Attributes:
        unit: Metres in one unit of the file.
        up: Its upward axis.
    """

    def __init__(self, pxr: Any, path: Path):
        self.p, self.path = pxr, path
        layer = pxr.Sdf.Layer.FindOrOpen(str(path))
        if layer is None:
            raise self.wrong("is not a USD file")
        layer.Reload(True)
        self._check_layers(layer)
        self.stage = pxr.Usd.Stage.Open(layer)
        if not self.stage:
            raise self.wrong("is not a USD file that can be opened")
        self.layer = layer
        self.unit = float(pxr.UsdGeom.GetStageMetersPerUnit(self.stage))
        if not 1e-9 <= self.unit <= 1e6:
            raise self.wrong(f"metersPerUnit {self.unit:g} is not a unit; expected 1e-09 to 1e+06")
        self.up = str(pxr.UsdGeom.GetStageUpAxis(self.stage)).lower()
        self.codes = float(self.stage.GetTimeCodesPerSecond())
        shown = float(self.stage.GetFramesPerSecond()) if layer.HasFramesPerSecond() else self.codes
        self.fps = shown if 0.01 <= shown <= _FASTEST else 24.0
        self.made = Scene()
        self.number: dict[Any, int] = {}
        self.moves: dict[int, Any] = {}
        self.lenses: dict[int, Any] = {}
        self.animations: dict[str, list[tuple[Any, list[int], Any]]] = {}

    def wrong(self, message: str) -> FormatError:
        return FormatError(Problem(self.path.name, 0, 0, message))

    def _check_layers(self, layer: Any) -> None:
        """Refuse a file that is made of files that lie elsewhere."""
        folder = self.path.resolve().parent
        seen, waiting = {layer.identifier}, [layer]
        while waiting:
            one = waiting.pop()
            for name in one.GetCompositionAssetDependencies():
                plain = Path(name)
                odd = ":" in name or "\\" in name or plain.is_absolute() or ".." in plain.parts
                if odd or plain.suffix.lower() not in _LAYERS or not (folder / plain).resolve().is_relative_to(folder):
                    raise self.wrong(f'is made of "{name[:80]}", which is not read; expected a USD file beside it')
                inner = self.p.Sdf.Layer.FindOrOpenRelativeToLayer(one, name)
                if inner is not None and inner.identifier not in seen:
                    seen.add(inner.identifier)
                    waiting.append(inner)

    # -- the scene -------------------------------------------------------------------------------------------------

    def scene(self, progress: Progress | None) -> Scene:
        p = self.p
        cache, prims = p.UsdSkel.Cache(), []
        for prim in self.stage.Traverse(p.Usd.TraverseInstanceProxies()):
            prims.append(prim)
            if len(prims) > MOST_PRIMS:
                raise self.wrong(f"has more than {MOST_PRIMS} prims; so many are not read")
        for prim in prims:
            self._prim(prim)
        report(progress, 0.2)
        skeletons: dict[Any, list[int]] = {}
        for prim in prims:
            if prim.IsA(p.UsdSkel.Root):
                cache.Populate(p.UsdSkel.Root(prim), p.Usd.TraverseInstanceProxies())
        for prim in prims:
            if prim.IsA(p.UsdSkel.Skeleton):
                skeletons[prim.GetPath()] = self._skeleton(prim, cache)
        bound: set[Any] = set()
        for prim in prims:
            if prim.IsA(p.UsdSkel.Root):
                for binding in cache.ComputeSkelBindings(p.UsdSkel.Root(prim), p.Usd.TraverseInstanceProxies()):
                    bound |= self._bound(binding, cache, skeletons)
        for prim in prims:
            if prim.IsA(p.UsdGeom.Mesh) and prim.GetPath() not in bound:
                self._mesh(prim, None, None)
        report(progress, 0.4)
        self._own_animations(prims, cache, skeletons)
        self._clips(part(progress, 0.4, 1.0))
        self._record()
        return self.made

    def _prim(self, prim: Any) -> None:
        p = self.p
        parent = prim.GetParent()
        above = self.number.get(parent.GetPath(), -1)
        shaped = p.UsdGeom.Xformable(prim)
        if not shaped:
            if above >= 0:
                self.number[prim.GetPath()] = above
            return
        node = Node(prim.GetDisplayName() or prim.GetName(), above)
        code = p.Usd.TimeCode.EarliestTime()
        stands = p.Usd.TimeCode.Default()
        if any(op.GetAttr().Get(stands) is None for op in shaped.GetOrderedXformOps()):
            stands = code  # it says only how it moves
        node.translation, node.rotation, node.scale = trs_of(self._matrix(shaped.GetLocalTransformation(stands)))
        self.number[prim.GetPath()] = len(self.made.nodes)
        if shaped.TransformMightBeTimeVarying():
            self.moves[len(self.made.nodes)] = shaped
        if prim.IsA(p.UsdGeom.Camera):
            camera_prim = p.UsdGeom.Camera(prim)
            fov = self._fov(camera_prim, code)
            node.camera = len(self.made.cameras)
            if camera_prim.GetFocalLengthAttr().ValueMightBeTimeVarying():
                self.lenses[node.camera] = camera_prim
            self.made.cameras.append(SceneCamera(node.name, fov))
        self.made.nodes.append(node)

    def _fov(self, camera: Any, code: Any) -> float:
        return math.radians(camera.GetCamera(code).GetFieldOfView(self.p.Gf.Camera.FOVVertical))

    def _matrix(self, rows: Any) -> Array:
        found = np.array(rows, dtype=np.float64).T
        if not np.isfinite(found).all() or not (np.linalg.norm(found[:3, :3], axis=0) > 0.0).all():
            raise self.wrong("holds a transform that is not finite, or flattens what hangs on it to nothing")
        return found

    def _matrices(self, values: Any) -> Array:
        found: Array = np.swapaxes(np.array(values, dtype=np.float64).reshape(-1, 4, 4), 1, 2)
        if not np.isfinite(found).all() or not (np.linalg.norm(found[:, :3, :3], axis=1) > 0.0).all():
            raise self.wrong("holds a joint whose transform is not finite, or flattens it to nothing")
        return found

    def _skeleton(self, prim: Any, cache: Any) -> list[int]:
        """Take the joints of a skeleton as nodes under it, and note its animation; return their numbers."""
        p = self.p
        query = cache.GetSkelQuery(p.UsdSkel.Skeleton(prim))
        if not query:
            return []
        tokens = [str(each) for each in query.GetJointOrder()]
        topology = query.GetTopology()
        names = p.UsdSkel.Skeleton(prim).GetJointNamesAttr().Get()
        rest = query.ComputeJointLocalTransforms(p.Usd.TimeCode.EarliestTime(), True)
        if rest is None or len(rest) != len(tokens):
            raise self.wrong(f'skeleton "{prim.GetPath()}" has no rest transforms for its {len(tokens)} joints')
        frames = self._matrices(rest)
        numbers: list[int] = []
        top = self.number[prim.GetPath()]
        for k, token in enumerate(tokens):
            parent = topology.GetParent(k)
            if parent >= k:
                raise self.wrong(f'joint "{token}" of skeleton "{prim.GetPath()}" comes before its parent')
            name = str(names[k]) if names is not None and len(names) == len(tokens) else token.rpartition("/")[2]
            node = Node(name, top if parent < 0 else numbers[parent])
            node.translation, node.rotation, node.scale = trs_of(frames[k])
            numbers.append(len(self.made.nodes))
            self.made.nodes.append(node)
        animation = query.GetAnimQuery()
        if animation:
            self._note("", animation, numbers, query)
        return numbers

    def _note(self, clip: str, animation: Any, numbers: list[int], query: Any) -> None:
        """Note that an animation moves the joints of a skeleton in a clip."""
        place = {str(token): number for token, number in zip(query.GetJointOrder(), numbers, strict=True)}
        own = [place.get(str(token), -1) for token in animation.GetJointOrder()]
        self.animations.setdefault(clip, []).append((animation, own, animation.GetPrim()))

    def _own_animations(self, prims: list[Any], cache: Any, skeletons: dict[Any, list[int]]) -> None:
        """Note animations that no skeleton plays, but that lie beside one: further clips."""
        p = self.p
        played = {row[2].GetPath() for rows in self.animations.values() for row in rows}
        for prim in prims:
            if not prim.IsA(p.UsdSkel.Animation) or prim.GetPath() in played:
                continue
            for path, numbers in skeletons.items():
                if path.GetParentPath() == prim.GetPath().GetParentPath() and numbers:
                    query = cache.GetSkelQuery(p.UsdSkel.Skeleton(self.stage.GetPrimAtPath(path)))
                    animation = cache.GetAnimQuery(p.UsdSkel.Animation(prim))
                    if animation:
                        self._note(prim.GetName(), animation, numbers, query)

    # -- meshes ----------------------------------------------------------------------------------------------------

    def _bound(self, binding: Any, cache: Any, skeletons: dict[Any, list[int]]) -> set[Any]:
        """Take the meshes that follow a skeleton; return their paths."""
        p = self.p
        taken: set[Any] = set()
        prim = binding.GetSkeleton().GetPrim()
        numbers = skeletons.get(prim.GetPath())
        query = cache.GetSkelQuery(binding.GetSkeleton())
        if not numbers or not query:
            return taken
        bind = self._matrices(query.GetJointWorldBindTransforms())
        order = [str(each) for each in query.GetJointOrder()]
        for target in binding.GetSkinningTargets():
            mesh = target.GetPrim()
            if not mesh.IsA(p.UsdGeom.Mesh) or not target.HasJointInfluences():
                continue
            own = target.GetJointOrder()
            names = [str(each) for each in own] if own is not None and len(own) else order
            known = [order.index(name) if name in order else 0 for name in names]
            geometry = self._matrix(target.GetGeomBindTransform())
            skin = SceneSkin(prim.GetName(), tuple(numbers), np.linalg.inv(bind) @ geometry, numbers[0])
            self.made.skins.append(skin)
            self._mesh(mesh, target, np.array(known, dtype=np.int64))
            taken.add(mesh.GetPath())
        return taken

    def _mesh(self, prim: Any, target: Any, known: Any) -> None:
        p = self.p
        mesh = p.UsdGeom.Mesh(prim)
        code = p.Usd.TimeCode.EarliestTime()
        points = np.array(mesh.GetPointsAttr().Get(code) or [], dtype=np.float64).reshape(-1, 3)
        counts = np.array(mesh.GetFaceVertexCountsAttr().Get(code) or [], dtype=np.int64)
        corners = np.array(mesh.GetFaceVertexIndicesAttr().Get(code) or [], dtype=np.int64)
        where = f'mesh "{prim.GetPath()}"'
        if not len(points) or not len(counts):
            return
        if not np.isfinite(points).all():
            raise self.wrong(f"{where} has a point that is not finite")
        if counts.min() < 0 or counts.sum() != len(corners):
            raise self.wrong(f"{where} has {len(corners)} corners; its faces ask for {int(counts.sum())}")
        if len(corners) and not 0 <= corners.min() <= corners.max() < len(points):
            raise self.wrong(f"{where} has a corner at point {int(corners.max())}; there are {len(points)}")
        triangles = _fans(counts, corners)
        if str(mesh.GetOrientationAttr().Get()) == "leftHanded":
            triangles = triangles[:, [0, 2, 1]]
        color, material = self._color(prim)
        made = Part(points, triangles, None, color, material)
        node = self.made.nodes[self.number[prim.GetPath()]]
        if target is not None:
            found = target.ComputeVaryingJointInfluences(len(points), code)
            joints, weights = (np.array(each) for each in found)
            width = len(joints) // len(points) if len(points) else 0
            if not width or len(joints) != width * len(points) or len(weights) != len(joints):
                raise self.wrong(f"{where} has {len(joints)} joint influences for {len(points)} points")
            if joints.min() < 0 or joints.max() >= len(known):
                raise self.wrong(f"{where} follows joint {int(joints.max())}; there are {len(known)}")
            table = np.nan_to_num(weights.reshape(-1, width).astype(np.float64))
            followed, made.weights = strongest(joints.reshape(-1, width).astype(np.int64), table)
            made.joints = known[followed]
            node.skin = len(self.made.skins) - 1
        node.mesh = len(self.made.meshes)
        self.made.meshes.append(SceneMesh(prim.GetName(), [made]))

    def _color(self, prim: Any) -> tuple[Color | None, str]:
        p = self.p
        material, _ = p.UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()
        value, name = None, ""
        if material:
            name = material.GetPrim().GetName()
            shader = material.ComputeSurfaceSource()[0]
            given = shader.GetInput("diffuseColor") if shader else None
            value = given.Get() if given and not given.HasConnectedSource() else None
        if value is None:
            shown = p.UsdGeom.Gprim(prim).GetDisplayColorAttr().Get(p.Usd.TimeCode.EarliestTime())
            value = shown[0] if shown is not None and len(shown) else None
        if value is None:
            return None, name
        return to_screen((float(value[0]), float(value[1]), float(value[2]))), name

    # -- motion ----------------------------------------------------------------------------------------------------

    def _clips(self, progress: Progress | None) -> None:
        clips = sorted(self.animations) or ([""] if self.moves else [])
        for number, key in enumerate(clips):
            report(progress, number / len(clips))
            rows = self.animations.get(key, [])
            moves = self.moves if key == clips[0] else {}
            times: set[float] = set()
            for animation, _, _ in rows:
                times |= set(animation.GetJointTransformTimeSamples())
            for shaped in moves.values():
                times |= set(shaped.GetTimeSamples())
            if not times:
                continue
            first, last = min(times), max(times)
            told = [row[2].GetAttribute(f"{MEMBER}:fps").Get() for row in rows]
            fps = float(told[0]) if told and isinstance(told[0], float) and 0.01 <= told[0] <= 1e6 else self.fps
            span = (last - first) / self.codes * fps
            joints = sum(len(own) for _, own, _ in rows) + len(moves)
            count = frames_of(span, joints)
            if count is None:
                raise self.wrong(f"lasts {span / fps:.3g} s for {joints} joints; so long a motion is not read")
            name = next((row[2].GetDisplayName() or row[2].GetName() for row in rows), "animation")
            clip = SceneClip(name, fps, count)
            codes: Array = first + np.arange(clip.count, dtype=np.float64) * (self.codes / fps)
            for animation, own, _ in rows:
                self._joints(clip, animation, own, codes)
            for at, shaped in moves.items():
                frames = np.array([self._matrix(shaped.GetLocalTransformation(float(code))) for code in codes])
                places, turns, sizes = trs_of(frames)
                clip.tracks[at] = Track(places, one_side(turns), sizes)
            for camera, prim in self.lenses.items() if key == clips[0] else ():
                clip.fovs[camera] = np.array([self._fov(prim, float(code)) for code in codes])
            self.made.clips.append(clip)

    def _joints(self, clip: SceneClip, animation: Any, own: list[int], codes: Array) -> None:
        frames = np.empty((len(codes), len(own), 4, 4))
        for k, code in enumerate(codes.tolist()):
            found = animation.ComputeJointLocalTransforms(code)
            if found is None or len(found) != len(own):
                raise self.wrong(f'animation "{animation.GetPrim().GetPath()}" does not say where its joints are')
            frames[k] = self._matrices(found)
        places, turns, sizes = trs_of(frames)
        for row, number in enumerate(own):
            if number >= 0:
                clip.tracks[number] = Track(places[:, row], one_side(turns[:, row]), sizes[:, row])

    # -- our own ---------------------------------------------------------------------------------------------------

    def _record(self) -> None:
        """Take what this program has left beside the scene, if it is whole."""
        text = self.layer.customLayerData.get(MEMBER)
        try:
            record = json.loads(text) if isinstance(text, str) else None
        except (ValueError, RecursionError):
            return
        prim = self.stage.GetDefaultPrim()
        if not isinstance(record, dict) or not prim:
            return
        holders, count = record.get("holders"), record.get("poses")
        if not isinstance(holders, list) or not isinstance(count, int) or not 0 <= count <= MOST_PRIMS:
            return
        known = {str(path): number for path, number in self.number.items()}
        poses = [prim.GetAttribute(f"{MEMBER}:poses_{k}").Get() for k in range(count)]
        if not all(isinstance(each, str) and each in known for each in holders) or any(each is None for each in poses):
            return
        self.made.poses = [np.array(each, dtype=np.float64).reshape(-1) for each in poses]
        self.made.figures = [known[each] for each in holders]
        self.made.record = record


def _fans(counts: Any, corners: Any) -> Any:
    """Return faces as triangles, each a fan about its first corner, shape (m, 3)."""
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    found = [np.zeros((0, 3), dtype=np.int64)]
    for count in np.unique(counts[counts >= 3]).tolist():
        rows = starts[counts == count][:, None]
        for k in range(1, count - 1):
            found.append(corners[rows + np.array([0, k, k + 1])])
    return np.concatenate(found)
