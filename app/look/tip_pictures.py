"""Which tips have a moving picture: WebP files, one for each theme, made by ``python -m tests.pictures.tips``."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "resources" / "tips"
PIXELS = (360, 225)
"""Width and height in the files."""
SHOWN = (240, 150)
"""Width and height on the screen, logical px."""


def file_of(action: str, theme: str) -> str:
    """Return the name of the file with the picture of an action."""
    return f"{action.replace('_', '-')}-{theme}.webp"


def picture_of(action: str, theme: str) -> Path | None:
    """Return the file with the moving picture of an action; None if it has none."""
    path = FOLDER / file_of(action, theme)
    return path if path.exists() else None
