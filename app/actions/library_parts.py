"""Poses, figures and props saved to the library, each a file like any other: with one key, or with none."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from app.dialogs.library_dialog import LibraryDialog
from core.animation import Key, Sequence
from core.formats.library import FIGURES, POSES, PROPS, LibraryError, checked_name, safe_name, titled
from core.skeleton.joined import is_prop

if TYPE_CHECKING:
    from app.actions.library import LibraryActions


class SavingParts:
    """Saves what is no motion.

    Args:
        library: Actions on the library.
    """

    def __init__(self, library: LibraryActions):
        self._library, self.document = library, library.document
        self._last = {POSES: POSES, FIGURES: FIGURES, PROPS: PROPS}  # the menu chosen last for each

    def pose(self) -> bool:
        """Ask for a name, and save the pose that is shown; return whether it was saved."""
        skeleton = self.document.skeleton
        if skeleton is None:
            return False
        q, fps = self.document.pose.copy(), self.document.sequence.fps if self.document.sequence is not None else 24

        def made(name: str, menu: str) -> Sequence:
            return Sequence(skeleton, fps, name, menu=menu, keys=[Key(0, q)])

        return self._ask("Save pose to library", f"{titled(skeleton.name)} pose", POSES, made)

    def figure(self) -> bool:
        """Ask for a name, and save the active figure or prop without its motion; return whether it was saved."""
        skeleton = self.document.skeleton
        if skeleton is None:
            return False
        what, menu = ("prop", PROPS) if is_prop(skeleton) else ("figure", FIGURES)

        def made(name: str, menu: str) -> Sequence:
            return Sequence(skeleton, 24, name, menu=menu)

        return self._ask(f"Save {what} to library", titled(skeleton.name), menu, made)

    def _ask(self, title: str, name: str, menu: str, made: Callable[[str, str], Sequence]) -> bool:
        library = self._library.panel.library
        menus = list(dict.fromkeys([*self._library.panel.menu_names(), menu]))

        def check(name: str, menu: str) -> str:
            checked_name(menu, "menu")
            return f"Replaces your {library.place(menu, name).stem} in {menu}" if library.taken(menu, name) else ""

        wanted = self._last[menu]
        start = library.free_name(wanted, safe_name(name))
        dialog = LibraryDialog(title, "Save", start, menus, wanted, check, self._library.panel.window())
        if not dialog.exec():
            return False
        self._last[menu] = dialog.menu
        return self._write(dialog.name, dialog.menu, made)

    def _write(self, name: str, menu: str, made: Callable[[str, str], Sequence]) -> bool:
        panel = self._library.panel
        try:
            path = panel.library.prepare(menu, name)
        except LibraryError as error:
            self.document.say("warning", str(error))
            return False
        good = self._library.write_alone(made(titled(path.stem), path.parent.name), path)
        if good:
            panel.reveal(path)
            self.document.say("info", f"{titled(path.stem)} saved to {path.parent.name} in the library")
        return good
