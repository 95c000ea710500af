"""The solver panel: which inverse-kinematics solver a drag uses, how it works, and how the last move went."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QButtonGroup, QMainWindow, QSizePolicy, QVBoxLayout, QWidget

from app.document.changes import Change, SessionChanged
from app.document.session import MOST_STEPS, SPARE_SOLVERS, DragSolve
from app.process.handler_guard import guarded
from app.widgets.fields.choice import Choice
from app.widgets.fields.refusals import report_refusals
from app.widgets.fields.setting_quantities import STEPS, TOLERANCE, Rounded
from app.widgets.fields.setting_slider import SettingRow, log_scale
from app.widgets.fields.steps_scale import AS_NEEDED, steps_scale
from app.widgets.fields.switch import Switch
from app.widgets.frames.dock import Panel
from app.widgets.frames.menu import make_menu, pop_up
from app.widgets.frames.tool_button import ToolButton
from app.widgets.layouts import column_layout, layout_of
from app.widgets.plots.convergence import Convergence
from app.widgets.rows.radio_row import RadioRow
from app.widgets.rows.setting_line import SettingLine
from app.words.dof_names import full_label
from app.words.hindrance import both_sides
from app.words.lengths import distance_text
from app.words.part_names import spoken_name
from app.work.solver_libraries import SolverLibraries
from app.work.throttle import Throttle
from core.ik import SOLVERS

if TYPE_CHECKING:
    from app.document.document import Document
    from app.document.edits.lock_states import LockState
    from core.skeleton import Skeleton

LEAST = 1e-6  # [m]
_DIGITS = Rounded()


def small_length(metres: float) -> str:
    """Return a length as a drag shows it, below a millimetre with two digits that count: ``0.03 mm``, ``4.2 cm``.

    A micrometre is the least: what is nearer is within it.
    """
    return distance_text(metres) if metres >= 9.95e-4 else f"{_DIGITS.number(max(metres, LEAST) * 1000.0)} mm"


def duration(seconds: float) -> str:
    """Return how long a solve took: ``0.6 ms``, ``12 ms``, ``1.2 s``."""
    if seconds >= 1.0:
        return f"{seconds:.1f} s"
    milliseconds = seconds * 1000.0
    return f"{milliseconds:.0f} ms" if milliseconds >= 9.95 else f"{max(milliseconds, 0.1):.1f} ms"


def title_of(solved: DragSolve) -> str:
    """Return steps and time: ``7 steps · 0.6 ms``."""
    steps = solved.iterations
    return f"{steps} {'step' if steps == 1 else 'steps'} · {duration(solved.seconds)}"


def detail_of(solved: DragSolve, skeleton: Skeleton | None) -> tuple[str, bool]:
    """Return how near a solve came, or why not nearer, and whether the goal was met.

    Args:
        solved: As ``session.drag.solve`` has it.
        skeleton: The figure, for the names of what stops it.
    """
    reason, error, blocked = solved.reason, solved.error, solved.blocked
    if reason == "reached":
        return f"within {small_length(error)}", True
    if reason == "out_of_reach":
        return f"out of reach by {small_length(solved.short)}", False
    if reason == "limits" and blocked and skeleton is not None and max(blocked) < len(skeleton.dof_labels):
        others = f" and {len(blocked) - 1} more" if len(blocked) > 1 else ""
        return f"stopped by {spoken_name(full_label(skeleton, blocked[0]))}{others}", False
    if reason == "straight":
        return "straight: pull it sideways", False
    if reason == "iterations":
        return f"{small_length(error)} left: too few steps", False
    return f"no nearer than {small_length(error)}", False


def locks_detail(states: Iterable[LockState]) -> tuple[str, bool] | None:
    """Return how well locks were held meanwhile, and whether all that should were; None if none should.

    Args:
        states: How each lock stands.
    """
    hard = [state for state in states if state.word in ("holds", "conflict") and state.lock.hard]
    torn = sum(state.word == "conflict" for state in hard)
    if torn:
        return ("1 lock does not hold" if torn == 1 else f"{torn} locks do not hold"), False
    places = [state.position_residual for state in hard if math.isfinite(state.position_residual)]
    if not hard:
        return None
    return (f"locks within {small_length(max(places))}" if places else "locks hold"), True


LABEL_WIDTH = 96
_UNUSED = ""
SPARE: tuple[tuple[str, str, str], ...] = (
    (_UNUSED, "Nothing", "The solver alone decides what the goal leaves free"),
    ("range", "Mid-range joints", "Joints keep to the middle of their range as far as the goal leaves them free"),
    ("pose", "Near start pose", "The pose stays as close to that at the start of the drag as the goal allows"),
    ("manipulability", "Off singular poses", "The chain avoids poses in which it cannot move in every direction"),
    (
        "obstacles",
        "Clear of obstacles",
        "Limbs keep away from obstacles, rigid bodies and the floor, as Physics has them",
    ),
)
"""Key, name and sentence of each use of what freedom a goal leaves."""


class SolverSettings(QWidget):
    """Tolerance, steps, bending and spare freedom; what is set is the session's."""

    def __init__(self, document: Document, parent: QWidget | None = None):
        super().__init__(parent)
        self.document = document
        column = column_layout(self, spacing=2)
        self.tolerance = SettingRow("Tolerance", TOLERANCE, log_scale(0.001, 10.0, 0.1), None, LABEL_WIDTH)
        self.tolerance.set_tip("How close to the goal is close enough")
        self.tolerance.changed.connect(lambda value: self._set("tolerance", value * 1e-3))
        self.steps = SettingRow("Steps per move", STEPS, steps_scale(), None, LABEL_WIDTH, 70)
        self.steps.set_tip("Most steps a solver takes for one move of the pointer; far right: as many as it needs")
        self.steps.changed.connect(lambda value: self._set("max_steps", None if value > MOST_STEPS else int(value)))
        for row, name in ((self.tolerance, "tolerance"), (self.steps, "max_steps")):
            row.field.setFixedWidth(70)
            report_refusals(row, document.say)
            row.cancelled.connect(lambda row=row, name=name: self._cancelled(row, name))
            column.addWidget(row)
        self.nudge = Switch("Bend straight limbs")
        self.nudge.toggled.connect(lambda on: self._set("nudge", on))
        column.addWidget(
            SettingLine(
                "Bend straight limbs",
                self.nudge,
                "Straight elbows and knees bend when pulled inward. CCD bends them by itself, even when this is off",
            )
        )
        self.spare = Choice("Spare freedom")
        self.spare.picked.connect(lambda key: self._set("secondary", key or None))
        self._spare_row = SettingLine("Spare freedom", self.spare, "", LABEL_WIDTH)
        column.addWidget(self._spare_row)
        document.changed.connect(self._on_change)
        self.show_session()

    def _set(self, name: str, value: object) -> None:
        self.document.session.set(name, value)

    def _cancelled(self, row: SettingRow, name: str) -> None:
        if name == "tolerance":
            self._set(name, row.value * 1e-3)
        else:
            self._set(name, None if row.value > MOST_STEPS else int(row.value))

    def _on_change(self, change: Change) -> None:
        if isinstance(change, SessionChanged) and change.name in (
            "solver",
            "tolerance",
            "max_steps",
            "nudge",
            "secondary",
        ):
            self.show_session()

    def show_session(self) -> None:
        """Show what the session has."""
        session = self.document.session
        self.tolerance.set_value(session.solver.tolerance * 1e3)
        self.steps.set_value(AS_NEEDED if session.solver.steps is None else float(session.solver.steps))
        self.nudge.setChecked(session.solver.nudge)
        takes = session.solver.name in SPARE_SOLVERS
        chosen = session.solver.secondary or _UNUSED
        self.spare.show_rows([(key, name) for key, name, _ in SPARE], chosen)
        self.spare.setEnabled(takes)
        sentence = next((words for key, _, words in SPARE if key == chosen), "")
        self._spare_row.setToolTip(
            sentence if takes else "Pseudoinverse and Damped least squares can use spare freedom"
        )


