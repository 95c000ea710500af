"""The commands that write files: convert and render; and what info tells people and programs."""

from __future__ import annotations

import ctypes
import json
import os
import re
import signal
import subprocess
import sys
import time
from io import StringIO
from pathlib import Path

import numpy as np
import pytest

from app.cli import main
from core.animation import Sequence
from core.formats import FORMATS, Project, load, save
from core.formats.importing.units import SHORT_NAMES
from core.skeleton import Dof, Joint, Skeleton
from tests.support.figures import fork, hinge, random_pose

ROOT = Path(__file__).resolve().parents[3]
SUFFIXES = [format.suffixes[0] for format in FORMATS if format.suffixes[0] != ".fbx"] + [".asf"]
"""One of each format that needs no other program, and the skeleton of an Acclaim motion."""


def run(*words: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    code = main([str(word) for word in words])
    reported = capsys.readouterr()
    return code, reported.out, reported.err


@pytest.fixture
def dance(tmp_path: Path) -> Path:
    """Two sequences of one figure."""
    figure = fork()
    rng = np.random.default_rng(2)
    slow, fast = Sequence(figure, fps=25, name="Slow one"), Sequence(figure, fps=50, name="fast")
    for sequence, frames in ((slow, (0, 10, 50)), (fast, (0, 20))):
        for frame in frames:
            sequence.set_key(frame, random_pose(figure, rng, 0.4))
    path = tmp_path / "dance.seq"
    save(Project([figure], [slow, fast]), path)
    return path


@pytest.fixture
def walk(skeletons_folder: Path) -> Path:
    return skeletons_folder / "library" / "Walks and runs" / "walk.seq"


# -- convert ----------------------------------------------------------------------------------------------------------


def simple() -> Project:
    """A figure and a motion that any format can hold."""
    free = tuple(hinge(axis, -2, 2) for axis in "zxy")
    joints = [Joint("hips", -1, offset=[0, 1, 0], dofs=free, mass=1.0)]
    joints.append(Joint("leg", 0, offset=[0.1, -0.1, 0], dofs=free, mass=1.0))
    joints.append(Joint("foot", 1, offset=[0, -0.8, 0], dofs=free, mass=1.0))
    figure = Skeleton("walker", joints)
    sequence = Sequence(figure, fps=25, name="walker")
    rng = np.random.default_rng(2)
    for frame in range(0, 31):
        sequence.set_key(frame, rng.uniform(-0.6, 0.6, figure.nq))
    return Project([figure], [sequence])


@pytest.mark.parametrize("to", SUFFIXES)
@pytest.mark.parametrize("of", SUFFIXES)
def test_every_format_into_every_other(tmp_path: Path, capsys: pytest.CaptureFixture[str], of: str, to: str) -> None:
    from core.kinematics import forward_kinematics

    source, target = tmp_path / f"walker{of}", tmp_path / f"copy{to}"
    save(simple(), source)
    code, out, _ = run("convert", source, target, "--unit", "m", capsys=capsys)
    assert code == 0 and out.startswith(f"{target}: ")
    made = load(target, unit=1.0)
    figure = made.figures[0]
    assert [name.casefold() for name in figure.joint_names][:3] == ["hips", "leg", "foot"]
    before = load(source, unit=1.0)
    moving = [p.sequences[0] if p.sequences and p.sequences[0].keys else None for p in (before, made)]
    if all(moving):
        times = np.arange(31) / 25
        frames = [forward_kinematics(s.skeleton, s.poses(times))[:, :3, :3, 3] for s in moving]
        assert frames[1] == pytest.approx(frames[0], abs=2e-4)


def test_a_file_for_figures_alone_says_that_the_motion_stays(
    dance: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run("convert", dance, tmp_path / "out.scr", capsys=capsys)
    assert code == 0 and "contains only the figure" in err and "keys" not in out
    code, out, err = run("convert", tmp_path / "out.scr", tmp_path / "again.scr", capsys=capsys)
    assert code == 0 and err == ""


def test_convert_takes_one_sequence_a_stretch_and_a_rate(
    dance: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "out.seq"
    code, out, err = run("convert", dance, target, "--sequence", "FAST", "--fps", 25, "--to", 10, capsys=capsys)
    assert (code, err) == (0, "") and "2 keys, 0.20 s at 25 fps" in out
    made = load(target).sequences
    assert [(s.name, s.fps, s.keys.frames) for s in made] == [("fast", 25, (0, 5))]
    assert run("convert", dance, target, "--sequence", 1, "--from", 10, capsys=capsys)[0] == 0
    made = load(target).sequences
    assert [(s.name, s.keys.frames) for s in made] == [("Slow one", (0, 40))]
    original = load(dance).sequences[0]
    assert made[0].pose_at(0.0) == pytest.approx(original.pose_at(10 / 25), abs=1e-12)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("in.seq", "out.xyz"), ".xyz"),
        (("in.seq", "out.seq", "--sequence", "medium"), '"Slow one", "fast"'),
        (("in.seq", "in.seq"), "another name"),
        (("in.seq", "out.seq", "--from", "70"), "ends at frame"),
        (("in.seq", "out.seq", "--from", "20", "--to", "10"), "backwards"),
        (("nowhere.seq", "out.seq"), "nowhere.seq"),
    ],
)
def test_convert_refuses_in_one_line(
    dance: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], said: str
) -> None:
    monkeypatch.chdir(dance.parent)
    dance.rename(dance.with_name("in.seq"))
    code, out, err = run("convert", *words, capsys=capsys)
    assert code == 2 and out == "" and len(err.strip().splitlines()) == 1 and said in err
    assert not Path("out.seq").exists() and not Path("out.xyz").exists()


