"""Project files: round trips to the bit, unknown members, sources, and what bad files get."""

from __future__ import annotations

import json
import math
import os
import struct
from dataclasses import replace

import numpy as np
import pytest

from core.animation import EASES, Key, LockStrip, Sequence, Shape, TargetKey
from core.animation.curves.timing_curves import SpeedCurve, TimingCurve
from core.animation.marker import Marker
from core.constraints import Lock
from core.errors import FormatError
from core.formats import (
    FORMATS,
    FigureRecord,
    Project,
    bundled_folder,
    json_text,
    load,
    project_from_json,
    project_reader,
    project_to_json,
    save,
)
from core.formats import files as files_module
from core.formats.project import source_of
from core.skeleton import Dof, Joint, Skeleton, load_skeleton

SCR = """# a small figure
define skeleton "man"
    joint "hips"
    joint "knee"
end skeleton
define joint "hips"
    hinge x -90 90
    hinge y -90 90
    hinge z -90 90
    mass 1
end joint
define joint "knee"
    offset 0 1 0
    hinge x 0 90
    mass 1
end joint
"""


@pytest.fixture
def man(tmp_path):
    (tmp_path / "man.scr").write_text(SCR)
    return load(tmp_path / "man.scr")


@pytest.fixture
def walk(man):
    sequence = man.sequences[0]
    sequence.name, sequence.menu, sequence.loop, sequence.fps = "Wälk", "Legs", True, 29.97
    sequence.set_range(2, 40)
    sequence.set_keys(
        [
            Key(0, [5e-324, -0.0, math.pi, 0.1 + 0.2, 1e308, -1e-308, 1 / 3], extra={"mood": {"calm": [1, 2.5]}}),
            Key(7, np.random.default_rng(1).normal(size=7), "linear", True, "legs"),
            Key(
                12,
                np.full(7, 1 / 3),
                keyed=["knee", ""],
                shape=Shape("kochanek_bartels", tension=0.1 + 0.2, continuity=-1.0, bias=5e-324, ease=EASES["in"]),
                shapes={"knee": Shape("free", True, slopes_in=(-1 / 3,), slopes_out=(None,)), "": Shape("stepped")},
            ),
        ]
    )
    sequence.timing.curves = {
        "knee": TimingCurve(((0, 0), (3, 1 / 3), (9, 9))),
        "*": TimingCurve(((0, 0), (40.5, 40.5))),
    }
    sequence.timing.root_speed = SpeedCurve(((0, 1), (7.5, 0.1 + 0.2), (12, 0)))
    sequence.markers = (Marker(7, "stêp", "#3fa0ff"), Marker(3))
    held = Lock("knee", "position", (0, -0.4, 0), target=[0.1, 5e-324, 1 / 3], weight=0.5)
    turns = TargetKey(3, [0.1, 0.2, 0.3]), TargetKey(9, [1 / 3, 0.2, 0.3], "linear")
    sequence.locks = [replace(held, axes=(True, False, True), joints=("knee",))]
    sequence.locks.strips = (
        LockStrip(
            held, 2, 31, 2.5, 3.25, 0.75, turns, "a1", "On the step", {"color": [1, None]}, SpeedCurve(((3, 1), (9, 2)))
        ),
        LockStrip(Lock("knee", "pose", target=np.eye(4), weight=(1.0, 0.5)), 40, id="b2"),
    )
    sequence.locks.holds = False
    sequence.script, sequence.audio = "turn", {"file": "/sounds/drum.wav", "mood": 1}
    sequence.extra = {"tempo": 120}
    man.view, man.physics, man.extra = {"camera": [1, 2]}, {"g": -9.81}, {"later": {"x": [None, True, "é"]}}
    return man


def data_of(walk):
    return json.loads(json.dumps(project_to_json(walk)))


def bits(values):
    return [struct.pack("<d", value) for value in values]


def fails(data, *parts):
    with pytest.raises(FormatError) as caught:
        project_from_json(data, "walk.seq")
    for part in parts:
        assert part in str(caught.value)


