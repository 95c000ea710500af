"""The sequence library: folders of ``.seq`` files, each folder a menu (Welman 1993, section 6.1.3).

Sequences come from two places that are shown as one: those that come with the program, which are only ever read, and a
person's own. A file of one's own hides a bundled one with the same menu and name, so that a bundled sequence that was
changed and saved stands where it stood. Shared folders, anywhere, come after these in menus of their own, and are only
ever read, too. Names come from people: every one is checked before it becomes a path.
"""

from __future__ import annotations

import os
import secrets
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from core.errors import CoreError
from core.formats.bundled import bundled_folder
from core.regular_file import open_regular

SUFFIX = ".seq"
LONGEST = 80  # letters of a name
POSES, FIGURES, PROPS = "Poses", "Figures", "Props"
"""Menus that poses, figures and props are saved to if nobody chooses another."""

MENUS = ("Walks and runs", "Gestures", "Everyday", "Jumps", "Dance", "Creatures")
"""The menus that come first, in this order; others follow by name."""

LOOSE = ""
"""What the menu of files is called that lie beside the menus, in the person's folder itself."""

_FORBIDDEN = '/\\:*?"<>|'
_DEVICES = {"con", "prn", "aux", "nul", *(f"{name}{digit}" for name in ("com", "lpt") for digit in range(1, 10))}


class LibraryError(CoreError):
    """Something the library cannot do; its text is one line for a person."""


def checked_name(text: str, what: str = "sequence") -> str:
    """Return a name as it may stand in a folder on any system: trimmed, its letters composed.

    Args:
        text: What a person typed.
        what: What it is to name, for the message.

    Raises:
        LibraryError: If it is empty or too long, could leave the folder, or is no good name for a file somewhere.
    """
    name = unicodedata.normalize("NFC", text).strip()
    if not name:
        raise LibraryError(f"the {what} needs a name")
    if len(name) > LONGEST or len(name.encode("utf-8", "surrogatepass")) > 240:
        raise LibraryError(f"the {what}'s name is too long; {LONGEST} letters are the most")
    bad = next((c for c in name if c in _FORBIDDEN or unicodedata.category(c) in ("Cc", "Cs")), None)
    if bad is not None:
        described = f'"{bad}"' if bad.isprintable() else f"the character U+{ord(bad):04X}"
        raise LibraryError(f"the {what}'s name cannot hold {described}")
    if name.startswith(".") or name.endswith("."):
        raise LibraryError(f'"{name}" cannot name a {what}: it must not begin or end with a full stop')
    if name.partition(".")[0].strip().casefold() in _DEVICES:
        raise LibraryError(f'"{name}" cannot name a {what}: it names a device on some systems')
    return name


def safe_name(text: str, otherwise: str = "Untitled") -> str:
    """Return a name that ``checked_name`` takes, as near as may be to a text; for suggestions."""
    kept = "".join(" " if c in _FORBIDDEN or unicodedata.category(c) in ("Cc", "Cs") else c for c in text)
    kept = " ".join(kept.split()).strip(". ")[:LONGEST].strip(". ")
    try:
        return checked_name(kept)
    except LibraryError:
        return otherwise


def titled(name: str) -> str:
    """Return a name as it is shown: with a capital."""
    return name[:1].upper() + name[1:]


@dataclass(frozen=True)
class Entry:
    """A sequence of the library.

    Attributes:
        path: Its file.
        menu: The menu it is in; ``LOOSE`` if it lies in none.
        own: Whether it is the person's own and may be changed; else it comes with the program, or is shared.
        stamp: Size and time of the last change; another one means another content.
        shared: Whether it is in a shared folder.
    """

    path: Path
    menu: str
    own: bool
    stamp: tuple[int, int] = (0, 0)
    shared: bool = False

    @property
    def name(self) -> str:
        """Name of the file without its suffix."""
        return self.path.stem

    @property
    def title(self) -> str:
        """The name as it is shown."""
        return titled(self.name)


@dataclass(frozen=True)
class Menu:
    """A menu of the library.

    Attributes:
        name: Its name, that of its folder; ``LOOSE`` for what lies in none.
        entries: Its sequences, by name.
        own: Whether the person has a folder for it.
        bundled: Whether it comes with the program.
        shared: The shared folder that it belongs to, or None.
        folder: Where its files lie if it is shared.
    """

    name: str
    entries: tuple[Entry, ...]
    own: bool
    bundled: bool
    shared: Path | None = None
    folder: Path | None = None


