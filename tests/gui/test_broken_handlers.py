"""A handler that fails, whichever widget's it is, neither ends the program nor touches the document."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QLabel

from app.process import crash_guard
from app.process.handler_guard import guarded
from tests.support.counts import is_quick
from tests.support.qt_overrides import overrides, qt_classes

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.verify
def test_no_failing_handler_ends_the_program(skeletons_folder: Path) -> None:
    file = skeletons_folder / "library" / "Walks and runs" / "walk.seq"
    every = 3 if is_quick() else 1
    child = [sys.executable, "-m", "tests.support.faults", str(file), str(every)]
    result = subprocess.run(child, cwd=ROOT, capture_output=True, text=True, timeout=120)
    *lines, last = result.stdout.splitlines() or [""]
    assert result.returncode == 0 and last == "alive", result.stdout[-300:] + result.stderr
    assert len(lines) > 200 // every and all(line.endswith(" 1") for line in lines), result.stdout
    kinds = {line.split()[1] for line in lines}
    assert {"event", "paintEvent", "mousePressEvent", "keyPressEvent"} <= kinds


def test_every_override_is_guarded() -> None:
    classes = qt_classes()
    bare = {f"{owner.__module__}.{owner.__qualname__}.{name}" for cls in classes for owner, name in overrides(cls)
            if not hasattr(vars(owner)[name], "guarded")}  # fmt: skip
    assert len(classes) > 100 and not bare, f"without @guarded: {sorted(bare)}"


def test_a_guarded_size_that_fails_is_qts_own(qtbot) -> None:
    class Broken(QLabel):
        @guarded
        def sizeHint(self) -> QSize:
            raise ValueError("no size")

    class Derived(Broken):
        pass

    label = Derived("text")
    qtbot.addWidget(label)
    lines: list[str] = []
    restore = crash_guard.install(lambda _level, line, _details: lines.append(line))
    try:
        assert label.sizeHint() == QLabel("text").sizeHint()
    finally:
        restore()
    assert len(lines) == 1


def test_what_fails_again_and_again_is_reported_once() -> None:
    reported: list[str] = []
    restore = crash_guard.install(lambda _level, line, _details: reported.append(line))
    try:
        for place in (1, 1, 1, 2):
            try:
                exec(compile("\n" * place + "1 / 0", "broken.py", "exec"), {})
            except ZeroDivisionError as error:
                sys.excepthook(type(error), error, error.__traceback__)
    finally:
        restore()
    assert len(reported) == 2


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_thread_that_fails_is_reported_in_the_thread_of_the_window(qtbot) -> None:
    reported: list[int] = []
    restore = crash_guard.install(lambda *_: reported.append(threading.get_ident()))
    try:
        thread = threading.Thread(target=lambda: 1 / 0)
        thread.start()
        thread.join()
        qtbot.waitUntil(lambda: bool(reported))
    finally:
        restore()
    assert reported == [threading.get_ident()]
