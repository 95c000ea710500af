"""What the actions about cycles do: what is before the first key and after the last one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from app.actions.group import WindowActions
from app.document.changes import Change, FigureChanged, FileChanged, SequenceChanged
from core.animation.cycles import CYCLES

ROUNDS = 3


class CycleActions(WindowActions):
    """Actions that let the motion go on beyond its keys; each is one undo step."""

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return what to do for each action."""
        made: dict[str, Callable[[], object]] = {f"cycle_{kind}": partial(self.choose, kind) for kind in CYCLES}
        return {**made, "play_rounds": partial(self.document.sequences.play_rounds, ROUNDS)}

    def connect(self) -> None:
        """Tick what is chosen, once the rest of the window is built."""
        self.document.changed.connect(self._take)
        self._show_state()

    def choose(self, kind: str) -> None:
        """Let the motion go on in one way before and after its keys."""
        self.document.sequences.set_cycles(kind, kind)
        self._show_state()

    def _take(self, change: Change) -> None:
        if isinstance(change, (FileChanged, FigureChanged, SequenceChanged)):
            self._show_state()

    def _show_state(self) -> None:
        sequence = self.document.sequence
        for kind in CYCLES:
            chosen = sequence is not None and tuple(sequence.cycles) == (kind, kind)
            self._window.action_table[f"cycle_{kind}"].setChecked(chosen)
