"""``sweep``: the physics of one scene over seeds and parameters, as a table and a plot."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from app.cli import arguments
from app.cli.arguments import BadInput
from app.cli.batch import FAILED, LISTED, STOPPED, add_worker_arguments, workers
from app.cli.progress_line import ProgressLine
from app.words.counts import count
from app.words.preset_words import PRESET_WORDS
from core.errors import FormatError

if TYPE_CHECKING:
    from app.batch.sweep.plan import Sweep


def sweep(options: argparse.Namespace) -> int:
    """Simulate one scene over seeds and parameters, and write what is measured as a table, and a plot of it."""
    from app.batch.sweep.parquet_file import check_package, write_table
    from app.batch.sweep.plan import described
    from app.batch.sweep.plot import draw_plot
    from app.batch.sweep.run import run_sweep

    check_package()
    try:
        planned = _planned(options)
    except FormatError as error:
        print(error.summary(), file=sys.stderr)
        return 2
    doing = workers(options, planned.scene)
    with ProgressLine(f"simulating {planned.scene.stem}", options.progress) as progress:
        rows, stopped = run_sweep(planned, doing, lambda number, count: progress(number / count))
    if not rows:
        print(f"{options.output}: stopped before the first run ended; nothing was written", file=sys.stderr)
        return STOPPED
    write_table(rows, planned, options.output)
    failed = [row for row in rows if row["error"] is not None]
    for row in failed[:LISTED]:
        values = [f"{name} {row[name]:g}" for name, _ in planned.vary]
        values += [] if row["seed"] is None else [f"seed {row['seed']}"]
        print(f"failed: {', '.join(values) or planned.scene.stem}: {row['error']}", file=sys.stderr)
    if len(failed) > LISTED:
        print(f"and {len(failed) - LISTED:,} more, in the column error of the table", file=sys.stderr)
    done = f"{len(rows):,} of {count(planned.count, 'run')}" if stopped else count(len(rows), "run")
    ended = f", {len(failed):,} failed" if failed else ""
    print(f"{options.output}: {done}, {described(planned)}{ended}{', stopped' if stopped else ''}")
    if options.plot is not None:
        if len(failed) == len(rows):
            print(f"{options.plot}: not drawn, as every run failed", file=sys.stderr)
        else:
            draw_plot(rows, planned, options.plot)
            print(f"{options.plot}: a dot for each of {count(len(rows) - len(failed), 'run')}")
    return STOPPED if stopped else FAILED if failed else 0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the words that ``sweep`` takes to its parser."""
    parser.add_argument(
        "scene",
        type=Path,
        metavar="SWEEP.toml|SCENE.seq",
        help="a file that says which scene is simulated and what varies, or the scene itself",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=arguments.output(".parquet"),
        required=True,
        metavar="TABLE.parquet",
        help="table to write",
    )
    parser.add_argument("--plot", type=arguments.output(".png"), metavar="PLOT.png", help="draw a plot too")
    parser.add_argument(
        "--seeds", type=_seeds, metavar="N", help="how many seeds, counted from 1; the scene's own if not given"
    )
    parser.add_argument(
        "--vary", action="append", default=[], metavar="NAME=VALUES",
        help="vary gravity, friction, motor_gain or strength: friction=0.2,0.5,1, or friction=0.2:1:5 for 5 values "
        "from 0.2 to 1; may be given more than once",
    )  # fmt: skip
    parser.add_argument("--duration", type=arguments.positive, metavar="SECONDS", help="how long each run lasts")
    parser.add_argument(
        "--preset", choices=[words.name for words in PRESET_WORDS], help="what the whole figure does, instead of strips"
    )
    add_worker_arguments(parser)


def _planned(options: argparse.Namespace) -> Sweep:
    """Return the sweep that a file or the command line describes; the command line overrides the file."""
    from app.batch.steps import Simulate
    from app.batch.sweep.parameters import PARAMETERS, parameter_of
    from app.batch.sweep.plan import Sweep, read_sweep, values_of

    file: Path = options.scene
    if file.suffix.lower() == ".toml":
        found = read_sweep(file)
    elif file.is_file():
        found = Sweep(file.resolve(), Simulate())
    else:
        raise BadInput(f"{file} is not there; expected a scene, or a TOML file that names one")
    step = found.step
    if options.seeds is not None:
        step = replace(step, seeds=tuple(range(1, options.seeds + 1)))
    if options.duration is not None:
        step = replace(step, duration=options.duration)
    if options.preset is not None:
        step = replace(step, preset=options.preset)
    vary = dict(found.vary)
    for word in options.vary:
        name, equals, values = word.partition("=")
        parameter = parameter_of(name.strip())
        if parameter is None or not equals:
            known = ", ".join(each.name for each in PARAMETERS)
            raise BadInput(f"--vary {word} cannot be read; expected NAME=VALUES with one of {known}")
        vary[parameter.name] = values_of(parameter, values)
    return replace(found, step=step, vary=tuple(vary.items())).checked()


def _seeds(text: str) -> int:
    from app.batch.steps.simulating import MOST_SEEDS

    if not (text.isascii() and text.isdigit() and len(text) <= 6 and 1 <= int(text) <= MOST_SEEDS):
        raise argparse.ArgumentTypeError(f'"{text}" is not a number of seeds; expected 1 to {MOST_SEEDS}')
    return int(text)
