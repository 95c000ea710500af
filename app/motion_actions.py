"""What the actions about ghosts and trails do."""

from __future__ import annotations

from collections.abc import Callable

from app.motion_popover import MotionPopover
from app.tools.base import spoken_name
from app.window_actions import WindowActions


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
        """Keep the trails of the selected parts whatever is selected later; again forgets them."""
        session, chosen = self.document.session, set(self.document.selection)
        skeleton = self.document.skeleton
        if not chosen or skeleton is None:
            self.document.say("info", "Select the parts whose trails should be kept")
            return
        kept = set(session.trail_parts)
        every = chosen <= kept
        session.trail_parts = kept - chosen if every else kept | chosen
        names = ", ".join(spoken_name(skeleton.joints[joint].name) for joint in sorted(chosen))
        self.document.say("info", f"Trail of {names} {'no longer kept' if every else 'kept'}")

    def forget_trails(self) -> None:
        """Keep no trail any more."""
        self.document.session.trail_parts = ()
