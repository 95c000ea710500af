"""Strings, springs, ropes and muscles attached with the mouse, dragged, edited, keyed and simulated in the window."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from scipy.integrate import simpson

from app.document.edits import joint_edits
from app.document.physics.state import make_preview
from app.export.shot import Shot
from app.panels.physics.panel import PhysicsPanel
from app.panels.physics.world import WorldRow
from app.physics import line_edits
from app.scene.pointing import view_point
from app.scene.world_scene import WorldItem
from app.timeline.dynamics.activation_band import ActivationBand
from app.window.main_window import MainWindow
from app.words.line_kinds import LINE_KINDS
from core.animation.hybrid_strips import HybridStrip
from core.dynamics.forces import ElasticRope, Muscle, SpringDamper
from core.formats.bundled import bundled_folder
from core.kinematics import forward_kinematics
from core.preview.line_nodes import Node, node_places, nodes_of, with_nodes
from core.preview.rigid_bodies import RigidBody
from core.preview.settings import PhysicsSettings
from core.skeleton import load_skeleton
from core.skeleton.building import props
from tests.support.attaching import LEFT, NONE, attach, begin, click, drag, pixel_of
from tests.support.mouse import hover, move

ARM, FOREARM, SHIN = "right upper arm", "right forearm", "right shank"


@pytest.fixture(autouse=True)
def _ends(window: MainWindow):
    yield
    window.document.physics.forget()


@pytest.fixture
def physics(window: MainWindow, qtbot):
    """Physics mode, the views at rest."""
    window.skeleton.set_mode("physics")
    frame_all(window, qtbot)
    return window.document.physics


def frame_all(window: MainWindow, qtbot) -> None:
    """Let the work area show everything, and wait until it has come to rest."""
    window.action_table["frame_all"].trigger()
    area = window.area
    qtbot.waitUntil(lambda: not (area._glide.running or area._settle.isActive() or area.work_view.stale))


def forces(window: MainWindow) -> tuple:
    return window.document.physics.settings.now.forces


def rows(window: MainWindow) -> list[WorldRow]:
    return next(panel for panel in window.panels if isinstance(panel, PhysicsPanel)).world.rows


def surface(window: MainWindow, at: QPoint) -> np.ndarray:
    hit = window.area.host.scene.pick(*window.area.work_view.ray(at.x(), at.y()))
    assert hit is not None
    return hit.point


def places(window: MainWindow, line) -> np.ndarray:
    scene, skeleton = window.area.host.scene, window.document.skeleton
    frames = {name: scene.poses[k] for k, name in enumerate(skeleton.joint_names)} | scene.world_around.body_frames()
    found = node_places(nodes_of(line), frames)
    assert found is not None
    return found


def test_two_clicks_attach_it_where_the_surfaces_are_hit(window: MainWindow, physics) -> None:
    document, mass = window.document, 73.0
    start, end = pixel_of(window, FOREARM), pixel_of(window, SHIN)
    wanted = np.array([surface(window, start), surface(window, end)])
    far = float(np.linalg.norm(wanted[1] - wanted[0]))
    for kind in [kind for kind in LINE_KINDS if kind.offered and kind.field != "strands"]:
        steps = document.stack.count()
        attach(window, kind.name, start, end)
        assert document.stack.count() == steps + 1 and document.stack.undoText() == f"Attach a {kind.name}"
        settings = physics.settings.now
        line = settings.forces[-1] if kind.force else settings.strings[-1]
        assert np.allclose(places(window, line), wanted, atol=1e-9), kind.name
        assert {node.part for node in nodes_of(line)} == {FOREARM, SHIN}
        assert physics.attaching is None and rows(window)[-1 if kind.force else 0].header.isChecked()
    string = physics.settings.now.strings[0]
    spring, rope, muscle = forces(window)
    assert (type(spring), type(rope), type(muscle)) == (SpringDamper, ElasticRope, Muscle)
    assert string.length == pytest.approx(far) and spring.rest_length == pytest.approx(far, abs=1e-4)
    assert muscle.optimal_length == pytest.approx(far, abs=1e-4) and muscle.activation == 0.5
    # The figure would hang on the spring a tenth of its height lower; the muscle lifts twice its weight.
    assert spring.stiffness == pytest.approx(mass * 9.81 / (0.1 * window.area.host.scene.height), rel=0.06)
    assert muscle.optimal_force == pytest.approx(2.0 * mass * 9.81, rel=0.06)
    for _ in range(4):
        document.history.undo()
    assert forces(window) == () and physics.settings.now.strings == () and rows(window) == []
    document.history.redo()
    assert np.allclose(places(window, physics.settings.now.strings[0]), wanted, atol=1e-9)


def test_the_pointer_says_what_to_do_and_escape_gives_up(window: MainWindow, physics, qtbot) -> None:
    view, status = window.area.work_view, window.status
    start, end = pixel_of(window, FOREARM), pixel_of(window, SHIN)
    begin(window, "muscle")
    hover(view, start)
    assert status.hints.hints[0] == ("Click", "the part where the muscle begins")
    qtbot.waitUntil(lambda: status.state.text == "Muscle from right forearm")
    assert view.cursor().shape() == Qt.CursorShape.CrossCursor
    click(window, start)
    hover(view, end)
    assert status.hints.hints[0] == ("Click", "where it goes on, or ends: a part, a body or the floor")
    qtbot.waitUntil(lambda: status.state.text == "Muscle from right forearm to right shank")
    QTest.keyClick(view, Qt.Key.Key_Escape)
    assert physics.attaching == "muscle", "first what was begun"
    QTest.keyClick(view, Qt.Key.Key_Escape)
    assert physics.attaching is None and forces(window) == () and not window.document.stack.canUndo()
    hover(view, start)
    qtbot.waitUntil(lambda: view.cursor().shape() == Qt.CursorShape.ArrowCursor)
    # A click beside everything, with nothing begun, says so; another mode ends it.
    begin(window, "spring")
    sky = QPoint(view.width() // 2, 40)
    click(window, sky)
    assert physics.attaching == "spring" and window.area.host.toolbox.current._found == []
    window.skeleton.set_mode("pose")
    assert physics.attaching is None


@pytest.mark.verify
def test_a_drag_attaches_from_press_to_release(window: MainWindow, physics) -> None:
    start, end = pixel_of(window, FOREARM), pixel_of(window, SHIN)
    wanted = np.array([surface(window, start), surface(window, end)])
    for kind in ("spring", "muscle"):
        begin(window, kind)
        drag(window, start, end)
        assert np.allclose(places(window, forces(window)[-1]), wanted, atol=1e-9)
        assert physics.attaching is None


@pytest.mark.verify
def test_a_muscle_goes_through_further_points(window: MainWindow, physics) -> None:
    view = window.area.work_view
    way = [pixel_of(window, "chest"), pixel_of(window, ARM), pixel_of(window, FOREARM)]
    attach(window, "muscle", *way)
    assert len(nodes_of(forces(window)[0])) == 3
    begin(window, "muscle")
    for at in way[:2]:
        click(window, at)
    QTest.mouseClick(view, LEFT, NONE, way[2])
    QTest.mouseDClick(view, LEFT, NONE, way[2])
    QTest.mouseRelease(view, LEFT, NONE, way[2])
    first, second = forces(window)
    assert np.allclose(places(window, first), places(window, second)) and physics.attaching is None
    assert first.optimal_length == pytest.approx(
        np.linalg.norm(np.diff(places(window, first), axis=0), axis=1).sum(), abs=1e-4
    )


@pytest.mark.verify
def test_ends_are_on_bodies_the_floor_and_in_the_air(window: MainWindow, physics, qtbot) -> None:
    settings, view = physics.settings, window.area.work_view
    ball = RigidBody("ball", (0.15,), 2.0, np.array([-0.9, 0.6, 0.0]))
    settings.edit("Add a ball", rigid_bodies=(ball,))
    frame_all(window, qtbot)
    attach(window, "spring", pixel_of(window, FOREARM), pixel_of(window, ball.position))
    nodes = nodes_of(forces(window)[0])
    assert [node.part for node in nodes] == [FOREARM, "ball 1"], "a body gets a name to be known by"
    assert settings.now.rigid_bodies[0].name == "ball 1"
    assert np.linalg.norm(nodes[1].point) == pytest.approx(0.15, abs=0.01)
    attach(window, "spring", pixel_of(window, FOREARM), pixel_of(window, (-1.2, 0.0, 0.3)))
    floor = nodes_of(forces(window)[1])[1]
    assert floor.part is None and np.allclose(floor.point, [-1.2, 0.0, 0.3], atol=0.02)
    sky = QPoint(view.width() // 2, 40)
    attach(window, "string", pixel_of(window, "head"), sky)
    (string,) = settings.now.strings
    assert string.part == "head" and string.other is None and string.anchor[1] > 1.6
    # Between two places of the world there is nothing to hold.
    steps = window.document.stack.index()
    attach(window, "spring", pixel_of(window, (-1.2, 0.0, 0.3)), pixel_of(window, (-1.3, 0.0, 0.0)))
    assert window.document.stack.index() == steps and "must be on a part" in window.errors.text
    window.errors.close_message()


@pytest.mark.verify
def test_numbers_are_edited_in_its_row(window: MainWindow, physics) -> None:
    attach(window, "spring", pixel_of(window, FOREARM), pixel_of(window, SHIN))
    attach(window, "muscle", pixel_of(window, ARM), pixel_of(window, FOREARM))
    spring, muscle = rows(window)
    assert spring.header.text() == "Spring 1" and list(spring.numbers) == [
        "stiffness", "rest_length", "damping",
    ]  # fmt: skip
    spring.numbers["stiffness"].edit_to(250.0)
    spring.numbers["rest_length"].edit_to(0.4)
    spring.numbers["damping"].edit_to(7.0)
    muscle.numbers["optimal_force"].edit_to(800.0)
    muscle.numbers["activation"].edit_to(0.25)
    first, second = forces(window)
    assert (first.stiffness, first.rest_length, first.damping) == (250.0, 0.4, 7.0)
    assert (second.optimal_force, second.activation) == (800.0, 0.25)
    assert window.document.stack.undoText() == "Change muscle 1"
    window.document.history.undo()
    assert forces(window)[1].activation == 0.5 and muscle.numbers["activation"].value == 0.5
    spring.remove_button.click()
    assert [type(each) for each in forces(window)] == [Muscle] and len(rows(window)) == 1


def test_an_end_is_dragged_over_the_parts(window: MainWindow, physics) -> None:
    document, view = window.document, window.area.work_view
    attach(window, "spring", pixel_of(window, FOREARM), pixel_of(window, SHIN))
    before, steps = forces(window)[0], document.stack.index()
    end = view_point(view, places(window, before)[1]).toPoint()
    to = pixel_of(window, "head")
    wanted = surface(window, to)
    drag(window, end, to)
    moved = forces(window)[0]
    assert [node.part for node in nodes_of(moved)] == [FOREARM, "head"]
    assert np.allclose(places(window, moved)[1], wanted, atol=1e-9) and document.stack.index() == steps + 1
    assert document.stack.undoText() == "Move end of spring 1"
    document.history.undo()
    assert np.array_equal(forces(window)[0].points, before.points)
    # Escape gives it up.
    QTest.mousePress(view, LEFT, NONE, end)
    move(view, (end + to) / 2)
    move(view, to)
    assert nodes_of(forces(window)[0])[1].part == "head"
    QTest.keyClick(view, Qt.Key.Key_Escape)
    QTest.mouseRelease(view, LEFT, NONE, to)
    assert nodes_of(forces(window)[0])[1].part == SHIN and document.stack.index() == steps
    # Beside the parts it goes across the view, and is fixed to the world.
    aside = end + QPoint(150, 0)
    drag(window, end, aside)
    assert nodes_of(forces(window)[0])[1].part is None
    assert (view_point(view, places(window, forces(window)[0])[1]).toPoint() - aside).manhattanLength() < 4


@pytest.mark.verify
def test_a_click_picks_it_and_delete_removes_it(window: MainWindow, physics, qtbot) -> None:
    view = window.area.work_view
    attach(window, "muscle", pixel_of(window, ARM), pixel_of(window, SHIN))
    attach(window, "spring", pixel_of(window, "head"), pixel_of(window, "left foot"))
    rows(window)[0].header.setChecked(False)
    line = places(window, forces(window)[0])
    on = view_point(view, line.mean(axis=0)).toPoint()
    hover(view, on)
    qtbot.waitUntil(lambda: window.status.state.text == "Muscle 1")
    QTest.mouseClick(view, LEFT, NONE, on)
    assert physics.picked == ("forces", 0) and rows(window)[0].header.isChecked()
    QTest.keyClick(view, Qt.Key.Key_Delete)
    assert [type(each) for each in forces(window)] == [SpringDamper] and physics.picked is None
    assert window.document.stack.undoText() == "Remove muscle 1"
    window.document.history.undo()
    assert len(forces(window)) == 2


# -- activation ------------------------------------------------------------------------------------------------------


def band_of(window: MainWindow) -> ActivationBand:
    return window.timeline.activations


@pytest.mark.verify
def test_activation_is_keyed_on_the_dynamics_tab(window: MainWindow, physics) -> None:
    document, band = window.document, band_of(window)
    attach(window, "muscle", pixel_of(window, ARM), pixel_of(window, FOREARM))
    assert band.isVisible() and [row.name for row in band.rows] == ["Muscle 1"]
    fps = document.sequence.fps
    for frame, value in ((4.0, 0.0), (12.0, 0.9)):
        at = band.place(frame, value).toPoint()
        QTest.mouseDClick(band, LEFT, NONE, at)
        QTest.mouseRelease(band, LEFT, NONE, at)
    (first, last) = forces(window)[0].activation
    assert first[0] == pytest.approx(4.0 / fps) and last[0] == pytest.approx(12.0 / fps)
    assert first[1] == pytest.approx(0.0, abs=0.03) and last[1] == pytest.approx(0.9, abs=0.03)
    steps = document.stack.index()
    start = band.place(12.0, last[1]).toPoint()
    away = QPoint(round(6.0 * band.model.pixels), 15)
    QTest.mousePress(band, LEFT, NONE, start)
    for part in (0.5, 1.0):
        move(band, start + away * part)
    assert band.drag is not None and document.stack.index() == steps
    QTest.mouseRelease(band, LEFT, NONE, start + away)
    keys = band.rows[0].curve.keys
    assert keys[1][0] == 18.0 and keys[1][1] < last[1] and document.stack.index() == steps + 1
    document.history.undo()
    assert band.rows[0].curve.keys[1][0] == 12.0
    # No value leaves 0 to 1, however far it is dragged.
    start = band.place(*band.rows[0].curve.keys[1]).toPoint()
    QTest.mousePress(band, LEFT, NONE, start)
    for high in (-20, -200):
        move(band, start + QPoint(0, high))
    QTest.mouseRelease(band, LEFT, NONE, start + QPoint(0, -200))
    assert band.rows[0].curve.keys[1] == (12.0, 1.0)
    # The row of the panel shows it at the current frame, and keys it there.
    (row,) = rows(window)
    document.set_frame(4)
    assert row.numbers["activation"].value == pytest.approx(first[1])
    document.set_frame(20)
    assert row.numbers["activation"].value == 1.0
    row.numbers["activation"].edit_to(0.3)
    assert band.rows[0].curve.keys[-1] == (20.0, pytest.approx(0.3))
    band.chosen = None
    band.setFocus()
    QTest.mouseClick(band, LEFT, NONE, band.place(20.0, 0.3).toPoint())
    QTest.keyClick(band, Qt.Key.Key_Delete)
    assert len(band.rows[0].curve.keys) == 2
    # Opened in the panel it is picked, as by a click on it in a view.
    physics.unpick()
    assert not band.isVisible()
    for _ in range(2):
        row.header.click()
    assert physics.picked == ("forces", 0) and band.isVisible()
    # A strip that is selected brings its torques back.
    strip = HybridStrip((FOREARM,), 2, 20)
    document.hybrid.set((strip,))
    window.timeline.dynamics.board.select(strip.id)
    assert not band.isVisible() and window.timeline.torques.isVisible() and physics.picked is None


@pytest.mark.verify
def test_keys_of_activation_go_along_with_keys_that_are_retimed(window: MainWindow, physics) -> None:
    document, band, model = window.document, band_of(window), window.timeline.model
    attach(window, "muscle", pixel_of(window, ARM), pixel_of(window, FOREARM))
    assert line_edits.put_keys(document, 0, ((4.0, 0.0), (12.0, 0.9)), "Key activation")
    model.select_all()
    model.set_shift(5)
    assert band.rows[0].curve.keys == ((9.0, 0.0), (17.0, 0.9)), "shown where they will be"
    model.cancel()
    assert band.rows[0].curve.keys == ((4.0, 0.0), (12.0, 0.9))
    model.set_shift(5)
    assert model.drop() and band.rows[0].curve.keys == ((9.0, 0.0), (17.0, 0.9))
    document.history.undo()
    assert band.rows[0].curve.keys == ((4.0, 0.0), (12.0, 0.9))
    assert document.keys.insert_frames(8, 3) and band.rows[0].curve.keys == ((4.0, 0.0), (15.0, 0.9))
    document.history.undo()
    assert band.rows[0].curve.keys == ((4.0, 0.0), (12.0, 0.9))


def test_activation_without_keys_is_one_number(window: MainWindow, physics) -> None:
    attach(window, "muscle", pixel_of(window, ARM), pixel_of(window, FOREARM))
    (row,) = rows(window)
    window.document.set_frame(7)
    assert not row.key_button.isChecked()
    row.key_button.click()
    assert band_of(window).rows[0].curve.keys == ((7.0, 0.5),) and row.key_button.isChecked()
    window.document.set_frame(9)
    assert not row.key_button.isChecked()
    row.key_button.click()
    assert [frame for frame, _ in band_of(window).rows[0].curve.keys] == [7.0, 9.0]
    row.key_button.click()
    assert band_of(window).rows[0].curve.keys == ((7.0, 0.5),) and not row.key_button.isChecked()
    window.document.set_frame(7)
    assert row.key_button.isChecked() and row.key_button.toolTip().startswith("Take away")
    menu = band_of(window).menu(band_of(window).rows[0], 7)
    next(each for each in menu.actions() if each.text().startswith("Remove all keys")).trigger()
    assert forces(window)[0].activation == 0.5 and band_of(window).rows[0].curve is None


# -- what it does ----------------------------------------------------------------------------------------------------


def simulated(window: MainWindow, qtbot, seconds: float) -> list:
    physics = window.document.physics
    physics.start()
    qtbot.waitUntil(
        lambda: bool(window.errors.text) or bool(physics.samples and physics.samples[-1].time >= seconds - 1e-6),
        timeout=60_000,
    )
    physics.pause()
    assert window.errors.text == ""
    return list(physics.samples)


def bend(window: MainWindow, sample) -> float:
    """Return the angle between the right upper arm and the forearm in a sample, [rad]."""
    skeleton = window.document.skeleton
    poses = forward_kinematics(skeleton, sample.q)
    shoulder, elbow, wrist = (poses[skeleton.joint_index(name), :3, 3] for name in (ARM, FOREARM, "right hand"))
    a, b = elbow - shoulder, wrist - elbow
    return float(np.arccos(a @ b / (np.linalg.norm(a) * np.linalg.norm(b))))


@pytest.mark.verify
def test_a_muscle_bends_an_arm_when_its_curve_says_so(window: MainWindow, physics, qtbot) -> None:
    document = window.document
    fps = document.sequence.fps
    document.hybrid.set((HybridStrip((FOREARM, "right hand"), 0, None),))
    attach(window, "muscle", pixel_of(window, ARM, 0.3), pixel_of(window, FOREARM, 0.35))
    settings, (muscle,) = physics.settings, forces(window)
    seconds = 0.6
    bends, early = {}, 0
    for name, activation in (
        ("off", 0.0), ("on", 0.6), ("keyed", ((0.2, 0.0), (0.3, 0.6))),
    ):  # fmt: skip
        settings.edit(forces=(replace(muscle, activation=activation),))
        samples = simulated(window, qtbot, seconds)
        bends[name] = [bend(window, each) for each in samples]
        early = sum(each.time < 0.19 for each in samples)
        physics.forget()
    assert bends["on"][-1] > bends["off"][-1] + 0.4
    assert bends["keyed"][:early] == pytest.approx(bends["off"][:early], abs=1e-9), "nothing before its first key"
    assert bends["keyed"][-1] > bends["off"][-1] + 0.4
    # Keys are at frames of the sequence: one that begins at frame 6 has them so much earlier.
    document.set_frame(round(0.2 * fps))
    later = [bend(window, each) for each in simulated(window, qtbot, 0.3)]
    settings.edit(forces=(replace(muscle, activation=0.0),))
    physics.forget()
    without = [bend(window, each) for each in simulated(window, qtbot, 0.3)]
    assert later[-1] > without[-1] + 0.1


@pytest.mark.verify
def test_a_spring_holds_what_would_fall(window: MainWindow, physics, qtbot) -> None:
    document = window.document
    document.hybrid.set((HybridStrip((), 0, None),))
    view = window.area.work_view

    def height(sample) -> float:
        poses = forward_kinematics(document.skeleton, sample.q)
        return float(poses[document.skeleton.joint_index(ARM), 1, 3])

    free = height(simulated(window, qtbot, 0.5)[-1])
    physics.forget()
    attach(window, "spring", pixel_of(window, ARM, 0.3), QPoint(view.width() // 2, 40))
    (first, last) = nodes_of(forces(window)[0])
    assert first.part == ARM and last.part is None
    held = height(simulated(window, qtbot, 0.5)[-1])
    assert held > free + 0.15


@pytest.mark.verify
def test_it_follows_joints_that_are_renamed_and_goes_with_those_that_are_removed(window: MainWindow, physics) -> None:
    document = window.document
    attach(window, "string", pixel_of(window, FOREARM), pixel_of(window, SHIN))
    attach(window, "muscle", pixel_of(window, ARM), pixel_of(window, FOREARM))
    attach(window, "spring", pixel_of(window, "head"), pixel_of(window, SHIN))
    steps, before = document.stack.index(), physics.settings.now.to_record()
    assert document.figures.edit(joint_edits.renamed(FOREARM, "paw"), "Rename right forearm")
    assert physics.settings.now.strings[0].part == "paw" and forces(window)[0].bodies == (ARM, "paw")
    assert forces(window)[1].bodies == ("head", SHIN) and document.stack.index() == steps + 1
    document.history.undo()
    assert physics.settings.now.to_record() == before
    assert document.figures.edit(joint_edits.removed((FOREARM,), True), "Remove right forearm")
    assert physics.settings.now.strings == () and [type(each) for each in forces(window)] == [SpringDamper]
    document.history.undo()
    assert physics.settings.now.to_record() == before


@pytest.mark.verify
def test_all_is_in_the_file(window: MainWindow, physics, tmp_path: Path) -> None:
    document = window.document
    attach(window, "string", pixel_of(window, "head"), QPoint(window.area.work_view.width() // 2, 40))
    for kind in ("spring", "rope", "muscle"):
        attach(window, kind, pixel_of(window, ARM), pixel_of(window, SHIN))
    rows(window)[-1].key_button.click()
    before = physics.settings.now
    assert PhysicsSettings.from_record(before.to_record()).to_record() == before.to_record()
    assert document.files.save(tmp_path / "held.seq")
    assert document.files.open(tmp_path / "held.seq")
    after = document.physics.settings.now
    assert after.to_record() == before.to_record() and after.forces[2].activation == before.forces[2].activation
    document.session.mode = "physics"
    assert len(window.area.host.scene.world_around.lines()) == 4


@pytest.mark.verify
def test_pictures_and_movies_have_them(window: MainWindow, physics, tmp_path: Path) -> None:
    document = window.document
    attach(window, "muscle", pixel_of(window, "head"), pixel_of(window, "left foot"))

    def shot() -> np.ndarray:
        made = Shot(
            document.skeleton, np.array([0.0]), 30.0, (200, 160), document.sequence, physics=physics.settings.now
        )
        return next(iter(made.pictures()))[..., :3].astype(int)

    with_muscle = shot()
    document.history.undo()
    without = shot()
    changed = np.abs(with_muscle - without).max(axis=2) > 30
    assert changed.sum() > 60
    red = with_muscle[changed]
    assert (red[:, 0] > red[:, 1] + 30).mean() > 0.4


# -- names -----------------------------------------------------------------------------------------------------------


@pytest.mark.verify
def test_each_has_a_name_and_another_is_given_in_the_panel(window: MainWindow, physics, tmp_path: Path) -> None:
    document, band = window.document, band_of(window)
    for kind in ("muscle", "muscle", "spring", "string"):
        attach(window, kind, pixel_of(window, ARM), pixel_of(window, FOREARM))
    assert [force.name for force in forces(window)] == ["muscle 1", "muscle 2", "spring 1"]
    assert physics.settings.now.strings[0].name == "string 1"
    string, first, second, spring = rows(window)
    assert string.header.text() == "String 1" and "string 1" in string.remove_button.toolTip()
    steps = document.stack.index()
    first.name_field.setFocus()
    first.name_field.selectAll()
    QTest.keyClicks(first.name_field, "biceps")
    QTest.keyClick(first.name_field, Qt.Key.Key_Return)
    assert forces(window)[0].name == "biceps" and document.stack.index() == steps + 1
    assert document.stack.undoText() == "Rename muscle 1"
    assert first.header.text() == "Biceps" and "biceps" in first.key_button.toolTip()
    physics.show_in_world("forces", 0)
    assert [row.name for row in band.rows] == ["Biceps", "Muscle 2"]
    first.key_button.click()
    assert document.stack.undoText() == f"Key activation of biceps at frame {document.frame}"
    document.history.undo()
    # A name that another has is refused; none at all is one made from its part.
    second.name_field.committed.emit("biceps")
    assert forces(window)[1].name == "muscle 2" and 'There is a "biceps" already' in window.errors.text
    window.errors.close_message()
    second.name_field.committed.emit("")
    assert forces(window)[1].name == "" and second.header.text() == "Muscle of right forearm"
    spring.numbers["stiffness"].edit_to(100.0)
    assert document.stack.undoText() == "Change spring 1"
    # The next one takes the first number that is free.
    attach(window, "muscle", pixel_of(window, ARM), pixel_of(window, SHIN))
    assert forces(window)[-1].name == "muscle 1"
    assert document.files.save(tmp_path / "named.seq") and document.files.open(tmp_path / "named.seq")
    assert [force.name for force in forces(window)] == ["biceps", "", "spring 1", "muscle 1"]


@pytest.mark.verify
def test_a_file_of_an_earlier_version_opens_unchanged(window: MainWindow, physics) -> None:
    attach(window, "muscle", pixel_of(window, ARM), pixel_of(window, FOREARM))
    record = physics.settings.now.to_record()
    assert record["forces"][0].pop("name") == "muscle 1"
    again = PhysicsSettings.from_record(record)
    assert again.forces[0].name == "" and again.to_record() == record


# -- several figures -------------------------------------------------------------------------------------------------


def other_figure(window: MainWindow, qtbot) -> None:
    """Put another figure beside the first one, which stays the active one, and look at both."""
    document = window.document
    first, mode = document.model.sequence_index, document.session.mode
    assert document.figures.add(load_skeleton(bundled_folder() / "woman.scr"))
    window.skeleton.set_mode("pose")
    q = document.pose.copy()
    q[0] += 1.2
    assert document.posing.set(q) and document.keys.set(0)
    document.sequences.show(first)
    window.skeleton.set_mode(mode)
    frame_all(window, qtbot)


def her_place(window: MainWindow, joint: str) -> np.ndarray:
    """Return the middle of a part of the other figure, in the world."""
    frames = window.area.host.scene.world_around.part_frames()
    (sequence,) = window.document.model.others
    skeleton = sequence.skeleton
    child = skeleton.joint_names[skeleton.children[skeleton.joint_index(joint)][0]]
    name = window.document.model.figure_names[1]
    return 0.5 * (frames[f"{name}: {joint}"][:3, 3] + frames[f"{name}: {child}"][:3, 3])


@pytest.mark.verify
def test_it_holds_parts_of_other_figures(window: MainWindow, physics, qtbot, tmp_path: Path) -> None:
    document = window.document
    attach(window, "spring", pixel_of(window, ARM), pixel_of(window, SHIN))
    assert forces(window)[0].bodies == (ARM, SHIN), "of a figure alone parts have their own names"
    other_figure(window, qtbot)
    mine, hers = document.model.figure_names
    assert forces(window)[0].bodies == (f"{mine}: {ARM}", f"{mine}: {SHIN}"), "else another would have it then"
    at = her_place(window, ARM)
    attach(window, "rope", pixel_of(window, FOREARM), pixel_of(window, at))
    rope = forces(window)[1]
    assert rope.bodies == (f"{mine}: {FOREARM}", f"{hers}: {ARM}")
    (line,) = [line for line in window.area.host.scene.world_around.lines() if line.key == ("forces", 1)]
    assert np.linalg.norm(line.points[1] - at) < 0.12
    # Both ends stay where they are when the other figure is the active one.
    document.sequences.show(document.model.active.sequences[1])
    (seen,) = [line for line in window.area.host.scene.world_around.lines() if line.key == ("forces", 1)]
    assert np.allclose(seen.points, line.points, atol=1e-6)
    assert document.figures.edit(joint_edits.renamed(ARM, "wing"), "Rename right upper arm")
    assert forces(window)[1].bodies == (f"{mine}: {FOREARM}", f"{hers}: wing")
    document.history.undo()
    document.sequences.show(document.model.active.sequences[0])
    # It pulls her towards him; without it both fall alike.
    document.hybrid.set((HybridStrip((), 0, None),))
    settings = physics.settings
    settings.edit("No gravity", gravity=0.0, forces=(replace(rope, rest_length=0.2, stiffness=2000.0),))
    (sample, *_, last) = simulated(window, qtbot, 0.4)
    start, end = (forward_kinematics(document.skeleton, each.q)[:, :3, 3].mean(axis=0) for each in (sample, last))
    assert end[0] > start[0] + 0.02
    assert len(last.paths) == 1 and last.paths[0].length < sample.paths[0].length - 0.02
    assert document.files.save(tmp_path / "both.seq") and document.files.open(tmp_path / "both.seq")
    assert forces(window)[0].bodies == rope.bodies


@pytest.mark.verify
def test_a_prop_hangs_on_a_string_from_an_arm(window: MainWindow, physics, qtbot) -> None:
    document = window.document
    first, mode = document.model.sequence_index, document.session.mode
    box = props.box((0.3, 0.3, 0.3))
    q = box.rest_pose()
    q[:3] += [0.9, 0.8, 0.0]
    assert document.figures.add(box)
    window.skeleton.set_mode("pose")
    assert document.posing.set(q) and document.keys.set(0)
    document.sequences.show(first)
    window.skeleton.set_mode(mode)
    frame_all(window, qtbot)
    mine, name = document.model.figure_names
    middle = window.area.host.scene.world_around.part_frames()[f"{name}: {name}"][:3, 3]
    attach(window, "string", pixel_of(window, FOREARM), pixel_of(window, middle))
    (string,) = physics.settings.now.strings
    assert [node.part for node in nodes_of(string)] == [f"{mine}: {FOREARM}", f"{name}: {name}"]


@pytest.mark.verify
def test_figures_with_one_name_are_told_apart(window: MainWindow, physics, qtbot) -> None:
    document = window.document
    first = document.model.sequence_index
    assert document.figures.add(load_skeleton(bundled_folder() / "human.scr"))
    name = document.model.figure_names[0]
    assert document.model.figure_names == (name, f"{name} 2")
    assert document.model.names_in_order == (f"{name} 2", name)
    document.sequences.show(first)
    ends = [Node(f"{name}: {FOREARM}", np.zeros(3)), Node(f"{name} 2: {FOREARM}", np.zeros(3))]
    rope = with_nodes(ElasticRope(("world", "world"), np.zeros((2, 3)), 10.0, 0.1), ends)
    assert physics.settings.edit("Attach a rope", forces=(rope,))
    stage = make_preview(document.model, 0, physics.settings.now)()._stage
    low, high = (actor.bodies for actor in stage.actors)
    assert low.start <= stage.forces[0].bodies[0] < low.stop and high.start <= stage.forces[0].bodies[1] < high.stop


# -- without the mouse -----------------------------------------------------------------------------------------------


@pytest.mark.verify
def test_between_the_selected_parts_from_the_menu(window: MainWindow, physics) -> None:
    document, table = window.document, window.action_table
    menu = window.menu.submenu("Physics", "Between selected parts")
    texts = [action.text() for action in menu.actions() if action.text()]
    assert (
        texts == [f"Attach a {kind}" for kind in ("string", "spring", "rope", "muscle", "strand")]
        and menu.toolTipsVisible()
    )
    assert "to the one selected last" in table["attach_spring_between"].toolTip()
    said: list[str] = []
    document.message.connect(lambda level, text, details: said.append(text))
    document.selection.set([FOREARM])
    table["attach_spring_between"].trigger()
    assert forces(window) == () and said == [
        "Select the part where the spring begins, then with Shift the one where it ends"
    ]
    for chosen in ([FOREARM, SHIN], [SHIN, FOREARM]):
        document.selection.set(chosen)
        table["attach_spring_between"].trigger()
        assert [node.part for node in nodes_of(forces(window)[-1])] == chosen
    spring, scene = forces(window)[0], window.area.host.scene
    ends = [document.skeleton.joint_index(name) for name in (FOREARM, "right hand")]
    assert np.allclose(places(window, spring)[0], scene.poses[ends, :3, 3].mean(axis=0), atol=1e-9)
    assert spring.rest_length == pytest.approx(np.linalg.norm(np.diff(places(window, spring), axis=0)), abs=1e-4)
    document.selection.set(["chest", ARM, FOREARM])
    for kind, parts in (("muscle", ["chest", ARM, FOREARM]), ("rope", ["chest", FOREARM])):
        table[f"attach_{kind}_between"].trigger()
        assert [node.part for node in nodes_of(forces(window)[-1])] == parts
    assert document.stack.undoText() == "Attach a rope"
    # So does the plus in the panel.
    panel = next(panel for panel in window.panels if isinstance(panel, PhysicsPanel))
    offered = {row[0]: row[1] for row in panel.world.offered() if row is not None}
    offered["Attach a spring between selected parts"]()
    assert [node.part for node in nodes_of(forces(window)[-1])] == ["chest", FOREARM]
    document.selection.set([FOREARM])
    assert not any(row is not None and "selected parts" in row[0] for row in panel.world.offered())
    # From another mode it goes to this one.
    window.skeleton.set_mode("pose")
    document.selection.set([FOREARM, SHIN])
    table["attach_string_between"].trigger()
    assert document.session.mode == "physics" and len(physics.settings.now.strings) == 1


@pytest.mark.verify
def test_points_on_the_way_come_and_go(window: MainWindow, physics, qtbot) -> None:
    document, view = window.document, window.area.work_view
    attach(window, "muscle", pixel_of(window, "head"), pixel_of(window, "left foot"))
    line = places(window, forces(window)[0])
    on = line[0] + 0.3 * (line[1] - line[0])
    at = view_point(view, on).toPoint()
    hover(view, at)
    tool = window.area.host.toolbox.current
    qtbot.waitUntil(lambda: ("Double click", "lead it through another point") in tool.hints())
    steps = document.stack.index()
    QTest.mouseClick(view, LEFT, NONE, at)
    QTest.mouseDClick(view, LEFT, NONE, at)
    QTest.mouseRelease(view, LEFT, NONE, at)
    nodes = nodes_of(forces(window)[0])
    assert [node.part for node in nodes] == ["head", "head", "left foot"] and document.stack.index() == steps + 1
    assert document.stack.undoText() == "Add a point to muscle 1"
    assert np.linalg.norm(places(window, forces(window)[0])[1] - on) < 0.02
    # By menu, and by the button in its row: in the middle of the longest stretch.
    window.action_table["add_line_point"].trigger()
    way = places(window, forces(window)[0])
    assert len(way) == 4 and np.allclose(way[2], 0.5 * (way[1] + way[3]), atol=1e-9)
    rows(window)[0].point_button.click()
    assert len(nodes_of(forces(window)[0])) == 5
    # It is dragged like an end, and Del over it removes it alone.
    drag(window, view_point(view, way[1]).toPoint(), pixel_of(window, "chest"))
    assert nodes_of(forces(window)[0])[1].part == "chest"
    hover(view, pixel_of(window, "chest"))
    qtbot.waitUntil(lambda: ("Del", "remove the point") in tool.hints())
    QTest.keyClick(view, Qt.Key.Key_Delete)
    assert len(nodes_of(forces(window)[0])) == 4 and document.stack.undoText() == "Remove a point of muscle 1"
    document.history.undo()
    assert nodes_of(forces(window)[0])[1].part == "chest"
    # A spring is not led, and says nothing of it; without a muscle that is picked the menu says what to do.
    said: list[str] = []
    document.message.connect(lambda level, text, details: said.append(text))
    physics.unpick()
    window.action_table["add_line_point"].trigger()
    assert said == ["Click a muscle first, in a view or in the Physics panel"]
    assert len(nodes_of(forces(window)[0])) == 5


# -- work ------------------------------------------------------------------------------------------------------------


@pytest.mark.verify
def test_a_muscle_made_by_mouse_lifts_a_weight_and_its_work_is_accounted_for(
    window: MainWindow, physics, qtbot
) -> None:
    """Its work is the energy that arm and weight gain, and what the rope takes: within 0.5 %."""
    document, band = window.document, band_of(window)
    document.files.open(bundled_folder() / "human.scr")
    window.skeleton.set_mode("physics")
    # A sample is taken at each frame: often enough to add up what a taut rope does.
    assert document.sequences.set_fps(240.0)
    window.timeline.model.show_span(0.0, 240.0)
    document.hybrid.set((HybridStrip((FOREARM,), 0, None),))
    skeleton, scene = document.skeleton, window.area.host.scene
    hand = scene.poses[skeleton.joint_index("right hand"), :3, 3]
    weight = RigidBody("ball", (0.07,), 3.0, hand - np.array([0.0, 0.4, 0.0]), name="weight")
    physics.settings.edit("A weight", rigid_bodies=(weight,))
    document.selection.set(("chest", "right thigh", ARM, FOREARM, "right hand"))
    window.action_table["frame_selected"].trigger()
    frame_all(window, qtbot)
    document.selection.set(())
    attach(window, "rope", pixel_of(window, "right hand"), pixel_of(window, weight.position))
    attach(window, "muscle", pixel_of(window, ARM, 0.15), pixel_of(window, ARM, 0.75), pixel_of(window, FOREARM, 0.3))
    for frame, active in ((8.0, 0.05), (64.0, 0.22), (160.0, 0.15)):
        at = band.place(frame, active).toPoint()
        QTest.mouseDClick(band, LEFT, NONE, at)
        QTest.mouseRelease(band, LEFT, NONE, at)
    assert len(forces(window)[1].activation) == 3
    physics.settings.edit("Set step", step=1e-4)  # the energy of its steps is off by as much as they are long
    samples = simulated(window, qtbot, 0.8)
    times = np.array([sample.time for sample in samples])
    rope, muscle = (simpson([sample.paths[k].power for sample in samples], x=times) for k in (0, 1))
    stored = samples[-1].paths[0].energy - samples[0].paths[0].energy
    gained = samples[-1].energy_of_all - samples[0].energy_of_all + stored
    dissipated = -rope - stored
    assert samples[-1].rigid_bodies[0][1, 3] > samples[0].rigid_bodies[0][1, 3] + 0.05, "it is lifted"
    assert muscle > 2.0 and dissipated > 0.0
    assert muscle == pytest.approx(gained + dissipated, rel=0.005)


def test_what_the_pointer_was_over_may_be_gone(window: MainWindow, physics, qtbot) -> None:
    """Another file was opened, or it was removed elsewhere, and the pointer did not move."""
    attach(window, "rope", pixel_of(window, ARM), pixel_of(window, SHIN))
    tool = window.area.host.toolbox.current
    tool._over = WorldItem("forces", 0, "rope", np.zeros(3), 0.0, 1)
    assert tool.hints()[0][1].startswith("move the rope")
    physics.settings.edit("Remove the rope", forces=())
    tool._over = WorldItem("forces", 0, "rope", np.zeros(3), 0.0, 1)
    assert not any("rope" in text for _, text in tool.hints()) and tool._over is None
