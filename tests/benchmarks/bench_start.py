"""From the start of the process to a window that shows the sample and takes the mouse, beside a bare Qt window.

Both are started by turns, each in a process of its own, so that a busy moment of the machine hits both: their ratio is
what counts. The work of a process (user and system time, all its threads) is what other programs disturb least.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from core import kernels
from core.kernels import cache
from core.kernels.warm_up import warm

ROOT = Path(__file__).resolve().parents[2]
RUNS = 7
RATIO, LONGEST = 4.0, 1.3

_TELL = """
import os, sys, time
def report(word):
    used = os.times()
    print(word, time.time(), used.user + used.system, flush=True)
"""
BARE = (
    _TELL
    + """
import numpy
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget
class Canvas(QWidget):
    painted = False
    def paintEvent(self, event):
        self.painted = True
application = QApplication([])
window = QMainWindow()
canvas = Canvas()
window.setCentralWidget(canvas)
window.resize(1600, 1000)
window.show()
while not canvas.painted:
    application.processEvents()
report("usable")
"""
)
EDITOR = (
    _TELL
    + """
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from app.window.editor import open_editor, sample_path
application, window = open_editor([sample_path()])
loaded = []
window.warm_up.finished.connect(loaded.append)
report("made")
view = window.area.work_view
painted = []
draw = type(view).paintEvent
def paint(self, event):
    draw(self, event)
    if self is view and view._image is not None and view.host.scene.skeleton is not None:
        painted.append(1)
type(view).paintEvent = paint
moved = []
move = type(view).mouseMoveEvent
def moving(self, event):
    move(self, event)
    moved.append(1)
type(view).mouseMoveEvent = moving
while not painted:
    application.processEvents()
report("painted")
at = QPointF(view.rect().center())
none = Qt.MouseButton.NoButton
application.postEvent(view, QMouseEvent(QEvent.Type.MouseMove, at, QPointF(view.mapToGlobal(at)), none, none,
                                        Qt.KeyboardModifier.NoModifier))
while not moved:
    application.processEvents()
report("usable")
end = time.monotonic() + 60
while not loaded and time.monotonic() < end:
    application.processEvents()
    time.sleep(0.005)
report("compiled")
window.stop()
"""
)


def environment(folder: Path) -> dict[str, str]:
    """Return the environment of a person without settings, which go into a folder; caches are the real ones."""
    own = dict(os.environ)
    own.pop("PYTHONDONTWRITEBYTECODE", None)  # it would have all sources translated anew at each start
    own[cache.CACHE_VARIABLE] = str(cache.root())
    for name in ("CONFIG", "DATA", "STATE"):
        own[f"XDG_{name}_HOME"] = str(folder / name.lower())
    return own


def child(script: str, settings: Path) -> dict[str, tuple[float, float]]:
    """Run a script in a process of its own; return what it reported, as (seconds since its start, seconds of work)."""
    start = time.time()
    ended = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env=environment(settings),
        capture_output=True,
        text=True,
        timeout=120,
    )
    if ended.returncode:
        raise RuntimeError((ended.stderr.strip().splitlines() or [f"exit code {ended.returncode}"])[-1])
    reported = (line.split() for line in ended.stdout.splitlines())
    return {word: (float(at) - start, float(work)) for word, at, work in reported}


def run(report: Callable[..., None]) -> None:
    """Report medians over some starts; the first ones, which fill the caches, do not count."""
    from app.process import virtual_display

    if not kernels.is_warm():
        warm()
    virtual_display.ensure(1600, 1000)
    found: dict[str, list[tuple[float, float]]] = {}
    with tempfile.TemporaryDirectory() as settings:
        for number in range(RUNS + 1):
            for name, script in (("bare", BARE), ("editor", EDITOR)):
                reported = child(script, Path(settings))
                for word, value in reported.items() if number else ():
                    found.setdefault(f"{name} {word}", []).append(value)
    wall, work = ({name: [pair[k] for pair in pairs] for name, pairs in found.items()} for k in (0, 1))
    middle = statistics.median
    for name, title in (("bare", "a bare PySide6 window with numpy"), ("editor", "start to usable window, warm")):
        own = f"{name} usable"
        report(title, middle(wall[own]), "s", f"least {min(wall[own]):.2f} s; work {middle(work[own]):.2f} s")
    ratios = [a / b for a, b in zip(wall["editor usable"], wall["bare usable"], strict=True)]
    works = [a / b for a, b in zip(work["editor usable"], work["bare usable"], strict=True)]
    report("the same as a ratio", middle(ratios), "x", f"goal {RATIO:g}; of work {middle(works):.2f}")
    report("start to the window made", middle(wall["editor made"]), "s", f"work {middle(work['editor made']):.2f} s")
    report("start to its picture", middle(wall["editor painted"]), "s", f"work {middle(work['editor painted']):.2f} s")
    own = "editor compiled"
    report("start to compiled kernels in use", middle(wall[own]), "s", f"work {middle(work[own]):.2f} s")
