"""Acclaim files: what the format's definition says, in small files whose answer is known, and in the reference data."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.errors import Cancelled, FormatError
from core.formats import load
from core.kinematics import forward_kinematics
from core.skeleton import Skeleton
from core.skeleton.frames import frames_at
from core.spatial.so3 import angle_between, from_euler
from tests.support.asf_reference import bone_ends, read_skeleton
from tests.support.fuzzing import watched

HEAD = ":version 1.10\n:name VICON\n:units\n  mass 1.0\n  length 0.0254\n  angle deg\n"
ROOT = ":root\n  order TX TY TZ RX RY RZ\n  axis XYZ\n  position 0 0 0\n  orientation 0 0 0\n"
ARM = """:bonedata
  begin
    id 1
    name upper
    direction 1 0 0
    length 2
    axis 0 0 0 XYZ
    dof rx ry rz
    limits (-160.0 20.0)
           (-70.0 70.0)
           (-60.0 70.0)
  end
  begin
    id 2
    name lower
    direction 0 1 0
    length 3
    axis 0 0 90 XYZ
    dof rx
    limits (-10.0 170.0)
  end
:hierarchy
  begin
    root upper
    upper lower
  end
"""
ASF = HEAD + ROOT + ARM


def asf(folder: Path, text: str = ASF, name: str = "a.asf") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def amc(folder: Path, *frames: str, head: str = ":FULLY-SPECIFIED\n:DEGREES\n", name: str = "a.amc") -> Path:
    path = folder / name
    path.write_text(head + "".join(f"{k}\n{frame}\n" for k, frame in enumerate(frames, 1)))
    return path


def places(path: Path) -> np.ndarray:
    """Where the joints are in every key, shape (m, n, 3)."""
    project = load(path)
    q = np.array([key.q for key in project.sequences[0].keys])
    return forward_kinematics(project.figures[0], q)[..., :3, 3]


def fixed(order: str, degrees: list[float]) -> np.ndarray:
    """Turns about fixed axes, the first letter first."""
    return from_euler(order[::-1], np.radians(degrees)[::-1])


# -- the figure ------------------------------------------------------------------------------------------------------


def test_a_bone_becomes_a_joint_at_its_beginning(tmp_path: Path) -> None:
    project = load(asf(tmp_path))
    s = project.figures[0]
    assert s.joint_names == ("root", "upper", "lower") and [joint.parent for joint in s.joints] == [-1, 0, 1]
    assert project.unit == pytest.approx(1.0) and project.unit_guess == "file" and project.warnings == ()
    frames = frames_at(s, np.zeros(s.n_dofs))
    assert frames[:, :3, 3] == pytest.approx(np.array([[0, 0, 0], [0, 0, 0], [2, 0, 0]]))
    assert frames[2, :3, :3] == pytest.approx(from_euler("z", [np.pi / 2]))  # the bone's own axes
    assert frames[2, :3, :3] @ s.joints[2].tips[0] == pytest.approx(np.array([0, 3, 0]))
    assert s.joints[1].tips == ()
    assert s.dof_names == ("root.z", "root.y", "root.x", "upper.z", "upper.y", "upper.x", "lower.x")
    expected = np.radians([(-60, 70), (-70, 70), (-160, 20), (-10, 170)])
    assert s.limits[3:] == pytest.approx(expected) and np.isinf(s.limits[:3]).all()
    assert len(project.sequences) == 1 and project.sequences[0].keys == ()


def test_a_bone_turns_about_its_own_axes(tmp_path: Path) -> None:
    """``lower`` has its x along the figure's y: turning about it leaves a bone along y where it is."""
    asf(tmp_path)
    found = load(amc(tmp_path, "root 0 0 0 0 0 0\nupper 0 0 90\nlower 77"))
    s, q = found.figures[0], found.sequences[0].keys[0].q
    frame = forward_kinematics(s, q)[2]
    assert frame[:3, 3] == pytest.approx(np.array([0, 2, 0]))
    assert frame[:3, :3] @ s.joints[2].tips[0] + frame[:3, 3] == pytest.approx(np.array([-3, 2, 0]))


