"""What bad .scr files get: every problem at its place, with what was expected."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import FormatError, Problem
from core.skeleton import load_skeleton, read_scr

TWO = 'define skeleton "s"\njoint "a"\njoint "b"\nend skeleton\n'  # four lines


def problems(text: str, folder: Path | None = None) -> tuple[Problem, ...]:
    with pytest.raises(FormatError) as caught:
        read_scr(text, "bad.scr", folder)
    return caught.value.problems


def only(text: str, line: int, column: int, *pieces: str, folder: Path | None = None) -> str:
    """Check that there is one problem, at this place, whose message holds these pieces; return it."""
    found = problems(text, folder)
    assert len(found) == 1, [str(p) for p in found]
    problem = found[0]
    assert (problem.file, problem.line, problem.column) == ("bad.scr", line, column), str(problem)
    for piece in pieces:
        assert piece in problem.message, problem.message
    assert str(problem).startswith(f"bad.scr:{line}:{column}: ")
    return problem.message


def joint(*lines: str, name: str = "a") -> str:
    inner = "".join(f"  {line}\n" for line in lines)
    return f'{TWO}define joint "{name}"\n{inner}end joint\n'  # the first line is line 6, its words begin in column 3


# -- words -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "guess"),
    [
        ("hinj x 0 10", "hinge"),
        ("ofset 0 0 0", "offset"),
        ("mas 1", "mass"),
        ("orientaton 0 0 0", "orientation"),
        ("mirorr", "mirror"),
    ],
)
def test_unknown_keyword_in_a_joint_suggests_the_nearest(line: str, guess: str) -> None:
    only(joint(line), 6, 3, "not a keyword", f'did you mean "{guess}"?')


def test_unknown_keyword_near_none_lists_them_all() -> None:
    only(joint("qqqqqq 1"), 6, 3, "expected object, offset", "or end")


def test_unknown_keyword_in_the_skeleton() -> None:
    only('define skeleton "s"\n joint "a"\n jiont "b"\nend skeleton', 3, 2, 'did you mean "joint"?')


def test_unknown_definition_is_reported_once_and_skipped() -> None:
    text = TWO + 'define jont "a"\n rubbish\n more 1 2\nend jont\ndefine joint "b"\n mass 1\nend joint\n'
    only(text, 5, 8, 'did you mean "joint"?')


def test_lines_outside_every_definition_are_reported_once() -> None:
    only(TWO + "mass 1\nhinge x\nend joint\n", 5, 1, "outside every definition", "define joint")


def test_a_string_or_number_where_a_keyword_should_be() -> None:
    only(joint('"mass" 1'), 6, 3, "where a keyword should")
    only(joint("1 2 3"), 6, 3, "where a keyword should")


def test_a_name_without_quotes_is_reported_once() -> None:
    only('define skeleton "s"\njoint pelvis\nend skeleton\n', 2, 7, "not in quotes", 'joint "NAME"')


def test_unclosed_string() -> None:
    only(f'{TWO}define joint "a"\n  mirror "b\nend joint\n', 6, 10, "not closed", "closing quote")
    only('define skeleton "s\njoint "a"\nend skeleton\n', 1, 17, "not closed")


def test_empty_name() -> None:
    only('define skeleton "s"\njoint "a"\njoint ""\nend skeleton\n', 3, 7, "empty")


def test_control_characters() -> None:
    only('define skeleton "s"\njoint "a\x00b"\nend skeleton\n', 2, 9, "U+0000")


def test_too_much_on_a_line() -> None:
    only(joint("mass 1 2"), 6, 10, "too much", "mass M")
    only('define skeleton "s"\njoint "a" "b"\nend skeleton\n', 2, 11, "too much")


def test_too_little_on_a_line() -> None:
    only(joint("offset 0 1"), 6, 13, "z is missing", "offset x y z")
    only(joint("mass"), 6, 7, "mass is missing", "mass M")
    only(joint("hinge"), 6, 8, "hinge AXIS")
    only(joint("hinge x 10"), 6, 13, "HI is missing", "[LO HI]")
    only(joint("stiffness 3"), 6, 14, "ends too soon", "rest")
    only("define\n", 1, 7, "define skeleton")


def test_not_a_number() -> None:
    only(joint("offset 0 one 0"), 6, 12, "one is not a number", "offset x y z")
    only(joint("offset 0 0,5 0"), 6, 12, "0,5 is not a number")
    only(joint("mass 1_0"), 6, 8, "1_0 is not a number")


def test_a_line_given_twice() -> None:
    only(joint("mass 1", "mass 2"), 7, 3, "given twice", "line 6")


# -- hierarchy -------------------------------------------------------------------------------------------------------


def test_duplicate_definition() -> None:
    text = joint("mass 1") + 'define joint "a"\nmass 2\nend joint\n'
    only(text, 8, 14, "defined twice", "line 5")


def test_joint_placed_twice() -> None:
    only('define skeleton "s"\njoint "a"\njoint "b"\njoint "a"\nend skeleton\n', 4, 7, "placed twice", "line 2")


def test_defined_but_never_placed() -> None:
    only(joint("mass 1", name="c"), 5, 14, '"c" is defined but never placed')
    text = 'define skeleton "s"\njoint "torso"\nend skeleton\ndefine joint "toso"\nmass 1\nend joint\n'
    only(text, 4, 14, 'did you mean "torso"?')


def test_second_skeleton() -> None:
    only(TWO + 'define skeleton "t"\njoint "c"\nend skeleton\n', 5, 1, "second skeleton", "line 1")


def test_second_root() -> None:
    text = 'define skeleton "s"\ngroup "g"\njoint "a"\nend group\njoint "b"\nend skeleton\n'
    only(text, 5, 7, "second root", '"a" is the first')


def test_no_skeleton() -> None:
    only("", 1, 1, "no skeleton", "define skeleton")
    only("# nothing\n\n", 1, 1, "no skeleton")
    only('define joint "a"\nmass 1\nend joint\n', 1, 1, "no skeleton")


def test_skeleton_without_joints() -> None:
    only('define skeleton "s"\nend skeleton\n', 1, 17, "no joints")


def test_nested_too_deep() -> None:
    def nested(depth: int) -> str:
        return 'define skeleton "s"\njoint "a"\n' + 'group "g"\n' * depth + "end group\n" * depth + "end skeleton\n"

    assert len(read_scr(nested(256)).joints) == 1
    only(nested(257), 259, 1, "nested more than 256 deep")
    assert len(problems(nested(20_000))) == 1


@pytest.mark.parametrize(
    ("text", "line", "kind"),
    [
        ('define skeleton "s"\njoint "a"\n', 1, "skeleton"),
        ('define skeleton "s"\njoint "a"\ngroup "g"\njoint "b"\nend skeleton\n', 3, "group"),
        (TWO + 'define joint "a"\nmass 1\n', 5, "joint"),
        (TWO + 'define joint "a"\nmass 1\ndefine joint "b"\nmass 1\nend joint\n', 5, "joint"),
        ('define skeleton "s"\njoint "a"\ndefine joint "a"\nmass 1\nend joint\n', 1, "skeleton"),
    ],
)
def test_missing_end(text: str, line: int, kind: str) -> None:
    only(text, line, 1, f"this {kind} is never closed", f'expected "end {kind}"')


def test_wrong_end() -> None:
    only('define skeleton "s"\njoint "a"\nend grup\nend skeleton\n'.replace("end skeleton\n", ""), 3, 1, "end skeleton")
    only(f'{TWO}define joint "a"\nmass 1\nend\n', 7, 1, '"end" alone', 'expected "end joint"')
    only("end joint\n" + TWO, 1, 1, "without anything open")


# -- counterparts ----------------------------------------------------------------------------------------------------


def mirrors(**pairs: str) -> str:
    names = sorted({*pairs, *pairs.values()} - {"nobody"})
    text = 'define skeleton "s"\njoint "root"\n' + "".join(f'group "{n}"\njoint "{n}"\nend group\n' for n in names)
    text += "end skeleton\n"
    return text + "".join(f'define joint "{a}"\n mirror "{b}"\nend joint\n' for a, b in pairs.items())


def test_cycle_of_mirrors() -> None:
    text = mirrors(a="b", b="c", c="a")
    found = problems(text)
    assert len(found) == 1 and found[0].line == 14
    assert '"a" -> "b" -> "c" -> "a"' in found[0].message and "circle" in found[0].message


def test_own_counterpart() -> None:
    assert "its own counterpart" in problems(mirrors(a="a"))[0].message


def test_counterpart_that_is_placed_nowhere() -> None:
    found = problems(mirrors(a="nobody"))
    assert len(found) == 1 and "placed nowhere" in found[0].message and found[0].column == 9


def test_counterparts_that_do_not_agree() -> None:
    assert "is the counterpart of" in problems(mirrors(a="c", b="c"))[0].message
    found = problems(mirrors(a="b", b="c", c="b"))
    assert len(found) == 1 and 'the counterpart of "b" is "c", not "a"' in found[0].message


# -- values ----------------------------------------------------------------------------------------------------------


@pytest.mark.verify
def test_limits_the_wrong_way_round() -> None:
    only(joint("hinge x 20 -20"), 6, 11, "20 lies above the upper limit -20", "LO <= HI")
    only(joint("ball x 30 5 -5"), 6, 13, "lies above", "LO <= HI")
    only(joint("slide y inf inf"), 6, 11, "leave no room")


@pytest.mark.parametrize(
    "line",
    [
        "mass -1",
        "scale 1 0 1",
        "scale 1 1 -1",
        "weight 1.5",
        "weight -0.1",
        "resistance 0",
        "stiffness -1 rest 0",
        "damping -1",
        "viscous -1",
        "coulomb -0.1",
        "coulomb 0.1 0 1",
        "coulomb 0.1 1 -1",
        "friction -0.1",
        "friction 181",
        "color 0 2 0",
        "ball x 0",
        "ball x 181",
        "cone -5",
    ],
)
def test_numbers_that_make_no_sense(line: str) -> None:
    bad = next(k for k, word in enumerate(line.split()) if word in {"0", "-1", "1.5", "-0.1", "2", "181", "-5"} and k)
    if line.startswith("color"):
        bad = 2
    column = 3 + len(" ".join(line.split()[:bad])) + 1
    only(joint(line), 6, column, "makes no sense", "expected")


@pytest.mark.parametrize(
    "line",
    [
        "{} 0 0 0".replace("{}", "offset nan"),
        "mass nan",
        "mass inf",
        "mass 1e999",
        "offset 0 -inf 0",
        "orientation 0 0 NaN",
        "center 1 2 infinity",
        "inertia 1 nan 1",
        "scale 1 1 inf",
        "weight nan",
        "resistance inf",
        "stiffness inf rest 0",
        "stiffness 1 rest nan",
        "damping inf",
        "motor nan",
        "hinge x nan 10",
        "hinge nan 0 0",
        "ball x inf",
        "color nan 0 0",
    ],
)
def test_numbers_that_are_not_finite(line: str) -> None:
    words = line.split()
    bad = next(k for k, w in enumerate(words) if w.lower().lstrip("-") in {"nan", "inf", "infinity", "1e999"})
    column = 3 + len(" ".join(words[:bad])) + 1
    only(joint(line), 6, column, "not a finite number")


def test_lengths_out_of_range() -> None:
    only(joint("offset 1e10 0 0"), 6, 10, "out of range", "1e+09")


def test_axis() -> None:
    only(joint("hinge w 0 10"), 6, 9, "w is not an axis", "x, y, z")
    only(joint("hinge 0 0 0"), 6, 9, "no length")


def test_inertia_that_is_not_positive_definite() -> None:
    for line in ("inertia 1 1 -1", "inertia 0 0 0", "inertia 1 1 1 2 0 0", "inertia 1 0 1"):
        only(joint(line), 6, 11, "not positive definite")


def test_the_lines_of_a_refused_type_are_not_reported_again() -> None:
    only(joint("joint type expresion", "coordinates u", "translate u 0 sin(u)", "rotate x u*2"), 6, 14, "expression")
    only(
        joint("joint type expression", "coordinates u u", "let r u+v", "translate u 0 r", "rotate x u*2"),
        7,
        17,
        "twice",
    )


def test_unknown_joint_type_and_a_joint_line_in_a_definition() -> None:
    only(joint("joint type sphericle"), 6, 14, 'did you mean "spherical"?')
    only(joint('joint "b"'), 6, 3, "end joint")


# -- objects ---------------------------------------------------------------------------------------------------------


def test_malformed_object_is_reported_at_its_own_place(tmp_path: Path) -> None:
    (tmp_path / "x.pol").write_text("vertices 3\n 0 0 0\n 1 0 zero\n 0 1 0\npolygons 1\n 3 0 1 2\n")
    found = problems(joint('object "x.pol"'), tmp_path)
    assert [(p.file, p.line, p.column) for p in found] == [("x.pol", 3, 6)]
    assert '"zero" is not a number' in found[0].message and "bad.scr:6:10" in found[0].message


def test_broken_objects_are_reported_along_with_the_rest(tmp_path: Path) -> None:
    (tmp_path / "x.stl").write_bytes(b"solid nothing")
    found = problems(joint('object "x.stl"', "mass -1"), tmp_path)
    assert sorted(p.line for p in found) == [6, 7]


@pytest.mark.parametrize(
    "path", ["../x.pol", "a/../../x.pol", "/etc/passwd", "..\\x.pol", "C:/x.pol", "C:\\x.pol", "\\\\host\\x.pol"]
)
def test_object_that_leaves_the_folder(tmp_path: Path, path: str) -> None:
    folder = tmp_path / "figure"
    folder.mkdir()
    (tmp_path / "x.pol").write_text("vertices 3\n 0 0 0\n 1 0 0\n 0 1 0\npolygons 1\n 3 0 1 2\n")
    only(joint(f'object "{path}"'), 6, 10, "leaves the folder", folder=folder)
    only(joint(f'object "{path}"'), 6, 10, "leaves the folder", folder=None)


def test_object_that_leaves_the_folder_by_a_link(tmp_path: Path) -> None:
    folder = tmp_path / "figure"
    folder.mkdir()
    (tmp_path / "x.pol").write_text("vertices 3\n 0 0 0\n 1 0 0\n 0 1 0\npolygons 1\n 3 0 1 2\n")
    (folder / "link.pol").symlink_to(tmp_path / "x.pol")
    only(joint('object "link.pol"'), 6, 10, "leaves the folder", folder=folder)


def test_object_of_unknown_kind_or_a_folder(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("hello")
    (tmp_path / "y.pol").mkdir()
    only(joint('object "x.txt"'), 6, 10, ".txt", ".pol, .obj, .stl, .ply or .glb", folder=tmp_path)
    only(joint('object "y.pol"'), 6, 10, "cannot be read", folder=tmp_path)


def test_object_with_a_name_no_file_can_have(tmp_path: Path) -> None:
    only(joint(f'object "{"x" * 5000}.pol"'), 6, 10, "cannot be looked up", folder=tmp_path)


# -- the file --------------------------------------------------------------------------------------------------------


def test_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"none\.scr: cannot be read: No such file"):
        load_skeleton(tmp_path / "none.scr")
    with pytest.raises(FormatError, match="cannot be read"):
        load_skeleton(tmp_path)


def test_bytes_that_are_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "bad.scr"
    path.write_bytes(b'define skeleton "s"\r\n joint "\xe9"\r\nend skeleton\r\n')
    with pytest.raises(FormatError) as caught:
        load_skeleton(path)
    assert str(caught.value).startswith("bad.scr:2:9: byte 0xE9 is not UTF-8")


def test_file_over_64_mb(tmp_path: Path) -> None:
    path = tmp_path / "big.scr"
    with path.open("wb") as stream:
        stream.truncate(64 * 1024 * 1024 + 1)
    with pytest.raises(FormatError, match=r"big\.scr: is larger than 64 MB"):
        load_skeleton(path)


def test_all_problems_are_reported_in_file_order_and_twenty_are_listed() -> None:
    text = joint(*["hinge w"] * 30, "mass -1")
    found = problems(text)
    assert [p.line for p in found] == list(range(6, 37))
    summary = str(FormatError(found)).splitlines()
    assert len(summary) == 21 and summary[-1] == "and 11 more"


@pytest.mark.verify
def test_reading_stops_after_very_many_problems() -> None:
    found = problems(joint("rubbish\n" * 50_000))
    assert len(found) == 10_001 and "not read" in found[-1].message


@pytest.mark.parametrize(
    ("line", "column"),
    [("slide x 0 1e300", 11), ("slide x -2e9 0", 11), ("hinge y -1e10 1e10", 11), ("ball y 40 -1e300 0", 13)],
)
def test_limits_out_of_range(line: str, column: int) -> None:
    only(joint(line), 6, column, "out of range", "at most 1e+09")
