"""What was freed goes back to the system, also from between blocks that are still in use."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QObject

from app.process import freed_memory
from app.process.freed_memory import FreedMemory

ROOT = Path(__file__).resolve().parents[3]
CODE = """
import os
from pathlib import Path
from app.process.freed_memory import give_back

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6

before = resident()
blocks = [bytearray(60_000) for _ in range(2000)]
full = resident()
kept = blocks[::100]
del blocks
left = resident()
give_back()
print(full - before, left - before, resident() - before)
"""


@pytest.mark.skipif(freed_memory._library() is None, reason="this library of C cannot be asked for what was freed")
def test_gaps_between_blocks_are_given_back() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], cwd=ROOT, env=dict(os.environ), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    full, left, given = map(float, done.stdout.split())
    assert full > 100.0 and left > 50.0 and given < 20.0


def test_it_is_done_now_and_then_as_long_as_things_change(qtbot, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    monkeypatch.setattr(freed_memory, "EVERY", 10)
    monkeypatch.setattr(freed_memory, "_library", lambda: object())
    monkeypatch.setattr(freed_memory, "give_back", lambda: calls.append(1))
    parent = QObject()
    freed = FreedMemory(parent)
    qtbot.wait(60)
    assert not calls
    for count in (1, 2):
        freed.note()
        qtbot.waitUntil(lambda count=count: len(calls) == count)
    qtbot.wait(60)
    assert len(calls) == 2
