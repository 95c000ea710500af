"""The rings that turn a part by its chain: driven with the mouse, as a person would."""

from __future__ import annotations

import math

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.document.document import Document
from app.marks import manipulators, part_rings
from app.marks.part_rings import FREE
from app.tools.rotate import RotateTool
from app.tools.turn_part import TurnPartTool, angle_text, snapped
from app.words.part_names import spoken_name
from core.ik import SOLVERS
from core.posing.turn_in_place import orientation
from core.spatial import so3
from tests.gui.viewport_support import effector, human_document, shown_area

LEFT = Qt.MouseButton.LeftButton
NONE, SHIFT, CTRL = (
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
)
KINDS = ("front", "side", "top", "perspective")


@pytest.fixture
def area(qtbot, skeletons_folder):
    area = shown_area(qtbot, human_document(skeletons_folder))
    area.document.session.tools.tool, area.document.session.tools.turn_mode = "rotate", "chain"
    return area


def select(area, name: str) -> tuple[TurnPartTool, int]:
    joint = area.document.skeleton.joint_index(name)
    area.document.selection.set((joint,))
    area.frame_selected()
    tool = area.host.toolbox.current
    assert isinstance(tool, TurnPartTool)
    return tool, joint


def send(area, kind: QEvent.Type, at: QPointF, held=NONE) -> None:
    """Send the mouse straight to the view, at a fraction of a pixel."""
    view, pressed = area.work_view, LEFT if kind != QEvent.Type.MouseButtonRelease else Qt.MouseButton.NoButton
    button = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseMove else LEFT
    QApplication.sendEvent(view, QMouseEvent(kind, at, QPointF(view.mapToGlobal(at)), button, pressed, held))


def on_ring(area, ring, angle: float) -> QPointF:
    x, y, _ = manipulators.ring_points(area.work_view, ring, angles=np.array([angle]))[0]
    return QPointF(x, y)


def free_angle(area, rings, index: int) -> float:
    """Return an angle at which ring ``index`` is the one a press there takes hold of."""
    view = area.work_view
    for angle in np.linspace(0, 2 * np.pi, 73):
        at = on_ring(area, rings[index], angle)
        if view.rect().contains(at.toPoint()) and part_rings.hit(view, rings, at.x(), at.y()) == index:
            return float(angle)
    raise AssertionError("the ring cannot be picked anywhere")


def pull(area, tool, index: int, degrees: float, held=NONE, release: bool = True, steps: int = 12):
    """Drag a ring by an angle; return it as it was."""
    rings = tool.rings(area.work_view)
    start = free_angle(area, rings, index)
    send(area, QEvent.Type.MouseButtonPress, on_ring(area, rings[index], start))
    for k in range(1, steps + 1):
        at = on_ring(area, rings[index], start + math.radians(degrees) * k / steps)
        send(area, QEvent.Type.MouseMove, at, held)
    if release:
        send(area, QEvent.Type.MouseButtonRelease, at, held)
    return rings[index]


def turned_by(area, joint: int, before: np.ndarray, axis: np.ndarray) -> float:
    """Return how far a part is from an orientation about an axis, [degrees], and check that it is about that axis."""
    vector = so3.log(orientation(area.document.skeleton, np.asarray(area.document.pose), joint) @ before.T)
    assert np.linalg.norm(np.cross(vector, axis)) < 5e-3
    return float(np.degrees(vector @ axis))


def facing(area, tool) -> int:
    """Return which of the part's three rings is seen best."""
    rings = tool.rings(area.work_view)
    return int(np.argmax([abs(ring.axis @ part_rings.toward_eye(area.work_view, ring.center)) for ring in rings[:3]]))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("solver", [solver.name for solver in SOLVERS])
