"""What physics mode draws over the figure: which marks, how large, and how much of the figure is seen."""

from __future__ import annotations

from typing import NamedTuple

from core.errors import CoreError

LEAST_SCALE, MOST_SCALE = 0.1, 10.0
OPACITY = 0.7
"""How much of the figure is seen in physics mode, at first."""


class OverlayError(CoreError):
    """An overlay that does not exist, or a size it cannot have."""


class Overlay(NamedTuple):
    """One kind of mark.

    Attributes:
        on: Whether it is drawn.
        scale: How large, as a factor of its natural size.
    """

    on: bool
    scale: float = 1.0


AT_FIRST: dict[str, Overlay] = {
    "inertia": Overlay(True),
    "hinges": Overlay(True),
    "balls": Overlay(True),
    "contacts": Overlay(True),
    "com": Overlay(True),
    "momentum": Overlay(True),
    "torques": Overlay(False),
    "cones": Overlay(False),
}
"""Inertia ellipsoids, cylinders of hinges, spheres of balls, contact forces (1 m a kN), the centre of mass and its
projection, momentum, torques of joints by colour, friction cones."""


def changed(overlay: Overlay, on: bool | None, scale: float | None) -> Overlay:
    """Return an overlay with another switch or size.

    Raises:
        OverlayError: If the size is out of range.
    """
    if scale is not None and not LEAST_SCALE <= scale <= MOST_SCALE:
        raise OverlayError(f"size {scale:g} is out of range; it goes from {LEAST_SCALE:g} to {MOST_SCALE:g}")
    return Overlay(overlay.on if on is None else bool(on), overlay.scale if scale is None else float(scale))
