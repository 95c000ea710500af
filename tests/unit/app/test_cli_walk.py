"""``sequence-editor walk``: a figure in, a file with its walk out, one line on bad input."""

from __future__ import annotations

import numpy as np
import pytest

from app.cli import main
from core.formats import load
from core.gait.procedural import rules_of
from core.kinematics.forward import forward_kinematics


def test_a_figure_walks_over_a_mesh(skeletons_folder, tmp_path, capsys):
    mesh, out = tmp_path / "ramp.obj", tmp_path / "walk.seq"
    mesh.write_text("v -5 0 -1\nv -5 2 19\nv 5 2 19\nv 5 0 -1\nf 1 2 3 4\n")
    words = ["walk", str(skeletons_folder / "human.scr"), "-o", str(out), "--steps", "4", "--speed", "1.1"]
    assert main([*words, "--ground", str(mesh)]) == 0
    assert capsys.readouterr().out.startswith(f"{out}: 4 steps of 0.65 m, 101 a minute, 1.10 m/s; ")
    made = load(out).sequences[0]
    rules = rules_of(made)
    assert rules is not None and rules.manner.steps == 4
    last = forward_kinematics(made.skeleton, made.pose_at_frame(made.range[1]))[0, :3, 3]
    start = forward_kinematics(made.skeleton, made.pose_at_frame(0))[0, :3, 3]
    assert last[1] - start[1] == pytest.approx(0.1 * (last[2] - start[2]), abs=0.01) and last[2] - start[2] > 1.5
    assert main(["check", str(out)]) == 0


@pytest.mark.verify
def test_the_same_words_make_the_same_file(skeletons_folder, tmp_path, capsys):
    words = ["walk", str(skeletons_folder / "woman.scr"), "--steps", "2", "--under-way", "-o"]
    a, b = tmp_path / "a.seq", tmp_path / "b.seq"
    assert main([*words, str(a)]) == 0 and main([*words, str(b)]) == 0
    assert a.read_bytes() == b.read_bytes()
    poses = load(a).sequences[0].poses_at_frames([0, 1])
    assert np.abs(poses[1] - poses[0]).max() > 0.01


@pytest.mark.verify
def test_a_path_is_followed_to_its_end(skeletons_folder, tmp_path, capsys):
    out, path = tmp_path / "walk.seq", tmp_path / "path.txt"
    path.write_text("0,0\n0,1\n0.6,1.6\n")
    assert main(["walk", str(skeletons_folder / "human.scr"), "-o", str(out), "--path", str(path)]) == 0
    made = load(out).sequences[0]
    rules = rules_of(made)
    assert rules is not None and rules.manner.path == ((0.0, 0.0), (0.0, 1.0), (0.6, 1.6))
    last = made.pose_at_frame(made.range[1])[[0, 2]]
    assert np.linalg.norm(last - [0.6, 1.6]) < 0.08


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("figure", "words", "says"),
    [
        ("stickman", ["--gait", "run"], "knee"),
        ("horse", ["--gait", "run"], "there is no run"),
        ("robot", ["--gait", "idle"], "stands on 0 feet"),
        ("human", ["--ground", "none.obj"], "cannot be read"),
        ("human", ["--speed", "2", "--step-length", "0.5", "--step-rate", "1"], "leave one of the three out"),
        ("human", ["--path", "0,0 1,x"], '"1,x" is no point of a path'),
        ("human", ["--figure", "nobody"], 'no figure "nobody"'),
    ],
)
def test_bad_input_gets_one_line(figure, words, says, skeletons_folder, tmp_path, capsys):
    out = tmp_path / "out.seq"
    assert main(["walk", str(skeletons_folder / f"{figure}.scr"), "-o", str(out), *words]) == 2
    error = capsys.readouterr().err
    assert says in error and error.count("\n") == 1 and not out.exists()
