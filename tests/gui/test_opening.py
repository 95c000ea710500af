"""Opening from the window: large files are read beside it, and it says at once that it opens."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from app.files import opening
from core.animation import Sequence
from core.animation.key import Key
from core.formats import bundled_folder, save
from core.formats.project import Project
from core.skeleton import load_skeleton


@pytest.fixture
def large(tmp_path):
    figure = load_skeleton(bundled_folder() / "stickman.scr")
    sequence = Sequence(figure, name="long")
    poses = np.tile(figure.rest_pose(), (900, 1))
    sequence.set_keys([Key(i, q) for i, q in enumerate(poses)])
    path = tmp_path / "long.seq"
    save(Project([figure], [sequence]), path)
    assert path.stat().st_size > opening.LARGE
    return path


def test_large_file_is_read_in_the_background(window, qtbot, large):
    before = window.document.model
    with qtbot.waitSignal(window.background.ended, timeout=20000):
        assert window.files.open_path(large)
        assert window.background.busy and window.document.model is before
    assert len(window.document.sequence.keys) == 900
    assert window.busy.isHidden()


def test_large_damaged_file_says_why_and_harms_nothing(window, qtbot, large):
    large.write_text(large.read_text()[:-50])
    before = window.document.model
    with qtbot.waitSignal(window.background.ended, timeout=20000):
        window.files.open_path(large)
    assert window.document.model is before
    assert window.errors.text.startswith("long.seq")


def test_cancelled_reading_changes_nothing(window, qtbot, large):
    before = window.document.model
    window.files.open_path(large)
    window.busy._come()  # as if it took longer
    assert not window.busy.isHidden() and "long.seq" in window.busy.text
    window.busy.cancel_button.click()
    qtbot.wait(300)
    assert window.document.model is before and window.busy.isHidden()
    assert not window.errors.text


@pytest.mark.verify
def test_opening_says_so_at_once_and_no_longer_when_it_is_drawn(window, qtbot, monkeypatch):
    seen = []
    read = window.document.files.open

    def slow(path, **how):
        seen.append((window.status.state.text, QApplication.overrideCursor() is not None))
        return read(path, **how)

    monkeypatch.setattr(window.document.files, "open", slow)
    path = bundled_folder() / "stickman.scr"
    assert window.files.open_path(path)
    assert seen == [("Opening stickman.scr…", True)]
    qtbot.waitUntil(lambda: QApplication.overrideCursor() is None and "Opening" not in window.status.state.text)
    monkeypatch.setattr(window.document.files, "open", lambda path, **how: False)  # it says why by itself
    assert not window.files.open_path(path)
    qtbot.waitUntil(lambda: QApplication.overrideCursor() is None)
