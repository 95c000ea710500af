"""Turn a part by the rings around it: its place stays, the chain behind it follows by inverse kinematics."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from app.document.edits.holding import posing_options
from app.document.session import DragSolve
from app.marks import cone_marks, limit_arcs, manipulators, overlays, paint, part_rings
from app.marks.part_rings import FREE
from app.marks.tag_places import TagPlaces, fitted
from app.scene.chain_choice import chain_title, chosen_chain, chosen_mode
from app.scene.pointing import Pointer, SceneView
from app.tools.base import FINE, Hint, Tool
from app.words.hindrance import NamedStop, named, stopped_by
from app.words.lengths import distance_text
from app.words.part_names import part_name, spoken_name
from core.posing.hindrance import MOST_NAMED, stop_at
from core.posing.turn_in_place import FreeTurn, PartTurn, Turned, TurnPath, orientation
from core.spatial import so3

if TYPE_CHECKING:
    from app.document.document import Document
    from app.document.gestures.pose_gesture import Gesture
    from app.marks.manipulators import Handle
    from app.scene.scene import Scene
    from core.kinematics.chain import Chain

SNAP = math.radians(15.0)
"""Steps of an angle while Shift is held."""
CLICK = 3.0
"""A press inside the rings that moves no further than this is a click, [px]."""
BEHIND, OUT_OF_PLACE = math.radians(0.5), 1e-3
"""A part that misses its angle or its place by no more than this has followed, [rad] and [m]."""

_ROUNDING = 1e-9
_AXES = ("its x axis", "its y axis", "its z axis"), ("the world's x axis", "the world's y axis", "the world's z axis")


@dataclass
class _Hold:
    """One turn, from press to release; angles in [rad], pixels logical. Without ``ring`` the part turns freely."""

    turn: PartTurn
    name: str
    ring: Handle | None
    about: str
    at: tuple[float, float]
    last: tuple[float, float]
    turned: Turned
    path: TurnPath | None = None
    free: FreeTurn | None = None
    grip: float | None = None
    facing: float = 0.0
    wanted: float = 0.0
    angle: float = 0.0
    begun: bool = False
    selects: bool = True
    stops: tuple[int, ...] = ()
    gesture: Gesture | None = None


def angle_text(angle: float) -> str:
    """Return an angle, [rad], as the editor shows it: ``34.0°``, with a true minus."""
    return f"{math.degrees(angle) + 0.0:.1f}°".replace("-", "−")


def snapped(angle: float) -> float:
    """Return the nearest angle that Shift allows, [rad]."""
    return SNAP * round(angle / SNAP)


class TurnPartTool(Tool):
    """Click a part, then drag one of its rings, or inside them: the whole part turns about its end-effector."""

    name = "turn_part"
    title = "Rotate"
    icon = "rotate"

    def __init__(self, document: Document, scene: Scene):
        super().__init__(document, scene)
        self._hold: _Hold | None = None
        self._hovered: int | None = None
        self._ready: tuple[object, int, Chain, PartTurn] | None = None
        self._places, self._tag_box = TagPlaces(scene), QRectF()

    # -- what the editor asks ------------------------------------------------------------------------------------

    @property
    def active(self) -> bool:
        """Whether the rings are held."""
        return self._hold is not None

    def turn(self) -> PartTurn | None:
        """Return how the part selected last would turn from the pose shown; None if nothing can."""
        skeleton, selection = self.scene.skeleton, self.document.selection.joints
        if skeleton is None or not selection:
            return None
        joint, q, session = selection[-1], self.document.pose, self.document.session
        chain = chosen_chain(session, skeleton, joint)
        if not chain.dofs:
            return None
        ready = self._ready
        if ready is None or ready[0] is not q or ready[1:3] != (joint, chain) or ready[3].skeleton is not skeleton:
            turn = PartTurn(skeleton, q, joint, chosen_mode(session, skeleton, joint))
            self._ready = ready = (q, joint, chain, turn)
        return ready[3]

    def rings(self, view: SceneView) -> tuple[Handle, ...]:
        """Return the rings of the part selected last, as they stand in a view."""
        turn = self.turn()
        if turn is None:
            return ()
        world = self.document.session.tools.turn_axes == "world"
        return part_rings.rings(view, turn.center, np.eye(3) if world else turn.rotation)

    def hints(self) -> list[Hint]:
        """Return what the keys do now."""
        hold = self._hold
        if hold is not None:
            snap = [("Shift", "steps of 15°")] if hold.ring is not None else []
            return [("Ctrl", "fine"), *snap, ("Esc", "cancel")]
        if self.turn() is None:
            return [("Click", "select a part"), *super().hints()[1:]]
        axes = "its own axes" if self.document.session.tools.turn_axes == "world" else "world axes"
        return [
            ("Drag", "turn a ring, or freely inside"),
            ("Ctrl", "fine"),
            ("Shift", "steps of 15°"),
            ("Shift+W", axes),
            ("Shift+E", "turn its joint"),
        ]

    def status(self) -> str:
        """Return the turn in one line."""
        hold, skeleton = self._hold, self.scene.skeleton
        if skeleton is None or (hold is not None and not hold.begun):
            return super().status()
        if hold is None:
            turn, hovered = self.turn(), self._hovered
            if turn is None or hovered is None or hovered == FREE:
                return super().status()
            return f"{part_name(skeleton.joints[turn.joint].name)}: turn about {self._about(hovered)}"
        words = [f"Turning {hold.name} {angle_text(hold.angle)} about {hold.about}", *self._misses(hold)]
        if len(words) > 1 and hold.stops:
            words.append(stopped_by(self._stops(hold)))
        return ", ".join(words)

    @property
    def tag_box(self) -> QRectF | None:
        """Where the tag beside the rings was painted last, [px]; None while they are not held."""
        return self._tag_box if self._hold is not None else None

    @property
    def troubled(self) -> bool:
        """Whether the part that is turned cannot follow."""
        return self._hold is not None and bool(self._misses(self._hold))

    def chip(self) -> str:
        """Return the chain that moves, or would move: mode, part, degrees of freedom."""
        turn = self._hold.turn if self._hold is not None else self.turn()
        if turn is None:
            return ""
        name = spoken_name(turn.skeleton.joints[turn.joint].name)
        title = "Whole figure" if turn.whole else chain_title(self.document.session, turn.skeleton, turn.joint)
        return f"{title} · {name} · {len(turn.chain.dofs) + 3 * turn.whole} DOF"

    def _about(self, index: int) -> str:
        if index == manipulators.VIEW:
            return "the line of sight"
        return _AXES[self.document.session.tools.turn_axes == "world"][index]

    def _stops(self, hold: _Hold) -> tuple[NamedStop, ...]:
        """Return what keeps the part from following, each with the limit it is at; nothing if the part follows."""
        if not self._misses(hold):
            return ()
        skeleton = hold.turn.skeleton
        return tuple(named(skeleton, stop_at(skeleton, hold.turned.q, dof)) for dof in hold.stops)

    def _misses(self, hold: _Hold) -> list[str]:
        """Return by how much the part could not follow."""
        turned, words = hold.turned, []
        if turned.behind > BEHIND:
            words.append(f"{angle_text(turned.behind)} behind")
        if turned.drift > OUT_OF_PLACE:
            words.append(f"{distance_text(turned.drift)} out of place")
        return words

    # -- gestures ------------------------------------------------------------------------------------------------

    def takes(self, view: SceneView, pointer: Pointer) -> bool:
        """Whether a ring, or the inside of the rings, is under the pointer."""
        return part_rings.hit(view, self.rings(view), pointer.x, pointer.y) is not None

    def hover(self, view: SceneView, pointer: Pointer) -> None:
        """Light the ring under the pointer, or the inside of the rings, else the part a click would select."""
        found = part_rings.hit(view, self.rings(view), pointer.x, pointer.y)
        changed, self._hovered = found != self._hovered, found
        if found is None or found == FREE:
            super().hover(view, pointer)
        else:
            self._set_hover(None)
        if changed:
            view.update()

    def leave(self) -> None:
        """Take note that the pointer left the views."""
        self._hovered = None
        super().leave()

    def press(self, view: SceneView, pointer: Pointer) -> None:
        """Take hold of a ring or of the inside, else select; nothing turns yet."""
        skeleton, ready, shown = self.scene.skeleton, self.turn(), self.rings(view)
        index = part_rings.hit(view, shown, pointer.x, pointer.y)
        if index is None or ready is None or skeleton is None:
            super().press(view, pointer)
            self._hovered = None
            return
        document, q = self.document, self.document.pose
        mode = chosen_mode(document.session, skeleton, ready.joint)
        turn = PartTurn(skeleton, q, ready.joint, mode, **posing_options(document.model, document.session, q))
        at = (pointer.x, pointer.y)
        ring = None if index == FREE else shown[index]
        about = "itself" if ring is None else self._about(index)
        name = spoken_name(skeleton.joints[turn.joint].name)
        hold = self._hold = _Hold(turn, name, ring, about, at, at, Turned(turn.start, 0.0, 0.0))
        if ring is None:
            hold.free = FreeTurn(turn)
            return
        hold.path = TurnPath(turn, ring.axis)
        hold.facing = float(view.ray(*at)[1] @ ring.axis)
        grip = manipulators.angle_at(view, ring, *at)
        hold.ring, hold.grip = _taken(view, ring, grip, at), None if grip is None else 0.0

    def take(self, view: SceneView, pointer: Pointer, joint: int) -> bool:
        """Take hold of a part to turn it freely, wherever the pointer is; return whether it can turn."""
        skeleton, document = self.scene.skeleton, self.document
        if skeleton is None or not chosen_chain(document.session, skeleton, joint).dofs:
            return False
        q, mode = document.pose, chosen_mode(document.session, skeleton, joint)
        turn = PartTurn(skeleton, q, joint, mode, **posing_options(document.model, document.session, q))
        at, name = (pointer.x, pointer.y), spoken_name(skeleton.joints[joint].name)
        self._hold = _Hold(turn, name, None, "itself", at, at, Turned(turn.start, 0.0, 0.0), selects=False)
        self._hold.free = FreeTurn(turn)
        return True

    def move(self, view: SceneView, pointer: Pointer) -> None:
        """Turn the part to where the pointer has pulled the ring."""
        hold = self._hold
        if hold is None or self._is_over(hold.gesture):
            return
        if hold.ring is None:
            if not hold.begun and math.hypot(pointer.x - hold.at[0], pointer.y - hold.at[1]) <= CLICK:
                return
        gain = FINE if pointer.ctrl else 1.0
        since = time.thread_time()
        if hold.ring is not None and hold.path is not None:
            hold.wanted += gain * self._pulled(view, hold, hold.ring, pointer)
            angle = snapped(hold.wanted) if pointer.shift else hold.wanted
            angle = 0.0 if abs(angle) < _ROUNDING else angle  # back where it was taken hold of
            if angle == hold.angle:
                return
            hold.angle, hold.turned = angle, hold.path.at(angle)
            hold.stops = hold.turn.stops(hold.turned, hold.path.rotation(angle))
        elif hold.free is not None:
            right, up, _ = view.camera.basis
            dx, dy = pointer.x - hold.last[0], pointer.y - hold.last[1]
            hold.last = (pointer.x, pointer.y)
            if dx == 0.0 and dy == 0.0:
                return
            hold.turned = hold.free.by((dx * up + dy * right) * (gain / manipulators.RADIUS))
            hold.angle = float(so3.angle_between(hold.free.goal, hold.turn.rotation))
            hold.stops = hold.turn.stops(hold.turned, hold.free.goal)
        self._show(hold, time.thread_time() - since)

    def _pulled(self, view: SceneView, hold: _Hold, ring: Handle, pointer: Pointer) -> float:
        """Return how far the pointer has pulled a ring since the last move, [rad]."""
        moved = np.array([pointer.x - hold.last[0], pointer.y - hold.last[1]])
        before, hold.last = hold.last, (pointer.x, pointer.y)
        if hold.grip is None:
            return float(manipulators.tangent_rate(view, ring, *before) @ moved)
        angle = manipulators.angle_at(view, ring, pointer.x, pointer.y)
        # Beyond the horizon of the ring's plane the ray meets it from the other side: no place on the ring.
        if angle is None or hold.facing * float(view.ray(pointer.x, pointer.y)[1] @ ring.axis) <= 0.0:
            return 0.0
        step = float(np.remainder(angle - hold.grip + np.pi, 2.0 * np.pi) - np.pi)
        hold.grip = angle
        return step

    def _show(self, hold: _Hold, seconds: float) -> None:
        """Show the pose the part has come to, and report how it was solved."""
        session = self.document.session
        if hold.gesture is None:
            hold.begun, hold.gesture = True, self.document.posing.begin_gesture(f"Turn {hold.name}")
        hold.gesture.show(hold.turn.shown(hold.turned))
        if session.drag.chain is not hold.turn.chain:
            session.drag.chain = hold.turn.chain
        session.drag.stops = self._stops(hold)
        if hold.turned.result is not None:
            session.drag.solve = DragSolve.of(hold.turned.result, seconds)

    def release(self, view: SceneView, pointer: Pointer) -> None:
        """Let go: one undo step if anything turned; a press inside the rings that did not move is a click."""
        hold, self._hold = self._hold, None
        if hold is None:
            return
        if hold.gesture is not None:
            hold.gesture.commit()
        elif hold.ring is None and hold.selects:
            self.select(self.pick(view, pointer), pointer)
        self._forget_chain()

    def cancel(self) -> None:
        """Put everything back as it was at press."""
        hold, self._hold = self._hold, None
        if hold is not None and hold.gesture is not None:
            hold.gesture.cancel()
        self._forget_chain()

    def _forget_chain(self) -> None:
        session = self.document.session
        if session.drag.chain is not None:
            session.drag.chain = None
        session.drag.stops = ()
        self._places.forget()

    # -- painting ------------------------------------------------------------------------------------------------

    def paint(self, view: SceneView, painter: QPainter) -> None:
        """Draw the rings; while one is held how far it is turned, what moves, and whether the part can follow."""
        hold, skeleton = self._hold, self.scene.skeleton
        if hold is None or skeleton is None:
            shown, lit = self.rings(view), self._hovered
            if not shown:
                return
            if lit == FREE:
                part_rings.draw_disc(painter, view, shown[0].center, held=False)
            part_rings.draw_place(painter, view, shown[0].center, None)
            manipulators.draw(painter, view, view.theme, shown, None if lit == FREE else lit, None)
            return
        turn, drifted = hold.turn, hold.turned.drift > OUT_OF_PLACE
        effector = self.scene.world(turn.joint, turn.point)
        if hold.begun:
            overlays.draw_chain(painter, view, self.scene, turn.chain, effector)
        if hold.ring is None:
            part_rings.draw_disc(painter, view, turn.center, held=True)
            now = orientation(skeleton, np.asarray(self.document.pose), turn.joint)
            world = self.document.session.tools.turn_axes == "world"
            shown = part_rings.rings(view, turn.center, np.eye(3) if world else now)
            manipulators.draw(painter, view, view.theme, shown, None, None)
        else:
            behind = hold.turned.behind if hold.turned.behind > BEHIND else 0.0
            part_rings.draw_sector(painter, view, hold.ring, hold.angle, behind)
            manipulators.draw(painter, view, view.theme, (replace(hold.ring, value=hold.angle),), 0, 0)
        part_rings.draw_place(painter, view, turn.center, effector if drifted else None)
        misses = self._misses(hold)
        if misses and hold.stops:
            stops = self._stops(hold)[:MOST_NAMED]
            limit_arcs.draw(painter, view, limit_arcs.blocked_handles(self.scene, stops))
            cone_marks.draw(painter, view, cone_marks.blocked_cones(self.scene, stops))
        text = " · ".join([f"Turning {hold.name} {angle_text(hold.angle)}", *misses])
        center = QPointF(*view.project(turn.center[None])[0, :2])
        size, room = part_rings.OUTER + 8.0, QRectF(painter.viewport()).adjusted(0.0, 34.0, 0.0, 0.0)
        text = fitted(text, " · ".join([angle_text(hold.angle), *misses]), room.width())
        around = QRectF(center.x() - size, center.y() - size, 2.0 * size, 2.0 * size)
        self._tag_box = rect = self._places.place(view, room, around, text, turn.joint)
        ink, border = ("warn", "warn") if misses else ("accent", "acc_line")
        paint.draw_chip(painter, view.theme, rect, text, ink, border)


def _taken(view: SceneView, ring: Handle, grip: float | None, at: tuple[float, float]) -> Handle:
    """Return a ring whose zero is where it is held."""
    if grip is None:
        pixels = manipulators.ring_points(view, ring)[:-1, :2]
        grip = 2.0 * math.pi * int(np.argmin(np.hypot(*(pixels - at).T))) / len(pixels)
    return replace(ring, zero=ring.at(grip))