@pytest.mark.parametrize("order", ["xyz", "zyx", "yzx", "zxy", "xzy", "yxz"])
def test_turns_are_applied_in_the_order_in_which_they_are_listed(order: str, tmp_path: Path) -> None:
    dofs = " ".join(f"r{axis}" for axis in order)
    text = (
        ASF.replace("dof rx ry rz", f"dof {dofs}")
        .replace("    limits (-160.0 20.0)\n", "")
        .replace("           (-70.0 70.0)\n           (-60.0 70.0)\n", "")
    )
    asf(tmp_path, text.replace("TX TY TZ RX RY RZ", f"TX TY TZ {dofs.upper()}"))
    found = load(amc(tmp_path, "root 1 2 3 10 20 30\nupper 40 -50 60\nlower 0"))
    frames = forward_kinematics(found.figures[0], found.sequences[0].keys[0].q)
    root, upper = fixed(order, [10, 20, 30]), fixed(order, [40, -50, 60])
    assert frames[0, :3, :3] == pytest.approx(root) and frames[0, :3, 3] == pytest.approx(np.array([1, 2, 3]))
    assert frames[1, :3, :3] == pytest.approx(root @ upper)


@pytest.mark.parametrize("order", ["XYZ", "ZYX", "YZX", "ZXY", "XZY", "YXZ"])
def test_the_axes_of_a_bone_are_turned_in_their_order(order: str, tmp_path: Path) -> None:
    text = ASF.replace("axis 0 0 90 XYZ", f"axis 20 -35 65 {order}").replace("orientation 0 0 0", "orientation 5 6 7")
    s = load(asf(tmp_path, text.replace("axis XYZ", f"axis {order}"))).figures[0]
    angles = dict(zip("xyz", (20, -35, 65), strict=True))
    expected = fixed(order.lower(), [angles[letter] for letter in order.lower()])
    frames = frames_at(s, np.zeros(s.n_dofs))
    assert frames[2, :3, :3] == pytest.approx(expected)
    assert frames[2, :3, 3] == pytest.approx(np.array([2, 0, 0]))  # directions are the figure's, whatever the axes
    root = {"x": 5, "y": 6, "z": 7}
    assert frames[0, :3, :3] == pytest.approx(fixed(order.lower(), [root[letter] for letter in order.lower()]))


def test_a_unit_is_so_many_inches(tmp_path: Path) -> None:
    project = load(asf(tmp_path, ASF.replace("length 0.0254", "length 0.45")))
    assert project.unit == pytest.approx(0.0254 / 0.45) and project.unit_guess == "file"
    assert project.figures[0].joints[2].offset == pytest.approx(np.array([2 * 0.0254 / 0.45, 0, 0]))
    given = load(tmp_path / "a.asf", unit=0.5)
    assert given.unit == 0.5 and given.unit_guess == "given" and given.figures[0].joints[2].offset[0] == 1.0


@pytest.mark.parametrize("line", ["", "  length 1\n"])
def test_without_a_unit_it_is_guessed(line: str, tmp_path: Path) -> None:
    """``length 1`` is what a program writes that did not think of units."""
    tall = ASF.replace("  length 0.0254\n", line).replace("length 2", "length 100").replace("length 3", "length 170")
    project = load(asf(tmp_path, tall))
    assert project.unit == 0.01 and project.unit_guess == "sure"
    odd = load(asf(tmp_path, ASF.replace("  length 0.0254\n", line)))
    assert odd.unit_guess == "doubtful" and odd.unit == 1.0


