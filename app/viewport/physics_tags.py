"""Values beside the arrows of physics mode, the name of its ghost, and its legend. Sizes are logical pixels."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QLinearGradient, QPainter, QPen, QPolygonF

from app.physics.torques import full_torque
from app.viewport import paint
from app.viewport.physics_figure import figure_marks
from app.viewport.physics_forces import arrow_ends
from app.viewport.physics_scene import DYNAMIC, GRAVITY, KEYED, MOTOR, PhysicsScene
from app.widgets.quantity import MINUS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.theme import Theme
    from app.viewport.scene import Scene
    from app.viewport.view import View

Array = NDArray[np.float64]

GHOST_NAME = "Keyed motion"
MOST_FORCES = 6
"""Forces that have a tag; those of a figure that lies would hide it."""
_LEAST_FORCE = 0.03  # of the weight
_SIZE = 11.0
_HEIGHT = 20.0
_GAP, _FAR = 7.0, 30.0
_MARGIN = 5.0
_HOLD = 0.1
"""Numbers stay for so long while it is simulated, so that they can be read, [s]."""
_COVER, _HIT, _LEAVE, _STEP = 1.0, 60.0, 5.0, 0.4
"""Cost of a point of the figure under a tag, of another tag, of leaving the place last taken, of each further place."""
_GLYPH, _SPACE, _BAR = 12.0, 12.0, 46.0
_HEADER = 240.0  # room for the chip beside the view's name


class Tag(NamedTuple):
    """A text beside a place.

    Attributes:
        key: What it tells about; keeps its place from picture to picture.
        text: Its words.
        token: Their colour.
        at: Where it belongs, [px].
        way: Unit direction in which the arrow points there, [px].
    """

    key: object
    text: str
    token: str
    at: tuple[float, float]
    way: tuple[float, float]


class PhysicsTags:
    """Paints the tags of a large view; each keeps its side as long as that is about free.

    Args:
        scene: The posed figure.
    """

    def __init__(self, scene: Scene):
        self._scene = scene
        self._places: dict[object, int] = {}
        self._texts: dict[object, str] = {}
        self._read = -1.0
        self._legend = paint.Cached()

    def paint(self, painter: QPainter, view: View, taken: Sequence[QRectF]) -> list[QRectF]:
        """Paint the values of forces and momentum and the name of the ghost; return the boxes they have.

        Args:
            painter: Where to draw.
            view: Into which view, a large one.
            taken: Boxes that other things have.
        """
        physics = self._scene.physics
        if not physics.shown:
            self._places.clear()
            return []
        tags = self._tags(view, physics)
        boxes = self._place(view, tags, taken)
        for tag, box in zip(tags, boxes, strict=True):
            paint.draw_chip(painter, view.theme, box, tag.text, tag.token, None, _SIZE, 500)
        return boxes

    # -- what they say -------------------------------------------------------------------------------------------

    def _tags(self, view: View, physics: PhysicsScene) -> list[Tag]:
        found = physics.found
        rows: list[tuple[object, str, str, Array, Array]] = []  # with start and tip in the world
        top = physics.ghost_top
        if top is not None:
            rows.append(("ghost", GHOST_NAME, "text2", top - [0.0, 0.1, 0.0], top))
        if found is not None and found.momentum is not None:
            if found.linear is not None:
                size = float(np.linalg.norm(found.momentum[3:]))
                rows.append(("p", f"p {number(size)} kg·m/s", "momentum_linear", found.center, found.linear))
            if found.ring is not None:
                size = float(np.linalg.norm(found.momentum[:3]))
                rows.append(("L", f"L {number(size)} kg·m²/s", "momentum_angular", found.ring[-3], found.ring[-1]))
        if found is not None and found.contacts is not None:
            contacts, skeleton = found.contacts, self._scene.skeleton
            weight = figure_marks(skeleton).mass * GRAVITY if skeleton is not None else 0.0
            tips = arrow_ends(contacts, found.scale)
            told = [k for k in np.argsort(-contacts.magnitudes, kind="stable").tolist()[:MOST_FORCES]
                    if contacts.magnitudes[k] >= _LEAST_FORCE * weight]  # fmt: skip
            for k in sorted(told):
                text = f"{number(float(contacts.magnitudes[k]))} N"
                rows.append((int(contacts.joints[k]), text, "force", contacts.points[k], tips[k]))
        if not rows:
            return []
        pixels = view.project(np.array([point for row in rows for point in row[3:]]))
        inside = QRectF(view.rect())
        texts = self._held({row[0]: row[1] for row in rows})
        tags = []
        for row, a, b in zip(rows, pixels[::2], pixels[1::2], strict=True):
            if a[2] > 0.0 and b[2] > 0.0 and inside.contains(float(b[0]), float(b[1])):
                way = b[:2] - a[:2]
                far = max(float(np.hypot(*way)), 1e-6)
                tags.append(Tag(row[0], texts[row[0]], row[2], (b[0], b[1]), (way[0] / far, way[1] / far)))
        return tags

    def _held(self, texts: dict[object, str]) -> dict[object, str]:
        """Return the words to show: those shown last for a moment, while it is simulated."""
        document = self._scene.document
        sample = document.physics.current
        now = -1.0 if sample is None else float(sample.time)
        if document.physics.running and 0.0 <= now - self._read < _HOLD:
            texts = {key: self._texts.get(key, text) for key, text in texts.items()}
        else:
            self._read = now
        self._texts = texts
        return texts

    # -- where they stand ----------------------------------------------------------------------------------------

    def _place(self, view: View, tags: list[Tag], taken: Sequence[QRectF]) -> list[QRectF]:
        if not tags:
            return []
        room = QRectF(view.rect()).adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN - 30.0)
        figure = view.project(self._scene.poses[:, :3, 3])[:, :2]
        parents = [max(joint.parent, 0) for joint in self._scene.skeleton.joints]  # type: ignore[union-attr]
        figure = np.concatenate([figure, 0.5 * (figure + figure[parents])])
        taken = [*taken, QRectF(0.0, 0.0, view.chip_left + _HEADER, 38.0)]
        full = np.array([[box.left(), box.top(), box.right(), box.bottom()] for box in taken])
        tips = np.array([tag.at for tag in tags])
        boxes: list[QRectF] = []
        places: dict[object, int] = {}
        for tag in tags:
            width = paint.chip_size(tag.text, _SIZE)[0]
            corners = _choices(tag, width, room)
            cost = _STEP * np.arange(len(corners))
            cost += _COVER * _inside(corners, figure, 3.0).sum(axis=1) + 4.0 * _inside(corners, tips, 2.0).sum(axis=1)
            if len(full):
                apart = (
                    (corners[:, None, 0] > full[:, 2] + 2.0) | (corners[:, None, 2] < full[:, 0] - 2.0)
                    | (corners[:, None, 1] > full[:, 3] + 2.0) | (corners[:, None, 3] < full[:, 1] - 2.0)
                )  # fmt: skip
                cost += _HIT * (~apart).sum(axis=1)
            last = self._places.get(tag.key)
            if last is not None:
                cost[np.arange(len(cost)) != last] += _LEAVE
            best = places[tag.key] = int(np.argmin(cost))
            x, y, right, bottom = corners[best].tolist()
            boxes.append(QRectF(x, y, right - x, bottom - y))
            full = np.concatenate([full, corners[best : best + 1]])
        self._places = places
        return boxes

    # -- the legend ----------------------------------------------------------------------------------------------

    def paint_legend(self, painter: QPainter, view: View, right: float, bottom: float, room: float) -> float:
        """Paint what the signs mean; return the left end of the chip.

        Args:
            painter: Where to draw.
            view: Into which view.
            right: Right end of the chip, [px].
            bottom: Its lower edge, [px].
            room: Its greatest width; without room for words it has only the signs, [px].
        """
        physics = self._scene.physics
        entries = legend_entries(physics)
        if not entries:
            return right
        words = legend_width(entries) <= room
        width = legend_width(entries, words)
        box = QRectF(right - width, bottom - paint.CHIP_HEIGHT, width, paint.CHIP_HEIGHT)
        self._legend.draw(
            painter, box, (view.theme.name, entries, words), lambda p: draw_legend(p, view.theme, box, entries, words)
        )
        return float(box.left())


def number(value: float) -> str:
    """Return a value with the digits that count: ``438``, ``24``, ``3.2``, ``0.45``."""
    size = abs(value)
    text = f"{size:.0f}" if size >= 9.95 else f"{size:.1f}" if size >= 0.995 else f"{size:.2f}"
    return MINUS + text if value < 0.0 and text.strip("0.") else text


def _choices(tag: Tag, width: float, room: QRectF) -> Array:
    """Return the boxes that come into question as left, top, right and bottom, best first, shape (k, 4), [px]."""
    x, y = tag.at
    dx, dy = tag.way
    side = 1.0 if dx >= 0.0 else -1.0
    half_w, half_h = 0.5 * width, 0.5 * _HEIGHT
    middles = []
    if tag.key == "ghost":
        middles = [(0.0, -half_h - 5.0), (half_w + _FAR, 0.0), (-half_w - _FAR, 0.0)]
    else:
        for gap in (_GAP, _FAR):
            beyond = half_w * abs(dx) + half_h * abs(dy) + gap
            middles += [
                (side * (half_w + gap), -0.3 * _HEIGHT), (dx * beyond, dy * beyond),
                (-side * (half_w + gap), -0.3 * _HEIGHT), (side * (half_w + gap), 0.9 * _HEIGHT),
                (-side * (half_w + gap), 0.9 * _HEIGHT), (0.0, -half_h - gap), (0.0, half_h + gap),
            ]  # fmt: skip
    at = np.array([x, y]) + np.array(middles)
    at[:, 0] = np.clip(at[:, 0], room.left() + half_w, max(room.right() - half_w, room.left() + half_w))
    at[:, 1] = np.clip(at[:, 1], room.top() + half_h, max(room.bottom() - half_h, room.top() + half_h))
    at = np.round(at - [half_w, half_h])
    return np.hstack([at, at + np.array([width, _HEIGHT])])


def _inside(boxes: Array, points: Array, margin: float) -> NDArray[np.bool_]:
    """Return which points lie in which boxes, shape (boxes, points)."""
    x, y = points[:, 0], points[:, 1]
    return (
        (x > boxes[:, :1] - margin) & (x < boxes[:, 2:3] + margin)
        & (y > boxes[:, 1:2] - margin) & (y < boxes[:, 3:4] + margin)
    )  # fmt: skip


# -- the legend ----------------------------------------------------------------------------------------------------

Entry = tuple[str, str, str]
"""Sign, word and colour token."""


def legend_entries(physics: PhysicsScene) -> tuple[Entry, ...]:
    """Return what the legend explains: the signs that are switched on and that the figure has."""
    found, skeleton, shown = physics.found, physics.skeleton, physics.overlays
    if found is None or skeleton is None:
        return ()
    marks = figure_marks(skeleton)
    rows: list[Entry] = []
    if shown["inertia"].on:
        kinds = found.kinds if found.kinds else frozenset({KEYED})
        rows += [("body", "Dynamic", "dyn")] if DYNAMIC in kinds else []
        rows += [("open", "Motor", "dyn")] if MOTOR in kinds else []
        rows += [("body", "Keyed", "text3")] if KEYED in kinds else []
    if shown["hinges"].on and len(marks.hinges):
        rows.append(("hinge", "Hinge", "accent"))
    if shown["hinges"].on and len(marks.slides):
        rows.append(("slide", "Slide", "accent"))
    if shown["balls"].on and len(marks.balls):
        rows.append(("ball", "Ball", "lock_position"))
    if found.contacts is not None:
        rows.append(("contact", "Contact", "force"))
    if shown["torques"].on:
        full = full_torque(skeleton) / shown["torques"].scale
        rows.append(("ramp", f"0–{number(full)} N·m", "force"))
    return tuple(rows)


def legend_width(entries: Sequence[Entry], words: bool = True) -> float:
    """Return how wide the legend is, [px]."""
    wide = 2.0 * paint.CHIP_PADDING - _SPACE
    for sign, word, _ in entries:
        wide += (_BAR if sign == "ramp" else _GLYPH) + _SPACE
        if words or sign == "ramp":
            wide += 4.0 + paint.text_width(word, _SIZE, 500)
    return round(wide)


def draw_legend(painter: QPainter, theme: Theme, box: QRectF, entries: Sequence[Entry], words: bool) -> None:
    """Draw the legend."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(paint.color(theme, "panel", 0.86))
    painter.drawRoundedRect(box, paint.RADIUS, paint.RADIUS)
    x, y = box.left() + paint.CHIP_PADDING, box.center().y()
    painter.setFont(paint.font(_SIZE, 500))
    for sign, word, token in entries:
        wide = _BAR if sign == "ramp" else _GLYPH
        _draw_sign(painter, theme, sign, QRectF(x, y - 6.0, wide, 12.0), token)
        x += wide
        if words or sign == "ramp":
            length = paint.text_width(word, _SIZE, 500)
            painter.setPen(paint.color(theme, "text2"))
            painter.drawText(
                QRectF(x + 4.0, box.top(), length + 2.0, box.height()), Qt.AlignmentFlag.AlignVCenter, word
            )
            x += 4.0 + length
        x += _SPACE


