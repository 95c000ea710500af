"""Where the skeletons that come with the program lie."""

from __future__ import annotations

from pathlib import Path

PREFIX = "skeletons:"


def bundled_folder() -> Path:
    """Return the folder of the bundled skeletons; it lies beside ``core`` in a checkout and in a wheel alike."""
    return Path(__file__).resolve().parents[2] / "skeletons"


def bundled_name(path: Path) -> str | None:
    """Return ``"skeletons:NAME.scr"`` for a file among the bundled ones, else None."""
    folder = bundled_folder()
    resolved = path.resolve()
    return PREFIX + resolved.relative_to(folder).as_posix() if resolved.is_relative_to(folder) else None


def bundled_path(name: str) -> Path | None:
    """Return the path that ``"skeletons:NAME.scr"`` stands for; None if it would leave the folder."""
    folder = bundled_folder()
    path = (folder / name.removeprefix(PREFIX)).resolve()
    return path if path.is_relative_to(folder) else None
