"""Let a part look somewhere: a click on another part, a prop, another figure, the floor or a place in the air."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter

from app.marks.anchor_marks import draw_anchors, draw_way
from app.scene.pointing import Pointer, SceneView
from app.tools.base import Array, Hint, Tool
from app.tools.landing import Sight, sight_at
from app.words.lock_words import angle_text
from app.words.part_names import spoken_name
from core.constraints.aiming import named_axis, natural_axis
from core.constraints.conflicts.words import capital
from core.constraints.kinds.look_at import AHEAD

if TYPE_CHECKING:
    from app.document.document import Document
    from app.scene.scene import Scene


class LookTool(Tool):
    """What the mouse does while ``session.tools.placing`` is ``"look"``: a click, and the selected part looks there."""

    name = "look"
    title = "Look at"
    icon = "target"
    cursor = Qt.CursorShape.CrossCursor

    def __init__(self, document: Document, scene: Scene):
        super().__init__(document, scene)
        self._over: Sight | None = None

    @property
    def joint(self) -> int | None:
        """The part that is to look."""
        chosen = self.document.selection.joints
        return chosen[-1] if chosen and self.scene.skeleton is not None else None

    def _named(self) -> str:
        joint, skeleton = self.joint, self.scene.skeleton
        return "" if joint is None or skeleton is None else spoken_name(skeleton.joint_names[joint])

    # -- what the editor asks ------------------------------------------------------------------------------------

    def claims(self, key: int) -> bool:
        return key == Qt.Key.Key_Escape

    def hints(self) -> list[Hint]:
        return [("Click", f"what the {self._named()} looks at: a part, a prop, the floor, the air"), ("Esc", "give up")]

    def status(self) -> str:
        return f"{capital(self._named())} looks at {'…' if self._over is None else self._over.name}"

    def chip(self) -> str:
        return f"Look at · {capital(self._named())}"

    # -- gestures ------------------------------------------------------------------------------------------------

    def _eye(self) -> Array:
        joint = self.joint
        assert joint is not None
        return self.scene.world(joint, np.zeros(3))

    def _sight(self, view: SceneView, pointer: Pointer) -> Sight | None:
        joint, skeleton = self.joint, self.scene.skeleton
        if joint is None or skeleton is None:
            return None
        axis = named_axis(skeleton, joint, natural_axis(skeleton, joint))
        ahead = self._eye() + AHEAD * (self.scene.poses[joint, :3, :3] @ axis)
        found = sight_at(self.scene, view, pointer, ahead)
        own = found is not None and found.other is not None and found.other[:-1] == (skeleton.joint_names[joint],)
        return None if own else found

    def hover(self, view: SceneView, pointer: Pointer) -> None:
        self._over = self._sight(view, pointer)
        view.update()

    def leave(self) -> None:
        self._over = None
        super().leave()

    def press(self, view: SceneView, pointer: Pointer) -> None:
        """Let the part look at what is under the pointer."""
        self._over = self._sight(view, pointer)

    def move(self, view: SceneView, pointer: Pointer) -> None:
        self.hover(view, pointer)

    def release(self, view: SceneView, pointer: Pointer) -> None:
        found, joint, document = self._over, self.joint, self.document
        if found is None or joint is None:
            document.say("info", "There is nothing here to look at; click another place")
            return
        name = capital(self._named())
        made = document.locks.look_at(joint, found.place, found.other)
        if made is None:
            return
        document.session.tools.placing = None
        document.session.locks.selected = made
        state = next(each for each in document.locks.states() if each.strip is not None and each.strip.id == made)
        short = state.word != "holds" and f"; it cannot turn that far, {angle_text(state.angle_residual)} short"
        document.say("info", f"{name} looks at {found.name} from frame {document.frame} on{short or ''}")

    def double_click(self, view: SceneView, pointer: Pointer) -> None:
        """Nothing more: the first click has done it."""

    def key(self, key: int) -> bool:
        """Esc gives it up."""
        if key != Qt.Key.Key_Escape:
            return False
        self.document.session.tools.placing = None
        return True

    # -- painting ------------------------------------------------------------------------------------------------

    def paint(self, view: SceneView, painter: QPainter) -> None:
        """Draw the line of sight to the pointer."""
        if self._over is not None and self.joint is not None:
            draw_way(painter, view, [self._eye(), self._over.place])
            draw_anchors(painter, view, [(self._over.place, True)])
