"""How large the window is at first: as it was designed, or as large as the screen lets it be."""

from __future__ import annotations

from PySide6.QtCore import QSize

USUAL = QSize(1600, 1000)
LEAST = QSize(1024, 680)
TITLE_BAR = QSize(0, 40)  # what it takes, about; nobody knows before the window is shown


def least_size(available: QSize) -> QSize:
    """Return the least size of the window on a screen with so much room, logical px."""
    return LEAST.boundedTo(available)


def first_size(available: QSize) -> QSize:
    """Return the size the window opens in at first on a screen with so much room, its title bar inside, logical px."""
    return USUAL.boundedTo(available - TITLE_BAR).expandedTo(least_size(available))
