"""Values beside the arrows of physics mode, the name of its ghost, and its legend. Sizes are logical pixels."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QLinearGradient, QPainter, QPen, QPixmap, QPolygonF

from app.marks import paint
from app.marks.physics_tag_places import PhysicsTagPlaces, Tag
from app.physics.torques import full_torque
from app.scene.physics_figure import figure_marks, placed
from app.scene.physics_forces import arrow_ends
from app.scene.physics_scene import GRAVITY, PhysicsScene
from app.scene.physics_shapes import DYNAMIC, KEYED, MOTOR
from app.words.physics_words import force_text, number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.look.theme import Theme
    from app.scene.pointing import SceneView
    from app.scene.scene import Scene

Array = NDArray[np.float64]

GHOST_NAME = "Keyed motion"
MOST_FORCES, FEWEST_FORCES = 6, 2
"""Forces that have a tag, of a figure that is large on the screen and of a small one: all those of one that lies would
hide it. The others are read off by hovering over the part."""
_ROOM_EACH = 40.0  # extent of the figure for each of them
_STAY = 1.4
"""A force that has a tag counts so much more, so that two alike do not take turns."""
_LEAST_FORCE = 0.03  # of the weight
_SIZE = 11.0
_MARGIN = 5.0
_HOLD = 0.1
"""Numbers stay for so long while it is simulated, so that they can be read, [s]."""
_LINES = np.arange(-1.0, 1.1, 0.4)
_BALL = np.stack(np.meshgrid(_LINES, _LINES, _LINES), axis=-1).reshape(-1, 3)
_BALL = _BALL[np.linalg.norm(_BALL, axis=1) < 1.1]
"""Places all over the unit ball, shape (m, 3)."""
_GLYPH, _SPACE, _BAR = 12.0, 12.0, 46.0
_CHIPS_KEPT = 64
_SEEN = 4.0  # least length of an arrow, [px]
_HEADER = 240.0  # room for the chip beside the view's name


class PhysicsTags:
    """Paints the tags of a large view; each keeps its side as long as that is about free.

    Args:
        scene: The posed figure.
    """

    def __init__(self, scene: Scene):
        self._scene = scene
        self.places = PhysicsTagPlaces()
        self._texts: dict[object, str] = {}
        self._read = -1.0
        self._chips: dict[object, QPixmap] = {}
        self._legend = paint.Cached()

    def paint(self, painter: QPainter, view: SceneView, taken: Sequence[QRectF]) -> list[QRectF]:
        """Paint the values of forces and momentum and the name of the ghost; return the boxes they have.

        Args:
            painter: Where to draw.
            view: Into which view, a large one.
            taken: Boxes that others have.
        """
        physics = self._scene.physics
        if not physics.shown:
            self.places.forget()
            return []
        tags = self._tags(view, physics)
        placed = self._place(view, tags, taken)
        for tag, box in placed:
            if self.places.far(tag.key) and tag.key != "ghost":
                near = QPointF(
                    min(max(tag.at[0], box.left() + 3.0), box.right() - 3.0),
                    min(max(tag.at[1], box.top() + 3.0), box.bottom() - 3.0),
                )
                paint.stroke_line(painter, view.theme, [near, QPointF(*tag.at)], tag.token, 1.0, halo=1.2, alpha=0.8)
            painter.drawPixmap(box.topLeft(), self._chip(view, tag, painter.device().devicePixelRatioF(), box))
        return [box for _, box in placed]

    def _chip(self, view: SceneView, tag: Tag, ratio: float, box: QRectF) -> QPixmap:
        """Return a tag's picture; words change less often than places."""
        key = (tag.text, tag.token, view.theme.name, ratio)
        found = self._chips.get(key)
        if found is None:
            if len(self._chips) >= _CHIPS_KEPT:
                self._chips.clear()
            found = self._chips[key] = QPixmap(math.ceil(box.width() * ratio), math.ceil(box.height() * ratio))
            found.setDevicePixelRatio(ratio)
            found.fill(Qt.GlobalColor.transparent)
            inside = QPainter(found)
            at = QRectF(0.0, 0.0, box.width(), box.height())
            paint.draw_chip(inside, view.theme, at, tag.text, tag.token, None, _SIZE, 500)
            inside.end()
        return found

    def force_on(self, part: int) -> str:
        """Return the force on a part in words; "" for one that nothing touches, or while forces are not shown."""
        physics = self._scene.physics
        found = physics.found if physics.shown else None
        if found is None or found.contacts is None:
            return ""
        sizes = found.contacts.magnitudes[found.contacts.joints == part]
        return force_text(float(sizes[0])) if len(sizes) else ""

    # -- what they say -------------------------------------------------------------------------------------------

    def _tags(self, view: SceneView, physics: PhysicsScene) -> list[Tag]:
        found = physics.found
        rows: list[tuple[object, str, str, Array, Array]] = []  # with start and tip in the world
        top = physics.ghost_top
        if top is not None:
            rows.append(("ghost", GHOST_NAME, "text2", top - [0.0, 0.1, 0.0], top))
        if found is not None and found.momentum is not None:
            if found.linear is not None:
                size = math.hypot(*found.momentum[3:].tolist())
                rows.append(("p", f"p {number(size)} kg·m/s", "momentum_linear", found.center, found.linear))
            if found.ring is not None:
                size = math.hypot(*found.momentum[:3].tolist())
                rows.append(("L", f"L {number(size)} kg·m²/s", "momentum_angular", found.ring[-3], found.ring[-1]))
        if found is not None and found.contacts is not None:
            contacts, skeleton = found.contacts, self._scene.skeleton
            weight = figure_marks(skeleton).mass * GRAVITY if skeleton is not None else 0.0
            tips, sizes = arrow_ends(contacts, found.scale, found.longest), contacts.magnitudes.tolist()
            joints = contacts.joints.tolist()
            counts = [sizes[k] * (_STAY if self.places.known(joint) else 1.0) for k, joint in enumerate(joints)]
            largest = sorted(range(len(sizes)), key=lambda k: -counts[k])[: self._most(view)]
            for k in (k for k in largest if counts[k] >= _LEAST_FORCE * weight):
                rows.append((joints[k], force_text(sizes[k]), "force", contacts.points[k], tips[k]))
        if not rows:
            return []
        pixels = view.project(np.array([point for row in rows for point in row[3:]])).tolist()
        inside = QRectF(view.rect())
        texts = self._held({row[0]: row[1] for row in rows})
        tags = []
        for row, a, b in zip(rows, pixels[::2], pixels[1::2], strict=True):
            if a[2] > 0.0 and b[2] > 0.0 and inside.contains(b[0], b[1]):
                if math.hypot(b[0] - a[0], b[1] - a[1]) < _SEEN and row[0] not in ("ghost", "L"):
                    continue  # an arrow that is not to be seen needs no value
                tags.append(Tag(row[0], texts[row[0]], row[2], (b[0], b[1]), (a[0], a[1]), row[0] == "ghost"))
        return tags

    def _most(self, view: SceneView) -> int:
        """Return how many forces have a tag: fewer on a figure that is small on the screen."""
        seen = view.project(self._scene.poses[:, :3, 3])[:, :2]
        extent = float(np.ptp(seen, axis=0).max())
        return int(min(max(extent // _ROOM_EACH, FEWEST_FORCES), MOST_FORCES)) if np.isfinite(extent) else MOST_FORCES

    def _held(self, texts: dict[object, str]) -> dict[object, str]:
        """Return the words to show: those shown last for a moment, while it is simulated."""
        document = self._scene.document
        sample = document.physics.current
        now = -1.0 if sample is None else float(sample.time)
        keeps = document.physics.running and 0.0 <= now - self._read < _HOLD
        if keeps:
            texts = {key: self._texts.get(key, text) for key, text in texts.items()}
        else:
            self._read = now
        self._texts = texts
        return texts

    # -- where they stand ----------------------------------------------------------------------------------------

    def _place(self, view: SceneView, tags: list[Tag], taken: Sequence[QRectF]) -> list[tuple[Tag, QRectF]]:
        room = QRectF(view.rect()).adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN - 30.0)
        widths = [paint.chip_size(tag.text, _SIZE)[0] for tag in tags]
        header = QRectF(0.0, 0.0, view.chip_left + _HEADER, 38.0)
        return self.places.place(tags, widths, room, self._body(view), [*taken, header])

    def _body(self, view: SceneView) -> Array:
        """Return places all over the figure as the view shows them, shape (m, 2), [px]."""
        skeleton, poses = self._scene.skeleton, self._scene.poses
        assert skeleton is not None
        marks = figure_marks(skeleton)
        maps = placed(poses, marks.bodies, marks.ellipsoids)
        inside = np.einsum("kij,mj->kmi", maps[:, :, :3], _BALL) + maps[:, None, :, 3]
        seen = view.project(np.concatenate([poses[:, :3, 3], inside.reshape(-1, 3)]))
        return np.asarray(seen[seen[:, 2] > 0.0, :2])

    # -- the legend ----------------------------------------------------------------------------------------------

    def paint_legend(self, painter: QPainter, view: SceneView, right: float, bottom: float, room: float) -> float:
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
        rows.append(("ramp", f"Torque 0–{number(full)} N·m", "force"))
    return tuple(rows)


@lru_cache(maxsize=16)
def legend_width(entries: tuple[Entry, ...], words: bool = True) -> float:
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
