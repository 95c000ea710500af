"""The journal: every step, undo and redo as one line of JSON, so that a crash costs nothing but the drag under way."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from PySide6.QtCore import QLockFile, QStandardPaths

from app.document.content.records import Record
from core.errors import FormatError, Problem

VERSION = 1
SUFFIX = ".journal"


def default_folder() -> Path:
    """Return the platform's data folder for journals."""
    place = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.AppDataLocation)
    return Path(place) / "journals"


def _lock_for(path: Path) -> QLockFile:
    lock = QLockFile(str(path) + ".lock")
    # Never stale by age: an editor may be open for days. Qt still takes over the lock of a process that is dead.
    lock.setStaleLockTime(0)
    return lock


class Journal:
    """Writes one document's journal; the process that writes it holds its lock.

    Args:
        folder: Folder for journals; made if missing.

    Raises:
        OSError: If the file cannot be made.

    Attributes:
        path: The journal's file.
    """

    def __init__(self, folder: Path):
        folder.mkdir(parents=True, exist_ok=True)
        number = 0
        while True:
            self.path = folder / f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}-{number}{SUFFIX}"
            self._lock = _lock_for(self.path)
            if not self.path.exists() and self._lock.tryLock(0):
                break
            number += 1
            if number > 999:
                raise OSError(f"no journal can be locked in {folder}")
        self._stream: IO[str] | None = None

    def begin(
        self,
        base: Record,
        path: Path | None,
        content: str | None = None,
        name: str = "",
        records: Iterable[Record] = (),
    ) -> None:
        """Start over from a base state and what was done since.

        Args:
            base: The state as ``Model.to_json`` gives it.
            path: The document's file, or None.
            content: Digest of what that file held then, as ``disk_file.content_of`` gives it, or None.
            name: What a person would call what is open.
            records: The lines after it.

        Raises:
            OSError: If it cannot be written; what was there is still there.
        """
        head = {
            "journal": VERSION,
            "pid": os.getpid(),
            "time": time.time(),
            "path": None if path is None else str(path.resolve()),
            "content": content,
            "name": name,
            "base": base,
        }
        # The new base replaces the old journal in one go, so that a crash in between loses neither.
        fresh = self.path.with_suffix(".part")
        try:
            with open(fresh, "w", encoding="utf-8") as stream:
                for record in (head, *records):
                    stream.write(json.dumps(record, ensure_ascii=True) + "\n")
            self._close_stream()
            os.replace(fresh, self.path)
        except OSError:
            fresh.unlink(missing_ok=True)  # half of it is of no use, and takes what room there is
            raise
        self._stream = open(self.path, "a", encoding="utf-8")

    def write(self, record: Record) -> None:
        """Append one line and hand it to the system.

        Raises:
            OSError: If it cannot be written.
        """
        if self._stream is not None:
            self._stream.write(json.dumps(record, ensure_ascii=True) + "\n")
            self._stream.flush()

    def _close_stream(self) -> None:
        if self._stream is not None:
            with contextlib.suppress(OSError):  # what was left to write when the disk was full
                self._stream.close()
            self._stream = None

    def remove(self) -> None:
        """Remove the journal after a clean close."""
        self._close_stream()
        self.path.unlink(missing_ok=True)
        self._lock.unlock()

    def release(self) -> None:
        """Stop writing and leave the journal for recovery."""
        self._close_stream()
        self._lock.unlock()


@dataclass(frozen=True)
class JournalLeft:
    """A journal that a process left behind.

    Attributes:
        path: The journal.
        document: The file that was open, or None.
        name: What a person would call what was open.
        time: When the last thing was written to it, [s] since 1970.
        steps: How many steps it holds.
        unsaved: How many of them, at the end, no file holds.
    """

    path: Path
    document: Path | None
    name: str
    time: float
    steps: int
    unsaved: int


def read_journal(path: Path) -> tuple[Record, list[Record]]:
    """Return a journal's first line and the lines after it; a last line that was cut off is left out.

    Raises:
        FormatError: If it is not a journal.
    """
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise FormatError(Problem(path.name, 0, 0, f"cannot be read: {error.strerror or error}")) from None
    records = list(_records(lines))
    head: Any = records[0] if records else None
    if not isinstance(head, dict) or head.get("journal") != VERSION or not isinstance(head.get("base"), dict):
        raise FormatError(Problem(path.name, 1, 0, f"is not a journal of version {VERSION}"))
    return head, records[1:]


def _records(lines: list[str]) -> Iterator[Record]:
    for line in lines:
        try:
            record = json.loads(line)
        except ValueError:
            return
        if not isinstance(record, dict):
            return
        yield record


def journals_left(folder: Path | None = None) -> list[JournalLeft]:
    """Return the journals in a folder whose process is dead, newest first; those without a step are removed."""
    folder = default_folder() if folder is None else folder
    found: list[JournalLeft] = []
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        lock = _lock_for(path)
        if not lock.tryLock(0):
            continue
        try:
            head, records = read_journal(path)
            steps = sum("do" in record for record in records)
            saved = [record["saved"] for record in records if "saved" in record]
            file = str(saved[-1] if saved else head.get("path") or "")
            document = Path(file) if file else None
            name = document.name if document is not None else str(head.get("name") or "an unsaved clip")
            if _unsaved(records):
                when = path.stat().st_mtime
                found.append(JournalLeft(path, document, name, when, steps, _edits_after_save(records)))
            else:
                path.unlink(missing_ok=True)
        except (FormatError, OSError):
            # Not ours to delete: perhaps a newer version's.
            continue
        finally:
            lock.unlock()
    return sorted(found, key=lambda left: left.time, reverse=True)


def _unsaved(records: list[Record]) -> bool:
    """Return whether anything was done after the last save."""
    return bool(records) and "saved" not in records[-1]


def _edits_after_save(records: list[Record]) -> int:
    """Return how many steps away from the last save the work is."""
    done = at = saved = 0
    for record in records:
        if "saved" in record:
            saved = at
        elif "do" in record:
            at += 1
            done = at
        elif "undo" in record:
            at = max(at - 1, 0)
        elif "redo" in record:
            at = min(at + 1, done)
    return abs(at - saved)


def discard(path: Path) -> None:
    """Remove a journal that was recovered or is not wanted."""
    path.unlink(missing_ok=True)
    Path(str(path) + ".lock").unlink(missing_ok=True)
