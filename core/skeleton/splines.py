"""Spline joints as packed numbers: the records that ``core.kinematics.splines`` kernels read."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from core.arrays import Array
from core.joints import JointModel, SplineCurve, SplineSurface
from core.spatial import se3

_SAMPLES = 4
"""Places in each span where the speed along a spline is looked at."""


def spline_record(model: JointModel) -> Array:
    """Return the constants of a spline joint as one row of numbers, in pose units, [m] and [rad].

    See ``core.kinematics.splines_kernel`` for what stands where.
    """
    if isinstance(model, SplineCurve):
        frames = np.asarray(model.frames, dtype=np.float64)
        before = np.roll(frames, 1, axis=0)
        differences = se3.log(se3.inverse(before) @ frames)
        head = [float(len(frames)), float(model.closed), 1.0]
        return np.concatenate([head, frames[:, :3].ravel(), differences.ravel()])
    assert isinstance(model, SplineSurface)
    values = np.asarray(model.values, dtype=np.float64)
    head = [float(values.shape[1]), float(values.shape[2]), 1.0, 1.0]
    return np.concatenate([head, values.ravel()])


def scaled_record(record: Array, units: Sequence[float], size: float) -> Array:
    """Return the first record of a block in other units, new.

    Args:
        record: It, and maybe more behind it.
        units: Pose units per unit of x, one a coordinate.
        size: What lengths are divided by, [m].
    """
    if len(units) == 1:
        m = int(record[0])
        made = record[: 3 + 18 * m].copy()
        made[3 : 3 + 12 * m].reshape(m, 3, 4)[:, :, 3] /= size
        made[3 + 12 * m :].reshape(m, 6)[:, 3:] /= size
    else:
        number = int(record[0]) * int(record[1])
        made = record[: 4 + 6 * number].copy()
        made[4 : 4 + 3 * number] /= size
    made[2 : 2 + len(units)] = units
    return made


def spline_spans(model: JointModel) -> tuple[float, ...]:
    """Return how far each coordinate of a spline joint goes: it begins at 0, and a closed curve begins anew there."""
    if isinstance(model, SplineCurve):
        number = len(np.asarray(model.frames))
        return (float(number if model.closed else number - 3),)
    assert isinstance(model, SplineSurface)
    rows, columns = np.asarray(model.values).shape[1:]
    return float(rows - 3), float(columns - 3)


def spline_extent(model: JointModel) -> float:
    """Return how far the control points of a spline joint go from its origin, [m]."""
    if isinstance(model, SplineCurve):
        places = np.asarray(model.frames, dtype=np.float64)[:, :3, 3]
        return float(np.linalg.norm(places, axis=1).max())
    assert isinstance(model, SplineSurface)
    return float(np.linalg.norm(np.asarray(model.values, dtype=np.float64)[:3], axis=0).max())


def spline_units(model: JointModel, size: float) -> tuple[float, ...]:
    """Return how much of each coordinate moves a part by about the figure's size or one radian.

    Solvers measure coordinates in it, so that a spline of many short spans is as easy to move as one of few long ones.

    Args:
        model: The joint.
        size: The figure's size W, [m].
    """
    spans = spline_spans(model)
    steps = [np.linspace(0.0, span, int(_SAMPLES * min(span, 256.0)) + 1) for span in spans]
    places = np.stack(np.meshgrid(*steps, indexing="ij"), axis=-1).reshape(-1, len(spans))
    if len(places) > 400:
        places = places[:: math.ceil(len(places) / 400)]
    squares = np.zeros(len(spans))
    for place in places:
        S = model.subspace(place)
        squares += np.sum(S[:3] ** 2, axis=0) + np.sum((S[3:] / size) ** 2, axis=0)
    speeds = np.sqrt(squares / len(places))
    return tuple(1.0 / float(speed) if speed > 1e-9 else 1.0 for speed in speeds)
