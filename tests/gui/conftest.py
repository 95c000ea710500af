"""The whole window with a sample open, for tests that drive it as a person would."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app import style
from app.editor import make_application, make_window
from app.main_window import MainWindow


@pytest.fixture
def window(qapp: QApplication, qtbot, skeletons_folder: Path) -> Iterator[MainWindow]:
    """The active window, 1600 x 1000, dark, with the walk open; it keeps nothing of the person's."""
    make_application("dark")
    made = make_window("dark", remember=False)
    made.resize(1600, 1000)
    made.show()
    made.activateWindow()
    assert QTest.qWaitForWindowActive(made)
    made.document.open(skeletons_folder / "library" / "Walks and runs" / "walk.seq")
    qtbot.wait(50)
    yield made
    made.stop()
    made.close()
    made.deleteLater()
    style.apply(qapp, "dark")
