"""Mass, centre and inertia of a segment: what the file gives, and what stands in for what it leaves out."""

from __future__ import annotations

import numpy as np

from core.errors import CoreError
from core.skeleton.segment import segment_capsule
from core.skeleton.skeleton import Array, Skeleton
from core.spatial.inertia import SpatialInertia

DENSITY = 1000.0  # [kg/m^3]: water, near enough to flesh


def _shape(s: Skeleton, joint: int) -> SpatialInertia:
    """The segment filled at :data:`DENSITY`: its objects where they enclose a volume, else its capsule."""
    parts: list[SpatialInertia] = []
    for item in s.joints[joint].objects:
        if item.mesh is None:
            continue
        try:
            parts.append(SpatialInertia.mesh(item.mesh.vertices, item.mesh.triangles, density=DENSITY))
        except CoreError:
            continue  # open or flat: it can be drawn but not filled
    if parts:
        whole = SpatialInertia.combine(parts)
        if np.linalg.eigvalsh(whole.inertia)[0] > 0.0:
            return whole
    start, end, radius = segment_capsule(s, joint)
    volume = np.pi * radius**2 * (float(np.linalg.norm(end - start)) + 4.0 / 3.0 * radius)
    return SpatialInertia.capsule(DENSITY * volume, start, end, radius)


def mass_properties(s: Skeleton, joint: int | str) -> tuple[float, Array, Array]:
    """Return mass, centre of mass and inertia of a segment.

    What the file gives is taken as it is. A missing centre or inertia comes from the objects at uniform density, else
    from the capsule along the segment, with the mass that the file gives; without a mass they have the density of
    water. A joint without object and mass has none.

    Args:
        s: The figure.
        joint: Index or name.

    Returns:
        ``(mass [kg], center (3,) [m], inertia (3, 3) [kg m^2])``, in the joint's frame, inertia about the centre;
        new arrays.

    Raises:
        JointError: If there is no such joint.
    """
    i = s.joint_index(joint)
    part = s.joints[i]
    if part.mass == 0.0 or not part.has_body:
        center = np.zeros(3) if part.center is None else part.center.copy()
        return 0.0, center, np.zeros((3, 3))
    if part.mass is not None and part.center is not None and part.inertia is not None:
        return part.mass, part.center.copy(), part.inertia.copy()
    shape = _shape(s, i)
    mass = shape.mass if part.mass is None else part.mass
    center = shape.center if part.center is None else part.center
    inertia = shape.inertia * (mass / shape.mass) if part.inertia is None else part.inertia
    return mass, center.copy(), inertia.copy()
