"""Joints that are not made of hinges and slides as packed numbers: the records that kernels read.

``core.kinematics.joints_kernel`` says what stands where.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from core.arrays import Array
from core.joints import JointModel
from core.joints.evaluated import evaluated
from core.skeleton.dof import ANGLE, Dof


def joint_record(model: JointModel) -> Array:
    """Return the record of a joint in pose units, [m] and [rad].

    Raises:
        JointError: If it has too many coordinates.
    """
    slot, constants = evaluated(model)
    return np.concatenate([[slot, float(model.n), 1.0, float(len(constants))], np.ones(model.n), constants])


def scaled_record(record: Array, units: Sequence[float], size: float) -> Array:
    """Return the first record of a block in other units, new.

    Args:
        record: It, and maybe more behind it.
        units: Pose units per unit of x, one a coordinate.
        size: What lengths are divided by, [m].
    """
    n = len(units)
    made = record[: 4 + n + int(record[3])].copy()
    made[2] = size
    made[4 : 4 + n] = units
    return made


def joint_extent(model: JointModel, dofs: Sequence[Dof]) -> float:
    """Return about how far a joint takes its part from where it sits, [m]."""
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
    """Yield coordinates all over a joint: within its limits, or one round, or one to either side of zero."""
    ranges = []
    for dof, unit, (least, most), count in zip(dofs, model.units, model.domain, model.places, strict=True):
        lower, upper = max(dof.lo, least), min(dof.hi, most)
        if model.period is not None:
            lower, upper = (0.0, model.period) if math.isinf(upper - lower) else (lower, upper)
        wide = math.pi if unit == ANGLE else 1.0
        if not math.isfinite(lower):
            lower = min(-wide, upper - 2.0 * wide) if math.isfinite(upper) else -wide
        if not math.isfinite(upper):
            upper = max(wide, lower + 2.0 * wide)
        ranges.append(np.linspace(lower, upper, count).tolist())
    for place in itertools.product(*ranges):
        yield np.array(place)


def joint_ranges(model: JointModel, dofs: Sequence[Dof]) -> tuple[tuple[float, float] | None, ...]:
    """Return where each coordinate of a joint begins and ends: where its type does, else once round what closes.

    A coordinate without an end of its own has its limits for ends; None where it goes on for ever.

    Args:
        model: The joint.
        dofs: Its degrees of freedom, for their limits.
    """
    found: list[tuple[float, float] | None] = []
    for dof, (least, most), period in zip(dofs, model.domain, model.periods, strict=True):
        if math.isfinite(most - least):
            found.append((least, most))
        elif period is not None:
            found.append((0.0, period))
        else:
            found.append((dof.lo, dof.hi) if math.isfinite(dof.hi - dof.lo) else None)
    return tuple(found)
