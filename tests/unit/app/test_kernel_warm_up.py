"""Compiled kernels come in while the window lives; whatever goes wrong, their text serves."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.work.kernel_warm_up import KernelWarmUp
from core import kernels


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The domains that were loaded, which is not done."""
    names: list[str] = []
    monkeypatch.setattr(kernels, "is_loaded", lambda *_: False)
    monkeypatch.setattr(kernels, "load", names.append)
    yield names
    kernels.compile_on_demand(True)


@pytest.fixture
def cold(monkeypatch: pytest.MonkeyPatch, loaded: list[str]) -> pytest.MonkeyPatch:
    """An empty cache, as at the first launch."""
    monkeypatch.setattr(kernels, "is_warm", lambda *_: False)
    return monkeypatch


def compiler(folder: Path, text: str) -> str:
    script = folder / "compiler"
    script.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return str(script)


def test_a_full_cache_is_loaded_beside_the_window(
    qapp, qtbot, monkeypatch: pytest.MonkeyPatch, loaded: list[str]
) -> None:
    monkeypatch.setattr(kernels, "is_warm", lambda *_: True)
    warm_up = KernelWarmUp()
    assert not kernels.is_ready("core.never.asked_for_kernel")
    with qtbot.waitSignal(warm_up.finished, timeout=5000) as done:
        warm_up.start()
    assert done.args == [True] and loaded == [name for name in kernels.names() if not name.startswith(kernels.LATE)]
    assert 15 < len(loaded) < len(kernels.names()) - 15, "physics waits on the disk"


def test_kernels_of_physics_are_loaded_once_somebody_turns_to_it_or_asks(
    qapp, qtbot, monkeypatch: pytest.MonkeyPatch, loaded: list[str]
) -> None:
    monkeypatch.setattr(kernels, "is_warm", lambda *_: True)
    late = [name for name in kernels.names() if name.startswith(kernels.LATE)]
    monkeypatch.setattr("core.kernels.domains._loaded", {})
    monkeypatch.setattr("core.kernels.domains._serving", {})
    warm_up = KernelWarmUp()
    assert kernels.serving(late[3]).__name__ == late[3], "the text serves whoever asks first"
    with qtbot.waitSignal(warm_up.finished, timeout=5000):
        warm_up.start()
    assert [name for name in loaded if name in late] == [late[3]]
    kernels.serving(late[5])
    kernels.serving(late[5])
    qtbot.waitUntil(lambda: loaded[-1] == late[5])
    warm_up.expect_physics()
    qtbot.waitUntil(lambda: set(late) <= set(loaded))
    assert len(loaded) == len(set(loaded)) == len(kernels.names())


def test_domains_come_in_one_by_one_at_the_first_launch(
    qapp, qtbot, cold: pytest.MonkeyPatch, loaded: list[str], tmp_path: Path
) -> None:
    text = "echo '1/2 core.forward'; echo noise; sleep 0.3; echo '2/2 core.ccd'"
    cold.setattr("sys.executable", compiler(tmp_path, text))
    warm_up = KernelWarmUp()
    steps: list[tuple[int, int]] = []
    warm_up.progressed.connect(lambda done, total: steps.append((done, total)))
    with qtbot.waitSignal(warm_up.finished, timeout=5000) as done:
        warm_up.start()
        qtbot.waitUntil(lambda: loaded == ["core.forward"])
    assert steps == [(1, 2), (2, 2)] and done.args == [True] and loaded == ["core.forward", "core.ccd"]


def test_what_the_cache_holds_serves_while_the_rest_is_compiled(
    qapp, qtbot, cold: pytest.MonkeyPatch, loaded: list[str], tmp_path: Path
) -> None:
    first = kernels.names()[0]
    cold.setattr(kernels, "is_warm", lambda name=None: name == first)
    cold.setattr("sys.executable", compiler(tmp_path, "exec sleep 60"))
    warm_up = KernelWarmUp()
    warm_up.start()
    qtbot.waitUntil(lambda: loaded == [first])
    warm_up.stop()


@pytest.mark.parametrize(
    ("text", "why"),
    [("echo broken >&2; echo 'line 74' >&2; exit 3", "broken\nline 74"), ("kill -9 $$", "ended from outside")],
)
def test_a_compiler_that_fails_leaves_the_text_of_kernels_and_says_why(
    qapp, qtbot, cold: pytest.MonkeyPatch, tmp_path: Path, text: str, why: str
) -> None:
    cold.setattr("sys.executable", compiler(tmp_path, text))
    warm_up = KernelWarmUp()
    with qtbot.waitSignal(warm_up.finished, timeout=5000) as done:
        warm_up.start()
    assert done.args == [False] and why in warm_up.problem


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


def test_kernels_are_compiled_on_demand_again_after_the_window(qapp, cold: pytest.MonkeyPatch) -> None:
    warm_up = KernelWarmUp()
    assert not kernels.is_ready("core.never.asked_for_kernel")
    warm_up.stop()
    assert kernels.is_ready("core.never.asked_for_kernel")