def test_radians_in_the_skeleton_and_in_the_motion(tmp_path: Path) -> None:
    text = ASF.replace("angle deg", "angle rad").replace("axis 0 0 90 XYZ", f"axis 0 0 {np.pi / 2} XYZ")
    s = load(asf(tmp_path, text.replace("(-10.0 170.0)", "(-0.5 1.5)"))).figures[0]
    assert s.limits[-1] == pytest.approx(np.array([-0.5, 1.5]))
    assert s.joints[2].rotation == pytest.approx(from_euler("z", [np.pi / 2]))
    rows = "root 0 0 0 0 0 0.5\nupper 0 0 0\nlower 1.25"
    for head in (":FULLY-SPECIFIED\n:RADIANS\n", ":FULLY-SPECIFIED\n"):
        assert load(amc(tmp_path, rows, head=head)).sequences[0].keys[0].q[-1] == pytest.approx(1.25)
    assert load(amc(tmp_path, rows)).sequences[0].keys[0].q[-1] == pytest.approx(np.radians(1.25))


def test_what_a_bone_may_leave_out(tmp_path: Path) -> None:
    text = ASF.replace("    dof rx\n    limits (-10.0 170.0)\n", "").replace(
        "    limits (-160.0 20.0)", "    limits (1 2)"
    )
    text = text.replace("           (-70.0 70.0)\n           (-60.0 70.0)\n", "")
    project = load(asf(tmp_path, text.replace("axis 0 0 90 XYZ", "axis 0 0 90")))
    s = project.figures[0]
    assert s.joints[2].dofs == ()
    assert s.limits[3:] == pytest.approx(np.array([[-np.inf, np.inf], [-np.inf, np.inf], np.radians([1, 2])]))
    assert any("without limits" in str(warning) for warning in project.warnings)


def test_masses_and_their_places(tmp_path: Path) -> None:
    text = ASF.replace("    axis 0 0 90 XYZ", "    axis 0 0 90 XYZ\n    bodymass 4\n    cofmass 0.5")
    s = load(asf(tmp_path, text.replace("mass 1.0", "mass 0.5"))).figures[0]
    assert s.joints[2].mass == 2.0
    assert s.joints[2].rotation @ s.joints[2].center == pytest.approx(np.array([0, 0.5, 0]))


def test_bones_that_slide(tmp_path: Path) -> None:
    """The slide is along the bone's own axes and before its turn, wherever it is listed."""
    for dofs, row in (("tx ty rz", "0.5 0.25 90"), ("rz tx ty", "90 0.5 0.25")):
        text = ASF.replace("dof rx\n    limits (-10.0 170.0)", f"dof {dofs}\n    limits (-1 1) (-2 2) (-180 180)")
        asf(tmp_path, text)
        found = load(amc(tmp_path, f"root 0 0 0 0 0 0\nupper 0 0 0\nlower {row}"))
        s = found.figures[0]
        frame = forward_kinematics(s, found.sequences[0].keys[0].q)[2]
        assert frame[:3, 3] == pytest.approx(np.array([2 - 0.25, 0.5, 0]))  # its x is the figure's y
        assert frame[:3, :3] == pytest.approx(from_euler("z", [np.pi]))
        assert [dof.kind for dof in s.joints[2].dofs] == ["slide", "slide", "hinge"]


def test_other_spellings(tmp_path: Path) -> None:
    """Commas and parentheses are blanks, capitals count for nothing, comments and CR LF are everywhere."""
    text = ASF.replace("direction 1 0 0", "DIRECTION 1,0,0 # along").replace("(-10.0 170.0)", "( -10.0, 170.0 ) #x")
    text = text.replace("    upper lower", "    UPPER Lower").replace("name lower", "name Lower")
    path = asf(tmp_path)
    path.write_bytes(("# made by hand\n" + text).replace("\n", "\r\n").encode())
    project = load(path)
    assert project.figures[0].joint_names == ("root", "upper", "Lower")
    assert project.figures[0].limits[-1] == pytest.approx(np.radians([-10, 170]))
    found = load(amc(tmp_path, "ROOT 0 0 0 0 0 0 # here\nUpper 1 2 3\nLOWER 4"))
    assert found.sequences[0].keys[0].q[-1] == pytest.approx(np.radians(4))


