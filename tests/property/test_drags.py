"""Random drags through the editor's own tool: no joint moves further than the mouse's way accounts for."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from core.constraints import lock_residuals
from core.kernels import load_all
from core.posing.pacing import Pace
from tests.support.drags import Bench, Drive, random_drag

SOLVERS = ("damped_least_squares", "ccd")
QUICK, FULL = 20, 1000
MOST_FLAGGED = 0.01
"""Share of events that may break the rule where the tool says what hinders the part."""
UNSEEN = 1e-5
"""Residual of locks under which nobody sees that they are off while a drag goes on, [m] and [rad]."""

every_solver = pytest.mark.parametrize("solver", SOLVERS)


@pytest.fixture(autouse=True)
def _application(qapp: QApplication) -> Iterator[None]:
    load_all()
    yield


def check(folder: Path, seeds: range, solver: str) -> list[Drive]:
    """Return the drags, each of whose events keeps the rule or says why not, with all locks held."""
    benches: dict[tuple[str, str], Bench] = {}
    drives, flagged, number = [], 0, 0
    for seed in seeds:
        drive = random_drag(folder, seed, solver, benches)
        bench = benches[drive.figure, solver]
        locks = [strip.lock for strip in bench.document.locks.strips]
        left = lock_residuals(bench.skeleton, drive.events[-1].q, locks).residuals.max(initial=0.0)
        assert left < UNSEEN or not drive.started_held, f"{drive.figure}, {drive.part}, seed {seed}: {left}"
        for k, event in enumerate(drive.events):
            number += 1
            where = f"{drive.figure}, {drive.part}, {drive.mode}, {drive.locks}, seed {seed}, event {k}"
            assert not event.breaks or event.flag, f"{where}: {event.rate:.1f} degrees a centimetre"
            flagged += event.breaks
            assert np.isfinite(event.q).all()
        drives.append(drive)
    assert flagged <= MOST_FLAGGED * number
    return drives


@pytest.mark.verify
@every_solver
@pytest.mark.sampled(1)
def test_no_joint_leaps_while_a_part_is_dragged(skeletons_folder: Path, solver: str) -> None:
    drives = check(skeletons_folder, range(QUICK), solver)
    assert {drive.figure for drive in drives} == {"human", "woman", "stickman", "horse"}
    assert any(drive.locks != "none" for drive in drives) and any(drive.locks == "none" for drive in drives)
    turned = [math.degrees(event.raw) for drive in drives for event in drive.events]
    assert float(np.median(turned)) > 0.5  # parts do follow


@pytest.mark.verify
@every_solver
def test_no_joint_leaps_in_a_thousand_drags(skeletons_folder: Path, solver: str) -> None:
    check(skeletons_folder, range(FULL), solver)


def test_the_same_drag_has_the_same_bits(skeletons_folder: Path) -> None:
    first, second = (random_drag(skeletons_folder, 5, "ccd", {}, 20) for _ in range(2))
    assert all(np.array_equal(a.q, b.q) for a, b in zip(first.events, second.events, strict=True))


def test_without_its_pace_a_drag_does_leap(skeletons_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Pace, "limited", lambda self, skeleton, before, after, hold, within: after)
    benches: dict[tuple[str, str], Bench] = {}
    drives = [random_drag(skeletons_folder, seed, SOLVERS[0], benches) for seed in (2, 19, 27, 29)]
    assert all(any(event.breaks for event in drive.events) for drive in drives)
