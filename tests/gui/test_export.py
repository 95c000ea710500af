"""Exporting pictures and movies from the window: asked for in a dialog, drawn beside it."""

from __future__ import annotations

import itertools
import time
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QTimer
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QDialog, QFileDialog

from app.cli.main import _parser
from app.dialogs.export_dialog import ALONG, AS_SHOWN, GIF, MP4, ROUND, SERIES, WHOLE, ExportDialog, Wishes
from app.export import movie as movies
from app.export.plan import planned_shot
from app.render.camera import Camera
from app.window.main_window import MainWindow
from core.animation import Sequence


@pytest.fixture
def actions(window: MainWindow):
    return window.files._exports


def shown(actions) -> Sequence:
    return actions._shown()


def dialog(window: MainWindow, actions, movie: bool = True, camera: Camera | None = None) -> ExportDialog:
    made = ExportDialog(shown(actions), Wishes(), "light", camera or Camera(yaw=1.0), movie, window)
    made.show()
    return made


def choose(box: ExportDialog, kind: str = MP4, camera: str = WHOLE) -> None:
    box.kinds.set_current(kind)
    box._take_kind()
    keys = [key for key, _ in box._cameras]
    box.camera_choice.setCurrentIndex(keys.index(camera))
    box.camera_choice.picked.emit(camera)


def test_the_command_says_what_the_dialog_shows(window: MainWindow, actions, tmp_path: Path) -> None:
    box, sequence = dialog(window, actions), shown(actions)
    for changed in (False, True):
        if changed:
            box.first.edit_to(4)
        for kind, camera in itertools.product((MP4, GIF, SERIES), (AS_SHOWN, WHOLE, ALONG, ROUND)):
            choose(box, kind, camera)
            if changed:
                box.rate.edit_to(12)
                box.width_field.edit_to(200)
            words = ["render", "walk.seq", str(tmp_path / f"a{box.suffix}"), *box.words()]
            options = _parser().parse_args(words)
            other = planned_shot(
                sequence.skeleton, sequence, options.output, frames=options.frames, fps=options.fps, size=options.size,
                theme=options.theme, camera=options.camera, turntable=options.turntable,
                follow=options.follow, fit=options.fit,
            )  # fmt: skip
            own = box.shot()
            assert np.array_equal(other.frames, own.frames) and (other.rate, other.repeats) == (own.rate, own.repeats)
            assert (other.size, other.camera, other.fit, other.follow) == (own.size, own.camera, own.fit, own.follow)
            assert other.turntable == own.turntable == (camera == ROUND) and options.theme == "light"
            assert str(len(own)) in box.remark.text() and box.go.isEnabled()
    box.close()


def test_each_kind_has_its_size_and_rate(window: MainWindow, actions) -> None:
    box = dialog(window, actions)
    assert box.pixels == (1280, 720) and box.rate.value == 30 and "32 pictures, 1.07 s" in box.remark.text()
    choose(box, GIF)
    assert box.pixels == (640, 360) and box.rate.value == 25 and "27 pictures, 1.07 s" in box.remark.text()
    box._take_size((1080, 1080))
    assert box.pixels == (1080, 1080) and "1080 × 1080" in box.remark.text()
    box.height_field.edit_to(333)
    assert box.size_choice.currentText() == "Other"
    box.accept()
    assert box.wishes.sizes[GIF] == (1080, 333) and box.wishes.kind == GIF


def test_what_cannot_be_is_said_before(window: MainWindow, actions, monkeypatch: pytest.MonkeyPatch) -> None:
    box = dialog(window, actions)
    box.first.edit_to(30)
    box.last.edit_to(20)
    assert not box.go.isEnabled() and "backwards" in box.remark.text()
    box.last.edit_to(32)
    assert box.go.isEnabled()
    choose(box, GIF)
    box.rate.edit_to(60)
    assert not box.go.isEnabled() and "50" in box.remark.text()
    monkeypatch.setattr(movies.importlib.util, "find_spec", lambda name: None)
    choose(box, MP4)
    assert not box.go.isEnabled() and "sequence-editor[export]" in box.remark.text()
    choose(box, SERIES)
    assert box.go.isEnabled()  # pictures need nothing more
    box.close()


def test_a_figure_without_motion_can_only_be_gone_round(window: MainWindow, actions, skeletons_folder: Path) -> None:
    window.document.files.open(skeletons_folder / "stickman.scr")
    box = dialog(window, actions)
    assert not box.go.isEnabled() and "nothing in it moves" in box.remark.text()
    choose(box, MP4, ROUND)
    assert box.go.isEnabled() and "6.00 s" in box.remark.text()
    box.close()


def test_a_front_view_cannot_go_round_but_the_figure_can_be_gone_round(window: MainWindow, actions) -> None:
    box = dialog(window, actions, camera=Camera(kind="front"))
    choose(box, MP4, ROUND)
    assert box.go.isEnabled() and "--camera" not in box.words()
    choose(box, MP4, AS_SHOWN)
    assert "front" in " ".join(box.words())
    box.close()


