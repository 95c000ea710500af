"""An edit of hybrid strips by hand, from press to release: shown while it lasts, one undo step in the end."""

from __future__ import annotations

from app.document.edits.edits import hybrid_changes, hybrids_of
from app.document.gestures.strip_gesture import StripsGesture
from core.animation.hybrid.strip import HybridStrip


class HybridGesture(StripsGesture[HybridStrip]):
    """A live edit of the active sequence's hybrid strips."""

    _of = staticmethod(hybrids_of)
    _changes = staticmethod(hybrid_changes)
