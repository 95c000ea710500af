"""Objects of other programs: shapes, places, masses, and what their files get wrong."""

from __future__ import annotations

import json
import struct
import sys
from pathlib import Path

import numpy as np
import pytest
import trimesh
from trimesh.transformations import rotation_matrix, translation_matrix

from core.errors import FormatError
from core.skeleton import load_skeleton, read_pol, read_scr, write_pol
from core.skeleton.foreign import glb
from core.skeleton.mass import mass_properties
from core.skeleton.mesh import Mesh
from core.skeleton.objects.closed import is_closed
from core.skeleton.objects.loading import FOREIGN, load_object, unit_remark
from core.skeleton.segment import segment_mesh
from core.spatial.inertia import SpatialInertia
from tests.support.figures import box_mesh
from tests.support.fuzzing import watched

CORNERS = [(0, 0, 0), (2, 0, 0), (2, 1, 0), (0, 1, 0), (0, 0, 3), (2, 0, 3), (2, 1, 3), (0, 1, 3)]
QUADS = [(0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (2, 3, 7, 6), (1, 2, 6, 5), (0, 4, 7, 3)]


def load(folder: Path, name: str, data: bytes | str) -> Mesh:
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return load_object(path, name)


def problems(folder: Path, name: str, data: bytes | str) -> list[str]:
    with pytest.raises(FormatError) as caught:
        load(folder, name, data)
    return [str(problem) for problem in caught.value.problems]


def obj_text(corners: list[tuple[float, ...]], faces: list[tuple[int, ...]]) -> str:
    lines = ["v " + " ".join(map(str, corner)) for corner in corners]
    return "\n".join([*lines, *("f " + " ".join(str(k + 1) for k in face) for face in faces)]) + "\n"


def enclosed_volume(mesh: Mesh) -> float:
    return float(trimesh.Trimesh(mesh.vertices, mesh.triangles, process=False).volume)


def area_of(mesh: Mesh) -> float:
    a, b, c = np.moveaxis(mesh.vertices[mesh.triangles], 1, 0)
    return 0.5 * float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum())


def is_the_box(mesh: Mesh) -> None:
    assert mesh.bounds[0] == pytest.approx([0, 0, 0]) and mesh.bounds[1] == pytest.approx([2, 1, 3])
    assert len(mesh.vertices) == 8 and len(mesh.triangles) == 12
    assert is_closed(mesh) and enclosed_volume(mesh) == pytest.approx(6.0)


# -- all kinds --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", FOREIGN)
@pytest.mark.parametrize("shape", ["box", "capsule", "annulus"])
def test_what_trimesh_writes_is_read_with_vertices_merged(tmp_path: Path, suffix: str, shape: str) -> None:
    whole = {
        "box": trimesh.creation.box((2, 1, 3), transform=translation_matrix((1, 0.5, 1.5))),
        "capsule": trimesh.creation.capsule(0.5, 0.1),
        "annulus": trimesh.creation.annulus(0.1, 0.2, 0.3),
    }[shape]
    whole.merge_vertices()
    path = tmp_path / f"a{suffix}"
    whole.export(path)
    mesh = load_object(path, path.name)
    assert len(mesh.triangles) == len(whole.faces) and len(mesh.vertices) == len(whole.vertices)
    body = SpatialInertia.mesh(mesh.vertices, mesh.triangles, density=1000.0)
    whole.density = 1000.0
    assert body.mass == pytest.approx(whole.mass, rel=1e-5)
    assert body.center == pytest.approx(whole.center_mass, abs=1e-6)
    assert body.inertia == pytest.approx(whole.moment_inertia, rel=1e-4, abs=1e-5 * float(whole.mass))
    assert is_closed(mesh)


@pytest.mark.parametrize("suffix", [".stl", ".ply", ".obj", ".glb"])
def test_split_vertices_become_one(tmp_path: Path, suffix: str) -> None:
    box = trimesh.creation.box((2, 1, 3), transform=translation_matrix((1, 0.5, 1.5)))
    box.unmerge_vertices()
    assert len(box.vertices) == 36
    path = tmp_path / f"a{suffix}"
    box.export(path)
    is_the_box(load_object(path, path.name))


