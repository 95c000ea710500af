"""The mouse in physics mode: a click selects, a drag moves what is in the world, a Ctrl-drag pulls a part."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter

from app.marks.anchor_marks import RADIUS, SMALL, draw_anchors
from app.physics import line_edits, line_points
from app.scene.pointing import Pointer, SceneView, view_point
from app.scene.world_scene import BODY, LINES, WorldItem
from app.tools.base import Array, Hint, Tool
from app.tools.world_drag import WorldDrag
from app.words.keys_now import cap_of
from app.words.part_names import part_name, spoken_name
from core.kinematics.ray import closest_point_on_axis, point_in_plane

if TYPE_CHECKING:
    from app.document.document import Document
    from app.scene.scene import Scene

_SWING = 0.1  # a throw goes on as the pointer went for so long before [s]
_FASTEST = 12.0  # a throw [m/s]
_REACH = 9.0  # how far from a point of a string or muscle it is grabbed [px]
_NEAR = 4.0  # how far from a string or muscle it is picked [px]
_REMOVE = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)
_REAL_TIME = 0.95  # from this share of what is asked for on, it keeps up
_MOVING: tuple[Hint, ...] = (("Shift", "up and down"), ("Ctrl", "fine"), ("Esc", "cancel"))
_PULLING: tuple[Hint, ...] = (("Release", "let go"), ("Shift", "throw the figure on release"), ("Esc", "let go"))


class PhysicsTool(Tool):
    """What the mouse does in physics mode.

    Args:
        document: The open document.
        scene: The figure as the views see it.
    """

    name = "physics"
    title = "Pull"
    icon = "gravity"
    chip_tokens = ("dyn", "dyn_bg")

    def __init__(self, document: Document, scene: Scene):
        super().__init__(document, scene)
        self._normal: Array | None = None
        self._drag: WorldDrag | None = None
        self._over: WorldItem | None = None
        self._pull_path: deque[tuple[float, Array]] = deque(maxlen=64)  # times [s] and targets [m] of the pull

    # -- what the editor asks ------------------------------------------------------------------------------------

    @property
    def active(self) -> bool:
        return self.document.physics.pull is not None or self._drag is not None

    def hints(self) -> list[Hint]:
        physics = self.document.physics
        if physics.pull is not None:
            return list(_PULLING)
        if self._drag is not None:
            return list(_MOVING)
        if self._over is not None and not self._is_there(self._over):  # it was removed, or another file was opened
            self._over = None
        if self._over is not None:
            drops = "" if physics.empty else ", and drop what was simulated"
            if self._over.node is not None:
                gone = "remove the point" if self._inner(self._over) else "remove it"
                return [("Drag", f"move the {self._over.name}{drops}"), ("Click", "its numbers"), ("Del", gone)]
            if self._over.field in LINES:
                line = self._line(self._over.key)
                hints = [("Click", f"numbers of {line_edits.definite_name(line)}"), ("Del", "remove it")]
                more = ("Double click", "lead it through another point")
                return [hints[0], more, hints[1]] if line_edits.goes_through(line) else hints
            if self._runs_with(self._over):
                return [("Esc", f"back to the start, where {self._over.name} can be moved"), ("Click", "its numbers")]
            return [("Drag", f"move {self._over.name}{drops}"), ("Shift drag", "up and down"), ("Click", "its numbers")]
        simulate, pull = cap_of("simulate"), ("Ctrl drag", "pull a part")
        step = (cap_of("simulation_step"), "next step")
        if physics.empty:
            return [(simulate, "simulate"), pull, step, (cap_of("drop_ball"), "drop a ball")]
        back = (cap_of("simulation_stop"), "back to the keyed pose")
        goes_on = (simulate, "pause" if physics.running else "continue")
        return [goes_on, pull, step, (cap_of("bake"), "bake to keys"), back]

    def status(self) -> str:
        physics, skeleton = self.document.physics, self.scene.skeleton
        if skeleton is None:
            return ""
        if physics.pull is not None:
            return f"Pulling {spoken_name(skeleton.joints[physics.pull.joint].name)}"
        if self._drag is not None and self._drag.moved:
            return self._drag.text()
        if self._over is not None and not physics.running:
            return f"{self._over.name[:1].upper()}{self._over.name[1:]}"
        if self.document.session.view.hover is not None and not physics.running:
            return part_name(skeleton.joints[self.document.session.view.hover].name)
        if physics.running:
            return f"Simulating, {span_text(physics.frame, physics.start_frame, physics.end_frame)}"
        if physics.current is not None:
            return f"Simulated, {span_text(physics.frame, physics.start_frame, physics.last_frame)}"
        return "" if physics.empty else "Keyed pose; the simulation is at other frames"

    def status_token(self) -> str:
        """Return the colour token of what ``status`` says."""
        return "accent" if self.document.physics.current is None else "dyn"

    def chip(self) -> str:
        physics, sequence = self.document.physics, self.document.sequence
        if physics.mode != "physics" or physics.current is None or sequence is None:
            return ""
        # While it runs whole frames do, as the transport has them; one that stands still may be between two.
        frame = float(self.document.frame) if physics.running else round(physics.frame, 2)
        parts = ["Preview", f"frame {frame:g}", f"{frame / sequence.fps:.3f} s", self._pace()]
        return " · ".join(part for part in parts if part)

    def _pace(self) -> str:
        physics = self.document.physics
        if not physics.running:
            shown = physics.current  # what lies still stops the clock by itself, which looks broken if nothing says so
            return "at rest" if shown is not None and shown.asleep and shown.dynamic.any() else "paused"
        factor, rate = physics.factor, physics.rate
        if not rate:  # nobody knows yet
            return ""
        if rate < _REAL_TIME * factor:
            return f"{rate:.1f}× real time, as fast as it goes" if rate >= 0.095 else f"{rate:.2f}× real time"
        return "real time" if factor == 1.0 else f"{factor:g}× real time"

    # -- gestures ------------------------------------------------------------------------------------------------

    def takes(self, view: SceneView, pointer: Pointer) -> bool:
        return self._item_at(view, pointer) is not None

    def hover(self, view: SceneView, pointer: Pointer) -> None:
        over = self._item_at(view, pointer)
        if (None if over is None else over.key) != (None if self._over is None else self._over.key):
            view.update()
        self._over = over
        if over is None:
            super().hover(view, pointer)
        else:
            self._set_hover(None)

    def leave(self) -> None:
        self._over = None
        super().leave()

    def _item_at(self, view: SceneView, pointer: Pointer) -> WorldItem | None:
        """Return what of the world is under the pointer, before all parts of the figure."""
        around = self.scene.world_around
        line = self._line_at(view, pointer)
        if line is not None:
            return line
        ray = view.ray(pointer.x, pointer.y)
        item = around.item_at(*ray)
        if item is None:
            return None
        hit = self.pick(view, pointer)
        return item if hit is None or item.distance < hit.distance else None

    def _line_at(self, view: SceneView, pointer: Pointer) -> WorldItem | None:
        """Return the point of a string, spring, rope or muscle under the pointer, else the one itself."""
        around, at = self.scene.world_around, QPointF(pointer.x, pointer.y)
        lines = around.lines()
        if not lines:
            return None
        picked = self.document.physics.picked
        found: list[tuple[bool, float, int, WorldItem]] = []
        for node in around.nodes():
            away = view_point(view, node.point) - at
            far = away.x() ** 2 + away.y() ** 2
            if far <= _REACH**2:
                found.append((node.key != picked, far, len(found), node))
        if found:
            return min(found)[3]
        from app.render.world_lines import course_of

        near: list[tuple[float, int, WorldItem]] = []
        for line in lines:
            course = course_of(line)
            far, place = distance_to(view, course, pointer)
            if far <= _NEAR:
                near.append((far, len(near), WorldItem(*line.key, self._name(line.key), place, 0.0)))
        return min(near)[2] if near else None

    def _is_there(self, item: WorldItem) -> bool:
        return item.number < len(getattr(self.document.physics.settings.now, item.field))

    def _line(self, key: tuple[str, int]) -> Any:
        return getattr(self.document.physics.settings.now, key[0])[key[1]]

    def _name(self, key: tuple[str, int]) -> str:
        return line_edits.line_name(self._line(key))

    def _inner(self, item: WorldItem) -> bool:
        """Return whether something is a point on the way of a muscle, and not one of its ends."""
        if item.node is None or item.field != line_edits.FORCES:
            return False
        return 0 < item.node < len(self._line(item.key).bodies) - 1

    def press(self, view: SceneView, pointer: Pointer) -> None:
        item = None if pointer.ctrl else self._item_at(view, pointer)
        if item is not None:
            self._drag = WorldDrag(self.document, self.scene, item, view, pointer)
            return
        hit = self.pick(view, pointer)
        if not pointer.ctrl or hit is None:
            self.document.physics.unpick()
            super().press(view, pointer)
            return
        physics = self.document.physics
        physics.start()
        frame = self.scene.poses[hit.joint]
        point = np.linalg.solve(frame, np.append(hit.point, 1.0))[:3]
        # The plane of the drag faces the viewer: depth stays as the pointer cannot give it.
        self._normal = view.ray(pointer.x, pointer.y)[1]
        self._pull_path.clear()
        self._pull_path.append((time.monotonic(), hit.point))
        physics.begin_pull(hit.joint, point, hit.point)

    def move(self, view: SceneView, pointer: Pointer) -> None:
        drag = self._drag
        if drag is not None:
            if drag.item.field in LINES and drag.item.node is None:
                return
            if self._runs_with(drag.item):
                if not drag.is_drag(pointer):
                    return
                self.document.say("info", f"Esc goes back to the start, where {drag.item.name} can be moved")
                self._drag = None
            elif drag.active:
                drag.move(view, pointer)
            return
        if self._normal is None or not self.active:
            return
        target = self._target(view, pointer)
        if target is not None:
            self._pull_path.append((time.monotonic(), target))
            self.document.physics.move_pull(target)

    def release(self, view: SceneView, pointer: Pointer) -> None:
        self.move(view, pointer)
        drag, self._drag = self._drag, None
        if drag is not None:
            if drag.moved:
                drag.drop()
            else:
                self.document.physics.show_in_world(*drag.item.key)
            return
        if self.active and pointer.shift:
            self.document.physics.throw(self._speed())
        self._end()

    def double_click(self, view: SceneView, pointer: Pointer) -> None:
        """Lead a muscle through another point where it is under the pointer; else as any tool does."""
        item = self._line_at(view, pointer)
        if item is None or item.node is not None or not line_edits.goes_through(self._line(item.key)):
            super().double_click(view, pointer)
            return
        own = next(line for line in self.scene.world_around.lines() if line.key == item.key)
        segment = nearest_segment(own.points, item.point)
        start, end = own.points[segment : segment + 2]
        way = (end - start) / max(float(np.linalg.norm(end - start)), 1e-12)
        place = closest_point_on_axis(start, way, *view.ray(pointer.x, pointer.y))
        if line_points.add_point(self.document, item.number, segment, item.point if place is None else place):
            self.document.physics.show_in_world(*item.key)
            self.document.say("info", f"A point more on {item.name} · drag it onto the part it is to go with")
        self.hover(view, pointer)

    def cancel(self) -> None:
        drag, self._drag = self._drag, None
        if drag is not None:
            drag.cancel()
            return
        self._end()

    def claims(self, key: int) -> bool:
        return key in _REMOVE and self._removable is not None

    def key(self, key: int) -> bool:
        """Del removes the string, spring, rope or muscle under the pointer, else the one that was clicked last.

        Of a muscle with the pointer on a point of its way it removes that point.
        """
        wanted = self._removable
        if key not in _REMOVE or wanted is None or self._drag is not None:
            return super().key(key)
        over, self._over = self._over, None
        if over is not None and over.node is not None and self._inner(over):
            return line_points.remove_point(self.document, over.number, over.node)
        return line_edits.remove(self.document, *wanted)

    @property
    def _removable(self) -> tuple[str, int] | None:
        over, picked = self._over, self.document.physics.picked
        if over is not None and over.field in LINES:
            return over.key
        return picked if picked is not None and picked[0] in LINES else None

    def paint(self, view: SceneView, painter: QPainter) -> None:
        """Draw a ring at each point of a string, spring, rope or muscle; those of the picked one are larger."""
        lit = self._over if self._drag is None else self._drag.item
        picked, nodes = self.document.physics.picked, self.scene.world_around.nodes()
        for chosen, radius in ((False, SMALL), (True, RADIUS)):
            own = [each for each in nodes if (each.key == picked) == chosen]
            rings = [(each.point, lit is not None and (each.key, each.node) == (lit.key, lit.node)) for each in own]
            draw_anchors(painter, view, rings, radius)

    def _runs_with(self, item: WorldItem) -> bool:
        """Return whether something is where a simulation has it, and not where a person put it."""
        return item.field == BODY and not self.document.physics.empty

    def _end(self) -> None:
        self._normal = None
        self.document.physics.release()

    def _target(self, view: SceneView, pointer: Pointer) -> Array | None:
        origin, direction = view.ray(pointer.x, pointer.y)
        if self._normal is None or abs(float(direction @ self._normal)) < 1e-3:
            return None
        return point_in_plane(self._pull_path[0][1], self._normal, origin, direction)

    def _speed(self) -> Array:
        """Return how fast the pointer went lately, in the world, shape (3,), [m/s]."""
        now, last = time.monotonic(), self._pull_path[-1][1]
        since = [(at, where) for at, where in self._pull_path if now - at <= _SWING]
        if len(since) < 2:
            return np.zeros(3)
        velocity = (last - since[0][1]) / max(now - since[0][0], 1e-3)
        return velocity * min(1.0, _FASTEST / max(float(np.linalg.norm(velocity)), 1e-9))


def span_text(frame: float, first: int, last: int | None) -> str:
    """Return where it is: ``frame 28 of 16–52``; without an end ``frame 28 from 16 on``."""
    return f"frame {frame:.0f} of {first}–{last}" if last is not None else f"frame {frame:.0f}, from {first} on"


def nearest_segment(points: Array, place: Array) -> int:
    """Return the number of the segment of a course, points of shape (k, 3), that a place is nearest to, [m]."""
    starts, ways = points[:-1], np.diff(points, axis=0)
    along = ((place - starts) * ways).sum(axis=1) / np.maximum((ways**2).sum(axis=1), 1e-12)
    near = starts + np.clip(along, 0.0, 1.0)[:, None] * ways
    return int(np.argmin(np.linalg.norm(near - place, axis=1)))


def distance_to(view: SceneView, course: Array, pointer: Pointer) -> tuple[float, Array]:
    """Return how far the pointer is from a course as it is seen, [px], and the place of the course nearest to it.

    Args:
        view: The view.
        course: Points in the world, shape (k, 3), [m].
        pointer: Where.
    """
    seen = view.project(course)
    starts, ways = seen[:-1, :2], np.diff(seen[:, :2], axis=0)
    along = ((np.array([pointer.x, pointer.y]) - starts) * ways).sum(axis=1) / np.maximum((ways**2).sum(axis=1), 1e-9)
    along = np.clip(along, 0.0, 1.0)[:, None]
    far = np.linalg.norm(starts + along * ways - [pointer.x, pointer.y], axis=1)
    far[(seen[:-1, 2] <= 0.0) | (seen[1:, 2] <= 0.0)] = np.inf
    nearest = int(np.argmin(far))
    return float(far[nearest]), course[nearest] + along[nearest] * (course[nearest + 1] - course[nearest])
