"""The tree of joints and the form beside it: everything they say of a figure can be edited."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QDropEvent, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QInputDialog, QLineEdit

from app.window.main_window import MainWindow
from tests.gui.skeleton_support import CTRL, LEFT, NONE, Key, ball, click, edited, place, press


@pytest.fixture
def editing(window: MainWindow) -> MainWindow:
    return edited(window)


# -- the tree --------------------------------------------------------------------------------------------------------


def test_add_remove_and_the_keyboard(editing: MainWindow) -> None:
    document = editing.document
    document.selection.set(["left hand"])
    press(editing, Key.Key_Insert)
    names = document.skeleton.joint_names
    made = document.skeleton.joints[document.selection.joints[-1]]
    assert len(names) == 22 and names[made.parent] == "left hand"
    assert np.linalg.norm(made.offset) > 0.01
    press(editing, Key.Key_Delete)
    assert (
        len(document.skeleton.joints) == 21
        and document.skeleton.joints[document.selection.joints[-1]].name == "left hand"
    )
    hand = place(editing, "left hand")
    document.selection.set(["left forearm"])
    press(editing, Key.Key_Delete, CTRL)
    assert "left forearm" not in document.skeleton.joint_names
    assert place(editing, "left hand") == pytest.approx(hand, abs=1e-9)
    document.history.undo()
    document.selection.set(["left upper arm"])
    press(editing, Key.Key_Backspace)
    assert not {"left upper arm", "left forearm", "left hand"} & set(document.skeleton.joint_names)
    press(editing, Key.Key_Up)
    assert document.selection.joints


def test_the_root_cannot_go_and_says_so_in_one_line(editing: MainWindow) -> None:
    document = editing.document
    before = document.state_json()
    document.selection.set((0,))
    press(editing, Key.Key_Delete)
    assert document.state_json() == before
    assert "root" in editing.errors.text and "\n" not in editing.errors.text


@pytest.mark.verify
def test_renaming_in_the_tree(editing: MainWindow, qtbot) -> None:
    document, tree = editing.document, editing.skeleton.panel.tree
    document.selection.set(["left hand"])
    tree.setFocus()
    QTest.keyClick(tree, Key.Key_Return)
    editor = tree.findChild(QLineEdit)
    assert editor is not None and editor.text() == "left hand"
    editor.setText("left paw")
    QTest.keyClick(editor, Key.Key_Return)
    qtbot.waitUntil(lambda: "left paw" in document.skeleton.joint_names)
    assert document.skeleton.joints[document.skeleton.joint_index("right hand")].mirror == "left paw"
    assert document.skeleton.joints[document.selection.joints[-1]].name == "left paw"
    document.history.undo()
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
    document.history.undo()
    before = document.state_json()
    editing.skeleton.panel.tree.moved.emit("left clavicle", "left hand")
    assert document.state_json() == before and editing.errors.text


@pytest.mark.verify
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


@pytest.mark.verify
def test_closed_branches_stay_closed(editing: MainWindow) -> None:
    document, tree = editing.document, editing.skeleton.panel.tree
    arm = tree.item(document.skeleton.joint_index("right upper arm"))
    arm.setExpanded(False)
    document.selection.set(["head"])
    press(editing, Key.Key_Insert)
    again = tree.item(document.skeleton.joint_index("right upper arm"))
    assert again is not arm and not again.isExpanded()


def test_tree_and_views_share_selection_and_hover(editing: MainWindow) -> None:
    document, tree = editing.document, editing.skeleton.panel.tree
    click(editing, ball(editing, "right foot"))
    assert tree.currentItem().text(0) == "right foot"
    tree.setCurrentItem(tree.item(document.skeleton.joint_index("neck")))
    assert document.skeleton.joints[document.selection.joints[-1]].name == "neck"
    assert editing.skeleton.panel.form.name.text() == "neck"


# -- the panel -------------------------------------------------------------------------------------------------------


def type_into(field, text: str) -> None:
    """Type into a number field as a person does."""
    field.setFocus()
    field.open_editor("")
    editor = field.findChild(QLineEdit)
    editor.setText(text)
    QTest.keyClick(editor, Key.Key_Return)


@pytest.mark.verify
def test_every_value_of_the_panel_is_one_step_and_comes_back(editing: MainWindow, qtbot) -> None:
    document, form = editing.document, editing.skeleton.panel.form
    document.selection.set(["right forearm"])

    def joint():
        return document.skeleton.joints[document.skeleton.joint_index("right forearm")]

    def check(change, after) -> None:
        before, steps = document.state_json(), document.stack.index()
        change()
        assert document.stack.index() == steps + 1
        assert after()
        document.history.undo()
        assert document.state_json() == before
        document.stack.redo()
        assert after()
        document.history.undo()

    given = joint().assumed
    check(lambda: type_into(form.offset.fields[1], "-0.3"), lambda: joint().offset[1] == -0.3)
    check(lambda: type_into(form.offset.fields[0], "5 cm"), lambda: joint().offset[0] == pytest.approx(0.05))
    check(lambda: type_into(form.orientation.fields[2], "90/2"), lambda: joint().orientation[2] == 45.0)
    check(lambda: type_into(form.scale.fields[0], "1.5"), lambda: joint().scale[0] == 1.5)
    check(lambda: type_into(form.mass, "2"), lambda: joint().mass == 2.0 and "mass" not in joint().assumed)
    check(lambda: type_into(form.center.fields[1], "-0.1"), lambda: joint().center[1] == -0.1)
    check(form.mass_from_shape.click, lambda: "mass" in joint().assumed)
    moments = np.diag(joint().inertia)
    check(lambda: type_into(form.inertia.fields[1], "9"),
          lambda: np.diag(joint().inertia) == pytest.approx([moments[0], 0.009, moments[2]], abs=5e-6))  # fmt: skip
    check(lambda: type_into(form.products.fields[0], "0.2"), lambda: joint().inertia[1, 0] == pytest.approx(2e-4))
    check(form.inertia_from_shape.click, lambda: ("inertia" in joint().assumed) != ("inertia" in given))
    forces = form.physics
    check(lambda: type_into(forces.spring, "20"), lambda: joint().stiffness == (20.0, 0.0))
    check(lambda: type_into(forces.rest, "15"), lambda: joint().stiffness == (0.0, pytest.approx(np.radians(15.0))))
    check(lambda: type_into(forces.damping, "0.5"), lambda: joint().damping == 0.5)
    check(lambda: type_into(forces.viscous, "0.1"), lambda: joint().viscous == 0.1)
    check(lambda: type_into(forces.torque, "-5"), lambda: joint().motor == -5.0)
    check(lambda: type_into(forces.dry, "0.3"), lambda: joint().coulomb == (0.3, None, None))
    check(lambda: type_into(forces.bearing_radius, "2 cm"), lambda: joint().coulomb == (0.0, 0.02, 0.02))
    check(lambda: type_into(forces.surface, "0.4"), lambda: joint().friction == 0.4)
    check(lambda: form.color.picked.emit((1.0, 0.0, 0.0)), lambda: joint().color == (1.0, 0.0, 0.0))
    check(lambda: form.mirror.picked.emit(""), lambda: joint().mirror is None)
    check(lambda: form.parent_joint.picked.emit("chest"),
          lambda: document.skeleton.joints[joint().parent].name == "chest")  # fmt: skip
    lower = form.dofs.rows[0].low
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


@pytest.mark.verify
def test_forces_in_a_joint_are_shown_in_its_units(editing: MainWindow) -> None:
    document, form = editing.document, editing.skeleton.panel.form
    document.selection.set(["right forearm"])
    forces, header = form.physics, form.sections["Forces in the joint"]
    assert header.summary == "none" and forces.torque.isEnabled() and forces.surface.shown_text() == "usual"
    type_into(forces.spring, "20")
    type_into(forces.viscous, "0.1")
    assert header.summary == "spring, friction" and forces.spring.shown_text() == "20.00 N·m/rad"
    form.dofs.rows[0].kind.click()
    form.dofs.rows[1].kind.click()
    assert forces.spring.shown_text() == "20.0 N/m" and forces.rest.shown_text().endswith(" m")
    document.selection.set(["right upper arm"])
    assert not forces.torque.isEnabled() and "ball joint" in forces.torque.toolTip()


@pytest.mark.verify
def test_a_field_that_is_dragged_shows_the_figure_live_and_is_one_step(editing: MainWindow) -> None:
    document, form = editing.document, editing.skeleton.panel.form
    document.selection.set(["right thigh"])
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
    document.history.undo()
    assert document.state_json() == state
    QTest.mousePress(field, LEFT, NONE, QPoint(10, 12))
    send(30)
    QTest.keyClick(field, Key.Key_Escape)
    assert document.session.preview is None and document.state_json() == state


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda form: form.name.committed.emit("head"), '"head"'),
        (lambda form: form.name.committed.emit(""), "empty"),
        (lambda form: form.dofs.rows[0].axis.committed.emit("q"), '"q"'),
        (lambda form: form.dofs.rows[0].axis.committed.emit("0 0 0"), "direction"),
        (lambda form: form.dofs.rows[0].axis.committed.emit("1 nan 0"), "three numbers"),
        (lambda form: type_into(form.dofs.rows[0].low, "400"), "lower"),
        (lambda form: type_into(form.offset.fields[0], "1e12"), "within"),
        (lambda form: form.mirror.picked.emit("right forearm"), "counterpart"),
    ],
)
def test_a_wrong_value_is_one_line_and_changes_nothing(editing: MainWindow, change, message: str) -> None:
    document, form = editing.document, editing.skeleton.panel.form
    document.selection.set(["right forearm"])
    before, steps = document.state_json(), document.stack.count()
    change(form)
    assert document.state_json() == before and document.stack.count() == steps
    assert (
        message in editing.errors.text and "\n" not in editing.errors.text and "Traceback" not in editing.errors.details
    )
    assert form.name.text() == "right forearm"
    assert form.dofs.rows[0].low.value == 0.0
    assert form.offset.fields[0].value == pytest.approx(
        document.skeleton.joints[document.selection.joints[-1]].offset[0]
    )


def test_polygons_from_a_file_travel_with_the_document(editing: MainWindow, tmp_path: Path) -> None:
    import trimesh

    document, form = editing.document, editing.skeleton.panel.form
    path = tmp_path / "glove.stl"
    trimesh.creation.box((0.1, 0.2, 0.3)).export(path)
    document.selection.set(["right hand"])
    form.objects.add_file(path)
    part = document.skeleton.joints[document.selection.joints[-1]].objects[-1]
    assert part.file.endswith("glove.pol") and len(part.mesh.triangles) == 12
    path.unlink()
    target = tmp_path / "with glove.seq"
    assert document.files.save(target) and document.files.open(target)
    again = document.skeleton.joints[document.skeleton.joint_index("right hand")].objects[-1]
    assert again.mesh is not None and len(again.mesh.triangles) == 12
    editing.skeleton.set_mode("skeleton")
    document.selection.set(["right hand"])
    before = document.state_json()
    bad = tmp_path / "bad.obj"
    bad.write_text("v 0 0 zero\n", encoding="utf-8")
    form.objects.add_file(bad)
    assert document.state_json() == before and "bad.obj" in editing.errors.text


@pytest.mark.verify
def test_a_shape_changes_its_size_live_and_as_one_step(editing: MainWindow) -> None:
    document, scene = editing.document, editing.area.host.scene
    document.selection.set(["right hand"])
    row, state, steps = editing.skeleton.panel.form.objects.rows[0], document.state_json(), document.stack.count()
    field = row.size_field.fields[1]
    before = document.skeleton.joints[document.selection.joints[-1]].objects[0].mesh.vertices
    field.begin()
    field.move_to(0.5)
    assert document.state_json() == state
    frame = scene.body_poses[document.selection.joints[-1]]
    shown = before @ frame[:3, :3].T + frame[:3, 3]
    field.commit()
    assert document.stack.count() == steps + 1 and row.size_field.fields[1].value == pytest.approx(0.5)
    frame = scene.poses[document.selection.joints[-1]]
    after = document.skeleton.joints[document.selection.joints[-1]].objects[0].mesh.vertices
    assert after @ frame[:3, :3].T + frame[:3, 3] == pytest.approx(shown, abs=1e-9)
    document.history.undo()
    assert document.state_json() == state


@pytest.mark.verify
def test_delete_in_a_field_is_about_the_number(editing: MainWindow) -> None:
    document, form = editing.document, editing.skeleton.panel.form
    document.selection.set(["right hand"])
    state = document.state_json()
    for field in (form.offset.fields[0], form.dofs.rows[0].low):
        for key in (Key.Key_Delete, Key.Key_Backspace):
            field.setFocus(Qt.FocusReason.TabFocusReason)
            QTest.keyClick(field, key)
            assert field.typing and document.state_json() == state
            QTest.keyClick(field.findChild(QLineEdit), Key.Key_Escape)
    assert document.state_json() == state


@pytest.mark.verify
def test_the_figure_is_renamed_and_everything_selected(editing: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    document = editing.document
    monkeypatch.setattr(QInputDialog, "getText", lambda *_, **__: ("giant", True))
    editing.action_table["rename_figure"].trigger()
    assert document.skeleton.name == "giant" and "giant" in editing.status.about.text()
    document.history.undo()
    assert document.skeleton.name == "human"
    editing.action_table["select_all"].trigger()
    assert len(document.selection.joints) == len(document.skeleton.joints)