def test_round_trip_keeps_every_bit_and_every_member(walk, tmp_path):
    save(walk, tmp_path / "walk.seq")
    back = load(tmp_path / "walk.seq")
    old, new = walk.sequences[0], back.sequences[0]
    assert new.skeleton is back.figures[0]
    assert [bits(key.q) for key in new.keys] == [bits(key.q) for key in old.keys]
    assert new.keys == old.keys and dict(new.keys[0].extra) == {"mood": {"calm": [1, 2.5]}}
    for name in (
        "name",
        "menu",
        "loop",
        "fps",
        "range",
        "strips",
        "locks",
        "holds",
        "script",
        "audio",
        "extra",
        "timings",
        "root_speed",
        "markers",
    ):
        assert new.value(name) == old.value(name), name
    assert (back.view, back.physics, back.extra) == (walk.view, walk.physics, walk.extra)
    assert back.figure_records == walk.figure_records and back.warnings == ()
    save(back, tmp_path / "again.seq")
    assert (tmp_path / "again.seq").read_bytes() == (tmp_path / "walk.seq").read_bytes()


def test_the_unit_of_a_motion_file_is_kept_and_metres_are_not_written(walk, tmp_path):
    assert "unit" not in data_of(walk)
    walk.unit, walk.unit_guess = 0.0254, "sure"
    save(walk, tmp_path / "walk.seq")
    back = load(tmp_path / "walk.seq")
    assert (back.unit, back.unit_guess) == (0.0254, "file") and "unit" not in back.extra


def test_music_is_named_as_a_figure_is_and_refused_if_it_makes_no_sense(walk, tmp_path):
    walk.sequences[0].audio = {"file": str(tmp_path / "sounds" / "drum.wav"), "beats": [0.5, 1.0], "offset": -0.25}
    save(walk, tmp_path / "walk.seq")
    assert '"sounds/drum.wav"' in (tmp_path / "walk.seq").read_text()
    assert load(tmp_path / "walk.seq").sequences[0].audio == walk.sequences[0].audio
    data = data_of(walk)
    data["sequences"][0]["audio"] = {"file": "drum.wav", "beats": [0.5, 0.5]}
    fails(data, "sequences[0].audio: beats[1] 0.5 s is not after the beat before")
    data["sequences"][0]["audio"] = "drum.wav"
    fails(data, 'sequences[0].audio: "drum.wav" is not an object or null')


def test_members_of_a_figure_that_are_not_known_are_kept(walk):
    data = data_of(walk)
    data["figures"][0]["skin"] = {"tone": 3}
    assert project_to_json(project_from_json(data, "x.seq"))["figures"][0]["skin"] == {"tone": 3}


def test_a_skeleton_file_is_a_project_with_an_empty_sequence(man, tmp_path):
    assert man.figures[0].name == "man" and man.figure_records[0].scr == SCR
    assert man.sequences[0].keys == () and man.sequences[0].skeleton is man.figures[0]
    save(man, tmp_path / "copy.scr")
    again = load(tmp_path / "copy.scr").figures[0]
    assert again.joint_names == ("hips", "knee") and np.array_equal(again.limits, man.figures[0].limits)


def test_a_figure_built_by_hand_is_written_too(tmp_path):
    skeleton = Skeleton("rod", [Joint("rod", -1, dofs=(Dof("hinge", (0, 0, 1), -1.0, 0.7),), mass=2.0)])
    sequence = Sequence(skeleton, keys=[Key(3, [1, 2, 3, 0.1])])
    save(Project([skeleton], [sequence]), tmp_path / "rod.seq")
    back = load(tmp_path / "rod.seq")
    assert np.array_equal(back.figures[0].limits, skeleton.limits)
    assert back.sequences[0].keys == sequence.keys and back.sequences[0].range == (0, 3)
    assert back.sequences[0].ends_with_last_key


def test_two_figures_and_a_sequence_for_each(walk):
    data = data_of(walk)
    data["figures"].append({**data["figures"][0], "name": "twin"})
    data["sequences"].append({**data["sequences"][0], "figure": 1})
    back = project_from_json(data, "x.seq")
    assert back.sequences[0].skeleton is back.figures[0] and back.sequences[1].skeleton is back.figures[1]
    assert back.figures[0] is not back.figures[1] and back.figure_records[1].name == "twin"
    with pytest.raises(FormatError, match="holds one figure"):
        save(back, "two.scr")


