"""Props are taken hold of by the right mouse button: from the figure that holds, and from the prop."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from app.scene.pointing import view_point
from core.kinematics import forward_kinematics
from core.skeleton.building import props
from core.skeleton.segment import end_effector
from tests.gui.lock_support import LEFT, NONE
from tests.support.mouse import drag, hover


@pytest.fixture
def boxed(window):
    """The window with a man and a box beside him, seen from the front; the man is edited."""
    document = window.document
    assert document.figures.add(props.box((0.3, 0.3, 0.3)), "Add box", beside=True)
    assert document.figures.show(0)
    window.area.show_view("front")
    window.area.frame_all()
    window.area.settle()
    return window


def spot(window, figure: int, part: str) -> QPoint:
    """Return where the middle of a part of a figure is seen."""
    model = window.document.model
    skeleton = model.figures[figure].skeleton
    joint = skeleton.joint_index(part)
    X = forward_kinematics(skeleton, model.figure_pose(figure, model.frame))[joint]
    return view_point(window.area.work_view, X[:3, :3] @ end_effector(skeleton, joint) + X[:3, 3]).toPoint()


def right_click(window, at: QPoint) -> QMenu:
    """Click with the right button; return the menu that opens."""
    view = window.area.work_view
    hover(view, at)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, view.mapToGlobal(at))
    QApplication.sendEvent(view, event)
    shown = QApplication.activePopupWidget()
    assert isinstance(shown, QMenu)
    return shown


def choose(menu: QMenu, text: str) -> None:
    """Click an entry of a menu."""
    action = next((each for each in menu.actions() if each.text() == text), None)
    assert action is not None, [each.text() for each in menu.actions()]
    QTest.mouseClick(menu, LEFT, NONE, menu.actionGeometry(action).center())
    QApplication.processEvents()


def grips(window, figure: int = 0) -> list[tuple[str, str, str]]:
    """Return part, kind and figure of what a figure holds."""
    model = window.document.model
    strips = model.sequences[model.active.sequences[figure]].locks.strips
    return [(str(each.lock.joint), each.lock.kind, each.lock.second[0]) for each in strips if each.lock.mutual]


def test_a_selected_hand_holds_the_prop_that_is_clicked(boxed):
    document = boxed.document
    document.selection.set((document.skeleton.joint_index("left hand"),))
    name = document.model.figures[1].skeleton.name
    choose(right_click(boxed, spot(boxed, 1, name)), f"Hold {name} with left hand")
    assert grips(boxed) == [("left hand", "carry", name)] and document.model.active.figure == 0
    document.history.undo()
    assert grips(boxed) == []


@pytest.mark.verify
def test_a_prop_that_is_edited_is_given_to_both_hands_as_one_step(boxed):
    document = boxed.document
    name = document.model.figures[1].skeleton.name
    assert document.figures.show(1)
    boxed.area.settle()
    choose(right_click(boxed, spot(boxed, 0, "chest")), f"Hold {name} with left hand and right hand")
    assert sorted(grips(boxed)) == [("left hand", "carry", name), ("right hand", "carry", name)]
    assert document.model.active.figure == 0
    document.history.undo()
    assert grips(boxed) == []


@pytest.mark.verify
def test_the_menu_of_locks_lists_the_hands_while_a_prop_is_edited(boxed):
    document = boxed.document
    assert document.figures.show(1)
    menu = QMenu(boxed)
    boxed.locks.fill_hold(menu)
    name = document.model.figures[0].skeleton.name
    assert [each.text() for each in menu.actions()] == [
        f"By {name}: left hand and right hand", f"By {name}: left hand", f"By {name}: right hand",
    ]  # fmt: skip
    menu.actions()[1].trigger()
    assert [each[0] for each in grips(boxed)] == ["left hand"]
    menu.deleteLater()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("keyed", [True, False])
def test_the_first_drag_on_another_figure_moves_it_and_nothing_moves_under_the_mouse(window, keyed) -> None:
    """The timeline keeps its height, so what is pressed stays where it was seen."""
    document, view = window.document, window.area.work_view
    man = document.model.figures[0].skeleton
    if not keyed:
        document.files.new(man)
    assert document.figures.add(props.box((0.3, 0.3, 0.3)), "Add box", beside=True)
    window.area.show_view("front")
    window.area.frame_all()
    window.area.settle()
    hand, size, joint = spot(window, 0, "left hand"), view.size(), man.joint_index("left hand")
    before = forward_kinematics(man, document.model.figure_pose(0, document.frame))[joint, :3, 3]
    drag(view, hand, hand + QPoint(40, -60))
    QApplication.processEvents()
    after = forward_kinematics(man, document.model.figure_pose(0, document.frame))[joint, :3, 3]
    assert document.model.active.figure == 0 and view.size() == size
    assert document.stack.undoText() == "Drag left hand" and after[1] > before[1] + 0.05
    for number in (1, 0):
        assert document.figures.show(number)
        QApplication.processEvents()
        assert view.size() == size
