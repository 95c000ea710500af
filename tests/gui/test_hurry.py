"""The first seconds: locks hold as well as plain kernels can soon, and properly once the compiled ones are there."""

from __future__ import annotations

import pytest

from app.window.main_window import MainWindow
from core import compiled
from core.animation.locks import patience
from core.animation.locks.strip import LockStrip
from core.constraints import bind, lock_residuals
from core.constraints.lock import Lock
from tests.support.changes import kind_of


def test_poses_are_worked_out_anew_when_the_compiled_kernels_are_there(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = window.document
    sequence = document.sequence
    assert sequence is not None
    lock = bind(Lock("right foot", "pose"), document.skeleton, sequence.interpolated(12 / sequence.fps))
    monkeypatch.setattr(patience, "HURRIED", 1)
    before = compiled.mode()
    try:
        compiled.use(compiled.PLAIN)
        patience.hurry(True)
        assert document.locks.set([LockStrip(lock, 8, 24)])
        document.set_frame(17)
        soon = document.pose.copy()
        compiled.use(compiled.COMPILED)
        reported = []
        document.changed.connect(lambda change: reported.append(kind_of(change)))
        window._warmed(True)
    finally:
        patience.hurry(False)
        compiled.use(before)
    assert {"locks", "pose"} <= set(reported)
    left = [lock_residuals(document.skeleton, q, [lock]).residuals.max() for q in (soon, document.pose)]
    assert left[1] <= 1e-9 < left[0]
