"""Joints that are not made of hinges and slides as packed numbers: the records that kernels read.

``core.kinematics.splines_kernel`` says what stands where.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from core.arrays import Array
from core.joints import JointModel, SplineCurve, SplineSurface
from core.joints.evaluated import evaluated
from core.skeleton.dof import Dof
from core.spatial import se3

_SAMPLES = 4
"""Places in each span where the speed along a spline is looked at."""

_PLACES = {1: 9, 2: 5, 3: 3}
"""Places along each coordinate of any other joint, by how many coordinates it has; 2 where that is more."""


def joint_record(model: JointModel) -> Array:
    """Return the record of a joint in pose units, [m] and [rad].

    Raises:
        JointError: If it has too many coordinates.
    """
    if isinstance(model, SplineCurve | SplineSurface):
        return spline_record(model)
    slot, constants = evaluated(model)
    return np.concatenate([[slot, float(model.n), 1.0, float(len(constants))], np.ones(model.n), constants])


def rescaled_record(record: Array, units: Sequence[float], size: float) -> Array:
    """Return the first record of a block, that of a joint that is no spline, in other units; see ``scaled_record``."""
    n = len(units)
    made = record[: 4 + n + int(record[3])].copy()
    made[2] = size
    made[4 : 4 + n] = units
    return made


def joint_extent(model: JointModel, dofs: Sequence[Dof]) -> float:
    """Return about how far a joint takes its part from where it sits, [m]."""
    if isinstance(model, SplineCurve | SplineSurface):
        return spline_extent(model)
    found = [float(np.linalg.norm(Q[:3, 3])) for Q in _sampled(model.transform, model, dofs)]
    return max(found, default=0.0)


def joint_units(model: JointModel, dofs: Sequence[Dof], size: float) -> tuple[float, ...]:
    """Return how much of each coordinate moves a part by about the figure's size or one radian.

    Solvers measure coordinates in it: one that counts in thousands is as easy to move as one that counts in ones.

    Args:
        model: The joint.
        dofs: Its degrees of freedom, for their limits.
        size: The figure's size W, [m].
    """
    if isinstance(model, SplineCurve | SplineSurface):
        return spline_units(model, size)
    squares = [
        np.sum(S[:3] ** 2, axis=0) + np.sum((S[3:] / size) ** 2, axis=0) for S in _sampled(model.subspace, model, dofs)
    ]
    speeds = np.sqrt(np.mean(squares, axis=0)).tolist() if squares else [1.0] * model.n
    return tuple(1.0 / speed if 1e-9 < speed < 1e9 else 1.0 for speed in speeds)


def _sampled(function: Callable[[Array], Array], model: JointModel, dofs: Sequence[Dof]) -> Iterator[Array]:
    """Yield what a function of a joint returns at places all over it, leaving out where it has no value."""
    for place in _places(model, dofs):
        try:
            value = np.asarray(function(place), dtype=np.float64)
        except Exception:  # a class that anyone may have written: poses that go there say what is wrong
            continue
        if np.isfinite(value).all():
            yield value


def _places(model: JointModel, dofs: Sequence[Dof]) -> Iterator[Array]:
    """Yield coordinates all over a joint: within its limits, or one turn, or one to either side of zero."""
    count = _PLACES.get(model.n, 2)
    ranges = []
    for dof, rotary, (least, most) in zip(dofs, model.rotary, model.domain, strict=True):
        lower, upper = max(dof.lo, least), min(dof.hi, most)
        wide = math.pi if rotary else 1.0
        if not math.isfinite(lower):
            lower = min(-wide, upper - 2.0 * wide) if math.isfinite(upper) else -wide
        if not math.isfinite(upper):
            upper = max(wide, lower + 2.0 * wide)
        ranges.append(np.linspace(lower, upper, count).tolist())
    for place in itertools.product(*ranges):
        yield np.array(place)


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
