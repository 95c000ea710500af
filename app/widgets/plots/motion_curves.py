"""The curves of energy and momentum: which there are, how they look, and how rows of values are brought onto a plot."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from app.widgets.plots.curves import DASHED, DOTTED, SOLID, CurveStyle, Floats

ENERGY = (
    CurveStyle("Kinetic", "Kin.", "lock_position", SOLID, "J"),
    CurveStyle("Potential", "Pot.", "lock_orientation", DASHED, "J"),
    CurveStyle("Total", "Total", "lock_balance", DOTTED, "J"),
)
MOMENTUM = (
    CurveStyle("Linear", "Linear", "momentum_linear", SOLID, "kg·m/s"),
    CurveStyle("Angular", "Angular", "momentum_angular", DASHED, "kg·m²/s"),
)
ZERO = "Potential energy is 0 at the first frame of the run, and negative below that"
"""What a tooltip says of ``energies``."""
_FACTORS = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)


def energies(rows: Floats, zero: float) -> Floats:
    """Return kinetic, potential and total energy, shape (..., 3), [J], of rows of four, shape (..., 4).

    Args:
        rows: Kinetic and potential energy, size of linear and of angular momentum.
        zero: Potential energy that is called 0, [J].
    """
    kinetic, potential = rows[..., 0], rows[..., 1] - zero
    return np.stack([kinetic, potential, kinetic + potential], axis=-1)


def momenta(rows: Floats) -> Floats:
    """Return the sizes of linear and angular momentum, shape (..., 2), of such rows."""
    return np.array(rows[..., 2:])


def momentum_styles(rows: Floats) -> tuple[CurveStyle, ...]:
    """Return the styles of momenta: the angular one is drawn as many times higher as it has room for beside the other.

    Args:
        rows: Rows of what is shown, shape (n, 4).
    """
    if not rows[:, 3].any():
        return MOMENTUM
    linear, angular = float(rows[:, 2].max()), float(rows[:, 3].max())
    factor = max((each for each in _FACTORS if angular * each <= 1.1 * linear), default=1.0)
    return (MOMENTUM[0], replace(MOMENTUM[1], factor=factor))
