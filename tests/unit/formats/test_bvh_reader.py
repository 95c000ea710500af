"""Reading BVH: every trap of the format with a file of its own."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from core.animation.key import LINEAR
from core.errors import Cancelled, FormatError
from core.formats import Project, load
from core.formats.bvh import hierarchy, motion
from core.kinematics import forward_kinematics

ARM = """HIERARCHY
ROOT Base
{
  OFFSET 0 1 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Arm
  {
    OFFSET 0 0.5 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 0.25 0
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.04
0 1 0 0 0 0 0 0 0
1 2 3 10 20 30 40 50 60
"""


@pytest.fixture
def read(tmp_path: Path):
    def reading(text: str | bytes, **keywords: object) -> Project:
        path = tmp_path / "arm.bvh"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return load(path, **({"unit": 1.0} | keywords))

    return reading


def refused(read, text: str | bytes, *parts: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(text)
    message = str(caught.value)
    assert all(part in message for part in parts), message


def places(project: Project, frame: int, figure: int = 0) -> dict[str, list[float]]:
    s = project.figures[figure]
    X = forward_kinematics(s, project.sequences[figure].pose_at_frame(frame))
    return {name: X[i, :3, 3].round(9).tolist() for i, name in enumerate(s.joint_names)}


def single(channels: str, row: str, offset: str = "0 1 0", child: str = "0 0.5 0") -> str:
    """A root with the given channels and a fixed child that shows how it is turned."""
    return f"""HIERARCHY
ROOT Base
{{
  OFFSET {offset}
  CHANNELS {channels}
  JOINT Arm
  {{
    OFFSET {child}
    CHANNELS 0
  }}
}}
MOTION
Frames: 1
Frame Time: 0.04
{row}
"""


# -- what a file says -------------------------------------------------------------------------------------------------


def test_a_plain_file(read) -> None:
    project = read(ARM)
    s, sequence = project.figures[0], project.sequences[0]
    assert s.joint_names == ("Base", "Arm") and s.name == sequence.name == "arm"
    assert s.dof_names == ("Base.z", "Base.x", "Base.y", "Arm.z", "Arm.x", "Arm.y")
    assert s.joints[1].tips[0].tolist() == [0.0, 0.25, 0.0]
    assert sequence.fps == 25 and isinstance(sequence.fps, int) and sequence.keys.frames == (0, 1)
    assert all(key.interp == LINEAR for key in sequence.keys) and sequence.ends_with_last_key
    assert sequence.keys[1].q[:3].tolist() == [1.0, 1.0, 3.0]  # beside the OFFSET
    assert np.degrees(sequence.keys[1].q[3:]) == pytest.approx([10, 20, 30, 40, 50, 60])
    assert project.warnings == () and (project.unit, project.unit_guess) == (1.0, "given")


def test_positions_replace_the_offset(read) -> None:
    project = read(ARM)
    assert places(project, 0)["Base"] == [0.0, 1.0, 0.0] and places(project, 1)["Base"] == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("order", ["XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"])
def test_rotations_are_applied_in_the_listed_order(read, order: str) -> None:
    names = " ".join(f"{letter}rotation" for letter in order)
    project = read(single(f"3 {names}", "30 40 50", child="1 2 3"))
    R = np.eye(3)
    for letter, degrees in zip(order, (30, 40, 50), strict=True):
        c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
        turn = {"X": [[1, 0, 0], [0, c, -s], [0, s, c]], "Y": [[c, 0, s], [0, 1, 0], [-s, 0, c]]}
        R = R @ np.array(turn.get(letter, [[c, -s, 0], [s, c, 0], [0, 0, 1]]))
    assert places(project, 0)["Arm"] == pytest.approx([0, 1, 0] + R @ [1, 2, 3])


def test_each_joint_has_its_own_order(read) -> None:
    text = ARM.replace("3 Zrotation Xrotation Yrotation", "3 Yrotation Zrotation Xrotation")
    s = read(text).figures[0]
    assert s.dof_names == ("Base.z", "Base.x", "Base.y", "Arm.y", "Arm.z", "Arm.x")


def test_the_translation_comes_first_wherever_its_channels_stand(read) -> None:
    first = read(single("6 Xposition Yposition Zposition Zrotation Xrotation Yrotation", "1 2 3 90 0 0"))
    last = read(single("6 Zrotation Xrotation Yrotation Xposition Yposition Zposition", "90 0 0 1 2 3"))
    mixed = read(single("6 Zposition Zrotation Yposition Xrotation Xposition Yrotation", "3 90 2 0 1 0"))
    assert places(first, 0) == places(last, 0) == places(mixed, 0)
    assert places(first, 0) == {"Base": [1.0, 2.0, 3.0], "Arm": [0.5, 2.0, 3.0]}


def test_six_channels_on_any_joint(read) -> None:
    text = ARM.replace(
        "3 Zrotation Xrotation Yrotation", "6 Yposition Zposition Xposition Zrotation Xrotation Yrotation"
    ).replace("0 1 0 0 0 0 0 0 0", "0 1 0 90 0 0  5 6 4 0 0 0").replace("40 50 60", "1 2 3 40 50 60")  # fmt: skip
    project = read(text)
    s = project.figures[0]
    assert s.dof_names[3:] == ("Arm.ty", "Arm.tz", "Arm.tx", "Arm.z", "Arm.x", "Arm.y")
    assert places(project, 0)["Arm"] == pytest.approx([-5.0, 1.0 + 4.0, 6.0])  # (4, 5, 6) turned by 90 about z
    assert project.sequences[0].keys[0].q[6:9].tolist() == [4.5, 6.0, 4.0]  # the OFFSET of y is 0.5


@pytest.mark.parametrize(
    ("channels", "row", "place"),
    [
        ("1 Yposition", "7", [0.5, 7, 2]),
        ("2 Zposition Xposition", "7 8", [8, 1, 7]),
        ("3 Yposition Yrotation Zposition", "7 0 9", [0.5, 7, 9]),
    ],
)
def test_positions_that_are_missing_stay_as_the_offset_says(read, channels, row, place) -> None:
    assert places(read(single(channels, row, offset="0.5 1 2")), 0)["Base"] == place
    below = single("0", row).replace("CHANNELS 0\n  JOINT", "CHANNELS 0\n JOINT", 1)
    below = below.replace("OFFSET 0 0.5 0\n    CHANNELS 0", f"OFFSET 0.5 1 2\n    CHANNELS {channels}")
    assert places(read(below), 0)["Arm"] == [place[0], place[1] + 1, place[2]]


def test_one_rotation_or_three_alike_or_none(read) -> None:
    assert read(single("1 Xrotation", "30")).figures[0].dof_names == ("Base.x",)
    s = read(single("3 Zrotation Xrotation Zrotation", "10 20 30")).figures[0]
    assert [dof.axis.tolist() for dof in s.all_dofs] == [[0, 0, 1], [1, 0, 0], [0, 0, 1]]
    assert len(set(s.dof_names)) == 3
    assert read(single("0", "")).figures[0].n_dofs == 0


def test_several_roots_are_several_figures(read) -> None:
    head, _, _ = ARM.partition("MOTION")
    second = head.replace("HIERARCHY", "").replace("Base", "Other")
    row = "0 1 0 0 0 0 0 0 0  4 5 6 0 0 0 0 0 0\n"
    project = read(f"{head}{second}MOTION\nFrames: 2\nFrame Time: 0.04\n{row}{row}")
    assert [s.name for s in project.figures] == ["arm 1", "arm 2"]
    assert [s.joint_names for s in project.figures] == [("Base", "Arm"), ("Other", "Arm")]
    assert all(a.skeleton is b for a, b in zip(project.sequences, project.figures, strict=True))
    assert places(project, 1, 1) == {"Other": [4.0, 5.0, 6.0], "Arm": [4.0, 5.5, 6.0]}


def test_joints_are_never_merged(read) -> None:
    text = ARM.replace("OFFSET 0 0.5 0", "OFFSET 0 0 0")
    assert read(text).figures[0].joint_names == ("Base", "Arm")


def test_bones_without_length_and_figures_without_any(read) -> None:
    text = (
        ARM.replace("OFFSET 0 0.5 0", "OFFSET 0 0 0")
        .replace("0 0.25 0", "0 0 0")
        .replace("OFFSET 0 1 0", "OFFSET 0 0 0")
    )
    project = read(text, unit=None)
    assert (project.unit, project.unit_guess) == (1.0, "doubtful") and len(project.warnings) == 1
    assert places(project, 1)["Arm"] == [1.0, 2.0, 3.0]


def test_angles_do_not_jump_where_the_file_wraps_them(read) -> None:
    rows = "\n".join(str(x) for x in (170, 179, -172, -163, 179, 170))
    text = single("1 Zrotation", rows).replace("Frames: 1", "Frames: 6")
    angles = [np.degrees(key.q[3]) for key in read(text).sequences[0].keys]
    assert angles == pytest.approx([170, 179, 188, 197, 179, 170])
    # What goes on past a whole turn was not wrapped: a propeller may turn by more than half a turn a frame.
    rows = "\n".join(str(x) for x in (0, 200, 400, 600, 800))
    text = single("1 Zrotation", rows).replace("Frames: 1", "Frames: 5")
    assert [np.degrees(key.q[3]) for key in read(text).sequences[0].keys] == pytest.approx([0, 200, 400, 600, 800])


# -- how a file is written --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["\r\n", "\r", "\n\n", " \t\n", "\n\t"])
def test_line_endings(read, ending: str) -> None:
    assert read(ARM.replace("\n", ending)).sequences[0].keys == read(ARM).sequences[0].keys


def test_tabs_case_marks_and_what_some_systems_put_at_the_end(read) -> None:
    text = ARM.replace("  ", "\t").replace("ROOT", "Root").replace("Xposition", "XPOSITION").replace("MOTION", "Motion")
    text = (
        text.replace("Frames: 2", "Frames:\t2").replace("Frame Time: ", "Frame Time:\t").replace("End Site", "END SITE")
    )
    project = read(b"\xef\xbb\xbf" + text.encode() + b"   \n\n\x1a\x00")
    assert project.sequences[0].keys == read(ARM).sequences[0].keys and project.warnings == ()


def test_everything_on_one_line(read) -> None:
    head, _, rows = ARM.partition("MOTION")
    project = read(" ".join(head.split()) + "\nMOTION" + rows)
    assert project.sequences[0].keys == read(ARM).sequences[0].keys


def test_exponents(read) -> None:
    text = ARM.replace("10 20 30", "1e1 2.0E+001 300000e-4")
    assert np.degrees(read(text).sequences[0].keys[1].q[3:6]) == pytest.approx([10, 20, 30])


def test_names_with_blanks(read) -> None:
    text = ARM.replace("ROOT Base", "ROOT  Left  Base ").replace("JOINT Arm\n  {", "JOINT Upper Arm {")
    assert read(text).figures[0].joint_names == ("Left Base", "Upper Arm")


def test_a_joint_called_end(read) -> None:
    s = read(ARM.replace("JOINT Arm", "JOINT End")).figures[0]
    assert s.joint_names == ("Base", "End") and len(s.joints[1].tips) == 1


def test_names_that_are_there_twice_or_not_at_all(read) -> None:
    project = read(ARM.replace("JOINT Arm", "JOINT Base"))
    assert project.figures[0].joint_names == ("Base", "Base_2")
    assert 'arm.bvh:6:3: names must differ and stand on one line: "Base" is now "Base_2"' in str(project.warnings[0])
    assert read(ARM.replace("JOINT Arm", "JOINT")).figures[0].joint_names == ("Base", "joint 2")


def test_names_that_are_not_utf_8_or_hold_control_characters(read) -> None:
    s = read(ARM.encode().replace(b"Arm", b"\xe9paule").replace(b"Base", b"a\x07b")).figures[0]
    assert s.joint_names == ("a_b", "épaule")
    s = read(ARM.encode().replace(b"Arm", b"\x98" + b"x" * 9000).replace(b"Base", "a\u2028b".encode())).figures[0]
    assert s.joint_names == ("a b", "_" + "x" * 119)


def test_no_end_site_and_several(read) -> None:
    bare = ARM.replace("    End Site\n    {\n      OFFSET 0 0.25 0\n    }\n", "")
    assert read(bare).figures[0].joints[1].tips == ()
    two = ARM.replace("    End Site", "    End Site\n {\n OFFSET 1 2 3\n }\n    End Site")
    assert [tip.tolist() for tip in read(two).figures[0].joints[1].tips] == [[1, 2, 3], [0, 0.25, 0]]


def test_no_offset_is_none(read) -> None:
    project = read(ARM.replace("    OFFSET 0 0.5 0\n", ""))
    assert places(project, 0)["Arm"] == [0.0, 1.0, 0.0]
    assert 'no OFFSET for "Arm"; taken as 0 0 0' in str(project.warnings[0])


# -- rows -------------------------------------------------------------------------------------------------------------


def rows_of(count: int, width: int = 9) -> list[list[str]]:
    return [[f"{k}.{c}" for c in range(width)] for k in range(count)]


def with_rows(lines: str, count: int) -> str:
    head, _, _ = ARM.partition("Frames:")
    return f"{head}Frames: {count}\nFrame Time: 0.04\n{lines}"


def values(project: Project) -> list[float]:
    return [float(key.q[0]) for key in project.sequences[0].keys]


@pytest.mark.parametrize("cut", [1, 2, 4, 5, 8, 18, 1000])
def test_rows_may_be_broken_anywhere(read, cut: int) -> None:
    words = [word for row in rows_of(6) for word in row]
    lines = "\n".join(" ".join(words[k : k + cut]) for k in range(0, len(words), cut))
    project = read(with_rows(lines, 6))
    assert values(project) == pytest.approx([k + 0.0 for k in range(6)]) and project.warnings == ()


def test_rows_go_on_over_the_borders_of_what_is_read_at_once(read, monkeypatch) -> None:
    lines = "\n".join(" ".join(row) for row in rows_of(40))
    whole = read(with_rows(lines, 40)).sequences[0].keys
    for size in (7, 16, 100, 777):
        monkeypatch.setattr(motion, "CHUNK", size)
        assert read(with_rows(lines, 40)).sequences[0].keys == whole


def test_fewer_and_more_rows_than_announced(read) -> None:
    lines = "\n".join(" ".join(row) for row in rows_of(3))
    for announced in (2, 4, 0, 99_999_999_999):
        project = read(with_rows(lines, announced))
        assert len(values(project)) == 3
        assert f'"Frames:" says {announced}, the file has 3; those are read' in str(project.warnings[0])


def test_a_last_row_that_was_cut_off(read) -> None:
    lines = "\n".join(" ".join(row) for row in rows_of(3)).removesuffix(" 2.7 2.8")
    project = read(with_rows(lines, 3))
    assert len(values(project)) == 2
    assert "arm.bvh:21: the last row has 7 values instead of 9; it is left out" in str(project.warnings[0])


@pytest.mark.parametrize("size", [50, 1 << 18])
def test_a_damaged_row_is_named(read, monkeypatch, size: int) -> None:
    monkeypatch.setattr(motion, "CHUNK", size)
    rows = rows_of(20)
    rows[4].pop()
    lines = "\n".join(" ".join(row) for row in rows)
    refused(read, with_rows(lines, 20), "arm.bvh:23: 8 values stand on this line; a row has 9, one for each channel")
    rows[4] += ["1", "2"]
    lines = "\n".join(" ".join(row) for row in rows)
    refused(read, with_rows(lines, 20), "arm.bvh:23: 10 values stand on this line")


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("nan", '"nan" is not a number'),
        ("inf", '"inf" is not a number'),
        ("-Infinity", '"-Infinity" is not a number'),
        ("1e999", '"1e999" is out of range'),
        ("2e9", '"2e9" is out of range'),
        ("1_0", '"1_0" is not a number'),
        ("0x10", '"0x10" is not a number'),
        ("1,5", '"1,5" has a decimal comma'),
        ("1.2.3", '"1.2.3" is not a number'),
        ("--1", '"--1" is not a number'),
        ("1e", '"1e" is not a number'),
        ("٣", '"٣" is not a number'),
        ("word", '"word" is not a number'),
        ("}", '"}" is not a number'),
    ],
)
def test_what_is_no_number_is_named_with_its_place(read, word: str, message: str) -> None:
    refused(read, ARM.replace("1 2 3 10 20", f"1 2 3 {word} 20"), f"arm.bvh:20:7: {message}")
    if word != "}":
        refused(read, ARM.replace("OFFSET 0 0.5 0", f"OFFSET 0 {word} 0"), f"arm.bvh:8:14: {message}")


def test_no_frames_and_one(read) -> None:
    head, _, _ = ARM.partition("Frames:")
    for text in (f"{head}Frames: 0\nFrame Time: 0.04\n", f"{head}Frames: 0\nFrame Time: 0.04"):
        project = read(text)
        assert project.sequences[0].keys == () and project.warnings == ()
    project = read(with_rows("0 1 0 0 0 0 0 0 0", 1))
    assert project.sequences[0].keys.frames == (0,) and project.sequences[0].range == (0, 0)


def test_values_without_channels(read) -> None:
    project = read(single("0", "1 2 3"))
    assert "no joint has channels; the values are left out" in str(project.warnings[0])


def test_what_the_motion_leaves_out(read) -> None:
    project = read(ARM.replace("Frame Time: 0.04\n", ""))
    assert project.sequences[0].fps == 30 and '"Frame Time:" is missing' in str(project.warnings[0])
    project = read(ARM.replace("Frames: 2\n", ""))
    assert len(values(project)) == 2 and '"Frames:" is missing' in str(project.warnings[0])
    project = read(ARM.partition("MOTION")[0])
    assert project.sequences[0].keys == () and "has no MOTION" in str(project.warnings[0])
    swapped = ARM.replace("Frames: 2\nFrame Time: 0.04", "Frame Time: 0.04\nFrames: 2")
    assert read(swapped).sequences[0].fps == 25


@pytest.mark.parametrize("time", ["0", "-0.04", "1e-9", "99999"])
def test_a_frame_time_that_makes_no_sense_is_reported(read, time: str) -> None:
    project = read(ARM.replace("0.04", time))
    assert project.sequences[0].fps == 30 and "makes no sense; taken as 30 frames a second" in str(project.warnings[0])


@pytest.mark.parametrize(("time", "fps"), [(".0083333", 120), (".03333", 30), ("0.0416667", 24), ("0.0417083", 23.976)])
def test_frame_times_stand_for_true_rates(read, time: str, fps: float) -> None:
    found = read(ARM.replace("0.04", time)).sequences[0].fps
    assert found == (fps if fps != 23.976 else pytest.approx(24000 / 1001))


# -- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("HIERARCHY", "hierarchical", "arm.bvh:1:1: this is not a BVH file; it must begin with HIERARCHY"),
        ("ROOT Base", "JOINT Base", 'arm.bvh:2:1: "JOINT" stands where ROOT should'),
        ("MOTION", "MOVEMENT", 'arm.bvh:16:1: "MOVEMENT" stands where ROOT or MOTION should'),
        ("{\n  OFFSET 0 1", "\n  OFFSET 0 1", '"OFFSET" stands where "{" should follow the name "Base"'),
        ("CHANNELS 3", "CHANNELS x", 'arm.bvh:9:14: "x" is not a number of channels'),
        ("CHANNELS 3", "CHANNELS 1000000000", "is not a number of channels; expected 0 to 24"),
        ("CHANNELS 3", "CHANNELS -3", "is not a number of channels"),
        ("CHANNELS 3", "CHANNELS 4", 'arm.bvh:10:5: "End" is not a channel, number 4 of 4; valid are Xposition'),
        ("CHANNELS 3", "CHANNELS 2", 'arm.bvh:9:36: "Yrotation" makes no sense in "Arm"'),
        ("6 Xposition Yposition", "6 Xposition Xposition", '"Xposition" appears twice in the channels of "Base"'),
        ("3 Zrotation", "3 Zscale", '"Zscale" is not a channel, number 1 of 3'),
        ("OFFSET 0 0.5 0", "OFFSET 0 0.5", '"CHANNELS" is not a number; expected the z of OFFSET'),
        ("OFFSET 0 0.5 0", "OFFSET 0 0.5 0 0", '"0" makes no sense in "Arm"'),
        ("OFFSET 0 0.5 0", "OFFSET 0 1 0 OFFSET 0 1 0", 'OFFSET appears twice in "Arm"'),
        ("      OFFSET 0 0.25 0", "      JOINT x", '"JOINT" makes no sense in an End Site'),
        ("Frames: 2", "Frames: two", '"two" is not a number of frames'),
        ("Frames: 2", "Frames: -2", '"-2" is not a number of frames'),
        ("Frames: 2", "Frames: 2e3", '"2e3" is not a number of frames'),
        ("Frames: 2", "Frames: 1.5", '"1.5" is not a number of frames'),
        ("Frame Time: 0.04", "Frame Time: soon", 'arm.bvh:18:13: "soon" is not a number; expected the seconds'),
        ("Frame Time: 0.04", "Frame Time: nan", '"nan" is not a number'),
    ],
)
def test_bad_files(read, old: str, new: str, message: str) -> None:
    assert old in ARM
    refused(read, ARM.replace(old, new, 1), message)


def test_files_that_end_too_soon(read) -> None:
    refused(read, ARM[:130], "the file ends inside")
    refused(read, ARM[: ARM.index("0.25")], "the file ends before its last number")
    refused(read, "HIERARCHY", "arm.bvh:1:10: the file ends without a ROOT")
    refused(read, "", "must begin with HIERARCHY")


def test_a_figure_that_is_too_large(read, monkeypatch) -> None:
    refused(read, ARM.replace("0 0.5 0", "0 1e10 0"), "is out of range")
    with pytest.raises(FormatError, match=r"with a unit of 1e\+06 m the figure reaches 5e\+11 m"):
        read(ARM.replace("0 0.5 0", "0 500000 0"), unit=1e6)
    monkeypatch.setattr(hierarchy, "MOST_JOINTS", 1)
    refused(read, ARM, "the file has more than 1 joints")
    monkeypatch.undo()
    monkeypatch.setattr(motion, "MOST_FRAMES", 1)
    refused(read, ARM, "arm.bvh:18:17: the motion has more than 1 frames")


def test_trees_that_branch_too_deep(read) -> None:
    """A comb whose teeth come last: every branch but the tooth is a group in a .scr file."""
    deep = 300
    head = "".join(f"JOINT j{k}\n{{\nOFFSET 0 1 0\nCHANNELS 0\n" for k in range(deep))
    teeth = "".join(f"JOINT t{k}\n{{\nOFFSET 1 0 0\nCHANNELS 0\n}}\n}}\n" for k in range(deep))
    text = f"HIERARCHY\nROOT r\n{{\nOFFSET 0 0 0\nCHANNELS 0\n{head}{teeth}}}\nMOTION\nFrames: 0\nFrame Time: 0.04\n"
    refused(read, text, "branches more than 256 joints deep")


# -- unit, naming, bodies ---------------------------------------------------------------------------------------------


def test_units_are_guessed_from_the_first_frame(read) -> None:
    text = ARM.replace("OFFSET 0 0.5 0", "OFFSET 0 120 0").replace("0 0.25 0", "0 50 0")
    project = read(text, unit=None)
    assert (project.unit, project.unit_guess, project.warnings) == (0.01, "sure", ())
    assert project.figures[0].joints[1].offset.tolist() == [0.0, 1.2, 0.0]
    assert places(project, 1)["Base"] == pytest.approx([0.01, 0.02, 0.03])
    doubtful = read(ARM, unit=None)
    assert (doubtful.unit, doubtful.unit_guess) == (1.0, "doubtful")
    assert "arm.bvh: the figure's first pose is 0.75 units large" in str(doubtful.warnings[0])


@pytest.mark.parametrize("unit", [0, -1.0, math.nan, math.inf])
def test_units_that_make_no_sense(read, unit: float) -> None:
    with pytest.raises(FormatError, match=r"arm\.bvh: .* is not a unit"):
        read(ARM, unit=unit)


def test_displacements_in_place_of_positions_are_reported(read) -> None:
    text = ARM.replace("3 Zrotation", "6 Xposition Yposition Zposition Zrotation")
    text = text.replace("0 1 0 0 0 0 0 0 0", "0 1 0 0 0 0 0 0 0 0 0 0").replace("40 50 60", "0 0.001 0 40 50 60")
    assert "positions near 0 0 0, which take the place of their OFFSET" in str(read(text).warnings[0])


def test_figures_get_bodies_limits_stay_open(read) -> None:
    s = read(ARM).figures[0]
    assert any(joint.has_body for joint in s.joints)
    assert np.isinf(s.limits).all()


# -- long files -------------------------------------------------------------------------------------------------------


def test_progress_goes_up_and_may_stop_it(read, monkeypatch) -> None:
    monkeypatch.setattr(motion, "CHUNK", 64)
    lines = "\n".join(" ".join(row) for row in rows_of(40))
    reported: list[float] = []
    whole = read(with_rows(lines, 40), progress=reported.append)
    assert reported == sorted(reported) and reported[0] >= 0.0 and reported[-1] <= 1.0 and len(reported) > 20
    assert whole.sequences[0].keys == read(with_rows(lines, 40)).sequences[0].keys

    def stop(done: float) -> None:
        if done > 0.3:
            raise Cancelled

    with pytest.raises(Cancelled):
        read(with_rows(lines, 40), progress=stop)
