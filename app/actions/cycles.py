"""What the actions about cycles do: what is before the first key and after the last one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from app.actions.group import WindowActions
from core.animation.cycles import CYCLES

ROUNDS = 3


class CycleActions(WindowActions):
    """Actions that let the motion go on beyond its keys; each is one undo step."""

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return what to do for each action."""
        sequences = self.document.sequences
        made: dict[str, Callable[[], object]] = {
            f"cycle_{kind}": partial(sequences.set_cycles, kind, kind) for kind in CYCLES
        }
        return {**made, "play_rounds": partial(sequences.play_rounds, ROUNDS)}
