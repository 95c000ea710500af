"""What the bundled people are made with: distances of the parts, melting, rays, patches, fairing, weights, borders."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

from core.formats.bundled import bundled_folder
from core.skeleton import load_skeleton
from core.skeleton.segment import segment_mesh
from skeletons.making.people.mesh import borders, ear_mesh, tidied
from skeletons.making.people.refine import in_order, refined, settled
from skeletons.making.people.skin import smooth_step
from skeletons.making.shaping.flesh import Cone, Ellipsoid, Flesh, Part, Tube, beyond, mirrored, smooth_min, turn
from skeletons.making.shaping.loft import same
from skeletons.making.shaping.weave import Weave, cast, drawn, faired, gradient, patch

POINT = st.tuples(*[st.floats(-0.3, 0.3) for _ in range(3)])
PARTS: dict[str, Part] = {
    "ellipsoid": Ellipsoid((0.02, 0.01, -0.03), (0.10, 0.06, 0.08), (20.0, -30.0, 40.0)),
    "cone": Cone((0.0, -0.1, 0.0), (0.05, 0.12, 0.02), 0.05, 0.03),
    "tube": Tube([same(-0.1, 0.0, 0.0, 0.05, 0.06), same(0.0, 0.01, 0.0, 0.07, 0.05), same(0.1, 0.0, 0.0, 0.04, 0.04)]),
}


def test_a_ball_is_measured_exactly() -> None:
    points = np.random.default_rng(1).normal(0.0, 0.2, (200, 3))
    center = np.array([0.01, 0.02, 0.03])
    away = np.linalg.norm(points - center, axis=1) - 0.1
    assert Ellipsoid(center, (0.1, 0.1, 0.1))(points) == pytest.approx(away)
    assert Cone(center, center + np.array((0.0, 1e-9, 0.0)), 0.1, 0.1)(points) == pytest.approx(away, abs=1e-8)


def test_an_ellipsoid_is_measured_well_near_its_surface() -> None:
    """Against the nearest of many points of the surface."""
    part = Ellipsoid((0.0, 0.0, 0.0), (0.10, 0.06, 0.08))
    rng = np.random.default_rng(2)
    unit = rng.normal(size=(60000, 3))
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    surface = unit * [0.10, 0.06, 0.08]
    points = surface[:40] * rng.uniform(0.9, 1.1, (40, 1))
    nearest = np.linalg.norm(points[:, None] - surface[None], axis=2).min(axis=1)
    assert np.abs(part(points)) == pytest.approx(nearest, abs=1.5e-3)


@given(a=st.floats(-1, 1), b=st.floats(-1, 1), width=st.floats(0.01, 0.5))
def test_melting_is_smooth_and_only_adds(a: float, b: float, width: float) -> None:
    first, second = np.array([a]), np.array([b])
    value = float(smooth_min(first, second, width)[0])
    assert min(a, b) - 0.25 * width - 1e-12 <= value <= min(a, b)
    assert value == pytest.approx(float(smooth_min(second, first, width)[0]), abs=1e-12)
    if abs(a - b) >= width:
        assert value == min(a, b)


@pytest.mark.parametrize("name", PARTS)
def test_rays_end_on_the_surface(name: str) -> None:
    part = PARTS[name]
    directions = np.random.default_rng(3).normal(size=(100, 3))
    found = cast(part, np.tile([0.01, 0.0, 0.0], (100, 1)), directions)
    assert np.abs(part(found)).max() < 2e-6
    unit = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    along = np.einsum("ij,ij->i", found - [0.01, 0.0, 0.0], unit)
    assert found == pytest.approx(np.array([0.01, 0.0, 0.0]) + along[:, None] * unit)
    assert along.min() > 0.0


@pytest.mark.parametrize("name", PARTS)
def test_points_are_drawn_to_the_surface_along_the_gradient(name: str) -> None:
    part = PARTS[name]
    points = np.random.default_rng(4).normal(0.0, 0.06, (50, 3)) + np.array((0.02, 0.0, 0.0))
    away = points[np.abs(part(points)) < 0.04]
    assert len(away) > 10
    assert np.abs(part(drawn(part, away))).max() < 1e-4
    slope = gradient(part, away)
    for direction in np.random.default_rng(5).normal(size=(4, 3)):
        step = 2e-4 * direction
        assert part(away + step) - part(away - step) == pytest.approx(2.0 * slope @ step, abs=4e-6)


@given(point=POINT)
def test_reflection_and_planes(point: tuple[float, float, float]) -> None:
    part, at = PARTS["ellipsoid"], np.array([point])
    assert mirrored(part)(at) == pytest.approx(part(at * [-1.0, 1.0, 1.0]))
    half = beyond(part, (0.0, 0.0, 0.0), (0.0, 1.0, 0.0), 0.0)
    assert (half(at)[0] < 0.0) == (part(at)[0] < 0.0 and point[1] > 0.0)
    both = Flesh(PARTS["cone"]).add(part, 0.02, both=True)
    assert both(at)[0] <= min(part(at)[0], PARTS["cone"](at)[0])
    assert Flesh(PARTS["cone"]).carve(part, 0.02)(at)[0] >= max(-part(at)[0], PARTS["cone"](at)[0])


def test_turns_are_rotations_in_the_files_order() -> None:
    R = turn(20.0, -30.0, 40.0)
    assert R @ R.T == pytest.approx(np.eye(3))
    assert np.linalg.det(R) == pytest.approx(1.0)
    assert pytest.approx(turn(z=40.0) @ turn(y=-30.0) @ turn(x=20.0)) == R
    assert turn(z=90.0) @ [1.0, 0.0, 0.0] == pytest.approx([0.0, 1.0, 0.0])


def test_a_patch_keeps_its_edges() -> None:
    rng = np.random.default_rng(5)
    a, b, c, d = rng.normal(size=(4, 3))
    bottom = np.linspace(a, b, 5) + np.vstack([np.zeros(3), rng.normal(size=(3, 3)), np.zeros(3)])
    top, left, right = np.linspace(d, c, 5), np.linspace(a, d, 4), np.linspace(b, c, 4)
    grid = patch(bottom, top, left, right)
    assert grid.shape == (4, 5, 3)
    for made, given_ in ((grid[0], bottom), (grid[-1], top), (grid[:, 0], left), (grid[:, -1], right)):
        assert made == pytest.approx(given_)


def ball_of_quads(ripple: float) -> tuple[np.ndarray, list[tuple[tuple[int, ...], str]]]:
    weave = Weave()
    angles = np.arange(16) * np.pi / 8
    rng = np.random.default_rng(6)
    rings = []
    for polar in np.linspace(0.3, np.pi - 0.3, 10):
        unit = np.stack([np.cos(angles) * np.sin(polar), np.full(16, np.cos(polar)), np.sin(angles) * np.sin(polar)], 1)
        rings.append(weave.place(unit * (1.0 + ripple * rng.normal(size=(16, 1)))))
    weave.quads(rings, "ball", closed=True)
    return weave.vertices + np.array((0.0, 5.0, 0.0)), weave.polygons


def test_fairing_takes_ripples_and_little_else() -> None:
    rough, polygons = ball_of_quads(0.03)
    fair = faired(rough, polygons, np.ones(len(rough)), 5)
    inner = slice(32, -32)
    before, after = (np.linalg.norm(v[inner] - [0.0, 5.0, 0.0], axis=1) for v in (rough, fair))
    assert after.std() < 0.5 * before.std()
    assert after.mean() == pytest.approx(before.mean(), rel=0.02)
    assert faired(rough, polygons, np.zeros(len(rough)), 5) == pytest.approx(rough)


def test_borders_are_closed_loops() -> None:
    _, polygons = ball_of_quads(0.0)
    loops = borders([corners for corners, _ in polygons])
    assert sorted(len(loop) for loop in loops) == [16, 16]
    assert sorted(v for loop in loops for v in loop) == [*range(16), *range(144, 160)]
    with_lid = [corners for corners, _ in polygons] + [tuple(loops[0][::-1]), tuple(loops[1][::-1])]
    assert borders(with_lid) == []


@given(st.lists(st.lists(st.floats(0.0, 1.0), min_size=6, max_size=6), min_size=1, max_size=8))
def test_tidied_weights_add_up_and_follow_few_joints(rows: list[list[float]]) -> None:
    table = np.array(rows) + 1e-3
    table /= table.sum(axis=1, keepdims=True)
    weights = {f"joint {k}": table[:, k] for k in range(6)}
    carriers = {"joint 5": np.ones(len(table), dtype=bool)}
    tidy = tidied(weights, carriers)
    result = np.array([tidy.get(name, np.zeros(len(table))) for name in weights])
    assert result.sum(axis=0) == pytest.approx(1.0, abs=1e-9)
    assert (result >= 0.0).all()
    assert (result[:5] > 0.0).sum(axis=0).max() <= 3


@given(value=st.floats(-1, 2), low=st.floats(-0.5, 0.2), high=st.floats(0.3, 1.0))
def test_a_smooth_step_rises_from_0_to_1(value: float, low: float, high: float) -> None:
    step = float(smooth_step(np.array([value]), low, high)[0])
    assert 0.0 <= step <= 1.0
    assert step == (0.0 if value <= low else 1.0) if value <= low or value >= high else 0.0 <= step
    assert float(smooth_step(np.array([value + 0.01]), low, high)[0]) >= step


def cube_as_ball() -> tuple[np.ndarray, list[tuple[tuple[int, ...], str]], np.ndarray]:
    """A cube blown up to a ball, 4 x 4 quads a side, the same on both sides of x = 0."""
    grid = np.linspace(-1.0, 1.0, 5)
    places: dict[tuple[float, ...], int] = {}
    quads: list[tuple[int, ...]] = []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            for i in range(4):
                for k in range(4):
                    corners = []
                    for u, v in ((i, k), (i + 1, k), (i + 1, k + 1), (i, k + 1)):
                        point = np.empty(3)
                        point[axis], point[(axis + 1) % 3], point[(axis + 2) % 3] = sign, grid[u], grid[v]
                        corners.append(places.setdefault(tuple(point.tolist()), len(places)))
                    quads.append(tuple(corners if sign > 0 else corners[::-1]))
    cube = np.array(list(places))
    mirror = np.array([places[(-x, y, z)] for x, y, z in places])
    ball = cube / np.linalg.norm(cube, axis=1, keepdims=True)
    ball[:, 1] += 2.0  # clear of the ground
    return ball, [(quad, "right" if ball[list(quad), 0].mean() < 0 else "left") for quad in quads], mirror


@pytest.mark.parametrize("everywhere", [True, False])
def test_refining_rounds_and_leaves_no_gap(everywhere: bool) -> None:
    ball, quads, mirror = cube_as_ball()
    points, found, other = refined(ball, quads, mirror, lambda middle, _: everywhere or middle[1] > 2.2)
    edges = [(p[i - 1], p[i]) for p, _ in found for i in range(len(p))]
    assert len(set(edges)) == len(edges) and set(edges) == {(b, a) for a, b in edges}  # closed, turned one way
    assert points[other] * [-1.0, 1.0, 1.0] == pytest.approx(points, abs=1e-12)
    away = np.linalg.norm(points - [0.0, 2.0, 0.0], axis=1)
    chord = np.linalg.norm(np.mean(ball[list(quads[5][0])], axis=0) - [0.0, 2.0, 0.0])
    new = away[len(ball) :]
    if everywhere:
        assert np.abs(new - 1.0).max() < 0.5 * (1.0 - chord)  # nearer to the ball than flat quads are
    assert {segment for _, segment in found} == {"left", "right"}
    assert len(found) == (4 * len(quads) if everywhere else len(found)) and len(found) > len(quads)


def test_fine_polygons_beside_coarse_ones_have_no_triangle_without_area() -> None:
    ball, quads, mirror = cube_as_ball()
    points, found, _ = refined(ball, quads, mirror, lambda middle, _: middle[1] > 2.2)
    for corners, _ in found:
        a = points[corners[0]]
        for b, c in pairwise(corners[1:]):
            area = 0.5 * np.linalg.norm(np.cross(points[b] - a, points[c] - a))
            assert area > 1e-3, corners


def test_settled_vertices_lie_on_the_solid_and_the_others_stay() -> None:
    ball, quads, _ = cube_as_ball()
    ball *= 0.02
    solid = Ellipsoid((0.0, 0.04, 0.0), (0.020, 0.0215, 0.020))
    share = (ball[:, 1] > 0.046).astype(np.float64)
    found = settled(ball, quads, solid, share)
    assert (found[share == 0.0] == ball[share == 0.0]).all()
    assert np.abs(solid(found[share > 0.0])).max() < np.abs(solid(ball[share > 0.0])).max()


def test_an_ear_is_closed_and_turned_outwards() -> None:
    ear = ear_mesh(1.0)
    edges = [(p[i - 1], p[i]) for p in ear.polygons for i in range(len(p))]
    assert len(set(edges)) == len(edges) and set(edges) == {(b, a) for a, b in edges}
    a, b, c = (ear.vertices[ear.triangles[:, k]] for k in range(3))
    assert np.einsum("ti,ti->", a, np.cross(b, c)) / 6.0 > 5e-6
    assert np.ptp(ear.vertices[:, 1]) == pytest.approx(0.062, abs=0.004)  # as high as an adult's


def crossed_net() -> tuple[np.ndarray, list[tuple[tuple[int, ...], str]]]:
    """A bulged net of 9 columns whose rows 4 and 5 have changed places, on another segment's row of quads."""
    rows, columns = np.mgrid[0:11, 0:9].astype(float)
    rows[5, 2:7], rows[6, 2:7] = 6.2, 4.9
    bulge = 0.02 * (8.0 * columns - columns**2) + 0.05 * (10.0 * rows - rows**2)
    points = np.stack([columns, rows, bulge], axis=2).reshape(-1, 3) * 0.01
    polygons = []
    for r in range(10):
        for c in range(8):
            v = 9 * r + c
            polygons.append(((v, v + 1, v + 10, v + 9), "neck" if r == 0 else "head"))
    return points, polygons