def test_a_hand_is_turned_and_keeps_its_place(area, solver):
    document = area.document
    document.session.solver.name = solver
    tool, joint = select(area, "right hand")
    camera, place = area.host.cameras["perspective"], effector(area, joint)
    rings = tool.rings(area.work_view)
    eye = rings[1].axis  # look along the hand, so that its own ring faces the eye
    camera.yaw, camera.pitch = math.atan2(eye[0], eye[2]) + 0.4, math.asin(eye[1])
    camera.target = tuple(place)
    before = orientation(document.skeleton, np.asarray(document.pose), joint)
    state, steps, pose = document.state_json(), document.stack.count(), document.pose.copy()
    ring = pull(area, tool, 1, 40.0, release=False)
    assert turned_by(area, joint, before, ring.axis) == pytest.approx(40.0, abs=0.1)
    assert np.linalg.norm(effector(area, joint) - place) < 1e-3
    assert document.session.drag.chain is not None and "right hand 40.0°" in area.status()
    assert document.session.drag.solve is not None
    send(area, QEvent.Type.MouseButtonRelease, QPointF(1, 1))
    assert document.session.drag.chain is None
    assert document.stack.count() == steps + 1
    document.history.undo()
    assert np.array_equal(document.pose, pose) and document.state_json() == state


def test_a_press_changes_nothing_and_escape_restores_everything(area):
    document = area.document
    tool, _ = select(area, "right forearm")
    state, steps = document.state_json(), document.stack.count()
    rings, index = tool.rings(area.work_view), facing(area, tool)
    start = free_angle(area, rings, index)
    send(area, QEvent.Type.MouseButtonPress, on_ring(area, rings[index], start))
    assert document.state_json() == state and tool.active
    send(area, QEvent.Type.MouseMove, on_ring(area, rings[index], start + 0.4))
    assert document.state_json() != state
    QTest.keyClick(area.work_view, Qt.Key.Key_Escape)
    assert document.state_json() == state and document.stack.count() == steps
    assert not tool.active and document.session.drag.chain is None


@pytest.mark.verify
def test_a_ring_that_comes_back_leaves_no_step(area):
    document = area.document
    tool, _ = select(area, "right hand")
    state, steps, index = document.state_json(), document.stack.count(), facing(area, tool)
    rings = tool.rings(area.work_view)
    start = free_angle(area, rings, index)
    send(area, QEvent.Type.MouseButtonPress, on_ring(area, rings[index], start))
    for angle in (*np.linspace(0.0, 1.5, 9), *np.linspace(1.5, 0.0, 9)):
        send(area, QEvent.Type.MouseMove, on_ring(area, rings[index], start + angle))
    send(area, QEvent.Type.MouseButtonRelease, on_ring(area, rings[index], start))
    assert document.stack.count() == steps and document.state_json() == state


def test_ctrl_turns_a_tenth_and_shift_in_steps(area):
    tool, joint = select(area, "pelvis")
    before = orientation(area.document.skeleton, np.asarray(area.document.pose), joint)
    index = facing(area, tool)
    ring = pull(area, tool, index, 50.0, CTRL)
    assert turned_by(area, joint, before, ring.axis) == pytest.approx(5.0, abs=0.01)
    area.document.history.undo()
    ring = pull(area, tool, index, 50.0, SHIFT)
    assert turned_by(area, joint, before, ring.axis) == pytest.approx(45.0, abs=1e-6)


def test_hovering_lights_a_ring_the_inside_or_nothing(area):
    tool, _ = select(area, "right hand")
    view, rings = area.work_view, tool.rings(area.work_view)
    for index in range(4):
        at = on_ring(area, rings[index], free_angle(area, rings, index))
        send(area, QEvent.Type.MouseMove, at)
        assert tool._hovered == index and "turn about" in area.status()
        assert area.document.session.view.hover is None
    assert "line of sight" in area.status()
    middle = view.project(rings[0].center[None])[0, :2]
    spots = middle + 25.0 * np.array([[math.cos(a), math.sin(a)] for a in np.linspace(0.0, 6.2, 40)])
    inside = next(spot for spot in spots if part_rings.hit(view, rings, *spot) == FREE)
    send(area, QEvent.Type.MouseMove, QPointF(*inside))
    assert tool._hovered == FREE
    send(area, QEvent.Type.MouseMove, QPointF(middle[0] + 130.0, middle[1]))
    assert tool._hovered is None


