"""Channels: what is keyed and interpolated as one, the root's place or all degrees of freedom of a joint."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

import numpy as np

from core.animation.curves.compound_joints import CompoundJoints
from core.arrays import Bools, Ints
from core.errors import JointError
from core.skeleton import Skeleton
from core.skeleton.joint import Group
from core.skeleton.per_skeleton import per_skeleton

PLACE = ""
"""Name of the channel that is the root's place; every other one is named after its (first) joint."""


class Channels:
    """The channels of a figure, in the order of the pose's values; ``channels_of`` gives them.

    Joints that share a compound are one channel, named after the first of them. Joints without degrees of freedom
    have none.

    Attributes:
        figure: Name of the figure.
        names: Their names; the first is the root's place, ``""``.
        columns: Where each one's values stand in a pose, index arrays.
        of_value: Number of the channel of each value of a pose, shape (nq,); read-only.
        joints: Indices of the joints of each channel; none of the root's place.
        compounds: Where the three angles that are interpolated as one rotation stand in a pose, for each channel that
            has such; None for the others.
    """

    def __init__(self, skeleton: Skeleton):
        lead: dict[int, int] = {}
        for dofs in skeleton.compounds:
            joints = sorted({skeleton.dof_joints[dof] for dof in dofs})
            first = next((lead[joint] for joint in joints if joint in lead), joints[0])
            lead.update(dict.fromkeys(joints, first))
        members: dict[int, list[int]] = {}
        for joint in dict.fromkeys(skeleton.dof_joints):
            members.setdefault(lead.get(joint, joint), []).append(joint)
        self.figure, self._joint_names = skeleton.name, skeleton.joint_names
        self._groups = _grouped(skeleton)
        self.joints: tuple[tuple[int, ...], ...] = ((), *(tuple(joints) for joints in members.values()))
        self.names: tuple[str, ...] = (PLACE, *(skeleton.joints[first].name for first in members))
        self.of_value: Ints = np.zeros(skeleton.nq, dtype=np.intp)
        self._of_joint: dict[int, int] = {}
        for number, own in enumerate(self.joints[1:], start=1):
            self._of_joint.update(dict.fromkeys(own, number))
            for joint in own:
                self.of_value[3 + skeleton.first_dof[joint] : 3 + skeleton.first_dof[joint + 1]] = number
        self.of_value.setflags(write=False)
        self.columns: tuple[Ints, ...] = tuple(np.flatnonzero(self.of_value == n) for n in range(len(self.names)))
        for column in self.columns:
            column.setflags(write=False)
        self._index = {name: number for number, name in enumerate(self.names)}
        found: list[Ints | None] = [None] * len(self.names)
        for columns in CompoundJoints(skeleton).columns:
            found[self.of_value[columns[0]]] = columns
        self.compounds: tuple[Ints | None, ...] = tuple(found)
        self._masks: dict[frozenset[str], Bools] = {}

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self._index

    @cached_property
    def all(self) -> frozenset[str]:
        """Names of all channels as a set."""
        return frozenset(self.names)

    @property
    def compound(self) -> tuple[bool, ...]:
        """Whether each channel holds three angles that are interpolated as one rotation."""
        return tuple(columns is not None for columns in self.compounds)

    def index(self, channel: str | int) -> int:
        """Return the number of a channel given by its name, or by any joint in it, by name or index.

        Raises:
            JointError: If there is none.
        """
        if isinstance(channel, str) and channel in self._index:
            return self._index[channel]
        joint = self._joint(channel)
        if joint not in self._of_joint:
            raise JointError(f'joint "{self._joint_names[joint]}" does not move; it has no degree of freedom to key')
        return self._of_joint[joint]

    def of_joints(self, joints: Iterable[str | int], place: bool = False) -> tuple[str, ...]:
        """Return the names of the channels that joints belong to, each once, in the order of the figure.

        Args:
            joints: Names or indices; those without degrees of freedom have no channel.
            place: Whether the root's place is added if the root is among the joints.

        Raises:
            JointError: If there is no such joint.
        """
        indices = {self._joint(joint) for joint in joints}
        numbers = {self._of_joint[joint] for joint in indices if joint in self._of_joint}
        if place and 0 in indices:
            numbers.add(0)
        return tuple(self.names[number] for number in sorted(numbers))

    def of_group(self, group: str, place: bool = True) -> tuple[str, ...]:
        """Return the names of the channels of a group of the figure's file, of the groups in it too.

        Raises:
            JointError: If the figure has no such group.
        """
        if group not in self._groups:
            known = ", ".join(name for name in self._groups if name) or "none"
            raise JointError(f'no group "{group}" in skeleton "{self.figure}"; it has {known}')
        return self.of_joints(self._groups[group], place)

    def checked(self, names: Iterable[str], what: str = "these channels") -> frozenset[str]:
        """Return names of channels as a set.

        Raises:
            JointError: If there is no such channel, or no name at all.
        """
        chosen = frozenset([names] if isinstance(names, str) else names)
        strange = sorted((name for name in chosen if name not in self._index), key=str)
        if strange:
            known = ", ".join(name for name in self.names if name)
            raise JointError(
                f'{what}: "{strange[0]}" is not a channel of skeleton "{self.figure}"; '
                f'valid are {known}, and "" for the place of the root'
            )
        if not chosen:
            raise JointError(f"{what}: no channel is named; at least one is needed")
        return chosen

    def mask(self, names: Iterable[str] | None) -> Bools:
        """Return which values of a pose belong to channels, shape (nq,); read-only. None stands for all channels.

        Raises:
            JointError: If there is no such channel.
        """
        chosen = self.all if names is None else frozenset(names)
        mask = self._masks.get(chosen)
        if mask is None:
            mask = np.isin(self.of_value, [self.index(name) for name in chosen])
            mask.setflags(write=False)
            self._masks[chosen] = mask
        return mask

    def _joint(self, joint: Any) -> int:
        if isinstance(joint, str):
            if joint not in self._joint_names:
                known = ", ".join(self._joint_names)
                raise JointError(f'no joint "{joint}" in skeleton "{self.figure}"; it has {known}')
            return self._joint_names.index(joint)
        if isinstance(joint, bool) or not isinstance(joint, (int, np.integer)):
            raise JointError(f"{joint!r} is not a joint; a joint is given by its name or its number")
        if not 0 <= joint < len(self._joint_names):
            most = len(self._joint_names) - 1
            raise JointError(f'no joint {joint} in skeleton "{self.figure}"; valid are 0 to {most}, or a name')
        return int(joint)


def _grouped(skeleton: Skeleton) -> dict[str, tuple[int, ...]]:
    """Return the joints of every group, those of the groups in it included."""
    found: dict[str, list[int]] = {}

    def visit(name: str, items: Iterable[int | Group]) -> list[int]:
        joints: list[int] = []
        for item in items:
            joints += visit(item.name, item.items) if isinstance(item, Group) else [item]
        found.setdefault(name, []).extend(joints)
        return joints

    visit("", skeleton.layout if skeleton.layout is not None else range(len(skeleton.joints)))
    return {name: tuple(joints) for name, joints in found.items()}


@per_skeleton
def channels_of(skeleton: Skeleton) -> Channels:
    """Return the channels of a figure; they are worked out once and kept as long as the figure lives."""
    return Channels(skeleton)
