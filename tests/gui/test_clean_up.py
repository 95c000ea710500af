"""Clean-up in the window: what is found is shown, accepted or changed, done as one step, and compared with before."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.document.edits.edits import key_changes
from app.popovers import clean_up_pages as pages
from app.popovers.clean_up import FAULTS, FEET, CleanUpBoard
from core.animation.contacts.phases import stances
from core.animation.joining.trial import slides
from core.animation.locks.strip import LockStrip
from core.constraints.lock import Lock
from tests.support.recorded import GAP, SPIKE, recorded


@pytest.fixture
def board(window, qtbot) -> CleanUpBoard:
    """The board, open with a recorded walk, once all is worked out."""
    document = window.document
    document.selection.set(())
    document.locks.set((), "Locks")
    motion = recorded()
    document.sequences.set_fps(motion.fps)
    document.do("Record", lambda: key_changes(document.model, list(motion.keys)))
    window.action_table["clean_up"].trigger()
    board = window.clean_up.board
    assert board is not None and board.isVisible()
    _worked_out(board, qtbot)
    return board


def _worked_out(board: CleanUpBoard, qtbot) -> None:
    qtbot.waitUntil(lambda: board.made is not None and not board._work.busy, timeout=400_000)


def _poses(window):
    sequence = window.document.sequence
    return sequence.poses_at_frames(np.arange(sequence.keys[0].frame, sequence.keys[-1].frame + 1))


def test_what_is_found_is_shown_and_taken_as_one_step(board, window, qtbot):
    document, stack = window.document, window.document.stack
    found = board.found
    assert {(f.channel, f.first, f.last) for f in found.faults} == {SPIKE, GAP}
    assert board.faults.list.count() == 2 and "spike at frames 20 to 21" in board.faults.list.item(0).text()
    marked = document.session.view.marked
    assert [(each.first, each.last) for each in marked] == [SPIKE[1:], GAP[1:]]
    assert {(each.first, each.last) for each in window.timeline.model.marked} >= {SPIKE[1:], GAP[1:]}
    proposed = [each.strip for each in document.session.locks.proposed]
    assert len(proposed) == sum(len(stances(phases)) for phases in found.phases.values()) > 0
    assert not document.locks.strips  # nothing is done yet

    ghost = window.area.host.scene.ghosts
    assert [each.name for each in ghost] == ["Cleaned up"]
    before, step = _poses(window), stack.index()
    document.set_frame(20)
    shown = window.area.host.scene.ghosts[0].poses
    board.clean_button.click()
    assert stack.index() == step + 1 and not document.session.locks.proposed
    assert document.locks.strips
    assert np.allclose(window.area.host.scene.poses, shown, atol=1e-9)  # what the ghost was is the figure now
    (ghost,) = window.area.host.scene.ghosts
    assert ghost.name == "Before" and not np.allclose(ghost.poses, shown, atol=1e-2)

    sequence = document.sequence
    frames = np.arange(0.0, sequence.keys[-1].frame, 0.5)
    assert slides(sequence, frames, sequence.poses_at_frames(frames)) < 1e-6
    assert np.linalg.norm(_poses(window)[:, :3] - before[:, :3], axis=1).max() < 0.03  # the root; it was filtered, too
    stack.undo()
    assert np.array_equal(_poses(window), before) and not board.isVisible()
    assert document.session.view.compared is None


def test_the_first_edit_of_a_file_leaves_the_board_open(window, qtbot, tmp_path):
    document = window.document
    document.selection.set(())
    document.locks.set((), "Locks")
    motion = recorded()
    document.do("Record", lambda: key_changes(document.model, list(motion.keys)))
    assert document.files.save(tmp_path / "recorded.seq") and not document.modified
    window.action_table["clean_up"].trigger()
    board = window.clean_up.board
    _worked_out(board, qtbot)
    board.clean_button.click()
    assert document.modified and board.isVisible() and board.about.text().startswith("Done. ")
    board.leave()
    assert document.session.view.compared is None and not window.area.host.scene.ghosts


@pytest.mark.verify
def test_what_is_refused_is_not_done(board, window, qtbot):
    board.show_page(FAULTS)
    board.faults.list.item(0).setCheckState(Qt.CheckState.Unchecked)
    board.noise.filter.chosen.emit(pages.OFF)
    board.feet.hold.setChecked(False)
    _worked_out(board, qtbot)
    assert [(f.channel, f.first, f.last) for f in board.made.faults] == [GAP]
    assert not board.made.cutoffs and board.made.standing is None
    board.noise.filter.chosen.emit(pages.BUTTERWORTH)
    assert board.choices().filtered is None
    window.document.selection.set(())
    board.noise.parts.chosen.emit(pages.SELECTED)
    assert board.choices().filter is None, "with no part selected none is filtered"
    _worked_out(board, qtbot)
    board.leave()
    assert not window.document.session.view.marked and window.document.session.view.compared is None


@pytest.mark.verify
def test_stances_are_left_out_and_changed_in_the_timeline(board, window, qtbot):
    board.show_page(FEET)
    steps = window.document.stack.index()
    tracks, rows = window.timeline.locks, window.timeline.locks.board.rows
    QApplication.processEvents()
    number, strip = next(
        (n, strip)
        for n, row in enumerate(rows)
        for strip in row.strips
        if strip.end is not None and strip.end - strip.start > 15
    )
    tracks.board.model.document.session.locks.hovered = None
    joint, stance = (int(part) for part in strip.id.split("/"))
    shape = tracks.shape(strip, number)
    middle = QPointF(0.5 * (max(shape.left, 0.0) + min(shape.right, tracks.width())), 0.5 * (shape.top + shape.bottom))
    QTest.mouseClick(tracks, Qt.MouseButton.LeftButton, pos=middle.toPoint())
    assert board._left_out[joint] == {stance} and board.made is None
    QTest.mouseClick(tracks, Qt.MouseButton.LeftButton, pos=middle.toPoint())
    assert not board._left_out[joint]

    end = QPointF(shape.right - 2.0, middle.y())
    QTest.mousePress(tracks, Qt.MouseButton.LeftButton, pos=end.toPoint())
    for step in range(1, 9):
        QTest.mouseMove(tracks, (end - QPointF(step * tracks.board.model.pixels, 0.0)).toPoint())
    QTest.mouseRelease(
        tracks, Qt.MouseButton.LeftButton, pos=(end - QPointF(8 * tracks.board.model.pixels, 0.0)).toPoint()
    )
    changed = stances(board._phases[joint])[stance]
    assert changed[0] == strip.start and strip.end - 10 <= changed[1] < strip.end
    assert window.document.stack.index() == steps  # none of Undo
    _worked_out(board, qtbot)
    assert stances(board.made.standing.paths.feet[list(board._phases).index(joint)].phases)[stance][1] <= changed[1]
    board.leave()
    assert not any(row.strips for row in window.timeline.locks.board.rows)


@pytest.mark.verify
def test_the_keyboard_goes_by_proposed_locks(board, window):
    mine = [
        LockStrip(Lock(name, "position", target=(0.0, 1.0, 0.0)), 40, 44, id=name) for name in ("head", "right foot")
    ]
    window.document.locks.set(mine, "Locks")
    tracks = window.timeline.locks
    names = [strip.id for row in tracks.board.rows for strip in row.strips]
    assert set(names) > {"head", "right foot"}, "among those that are proposed"
    for from_id, to_id in (("head", "right foot"), ("right foot", "head")):
        tracks.board.select(from_id)
        rows = [k for k, row in enumerate(tracks.board.rows) for strip in row.strips if strip.id in (from_id, to_id)]
        at = next(k for k, row in enumerate(tracks.board.rows) if any(each.id == from_id for each in row.strips))
        tracks.go_row(1 if at == min(rows) else -1)
        assert tracks.board.selected == to_id
    window.document.stack.undo()


def test_escape_closes_the_board_and_ends_the_work(window, qtbot):
    document = window.document
    document.locks.set((), "Locks")
    motion = recorded(faults=False)
    document.do("Record", lambda: key_changes(document.model, list(motion.keys)))
    before, step = _poses(window), document.stack.index()
    window.action_table["clean_up"].trigger()
    board = window.clean_up.board
    QTest.keyClick(board.clean_button, Qt.Key.Key_Escape)
    assert not board.isVisible() and not board._work.busy
    assert document.stack.index() == step and np.array_equal(_poses(window), before)


def test_a_motion_that_is_too_short_is_refused_in_words(window):
    document = window.document
    keys = list(document.sequence.keys)[:2]
    document.do("Few", lambda: key_changes(document.model, [keys[0], keys[0].moved(2)]))
    said: list[str] = []
    document.message.connect(lambda level, text, details: said.append(text))
    window.action_table["clean_up"].trigger()
    assert window.clean_up.board is None or not window.clean_up.board.isVisible()
    assert "too short" in said[-1]
