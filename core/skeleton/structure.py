"""The structure of a figure: its tree of joints, before anything is made of it (masses, segments, other roots)."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from core.arrays import Array
from core.errors import JointError, PoseError, Problem, SkeletonError
from core.skeleton.dof import COORDINATE, HINGE, SLIDE, Dof, frozen
from core.skeleton.joint import Group, Joint, dof_letters
from core.skeleton.ties import fitting


class Structure:
    """A tree of joints with single degrees of freedom: names, numbers, limits and sides. Immutable.

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
        self.joints: tuple[Joint, ...] = fitting([joint.as_given() for joint in joints])
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
                raise SkeletonError(f'joint "{joint.name}" appears twice; names must differ')
            seen.add(joint.name)
            if (i == 0) != (joint.parent == -1) or joint.parent >= i:
                raise SkeletonError(
                    f'joint "{joint.name}" (number {i}) has parent {joint.parent}; '
                    "only the first joint has parent -1, and a parent comes before its children"
                )
            for dof in joint.dofs:
                if dof.kind not in (HINGE, SLIDE, COORDINATE):
                    raise SkeletonError(
                        f'joint "{joint.name}" has a degree of freedom of kind "{dof.kind}"; '
                        f"valid are {HINGE}, {SLIDE}, {COORDINATE}"
                    )
                if dof.kind == COORDINATE and joint.curved is None:
                    raise SkeletonError(
                        f'joint "{joint.name}" has a {COORDINATE} but no joint type that it belongs to; '
                        f"expected hinges and slides, or a type with its own degrees of freedom alone"
                    )
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
        try:
            index = -1 if isinstance(joint, bool) else operator.index(joint)
        except TypeError:
            index = -1
        if not 0 <= index < len(self.joints):
            last = len(self.joints) - 1
            raise JointError(f'no joint {joint!r} in skeleton "{self.name}"; valid are 0 to {last}, or a name')
        return index

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
    def dof_units(self) -> tuple[str, ...]:
        """What each degree of freedom measures: ``"angle"``, [rad], ``"length"``, [m], or ``"number"``."""
        return tuple(unit for joint in self.joints for unit in joint.units)

    @cached_property
    def dof_names(self) -> tuple[str, ...]:
        """Unique names such as ``"right arm.x"``; a slide's letter has a ``t`` before it."""
        return tuple(f"{joint.name}.{letter}" for joint in self.joints for letter in dof_letters(joint))

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
        """Limits of each degree of freedom, shape (n_dofs, 2), [rad], [m] or plain numbers; read-only."""
        return frozen([[dof.lo, dof.hi] for dof in self.all_dofs], (self.n_dofs, 2))

    # -- poses ---------------------------------------------------------------------------------------------------

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
        return f"{type(self).__name__}({self.name!r}, {len(self.joints)} joints, {self.n_dofs} DOF)"
