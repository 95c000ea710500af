"""Object files in other formats, and what broken ones get."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh

from core.errors import FormatError
from core.skeleton.objects.loading import MOST_BYTES, decode, load_object
from core.spatial.inertia import SpatialInertia


def save(mesh: trimesh.Trimesh | trimesh.Scene, path: Path) -> Path:
    mesh.export(path)
    return path


@pytest.mark.parametrize("suffix", [".obj", ".stl", ".ply", ".glb", ".OBJ"])
def test_foreign_formats(tmp_path: Path, suffix: str) -> None:
    box = trimesh.creation.box(extents=(1, 2, 3))
    path = tmp_path / f"box{suffix.lower()}"
    save(box, path)
    path = path.rename(tmp_path / f"box{suffix}")
    mesh = load_object(path, path.name)
    assert mesh.triangles.shape == (12, 3) and mesh.triangles.dtype == np.int32
    body = SpatialInertia.mesh(mesh.vertices, mesh.triangles, density=1.0)
    assert body.mass == pytest.approx(6.0, rel=1e-6)
    assert mesh.bounds[0] == pytest.approx([-0.5, -1.0, -1.5])


def test_text_stl_and_polygons_in_obj(tmp_path: Path) -> None:
    path = tmp_path / "box.stl"
    path.write_text(trimesh.creation.box().export(file_type="stl_ascii"))
    assert len(load_object(path, "box.stl").triangles) == 12
    path = tmp_path / "quad.obj"
    path.write_text("mtllib no/such/file.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n")
    mesh = load_object(path, "quad.obj")
    assert len(mesh.triangles) == 2 and len(mesh.vertices) == 4


def test_a_glb_scene_keeps_its_transforms(tmp_path: Path) -> None:
    scene = trimesh.Scene()
    for x in (0.0, 5.0):
        scene.add_geometry(trimesh.creation.box(), transform=trimesh.transformations.translation_matrix([x, 0, 0]))
    mesh = load_object(save(scene, tmp_path / "two.glb"), "two.glb")
    assert mesh.bounds[0] == pytest.approx([-0.5, -0.5, -0.5])
    assert mesh.bounds[1] == pytest.approx([5.5, 0.5, 0.5])


def one_problem(path: Path) -> str:
    with pytest.raises(FormatError) as caught:
        load_object(path, path.name)
    assert len(caught.value.problems) == 1
    assert caught.value.problems[0].file == path.name
    return caught.value.problems[0].message


@pytest.mark.parametrize("suffix", ["obj", "stl", "ply", "glb"])
@pytest.mark.parametrize("data", [b"", b"rubbish", b"\x00" * 200, b"\xff\xfe" * 50, b"ply\nformat ascii 1.0\n"])
def test_rubbish_is_one_problem(tmp_path: Path, suffix: str, data: bytes) -> None:
    path = tmp_path / f"bad.{suffix}"
    path.write_bytes(data)
    if suffix == "obj" and data.startswith(b"ply"):  # two lines, and neither belongs into an .obj file
        with pytest.raises(FormatError, match="does not begin a line"):
            load_object(path, path.name)
        return
    assert "expected" in one_problem(path)


def test_huge_counts_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "bad.stl"
    path.write_bytes(b"\x00" * 80 + b"\xff\xff\xff\x7f" + b"\x00" * 500)
    assert "expected" in one_problem(path)
    path = tmp_path / "bad.ply"
    path.write_bytes(
        b"ply\nformat binary_little_endian 1.0\nelement vertex 999999999999\nproperty float x\nproperty float y\n"
        b"property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n\x00\x00"
    )
    assert "ends before its 999999999999" in one_problem(path)


def test_numbers_that_are_not_finite(tmp_path: Path) -> None:
    path = tmp_path / "bad.obj"
    path.write_text("v 0 0 0\nv 1 nan 0\nv 1 1 0\nf 1 2 3\n")
    assert "expected" in one_problem(path) or "finite" in one_problem(path)


def test_too_large(tmp_path: Path) -> None:
    path = tmp_path / "big.stl"
    with path.open("wb") as stream:
        stream.truncate(MOST_BYTES + 1)
    assert "larger than 64 MB" in one_problem(path)


def test_not_utf8_is_located() -> None:
    with pytest.raises(FormatError) as caught:
        decode("é\r\nab".encode() + b"\xc3(", "x.pol")
    problem = caught.value.problems[0]
    assert (problem.line, problem.column) == (2, 3)
    assert "0xC3" in problem.message
    assert decode("\ufeffé".encode(), "x.pol") == "é"
