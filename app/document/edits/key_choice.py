"""Which channels an edit of the pose writes into the key, as the session says."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from core.animation.channels import channels_of
from core.animation.key_parts import Names
from core.skeleton import Skeleton
from core.skeleton.mirroring.sides import with_counterparts

if TYPE_CHECKING:
    from app.document.session.session import Session
    from core.arrays import Array


def channels_to_key(
    session: Session, skeleton: Skeleton, selected: Iterable[int], before: Array, after: Array
) -> Names:
    """Return the channels that an edit of the pose keys; None for all, none at all if it changed nothing that counts.

    Args:
        session: What the window shares.
        skeleton: The figure.
        selected: Joints that are selected.
        before: Pose before the edit, shape (nq,).
        after: Pose after it.
    """
    channels, joints = channels_of(skeleton), tuple(selected)
    if session.keys.what == "selection" and joints:
        if session.tools.mirror_editing:  # what happens on the other side is to stay too
            joints = with_counterparts(skeleton, joints)
        return frozenset(channels.of_joints(joints, place=True)) or None
    if session.keys.what != "changed":
        return None
    changed = np.unique(channels.of_value[np.asarray(before) != np.asarray(after)])
    return frozenset(channels.names[number] for number in changed)
