"""The menus of the joints panel: of a row, of a group, and of the panel itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMenu

from app.document.edits.part_choice import other_side
from app.widgets.frames.menu import Item, make_menu
from app.widgets.joints.joint_groups import Group
from app.widgets.joints.joint_row import JointRow

if TYPE_CHECKING:
    from app.panels.joints.panel import JointsPanel


def row_menu(panel: JointsPanel, group: Group, row: JointRow) -> QMenu:
    """Return the menu of a row that stands in a group."""
    return make_menu(
        panel,
        [
            ("Reset to rest", lambda: panel.reset([row.index], f"Reset {row.label}"), "rest"),
            (f"Reset group “{group.title}”", lambda: panel.reset_group(group), ""),
            None,
            ("Select joint", lambda: panel.document.selection.set((row.joint,)), "select"),
            ("Select group", lambda: panel.select_group(group), ""),
        ],
    )


def group_menu(panel: JointsPanel, group: Group) -> QMenu:
    """Return the menu of a group."""
    document = panel.document
    joints = tuple(dict.fromkeys(entry.joint for entry in group.entries))
    skeleton = document.skeleton
    across = () if skeleton is None else other_side(skeleton, joints)
    sided = bool(set(across) - set(joints))
    items: list[Item] = [
        ("Select group", lambda: panel.select_group(group), "select"),
        ("Add group to the selection", lambda: document.selection.set(joints, "add"), ""),
        ("Take group out of the selection", lambda: document.selection.set(joints, "remove"), ""),
        *([("Select the other side", lambda: document.selection.set(across), "")] if sided else []),
        None,
        ("Copy pose of group", lambda: document.posing.copy(joints), "copy"),
        *([("Mirror group to the other side", lambda: document.posing.mirror(joints), "mirror")] if sided else []),
        ("Reset group", lambda: panel.reset_group(group), "rest"),
    ]
    return make_menu(panel, items)


def panel_menu(panel: JointsPanel) -> QMenu:
    """Return the menu of the panel's title."""
    joints = range(3, len(panel.document.pose))
    return make_menu(
        panel,
        [
            ("Open all groups", lambda: panel.open_all(True), ""),
            ("Close all groups", lambda: panel.open_all(False), ""),
            None,
            ("Reset all joints to rest", lambda: panel.reset(joints, "Reset all joints"), "rest"),
            ("Reset how all joints follow", panel.following.reset_all, "spring"),
        ],
    )
