"""The examples of docs/dynamics.md run and print what they promise; its tables have everything there is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from core.dynamics import FORMULATIONS
from core.dynamics.constraints import CONSTRAINTS
from core.dynamics.contact.methods import CONTACT_METHODS
from core.dynamics.forces import FORCES
from core.dynamics.integrators import INTEGRATORS
from core.joints import JOINT_TYPES, forget_joint_type

PAGE = Path(__file__).parents[3] / "docs/dynamics.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_examples_run_and_print_what_stands_beside_them(capsys: pytest.CaptureFixture[str]) -> None:
    code = "\n".join(re.findall(r"```python\n(.*?)```", TEXT, re.S))
    promised = [line.split("#")[-1].strip() for line in code.splitlines() if line.startswith("print(")]
    names: dict[str, Any] = {}
    exec(compile(code, str(PAGE), "exec"), names)
    forget_joint_type(names["Wheel"])
    assert capsys.readouterr().out.splitlines() == promised and len(promised) == 8


def test_everything_is_reported() -> None:
    names = [kind.__name__ for kind in (*JOINT_TYPES, *FORCES, *CONSTRAINTS)]
    for name in [*names, *FORMULATIONS, *(kind.name for kind in (*INTEGRATORS, *CONTACT_METHODS))]:
        assert f"`{name}`" in TEXT, name