@pytest.mark.parametrize("suffix", [".stl", ".ply", ".obj", ".glb"])
def test_a_shape_that_is_inside_out_is_turned(tmp_path: Path, suffix: str) -> None:
    box = trimesh.creation.box()
    box.invert()
    path = tmp_path / f"a{suffix}"
    box.export(path)
    assert enclosed_volume(load_object(path, path.name)) == pytest.approx(1.0)


def test_what_is_read_can_be_written_as_pol(tmp_path: Path) -> None:
    mesh = load(tmp_path, "a.obj", obj_text(CORNERS, QUADS) + "f 1 1 2\nf 1 2 1\nf 1 2 3 2 1 5\n")
    again = read_pol(write_pol(mesh))
    assert np.array_equal(again.vertices, mesh.vertices)
    assert sorted(map(sorted, again.triangles.tolist())) == sorted(map(sorted, mesh.triangles.tolist()))


# -- .obj -------------------------------------------------------------------------------------------------------------


def test_obj_quads_are_cut(tmp_path: Path) -> None:
    is_the_box(load(tmp_path, "a.obj", obj_text(CORNERS, QUADS)))


def test_obj_negative_numbers_count_from_where_they_stand(tmp_path: Path) -> None:
    text = ""
    for z in (0, 5):
        text += "".join(f"v {x} {y} {z}\n" for x, y in ((0, 0), (1, 0), (0, 1))) + "f -3 -2 -1\n"
    mesh = load(tmp_path, "a.obj", text)
    assert mesh.vertices[:, 2].tolist() == [0, 0, 0, 5, 5, 5] and mesh.triangles.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_obj_concave_polygons_are_cut_along_their_outline(tmp_path: Path) -> None:
    arrow = [(0, 0, 0), (2, -2, 0), (0, 3, 0), (-2, -2, 0)]  # concave at the first corner
    mesh = load(tmp_path, "a.obj", obj_text(arrow, [(1, 2, 3, 0)]))
    areas = 0.5 * np.cross(
        *np.moveaxis(mesh.vertices[mesh.triangles][:, 1:] - mesh.vertices[mesh.triangles][:, :1], 1, 0)
    )
    assert (areas[:, 2] > 0).all() and areas[:, 2].sum() == pytest.approx(6.0)


@pytest.mark.parametrize("corner", ["{0}", "{0}/1", "{0}//1", "{0}/1/1", "{0}/", "{0}//"])
def test_obj_corners_in_every_form(tmp_path: Path, corner: str) -> None:
    faces = "".join("f " + " ".join(corner.format(k + 1) for k in quad) + "\n" for quad in QUADS)
    head = "mtllib gone.mtl\no box\nvt 0 0\nvn 0 0 1\ng side\nusemtl none\ns off\n"
    is_the_box(load(tmp_path, "a.obj", head + obj_text(CORNERS, []) + faces))


def test_obj_takes_what_people_and_programs_write(tmp_path: Path) -> None:
    text = obj_text(CORNERS, QUADS)
    is_the_box(load(tmp_path, "a.obj", text.replace("\n", "\r\n")))
    is_the_box(load(tmp_path, "a.obj", "\ufeff" + text.replace("\n", " # a remark\n")))
    is_the_box(load(tmp_path, "a.obj", text.replace("v 2 1 3", "v 2 \\\n 1 3")))
    is_the_box(load(tmp_path, "a.obj", text.replace("v 2 1 3", "v 2 1 3 1.0 0.5 0.25")))  # a colour
    is_the_box(load(tmp_path, "a.obj", text.replace("v 2 1 3", "v 2.0 1e0 +3.")))
    is_the_box(load(tmp_path, "a.obj", b"# caf\xe9\ng caf\xe9\n" + text.encode()))
    is_the_box(load(tmp_path, "a.obj", text + "l 1 2\np 3\nf 1 2\nv 9 9 9\n"))


