"""The keys that hold now, for all texts that name one: they follow when somebody changes the key map."""

from __future__ import annotations

import re
from collections.abc import Sequence

from app.words.key_map import Row, load, shortcut_text

NO_KEY = "no key"
"""What stands in a text in place of the key of an action that has none now."""
_QUOTED = re.compile(r"`([^`\n]+)`")
_now: list[tuple[Row, ...]] = []


def current() -> tuple[Row, ...]:
    """Return the key map that holds now; the default one until another is chosen."""
    if not _now:
        _now.append(load())
    return _now[0]


def make_current(rows: Sequence[Row]) -> None:
    """Let another key map hold."""
    _now[:] = [tuple(rows)]


def keys_of(action: str) -> tuple[str, ...]:
    """Return all keys of an action in Qt's portable spelling."""
    return next((row.keys for row in current() if row.action == action), ())


def key_of(action: str, otherwise: str = NO_KEY) -> str:
    """Return the first key of an action as a person reads it: ``Ctrl+S``."""
    row = next((row for row in current() if row.action == action), None)
    return shortcut_text(row.keys[0]) if row is not None and row.keys else otherwise


def cap_of(*actions: str) -> str:
    """Return the first keys of actions as the status line writes them: ``Shift Space``, or ``, .`` of two."""
    keys = [_first(action) for action in actions]
    short = {"Left": "←", "Right": "→", "Up": "↑", "Down": "↓"}
    return " ".join(" ".join(short.get(part, part) for part in re.split(r"\+(?!$)", key)) for key in keys if key)


def _first(action: str) -> str:
    row = next((row for row in current() if row.action == action), None)
    return row.keys[0] if row is not None and row.keys else ""


def with_key(text: str, action: str) -> str:
    """Return a tip with the key of its action behind it, if it has one."""
    key = key_of(action, "")
    return f"{text} ({key})" if key else text


def in_menu(text: str, action: str) -> str:
    """Return what an entry of a menu says with the key of the action that does the same."""
    key = key_of(action, "")
    return f"{text}\t{key}" if key else text


def in_text(text: str) -> str:
    """Return a text of the manual, which names the default keys between backquotes, with the keys that hold now.

    A key that means several things stays as it is unless all of them have the same key now.
    """
    default: dict[str, list[Row]] = {}
    for row in load():
        for key in row.keys:
            default.setdefault(_plain(key), []).append(row)
    now = {row.action: row.keys for row in current() if row.action}

    def put(match: re.Match[str]) -> str:
        meant = default.get(match[1], ())
        if not meant or any(not row.action for row in meant):
            return match[0]
        found: set[str] = set()
        for row in meant:
            keys = now.get(row.action, row.keys)
            still = next((key for key in keys if _plain(key) == match[1]), None)
            found.add(_plain(still or keys[0]) if keys else NO_KEY)
        return f"`{found.pop()}`" if len(found) == 1 else match[0]

    return _QUOTED.sub(put, text)


def _plain(key: str) -> str:
    """Return a key as the manual writes it."""
    return shortcut_text(key).replace("Comma", ",").replace("Full stop", ".")
