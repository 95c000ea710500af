"""The menu of the music's band: everything that can be done with it, by the mouse alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu

from app.widgets.frames.menu import pop_up, space_shortcuts

if TYPE_CHECKING:
    from app.timeline.music.track import AudioTrack

BARS = (2, 3, 4, 5, 6, 8)
GAINS = (0.25, 0.5, 1.0, 1.5, 2.0)
NUDGES = ((-1.0, "One frame earlier"), (1.0, "One frame later"), (-0.1, "A tenth earlier"), (0.1, "A tenth later"))


def show_audio_menu(track: AudioTrack, place: QPoint, beat: int | None, time: float) -> None:
    """Open the menu.

    Args:
        track: The band.
        place: Where, on the screen.
        beat: The beat that was clicked, or None.
        time: The time that was clicked, [s].
    """
    pop_up(audio_menu(track, beat, time), place)


def audio_menu(track: AudioTrack, beat: int | None, time: float) -> QMenu:
    """Return the menu; see ``show_audio_menu``."""
    menu = QMenu(track)
    music = track.music
    if music is None:
        return menu
    actions = track.actions_by_name
    if beat is not None:
        menu.addAction("Bar begins here").triggered.connect(
            lambda: track.edit("Begin bar", lambda record: replace(record, downbeat=beat))
        )
        menu.addAction("Delete this beat").triggered.connect(lambda: track.remove_beat(beat))
    else:
        menu.addAction("Add beat here").triggered.connect(lambda: track.add_beat(time))
    menu.addSeparator()
    for name in ("detect_beats", "tap_beats", "double_tempo", "half_tempo"):
        menu.addAction(actions[name])
    bars, group = menu.addMenu("Beats in a bar"), QActionGroup(menu)
    for count in BARS:
        action = bars.addAction(str(count))
        action.setCheckable(True)
        action.setChecked(count == music.bar)
        group.addAction(action)
        action.triggered.connect(
            lambda _=False, count=count: track.edit("Set beats in a bar", lambda record: replace(record, bar=count))
        )
    menu.addSeparator()
    nudges = menu.addMenu("Nudge the music")
    for frames, text in NUDGES:
        nudges.addAction(text).triggered.connect(lambda _=False, frames=frames: track.nudge(frames))
    nudges.addSeparator()
    start = nudges.addAction("Start at frame 0")
    start.setEnabled(music.offset != 0.0)
    start.triggered.connect(lambda: track.edit("Nudge music", lambda record: replace(record, offset=0.0)))
    loudness = menu.addMenu("Loudness")
    for gain in GAINS:
        action = loudness.addAction(f"{gain:.0%}".replace("%", " %"))
        action.setCheckable(True)
        action.setChecked(abs(gain - music.gain) < 1e-9)
        action.triggered.connect(
            lambda _=False, gain=gain: track.edit("Set loudness", lambda record: replace(record, gain=gain))
        )
    menu.addAction(actions["sound"])
    menu.addSeparator()
    menu.addAction(actions["load_music"])
    menu.addAction(actions["remove_music"])
    space_shortcuts(menu)
    return menu
