"""What the actions about ghosts and trails do."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from app.actions.group import WindowActions
from app.popovers.motion import MotionPopover
from app.words.part_names import spoken_name

if TYPE_CHECKING:
    from app.document.document import Document

_KEY = "trails"  # in what a file keeps of the views


def write_trails(document: Document) -> None:
    """Put the parts whose trails are kept, by name, where the file keeps how things are viewed."""
    skeleton, view = document.skeleton, document.model.view
    view.pop(_KEY, None)
    if skeleton is not None and document.session.view.trail_parts:
        view[_KEY] = [skeleton.joint_names[joint] for joint in document.session.view.trail_parts]


def read_trails(document: Document) -> None:
    """Keep the trails that a file just opened names; what it names wrongly is passed over."""
    skeleton, names = document.skeleton, document.model.view.get(_KEY)
    wanted = names if isinstance(names, list) else []
    known = () if skeleton is None else skeleton.joint_names
    document.session.view.trail_parts = [joint for joint, name in enumerate(known) if name in wanted]


class MotionActions(WindowActions):
    """Actions about how motion is seen."""

    _popover: MotionPopover | None = None

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return what to do for each action."""
        return {
            "motion_settings": self.open_settings,
            "keep_trail": self.keep_trail,
            "forget_trails": self.forget_trails,
        }

    def open_settings(self) -> None:
        """Open the settings of ghosts and trails under their buttons."""
        if self._popover is None:
            self._popover = MotionPopover(self.document, self._window)
        self._popover.open_at(self._window.toolbar.motion_place())

    def keep_trail(self) -> None:
        """Keep the trails of the selected parts whatever is selected later; again forgets them.

        As the cameras they are a matter of the view: no edit, no step to undo, but saved whenever the file is.
        """
        session, chosen = self.document.session, set(self.document.selection.joints)
        skeleton = self.document.skeleton
        if not chosen or skeleton is None:
            self.document.say("info", "Select the parts whose trails should be kept")
            return
        kept = set(session.view.trail_parts)
        every = chosen <= kept
        session.view.trail_parts = kept - chosen if every else kept | chosen
        names = ", ".join(spoken_name(skeleton.joints[joint].name) for joint in sorted(chosen))
        state = "no longer kept" if every else "kept; saved with the view when the file is saved"
        self.document.say("info", f"Trail of {names} {state}")

    def forget_trails(self) -> None:
        """Keep no trail any more."""
        self.document.session.view.trail_parts = ()
