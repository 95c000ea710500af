"""What a key holds: the actions that say it, and Set key, which goes by it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtGui import QActionGroup

from app.actions.group import WindowActions
from app.document.changes import Change, FigureChanged, FileChanged, SessionChanged
from app.document.edits.key_choice import channels_to_key
from app.words.key_map import shortcut_text

WORDS = {
    "figure": "the whole figure",
    "changed": "the parts that changed",
    "selection": "the selected parts",
}
"""What a key holds, by the session's ``key_what``, as tooltips say it."""
ACTIONS = {what: f"key_{what}" for what in WORDS}


class KeyWhatActions(WindowActions):
    """Actions on what auto-key and Set key write into the key at the current frame."""

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return what to do for each action."""
        made: dict[str, Callable[[], object]] = {
            action: partial(self.choose, what) for what, action in ACTIONS.items()
        }
        return made | {"set_key": self.set_key}

    def connect(self) -> None:
        """Follow the document."""
        group = QActionGroup(self._window)
        for name in ACTIONS.values():
            group.addAction(self._window.action_table[name])
        self.document.changed.connect(self._take)
        self.show_state()

    def _take(self, change: Change) -> None:
        if isinstance(change, (FigureChanged, FileChanged)) or (
            isinstance(change, SessionChanged) and change.name in ("key_what", "auto_key", "mode")
        ):
            self.show_state()

    def choose(self, what: str) -> None:
        """Let keys hold the whole figure, what changed or what is selected."""
        self.document.session.keys.what = what

    def set_key(self) -> None:
        """Key the pose that is shown; the whole figure where nothing has changed or nothing is selected."""
        document, model = self.document, self.document.model
        names = None
        if document.skeleton is not None:
            selected, keyed = document.selection.joints, model.keyed_pose(model.frame)
            names = channels_to_key(document.session, document.skeleton, selected, keyed, model.pose)
        document.keys.set(channels=names or None)

    def show_state(self) -> None:
        """Tick what keys hold, and say it where keys are set."""
        actions, session = self._window.action_table, self.document.session
        actions[ACTIONS[session.keys.what]].setChecked(True)
        held = WORDS[session.keys.what]
        keys = {name: shortcut_text(actions[name].shortcut().toString()) for name in ("auto_key", "set_key")}
        actions["auto_key"].setToolTip(
            f"Auto key: each change goes into the key at the current frame; it holds {held} ({keys['auto_key']})"
        )
        actions["set_key"].setToolTip(f"Set a key for {held} ({keys['set_key']})")
