"""What tips of tools say under the name: what to do with the mouse, in a sentence."""

from __future__ import annotations

TOOL_WORDS = {
    "tool_select": "Click a part to select it. Shift adds, Ctrl removes, and a double click takes the whole group.",
    "tool_drag": "Drag a part: the joints behind it follow. With Shift the whole figure comes along.",
    "tool_rotate": "Click a part, then drag a ring: one joint turns, as far as its limits let it.",
    "tool_lock": "Drag the mark of a lock: what it holds goes there, and so do its keys.",
    "add_joints": "Click where the next joint is to be; Esc ends the chain.",
    "mirror_editing": "What one side does, the other does too.",
    "show_ghosts": "The poses before and after this one; click one to go there.",
    "show_trail": "The path of the selected parts; drag a diamond on it to change a key.",
}
"""By action."""
