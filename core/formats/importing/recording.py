"""Recorded motion: a key at every frame, angles without jumps, limits wide enough for what was recorded."""

from __future__ import annotations

from collections.abc import Sequence as Seq
from dataclasses import replace

import numpy as np

from core.animation import Key
from core.animation.key import LINEAR
from core.arrays import Array
from core.errors import FormatError, Problem
from core.progress import Progress, report
from core.skeleton import Dof, Group, Skeleton
from core.skeleton.dof import HINGE
from core.skeleton.scr.lines import DEEPEST
from core.spatial.so3 import axis_rotation

_TURN = 2.0 * np.pi
_LOCKED = 1e-9
"""Cosine of the middle angle under which only the sum or difference of the outer two means anything."""


def continuous_euler(order: tuple[int, int, int], rotations: Array, before: Array | None = None) -> Array:
    """Return angles with ``R_i(a) R_j(b) R_k(c) == rotation``, each triple the nearest to the one before it.

    Every rotation has two triples, ``(a, b, c)`` and ``(a + pi, pi - b, c + pi)``, each up to whole turns. At gimbal
    lock the first angle stays as it was; the others follow from what is left to turn, so that the product is right.

    Args:
        order: The axes i, j, k, all different, 0 for x.
        rotations: Shape (m, 3, 3).
        before: The triple that the first one follows, shape (3,), [rad]; None for zero.

    Returns:
        Shape (m, 3), [rad].
    """
    start = np.zeros(3) if before is None else before
    i, j, k = order
    R, m = rotations, len(rotations)
    if not m:
        return np.empty((0, 3))
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    first = np.arctan2(-sign * R[:, j, k], R[:, k, k])
    free = np.hypot(R[:, j, k], R[:, k, k]) >= _LOCKED
    last_free = np.maximum.accumulate(np.where(free, np.arange(m), -1))
    first = np.where(last_free >= 0, first[last_free], start[0])
    rest = axis_rotation(np.eye(3)[i], -first) @ R  # R_j(b) R_k(c)
    middle = np.arctan2(sign * rest[:, i, k], rest[:, k, k])
    last = np.arctan2(sign * rest[:, j, i], rest[:, j, j])
    one = np.stack((first, middle, last), axis=-1)
    other = np.stack((first + np.pi, np.pi - middle, last + np.pi), axis=-1)
    # From either triple of a frame it is as far to its like in the next frame, and as far to the unlike one.
    earlier = np.concatenate((start[None], one[:-1]))
    changes = _distance(earlier, other) < _distance(earlier, one)
    swapped = np.logical_xor.accumulate(changes)
    chosen = np.where(swapped[:, None], other, one)
    return np.unwrap(np.concatenate((start[None], chosen)), axis=0)[1:]


def _distance(a: Array, b: Array) -> Array:
    """Return how far triples are from each other, whole turns not counted, shape (m,)."""
    difference = b - a
    return np.asarray(np.abs(difference - _TURN * np.round(difference / _TURN)).sum(axis=-1))


_KEYS = 5000  # between two reports
_ROUNDING = 1e-9  # [rad] or [m]
_LISTED = 3


def continuous(angles: Array) -> Array:
    """Return one channel's angles without jumps where the file wraps them at half a turn or a whole one.

    Between two frames the figure would go the long way round. A channel that covers more than a turn is not wrapped,
    and its fast turns are meant.

    Args:
        angles: Shape (m,), [rad].
    """
    if len(angles) < 2 or np.ptp(angles) > 2.0 * np.pi + 1e-6 or np.abs(np.diff(angles)).max() <= np.pi:
        return angles
    return np.unwrap(angles)


def keys_of(frames: Seq[int], q: Array, progress: Progress | None = None) -> list[Key]:
    """Return a key for each pose of a recording, straight from one to the next.

    Args:
        frames: Whole numbers from 0 on.
        q: Poses, shape (m, nq), [m] and [rad].
        progress: Told what is done.
    """
    keys = []
    for number, (frame, pose) in enumerate(zip(frames, q, strict=True)):
        if number % _KEYS == 0:
            report(progress, number / len(q))
        keys.append(Key(frame, pose, LINEAR))
    return keys


def check_depth(figure: Skeleton, file: str) -> None:
    """Refuse a tree that branches deeper than a .scr file can say.

    Raises:
        FormatError: If it does.
    """
    stack = [(group, 1) for group in figure.layout or () if isinstance(group, Group)]
    while stack:
        group, depth = stack.pop()
        if depth > DEEPEST:
            message = f'"{figure.name}" branches more than {DEEPEST} joints deep; figures of that kind are not read'
            raise FormatError(Problem(file, 0, 0, message))
        stack.extend((inner, depth + 1) for inner in group.items if isinstance(inner, Group))


def widened(figure: Skeleton, q: Array, file: str) -> tuple[Skeleton, tuple[Problem, ...]]:
    """Return the figure with limits that hold all its motion, and one warning if some had to be widened.

    Args:
        figure: The figure.
        q: Poses, shape (m, nq), [m] and [rad].
        file: Name of the file for the warning.
    """
    if not len(q) or not figure.n_dofs:
        return figure, ()
    lo, hi = figure.limits.T
    low, high = q[:, 3:].min(axis=0), q[:, 3:].max(axis=0)
    past = np.maximum(lo - low, high - hi)
    if not (past > 0.0).any():
        return figure, ()
    odd = np.flatnonzero(past > _ROUNDING)
    low, high = np.minimum(low, lo), np.maximum(high, hi)
    joints = list(figure.joints)
    for i, joint in enumerate(joints):
        first = figure.first_dof[i]
        dofs = tuple(
            Dof(dof.kind, dof.axis, float(low[first + k]), float(high[first + k])) for k, dof in enumerate(joint.dofs)
        )
        joints[i] = replace(joint.as_given(), dofs=dofs)
    wider = Skeleton(figure.name, joints, figure.layout, figure.source, figure.warnings)
    if not len(odd):
        return wider, ()
    most = odd[np.argsort(-past[odd], kind="stable")][:_LISTED]
    listed = ", ".join(
        f"{figure.dof_names[k]} by {np.degrees(past[k]):.1f}°"
        if figure.all_dofs[k].kind == HINGE
        else f"{figure.dof_names[k]} by {past[k]:.3g} m"
        for k in most
    )
    more = f" and {len(odd) - _LISTED} more" if len(odd) > _LISTED else ""
    message = f"the motion goes past {len(odd)} limits of the skeleton, which were widened: {listed}{more}"
    return wider, (Problem(file, 0, 0, message),)
