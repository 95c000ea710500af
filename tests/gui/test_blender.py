"""*File > Blender*: what the add-on sends is offered and opened, motions go back, the add-on can be saved."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QStandardPaths
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.document.files.recent import RecentFiles
from app.files import blender_exchange
from app.files.blender_exchange import FROM_BLENDER, TO_BLENDER, BlenderWatch, name_in
from app.window.main_window import MainWindow
from core.kinematics import forward_kinematics
from resources.blender.sequence_editor_link import armature_file, folders
from tests.gui.test_document_files import Kept
from tests.unit.formats.test_armature import sent

SOON = 8000


@pytest.fixture
def exchange(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder of exchange, in place of the person's."""
    monkeypatch.setattr(blender_exchange, "data_folder", lambda: tmp_path / "sequence-editor")
    return tmp_path / "sequence-editor" / "blender"


def answer(window: MainWindow, label: str) -> None:
    {button.text(): button for button in window.errors.choices}[label].click()


def test_what_blender_sends_is_offered_and_opened(window: MainWindow, exchange: Path, qtbot: QtBot) -> None:
    watch = window.blender.watch
    watch.look()
    assert window.errors.isHidden()
    folder = blender_exchange.prepare_folder()
    watch.look()
    armature_file.write(sent(), folder / FROM_BLENDER)
    qtbot.waitUntil(lambda: window.errors.text == "Blender sent My rig", timeout=SOON)
    assert [button.text() for button in window.errors.choices] == ["Open"]
    answer(window, "Open")
    assert window.document.sequence is not None and window.document.sequence.name == "wave"
    assert window.document.skeleton is not None and window.document.skeleton.name == "My rig"
    assert window.document.files.origin is None and "from-blender" not in window.document.files.title
    assert not window.document.modified
    # Sent once more: its motion may come beside the one that is open.
    again = sent()
    again.motion = "second wave"
    armature_file.write(again, folder / FROM_BLENDER)
    qtbot.waitUntil(lambda: len(window.errors.choices) == 2, timeout=SOON)
    answer(window, "Add its motion")
    qtbot.waitUntil(lambda: len(window.document.model.sequences) == 2, timeout=SOON)
    assert window.document.sequence is not None and window.document.sequence.name == "second wave"
    window.document.stack.undo()
    assert len(window.document.model.sequences) == 1
    watch.stop()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("recalled", [False, True])
def test_a_lent_file_stays_lent_when_it_is_read_in_another_way(
    window: MainWindow, exchange: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, recalled: bool
) -> None:
    """Put on the floor and asked about again: its folder is still none to save to, and it is no recent file."""
    recent = RecentFiles(Kept())
    for keeper in (window.files, window.document.files):
        monkeypatch.setattr(keeper, "recent", recent)
    imports = window.files._opening.imports
    monkeypatch.setattr(imports._memory, "_known", {})
    low = sent()
    for row in low.frames:
        row[1], row[8] = row[1] - 2.0, row[8] - 2.0  # hips and arm
    armature_file.write(low, blender_exchange.prepare_folder() / FROM_BLENDER)

    def lent() -> bool:
        here = window.document.files.origin is None and exchange not in window.files.suggested_path(".bvh", "x").parents
        return here and not recent.paths

    def lowest() -> float:
        sequence = window.document.sequence
        assert sequence is not None
        return float(forward_kinematics(sequence.skeleton, sequence.keys[0].q)[:, 1, 3].min())

    assert window.blender.open() and lent() and lowest() < -0.5
    answer(window, "Put on floor")
    assert lent() and lowest() > -0.05
    imports.change()
    dialog = imports.dialog
    assert dialog is not None
    dialog.remember.setChecked(recalled)
    dialog.accept()
    assert lent() and lowest() > -0.05
    if recalled:  # read as last time, and asked about all the same
        path = exchange / FROM_BLENDER
        assert imports.open(path, then=window.document.files.forget_origin, ask=True) and imports.dialog is not None
        imports.dialog.accept()
        assert lent() and lowest() > -0.05
    window.blender.watch.stop()


def test_with_nothing_there_one_line_says_what_to_do(window: MainWindow, exchange: Path) -> None:
    assert not window.blender.open()
    assert "nothing yet" in window.errors.text
    assert [button.text() for button in window.errors.choices] == ["Save add-on…", "Manual"]


