"""Somebody does anything at all in the real window: nothing is raised, nothing stands still, memory stays flat."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from core.kernels import cache

ROOT = Path(__file__).resolve().parents[2]


def let_loose(seed: int, actions: int, minutes: float = 0.0) -> dict[str, Any]:
    """Run it in a process of its own, since it leaves the window as it may; return what it saw."""
    command = [sys.executable, "-m", "tests.support.monkey", "--seed", str(seed), "--actions", str(actions)]
    # This process answers nobody while it waits: were what is on the clipboard its own, whoever pastes would wait, too.
    QApplication.clipboard().clear()
    environment = dict(os.environ, **{cache.CACHE_VARIABLE: str(cache.root())})
    child = subprocess.run(
        [*command, "--minutes", str(minutes)], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert child.returncode == 0, child.stderr[-2000:]
    assert "Traceback" not in child.stderr
    return json.loads(child.stdout.splitlines()[-1])


def test_a_few_things_at_random(qapp: QApplication) -> None:
    seen = let_loose(seed=2, actions=15)
    assert seen["done"] == 15 and not seen["errors"]


@pytest.mark.verify
def test_five_thousand_things_at_random_in_fifteen_minutes(qapp: QApplication) -> None:
    seen = let_loose(seed=1, actions=5000, minutes=15.0)
    print({name: seen[name] for name in ("seconds", "longest", "memory", "settled")})
    assert not seen["errors"]
    assert not seen["stalls"]
    # Single values lie up to 60 MB higher: code that is just being optimized, pictures of the library. A leak climbs.
    second_half = np.array(seen["settled"][len(seen["settled"]) // 2 :])
    rise = np.polyfit(np.linspace(0.0, 1.0, len(second_half)), second_half, 1)[0]
    assert rise <= 0.05 * second_half.mean()
