"""Editing a figure in the window, as a person would: with mouse and keyboard, from nothing to a file and back."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QDropEvent, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QInputDialog, QLineEdit

from app.main_window import MainWindow
from app.tools.base import view_point
from core.kinematics import forward_kinematics
from core.skeleton import load_skeleton
from core.skeleton.segment import rest_frames

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
CTRL, SHIFT, ALT = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.AltModifier,
)
Key = Qt.Key


@pytest.fixture
def editing(window: MainWindow) -> MainWindow:
    """The window with the walk, its skeleton being edited, seen from the front."""
    window.area.set_reduced_motion(True)
    window.area.show_view("front")
    window.skeleton.set_mode("skeleton")
    window.area.frame_all()
    return window


def at(window: MainWindow, point) -> QPoint:
    """Return the pixel of the work area nearest to a world point."""
    return view_point(window.area.work_view, np.asarray(point, dtype=np.float64)).toPoint()


def ball(window: MainWindow, joint: str) -> QPoint:
    """Return where a joint's ball is in the work area."""
    return at(window, window.area.host.scene.poses[window.document.skeleton.joint_index(joint), :3, 3])


def place(window: MainWindow, joint: str) -> np.ndarray:
    """Return where a joint of the document's figure is at rest, world, shape (3,), [m]."""
    skeleton = window.document.skeleton
    return rest_frames(skeleton)[skeleton.joint_index(joint), :3, 3]


def drag(
    window: MainWindow, start: QPoint, by: QPoint, held=NONE, keys: tuple[Key, ...] = (), drop: bool = True
) -> None:
    """Press at a place of the work area, move in steps, press keys half-way, and let go."""
    view = window.area.work_view
    QTest.mousePress(view, LEFT, held, start)
    for k in range(1, 9):
        move(window, start + by * k / 8, held)
        if k == 4:
            for key in keys:
                QTest.keyClick(view, key)
    if drop:
        QTest.mouseRelease(view, LEFT, held, start + by)


def move(window: MainWindow, to: QPoint, held=NONE) -> None:
    """Move the mouse with the left button and modifiers held."""

    view = window.area.work_view
    spot = QPointF(to)
    event = QMouseEvent(QEvent.Type.MouseMove, spot, view.mapToGlobal(spot), Qt.MouseButton.NoButton, LEFT, held)
    QApplication.sendEvent(view, event)


def click(window: MainWindow, place: QPoint, held=NONE) -> None:
    QTest.mouseClick(window.area.work_view, LEFT, held, place)


def press(window: MainWindow, key: Key, held=NONE) -> None:
    QTest.keyClick(window.area.work_view, key, held)


# -- from nothing ----------------------------------------------------------------------------------------------------


def test_an_arm_from_nothing_mirrored_saved_and_loaded(
    window: MainWindow, qtbot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = window.document
    window.area.set_reduced_motion(True)
    window.actions["new_figure"].trigger()
    assert document.session.mode == "skeleton" and document.skeleton.joint_names == ("root",)
    window.area.show_view("front")
    window.area.frame_all()
    start = document.state_json()

    press(window, Key.Key_N)
    assert document.session.joint_tool == "add" and window.actions["add_joints"].isChecked()
    spots = [np.array(spot) for spot in ((0.2, 1.1, 0.0), (0.5, 1.1, 0.0), (0.75, 1.0, 0.0))]
    pixels = [at(window, spot) for spot in spots]
    tolerance = window.area.work_view.pixel_size(np.zeros(3))
    assert all(window.area.work_view.rect().contains(pixel) for pixel in pixels)
    for spot in pixels:
        click(window, spot)
    assert [joint.parent for joint in document.skeleton.joints] == [-1, 0, 1, 2]
    names = document.skeleton.joint_names
    for name, spot in zip(names[1:], spots, strict=True):
        assert place(window, name) == pytest.approx(spot, abs=tolerance)
    assert document.selection == (3,)
    press(window, Key.Key_Escape)
    assert document.session.joint_tool == "move"

    click(window, ball(window, names[2]))
    assert document.selection == (2,)
    window.skeleton.panel.form.objects.add_shape("limb")
    assert document.skeleton.joints[2].objects[0].mesh is not None
    press(window, Key.Key_M)
    mirrored = document.skeleton
    assert len(mirrored.joints) == 7 and len(mirrored.mirror_pairs) == 3
    for i, j in mirrored.mirror_pairs:
        frames = rest_frames(mirrored)
        assert frames[j, :3, 3] == pytest.approx(frames[i, :3, 3] * (-1, 1, 1), abs=1e-12)
    whole = document.state_json()

    target = tmp_path / "arms.scr"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(target), ""))
    window.actions["save_figure"].trigger()
    loaded = load_skeleton(target)
    assert loaded.joint_names == mirrored.joint_names and loaded.dof_names == mirrored.dof_names
    assert rest_frames(loaded) == pytest.approx(rest_frames(mirrored), abs=1e-9)
    for one, other in zip(loaded.joints, mirrored.joints, strict=True):
        assert [len(part.mesh.triangles) for part in one.objects] == [len(p.mesh.triangles) for p in other.objects]

    steps = document.stack.count()
    for _ in range(steps):
        press(window, Key.Key_Z, CTRL)
    assert document.state_json() == start
    for _ in range(steps):
        press(window, Key.Key_Z, CTRL | SHIFT)
    assert document.state_json() == whole

    window.open_files([target])
    assert document.skeleton.joint_names == mirrored.joint_names and document.session.mode == "pose"


