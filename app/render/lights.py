"""How a figure is lit: where the key light comes from, and how strong each light is."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

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

    def placed(self, turn: float, height: float | None = None, strength: float = 1.0) -> Lights:
        """Return them with the key light elsewhere, and that much stronger.

        Args:
            turn: Where it is about y, [rad].
            height: How high it is above the horizon, [rad]; None leaves it.
            strength: Factor.
        """
        height = self.height if height is None else height
        return replace(self, turn=turn, height=height, key=self.key * strength, usual=False)


LIGHTS: dict[str, tuple[str, Lights]] = {
    "usual": ("Editor", Lights(usual=True)),
    "studio": ("Studio", Lights(math.radians(-35.0), math.radians(42.0), 1.05, 1.9, 1.3, 0.95)),
    "side": ("Side light", Lights(math.radians(-90.0), math.radians(25.0), 1.15, 0.25, 0.8, 0.45)),
    "back": ("Back light", Lights(math.radians(160.0), math.radians(38.0), 1.0, 0.5, 2.4, 0.45)),
    "soft": ("Soft", Lights(math.radians(-20.0), math.radians(65.0), 0.45, 1.6, 0.6, 1.75)),
}
"""Presets: what each is called, and the lights."""
USUAL = LIGHTS["usual"][1]
KEPT = "lights"
"""Where a file keeps them in how things are viewed."""
KeyLight = tuple[float, float, float]
"""Direction of the key light about y and its height, [degrees], and factor of its strength."""


def lights_of(name: str, key: KeyLight | None = None) -> Lights:
    """Return the lights of a preset, the key light elsewhere if it says so."""
    found = LIGHTS[name][1]
    return found if key is None else found.placed(math.radians(key[0]), math.radians(key[1]), key[2])


def key_light_of(name: str) -> KeyLight:
    """Return where the key light of a preset is; its own strength counts as 1."""
    found = LIGHTS[name][1]
    return math.degrees(found.turn), math.degrees(found.height), 1.0


def words_of(name: str, key: KeyLight | None = None) -> str:
    """Return how the command line writes lights: ``side`` or ``side:60:120:30``."""
    return name if key is None else f"{name}:{key[0]:.6g}:{100.0 * key[2]:.6g}:{key[1]:.6g}"


def lights_record(name: str, key: KeyLight | None) -> dict[str, Any] | None:
    """Return what a file keeps of lights; None for the usual ones."""
    if name == "usual" and key is None:
        return None
    return {"name": name} if key is None else {"name": name, "direction": key[0], "height": key[1], "strength": key[2]}


def lights_from(record: Any) -> tuple[str, KeyLight | None]:
    """Return the name and the key light of a file's record; None is the usual ones.

    Raises:
        KeyError: If something is missing or unknown.
        TypeError: If it is no record.
        ValueError: If a value is no number.
    """
    if record is None:
        return "usual", None
    name = record["name"]
    if name not in LIGHTS:
        raise KeyError(name)
    if "direction" not in record:
        return name, None
    return name, (float(record["direction"]), float(record["height"]), float(record["strength"]))


def kept_lights(view: Mapping[str, Any]) -> Lights:
    """Return the lights that a file keeps in how things are viewed; the usual ones if it names them wrongly."""
    try:
        return lights_of(*lights_from(view.get(KEPT)))
    except (KeyError, TypeError, ValueError):
        return USUAL
