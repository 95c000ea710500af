"""Which joints are selected, in the order they were picked; the last is the one that panels show."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from core.skeleton import Skeleton

Joints = tuple[int, ...]

REPLACE, ADD, REMOVE, TOGGLE = "replace", "add", "remove", "toggle"
MODES: tuple[str, ...] = (REPLACE, ADD, REMOVE, TOGGLE)


def checked(skeleton: Skeleton | None, joints: Iterable[int | str]) -> Joints:
    """Return joint indices without doubles.

    Raises:
        JointError: If the figure has no such joint.
    """
    if skeleton is None:
        return ()
    return tuple(dict.fromkeys(skeleton.joint_index(joint) for joint in joints))


def combined(before: Joints, joints: Joints, mode: str) -> Joints:
    """Return the selection after picking ``joints`` in one of ``MODES``.

    Raises:
        ValueError: If the way is unknown.
    """
    if mode == REPLACE:
        return joints
    if mode == ADD:
        return tuple(dict.fromkeys((*before, *joints)))
    if mode == REMOVE:
        return tuple(joint for joint in before if joint not in joints)
    if mode == TOGGLE:
        kept = tuple(joint for joint in before if joint not in joints)
        return (*kept, *(joint for joint in joints if joint not in before))
    raise ValueError(f'there is no selection called "{mode}"; there are {", ".join(MODES)}')


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


class Selection:
    """The joints that are selected.

    Args:
        skeleton: Returns the active figure, or None.
        changed: Called when other joints are selected.
    """

    def __init__(self, skeleton: Callable[[], Skeleton | None], changed: Callable[[], None]):
        self._skeleton, self._changed = skeleton, changed
        self._joints: Joints = ()

    @property
    def joints(self) -> Joints:
        """Selected joints in the order they were picked."""
        return self._joints

    def set(self, joints: Iterable[int | str], mode: str = REPLACE) -> None:
        """Select joints by index or name.

        Args:
            joints: The joints.
            way: ``"replace"``, ``"add"``, ``"remove"`` or ``"toggle"``.

        Raises:
            JointError: If the figure has no such joint.
        """
        chosen = combined(self._joints, checked(self._skeleton(), joints), mode)
        if chosen != self._joints:
            self._joints = chosen
            self._changed()

    def carry_over(self, old: Skeleton | None, new: Skeleton | None) -> bool:
        """Select the same joints of another figure, without a call of ``changed``; return whether they are others."""
        before, self._joints = self._joints, carried_over(self._joints, old, new)
        return before != self._joints

    def forget(self) -> bool:
        """Select nothing, without a call of ``changed``; return whether anything was selected."""
        before, self._joints = self._joints, ()
        return bool(before)