# -- moving joints ---------------------------------------------------------------------------------------------------


def test_a_click_selects_and_a_drag_is_one_step_that_carries_the_children(editing: MainWindow) -> None:
    document = editing.document
    before, steps = document.state_json(), document.stack.count()
    elbow, wrist = place(editing, "left forearm"), place(editing, "left hand")
    click(editing, ball(editing, "left forearm"))
    assert document.skeleton.joints[document.selection[-1]].name == "left forearm"
    assert document.stack.count() == steps
    drag(editing, ball(editing, "left forearm"), QPoint(60, -40))
    assert document.stack.count() == steps + 1 and document.stack.undoText() == "Move left forearm"
    pixel = editing.area.work_view.pixel_size(elbow)
    moved = place(editing, "left forearm") - elbow
    assert moved == pytest.approx((60 * pixel, 40 * pixel, 0.0), abs=1e-9)
    assert place(editing, "left hand") - wrist == pytest.approx(moved, abs=1e-9)
    document.undo()
    assert document.state_json() == before


def test_what_is_shown_while_dragging_is_what_comes_of_it(editing: MainWindow) -> None:
    document, scene = editing.document, editing.area.host.scene
    state = document.state_json()
    drag(editing, ball(editing, "left shank"), QPoint(50, 10), drop=False)
    assert document.state_json() == state and document.session.preview is not None
    shown = scene.poses.copy()
    offset = editing.skeleton.panel.form.offset.value
    QTest.mouseRelease(editing.area.work_view, LEFT, NONE, ball(editing, "left shank"))
    assert document.session.preview is None
    assert scene.poses == pytest.approx(shown, abs=1e-12)
    assert offset == pytest.approx(document.skeleton.joints[document.selection[-1]].offset)


def test_escape_puts_a_joint_back_and_leaves_no_step(editing: MainWindow) -> None:
    document = editing.document
    before, steps = document.state_json(), document.stack.count()
    drag(editing, ball(editing, "left forearm"), QPoint(70, 0), drop=False)
    press(editing, Key.Key_Escape)
    assert document.session.preview is None
    QTest.mouseRelease(editing.area.work_view, LEFT, NONE, QPoint(10, 10))
    assert document.state_json() == before and document.stack.count() == steps
    drag(editing, ball(editing, "left foot"), QPoint(70, 0))
    moved = document.state_json()
    drag(editing, ball(editing, "left forearm"), QPoint(70, 0), drop=False)
    editing.actions["undo"].trigger()  # while it lasts Undo gives the drag up, not the step before it
    assert document.session.preview is None and document.state_json() == moved != before


def test_shift_and_the_switch_leave_the_children(editing: MainWindow) -> None:
    document = editing.document
    hand = place(editing, "left hand")
    drag(editing, ball(editing, "left forearm"), QPoint(40, 0), held=SHIFT)
    assert place(editing, "left hand") == pytest.approx(hand, abs=1e-9)
    assert place(editing, "left forearm")[0] > 0.1
    document.undo()
    press(editing, Key.Key_C, SHIFT)
    assert not document.session.carry_children and not editing.actions["carry_children"].isChecked()
    drag(editing, ball(editing, "left forearm"), QPoint(40, 0))
    assert place(editing, "left hand") == pytest.approx(hand, abs=1e-9)
    document.undo()
    drag(editing, ball(editing, "left forearm"), QPoint(40, 0), held=SHIFT)  # now Shift carries them
    assert place(editing, "left hand")[0] > hand[0] + 0.05
    press(editing, Key.Key_C, SHIFT)


