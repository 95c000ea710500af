"""The keyboard gets everywhere and out again: by Tab through the window and every dialog, and back by Esc."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QHeaderView,
    QLineEdit,
    QMenuBar,
    QScrollBar,
    QWidget,
)
from shiboken6 import isValid

from app.panels.library.tile import LibraryTile
from app.widgets.frames.dock import Tab
from tests.support.surfaces import MODES, SURFACES, prepare

_CONTROLS = (QAbstractButton, QAbstractItemView, QAbstractSlider, QAbstractSpinBox, QComboBox, QLineEdit)
_MOST = 600
"""No window has so many stops; whoever has not come round by then never will."""


def holder() -> QWidget | None:
    """Return what a key that is pressed now goes to."""
    popup = QApplication.activePopupWidget()
    return QApplication.focusWidget() if popup is None else popup.focusWidget() or popup


def stops(root: QWidget) -> list[QWidget]:
    """Return what Tab goes to in a window until it comes round, beginning with what it comes to first."""
    seen: list[QWidget] = []
    for _ in range(_MOST):
        at = holder()
        assert at is not None, f"Tab after {_named(seen[-1]) if seen else root} leads nowhere"
        QTest.keyClick(at, Qt.Key.Key_Tab)
        now = holder()
        if now is not None and now is not at and not seen:
            seen.append(now)
        elif now is seen[0] if seen else False:
            return seen
        elif now is not None and now not in seen:
            seen.append(now)
        elif now is at:
            continue  # from strip to strip within one widget
    raise AssertionError(f"Tab stays in {Counter(_named(each) for each in seen[-6:])}")


def _named(widget: QWidget) -> str:
    return f"{type(widget).__name__} “{widget.accessibleName()}”"


def controls(root: QWidget) -> list[QWidget]:
    """Return what is worked with in a window, as far as it can be seen and is enabled."""
    found = []
    for widget in root.findChildren(QWidget):
        if not isinstance(widget, _CONTROLS) or isinstance(widget, (QScrollBar, QHeaderView)):
            continue
        if not widget.isVisible() or not widget.isEnabled() or widget.objectName().startswith("qt_"):
            continue
        if isinstance(widget, Tab) and widget.alone:
            continue  # the title of a dock that has no other
        if widget.window() is root.window():
            found.append(widget)
    return found


def reached(widget: QWidget, by_tab: set[QWidget]) -> bool:
    """Return whether Tab gets to a control, or to what it is a part of: there the arrow keys go on."""
    at: QWidget | None = widget
    while at is not None and not at.isWindow():
        if at in by_tab:
            return True
        proxy = at.focusProxy()
        if proxy is not None and proxy in by_tab:
            return True
        if isinstance(at, LibraryTile) and any(isinstance(each, LibraryTile) for each in by_tab):
            return True  # the arrow keys go from one menu to the next
        inside = at.parentWidget()
        if inside is not None and any(each.parentWidget() is inside for each in by_tab if type(each) is type(at)):
            return True  # one of several alike, such as the segments of a bar, the radio rows or icons
        at = inside
    return False


def _picture(widget: QWidget) -> np.ndarray:
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    return np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine()).copy()


def shows_it(window, widget: QWidget) -> bool:
    """Return whether a widget looks different while it has the keyboard."""
    ground = widget if not isinstance(widget, QLineEdit) else widget.parentWidget() or widget
    window.area.setFocus()
    widget.clearFocus()
    QApplication.processEvents()
    before = _picture(ground)
    widget.setFocus(Qt.FocusReason.TabFocusReason)
    QApplication.processEvents()
    after = _picture(ground)
    return before.shape != after.shape or bool((before != after).any())


@pytest.mark.sampled(1)
@pytest.mark.parametrize("mode", MODES)
def test_tab_goes_through_the_whole_window_comes_round_and_can_be_followed_by_eye(window, mode):
    window.document.selection.set((5,))
    window.document.session.mode = mode
    QApplication.processEvents()
    window.area.work_view.setFocus()
    chain = stops(window)
    by_tab = set(chain)
    assert window.area.work_view in by_tab and any(window.toolbar.isAncestorOf(each) for each in by_tab)
    assert any(window.timeline.isAncestorOf(each) for each in by_tab) == (mode != "skeleton"), "there it rests"
    assert [_named(each) for each in controls(window) if not reached(each, by_tab)] == []
    assert [_named(each) for each in chain if not shows_it(window, each)] == []
    window.document.session.mode = "pose"


@pytest.mark.verify
def test_tab_goes_through_every_dialog_and_esc_leads_out_of_it(window, qtbot):
    prepare(window)
    for name, opened in SURFACES.items():
        window.activateWindow()
        window.area.work_view.setFocus()
        QApplication.processEvents()
        shown = opened(window)
        if shown.windowType() != Qt.WindowType.Popup:  # as whoever manages the windows of a desktop does
            shown.activateWindow()
            assert QTest.qWaitForWindowActive(shown)
        QApplication.processEvents()

        def has_keyboard(shown: QWidget = shown) -> bool:
            focus = holder()
            return focus is not None and (focus is shown or shown.isAncestorOf(focus))

        qtbot.waitUntil(has_keyboard)
        by_tab = set(stops(shown))
        assert not shown.isWindow() or all(each.window() is shown for each in by_tab), name
        lost = [_named(each) for each in controls(shown) if not reached(each, by_tab)]
        assert lost == (["QListView “Commands”"] if name == "command palette" else []), f"{name}: arrows go on there"
        if not has_keyboard():  # from a board Tab goes on to the window it stands in
            assert not shown.isWindow(), name
            controls(shown)[0].setFocus()
        for _ in range(3):  # a field that is being typed in gives up first
            if isValid(shown) and shown.isVisible():
                QTest.keyClick(holder() or shown, Qt.Key.Key_Escape)
                QApplication.processEvents()
        assert not isValid(shown) or not shown.isVisible(), f"Esc closes {name}"
        window.activateWindow()
        QApplication.processEvents()
        assert window.focusWidget() is not None and window.isAncestorOf(window.focusWidget()), name


def test_values_are_told_with_their_units_and_limits(window):
    """All that holds a number or a choice says it: by a value, a state, or text."""
    window.document.selection.set((5,))
    QApplication.processEvents()
    silent = []
    for widget in controls(window):
        heard = QAccessible.queryAccessibleInterface(widget)
        assert heard is not None, _named(widget)
        if isinstance(widget, QAbstractButton):
            state = heard.state()
            if widget.isCheckable() and not state.checkable:
                silent.append(_named(widget))
            continue
        if isinstance(widget, (QAbstractSlider, QAbstractSpinBox)):
            if heard.valueInterface() is None:
                silent.append(_named(widget))
        elif isinstance(widget, QComboBox) and heard.text(QAccessible.Text.Value) != widget.currentText():
            silent.append(_named(widget))
    assert silent == []
    spoken = [each for each in window.findChildren(QWidget) if hasattr(each, "spoken_value") and each.isVisible()]
    assert len(spoken) > 20
    for widget in spoken:
        heard = QAccessible.queryAccessibleInterface(widget)
        assert heard.text(QAccessible.Text.Value).strip() and heard.valueInterface() is not None, _named(widget)


def test_a_menu_gives_the_keyboard_back(window):
    window.area.work_view.setFocus()
    bar = window.menu
    assert isinstance(bar, QMenuBar)
    menu = window.menu._menus["Pose"]
    menu.popup(window.mapToGlobal(window.rect().center()))
    QApplication.processEvents()
    QTest.keyClick(menu, Qt.Key.Key_Escape)
    QApplication.processEvents()
    assert not menu.isVisible() and window.area.work_view.hasFocus()
