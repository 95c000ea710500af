"""The footprints of a motion that is made by rules: where they lie on the ground, and which is under a pixel."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.constraints.soles import hull
from core.errors import CoreError
from core.gait.ground_path import path_of
from core.gait.procedural import Rules
from core.gait.table import footprints_of, is_quickly_checked
from core.gait.turns import LEFT
from core.terrain import Terrain

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.scene.pointing import SceneView
    from app.scene.scene import Scene
    from core.terrain import Ground

Array = NDArray[np.float64]

MOVE, TURN = "move", "turn"
POINT, LINE = "point", "line"
"""What a press on a drawn way does: it moves a point of it, or adds one between two."""
_NEAR_LINE = 5.0  # px
HANDLE = 9.0
"""How near to its handle a print is turned, [px]."""
_RIM = 4.0  # px round the outline
_LIFT = 0.003  # [m]: over the ground, so that it is seen
_AHEAD = 0.3  # of a sole's length: where its handle is in front of it
_WAY_STEP = 0.1  # [m]: from one point of a drawn way to the next
_SAMPLES, _HIDDEN = 24, 0.03  # along a line of sight; ground that is higher above it by so much hides, [m]


class WalkPrint(NamedTuple):
    """A footprint.

    Attributes:
        number: Its number in the walk; 0 and 1 are those that it begins on.
        is_left: Whether it is of the left foot.
        outline: What the sole covers, shape (k, 3), [m].
        middle: Middle of the sole on the ground, shape (3,).
        handle: Where it is turned by, in front of it, likewise.
        yaw: Where it points, [rad] from +z toward +x.
        lands: Frame at which the foot is set down.
        leaves: Frame at which it leaves.
        by_hand: Whether it was moved by hand.
        pair: "hind " or "fore " of four feet.
    """

    number: int
    is_left: bool
    outline: Array
    middle: Array
    handle: Array
    yaw: float
    lands: int
    leaves: int
    by_hand: bool
    pair: str = ""

    @property
    def place(self) -> tuple[float, float, float]:
        """Where it is, as rules have it: x and z, [m], and where it points, [rad]."""
        return float(self.middle[0]), float(self.middle[2]), self.yaw

    @property
    def name(self) -> str:
        """What it is called."""
        return f"{'left' if self.is_left else 'right'} {self.pair}footprint {self.number + 1}"


class WalkPrints:
    """The prints of the active sequence's walk.

    Attributes:
        lit: Number of the one under the pointer, or None.
        chosen: Number of the one that was clicked, or None.
        part: What a press on the lit one does, ``MOVE`` or ``TURN``; ``POINT`` where the number is that of a point of
            the way, ``LINE`` where it is that of the point before.
        preview: Rules that are not the sequence's yet; None for its own.
    """

    def __init__(self, scene: Scene):
        self._scene = scene
        self.lit: int | None = None
        self.chosen: int | None = None
        self.part = MOVE
        self.preview: Rules | None = None
        self._searched: Rules | None = None
        self._known: tuple[tuple[object, ...], tuple[WalkPrint, ...]] = ((), ())
        self._way: tuple[object, Array] = (None, np.zeros((0, 3)))

    @property
    def shown(self) -> bool:
        """Whether prints are seen, if there are any."""
        session = self._scene.document.session
        return session.mode == "pose" and session.view.overlays["walk_prints"] and not self._scene.at_rest

    @property
    def ground(self) -> Ground | None:
        """What they lie on; None without a walk."""
        rules = self._rules
        return None if rules is None else rules.ground

    @property
    def _rules(self) -> Rules | None:
        if self.preview is not None:
            return self.preview
        try:
            return self._scene.document.walks.rules
        except CoreError:
            return None

    @property
    def wait_for_search(self) -> bool:
        """Whether it must first be found how fast the figure goes, which takes too long for the window's thread."""
        sequence, rules = self._scene.document.sequence, self._rules
        if sequence is None or rules is None or rules is self._searched:
            return False
        return not is_quickly_checked(sequence.skeleton, rules.manner, sequence.fps)

    def search(self) -> Callable[[object], Rules] | None:
        """Return what finds that in a thread; None if nothing waits for it."""
        sequence, rules = self._scene.document.sequence, self._rules
        if sequence is None or rules is None or not self.wait_for_search:
            return None
        s, fps = sequence.skeleton, sequence.fps

        def work(_progress: object) -> Rules:
            with suppress(CoreError):  # said where the walk is made
                footprints_of(s, rules.manner, rules.ground, fps)
            return rules

        return work

    def take_search(self, rules: Rules) -> None:
        """Take note that the search for these rules is over, whatever came of it."""
        self._searched = rules

    @property
    def all(self) -> tuple[WalkPrint, ...]:
        """All prints, in order; () if the sequence is not made by rules."""
        sequence = self._scene.document.sequence
        if sequence is None or (sequence.gait is None and self.preview is None):
            return ()
        key = (sequence.gait, self.preview, sequence.fps, sequence.skeleton)
        if len(self._known[0]) != len(key) or any(a is not b for a, b in zip(self._known[0], key, strict=True)):
            rules = self._rules
            if self.wait_for_search:
                return ()
            try:
                made = () if rules is None else self._made(rules, sequence.fps)
            except CoreError:  # the figure was changed, and cannot walk any more
                made = ()
            self._known = key, made
        return self._known[1]

    def _made(self, rules: Rules, fps: float) -> tuple[WalkPrint, ...]:
        skeleton = self._scene.document.skeleton
        assert skeleton is not None
        found, soles = [], {}
        for each in footprints_of(skeleton, rules.manner, rules.ground, fps):
            leg, frame = each.leg, each.frame
            if leg.foot.joint not in soles:
                soles[leg.foot.joint] = leg.sole[hull(leg.sole[:, [2, 0]])]
            sole = soles[leg.foot.joint]
            lifted = frame[:3, 3] + _LIFT * frame[:3, 1]
            outline = np.column_stack([sole[:, 0], np.zeros(len(sole)), sole[:, 2]]) @ frame[:3, :3].T + lifted
            ahead = float(sole[:, 2].max()) + _AHEAD * float(np.ptp(sole[:, 2]))
            found.append(
                WalkPrint(
                    each.number, leg.side == LEFT, outline, lifted, lifted + ahead * frame[:3, 2],
                    math.atan2(-float(frame[2, 0]), float(frame[0, 0])), each.lands, each.leaves,
                    each.number in rules.manner.footprints, each.pair,
                )
            )  # fmt: skip
        return tuple(found)

    @property
    def way(self) -> Array:
        """The way that it goes if one was drawn, on the ground, shape (n, 3), [m]; (0, 3) else."""
        rules = self._rules
        if rules is None or not rules.manner.path:
            return np.zeros((0, 3))
        if self._way[0] is not rules:
            path = path_of(rules.manner.path)
            places = path.places(np.linspace(0.0, path.length, max(int(path.length / _WAY_STEP), 2) + 1))
            heights = rules.ground.heights(places) + _LIFT
            self._way = rules, np.stack([places[:, 0], heights, places[:, 1]], axis=1)
        return self._way[1]

    @property
    def way_points(self) -> Array:
        """The points that a drawn way goes through, on the ground, shape (n, 3), [m]; (0, 3) without one."""
        rules = self._rules
        if rules is None or not rules.manner.path:
            return np.zeros((0, 3))
        places = np.array(rules.manner.path)
        return np.stack([places[:, 0], rules.ground.heights(places) + _LIFT, places[:, 1]], axis=1)

    @property
    def lit_print(self) -> int | None:
        """Number of the print under the pointer, or None."""
        return self.lit if self.part in (MOVE, TURN) else None

    @property
    def lit_point(self) -> int | None:
        """Number of the point of the way under the pointer, or None."""
        return self.lit if self.part == POINT else None

    def _on_way(self, view: SceneView, x: float, y: float) -> tuple[int, str] | None:
        """Return the point of the way under a pixel, or the one before it on its line, or None."""
        points = self.way_points
        if not len(points):
            return None
        seen = view.project(points)
        off = np.where(seen[:, 2] > 0.0, np.hypot(seen[:, 0] - x, seen[:, 1] - y), np.inf)
        if float(off.min()) <= HANDLE:
            return int(off.argmin()), POINT
        line = view.project(self.way)
        if not (line[:, 2] > 0.0).all():
            return None
        a, b = line[:-1, :2], line[1:, :2]
        share = ((np.array([x, y]) - a) * (b - a)).sum(axis=1) / np.maximum(((b - a) ** 2).sum(axis=1), 1e-12)
        there = a + np.clip(share, 0.0, 1.0)[:, None] * (b - a)
        away = np.hypot(there[:, 0] - x, there[:, 1] - y)
        if float(away.min()) > _NEAR_LINE:
            return None
        # Which two points it is between: the way passes them one after the other.
        place = self.way[int(away.argmin())]
        passed = [int(np.linalg.norm((self.way - point)[:, [0, 2]], axis=1).argmin()) for point in points]
        at = int(np.linalg.norm((self.way - place)[:, [0, 2]], axis=1).argmin())
        before = int(np.searchsorted(np.maximum.accumulate(passed), at, side="right")) - 1
        return min(max(before, 0), len(points) - 2), LINE

    def get(self, number: int | None) -> WalkPrint | None:
        """Return the print with a number, or None."""
        prints = self.all
        return prints[number] if number is not None and number < len(prints) else None

    def seen(self, view: SceneView) -> list[bool]:
        """Return for each print whether no ground is before it."""
        prints, ground = self.all, self.ground
        if not prints or not isinstance(ground, Terrain):
            return [True] * len(prints)
        middles = np.array([each.middle for each in prints])
        camera = view.camera
        if camera.orthographic:
            reach = 2.0 * float(np.ptp(ground.vertices, axis=0).max()) + 1.0
            eyes = middles + reach * camera.basis[2]
        else:
            eyes = np.broadcast_to(camera.eye, middles.shape)
        # Denser near the print: what hides it is usually the brow right before it.
        share = np.linspace(0.02, 1.0, _SAMPLES)[None, :, None] ** 2
        points = middles[:, None] + share * (eyes - middles)[:, None]
        heights = ground.heights(points[..., [0, 2]].reshape(-1, 2)).reshape(points.shape[:2])
        return [not hidden for hidden in (heights > points[..., 1] + _HIDDEN).any(axis=1)]

    def at(self, view: SceneView, x: float, y: float) -> tuple[int, str] | None:
        """Return the print under a pixel and what a press there does, or None."""
        prints = self.all
        if not self.shown:
            return None
        on_way = self._on_way(view, x, y)
        if on_way is not None and on_way[1] == POINT:
            return on_way
        for number in (self.lit_print, self.chosen):
            each = self.get(number)
            if each is not None:
                (px, py, depth), (mx, my, _) = view.project(np.array([each.handle, each.middle])).tolist()
                off = math.hypot(px - x, py - y)
                # The knob of a print that is small on the screen is over it: what is nearer is meant.
                if depth > 0.0 and off <= HANDLE and off < math.hypot(mx - x, my - y):
                    return each.number, TURN
        if on_way is not None:
            return on_way
        found: list[tuple[float, int]] = []
        for each, clear in zip(prints, self.seen(view), strict=True):
            corners = view.project(each.outline)
            if clear and (corners[:, 2] > 0.0).all() and _inside(corners[:, :2], x, y):
                found.append((float(corners[:, 2].mean()), each.number))
        return (min(found)[1], MOVE) if found else None