def test_axes_fine_and_the_grid(editing: MainWindow) -> None:
    document = editing.document
    start = place(editing, "left shank")
    pixel = editing.area.work_view.pixel_size(start)
    drag(editing, ball(editing, "left shank"), QPoint(60, 30), keys=(Key.Key_X,))
    assert place(editing, "left shank") - start == pytest.approx((60 * pixel, 0.0, 0.0), abs=1e-9)
    document.undo()
    drag(editing, ball(editing, "left shank"), QPoint(60, 30), keys=(Key.Key_X, Key.Key_X))  # again lets go
    assert place(editing, "left shank") - start == pytest.approx((60 * pixel, -30 * pixel, 0.0), abs=1e-9)
    document.undo()
    drag(editing, ball(editing, "left shank"), QPoint(60, 30), held=CTRL)
    assert place(editing, "left shank") - start == pytest.approx((6 * pixel, -3 * pixel, 0.0), abs=1e-9)
    document.undo()
    press(editing, Key.Key_G, SHIFT)
    assert document.session.snap
    drag(editing, ball(editing, "left shank"), QPoint(47, 23))
    placed = place(editing, "left shank")
    from app.tools.joint_picking import grid_step

    step = grid_step(editing.area.work_view, placed)
    assert placed[:2] / step == pytest.approx(np.round(placed[:2] / step), abs=1e-6)
    assert placed[2] == pytest.approx(start[2], abs=1e-9)  # the depth of a parallel view stays
    press(editing, Key.Key_G, SHIFT)


def test_a_mere_click_moves_nothing_and_goes_deeper_the_second_time(window: MainWindow, skeletons_folder: Path) -> None:
    window.document.open(skeletons_folder / "stickman.scr")
    window.skeleton.set_mode("skeleton")
    skeleton = window.document.skeleton
    frames = rest_frames(skeleton)[:, :3, 3]
    together = [
        i for i in range(len(frames)) if np.linalg.norm(frames - frames[i], axis=1).round(6).tolist().count(0) > 1
    ]
    spot = at(window, frames[together[0]]) if together else ball(window, skeleton.joint_names[1])
    steps = window.document.stack.count()
    click(window, spot)
    first = window.document.selection
    click(window, spot)
    assert len(first) == 1 and window.document.stack.count() == steps
    if together:
        assert window.document.selection != first and window.document.selection[0] in together


def test_a_click_on_the_body_takes_its_joint(editing: MainWindow) -> None:
    skeleton, scene = editing.document.skeleton, editing.area.host.scene
    head = skeleton.joint_index("head")
    top = scene.points(scene.poses, (head,))[:, 1].max()
    spot = scene.poses[head, :3, 3].copy()
    spot[1] = 0.5 * (top + spot[1]) + 0.02
    click(editing, at(editing, spot))
    assert editing.document.selection == (head,)
    click(editing, QPoint(12, 300))
    assert editing.document.selection == ()


def test_nudges_in_a_row_are_one_step(editing: MainWindow) -> None:
    document = editing.document
    document.set_selection(["left foot"])
    start, steps = place(editing, "left foot"), document.stack.count()
    for _ in range(3):
        press(editing, Key.Key_Right, ALT)
    assert place(editing, "left foot") - start == pytest.approx((0.03, 0.0, 0.0), abs=1e-9)
    assert document.stack.count() == steps + 1
    document.undo()
    assert place(editing, "left foot") == pytest.approx(start)


# -- the tree --------------------------------------------------------------------------------------------------------


def test_add_remove_and_the_keyboard(editing: MainWindow) -> None:
    document = editing.document
    document.set_selection(["left hand"])
    press(editing, Key.Key_Insert)
    names = document.skeleton.joint_names
    made = document.skeleton.joints[document.selection[-1]]
    assert len(names) == 22 and names[made.parent] == "left hand"
    assert np.linalg.norm(made.offset) > 0.01
    press(editing, Key.Key_Delete)
    assert len(document.skeleton.joints) == 21 and document.skeleton.joints[document.selection[-1]].name == "left hand"
    hand = place(editing, "left hand")
    document.set_selection(["left forearm"])
    press(editing, Key.Key_Delete, CTRL)
    assert "left forearm" not in document.skeleton.joint_names
    assert place(editing, "left hand") == pytest.approx(hand, abs=1e-9)
    document.undo()
    document.set_selection(["left upper arm"])
    press(editing, Key.Key_Backspace)
    assert not {"left upper arm", "left forearm", "left hand"} & set(document.skeleton.joint_names)
    press(editing, Key.Key_Up)
    assert document.selection


def test_the_root_cannot_go_and_says_so_in_one_line(editing: MainWindow) -> None:
    document = editing.document
    before = document.state_json()
    document.set_selection((0,))
    press(editing, Key.Key_Delete)
    assert document.state_json() == before
    assert "root" in editing.errors.text and "\n" not in editing.errors.text


