"""What of a batch is done: one line of JSON for each job in the folder of results, added as they come.

A line that was cut off by a crash is left out; its job is done again.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from PySide6.QtCore import QLockFile

from app.batch.environment import lock_holder
from app.batch.job import PLACE, RUN, WORK, Job, file_digest
from app.batch.steps import StepError
from core.errors import FormatError
from core.formats.files import write_text
from core.progress import Progress, report

NAME = "manifest.jsonl"
_LOCK = "lock"
MARK = "README.txt"
_ABOUT = "What sequence-editor batch keeps of its work in this folder; without it, all clips are done again.\n"

Entry = dict[str, Any]


class Manifest:
    """The entries of a folder of results, which this process alone may add to while it is open.

    Args:
        folder: The folder of results; made if it is not there.

    Attributes:
        folder: The folder of results, as an absolute path: workers may have another current folder.
        run: Token of this run, by which its jobs know whether it is still the one at work.
        entries: The last entry of each job, by its name.

    Raises:
        StepError: If another batch is at work there, the folder holds something else, or cannot be written.
        FormatError: If nothing can be written there.
    """

    def __init__(self, folder: Path):
        self.folder = folder = folder.resolve()
        place = folder / PLACE
        if folder.exists() and not folder.is_dir():
            raise StepError(f"{folder} is a file; expected a folder for the results")
        if folder.is_dir() and not place.is_dir() and any(folder.iterdir()):
            raise StepError(
                f"{folder} contains other files; give an empty folder, or one that a batch has written before"
            )
        try:
            place.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StepError(f"{folder} cannot be made: {error.strerror}; give a folder that can be written") from None
        self._lock = _locked(folder)
        self._path = place / NAME
        self._stream: BinaryIO | None = None
        self.entries: dict[str, Entry] = read_entries(folder)
        self.run = secrets.token_hex(16)
        try:
            # From here on workers that a killed run has left behind find neither their token nor what they have made.
            write_text(place / RUN, self.run)
            shutil.rmtree(place / WORK, ignore_errors=True)
            write_text(place / MARK, _ABOUT)
            write_text(self._path, "".join(_line(entry) for entry in self.entries.values()))
            self._stream = self._path.open("ab")
        except (FormatError, OSError):
            self._lock.unlock()
            raise

    @property
    def mark(self) -> Path:
        """A file that is there while the manifest is open."""
        return self.folder / PLACE / MARK

    def __enter__(self) -> Manifest:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file, and remove what workers left that were stopped."""
        if self._stream is not None:
            self._stream.close()
        place = self.folder / PLACE
        (place / RUN).unlink(missing_ok=True)  # a worker of a cluster may still be at something
        shutil.rmtree(place / WORK, ignore_errors=True)
        self._lock.unlock()

    def add(self, entry: Entry) -> None:
        """Note what became of a job; it is on the disk when this returns."""
        assert self._stream is not None
        self.entries[entry["name"]] = entry
        self._stream.write(_line(entry).encode("utf-8"))
        self._stream.flush()
        os.fsync(self._stream.fileno())


def _locked(folder: Path) -> QLockFile:
    """Return the lock of a folder of results, taken.

    Raises:
        StepError: If another batch has it, or it cannot be made.
    """
    lock = QLockFile(str(folder / PLACE / _LOCK))
    lock.setStaleLockTime(0)  # however old: it is stale when its process is gone
    if lock.tryLock(0):
        return lock
    if lock.error() != QLockFile.LockError.LockFailedError:
        raise StepError(f"{lock.fileName()} cannot be written; give a folder for the results that can be")
    raise StepError(
        f"another batch is writing into {folder}: {lock_holder(lock)}; wait for it, or give another folder. "
        f"If it is not running any more, delete {lock.fileName()}"
    )


def read_entries(folder: Path) -> dict[str, Entry]:
    """Return the last entry of each job that was ever done into a folder, by its name."""
    entries: dict[str, Entry] = {}
    try:
        lines = (folder / PLACE / NAME).read_bytes().splitlines()
    except OSError:
        return entries
    for line in lines:
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict) and isinstance(entry.get("name"), str):
            entries[entry["name"]] = entry
    return entries


def done_before(
    jobs: Sequence[Job], entries: Mapping[str, Entry], folder: Path, progress: Progress | None = None
) -> dict[str, Entry]:
    """Return the entries of jobs that need not be done: the same steps were, and all files are as they were then.

    Args:
        jobs: The jobs.
        entries: Of the manifest.
        folder: The folder of results.
        progress: Told how much of what is there was looked at, 0 to 1.
    """
    found = {}
    for number, job in enumerate(jobs):
        report(progress, number / len(jobs))
        entry = entries.get(job.name)
        if entry is None or entry.get("state") != "done" or entry.get("key") != job.key:
            continue
        files, results = entry.get("files"), entry.get("results")
        if not isinstance(files, dict) or not isinstance(results, dict) or job.source.name not in files:
            continue
        if _same(job.source.parent, files) and _same(folder, results):
            found[job.name] = entry
    report(progress, 1.0)
    return found


def _same(folder: Path, digests: dict[str, str]) -> bool:
    """Return whether files in a folder have these hashes."""
    try:
        return all(file_digest(folder / name) == digest for name, digest in digests.items())
    except OSError:
        return False


def _line(entry: Entry) -> str:
    return json.dumps(entry, ensure_ascii=False, allow_nan=False) + "\n"
