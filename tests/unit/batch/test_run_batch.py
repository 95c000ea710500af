"""A batch as a whole: what is done is left, what has changed is done again, and it can be stopped at any time."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from app.batch import job as job_module
from app.batch.clips import find_clips, jobs_of
from app.batch.job import PLACE, Job
from app.batch.manifest import NAME, Manifest
from app.batch.report import JSON_NAME, TEXT_NAME, Report
from app.batch.run import run_batch
from app.batch.steps import StepError
from app.batch.steps_file import read_steps
from tests.support.batches import Here, write_clip, write_steps

EXPORT = 'do = "export"\nformat = "bvh"'


@pytest.fixture(autouse=True)
def _no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_module, "prepare", lambda: None)


class Batch:
    """Three clips and a folder for their results."""

    def __init__(self, folder: Path):
        self.folder, self.clips, self.out = folder, folder / "clips", folder / "out"
        for k, name in enumerate("abc"):
            write_clip(self.clips / f"{name}.bvh", phase=k)
        self.tables: tuple[str, ...] = ('do = "import"\nunit = "m"', EXPORT)
        self.done: list[str] = []

    def jobs(self) -> list[Job]:
        steps = read_steps(write_steps(self.folder / "s.toml", *self.tables))
        return jobs_of(find_clips([self.clips], (), self.out), steps, self.out)

    def run(self, stop_after: int = 0, again: bool = False) -> Report:
        """Run it; ``done`` has the names of what was done."""
        self.done, here = [], Here()

        def told(entry: dict, number: int, count: int) -> None:
            self.done.append(entry["name"])
            if number == stop_after:
                raise KeyboardInterrupt

        return run_batch(self.jobs(), self.out, lambda seen: here, again=again, told=told)


@pytest.fixture
def batch(tmp_path: Path) -> Batch:
    return Batch(tmp_path)


def test_a_second_run_does_nothing_and_changes_are_done_again(batch: Batch) -> None:
    first = batch.run()
    assert batch.done == ["a", "b", "c"] and not first.failed
    second = batch.run()
    assert batch.done == [] and second.skipped == 3 and second.digest == first.digest
    write_clip(batch.clips / "b.bvh", phase=9.0)
    assert batch.run().digest != first.digest and batch.done == ["b"]
    (batch.out / "c.bvh").unlink()
    (batch.out / "a.bvh").write_text("no longer")
    batch.run()
    assert batch.done == ["a", "c"]
    write_clip(batch.clips / "d.bvh")
    batch.run()
    assert batch.done == ["d"]
    batch.tables = (*batch.tables[:1], 'do = "export"\nformat = "bvh"\nfps = 15')
    batch.run()
    assert batch.done == ["a", "b", "c", "d"]
    batch.run(again=True)
    assert batch.done == ["a", "b", "c", "d"]


def test_a_batch_that_was_stopped_goes_on_and_gives_the_same(batch: Batch, tmp_path: Path) -> None:
    stopped = batch.run(stop_after=1)
    assert stopped.stopped and "stopped with 2 left; run the same command to go on" in stopped.summary()
    assert json.loads((batch.out / JSON_NAME).read_text())["stopped"] is True
    with (batch.out / PLACE / NAME).open("ab") as stream:
        stream.write(b'{"name": "b", "state": "do')  # as a crash leaves it
    whole = batch.run()
    assert batch.done == ["b", "c"] and not whole.stopped
    (tmp_path / "other").mkdir()
    assert Batch(tmp_path / "other").run().digest == whole.digest  # folders lie elsewhere


def test_failures_are_listed_and_tried_again(batch: Batch) -> None:
    good = (batch.clips / "b.bvh").read_bytes()
    (batch.clips / "b.bvh").write_bytes(good[:100])
    report = batch.run()
    assert [entry["name"] for entry in report.failed] == ["b"] and len(report.entries) == 3
    found = json.loads((batch.out / JSON_NAME).read_text())
    assert (found["jobs"], found["done"]) == (3, 2)
    assert [(each["name"], each["step"], each["do"]) for each in found["failed"]] == [("b", 1, "import")]
    assert "1 failed:\n  b: step 1 (import): b.bvh" in (batch.out / TEXT_NAME).read_text()
    assert not (batch.out / "b.bvh").exists()
    batch.run()
    assert batch.done == ["b"]
    (batch.clips / "b.bvh").write_bytes(good)
    assert not batch.run().failed and batch.done == ["b"]


def test_folders_that_are_no_place_for_results(batch: Batch, tmp_path: Path) -> None:
    batch.out.write_text("a file")
    with pytest.raises(StepError, match="is a file; expected a folder"):
        batch.run()
    batch.out.unlink()
    batch.out.mkdir()
    (batch.out / "thesis.pdf").touch()
    with pytest.raises(StepError, match="contains other files; give an empty folder"):
        batch.run()
    (batch.out / "thesis.pdf").unlink()
    with Manifest(batch.out), pytest.raises(StepError) as refused:
        batch.run()
    lock = batch.out / PLACE / "lock"
    assert f"another batch is writing into {batch.out}: process {os.getpid()} on " in str(refused.value)
    assert f"give another folder. If it is not running any more, delete {lock}" in str(refused.value)
    assert not batch.run().failed


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="this user may write everywhere")
def test_a_place_that_cannot_be_written(batch: Batch) -> None:
    (batch.out / PLACE).mkdir(parents=True)
    (batch.out / PLACE).chmod(0o500)
    with pytest.raises(StepError, match=f"{batch.out / PLACE / 'lock'} cannot be written; give a folder"):
        batch.run()
    (batch.out / PLACE).chmod(0o700)


def test_workers_get_absolute_paths(batch: Batch, monkeypatch: pytest.MonkeyPatch) -> None:
    """They may have another current folder."""
    monkeypatch.chdir(batch.folder)
    jobs, here, seen = batch.jobs(), Here(), []
    batch.out = Path("out")

    def workers(mark: Path) -> Here:
        seen.append(mark)
        monkeypatch.chdir("/")
        return here

    report = run_batch(jobs, Path("out"), workers)
    assert not report.failed and all(path.is_absolute() for path in seen)
    assert all(job.folder.is_absolute() and job.source.is_absolute() for job in here.given)
    assert sorted(path.name for path in (batch.folder / "out").glob("*.bvh")) == ["a.bvh", "b.bvh", "c.bvh"]
    assert (batch.folder / "out" / TEXT_NAME).exists()


def test_workers_that_a_killed_run_left_change_nothing(batch: Batch) -> None:
    """They hold a job of it, and come to its end while the next run is at work, or after that."""
    old = Here()
    run_batch(batch.jobs(), batch.out, lambda seen: old)
    before = {path.name: path.stat().st_mtime_ns for path in batch.out.glob("*.bvh")}
    late = [job_module.run_job(job) for job in old.given]
    with Manifest(batch.out) as manifest:
        late += [job_module.run_job(job) for job in old.given]
        assert job_module.run_job(replace(old.given[0], run=manifest.run))["state"] == "done"
        del before[f"{old.given[0].name}.bvh"]
    assert len(late) == 6 and all("the batch that this belongs to has ended" in entry["error"] for entry in late)
    for name, when in before.items():
        assert (batch.out / name).stat().st_mtime_ns == when
    assert not list((batch.out / PLACE).glob("work/*"))


def test_ctrl_c_before_any_worker_is_there_ends_with_the_report(batch: Batch) -> None:
    def workers(seen: Path) -> Here:
        raise KeyboardInterrupt

    report = run_batch(batch.jobs(), batch.out, workers)
    assert report.stopped and "0 done, stopped with 3 left" in report.summary()


def test_workers_of_several_kinds_are_told_of(batch: Batch) -> None:
    report = batch.run()
    assert "several kinds" not in report.text()
    other = {**report.entries[0], "environment": {**report.entries[0]["environment"], "numpy": "1.0"}}
    mixed = Report((other, *report.entries[1:]), 3, 0, 1.0)
    assert "Workers of several kinds made these results" in mixed.text() and "numpy 1.0" in mixed.text()
