"""Names of eases as a person reads them."""

from __future__ import annotations

_SHOWN = {"follow through": "overshoot", "own": "custom"}


def ease_name(name: str) -> str:
    """Return what a preset of ``EASES`` is called on the screen; ``"own"`` is a curve that is none of them."""
    return _SHOWN.get(name, name)
