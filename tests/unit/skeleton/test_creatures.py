"""The bundled creatures: sound files, closed skins that stay whole, ground, mirrors, pleasant dragging."""

from __future__ import annotations

import re
from importlib import import_module
from typing import NamedTuple

import numpy as np
import pytest
import trimesh

from core.formats import bundled_folder
from core.ik import Goal, solve
from core.kinematics import drag_chain, forward_kinematics
from core.skeleton import Skeleton, load_skeleton
from core.skeleton.segment import end_effector, segment_mesh
from core.skeleton.skin import bind_frames, segment_skin, skinned_vertices
from tests.support.made_files import assert_made_alike

BUNDLED = bundled_folder()


class Creature(NamedTuple):
    """What is promised of a figure."""

    joints: int
    dofs: int
    mass: float  # [kg]
    size: tuple[float, float, float]  # of the box around it at rest, [m]
    stands_on: tuple[str, ...]  # parts that touch the ground at rest
    pulled: tuple[str, ...]  # parts that are dragged
    reach: float  # how far, [m]
    skins: tuple[tuple[str, str], ...]  # neighbours that share a border of their skin


CREATURES = {
    "horse": Creature(
        42,
        68,
        450.0,
        (0.6, 2.0, 2.5),
        ("right fore hoof", "left fore hoof", "right hind hoof", "left hind hoof"),
        ("right fore hoof", "left hind hoof", "head", "tail 5", "mane"),
        0.30,
        (("pelvis", "loins"), ("withers", "lower neck"), ("withers", "left scapula"), ("upper neck", "head"),
         ("left scapula", "left upper arm"), ("left forearm", "left fore cannon"), ("pelvis", "right thigh"),
         ("right thigh", "right gaskin")),
    ),
    "hand": Creature(
        17,
        25,
        0.88,
        (0.11, 0.31, 0.12),
        ("forearm",),
        ("thumb distal", "index distal", "middle distal", "ring distal", "little distal"),
        0.04,
        (("forearm", "hand"), ("hand", "index proximal"), ("hand", "little proximal"), ("hand", "thumb metacarpal"),
         ("index proximal", "index middle"), ("thumb proximal", "thumb distal")),
    ),
    "bird": Creature(
        34,
        51,
        0.415,
        (0.875, 0.355, 0.425),
        ("right toes", "left toes", "right hind toe"),
        ("right wing tip", "left hand", "right primaries", "head", "right toes"),
        0.10,
        (("body", "lower neck"), ("upper neck", "head"), ("body", "right upper arm"), ("body", "right thigh"),
         ("left upper arm", "left forearm"), ("right forearm", "right hand"), ("right thigh", "right shin")),
    ),
}  # fmt: skip
every_creature = pytest.mark.parametrize("name", CREATURES)


@pytest.fixture(scope="module")
def figures() -> dict[str, Skeleton]:
    """All figures as the editor loads them."""
    return {name: load_skeleton(BUNDLED / f"{name}.scr") for name in CREATURES}


def world_points(s: Skeleton, q: np.ndarray) -> dict[str, np.ndarray]:
    """Return the posed vertices of every part with a body."""
    poses = forward_kinematics(s, q)
    found = {}
    for i, joint in enumerate(s.joints):
        if segment_mesh(s, i) is not None:
            found[joint.name] = skinned_vertices(s, i, poses)
    return found


def random_pose(s: Skeleton, rng: np.random.Generator, spread: float) -> np.ndarray:
    """A pose inside the limits, each hinge up to ``spread`` of its range away from rest."""
    q = s.rest_pose()
    low, high = np.clip(s.limits, -np.pi, np.pi).T
    q[3:] = np.clip(q[3:] + spread * rng.uniform(-1.0, 1.0, s.n_dofs) * (high - low), low, high)
    return q


