"""The bodies of a figure in motion: velocities, accelerations and what these add up to, of many poses at once.

A polynomial of fourth degree goes through five neighbouring samples, the one in the middle nearest to the time asked
for; at the ends of the motion one of sixth degree through the last seven. Its error falls with the fourth power of the
spacing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array, Ints
from core.errors import DynamicsError
from core.skeleton import Skeleton
from core.skeleton.mass import mass_properties
from core.skeleton.per_skeleton import per_skeleton
from core.spatial import so3
from core.spatial.cross_products import cross_rows

POINTS = 5
"""How many samples a difference is made of inside of the motion; two more at its ends."""


class Stencil(NamedTuple):
    """Which samples the motion at times is found from, and how.

    Attributes:
        samples: Numbers of the samples, shape (m, k).
        middle: Which of the k is nearest to each time, shape (m,).
        value: Weights of the samples for the value itself, shape (m, k).
        first: Weights for its velocity, shape (m, k), [1/s].
        second: Weights for its acceleration, shape (m, k), [1/s^2].
    """

    samples: Ints
    middle: Ints
    value: Array
    first: Array
    second: Array


def stencil(at: Array, count: int, step: float) -> Stencil:
    """Return how to differentiate samples at times.

    Args:
        at: The times, as places in the row of samples: 2.5 is half way from sample 2 to sample 3; shape (m,).
        count: Number of samples there are, 1 or more.
        step: Time between two samples, [s].
    """
    nearest = np.clip(np.rint(at).astype(np.intp), 0, count - 1)
    inside, ends = min(POINTS, count), min(POINTS + 2, count)
    whole = (nearest >= POINTS // 2) & (nearest < count - POINTS // 2)
    start = np.clip(nearest - POINTS // 2, 0, np.where(whole, count - inside, count - ends))
    samples = np.minimum(start[:, None] + np.arange(ends), count - 1)
    weights = np.zeros((3, len(at), ends))
    for rows, k in ((whole, inside), (~whole, ends)):
        weights[:, rows, :k] = _weights(at[rows] - start[rows], k)
    return Stencil(samples, nearest - start, weights[0], weights[1] / step, weights[2] / step**2)


def _weights(x: Array, k: int) -> Array:
    """Return the weights of samples at 0 .. k - 1 for value, first and second derivative at x, shape (3, m, k)."""
    # The inverse of the Vandermonde matrix of 0 .. k - 1, applied to the powers of x and their derivatives.
    inverse = np.linalg.inv(np.vander(np.arange(float(k)), increasing=True))
    powers = np.zeros((3, len(x), k))
    powers[0] = np.vander(x, k, increasing=True)
    n = np.arange(k)
    powers[1, :, 1:] = n[1:] * powers[0, :, :-1]
    powers[2, :, 2:] = n[2:] * n[1:-1] * powers[0, :, :-2]
    return np.asarray(powers @ inverse)


def differences(values: Array, how: Stencil) -> tuple[Array, Array]:
    """Return velocity and acceleration of plain values, two arrays of shape (m, ...).

    Args:
        values: The samples, shape (count, ...).
        how: From :func:`stencil`.
    """
    around = values[how.samples]
    return np.einsum("mk,mk...->m...", how.first, around), np.einsum("mk,mk...->m...", how.second, around)


def rotation_differences(rotations: Array, how: Stencil) -> tuple[Array, Array]:
    """Return angular velocity and acceleration in the axes that the rotations lead from, arrays of shape (m, ..., 3).

    The rotations around a time are taken against the one in the middle, as rotation vectors that go on from sample to
    sample beyond half a turn; no chart has a seam there.

    Args:
        rotations: The samples, shape (count, ..., 3, 3).
        how: From :func:`stencil`.
    """
    r, rate, rate2 = _vectors(rotations, how)
    J, Jdot = so3.left_jacobian(r), so3.left_jacobian_rate(r, rate)
    w = np.einsum("...ij,...j->...i", J, rate)
    wdot = np.einsum("...ij,...j->...i", J, rate2) + np.einsum("...ij,...j->...i", Jdot, rate)
    return w, wdot


def _vectors(rotations: Array, how: Stencil) -> tuple[Array, Array, Array]:
    """Return rotation vectors from the middle sample of each time, with their first and second derivatives."""
    m, k = how.samples.shape
    around = rotations[how.samples]
    base = around[np.arange(m), how.middle]
    vectors = so3.log(around @ np.swapaxes(base, -1, -2)[:, None])
    for n in range(1, k):  # outwards from the middle; the base itself is 0
        for side in (-1, 1):
            rows = np.flatnonzero((how.middle + side * n >= 0) & (how.middle + side * n < k))
            here = how.middle[rows] + side * n
            vectors[rows, here] = so3.nearest_turns(vectors[rows, here], vectors[rows, here - side])
    shape = (...,) + (None,) * (vectors.ndim - 2)
    r, rate, rate2 = ((weights[shape] * vectors).sum(axis=1) for weights in (how.value, how.first, how.second))
    return r, rate, rate2


class Bodies(NamedTuple):
    """The parts of a figure that have mass.

    Attributes:
        joints: Indices of their joints, shape (b,).
        masses: [kg], shape (b,).
        centers: Centres of mass in the joints' frames, shape (b, 3), [m].
        inertias: About these, in the joints' axes, shape (b, 3, 3), [kg m^2].
        mass: Of all together, [kg].
    """

    joints: NDArray[np.intp]
    masses: Array
    centers: Array
    inertias: Array
    mass: float


@per_skeleton
def bodies_of(s: Skeleton) -> Bodies:
    """Return the parts of a figure that have mass; kept as long as it lives.

    Raises:
        DynamicsError: If nothing has mass, or a joint has a scale; names it.
    """
    scaled = next((joint for joint in s.joints if np.any(joint.scale != 1.0)), None)
    if scaled is not None:
        scale = " ".join(f"{value:g}" for value in scaled.scale)
        raise DynamicsError(f'joint "{scaled.name}" has scale {scale}; a body cannot be scaled: expected 1 1 1')
    found = [mass_properties(s, i) for i in range(len(s.joints))]
    joints = np.array([i for i, (mass, _, _) in enumerate(found) if mass > 0.0], dtype=np.intp)
    if not len(joints):
        raise DynamicsError(f'figure "{s.name}" has no mass; expected a joint with a mass or an object')
    masses, centers, inertias = (np.array([found[i][k] for i in joints]) for k in range(3))
    return Bodies(joints, masses, centers, inertias, float(masses.sum()))


class BodyMotion(NamedTuple):
    """A figure's bodies at m times, world axes.

    Attributes:
        kinetic: Kinetic energy, shape (m,), [J].
        center: Centre of mass, shape (m, 3), [m].
        velocity: Its velocity, shape (m, 3), [m/s].
        acceleration: Its acceleration, shape (m, 3), [m/s^2].
        spin: Angular momentum about it, shape (m, 3), [N m s].
        inertia: Inertia about it, shape (m, 3, 3), [kg m^2].
        arms: Places of the bodies' centres against it, shape (m, b, 3), [m].
        accelerations: Accelerations of the bodies' centres, shape (m, b, 3), [m/s^2].
        moments: Rates of the bodies' own angular momenta, shape (m, b, 3), [N m].
    """

    kinetic: Array
    center: Array
    velocity: Array
    acceleration: Array
    spin: Array
    inertia: Array
    arms: Array
    accelerations: Array
    moments: Array


def body_motion(bodies: Bodies, frames: Array, samples: Array, how: Stencil) -> BodyMotion:
    """Return how the bodies of a figure move.

    Args:
        bodies: The bodies.
        frames: World frames of all joints at the times, shape (m, n, 4, 4).
        samples: The same at the samples that the motion is differentiated by, shape (count, n, 4, 4).
        how: Which of them determine the motion at each time.
    """
    around, own = samples[:, bodies.joints], frames[:, bodies.joints]
    places = np.einsum("mnij,nj->mni", around[..., :3, :3], bodies.centers) + around[..., :3, 3]
    v, a = differences(places, how)
    w, wdot = rotation_differences(around[..., :3, :3], how)
    R = own[..., :3, :3]
    here = np.einsum("mnij,nj->mni", R, bodies.centers) + own[..., :3, 3]
    inertia = R @ bodies.inertias @ np.swapaxes(R, -1, -2)
    share = bodies.masses / bodies.mass
    center, velocity, acceleration = (np.einsum("n,mni->mi", share, each) for each in (here, v, a))
    spin = np.einsum("mnij,mnj->mni", inertia, w)
    arms = here - center[:, None]
    return BodyMotion(
        0.5 * (bodies.masses * (v * v).sum(axis=-1) + (w * spin).sum(axis=-1)).sum(axis=-1),
        center,
        velocity,
        acceleration,
        (bodies.masses[:, None] * np.cross(arms, v) + spin).sum(axis=1),
        (inertia + bodies.masses[:, None, None] * _spread(arms)).sum(axis=1),
        arms,
        a,
        np.einsum("mnij,mnj->mni", inertia, wdot) + np.cross(w, spin),
    )


def spins(bodies: Bodies, frames: Array, how: Stencil) -> tuple[Array, Array]:
    """Return angular momentum and inertia of a figure about its centre of mass, shapes (m, 3) and (m, 3, 3).

    They are those of :func:`body_motion` at its samples, in world axes, [N m s] and [kg m^2].

    Args:
        bodies: The bodies.
        frames: World frames of all joints at the samples, shape (m, n, 4, 4).
        how: From :func:`stencil`, for the samples themselves.
    """
    own = frames[:, bodies.joints]
    R = own[..., :3, :3]
    places = (R @ bodies.centers[:, :, None])[..., 0] + own[..., :3, 3]
    v, _ = differences(places, how)
    r, rate, _ = _vectors(R, how)
    w = (so3.left_jacobian(r) @ rate[..., None])[..., 0]
    inertia = R @ bodies.inertias @ np.swapaxes(R, -1, -2)
    arms = places - np.einsum("n,mni->mi", bodies.masses / bodies.mass, places)[:, None]
    spin = (inertia @ w[..., None])[..., 0] + bodies.masses[:, None] * cross_rows(arms, v)
    return spin.sum(axis=1), (inertia + bodies.masses[:, None, None] * _spread(arms)).sum(axis=1)


def _spread(arms: Array) -> Array:
    """Return the inertia of unit masses at places, shape (..., 3, 3), [m^2]."""
    square = arms[..., :, None] * arms[..., None, :]
    return np.asarray((arms * arms).sum(axis=-1)[..., None, None] * np.eye(3) - square)
