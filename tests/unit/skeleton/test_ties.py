"""Loops and followers of a figure's file: read, written, mirrored, re-rooted, edited, and refused where wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.constraints import loop_locks, solve_locks
from core.errors import FormatError, SkeletonError
from core.formats import load
from core.kinematics import forward_kinematics
from core.skeleton import Skeleton, load_skeleton, read_scr, write_scr
from core.skeleton.building.builder import SkeletonBuilder
from core.skeleton.following import followed
from core.skeleton.tie import Follow, Leader, Loop

HEAD = """define skeleton "four bar"
    joint "frame"
    group "crank"
        joint "crank"
        joint "coupler"
    end group
    joint "rocker"
end skeleton
define joint "frame"
    mass 1
end joint
define joint "crank"
    hinge z -170 170
    mass 1
end joint
"""
COUPLER = """define joint "coupler"
    offset 0 0.3 0
    hinge z
    mass 1
    {}
end joint
"""
ROCKER = """define joint "rocker"
    offset 0.4 0 0
    hinge z
    hinge x
    mass 1
    {}
end joint
"""
LOOP = 'loop "rocker" 0.4 0 0 to 0 0.3 0 hinge z'
FOLLOW = 'follow x "0.3*sin(u) + c" u "crank" z c "coupler" z'


def text(loop: str = LOOP, follow: str = FOLLOW) -> str:
    return HEAD + COUPLER.format(loop) + ROCKER.format(follow)


def gap(s: Skeleton, q: np.ndarray) -> float:
    """The largest gap of the figure's loops, [m]."""
    X = forward_kinematics(s, q)
    gaps = [
        X[i] @ (*loop.point, 1.0) - X[s.joint_index(loop.other)] @ (*loop.place, 1.0)
        for i, joint in enumerate(s.joints)
        for loop in joint.loops
    ]
    return float(np.abs(gaps).max())


def test_both_are_read_and_written_back() -> None:
    s = read_scr(text())
    assert not s.warnings
    assert s.joints[2].loops == (Loop("rocker", (0.4, 0.0, 0.0), (0.0, 0.3, 0.0), (0.0, 0.0, 1.0)),)
    assert s.joints[3].follows == (Follow(1, "0.3*sin(u) + c", (Leader("u", "crank", 0), Leader("c", "coupler", 0))),)
    written = write_scr(s)
    assert LOOP in written and FOLLOW in written
    assert write_scr(read_scr(written)) == written
    ball = read_scr(text(loop='loop "rocker" .4 0 0 to 0 .3 0'))
    assert ball.joints[2].loops[0].axis is None and write_scr(read_scr(write_scr(ball))) == write_scr(ball)


def test_a_pose_follows() -> None:
    s = read_scr(text())
    q = np.array([0.0, 0, 0, 0.5, 0.2, 0.1, 9.0])
    assert followed(s, q)[3:].tolist() == [0.5, 0.2, 0.1, pytest.approx(0.3 * np.sin(0.5) + 0.2)]


def test_those_that_follow_a_follower_come_after_it() -> None:
    lines = text(loop='follow z "2*r" r "rocker" z', follow='follow z "u^2" u "crank" z')
    s = read_scr(lines)
    q = followed(s, np.array([0.0, 0, 0, 0.5, 9.0, 9.0, 0.0]))
    assert q[3:].tolist() == [0.5, 0.5, 0.25, 0.0]


def test_a_loop_that_is_open_is_said() -> None:
    s = read_scr(text(loop='loop "rocker" 0.4 0.1 0 to 0 0.3 0'))
    assert [str(each) for each in s.warnings] == [
        'skeleton.scr:20:10: the loop of "coupler" with "rocker" is open by 0.1 m in the rest pose'
    ]


HOSTILE = [
    ('loop "rokcer" 0 0 0 to 0 0 0', 'joint "rokcer" is placed nowhere; did you mean "rocker"?'),
    ('loop "coupler" 0 0 0 to 0 0 0', "cannot close a loop with itself"),
    ("loop rocker 0 0 0 to 0 0 0", "not in quotes"),
    ('loop "rocker" 0 0 0 0 0 0', 'stands where "to" should'),
    ('loop "rocker" 0 0 0 to 0 0', "z is missing"),
    ('loop "rocker" 0 0 nan to 0 0 0', "not a finite number|not a number"),
    ('loop "rocker" 0 0 1e99 to 0 0 0', "out of range"),
    ('loop "rocker" 0 0 0 to 0 0 0 ball', 'stands where "hinge" should'),
    ('loop "rocker" 0 0 0 to 0 0 0 hinge 0 0 0', "has no length"),
    ('loop "rocker" 0 0 0 to 0 0 0 hinge z 5', "too much on this line"),
    ("follow", "the line ends too soon"),
    ('follow z "u"', '"u" is not known here'),
    ('follow z "u" u "crank"', "the line ends too soon"),
    ('follow q "u" u "crank" z', 'joint "coupler" has no degree of freedom q; expected z'),
    ('follow z "u" u "crank" y', 'joint "crank" has no degree of freedom y; expected z'),
    ('follow z "u" u "frame" y', 'joint "frame" has no degree of freedom y; it has none'),
    ('follow z "u" u "cranck" z', 'did you mean "crank"?'),
    ('follow z "u +" u "crank" z', "character 4"),
    ('follow z "sni(u)" u "crank" z', '"sni" is not known here'),
    ('follow z "1/u" u "crank" z', "division by zero at rest"),
    ('follow z "__import__(u)" u "crank" z', "expected"),
    ('follow z "u" pi "crank" z', "pi cannot be a name here"),
    ('follow z "u" u "crank" z u "rocker" z', "u is named twice"),
    ('follow z "u" u "coupler" z', 'z follows itself: "coupler" -> "coupler"'),
    ('follow z "u" u "rocker" x', 'follows itself: "coupler" -> "rocker" -> "coupler"'),
    ('follow z "u" u "crank" z\n    follow z "2*u" u "crank" z', "z follows others already, by line 20"),
]


