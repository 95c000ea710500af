"""Motion files of other programs on the command line: what is found in them is said, and may be said otherwise."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from app.cli import main
from core.formats import Project, load, save
from core.kinematics import forward_kinematics


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]):
    def run(*words: object) -> tuple[int, str, str]:
        code = main([str(word) for word in words])
        reported = capsys.readouterr()
        return code, reported.out, reported.err

    return run


@pytest.fixture
def zombie(data_folder: Path) -> Path:
    return data_folder / "bvh" / "z_up_zombie.bvh"


@pytest.fixture
def fight(data_folder: Path) -> Path:
    return data_folder / "bvh" / "mh_fight01_1frame.bvh"


def places(project: Project) -> np.ndarray:
    sequence = project.sequences[0]
    return forward_kinematics(sequence.skeleton, np.array([key.q for key in sequence.keys[::40]]))[..., :3, 3]


def test_info_says_which_way_is_up_and_how_tall_it_would_be(run, zombie: Path) -> None:
    code, out, err = run("info", zombie)
    assert code == 0 and "z in the file, turned to y" in out
    assert "z points up in this file, so it was turned; --up y" in err
    assert "46.3 m tall" in err and "--height 1.7" in err
    code, out, err = run("info", zombie, "--height", "1.7", "--up", "z")
    assert code == 0 and err == "" and "1.700 m high" in out


def test_info_gives_programs_too(run, zombie: Path) -> None:
    _, out, _ = run("info", zombie, "--json")
    reported = json.loads(out)["imported"]
    assert (reported["up"], reported["found_up"], reported["up_sure"], reported["doubts"]) == ("z", "z", True, ["size"])


def test_convert_puts_it_upright_on_the_floor_facing_the_front(run, zombie: Path, tmp_path: Path) -> None:
    target = tmp_path / "up.seq"
    words = ("--height", "1.7", "--on-floor", "lowest", "--face", "first")
    code, _, _ = run("convert", zombie, target, *words)
    assert code == 0
    at = places(load(target))
    assert 0.0 < at[..., 1].min() < 0.1 and 1.4 < at[..., 1].max() < 1.8
    code, _, err = run("check", zombie, "--up", "y")
    assert code == 0 and "turned" not in err


@pytest.mark.parametrize("words", [("--up", "-z"), ("--up=-z",)])
def test_an_axis_may_point_backwards(run, zombie: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    code, _, _ = run("convert", zombie, tmp_path / "down.seq", *words)
    assert code == 0
    assert places(load(tmp_path / "down.seq"))[..., 1].max() < 0.0


def test_displacements_are_said_and_may_be_taken_otherwise(run, fight: Path) -> None:
    code, out, err = run("info", fight)
    assert code == 0 and "489 DOF" in out and "64.83 kg" in out
    assert "--positions replace" in err and "the feet are 0.88 m below the floor; --on-floor lowest" in err
    code, out, err = run("info", fight, "--positions", "replace")
    assert code == 0 and "975 DOF" in out and "--positions" not in err


@pytest.mark.parametrize("unit", [0.001, 1.0 / 39.0])
def test_a_doubtful_size_names_the_option_to_give(run, data_folder: Path, tmp_path: Path, unit: float) -> None:
    project = load(data_folder / "bvh" / "walk01.bvh")
    project.unit = unit if unit == 0.001 else 50.0
    save(project, tmp_path / "odd.bvh")
    _, _, err = run("check", tmp_path / "odd.bvh")
    if unit == 0.001:
        assert "in millimetres it would be 1.87 m: --unit mm" in err
    else:
        assert "0.0374 m tall" in err and "--height 1.7" in err


def test_files_that_leave_nothing_open_say_nothing(run, data_folder: Path, skeletons_folder: Path) -> None:
    for file in ("bvh/walk01.bvh", "bvh/cmu_jumping_jacks.bvh", "asfamc/02.asf"):
        assert run("check", data_folder / file)[2] == "", file
    assert run("check", skeletons_folder / "human.scr")[2] == ""


def test_frames_rate_and_the_result_s_own_axes(run, data_folder: Path, skeletons_folder: Path, tmp_path: Path) -> None:
    motion, target = data_folder / "asfamc" / "02_03.amc", tmp_path / "part.seq"
    words = ("--frames", "20:119", "--rate", "60", "--fps", "30", "--on-floor", "first")
    assert run("convert", motion, target, *words)[0] == 0
    sequence = load(target).sequences[0]
    assert (sequence.fps, sequence.range) == (30, (0, 49))
    walk, out = skeletons_folder / "library" / "Walks and runs" / "walk.seq", tmp_path / "walk.bvh"
    assert run("convert", walk, out, "--frames", "4:20", "--write-unit", "cm", "--write-up", "z")[0] == 0
    found = load(out, up="auto", positions="auto")
    assert found.imported is not None and (found.imported.up, found.unit) == ("z", 0.01)
    assert found.sequences[0].range == (0, 16)
    code, _, err = run("convert", walk, tmp_path / "walk.glb", "--write-up", "z")
    assert code == 2 and "a .glb file is in metres with y up" in err and not (tmp_path / "walk.glb").exists()
    code, _, err = run("convert", walk, tmp_path / "walk.seq", "--write-unit", "cm")
    assert code == 2 and "cannot be chosen" in err
    with pytest.raises(SystemExit):
        run("convert", motion, target, "--rate", "0")


def test_a_figure_is_left_out(run, skeletons_folder: Path, tmp_path: Path) -> None:
    walk = load(skeletons_folder / "library" / "Walks and runs" / "walk.seq")
    walk.figures.append(load(skeletons_folder / "arm7.scr").figures[0])
    save(walk, tmp_path / "two.seq")
    for name, count in (("two.bvh", 2), ("one.bvh", 1), ("one.seq", 1)):
        hidden = () if count == 2 else ("--hide", "arm7")
        assert run("convert", tmp_path / "two.seq", tmp_path / name, *hidden)[0] == 0
        assert len(load(tmp_path / name).figures) == count, name
    code, _, err = run("convert", tmp_path / "two.seq", tmp_path / "x.bvh", "--hide", "nobody")
    assert code == 2 and 'there is no figure "nobody"; there are human, arm7' in err


def test_choices_exclude_each_other(run, zombie: Path) -> None:
    with pytest.raises(SystemExit) as caught:
        run("info", zombie, "--unit", "m", "--height", "2")
    assert caught.value.code == 2
    with pytest.raises(SystemExit):
        run("info", zombie, "--up", "w")


def test_render_and_simulate_read_it_the_same_way(run, zombie: Path, tmp_path: Path, monkeypatch) -> None:
    target = tmp_path / "fall.seq"
    code, _, err = run("simulate", zombie, "-o", target, "--height", "1.7", "--duration", "0.1")
    assert code == 0 and "z points up" in err
    assert 0.0 < places(load(target))[..., 1].max() < 2.0


def test_screenshot_opens_the_window_on_the_figure_as_it_was_chosen(run, zombie: Path, tmp_path: Path, monkeypatch):
    seen = []
    monkeypatch.setattr("app.window.editor.take_screenshot", lambda *given, **how: seen.append(how["choices"]))
    code, _, err = run("screenshot", zombie, tmp_path / "a.png", "--height", "1.7", "--face", "first")
    assert code == 0 and "z points up" in err
    assert (seen[0].height, seen[0].up, seen[0].facing) == (1.7, "auto", "first")


@pytest.mark.parametrize("suffix", [".glb", ".seq"])
def test_options_that_make_no_difference_are_named(run, suffix: str, skeletons_folder: Path, tmp_path: Path) -> None:
    """A file that this program wrote is read as it was; what is used otherwise is not named."""
    path = tmp_path / f"own{suffix}"
    project = load(skeletons_folder / "library" / "Walks and runs" / "walk.seq")
    if suffix == ".glb":
        pytest.importorskip("pygltflib", reason="the package pygltflib is not installed")
    save(project, path)
    before = places(load(path))
    found = load(path, up="z", height=3.0, positions="auto", first=2)
    assert found.ignored == ("height", "up", "first") and np.array_equal(places(found), before)
    code, _, err = run("info", path, "--up", "z", "--height", "3")
    assert code == 0
    text = "--height and --up make no difference: files of this program are read as they are"
    assert err == f"warning: own{suffix}: {text}\n"
    code, _, err = run("convert", path, tmp_path / "out.bvh", "--on-floor", "lowest", "--unit", "cm", "--frames", "0:4")
    assert code == 0 and "no difference" not in err
    code, _, err = run("convert", path, tmp_path / "out.seq", "--on-floor", "lowest")
    assert code == 0 and f"own{suffix}: --on-floor makes no difference" in err
    code, _, err = run("info", path)
    assert code == 0 and err == ""