def test_the_backdrop_is_that_of_the_views_until_another_is_chosen(window: MainWindow, actions, monkeypatch) -> None:
    begun: list[str] = []

    def asked(box: ExportDialog) -> int:
        begun.append(box.backdrop)
        if len(begun) == 2:
            box.backdrop_choice.setCurrentIndex(2)
            box.accept()
        return int(QDialog.DialogCode.Rejected)

    monkeypatch.setattr(ExportDialog, "exec", asked)
    overlays = window.document.session.view.overlays
    for studio in (False, True, True, False):
        overlays["studio"] = studio
        actions.movie()
    overlays["studio"] = False
    assert begun == ["stage", "studio", "#ffffff", "stage"]


def test_the_dialog_says_which_picture_a_loop_leaves_out(window: MainWindow, actions) -> None:
    box = dialog(window, actions)
    assert "32 pictures" in box.remark.text() and "frame 32 is frame 0 again" in box.remark.text()
    box.last.edit_to(5)
    assert "6 pictures" in box.remark.text() and "again" not in box.remark.text()
    box.reject()


@pytest.mark.verify
def test_a_movie_is_drawn_beside_the_window(window: MainWindow, actions, tmp_path: Path, qtbot) -> None:
    av = pytest.importorskip("av", reason="PyAV is not installed")
    ticks: list[float] = []
    timer = QTimer(window, interval=10)
    timer.timeout.connect(lambda: ticks.append(time.monotonic()))
    timer.start()
    parts: list[float] = []
    window.background.progressed.connect(parts.append)
    target = tmp_path / "my walk [1].mp4"
    with qtbot.waitSignal(window.background.ended, timeout=120_000):
        assert actions.begin(shown(actions), target, ["--size", "96x64"])
        assert not actions.begin(shown(actions), target, [])  # one at a time
        window.document.keys.delete([window.document.sequence.keys[1].frame])  # what is drawn does not change
    with av.open(str(target)) as container:
        assert container.streams.video[0].frames == 32
    written = f"my walk [1].mp4 written to {tmp_path.name}: 96 x 64, 1.07 s, 32 pictures"
    window.status.show_state("Left hand")  # the mouse has come to rest over a part
    assert window.status.state.text == written
    window.status.drop_message()
    assert window.status.state.text == "Left hand"
    assert parts == sorted(parts) and parts[-1] == 1.0 and len(parts) > 2
    assert len(ticks) > 20 and max(np.diff(ticks)) < 2.0  # the window went on meanwhile
    assert [entry.name for entry in tmp_path.iterdir()] == [target.name]


@pytest.mark.verify
def test_a_cancelled_movie_leaves_nothing(window: MainWindow, actions, tmp_path: Path, qtbot) -> None:
    pytest.importorskip("av", reason="PyAV is not installed")
    target = tmp_path / "walk.gif"
    target.write_bytes(b"what was there")
    with qtbot.waitSignal(window.background.progressed, timeout=60_000, check_params_cb=lambda part: part > 0.0):
        assert actions.begin(shown(actions), target, ["--size", "320x180", "--turntable", "120"])
    thread = window.background._job.thread
    window.busy.cancelled.emit()
    assert not window.background.busy
    thread.join(30)
    assert not thread.is_alive()
    assert [entry.name for entry in tmp_path.iterdir()] == ["walk.gif"] and target.read_bytes() == b"what was there"


@pytest.mark.verify
def test_a_movie_that_cannot_be_written_is_one_line(window: MainWindow, actions, tmp_path: Path, qtbot) -> None:
    with qtbot.waitSignal(window.background.ended, timeout=60_000):
        assert actions.begin(shown(actions), tmp_path / "a.gif", ["--fps", "90"])
    assert "a.gif was not written" in window.errors.text and "50" in window.errors.text
    assert "Traceback" not in window.errors.details


@pytest.mark.verify
def test_the_picture_shows_the_pose_that_is_shown(
    window: MainWindow, tmp_path: Path, skeletons_folder: Path, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = window.document
    document.files.open(skeletons_folder / "stickman.scr")
    asked: list[ExportDialog] = []

    def answer(box: ExportDialog) -> QDialog.DialogCode:
        asked.append(box)
        box.width_field.edit_to(160)
        box.height_field.edit_to(90)
        box.camera_choice.setCurrentIndex(1)  # the one of the view may still be gliding
        return QDialog.DialogCode.Accepted

    monkeypatch.setattr(ExportDialog, "exec", answer)

    def picture(name: str) -> QImage:
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / name), ""))
        with qtbot.waitSignal(window.background.ended, timeout=60_000):
            window.action_table["export_picture"].trigger()
        return QImage(str(tmp_path / (name if name.endswith(".png") else name + ".png")))

    document.session.view.theme = "light"
    first = picture("one.png")
    assert (first.width(), first.height()) == (160, 90) and first.pixelColor(2, 2).lightness() > 150
    document.session.keys.auto = False
    q = np.array(document.pose)
    q[1] += 0.3
    document.posing.set(q)
    assert document.pending and picture("pending.png") != first
    assert all(not box.movie for box in asked)


def test_without_a_figure_there_is_nothing_to_export(window: MainWindow) -> None:
    assert window.action_table["export_movie"].isEnabled() and window.action_table["export_picture"].isEnabled()
    window.document.files.new()
    assert not window.action_table["export_movie"].isEnabled() and not window.action_table["export_picture"].isEnabled()
