"""Layouts as panels use them: widgets under each other or side by side, without margins and gaps unless given."""

from __future__ import annotations

from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLayout, QVBoxLayout, QWidget

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


def side_by_side(*parts: QWidget) -> QWidget:
    """Return widgets in a row, at its left."""
    whole = QWidget()
    row = row_layout(whole, spacing=4)
    for part in parts:
        row.addWidget(part)
    row.addStretch(1)
    return whole


def layout_of(widget: QWidget) -> QLayout:
    """Return the layout of a widget.

    Raises:
        ValueError: If it has none.
    """
    layout = widget.layout()
    if layout is None:
        raise ValueError(f"{type(widget).__name__} has no layout")
    return layout


def _space(layout: QBoxLayout, margins: Margins, spacing: int) -> None:
    layout.setContentsMargins(*margins)
    layout.setSpacing(spacing)