def test_obj_mixed_polygons_with_and_without_textures(tmp_path: Path) -> None:
    hexagon = [(0, 0, 0), (2, 0, 0), (3, 1, 0), (2, 2, 0), (0, 2, 0), (-1, 1, 0)]
    mesh = load(tmp_path, "a.obj", obj_text(hexagon, []) + "vt 0 0\nf 1/1 2/1 3/1\nf 1 2 3 4 5 6\n")
    assert len(mesh.triangles) == 5


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("f 1 1 99", "3:1: there is no vertex 99; expected a number from 1 to 1"),
        ("f 0 1 1", '"0" is not a corner'),
        ("f 1 -5 1", "counts back past"),
        ("f 1 x 2", '"x" is not a corner'),
        ("f 1.5 1 1", '"1.5" is not a corner'),
        ("v 1 2", "a vertex of 2 numbers"),
        ("v 1 2 1_0", '"1_0" is not a number'),
        ("v 1 2 3,5", '"3,5" is not a number'),
        ("vv 1 2 3", '"vv" does not begin a line'),
    ],
)
def test_obj_problems_have_their_line(tmp_path: Path, line: str, said: str) -> None:
    found = problems(tmp_path, "a.obj", f"# broken\nv 1 2 3\n{line}\n")
    assert len(found) == 1 and found[0].startswith("a.obj:3:1: ") and said in found[0]


def test_obj_lists_all_its_problems(tmp_path: Path) -> None:
    found = problems(tmp_path, "a.obj", "v 1 2\nv x 0 0\nv 0 0 0\nf 1 2 q\n")
    assert [text.split(":")[1] for text in found] == ["1", "2", "4"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("v 0 0 0\nv 1 0 0\nv 0 1 0\n", "no polygons"),
        ("v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n", "without area"),
        ("v 0 0 0\nv 1 0 0\nv 0 1 inf\nf 1 2 3\n", "finite"),
        ("v 0 0 0\nv 1 0 0\nv 0 1 1e12\nf 1 2 3\n", "finite"),
        ("p 1\n", "no polygons"),
    ],
)
def test_obj_without_a_shape(tmp_path: Path, text: str, said: str) -> None:
    (found,) = problems(tmp_path, "a.obj", text)
    assert said in found


@pytest.mark.parametrize("name", ["raylib_cube", "redmax_cuboid", "redmax_gears", "mh_proxy741", "mh_male1591"])
def test_reference_meshes(data_folder: Path, name: str) -> None:
    path = data_folder / "meshes" / f"{name}.obj"
    mesh = load_object(path, path.name)
    other = trimesh.load(path, force="mesh", process=False, skip_materials=True)
    assert mesh.bounds[0] == pytest.approx(other.bounds[0]) and mesh.bounds[1] == pytest.approx(other.bounds[1])
    assert len(mesh.triangles) == len(other.faces)
    assert area_of(mesh) == pytest.approx(float(other.area), rel=2e-3)  # quads that are not flat are cut either way


def test_redmax_shapes_have_the_mass_of_their_formulas(data_folder: Path) -> None:
    cuboid = load_object(data_folder / "meshes" / "redmax_cuboid.obj", "cuboid.obj")
    body = SpatialInertia.mesh(cuboid.vertices, cuboid.triangles, density=2.0)
    closed_form = SpatialInertia.box(2.0 * 1 * 2 * 3, (1, 2, 3))
    assert body.mass == pytest.approx(closed_form.mass, rel=1e-5)
    assert body.inertia == pytest.approx(closed_form.inertia, rel=1e-5, abs=1e-4)
    gears = load_object(data_folder / "meshes" / "redmax_gears.obj", "gears.obj")
    whole = trimesh.load(data_folder / "meshes" / "redmax_gears.obj", force="mesh", skip_materials=True)
    whole.merge_vertices(merge_norm=True, merge_tex=True)
    assert is_closed(gears) == whole.is_watertight
    body = SpatialInertia.mesh(gears.vertices, gears.triangles, density=1.0)
    assert body.mass == pytest.approx(whole.volume, rel=1e-6)
    assert body.center == pytest.approx(whole.center_mass, abs=1e-6)
    assert body.inertia == pytest.approx(whole.moment_inertia, rel=1e-5, abs=1e-5)


# -- .ply -------------------------------------------------------------------------------------------------------------


