"""``reduce``: as few keys as stay within a tolerance of a motion, and how far they are from it."""

from __future__ import annotations

import argparse
from dataclasses import replace

from app.cli import arguments, importing
from app.cli.arguments import BadInput, chosen_sequence
from app.cli.progress_line import ProgressLine
from app.words.reduction_words import summary
from core.animation.contacts.paths import lock_paths
from core.animation.reduction import DEGREES, MILLIMETRES
from core.animation.reduction.reduce import reduced
from core.formats import save

SUFFIXES = (".seq", ".bvh", ".amc", ".glb", ".gltf", ".usda")


def reduce(options: argparse.Namespace) -> int:
    """Write a motion with as few keys as keep every part within a tolerance at every frame."""
    target = options.output
    project = importing.read(options, f"reading {options.file.name}")
    sequence = chosen_sequence(project, options.sequence)
    if sequence is None or not sequence.keys:
        raise BadInput(f"{options.file} contains no motion whose keys could be reduced")
    channels = sequence.channels.of_joints(options.part, place=True) if options.part else None
    first = sequence.keys[0].frame if options.first is None else options.first
    last = sequence.keys[-1].frame if options.last is None else options.last
    with ProgressLine(f"reducing {sequence.name}", options.progress) as progress:
        strips = lock_paths(sequence).strips if options.lock_feet else ()
        found = reduced(
            sequence, first, last, options.millimetres, options.degrees, channels, progress, options.whole_poses
        )
    sequence.set_keys(found.keys)
    sequence.locks.strips = (*sequence.locks.strips, *strips)
    sequence.gait = None  # a walk by rules would make its keys anew
    if target.suffix.lower() != ".seq":  # the others hold one motion
        project = replace(project, figures=[sequence.skeleton], sequences=[sequence], figure_records=[])
    with ProgressLine(f"writing {target.name}", options.progress) as progress:
        save(project, target, progress=progress)
    locked = f"; feet locked to their paths by {len(strips)} strips" if options.lock_feet else ""
    print(f"{target}: {summary(found)}{locked}")
    return 0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the words that ``reduce`` takes to its parser."""
    parser.add_argument(
        "-o", "--output", type=arguments.output(*SUFFIXES), required=True, metavar="OUT.seq",
        help="file to write; formats other than .seq have a sample at every frame all the same",
    )  # fmt: skip
    parser.add_argument("--sequence", metavar="NAME", help="sequence, by name or number; the first if not given")
    parser.add_argument(
        "--millimetres", type=arguments.positive, default=MILLIMETRES, metavar="MM",
        help=f"how far either end of any part may be off at any frame; default {MILLIMETRES:g}",
    )  # fmt: skip
    parser.add_argument(
        "--degrees", type=arguments.positive, default=DEGREES, metavar="DEG",
        help=f"how far any part may be turned from how it is now; default {DEGREES:g}",
    )  # fmt: skip
    parser.add_argument("--first", type=arguments.frame, metavar="F", help="first frame; that of the first key")
    parser.add_argument("--last", type=arguments.frame, metavar="F", help="last frame; that of the last key")
    parser.add_argument(
        "--part",
        action="append",
        metavar="NAME",
        help="a part whose keys are reduced, more than once; all if not given",
    )
    parser.add_argument(
        "--whole-poses", action="store_true",
        help="key all parts at the same frames: fewer frames have a key, but there are more keys in all",
    )  # fmt: skip
    parser.add_argument(
        "--lock-feet", action="store_true", help="lock the feet to their present path first, so that they stand exactly"
    )
