"""The process ends with its exit code and all that it printed, also while a thread is in the middle of something."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import threading, time
from app.process.leaving import leave

class Late:
    def __del__(self):
        print("taken apart")

late = Late()
if {busy}:
    threading.Thread(target=time.sleep, args=(60.0,), daemon=True).start()
print("printed", end="")
leave(3)
"""


@pytest.mark.parametrize("busy", [False, True])
def test_a_thread_at_work_is_not_waited_for_and_meets_nothing_taken_apart(busy: bool) -> None:
    program = PROGRAM.format(busy=busy)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=30)
    assert done.returncode == 3 and not done.stderr
    assert done.stdout == ("printed" if busy else "printedtaken apart\n")
