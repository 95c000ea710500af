"""How a figure is lit: where the key light comes from, and how strong each light is."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_USUAL = np.array([-0.62, 1.05, 0.55]) / np.linalg.norm([-0.62, 1.05, 0.55])
_LOWEST, _HIGHEST = math.radians(10.0), math.radians(85.0)


@dataclass(frozen=True)
class Lights:
    """The lights of a picture.

    Attributes:
        turn: Where the key light is about y, from +z toward +x, [rad].
        height: How high it is above the horizon, 10 to 85 degrees, [rad].
        key: Factor of its strength.
        fill: Of the light from the camera's right.
        rim: Of the one from behind, on edges.
        ambient: Of what comes from all around.
        usual: Whether the key light is exactly that of the editor, whatever ``turn`` and ``height`` are.
    """

    turn: float = math.atan2(-0.62, 0.55)
    height: float = math.asin(float(_USUAL[1]))
    key: float = 1.0
    fill: float = 1.0
    rim: float = 1.0
    ambient: float = 1.0
    usual: bool = False

    @cached_property
    def direction(self) -> Array:
        """Unit direction to the key light in the world, shape (3,); read-only."""
        height = min(max(self.height, _LOWEST), _HIGHEST)
        across = math.cos(height)
        found = np.array([across * math.sin(self.turn), math.sin(height), across * math.cos(self.turn)])
        found = _USUAL.copy() if self.usual else found
        found.setflags(write=False)
        return found

    @cached_property
    def axes(self) -> Array:
        """Right, up and away from the light of what it sees, in the world, shape (3, 3)."""
        right = np.cross([0.0, 1.0, 0.0], self.direction)
        right /= np.linalg.norm(right)
        return np.array([right, np.cross(self.direction, right), -self.direction])

    @property
    def strengths(self) -> tuple[float, float, float, float]:
        """Ambient, key, fill and rim, as the shader takes them."""
        return self.ambient, self.key, self.fill, self.rim

    def turned(self, turn: float, strength: float = 1.0) -> Lights:
        """Return them with the key light elsewhere about y, [rad], and that much stronger."""
        return replace(self, turn=turn, key=self.key * strength, usual=False)


LIGHTS: dict[str, tuple[str, Lights]] = {
    "usual": ("Editor", Lights(usual=True)),
    "studio": ("Studio", Lights(math.radians(-35.0), math.radians(42.0), 1.05, 1.9, 1.3, 0.95)),
    "side": ("Side light", Lights(math.radians(-90.0), math.radians(25.0), 1.15, 0.25, 0.8, 0.45)),
    "back": ("Back light", Lights(math.radians(160.0), math.radians(38.0), 1.0, 0.5, 2.4, 0.45)),
    "soft": ("Soft", Lights(math.radians(-20.0), math.radians(65.0), 0.45, 1.6, 0.6, 1.75)),
}
"""Presets: what each is called, and the lights."""
USUAL = LIGHTS["usual"][1]
