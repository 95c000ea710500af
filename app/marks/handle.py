"""What a manipulator of one degree of freedom is, and those of a joint: where in the world they stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from app.words.dof_names import COORDINATE_LETTERS, COORDINATE_TOKENS, coordinate_number, full_label
from core.kinematics import point_jacobian
from core.skeleton.cones import cones_of
from core.skeleton.dof import COORDINATE
from core.skeleton.segment import segment_tip

if TYPE_CHECKING:
    from core.skeleton import Skeleton

Array = NDArray[np.float64]

RADIUS = 72.0
VIEW = 3
"""Letter of a ring that faces the eye: it lies behind nothing and belongs to no axis."""
_COORDINATES = 4  # letter of the first of the coordinates
_MARKS = ("X", "Y", "Z", "", *COORDINATE_LETTERS)
_TOKENS = ("axis_x", "axis_y", "axis_z", "text2", *COORDINATE_TOKENS)
_STILL = 1e-6  # [m]: a coordinate that moves its part by less only turns it


@dataclass(frozen=True, eq=False)
class Handle:
    """The manipulator of one degree of freedom.

    Attributes:
        dof: Its number in the skeleton; ``q`` index is 3 more. -1 for a ring that turns a part by its chain.
        kind: ``"hinge"``, ``"slide"`` or ``"coordinate"``; the last is moved along the way its part goes just then.
        unit: What its value measures, ``"angle"``, ``"length"`` or ``"number"``.
        label: Its name on screen.
        value: Its value now, [rad], [m] or a plain number.
        lo: Lower limit; -inf if there is none.
        hi: Upper limit; inf if there is none.
        center: Joint origin in the world, shape (3,), [m].
        axis: Unit axis in the world, shape (3,).
        zero: Unit direction square to the axis that stands for the value 0, in the world, shape (3,).
        letter: 0, 1 or 2: which of x, y, z the axis is nearest to in its joint's frame. ``VIEW`` for a ring that faces
            the eye, more for coordinates, S, U, V and so on.
        radius: Of the ring, [px].
        speed: How far the centre goes along the axis per unit of the value; 1 for slides.
    """

    dof: int
    kind: str
    unit: str
    label: str
    value: float
    lo: float
    hi: float
    center: Array
    axis: Array
    zero: Array
    letter: int
    radius: float = RADIUS
    speed: float = 1.0

    @property
    def mark(self) -> str:
        """The letter that stands at it; none on a ring that faces the eye."""
        return _MARKS[self.letter]

    @property
    def token(self) -> str:
        """Its colour."""
        return _TOKENS[self.letter]

    def at(self, angle: float) -> Array:
        """Return the unit direction at an angle on the ring, world, shape (3,)."""
        return np.cos(angle) * self.zero + np.sin(angle) * np.cross(self.axis, self.zero)


def compound_dofs(skeleton: Skeleton, joint: int) -> tuple[int, ...]:
    """Return a joint's degrees of freedom, and those that share its place in a compound joint."""
    own = range(skeleton.first_dof[joint], skeleton.first_dof[joint + 1])
    found = set(own)
    for compound in skeleton.compounds:
        if found & set(compound):
            found |= set(compound)
    if not found:  # a part fixed to its parent turns with the nearest joint that can turn
        parent = skeleton.joints[joint].parent
        return compound_dofs(skeleton, parent) if parent >= 0 else ()
    return tuple(sorted(found))


