"""Where the curves are drawn: layers that are kept, zoom and pan both ways, mouse and keyboard."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy

from app.look import fonts, style
from app.look.theme import current_theme
from app.process.handler_guard import guarded
from app.timeline.curves.model import SPEED, VALUE, CurvesModel
from app.timeline.curves.paint import NO_PLACES, draw_tag, number_text
from app.timeline.curves.scale import ValueScale
from app.timeline.curves.view import CONTROL, DRAG_DISTANCE, SHIFT, CurveDrag, CurveView
from app.timeline.edge_scroll import EdgeScroll
from app.timeline.marks.lines import draw_mark_lines
from app.timeline.time_scale import PAN_STEP, ZOOM_STEP
from app.widgets.behaviour.base import Painted, draw_focus_ring, fill_round
from app.widgets.behaviour.own_keys import OwnKeysMixin, means
from app.widgets.frames.menu import pop_up

if TYPE_CHECKING:
    from app.timeline.model import TimelineModel


class _Band:
    """The timeline's frames without the names at their left, for what draws lines through them."""

    def __init__(self, model: TimelineModel):
        self.model = model

    def track_x(self, frame: float) -> float:
        """Return where a frame lies."""
        return self.model.x(frame)


def paint_ground(painter: QPainter, timeline: TimelineModel, scale: ValueScale, view: CurveView) -> None:
    """Paint the ground of a view and the lines on it; what is not played is shaded."""
    box = view.size
    painter.fillRect(box, style.color("input"))
    first, last = timeline.visible()
    step = timeline.tick_step()
    number = max(0, int(first // step) * step)
    line = style.mix("input", "line", 0.75)
    while number <= last:
        painter.fillRect(QRectF(round(timeline.x(number)), 0, 1, box.height()), line)
        number += step
    _, ticks = scale.ticks(view.degrees)
    for value in ticks.tolist():
        strong = style.color("line2" if value == 0.0 else "line")
        painter.fillRect(QRectF(0, round(scale.y(value)), box.width(), 1), strong)
    draw_mark_lines(_Band(timeline), painter, box.height())
    start, end = timeline.range
    if end > start:
        left, right = max(timeline.x(start), 0.0), timeline.x(end)
        painter.setOpacity(0.35)
        painter.fillRect(QRectF(right, 0, max(box.width() - right, 0.0), box.height()), style.color("win"))
        painter.fillRect(QRectF(0, 0, left, box.height()), style.color("win"))
        painter.setOpacity(1.0)


def paint_axis(painter: QPainter, scale: ValueScale, view: CurveView) -> None:
    """Paint the numbers at the left over what runs behind them."""
    step, ticks = scale.ticks(view.degrees)
    painter.setFont(fonts.font(fonts.SMALL, tabular=True))
    units = view.units
    for value in ticks.tolist():
        y = scale.y(value)
        if 8.0 <= y <= view.size.height() - 6.0 and not (units and y < 24.0):
            _number(painter, number_text(value, step) + view.suffix, y)
    if units:
        _number(painter, units, 10.0)


def paint_caption(painter: QPainter, text: str, picture: QRectF) -> None:
    """Write in the right lower corner what the curves are of."""
    painter.setFont(fonts.font(11, fonts.MEDIUM))
    wide = painter.fontMetrics().horizontalAdvance(text) + 16
    box = QRectF(picture.right() - wide - 6, picture.bottom() - 24, wide, 18)
    fill_round(painter, box, style.color("acc_bg"), style.color("acc_line"))
    painter.setPen(style.color("text"))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


def _number(painter: QPainter, text: str, y: float) -> None:
    wide = painter.fontMetrics().horizontalAdvance(text)
    box = QRectF(4, y - 7, wide + 4, 14)
    painter.setOpacity(0.8)
    painter.fillRect(box, style.color("input"))
    painter.setOpacity(1.0)
    painter.setPen(style.color("text3"))
    painter.drawText(box.adjusted(2, 0, 4, 0), Qt.AlignmentFlag.AlignVCenter, text)


_SHOWS_SELECTED, _SHOWS_ALL = ("frame_selected", "fit_selected_keys"), ("frame_all",)
_OWN = (*_SHOWS_SELECTED, *_SHOWS_ALL, "select_all", "delete_selected_keys")
"""Actions whose keys mean curves while these have the keyboard."""
_IDLE, _DRAG, _BOX, _ZOOM, _PAN = range(5)
LEAST_BOX = 6.0  # px: a smaller box is none


class CurveCanvas(OwnKeysMixin, Painted):
    """The picture of the view that is shown.

    The wheel zooms the frames, with Ctrl the values, with Shift it pans; Ctrl+Shift and a drag zooms to a box. The
    middle button pans both ways.

    Args:
        model: What the parts of the curve editor share.
        views: The views by name.
    """

    def __init__(self, model: CurvesModel, views: Mapping[str, CurveView]):
        super().__init__()
        self.model = model
        self.views = views
        self._mode = _IDLE
        self._button = Qt.MouseButton.NoButton
        self._press = self._last = QPointF()
        self._mouse: QPointF | None = None
        self._drag: CurveDrag | None = None
        self._held: CurveDrag | None = None
        self._key_down = False  # whether a key is held, so that what it moves goes on until it is released
        self.box: QRectF | None = None
        self._layer: tuple[object, QPixmap] | None = None
        self.edge = EdgeScroll(
            self,
            model.timeline,
            0.0,
            lambda: self.box is not None if self._drag is None else self._drag.scrolls,
            lambda: self._mode != _DRAG,
        )
        self.edge.scrolled.connect(self._take_scroll)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName("Curves")
        model.changed.connect(self.update)
        model.timeline.changed.connect(self.update)
        model.timeline.frame_changed.connect(self.update)
        model.points_changed.connect(self._report_selection)

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(400, 170)

    @guarded
    def minimumSizeHint(self) -> QSize:
        return QSize(120, 60)

    @property
    def view(self) -> CurveView:
        """The view that is shown."""
        return self.views[self.model.view]

    def theme_changed(self) -> None:
        self._layer = None

    def _report_selection(self) -> None:
        count = self.model.count
        self.setAccessibleDescription("No key selected" if not count else f"{count} key{'s' * (count != 1)} selected")

    # -- the scales --------------------------------------------------------------------------------------------------

    def _prepare(self) -> CurveView:
        """Bring scale and view up to date before anything is asked of them."""
        view, scale = self.view, self.model.scale
        view.size, view.ratio = QRectF(self.rect()), self.devicePixelRatioF()
        if scale.height != self.height():
            scale.height = max(float(self.height()), 20.0)
            scale.stale |= scale.fitted
        if scale.stale and self._drag is None and self._held is None:
            self._fit_values(False)
        return view

    def _fit_values(self, selected: bool) -> None:
        bounds = self.view.bounds(selected)
        if bounds is not None:
            self.model.scale.fit(*bounds, least=self.view.least)
            self.model.scale.stale = False

    def fit(self, selected: bool) -> None:
        """Show what is selected in the middle of the picture, or everything."""
        frames = self.view.frames(selected)
        if selected and frames is None:
            selected, frames = False, self.view.frames(False)
        self._prepare()
        timeline = self.model.timeline
        if not selected:
            timeline.fit()
        elif frames is not None:
            middle = 0.5 * (frames[0] + frames[1])
            half = max(0.5 * (frames[1] - frames[0]), 6.0)  # frames around a single key are worth seeing
            timeline.show_span(max(middle - half, 0.0), middle + half)
        self._fit_values(selected)
        self.model.scale.fitted = not selected
        self.model.touch()

    # -- painting ----------------------------------------------------------------------------------------------------

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        view = self._prepare()
        painter = QPainter(self)
        text = view.empty_text()
        if text:
            painter.fillRect(self.rect(), style.color("input"))
            painter.setFont(fonts.font())
            painter.setPen(style.color("text3"))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, text)
        else:
            painter.drawPixmap(0, 0, self._static(view))
            self._paint_playhead(painter)
            view.paint_over(painter, self._mouse if self._mode == _IDLE else None)
            self._paint_box(painter)
            self._paint_tag(painter, view)
        if self.focus_ring:
            draw_focus_ring(painter, QRectF(self.rect()))
        painter.end()

    def _static(self, view: CurveView) -> QPixmap:
        """Return the layer that only changes with motion, selection and scales; it is kept."""
        timeline, scale, ratio = self.model.timeline, self.model.scale, self.devicePixelRatioF()
        key = (
            self.model.view, self.model.version, timeline.left, timeline.pixels, scale.middle, scale.unit,
            self.width(), self.height(), ratio, current_theme().name, timeline.range,
            timeline.marks.music, timeline.marks.markers,
        )  # fmt: skip
        if self._layer is None or self._layer[0] != key:
            picture = self._layer[1] if self._layer is not None else QPixmap()
            wanted = QSize(round(self.width() * ratio), round(self.height() * ratio))
            if picture.size() != wanted:
                picture = QPixmap(wanted)
                picture.setDevicePixelRatio(ratio)
            painter = QPainter(picture)
            paint_ground(painter, timeline, scale, view)
            view.paint(painter)
            paint_axis(painter, scale, view)
            if self.model.layer is not None and self.model.view in (VALUE, SPEED):
                paint_caption(painter, "Offsets of the layer", QRectF(self.rect()))
            painter.end()
            self._layer = (key, picture)
        return self._layer[1]

    def _paint_playhead(self, painter: QPainter) -> None:
        x = self.model.timeline.x(self.model.document.frame)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.fillRect(QRectF(round(x) - 1, 0, 2, self.height()), style.color("accent"))

    def _paint_box(self, painter: QPainter) -> None:
        if self.box is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        token = "accent" if self._mode == _ZOOM else "text"
        painter.setOpacity(0.05)
        painter.fillRect(self.box, style.color(token))
        painter.setOpacity(1.0)
        painter.setPen(QPen(style.color(token), 1.0, Qt.PenStyle.DashLine))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(self.box)

    def _paint_tag(self, painter: QPainter, view: CurveView) -> None:
        keep = view.keep_seen() if self._mouse is not None else NO_PLACES
        if self._drag is not None and self._mouse is not None:
            text = self._drag.tag()
            if text:
                draw_tag(painter, text, self._mouse, QRectF(self.rect()), "accent", keep)
        elif self._mode == _IDLE and self._mouse is not None:
            tag = view.tag(self._mouse)
            if tag is not None:
                draw_tag(painter, tag[0], tag[1], QRectF(self.rect()), tag[2], keep)

    # -- mouse -------------------------------------------------------------------------------------------------------

    @property
    def over_box(self) -> bool:
        """Whether the mouse is over the box round the selected keys."""
        return self._mouse is not None and self.view.over_box(self._mouse)

    @property
    def drag(self) -> CurveDrag | None:
        """The drag under way, or None."""
        return self._drag

    @guarded
    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride:  # the action of a key comes after this
            self._key_down = True
        done = super().event(event)
        if isinstance(event, QMouseEvent):
            self.edge.watch(event)
        return done

    def _take_scroll(self, pixels: float) -> None:
        self._press = self._press + QPointF(pixels, 0.0)
        if self._drag is not None:
            self._drag.scrolled(pixels)

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self.model.document.skeleton is None or self.view.empty_text():
            return
        if self._mode != _IDLE:
            if event.button() != self._button and event.buttons() & self._button:
                return  # another button in the middle of a drag changes nothing
            self._release(event)  # nobody heard of the release
        self._button = event.button()
        self._end_held()
        view, position, modifiers = self._prepare(), event.position(), event.modifiers()
        self._press = self._last = self._mouse = position
        if event.button() == Qt.MouseButton.MiddleButton:
            self._mode = _PAN
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
        elif event.button() == Qt.MouseButton.LeftButton:
            if modifiers & CONTROL and modifiers & SHIFT:
                self._mode, self.box = _ZOOM, QRectF(position, position)
                return
            self._drag = view.press(position, modifiers)
            if self._drag is not None:
                self._mode = _DRAG
            elif view.boxes:
                self._mode = _BOX
        self.update()

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        position = self._mouse = event.position()
        if self._mode == _DRAG and self._drag is not None:
            self._drag.move(position, event.modifiers())
        elif self._mode == _PAN:
            self.model.timeline.pan(position.x() - self._last.x())
            self.model.scale.pan(position.y() - self._last.y())
        elif self._mode in (_BOX, _ZOOM):
            far = (position - self._press).manhattanLength() >= DRAG_DISTANCE
            if far or self.box is not None:
                self.box = QRectF(self._press, position).normalized()
        elif self._mode == _IDLE and not self.view.empty_text():
            self.setCursor(self._prepare().cursor(position))
        self._last = position
        self.update()

    @guarded
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == self._button:
            self._release(event)

    def _release(self, event: QMouseEvent) -> None:
        mode, self._mode = self._mode, _IDLE
        drag, self._drag = self._drag, None
        box, self.box = self.box, None
        if mode == _DRAG and drag is not None:
            drag.release(event.position(), event.modifiers())
        elif mode == _BOX:
            if box is not None:
                self.view.select_box(box, event.modifiers())
            else:
                self.view.click(event.position(), event.modifiers())
        elif mode == _ZOOM and box is not None and box.width() > LEAST_BOX and box.height() > LEAST_BOX:
            self._zoom_to(box)
        if not self.view.empty_text():
            self.setCursor(self._prepare().cursor(event.position()))
        self.update()

    def _zoom_to(self, box: QRectF) -> None:
        """Show what lies in a box."""
        timeline, scale = self.model.timeline, self.model.scale
        low, high = scale.value(box.bottom()), scale.value(box.top())
        # The place that stays where it is: as far along the box as along the picture.
        timeline.zoom(self.width() / box.width(), box.left() * self.width() / max(self.width() - box.width(), 1.0))
        scale.middle, scale.unit, scale.fitted = 0.5 * (low + high), (high - low) / scale.height, False
        self.model.touch()

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        if self._mode == _IDLE:
            self._mouse = None
            self.update()
        super().leaveEvent(event)

    @guarded
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or self.view.empty_text():
            return
        view = self._prepare()
        if not view.double_click(event.position(), event.modifiers()):
            self.fit(False)
            return
        self._mouse, self._button = event.position(), event.button()
        self._drag = view.hold_chosen(event.position())
        if self._drag is not None:  # what is made follows the mouse while the button is still down
            self._mode = _DRAG

    @guarded
    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if self.model.document.skeleton is None or self.view.empty_text() or self._drag is not None:
            return
        at = QPointF(event.pos())
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            at = QPointF(self.rect().center())
        menu = self._prepare().menu(at, self)
        if menu is not None:
            pop_up(menu, self.mapToGlobal(at.toPoint()))

    @guarded
    def wheelEvent(self, event: QWheelEvent) -> None:
        steps = event.angleDelta().y() / 120.0 or event.angleDelta().x() / 120.0
        self._prepare()
        if event.modifiers() & SHIFT or not event.angleDelta().y():
            self.model.timeline.pan(steps * PAN_STEP)
        elif event.modifiers() & CONTROL:
            self.model.scale.zoom(ZOOM_STEP**steps, event.position().y())
        else:
            self.model.timeline.zoom(ZOOM_STEP**steps, event.position().x())
        self.update()
        event.accept()

    # -- keyboard ----------------------------------------------------------------------------------------------------

    def takes(self, event: QKeyEvent) -> bool:
        if event.key() == Qt.Key.Key_Escape:
            return self._mode != _IDLE or self._held is not None
        return means(event, *_OWN)

    @property
    def has_selection(self) -> bool:
        """Whether steps have something to move."""
        return self.view.frames(True) is not None

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self.takes(event):
            super().keyPressEvent(event)
        elif event.key() == Qt.Key.Key_Escape:
            self.cancel()
        elif means(event, *_SHOWS_SELECTED):
            self.fit(True)
        elif means(event, *_SHOWS_ALL):
            self.fit(False)
        elif means(event, "select_all"):
            self.view.select_all()
        elif not self.view.delete():
            super().keyPressEvent(event)
        self.update()

    def step(self, frames: int, rise: float) -> None:
        """Move what is selected by some frames and steps of its value; all while a key is down is one step."""
        if self._held is None:
            self._held = self._prepare().hold_selected()
        if self._held is not None:
            self._held.step(frames, rise)
        if not self._key_down:
            self._end_held()
        self.update()

    @guarded
    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if not event.isAutoRepeat():
            self._key_down = False
            self._end_held()
        super().keyReleaseEvent(event)

    @guarded
    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._key_down = False
        self._end_held()
        super().focusOutEvent(event)

    def _end_held(self) -> None:
        held, self._held = self._held, None
        if held is not None:
            held.release(QPointF(), Qt.KeyboardModifier.NoModifier)

    def cancel(self) -> None:
        """Give up the drag under way."""
        drag, self._drag = self._drag or self._held, None
        self._held, self.box, self._mode = None, None, _IDLE
        if drag is not None:
            drag.cancel()
        self.update()
