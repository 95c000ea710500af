"""One row of the joints panel: icon, label, slider and field of one degree of freedom."""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.look import fonts, icons, style
from app.process.handler_guard import guarded
from app.widgets.behaviour.base import Painted, fill_round
from app.widgets.behaviour.gesture import ValueWidget
from app.widgets.fields.number_field import NumberField
from app.widgets.fields.slider import MARGIN, JointSlider
from app.words.quantity import Quantity, quantity_for
from core.skeleton.dof import ANGLE

FREE_ANGLE = 180.0  # [deg] each way, shown where a hinge has no limits
FREE_LENGTH = 2.0  # [m] each way, for a slide without limits
ICON_LEFT, LABEL_LEFT = 10, 28
FIELD_WIDTH, FIELD_RIGHT = 48, 8
SPLIT, WIDEST_SPLIT = 0.42, 0.52  # share of the width that icon and label take


class JointRow(Painted):
    """Edits one value of the pose. Values go in and out in [rad] or [m]; degrees and centimetres are only on screen.
    Places along splines are the plain numbers that they are.

    The row emits ``began``, ``changed(value)``, ``committed`` and ``cancelled`` for slider and field alike, and
    ``limit_began``, ``limit_moved(side, value)`` and ``limit_ended(keep)`` when a bracket of the slider is dragged.

    Args:
        index: Place in the pose vector.
        joint: Joint index.
        label: What the row is called.
        unit: What the value measures, ``"angle"``, ``"length"`` or ``"number"``.
        lo: Lower limit, [rad] or [m]; ``-inf`` for none.
        hi: Upper limit, [rad] or [m]; ``inf`` for none.
        rest: Value at rest, [rad] or [m].
        origin: Added to the value on screen only: the root's offset, so that places in the world are shown, [m].
        icon: Icon at the left, or "".
        caption: The label as it stands in the row, without what the group's title says already; "" is the label.
        period: After how much the value means the same again, in its own unit, for what goes round; None if it never
            does.
        parent: Parent widget.
    """

    began = Signal(object)
    changed = Signal(object, float)
    committed = Signal(object)
    cancelled = Signal(object)
    refused = Signal(str)
    settled = Signal()
    label_clicked = Signal(object, object)
    hovered = Signal(object, bool)
    limit_began = Signal(object)
    limit_moved = Signal(object, int, float)
    limit_ended = Signal(object, bool)
    menu_wanted = Signal(object, object)

    def __init__(
        self,
        index: int,
        joint: int,
        label: str,
        unit: str,
        lo: float,
        hi: float,
        rest: float = 0.0,
        origin: float = 0.0,
        icon: str = "",
        caption: str = "",
        period: float | None = None,
        parent: QWidget | None = None,
    ):
        super().__init__(parent)
        self.index, self.joint, self.label, self.icon = index, joint, label, icon
        self.caption = caption or label
        self.lo, self.hi, self.rest = lo, hi, rest
        angle = unit == ANGLE
        self.quantity: Quantity = quantity_for(unit, lo, hi)
        self._scale = math.degrees(1.0) if angle else self.quantity.units.get("m", 1.0)
        self._origin = origin * (1.0 if angle else self._scale)
        self._period = period = None if period is None else period * self._scale
        self._shown: float | None = None
        self._in_chain = self._selected = self._over = self._blocked = False
        self._label_width = 0
        self._mark = ""
        self.slider = JointSlider(self.quantity, parent=self)
        self.field = NumberField(self.quantity, compact=True, parent=self)
        free = FREE_ANGLE if angle else FREE_LENGTH
        middle = self.to_screen(rest) if angle else round(self.to_screen(rest))
        lower = self.to_screen(lo) if math.isfinite(lo) else middle if period else middle - free
        upper = self.to_screen(hi) if math.isfinite(hi) else (lower + period if period else middle + free)
        if period and math.isfinite(hi) and not math.isfinite(lo):
            lower = upper - period
        self.slider.set_round(period)
        self.slider.set_range(lower, upper, (math.isfinite(lo), math.isfinite(hi)))
        self.slider.set_rest(self.to_screen(rest))
        self._ends = (lower if math.isfinite(lo) else -math.inf, upper if math.isfinite(hi) else math.inf)
        self._reach = math.inf
        self.field.set_limits(*self._ends)
        for widget in (self.slider, self.field):
            widget.setAccessibleName(label)
            self._connect(widget)
            widget.menu_wanted.connect(lambda at: self.menu_wanted.emit(self, at))
        self.slider.limit_began.connect(lambda _: self.limit_began.emit(self))
        self.slider.limit_moved.connect(self._limit_moved)
        self.slider.limit_ended.connect(lambda _, keep: self.limit_ended.emit(self, keep))
        self.field.refused.connect(self.refused)
        self.field.settled.connect(self.settled)
        self.setAccessibleName(label)
        self._limits_tip = self._tip(lower, upper)
        self.setToolTip(self._limits_tip)
        self.slider.setToolTip("")
        self.setMouseTracking(True)
        self._ground()
        self.show_value(rest)

    def _connect(self, widget: ValueWidget) -> None:
        widget.began.connect(lambda: self.began.emit(self))
        widget.changed.connect(self._moved)
        widget.committed.connect(lambda _: self.committed.emit(self))
        widget.cancelled.connect(lambda: self.cancelled.emit(self))

    def _tip(self, lower: float, upper: float) -> str:
        if not (math.isfinite(self.lo) or math.isfinite(self.hi)):
            round_ = f"; {self.quantity.short(self._period)} is one full turn" if self._period else ""
            return f"{self.label}: no limits{round_}"
        span = f"{self.quantity.short(lower)} to {self.quantity.short(upper)}{self.quantity.suffix}"
        return f"{self.label}: {span}\nShift-drag a bracket to move the limit"

    def to_screen(self, value: float) -> float:
        """Return a value of the pose as it is shown, [deg] or [m]."""
        return value * self._scale + self._origin

    def from_screen(self, value: float) -> float:
        """Return a shown value as a value of the pose, inside the limits to the last bit."""
        found = min(max((value - self._origin) / self._scale, self.lo), self.hi)
        return min(max(found, -self._reach), self._reach)

    def _limit_moved(self, side: int, value: float) -> None:
        self.limit_moved.emit(self, side, (value - self._origin) / self._scale)

    def _moved(self, value: float) -> None:
        self.changed.emit(self, self.from_screen(value))

    def set_reach(self, reach: float, why: str) -> None:
        """Set how far from zero the value can go just now, inside its limits, and what is the reason.

        Args:
            reach: [rad]; infinity where the limits alone are the bounds.
            why: Words that follow the range when somebody types a value beyond it.
        """
        if reach == self._reach:
            return
        self._reach = reach
        lower, upper = self.to_screen(-reach), self.to_screen(reach)
        self.slider.set_reach(lower, upper)
        narrower = lower > self._ends[0] or upper < self._ends[1]
        self.field.set_limits(max(lower, self._ends[0]), min(upper, self._ends[1]), why if narrower else "")
        if self._shown is not None:
            self.field.set_at_limit(self.slider.at_limit != 0)

    def show_value(self, value: float, again: bool = False) -> None:
        """Show a value of the pose; costs nothing if it is the one shown, unless ``again``."""
        if value == self._shown and not again:
            return
        self._shown = value
        shown = self.to_screen(value)
        self.slider.set_value(shown)
        self.field.set_value(shown)
        self.field.set_at_limit(self.slider.at_limit != 0)

    # -- states --------------------------------------------------------------------------------------------------

    def set_in_chain(self, in_chain: bool) -> None:
        """Tint the row: its degree of freedom moves in the drag that is under way."""
        if in_chain != self._in_chain:
            self._in_chain = in_chain
            self.slider.set_lit(in_chain)
            self._ground()

    def set_selected(self, selected: bool) -> None:
        """Show that the row's joint is selected."""
        if selected != self._selected:
            self._selected = selected
            self._ground()

    def set_over(self, over: bool) -> None:
        """Show that the row's joint is under the pointer, here or in a view."""
        if over != self._over:
            self._over = over
            self._ground()

    def set_mark(self, mark: str, words: str = "") -> None:
        """Show that the joint follows a drag otherwise than usual: a few characters under the label, "" for none.

        Args:
            mark: What stands there.
            words: The same for the tooltip.
        """
        if mark != self._mark:
            self._mark = mark
            self.setToolTip(f"{self._limits_tip}\n{words}" if words else self._limits_tip)
            self.update()

    @property
    def mark(self) -> str:
        """What stands under the label."""
        return self._mark

    def set_blocked(self, blocked: bool) -> None:
        """Light the row: its limit keeps a drag from its goal."""
        if blocked != self._blocked:
            self._blocked = blocked
            self._ground()

    @property
    def blocked(self) -> bool:
        """Whether the row is lit because its limit keeps a drag from its goal."""
        return self._blocked

    @property
    def in_chain(self) -> bool:
        """Whether the row is tinted as part of the drag chain."""
        return self._in_chain

    @property
    def selected(self) -> bool:
        """Whether the row's joint is shown as selected."""
        return self._selected

    def _ground(self) -> None:
        if self._blocked:
            ground = style.mix("panel", "warn", 0.16)
        elif self._selected:
            ground = style.color("acc_bg")
        elif self._in_chain:
            ground = style.mix("panel", "acc_bg", 0.45)
        elif self._over:
            ground = style.mix("panel", "hover", 0.45)
        else:
            ground = style.color("panel")
        self._color = ground
        self.slider.set_ground(ground)
        self.field.set_ground(ground)
        self.update()

    def theme_changed(self) -> None:
        if hasattr(self, "_over"):
            self._ground()

    # -- layout and painting -------------------------------------------------------------------------------------

    @guarded
    def sizeHint(self) -> QSize:
        return QSize(260, style.ROW_HEIGHT)

    def place(self, y: int, wide: int, label_width: int) -> None:
        """Put the row into its column.

        Args:
            y: Its top, [px].
            wide: Its width, [px].
            label_width: Where the slider begins, the same in all rows, [px]; 0 for the usual share of the width.
        """
        if label_width != self._label_width:
            self._label_width = label_width
            self.resizeEvent(None)
        self.setGeometry(0, y, wide, style.ROW_HEIGHT)

    @guarded
    def resizeEvent(self, event: object) -> None:
        wide = self.width()
        split = max(self._label_width or round(wide * SPLIT), 84)
        field_left = wide - FIELD_RIGHT - FIELD_WIDTH
        self.slider.setGeometry(split, 0, max(field_left - split - 1, 2 * MARGIN + 24), style.ROW_HEIGHT)
        self.field.setGeometry(field_left, 0, FIELD_WIDTH, style.FIELD_HEIGHT)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        box = QRectF(self.rect())
        if self._selected or self._in_chain or self._over or self._blocked:
            fill_round(painter, box.adjusted(4, 0, -4, 0), self._color)
        if self._selected or self._blocked:
            bar = style.color("warn" if self._blocked else "accent")
            painter.fillRect(QRectF(4, 4, 2, box.height() - 8), bar)
        if self.icon:
            icons.paint(painter, self.icon, style.color("text2"), QRectF(ICON_LEFT, 6, 13, 13))
        painter.setFont(fonts.font())
        painter.setPen(style.color("warn" if self._blocked else "text"))
        room = QRectF(LABEL_LEFT, 3, self.slider.x() + 2 - LABEL_LEFT, 19)
        text = painter.fontMetrics().elidedText(self.caption, Qt.TextElideMode.ElideRight, int(room.width()) + 1)
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextDontClip, text)
        if self._mark:  # on the line of the limits
            icons.paint(painter, "spring", style.color("text3"), QRectF(LABEL_LEFT - 1, 19, 10, 10))
            painter.setFont(fonts.font(fonts.SMALL, tabular=True))
            painter.setPen(style.color("text3"))
            beside = QRectF(LABEL_LEFT + 12, 18, room.width() - 12, 13)
            painter.drawText(beside, Qt.AlignmentFlag.AlignVCenter, self._mark)
        painter.end()

    # -- pointer -------------------------------------------------------------------------------------------------

    @guarded
    def enterEvent(self, event: QEvent) -> None:
        self.hovered.emit(self, True)

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        self.hovered.emit(self, False)

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.label_clicked.emit(self, event.modifiers())
        else:
            event.ignore()

    @guarded
    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu_wanted.emit(self, event.globalPos())
