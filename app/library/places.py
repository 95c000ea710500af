"""Where the person's own sequences lie, and where their icons are kept."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QStandardPaths


def own_folder() -> Path:
    """Return the folder of the person's own library, in the platform's place for data; it need not exist."""
    return Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.AppDataLocation)) / "library"


def icons_folder() -> Path:
    """Return the folder that icons are kept in, in the platform's place for caches; it may be deleted at any time."""
    return Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.CacheLocation)) / "icons"
