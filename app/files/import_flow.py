"""Opening motion files of other programs: read as found or as last time, asked about if something is doubtful."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from app.dialogs.import_dialog import ImportDialog
from app.document.changes import Change, FileChanged
from app.document.files import model_files
from app.files.import_memory import ImportMemory
from app.widgets.frames.error_line import Choice
from app.words.import_words import FIRST_APART
from app.words.lengths import distance_text, size_text
from core.errors import CoreError, Problem
from core.formats.importing.choices import ADD, AUTO, FIRST, LOWEST, ImportChoices
from core.formats.importing.measures import standing_height

if TYPE_CHECKING:
    from app.document.content.model import Model
    from app.files.file_window import FileWindow
    from app.files.opening import Opening
    from app.work.background import Progress
    from core.formats.importing.findings import Findings
    from core.skeleton import Skeleton

Then = Callable[[], object] | None
DEEPEST, MOST_TURNED = 0.02, math.radians(30.0)
"""How far below the floor, [m], and turned away from the front, [rad], a motion may be before it is mentioned."""


@dataclass(frozen=True)
class Reading:
    """A file that was read.

    Attributes:
        model: What is in it.
        warnings: What the reader could live with.
        recalled: Whether it was read as files of its source were before.
    """

    model: Model
    warnings: tuple[Problem, ...]
    recalled: bool = False


class Imports:
    """Opens motion files of other programs.

    Args:
        window: The window.
        opening: Runs what takes long, and shows that it does.

    Attributes:
        dialog: The question that is open, or None.
    """

    def __init__(self, window: FileWindow, opening: Opening):
        self._window, self._opening = window, opening
        self._memory = ImportMemory(window.settings)
        self.dialog: ImportDialog | None = None
        self._opened: tuple[Model, Path, Then] | None = None
        self._offered = ""
        window.document.changed.connect(self._take)

    def open(
        self,
        path: Path,
        choices: ImportChoices | None = None,
        then: Then = None,
        answered: bool = False,
        ask: bool = False,
    ) -> bool:
        """Open a file; return whether it is open, being read, or asked about.

        Args:
            path: The file.
            choices: How it is read; None takes what was chosen for its source, else what is found in it.
            then: Called once it is open, and again whenever it was read in another way since.
            answered: Whether a person has just chosen where it stands, so that nothing is offered about that.
            ask: Whether it is asked how, also where there is no doubt.
        """
        arrived = partial(self._arrived, path, choices is not None, answered, then, ask)
        return self._opening.run(path, partial(self.read, path, choices), arrived)

    def change(self) -> None:
        """Ask again how the motion file that is open is to be read."""
        if not self.changeable or self._opened is None or self.dialog is not None:
            return
        model, path, then = self._opened
        found = model.imported
        if found is None or not found.height > 0.0:
            return
        self._read_again(path, found, then)

    @property
    def changeable(self) -> bool:
        """Whether what is open was read from a motion file of another program, wherever it was saved since."""
        return self._opened is not None and self._opened[0] is self._window.document.model

    def note_export(self, figure: Skeleton | None, unit: float) -> None:
        """Remember the unit that a figure was written in with y up, so that reading its file again asks nothing."""
        if figure is not None:
            choices = replace(ImportChoices.found(), unit=unit, up="y")
            self._memory.keep(figure, standing_height(figure) / unit, "y", choices)

    # -- reading -----------------------------------------------------------------------------------------------------

    def read(self, path: Path, choices: ImportChoices | None = None, progress: Progress | None = None) -> Reading:
        """Read a file, as files of its source were read before; called beside the window.

        Args:
            path: The file.
            choices: How it is read; None takes what was chosen for its source, else what is found in it.
            progress: Told what is done.
        """
        begin = choices if choices is not None else ImportChoices.found()
        model, warnings = model_files.read_model(path, choices=begin, progress=progress)
        if choices is None and model.imported is not None and model.skeleton is not None:
            known = self._memory.recall(model.skeleton, model.imported)
            if known is not None and not _same(known, model.imported):
                model, warnings = model_files.read_model(path, choices=known, progress=progress)
                return Reading(model, warnings, True)
        return Reading(model, warnings)

    def _arrived(self, path: Path, chosen: bool, answered: bool, then: Then, ask: bool, reading: Reading) -> None:
        found = reading.model.imported
        # A figure without size cannot be shown standing.
        shown = found is not None and found.height > 0.0
        if found is not None and shown and ask and reading.recalled:
            self._read_again(path, found, then)
        elif found is not None and shown and not chosen and (ask or (found.doubts and not reading.recalled)):
            self._ask(path, reading, None, then)
        else:
            self._adopt(path, reading, answered, then)
            if found is None and (chosen or ask):
                text = f"{path.name} was written by this program and opened as it was; there is nothing to choose"
                self._window.show_message("info", text)

    def _adopt(self, path: Path, reading: Reading, answered: bool, then: Then) -> None:
        window = self._window
        window.document.files.adopt(reading.model, reading.warnings, path, None)
        found = reading.model.imported
        self._opened = None if found is None else (window.document.model, path, then)
        if found is not None and not reading.warnings:
            text, plain = assumed(path, found, reading.recalled)
            misplaced = () if reading.recalled or answered else misplacements(found)
            if plain and not misplaced:
                window.show_message("info", text)
            else:
                text = "; ".join([text, *(each.text for each in misplaced)])
                offers: list[Choice] = [(each.offer, each.tip, partial(self._mend, each)) for each in misplaced]
                change: list[Choice] = [("Change…", "Choose how to read the file", self.change)]
                window.ask(text, offers + ([] if plain else change), "info")
                self._offered = text if misplaced else ""
        if then is not None:
            then()

    def _take(self, change: Change) -> None:
        """Offer nothing any more once the motion is edited: reading the file again would lose that."""
        if self._offered and isinstance(change, FileChanged) and self._window.document.stack.canUndo():
            self._window.errors.withdraw(self._offered)
            self._offered = ""

    def _mend(self, misplacement: Misplacement) -> None:
        """Read the motion that is open once more, put on the floor or turned to the front."""
        found = self._window.document.model.imported
        if not self.changeable or self._opened is None or found is None or not self._window.files.may_discard():
            return
        _, path, then = self._opened
        self.open(path, misplacement.mended(found.choices), then)

    # -- asking ------------------------------------------------------------------------------------------------------

    def _read_again(self, path: Path, found: Findings, then: Then) -> None:
        """Read a file as it is, and ask how it is to be read, with what it was read with chosen."""
        base = replace(ImportChoices.found(), unit=found.unit, positions=found.positions)
        ask = partial(self._ask_again, path, found.choices, then)
        self._opening.run(path, partial(self.read, path, base), ask)

    def _ask_again(self, path: Path, choices: ImportChoices, then: Then, reading: Reading) -> None:
        self._ask(path, reading, choices, then)

    def _ask(self, path: Path, reading: Reading, choices: ImportChoices | None, then: Then) -> None:
        dialog = ImportDialog(path, reading.model, choices, partial(self._again, path), self._window)
        self.dialog = dialog
        dialog.accepted.connect(partial(self._answered, path, reading, choices is not None, then))
        dialog.rejected.connect(partial(self._declined, path, choices is not None))
        dialog.open()

    def _again(self, path: Path, choices: ImportChoices, done: Callable[[Model | None], None]) -> None:
        """Read a file once more for its picture, beside the window."""
        asking = self.dialog

        def arrived(reading: Reading | None) -> None:
            if self.dialog is asking:
                done(None if reading is None else reading.model)

        def failed(error: Exception) -> None:
            if not isinstance(error, (CoreError, OSError)):
                raise error
            self._window.document.files.refuse(path, error)
            arrived(None)

        read = partial(self.read, path, choices)
        if not self._window.background.run(f"Reading {path.name}", read, arrived, failed):
            arrived(None)

    def _answered(self, path: Path, reading: Reading, again: bool, then: Then) -> None:
        dialog = self._close()
        assert dialog is not None
        choices, model = dialog.choices, reading.model
        if dialog.remember.isChecked() and model.skeleton is not None and model.imported is not None:
            found = model.imported
            self._memory.keep(model.skeleton, found.height / found.unit, found.found_up, choices)
        if again and not self._window.files.may_discard():
            return
        self.open(path, choices, then, answered=True)

    def _declined(self, path: Path, again: bool) -> None:
        self._close()
        if not again:
            self._window.show_message("info", f"{path.name} was not opened")

    def _close(self) -> ImportDialog | None:
        dialog, self.dialog = self.dialog, None
        if dialog is not None:
            if dialog.reading:
                self._window.background.cancel()
            dialog.deleteLater()
        return dialog


def _same(known: ImportChoices, found: Findings) -> bool:
    """Whether what was chosen for a source is what is found in a file of it without a doubt."""
    return (
        not found.doubts
        and known.height is known.floor is known.facing is None
        and known.whole
        and known.unit in (None, found.unit)
        and known.up in (AUTO, found.up)
        and known.positions in (None, AUTO, found.positions)
    )


@dataclass(frozen=True)
class Misplacement:
    """Where a motion stands other than most do, and what can be done about it.

    Attributes:
        text: What is wrong.
        offer: What would mend it, for a button.
        tip: What that does.
        mended: Makes choices that mend it of those that the file was read with.
    """

    text: str
    offer: str
    tip: str
    mended: Callable[[ImportChoices], ImportChoices]


def misplacements(found: Findings) -> tuple[Misplacement, ...]:
    """Return what nobody has chosen about a motion and few would want: that it sinks into the floor, looks away."""
    wrong = []
    if found.apart:
        tip = "Begin with the frame after it"
        first = (found.choices.first or 0) + 1
        wrong.append(Misplacement(FIRST_APART, "Leave it out", tip, partial(replace, first=first)))
    if found.choices.floor is None and found.lowest < -DEEPEST:
        text = f"goes {distance_text(-found.lowest)} below the floor"
        tip = "Raise the motion until its lowest point is on the floor"
        wrong.append(Misplacement(text, "Put on floor", tip, partial(replace, floor=LOWEST)))
    if found.choices.facing is None and found.facing is not None and abs(found.facing) > MOST_TURNED:
        text = f"starts turned {abs(math.degrees(found.facing)):.0f}° away from the front"
        tip = "Turn the motion so that it faces the front in its first frame"
        wrong.append(Misplacement(text, "Face front", tip, partial(replace, facing=FIRST)))
    return tuple(wrong)


def assumed(path: Path, found: Findings, recalled: bool) -> tuple[str, bool]:
    """Return what was assumed about a file in one line, and whether it is nothing to speak of."""
    changes = []
    if found.up != "y":
        changes.append(f"turned so that its {found.up.replace('-', '−')} axis points up")
    if found.positions == ADD:
        changes.append("joint positions added to offsets")
    if found.choices.floor is not None:
        changes.append("feet put on the floor")
    if found.choices.facing is not None:
        changes.append("turned to the front")
    size = f"{size_text(found.height)} tall"
    before = ", like earlier files from this source" if recalled else ""
    return f"{path.name}: {', '.join([size, *changes])}{before}", not changes and not recalled
