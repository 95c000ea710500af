"""A batch from its jobs to its report: what is done already is left, the rest is given to workers."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from app.batch.job import Job, run_job
from app.batch.manifest import Entry, Manifest, done_before
from app.batch.report import Report
from app.batch.workers import Workers
from core.progress import Progress

Told = Callable[[Entry, int, int], None]


def run_batch(
    jobs: Sequence[Job],
    folder: Path,
    workers: Callable[[Path], Workers],
    *,
    again: bool = False,
    told: Told = lambda entry, number, count: None,
    begins: Callable[[int], object] = lambda count: None,
    checking: Progress | None = None,
) -> Report:
    """Do jobs that are not done yet, and write the report.

    Args:
        jobs: What is to be done, by names that differ.
        folder: Where the results go.
        workers: Returns what does it; takes a file that all of them must see.
        again: Whether what is done is done again.
        told: Called for each job that has come to an end, with its entry, how many have, and how many are to be done.
        begins: Called with how many are to be done, before the first of them.
        checking: Told how much of what is there was looked at, 0 to 1.

    Returns:
        The report, which stands in the folder as well. If it was stopped by Ctrl-C it says so.

    Raises:
        CoreError: If the folder or the workers cannot be used.
    """
    begun = time.perf_counter()
    with Manifest(folder) as manifest:
        folder = manifest.folder
        done = {} if again else done_before(jobs, manifest.entries, folder, checking)
        skipped, stopped = len(done), False
        ahead = [replace(job, run=manifest.run) for job in jobs if job.name not in done]
        if ahead:
            begins(len(ahead))
            try:
                # When the block is left, however that is, workers end.
                with closing(workers(manifest.mark).run(run_job, ahead)) as outcomes:
                    for count, outcome in enumerate(outcomes, 1):
                        job = ahead[outcome.number]
                        entry = outcome.value or _lost(job, outcome.lost)
                        manifest.add(entry)
                        done[job.name] = entry
                        told(entry, count, len(ahead))
            except KeyboardInterrupt:
                stopped = True
        entries = tuple(done[job.name] for job in jobs if job.name in done)
        found = Report(entries, len(jobs), skipped, time.perf_counter() - begun, stopped)
        found.write(folder)
    return found


def _lost(job: Job, why: str) -> Entry:
    return {"name": job.name, "key": job.key, "seed": job.seed, "state": "failed", "error": why}
