"""After a crash the work is offered in a line that covers nothing, by the clip's own name."""

from __future__ import annotations

import datetime
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMessageBox

from app.document import Document
from app.document.files.journal import JournalLeft, default_folder, journals_left
from app.files.recovery import offer_text, when_text
from app.window.main_window import MainWindow


@pytest.fixture
def remembering(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> Iterator[MainWindow]:
    """The window as it is outside of tests; a box would be an error."""

    def box(_box: QMessageBox) -> None:
        raise AssertionError("a modal box")

    monkeypatch.setattr(QMessageBox, "exec", box)
    window.remember = True
    assert window.document.files.start_journal()
    yield window
    window.remember = False
    window.document.files._journal.remove()
    window.document.files._journal = None
    window.recovery_line.clear()
    window.recovery._later.clear()


def crashed(path: Path, edits: int) -> Path:
    """Leave the journal of an editor behind that ended with unsaved edits of a file."""
    document = Document()
    assert document.files.open(path) and document.files.start_journal()
    journal = document.files._journal
    for number in range(edits):
        assert document.sequences.set_fps(40 + number)
    journal.release()  # as the system does when a process dies
    document.files._journal = None
    return journal.path


@pytest.fixture
def run(tmp_path: Path, skeletons_folder: Path) -> Path:
    return Path(shutil.copy(skeletons_folder / "library" / "Walks and runs" / "run.seq", tmp_path / "my run.seq"))


def press(window: MainWindow, label: str) -> None:
    {button.text(): button for button in window.recovery_line.choices}[label].click()


def test_nothing_is_offered_after_a_clean_end(remembering: MainWindow) -> None:
    assert not remembering.offer_recovery() and remembering.recovery_line.isHidden()


def test_the_clip_is_offered_by_name_beside_everything_else(remembering: MainWindow, run: Path, qtbot) -> None:
    window, area = remembering, remembering.area
    crashed(run, 3)
    assert window.offer_recovery()
    qtbot.wait(20)
    line = window.recovery_line
    assert line.isVisible() and "my run.seq had 3 unsaved edits, last changed today at" in line.text
    below = line.mapTo(window, QPoint(0, line.height())).y()
    assert below <= area.mapTo(window, QPoint(0, 0)).y()  # it covers nothing
    assert window.document.sequences.set_fps(12)  # and work goes on
    window.document.history.undo()
    press(window, "Recover")
    assert window.document.files.path == run.resolve() and window.document.sequence.fps == 42
    assert window.document.modified and window.document.stack.count() == 3
    assert line.isHidden() and journals_left() == []


def test_several_crashes_are_offered_one_after_the_other(
    remembering: MainWindow, run: Path, skeletons_folder: Path, tmp_path: Path
) -> None:
    window = remembering
    crashed(run, 2)
    second = Path(shutil.copy(run, tmp_path / "second.seq"))
    crashed(second, 1)
    figure = crashed(skeletons_folder / "stickman.scr", 4)
    assert window.offer_recovery()
    seen = []
    for answer in ("Discard", "Later", "Later"):
        seen.append(window.recovery_line.text)
        press(window, answer)
    assert window.recovery_line.isHidden()
    assert [any(name in text for text in seen) for name in ("my run.seq", "second.seq", '"stickman"')] == [True] * 3
    assert "(and 2 more to recover)" in seen[0] and "(and 1 more to recover)" in seen[1] and "more" not in seen[2]
    left = journals_left()
    assert len(left) == 2  # what was put off stays for the next start
    assert figure.exists() == any(each.path == figure for each in left)


def test_what_another_editor_is_writing_is_neither_offered_nor_removed(remembering: MainWindow, run: Path) -> None:
    alive = Document()
    assert alive.files.open(run) and alive.files.start_journal() and alive.sequences.set_fps(50)
    assert not remembering.offer_recovery()
    assert alive.files._journal.path.exists()
    alive.files.close()


def test_what_somebody_else_has_recovered_meanwhile_is_not_taken_again(remembering: MainWindow, run: Path) -> None:
    window = remembering
    path = crashed(run, 1)
    assert window.offer_recovery()
    before = window.document.files.path
    path.unlink()
    press(window, "Recover")
    assert window.document.files.path == before and "another editor" in window.errors.text
    assert window.recovery_line.isHidden()


def test_a_file_that_changed_after_the_crash_is_not_written_over(remembering: MainWindow, run: Path) -> None:
    window = remembering
    crashed(run, 1)
    run.write_bytes(run.read_bytes() + b"\n")
    theirs = run.read_bytes()
    assert window.offer_recovery()
    press(window, "Recover")
    assert window.document.files.path == run.resolve()
    assert not window.files.save() and run.read_bytes() == theirs
    assert "Overwrite" in [button.text() for button in window.errors.choices]


def test_the_offer_is_reached_by_keyboard(remembering: MainWindow, run: Path) -> None:
    window = remembering
    crashed(run, 1)
    assert window.offer_recovery()
    for _ in range(20):
        window.edits.next_region()
        if window.focusWidget() is window.recovery_line.choices[0]:
            break
    assert window.focusWidget() is window.recovery_line.choices[0]


def test_edits_are_counted_from_the_last_save(run: Path) -> None:
    document = Document()
    assert document.files.open(run) and document.files.start_journal()
    assert document.sequences.set_fps(50) and document.sequences.set_fps(51) and document.files.save()
    assert document.sequences.set_fps(52) and document.sequences.set_fps(53)
    document.history.undo()
    document.files._journal.release()
    (left,) = journals_left()
    assert (left.name, left.steps, left.unsaved) == ("my run.seq", 4, 1)
    assert left.path.parent == default_folder()
    document.files._journal = None


def test_what_was_lost_is_said_in_plain_words() -> None:
    now = datetime.datetime(2026, 5, 4, 9, 30).timestamp()
    left = JournalLeft(Path("x.journal"), Path("/a/jump.seq"), "jump.seq", now - 60, 12, 1)
    text = "The editor stopped unexpectedly: jump.seq had 1 unsaved edit, last changed today at 9:29"
    assert offer_text(left, 0, now) == text
    assert when_text(now - 86400, now) == "yesterday at 9:30"
    assert when_text(datetime.datetime(2025, 12, 31, 23, 5).timestamp(), now) == "on 31 December 2025 at 23:05"
