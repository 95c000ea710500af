"""The watch over readers must itself see what it is there to see."""

from __future__ import annotations

import random
import time
from pathlib import Path

import numpy as np
import pytest

from core.errors import FormatError, Problem, SkeletonError
from tests.support import fuzzing
from tests.support.fuzzing import DAMAGES, damaged, damaged_inputs, fuzz, watched

SOUND = b"walk 1 2.5\nturn 30 {a: [4]}\nend\n" * 20


def refuse(message: str = "is no walk", file: str = "x.walk") -> None:
    raise FormatError(Problem(file, 0, 0, message))


def busy(seconds: float) -> None:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def grab(megabytes: int) -> None:
    np.ones(megabytes * 2**17)


def raise_one(error: BaseException) -> None:
    raise error


def test_results_and_refusals_are_distinguished() -> None:
    assert watched(lambda: 7, 10).result == 7
    outcome = watched(refuse, 10)
    assert outcome.error is not None and outcome.result is None


@pytest.mark.parametrize(
    "error", [ValueError("a"), KeyError("a"), RecursionError(), MemoryError(), SystemExit(), SkeletonError("a")]
)
def test_whatever_else_escapes_fails(error: BaseException) -> None:
    with pytest.raises(AssertionError, match=f"that input.*{type(error).__name__}"):
        watched(lambda: raise_one(error), 10, "that input")


@pytest.mark.parametrize("message", ["", "two\nlines", "\x07", "x" * 3000, "Traceback (most recent call last)"])
def test_refusals_that_cannot_be_shown_fail(message: str) -> None:
    with pytest.raises(AssertionError):
        watched(lambda: refuse(message), 10)


def test_numpy_warnings_fail() -> None:
    with pytest.raises(AssertionError, match="RuntimeWarning"):
        watched(lambda: np.array([1.0]) / np.array([0.0]), 10)


def test_slow_readers_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzzing, "SLOWEST", 0.1)
    watched(lambda: time.sleep(0.2), 10)  # waiting is no work
    with pytest.raises(AssertionError, match="took 0"):
        watched(lambda: busy(0.2), 10)


def test_hanging_readers_are_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzzing, "HANGING", 0.2)
    start = time.monotonic()
    with pytest.raises(AssertionError, match="still being read"):
        watched(lambda: time.sleep(30), 10)
    assert time.monotonic() - start < 15


@pytest.mark.verify
def test_memory_is_bounded_by_the_file_size() -> None:
    grab(300)  # what was taken before does not count
    with pytest.raises(AssertionError, match="MB for 10 bytes"):
        watched(lambda: grab(200), 10)
    outcome = watched(lambda: grab(200), 20 * 2**20)
    assert 190 * 2**20 < outcome.memory < 230 * 2**20
    with pytest.raises(AssertionError, match="MemoryError"):
        watched(lambda: grab(50_000), 10)


def test_damage_is_repeatable_and_various() -> None:
    first = list(damaged_inputs({"a": SOUND, "b": SOUND[:40]}, 300, seed=3))
    assert first == list(damaged_inputs({"a": SOUND, "b": SOUND[:40]}, 300, seed=3))
    assert first != list(damaged_inputs({"a": SOUND, "b": SOUND[:40]}, 300, seed=4))
    done = " ".join(what for _, _, what in first)
    assert all(damage.__name__.strip("_") in done for damage in DAMAGES)
    assert len({data for _, data, _ in first}) > 280
    assert max(len(data) for _, data, _ in first) < 2**20


@pytest.mark.parametrize("data", [b"x", b"\n", b"\x00\xff", b"   "])
def test_tiny_files_can_be_damaged_too(data: bytes) -> None:
    for seed in range(200):
        assert damaged(data, random.Random(seed))[0]


def read_walk(path: Path) -> int:
    """A sound little reader."""
    data = path.read_bytes()
    if not data.startswith(b"walk") or not data.endswith(b"end\n"):
        refuse()
    return len(data)


def test_fuzz_counts(tmp_path: Path) -> None:
    tally = fuzz(read_walk, {"a.walk": SOUND, "b.walk": b"walk end\n"}, 100, tmp_path)
    assert tally.refused + tally.accepted == 100 and tally.refused > 10 and tally.accepted > 10
    with pytest.raises(AssertionError, match=r"b.walk is refused whole"):
        fuzz(read_walk, {"a.walk": SOUND, "b.walk": b"walk"}, 1, tmp_path)


def test_fuzz_keeps_the_file_that_failed(tmp_path: Path) -> None:
    def read(path: Path) -> None:
        if path.read_bytes() != SOUND:
            raise IndexError("out of range")

    with pytest.raises(AssertionError, match=r"a.walk, input \d+ of seed 5 \(.*IndexError"):
        fuzz(read, {"a.walk": SOUND}, 20, tmp_path, seed=5)
    assert (tmp_path / "a.walk").read_bytes() != SOUND