@every_creature
def test_loads_without_warnings_as_promised(figures: dict[str, Skeleton], name: str) -> None:
    s, promised = figures[name], CREATURES[name]
    assert s.warnings == ()
    assert (len(s.joints), s.n_dofs) == (promised.joints, promised.dofs)
    assert sum(joint.mass or 0.0 for joint in s.joints) == pytest.approx(promised.mass, abs=0.005 * promised.mass)
    points = np.vstack(list(world_points(s, s.rest_pose()).values()))
    assert np.ptp(points, axis=0) == pytest.approx(promised.size, rel=0.15)


@every_creature
def test_every_degree_of_freedom_has_limits_and_a_readable_label(figures: dict[str, Skeleton], name: str) -> None:
    s = figures[name]
    free = len(s.joints[0].dofs)
    assert np.isfinite(s.limits[free:]).all()
    assert (s.limits[free:, 0] <= 0.0).all() and (s.limits[free:, 1] >= 0.0).all(), "zero is a pose"
    for joint in s.joints:
        assert all(re.fullmatch(r"[A-Z][a-z]+( [a-z0-9]+)*", label) for label in joint.dof_labels), joint.dof_labels
        assert len(set(joint.dof_labels)) == len(joint.dof_labels)
    labels = [s.dof_labels[k] for k, i in enumerate(s.dof_joints) if not s.joints[i].name.startswith("left ")]
    assert len(labels) == len(set(labels)), "a label alone says which slider it is, but for the side"


@every_creature
def test_sides_are_mirror_images(figures: dict[str, Skeleton], name: str) -> None:
    s = figures[name]
    sided = [joint.name for joint in s.joints if joint.name.startswith(("right ", "left "))]
    assert len(s.mirror_pairs) == len(sided) / 2
    q = random_pose(s, np.random.default_rng(5), 0.2)
    paired = {s.joints[i].name for pair in s.mirror_pairs for i in pair}
    for k, i in enumerate(s.dof_joints):
        q[3 + k] = 0.0 if s.joints[i].name not in paired else q[3 + k]
    for a, b in s.mirror_pairs:
        right = q[3 + s.first_dof[a] : 3 + s.first_dof[a + 1]]
        q[3 + s.first_dof[b] : 3 + s.first_dof[b + 1]] = right
    frames, M = forward_kinematics(s, q), np.diag([-1.0, 1.0, 1.0])
    for a, b in s.mirror_pairs:
        assert frames[b][:3, 3] == pytest.approx(M @ frames[a][:3, 3], abs=1e-9)
        assert frames[b][:3, :3] == pytest.approx(M @ frames[a][:3, :3] @ M, abs=1e-9)


@every_creature
def test_stands_on_the_ground(figures: dict[str, Skeleton], name: str) -> None:
    s, promised = figures[name], CREATURES[name]
    points = world_points(s, s.rest_pose())
    lowest = {part: float(places[:, 1].min()) for part, places in points.items()}
    assert min(lowest.values()) == pytest.approx(0.0, abs=1e-5)
    for part in promised.stands_on:
        assert lowest[part] == pytest.approx(0.0, abs=2e-4), part


@every_creature
def test_meshes_are_closed_and_turned_outwards(figures: dict[str, Skeleton], name: str) -> None:
    s = figures[name]
    count = 0
    for i, joint in enumerate(s.joints):
        if joint.objects:
            for part in joint.objects:
                assert part.mesh is not None
                mesh = trimesh.Trimesh(part.mesh.vertices, part.mesh.triangles, process=False)
                assert mesh.is_watertight and mesh.is_winding_consistent, part.file
                assert mesh.volume > 0.0, part.file
            whole = segment_mesh(s, i)
            assert whole is not None
            count += len(whole.triangles)
    assert 2000 <= count <= 8000


