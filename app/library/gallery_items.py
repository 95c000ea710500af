"""What the gallery offers: recent files, the figures, sample sequences and scenes that come with the program."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.formats.bundled import bundled_folder
from core.formats.library import Entry, Menu, titled

RECENT, FIGURES, SAMPLES, SCENES = "Recent files", "Figures", "Sample motions", "Physics scenes"

KNOWN: dict[str, tuple[str, str]] = {
    "human": ("Man", "1.74 m tall, 47 joint angles"),
    "woman": ("Woman", "1.73 m tall, 47 joint angles"),
    "stickman": ("Stickman", "Simple, quick to pose"),
    "horse": ("Horse", "From its ears to its hooves"),
    "bird": ("Bird", "Its wings fold and spread"),
    "spider": ("Spider", "Eight legs and two fangs"),
    "hand": ("Hand", "Five fingers on a forearm"),
    "robot": ("Robot", "Two grippers, on wheels"),
    "arm7": ("Robot arm", "Seven joints in a row"),
    "chain20": ("Chain", "Twenty links"),
    "joints": ("Joint types", "One of every kind of joint"),
    "formulas": ("Formulas", "Joints written as expressions"),
}
"""Name and line of each bundled figure, in the order of the gallery; others follow under the names of their files."""

SCENE_LINES: dict[str, str] = {
    "chain": "A hand swings a chain",
    "marionette": "A stickman on seven strings",
    "ragdoll": "A man trips and falls",
    "stairs": "A fall down the stairs",
    "swing": "A man swings on a bar",
    "three bodies": "A hinge, a ball, no gravity",
    "torus chain": "Rings that roll on each other",
    "windmill": "Balls, eggs and rings in touch",
    "spline slide": "Rings down a curved rail",
    "sled": "A rider on a curved slope",
}
MOST_RECENT = 6
LARGEST_DRAWN = 20_000_000
"""Recent files with more bytes have no picture: to read them would take several seconds, [bytes]."""


@dataclass(frozen=True)
class Item:
    """One thing to begin with.

    Attributes:
        section: Under which heading it stands.
        entry: Its file, as the pictures of the library know files.
        title: Its name.
        line: A few words about it; "" where the picture's file says them.
        drawn: Whether it has a picture.
    """

    section: str
    entry: Entry
    title: str
    line: str
    drawn: bool = True

    def matches(self, words: Iterable[str]) -> bool:
        """Return whether every word is found in what is said about it; small and capital letters are the same."""
        text = f"{self.title} {self.line} {self.section} {self.entry.menu} {self.entry.path.name}".casefold()
        return all(word.casefold() in text for word in words)

    def distance(self, typed: str) -> int:
        """Return how far its name is from what was typed: 0 the same, 1 it begins with that, 2 another."""
        name, typed = self.title.casefold(), " ".join(typed.casefold().split())
        return 0 if name == typed else 1 if name.startswith(typed) else 2


def _entry(path: Path, menu: str = "") -> Entry | None:
    try:
        state = path.stat()
    except OSError:
        return None
    return Entry(path, menu, False, (state.st_size, state.st_mtime_ns))


def items(recent: Sequence[Path], menus: Sequence[Menu]) -> tuple[Item, ...]:
    """Return everything, by sections.

    Args:
        recent: Files opened lately, newest first.
        menus: The menus of the bundled library.
    """
    found: list[Item] = []
    for path in recent[:MOST_RECENT]:
        if (entry := _entry(path)) is not None:
            drawn = entry.stamp[0] <= LARGEST_DRAWN
            found.append(Item(RECENT, entry, path.stem, f"{path.suffix} in {path.parent.name or path.parent}", drawn))
    rank = {name: number for number, name in enumerate(KNOWN)}
    figures = sorted(bundled_folder().glob("*.scr"), key=lambda path: (rank.get(path.stem, len(rank)), path.stem))
    for path in figures:
        if (entry := _entry(path)) is not None:
            found.append(Item(FIGURES, entry, *KNOWN.get(path.stem, (titled(path.stem), ""))))
    for menu in menus:
        found += [Item(SAMPLES, entry, entry.title, "") for entry in menu.entries]
    for path in sorted((bundled_folder() / "scenes").glob("*.seq")):
        if (entry := _entry(path)) is not None:
            found.append(Item(SCENES, entry, titled(path.stem), SCENE_LINES.get(path.stem, "")))
    return tuple(found)
