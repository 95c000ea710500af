"""Layouts as panels use them: widgets under each other or side by side, without margins and gaps unless given."""

from __future__ import annotations

from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QVBoxLayout, QWidget

Margins = tuple[int, int, int, int]
"""Left, top, right and bottom, [px]."""


def column_layout(parent: QWidget | None = None, margins: Margins = (0, 0, 0, 0), spacing: int = 0) -> QVBoxLayout:
    """Return a layout of widgets under each other, that of ``parent`` if there is one."""
    layout = QVBoxLayout() if parent is None else QVBoxLayout(parent)
    _space(layout, margins, spacing)
    return layout


def row_layout(parent: QWidget | None = None, margins: Margins = (0, 0, 0, 0), spacing: int = 0) -> QHBoxLayout:
    """Return a layout of widgets side by side, that of ``parent`` if there is one."""
    layout = QHBoxLayout() if parent is None else QHBoxLayout(parent)
    _space(layout, margins, spacing)
    return layout


def _space(layout: QBoxLayout, margins: Margins, spacing: int) -> None:
    layout.setContentsMargins(*margins)
    layout.setSpacing(spacing)
