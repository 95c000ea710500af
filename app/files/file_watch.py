"""Reports when something else changes the open file, or another editor has it open, and asks what is to be done."""

from __future__ import annotations

import hashlib
import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QFileSystemWatcher, QLockFile, QObject, QStandardPaths, Qt, QTimer
from PySide6.QtGui import QGuiApplication

from app.document.changes import Change, FileChanged
from app.document.files.model_files import DiskFile, OnDisk, Stamp, content_of, stamp_of

if TYPE_CHECKING:
    from app.window.main_window import MainWindow
    from app.window.message_lines import Choice

QUIET_MS = 300
"""A file counts as written once nothing about it has changed for so long: programs write in several steps."""
ABSENT_LOOKS = 4
"""So many looks in a row must find no file before it counts as gone: some programs put the new one there late."""
MOST_LOOKS = 20
"""After so many the file is taken as it is, though it still changes."""


def presence_folder() -> Path:
    """Return the folder in which editors say what they have open."""
    return Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.AppDataLocation)) / "open"


class Presence:
    """Says to other editors of the same person that a file is open in this one."""

    def __init__(self) -> None:
        self._lock: QLockFile | None = None

    def claim(self, path: Path) -> bool:
        """Say that a file is open here, and nothing else any more; return False if another editor has said so."""
        self.release()
        folder = presence_folder()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            name = hashlib.blake2b(os.fsencode(path.resolve()), digest_size=16).hexdigest()
        except (OSError, RuntimeError):
            return True  # nobody can be asked
        lock = QLockFile(str(folder / f"{name}.lock"))
        lock.setStaleLockTime(0)  # never stale by age; what a dead process left, Qt takes over
        if lock.tryLock(0):
            self._lock = lock
            return True
        return lock.error() != QLockFile.LockError.LockFailedError

    def release(self) -> None:
        """Nothing is open here any more."""
        if self._lock is not None:
            self._lock.unlock()
            self._lock = None


