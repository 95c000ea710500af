"""Where the folder is that Blender and the editor exchange files over; needs no Blender."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path

FROM_BLENDER, TO_BLENDER = "from-blender.armature", "to-blender.armature"

Stamp = tuple[int, int, int]


def data_folder(platform: str = sys.platform, environment: Mapping[str, str] = os.environ) -> Path:
    """Return where programs keep a person's data, as Qt's ``GenericDataLocation`` has it."""
    home = Path.home()
    if platform == "win32":
        return Path(environment.get("LOCALAPPDATA") or home / "AppData" / "Local")
    if platform == "darwin":
        return home / "Library" / "Application Support"
    given = environment.get("XDG_DATA_HOME", "")
    return Path(given) if given.startswith("/") else home / ".local" / "share"


def pointer(data: Path | None = None) -> Path:
    """Return the small file in which the editor says which folder it watches."""
    return (data or data_folder()) / "sequence-editor" / "blender-link.json"


def exchange_folder(chosen: str = "", data: Path | None = None) -> Path:
    """Return the folder: the one chosen in the preferences, else the one the editor names, else the usual one."""
    if chosen:
        return Path(chosen)
    try:
        named = json.loads(pointer(data).read_text(encoding="utf-8"))["folder"]
        if isinstance(named, str) and named:
            return Path(named)
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return (data or data_folder()) / "sequence-editor" / "blender"


def stamp_of(path: Path) -> Stamp | None:
    """Return what changes whenever a file is written anew; None if it is not there."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
