"""Writing USD: each figure as a ``SkelRoot`` with skeleton, meshes and animations, a lone prop as an ``Xform``.

Matrices are transposed on the way: USD multiplies rows from the left. Sizes of joints are half as precise as a float
there; so they go into distances, and all sizes are written as 1.

Source: Pixar, UsdSkel: Skeletons and Animations; UsdGeom.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from core.arrays import Array
from core.errors import CoreError, FormatError, Problem
from core.formats.exchange.baking import scene_of
from core.formats.exchange.frames import parted
from core.formats.exchange.record import MEMBER
from core.formats.exchange.scene import Node, Part, Scene, SceneClip, Track, to_linear, trs_of
from core.formats.extras import needed
from core.formats.files import write_bytes
from core.formats.importing.measures import upright
from core.formats.project import Project
from core.progress import Progress, part, report
from core.spatial.quaternion import one_side

_SENSOR = 24.0  # height of the film, [mm]


def save_usd(project: Project, path: Path, *, progress: Progress | None = None) -> None:
    """Write the figures of a project and all their sequences as a USD file; see ``core.formats.save``.

    Raises:
        FormatError: If the package that is needed is missing, the project has no figure, or the file cannot be written.
    """
    try:
        library(path.name)
        scene = scene_of(project, path.name, part(progress, 0.0, 0.7))
        write_scene(scene, path, project.scene_unit, project.scene_up, part(progress, 0.7, 1.0))
    except FormatError:
        raise
    except CoreError as error:
        raise FormatError(Problem(path.name, 0, 0, str(error))) from None


def write_scene(scene: Scene, path: Path, unit: float, up: str, progress: Progress | None = None) -> None:
    """Write a scene as a USD file; the scene is made rigid by that.

    Args:
        scene: The scene.
        path: The file.
        unit: Metres in one unit of the file.
        up: Axis that points up in it.
        progress: Told what is done.

    Raises:
        FormatError: If the package that is needed is missing, or the file cannot be written.
    """
    pxr = library(path.name)
    rigid(scene)
    stage = _Writer(pxr, scene, unit, up).stage(part(progress, 0.0, 0.7))
    write_bytes(path, _bytes(pxr, stage, path))
    report(progress, 1.0)


def library(file: str) -> Any:
    """Return Pixar's library.

    Raises:
        FormatError: If it is not installed.
    """
    for name in ("Gf", "Sdf", "Tf", "Usd", "UsdGeom", "UsdShade", "UsdSkel", "UsdUtils", "Vt"):
        needed(f"pxr.{name}", "USD", file)
    return needed("pxr", "USD", file)


def _bytes(pxr: Any, stage: Any, path: Path) -> bytes:
    suffix = path.suffix.lower()
    with tempfile.TemporaryDirectory() as folder:
        inner = Path(folder) / f"scene{'.usdc' if suffix == '.usdz' else suffix}"
        if not stage.Export(str(inner)):
            raise FormatError(Problem(path.name, 0, 0, "cannot be written by the USD library"))
        if suffix == ".usdz":
            outer = Path(folder) / "scene.usdz"
            if not pxr.UsdUtils.CreateNewUsdzPackage(pxr.Sdf.AssetPath(str(inner)), str(outer)):
                raise FormatError(Problem(path.name, 0, 0, "cannot be packed by the USD library"))
            inner = outer
        return inner.read_bytes()


def inverted(frames: Array) -> Array:
    """Return the inverses of frames, shape (..., 4, 4)."""
    return np.asarray(np.linalg.inv(frames), dtype=np.float64)


def rigid(scene: Scene) -> None:
    """Put the sizes of nodes into the distances below them, so that every node is rigid; nothing moves by that."""
    if all(np.array_equal(node.scale, np.ones(3)) for node in scene.nodes):
        return
    worlds = scene.rest_worlds()
    frames, _ = parted(worlds)
    for clip in scene.clips:
        _rigid_clip(scene, clip)
    for skin in scene.skins:
        bind, _ = parted(inverted(skin.inverse_bind))
        skin.inverse_bind = inverted(bind)
    for number, node in enumerate(scene.nodes):
        above = np.eye(4) if node.parent < 0 else frames[node.parent]
        local = np.linalg.inv(above) @ frames[number]
        if node.mesh is not None and node.skin is None:
            stretch = np.linalg.inv(frames[number]) @ worlds[number]
            for piece in scene.meshes[node.mesh].parts:
                piece.points = piece.points @ stretch[:3, :3].T + stretch[:3, 3]
        node.translation, node.rotation, _ = trs_of(local)
    for node in scene.nodes:
        node.scale = np.ones(3)


def _rigid_clip(scene: Scene, clip: SceneClip) -> None:
    every = slice(0, clip.count)
    frames: list[Array] = []
    worlds: list[Array] = []
    for number, node in enumerate(scene.nodes):
        local = scene.local_frames(number, clip, every)
        worlds.append(local if node.parent < 0 else worlds[node.parent] @ local)
        frames.append(parted(worlds[number])[0])
    for number, node in enumerate(scene.nodes):
        if len(frames[number]) > 1 or number in clip.tracks:
            above = np.eye(4)[None] if node.parent < 0 else frames[node.parent]
            places, turns, _ = trs_of(np.linalg.inv(above) @ frames[number])
            clip.tracks[number] = Track(places, one_side(turns))


class _Writer:
    """Makes one stage.

    Args:
        pxr: The library.
        scene: The scene; all nodes rigid.
        unit: Metres in one unit of the file.
        up: Axis that points up in the file. Other units and axes turn and size the scene as a whole.
    """

    def __init__(self, pxr: Any, scene: Scene, unit: float = 1.0, up: str = "y"):
        self.p, self.scene, self.unit, self.up = pxr, scene, unit, up
        self.made = pxr.Usd.Stage.CreateInMemory()
        self.rate = scene.clips[0].fps if scene.clips else 24.0
        self.taken: set[str] = set()
        self.materials: dict[tuple[float, float, float], Any] = {}

    def stage(self, progress: Progress | None) -> Any:
        p, made, scene = self.p, self.made, self.scene
        p.UsdGeom.SetStageUpAxis(made, p.UsdGeom.Tokens.z if self.up == "z" else p.UsdGeom.Tokens.y)
        p.UsdGeom.SetStageMetersPerUnit(made, self.unit)
        made.SetTimeCodesPerSecond(self.rate)
        made.SetFramesPerSecond(self.rate)
        made.SetStartTimeCode(0.0)
        ends = [(clip.count - 1) * self.rate / clip.fps for clip in scene.clips]
        made.SetEndTimeCode(max(ends, default=0.0))
        world = p.UsdGeom.Xform.Define(made, "/World")
        made.SetDefaultPrim(world.GetPrim())
        if self.unit != 1.0 or self.up != "y":
            whole = np.eye(4)
            whole[:3, :3] = upright(self.up).T / self.unit
            world.AddTransformOp().Set(p.Gf.Matrix4d(whole.T.tolist()))
        skins = {scene.nodes[skin.joints[0]].parent: number for number, skin in enumerate(scene.skins)}
        holders = []
        for number, holder in enumerate(scene.figures):
            report(progress, number / len(scene.figures))
            if holder in skins:
                holders.append(self._figure(holder, skins[holder]))
            else:
                holders.append(self._prop(holder))
        for number, node in enumerate(scene.nodes):
            if node.camera is not None:
                self._camera(node, number)
            elif node.mesh is not None and node.parent < 0:
                self._thing(node, number)
        if scene.record is not None:
            prim = world.GetPrim()
            for k, q in enumerate(scene.poses):
                values = p.Vt.DoubleArray.FromNumpy(np.ascontiguousarray(q, dtype=np.float64).reshape(-1))
                prim.CreateAttribute(f"{MEMBER}:poses_{k}", p.Sdf.ValueTypeNames.DoubleArray).Set(values)
            text = json.dumps({**scene.record, "holders": holders, "poses": len(scene.poses)})
            made.GetRootLayer().customLayerData = {MEMBER: text}
        return made

    # -- names -----------------------------------------------------------------------------------------------------

    def _path(self, parent: str, name: str) -> str:
        plain = base = f"{parent}/{self.p.Tf.MakeValidIdentifier(name or 'part')}"
        k = 2
        while plain in self.taken:
            plain, k = f"{base}_{k}", k + 1
        self.taken.add(plain)
        return plain

    def _named(self, prim: Any, name: str) -> None:
        if prim.GetName() != name:
            prim.SetDisplayName(name)

    def _code(self, clip: SceneClip, frame: int) -> float:
        return frame * self.rate / clip.fps

    # -- figures ---------------------------------------------------------------------------------------------------

    def _figure(self, holder: int, skin_number: int) -> str:
        p, scene, skin = self.p, self.scene, self.scene.skins[skin_number]
        path = self._path("/World", scene.nodes[holder].name)
        root = p.UsdSkel.Root.Define(self.made, path)
        self._named(root.GetPrim(), scene.nodes[holder].name)
        skeleton = p.UsdSkel.Skeleton.Define(self.made, f"{path}/Skeleton")
        tokens: dict[int, str] = {}
        for number in skin.joints:
            parent = scene.nodes[number].parent
            above = tokens.get(parent, "")
            name = p.Tf.MakeValidIdentifier(scene.nodes[number].name)
            token, k = f"{above}/{name}".lstrip("/"), 2
            while token in tokens.values():
                token, k = f"{above}/{name}_{k}".lstrip("/"), k + 1
            tokens[number] = token
        joints = p.Vt.TokenArray([tokens[number] for number in skin.joints])
        skeleton.CreateJointsAttr(joints)
        skeleton.CreateJointNamesAttr(p.Vt.TokenArray([scene.nodes[number].name for number in skin.joints]))
        bind = inverted(skin.inverse_bind)
        skeleton.CreateBindTransformsAttr(self._matrices(bind))
        skeleton.CreateRestTransformsAttr(self._matrices(np.array([scene.nodes[k].local for k in skin.joints])))
        p.UsdSkel.BindingAPI.Apply(root.GetPrim())
        own = p.UsdSkel.BindingAPI.Apply(skeleton.GetPrim())
        for k, clip in enumerate(scene.clips):
            name = f"{path}/Clip_{k + 1}"
            animation = p.UsdSkel.Animation.Define(self.made, name)
            animation.GetPrim().SetDisplayName(clip.name)
            animation.GetPrim().CreateAttribute(f"{MEMBER}:fps", p.Sdf.ValueTypeNames.Double).Set(float(clip.fps))
            animation.CreateJointsAttr(joints)
            self._animate(animation, clip, skin.joints)
            if k == 0:
                own.CreateAnimationSourceRel().SetTargets([animation.GetPath()])
        order = {number: row for row, number in enumerate(skin.joints)}
        for node in scene.nodes:
            if node.mesh is None or (node.skin != skin_number and node.parent not in order):
                continue
            for piece in scene.meshes[node.mesh].parts:
                points, follows, weights = piece.points, piece.joints, piece.weights
                if follows is None or weights is None:
                    row = order[node.parent]
                    points = points @ bind[row, :3, :3].T + bind[row, :3, 3]
                    follows, weights = np.full((len(points), 1), row), np.ones((len(points), 1))
                mesh = self._mesh(self._path(path, node.name), piece, points)
                binding = p.UsdSkel.BindingAPI.Apply(mesh.GetPrim())
                binding.CreateSkeletonRel().SetTargets([skeleton.GetPath()])
                binding.CreateGeomBindTransformAttr(p.Gf.Matrix4d(1.0))
                width = follows.shape[1]
                binding.CreateJointIndicesPrimvar(False, width).Set(
                    p.Vt.IntArray.FromNumpy(follows.astype(np.int32).reshape(-1))
                )
                binding.CreateJointWeightsPrimvar(False, width).Set(
                    p.Vt.FloatArray.FromNumpy(weights.astype(np.float32).reshape(-1))
                )
        return str(skeleton.GetPath())

    def _animate(self, animation: Any, clip: SceneClip, joints: tuple[int, ...]) -> None:
        p, scene = self.p, self.scene
        count, n = clip.count, len(joints)
        places, turns = np.empty((count, n, 3), np.float32), np.empty((count, n, 4), np.float32)
        for row, number in enumerate(joints):
            node, track = scene.nodes[number], clip.tracks.get(number, Track())
            places[:, row] = node.translation if track.translation is None else track.translation
            turns[:, row] = node.rotation if track.rotation is None else track.rotation
        translations, rotations = animation.CreateTranslationsAttr(), animation.CreateRotationsAttr()
        ones = p.Vt.Vec3hArray(n, p.Gf.Vec3h(1.0, 1.0, 1.0))
        scales = animation.CreateScalesAttr()
        imaginary_first = turns[..., [1, 2, 3, 0]]  # as the library keeps them in memory
        for k in range(count):
            code = self._code(clip, k)
            translations.Set(p.Vt.Vec3fArray.FromNumpy(places[k]), code)
            rotations.Set(p.Vt.QuatfArray.FromNumpy(np.ascontiguousarray(imaginary_first[k])), code)
            scales.Set(ones, code)

    def _matrices(self, frames: Array) -> Any:
        rows = np.ascontiguousarray(np.swapaxes(frames, 1, 2))
        return self.p.Vt.Matrix4dArray([self.p.Gf.Matrix4d(each) for each in rows.tolist()])

    def _prop(self, holder: int) -> str:
        p, scene = self.p, self.scene
        joint = next(k for k, node in enumerate(scene.nodes) if node.parent == holder and node.mesh is None)
        path = self._path("/World", scene.nodes[holder].name)
        self._named(p.UsdGeom.Xform.Define(self.made, path).GetPrim(), scene.nodes[holder].name)
        inner = self._path(path, scene.nodes[joint].name)
        xform = p.UsdGeom.Xform.Define(self.made, inner)
        self._named(xform.GetPrim(), scene.nodes[joint].name)
        self._transform(xform, scene.nodes[joint], joint)
        for node in scene.nodes:
            if node.mesh is not None and node.parent == joint:
                for piece in scene.meshes[node.mesh].parts:
                    self._mesh(self._path(inner, node.name), piece, piece.points)
        return path

    def _thing(self, node: Node, number: int) -> None:
        """Write what belongs to no figure: ground, obstacles, rigid bodies."""
        path = self._path("/World", node.name)
        xform = self.p.UsdGeom.Xform.Define(self.made, path)
        self._named(xform.GetPrim(), node.name)
        self._transform(xform, node, number)
        assert node.mesh is not None
        for piece in self.scene.meshes[node.mesh].parts:
            self._mesh(self._path(path, node.name), piece, piece.points)

    def _transform(self, xform: Any, node: Node, number: int) -> None:
        """Give a prim the place and turn of a node, over the first clip where it moves."""
        p = self.p
        translate, orient = xform.AddTranslateOp(), xform.AddOrientOp(p.UsdGeom.XformOp.PrecisionFloat)
        clip = self.scene.clips[0] if self.scene.clips else None
        track = clip.tracks.get(number) if clip is not None else None
        translate.Set(p.Gf.Vec3d(*node.translation.tolist()))
        orient.Set(p.Gf.Quatf(*node.rotation.tolist()))
        if clip is None or track is None:
            return
        for k in range(clip.count):
            if track.translation is not None:
                translate.Set(p.Gf.Vec3d(*track.translation[k].tolist()), self._code(clip, k))
            if track.rotation is not None:
                orient.Set(p.Gf.Quatf(*track.rotation[k].tolist()), self._code(clip, k))

    def _mesh(self, path: str, piece: Part, points: Array) -> Any:
        p = self.p
        mesh = p.UsdGeom.Mesh.Define(self.made, path)
        places = np.ascontiguousarray(points, dtype=np.float32)
        mesh.CreatePointsAttr(p.Vt.Vec3fArray.FromNumpy(places))
        mesh.CreateFaceVertexCountsAttr(p.Vt.IntArray(len(piece.triangles), 3))
        corners = np.ascontiguousarray(piece.triangles.reshape(-1), dtype=np.int32)
        mesh.CreateFaceVertexIndicesAttr(p.Vt.IntArray.FromNumpy(corners))
        mesh.CreateSubdivisionSchemeAttr(p.UsdGeom.Tokens.none)
        mesh.CreateDoubleSidedAttr(True)
        mesh.CreateExtentAttr(p.Vt.Vec3fArray.FromNumpy(np.stack([places.min(axis=0), places.max(axis=0)])))
        if piece.normals is not None:
            normals = np.ascontiguousarray(piece.normals, dtype=np.float32)
            mesh.CreateNormalsAttr(p.Vt.Vec3fArray.FromNumpy(normals))
            mesh.SetNormalsInterpolation(p.UsdGeom.Tokens.vertex)
        color = to_linear(piece.color or (1.0, 1.0, 1.0))
        mesh.CreateDisplayColorAttr(p.Vt.Vec3fArray([p.Gf.Vec3f(*color)]))
        p.UsdShade.MaterialBindingAPI.Apply(mesh.GetPrim()).Bind(self._material(color, piece.material))
        return mesh

    def _material(self, color: tuple[float, float, float], name: str) -> Any:
        if color not in self.materials:
            p = self.p
            path = self._path("/World/Materials", "color_" + name.lstrip("#"))
            material = p.UsdShade.Material.Define(self.made, path)
            shader = p.UsdShade.Shader.Define(self.made, f"{path}/Surface")
            shader.CreateIdAttr("UsdPreviewSurface")
            shader.CreateInput("diffuseColor", p.Sdf.ValueTypeNames.Color3f).Set(p.Gf.Vec3f(*color))
            shader.CreateInput("roughness", p.Sdf.ValueTypeNames.Float).Set(0.8)
            material.CreateSurfaceOutput().ConnectToSource(shader.ConnectableAPI(), "surface")
            self.materials[color] = material
        return self.materials[color]

    def _camera(self, node: Node, number: int) -> None:
        p, scene = self.p, self.scene
        assert node.camera is not None
        camera = p.UsdGeom.Camera.Define(self.made, self._path("/World", node.name))
        self._named(camera.GetPrim(), node.name)
        self._transform(camera, node, number)
        # In tenths of a unit of the scene, which in metres is what other programs take for millimetres all the same.
        camera.CreateVerticalApertureAttr(_SENSOR)
        camera.CreateHorizontalApertureAttr(1.5 * _SENSOR)
        camera.CreateClippingRangeAttr(p.Gf.Vec2f(0.05, 1000.0))
        lens = camera.CreateFocalLengthAttr(0.5 * _SENSOR / float(np.tan(0.5 * scene.cameras[node.camera].fov)))
        for clip in scene.clips[:1]:
            for k, fov in enumerate(clip.fovs.get(node.camera, ())):
                lens.Set(0.5 * _SENSOR / float(np.tan(0.5 * fov)), self._code(clip, k))
