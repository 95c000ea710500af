"""The widgets: gestures, typing, clamping, keyboard, what assistive tools hear, and how they look in both themes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QAccessible, QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QHBoxLayout, QPushButton, QSizePolicy, QWidget

from app.look import fonts, icons, style
from app.look.theme import THEMES
from app.widgets.behaviour.gesture import ValueWidget
from app.widgets.fields.choice import Choice
from app.widgets.fields.number_field import NumberField
from app.widgets.fields.segment_bar import SegmentBar
from app.widgets.fields.slider import JointSlider
from app.widgets.fields.switch import Switch
from app.widgets.frames.error_line import ErrorLine
from app.widgets.frames.tool_button import ToolButton
from app.widgets.rows.group_header import GroupHeader
from app.widgets.rows.key_hints import KeyHints
from app.words.quantity import DEGREES, METRES, WHOLE, Quantity, typed_value
from core.errors import ExpressionError

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


class Log:
    """Writes down what a value widget tells."""

    def __init__(self, widget: ValueWidget):
        self.events: list[str] = []
        self.values: list[float] = []
        widget.began.connect(lambda: self.events.append("began"))
        widget.changed.connect(self._changed)
        widget.committed.connect(lambda _: self.events.append("committed"))
        widget.cancelled.connect(lambda: self.events.append("cancelled"))

    def _changed(self, value: float) -> None:
        self.values.append(value)
        if self.events[-1:] != ["changed"]:
            self.events.append("changed")


def shown(qtbot, widget: QWidget, width: int, height: int) -> QWidget:
    qtbot.addWidget(widget)
    widget.resize(width, height)
    with qtbot.waitExposed(widget):
        widget.show()
    widget.activateWindow()
    return widget


def move(widget: QWidget, x: float, modifiers=NONE, y: float = 12) -> None:
    from PySide6.QtGui import QMouseEvent

    at = QPointF(x, y)
    event = QMouseEvent(QEvent.Type.MouseMove, at, widget.mapToGlobal(at), Qt.MouseButton.NoButton, LEFT, modifiers)
    QApplication.sendEvent(widget, event)


def drag(widget: QWidget, start: float, *stops: float, modifiers=NONE, release: bool = True) -> None:
    QTest.mousePress(widget, LEFT, modifiers, QPoint(round(start), 12))
    for x in stops:
        move(widget, x, modifiers)
    if release:
        QTest.mouseRelease(widget, LEFT, modifiers, QPoint(round((stops or (start,))[-1]), 12))


@pytest.fixture
def slider(qtbot) -> JointSlider:
    made = JointSlider(DEGREES)
    made.set_range(-60.0, 180.0)
    made.setAccessibleName("Shoulder flex")
    made.set_value(0.0)
    return shown(qtbot, made, 134, 30)  # 120 px of track: 2 degrees a pixel


@pytest.fixture
def field(qtbot) -> NumberField:
    made = NumberField(DEGREES)
    made.set_limits(0.0, 150.0)
    made.setAccessibleName("Elbow flex")
    made.set_value(60.0)
    return shown(qtbot, made, 60, 24)


# -- slider ---------------------------------------------------------------------------------------------------------


def test_a_drag_of_the_handle_is_one_live_edit(slider):
    log = Log(slider)
    start = slider.position(0.0)
    drag(slider, start, start + 5, start + 10, start + 15)
    assert log.events == ["began", "changed", "committed"]
    assert log.values == pytest.approx([10.0, 20.0, 30.0], abs=1e-9)
    assert slider.value == log.values[-1]


def test_ctrl_drags_at_a_tenth(slider):
    start = slider.position(0.0)
    drag(slider, start, start + 20, modifiers=CTRL)
    assert slider.value == pytest.approx(4.0)


def test_the_handle_stops_at_the_limits_and_comes_back_with_the_cursor(slider):
    start = slider.position(0.0)
    drag(slider, start, start + 500, release=False)
    assert slider.value == 180.0
    assert slider.at_limit == 1
    move(slider, slider.position(180.0) - 10)
    assert slider.value == pytest.approx(160.0)
    move(slider, start - 500)
    assert slider.value == -60.0
    assert slider.at_limit == -1


def test_escape_restores_what_was_there_before_the_drag(slider):
    slider.set_value(20.0)
    log = Log(slider)
    start = slider.position(20.0)
    drag(slider, start, start + 30, release=False)
    assert slider.value != 20.0
    QTest.keyClick(slider, Qt.Key.Key_Escape)
    assert slider.value == 20.0
    QTest.mouseRelease(slider, LEFT, NONE, QPoint(100, 12))
    assert log.events == ["began", "changed", "cancelled"]


def test_a_click_on_the_track_changes_nothing_but_a_drag_from_there_does(slider):
    log = Log(slider)
    QTest.mouseClick(slider, LEFT, NONE, QPoint(100, 12))
    assert slider.value == 0.0
    assert log.events == []
    drag(slider, 100, 101)
    assert slider.value == pytest.approx(slider.value_at(101))


def test_double_click_goes_to_rest_in_one_edit(slider):
    slider.set_rest(30.0)
    log = Log(slider)
    QTest.mouseDClick(slider, LEFT, NONE, QPoint(100, 12))
    assert slider.value == 30.0
    assert log.events == ["began", "changed", "committed"]


def wheel(widget: QWidget, notches: int) -> bool:
    at = QPointF(20, 12)
    event = QWheelEvent(
        at,
        widget.mapToGlobal(at),
        QPoint(),
        QPoint(0, 120 * notches),
        Qt.MouseButton.NoButton,
        NONE,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(widget, event)
    return event.isAccepted()


@pytest.mark.parametrize("kind", ["slider", "field"])
def test_the_wheel_turns_only_with_focus(kind, request, qtbot):
    widget = request.getfixturevalue(kind)
    before = widget.value
    widget.clearFocus()
    assert not wheel(widget, 1)
    assert widget.value == before
    widget.setFocus()
    qtbot.waitUntil(widget.hasFocus)
    assert wheel(widget, 2)
    assert widget.value == pytest.approx(before + 2.0)


def test_the_wheel_that_scrolls_past_a_choice_leaves_it_alone(qtbot):
    holder, choice, other = QWidget(), Choice("Parent"), QPushButton("Other")
    choice.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
    row, picked = QHBoxLayout(holder), []
    row.addWidget(choice)
    row.addWidget(other)
    choice.show_rows([(number, f"Part {number}") for number in range(9)], 4)
    choice.picked.connect(picked.append)
    qtbot.addWidget(holder)
    with qtbot.waitExposed(holder):
        holder.show()
    holder.activateWindow()
    other.setFocus()
    qtbot.waitUntil(other.hasFocus)
    middle = QPointF(choice.mapTo(holder, choice.rect().center()))
    for _ in range(3):
        QTest.wheelEvent(holder.windowHandle(), middle, QPoint(0, -120))
    assert choice.chosen == 4 and not picked and other.hasFocus()
    choice.setFocus()
    qtbot.waitUntil(choice.hasFocus)
    QTest.wheelEvent(holder.windowHandle(), middle, QPoint(0, -120))
    assert picked == [5]


def test_a_held_arrow_key_is_one_edit(slider):
    slider.setFocus()
    log = Log(slider)
    QTest.keyPress(slider, Qt.Key.Key_Right)
    QTest.keyPress(slider, Qt.Key.Key_Right)
    QTest.keyPress(slider, Qt.Key.Key_Right, SHIFT)
    QTest.keyRelease(slider, Qt.Key.Key_Right)
    assert slider.value == pytest.approx(12.0)
    assert log.events == ["began", "changed", "committed"]


def test_home_and_end_go_to_the_limits(slider):
    QTest.keyClick(slider, Qt.Key.Key_Home)
    assert slider.value == -60.0
    QTest.keyClick(slider, Qt.Key.Key_End)
    assert slider.value == 180.0


def test_a_value_set_from_outside_is_silent(slider, field):
    for widget in (slider, field):
        log = Log(widget)
        widget.set_value(42.0)
        assert widget.value == 42.0
        assert log.events == []


# -- number field ---------------------------------------------------------------------------------------------------


def typed(field: NumberField, text: str, key=Qt.Key.Key_Return) -> None:
    QTest.mouseClick(field, LEFT, NONE, QPoint(20, 12))
    assert field.typing
    editor = field._editor
    editor.setText(text)
    QTest.keyClick(editor, key)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("90/2", 45.0),
        ("+5", 65.0),
        ("+=5", 65.0),
        ("-=5", 55.0),
        ("*2", 120.0),
        ("/2", 30.0),
        ("(10+20)*3", 90.0),
        ("12,5", 12.5),
        ("45°", 45.0),
        ("0.5 rad", 28.64788975654116),
        ("1/4 turn", 90.0),
        ("pi/2 rad", 90.0),
        ("20° * 2 + 5", 45.0),
        ("−−30", 30.0),
        ("pi", 3.141592653589793),
        ("2^3 + 2**3", 16.0),
        ("40 * sin(pi/6)", 20.0),
    ],
)
def test_arithmetic(field, text, value):
    log = Log(field)
    typed(field, text)
    assert field.value == pytest.approx(value)
    assert log.events == ["began", "changed", "committed"]
    assert not field.typing


@pytest.mark.parametrize(
    "text",
    ["", "  ", "abc", "1+", "2**", "1/0", "(1", "1)", "5 kg", "2° * 3°", "__import__('os')", "1e999", "3 4", "," * 3],
)
def test_bad_input_keeps_the_value_and_stays_open(field, qtbot, text):
    log = Log(field)
    with qtbot.waitSignal(field.refused) as reported:
        typed(field, text)
    assert "Elbow flex" in reported.args[0]
    assert field.value == 60.0
    assert field.typing
    assert field.warned
    assert log.events == []
    QTest.keyClick(field._editor, Qt.Key.Key_Escape)
    assert not field.typing
    assert field.value == 60.0


def test_out_of_range_is_clamped_and_says_the_range(field, qtbot):
    with qtbot.waitSignal(field.refused) as reported:
        typed(field, "400")
    assert field.value == 150.0
    assert reported.args[0] == "Elbow flex can be 0 to 150°"
    assert field.warned
    qtbot.waitUntil(lambda: not field.warned, timeout=2000)


def test_escape_restores_the_typed_value(field):
    log = Log(field)
    typed(field, "12", Qt.Key.Key_Escape)
    assert field.value == 60.0
    assert log.events == []


def test_opening_and_closing_does_not_round(field):
    field.set_value(33.3333333)
    log = Log(field)
    QTest.mouseClick(field, LEFT, NONE, QPoint(20, 12))
    QTest.keyClick(field._editor, Qt.Key.Key_Return)
    assert field.value == 33.3333333
    assert log.events == []


def test_dragging_sideways_has_a_dead_zone_and_is_one_edit(field):
    log = Log(field)
    drag(field, 20, 22, 23)
    assert log.events == []
    field._close_editor()
    drag(field, 20, 26, 34)
    assert field.value == pytest.approx(65.0)  # 14 px less 4 px of dead zone, 2 px a degree
    assert log.events == ["began", "changed", "committed"]
    drag(field, 20, 34, modifiers=SHIFT)
    assert field.value == pytest.approx(115.0)


def test_keys_of_a_field(field):
    field.setFocus()
    QTest.keyClick(field, Qt.Key.Key_Up)
    assert field.value == pytest.approx(61.0)
    QTest.keyClick(field, Qt.Key.Key_Down, CTRL)
    assert field.value == pytest.approx(60.9)
    QTest.keyClicks(field, "7")
    assert field.typing
    assert field._editor.text() == "7"


def test_whole_numbers_stay_whole(qtbot):
    field = NumberField(WHOLE)
    shown(qtbot, field, 60, 24)
    typed(field, "7/2")
    assert field.value == 4.0
    drag(field, 20, 31)
    assert field.value == round(field.value)


def test_number_texts():
    assert DEGREES.text(-18.54) == "−18.5°"
    assert DEGREES.text(-0.04) == "0.0°"
    assert METRES.text(0.3) == "0.300 m"
    assert DEGREES.short(-60.0) == "−60"
    assert Quantity("m/s²", 2).text(-9.81) == "−9.81 m/s²"
    assert METRES.read("30 cm + 5mm") == pytest.approx(0.305)


@pytest.mark.verify
@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.text(alphabet="0123456789.+-*/() eE,pi°", max_size=30))
def test_no_text_gets_more_than_a_number_or_a_reason(text):
    try:
        value = typed_value(text, {"°": 1.0}, 3.0)
    except ExpressionError as error:
        assert str(error)
    else:
        assert value == value and abs(value) != float("inf")


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.integers(-99, 99), st.integers(-99, 99), st.integers(1, 99), st.sampled_from("+-*/"), st.sampled_from("+-*/"))
def test_precedence_is_that_of_arithmetic(a, b, c, first, second):
    numbers = {"+": lambda x, y: x + y, "-": lambda x, y: x - y, "*": lambda x, y: x * y, "/": lambda x, y: x / y}
    b = b or 1
    if first in "+-" and second in "*/":
        wanted = numbers[first](a, numbers[second](b, c))
    else:
        wanted = numbers[second](numbers[first](a, b), c)
    assert typed_value(f"({a}) {first} ({b}) {second} {c}") == pytest.approx(wanted)


# -- others ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def bar(qtbot) -> SegmentBar:
    made = SegmentBar([("part", "Part"), ("limb", "Limb"), ("up_to", "Up to"), ("body", "Body")], name="Drag moves")
    return shown(qtbot, made, 260, 28)


def test_segment_bar_by_click_and_arrows(bar):
    chosen: list[str] = []
    bar.chosen.connect(chosen.append)
    QTest.mouseClick(bar.segment("up_to"), LEFT)
    assert bar.current == "up_to"
    segment = bar.segment("up_to")
    segment.setFocus()
    QTest.keyClick(segment, Qt.Key.Key_Right)
    assert bar.current == "body"
    QTest.keyClick(bar.segment("body"), Qt.Key.Key_Right)
    assert bar.current == "part"
    QTest.keyClick(bar.segment("part"), Qt.Key.Key_Left)
    assert chosen == ["up_to", "body", "part", "body"]
    bar.set_current("limb")
    assert chosen[-1] == "body"
    with pytest.raises(KeyError):
        bar.set_current("nothing")


def test_only_the_chosen_segment_is_a_tab_stop(bar):
    bar.set_current("limb")
    stops = [
        key for key in ("part", "limb", "up_to", "body") if bar.segment(key).focusPolicy() & Qt.FocusPolicy.TabFocus
    ]
    assert stops == ["limb"]


def test_switch_and_group_header(qtbot):
    switch = shown(qtbot, Switch("Ground contact"), 32, 24)
    QTest.mouseClick(switch, LEFT)
    assert switch.isChecked()
    QTest.keyClick(switch, Qt.Key.Key_Space)
    assert not switch.isChecked()
    header = shown(qtbot, GroupHeader("Spine", "6 DOF"), 200, 22)
    QTest.keyClick(header, Qt.Key.Key_Left)
    assert not header.isChecked()
    QTest.keyClick(header, Qt.Key.Key_Left)
    assert not header.isChecked()
    QTest.mouseClick(header, LEFT)
    assert header.isChecked()
    assert header.accessibleDescription() == "6 DOF, open"


def test_error_line_stays_until_read(qtbot):
    line = shown(qtbot, ErrorLine(), 600, 28)
    line.show_message("error", "walk.seq: line 3\nmore", undo=True)
    assert line.text == "walk.seq: line 3"
    assert line.details == "walk.seq: line 3\nmore"
    assert line.details_button.isVisible()
    with qtbot.waitSignal(line.undo_wanted):
        QTest.mouseClick(line.undo_button, LEFT)
    assert line.text == ""
    line.show_message("info", "Only a line")
    assert not line.details_button.isVisible()
    assert not line.undo_button.isVisible()
    with qtbot.waitSignal(line.closed):
        QTest.mouseClick(line.close_button, LEFT)
    assert not line.isVisible()


def test_what_assistive_tools_hear(slider, field, bar):
    heard = QAccessible.queryAccessibleInterface(slider)
    assert heard.role() == QAccessible.Role.Slider
    assert heard.text(QAccessible.Text.Name) == "Shoulder flex"
    slider.set_value(63.4)
    assert heard.text(QAccessible.Text.Value) == "63.4 degrees, −60 to 180"
    numbers = heard.valueInterface()
    assert (numbers.currentValue(), numbers.minimumValue(), numbers.maximumValue()) == (63.4, -60.0, 180.0)
    log = Log(slider)
    numbers.setCurrentValue(20.0)
    assert slider.value == 20.0
    assert log.events == ["began", "changed", "committed"]
    heard = QAccessible.queryAccessibleInterface(field)
    assert heard.role() == QAccessible.Role.SpinBox
    assert heard.text(QAccessible.Text.Value) == "60 degrees, 0 to 150"
    assert QAccessible.queryAccessibleInterface(bar.segment("limb")).text(QAccessible.Text.Name) == "Limb"


# -- look -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def dressed(qapp):
    """Dress the application in a theme; undress it after the test."""
    yield lambda name: style.apply(qapp, name)
    style.apply(qapp, "dark")
    qapp.setStyleSheet("")


@pytest.mark.parametrize("theme", sorted(THEMES))
def test_widgets_take_the_colours_of_the_theme(qtbot, dressed, theme):
    holder = QWidget()
    layout = QHBoxLayout(holder)
    slider = JointSlider(DEGREES)
    slider.set_range(0.0, 100.0)
    button = ToolButton("play", "Play", look="primary")
    push = QPushButton("Push")
    for widget in (slider, button, push):
        layout.addWidget(widget)
    shown(qtbot, holder, 420, 60)
    dressed(theme)
    slider.set_value(100.0)

    def colors(widget: QWidget) -> set[str]:
        image: QImage = widget.grab().toImage()
        return {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}

    tokens = THEMES[theme]
    assert tokens.warn in colors(slider)
    slider.set_value(50.0)
    assert tokens.warn not in colors(slider)
    assert {tokens.line2, tokens.text, tokens.text2} <= colors(slider)
    assert {tokens.accent} <= colors(button)
    assert tokens.raised in colors(push)


def test_every_icon_draws_something_in_its_colour():
    assert {"select", "drag", "rotate", "key", "autokey", "play", "hinge", "ball", "slide", "trash"} <= set(
        icons.names()
    )
    for name in icons.names():
        text = icons.svg(name, "#ff0000")
        assert "currentColor" not in text
        image = icons.pixmap(name, "#ff0000", 16, 2.0).toImage()
        assert (image.width(), image.height()) == (32, 32)
        inked = [image.pixelColor(x, y) for x in range(32) for y in range(32) if image.pixelColor(x, y).alpha() > 200]
        assert len(inked) > 8, name
        assert all(c.red() > 200 and c.green() < 40 for c in inked), name
    with pytest.raises(KeyError, match="no icon"):
        icons.svg("nothing", "#000000")


def test_the_bundled_font_is_used_with_figures_of_one_width(qapp):
    from PySide6.QtGui import QFontInfo, QFontMetricsF

    assert fonts.load() == "Inter"
    assert QFontInfo(fonts.font(12)).family() == "Inter"
    metrics = QFontMetricsF(fonts.font(12, tabular=True))
    assert len({round(metrics.horizontalAdvance(digit), 3) for digit in "0123456789"}) == 1


def test_key_hints_are_read_aloud(qtbot):
    hints = shown(qtbot, KeyHints(), 400, 26)
    hints.set_hints([("Ctrl", "fine"), ("X Y Z", "along an axis")])
    assert hints.accessibleName() == "Ctrl: fine; X Y Z: along an axis"
