"""What the window says and remembers as files are opened and saved, one after the other."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QMessageBox

from app.actions.motion import read_trails
from app.dialogs.export_dialog import ExportDialog
from app.document.edits import joint_edits
from app.document.files.recent import RecentFiles
from app.window.main_window import MainWindow
from tests.support.changes import kind_of

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
    window.document.selection.set(["head"])
    keys.select([0])
    assert keys.selected.frames == (0,)
    seen = []
    window.document.changed.connect(lambda change: seen.append(kind_of(change)))
    assert window.files.open_path(skeletons_folder / "library" / "Gestures" / "wave.seq")
    assert 0 in keys.frames and "head" in window.document.skeleton.joint_names  # so that they could have stayed
    assert not keys.selected and not window.document.selection.joints
    assert "selection" in seen


def test_of_several_files_one_is_opened_and_the_others_are_named(window: MainWindow, skeletons_folder: Path) -> None:
    files = [skeletons_folder / f"{name}.scr" for name in ("stickman", "human", "horse", "bird", "robot")]
    window.open_files(files)
    assert window.document.skeleton.name == "stickman"
    opened, _, left_out = window.errors.text.partition("; ")
    assert opened == "Opened stickman.scr"
    assert left_out == "one file at a time, these were left out: human.scr, horse.scr, bird.scr and 1 more"


@pytest.mark.verify
def test_figures_of_other_programs_are_read_beside_the_window(
    window: MainWindow, qtbot, tmp_path: Path, motion: Path, skeletons_folder: Path
) -> None:
    window.open_files([skeletons_folder / "stickman.scr"])
    document = window.document
    window.files.read_figure(motion, document.files.put_beside)
    assert window.background.busy and len(document.model.figures) == 1
    qtbot.waitUntil(lambda: not window.background.busy)
    assert len(document.model.figures) == 2 and document.stack.index() == 1
    bad = tmp_path / "bad.bvh"
    bad.write_text("nonsense\n")
    window.files.read_figure(bad, document.files.take_figure)
    qtbot.waitUntil(lambda: not window.background.busy)
    assert len(document.model.figures) == 2 and window.errors.text.startswith("bad.bvh:1")


def test_a_file_that_cannot_be_opened_is_not_said_to_be_open(
    window: MainWindow, tmp_path: Path, skeletons_folder: Path
) -> None:
    bad = tmp_path / "bad.scr"
    bad.write_text("nonsense\n")
    window.open_files([bad, skeletons_folder / "human.scr"])
    assert window.errors.text.startswith("bad.scr:1") and "Opened" not in window.status.state.text


@pytest.mark.verify
def test_what_was_left_out_waits_for_the_answer(window: MainWindow, tmp_path: Path, motion: Path) -> None:
    doubtful = tmp_path / "doubtful.bvh"
    doubtful.write_text(BVH.replace("85", "25"))
    window.open_files([doubtful, motion])
    imports = window.files._opening.imports
    assert imports.dialog is not None and "left out" not in window.errors.text
    imports.dialog.remember.setChecked(False)  # the window is shared
    imports.dialog.accept()
    assert window.document.files.origin == doubtful
    assert "left out: pole.bvh" in window.errors.text


@pytest.mark.verify
def test_what_was_left_out_does_not_cover_what_was_assumed(window: MainWindow, motion: Path, data_folder: Path) -> None:
    window.open_files([data_folder / "bvh" / "pybvh_mixed_orders.bvh", motion])
    assert [button.text() for button in window.errors.choices] == ["Face front", "Change…"]
    assert "left out: pole.bvh" in window.status.state.text
    {button.text(): button for button in window.errors.choices}["Face front"].click()
    assert window.document.model.imported.choices.facing is not None
    assert "left out" not in window.status.state.text + window.errors.text, "it is said once"


@pytest.mark.verify
def test_the_time_of_saving_belongs_to_the_file_that_was_saved(window: MainWindow, tmp_path: Path) -> None:
    first, second = tmp_path / "first.seq", tmp_path / "second.seq"
    assert window.document.files.save(second) and window.document.files.save(first)
    assert window.files.save()
    assert window.menu._saved.text().startswith("Saved")
    assert window.files.open_path(second)
    assert window.menu._saved.text() == ""
    assert window.files.save()
    assert window.menu._saved.text().startswith("Saved")


@pytest.mark.verify
def test_kept_trails_come_back_with_their_file_and_stay_out_of_others(window: MainWindow, tmp_path: Path) -> None:
    document, other, mine = window.document, tmp_path / "other.seq", tmp_path / "mine.seq"
    assert document.files.save(other) and document.files.save(mine)
    kept = (document.skeleton.joint_index("right hand"), document.skeleton.joint_index("left toes"))
    document.session.view.trail_parts = kept
    assert window.files.save()
    assert window.files.open_path(other) and document.session.view.trail_parts == ()
    assert window.files.open_path(mine) and document.session.view.trail_parts == tuple(sorted(kept))
    document.session.view.trail_parts = ()
    assert window.files.save() and window.files.open_path(mine) and document.session.view.trail_parts == ()
    for damaged in ("right hand", ["no such part", 3], {"a": 1}):
        document.model.view["trails"] = damaged
        read_trails(document)
        assert document.session.view.trail_parts == ()


def test_an_imported_file_is_titled_by_its_own_name(window: MainWindow, motion: Path, tmp_path: Path) -> None:
    document = window.document
    assert window.files.open_path(motion)
    assert (
        document.files.title == "pole.bvh (imported)"
        and document.files.path is None
        and document.files.origin == motion
    )
    assert window.windowTitle() == "pole.bvh (imported) — Sequence Editor"
    document.keys.delete([document.sequence.keys[1].frame])
    assert document.files.title == "pole.bvh (imported) •"
    document.history.undo()
    assert document.files.title == "pole.bvh (imported)"
    assert document.files.save(tmp_path / "pole.seq")
    assert document.files.title.startswith("pole.seq — ")
    document.files.new()
    assert document.files.title == "Untitled" and document.files.origin is None


# -- where files go ---------------------------------------------------------------------------------------------------


class Kept:
    """Settings in memory."""

    def __init__(self) -> None:
        self.values: dict[str, object] = {}

    def value(self, name: str, default: object = None) -> object:
        return self.values.get(name, default)

    def set_value(self, name: str, value: object) -> None:
        self.values[name] = value


@pytest.fixture
def starts(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Where the save dialogs began; each is cancelled."""
    asked: list[Path] = []

    def answer(_parent: object, _title: str, start: str, _filter: str) -> tuple[str, str]:
        asked.append(Path(start))
        return "", ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", answer)
    monkeypatch.setattr(ExportDialog, "exec", lambda _box: QDialog.DialogCode.Accepted)
    return asked


