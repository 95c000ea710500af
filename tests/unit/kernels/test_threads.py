"""Rows shared among threads: each exactly once, errors raised when nobody is at work any more."""

from __future__ import annotations

import os
import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.kernels import threads
from core.kernels.threads import share_rows


@given(st.integers(0, 300), st.integers(1, 40), st.integers(1, 9))
@settings(max_examples=80, deadline=None)
def test_every_row_once(count: int, least: int, number: int) -> None:
    parts: list[tuple[int, int]] = []
    before, threads.processors = threads.processors, lambda: number
    try:
        share_rows(lambda first, end: parts.append((first, end)), count, least)
    finally:
        threads.processors = before
    assert sorted(row for first, end in parts for row in range(first, end)) == list(range(count))
    if number == 1 or count < 2 * least:
        assert parts == [(0, count)]


def test_they_work_at_once_and_the_caller_takes_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "processors", lambda: 3)
    monkeypatch.setattr(threads, "_pool", None)
    meeting, names = threading.Barrier(3, timeout=30), set()

    def work(first: int, end: int) -> None:
        name = threading.current_thread().name
        if name not in names:
            names.add(name)
            meeting.wait()  # breaks unless three are here

    share_rows(work, 300)
    assert len(names) == 3 and threading.current_thread().name in names


def test_an_error_is_raised_when_nobody_is_at_work_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "processors", lambda: 2)
    monkeypatch.setattr(threads, "_pool", None)
    at_work = 0

    def work(first: int, end: int) -> None:
        nonlocal at_work
        at_work += 1
        try:
            if threading.current_thread() is not threading.main_thread():
                time.sleep(0.05)
            else:
                raise ValueError(f"row {first}")
        finally:
            at_work -= 1

    with pytest.raises(ValueError, match="row"):
        share_rows(work, 100)
    assert at_work == 0
    done: list[int] = []
    share_rows(lambda first, end: done.extend(range(first, end)), 100)
    assert sorted(done) == list(range(100))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_has_threads_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "processors", lambda: 2)
    share_rows(lambda first, end: None, 100)
    child = os.fork()
    if child == 0:
        done: list[int] = []
        share_rows(lambda first, end: done.extend(range(first, end)), 100)
        os._exit(0 if sorted(done) == list(range(100)) else 1)
    for _ in range(300):
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            assert os.waitstatus_to_exitcode(status) == 0
            return
        time.sleep(0.1)
    os.kill(child, 9)
    os.waitpid(child, 0)
    pytest.fail("the child waits for threads that it does not have")
