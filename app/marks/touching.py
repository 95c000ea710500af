"""What holds a joint's part, where it is selected: curves and surfaces on which it touches another, or rods and rims.

Surfaces are light grids. The lines of the coordinates through the point where parts touch are drawn in the coordinates'
colours; what faces away from the eye is left faint.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter

from app.marks import paint
from app.marks.spline_path import base_frame
from app.words.dof_names import COORDINATE_TOKENS
from core.joints import Composite, JointModel, Mirrored
from core.joints.contact import ContactJoint
from core.joints.geometry import Shape

if TYPE_CHECKING:
    from app.scene.pointing import SceneView
    from app.scene.scene import Scene

Array = NDArray[np.float64]

TOKEN = "accent"
GRID, WIDTH, POINT, NORMAL = 1.0, 2.0, 4.5, 26.0  # widths, radius of the point and length of the normal there, [px]
PLAIN, FAINT, AWAY = 0.34, 0.10, 0.22
"""Opacity of the grid where it faces the eye and where not, and of the coloured lines where not."""
_STEPS = 48  # points of a line
_LINES = 24  # of a grid along each coordinate that goes all round
_MIRROR = np.diag([-1.0, 1.0, 1.0, 1.0])


class Sheet(NamedTuple):
    """A curve or surface where it is in the world.

    Attributes:
        shape: It.
        frame: Of it in the world, shape (4, 4); a reflection for what is mirrored.
        at: The coordinates of the point where the parts touch.
        low: From where each coordinate is drawn.
        high: To where.
        first: Which coordinate of its joint is its first.
    """

    shape: Shape
    frame: Array
    at: Array
    low: tuple[float, ...]
    high: tuple[float, ...]
    first: int


def sheets(model: JointModel | None, q: Array, limits: Array, base: Array, first: int = 0) -> Iterator[Sheet]:
    """Yield the curves and surfaces on which a joint's parts touch.

    Args:
        model: The joint's type.
        q: Its coordinates, shape (n,).
        limits: Their limits, shape (n, 2).
        base: Frame of the joint before it moves, world, shape (4, 4).
        first: The number of its first coordinate, where it is part of another.
    """
    if isinstance(model, Composite):
        at = 0
        for part in model.joints:
            own = slice(at, at + part.n)
            yield from sheets(part, q[own], limits[own], base, first + at)
            base, at = base @ part.transform(q[own]), at + part.n
    elif isinstance(model, Mirrored):
        yield from sheets(model.joint, q, limits, base @ _MIRROR, first)
    elif isinstance(model, ContactJoint):
        for shape, moves, start in model.touching:
            frame = base @ model.transform(q) if moves else base
            own = slice(start, start + len(shape.units))
            ranges = [
                (max(low, least), min(high, most))
                for (low, high), (least, most) in zip(limits[own].tolist(), shape.shown, strict=True)
            ]
            low, high = zip(*ranges, strict=True)
            yield Sheet(shape, frame, q[own], low, high, first + start)


@lru_cache(maxsize=64)
def grid(shape: Shape, low: tuple[float, ...], high: tuple[float, ...]) -> Array:
    """Return the frames along the lines of a grid over a surface, or along a curve, shape (lines, points, 4, 4)."""
    lines = []
    for along in range(len(low)):
        if len(low) == 1:
            lines.append(np.linspace(low, high, 4 * _STEPS))
            continue
        across = 1 - along
        turn = (high[across] - low[across]) / (2.0 * math.pi) if shape.rotary[across] else 0.5
        count = max(2, round(_LINES * turn * (0.5 if across else 1.0)))
        for fixed in np.linspace(low[across], high[across], count + 1):
            line = np.empty((_STEPS + 1, 2))
            line[:, along], line[:, across] = np.linspace(low[along], high[along], _STEPS + 1), fixed
            lines.append(line)
    return shape.frames(np.array(lines))


def through(sheet: Sheet, along: int) -> Array:
    """Return the frames along one coordinate through the point where the parts touch, shape (points, 4, 4)."""
    low, high = sheet.low[along], sheet.high[along]
    if sheet.shape.turns[along] and high - low > 6.28:
        low, high = sheet.at[along] - math.pi, sheet.at[along] + math.pi
    line = np.repeat(sheet.at[None], 2 * _STEPS + 1, axis=0)
    line[:, along] = np.linspace(low, high, 2 * _STEPS + 1)
    return sheet.shape.frames(line)


def draw(painter: QPainter, view: SceneView, scene: Scene) -> None:
    """Draw what all selected joints touch on."""
    skeleton = scene.edited if scene.at_rest else scene.skeleton
    if skeleton is None:
        return
    pose = skeleton.rest_pose() if scene.at_rest else np.asarray(scene.document.physics.pose, dtype=np.float64)
    for joint in scene.document.selection.joints:
        if joint >= len(skeleton.joints) or skeleton.joints[joint].curved is None:
            continue
        frame = base_frame(skeleton, scene.poses, joint)
        if skeleton.joints[joint].parent < 0:
            frame[:3, 3] += pose[:3]
        own = slice(skeleton.first_dof[joint], skeleton.first_dof[joint + 1])
        model, many = skeleton.joints[joint].curved, own.stop - own.start > 1
        picture = _Picture(painter, view)
        for line in model.linkage(pose[3:][own]) if model is not None else ():
            picture.linkage(line @ frame[:3, :3].T + frame[:3, 3])
        for sheet in sheets(model, pose[3:][own], np.asarray(skeleton.limits[own]), frame):
            picture.draw(sheet, many)


class _Picture:
    """Draws the lines of a curve or surface."""

    def __init__(self, painter: QPainter, view: SceneView):
        self._painter, self._view = painter, view

    def draw(self, sheet: Sheet, many: bool) -> None:
        """Draw a surface's grid, the lines through the point where it is touched, and that."""
        solid = len(sheet.low) == 2
        for line in grid(sheet.shape, sheet.low, sheet.high):
            self._line(sheet.frame @ line, TOKEN, GRID if solid else WIDTH, PLAIN if solid else 1.0, FAINT, solid)
        if solid:
            for along in (0, 1):
                token = COORDINATE_TOKENS[sheet.first + along + many]
                self._line(sheet.frame @ through(sheet, along), token, WIDTH, 1.0, AWAY, solid)
        self._point(sheet.frame @ sheet.shape.frames(sheet.at), solid)

    def linkage(self, points: Array) -> None:
        """Draw a line through world points, a pivot at either end of one that does not close."""
        pixels = self._view.project(points)
        run = [QPointF(x, y) for x, y, depth in pixels.tolist() if depth > 0.0]
        if len(run) < 2:
            return
        paint.stroke_line(self._painter, self._view.theme, run, TOKEN, WIDTH, halo=1.6)
        if float(np.abs(points[0] - points[-1]).max()) > 1e-9:
            for end in (run[0], run[-1]):
                self._dot(end, POINT - 1.0, TOKEN)

    def _dot(self, place: QPointF, radius: float, token: str) -> None:
        self._painter.setPen(Qt.PenStyle.NoPen)
        for size, ink in ((radius + 1.5, "halo"), (radius, token)):
            self._painter.setBrush(paint.color(self._view.theme, ink))
            self._painter.drawEllipse(place, size, size)

    def _toward(self, X: Array) -> Array:
        """Return which of many frames have their z toward the eye."""
        origin, direction = self._view.ray(0.0, 0.0)
        rays = direction if self._view.camera.orthographic else X[..., :3, 3] - origin
        return np.asarray((X[..., :3, 2] * rays).sum(axis=-1) < 0.0)

    def _line(self, X: Array, token: str, width: float, alpha: float, away: float, solid: bool) -> None:
        pixels = self._view.project(np.ascontiguousarray(X[:, :3, 3]))
        toward = self._toward(X) if solid else np.ones(len(X), dtype=bool)
        kinds = np.where(pixels[:, 2] <= 0.0, 2, np.where(toward, 1, 0))
        turns = (np.flatnonzero(kinds[1:] != kinds[:-1]) + 1).tolist()
        for start, end in pairwise([0, *turns, len(kinds)]):
            if kinds[start] == 2:
                continue
            points = [QPointF(x, y) for x, y, depth in pixels[start : end + 1].tolist() if depth > 0.0]
            if len(points) > 1:
                plain = bool(kinds[start])
                halo = 1.2 if plain and width > GRID else 0.0
                paint.stroke_line(
                    self._painter, self._view.theme, points, token, width, halo=halo, alpha=alpha if plain else away
                )

    def _point(self, X: Array, solid: bool) -> None:
        """Draw the point where the parts touch, with the normal of a surface."""
        place = X[:3, 3]
        (x, y, depth), *_ = self._view.project(place[None]).tolist()
        if depth <= 0.0:
            return
        theme = self._view.theme
        if solid:
            (u, v, far), *_ = self._view.project((place + 1e-3 * X[:3, 2])[None]).tolist()
            length = math.hypot(u - x, v - y)
            if far > 0.0 and length > 1e-6:
                across = self._view.project(np.stack([place + 1e-3 * axis for axis in np.eye(3)]))
                full = float(np.linalg.norm(across[:, :2] - (x, y), axis=1).max())
                part = NORMAL * min(1.0, length / max(full, 1e-9)) / length
                end = QPointF(x + (u - x) * part, y + (v - y) * part)
                paint.stroke_line(self._painter, theme, [QPointF(x, y), end], "text", 1.6, halo=1.6)
        self._dot(QPointF(x, y), POINT, "text")
