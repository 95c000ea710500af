"""Figures moved by physics between their keys, and what the physics of keyed motion is.

from core.preview import PhysicsSettings, Preview

preview = Preview(sequence, frame, PhysicsSettings(gravity=9.81, step=1 / 240, floor=None))
preview.advance().energy
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from core.preview.preview import Preview
    from core.preview.secondary_motion import SecondaryMotion
    from core.preview.settings import PhysicsSettings
    from core.preview.strands import Strand

__all__ = ["PhysicsSettings", "Preview", "SecondaryMotion", "Strand"]


def __getattr__(name: str) -> Any:
    """Load what is asked for only then: a window that shows no physics needs none of it."""
    if name == "Preview":
        from core.preview.preview import Preview

        return Preview
    if name == "PhysicsSettings":
        from core.preview.settings import PhysicsSettings

        return PhysicsSettings
    if name == "SecondaryMotion":
        from core.preview.secondary_motion import SecondaryMotion

        return SecondaryMotion
    if name == "Strand":
        from core.preview.strands import Strand

        return Strand
    raise AttributeError(f"core.preview has no {name}")
