"""Every action of the menus, the toolbar and the keyboard, made from the key map."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence

from app.document.session import LIGHTS, SCALES
from app.words.key_map import Row, lock_action, shortcut_text
from app.words.line_kinds import LINE_KINDS
from app.words.preset_words import PRESET_WORDS
from core.animation.cycles import CYCLES
from core.animation.shape import EASES, INTERPOLATIONS
from core.constraints.kinds import KINDS

if TYPE_CHECKING:
    from PySide6.QtWidgets import QMainWindow

CHECKABLE = frozenset(
    {
        *(f"cycle_{kind}" for kind in CYCLES),
        "auto_key",
        "keys_together",
        "key_figure",
        "key_changed",
        "key_selection",
        "loop",
        "full_turns",
        "two_axis_arcs",
        "rows_of_selection",
        "rows_with_keys",
        "turn_mode",
        "turn_axes",
        "show_grid",
        "show_control_points",
        "show_root_path",
        "show_com_path",
        "show_footprints",
        "show_walk_prints",
        "show_ghosts",
        "show_trail",
        "show_com",
        "show_ellipsoid",
        "show_silhouette",
        "follow_figure",
        "through_camera",
        "show_safe_frame",
        "show_studio",
        *(f"lights_{name}" for name in LIGHTS),
        "toggle_theme",
        *(f"scale_{scale}" for scale in SCALES),
        *(
            f"show_{name}"
            for name in ("inertia", "hinges", "balls", "contacts", "mass_center", "momentum", "torques", "cones")
        ),
        "mode_pose",
        "mode_physics",
        "mode_skeleton",
        "add_joints",
        "carry_children",
        "snap",
        "locks_hold",
        "hold_locks",
        "reduce_motion",
        "mirror_editing",
        "fine_steps",
    }
)
TURNS = frozenset(f"turn_{number}_{way}" for number in (1, 2, 3) for way in ("on", "back"))
FIGURE_NUDGES = frozenset(f"nudge_figure_{way}" for way in ("left", "right", "up", "down"))
NUDGES = frozenset({"nudge_left", "nudge_right", "nudge_up", "nudge_down", *FIGURE_NUDGES, *TURNS})
STEPS = frozenset(f"{what}_{way}" for what in ("move", "ripple", "start", "end") for way in ("earlier", "later"))
STEPS |= {f"ease_{end}_{way}" for end in ("in", "out") for way in ("longer", "shorter")}
STEPS |= {"raise_selected", "lower_selected"}
"""Those that move what is selected in the timeline by a step."""
ROW_STEPS = frozenset({"previous_row", "next_row", "previous_row_key", "next_row_key"})
"""Those that take the keyboard from row to row in the timeline, and in a row from key to key."""
REPEATING = frozenset(
    {
        *NUDGES,
        *STEPS,
        *ROW_STEPS,
        "select_previous_key",
        "select_next_key",
        "select_parent",
        "select_child",
        "pan_earlier",
        "pan_later",
        "zoom_in_time",
        "zoom_out_time",
        "pan_left",
        "pan_right",
        "pan_up",
        "pan_down",
        "step_back",
        "step_forward",
        "undo",
        "redo",
        "zoom_in",
        "zoom_out",
        "turn_left",
        "turn_right",
        "turn_up",
        "turn_down",
    }
)
LOCK_ACTIONS = frozenset(
    {
        "put_down", "throw_prop", "draw_lock_path", "show_script", "complete_name",
        "tool_lock", "lock_cycle", "unlock", "lock_mirror", "clear_locks", "solve_locks", "locks_hold", "hold_locks",
        "lock_feet_path", "lock_parts_path", *(lock_action(kind) for kind in KINDS if not kind.by_equation),
    }
)  # fmt: skip
POSING_ACTIONS = frozenset(
    {
        "copy_pose", "paste_pose", "paste_flipped", "paste_in_place", "paste_in_world", "mirror_editing", "flip_pose",
        "flip_across", "mirror_pose", "mirror_left", "mirror_right", "pose_between", "breakdown_half", "push_pose",
        "relax_pose", "lean_back", "lean_on", "reset_groups", "reset_place", "select_group", "select_limb",
        "select_side", "select_other_side", "select_inverted", "least_effort", "reduce_keys", "clean_up",
    }
)  # fmt: skip
CONTROL_ACTIONS = frozenset({"next_control_point", "previous_control_point", "hold_control_point"})
MUSIC_ACTIONS = frozenset({"add_marker", "load_music"})
"""Those of music and markers that need no more than a figure; the others are switched by ``MusicActions``."""
INTERPOLATION_ACTIONS = tuple(f"interpolate_{kind}" for kind in INTERPOLATIONS)
EASE_ACTIONS = tuple("ease_" + name.replace(" ", "_") for name in EASES)
KEY_ACTIONS = frozenset(
    {
        "cut_keys", "copy_keys", "paste_keys", "paste_keys_flipped", "paste_keys_room", "paste_keys_over",
        "duplicate_keys", "delete_selected_keys", "ripple_delete", "select_all_keys", "key_numbers", "stretch_keys",
        "slide_keys", "reshape_keys", "insert_frames", "remove_frames", "key_parts", "unkey_parts", "full_turns",
        "two_axis_arcs", "fit_keys",
        "fit_selected_keys", "open_rows", "close_rows", "rows_of_selection", "rows_with_keys",
        *INTERPOLATION_ACTIONS, *EASE_ACTIONS, *STEPS, "select_key_here", "select_previous_key", "select_next_key",
        "select_keys_before", "select_keys_after", *ROW_STEPS, "open_row", "close_row",
        "zoom_in_time", "zoom_out_time", "pan_earlier", "pan_later", "go_to_frame", "next_strip", "previous_strip",
        "select_all_strips", "edit_lock", "duplicate_strip", "remove_strip", "copy_strip", "paste_strip", "add_strip",
        "toggle_motor", "zoom_in_values", "zoom_out_values",
        "fit_curves", "fit_selected_curves", "curve_alone", "add_curve_point", "steeper_tangents", "flatter_tangents",
        *(f"tangents_{how}" for how in ("auto", "flat", "straight", "joined", "broken")),
    }
)  # fmt: skip
"""Those on keys and on rows of the dope sheet; ``KeyActions`` says which make sense."""
LAYER_ACTIONS = frozenset({"add_layer", "zero_layer_key", "merge_layer", "flatten_layers", "leave_layer"})
CAMERA_ACTIONS = frozenset({"key_camera", "through_camera"})
"""Those of the shot's camera that need no more than a figure; the others are switched by ``CameraActions``."""
WALK_ACTIONS = frozenset({"walk", "walk_ground", "walk_way", "show_walk_prints"})
"""Those of sequences made by rules that need no more than a figure; ``WalkActions`` switches the others."""
RETARGET_ACTIONS = frozenset({"retarget", "retarget_file"})
CYCLE_ACTIONS = frozenset({*(f"cycle_{kind}" for kind in CYCLES), "play_rounds"})
"""Those that let the motion go on beyond its keys."""
NEEDS_FIGURE = frozenset(
    {
        "save", "save_as", "export_picture", "export_movie", "export_motion", "export_page", "blender_send",
        "select_all", "select_none", "reset_selection", "reset_pose", "set_key", "delete_key", "play", "first_frame",
        "previous_key", "step_back", "step_forward", "next_key", "last_frame", "frame_selected", "frame_all",
        "save_to_library", "save_pose_to_library", "save_figure_to_library",
        "mode_pose", "mode_physics", "mode_skeleton", "next_mode", "rename_figure",
        "save_figure", "reroot", "joint_limits", "add_joints", "add_child",
        "rename_joint", "remove_branch", "remove_joint", "mirror_side", "carry_children", "snap", "add_bodies",
        *LOCK_ACTIONS, *POSING_ACTIONS, *MUSIC_ACTIONS, *KEY_ACTIONS, *CYCLE_ACTIONS, *CONTROL_ACTIONS, *LAYER_ACTIONS,
        *CAMERA_ACTIONS, *WALK_ACTIONS, *RETARGET_ACTIONS, *NUDGES, "select_parent", "select_child",
    }
)  # fmt: skip
POSE_ONLY = frozenset(
    {
        "reset_selection", "reset_pose", "set_key", "delete_key", "auto_key", "key_figure", "key_changed",
        "key_selection", "play", "loop", "first_frame", "previous_key", "step_back", "step_forward", "next_key",
        "last_frame", "tool_select", "tool_drag",
        "tool_rotate", "turn_mode", "turn_axes", "cycle_drag_mode", "show_ghosts", "show_trail", "follow_figure",
        "show_ellipsoid", "keep_trail", "forget_trails", "show_root_path", "show_com_path", "show_footprints",
        "motion_settings", "show_control_points", "keys_together", *CONTROL_ACTIONS, *LOCK_ACTIONS, *POSING_ACTIONS,
        *MUSIC_ACTIONS, *KEY_ACTIONS, *CYCLE_ACTIONS, *LAYER_ACTIONS, *CAMERA_ACTIONS,
        *WALK_ACTIONS, *RETARGET_ACTIONS, *TURNS, *FIGURE_NUDGES,
    }
)  # fmt: skip
ABOUT = {
    "keep_trail": "Kept trails belong to the view, like its cameras: they are saved when the file is",
    "add_line_point": "In the middle of the longest stretch of the muscle clicked last; a double click on a muscle "
    "makes one there",
    **{kind.between_action: kind.between_tip for kind in LINE_KINDS},
}
"""What the tip of an action says besides its name."""
PHYSICS_RESTS = frozenset(
    {
        "reset_selection", "reset_pose", "set_key", "delete_key", "auto_key", "key_figure", "key_changed",
        "key_selection", "tool_drag", "tool_rotate", "turn_mode", "turn_axes", "cycle_drag_mode", "show_ellipsoid",
        "show_control_points", *CONTROL_ACTIONS,
        "solve_locks", "locks_hold", "hold_locks", "lock_feet_path", "lock_parts_path",
        "next_mode", "previous_key", "next_key", *POSING_ACTIONS, *WALK_ACTIONS, *RETARGET_ACTIONS,
        *NUDGES,
    }
) - {"select_group", "select_limb", "select_side", "select_other_side", "select_inverted"}  # fmt: skip
"""Those on the pose on screen, which is no keyed one while the figure is simulated."""
PHYSICS_ONLY = frozenset(
    {
        *("simulation_step", "simulation_back", "simulation_rewind", "simulation_stop", "bake", "throw", "drop_ball"),
        *("pull_left", "pull_right", "pull_up", "pull_down"),
    }
)
"""Those on what is simulated; ``PhysicsActions`` says which of them make sense."""
PHYSICS_ACTIONS = frozenset(
    {
        "simulate", "make_dynamic", "make_motor", "make_keyed", "add_box", "add_ramp", "add_stairs",
        "add_moving_ball", "add_moving_box", "add_string", *PHYSICS_ONLY,
        *(f"direct_{preset.name}" for preset in PRESET_WORDS),
        *(kind.action for kind in LINE_KINDS), *(kind.between_action for kind in LINE_KINDS),
    }
)  # fmt: skip
"""Those that rest while the skeleton is edited."""
SKELETON_ONLY = frozenset(
    {
        "add_joints", "add_child", "rename_joint", "remove_branch", "remove_joint", "mirror_side", "carry_children",
        "snap", "add_bodies",
    }
)  # fmt: skip


