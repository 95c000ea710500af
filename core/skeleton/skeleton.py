"""The figure: a tree of joints with single degrees of freedom, and everything the other modules ask of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.errors import JointError, PoseError, Problem, SkeletonError
from core.skeleton.mesh import Mesh

Array = NDArray[np.float64]

HINGE, SLIDE, COORDINATE = "hinge", "slide", "coordinate"


def _frozen(values: object, shape: tuple[int, ...]) -> Array:
    array = np.array(values, dtype=np.float64).reshape(shape)
    array.setflags(write=False)
    return array


def euler_rotation(degrees: Array) -> Array:
    """Return ``Rz Ry Rx`` for angles ``(x, y, z)`` in degrees, shape (3, 3): ``orientation`` in a .scr file."""
    x, y, z = np.radians(degrees)
    cx, sx, cy, sy, cz, sz = np.cos(x), np.sin(x), np.cos(y), np.sin(y), np.cos(z), np.sin(z)
    return np.array(
        [
            [cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx],
            [sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx],
            [-sy, cy * sx, cy * cx],
        ]
    )


class Dof(NamedTuple):
    """One degree of freedom.

    Attributes:
        kind: ``"hinge"``, ``"slide"`` or ``"coordinate"``.
        axis: Unit axis in the frame left by the degrees of freedom before it, shape (3,).
        lo: Lower limit, [rad] or [m]; ``-inf`` if there is none.
        hi: Upper limit, [rad] or [m]; ``inf`` if there is none.
    """

    kind: str
    axis: Array
    lo: float
    hi: float


@dataclass(frozen=True)
class SegmentObject:
    """A polygon file attached to a joint.

    Attributes:
        file: The path as the .scr file writes it, relative to that file.
        mesh: Its polygons in the joint's frame; None if the file is missing (a capsule is drawn instead).
        mirrored: Whether the file's polygons are reflected in x = 0; ``mesh`` is so already.
    """

    file: str
    mesh: Mesh | None
    mirrored: bool = False


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
        mass: [kg]; None where the file gives none (see ``core.skeleton.mass``).
        center: Centre of mass, shape (3,), [m]; None where the file gives none.
        inertia: About the centre, shape (3, 3), [kg m^2]; None where the file gives none.
        mirror: Name of the counterpart on the other side, or None.
        weight: Responsiveness in inverse kinematics, 0 to 1 (Welman's w_i).
        resistance: Welman's stiffness d_i in inverse kinematics, > 0.
        stiffness: Joint spring (K [N m/rad], rest angle [rad]), or None.
        damping: Joint spring's damping D, [N m s/rad].
        viscous: Hakenberg's mu, [N m s].
        coulomb: Joint friction (mu, radius [m], height [m]); radius and height None where not given. None: no friction.
        motor: Hakenberg's joint torque beta, [N m].
        color: (r, g, b) in 0..1, or None for the theme's body colour.
        cone: Half-angle of a ``ball`` line's true cone, [rad], or None.
        defined: False for a joint that is placed but has no ``define joint``.
    """

    name: str
    parent: int
    offset: Array = field(default_factory=lambda: np.zeros(3))
    orientation: Array = field(default_factory=lambda: np.zeros(3))
    dofs: tuple[Dof, ...] = ()
    dof_labels: tuple[str, ...] = ()
    scale: Array = field(default_factory=lambda: np.ones(3))
    objects: tuple[SegmentObject, ...] = ()
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
    color: tuple[float, float, float] | None = None
    cone: float | None = None
    defined: bool = True

    def __post_init__(self) -> None:
        for name in ("offset", "orientation", "scale", "center", "inertia"):
            shape = (3, 3) if name == "inertia" else (3,)
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, _frozen(value, shape))
        dofs = tuple(Dof(d.kind, _frozen(d.axis, (3,)), float(d.lo), float(d.hi)) for d in self.dofs)
        object.__setattr__(self, "dofs", dofs)
        if not self.dof_labels:
            object.__setattr__(self, "dof_labels", tuple("" for _ in dofs))
        if len(self.dof_labels) != len(dofs):
            count = len(self.dof_labels)
            raise SkeletonError(f'joint "{self.name}": {count} labels for {len(dofs)} degrees of freedom')

    @cached_property
    def rotation(self) -> Array:
        """Fixed rotation of the joint's frame in its parent's, shape (3, 3); read-only."""
        return _frozen(euler_rotation(self.orientation), (3, 3))

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


