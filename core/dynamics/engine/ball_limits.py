"""Limits of the angles of ball joints, as a figure gives them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.dynamics.engine.memory import BALL
from core.spatial import so3

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody


def ball_limits(model: Multibody, first: int = 0) -> NDArray[np.void]:
    """Return the limits of the balls of a figure's model for the memory, an array of ``BALL``.

    Args:
        model: The model; one without a figure has none.
        first: The first coordinate of the figure, where its model is part of a larger one.
    """
    found: list[NDArray[np.void]] = []
    figure = model.figure
    for ball in figure.balls if figure is not None else ():
        limits = figure.skeleton.limits[ball.q - 3] if figure is not None else np.zeros((3, 2))
        if not np.isfinite(limits).any():
            continue
        a, b, c = ball.axes
        row = np.zeros((), dtype=BALL)
        row["node"] = first + ball.x[0]
        row["axes"] = ball.axes.ravel()
        home = figure.home if figure is not None else np.zeros(0)
        row["before"] = _turn(ball.before_axes, home[ball.before_q]).ravel()
        row["after"] = _turn(ball.after_axes, home[ball.after_q]).ravel()
        row["span"] = math.atan2(float(c @ np.cross(a, b)), float(c @ a))
        row["low"], row["high"] = limits[:, 0], limits[:, 1]
        found.append(row)
    return np.array(found, dtype=BALL)


def _turn(axes: Array, angles: Array) -> Array:
    R = np.eye(3)
    for axis, angle in zip(axes, angles, strict=True):
        R = R @ so3.axis_rotation(axis, float(angle))
    return R
