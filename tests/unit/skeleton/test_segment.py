"""Segments: their ends, what is drawn, their mass."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.errors import JointError
from core.skeleton import load_skeleton, read_scr
from core.skeleton.extent import figure_height
from core.skeleton.joint import Joint
from core.skeleton.mass import DENSITY, mass_properties
from core.skeleton.segment import capsule_mesh, end_effector, rest_frames, segment_capsule, segment_mesh, segment_tip
from core.skeleton.skeleton import Skeleton
from core.spatial.inertia import SpatialInertia

HERE = Path(__file__).parent
BUNDLED = Path(__file__).parents[3] / "skeletons"


@pytest.fixture(scope="module")
def stickman() -> Skeleton:
    return load_skeleton(BUNDLED / "stickman.scr")


def test_tips_are_where_the_next_joint_is(stickman: Skeleton) -> None:
    assert segment_tip(stickman, "right arm").tolist() == [0.0, -0.55, 0.0]
    assert segment_tip(stickman, "left leg").tolist() == [0.0, -0.81, 0.0]
    # Among several children the one without a counterpart carries the chain on.
    assert segment_tip(stickman, "torso").tolist() == [0.0, 0.46, 0.0]
    assert segment_tip(stickman, "pelvis").tolist() == [0.0, 0.08, 0.0]


def test_the_last_tip_is_as_far_as_the_object_reaches(stickman: Skeleton) -> None:
    for name in ("head", "right hand", "left foot"):
        mesh = segment_mesh(stickman, name)
        assert mesh is not None
        tip = segment_tip(stickman, name)
        lo, hi = mesh.bounds
        assert ((lo - 1e-3 <= tip) & (tip <= hi + 1e-3)).all()
        direction = tip / np.linalg.norm(tip)
        assert (mesh.vertices @ direction).max() == pytest.approx(np.linalg.norm(tip), abs=1e-12)


def test_a_joints_tip_says_how_long_a_last_segment_is(stickman: Skeleton) -> None:
    hand = stickman.joint_index("right hand")
    upper = stickman.joint_index("right arm")

    def with_tips(joint: int, *tips: tuple[float, float, float]) -> Skeleton:
        joints = [replace(j, tips=tips) if i == joint else j for i, j in enumerate(stickman.joints)]
        return Skeleton("tips", joints)

    assert segment_tip(with_tips(hand, (0.0, -0.3, 0.1)), hand).tolist() == [0.0, -0.3, 0.1]
    assert segment_tip(with_tips(hand, (0.0, -0.3, 0.1), (0.0, -0.1, 0.3)), hand) == pytest.approx([0, -0.2, 0.2])
    assert segment_tip(with_tips(hand, (0.1, 0.0, 0.0), (-0.1, 0.0, 0.0)), hand).tolist() == [0.1, 0.0, 0.0]
    assert segment_tip(with_tips(hand, (0.0, 0.0, 0.0)), hand).tolist() == segment_tip(stickman, hand).tolist()
    # A joint further on says more than a tip.
    assert segment_tip(with_tips(upper, (0.0, 9.0, 0.0)), upper).tolist() == segment_tip(stickman, upper).tolist()


def test_a_figure_without_bodies_is_as_tall_as_its_tips_reach() -> None:
    joints = [Joint("hips", -1), Joint("neck", 0, offset=(0, 0.6, 0), tips=((0.0, 0.3, 0.0),))]
    joints.append(Joint("leg", 0, offset=(0, -0.5, 0), orientation=(180, 0, 0), tips=((0.0, 0.4, 0.0),)))
    assert figure_height(Skeleton("bare", joints)) == pytest.approx(0.5 + 0.4 + 0.6 + 0.3)


def test_the_end_effector_is_half_way(stickman: Skeleton) -> None:
    for i in range(len(stickman.joints)):
        assert end_effector(stickman, i) == pytest.approx(0.5 * segment_tip(stickman, i), abs=0)


def test_a_last_segment_without_object_goes_on_half_as_far() -> None:
    s = load_skeleton(BUNDLED / "arm7.scr")
    assert segment_tip(s, "hand") == pytest.approx([0.0, 0.05, 0.0])


def test_a_turned_last_segment_goes_on_in_the_same_world_direction() -> None:
    s = read_scr(
        'define skeleton "s"\njoint "a"\njoint "b"\nend skeleton\n'
        'define joint "b"\noffset 0 1 0\norientation 0 0 90\nmass 1\nend joint\n'
    )
    assert segment_tip(s, "b") == pytest.approx([0.5, 0.0, 0.0], abs=1e-15)


def test_a_joint_that_only_carries_another_at_its_place_has_no_segment() -> None:
    s = read_scr(
        'define skeleton "s"\njoint "a"\njoint "b"\njoint "c"\nend skeleton\n'
        'define joint "b"\noffset 0 1 0\nhinge x\nend joint\ndefine joint "c"\nhinge y\nmass 1\nend joint\n'
    )
    assert segment_tip(s, "b").tolist() == [0.0, 0.0, 0.0]
    assert segment_mesh(s, "b") is None
    assert segment_tip(s, "c") == pytest.approx([0.0, 0.5, 0.0])


def test_unknown_joint(stickman: Skeleton) -> None:
    with pytest.raises(JointError):
        segment_tip(stickman, "tail")


def test_segment_mesh_is_kept_and_unites_objects(tmp_path: Path) -> None:
    (tmp_path / "t.pol").write_text("vertices 3\n 1 0 0\n 2 0 0\n 1 1 0\npolygons 1\n 3 0 1 2\n")
    text = (
        'define skeleton "s"\njoint "a"\nend skeleton\n'
        'define joint "a"\nobject "t.pol"\nobject "t.pol" mirrored\nobject "gone.pol"\nend joint\n'
    )
    s = read_scr(text, folder=tmp_path)
    mesh = segment_mesh(s, 0)
    assert mesh is not None and mesh is segment_mesh(s, "a")
    assert mesh.vertices[:, 0].tolist() == [1, 2, 1, -1, -2, -1]
    assert mesh.triangles.tolist() == [[0, 1, 2], [5, 4, 3]]


def test_a_capsule_stands_for_a_missing_object_and_for_a_mass_without_one() -> None:
    s = load_skeleton(HERE / "figure_6_1.scr")
    for name in ("right leg", "left leg"):
        assert segment_mesh(s, name) is not None
    assert segment_mesh(s, "torso") is None
    arm = load_skeleton(BUNDLED / "arm7.scr")
    assert all(segment_mesh(arm, i) is not None for i in range(len(arm.joints)))


def test_capsules_end_at_the_joint_and_the_tip_and_are_as_thick_as_the_figure_allows() -> None:
    s = load_skeleton(BUNDLED / "arm7.scr")
    for i in range(len(s.joints)):
        start, end, radius = segment_capsule(s, i)
        tip = segment_tip(s, i)
        length = np.linalg.norm(tip)
        assert 0.012 * 1.23 <= radius <= 0.05 * 1.24
        assert np.linalg.norm(start) == pytest.approx(min(radius, length / 2))
        assert np.linalg.norm(tip - end) == pytest.approx(min(radius, length / 2))


@pytest.mark.parametrize("end", [(0, 1, 0), (1, 0, 0), (-0.3, 0.2, 0.9), (0, -2, 0), (0, 0, 0)])
def test_capsule_mesh_is_closed_and_faces_outward(end: tuple[float, float, float]) -> None:
    mesh = capsule_mesh((0, 0, 0), end, 0.2)
    edges = np.concatenate([mesh.triangles[:, [a, b]] for a, b in ((0, 1), (1, 2), (2, 0))])
    forward = {tuple(edge) for edge in edges.tolist()}
    if any(end):
        assert len(forward) == len(edges)
        assert forward == {(b, a) for a, b in forward}
    length = float(np.linalg.norm(end))
    whole = np.pi * 0.04 * (length + 4 / 3 * 0.2)
    volume = SpatialInertia.mesh(mesh.vertices, mesh.triangles, density=1.0).mass
    assert 0.93 * whole < volume < whole  # inscribed
    t = np.clip(mesh.vertices @ np.array(end) / max(length**2, 1e-300), 0, 1)
    distance = np.linalg.norm(mesh.vertices - t[:, None] * np.array(end), axis=1)
    assert distance == pytest.approx(np.full(len(distance), 0.2), abs=1e-12)


def test_figures_stand_on_the_ground_and_are_as_tall_as_they_say(stickman: Skeleton) -> None:
    frames = rest_frames(stickman)
    heights = np.concatenate(
        [
            (mesh.vertices @ frames[i, :3, :3].T + frames[i, :3, 3])[:, 1]
            for i in range(len(stickman.joints))
            if (mesh := segment_mesh(stickman, i)) is not None
        ]
    )
    assert heights.min() == pytest.approx(0.0, abs=1e-12)
    assert figure_height(stickman) == pytest.approx(heights.max(), abs=1e-12)
    assert 1.6 < heights.max() < 1.8


def test_height_of_a_figure_that_lies_and_of_a_point() -> None:
    lying = read_scr(
        'define skeleton "s"\njoint "a"\njoint "b"\nend skeleton\ndefine joint "b"\noffset 3 0.1 0\nend joint\n'
    )
    assert figure_height(lying) == pytest.approx(3.0)
    assert figure_height(read_scr('define skeleton "s"\njoint "a"\nend skeleton\n')) == 1.0


def test_rest_frames_follow_the_rest_pose() -> None:
    s = read_scr(
        'define skeleton "s"\njoint "a"\njoint "b"\njoint "c"\nend skeleton\n'
        'define joint "b"\noffset 0 1 0\nhinge z 90 120\nslide x 2 3\nend joint\n'
        'define joint "c"\noffset 1 0 0\nend joint\n'
    )
    frames = rest_frames(s)
    assert frames[1, :3, 3] == pytest.approx([0.0, 3.0, 0.0], abs=1e-15)
    assert frames[2, :3, 3] == pytest.approx([0.0, 4.0, 0.0], abs=1e-15)


# -- mass ------------------------------------------------------------------------------------------------------------

CUBE = """vertices 8
 0 0 0
 1 0 0
 1 1 0
 0 1 0
 0 0 1
 1 0 1
 1 1 1
 0 1 1
