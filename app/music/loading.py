"""The music that is open: its samples and their picture, read beside the window, and its beats, found there too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal

from app.document.changes import Change, FigureChanged, FileChanged, SequenceChanged
from app.document.document import Document
from app.work.background import BUSY, Background, Progress
from core.audio import AudioError, AudioRecord, Beats, Sound, Waveform, find_beats, read_sound
from core.errors import CoreError
from core.formats.project import resolved_source
from core.regular_file import other_kind

T = TypeVar("T")

_READING, _DRAWING = 0.5, 0.6
"""Shares of the work that are done when a sound is read, and when its picture is."""


class Loaded(NamedTuple):
    """A sound that was read: the samples, their picture, and the beats if they were asked for."""

    sound: Sound
    waveform: Waveform
    beats: Beats | None


def _load(path: Path, beats: bool, progress: Progress) -> Loaded:
    end = _DRAWING if beats else 1.0
    sound = read_sound(path, lambda done: progress(done * _READING * end / _DRAWING))
    waveform = Waveform(sound, lambda done: progress(end * (_READING + done * (_DRAWING - _READING)) / _DRAWING))
    found = find_beats(sound, lambda done: progress(end + done * (1.0 - end))) if beats else None
    return Loaded(sound, waveform, found)


class Music(QObject):
    """Keeps the sound of the shown sequence in memory.

    Args:
        document: The open document.
        background: Where long work is done.
        parent: Qt parent.

    Attributes:
        sound: The samples; None while there are none.
        waveform: Their picture; None while there are none.
        problem: Why there are none, in a few words; "" if nothing is wrong.

    Signals:
        changed(): Sound, picture or problem are others.
    """

    changed = Signal()

    def __init__(self, document: Document, background: Background, parent: QObject | None = None):
        super().__init__(parent)
        self._document = document
        self._background = background
        self.sound: Sound | None = None
        self.waveform: Waveform | None = None
        self.problem = ""
        self._file: str | None = None  # what is in memory, or was tried last
        self._wanted: str | None = None  # what is to be read once nothing else is under way
        self._loading: str | None = None
        document.changed.connect(self._take)
        background.ended.connect(self._go_on)

    @property
    def record(self) -> AudioRecord | None:
        """The sequence's music; None if there is none or its record makes no sense."""
        try:
            return self._document.music.record
        except AudioError:
            return None

    @property
    def reading(self) -> bool:
        """Whether the sound is being read, or waits for its turn."""
        return self._loading is not None or self._wanted is not None

    # -- what the document says ------------------------------------------------------------------------------------

    def _take(self, change: Change) -> None:
        if isinstance(change, (FileChanged, FigureChanged, SequenceChanged)):
            self.follow()

    def follow(self) -> None:
        """Read the file that the sequence names now, unless it is in memory already."""
        record = self.record
        file = None if record is None else record.file
        if file == self._file:
            return
        self._file, self.sound, self.waveform, self.problem = file, None, None, ""
        self._wanted = file
        self.changed.emit()
        self._begin()

    def retry(self) -> None:
        """Read the file once more."""
        self._file = None
        self.follow()

    def _begin(self) -> None:
        file = self._wanted
        if file is None or self._background.busy:
            return
        self._wanted = None
        path = resolved_source(file, None)
        if path is None or not path.is_file():
            kind = "" if path is None else other_kind(path)
            self.problem = f"is {kind}, not a file" if kind else "is not where it was"
            self.changed.emit()
            return
        self._loading = file
        self._background.run(
            f"Reading {path.name}",
            partial(_load, path, False),
            partial(self._loaded, file),
            partial(self._failed, file),
        )

    def _go_on(self) -> None:
        # When this is said, the result may be about to come: whether it does is known a moment later.
        QTimer.singleShot(0, self, self._after_work)

    def _after_work(self) -> None:
        if self._background.busy:
            return
        if self._loading is not None:  # ended without a result
            if self._loading == self._file:
                self.problem = "was not read: cancelled"
                self.changed.emit()
            self._loading = None
        self._begin()

    def _loaded(self, file: str, loaded: Loaded) -> None:
        self._loading = None
        if file == self._file:
            self.sound, self.waveform, self.problem = loaded.sound, loaded.waveform, ""
            self.changed.emit()

    def _failed(self, file: str, error: Exception) -> None:
        self._loading = None
        if file == self._file:
            self.problem = "cannot be read"
            self.changed.emit()
        self._refuse(error)

    def _refuse(self, error: Exception) -> None:
        if not isinstance(error, (CoreError, OSError)):
            raise error
        self._document.say("error", str(error).partition("\n")[0], str(error))

    # -- what a person asks for ------------------------------------------------------------------------------------

    def load(self, path: Path, done: Callable[[], object] | None = None) -> bool:
        """Read a sound file and find its beats; if it can be read it becomes the sequence's music, as one step.

        Args:
            path: The file.
            done: Called once it is there.

        Returns:
            Whether it is being read.
        """
        if self._document.sequence is None:
            self._document.say("info", "Open a figure first; music goes with its sequence")
            return False
        sequence = self._document.sequence
        return self._run(
            f"Reading {path.name}",
            partial(_load, path, True),
            lambda loaded: self._take_load(path.resolve(), sequence, loaded, done),
        )

    def _take_load(self, path: Path, sequence: object, loaded: Loaded, done: Callable[[], object] | None) -> None:
        from core.formats.bundled import bundled_name

        if self._document.sequence is not sequence:
            self._document.say("info", f"{path.name} was not loaded: another sequence is shown now")
            return
        before, file = self.record, bundled_name(path) or str(path)
        # Another recording starts elsewhere; the same file again keeps what was set by hand.
        record = replace(before, file=file) if before is not None and before.file == file else AudioRecord(file)
        self._file, self._wanted = file, None
        self.sound, self.waveform, self.problem = loaded.sound, loaded.waveform, ""
        if loaded.beats is not None and not record.beats:
            record = record.with_beats(loaded.beats.times, loaded.beats.tempo, loaded.beats.downbeat)
        self._document.music.set(record, text="Load music")
        self.changed.emit()
        self._report_beats(path.name, loaded.beats)
        if done is not None:
            done()

    def detect(self, near: float | None = None) -> bool:
        """Find the beats of the sound again; returns whether the search has begun.

        Args:
            near: Tempo that is known already, [beats a minute].
        """
        sound, record = self.sound, self.record
        if sound is None or record is None:
            self._document.say("info", "There is no music to find beats in; load some first")
            return False
        return self._run(
            f"Finding beats in {sound.name}",
            lambda progress: find_beats(sound, progress, near),
            lambda beats: self._take_beats(record.file, beats),
        )

    def _take_beats(self, file: str, beats: Beats) -> None:
        record = self.record
        if record is None or record.file != file or self.sound is None:
            return
        if len(beats.times):
            self._document.music.set(record.with_beats(beats.times, beats.tempo, beats.downbeat), text="Detect beats")
        self._report_beats(self.sound.name, beats)

    def _report_beats(self, name: str, beats: Beats | None) -> None:
        if beats is None:
            return
        if beats.tempo is None:
            self._document.say(
                "warning", f"No steady beat was found in {name}; tap along with it, or add beats by hand"
            )
        elif beats.doubtful:
            self._document.say(
                "warning", f"The beat of {name} is uncertain, {beats.tempo:.0f} bpm; check it, or tap along"
            )
        else:
            self._document.say("info", f"{len(beats.times)} beats in {name}, {beats.tempo:.1f} bpm")

    def _run(self, text: str, work: Callable[[Progress], T], done: Callable[[T], None]) -> bool:
        if not self._background.run(text, work, done, self._refuse):
            self._document.say("warning", BUSY)
            return False
        return True