def ply(order: str, faces: list[tuple[int, ...]], index: str = "int", extra: bool = False) -> bytes:
    """The box, with colours before and values after what matters if ``extra``."""
    kind = {"<": "binary_little_endian", ">": "binary_big_endian", "": "ascii"}[order]
    letter = {"int": "i", "uint": "I", "short": "h", "uchar": "B"}[index]
    head = f"ply\nformat {kind} 1.0\ncomment made by hand\n"
    if extra:
        head += "element material 2\nproperty list uchar short weird\nproperty float shine\n"
    head += f"element vertex {len(CORNERS)}\n" + "property uchar red\n" * extra
    head += "".join(f"property float {axis}\n" for axis in "xyz") + "property double quality\n" * extra
    head += f"element face {len(faces)}\n" + "property uchar flags\n" * extra
    head += f"property list uchar {index} vertex_indices\n" + "property list uchar float texcoord\n" * extra
    head += "end_header\n"
    if not order:
        rows = ["2 7 8 0.5", "0 0.25"] if extra else []
        rows += [("255 " * extra + "%g %g %g" + " 0.1" * extra) % corner for corner in CORNERS]
        for face in faces:
            words = [*(["7"] * extra), str(len(face)), *map(str, face), *(["2", "0.5", "0.5"] * extra)]
            rows.append(" ".join(words))
        return (head + "\n".join(rows) + "\n").encode()
    data = struct.pack(order + "B2hfBf", 2, 7, 8, 0.5, 0, 0.25) if extra else b""
    for corner in CORNERS:
        data += b"\xff" * extra + struct.pack(order + "3f", *corner) + struct.pack(order + "d", 0.1) * extra
    for face in faces:
        data += b"\x07" * extra + struct.pack(order + f"B{len(face)}{letter}", len(face), *face)
        data += struct.pack(order + "B2f", 2, 0.5, 0.5) * extra
    return head.encode() + data


TRIANGLES = [face for a, b, c, d in QUADS for face in ((a, b, c), (a, c, d))]
MIXED = [*QUADS[:3], *TRIANGLES[6:]]


@pytest.mark.parametrize("order", ["<", ">", ""])
@pytest.mark.parametrize(
    "faces", [QUADS, TRIANGLES, MIXED, MIXED[::-1]], ids=["quads", "triangles", "mixed", "mixed 2"]
)
@pytest.mark.parametrize("extra", [False, True])
def test_ply_of_every_kind(tmp_path: Path, order: str, faces: list[tuple[int, ...]], extra: bool) -> None:
    for index in ("int", "uint", "short", "uchar"):
        is_the_box(load(tmp_path, "a.ply", ply(order, faces, index, extra)))


def test_ply_polygons_of_many_corners(tmp_path: Path) -> None:
    ring = np.linspace(0, 2 * np.pi, 9)[:-1]
    prism = [(np.cos(t), np.sin(t), z) for z in (0.0, 1.0) for t in ring]
    sides = [(k, (k + 1) % 8, 8 + (k + 1) % 8, 8 + k) for k in range(8)]
    faces = [tuple(range(7, -1, -1)), tuple(range(8, 16)), *sides]
    lines = [f"{x} {y} {z}" for x, y, z in prism] + [" ".join(map(str, (len(f), *f))) for f in faces]
    head = "ply\nformat ascii 1.0\nelement vertex 16\nproperty double x\nproperty double y\nproperty double z\n"
    head += f"element face {len(faces)}\nproperty list int int vertex_index\nend_header\n"
    mesh = load(tmp_path, "a.ply", head + "\n".join(lines) + "\n")
    assert is_closed(mesh) and enclosed_volume(mesh) == pytest.approx(4 * np.sin(np.pi / 4), rel=1e-9)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ((b"element vertex 8", b"element vertex 9"), "ends before|is no|not there|more than"),
        ((b"element face 6", b"element face 60000000"), "ends before"),
        ((b"element face 6", b"element face 0"), "no polygons"),
        ((b"element face 6", b"element tooth 6"), "no polygons"),
        ((b"float x", b"float q"), "x, y and z"),
        ((b"vertex_indices", b"indices"), "vertex_indices"),
        ((b"list uchar int", b"list float int"), "makes no sense"),
        ((b"list uchar int", b"list uchar float"), "vertex_indices"),
        ((b"end_header", b"end_of_header"), "makes no sense|does not end"),
        ((b"format", b"farmat"), "makes no sense"),
        ((b"ply\n", b"plx\n"), "does not begin"),
    ],
)
@pytest.mark.parametrize("order", ["<", ">", ""])
def test_ply_problems(tmp_path: Path, order: str, change: tuple[bytes, bytes], said: str) -> None:
    import re

    (found,) = problems(tmp_path, "a.ply", ply(order, QUADS).replace(*change, 1))
    assert re.search(said, found), found


def test_ply_of_points_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.ply"
    trimesh.PointCloud(np.random.default_rng(1).normal(size=(20, 3))).export(path)
    (found,) = problems(tmp_path, "a.ply", path.read_bytes())
    assert "no polygons" in found


