"""The collector rests while graphs are built, and goes on when the last is done."""

from __future__ import annotations

import gc
import threading

import pytest

from core.symbolic import apply, collector_paused, derivative, symbol


def test_it_rests_until_the_last_has_left():
    assert gc.isenabled()
    inside, leave = threading.Event(), threading.Event()

    def other() -> None:
        with collector_paused():
            inside.set()
            leave.wait(10.0)

    thread = threading.Thread(target=other)
    with collector_paused():
        thread.start()
        assert inside.wait(10.0)
    assert not gc.isenabled()
    leave.set()
    thread.join()
    assert gc.isenabled()


def test_an_error_wakes_it():
    with pytest.raises(ValueError), collector_paused():
        raise ValueError
    assert gc.isenabled()


def test_it_stays_off_where_it_was_off():
    gc.disable()
    try:
        x = symbol("x")
        derivative([apply("sin", x)], [x])
        assert not gc.isenabled()
    finally:
        gc.enable()
