"""Limits of the angles of ball joints and of the swings in cones, as a figure gives them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.dynamics.engine.memory import BALL, CONE
from core.skeleton.cones import cones_of
from core.spatial import so3

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody

_SAME = 1e-12
_WITHIN = 1e-3
"""How far within their cones joints are stopped, [rad]: steps overshoot by about as much."""


def ball_limits(model: Multibody, first: int = 0) -> NDArray[np.void]:
    """Return the limits of the balls of a figure's model for the memory, an array of ``BALL``.

    Args:
        model: The model; one without a figure has none.
        first: The first coordinate of the figure, where its model is part of a larger one.
    """
    found: list[NDArray[np.void]] = []
    figure = model.figure
    if figure is None:
        return np.zeros(0, dtype=BALL)
    cones = cones_of(figure.skeleton)
    pairs = zip(cones.columns.tolist(), cones.cosines.tolist(), strict=True)
    half = {column: math.acos(cosine) for pair, cosine in pairs for column in pair}
    for ball in figure.balls:
        limits = np.array(figure.skeleton.limits[ball.q - 3])
        if not (np.isfinite(limits).any() or any(column in half for column in ball.q.tolist())):
            continue
        for k, column in enumerate(ball.q.tolist()):
            # What the cone says about a swing anyhow needs no row of its own, which would be the same one at the rim.
            cone = half.get(column, math.inf)
            if cone <= 0.5 * math.pi and np.abs(np.abs(limits[k]) - cone).max() < _SAME and limits[k, 0] < 0.0:
                limits[k] = -math.inf, math.inf
        a, b, c = ball.axes
        row = np.zeros((), dtype=BALL)
        row["node"] = first + ball.x[0]
        row["axes"] = ball.axes.ravel()
        home = figure.home
        row["before"] = _turn(ball.before_axes, home[ball.before_q]).ravel()
        row["after"] = _turn(ball.after_axes, home[ball.after_q]).ravel()
        row["span"] = math.atan2(float(c @ np.cross(a, b)), float(c @ a))
        row["low"], row["high"] = limits[:, 0], limits[:, 1]
        found.append(row)
    return np.array(found, dtype=BALL)


def cone_limits(model: Multibody, first: int, balls: NDArray[np.void], before: int) -> NDArray[np.void]:
    """Return the cones of a figure's model for the memory, an array of ``CONE``.

    Args:
        model: The model; one without a figure has none.
        first: The first coordinate of the figure, where its model is part of a larger one.
        balls: The limits of its balls, as from ``ball_limits``.
        before: How many balls stand before these in the memory.
    """
    figure = model.figure
    if figure is None:
        return np.zeros(0, dtype=CONE)
    # Of a value of the pose: its node, the ball that it is an angle of, and which.
    at: dict[int, tuple[int, int, int]] = {q: (first + x, -1, -1) for q, x in figure.hinges.items()}
    number = {int(node): before + k for k, node in enumerate(balls["node"])}
    for ball in figure.balls:
        node = first + int(ball.x[0])
        at.update((q, (node, number[node], k)) for k, q in enumerate(ball.q.tolist()) if node in number)
    cones = cones_of(figure.skeleton)
    found = np.zeros(len(cones), dtype=CONE)
    for row, pair, cosine in zip(found, cones.columns.tolist(), cones.cosines, strict=True):
        for side, q in enumerate(pair):
            row["nodes"][side], row["balls"][side], row["places"][side] = at.get(q, (-1, -1, -1))
            row["angles"][side] = figure.home[q]
        cone = math.acos(cosine)
        row["limit"] = cone - min(_WITHIN, 0.1 * cone)
        if row["balls"][0] >= 0 and row["balls"][0] == row["balls"][1]:
            row["axis"] = _swinging(balls["axes"][row["balls"][0] - before].reshape(3, 3), *row["places"].tolist())
    return found[(found["nodes"] >= 0).any(axis=1)]


def _swinging(axes: Array, a: int, b: int) -> Array:
    """Return the axis of a ball that two of its hinges swing; zero if the third does not turn about it."""
    third = axes[3 - a - b]
    along = abs(float(np.cross(axes[a], axes[b]) @ third))  # 1 where all three stand at right angles
    return third if abs(a - b) == 1 and along > 1.0 - _SAME else np.zeros(3)


def _turn(axes: Array, angles: Array) -> Array:
    R = np.eye(3)
    for axis, angle in zip(axes, angles, strict=True):
        R = R @ so3.axis_rotation(axis, float(angle))
    return R
