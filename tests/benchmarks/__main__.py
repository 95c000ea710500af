"""``python -m tests.benchmarks [NAME...]`` prints all measurements, or those whose module's name holds a word."""

from __future__ import annotations

import importlib
import math
import os
import platform
import sys
import time
from pathlib import Path

from app.process import virtual_display


def report(name: str, value: float, unit: str, note: str = "") -> None:
    """Print one measurement; what could not be measured is no number."""
    if math.isnan(value):
        print(f"  {name:<74} {'-':>12} {'':<8} {note}", flush=True)
        return
    if 0 < abs(value) < 1e-3:
        print(f"  {name:<74} {value:>12.1e} {unit:<8} {note}", flush=True)
        return
    digits = max(0, 3 - len(str(int(abs(value))))) if value else 0
    print(f"  {name:<74} {value:>12,.{digits}f} {unit:<8} {note}", flush=True)


def main(words: list[str]) -> int:
    """Run the benchmark modules one after the other; return how many failed."""
    print(
        f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} processors; "
        "lower is better, ratios hold best"
    )
    failed = 0
    try:
        virtual_display.ensure(1600, 1000)  # one for all parts that open windows, and the programs that they start
    except virtual_display.DisplayError as error:
        print(f"without windows: {error}")
    for path in sorted(Path(__file__).parent.glob("bench_*.py")):
        if words and not any(word in path.stem for word in words):
            continue
        print(f"\n{path.stem.removeprefix('bench_')}", flush=True)
        start = time.perf_counter()
        try:
            importlib.import_module(f"tests.benchmarks.{path.stem}").run(report)
        except Exception as error:  # one that cannot run here must not hide the others
            failed += 1
            print(f"  not measured: {type(error).__name__}: {error}", flush=True)
        print(f"  ({time.perf_counter() - start:.1f} s)", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
