"""The solver panel: which inverse-kinematics solver a drag uses, how it works, and how the last move went."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QButtonGroup, QMainWindow, QSizePolicy, QVBoxLayout, QWidget

from app.document.changes import Change, SessionChanged
from app.panels.solver.settings import SolverSettings
from app.panels.solver.words import detail_of, locks_detail, title_of
from app.process.handler_guard import guarded
from app.widgets.behaviour.layouts import layout_of
from app.widgets.frames.dock import Panel
from app.widgets.frames.menu import make_menu, pop_up
from app.widgets.frames.tool_button import ToolButton
from app.widgets.plots.convergence import Convergence
from app.widgets.rows.radio_row import RadioRow
from app.words.hindrance import both_sides
from app.work.solver_libraries import SolverLibraries
from app.work.throttle import Throttle
from core.ik import SOLVERS

if TYPE_CHECKING:
    from app.document.document import Document

CHARACTER = {
    "ccd": "fast, tips move first",
    "jacobian_transpose": "springy",
    "damped_least_squares": "smooth",
    "pseudoinverse": "exact",
    "optimization": "weighs limits",
}
HINT = "Drag a part to see how it is solved"
LATE_MS = 66  # while a part is dragged the read-out follows this often
LOW = 800  # windows that are less high show the title alone, [px]
NARROW = 1280  # narrower ones show one dock at a time, as high as it likes, [px]


class SolverPanel(Panel):
    """Radio rows for the solvers, their settings, and a read-out of the last move.

    All of it is the session's and holds from the next drag on. In a low window only the title is shown until a person
    opens the panel.

    Args:
        document: The document.
        parent: Parent widget.
    """

    title = "Solver"
    icon = "target"
    area = "left"
    stretch = 0
    modes = ("pose",)

    def __init__(self, document: Document, parent: QWidget | None = None):
        super().__init__(document, parent)
        self.document = document
        self.rows: dict[str, RadioRow] = {}
        self._watched: QWidget | None = None
        self._low: bool | None = None
        self.body = QWidget(self)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.body)
        group = QButtonGroup(self)
        column = QVBoxLayout(self.body)
        column.setContentsMargins(6, 5, 6, 6)
        column.setSpacing(2)
        for solver in SOLVERS:
            row = RadioRow(solver.name, solver.label, CHARACTER.get(solver.name, ""), self.body)
            row.setToolTip(solver.description)
            row.clicked.connect(lambda _=False, key=solver.name: self._choose(key))
            group.addButton(row)
            column.addWidget(row)
            self.rows[solver.name] = row
        column.addSpacing(2)
        self.settings = SolverSettings(document, self.body)
        column.addWidget(self.settings)
        column.addSpacing(2)
        self.read_out = Convergence(HINT, self.body)
        column.addWidget(self.read_out)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        self.fold_button = ToolButton("chevron-down", "", "", size=(26, 24))
        self.fold_button.clicked.connect(lambda: self.set_open(not self.is_open))
        self._more_button = ToolButton("more", "", "More for the solver", size=(26, 24))
        self._more_button.clicked.connect(self._more)
        self.libraries = SolverLibraries(document)
        self._follow = Throttle(self._show_solved, LATE_MS, self)
        document.changed.connect(self._on_change)
        document.drag_changed.connect(self._on_drag)
        self.set_open(True)
        self._show()
        self._show_solved()

    def title_buttons(self) -> Sequence[QWidget]:
        return (self.fold_button, self._more_button)

    def first_focus(self) -> QWidget | None:
        return next((row for row in self.rows.values() if row.isChecked()), None)

    # -- folding -------------------------------------------------------------------------------------------------

    @property
    def is_open(self) -> bool:
        """Whether more than the title is shown."""
        return not self.body.isHidden()

    def set_open(self, on: bool) -> None:
        """Show everything, or the title alone."""
        self.body.setVisible(on)
        self.fold_button.set_icon("chevron-down" if on else "chevron-up")
        self.fold_button.setToolTip("Show only the title" if on else "Show the solver")
        self.fold_button.setAccessibleName("Close the solver" if on else "Open the solver")
        self.updateGeometry()
        if not self.isVisible():
            return
        board = self.parentWidget()
        while board is not None and not isinstance(board, QMainWindow):
            board = board.parentWidget()
        if board is not None:
            animated = board.isAnimated()
            board.setAnimated(False)  # the other docks take the room at once
            layout_of(self).activate()
            layout_of(board).activate()
            board.setAnimated(animated)

    @guarded
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self.window() is not self._watched:
            if self._watched is not None:
                self._watched.removeEventFilter(self)
            self._watched = self.window()
            self._watched.installEventFilter(self)
        self._fit()

    @guarded
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._watched and event.type() == QEvent.Type.Resize:
            QTimer.singleShot(0, self._fit)  # docks that change while they are laid out do not divide the room again
        return False

    def _fit(self) -> None:
        window = self.window()
        low = window.height() < LOW and window.width() >= NARROW and window is not self.parentWidget()
        if low != self._low:  # what a person opens or closes stays so until the window is another
            self._low = low
            self.set_open(not low)

    # -- following the session -----------------------------------------------------------------------------------

    def _choose(self, key: str) -> None:
        self.document.session.solver.name = key

    def _on_change(self, change: Change) -> None:
        if not isinstance(change, SessionChanged):
            return
        if change.name == "solver":
            self._show()

    def _on_drag(self, _name: str) -> None:
        # Text takes longest to draw, and nobody reads faster than this.
        self._follow.wish(hurry=self.document.gesture is None)

    def _show(self) -> None:
        row = self.rows.get(self.document.session.solver.name)
        if row is not None:
            row.setChecked(True)

    def _show_solved(self) -> None:
        session = self.document.session
        solved = session.drag.solve
        if solved is None:
            self.read_out.show_nothing()
            return
        detail, good = detail_of(solved, self.document.skeleton)
        locks = locks_detail(self.document.locks.states())
        if good and locks is not None:
            detail, good = locks
        hindrance = None if session.drag.goal is None else session.drag.goal.hindrance
        stops = session.drag.stops if hindrance is None or hindrance.reason != "limits" else hindrance.stops
        if stops:
            others = [f"{len(stops) - 2} more"] if len(stops) > 2 else []
            detail, good = f"stopped by {' and '.join([*(stop.label for stop in stops[:2]), *others])}", False
            if (both := both_sides(stops)) is not None:  # as many words would be cut
                detail = f"{both.removeprefix('Left and right ').capitalize()} stops both"
        elif hindrance is not None and hindrance.tag:
            # While dragging, the words beside the goal: they do not flicker. Names of locks would be cut.
            detail = hindrance.brief if hindrance.reason == "locks" else hindrance.tag
        self.read_out.show_solve(solved.errors.tolist(), session.solver.tolerance, title_of(solved), detail, good)

    def _more(self) -> None:
        menu = make_menu(self, [("Reset solver settings", self.document.session.solver.reset, "rest")])
        pop_up(menu, self._more_button.mapToGlobal(self._more_button.rect().bottomLeft()))
