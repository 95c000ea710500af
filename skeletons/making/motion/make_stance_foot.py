"""``python -m skeletons.making.motion.make_stance_foot`` makes a sample with a script: the stance foot of a walk.

The keys are those of the walk. Welman (1993), section 7.2.1, describes the foot in words; the script says the same.
"""

from __future__ import annotations

import sys
from pathlib import Path

from core.animation import Sequence
from core.animation.script.script import Script, apply_script
from core.formats import Project, bundled_folder, load, save

PATH = "Walks and runs/stance foot.seq"
SCRIPT = """\
# The stance foot of a walk (Welman 1993, section 7.2.1): heel, then heel and ball, then ball.

# After heel strike the heel keeps its place ...
lock "right heel" position from 1 to 8 ease out 3 name "heel"

# ... until the ball touches the ground: for a while both stay, and with them the whole foot.
lock "right ball" position from 3 to 16 ease out 4 name "ball"

# Then the heel leaves the ground, and last the ball, over the toes, which stay at their height.
lock "right toes" plane from 3 to 18 ease 3 name "toes"
"""


def make() -> Project:
    """Return the project."""
    walk = load(bundled_folder() / "library" / "Walks and runs" / "walk.seq")
    keyed = walk.sequences[0]
    sequence = Sequence(keyed.skeleton, keyed.fps, "Stance foot", menu="Walks and runs", loop=True, keys=keyed.keys)
    found = apply_script(sequence, SCRIPT, Script(), ids=("heel", "ball", "toes"))
    assert not found.made.problems, found.made.problems
    sequence.locks.strips, sequence.script = found.strips, found.script.to_json()
    return Project(walk.figures, [sequence], figure_records=walk.figure_records)


def main(folder: Path) -> None:
    """Write the sample into a library."""
    save(make(), folder / PATH)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else bundled_folder() / "library")
