"""``walk``: let a figure walk, run or move in another gait, and write keys and locks of its feet."""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path

from app.cli import arguments, importing
from app.cli.arguments import BadInput
from app.cli.progress_line import ProgressLine
from core.animation.new_sequence import new_sequence
from core.formats import Project, save
from core.gait.ground_path import Points, read_path, read_points
from core.gait.manner import CURVES, LEGS, MOST_STEPS, WALK, Manner
from core.gait.procedural import Rules, make
from core.gait.table import GAITS, KINDS, pace_of
from core.skeleton import Skeleton
from core.terrain import LEVEL, read_terrain

_MISSED = 1e-4  # [m]


def walk(options: argparse.Namespace) -> int:
    """Let a figure walk, and write its motion with locks that hold its feet."""
    source, target = options.file, options.output
    if target.exists() and source.exists() and target.samefile(source):
        raise BadInput(f"{target} is the input file; give the result another name")
    project = importing.read(options, f"reading {source.name}")
    if not project.figures:
        raise BadInput(f"{source}: there is no figure in it")
    figure = _figure(project, options.figure)
    manner = Manner(
        options.gait, steps=options.steps, speed=options.speed,
        step_length=options.step_length, step_rate=options.step_rate,
        sway=options.sway, arm_swing=options.arm_swing, lift=options.lift, turn=math.radians(options.turn),
        path=() if options.path is None else _path(options.path), feet=tuple(options.feet or ()),
        first=options.first, start=not options.under_way, stop=not options.under_way,
        legs=options.legs,
    )  # fmt: skip
    ground = LEVEL if options.ground is None else read_terrain(options.ground)
    made = new_sequence(figure, "Walk")
    made.fps = options.fps
    walked = make(made, Rules(manner, ground))
    if walked.missed > _MISSED:
        print(
            f"warning: legs do not reach all of their places; feet miss them by up to {1e3 * walked.missed:.0f} mm",
            file=sys.stderr,
        )
    if walked.note:
        print(f"note: {walked.note[:1].lower()}{walked.note[1:]}", file=sys.stderr)
    where = project.figures.index(figure)
    records = project.figure_records[where : where + 1]
    with ProgressLine(f"writing {target.name}", options.progress) as progress:
        save(Project([figure], [made], figure_records=records), target, progress=progress)
    how = f"{manner.kind}, {len(walked.steps.sides)} footprints"
    if manner.kind == WALK and len(walked.feet) == 2:
        pace = pace_of(figure, manner, made.fps)
        how = (
            f"{len(walked.steps.sides) - 2} steps of {pace.length:.2f} m, {pace.rate * 60.0:.0f} a minute, "
            f"{pace.speed:.2f} m/s"
        )
    print(f"{target}: {how}; {len(made.keys)} keys, {len(made.locks.strips)} lock strips, {made.duration:.2f} s")
    return 0


def _path(text: str) -> Points:
    """Return the points of a path that is written out or stands in a file."""
    try:
        return read_path(Path(text)) if Path(text).is_file() else read_points(text)
    except OSError:  # too long for the name of a file
        return read_points(text)


def _figure(project: Project, name: str | None) -> Skeleton:
    if name is None:
        return project.figures[0]
    for figure in project.figures:
        if figure.name.casefold() == name.casefold():
            return figure
    names = ", ".join(f'"{each.name}"' for each in project.figures)
    raise BadInput(f'there is no figure "{name}"; there are {names}')


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the words that ``walk`` takes to its parser."""
    parser.add_argument(
        "-o", "--output", type=arguments.output(".seq"), required=True, metavar="OUT.seq", help="file to write"
    )
    parser.add_argument("--figure", metavar="NAME", help="figure of the file that walks; the first if not given")
    parser.add_argument("--gait", choices=KINDS, default=WALK, help="; ".join(_gaits()) + f"; {WALK} if not given")
    parser.add_argument(
        "--feet", nargs="+", metavar="NAME",
        help="feet it goes on, if names do not tell: left and right, of four legs first those behind",
    )  # fmt: skip
    parser.add_argument("--steps", type=_steps, default=10, metavar="N", help=f"how many steps, 1 to {MOST_STEPS}; 10")
    parser.add_argument("--speed", type=arguments.positive, metavar="V", help="in m/s; an easy walk if not given")
    parser.add_argument("--step-length", type=arguments.positive, metavar="L", help="in metres")
    parser.add_argument("--step-rate", type=arguments.positive, metavar="R", help="steps a second")
    parser.add_argument("--ground", type=Path, metavar="MESH", help="what it walks on: .obj, .stl, .ply or .glb")
    parser.add_argument(
        "--path", metavar="POINTS", help='way over the ground: "x,z x,z ..." in metres, or a text file of such points'
    )
    parser.add_argument(
        "--turn", type=_degrees, default=0.0, metavar="DEGREES", help="turn with each step, to the left"
    )
    for name, what in (
        ("sway", "how far the body goes from side to side"),
        ("arm-swing", "how far arms swing"),
        ("lift", "how high feet are lifted"),
    ):
        parser.add_argument(f"--{name}", type=_factor, default=1.0, metavar="FACTOR", help=f"{what}; 1 is usual")
    parser.add_argument("--first", choices=("left", "right"), default="right", help="foot of the first step; right")
    parser.add_argument(
        "--legs", choices=LEGS, default=CURVES,
        help=f"what moves the body of a walk on two legs: curves, or the forces of its legs; {CURVES}",
    )  # fmt: skip
    parser.add_argument("--under-way", action="store_true", help="begin and end walking instead of standing")
    parser.add_argument("--fps", type=arguments.positive, default=30.0, help="frames per second; 30")


def _gaits() -> list[str]:
    """Return what gaits there are, by the number of legs."""
    return [
        f"on {legs} feet " + ", ".join(f"{gait.name} ({gait.text})" for gait in GAITS if gait.legs == legs)
        for legs in dict.fromkeys(gait.legs for gait in GAITS)
    ]


def _degrees(text: str) -> float:
    value = arguments.number(text)
    if abs(value) > 60.0:
        raise argparse.ArgumentTypeError(f'"{text}" is too far for one step; expected -60 to 60 degrees')
    return value


def _factor(text: str) -> float:
    value = arguments.number(text)
    if not 0.0 <= value <= 3.0:
        raise argparse.ArgumentTypeError(f'"{text}" is no factor; expected 0 to 3')
    return value


def _steps(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 6 and 1 <= int(text) <= MOST_STEPS):
        raise argparse.ArgumentTypeError(f'"{text}" is no number of steps; expected 1 to {MOST_STEPS}')
    return int(text)
