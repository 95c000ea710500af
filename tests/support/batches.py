"""Clips, steps and workers for tests of batches."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from app.batch.workers import Outcome
from core.animation import Key
from core.animation import Sequence as Motion
from core.formats import Project, save
from core.skeleton import Joint, Skeleton
from tests.support.figures import hinge


class Here:
    """Workers that are this process: one piece of work after the other."""

    def __init__(self) -> None:
        self.given: list[Any] = []

    def run(self, work: Callable[[Any], Any], items: Sequence[Any]) -> Generator[Outcome, None, None]:
        for number, item in enumerate(items):
            self.given.append(item)
            yield Outcome(number, work(item))


def write_clip(path: Path, phase: float = 0.0, frames: int = 24) -> Path:
    """Write an arm of two parts that swings, as the format of the path; another phase gives another motion."""
    arm = Skeleton("arm", [
        Joint("root", -1, dofs=(hinge("z"), hinge("y"), hinge("x"))),
        Joint("forearm", 0, offset=(0.0, 0.9, 0.0), dofs=(hinge("z"), hinge("y"), hinge("x"))),
        Joint("hand", 1, offset=(0.0, 0.8, 0.0), dofs=(hinge("z"), hinge("y"), hinge("x"))),
    ])  # fmt: skip
    rows = 0.4 * np.sin(0.3 * np.arange(frames)[:, None] + 0.5 * np.arange(arm.nq) + phase)
    path.parent.mkdir(parents=True, exist_ok=True)
    save(Project([arm], [Motion(arm, 30, path.stem, keys=[Key(k, q) for k, q in enumerate(rows)])]), path)
    return path


def write_steps(path: Path, *tables: str) -> Path:
    """Write a file of steps: the lines of each ``[[step]]`` table."""
    path.write_text("\n".join(f"[[step]]\n{table}\n" for table in tables), encoding="utf-8")
    return path


# -- work for processes of their own: functions that these can import --------------------------------------------------


def doubled(number: int) -> int:
    """Return twice a number."""
    return 2 * number


def broken(number: int) -> int:
    """Raise an error."""
    raise ValueError(number)


def killed_once(item: tuple[int, str]) -> int:
    """Return twice a number; a number that is negative kills its process, unless the file is there already."""
    number, mark = item
    if number < 0 and not Path(mark).exists():
        Path(mark).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return 2 * number


def killed_always(number: int) -> int:
    """Return twice a number; one that is negative kills its process."""
    if number < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return 2 * number


def slow(folder: str) -> int:
    """Note this process in a folder, and take a minute."""
    (Path(folder) / str(os.getpid())).touch()
    time.sleep(60.0)
    return 0


def threads(_: int) -> tuple[int, str]:
    """Return how many processors this process uses, and how many threads its linear algebra may have."""
    from core.system_calls import processors

    return processors(), os.environ.get("OPENBLAS_NUM_THREADS", "")
