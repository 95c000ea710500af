"""Figures moved by physics between their keys, and what the physics of keyed motion is.

from core.preview import PhysicsSettings, Preview

preview = Preview(sequence, frame, PhysicsSettings(gravity=9.81, step=1 / 240, floor=None))
preview.advance().energy
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from core.preview.preview import Preview
    from core.preview.settings import PhysicsSettings

__all__ = ["PhysicsSettings", "Preview"]


def __getattr__(name: str) -> Any:
    """Load what is asked for only then: a window that shows no physics needs none of it."""
    if name == "Preview":
        from core.preview.preview import Preview

        return Preview
    if name == "PhysicsSettings":
        from core.preview.settings import PhysicsSettings

        return PhysicsSettings
    raise AttributeError(f"core.preview has no {name}")
