"""What the window says and remembers as files are opened and saved, one after the other."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.main_window import MainWindow

BVH = """HIERARCHY
ROOT base
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT top
  {
    OFFSET 0 85 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 85 0
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.0333333
0 0 0 0 0 0 0 0 0
0 0 0 0 0 0 0 0 10
"""


@pytest.fixture
def motion(tmp_path: Path) -> Path:
    """A motion file whose unit is plain."""
    path = tmp_path / "motions" / "pole.bvh"
    path.parent.mkdir()
    path.write_text(BVH)
    return path


# -- opening ----------------------------------------------------------------------------------------------------------


def test_nothing_is_selected_in_a_newly_opened_file(window: MainWindow, skeletons_folder: Path) -> None:
    keys = window.timeline.model
    window.document.set_selection(["head"])
    keys.select([0])
    assert keys.selected == {0}
    seen = []
    window.document.changed.connect(lambda change: seen.append(change.kind))
    assert window.files.open_path(skeletons_folder / "library" / "Gestures" / "wave.seq")
    assert 0 in keys.frames and "head" in window.document.skeleton.joint_names  # so that they could have stayed
    assert not keys.selected and not window.document.selection
    assert "selection" in seen


def test_of_several_files_one_is_opened_and_the_others_are_named(window: MainWindow, skeletons_folder: Path) -> None:
    files = [skeletons_folder / f"{name}.scr" for name in ("stickman", "human", "horse", "bird", "robot")]
    window.open_files(files)
    assert window.document.skeleton.name == "stickman"
    opened, _, left_out = window.errors.text.partition("; ")
    assert opened == "Opened stickman.scr"
    assert left_out == "one file at a time, left out: human.scr, horse.scr, bird.scr and 1 more"


def test_a_file_that_cannot_be_opened_is_not_said_to_be_open(
    window: MainWindow, tmp_path: Path, skeletons_folder: Path
) -> None:
    bad = tmp_path / "bad.scr"
    bad.write_text("nonsense\n")
    window.open_files([bad, skeletons_folder / "human.scr"])
    assert window.errors.text.startswith("bad.scr:1") and "Opened" not in window.status.state.text


def test_what_was_left_out_does_not_cover_a_question(window: MainWindow, tmp_path: Path, motion: Path) -> None:
    doubtful = tmp_path / "doubtful.bvh"
    doubtful.write_text(BVH.replace("85", "25"))
    window.open_files([doubtful, motion])
    assert window.errors.choices and "How large is the figure?" in window.errors.text
    assert "left out: pole.bvh" in window.status.state.text


def test_the_time_of_saving_belongs_to_the_file_that_was_saved(window: MainWindow, tmp_path: Path) -> None:
    first, second = tmp_path / "first.seq", tmp_path / "second.seq"
    assert window.document.save(second) and window.document.save(first)
    assert window.files.save()
    assert window.menu._saved.text().startswith("Saved")
    assert window.files.open_path(second)
    assert window.menu._saved.text() == ""
    assert window.files.save()
    assert window.menu._saved.text().startswith("Saved")
