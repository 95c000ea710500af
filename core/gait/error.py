"""What is wrong with a gait that is asked for."""

from __future__ import annotations

from core.errors import CoreError


class GaitError(CoreError):
    """A figure cannot walk, or cannot walk like that."""
