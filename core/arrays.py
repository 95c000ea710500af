"""Types of the arrays that all of the toolkit passes about; what is in them and in which unit, each docstring says."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Ints = NDArray[np.intp]
Bools = NDArray[np.bool_]