@pytest.mark.parametrize(("line", "message"), HOSTILE)
def test_what_is_wrong_is_refused_with_its_place(line: str, message: str) -> None:
    follow = 'follow x "u" u "coupler" z' if "rocker" in line and line.startswith("follow") else ""
    with pytest.raises(FormatError) as refused:
        read_scr(text(loop=line, follow=follow))
    found = [each for each in str(refused.value).splitlines() if any(part in each for part in message.split("|"))]
    assert found and all(each.startswith("skeleton.scr:2") for each in found), refused.value


def test_many_followers_in_a_circle_are_read_in_time() -> None:
    count = 2000
    names = [f"j{k}" for k in range(count)]
    lines = ['define skeleton "ring"', *(f'joint "{name}"' for name in names), "end skeleton"]
    for k, name in enumerate(names):
        lines += [f'define joint "{name}"', "hinge z", f'follow z "u" u "{names[(k + 1) % count]}" z', "end joint"]
    with pytest.raises(FormatError, match="follows itself"):
        read_scr("\n".join(lines))


SIDES = """define skeleton "pair"
    joint "hips"
    group "right"
        joint "right upper"
        joint "right lower"
    end group
    group "left"
        joint "left upper"
        joint "left lower"
    end group
end skeleton
define joint "hips"
    hinge x
    mass 1
end joint
define joint "right upper"
    offset -0.1 0 0
    hinge x
    mass 1
    mirror "left upper"
end joint
define joint "right lower"
    offset 0 -0.4 0
    hinge x
    hinge z
    mass 1
    loop "hips" 0.03 0.3 0.1 to -0.07 -0.1 0.1 hinge 0 0.6 0.8
    follow z "u + h" u "right upper" x h "hips" x
    mirror "left lower"
end joint
"""


def test_the_other_side_is_tied_as_its_counterpart_is() -> None:
    s = read_scr(SIDES)
    left = s.joints[s.joint_index("left lower")]
    assert left.loops == (Loop("hips", (-0.03, 0.3, 0.1), (0.07, -0.1, 0.1), (0.0, -0.6, -0.8)),)
    assert left.follows == (Follow(1, "u + h", (Leader("u", "left upper", 0), Leader("h", "hips", 0))),)
    written = write_scr(s)
    assert 'define joint "left lower"' not in written and write_scr(read_scr(written)) == written


def test_ties_are_kept_where_another_joint_is_the_root() -> None:
    s = load_skeleton(Path(__file__).parents[3] / "skeletons/mechanisms/four bar.scr")
    q = s.rest_pose()
    q[3] = 0.7
    q = solve_locks(s, q, loop_locks(s)).q
    assert gap(s, q) < 1e-8
    for root in ("coupler", "rocker"):
        other = s.rerooted(root)
        assert gap(other, other.convert(q)) < 1e-8
        assert write_scr(read_scr(write_scr(other))) == write_scr(other)
    spine = read_scr(text())
    q = followed(spine, np.array([0.0, 0, 0, 0.5, 0.2, 0.1, 9.0]))
    for root in ("coupler", "rocker"):
        other = spine.rerooted(root)
        assert sum(len(joint.follows) for joint in other.joints) == 1
        np.testing.assert_allclose(followed(other, other.convert(q)), other.convert(q), atol=1e-12)


def test_edits_carry_them_along() -> None:
    builder = SkeletonBuilder(read_scr(text()))
    builder.rename("crank", "wheel")
    builder.rename("rocker", "lever")
    builder.add_dof("wheel", "hinge", "x", at=0)
    builder.remove_dof("lever", "z")
    s = builder.build()
    assert s.joints[2].loops[0].other == "lever"
    assert s.joints[3].follows == (Follow(0, "0.3*sin(u) + c", (Leader("u", "wheel", 1), Leader("c", "coupler", 0))),)
    builder.remove_dof("wheel", "z")
    assert not any(joint.follows for joint in builder.build().joints)
    builder.remove("lever")
    assert not any(joint.loops for joint in builder.build().joints)


def test_ties_without_numbers_are_refused() -> None:
    builder = SkeletonBuilder(read_scr(text()))
    builder.set("coupler", loops=(Loop("rocker", (np.nan, 0.0, 0.0), (0.0, 0.0, 0.0), None),))
    with pytest.raises(SkeletonError, match="not finite"):
        builder.build()


def test_an_opened_file_has_locks_that_close_its_loops(skeletons_folder: Path) -> None:
    project = load(skeletons_folder / "mechanisms" / "four bar.scr")
    (sequence,) = project.sequences
    assert [lock.kind for lock in sequence.locks] == ["point_pair"]
    sequence.set_key(0, project.figures[0].rest_pose())
    turned = project.figures[0].rest_pose()
    turned[3] = 1.5
    sequence.set_key(30, turned)
    assert max(gap(project.figures[0], q) for q in sequence.poses_at_frames(np.arange(31.0))) < 1e-6
