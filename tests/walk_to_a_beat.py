"""``python -m tests.walk_to_a_beat [FOLDER]`` does what docs/manual/walk-to-a-beat.md says, with the mouse alone.

It drives the real window by mouse events, saves a picture of each step into ``docs/manual/images`` or the given folder,
checks that every step of the figure falls on a beat in the end, and adds up how long a person would take by the
keystroke-level model (Card, Moran and Newell 1980).
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtGui import QCursor

from app.timeline.music.picture import LANE
from app.window.editor import settle
from app.window.main_window import MainWindow
from tests.pictures import manual
from tests.support.driver import Driver
from tests.support.shown_window import shown_window

SIZE = (1280, 800)
STEPS = 8


class Walker(Driver):
    """A person who retimes the walk."""

    def watch(self, seconds: float, name: str) -> None:
        """Play so long, take a picture, and stop; a person watches for five seconds."""
        self.think()
        self.click(self.button("play"))
        settle(self.application, seconds)
        self.think(5.0)
        self.window.status.drop_message()  # that this machine has no sound is of no use to a reader
        self.picture(name, "window")
        self.click(self.button("play"))


def do(driver: Walker) -> None:
    """Retime the stroll."""
    window, application = driver.window, driver.application
    timeline = window.timeline
    sheet, audio, model = timeline.sheet, timeline.audio, timeline.model

    driver.think()
    driver.choose("File", "Open sample", "Stroll", name="Open the sample")
    while audio.waveform is None:
        settle(application, 0.1)
    settle(application, 0.5)

    driver.watch(1.5, "Play: the steps miss the beat")
    driver.click(driver.button("first_frame"))

    driver.think()
    first = float(model.marks.beats.frames[0])
    grip = QPointF(audio.track_x(30.0), LANE + 18.0)
    driver.drag(audio, grip, grip - QPointF(first * model.pixels - 2.0, 0.0), "Drag the music to the left")

    driver.think()
    left, right = sheet.track_x(0.0) - 12.0, sheet.track_x(160.0) + 12.0
    driver.drag(sheet, QPointF(left, 5.0), QPointF(right, 60.0), "Draw a box round all keys")

    driver.think()
    handle = sheet._handles()[1].center()
    beat = float(model.marks.beats.frames[STEPS])
    driver.drag(sheet, handle, handle + QPointF((beat - 160.0) * model.pixels + 2.0, 0.0), "Drag the right handle")

    driver.watch(1.2, "Play: every step is on a beat")


def strikes(window: MainWindow) -> np.ndarray:
    """Return at which frames a heel strikes: the keys of the walk at which both feet are down, shape (steps + 1,)."""
    frames = np.array(window.document.sequence.keys.frames)  # type: ignore[union-attr]
    return frames[:: (len(frames) - 1) // STEPS]


def main(words: list[str]) -> int:
    """Do it; return 0 if every step falls on its beat."""
    folder = Path(words[0]) if words else manual.FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    application, window = shown_window(SIZE)
    QCursor.setPos(window.mapToGlobal(window.rect().bottomRight()))  # the real one lights nothing
    settle(application, 0.5)
    driver = Walker(application, window, folder, "walk-to-a-beat")
    do(driver)
    beats = window.timeline.model.marks.beats.frames
    away = np.abs(strikes(window) - beats[: STEPS + 1])
    print(f"steps at frames {strikes(window).tolist()}, at most {away.max():.2f} frames from their beats")
    print(f"a person takes about {driver.seconds:.0f} s")
    window.stop()
    window.close()
    return 0 if away.max() <= 1.0 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