def handles(skeleton: Skeleton, q: Array, poses: Array, joint: int, own: bool = False) -> tuple[Handle, ...]:
    """Return the manipulators of a joint.

    Args:
        skeleton: The figure.
        q: Its pose, shape (nq,).
        poses: World frames of its joints, shape (n, 4, 4), [m].
        joint: The joint; a compound joint shows all its axes whichever part of it is named.
        own: Whether to leave out what belongs to other joints of a compound.

    A swing in a cone has the limits that its cone leaves it just then.
    """
    found: list[Handle] = []
    cones = cones_of(skeleton)
    reaches = dict(zip((cones.columns.ravel() - 3).tolist(), cones.reaches(q).ravel().tolist(), strict=True))
    first, end = skeleton.first_dof[joint], skeleton.first_dof[joint + 1]
    for d in range(first, end) if own else compound_dofs(skeleton, joint):
        owner = skeleton.dof_joints[d]
        dof = skeleton.all_dofs[d]
        if dof.kind == COORDINATE:
            found.append(_along(skeleton, q, poses, d))
            continue
        frame, origin = dof_frame(skeleton, q, poses, d)
        axis = frame @ dof.axis
        axis = axis / np.linalg.norm(axis)
        zero = _reference(skeleton, owner, frame, dof.axis, axis)
        reach = reaches.get(d, np.inf)
        lo, hi = max(float(dof.lo), -reach), min(float(dof.hi), reach)
        letter = int(np.argmax(np.abs(dof.axis)))
        value, unit = float(q[3 + d]), skeleton.dof_units[d]
        found.append(Handle(d, dof.kind, unit, full_label(skeleton, d), value, lo, hi, origin, axis, zero, letter))
    return tuple(found)


def _along(skeleton: Skeleton, q: Array, poses: Array, d: int) -> Handle:
    """Return the manipulator of a spline's coordinate: an arrow along the direction the part moves from where it is."""
    owner, dof = skeleton.dof_joints[d], skeleton.all_dofs[d]
    place = np.zeros(3)
    for place in (np.zeros(3), np.asarray(segment_tip(skeleton, owner), dtype=np.float64)):
        velocity = point_jacobian(skeleton, q, owner, place)[:3, 3 + d]
        speed = float(np.linalg.norm(velocity))
        if speed > _STILL:
            break
    axis = velocity / speed if speed > _STILL else np.eye(3)[2]
    zero = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    center = poses[owner, :3, :3] @ place + poses[owner, :3, 3]
    letter = _COORDINATES + coordinate_number(skeleton, d)
    label, value, unit = full_label(skeleton, d), float(q[3 + d]), skeleton.dof_units[d]
    zero /= np.linalg.norm(zero)
    return Handle(
        d, dof.kind, unit, label, value, float(dof.lo), float(dof.hi), center, axis, zero, letter,
        speed=speed if speed > _STILL else 1.0,
    )  # fmt: skip


def _turn(axis: Array, angle: float) -> Array:
    """Return Rodrigues' rotation, shape (3, 3)."""
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * (K @ K)


def dof_frame(skeleton: Skeleton, q: Array, poses: Array, d: int, owner: int | None = None) -> tuple[Array, Array]:
    """Return rotation (3, 3) and origin (3,) of the frame left by the degrees of freedom before ``d``, in the world.

    They are those of the joint that owns ``d``, or of ``owner``, whose last one may be just before ``d``.
    """
    owner = skeleton.dof_joints[d] if owner is None else owner
    joint = skeleton.joints[owner]
    R = (poses[joint.parent, :3, :3] if joint.parent >= 0 else np.eye(3)) @ joint.rotation
    for e in range(skeleton.first_dof[owner], d):
        dof = skeleton.all_dofs[e]
        if dof.kind == "hinge":
            R = R @ _turn(dof.axis, float(q[3 + e]))
    return R, np.array(poses[owner, :3, 3])


def _reference(skeleton: Skeleton, joint: int, frame: Array, local_axis: Array, axis: Array) -> Array:
    """Return the direction the segment points in at value 0, square to the axis; any if it points along it."""
    tip = tip_below(skeleton, joint)
    for candidate in (frame @ tip, frame @ np.roll(local_axis, 1), frame @ np.roll(local_axis, 2)):
        flat = candidate - (candidate @ axis) * axis
        length = float(np.linalg.norm(flat))
        if length > 0.2 * float(np.linalg.norm(candidate)) and length > 1e-9:
            return flat / length
    helper = np.eye(3)[int(np.argmin(np.abs(axis)))]
    flat = np.cross(axis, helper)
    return flat / np.linalg.norm(flat)


def tip_below(skeleton: Skeleton, joint: int) -> Array:
    """Return the tip of the first segment with a length from this joint down, in that joint's own frame."""
    while True:
        tip = np.asarray(segment_tip(skeleton, joint), dtype=np.float64)
        children = skeleton.children[joint]
        if np.linalg.norm(tip) > 1e-6 or len(children) != 1:
            return tip
        joint = children[0]
