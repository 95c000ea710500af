"""Which files are clips, which jobs they make, and what one job does."""

from __future__ import annotations

import gc
import json
import weakref
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

import pytest

from app.batch import job as job_module
from app.batch.clips import find_clips, jobs_of
from app.batch.job import PLACE, Job, file_digest, run_job
from app.batch.steps import Clip, Step, StepError
from app.batch.steps_file import read_steps
from app.batch.toml_table import Table
from core.errors import KernelError
from core.formats import load, save
from core.progress import Progress
from tests.support.batches import write_clip, write_steps

EXPORT = 'do = "export"\nformat = "seq"'


@pytest.fixture(autouse=True)
def _no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """This process stays what it is: it is no worker that has one thread."""
    monkeypatch.setattr(job_module, "prepare", lambda: None)


def names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


# -- clips -------------------------------------------------------------------------------------------------------------


def test_clips_are_found_in_folders_and_named_by_their_paths(tmp_path: Path) -> None:
    library = tmp_path / "library"
    for name in (
        "run.bvh",
        "walks/slow.bvh",
        "walks/slow.amc",
        "walks/.hidden.bvh",
        ".git/x.bvh",
        "notes.txt",
        "a.scr",
    ):
        (library / name).parent.mkdir(parents=True, exist_ok=True)
        (library / name).touch()
    out = library / "out"
    (out / "deep").mkdir(parents=True)
    (out / "deep" / "old.bvh").touch()
    found = find_clips([library], (), out)
    assert [name for _, name in found] == ["run", "walks/slow-amc", "walks/slow-bvh"]
    assert [name for _, name in find_clips([library], ("*.BVH",), out)] == ["run", "walks/slow"]
    assert [name for _, name in find_clips([library], ("a.scr",), out)] == ["a"]  # a figure, if it is asked for
    both = find_clips([library, library / "walks"], ("*.bvh",), out)
    assert [name for _, name in both] == ["library/run", "library/walks/slow"]  # what is given twice is there once
    twice = find_clips([library / "run.bvh", library, library / "." / "run.bvh"], ("*.bvh",), out)
    assert [name for _, name in twice] == ["library/walks/slow", "run"]
    assert find_clips([library / "run.bvh"], (), out) == [(library / "run.bvh", "run")]


def test_places_without_clips_are_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(StepError, match=r"there are no clips in .*; expected motion files"):
        find_clips([tmp_path / "empty"], (), tmp_path / "out")
    with pytest.raises(StepError, match=r"expected files named \*\.bvh"):
        find_clips([tmp_path / "empty"], ("*.bvh",), tmp_path / "out")
    with pytest.raises(StepError, match="nowhere is not there"):
        find_clips([tmp_path / "nowhere"], (), tmp_path / "out")
    write_clip(tmp_path / "out" / "clips" / "a.bvh")
    with pytest.raises(StepError, match="is inside the folder for the results"):
        find_clips([tmp_path / "out" / "clips"], (), tmp_path / "out")
    one, two = write_clip(tmp_path / "x" / "a.bvh"), write_clip(tmp_path / "y" / "a.bvh")
    with pytest.raises(StepError, match='would both be called "a-bvh"'):
        find_clips([one, two], (), tmp_path / "out")


def test_two_jobs_for_one_result_are_refused(tmp_path: Path) -> None:
    steps = read_steps(write_steps(tmp_path / "s.toml", EXPORT, EXPORT + '\nfolder = "more"'))
    one, other = tmp_path / "walk.bvh", tmp_path / "more" / "Walk.bvh"
    with pytest.raises(StepError) as refused:
        jobs_of([(one, "walk"), (other, "more/Walk")], steps, tmp_path / "out")
    written = tmp_path / "out" / "more" / "Walk.seq"
    assert f"{written} would be written both for {one} (step 3) and for {other} (step 2)" in str(refused.value)
    assert not (tmp_path / "out").exists()


