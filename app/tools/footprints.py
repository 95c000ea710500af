"""Footprints of a walk under the mouse: dragged over the ground and turned; the walk follows."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt

from app.document.edits.walk_edits import Made, made_by
from app.document.walks import WalkGesture
from app.scene.pointing import Pointer, SceneView
from app.scene.walk_prints import LINE, MOVE, POINT, TURN, WalkPrint, on_ground
from app.tools.base import FINE, Array, Hint, Tool
from app.tools.pointer_hold import PointerHold
from app.words.walk_words import missed_words
from app.work.background import Background, Progress
from core import kernels
from core.animation.sequence import Sequence
from core.constraints.conflicts.words import capital
from core.constraints.hold import solver_kernel
from core.errors import CoreError

if TYPE_CHECKING:
    from app.document.document import Document
    from app.scene.scene import Scene
    from core.gait.procedural import Rules

DRAG_DISTANCE = 3.0
"""A press that moves no further than this is a click, [px]."""
_NUDGE = 0.01  # [m]
_TURN_BY_PIXEL = math.radians(0.5)  # where the ground is seen edge-on


class FootprintTool(Tool):
    """Takes the mouse from the active tool where a footprint, or a drawn way, is under it and nothing else.

    The print follows the pointer over the ground, and the walk the print; the prints after it stay unless Shift is
    held. Points of a drawn way are dragged likewise; a press on its line adds one. A long walk is made beside the
    window, as often as that is done in a drag, and comes some moments later.
    """

    name = "footprint"
    title = "Footprint"
    icon = "move"
    cursor = Qt.CursorShape.PointingHandCursor

    def __init__(self, document: Document, scene: Scene):
        super().__init__(document, scene)
        self._hold: PointerHold | None = None
        self._print: WalkPrint | None = None
        self._next: WalkPrint | None = None
        self._point: int | None = None  # of a drawn way, what is held
        self._rules: Rules | None = None
        self._wanted: Rules | None = None
        self._shown: Rules | None = None
        self._gesture: WalkGesture | None = None
        self._problem = ""
        self._work = Background(document)

    # -- what is under the pointer -----------------------------------------------------------------------------------

    @property
    def over(self) -> bool:
        """Whether a print is under the pointer, as far as was looked last."""
        return self.scene.walk_prints.lit is not None

    def find(self, view: SceneView, pointer: Pointer) -> bool:
        """Look which print is under the pointer; return whether any is."""
        found = None
        if not self.document.session.playback.playing:
            found = self.scene.walk_prints.at(view, pointer.x, pointer.y)
        self._light(view, found)
        return found is not None

    def _light(self, view: SceneView | None, found: tuple[int, str] | None) -> None:
        prints = self.scene.walk_prints
        number, part = found or (None, MOVE)
        if (prints.lit, prints.part) != (number, part):
            prints.lit, prints.part = number, part
            if view is not None:
                view.update()

    def forget(self, view: SceneView | None = None) -> None:
        """Take note that something else is meant, or nothing."""
        if self._hold is None:
            self._light(view, None)

    def choose_none(self, view: SceneView) -> None:
        """Choose no print: the press was elsewhere."""
        if self.scene.walk_prints.chosen is not None:
            self.scene.walk_prints.chosen = None
            view.update()

    def hover(self, view: SceneView, pointer: Pointer) -> None:
        """Show no part as the one a click takes: a print is lit."""
        self._set_hover(None)

    def leave(self) -> None:
        """Take note that the pointer left the views."""
        self.forget()
        super().leave()

    # -- what the editor asks ----------------------------------------------------------------------------------------

    @property
    def active(self) -> bool:
        """Whether the mouse holds a print."""
        return self._hold is not None

    def hints(self) -> list[Hint]:
        """Return what the keys do now."""
        if self._hold is not None:
            along = [] if self._point is not None else [("Shift", "the steps after it go along")]
            return [("Ctrl", "fine"), *along, ("Esc", "cancel")]
        if self.scene.walk_prints.part == POINT:
            return [("Drag", "move the point of the way"), *([("Del", "remove it")] if self._may_go else [])]
        if self.scene.walk_prints.part == LINE:
            return [("Drag", "add a point to the way")]
        does = "turn the print" if self.scene.walk_prints.part == TURN else "move the print"
        back = [("Del", "put it back")] if self._is_by_hand else []
        return [("Drag", does), ("Shift Drag", "and the steps after it"), *back]

    def status(self) -> str:
        """Return which print it is, and what a drag does or why it fails."""
        prints = self.scene.walk_prints
        if prints.part in (POINT, LINE) and prints.lit is not None:
            if self._hold is not None:
                return self._problem or "Moving a point of the way"
            does = "drag to move it" if prints.part == POINT else "drag to add a point"
            return f"Point {prints.lit + 1} of the way: {does}" if prints.part == POINT else f"The way: {does}"
        each = self._print if self._hold is not None else prints.get(prints.lit_print)
        if each is None:
            return ""
        if self._hold is None:
            does = "drag to turn it" if prints.part == TURN else "drag to move it, its knob to turn it"
            hand = ", moved by hand" if each.by_hand else ""
            return f"{capital(each.name)}{hand}: {does}"
        doing = "Turning" if prints.part == TURN else "Moving"
        return self._problem or f"{doing} {each.name}"

    @property
    def troubled(self) -> bool:
        """Whether legs do not reach the print."""
        return self._hold is not None and bool(self._problem)

    @property
    def _is_by_hand(self) -> bool:
        each = self.scene.walk_prints.get(self.scene.walk_prints.lit_print)
        return each is not None and each.by_hand

    # -- gestures ----------------------------------------------------------------------------------------------------

    def press(self, view: SceneView, pointer: Pointer) -> None:
        """Take hold of the print, or of a point of the way; nothing moves yet."""
        prints = self.scene.walk_prints
        if prints.part in (POINT, LINE):
            self._press_way(view, pointer)
            return
        self._point = None
        self._print, self._rules = prints.get(prints.lit_print), self.document.walks.rules
        if self._print is None or self._rules is None:
            return
        self._next = prints.get(self._print.number + 1)
        self._end()  # a long walk may still be on its way
        self._hold, self._problem = PointerHold(view, pointer, self._print.middle), ""
        prints.chosen = self._print.number
        view.update()

    def _press_way(self, view: SceneView, pointer: Pointer) -> None:
        """Take hold of a point of the way, or of its line, where there will be one."""
        prints, rules = self.scene.walk_prints, self.document.walks.rules
        if rules is None or prints.lit is None:
            return
        self._end()
        self._print = self._next = None
        points = prints.way_points
        near = points[prints.lit]
        if prints.part == LINE:
            found = on_ground(view, pointer.x, pointer.y, rules.ground, near)
            if found is None:
                return
            path = list(rules.manner.path)
            path.insert(prints.lit + 1, (float(found[0]), float(found[2])))
            try:
                rules = rules._replace(manner=replace(rules.manner, path=tuple(path)))
            except CoreError:
                return
            near, prints.lit = found, prints.lit + 1
        self._rules, self._point = rules, prints.lit
        self._hold, self._problem = PointerHold(view, pointer, near), ""
        view.update()

    def _way_asked(self, hold: PointerHold) -> Rules | None:
        """Return the rules with the held point of the way where the pointer is; footprints are forgotten."""
        assert self._rules is not None and self._point is not None
        path = list(self._rules.manner.path)
        x, z = path[self._point]
        near = np.array([x, float(self._rules.ground.heights(np.array([[x, z]]))[0]), z])
        before, after = (on_ground(hold.view, *pixel, self._rules.ground, near) for pixel in (hold.at, hold.cursor))
        if before is None or after is None:
            return None
        by: Array = after - before
        path[self._point] = x + float(by[0]), z + float(by[2])
        try:
            return self._rules._replace(manner=replace(self._rules.manner, path=tuple(path), footprints={}))
        except CoreError:
            return None

    @property
    def _may_go(self) -> bool:
        return len(self.scene.walk_prints.way_points) > 2

    def move(self, view: SceneView, pointer: Pointer) -> None:
        """Let the print follow the pointer, and the walk the print."""
        hold = self._hold
        if hold is None or self._is_over(self._gesture):
            return
        hold.follow(pointer)
        if self._gesture is None and self._wanted is None:
            if math.hypot(pointer.x - hold.at[0], pointer.y - hold.at[1]) <= DRAG_DISTANCE:
                return
            if not kernels.is_ready(solver_kernel):
                self.document.say("info", "Footprints can be moved as soon as locks are compiled")
                return
        if self._point is not None:
            rules = self._way_asked(hold)
        else:
            place = self._place(hold)
            if place is None:
                return
            rules = self._asked(place, pointer.shift)
        if rules is None or (self._wanted is not None and rules.manner == self._wanted.manner):
            return
        self._wanted = rules
        if self._gesture is None:
            self._gesture = self.document.walks.begin(self._text)
        if self.document.walks.is_made_at_once(rules):
            self.scene.walk_prints.preview = None
            self._took(self._gesture.show(rules), rules)
        else:
            self.scene.walk_prints.preview = rules
            self._follow()
        view.update()

    def _took(self, possible: bool, rules: Rules) -> None:
        gesture = self._gesture
        assert gesture is not None
        self._shown, made = rules, gesture.made
        self._problem = (missed_words(made.walk.missed) if made else "") if possible else gesture.problem

    def _follow(self) -> None:
        """Make the walk that is wanted in a thread, and then again if another one is wanted by then."""
        sequence, rules, gesture = self.document.sequence, self._wanted, self._gesture
        if sequence is None or rules is None or self._work.busy:
            return
        copy = Sequence(sequence.skeleton, sequence.fps)

        def work(progress: Progress) -> Made:
            return made_by(copy, rules)

        def done(made: Made) -> None:
            if self._gesture is not gesture or gesture is None or not gesture.active:
                self.scene.walk_prints.preview = None
                return
            self._took(gesture.show_made(made), rules)
            self._go_on(rules)

        def failed(error: Exception) -> None:
            if self._gesture is gesture and gesture is not None:
                self._shown, self._problem = rules, str(error).partition("\n")[0]
                self._go_on(rules)

        self._work.run(self._text, work, done, failed)

    def _go_on(self, made: Rules) -> None:
        if self._wanted is not made:
            self._follow()
        elif self._hold is None:
            self._end()

    def _end(self) -> None:
        """Let what is shown be one undo step."""
        gesture, problem = self._gesture, self._problem
        self._gesture = self._wanted = self._shown = None
        self.scene.walk_prints.preview, self._problem = None, ""
        if gesture is not None:
            gesture.commit()
            if problem:
                self.document.say("warning", problem)

    @property
    def _text(self) -> str:
        if self._point is not None:
            return "Add point to way of walk" if self.scene.walk_prints.part == LINE else "Move point of way of walk"
        doing = "Turn" if self.scene.walk_prints.part == TURN else "Move"
        return doing if self._print is None else f"{doing} {self._print.name}"

    def _place(self, hold: PointerHold) -> tuple[float, float, float] | None:
        """Return where the print goes, x and z, [m], and where it points, [rad]; None off the ground."""
        assert self._print is not None and self._rules is not None
        x, z, yaw = self._print.place
        ground, view = self._rules.ground, hold.view
        if self.scene.walk_prints.part == TURN:
            if abs(float(view.camera.basis[2][1])) < 0.12:
                return x, z, yaw + _TURN_BY_PIXEL * (hold.cursor[0] - hold.at[0])
            angles = []
            for pixel in (hold.at, hold.cursor):
                found = on_ground(view, *pixel, ground, self._print.middle)
                if found is None:
                    return None
                angles.append(math.atan2(float(found[0]) - x, float(found[2]) - z))
            return x, z, yaw + math.remainder(angles[1] - angles[0], 2.0 * math.pi)
        before, after = (on_ground(view, *pixel, ground, self._print.middle) for pixel in (hold.at, hold.cursor))
        if before is None or after is None:
            return None
        by: Array = after - before
        return x + float(by[0]), z + float(by[2]), yaw

    def _asked(self, place: tuple[float, float, float], along: bool) -> Rules | None:
        """Return the rules with the print elsewhere; ``along`` if the steps after it go along."""
        assert self._print is not None and self._rules is not None
        prints = dict(self._rules.manner.footprints)
        prints[self._print.number] = place
        if not along and self._next is not None:  # what comes after that one goes on from it
            prints.setdefault(self._next.number, self._next.place)
        try:
            return self._rules._replace(manner=replace(self._rules.manner, footprints=prints))
        except CoreError:
            return None

    def release(self, view: SceneView, pointer: Pointer) -> None:
        """Let go: one undo step if anything moved, else the print is chosen."""
        self._hold = None
        if self._gesture is None or self._shown is self._wanted:  # else as soon as it is made
            self._end()
        view.update()

    def change(self, rules: Rules, text: str) -> None:
        """Make another walk as one step, at once or beside the window; till then the prints are shown where they go."""
        if self.document.walks.is_made_at_once(rules):
            self.document.walks.set(rules, text)
            return
        self._end()
        self._gesture, self._wanted = self.document.walks.begin(text), rules
        self.scene.walk_prints.preview = rules
        self._follow()

    def cancel(self) -> None:
        """Put everything back as it was at the press."""
        gesture = self._gesture
        self._hold = self._gesture = self._wanted = self._shown = None
        self._work.cancel()
        self.scene.walk_prints.preview, self._problem = None, ""
        if gesture is not None:
            gesture.cancel()

    def nudge(self, view: SceneView, right: int, up: int, fine: bool) -> bool:
        """Move the chosen print by 1 cm over the ground, ``fine`` by 1 mm; return whether one is chosen.

        Args:
            view: The view; its right and what is farther away there are the directions.
            right: How often to the right.
            up: How often away.
            fine: Whether by millimetres.
        """
        prints, rules = self.scene.walk_prints, self.document.walks.rules
        each = prints.get(prints.chosen)
        if each is None or rules is None or not prints.shown:
            return False
        across, above, back = view.camera.basis
        ahead = -back if abs(float(back[1])) < 0.9 else above
        way = right * np.array([across[0], across[2]]) + up * _unit(np.array([ahead[0], ahead[2]]))
        x, z, yaw = each.place
        step = _NUDGE * (FINE if fine else 1.0)
        self._print, self._rules, self._next = each, rules, prints.get(each.number + 1)
        asked = self._asked((x + step * float(way[0]), z + step * float(way[1]), yaw), along=False)
        if asked is not None:
            self.change(asked, f"Nudge {each.name}")
        return True

    def double_click(self, view: SceneView, pointer: Pointer) -> None:
        """Put the print back to where the walk sets it down."""
        self.put_back()

    def claims(self, key: int) -> bool:
        """Whether Delete is the print's now, or that of a point of the way."""
        if key != Qt.Key.Key_Delete or self._hold is not None:
            return False
        return self._is_by_hand or (self.scene.walk_prints.lit_point is not None and self._may_go)

    def key(self, key: int) -> bool:
        """Delete puts the print back to where the walk sets it down, and removes a point of the way."""
        if not self.claims(key):
            return False
        return self._remove_point() if self.scene.walk_prints.lit_point is not None else self.put_back()

    def _remove_point(self) -> bool:
        number, rules = self.scene.walk_prints.lit_point, self.document.walks.rules
        if number is None or rules is None:
            return False
        path = tuple(point for k, point in enumerate(rules.manner.path) if k != number)
        try:
            asked = rules._replace(manner=replace(rules.manner, path=path, footprints={}))
        except CoreError as error:
            self.document.refuse_edit(error)
            return True
        self.scene.walk_prints.lit = None
        self._print, self._point = None, None
        self.change(asked, "Remove point from way of walk")
        return True

    def put_back(self) -> bool:
        """Let the walk set the print under the pointer down itself; return whether that was another place."""
        each, rules = self.scene.walk_prints.get(self.scene.walk_prints.lit_print), self.document.walks.rules
        if each is None or rules is None or not each.by_hand:
            return False
        prints = {n: place for n, place in rules.manner.footprints.items() if n != each.number}
        asked = rules._replace(manner=replace(rules.manner, footprints=prints))
        self.change(asked, f"Put {each.name} back")
        return True


def _unit(way: Array) -> Array:
    return way / max(float(np.linalg.norm(way)), 1e-9)
