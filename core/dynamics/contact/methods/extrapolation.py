"""Where to go on when an answer is looked for by turns, so that fewer turns do (Anderson acceleration)."""

from __future__ import annotations

import numpy as np

from core.arrays import Array

_KEPT = 5
"""How many changes from turn to turn count: of 264 random programs of contacts three take a quarter more turns, and
from six on some converge no more."""
_RANK = 1e-6
"""Combinations of changes that are smaller than this, to the largest, are rounding."""


class Extrapolation:
    """Looks for x with ``x = f(x)`` along the last few points and their images.

    Near the answer ``f`` is taken as linear: of the points on the plane through the last ones, the next is the image of
    the one whose image is nearest to itself. What a limit cycle of ``x = f(x)`` goes around is found, too.

    Source: Anderson 1965, "Iterative procedures for nonlinear integral equations".
    """

    def __init__(self) -> None:
        self._points: list[Array] = []
        self._ways: list[Array] = []

    def note(self, point: Array, image: Array) -> None:
        """Take up a point and its image, shape (n,) each."""
        self._points = [*self._points[-_KEPT:], point]
        self._ways = [*self._ways[-_KEPT:], image - point]

    def next(self) -> Array:
        """Return where to go on, shape (n,): from the first point to its image."""
        image = self._points[-1] + self._ways[-1]
        if len(self._points) == 1:
            return image
        changes = np.diff(self._ways, axis=0).T
        share = np.linalg.lstsq(changes, self._ways[-1], rcond=_RANK)[0]
        return np.asarray(image - (np.diff(self._points, axis=0).T + changes) @ share)
