"""Which joints move when a part is dragged or turned by inverse kinematics, as the session says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.words.part_names import part_name, spoken_name
from core.kinematics.chain import Chain, ancestry
from core.posing.drag_session import moved_chain

if TYPE_CHECKING:
    from app.document.session import Session
    from core.skeleton import Skeleton

MODE_TITLES = {"part": "Part", "limb": "Limb", "up_to": "Up to", "body": "Body"}


def chosen_mode(session: Session, skeleton: Skeleton, joint: int) -> str | int:
    """Return what moves a part in the session's mode, as ``core.posing`` takes it.

    A part that does not hang below the joint that "up to" names moves as the limb it belongs to.
    """
    if session.tools.drag_mode != "up_to":
        return str(session.tools.drag_mode)
    return int(session.tools.chain_base) if reaches_base(session, skeleton, joint) else "limb"


def chosen_chain(session: Session, skeleton: Skeleton, joint: int) -> Chain:
    """Return the chain that moves a part in the session's mode."""
    return moved_chain(skeleton, joint, chosen_mode(session, skeleton, joint))


def reaches_base(session: Session, skeleton: Skeleton, joint: int) -> bool:
    """Return whether a part hangs below the joint that "up to" names."""
    return session.tools.chain_base is not None and session.tools.chain_base in ancestry(skeleton, joint)


def chain_title(session: Session, skeleton: Skeleton, joint: int) -> str:
    """Return how the chain above a part is chosen, and why not as asked for where that cannot be."""
    base = session.tools.chain_base
    if session.tools.drag_mode != "up_to":
        return MODE_TITLES[session.tools.drag_mode]
    if base is None:
        return f"{MODE_TITLES['limb']} (no joint chosen to go up to)"
    name = part_name(skeleton.joints[base].name)
    if not reaches_base(session, skeleton, joint):
        return f"{MODE_TITLES['limb']} ({name} is not above)"
    return f"{MODE_TITLES['up_to']} {spoken_name(skeleton.joints[base].name)}"
