"""An editor that is killed while it edits and saves: the file always loads, at most the last command is lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="lives are forked")


def kill(folder: Path, kills: int, actions: int) -> dict[str, int]:
    """Let so many editors live and be killed, and return what was found."""
    command = [sys.executable, "-m", "tests.support.killed_editor", str(folder), "--kills", str(kills)]
    run = subprocess.run(
        [*command, "--actions", str(actions)], cwd=ROOT, capture_output=True, encoding="utf-8", check=False
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout.splitlines()[-1])


@pytest.mark.verify
def test_two_hundred_killed_editors_lose_at_most_the_last_command(tmp_path):
    found = kill(tmp_path, 200, 60)
    print(found)
    assert found["kills"] == 200
    # Blows that meet nothing would show nothing.
    assert found["killed while saving"] >= 20 and found["recovered from a journal"] >= 80