def _inside(corners: Array, x: float, y: float) -> bool:
    """Return whether a pixel lies in a convex polygon, or at its rim."""
    point = np.array([x, y])
    ends = np.roll(corners, -1, axis=0)
    way = ends - corners
    cross = way[:, 0] * (y - corners[:, 1]) - way[:, 1] * (x - corners[:, 0])
    if (cross >= 0.0).all() or (cross <= 0.0).all():
        return True
    along = np.clip(((point - corners) * way).sum(axis=1) / np.maximum((way**2).sum(axis=1), 1e-12), 0.0, 1.0)
    return bool(np.linalg.norm(corners + along[:, None] * way - point, axis=1).min() <= _RIM)


def on_ground(view: SceneView, x: float, y: float, ground: Ground, near: Array) -> Array | None:
    """Return the place of the ground under a pixel, shape (3,), [m]; None if there is none.

    Where the eye looks along the ground it is a place in the plane of the view through another one.

    Args:
        view: The view.
        x: The pixel.
        y: The pixel.
        ground: The ground.
        near: A place on the ground nearby, shape (3,).
    """
    origin, direction = view.ray(x, y)
    back = view.camera.basis[2]
    if abs(float(back[1])) < _EDGE_ON or direction[1] > -1e-3:
        across = float(back @ direction)
        return None if abs(across) < 1e-6 else np.asarray(origin + float(back @ (near - origin)) / across * direction)
    found = ground.hit(origin, direction) if isinstance(ground, Terrain) else None
    if found is not None:
        return found
    level = 0.0 if isinstance(ground, Terrain) else float(ground.heights(np.zeros((1, 2)))[0])
    return np.asarray(origin + (level - origin[1]) / direction[1] * direction)


_EDGE_ON = 0.12
"""Where the eye looks along the ground by more than that, sine of the angle, places follow in the view's plane."""
