"""Which formulations take which models."""

from __future__ import annotations

from core.dynamics import FORMULATIONS

HINGES_AND_BALLS = ("hakenberg",)
"""Those that take no other joints, and no body without mass that moves."""
ANY_JOINT = tuple(name for name in FORMULATIONS if name not in HINGES_AND_BALLS)
