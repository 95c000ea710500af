"""Sequences of keys and what lies between them."""

from core.animation.clip import Clip
from core.animation.key import INTERPOLATIONS, Key
from core.animation.lock_strip import LockStrip, TargetKey
from core.animation.sequence import Sequence

__all__ = ["INTERPOLATIONS", "Clip", "Key", "LockStrip", "Sequence", "TargetKey"]
