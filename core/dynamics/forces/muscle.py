"""A muscle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from core.arrays import Array
from core.checked_arrays import shown
from core.dynamics.forces.base import coefficient
from core.dynamics.forces.path_force import PathForce
from core.dynamics.forces.path_kernel import MUSCLE
from core.errors import DynamicsError
from core.keyed_curves import curve_rows


@dataclass(frozen=True, eq=False)
class Muscle(PathForce):
    """Pulls by its length, its speed and how active it is: ``F (a f_L f_V + f_P)``, through two points or more.

    Length and speed are those of the fibres: what is left of the whole path without the tendon. ``energy`` is what its
    passive part has stored.

    Attributes:
        bodies, points: As ``PathForce`` has them: origin, points on the way, insertion.
        optimal_force: ``F`` at the optimal length, [N].
        optimal_length: Of the fibres, more than 0, [m].
        activation: ``a``, 0 to 1; or keys of it over time, pairs of time [s] and value, times ascending, between which
            it goes smoothly and no farther than they do.
        tendon_length: 0 or more, [m].
        fastest: Speed at which it can shorten without a load, more than 0, [optimal lengths a second].

    Source: Sueda 1.9.4, 1.9.5 (1.56 and its like have f_L for the printed f_L').
    """

    label: ClassVar[str] = "Muscle"
    description: ClassVar[str] = "Pulls along points of bodies as a muscle does, as far as it is active."
    law: ClassVar[int] = MUSCLE

    optimal_force: float
    optimal_length: float
    activation: float | Sequence[tuple[float, float]] = 0.0
    tendon_length: float = 0.0
    fastest: float = 10.0

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("optimal_force", "optimal_length", "tendon_length", "fastest"):
            what = f"the {name.replace('_', ' ')} of {self._place}"
            value = coefficient(getattr(self, name), what)
            if name in ("optimal_length", "fastest") and value == 0.0:
                raise DynamicsError(f"{what} is 0; it must be more than 0")
            object.__setattr__(self, name, value)
        object.__setattr__(self, "activation", _activation(self.activation, f"the activation of {self._place}"))

    @property
    def parameters(self) -> tuple[float, ...]:
        return self.optimal_force, self.optimal_length, self.tendon_length, self.fastest

    @cached_property
    def curve(self) -> Array:
        keys = ((0.0, self.activation),) if isinstance(self.activation, float) else self.activation
        return curve_rows(keys)


def _activation(given: float | Sequence[tuple[float, float]], what: str) -> float | tuple[tuple[float, float], ...]:
    """Return an activation as a number, or as keys.

    Raises:
        DynamicsError: If it is neither, or leaves 0 to 1.
    """
    try:
        array = np.array(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        array = np.full(1, np.nan)
    keyed = array.ndim == 2 and array.shape[1] == 2 and len(array) > 0
    values = array[:, 1] if keyed else array
    if not (keyed or array.ndim == 0) or not np.isfinite(array).all():
        raise DynamicsError(f"{what} is {shown(given)}; it must be a number from 0 to 1, or pairs of time and number")
    if values.min() < 0.0 or values.max() > 1.0:
        raise DynamicsError(f"{what} is {shown(given)}; it must lie in 0..1")
    if not keyed:
        return float(array)
    if not (np.diff(array[:, 0]) > 0.0).all():
        raise DynamicsError(f"{what} has keys at {array[:, 0].tolist()}; times must ascend")
    return tuple((t, value) for t, value in array.tolist())
