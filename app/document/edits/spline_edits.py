"""What a person does with the splines and the parameters of a joint, as edits for figures and their gestures.

Control frames go by their number among all of the joint's, see ``core.skeleton.control_frames``.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from app.document.edits.joint_edits import Edit
from core.arrays import Array
from core.errors import JointError
from core.joints import Composite, JointModel, SplineCurve, SplineSurface
from core.joints.parameters import with_parameter
from core.skeleton import Joint
from core.skeleton.building.builder import SkeletonBuilder
from core.skeleton.control_frames import (
    SplinePart,
    controls_of,
    spline_parts,
    with_basis,
    with_closed,
    with_controls,
    with_frame_after,
    without_frame,
)

Spline = SplineCurve | SplineSurface


def rows_of(joint: Joint) -> Array:
    """Return the control frames of a joint's splines, shape (m, 6), [m] and [deg]; new."""
    return controls_of(joint.type) if joint.controls is None else np.array(joint.controls)


def part_of(model: JointModel | None, number: int) -> SplinePart:
    """Return the spline that a control frame belongs to.

    Raises:
        JointError: If there is no such frame.
    """
    for part in spline_parts(model):
        if number in part.rows:
            return part
    raise JointError(f"there is no control frame {number + 1}; expected a joint that runs along a spline")


def with_control_frame(name: str, number: int, numbers: ArrayLike) -> Edit:
    """Put a control frame of a joint elsewhere.

    Args:
        name: The joint.
        number: Which of its control frames.
        numbers: Place and angles, shape (6,), or the place alone, (3,); [m] and [deg].
    """

    def edit(builder: SkeletonBuilder) -> None:
        joint, given = builder.joint(name), np.asarray(numbers, dtype=np.float64)
        part_of(joint.type, number)
        rows = rows_of(joint)
        rows[number, : len(given)] = given
        builder.set(name, type=with_controls(joint.type, rows), controls=rows)

    return edit


def _remade(name: str, number: int, change: Callable[[Spline, int], Spline]) -> Edit:
    """Let ``change`` make another spline of the one a frame belongs to and of the frame's number in it."""

    def edit(builder: SkeletonBuilder) -> None:
        model = builder.joint(name).type
        part = part_of(model, number)
        made: JointModel = change(part.model, number - part.rows.start)
        if isinstance(model, Composite):
            parts = list(model.joints)
            parts[len(part.before)] = made
            made = Composite(*parts)
        builder.set(name, type=made)

    return edit


def _curve(model: Spline) -> SplineCurve:
    if not isinstance(model, SplineCurve):
        raise JointError("a spline surface has a grid of control frames; expected a spline curve")
    return model


def with_frame_added(name: str, number: int) -> Edit:
    """Add a control frame to a curve behind another one, of a Bezier curve three."""
    return _remade(name, number, lambda model, at: with_frame_after(_curve(model), at))


def with_frame_removed(name: str, number: int) -> Edit:
    """Take a control frame away from a curve, of a Bezier curve three."""
    return _remade(name, number, lambda model, at: without_frame(_curve(model), at))


def in_basis(name: str, number: int, basis: str) -> Edit:
    """Give the spline that a frame belongs to another basis."""
    return _remade(name, number, lambda model, _: with_basis(model, basis))


def closed(name: str, number: int, whether: bool) -> Edit:
    """Close or open the curve that a frame belongs to."""
    return _remade(name, number, lambda model, _: with_closed(_curve(model), whether))


def with_joint_parameter(name: str, path: tuple[int, ...], attribute: str, value: object) -> Edit:
    """Set a parameter of a joint's type, or of one of its parts; see ``core.joints.parameters``."""

    def edit(builder: SkeletonBuilder) -> None:
        model = builder.joint(name).type
        if model is None:
            raise JointError(f'joint "{name}" has no type; expected one with a {attribute}')
        builder.set(name, type=with_parameter(model, path, attribute, value))

    return edit


def with_cone(name: str, cone: float | None) -> Edit:
    """Set the half-angle of a joint's cone, [rad]; None for none. Limits that were the cone's own go along with it."""

    def edit(builder: SkeletonBuilder) -> None:
        joint = builder.joint(name)
        before = joint.cone
        dofs = [
            dof._replace(lo=-cone, hi=cone)
            if cone is not None and before is not None and dof.hi == -dof.lo == before
            else dof
            for dof in joint.dofs
        ]
        builder.set(name, cone=cone, dofs=tuple(dofs), dof_labels=joint.dof_labels)

    return edit
