"""``python -m tests.retarget_strips FOLDER [FILE...]``: motions, and what other figures make of them, in rows.

A picture of each motion goes to the folder, a row a figure, the original on top. Without files it is the run of the
library, as the manual has it. Says how often feet stand, and for how many frames they could not be held.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from PIL import Image

from app.render.offscreen import Stills
from core.animation.retargeting import retarget
from core.animation.sequence import Sequence
from core.formats import bundled_folder, load
from core.kernels import load_all
from core.skeleton import load_skeleton

FIGURES = ("woman", "robot", "stickman")
RUN = bundled_folder() / "library" / "Walks and runs" / "run.seq"
COUNT, WIDE, TALL, QUALITY = 7, 132, 180, 82
"""Pictures in a row, their size, [px], and how well they are kept, 0 to 100."""


def row(sequence: Sequence) -> Image.Image:
    """Return a row of pictures of a motion, evenly from its first key to its last."""
    made = Image.new("RGB", (COUNT * WIDE, TALL))
    frames = np.linspace(sequence.keys[0].frame, sequence.keys[-1].frame, COUNT)
    for number, q in enumerate(sequence.poses_at_frames(frames)):
        stills = Stills(sequence.skeleton, WIDE, TALL)
        made.paste(Image.fromarray(stills.draw(q)[..., :3]), (number * WIDE, 0))
        stills.close()
    return made


def main(words: list[str]) -> int:
    """Write the pictures."""
    load_all()
    folder, files = Path(words[0]), [Path(word) for word in words[1:]]
    for file in files or [RUN]:
        sequence = load(file, up="auto", floor="lowest").sequences[0]
        rows = [row(sequence)]
        for name in FIGURES:
            made = retarget(sequence, load_skeleton(bundled_folder() / f"{name}.scr"))
            rows.append(row(made.sequence))
            stances = 0 if made.paths is None else sum(foot.stances for foot in made.paths.feet)
            print(f"{file.name}, {name}: {stances} stances held, feet left free for {made.let_go} frames", flush=True)
        whole = Image.new("RGB", (COUNT * WIDE, TALL * len(rows)))
        for number, each in enumerate(rows):
            whole.paste(each, (0, number * TALL))
        whole.save(folder / f"{'retarget' if file == RUN else file.stem}.webp", quality=QUALITY)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