def test_what_is_not_known_is_left_out_with_a_warning(tmp_path: Path) -> None:
    text = ASF.replace("    id 2\n", "    id 2\n    colour red\n").replace(":root", ":frobnicate 3\n:root")
    (warning,) = load(asf(tmp_path, text.replace("dof rx\n", "dof rx l\n    "))).warnings[:1]
    assert '"colour"' in str(warning) and '":frobnicate"' in str(warning)
    (second,) = load(tmp_path / "a.asf").warnings[1:2]
    assert "lower" in str(second) and "length" in str(second)


def test_joints_are_listed_depth_first(data_folder: Path) -> None:
    s = load(data_folder / "asfamc" / "01.asf").figures[0]
    inside: list[int] = []
    for i, joint in enumerate(s.joints):
        while inside and inside[-1] != joint.parent:
            inside.pop()
        assert inside or i == 0
        inside.append(i)
    assert s.joint_names[:6] == ("root", "lhipjoint", "lfemur", "ltibia", "lfoot", "ltoes")


# -- the motion ------------------------------------------------------------------------------------------------------


def test_frames_with_gaps_keep_their_distance(tmp_path: Path) -> None:
    asf(tmp_path)
    text = amc(tmp_path, "root 0 0 0 0 0 0\nupper 0 0 0\nlower 1", "lower 3").read_text()
    path = amc(tmp_path)
    path.write_text(text.replace("\n2\n", "\n11\n").replace("\n1\n", "\n7\n"))
    project = load(path)
    sequence = project.sequences[0]
    assert sequence.keys.frames == (0, 4) and sequence.fps == 120
    assert sequence.pose_at_frame(2)[-1] == pytest.approx(np.radians(2))
    assert any("3 frames between 7 and 11" in str(warning) for warning in project.warnings)


def test_a_bone_left_out_keeps_its_values(tmp_path: Path) -> None:
    asf(tmp_path)
    project = load(amc(tmp_path, "root 0 0 0 0 0 0\nupper 1 2 3", "root 0 0 0 0 0 0\nlower 5", "upper 7 8 9\nlower 6"))
    q = np.degrees([key.q for key in project.sequences[0].keys])[:, 6:]
    assert q == pytest.approx(np.array([[3, 2, 1, 0], [3, 2, 1, 5], [9, 8, 7, 6]]))
    (warning,) = project.warnings
    assert "3 of 3 frames" in str(warning) and all(name in str(warning) for name in ("root", "upper", "lower"))


def test_a_comment_may_give_the_rate(tmp_path: Path) -> None:
    asf(tmp_path)
    rows = "root 0 0 0 0 0 0\nupper 0 0 0\nlower 0"
    sequence = load(amc(tmp_path, rows, head="# by us, 29.97 frames a second\n:DEGREES\n")).sequences[0]
    assert sequence.fps == 29.97 and sequence.name == "a"


def test_limits_give_way_to_the_motion(tmp_path: Path) -> None:
    asf(tmp_path)
    rows = [f"root 0 0 0 0 0 0\nupper {x} 0 0\nlower {y}" for x, y in ((10, 0), (45, -30), (-100, 100), (-170, 100))]
    project = load(amc(tmp_path, *rows))
    assert project.figures[0].limits[5:] == pytest.approx(np.radians([(-170, 45), (-30, 170)]))
    (warning,) = project.warnings
    assert "past 2 limits" in str(warning) and "upper.x by 25.0°" in str(warning)
    within = load(amc(tmp_path, rows[0]))
    assert within.warnings == () and within.figures[0].limits[5:] == pytest.approx(np.radians([(-160, 20), (-10, 170)]))


