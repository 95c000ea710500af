"""The runs of a sweep, on workers, and the table that comes of them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import Any

from app.batch.environment import check_version, one_at_a_time, prepare
from app.batch.job import file_digest
from app.batch.sweep.measures import MEASURES
from app.batch.sweep.plan import Run, Sweep
from app.batch.workers import Workers
from core.errors import CoreError
from core.formats import load

Row = dict[str, Any]


def run_one(run: Run) -> Row:
    """Simulate one run; return its ``seed`` and its measures, or an ``error`` and no measures."""
    with one_at_a_time:
        try:
            check_version(run.version)
            prepare()
            if file_digest(run.scene) != run.digest:
                return {"error": f"{run.scene.name} has changed since the sweep began"}
            preview, _ = run.step.simulated(load(run.scene), run.scene.stem, run.seed)
            measured = {measure.name: measure.of(preview.samples) for measure in MEASURES}
            return {"seed": preview.settings.seed, **measured, "error": None}
        except (CoreError, OSError, MemoryError) as error:
            return {"error": str(error).partition("\n")[0]}
        except Exception as error:  # a fault of the program costs this run alone
            return {"error": f"{type(error).__name__}: {error}".partition("\n")[0]}


def run_sweep(
    sweep: Sweep, workers: Workers, told: Callable[[int, int], None] = lambda number, count: None
) -> tuple[list[Row], bool]:
    """Do all runs of a sweep.

    Args:
        sweep: The sweep.
        workers: What does them.
        told: Called with how many runs are done and how many there are.

    Returns:
        A row for each run that was done, in order: its values, its ``seed``, its measures, and ``error``; and whether
        Ctrl-C stopped it before the end. A run that failed with the seed of the scene has none.
    """
    runs = sweep.runs
    found: dict[int, Row] = {}
    stopped = False
    try:
        with closing(workers.run(run_one, runs)) as outcomes:
            for outcome in outcomes:
                found[outcome.number] = outcome.value or {"error": outcome.lost}
                told(len(found), len(runs))
    except KeyboardInterrupt:
        stopped = True
    names = [name for name, _ in sweep.vary]
    empty = {measure.name: None for measure in MEASURES}
    rows = [
        {name: getattr(runs[k].step, name) for name in names} | {"seed": runs[k].seed} | empty | found[k]
        for k in sorted(found)
    ]
    return rows, stopped
