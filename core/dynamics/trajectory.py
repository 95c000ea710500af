"""What a simulation returns."""

from __future__ import annotations

from dataclasses import dataclass

from core.arrays import Array


@dataclass(frozen=True, eq=False)
class Trajectory:
    """A motion in rows at equal times; the first row is the start at t = 0.

    Attributes:
        times: Shape (m,) [s].
        x: Coordinates in the charts of the scene's model, shape (m, nq).
        v: Rates in the same charts, shape (m, nv).
        energy: Kinetic and potential energy, shape (m, 2) [J]; the potential one holds gravity's and that of all
            forces that store some.
        momentum: ``[L; P]``, angular momentum about the world's origin and linear momentum, shape (m, 6); about the
            centre of mass ``c`` it is ``L - c x P``.
    """

    times: Array
    x: Array
    v: Array
    energy: Array
    momentum: Array

    def __repr__(self) -> str:
        rows, coordinates = self.x.shape
        named = "times, x, v, energy, momentum"
        return f"Trajectory({rows} rows from 0 to {self.times[-1]:g} s, {coordinates} coordinates: {named})"