# -- .stl -------------------------------------------------------------------------------------------------------------


def test_stl_binary_that_begins_like_text(tmp_path: Path) -> None:
    data = bytearray(
        trimesh.creation.box((2, 1, 3), transform=translation_matrix((1, 0.5, 1.5))).export(file_type="stl")
    )
    data[:10] = b"solid box "
    is_the_box(load(tmp_path, "a.stl", bytes(data)))


def test_stl_text_of_several_solids(tmp_path: Path) -> None:
    parts = [
        trimesh.creation.box(transform=translation_matrix((x, 0, 0)))
        .export(file_type="stl_ascii")
        .replace("solid", f"solid {x}")
        for x in (0, 3)
    ]
    mesh = load(
        tmp_path,
        "a.stl",
        "\n".join(part.replace(f"endsolid {k}", "endsolid") for part, k in zip(parts, (0, 3), strict=True)),
    )
    assert len(mesh.triangles) == 24 and mesh.bounds[1][0] == pytest.approx(3.5)


@pytest.mark.parametrize("data", [b"solid nothing\nendsolid nothing\n", b"\0" * 84, b"solid x\nfacet normal 0 0"])
def test_stl_without_triangles(tmp_path: Path, data: bytes) -> None:
    (found,) = problems(tmp_path, "a.stl", data)
    assert "expected" in found


# -- .glb -------------------------------------------------------------------------------------------------------------


def made_glb(document: dict, binary: bytes = b"") -> bytes:
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    binary += b"\0" * (-len(binary) % 4)
    data = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(binary), 0x004E4942) + binary
    return struct.pack("<III", 0x46546C67, 2, 12 + len(data)) + data


def one_triangle(**more: object) -> tuple[dict, bytes]:
    """A description of one triangle in the corner of the axes, and its data."""
    places = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], dtype="<f4").tobytes()
    corners = np.array([0, 1, 2], dtype="<u2").tobytes()
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]},
            {"bufferView": 1, "componentType": 5123, "count": 3, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": 36},
            {"buffer": 0, "byteOffset": 36, "byteLength": 6},
        ],
        "buffers": [{"byteLength": 44}],
        **more,
    }
    return document, places + corners


def test_glb_nodes_place_their_meshes(tmp_path: Path) -> None:
    a = rotation_matrix(0.7, (1, 2, 3), (0.1, 0.2, 0.3))
    b = translation_matrix((0.5, -1.0, 2.0)) @ rotation_matrix(-1.1, (0, 1, 0))
    scene = trimesh.Scene()
    box = trimesh.creation.box((0.4, 0.6, 0.8))
    scene.add_geometry(box, node_name="upper", transform=a)
    scene.add_geometry(trimesh.creation.icosphere(1, 0.2), node_name="lower", parent_node_name="upper", transform=b)
    scene.add_geometry(box, node_name="twin", parent_node_name="lower", geom_name="box", transform=b)
    mesh = load(tmp_path, "a.glb", scene.export(file_type="glb"))
    whole = scene.to_mesh()
    assert len(mesh.triangles) == len(whole.faces)
    assert mesh.bounds[0] == pytest.approx(whole.bounds[0], abs=1e-6)
    assert mesh.bounds[1] == pytest.approx(whole.bounds[1], abs=1e-6)
    body = SpatialInertia.mesh(mesh.vertices, mesh.triangles, density=1.0)
    assert body.mass == pytest.approx(whole.volume, rel=1e-5)
    assert body.inertia == pytest.approx(whole.moment_inertia, rel=1e-4, abs=1e-6)


def test_glb_turn_shift_and_scale_of_a_node(tmp_path: Path) -> None:
    half = np.sqrt(0.5)
    node = {"mesh": 0, "translation": [10, 20, 30], "rotation": [0, 0, half, half], "scale": [2, 3, 1]}
    mesh = load(tmp_path, "a.glb", made_glb(*one_triangle(nodes=[node])))
    # Scaled, then a quarter turn about z, then shifted: x goes to y, y to -x.
    assert mesh.vertices == pytest.approx(np.array([[10, 20, 30], [10, 22, 30], [7, 20, 30]]), abs=1e-6)


def test_glb_matrices_are_stored_by_columns(tmp_path: Path) -> None:
    matrix = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1]
    parent = {"children": [1], "matrix": matrix}
    mesh = load(tmp_path, "a.glb", made_glb(*one_triangle(nodes=[parent, {"mesh": 0, "translation": [1, 0, 0]}])))
    assert mesh.bounds[0] == pytest.approx([6, 6, 7])


