"""USD files: what the library itself finds in those written here, what comes back, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.errors import FormatError
from core.formats import Project, load, save
from core.kinematics import forward_kinematics
from core.skeleton.skin import skinned_vertices
from tests.unit.formats.test_gltf_writer import scene

Usd = pytest.importorskip("pxr.Usd")
UsdGeom = pytest.importorskip("pxr.UsdGeom")
UsdSkel = pytest.importorskip("pxr.UsdSkel")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, Path]:
    path = tmp_path_factory.mktemp("usd") / "scene.usda"
    project = scene()
    save(project, path)
    return project, path


def test_the_stage_says_its_unit_axis_and_rate(written: tuple[Project, Path]) -> None:
    stage = Usd.Stage.Open(str(written[1]))
    assert UsdGeom.GetStageUpAxis(stage) == "Y" and UsdGeom.GetStageMetersPerUnit(stage) == 1.0
    assert (stage.GetTimeCodesPerSecond(), stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (25.0, 0.0, 20.0)


def test_joints_and_skin_are_where_they_are_here(written: tuple[Project, Path]) -> None:
    project, path = written
    stage = Usd.Stage.Open(str(path))
    root = UsdSkel.Root(stage.GetPrimAtPath("/World/arm"))
    cache = UsdSkel.Cache()
    cache.Populate(root, Usd.PrimDefaultPredicate)
    query = cache.GetSkelQuery(UsdSkel.Skeleton(stage.GetPrimAtPath("/World/arm/Skeleton")))
    binding = cache.ComputeSkelBindings(root, Usd.PrimDefaultPredicate)[0]
    arm, crate = (sequence.skeleton for sequence in project.sequences)
    for code in (0.0, 7.0, 20.0):
        X = forward_kinematics(arm, project.sequences[0].pose_at_frame(code))
        found = np.array(query.ComputeJointSkelTransforms(code)).swapaxes(1, 2)
        assert found[:2, :3, 3] == pytest.approx(X[:, :3, 3], abs=2e-6)
        transforms, drawn = query.ComputeSkinningTransforms(code), []
        for target in binding.GetSkinningTargets():
            points = UsdGeom.Mesh(target.GetPrim()).GetPointsAttr().Get()
            assert target.ComputeSkinnedPoints(transforms, points, code)
            drawn.append(np.array(points))
        here, there = np.concatenate([skinned_vertices(arm, i, X) for i in range(2)]), np.concatenate(drawn)
        apart = np.linalg.norm(here[:, None] - there[None], axis=2)
        assert apart.min(axis=0).max() < 1e-5 and apart.min(axis=1).max() < 1e-5
        Y = forward_kinematics(crate, project.sequences[1].pose_at_frame(2.0 * code))
        prim = UsdGeom.Xformable(stage.GetPrimAtPath("/World/crate/crate"))
        assert np.array(prim.ComputeLocalToWorldTransform(code)).T == pytest.approx(Y[0], abs=2e-6)


@pytest.mark.parametrize("suffix", [".usda", ".usdc", ".usd", ".usdz"])
def test_nothing_is_lost_on_the_way_back(written: tuple[Project, Path], suffix: str, tmp_path: Path) -> None:
    project, path = written[0], tmp_path / f"scene{suffix}"
    save(project, path)
    again = load(path)
    assert again.imported is None
    for s, t in zip(project.figures, again.figures, strict=True):
        assert t.joint_names == s.joint_names and t.limits == pytest.approx(s.limits)
        assert [joint.mass for joint in t.joints] == [joint.mass for joint in s.joints]
    frames = np.arange(21.0)
    assert np.array_equal(again.sequences[0].poses_at_frames(frames), project.sequences[0].poses_at_frames(frames))


FOREIGN = """#usda 1.0
( upAxis = "Z"
  metersPerUnit = 0.01
  timeCodesPerSecond = 24
)
def Xform "base" {
    double3 xformOp:translate.timeSamples = { 0: (0, 0, 100), 24: (200, 0, 100) }
    uniform token[] xformOpOrder = ["xformOp:translate"]
    def Xform "pole" {
        float xformOp:rotateZ.timeSamples = { 0: 0, 24: 90 }
        double3 xformOp:translate = (0, 0, 50)
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateZ"]
        def Mesh "flag" {
            int[] faceVertexCounts = [4]
            int[] faceVertexIndices = [0, 1, 2, 3]
            point3f[] points = [(0, 0, 0), (100, 0, 0), (100, 0, 30), (0, 0, 30)]
            color3f[] primvars:displayColor = [(1, 0.2140411, 0)]
        }
    }
}
"""


def test_prims_that_move_become_joints_in_metres_and_upright(tmp_path: Path) -> None:
    path = tmp_path / "pole.usda"
    path.write_text(FOREIGN)
    project = load(path)
    s, sequence = project.figures[0], project.sequences[0]
    assert s.joint_names == ("base", "pole") and (sequence.fps, sequence.keys[-1].frame) == (24, 24)
    X = forward_kinematics(s, sequence.pose_at_frame(24))[1]
    assert X[:3, 3] == pytest.approx([2.0, 1.5, 0.0], abs=1e-6)
    mesh = s.joints[1].objects[0].mesh
    assert mesh is not None and len(mesh.triangles) == 2
    ends = mesh.vertices @ X[:3, :3].T + X[:3, 3]
    # A quarter turn about the vertical carries the flag from +x to the back, -z, where z was up before.
    assert ends.min(axis=0) == pytest.approx([2.0, 1.5, -1.0], abs=1e-6)
    assert s.joints[1].color == pytest.approx((1.0, 0.5, 0.0), abs=1e-4)


WRONG = {
    "a face without corners": ("[4]", "[5]", "corners"),
    "a point that is not there": ("[0, 1, 2, 3]", "[0, 1, 2, 9]", "point 9"),
    "a point that is nowhere": ("(100, 0, 30)", "(inf, 0, 30)", "not finite"),
    "an odd unit": ("0.01", "0", "metersPerUnit"),
    "a layer elsewhere": ('upAxis = "Z"', 'upAxis = "Z"\n subLayers = [@/etc/passwd.usda@]', "beside it"),
    "a layer in the net": ('upAxis = "Z"', 'upAxis = "Z"\n subLayers = [@https://x.y/z.usda@]', "beside it"),
}


@pytest.mark.parametrize(("old", "new", "named"), WRONG.values(), ids=WRONG.keys())
def test_wrong_files_are_refused(old: str, new: str, named: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.usda"
    path.write_text(FOREIGN.replace(old, new))
    with pytest.raises(FormatError, match=r"wrong\.usda") as caught:
        load(path)
    assert named in str(caught.value)
