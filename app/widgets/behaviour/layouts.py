"""The layout of a widget that is known to have one."""

from __future__ import annotations

from PySide6.QtWidgets import QLayout, QWidget


def layout_of(widget: QWidget) -> QLayout:
    """Return the layout of a widget.

    Raises:
        ValueError: If it has none.
    """
    layout = widget.layout()
    if layout is None:
        raise ValueError(f"{type(widget).__name__} has no layout")
    return layout
