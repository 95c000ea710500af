"""``script``: print, check or apply the constraint script of a sequence."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from app.cli import arguments, importing
from app.cli.arguments import BadInput, chosen_sequence
from app.cli.progress_line import ProgressLine
from core.animation.ensemble import link
from core.animation.script.making import Made
from core.animation.script.script import Applied, apply_script
from core.animation.script.text import LONGEST
from core.animation.script.written import written_script
from core.animation.sequence import Sequence
from core.formats import Project, save
from core.regular_file import open_regular


def script(options: argparse.Namespace) -> int:
    """Print the locks of a sequence as a script, or check or apply another one."""
    if options.output is not None and options.apply is None:
        raise BadInput("-o goes with --apply SCRIPT.txt; without it there is nothing to write")
    project = importing.read(options, f"reading {options.file.name}")
    sequence = chosen_sequence(project, options.sequence)
    if sequence is None:
        raise BadInput(f"{options.file} contains no sequence that could have a script")
    _link(project, sequence)
    if options.apply is None:
        own = written_script(sequence)
        found = apply_script(sequence, own.text, own)
        print(own.text, end="" if own.text.endswith("\n") else "\n")
        return _report(found.made, str(options.file))
    text = _text(options.apply)
    found = apply_script(sequence, text)
    if _report(found.made, options.apply.name):
        return 2
    if options.output is None:
        print(f"{options.apply}: good, {_count(found)}")
        return 0
    sequence.locks.strips, sequence.script = found.strips, found.script.to_json()
    with ProgressLine(f"writing {options.output.name}", options.progress) as progress:
        save(project, options.output, progress=progress)
    print(f"{options.output}: {_count(found)}")
    return 0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the words that ``script`` takes to its parser."""
    parser.add_argument("--sequence", metavar="NAME", help="sequence, by name or number; the first if not given")
    parser.add_argument(
        "--apply", type=Path, metavar="SCRIPT.txt", help="a text to put in the place of the script; - reads it from "
        "standard input; without -o it is only checked",
    )  # fmt: skip
    parser.add_argument("-o", "--output", type=arguments.output(".seq"), metavar="OUT.seq", help="file to write")


def _link(project: Project, sequence: Sequence) -> None:
    """Let the figures of a project know each other: each by its first sequence, this one's by this."""
    if len(project.figures) < 2:
        return
    shown = {sequence.skeleton.name: sequence}
    for each in project.sequences:
        if each.skeleton is not sequence.skeleton:
            shown.setdefault(each.skeleton.name, each)
    link(shown)


def _text(path: Path) -> str:
    if str(path) == "-":
        return sys.stdin.read(LONGEST + 1)
    with open_regular(path) as file:
        data = file.read(4 * LONGEST + 4)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(f"{path}: byte {error.start + 1} is not UTF-8; expected a text") from None


def _report(made: Made, name: str) -> int:
    """Print what is wrong with a script; return the exit code."""
    for problem in made.problems:
        print(f"{name}:{problem.line}:{problem.column}: {problem.message}", file=sys.stderr)
    return 2 if made.problems else 0


def _count(found: Applied) -> str:
    count = sum(strip is not None for strip in found.made.strips)
    return f"{count} lock{'s' * (count != 1)}"
