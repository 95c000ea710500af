"""From the start of the process to a window that shows the sample and takes the mouse, kernels in the cache."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from core import compiled

ROOT = Path(__file__).resolve().parents[2]
RUNS = 5
CHILD = """
import sys, time
from app.editor import make_application, make_window, sample_path, settle
application = make_application("dark")
window = make_window("dark", remember=False)
window.show(); window.start(); window.files.open_path(sample_path())
application.processEvents()
image = window.area.work_view.grab().toImage()
assert not image.isNull()
print("usable", time.time(), flush=True)
ready = []
window.warm_up.finished.connect(ready.append)
end = time.monotonic() + 60
from core import compiled
while compiled.mode() != "compiled" and time.monotonic() < end:
    settle(application, 0.02)
print("compiled", time.time(), flush=True)
window.stop()
"""


def run(report: Callable[..., None]) -> None:
    """Report the median over some starts; the first one, which fills the disk's cache, does not count."""
    from app import virtual_display

    if not compiled.is_warm():
        compiled.warm()
    virtual_display.ensure()
    usable: list[float] = []
    kernels: list[float] = []
    for number in range(RUNS + 1):
        start = time.time()
        child = subprocess.run(
            [sys.executable, "-c", CHILD], cwd=ROOT, env=dict(os.environ), capture_output=True, text=True, timeout=120
        )
        if child.returncode:
            raise RuntimeError(child.stderr.strip().splitlines()[-1])
        told = dict(line.split() for line in child.stdout.splitlines())
        if number:
            usable.append(float(told["usable"]) - start)
            kernels.append(float(told["compiled"]) - start)
    report("start to usable window, warm", statistics.median(usable), "s", f"goal 2 s; least {min(usable):.2f} s")
    report("start to compiled kernels in use, warm", statistics.median(kernels), "s")
