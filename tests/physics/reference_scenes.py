"""``python -m tests.physics.reference_scenes [SCENE...]`` prints the reference energies beside ours.

A scene is named ``matlab:4`` or ``diff:0``; without one the whole table is printed. In the columns "ode45" ours is the
energy with the reference program's own adaptive steps, whose errors the given digits hold; the check is that our
``rk45`` at a tolerance of 1e-7 keeps the energy, where nothing does work. In the column "bisp" ours is the energy with
our own friction instead of the program's.
"""

from __future__ import annotations

import argparse
import sys

from core.errors import CoreError
from tests.physics.scenes.running import COLUMNS, Outcome, run
from tests.physics.scenes.table import REFERENCES

_HEAD = (
    f"{'scene':<11} {'':<36} {'column':<13} {'given':>22} {'ours':>22} {'difference':>10}  {'check':<10} {'off':>8} "
)


def line(key: str, title: str, column: str, outcome: Outcome) -> str:
    """Return one line of the table."""
    given = "(not given)" if outcome.given is None else f"{outcome.given:.13g}"
    difference = "" if outcome.given is None else f"{outcome.ours - outcome.given:.1e}"
    verdict = "OK" if outcome.good else "FAR"
    return (
        f"{key:<11} {title:<36} {column:<13} {given:>22} {outcome.ours:>22.13g} {difference:>10}  "
        f"{outcome.check:<10} {outcome.off:8.1e} <= {outcome.gate:.0e} {verdict:<4} {outcome.seconds:6.1f} s"
    )


def main(words: list[str]) -> int:
    """Print what is asked for; return how many scenes are too far off."""
    parser = argparse.ArgumentParser(prog="python -m tests.physics.reference_scenes", description=__doc__)
    parser.add_argument("scenes", nargs="*", metavar="SCENE", help="matlab:-1 to matlab:35, diff:0 to diff:14")
    parser.add_argument("--integrator", choices=COLUMNS, help="only this column")
    parser.add_argument("--table", action="store_true", help="all scenes, as without a scene")
    chosen = parser.parse_args(words)
    keys = [reference.key for reference in REFERENCES]
    for key in chosen.scenes:
        if key not in keys:
            parser.error(f"there is no scene {key}; there are {', '.join(keys)}")
    far = 0
    print(_HEAD)
    for reference in REFERENCES:
        if chosen.scenes and not chosen.table and reference.key not in chosen.scenes:
            continue
        columns = [c for c in COLUMNS if c in reference.given and chosen.integrator in (None, c)]
        for column in columns:
            try:
                outcome = run(reference, column)
            except CoreError as error:
                print(f"{reference.key:<11} {reference.title:<36} {column:<13} {error}", flush=True)
                far += 1
                continue
            far += not outcome.good
            print(line(reference.key, reference.title, column, outcome), flush=True)
        if reference.note and columns:
            print(f"{'':<11} {reference.note}")
    return far


if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1:]) else 0)
