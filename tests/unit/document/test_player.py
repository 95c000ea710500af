"""Playing by the clock. The clock is a fake one, so that nothing here depends on how fast the machine is."""

from __future__ import annotations

import numpy as np
import pytest

from app.document import Document, Player
from app.document.changes import FrameChanged
from core.animation.locks.target_keys import TargetKey
from core.constraints import Lock


class Clock:
    """Stands in for QElapsedTimer."""

    def __init__(self) -> None:
        self.now = 0
        self.began = 0

    def start(self) -> None:
        self.began = self.now

    def nsecsElapsed(self) -> int:
        return self.now - self.began


class Deck:
    """A player whose time is moved by hand."""

    def __init__(self, document: Document):
        self.document = document
        self.player = Player(document)
        self.clock = Clock()
        self.player._clock = self.clock
        self.frames: list[int] = []
        document.changed.connect(lambda c: self.frames.append(c.frame) if isinstance(c, FrameChanged) else None)

    def wait(self, seconds: float) -> None:
        """Let time pass without an event, then let the timer fire if it is set."""
        self.clock.now += round(seconds * 1e9)
        if self.player._timer.isActive():
            self.player._timer.stop()
            self.player._tick()


@pytest.fixture
def deck(document: Document) -> Deck:
    document.sequences.set_fps(10)
    document.sequences.set_range(2, 6)
    document.set_frame(2)
    document.session.playback.loop = False
    return Deck(document)


def test_frames_follow_the_clock_and_stop_at_the_end(deck):
    deck.player.play()
    assert deck.document.session.playback.playing
    for _ in range(6):
        deck.wait(0.1)
    assert deck.frames == [3, 4, 5, 6]
    assert not deck.player.playing and not deck.document.session.playback.playing
    assert (deck.player.stats.shown, deck.player.stats.dropped) == (5, 0)


def test_late_frames_are_dropped_and_time_does_not_slow(deck):
    deck.player.play()
    deck.wait(0.1)
    deck.wait(0.25)
    deck.wait(0.05)
    assert deck.frames == [3, 5, 6]
    assert deck.player.stats.dropped == 1


def test_waking_early_shows_nothing_and_waits_on(deck):
    deck.player.play()
    deck.wait(0.05)
    assert deck.frames == [] and deck.player.playing
    deck.wait(0.05)
    assert deck.frames == [3]


def test_rounding_does_not_add_up(document):
    document.sequences.set_fps(29.97)
    document.sequences.set_range(0, 10_000)
    document.session.playback.loop = False
    deck = Deck(document)
    deck.player.play()
    for _ in range(100):
        deck.wait(0.999)
    assert document.frame == int(99.9 * 29.97)


def test_it_loops_within_the_range(deck):
    deck.document.session.playback.loop = True
    deck.player.play()
    for _ in range(6):
        deck.wait(0.1)
    assert deck.frames == [3, 4, 5, 6, 2, 3]
    deck.wait(10 * 0.5 + 0.1)
    assert deck.document.frame == 4
    assert deck.player.playing


def test_a_round_that_closes_does_not_halt_at_the_seam(deck):
    document = deck.document
    rest = document.skeleton.rest_pose()
    for frame in (2, 4, 6):
        q = rest.copy()
        q[2] = 0.1 * frame
        q[3] = 0.2 * (frame == 4)
        document.set_frame(frame)
        assert document.posing.set(q)
    document.set_frame(2)
    document.session.playback.loop = True
    assert document.sequences.set_loop(False)
    deck.frames.clear()
    deck.player.play()
    for _ in range(5):
        deck.wait(0.1)
    assert deck.frames == [3, 4, 5, 6, 2]
    deck.player.pause()
    assert document.sequences.set_loop(True)
    document.set_frame(2)
    deck.frames.clear()
    deck.player.play()
    for _ in range(6):
        deck.wait(0.1)
    assert deck.frames == [3, 4, 5, 2, 3, 4]
    deck.player.pause()
    document.session.playback.loop = False
    deck.player.play()
    for _ in range(3):
        deck.wait(0.1)
    assert deck.frames[-1] == document.frame == 6 and not deck.player.playing


def test_at_the_end_it_starts_again(deck):
    deck.document.set_frame(6)
    deck.player.toggle()
    assert deck.document.frame == 2
    deck.player.toggle()
    assert not deck.player.playing
    deck.document.set_frame(50)
    deck.player.play()
    assert deck.document.frame == 2


def test_it_pauses_where_it_is_and_goes_on_from_there(deck):
    deck.player.play()
    deck.wait(0.2)
    deck.player.pause()
    deck.wait(5)
    assert deck.document.frame == 4
    deck.player.play()
    deck.wait(0.1)
    assert deck.document.frame == 5


def test_speed_counts_from_when_it_changes(deck):
    deck.document.sequences.set_range(0, 100)
    deck.player.play()
    deck.wait(0.4)
    assert deck.document.frame == 6
    deck.document.session.playback.speed = 0.5
    deck.wait(0.4)
    assert deck.document.frame == 8
    deck.document.session.playback.speed = 2.0
    deck.wait(0.4)
    assert deck.document.frame == 16
    deck.document.sequences.set_fps(20)
    deck.wait(0.1)
    assert deck.document.frame == 20


def test_scrubbing_while_playing_goes_on_from_there(deck):
    deck.document.sequences.set_range(0, 100)
    deck.player.play()
    deck.wait(0.15)
    deck.document.set_frame(50)
    deck.wait(0.1)
    assert deck.document.frame == 51


def test_the_session_starts_and_stops_it(deck):
    deck.document.session.playback.playing = True
    assert deck.player.playing
    deck.document.session.playback.playing = False
    assert not deck.player.playing


