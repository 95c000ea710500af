"""The part of a sequence that has to do with forces: which joints they move when."""

from __future__ import annotations

from collections.abc import Iterable

from core.animation.hybrid.strip import HybridStrip, checked_hybrid_strips
from core.errors import SequenceError
from core.skeleton import Skeleton


class HybridMotion:
    """What a sequence knows about hybrid strips; mixed into ``Sequence``. They change no pose of it by themselves.

    Attributes:
        skeleton: The figure that moves.
        name: Name of the sequence.
    """

    skeleton: Skeleton
    name: str

    def _no_hybrids(self) -> None:
        """Begin without strips; for the constructor."""
        self._hybrids: tuple[HybridStrip, ...] = ()

    @property
    def hybrid_strips(self) -> tuple[HybridStrip, ...]:
        """Hybrid strips, in the order they were made; assign other ones to change them.

        Raises:
            SequenceError: On assigning what is no strip, a joint that is not there, two strips with the same id, or
                two that move a joint at the same time.
        """
        return self._hybrids

    @hybrid_strips.setter
    def hybrid_strips(self, strips: Iterable[HybridStrip]) -> None:
        self._hybrids = checked_hybrid_strips(strips, self.skeleton, f'sequence "{self.name}"')

    def hybrid_strip(self, id: str) -> HybridStrip:
        """Return the hybrid strip with an id.

        Raises:
            SequenceError: If there is none.
        """
        for strip in self._hybrids:
            if strip.id == id:
                return strip
        raise SequenceError(f'sequence "{self.name}" has no hybrid strip "{id}"')
