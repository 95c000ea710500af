"""How each joint of a figure stands in a BVH file: its OFFSET, its channels, and where their values come from.

A BVH joint has no rest orientation. So each gets a frame that is parallel to the world when every degree of freedom
is zero; seen from it, hinges turn about their axes as they lie in the world then. Where those are coordinate axes the
angles are written as they are, else as three Euler angles of the whole rotation. A part that runs along a spline is
written as the places and angles it takes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.arrays import Array
from core.skeleton import Dof, Joint, Skeleton
from core.skeleton.dof import HINGE, SLIDE
from core.skeleton.frames import frames_at
from core.skeleton.scr.writer import depth_first_order
from core.skeleton.segment import segment_tip

EULER_ORDER = (2, 0, 1)
"""Z, X, Y: what most files have."""

_STRAIGHT = 1e-12


@dataclass(frozen=True)
class Part:
    """One joint as a BVH file has it.

    Attributes:
        joint: Its index in the skeleton.
        offset: Its place beside its parent where every degree of freedom is zero, world axes, shape (3,), [m].
        tips: Its End Sites, in its own BVH frame, each of shape (3,), [m].
        positions: Axes of its position channels in order.
        rotations: Axes of its rotation channels in order.
        angles: For each rotation channel the place in the pose and the sign of the angle that it is, or None for one
            that is always zero. None if they are Euler angles of the joint's rotation.
    """

    joint: int
    offset: Array
    tips: tuple[Array, ...]
    positions: tuple[int, ...]
    rotations: tuple[int, ...]
    angles: tuple[tuple[int, float] | None, ...] | None


def rest_rotations(s: Skeleton) -> Array:
    """Return the world rotation of every joint where every degree of freedom is zero, scale left out, (n, 3, 3)."""
    rotations = np.empty((len(s.joints), 3, 3))
    for i, joint in enumerate(s.joints):
        rotations[i] = joint.rotation if joint.parent < 0 else rotations[joint.parent] @ joint.rotation
        if joint.curved is not None:
            rotations[i] = rotations[i] @ joint.curved.transform(np.zeros(len(joint.dofs)))[:3, :3]
    return rotations


def plan(s: Skeleton) -> list[Part]:
    """Return all joints depth first, as a BVH file lists them."""
    frames, turned = frames_at(s, np.zeros(s.n_dofs)), rest_rotations(s)
    # Below a joint that is itself below an uneven scale, bones change their length as the figure moves.
    uneven = [False] * len(s.joints)
    stretched = [False] * len(s.joints)
    for i, joint in enumerate(s.joints):
        stretched[i] = joint.parent >= 0 and uneven[joint.parent]
        above = joint.parent >= 0 and (uneven[joint.parent] or _is_uneven(s.joints[joint.parent]))
        uneven[i] = above
    parts: list[Part] = []
    for i in depth_first_order(s):
        joint = s.joints[i]
        offset = frames[i, :3, 3] - (frames[joint.parent, :3, 3] if joint.parent >= 0 else 0.0)
        tips = joint.tips or (() if s.children[i] else (segment_tip(s, i),))
        rotations, angles = _rotations(joint, turned[i], 3 + s.first_dof[i])
        positions = (0, 1, 2) if i == 0 or stretched[i] else _positions(joint, turned[i])
        parts.append(Part(i, offset, tuple(frames[i, :3, :3] @ tip for tip in tips), positions, rotations, angles))
    return parts


def _is_uneven(joint: Joint) -> bool:
    return not np.all(joint.scale == joint.scale[0])


def _letter(dof: Dof, turned: Array) -> tuple[int, float] | None:
    """Return the world axis that a degree of freedom's axis is at rest, and its sign; None if it is oblique."""
    axis = turned @ dof.axis
    largest = int(np.argmax(np.abs(axis)))
    across = np.delete(axis, largest)
    return (largest, float(np.sign(axis[largest]))) if np.abs(across).max() <= _STRAIGHT else None


def _positions(joint: Joint, turned: Array) -> tuple[int, ...]:
    """Return the axes along which a joint slides: those of its slides if it slides before it turns, else all."""
    if joint.curved is not None:
        return (0, 1, 2)
    kinds = [dof.kind for dof in joint.dofs]
    slides = [dof for dof in joint.dofs if dof.kind == SLIDE]
    if not slides:
        return ()
    letters = [_letter(dof, turned) for dof in slides]
    straight = [letter[0] for letter in letters if letter is not None]
    if len(straight) < len(slides) or HINGE in kinds[: len(slides)]:
        return (0, 1, 2)
    return tuple(dict.fromkeys(straight))


def _rotations(
    joint: Joint, turned: Array, first: int
) -> tuple[tuple[int, ...], tuple[tuple[int, float] | None, ...] | None]:
    """Return the axes of a joint's rotation channels and what they are; see ``Part``."""
    if joint.curved is not None:
        return EULER_ORDER, None
    hinges = [(first + k, dof) for k, dof in enumerate(joint.dofs) if dof.kind == HINGE]
    letters = [(number, _letter(dof, turned)) for number, dof in hinges]
    straight = [(axis[0], (number, axis[1])) for number, axis in letters if axis is not None]
    if len(straight) < len(hinges):
        return EULER_ORDER, None
    axes = [axis for axis, _ in straight]
    angles: list[tuple[int, float] | None] = [angle for _, angle in straight]
    # Most programs know joints with three angles only. One that has limits was no such joint of another BVH file.
    if 0 < len(axes) < 3 and any(np.isfinite([dof.lo, dof.hi]).any() for _, dof in hinges):
        missing = [axis for axis in EULER_ORDER if axis not in axes]
        axes += missing
        angles += [None] * len(missing)
    return tuple(axes), tuple(angles)
