"""Man and woman as they are drawn from near by: the skin where head and neck meet."""

from __future__ import annotations

import numpy as np
import pytest

from app.look.theme import DARK
from app.render.camera import Camera
from app.render.context import GraphicsError, acquire
from app.render.mesh.geometry import Geometry, build_geometry
from app.render.mesh.surface import figure_surface
from app.render.picture import Picture
from app.render.renderer import Renderer
from core.formats.bundled import bundled_folder
from core.kinematics import forward_kinematics
from core.skeleton import Skeleton, load_skeleton
from core.skeleton.skin import blended, skin_frames


@pytest.fixture(scope="module", params=["human", "woman"])
def person(request: pytest.FixtureRequest) -> tuple[Skeleton, Geometry]:
    figure = load_skeleton(bundled_folder() / f"{request.param}.scr")
    return figure, build_geometry(figure)


def at_the_nape(figure: Skeleton, geometry: Geometry) -> np.ndarray:
    """The skin's triangles behind and below the ears, as vertex numbers, shape (m, 3)."""
    first, count = geometry.skin[0]
    faces = geometry.indices[first : first + count].reshape(-1, 3).astype(int)
    skull = forward_kinematics(figure, np.zeros(figure.nq))[figure.joint_index("head"), :3, 3]
    x, y, z = (geometry.vertices["position"][faces].mean(axis=1) - skull).T
    return faces[(np.abs(x) < 0.055) & (np.abs(y) < 0.03) & (z < -0.02)]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("turn", [0.0, 0.5], ids=["straight ahead", "turned"])
def test_the_skin_has_no_seam_between_head_and_neck(person: tuple[Skeleton, Geometry], turn: float) -> None:
    """Each triangle faces as its corners are lit, nothing shields them from each other, both sides are lit alike."""
    figure, geometry = person
    q = np.zeros(figure.nq)
    q[3 + figure.first_dof[figure.joint_index("head")] + 2] = turn
    faces = at_the_nape(figure, geometry)
    assert len(faces) > 150
    v = geometry.vertices
    moves = skin_frames(figure, forward_kinematics(figure, q))
    points = blended(moves, v["joints"].astype(int), v["weights"] / 65535.0, v["position"].astype(float))
    corners = points[faces]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    # The normals of the pose of rest, turned as most of the vertex turns.
    normals = np.einsum("kab,kb->ka", moves[v["joints"][:, 0].astype(int), :3, :3], v["normal"].astype(float))
    facing = np.einsum("ti,tci->tc", across, normals[faces])
    assert facing.min() > 0.8
    middle = corners.mean(axis=1)
    assert (np.einsum("ti,ti->t", across, middle * [1.0, 0.0, 1.0]) > 0.0).all(), "all face away from the figure's axis"
    behind = np.abs(v["position"][faces].mean(axis=1)[:, 0]) < 0.045  # and not below an ear
    assert behind.sum() > 150 and v["occlusion"][faces[behind]].min() > 0.85


def test_a_place_is_the_same_for_all_segments_that_share_it(person: tuple[Skeleton, Geometry]) -> None:
    """Files round it in each segment's own frame: pixels between two triangles would show what lies behind."""
    surface = figure_surface(person[0])
    order = np.argsort(surface.places, kind="stable")
    a, b = order[:-1], order[1:]
    shared = (surface.places[a] == surface.places[b]) & (surface.owners[a] != surface.owners[b])
    a, b = a[shared], b[shared]
    assert len(a) > 200 and (surface.points[a] == surface.points[b]).all()
    table = np.zeros((len(surface.points), surface.joints.max() + 1))
    for k in range(4):
        np.add.at(table, (np.arange(len(table)), surface.joints[:, k]), surface.weights[:, k])
    assert np.abs(table[a] - table[b]).max() < 1e-12


