"""Mass, centre and inertia of a segment: what the file gives, and what stands in for what it leaves out."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from core.arrays import Array
from core.errors import CoreError, SkeletonError
from core.skeleton.joint import Group, Joint
from core.skeleton.mesh import Mesh
from core.skeleton.objects.closed import is_closed
from core.skeleton.segment import segment_capsule
from core.skeleton.structure import Structure
from core.spatial.inertia import SpatialInertia

DENSITY = 1000.0  # [kg/m^3]: water, near enough to flesh


def _shape(s: Structure, joint: int) -> SpatialInertia:
    """The segment filled at :data:`DENSITY`: its objects where they enclose a volume, else its capsule."""
    filled = (_filled(item.mesh) for item in s.joints[joint].objects if item.mesh is not None)
    parts = [part for part in filled if part is not None]
    if parts:
        whole = SpatialInertia.combine(parts)
        if np.linalg.eigvalsh(whole.inertia)[0] > 0.0:
            return whole
    start, end, radius = segment_capsule(s, joint)
    volume = np.pi * radius**2 * (float(np.linalg.norm(end - start)) + 4.0 / 3.0 * radius)
    return SpatialInertia.capsule(DENSITY * volume, start, end, radius)


_found: WeakKeyDictionary[Mesh, SpatialInertia | None] = WeakKeyDictionary()


def _filled(mesh: Mesh) -> SpatialInertia | None:
    """Return a mesh filled at :data:`DENSITY`, or None if it can be drawn but not filled; kept while it lives."""
    if mesh in _found:
        return _found[mesh]
    shape = None
    if is_closed(mesh):
        with suppress(CoreError):  # flat, or inside out
            shape = SpatialInertia.mesh(mesh.vertices, mesh.triangles, density=DENSITY)
    _found[mesh] = shape
    return shape


def with_mass(s: Structure, index: int) -> Joint:
    """Return a joint of ``s`` with what it leaves open of mass, centre and inertia worked out.

    A missing centre or inertia comes from the objects at uniform density, else from the capsule along the segment,
    with the mass that the file gives; without a mass they have the density of water. A joint without object and mass
    has none.
    """
    joint = s.joints[index]
    missing = [name for name in ("mass", "center", "inertia") if getattr(joint, name) is None]
    if not missing:
        return joint
    if joint.mass == 0.0 or not joint.has_body:
        shape = SpatialInertia.zero()
    else:
        shape = _shape(s, index)
        if joint.mass is not None:
            if not 0.0 < joint.mass < np.inf:
                raise SkeletonError(f'joint "{joint.name}": mass {joint.mass:g} makes no sense; expected 0 or more')
            shape = SpatialInertia(joint.mass, shape.center, shape.inertia * (joint.mass / shape.mass))
    found: dict[str, Any] = {name: getattr(shape, name) for name in missing}
    return replace(joint, assumed=found, **found)


def with_masses(s: Structure) -> tuple[Joint, ...]:
    """Return all joints of ``s`` with what they leave open worked out; see :func:`with_mass`."""
    return tuple(with_mass(s, i) for i in range(len(s.joints)))


def weighed(name: str, joints: Sequence[Joint], layout: Sequence[int | Group] | None) -> Structure:
    """Return the structure of joints, with masses worked out."""
    made = Structure(name, joints, layout)
    made.joints = with_masses(made)
    return made


def mass_properties(s: Structure, joint: int | str) -> tuple[float, Array, Array]:
    """Return mass, centre of mass and inertia of a segment: what the file gives, else what :func:`with_mass` found.

    Args:
        s: The figure.
        joint: Index or name.

    Returns:
        ``(mass [kg], center (3,) [m], inertia (3, 3) [kg m^2])``, in the joint's frame, inertia about the centre;
        new arrays.

    Raises:
        JointError: If there is no such joint.
    """
    part = s.joints[s.joint_index(joint)]
    assert part.mass is not None and part.center is not None and part.inertia is not None  # filled in by the skeleton
    return part.mass, part.center.copy(), part.inertia.copy()
