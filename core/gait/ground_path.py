"""A path on the ground that a figure follows: a Catmull-Rom spline through points, by its arc length.

Its knots are as far apart as the roots of the chords, so that it neither loops nor overshoots between uneven points
(Yuksel, Schaefer and Keyser 2011, "Parameterization and applications of Catmull-Rom curves", Computer-Aided Design 43,
747-755). Who walks a curve slows down with the third root of its radius (Vieilledent, Kerlirzin, Dalbera and Berthoz
2001, "Relationship between velocity and curvature of a human locomotor trajectory", Neuroscience Letters 305, 65-69).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from core.animation.curves.arc_length import ArcLength
from core.animation.curves.tangents import key_slopes
from core.arrays import Array, Ints
from core.errors import FormatError, Problem
from core.gait.error import GaitError

MOST_POINTS = 2000
SHORTEST = 0.2
"""Length of the shortest path that is followed, [m]."""

_APART = 1e-6  # [m]: points that are nearer are one
_LEAST = 0.35  # of the speed on a straight way: slower it never gets
_WINDOW = 17  # places around one at which the curvature is looked at

Points = tuple[tuple[float, float], ...]


class GroundPath:
    """A path on the ground.

    Args:
        points: Points that it goes through, x and z, shape (n, 2), [m].

    Attributes:
        length: Its length, [m].

    Raises:
        GaitError: If fewer than two of them differ, or it is too short.
    """

    def __init__(self, points: Sequence[tuple[float, float]] | Array):
        p = np.asarray(points, dtype=np.float64).reshape(-1, 2)
        p = p[np.concatenate([[True], np.linalg.norm(np.diff(p, axis=0), axis=1) > _APART])] if len(p) else p
        if len(p) < 2:
            raise GaitError("a path needs two points that differ")
        h = np.sqrt(np.linalg.norm(np.diff(p, axis=0), axis=1))[:, None]
        none = np.zeros((1, 1))
        h_in, h_out = np.concatenate([none, h]), np.concatenate([h, none])
        slopes = key_slopes(np.concatenate([p[:1], p[:-1]]), p, np.concatenate([p[1:], p[-1:]]), h_in, h_out)
        a, b, da, db = p[:-1], p[1:], h * slopes[:-1], h * slopes[1:]
        self._cubics = np.stack([a, da, 3.0 * (b - a) - 2.0 * da - db, 2.0 * (a - b) + da + db], axis=1)
        self._arc = ArcLength(self._cubics)
        self.length = self._arc.total
        if self.length < SHORTEST:
            raise GaitError(f"a path of {self.length:.2f} m is too short; it needs {SHORTEST:g} m")

    def _where(self, distances: Array) -> tuple[Ints, Array]:
        """Return the pieces at distances, and the parameters there, each of shape (m,)."""
        piece, u = self._arc.places(np.asarray(distances, dtype=np.float64).reshape(-1))
        return piece, u

    def _at(self, where: tuple[Ints, Array], order: int) -> Array:
        """Return values or derivatives by the piece's parameter, shape (m, 2)."""
        piece, u = where
        powers = np.stack([np.ones_like(u), u, u * u, u * u * u], axis=1)
        if order == 1:
            powers = np.stack([np.zeros_like(u), np.ones_like(u), 2.0 * u, 3.0 * u * u], axis=1)
        elif order == 2:
            powers = np.stack([np.zeros_like(u), np.zeros_like(u), np.full_like(u, 2.0), 6.0 * u], axis=1)
        return np.asarray(np.einsum("mk,mkd->md", powers, self._cubics[piece]))

    def places(self, distances: Array) -> Array:
        """Return x and z at distances from its beginning, shape (m,) to (m, 2), [m]; straight on beyond its ends."""
        s = np.asarray(distances, dtype=np.float64).reshape(-1)
        beyond = s - np.clip(s, 0.0, self.length)
        where = self._where(s)
        return np.asarray(self._at(where, 0) + beyond[:, None] * self._tangents(where))

    def _tangents(self, where: tuple[Ints, Array]) -> Array:
        way = self._at(where, 1)
        return np.asarray(way / np.linalg.norm(way, axis=1)[:, None])

    def headings(self, distances: Array) -> Array:
        """Return where it goes there, from +z toward +x, shape (m,), [rad]; distances ascending, it does not leap."""
        way = self._tangents(self._where(distances))
        return np.asarray(np.unwrap(np.arctan2(way[:, 0], way[:, 1])))

    def curvatures(self, distances: Array) -> Array:
        """Return one over its radius there, positive where it bends from +z to +x, shape (m,), [1/m]."""
        where = self._where(distances)
        first, second = self._at(where, 1), self._at(where, 2)
        cross = first[:, 1] * second[:, 0] - first[:, 0] * second[:, 1]
        return np.asarray(cross / np.maximum(np.linalg.norm(first, axis=1), 1e-9) ** 3)

    def paces(self, distances: Array, reach: float, easy: float) -> Array:
        """Return how fast one walks there, of the speed on a straight way, shape (m,).

        Args:
            distances: From its beginning, shape (m,), [m].
            reach: As far on either side the curvature counts, [m].
            easy: Radius of a curve that is gone as fast as a straight way, [m].
        """
        s = np.asarray(distances, dtype=np.float64).reshape(-1)
        around = np.clip(s[:, None] + np.linspace(-reach, reach, _WINDOW), 0.0, self.length)
        bend = np.abs(self.curvatures(around.reshape(-1))).reshape(around.shape)
        mean = bend.mean(axis=1)
        return np.asarray(np.clip(np.cbrt(1.0 / np.maximum(mean * easy, 1e-9)), _LEAST, 1.0))


@lru_cache(maxsize=16)
def path_of(points: Points) -> GroundPath:
    """Return the path through points; the last ones asked for are kept."""
    return GroundPath(points)


def read_points(text: str) -> Points:
    """Return points written as ``x,z x,z ...``, on one line or several; ``#`` begins a comment.

    Raises:
        GaitError: If something is no point; says which.
    """
    found = []
    for line in text.splitlines():
        for word in re.sub(r"\s*,\s*", ",", line.split("#")[0].strip()).split():
            parts = word.split(",")
            try:
                x, z = (float(part) for part in parts)
            except ValueError:
                raise GaitError(f'"{word}" is no point of a path; expected x,z in metres, as 0,0 1.5,3') from None
            found.append((x, z))
    return tuple(found)


def read_path(file: Path) -> Points:
    """Return the points in a text file; see ``read_points``.

    Raises:
        FormatError: If it cannot be read or something in it is no point.
    """
    try:
        text = file.read_text(encoding="utf-8")
        return read_points(text)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise FormatError(Problem(str(file), 0, 0, f"cannot be read: {reason}")) from None
    except GaitError as error:
        raise FormatError(Problem(str(file), 0, 0, str(error))) from None
