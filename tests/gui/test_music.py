"""Music and markers, with the mouse and the keyboard as a person would."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.timeline.music.picture import LANE
from app.timeline.music.track import audio_menu
from app.window.main_window import MainWindow
from core.formats.bundled import bundled_folder

LEFT, NONE, SHIFT = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier
CONTROL = Qt.KeyboardModifier.ControlModifier
DRUMS = bundled_folder() / "music" / "drums.wav"
BEATS = tuple((0.25 + np.arange(8) * 0.5).tolist())


def drag(widget, start: QPointF, by: float, modifiers=NONE, end: bool = True) -> None:
    kinds = QEvent.Type
    send(widget, kinds.MouseButtonPress, start, modifiers)
    for step in (0.3, 0.7, 1.0):
        send(widget, kinds.MouseMove, start + QPointF(by * step, 0), modifiers)
    if end:
        send(widget, kinds.MouseButtonRelease, start + QPointF(by, 0), modifiers)


def send(widget, kind: QEvent.Type, at: QPointF, modifiers) -> None:
    """Send what the mouse does; QTest's moves hold no modifiers."""
    button = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseMove else LEFT
    held = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseButtonRelease else LEFT
    QApplication.sendEvent(widget, QMouseEvent(kind, at, widget.mapToGlobal(at), button, held, modifiers))


@pytest.fixture
def track(window: MainWindow, qtbot):
    """The band of the music, its beats half a second apart from frame 7.5 on."""
    window.document.music.set({"file": str(DRUMS), "beats": list(BEATS), "tempo": 120.0})
    qtbot.waitUntil(lambda: window.timeline.audio.waveform is not None, timeout=10_000)
    window.document.sequences.set_range(0, 150)
    window.timeline.model.fit()
    window.document.set_frame(140)
    return window.timeline.audio


def test_music_comes_as_one_step_with_its_beats_and_goes_again(window, qtbot, tmp_path):
    document, audio = window.document, window.timeline.audio
    assert audio.isHidden() and not window.action_table["detect_beats"].isEnabled()
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(DRUMS))])
    assert window.music.take_drop(data)
    qtbot.waitUntil(lambda: audio.waveform is not None, timeout=10_000)
    assert document.music.record.file == "skeletons:music/drums.wav" and len(document.music.record.beats) == 37
    assert audio.isVisible() and window.action_table["detect_beats"].isEnabled()
    assert 8 in window.timeline.model.marks.snap_frames() and window.timeline.model.marks.snap_frames().min() >= 0
    index = document.stack.index()
    window.action_table["half_tempo"].trigger()
    assert len(document.music.record.beats) == 19 and document.music.record.tempo == pytest.approx(56.0, abs=0.1)
    window.action_table["detect_beats"].trigger()
    qtbot.waitUntil(lambda: len(document.music.record.beats) == 37, timeout=10_000)
    window.action_table["remove_music"].trigger()
    assert document.music.record is None and audio.isHidden()
    while document.stack.index() > index - 1:
        document.history.undo()
    assert document.music.record is None
    document.history.redo()
    assert audio.isVisible() and len(document.music.record.beats) == 37


@pytest.mark.verify
def test_dragging_the_waveform_moves_the_music_by_whole_frames_in_one_step(window, track):
    document, model = window.document, window.timeline.model
    index, press = document.stack.index(), QPointF(track.track_x(60), LANE + 15)
    drag(track, press, 10.4 * model.pixels, end=False)
    assert document.music.record.offset == 0.0 and model.marks.music.offset == pytest.approx(10 / 30, abs=1e-5)
    QTest.keyClick(track, Qt.Key.Key_Escape)
    QTest.mouseRelease(track, LEFT, NONE, press.toPoint())
    assert document.stack.index() == index and model.marks.music.offset == 0.0
    drag(track, press, 10.4 * model.pixels)
    assert document.music.record.offset == pytest.approx(10 / 30, abs=1e-5) and document.stack.index() == index + 1
    assert document.frame == 140
    drag(track, press, 10.0 * model.pixels, CONTROL)
    assert document.music.record.offset == pytest.approx(11 / 30, abs=0.01)
    QTest.mouseClick(track, LEFT, NONE, press.toPoint())
    assert document.frame == 60


