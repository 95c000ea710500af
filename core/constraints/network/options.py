"""What the function blocks of one lock share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.constraints.lock_terms import LockTerms
from core.constraints.network.handles.base import Handle
from core.constraints.network.jacobian import Ints
from core.constraints.network.network import Network
from core.constraints.places import Places


class Options:
    """What the blocks of one lock share; called with a weight it gives the keywords of a block.

    Attributes:
        locks: All locks, bound.
        places: Where the figures are when the network is made.
        elements: Elements that may move to keep the lock; None is all.
    """

    def __init__(self, locks: Sequence[LockTerms], places: Places, elements: Ints | None):
        self.locks, self.places, self.elements = locks, places, elements

    def __call__(self, weight: float) -> dict[str, Any]:
        """Return the keywords of ``Constraint`` for a block of a weight."""
        return {"weight": weight, "elements": self.elements}

    def second(self, lock: LockTerms, network: Network) -> Handle:
        """Return the handle of a lock's second part."""
        assert lock.second is not None
        figure, joint, point = lock.second
        return network.point(joint, point, figure)
