"""Why an action is greyed, in words that say what to do about it."""

from __future__ import annotations

from collections.abc import Iterable

from app.actions.editor_window import EditorWindow
from app.actions.keys import EASE_NAMES, ON_SELECTED
from app.actions.music import NEEDS_BEATS, NEEDS_MUSIC
from app.actions.posing import CHOSEN
from app.actions.table import (
    CYCLE_ACTIONS,
    INTERPOLATION_ACTIONS,
    NEEDS_FIGURE,
    NUDGES,
    PHYSICS_ACTIONS,
    PHYSICS_ONLY,
    PHYSICS_RESTS,
    POSE_ONLY,
    SKELETON_ONLY,
)
from app.words.key_map import shortcut_text

UNKNOWN = "It makes no sense here"
"""What is said of an action that nobody has given a reason; a test sees to it that nobody gets to read this."""


def _of(names: Iterable[str], why: str) -> dict[str, str]:
    return dict.fromkeys(names, why)


REASONS: dict[str, str] = {
    **_of(ON_SELECTED, "Select keys in the timeline first"),
    **_of((*INTERPOLATION_ACTIONS, *EASE_NAMES.values(), "full_turns", "two_axis_arcs"), "Go to a key first"),
    **_of(CYCLE_ACTIONS, "The sequence has no keys"),
    **_of((*CHOSEN, *NUDGES, "reset_selection", "key_parts", "unkey_parts"), "Select a part first"),
    **_of(("rename_joint", "remove_branch", "remove_joint", "mirror_side"), "Select a joint first"),
    **_of(NEEDS_MUSIC, "Load music first"),
    **_of(NEEDS_BEATS, "The music has no beats yet: let them be found, or tap them"),
    **_of(("previous_marker", "next_marker", "rename_marker", "delete_marker"), "There are no markers"),
    **_of(("previous_key", "next_key"), "The sequence has no keys"),
    **_of(("clear_camera", "camera_settings"), "The camera has no keys"),
    **_of(("simulation_back", "simulation_rewind", "simulation_stop", "bake"), "Simulate first"),
    **_of(("next_figure", "remove_figure"), "There is only one figure"),
    "undo": "There is nothing to undo",
    "redo": "Nothing was undone",
    "adjust_put_in": "Put a sequence of the library in first; it can be adjusted until the next step",
    "select_none": "Nothing is selected",
    "delete_key": "There is no key at this frame",
    "delete_camera_key": "The camera has no key at this frame",
    "play": "There is no sequence to play",
    "duplicate_figure": "Open a figure first",
    "make_prop": "Click a rigid body first",
    "make_body": "Only a prop beside a figure can become a rigid body",
    "add_line_point": "There is no muscle",
    "bake_walk": "This sequence is no walk made by rules",
    "reroot": "Select a part other than the root first",
}
"""Why an action is greyed in a mode in which it makes sense."""


def why_not(window: EditorWindow, name: str) -> str:
    """Return why an action of the table cannot be done now, or "" if it can."""
    actions, document = window.action_table, window.document
    if actions[name].isEnabled():
        return ""
    needing = NEEDS_FIGURE | POSE_ONLY | PHYSICS_ACTIONS | SKELETON_ONLY
    if document.skeleton is None and (name in needing or name in REASONS) and name not in ("undo", "redo"):
        return "Open a figure first"
    mode = document.session.mode
    if name in SKELETON_ONLY and mode != "skeleton":
        return f"Only in skeleton mode ({_key(window, 'mode_skeleton')})"
    if name in PHYSICS_ONLY and mode != "physics":
        return f"Only in physics mode ({_key(window, 'mode_physics')})"
    if name in POSE_ONLY | PHYSICS_ACTIONS | PHYSICS_RESTS and mode == "skeleton":
        return f"Not while the skeleton is edited: go to pose mode ({_key(window, 'mode_pose')})"
    if name in PHYSICS_RESTS and mode == "physics":
        return f"Not in physics mode: go to pose mode ({_key(window, 'mode_pose')})"
    return REASONS.get(name, UNKNOWN)


def _key(window: EditorWindow, name: str) -> str:
    return shortcut_text(window.action_table[name].shortcut().toString())
