"""``python -m skeletons.making.motion.make_stroll`` makes a sample with music: eight slow steps, and drums they miss.

The steps are those of the walk, a quarter slower and four rounds of them; the drums are those of ``make_music``. What
is left to do, the page ``docs/walk-to-a-beat.md`` shows.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from core.animation import Sequence
from core.audio import AudioRecord
from core.formats import Project, bundled_folder, load, save
from skeletons.making.motion import make_music

ROUNDS = 4
SLOWER = 1.25
PATH = "Walks and runs/stroll.seq"


def make() -> Project:
    """Return the project."""
    walk = load(bundled_folder() / "library" / "Walks and runs" / "walk.seq")
    sequence = walk.sequences[0]
    keys, skeleton = sequence.keys, sequence.skeleton
    length = round(SLOWER * keys[-1].frame)
    way = np.zeros(skeleton.nq)
    way[:3] = keys[-1].q[:3] - keys[0].q[:3]
    stroll = Sequence(skeleton, fps=sequence.fps, name="Stroll", menu="Walks and runs")
    for turn in range(ROUNDS):
        for key in keys if turn == ROUNDS - 1 else keys[:-1]:
            stroll.set_key(turn * length + round(SLOWER * key.frame), np.round(key.q + turn * way, 6), "spline")
    music = AudioRecord("skeletons:music/drums.wav").with_beats(make_music.beats(), make_music.TEMPO)
    stroll.audio = music.to_record()
    return Project(walk.figures, [stroll], figure_records=walk.figure_records)


def main(folder: Path) -> None:
    """Write the sample into a library."""
    save(make(), folder / PATH)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else bundled_folder() / "library")