def test_the_motion_goes_back(window: MainWindow, exchange: Path, qtbot: QtBot) -> None:
    assert window.blender.send()
    qtbot.waitUntil(lambda: (exchange / TO_BLENDER).is_file() and not window.background.busy, timeout=SOON)
    assert "Take motion back" in window.status.state.text
    came = armature_file.read(exchange / TO_BLENDER)
    sequence = window.document.sequence
    assert sequence is not None and came.motion == sequence.name and came.fps == sequence.fps
    first, last = sequence.range
    assert came.first == first and len(came.frames) == last - first + 1
    X = forward_kinematics(sequence.skeleton, sequence.poses_at_frames(np.arange(first, last + 1)))
    assert np.array(came.frames).reshape(*X.shape[:2], 7)[..., :3] == pytest.approx(X[..., :3, 3], abs=1e-8)
    # The add-on finds the folder by the file that stands beside it.
    assert folders.exchange_folder(data=exchange.parents[1]) == exchange
    window.blender.watch.stop()


def test_the_add_on_is_saved_whole(
    window: MainWindow, exchange: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "link.zip"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(target), ""))
    assert window.blender.save_add_on()
    with zipfile.ZipFile(target) as archive:
        names = set(archive.namelist())
        assert {f"sequence_editor_link/{each.name}" for each in blender_exchange.ADD_ON.glob("*.py")} < names
        manifest = archive.read("sequence_editor_link/blender_manifest.toml").decode()
    assert 'id = "sequence_editor_link"' in manifest
    first = target.read_bytes()
    blender_exchange.write_add_on(target)
    assert target.read_bytes() == first
    # A link that stands where a part of the file might is not followed, and one to the file is kept.
    other, link = tmp_path / "other.txt", tmp_path / "to link.zip"
    other.write_text("untouched")
    (tmp_path / ".link.zip.part").symlink_to(other)
    target.write_bytes(b"old")
    link.symlink_to(target)
    blender_exchange.write_add_on(link)
    assert target.read_bytes() == first and link.is_symlink() and other.read_text() == "untouched"
    blender_exchange.write_add_on(target)
    assert target.read_bytes() == first and other.read_text() == "untouched"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "none" / "x.zip"), ""))
    assert not window.blender.save_add_on()
    assert window.errors.text == "x.zip: cannot be written: No such file or directory"
    window.blender.watch.stop()


def test_a_file_is_reported_once(exchange: Path, qapp: object) -> None:
    folder = blender_exchange.prepare_folder()
    armature_file.write(sent(), folder / FROM_BLENDER)
    assert name_in(folder / FROM_BLENDER) == "My rig" and name_in(folder / "none") == ""
    seen: list[Path] = []
    watch = BlenderWatch(qapp)  # type: ignore[arg-type]
    watch.came.connect(seen.append)
    watch.start()
    watch.look()
    assert seen == [folder / FROM_BLENDER]
    later = BlenderWatch(qapp, watch.seen)  # type: ignore[arg-type]
    later.came.connect(seen.append)
    later.start()
    assert len(seen) == 1
    watch.stop()
    later.stop()


def test_both_sides_look_in_the_same_place(qapp: object) -> None:
    place = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.GenericDataLocation)
    if QStandardPaths.isTestModeEnabled():
        pytest.skip("Qt is told to use other folders")
    assert folders.data_folder() == Path(place)
    assert folders.pointer().parent == blender_exchange.data_folder()


@pytest.mark.parametrize(
    ("platform", "environment", "place"),
    [
        ("linux", {"XDG_DATA_HOME": "/somewhere"}, "/somewhere"),
        ("linux", {"XDG_DATA_HOME": "no folder of its own"}, "~/.local/share"),
        ("linux", {}, "~/.local/share"),
        ("darwin", {}, "~/Library/Application Support"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local"),
    ],
)
def test_places_of_systems(platform: str, environment: dict[str, str], place: str) -> None:
    assert folders.data_folder(platform, environment) == Path(place).expanduser()


def test_a_pointer_that_makes_no_sense_is_passed_over(tmp_path: Path) -> None:
    pointer = folders.pointer(tmp_path)
    pointer.parent.mkdir()
    for text in ("", "[]", '{"folder": 3}', '{"folder": ""}'):
        pointer.write_text(text)
        assert folders.exchange_folder(data=tmp_path) == tmp_path / "sequence-editor" / "blender"
    pointer.write_text('{"folder": "/elsewhere"}')
    assert folders.exchange_folder(data=tmp_path) == Path("/elsewhere")
    assert folders.exchange_folder("/chosen", tmp_path) == Path("/chosen")
