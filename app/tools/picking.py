"""Which part the pointer means: the one under it, else one it misses by a few pixels."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.tools.base import ToolView
    from app.viewport.scene import Scene
    from core.kinematics.picking import Hit

SLACK = 6.0
"""A part that the pointer misses by no more than about this is still taken, [px]."""
_RINGS = ((0.5 * SLACK, 4), (SLACK, 8))
_OFFSETS = tuple(
    tuple(
        (radius * math.cos(2.0 * math.pi * k / count), radius * math.sin(2.0 * math.pi * k / count))
        for k in range(count)
    )
    for radius, count in _RINGS
)


def pick_near(scene: Scene, view: ToolView, x: float, y: float) -> Hit | None:
    """Return the part under a pixel, or the one that is missed by at most ``SLACK`` pixels.

    A part right under the pixel always wins. Else rays are cast in rings around it; the innermost ring that hits
    anything counts, and in it the part nearest to the eye.

    Args:
        scene: The posed figure.
        view: Gives the rays.
        x: Logical pixels from the view's left.
        y: Logical pixels from its top.
    """
    exact = scene.pick(*view.ray(x, y))
    if exact is not None:
        return exact
    for ring in _OFFSETS:
        hits = [hit for dx, dy in ring if (hit := scene.pick(*view.ray(x + dx, y + dy))) is not None]
        if hits:
            return min(hits, key=lambda hit: hit.distance)
    return None
