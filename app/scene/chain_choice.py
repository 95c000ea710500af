"""Which joints move when a part is dragged or turned by inverse kinematics, as the session says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.words.part_names import part_name, spoken_name
from core.kinematics.chain import Chain, ancestry, drag_chain

if TYPE_CHECKING:
    from app.document.session.session import Session
    from core.skeleton import Skeleton

MODE_TITLES = {"part": "Part", "limb": "Limb", "up_to": "Up to", "body": "Body"}


def chosen_chain(session: Session, skeleton: Skeleton, joint: int) -> Chain:
    """Return the chain that moves a part in the session's mode.

    A part that does not hang below the joint that "up to" names moves as the limb it belongs to.
    """
    if session.tools.drag_mode != "up_to":
        return drag_chain(skeleton, joint, session.tools.drag_mode)
    if not reaches_base(session, skeleton, joint):
        return drag_chain(skeleton, joint)
    return drag_chain(skeleton, joint, "up_to", session.tools.chain_base)


def reaches_base(session: Session, skeleton: Skeleton, joint: int) -> bool:
    """Return whether a part hangs below the joint that "up to" names."""
    return session.tools.chain_base is not None and session.tools.chain_base in ancestry(skeleton, joint)


def is_whole_figure(skeleton: Skeleton, chain: Chain) -> bool:
    """Return whether moving this chain can only mean the figure as a whole: it is the root's own segment."""
    return not chain.dofs or all(skeleton.joints[j].parent < 0 for j in chain.joints)


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