polygons 6
 4  3 2 1 0
 4  4 5 6 7
 4  0 1 5 4
 4  1 2 6 5
 4  2 3 7 6
 4  3 0 4 7
"""


def with_cube(folder: Path, *lines: str) -> Skeleton:
    (folder / "cube.pol").write_text(CUBE)
    inner = "\n".join(lines)
    return read_scr(
        f'define skeleton "s"\njoint "a"\nend skeleton\ndefine joint "a"\n{inner}\nend joint\n', folder=folder
    )


def test_mass_comes_from_the_object(tmp_path: Path) -> None:
    mass, center, inertia = mass_properties(with_cube(tmp_path, 'object "cube.pol"', "mass 12"), 0)
    assert mass == 12.0
    assert center == pytest.approx([0.5, 0.5, 0.5])
    assert inertia == pytest.approx(2.0 * np.eye(3))
    assert mass_properties(with_cube(tmp_path, 'object "cube.pol"'), 0)[0] == pytest.approx(DENSITY)


def test_two_objects_are_one_body(tmp_path: Path) -> None:
    s = with_cube(tmp_path, 'object "cube.pol"', 'object "cube.pol" mirrored', "mass 24")
    _, center, inertia = mass_properties(s, 0)
    expected = SpatialInertia.box(24.0, (2, 1, 1), (0, 0.5, 0.5))
    assert center == pytest.approx(expected.center, abs=1e-12)
    assert inertia == pytest.approx(expected.inertia, rel=1e-12, abs=1e-12)


def test_what_the_file_gives_is_kept(tmp_path: Path) -> None:
    s = with_cube(tmp_path, 'object "cube.pol"', "mass 12", "center 1 2 3", "inertia 3 4 5 0.1 0.2 0.3")
    mass, center, inertia = mass_properties(s, "a")
    assert (mass, center.tolist()) == (12.0, [1.0, 2.0, 3.0])
    assert inertia.tolist() == [[3.0, 0.1, 0.2], [0.1, 4.0, 0.3], [0.2, 0.3, 5.0]]
    inertia[0, 0] = 9.0
    assert mass_properties(s, "a")[2][0, 0] == 3.0
    only_center = with_cube(tmp_path, 'object "cube.pol"', "mass 12", "center 1 2 3")
    assert mass_properties(only_center, 0)[2] == pytest.approx(2.0 * np.eye(3))


def test_without_object_it_is_a_capsule() -> None:
    s = load_skeleton(BUNDLED / "arm7.scr")
    start, end, radius = segment_capsule(s, "elbow")
    expected = SpatialInertia.capsule(2.5, start, end, radius)
    mass, center, inertia = mass_properties(s, "elbow")
    assert mass == 2.5
    assert center == pytest.approx(expected.center)
    assert inertia == pytest.approx(expected.inertia, rel=1e-12)


def test_an_open_object_gets_the_capsules_mass(tmp_path: Path) -> None:
    (tmp_path / "flat.pol").write_text("vertices 3\n 0 0 0\n 1 0 0\n 0 1 0\npolygons 1\n 3 0 1 2\n")
    mass, _, inertia = mass_properties(with_cube(tmp_path, 'object "flat.pol"', "mass 3"), 0)
    assert mass == 3.0 and np.linalg.eigvalsh(inertia)[0] > 0


def test_no_body_no_mass(tmp_path: Path) -> None:
    s = load_skeleton(HERE / "figure_6_1.scr")
    mass, center, inertia = mass_properties(s, "torso")
    assert (mass, center.tolist(), inertia.tolist()) == (0.0, [0.0] * 3, np.zeros((3, 3)).tolist())
    assert mass_properties(with_cube(tmp_path, 'object "cube.pol"', "mass 0"), 0)[0] == 0.0


@pytest.mark.parametrize("name", ["stickman", "arm7", "chain20", "human"])
def test_every_joint_has_mass_center_and_inertia(name: str) -> None:
    s = load_skeleton(BUNDLED / f"{name}.scr")
    for i, joint in enumerate(s.joints):
        assert joint.center is not None and joint.center.shape == (3,)
        assert joint.inertia is not None and joint.inertia.shape == (3, 3)
        assert (joint.mass, joint.center.tolist(), joint.inertia.tolist()) == tuple(
            value if isinstance(value, float) else value.tolist() for value in mass_properties(s, i)
        )


def test_masses_worked_out_follow_what_is_changed(tmp_path: Path) -> None:
    s = with_cube(tmp_path, 'object "cube.pol"', "mass 12")
    heavier = Skeleton(s.name, [replace(s.joints[0], mass=24.0)])
    assert mass_properties(heavier, 0)[2] == pytest.approx(4.0 * np.eye(3))
    bare = Skeleton(s.name, [replace(s.joints[0], objects=(), mass=0.0)])
    assert mass_properties(bare, 0)[2].tolist() == np.zeros((3, 3)).tolist()
    given = Skeleton(s.name, [replace(s.joints[0], center=np.ones(3))])
    assert given.joints[0].center is not None and given.joints[0].center.tolist() == [1.0, 1.0, 1.0]
    assert "center" not in given.joints[0].assumed
