"""The editor among the applications of this system, whichever it is."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

RESOURCES = Path(__file__).resolve().parents[2] / "resources" / "desktop"
NAME = "Sequence Editor"
COMMAND = "sequence-editor"
FILE_TYPES = {".seq": "figure animation", ".scr": "articulated figure"}
"""Files that are the editor's own, and what a person would call them."""
SYSTEMS = {"linux": "linux", "win32": "windows", "darwin": "macos"}


def system() -> ModuleType | None:
    """Return what knows how to add the editor to the applications here; None on a system that nobody has written."""
    name = SYSTEMS.get("linux" if sys.platform.startswith("linux") else sys.platform)
    return None if name is None else importlib.import_module(f"app.system.{name}")


def words() -> list[str]:
    """Return the words that start the editor whatever the search path is; files follow."""
    return [sys.executable, "-m", "app"]
