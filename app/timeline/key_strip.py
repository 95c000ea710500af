"""The key strip: every key pose as a small figure, centred on its frame."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QImage, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy

from app.document.changes import Change, FigureChanged, FileChanged, KeysChanged, SequenceChanged
from app.look import fonts, style
from app.process.handler_guard import guarded
from app.timeline.canvas import TimelineCanvas, diamond
from app.timeline.model import TimelineModel
from app.timeline.sequence_choice import SequenceChoice
from app.timeline.time_scale import NAMES_WIDTH
from app.widgets.behaviour.base import fill_round
from app.words.keys_now import key_of

if TYPE_CHECKING:
    from core.animation import Key

HEIGHT = 66
LOW_HEIGHT = 44
STOOD_KEPT = 400
LEAST_SEEN = 0.55  # of a picture beside the next
ANOTHER = frozenset({"opened", "figures", "active", "all"})  # changes after which keys are those of something else


class Thumbnails(Protocol):
    """Where the small figures come from."""

    def image(self, q: NDArray[np.float64], width: int, height: int, ratio: float) -> QImage | None:
        """Return the picture of a pose, or None while it is being drawn; the strip is repainted when it is there."""


class KeyStrip(TimelineCanvas):
    """Key poses as figures; click one to go there, drag it to move the key.

    Args:
        model: The shared scale, rows and selection.
        thumbnails: Draws the figures.
    """

    boxes = True

    def __init__(self, model: TimelineModel, thumbnails: Thumbnails):
        super().__init__(model)
        self.thumbnails = thumbnails
        self._stood: OrderedDict[tuple[int, int, int], QImage] = OrderedDict()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Key poses")
        self.sequences = SequenceChoice(model.document, self)
        self.set_low(False)
        model.document.changed.connect(self._forget)

    def _forget(self, change: Change) -> None:
        """Let go of what stood at frames that have no key any more, or whose keys are another figure's now."""
        sequence, name = self.model.document.sequence, change.name
        if sequence is None or (isinstance(change, (FileChanged, FigureChanged, SequenceChanged)) and name in ANOTHER):
            self._stood.clear()
        elif isinstance(change, KeysChanged):
            for place in [place for place in self._stood if sequence.keys.at(place[0]) is None]:
                del self._stood[place]

    def set_low(self, low: bool) -> None:
        """Take less height, for low windows."""
        self.setFixedHeight(LOW_HEIGHT if low else HEIGHT)
        self.sequences.setGeometry(6, self.height() // 2 - 21, NAMES_WIDTH - 12, 22)

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(400, self.height())

    @property
    def picture_size(self) -> tuple[int, int]:
        """Width and height of one picture, logical px."""
        height = self.height() - 6
        return round(height * 0.9), height

    def key_under(self, position: QPointF) -> int | None:
        if position.x() < NAMES_WIDTH:
            return None
        return self.model.key_near(position.x() - NAMES_WIDTH, self.picture_size[0] / 2)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        self.draw_names_ground(painter)
        self._paint_names(painter)
        self.clip_tracks(painter)
        self.draw_playhead(painter)
        model = self.model
        sequence = model.document.sequence
        if sequence is not None and not len(model.frames) and not model.document.pending:
            self._paint_empty(painter)
        elif sequence is not None:
            self._paint_keys(painter)
        if model.document.pending:
            self._paint_pending(painter)
        self.draw_gesture(painter)
        painter.end()

    def _paint_names(self, painter: QPainter) -> None:
        document = self.model.document
        painter.setPen(style.color("text"))
        painter.setFont(fonts.font(12, fonts.SEMIBOLD))
        middle = self.height() / 2
        if self.sequences.isHidden():
            painter.drawText(QRectF(12, middle - 18, NAMES_WIDTH - 16, 18), Qt.AlignmentFlag.AlignVCenter, "Key poses")
        count, long = len(self.model.frames), ""
        if document.skeleton is None:
            text = "No figure"
        elif count == 0:
            text = "No keys yet"
        else:
            text = f"{count} key{'s' * (count != 1)}"
            first, last = int(self.model.frames[0]), int(self.model.frames[-1])
            long = f"{text}, frames {first}–{last}" if count > 1 else f"{text}, frame {first}"
        painter.setPen(style.color("text2"))
        painter.setFont(fonts.font(11, fonts.REGULAR))
        short = long.replace("frames ", "").replace("frame ", "")
        room, metrics = NAMES_WIDTH - 20, painter.fontMetrics()
        text = next((words for words in (long, short) if words and metrics.horizontalAdvance(words) <= room), text)
        painter.drawText(QRectF(12, middle, NAMES_WIDTH - 16, 18), Qt.AlignmentFlag.AlignVCenter, text)

    def _paint_empty(self, painter: QPainter) -> None:
        painter.setPen(style.color("text3"))
        painter.setFont(fonts.font(12, fonts.REGULAR))
        box = QRectF(NAMES_WIDTH + 56, 0, self.width() - NAMES_WIDTH - 60, self.height())
        keyed = self.model.document.session.keys.auto
        text = (
            "Drag the figure: its pose becomes a key" if keyed else f"Drag the figure, then press {key_of('set_key')}"
        )
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, text)

    def _paint_keys(self, painter: QPainter) -> None:
        model = self.model
        sequence = model.document.sequence
        if sequence is None:
            return
        keys = sequence.keys
        width, _ = self.picture_size
        low, high = ((x - NAMES_WIDTH - 32.0) / model.pixels + model.left for x in (-width, self.width() + width))
        near = np.arange(*np.searchsorted(model.frames, (low, high)))
        current = model.document.frame
        near = self._thin(near)
        chosen = dict(zip(near.tolist(), np.any(model.chosen[near], axis=1).tolist(), strict=True))
        # neighbours overlap: quiet ones first, then the selected, the current one on top
        order = sorted(near.tolist(), key=lambda i: (int(model.frames[i]) == current, chosen[i], i))
        moves = model.moves
        for i in order:
            frame = int(model.frames[i])
            self._paint_key(painter, self.track_x(frame if moves is None else moves.place(frame)), keys[i], current)

    def _thin(self, near: NDArray[np.intp]) -> NDArray[np.intp]:
        """Leave out pictures that others would cover: no slivers, and ten thousand keys cost no more than twenty.

        Where keys crowd, time is cut into steps of one picture from frame 0 on and the key nearest to the middle of
        each step is shown, unless it covers too much of the one before: the choice stays the same while the tracks are
        moved sideways. The current key comes on top, but not while the sequence plays, when it would be another one
        every moment.
        """
        model = self.model
        step = self.picture_size[0] / model.pixels
        frames = model.frames[near]
        if len(frames) < 2 or np.diff(frames).min() >= LEAST_SEEN * step:
            return near
        steps = np.floor(frames / step)
        order = np.lexsort((np.abs(frames - (steps + 0.5) * step), steps))
        _, first = np.unique(steps[order], return_index=True)
        kept = np.zeros(len(near), dtype=bool)
        last = -np.inf
        for i in order[first].tolist():
            if frames[i] - last >= LEAST_SEEN * step:
                kept[i], last = True, float(frames[i])
        current = (frames == model.document.frame) & (not model.document.session.playback.playing)
        if current.any():  # and no sliver of another beside it
            kept &= np.abs(frames - model.document.frame) >= LEAST_SEEN * step
        return near[kept | current]

    def _paint_key(self, painter: QPainter, x: float, key: Key, now: int) -> None:
        sequence, frame, current = self.model.document.sequence, key.frame, key.frame == now
        q = key.q if sequence is None else sequence.pose_of(key)
        selected = self.model.chosen_at(frame)
        width, height = self.picture_size
        box = QRectF(round(x - width / 2), 3, width, height)
        fill = style.color("acc_bg" if current else "panel")
        line = style.color("accent") if current else style.color("acc_line") if selected else None
        fill_round(painter, box, fill, line)
        image = self.thumbnails.image(q, width, height, self.devicePixelRatioF())
        place = (frame, width, height)
        if image is not None:
            self._stood[place] = image
            self._stood.move_to_end(place)
            while len(self._stood) > STOOD_KEPT:
                self._stood.popitem(last=False)
        else:  # not drawn yet: what stood here before is better than nothing while a pose changes
            image = self._stood.get(place)
        if image is not None:
            painter.drawImage(box.topLeft(), image)
        else:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(style.color("acc_line" if current else "line2"))
            painter.drawPolygon(diamond(box.center().x(), box.center().y(), 9))

    def theme_changed(self) -> None:
        self._stood.clear()

    def _paint_pending(self, painter: QPainter) -> None:
        """Paint an empty place for the pose that no key holds yet."""
        x = self.track_x(self.model.document.frame)
        width, height = self.picture_size
        box = QRectF(round(x - width / 2), 3, width, height)
        fill_round(painter, box, style.mix("input", "warn", 0.12))
        painter.setPen(QPen(style.color("warn"), 1.0, Qt.PenStyle.DashLine))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), style.RADIUS, style.RADIUS)
        roomy = height > 50
        middle = box.center() - QPointF(0, 8 if roomy else 0)
        painter.setPen(QPen(style.color("warn"), 1.6))
        painter.drawPolygon(diamond(middle.x(), middle.y(), 11))
        if roomy:
            painter.setFont(fonts.font(fonts.SMALL))
            painter.drawText(box.adjusted(0, height / 2 + 2, 0, -6), Qt.AlignmentFlag.AlignCenter, "no key")