def test_renaming_in_the_tree(editing: MainWindow, qtbot) -> None:
    document, tree = editing.document, editing.skeleton.panel.tree
    document.set_selection(["left hand"])
    tree.setFocus()
    QTest.keyClick(tree, Key.Key_Return)
    editor = tree.findChild(QLineEdit)
    assert editor is not None and editor.text() == "left hand"
    editor.setText("left paw")
    QTest.keyClick(editor, Key.Key_Return)
    qtbot.waitUntil(lambda: "left paw" in document.skeleton.joint_names)
    assert document.skeleton.joints[document.skeleton.joint_index("right hand")].mirror == "left paw"
    assert document.skeleton.joints[document.selection[-1]].name == "left paw"
    document.undo()
    tree.rename(document.skeleton.joint_index("left hand"))
    editor = next(each for each in tree.findChildren(QLineEdit) if each.isVisible())
    editor.setText("head")
    before = document.state_json()
    QTest.keyClick(editor, Key.Key_Return)
    qtbot.waitUntil(lambda: bool(editing.errors.text))
    assert document.state_json() == before and '"head"' in editing.errors.text
    assert tree.item(document.skeleton.joint_index("left hand")).text(0) == "left hand"


def test_hanging_a_joint_elsewhere_keeps_its_place(editing: MainWindow) -> None:
    document = editing.document
    hand = place(editing, "left hand")
    editing.skeleton.panel.tree.moved.emit("left hand", "chest")
    skeleton = document.skeleton
    assert skeleton.joints[skeleton.joints[skeleton.joint_index("left hand")].parent].name == "chest"
    assert place(editing, "left hand") == pytest.approx(hand, abs=1e-9)
    document.undo()
    before = document.state_json()
    editing.skeleton.panel.tree.moved.emit("left clavicle", "left hand")
    assert document.state_json() == before and editing.errors.text


def test_a_joint_dropped_on_another_hangs_there(editing: MainWindow, qtbot) -> None:
    document, tree = editing.document, editing.skeleton.panel.tree
    tree.setCurrentItem(tree.item(document.skeleton.joint_index("head")))
    spot = tree.visualItemRect(tree.item(document.skeleton.joint_index("chest"))).center()
    data = tree.mimeData([tree.currentItem()])
    drop = QDropEvent(QPointF(spot), Qt.DropAction.MoveAction, data, LEFT, NONE)
    head = place(editing, "head")
    tree.dropEvent(drop)
    qtbot.waitUntil(lambda: document.stack.count() == 1)
    skeleton = document.skeleton
    assert skeleton.joint_names[skeleton.joints[skeleton.joint_index("head")].parent] == "chest"
    assert place(editing, "head") == pytest.approx(head, abs=1e-9)
    assert tree.item(skeleton.joint_index("head")).parent().text(0) == "chest"


def test_closed_branches_stay_closed(editing: MainWindow) -> None:
    document, tree = editing.document, editing.skeleton.panel.tree
    arm = tree.item(document.skeleton.joint_index("right upper arm"))
    arm.setExpanded(False)
    document.set_selection(["head"])
    press(editing, Key.Key_Insert)
    again = tree.item(document.skeleton.joint_index("right upper arm"))
    assert again is not arm and not again.isExpanded()


def test_tree_and_views_share_selection_and_hover(editing: MainWindow) -> None:
    document, tree = editing.document, editing.skeleton.panel.tree
    click(editing, ball(editing, "right foot"))
    assert tree.currentItem().text(0) == "right foot"
    tree.setCurrentItem(tree.item(document.skeleton.joint_index("neck")))
    assert document.skeleton.joints[document.selection[-1]].name == "neck"
    assert editing.skeleton.panel.form.name.text() == "neck"


# -- the panel -------------------------------------------------------------------------------------------------------


def type_into(field, text: str) -> None:
    """Type into a number field as a person does."""
    field.setFocus()
    field.open_editor("")
    editor = field.findChild(QLineEdit)
    editor.setText(text)
    QTest.keyClick(editor, Key.Key_Return)


