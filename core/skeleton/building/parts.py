"""What a figure under construction is kept as: joints by name, and where each stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

import numpy as np

from core.arrays import Array
from core.errors import JointError, PoseError, SkeletonError
from core.skeleton.dof import SLIDE, Dof
from core.skeleton.frames import local_frame
from core.skeleton.joint import Group, Joint
from core.skeleton.layout import Openings, arranged, openings
from core.skeleton.mirroring.mirror import counterpart_names
from core.skeleton.rerooting.reframe import ObjectFiles
from core.skeleton.scr.lexer import nearest, shortened
from core.skeleton.skeleton import Skeleton


@dataclass(eq=False)
class Part:
    """A joint under construction.

    Attributes:
        joint: Its values, what is worked out from shapes left open; its ``parent`` means nothing.
        parent: Name of the parent, None for the root.
        children: Names of the children, in order.
        opened: Groups that open between the parent and this joint.
        dofs: Who each degree of freedom is: its number in the figure the work began with, or a negative number.
    """

    joint: Joint
    parent: str | None
    children: list[str] = field(default_factory=list)
    opened: Openings = ()
    dofs: tuple[int, ...] = ()


def rest_value(dof: Dof) -> float:
    """Return a degree of freedom's value at rest: 0, or the limit nearest to it."""
    return min(max(0.0, dof.lo), dof.hi)


class Parts:
    """Joints by name and the tree they form; what all builder modules stand on.

    Args:
        skeleton: Figure to begin with; it is never changed.
        name: Name of a figure that begins without joints.
    """

    def __init__(self, skeleton: Skeleton | None = None, name: str = "figure"):
        self._source = skeleton
        self._name = skeleton.name if skeleton is not None else name
        self._parts: dict[str, Part] = {}
        self._root: str | None = None
        self._new_dofs = count(-1, -1)
        self._grouped = skeleton is not None and skeleton.layout is not None
        if skeleton is not None:
            self._take(skeleton)

    def _take(self, skeleton: Skeleton) -> None:
        names = skeleton.joint_names
        self._root = names[0]
        opened = openings(skeleton)
        for i, joint in enumerate(skeleton.joints):
            own = tuple(range(skeleton.first_dof[i], skeleton.first_dof[i + 1]))
            parent = names[joint.parent] if joint.parent >= 0 else None
            self._parts[joint.name] = Part(joint.as_given(), parent, [], opened[i], own)
            if parent is not None:
                self._parts[parent].children.append(joint.name)

    # -- names -------------------------------------------------------------------------------------------------------

    def _part(self, name: str) -> Part:
        """Return the part of a name.

        Raises:
            JointError: If there is none; it suggests the name most like it.
        """
        if name in self._parts:
            return self._parts[name]
        near = nearest(name, self._parts) if isinstance(name, str) else None
        known = ", ".join(self._parts) or "no joints yet"
        guess = f'did you mean "{near}"?' if near else f"it has {shortened(known, 300)}"
        raise JointError(f'no joint "{shortened(str(name))}" in skeleton "{self._name}"; {guess}')

    def _branch(self, name: str) -> list[str]:
        """Return a joint and all that hangs on it, parents first."""
        found, waiting = [], [name]
        while waiting:
            at = waiting.pop()
            found.append(at)
            waiting.extend(reversed(self._parts[at].children))
        return found

    def _counterpart(self, name: str) -> str | None:
        """Return the name of a joint's counterpart on the other side, if there is such a joint."""
        known = self._counterparts().get(name)
        if known is not None:
            return known
        return next((other for other in counterpart_names(name) if other in self._parts), None)

    def _counterparts(self) -> dict[str, str]:
        """Return the counterpart's name for each joint that is one of a pair, even if only one of the two says so."""
        pairs = ((name, part.joint.mirror) for name, part in self._parts.items())
        found = {name: mirror for name, mirror in pairs if mirror is not None and mirror in self._parts}
        for name, mirror in list(found.items()):
            found.setdefault(mirror, name)
        return found

    def _files(self) -> ObjectFiles:
        return ObjectFiles(part.joint for part in self._parts.values())

    # -- order -------------------------------------------------------------------------------------------------------

    def _arranged(self) -> tuple[list[str], tuple[int | Group, ...]]:
        """Return the joints in the order of the figure to be, and its layout."""
        if self._root is None:
            raise SkeletonError(f'skeleton "{self._name}" has no joints; at least one is needed')
        children = {name: part.children for name, part in self._parts.items()}
        return arranged(self._root, children, {name: part.opened for name, part in self._parts.items()})

    def _order(self) -> list[str]:
        return self._arranged()[0] if self._root is not None else []

    # -- frames ------------------------------------------------------------------------------------------------------

    def _values(self, pose: object = None, zero: bool = False) -> tuple[Array, Iterator[tuple[str, Array]]]:
        """Return the root's translation, and each joint's values in order: of a pose, of zeros, or at rest."""
        order = self._order()
        counts = [len(self._parts[name].joint.dofs) for name in order]
        total = 3 + sum(counts)
        if pose is None:
            q = np.zeros(total)
            if not zero:
                q[3:] = [rest_value(dof) for name in order for dof in self._parts[name].joint.dofs]
        else:
            q = np.asarray(pose, dtype=np.float64)
            if q.shape != (total,) or not np.isfinite(q).all():
                raise PoseError(f'pose has shape {q.shape}; skeleton "{self._name}" needs ({total},), all finite')
        ends = 3 + np.cumsum(counts)
        return q[:3], ((name, q[end - size : end]) for name, end, size in zip(order, ends, counts, strict=True))

    def _frames(self, pose: object = None, zero: bool = False) -> dict[str, Array]:
        """Return each joint's world frame, shape (4, 4), in a pose, with every value 0, or in the rest pose."""
        translation, values = self._values(pose, zero)
        frames: dict[str, Array] = {}
        for name, own in values:
            part = self._parts[name]
            local = local_frame(part.joint, own)
            if part.parent is None:
                local[:3, 3] += translation
                frames[name] = local
            else:
                frames[name] = frames[part.parent] @ local
        return frames

    def _above(self, name: str, frames: dict[str, Array], pose: object = None) -> Array:
        """Return the frame that a joint's offset is given in: its parent's, or the world moved with the root."""
        parent = self._parts[name].parent
        if parent is not None:
            return frames[parent]
        world = np.eye(4)
        if pose is not None:
            world[:3, 3] = np.asarray(pose, dtype=np.float64)[:3]
        return world

    def _motion(self, name: str, pose: object = None, zero: bool = False) -> Array:
        """Return what a joint's degrees of freedom do in a pose, ``D_1 .. D_n``, shape (4, 4)."""
        _, values = self._values(pose, zero)
        own = next(value for at, value in values if at == name)
        joint = self._parts[name].joint
        bare = Joint(name, -1, dofs=joint.dofs, dof_labels=joint.dof_labels, type=joint.type)
        return local_frame(bare, own)


def kinds(joint: Joint) -> tuple[bool, ...]:
    """Return for each degree of freedom whether it is a slide."""
    return tuple(dof.kind == SLIDE for dof in joint.dofs)
