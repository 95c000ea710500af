"""The part of a document that opens, saves, names, journals and recovers."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QTimer

from app.document.base import DocumentBase
from app.document.changes import FileChanged, SelectionChanged
from app.document.commands.base import Command
from app.document.content.model import Model
from app.document.content.records import Figure, Record
from app.document.edits import figure_edits
from app.document.files import model_files
from app.document.files.journal import Journal, default_folder, discard, read_journal
from app.document.files.model_files import DiskFile, OnDisk, content_of
from app.document.step import Step
from core.errors import CoreError, FormatError, Problem
from core.skeleton import Skeleton

RETRY_JOURNAL = 20.0
"""Seconds after which a journal that could not be written is tried again with the next step."""

CHANGED_OUTSIDE = "was changed by another program since it was opened or saved here; it was not overwritten"

if TYPE_CHECKING:
    from app.document.files.recent import RecentFiles
    from core.formats import ImportChoices


class Files:
    """Files of a document. Nothing here raises on bad input: ``message`` reports it, and the document stays as it was.

    Attributes:
        recent: Files opened and saved are put in it if it is set.
    """

    def __init__(self, document: DocumentBase):
        self._document = document
        self.recent: RecentFiles | None = None
        self._path: Path | None = None
        self._disk: DiskFile | None = None
        self._origin: Path | None = None
        self._figure_saved: tuple[Skeleton, Path] | None = None
        self._journal: Journal | None = None
        self._journal_stopped: float | None = None  # when it could last not be written, by the monotonic clock
        document.write_step = self._write_step

    # -- names -----------------------------------------------------------------------------------------------------

    @property
    def path(self) -> Path | None:
        """The document's ``.seq`` file, or None."""
        return self._path

    @property
    def disk(self) -> DiskFile | None:
        """What is known of the document's ``.seq`` file on the disk; None without one."""
        return self._disk

    @property
    def origin(self) -> Path | None:
        """The file that the document came from or went to last, whatever its format; None if it was made here."""
        return self._path if self._path is not None else self._origin

    @property
    def figure_saved(self) -> Path | None:
        """The ``.scr`` file that holds the active figure as it is now, and saved after the document; else None."""
        if self._figure_saved is None:
            return None
        figure, path = self._figure_saved
        return path if figure is self._document.model.skeleton else None

    @property
    def clip_name(self) -> str:
        """What a person would call what is open: its file, else the motion it came from, its sequence or its figure."""
        origin, sequence, figure = self.origin, self._document.model.sequence, self._document.model.skeleton
        if origin is not None and (self._path is not None or origin.suffix.lower() != model_files.FIGURE_SUFFIX):
            return origin.name
        if sequence is not None and sequence.name not in ("", "Untitled"):
            return f'"{sequence.name}"'
        return "an unsaved clip" if figure is None else f"an unsaved clip of {figure.name}"

    @property
    def title(self) -> str:
        """``walk.seq — human.scr •``: the file, the active figure's file, and a dot if modified.

        A file of another program is ``walk.bvh (imported)``; its figure is in no file of its own.
        """
        model = self._document.model
        shown = model.figures[model.active.figure] if model.active.figure >= 0 else None
        figure = shown.file_name if shown is not None else ""
        if self._path is not None:
            name = self._path.name
        elif self._origin is not None and self._origin.suffix.lower() not in model_files.OWN:
            name = f"{self._origin.name} (imported)"
            if shown is not None and shown.source is None:
                figure = ""
        else:
            name = "Untitled"
        return name + (f" — {figure}" if figure else "") + (" •" if self._document.modified else "")

    def follow(self, old: Path, new: Path) -> None:
        """Take note that a file was renamed or moved on the disk; if it is this document's, that is its file now."""
        if self._path == old or self._origin == old:
            if self._path == old:
                self._path = new
                self._disk = None if self._disk is None else DiskFile(new, self._disk.content)
            self._origin = new if self._origin == old else self._origin
            self._document.announce([FileChanged("modified")])

    def forget_origin(self) -> None:
        """Forget which file of another program the document came from: it is only lent."""
        if self._origin is not None and self._path is None:
            if self.recent is not None:
                self.recent.forget(self._origin)
            self._origin = None
            self._document.announce([FileChanged("modified")])

    # -- opening and saving ----------------------------------------------------------------------------------------

    def new(self, figure: Skeleton | None = None) -> None:
        """Start an empty document, or one with a figure made here and an empty sequence."""
        self._install(Model() if figure is None else Model.of([Figure(figure)]), None)

    def open(self, path: str | Path, *, unit: float | None = None, choices: ImportChoices | None = None) -> bool:
        """Open any readable file in place of this document; a figure alone gets an empty sequence.

        Args:
            path: The file.
            unit: Metres in one unit of the file, for formats that do not say; None guesses.
            choices: What else is chosen about a motion file of another program, the unit included.

        Returns:
            Whether it was possible; if not, ``message`` has said why and this document is untouched.
        """
        path = Path(path)
        content = content_of(path)
        try:
            model, warnings = model_files.read_model(path, unit=unit, choices=choices)
        except (CoreError, OSError) as error:
            self.refuse(path, error)
            return False
        self.adopt(model, warnings, path, content)
        return True

    def adopt(self, model: Model, warnings: Iterable[Problem], path: Path, content: str | None) -> None:
        """Take what ``files.read_model`` has read from ``path`` in place of this document.

        Args:
            model: What was read.
            warnings: Told in one line.
            path: The file.
            content: What ``disk_file.content_of`` said before it was read: if it changes meanwhile, that is noticed.
        """
        own = path if path.suffix.lower() == model_files.SUFFIX else None
        self._install(model, own, path, None if own is None else DiskFile(own, content))
        self._remember(path)
        self._warn(warnings, path)

    def refuse(self, path: Path, error: Exception) -> None:
        """Say why a file cannot be read; the document is untouched."""
        self._document.say("error", model_files.one_line(error, path), model_files.all_lines(error))

    def load_figure(self, path: str | Path) -> bool:
        """Bring a figure in as one step: in the active one's place if its joints are the same, else beside it."""
        path = Path(path)
        read = self._read_figure(path)
        return read is not None and self.take_figure(path, *read)

    def take_figure(self, path: Path, figure: Figure, warnings: Iterable[Problem]) -> bool:
        """Bring in what ``model_files.read_figure`` has read from ``path``, as ``load_figure`` does."""
        self._document.end_gesture()
        self._document.push(figure_edits.loaded(self._document.model, figure), f"Load {path.name}")
        self._remember(path)
        self._warn(warnings, path)
        return True

    def add_figure(self, path: str | Path) -> bool:
        """Put the figure of a file beside the others as one step, whatever joints it has, and make it active."""
        path = Path(path)
        read = self._read_figure(path)
        return read is not None and self.put_beside(path, *read)

    def put_beside(self, path: Path, figure: Figure, warnings: Iterable[Problem]) -> bool:
        """Bring in what ``model_files.read_figure`` has read from ``path``, as ``add_figure`` does."""
        done = self._document.do(
            f"Add {path.stem.capitalize()}", lambda: figure_edits.added(self._document.model, figure, beside=True)
        )
        if done:
            self._warn(warnings, path)
        return done

    def _read_figure(self, path: Path) -> tuple[Figure, tuple[Problem, ...]] | None:
        """Return the figure of a file, and its warnings; None if it cannot be read: the person has been told why."""
        try:
            return model_files.read_figure(path)
        except (CoreError, OSError) as error:
            self.refuse(path, error)
            return None

    def save(self, path: str | Path | None = None, *, over: bool = False) -> bool:
        """Save the document, whole or not at all.

        A file that something else has changed since the document came from it is not written over, unless the person
        was asked.

        Args:
            path: File; None for the document's own. Without a suffix it becomes a ``.seq`` file. Another suffix than
                ``.seq`` is an export: the document keeps its file and stays modified, unless it is a figure with
                nothing else, which a ``.scr`` file holds whole. To name a file is to have asked about it.
            over: Whether the document's own file is written whatever stands there.

        Returns:
            Whether it was possible; if not, ``message`` has said why.
        """
        if path is None and self._path is None:
            self._document.say("error", "The document has no file yet; save it under a name")
            return False
        target = Path(path) if path is not None else self._path
        assert target is not None
        if not target.suffix:
            target = target.with_suffix(model_files.SUFFIX)
        self._document.end_gesture()
        disk = self._disk if path is None and not over else None

        def check() -> None:
            if disk is not None and disk.state() is OnDisk.CHANGED:
                raise FormatError(Problem(target.name, 0, 0, CHANGED_OUTSIDE))

        try:
            check()
            content = model_files.write_model(self._document.model, target, check)
        except (CoreError, OSError) as error:
            self._document.say("error", model_files.one_line(error, target), model_files.all_lines(error))
            return False
        self._remember(target)
        if target.suffix.lower() != model_files.SUFFIX:
            if target.suffix.lower() == model_files.FIGURE_SUFFIX:
                self._note_figure(target)
            self._document.say("info", f"{target.name} written")
            return True
        self._path, self._figure_saved = target, None
        self._disk = DiskFile(target, content)
        self._write_journal({"saved": str(target.resolve()), "content": content})
        self._document.stack.setClean()
        if self._journal_stopped is not None:
            self._write_whole_journal(quietly=True)  # where there was room for the file, there is for the journal
        self._document.announce([FileChanged("saved")])
        pending = self._document.model.pending
        note = f" · the unkeyed pose at frame {pending.frame} is not in the file" if pending is not None else ""
        self._document.say("warning" if note else "info", f"{target.name} saved{note}")
        return True

    def note_lost(self) -> None:
        """Take note that the file no longer holds what was read from it or saved: closing would lose it."""
        if self._document.stack.isClean():
            self._document.stack.resetClean()
            self._write_journal({"unclean": 1})
            self._document.announce_modified()

    def _note_figure(self, target: Path) -> None:
        """Remember that the figure is in a file; if there is nothing but the figure, nothing is left unsaved."""
        assert self._document.model.skeleton is not None
        self._figure_saved = self._document.model.skeleton, target
        if self._path is None and model_files.is_figure_alone(self._document.model):
            self._origin = target
            self._document.stack.setClean()
            self._document.announce([FileChanged("saved")])

    def _remember(self, path: Path) -> None:
        if self.recent is not None:
            self.recent.add(path)

    def _warn(self, warnings: Iterable[Problem], path: Path) -> None:
        warnings = tuple(warnings)
        if warnings:
            self._document.say("warning", model_files.warning_line(warnings, path), "\n".join(map(str, warnings)))

    def _install(
        self, model: Model, path: Path | None, origin: Path | None = None, disk: DiskFile | None = None
    ) -> None:
        """Replace the content; the history starts over."""
        self._document.cancel_gesture()
        self._path, self._origin, self._figure_saved = path, origin, None
        self._disk = disk
        self._document.replace_model(model)
        self._begin_journal()
        chosen = self._document.selection.forget()  # joints of the same names in another file are other joints
        self._document.session.forget_figure()  # and so are the last drag and the keys and locks chosen there
        self._document.announce([SelectionChanged(joints=())] if chosen else [], everything=True)
        self._document.announce_modified()

    # -- journal ---------------------------------------------------------------------------------------------------

    def start_journal(self, folder: Path | None = None) -> bool:
        """Write a journal in ``folder`` or the platform's data folder; steps there already go into it first."""
        try:
            self._journal = Journal(default_folder() if folder is None else Path(folder))
        except OSError as error:
            self._journal = None
            self._document.say("warning", f"No journal: {error.strerror or error}; save often", str(error))
            return False
        return self._write_whole_journal()

    def _write_whole_journal(self, quietly: bool = False) -> bool:
        """Write the journal from the first step on; return whether it is whole.

        Args:
            quietly: Whether nothing is said if it cannot be written.
        """
        journal = self._journal
        if journal is None:
            return False
        stack, index, clean = self._document.stack, self._document.stack.index(), self._document.stack.cleanIndex()
        frame = self._document.model.frame
        self._journal = None  # going back to the first step is no work of the person's
        with self._document.unheard():
            stack.setIndex(0)
            base = self._document.model.to_json()
            stack.setIndex(index)
        self._journal = journal
        self._document.model.frame = frame
        self._document.forget_waiting()
        content = None if self._disk is None else self._disk.content
        records: list[Record] = [{"unclean": 1}] if clean < 0 else []
        for i in range(stack.count()):
            step = stack.command(i)
            assert isinstance(step, Step)
            records.append({"do": step.to_json()})
            if i + 1 == clean and self._path is not None:  # a figure saved alone is no file of the document's
                records.append({"saved": str(self._path), "content": content})
        records += [{"undo": 1}] * (stack.count() - index)
        try:
            journal.begin(base, self._path, content, self.clip_name, records)
        except OSError as error:
            self._stop_journal(error, "No journal", quietly)
            return False
        self._journal_stopped = None
        return True

    def _write_step(self, step: Step, event: str) -> None:
        if self._journal is None:  # without one a record of thousands of keys is not made in vain
            return
        if self._journal_stopped is None:
            self._write_journal({"do": step.to_json()} if event == "do" else {event: 1})
        elif time.monotonic() - self._journal_stopped > RETRY_JOURNAL:
            self._retry_soon()

    def _write_journal(self, record: Record) -> None:
        if self._journal is not None and self._journal_stopped is None:
            try:
                self._journal.write(record)
            except OSError as error:
                self._stop_journal(error, "The journal cannot be written")

    def _stop_journal(self, error: OSError, what: str, quietly: bool = False) -> None:
        """Take note that nothing more can be written; what is in the journal stays there for recovery."""
        self._journal_stopped = time.monotonic()
        if not quietly:
            self._document.say("warning", f"{what}: {error.strerror or error}; save often", str(error))

    def _retry_soon(self) -> None:
        """Try to write the journal anew once the step under way is on the stack."""
        self._journal_stopped = time.monotonic()
        QTimer.singleShot(0, self._document, self._retry_journal)

    def _retry_journal(self) -> None:
        """Write the journal anew if it had stopped, as when a disk was full that has room again."""
        if self._journal_stopped is not None and self._write_whole_journal(quietly=True):
            self._document.say("info", "The journal is written again: a crash costs nothing")

    def _begin_journal(self) -> bool:
        """Start the journal over from the document as it is."""
        if self._journal is None:
            return False
        try:
            content = None if self._disk is None else self._disk.content
            self._journal.begin(self._document.model.to_json(), self._path, content, self.clip_name)
        except OSError as error:
            self._stop_journal(error, "No journal")
            return False
        self._journal_stopped = None
        return True

    def close(self) -> None:
        """End cleanly: the journal goes. Call it when the person has saved or chosen not to."""
        self._document.cancel_gesture()
        if self._journal is not None:
            self._journal.remove()
            self._journal = None

    def recover(self, journal: str | Path) -> bool:
        """Bring back what a journal holds, with its undo history, and remove it once it is in this one's own journal.

        A damaged line ends the replay; what came before it is kept and the damage is reported.
        """
        journal = Path(journal)
        try:
            head, records = read_journal(journal)
            model = Model.from_json(head["base"])
            model.check()
        except (CoreError, KeyError, TypeError, ValueError, IndexError) as error:
            wrapped = error if isinstance(error, CoreError) else FormatError(Problem(journal.name, 1, 0, "is damaged"))
            self._document.say("error", model_files.one_line(wrapped, journal), model_files.all_lines(wrapped))
            return False
        path = None if head.get("path") is None else Path(head["path"])
        self._install(model, path, None, None if path is None else DiskFile(path, head.get("content")))
        damaged = ""
        for number, record in enumerate(records, start=2):
            try:
                self._replay(record)
            except (CoreError, KeyError, TypeError, ValueError, IndexError) as error:
                damaged = f"{journal.name}:{number}: {error}"
                break
        # Without a journal of its own this document is all there is: the old one stays until a new one holds it.
        if self._journal is not None and self._journal_stopped is None and not damaged:
            discard(journal)
        steps = sum("do" in record for record in records)
        if damaged:
            self._document.say("warning", "Recovered up to a damaged line of the journal", damaged)
        else:
            self._document.say("info", f"Recovered {self.clip_name}: {steps} edit{'' if steps == 1 else 's'}")
        self._document.announce([FileChanged("recovered")])
        return True

    def _replay(self, record: dict[str, Any]) -> None:
        if "do" in record:
            step = Step.from_json(self._document, record["do"])
            self._document.take_gesture_id(step.gesture or 0)
            self._try(step)
            self._document.stack.push(step)
        elif "undo" in record:
            self._document.stack.undo()
        elif "redo" in record:
            self._document.stack.redo()
        elif "unclean" in record:
            self._document.stack.resetClean()
        elif "saved" in record:
            self._path = Path(record["saved"])
            self._disk = DiskFile(self._path, record.get("content"))
            self._write_journal(record)
            self._document.stack.setClean()

    def _try(self, step: Step) -> None:
        """Apply a step from a file ahead of its push: one that fails must not land on the stack.

        Raises:
            CoreError: If it does not fit the document, which is then as it was.
        """
        done: list[Command] = []
        try:
            for command in step.commands:
                command.apply(self._document.model)
                done.append(command)
            self._document.model.check()
        except Exception:
            for command in reversed(done):
                command.revert(self._document.model)
            raise
        step.applied = True
