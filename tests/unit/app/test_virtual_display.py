"""A display is found, or made, before Qt could abort over its absence."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from app.process import virtual_display
from app.process.virtual_display import DisplayError

ROOT = Path(__file__).resolve().parents[3]
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="virtual displays are an X11 matter")


@pytest.mark.parametrize("name", ["", ":98765", "nonsense", ":", "localhost:99", ":1x"])
def test_a_display_that_does_not_answer_is_none(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("DISPLAY", name)
    assert not virtual_display.has_display()


def test_qt_may_run_without_any_display(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", "")
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    assert virtual_display.has_display()


def test_without_xvfb_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(DisplayError, match="apt-get install xvfb"):
        virtual_display.start()


def test_the_server_answers_and_ends_with_its_process() -> None:
    code = "from app.process import virtual_display as v; print(v.start(320, 200)); print(v.has_display())"
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    name, found = result.stdout.split()
    assert found == "True" and name.startswith(":")
    assert not Path(f"/tmp/.X11-unix/X{name[1:]}").exists()


def test_the_server_ends_when_a_window_was_open_and_the_process_is_killed() -> None:
    code = (
        "from app.process import virtual_display as v; name = v.start(320, 200)\n"
        "from PySide6.QtWidgets import QApplication, QWidget\n"
        "app = QApplication([]); w = QWidget(); w.show(); app.processEvents()\n"
        "print(name, flush=True)\n"
        "import time; time.sleep(60)"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True, env=dict(os.environ)
    )
    assert child.stdout is not None
    name = child.stdout.readline().strip()
    child.kill()
    child.wait()
    socket = Path(f"/tmp/.X11-unix/X{name[1:]}")
    end = time.monotonic() + 20
    while socket.exists() and time.monotonic() < end:
        time.sleep(0.05)
    assert name.startswith(":") and not socket.exists()
