"""The first window fits the screen, whatever the screen's size and scale."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QSize

from app.window.window_size import LEAST, TITLE_BAR, USUAL, first_size, least_size
from core.kernels.cache import CACHE_VARIABLE, root


@pytest.mark.parametrize(
    ("available", "size"),
    [
        ((2560, 1400), (1600, 1000)),
        ((1456, 816), (1456, 776)),
        ((1280, 800), (1280, 760)),
        ((1600, 1000), (1600, 960)),
        ((1024, 600), (1024, 600)),
    ],
)
def test_it_is_as_designed_or_as_the_screen_lets_it_be(available, size):
    room = QSize(*available)
    first, least = first_size(room), least_size(room)
    assert first == QSize(*size)
    assert first.boundedTo(room) == first and least.boundedTo(first) == least and USUAL.boundedTo(LEAST) == LEAST
    if room.boundedTo(LEAST + TITLE_BAR) != room:  # with room to spare the title bar fits too
        assert (first + TITLE_BAR).boundedTo(room) == first + TITLE_BAR


PROGRAM = """
from app.process.leaving import leave
from app.window.editor import make_application, make_window
application = make_application("dark")
window = make_window("dark", remember=False)
window.show()
application.processEvents()
room = window.screen().availableGeometry()
print(window.width(), window.height(), room.width(), room.height())
window.stop()
leave(0)
"""


@pytest.mark.verify
def test_a_scaled_screen_holds_the_whole_window(tmp_path):
    folder = Path(__file__).resolve().parents[2]
    environment = {**os.environ, "QT_SCALE_FACTOR": "1.5", "HOME": str(tmp_path), "PYTHONPATH": str(folder)}
    environment[CACHE_VARIABLE] = str(root())  # what figures are drawn with is there
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True)
    width, height, wide, high = map(int, done.stdout.split())
    assert width <= wide and height <= high
