"""What of the other side moves along with a drag."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from core.skeleton.mirroring.pose_mirror import pose_mirror

if TYPE_CHECKING:
    from app.document.session import Session
    from core.skeleton import Skeleton


def helping(session: Session, skeleton: Skeleton | None, joints: Iterable[int]) -> dict[str, Any]:
    """Return what a ``Picture`` tints a little while joints are dragged: with mirror editing their counterparts."""
    if skeleton is None or not session.tools.mirror_editing:
        return {}
    others, chain = pose_mirror(skeleton).counterparts, set(joints)
    return {"helping": {others[joint] for joint in chain if joint < len(others)} - chain}
