"""Files that were opened or saved lately, newest first."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

MOST = 12


class Store(Protocol):
    """Where the list is kept: ``app.window.settings.Settings`` or anything with the same two methods."""

    def value(self, name: str, default: object = None) -> object: ...

    def set_value(self, name: str, value: object) -> None: ...


class RecentFiles:
    """The list behind "Open recent".

    Args:
        store: Keeps the list from one session to the next.
    """

    _NAME = "recent/files"

    def __init__(self, store: Store):
        self._store = store

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files, newest first; those that are gone are left out but not forgotten (a disk may come back)."""
        return tuple(path for path in self._all() if path.is_file())

    def _all(self) -> list[Path]:
        kept = self._store.value(self._NAME, [])
        # QSettings gives back a list of one as a plain string.
        texts = [kept] if isinstance(kept, str) else kept if isinstance(kept, (list, tuple)) else []
        return [Path(text) for text in texts if isinstance(text, str) and text]

    def add(self, path: Path) -> None:
        """Put a file first."""
        path = path.resolve()
        paths = [path, *(other for other in self._all() if other != path)]
        self._store.set_value(self._NAME, [str(other) for other in paths[:MOST]])

    def forget(self, path: Path) -> None:
        """Take a file off the list."""
        kept = [str(other) for other in self._all() if other != path.resolve()]
        self._store.set_value(self._NAME, kept)

    def clear(self) -> None:
        """Forget all files."""
        self._store.set_value(self._NAME, [])