def test_files_go_beside_what_was_opened(window: MainWindow, motion: Path, starts: list[Path]) -> None:
    window.files.open_path(motion)
    for action in ("save", "save_as", "save_figure", "export_movie", "export_picture"):
        window.action_table[action].trigger()
    folder = motion.parent
    assert starts == [folder / f"pole{suffix}" for suffix in (".seq", ".seq", ".scr", ".mp4", ".png")]


def test_files_of_a_sample_go_where_the_last_file_was_else_home(
    window: MainWindow, motion: Path, starts: list[Path], skeletons_folder: Path
) -> None:
    window.action_table["save_as"].trigger()
    window.files.recent = RecentFiles(Kept())
    window.files.recent.add(motion)
    window.files.recent.add(skeletons_folder / "human.scr")
    window.action_table["save_as"].trigger()
    window.document.files.new()
    window.files.save_as()
    assert starts == [Path.home() / "walk.seq", motion.parent / "walk.seq", motion.parent / "Untitled.seq"]


@pytest.mark.verify
def test_the_folder_of_an_export_is_kept_for_the_document_it_was_chosen_for(
    window: MainWindow, motion: Path, starts: list[Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    window.files.open_path(motion)
    exports = window.files._exports
    monkeypatch.setattr(exports, "begin", lambda *_: True)
    ask = QFileDialog.getSaveFileName
    movies = tmp_path / "movies"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *words: (ask(*words), (str(movies / "a.mp4"), ""))[1])
    exports.movie()
    exports.movie()
    other = tmp_path / "other.bvh"
    other.write_text(BVH)
    window.files.open_path(other)
    exports.movie()
    assert starts == [motion.with_suffix(".mp4"), movies / "pole.mp4", other.with_suffix(".mp4")]


# -- what is left unsaved ---------------------------------------------------------------------------------------------


@pytest.fixture
def questions(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """What the window asks about unsaved work; each is answered with Discard."""
    asked: list[tuple[str, str]] = []

    def answer(box: QMessageBox) -> QMessageBox.StandardButton:
        asked.append((box.text(), box.informativeText()))
        return QMessageBox.StandardButton.Discard

    monkeypatch.setattr(QMessageBox, "exec", answer)
    monkeypatch.setattr(window, "remember", True)
    yield asked
    window.remember = False


def _save_figure(window: MainWindow, monkeypatch: pytest.MonkeyPatch, target: Path) -> None:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(target), ""))
    window.action_table["save_figure"].trigger()
    assert target.is_file()


