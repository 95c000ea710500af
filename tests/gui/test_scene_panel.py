"""Several figures by mouse: the scene panel, picking in the views, the lanes under the dope sheet, the menus."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu

from app.actions.figures import PROPS
from app.panels.scene.figure_list import FIXED, NAME, SEEN
from app.panels.scene.panel import ScenePanel
from app.scene.pointing import view_point
from app.window.main_window import MainWindow
from core.kinematics import forward_kinematics
from core.skeleton.segment import end_effector
from tests.gui.lock_support import LEFT, NONE
from tests.gui.viewport_support import human_document, shown_area
from tests.support.mouse import hover


@pytest.fixture
def pair(qtbot, skeletons_folder: Path):
    """The work area with a man, and a woman beside him who was just added."""
    document = human_document(skeletons_folder)
    area = shown_area(qtbot, document)
    assert document.files.add_figure(skeletons_folder / "woman.scr")
    area.show_view("front")
    area.frame_all()
    area.settle()
    return area


def spot(area, figure: int, part: str) -> QPoint:
    """Return where the middle of a part of a figure is seen in the work area."""
    model = area.document.model
    skeleton = model.figures[figure].skeleton
    joint = skeleton.joint_index(part)
    X = forward_kinematics(skeleton, model.figure_pose(figure, model.frame))[joint]
    return view_point(area.work_view, X[:3, :3] @ end_effector(skeleton, joint) + X[:3, 3]).toPoint()


def drag(area, start: QPoint, by: QPoint) -> None:
    QTest.mousePress(area.work_view, LEFT, NONE, start)
    for k in range(1, 9):
        QTest.mouseMove(area.work_view, start + QPoint(by.x() * k // 8, by.y() * k // 8))
    QTest.mouseRelease(area.work_view, LEFT, NONE, start + by)


def test_another_figures_hand_is_dragged_at_once_as_one_step(pair) -> None:
    document = pair.document
    document.session.tools.tool = "drag"
    before, steps = document.state_json(), document.stack.index()
    drag(pair, spot(pair, 0, "right hand"), QPoint(-20, -40))
    assert document.model.active.figure == 0 and document.stack.index() == steps + 1
    assert document.selection.joints == (document.skeleton.joint_index("right hand"),)
    document.history.undo()
    assert document.state_json() == before
    document.history.undo()
    assert [figure.name for figure in document.figures.all] == ["human"]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("tool", ["select", "drag", "rotate"])
def test_a_click_makes_the_figure_under_it_the_one_that_is_edited(pair, tool: str) -> None:
    document = pair.document
    document.session.tools.tool = tool
    QTest.mouseClick(pair.work_view, LEFT, NONE, spot(pair, 0, "head"))
    assert document.model.active.figure == 0
    assert document.selection.joints == (document.skeleton.joint_index("head"),)
    QTest.mouseClick(pair.work_view, LEFT, NONE, spot(pair, 1, "head"))
    assert document.model.active.figure == 1


def test_hovering_lights_the_other_figure(pair) -> None:
    view = pair.document.session.view
    hover(pair.work_view, spot(pair, 0, "head"))
    assert (view.hovered_figure, view.hover) == (0, None)
    assert [solid.hovered for solid in pair.host.scene.others.solids] == [True]
    assert pair.host.toolbox.current.status() == "human: click to edit it"
    hover(pair.work_view, spot(pair, 1, "head"))
    assert view.hovered_figure is None and view.hover is not None


def test_what_is_hidden_or_fixed_is_not_picked(pair) -> None:
    document, at = pair.document, spot(pair, 0, "head")
    document.session.view.fixed_figures = {"human"}
    QTest.mouseClick(pair.work_view, LEFT, NONE, at)
    assert document.model.active.figure == 1 and len(pair.host.scene.others.solids) == 1
    document.session.view.fixed_figures = ()
    document.session.view.hidden_figures = {"human"}
    QTest.mouseClick(pair.work_view, LEFT, NONE, at)
    assert document.model.active.figure == 1 and pair.host.scene.others.solids == ()


def test_cameras_stay_where_they_are_when_another_figure_is_chosen(pair) -> None:
    before = {kind: camera.to_json() for kind, camera in pair.host.cameras.items()}
    pair.document.figures.show(0)
    assert {kind: camera.to_json() for kind, camera in pair.host.cameras.items()} == before


def test_all_figures_are_in_the_picture_when_one_is_added(pair) -> None:
    lo, hi = pair.host.scene.seen_bounds()
    corners = pair.work_view.project(np.array([lo, hi]))[:, :2]
    assert (corners >= 0.0).all() and (corners <= [pair.work_view.width(), pair.work_view.height()]).all()
    assert hi[0] - lo[0] > 1.5


def test_the_nearer_figure_is_picked_where_one_stands_before_the_other(pair) -> None:
    document = pair.document
    q = document.pose.copy()
    q[0] = 0.0
    for z, figure in ((-1.0, 0), (1.0, 1)):
        q[2] = z
        document.figures.show(1)
        document.posing.set(q)
        QTest.mouseClick(pair.work_view, LEFT, NONE, spot(pair, 0, "chest"))
        assert document.model.active.figure == figure, z


# -- the window -----------------------------------------------------------------------------------------------------


@pytest.fixture
def panel(window: MainWindow, skeletons_folder: Path) -> ScenePanel:
    """The scene panel in sight, a man and a woman in it."""
    panel = next(panel for panel in window.panels if isinstance(panel, ScenePanel))
    window.document.session.view.hidden_figures = window.document.session.view.fixed_figures = ()
    assert window.document.files.add_figure(skeletons_folder / "woman.scr")
    window.workbench.show_panel(panel)
    return panel


def click(panel: ScenePanel, row: int, part: str) -> None:
    QTest.mouseClick(panel.list.viewport(), LEFT, NONE, panel.list.part_rect(row, part).center().toPoint())


def test_rows_show_figures_and_clicks_choose_hide_and_fix(panel: ScenePanel) -> None:
    document, view = panel.document, panel.document.session.view
    assert [(line.name, line.active) for line in panel.list.lines] == [("human", False), ("woman", True)]
    click(panel, 0, NAME)
    assert document.model.active.figure == 0 and panel.list.lines[0].active
    click(panel, 1, SEEN)
    assert view.hidden_figures == {"woman"} and panel.list.lines[1].hidden
    click(panel, 1, FIXED)
    assert view.fixed_figures == {"woman"} and panel.list.lines[1].fixed
    click(panel, 1, SEEN)
    assert not view.hidden_figures


@pytest.mark.verify
def test_a_figure_is_renamed_in_its_row(panel: ScenePanel) -> None:
    at = panel.list.part_rect(1, NAME).center().toPoint()
    QTest.mouseDClick(panel.list.viewport(), LEFT, NONE, at)
    field = panel.list.field
    assert field.isVisible() and field.text() == "woman"
    QTest.keyClicks(field, "Eve")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert not field.isVisible() and panel.document.figures.all[1].name == "Eve"
    QTest.keyClick(panel.list, Qt.Key.Key_F2)
    QTest.keyClicks(field, "nobody")
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert not field.isVisible() and panel.document.figures.all[1].name == "Eve"


@pytest.mark.verify
def test_keys_go_from_row_to_row_and_remove(panel: ScenePanel) -> None:
    document = panel.document
    QTest.keyClick(panel.list, Qt.Key.Key_Up)
    assert document.model.active.figure == 0
    QTest.keyClick(panel.list, Qt.Key.Key_Down)
    assert document.model.active.figure == 1
    QTest.keyClick(panel.list, Qt.Key.Key_Delete)
    assert [figure.name for figure in document.figures.all] == ["human"]
    document.history.undo()
    assert len(panel.list.lines) == 2


@pytest.mark.verify
def test_the_menu_of_a_row_duplicates_and_removes(panel: ScenePanel) -> None:
    items = {item[0]: item[1] for item in panel.menu_items(0) if item is not None}
    assert list(items)[:4] == ["Edit human", "Rename", "Duplicate", "Hide"]
    items["Duplicate"]()
    assert [figure.name for figure in panel.document.figures.all] == ["human", "woman", "human 2"]
    items = {item[0]: item[1] for item in panel.menu_items(1) if item is not None}
    items["Remove"]()
    assert [figure.name for figure in panel.document.figures.all] == ["human", "human 2"]


@pytest.mark.verify
def test_menus_add_figures_and_props(window: MainWindow) -> None:
    for fill, wanted in ((window.figures.fill_figures, "Woman"), (window.figures.fill_props, "Box")):
        menu = QMenu()
        fill(menu)
        next(action for action in menu.actions() if action.text() == wanted).trigger()
    assert [figure.name for figure in window.document.figures.all] == ["human", "woman", "box"]
    titles = [action.text() for action in window.menu.actions()[0].menu().actions()]
    assert {"Add figure", "Add prop"} <= set(titles)


@pytest.mark.verify
def test_lanes_of_the_other_figures_choose_them_and_go_to_their_keys(window: MainWindow, panel: ScenePanel) -> None:
    document, lanes = window.document, window.timeline.lanes
    assert [lane.name for lane in lanes.lanes] == ["human"] and lanes.isVisible()
    frame = int(lanes.lanes[0].frames[3])
    QTest.mouseClick(lanes, LEFT, NONE, QPointF(lanes.track_x(frame), 10).toPoint())
    assert (document.model.active.figure, document.frame) == (0, frame)
    assert [lane.name for lane in lanes.lanes] == ["woman"]
    assert document.figures.remove(1)
    assert lanes.isHidden()


@pytest.mark.verify
def test_hidden_and_fixed_figures_are_kept_in_the_file(window: MainWindow, panel: ScenePanel, tmp_path: Path) -> None:
    view = window.document.session.view
    view.hidden_figures, view.fixed_figures = {"human"}, {"woman", "somebody"}
    window.files.keep_view()
    assert window.document.files.save(tmp_path / "pair.seq")
    view.hidden_figures = view.fixed_figures = ()
    assert window.document.files.open(tmp_path / "pair.seq")
    assert (view.hidden_figures, view.fixed_figures) == ({"human"}, {"woman"})


@pytest.mark.sampled(1)
@pytest.mark.parametrize("number", range(len(PROPS)))
def test_a_prop_is_dragged_keyed_and_turned(window: MainWindow, number: int) -> None:
    document = window.document
    name, _, make = PROPS[number]
    assert document.figures.add(make(), f"Add {name}", beside=True)
    document.set_frame(8)
    q = document.pose.copy()
    with document.posing.begin_gesture("Turn") as gesture:
        q[3:] = 0.4, -0.2, 0.3
        gesture.set_pose(q)
    assert list(document.sequence.keys.frames) == [0, 8]
    assert np.array_equal(document.pose, q)
    assert document.model.played == (0, 32)  # of the walk, which goes on longer
    document.figures.show(0)
    assert np.allclose(window.area.host.scene.others.here[0].q, q)


@pytest.mark.verify
def test_next_figure_goes_round(window: MainWindow, panel: ScenePanel) -> None:
    seen = []
    for _ in range(3):
        window.action_table["next_figure"].trigger()
        seen.append(window.document.model.active.figure)
    assert seen == [0, 1, 0]


@pytest.mark.verify
def test_a_rigid_body_of_physics_becomes_a_prop(window: MainWindow) -> None:
    from app.physics.obstacle_edits import add_body

    document = window.document
    assert add_body(document, "box")
    document.physics.unpick()
    assert not window.action_table["make_prop"].isEnabled()
    document.session.mode = "physics"
    document.physics.show_in_world("rigid_bodies", 0)
    assert window.action_table["make_prop"].isEnabled()
    window.action_table["make_prop"].trigger()
    assert not document.physics.settings.now.rigid_bodies and len(document.figures.all) == 2
    document.session.mode = "pose"
    window.action_table["make_body"].trigger()
    assert len(document.figures.all) == 1 and len(document.physics.settings.now.rigid_bodies) == 1
