"""Writing .scr: text to figure to text to figure changes nothing."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import numpy as np
import pytest

from core.errors import SkeletonError
from core.skeleton import Dof, Group, Joint, SegmentObject, Skeleton, load_skeleton, read_scr, write_scr
from core.skeleton.scr.writer import depth_first_order, derived_layout

HERE = Path(__file__).parent
BUNDLED = Path(__file__).parents[3] / "skeletons"


def assert_same(a: Skeleton, b: Skeleton) -> None:
    """All that a file says is equal to the last bit; polygons too, where they were loaded."""
    assert (a.name, a.joint_names, a.dof_names, a.dof_labels, a.layout) == (
        b.name,
        b.joint_names,
        b.dof_names,
        b.dof_labels,
        b.layout,
    )
    for left, right in zip(a.joints, b.joints, strict=True):
        for field in dataclasses.fields(Joint):
            x, y = getattr(left, field.name), getattr(right, field.name)
            if field.name == "dofs":
                assert [(d.kind, d.axis.tolist(), d.lo, d.hi) for d in x] == [
                    (d.kind, d.axis.tolist(), d.lo, d.hi) for d in y
                ]
            elif field.name == "objects":
                assert [(o.file, o.mirrored) for o in x] == [(o.file, o.mirrored) for o in y]
                for one, other in zip(x, y, strict=True):
                    assert (one.mesh is None) == (other.mesh is None)
                    if one.mesh is not None and other.mesh is not None:
                        assert np.array_equal(one.mesh.vertices, other.mesh.vertices)
                        assert np.array_equal(one.mesh.triangles, other.mesh.triangles)
            elif field.name == "tips":
                assert np.array_equal(np.reshape(x, (-1, 3)), np.reshape(y, (-1, 3))), left.name
            elif field.name == "assumed":
                assert x.keys() == y.keys(), left.name
            elif isinstance(x, np.ndarray):
                assert np.array_equal(x, y), (left.name, field.name)
            else:
                assert x == y, (left.name, field.name)


@pytest.mark.parametrize("name", ["figure_6_1", "stickman", "arm7", "chain20"])
def test_round_trip(name: str) -> None:
    path = HERE / f"{name}.scr" if name == "figure_6_1" else BUNDLED / f"{name}.scr"
    s = load_skeleton(path)
    text = write_scr(s)
    again = read_scr(text, folder=path.parent)
    assert_same(s, again)
    assert write_scr(again) == text


def test_what_a_mirror_line_makes_is_not_written() -> None:
    text = write_scr(load_skeleton(BUNDLED / "stickman.scr"))
    assert 'define joint "right leg"' in text and 'define joint "left leg"' not in text
    assert 'define joint "torso"' not in write_scr(load_skeleton(HERE / "figure_6_1.scr"))


def test_a_counterpart_that_was_changed_is_written_with_its_mirrored_object() -> None:
    s = load_skeleton(BUNDLED / "stickman.scr")
    joints = list(s.joints)
    k = s.joint_index("left leg")
    joints[k] = dataclasses.replace(joints[k], mass=1.5)
    changed = Skeleton(s.name, joints, s.layout)
    text = write_scr(changed)
    assert 'object "stickman/r_leg.pol" mirrored' in text
    assert_same(changed, read_scr(text, folder=BUNDLED))


def test_masses_that_were_worked_out_are_not_written() -> None:
    text = write_scr(load_skeleton(BUNDLED / "stickman.scr"))
    assert "mass 0.5" in text and "center" not in text and "inertia" not in text


def test_the_side_with_unmirrored_objects_is_the_one_defined() -> None:
    text = (
        'define skeleton "s"\njoint "r"\ngroup "l"\njoint "left"\nend group\njoint "right"\nend skeleton\n'
        'define joint "right"\nobject "o.pol"\noffset 1 0 0\nmirror "left"\nend joint\n'
    )
    s = read_scr(text)
    assert s.joints[1].objects[0].mirrored
    written = write_scr(s)
    assert "mirrored" not in written and 'define joint "right"' in written
    assert_same(s, read_scr(written))


FULL = """
define skeleton "full"
    joint "a"
    joint "b"
end skeleton
define joint "a"
    object "one.pol"
    object "two.obj" mirrored
    offset 0.1 -0.2 1e-7
    orientation 10 -20.5 33.333333333333336
    hinge x
    slide 1 2 3 -0.1 0.7 "reach ""far"" out"
    ball 0.3 -0.2 0.9 33.3 -12.7 91.1
    tip 0.1 0.2 -0.3
    tip 0 0 0.1
    scale 1 1.5 2
    mass 0
    center 0.001 0.002 -0.003
    inertia 0.3 0.4 0.5 0.01 -0.02 0.03
    weight 0.3
    resistance 2.5
    stiffness 12 rest -17.3
    damping 0.25
    viscous 0.125
    coulomb 0.3 0.01 0.02
    motor -1.5
    friction 0.45
    color 0.1 0.2 0.3
    loop "b" 0.1 -0.2 1e-7 to 0 0.3 0.1 hinge 1 2 3
    loop "b" 0 0 0 to 0 0 0
    follow x "0.3*sin(u) + v" u "b" 1 v "a" t2