@pytest.mark.parametrize("kind", KINDS)
def test_the_outer_ring_turns_about_the_line_of_sight_in_every_view(area, kind):
    area.show_view(kind)
    tool, joint = select(area, "right hand")
    before, place = orientation(area.document.skeleton, np.asarray(area.document.pose), joint), effector(area, joint)
    ring = pull(area, tool, manipulators.VIEW, 8.0)
    assert np.allclose(ring.axis, part_rings.toward_eye(area.work_view, place))
    assert turned_by(area, joint, before, ring.axis) == pytest.approx(8.0, abs=0.1)
    assert np.linalg.norm(effector(area, joint) - place) < 1e-3


def test_rings_keep_their_size_and_three_go_about_the_axes_asked_for(area):
    tool, joint = select(area, "right hand")
    R = orientation(area.document.skeleton, np.asarray(area.document.pose), joint)
    for axes, wanted in (("part", R), ("world", np.eye(3))):
        area.document.session.tools.turn_axes = axes
        rings = tool.rings(area.work_view)
        assert len(rings) == 4
        assert np.allclose(np.array([ring.axis for ring in rings[:3]]).T, wanted)
        for ring in rings:
            assert np.allclose(ring.center, effector(area, joint))
            center = area.work_view.project(ring.center[None])[0, :2]
            widest = np.linalg.norm(manipulators.ring_points(area.work_view, ring)[:, :2] - center, axis=1).max()
            assert widest == pytest.approx(ring.radius, rel=0.08)


@pytest.mark.verify
def test_many_turns_are_counted(area):
    tool, _ = select(area, "pelvis")
    pull(area, tool, manipulators.VIEW, 900.0, release=False, steps=90)
    assert "900.0°" in area.status()
    send(area, QEvent.Type.MouseButtonRelease, QPointF(5, 5))


def test_the_whole_figure_turns_about_its_middle(area):
    document = area.document
    tool, joint = select(area, "pelvis")
    assert tool.chip() == "Whole figure · pelvis · 6 DOF"
    place, pose = effector(area, joint), document.pose.copy()
    pull(area, tool, 1, 70.0)
    assert np.allclose(effector(area, joint), place, atol=1e-9)
    assert np.array_equal(document.pose[6:], pose[6:])


def test_in_part_mode_the_joint_keeps_its_place(area):
    document = area.document
    document.session.tools.drag_mode = "part"
    tool, joint = select(area, "head")
    origin, pose = area.host.scene.poses[joint, :3, 3].copy(), document.pose.copy()
    assert tool.chip() == "Part · head · 3 DOF"
    before = orientation(document.skeleton, np.asarray(pose), joint)
    ring = pull(area, tool, facing(area, tool), 15.0)
    assert turned_by(area, joint, before, ring.axis) == pytest.approx(15.0, abs=0.1)
    assert np.allclose(area.host.scene.poses[joint, :3, 3], origin)
    first = document.skeleton.first_dof[joint]
    changed = np.flatnonzero(document.pose != pose)
    assert set(changed) <= set(range(3 + first, 3 + document.skeleton.first_dof[joint + 1]))


@pytest.mark.verify
def test_a_part_that_cannot_follow_says_so(area):
    tool, _ = select(area, "right hand")
    pull(area, tool, 0, 140.0, release=False, steps=40)
    status = area.status()
    assert "° behind" in status and "stopped by" in status
    labels = area.document.skeleton.dof_labels
    assert any(spoken_name(label) in status for label in labels)
    image = area.work_view.grab()  # the warning is painted without complaint
    assert not image.isNull()
    QTest.keyClick(area.work_view, Qt.Key.Key_Escape)


