"""The force of a muscle by its length, its speed and how active it is.

Source: Sueda 1.38, 1.47, 1.49 (Millard and others 2013, with a stiff tendon along the fibres).
"""

from __future__ import annotations

from core.dynamics.forces.muscle_curves import ACTIVE, PASSIVE, SPEED
from core.kernels import F1, FOUR, PAIR, kernel


@kernel(internal=True)
def cubic(own: FOUR, x: float) -> PAIR:
    """Return value and slope of a cubic."""
    a, b, c, d = own
    return d + x * (c + x * (b + x * a)), c + x * (2.0 * b + 3.0 * x * a)


@kernel(internal=True)
def area(own: FOUR, x: float) -> float:
    """Return the integral of a cubic from 0."""
    a, b, c, d = own
    return x * (d + x * (c / 2.0 + x * (b / 3.0 + x * a / 4.0)))


_UP_TO_FIRST = -area(PASSIVE[0], 1.0)
_UP_TO_SECOND = _UP_TO_FIRST + area(PASSIVE[0], 1.3) - area(PASSIVE[1], 1.3)
_UP_TO_LAST = _UP_TO_SECOND + area(PASSIVE[1], 1.7)
_END, _END_SLOPE = cubic(PASSIVE[1], 1.7)


@kernel(internal=True, python=True)
def passive_force(x: float) -> PAIR:
    """Return the force of a muscle that does nothing, and its slope, by its length; on in a line beyond 1.7."""
    if x <= 1.0:
        return 0.0, 0.0
    if x < 1.3:
        return cubic(PASSIVE[0], x)
    if x < 1.7:
        return cubic(PASSIVE[1], x)
    return _END + _END_SLOPE * (x - 1.7), _END_SLOPE


@kernel(internal=True, python=True)
def passive_energy(x: float) -> float:
    """Return the work that stretching a muscle that does nothing from 1 to a length takes."""
    if x <= 1.0:
        return 0.0
    if x < 1.3:
        return area(PASSIVE[0], x) + _UP_TO_FIRST
    if x < 1.7:
        return area(PASSIVE[1], x) + _UP_TO_SECOND
    more = x - 1.7
    return _UP_TO_LAST + more * (_END + 0.5 * _END_SLOPE * more)


@kernel(internal=True, python=True)
def active_force(x: float) -> PAIR:
    """Return the force of a wholly active muscle that keeps its length, and its slope, by that length."""
    if x <= 0.4 or x >= 1.81:
        return 0.0, 0.0
    if x < 0.7:
        return cubic(ACTIVE[0], x)
    if x < 1.2:
        return cubic(ACTIVE[1], x)
    return cubic(ACTIVE[2], x)


@kernel(internal=True, python=True)
def speed_factor(x: float) -> PAIR:
    """Return what the force of an active muscle is multiplied by at a speed, and its slope."""
    if x <= -1.0:
        return 0.0, 0.0
    if x < -0.05:
        return cubic(SPEED[0], x)
    if x < 0.05:
        return cubic(SPEED[1], x)
    if x < 1.0:
        return cubic(SPEED[2], x)
    return 1.4, 0.0


@kernel(internal=True)
def muscle_tension(own: F1, activation: float, length: float, rate: float) -> FOUR:
    """Return the tension of a muscle, its derivatives by length and by rate, and the energy that is stored in it.

    Args:
        own: Largest isometric force [N], optimal length [m], length of the tendon [m], largest speed of shortening
            [optimal lengths a second].
        activation: 0 to 1.
        length: Of the muscle and its tendon, [m].
        rate: Of that, [m/s].
    """
    most, optimal, tendon, fastest = own[0], own[1], own[2], own[3]
    x = (length - tendon) / optimal
    active, active_slope = active_force(x)
    factor, factor_slope = speed_factor(rate / (optimal * fastest))
    passive, passive_slope = passive_force(x)
    return (
        most * (activation * active * factor + passive),
        most * (activation * active_slope * factor + passive_slope) / optimal,
        most * activation * active * factor_slope / (optimal * fastest),
        most * optimal * passive_energy(x),
    )  # fmt: skip
