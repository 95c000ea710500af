"""An axis of a part along a direction of the world, or along the line of sight to a point: the angle, as two rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.arrays import Array
from core.constraints.residuals.base import ORIENTATION, OTHER_POINT, POINT, Residual
from core.constraints.residuals.distance import sight_line
from core.spatial import so3
from core.spatial.cross_products import across

_SMALL = 1e-4
_SMALL_THIRD = 3e-2


@dataclass(frozen=True, eq=False)
class AxisResidual(Residual):
    """Angle between an axis of the part and a world direction, two rows, [rad].

    With ``(x, y, z)`` the world direction expressed in the part's frame along two axes at right angles to ``axis`` and
    along ``axis`` itself, the rows are ``f (x, y)``, ``f = t / sin t``, ``t = atan2(|(x, y)|, z)``: their length is the
    angle. At t = pi, where no way back is the shortest, any is taken. A lock that is to align several axes is an
    ``OrientationResidual``: two fix the third.

    Attributes:
        axis: Unit axis in the part's frame, shape (3,).
        direction: Unit direction in the world that it should have, shape (3,).
    """

    axis: Array
    direction: Array

    angular = True

    @property
    def of(self) -> tuple[str, ...]:
        """One orientation."""
        return (ORIENTATION,)

    @property
    def size(self) -> int:
        """Number of rows."""
        return 2

    def value(self, *h: Array) -> Array:
        return _rows(*_components(h[0], self.axis, self.direction)[1])

    def jacobians(self, *h: Array) -> tuple[Array, ...]:
        basis, components = _components(h[0], self.axis, self.direction)
        # Turning the part by w is turning the direction by -w: its rate in the part's frame is d x w.
        return (_slope(*components) @ basis @ so3.hat(self.direction),)

    def drift(self, h: Sequence[Array], u: Sequence[Array]) -> Array:
        return _drift(h[0], self.axis, self.direction, u[0], np.zeros(3))

    def missing(self, *h: Array) -> Array:
        return _turn(h[0], self.axis, self.value(*h))


@dataclass(frozen=True, eq=False)
class AimResidual(Residual):
    """``AxisResidual`` with the direction from ``p_a`` to ``p_b``, two rows, [rad].

    Attributes:
        axis: Unit axis in the part's frame, shape (3,).
    """

    axis: Array

    angular = True

    @property
    def of(self) -> tuple[str, ...]:
        """The point it looks from, the part's orientation, the point it looks at."""
        return POINT, ORIENTATION, OTHER_POINT

    @property
    def size(self) -> int:
        """Number of rows."""
        return 2

    def value(self, *h: Array) -> Array:
        return _rows(*_components(h[1], self.axis, sight_line(h[0], h[2])[0])[1])

    def jacobians(self, *h: Array) -> tuple[Array, ...]:
        sight, length = sight_line(h[0], h[2])
        basis, components = _components(h[1], self.axis, sight)
        by_direction = _slope(*components) @ basis
        by_aim = by_direction @ (np.eye(3) - np.outer(sight, sight)) / (length or 1.0)
        return -by_aim, by_direction @ so3.hat(sight), by_aim

    def drift(self, h: Sequence[Array], u: Sequence[Array]) -> Array:
        sight, length = sight_line(h[0], h[2])
        length = length or 1.0
        speed = u[2] - u[0]
        longer = float(sight @ speed)
        turn = (speed - longer * sight) / length
        turn_drift = -(2.0 * longer * turn + float(turn @ speed) * sight) / length
        basis, components = _components(h[1], self.axis, sight)
        return _drift(h[1], self.axis, sight, u[1], turn) + _slope(*components) @ basis @ turn_drift

    def missing(self, *h: Array) -> Array:
        return _turn(h[1], self.axis, self.value(*h))