def test_angles_do_not_jump_where_the_file_wraps_them(tmp_path: Path) -> None:
    asf(tmp_path)
    rows = [f"root 0 0 0 0 {x} 0\nupper 0 0 0\nlower 0" for x in (170, 179, -172, -163)]
    q = np.degrees([key.q[4] for key in load(amc(tmp_path, *rows)).sequences[0].keys])
    assert q == pytest.approx(np.array([170, 179, 188, 197]))


def test_a_file_that_ends_in_a_frame_loses_that_frame(tmp_path: Path) -> None:
    asf(tmp_path)
    rows = "root 0 0 0 0 0 0\nupper 1 2 3\nlower 4"
    path = amc(tmp_path, rows, rows)
    whole = path.read_text()
    for text in (whole[:-7], whole[:-9], whole[: whole.rindex("upper") + 9]):
        path.write_text(text)
        project = load(path)
        assert len(project.sequences[0].keys) == 1
        assert any("frame 2" in str(warning) for warning in project.warnings)


# -- which skeleton --------------------------------------------------------------------------------------------------

ROWS = "root 0 0 0 0 0 0\nupper 1 2 3\nlower 4"


def test_the_longest_shared_beginning_of_the_name_wins(tmp_path: Path) -> None:
    for name, length in (("02.asf", 2), ("02_0.asf", 4), ("0.asf", 5), ("x.ASF", 6)):
        asf(tmp_path, ASF.replace("length 2", f"length {length}"), name)
    s = load(amc(tmp_path, ROWS, name="02_03.amc")).figures[0]
    assert s.joints[2].offset[0] == pytest.approx(4) and s.name == "02_0"
    found = load(amc(tmp_path, ROWS, name="03_01.amc"))
    assert found.figures[0].name == "0" and found.warnings == ()
    only = load(amc(tmp_path, ROWS, name="X7.amc"))
    assert only.figures[0].name == "x"


def test_a_near_miss_is_reported(tmp_path: Path) -> None:
    asf(tmp_path, name="walker_new.asf")
    (warning,) = load(amc(tmp_path, ROWS, name="walker_03.amc")).warnings
    assert "walker_new.asf is taken" in str(warning)
    (warning,) = load(amc(tmp_path, ROWS, name="jump.amc")).warnings  # nothing shared, but the only one there
    assert "walker_new.asf is taken" in str(warning)


def test_without_a_skeleton_the_message_says_what_was_looked_for(tmp_path: Path) -> None:
    path = amc(tmp_path, ROWS, name="lone.amc")
    with pytest.raises(FormatError, match=r'no \.asf file .* beside it; expected "lone\.asf"'):
        load(path)
    for name in ("b.asf", "c.asf"):
        asf(tmp_path, name=name)
    with pytest.raises(FormatError, match=r"begins like \"lone\"; there are b\.asf, c\.asf"):
        load(path)
    assert load(path, skeleton=tmp_path / "b.asf").figures[0].name == "b"
    assert load(path, skeleton=str(tmp_path / "c.asf")).figures[0].name == "c"


def test_a_skeleton_may_be_given(tmp_path: Path) -> None:
    own = load(asf(tmp_path)).figures[0]
    path = amc(tmp_path, "root 1 2 3 10 20 30\nupper 1 2 3\nlower 4")
    expected = load(path).sequences[0].keys[0].q
    assert load(path, skeleton=own).sequences[0].keys[0].q == pytest.approx(expected)
    stranger = Skeleton("copy", own.joints)  # one that nobody knows to come from an .asf file
    assert load(path, skeleton=stranger, unit=1.0).sequences[0].keys[0].q == pytest.approx(expected)
    assert load(path, skeleton=own, unit=0.01).sequences[0].keys[0].q[:3] == pytest.approx(expected[:3] / 100)


