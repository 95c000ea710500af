"""What it takes to make a walk: 20 steps against the time they last, and again after a footprint was moved.

A walk must be made 100 times faster than it plays, and follow a footprint within 0.1 s.
``python -m tests.benchmarks gait``
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from core.formats.bundled import bundled_folder
from core.gait.manner import Manner
from core.gait.table import gaits_for, make_gait
from core.gait.walk import make_walk
from core.skeleton import load_skeleton
from core.terrain import LEVEL
from tests.benchmarks.timing import each
from tests.support.grounds import hills, stairs

STEPS = 20


def run(report: Callable[..., None]) -> None:
    """Report times of making walks."""
    human = load_skeleton(bundled_folder() / "human.scr")
    manner = Manner(steps=STEPS)
    for name, ground in (("level ground", LEVEL), ("hills", hills(0)), ("stairs", stairs())):
        walk = make_walk(human, manner, ground)
        x, _, z = walk.steps.places[9]
        moved = replace(manner, footprints={9: (float(x) + 0.05, float(z) + 0.05, 0.0)})
        plain, edited = each(
            [[lambda g=ground: make_walk(human, manner, g)], [lambda g=ground, m=moved: make_walk(human, m, g)]], 15
        )
        lasts = walk.last / 30.0
        report(f"{STEPS} steps on {name}", 1e3 * float(plain[0]), "ms", f"lasts {lasts:.1f} s")
        report(f"{STEPS} steps on {name}: lasts / made", lasts / float(plain[0]), "x", "at least 100")
        report(f"a footprint on {name} is moved", 1e3 * float(edited[0]), "ms", "at most 100")
    horse = load_skeleton(bundled_folder() / "horse.scr")
    for figure in (human, horse):
        for gait in gaits_for(figure):
            other = Manner(gait.name, steps=STEPS)
            lasts = make_gait(figure, other).last / 30.0
            took = float(each([[lambda f=figure, m=other: make_gait(f, m)]], 9)[0][0])
            report(f"{STEPS} steps, {gait.name} on {gait.legs} feet: lasts / made", lasts / took, "x", "at least 25")
