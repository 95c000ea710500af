"""Which parts belong together: groups, limbs, sides, the other side, all others."""

from __future__ import annotations

from collections.abc import Iterable

from core.animation.channels import channels_of
from core.kinematics.chain import drag_chain
from core.skeleton import Skeleton
from core.skeleton.mirroring.pose_mirror import counterpart, on_side, side_of

Joints = tuple[int, ...]


def parts(skeleton: Skeleton) -> Joints:
    """Return the joints that can be seen and picked; all of them where none has a body."""
    return tuple(i for i, joint in enumerate(skeleton.joints) if joint.has_body) or tuple(range(len(skeleton.joints)))


def group_names(skeleton: Skeleton) -> tuple[str, ...]:
    """Return the names of the groups of a figure, in the order of its file."""
    return tuple(name for name, _ in skeleton.groups if name)


def in_group(skeleton: Skeleton, name: str) -> Joints:
    """Return the joints of a group by its name; none if there is no such group."""
    return next((joints for each, joints in skeleton.groups if each == name), ())


def whole_groups(skeleton: Skeleton, joints: Iterable[int]) -> Joints:
    """Return all joints of the groups that some joints are in; one that is in none stands for itself."""
    chosen = tuple(joints)
    found = [each for name, members in skeleton.groups if name and set(members) & set(chosen) for each in members]
    return tuple(dict.fromkeys((*found, *chosen)))


def limb(skeleton: Skeleton, joint: int) -> Joints:
    """Return the limb a joint is in: from the nearest branch down to the joint, and what hangs on it.

    Limbs that hang in pairs on the trunk are limbs of their own.
    """
    found = {each for each in drag_chain(skeleton, joint, "limb").joints if each != 0 or joint == 0}
    below = [joint]
    while below:
        found.update(below)
        children = [child for each in below for child in skeleton.children[each]]
        below = [child for child in children if counterpart(skeleton, child) == child or not _paired(skeleton, child)]
    return tuple(sorted(found))


def _paired(skeleton: Skeleton, joint: int) -> bool:
    """Return whether a joint and its counterpart hang on the same one."""
    other = counterpart(skeleton, joint)
    return skeleton.joints[other].parent == skeleton.joints[joint].parent


def same_side(skeleton: Skeleton, joints: Iterable[int]) -> Joints:
    """Return every part on the sides that some joints are on; of joints in the middle that is the middle."""
    sides = {side_of(skeleton, joint) for joint in joints}
    seen = set(parts(skeleton))
    return tuple(sorted(joint for side in sides for joint in on_side(skeleton, side) if joint in seen))


def other_side(skeleton: Skeleton, joints: Iterable[int]) -> Joints:
    """Return the counterparts of joints in their order; those in the middle are their own."""
    return tuple(dict.fromkeys(counterpart(skeleton, joint) for joint in joints))


def inverted(skeleton: Skeleton, joints: Iterable[int]) -> Joints:
    """Return every part that is not among some joints."""
    chosen = set(joints)
    return tuple(joint for joint in parts(skeleton) if joint not in chosen)


def values_of(skeleton: Skeleton, joints: Iterable[int] | None) -> list[int]:
    """Return the places in a pose that posing some joints may change: whole channels, the root's place too.

    Args:
        skeleton: The figure.
        joints: Indices; None for the whole figure.
    """
    if joints is None:
        return list(range(skeleton.nq))
    channels = channels_of(skeleton)
    names = channels.of_joints(joints, place=True)
    return [] if not names else channels.mask(names).nonzero()[0].tolist()