def test_every_value_of_the_panel_is_one_step_and_comes_back(editing: MainWindow, qtbot) -> None:
    document, form = editing.document, editing.skeleton.panel.form
    document.set_selection(["right forearm"])

    def joint():
        return document.skeleton.joints[document.skeleton.joint_index("right forearm")]

    def check(change, after) -> None:
        before, steps = document.state_json(), document.stack.index()
        change()
        assert document.stack.index() == steps + 1
        assert after()
        document.undo()
        assert document.state_json() == before
        document.stack.redo()
        assert after()
        document.undo()

    check(lambda: type_into(form.offset.fields[1], "-0.3"), lambda: joint().offset[1] == -0.3)
    check(lambda: type_into(form.offset.fields[0], "5 cm"), lambda: joint().offset[0] == pytest.approx(0.05))
    check(lambda: type_into(form.orientation.fields[2], "90/2"), lambda: joint().orientation[2] == 45.0)
    check(lambda: type_into(form.scale.fields[0], "1.5"), lambda: joint().scale[0] == 1.5)
    check(lambda: type_into(form.mass, "2"), lambda: joint().mass == 2.0 and "mass" not in joint().assumed)
    check(lambda: type_into(form.center.fields[1], "-0.1"), lambda: joint().center[1] == -0.1)
    check(form.mass_from_shape.click, lambda: "mass" in joint().assumed)
    check(lambda: form.color.picked.emit((1.0, 0.0, 0.0)), lambda: joint().color == (1.0, 0.0, 0.0))
    check(lambda: form.mirror.picked.emit(""), lambda: joint().mirror is None)
    check(lambda: form.parent_joint.picked.emit("chest"),
          lambda: document.skeleton.joints[joint().parent].name == "chest")  # fmt: skip
    lower = form.dofs.rows[0].lower
    check(lambda: type_into(lower, "-10"), lambda: joint().dofs[0].lo == pytest.approx(np.radians(-10.0)))
    check(lambda: type_into(lower, "none"), lambda: joint().dofs[0].lo == -np.inf)
    check(lambda: form.dofs.rows[0].axis.committed.emit("0 3 4"), lambda: joint().dofs[0].axis[2] == pytest.approx(0.8))
    check(lambda: form.dofs.rows[0].label.committed.emit("Bend"), lambda: joint().dof_labels[0] == "Bend")
    check(form.dofs.rows[1].kind.click, lambda: joint().dofs[1].kind == "slide")
    check(lambda: form.dofs.rows[0].shifted.emit(0, 1), lambda: joint().dof_labels == ("Forearm turn", "Elbow flex"))
    check(lambda: form.dofs.rows[0].removed.emit(0), lambda: joint().dof_labels == ("Forearm turn",))
    check(form.dofs.add_slide.click, lambda: [dof.kind for dof in joint().dofs] == ["hinge", "hinge", "slide"])
    check(form.dofs.make_ball.click, lambda: len(joint().dofs) == 3)
    check(lambda: form.objects.rows[0].removed.emit(0), lambda: joint().objects == ())
    check(lambda: form.objects.add_shape("box"), lambda: len(joint().objects) == 2)
    form.group.setEditText("Forearms")
    check(form._regroup, lambda: "Forearms" in dict(document.skeleton.groups))


def test_a_field_that_is_dragged_shows_the_figure_live_and_is_one_step(editing: MainWindow) -> None:
    document, form = editing.document, editing.skeleton.panel.form
    document.set_selection(["right thigh"])
    field, steps, state = form.offset.fields[0], document.stack.count(), document.state_json()

    def send(x: float) -> None:
        spot = QPointF(x, 12)
        kind = QEvent.Type.MouseMove
        QApplication.sendEvent(
            field, QMouseEvent(kind, spot, field.mapToGlobal(spot), Qt.MouseButton.NoButton, LEFT, NONE)
        )

    QTest.mousePress(field, LEFT, NONE, QPoint(10, 12))
    for x in (16, 22, 30):
        send(x)
    assert document.state_json() == state and document.session.preview is not None
    QTest.mouseRelease(field, LEFT, NONE, QPoint(30, 12))
    assert document.stack.count() == steps + 1 and document.session.preview is None
    document.undo()
    assert document.state_json() == state
    QTest.mousePress(field, LEFT, NONE, QPoint(10, 12))
    send(30)
    QTest.keyClick(field, Key.Key_Escape)
    assert document.session.preview is None and document.state_json() == state


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda form: form.name.committed.emit("head"), '"head"'),
        (lambda form: form.name.committed.emit(""), "empty"),
        (lambda form: form.dofs.rows[0].axis.committed.emit("q"), '"q"'),
        (lambda form: form.dofs.rows[0].axis.committed.emit("0 0 0"), "direction"),
        (lambda form: form.dofs.rows[0].axis.committed.emit("1 nan 0"), "three numbers"),
        (lambda form: type_into(form.dofs.rows[0].lower, "400"), "lower"),
        (lambda form: type_into(form.offset.fields[0], "1e12"), "within"),
        (lambda form: form.mirror.picked.emit("right forearm"), "counterpart"),
    ],
)
def test_a_wrong_value_is_one_line_and_changes_nothing(editing: MainWindow, change, told: str) -> None:
    document, form = editing.document, editing.skeleton.panel.form
    document.set_selection(["right forearm"])
    before, steps = document.state_json(), document.stack.count()
    change(form)
    assert document.state_json() == before and document.stack.count() == steps
    assert told in editing.errors.text and "\n" not in editing.errors.text and "Traceback" not in editing.errors.details
    assert form.name.text() == "right forearm"
    assert form.dofs.rows[0].lower.value == 0.0
    assert form.offset.fields[0].value == pytest.approx(document.skeleton.joints[document.selection[-1]].offset[0])