@every_creature
def test_masses_are_physical(figures: dict[str, Skeleton], name: str) -> None:
    for joint in figures[name].joints:
        assert joint.has_body == bool(joint.mass), joint.name
        if joint.has_body:
            assert joint.inertia is not None
            a, b, c = np.linalg.eigvalsh(joint.inertia)
            assert 0.0 < a <= b <= c < a + b + 1e-12, joint.name


@every_creature
def test_skins_share_their_borders_and_stay_whole(figures: dict[str, Skeleton], name: str) -> None:
    """Vertices of two neighbours that are one place in the bind pose stay one place in every pose."""
    s, promised = figures[name], CREATURES[name]
    bind = bind_frames(s)
    rng = np.random.default_rng(9)
    poses = [forward_kinematics(s, random_pose(s, rng, 0.3)) for _ in range(3)]
    size = float(np.ptp(np.vstack(list(world_points(s, s.rest_pose()).values())), axis=0).max())
    for first, second in promised.skins:
        a, b = s.joint_index(first), s.joint_index(second)
        places = [skinned_vertices(s, i, bind) for i in (a, b)]
        near = np.linalg.norm(places[0][:, None] - places[1][None], axis=2) < 1e-6
        rows, columns = np.nonzero(near)
        assert len(rows) >= 5, (first, second)
        for frames in poses:
            moved = [skinned_vertices(s, i, frames) for i in (a, b)]
            gap = np.linalg.norm(moved[0][rows] - moved[1][columns], axis=1).max()
            assert gap < 1.5e-3 * size, (first, second)


@every_creature
def test_skin_weights_are_of_joints_near_by(figures: dict[str, Skeleton], name: str) -> None:
    s = figures[name]
    frames = bind_frames(s)
    for i in range(len(s.joints)):
        skin = segment_skin(s, i)
        if skin is not None:
            assert skin.weights.sum(axis=1) == pytest.approx(1.0, abs=1e-9)
            used = np.unique(skin.joints[skin.weights > 0.05])
            reach = np.linalg.norm(frames[used, :3, 3] - frames[i, :3, 3], axis=1).max()
            assert reach < 0.45 * np.ptp(frames[:, :3, 3], axis=0).max(), s.joints[i].name


@every_creature
def test_dragged_parts_reach_goals_near_by(figures: dict[str, Skeleton], name: str) -> None:
    s, promised = figures[name], CREATURES[name]
    rng = np.random.default_rng(3)
    rest = s.rest_pose()
    before = forward_kinematics(s, rest)
    for part in promised.pulled:
        joint, point = s.joint_index(part), end_effector(s, part)
        for mode in ("limb", "body"):
            chain = drag_chain(s, joint, mode)
            dofs = np.array(chain.dofs)
            low, high = np.clip(s.limits[dofs - 3], -1.2, 1.2).T
            met = asked = 0
            while asked < 10:
                q = rest.copy()
                q[dofs] = np.clip(rest[dofs] + 0.18 * rng.normal(size=len(dofs)) * (high - low), low, high)
                goal = (forward_kinematics(s, q)[joint] @ [*point, 1.0])[:3]
                if not 0.1 < np.linalg.norm(goal - (before[joint] @ [*point, 1.0])[:3]) / promised.reach < 1.0:
                    continue
                asked += 1
                result = solve(s, rest, Goal(part, point=point, position=goal), base=chain.base)
                met += result.converged
                assert np.abs(result.q - rest)[3:].max() < np.radians(75.0), "no joint jumps"
            assert met == asked, (part, mode)


@pytest.mark.verify
@pytest.mark.sampled(1)
@every_creature
def test_script_makes_the_same_files(name: str) -> None:
    files = import_module(f"skeletons.making.make_{name}").figure().files()
    kept = sorted(path.relative_to(BUNDLED).as_posix() for path in (BUNDLED / name).iterdir())
    assert sorted(files) == sorted([*kept, f"{name}.scr"])
    for path, text in files.items():
        assert_made_alike(text, (BUNDLED / path).read_text(encoding="utf-8"), path)