end joint
define joint "b"
    hinge 1 1 1 -inf 77.7
    coulomb 0.3
    cone 12.3
    mirror "a"
end joint
"""


def test_every_field_survives() -> None:
    s = read_scr(FULL)
    text = write_scr(s)
    assert_same(s, read_scr(text))
    assert write_scr(read_scr(text)) == text
    assert "ball 0.3" in text and "hinge x\n" in text


@pytest.mark.verify
def test_angles_survive_to_the_bit_and_round_numbers_stay_round() -> None:
    rng = np.random.default_rng(5)
    values = [*np.radians(np.arange(-180.0, 181.0, 0.5)), *rng.uniform(-7, 7, 500), 1e-300, 5e-324, math.pi]
    for value in values:
        joint = Joint("a", -1, dofs=(Dof("hinge", np.array([1.0, 0, 0]), float(value), math.inf),))
        again = read_scr(write_scr(Skeleton("s", [joint])))
        assert again.joints[0].dofs[0].lo == pytest.approx(value, rel=3e-16, abs=0.0)
        text = write_scr(again)
        assert write_scr(read_scr(text)) == text
    quarter = Joint("a", -1, dofs=(Dof("hinge", np.array([1.0, 0, 0]), -math.pi / 2, math.radians(170)),))
    assert "hinge x -90 170\n" in write_scr(Skeleton("s", [quarter]))


def tree(parents: list[int]) -> Skeleton:
    rng = np.random.default_rng(len(parents))
    return Skeleton("tree", [Joint(f"j{i}", parent, offset=rng.normal(size=3)) for i, parent in enumerate(parents)])


@pytest.mark.parametrize("seed", range(20))
def test_a_tree_without_layout_gets_groups_that_say_the_same(seed: int) -> None:
    rng = np.random.default_rng(seed)
    parents = [-1]
    path = [0]
    for i in range(1, 30):  # depth first: the next joint hangs on one of the joints on the way back to the root
        path = path[: int(rng.integers(1, len(path) + 1))]
        parents.append(path[-1])
        path.append(i)
    s = tree(parents)
    again = read_scr(write_scr(s))
    assert [joint.parent for joint in again.joints] == parents
    assert again.joint_names == s.joint_names
    assert all(np.array_equal(x.offset, y.offset) for x, y in zip(s.joints, again.joints, strict=True))
    assert depth_first_order(s) == tuple(range(30))


def test_a_layout_that_does_not_fit_the_tree_is_not_used() -> None:
    s = tree([-1, 0, 0])
    for layout in [(0, 1, 2), (0, Group("g", (2,)), 1), (0, 1), (0, Group("g", (1, 1)), 2), (Group("g", (0,)), 1, 2)]:
        again = read_scr(write_scr(Skeleton("t", s.joints, layout)))
        assert [joint.parent for joint in again.joints] == [-1, 0, 0]
        assert again.joint_names == ("j0", "j1", "j2")


def test_breadth_first_joints_come_back_depth_first_under_their_parents() -> None:
    s = tree([-1, 0, 0, 1, 2])
    again = read_scr(write_scr(s))
    assert again.joint_names == ("j0", "j1", "j3", "j2", "j4") == tuple(s.joint_names[i] for i in depth_first_order(s))
    parent_names = {j.name: again.joint_names[j.parent] for j in again.joints if j.parent >= 0}
    assert parent_names == {"j1": "j0", "j3": "j1", "j2": "j0", "j4": "j2"}


def test_derived_groups_put_both_sides_in_groups() -> None:
    s = load_skeleton(BUNDLED / "stickman.scr")
    layout = derived_layout(Skeleton(s.name, s.joints))
    assert [item.name if isinstance(item, Group) else s.joint_names[item] for item in layout] == [
        "pelvis",
        "torso",
        "right leg",
        "left leg",
    ]


@pytest.mark.verify
def test_long_chains_and_deep_combs() -> None:
    chain = tree([i - 1 for i in range(3000)])
    assert len(read_scr(write_scr(chain)).joints) == 3000
    comb = [-1]
    for i in range(400):  # a branch within a branch, 400 deep, each with a brother that comes after it
        comb.append(2 * i if i == 0 else len(comb) - 1)
    comb += [i for i in range(399, -1, -1)]
    with pytest.raises(SkeletonError, match="more than 256 deep"):
        write_scr(tree(comb))


@pytest.mark.parametrize("name", ['say "hi"', "“curly”", "tab\tbed", " spaced ", "# no comment", "関節", "a'b"])
def test_odd_names_survive(name: str) -> None:
    s = Skeleton(name, [Joint(name, -1, objects=(SegmentObject(f"{name}.pol", None),))], [Group(name, (0,))])
    again = read_scr(write_scr(s))
    assert (again.name, again.joint_names, again.layout) == (name, (name,), (Group(name, (0,)),))
    assert again.joints[0].objects[0].file == f"{name}.pol"


@pytest.mark.parametrize("name", ["two\nlines", "null\0", "", "  "])
def test_names_that_no_file_can_hold_are_refused(name: str) -> None:
    with pytest.raises(SkeletonError, match="cannot be written"):
        write_scr(Skeleton("s", [Joint(name, -1)]))
