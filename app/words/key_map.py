"""The key map: one table of actions, keys and gestures, each with the scope it holds in."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from app.words.line_kinds import LINE_KINDS
from core.constraints.kinds import KINDS, Kind

RESOURCES = Path(__file__).resolve().parents[2] / "resources"

WORLD_MENU = "Physics/Add to the world"
LINES_MENU = "Physics/Between selected parts"
SCOPES = (
    "application", "posing", "view", "drag", "skeleton", "simulation",
    "tracks", "timeline", "curves", "strips", "script", "list",
)  # fmt: skip
PARTS_OF_TRACKS = frozenset({"timeline", "curves", "strips"})
"""Scopes that each hold in some of the bands where ``tracks`` holds."""


class KeymapError(ValueError):
    """A key map that contradicts itself; the message names the row."""


@dataclass(frozen=True)
class Row:
    """One row of the table.

    Attributes:
        action: Name the program goes by, such as ``"undo"``; empty for a row that only explains a gesture.
        text: What it does, as a menu says it.
        keys: Key sequences in Qt's portable spelling, or gestures such as ``"Alt+Left drag"``.
        scope: Where it holds, one of ``SCOPES``.
        menu: Menu it stands in, or empty.
        icon: Icon's name, or empty.
        twins: Of a gesture in a view: the actions of the menus that do the same without a mouse.
    """

    action: str
    text: str
    keys: tuple[str, ...]
    scope: str
    menu: str = ""
    icon: str = ""
    twins: tuple[str, ...] = ()

    @property
    def is_gesture(self) -> bool:
        """Whether it is done with the mouse, and so no shortcut is to be made of it."""
        return not self.action or any(word in key for key in self.keys for word in ("click", "drag", "Wheel"))


def load(path: Path = RESOURCES / "keymap" / "default.json") -> tuple[Row, ...]:
    """Read a key map and check it. A kind of lock without a row gets one after that of the kind before it.

    What can be attached has its rows after everything else that can be added to the world, and once more between the
    selected parts.

    Raises:
        KeymapError: If a row is malformed, or two rows claim one key in the same scope.
    """
    rows = [
        Row(**{**row, "keys": tuple(row["keys"]), "twins": tuple(row.get("twins", ()))})
        for row in json.loads(path.read_text(encoding="utf-8"))
    ]
    place = len(rows)
    for kind in KINDS:
        known = next((number for number, row in enumerate(rows) if row.action == lock_action(kind)), None)
        if known is None:
            rows.insert(place, Row(lock_action(kind), kind.menu_text(), (), "application", "Locks"))
        place = (place if known is None else known) + 1
    place = max((number for number, row in enumerate(rows) if row.menu == WORLD_MENU), default=len(rows) - 1) + 1
    lines = [Row(kind.action, kind.menu_text, (), "application", WORLD_MENU, kind.icon) for kind in LINE_KINDS]
    lines += [
        Row(kind.between_action, kind.between_text, (), "application", LINES_MENU, kind.icon) for kind in LINE_KINDS
    ]
    rows[place:place] = [row for row, kind in zip(lines, 2 * LINE_KINDS, strict=True) if kind.offered]
    check(rows)
    return tuple(rows)


def lock_action(kind: Kind) -> str:
    """Return the name of the action that makes locks of a kind."""
    return f"lock_{kind.name}"


def check(rows: Iterable[Row]) -> None:
    """Refuse unknown scopes, actions that stand twice, and keys claimed twice where both rows hold.

    Application keys hold everywhere, so no other scope may claim one again; posing keys do so too, except while the
    figure is simulated. Keys of the tracks hold on keys, curves and strips alike.
    """
    claimed: dict[tuple[str, str], str] = {}
    actions: set[str] = set()
    for row in rows:
        if row.scope not in SCOPES:
            raise KeymapError(f'"{row.text}": scope "{row.scope}" is none of {", ".join(SCOPES)}')
        if row.action:
            if row.action in actions:
                raise KeymapError(f'action "{row.action}" appears twice')
            actions.add(row.action)
        for key in row.keys:
            for scope in rivals(row.scope):
                if (scope, key) in claimed:
                    raise KeymapError(f'{key} means both "{claimed[scope, key]}" and "{row.text}" in {scope}')
            claimed[row.scope, key] = row.text


def rivals(scope: str) -> set[str]:
    """Return the scopes that hold together with one, itself included."""
    if scope == "application":
        return set(SCOPES)
    if scope == "posing":
        return set(SCOPES) - {"simulation"}
    found = {scope, "application"} | ({"posing"} if scope != "simulation" else set())
    if scope == "tracks":
        return found | PARTS_OF_TRACKS
    return found | ({"tracks"} if scope in PARTS_OF_TRACKS else set())


def shortcut_text(key: str) -> str:
    """Return a key as a person reads it: ``Ctrl+S``, ``Comma``, ``Keypad 1``."""
    names = {",": "Comma", ".": "Full stop", "Left": "←", "Right": "→", "Up": "↑", "Down": "↓"}
    return "+".join(names.get(part, part) for part in key.replace("Num+", "Keypad ").split("+"))