class FileWatch(QObject):
    """Watches the document's file. What stands there is compared by content; notices only say when to look.

    Args:
        window: The window.
    """

    def __init__(self, window: MainWindow):
        super().__init__(window)
        self._window, self._document = window, window.document
        self._disk: DiskFile | None = None
        self._presence = Presence()
        self._kept: str | None = ""  # content that the person has been asked about already
        self._seen: Stamp | None = None
        self._looks = self._absent = 0
        self._question = ""
        self._watcher = QFileSystemWatcher(self)
        self._look = QTimer(self, singleShot=True, interval=QUIET_MS)
        self._watcher.fileChanged.connect(self.look_soon)
        self._watcher.directoryChanged.connect(self.look_soon)
        self._look.timeout.connect(self._take_look)
        self._document.changed.connect(self._take)
        # Some file systems report nothing: look whenever the person comes back from another program.
        QGuiApplication.instance().applicationStateChanged.connect(self._come_back)

    def stop(self) -> None:
        """End watching."""
        self._look.stop()
        self._follow(None)

    # -- watching ----------------------------------------------------------------------------------------------------

    def _take(self, change: Change) -> None:
        if isinstance(change, FileChanged) and self._document.files.disk is not self._disk:
            self._follow(self._document.files.disk)

    def _follow(self, disk: DiskFile | None) -> None:
        same_place = disk is not None and self._disk is not None and disk.path == self._disk.path
        self._disk = disk
        self._withdraw()
        self._kept, self._looks, self._absent = "", 0, 0
        self._watch()
        if disk is None:
            self._presence.release()
        elif self._window.remember and not same_place and not self._presence.claim(disk.path):
            # Once the window has shown what was opened: that takes questions about the file before away.
            QTimer.singleShot(0, self, partial(self._report_other_editor, disk))
        if disk is not None and not disk.untouched():
            self.look_soon()  # what was recovered may be older than the file

    def _watch(self) -> None:
        """Watch the file, and its folder: a file that is replaced is another one for the system."""
        wanted = [] if self._disk is None else [str(self._disk.path), str(self._disk.path.parent)]
        watched = {*self._watcher.files(), *self._watcher.directories()}
        gone = [path for path in watched if path not in wanted]
        if gone:
            self._watcher.removePaths(gone)
        missing = [path for path in wanted if path not in watched and os.path.exists(path)]
        if missing:
            self._watcher.addPaths(missing)

    def _come_back(self, state: Qt.ApplicationState) -> None:
        if state == Qt.ApplicationState.ApplicationActive:
            self.look_soon()

    def look_soon(self) -> None:
        """Look at the file as soon as nothing changes it any more."""
        if self._disk is not None and not self._look.isActive():
            self._looks = self._absent = 0
            self._look.start()

    def _take_look(self) -> None:
        disk = self._disk
        if disk is None:
            return
        self._watch()
        if disk.untouched():
            self._withdraw()
            return
        stamp = stamp_of(disk.path)
        settled, self._seen = stamp == self._seen, stamp
        self._looks += 1
        self._absent = self._absent + 1 if stamp is None else 0
        waits = not settled if stamp is not None else self._absent < ABSENT_LOOKS
        if waits and self._looks < MOST_LOOKS:
            self._look.start()
            return
        state = disk.state()
        if state is OnDisk.SAME:
            self._kept = ""
            self._withdraw()
        else:
            found = content_of(disk.path)
            if found != self._kept:
                self._kept = found
                self._notify(state)

    # -- asking ------------------------------------------------------------------------------------------------------

    def _ask(self, text: str, choices: list[Choice], level: str = "warning") -> None:
        self._question = text
        self._window.ask(text, choices, level)

    def _withdraw(self) -> None:
        if self._question:
            self._window.errors.withdraw(self._question)
            self._question = ""

    def _save_as(self, tip: str = "Save what is open here under another name") -> Choice:
        return ("Save as…", tip, self._window.files.save_as)

    def _report_other_editor(self, disk: DiskFile) -> None:
        if disk is self._disk and not self._window.errors.question:
            text = f"{disk.path.name} is open in another editor too; whoever saves second is asked first"
            self._ask(text, [self._save_as("Work on a copy of your own")], "info")

    def _notify(self, state: OnDisk) -> None:
        disk = self._disk
        assert disk is not None
        name = disk.path.name
        if state is not OnDisk.CHANGED:
            self._document.files.note_lost()
            where = "its folder is gone" if state is OnDisk.NO_FOLDER else "it was deleted, moved or renamed"
            choices = [self._save_as()]
            if state is OnDisk.GONE:
                choices.insert(0, ("Save again", f"Write {name} again", self._window.files.save))
            self._ask(f"{name} is no longer there: {where}. What is open here is kept", choices)
            return
        keep = ("Keep mine", "Keep what is open here; Save asks before it replaces the other version", self._keep)
        if self._document.modified:
            text = f"{name} was changed by another program, and also here"
        else:
            text = f"{name} was changed by another program"
        self._ask(text, [self._reload_choice(), keep, self._save_as()])

    def _reload_choice(self) -> Choice:
        if self._document.modified:
            return ("Reload…", "Open the other version; asks first, since your changes would be lost", self._ask_reload)
        return ("Reload", "Open the version on disk", self.reload)

    def _keep(self) -> None:
        self._document.files.note_lost()

    def _ask_reload(self) -> None:
        disk = self._disk
        if disk is not None:
            self._ask(
                f"Reload {disk.path.name}, and lose your changes?",
                [
                    ("Reload", "Changes made here since the last save are lost", self.reload),
                    self._save_as("Keep what is open here under another name"),
                    ("Cancel", "Keep working on what is open here", self._keep),
                ],
            )

    def reload(self) -> None:
        """Open the file as it is now; frame and views stay."""
        if self._disk is not None:
            frame, views = self._document.frame, self._window.area.view_state()

            def back() -> None:
                self._document.set_frame(frame)
                self._window.area.restore_view_state(views)

            self._window.files.reopen(self._disk.path, back)

    # -- saving ------------------------------------------------------------------------------------------------------

    def may_save(self) -> bool:
        """Return whether the document may be written to its file; if not, it has been asked what to do instead."""
        disk = self._document.files.disk
        if disk is None or disk.state() is not OnDisk.CHANGED:
            return True
        self._kept = content_of(disk.path)
        over = ("Overwrite", "Save here, and lose what the other program saved", self._window.files.save_over)
        text = f"{disk.path.name} was not saved: another program has changed it. Overwrite it?"
        self._ask(text, [self._save_as(), self._reload_choice(), over])
        return False

    def offer_save_as(self) -> None:
        """Offer another name after a save that failed."""
        errors = self._window.errors
        self._ask(errors.text, [self._save_as()], "error")
