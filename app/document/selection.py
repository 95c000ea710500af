"""Which joints are selected, in the order they were picked; the last is the one that panels show."""

from __future__ import annotations

from collections.abc import Iterable

from core.skeleton import Skeleton

Joints = tuple[int, ...]

REPLACE, ADD, REMOVE, TOGGLE = "replace", "add", "remove", "toggle"
WAYS: tuple[str, ...] = (REPLACE, ADD, REMOVE, TOGGLE)


def checked(skeleton: Skeleton | None, joints: Iterable[int | str]) -> Joints:
    """Return joint indices without doubles.

    Raises:
        JointError: If the figure has no such joint.
    """
    if skeleton is None:
        return ()
    return tuple(dict.fromkeys(skeleton.joint_index(joint) for joint in joints))


def combined(before: Joints, joints: Joints, way: str) -> Joints:
    """Return the selection after picking ``joints`` in one of ``WAYS``.

    Raises:
        ValueError: If the way is unknown.
    """
    if way == REPLACE:
        return joints
    if way == ADD:
        return tuple(dict.fromkeys((*before, *joints)))
    if way == REMOVE:
        return tuple(joint for joint in before if joint not in joints)
    if way == TOGGLE:
        kept = tuple(joint for joint in before if joint not in joints)
        return (*kept, *(joint for joint in joints if joint not in before))
    raise ValueError(f'there is no selection called "{way}"; there are {", ".join(WAYS)}')


def carried_over(selection: Joints, old: Skeleton | None, new: Skeleton | None) -> Joints:
    """Return the selection in another figure: joints of the same names, and one that was renamed."""
    if old is None or new is None:
        return ()
    found = {name: i for i, name in enumerate(new.joint_names)}
    if len(old.joints) == len(new.joints):
        pairs = zip(old.joint_names, new.joint_names, strict=True)
        changed = [(before, after) for before, after in pairs if before != after]
        if len(changed) == 1 and changed[0][1] not in old.joint_names:
            found[changed[0][0]] = found[changed[0][1]]
    names = (old.joints[i].name for i in selection)
    return tuple(found[name] for name in names if name in found)
