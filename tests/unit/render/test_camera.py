"""The cameras: rays and projection are each other's inverse, and every movement keeps what it promises."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.render.camera import KINDS, Camera, CameraError

WIDTH, HEIGHT = 824.0, 564.0

cameras = st.builds(
    Camera,
    kind=st.sampled_from(KINDS),
    target=st.tuples(*[st.floats(-5, 5)] * 3),
    distance=st.floats(0.2, 50),
    yaw=st.floats(-math.pi, math.pi),
    pitch=st.floats(-1.5, 1.5),
    fov=st.floats(0.2, 1.5),
    half_height=st.floats(0.1, 20),
)
across, down = st.floats(0, WIDTH), st.floats(0, HEIGHT)


@given(cameras, across, down, st.floats(0.1, 30))
def test_points_on_a_ray_project_to_its_pixel(camera: Camera, x: float, y: float, along: float) -> None:
    origin, direction = camera.ray(x, y, WIDTH, HEIGHT)
    assert np.linalg.norm(direction) == pytest.approx(1.0, abs=1e-12)
    px, py, depth = camera.project(origin + along * direction, WIDTH, HEIGHT)[0]
    assert px == pytest.approx(x, abs=1e-5)
    assert py == pytest.approx(y, abs=1e-5)
    assert depth > 0.0


@given(cameras, st.tuples(*[st.floats(-3, 3)] * 3))
def test_projection_agrees_with_the_clip_matrix(camera: Camera, point: tuple[float, float, float]) -> None:
    px, py, depth = camera.project([point], WIDTH, HEIGHT)[0]
    if depth < 0.05:
        return  # behind the eye pixels mean nothing
    clip = camera.view_projection(WIDTH / HEIGHT) @ np.append(point, 1.0)
    ndc = clip[:2] / clip[3]
    scale = 1.0 + abs(px) + abs(py)
    assert px == pytest.approx((ndc[0] + 1.0) * WIDTH / 2.0, abs=1e-7 * scale)
    assert py == pytest.approx((1.0 - ndc[1]) * HEIGHT / 2.0, abs=1e-7 * scale)


@given(cameras)
def test_basis_is_right_handed_and_orthonormal(camera: Camera) -> None:
    basis = camera.basis
    assert np.allclose(basis @ basis.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(basis) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("kind", "right", "up"),
    [("front", (1, 0, 0), (0, 1, 0)), ("side", (0, 0, 1), (0, 1, 0)), ("top", (1, 0, 0), (0, 0, -1))],
)
def test_parallel_views_run_along_their_axes(kind: str, right: tuple[int, ...], up: tuple[int, ...]) -> None:
    camera = Camera(kind=kind, target=(0.3, 0.2, 0.1))
    center = np.array(camera.target)
    middle, to_right, upward = camera.project([center, center + right, center + up], WIDTH, HEIGHT)
    assert np.allclose(middle[:2], (WIDTH / 2, HEIGHT / 2))
    assert to_right[0] > middle[0] and to_right[1] == pytest.approx(middle[1])
    assert upward[1] < middle[1] and upward[0] == pytest.approx(middle[0])


@given(cameras, across, down, st.floats(0.5, 2.0))
def test_zoom_keeps_the_point_under_the_pointer(camera: Camera, x: float, y: float, factor: float) -> None:
    origin, direction = camera.ray(x, y, WIDTH, HEIGHT)
    back = camera.basis[2]
    point = origin + direction * (((np.array(camera.target) - origin) @ back) / (direction @ back))
    before = camera.pixel_size(HEIGHT)
    camera.zoom(factor, at=(x, y, WIDTH, HEIGHT))
    assert np.allclose(camera.project(point, WIDTH, HEIGHT)[0, :2], (x, y), atol=1e-4)
    assert before / camera.pixel_size(HEIGHT) == pytest.approx(factor)


@given(cameras, st.floats(-200, 200), st.floats(-200, 200))
def test_pan_moves_the_target_plane_with_the_pointer(camera: Camera, dx: float, dy: float) -> None:
    point = np.array(camera.target)
    camera.pan(dx, dy, WIDTH, HEIGHT)
    moved = camera.project(point, WIDTH, HEIGHT)[0, :2]
    assert np.allclose(moved, (WIDTH / 2 + dx, HEIGHT / 2 + dy), atol=1e-5)


@given(cameras, st.floats(-2000, 2000), st.floats(-2000, 2000))
def test_orbit_keeps_target_and_distance_and_never_turns_over(camera: Camera, dx: float, dy: float) -> None:
    target, eye = camera.target, camera.eye
    camera.orbit(dx, dy)
    assert camera.target == target
    if camera.orthographic:
        assert np.array_equal(camera.eye, eye)
        return
    assert np.linalg.norm(camera.eye - target) == pytest.approx(camera.distance)
    assert camera.basis[1, 1] > 0.0


@given(cameras, st.tuples(*[st.floats(-2, 2)] * 3), st.tuples(*[st.floats(0.1, 3)] * 3), st.floats(0.4, 2.5))
def test_frame_shows_the_whole_box(camera: Camera, lo, size, aspect: float) -> None:
    lo = np.array(lo)
    hi = lo + size
    camera.frame(lo, hi, aspect)
    corners = np.array([[(lo, hi)[k >> axis & 1][axis] for axis in range(3)] for k in range(8)])
    width, height = 500.0 * aspect, 500.0
    pixels = camera.project(corners, width, height)
    assert (pixels[:, 2] > 0).all()
    assert (pixels[:, 0] >= -1e-6).all() and (pixels[:, 0] <= width + 1e-6).all()
    assert (pixels[:, 1] >= -1e-6).all() and (pixels[:, 1] <= height + 1e-6).all()
    filled = np.ptp(pixels[:, :2], axis=0) / (width, height)
    assert filled.max() > 0.45, "the box should fill the view in one direction"


@given(cameras)
def test_json_round_trip(camera: Camera) -> None:
    assert Camera.from_json(json.loads(json.dumps(camera.to_json()))) == camera


def test_a_copy_is_independent() -> None:
    camera = Camera()
    copy = camera.copy()
    copy.orbit(30, 10)
    copy.pan(5, 5, WIDTH, HEIGHT)
    assert camera == Camera() and copy != camera


@pytest.mark.parametrize(
    "values",
    [{"kind": "left"}, {"distance": 0.0}, {"fov": 4.0}, {"target": [0, float("nan"), 0]}, {"yaw": "a"}, {"target": 3}],
)
def test_senseless_values_are_refused_with_a_reason(values: dict[str, object]) -> None:
    with pytest.raises(CameraError) as caught:
        Camera.from_json(values)
    assert str(caught.value)