def test_rows_that_cross_are_put_in_order_and_the_hull_stays() -> None:
    points, polygons = crossed_net()

    def fronts(p: np.ndarray) -> np.ndarray:
        a, b, _, d = (p[[corners[k] for corners, _ in polygons]] for k in range(4))
        return np.cross(b - a, d - a)[:, 2]

    assert (fronts(points) < 0.0).sum() >= 4
    found = in_order(points, polygons, "head", 8, points[:, 0] > -1.0)
    assert (fronts(found) > 0.0).all()
    assert (found[:18] == points[:18]).all() and (found[90:] == points[90:]).all()
    before, after = (ConvexHull(p[9:]) for p in (points, found))
    assert sorted(map(tuple, points[9:][before.vertices])) == sorted(map(tuple, found[9:][after.vertices]))
    even = points.copy()
    even[:, 1] = np.repeat(np.arange(11), 9) * 0.01
    assert (in_order(even, polygons, "head", 8, even[:, 0] > -1.0) == even).all(), "what does not cross stays"


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["human", "woman"])
@pytest.mark.parametrize("joint", ["chest", "head", "right clavicle", "right upper arm"])
def test_large_triangles_are_no_slivers(name: str, joint: str) -> None:
    """Where fine skin meets coarse, and where head and neck meet."""
    figure = load_skeleton(bundled_folder() / f"{name}.scr")
    mesh = segment_mesh(figure, figure.joint_index(joint))
    assert mesh is not None
    corners = mesh.vertices[mesh.triangles]
    longest = np.linalg.norm(corners - np.roll(corners, -1, axis=1), axis=2).max(axis=1)
    height = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) / longest
    large = longest > 0.012
    assert large.sum() > 50 and height[large].min() > 0.4e-3 and (height / longest)[large].min() > 0.025
