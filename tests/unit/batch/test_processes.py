"""Workers that are processes: one that is killed costs the work it had, and no other."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from app.batch import processes
from app.batch.processes import Processes
from tests.support import batches

pytestmark = pytest.mark.skipif(os.name != "posix", reason="processes are killed by signals here")


def test_every_piece_of_work_comes_back_once() -> None:
    found = list(Processes(2).run(batches.doubled, range(20)))
    assert sorted(outcome.number for outcome in found) == list(range(20))
    assert all(outcome.value == 2 * outcome.number and not outcome.lost for outcome in found)


@pytest.mark.verify
def test_a_killed_process_costs_only_its_work(tmp_path: Path) -> None:
    items = [(number if number != 3 else -3, str(tmp_path / "killed")) for number in range(8)]
    found = {outcome.number: outcome for outcome in Processes(2).run(batches.killed_once, items)}
    assert (tmp_path / "killed").exists()
    assert {number: outcome.value for number, outcome in found.items()} == {k: 2 * items[k][0] for k in range(8)}
    assert not any(outcome.lost for outcome in found.values())


@pytest.mark.verify
def test_work_that_kills_whoever_does_it_is_given_up() -> None:
    found = {outcome.number: outcome for outcome in Processes(2).run(batches.killed_always, [1, -2, 3, 4])}
    assert "was ended by SIGKILL, 2 times" in found[1].lost and found[1].value is None
    assert [found[k].value for k in (0, 2, 3)] == [2, 6, 8]


@pytest.mark.verify
def test_who_stops_listening_stops_the_processes(tmp_path: Path) -> None:
    work = Processes(2).run(batches.slow, [str(tmp_path)] * 4)
    begun = time.monotonic()

    def interrupted() -> None:
        while len(list(tmp_path.iterdir())) < 2:
            time.sleep(0.05)
            if time.monotonic() - begun > 60.0:
                raise TimeoutError

    import threading

    watcher = threading.Thread(target=lambda: (interrupted(), os.kill(os.getpid(), 2)))
    watcher.start()
    with pytest.raises(KeyboardInterrupt):
        next(work)
    watcher.join()
    pids = [int(path.name) for path in tmp_path.iterdir()]
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    assert time.monotonic() - begun < 55.0


def test_ctrl_c_waits_until_a_process_is_started_and_never_ends_it() -> None:
    with pytest.raises(KeyboardInterrupt), processes._undisturbed():
        os.kill(os.getpid(), signal.SIGINT)
        worker = processes._started()
        assert worker.process.pid is not None
        os.kill(worker.process.pid, signal.SIGINT)  # its interpreter has not run a line yet
    worker.pipe.send((batches.doubled, 4))
    assert worker.pipe.recv() == 8
    processes._end([worker])
    assert worker.process.exitcode == 0
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


@pytest.mark.verify
def test_processes_have_one_thread_and_the_parent_keeps_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "3")
    (outcome,) = Processes(1).run(batches.threads, [0])
    assert outcome.value[1] == "1" and os.environ["OPENBLAS_NUM_THREADS"] == "3"
