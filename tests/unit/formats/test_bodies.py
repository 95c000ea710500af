"""Bodies for bare skeletons: what each joint carries; shapes that are closed, sound and in a person's proportions."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from core.formats import Project, load, save
from core.formats.importing.bodies import with_bodies
from core.skeleton import Joint, Skeleton, load_skeleton
from core.skeleton.anatomy import find_anatomy
from core.skeleton.extent import figure_height
from core.skeleton.frames import frames_at
from core.skeleton.named_parts import name_key, said
from core.skeleton.shapes import volume
from tests.support.figures import chain, random_figure

MOTIONS = {
    "bvh/cmu_01_01.bvh": 31, "bvh/cmu_12_01_walk.bvh": 31, "bvh/cmu_jumping_jacks.bvh": 31, "bvh/fair1_dab.bvh": 27,
    "bvh/mh_standing06.bvh": 163, "bvh/pybvh_mixed_orders.bvh": 24, "bvh/walk01.bvh": 19, "asfamc/01.asf": 31,
}  # fmt: skip


def bare(s: Skeleton) -> Skeleton:
    """The figure without bodies and masses."""
    return Skeleton(s.name, [Joint(j.name, j.parent, j.offset, j.orientation, j.dofs, tips=j.tips) for j in s.joints])


def parts_of(s: Skeleton) -> dict[str, str]:
    return dict(zip(s.joint_names, find_anatomy(s, frames_at(s, np.zeros(s.n_dofs))).parts, strict=True))


def world_vertices(s: Skeleton, joint: int | str) -> np.ndarray:
    i = s.joint_index(joint)
    frame = frames_at(s, np.zeros(s.n_dofs))[i]
    points = np.concatenate([item.mesh.vertices for item in s.joints[i].objects])
    return points @ frame[:3, :3].T + frame[:3, 3]


# -- names -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "side", "part"),
    [
        ("LeftUpLeg", 1, "thigh"), ("RightForeArm", -1, "forearm"), ("lfemur", 1, "thigh"), ("rradius", -1, "forearm"),
        ("LHipJoint", 1, "connector"), ("upperleg01.R", -1, "thigh"), ("mixamorig:LeftHandIndex1", 1, "finger"),
        ("Bip01_L_UpperArm", 1, "upper arm"), ("hand_l", 1, "hand"), ("LeftToeBase", 1, "toe"), ("ltoes", 1, "toe"),
        ("lowerarm.L", 1, "forearm"), ("lowerback", 0, "trunk"), ("lowerneck", 0, "neck"), ("radius", 0, "forearm"),
        ("root", 0, None), ("LeftLeg", 1, None), ("rleg", -1, None), ("l_shoulder", 1, None), ("Hips", 0, "pelvis"),
        ("upperarm_twist_01_l", 1, "helper"), ("HeadTop_End", 0, "helper"), ("ring", 0, "finger"), ("string", 0, None),
    ],
)  # fmt: skip
def test_what_a_name_says(name: str, side: int, part: str | None) -> None:
    key, found = name_key(name)
    assert (found, said(key)) == (side, part)


def test_the_same_word_is_distinguished_by_place(data_folder: Path) -> None:
    """``LeftShoulder`` is a collar bone in one file and an upper arm in another; ``LeftLeg`` a shank."""
    cmu = parts_of(load(data_folder / "bvh" / "cmu_01_01.bvh").figures[0])
    assert cmu["LeftShoulder"] == "clavicle" and cmu["LeftArm"] == "upper arm" and cmu["LeftLeg"] == "shank"
    assert cmu["LHipJoint"] == "connector" and cmu["Hips"] == "pelvis" and cmu["Neck"] == "neck"
    assert cmu["LeftHand"] == "helper" and cmu["LeftFingerBase"] == "hand"  # both at the wrist: one is the hand
    jacks = parts_of(load(data_folder / "bvh" / "cmu_jumping_jacks.bvh").figures[0])
    assert jacks["LeftShoulder"] == "upper arm" and jacks["LeftCollar"] == "clavicle" and jacks["LeftHip"] == "thigh"
    assert jacks["LeftElbow"] == "forearm" and jacks["LeftKnee"] == "shank" and jacks["LeftAnkle"] == "foot"
    acclaim = parts_of(load(data_folder / "asfamc" / "01.asf").figures[0])
    assert acclaim["lwrist"] == "hand" and acclaim["lhand"] == acclaim["lfingers"] == acclaim["lthumb"] == "finger"
    assert acclaim["thorax"] == "trunk" and acclaim["lhipjoint"] == "connector" and acclaim["root"] == "pelvis"


def test_a_face_has_no_bodies(data_folder: Path) -> None:
    s = load(data_folder / "bvh" / "mh_standing06.bvh").figures[0]
    parts = parts_of(s)
    for name in ("jaw", "tongue03", "eye.L", "oris02", "levator02.R", "special04", "breast.L"):
        assert parts[name] == "helper" and not s.joints[s.joint_index(name)].objects, name
    for name in ("upperleg01.L", "upperleg02.L", "lowerleg02.R", "finger3-2.R", "toe3-3.L", "head", "spine03"):
        assert s.joints[s.joint_index(name)].objects, name
    assert parts["upperarm01.R"] == parts["upperarm02.R"] == "upper arm" and parts["metacarpal2.L"] == "helper"


@pytest.mark.sampled(1)
@pytest.mark.parametrize("file", ["mh_standing06", "mh_fight01_1frame"])
def test_the_bones_of_a_face_lie_in_the_head(file: str, data_folder: Path) -> None:
    s = load(data_folder / "bvh" / f"{file}.bvh", up="auto", positions="auto").figures[0]
    at = frames_at(s, np.zeros(s.n_dofs))[:, :3, 3]
    low, high = (f(world_vertices(s, "head"), axis=0) for f in (np.min, np.max))
    for name in ("jaw", "eye.L", "oris02", "levator05.R", "tongue03"):
        place = at[s.joint_index(name)]
        assert (place[[0, 2]] > low[[0, 2]] - 0.005).all() and (place[[0, 2]] < high[[0, 2]] + 0.005).all(), name


# -- shapes ----------------------------------------------------------------------------------------------------------


def assert_sound(s: Skeleton) -> None:
    names = [item.file for joint in s.joints for item in joint.objects]
    assert len({name.casefold() for name in names}) == len(names)
    for joint in s.joints:
        for item in joint.objects:
            folder, _, file = item.file.partition("/")
            assert folder and file.endswith(".pol") and "/" not in file and folder != ".."
            mesh = item.mesh
            edges = Counter((a, b) for t in mesh.triangles.tolist() for a, b in zip(t, [*t[1:], t[0]], strict=True))
            assert set(edges.values()) == {1} and all((b, a) in edges for a, b in edges), item.file
            assert volume(mesh) > 0.0 and np.isfinite(mesh.vertices).all(), item.file
        if joint.objects:
            assert joint.mass > 0.0 and (np.linalg.eigvalsh(joint.inertia) > 0.0).all(), joint.name
        else:
            assert joint.mass == 0.0


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("file", "joints"), MOTIONS.items())
def test_reference_figures(file: str, joints: int, data_folder: Path) -> None:
    s = with_bodies(bare(load(data_folder / file).figures[0]))
    assert len(s.joints) == joints
    assert_sound(s)
    anatomy = find_anatomy(s, frames_at(s, np.zeros(s.n_dofs)))
    assert anatomy.human
    for part in ("pelvis", "trunk", "head", "thigh", "shank", "foot", "upper arm", "forearm", "hand"):
        assert any(s.joints[i].objects for i in anatomy.having(part)), part
    points = np.concatenate([world_vertices(s, i) for i, joint in enumerate(s.joints) if joint.objects])
    height = float(np.ptp(points @ anatomy.up))
    mass = sum(joint.mass for joint in s.joints)
    assert 18.0 < mass / height**2 * (1.74 / height) < 30.0  # a body-mass index, whatever the unit
    assert sum(len(item.mesh.triangles) for joint in s.joints for item in joint.objects) < 16_000
    # As a person's: shares of the whole mass, by de Leva's table with room for a mannequin.
    share = {part: sum(s.joints[i].mass for i in anatomy.having(part)) / mass for part in set(anatomy.parts)}
    assert 0.35 < share["pelvis"] + share["trunk"] < 0.60
    assert 0.12 < share["thigh"] < 0.36 and 0.05 < share["shank"] < 0.13
    assert 0.02 < share["upper arm"] < 0.09 and 0.012 < share["forearm"] < 0.06 and 0.03 < share["head"] < 0.11
    # Both sides alike, to what the file itself differs.
    for pair in (("thigh", 0.2), ("upper arm", 0.2), ("foot", 0.3)):
        sides = [sum(s.joints[i].mass for i in anatomy.having(pair[0]) if anatomy.sides[i] == k) for k in (1, -1)]
        assert sides[0] == pytest.approx(sides[1], rel=pair[1])


def test_soles_are_flat_and_on_the_ground(data_folder: Path) -> None:
    s = load(data_folder / "asfamc" / "01.asf").figures[0]
    for foot, toes in (("lfoot", "ltoes"), ("rfoot", "rtoes")):
        lowest = []
        for name in (foot, toes):
            points = world_vertices(s, name)
            low = points[:, 1].min()
            assert np.count_nonzero(points[:, 1] < low + 1e-6) > 8  # a plane, not an edge
            lowest.append(low)
        assert lowest[0] == pytest.approx(lowest[1], abs=1e-6)
        heel, ball = world_vertices(s, foot)[:, 2].min(), s.joint_index(toes)
        assert heel < frames_at(s, np.zeros(s.n_dofs))[s.joint_index(foot), 2, 3] - 0.02
        assert world_vertices(s, toes)[:, 2].max() > frames_at(s, np.zeros(s.n_dofs))[ball, 2, 3] + 0.03


def test_the_trunk_spans_hips_and_shoulders(data_folder: Path) -> None:
    s = load(data_folder / "asfamc" / "02.asf").figures[0]
    at = frames_at(s, np.zeros(s.n_dofs))[:, :3, 3]
    hips = at[s.joint_index("lfemur"), 0] - at[s.joint_index("rfemur"), 0]
    shoulders = at[s.joint_index("lhumerus"), 0] - at[s.joint_index("rhumerus"), 0]
    assert hips < np.ptp(world_vertices(s, "root")[:, 0]) < 2.5 * hips
    assert 0.8 * shoulders < np.ptp(world_vertices(s, "thorax")[:, 0]) < 1.2 * shoulders
    head = world_vertices(s, "head")
    assert np.ptp(head[:, 1]) > 1.2 * np.ptp(head[:, 0])  # an egg
    assert np.abs(head[:, 0]).max() < 0.12


def test_thickness_follows_the_bones() -> None:
    """Longer limbs are thicker, less than in proportion; a larger figure has all of it larger."""

    def figure(scale: float, leg: float) -> Skeleton:
        joints = [Joint("Hips", -1), Joint("Spine", 0, [0, 0.1 * scale, 0]), Joint("Head", 1, [0, 0.5 * scale, 0])]
        for side, x in (("Left", 1.0), ("Right", -1.0)):
            joints.append(Joint(f"{side}UpLeg", 0, [0.09 * x * scale, 0, 0]))
            joints.append(Joint(f"{side}Leg", len(joints) - 1, [0, -0.42 * leg * scale, 0]))
            joints.append(Joint(f"{side}Foot", len(joints) - 1, [0, -0.43 * leg * scale, 0]))
            joints.append(Joint(f"{side}Arm", 1, [0.18 * x * scale, 0.37 * scale, 0]))
            joints.append(Joint(f"{side}ForeArm", len(joints) - 1, [0.28 * x * scale, 0, 0]))
            joints.append(Joint(f"{side}Hand", len(joints) - 1, [0.27 * x * scale, 0, 0]))
        return with_bodies(Skeleton("figure", joints))

    def thigh(s: Skeleton) -> float:
        return float(np.ptp(world_vertices(s, "LeftUpLeg")[:, 0]))

    man, longer, giant = figure(1.0, 1.0), figure(1.0, 1.3), figure(2.0, 1.0)
    assert_sound(man)
    assert 1.02 * thigh(man) < thigh(longer) < 1.28 * thigh(man)
    assert thigh(giant) == pytest.approx(2.0 * thigh(man))
    assert figure_height(man) == pytest.approx(1.74, rel=0.08)
    assert sum(joint.mass for joint in man.joints) == pytest.approx(73.0 * (figure_height(man) / 1.74) ** 3, rel=1e-6)
    assert sum(j.mass for j in giant.joints) == pytest.approx(8.0 * sum(j.mass for j in man.joints))


@pytest.mark.verify
def test_other_figures_get_limbs_from_joint_to_joint() -> None:
    s = with_bodies(bare(chain(6, length=0.2)))
    assert_sound(s)
    assert all(len(joint.objects) == 1 for joint in s.joints)
    for i in range(5):
        points = world_vertices(s, i)
        assert points[:, 1].min() > 0.2 * i - 0.02 and points[:, 1].max() < 0.2 * (i + 1) + 0.02
    for seed in range(20):
        assert_sound(with_bodies(bare(random_figure(seed, joints=15, scaled=seed % 2 == 1))))
    dot = Skeleton("dot", [Joint("dot", -1)])
    assert with_bodies(dot) is dot


WORDS = ("Hips Spine Neck Head Clavicle Shoulder Arm UpperArm ForeArm Elbow Hand Wrist Thumb Index Finger HipJoint Leg "
         "UpLeg Knee Shank Foot Ankle Toe End Thing").split()  # fmt: skip


@pytest.mark.verify
@pytest.mark.filterwarnings("error")
def test_trees_that_only_sound_like_people() -> None:
    """Names of body parts on random trees, and people with bones of no length, the wrong way round or far too long."""
    for seed in range(50):
        rng = np.random.default_rng(seed)
        joints = []
        for i in range(int(rng.integers(2, 30))):
            name = ("Left", "Right", "")[rng.integers(3)] + WORDS[rng.integers(len(WORDS))] + str(i)
            offset = rng.normal(size=3) * 10.0 ** rng.integers(-6, 2) * (rng.random() < 0.8)
            tips = (rng.normal(size=3),) if rng.random() < 0.3 else ()
            joints.append(Joint(name, int(rng.integers(0, i)) if i else -1, offset, tips=tips))
        assert_sound(with_bodies(Skeleton("random", joints)))


@pytest.mark.verify
@pytest.mark.sampled(1)
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("file", ["bvh/cmu_01_01.bvh", "bvh/walk01.bvh", "asfamc/01.asf"])
def test_people_with_odd_bones(file: str, data_folder: Path) -> None:
    person = load(data_folder / file).figures[0]
    changes = (lambda v: 0.0 * v, lambda v: -v, lambda v: v[[1, 2, 0]], lambda v: 50.0 * v, *[lambda v: v] * 8)
    for seed in range(15):
        rng = np.random.default_rng(seed)
        joints = [
            Joint(j.name, j.parent, changes[rng.integers(len(changes))](j.offset), j.orientation, tips=j.tips)
            for j in person.joints
        ]
        assert_sound(with_bodies(Skeleton("odd", joints)))


def test_what_is_there_stays(skeletons_folder: Path) -> None:
    human = load_skeleton(skeletons_folder / "human.scr")
    assert with_bodies(human) is human
    joints = [Joint("a", -1, mass=3.0), Joint("b", 0, [0, 1, 0], tips=([0, 0.5, 0],))]
    s = with_bodies(Skeleton("two", joints))
    assert s.joints[0].mass == 3.0 and s.joints[1].mass > 0.0 and all(joint.objects for joint in s.joints)


def test_odd_names_make_files(tmp_path: Path) -> None:
    names = ["hips", "../../etc", "a/b", "A_B", "ü ß", "con", ". .", "x" * 300]
    s = Skeleton("../evil\n", [Joint(name, k - 1, [0, 0.2, 0]) for k, name in enumerate(names)])
    s = with_bodies(s)
    assert_sound(s)
    save(Project([Skeleton("evil", s.joints)], []), tmp_path / "x.scr")
    again = load_skeleton(tmp_path / "x.scr")
    assert [len(joint.objects) for joint in again.joints] == [len(joint.objects) for joint in s.joints]
    assert all(item.mesh is not None for joint in again.joints for item in joint.objects)
