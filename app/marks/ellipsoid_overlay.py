"""The manipulability ellipsoid of a part: where the chain of a drag can take it, and how easily.

Sizes are logical pixels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF

from app.marks import paint
from app.marks.tag_places import TagPlaces, fitted
from app.scene.chain_choice import chosen_chain
from core.kinematics import manipulability_ellipsoid
from core.posing.drag_session import is_whole_figure
from core.skeleton.segment import end_effector

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.scene.pointing import SceneView
    from app.scene.scene import Scene
    from core.kinematics.chain import Chain
    from core.skeleton import Skeleton

Array = NDArray[np.float64]

TURN = 0.25
"""The half-axes show the displacement for joints that turn by this much together, root of the sum of squares, [rad]."""
EVEN = 1.5
"""Condition number up to which no direction counts as easier than another."""
HARD = 8.0
"""Condition number from where the short axis is marked."""
SINGULAR = 100.0
"""Condition number from where a pose is called singular."""
TOKEN = "text"
_FLAT = 1e-3
_STEPS = 72
_STUB = 22.0
"""Least half-length of the mark of the short axis: of a flat ellipsoid it has none of its own."""
_SEEDS = (11, 12, 13)


@dataclass(frozen=True, eq=False)
class Shape:
    """An ellipsoid as it is drawn.

    Attributes:
        center: The end-effector in the world, shape (3,), [m].
        axes: Unit directions as columns, shape (3, 3).
        radii: Half-axes, falling, shape (3,), [m].
        rank: How many independent directions the chain has for the part at all: 3, or 2 if it moves in a plane, or 1.
        condition: The longest half-axis over the shortest of those ways; infinite at a singular pose.
    """

    center: Array
    axes: Array
    radii: Array
    rank: int
    condition: float

    @property
    def singular(self) -> bool:
        """Whether one of the directions is lost at this pose."""
        return self.condition >= SINGULAR

    @property
    def hard(self) -> bool:
        """Whether one of the directions is so hard to move in that its axis is marked."""
        return self.condition >= HARD

    @property
    def text(self) -> str:
        """What the tag says."""
        if self.rank == 1:
            return "moves along one line only"
        if self.singular:
            return "cannot move along the short axis"
        if self.condition < EVEN:
            return "moves about equally easily in every direction"
        times = f"{self.condition:.1f}" if self.condition < 2.95 else f"{self.condition:.0f}"
        return f"moves {times} times more easily along the long axis"


class EllipsoidOverlay:
    """Works the ellipsoid out once for each pose, and paints it.

    Args:
        scene: The posed figure.
    """

    def __init__(self, scene: Scene):
        self.scene = scene
        self._places = TagPlaces(scene)
        self._asked: tuple[object, ...] = ()
        self._chain: Chain | None = None
        self._poses: Array | None = None
        self._shape: Shape | None = None
        self._ranks: tuple[Skeleton | None, dict[tuple[int, ...], int]] = (None, {})

    def shape(self) -> Shape | None:
        """Return the ellipsoid of the part that is dragged, else of the one selected last; None if there is none."""
        scene, document = self.scene, self.scene.document
        skeleton, session = scene.skeleton, document.session
        if skeleton is None or scene.at_rest:
            return None
        part = document.selection.joints[-1] if document.selection.joints else None
        asked = (skeleton, part, session.tools.drag_mode, session.tools.chain_base, session.drag.chain)
        if asked != self._asked:
            chain = session.drag.chain
            if chain is None and part is not None:
                chain = chosen_chain(session, skeleton, part)
            self._asked, self._poses = asked, None
            self._chain = None if chain is None or is_whole_figure(skeleton, chain) else chain
        if self._chain is None:
            return None
        if self._poses is not scene.poses:
            self._poses = scene.poses
            self._shape = self._find(skeleton, self._chain.tip, self._chain.dofs)
        return self._shape

    def _find(self, skeleton: Skeleton, joint: int, dofs: tuple[int, ...]) -> Shape | None:
        point = end_effector(skeleton, joint)
        if self._ranks[0] is not skeleton:
            self._ranks = (skeleton, {})
        known = self._ranks[1]
        rank = known[dofs] if dofs in known else known.setdefault(dofs, _rank(skeleton, joint, dofs))
        if rank == 0:
            return None
        axes, radii = manipulability_ellipsoid(skeleton, self.scene.document.pose, joint, point, dofs=dofs)
        least = float(radii[rank - 1])
        condition = float(radii[0]) / least if least > 0.0 else float("inf")
        return Shape(self.scene.world(joint, point), axes, TURN * radii, rank, condition)

    def paint(self, painter: QPainter, view: SceneView, small: bool) -> None:
        """Paint outline, great circles and the axis that is hard to go along.

        Args:
            painter: Where to draw.
            view: Into which view.
            small: Whether the view is a small one: only the outline.
        """
        shape = self.shape()
        if shape is None or shape.radii[0] <= 0.0:
            return
        outline = _pixels(view, outline_points(view, shape))
        if outline is None:
            return
        theme = view.theme
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(paint.color(theme, TOKEN, 0.1))
        painter.drawPolygon(QPolygonF(outline))
        if not small:
            for points, front in circle_points(view, shape):
                _draw_circle(painter, view, points, front)
        paint.stroke_line(painter, theme, outline, TOKEN, 1.0 if small else 1.3, halo=1.4 if small else 2.0)
        if small:
            return
        if shape.hard:
            _draw_short_axis(painter, view, shape)

    def paint_tag(self, painter: QPainter, view: SceneView, taken: Sequence[QRectF]) -> QRectF | None:
        """Say in words how much easier one direction is than another; return the box of the tag, None if there is none.

        Args:
            painter: Where to draw.
            view: Into which view, a large one.
            taken: Boxes that other tags have.
        """
        shape = self.shape()
        if shape is None or shape.radii[0] <= 0.0 or self._chain is None:
            return None
        outline = _pixels(view, outline_points(view, shape))
        if outline is None:
            return None
        around = QPolygonF(outline).boundingRect()
        goal = self.scene.document.session.drag.goal
        if goal is not None:  # neither over the line to the goal
            x, y, _ = view.project(goal.goal[None])[0].tolist()
            taken = [*taken, QRectF(x - 12.0, y - 12.0, 24.0, 24.0)]
        room = QRectF(view.rect()).adjusted(0.0, 34.0, 0.0, 0.0)
        text = fitted(shape.text, "", room.width())
        box = self._places.place(view, room, around, text, self._chain.tip, taken)
        ink, border = ("warn", "warn") if shape.hard else ("text", "line2")
        paint.draw_chip(painter, view.theme, box, text, ink, border)
        return box


def _rank(skeleton: Skeleton, joint: int, dofs: tuple[int, ...]) -> int:
    """Return the rank that the Jacobian of a chain's end-effector has in a pose as good as any."""
    point, most = end_effector(skeleton, joint), 0
    span = np.clip(skeleton.limits, -np.pi, np.pi)
    for seed in _SEEDS:
        q = skeleton.rest_pose()
        q[3:] = np.random.default_rng(seed).uniform(span[:, 0], span[:, 1])
        radii = manipulability_ellipsoid(skeleton, q, joint, point, dofs=dofs).radii
        most = max(most, int(np.count_nonzero(radii > 1e-6 * max(float(radii[0]), 1e-300))))
    return most


