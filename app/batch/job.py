"""One job: a clip from its file through all steps to its results, as a worker does it."""

from __future__ import annotations

import hashlib
import os
import platform
import secrets
import shutil
import time
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.batch.environment import check_version, environment, give_back, one_at_a_time, prepare
from app.batch.steps import Clip, Step, StepError
from core import __version__
from core.animation.locks.strip import repeatable_ids
from core.errors import CoreError
from core.in_place import put_in_place
from core.regular_file import Stamp, noting_opened, stamp_of
from core.system_calls import memory_in_use

PLACE = ".batch"
"""Folder inside that of the results where the batch keeps what is its own."""
WORK = "work"
RUN = "run"
"""File in there with the token of the run that is at work."""


@dataclass(frozen=True)
class Job:
    """What is done for one clip and one seed.

    Attributes:
        name: What its results are called; no other job of the batch has it.
        source: The file.
        seed: The seed; None where the steps have none.
        steps: What is done, reading first.
        folder: Where the results go.
        key: Hash of steps, seed and version: with the same key and the same files the same comes out.
        run: Token of the run that gives it to workers; "" where no other run can come in between.
        version: Of the program that made it.
    """

    name: str
    source: Path
    seed: int | None
    steps: tuple[Step, ...]
    folder: Path
    key: str
    run: str = ""
    version: str = __version__


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file, as hexadecimal digits."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def run_job(job: Job) -> dict[str, Any]:
    """Do a job; return its entry of the manifest.

    Results are written beside their place and moved there when the last step is done. What goes wrong is in the entry:
    ``error``, one line; ``step``, the number of the step, counted from 1, and ``do``, its kind, if a step failed;
    ``details`` where the program is at fault.
    """
    with one_at_a_time:
        try:
            return _run(job)
        finally:
            give_back()


def _run(job: Job) -> dict[str, Any]:
    begun, worked = time.perf_counter(), time.process_time()
    work = job.folder / PLACE / WORK / f"{os.getpid()}-{secrets.token_hex(4)}"
    clip = Clip(job.source, job.name, job.seed, work)
    entry: dict[str, Any] = {"name": job.name, "key": job.key, "seed": job.seed, "state": "done"}
    number, costs = 0, list[float]()
    try:
        check_version(job.version)
        prepare()
        _check_run(job)
        before = file_digest(job.source)
        work.mkdir(parents=True)
        with noting_opened() as opened, repeatable_ids(job.name):
            for step in job.steps:
                number, since = number + 1, time.process_time()
                step.run(clip, None)
                costs.append(round(time.process_time() - since, 4))
        number = 0  # what goes wrong from here on is no step's fault
        entry["files"] = _files(job.source, before, opened)
        _check_run(job)
        entry["results"] = _moved(clip, job.folder)
    except (CoreError, OSError, MemoryError) as error:
        entry |= {"state": "failed", "error": _line(error)}
    except Exception as error:  # a fault of the program costs its clip alone, and is told whole
        entry |= {"state": "failed", "error": f"{type(error).__name__}: {_line(error)}"}
        entry["details"] = traceback.format_exc()
    finally:
        shutil.rmtree(work, ignore_errors=True)
    if entry["state"] != "done" and number:
        entry |= {"step": number, "do": job.steps[number - 1].do}
    return entry | {
        "notes": clip.notes,
        "warnings": clip.warnings,
        "seconds": round(time.perf_counter() - begun, 4),
        "processor_seconds": round(time.process_time() - worked, 4),
        "step_seconds": costs,
        "memory": memory_in_use(),
        "worker": f"{platform.node()}:{os.getpid()}",
        "environment": environment(),
    }


def _line(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or ''}: {error.strerror}".removeprefix(": ")
    lines = str(error).splitlines() or [type(error).__name__]
    more = f" (and {len(lines) - 1} more)" if len(lines) > 1 else ""
    return lines[0] + more


def _check_run(job: Job) -> None:
    """See that the run which gave the job is still the one at work in its folder.

    A run that was killed may leave workers behind; what they write must not replace results of the next one.

    Raises:
        StepError: If another run has begun there.
    """
    if not job.run:
        return
    place = job.folder / PLACE
    try:
        os.listdir(place)  # a disk that is shared over a network may else answer from what it remembers
        now = (place / RUN).read_text(encoding="ascii", errors="replace")
    except OSError:
        now = ""
    if now != job.run:
        raise StepError(f"the batch that this belongs to has ended; another one may be writing into {job.folder}")


def _files(source: Path, before: str, opened: Mapping[Path, Stamp]) -> dict[str, str]:
    """Return the hashes of the files that the clip was made of, by their paths from its folder.

    Args:
        source: The clip.
        before: Its hash before it was read.
        opened: All files that were opened, and the state they were in.

    Raises:
        StepError: If one of them was changed meanwhile: nobody knows which state the results are of.
    """
    found = {}
    for path in dict.fromkeys((source, *opened)):
        absolute = path.absolute()
        if absolute.is_file():
            digest = file_digest(absolute)
            if (path == source and digest != before) or (path in opened and stamp_of(absolute) != opened[path]):
                raise StepError(
                    f"{absolute.name} was changed while the clip was being processed; run the same command again"
                )
            found[os.path.relpath(absolute, source.parent)] = digest
    return found


def _moved(clip: Clip, folder: Path) -> dict[str, str]:
    """Move results to their place; return their hashes."""
    digests = {}
    for result in clip.written:
        made = clip.folder / result
        digests[result.as_posix()] = file_digest(made)
        target = folder / result
        target.parent.mkdir(parents=True, exist_ok=True)
        put_in_place(made, target)
    return digests
