"""What the action does that takes a motion of another figure over: ask how, work beside the window, add a sequence."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QDialog, QFileDialog

from app.actions.group import WindowActions
from core.errors import CoreError
from core.formats import FORMATS

if TYPE_CHECKING:
    from app.dialogs.retarget_dialog import RetargetDialog
    from app.files.pair_memory import PairMemory
    from app.work.background import Progress
    from core.animation.retargeting import Pair, Retargeted
    from core.animation.sequence import Sequence
    from core.skeleton import Skeleton

Motions = list[tuple[str, "Sequence"]]


class RetargetActions(WindowActions):
    """Takes motions of other figures over.

    Attributes:
        dialog: The question that is open, or None.
    """

    dialog: RetargetDialog | None = None

    @cached_property
    def memory(self) -> PairMemory:
        """Which joints were paired before."""
        from app.files.pair_memory import PairMemory  # the libraries that it takes are not needed to start

        return PairMemory(self._window.settings)

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return what to do for each action."""
        return {"retarget": self.from_figures, "retarget_file": self.from_file}

    def from_figures(self) -> None:
        """Retarget a motion of another figure that is open; without one, of a file."""
        document = self.document
        if document.skeleton is None:
            return
        motions = [
            (f"{each.skeleton.name}: {each.name}", each)
            for each in document.sequences.all
            if each.skeleton is not document.skeleton and each.keys
        ]
        if motions:
            self.ask(motions)
        else:
            self.from_file()

    def from_file(self) -> None:
        """Ask for a file, and retarget a motion that is in it."""
        if self.document.skeleton is None:
            return
        suffixes = " ".join(f"*{suffix}" for kind in FORMATS for suffix in kind.suffixes)
        path, _ = QFileDialog.getOpenFileName(
            self._window, "Motion of another figure", str(self._window.files.own_folder()), f"Motions ({suffixes})"
        )
        if path:
            self.read(Path(path))

    def read(self, path: Path) -> None:
        """Read a file beside the window, then ask how its motion goes over."""
        files = self._window.files

        def work(progress: Progress) -> Motions:
            return [(each.name, each) for each in files.read(path, progress).sequences if each.keys]

        def done(motions: Motions) -> None:
            if motions:
                self.ask(motions)
            else:
                self.document.say("info", f"There is no motion in {path.name}")

        self.run_beside(f"Reading {path.name}", work, done, self._failed)

    def ask(self, motions: Motions) -> None:
        """Ask how a motion goes over to the figure, then take it over."""
        skeleton = self.document.skeleton
        if skeleton is None or self.dialog is not None:
            return
        from app.dialogs.retarget_dialog import RetargetDialog

        self.dialog = dialog = RetargetDialog(motions, skeleton, self.memory.recall, self._window)
        try:
            if dialog.exec() != QDialog.DialogCode.Accepted:
                return
            sequence, pairs, scale, hold = dialog.sequence, dialog.pairs, dialog.scale.value, dialog.hold.isChecked()
        finally:
            self.dialog = None
        self.memory.keep(sequence.skeleton, skeleton, pairs)
        self.move(sequence, skeleton, pairs, scale, hold)

    def move(self, sequence: Sequence, skeleton: Skeleton, pairs: tuple[Pair, ...], scale: float, hold: bool) -> None:
        """Work beside the window, and add what was made as a sequence of the figure, as one step."""
        document = self.document

        def work(progress: Progress) -> Retargeted:
            from core.animation.retargeting import retarget

            return retarget(sequence, skeleton, pairs, scale, hold, progress)

        def done(made: Retargeted) -> None:
            if document.skeleton is not skeleton:
                document.say("info", f"{skeleton.name} was edited in the meantime; retarget the motion again")
            elif document.sequences.add(made.sequence):
                self._window.area.frame_all()  # it may be far from where the figure was
                document.say("warning" if made.let_go else "info", summary(made), details(made))

        self.run_beside(f"Moving {skeleton.name}", work, done, self._failed)

    def _failed(self, error: Exception) -> None:
        if not isinstance(error, (CoreError, OSError)):
            raise error
        self.document.say("error", str(error).partition("\n")[0], str(error))


def summary(made: Retargeted) -> str:
    """Return what was made, in a line."""
    held = 0 if made.paths is None else sum(foot.stances for foot in made.paths.feet)
    free = f", left free for {made.let_go} frames" if made.let_go else ""
    feet = f"; {held} stances held{free}" if made.paths is not None else ""
    return f"{len(made.sequence.keys)} keys, travels {made.scale:.2f} times as far{feet}"


def details(made: Retargeted) -> str:
    """Return what there is to know besides, in a few lines."""
    lines = [f"{len(made.pairs)} joints turn as those that they are paired with."]
    if made.let_go:
        lines.append("Where joint limits keep a foot from standing, it is left free: widen them, or edit its strips.")
    return "\n".join(lines)