def test_polygons_from_a_file_travel_with_the_document(editing: MainWindow, tmp_path: Path) -> None:
    import trimesh

    document, form = editing.document, editing.skeleton.panel.form
    path = tmp_path / "glove.stl"
    trimesh.creation.box((0.1, 0.2, 0.3)).export(path)
    document.set_selection(["right hand"])
    form.objects.add_file(path)
    part = document.skeleton.joints[document.selection[-1]].objects[-1]
    assert part.file.endswith("glove.pol") and len(part.mesh.triangles) == 12
    path.unlink()
    target = tmp_path / "with glove.seq"
    assert document.save(target) and document.open(target)
    again = document.skeleton.joints[document.skeleton.joint_index("right hand")].objects[-1]
    assert again.mesh is not None and len(again.mesh.triangles) == 12
    editing.skeleton.set_mode("skeleton")
    document.set_selection(["right hand"])
    before = document.state_json()
    bad = tmp_path / "bad.obj"
    bad.write_text("v 0 0 zero\n", encoding="utf-8")
    form.objects.add_file(bad)
    assert document.state_json() == before and "bad.obj" in editing.errors.text


def test_a_shape_changes_its_size_live_and_as_one_step(editing: MainWindow) -> None:
    document, scene = editing.document, editing.area.host.scene
    document.set_selection(["right hand"])
    row, state, steps = editing.skeleton.panel.form.objects.rows[0], document.state_json(), document.stack.count()
    field = row.size_field.fields[1]
    before = document.skeleton.joints[document.selection[-1]].objects[0].mesh.vertices
    field.begin()
    field.move_to(0.5)
    assert document.state_json() == state
    frame = scene.body_poses[document.selection[-1]]
    shown = before @ frame[:3, :3].T + frame[:3, 3]
    field.commit()
    assert document.stack.count() == steps + 1 and row.size_field.fields[1].value == pytest.approx(0.5)
    frame = scene.poses[document.selection[-1]]
    after = document.skeleton.joints[document.selection[-1]].objects[0].mesh.vertices
    assert after @ frame[:3, :3].T + frame[:3, 3] == pytest.approx(shown, abs=1e-9)
    document.undo()
    assert document.state_json() == state


def test_delete_in_a_field_is_about_the_number(editing: MainWindow) -> None:
    document, form = editing.document, editing.skeleton.panel.form
    document.set_selection(["right hand"])
    state = document.state_json()
    for field in (form.offset.fields[0], form.dofs.rows[0].lower):
        for key in (Key.Key_Delete, Key.Key_Backspace):
            field.setFocus(Qt.FocusReason.TabFocusReason)
            QTest.keyClick(field, key)
            assert field.typing and document.state_json() == state
            QTest.keyClick(field.findChild(QLineEdit), Key.Key_Escape)
    assert document.state_json() == state