def test_a_skeleton_that_does_not_fit(tmp_path: Path) -> None:
    path = amc(tmp_path, ROWS)
    asf(tmp_path, ASF.replace("lower", "other"), "b.asf")
    with pytest.raises(FormatError, match=r'a\.amc:6:1: .*no bone "lower"; it has root, upper, other\. Is it'):
        load(path, skeleton=tmp_path / "b.asf")
    asf(tmp_path, ASF.replace("dof rx\n    limits (-10.0 170.0)", "dof rx rz"), "b.asf")
    with pytest.raises(FormatError, match=r'a\.amc:6:1: "lower" has 1 values; the skeleton has 2 degrees'):
        load(amc(tmp_path, ROWS, ROWS), skeleton=tmp_path / "b.asf")


def test_a_motion_of_the_reference_data_without_its_skeleton(data_folder: Path) -> None:
    path = data_folder / "asfamc" / "dm_control_zeros.amc"
    with pytest.raises(FormatError, match=r'begins like "dm_control_zeros"; there are 01\.asf, 02\.asf'):
        load(path)
    project = load(path, skeleton=data_folder / "asfamc" / "02.asf")
    poses = np.array([key.q for key in project.sequences[0].keys])
    assert len(poses) == 7 and not poses.any()


# -- what makes no sense ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("length 3", "length three", r'a\.asf:28:12: "three" is not a number; expected length'),
        ("length 3", "length -3", r"length -3 makes no sense; expected 0 or more"),
        ("length 3", "length 1e12", r'"1e12" is out of range'),
        ("length 3", "length nan", r'"nan" is not a number'),
        ("direction 0 1 0", "direction 0 1", r'"direction 0 1" ends too early'),
        ("dof rx\n", "dof rq\n", r'"rq" is not a degree of freedom; valid are tx, ty, tz, rx, ry, rz, l'),
        ("dof rx\n", "dof rx rx\n", r"rx appears twice"),
        ("axis 0 0 90 XYZ", "axis 0 0 90 XXZ", r'"xxz" is not an order of axes'),
        ("(-10.0 170.0)", "(-10.0 170.0 3)", r'"lower" has 3 numbers as limits; expected pairs'),
        ("(-10.0 170.0)", "(-10.0 a)", r'"a" is not a number; expected limits'),
        ("name lower", "name upper", r'"upper" is there twice'),
        ("name lower", "name root", r"named like the root"),
        ("name lower", "name", r"has no name"),
        ("    upper lower\n", "", r'a\.asf:24: bone "lower" does not hang on the root'),
        ("upper lower\n", "upper loser\n", r'a\.asf:36:11: there is no bone "loser"'),
        ("upper lower\n", "upper lower\nlower upper\n", r'"upper" hangs under "root" and under "lower"'),
        ("upper lower\n", "upper lower root\n", r'"root" hangs under a bone'),
        ("  end\n:hierarchy", ":hierarchy", r'bone "lower" has no end'),
        ("angle deg", "angle grad", r'"grad" is not a unit of angles; expected deg or rad'),
        ("length 0.0254", "length 0", r"length 0 makes no sense; expected a number above 0"),
        (":hierarchy", ":tree", r"has no :hierarchy section"),
        ("    id 1", "  begin\n    id 1", r"has no end before the next begin"),
        ("  begin\n    id 1", "    id 1", r'"id" stands outside begin and end'),
        (":root", ":root\n:root", r":root appears twice"),
        (ASF, "hello there\n", r"this is not an ASF file"),
        (ASF, "", r"has no :root section"),
    ],
)
def test_broken_skeletons(old: str, new: str, message: str, tmp_path: Path) -> None:
    assert old in ASF
    with pytest.raises(FormatError, match=message):
        load(asf(tmp_path, ASF.replace(old, new, 1)))


