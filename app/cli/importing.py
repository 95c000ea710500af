"""What the command line asks of motion files of other programs: one set of options, and what is said about them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection
from dataclasses import replace
from typing import Any

from app.cli import arguments
from app.cli.progress_line import ProgressLine
from app.words.import_words import ignored, remarks
from core.formats import ImportChoices, Project, load
from core.formats.importing.choices import AUTO, FACINGS, FLOORS, POSITIONS, UPS


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
    for kind, text in (*remarks(project, _option), *ignored(project, _option, used)):
        print(f"{kind}: {options.file.name}: {text}", file=sys.stderr)
    return project


def _option(name: str, value: str = "") -> str:
    if name == "first":  # only what writes another file takes part of one
        return f"convert --from {value}"
    return f"--{name} {value}" if value else f"--{name}"
