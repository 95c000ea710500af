"""Physics mode in the window: its keys, buttons, panel and hands, and a simulation from the key press to baked keys."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest

from app.dialogs.bake_dialog import BakeDialog
from app.panels.joints.panel import JointsPanel
from app.panels.locks.panel import LocksPanel
from app.panels.physics.panel import PhysicsPanel
from app.physics import obstacle_edits
from app.scene.pointing import view_point
from app.widgets.fields.number_field import NumberField
from app.widgets.frames.scroll import scroll_area_of
from app.window.main_window import MainWindow
from core.dynamics.contact.methods import CONTACT_METHODS
from core.preview.overlaps import Overlap
from core.preview.sample import LockResidual
from core.skeleton.building import props
from tests.support.fake_preview import FakePreview
from tests.support.mouse import drag, hover, move

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
NONE, LEFT = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton


@pytest.fixture
def previews(window: MainWindow, monkeypatch) -> list[FakePreview]:
    made: list[FakePreview] = []

    def make(model, start, settings):
        sequence = model.sequence

        def build() -> FakePreview:
            made.append(FakePreview(sequence, start))
            return made[-1]

        return build

    monkeypatch.setattr("app.document.physics.state.make_preview", make)
    return made


@pytest.fixture(autouse=True)
def _ends(window: MainWindow):
    QTest.mouseMove(window.area.work_view, QPoint(4, 200))  # the status line tells what works where the mouse is
    yield
    window.document.physics.forget()


def panel_of(window: MainWindow, kind: type):
    return next(panel for panel in window.panels if isinstance(panel, kind))


def press(window: MainWindow, key: Qt.Key, modifiers=NONE) -> None:
    QTest.keyClick(window.area.work_view, key, modifiers)


def simulate(window: MainWindow, qtbot, count: int = 6) -> None:
    press(window, Qt.Key.Key_Space, SHIFT)
    qtbot.waitUntil(lambda: (run := window.document.physics._run) is not None and run.position >= count)


def test_keys_run_step_and_end_a_simulation(window: MainWindow, previews, qtbot, monkeypatch) -> None:
    document, physics, status = window.document, window.document.physics, window.status
    document.set_frame(8)
    simulate(window, qtbot)
    panel = panel_of(window, PhysicsPanel)
    assert document.session.mode == "physics" and window.toolbar.mode.current == "physics"
    assert panel.simulate_button.label == "Pause" and window.timeline.transport.play_button.icon_name == "pause"
    assert status.state.text.startswith("Simulating, frame ") and status.state.token == "dyn"
    assert [what for _, what in status.hints.hints][:2] == ["pause", "pull a part"]
    press(window, Qt.Key.Key_Space)
    assert not physics.running and panel.simulate_button.label == "Simulate"
    chip = window.area.host.toolbox.current.chip()
    assert chip.startswith("Preview · frame ") and chip.endswith("paused")
    monkeypatch.setattr(physics, "current", replace(physics.current, asleep=True))
    assert window.area.host.toolbox.current.chip().endswith("at rest")
    monkeypatch.undo()
    at = physics._run.position
    press(window, Qt.Key.Key_Period)
    qtbot.waitUntil(lambda: physics._run.position == at + 1)
    press(window, Qt.Key.Key_Comma)
    assert physics._run.position == at
    press(window, Qt.Key.Key_Home, CTRL)
    assert physics._run.position == 0 and document.frame == 8
    press(window, Qt.Key.Key_Escape)
    assert physics.current is None and physics.empty and not window.action_table["bake"].isEnabled()
    assert not document.stack.canUndo(), "nothing of it is an edit"


@pytest.mark.verify
def test_what_overlaps_at_the_start_is_reported_once(window: MainWindow, previews, qtbot, monkeypatch) -> None:
    said: list[str] = []
    window.document.message.connect(lambda level, text, details: said.append(f"{level}: {text}"))
    monkeypatch.setattr(
        FakePreview, "overlaps", (Overlap('"chest"', '"crate"', 0.2), Overlap('"head"', "the floor", 0.1))
    )
    simulate(window, qtbot)
    line = 'At the start "chest" is 20 cm inside "crate" and "head" is 10 cm inside the floor; they are pushed apart'
    assert [text for text in said if "inside" in text] == [f"warning: {line}"]


def test_keys_mean_something_else_in_physics_mode(window: MainWindow, previews, qtbot) -> None:
    actions = window.action_table
    assert actions["next_key"].isEnabled() and not actions["simulation_step"].isEnabled()
    window.skeleton.set_mode("physics")
    assert actions["simulation_step"].isEnabled()
    assert not any(actions[name].isEnabled() for name in ("next_key", "next_mode", "set_key", "flip_pose", "bake"))
    window.document.selection.set((3,))
    assert not actions["reset_selection"].isEnabled() and actions["select_none"].isEnabled()
    window.skeleton.set_mode("pose")
    assert actions["next_key"].isEnabled() and actions["set_key"].isEnabled()
    assert not any(actions[name].isEnabled() for name in ("simulation_step", "bake", "throw"))


def test_hints_of_the_transport_are_those_of_the_mode(window: MainWindow) -> None:
    timeline = window.timeline
    QTest.mouseMove(timeline.transport, QPoint(4, 4))
    reported = []
    for mode in ("pose", "physics"):
        window.skeleton.set_mode(mode)
        timeline.hints._inside, timeline.hints._band = True, None
        timeline.hints._notify()
        reported.append(dict(timeline.hints.current))
    assert reported[0][", ."] == "previous, next key" and reported[1][", ."] == "step back, forward"


def test_a_narrow_transport_keeps_its_tabs_whole(window: MainWindow) -> None:
    transport = window.timeline.transport
    lay = transport.layout()
    for width in range(480, 1100, 20):
        transport.set_room(width)
        assert lay.minimumSize().width() <= width, width
        offered = [part for part in (transport.first, transport.fps, transport.speed) if part.isHidden()]
        assert width < 720 or transport.tabs.button.isHidden(), width  # as in a window of 1280 px
        assert transport.more.isHidden() == (not offered), width  # what has no room is behind the three dots
        shown = {transport.first.isHidden(), transport.fps.isHidden(), transport.speed.isHidden()} - {True}
        assert transport.range_line.isHidden() == (not shown), width  # a line has something on both sides
    transport.set_room(window.timeline.width())


def test_a_narrow_transport_sets_range_fps_and_speed_and_changes_its_tab(window: MainWindow) -> None:
    transport, sequence = window.timeline.transport, window.document.sequence
    transport.set_room(480)
    QTest.mouseClick(transport.more, Qt.MouseButton.LeftButton)
    popover = transport.more_popover
    fields = {field.accessibleName(): field for field in popover.findChildren(NumberField)}
    fields["Last frame of the range"].committed.emit(20.0)
    fields["Frames per second"].committed.emit(25.0)
    assert sequence.range == (0, 20) and sequence.fps == 25.0
    assert popover.speed.menu() is transport.speed.menu()
    popover.close()
    titles = [action.text() for action in transport.tabs.button.menu().actions()]
    assert titles == ["Dope sheet", "Curves", "Locks", "Script", "Dynamics"]
    transport.tabs.button.menu().actions()[1].trigger()
    assert window.timeline.curves.isVisible() and transport.tabs.button.label == "Curves"
    transport.set_room(window.timeline.width())


def test_the_bar_of_narrow_curves_cuts_nothing(window: MainWindow) -> None:
    window.timeline.show_tab("curves")
    bar = window.timeline.curves.bar
    for view, page in (("value", bar.keys), ("timing", bar.timing), ("root_speed", bar.root_speed)):
        window.timeline.curves.bar.views.segment(view).click()
        for width in range(60, 700, 20):
            page.fit(width)
            assert page.row.minimumSize().width() <= width, (view, width)
        page.fit(60)
        assert len(page.more_menu().actions()) == (4 if view == "value" else 2) and page.more.isVisibleTo(page)
        page.fit(page.width())


@pytest.mark.verify
def test_a_ctrl_drag_pulls_and_with_shift_throws(window: MainWindow, previews, qtbot, monkeypatch) -> None:
    monkeypatch.setattr("app.tools.physics._SWING", 5.0)  # a busy machine moves the pointer slowly
    view, scene, physics = window.area.work_view, window.area.host.scene, window.document.physics
    window.skeleton.set_mode("physics")
    head = window.document.skeleton.joint_index("head")
    low, high = scene.bounds((head,))
    place = view_point(view, 0.5 * (low + high)).toPoint()
    QTest.mousePress(view, LEFT, CTRL, place)
    assert physics.running and physics.pull.joint == head and view.host.toolbox.active
    before = physics.pull.target
    move(view, place + QPoint(60, 0))
    moved = physics.pull.target - before
    right = view.ray(place.x() + 60.0, place.y())[1] - view.ray(place.x(), place.y())[1]
    assert np.linalg.norm(moved) > 0.1 and moved @ right > 0.9 * np.linalg.norm(moved) * np.linalg.norm(right)
    qtbot.waitUntil(lambda: bool(previews) and any(done[0] == "pull" for done in previews[0].done))
    move(view, place + QPoint(30, 0))
    move(view, place + QPoint(45, 0))
    QTest.mouseRelease(view, LEFT, CTRL | SHIFT, place + QPoint(90, 0))
    assert physics.pull is None
    qtbot.waitUntil(lambda: previews[0].done[-1] == ("release",))
    thrown = [done for done in previews[0].done if done[0] == "throw"]
    assert len(thrown) == 1 and thrown[0][1] is None and thrown[0][2] @ right > 0.0
    low, high = scene.bounds((head,))
    place = view_point(view, 0.5 * (low + high)).toPoint()  # the head has moved on meanwhile
    QTest.mousePress(view, LEFT, CTRL, place)
    press(window, Qt.Key.Key_Escape)
    assert physics.pull is None and not physics.empty, "Esc lets go of the part first"
    QTest.mouseRelease(view, LEFT, CTRL, place)


@pytest.mark.verify
def test_an_edit_leaves_nothing_to_bake(window: MainWindow, previews, qtbot) -> None:
    window.action_table["mode_physics"].trigger()
    simulate(window, qtbot, 2)
    assert window.action_table["bake"].isEnabled()
    window.document.physics.pause()
    window.document.hybrid.add((), 4, 9)
    assert window.document.physics.empty
    assert not any(window.action_table[name].isEnabled() for name in ("bake", "simulation_rewind", "simulation_stop"))
    assert window.action_table["simulation_step"].isEnabled()


@pytest.mark.verify
def test_the_timeline_goes_back_with_a_simulation(window: MainWindow, previews, qtbot) -> None:
    window.action_table["mode_physics"].trigger()
    simulate(window, qtbot, 2)
    window.document.physics.pause()
    model = window.timeline.model
    for name in ("simulation_rewind", "simulation_stop"):
        model.reveal(model.visible()[1] + 200)
        assert not model.visible()[0] <= window.document.frame
        window.document.physics.step()
        qtbot.waitUntil(lambda: window.document.physics._run.position > 0)
        model.reveal(model.visible()[1] + 200)
        window.action_table[name].trigger()
        assert model.visible()[0] <= window.document.frame <= model.visible()[1], name


def test_balls_and_throws_start_it(window: MainWindow, previews, qtbot) -> None:
    window.skeleton.set_mode("physics")
    window.action_table["drop_ball"].trigger()
    window.action_table["throw"].trigger()
    assert window.document.physics.running
    qtbot.waitUntil(lambda: bool(previews) and {done[0] for done in previews[0].done} == {"ball", "throw"})


def test_friction_is_chosen_by_material(window: MainWindow) -> None:
    window.skeleton.set_mode("physics")
    document, world = window.document, panel_of(window, PhysicsPanel).world
    world.header.setChecked(True)
    window.action_table["add_box"].trigger()
    buttons = [*world.surfaces.materials.values(), world.rows[0].material]
    for button, material in zip(buttons, ("Ice", "Rubber", "Stone"), strict=True):
        steps = document.stack.count()
        names = {action.text().split("\t")[0]: action for action in button.make_menu().actions()}
        names[material].trigger()
        assert document.stack.count() == steps + 1
        assert [action.isChecked() for action in button.make_menu().actions()].count(True) == 1
    settings = document.physics.settings.now
    assert (settings.floor.friction, settings.friction, settings.obstacles[0].friction) == (0.03, 1.0, 0.7)
    assert world.surfaces.fields["floor_friction"].value == 0.03 and world.rows[0].friction.value == 0.7
    world.surfaces.floor.click()
    assert not world.surfaces.materials["floor_friction"].isEnabled()
    for _ in range(5):
        document.history.undo()


def test_the_panel_edits_settings_in_steps(window: MainWindow, qtbot) -> None:
    window.skeleton.set_mode("physics")
    document, panel = window.document, panel_of(window, PhysicsPanel)
    assert panel.isVisible() and panel.settings.fields["step"].shown_text() == "1/240 s"
    panel.settings.fields["gravity"].edit_to(1.62)
    surfaces = panel.world.surfaces
    panel.world.header.setChecked(True)
    surfaces.fields["tilt"].edit_to(20.0)
    surfaces.fields["heading"].edit_to(90.0)
    surfaces.self_contact.click()
    settings = document.physics.settings.now
    assert settings.gravity == 1.62 and settings.self_contact
    assert settings.floor.height_at(1.0, 0.0) == pytest.approx(np.tan(np.radians(20.0)))
    assert document.stack.count() == 4
    document.stack.undo()
    document.stack.undo()
    assert not surfaces.self_contact.isChecked() and surfaces.fields["heading"].value == 0.0
    window.action_table["add_stairs"].trigger()
    window.action_table["add_box"].trigger()
    first, second = panel.world.rows
    first.numbers["steps"].edit_to(3.0)
    second.turn.edit_to(45.0)
    stairs, box = document.physics.settings.now.obstacles
    assert stairs.steps == 3 and box.rotation[1] == pytest.approx(np.radians(45.0))
    first.remove_button.click()
    assert [each.kind for each in document.physics.settings.now.obstacles] == ["box"] and len(panel.world.rows) == 1
    document.stack.undo()
    assert [row.kind for row in panel.world.rows] == ["stairs", "box"]


def test_bodies_and_strings_are_added_and_edited_in_the_panel(window: MainWindow, qtbot) -> None:
    window.skeleton.set_mode("physics")
    document, world = window.document, panel_of(window, PhysicsPanel).world
    settings = document.physics.settings
    document.selection.set(["left hand"])
    obstacle_edits.add_body(window.document, "ball")
    obstacle_edits.add_body(window.document, "box")
    obstacle_edits.add_string(window.document)
    assert [row.key for row in world.rows] == [
        ("rigid_bodies", 0, "ball"), ("rigid_bodies", 1, "box"), ("strings", 0, "string"),
    ]  # fmt: skip
    ball, box, string = world.rows
    assert string.body.isVisible() and string.header.text() == "String 1"
    ball.numbers["Radius"].edit_to(0.2)
    assert ball.mass.quantity.text(1e-3) == "0.001 kg", "the least that a body can weigh is no zero"
    ball.mass.edit_to(3.0)
    box.size_field.fields[1].edit_to(0.4)
    box.velocity.fields[2].edit_to(-1.5)
    string.length.edit_to(0.7)
    first, second = settings.now.rigid_bodies
    assert first.size == (0.2,) and first.mass == 3.0 and second.size[1] == 0.4 and second.velocity[2] == -1.5
    assert settings.now.strings[0].length == 0.7 and settings.now.strings[0].part == "left hand"
    assert document.stack.count() == 8
    window.action_table["add_stairs"].trigger()
    assert [row.kind for row in world.rows] == ["stairs", "ball", "box", "string"]
    world.rows[1].remove_button.click()
    assert [body.kind for body in settings.now.rigid_bodies] == ["box"] and len(world.rows) == 3
    for _ in range(document.stack.count()):
        document.stack.undo()
    assert world.rows == []


@pytest.mark.verify
def test_the_menu_adds_to_the_world_what_the_panel_does(window: MainWindow) -> None:
    window.skeleton.set_mode("physics")
    document, world = window.document, panel_of(window, PhysicsPanel).world
    said: list[str] = []
    document.message.connect(lambda level, text, details: said.append(text))
    document.selection.set(())
    menu = window.menu.submenu("Physics", "Add to the world")
    texts = [action.text() for action in menu.actions() if not action.isSeparator()]
    assert texts == [item[0] for item in world.offered() if item is not None] and len(texts) == 11
    window.action_table["add_string"].trigger()
    assert said == ["Select the part that the string is to hold first"] and not document.stack.canUndo()
    document.selection.set(["left hand"])
    waiting = ["String…", "Spring…", "Rope…", "Muscle…", "Strand (hair, tail, cord)…"]
    assert texts[-5:] == waiting
    assert "String that holds left hand" in [item[0] for item in world.offered() if item is not None]
    for action in menu.actions():
        if action.text() not in waiting:  # for the mouse
            action.trigger()
    kinds = ["box", "ramp", "stairs", "ball", "box", "string"]
    assert [row.kind for row in world.rows] == kinds and document.stack.count() == 6
    for _ in kinds:
        document.history.undo()
    assert world.rows == []


@pytest.mark.verify
@pytest.mark.parametrize("mode", ["pose", "physics"])
@pytest.mark.sampled(1)
def test_what_a_menu_adds_opens_its_numbers(window: MainWindow, qtbot, mode: str) -> None:
    document, world = window.document, panel_of(window, PhysicsPanel).world
    window.skeleton.set_mode(mode)
    document.selection.set(["left hand"])
    view = scroll_area_of(world.header).viewport()
    for action, field in (
        ("add_moving_ball", "rigid_bodies"), ("add_box", "obstacles"), ("add_string", "strings"),
        ("add_ramp", "obstacles"),
    ):  # fmt: skip
        window.action_table[action].trigger()
        made = len(getattr(document.physics.settings.now, field)) - 1
        assert document.session.mode == "physics" and document.physics.picked == (field, made)
        row = next(row for row in world.rows if (row.field, row.number) == (field, made))
        qtbot.waitUntil(lambda row=row: row.header.isChecked() and row.body.isVisible())
        qtbot.waitUntil(lambda row=row: view.rect().contains(row.header.mapTo(view, row.header.rect().center())))
    row.header.click()
    window.skeleton.set_mode("pose")
    window.skeleton.set_mode("physics")
    qtbot.wait(50)
    assert not row.header.isChecked(), "what a person has closed stays closed"


@pytest.mark.verify
def test_what_is_added_out_of_sight_is_brought_into_sight(window: MainWindow, qtbot) -> None:
    window.skeleton.set_mode("physics")
    document, view = window.document, window.area.work_view

    def seen() -> bool:
        item = getattr(document.physics.settings.now, document.physics.picked[0])[-1]
        at = view_point(view, item.position)
        return 0 <= at.x() <= view.width() and 0 <= at.y() <= view.height()

    before = view.camera.copy()
    window.action_table["add_moving_ball"].trigger()
    qtbot.wait(400)
    assert seen() and view.camera == before, "what is seen anyhow moves no view"
    for _ in range(4):
        window.action_table["add_box"].trigger()
        qtbot.waitUntil(seen, timeout=2000)
    assert view.camera.distance > before.distance


@pytest.mark.verify
def test_why_a_simulation_failed_goes_with_it(window: MainWindow, previews, qtbot) -> None:
    physics, errors = window.document.physics, window.errors
    simulate(window, qtbot)
    physics._run.ended.emit("the motion runs away")
    assert errors.text == "The motion runs away" and not physics.running
    assert physics.settings.edit(gravity=1.62)
    assert errors.text == ""
    simulate(window, qtbot)
    physics._run.ended.emit("the motion runs away")
    errors.show_message("warning", "Something else")
    physics.forget()
    assert errors.text == "Something else", "what others have to say stays"
    errors.close_message()


@pytest.mark.verify
def test_settings_take_the_playhead_back_to_where_it_would_begin(window: MainWindow, previews, qtbot) -> None:
    document, physics = window.document, window.document.physics
    document.set_frame(7)
    simulate(window, qtbot)
    physics.pause()
    assert document.frame > 7
    assert physics.settings.edit(gravity=1.62)
    assert physics.empty and document.frame == 7 and physics.start_frame == 7
    simulate(window, qtbot)
    assert previews[-1].samples[0].frame == 7
    physics.pause()
    document.stack.undo()
    assert physics.empty and document.frame == 7
    simulate(window, qtbot)
    document.set_frame(3)  # the person has gone elsewhere
    assert physics.current is None
    assert physics.settings.edit(gravity=1.62) and document.frame == 3


@pytest.mark.verify
def test_what_is_in_the_world_is_dragged_in_a_view(window: MainWindow, previews, qtbot) -> None:
    window.skeleton.set_mode("physics")
    document, view = window.document, window.area.work_view
    panel = panel_of(window, PhysicsPanel)
    document.selection.set(["left hand"])
    obstacle_edits.add(window.document, "box")
    obstacle_edits.add_body(window.document, "ball")
    obstacle_edits.add_string(window.document)
    settings = document.physics.settings
    (body,) = settings.now.rigid_bodies
    aside = settings.now.obstacles[0].position + np.array([-1.5, 0.0, 0.0])  # from where the box does not hide it
    settings.edit("Place the ball", rigid_bodies=(replace(body, position=aside),))
    window.action_table["frame_all"].trigger()
    qtbot.wait(400)  # the view has come to rest
    steps = document.stack.index()

    box = settings.now.obstacles[0].position
    place = view_point(view, box + 0.5 * settings.now.obstacles[0].size * [0, 1, 0]).toPoint()
    drag(view, place, place + QPoint(40, 10))
    moved = settings.now.obstacles[0].position
    assert moved[1] == box[1] and np.linalg.norm(moved - box) > 0.05 and document.stack.index() == steps + 1
    document.history.undo()
    assert np.array_equal(settings.now.obstacles[0].position, box)
    ball = settings.now.rigid_bodies[0].position
    place = view_point(view, ball).toPoint()
    drag(view, place, place + QPoint(0, -50), SHIFT)
    raised = settings.now.rigid_bodies[0].position
    assert raised[1] > ball[1] + 0.05 and np.allclose(raised[[0, 2]], ball[[0, 2]])
    anchor = settings.now.strings[0].anchor
    place = view_point(view, anchor).toPoint()
    drag(view, place, place + QPoint(30, 0))
    assert np.linalg.norm(settings.now.strings[0].anchor - anchor) > 0.02
    assert document.stack.undoText() == "Move anchor of string 1"
    # A click opens its numbers, Escape gives a drag up, and what has begun to move stays.
    for row in panel.world.rows:
        row.header.setChecked(False)
    QTest.mouseClick(view, LEFT, NONE, view_point(view, raised).toPoint())
    assert next(row for row in panel.world.rows if row.field == "rigid_bodies").header.isChecked()
    place = view_point(view, raised).toPoint()
    QTest.mousePress(view, LEFT, NONE, place)
    move(view, place + QPoint(30, 0))
    press(window, Qt.Key.Key_Escape)
    QTest.mouseRelease(view, LEFT, NONE, place + QPoint(30, 0))
    assert np.array_equal(settings.now.rigid_bodies[0].position, raised)
    # What was simulated is not true any more.
    simulate(window, qtbot, 3)
    top = settings.now.obstacles[0].position + 0.5 * settings.now.obstacles[0].size * [0, 1, 0]
    place = view_point(view, top).toPoint()
    drag(view, place, place + QPoint(30, 10))
    assert not np.array_equal(settings.now.obstacles[0].position, box)
    assert document.physics.empty and not document.physics.running


@pytest.mark.verify
def test_what_a_drag_in_the_world_does_to_a_simulation_is_said_before(window: MainWindow, previews, qtbot) -> None:
    window.skeleton.set_mode("physics")
    document, view, tool = window.document, window.area.work_view, window.area.host.toolbox.current
    world = panel_of(window, PhysicsPanel).world
    obstacle_edits.add(window.document, "box")
    obstacle_edits.add_body(window.document, "ball")
    (ball,) = document.physics.settings.now.rigid_bodies
    box = document.physics.settings.now.obstacles[0]
    top = box.position + 0.5 * box.size * [0, 1, 0]
    aside = replace(ball, position=box.position + np.array([-1.5, 0.0, 0.0]))
    document.physics.settings.edit("Place the ball", rigid_bodies=(aside,))
    window.action_table["frame_all"].trigger()
    qtbot.wait(400)  # the view has come to rest

    def hints(point) -> list[tuple[str, str]]:
        hover(view, view_point(view, point).toPoint())
        qtbot.wait(60)  # hovering is looked at between pictures
        return tool.hints()

    assert hints(aside.position)[0] == ("Drag", "move moving ball 1") and hints(top)[0] == ("Drag", "move box 1")
    simulate(window, qtbot, 3)
    document.physics.pause()
    assert hints(top)[0] == ("Drag", "move box 1, and drop what was simulated")
    # The made-up simulation leaves out the ball, which is asked for as if the pointer were over it.
    item = tool._over._replace(field="rigid_bodies", number=0, name="moving ball 1")
    tool._item_at = lambda *_: item
    try:
        place = view_point(view, top).toPoint()
        hover(view, place + QPoint(1, 0))
        shown = hints(top)
        assert shown == [("Esc", "back to the start, where moving ball 1 can be moved"), ("Click", "its numbers")]
        said: list[str] = []
        document.message.connect(lambda level, text, details: said.append(text))
        row = next(row for row in world.rows if row.field == "rigid_bodies")
        row.header.setChecked(False)
        QTest.mouseClick(view, LEFT, NONE, place)
        assert row.header.isChecked() and not said, "a click opens its numbers as ever"
        QTest.mousePress(view, LEFT, NONE, place)
        for by in (10, 20, 30):
            move(view, place + QPoint(by, 0))
        QTest.mouseRelease(view, LEFT, NONE, place + QPoint(30, 0))
        assert said == ["Esc goes back to the start, where moving ball 1 can be moved"]
        assert not document.physics.empty
    finally:
        del tool._item_at


@pytest.mark.verify
def test_the_panel_offers_methods_and_says_what_they_leave_out(window: MainWindow, qtbot) -> None:
    window.skeleton.set_mode("physics")
    document, form = window.document, panel_of(window, PhysicsPanel).method
    settings = document.physics.settings
    assert form.method.chosen == "contact" and form.integrator_row.isHidden() and form.note.isHidden()
    form.method.picked.emit("redmax")
    assert (settings.now.integrator, settings.now.formulation) == ("linearly_implicit", "redmax")
    assert form.method.chosen == "redmax" and form.integrator.chosen == "linearly_implicit"
    assert form.integrator_row.isVisible() and form.note.text() == "Not simulated: the floor, limits of ball joints"
    form.integrator.picked.emit("rk4")
    assert settings.now.integrator == "rk4" and "limits of joints" in form.note.text()
    document.hybrid.add(start=0, end=None, mode="brace")
    assert form.note.text().endswith(", bracing")
    document.stack.undo()
    assert "bracing" not in form.note.text()
    settings.edit("Remove the floor", floor=None)
    assert "floor" not in form.note.text()
    form.method.picked.emit("contact")
    assert settings.now.integrator == "contact" and form.note.isHidden() and document.stack.count() == 4
    document.stack.undo()
    assert form.integrator.chosen == "rk4" and form.note.isVisible()
    document.stack.undo()
    document.stack.undo()
    document.physics.start()
    qtbot.waitUntil(lambda: len(document.physics.samples) > 3, timeout=20000)
    assert not document.physics.samples[-1].contacts.points.size


@pytest.mark.verify
def test_the_panel_offers_how_contacts_are_found_where_the_method_finds_none_itself(window: MainWindow, qtbot) -> None:
    window.skeleton.set_mode("physics")
    document, form = window.document, panel_of(window, PhysicsPanel).method
    settings = document.physics.settings
    assert form.contacts_row.isHidden(), "the contact step has a way of its own"
    form.method.picked.emit("redmax")
    assert form.contacts_row.isVisible() and form.contacts.chosen == "none"
    rows = [form.contacts.itemText(k) for k in range(form.contacts.count())]
    assert rows == ["Nothing touches", *(kind.label for kind in CONTACT_METHODS)]
    form.contacts.picked.emit("staggered_projections")
    assert settings.now.contact_method == form.contacts.chosen == "staggered_projections"
    assert "floor" not in form.note.text() and form.contacts.toolTip() == CONTACT_METHODS[3].description
    assert document.stack.undoText() == "Set contacts"
    form.integrator.picked.emit("rk4")
    assert form.contacts_row.isHidden() and "the floor" in form.note.text()
    document.stack.undo()
    document.physics.start()
    qtbot.waitUntil(lambda: len(document.physics.samples) > 3, timeout=60000)
    assert document.physics.samples[-1].contacts.points.size
    assert "staggered projections" in panel_of(window, PhysicsPanel).readings.small
    document.physics.stop()
    document.stack.undo()
    assert settings.now.contact_method == form.contacts.chosen == "none"


@pytest.mark.verify
def test_the_panel_says_before_what_a_method_refuses(window: MainWindow, qtbot) -> None:
    window.skeleton.set_mode("physics")
    document, form = window.document, panel_of(window, PhysicsPanel).method
    form.method.picked.emit("redmax")
    form.integrator.picked.emit("conserving")
    refusal = (
        "Conserving Runge-Kutta 4 takes no joints that keys move; make the whole figure dynamic, or choose another"
    )
    assert "keys move" not in form.note.text()
    document.hybrid.add(("left forearm",), 4, 20)
    first, second = form.note.text().split("\n")
    assert first == f"{refusal} integrator" and second.startswith("Not simulated: the floor, limits of joints")
    form.integrator.picked.emit("rk4")
    assert "keys move" not in form.note.text()
    form.integrator.picked.emit("conserving")
    document.stack.undo()
    document.stack.undo()
    document.stack.undo()
    assert "keys move" not in form.note.text()
    form.integrator.picked.emit("hakenberg")
    taken = "Hakenberg's equations take a hinge, a ball, a free or a fixed joint"
    refusal = f'"right clavicle" moves by several hinges and slides; {taken}'
    line = form.note.fontMetrics().height()  # no line of the note is cut off
    assert form.note.text().startswith(f"{refusal}; choose another integrator\n")
    form.integrator.picked.emit("rk4")
    form.method.picked.emit("hakenberg")
    assert form.note.text().startswith(f"{refusal}; choose another method\n")
    qtbot.waitUntil(lambda: form.note.height() >= form.note.heightForWidth(form.note.width()) > 4 * line)


@pytest.mark.verify
def test_the_panel_shows_the_formulation_that_counts(window: MainWindow) -> None:
    window.skeleton.set_mode("physics")
    document, form = window.document, panel_of(window, PhysicsPanel).method
    settings, method = document.physics.settings, form.method
    method.picked.emit("lagrangian")  # the integrator that is usual would not work by it
    assert (settings.now.integrator, settings.now.formulation) == ("rk4", "lagrangian")
    assert method.chosen == "lagrangian" and method.findText("The integrator's own") < 0
    form.integrator.picked.emit("hakenberg")
    assert method.currentText() == "The integrator's own" and settings.now.formulation == "lagrangian"
    assert method.toolTip().startswith("Hakenberg has equations of its own")
    method.picked.emit(method.chosen)
    assert settings.now.integrator == "hakenberg" and method.currentText() == "The integrator's own"
    method.picked.emit("maximal")
    assert (settings.now.integrator, settings.now.formulation) == ("rk4", "maximal") and method.chosen == "maximal"
    form.integrator.picked.emit("linearly_implicit")
    assert method.chosen == "recursive" and method.toolTip().startswith("Linearly implicit works by this formulation")
    form.integrator.picked.emit("rk45")
    assert method.chosen == "maximal" and "Only the contact step knows locks and strings" in method.toolTip()
    count = document.stack.count()
    for _ in range(count):
        document.stack.undo()
    assert count == 5 and method.chosen == "contact"


def test_panels_show_what_is_simulated_and_edit_none_of_it(window: MainWindow, previews, qtbot) -> None:
    document, physics, joints = window.document, window.document.physics, panel_of(window, JointsPanel)
    document.locks.cycle(["left foot"])
    index = document.stack.index()
    simulate(window, qtbot)
    physics.pause()
    row, root = joints.row(1), joints._groups[0].entries[1]
    qtbot.waitUntil(lambda: row.field.value == pytest.approx(root.origin + physics.pose[1], abs=1e-3))
    assert joints._groups[1].header.summary == "dynamic"
    shown = row.field.value
    row.field.edit_to(shown + 0.2)
    assert row.field.value == pytest.approx(shown) and document.stack.index() == index
    assert "simulated" in window.status.state.text
    assert not panel_of(window, LocksPanel).solving.isVisible()


def test_the_joints_panel_says_what_the_figure_was_told_to_do(window: MainWindow) -> None:
    window.skeleton.set_mode("physics")
    joints, said = panel_of(window, JointsPanel), {}
    for preset in ("motor", "limp", "brace", "stumble"):
        window.action_table[f"direct_{preset}"].trigger()
        said[preset] = joints._groups[1].header.summary
        (strip,) = window.document.hybrid.strips
        # Who faints does not get up with the last key.
        assert strip.mode == preset and strip.end == (window.document.sequence.range[1] if preset == "motor" else None)
    assert said == {"motor": "motor to key", "limp": "limp", "brace": "braces", "stumble": "keeps balance"}


def test_directing_begins_at_the_current_frame_and_stumbling_takes_two_legs(window: MainWindow) -> None:
    document = window.document
    window.skeleton.set_mode("physics")
    document.selection.set(())
    document.set_frame(0)
    window.action_table["direct_limp"].trigger()
    document.set_frame(12)
    steps = document.stack.index()
    window.action_table["direct_stumble"].trigger()
    early, late = document.hybrid.strips
    assert (early.mode, early.start, early.end) == ("limp", 0, 12) and (late.mode, late.start) == ("stumble", 12)
    window.action_table["direct_brace"].trigger()
    assert [strip.mode for strip in document.hybrid.strips] == ["limp", "brace"], "at its start it is told anew"
    assert document.stack.index() == steps + 2
    assert document.figures.add(props.box((0.3, 0.3, 0.3)), "Add box", beside=True)
    steps = document.stack.index()
    window.action_table["direct_stumble"].trigger()
    assert document.stack.index() == steps and not document.hybrid.strips
    assert "two legs" in window.errors.text
    window.errors.close_message()


def test_overlays_have_their_actions(window: MainWindow, qtbot) -> None:
    window.skeleton.set_mode("physics")
    physics, action = window.document.physics, window.action_table["show_momentum"]
    was = physics.overlays["momentum"].on
    action.trigger()
    assert physics.overlays["momentum"].on is action.isChecked() is not was
    action.trigger()


@pytest.mark.verify
def test_the_bake_dialog_says_what_comes_of_it(window: MainWindow, previews, qtbot) -> None:
    simulate(window, qtbot, 8)
    window.document.physics.pause()
    dialog = BakeDialog(window.document.physics.samples, window)
    assert dialog.tolerance == pytest.approx(5e-3) and not dialog.new and dialog.go.isEnabled()
    dialog.show()
    assert dialog.focusWidget() is dialog.go  # Enter bakes
    dialog.last.edit_to(float(dialog.frames[0]))
    assert not dialog.go.isEnabled()
    dialog.deleteLater()


def test_a_fall_is_simulated_and_baked_as_one_step(window: MainWindow, skeletons_folder, qtbot) -> None:
    document, physics = window.document, window.document.physics
    document.files.open(skeletons_folder / "stickman.scr")
    q = document.pose.copy()
    q[1] += 1.0
    document.posing.set(q)
    window.skeleton.set_mode("physics")
    window.document.session.playback.speed = 4.0
    try:
        simulate(window, qtbot, 9)
    finally:
        window.document.session.playback.speed = 1.0
    window.action_table["simulate"].trigger()
    samples, steps = list(physics.samples), document.stack.count()
    for sample in samples[:20]:  # later it lands
        fallen = 0.5 * 9.81 * sample.time**2
        assert q[1] - sample.q[1] == pytest.approx(fallen, abs=1e-3 + 9.81 * sample.time / 240.0)
    window.physics.bake_as((0, 3), None, False)
    qtbot.waitUntil(lambda: not window.background.busy and document.stack.count() > steps, timeout=10000)
    assert document.stack.count() == steps + 1 and physics.empty
    assert [key.frame for key in document.sequence.keys] == [0, 1, 2, 3]
    at_frame = next(sample for sample in samples if sample.frame == 3.0)
    np.testing.assert_allclose(document.sequence.keys.at(3).q, at_frame.q, atol=1e-12)


@pytest.mark.verify
def test_there_is_a_way_back_from_what_was_baked_beside(window: MainWindow, previews, qtbot) -> None:
    document, choice, errors = window.document, window.timeline.strip.sequences, window.errors
    before = document.sequence
    simulate(window, qtbot, 8)
    assert choice.isHidden()
    for count, name in ((2, f"{before.name} baked"), (3, f"{before.name} baked 2")):
        first = round(document.physics.samples[0].frame)
        window.physics.bake_as((first, first + 2), None, True)
        qtbot.waitUntil(
            lambda count=count: len(document.sequences.all) == count and bool(errors.choices), timeout=10000
        )
        assert document.sequence.name == name and name in errors.text and before.name in errors.text
        assert choice.isVisible() and choice.currentText() == name
        _, back = errors.choices
        back.click()
        assert document.sequence is before and errors.text == "" and choice.currentText() == before.name
        if count == 2:
            simulate(window, qtbot, 8)
        else:
            document.sequences.show(2)
            window.physics._offer_return(0)
            errors.choices[0].click()
            assert window.player.playing and document.session.mode == "pose" and document.sequence.name == name
            window.player.pause()
    choice.picked.emit(1)
    assert document.sequence.name == f"{before.name} baked"
    menu = next(each.menu() for each in window.menu.findChildren(QAction) if each.text() == "Show sequence")
    menu.aboutToShow.emit()
    assert [each.text() for each in menu.actions()] == [each.name for each in document.sequences.all]
    assert [each.isChecked() for each in menu.actions()] == [False, True, False]
    menu.actions()[0].trigger()
    assert document.sequence is before
    document.history.undo()
    assert document.sequence.name == f"{before.name} baked" == choice.currentText()


@pytest.mark.verify
def test_locks_are_reported_as_constraints(window: MainWindow, previews, qtbot) -> None:
    document, physics, panel = window.document, window.document.physics, panel_of(window, LocksPanel)
    document.locks.cycle(["left foot"])
    simulate(window, qtbot, 3)
    physics.pause()
    (strip,) = document.locks.strips
    for off, acts, words in ((2e-4, True, ("Kept as a constraint", "0.2 mm", "holds")),
                             (4e-3, True, ("Kept as a constraint", "4.0 mm", "yields")),
                             (0.1, False, ("Off while dynamic", "", "off"))):  # fmt: skip
        residual = LockResidual(strip.id, "left foot", "position", off, 0.0, acts)
        physics._show(replace(physics.current, lock_residuals=(residual,)))
        line = panel.list.rows[strip.id].line
        assert (line.detail, line.residual, line.word) == words


@pytest.mark.verify
def test_an_unfolded_world_is_scrolled_into_sight(window: MainWindow, qtbot) -> None:
    window.resize(1024, 680)
    press(window, Qt.Key.Key_3, CTRL)
    panel = panel_of(window, PhysicsPanel)
    window.workbench.dock_of(panel).show()
    header, switch = panel.world.header, panel.follow_button
    view = scroll_area_of(header).viewport()

    def seen(part) -> bool:
        return part.isVisible() and view.rect().contains(part.mapTo(view, part.rect().center()))

    header.setChecked(False)
    qtbot.waitUntil(lambda: view.height() > 0 and not seen(panel.world.surfaces))
    scroll_area_of(header).verticalScrollBar().setValue(9999)
    QTest.mouseClick(header, LEFT)
    qtbot.waitUntil(lambda: seen(panel.world.surfaces) and seen(header))
    obstacle_edits.add(window.document, "stairs")
    row = panel.world.rows[-1]
    qtbot.waitUntil(lambda: seen(row.header) and seen(row.friction))
    assert panel.world.mapTo(view, QPoint(0, 0)).x() == 0 and panel.world.width() <= view.width(), "nothing is cut off"
    QTest.mouseClick(switch, LEFT)
    assert window.document.session.view.overlays["follow"] and window.action_table["follow_figure"].isChecked()
    window.action_table["follow_figure"].trigger()
    assert not switch.isChecked() and not window.document.session.view.overlays["follow"]


@pytest.mark.verify
def test_a_part_is_pulled_by_an_action_for_a_moment(window: MainWindow, previews, qtbot) -> None:
    document, actions = window.document, window.action_table
    window.skeleton.set_mode("physics")
    document.selection.set(())
    actions["pull_up"].trigger()
    assert document.physics.pull is None and window.status.state.text == "Select a part first"
    hand = document.skeleton.joint_index("right hand")
    document.selection.set((hand,))
    actions["pull_up"].trigger()
    first = document.physics.pull
    assert first is not None and first.joint == hand and document.physics.running
    actions["pull_up"].trigger()
    second = document.physics.pull
    assert second.target - first.target == pytest.approx([0.0, 0.4, 0.0], abs=0.1), "once more pulls farther up"
    assert second.point == pytest.approx(first.point)
    qtbot.waitUntil(lambda: document.physics.pull is None)
    window.skeleton.set_mode("pose")
    assert not actions["pull_up"].isEnabled()


def test_the_end_of_an_actions_pull_lets_go_of_nothing_else(window: MainWindow, previews, qtbot) -> None:
    """Leaving physics mode ends it for good; what the mouse pulls meanwhile stays in its hand."""
    document, actions = window.document, window.action_table
    physics, timer = document.physics, window.physics._letting_go
    window.skeleton.set_mode("physics")
    hand = document.skeleton.joint_index("right hand")
    document.selection.set((hand,))
    actions["pull_up"].trigger()
    assert timer.isActive()
    window.skeleton.set_mode("pose")
    assert physics.pull is None and not timer.isActive()
    window.skeleton.set_mode("physics")
    actions["pull_up"].trigger()
    physics.begin_pull(hand, np.zeros(3), np.ones(3))  # as the mouse does
    timer.timeout.emit()
    assert physics.pull is not None
    physics.release()
    assert not timer.isActive()
    window.skeleton.set_mode("pose")
