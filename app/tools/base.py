"""What a tool is: it turns mouse gestures in a view into edits of the document.

A tool never knows which widget it works in; a view gives it rays, projections and the size of a pixel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter

from app.scene.pointing import Pointer, SceneView
from app.tools.picking import pick_near
from app.words.part_names import part_name

if TYPE_CHECKING:
    from app.document.document import Document
    from app.scene.scene import Scene
    from core.kinematics.picking import Hit

Array = NDArray[np.float64]
Hint = tuple[str, str]

FINE = 0.1
"""How much of the pointer's motion counts while Ctrl is held."""


class Gesture(Protocol):
    """What changes the document live while a tool drags, and is one undo step in the end."""

    @property
    def active(self) -> bool:
        """Whether it still goes on."""


class Tool:
    """Base of all tools: hovering shows what a click would grab, a click selects.

    Args:
        document: The open document; changed only through its own methods.
        scene: The posed figure as the views see it.
    """

    name = ""
    title = ""
    icon = ""
    chip_tokens = ("accent", "acc_line")
    cursor = Qt.CursorShape.ArrowCursor

    def __init__(self, document: Document, scene: Scene):
        self.document = document
        self.scene = scene

    # -- what the editor asks ------------------------------------------------------------------------------------

    @property
    def active(self) -> bool:
        """Whether a gesture is in progress, so that Esc belongs to the tool."""
        return False

    def hints(self) -> list[Hint]:
        """Return (key, what it does) for everything that works now."""
        return [("Click", "select"), ("Shift", "add"), ("Ctrl", "remove"), ("Double-click", "whole group")]

    def status(self) -> str:
        """Return one line about what is going on: what the pointer is over, or what the gesture does."""
        hover, other = self.document.session.view.hover, self.document.session.view.hovered_figure
        skeleton = self.scene.skeleton
        if other is not None and other < len(self.document.model.figures):
            return f"{self.document.model.figures[other].skeleton.name}: click to edit it"
        return part_name(skeleton.joints[hover].name) if skeleton is not None and hover is not None else ""

    def status_token(self) -> str:
        """Return the colour token of what ``status`` says while nothing is wrong."""
        return "accent"

    def chip(self) -> str:
        """Return what the chip at the top of the work area says, or ""."""
        return ""

    # -- gestures ------------------------------------------------------------------------------------------------

    def takes(self, view: SceneView, pointer: Pointer) -> bool:
        """Whether a press takes hold of something of the tool's own, such as a ring; parts of the figure apart."""
        return False

    def hover(self, view: SceneView, pointer: Pointer) -> None:
        """Take a pointer movement with no button held."""
        hit = self.pick(view, pointer)
        self._set_hover(None if hit is None else hit.joint)

    def leave(self) -> None:
        """Take note that the pointer left the views."""
        self._set_hover(None)

    def press(self, view: SceneView, pointer: Pointer) -> None:
        """Take a press of the left button: a plain one selects."""
        self.select(self.pick(view, pointer), pointer)

    def move(self, view: SceneView, pointer: Pointer) -> None:
        """Take a pointer movement with the left button held."""

    def release(self, view: SceneView, pointer: Pointer) -> None:
        """Take the release of the left button."""

    def double_click(self, view: SceneView, pointer: Pointer) -> None:
        """Select the whole group of the part under the pointer."""
        hit = self.pick(view, pointer)
        if hit is not None:
            self.document.selection.set(self.group(hit.joint))

    def claims(self, key: int) -> bool:
        """Whether a key is the tool's now, and not the shortcut that it is otherwise."""
        return False

    def key(self, key: int) -> bool:
        """Take a key press; return whether it was meant for the tool."""
        return False

    def cancel(self) -> None:
        """Give up the gesture in progress; the document is as it was before it."""

    def _is_over(self, gesture: Gesture | None) -> bool:
        """Return whether a gesture was undone, or committed by a change of frame; the tool gives it up then."""
        if gesture is None or gesture.active:
            return False
        self.cancel()
        return True

    def paint(self, view: SceneView, painter: QPainter) -> None:
        """Draw the tool's marks over the work area."""

    @property
    def tag_box(self) -> QRectF | None:
        """Where the tag of the gesture under way was painted last, [px]; None if there is none."""
        return None

    @property
    def troubled(self) -> bool:
        """Whether ``status`` says that the gesture under way fails: a part cannot get to its goal."""
        goal = self.document.session.drag.goal
        hindrance = None if goal is None else goal.hindrance
        return hindrance is not None and bool(hindrance.tag)

    # -- for subclasses ------------------------------------------------------------------------------------------

    def pick(self, view: SceneView, pointer: Pointer) -> Hit | None:
        """Return the segment under the pointer, or one that it misses by a few pixels."""
        return pick_near(self.scene, view, pointer.x, pointer.y)

    def select(self, hit: Hit | None, pointer: Pointer) -> None:
        """Select by a click: plain replaces or clears, Shift adds, Ctrl removes."""
        now = tuple(self.document.selection.joints)
        if hit is None:
            wanted = now if pointer.shift or pointer.ctrl else ()
        elif pointer.ctrl:
            wanted = tuple(joint for joint in now if joint != hit.joint)
        elif pointer.shift:
            wanted = now if hit.joint in now else (*now, hit.joint)
        else:
            wanted = (hit.joint,)
        if wanted != now:
            self.document.selection.set(wanted)

    def group(self, joint: int) -> tuple[int, ...]:
        """Return the joints of the innermost named group a joint is in; the joint alone if it is in none."""
        skeleton = self.scene.skeleton
        if skeleton is not None:
            for name, joints in skeleton.groups:
                if name and joint in joints:
                    return tuple(joints)
        return (joint,)

    def _set_hover(self, joint: int | None) -> None:
        session = self.document.session
        if session.view.hover != joint:
            session.view.hover = joint