def test_sources_move_with_the_project(man, tmp_path):
    bundled = FigureRecord("man", SCR, str(bundled_folder() / "man.scr"))
    inside, outside = man.figure_records[0], FigureRecord("man", SCR, "/somewhere/else/man.scr")
    expected = [(bundled, "skeletons:man.scr"), (inside, "man.scr"), (outside, "/somewhere/else/man.scr")]
    for record, source in expected:
        made = Project(man.figures, man.sequences, figure_records=[record])
        assert project_to_json(made, tmp_path)["figures"][0]["source"] == source
        back = project_from_json(project_to_json(made, tmp_path), "x.seq", tmp_path)
        elsewhere = tmp_path / "sub"
        again = project_from_json(project_to_json(back, elsewhere), "x.seq", elsewhere)
        assert project_to_json(again, tmp_path)["figures"][0]["source"] == source


@pytest.mark.parametrize("source", ["skeletons:../../../etc/passwd", "a\0b", "x" * 5000, "", "//host/x.scr", None])
def test_odd_sources_do_no_harm(walk, source, tmp_path):
    data = data_of(walk)
    data["figures"][0]["source"] = source
    assert project_from_json(data, "x.seq", tmp_path).figures[0].name == "man"


def test_changed_text_is_a_warning(walk):
    data = data_of(walk)
    data["figures"][0]["sha256"] = "0" * 64
    back = project_from_json(data, "walk.seq")
    assert "walk.seq: figures[0].sha256" in str(back.warnings[0])


def change(path, value):
    def apply(data):
        target = data
        for step in path[:-1]:
            target = target[step]
        if value is KeyError:
            del target[path[-1]]
        else:
            target[path[-1]] = value

    return apply


LOCK0, STRIP0 = ("sequences", 0, "locks", 0), ("sequences", 0, "strips", 0)
KEY0 = ("sequences", 0, "keys", 0)
KEY2 = ("sequences", 0, "keys", 2)
KNEE = (*KEY2, "shapes", "knee")
SEQUENCE = ("sequences", 0)


