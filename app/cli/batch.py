"""``batch``: the same steps for every clip in some folders, on several processes or a cluster."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from app.cli.progress_line import ProgressLine
from core.errors import FormatError

if TYPE_CHECKING:
    from app.batch.job import Job
    from app.batch.manifest import Entry
    from app.batch.steps import Step
    from app.batch.workers import Workers

STOPPED = 130
FAILED = 1
LISTED = 10
"""How many failures are listed on the terminal."""
_EVERY = 0.1  # [s]
_STEPS = "steps"


def batch(options: argparse.Namespace) -> int:
    """Do the same steps for every clip in some folders; clips that are done already are left, failures are listed."""
    from app.batch.clips import find_clips, jobs_of
    from app.batch.report import JSON_NAME, TEXT_NAME, failure
    from app.batch.run import run_batch
    from app.batch.steps import Import
    from app.batch.steps_file import read_steps

    try:
        steps = read_steps(options.steps)
    except FormatError as error:
        print(error.summary(), file=sys.stderr)
        return 2
    assert isinstance(steps[0], Import)
    jobs = jobs_of(find_clips(options.clips, steps[0].files, options.output), steps, options.output)
    if options.dry_run:
        _print_plan(options.output, steps, jobs)
        return 0
    told = _Told()
    with ProgressLine("checking what is done", options.progress) as checking:
        report = run_batch(
            jobs, options.output, lambda seen: workers(options, seen), again=options.again, told=told,
            begins=told.begin, checking=checking,
        )  # fmt: skip
    told.finish()
    for entry in report.failed[:LISTED]:
        print(f"failed: {failure(entry)}", file=sys.stderr)
    more = len(report.failed) - LISTED
    if more > 0:
        print(f"and {more:,} more; see {options.output / TEXT_NAME}", file=sys.stderr)
    print(f"{options.output}: {report.summary()}")
    print(f"report: {options.output / JSON_NAME}, {options.output / TEXT_NAME}")
    return STOPPED if report.stopped else FAILED if report.failed else 0


def workers(options: argparse.Namespace, seen: Path) -> Workers:
    """Return what does the work: a cluster if its scheduler is named, else processes of this machine.

    Args:
        options: The options, ``scheduler``, ``processes`` and ``progress``.
        seen: A file that all workers must see.
    """
    if options.scheduler is not None:
        from app.batch.cluster import Cluster

        return Cluster(options.scheduler, seen)
    from app.batch.environment import compile_kernels
    from app.batch.processes import Processes
    from core.system_calls import processors

    with ProgressLine("compiling kernels, once", options.progress) as progress:
        compile_kernels(lambda done, total, name: progress(done / total))
    return Processes(options.processes or processors())


def add_worker_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the words that say what does the work."""
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--processes", type=_count, metavar="N", help="how many processes to use; one for each processor if not given"
    )
    where.add_argument(
        "--scheduler", metavar="ADDRESS",
        help="use the workers of a Dask cluster, by the address of its scheduler, such as tcp://host:8786; they must "
        "see the same folders at the same paths",
    )  # fmt: skip
    parser.add_argument("--progress", action="store_true", help="show progress even if there is no terminal")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the words that ``batch`` takes to its parser."""
    parser.add_argument("steps", type=Path, metavar="STEPS.toml", help="what to do: [[step]] tables, listed below")
    parser.add_argument("clips", type=Path, nargs="+", metavar="FOLDER", help="folder with clips, or one clip")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="OUT", help="folder for the results")
    parser.add_argument("--again", action="store_true", help="do everything again, also what is done already")
    parser.add_argument(
        "--dry-run", action="store_true", help="check the steps and list what would be done, without doing it"
    )
    add_worker_arguments(parser)
    parser.formatter_class, parser.epilog = _Help, _STEPS


class _Help(argparse.RawDescriptionHelpFormatter):
    """Help that lists the kinds of steps; they are imported only when somebody asks."""

    def add_text(self, text: str | None) -> None:
        """Add a text; the place of the steps gets their list."""
        if text == _STEPS:
            from app.batch.steps import STEPS

            kinds = (f"  {kind.do:10}{kind.about}" for kind in STEPS)
            codes = (
                "The exit code is 0 if all clips are done, 1 if some failed, 2 on bad input and 130 if it was stopped."
            )
            text = "\n".join(("kinds of steps, and the keys of each:", *kinds, "", codes))
        super().add_text(text)


class _Told:
    """Tells how far a batch has come: on one line in a terminal, elsewhere with a line for each clip."""

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._begun, self._when, self._failed = time.monotonic(), 0.0, 0

    def begin(self, count: int) -> None:
        """Show that the first clips are under way: each process loads libraries for some seconds before."""
        if self._terminal:
            sys.stderr.write(f"\r\x1b[K0 of {count:,}")
            sys.stderr.flush()

    def __call__(self, entry: Entry, number: int, count: int) -> None:
        self._failed += entry["state"] != "done"
        now = time.monotonic()
        if self._terminal and (now - self._when >= _EVERY or number == count):
            self._when = now
            left = (now - self._begun) / number * (count - number)
            failed = f", {self._failed} failed" if self._failed else ""
            ahead = f"{left / 60:.0f} min" if left >= 90 else f"{left:.0f} s"
            sys.stderr.write(f"\r\x1b[K{number:,} of {count:,}{failed}, about {ahead} left: {entry['name'][-40:]}")
            sys.stderr.flush()
        elif not self._terminal:
            state = "done" if entry["state"] == "done" else f"failed: {entry['error']}"
            print(f"{number}/{count} {entry['name']}: {state}", file=sys.stderr, flush=True)

    def finish(self) -> None:
        """Clear the line."""
        if self._terminal:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def _print_plan(folder: Path, steps: tuple[Step, ...], jobs: list[Job]) -> None:
    from app.batch.manifest import done_before, read_entries
    from app.batch.toml_table import as_toml

    for number, step in enumerate(steps, 1):
        chosen = {key: value for key, value in step.settings().items() if value not in (None, "", ())}
        settings = ", ".join(f"{key} = {as_toml(value)}" for key, value in chosen.items())
        print(f"{number}. {step.do}" + (f": {settings}" if settings else ""))
    done = done_before(jobs, read_entries(folder), folder)
    for job in jobs:
        results = [str(job.folder / result) for step in steps for result in step.results(job.name)]
        print(f"{'done before' if job.name in done else 'to do'}: {job.source} -> {', '.join(results)}")
    print(f"{len(jobs) - len(done):,} to do, {len(done):,} done before")


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 4 and 1 <= int(text) <= 512):
        raise argparse.ArgumentTypeError(f'"{text}" is not a number of processes; expected 1 to 512')
    return int(text)
