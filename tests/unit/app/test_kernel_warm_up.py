"""Compiled kernels come in while the window lives; whatever goes wrong, the plain ones serve."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.work.kernel_warm_up import KernelWarmUp
from core import compiled
from core.animation.locks.patience import MOST_STEPS, hurry, most_steps


@pytest.fixture(autouse=True)
def _no_hurry_afterwards() -> Iterator[None]:
    yield
    hurry(False)


@pytest.fixture
def cold(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """An empty cache, as at the first launch."""
    monkeypatch.setattr(compiled, "is_loaded", lambda: False)
    monkeypatch.setattr(compiled, "is_warm", lambda: False)
    return monkeypatch


def compiler(folder: Path, text: str) -> str:
    script = folder / "compiler"
    script.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return str(script)


def test_a_full_cache_is_loaded_beside_the_window(qapp, qtbot, monkeypatch: pytest.MonkeyPatch) -> None:
    used: list[str] = []
    monkeypatch.setattr(compiled, "is_loaded", lambda: False)
    monkeypatch.setattr(compiled, "is_warm", lambda: True)
    monkeypatch.setattr(compiled, "use", used.append)
    warm_up = KernelWarmUp()
    assert used == ["plain"]
    with qtbot.waitSignal(warm_up.finished, timeout=5000) as done:
        warm_up.start()
    assert done.args == [True] and used == ["plain", "compiled"]


def test_progress_of_the_first_launch_is_reported(qapp, qtbot, cold: pytest.MonkeyPatch, tmp_path: Path) -> None:
    cold.setattr("sys.executable", compiler(tmp_path, "echo '1/2 forward'; echo noise; echo '2/2 ccd'"))
    loaded: list[str] = []
    warm_up = KernelWarmUp()
    assert compiled.mode() == "plain"
    cold.setattr(compiled, "use", loaded.append)
    reported: list[tuple[int, int]] = []
    warm_up.progressed.connect(lambda done, total: reported.append((done, total)))
    with qtbot.waitSignal(warm_up.finished, timeout=5000) as done:
        warm_up.start()
    assert reported == [(1, 2), (2, 2)] and done.args == [True] and loaded == ["compiled"]


@pytest.mark.parametrize(
    ("text", "why"),
    [("echo broken >&2; echo 'line 74' >&2; exit 3", "broken\nline 74"), ("kill -9 $$", "ended from outside")],
)
def test_a_compiler_that_fails_leaves_the_plain_kernels_and_says_why(
    qapp, qtbot, cold: pytest.MonkeyPatch, tmp_path: Path, text: str, why: str
) -> None:
    cold.setattr("sys.executable", compiler(tmp_path, text))
    warm_up = KernelWarmUp()
    with qtbot.waitSignal(warm_up.finished, timeout=5000) as done:
        warm_up.start()
    assert done.args == [False] and compiled.mode() == "plain" and why in warm_up.problem


def test_a_compiler_that_is_not_there(qapp, qtbot, cold: pytest.MonkeyPatch, tmp_path: Path) -> None:
    cold.setattr("sys.executable", str(tmp_path / "nowhere"))
    warm_up = KernelWarmUp()
    with qtbot.waitSignal(warm_up.finished, timeout=5000) as done:
        warm_up.start()
    assert done.args == [False]


def test_closing_the_window_ends_the_compiler(qapp, qtbot, cold: pytest.MonkeyPatch, tmp_path: Path) -> None:
    cold.setattr("sys.executable", compiler(tmp_path, "echo '1/2 forward'; exec sleep 60"))
    warm_up = KernelWarmUp()
    with qtbot.waitSignal(warm_up.progressed, timeout=5000):
        warm_up.start()
    child = warm_up._child
    warm_up.stop()
    assert child is not None and child.state() == child.ProcessState.NotRunning


def test_the_hurry_ends_with_the_window(qapp, cold: pytest.MonkeyPatch) -> None:
    warm_up = KernelWarmUp()
    assert compiled.mode() == "plain" and most_steps(1) < MOST_STEPS
    warm_up.stop()
    assert most_steps(1) == MOST_STEPS  # else what is worked out after it in this process had other bits
