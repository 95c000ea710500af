"""Steps that are taken part by part, because something is evaluated in Python before each part."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from core.dynamics.engine import general_joints
from core.dynamics.engine.settings import StepReport

if TYPE_CHECKING:
    from core.dynamics.engine.applied import Applied
    from core.dynamics.engine.assembly import Assembly
    from core.dynamics.engine.readings import Readings


def advance(built: Assembly, readings: Readings, applied: Applied, count: int) -> StepReport:
    """Take steps one by one, each in parts of its own; forces and constraints are evaluated before each.

    Joints may change their chart after each.

    Args:
        built: What the stepper works with.
        readings: Of its state.
        applied: Forces and constraints.
        count: How many steps.
    """
    state = built.memory.state
    step, most = float(state.step), float(state.most_substeps)
    total: StepReport | None = None
    try:
        state.most_substeps = 1.0
        for left in range(count, 0, -1):
            fastest = float(np.abs(built.memory.u).max(initial=0.0))
            parts = min(max(1, math.ceil(fastest * step / built.memory.state.largest_turn)), int(most))
            for part in range(parts, 0, -1):
                if applied.evaluated:
                    applied.evaluate(built, readings, step / parts)
                built.memory.state.step = step / parts
                built.advance(1, (left - 1) * parts + part)
                report = built.report()
                total = report if total is None else _sum(total, report)
                general_joints.rechart(built)
    finally:
        built.memory.state.step, built.memory.state.most_substeps = step, most
    return total if total is not None else built.report()


def _sum(a: StepReport, b: StepReport) -> StepReport:
    return replace(
        b, kkt=max(a.kkt, b.kkt), fallbacks=a.fallbacks + b.fallbacks, substeps=a.substeps + b.substeps,
        iterations=a.iterations + b.iterations, flights=a.flights + b.flights, left_out=a.left_out + b.left_out,
    )  # fmt: skip
