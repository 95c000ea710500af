"""How inverse kinematics is to be solved, where several calls of ``core.ik.solve`` share it."""

from __future__ import annotations

from typing import Any, TypedDict

from numpy.typing import ArrayLike

from core.ik.criteria import Criterion

Secondary = str | tuple[str, Any] | Criterion
"""What the freedom that goals leave is used for: a name, a name with its data, a criterion; see ``core.ik.solve``."""


class StepOptions(TypedDict, total=False):
    """Keywords of ``core.ik.solve`` about the steps that are taken, which says what each means."""

    max_iterations: int | None
    weights: ArrayLike | None
    secondary: Secondary | None
    nudge: bool


class SolveOptions(StepOptions, total=False):
    """The same with the solver that takes them, and what counts as met."""

    solver: str
    tolerance: float