@pytest.mark.verify
def test_a_beat_meets_the_playhead_when_the_music_is_dragged_near_it(window, track):
    window.document.set_frame(70)  # beats at 7.5, 22.5, ... 67.5: by 2.5 frames the fifth is there
    press = QPointF(track.track_x(30), LANE + 15)
    drag(track, press, 2.3 * window.timeline.model.pixels)
    assert window.document.music.record.offset == pytest.approx(2.5 / 30, abs=1e-5)


def test_beats_are_dragged_added_and_deleted_in_their_lane(window, track):
    document, pixels = window.document, window.timeline.model.pixels
    second = QPointF(track.beat_x(1), LANE - 3)
    drag(track, second, 2.0 * pixels)
    assert document.music.record.beats[1] == pytest.approx(0.75 + 2 / 30, abs=0.5 / 30 / pixels + 1e-3)
    document.history.undo()
    drag(track, second, 2.0 * pixels, SHIFT)
    np.testing.assert_allclose(document.music.record.beats, np.array(BEATS) + 2 / 30, atol=0.5 / 30 / pixels + 1e-3)
    document.history.undo()
    assert document.music.record.beats == BEATS
    QTest.mouseDClick(track, LEFT, NONE, QPointF(track.track_x(30), LANE - 3).toPoint())
    assert len(document.music.record.beats) == 9 and document.music.record.beats[2] == pytest.approx(1.0, abs=0.02)
    assert track.selected == 2  # Del takes it away again
    document.history.undo()
    assert (
        document.music.record.beats == BEATS and track.selected is track.hovered is None
    )  # number 2 is another beat now
    document.history.redo()
    QTest.mouseClick(track, LEFT, NONE, QPointF(track.beat_x(2), LANE - 3).toPoint())
    assert document.frame == 30 and track.selected == 2
    QTest.keyClick(track, Qt.Key.Key_Delete)
    assert document.music.record.beats == BEATS


@pytest.mark.verify
def test_the_menu_does_by_the_mouse_alone_what_there_is_to_do(window, track):
    document = window.document

    def choose(text: str, beat: int | None = None) -> None:
        menu = audio_menu(track, beat, 1.0)
        found = [action for inner in (menu, *menu.findChildren(type(menu))) for action in inner.actions()]
        next(action for action in found if action.text() == text).trigger()

    choose("Bar begins here", 2)
    assert document.music.record.downbeats().tolist()[:4] == [False, False, True, False]
    choose("3")
    assert document.music.record.bar == 3
    choose("Add beat here")
    assert 1.0 in document.music.record.beats
    choose("One frame later")
    assert document.music.record.offset == pytest.approx(1 / 30, abs=1e-5)
    choose("Start at frame 0")
    assert document.music.record.offset == 0.0
    choose("50 %")
    assert document.music.record.gain == 0.5
    choose("Double tempo")
    assert document.music.record.tempo == 240.0
    choose("Sound")
    assert not document.session.playback.sound
    choose("Remove music")
    assert document.music.record is None


