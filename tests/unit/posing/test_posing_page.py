"""The examples of docs/posing.md run and print what they promise."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[3] / "docs/posing.md"


def test_examples_run(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    assert len(blocks) == 4
    exec(compile("\n".join(blocks), str(PAGE), "exec"), {})
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "True True True" and lines[1].startswith("out_of_reach ")
    assert lines[2:] == ["[0.  0.2 0. ]", "[ 0.  -0.2  0. ] True", "True True"]