def test_inside_the_rings_a_drag_turns_freely_and_a_click_selects(area):
    document, view = area.document, area.work_view
    tool, joint = select(area, "right hand")
    place = effector(area, joint)
    before = orientation(document.skeleton, np.asarray(document.pose), joint)
    middle = QPointF(*view.project(place[None])[0, :2])
    rings = tool.rings(view)
    offsets = [QPointF(3.0 * k * math.cos(k), 3.0 * k * math.sin(k)) for k in range(18)]
    start = next(
        middle + offset for offset in offsets if part_rings.hit(view, rings, *(middle + offset).toTuple()) == FREE
    )
    state, steps = document.state_json(), document.stack.count()
    send(area, QEvent.Type.MouseButtonPress, start)
    send(area, QEvent.Type.MouseMove, start + QPointF(1.0, 1.0))
    assert document.state_json() == state
    for k in range(1, 9):
        send(area, QEvent.Type.MouseMove, start + QPointF(1.5, 0.0) * k)
    send(area, QEvent.Type.MouseButtonRelease, start + QPointF(12.0, 0.0))
    assert document.stack.count() == steps + 1
    up = view.camera.basis[1]
    assert turned_by(area, joint, before, up) == pytest.approx(np.degrees(12.0 / manipulators.RADIUS), abs=1.5)
    assert np.linalg.norm(effector(area, joint) - place) < 1e-3
    document.history.undo()
    document.selection.set((document.skeleton.joint_index("right forearm"),))
    at = QPointF(*view.project(effector(area, joint)[None])[0, :2])
    if part_rings.hit(view, tool.rings(view), at.x(), at.y()) in (FREE, None):
        steps = document.stack.count()
        send(area, QEvent.Type.MouseButtonPress, at)
        send(area, QEvent.Type.MouseButtonRelease, at)
        assert document.selection.joints != (document.skeleton.joint_index("right forearm"),)
        assert document.stack.count() == steps


@pytest.mark.verify
def test_what_stops_a_turn_lights_and_is_named_when_out_of_sight(window):
    document, area = window.document, window.area
    document.session.tools.tool, document.session.tools.turn_mode = "rotate", "chain"
    document.session.tools.turn_axes = "world"
    panel = next(panel for panel in window.panels if panel.title == "Joints")
    tool, _ = select(area, "right forearm")
    pull(area, tool, 0, 70.0, release=False, steps=24)
    stops = document.session.drag.stops
    assert len(stops) > 1 and tool.troubled
    assert all(panel.row(3 + stop.dof).blocked for stop in stops)
    lit = {entry.index - 3 for group in panel._groups for entry in group.entries if entry.row and entry.row.blocked}
    assert lit == {stop.dof for stop in stops}
    assert f"{spoken_name(stops[0].label)} at {stops[0].text}" in area.status()
    assert window.status.state.token == "warn" and window.status.state.text == area.status()
    panel.view.verticalScrollBar().setValue(0)
    shown = {mark.text for mark in panel.blocked.marks if mark.isVisibleTo(panel)}
    assert shown and shown <= {f"{stop.label} at {stop.text}" for stop in stops[:2]}
    QTest.keyClick(area.work_view, Qt.Key.Key_Escape)
    assert document.session.drag.stops == () and window.status.state.token == "accent"
    assert not any(panel.row(3 + stop.dof).blocked for stop in stops)
    assert not any(mark.isVisibleTo(panel) for mark in panel.blocked.marks)


def test_a_ring_seen_from_its_edge_turns_too(area):
    tool, joint = select(area, "pelvis")
    camera, place = area.host.cameras["perspective"], effector(area, joint)
    camera.yaw, camera.pitch, camera.target = 0.3, 0.0, tuple(place)
    ring = tool.rings(area.work_view)[1]
    area.document.session.tools.turn_axes = "world"
    ring = tool.rings(area.work_view)[1]
    middle = area.work_view.project(ring.center[None])[0, :2]
    assert manipulators.angle_at(area.work_view, ring, *middle) is None
    before = orientation(area.document.skeleton, np.asarray(area.document.pose), joint)
    rings = tool.rings(area.work_view)
    start = on_ring(area, ring, free_angle(area, rings, 1))
    rate = manipulators.tangent_rate(area.work_view, ring, *start.toTuple())
    ahead = rate / np.linalg.norm(rate)
    send(area, QEvent.Type.MouseButtonPress, start)
    send(area, QEvent.Type.MouseMove, start + QPointF(*(20.0 * ahead)))
    send(area, QEvent.Type.MouseButtonRelease, start + QPointF(*(20.0 * ahead)))
    turned = turned_by(area, joint, before, ring.axis)
    assert turned == pytest.approx(np.degrees(20.0 / manipulators.RADIUS), abs=1.5)