@pytest.mark.verify
def test_tapping_along_gives_a_steady_beat(window, track, monkeypatch):
    document, player = window.document, window.player
    monkeypatch.setattr(type(player), "position", property(lambda _: position[0]))
    position, jitter = [0.0], [0.2, -0.3, 0.1, 0.3, -0.2, 0.0]
    window.action_table["tap_beats"].trigger()
    assert player.playing and document.session.playback.playing
    for tap, away in enumerate(jitter):
        position[0] = 20.0 + 18.0 * tap + away
        if tap % 2:
            window.action_table["tap_beats"].trigger()
        else:
            QTest.mouseClick(track, LEFT, NONE, QPoint(30, 25))  # the name of the music
    assert track.tapping == 6
    index = document.stack.index()
    player.pause()
    assert document.stack.index() == index + 1 and track.tapping == 0
    assert document.music.record.tempo == pytest.approx(100.0, rel=0.01)
    tapped = document.music.record.frames(30.0)
    assert np.abs(tapped[:, None] - (20.0 + 18.0 * np.arange(6))).min(axis=0).max() < 0.4


def test_markers_are_added_named_dragged_visited_and_deleted(window):
    document, band, model = window.document, window.timeline.markers, window.timeline.model
    assert band.isHidden()
    document.set_frame(12)
    index = document.stack.index()
    window.action_table["add_marker"].trigger()
    QTest.keyClicks(band.field, "Step")
    assert band.rect().contains(band.field.geometry()) and band.field.minimumSizeHint().height() <= band.height()
    QTest.keyClick(band.field, Qt.Key.Key_Return)
    assert [(m.frame, m.name) for m in document.sequence.markers] == [(12, "Step")]
    assert document.stack.index() == index + 1 and band.isVisible()
    document.set_frame(24)
    window.action_table["add_marker"].trigger()
    QTest.keyClick(band.field, Qt.Key.Key_Escape)
    assert len(document.sequence.markers) == 1
    document.markers.add(24, "Turn")
    window.action_table["previous_marker"].trigger()
    assert document.frame == 12
    window.action_table["next_marker"].trigger()
    assert document.frame == 24
    document.set_frame(0)
    flag = QPointF(band.track_x(12) + 3, 8)
    drag(band, flag, 12 * model.pixels)  # onto the other: it stays where it last could be
    assert 24 in {m.frame for m in document.sequence.markers} and len(document.sequence.markers) == 2
    here = next(m.frame for m in document.sequence.markers if m.name == "Step")
    drag(band, QPointF(band.track_x(here) + 3, 8), (15 - here) * model.pixels)
    assert [(m.frame, m.name) for m in document.sequence.markers] == [(15, "Step"), (24, "Turn")]
    QTest.mouseClick(band, LEFT, NONE, QPointF(band.track_x(24) + 3, 8).toPoint())
    assert document.frame == 24
    QTest.keyClick(band, Qt.Key.Key_Delete)
    assert [m.name for m in document.sequence.markers] == ["Step"]
    QTest.mouseDClick(band, LEFT, NONE, QPointF(band.track_x(15) + 3, 8).toPoint())
    band.field.setText("Left foot")
    band.field.clearFocus()
    assert document.sequence.markers[0].name == "Left foot"
    document.markers.remove(15)
    assert band.isHidden()


@pytest.mark.verify
def test_music_travels_with_the_file_beside_it(window, qtbot, tmp_path: Path):
    (tmp_path / "beat.wav").write_bytes(DRUMS.read_bytes()[: 44 + 22050 * 2])
    window.music.load_path(tmp_path / "beat.wav")
    qtbot.waitUntil(lambda: window.document.music.record is not None, timeout=10_000)
    window.document.markers.add(7, "Hit")
    assert window.document.files.save(tmp_path / "dance.seq")
    assert '"beat.wav"' in (tmp_path / "dance.seq").read_text()
    moved = tmp_path.rename(tmp_path.with_name("elsewhere"))
    window.document.files.new()
    assert window.timeline.audio.isHidden() and window.timeline.markers.isHidden()
    assert window.document.files.open(moved / "dance.seq")
    qtbot.waitUntil(lambda: window.timeline.audio.waveform is not None, timeout=10_000)
    assert window.document.music.record.file == str(moved / "beat.wav")
    assert [m.name for m in window.document.sequence.markers] == ["Hit"]
