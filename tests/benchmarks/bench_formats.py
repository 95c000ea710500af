"""Reading and writing a long recording: 2,752 frames of 38 joints, as large as the longest file of a motion library."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from core.animation import Key, Sequence
from core.animation.key import LINEAR
from core.formats import Project, load, save
from core.skeleton import Joint, Skeleton
from tests.support.figures import hinge
from tests.support.fuzzing import watched

FRAMES, JOINTS = 2752, 38
RUNS = 3


def recording(frames: int = FRAMES) -> Project:
    """A figure of five chains that moves in all joints in every frame."""
    free = (hinge("z"), hinge("y"), hinge("x"))
    joints = [Joint("hips", -1, dofs=free)]
    for i in range(1, JOINTS):
        joints.append(Joint(f"part {i}", 0 if i % 8 == 1 else i - 1, offset=(0.02 * (i % 5), 0.2, 0.01), dofs=free))
    s = Skeleton("recording", joints)
    wave = np.sin(np.linspace(0, 60, frames)[:, None] + np.arange(s.nq)) * np.linspace(0.1, 1.2, s.nq)
    return Project([s], [Sequence(s, 120, "recording", keys=[Key(k, q, LINEAR) for k, q in enumerate(wave)])])


def best(work: Callable[[], object]) -> float:
    """Least processor time of some runs, [s]."""
    times = []
    for _ in range(RUNS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def run(report: Callable[..., None]) -> None:
    """Report times and memory."""
    project = recording()
    with tempfile.TemporaryDirectory() as folder:
        for suffix in (".bvh", ".seq"):
            path = Path(folder) / f"recording{suffix}"
            report(f"write {suffix}", best(lambda path=path: save(project, path)), "s", "goal 2 s")  # type: ignore[misc]
            report(f"read {suffix}", best(lambda path=path: load(path, unit=1.0)), "s", "goal 2 s")  # type: ignore[misc]
            size = path.stat().st_size
            memory = watched(lambda path=path: load(path, unit=1.0), size).memory  # type: ignore[misc]
            report(f"memory to read {suffix}", memory / size, "x file", f"file {size / 1e6:.1f} MB")