class ActionTable(QObject):
    """The actions by name; the window and the toolbar show the same objects.

    Args:
        window: The window they belong to.
        rows: The key map.
        handlers: What each action does; an action without one is not made.

    Signals:
        keys_changed(): Other keys trigger them.
    """

    keys_changed = Signal()

    def __init__(self, window: QMainWindow, rows: tuple[Row, ...], handlers: Mapping[str, Callable[[], object]]):
        super().__init__(window)
        self.rows = rows
        self._actions: dict[str, QAction] = {}
        unknown = set(handlers) - {row.action for row in rows}
        if unknown:
            raise KeyError(f"actions without a row in the key map: {', '.join(sorted(unknown))}")
        for row in rows:
            if row.action not in handlers or row.is_gesture:
                continue
            action = QAction(_text(row), window)
            action.setObjectName(row.action)
            action.setShortcuts(_sequences(row))
            action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
            action.setAutoRepeat(row.action in REPEATING)
            action.setCheckable(row.action in CHECKABLE or row.action in (*INTERPOLATION_ACTIONS, *EASE_ACTIONS))
            handler = handlers[row.action]
            action.triggered.connect(lambda _checked=False, handler=handler: handler())
            action.setToolTip(_tip(row))
            action.setStatusTip(row.text)
            window.addAction(action)
            self._actions[row.action] = action

    def set_rows(self, rows: tuple[Row, ...]) -> None:
        """Let other keys trigger the actions; texts and tips that name one follow."""
        before = {row.action: row for row in self.rows}
        self.rows = rows
        for row in rows:
            action, old = self._actions.get(row.action), before.get(row.action)
            if action is None or old is None or row.keys == old.keys:
                continue
            action.setShortcuts(_sequences(row))
            if action.text() == _text(old):
                action.setText(_text(row))
            if action.toolTip() == _tip(old):
                action.setToolTip(_tip(row))
        self.keys_changed.emit()

    def __getitem__(self, name: str) -> QAction:
        return self._actions[name]

    def names(self) -> tuple[str, ...]:
        """Names of all actions, in the key map's order."""
        return tuple(self._actions)

    def menu(self, title: str) -> list[QAction]:
        """Return the actions of one menu, in the key map's order, those of the menus in it included."""
        return [action for _, action in self.entries(title)]

    def entries(self, title: str) -> list[tuple[str, QAction]]:
        """Return the actions of one menu, each with the menu in it that it stands in, or ""."""
        rows = ((row.menu.partition("/"), row) for row in self.rows if row.action in self._actions)
        return [(inner, self._actions[row.action]) for (outer, _, inner), row in rows if outer == title]

    def show_state(self, is_open: bool, mode: str) -> None:
        """Enable what makes sense now and disable the rest.

        Args:
            is_open: Whether there is a figure.
            mode: The session's mode.
        """
        needing = NEEDS_FIGURE | PHYSICS_ACTIONS
        resting = {
            "pose": SKELETON_ONLY,
            "physics": SKELETON_ONLY | PHYSICS_RESTS,
            "skeleton": POSE_ONLY | PHYSICS_ACTIONS,
        }[mode]
        governed = (NEEDS_FIGURE | POSE_ONLY | PHYSICS_RESTS | PHYSICS_ACTIONS) - PHYSICS_ONLY
        for name in governed & set(self._actions):
            self._actions[name].setEnabled(name not in resting and (is_open or name not in needing))


def _sequences(row: Row) -> list[QKeySequence]:
    return [QKeySequence.fromString(key, QKeySequence.SequenceFormat.PortableText) for key in row.keys]


def _text(row: Row) -> str:
    """Return what a menu says; Qt would write the 0 of the keypad as Num+0, like two keys held together."""
    keypad = row.keys and "Num+" in row.keys[0]
    return f"{row.text}\t{shortcut_text(row.keys[0])}" if keypad else row.text


def _tip(row: Row) -> str:
    tip = row.text.rstrip("…") + (f" ({shortcut_text(row.keys[0])})" if row.keys else "")
    return f"{tip}\n{ABOUT[row.action]}" if row.action in ABOUT else tip