@pytest.mark.sampled(42)
@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("format",), "other", '"format": "sequence-editor"'),
        (("version",), 3, "version: 3 is newer"),
        (("version",), 0, "version: 0 is not a version"),
        (("version",), True, "version"),
        (("version",), "1", "version"),
        (("units",), "cm", 'expected "m, rad, s"'),
        (("figures",), {}, "figures: an object is not a list"),
        (("figures", 0), 3, "figures[0]: 3 is not an object"),
        (("figures", 0, "scr"), KeyError, "figures[0].scr: is missing"),
        (("figures", 0, "scr"), "define nonsense", "figures[0].scr:1:"),
        (("figures", 0, "name"), 4, "figures[0].name: 4 is not text or null"),
        (("sequences", 0, "figure"), 1, "sequences[0].figure: there is no figure 1; valid are 0 to 0"),
        (("sequences", 0, "figure"), -1, "sequences[0].figure"),
        (("sequences", 0, "fps"), 0, "sequences[0].fps: 0 is out of range"),
        (("sequences", 0, "fps"), "30", "sequences[0].fps"),
        (("sequences", 0, "fps"), 10**400, "sequences[0].fps"),
        (("sequences", 0, "range"), [4, 2], "runs backwards"),
        (("sequences", 0, "range"), [1], "expected [first, last]"),
        (("sequences", 0, "loop"), 1, "sequences[0].loop: 1 is not true or false"),
        (("sequences", 0, "keys"), None, "sequences[0].keys: null is not a list"),
        ((*KEY0, "frame"), -1, "keys[0].frame: -1 is out of range"),
        ((*KEY0, "frame"), 1.5, "keys[0].frame: 1.5 is not a whole number"),
        ((*KEY0, "frame"), 10**30, "keys[0].frame"),
        ((*KEY0, "frame"), 7, "keys[1].frame: 7 is also the frame of sequences[0].keys[0]"),
        ((*KEY0, "q"), [1, 2], 'keys[0].q: has 2 values; figure "man" needs 7'),
        ((*KEY0, "q"), KeyError, "keys[0].q: is missing"),
        ((*KEY0, "q", 3), "1", 'sequences[0].keys[0].q[3]: "1" is not a finite number'),
        ((*KEY0, "q", 3), True, "q[3]: true is not"),
        ((*KEY0, "q", 3), 10**400, "q[3]"),
        ((*KEY0, "q", 3), float("nan"), "q[3]: the number is not finite"),
        ((*KEY0, "interp"), "cubic", 'interp: "cubic" is unknown; valid are auto, spline, linear'),
        ((*KEY0, "turns"), "yes", "turns"),
        ((*KEY0, "part"), 3, "part: 3 is not text or null"),
        ((*KEY2, "keyed"), [], "keys[2].keyed: names no channel"),
        ((*KEY2, "keyed", 0), "tail", 'keys[2].keyed[0]: "tail" is not a channel of figure "man"; valid are hips'),
        ((*KEY2, "keyed", 0), 3, "keys[2].keyed[0]: 3 is not text"),
        ((*KEY2, "keyed"), "knee", "keys[2].keyed"),
        ((*KEY2, "shape"), 3, "keys[2].shape: 3 is not an object or null"),
        ((*KEY2, "shape", "tension"), 11, "keys[2].shape.tension: 11 is out of range; valid are -10 to 10"),
        ((*KEY2, "shape", "bias"), "x", 'keys[2].shape.bias: "x" is not a number'),
        ((*KEY2, "shape", "ease"), [0.4, 0, 1], "keys[2].shape.ease: has 3 numbers"),
        ((*KEY2, "shape", "ease", 2), 1.5, "keys[2].shape.ease: x2 of an ease is 1.5; times lie between 0 and 1"),
        ((*KEY2, "shape", "ease", 1), None, "keys[2].shape.ease[1]: null is not a finite number"),
        ((*KEY2, "shape", "slopes_in"), [1.0], "keys[2].shape.slopes_in: belongs to one channel"),
        ((*KEY2, "shapes", "tail"), {}, 'keys[2].shapes["tail"]: "tail" is not a channel'),
        ((*KEY2, "shapes", "knee"), 3, 'keys[2].shapes["knee"]: 3 is not an object'),
        ((*KNEE, "interp"), "cubic", 'keys[2].shapes["knee"].interp: "cubic" is unknown'),
        ((*KNEE, "slopes_in"), [1.0, 2.0], 'shapes["knee"].slopes_in: has 2 numbers; the channel has 1 values'),
        ((*KNEE, "slopes_in", 0), "x", 'shapes["knee"].slopes_in[0]: "x" is neither a finite number nor null'),
        ((*SEQUENCE, "timings"), [], "sequences[0].timings: a list of 0 is not an object or null"),
        ((*SEQUENCE, "timings", "tail"), [[0, 0], [9, 9]], 'timings["tail"]: "tail" is not a channel'),
        ((*SEQUENCE, "timings", "knee", 1), [3], 'timings["knee"][1]: a list of 1 is not a point'),
        ((*SEQUENCE, "timings", "knee", 1, 1), "x", 'timings["knee"][1][1]: "x" is not a finite number'),
        ((*SEQUENCE, "timings", "knee", 1), [3, 99], 'timings["knee"]: a timing curve: '),
        ((*SEQUENCE, "root_speed"), [[0, 1], [9, -1]], "root_speed: a speed curve: speed -1 at frame 9"),
        ((*SEQUENCE, "markers"), {}, "sequences[0].markers"),
        ((*SEQUENCE, "markers", 0, "frame"), -1, "markers[0].frame: -1 is out of range"),
        ((*SEQUENCE, "markers", 1, "frame"), 3, "markers[1].frame: 3 is the frame of another marker"),
        ((*SEQUENCE, "markers", 0, "color"), "red", "markers[0]: the color of the marker at frame 3 is 'red'"),
        ((*STRIP0, "speed"), 3, "strips[0].speed: 3 is not a list of points"),
        (("sequences", 0, "locks"), {}, "sequences[0].locks"),
        ((*LOCK0, "kind"), 3, "locks[0].kind: 3 is not text"),
        ((*LOCK0, "kind"), "glue", "locks[0]: "),
        ((*LOCK0, "joint"), "tail", "locks[0]: lock: "),
        ((*LOCK0, "target"), [1, 2], "target has shape (2,); it must have shape (3,)"),
        ((*LOCK0, "target"), KeyError, "sequences[0].locks[0]: "),
        ((*LOCK0, "weight"), 2, "weight is 2; it must lie in 0..1"),
        ((*STRIP0, "lock"), 3, "strips[0].lock: 3 is not an object"),
        ((*STRIP0, "lock", "axes"), [1, 2], "strips[0].lock: "),
        ((*STRIP0, "start"), KeyError, "strips[0].start: is missing"),
        ((*STRIP0, "start"), -1, "strips[0].start: -1 is out of range; valid are whole numbers from 0"),
        ((*STRIP0, "start"), 1.5, "strips[0].start: 1.5 is not a whole number"),
        ((*STRIP0, "end"), 1, "strips[0].end: 1 lies before the start 2"),
        ((*STRIP0, "ease_in"), -1, "strips[0].ease_in: -1 is out of range"),
        ((*STRIP0, "weight"), 1.5, "strips[0].weight: 1.5 is out of range; valid are 0 to 1"),
        ((*STRIP0, "id"), "b2", 'strips[1].id: "b2" is also the id of sequences[0].strips[0]'),
        ((*STRIP0, "id"), "", "strips[0].id: is empty"),
        ((*STRIP0, "name"), 7, "strips[0].name: 7 is not text or null"),
        ((*STRIP0, "targets"), 7, "strips[0].targets: 7 is not a list"),
        ((*STRIP0, "targets", 1, "target"), [1], "strips[0]: target at frame 9: "),
        ((*STRIP0, "targets", 1, "target"), KeyError, "strips[0].targets[1].target: is missing"),
        ((*STRIP0, "targets", 1, "frame"), 3, "has two targets at frame 3"),
        ((*STRIP0, "targets", 1, "interp"), "fast", 'targets[1].interp: "fast" is unknown'),
        (("sequences", 0, "holds"), 1, "holds: 1 is not true or false"),
        (("unit",), 0, "unit: 0 is out of range; valid are 1e-09 to 1e+06, in metres"),
        (("unit",), "cm", 'unit: "cm" is not a number'),
        (("view",), [], "view: a list of 0 is not an object or null"),
        (("later", "x", 0), float("inf"), "later.x[0]: the number is not finite"),
        (("later", "x", 2), "\ud800", "later.x[2]: the text holds half a character"),
    ],
)
def test_every_bad_value_is_named_with_its_place(walk, path, value, message):
    data = data_of(walk)
    change(path, value)(data)
    fails(data, "walk.seq: " if "scr:1" not in message else "walk.seq", message)


