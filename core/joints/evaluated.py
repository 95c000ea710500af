"""Joints as kernels evaluate them: a slot to call and the constants to call it with, see ``core.kernels.functions``."""

from __future__ import annotations

import math
import sys
from functools import cached_property, partial
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.errors import JointError
from core.joints.base import JointModel, frozen, numbers
from core.kernels import serving
from core.kernels.declaring import options_of
from core.kernels.domains import is_uncompiled
from core.kernels.functions import Function, call, keep, slot_of

MOST_COORDINATES = 6
_models: WeakValueDictionary[int, Any] = WeakValueDictionary()


class Present:
    """A joint in its present chart, which may become another one; evaluated as that is.

    Attributes:
        joint: It.
    """

    def __init__(self, joint: JointModel):
        self.joint = joint

    @property
    def evaluation(self) -> Function | None:
        """Python has to look which chart it is, where it is not always the same."""
        return None if changes_chart(self.joint) else self.joint.evaluation

    def __getattr__(self, name: str) -> Any:
        return getattr(self.joint, name)


def changes_chart(joint: JointModel) -> bool:
    """Return whether a joint may go on in another chart."""
    inner = getattr(joint, "joint", None)  # of a reflected one
    return changes_chart(inner) if isinstance(inner, JointModel) else type(joint).rechart is not JointModel.rechart


class Evaluated(JointModel):
    """A joint that is written down once, as the kernel ``evaluation`` of numbers alone."""

    @cached_property
    def _constants(self) -> Array:
        return np.array(self.constants, dtype=np.float64)

    def evaluate(self, q: ArrayLike, order: int) -> Array:
        """Return what ``evaluation`` writes for coordinates; read-only, and of one place in a row worked out once."""
        n, place = self.n, numbers(q)
        last = self.__dict__.get("_last")
        if last is not None and last[0] == place and last[1] >= order:
            known: Array = last[2]
            return known
        function = self.evaluation
        assert function is not None
        out = np.empty(12 + 6 * n + 6 * n * n)
        (function if is_uncompiled() else partial(call, function))(np.array(place), self._constants, out, order)
        object.__setattr__(self, "_last", (place, order, frozen(out)))
        return out

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "_last"}

    def transform(self, q: ArrayLike) -> Array:
        Q = np.eye(4)
        Q[:3] = self.evaluate(q, 0)[:12].reshape(3, 4)
        return Q

    def subspace(self, q: ArrayLike) -> Array:
        return self.evaluate(q, 1)[12 : 12 + 6 * self.n].reshape(self.n, 6).T

    def subspace_rate(self, q: ArrayLike, v: ArrayLike) -> Array:
        rate: Array = self.subspace_gradient(q) @ np.asarray(v, dtype=np.float64)
        return rate

    def subspace_gradient(self, q: ArrayLike) -> Array:
        n = self.n
        return self.evaluate(q, 2)[12 + 6 * n :].reshape(n, n, 6).transpose(2, 0, 1)


def evaluated(model: JointModel | Present) -> tuple[float, Array]:
    """Return the slot that evaluates a joint and its constants; good as long as the joint is.

    A joint with an ``evaluation`` is called at that; any other through Python, where it costs some microseconds.

    Raises:
        JointError: If it has more than six coordinates.
    """
    if model.n > MOST_COORDINATES:
        raise JointError(
            f'joint type "{model.type_name}" has {model.n} coordinates; expected at most {MOST_COORDINATES} of one '
            "that is not made of hinges and slides"
        )
    evaluation = model.evaluation
    if evaluation is not None:
        if options_of(evaluation) is not None:
            serving(sys.modules[evaluation.__module__])  # from here on compiled, if compiled kernels serve
        return slot_of(evaluation), np.array(model.constants, dtype=np.float64)
    _models[id(model)] = model  # a Present, whose joint changes, under its own number
    return slot_of(in_python), np.array([float(id(model))])


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