@dataclass(frozen=True, eq=False)
class PlaceAimResidual(Residual):
    """``AimResidual`` at a place that stays where it is, two rows, [rad].

    Attributes:
        axis: Unit axis in the part's frame, shape (3,).
        place: What it looks at, world, shape (3,), [m].
    """

    axis: Array
    place: Array

    angular = True

    @property
    def of(self) -> tuple[str, ...]:
        """The point it looks from, the part's orientation."""
        return POINT, ORIENTATION

    @property
    def size(self) -> int:
        """Number of rows."""
        return 2

    @property
    def _aim(self) -> AimResidual:
        return AimResidual(self.axis)

    def value(self, *h: Array) -> Array:
        return self._aim.value(*h, self.place)

    def jacobians(self, *h: Array) -> tuple[Array, ...]:
        return self._aim.jacobians(*h, self.place)[:2]

    def drift(self, h: Sequence[Array], u: Sequence[Array]) -> Array:
        return self._aim.drift([*h, self.place], [*u, np.zeros(3)])

    def missing(self, *h: Array) -> Array:
        return self._aim.missing(*h, self.place)


def _components(R: Array, axis: Array, direction: Array) -> tuple[Array, tuple[float, float, float]]:
    """Return two directions across an axis and itself in the world, as rows, and a world direction along them."""
    basis = np.vstack([across(axis), axis]) @ R.T
    x, y, z = (basis @ direction).tolist()
    return basis, (x, y, z)


def _rows(x: float, y: float, z: float) -> Array:
    """Return ``f (x, y)`` of a unit vector, shape (2,)."""
    sine = math.hypot(x, y)
    if sine < _SMALL and z < 0.0:
        x, y = (x / sine, y / sine) if sine > 0.0 else (1.0, 0.0)
        return math.atan2(sine, z) * np.array([x, y])
    return angle_factors(sine, z)[0] * np.array([x, y])


def _turn(R: Array, axis: Array, C: Array) -> Array:
    """Return the rotation vector that takes the axis to the direction, which the rows have in the part's frame."""
    return np.asarray(R @ np.cross(axis, C @ across(axis)))


def _slope(x: float, y: float, z: float) -> Array:
    """Return the derivative of ``_rows`` by its unit vector, shape (2, 3): ``dt = -dz / sin t``."""
    sine = math.hypot(x, y)
    if sine < _SMALL and z < 0.0:
        # Opposite: all ways back are equally long. The angle still falls as fast as the axis turns.
        return np.array([[-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
    f, g = angle_factors(sine, z)
    return np.array([[f, 0.0, -g * x], [0.0, f, -g * y]])


def _drift(R: Array, axis: Array, direction: Array, w: Array, turn: Array) -> Array:
    """Return the second derivative of the rows while the part turns by ``w`` and the direction moves by ``turn``."""
    basis, (x, y, z) = _components(R, axis, direction)
    seen = turn - np.cross(w, direction)  # the direction's rate as the part sees it, in world axes
    dx, dy, dz = (basis @ seen).tolist()
    onward = basis @ -(np.cross(w, seen) + np.cross(w, turn))
    sine = math.hypot(x, y)
    result = _slope(x, y, z) @ onward
    if sine < _SMALL and z < 0.0:
        return result
    _, g = angle_factors(sine, z)
    h = _third_factor(sine, z)
    # f' = -g z', g' = -h z'
    return result + np.array([-2.0 * g * dz * dx + h * dz * dz * x, -2.0 * g * dz * dy + h * dz * dz * y])


def angle_factors(sine: float, cosine: float) -> tuple[float, float]:
    """Return ``f = t / sin t`` and ``g = (df/dt) / sin t`` of the angle t with that sine, 0 or more, and cosine."""
    if sine < _SMALL:
        s = sine * sine
        return 1.0 + s / 6.0 + 3.0 * s * s / 40.0, 1.0 / 3.0 + 2.0 * s / 15.0
    t = math.atan2(sine, cosine)
    return t / sine, (sine - t * cosine) / sine**3


def _third_factor(sine: float, cosine: float) -> float:
    """Return ``h = (dg/dt) / sin t``, see ``angle_factors``."""
    if sine < _SMALL_THIRD and cosine > 0.0:
        s = sine * sine
        return cosine * (4.0 / 15.0 + s * (32.0 / 105.0 + s * (32.0 / 105.0)))
    t = math.atan2(sine, cosine)
    return (t * sine * sine - 3.0 * cosine * (sine - t * cosine)) / sine**5