def test_a_unit_is_kept_for_formats_that_do_not_say(walk: Path, tmp_path: Path) -> None:
    from app.cli.main import _parser

    for name, metres in SHORT_NAMES.items():
        options = _parser().parse_args(["convert", str(walk), str(tmp_path / "a.seq"), "--unit", name.upper()])
        assert options.unit == metres
    assert _parser().parse_args(["info", str(walk), "--unit", "0.0635"]).unit == 0.0635


# -- render -----------------------------------------------------------------------------------------------------------


@pytest.mark.verify
def test_render_writes_films_and_series(walk: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    av = pytest.importorskip("av", reason="PyAV is not installed")
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    mp4, gif, png = (tmp_path / f"walk.{suffix}" for suffix in ("mp4", "gif", "png"))
    code, out, _ = run("render", walk, mp4, "--size", "161x91", "--fps", 15, capsys=capsys)
    assert code == 0 and out == f"{mp4}: 162 x 92, 1.07 s, 16 pictures\n"
    with av.open(str(mp4)) as film:
        stream = film.streams.video[0]
        assert (stream.frames, stream.average_rate, stream.width, stream.height) == (16, 15, 162, 92)
    code, out, _ = run("render", walk, gif, "--size", "96x64", "--theme", "light", "--view", "side", capsys=capsys)
    with image.open(gif) as film:
        lengths = [film.seek(k) or film.info["duration"] for k in range(film.n_frames)]
    assert code == 0 and len(lengths) == 27 and sum(lengths) == 1070  # 32 frames at 30 a second
    code, out, _ = run("render", walk, png, "--frames", "4:7", "--size", "96x64", capsys=capsys)
    assert code == 0 and out == f"{png}: 96 x 64, 4 pictures, walk_0004.png to walk_0007.png\n"
    assert sorted(path.name for path in tmp_path.glob("*.png")) == [f"walk_000{k}.png" for k in range(4, 8)]


def test_render_shows_the_sequence_and_frame_that_are_named(
    dance: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def shown(*words: object) -> bytes:
        assert run("render", dance, tmp_path / "a.png", "--size", "96x64", *words, capsys=capsys)[0] == 0
        return (tmp_path / "a.png").read_bytes()

    first = shown()
    assert shown("--frame", 0) == first == shown("--sequence", "slow one")
    assert len({first, shown("--frame", 30), shown("--sequence", "fast"), shown("--theme", "light")}) == 4
    code, _, err = run("render", dance, tmp_path / "a.png", "--frame", 99, "--size", "96x64", capsys=capsys)
    assert code == 0 and "past the last key, 50" in err


def test_render_refuses_in_one_line(
    dance: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    still = ROOT / "skeletons" / "stickman.scr"
    for words, said in (
        ((still, tmp_path / "a.mp4"), "turntable"),
        ((dance, tmp_path / "a.gif", "--fps", 90), "50"),
        ((dance, tmp_path / "a.mp4", "--turntable", "--view", "top"), "perspective"),
        ((dance, tmp_path / "a.mp4", "--sequence", 3), "Slow one"),
        ((dance, tmp_path / "a.mp4", "--frames", "80:"), "backwards"),
    ):
        code, out, err = run("render", *words, capsys=capsys)
        assert code == 2 and out == "" and len(err.strip().splitlines()) == 1 and said in err
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    code, _, err = run("render", dance, tmp_path / "a.mp4", capsys=capsys)
    assert code == 2 and "sequence-editor[export]" in err and len(err.strip().splitlines()) == 1
    assert not list(tmp_path.glob("a.*"))


@pytest.mark.verify
@pytest.mark.skipif(os.name != "posix", reason="Ctrl-C is a signal on POSIX")
@pytest.mark.parametrize("suffix", ["mp4", *(pytest.param(name, marks=pytest.mark.verify) for name in ("gif", "png"))])
def test_ctrl_c_leaves_nothing_behind(walk: Path, tmp_path: Path, suffix: str) -> None:
    pytest.importorskip("av", reason="PyAV is not installed")
    places = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    words = ("render", str(walk), str(tmp_path / f"a.{suffix}"), "--turntable", "60", "--progress", "--size", "320x180")
    child = subprocess.Popen(
        [sys.executable, "-m", "app", *words], cwd=ROOT, env=places, stderr=subprocess.PIPE, text=True
    )
    try:
        assert child.stderr is not None
        for line in child.stderr:
            if line.startswith(f"a.{suffix}: ") and list(tmp_path.iterdir()):
                break  # it has begun to write
        child.send_signal(signal.SIGINT)
        assert child.wait(30) == 130
        assert "Traceback" not in child.stderr.read()
    finally:
        child.kill()
        child.wait()
    assert not list(tmp_path.iterdir())


@pytest.mark.verify
@pytest.mark.parametrize("suffix", ["gif", "png"])
def test_an_interruption_leaves_nothing_behind(
    walk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    pytest.importorskip("av", reason="PyAV is not installed")

    class Interrupting(StringIO):
        met = False

        def write(self, text: str) -> int:
            if not self.met and text.startswith(f"a.{suffix}: ") and list(tmp_path.iterdir()):
                self.met = True  # it has begun to write
                signal.raise_signal(signal.SIGINT)
            return super().write(text)

    stream = Interrupting()
    monkeypatch.setattr(sys, "stderr", stream)
    words = ["--turntable", "60", "--progress", "--size", "96x64"]
    assert main(["render", str(walk), str(tmp_path / f"a.{suffix}"), *words]) == 130
    assert stream.met and not list(tmp_path.iterdir())


@pytest.mark.verify
def test_ctrl_c_inside_a_call_of_opengl(walk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise ctypes.ArgumentError(f"argument 1: {why}: ")

    monkeypatch.setattr("app.render.renderer.Renderer.render", interrupted)
    why = "KeyboardInterrupt"
    assert main(["render", str(walk), str(tmp_path / "a.png")]) == 130
    why = "TypeError"
    with pytest.raises(ctypes.ArgumentError):
        main(["render", str(walk), str(tmp_path / "a.png")])
    assert not list(tmp_path.iterdir())


# -- info -------------------------------------------------------------------------------------------------------------


def info_as_json(path: Path, capsys: pytest.CaptureFixture[str]) -> dict:
    code, out, _ = run("info", path, "--json", capsys=capsys)
    assert code == 0
    return json.loads(out, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))


def test_info_gives_programs_everything(walk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reported = info_as_json(walk, capsys)
    (figure,), (sequence,) = reported["figures"], reported["sequences"]
    s = load(walk).sequences[0].skeleton
    assert [joint["name"] for joint in figure["joints"]] == list(s.joint_names)
    assert [dof["label"] for joint in figure["joints"] for dof in joint["dofs"]] == list(s.dof_labels)
    assert figure["height"] == pytest.approx(1.74, abs=5e-3) and figure["mass"] == pytest.approx(73)
    assert figure["size"][1] == pytest.approx(figure["height"], abs=1e-9) and len(figure["mirror_pairs"]) == 8
    assert reported["unit"] == 1.0 and reported["unit_guess"] == "file"
    thigh = next(joint for joint in figure["joints"] if joint["name"] == "left thigh")
    assert thigh["mirror"] == "right thigh" and 0.38 < thigh["length"] < 0.46 and thigh["objects"]
    assert (sequence["keys"], sequence["frames"], sequence["range"], sequence["loop"]) == (11, [0, 32], [0, 32], True)
    assert figure["dynamics"] == {"bodies": 21, "coordinates": 50, "held": [], "problem": None}
    assert sequence["duration"] == pytest.approx(32 / 30) and 1.32 < sequence["path"] < 1.36
    assert sequence["displacement"] == pytest.approx(1.32, abs=1e-3)


def test_the_length_of_a_path_agrees_with_a_circle(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figure = Skeleton("dot", [Joint("dot", -1, mass=1.0)])
    sequence = Sequence(figure, fps=10, name="circle")
    for k in range(73):
        sequence.set_key(k, [2 * np.cos(np.pi * k / 36), 0, 2 * np.sin(np.pi * k / 36)], "linear")
    save(Project([figure], [sequence]), tmp_path / "circle.seq")
    reported = info_as_json(tmp_path / "circle.seq", capsys)["sequences"][0]
    assert reported["path"] == pytest.approx(72 * 4 * np.sin(np.pi / 72), abs=1e-9)  # a polygon of 72 sides
    assert reported["displacement"] == pytest.approx(0, abs=1e-12)


def test_info_for_people_is_aligned(walk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run("info", walk, "--limits", capsys=capsys)
    assert code == 0 and err == ""
    lines = out.splitlines()
    assert re.fullmatch(r'figure "human": 21 joints, 47 DOF, 1\.7\d\d m high, 73\.00 kg', lines[0])
    assert 'sequence "Walk": 11 keys, frames 0 to 32, 1.07 s, 30 fps' in lines
    assert "    dynamics 21 rigid bodies, 50 DOF with the root's place" in lines
    start = next(k for k, line in enumerate(lines) if line.split()[:1] == ["joint"])
    rows = lines[start : start + 22]
    column = rows[0].index("mirror")
    assert all(row[column - 1] == " " for row in rows if len(row) > column)
    assert all(row == row.rstrip() for row in lines)


def test_info_of_next_to_nothing_is_sensible(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bare.scr"
    path.write_text('define skeleton "bare"\n joint "a"\nend skeleton\ndefine joint "a"\nend joint\n')
    code, out, _ = run("info", path, "--limits", capsys=capsys)
    assert code == 0 and 'figure "bare": 1 joint, 0 DOF, 0.00 kg' in out and "no keys" in out
    assert "nan" not in out and "inf" not in out and "Traceback" not in out
    assert 'dynamics cannot be simulated: figure "bare" has no mass; expected a joint with a mass or an object' in out
    reported = info_as_json(path, capsys)
    assert reported["figures"][0]["size"] is None and reported["sequences"][0]["frames"] is None
    save(Project(), tmp_path / "empty.seq")
    code, out, _ = run("info", tmp_path / "empty.seq", capsys=capsys)
    assert code == 0 and out == "no figure\n"
    code, _, err = run("render", tmp_path / "empty.seq", tmp_path / "a.png", capsys=capsys)
    assert code == 2 and "no figure" in err


def test_info_reports_what_cannot_be_simulated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    turns = (Dof("hinge", np.array([1.0, 0.0, 0.0]), -1.0, 1.0),)
    root, arm = Joint("root", -1, mass=1.0), Joint("arm", 0, offset=[0, 1, 0], dofs=turns, mass=1.0)
    cases = {
        "2 rigid bodies, 4 DOF with the root's place; 1 DOF without mass is held": Joint(
            "tip", 1, offset=[0, 1, 0], dofs=turns
        ),
        'cannot be simulated: joint "tip" has scale 2 2 2;': Joint("tip", 1, scale=np.full(3, 2.0)),
    }
    for text, tip in cases.items():
        save(Project([Skeleton("figure", [root, arm, tip])]), tmp_path / "figure.seq")
        code, out, _ = run("info", tmp_path / "figure.seq", capsys=capsys)
        assert code == 0 and f"    dynamics {text}" in out


def test_progress_goes_to_a_terminal_only(tmp_path: Path) -> None:
    from app.cli.progress_line import ProgressLine

    class Terminal(StringIO):
        def isatty(self) -> bool:
            return True

    def reported(stream: StringIO, always: bool = False) -> str:
        with ProgressLine("a.mp4", always, stream) as line:
            for k in range(5):
                line(k / 4)
                time.sleep(0.12)
        return stream.getvalue()

    assert reported(StringIO()) == ""
    assert reported(StringIO(), True) == "".join(f"a.mp4: {percent} %\n" for percent in (0, 25, 50, 75, 100))
    shown = reported(Terminal())
    assert "\n" not in shown and shown.startswith("\ra.mp4: 0 %\ra.mp4: 25 %") and shown.endswith("\r\x1b[K")


# -- sizes, units, and what is no file of ours ------------------------------------------------------------------------


def test_info_reports_one_height_and_calls_a_lying_figure_long(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    free = (hinge("z", -1, 1),)
    lying = [Joint("a", -1, offset=[0, 0, 0], dofs=free, mass=1.0)]
    lying += [Joint(name, i, offset=[0, 0, 1.5], dofs=free, mass=1.0) for i, name in enumerate("bc")]
    save(Project([Skeleton("snake", lying)]), tmp_path / "snake.scr")
    code, out, _ = run("info", tmp_path / "snake.scr", capsys=capsys)
    assert code == 0
    reported = re.search(r"DOF, ([\d.]+) m long, .* kg$", out.splitlines()[0])
    size = re.search(r"([\d.]+) m wide, ([\d.]+) m high, ([\d.]+) m deep", out)
    assert reported and size and reported[1] == size[3] and float(size[2]) < 0.25 * float(size[3])


@pytest.mark.parametrize("name", ["human", "stickman", "hand"])
def test_the_two_heights_of_a_standing_figure_agree(
    skeletons_folder: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    _, out, _ = run("info", skeletons_folder / f"{name}.scr", capsys=capsys)
    heights = re.findall(r"([\d.]+) m high", out)
    assert len(heights) == 2 and heights[0] == heights[1]


def test_info_marks_masses_that_hang_on_a_doubtful_unit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project = simple()
    project.unit = 0.02  # 50 units high: neither metres nor centimetres of a person
    save(project, tmp_path / "walker.bvh")
    assert load(tmp_path / "walker.bvh").unit_guess == "doubtful"
    _, out, _ = run("info", tmp_path / "walker.bvh", capsys=capsys)
    assert out.splitlines()[0].endswith(" kg if its unit is guessed right") and "uncertain" in out
    _, out, _ = run("info", tmp_path / "walker.bvh", "--unit", "0.02", capsys=capsys)
    assert out.splitlines()[0].endswith(" kg") and "uncertain" not in out


def test_a_folder_and_a_file_cut_off_are_called_what_they_are(
    tmp_path: Path, dance: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "folder.seq"
    folder.mkdir()
    assert run("check", folder, capsys=capsys) == (2, "", "folder.seq: is a folder; expected a file\n")
    assert run("check", tmp_path, capsys=capsys)[2] == f"{tmp_path.name}: is a folder; expected a file\n"
    text = dance.read_text()
    dance.write_text(text[: len(text) // 2])
    code, _, err = run("check", dance, capsys=capsys)
    assert code == 2 and re.match(r"dance\.seq:\d+:\d+: is not a sequence file, or is cut off: ", err)
