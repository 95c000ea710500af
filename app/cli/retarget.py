"""``retarget``: let another figure move as the figure of a file does, and write its motion with locks of its feet."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from app.cli import arguments, importing
from app.cli.arguments import BadInput
from app.cli.progress_line import ProgressLine
from core.animation.retargeting import retarget, suggested_pairs
from core.formats import Project, load, save
from core.formats.joint_pairs import read_pairs, write_pairs


def retargeted(options: argparse.Namespace) -> int:
    """Let another figure move as the figure of a file does, and write its motion with locks that hold its feet."""
    source, target = options.file, options.output
    if target.exists() and source.exists() and target.samefile(source):
        raise BadInput(f"{target} is the input file; give the result another name")
    project = importing.read(options, f"reading {source.name}")
    sequence = arguments.chosen_sequence(project, options.sequence)
    if sequence is None:
        raise BadInput(f"{source}: there is no motion in it")
    other = load(options.onto)
    if not other.figures:
        raise BadInput(f"{options.onto}: there is no figure in it")
    figure = other.figures[0]
    pairs = suggested_pairs(sequence.skeleton, figure) if options.pairs is None else read_pairs(options.pairs)
    if options.write_pairs is not None:
        write_pairs(options.write_pairs, pairs, sequence.skeleton, figure)
    with ProgressLine(f"moving {figure.name}", options.progress) as progress:
        made = retarget(sequence, figure, pairs, options.scale, not options.free_feet, progress)
    with ProgressLine(f"writing {target.name}", options.progress) as progress:
        save(Project([figure], [made.sequence], figure_records=other.figure_records[:1]), target, progress=progress)
    if made.let_go:
        print(
            f"warning: feet that stood are left free for {made.let_go} frames, as joint limits do not let them stand",
            file=sys.stderr,
        )
    held = 0 if made.paths is None else sum(foot.stances for foot in made.paths.feet)
    print(
        f"{target}: {len(made.pairs)} pairs of joints, travels {made.scale:.3f} times as far, "
        f"{len(made.sequence.keys)} keys, {held} stances held"
    )
    return 0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the words that ``retarget`` takes to its parser."""
    parser.add_argument(
        "-o", "--output", type=arguments.output(".seq"), required=True, metavar="OUT.seq", help="file to write"
    )
    parser.add_argument(
        "--onto", type=Path, required=True, metavar="FIGURE", help="file with the figure that is to move likewise"
    )
    parser.add_argument("--sequence", metavar="NAME", help="sequence to take, by name or number; the first")
    parser.add_argument(
        "--pairs", type=Path, metavar="PAIRS.json",
        help="which joint stands for which, as --write-pairs writes it; found by bodies and names if not given",
    )  # fmt: skip
    parser.add_argument("--write-pairs", type=Path, metavar="PAIRS.json", help="write the pairs, to be edited")
    parser.add_argument(
        "--scale", type=arguments.positive, metavar="FACTOR",
        help="how many times as far it travels as the original; by the length of the legs if not given",
    )  # fmt: skip
    parser.add_argument("--free-feet", action="store_true", help="do not hold feet where they stand")
