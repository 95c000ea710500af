"""A handler that fails, whichever widget's it is, neither ends the program nor touches the document."""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from shiboken6 import Shiboken

import app
from app.process import crash_guard
from app.process.handler_guard import overrides
from app.window.main_window import MainWindow

ROOT = Path(__file__).resolve().parents[2]


def test_no_failing_handler_ends_the_program(skeletons_folder: Path) -> None:
    file = skeletons_folder / "library" / "Walks and runs" / "walk.seq"
    child = [sys.executable, "-m", "tests.support.faults", str(file)]
    result = subprocess.run(child, cwd=ROOT, capture_output=True, text=True, timeout=120)
    *lines, last = result.stdout.splitlines() or [""]
    assert result.returncode == 0 and last == "alive", result.stdout[-300:] + result.stderr
    assert len(lines) > 200 and all(line.endswith(" 1") for line in lines), result.stdout
    kinds = {line.split()[1] for line in lines}
    assert {"event", "paintEvent", "mousePressEvent", "keyPressEvent"} <= kinds


def test_every_override_is_guarded(window: MainWindow) -> None:
    for module in pkgutil.walk_packages(app.__path__, "app."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    waiting, seen = [Shiboken.Object], set()
    while waiting:
        cls = waiting.pop()
        if cls not in seen:
            seen.add(cls)
            waiting.extend(cls.__subclasses__())
    ours = [cls for cls in seen if cls.__module__.startswith("app.")]
    bare = {f"{owner.__qualname__}.{name}" for cls in ours for owner, name in overrides(cls)
            if not hasattr(vars(owner)[name], "guarded")}  # fmt: skip
    assert len(ours) > 100 and not bare


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
def test_a_thread_that_fails_is_told_of_in_the_thread_of_the_window(qtbot) -> None:
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
