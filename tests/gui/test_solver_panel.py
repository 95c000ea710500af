"""The solver panel: rows, settings, what they do to the next drag, and the read-out of the last move."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.document.document import Document
from app.document.edits.holding import posing_options
from app.document.session import DragSolve
from app.look import style
from app.panels import SolverPanel
from app.panels.solver.panel import AS_NEEDED, HINT, SPARE, detail_of, duration, small_length, title_of
from app.scene.pointing import view_point
from app.widgets.fields.setting_quantities import STEPS, TIMES, TOLERANCE
from app.window.main_window import MainWindow
from app.words.part_names import spoken_name
from core.constraints import Lock
from core.dynamics.contact.obstacles import BallObstacle
from core.errors import ExpressionError
from core.ik import SOLVERS
from core.preview.rigid_bodies import RigidBody
from core.skeleton.segment import end_effector
from tests.support import pixels
from tests.support.dock_frame import DockFrame

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


def solved(**values: object) -> DragSolve:
    errors = np.geomspace(0.2, 3e-5, 8)
    usual = {"iterations": 7, "errors": errors, "seconds": 6e-4, "error": 3e-5, "reason": "reached"}
    return DragSolve(**{**usual, **values})


@pytest.fixture
def document(qapp: QApplication, skeletons_folder) -> Document:
    made = Document()
    assert made.files.open(skeletons_folder / "human.scr")
    return made


@pytest.fixture
def panel(qtbot, document: Document) -> SolverPanel:
    made = SolverPanel(document)
    frame = DockFrame([made])
    qtbot.addWidget(frame)
    frame.resize(260, frame.sizeHint().height())
    frame.show()
    frame.activateWindow()
    assert QTest.qWaitForWindowActive(frame)
    made.frame = frame  # type: ignore[attr-defined]
    return made


# -- the rows --------------------------------------------------------------------------------------------------------


def test_every_solver_has_a_row_with_its_character(panel):
    assert list(panel.rows) == [solver.name for solver in SOLVERS]
    for solver in SOLVERS:
        row = panel.rows[solver.name]
        assert row.text() == solver.label and row.toolTip() == solver.description
        assert row.character == solver.character != ""
        assert row.accessibleName() == solver.label and row.accessibleDescription() == row.character
        metrics = row.fontMetrics()
        assert metrics.horizontalAdvance(row.text() + row.character) + 43 < panel.width(), "both fit beside each other"


def test_arrow_keys_go_through_the_rows(panel, document):
    document.session.solver.name = SOLVERS[0].name
    panel.setFocus(Qt.FocusReason.TabFocusReason)
    for solver in SOLVERS[1:]:
        QTest.keyClick(panel.focusWidget(), Qt.Key.Key_Down)
        assert document.session.solver.name == solver.name
    QTest.keyClick(panel.focusWidget(), Qt.Key.Key_Up)
    assert document.session.solver.name == SOLVERS[-2].name


# -- the settings ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["steps", "tolerance"])
def test_a_field_shows_its_value_again_after_what_is_no_number(panel, document, name):
    field = getattr(panel.settings, name).field
    field.edit_to(12 if name == "steps" else 0.5)
    shown = field.shown_text()
    said = []
    document.message.connect(lambda _level, text, _details: said.append(text))
    field.setFocus()
    field.open_editor("abc")
    QTest.keyClick(field._editor, Qt.Key.Key_Return)
    assert field.typing and said and said[-1]  # to be put right
    QTest.keyClick(field._editor, Qt.Key.Key_Return)
    assert not field.typing and field.shown_text() == shown and said[-1] == ""
    if name == "tolerance":  # of the steps, none typed are as many as needed
        field.open_editor("")
        QTest.keyClick(field._editor, Qt.Key.Key_Return)
        assert field.typing
        QTest.keyClick(field._editor, Qt.Key.Key_Return)
        assert not field.typing and field.shown_text() == shown


def test_settings_are_the_sessions(panel, document):
    session, settings = document.session, panel.settings
    settings.tolerance.field.edit_to(2.5)
    assert session.solver.tolerance == pytest.approx(2.5e-3)
    settings.steps.field.edit_to(12)
    assert session.solver.steps == 12
    settings.steps.slider.edit_to(settings.steps.scale.to_track(AS_NEEDED))
    assert session.solver.steps is None and settings.steps.field.shown_text() == "as needed"
    settings.nudge.click()
    assert session.solver.nudge is False
    session.solver.tolerance, session.solver.steps, session.solver.nudge = 1e-5, 40, True
    assert settings.tolerance.value == pytest.approx(0.01) and settings.tolerance.field.shown_text() == "0.01 mm"
    assert settings.steps.value == 40 and settings.nudge.isChecked()
    assert document.stack.count() == 0, "how to solve is no edit of the document"


def test_a_slider_is_live_and_escape_takes_it_back(panel, document):
    row = panel.settings.tolerance
    before = document.session.solver.tolerance
    slider = row.slider
    start = round(slider.position(slider.value))
    QTest.mousePress(slider, LEFT, NONE, QPoint(start, 12))
    QTest.mouseMove(slider, QPoint(start + 20, 12))
    assert document.session.solver.tolerance > before
    slider.setFocus()
    QTest.keyClick(slider, Qt.Key.Key_Escape)
    assert document.session.solver.tolerance == pytest.approx(before, rel=1e-12)
    assert row.field.value == pytest.approx(before * 1e3)
    QTest.mouseRelease(slider, LEFT, NONE, QPoint(start + 20, 12))
    assert document.session.solver.tolerance == pytest.approx(before, rel=1e-12)


def test_only_solvers_with_spare_freedom_offer_it(panel, document):
    session, spare = document.session, panel.settings.spare
    session.solver.name = "damped_least_squares"
    assert spare.isEnabled()
    for k, (key, name, sentence) in enumerate(SPARE):
        spare.setCurrentIndex(k)
        spare.activated.emit(k)
        assert session.solver.secondary == (key or None)
        assert spare.currentText() == name and spare.parentWidget().toolTip() == sentence
    assert SPARE[-1][0] == "obstacles", "the last one chosen"
    ball = BallObstacle(0.2, position=(0.0, 3.0, 0.0))
    crate = RigidBody("box", (0.2, 0.2, 0.2), 1.0, (1.0, 0.5, 0.0))
    assert document.physics.settings.edit(obstacles=(ball,), rigid_bodies=(crate,))
    how = posing_options(document.model, session, document.pose)
    kind, things = how["secondary"]
    assert kind == "obstacles" and len(things) == 3, "the ball, the crate and the floor"
    session.solver.name = "ccd"
    assert not spare.isEnabled() and "Damped least squares" in spare.parentWidget().toolTip()
    assert "secondary" not in posing_options(document.model, session, document.pose)


def test_reset(panel, document):
    session = document.session
    session.solver.name, session.solver.tolerance, session.solver.steps = "damped_least_squares", 1e-3, 5
    session.solver.nudge, session.solver.secondary = False, "range"
    session.solver.reset()
    assert (session.solver.name, session.solver.tolerance, session.solver.steps) == ("ccd", 1e-4, None)
    assert (session.solver.nudge, session.solver.secondary) == (True, None)
    assert panel.rows["ccd"].isChecked() and panel.settings.steps.value == AS_NEEDED


def test_assistive_tools_hear_values_and_units(panel):
    heard = QAccessible.queryAccessibleInterface(panel.settings.tolerance.slider)
    assert heard.text(QAccessible.Text.Name) == "Tolerance"
    assert heard.text(QAccessible.Text.Value) == "0.1 millimetres, 0.001 to 10"
    assert (
        QAccessible.queryAccessibleInterface(panel.settings.steps.slider).text(QAccessible.Text.Value)
        == "as needed, 1 to as needed"
    )
    assert panel.settings.nudge.accessibleName() == "Bend straight limbs"
    assert panel.settings.spare.accessibleName() == "Spare freedom"


def test_numbers_of_settings():
    assert [TOLERANCE.number(value) for value in (0.001, 0.05, 0.25, 2.5, 10.0)] == [
        "0.001",
        "0.05",
        "0.25",
        "2.5",
        "10",
    ]
    assert [TIMES.text(value) for value in (0.1, 1.0, 3.162, 12.5, 100.0)] == ["0.1×", "1×", "3.16×", "12.5×", "100×"]
    assert TOLERANCE.read("0.05 mm") == pytest.approx(0.05)
    assert STEPS.number(AS_NEEDED) == "as needed" and STEPS.read("auto") == STEPS.read("") == AS_NEEDED
    assert STEPS.read("6 * 2") == 12.0
    with pytest.raises(ExpressionError):
        STEPS.read("many")


# -- the read-out ----------------------------------------------------------------------------------------------------


def test_words():
    assert [small_length(x) for x in (3e-5, 9.9e-4, 1.2e-3, 0.042, 0.3849, 0.21, 1.31, 3e-6)] == [
        "0.03 mm",
        "0.99 mm",
        "1.2 mm",
        "4.2 cm",
        "38.5 cm",
        "21.0 cm",
        "1.31 m",
        "0.003 mm",
    ]
    assert {small_length(x) for x in (0.0, 1e-12, 4e-7, 1e-6)} == {"0.001 mm"}
    assert [duration(s) for s in (6e-4, 1e-6, 0.0123, 1.5)] == ["0.6 ms", "0.1 ms", "12 ms", "1.5 s"]
    assert title_of(solved()) == "7 steps · 0.6 ms" and title_of(solved(iterations=1)).startswith("1 step ·")


@pytest.mark.parametrize(
    ("values", "words", "good"),
    [
        ({}, "within 0.03 mm", True),
        ({"reason": "out_of_reach", "short": 0.042}, "out of reach by 4.2 cm", False),
        ({"reason": "limits", "blocked": (0,)}, "stopped by {0}", False),
        ({"reason": "limits", "blocked": (1, 2, 3)}, "stopped by {1} and 2 more", False),
        ({"reason": "limits", "error": 0.02}, "no nearer than 2.0 cm", False),
        ({"reason": "straight"}, "straight: pull it sideways", False),
        ({"reason": "stalled", "error": 0.0031}, "no nearer than 3.1 mm", False),
        ({"reason": "iterations", "error": 0.0031}, "3.1 mm left: too few steps", False),
    ],
)
def test_the_read_out_says_how_it_went(panel, document, values, words, good):
    assert panel.read_out.title == "" and panel.read_out.accessibleDescription() == HINT
    document.session.drag.solve = solved(**values)
    words = words.format(*map(spoken_name, document.skeleton.dof_labels))
    assert (panel.read_out.title, panel.read_out.detail, panel.read_out.good) == ("7 steps · 0.6 ms", words, good)
    assert detail_of(document.session.drag.solve, document.skeleton) == (words, good)
    assert panel.read_out.accessibleDescription() == f"7 steps · 0.6 ms, {words}"
    document.files.new()
    assert panel.read_out.title == ""


def test_the_read_out_says_how_well_locks_were_held(panel, document):
    document.locks.set_holds(False)
    key = document.locks.add(Lock("left foot", "position"))
    document.session.drag.solve = solved()
    assert (panel.read_out.detail, panel.read_out.good) == ("locks within 0.001 mm", True)
    document.locks.edit(key, target=document.locks.strip(key).lock.target + np.array([0.0, 0.1, 0.0]))
    document.session.drag.solve = solved(iterations=3)
    assert (panel.read_out.detail, panel.read_out.good) == ("1 lock does not hold", False)
    document.session.drag.solve = solved(reason="straight")
    assert panel.read_out.detail == "straight: pull it sideways"  # what stops the drag comes first
    document.locks.edit(key, weight=0.5)  # a soft lock promises nothing
    document.session.drag.solve = solved()
    assert panel.read_out.detail == "within 0.03 mm"


def test_the_plot_has_the_start_and_the_end_of_many_steps(panel, document):
    for number in (1, 2, 8, 400):
        errors = np.geomspace(0.5, 1e-7, number)
        document.session.drag.solve = solved(errors=errors, iterations=number - 1)
        points = panel.read_out.points
        assert points[0] == (0, pytest.approx(np.log10(errors[0])))
        assert points[-1] == (number - 1, pytest.approx(np.log10(errors[-1])))
        assert len(points) <= 50
        assert not panel.grab().isNull()
    document.session.drag.solve = solved(errors=np.array([0.1, 0.0]), iterations=1)
    assert np.isfinite(panel.read_out.points).all() and not panel.grab().isNull()


def test_the_plot_is_drawn_in_both_themes(panel, document, qapp):
    for theme in ("dark", "light"):
        style.apply(qapp, theme)
        document.session.drag.solve = solved()
        picture = panel.read_out.grab().toImage()
        half = pixels.distance(picture, style.color("accent"))[:, : picture.width() // 2]
        y, x = np.nonzero(half == 0)
        assert len(x) and x.max() < picture.width() * 0.42, "left of the words"
        assert y[x == x.min()].min() < y[x == x.max()].max(), "it falls from left to right"
        document.session.drag.solve = solved(reason="stalled")
    style.apply(qapp, "dark")


@pytest.mark.verify
def test_folding_by_hand_and_in_low_windows(window: MainWindow, qtbot):
    panel = next(each for each in window.panels if isinstance(each, SolverPanel))
    joints = window.panels[0]
    assert panel.is_open
    whole = joints.height()
    panel.fold_button.click()
    qtbot.waitUntil(lambda: joints.height() > whole + 200)
    assert not panel.is_open and panel.fold_button.accessibleName() == "Open the solver"
    panel.fold_button.click()
    qtbot.waitUntil(lambda: joints.height() == whole)
    window.resize(1400, 720)
    qtbot.waitUntil(lambda: not panel.is_open)
    panel.fold_button.click()
    window.resize(1420, 730)
    qtbot.wait(20)
    assert panel.is_open, "what a person opens stays open"
    window.resize(1600, 1000)
    qtbot.waitUntil(lambda: joints.height() == whole)
    assert panel.is_open


@pytest.mark.verify
def test_a_drag_uses_the_settings_and_reports_how_it_went(window: MainWindow, qtbot):
    document, view = window.document, window.area.work_view
    panel = next(each for each in window.panels if isinstance(each, SolverPanel))
    document.session.solver.steps, document.session.solver.tolerance = 3, 5e-3
    joint = document.skeleton.joint_index("right hand")
    scene = window.area.host.scene
    start = view_point(view, scene.world(joint, end_effector(document.skeleton, joint)))
    assert panel.read_out.title == ""
    QTest.mousePress(view, LEFT, pos=start.toPoint())
    for step in range(1, 6):
        QTest.mouseMove(view, (start + QPointF(3.0, -8.0) * step).toPoint())
        qtbot.wait(5)
    solved = document.session.drag.solve
    assert solved is not None and solved.iterations <= 3
    qtbot.waitUntil(lambda: panel.read_out.title == title_of(document.session.drag.solve))
    QTest.mouseRelease(view, LEFT, pos=(start + QPointF(15.0, -40.0)).toPoint())
    qtbot.wait(100)
    solved = document.session.drag.solve
    assert panel.read_out.title == title_of(solved), "it stays after the drag"
    assert len(panel.read_out.points) == solved.iterations + 1


def test_what_a_drag_reported_goes_with_the_next_step(window):
    document, session = window.document, window.document.session
    session.drag.solve = solved()
    document.locks.clear()
    key = document.locks.add(Lock("right foot", "position"))
    assert key is not None and session.drag.solve is None
    session.drag.solve = solved()
    document.history.undo()
    assert session.drag.solve is None and session.drag.stops == ()


@pytest.mark.verify
def test_the_read_out_forgets_a_drag_in_another_document_of_the_same_figure(window, skeletons_folder) -> None:
    panel = next(panel for panel in window.panels if isinstance(panel, SolverPanel))
    errors = np.geomspace(0.2, 3e-5, 8)
    window.document.session.drag.solve = DragSolve(7, errors, 1e-3, 3e-5, "tolerance")
    panel._show_solved()
    assert len(panel.read_out._steps)
    assert window.document.files.open(skeletons_folder / "library" / "Walks and runs" / "run.seq")
    assert window.document.session.drag.solve is None
    panel._show_solved()
    assert not len(panel.read_out._steps)
