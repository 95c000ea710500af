"""``sequence-editor simulate``: a file in, a file with what was simulated out, one line on bad input."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from app.cli import main
from core.animation import Sequence
from core.animation.hybrid_strips import HybridStrip
from core.formats import load, save


@pytest.fixture(scope="module")
def falling(tmp_path_factory: pytest.TempPathFactory, skeletons_folder: Path) -> Path:
    """A stick figure 0.3 m above the ground that falls from frame 2 to 8."""
    path = tmp_path_factory.mktemp("simulate") / "falling.seq"
    project = load(skeletons_folder / "stickman.scr")
    s = project.figures[0]
    sequence = Sequence(s, name="Falling")
    project.sequences = [sequence]
    q = s.rest_pose()
    q[1] += 0.3
    sequence.set_key(0, q)
    sequence.hybrid_strips = (HybridStrip((), 2, 8, ease_out=0.0, id="fall"),)
    save(project, path)
    return path


def test_a_strip_is_simulated_and_written_as_keys(falling, tmp_path, capsys):
    out = tmp_path / "out.seq"
    assert main(["simulate", str(falling), "-o", str(out)]) == 0
    reported = capsys.readouterr().out
    assert reported.startswith(f"{out}: 0.20 s simulated, ") and "residual at most" in reported
    made = load(out).sequences[0]
    assert made.hybrid_strips == () and made.keys.frames[:2] == (0, 2) and made.keys.frames[-1] == 8
    fallen = made.pose_at_frame(2)[1] - made.poses_at_frames(np.arange(2, 8))[:, 1]
    times = np.arange(6) / 30.0
    assert fallen == pytest.approx(0.5 * 9.81 * times**2, abs=0.5 * 9.81 * times[-1] / 240.0 + 1e-6)


@pytest.mark.verify
def test_the_same_words_make_the_same_file(falling, tmp_path, capsys):
    words = ["simulate", str(falling), "--duration", "0.1", "--seed", "7", "-o"]
    a, b, c = (tmp_path / f"{name}.seq" for name in "abc")
    assert main([*words, str(a)]) == 0 and main([*words, str(b)]) == 0
    assert main(["simulate", str(falling), "--duration", "0.1", "-o", str(c)]) == 0
    assert a.read_bytes() == b.read_bytes() != c.read_bytes()


def test_gravity_and_tolerance(falling, tmp_path, capsys):
    out = tmp_path / "out.seq"
    words = [
        "simulate",
        str(falling),
        "-o",
        str(out),
        "--gravity",
        "0",
        "--no-floor",
        "--duration",
        "0.15",
        "--tolerance",
        "0.01",
    ]
    assert main(words) == 0
    made = load(out).sequences[0]
    assert len(made.keys) <= 4  # nothing happens, and few keys tell it
    assert made.pose_at_frame(6) == pytest.approx(made.pose_at_frame(0), abs=1e-9)


def test_a_figure_without_motion_is_simulated_too_and_other_formats_are_written(skeletons_folder, tmp_path, capsys):
    out = tmp_path / "out.bvh"
    words = ["simulate", str(skeletons_folder / "stickman.scr"), "-o", str(out), "--floor", "-1", "--duration", "0.1"]
    assert main([*words, "--progress"]) == 0
    assert "simulating stickman: 100 %" in capsys.readouterr().err
    assert load(out).sequences[0].keys[-1].frame == 3


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--figure", "nobody"), 'there is no figure "nobody"; there are "stickman"'),
        (("--sequence", "nothing"), "there is no sequence"),
        (("--gravity", "1e9"), "gravity"),
        (("--friction", "-1"), "friction"),
        (("--start", "8"), "all strips have ended"),
        (("--start", "9"), 'frame 9 is outside sequence "Falling"; its frames are 0 to 8'),
        (("--duration", "0.03"), "less than a frame; expected at least 0.0333 s"),
        (("--duration", "1e9"), "longer than can be simulated"),
    ],
)
def test_what_makes_no_sense_is_one_line_and_exit_code_2(falling, tmp_path, capsys, words, reason):
    out = tmp_path / "out.seq"
    assert main(["simulate", str(falling), "-o", str(out), *words]) == 2
    reported = capsys.readouterr().err.strip()
    assert reason in reported and len(reported.splitlines()) == 1 and not out.exists()


def test_the_file_that_is_read_is_not_written_over(falling, capsys):
    before = falling.read_bytes()
    assert main(["simulate", str(falling), "-o", str(falling)]) == 2
    assert "give the result another name" in capsys.readouterr().err and falling.read_bytes() == before


@pytest.mark.parametrize(
    ("word", "value", "right"),
    [
        ("--start", "-1", "from 0 to"),
        ("--duration", "nan", "a number above 0"),
        ("--tolerance", "0", "a number above 0"),
        ("--gravity", "inf", "not a number"),
        ("--floor", "1e6", "from -10000 to 10000"),
        ("--seed", "4294967296", "from 0 to 4294967295"),
    ],
)
def test_numbers_that_cannot_be_are_reported_with_what_can(falling, capsys, word, value, right):
    with pytest.raises(SystemExit) as stopped:
        main(["simulate", str(falling), "-o", "out.seq", f"{word}={value}"])
    reported = capsys.readouterr().err.strip().splitlines()[-1]
    assert stopped.value.code == 2 and word in reported and f'"{value}"' in reported and right in reported


def test_wrong_words_are_reported_with_the_usage(falling, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["simulate", str(falling), "-o", "out.png"])
    assert stopped.value.code == 2 and ".seq, .bvh, .amc" in capsys.readouterr().err


@pytest.fixture
def box_in_him(skeletons_folder: Path, tmp_path: Path) -> Path:
    project = load(skeletons_folder / "human.scr")
    project.sequences = [Sequence(project.figures[0], name="Box")]
    box = {"kind": "box", "size": [0.5, 0.5, 0.5], "position": [0.1, 1.17, -0.09], "name": "crate"}
    project.physics = {"obstacles": [box]}
    save(project, tmp_path / "box.seq")
    return tmp_path / "box.seq"


@pytest.mark.verify
def test_what_overlaps_at_the_start_is_reported_and_pushed_apart(box_in_him, tmp_path, capsys):
    out = tmp_path / "out.bvh"
    assert main(["simulate", str(box_in_him), "-o", str(out), "--duration", "1"]) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith('warning: at the start "abdomen" is 27 cm inside "crate" and "')
    assert line.endswith("they are pushed apart")
    made = load(out).sequences[0]
    assert np.abs(made.poses_at_frames(np.arange(31))[:, :3]).max() < 2.0


@pytest.mark.verify
def test_what_runs_away_is_refused_and_nothing_is_written(box_in_him, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("core.preview.overlaps.FASTEST", 0.1)
    out = tmp_path / "out.seq"
    assert main(["simulate", str(box_in_him), "-o", str(out), "--duration", "1"]) == 2
    reported = capsys.readouterr().err.splitlines()[-1]
    assert "the motion runs away at t = " in reported and '"abdomen" is 27 cm inside "crate"' in reported
    assert not out.exists()


@pytest.mark.verify
def test_a_method_is_chosen_and_what_it_leaves_out_is_reported(falling, tmp_path, capsys):
    out = tmp_path / "out.seq"
    words = ["simulate", str(falling), "-o", str(out), "--duration", "0.1"]
    assert main([*words, "--integrator", "rk4", "--formulation", "recursive", "--no-floor"]) == 0
    assert "warning: rk4 leaves out limits of joints\n" in capsys.readouterr().err
    made = load(out).sequences[0]
    fallen = made.pose_at_frame(2)[1] - made.pose_at_frame(5)[1]
    assert fallen == pytest.approx(0.5 * 9.81 * 0.1**2, abs=1e-6)
    assert main([*words, "--integrator", "euler"]) == 2
    assert "there is no integrator 'euler'; there are contact" in capsys.readouterr().err


@pytest.mark.verify
def test_contacts_by_a_method_stop_the_fall(falling, tmp_path, capsys):
    out = tmp_path / "out.seq"
    words = ["simulate", str(falling), "-o", str(out), "--duration", "0.1", "--integrator", "linearly_implicit"]
    assert main([*words, "--contacts", "frictionless"]) == 0
    assert "the floor" not in capsys.readouterr().err
    assert main([*words, "--contacts", "glue"]) == 2
    assert "there is no contact method 'glue'; there are none, frictionless" in capsys.readouterr().err
