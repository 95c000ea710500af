"""Frames that something was found at: the ruler of the timeline marks them, and says what it is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class MarkedSpan:
    """Frames that something was found at.

    Attributes:
        first: First frame.
        last: Last frame.
        text: What it is, for a person.
    """

    first: int
    last: int
    text: str