def test_a_job_for_every_seed_whose_key_says_what_comes_out(tmp_path: Path) -> None:
    clips = [(tmp_path / "a.bvh", "a")]

    def made(*tables: str) -> list[Job]:
        return jobs_of(clips, read_steps(write_steps(tmp_path / "s.toml", *tables, EXPORT)), tmp_path / "out")

    plain, seeded = made(), made('do = "simulate"\nseeds = [3, 5]')
    assert [job.name for job in plain] == ["a"] and [job.name for job in seeded] == ["a-seed-3", "a-seed-5"]
    assert made('do = "simulate"\nseeds = [5]')[0].name == "a"
    assert made('do = "simulate"\nseeds = [5]')[0].key == seeded[1].key != seeded[0].key
    assert made('do = "import"\nfiles = "*.bvh"')[0].key == made('do = "import"')[0].key == plain[0].key
    assert made('do = "import"\nunit = "cm"')[0].key != plain[0].key
    assert made('do = "reduce"')[0].key != made('do = "reduce"\nmillimetres = 2')[0].key


# -- one job -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Broken(Step):
    """Does something wrong."""

    do: ClassVar[str] = "broken"
    error: str = ""

    @classmethod
    def read(cls, table: Table) -> Broken:
        return cls()

    def run(self, clip: Clip, progress: Progress | None) -> None:
        raise {"known": StepError("it is too long\nby far"), "fault": ZeroDivisionError("by nothing")}[self.error]


def job_of(tmp_path: Path, *tables: str, clip: str = "arm.bvh", more: tuple[Step, ...] = ()) -> Job:
    path = tmp_path / "clips" / clip
    steps = read_steps(write_steps(tmp_path / "s.toml", *tables))
    return Job("arm", path, 1, (*steps, *more), tmp_path / "out", "key")


def test_a_clip_goes_through_steps_to_its_results(tmp_path: Path) -> None:
    write_clip(tmp_path / "clips" / "arm.bvh", frames=40)
    entry = run_job(job_of(
        tmp_path, 'do = "import"\nlast = 29\nunit = "m"', 'do = "clean"', 'do = "reduce"', EXPORT,
        'do = "export"\nformat = "amc"\nfolder = "more"',
    ))  # fmt: skip
    out = tmp_path / "out"
    assert entry["state"] == "done" and "error" not in entry
    assert names(out) == ["arm.seq", "more/arm.amc", "more/arm.asf"]  # nothing is left of the place they were made in
    assert entry["results"] == {name: file_digest(out / name) for name in names(out)}
    assert entry["files"] == {"arm.bvh": file_digest(tmp_path / "clips" / "arm.bvh")}
    assert [note.split(":")[0] for note in entry["notes"]] == ["read", "cleaned", "reduced"]
    assert "read: 30 frames" in entry["notes"] and len(entry["step_seconds"]) == 5
    assert load(out / "arm.seq").sequences[0].keys[-1].frame == 29
    json.dumps(entry, allow_nan=False)  # it goes into the manifest as it is


@pytest.mark.verify
def test_the_same_job_gives_the_same_bits_with_locks_that_have_names(tmp_path: Path, skeletons_folder: Path) -> None:
    walk = skeletons_folder / "library" / "Walks and runs" / "walk.seq"
    feet = 'do = "clean"\nfilter = "none"\nfaults = false\nfloor = false'
    digests = set()
    for k in range(2):
        steps = read_steps(write_steps(tmp_path / "s.toml", feet, EXPORT))
        entry = run_job(Job("walk", walk, None, steps, tmp_path / f"out{k}", "key"))
        assert entry["state"] == "done", entry
        digests.add(entry["results"]["walk.seq"])
    assert len(load(tmp_path / "out0" / "walk.seq").sequences[0].locks.strips) > 4
    assert len(digests) == 1


@dataclass(frozen=True)
class Circling(Step):
    """Leaves something large that hangs in a circle."""

    do: ClassVar[str] = "circle"
    left: list[weakref.ref[object]] = field(default_factory=list)

    @classmethod
    def read(cls, table: Table) -> Circling:
        return cls()

    def run(self, clip: Clip, progress: Progress | None) -> None:
        class Large:
            pass

        large = Large()
        large.itself = large  # type: ignore[attr-defined]
        self.left.append(weakref.ref(large))
        gc.collect()  # it is old now: only a search of everything finds it


def test_a_job_gives_back_what_hangs_in_circles(tmp_path: Path) -> None:
    write_clip(tmp_path / "clips" / "arm.bvh")
    step = Circling()
    gc.disable()
    try:
        entry = run_job(job_of(tmp_path, EXPORT, more=(step,)))
    finally:
        gc.enable()
    assert entry["state"] == "done", entry
    assert [left() for left in step.left] == [None]


