"""Music and markers."""

from __future__ import annotations

from PySide6.QtCore import QPointF
from PySide6.QtTest import QTest

from app.window.main_window import MainWindow
from core.formats.bundled import bundled_folder
from tests.pictures.driving import State, settle_here


def music(window: MainWindow) -> None:
    """A walk of three rounds under drums, a beat selected."""
    document = window.document
    document.sequences.set_range(0, 150)
    window.music.load_path(bundled_folder() / "music" / "drums.wav")
    settle_here(window, 1.5)
    window.timeline.model.fit()
    window.timeline.audio.selected = 3
    document.set_frame(20)


def markers(window: MainWindow) -> None:
    """Markers, one of them about to be named, over drums that start late."""
    music(window)
    document = window.document
    for frame, name in ((8, "Left foot"), (40, "Turn"), (44, "and look"), (96, "Stop")):
        document.markers.add(frame, name)
    window.timeline.audio.nudge(12)
    window.timeline.markers.begin(64)
    QTest.keyClicks(window.timeline.markers.field, "Wave")


def music_menu(window: MainWindow) -> None:
    """The menu of the music."""
    from app.timeline.music.track import show_audio_menu

    music(window)
    audio = window.timeline.audio
    show_audio_menu(audio, audio.mapToGlobal(QPointF(600, 10).toPoint()), 5, 1.0)
    settle_here(window, 0.3)


def music_lost(window: MainWindow) -> None:
    """Music whose file is gone, and a marker."""
    window.document.music.set({"file": "/nowhere/a song with a long name.mp3", "beats": [0.3, 0.8, 1.3], "tempo": 120})
    window.document.markers.add(12, "Step")


def music_close(window: MainWindow) -> None:
    """The waveform from near, in silence."""
    music(window)
    window.document.session.playback.sound = False
    window.timeline.model.zoom(9.0, 300.0)


STATES: tuple[State, ...] = (
    ("music", music, "dark", (1600, 1000)),
    ("music-light", music, "light", (1600, 1000)),
    ("music-small", music, "dark", (1024, 680)),
    ("markers", markers, "dark", (1280, 800)),
    ("markers-light", markers, "light", (1280, 800)),
    ("music-menu", music_menu, "dark", (1280, 800)),
    ("music-lost", music_lost, "light", (1280, 800)),
    ("music-close", music_close, "dark", (1280, 800)),
)
