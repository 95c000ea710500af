"""How well made walks stand on their ground: the worst of each kind, a line for each terrain.

50 seeded hills and several stairs of 20 steps each, 20 walks on the floor, and figures of other proportions on some of
each. ``python -m tests.benchmarks footing``
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from core.gait.manner import Manner
from core.gait.walk import make_walk
from core.preview.plausibility.find import find_violations
from core.skeleton import Skeleton
from core.terrain import LEVEL, Ground
from tests.support.grounds import (
    BOUNDS,
    SEEDS,
    STAIRS,
    Footing,
    flat_manners,
    footing,
    hills,
    stairs,
    stairs_for,
    walked,
)
from tests.support.walkers import WALKERS, walker

_UNITS = (("sunk", 1e3, "mm"), ("hover", 1e3, "mm"), ("under", 1e3, "mm"), ("tilt", 180.0 / np.pi, "deg"),
          ("drift", 1e3, "mm"), ("unheld", 1e3, "mm"), ("jump", 180.0 / np.pi, "deg"),
          ("outside", 180.0 / np.pi, "deg"))  # fmt: skip


def run(report: Callable[..., None]) -> None:
    """Print the tables and report the worst of each kind."""
    print("  " + f"{'':<34}" + "".join(f"{f'{name} [{unit}]':>14}" for name, _, unit in _UNITS) + "   flags")
    found: list[Footing] = []
    flags = 0
    for name, s, manner, ground in _cases():
        walk = make_walk(s, manner, ground)
        each = footing(s, walk, ground)
        said = find_violations(walked(s, walk)) if ground is LEVEL else ()
        out = [kind for kind in Footing._fields if getattr(each, kind) > getattr(BOUNDS, kind)]
        note = " ".join([f"{len(said)}" if ground is LEVEL else "-", *(f"{kind}!" for kind in out)])
        values = "".join(f"{getattr(each, kind) * factor:>14.4g}" for kind, factor, _ in _UNITS)
        print(f"  {name:<34}{values}   {note}", flush=True)
        found.append(each)
        flags += len(said)
    for kind, factor, unit in _UNITS:
        worst = max(getattr(each, kind) for each in found)
        report(f"worst: {kind}", worst * factor, unit, f"at most {getattr(BOUNDS, kind) * factor:.3g}")
    report("implausible stretches of walks on the floor", float(flags), "", "none")


def _cases() -> list[tuple[str, Skeleton, Manner, Ground]]:
    human, manner = walker("human"), Manner(steps=20)
    cases: list[tuple[str, Skeleton, Manner, Ground]] = []
    cases += [(f"hills {seed}", human, manner, hills(seed)) for seed in SEEDS]
    cases += [(f"stairs {rise:g} / {tread:g} m", human, manner, stairs(rise, tread)) for rise, tread in STAIRS]
    for k, each in enumerate(flat_manners()):
        length = "" if each.step_length is None else f", {each.step_length:.2f} m"
        cases.append((f"floor {k}: {each.speed:.2f} m/s{length}", human, each, LEVEL))
    for name in WALKERS[1:]:
        s = walker(name)
        cases.append((f"{name}, floor", s, manner, LEVEL))
        cases += [(f"{name}, hills {seed}", s, manner, hills(seed)) for seed in SEEDS[:5]]
        cases += [
            (f"{name}, stairs {rise:g} / {tread:g} m", s, manner, stairs_for(s, rise, tread)) for rise, tread in STAIRS
        ]
    return cases
