"""Random trees of bodies for the tests of dynamics, and random states of them. Seeded by the caller's generator."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from core.dynamics import Body, Multibody
from core.joints import (
    JOINT_TYPES,
    Fixed,
    Free,
    FreeRotationFirst,
    JointModel,
    Prismatic,
    Revolute,
    Spherical,
)
from core.spatial import SpatialInertia, se3, so3

Array = NDArray[np.float64]
Rng = np.random.Generator

JOINTS: dict[type[JointModel], Callable[[Rng], JointModel]] = {
    Fixed: lambda rng: Fixed(),
    Revolute: lambda rng: Revolute(rng.normal(size=3)),
    Prismatic: lambda rng: Prismatic(rng.normal(size=3)),
    Spherical: lambda rng: Spherical(),
    Free: lambda rng: Free(),
    FreeRotationFirst: lambda rng: FreeRotationFirst(),
}
"""How to make a random joint of each type in ``JOINT_TYPES``."""


def random_pose(rng: Rng, length: float = 0.5) -> Array:
    """Return a random pose, shape (4, 4)."""
    return se3.transform(so3.exp(rng.uniform(-2.0, 2.0, size=3)), length * rng.normal(size=3))


def random_inertia(rng: Rng) -> SpatialInertia:
    """Return the inertia of an ellipsoid of random size and place; of 0.5 to 2 kg."""
    mass = rng.uniform(0.5, 2.0)
    squares = rng.uniform(0.05, 0.4, size=3) ** 2
    R = so3.exp(rng.uniform(-2.0, 2.0, size=3))
    return SpatialInertia(mass, 0.3 * rng.normal(size=3), 0.2 * mass * R @ np.diag(squares.sum() - squares) @ R.T)


def random_tree(
    rng: Rng,
    n_bodies: int,
    types: Sequence[type[JointModel]] = JOINT_TYPES,
    root: type[JointModel] | None = None,
    chain: bool = False,
) -> Multibody:
    """Return a random tree.

    Args:
        rng: Source of the random numbers.
        n_bodies: Number of bodies.
        types: Joint types to choose from.
        root: Type of the first joint; None for any.
        chain: Whether each body hangs on the one before it.
    """
    bodies = []
    for i in range(n_bodies):
        chosen = root if i == 0 and root is not None else types[rng.integers(len(types))]
        parent = i - 1 if chain else int(rng.integers(-1 if i == 0 or rng.random() < 0.05 else max(0, i - 4), i))
        joint = JOINTS[chosen](rng)
        bodies.append(Body(f"body {i}", parent, joint, random_pose(rng), random_pose(rng, 0.2), random_inertia(rng)))
    return Multibody(bodies, gravity=rng.normal(size=3) * 5.0)


def random_state(rng: Rng, model: Multibody) -> tuple[Array, Array]:
    """Return random coordinates, within 1 of zero, and velocities of a model."""
    return rng.uniform(-1.0, 1.0, size=model.nq), rng.normal(size=model.nv)
