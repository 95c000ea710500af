"""Samples of a sound, one channel, and how far a long piece of work on them has come."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.errors import CoreError

Samples = NDArray[np.float32]

"""Takes what is done, 0 to 1; may raise ``core.errors.Cancelled`` to stop."""


class AudioError(CoreError):
    """A sound, or something said about one, that makes no sense: a beat before its start, a tempo of nothing."""


@dataclass(frozen=True, eq=False)
class Sound:
    """A sound in memory, all channels mixed into one.

    Attributes:
        samples: Shape (n,), -1 to 1 is full scale.
        rate: Samples a second, [1/s].
        name: Name of the file it was read from.
    """

    samples: Samples
    rate: int
    name: str = "sound"

    @property
    def duration(self) -> float:
        """Length, [s]."""
        return len(self.samples) / self.rate