def test_stopping_from_a_view_while_it_draws(deck):
    deck.document.changed.connect(lambda change: deck.player.pause() if isinstance(change, FrameChanged) else None)
    deck.player.play()
    deck.wait(0.1)
    assert deck.document.frame == 3 and not deck.player.playing
    deck.wait(1.0)
    assert deck.document.frame == 3


def test_nothing_to_play(qapp, document):
    for empty in (Document(), document):
        player = Player(empty)
        player.play()
        assert not player.playing and not empty.session.playback.playing
        empty.session.playback.playing = True
        assert not player.playing and not empty.session.playback.playing


def test_opening_and_dragging_stop_it(deck, skeletons_folder):
    deck.player.play()
    gesture = deck.document.posing.begin_gesture("Drag")
    assert not deck.player.playing
    gesture.cancel()
    deck.player.play()
    deck.document.files.open(skeletons_folder / "arm7.scr")
    assert not deck.player.playing and not deck.document.session.playback.playing


def test_playing_drops_a_pending_pose_once(deck):
    document = deck.document
    document.session.keys.auto = False
    q = document.pose.copy()
    q[4] = 0.5
    document.posing.set(q)
    steps = document.stack.count()
    deck.player.play()
    for _ in range(3):
        deck.wait(0.1)
    assert document.stack.count() == steps + 1
    assert document.frame == 5
    document.history.undo()
    assert document.frame == 2 and np.array_equal(document.pose, q)


def test_a_real_timer_reaches_the_end(document, qtbot):
    document.sequences.set_fps(100)
    document.sequences.set_range(0, 12)
    document.session.playback.loop = False
    player = Player(document)
    player.play()
    qtbot.waitUntil(lambda: not player.playing, timeout=5000)
    assert document.frame == 12
    assert player.stats.shown + player.stats.dropped == 13


def test_a_motion_made_by_locks_alone_plays(document):
    foot = document.locks.add(Lock("right foot", "position"), 0)
    document.keys.delete([key.frame for key in document.sequence.keys])
    document.sequences.set_range(0, None)
    player, messages = Player(document), []
    document.message.connect(lambda level, text, *_: messages.append(text))
    player.play()
    assert not player.playing and "nothing to play" in messages[-1]
    lock = document.locks.strip(foot).lock
    away = np.array(lock.target) + np.array([0.1, 0.0, 0.0])
    document.locks.edit(foot, targets=(TargetKey(3, lock.target), TargetKey(9, away)))
    assert document.sequence.range == (0, 9)
    document.locks.edit(foot, end=12)
    assert document.sequence.range == (0, 12)
    player.play()
    assert player.playing
    player.pause()


def test_a_range_of_one_frame_says_so(document):
    document.sequences.set_range(4, 4)
    messages: list[str] = []
    document.message.connect(lambda level, text, *_: messages.append(text))
    Player(document).play()
    assert messages == ["There is nothing to play: the range is only frame 4"]


class Speaker:
    """Tells how much has been heard, in steps, as sound devices do, a while after the clock was started."""

    def __init__(self, deck: Deck, late: float, step: float = 0.07, rate: float = 1.0):
        self.deck, self.late, self.step, self.rate = deck, late, step, rate

    def heard(self) -> float:
        now = (self.deck.clock.nsecsElapsed() * 1e-9 - self.late) * self.rate
        return max(0.0, now // self.step * self.step)

    def true(self) -> float:
        return max(0.0, (self.deck.clock.nsecsElapsed() * 1e-9 - self.late) * self.rate)


@pytest.mark.parametrize("rate", [1.0, 0.9995, 1.0005])
def test_the_picture_follows_the_sound_within_a_frame_however_late_it_begins_and_fast_it_goes(deck, rate):
    document, player = deck.document, deck.player
    document.sequences.set_fps(30)
    document.sequences.set_range(0, 6000)
    document.set_frame(0)
    speaker = Speaker(deck, late=0.4, rate=rate)
    player.heard = speaker.heard
    player.play()
    away = []
    for _ in range(3000):
        deck.wait(0.01)
        if speaker.true() > 2.5:
            away.append(document.frame / 30 - speaker.true())
    assert len(away) > 2000 and -1.5 / 30 < min(away) and max(away) < 0.5 / 30  # a frame lasts for one
    assert deck.frames == sorted(deck.frames)
    assert player.position == pytest.approx(speaker.true() * 30, abs=1.0)


def test_the_picture_waits_for_the_sound_but_not_for_ever(deck):
    deck.document.sequences.set_range(2, 600)
    deck.player.heard = lambda: 0.0
    deck.player.play()
    for _ in range(19):
        deck.wait(0.1)
    assert deck.frames == []
    for _ in range(11):
        deck.wait(0.1)
    assert deck.frames[-1] in (11, 12, 13)


def test_it_says_when_it_starts_starts_anew_and_stops(deck):
    messages = []
    deck.player.started.connect(lambda: messages.append(("started", deck.document.frame)))
    deck.player.stopped.connect(lambda: messages.append(("stopped", deck.document.frame)))
    deck.player.play()
    deck.document.set_frame(4)
    deck.document.session.playback.speed = 2.0
    deck.player.pause()
    deck.player.pause()
    assert messages == [("started", 2), ("started", 4), ("started", 4), ("stopped", 4)]


def test_the_position_is_known_between_frames_and_goes_round(deck):
    deck.document.session.playback.loop = True
    deck.player.play()
    deck.clock.now += 250_000_000
    assert deck.player.position == pytest.approx(4.5)
    deck.clock.now += 300_000_000
    assert deck.player.position == pytest.approx(2.5)
    deck.player.pause()
    assert deck.player.position == deck.document.frame
