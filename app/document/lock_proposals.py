"""Locks that are proposed, and not there yet: the timeline shows them, and they are accepted, changed or refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.animation.locks.strip import LockStrip


@dataclass(frozen=True, eq=False)
class LockProposal:
    """A lock that is proposed.

    Attributes:
        strip: The strip that it would be, for one foot from its landing to when it leaves.
        accepted: Whether it is to be made.
    """

    strip: LockStrip
    accepted: bool = True
