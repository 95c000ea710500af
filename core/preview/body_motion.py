"""The bodies of a figure in motion: velocities, accelerations and what these add up to, of many poses at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.errors import DynamicsError
from core.preview.differences import Stencil, differences, rotation_differences
from core.skeleton import Skeleton
from core.skeleton.mass import mass_properties
from core.skeleton.per_skeleton import per_skeleton


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
    square = np.einsum("mni,mnj->mnij", arms, arms)
    spread = np.trace(square, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - square
    return BodyMotion(
        0.5 * (bodies.masses * (v * v).sum(axis=-1) + (w * spin).sum(axis=-1)).sum(axis=-1),
        center,
        velocity,
        acceleration,
        (bodies.masses[:, None] * np.cross(arms, v) + spin).sum(axis=1),
        (inertia + bodies.masses[:, None, None] * spread).sum(axis=1),
        arms,
        a,
        np.einsum("mnij,mnj->mni", inertia, wdot) + np.cross(w, spin),
    )
