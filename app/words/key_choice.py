"""Which keys a person has chosen: a preset, and what was changed of it; as a small file, too.

The file is JSON: ``{"format": "sequence-editor keys", "version": 1, "preset": "blender", "changes": {"blender":
{"play": ["P"]}}}``. Each preset has changes of its own, so that trying another one loses nothing. A preset is such a
file itself, with ``keys`` in place of both.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from app.words.key_map import RESOURCES, KeymapError, Row, check, load, rivals, shortcut_text

FORMAT, VERSION = "sequence-editor keys", 1
FOLDER = RESOURCES / "keymap" / "presets"
PRESETS: tuple[tuple[str, str], ...] = (
    ("sequence_editor", "Sequence Editor"),
    ("blender", "Blender"),
    ("maya", "Maya"),
)
"""Name and label of each; the first one is the default key map as it is."""
USUAL = PRESETS[0][0]
MOST_BYTES = 1_000_000

Keys = dict[str, tuple[str, ...]]


@dataclass(frozen=True)
class KeyChoice:
    """A preset and what was changed.

    Attributes:
        preset: Name of the preset that is on.
        changes: The keys of each changed action, by preset and action.
    """

    preset: str = USUAL
    changes: Mapping[str, Keys] = field(default_factory=dict)

    @property
    def own(self) -> Keys:
        """What is changed of the preset that is on."""
        return dict(self.changes.get(self.preset, {}))

    def rows(self) -> tuple[Row, ...]:
        """Return the key map with these keys.

        Raises:
            KeymapError: If a key means two things.
        """
        rows = with_keys(preset_rows(self.preset), self.own)
        check(rows)
        return rows

    def with_own(self, own: Mapping[str, tuple[str, ...]]) -> KeyChoice:
        """Return the choice with other changes to its preset; what is as in the preset is no change."""
        usual = {row.action: row.keys for row in preset_rows(self.preset) if row.action}
        kept = {action: tuple(keys) for action, keys in own.items() if usual.get(action) != tuple(keys)}
        return replace(self, changes={**self.changes, self.preset: kept})

    def with_key(self, action: str, keys: Iterable[str]) -> KeyChoice:
        """Return the choice with other keys for an action; what else had one of them, and holds together, loses it."""
        wanted = tuple(dict.fromkeys(keys))
        own = {**self.own, action: wanted}
        rows = with_keys(preset_rows(self.preset), own)
        for key in wanted:
            for other in claimed(rows, action, key):
                if other.action:
                    own[other.action] = tuple(each for each in own.get(other.action, other.keys) if each not in wanted)
        return self.with_own(own)

    def reset(self, action: str) -> KeyChoice:
        """Return the choice with the preset's keys for an action again, taken from what has them now."""
        usual = next(row.keys for row in preset_rows(self.preset) if row.action == action)
        return self.with_key(action, usual)

    def to_json(self) -> dict[str, Any]:
        """Return the choice as its file has it."""
        changes = {preset: {action: list(keys) for action, keys in own.items()} for preset, own in self.changes.items()}
        changes = {preset: own for preset, own in changes.items() if own}
        return {"format": FORMAT, "version": VERSION, "preset": self.preset, "changes": changes}


def with_keys(rows: Iterable[Row], keys: Mapping[str, tuple[str, ...]]) -> tuple[Row, ...]:
    """Return a key map with other keys for some actions."""
    return tuple(replace(row, keys=tuple(keys[row.action])) if row.action in keys else row for row in rows)


def claimed(rows: Iterable[Row], action: str, key: str) -> list[Row]:
    """Return what else a key means where an action holds: other rows of the key map."""
    rows = tuple(rows)
    scope = next(row.scope for row in rows if row.action == action)
    return [row for row in rows if row.action != action and key in row.keys and row.scope in rivals(scope)]


def preset_rows(name: str) -> tuple[Row, ...]:
    """Return the key map of a preset."""
    return with_keys(load(), {} if name == USUAL else _preset_keys(name))