def test_all_problems_are_reported_at_once(tmp_path: Path) -> None:
    text = ASF.replace("length 2", "length two").replace("length 3", "length three").replace("dof rx\n", "dof q\n")
    with pytest.raises(FormatError) as caught:
        load(asf(tmp_path, text))
    assert [problem.line for problem in caught.value.problems] == [17, 28, 30]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"a\.amc: has no frames"),
        (":DEGREES\n", r"has no frames"),
        ("upper 1 2 3\n", r'a\.amc:1:1: "upper" stands before the first frame'),
        (f":DEGREES\n1\n{ROWS}\n1\n{ROWS}\n", r"a\.amc:6:1: frame 1 after frame 1; frames must ascend"),
        (f":DEGREES\n5\n{ROWS}\n99999999999999\n{ROWS}\n", r"beyond the last there can be"),
        (":DEGREES\n1\nroot 0 0 0 0 0 0\nupper 1 x 3\nlower 4\n", r'a\.amc:4:9: "x" is not a number'),
        (":DEGREES\n1\nroot 0 0 0 0 0 0\nupper 1 1_0 3\nlower 4\n", r'"1_0" is not a number'),
        (":DEGREES\n1\nroot 0 0 0 0 0 0\nupper 1 nan 3\nlower 4\n", r'"upper" has nan in frame 1'),
        (":DEGREES\n1\nroot 0 0 0 0 0 0\nupper 1 1e99 3\nlower 4\n", r'"upper" has 1e\+99 in frame 1'),
        (":DEGREES\n1\nroot 0 0 0 0 0 0\nupper 1 2 3\nupper 1 2 3\n", r'a\.amc:5:1: "upper" appears twice in frame 1'),
        (":DEGREES\n1\nroot 0 0 0 0 0 0\nupper 1 2\nlower 4\n", r'"upper" has 2 values; .* 3 degrees of freedom'),
        (":DEGREES\n1\nroot 0 0 0\n", r'ends in the middle of "root" in its only frame'),
    ],
)
def test_broken_motions(text: str, message: str, tmp_path: Path) -> None:
    asf(tmp_path)
    path = amc(tmp_path)
    path.write_text(text)
    with pytest.raises(FormatError, match=message):
        load(path)


# -- the reference data ----------------------------------------------------------------------------------------------


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("skeleton", "motion", "frames"), [("01", "01_01", 2751), ("02", "02_03", 173)])
def test_the_reference_motions(skeleton: str, motion: str, frames: int, data_folder: Path) -> None:
    """Against a second reading of the files in the figure's own axes, every joint and bone end in every frame."""
    path = data_folder / "asfamc" / f"{motion}.amc"
    outcome = watched(lambda: load(path), path.stat().st_size, motion)  # time and memory are bounded
    project = outcome.result
    s, sequence = project.figures[0], project.sequences[0]
    assert len(sequence.keys) == frames and sequence.fps == 120 and project.unit == pytest.approx(0.0254 / 0.45)
    found = forward_kinematics(s, np.array([key.q for key in sequence.keys]))
    ends = bone_ends(data_folder / "asfamc" / f"{skeleton}.asf", path)
    _, pairs, _ = read_skeleton(data_folder / "asfamc" / f"{skeleton}.asf")
    assert len(s.joints) == len(pairs) + 1 == 31
    for parent, child in pairs:
        assert np.abs(found[:, s.joint_index(child), :3, 3] - ends[parent]).max() < 1e-9
    for i, joint in enumerate(s.joints):
        assert len(joint.tips) == (not s.children[i])
        for tip in joint.tips:
            assert np.abs(found[:, i, :3, :3] @ tip + found[:, i, :3, 3] - ends[joint.name]).max() < 1e-9
    assert (sequence.keys[7].q[3:] >= s.limits[:, 0]).all() and (sequence.keys[7].q[3:] <= s.limits[:, 1]).all()


SAME = {
    **{"Hips": "root", "LowerBack": "lowerback", "Spine": "upperback", "Spine1": "thorax", "Neck": "lowerneck"},
    **{"Neck1": "upperneck", "Head": "head"},
    **{
        side + bvh: side[0].lower() + asf
        for side in ("Left", "Right")
        for bvh, asf in {
            "UpLeg": "femur", "Leg": "tibia", "Foot": "foot", "ToeBase": "toes", "Shoulder": "clavicle",
            "Arm": "humerus", "ForeArm": "radius", "Hand": "wrist", "FingerBase": "hand",
        }.items()
    },
    **{f"{side}{digit}": f"{side.lower()}{digit.lower()}" for side in "LR" for digit in ("Fingers", "Thumb")},
}  # fmt: skip


