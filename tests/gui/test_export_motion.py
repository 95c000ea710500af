"""Motion for other programs from the window: asked for in a dialog, written beside the window."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QDialog, QFileDialog

from app.dialogs.motion_dialog import ALONE, KINDS, MotionDialog, MotionWishes
from app.window.main_window import MainWindow
from app.work.background import BUSY
from core.formats import load, save
from core.formats.exchange.recording import Recording
from core.formats.exporting import ExportChoices
from core.kinematics import forward_kinematics

WALK = "library/Walks and runs/walk.seq"
BVH, AMC, GLTF, USD, FBX, PAGE = ".bvh", ".amc", ".glb", ".usdc", ".fbx", ".html"


@pytest.fixture
def walking(window: MainWindow, skeletons_folder: Path) -> MainWindow:
    window.document.files.open(skeletons_folder / WALK)
    window.files._exports._motion = MotionWishes()
    return window


def dialog(window: MainWindow, recording: Recording | None = None, hidden: frozenset[int] = frozenset()):
    exports = window.files._exports
    sequences = exports._project(exports._shown()).sequences
    made = MotionDialog(sequences, hidden, MotionWishes(), 0.01, recording, recording is not None, window)
    made.show()
    return made


def exported(window: MainWindow, target: Path, monkeypatch: pytest.MonkeyPatch, qtbot, change=lambda box: None) -> None:
    def answer(box: MotionDialog) -> int:
        change(box)
        box.accept()
        return QDialog.DialogCode.Accepted

    monkeypatch.setattr(MotionDialog, "exec", answer)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(target), ""))
    with qtbot.waitSignal(window.background.ended, timeout=120_000):
        window.action_table["export_motion"].trigger()
    assert "written" in window.status.state.text, window.status.state.text


def kind(box: MotionDialog, name: str) -> None:
    box.kinds.set_current(name)
    box._show()


def test_each_kind_of_file_asks_for_what_it_leaves_open(walking: MainWindow) -> None:
    box = dialog(walking)
    for name in (BVH, AMC, USD):
        kind(box, name)
        assert box.unit_choice.isEnabled() and box.up.isEnabled(), name
    assert box.choices().unit == 0.01, "kept from BVH"
    for name in (GLTF, PAGE, FBX):
        kind(box, name)
        assert not box.unit_choice.isEnabled() and "fixed by the format" in box.unit_choice.currentText(), name
        assert (box.choices().unit, box.choices().up) == (None, None)
    kind(box, GLTF)
    assert box.choices() == ExportChoices() and "33 frames, 1.07 s" in box.remark.text()
    box.first.edit_to(8)
    box.rate.edit_to(60)
    assert "49 frames, 0.80 s" in box.remark.text()
    assert (box.choices().first, box.choices().last, box.choices().fps) == (8, 32, 60)
    box.close()


def test_kinds_and_their_names_are_those_of_the_formats(walking: MainWindow) -> None:
    assert [kind for kind, _ in KINDS] == [BVH, AMC, GLTF, USD, FBX, PAGE]
    box = dialog(walking)
    found = {}
    for name, _ in KINDS:
        kind(box, name)
        found[name] = (box.kind_name, *box.suffixes)
    assert found[AMC] == ("Acclaim motion", ".amc"), "an ASF file has no motion"
    assert found[GLTF] == ("glTF scene", ".glb", ".gltf") and found[PAGE] == ("Web page", ".html")
    assert found[USD] == ("USD scene", ".usdc", ".usda", ".usd", ".usdz")
    kind(box, AMC)
    box.close()


def saved_as(window: MainWindow, target: Path, monkeypatch: pytest.MonkeyPatch) -> bool:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(target), ""))
    return window.files.save_as()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("suffix", [".bvh", ".amc", ".glb", ".usdc", ".html"])
def test_save_as_for_another_program_goes_beside_the_window(
    suffix: str, walking: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot
) -> None:
    """It has not saved the document, neither before it is there nor then; what is noted is noted then."""
    if suffix in (".glb", ".usdc", ".html"):
        pytest.importorskip("pxr" if suffix == ".usdc" else "pygltflib", reason="the format's package is not installed")
    target, noted = tmp_path / f"walk{suffix}", []
    document, recent = walking.document, []
    monkeypatch.setattr(walking.files._opening.imports, "note_export", lambda *words: noted.append(words))
    monkeypatch.setattr(walking.files, "recent", type("Recent", (), {"add": recent.append, "paths": ()})())
    document.set_frame(3)
    document.keys.set()
    assert document.modified
    path = document.files.path
    assert not saved_as(walking, target, monkeypatch)
    assert walking.background.busy and not target.exists() and not noted and not recent
    assert not saved_as(walking, tmp_path / "second.bvh", monkeypatch)
    assert walking.errors.text == BUSY
    qtbot.waitUntil(lambda: not walking.background.busy, timeout=120_000)
    assert target.is_file() and recent == [target] and not (tmp_path / "second.bvh").exists()
    assert bool(noted) == (suffix in (".bvh", ".amc", ".usdc"))
    assert document.modified and document.files.path == path, "it is saved in its own format only"


def test_save_as_that_is_cancelled_notes_nothing(
    walking: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    noted: list[object] = []
    monkeypatch.setattr(walking.files._opening.imports, "note_export", lambda *words: noted.append(words))
    monkeypatch.setattr(walking.files, "recent", type("Recent", (), {"add": noted.append, "paths": ()})())
    assert not saved_as(walking, tmp_path / "walk.bvh", monkeypatch)
    walking.background.stop(60.0)
    assert list(tmp_path.iterdir()) == [] and not noted


def test_blender_that_is_missing_is_said_before_a_file_is_asked_for(
    walking: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.dialogs.motion_dialog.find_blender", lambda: None)
    box = dialog(walking)
    kind(box, FBX)
    assert not box.go.isEnabled() and "through Blender, which is not installed" in box.remark.text()
    kind(box, BVH)
    assert box.go.isEnabled()
    box.close()


def test_a_stretch_is_written_in_another_unit_and_with_z_up(
    walking: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot
) -> None:
    target = tmp_path / "part.bvh"

    def change(box: MotionDialog) -> None:
        kind(box, BVH)
        box.unit_choice.setCurrentIndex([key for key, _ in box.unit_choice._rows].index(0.0254))
        box.up.setCurrentIndex(1)
        box.first.edit_to(4)
        box.last.edit_to(20)

    exported(walking, target, monkeypatch, qtbot, change)
    back = load(target, up="auto", positions="auto")
    assert back.imported is not None and (back.imported.up, back.unit, back.imported.doubts) == ("z", 0.0254, ())
    ours, theirs = walking.document.sequence, back.sequences[0]
    assert theirs.range == (0, 16)
    a = forward_kinematics(ours.skeleton, ours.poses_at_frames(np.arange(4, 21)))[..., :3, 3]
    b = forward_kinematics(theirs.skeleton, theirs.poses_at_frames(np.arange(17)))[..., :3, 3]
    order = [theirs.skeleton.joint_names.index("_".join(n.split())) for n in ours.skeleton.joint_names]
    assert np.abs(a - b[:, order]).max() < 1e-6
    assert walking.files._exports._motion.kind == BVH and walking.files._exports._motion.up == "z"


@pytest.mark.verify
def test_hidden_figures_are_left_out_and_several_are_written(
    walking: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot, skeletons_folder: Path
) -> None:
    assert walking.document.files.add_figure(skeletons_folder / "horse.scr")
    both, one = tmp_path / "both.bvh", tmp_path / "one.bvh"
    exported(walking, both, monkeypatch, qtbot, lambda box: kind(box, BVH))
    assert len(load(both).figures) == 2
    active = walking.document.model.active.figure
    view = walking.document.session.view
    view.hidden_figures = frozenset({walking.document.model.figure_names[1 - active]})
    box = dialog(walking, hidden=walking.files._exports._hidden())
    assert box.left_out == {1} and "1 figure" in box.remark.text()
    box.figures.setCurrentIndex([key for key, _ in box.figures._rows].index(ALONE))
    assert box.left_out == {1}
    box.close()
    exported(walking, one, monkeypatch, qtbot, lambda box: kind(box, BVH))
    assert [len(figure.joints) for figure in load(one).figures] == [len(walking.document.skeleton.joints)]
    view.hidden_figures = frozenset()


@pytest.mark.verify
def test_an_animal_that_was_exported_is_opened_without_a_question(
    walking: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot, skeletons_folder: Path
) -> None:
    assert walking.document.files.open(skeletons_folder / "horse.scr")
    exported(walking, tmp_path / "horse.bvh", monkeypatch, qtbot, lambda box: kind(box, BVH))
    assert "size" in load(tmp_path / "horse.bvh").imported.doubts
    assert walking.files.open_path(tmp_path / "horse.bvh")
    qtbot.waitUntil(lambda: not walking.background.busy, timeout=60_000)
    assert walking.files._opening.imports.dialog is None
    assert walking.document.files.origin == tmp_path / "horse.bvh"


@pytest.mark.verify
def test_what_was_simulated_is_written(
    walking: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot
) -> None:
    pytest.importorskip("pygltflib", reason="the package pygltflib, which writes the scene, is not installed")
    sequence = walking.document.sequence
    q = np.array([sequence.pose_at_frame(frame) for frame in range(10, 41)])
    q[:, 1] += np.linspace(0.0, 1.0, 31)
    recording = Recording(np.arange(10.0, 41.0), q)
    box = dialog(walking, recording)
    assert (box.first.value, box.last.value) == (0, 40) and box.recording is recording
    box.simulated.setChecked(False)
    assert (box.first.value, box.last.value) == (0, 32) and box.recording is None
    box.close()
    exports, target = walking.files._exports, tmp_path / "flown.glb"
    with qtbot.waitSignal(walking.background.ended, timeout=120_000):
        assert exports.begin_motion(exports._project(exports._shown()), target, ExportChoices(fps=60), recording)
    back = load(target).sequences[0]
    assert (back.fps, back.range) == (60, (0, 80))
    found = back.poses_at_frames(np.arange(81))
    keyed = sequence.poses_at_frames(np.arange(0.0, 10.0, 0.5))
    assert found[:20] == pytest.approx(keyed, abs=1e-12), "keys before it"
    assert found[20::2] == pytest.approx(q, abs=1e-12), "the simulation from there on"
    assert found[21:80:2, 1] == pytest.approx(0.5 * (q[1:, 1] + q[:-1, 1]), abs=1e-12), "straight between its frames"


@pytest.mark.verify
def test_a_page_is_asked_for_by_its_own_entry(
    walking: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot
) -> None:
    pytest.importorskip("pygltflib", reason="the package pygltflib, which writes the scene, is not installed")
    asked = []

    def answer(box: MotionDialog) -> int:
        asked.append(box.kind)
        box.first.edit_to(30)
        box.accept()
        return QDialog.DialogCode.Accepted

    monkeypatch.setattr(MotionDialog, "exec", answer)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_words: (str(tmp_path / "shown"), ""))
    with qtbot.waitSignal(walking.background.ended, timeout=60_000):
        walking.action_table["export_page"].trigger()
    text = (tmp_path / "shown.html").read_text("utf-8")
    assert "<title>shown</title>" in text and '"fps": 30.0, "count": 3}' in text
    assert asked == [PAGE] and walking.files._exports._motion.kind == GLTF, "what is usual stays so"


def test_a_page_that_is_cancelled_leaves_no_file(walking: MainWindow, tmp_path: Path) -> None:
    pytest.importorskip("pygltflib", reason="the package pygltflib, which writes the scene, is not installed")
    exports, target = walking.files._exports, tmp_path / "shown.html"
    assert exports.begin_motion(exports._project(exports._shown()), target, ExportChoices())
    walking.background.stop(60.0)
    assert not walking.background.busy
    assert list(tmp_path.iterdir()) == []


@pytest.mark.verify
def test_usd_goes_by_a_process_of_its_own(
    walking: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot
) -> None:
    pytest.importorskip("pxr", reason="the package usd-core is not installed")
    called = []
    monkeypatch.setattr("core.formats.usd.apart.run", lambda words, *_: called.append(words) or crash())

    def crash() -> str:
        from core.errors import FormatError, Problem

        raise FormatError(Problem("a.usdc", 0, 0, "the USD library crashed over it (signal 11)"))

    save(walking.files._exports._project(walking.files._exports._shown()), tmp_path / "a.usdc")
    before = walking.document.model
    assert walking.files.open_path(tmp_path / "a.usdc")
    qtbot.waitUntil(lambda: not walking.background.busy, timeout=60_000)
    assert called and "in_child" in called[0][2]
    assert "crashed" in walking.errors.text and walking.document.model is before
