"""What the command line asks of motion files of other programs: one set of options, and what is said about them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.cli import arguments
from app.cli.progress_line import ProgressLine
from core.formats import Findings, ImportChoices, Project, load
from core.formats.importing import findings as doubt
from core.formats.importing.choices import ADD, AUTO, FACINGS, FLOORS, POSITIONS, UPS
from core.formats.importing.measures import LIKELY_UNITS
from core.formats.importing.units import FILE, UNITS

PERSON = 1.7  # [m]
_OPTIONS = {
    "unit": "--unit", "height": "--height", "up": "--up", "floor": "--on-floor", "facing": "--face",
    "positions": "--positions", "rate": "--rate",
}  # fmt: skip
"""Options by the names of the choices."""
_SHORT_UNITS = {metres: name for name, metres in arguments.UNITS.items()}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of everything that reads a motion file."""
    group = parser.add_argument_group("motion files of other programs")
    size = group.add_mutually_exclusive_group()
    size.add_argument(
        "--unit",
        type=arguments.unit,
        help="length unit of a file that does not state it: m, cm, mm, in, or a number of metres",
    )
    size.add_argument("--height", type=arguments.positive, metavar="METRES", help="make the figure this tall instead")
    group.add_argument(
        "--up", choices=(AUTO, *UPS), default=AUTO, metavar="AXIS",
        help=f"which axis of the file points upwards: {', '.join(UPS)}; found in the data if not given",
    )  # fmt: skip
    group.add_argument(
        "--on-floor", choices=FLOORS, metavar="WHEN", dest="on_floor",
        help="put the feet on the floor: lowest (the lowest point of the motion) or first (the first frame)",
    )  # fmt: skip
    group.add_argument(
        "--face",
        choices=FACINGS,
        metavar="WHEN",
        help="turn it to face the front: first (in the first frame) or average (over the motion)",
    )
    group.add_argument(
        "--positions", choices=(AUTO, *POSITIONS), default=AUTO, metavar="HOW",
        help="whether positions of joints replace their offsets or add to them: replace or add; measured if not given",
    )  # fmt: skip
    group.add_argument(
        "--rate", type=arguments.rate, metavar="FPS",
        help="frames per second of a file that does not state them, such as an AMC file, or states them wrong",
    )  # fmt: skip


def joined(words: list[str]) -> list[str]:
    """Return the words of a command line with ``--up -z`` as one word, which would be taken for another option."""
    found: list[str] = []
    for word in words:
        if found and found[-1] == "--up" and word in UPS:
            found[-1] = f"--up={word}"
        else:
            found.append(word)
    return found


def choices(options: argparse.Namespace) -> ImportChoices:
    """Return what the options say about a motion file."""
    return ImportChoices(
        options.unit, options.height, options.up, options.on_floor, options.face, options.positions, options.rate
    )


def read(
    options: argparse.Namespace,
    what: str,
    warn: bool = True,
    taken: tuple[int | None, int | None, float | None] = (None, None, None),
    used: Collection[str] = (),
) -> Project:
    """Return the project in ``options.file``, and say what was made of it.

    Args:
        options: The options, ``progress`` among them.
        what: Said while it is read.
        warn: Whether warnings are printed; else the caller does so.
        taken: First and last frame of a motion file that are taken, and the frames per second it is brought to.
        used: Choices that the caller makes use of itself where the file was written by this program.

    Raises:
        FormatError: If it cannot be read.
    """
    first, last, fps = taken
    words: dict[str, Any] = vars(replace(choices(options), first=first, last=last, fps=fps))
    with ProgressLine(what, options.progress) as progress:
        project = load(options.file, progress=progress, **words)
    if warn:
        for warning in project.warnings:
            print(f"warning: {warning}", file=sys.stderr)
    for line in (*remarks(project, options.file), *_ignored(project, options.file, used)):
        print(line, file=sys.stderr)
    return project


def _ignored(project: Project, file: Path, used: Collection[str]) -> list[str]:
    """Return that options made no difference, in a line; none if all did."""
    names = [_OPTIONS[name] for name in project.ignored if name in _OPTIONS and name not in used]
    if not names:
        return []
    listed = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    make = "makes" if len(names) == 1 else "make"
    return [f"warning: {file.name}: {listed} {make} no difference: this program wrote the file, and reads it as it was"]


def remarks(project: Project, file: Path) -> list[str]:
    """Return what was assumed about a motion file, each a line with the option that says otherwise."""
    found = project.imported
    if found is None:
        return []
    lines = []
    if doubt.UP in found.doubts:
        lines.append(f"warning: {file.name}: it is not clear which axis points up; taken as {found.up}, --up sets it")
    elif found.choices.up == AUTO and found.up != "y":
        lines.append(f"note: {file.name}: {found.up} points up in this file, so it was turned; --up y leaves it as is")
    if doubt.POSITIONS in found.doubts:
        lines.append(
            f"warning: {file.name}: it is not clear whether positions replace the joints' offsets or add to them; "
            f"taken as {found.positions}, --positions sets it"
        )
    elif found.choices.positions == AUTO and found.positions == ADD:
        lines.append(
            f"note: {file.name}: positions were added to the joints' offsets, which keeps the bones' lengths; "
            "--positions replace uses them in place of the offsets"
        )
    if doubt.SIZE in found.doubts and found.height > 0.0:
        lines.append(f"note: {file.name}: {_size(found, project.unit_guess)}")
    if doubt.FLOOR in found.doubts:
        above = found.first_lowest >= 0.0
        height = found.lowest if above else -found.first_lowest
        where = "above" if above else "below"
        lines.append(f"note: {file.name}: the feet are {height:.2f} m {where} the floor; --on-floor lowest moves them")
    return lines


def _unit_name(unit: float) -> str:
    """Return what a unit is called, in the plural."""
    known = (*LIKELY_UNITS, *UNITS)
    return next((name for metres, name in known if metres == unit), f"units of {unit:g} m")


def _size(found: Findings, guess: str) -> str:
    """Return which unit was taken and why, and how another one is given."""
    unit = found.likely_unit
    said = ", as its format says" if guess == FILE else ", since no common unit makes it the size of an adult"
    tall = f"taken as {_unit_name(found.unit)}{said}: the figure is {found.height:.3g} m tall"
    if unit is not None:
        height = found.height / found.unit * unit
        option = _SHORT_UNITS.get(unit, f"{unit:g}")
        return f"{tall}; in {_unit_name(unit)} it would be {height:.2f} m: --unit {option}"
    person = f"--height {PERSON:g} makes it as tall as a person" if found.human else "--height sets its height"
    return f"{tall}; --unit sets the unit, {person}"