def _frame(view: SceneView, shape: Shape) -> tuple[Array, Array]:
    """Return the ellipsoid as a map of the unit sphere (3, 3), and where that sphere is seen from, shape (3,).

    Of an orthographic view the latter is a unit direction. A flat ellipsoid gets a little thickness.
    """
    thick = np.maximum(shape.radii, _FLAT * shape.radii[0])
    camera = view.camera
    away = camera.basis[2] if camera.orthographic else camera.eye - shape.center
    seen = (shape.axes.T @ away) / thick
    if camera.orthographic:
        seen = seen / np.linalg.norm(seen)
    return shape.axes * thick, seen


def outline_points(view: SceneView, shape: Shape) -> Array:
    """Return the outline of an ellipsoid as a view shows it: world points, closed, shape (n, 3), [m].

    Where lines of sight touch the ellipsoid: mapped back to the unit sphere, the points ``u`` with ``u . e = 1`` for
    the eye ``e``, or ``u . d = 0`` for parallel lines of sight along ``d``. None if the eye is inside.
    """
    A, seen = _frame(view, shape)
    distance = float(np.linalg.norm(seen))
    if view.camera.orthographic:
        height, size = 0.0, 1.0
    elif distance <= 1.0:
        return np.zeros((0, 3))
    else:
        height, size = 1.0 / distance, float(np.sqrt(1.0 - 1.0 / distance**2))
    up = seen / distance
    side = np.cross(up, np.eye(3)[int(np.argmin(np.abs(up)))])
    side /= np.linalg.norm(side)
    turn = np.linspace(0.0, 2.0 * np.pi, _STEPS + 1)[:, None]
    sphere = height * up + size * (np.cos(turn) * side + np.sin(turn) * np.cross(up, side))
    return np.asarray(shape.center + sphere @ A.T)


