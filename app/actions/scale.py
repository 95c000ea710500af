"""What the actions for the size of everything in the window do."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from app.actions.group import WindowActions
from app.document.changes import Change, SessionChanged
from app.document.session import SCALES


class ScaleActions(WindowActions):
    """Actions that choose how large everything in the window is from the next start on."""

    _begun: int

    def handlers(self) -> dict[str, Callable[[], object]]:
        return {f"scale_{scale}": partial(self.choose, scale) for scale in SCALES}

    def connect(self) -> None:
        """Connect with the rest of the window, once it is built."""
        self._begun = self.document.session.view.scale
        self.document.changed.connect(self._take)
        self._show_state()

    def choose(self, scale: int) -> None:
        """Let everything be so large, [percent], from the next start on."""
        self.document.session.view.scale = scale
        self._show_state()  # a click on the one that is checked has unchecked it, and changes nothing else
        if scale == self._begun:
            self.document.say("info", f"Everything stays at {scale} %")
        else:
            self.document.say("info", f"Everything is shown at {scale} % when the editor is started again")

    def _take(self, change: Change) -> None:
        if isinstance(change, SessionChanged) and change.name == "scale":
            self._show_state()

    def _show_state(self) -> None:
        for scale in SCALES:
            self._window.action_table[f"scale_{scale}"].setChecked(self.document.session.view.scale == scale)
