"""The shapes of the bundled figures: they cover what is drawn, stand flat on the floor, and are alike on both sides."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import scipy

from core.dynamics import Multibody
from core.dynamics.contact.contact_set import ContactSet
from core.dynamics.contact.figure_shapes import figure_geometries
from core.dynamics.contact.packing import CODE_BITS
from core.dynamics.contact.shapes import Box, Capsule, Geometry, Hull, Sphere
from core.dynamics.contact.world import World
from core.errors import DynamicsError
from core.formats import bundled_folder
from core.skeleton import load_skeleton
from core.skeleton.segment import rest_frames, segment_mesh
from core.skeleton.skeleton import Skeleton

FIGURES = "stickman human woman robot hand bird horse spider arm7 chain20 joints".split()
STANDING = {"stickman": 2, "human": 4, "woman": 4, "horse": 4, "bird": 2}
"""Parts that the figure stands on with a flat sole, at least."""

GAP = 6


@cache
def load(name: str) -> tuple[Skeleton, Multibody, tuple[Geometry, ...]]:
    skeleton = load_skeleton(bundled_folder() / f"{name}.scr")
    model = Multibody.from_skeleton(skeleton)
    return skeleton, model, figure_geometries(skeleton, model)


def rest_poses(skeleton: Skeleton, model: Multibody) -> np.ndarray:
    return model.body_poses(model.state_from_pose(skeleton.rest_pose()))


def depth_outside(points: np.ndarray, geometry: Geometry, X_WB: np.ndarray) -> np.ndarray:
    """How far points are outside a shape, negative inside; for hulls and boxes outside their planes."""
    X = X_WB[geometry.body] @ geometry.X_BS
    local = (points - X[:3, 3]) @ X[:3, :3]
    shape = geometry.shape
    if shape.radius > 0.0:
        half = shape.half_length if isinstance(shape, Capsule) else 0.0
        local[:, 2] -= np.clip(local[:, 2], -half, half)
        return np.linalg.norm(local, axis=1) - shape.radius
    planes = scipy.spatial.ConvexHull(shape.polytope.points).equations
    return (local @ planes[:, :3].T + planes[:, 3]).max(axis=1)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", FIGURES)
def test_every_part_is_covered(name: str) -> None:
    skeleton, model, shapes = load(name)
    X, frames = rest_poses(skeleton, model), rest_frames(skeleton)
    figure = model.figure
    assert figure is not None
    for i, joint in enumerate(skeleton.joints):
        mesh = segment_mesh(skeleton, i)
        if mesh is None or figure.joint_body[i] < 0 or figure.inside[i]:
            continue
        own = [shape for shape in shapes if shape.body == figure.joint_body[i]]
        assert own, joint.name
        points = mesh.vertices @ frames[i, :3, :3].T + frames[i, :3, 3]
        outside = np.min([depth_outside(points, shape, X) for shape in own], axis=0)
        a, b, c = points[mesh.triangles.T]
        area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
        size = float(np.ptp(points, axis=0).max())
        assert area @ outside[mesh.triangles].mean(axis=1) < 0.05 * size * area.sum(), joint.name
        assert outside.max() < 0.25 * size, joint.name


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", STANDING)
def test_soles_lie_on_the_floor(name: str) -> None:
    skeleton, model, shapes = load(name)
    contacts = ContactSet(model, shapes, World())
    rows, numbers = contacts.find(rest_poses(skeleton, model), np.full(len(model.bodies), 0.002))
    standing, points = np.unique(numbers >> CODE_BITS, return_counts=True)
    assert len(standing) >= STANDING[name] and (points >= 3).sum() >= STANDING[name]
    assert np.abs(rows[:, GAP]).max() < 2e-3
    middle = model.center_of_mass(model.state_from_pose(skeleton.rest_pose()))[[0, 2]]
    rim = scipy.spatial.ConvexHull(rows[:, [0, 2]]).equations
    assert (rim[:, :2] @ middle + rim[:, 2]).max() < 0.0  # it does not topple


def test_wheels_are_round_and_boxes_are_boxes() -> None:
    _, _, shapes = load("robot")
    wheels = [shape for shape in shapes if "wheel" in shape.name]
    assert len(wheels) == 2 and all(len(shape.shape.polytope.points) == 64 for shape in wheels)
    _, _, shapes = load("joints")
    assert sum(isinstance(shape.shape, Box) and shape.name.startswith("bench") for shape in shapes) >= 6
    assert any(isinstance(shape.shape, Sphere) for shape in shapes)


@pytest.mark.parametrize("name", ["human", "stickman", "horse"])
def test_counterparts_have_counterparts(name: str) -> None:
    _, _, shapes = load(name)
    by_name = {shape.name: shape for shape in shapes}
    for shape in shapes:
        if not shape.name.startswith("left "):
            continue
        other = by_name[shape.name.replace("left ", "right ")]
        assert type(shape.shape) is type(other.shape)
        one = shape.X_BS[:3, :3] @ shape.shape.polytope.points.T + shape.X_BS[:3, 3:]
        two = other.X_BS[:3, :3] @ other.shape.polytope.points.T + other.X_BS[:3, 3:]
        assert abs(shape.shape.radius - other.shape.radius) < 1e-6
        if isinstance(shape.shape, Hull):
            volumes = [scipy.spatial.ConvexHull(points.T).volume for points in (one, two)]
            assert volumes[0] == pytest.approx(volumes[1], rel=0.05)


def test_a_figure_touches_itself_only_on_request_and_never_where_it_does_at_rest() -> None:
    skeleton, model, shapes = load("human")
    X = rest_poses(skeleton, model)
    reach = np.zeros(len(model.bodies))
    assert len(ContactSet(model, shapes, World(floor=None)).pairs) == 0
    own = ContactSet(model, shapes, World(floor=None), self_contact=True)
    parents = model.parents
    for i, j in own.pairs:
        one, other = shapes[i].body, shapes[j].body
        assert one != other and parents[one] != other and parents[other] != one
    assert len(own.find(X, reach)[0]) == 0
    names = {frozenset((shapes[i].name, shapes[j].name)) for i, j in own.pairs}
    assert frozenset(("left shank", "right shank")) in names and frozenset(("left hand", "left thigh")) in names
    # Legs crossed: the shanks meet.
    q = skeleton.rest_pose()
    for side in ("left", "right"):
        joint = skeleton.joint_index(f"{side} thigh")
        outwards = next(k for k, label in enumerate(skeleton.joints[joint].dof_labels) if label.endswith("Hip out"))
        q[3 + skeleton.first_dof[joint] + outwards] = -0.3
    moved, _ = own.find(model.body_poses(model.state_from_pose(q)), reach)
    touching = {frozenset((shapes[int(row[10])].name, shapes[int(row[11])].name)) for row in moved}
    assert frozenset(("left shank", "right shank")) in touching


def test_friction_of_a_part_is_the_figures_own() -> None:
    skeleton, _, _ = load("stickman")
    joints = [replace(joint, friction=0.1) if "foot" in joint.name else joint for joint in skeleton.joints]
    icy = Skeleton(skeleton.name, joints)
    model = Multibody.from_skeleton(icy)
    for shape in figure_geometries(icy, model, 0.5):
        assert shape.friction == (0.1 if "foot" in shape.name else 0.5)


def test_the_model_must_be_the_figures() -> None:
    skeleton, _, _ = load("stickman")
    other, model, _ = load("chain20")
    with pytest.raises(DynamicsError, match="the model was not made of this figure"):
        figure_geometries(skeleton, model)
    assert other is not skeleton
