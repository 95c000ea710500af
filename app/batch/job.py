"""One job: a clip from its file through all steps to its results, as a worker does it."""

from __future__ import annotations

import hashlib
import os
import platform
import secrets
import shutil
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.batch.environment import environment, one_at_a_time, prepare
from app.batch.steps import Clip, Step
from core.animation.locks.strip import repeatable_ids
from core.errors import CoreError
from core.regular_file import noting_opened
from core.system_calls import memory_in_use

PLACE = ".batch"
"""Folder inside that of the results where the batch keeps what is its own."""
WORK = "work"
_CHUNK = 1 << 20


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
    """

    name: str
    source: Path
    seed: int | None
    steps: tuple[Step, ...]
    folder: Path
    key: str


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file, as hexadecimal digits."""
    made = hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            made.update(chunk)
    return made.hexdigest()


def run_job(job: Job) -> dict[str, Any]:
    """Do a job; return its entry of the manifest.

    Results are written beside their place and moved there when the last step is done. What goes wrong is in the entry:
    ``error``, one line; ``step``, the number of the step, counted from 1; ``details`` where the program is at fault.
    """
    with one_at_a_time:
        prepare()
        return _run(job)


def _run(job: Job) -> dict[str, Any]:
    begun, worked = time.perf_counter(), time.process_time()
    work = job.folder / PLACE / WORK / f"{os.getpid()}-{secrets.token_hex(4)}"
    clip = Clip(job.source, job.name, job.seed, work)
    entry: dict[str, Any] = {"name": job.name, "key": job.key, "seed": job.seed, "state": "done"}
    number, costs = 0, list[float]()
    try:
        work.mkdir(parents=True)
        with noting_opened() as opened, repeatable_ids(job.name):
            for step in job.steps:
                number, since = number + 1, time.process_time()
                step.run(clip, None)
                costs.append(round(time.process_time() - since, 4))
        entry["files"] = _files(job.source, opened)
        entry["results"] = _moved(clip, job.folder)
    except (CoreError, OSError, MemoryError) as error:
        entry |= {"state": "failed", "step": number, "error": _line(error)}
    except Exception as error:  # a fault of the program costs its clip alone, and is told whole
        name = type(error).__name__
        known = name == "GraphicsError"
        entry |= {"state": "failed", "step": number, "error": _line(error) if known else f"{name}: {_line(error)}"}
        if not known:
            entry["details"] = traceback.format_exc()
    finally:
        shutil.rmtree(work, ignore_errors=True)
    if "step" in entry:
        entry["do"] = job.steps[number - 1].do
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


def _files(source: Path, opened: Sequence[Path] | dict[Path, None]) -> dict[str, str]:
    """Return the hashes of the files that the clip was made of, by their paths from its folder."""
    found = {}
    for path in (source, *opened):
        absolute = path.absolute()
        if absolute.is_file():
            found[os.path.relpath(absolute, source.parent)] = file_digest(absolute)
    return found


def _moved(clip: Clip, folder: Path) -> dict[str, str]:
    """Move results to their place; return their hashes."""
    digests = {}
    for result in clip.written:
        made = clip.folder / result
        digests[result.as_posix()] = file_digest(made)
        target = folder / result
        target.parent.mkdir(parents=True, exist_ok=True)
        os.replace(made, target)
    return digests