def test_files_beside_a_clip_count_as_its_own(tmp_path: Path) -> None:
    write_clip(tmp_path / "clips" / "arm.amc")
    entry = run_job(job_of(tmp_path, EXPORT, clip="arm.amc"))
    assert sorted(entry["files"]) == ["arm.amc", "arm.asf"]


@dataclass(frozen=True)
class Changing(Step):
    """Changes a file while its clip is processed."""

    do: ClassVar[str] = "changing"
    file: str = ""

    @classmethod
    def read(cls, table: Table) -> Changing:
        return cls()

    def run(self, clip: Clip, progress: Progress | None) -> None:
        path = clip.source.with_name(self.file)
        path.write_bytes(path.read_bytes() + b"\n")


@pytest.mark.parametrize("name", ["arm.amc", "arm.asf"])
def test_a_file_that_changes_while_its_clip_is_processed(tmp_path: Path, name: str) -> None:
    write_clip(tmp_path / "clips" / "arm.amc")
    entry = run_job(job_of(tmp_path, EXPORT, clip="arm.amc", more=(Changing(name),)))
    assert entry["state"] == "failed" and "step" not in entry and "results" not in entry
    assert entry["error"] == f"{name} was changed while the clip was being processed; run the same command again"
    assert names(tmp_path / "out") == []


@pytest.mark.verify
def test_a_ground_that_is_kept_counts_for_every_clip(tmp_path: Path, skeletons_folder: Path) -> None:
    mesh = tmp_path / "ground.obj"
    mesh.write_text("v -9 0 -9\nv -9 0 9\nv 9 0 9\nv 9 0 -9\nf 1 2 3\nf 1 3 4\n")
    (tmp_path / "clips").mkdir()
    project = load(skeletons_folder / "stickman.scr")
    project.physics = {"ground": {"kind": "mesh", "file": str(mesh)}}
    for name in "ab":
        save(project, tmp_path / "clips" / f"{name}.seq")
    entries = [
        run_job(job_of(tmp_path, 'do = "simulate"\nduration = 0.1', EXPORT, clip=f"{name}.seq")) for name in "ab"
    ]
    assert [entry.get("error") for entry in entries] == [None, None]
    assert all("../ground.obj" in entry["files"] for entry in entries)


def test_a_simulation_that_cannot_begin_says_why(tmp_path: Path) -> None:
    write_clip(tmp_path / "clips" / "arm.bvh")
    entry = run_job(job_of(tmp_path, 'do = "simulate"\nstart = 99', EXPORT))
    assert entry["error"] == 'frame 99 is outside sequence "arm"; its frames are 0 to 23' and entry["step"] == 2


def test_a_worker_of_another_version_refuses(tmp_path: Path) -> None:
    write_clip(tmp_path / "clips" / "arm.bvh")
    entry = run_job(replace(job_of(tmp_path, EXPORT), version="0.0.1"))
    assert entry["state"] == "failed" and "expected 0.0.1, as where the work comes from" in entry["error"]


def test_a_worker_that_cannot_be_prepared_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def prepare() -> None:
        raise KernelError("kernel x does not compile")

    monkeypatch.setattr(job_module, "prepare", prepare)
    write_clip(tmp_path / "clips" / "arm.bvh")
    entry = run_job(job_of(tmp_path, EXPORT))
    assert (entry["state"], entry["error"]) == ("failed", "kernel x does not compile") and "step" not in entry


def test_what_cannot_be_done_leaves_nothing_and_says_why(tmp_path: Path) -> None:
    (tmp_path / "clips").mkdir()
    (tmp_path / "clips" / "arm.bvh").write_text("HIERARCHY nothing")
    entry = run_job(job_of(tmp_path, EXPORT))
    assert (entry["state"], entry["step"], entry["do"]) == ("failed", 1, "import") and "arm.bvh" in entry["error"]
    assert "results" not in entry and names(tmp_path / "out") == []
    write_clip(tmp_path / "clips" / "arm.bvh")
    known = run_job(job_of(tmp_path, EXPORT, more=(Broken("known"),)))
    assert (known["step"], known["do"], known["error"]) == (3, "broken", "it is too long (and 1 more)")
    fault = run_job(job_of(tmp_path, EXPORT, more=(Broken("fault"),)))
    assert fault["error"] == "ZeroDivisionError: by nothing" and "Traceback" in fault["details"]
    assert (
        "details" not in known and names(tmp_path / "out") == [] and not list((tmp_path / "out" / PLACE).glob("work/*"))
    )
