"""Comfort: what locks and a drag leave free, joints spend near the middle of their range."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from core.arrays import Array
from core.kinematics.chain import ancestry
from core.skeleton.skeleton import Skeleton

STRONGEST = 1.0
"""How strongly a joint whose range is two radians is drawn to its middle at full comfort, beside the pull to the pose
at the press."""


def comfort_range(s: Skeleton) -> tuple[Array, Array]:
    """Return the middle of each pose value's range and half the range, shape (nq,) each, [m] and [rad].

    Half the range is infinite for values that have no two limits, or only one value between them: these have no middle.
    """
    limits = s.limits
    span = limits[:, 1] - limits[:, 0]
    counts = np.isfinite(span) & (span > 0.0)
    middle, half = np.zeros(s.nq), np.full(s.nq, np.inf)
    middle[3:][counts] = limits[counts].mean(axis=1)
    half[3:][counts] = 0.5 * span[counts]
    return middle, half


def involved(s: Skeleton, joints: Iterable[int]) -> Array:
    """Return which pose values move any of some joints, bools, shape (nq,).

    Only these have comfort: the arms of a figure whose feet are locked hang as they did.
    """
    mask = np.zeros(s.nq, dtype=bool)
    for joint in joints:
        for i in ancestry(s, joint):
            mask[3 + s.first_dof[i] : 3 + s.first_dof[i + 1]] = True
    mask[:3] = mask.any()
    return mask


def joint_comfort(s: Skeleton, q: Any) -> Array:
    """Return how comfortable each joint is, 1 in the middle of its range, 0 at a limit, shape (n,).

    ``1 - ((q - middle) / half)^2`` of the degree of freedom that is worst off; NaN for joints without a range.

    Args:
        s: The figure.
        q: Pose, shape (nq,), [m] and [rad].

    Raises:
        PoseError: If ``q`` has the wrong shape or holds NaN or infinity.
    """
    pose = s.check_pose(q)
    middle, half = comfort_range(s)
    each = 1.0 - ((pose - middle) / half) ** 2
    each[~np.isfinite(half)] = np.nan
    out = np.full(len(s.joints), np.nan)
    for i in range(len(s.joints)):
        own = each[3 + s.first_dof[i] : 3 + s.first_dof[i + 1]]
        own = own[~np.isnan(own)]
        if len(own):
            out[i] = max(float(own.min()), 0.0)
    return out


def comfort_gradient(s: Skeleton, q: Any) -> tuple[float, Array]:
    """Return the criterion ``1/2 sum ((q - middle) / half)^2`` and its gradient, shape (nq,).

    Raises:
        PoseError: If ``q`` has the wrong shape or holds NaN or infinity.
    """
    middle, half = comfort_range(s)
    off = (s.check_pose(q) - middle) / half
    return 0.5 * float(off @ off), off / half
