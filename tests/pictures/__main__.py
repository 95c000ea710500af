"""``python -m tests.pictures [FOLDER [NAME...]]`` drives the real window and saves a picture of each state.

Nothing is compared: the pictures are for eyes, before and after a change of the look. Works without a display.
Those of the manual are made by ``python -m tests.pictures.manual``.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from app.process import virtual_display
from core.kernels import load_all
from tests.pictures import (
    camera,
    control_points,
    curves,
    dynamics,
    formulas,
    joints,
    keys,
    layers,
    library,
    locks,
    mechanisms,
    motion,
    music,
    overlays,
    physics,
    posing,
    scenes,
    several,
    skeleton,
    strands,
    walk,
    whole_window,
)
from tests.pictures.driving import State, grab, shown

STATES: tuple[State, ...] = tuple(
    row
    for area in (
        whole_window,
        posing,
        skeleton,
        joints,
        locks,
        formulas,
        mechanisms,
        motion,
        keys,
        camera,
        layers,
        library,
        music,
        control_points,
        curves,
        physics,
        strands,
        walk,
        overlays,
        dynamics,
        scenes,
        several,
    )
    for row in area.STATES
)


def take(name: str, folder: Path) -> Path:
    """Save the picture of one state; return its file."""
    state, act, theme, size = next(row for row in STATES if row[0] == name)
    file = folder / f"{state}.png"
    with shown(act, theme, size, folder) as window:
        grab(window).save(str(file))
    return file


def main(words: list[str]) -> int:
    """Save all pictures, or those named after the folder."""
    parser = argparse.ArgumentParser(prog="python -m tests.pictures", description=__doc__.partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=Path("pictures"), metavar="FOLDER")
    names = [name for name, *_ in STATES]
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"all of them if not given: {', '.join(names)}")
    chosen = parser.parse_args(words)
    if unknown := [name for name in chosen.names if name not in names]:
        parser.error(f"no picture is called {unknown[0]}")
    chosen.folder.mkdir(parents=True, exist_ok=True)
    virtual_display.ensure(1600, 1000)
    load_all()
    for name in chosen.names or names:
        print(take(name, chosen.folder), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
