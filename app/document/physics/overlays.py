"""What physics mode draws over the figure: which marks, how large, and how much of the figure is seen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
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


class PhysicsOverlays(Mapping[str, Overlay]):
    """Which marks are drawn and how large, by name, and how much of the figure is seen.

    Args:
        changed: Called when any of it is another one.
    """

    def __init__(self, changed: Callable[[], None]):
        self._overlays, self._opacity = dict(AT_FIRST), OPACITY
        self._changed = changed

    def __getitem__(self, name: str) -> Overlay:
        return self._overlays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._overlays)

    def __len__(self) -> int:
        return len(self._overlays)

    @property
    def opacity(self) -> float:
        """How much of the figure is seen in physics mode, 0 to 1."""
        return self._opacity

    @opacity.setter
    def opacity(self, value: float) -> None:
        if not 0.0 <= value <= 1.0:
            raise OverlayError(f"opacity {value:g} is out of range; it goes from 0 to 1")
        if value != self._opacity:
            self._opacity = float(value)
            self._changed()

    def set(self, name: str, on: bool | None = None, scale: float | None = None) -> None:
        """Show or hide one kind of mark, or draw it larger or smaller.

        Raises:
            OverlayError: If there is none of that name, or it cannot be so large.
        """
        if name not in self._overlays:
            raise OverlayError(f'there is no overlay "{name}"; there are {", ".join(self._overlays)}')
        wanted = changed(self._overlays[name], on, scale)
        if wanted != self._overlays[name]:
            self._overlays[name] = wanted
            self._changed()
