"""What surfaces are made of: friction by material, and friction between two of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from core.checked_arrays import shown
from core.errors import DynamicsError
from core.skeleton.scr.values import MOST_FRICTION

MATERIALS: dict[str, float] = {
    "ice": 0.03,
    "polished": 0.2,
    "steel": 0.4,
    "wood": 0.5,
    "stone": 0.7,
    "skin": 0.8,
    "rubber": 1.0,
}
"""Friction coefficients by name: of a surface on another one of the same material, dry, in round numbers."""
DEFAULT_FRICTION = MATERIALS["skin"]


def checked_friction(value: Any, place: str) -> float:
    """Return a friction coefficient.

    Raises:
        DynamicsError: If it is no number from 0 to 10; names ``place``.
    """
    if not isinstance(value, (int, float, np.floating, np.integer)) or isinstance(value, bool):
        raise DynamicsError(f"{place}: friction is {shown(value)}; it must be a number")
    if not 0.0 <= value <= MOST_FRICTION:  # also false for NaN
        raise DynamicsError(f"{place}: friction {value:g} makes no sense; it must be from 0 to {MOST_FRICTION:g}")
    return float(value)


def friction_between(first: float, second: float) -> float:
    """Return the friction coefficient of two surfaces: the square root of the product of theirs.

    Two surfaces of one material have that material's, and anything slides on what has none.
    """
    return math.sqrt(first * second)


def material_friction(name: Any, place: str) -> float:
    """Return the friction coefficient of a material.

    Raises:
        DynamicsError: If there is no such material; names ``place`` and lists those there are.
    """
    if not isinstance(name, str) or name not in MATERIALS:
        raise DynamicsError(f"{place}: no material {shown(name)}; there are {', '.join(MATERIALS)}")
    return MATERIALS[name]
