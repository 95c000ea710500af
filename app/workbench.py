"""Between toolbar and status line: docks, work area and timeline, with an even gap between them all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QDockWidget,
    QHBoxLayout,
    QMainWindow,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app import style
from app.widgets.base import Painted, fill_round
from app.widgets.corners import Corners
from app.widgets.dock import Panel, TitleStrip
from app.widgets.tool_button import ToolButton

if TYPE_CHECKING:
    from app.timeline.panel import TimelinePanel

DOCK_WIDTH = 260
WIDTHS = {"left": DOCK_WIDTH, "right": 296}
RAIL_WIDTH = 36
LAYOUT_VERSION = 5  # layouts kept by another version do not fit
TIMELINE_SHARE = 0.4  # of the height, at most
_AREAS = {"left": Qt.DockWidgetArea.LeftDockWidgetArea, "right": Qt.DockWidgetArea.RightDockWidgetArea}


def _focus_chain(widget: QWidget) -> list[QWidget]:
    """Return what can be reached by Tab, in the order in which it is, beginning after ``widget``."""
    chain, at = [], widget.nextInFocusChain()
    while at is not None and at is not widget:
        if at.focusPolicy() & Qt.FocusPolicy.TabFocus:
            chain.append(at)
        at = at.nextInFocusChain()
    return chain


class Rail(Painted):
    """The docks as icons at the edge, for windows too narrow to keep them open; a click opens and closes one."""

    panel_wanted = Signal(object)

    def __init__(self, docks: Sequence[QDockWidget], panels: Sequence[Panel]):
        super().__init__()
        self.setFixedWidth(RAIL_WIDTH)
        self.setAccessibleName("Panels")
        column = QVBoxLayout(self)
        column.setContentsMargins(4, 4, 4, 4)
        column.setSpacing(4)
        self._buttons: list[tuple[ToolButton, Panel]] = []
        for dock, panel in zip(docks, panels, strict=True):
            button = ToolButton(panel.icon, tip=panel.title, size=(28, 28))
            if panel.beside:
                button.clicked.connect(lambda _=False, panel=panel: self.panel_wanted.emit(panel))
            else:
                button.set_action(dock.toggleViewAction())
            self._buttons.append((button, panel))
            column.addWidget(button)
        column.addStretch(1)

    def show_mode(self, mode: str) -> None:
        """Show the buttons of the panels that a mode has."""
        for button, panel in self._buttons:
            button.setVisible(mode in panel.modes)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        fill_round(painter, self.rect().toRectF(), style.color("panel"))
        painter.end()


class _Board(QMainWindow):
    """The part of the workbench that Qt arranges docks in."""

    shown = Signal()

    def __init__(self) -> None:
        super().__init__(None, Qt.WindowType.Widget)
        self.setDockOptions(
            QMainWindow.DockOption.AnimatedDocks
            | QMainWindow.DockOption.AllowNestedDocks
            | QMainWindow.DockOption.AllowTabbedDocks
        )

    def createPopupMenu(self) -> None:  # type: ignore[override]
        """Offer no menu of docks on a right click; the View menu has them."""


class Workbench(QWidget):
    """Docks left and right, the work area over the timeline in the middle.

    Args:
        area: The views.
        timeline: The timeline.
        panels: What stands in the docks, in order.
    """

    def __init__(self, area: QWidget, timeline: TimelinePanel, panels: Sequence[Panel]):
        super().__init__()
        self.setObjectName("workbench")
        self.area, self.timeline, self.panels = area, timeline, list(panels)
        self._board = _Board()
        self.splitter = QSplitter(Qt.Orientation.Vertical)
        self.splitter.addWidget(area)
        self.splitter.addWidget(timeline)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.setHandleWidth(style.GAP)
        self.splitter.setStretchFactor(0, 1)
        self.splitter.setStretchFactor(1, 0)
        self.splitter.splitterMoved.connect(self._moved_by_hand)
        Corners(timeline)
        self._board.setCentralWidget(self.splitter)
        self.docks: list[QDockWidget] = []
        for panel in self.panels:
            self._add_dock(panel)
        # What shares a dock stands beside the one that the dock is named after.
        ordered = [each for first in self._firsts for each in (first, *self._beside(first))]
        self.rail = Rail([self.dock_of(panel) for panel in ordered], ordered)
        self.rail.panel_wanted.connect(self.show_panel)
        self.rail.hide()
        row = QHBoxLayout(self)
        row.setContentsMargins(style.GAP, style.GAP, style.GAP, style.GAP)
        row.setSpacing(style.GAP)
        row.addWidget(self.rail)
        row.addWidget(self._board, 1)
        self._order_tabs()
        self._folded = False
        self._kept: list[QDockWidget] = []
        self._by_hand = False
        self._mode = "pose"
        self._closed: set[QDockWidget] = set()  # by hand, in the mode they belong to
        self._show_docks()
        self._widths = dict(WIDTHS)
        self._widen(self.docks)
        self._default = self._board.saveState(LAYOUT_VERSION)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._light_titles)

    def _add_dock(self, panel: Panel) -> None:
        shared = next((dock for dock in self.docks if panel.beside and dock.windowTitle() == panel.beside), None)
        if shared is not None:
            self._add_tab(shared, panel)
            return
        dock = QDockWidget(panel.title, self._board)
        dock.setObjectName(f"dock {panel.title}")
        panel.home = self.area
        strip = TitleStrip([panel.title])
        strip.set_buttons(panel.title_buttons())
        strip.set_note(panel.title_note())
        dock.setTitleBarWidget(strip)
        if not panel.stretch:  # its own height and not a pixel more; the others share what is left
            panel.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        dock.setWidget(panel)
        bottom = Corners(panel, ("bottom left", "bottom right"))
        dock.topLevelChanged.connect(lambda floats: bottom.set_shown(not floats))
        self._board.addDockWidget(_AREAS[panel.area], dock)
        self.docks.append(dock)

    def _add_tab(self, dock: QDockWidget, panel: Panel) -> None:
        """Let a panel share a dock with the one that is in it, one of them seen at a time."""
        panel.home = self.area
        strip, stack = dock.titleBarWidget(), dock.widget()
        assert isinstance(strip, TitleStrip)
        if not isinstance(stack, QStackedWidget):
            first, stack = stack, QStackedWidget()
            stack.addWidget(first)
            dock.setWidget(stack)
            strip.chosen.connect(lambda number: self._show_tab(dock, number))
        strip.add(panel.title)
        stack.addWidget(panel)
        bottom = Corners(panel, ("bottom left", "bottom right"))
        dock.topLevelChanged.connect(lambda floats: bottom.set_shown(not floats))

    def _show_tab(self, dock: QDockWidget, number: int) -> None:
        strip, stack = dock.titleBarWidget(), dock.widget()
        if isinstance(strip, TitleStrip) and isinstance(stack, QStackedWidget):
            stack.setCurrentIndex(number)
            panel = stack.currentWidget()
            assert isinstance(panel, Panel)
            strip.set_current(number)
            strip.set_buttons(panel.title_buttons())
            strip.set_note(panel.title_note())

    def dock_of(self, panel: Panel) -> QDockWidget:
        """Return the dock that a panel stands in, alone or as a tab."""
        title = panel.beside or panel.title
        return next(dock for dock in self.docks if dock.windowTitle() == title)

    @property
    def _firsts(self) -> list[Panel]:
        """The panel that each dock is named after, in the order of the docks."""
        return [panel for panel in self.panels if not panel.beside]

    def _beside(self, first: Panel) -> list[Panel]:
        return [panel for panel in self.panels if panel.beside == first.title]

    def show_panel(self, panel: Panel) -> None:
        """Open the dock of a panel, on its tab if it shares the dock, and give the panel the keyboard."""
        dock = self.dock_of(panel)
        stack = dock.widget()
        if isinstance(stack, QStackedWidget):
            self._show_tab(dock, stack.indexOf(panel))
        dock.show()
        dock.raise_()
        panel.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _order_tabs(self) -> None:
        """Let Tab go through a dock's title strip and then its panel before it goes on to the next dock."""
        before: QWidget | None = None
        chain = _focus_chain(self)
        for dock in self.docks:
            for part in (dock.titleBarWidget(), dock.widget()):
                inside = [each for each in chain if part is not None and part.isAncestorOf(each)]
                for widget in inside:
                    if before is not None:
                        QWidget.setTabOrder(before, widget)
                    before = widget

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(event.rect(), style.color("win"))
        painter.end()

    def _light_titles(self, before: QWidget | None, now: QWidget | None) -> None:
        """Light the title of the panel that the keyboard is in."""
        for dock in self.docks:
            strip = dock.titleBarWidget()
            if isinstance(strip, TitleStrip):
                strip.set_lit(now is not None and dock.isAncestorOf(now))

    # -- heights ----------------------------------------------------------------------------------------------------

    def _moved_by_hand(self) -> None:
        self._by_hand = True

    def fit_timeline(self) -> None:
        """Give the timeline the height of its rows, as far as there is room; not once a person has set it."""
        height = self.splitter.height() - self.splitter.handleWidth()
        if self._by_hand or height < 100:
            return
        room = min(height * TIMELINE_SHARE, height - self.area.minimumSizeHint().height())
        lower = self.timeline.height_within(int(room))
        self.splitter.setSizes([height - lower, lower])

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.fit_timeline()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._board.layout().activate()
        self.fit_timeline()

    # -- modes ------------------------------------------------------------------------------------------------------

    def _here(self) -> list[QDockWidget]:
        """Return the docks that the mode has."""
        return [dock for dock, panel in zip(self.docks, self._firsts, strict=True) if self._mode in panel.modes]

    def _show_docks(self) -> None:
        here = self._here()
        for dock in self.docks:
            dock.toggleViewAction().setVisible(dock in here)
            if dock not in here:
                dock.hide()
            elif dock not in self._closed:
                dock.show()
        self.rail.show_mode(self._mode)

    def _widen(self, docks: Sequence[QDockWidget]) -> None:
        """Give docks the width of their side."""
        panels = self._firsts
        widths = [self._widths[panels[self.docks.index(dock)].area] for dock in docks]
        self._board.resizeDocks(list(docks), widths, Qt.Orientation.Horizontal)

    def set_mode(self, mode: str) -> None:
        """Show the docks of another mode of the window; what a person has closed stays closed."""
        if mode == self._mode:
            return
        folded = self._folded
        self.set_folded(False)
        here = self._here()
        self._closed -= set(here)
        self._closed |= {dock for dock in here if dock.isHidden()}
        for dock, panel in zip(self.docks, self._firsts, strict=True):
            if dock in here and not dock.isHidden() and not dock.isFloating():
                self._widths[panel.area] = dock.width()
        self._mode = mode
        self._show_docks()
        self._widen([dock for dock in self._here() if not dock.isHidden()])
        self.set_folded(folded)

    # -- folding ----------------------------------------------------------------------------------------------------

    @property
    def folded(self) -> bool:
        """Whether the docks are reduced to a rail."""
        return self._folded

    def set_folded(self, folded: bool) -> None:
        """Close the docks and show the rail, or open again what stood open."""
        if folded == self._folded:
            return
        self._folded = folded
        if folded:
            self._kept = [dock for dock in self.docks if not dock.isHidden() and not dock.isFloating()]
            for dock in self._kept:
                dock.hide()
        else:
            for dock in self._kept:
                dock.show()
        self.rail.setVisible(folded)

    # -- layouts ----------------------------------------------------------------------------------------------------

    def layout_state(self) -> tuple[QByteArray, QByteArray]:
        """Return what ``restore_layout`` takes: docks and splitter, as in pose mode with nothing folded."""
        self.set_mode("pose")
        hidden = [dock for dock in self._kept if dock.isHidden()] if self._folded else []
        for dock in hidden:
            dock.show()
        state = self._board.saveState(LAYOUT_VERSION)
        for dock in hidden:
            dock.hide()
        return state, self.splitter.saveState() if self._by_hand else QByteArray()

    def restore_layout(self, docks: QByteArray, splitter: QByteArray) -> None:
        """Take back what ``layout_state`` returned; what does not fit is passed over."""
        if not docks.isEmpty():
            self._board.restoreState(docks, LAYOUT_VERSION)
            self._closed = {dock for dock in self._here() if dock.isHidden()}
            self._show_docks()
        if not splitter.isEmpty():
            self._by_hand = self.splitter.restoreState(splitter)

    def reset(self) -> None:
        """Put docks and sizes back as they were at first."""
        folded = self._folded
        self.set_folded(False)
        mode, self._mode = self._mode, "pose"
        self._closed.clear()
        self._board.restoreState(self._default, LAYOUT_VERSION)
        for dock in self.docks:
            dock.setFloating(False)
        self._show_docks()
        self.set_mode(mode)
        self._by_hand = False
        self.set_folded(folded)
        self.fit_timeline()
