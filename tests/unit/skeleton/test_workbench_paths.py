"""The workbench: what is drawn as a way is where its wood and its part meet."""

from __future__ import annotations

import numpy as np
import pytest
import scipy

from core.formats import bundled_folder
from core.skeleton import Skeleton, load_skeleton
from skeletons.making.make_joints import BOLT, RAIL, RISE, WIRE


@pytest.fixture(scope="module")
def bench() -> Skeleton:
    return load_skeleton(bundled_folder() / "joints.scr")


def vertices(s: Skeleton, name: str, objects: slice = slice(None)) -> np.ndarray:
    parts = s.joints[s.joint_index(name)].objects[objects]
    return np.vstack([part.mesh.vertices for part in parts if part.mesh is not None])


@pytest.mark.parametrize("name, wood", [("loop", RAIL), ("wire", WIRE)])
def test_rails_are_where_the_way_is_and_parts_on_them(bench: Skeleton, name: str, wood: float) -> None:
    joint = bench.joints[bench.joint_index(name)]
    model = joint.type
    frames = np.array([model.transform([k]) for k in np.linspace(0.0, model.segments, 400)])
    path = frames[:, :3, 3]
    off = scipy.spatial.cKDTree(vertices(bench, "bench")).query(path + joint.offset)[0]
    assert np.all(off < wood + 0.006) and off.min() < 1.02 * wood  # vertices of the rod are some way apart
    tree = scipy.spatial.cKDTree(path)
    own = vertices(bench, name)
    for X in frames[::20]:
        gap = tree.query(own @ X[:3, :3].T + X[:3, 3])[0].min()
        if name == "loop":
            assert abs(gap - wood) < 0.003  # wheels on the rail
        else:
            assert wood + 0.0005 < gap < 2.0 * wood  # the wire goes through the hole and touches nothing
    along = np.array([model.subspace([k])[3:, 0] for k in np.linspace(0.0, model.segments, 50)])
    along /= np.linalg.norm(along, axis=1)[:, None]
    assert np.all(np.abs(along @ ([0, 0, 1] if name == "loop" else [1, 0, 0])) > np.cos(np.radians(6.0)))


def test_the_puck_stands_on_the_dune(bench: Skeleton) -> None:
    joint = bench.joints[bench.joint_index("dune")]
    model = joint.type
    tree = scipy.spatial.cKDTree(vertices(bench, "bench"))
    for u in np.arange(0.05, 2.0, 0.3):
        for v in np.arange(0.05, 2.0, 0.3):
            X, S = model.transform([u, v]), model.subspace([u, v])
            assert tree.query(X[:3, 3] + joint.offset)[0] < 1e-4
            normal = np.cross(S[3:, 0], S[3:, 1])
            assert abs(normal[1]) > np.cos(np.radians(1.0)) * np.linalg.norm(normal)
    assert -0.003 < vertices(bench, "dune")[:, 1].min() < 0.0


@pytest.mark.parametrize("name, wood, off", [("coaster", WIRE, 0.012), ("half-pipe", 0.0, 0.0015)])
def test_cart_and_board_stand_over_their_ways_and_touch_nothing(
    bench: Skeleton, name: str, wood: float, off: float
) -> None:
    joint = bench.joints[bench.joint_index(name)]
    model = joint.type
    frames = np.array([model.transform([k]) for k in np.linspace(0.0, model.segments, 400)])
    path = frames[:, :3, 3]
    near = vertices(bench, "bench")
    near = near[np.abs(near - joint.offset).max(axis=1) < 0.3]
    gaps = scipy.spatial.cKDTree((path + joint.offset)[:, :2]).query(near[:, :2])[0]
    assert gaps.min() < wood + 0.001
    own = vertices(bench, name)
    for X in frames[::20]:
        least = scipy.spatial.cKDTree(path).query(own @ X[:3, :3].T + X[:3, 3])[0].min()
        assert wood < least and abs(vertices(bench, name)[:, 1].min() - off) < 2e-4
    along = np.array([model.subspace([k])[3:, 0] for k in np.linspace(0.0, model.segments, 50)])
    along /= np.linalg.norm(along, axis=1)[:, None]
    assert np.all(np.abs(along[:, 0]) > np.cos(np.radians(15.0)))


@pytest.mark.parametrize("name, hand", [("nut", 1.0), ("left-hand nut", -1.0)])
def test_nuts_run_in_their_threads(bench: Skeleton, name: str, hand: float) -> None:
    joint = bench.joints[bench.joint_index(name)]
    X = joint.type.transform([0.5 * np.pi])
    assert X[1, 3] == pytest.approx(RISE / 4.0)  # up at any rate
    assert X[:3, :3] @ [0.0, 0.0, 1.0] == pytest.approx([hand, 0.0, 0.0])
    # The thread is in the place to which the motion takes it.
    around = vertices(bench, "bench") - joint.offset
    radius = np.hypot(around[:, 0], around[:, 2])
    thread = around[(np.abs(radius - BOLT) < 0.0041) & (around[:, 1] > -0.015) & (around[:, 1] < 0.12)]
    for turn in (0.4, 2.0, 5.0):
        Y = joint.type.transform([turn])
        moved = thread @ Y[:3, :3].T + Y[:3, 3]
        middle = moved[(moved[:, 1] > 0.05) & (moved[:, 1] < 0.09)]
        assert np.median(scipy.spatial.cKDTree(around).query(middle)[0]) < 0.0016