@pytest.mark.sampled(1)
def test_no_cap_inside_shows_through_a_shoulder_that_is_raised_far(person: tuple[Skeleton, Geometry]) -> None:
    figure, _ = person
    try:
        renderer = Renderer(acquire())
    except GraphicsError as error:
        pytest.skip(f"no OpenGL here: {error}")
    renderer.set_figure(figure)
    q = figure.rest_pose()
    q[3 + figure.first_dof[figure.joint_index("left upper arm")] + 1] = np.radians(150.0)
    q[3 + figure.first_dof[figure.joint_index("left clavicle")]] = np.radians(20.0)
    poses = forward_kinematics(figure, q)
    target = poses[figure.joint_index("left upper arm"), :3, 3]
    camera = Camera(target=tuple(target.tolist()), distance=0.5, yaw=0.4, pitch=0.1)
    shown = renderer.render(camera, Picture(poses, background=False), 500, 400, DARK, 4).astype(int)
    drawn = renderer._figure
    assert drawn is not None
    everything = drawn.buffer.draw_skin
    drawn.buffer.draw_skin = lambda level: drawn.buffer.draw(level)  # type: ignore[method-assign]
    caps = renderer.render(camera, Picture(poses, background=False), 500, 400, DARK, 4).astype(int)
    drawn.buffer.draw_skin = everything  # type: ignore[method-assign]
    renderer.dispose()
    assert (np.abs(caps - shown).max(axis=2) > 30).sum() < 20, "hardly a pixel of them would show"
    extents = zip(drawn.buffer.skin, drawn.buffer._extents, strict=True)
    assert all(count < end - first for (_, count), (first, end) in extents), "and they are not drawn"
    assert (shown[..., 3] == caps[..., 3]).all(), "and without them the skin is closed"


SHOULDER = 0.16  # [m]: how far round the joint a shoulder is looked at
# Motion of the shoulder (0 forwards, 1 outwards) and its angle; the largest fold, and the one in a hundred, [deg].
RAISED = [
    (0, 45.0, 35.0, 28.0), (0, 90.0, 35.0, 28.0), (0, 135.0, 80.0, 45.0),
    (1, 45.0, 35.0, 28.0), (1, 90.0, 35.0, 28.0), (1, 135.0, 45.0, 30.0), (1, 170.0, 180.0, 48.0),
]  # fmt: skip


@pytest.mark.parametrize(("motion", "degrees", "largest", "usual"), RAISED)
def test_a_raised_shoulder_is_smooth(
    person: tuple[Skeleton, Geometry], motion: int, degrees: float, largest: float, usual: float
) -> None:
    """Its skin has no step, and is not drawn together to a neck: as at rest, few neighbouring triangles fold."""
    figure, geometry = person
    arm = figure.joint_index("right upper arm")
    q = figure.rest_pose()
    center = forward_kinematics(figure, q)[arm, :3, 3]
    q[3 + figure.first_dof[arm] + motion] = np.radians(degrees)
    v = geometry.vertices
    moves = skin_frames(figure, forward_kinematics(figure, q))
    points = blended(moves, v["joints"].astype(int), v["weights"] / 65535.0, v["position"].astype(float))
    first, count = geometry.skin[0]
    faces = geometry.indices[first : first + count].reshape(-1, 3).astype(int)
    rest = v["position"].astype(float)
    near = np.linalg.norm(rest[faces].mean(axis=1) - center, axis=1) < SHOULDER
    # Above the armpit, which is a fold at rest and may stay one.
    faces = faces[near & (rest[faces].mean(axis=1)[:, 1] > center[1] - 0.05)]
    corners = points[faces]
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    place = np.unique(np.round(rest[faces].reshape(-1, 3) * 2e5), axis=0, return_inverse=True)[1].reshape(-1, 3)
    ends = np.sort(np.stack([place, np.roll(place, -1, axis=1)], axis=2).reshape(-1, 2), axis=1)
    key = ends[:, 0] * (place.max() + 1) + ends[:, 1]
    order = np.argsort(key, kind="stable")
    pair = key[order][1:] == key[order][:-1]
    a, b = order[:-1][pair] // 3, order[1:][pair] // 3
    folds = np.degrees(np.arccos(np.clip(np.einsum("ei,ei->e", across[a], across[b]), -1.0, 1.0)))
    assert len(folds) > 300
    assert folds.max() < largest and np.quantile(folds, 0.99) < usual
