"""What the actions on control points do: show them, go from one to the next, hold them, let them look somewhere."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from PySide6.QtWidgets import QMenu

from app.actions.group import WindowActions
from app.widgets.frames.menu import add_action
from app.words.keys_now import key_of
from app.words.part_names import part_name, spoken_name
from core.constraints.conflicts.words import capital
from core.skeleton.control_points import BEND, HEAD_POINT, ControlPoint, control_points
from core.skeleton.joined import is_prop
from core.skeleton.segment import end_effector


class ControlActions(WindowActions):
    """Actions on the control points of the active figure."""

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return what to do for each action."""
        return {
            "next_control_point": partial(self.step, 1),
            "previous_control_point": partial(self.step, -1),
            "hold_control_point": self.hold,
        }

    def _points(self) -> tuple[ControlPoint, ...]:
        skeleton = self.document.skeleton
        return () if skeleton is None else control_points(skeleton)

    def of_joint(self, joint: int) -> ControlPoint | None:
        """Return the control point on a part, the end of a limb before its bend; None without one."""
        return next((point for point in self._points() if point.joint == joint), None)

    def chosen(self) -> ControlPoint | None:
        """Return the control point under the pointer, else that of the part selected last."""
        hovered, selection = self.document.session.view.hovered_control, self.document.selection.joints
        found = next((point for point in self._points() if point.name == hovered), None)
        return found or (self.of_joint(selection[-1]) if selection else None)

    def step(self, by: int) -> None:
        """Select the next control point, or the one before."""
        points = self._points()
        if not points:
            self.document.say("info", "There is no figure to take hold of")
            return
        joints = list(dict.fromkeys(point.joint for point in points))
        selection = self.document.selection.joints
        if selection and selection[-1] in joints:
            at = (joints.index(selection[-1]) + by) % len(joints)
        else:
            at = 0 if by > 0 else len(joints) - 1
        self.document.selection.set((joints[at],))
        point = self.of_joint(joints[at])
        if point is not None:
            held = ", held" if joints[at] in self._window.area.host.scene.controls.held_joints() else ""
            self._window.status.answer(f"{part_name(point.name)}{held}, control point {at + 1} of {len(joints)}")

    def hold(self) -> None:
        """Hold the chosen control point where it is, or let it go."""
        point = self.chosen()
        if point is None:
            key = key_of("next_control_point")
            self.document.say("info", f"Select a control point first: {key} goes from one to the next")
            return
        kind = "position" if point.role == BEND else "pose"
        self.document.locks.toggle_hold(point.joint, point.point, kind, spoken_name(point.name))

    def add_menu(self, menu: QMenu, joint: int) -> None:
        """Add to the menu of a part what can be done with the control point on it."""
        point, skeleton = self.of_joint(joint), self.document.skeleton
        if point is None or skeleton is None:
            return
        held = joint in self._window.area.host.scene.controls.held_joints()
        add_action(menu, f"Hold {spoken_name(point.name)}", self.hold, checked=held)
        looks = menu.addMenu("Look at")
        add_action(looks, "A place or a part, by a click…", self._window.locks.look, icon="target")
        for number, figure in enumerate(self.document.model.figures):
            if number != self.document.model.active.figure:
                icon = "cube" if is_prop(figure.skeleton) else "pose"
                add_action(looks, figure.skeleton.name, partial(self.look_at_figure, joint, number), icon=icon)
        looks.addSeparator()
        for other in self._points():
            if other.joint != joint:
                add_action(looks, part_name(other.name), partial(self.look, joint, other.joint))
        add_action(menu, "Draw a path…", self._window.locks.draw_path)
        menu.addSeparator()

    def look(self, joint: int, other: int) -> None:
        """Let a part look at another one of its figure from the current frame on."""
        skeleton = self.document.skeleton
        if skeleton is not None:
            name, point = skeleton.joint_names[other], tuple(end_effector(skeleton, other).tolist())
            self._look(joint, (name, point), spoken_name(name))

    def look_at_figure(self, joint: int, number: int) -> None:
        """Let a part look at another figure from the current frame on: at its head if it has one, else its middle."""
        figure = self.document.model.figures[number].skeleton
        head = next((point for point in control_points(figure) if point.role == HEAD_POINT), None)
        at = 0 if head is None else head.joint
        point = end_effector(figure, 0) if head is None else head.point
        self._look(joint, (figure.name, figure.joint_names[at], tuple(point.tolist())), figure.name)

    def _look(self, joint: int, other: tuple[Any, ...], name: str) -> None:
        document, skeleton = self.document, self.document.skeleton
        if skeleton is not None and document.locks.look_at(joint, np.zeros(3), other) is not None:
            looks = f"{spoken_name(skeleton.joint_names[joint])} looks at {name}"
            document.say("info", f"{capital(looks)} from frame {document.frame} on")
