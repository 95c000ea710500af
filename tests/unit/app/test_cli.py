"""The command line: exit codes, one line on bad input, pictures without a display."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.cli import main
from core.formats import FORMATS, PAGE_SUFFIX

ROOT = Path(__file__).resolve().parents[3]


def run(*words: str, display: str | None = None) -> subprocess.CompletedProcess[str]:
    places = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    if display is not None:
        places["DISPLAY"] = display
    return subprocess.run(
        [sys.executable, "-m", "app", *words], cwd=ROOT, env=places, capture_output=True, text=True, timeout=120
    )


def test_check_and_info_of_a_good_file(capsys: pytest.CaptureFixture[str], skeletons_folder: Path) -> None:
    assert main(["check", str(skeletons_folder / "human.scr")]) == 0
    assert "good" in capsys.readouterr().out
    assert main(["info", str(skeletons_folder / "human.scr"), "--limits"]) == 0
    reported = capsys.readouterr().out
    assert "47 DOF" in reported and " m high, 73.00 kg" in reported and "Elbow flex           0°  150°" in reported


def test_check_lists_every_problem_with_its_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = tmp_path / "bad.scr"
    bad.write_text(
        'define skeleton "x"\n  joint "a"\nend skeleton\ndefine joint "a"\n  mas 1\n  hinge x 9 1\nend joint\n'
    )
    assert main(["check", str(bad)]) == 2
    reported = capsys.readouterr().err
    assert "bad.scr:5:3" in reported and "mass" in reported and "bad.scr:6" in reported
    assert main(["info", str(bad)]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


@pytest.mark.parametrize("words", [("info", "nowhere.scr"), ("check", "README.md"), ("render", "nowhere.seq", "x.png")])
def test_bad_input_is_one_line_and_exit_code_2(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(list(words)) == 2
    reported = capsys.readouterr().err.strip()
    assert len(reported.splitlines()) == 1 and "Traceback" not in reported


@pytest.mark.parametrize(
    "words",
    [
        ("check",),
        ("render", "a.scr", "x.bmp"),
        ("render", "a.scr", "x.png", "--size", "0x5"),
        ("render", "a.scr", "no/such/folder/x.png"),
        ("render", "a.scr", "x.png", "--frames", "9:3"),
        ("render", "a.scr", "x.png", "--frames", "9"),
        ("render", "a.scr", "x.png", "--frame", "1", "--frames", "1:2"),
        ("render", "a.scr", "x.png", "--frame", "99999999999999999999"),
        ("render", "a.scr", "x.mp4", "--fps", "nan"),
        ("render", "a.scr", "x.mp4", "--turntable", "-3"),
        ("convert", "a.scr"),
        ("convert", "a.scr", "b.seq", "--unit", "furlong"),
        ("convert", "a.scr", "b.seq", "--from", "x"),
    ],
)
def test_wrong_arguments_exit_with_2(words: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(list(words))
    assert caught.value.code == 2


@pytest.mark.parametrize("words", [(), ("check",), ("info",), ("convert",), ("render",), ("screenshot",), ("edit",)])
def test_every_command_has_help(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main([*words, "--help"])
    assert caught.value.code == 0 and "usage" in capsys.readouterr().out


@pytest.mark.verify
def test_without_a_display_the_editor_says_so_and_render_draws(tmp_path: Path, skeletons_folder: Path) -> None:
    refused = run(str(skeletons_folder / "stickman.scr"))
    assert refused.returncode == 2 and "no display" in refused.stderr and "Traceback" not in refused.stderr
    picture = tmp_path / "out.png"
    drawn = run("render", str(skeletons_folder / "stickman.scr"), str(picture), "--size", "200x160", "--view", "side")
    assert drawn.returncode == 0, drawn.stderr
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.verify
def test_screenshot_starts_its_own_display(tmp_path: Path, skeletons_folder: Path) -> None:
    from PySide6.QtGui import QImage

    picture = tmp_path / "window.png"
    taken = run("screenshot", str(skeletons_folder / "stickman.scr"), str(picture), "--size", "1100x700")
    assert taken.returncode == 0, taken.stderr
    image = QImage(str(picture))
    assert (image.width(), image.height()) == (1100, 700)
    shades = {image.pixel(x, y) for x in range(0, 1100, 25) for y in range(0, 700, 25)}
    assert len(shades) > 60  # a real window, not a blank one


def test_info_of_a_long_recording_works_out_no_joint_between_its_frames(
    tmp_path: Path, data_folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from core.animation.curves.compound_tracks import CompoundTracks

    head, _, motion = (data_folder / "bvh" / "cmu_01_01.bvh").read_text().partition("MOTION")
    _, time, *rows = [line for line in motion.splitlines() if line.strip()]
    long = tmp_path / "long.bvh"
    long.write_text("\n".join([head + "MOTION", "Frames: 4511", time, *(rows * 2)[:4511]]) + "\n")
    monkeypatch.setattr(CompoundTracks, "prepare", lambda *a, **k: pytest.fail("in-betweens were prepared"))
    assert main(["info", str(long)]) == 0
    assert "4,511 keys, frames 0 to 4510" in capsys.readouterr().out


def test_the_help_of_convert_names_every_format(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["convert", "--help"])
    shown = capsys.readouterr().out
    assert all(suffix in shown for format in FORMATS for suffix in format.suffixes) and PAGE_SUFFIX in shown


def test_a_library_that_the_system_lacks_is_named_in_a_line(monkeypatch, capsys, skeletons_folder):
    def broken(_options):
        raise ImportError("libGL.so.1: cannot open shared object file: No such file or directory")

    monkeypatch.setattr(sys.modules["app.cli.main"], "info", broken)
    assert main(["info", str(skeletons_folder / "human.scr")]) == 2
    told = capsys.readouterr().err
    assert told.startswith("sequence-editor: Qt needs libGL.so.1, a library of the system that is missing; on Debian")
    assert told.count("\n") == 1

    def other(_options):
        raise ImportError("No module named numpy")

    monkeypatch.setattr(sys.modules["app.cli.main"], "info", other)
    with pytest.raises(ImportError, match="numpy"):
        main(["info", str(skeletons_folder / "human.scr")])
