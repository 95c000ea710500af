"""What the action does that reduces keys: those of the selected keys' frames and parts, else of the whole motion."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint

from app.actions.group import WindowActions
from app.popovers.reduce_keys import ReduceKeysPopover

MARGIN = 12


class ReduceKeysActions(WindowActions):
    """The reduction of keys, which shows what it has found before it does anything."""

    popover: ReduceKeysPopover | None = None

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return what to do for each action."""
        return {"reduce_keys": self.open}

    def open(self) -> None:
        """Look for fewer keys: between the selected keys, of the selected parts, else of all there is."""
        document, sequence = self.document, self.document.sequence
        if sequence is None or len(sequence.keys) < 2:
            document.say("info", "There are no keys to reduce")
            return
        frames = sorted(document.session.keys.selected.parts)
        if len(frames) < 2:
            frames = [sequence.keys[0].frame, sequence.keys[-1].frame]
        joints = document.selection.joints
        channels = sequence.channels.of_joints(joints, place=True) if joints else None
        if channels == ():
            document.say("info", "The selected parts do not move; select others, or none for all")
            return
        if self.popover is None:
            self.popover = ReduceKeysPopover(document, self._window)
        area = self._window.area
        self.popover.open_at(area.mapToGlobal(QPoint(MARGIN, MARGIN)), frames[0], frames[-1], channels)

    def stop(self) -> None:
        """End what goes on in the background."""
        if self.popover is not None:
            self.popover.stop()
