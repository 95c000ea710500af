"""Which channels an edit of the pose writes into the key, as the session says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from core.animation.channels import channels_of
from core.animation.key_parts import Names
from core.skeleton.mirroring.sides import with_counterparts

if TYPE_CHECKING:
    from app.document.model import Array

KEY_WHAT: tuple[str, ...] = ("figure", "changed", "selection")
"""The whole figure, the joints that an edit changed, or the selected joints (all if none is)."""


def channels_to_key(document: Any, before: Array, after: Array) -> Names:
    """Return the channels that an edit of the pose keys; None for all, none at all if it changed nothing that counts.

    Args:
        document: The document, with a figure.
        before: Pose before the edit, shape (nq,).
        after: Pose after it.
    """
    what, skeleton = document.session.key_what, document.skeleton
    channels = channels_of(skeleton)
    if what == "selection" and document.selection:
        joints = document.selection
        if document.session.mirror_editing:  # what happens on the other side is to stay too
            joints = with_counterparts(skeleton, joints)
        return frozenset(channels.of_joints(joints, place=True)) or None
    if what != "changed":
        return None
    changed = np.unique(channels.of_value[np.asarray(before) != np.asarray(after)])
    return frozenset(channels.names[number] for number in changed)
