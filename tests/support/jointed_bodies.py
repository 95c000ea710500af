"""Random bodies with hinges and spherical joints in states with (1) and (2), made without the code that is tested."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from core.dynamics.hakenberg import BodyStates, JointedBodies
from core.spatial import so3

Array = NDArray[np.float64]
Rng = np.random.Generator


def unit(rng: Rng) -> Array:
    """Return a random direction, shape (3,)."""
    vector = rng.normal(size=3)
    return vector / np.linalg.norm(vector)


def rotation(rng: Rng) -> Array:
    """Return a random rotation, shape (3, 3)."""
    return so3.exp(rng.uniform(0.0, math.pi) * unit(rng))


def random_bodies(
    rng: Rng, count: int, balls: float = 0.4, star: float = 0.3, world: float = 0.0
) -> tuple[JointedBodies, BodyStates]:
    """Return bodies of 1 to 10 kg and a state with joints together and not about to be torn apart.

    Args:
        rng: Source of the random numbers.
        count: Number of bodies.
        balls: Share of the joints that are spherical.
        star: Share of the bodies that are attached to the first one; the others to any before them.
        world: Chance that the first body is attached to the world.

    Returns:
        Bodies whose joints are in any order and either way round, and their state.
    """
    masses = np.exp(rng.uniform(0.0, math.log(10.0), size=count))
    masses[: min(2, count)] = (1.0, 10.0)[:count]
    sizes = rng.uniform(0.2, 0.6, size=(count, 3))
    inertias = []
    for mass, size in zip(masses, sizes, strict=True):
        R = rotation(rng)
        squares = size**2
        inertias.append(R @ np.diag(mass / 12.0 * (squares.sum() - squares)) @ R.T)
    R = np.stack([rotation(rng) for _ in range(count)])
    p, v = np.zeros((2, count, 3))
    p[0], v[0], turning = rng.normal(size=3), rng.normal(size=3), rng.normal(size=(count, 3))
    joints = []
    attached = [(0, -1)] if rng.random() < world else []
    attached += [(i, 0 if rng.random() < star else int(rng.integers(0, i))) for i in range(1, count)]
    for i, parent in attached:
        z = np.zeros(3) if rng.random() < balls else unit(rng)
        here = 0.5 * rng.normal(size=3)  # arm of the joint from the body's centre, in the world
        if parent < 0:
            there, base_turning = p[i] + here, np.zeros(3)
            if z.any():
                turning[i] = rng.normal() * z
            v[i] = -np.cross(turning[i], here)
        else:
            there, base_turning = 0.5 * rng.normal(size=3), turning[parent]
            if z.any():
                turning[i] = base_turning + rng.normal() * z
            place = p[parent] + there
            p[i] = place - here
            v[i] = v[parent] + np.cross(base_turning, there) - np.cross(turning[i], here)
        side = (i, R[i].T @ here, R[i].T @ z)
        other = (parent, there, z) if parent < 0 else (parent, R[parent].T @ there, R[parent].T @ z)
        joints.append((side, other) if rng.random() < 0.5 else (other, side))
    joints = [joints[k] for k in rng.permutation(len(joints))]
    E, l, z = ([[side[k] for side in pair] for pair in joints] for k in range(3))  # noqa: E741
    omega = np.einsum("iba,ib->ia", R, turning)
    bodies = JointedBodies(masses, inertias, E, np.array(l).reshape(-1, 2, 3), np.array(z).reshape(-1, 2, 3))
    return bodies, BodyStates(p, R, v, omega)


def paper_bodies() -> tuple[JointedBodies, BodyStates]:
    """Return three boxes of 6.4, 2.4 and 2.3 kg, the first two on a slanted hinge, the last two on a ball; 3.05 J."""
    masses = np.array([6.4, 2.4, 2.3])
    sizes = np.array([(0.4, 0.2, 0.3), (0.3, 0.15, 0.15), (0.25, 0.2, 0.1)])
    squares = sizes**2
    inertias = [np.diag(m / 12.0 * (s.sum() - s)) for m, s in zip(masses, squares, strict=True)]
    E = [(0, 1), (1, 2)]
    l = [[(0.25, 0.0, 0.0), (-0.2, 0.0, 0.0)], [(0.2, 0.05, 0.0), (-0.18, 0.0, 0.0)]]  # noqa: E741
    z = [[(0.0, 0.6, 0.8), (0.0, 0.6, 0.8)], [(0.0, 0.0, 0.0), (0.0, 0.0, 0.0)]]
    bodies = JointedBodies(masses, inertias, E, l, z)
    R = np.stack([np.eye(3)] * 3)
    turning = np.array([(0.6, 1.1, -0.8), (0.0, 0.0, 0.0), (-1.5, 2.0, 2.5)])
    turning[1] = turning[0] + 2.2 * np.array(z[0][0])
    p, v = np.zeros((3, 3)), np.zeros((3, 3))
    for j, (i, k) in enumerate(E):
        p[k] = p[i] + l[j][0] - np.array(l[j][1])
        v[k] = v[i] + np.cross(turning[i], l[j][0]) - np.cross(turning[k], l[j][1])
    v -= masses @ v / masses.sum() - 0.1
    p -= masses @ p / masses.sum()
    return bodies, BodyStates(p, R, v, turning)
