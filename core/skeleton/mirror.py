"""Reflection in x = 0: how a joint's counterpart on the other side is made.

With ``M = diag(-1, 1, 1)`` a joint's transform becomes ``M X M``. A rotation about ``a`` by ``t`` becomes the
rotation about ``-M a`` (an axis is a pseudo-vector) by the same ``t``, a slide along ``a`` one along ``M a``. So the
limits stay, and a mirrored figure with the same values takes the mirrored pose.
"""

from __future__ import annotations

import dataclasses
import re

import numpy as np

from core.skeleton.mesh import Mesh
from core.skeleton.skeleton import SLIDE, Array, Dof, Joint, SegmentObject

_VECTOR = np.array([-1.0, 1.0, 1.0])
_PSEUDOVECTOR = np.array([1.0, -1.0, -1.0])
_SIDES = re.compile(r"\b(left|right)\b", re.IGNORECASE)


def reflect_vector(vector: Array) -> Array:
    """Return ``M v``, shape (..., 3)."""
    # Adding zero turns -0.0 into 0.0, so that reflected zeros are written as they were.
    return vector * _VECTOR + 0.0


def reflect_axis(axis: Array) -> Array:
    """Return ``-M a``, the axis of the reflected rotation by the same angle, shape (..., 3)."""
    return axis * _PSEUDOVECTOR + 0.0


def reflect_dof(dof: Dof) -> Dof:
    """Return the degree of freedom whose motion at each value is the reflection of ``dof``'s."""
    axis = reflect_vector(dof.axis) if dof.kind == SLIDE else reflect_axis(dof.axis)
    return Dof(dof.kind, axis, dof.lo, dof.hi)


def reflect_mesh(mesh: Mesh) -> Mesh:
    """Return the mesh reflected in x = 0, its winding reversed so that the outside stays outside.

    The names of its weights stay and stand for the counterparts from now on.
    """
    polygons = tuple(tuple(reversed(polygon)) for polygon in mesh.polygons)
    return Mesh(reflect_vector(mesh.vertices), mesh.triangles[:, ::-1], polygons, mesh.weights)


def reflect_object(part: SegmentObject) -> SegmentObject:
    """Return the object reflected; its file stays the same and it says that it is mirrored."""
    mesh = None if part.mesh is None else reflect_mesh(part.mesh)
    return SegmentObject(part.file, mesh, not part.mirrored)


def swap_sides(text: str) -> str:
    """Return ``text`` with the words left and right exchanged, their capitals kept."""

    def swapped(match: re.Match[str]) -> str:
        word = match.group()
        other = "right" if word.casefold() == "left" else "left"
        return other.upper() if word.isupper() else other.capitalize() if word[0].isupper() else other

    return _SIDES.sub(swapped, text)


def reflect_joint(joint: Joint, name: str, parent: int) -> Joint:
    """Return the counterpart of ``joint`` on the other side of x = 0.

    Args:
        joint: The joint that is defined.
        name: The counterpart's name.
        parent: Index of the counterpart's parent.
    """
    joint = joint.as_given()
    inertia = None
    if joint.inertia is not None:
        inertia = joint.inertia * np.outer(_VECTOR, _VECTOR) + 0.0
    return dataclasses.replace(
        joint,
        name=name,
        parent=parent,
        offset=reflect_vector(joint.offset),
        orientation=reflect_axis(joint.orientation),
        dofs=tuple(reflect_dof(dof) for dof in joint.dofs),
        dof_labels=tuple(swap_sides(label) for label in joint.dof_labels),
        objects=tuple(reflect_object(part) for part in joint.objects),
        tips=tuple(reflect_vector(tip) for tip in joint.tips),
        center=None if joint.center is None else reflect_vector(joint.center),
        inertia=inertia,
        mirror=joint.name,
    )