def _preset_keys(name: str) -> Keys:
    path = FOLDER / f"{name}.json"
    return _keys_of(_read_json(path)["keys"], path.name)


def read(path: Path) -> tuple[KeyChoice, tuple[str, ...]]:
    """Read a choice from its file.

    Returns:
        The choice, and the names in the file that no action has: of another version of the program.

    Raises:
        KeymapError: If it is no such file, or a key in it is none or means two things; the message says where.
        OSError: If it cannot be read.
    """
    data = _read_json(path)
    preset = data.get("preset", USUAL)
    names = [name for name, _ in PRESETS]
    if preset not in names:
        raise KeymapError(f'{path.name}: preset "{preset}" is none of {", ".join(names)}')
    changes = data.get("changes", {})
    if not isinstance(changes, dict):
        raise KeymapError(f'{path.name}: "changes" is to list the keys of each preset by its name')
    known = {row.action for row in load() if row.action and not row.is_gesture}
    kept, unknown = {}, []
    for name, own in changes.items():
        keys = _keys_of(own, path.name)
        unknown += [action for action in keys if action not in known]
        if name in names:
            kept[name] = {action: each for action, each in keys.items() if action in known}
    choice = KeyChoice(preset, kept)
    for name in kept:
        try:
            replace(choice, preset=name).rows()
        except KeymapError as error:
            raise KeymapError(f"{path.name}: {error}") from None
    return choice, tuple(dict.fromkeys(unknown))


def write(choice: KeyChoice, path: Path) -> None:
    """Write a choice to its file, whole or not at all.

    Raises:
        OSError: If it cannot be written.
    """
    from PySide6.QtCore import QIODevice, QSaveFile

    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(choice.to_json(), indent=2, ensure_ascii=False) + "\n"
    file = QSaveFile(str(path))
    written = file.open(QIODevice.OpenModeFlag.WriteOnly) and file.write(text.encode()) >= 0 and file.commit()
    if not written:
        raise OSError(f"{path}: {file.errorString()}")


def is_key(text: str) -> bool:
    """Return whether a text spells one key, with what is held, as ``Ctrl+Shift+S``."""
    from PySide6.QtCore import Qt
    from PySide6.QtGui import QKeySequence

    made: Any = QKeySequence.fromString(text, QKeySequence.SequenceFormat.PortableText)  # the stubs lack its items
    return made.count() == 1 and made[0].key() not in (Qt.Key.Key_unknown, Qt.Key(0))


def _read_json(path: Path) -> dict[str, Any]:
    if path.stat().st_size > MOST_BYTES:
        raise KeymapError(f"{path.name}: no file of keys is as large as {path.stat().st_size} bytes")
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise KeymapError(f"{path.name}: it is no text") from None
    except json.JSONDecodeError as error:
        raise KeymapError(f"{path.name}, line {error.lineno}: {error.msg}; a file of keys is JSON") from None
    except RecursionError:
        raise KeymapError(f"{path.name}: it is nested too deeply for a file of keys") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise KeymapError(f'{path.name}: it does not begin with "format": "{FORMAT}", as files of keys do')
    version = data.get("version")
    if version != VERSION:
        raise KeymapError(f"{path.name}: version {version!r} is none that this program reads; it reads {VERSION}")
    return data


def _keys_of(data: object, name: str) -> Keys:
    if not isinstance(data, dict):
        raise KeymapError(f'{name}: keys stand by the name of their action, as in {{"play": ["Space"]}}')
    found: Keys = {}
    for action, keys in data.items():
        if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
            raise KeymapError(f'{name}, action "{action}": its keys are to be a list, such as ["Space"]')
        for key in keys:
            if not is_key(key):
                raise KeymapError(f'{name}, action "{action}": "{key}" is no key; one is spelled as Ctrl+Shift+S')
        found[action] = tuple(keys)
    return found


def label_of(preset: str) -> str:
    """Return what a preset is called on screen."""
    return dict(PRESETS)[preset]


def spelled(keys: Iterable[str]) -> str:
    """Return keys as a person reads them, one after the other."""
    return "   ".join(shortcut_text(key) for key in keys)
