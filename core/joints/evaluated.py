"""Joints as kernels evaluate them: a slot to call and the constants to call it with, see ``core.kernels.functions``."""

from __future__ import annotations

import itertools
import math
import sys
from weakref import WeakValueDictionary

import numpy as np

from core.arrays import Array
from core.errors import JointError
from core.joints.base import JointModel
from core.kernels import serving
from core.kernels.functions import keep, slot_of

MOST_COORDINATES = 6
_models: WeakValueDictionary[int, JointModel] = WeakValueDictionary()
_numbers = itertools.count(1)


def evaluated(model: JointModel) -> tuple[float, Array]:
    """Return the slot that evaluates a joint and its constants; good as long as the joint is.

    A joint with an ``evaluation`` is called at that; any other through Python, where it costs some microseconds.

    Raises:
        JointError: If it has no coordinate, or more than six.
    """
    if not 1 <= model.n <= MOST_COORDINATES:
        raise JointError(
            f'joint type "{model.type_name}" has {model.n} coordinates; expected 1 to {MOST_COORDINATES} of one that '
            "is not made of hinges and slides"
        )
    evaluation = model.evaluation
    if evaluation is not None:
        serving(sys.modules[evaluation.__module__])  # from here on compiled, if compiled kernels serve
        return slot_of(evaluation), np.array(model.constants, dtype=np.float64)
    number = next(_numbers)
    _models[number] = model
    return slot_of(in_python), np.array([float(number)])


def in_python(q: Array, constants: Array, out: Array, order: int) -> None:
    """Write Q, S and dS/dq of a joint by its class's methods; NaN, and what was raised kept, if one fails."""
    model = _models.get(int(constants[0]))
    n = 1 if model is None else model.n
    end = 12 + (6 * n if order >= 1 else 0) + (6 * n * n if order >= 2 else 0)
    out[:end] = math.nan
    try:
        if model is None:
            raise JointError("a joint is evaluated whose figure is gone")
        place = np.array(q[:n])
        out[:12] = np.asarray(model.transform(place), dtype=np.float64)[:3].ravel()
        if order >= 1:
            out[12 : 12 + 6 * n] = np.asarray(model.subspace(place), dtype=np.float64).T.ravel()
        if order >= 2:
            out[12 + 6 * n : end] = np.asarray(model.subspace_gradient(place)).transpose(1, 2, 0).ravel()
    except Exception as error:
        out[:end] = math.nan
        raised = error if isinstance(error, JointError) else None
        if raised is None and model is not None:
            where = ", ".join(f"{value:g}" for value in q[:n])
            raised = JointError(f'joint type "{model.type_name}" cannot be evaluated at ({where}): {error}')
            raised.__cause__ = error
        keep(raised or error)