def test_all_problems_are_listed_at_once(walk):
    data = data_of(walk)
    data["sequences"][0]["fps"] = 0
    data["sequences"][0]["keys"][0]["q"] = [None] * 7
    data["figures"].append({"scr": "?"})
    with pytest.raises(FormatError) as caught:
        project_from_json(data, "walk.seq")
    assert len(caught.value.problems) >= 9
    data["sequences"][0]["keys"][0]["q"] = [None] * 100000
    fails(data, "and ")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"format":\n  oops}', "bad.seq:2:3: is not a sequence file, or is cut off"),
        ("", "bad.seq:1:1: is not a sequence file, or is cut off"),
        ("[1, 2]", "is not a project file"),
        ("null", "is not a project file"),
        ('{"format": "sequence-editor", "version": 1, "x": NaN}', "x: the number is not finite"),
        ('{"format": "sequence-editor", "version": 1, "x": [-Infinity, 1e999]}', "x[1]: the number is not finite"),
        ('{"format": "sequence-editor", "version": 1, "version": 1}', 'two members named "version"'),
        ("[" * 100000 + "]" * 100000, "too deep"),
        ('{"a":' * 100000, "too deep"),
        ("[" * 70 + "]" * 70, "nested too deep"),
        ("9" * 10000, "too many digits"),
        ('{"format": "sequence-editor", "version": ' + "9" * 4000 + "}", "version"),
    ],
)
def test_bad_text(text, message, tmp_path):
    (tmp_path / "bad.seq").write_text(text)
    with pytest.raises(FormatError) as caught:
        load(tmp_path / "bad.seq")
    assert message in str(caught.value) and len(str(caught.value)) < 3000


