"""The loops of a figure's file as locks: the two points that meet stay together."""

from __future__ import annotations

from core.constraints.lock import Lock
from core.skeleton.structure import Structure


def loop_locks(skeleton: Structure) -> tuple[Lock, ...]:
    """Return a lock for each loop of a figure, in the order of its joints.

    Each holds the points together in all directions; of a loop of hinges with parallel axes one of these says nothing
    new, which does no harm.
    """
    return tuple(
        Lock(joint.name, "point_pair", loop.point, (0.0, 0.0, 0.0), (loop.other, loop.place))
        for joint in skeleton.joints
        for loop in joint.loops
    )


def is_loop_lock(skeleton: Structure, lock: Lock) -> bool:
    """Return whether a lock is one that a figure's own loops say, whatever its weight."""
    if lock.kind != "point_pair" or not isinstance(lock.joint, str):
        return False
    return any(
        own.joint == lock.joint
        and tuple(own.point) == tuple(lock.point)
        and own.other[0] == (lock.other or ("",))[0]
        and tuple(own.other[-1]) == tuple((lock.other or ((),))[-1])
        for own in loop_locks(skeleton)
    )