def test_the_figure_is_renamed_and_everything_selected(editing: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    document = editing.document
    monkeypatch.setattr(QInputDialog, "getText", lambda *_, **__: ("giant", True))
    editing.actions["rename_figure"].trigger()
    assert document.skeleton.name == "giant" and "giant" in editing.status.about.text()
    document.undo()
    assert document.skeleton.name == "human"
    editing.actions["select_all"].trigger()
    assert len(document.selection) == len(document.skeleton.joints)


# -- modes -----------------------------------------------------------------------------------------------------------


def test_modes_by_key_menu_and_bar(window: MainWindow, qtbot) -> None:
    document, bar = window.document, window.toolbar
    document.set_frame(12)
    pose = document.pose.copy()
    scene = window.area.host.scene
    posed = scene.poses.copy()
    press(window, Key.Key_B)
    assert document.session.mode == "skeleton" and bar.mode.current == "skeleton"
    assert scene.poses == pytest.approx(forward_kinematics(document.skeleton, document.skeleton.rest_pose()))
    assert [dock.isVisible() for dock in window.workbench.docks] == [False, False, True, False, False]
    assert not bar.set_key.isVisible() and not window.actions["set_key"].isEnabled()
    assert not window.actions["play"].isEnabled() and not window.timeline.sheet.isEnabled()
    press(window, Key.Key_B)
    assert document.session.mode == "pose" and document.frame == 12
    assert np.array_equal(document.pose, pose) and np.array_equal(scene.poses, posed)
    assert [dock.isVisible() for dock in window.workbench.docks] == [True, True, False, True, True]
    QTest.mouseClick(bar.mode.segment("skeleton"), LEFT)
    assert document.session.mode == "skeleton"
    window.actions["mode_pose"].trigger()
    assert document.session.mode == "pose" and window.timeline.sheet.isEnabled()
    assert document.stack.count() == 0


def test_a_mode_switch_stops_playing_and_keys_are_safe(window: MainWindow, qtbot) -> None:
    document = window.document
    keys = [key.q.copy() for key in document.sequence.keys]
    press(window, Key.Key_Space)
    qtbot.wait(150)
    press(window, Key.Key_B)
    assert not document.session.playing
    for key in (Key.Key_Space, Key.Key_S, Key.Key_K, Key.Key_Right, Key.Key_R):
        press(window, key)
    qtbot.wait(50)
    assert not document.session.playing and document.stack.count() == 0 and document.session.auto_key
    document.set_selection(["left forearm"])
    press(window, Key.Key_Right, ALT)
    assert document.stack.count() == 1
    assert all(np.array_equal(a, key.q) for a, key in zip(keys, document.sequence.keys, strict=True))
    press(window, Key.Key_B)
    press(window, Key.Key_Space)
    assert document.session.playing
    press(window, Key.Key_Space)


def test_bones_alone_get_shapes_that_can_be_posed(window: MainWindow) -> None:
    document = window.document
    window.actions["new_figure"].trigger()
    press(window, Key.Key_Insert)
    press(window, Key.Key_Insert)
    assert not any(joint.has_body for joint in document.skeleton.joints)
    window.actions["add_bodies"].trigger()
    assert all(joint.objects for joint in document.skeleton.joints[:2])
    steps = document.stack.count()
    window.actions["add_bodies"].trigger()
    assert document.stack.count() == steps and "shape" in window.errors.text
    press(window, Key.Key_B)
    press(window, Key.Key_S)
    assert len(document.sequence.keys) == 1


def test_a_new_joint_gets_values_in_every_key_and_undo_takes_them_away(editing: MainWindow) -> None:
    document = editing.document
    before = document.state_json()
    sizes = {len(key.q) for key in document.sequence.keys}
    document.set_selection(["head"])
    press(editing, Key.Key_Insert)
    assert {len(key.q) for key in document.sequence.keys} == {size + 3 for size in sizes} == {document.skeleton.nq}
    document.undo()
    assert document.state_json() == before


def test_root_here_keeps_every_pose_in_the_world(window: MainWindow) -> None:
    document = window.document
    old = document.skeleton
    frames = [0, 3, 8, 20, 32]
    keyed = [key.frame for key in document.sequence.keys]
    worlds = {f: forward_kinematics(old, document.sequence.pose_at_frame(f)) for f in keyed}
    document.set_selection(["right hand"])
    assert window.actions["reroot"].isEnabled()
    window.actions["reroot"].trigger()
    new = document.skeleton
    assert new.joint_names[0] == "right hand" and document.stack.count() == 1
    assert [key.frame for key in document.sequence.keys] == keyed
    from core.skeleton.segment import segment_mesh

    for frame, before in worlds.items():
        after = forward_kinematics(new, document.sequence.pose_at_frame(frame))
        for name in old.joint_names:  # the bodies stay where they are; joint origins may change places
            i, j = old.joint_index(name), new.joint_index(name)
            one, other = segment_mesh(old, i), segment_mesh(new, j)
            assert len(one.vertices) == len(other.vertices)
            placed = one.vertices @ before[i, :3, :3].T + before[i, :3, 3]
            again = other.vertices @ after[j, :3, :3].T + after[j, :3, 3]
            assert again == pytest.approx(placed, abs=1e-9)
    assert not window.actions["reroot"].isEnabled() or document.selection[-1] != 0
    document.undo()
    assert document.skeleton.joint_names == old.joint_names
    assert frames


def test_a_figure_that_is_built_comes_back_after_a_crash(window: MainWindow, tmp_path: Path) -> None:
    from app.document.document import Document

    document = window.document
    assert document.start_journal(tmp_path)
    window.actions["new_figure"].trigger()
    for _ in range(3):
        press(window, Key.Key_Insert)
    window.skeleton.panel.form.objects.add_shape("limb")
    press(window, Key.Key_Z, CTRL)
    press(window, Key.Key_Z, CTRL | SHIFT)
    state = document.state_json()
    copy = shutil.copy(next(tmp_path.glob("*.journal")), tmp_path / "copy.journal")
    other = Document()
    assert other.recover(copy)
    assert other.state_json() == state
    while other.stack.canUndo():
        other.undo()
    assert other.skeleton.joint_names == ("root",)


def test_limits_are_edited_by_brackets(window: MainWindow) -> None:
    document, panel = window.document, window.panels[0]
    skeleton = document.skeleton
    number = skeleton.dof_names.index("right forearm.-x")
    row = panel.row(3 + number)
    panel.view.ensureWidgetVisible(row)  # rows out of sight are not kept up to date
    slider, steps, state = row.slider, document.stack.count(), document.state_json()
    end = QPoint(slider.width() - 7, 12)
    hi = skeleton.all_dofs[number].hi

    def send(x: float, held) -> None:

        spot = QPointF(x, 12)
        QApplication.sendEvent(
            slider,
            QMouseEvent(QEvent.Type.MouseMove, spot, slider.mapToGlobal(spot), Qt.MouseButton.NoButton, LEFT, held),
        )

    QTest.mousePress(slider, LEFT, SHIFT, end)
    send(end.x() - 10, SHIFT)
    assert document.state_json() == state and slider.at_limit == 0
    QTest.keyClick(slider, Key.Key_Escape)
    assert document.state_json() == state and document.stack.count() == steps
    rate = (hi - skeleton.all_dofs[number].lo) / (slider.width() - 14)
    QTest.mousePress(slider, LEFT, SHIFT, end)
    send(end.x() - 10, SHIFT)
    QTest.mouseRelease(slider, LEFT, SHIFT, end - QPoint(10, 0))
    assert document.stack.count() == steps + 1
    assert document.skeleton.all_dofs[number].hi == pytest.approx(hi - 10 * rate)
    assert [key.q.tolist() for key in document.sequence.keys] == [
        key["q"] for key in json.loads(state)["sequences"][0]["keys"]
    ]
    document.undo()
    assert document.state_json() == state
    row = panel.row(3 + number)
    slider = row.slider
    QTest.mousePress(slider, LEFT, SHIFT | CTRL, end)
    send(end.x() - 10, SHIFT | CTRL)
    QTest.mouseRelease(slider, LEFT, SHIFT | CTRL, end - QPoint(10, 0))
    assert document.skeleton.all_dofs[number].hi == pytest.approx(hi - rate)


# -- the window ------------------------------------------------------------------------------------------------------


def docks(window: MainWindow) -> list[bool]:
    return [dock.isVisible() for dock in window.workbench.docks]


def test_a_dock_that_was_closed_stays_closed_in_its_mode(window: MainWindow, qtbot) -> None:
    bench = window.workbench
    bench.docks[1].hide()
    window.skeleton.set_mode("skeleton")
    assert docks(window) == [False, False, True, False, False]
    bench.docks[2].hide()
    window.skeleton.set_mode("pose")
    assert docks(window) == [True, False, False, True, True]
    window.skeleton.set_mode("skeleton")
    assert docks(window) == [False, False, False, False, False]
    window.reset_layout()
    assert docks(window) == [False, False, True, False, False]
    shown = [action.text() for action in window.menu.submenu("View", "Panels").actions() if action.isVisible()]
    assert "Skeleton" in shown and "Solver" not in shown
    window.skeleton.set_mode("pose")
    assert docks(window) == [True, True, False, True, True]


def test_narrow_windows_fold_the_panel_and_keep_the_mode(window: MainWindow, qtbot) -> None:
    window.skeleton.set_mode("skeleton")
    window.resize(1024, 680)
    qtbot.wait(100)
    assert window.workbench.folded and docks(window) == [False, False, False, False, False]
    assert [button.isVisible() for button, _ in window.workbench.rail._buttons] == [False] * 3 + [True, False, False]
    window.skeleton.set_mode("pose")
    assert [button.isVisible() for button, _ in window.workbench.rail._buttons] == [True] * 3 + [False, True, True]
    window.skeleton.set_mode("skeleton")
    for mode in ("pose", "skeleton"):
        window.skeleton.set_mode(mode)
        assert window.toolbar.layout().sizeHint().width() <= window.toolbar.width()
    window.resize(1440, 900)
    qtbot.wait(100)
    assert docks(window) == [False, False, True, False, False]


def test_the_layout_is_kept_as_for_posing(window: MainWindow) -> None:
    window.skeleton.set_mode("skeleton")
    state = window.workbench.layout_state()
    window.workbench.restore_layout(*state)
    assert docks(window) == [True, True, False, True, True]


def test_the_figure_keeps_its_place_on_the_screen(window: MainWindow) -> None:
    window.document.set_frame(20)
    window.area.set_reduced_motion(True)
    window.area.frame_all()
    view, scene = window.area.work_view, window.area.host.scene

    def root():
        return view_point(view, scene.poses[0, :3, 3])

    posed = root()
    window.skeleton.set_mode("skeleton")
    assert (root() - posed).manhattanLength() < 1e-6
    window.skeleton.set_mode("pose")
    assert (root() - posed).manhattanLength() < 1e-6


def test_every_bundled_figure_can_be_edited_and_drawn(window: MainWindow, skeletons_folder: Path, qtbot) -> None:
    for path in sorted(skeletons_folder.glob("*.scr")):
        window.document.open(path)
        window.skeleton.set_mode("skeleton")
        skeleton = window.document.skeleton
        for joint in (0, len(skeleton.joints) // 2, len(skeleton.joints) - 1):
            window.document.set_selection((joint,))
            window.grab()
            assert window.skeleton.panel.form.name.text() == skeleton.joint_names[joint]
        press(window, Key.Key_Insert)
        assert len(window.document.skeleton.joints) == len(skeleton.joints) + 1
        assert not window.errors.text
