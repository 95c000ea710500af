"""Several figures as one: what holds figures together is solved with all of them in one tree.

A joined figure is worked with only while something is solved, and never shown, kept in a file or edited. Its pose is
three zeros and then the poses of its members one after the other, so that it is put together and taken apart by
copying; forward kinematics of it gives the members' own frames bit for bit.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from weakref import WeakValueDictionary

import numpy as np

from core.arrays import Array
from core.errors import PoseError, SkeletonError
from core.skeleton.dof import SLIDE, Dof
from core.skeleton.joint import Joint
from core.skeleton.skeleton import Skeleton
from core.skeleton.ties import renamed

WORLD = "world"
"""Name of the joint that everything hangs on."""

_PLACE = tuple(Dof(SLIDE, axis, -np.inf, np.inf) for axis in np.eye(3))


class Joined(Skeleton):
    """Several figures that hang on one joint that cannot move, made by :func:`joined`.

    Member k has a joint ``"k/place"``, whose three slides are the root's translation, and below it all its joints under
    the names ``"k/NAME"``. A figure may be a member more than once.

    Args:
        members: The figures, at least one.

    Attributes:
        members: The figures.

    Raises:
        SkeletonError: If there are none.
    """

    FIXED = (0, 1, 2)
    """Pose values that are zero and that nothing may move: the place of the joint that everything hangs on."""

    def __init__(self, members: tuple[Skeleton, ...]):
        if not members:
            raise SkeletonError("no figures to join; at least one is needed")
        self.members = members
        joints = [Joint(WORLD, -1, mass=0.0)]
        first = []
        for k, member in enumerate(members):
            first.append(len(joints))
            joints.extend(_hung(k, member, len(joints)))
        self._first = tuple(first)
        super().__init__(" and ".join(member.name for member in members), joints)

    @cached_property
    def columns(self) -> tuple[slice, ...]:
        """Where the pose of each member stands in the pose of all."""
        ends = np.cumsum([3, *(member.nq for member in self.members)]).tolist()
        return tuple(slice(a, b) for a, b in itertools.pairwise(ends))

    @cached_property
    def roots(self) -> tuple[slice, ...]:
        """Where the place and the root joint's own values of each member stand."""
        return tuple(
            slice(own.start, own.start + 3 + len(member.joints[0].dofs))
            for own, member in zip(self.columns, self.members, strict=True)
        )

    def join(self, poses: Sequence[Array]) -> Array:
        """Return the pose or poses of all from those of the members, shape (nq,) or (m, nq); new.

        Args:
            poses: Of each member its pose, shape (nq_k,), or its poses, shape (m, nq_k).

        Raises:
            PoseError: If there are not as many as members, or one has the wrong shape.
        """
        given = [np.asarray(pose, dtype=np.float64) for pose in poses]
        if len(given) != len(self.members):
            raise PoseError(f"{len(given)} poses for {len(self.members)} figures; one for each is needed")
        for pose, member in zip(given, self.members, strict=True):
            if pose.shape != (*given[0].shape[:-1], member.nq):
                raise PoseError(f'pose has shape {pose.shape}; skeleton "{member.name}" has {member.nq} values')
        return np.concatenate([np.zeros((*given[0].shape[:-1], 3)), *given], axis=-1)

    def split(self, q: Array) -> tuple[Array, ...]:
        """Return the members' poses in a pose or poses of all, as views: (nq_k,) each of (nq,), (m, nq_k) of (m, nq).

        Raises:
            PoseError: If the shape is wrong.
        """
        if q.shape[-1] != self.nq:
            raise PoseError(f'pose has shape {q.shape}; "{self.name}" has {self.nq} values')
        return tuple(q[..., own] for own in self.columns)

    def joint(self, member: int, joint: int | str) -> int:
        """Return the index here of a member's joint, given by its index or name there.

        Raises:
            JointError: If the member has no such joint.
        """
        return self._first[member] + 1 + self.members[member].joint_index(joint)

    def place(self, member: int) -> int:
        """Return the index of the joint whose slides are a member's place."""
        return self._first[member]

    def member_of(self, joint: int) -> tuple[int, int]:
        """Return whose joint one is and its index there; (k, -1) for a place, (-1, -1) for the world."""
        member = int(np.searchsorted(self._first, joint, side="right")) - 1
        return (member, joint - self._first[member] - 1) if member >= 0 else (-1, -1)

    def joints_of(self, member: int) -> range:
        """Return the indices here of all joints of a member, its place among them."""
        first = self._first[member]
        return range(first, first + 1 + len(self.members[member].joints))


_kept: WeakValueDictionary[tuple[int, ...], Joined] = WeakValueDictionary()
"""By the members' identities, which nothing else has while what is kept here holds them."""


def joined(members: Sequence[Skeleton]) -> Joined:
    """Return several figures as one, the same for the same figures as long as anybody has it.

    Raises:
        SkeletonError: If there are none.
    """
    name = tuple(map(id, members))
    found = _kept.get(name)
    if found is None:
        found = _kept[name] = Joined(tuple(members))
    return found


def is_prop(s: Skeleton) -> bool:
    """Return whether a figure is one thing that is carried about: none of its joints moves but the root."""
    return not any(joint.dofs for joint in s.joints[1:])


def _hung(k: int, member: Skeleton, first: int) -> list[Joint]:
    """Return the joints of member k below the place that stands at index ``first``.

    What a figure worked out of its masses stays as it is: it goes by all of the figure.
    """
    names = {joint.name: f"{k}/{joint.name}" for joint in member.joints}
    found = [Joint(f"{k}/place", 0, offset=member.joints[0].offset, dofs=_PLACE, mass=0.0)]
    if f"{k}/place" in names.values():
        found = [replace(found[0], name=f"{k}//place")]
    for i, joint in enumerate(member.joints):
        found.append(
            replace(
                renamed(joint, names),
                name=names[joint.name],
                parent=first + 1 + joint.parent if i else first,
                offset=joint.offset if i else np.zeros(3),
                mirror=None if joint.mirror is None else names.get(joint.mirror),
                assumed={},
            )
        )
    return found
