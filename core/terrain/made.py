"""Ground made by numbers: hills round a level clearing, and stairs. Beside both the floor at height 0 goes on."""

from __future__ import annotations

import numpy as np

from core.arrays import Array
from core.errors import CoreError
from core.terrain.triangles import Terrain, height_field

_WAVES = 6
_PER_LENGTH = 8.0  # grid lines to the shortest wave
_MOST_LINES = 400
_SHORTEST = 0.6  # of the hills' own length: their waves are that long to 1.4 times it


def hills(
    height: float = 0.3, length: float = 4.0, size: float = 24.0, clearing: float = 1.0, seed: int = 1
) -> Terrain:
    """Return hills of several waves, nowhere below 0: level in the middle, and level again at the rim.

    Args:
        height: Of the highest hill, about, [m].
        length: From one hill to the next, about, [m].
        size: Side of the square that they fill, about the origin, [m].
        clearing: Radius of the level place round the origin, [m].
        seed: Other hills for each number.

    Raises:
        CoreError: If a number makes no sense.
    """
    _check("height", height, 0.0, 100.0)
    _check("length", length, 0.2, 1000.0)
    _check("size", size, 1.0, 1000.0)
    _check("clearing", clearing, 0.0, 1000.0)
    if not isinstance(seed, (int, np.integer)) or isinstance(seed, bool) or not 0 <= seed < 2**32:
        raise CoreError(f"ground: seed of the hills is {seed!r}; it must be a whole number from 0 to {2**32 - 1}")
    number = int(np.clip(np.ceil(size / (_SHORTEST * length) * _PER_LENGTH), 16, _MOST_LINES)) + 1
    spacing = size / (number - 1)
    x = spacing * np.arange(number) - 0.5 * size
    X, Z = np.meshgrid(x, x, indexing="ij")
    random = np.random.default_rng(int(seed))
    waves = np.zeros((number, number))
    for _ in range(_WAVES):
        long, way, phase = length * random.uniform(_SHORTEST, 1.4), *random.uniform(0.0, 2.0 * np.pi, 2)
        waves += long * np.sin(2.0 * np.pi * (np.cos(way) * X + np.sin(way) * Z) / long + phase)
    low, high = waves.min(), waves.max()
    waves = (waves - low) / max(high - low, 1e-300)
    rim = 0.5 * size - np.maximum(np.abs(X), np.abs(Z))
    wide = 0.5 * min(length, size)
    waves *= _eased((np.hypot(X, Z) - clearing) / wide) * _eased(rim / wide)
    return height_field(height * waves / max(float(waves.max()), 1e-300), spacing, (-0.5 * size, -0.5 * size))


def stairs(
    rise: float = 0.17, tread: float = 0.30, number: int = 8, width: float = 2.0, start: float = 0.6,
    landing: float = 3.0,
) -> Terrain:  # fmt: skip
    """Return stairs that go up along z, with a landing behind, and walls at their sides and back.

    Args:
        rise: Height of a step, [m].
        tread: Depth of a step, [m].
        number: Steps; the last is the landing.
        width: Along x, about 0, [m].
        start: Where the first step begins, z, [m].
        landing: Depth of the landing, [m].

    Raises:
        CoreError: If a number makes no sense.
    """
    for name, value, least, most in (
        ("rise", rise, 0.001, 10.0), ("tread", tread, 0.01, 100.0), ("width", width, 0.05, 1000.0),
        ("start", start, -1000.0, 1000.0), ("landing", landing, 0.01, 1000.0),
    ):  # fmt: skip
        _check(name, value, least, most, "stairs")
    if not isinstance(number, (int, np.integer)) or isinstance(number, bool) or not 1 <= number <= 1000:
        raise CoreError(f"ground: number of the stairs is {number!r}; it must be a whole number from 1 to 1000")
    vertices: list[tuple[float, float, float]] = []
    triangles: list[tuple[int, int, int]] = []
    half = 0.5 * width

    def quad(*corners: tuple[float, float, float]) -> None:
        n = len(vertices)
        vertices.extend(corners)
        triangles.extend([(n, n + 1, n + 2), (n, n + 2, n + 3)])

    end = start
    for k in range(int(number)):
        z, low, high = start + k * tread, k * rise, (k + 1) * rise
        end = z + (tread if k < number - 1 else landing)
        quad((-half, low, z), (half, low, z), (half, high, z), (-half, high, z))
        quad((-half, high, z), (half, high, z), (half, high, end), (-half, high, end))
        quad((-half, 0.0, z), (-half, high, z), (-half, high, end), (-half, 0.0, end))
        quad((half, 0.0, end), (half, high, end), (half, high, z), (half, 0.0, z))
    top = number * rise
    quad((half, 0.0, end), (-half, 0.0, end), (-half, top, end), (half, top, end))
    return Terrain(vertices, triangles)


def _eased(share: Array) -> Array:
    share = np.clip(share, 0.0, 1.0)
    return np.asarray(share * share * (3.0 - 2.0 * share))


def _check(name: str, value: object, least: float, most: float, what: str = "hills") -> None:
    number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not number or not least <= value <= most:  # type: ignore[operator]  # it is a number
        raise CoreError(f"ground: {name} of the {what} is {value!r} m; it must lie in {least:g}..{most:g}")
