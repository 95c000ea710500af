"""Work for what is asked for last: one thread at a time, and only the last answer counts."""

from __future__ import annotations

import threading

import pytest

from app.work.latest_work import LatestWork
from core.errors import CoreError


class Asked:
    """Counts up what is asked for, and lets each piece of work wait until it may go on."""

    def __init__(self) -> None:
        self.wish, self.at_once, self.most = 0, 0, 0
        self.go = threading.Event()
        self.found: list[int] = []
        self.problems: list[str] = []
        self.ready = True
        self.work = LatestWork("Counting", 1, self.make, self.found.append, self.problems.append, lambda: self.ready)

    def make(self):
        wish = self.wish
        if wish < 0:
            return None

        def do(_progress):
            self.at_once += 1
            self.most = max(self.most, self.at_once)
            self.go.wait(10)  # deaf to being cancelled
            self.at_once -= 1
            if wish == 13:
                raise CoreError("thirteen is\nno number")
            if wish == 14:
                raise ValueError("fourteen")
            return wish

        return do


@pytest.fixture
def asked(qtbot):
    made = Asked()
    yield made
    made.go.set()
    made.work.stop()


def test_work_that_was_cancelled_is_waited_for_and_only_the_last_answer_counts(asked, qtbot):
    for wish in range(1, 5):
        asked.wish = wish
        asked.work.ask(at_once=True)
        qtbot.wait(20)
        assert asked.work.busy and asked.at_once == 1
    asked.go.set()
    qtbot.waitUntil(lambda: not asked.work.busy, timeout=10_000)
    assert asked.found == [4] and asked.most == 1


def test_it_waits_until_it_is_ready_and_nothing_wanted_is_nothing_done(asked, qtbot):
    asked.go.set()
    asked.ready, asked.wish = False, 7
    asked.work.ask()
    qtbot.wait(50)
    assert asked.work.busy and not asked.found
    asked.ready = True
    qtbot.waitUntil(lambda: asked.found == [7], timeout=10_000)
    asked.wish = -1
    asked.work.ask()
    qtbot.waitUntil(lambda: not asked.work.busy, timeout=10_000)
    asked.wish = 8
    asked.work.ask()
    asked.work.cancel()
    qtbot.wait(50)
    assert not asked.work.busy and asked.found == [7]


@pytest.mark.parametrize(("wish", "said"), [(13, "thirteen is"), (14, "This could not be worked out")])
def test_what_fails_is_said_in_a_line(asked, qtbot, wish, said):
    asked.go.set()
    asked.wish = wish
    asked.work.ask()
    qtbot.waitUntil(lambda: bool(asked.problems), timeout=10_000)
    assert asked.problems == [said] and not asked.work.busy
