"""Throughput of a batch: 200 clips on one process and on two, whether memory stays flat, and what each step costs.

The clips are two recordings of the reference data with a hundred seeds each: 61 frames of each are read, simulated for
a second and written. On a machine that others use, times say little; processor time says what an idle one would take at
least. How much a second processor is worth here is measured beside it: plain arithmetic, which shares nothing, on one
process and on two.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from app.batch.environment import ONE_THREAD
from tests.conftest import DATA

ROOT = Path(__file__).resolve().parents[2]
CLIPS = ("walk01", "pybvh_mixed_orders")
SEEDS = 100
EDGE = 10  # clips of a process that are early or late
STEPS = """
[[step]]
do = "import"
on_floor = "lowest"
last = 60
[[step]]
do = "simulate"
seeds = {seeds}
duration = 1.0
[[step]]
do = "export"
format = "seq"
"""

PLAIN = """
import sys
import numpy as np
a = np.random.default_rng(0).normal(size=(24, 24)) / 5.0
for _ in range(int(sys.argv[1])):
    b = a
    for _ in range(40):
        b = np.tanh(a @ b)
"""
TURNS = 60_000
"""Of plain arithmetic: some ten seconds of a processor."""


def _plain(processes: int) -> float:
    """Return how long plain arithmetic takes when processes share it evenly, [s]."""
    words = [sys.executable, "-c", PLAIN, str(TURNS // processes)]
    begun = time.perf_counter()
    started = [subprocess.Popen(words, env=os.environ | ONE_THREAD) for _ in range(processes)]
    assert not any(each.wait() for each in started)
    return time.perf_counter() - begun


def _run(folder: Path, processes: int, count: int) -> tuple[float, float, list[dict[str, Any]]]:
    """Run the batch; return its time, all processor time of it, and the entries in the order in which they came."""
    out = folder / str(processes)
    files = [str(DATA / "bvh" / f"{name}.bvh") for name in CLIPS]
    words = [sys.executable, "-m", "app", "batch", str(folder / "steps.toml"), *files, "-o", str(out)]
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([*words, "--processes", str(processes)], cwd=ROOT, check=True, capture_output=True)
    taken, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    entries = [json.loads(line) for line in (out / ".batch" / "manifest.jsonl").read_text().splitlines()]
    assert len(entries) == count and all(entry["state"] == "done" for entry in entries)
    return taken, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, entries


def _by_worker(entries: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Return the entries of each worker, in the order in which they came."""
    own: dict[str, list[dict[str, Any]]] = {}
    for entry in entries:
        own.setdefault(entry["worker"], []).append(entry)
    return list(own.values())


def run(report: Callable[..., None], seeds: int = SEEDS) -> None:
    """Report times, their ratio, memory, and costs."""
    count = seeds * len(CLIPS)
    if not DATA.is_dir():
        report(f"{count} clips", float("nan"), "s", "no reference data; set SEQUENCE_EDITOR_DATA to its folder")
        return
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "steps.toml").write_text(STEPS.format(seeds=seeds))
        found, plain = {}, {1: 0.0, 2: 0.0}
        for processes in (1, 2):
            for each in plain:  # by turns with what it is held against
                plain[each] += _plain(each)
            found[processes] = _run(folder, processes, count)
        digests = {json.loads((folder / str(k) / "batch-report.json").read_text())["results"] for k in found}
    assert len(digests) == 1, "other results with another number of processes"
    longest = {}
    for processes, (taken, whole, entries) in found.items():
        work = [sum(entry["processor_seconds"] for entry in own) for own in _by_worker(entries)]
        other = whole - sum(work)
        # On an idle machine workers begin at the same time, and the one with most to do ends last.
        longest[processes] = max(work) + other / (processes + 1)
        note = f"processor time: {sum(work):.1f} s in clips, {other:.1f} s for starting"
        report(f"{count} clips, {processes} process{'es' * (processes > 1)}", taken, "s", note)
    report("times as fast on 2 processes", found[1][0] / found[2][0], "x", "goal at least 1.8")
    report("times as fast: plain arithmetic", plain[1] / plain[2], "x", "which shares nothing: what this machine gives")
    report("times as fast by processor time", longest[1] / longest[2], "x", "as on an idle machine")
    entries = found[1][2]
    costs = np.array([entry["step_seconds"] for entry in entries[EDGE // 2 :]])
    for name, each in zip(("read", "simulate", "write"), costs.mean(axis=0), strict=True):
        report(f"a clip, processor time: {name}", float(each), "s")
    rest = np.mean([entry["processor_seconds"] - sum(entry["step_seconds"]) for entry in entries[EDGE // 2 :]])
    report("a clip, processor time: hashes and moving", float(rest), "s")
    for processes, (_, _, entries) in found.items():
        rows = [[entry["memory"] for entry in own] for own in _by_worker(entries)]
        early = float(np.mean([np.mean(row[EDGE : 2 * EDGE]) for row in rows]))
        late = float(np.mean([np.mean(row[-EDGE:]) for row in rows]))
        note = f"clips {EDGE + 1} to {2 * EDGE}: {early / 2**20:.0f} MB, so {100.0 * (late / early - 1.0):+.1f} %"
        report(f"memory of each of {processes}, last {EDGE} clips", late / 2**20, "MB", note)
