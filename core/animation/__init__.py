"""Sequences of keys and what lies between them."""

from core.animation.channels import Channels, channels_of
from core.animation.clip import Clip
from core.animation.key import INTERPOLATIONS, Key
from core.animation.locks.strip import LockStrip
from core.animation.locks.target_keys import TargetKey
from core.animation.sequence import Sequence
from core.animation.shape import EASES, Ease, Shape

__all__ = [
    "EASES",
    "INTERPOLATIONS",
    "Channels",
    "Clip",
    "Ease",
    "Key",
    "LockStrip",
    "Sequence",
    "Shape",
    "TargetKey",
    "channels_of",
]
