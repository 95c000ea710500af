"""What writers of motion hold back: numbers that the readers of the same format would refuse."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.errors import FormatError, Problem


def check_written(rows: NDArray[np.float64], farthest: float, unit: float, file: str, frame: int) -> None:
    """See that numbers of a motion can be read again, in the file's unit and in metres.

    Args:
        rows: As they are written, a row a frame.
        farthest: What readers take at most.
        unit: Metres in one unit of the file.
        file: Its name.
        frame: Frame of the first row.

    Raises:
        FormatError: If one is larger, or not finite; names the first frame.
    """
    most = farthest / max(1.0, unit)
    fine = np.abs(rows) <= most
    if not fine.all():
        row, column = np.argwhere(~fine)[0]
        message = f"frame {frame + row} has {rows[row, column]:.3g}; numbers that can be read again go to {most:.3g}"
        raise FormatError(Problem(file, 0, 0, message))