def test_glb_reflections_keep_the_outside_outside(tmp_path: Path) -> None:
    scene = trimesh.Scene()
    scene.add_geometry(trimesh.creation.box(), transform=np.diag([-1.0, 1, 1, 1]) @ translation_matrix((3, 0, 0)))
    scene.add_geometry(trimesh.creation.box(), transform=translation_matrix((3, 0, 0)))
    mesh = load(tmp_path, "a.glb", scene.export(file_type="glb"))
    assert is_closed(mesh) and enclosed_volume(mesh) == pytest.approx(2.0)


def test_glb_strips_points_lines_and_colours(tmp_path: Path) -> None:
    document, data = one_triangle()
    places = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], dtype="<f4").tobytes()
    document["accessors"][0]["count"] = 4
    document["bufferViews"][0]["byteLength"] = 48
    document["bufferViews"][1]["byteOffset"] = 48
    primitives = document["meshes"][0]["primitives"]
    primitives[:] = [{"attributes": {"POSITION": 0, "COLOR_0": 0}, "mode": mode} for mode in (0, 1, 3, 5)]
    mesh = load(tmp_path, "a.glb", made_glb(document, places + data[36:]))
    assert len(mesh.triangles) == 2 and len(mesh.vertices) == 4
    primitives[:] = primitives[:2]
    assert "no polygons" in problems(tmp_path, "a.glb", made_glb(document, places + data[36:]))[0]


@pytest.mark.parametrize("name", ["CesiumMan", "RiggedSimple", "quaternius_robot"])
def test_reference_scenes(data_folder: Path, name: str) -> None:
    path = data_folder / "gltf" / f"{name}.glb"
    mesh = load_object(path, path.name)
    whole = trimesh.load_scene(path, skip_materials=True).to_mesh()
    assert mesh.bounds[0] == pytest.approx(whole.bounds[0], abs=1e-5)
    assert mesh.bounds[1] == pytest.approx(whole.bounds[1], abs=1e-5)
    assert 0.99 * len(whole.faces) < len(mesh.triangles) <= len(whole.faces)
    assert area_of(mesh) == pytest.approx(float(whole.area), rel=1e-5)


