"""Filling in what a lock holds from where its part stands."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from core.constraints.lock import Lock
from core.constraints.places import Figures, Places
from core.errors import JointError, LockError
from core.skeleton.skeleton import Skeleton


def bind(lock: Lock, s: Skeleton, q: Any, figures: Figures | None = None) -> Lock:
    """Return the lock with its target filled from where the part stands; one that has a target stays as it is.

    Args:
        lock: The lock.
        s: Its figure.
        q: Pose, shape (nq,), [m] and [rad].
        figures: Other figures that it may name, ``{name: (skeleton, pose)}``.

    Raises:
        LockError: If the figure has no such joint, or the pose leaves the target undetermined.
        PoseError: If ``q`` has the wrong shape or holds NaN or infinity.
    """
    return bind_in(lock, Places(s, q, figures))


def bind_in(lock: Lock, places: Places) -> Lock:
    """Return the lock bound as :func:`bind` does, where the figures' frames are known already."""
    check_joints(lock, places)
    return lock if lock.target is not None else replace(lock, target=lock.rule.target_at(lock, places))


def check_joints(lock: Lock, places: Places) -> None:
    """Check that every joint and figure that a lock names is there.

    Raises:
        LockError: If one is not; names the lock, and what there is.
    """
    where = f'{lock.kind} lock of joint "{lock.joint}"'
    try:
        places.skeleton.joint_index(lock.joint)
        for joint in lock.joints or ():
            places.skeleton.joint_index(joint)
        if lock.second is not None:
            figure, joint, _ = lock.second
            places.figure(figure)[0].joint_index(joint)
        elif lock.other is not None:
            for joint in lock.other:
                places.skeleton.joint_index(joint)
    except JointError as error:
        raise LockError(f"{where}: {error}") from None
    if lock.target is not None:
        lock.rule.check_figure(lock.target, places.skeleton)
        lock.rule.check_others(lock.target, lambda name: places.figure(name)[0])
