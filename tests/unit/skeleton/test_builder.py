"""The figure builder: what each edit does to the figure, and what happens to poses."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.errors import JointError, PoseError, SkeletonError
from core.joints import Revolute
from core.kinematics import forward_kinematics
from core.skeleton import Dof, Joint, Mesh, SegmentObject, Skeleton, SkeletonBuilder, load_skeleton, read_scr, write_scr
from core.skeleton.building.parts import FIELDS
from core.skeleton.tie import Follow, Loop
from tests.support.bodies import random_body, world
from tests.support.figures import box_mesh, fork, hinge, random_pose, slide

BUNDLED = ("human.scr", "stickman.scr", "arm7.scr", "chain20.scr")


def lamp() -> SkeletonBuilder:
    builder = SkeletonBuilder(name="lamp")
    builder.add("foot", mass=2.0)
    builder.add("arm", "foot", offset=(0, 0.05, 0))
    builder.add_dof("arm", "hinge", "y", label="Turn")
    builder.add_dof("arm", "hinge", "-x", -0.3, 1.2, "Lean")
    builder.add("shade", "arm", offset=(0, 0.4, 0), mass=0.3, color=(1, 0.5, 0))
    return builder


def assert_same_places(a: Skeleton, b: Skeleton, names: list[str] | None = None, rest: bool = True) -> None:
    """Segments of both figures are at the same places in the rest pose."""
    poses = [s.rest_pose() if rest else np.zeros(s.nq) for s in (a, b)]
    for name in names or a.joint_names:
        one, other = world(a, poses[0], name), world(b, poses[1], name)
        for what in ("center", "inertia", "tips", "vertices"):
            assert np.abs(one[what] - other[what]).max(initial=0.0) < 1e-12, (name, what)


# -- building --------------------------------------------------------------------------------------------------------


def test_from_nothing() -> None:
    s = lamp().build()
    assert s.name == "lamp" and s.joint_names == ("foot", "arm", "shade")
    assert [joint.parent for joint in s.joints] == [-1, 0, 1]
    assert s.dof_labels == ("Turn", "Lean") and s.limits[1].tolist() == [-0.3, 1.2]
    assert s.joints[2].color == (1, 0.5, 0) and s.joints[2].mass == 0.3
    assert write_scr(read_scr(write_scr(s))) == write_scr(s)


@pytest.mark.parametrize("file", BUNDLED)
def test_untouched_is_unchanged(skeletons_folder: Path, file: str) -> None:
    s = load_skeleton(skeletons_folder / file)
    builder = SkeletonBuilder(s)
    assert write_scr(builder.build()) == write_scr(s)
    assert builder.build().layout == s.layout and builder.build().source == s.source
    assert builder.pose_map().identical
    assert builder.joint_names == s.joint_names


def test_edits_never_touch_the_figure_they_began_with() -> None:
    s = random_body(1)
    text, meshes = write_scr(s), [part.mesh.vertices.copy() for joint in s.joints for part in joint.objects]
    builder = SkeletonBuilder(s)
    builder.place("j5", (1, 2, 3), carry=False)
    builder.orient("j4", (10, 20, 30), carry=False)
    builder.rename("j3", "other")
    builder.set("j2", mass=3.0, center=None)
    builder.remove("j6")
    builder.reparent("j9", "j1")
    builder.build()
    assert write_scr(s) == text
    after = [part.mesh.vertices for joint in s.joints for part in joint.objects]
    assert all(np.array_equal(a, b) for a, b in zip(meshes, after, strict=True))


def test_the_name() -> None:
    builder = lamp()
    builder.name = "desk lamp"
    assert builder.build().name == "desk lamp"
    with pytest.raises(SkeletonError, match="cannot be empty"):
        builder.name = " "


def test_every_problem_is_reported_at_once() -> None:
    builder = lamp()
    builder.set("foot", mass=-1.0)
    builder.set("arm", scale=(1, 0, 1), weight=2.0, resistance=0.0)
    builder.set_limits("arm", "Lean", 1.0, -1.0)
    builder.set("shade", offset=(0, math.nan, 0), color=(2, 0, 0), inertia=-np.eye(3), damping=-1.0)
    with pytest.raises(SkeletonError) as caught:
        builder.build()
    text = str(caught.value)
    for piece in (
        'joint "foot": mass -1',
        'joint "arm": scale [1.0, 0.0, 1.0]',
        "weight 2",
        "resistance 0",
        "limits 1 and -1",
        'joint "shade": offset',
        "color (2, 0, 0)",
        "not positive definite",
        "damping -1",
    ):
        assert piece in text, piece
    assert len(text.splitlines()) == 9


def test_no_joints_is_no_figure() -> None:
    with pytest.raises(SkeletonError, match="has no joints"):
        SkeletonBuilder().build()
    assert SkeletonBuilder().joint_names == ()


def test_what_is_built_can_be_written_and_read(tmp_path: Path) -> None:
    builder = SkeletonBuilder(fork())
    builder.set(
        "head", stiffness=(2.0, 0.1), coulomb=(0.1, 0.2, 0.3), motor=-1.0, viscous=0.5, cone=1.0, tips=[(0, 1, 0)]
    )
    builder.add_object("head", box_mesh((-0.1, 0, -0.1), (0.1, 0.2, 0.1)))
    s = builder.build()
    (part,) = s.joints[s.joint_index("head")].objects
    assert part.file == "fork/head.pol"
    again = read_scr(write_scr(s), objects={part.file: part.mesh})
    assert write_scr(again) == write_scr(s)
    assert np.array_equal(again.joints[-1].center, s.joints[-1].center)


# -- names -----------------------------------------------------------------------------------------------------------


def test_unknown_names_get_suggestions() -> None:
    builder = SkeletonBuilder(fork())
    calls = [
        lambda: builder.joint("left hnad"),
        lambda: builder.set("left hnad", mass=1),
        lambda: builder.place("left hnad", (0, 0, 0)),
        lambda: builder.orient("left hnad", (0, 0, 0)),
        lambda: builder.remove("left hnad"),
        lambda: builder.rename("left hnad", "x"),
        lambda: builder.reparent("left hnad", "head"),
        lambda: builder.reparent("head", "left hnad"),
        lambda: builder.mirror_side("left hnad"),
        lambda: builder.add("x", "left hnad"),
        lambda: builder.add_dof("left hnad"),
        lambda: builder.set_limits("left hnad", 0, 0, 1),
        lambda: builder.remove_object("left hnad"),
        lambda: builder.set_group("left hnad", "g"),
        lambda: builder.set("head", mirror="left hnad"),
        lambda: builder.children("left hnad"),
        lambda: builder.position("left hnad"),
    ]
    for call in calls:
        with pytest.raises(JointError, match='did you mean "left hand"'):
            call()
    with pytest.raises(SkeletonError, match='did you mean "offset"'):
        builder.set("head", ofset=(0, 0, 0))
    with pytest.raises(SkeletonError, match=r"reparent\(\)"):
        builder.set("head", parent="pelvis")
    assert write_scr(builder.build()) == write_scr(fork())


def test_rename() -> None:
    mesh = box_mesh((0, 0, 0), (1, 1, 1))
    skinned = Mesh(mesh.vertices, mesh.triangles, (), (("b", np.full(8, 0.5)), ("c", np.full(8, 0.25))))
    joints = [
        Joint("a", -1, objects=(SegmentObject("x.pol", skinned, False, Path("x.pol")),)),
        Joint("b", 0, offset=(0, 1, 0), mirror="c", dofs=(hinge("x"),)),
        Joint("c", 0, offset=(0, 1, 0), mirror="b", objects=(SegmentObject("x.pol", skinned, False, Path("x.pol")),)),
    ]
    s = Skeleton("s", joints)
    builder = SkeletonBuilder(s)
    builder.rename("b", "new name")
    made = builder.build()
    assert made.joint_names == ("a", "new name", "c")
    assert made.joints[2].mirror == "new name" and made.joints[1].mirror == "c"
    for i in (0, 2):
        (part,) = made.joints[i].objects
        assert [name for name, _ in part.mesh.weights] == ["c", "new name"]
        assert part.file == "x-2.pol" and part.origin is None  # the file on the disk names the old joint
    assert builder.pose_map().identical
    with pytest.raises(SkeletonError, match="already"):
        builder.rename("a", "c")
    with pytest.raises(SkeletonError, match="cannot be empty"):
        builder.rename("a", "")
    with pytest.raises(SkeletonError, match="line break"):
        builder.rename("a", "a\nb")
    builder.rename("a", "a")
    builder.rename("a", "root")
    assert builder.build().joint_names[0] == "root"


# -- values ----------------------------------------------------------------------------------------------------------


def test_every_field_can_be_set_and_set_back() -> None:
    values = {
        "offset": (1, 2, 3), "orientation": (10, 20, 30), "dofs": (hinge("z", -1, 1),), "dof_labels": ("Nod",),
        "scale": (2, 2, 2), "objects": (SegmentObject("a.pol", box_mesh((0, 0, 0), (1, 1, 1))),), "tips": ((0, 1, 0),),
        "pivot": (0, 0, 1), "mass": 2.0, "center": (0, 0.1, 0), "inertia": np.diag([1.0, 2.0, 2.0]), "mirror": "head",
        "weight": 0.5, "resistance": 2.0, "stiffness": (1.0, 0.5), "damping": 0.1, "viscous": 0.2,
        "coulomb": (0.1, None, None), "motor": 1.0, "friction": 0.4, "color": (0.1, 0.2, 0.3), "cone": 1.0,
        "type": Revolute((0, 0, 1)), "loops": (Loop("head", (0.0, 0.1, 0.0), (0.0, -0.1, 0.0), None),),
        "follows": (Follow(0, "0.5", ()),),
    }  # fmt: skip
    assert set(values) == set(FIELDS)
    builder = SkeletonBuilder(fork())
    before = {name: getattr(builder.joint("chest"), name) for name in FIELDS}
    builder.set("chest", **values)
    made = builder.build()
    joint = made.joints[made.joint_index("chest")]
    for name, value in values.items():
        found = getattr(joint, name)
        if name in ("dofs", "objects"):
            assert len(found) == 1
        elif name in ("type", "loops", "follows"):
            assert found == value
        else:
            assert np.array_equal(np.asarray(found, dtype=object), np.asarray(value, dtype=object)) or np.allclose(
                found, value
            )
    builder.set("chest", **before)
    assert write_scr(builder.build()) == write_scr(fork())


def test_shapes_that_do_not_fit_are_refused_and_change_nothing() -> None:
    builder = SkeletonBuilder(fork())
    bad = {"offset": (1, 2), "inertia": 3.0, "objects": "x.pol", "dofs": (1,), "dof_labels": ("a", "b")}
    for name, value in bad.items():
        with pytest.raises(SkeletonError):
            builder.set("head", mass=7.0, **{name: value})
    assert write_scr(builder.build()) == write_scr(fork())


def test_mass_from_the_shape_again() -> None:
    s = Skeleton("s", [Joint("a", -1, objects=(SegmentObject("b.pol", box_mesh((0, 0, 0), (1, 1, 1))),), mass=5.0)])
    builder = SkeletonBuilder(s)
    builder.set("a", mass=None)
    assert builder.build().joints[0].mass == pytest.approx(1000.0)
    builder.set("a", mass=2.0, center=(0.1, 0.2, 0.3))
    made = builder.build().joints[0]
    assert made.mass == 2.0 and np.array_equal(made.center, (0.1, 0.2, 0.3))
    assert builder.joint("a").inertia is None  # left to the shape


def test_counterparts_are_pairs() -> None:
    builder = SkeletonBuilder(fork())
    builder.set("left hand", mirror="right hand")
    assert builder.joint("right hand").mirror == "left hand"
    builder.set("head", mirror="left hand")
    assert builder.joint("left hand").mirror == "head" and builder.joint("right hand").mirror is None
    builder.set("head", mirror=None)
    assert builder.joint("left hand").mirror is None
    with pytest.raises(SkeletonError, match="own counterpart"):
        builder.set("head", mirror="head")
    builder.set("head", mirror="left hand")
    builder.remove("head")
    assert builder.joint("left hand").mirror is None


def test_a_pair_that_only_one_of_the_two_reports() -> None:
    joints = [Joint("a", -1), Joint("b", 0, mirror="c"), Joint("c", 0, offset=(1, 0, 0)), Joint("d", 0)]
    s = Skeleton("s", joints)
    builder = SkeletonBuilder(s)
    assert write_scr(builder.build()) == write_scr(s)
    builder.set("d", mirror="c")
    assert [builder.joint(name).mirror for name in "bcd"] == [None, "d", "c"]
    builder.rename("d", "e")
    assert builder.joint("c").mirror == "e"
    builder = SkeletonBuilder(s)
    assert builder.mirror_side("c") == "b"


def test_limits_by_number_letter_name_and_label() -> None:
    builder = lamp()
    for dof in (1, "-x", "arm.-x", "lean"):
        builder.set_limits("arm", dof, -0.1, 0.1)
        assert builder.build().limits[1].tolist() == [-0.1, 0.1]
        builder.set_limits("arm", dof, -np.inf, np.inf)
    for dof in (2, -1, "z", "", True):
        with pytest.raises(SkeletonError, match="it has y, -x"):
            builder.set_limits("arm", dof, 0, 1)
    with pytest.raises(SkeletonError, match="it has none"):
        builder.set_limits("foot", 0, 0, 1)


@pytest.mark.parametrize(
    ("axis", "wanted"), [("x", (1, 0, 0)), ("-Y", (0, -1, 0)), ((0, 3, 4), (0, 0.6, 0.8)), ([0, 0, -2], (0, 0, -1))]
)
def test_axes(axis: object, wanted: tuple[float, ...]) -> None:
    builder = lamp()
    builder.add_dof("shade", "slide", axis)
    assert np.allclose(builder.joint("shade").dofs[0].axis, wanted)


@pytest.mark.parametrize("axis", ["w", "", "xy", (0, 0, 0), (1, 2), (np.nan, 0, 0), None])
def test_axes_that_are_none(axis: object) -> None:
    with pytest.raises(SkeletonError, match="axis"):
        lamp().add_dof("shade", "hinge", axis)


def test_kinds_that_are_none() -> None:
    with pytest.raises(SkeletonError, match="expected hinge or slide"):
        lamp().add_dof("shade", "ball")


# -- poses -----------------------------------------------------------------------------------------------------------


def test_values_follow_their_degrees_of_freedom() -> None:
    builder = lamp()
    s = builder.build()
    builder = SkeletonBuilder(s)
    builder.add("clamp", "foot", after=None, mass=1.0)
    builder.add_dof("clamp", "slide", "z", 0.2, 0.5)
    builder.add_dof("arm", "hinge", "z", at=1)
    builder.rename("arm", "lever")
    q = np.array([1.0, 2.0, 3.0, 0.1, 0.2])
    made, poses = builder.build(), builder.pose_map()
    by_name = dict(zip(made.dof_names, poses.convert(q)[3:], strict=True))
    assert by_name == {"clamp.tz": 0.2, "lever.y": 0.1, "lever.z": 0.0, "lever.-x": 0.2}
    assert poses.convert(np.stack([q, 2 * q])).shape == (2, made.nq)
    assert not poses.identical
    builder.remove_dof("lever", "y")
    assert dict(zip(builder.build().dof_names, builder.pose_map().convert(q)[3:], strict=True)) == {
        "clamp.tz": 0.2, "lever.z": 0.0, "lever.-x": 0.2,
    }  # fmt: skip
    with pytest.raises(PoseError, match=r"expected \(5,\)"):
        poses.convert(np.zeros(4))


def test_joints_in_another_order_keep_their_values() -> None:
    s = fork()
    builder = SkeletonBuilder(s)
    builder.reparent("left clavicle", "head")
    made = builder.build()
    q = random_pose(s, np.random.default_rng(0))
    new = builder.pose_map().convert(q)
    old = dict(zip(s.dof_names, q[3:], strict=True))
    assert dict(zip(made.dof_names, new[3:], strict=True)) == old and made.dof_names != s.dof_names


def test_dofs_set_anew_are_known_again() -> None:
    s = fork()
    x, z = s.joints[1].dofs
    builder = SkeletonBuilder(s)
    builder.set("chest", dofs=(z, slide("y"), Dof(x.kind, x.axis, -2.0, 2.0)))
    q = np.arange(float(s.nq))
    at = {name: value for name, value in zip(s.dof_names, q[3:], strict=True)}
    new = dict(zip(builder.build().dof_names, builder.pose_map().convert(q)[3:], strict=True))
    assert new["chest.x"] == at["chest.x"] and new["chest.z"] == at["chest.z"] and new["chest.ty"] == 0.0
    builder = SkeletonBuilder(s)
    builder.set("chest", dofs=(hinge("y"), z))  # an axis turned: it is still the first hinge
    new = dict(zip(builder.build().dof_names, builder.pose_map().convert(q)[3:], strict=True))
    assert new["chest.y"] == at["chest.x"] and new["chest.z"] == at["chest.z"]


def test_poses_of_a_figure_made_from_nothing() -> None:
    builder = lamp()
    assert builder.pose_map().convert(np.zeros(3)).tolist() == [0.0] * 5


# -- the tree --------------------------------------------------------------------------------------------------------


def test_add_refuses_what_cannot_be() -> None:
    builder = lamp()
    with pytest.raises(SkeletonError, match="has a root"):
        builder.add("other")
    with pytest.raises(SkeletonError, match="already"):
        builder.add("arm", "foot")
    with pytest.raises(SkeletonError, match="not a child"):
        builder.add("x", "foot", after="shade")
    with pytest.raises(SkeletonError, match='no "colour"'):
        builder.add("x", "foot", colour=(1, 1, 1))
    assert builder.joint_names == ("foot", "arm", "shade")


def test_add_after_a_sibling() -> None:
    builder = SkeletonBuilder(fork())
    builder.add("tail", after="left clavicle", offset=(0, 0, -0.1))
    order = builder.children("chest")
    assert order.index("tail") == order.index("left clavicle") + 1 and builder.build().joints[-1].name == "head"
    builder.add("horn", after="head")
    assert builder.children("chest")[-1] == "horn"


def test_remove_takes_the_branch() -> None:
    builder = SkeletonBuilder(fork())
    builder.remove("left shoulder")
    assert not [name for name in builder.joint_names if name in ("left shoulder", "left arm", "left hand")]
    assert "left clavicle" in builder.joint_names
    with pytest.raises(SkeletonError, match="is the root"):
        builder.remove("pelvis")
    builder.add("tail", "pelvis")
    with pytest.raises(SkeletonError, match="it has 2 children, and a figure has one root"):
        builder.remove("pelvis", keep_children=True)


@pytest.mark.parametrize("seed", range(6))
def test_children_stay_where_they_stand(seed: int) -> None:
    s = random_body(seed)
    rng = np.random.default_rng(seed)
    name = s.joint_names[int(rng.integers(1, 11))]
    builder = SkeletonBuilder(s)
    builder.remove(name, keep_children=True)
    made = builder.build()
    assert set(made.joint_names) == set(s.joint_names) - {name}
    frames, after = (forward_kinematics(figure, figure.rest_pose()) for figure in (s, made))
    for i, joint in enumerate(made.joints):
        assert np.abs(after[i] - frames[s.joint_index(joint.name)]).max() < 1e-12


def test_the_only_child_of_a_root_becomes_the_root() -> None:
    builder = lamp()
    s = builder.build()
    builder.remove("foot", keep_children=True)
    made = builder.build()
    assert made.joint_names == ("arm", "shade")
    assert np.allclose(
        forward_kinematics(made, made.rest_pose())[:, :3, 3], forward_kinematics(s, s.rest_pose())[1:, :3, 3]
    )


@pytest.mark.parametrize("seed", range(8))
def test_reparent_keeps_the_place(seed: int) -> None:
    s = random_body(seed, scaled=seed % 2 == 1)
    rng = np.random.default_rng(seed)
    pose = random_pose(s, rng) if seed % 3 == 0 else None
    builder = SkeletonBuilder(s)
    name = s.joint_names[int(rng.integers(1, 12))]
    branch = {name, *builder.children(name)}
    while True:
        more = {child for joint in branch for child in builder.children(joint)}
        if more <= branch:
            break
        branch |= more
    others = [joint for joint in s.joint_names if joint not in branch]
    parent = others[int(rng.integers(len(others)))]
    builder.reparent(name, parent, pose=pose)
    made = builder.build()
    assert made.joints[made.joints[made.joint_index(name)].parent].name == parent
    before = s.rest_pose() if pose is None else pose
    after = forward_kinematics(made, builder.pose_map().convert(before))
    frames = forward_kinematics(s, before)
    for i, joint in enumerate(made.joints):
        assert np.abs(after[i] - frames[s.joint_index(joint.name)]).max() < 1e-11, joint.name
    with pytest.raises(SkeletonError, match="hangs on"):
        builder.reparent(name, name)


def test_reparent_without_keeping_the_place() -> None:
    builder = SkeletonBuilder(fork())
    builder.reparent("left hand", "head", keep_world=False)
    joint = builder.joint("left hand")
    assert np.array_equal(joint.offset, (0.3, 0, 0)) and not joint.orientation.any()


def test_reparent_refuses_what_no_joint_can_tell() -> None:
    s = fork()
    joints = list(s.joints)
    joints[1] = replace(joints[1], scale=np.array([1.0, 2.0, 1.0]), orientation=np.array([0, 0, 30.0]))
    builder = SkeletonBuilder(Skeleton("s", joints))
    with pytest.raises(SkeletonError, match="keep_world=False"):
        builder.reparent("left hand", "pelvis")
    with pytest.raises(SkeletonError, match="is the root"):
        builder.reparent("pelvis", "head")


# -- places ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("carry", [True, False])
def test_place(seed: int, carry: bool) -> None:
    s = random_body(seed, scaled=seed % 2 == 1)
    rng = np.random.default_rng(seed)
    i = int(rng.integers(0, 12))
    name, goal = s.joint_names[i], rng.normal(size=3)
    pose = random_pose(s, rng) if seed % 3 == 0 else None
    q = s.rest_pose() if pose is None else pose
    builder = SkeletonBuilder(s)
    builder.place(name, goal, carry, pose=pose)
    made = builder.build()
    frames, after = forward_kinematics(s, q), forward_kinematics(made, q)
    assert np.abs(after[i, :3, 3] - goal).max() < 1e-12
    assert np.abs(builder.position(name, pose=pose) - goal).max() < 1e-12
    moved = goal - frames[i, :3, 3]
    for k, joint in enumerate(s.joints):
        if k == i:
            continue
        at = k
        while at > i:
            at = s.joints[at].parent
        below = carry and at == i
        assert np.abs(after[k, :3, 3] - frames[k, :3, 3] - (moved if below else 0.0)).max() < 1e-12, joint.name
        assert np.abs(after[k, :3, :3] - frames[k, :3, :3]).max() < 1e-12
    if not carry:
        given = s.joints[i].as_given()
        one, other = (world(figure, q, name, poses) for figure, poses in ((s, frames), (made, after)))
        assert np.abs(one["tips"] - other["tips"]).max(initial=0.0) < 1e-11
        if given.center is not None or given.objects:  # a capsule follows the joints it lies between
            assert np.abs(one["center"] - other["center"]).max() < 1e-11


@pytest.mark.verify
def test_place_without_carrying_leaves_polygons_and_masses(skeletons_folder: Path) -> None:
    s = load_skeleton(skeletons_folder / "human.scr")
    for name in ("left shank", "right hand", "pelvis", "chest"):
        builder = SkeletonBuilder(s)
        builder.place(name, (0.3, 1.0, -0.2), carry=False)
        assert_same_places(s, builder.build())
        builder.orient(name, (20, -30, 60), carry=False)
        assert_same_places(s, builder.build(), rest=False)
        (part,) = builder.joint(name).objects
        assert not part.mirrored and part.origin is None
        uses = [item.file for joint in builder.build().joints for item in joint.objects]
        assert uses.count(part.file) == 1


def test_orient_with_carrying_turns_what_hangs_on_it() -> None:
    builder = SkeletonBuilder(fork())
    builder.orient("left clavicle", (0, 0, 90))
    made = builder.build()
    F = forward_kinematics(made, made.rest_pose())
    hand, clavicle = made.joint_index("left hand"), made.joint_index("left clavicle")
    assert np.allclose(F[hand, :3, 3] - F[clavicle, :3, 3], (0, 0.45, 0))


def test_places_that_are_none() -> None:
    builder = SkeletonBuilder(fork())
    for position in ((1, 2), (np.nan, 0, 0), "here", None):
        with pytest.raises(SkeletonError, match="three finite numbers"):
            builder.place("head", position)
    with pytest.raises(PoseError):
        builder.place("head", (0, 0, 0), pose=np.zeros(4))
    uneven = SkeletonBuilder(fork())
    uneven.set("head", scale=(1, 2, 1))
    with pytest.raises(SkeletonError, match="not the same in all directions"):
        uneven.orient("head", (10, 0, 0), carry=False)


# -- objects and groups ----------------------------------------------------------------------------------------------


def test_objects() -> None:
    builder = lamp()
    mesh = box_mesh((-1, 0, -1), (1, 1, 1))
    assert builder.add_object("foot", mesh) == "lamp/foot.pol"
    assert builder.add_object("foot", mesh) == "lamp/foot-2.pol"
    assert builder.add_object("arm", mesh, "my/arm.pol", mirrored=True) == "my/arm.pol"
    s = builder.build()
    assert s.joints[0].mass == 2.0 and len(s.joints[0].objects) == 2
    builder.remove_object("foot", "lamp/foot.pol")
    assert [part.file for part in builder.joint("foot").objects] == ["lamp/foot-2.pol"]
    with pytest.raises(SkeletonError, match=r"it has lamp/foot-2\.pol"):
        builder.remove_object("foot", "lamp/foot.pol")
    builder.remove_object("foot", 0)
    assert builder.joint("foot").objects == ()
    with pytest.raises(SkeletonError, match=r"expected core\.skeleton\.Mesh"):
        builder.add_object("foot", "foot.pol")
    builder.add_object("foot", mesh, "../foot.pol")
    with pytest.raises(SkeletonError, match=r'object "../foot.pol" cannot be'):
        builder.build()


def test_groups(skeletons_folder: Path) -> None:
    builder = SkeletonBuilder(load_skeleton(skeletons_folder / "human.scr"))
    builder.set_group("right forearm", "Right forearm and hand")
    builder.set_group("left thigh", None)
    builder.add("tail", "pelvis", group="Tail", mass=1.0)
    builder.add("tail tip", "tail", offset=(0, 0, -0.2))
    s = builder.build()
    groups = {name: [s.joint_names[i] for i in joints] for name, joints in s.groups}
    assert groups["Right arm"] == ["right clavicle", "right upper arm"]
    assert groups["Right forearm and hand"] == ["right forearm", "right hand"]
    assert groups["Tail"] == ["tail", "tail tip"]
    assert groups[""] == ["pelvis", "left thigh", "left shank", "left foot", "left toes"]
    assert write_scr(read_scr(write_scr(s), folder=skeletons_folder)) == write_scr(s)
    with pytest.raises(SkeletonError, match="is the root"):
        builder.set_group("pelvis", "All")
    with pytest.raises(SkeletonError, match="cannot be empty"):
        builder.set_group("tail", " ")


def test_groups_survive_what_happens_to_their_joints(skeletons_folder: Path) -> None:
    builder = SkeletonBuilder(load_skeleton(skeletons_folder / "human.scr"))
    builder.remove("right clavicle", keep_children=True)
    builder.reparent("left clavicle", "abdomen")
    builder.rename("left forearm", "left ulna")
    s = builder.build()
    groups = {name: [s.joint_names[i] for i in joints] for name, joints in s.groups}
    assert groups["Right arm"] == ["right upper arm", "right forearm", "right hand"]
    assert groups["Left arm"] == ["left clavicle", "left upper arm", "left ulna", "left hand"]


def test_nested_and_shared_groups_are_kept() -> None:
    text = """
define skeleton "crab"
    joint "body"
    group "Legs"
        group "Left"
            joint "l1"
            joint "l2"
        end group
        group "Right"
            joint "r1"
        end group
        joint "m1"
        group "Tip"
            joint "m2"
        end group
    end group
    joint "head"
end skeleton
"""
    s = read_scr(text)
    assert SkeletonBuilder(s).build().layout == s.layout
    builder = SkeletonBuilder(s)
    builder.remove("l1", keep_children=True)
    assert 'group "Left"\n            joint "l2"' in write_scr(builder.build())
