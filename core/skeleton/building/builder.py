"""Building and editing figures: a draft whose joints go by name, which becomes a skeleton when it is built."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from core.errors import SkeletonError
from core.skeleton.building.joint_checks import joint_problems, name_problem
from core.skeleton.building.parts import rest_value
from core.skeleton.building.places import Places
from core.skeleton.joint import Joint
from core.skeleton.rerooting.pose_map import PoseMap
from core.skeleton.skeleton import Skeleton

_LISTED = 20


class SkeletonBuilder(Places):
    """A figure under construction.

    Edits act on a draft: the skeleton it began with stays as it is. What makes no sense by itself (a joint that is
    not there, an unknown field) is refused at once and changes nothing; values are checked by :meth:`build`, which
    reports everything that is wrong. :meth:`pose_map` carries poses over.

    Args:
        skeleton: Figure to begin with; None begins without joints.
        name: Name of a figure that begins without joints.

    Example:
        >>> builder = SkeletonBuilder(name="lamp")
        >>> builder.add("foot", mass=2.0)
        >>> builder.add("arm", "foot", offset=(0, 0.05, 0))
        >>> builder.add_dof("arm", "hinge", "x", -0.3, 1.2, "Lean")
        >>> builder.build()
        Skeleton('lamp', 2 joints, 1 DOF)
    """

    @property
    def name(self) -> str:
        """The figure's name."""
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        problem = name_problem(name)
        if problem:
            raise SkeletonError(f"a figure cannot be called that: {problem}")
        self._name = name

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of all joints, in the order of the figure to be: depth first."""
        return tuple(self._order())

    def joint(self, name: str) -> Joint:
        """Return a joint as it stands; mass, centre and inertia are None where they come from the shape.

        Raises:
            JointError: If there is no such joint.
        """
        part = self._part(name)
        order = self._order()
        return replace(part.joint, parent=-1 if part.parent is None else order.index(part.parent))

    def children(self, name: str) -> tuple[str, ...]:
        """Return the names of a joint's children.

        Raises:
            JointError: If there is no such joint.
        """
        return tuple(self._part(name).children)

    def position(self, name: str, *, pose: object = None) -> np.ndarray:
        """Return where a joint's origin is, world, shape (3,), [m]; in the rest pose unless another is given."""
        self._part(name)
        return self._frames(pose)[name][:3, 3].copy()

    def build(self) -> Skeleton:
        """Return the figure, its joints depth first as a .scr file lists them.

        Raises:
            SkeletonError: Listing everything that is wrong, one problem a line.
        """
        order, layout = self._arranged()
        problems = [f'joint "{name}": {text}' for name in order for text in joint_problems(self._parts[name].joint)]
        problem = name_problem(self._name)
        if problem:
            problems.insert(0, f"the figure's name: {problem}")
        if problems:
            more = [f"and {len(problems) - _LISTED} more"] if len(problems) > _LISTED else []
            raise SkeletonError("\n".join(problems[:_LISTED] + more))
        numbers = {name: i for i, name in enumerate(order)}
        joints = []
        for name in order:
            part = self._parts[name]
            joints.append(replace(part.joint, parent=-1 if part.parent is None else numbers[part.parent]))
        source = self._source.source if self._source is not None else None
        return Skeleton(self._name, joints, layout if self._grouped else None, source)

    def pose_map(self) -> PoseMap:
        """Return how poses of the figure the work began with become poses of the figure as it stands now."""
        columns, rest = [0, 1, 2], [0.0, 0.0, 0.0]
        for name in self._order():
            part = self._parts[name]
            columns += [3 + who if who >= 0 else -1 for who in part.dofs]
            rest += [rest_value(dof) for dof in part.joint.dofs]
        return PoseMap(self._source.nq if self._source is not None else 3, tuple(columns), np.array(rest))