def nodes_of(count: int, **last: object) -> list[dict]:
    return [*({"children": [k + 1]} for k in range(count - 1)), {"mesh": 0, **last}]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"nodes": [{"mesh": 3}]}, "names a mesh that is not there"),
        ({"nodes": [{"mesh": 0, "children": [0]}]}, "hangs in two places, or in itself"),
        ({"nodes": [{"children": [1, 2]}, {"children": [2]}, {"mesh": 0}]}, "hangs in two places"),
        ({"nodes": [{"mesh": 0, "scale": [1, 1]}]}, '"scale" of a node is not 3 numbers'),
        ({"nodes": [{"mesh": 0, "scale": [1, 1, 1e40]}]}, "not a finite number"),
        ({"nodes": [{"mesh": 0, "rotation": [0, 0, 0, 0]}]}, "unit quaternion"),
        ({"nodes": [{"mesh": 0, "matrix": list(range(16))}]}, "not a placement in space"),
        ({"nodes": nodes_of(30, scale=[1e20] * 3)}, "polygons without area|finite|bounds|not a sound"),
        ({"scene": 4}, "scene is not there"),
        ({"scenes": [{"nodes": [5]}]}, "node that is not there"),
        ({"buffers": [{"byteLength": 44, "uri": "http://127.0.0.1:9/a.bin"}]}, "another file"),
        ({"extensionsRequired": ["KHR_draco_mesh_compression"]}, "KHR_draco_mesh_compression"),
        ({"extensionsRequired": ["KHR_mesh_quantization"]}, "KHR_mesh_quantization"),
        ({"meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "mode": 6}]}]}, "triangle fans"),
        ({"meshes": [{"primitives": [{"attributes": {"POSITION": 9}}]}]}, "places that is not there"),
        ({"meshes": "none"}, "not a list"),
        ({"accessors": [{"bufferView": 0, "componentType": 5126, "count": 2**40, "type": "VEC3"}]}, "more than"),
        ({"accessors": [{"componentType": 5126, "count": 2**40, "type": "VEC3"}]}, "without data"),
        ({"accessors": [{"bufferView": 0, "componentType": 5122, "count": 3, "type": "VEC3"}]}, "component type 5122"),
        ({"accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "sparse": {}}]}, "sparse"),
    ],
)
def test_glb_problems(tmp_path: Path, more: dict, said: str) -> None:
    import re

    path = tmp_path / "a.glb"
    path.write_bytes(made_glb(*one_triangle(**more)))
    outcome = watched(lambda: load_object(path, path.name), path.stat().st_size)
    assert outcome.error is not None and re.search(said, str(outcome.error)), outcome.error
    assert "\n" not in str(outcome.error)


def test_glb_that_repeats_a_mesh_beyond_reason(tmp_path: Path) -> None:
    sphere = trimesh.creation.icosphere(4)  # 5120 triangles
    data = sphere.export(file_type="glb")
    document, binary = glb.chunks(data)
    document["nodes"] = [{"mesh": 0, "translation": [k, 0, 0]} for k in range(5000)]
    document["scenes"] = [{"nodes": list(range(5000))}]
    path = tmp_path / "a.glb"
    path.write_bytes(made_glb(document, bytes(binary)))
    outcome = watched(lambda: load_object(path, path.name), path.stat().st_size)
    assert outcome.error is not None and "so often" in str(outcome.error)
    document["nodes"] = document["nodes"][:12]
    document["scenes"] = [{"nodes": list(range(12))}]
    assert len(load(tmp_path, "a.glb", made_glb(document, bytes(binary))).triangles) == 12 * 5120


@pytest.mark.verify
def test_glb_of_a_long_chain_of_nodes_is_read_soon(tmp_path: Path) -> None:
    path = tmp_path / "a.glb"
    path.write_bytes(made_glb(*one_triangle(nodes=nodes_of(5000))))
    outcome = watched(lambda: load_object(path, path.name), path.stat().st_size)
    assert outcome.error is None and outcome.seconds < 10  # a chain searched anew from each node takes minutes


# -- nothing else is touched ------------------------------------------------------------------------------------------

_opened: list[str] | None = None


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    if _opened is not None and event.split(".")[0] in ("socket", "subprocess", "os", "urllib", "open", "ctypes"):
        if event == "open" and isinstance(arguments[0], int):
            return  # a file that is open already: what opened it was seen
        if event != "open" or not str(arguments[0]).endswith((".py", ".pyc", ".so", ".json")):
            _opened.append(f"{event} {arguments[:1]}")


def test_no_other_file_and_no_network(tmp_path: Path) -> None:
    global _opened
    (tmp_path / "secret.mtl").write_text("newmtl a\nmap_Kd secret.png\n")
    (tmp_path / "secret.bin").write_bytes(b"\0" * 100)
    files = {"a.obj": "mtllib secret.mtl\n" + obj_text(CORNERS, QUADS).replace("f 1", "usemtl a\nf 1", 1)}
    named = ply("", QUADS).replace(b"comment made", b"comment TextureFile secret.png made")
    document, data = one_triangle(
        images=[{"uri": "secret.png"}, {"uri": "http://127.0.0.1:9/x.png"}], textures=[{"source": 0}],
        materials=[{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
    )  # fmt: skip
    document["meshes"][0]["primitives"][0]["material"] = 0
    stl = trimesh.creation.box().export(file_type="stl")
    for name, content in {**files, "a.ply": named, "a.glb": made_glb(document, data), "a.stl": stl}.items():
        load(tmp_path, name, content)  # so that everything is imported
        _opened = []
        try:
            load_object(tmp_path / name, name)
        finally:
            seen, _opened = _opened, None
        assert [event for event in seen if name not in event] == [], seen


sys.addaudithook(_watch)


# -- in figures -------------------------------------------------------------------------------------------------------


def figure(folder: Path, name: str, more: str = "") -> str:
    return (
        f'define skeleton "one"\n joint "a"\n joint "b"\nend skeleton\n'
        f'define joint "a"\n object "{name}"\n{more}end joint\ndefine joint "b"\n offset 0 1 0\n mass 1\nend joint\n'
    )


@pytest.mark.parametrize("suffix", FOREIGN)
def test_masses_come_from_the_object(tmp_path: Path, suffix: str) -> None:
    trimesh.creation.box((0.2, 0.1, 0.3), transform=translation_matrix((0.1, 0.05, 0.15))).export(
        tmp_path / f"a{suffix}"
    )
    s = read_scr(figure(tmp_path, f"a{suffix}"), folder=tmp_path)
    mass, center, inertia = mass_properties(s, "a")
    assert mass == pytest.approx(6.0, rel=1e-5) and center == pytest.approx([0.1, 0.05, 0.15], abs=1e-6)
    assert inertia == pytest.approx(SpatialInertia.box(6.0, (0.2, 0.1, 0.3)).inertia, rel=1e-4, abs=1e-7)
    mass, _, inertia = mass_properties(read_scr(figure(tmp_path, f"a{suffix}", " mass 3\n"), folder=tmp_path), "a")
    assert mass == 3 and inertia == pytest.approx(SpatialInertia.box(3.0, (0.2, 0.1, 0.3)).inertia, rel=1e-4, abs=1e-7)
    assert s.warnings == ()


def test_an_open_mesh_is_drawn_and_weighs_as_the_capsule(tmp_path: Path) -> None:
    (tmp_path / "open.obj").write_text(obj_text([(x / 10, y / 10, z / 10) for x, y, z in CORNERS], QUADS[:-1]))
    s = read_scr(figure(tmp_path, "open.obj"), folder=tmp_path)
    bare = read_scr(figure(tmp_path, "gone.obj"), folder=tmp_path)
    assert len(segment_mesh(s, "a").triangles) == 10
    for found, wanted in zip(mass_properties(s, "a"), mass_properties(bare, "a"), strict=True):
        assert found == pytest.approx(wanted)


def test_closed_and_open_meshes_are_distinguished() -> None:
    box = box_mesh((0, 0, 0), (1, 1, 1))
    assert is_closed(box)
    assert not is_closed(Mesh(box.vertices, box.triangles[1:]))
    turned = box.triangles.copy()
    turned[3] = turned[3][::-1]
    assert not is_closed(Mesh(box.vertices, turned))
    loose = Mesh(box.vertices[box.triangles].reshape(-1, 3), np.arange(36).reshape(-1, 3))
    assert is_closed(loose)  # vertices at one place count as one
    two = Mesh(np.concatenate([box.vertices, box.vertices + 3]), np.concatenate([box.triangles, box.triangles + 8]))
    assert is_closed(two) and enclosed_volume(two) == pytest.approx(2)
    tube = trimesh.creation.cylinder(1, 2).copy()
    tube.update_faces(np.abs(tube.face_normals[:, 2]) < 0.5)
    assert not is_closed(Mesh(tube.vertices, tube.faces))
    assert not is_closed(Mesh(np.zeros((3, 3)), np.zeros((0, 3))))


@pytest.mark.verify
def test_bundled_objects_are_closed(skeletons_folder: Path) -> None:
    for path in sorted(skeletons_folder.glob("*.scr")):
        for joint in load_skeleton(path).joints:
            for item in joint.objects:
                assert item.mesh is not None and is_closed(item.mesh), f"{path.name}: {item.file}"


def test_a_size_that_no_part_has_is_remarked(tmp_path: Path) -> None:
    trimesh.creation.box((300, 80, 80)).export(tmp_path / "arm.stl")
    s = read_scr(figure(tmp_path, "arm.stl"), "one.scr", tmp_path)
    (warning,) = s.warnings
    assert str(warning) == (
        'one.scr:6:9: object "arm.stl" is 300 m large; lengths are metres here, and the file may be in millimetres'
    )
    small, plain, cm = (box_mesh((0, 0, 0), (size, size / 2, size / 2)) for size in (0.0003, 0.3, 30.0))
    assert "only 0.0003 m" in unit_remark(small, "a.obj") and unit_remark(plain, "a.ply") == ""
    assert "centimetres or inches" in unit_remark(cm, "a.OBJ")
    assert unit_remark(cm, "a.glb") == unit_remark(cm, "a.pol") == ""


def test_a_broken_object_is_reported_with_both_places(tmp_path: Path) -> None:
    (tmp_path / "a.obj").write_text("v 0 0 0\nf 1 2 q\n")
    with pytest.raises(FormatError) as caught:
        read_scr(figure(tmp_path, "a.obj"), "one.scr", tmp_path)
    assert str(caught.value).startswith('a.obj:2:1: "q" is not a corner') and "used by one.scr:6:9" in str(caught.value)
