"""Opening motion files of other programs: what is doubtful is asked with a picture, all else is said in a line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QFocusEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.dialogs import import_dialog
from app.dialogs.import_dialog import ImportDialog
from app.files.import_memory import ImportMemory
from core.formats import ImportChoices, load, save
from core.kinematics import forward_kinematics
from core.skeleton.extent import figure_height

POLE = """HIERARCHY
ROOT base
{{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT top
  {{
    OFFSET 0 {length} 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {{
      OFFSET 0 {length} 0
    }}
  }}
}}
MOTION
Frames: 2
Frame Time: 0.0333333
0 0 0 0 0 0 0 0 0
0 0 0 0 0 0 0 0 10
"""


@pytest.fixture(autouse=True)
def imports(window):
    """What opens files; nobody has chosen anything yet."""
    found = window.files._opening.imports
    found._memory._known.clear()
    return found


def opened(window, qtbot, path: Path) -> None:
    """Open a file and wait until it is open or asked about."""
    assert window.files.open_path(path)
    qtbot.waitUntil(lambda: not window.background.busy, timeout=30000)


def asked(window) -> ImportDialog:
    dialog = window.files._opening.imports.dialog
    assert dialog is not None and dialog.isVisible()
    return dialog


def accept(window, qtbot) -> None:
    QTest.keyClick(asked(window), Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not window.background.busy, timeout=30000)
    assert window.files._opening.imports.dialog is None


def pick(choice, key) -> None:
    """Choose as the mouse would."""
    index = [row for row, _ in choice._rows].index(key)
    choice.setCurrentIndex(index)
    choice.activated.emit(index)


def places(window) -> np.ndarray:
    """Where the joints are over the motion, shape (frames, joints, 3), [m]."""
    sequence = window.document.sequence
    return forward_kinematics(sequence.skeleton, np.array([key.q for key in sequence.keys[::40]]))[..., :3, 3]


def test_a_doubtful_size_is_asked_with_what_is_likely(window, qtbot, data_folder):
    before = window.document.model
    opened(window, qtbot, data_folder / "bvh" / "z_up_zombie.bvh")
    dialog = asked(window)
    assert window.document.model is before, "nothing is opened before the answer"
    assert "does not state its unit" in dialog.remark.text()
    assert dialog.choices.height == 1.7 and dialog.choices.up == "z"
    assert "found in the data" in dialog.up.currentText() and "178°" in dialog.front.currentText()
    qtbot.waitUntil(lambda: dialog.picture.image is not None)
    accept(window, qtbot)
    at = places(window)
    assert figure_height(window.document.skeleton) == pytest.approx(1.7, rel=1e-6)
    assert -0.1 < at[..., 1].min() < 0.1 and 1.5 < at[..., 1].max() < 1.75
    assert "z axis points up" in window.errors.text and [b.text() for b in window.errors.choices] == ["Change…"]
    assert not window.document.modified


@pytest.mark.verify
def test_the_picture_follows_the_choices(window, qtbot, data_folder):
    opened(window, qtbot, data_folder / "bvh" / "mh_fight01_1frame.bvh")
    dialog = asked(window)
    assert dialog.floor.chosen == "lowest" and "far below the floor" in dialog.remark.text()
    assert dialog._preview.standing("z", 1.7, "lowest", None).poses[:, 1, 3].min() > 0.0
    shown = []
    dialog.picture.show_pose = lambda skeleton, poses, height: shown.append((poses, height))
    pick(dialog.up, "y")
    assert np.ptp(shown[-1][0][:, 1, 3]) < np.ptp(shown[-1][0][:, 2, 3]), "it lies"
    pick(dialog.up, "z")
    pick(dialog.unit_choice, 1.0)
    assert shown[-1][1] == pytest.approx(16.7, abs=0.1) and dialog.height_field.value == pytest.approx(16.7, abs=0.1)
    dialog.height_field.set_value(2.0)
    dialog.height_field.committed.emit(2.0)
    assert dialog.unit_choice.chosen == import_dialog.OWN
    assert dialog.choices.height == 2.0 and dialog.choices.unit is None
    pick(dialog.front, "first")
    pick(dialog.positions, "replace")
    assert not dialog.go.isEnabled() and "again" in dialog.remark.text(), "it is read beside the window"
    qtbot.waitUntil(lambda: not dialog.reading, timeout=30000)
    assert dialog.go.isEnabled()
    assert np.ptp(shown[-1][0][:, :3, 3], axis=0).max() < 0.2, "the joints are all at one place"
    pick(dialog.positions, "add")
    accept(window, qtbot)
    assert figure_height(window.document.skeleton) == pytest.approx(2.0, rel=1e-6)
    assert window.document.model.imported.facing_average is not None
    assert "turned to the front" in window.errors.text and "feet put on the floor" in window.errors.text


@pytest.mark.verify
def test_what_is_previewed_is_what_is_opened(window, qtbot, data_folder):
    opened(window, qtbot, data_folder / "bvh" / "z_up_zombie.bvh")
    dialog = asked(window)
    pick(dialog.floor, "first")
    pick(dialog.front, "first")
    poses = dialog.picture._poses
    accept(window, qtbot)
    sequence = window.document.sequence
    found = forward_kinematics(sequence.skeleton, sequence.keys[0].q)
    assert found[:, :3, 3] == pytest.approx(poses[:, :3, 3], abs=1e-6)


@pytest.mark.verify
def test_frames_and_rate_are_chosen_and_asked_for_where_nothing_is_doubtful(window, qtbot, data_folder, monkeypatch):
    path = data_folder / "asfamc" / "02_03.amc"
    monkeypatch.setattr("app.actions.files.QFileDialog.getOpenFileName", lambda *_: (str(path), ""))
    window.action_table["import"].trigger()
    dialog = asked(window)
    assert (dialog.first.value, dialog.last.value) == (0, 172) and "120 fps" in dialog.rate_choice.currentText()
    before = dialog.picture._poses.copy()
    dialog.first.edit_to(60)
    dialog.first.committed.emit(60.0)
    assert not np.array_equal(dialog.picture._poses, before), "it stands as in its new first frame"
    dialog.last.edit_to(119)
    pick(dialog.rate_choice, import_dialog.MADE)
    dialog.rate.edit_to(30)
    pick(dialog.floor, "first")
    accept(window, qtbot)
    sequence = window.document.sequence
    assert (sequence.fps, sequence.range, len(sequence.keys)) == (30, (0, 14), 15)
    window.action_table["import_settings"].trigger()
    again = asked(window)
    assert (again.first.value, again.last.value, again.rate.value) == (60, 119, 30) and again.choices.fps == 30
    again.reject()
    window.action_table["import"].trigger()  # of the source the rate is known, of the file the frames are not
    qtbot.waitUntil(lambda: window.files._opening.imports.dialog is not None)
    assert (asked(window).first.value, asked(window).choices.fps) == (0, 30)
    asked(window).reject()


@pytest.mark.verify
def test_a_person_who_is_a_hundred_times_too_tall_by_the_format_itself(window, qtbot, skeletons_folder, tmp_path):
    """As FBX files are that were written in the wrong unit: glTF, by whose way they come, says metres."""
    pytest.importorskip("pygltflib", reason="the package pygltflib, which writes the scene, is not installed")
    path = tmp_path / "giant.gltf"
    save(load(skeletons_folder / "library" / "Walks and runs" / "walk.seq"), path)
    document = json.loads(path.read_text())
    del document["extras"]
    top = next(node for node in document["nodes"] if node["name"] == "human")
    top["scale"] = [100.0, 100.0, 100.0]
    path.write_text(json.dumps(document))
    opened(window, qtbot, path)
    dialog = asked(window)
    assert "In the unit of its format, the figure would be 174 m tall" in dialog.remark.text()
    assert dialog.unit_choice.chosen == 0.01 and dialog.height_field.value == pytest.approx(1.74, abs=0.01)
    accept(window, qtbot)
    assert figure_height(window.document.skeleton) == pytest.approx(1.74, abs=0.01)


def test_cancel_opens_nothing(window, qtbot, data_folder):
    before = window.document.model
    opened(window, qtbot, data_folder / "bvh" / "fair1_dab.bvh")
    QTest.keyClick(asked(window), Qt.Key.Key_Escape)
    assert window.document.model is before and window.files._opening.imports.dialog is None
    assert "was not opened" in window.status.state.text


@pytest.mark.verify
def test_the_next_file_of_a_source_is_not_asked_about(window, qtbot, data_folder):
    opened(window, qtbot, data_folder / "bvh" / "z_up_zombie.bvh")
    accept(window, qtbot)
    opened(window, qtbot, data_folder / "bvh" / "fair1_dab.bvh")
    assert window.files._opening.imports.dialog is None
    assert window.document.files.origin.stem == "fair1_dab"
    assert figure_height(window.document.skeleton) == pytest.approx(1.7, rel=1e-6)
    assert "like earlier files from this source" in window.errors.text


@pytest.mark.verify
def test_it_is_asked_again_if_it_was_not_to_be_remembered(window, qtbot, data_folder):
    opened(window, qtbot, data_folder / "bvh" / "z_up_zombie.bvh")
    asked(window).remember.setChecked(False)
    accept(window, qtbot)
    opened(window, qtbot, data_folder / "bvh" / "fair1_dab.bvh")
    QTest.keyClick(asked(window), Qt.Key.Key_Escape)


@pytest.mark.verify
def test_change_asks_again_with_what_was_chosen(window, qtbot, data_folder):
    opened(window, qtbot, data_folder / "bvh" / "pybvh_mixed_orders.bvh")
    assert window.files._opening.imports.dialog is None, "nothing is doubtful"
    window.errors.choices[-1].click()
    qtbot.waitUntil(lambda: window.files._opening.imports.dialog is not None)
    dialog = asked(window)
    assert dialog.choices.unit == 0.0254 and dialog.choices.up == "z" and dialog.choices.floor is None
    pick(dialog.front, "first")
    pick(dialog.floor, "lowest")
    accept(window, qtbot)
    assert window.document.model.imported.choices.facing == "first"
    window.action_table["import_settings"].trigger()
    assert asked(window).choices.facing == "first" and asked(window).choices.floor == "lowest"
    QTest.keyClick(asked(window), Qt.Key.Key_Escape)
    assert window.document.model.imported.choices.facing == "first"


def test_import_settings_go_back_to_the_motion_file_after_saving(window, qtbot, data_folder, tmp_path):
    opened(window, qtbot, data_folder / "bvh" / "pybvh_mixed_orders.bvh")
    assert window.document.files.save(tmp_path / "mine.seq")
    window.action_table["import_settings"].trigger()
    assert "pybvh_mixed_orders.bvh" in asked(window).windowTitle() and asked(window).choices.up == "z"
    asked(window).reject()
    opened(window, qtbot, tmp_path / "mine.seq")
    window.action_table["import_settings"].trigger()
    assert window.files._opening.imports.dialog is None


def test_import_settings_of_what_was_not_imported(window, qtbot):
    window.action_table["import_settings"].trigger()
    assert window.files._opening.imports.dialog is None and "was not imported" in window.status.state.text


@pytest.mark.verify
def test_files_that_leave_nothing_open_are_opened_as_before(window, qtbot, data_folder):
    for name in ("bvh/walk01.bvh", "bvh/cmu_12_01_walk.bvh", "asfamc/02_03.amc", "bvh/louise_optitrack.bvh"):
        opened(window, qtbot, data_folder / name)
        assert window.files._opening.imports.dialog is None, name
        assert "Change…" not in [button.text() for button in window.errors.choices], name
        project, sequence = load(data_folder / name), window.document.sequence
        assert sequence.skeleton.joint_names == project.figures[0].joint_names
        assert np.array_equal(sequence.keys[-1].q, project.sequences[0].keys[-1].q), name


@pytest.mark.verify
def test_a_dropped_file_is_asked_about_too(window, qtbot, data_folder):
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(data_folder / "bvh" / "mh_fight01_1frame.bvh"))])
    drop = QDropEvent(
        QPointF(700, 300), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    window.dropEvent(drop)
    qtbot.waitUntil(lambda: window.files._opening.imports.dialog is not None)
    accept(window, qtbot)
    assert window.document.files.origin.stem == "mh_fight01_1frame"


def test_a_thing_without_a_unit(window, qtbot, tmp_path):
    path = tmp_path / "pole.bvh"
    path.write_text(POLE.format(length=25))
    opened(window, qtbot, path)
    dialog = asked(window)
    assert dialog.choices.unit == 1.0 and not dialog.front.isEnabled()
    assert [text for key, text in dialog.unit_choice._rows if key == 0.01] == ["Centimetres, 50 cm tall"]
    pick(dialog.unit_choice, 0.01)
    accept(window, qtbot)
    assert np.allclose(window.document.skeleton.joints[1].offset, [0, 0.25, 0])
    assert window.document.model.unit == 0.01 and not window.document.modified


@pytest.mark.verify
def test_every_field_can_be_reached_with_the_keyboard(window, qtbot, data_folder):
    opened(window, qtbot, data_folder / "bvh" / "mh_fight01_1frame.bvh")
    dialog = asked(window)
    fields = (dialog.unit_choice, dialog.height_field, dialog.up, dialog.floor, dialog.front, dialog.positions)
    stops, stop = [], dialog.unit_choice
    while stop not in stops:
        stops.append(stop)
        stop = stop.nextInFocusChain()
    reached = [each for each in stops if each.focusPolicy() & Qt.FocusPolicy.TabFocus and each.isVisibleTo(dialog)]
    assert reached[:7] == [*fields, dialog.remember] and dialog.go in reached
    assert all(field.accessibleName() for field in fields)
    dialog.up.setFocus()
    qtbot.waitUntil(dialog.up.hasFocus)  # until then its key would be one of the window behind it
    before = dialog.picture._poses.copy()
    QTest.keyClick(dialog.up, Qt.Key.Key_Down)
    assert dialog.up.chosen != "z" and not np.array_equal(dialog.picture._poses, before)
    dialog.reject()


@pytest.mark.verify
def test_enter_imports_from_every_field(window, qtbot, data_folder):
    """As soon as another field had the keyboard Cancel was the default button, or none was."""
    opened(window, qtbot, data_folder / "bvh" / "mh_fight01_1frame.bvh")
    dialog = asked(window)
    assert [button for button in dialog.buttons.buttons() if button.autoDefault()] == [dialog.go]
    for kind in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):  # the keyboard goes to another field
        QApplication.sendEvent(dialog.go, QFocusEvent(kind, Qt.FocusReason.TabFocusReason))
    assert dialog.go.isDefault()
    QTest.keyClick(dialog.up, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not window.background.busy and window.files._opening.imports.dialog is None)
    assert window.document.files.origin.stem == "mh_fight01_1frame"


@pytest.mark.verify
def test_what_was_exported_is_opened_without_a_question(window, qtbot, tmp_path, skeletons_folder, monkeypatch):
    """A horse is no person in metres; nobody is asked about a file that was written here."""
    assert window.document.files.open(skeletons_folder / "horse.scr")
    before = figure_height(window.document.skeleton)
    path = tmp_path / "horse.bvh"
    monkeypatch.setattr("app.actions.files.QFileDialog.getSaveFileName", lambda *_: (str(path), ""))
    assert not window.files.save_as()
    qtbot.waitUntil(lambda: not window.background.busy, timeout=60_000)
    assert "size" in load(path).imported.doubts
    opened(window, qtbot, path)
    assert window.files._opening.imports.dialog is None
    joints = window.document.skeleton.joints
    assert len(joints) == len(load(skeletons_folder / "horse.scr").figures[0].joints)
    assert figure_height(window.document.skeleton) == pytest.approx(before, rel=0.3)


@pytest.mark.verify
def test_a_person_that_was_exported_comes_back_without_a_word(window, qtbot, tmp_path, data_folder, monkeypatch):
    opened(window, qtbot, data_folder / "bvh" / "walk01.bvh")
    path = tmp_path / "again.bvh"
    monkeypatch.setattr("app.actions.files.QFileDialog.getSaveFileName", lambda *_: (str(path), ""))
    before = places(window)
    assert not window.files.save_as()
    qtbot.waitUntil(lambda: not window.background.busy, timeout=60_000)
    opened(window, qtbot, path)
    assert window.files._opening.imports.dialog is None and not window.errors.choices
    assert window.document.files.origin == path and places(window) == pytest.approx(before, abs=1e-5)


def test_a_figure_without_size_is_opened_without_a_question(window, qtbot, tmp_path):
    path = tmp_path / "dot.bvh"
    path.write_text(POLE.format(length=0))
    opened(window, qtbot, path)
    assert window.files._opening.imports.dialog is None and window.document.files.origin == path
    window.action_table["import_settings"].trigger()
    assert window.files._opening.imports.dialog is None


def test_a_refused_file_asks_nothing(window, qtbot, tmp_path):
    path = tmp_path / "bad.bvh"
    path.write_text("HIERARCHY\nROOT a\n{\n")
    assert not window.files.open_path(path)
    assert window.files._opening.imports.dialog is None and window.errors.text.startswith("bad.bvh")


class Kept(dict):
    def value(self, name, default=None):
        return self.get(name, default)

    def set_value(self, name, value):
        self[name] = value


def test_choices_are_kept_from_one_session_to_the_next(data_folder, tmp_path):
    project = load(data_folder / "bvh" / "z_up_zombie.bvh", up="auto")
    figure, found, store = project.figures[0], project.imported, Kept()
    chosen = ImportChoices(height=1.7, up="z", floor="first")
    ImportMemory(store).keep(figure, found.height / found.unit, found.found_up, chosen)
    again = ImportMemory(store)
    assert again.recall(figure, found) == chosen
    # The same joints ten times as large, or in other axes, come from a program that was set otherwise.
    project.unit = 0.1
    save(project, tmp_path / "large.bvh")
    other = load(tmp_path / "large.bvh")
    assert again.recall(other.figures[0], other.imported) is None
    walk = load(data_folder / "bvh" / "walk01.bvh")
    assert again.recall(walk.figures[0], walk.imported) is None
    for damaged in ("", "[]", "{", '{"a": 3}', store["import/sources"].replace("1.7", '"tall"')):
        assert ImportMemory(Kept({"import/sources": damaged})).recall(figure, found) is None


@pytest.mark.verify
def test_a_motion_below_the_floor_that_looks_away_offers_to_be_put_right(window, qtbot, data_folder) -> None:
    opened(window, qtbot, data_folder / "bvh" / "louise_optitrack.bvh")
    assert window.files._opening.imports.dialog is None  # nobody is stopped
    assert "6.1 cm below the floor" in window.errors.text and "175° away from the front" in window.errors.text
    assert [button.text() for button in window.errors.choices] == ["Put on floor", "Face front"]
    QTest.mouseClick(window.errors.choices[0], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not window.background.busy, timeout=30000)
    found = window.document.model.imported
    assert found.choices.floor == "lowest" and found.choices.facing is None
    assert "feet put on the floor" in window.errors.text and "below the floor" not in window.errors.text
    assert [button.text() for button in window.errors.choices] == ["Face front", "Change…"]
    QTest.mouseClick(window.errors.choices[0], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not window.background.busy, timeout=30000)
    found = window.document.model.imported
    assert found.choices.floor == "lowest" and found.choices.facing == "first"
    assert "turned to the front" in window.errors.text and "away" not in window.errors.text


def test_a_rest_pose_in_front_of_a_motion_is_left_out_with_a_click(window, qtbot, data_folder) -> None:
    opened(window, qtbot, data_folder / "bvh" / "cmu_12_01_walk.bvh")
    assert "the first frame is a pose apart from the motion" in window.errors.text
    last = window.document.model.sequence.keys[-1].frame
    QTest.mouseClick(window.errors.choices[0], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not window.background.busy, timeout=30000)
    assert window.document.model.imported.choices.first == 1
    assert window.document.model.sequence.keys[-1].frame == last - 1
    assert "pose apart" not in window.errors.text


def test_an_edit_takes_back_what_reading_the_file_again_would_undo(window, qtbot, data_folder) -> None:
    opened(window, qtbot, data_folder / "bvh" / "louise_optitrack.bvh")
    assert len(window.errors.choices) == 2
    window.document.sequences.set_fps(50.0)
    assert window.document.modified and not window.errors.choices and not window.errors.isVisible()


def test_a_motion_that_stands_well_offers_nothing(window, qtbot, data_folder) -> None:
    opened(window, qtbot, data_folder / "bvh" / "walk01.bvh")
    assert not window.errors.choices and "1.87 m tall" in window.status.state.accessibleName()


def test_a_scene_that_was_written_here_says_that_there_is_nothing_to_choose(
    window, qtbot, tmp_path, monkeypatch, skeletons_folder
):
    pytest.importorskip("pygltflib", reason="the package pygltflib is not installed")
    path = tmp_path / "own.glb"
    save(load(skeletons_folder / "library" / "Walks and runs" / "walk.seq"), path)
    monkeypatch.setattr("app.actions.files.QFileDialog.getOpenFileName", lambda *_: (str(path), ""))
    window.files.import_motion()
    qtbot.waitUntil(lambda: not window.background.busy, timeout=30000)
    assert window.files._opening.imports.dialog is None and window.document.files.origin == path
    text = "own.glb was written by this program and opened as it was; there is nothing to choose"
    assert window.status.state.text == text
    window.status.drop_message()
    opened(window, qtbot, path)
    assert window.status.state.text != text, "nobody wanted to choose"
