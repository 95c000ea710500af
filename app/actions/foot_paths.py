"""What the actions do that lock feet, hands and props to the path they have."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint

from app.actions.group import WindowActions
from app.popovers.foot_paths import FootPathsPopover
from core.animation.contacts.feet import figure_feet

MARGIN = 12


class FootPathActions(WindowActions):
    """Actions that lock parts to their present path; each opens a board that shows what it has found first."""

    popover: FootPathsPopover | None = None

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return what to do for each action."""
        return {"lock_feet_path": self.lock_feet, "lock_parts_path": self.lock_parts}

    def lock_feet(self) -> None:
        """Lock the feet of the figure to their path."""
        document = self.document
        if not self._ready():
            return
        assert document.skeleton is not None
        if not figure_feet(document.skeleton):
            document.say("info", "This figure has no feet; select parts and lock those to their path")
            return
        self._open(None)

    def lock_parts(self) -> None:
        """Lock the selected parts to their path."""
        if self._ready():
            if not self.document.selection.joints:
                self.document.say("info", "Select the parts that are to keep their path first")
                return
            self._open(self.document.selection.joints)

    def _ready(self) -> bool:
        document = self.document
        if document.skeleton is None or document.sequence is None:
            document.say("info", "There is no figure to lock")
            return False
        if not document.sequence.keys:
            document.say("info", "There are no keys yet, so there is no path to keep")
            return False
        return True

    def _open(self, joints: tuple[int, ...] | None) -> None:
        if self.popover is None:
            self.popover = FootPathsPopover(self.document, self._window)
        area = self._window.area
        self.popover.open_at(area.mapToGlobal(QPoint(MARGIN, MARGIN)), joints)

    def stop(self) -> None:
        """End what goes on in the background."""
        if self.popover is not None:
            self.popover.stop()
