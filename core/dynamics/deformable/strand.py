"""A strand: nodes in a row, as of a rope, a hair, a tail."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from core.dynamics.arrays import finite_array
from core.dynamics.deformable.body import Attachment, Deformable
from core.errors import DynamicsError


def strand(
    name: str,
    points: ArrayLike,
    *,
    mass: float,
    stretch: float,
    bend: float = 0.0,
    damping: float = 0.0,
    links: int | None = None,
    attached: Mapping[int, Attachment] | None = None,
    radius: float = 0.005,
) -> Deformable:
    """Return a strand along a row of points.

    Args:
        name: What it is called.
        points: Corners of its way, shape (k, 3), at least two, [m].
        mass: Of all of it, [kg], spread by length; an end has half of what a node inside has.
        stretch: Force at a strain of 1, [N], whatever the number of links: Young's modulus times cross-section.
        bend: The same of springs from each node to the next but one, which hold it straight.
        damping: Of the links, as a time: each brakes with its stiffness, ``stretch / length``, times it, [s].
        links: How many it has, of equal length along the way; None for one between each two points.
        attached: By the number of a node what it is attached to; -1 is the last.
        radius: How thick it is, [m].

    Raises:
        DynamicsError: If a number makes no sense.
    """
    corners = finite_array(points, np.shape(points), f'points of strand "{name}"')
    if corners.ndim != 2 or corners.shape[1] != 3 or len(corners) < 2:
        raise DynamicsError(f'strand "{name}" has points of shape {corners.shape}; expected (k, 3), k at least 2')
    sizes = np.linalg.norm(np.diff(corners, axis=0), axis=1)
    if not (sizes > 0.0).all():
        raise DynamicsError(f'strand "{name}" has two points in a row at one place; expected a distance')
    if links is not None:
        if links < 1:
            raise DynamicsError(f'strand "{name}" has {links} links; expected at least 1')
        way = np.concatenate([[0.0], np.cumsum(sizes)])
        at = np.linspace(0.0, way[-1], links + 1)
        corners = np.stack([np.interp(at, way, corners[:, k]) for k in range(3)], axis=1)
        sizes = np.linalg.norm(np.diff(corners, axis=0), axis=1)
    n = len(corners)
    halves = 0.5 * mass * sizes / sizes.sum()
    masses = np.zeros(n)
    masses[:-1] += halves
    masses[1:] += halves
    near = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1)
    far = np.stack([np.arange(n - 2), np.arange(2, n)], axis=1) if bend else np.zeros((0, 2), dtype=np.intp)
    pairs = np.concatenate([near, far])
    lengths = np.linalg.norm(corners[pairs[:, 1]] - corners[pairs[:, 0]], axis=1)
    modulus = np.concatenate([np.full(len(near), float(stretch)), np.full(len(far), float(bend))])
    return Deformable(
        name, corners, masses, pairs, modulus * lengths, damping=damping * modulus / lengths,
        attached={k % n: each for k, each in (attached or {}).items()}, radius=radius,
    )  # fmt: skip
