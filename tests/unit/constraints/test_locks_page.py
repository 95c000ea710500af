"""The examples of docs/locks.md run and print what they promise."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[3] / "docs/locks.md"


def test_examples_run(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    assert len(blocks) >= 2
    exec(compile("\n".join(blocks), str(PAGE), "exec"), {})
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == ["True True", "True True", "True"] and len(lines) > 5


def test_every_kind_is_in_the_table() -> None:
    from core.constraints import KINDS

    text = PAGE.read_text(encoding="utf-8")
    for kind in KINDS:
        assert f"| `{kind.name}` |" in text
