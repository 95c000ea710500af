"""The example of docs/physics.md runs and prints what it promises; its tables have all settings."""

import re
from dataclasses import fields
from pathlib import Path

from core.animation.hybrid_strips import HYBRID_MEMBERS
from core.preview.settings import PhysicsSettings

TEXT = (Path(__file__).parents[3] / "docs/physics.md").read_text(encoding="utf-8")


def test_the_example_runs_and_prints_what_stands_beside_it(capsys):
    code = "\n".join(re.findall(r"```python\n(.*?)```", TEXT, re.S))
    promised = [line.split("#")[-1].strip() for line in code.splitlines() if line.startswith("print(")]
    exec(compile(code, "docs/physics.md", "exec"), {})
    assert capsys.readouterr().out.splitlines() == promised and len(promised) == 3


def test_everything_is_reported():
    names = [field.name for field in fields(PhysicsSettings) if field.name != "extra"]
    for name in [*names, *(name for name in HYBRID_MEMBERS if name not in ("id", "name"))]:
        assert f"`{name}`" in TEXT, name