def test_the_mode_chooses_the_tool_and_a_change_ends_a_turn(area):
    document, toolbox = area.document, area.host.toolbox
    tool, _ = select(area, "right hand")
    state = document.state_json()
    pull(area, tool, facing(area, tool), 20.0, release=False)
    assert document.state_json() != state
    document.session.tools.turn_mode = "joint"
    assert document.state_json() == state
    assert isinstance(toolbox.current, RotateTool) and not isinstance(toolbox.current, TurnPartTool)
    document.session.tools.turn_mode = "chain"
    assert isinstance(toolbox.current, TurnPartTool)
    document.session.tools.tool = "drag"
    assert toolbox.current.name == "drag"


def test_what_no_joint_can_turn_has_no_rings(qtbot, tmp_path):
    post = tmp_path / "post.scr"
    joint = 'define joint "post"\n    mass 1\n    tip 0 1 0\nend joint\n'
    post.write_text(f'define skeleton "post"\n    joint "post"\nend skeleton\n\n{joint}', encoding="utf-8")
    document = Document()
    assert document.files.load_figure(post)
    area = shown_area(qtbot, document)
    document.session.tools.tool, document.session.tools.turn_mode = "rotate", "chain"
    document.selection.set((0,))
    tool = area.host.toolbox.current
    assert tool.rings(area.work_view) == () and tool.chip() == ""
    assert tool.hints()[0] == ("Click", "select a part")


def test_angles_are_written_with_a_true_minus_and_snap_to_fifteen():
    assert angle_text(math.radians(34.0)) == "34.0°"
    assert angle_text(math.radians(-34.04)) == "−34.0°"
    assert math.degrees(snapped(math.radians(37.4))) == pytest.approx(30.0)
    assert math.degrees(snapped(math.radians(-38.0))) == pytest.approx(-45.0)


def test_toolbar_menu_and_keys_choose_what_the_rings_turn(window):
    session, toolbar, actions = window.document.session, window.toolbar, window.action_table

    def shown():
        QApplication.processEvents()
        return [bar.isVisible() for bar in (toolbar.turn_modes, toolbar.modes)]

    assert shown() == [False, True]
    window.action_table["tool_rotate"].trigger()
    assert shown() == [True, False]
    QTest.mouseClick(toolbar.turn_modes.segment("chain"), LEFT, NONE, QPoint(8, 8))
    assert session.tools.turn_mode == "chain" and shown() == [True, True] and actions["turn_mode"].isChecked()
    window.document.selection.set(["right hand"])
    assert ("Shift+E", "turn its joint") in window.area.hints()
    QTest.keyClick(window, Qt.Key.Key_E, SHIFT)
    assert session.tools.turn_mode == "joint" and toolbar.turn_modes.current == "joint" and shown() == [True, False]
    assert ("Shift+E", "turn it in place") in window.area.hints()
    session.tools.tool = "drag"
    assert shown() == [False, True]
    QTest.keyClick(window, Qt.Key.Key_E, SHIFT)  # from another tool it takes this one in hand
    assert (session.tools.tool, session.tools.turn_mode) == ("rotate", "chain")
    QTest.keyClick(window, Qt.Key.Key_W, SHIFT)
    assert session.tools.turn_axes == "world" and actions["turn_axes"].isChecked()
    for width in (1600, 1280, 1024):
        window.resize(width, 720)
        QApplication.processEvents()
        bars = (toolbar.turn_modes, toolbar.modes, toolbar.set_key)
        edges = [(bar.x(), bar.x() + bar.width()) for bar in bars]
        assert edges[0][1] < edges[1][0] and edges[1][1] < edges[2][0] and edges[2][1] <= toolbar.width()
