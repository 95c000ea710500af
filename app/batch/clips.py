"""Which files are clips, and which jobs they make."""

from __future__ import annotations

import fnmatch
import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from app.batch.job import Job
from app.batch.steps import Simulate, Step, StepError
from core import __version__
from core.formats import format_of

_FORM = 1
"""Counts up when what an entry of the manifest says changes its meaning."""


def find_clips(places: Sequence[Path], patterns: Sequence[str], results: Path) -> list[tuple[Path, str]]:
    """Return files and what their results are called, in order of names.

    Args:
        places: Folders, searched with all inside, and files.
        patterns: Of names, as ``*.bvh``; none takes every file with motion that can be read.
        results: The folder of results; what is in there is no clip.

    Returns:
        Paths, and names without suffix: the path inside the folder; with several folders it begins with theirs. A file
        that is found more than once is there once, under its first name.

    Raises:
        StepError: If there is none, a place is not there, or results lie over clips.
    """
    results = results.resolve()
    found: dict[Path, str] = {}
    for place in places:
        if place.is_file():
            found.setdefault(place.resolve(), place.stem)
        elif place.is_dir():
            root = place.resolve()
            if root == results or results in root.parents:
                raise StepError(
                    f"{place} is inside the folder for the results, {results}; expected clips and results apart"
                )
            before = f"{root.name}/" if len(places) > 1 else ""
            for path in _files(root, results):
                if _wanted(path, patterns):
                    found.setdefault(path, before + path.relative_to(root).with_suffix("").as_posix())
        else:
            raise StepError(f"{place} is not there; expected a folder of clips, or a clip")
    if not found:
        wanted = f"files named {' or '.join(patterns)}" if patterns else "motion files"
        raise StepError(f"there are no clips in {', '.join(str(place) for place in places)}; expected {wanted}")
    return _named(list(found.items()))


def _files(root: Path, results: Path) -> Iterator[Path]:
    for folder, inside, files in os.walk(root):
        inside[:] = sorted(name for name in inside if not name.startswith(".") and Path(folder, name) != results)
        for name in sorted(files):
            if not name.startswith("."):
                yield Path(folder, name)


def _wanted(path: Path, patterns: Sequence[str]) -> bool:
    if patterns:
        return any(fnmatch.fnmatch(path.name.lower(), pattern.lower()) for pattern in patterns)
    format = format_of(path)  # files of figures alone are taken only if the steps name them
    return format is not None and path.suffix.lower() not in format.figures_alone


def _named(found: list[tuple[Path, str]]) -> list[tuple[Path, str]]:
    """Return clips with names that no two share: those of ``walk.bvh`` and ``walk.amc`` keep their suffix."""
    named: list[tuple[Path, str]] = []
    count: dict[str, int] = {}
    for _, name in found:
        count[name.casefold()] = count.get(name.casefold(), 0) + 1
    taken: dict[str, Path] = {}
    for path, name in found:
        if count[name.casefold()] > 1:
            name = f"{name}-{path.suffix[1:].lower()}"
        other = taken.setdefault(name.casefold(), path)
        if other != path:
            raise StepError(
                f'{other} and {path} would both be called "{name}"; give the folder that contains both instead'
            )
        named.append((path, name))
    return sorted(named, key=lambda each: each[1])


def jobs_of(clips: Sequence[tuple[Path, str]], steps: tuple[Step, ...], folder: Path) -> list[Job]:
    """Return what is to be done: each clip, with each seed of the step that has some.

    Args:
        clips: From :func:`find_clips`.
        steps: The steps.
        folder: Where results go.

    Raises:
        StepError: If two jobs would write the same file.
    """
    seeded = [step.seeds for step in steps if isinstance(step, Simulate) and step.seeds]
    seeds: tuple[int | None, ...] = seeded[0] if seeded else (None,)
    record = json.dumps([_reading(steps), *(step.record() for step in steps[1:])])
    folder = folder.resolve()
    jobs = []
    for path, name in clips:
        for seed in seeds:
            made = hashlib.sha256(f"{_FORM} {__version__} {seed} {record}".encode()).hexdigest()
            called = f"{name}-seed-{seed}" if len(seeds) > 1 else name
            jobs.append(Job(called, path, seed, steps, folder, made))
    _check_results(jobs)
    return jobs


def _check_results(jobs: Sequence[Job]) -> None:
    """See that every result belongs to one job; some disks take ``Walk`` and ``walk`` for the same name.

    Raises:
        StepError: If two jobs would write the same file; names both.
    """
    written: dict[str, tuple[Job, int]] = {}
    for job in jobs:
        for number, step in enumerate(job.steps, 1):
            for result in step.results(job.name):
                other, before = written.setdefault(result.as_posix().casefold(), (job, number))
                if other is not job:
                    raise StepError(
                        f"{job.folder / result} would be written both for {other.source} (step {before}) and for "
                        f"{job.source} (step {number}); give one of the two steps another folder, or rename a clip"
                    )


def _reading(steps: tuple[Step, ...]) -> dict[str, object]:
    """Return how clips are read; which of a folder are does not change what comes of one."""
    return {name: value for name, value in steps[0].record().items() if name != "files"}
