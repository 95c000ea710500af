"""What the window does when something else changes, replaces or removes the open file: it asks, and loses nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QMessageBox

from app.document import Document
from app.document.files.model_files import DiskFile, OnDisk, content_of
from app.files.file_watch import ABSENT_LOOKS, MOST_LOOKS, Presence
from app.window.main_window import MainWindow

SOON = 5000  # [ms] at most until a notice comes, on a busy machine
QUIET_MS = 60  # in place of the program's: nothing here depends on how long it is, and all wait for it


@pytest.fixture
def clip(window: MainWindow, tmp_path: Path, skeletons_folder: Path) -> Path:
    """A file of one's own, open in the window."""
    path = tmp_path / "clips" / "clip.seq"
    path.parent.mkdir()
    shutil.copy(skeletons_folder / "library" / "Walks and runs" / "walk.seq", path)
    window.files.watch._look.setInterval(QUIET_MS)
    assert window.document.files.open(path)
    return path


@pytest.fixture
def theirs(tmp_path: Path, clip: Path) -> bytes:
    """The clip as somebody else has changed it."""
    other = Document()
    assert other.files.open(clip) and other.sequences.set_fps(17)
    copy = tmp_path / "copy" / "clip.seq"
    copy.parent.mkdir()
    assert other.files.save(copy)
    return copy.read_bytes()


@pytest.fixture(autouse=True)
def _no_boxes(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    boxes: list[str] = []
    monkeypatch.setattr(QMessageBox, "exec", lambda box: boxes.append(box.text()))
    yield boxes
    assert boxes == []  # everything is asked in a line


def edit(window: MainWindow) -> None:
    assert window.document.sequences.set_fps(window.document.sequence.fps + 1)


def answer(window: MainWindow, label: str) -> None:
    {button.text(): button for button in window.errors.choices}[label].click()


def labels(window: MainWindow) -> list[str]:
    return [button.text() for button in window.errors.choices]


# -- saving -----------------------------------------------------------------------------------------------------------


def test_a_save_over_what_another_program_saved_is_asked_about(
    window: MainWindow, clip: Path, theirs: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit(window)
    clip.write_bytes(theirs)
    assert not window.files.save()
    assert clip.read_bytes() == theirs and window.document.modified
    assert window.errors.text == "clip.seq was not saved: another program has changed it. Overwrite it?"
    assert labels(window) == ["Save as…", "Reload…", "Overwrite"]
    mine = clip.with_name("mine.seq")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(mine), ""))
    answer(window, "Save as…")
    assert mine.is_file() and clip.read_bytes() == theirs
    assert window.document.files.path == mine and not window.document.modified and not window.errors.question


@pytest.mark.verify
def test_overwriting_is_done_when_asked_for_and_once_only(window: MainWindow, clip: Path, theirs: bytes) -> None:
    edit(window)
    clip.write_bytes(theirs)
    assert not window.files.save()
    answer(window, "Overwrite")
    assert clip.read_bytes() != theirs and not window.document.modified and not window.errors.text
    edit(window)
    assert window.files.save()  # one's own file is one's own again
    clip.write_bytes(theirs)
    edit(window)
    assert not window.files.save() and clip.read_bytes() == theirs


def test_the_document_alone_does_not_write_over_either(window: MainWindow, clip: Path, theirs: bytes) -> None:
    edit(window)
    clip.write_bytes(theirs)
    assert not window.document.files.save()
    assert clip.read_bytes() == theirs and "changed by another program" in window.errors.text
    assert window.document.files.save(over=True) and clip.read_bytes() != theirs


def test_what_changes_while_the_new_file_is_written_is_not_lost(
    window: MainWindow, clip: Path, theirs: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    from core.formats import project

    write = project.project_text

    def slowly(*words: object) -> str:
        clip.write_bytes(theirs)
        return write(*words)

    edit(window)
    monkeypatch.setattr(project, "project_text", slowly)
    assert not window.files.save() and clip.read_bytes() == theirs
    assert sorted(path.name for path in clip.parent.iterdir()) == ["clip.seq"]


@pytest.mark.verify
def test_two_documents_of_one_process_do_not_write_over_each_other(window: MainWindow, clip: Path) -> None:
    other = Document()
    assert other.files.open(clip)
    edit(window)
    assert window.files.save()
    saved = clip.read_bytes()
    assert other.sequences.set_fps(50)
    assert not other.files.save() and clip.read_bytes() == saved


@pytest.mark.verify
def test_a_touched_file_with_the_same_content_is_saved_without_a_question(window: MainWindow, clip: Path) -> None:
    edit(window)
    os.utime(clip, (1, 1))
    assert window.files.save() and not window.errors.text
    data = clip.read_bytes()
    clip.unlink()
    clip.write_bytes(data)  # replaced by the same
    edit(window)
    assert window.files.save() and not window.errors.text


@pytest.mark.verify
def test_a_deleted_file_is_written_again(window: MainWindow, clip: Path) -> None:
    edit(window)
    clip.unlink()
    assert window.files.save() and clip.is_file() and not window.document.modified


@pytest.mark.parametrize("hindrance", ["read-only", "folder gone", "pipe"])
@pytest.mark.sampled(1)
def test_a_save_that_cannot_be_done_offers_another_name(window: MainWindow, clip: Path, hindrance: str) -> None:
    edit(window)
    if hindrance == "read-only":
        clip.chmod(0o444)
    elif hindrance == "folder gone":
        shutil.rmtree(clip.parent)
    else:
        clip.unlink()
        os.mkfifo(clip)
    before = clip.read_bytes() if hindrance == "read-only" else b""
    assert not window.files.save_over()
    assert window.document.modified and labels(window) == ["Save as…"]
    words = {"read-only": "read-only", "folder gone": "there is no folder", "pipe": "a named pipe"}
    assert words[hindrance] in window.errors.text and window.errors.text.startswith("clip.seq: cannot be written")
    if hindrance == "read-only":
        assert clip.read_bytes() == before


def test_a_name_without_a_suffix_does_not_replace_a_file_unasked(
    window: MainWindow, clip: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = clip.with_name("other.seq")
    there.write_text("precious")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(clip.with_name("other")), "Sequence (*.seq)"))
    assert not window.files.save_as()
    assert there.read_text() == "precious" and labels(window) == ["Replace", "Save as…"]
    answer(window, "Replace")
    assert there.read_text() != "precious" and window.document.files.path == there


