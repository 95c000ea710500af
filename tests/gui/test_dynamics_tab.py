"""The Dynamics tab: strips of groups of joints, drawn and edited; what is implausible; energy beneath."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidgetAction

from app.document.changes import FigureChanged, FileChanged, KeysChanged, SequenceChanged
from app.document.document import Document
from app.timeline.dynamics.edits import ground_menu, strip_menu, torque_menu
from app.timeline.dynamics.page import LOW
from app.timeline.dynamics.picture import DynamicsPicture, torque_lines
from app.timeline.dynamics.track import DynamicsTracks
from app.timeline.panel import TimelinePanel
from app.timeline.stepping import StripSteps, steps_of
from app.timeline.strips import shape as shapes
from app.widgets.fields.number_field import NumberField
from app.widgets.frames.scroll import scroll_area_of
from app.words.quantity import MINUS
from app.work.calm_search import CalmSearch
from core.animation.hybrid_strips import HybridStrip
from core.animation.torque_curves import TorqueCurve
from core.preview.plausibility.violation import Violation

LEFT = Qt.MouseButton.LeftButton
CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
NONE = Qt.KeyboardModifier.NoModifier


@pytest.fixture
def document(qtbot, skeletons_folder: Path) -> Document:
    made = Document()
    assert made.files.open(skeletons_folder / "library" / "Walks and runs" / "walk.seq")
    return made


@pytest.fixture
def panel(qtbot, document: Document, monkeypatch: pytest.MonkeyPatch) -> Iterator[TimelinePanel]:
    monkeypatch.setattr(CalmSearch, "wish", lambda *_, **__: None)  # nothing is worked out beside the window
    made = TimelinePanel(document, defaultdict(QAction), SimpleNamespace(image=lambda *_: None))
    qtbot.addWidget(made)
    made.resize(1000, 420)
    made.show_tab("dynamics")
    with qtbot.waitExposed(made):
        made.show()
    yield made
    made.stop()


def group(panel: TimelinePanel, name: str) -> tuple[str, ...]:
    """Return the joints of a row."""
    return next(row.joints for row in panel.dynamics.board.rows if row.name == name)


def test_a_low_timeline_scrolls_to_the_strip_that_is_made(panel: TimelinePanel, document: Document, qtbot) -> None:
    panel.resize(1000, 250)
    QApplication.processEvents()
    tracks = panel.dynamics
    bar, room = scroll_area_of(tracks).verticalScrollBar(), scroll_area_of(tracks).viewport()
    number = next(i for i, row in enumerate(panel.dynamics.board.rows) if row.name == "Left leg")
    top = number * tracks.row_height
    assert bar.value() + room.height() < top, "it is out of sight"
    document.hybrid.add(["left shank"], 0, 20)
    qtbot.waitUntil(lambda: bar.value() <= top and top + tracks.row_height <= bar.value() + room.height())


def put(panel: TimelinePanel, *strips: HybridStrip) -> DynamicsTracks:
    assert panel.model.document.hybrid.set(strips)
    panel.model.zoom(1.5, 0.0)  # a frame is wider than the reach of snapping
    QApplication.processEvents()
    return panel.dynamics


def now(panel: TimelinePanel, strip: HybridStrip) -> HybridStrip:
    found = panel.model.document.hybrid.strip(strip.id)
    assert found is not None
    return found


def place(tracks: DynamicsTracks, strip: HybridStrip, part: str = shapes.BODY, row: str = "") -> QPointF:
    """Return where a part of a strip is grabbed, in its first row or in one of a name."""
    rows = tracks.board.rows
    number = next(i for i, each in enumerate(rows) if each.place_of(strip.id) and row in ("", each.name))
    shape = tracks.shape(tracks.board.strip(strip.id), number)
    return {
        shapes.START: QPointF(shape.left + 2.0, shape.bottom - 2.0),
        shapes.END: QPointF(shape.right - 2.0, shape.bottom - 2.0),
        shapes.EASE_IN: QPointF(shape.rise, shape.top + 2.0),
        shapes.EASE_OUT: QPointF(shape.fall, shape.top + 2.0),
        shapes.BODY: QPointF((shape.rise + shape.fall) / 2.0, shape.bottom - 3.0),
    }[part]


def drag(tracks: DynamicsTracks, start: QPointF, frames: float, modifiers=NONE, release: bool = True) -> None:
    end = start + QPointF(frames * tracks.model.pixels, 0.0)
    QTest.mousePress(tracks, LEFT, modifiers, start.toPoint())
    for part in (0.4, 0.8, 1.0):
        QTest.mouseMove(tracks, (start + (end - start) * part).toPoint())
    if release:
        QTest.mouseRelease(tracks, LEFT, modifiers, end.toPoint())


@pytest.fixture
def arm(panel: TimelinePanel) -> HybridStrip:
    """Forces move the right arm from frame 8 to 20, eases of 2 and 4 frames."""
    strip = HybridStrip(group(panel, "Right arm"), 8, 20, ease_in=2, ease_out=4, id="arm")
    put(panel, strip)
    return strip


def times(strip: HybridStrip) -> tuple[float, ...]:
    return (strip.start, strip.end, strip.ease_in, strip.ease_out)


# -- the mouse -----------------------------------------------------------------------------------------------------


def test_rows_are_the_groups_root_first_and_open_to_their_joints(panel: TimelinePanel) -> None:
    board, skeleton = panel.dynamics.board, panel.model.document.skeleton
    assert [row.name for row in board.rows][:2] == ["Root", "Spine"]
    assert sorted(name for row in board.rows for name in row.joints) == sorted(skeleton.joint_names)
    arm, count = next(row for row in board.rows if row.name == "Right arm"), len(board.rows)
    assert arm.opens and not arm.is_open
    y = (board.rows.index(arm) + 0.5) * panel.dynamics.row_height
    QTest.mouseClick(panel.dynamics, LEFT, pos=QPointF(12.0, y).toPoint())
    assert len(board.rows) == count + len(arm.joints)
    QTest.mouseClick(panel.dynamics, LEFT, pos=QPointF(60.0, y).toPoint())
    assert {skeleton.joint_names[joint] for joint in panel.model.document.selection.joints} == set(arm.joints)


@pytest.mark.verify
def test_a_drag_changes_one_thing_as_one_step(panel: TimelinePanel, arm: HybridStrip) -> None:
    document, tracks = panel.model.document, panel.dynamics
    before, steps = document.state_json(), document.stack.count()
    for part, by, expected in (
        (shapes.START, 2, (10, 20, 2, 4)),
        (shapes.END, -3, (8, 17, 2, 4)),
        (shapes.BODY, 4, (12, 24, 2, 4)),
        (shapes.EASE_IN, 2, (8, 20, 4, 4)),
        (shapes.EASE_OUT, -2, (8, 20, 2, 6)),
    ):
        drag(tracks, place(tracks, arm, part), by)
        assert times(now(panel, arm)) == expected, part
        assert document.stack.count() == steps + 1
        document.history.undo()
        assert document.state_json() == before


@pytest.mark.verify
def test_escape_and_undo_give_a_drag_up(panel: TimelinePanel, arm: HybridStrip) -> None:
    document, tracks = panel.model.document, panel.dynamics
    before, steps = document.state_json(), document.stack.count()
    start = place(tracks, arm)
    drag(tracks, start, 5, release=False)
    assert now(panel, arm).start == 13 and document.stack.count() == steps
    QTest.keyClick(tracks, Qt.Key.Key_Escape)
    assert document.state_json() == before and document.gesture is None
    QTest.mouseRelease(tracks, LEFT, pos=start.toPoint())
    drag(tracks, place(tracks, arm), 5, release=False)
    document.history.undo()  # of the strips
    assert tracks.drag is None and document.hybrid.strips in ((), (arm,))
    QTest.mouseRelease(tracks, LEFT, pos=start.toPoint())


@pytest.mark.verify
def test_ends_snap_to_keys_and_strips_of_a_joint_may_touch_but_not_overlap(panel: TimelinePanel, arm) -> None:
    tracks, model = panel.dynamics, panel.model
    key = int(model.frames[model.frames > 20][0])
    drag(tracks, place(tracks, arm, shapes.END), key - 20 - 5.0 / model.pixels)
    assert now(panel, arm).end == key
    later = HybridStrip(group(panel, "Right arm")[:1], 26, 30, id="later")
    put(panel, arm, later)
    drag(tracks, place(tracks, arm, shapes.END), 9)
    assert now(panel, arm).end == 26
    drag(tracks, place(tracks, later, shapes.START), -12)
    assert now(panel, later).start == 26


@pytest.mark.verify
def test_ctrl_a_box_and_the_keyboard_select_more_and_a_drag_takes_all_along(panel: TimelinePanel, arm) -> None:
    left = HybridStrip(group(panel, "Left arm"), 10, 24, id="left")
    spine = HybridStrip(group(panel, "Spine"), 4, 12, id="spine")
    tracks = put(panel, arm, left, spine)
    QTest.mouseClick(tracks, LEFT, NONE, place(tracks, arm).toPoint())
    assert tracks.board.selection == ("arm",)
    QTest.mouseClick(tracks, LEFT, CONTROL, place(tracks, left).toPoint())
    assert set(tracks.board.selection) == {"arm", "left"}
    steps = panel.model.document.stack.count()
    drag(tracks, place(tracks, left), 3)
    assert (now(panel, arm).start, now(panel, left).start, now(panel, spine).start) == (11, 13, 4)
    assert panel.model.document.stack.count() == steps + 1
    corner = QPointF(tracks.track_x(30), 2.0)
    QTest.mousePress(tracks, LEFT, NONE, corner.toPoint())
    QTest.mouseMove(tracks, (place(tracks, spine) + QPointF(0.0, 4.0)).toPoint())
    QTest.mouseMove(tracks, place(tracks, spine).toPoint())
    QTest.mouseRelease(tracks, LEFT, NONE, place(tracks, spine).toPoint())
    assert tracks.board.selection == ("spine",)
    tracks.board.select_all(each.id for each in tracks.board.strips())
    assert len(tracks.board.selection) == 3
    tracks.keys.remove()
    assert panel.model.document.hybrid.strips == ()
    panel.model.document.history.undo()
    assert len(panel.model.document.hybrid.strips) == 3


def test_a_drag_with_ctrl_copies(panel: TimelinePanel, arm: HybridStrip) -> None:
    drag(panel.dynamics, place(panel.dynamics, arm), 14, CONTROL)
    first, copy = panel.model.document.hybrid.strips
    assert first == arm and (copy.start, copy.end, copy.parts) == (22, 34, arm.parts)


def test_a_double_click_makes_joints_dynamic_and_they_are_given_motors(panel: TimelinePanel) -> None:
    document, tracks = panel.model.document, panel.dynamics
    number = next(i for i, row in enumerate(tracks.board.rows) if row.name == "Left leg")
    at = QPointF(tracks.track_x(6), (number + 0.5) * tracks.row_height)
    QTest.mouseDClick(tracks, LEFT, NONE, at.toPoint())
    (strip,) = document.hybrid.strips
    assert strip.parts == group(panel, "Left leg") and (strip.start, strip.mode) == (6, "dynamic")
    assert strip.end == document.sequence.range[1] and tracks.board.selected == strip.id
    steps = document.stack.count()
    tracks.keys.toggle_mode()
    assert document.hybrid.strips[0].mode == "motor" and document.stack.count() == steps + 1
    tracks.keys.toggle_mode()
    assert document.hybrid.strips[0].mode == "dynamic"
    QTest.mouseDClick(tracks, LEFT, NONE, at.toPoint())
    assert len(document.hybrid.strips) == 1, "there is one already"


@pytest.mark.verify
def test_a_strip_of_some_joints_shows_in_the_row_of_its_group(panel: TimelinePanel, arm: HybridStrip) -> None:
    joints = group(panel, "Left arm")
    one = HybridStrip(joints[:1], 6, 18, id="one")
    two = HybridStrip(joints[1:], 10, 22, "motor", id="two")
    tracks = put(panel, arm, one, two)
    number = next(i for i, row in enumerate(tracks.board.rows) if row.name == "Left arm")
    upper, lower = tracks.shape(one, number), tracks.shape(two, number)
    assert upper.bottom <= lower.top and lower.bottom <= (number + 1) * tracks.row_height
    x = tracks.track_x(14)
    assert tracks.grabbed(QPointF(x, upper.top + 2.0))[0].id == "one"
    assert tracks.grabbed(QPointF(x, lower.bottom - 2.0))[0].id == "two"
    picture = tracks.picture
    assert isinstance(picture, DynamicsPicture)
    assert list(picture.keyed_spans(tracks.board.rows[number])) == [(0.0, 32.0)], "keys move the others"
    row = next(row for row in tracks.board.rows if row.name == "Right arm")
    assert list(picture.keyed_spans(row)) == [(0.0, 8.0), (20.0, 32.0)]


# -- menus and keyboard ----------------------------------------------------------------------------------------------


def choose(menu, text: str) -> None:
    action = next(each for each in menu.actions() if each.text().startswith(text))
    assert action.isEnabled(), text
    action.trigger()


@pytest.mark.verify
def test_menus_make_split_and_part_strips(panel: TimelinePanel) -> None:
    document, board = panel.model.document, panel.dynamics.board
    choose(ground_menu(panel, board, board.row("root"), 4), "Whole figure dynamic from frame 4")
    (strip,) = document.hybrid.strips
    assert strip.whole and all(row.place_of(strip.id).whole for row in board.rows)
    choose(strip_menu(panel, board, strip, 12), "Split at frame 12")
    assert [(each.start, each.end) for each in document.hybrid.strips] == [(4, 12), (12, 32)]
    document.history.undo()
    choose(strip_menu(panel, board, strip, 12), "One strip for each group")
    assert len(document.hybrid.strips) == len(board.rows)
    assert all(len(row.strips) == 1 for row in board.rows)
    parts = strip_menu(panel, board, document.hybrid.strips[1], 12)
    choose(parts, "All motor")
    assert {each.mode for each in document.hybrid.strips} == {"motor"}, "all of them are selected"


@pytest.mark.verify
def test_torques_are_keyed_in_the_menu_and_drawn_on_the_strip(panel: TimelinePanel) -> None:
    document, board = panel.model.document, panel.dynamics.board
    strip = HybridStrip(("right forearm",), 8, 20, id="elbow")
    tracks = put(panel, strip)

    def field(frame: int, title: str = "Elbow flex") -> NumberField:
        menu = strip_menu(panel, board, now(panel, strip), frame)
        rows = [each.defaultWidget() for each in menu.actions() if isinstance(each, QWidgetAction)]
        fields = [found for row in rows for found in row.findChildren(NumberField)]
        return next(each for each in fields if each.accessibleName() == title)

    steps = document.stack.index()
    field(8).edit_to(2.0)
    assert now(panel, strip).torques == (TorqueCurve("right forearm", 0, ((0, 2),)),)
    field(14).edit_to(-5.0)
    (curve,) = now(panel, strip).torques
    assert curve.keys == ((0, 2), (6, -5)) and document.stack.index() == steps + 2
    assert field(11).value == pytest.approx(curve.at(3)) and field(11).shown_text().endswith("N·m")
    number = next(i for i, row in enumerate(board.rows) if row.place_of("elbow"))
    shape = tracks.shape(now(panel, strip), number)
    joints, right = board.rows[number].joints, tracks.width()
    ((line, keys),) = torque_lines(now(panel, strip), shape, joints, tracks.track_x, right)
    assert [key.x() for key in keys] == pytest.approx([tracks.track_x(8), tracks.track_x(14)])
    assert keys[1].y() == pytest.approx(shape.bottom - 1.5) and keys[0].y() < (shape.top + shape.bottom) / 2
    assert line.last().x() == pytest.approx(shape.right) and torque_lines(strip, shape, joints, tracks.track_x, 0) == []
    choose(strip_menu(panel, board, now(panel, strip), 14), "Remove torque keys at frame 14")
    assert now(panel, strip).torques[0].keys == ((0, 2),)
    choose(strip_menu(panel, board, now(panel, strip), 14), "Remove all torques")
    assert now(panel, strip).torques == ()


@pytest.mark.verify
def test_the_keyboard_reaches_rows_and_strips(panel: TimelinePanel, arm: HybridStrip) -> None:
    document, tracks = panel.model.document, panel.dynamics
    tracks.setFocus(Qt.FocusReason.TabFocusReason)
    tracks.board.put_cursor(tracks.board.rows[0])
    tracks.go_row(1)
    tracks.go_row(1)
    assert tracks.board.row().name == "Head and neck" and "0 strips" in tracks.accessibleDescription()
    document.set_frame(5)
    tracks.keys.add()
    head = document.hybrid.strips[-1]
    assert head.parts == group(panel, "Head and neck") and head.start == 5
    tracks.go_row(1)
    assert tracks.board.selected == arm.id
    assert tracks.accessibleDescription() == "Right arm, dynamic, frames 8 to 20"
    steps = steps_of(panel)
    assert isinstance(steps, StripSteps)
    for said in (steps.slide(1), steps.stretch(True, 1), steps.stretch(False, -1)):
        assert "Right arm, dynamic" in said
    assert times(now(panel, arm)) == (8, 22, 2, 4)
    tracks.open_row(True)
    assert tracks.board.row().is_open


@pytest.mark.verify
def test_physics_mode_brings_the_tab_and_takes_it_away_unless_it_was_chosen(panel: TimelinePanel) -> None:
    session, tabs = panel.model.document.session, panel.transport.tabs
    panel.show_tab("keys")
    session.mode = "physics"
    assert tabs.current == "dynamics" and panel.tracks is panel.dynamics
    session.mode = "pose"
    assert tabs.current == "keys" and panel.scroll_area.isVisible()
    session.mode = "physics"
    QTest.mouseClick(tabs.tab("locks"), LEFT)
    session.mode = "pose"
    assert tabs.current == "locks"


# -- what is implausible, and energy ---------------------------------------------------------------------------------


def test_a_flight_off_its_parabola_is_repaired_by_the_menu_of_its_flag(panel: TimelinePanel, monkeypatch) -> None:
    band, search = panel.violation_band, panel.violations
    assert band.isHidden()
    flight = Violation("parabola", 8, 16, 0.4, "In the air it is 12 cm off its parabola")
    search.show((flight, Violation("balance", 20, 24, 0.1, "It leans out of its feet", hint=True)))
    assert not band.isHidden() and search.summary() == "1 implausible span"
    assert panel.model.implausible == ((8, 16, flight.text),), "what only may be wrong is not on the ruler"
    center = band.box_of(flight).center()
    assert band.at(center) == flight and "Frames 8 to 16" in band.tip(center)
    spin = Violation("momentum", 8, 16, 0.9, "It turns by itself", turning=True)
    search.show((flight, spin))
    assert search.summary() == "1 implausible span" and search.spans == (spin,) == (band.at(center),)
    assert band.tip(center).splitlines()[:2] == [spin.text, flight.text]
    assert band.words(spin) == "momentum jumps, off parabola"
    search.show((flight,))
    assert band.elsewhere() == ""
    panel.model.show_span(19.0, 32.0)
    assert band.elsewhere() == "‹ frames 8 to 16"
    panel.model.show_span(-20.0, 2.0)
    assert band.elsewhere() == "frames 8 to 16 ›"
    panel.model.fit()
    document = panel.model.document
    document.hybrid.add(["left hand"], 10, document.sequence.range[1] + 40)
    assert panel.model.visible()[1] > document.sequence.range[1], "the range that has grown is in sight"
    document.history.undo()
    repaired = []
    monkeypatch.setattr(document.flights, "repair", repaired.append)
    choose(band.menu_of(flight), "Fix: ballistic")
    assert repaired == [flight]
    band.setFocus()
    QTest.keyClick(band, Qt.Key.Key_Tab)
    assert band.accessibleDescription().startswith(flight.text) and panel.focusWidget() is band
    search.show(())
    assert band.isHidden() and panel.model.implausible == ()


def test_what_was_found_does_not_outlive_its_motion(panel: TimelinePanel) -> None:
    """Neither in the next file nor, while nobody looks, after an edit."""
    document, search = panel.model.document, panel.violations
    flight = (Violation("parabola", 8, 16, 0.4, "In the air it is 12 cm off its parabola"),)
    search.set_open(True)
    search.show(flight)
    document.announce([KeysChanged()])
    assert search.found == flight, "it stays until something else is found"
    document.announce([FileChanged("opened"), FigureChanged("all"), SequenceChanged("all"), KeysChanged()])
    assert search.found == () and panel.model.implausible == () and panel.violation_band.isHidden()
    search.set_open(False)
    search.show(flight)
    document.announce([FileChanged("modified")])
    assert search.found == flight
    document.announce([KeysChanged()])
    assert search.found == () and not search.busy


@pytest.mark.verify
def test_a_click_on_the_row_of_a_joint_shows_its_torques(panel: TimelinePanel, skeletons_folder: Path) -> None:
    document, tracks = panel.model.document, panel.dynamics
    assert document.files.open(skeletons_folder / "scenes" / "three bodies.seq")
    panel.resize(1000, 240)
    tracks.board.toggle_row(next(row for row in tracks.board.rows if row.opens))
    QTest.qWait(20)
    names = [row.name for row in tracks.board.rows]
    for name, joint, dofs in (("Third", "third", 3), ("Second", "second", 1)):
        number = names.index(name)
        tracks.show_strip(document.hybrid.strips[0], joint)
        QTest.mouseClick(tracks, LEFT, pos=QPointF(400.0, (number + 0.5) * tracks.row_height).toPoint())
        QTest.qWait(20)
        assert panel.torques.isVisible() and panel.torques.joint == joint and len(panel.torques.rows) == dofs
        middle = tracks.y() + (number + 0.5) * tracks.row_height
        assert 0 < middle < scroll_area_of(tracks).viewport().height(), "the row is still seen"


def test_rows_scroll_into_sight_from_wherever_they_are_scrolled(panel: TimelinePanel) -> None:
    tracks = panel.dynamics
    panel.resize(1000, 240)
    QTest.qWait(20)
    bar, view = scroll_area_of(tracks).verticalScrollBar(), scroll_area_of(tracks).viewport()
    assert bar.maximum() > tracks.row_height
    for number in (len(tracks.board.rows) - 1, 2, 5, 0):
        tracks.keys.show_row(number)
        top = number * tracks.row_height - bar.value()
        assert 0 <= top and top + tracks.row_height <= view.height(), number


@pytest.mark.verify
def test_energy_is_there_under_few_rows_of_a_low_timeline(panel: TimelinePanel, skeletons_folder: Path) -> None:
    assert panel.model.document.files.open(skeletons_folder / "scenes" / "three bodies.seq")
    for height in (260, 235, 210):  # 210 is that of a window 667 px high, which is one of 1000 px at a scale of 1.5
        panel.resize(1000, height)
        QTest.qWait(20)
        assert panel.energy.isVisible() and panel.energy.geometry().bottom() >= panel.dynamics.height(), height
        assert panel.tracks.height() >= panel.tracks.sizeHint().height()
    assert panel.model.document.files.open(skeletons_folder / "library" / "Walks and runs" / "walk.seq")
    panel.resize(1000, 300)  # many rows leave it room for its long names
    QTest.qWait(20)
    assert panel.energy.isVisible() and panel.energy.height() >= LOW


def test_energy_is_on_the_scale_of_the_tracks(panel: TimelinePanel) -> None:
    series, energy = panel.energy.series, panel.energy
    frames = np.arange(0.0, 33.0)
    rows = np.column_stack([40.0 + frames, 600.0 - frames, 70.0 + 0.0 * frames, 1.0 + 0.0 * frames])
    series.take_keyed(frames, rows)
    energy.feed.take_all()
    area, model = energy.area, panel.model
    assert area.frame_at(model.x(20.0)) == pytest.approx(20.0)
    assert area.axis == (-35.0, 80.0) and area.values_at(10.0).tolist() == [50.0, -10.0, 40.0]
    assert area.text_at(10.0).splitlines() == ["Frame 10", "Kinetic 50.0 J", f"Potential {MINUS}10.0 J", "Total 40.0 J"]
    model.zoom(1.5, 100.0)
    assert area.frame_at(model.x(20.0)) == pytest.approx(20.0)
    QTest.mouseClick(energy, LEFT, pos=QPointF(energy.track_x(12), 30.0).toPoint())
    assert model.document.frame == 12
    picture = area.canvas.grab().toImage()
    x = round(model.x(12.0)) - area.canvas.x()
    assert picture.pixelColor(x, 3) != picture.pixelColor(x + 40, 3), "the playhead is drawn"


# -- torques ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def elbow(panel: TimelinePanel) -> HybridStrip:
    """A torque of the elbow over frames 8 to 20, keyed twice, in a strip that is selected."""
    curve = TorqueCurve("right forearm", 0, ((0, 2.0), (6, -5.0)))
    strip = HybridStrip(("right forearm",), 8, 20, torques=(curve,), id="elbow")
    panel.resize(1000, 560)
    put(panel, strip).board.select("elbow")
    QApplication.processEvents()
    return strip


def keys_of(panel: TimelinePanel, strip: HybridStrip) -> tuple[tuple[float, float], ...]:
    return now(panel, strip).torques[0].keys


@pytest.mark.verify
def test_the_torques_of_the_selected_strip_are_below_the_rows(panel: TimelinePanel, elbow: HybridStrip) -> None:
    band = panel.torques
    assert band.isVisible() and band.row().name == "Elbow flex" and band.row().curve == elbow.torques[0]
    low, high = band.scale.span
    assert low < -5.0 and high > 2.0
    assert band.accessibleDescription() == "Elbow flex, 2 keys"
    panel.dynamics.board.select(None)
    QApplication.processEvents()
    assert not band.isVisible()
    whole = HybridStrip((), 24, 30, id="whole")
    put(panel, elbow, whole)
    panel.dynamics.board.select("whole")
    assert not band.isVisible(), "which of all joints?"
    panel.model.document.selection.set(["left upper arm"])
    QApplication.processEvents()
    assert band.isVisible() and len(band.rows) == 3 and all(row.curve is None for row in band.rows)


@pytest.mark.verify
def test_a_key_of_a_torque_is_dragged_in_time_and_value(panel: TimelinePanel, elbow: HybridStrip) -> None:
    band, document = panel.torques, panel.model.document
    steps = document.stack.index()
    start = band.place(6.0, -5.0)
    unit = band.scale.unit
    QTest.mousePress(band, LEFT, NONE, start.toPoint())
    QTest.mouseMove(band, start.toPoint() + (QPointF(0.0, -10.0)).toPoint())
    QTest.mouseMove(band, start.toPoint() + QPointF(3.0 * panel.model.pixels, -20.0).toPoint())
    assert band.drag is not None and band.drag.tag().startswith("Elbow flex ") and band.drag.tag().endswith("Frame 17")
    assert document.stack.index() == steps, "no step before it is dropped"
    QTest.mouseRelease(band, LEFT, NONE, start.toPoint() + QPointF(3.0 * panel.model.pixels, -20.0).toPoint())
    (first, second) = keys_of(panel, elbow)
    assert first == (0.0, 2.0) and second[0] == 9.0
    assert second[1] == pytest.approx(-5.0 + 20.0 * unit, abs=1.5 * unit) and document.stack.index() == steps + 1
    assert round(second[1], 1) == second[1], "values are round"
    document.history.undo()
    assert keys_of(panel, elbow) == elbow.torques[0].keys
    assert band.chosen is None or band._value_of(band.chosen) is not None


@pytest.mark.verify
def test_a_drag_of_a_key_is_held_between_its_neighbours_and_given_up(panel: TimelinePanel, elbow: HybridStrip) -> None:
    band, document = panel.torques, panel.model.document
    start = band.place(6.0, -5.0)
    QTest.mousePress(band, LEFT, NONE, start.toPoint())
    QTest.mouseMove(band, start.toPoint() + QPointF(-5.0, 0.0).toPoint())
    QTest.mouseMove(band, start.toPoint() + QPointF(-30.0 * panel.model.pixels, 0.0).toPoint())
    assert keys_of(panel, elbow)[1][0] == 1.0, "a frame after the key before"
    QTest.mouseMove(band, start.toPoint() + QPointF(0.0, -40.0).toPoint())
    band.setFocus()
    QTest.keyClick(band, Qt.Key.Key_Escape)
    assert keys_of(panel, elbow) == elbow.torques[0].keys and band.drag is None
    QTest.mouseRelease(band, LEFT, NONE, start.toPoint())
    assert keys_of(panel, elbow) == elbow.torques[0].keys and document.gesture is None
    # Undo ends a drag; what the mouse does then is another one's.
    QTest.mousePress(band, LEFT, NONE, start.toPoint())
    for away in (8.0, 20.0):
        QTest.mouseMove(band, start.toPoint() + QPointF(0.0, -away).toPoint())
    assert document.gesture is not None
    document.history.undo()
    QTest.mouseMove(band, start.toPoint() + QPointF(0.0, -30.0).toPoint())
    QTest.mouseRelease(band, LEFT, NONE, start.toPoint())
    assert keys_of(panel, elbow) == elbow.torques[0].keys and document.gesture is None and band.drag is None
    # It sticks to 0.
    QTest.mousePress(band, LEFT, NONE, start.toPoint())
    zero = QPointF(start.x(), band.scale.y(0.0) + 2.0)
    QTest.mouseMove(band, (0.5 * (start + zero)).toPoint())
    QTest.mouseMove(band, zero.toPoint())
    QTest.mouseRelease(band, LEFT, NONE, zero.toPoint())
    assert keys_of(panel, elbow)[1] == (6.0, 0.0)


@pytest.mark.verify
def test_keys_of_torques_are_made_and_removed(panel: TimelinePanel, elbow: HybridStrip) -> None:
    band, document = panel.torques, panel.model.document
    steps = document.stack.index()
    place = band.place(10.0, 1.0)
    QTest.mouseDClick(band, LEFT, NONE, place.toPoint())
    QTest.mouseRelease(band, LEFT, NONE, place.toPoint())
    assert len(keys_of(panel, elbow)) == 3 and keys_of(panel, elbow)[2][0] == 10.0
    assert keys_of(panel, elbow)[2][1] == pytest.approx(1.0, abs=2.0 * band.scale.unit)
    assert document.stack.index() == steps + 1 and band.chosen is not None
    outside = QPointF(band.track_x(26), 30.0)
    QTest.mouseDClick(band, LEFT, NONE, outside.toPoint())
    QTest.mouseRelease(band, LEFT, NONE, outside.toPoint())
    assert len(keys_of(panel, elbow)) == 3, "not beside the strip"
    at = band.place(*keys_of(panel, elbow)[2])
    QTest.mouseClick(band, LEFT, NONE, at.toPoint())
    before = keys_of(panel, elbow)[2]
    band.setFocus()
    steps = steps_of(panel)
    steps.slide(1)
    steps.rise(1)
    assert keys_of(panel, elbow)[2] == (11.0, pytest.approx(before[1] + 0.2))
    QTest.keyClick(band, Qt.Key.Key_Delete)
    assert len(keys_of(panel, elbow)) == 2 and band.chosen is None
    document.set_frame(12)
    assert band.add_here() == ""
    assert keys_of(panel, elbow)[1][0] == 4.0, "at the playhead, on the curve"
    menu = torque_menu(band, band.edits, now(panel, elbow), "right forearm", 0, "Elbow flex", 12)
    rows = [each.defaultWidget() for each in menu.actions() if isinstance(each, QWidgetAction)]
    rows[0].findChildren(NumberField)[0].edit_to(3.25)
    assert keys_of(panel, elbow)[1] == (4.0, 3.25)
    choose(menu, "Remove key")
    choose(torque_menu(band, band.edits, now(panel, elbow), "right forearm", 0, "Elbow flex", 12), "Remove all keys")
    assert now(panel, elbow).torques == () and band.isVisible(), "its only joint can be keyed again"


@pytest.mark.verify
def test_there_is_room_for_torques_of_the_other_sign_and_larger_ones(panel: TimelinePanel, elbow: HybridStrip) -> None:
    band = panel.torques
    put(panel, replace(elbow, torques=(TorqueCurve("right forearm", 0, ((0.0, 0.0), (4.0, 5.0))),)))
    below = band.place(10.0, -4.0)
    assert below.y() < band.height()
    QTest.mouseDClick(band, LEFT, NONE, below.toPoint())
    QTest.mouseRelease(band, LEFT, NONE, below.toPoint())
    assert keys_of(panel, elbow)[2][1] == pytest.approx(-4.0, abs=2.0 * band.scale.unit)
    start, above = band.place(4.0, 5.0), band.place(4.0, 6.0)
    QTest.mousePress(band, LEFT, NONE, start.toPoint())
    for at in (0.5 * (start + above), above):
        QTest.mouseMove(band, at.toPoint())
    QTest.mouseRelease(band, LEFT, NONE, above.toPoint())
    assert keys_of(panel, elbow)[1][1] == pytest.approx(6.0, abs=2.0 * band.scale.unit)


@pytest.mark.verify
def test_one_drag_takes_a_torque_past_what_the_band_shows(panel: TimelinePanel, elbow: HybridStrip) -> None:
    band, start = panel.torques, panel.torques.place(6.0, -5.0)
    unit, (low, high) = band.scale.unit, band.scale.span
    down = start + QPointF(0.0, 3.0 * band.height())
    QTest.mousePress(band, LEFT, NONE, start.toPoint())
    for part in (0.3, 0.6, 1.0):
        QTest.mouseMove(band, (start + part * (down - start)).toPoint())
        assert 0.0 < band.place(6.0, band.drag.value).y() < band.height(), "the key is seen on its way"
    wanted = -5.0 - unit * 3.0 * band.height()
    assert wanted < 2.0 * low and band.drag.value == pytest.approx(wanted, abs=2.0 * band.scale.unit)
    QTest.mouseMove(band, start.toPoint() + QPointF(0.0, 3.0).toPoint())
    assert band.scale.unit == pytest.approx(unit) and band.scale.span == pytest.approx((low, high)), "and back"
    QTest.mouseMove(band, down.toPoint())
    QTest.mouseRelease(band, LEFT, NONE, down.toPoint())
    assert keys_of(panel, elbow)[1] == (6.0, pytest.approx(wanted, rel=0.02))
    panel.model.document.history.undo()
    assert keys_of(panel, elbow) == elbow.torques[0].keys


@pytest.mark.verify
def test_torques_stay_at_their_frames_where_the_start_of_a_strip_is_dragged(panel, elbow: HybridStrip) -> None:
    tracks = panel.dynamics
    drag(tracks, place(tracks, elbow, shapes.START), -3.0)
    moved = now(panel, elbow)
    assert moved.start == 5 and [(moved.start + frame, torque) for frame, torque in moved.torques[0].keys] == [
        (8.0, 2.0), (14.0, -5.0),
    ]  # fmt: skip
    drag(tracks, place(tracks, moved), 4.0)
    later = now(panel, elbow)
    assert later.start == 9 and later.torques == moved.torques, "moved as a whole it takes them along"
