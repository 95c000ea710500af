"""What goes into a movie besides the pictures."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SOUND_RATE = 48_000
"""Samples a second of the sound in movies: all encoders take it."""


@dataclass(frozen=True, eq=False)
class Material:
    """What an encoder is given at first.

    Attributes:
        samples: Some pictures from all over the movie, for an encoder that chooses its colours by them.
        clear: Whether the pictures are transparent.
        sound: Shape (n,), ``SOUND_RATE`` a second, -1 to 1, from the first picture on; None for a silent movie.
    """

    samples: Iterable[NDArray[np.uint8]] = ()
    clear: bool = False
    sound: NDArray[np.float32] | None = None