def test_bytes_that_are_no_text_and_files_that_are_not_there(tmp_path, monkeypatch):
    (tmp_path / "bad.seq").write_bytes(b'{"format":\n "\xff"}')
    with pytest.raises(FormatError, match=r"bad\.seq:2:3: byte 0xff is not UTF-8"):
        load(tmp_path / "bad.seq")
    with pytest.raises(FormatError, match=r"gone\.seq: cannot be read"):
        load(tmp_path / "gone.seq")
    (tmp_path / "folder.seq").mkdir()
    with pytest.raises(FormatError, match="is a folder; expected a file"):
        load(tmp_path / "folder.seq")
    monkeypatch.setattr(project_reader, "LARGEST", 10)
    with pytest.raises(FormatError, match="larger than"):
        load(tmp_path / "bad.seq")


def test_byte_order_mark_and_line_endings(walk, tmp_path):
    save(walk, tmp_path / "a.seq")
    text = (tmp_path / "a.seq").read_text()
    (tmp_path / "b.seq").write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert project_to_json(load(tmp_path / "b.seq")) == project_to_json(load(tmp_path / "a.seq"))


@pytest.mark.parametrize("name", ["a.bvh5", "noext", ".seq~"])
def test_unknown_suffixes_list_the_valid_ones(name, man, tmp_path):
    for attempt in (lambda: load(tmp_path / name), lambda: save(man, tmp_path / name)):
        with pytest.raises(FormatError) as caught:
            attempt()
        assert all(suffix in str(caught.value) for format in FORMATS for suffix in format.suffixes)


def test_a_failed_save_leaves_the_old_file_and_nothing_else(walk, tmp_path, monkeypatch):
    path = tmp_path / "walk.seq"
    save(walk, path)
    before, names = path.read_bytes(), sorted(os.listdir(tmp_path))

    def refuse(*_):
        raise OSError(28, "No space left on device")

    walk.sequences[0].name = "other"
    monkeypatch.setattr(files_module.os, "replace", refuse)
    with pytest.raises(FormatError, match="cannot be written: No space left"):
        save(walk, path)
    assert path.read_bytes() == before and sorted(os.listdir(tmp_path)) == names
    with pytest.raises(FormatError, match="cannot be written"):
        save(walk, tmp_path / "nowhere" / "walk.seq")


def test_what_cannot_be_written_is_refused_before_the_file_is_touched(walk, tmp_path):
    save(walk, tmp_path / "walk.seq")
    before = (tmp_path / "walk.seq").read_bytes()
    for bad in (float("nan"), object(), {1: 2}):
        walk.extra = {"bad": bad}
        with pytest.raises(FormatError, match="bad"):
            save(walk, tmp_path / "walk.seq")
    assert (tmp_path / "walk.seq").read_bytes() == before
    walk.extra = {}
    walk.sequences[0].skeleton = Skeleton("stranger", [Joint("x", -1)])
    with pytest.raises(FormatError, match="not a figure of the project"):
        project_to_json(walk)


def test_older_versions_go_through_the_migrations(walk, monkeypatch):

    def renamed(data):
        return {**data, "view": data.pop("camera")}

    monkeypatch.setattr(project_reader, "MIGRATIONS", (renamed,))
    monkeypatch.setattr(project_reader, "VERSION", 2)
    data = {**data_of(walk), "version": 1}
    data["camera"] = data.pop("view")
    assert project_from_json(data, "old.seq").view == {"camera": [1, 2]}


def test_a_file_of_version_1_says_the_same_to_the_bit(walk):
    data = data_of(walk)
    assert data["version"] == 2
    assert data_of(project_from_json({**data, "version": 1}, "old.seq")) == data


def test_numbers_stand_on_one_line_and_read_back_exactly():
    value = {"a": [0.1, -0.0, 5e-324, 1e22, 123456789012345680.0], "b": [[1], [2]], "c": {}, "d": [], "e": "ü\n\u2028"}
    text = json_text.write(value)
    assert "[0.1, -0.0, 5e-324, 1e+22, 1.2345678901234568e+17]" in text
    assert json_text.parse(text, "x") == value


def test_a_figure_read_by_a_relative_path_is_found_from_anywhere(tmp_path, monkeypatch, skeletons_folder):
    monkeypatch.chdir(skeletons_folder)
    assert source_of(load_skeleton("arm7.scr")) == "skeletons:arm7.scr"
    (tmp_path / "own.scr").write_text((skeletons_folder / "arm7.scr").read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert source_of(load_skeleton("own.scr")) == (tmp_path / "own.scr").as_posix()
