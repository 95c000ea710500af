"""The table of formulas: what an expression says is where its part is drawn, and what such a mechanism does."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import scipy

from core.dynamics import Multibody
from core.formats import bundled_folder
from core.skeleton import Skeleton, load_skeleton
from core.spatial import se3
from skeletons.making.make_formulas import ARM, BAR, GROUND, ROCKER, ROD

TURNS = np.linspace(-7.0, 7.0, 57)


@pytest.fixture(scope="module")
def figure() -> Skeleton:
    return load_skeleton(bundled_folder() / "formulas.scr")


def model(s: Skeleton, name: str):  # type: ignore[no-untyped-def]
    return s.joints[s.joint_index(name)].type


def vertices(s: Skeleton, name: str) -> np.ndarray:
    parts = s.joints[s.joint_index(name)].objects
    return np.vstack([part.mesh.vertices for part in parts if part.mesh is not None])


def on_table(s: Skeleton, name: str, points: np.ndarray) -> np.ndarray:
    """Return how far points of a joint's fixed frame are from the table's nearest vertex, [m]."""
    tree = scipy.spatial.cKDTree(vertices(s, "table"))
    return np.asarray(tree.query(points + s.joints[s.joint_index(name)].offset)[0])


def test_the_bead_runs_along_its_rod_and_the_rod_through_it(figure: Skeleton) -> None:
    joint = model(figure, "bead")
    frames = np.array([joint.transform([turn]) for turn in TURNS])
    off = on_table(figure, "bead", frames[:, :3, 3])
    assert off.max() < ROD + 0.006 and off.min() < 1.02 * ROD
    for turn in TURNS:
        S = joint.subspace([turn])[:, 0]
        assert abs(S[3]) > 0.9999 * np.linalg.norm(S[3:])  # the tangent is its x
    assert joint.period == pytest.approx(2.0 * np.pi)


def test_the_ball_lies_on_the_slide_all_the_way_down(figure: Skeleton) -> None:
    joint = model(figure, "slide")
    frames = np.array([joint.transform([turn]) for turn in np.linspace(0.0, np.radians(900.0), 60)])
    assert (np.diff(frames[:, 1, 3]) < 0.0).all() and (np.diff(np.hypot(*frames[:, [0, 2], 3].T)) > 0.0).all()
    off = on_table(figure, "slide", frames[:, :3, 3] + [0.0, -0.018, 0.0])
    assert off.max() < ROD + 0.006


def test_the_wheel_rolls_and_does_not_slip(figure: Skeleton) -> None:
    joint = model(figure, "wheel")
    for roll in TURNS:
        X, S = joint.transform([roll]), joint.subspace([roll])[:, 0]
        ground = se3.inverse(X) @ [X[0, 3], 0.0, 0.0, 1.0]  # where it touches its lane, in its own axes
        assert np.linalg.norm(ground[:3]) == pytest.approx(0.07)
        assert S[3:] + np.cross(S[:3], ground[:3]) == pytest.approx(np.zeros(3), abs=1e-15)


def test_the_puck_stands_upright_on_the_saddle(figure: Skeleton) -> None:
    joint = model(figure, "puck")
    for right in np.linspace(-0.14, 0.14, 5):
        for front in np.linspace(-0.14, 0.14, 5):
            X, S = joint.transform([right, front]), joint.subspace([right, front])
            assert on_table(figure, "puck", X[None, :3, 3]) < 0.012
            normal = np.cross(S[3:, 1], S[3:, 0])
            assert normal[1] == pytest.approx(np.linalg.norm(normal), rel=1e-12)


def test_the_scapula_lies_flat_on_the_rib_cage(figure: Skeleton) -> None:
    joint, rng = model(figure, "scapula"), np.random.default_rng(1)
    for q in rng.uniform(-0.6, 0.6, size=(20, 3)):
        X, S = joint.transform(q), joint.subspace(q)
        x, y, z = X[:3, 3]
        assert (x / 0.14) ** 2 + (y / 0.20) ** 2 + (z / 0.10) ** 2 == pytest.approx(1.0)
        normal = np.array([x / 0.14**2, y / 0.20**2, z / 0.10**2])
        assert X[:3, 2] == pytest.approx(normal / np.linalg.norm(normal), abs=1e-12)
        assert S[:, 2] == pytest.approx([0.0, 0.0, 1.0, 0.0, 0.0, 0.0], abs=1e-15)
        assert S[5, :2] == pytest.approx(np.zeros(2), abs=1e-12)  # it leaves the rib cage nowhere


def test_the_coupler_keeps_the_lengths_of_its_linkage(figure: Skeleton) -> None:
    joint = model(figure, "coupler")
    assert ARM + GROUND < BAR + ROCKER, "the crank goes all the way round"
    for crank in TURNS:
        X = joint.transform([crank])
        assert X[:3, 3] == pytest.approx(ARM * np.array([np.cos(crank), np.sin(crank), 0.0]), abs=1e-15)
        end = X @ [BAR, 0.0, 0.0, 1.0]
        assert np.hypot(end[0] - GROUND, end[1]) == pytest.approx(ROCKER, abs=1e-12)
    assert joint.period == pytest.approx(2.0 * np.pi)


def test_the_axis_of_the_knee_wanders(figure: Skeleton) -> None:
    joint = model(figure, "shin")
    centers = []
    for bend in np.radians([5.0, 60.0, 120.0]):
        X, S = joint.transform([bend]), joint.subspace([bend])[:, 0]
        assert S[:3] == pytest.approx([1.0, 0.0, 0.0])
        centers.append((X @ [*np.cross(S[:3], S[3:]), 1.0])[1:3])  # the point that stands still
    assert min(np.linalg.norm(a - b) for a, b in pairwise(centers)) > 0.003


def test_all_of_them_move_as_with_maximal_coordinates(figure: Skeleton) -> None:
    s, rng = Multibody.from_skeleton(figure), np.random.default_rng(2)
    q = np.concatenate([np.zeros(3), rng.uniform(*np.clip(figure.limits.T, -1.0, 1.0))])
    x, v = s.state_from_pose(q, rng.normal(size=figure.nq))
    recursive, *others = (
        s.forward_dynamics(x, v, formulation=name) for name in ("recursive", "symbolic", "redmax", "maximal")
    )
    for other in others:
        assert other == pytest.approx(recursive, rel=1e-9, abs=1e-9 * np.abs(recursive).max())
