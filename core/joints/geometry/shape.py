"""What curves and surfaces have in common: parameters in a file, coordinates, a place and a frame at each."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.errors import JointError
from core.joints.base import ANGLE
from core.joints.geometry.vectors import Rows, Vector
from core.symbolic import Evaluator, Expression, symbol


class Shape(ABC):
    """A curve or surface in a frame of its own. Immutable; equal parameters make equal shapes.

    Attributes:
        name: What it is called in a skeleton file.
        parameters: The numbers that follow the name there, see ``core.joints.base.JointModel.parameters``.
        coordinate_names: A name for each coordinate.
        units: What each measures, see ``core.joints.base.JointModel.units``.
        turns: Which come back to the same place after a whole turn.
    """

    name: ClassVar[str]
    parameters: ClassVar[tuple[tuple[str, str], ...]] = ()
    coordinate_names: ClassVar[tuple[str, ...]]
    units: ClassVar[tuple[str, ...]]
    turns: ClassVar[tuple[bool, ...]]

    @property
    def rotary(self) -> tuple[bool, ...]:
        """Whether each coordinate is an angle, [rad]."""
        return tuple(unit == ANGLE for unit in self.units)

    @property
    def constants(self) -> tuple[float, ...]:
        """The numbers that its expressions go by."""
        return tuple(float(getattr(self, attribute)) for attribute, what in self.parameters if "letter" not in what)

    @property
    def domain(self) -> tuple[tuple[float, float], ...]:
        """Least and largest value of each coordinate."""
        return ((-math.inf, math.inf),) * len(self.units)

    @property
    def shown(self) -> tuple[tuple[float, float], ...]:
        """From where to where each coordinate goes in a picture."""
        return tuple(
            (low, high) if math.isfinite(high - low) else (-math.pi, math.pi) if angle else (-1.0, 1.0)
            for (low, high), angle in zip(self.domain, self.rotary, strict=True)
        )

    @classmethod
    def template(cls, size: float) -> Shape | None:
        """Return one to begin with, about as large as a size, [m]; None where it takes points that nobody can guess."""
        kinds = [what for _, what in cls.parameters if " after " not in what]
        return cls(*(size / 3.0**k for k in range(len(kinds)))) if set(kinds) <= {"length"} else None

    @abstractmethod
    def place(self, at: Sequence[Expression], constants: Sequence[Expression]) -> Vector:
        """Return the point at some coordinates.

        Args:
            at: The coordinates.
            constants: Symbols that stand for its ``constants``.
        """

    @abstractmethod
    def frame(self, at: Sequence[Expression], constants: Sequence[Expression]) -> Rows:
        """Return the rotation of the frame that goes along with the point; arguments as of ``place``."""

    @cached_property
    def _evaluator(self) -> Evaluator:
        at = [symbol(f"q{k}") for k in range(len(self.units))]
        constants = [symbol(f"c{k}") for k in range(len(self.constants))]
        rows = self.frame(at, constants)
        return Evaluator([*self.place(at, constants), *rows[0], *rows[1], *rows[2]], [*at, *constants])

    def places(self, at: ArrayLike) -> Array:
        """Return the points at many coordinates, shape (..., n), as an array of shape (..., 3), [m]."""
        return self.frames(at)[..., :3, 3]

    def frames(self, at: ArrayLike) -> Array:
        """Return the points and the frames that go along at coordinates, shape (..., n), as poses (..., 4, 4)."""
        at = np.asarray(at, dtype=np.float64)
        values = self._evaluator.arrays([*np.moveaxis(at, -1, 0), *self.constants])
        X = np.zeros((*at.shape[:-1], 4, 4))
        X[..., :3, 3] = np.stack(values[:3], axis=-1)
        X[..., :3, :3] = np.stack(values[3:], axis=-1).reshape(*at.shape[:-1], 3, 3)
        X[..., 3, 3] = 1.0
        return X

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "_evaluator"}


def check_lengths(what: str, **values: float) -> None:
    """Check numbers that must not vanish.

    Raises:
        JointError: If one is not finite or 0; the message names it.
    """
    for name, value in values.items():
        if not math.isfinite(value) or value == 0.0:
            raise JointError(f"{what} has the {name} {value:g}; expected a finite number other than 0")


def check_positive(what: str, **values: float) -> None:
    """Check numbers that have to be above 0.

    Raises:
        JointError: If one is not finite or not above 0; the message names it.
    """
    for name, value in values.items():
        if not 0.0 < value < math.inf:
            raise JointError(f"{what} has the {name} {value:g}; expected a finite number above 0")


def power_coefficients(points: Array) -> Array:
    """Return the coefficients of a Bezier curve by rising powers of its parameter, as many as control points.

    ``b_j = C(n, j) sum_i (-1)^(i + j) C(j, i) p_i`` for degree n.

    Args:
        points: Control values along the first axis.
    """
    degree = len(points) - 1
    T = np.array(
        [
            [math.comb(degree, j) * math.comb(j, i) * (-1.0) ** (i + j) for i in range(degree + 1)]
            for j in range(degree + 1)
        ]
    )
    return np.asarray(np.tensordot(T, points, axes=1))


def polynomial(coefficients: Sequence[Expression], x: Expression) -> Expression:
    """Return a polynomial by its coefficients of rising powers, in Horner's form."""
    value = coefficients[-1]
    for coefficient in coefficients[-2::-1]:
        value = value * x + coefficient
    return value
