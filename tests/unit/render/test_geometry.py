"""Normals with creases, closedness, coarse copies and hulls; segments that are one skin."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import trimesh

from app.render.mesh.coarse import Part, coarse_parts, fine_parts
from app.render.mesh.geometry import build_geometry
from app.render.mesh.normals import Shaded, shaded
from app.render.mesh.occlusion import hull_mesh
from app.render.mesh.surface import Surface, figure_surface
from core.skeleton import Joint, SegmentObject, Skeleton, load_skeleton
from core.skeleton.mesh import Mesh
from tests.support.tubes import NAMES, RADIUS, tube

ROOT = Path(__file__).resolve().parents[3]


def mesh_of(shape: trimesh.Trimesh) -> Mesh:
    return Mesh(shape.vertices, shape.faces)


BALL = mesh_of(trimesh.creation.icosphere(3, 0.1))
BOX = mesh_of(trimesh.creation.box((0.2, 0.3, 0.4)))


def surface_of(mesh: Mesh) -> Surface:
    return figure_surface(Skeleton("one", [Joint("a", -1, objects=(SegmentObject("a.pol", mesh),))]))


def placed(surface: Surface, shade: Shaded) -> np.ndarray:
    return surface.points[shade.rows]


def test_a_ball_is_smooth() -> None:
    surface = surface_of(BALL)
    shade = shaded(surface)
    points = placed(surface, shade)
    radial = points / np.linalg.norm(points, axis=1, keepdims=True)
    assert len(points) == len(BALL.vertices), "no vertex is split"
    assert np.einsum("ki,ki->k", shade.normals, radial).min() > 0.999
    assert np.allclose(shade.normals, shade.outward)
    assert np.allclose(
        np.sort(points[shade.faces].reshape(-1, 9), axis=0),
        np.sort(BALL.vertices[BALL.triangles].reshape(-1, 9), axis=0),
    )


def test_a_box_keeps_its_edges() -> None:
    surface = surface_of(BOX)
    shade = shaded(surface)
    assert len(shade.rows) == 24
    assert np.allclose(np.sort(np.abs(shade.normals), axis=1), [0, 0, 1], atol=1e-9)
    assert np.allclose(np.abs(shade.outward), 1 / np.sqrt(3), atol=0.25), (
        "outlines swell at the corners, without cracks"
    )
    same: dict[tuple[float, ...], np.ndarray] = {}
    for point, direction in zip(np.round(placed(surface, shade), 9).tolist(), shade.outward, strict=True):
        assert np.allclose(same.setdefault(tuple(point), direction), direction)


def test_degenerate_triangles_are_left_out() -> None:
    vertices = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [2, 0, 0]], dtype=float)
    shade = shaded(surface_of(Mesh(vertices, np.array([[0, 1, 2], [0, 1, 3]]))))
    assert len(shade.faces) == 1 and np.allclose(shade.normals, [0, 0, 1])
    assert len(shaded(surface_of(Mesh(vertices, np.array([[0, 1, 3]])))).rows) == 0


def test_a_figure_without_bodies_has_nothing_to_draw() -> None:
    for figure in (
        Skeleton("bare", [Joint("a", -1)]),
        Skeleton("flat", [Joint("a", -1, objects=(SegmentObject("a.pol", Mesh(np.eye(3), [[0, 1, 1]])),))]),  # type: ignore[arg-type]
    ):
        geometry = build_geometry(figure)
        assert len(geometry.indices) == 0 and geometry.extent(0) == geometry.extent(1) == (0, 0)
        assert geometry.influences == 1 and not geometry.solid


@pytest.mark.parametrize(
    ("mesh", "solid"),
    [
        (BALL, True),
        (BOX, True),
        (Mesh(BALL.vertices, BALL.triangles[1:]), False),
        (Mesh(BALL.vertices, BALL.triangles[:, ::-1]), False),
        (Mesh(np.concatenate([BALL.vertices, BOX.vertices + 1.0]), [*BALL.triangles, *(BOX.triangles + 642)]), True),
        (
            Mesh(
                np.concatenate([BALL.vertices, BOX.vertices + 1.0]), [*BALL.triangles, *(BOX.triangles[:, ::-1] + 642)]
            ),
            False,
        ),
    ],
    ids=["ball", "box", "open", "inside out", "two", "one of two inside out"],
)
def test_only_closed_meshes_that_face_outward_are_solid(mesh: Mesh, solid: bool) -> None:
    assert surface_of(mesh).is_solid() is solid


def coarse_of(mesh: Mesh) -> tuple[Part, Part]:
    surface = surface_of(mesh)
    shade = shaded(surface)
    fine = fine_parts(surface, shade)
    return fine[0], coarse_parts(surface, shade, fine)[0]


def assert_closed(faces: np.ndarray) -> None:
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    forward = np.unique(edges, axis=0, return_counts=True)
    backward = np.unique(edges[:, ::-1], axis=0, return_counts=True)
    assert np.array_equal(forward[0], backward[0]) and np.array_equal(forward[1], backward[1]), "still closed"


def test_a_coarse_copy_is_closed_smaller_and_near() -> None:
    fine, coarse = coarse_of(mesh_of(trimesh.creation.icosphere(4, 0.1)))
    assert len(coarse.faces) < 0.4 * len(fine.faces)
    assert np.abs(np.linalg.norm(coarse.points, axis=1) - 0.1).max() < 0.01
    assert np.allclose(np.linalg.norm(coarse.normals, axis=1), 1.0)
    assert_closed(coarse.faces)


def test_a_coarse_mesh_stays_as_it_is() -> None:
    fine, coarse = coarse_of(BOX)
    assert coarse is fine


def test_hull_is_coarse_and_inside() -> None:
    corners, faces = hull_mesh(BALL.vertices)  # type: ignore[misc]
    assert len(corners) <= 48 and len(faces) <= 92 and faces.max() < len(corners)
    assert np.allclose(np.linalg.norm(BALL.vertices[corners], axis=1), 0.1)
    assert hull_mesh(BALL.vertices * [1, 1, 0]) is None


# -- one skin --------------------------------------------------------------------------------------------------------


def test_caps_between_segments_are_found_and_left_out() -> None:
    sides = 16
    surface = figure_surface(tube(sides))
    assert not surface.rigid and surface.is_solid()
    inner = np.flatnonzero(surface.inner)
    assert len(inner) == 4 * sides and surface.hidden[inner].all() and surface.hidden.sum() == len(inner)
    assert np.allclose(np.abs(surface.normals[inner]), [0, 1, 0], atol=1e-9)
    heights = surface.points[surface.faces[inner], 1]
    assert np.allclose(np.minimum(np.abs(heights - 0.4), np.abs(heights - 0.8)), 0.0, atol=1e-9)


@pytest.mark.parametrize("domes", [0.5, 1.0])
def test_domes_stay_but_touch_no_normal(domes: float) -> None:
    """Caps that bulge into the neighbour: with 1 they are half balls, as smooth with the skin as the skin itself."""
    sides = 16
    surface = figure_surface(domed(sides, domes))
    assert surface.inner.sum() == 4 * sides * 5 and not surface.hidden.any() and surface.is_solid()
    shade = shaded(surface)
    plain = figure_surface(tube(sides))
    straight = shaded(plain)
    known = {
        tuple(np.round(point, 6)): normal
        for point, normal in zip(plain.points[straight.rows], straight.normals, strict=True)
        if np.hypot(point[0], point[2]) > 0.9 * RADIUS and 0.1 < point[1] < 1.1
    }
    skin = np.unique(shade.faces[~surface.inner])
    found = 0
    for vertex in skin:
        normal = known.get(tuple(np.round(surface.points[shade.rows[vertex]], 6)))
        if normal is not None:
            assert shade.normals[vertex] == pytest.approx(normal, abs=1e-9)
            found += 1
    assert found > 20 * sides


def domed(sides: int, height: float) -> Skeleton:
    """The tube with its inner caps bulging out of each segment."""
    s = tube(sides)
    joints = list(s.joints)
    for k, joint in enumerate(joints):
        mesh = joint.objects[0].mesh
        assert mesh is not None
        last = len(mesh.vertices) - 2 - sides
        points, faces = [*mesh.vertices], [f for f in mesh.triangles.tolist() if max(f) < len(mesh.vertices) - 2]
        weights = {name: [*values] for name, values in mesh.weights}
        for ring, up, inner in ((0, -1.0, k > 0), (last, 1.0, k < 2)):
            pole = len(mesh.vertices) - (2 if ring == 0 else 1)
            rim = list(range(ring, ring + sides))
            rows = [rim]
            if inner:
                center = mesh.vertices[rim].mean(axis=0)
                points[pole] = center + np.array([0.0, up * height * RADIUS, 0.0])
                for turn in (30.0, 60.0):
                    a = np.radians(turn)
                    rows.append(list(range(len(points), len(points) + sides)))
                    for row in rim:
                        flat = (mesh.vertices[row] - center) * np.cos(a)
                        points.append(center + flat + [0.0, up * height * RADIUS * np.sin(a), 0.0])
                        for values in weights.values():
                            values.append(values[row])
            for below, above in pairwise(rows):
                for i in range(sides):
                    j = (i + 1) % sides
                    quad = [(below[i], above[i], above[j]), (below[i], above[j], below[j])]
                    faces += [f if up > 0 else f[::-1] for f in quad]
            for i in range(sides):
                j = (i + 1) % sides
                face = (rows[-1][i], pole, rows[-1][j])
                faces.append(face if up > 0 else face[::-1])
        made = Mesh(np.array(points), np.array(faces), (), tuple((n, np.array(v)) for n, v in weights.items()))
        joints[k] = Joint(joint.name, joint.parent, offset=joint.offset, dofs=joint.dofs,
                          objects=(SegmentObject("a.pol", made),))  # fmt: skip
    return Skeleton("domed", joints)


def test_normals_are_smooth_across_segments() -> None:
    surface = figure_surface(tube(16))
    shade = shaded(surface)
    points = placed(surface, shade)
    ring = np.abs(points[:, 1] - 0.4) < 1e-9
    assert ring.sum() == 32, "the ring is there for both segments"
    radial = points[ring] * [1.0, 0.0, 1.0] / RADIUS
    assert shade.normals[ring] == pytest.approx(radial, abs=1e-9)
    up = shade.outward[ring][:, 1]
    below = surface.owners[shade.rows][ring] == 0
    assert (up[below] > 0.5).all() and (up[~below] < -0.5).all(), "outlines swell past the ring"


def test_segments_that_follow_different_joints_are_not_one_skin() -> None:
    """The same rings without weights: they will part as soon as the tube bends, so each keeps its cap and its edge."""
    s = tube(16)
    joints = []
    for joint in s.joints:
        mesh = joint.objects[0].mesh
        assert mesh is not None
        weights = mesh.weights if joint.name == "end" else ()
        made = Mesh(mesh.vertices, mesh.triangles, (), weights)
        joints.append(Joint(joint.name, joint.parent, offset=joint.offset, objects=(SegmentObject("a.pol", made),)))
    surface = figure_surface(Skeleton("parted", joints))
    assert not surface.inner.any() and surface.is_solid()
    assert len(np.unique(surface.places)) == len(np.unique(surface.points, axis=0)) + 2 * 17


def test_a_segment_without_caps_is_closed_by_its_neighbour() -> None:
    s = tube(16)
    joints = []
    for k, joint in enumerate(s.joints):
        mesh = joint.objects[0].mesh
        assert mesh is not None
        low, high = len(mesh.vertices) - 2, len(mesh.vertices) - 1
        faces = [f for f in mesh.triangles.tolist() if (low not in f or k == 0) and (high not in f or k == 2)]
        made = Mesh(mesh.vertices, np.array(faces), (), mesh.weights)
        joints.append(Joint(joint.name, joint.parent, offset=joint.offset, objects=(SegmentObject("a.pol", made),)))
    surface = figure_surface(Skeleton("sleeves", joints))
    assert not surface.inner.any() and surface.is_solid()
    one = Skeleton("sleeve", [Joint("root", -1, objects=joints[0].objects)])
    assert not figure_surface(one).is_solid()


def assert_follow_the_same(parts: list[Part], joint_count: int) -> None:
    """Vertices of two segments that are one follow the same joints, whichever carries them."""
    place = np.concatenate([part.places for part in parts])
    dense = np.zeros((len(place), joint_count))
    joints, weights, points, normals = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("joints", "weights", "points", "normals")
    )
    np.add.at(dense, (np.arange(len(place))[:, None], joints), weights)
    assert dense.sum(axis=1) == pytest.approx(np.ones(len(place)))
    shared = 0
    for number in np.unique(place):
        rows = np.flatnonzero(place == number)
        shared += len(rows) > 1
        assert np.ptp(dense[rows], axis=0).max() < 1e-12 and np.ptp(points[rows], axis=0).max() < 1e-12
        assert np.ptp(normals[rows], axis=0).max() < 1e-12
    assert shared > 8


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["human", "woman"])
def test_coarse_copies_of_the_bundled_figures_have_no_gaps(name: str) -> None:
    """Where more than four joints meet, as below a raised arm, both segments leave out the same ones."""
    surface = figure_surface(load_skeleton(ROOT / "skeletons" / f"{name}.scr"))
    shade = shaded(surface)
    coarse = coarse_parts(surface, shade, fine_parts(surface, shade))
    assert_follow_the_same(coarse, 1 + max(int(part.joints.max()) for part in coarse))


def test_the_coarse_copy_of_one_skin_has_no_gaps() -> None:
    surface = figure_surface(tube(48, 41))
    shade = shaded(surface)
    fine = fine_parts(surface, shade)
    coarse = coarse_parts(surface, shade, fine)
    assert sum(len(part.faces) for part in coarse) < 0.4 * sum(len(part.faces) for part in fine)
    place = np.concatenate([part.places for part in coarse])
    starts = np.cumsum([0, *(len(part.places) for part in coarse)])
    faces = np.concatenate([part.faces + start for part, start in zip(coarse, starts, strict=False)])
    assert_closed(np.unique(place, return_inverse=True)[1].reshape(-1)[faces])
    assert_follow_the_same(coarse, 3)
    for part, joint in zip(coarse, range(3), strict=True):
        assert (part.joints[:, 0] == joint).all()


def test_the_buffer_says_what_each_vertex_follows() -> None:
    s = tube(16)
    geometry = build_geometry(s)
    assert geometry.influences == 2 and geometry.solid
    total = geometry.vertices["weights"].astype(int).sum(axis=1)
    assert (total == 65535).all()
    for joint in range(len(NAMES)):
        first, count = geometry.ranges[0, joint]
        rows = np.unique(geometry.indices[first : first + count])
        assert (geometry.vertices["joints"][rows, 0] == joint).all()
    light = geometry.vertices["occlusion"]
    first, count = geometry.ranges[0, 1]
    rows = np.unique(geometry.indices[first : first + count])
    assert light[rows].min() > 0.9, "no dark band round a joint that is one skin"


@pytest.mark.parametrize("level", [0, 1])
def test_collars_are_what_touches_a_segment(level: int) -> None:
    geometry = build_geometry(tube(16, 17))
    whose = geometry.vertices["joints"][:, 0]
    for joint, neighbours in ((0, {1}), (1, {0, 2}), (2, {1})):
        first, count = geometry.ranges[level, joint]
        own = geometry.vertices["position"][np.unique(geometry.indices[first : first + count])]
        first, count = geometry.collars[level, joint]
        collar = geometry.indices[first : first + count].reshape(-1, 3)
        assert set(whose[collar].ravel().tolist()) == neighbours and len(collar) >= 16 * len(neighbours)
        points = geometry.vertices["position"][collar].astype(float)
        nearest = np.linalg.norm(points[:, :, None] - own, axis=-1).min(axis=(1, 2))
        assert nearest.max() < 1e-7


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["human", "woman"])
def test_the_edge_of_a_sole_is_not_jagged(name: str) -> None:
    """Its angle goes up and down along the foot: it is a crease nowhere rather than here and there."""
    s = load_skeleton(ROOT / "skeletons" / f"{name}.scr")
    surface = figure_surface(s)
    shade = shaded(surface)
    outer = np.unique(shade.faces[~surface.inner[~surface.hidden]])
    for part in ("left foot", "left toes", "right foot", "right toes"):
        own = outer[surface.owners[shade.rows[outer]] == s.joint_index(part)]
        assert len(own) > 100 and np.bincount(shade.sites[own]).max() == 1
