"""Locks of several figures as locks of the one that these are joined to, and what is one figure's own in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from core.arrays import Array
from core.constraints.places import Places
from core.kinematics.center_of_mass import center_of_mass, center_of_mass_jacobian
from core.skeleton.joined import Joined
from core.skeleton.skeleton import Skeleton


def joined_lock(lock: Any, member: int, J: Joined, names: Mapping[str, int]) -> Any:
    """Return a lock of a member as a lock of the joined figure, all names inner ones.

    The parts that may help are those of the member, and of the other figure too if the lock is mutual.

    Args:
        lock: The lock.
        member: Whose it is.
        J: The joined figure.
        names: Which members the names of other figures mean.

    Raises:
        JointError: If a member has no such joint.
        KeyError: If the lock names another figure that is not among ``names``.
    """

    def inner(joint: int | str, whose: int = member) -> str:
        return J.joints[J.joint(whose, joint)].name

    changes: dict[str, Any] = {"joint": inner(lock.joint), "mutual": False}
    if lock.target is not None:
        changes["target"] = joined_target(lock, lock.target, member, J, names)
    others: list[str] = []
    if lock.second is not None:
        figure, joint, point = lock.second
        whose = member if figure is None else names[figure]
        changes["other"] = (inner(joint, whose), point)
        if lock.mutual and whose != member:
            others = [J.joints[k].name for k in J.joints_of(whose)]
    elif lock.other is not None:
        changes["other"] = tuple(inner(joint) for joint in lock.other)
    elif lock.mutual:
        others = [J.joints[k].name for figure in lock.figures for k in J.joints_of(names[figure])]
    if lock.joints is not None:
        own = [inner(joint) for joint in lock.joints]
        if inner(0) in own:  # the root's translation helps with the root
            own.append(J.joints[J.place(member)].name)
        changes["joints"] = (*own, *others)
    return replace(lock, **changes)


def joined_target(lock: Any, target: Any, member: int, J: Joined, names: Mapping[str, int]) -> Any:
    """Return a target that a lock of a member has, its own or one of another time, for the joined figure.

    Arguments and errors as of ``joined_lock``.
    """

    def inner(figure: str | None, joint: str) -> str:
        return J.joints[J.joint(member if figure is None else names[figure], joint)].name

    return lock.rule.joined_target(target, inner)


def parted_target(lock: Any, target: Any, member: int, J: Joined, names: Mapping[str, int]) -> Any:
    """Return a target of the joined figure for the member whose lock it is; see ``joined_target``."""
    called: dict[int, str] = {}
    for name, whose in names.items():
        called.setdefault(whose, name)

    def outer(joint: str) -> tuple[str | None, str]:
        whose, number = J.member_of(J.joint_index(joint))
        return None if whose == member else called[whose], J.members[whose].joints[number].name

    return lock.rule.parted_target(target, outer)


def of_one(lock: Any, locks: Sequence[Any], places: Places) -> tuple[Any, list[Any], Places, int]:
    """Return a lock, all locks and the places as they are for the one figure that the lock is about.

    What comes back is what was given, and -1, where the figure is not joined of several. Locks between parts of two
    figures, and of other ones, are left out.

    Returns:
        The lock and the locks with joints of the member by their indices, the member's places, and its number.
    """
    J = places.skeleton
    if not isinstance(J, Joined):
        return lock, list(locks), places, -1
    member = J.member_of(places.index(lock.joint))[0]
    own = Places(J.members[member], places.q[J.columns[member]])

    def outer(each: Any) -> Any | None:
        named = [each.joint, *(each.joints or ())]
        if each.second is not None:
            named.append(each.second[1])
        elif each.other is not None:
            named += each.other
        whose = {name: J.member_of(places.index(name)) for name in named}
        if whose[each.joint][0] != member or (each.second is not None and whose[each.second[1]][0] != member):
            return None
        changes: dict[str, Any] = {"joint": whose[each.joint][1]}
        if each.second is not None:
            changes["other"] = (whose[each.second[1]][1], each.second[2])
        elif each.other is not None:
            changes["other"] = tuple(whose[name][1] for name in each.other)
        if each.joints is not None:
            helping = [whose[name] for name in each.joints]
            changes["joints"] = tuple(joint for k, joint in helping if k == member and joint >= 0) or None
        return replace(each, **changes)

    found = [(each, outer(each)) for each in locks]
    there = next((made for each, made in found if each is lock), None) or outer(lock)
    return there, [made for _, made in found if made is not None], own, member


def center_below(s: Skeleton, q: Array, joint: int) -> Array:
    """Return the centre of mass of the member that a joint belongs to, of the whole figure for -1, shape (3,), [m]."""
    if joint < 0 or not isinstance(s, Joined):
        return center_of_mass(s, q)
    member = s.member_of(joint)[0]
    return center_of_mass(s.members[member], q[s.columns[member]])


def center_jacobian_below(s: Skeleton, q: Array, joint: int) -> Array:
    """Return the Jacobian of :func:`center_below` over the pose, shape (3, nq), rows in world axes; new."""
    if joint < 0 or not isinstance(s, Joined):
        return center_of_mass_jacobian(s, q)
    member = s.member_of(joint)[0]
    own = s.columns[member]
    J = np.zeros((3, s.nq))
    J[:, own] = center_of_mass_jacobian(s.members[member], q[own])
    return J
