"""Work in a thread: results and errors come back to the window's thread, what is cancelled never does."""

from __future__ import annotations

import threading

import pytest

from app.work.background import Background
from core.errors import Cancelled


@pytest.fixture
def background(qtbot):
    made = Background()
    yield made
    made.stop()


def _unwanted(_value):
    raise AssertionError("must not be called")


def test_result_comes_back_in_this_thread(background, qtbot):
    seen, parts = [], []
    background.progressed.connect(parts.append)

    def work(progress):
        for part in (0.25, 0.5, 1.0):
            progress(part)
        return threading.current_thread()

    def done(worker):
        seen.append((worker, threading.current_thread()))

    with qtbot.waitSignal(background.ended):
        assert background.run("Counting", work, done, _unwanted)
        assert background.busy
    ((worker, here),) = seen
    assert here is threading.main_thread() and worker is not here
    assert parts == [0.25, 0.5, 1.0] and not background.busy


def test_errors_come_back(background, qtbot):
    errors = []

    def work(_progress):
        raise ValueError("seven")

    with qtbot.waitSignal(background.ended):
        background.run("Failing", work, _unwanted, errors.append)
    assert str(errors[0]) == "seven"


def test_one_at_a_time(background, qtbot):
    go = threading.Event()
    with qtbot.waitSignal(background.ended):
        assert background.run("First", lambda _progress: go.wait(5), lambda _value: None, _unwanted)
        assert not background.run("Second", lambda _progress: 1, _unwanted, _unwanted)
        go.set()


def test_cancelled_work_stops_and_is_forgotten(background, qtbot):
    entered, stopped = threading.Event(), threading.Event()

    def work(progress):
        entered.set()
        try:
            while True:
                progress(0.5)
        except Cancelled:
            stopped.set()
            raise

    background.run("Endless", work, _unwanted, _unwanted)
    assert entered.wait(5)
    with qtbot.waitSignal(background.ended):
        background.cancel()
    assert not background.busy and stopped.wait(5)
    with qtbot.waitSignal(background.ended):  # what comes next is not disturbed
        background.run("Next", lambda _progress: 1, lambda _value: None, _unwanted)


def test_it_says_what_there_is_so_far_and_knows_that_the_person_gave_up(background, qtbot):
    told, given_up, go_on = [], [], threading.Event()
    background.told.connect(told.append)

    def work(progress):
        background.tell("half of it")
        while not go_on.wait(0.01):
            progress(0.5)

    background.tell("from elsewhere")
    assert background.run("Counting", work, _unwanted, _unwanted, lambda: given_up.append(background.busy))
    qtbot.waitUntil(lambda: bool(told))
    background.give_up()
    assert told == ["half of it"] and given_up == [False]
    background.give_up()
    assert background.run("Counting", work, _unwanted, _unwanted, _unwanted)
    background.cancel()
    go_on.set()
    assert given_up == [False]
