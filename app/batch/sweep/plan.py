"""Which scene a sweep simulates, and over which values: from a TOML file, or from words of the command line."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from app.batch.job import file_digest
from app.batch.steps import Simulate, StepError
from app.batch.sweep.parameters import MOST_VALUES, PARAMETERS, Parameter, parameter_of
from app.batch.toml_table import Table, between, lines_of, number_of, read_toml
from app.words.counts import count
from core import __version__
from core.errors import FormatError, Problem

MOST_RUNS = 1_000_000


@dataclass(frozen=True)
class Sweep:
    """A sweep.

    Attributes:
        scene: The file that is simulated.
        step: How, with all that does not vary.
        vary: For each parameter that varies its values.
    """

    scene: Path
    step: Simulate
    vary: tuple[tuple[str, tuple[float, ...]], ...] = ()

    @property
    def runs(self) -> list[Run]:
        """All runs: every combination of values with every seed, the last parameter changing first, then the seed."""
        names = [name for name, _ in self.vary]
        digest = file_digest(self.scene)
        return [
            Run(self.scene, digest, replace(self.step, seeds=(), **_named(names, values)), seed)
            for values in itertools.product(*(values for _, values in self.vary))
            for seed in self.step.seeds or (None,)
        ]

    @property
    def count(self) -> int:
        """How many runs there are."""
        return math.prod(len(values) for _, values in self.vary) * max(len(self.step.seeds), 1)

    def checked(self) -> Sweep:
        """Return the sweep.

        Raises:
            StepError: If it has too many runs, or varies what nothing of it has.
        """
        if self.count > MOST_RUNS:
            raise StepError(f"that would be {self.count:,} runs; expected at most {MOST_RUNS:,}")
        if self.step.preset is None and any(name == "strength" for name, _ in self.vary):
            raise StepError('strength is that of a preset; expected a preset too, such as preset = "stumble"')
        return self


@dataclass(frozen=True)
class Run:
    """One run of a sweep.

    Attributes:
        scene: The file.
        digest: SHA-256 of it as the sweep began.
        step: How it is simulated.
        seed: With which seed; None for the scene's own.
        version: Of the program that planned it.
    """

    scene: Path
    digest: str
    step: Simulate
    seed: int | None
    version: str = __version__


def read_sweep(path: Path) -> Sweep:
    """Return the sweep that a TOML file describes.

    Raises:
        FormatError: If it cannot be read, or does not make sense; lists every problem.
        StepError: If it is too large.
    """
    values, lines = read_toml(path)
    problems: list[Problem] = []
    folder = path.absolute().parent
    _, keys = lines_of(lines, "", 1)[0]
    top = Table(values, "", path.name, folder, keys, 0, problems)
    scene = top.file("scene")
    if "scene" not in values:
        top.problem("scene", 'is missing; expected a file such as "ragdoll.seq"')
    own = top.get("vary")
    vary: list[tuple[str, tuple[float, ...]]] = []
    if own is not None and not isinstance(own, dict):
        top.problem("vary", "expected a table [vary], with lines such as friction = [0.2, 0.5, 1.0]")
    elif own is not None:
        line, inside = lines_of(lines, "vary", 1)[0]
        table = Table(own, "vary", path.name, folder, inside, line, problems)
        for name in own:
            found = _values(table, name)
            if found:
                vary.append((name, found))
    step = Simulate.read(top)
    top.finish()
    if problems or scene is None:
        raise FormatError(sorted(problems, key=lambda problem: problem.line))
    return Sweep(scene, step, tuple(vary)).checked()


def _named(names: Sequence[str], values: Sequence[float]) -> dict[str, Any]:
    """Return values by the names of their parameters."""
    return dict(zip(names, values, strict=True))


def _values(table: Table, name: str) -> tuple[float, ...]:
    """Return the values of a parameter, a list or ``{ from = 0.2, to = 1.0, count = 5 }``; () if they are wrong."""
    parameter = parameter_of(name)
    value = table.get(name)
    if parameter is None:
        table.problem(name, f"cannot be varied; expected {', '.join(each.name for each in PARAMETERS)}")
        return ()
    valid = between(parameter.least, parameter.most, parameter.unit)
    if isinstance(value, dict) and set(value) == {"from", "to", "count"}:
        ends, count = (number_of(value["from"]), number_of(value["to"])), value["count"]
        if None not in ends and type(count) is int and 2 <= count <= MOST_VALUES:
            value = np.linspace(*ends, count).tolist()  # type: ignore[arg-type]
    found = [number_of(each) for each in value] if isinstance(value, list) else []
    good = [each for each in found if each is not None and parameter.least <= each <= parameter.most]
    if not found or len(good) < len(found) or len(found) > MOST_VALUES or len(set(good)) < len(good):
        table.problem(
            name,
            f"expected values such as [0.2, 0.5], each once, and each {valid}, "
            "or { from = 0.2, to = 1.0, count = 5 }",
        )
        return ()
    return tuple(good)


def values_of(parameter: Parameter, text: str) -> tuple[float, ...]:
    """Return values from a word of the command line: ``0.2,0.5,1`` or ``0.2:1:5``, from, to and how many.

    Raises:
        StepError: If it cannot be read, or a value does not fit the parameter.
    """
    parts = text.split(":")
    try:
        if len(parts) == 3 and 2 <= int(parts[2]) <= MOST_VALUES:
            found = np.linspace(float(parts[0]), float(parts[1]), int(parts[2])).tolist()
        else:
            found = [float(each) for each in text.split(",")]
    except ValueError:
        found = []
    valid = between(parameter.least, parameter.most, parameter.unit)
    if (
        not found
        or len(set(found)) < len(found)
        or not all(parameter.least <= each <= parameter.most for each in found)
    ):
        raise StepError(
            f'"{text}" are not values of {parameter.name}; expected a list such as 0.2,0.5,1, or from:to:how many, '
            f"such as 0.2:1:5, each value once, and each {valid}"
        )
    return tuple(found)


def described(sweep: Sweep) -> str:
    """Return what is varied, in a line: ``5 values of friction × 20 seeds``."""
    parts = [f"{count(len(values), 'value')} of {name}" for name, values in sweep.vary]
    seeds = sweep.step.seeds
    return " × ".join([*parts, count(len(seeds), "seed") if seeds else "the scene's own seed"])
