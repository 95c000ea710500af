"""Between toolbar and status line: docks, work area and timeline, with an even gap between them all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QApplication,
    QDockWidget,
    QHBoxLayout,
    QMainWindow,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QWidget,
)

from app.look import style
from app.process.handler_guard import guarded
from app.widgets.behaviour.focus_chain import focus_chain
from app.widgets.frames.corners import Corners
from app.widgets.frames.dock import Panel, TitleStrip
from app.widgets.layouts import layout_of
from app.window.rail import Rail

if TYPE_CHECKING:
    from app.document.document import Document
    from app.timeline.panel import TimelinePanel
    from app.views.area import ViewportArea

DOCK_WIDTH = 260
WIDTHS = {"left": DOCK_WIDTH, "right": 296}
LAYOUT_VERSION = 5  # layouts kept by another version do not fit
TIMELINE_SHARE = 0.4  # of the height, at most
_AREAS = {"left": Qt.DockWidgetArea.LeftDockWidgetArea, "right": Qt.DockWidgetArea.RightDockWidgetArea}


class _Board(QMainWindow):
    """The part of the workbench that Qt arranges docks in."""

    let_go = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowFlags(Qt.WindowType.Widget)  # Qt makes every main window a window of its own
        self.setDockOptions(
            QMainWindow.DockOption.AnimatedDocks
            | QMainWindow.DockOption.AllowNestedDocks
            | QMainWindow.DockOption.AllowTabbedDocks
        )

    @guarded
    def event(self, event: QEvent) -> bool:
        """Tell when a border between docks has been dragged: Qt takes these events before any handler."""
        done = super().event(event)
        if event.type() == QEvent.Type.MouseButtonRelease:
            self.let_go.emit()
        return done

    @guarded
    def createPopupMenu(self) -> None:
        """Offer no menu of docks on a right click; the View menu has them."""


class Workbench(QWidget):
    """Docks left and right, the work area over the timeline in the middle.

    It makes each part where it stays: whenever a part gets another parent, Qt works out its style and that of all that
    is in it again.

    Args:
        make_area: Makes the views, in a parent.
        make_timeline: Makes the timeline, in a parent.
        kinds: Kinds of panels that stand in the docks, in order.
        document: What the panels show.
        parent: Parent widget.

    Attributes:
        area: The views.
        timeline: The timeline.
        panels: The panels, in order.
        docks: Their docks, of which panels may share one.
    """

    def __init__(
        self,
        make_area: Callable[[QWidget], ViewportArea],
        make_timeline: Callable[[QWidget], TimelinePanel],
        kinds: Sequence[type[Panel]],
        document: Document,
        parent: QWidget,
    ):
        super().__init__(parent)
        self.setObjectName("workbench")
        # What shares a dock stands beside the one that the dock is named after.
        titles = [kind.title for kind in kinds if not kind.beside]
        self.rail = Rail(sorted(kinds, key=lambda kind: titles.index(kind.beside or kind.title)), self)
        self.rail.clicked.connect(self._toggle_panel)
        self.rail.hide()
        self._board = _Board(self)
        self._board.let_go.connect(self._note_sizes)
        self.splitter = QSplitter(Qt.Orientation.Vertical, self._board)
        self.area, self.timeline = make_area(self.splitter), make_timeline(self.splitter)
        for part in (self.area, self.timeline):
            self.splitter.addWidget(part)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.setHandleWidth(style.GAP)
        self.splitter.setStretchFactor(0, 1)
        self.splitter.setStretchFactor(1, 0)
        self.splitter.splitterMoved.connect(self._border_dragged)
        Corners(self.timeline)
        self._board.setCentralWidget(self.splitter)
        self.docks: list[QDockWidget] = []
        self.panels = [self._add_panel(kind, document) for kind in kinds]
        for dock in self.docks:
            dock.visibilityChanged.connect(self._light_rail)
        row = QHBoxLayout(self)
        row.setContentsMargins(style.GAP, style.GAP, style.GAP, style.GAP)
        row.setSpacing(style.GAP)
        row.addWidget(self.rail)
        row.addWidget(self._board, 1)
        self._order_tabs()
        self._folded = False
        self._kept: list[QDockWidget] = []
        self._dragged = False
        self._mode = "pose"
        self._closed: set[QDockWidget] = set()  # by hand, in the mode they belong to
        self._opened: dict[str, list[QDockWidget]] = {}  # from the rail, by the mode they were opened in
        self._show_docks()
        self._widths = dict(WIDTHS)
        self._heights: dict[QDockWidget, int] = {}
        self._widen(self.docks)
        self._default = self._board.saveState(LAYOUT_VERSION)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._light_titles)

    def _add_panel(self, kind: type[Panel], document: Document) -> Panel:
        """Make a panel, in a dock of its own or beside the one it shares a dock with."""
        shared = next((dock for dock in self.docks if kind.beside and dock.windowTitle() == kind.beside), None)
        dock = shared or QDockWidget(kind.title, self._board)
        panel = kind(document, dock if shared is None else self._stack(shared))
        panel.home = self.area
        if shared is None:
            self._fill_dock(dock, panel)
        else:
            self._add_tab(dock, panel)
        bottom = Corners(panel, ("bottom left", "bottom right"))
        dock.topLevelChanged.connect(lambda floats: bottom.set_shown(not floats))
        return panel

    def _fill_dock(self, dock: QDockWidget, panel: Panel) -> None:
        dock.setObjectName(f"dock {panel.title}")
        strip = TitleStrip([panel.title], dock)
        strip.set_buttons(panel.title_buttons())
        strip.set_note(panel.title_note())
        dock.setTitleBarWidget(strip)
        if not panel.stretch:  # its own height and not a pixel more; the others share what is left
            panel.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        dock.setWidget(panel)
        self._board.addDockWidget(_AREAS[panel.area], dock)
        self.docks.append(dock)

    def _stack(self, dock: QDockWidget) -> QStackedWidget:
        """Return what holds the panels that share a dock, one of them seen at a time."""
        inside = dock.widget()
        if isinstance(inside, QStackedWidget):
            return inside
        stack = QStackedWidget(dock)
        stack.addWidget(inside)
        dock.setWidget(stack)
        strip = dock.titleBarWidget()
        assert isinstance(strip, TitleStrip)
        strip.chosen.connect(lambda number: self._show_tab(dock, number))
        return stack

    def _add_tab(self, dock: QDockWidget, panel: Panel) -> None:
        strip = dock.titleBarWidget()
        assert isinstance(strip, TitleStrip)
        strip.add(panel.title)
        self._stack(dock).addWidget(panel)

    def _show_tab(self, dock: QDockWidget, number: int) -> None:
        strip, stack = dock.titleBarWidget(), dock.widget()
        if isinstance(strip, TitleStrip) and isinstance(stack, QStackedWidget):
            stack.setCurrentIndex(number)
            panel = stack.currentWidget()
            assert isinstance(panel, Panel)
            strip.set_current(number)
            strip.set_buttons(panel.title_buttons())
            strip.set_note(panel.title_note())
            self._light_rail()

    def dock_of(self, panel: Panel) -> QDockWidget:
        """Return the dock that a panel stands in, alone or as a tab."""
        title = panel.beside or panel.title
        return next(dock for dock in self.docks if dock.windowTitle() == title)

    @property
    def _firsts(self) -> list[Panel]:
        """The panel that each dock is named after, in the order of the docks."""
        return [panel for panel in self.panels if not panel.beside]

    def _toggle_panel(self, kind: type[Panel]) -> None:
        """Open a panel, or close its dock if the panel is the one that is seen there."""
        panel = next(panel for panel in self.panels if type(panel) is kind)
        if panel in self._open_panels():
            self.dock_of(panel).hide()
        else:
            self.show_panel(panel)

    def _open_panels(self) -> list[Panel]:
        """Return the panels that stand open, of each dock the one on the tab that is shown."""
        found = []
        for panel in self.panels:
            dock = self.dock_of(panel)
            stack = dock.widget()
            alone = not isinstance(stack, QStackedWidget) or stack.currentWidget() is panel
            if alone and not dock.isHidden():
                found.append(panel)
        return found

    def _light_rail(self) -> None:
        self.rail.show_open(self._open_panels())

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
        inside: dict[QWidget, list[QWidget]] = {
            part: [] for dock in self.docks for part in (dock.titleBarWidget(), dock.widget())
        }
        for widget in focus_chain(self):
            at: QWidget | None = widget
            while at is not None and at not in inside:
                at = at.parentWidget()
            if at is not None:
                inside[at].append(widget)
        for before, widget in pairwise(chain.from_iterable(inside.values())):
            QWidget.setTabOrder(before, widget)

    @guarded
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

    def _border_dragged(self) -> None:
        self._dragged = True

    def fit_timeline(self, shrinks: bool = True) -> None:
        """Give the timeline the height of its rows, as far as there is room; not once a person has set it.

        Args:
            shrinks: Whether it may become lower than it is.
        """
        height = self.splitter.height() - self.splitter.handleWidth()
        if self._dragged or height < 100:
            return
        room = min(height * TIMELINE_SHARE, height - self.area.minimumSizeHint().height())
        lower = self.timeline.height_within(int(room))
        if not shrinks and lower <= self.timeline.height():
            return
        self.splitter.setSizes([height - lower, lower])

    @guarded
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.fit_timeline()
        QTimer.singleShot(0, self, self._note_sizes)  # those of a layout that was kept

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        layout_of(self._board).activate()
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
        """Give docks the width of their side, and the height they ask for as far as there is room."""
        panels = [self._firsts[self.docks.index(dock)] for dock in docks]
        self._board.resizeDocks(list(docks), [self._widths[panel.area] for panel in panels], Qt.Orientation.Horizontal)
        for tall in (panel for panel in panels if panel.wanted_height):
            column = [dock for dock, panel in zip(docks, panels, strict=True) if panel.area == tall.area]
            own = min(tall.wanted_height, round(0.57 * self.height()))
            rest = (self.height() - own) // max(len(column) - 1, 1)
            heights = [own if panel is tall else rest for panel in panels if panel.area == tall.area]
            self._board.resizeDocks(column, heights, Qt.Orientation.Vertical)

    def set_mode(self, mode: str) -> None:
        """Show the docks of another mode of the window; what a person has closed stays closed."""
        if mode == self._mode:
            return
        folded = self._folded
        self._opened[self._mode] = [dock for dock in self.docks if folded and not dock.isHidden()]
        self._note_sizes()
        self._fold(False)
        here = self._here()
        self._closed -= set(here)
        self._closed |= {dock for dock in here if dock.isHidden()}
        self._mode = mode
        self._show_docks()
        self._widen([dock for dock in self._here() if not dock.isHidden()])
        self._fold(folded)
        if folded:
            for dock in self._opened.get(mode, ()):
                dock.show()
        self._order_tabs()  # the mode may have brought in what no other mode has

    # -- folding ----------------------------------------------------------------------------------------------------

    @property
    def folded(self) -> bool:
        """Whether the docks are reduced to a rail."""
        return self._folded

    def set_folded(self, folded: bool) -> None:
        """Close the docks and show the rail, or open again what stood open."""
        self._fold(folded)

    def _note_sizes(self) -> None:
        """Keep how wide and high the docks are now, for when they stand there again after too little room."""
        if self._folded:
            return
        for dock, panel in zip(self.docks, self._firsts, strict=True):
            if dock in self._here() and not dock.isHidden() and not dock.isFloating():
                self._widths[panel.area] = dock.width()
                self._heights[dock] = dock.height()

    def _take_sizes(self, docks: Sequence[QDockWidget]) -> None:
        """Give docks that stand open again their width, and their shares of the height; left to itself, Qt makes them
        as narrow as they can be.
        """
        areas = [self._firsts[self.docks.index(dock)].area for dock in docks]
        self._board.resizeDocks(list(docks), [self._widths[area] for area in areas], Qt.Orientation.Horizontal)
        for side in WIDTHS:
            column = [dock for dock, area in zip(docks, areas, strict=True) if area == side]
            if column:
                heights = [self._heights.get(dock, 100) for dock in column]
                self._board.resizeDocks(column, heights, Qt.Orientation.Vertical)

    def _fold(self, folded: bool) -> None:
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
        if not folded and self._kept:
            animated = self._board.isAnimated()
            self._board.setAnimated(False)  # docks that are on their way have no sizes yet
            layout_of(self).activate()
            layout_of(self._board).activate()
            self._take_sizes([dock for dock in self._kept if not dock.isHidden()])
            self._board.setAnimated(animated)

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
        return state, self.splitter.saveState() if self._dragged else QByteArray()

    def restore_layout(self, docks: QByteArray, splitter: QByteArray) -> None:
        """Take back what ``layout_state`` returned; what does not fit is passed over."""
        if not docks.isEmpty():
            self._board.restoreState(docks, LAYOUT_VERSION)
            self._closed = {dock for dock in self._here() if dock.isHidden()}
            self._show_docks()
        if not splitter.isEmpty():
            self._dragged = self.splitter.restoreState(splitter)

    def reset(self) -> None:
        """Put docks and sizes back as they were at first."""
        folded = self._folded
        self._fold(False)
        self._widths, self._heights = dict(WIDTHS), {}
        mode, self._mode = self._mode, "pose"
        self._closed.clear()
        self._board.restoreState(self._default, LAYOUT_VERSION)
        for dock in self.docks:
            dock.setFloating(False)
        self._show_docks()
        self.set_mode(mode)
        open_now = [dock for dock in self._here() if not dock.isHidden()]
        self._take_sizes(open_now)
        self._widen(open_now)
        self._dragged = False
        self._fold(folded)
        self.fit_timeline()