def circle_points(view: SceneView, shape: Shape) -> list[tuple[Array, NDArray[np.bool_]]]:
    """Return the three ellipses through two axes each: world points (n, 3), [m], and which of them face the eye."""
    A, seen = _frame(view, shape)
    horizon = 0.0 if view.camera.orthographic else 1.0
    turn = np.linspace(0.0, 2.0 * np.pi, _STEPS + 1)
    found = []
    for k in range(3):
        sphere = np.zeros((_STEPS + 1, 3))
        sphere[:, (k + 1) % 3], sphere[:, (k + 2) % 3] = np.cos(turn), np.sin(turn)
        found.append((shape.center + sphere @ A.T, sphere @ seen >= horizon))
    return found


def _pixels(view: SceneView, points: Array) -> list[QPointF] | None:
    """Return where world points appear; None if there are none or one lies behind the eye."""
    if not len(points):
        return None
    pixels = view.project(points)
    if (pixels[:, 2] <= 0.0).any():
        return None
    return [QPointF(x, y) for x, y in pixels[:, :2].tolist()]


def _draw_circle(painter: QPainter, view: SceneView, points: Array, front: NDArray[np.bool_]) -> None:
    """Draw an ellipse on the surface: fine in front, faint behind."""
    line = _pixels(view, points)
    if line is None:
        return
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for facing, alpha in ((False, 0.22), (True, 0.85)):
        run: list[QPointF] = []
        painter.setPen(QPen(paint.color(view.theme, TOKEN, alpha), 0.9))
        for k in range(len(line)):
            if bool(front[k]) == facing:
                run.append(line[k])
            elif run:
                painter.drawPolyline(QPolygonF([*run, line[k]] if not facing else run))
                run = []
        if len(run) > 1:
            painter.drawPolyline(QPolygonF(run))


def _draw_short_axis(painter: QPainter, view: SceneView, shape: Shape) -> None:
    """Mark the direction that is hard to move in, with a bar across either end."""
    axis = shape.axes[:, shape.rank - 1]
    half = max(float(shape.radii[shape.rank - 1]), _STUB * view.pixel_size(shape.center))
    ends = _pixels(view, np.array([shape.center - half * axis, shape.center + half * axis]))
    if ends is None:
        return
    a, b = ends
    paint.stroke_line(painter, view.theme, [a, b], "warn", 2.0)
    d = np.array([b.x() - a.x(), b.y() - a.y()])
    length = float(np.hypot(*d))
    if length < 8.0:  # it points at the eye
        return
    across = QPointF(-5.0 * d[1] / length, 5.0 * d[0] / length)
    for end in ends:
        paint.stroke_line(painter, view.theme, [end - across, end + across], "warn", 2.0)
