"""A file of steps: ``[[step]]`` tables, each with what it is to ``do``, in the order in which they are done."""

from __future__ import annotations

import difflib
from pathlib import Path

from app.batch.steps import STEPS, Import, Simulate, Step
from app.batch.toml_table import Table, lines_of, read_toml
from core.errors import FormatError, Problem

MOST_STEPS = 50


def read_steps(path: Path) -> tuple[Step, ...]:
    """Return the steps that a file describes, reading first.

    Raises:
        FormatError: If it cannot be read, or does not make sense; lists every problem.
    """
    values, lines = read_toml(path)
    problems: list[Problem] = []
    tables = values.get("step")
    for key in values:
        if key != "step":
            line = lines_of(lines, "", 1)[0][1].get(key, 0)
            problems.append(Problem(path.name, line, 0, f'"{key}" is not known here; expected [[step]] tables'))
    if not (isinstance(tables, list) and tables and all(isinstance(each, dict) for each in tables)):
        problems.append(
            Problem(path.name, 0, 0, 'there are no steps; expected tables such as [[step]] with do = "import"')
        )
        raise FormatError(problems)
    if len(tables) > MOST_STEPS:
        raise FormatError(Problem(path.name, 0, 0, f"there are {len(tables)} steps; expected at most {MOST_STEPS}"))
    steps: list[Step] = []
    places = lines_of(lines, "step", len(tables))
    kinds = {kind.do: kind for kind in STEPS}
    for number, (table, (line, keys)) in enumerate(zip(tables, places, strict=True), 1):
        do = table.get("do")
        name = f" ({do})" if isinstance(do, str) and do in kinds else ""
        read = Table(table, f"step {number}{name}", path.name, path.absolute().parent, keys, line, problems)
        read.get("do")
        if not name:
            read.problem("do" if "do" in table else "", _unknown(do, list(kinds)))
            continue
        steps.append(kinds[do].read(read))
        read.finish()
        if do == Import.do and number > 1:
            read.problem("do", "import must come first; move this step to the beginning")
    _check_whole(steps, path, problems)
    if problems:
        raise FormatError(sorted(problems, key=lambda problem: problem.line))
    return tuple(steps) if isinstance(steps[0], Import) else (Import(), *steps)


def _unknown(do: object, known: list[str]) -> str:
    valid = ", ".join(f'"{each}"' for each in known)
    if do is None:
        return f"do is missing; expected one of {valid}"
    near = difflib.get_close_matches(do, known, 1) if isinstance(do, str) else []
    shown = f'"{do}"' if isinstance(do, str) else str(do)
    return f"{shown} is not a step; expected one of {valid}" + (f'; did you mean "{near[0]}"?' if near else "")


def _check_whole(steps: list[Step], path: Path, problems: list[Problem]) -> None:
    """Note what is wrong with the steps together."""
    if steps and not problems and not any(step.results("clip") for step in steps):
        problems.append(
            Problem(path.name, 0, 0, 'no step writes anything; expected one with do = "export" or "render"')
        )
    if sum(isinstance(step, Simulate) and len(step.seeds) > 1 for step in steps) > 1:
        message = "two steps have seeds; expected them in one step, and the others take the same"
        problems.append(Problem(path.name, 0, 0, message))
    written: dict[Path, int] = {}
    for number, step in enumerate(steps, 1):
        for result in step.results("clip"):
            if result in written:
                message = (
                    f'step {number} writes the same file as step {written[result]}; give one of them folder = "..."'
                )
                problems.append(Problem(path.name, 0, 0, message))
            written.setdefault(result, number)