HINT = "Drag a part to see how it is solved"
LATE_MS = 66  # while a part is dragged the read-out follows this often
LOW = 800  # windows that are less high show the title alone, [px]
NARROW = 1280  # narrower ones show one dock at a time, as high as it likes, [px]


class SolverPanel(Panel):
    """Radio rows for the solvers, their settings, and a read-out of the last move.

    All of it is the session's and holds from the next drag on. In a low window only the title is shown until a person
    opens the panel.
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
        column = column_layout(self.body, (6, 5, 6, 6), 2)
        for solver in SOLVERS:
            row = RadioRow(solver.name, solver.label, solver.character, self.body)
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
            detail, good = (
                f"stopped by {' and '.join([*(spoken_name(stop.label) for stop in stops[:2]), *others])}",
                False,
            )
            if (both := both_sides(stops)) is not None:  # as many words would be cut
                detail = f"{both.removeprefix('Left and right ').capitalize()} stops both"
        elif hindrance is not None and hindrance.tag:
            # While dragging, the words beside the goal: they do not flicker. Names of locks would be cut.
            detail = hindrance.brief if hindrance.reason == "locks" else hindrance.tag
        self.read_out.show_solve(solved.errors.tolist(), session.solver.tolerance, title_of(solved), detail, good)

    def _more(self) -> None:
        menu = make_menu(self, [("Reset solver settings", self.document.session.solver.reset, "rest")])
        pop_up(menu, self._more_button.mapToGlobal(self._more_button.rect().bottomLeft()))
