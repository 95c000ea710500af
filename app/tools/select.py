"""Select parts by clicking them."""

from __future__ import annotations

from app.tools.base import Tool


class SelectTool(Tool):
    """Click selects, Shift-click adds, Ctrl-click removes, a double-click takes the whole group."""

    name = "select"
    title = "Select"
    icon = "select"