def axis_letter(axis: Array) -> str:
    """Return ``x``, ``-y`` ... for an axis along a coordinate axis, else an empty text."""
    for index, letter in enumerate("xyz"):
        if axis[index] == 1.0:
            return letter
        if axis[index] == -1.0:
            return "-" + letter
    return ""


class Skeleton:
    """An articulated figure. Immutable: editing makes a new one.

    Args:
        name: The figure's name.
        joints: Joints, every parent before its children; the first is the root (parent -1).
        layout: Joints and groups as listed in the .scr file; None derives one group a branch when written.
        source: The file it came from, if any.
        warnings: What the reader noticed but could live with.

    Raises:
        SkeletonError: If the joints do not form one tree in parent-first order, or a name or limit is wrong.
    """

    def __init__(
        self,
        name: str,
        joints: Sequence[Joint],
        layout: Sequence[int | Group] | None = None,
        source: Path | None = None,
        warnings: Sequence[Problem] = (),
    ):
        self.name = name
        self.joints: tuple[Joint, ...] = tuple(joints)
        self.layout: tuple[int | Group, ...] | None = tuple(layout) if layout is not None else None
        self.source = source
        self.warnings: tuple[Problem, ...] = tuple(warnings)
        self._check()
        self._index = {joint.name: i for i, joint in enumerate(self.joints)}

    def _check(self) -> None:
        if not self.joints:
            raise SkeletonError(f'skeleton "{self.name}" has no joints; at least one is needed')
        seen: set[str] = set()
        for i, joint in enumerate(self.joints):
            if joint.name in seen:
                raise SkeletonError(f'joint "{joint.name}" is there twice; names must differ')
            seen.add(joint.name)
            if (i == 0) != (joint.parent == -1) or joint.parent >= i:
                raise SkeletonError(
                    f'joint "{joint.name}" (number {i}) has parent {joint.parent}; '
                    "only the first joint has parent -1, and a parent comes before its children"
                )
            for dof in joint.dofs:
                if not dof.lo <= dof.hi:
                    raise SkeletonError(f'joint "{joint.name}": limit {dof.lo:g} lies above {dof.hi:g}')
                if not abs(float(np.linalg.norm(dof.axis)) - 1.0) < 1e-9:
                    raise SkeletonError(f'joint "{joint.name}": axis {dof.axis.tolist()} is not of unit length')

    # -- names ---------------------------------------------------------------------------------------------------

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of all joints, in skeleton order."""
        return tuple(joint.name for joint in self.joints)

    def joint_index(self, joint: int | str) -> int:
        """Return the index of a joint given by index or name.

        Raises:
            JointError: If there is no such joint.
        """
        if isinstance(joint, str):
            if joint not in self._index:
                raise JointError(f'no joint "{joint}" in skeleton "{self.name}"; it has {", ".join(self.joint_names)}')
            return self._index[joint]
        if not 0 <= int(joint) < len(self.joints):
            raise JointError(f'no joint {joint} in skeleton "{self.name}"; valid are 0 to {len(self.joints) - 1}')
        return int(joint)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """Indices of each joint's children."""
        lists: list[list[int]] = [[] for _ in self.joints]
        for i, joint in enumerate(self.joints):
            if joint.parent >= 0:
                lists[joint.parent].append(i)
        return tuple(tuple(children) for children in lists)

    # -- degrees of freedom --------------------------------------------------------------------------------------

    @property
    def n_dofs(self) -> int:
        """Number of degrees of freedom, root translation not counted."""
        return self.first_dof[-1]

    @property
    def nq(self) -> int:
        """Length of a pose: ``3 + n_dofs``."""
        return 3 + self.n_dofs

    @cached_property
    def first_dof(self) -> tuple[int, ...]:
        """Number of each joint's first degree of freedom, and at the end the number of all; ``q`` index is 3 more."""
        first = [0]
        for joint in self.joints:
            first.append(first[-1] + len(joint.dofs))
        return tuple(first)

    @cached_property
    def dof_joints(self) -> tuple[int, ...]:
        """The joint each degree of freedom belongs to."""
        return tuple(i for i, joint in enumerate(self.joints) for _ in joint.dofs)

    @cached_property
    def all_dofs(self) -> tuple[Dof, ...]:
        """All degrees of freedom in skeleton order."""
        return tuple(dof for joint in self.joints for dof in joint.dofs)

    @cached_property
    def dof_names(self) -> tuple[str, ...]:
        """Unique names such as ``"right arm.x"``; a slide's letter has a ``t`` before it."""
        names: list[str] = []
        for joint in self.joints:
            used: set[str] = set()
            for k, dof in enumerate(joint.dofs):
                letter = axis_letter(dof.axis) or str(k + 1)
                letter = ("t" if dof.kind == SLIDE else "") + letter
                if letter in used:
                    letter = f"{letter}{k + 1}"
                used.add(letter)
                names.append(f"{joint.name}.{letter}")
        return tuple(names)

    @cached_property
    def dof_labels(self) -> tuple[str, ...]:
        """What the editor calls each degree of freedom: the file's label, else the joint's name and axis."""
        labels: list[str] = []
        for i, joint in enumerate(self.joints):
            for k, label in enumerate(joint.dof_labels):
                name = self.dof_names[self.first_dof[i] + k]
                text = label or name.replace(".", " ")
                labels.append(text[:1].upper() + text[1:])
        return tuple(labels)

    @cached_property
    def limits(self) -> Array:
        """Limits of each degree of freedom, shape (n_dofs, 2), [rad] or [m]; read-only."""
        return _frozen([[dof.lo, dof.hi] for dof in self.all_dofs], (self.n_dofs, 2))

    # -- poses ---------------------------------------------------------------------------------------------------

    def rest_pose(self) -> Array:
        """Return the pose of all zeros, clamped into the limits, shape (nq,); a new array."""
        q = np.zeros(self.nq)
        q[3:] = np.clip(q[3:], self.limits[:, 0], self.limits[:, 1])
        return q

    def check_pose(self, q: object, batch: bool = False) -> Array:
        """Return ``q`` as a contiguous float64 array after checking its shape and that it is finite.

        Args:
            q: Pose, shape (nq,), or with ``batch`` also (m, nq).
            batch: Whether many poses at once are allowed.

        Raises:
            PoseError: If the shape is wrong or a value is NaN or infinite.
        """
        try:
            array = np.ascontiguousarray(q, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise PoseError(f"a pose must be numbers: {error}") from None
        if array.shape[-1:] != (self.nq,) or array.ndim > (2 if batch else 1):
            wanted = f"({self.nq},)" + (f" or (m, {self.nq})" if batch else "")
            raise PoseError(f'pose has shape {array.shape}; skeleton "{self.name}" needs {wanted}')
        if not np.isfinite(array).all():
            bad = int(np.argwhere(~np.isfinite(array))[0][-1])
            name = ("x", "y", "z")[bad] + " of the root" if bad < 3 else self.dof_names[bad - 3]
            raise PoseError(f"pose value {bad} ({name}) is {array[..., bad].min():g}; it must be finite")
        return array

    # -- derived structure ---------------------------------------------------------------------------------------

    @cached_property
    def mirror_pairs(self) -> tuple[tuple[int, int], ...]:
        """Pairs of joint indices that are each other's counterpart, lower index first."""
        pairs: set[tuple[int, int]] = set()
        for i, joint in enumerate(self.joints):
            if joint.mirror is not None and joint.mirror in self._index:
                j = self._index[joint.mirror]
                pairs.add((min(i, j), max(i, j)))
        return tuple(sorted(pairs))

    @cached_property
    def compounds(self) -> tuple[tuple[int, ...], ...]:
        """Rotary degrees of freedom that share one place, two or three at a time, as tuples of DOF numbers."""
        from core.skeleton.compound import find_compounds

        return find_compounds(self)

    @cached_property
    def groups(self) -> tuple[tuple[str, tuple[int, ...]], ...]:
        """Innermost groups in file order: (name, joint indices). Joints outside all groups come under ``""``."""
        if self.layout is None:
            return (("", tuple(range(len(self.joints)))),)
        found: list[tuple[str, list[int]]] = []

        def visit(name: str, items: Sequence[int | Group]) -> None:
            own = [item for item in items if not isinstance(item, Group)]
            if own:
                found.append((name, own))
            for item in items:
                if isinstance(item, Group):
                    visit(item.name, item.items)

        visit("", self.layout)
        return tuple((name, tuple(joints)) for name, joints in found)

    def __repr__(self) -> str:
        return f"Skeleton({self.name!r}, {len(self.joints)} joints, {self.n_dofs} DOF)"