# -- notices ----------------------------------------------------------------------------------------------------------


def reported(window: MainWindow, words: str) -> bool:
    return words in window.errors.text and bool(window.errors.choices)


@pytest.mark.parametrize("way", ["in place", "by a rename", "in many steps", "same size"])
@pytest.mark.sampled(1)
def test_a_change_is_reported_soon_and_can_be_reloaded(
    window: MainWindow, clip: Path, theirs: bytes, qtbot, way: str
) -> None:
    window.document.set_frame(4)
    if way == "in place":
        clip.write_bytes(theirs)
    elif way == "by a rename":
        fresh = clip.with_name("fresh")
        fresh.write_bytes(theirs)
        os.replace(fresh, clip)
    elif way == "in many steps":
        clip.unlink()
        qtbot.wait(QUIET_MS)
        for part in range(8):
            with clip.open("ab") as stream:
                stream.write(theirs[part * len(theirs) // 8 : (part + 1) * len(theirs) // 8])
            qtbot.wait(QUIET_MS // 3)
            assert not window.errors.text
    else:
        mine = clip.read_bytes()
        changed = mine.replace(b'"fps": 30', b'"fps": 17')
        assert changed != mine and len(changed) == len(mine)
        with clip.open("r+b") as stream:
            stream.write(changed)
    qtbot.waitUntil(lambda: reported(window, "clip.seq was changed by another program"), timeout=SOON)
    assert labels(window) == ["Reload", "Keep mine", "Save as…"]
    answer(window, "Reload")
    assert window.document.sequence.fps == 17 and window.document.frame == 4 and not window.document.modified
    assert not window.errors.question
    edit(window)
    assert window.files.save()


def test_what_was_changed_here_too_is_not_reloaded_before_it_was_asked_again(
    window: MainWindow, clip: Path, theirs: bytes, qtbot
) -> None:
    edit(window)
    fps = window.document.sequence.fps
    clip.write_bytes(theirs)
    qtbot.waitUntil(lambda: reported(window, "and also here"), timeout=SOON)
    answer(window, "Reload…")
    assert "lose your changes" in window.errors.text and window.document.sequence.fps == fps
    answer(window, "Cancel")
    assert window.document.sequence.fps == fps and window.document.modified
    assert not window.files.save() and clip.read_bytes() == theirs
    answer(window, "Reload…")
    answer(window, "Reload")
    assert window.document.sequence.fps == 17 and not window.document.modified


def test_keep_mine_goes_on_and_still_asks_before_it_overwrites(
    window: MainWindow, clip: Path, theirs: bytes, qtbot
) -> None:
    clip.write_bytes(theirs)
    qtbot.waitUntil(lambda: reported(window, "changed by another program"), timeout=SOON)
    answer(window, "Keep mine")
    assert window.document.modified  # closing would lose what no file holds
    os.utime(clip)
    qtbot.wait(QUIET_MS * 4)
    assert not window.errors.text  # asked once about one content
    assert not window.files.save() and clip.read_bytes() == theirs


@pytest.mark.verify
def test_one_s_own_saves_and_touches_are_no_changes(window: MainWindow, clip: Path, qtbot) -> None:
    for _ in range(3):
        edit(window)
        assert window.files.save()
        qtbot.wait(QUIET_MS // 2)
    os.utime(clip, (1, 1))
    clip.with_name("neighbour.png").write_bytes(b"other")
    qtbot.wait(QUIET_MS * 4)
    assert not window.errors.text


@pytest.mark.verify
def test_a_change_that_is_taken_back_is_not_asked_about_any_more(
    window: MainWindow, clip: Path, theirs: bytes, qtbot
) -> None:
    mine = clip.read_bytes()
    clip.write_bytes(theirs)
    qtbot.waitUntil(lambda: reported(window, "changed by another program"), timeout=SOON)
    clip.write_bytes(mine)
    qtbot.waitUntil(lambda: not window.errors.text, timeout=SOON)


def test_a_file_that_never_comes_to_rest_is_reported_in_the_end(window: MainWindow, clip: Path, qtbot) -> None:
    count = 0
    while not window.errors.text and count < 4 * MOST_LOOKS:
        count += 1
        with clip.open("ab") as stream:
            stream.write(b" ")
        qtbot.wait(QUIET_MS // 2)
    assert reported(window, "changed by another program")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("whole", [False, True])
def test_a_file_that_is_gone_is_reported_and_counts_as_unsaved(
    window: MainWindow, clip: Path, qtbot, whole: bool, _no_boxes: list[str]
) -> None:
    assert not window.document.modified
    shutil.rmtree(clip.parent) if whole else clip.unlink()
    qtbot.waitUntil(lambda: reported(window, "clip.seq is no longer there"), timeout=SOON + ABSENT_LOOKS * QUIET_MS)
    assert window.document.modified
    assert labels(window) == (["Save as…"] if whole else ["Save again", "Save as…"])
    if not whole:
        answer(window, "Save again")
        assert clip.is_file() and not window.document.modified


def test_the_question_outlasts_other_messages(window: MainWindow, clip: Path, theirs: bytes, qtbot) -> None:
    clip.write_bytes(theirs)
    qtbot.waitUntil(lambda: reported(window, "changed by another program"), timeout=SOON)
    window.show_message("warning", "Something else")
    assert window.errors.text == "Something else"
    window.errors.close_message()
    assert reported(window, "changed by another program")


@pytest.mark.verify
def test_a_question_about_a_file_goes_with_it(
    window: MainWindow, clip: Path, theirs: bytes, qtbot, skeletons_folder: Path
) -> None:
    clip.write_bytes(theirs)
    qtbot.waitUntil(lambda: reported(window, "changed by another program"), timeout=SOON)
    assert window.files.open_path(skeletons_folder / "stickman.scr")
    assert not window.errors.text and not window.errors.question


def test_the_choices_are_reached_by_keyboard(window: MainWindow, clip: Path, theirs: bytes, qtbot) -> None:
    clip.write_bytes(theirs)
    qtbot.waitUntil(lambda: reported(window, "changed by another program"), timeout=SOON)
    window.area.work_view.setFocus()
    for _ in range(20):
        window.edits.next_region()
        if window.focusWidget() in window.errors.choices:
            break
    assert window.focusWidget() in window.errors.choices


# -- two editors ------------------------------------------------------------------------------------------------------

OTHER = """
import sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from app.files.file_watch import Presence
app = QCoreApplication([])
app.setApplicationName(sys.argv[2]); app.setOrganizationName(sys.argv[3])
presence = Presence()
print(presence.claim(Path(sys.argv[1])), flush=True)
sys.stdin.readline()
"""


@pytest.mark.verify
def test_a_file_that_another_editor_has_open_is_reported(window: MainWindow, clip: Path, qtbot, qapp) -> None:
    words = [sys.executable, "-c", OTHER, str(clip), qapp.applicationName(), qapp.organizationName()]
    root = Path(__file__).resolve().parents[2]
    with subprocess.Popen(words, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "True\n"
        window.remember = True
        try:
            window.document.files.new()
            assert window.document.files.open(clip)
            qtbot.waitUntil(lambda: reported(window, "clip.seq is open in another editor too"), timeout=SOON)
            window.document.files.new()
            assert not window.errors.question
        finally:
            window.remember = False
        other.kill()
    mine = Presence()
    assert mine.claim(clip)  # what a dead editor has said does not count
    mine.release()


def test_a_file_is_compared_by_content(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "a.seq"
    path.parent.mkdir()
    path.write_bytes(b"one")
    disk = DiskFile(path, content_of(path))
    assert disk.state() is OnDisk.SAME and disk.untouched()
    path.write_bytes(b"two")
    assert disk.state() is OnDisk.CHANGED and not disk.untouched()
    path.unlink()
    assert disk.state() is OnDisk.GONE
    path.mkdir()
    assert disk.state() is OnDisk.CHANGED
    path.rmdir()
    path.parent.rmdir()
    assert disk.state() is OnDisk.NO_FOLDER
    assert DiskFile(path, None).state() is OnDisk.NO_FOLDER


@pytest.mark.verify
def test_saving_to_the_library_does_not_write_over_what_another_program_saved(
    window: MainWindow, theirs: bytes, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    library = window.library.panel.library
    monkeypatch.setattr(type(library), "prepare", lambda _library, _menu, _name: tmp_path / "mine.seq")
    edit(window)
    assert window.library.save_as("mine", "Menu")
    (tmp_path / "mine.seq").write_bytes(theirs)
    edit(window)
    assert not window.library.save_as("mine", "Menu") and (tmp_path / "mine.seq").read_bytes() == theirs
    assert "Overwrite" in labels(window)
