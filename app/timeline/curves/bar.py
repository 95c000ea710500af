"""The bar over the curves: what is listed, which view, and the numbers of what is selected."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from PySide6.QtCore import QPoint
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QSizePolicy, QStackedWidget, QWidget

from app.look import style
from app.process.handler_guard import guarded
from app.timeline.curves.actions import TANGENTS, CurveActions, interpolation_menu, tangents_menu, titled
from app.timeline.curves.control_points import ControlPointView
from app.timeline.curves.ease import EasePopover
from app.timeline.curves.model import ROOT_SPEED, SPEED, TIMING, VALUE, CurvesModel
from app.timeline.curves.point_drag import SPEEDS, quantity_of, slope_quantity
from app.timeline.curves.root_speed import RootSpeedView
from app.timeline.curves.timing import TimingView
from app.timeline.curves.tools import tools_menu
from app.timeline.curves.weights import is_weighted
from app.timeline.reshape_board import ReshapePopover
from app.timeline.time_scale import NAMES_WIDTH
from app.widgets.behaviour.base import Filled
from app.widgets.fields.number_field import NumberField
from app.widgets.fields.refusals import report_refusals
from app.widgets.fields.segment_bar import SegmentBar
from app.widgets.frames.menu import add_action, pop_up
from app.widgets.frames.tool_button import MenuButton, ToolButton
from app.widgets.labels import quiet_label
from app.widgets.layouts import row_layout
from app.widgets.rows.upright_line import UprightLine
from app.words.ease_words import ease_name
from app.words.quantity import DEGREES, FRAME, NUMBER, Quantity
from core.skeleton.dof import LENGTH

HEIGHT = 32
VIEW_NAMES = ((VALUE, "Value"), (SPEED, "Speed"), (TIMING, "Timing"), (ROOT_SPEED, "Root speed"))
KIND_NAMES = {
    "auto": "Spline",
    "spline": "Overshooting",
    "linear": "Linear",
    "stepped": "Stepped",
    "catmull_rom": "Catmull-Rom",
    "centripetal": "Centripetal",
    "kochanek_bartels": "TCB",
    "free": "Custom tangents",
}
"""Short names of the kinds of filling a span, for the button."""
TCB_FIELDS = (("tension", "T", "Tension"), ("continuity", "C", "Continuity"), ("bias", "B", "Bias"))
PART_FRAME = Quantity("", 1, 1.0, "frame")


class _Page(QWidget):
    """Fields in a row, as many as there is room for; a button with three dots offers the menus and buttons that are
    left out.

    Attributes:
        more: That button.
        optional: What may be left out, the least needed first.
        titles: What menus are called among what is left out.
    """

    def __init__(self, parent: QWidget | None = None):
        super().__init__(parent)
        self.labels: list[QLabel] = []
        self.row = row_layout(self, spacing=4)
        self.more = ToolButton("more", tip="More", size=(24, style.BUTTON_HEIGHT), parent=self)
        self.more.clicked.connect(self._show_more)
        self.optional: list[Sequence[QWidget]] = []
        self.titles: dict[ToolButton, str] = {}

    def end(self) -> None:
        """Add what stands behind all fields."""
        self.row.addWidget(self.more)
        self.row.addStretch(1)

    def wanted(self, part: QWidget) -> bool:
        """Return whether a part is shown where there is room."""
        return True

    def fit(self, width: int) -> None:
        """Leave out what there is no room for in a width, [px]."""
        every = [part for parts in self.optional for part in parts]
        for part in every:
            part.setVisible(self.wanted(part))
        self.more.hide()
        for parts in self.optional:
            self.row.invalidate()  # at once: what was hidden just now is not to count
            if self.row.minimumSize().width() <= width:
                break
            for part in parts:
                part.hide()
            self.more.setVisible(bool(self._offered()))

    def _offered(self) -> list[ToolButton]:
        """Return the buttons that are left out."""
        every = (part for parts in self.optional for part in parts)
        return [part for part in every if isinstance(part, ToolButton) and part.isHidden() and self.wanted(part)]

    def more_menu(self) -> QMenu:
        """Return a menu of the buttons that are left out."""
        menu = QMenu(self)
        for button in reversed(self._offered()):
            inner = button.menu()
            if inner is None:
                add_action(menu, button.label or button.toolTip(), button.click, button.isEnabled())
            else:
                inner.setTitle(self.titles[button])
                inner.menuAction().setEnabled(button.isEnabled())
                menu.addMenu(inner)
        return menu

    def _show_more(self) -> None:
        pop_up(self.more_menu(), self.more.mapToGlobal(QPoint(0, self.more.height() + 2)))

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit(event.size().width())

    def field(self, label: str, name: str, quantity: Quantity, width: int, loose: bool = True) -> NumberField:
        """Add a number with a label before it; a ``loose`` label goes where there is no room."""
        field = NumberField(quantity, parent=self)
        field.setAccessibleName(name)
        field.setToolTip(name)
        field.setFixedWidth(width)
        text = self.last_label = quiet_label(label)
        if loose:
            self.labels.append(text)
        self.row.addWidget(text)
        self.row.addWidget(field)
        return field


class KeyPage(_Page):
    """Numbers and shape of the selected keys.

    Args:
        model: What the parts of the curve editor share.
        actions: What can be done with the keys.
        parent: Parent widget.
    """

    def __init__(self, model: CurvesModel, actions: CurveActions, parent: QWidget | None = None):
        super().__init__(parent)
        self.model, self.actions_of_keys = model, actions
        self.frame = self.field("Frame", "Frame of the key", FRAME, 42)
        self.frame.set_limits(0.0, 1e6)
        self.value = self.field("Value", "Value of the key", DEGREES, 60)
        self.slope = self.field("Slope", "Slope of the curve at the key", slope_quantity_any(), 74)
        self._slope_label = self.labels[-1]
        self.tcb: dict[str, NumberField] = {}
        self._tcb_parts: list[QWidget] = []
        for key, letter, name in TCB_FIELDS:
            field = self.field(letter, name, NUMBER, 46, loose=False)
            field.set_limits(-10.0, 10.0)
            self.tcb[key] = field
            self._tcb_parts += [self.last_label, field]
            self._live(field, f"Set {key}", partial(self._show_tcb, key))
        self.kind = self._menu_button(
            "Spline", "Interpolation", "How the span after the key is interpolated", interpolation_menu
        )
        self.tangents = self._menu_button("Automatic", "Tangents", "Tangents at the key", tangents_menu)
        self.ease = MenuButton("Even", "Ease: timing within the span after the key", self)
        self.popover = EasePopover(actions, self)
        self.ease.clicked.connect(lambda: self.popover.open_over(self.more if self.ease.isHidden() else self.ease))
        self.row.addWidget(self.ease)
        self.reshape = ReshapePopover(actions, self)
        self.tools = self._menu_button(
            "Tools", "Tools", "Many keys, cycles, kept curves, box and view", self._fill_tools
        )
        self.end()
        self._tcb = False
        self.optional = [
            self.labels, (self.tangents,), (self.slope,), (self.tools,), (self.kind,), (self.ease,), self._tcb_parts,
            (self.frame,), (self.value,),
        ]  # fmt: skip
        self.frame.committed.connect(lambda value: actions.set_frame(int(value)))
        self._live(self.value, "Set value", actions.show_value)
        self._live(self.slope, "Set tangent", self._show_slope)
        model.points_changed.connect(self.refresh)

    def _fill_tools(self, actions: CurveActions, menu: QMenu) -> None:
        tools_menu(actions, menu, lambda: self.reshape.open_over(self.more if self.tools.isHidden() else self.tools))

    def _show_tcb(self, name: str, value: float) -> None:
        self.actions_of_keys.show_shape(**{name: value})

    def _menu_button(self, text: str, title: str, tip: str, fill: Callable[[CurveActions, QMenu], None]) -> MenuButton:
        button = MenuButton(text, tip, self)
        self.titles[button] = title
        menu = QMenu(button)

        def show() -> None:
            menu.clear()
            fill(self.actions_of_keys, menu)

        menu.aboutToShow.connect(show)
        button.setMenu(menu)
        self.row.addWidget(button)
        return button

    def _live(self, field: NumberField, text: str, show: Callable[[float], None]) -> None:
        field.began.connect(lambda: self.actions_of_keys.begin(text))
        field.changed.connect(show)
        field.committed.connect(lambda _: self.actions_of_keys.end(True))
        field.cancelled.connect(lambda: self.actions_of_keys.end(False))
        report_refusals(field, self.model.document.say)

    def _show_slope(self, value: float) -> None:
        primary, sequence = self.model.primary, self.model.sequence
        if primary is None or sequence is None:
            return
        if self.model.view == SPEED:
            value *= primary.row.factor / primary.row.speed_factor / sequence.fps
        self.actions_of_keys.show_slope(value)

    def wanted(self, part: QWidget) -> bool:
        if part in self._tcb_parts:
            return self._tcb
        return not (self._tcb and part in (self.slope, self._slope_label, self.tangents))

    def refresh(self) -> None:
        """Show the key that was selected last."""
        if self.model.view not in (VALUE, SPEED):
            return
        primary = self.model.primary
        shape = None if primary is None else self.model.shape(primary)
        some = primary is not None and shape is not None
        for field in (self.frame, self.value, self.slope, self.kind, self.tangents, self.ease, *self.tcb.values()):
            field.setEnabled(some)
        tcb = primary is not None and shape is not None and shape.interp == "kochanek_bartels"
        texts = ["Spline", "Automatic", "Ease: even"]
        if shape is not None:
            texts[0] = KIND_NAMES[shape.interp] + (" · turns" if shape.turns else "")
            texts[1] = TANGENTS.get(self.actions_of_keys.tangents, "Automatic").partition(" to ")[0]
            if shape.ease is not None:
                texts[2] = "Weighted" if is_weighted(shape) else titled(ease_name(shape.ease.title))
        buttons = (self.kind, self.tangents, self.ease)
        if tcb != self._tcb or texts != [button.label for button in buttons]:
            self._tcb = tcb
            for button, text in zip(buttons, texts, strict=True):
                button.set_label(text)
            self.fit(self.width())
        if primary is None or shape is None:
            return
        self._show_numbers()
        for key, field in self.tcb.items():
            if not field.editing:
                field.set_value(getattr(shape, key))
        if self.popover.isVisible() and not self.model.dragging:
            self.popover.show_keys()

    def _show_numbers(self) -> None:
        primary, sequence = self.model.primary, self.model.sequence
        if primary is None or sequence is None:
            return
        row, frames = primary.row, np.array([primary.frame], dtype=np.int64)
        if not self.frame.editing:
            self.frame.set_value(float(primary.frame))
        if not self.value.editing:
            self.value.quantity = quantity_of(row)
            self.value.set_value(float(self.model.key_values(row, frames)[0]))
            self.value.set_limits(row.lower, row.upper)
            self.value.setAccessibleName(row.name)
            self.value.update()
        if not self.slope.editing and self.slope.isVisibleTo(self):
            slopes = self.model.samples.slopes(self.model.motion, row, frames)
            every = self.model.key_frames(row)
            last = primary.frame == every[-1]
            rate = float((slopes.come if last else slopes.leave)[0]) / self.model.steepness(primary)[0 if last else 1]
            speed = self.model.view == SPEED
            self.slope.quantity = quantity_of(row, True) if speed else slope_quantity(row)
            self.slope.set_value(rate * (sequence.fps * row.speed_factor if speed else row.factor))
            self.slope.update()


def slope_quantity_any() -> Quantity:
    """Return the quantity of a slope before anything is selected."""
    return Quantity("°/f", 2, 0.1, "degrees per frame")


class _PointPage(_Page):
    """Numbers of the selected point of a curve.

    Args:
        model: What the parts of the curve editor share.
        view: The curve.
        name: Name of the view that the page belongs to.
        parent: Parent widget.
    """

    def __init__(self, model: CurvesModel, view: ControlPointView, name: str, parent: QWidget | None = None):
        super().__init__(parent)
        self.model, self.view = model, view
        self._name = name
        self._buttons: list[ToolButton] = []
        self._fields: list[NumberField] = []
        model.points_changed.connect(self.refresh)

    def number(self, label: str, name: str, quantity: Quantity, width: int) -> NumberField:
        """Add a number of the point: first its frame, then its value."""
        field = self.field(label, name, quantity, width)
        key = "value" if self._fields else "frame"
        field.committed.connect(lambda value: self.view.set_chosen(**{key: value}))
        self._fields.append(field)
        return field

    def button(self, icon: str, text: str, tip: str, do: Callable[[], object]) -> ToolButton:
        """Add a button."""
        button = ToolButton(icon, text, tip, "raised", parent=self)
        button.clicked.connect(lambda: do())
        self.row.addWidget(button)
        self._buttons.append(button)
        return button

    def end(self) -> None:
        super().end()
        fields = [(field,) for field in self._fields]
        self.optional = [self.labels, *((button,) for button in reversed(self._buttons)), *fields]

    def refresh(self) -> None:
        """Show the selected point."""
        if self.model.view == self._name:
            self.show_point(None if self.view.empty_text() else self.view.chosen_point)

    def show_point(self, point: tuple[float, float] | None) -> None:
        """Show a point, or that none is selected."""
        for i, field in enumerate(self._fields):
            field.setEnabled(point is not None)
            if point is not None and not field.editing:
                field.set_value(point[i])


class TimingPage(_PointPage):
    """Numbers of a point of a timing curve."""

    def __init__(self, model: CurvesModel, view: TimingView, parent: QWidget | None = None):
        super().__init__(model, view, TIMING, parent)
        self.frame = self.number("Frame", "Frame that is shown", PART_FRAME, 58)
        self.at = self.number("shows", "Frame of the path", PART_FRAME, 58)
        self.add = self.button("plus", "Add point", "Add a point at the current frame", self._add)
        self.reset = self.button("", "Reset", "Let time run as keyed", view.reset)
        self.end()

    def _add(self) -> None:
        self.view.add_point(self.model.document.frame)

    def show_point(self, point: tuple[float, float] | None) -> None:
        super().show_point(point)
        self.reset.setEnabled(self.view.curve is not None)


class RootSpeedPage(_PointPage):
    """Numbers of a point of a speed curve."""

    def __init__(self, model: CurvesModel, view: RootSpeedView, parent: QWidget | None = None):
        super().__init__(model, view, ROOT_SPEED, parent)
        self.frame = self.number("Frame", "Frame of the point", PART_FRAME, 58)
        self.speed = self.number("Speed", "Speed at the point", SPEEDS[LENGTH], 78)
        self.speed.set_limits(0.0, 1e3)
        self.constant = self.button("", "Constant speed", "Travel the path at one speed", view.constant)
        self.clear = self.button("", "As keyed", "Travel the path as keyed", view.clear)
        self.end()

    def show_point(self, point: tuple[float, float] | None) -> None:
        super().show_point(point)
        self.constant.setEnabled(not self.view.empty_text())
        self.clear.setEnabled(self.view.curve is not None)


class CurvesBar(Filled):
    """The bar.

    Args:
        model: What the parts of the curve editor share.
        timing: The view of timing.
        root_speed: The view of the root's speed.
    """

    def __init__(self, model: CurvesModel, timing: TimingView, root_speed: RootSpeedView):
        super().__init__()
        self.model = model
        self.setFixedHeight(HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.actions_of_keys = CurveActions(model)
        row = row_layout(self, (0, 0, 8, 0))
        holder = QWidget()
        holder.setFixedWidth(NAMES_WIDTH - 1)
        inside = QHBoxLayout(holder)
        inside.setContentsMargins(8, 0, 4, 0)
        self.scope = SegmentBar((("selected", "Selected"), ("all", "All")), name="Which curves are listed")
        self.scope.set_tight(True)
        self.scope.segment("selected").setToolTip("Curves of the selected parts")
        self.scope.segment("all").setToolTip("Curves of the whole figure, in groups")
        inside.addWidget(self.scope)
        inside.addStretch(1)
        row.addWidget(holder)
        row.addWidget(UprightLine(HEIGHT, 0))
        row.addSpacing(8)
        self.views = SegmentBar(VIEW_NAMES, name="What the curves show")
        self.views.set_tight(True)
        row.addWidget(self.views)
        row.addSpacing(10)
        self.pages = QStackedWidget(self)
        self.keys = KeyPage(model, self.actions_of_keys, self.pages)
        self.timing = TimingPage(model, timing, self.pages)
        self.root_speed = RootSpeedPage(model, root_speed, self.pages)
        self.pages.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        for page in (self.keys, self.timing, self.root_speed):
            self.pages.addWidget(page)
        row.addWidget(self.pages, 1)
        self.scope.chosen.connect(lambda key: model.set_every(key == "all"))
        self.views.chosen.connect(model.set_view)
        model.view_changed.connect(self.show_view)
        self.show_view()

    def show_view(self) -> None:
        """Show the fields of the view that is shown."""
        view = self.model.view
        self.views.set_current(view)
        page = self.timing if view == TIMING else self.root_speed if view == ROOT_SPEED else self.keys
        self.pages.setCurrentWidget(page)
        self.scope.setEnabled(view != ROOT_SPEED)
        page.refresh()
