"""The thread of a simulation, the clock that shows it, and what edits of the document do to it."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from app.document.document import Document
from app.document.physics.overlays import OverlayError
from app.document.physics.run import AHEAD, SimulationRun, SimulationWorker
from app.window.settings import Settings
from core.animation.sequence import Sequence
from tests.support.fake_preview import SINKS, TICK, FakePreview


@pytest.fixture
def document(qapp, skeletons_folder, monkeypatch, qtbot):
    made = Document()
    made.files.open(skeletons_folder / "stickman.scr")
    q = made.pose.copy()
    made.set_frame(20)
    q[0] += 1.0
    made.posing.set(q)
    made.set_frame(4)
    made.previews = []

    def make(model, start, settings):
        sequence = model.sequence

        def build():
            made.previews.append(FakePreview(sequence, start))
            return made.previews[-1]

        return build

    monkeypatch.setattr("app.document.physics.state.make_preview", make)
    yield made
    made.physics.close()


def run_of(document, qtbot, **how) -> SimulationRun:
    run = SimulationRun(lambda: FakePreview(document.sequence, 4, **how))
    qtbot.waitUntil(lambda: run.position == 0)
    return run


def test_the_thread_works_out_what_is_wanted_and_no_more(document):
    reported = threading.Event()
    worker = SimulationWorker(lambda: FakePreview(document.sequence, 4), reported.set)
    worker.want(5)
    worker.start()
    while len(worker.samples) < 5:
        assert reported.wait(5.0)
        reported.clear()
    worker.stop()
    assert len(worker.samples) == 5 and not worker._thread.is_alive()


def test_calls_come_between_samples_and_the_latest_of_a_name_counts(document):
    made, done = [], threading.Event()

    def make():
        made.append(FakePreview(document.sequence, 4))
        return made[0]

    worker = SimulationWorker(make, lambda: None)
    for joint in (1, 2, 3):
        worker.call("pull", lambda preview, joint=joint: preview.pull(joint, None, None))
    worker.call("end", lambda preview: done.set())
    worker.start()
    assert done.wait(5.0)
    worker.stop()
    assert made[0].done == [("pull", 3, 1)]


def test_a_simulation_that_fails_says_so_in_one_line(document, qtbot):
    run = run_of(document, qtbot, fails_at=3)
    with qtbot.waitSignal(run.ended) as ended:
        run.play(4.0)
    assert ended.args == ["the motion runs away"] and len(run.samples) == 3 and not run.playing
    run.stop()


def test_the_clock_shows_samples_in_order_to_the_end_at_the_rate_asked_for(document, qtbot):
    run, shown = run_of(document, qtbot, last=40), []
    run.moved.connect(lambda: shown.append(run.position))
    with qtbot.waitSignal(run.ended, timeout=5000):
        run.play(2.0)
    assert shown == sorted(set(shown)) and shown[-1] == 40 == len(run.samples) - 1
    run.stop()


def test_going_back_while_it_runs_does_not_count_as_slow(document, qtbot):
    run = run_of(document, qtbot)
    run.play(1.0)
    qtbot.waitUntil(lambda: run.rate > 0.0)
    run.go(0)
    assert run.rate == 0.0 and run.playing and not run._marks
    run.stop()


def test_the_thread_is_a_little_ahead_of_the_clock_only(document, qtbot):
    run = run_of(document, qtbot)
    run.play(1.0)
    qtbot.waitUntil(lambda: run.position >= 6)
    assert len(run.samples) <= run.position + 2 + AHEAD + 1
    run.pause()
    qtbot.wait(30)
    count = len(run.samples)
    qtbot.wait(60)
    assert len(run.samples) == count
    run.step()
    qtbot.waitUntil(lambda: run.position >= 7)
    run.stop()


def test_a_hand_laid_on_in_the_middle_drops_what_came_after(document, qtbot):
    run = run_of(document, qtbot, last=60)
    run.worker.want(50)
    qtbot.waitUntil(lambda: len(run.samples) == 50)
    run.worker.want(0)
    run.go(20)
    run.call("pull", lambda preview: preview.pull(1, None, None))
    qtbot.waitUntil(lambda: len(run.samples) == 21)
    assert run.sample.frame == pytest.approx(4 + 20 * TICK * document.sequence.fps)
    run.stop()


def simulate(document, qtbot, count=12):
    document.physics.start()
    qtbot.waitUntil(lambda: document.physics._run.position >= count)
    document.physics.pause()


def test_the_clock_lives_through_samples_that_are_dropped_behind_its_back(document, qtbot):
    run = run_of(document, qtbot)
    run.worker.want(20)
    qtbot.waitUntil(lambda: len(run.samples) == 20)
    run.play(1e-6)  # the clock stays where it is put
    run.go(12)
    run.worker.want(0)
    run.worker.samples = list(run.samples[:5])  # as the thread does when it goes back, on its own time
    run._tick()
    assert run.position == 4 and run.sample is run.samples[4] and run.playing
    run.stop()


def test_what_is_simulated_is_shown_in_the_place_of_the_keyed_pose(document, qtbot):
    physics = document.physics
    before = document.state_json()
    simulate(document, qtbot)
    shown = physics.current
    assert document.session.physics_mode and shown is physics._run.sample
    assert document.frame == round(shown.frame) and document.state_json() == before
    sunk = SINKS * physics._run.position
    assert physics.pose[1] == pytest.approx(document.sequence.pose_at_frame(shown.frame)[1] - sunk)
    np.testing.assert_array_equal(document.pose, document.sequence.pose_at_frame(document.frame))


def test_scrubbing_shows_what_was_simulated_and_keys_elsewhere(document, qtbot):
    physics = document.physics
    simulate(document, qtbot)
    document.set_frame(6)
    assert physics.current.frame == pytest.approx(6.0) and not physics.running
    document.set_frame(2)
    assert physics.current is None and not physics.empty
    document.session.mode = "pose"
    document.set_frame(6)
    assert physics.current is None
    document.session.mode = "physics"
    assert physics.current.frame == pytest.approx(6.0)
    physics.rewind()
    assert physics.current is physics.samples[0] and document.frame == 4
    physics.stop()
    assert physics.empty and physics.current is None and document.frame == 4


def test_edits_drop_what_they_make_stale(document, qtbot):
    physics = document.physics
    for edit in (
        lambda: document.posing.set(document.pose + np.eye(document.skeleton.nq)[3] * 0.1),
        lambda: document.hybrid.add(start=6, end=12),
        document.history.undo,
    ):
        simulate(document, qtbot)
        assert not physics.empty
        edit()
        assert physics.empty and physics.current is None
        document.set_frame(4)
    simulate(document, qtbot)
    document.selection.set((2,))
    assert not physics.empty


def test_other_settings_begin_a_running_simulation_anew(document, qtbot):
    physics = document.physics
    physics.start()
    qtbot.waitUntil(lambda: physics._run.position >= 5)
    first = physics.samples
    assert document.physics.settings.edit("Set gravity", gravity=1.62)
    assert physics.running and physics.samples is not first and physics.start_frame == 4
    document.stack.undo()
    assert document.model.physics == {} and document.physics.settings.now.gravity == 9.81
    physics.pause()
    assert not document.physics.settings.edit(gravity=1e9) and document.model.physics == {}


def test_a_pull_is_sent_to_the_thread_and_ends_with_a_pause(document, qtbot):
    physics = document.physics
    physics.start()
    qtbot.waitUntil(lambda: physics._run.position >= 2)
    physics.begin_pull(3, np.zeros(3), np.ones(3))
    physics.throw(np.array([0.0, 2.0, 0.0]))
    done = document.previews[0].done
    qtbot.waitUntil(lambda: len(done) >= 2)
    assert done[0][:2] == ("pull", 3) and done[1][0] == "throw"
    physics.pause()
    assert physics.pull is None
    qtbot.waitUntil(lambda: done[-1] == ("release",))


def test_where_joints_become_dynamic_it_begins(document, qtbot):
    document.hybrid.add(start=9, end=14)
    document.set_frame(11)
    simulate(document, qtbot, 3)
    physics = document.physics
    assert (physics.start_frame, physics.end_frame) == (9, 14)
    assert isinstance(document.sequence, Sequence) and physics.samples[0].frame == 9.0


def test_what_is_drawn_is_remembered(document, tmp_path):
    settings = Settings(tmp_path / "settings.ini")
    settings.bind(document)
    document.physics.set_overlay("momentum", on=False, scale=2.5)
    document.physics.opacity = 0.4
    settings.sync()
    other = Document()
    Settings(tmp_path / "settings.ini").bind(other)
    assert other.physics.overlays == document.physics.overlays and other.physics.opacity == 0.4
    with pytest.raises(OverlayError, match=r"0\.1 to 10"):
        other.physics.set_overlay("momentum", scale=100.0)
