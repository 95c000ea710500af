"""The workbench: what is drawn as a way is where its wood and its part meet."""

from __future__ import annotations

import numpy as np
import pytest
import scipy

from core.formats import bundled_folder
from core.skeleton import Skeleton, load_skeleton
from skeletons.making.make_joints import RAIL, WIRE


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
