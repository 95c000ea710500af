"""Opening 4,500 frames of BVH here and in Blender, in one run and by turns: a process for each, three imports in it.

``SEQUENCE_EDITOR_BLENDER`` names Blender, or the Python that has its module; else it is that of ``make check-blender``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.formats import save
from core.formats.fbx.through_blender import VARIABLE, find_blender
from tests.benchmarks.bench_formats import recording

ROOT = Path(__file__).resolve().parents[2]
FRAMES, RUNS, TURNS = 4500, 3, 3
OURS = """
import json, sys, time
from core import kernels
from core.formats import load
kernels.load_all()
found = []
for _ in range(int(sys.argv[2])):
    start, worked = time.perf_counter(), time.process_time()
    project = load(sys.argv[1], up="auto", positions="auto")
    found.append([time.process_time() - worked, time.perf_counter() - start])
print("\\n" + json.dumps({"runs": found, "frames": len(project.sequences[0].keys), "version": ""}))
"""


def _blender() -> list[str] | None:
    own = ROOT / ".blender-env" / "bin" / "python"
    if VARIABLE not in os.environ and own.is_file():
        os.environ[VARIABLE] = str(own)
    return find_blender()


def _timed(words: list[str]) -> dict[str, Any]:
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=1200)
    if done.returncode:
        raise RuntimeError((done.stderr.strip().splitlines() or ["it ended without a word"])[-1])
    return dict(json.loads(next(line for line in done.stdout.splitlines() if line.startswith('{"runs"'))))


def run(report: Callable[..., None]) -> None:
    """Report times and their ratio."""
    blender = _blender()
    if blender is None:
        report("ours to Blender's import", float("nan"), "x", f"no Blender: make check-blender, or {VARIABLE}")
        return
    apart = [] if len(blender) == 1 else ["--"]
    script = str(ROOT / "tests" / "blender" / "time_import.py")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "recording.bvh"
        save(recording(FRAMES), path)
        ours, theirs, version = [], [], ""
        for _ in range(TURNS):
            found = _timed([sys.executable, "-c", OURS, str(path), str(RUNS)])
            assert found["frames"] == FRAMES, found
            ours += found["runs"]
            found = _timed([*blender, script, *apart, str(path), str(RUNS)])
            assert found["frames"] == FRAMES, found
            theirs, version = theirs + found["runs"], found["version"]
        size = path.stat().st_size
    for k, kind in enumerate(("processor time", "time")):
        own, other = min(each[k] for each in ours), min(each[k] for each in theirs)
        report(f"import of {FRAMES} frames, {kind}", own, "s", f"file {size / 1e6:.1f} MB, least of {len(ours)}")
        report(f"Blender's, {kind}", other, "s", f"bpy {version}")
        report(f"ratio, {kind}", own / other, "x", "goal at most 1.5")