@pytest.mark.verify
def test_a_figure_that_was_saved_is_not_asked_about(
    window: MainWindow, questions: list, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, skeletons_folder: Path
) -> None:
    document = window.document
    document.files.open(skeletons_folder / "stickman.scr")
    assert document.figures.edit(joint_edits.added("head", "hat"), "Add hat")
    assert document.modified and window.files.may_discard() and len(questions) == 1
    _save_figure(window, monkeypatch, tmp_path / "mine.scr")
    assert not document.modified and not document.files.title.endswith("•")
    assert window.files.may_discard() and len(questions) == 1
    assert document.files.origin == tmp_path / "mine.scr"
    document.history.undo()
    assert document.modified
    document.history.redo()
    assert not document.modified
    document.sequences.set_fps(25)  # of which a figure's file knows nothing
    _save_figure(window, monkeypatch, tmp_path / "mine.scr")
    assert document.modified


@pytest.mark.verify
def test_keys_beside_a_saved_figure_are_asked_about_in_other_words(
    window: MainWindow, questions: list, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, skeletons_folder: Path
) -> None:
    document = window.document
    document.files.open(skeletons_folder / "stickman.scr")
    q = np.array(document.pose)
    q[1] += 0.1
    document.posing.set(q)
    _save_figure(window, monkeypatch, tmp_path / "mine.scr")
    assert document.modified and window.files.may_discard()
    assert questions == [("Save the changes to this sequence too?", "mine.scr contains only the figure.")]
    document.figures.edit(joint_edits.added("head", "hat"), "Add hat")
    window.files.may_discard()
    assert questions[1:] == [("Save the changes to this sequence?", "")]
    document.history.undo()
    assert document.files.figure_saved == tmp_path / "mine.scr"


def test_a_journal_begun_after_a_figure_was_saved_still_holds_the_work(
    window: MainWindow, tmp_path: Path, skeletons_folder: Path
) -> None:
    from app.document.document import Document
    from app.document.files.journal import read_journal

    document = Document()
    document.files.open(skeletons_folder / "stickman.scr")
    document.figures.edit(joint_edits.added("head", "hat"), "Add hat")
    assert document.files.save(tmp_path / "mine.scr") and not document.modified
    assert document.files.start_journal(tmp_path / "journals")
    path = next((tmp_path / "journals").glob("*.journal"))
    _, records = read_journal(path)
    assert [next(iter(record)) for record in records] == ["do"]
    other = Document()
    assert other.files.recover(path) and other.files.path is None and "hat" in other.skeleton.joint_names
    document.files.close()


def test_the_empty_window_names_every_kind_of_file_it_takes(window: MainWindow) -> None:
    from app.actions.files import READABLE

    window.document.files.new()
    QApplication.processEvents()
    hint = window.files.gallery.hint
    assert hint.isVisible() and all(f" {suffix}" in hint.text() for suffix in READABLE)
    assert hint.sizeHint().width() <= hint.width()