def _draw_sign(painter: QPainter, theme: Theme, sign: str, box: QRectF, token: str) -> None:
    color, middle = paint.color(theme, token), box.center()
    painter.setPen(QPen(color, 1.3))
    painter.setBrush(Qt.BrushStyle.NoBrush if sign == "open" else paint.color(theme, token, 0.45))
    if sign in ("body", "open"):
        painter.drawEllipse(middle, 5.4, 3.8)
    elif sign == "hinge":
        painter.drawRoundedRect(QRectF(middle.x() - 5.0, middle.y() - 3.0, 10.0, 6.0), 2.4, 2.4)
        painter.drawEllipse(QPointF(middle.x() - 3.0, middle.y()), 1.6, 3.0)
    elif sign == "slide":
        painter.drawLine(QPointF(box.left(), middle.y()), QPointF(box.right(), middle.y()))
        painter.setBrush(color)
        painter.drawRect(QRectF(middle.x() - 2.5, middle.y() - 2.5, 5.0, 5.0))
    elif sign == "ball":
        painter.drawEllipse(middle, 4.6, 4.6)
        painter.setPen(QPen(color, 0.9))
        painter.drawLine(QPointF(middle.x() - 4.6, middle.y()), QPointF(middle.x() + 4.6, middle.y()))
        painter.drawLine(QPointF(middle.x(), middle.y() - 4.6), QPointF(middle.x(), middle.y() + 4.6))
    elif sign == "contact":
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        corners = [QPointF(middle.x(), box.top() + 1.5), QPointF(middle.x() + 5.0, box.bottom() - 2.0),
                   QPointF(middle.x() - 5.0, box.bottom() - 2.0)]  # fmt: skip
        painter.drawPolygon(QPolygonF(corners))
    else:
        ramp = QLinearGradient(box.topLeft(), box.topRight())
        for share, name in ((0.0, "body"), (0.5, "force"), (1.0, "conflict")):
            ramp.setColorAt(share, paint.color(theme, name))
        painter.setPen(QPen(paint.color(theme, "line2"), 1.0))
        painter.setBrush(ramp)
        painter.drawRoundedRect(box.adjusted(0.0, 2.0, 0.0, -2.0), 2.0, 2.0)