@pytest.mark.verify
def test_the_same_motion_as_bvh_and_as_amc(data_folder: Path) -> None:
    """``cmu_01_01.bvh`` was converted from ``01.asf`` and ``01_01.amc``; its frame 0 is an added T-pose.

    What agrees, to the digits that the BVH file was written with (six in lengths, five to six in angles):

    - where the root is, in every frame: the same numbers in the same unit, 1/0.45 inch;
    - the rotation of every bone in the world, within 0.001 degrees: the BVH file has its rest pose in the directions
      of the ASF bones but with all axes parallel, so ``G`` of the ASF is the rotation of the BVH joint;
    - all bones' lengths but three: the converter left out those of the thorax and of the wrists, whose children stand
      at their beginning instead of at their end.

    So legs, pelvis and trunk up to the thorax are at the same places; neck, head and arms are lower by the thorax'
    bone, and fingers and thumbs also nearer by the wrist's. With those bones put back, everything is where it was.
    """
    acclaim = load(data_folder / "asfamc" / "01_01.amc")
    other = load(data_folder / "bvh" / "cmu_01_01.bvh", unit=0.0254 / 0.45)
    s, t = acclaim.figures[0], other.figures[0]
    first = [key.q for key in acclaim.sequences[0].keys]
    second = [key.q for key in other.sequences[0].keys][1:]
    assert len(first) == len(second) == 2751 and acclaim.sequences[0].fps == other.sequences[0].fps
    A, B = forward_kinematics(s, np.array(first)), forward_kinematics(t, np.array(second))
    at_rest = frames_at(s, np.zeros(s.n_dofs))
    assert len(SAME) == 29 and len(t.joints) == 31  # the hip joints, which do not move, have no counterpart
    left_out = np.zeros((len(A), len(t.joints), 3))  # by the converter, up to each joint, in the world
    for i, joint in enumerate(t.joints):
        if joint.parent >= 0:
            left_out[:, i] = left_out[:, joint.parent]
        if joint.name not in SAME:
            continue
        j = s.joint_index(SAME[joint.name])
        turned = A[:, j, :3, :3] @ at_rest[j, :3, :3].T
        assert np.degrees(angle_between(turned, B[:, i, :3, :3])).max() < 1e-3, joint.name
        up = s.joints[j].parent
        lengths = np.linalg.norm(s.joints[j].offset), np.linalg.norm(joint.offset)
        if s.joint_names[up] in ("thorax", "lwrist", "rwrist"):
            assert lengths[0] > 0.09 and lengths[1] == 0.0
            left_out[:, i] += A[:, up, :3, :3] @ s.joints[j].offset
        elif joint.parent > 0:
            assert lengths[1] == pytest.approx(lengths[0], abs=2e-6)
        whole = B[:, i, :3, 3] + left_out[:, i]
        assert np.abs(whole - A[:, j, :3, 3]).max() < 2e-5, joint.name
    assert not left_out[:, t.joint_index("Spine1")].any() and not left_out[:, t.joint_index("LeftToeBase")].any()


def test_reading_can_be_stopped(data_folder: Path) -> None:
    reported: list[float] = []

    def stop(done: float) -> None:
        reported.append(done)
        if done > 0.3:
            raise Cancelled

    with pytest.raises(Cancelled):
        load(data_folder / "asfamc" / "01_01.amc", progress=stop)
    assert reported == sorted(reported) and len(reported) > 5
    reported.clear()
    load(data_folder / "asfamc" / "02_03.amc", progress=reported.append)
    assert reported == sorted(reported) and 0.0 <= reported[0] and reported[-1] <= 1.0
