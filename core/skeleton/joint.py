"""One joint of a figure: where it sits, how it moves, and the rigid segment it carries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from core.arrays import Array
from core.errors import SkeletonError
from core.joints import JointModel
from core.skeleton.control_frames import made_of
from core.skeleton.dof import ANGLE, HINGE, LENGTH, SLIDE, Dof, frozen
from core.skeleton.euler import euler_rotation
from core.skeleton.joint_type import fits, is_general
from core.skeleton.mesh import Mesh
from core.skeleton.tie import Follow, Loop


@dataclass(frozen=True)
class SegmentObject:
    """A polygon file attached to a joint.

    Attributes:
        file: The path as the .scr file writes it, relative to that file.
        mesh: Its polygons in the joint's frame; None if the file is missing (a capsule is drawn instead).
        mirrored: Whether the file's polygons are reflected in x = 0; ``mesh`` is so already.
        origin: The file the polygons were read from; None if they were made or changed in memory.
    """

    file: str
    mesh: Mesh | None
    mirrored: bool = False
    origin: Path | None = None


@dataclass(frozen=True, eq=False)
class Joint:
    """One joint and the rigid segment it carries; all vectors in the joint's own frame unless said otherwise.

    Attributes:
        name: Unique in the skeleton.
        parent: Index of the parent joint, -1 for the root.
        offset: Origin in the parent's frame, shape (3,), [m].
        orientation: Fixed rotation before the degrees of freedom, angles (x, y, z) of ``Rz Ry Rx``, [deg].
        dofs: Degrees of freedom in file order.
        dof_labels: What the editor calls each of them.
        scale: Static scaling of everything from this joint down, shape (3,).
        objects: Polygon files drawn in this joint's frame.
        tips: Ends of the segment that no joint sits at, each of shape (3,), [m].
        pivot: Where the frame's origin goes when the joint is made the root, shape (3,), [m]; None: it stays.
        mass: [kg]. None is filled in when the joint is put into a skeleton, as are the next two; then it is named in
            ``assumed`` (see ``core.skeleton.mass``).
        center: Centre of mass, shape (3,), [m].
        inertia: About the centre, shape (3, 3), [kg m^2].
        mirror: Name of the counterpart on the other side, or None.
        weight: Responsiveness in inverse kinematics, 0 to 1 (Welman's w_i).
        resistance: Welman's stiffness d_i in inverse kinematics, > 0.
        stiffness: Joint spring (K [N m/rad], rest angle [rad]), or None.
        damping: Joint spring's damping D, [N m s/rad].
        viscous: Hakenberg's mu, of friction by the relative angular velocity of the two bodies, [N m s].
        coulomb: Joint friction (mu, radius [m], height [m]); radius and height None where not given. None: no friction.
        motor: Hakenberg's joint torque beta, [N m].
        friction: Friction coefficient of the segment's surface, or None for the usual one.
        color: (r, g, b) in 0..1, or None for the theme's body colour.
        cone: Half-angle of a ``ball`` line's true cone, [rad], or None.
        type: The joint type of ``core.joints`` whose degrees of freedom these are; None for a plain row of hinges and
            slides. It is dropped where they are no longer its own (see ``core.skeleton.joint_type``).
        controls: Control frames of its splines as its file gives them, rows of ``core.skeleton.control_frames``, shape
            (m, 6), [m] and [deg], so that they are written as they were read; None: as the splines have them.
        loops: Where its segment is closed to others beside the tree (see ``core.skeleton.tie``).
        follows: Which of its degrees of freedom are expressions of others.
        defined: False for a joint that is placed but has no ``define joint``.
        assumed: What a skeleton worked out of ``mass``, ``center`` and ``inertia`` because nobody gave it.
    """

    name: str
    parent: int
    offset: Array = field(default_factory=lambda: np.zeros(3))
    orientation: Array = field(default_factory=lambda: np.zeros(3))
    dofs: tuple[Dof, ...] = ()
    dof_labels: tuple[str, ...] = ()
    scale: Array = field(default_factory=lambda: np.ones(3))
    objects: tuple[SegmentObject, ...] = ()
    tips: tuple[Array, ...] = ()
    pivot: Array | None = None
    mass: float | None = None
    center: Array | None = None
    inertia: Array | None = None
    mirror: str | None = None
    weight: float = 1.0
    resistance: float = 1.0
    stiffness: tuple[float, float] | None = None
    damping: float = 0.0
    viscous: float = 0.0
    coulomb: tuple[float, float | None, float | None] | None = None
    motor: float = 0.0
    friction: float | None = None
    color: tuple[float, float, float] | None = None
    cone: float | None = None
    type: JointModel | None = None
    controls: Array | None = None
    loops: tuple[Loop, ...] = ()
    follows: tuple[Follow, ...] = ()
    defined: bool = True
    assumed: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("offset", "orientation", "scale", "pivot", "center", "inertia"):
            shape = (3, 3) if name == "inertia" else (3,)
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, frozen(value, shape))
        object.__setattr__(self, "tips", tuple(frozen(tip, (3,)) for tip in self.tips))
        dofs = tuple(Dof(d.kind, frozen(d.axis, (3,)), float(d.lo), float(d.hi)) for d in self.dofs)
        object.__setattr__(self, "dofs", dofs)
        if not self.dof_labels:
            object.__setattr__(self, "dof_labels", tuple("" for _ in dofs))
        if len(self.dof_labels) != len(dofs):
            count = len(self.dof_labels)
            raise SkeletonError(f'joint "{self.name}": {count} labels for {len(dofs)} degrees of freedom')
        if self.type is not None and not fits(self.type, dofs):
            object.__setattr__(self, "type", None)
        if self.controls is not None:
            controls = frozen(self.controls, (-1, 6))
            object.__setattr__(self, "controls", controls if made_of(self.type, controls) else None)

    @property
    def curved(self) -> JointModel | None:
        """The joint's type if its coordinates are neither hinges nor slides, as those of splines; else None."""
        return self.type if is_general(self.type) else None

    @property
    def units(self) -> tuple[str, ...]:
        """What each degree of freedom measures: ``"angle"``, ``"length"`` or ``"number"``."""
        if self.curved is not None:
            return self.curved.units
        return tuple(ANGLE if dof.kind == HINGE else LENGTH for dof in self.dofs)

    @cached_property
    def rotation(self) -> Array:
        """Fixed rotation of the joint's frame in its parent's, shape (3, 3); read-only."""
        return frozen(euler_rotation(self.orientation), (3, 3))

    def as_given(self) -> Joint:
        """Return the joint with None for what a skeleton worked out, unless it has got another value since."""
        if not self.assumed:
            return self
        same = (name for name, value in self.assumed.items() if np.array_equal(getattr(self, name), value))
        nothing: dict[str, Any] = dict.fromkeys(same)
        return replace(self, assumed={}, **nothing)

    @property
    def has_body(self) -> bool:
        """Whether the joint carries a body part: something a person can see and grab."""
        return bool(self.objects) or bool(self.mass)


@dataclass(frozen=True)
class Group:
    """A named group of the .scr file: menus and whole-limb selection go by it.

    Attributes:
        name: As written in the file.
        items: Joint indices and nested groups, in file order.
    """

    name: str
    items: tuple[int | Group, ...]

    def joints(self) -> Iterator[int]:
        """Yield all joint indices in this group and those inside it, in file order."""
        for item in self.items:
            if isinstance(item, Group):
                yield from item.joints()
            else:
                yield item


def dof_letters(joint: Joint) -> list[str]:
    """Return a short name for each degree of freedom of a joint, no two alike, such as ``"x"``, ``"-y"``, ``"tz"``."""
    used: list[str] = []
    if joint.curved is not None:
        return list(joint.curved.coordinate_names)
    for k, dof in enumerate(joint.dofs):
        letter = axis_letter(dof.axis) or str(k + 1)
        letter = ("t" if dof.kind == SLIDE else "") + letter
        used.append(f"{letter}{k + 1}" if letter in used else letter)
    return used


def axis_letter(axis: Array) -> str:
    """Return ``x``, ``-y`` ... for an axis along a coordinate axis, else an empty text."""
    for index, letter in enumerate("xyz"):
        if axis[index] == 1.0:
            return letter
        if axis[index] == -1.0:
            return "-" + letter
    return ""
