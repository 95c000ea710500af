"""What the editor holds in memory: at rest with a sample open, without and with compiled kernels, and at its worst.

Resident memory of a process of its own. The worst is measured where it was worst: a motion-capture figure of 163 joints
that is opened for the first time, so that nothing of it is kept on the disk.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from core import kernels
from core.kernels.warm_up import warm
from tests.benchmarks.bench_start import ROOT, environment
from tests.conftest import DATA

REST, PEAK = 420.0, 700.0
FIGURES = ("mh_fight01_1frame.bvh", "mh_standing06.bvh")
CHILD = """
import resource, sys, time
from pathlib import Path
from core.array_cache import ArrayCache
from app.window.editor import open_editor, sample_path, settle
def report(word):
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(word, pages * resource.getpagesize() / 2**20, peak, flush=True)
if sys.argv[1:]:
    ArrayCache.load = lambda *_: None
    ArrayCache.save = lambda *_: None
application, window = open_editor([Path(name) for name in sys.argv[1:]] or [sample_path()])
settle(application, 0.3)
report("drawn")
loaded = []
window.warm_up.finished.connect(loaded.append)
end = time.monotonic() + 120
while not loaded and time.monotonic() < end:
    settle(application, 0.05)
while window.background.busy or window.thumbnails.busy:
    settle(application, 0.05)
settle(application, 3.0)
report("rest")
window.stop()
"""


def child(settings: Path, *words: str) -> dict[str, tuple[float, float]]:
    """Open the editor in a process of its own; return what it reported: resident memory and its peak so far, [MB]."""
    ended = subprocess.run(
        [sys.executable, "-c", CHILD, *words], cwd=ROOT, env=environment(settings), capture_output=True, text=True,
        timeout=300,
    )  # fmt: skip
    if ended.returncode:
        raise RuntimeError((ended.stderr.strip().splitlines() or [f"exit code {ended.returncode}"])[-1])
    reported = (line.split() for line in ended.stdout.splitlines())
    return {word: (float(now), float(peak)) for word, now, peak in reported}


def run(report: Callable[..., None]) -> None:
    """Report resident memory."""
    from app.process import virtual_display

    if not sys.platform.startswith("linux"):
        raise RuntimeError("resident memory is read from /proc, which Linux has")
    if not kernels.is_warm():
        warm()
    virtual_display.ensure(1600, 1000)
    with tempfile.TemporaryDirectory() as settings:
        child(Path(settings))  # fills the caches
        reported = child(Path(settings))
        report("sample open and drawn, kernels not yet there", reported["drawn"][0], "MB")
        report("at rest, compiled kernels in use", reported["rest"][0], "MB", f"goal {REST:g} MB")
        for name in FIGURES:
            path = DATA / "bvh" / name
            if not path.is_file():
                report(f"{name}: not there", 0.0, "MB", "set SEQUENCE_EDITOR_DATA to the folder of reference data")
                continue
            reported = child(Path(settings), str(path))
            note = f"goal {PEAK:g} MB; {reported['rest'][0]:.0f} MB afterwards"
            report(f"peak, opening {name}, 163 joints, first time", reported["rest"][1], "MB", note)