def _rank(name: str) -> tuple[int, str]:
    return (MENUS.index(name) if name in MENUS else len(MENUS) + (name == LOOSE), name.casefold())


def _reason(error: OSError) -> str:
    return error.strerror or str(error)


class Library:
    """The sequences in two folders.

    Args:
        own: The person's folder; it need not exist until something is saved.
        bundled: The folder of what comes with the program, only read; None takes that of the program.

    Attributes:
        shared: Shared folders, only read; any of them may be away for a while.
    """

    def __init__(self, own: Path, bundled: Path | None = None):
        self.own = Path(own)
        self.shared: tuple[Path, ...] = ()
        self.bundled = bundled_folder() / "library" if bundled is None else Path(bundled)

    # -- what there is -----------------------------------------------------------------------------------------------

    def menus(self) -> tuple[Menu, ...]:
        """Return all menus with their sequences; folders that cannot be read hold nothing.

        Files that were put beside the menus come last, as those of a menu ``LOOSE``.
        """
        found: dict[str, dict[str, Entry]] = {}
        kinds: dict[str, list[bool]] = {}
        spelled: dict[str, str] = {}
        for own, root in ((False, self.bundled), (True, self.own)):
            for folder in self._folders(root):
                name = spelled.setdefault(folder.name.casefold(), folder.name)
                kinds.setdefault(name, [False, False])[own] = True
                entries = found.setdefault(name, {})
                for path, stamp in self._files(folder):
                    entries[path.stem.casefold()] = Entry(path, name, own, stamp)
        if loose := self._files(self.own):
            found[LOOSE] = {path.stem.casefold(): Entry(path, LOOSE, True, stamp) for path, stamp in loose}
            kinds[LOOSE] = [False, True]
        mine = tuple(
            Menu(name, tuple(found[name][key] for key in sorted(found[name])), kinds[name][True], kinds[name][False])
            for name in sorted(found, key=_rank)
        )
        return mine + self._shared_menus({menu.name.casefold() for menu in mine})

    def _shared_menus(self, taken: set[str]) -> tuple[Menu, ...]:
        """Return a menu for each shared folder, and one for each folder in it that holds sequences."""
        made = []
        for root in self.shared:
            for folder in (root, *self._folders(root)):
                files = self._files(folder)
                if folder != root and not files:
                    continue
                name = base = root.name if folder == root else f"{root.name}, {folder.name}"
                number = 1
                while name.casefold() in taken:
                    name, number = f"{base} (shared{f' {number}' * (number > 1)})", number + 1
                taken.add(name.casefold())
                entries = tuple(Entry(path, name, False, stamp, True) for path, stamp in files)
                made.append(Menu(name, entries, False, False, root, folder))
        return tuple(made)

    def share(self, folder: Path) -> None:
        """Show a folder as a shared one.

        Raises:
            LibraryError: If it is no folder, is shown already, or is the library itself.
        """
        place = Path(os.path.abspath(folder))
        if not place.is_dir() or not place.name:
            raise LibraryError(f'"{folder}" is no folder that can be shared')
        for root in (self.own, self.bundled):
            if place.is_relative_to(os.path.abspath(root)) or Path(os.path.abspath(root)).is_relative_to(place):
                raise LibraryError(f'"{place.name}" is part of the library already, or holds it')
        if place in self.shared:
            raise LibraryError(f'"{place.name}" is shown already')
        self.shared = (*self.shared, place)

    def bundled_menus(self) -> tuple[Menu, ...]:
        """Return the menus that come with the program with what comes in them, whatever stands in its place."""
        found = []
        for folder in sorted(self._folders(self.bundled), key=lambda folder: _rank(folder.name)):
            entries = tuple(Entry(path, folder.name, False, stamp) for path, stamp in self._files(folder))
            found.append(Menu(folder.name, entries, False, True))
        return tuple(found)

    def folders(self) -> tuple[Path, ...]:
        """Return the person's folders there are now, the library's own first, and shared ones: what to watch."""
        roots = (root for root in (self.own, *self.shared) if root.is_dir())
        return tuple(folder for root in roots for folder in (root, *self._folders(root)))

    @staticmethod
    def _folders(root: Path) -> list[Path]:
        try:
            with os.scandir(root) as found:
                names = [each.name for each in found if not each.name.startswith(".") and each.is_dir()]
        except OSError:
            return []
        return [root / name for name in sorted(names)]

    @staticmethod
    def _files(folder: Path) -> list[tuple[Path, tuple[int, int]]]:
        files = []
        try:
            with os.scandir(folder) as found:
                for each in found:
                    hidden = each.name.startswith(".") or os.path.splitext(each.name)[1].lower() != SUFFIX
                    if not hidden and each.is_file():
                        about = each.stat()
                        files.append((folder / each.name, (about.st_size, about.st_mtime_ns)))
        except OSError:
            pass  # gone or forbidden between two looks: what was seen is what there is
        return sorted(files)

    def entry(self, path: Path | None) -> Entry | None:
        """Return the sequence whose file lies at ``path``, or None if it is not in the library."""
        if path is None:
            return None
        if any(Path(os.path.abspath(path)).is_relative_to(root) for root in self.shared):
            there = Path(os.path.abspath(path))
            shown = (entry for menu in self.menus() if menu.shared is not None for entry in menu.entries)
            return next((entry for entry in shown if entry.path == there), None)
        for own, root in ((True, self.own), (False, self.bundled)):
            place = Path(os.path.abspath(path))
            if place.suffix.lower() == SUFFIX and place.parent.parent == Path(os.path.abspath(root)):
                return Entry(place, place.parent.name, own, self._stamp(place))
            if own and place.suffix.lower() == SUFFIX and place.parent == Path(os.path.abspath(root)):
                return Entry(place, LOOSE, own, self._stamp(place))
        return None

    @staticmethod
    def _stamp(path: Path) -> tuple[int, int]:
        try:
            about = path.stat()
        except OSError:
            return (0, 0)
        return (about.st_size, about.st_mtime_ns)

    # -- places ------------------------------------------------------------------------------------------------------

    def place(self, menu: str, name: str) -> Path:
        """Return where a sequence of one's own belongs; both names are checked.

        Raises:
            LibraryError: If a name is not valid, or would lead out of the library.
        """
        return self._spelled(self._own_folder(menu), name)

    def beside(self, entry: Entry, name: str) -> Path:
        """Return where one's own sequence of another name belongs that stands in the menu of ``entry``.

        Raises:
            LibraryError: If the name is not valid.
        """
        return self._spelled(self.own, name) if entry.menu == LOOSE else self.place(entry.menu, name)

    def _spelled(self, folder: Path, name: str) -> Path:
        """Return the file of a name in a folder, spelled as it is if it is there."""
        path = folder / f"{checked_name(name)}{SUFFIX}"
        taken = next((file for file, _ in self._files(folder) if file.stem.casefold() == path.stem.casefold()), path)
        return folder / taken.name

    def _own_folder(self, menu: str) -> Path:
        """Return the person's folder of a menu, spelled as it is if it is there."""
        name = checked_name(menu, "menu")
        there = [folder.name for folder in (*self._folders(self.own), *self._folders(self.bundled))]
        folder = self.own / next((each for each in there if each.casefold() == name.casefold()), name)
        if folder.parent != self.own:  # cannot be with a checked name; a second safeguard
            raise LibraryError(f'"{menu}" would lead out of the library')
        return folder

    def taken(self, menu: str, name: str) -> bool:
        """Return whether the person has a sequence of that name in that menu."""
        return self.place(menu, name).exists()

    def free_name(self, menu: str, name: str) -> str:
        """Return a name that nothing in a menu has, bundled sequences included: the name itself, or numbered."""
        used = {entry.name.casefold() for each in self.menus() if each.name == menu for entry in each.entries}
        wanted, number = checked_name(name), 2
        while wanted.casefold() in used:
            wanted, number = checked_name(f"{name} {number}"), number + 1
        return wanted

    # -- changing it -------------------------------------------------------------------------------------------------

    def add_menu(self, name: str) -> Path:
        """Make a menu and return its folder.

        Raises:
            LibraryError: If there is one of that name, the name is not valid, or the system refuses.
        """
        folder = self._own_folder(name)
        if any(menu.name.casefold() == folder.name.casefold() for menu in self.menus()):
            raise LibraryError(f'there is already a menu "{folder.name}"')
        return self._made(folder)

    def remove_menu(self, name: str) -> None:
        """Remove an empty menu of one's own.

        Raises:
            LibraryError: If sequences are in it, or the system refuses.
        """
        folder = self._own_folder(name)
        if self._files(folder):
            raise LibraryError(f'"{folder.name}" is not empty; move or remove its sequences first')
        try:
            folder.rmdir()
        except OSError as error:
            raise LibraryError(f'the menu "{folder.name}" cannot be removed: {_reason(error)}') from None

    def rename_menu(self, old: str, new: str) -> None:
        """Rename a menu of one's own.

        Raises:
            LibraryError: If it comes with the program, the name is taken or not valid, or the system refuses.
        """
        menu = next((menu for menu in self.menus() if menu.name == old), None)
        if menu is None or menu.bundled or not menu.own:
            raise LibraryError(f'the menu "{old}" comes with the program and keeps its name')
        source, target = self._own_folder(old), self._own_folder(new)
        wanted = self.own / checked_name(new, "menu")
        if target != source and any(each.name.casefold() == target.name.casefold() for each in self.menus()):
            raise LibraryError(f'there is already a menu "{target.name}"')
        self._try(lambda: source.rename(wanted), f'the menu "{old}" cannot be renamed')

    def prepare(self, menu: str, name: str) -> Path:
        """Return where a sequence of one's own belongs, its menu made if need be.

        Raises:
            LibraryError: If a name is not valid, or the system refuses.
        """
        path = self.place(menu, name)
        self._made(path.parent)
        return path

    def copy(self, entry: Entry, menu: str | None = None, name: str | None = None) -> Path:
        """Copy a sequence into one's own library, whole or not at all; return the copy's path.

        Args:
            entry: What is copied.
            menu: Menu it goes to; None for its own.
            name: Name of the copy; None for its own.

        Raises:
            LibraryError: If there is one of that name, a name is not valid, or the system refuses.
        """
        target = self._target(entry, entry.menu if menu is None else menu, name or entry.name)
        self._refuse_taken(target)
        fresh = target.with_name(f".{target.name}.{os.getpid()}.{secrets.token_hex(4)}.part")

        def work() -> None:
            try:
                with open_regular(entry.path) as source:
                    fresh.write_bytes(source.read())
                os.replace(fresh, target)
            finally:
                fresh.unlink(missing_ok=True)

        self._try(work, f'"{entry.title}" cannot be copied')
        return target

    def rename(self, entry: Entry, name: str) -> Path:
        """Give a sequence another name; a bundled one stays, and a copy has the new name. Returns its path.

        Raises:
            LibraryError: If the name is taken or not valid, or the system refuses.
        """
        return self._brought(entry, entry.menu, name, f'"{entry.title}" cannot be renamed')

    def move(self, entry: Entry, menu: str) -> Path:
        """Bring a sequence into another menu; a bundled one stays, and a copy goes there. Returns its path.

        Raises:
            LibraryError: If the menu has one of that name, its name is not valid, or the system refuses.
        """
        return self._brought(entry, menu, entry.name, f'"{entry.title}" cannot be moved')

    def _brought(self, entry: Entry, menu: str, name: str, failing: str) -> Path:
        if not entry.own:
            return self.copy(entry, menu, name)
        target = self._target(entry, menu, name)
        exact = target.with_name(f"{checked_name(name)}{SUFFIX}")  # as it is spelled now
        if exact == entry.path:
            return exact
        if target != entry.path:
            self._refuse_taken(target)
        self._try(lambda: entry.path.rename(exact), failing)
        return exact

    def duplicate(self, entry: Entry) -> Path:
        """Copy a sequence beside itself under a numbered name; return the copy's path.

        Raises:
            LibraryError: If the system refuses.
        """
        return self.copy(entry, entry.menu, self.free_name(entry.menu, entry.name))

    def _target(self, entry: Entry, menu: str, name: str) -> Path:
        """Return where a sequence goes, its menu made if need be; only what lies in no menu can stay in none."""
        path = self.beside(entry, name) if menu == entry.menu else self.place(menu, name)
        self._made(path.parent)
        return path

    def _refuse_taken(self, target: Path) -> None:
        if target.exists():
            raise LibraryError(f'there is already a "{titled(target.stem)}" in {target.parent.name}')

    def _made(self, folder: Path) -> Path:
        self._try(lambda: folder.mkdir(parents=True, exist_ok=True), f"the folder {folder} cannot be made")
        return folder

    @staticmethod
    def _try(work: Callable[[], object], failing: str) -> None:
        try:
            work()
        except OSError as error:
            raise LibraryError(f"{failing}: {_reason(error)}") from None
