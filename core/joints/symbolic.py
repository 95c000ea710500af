"""Joints that are written down once, as expressions of their position; everything else is derived from these.

``expressions`` gives Q. Its derivatives by the coordinates give S and dS/dq, equal expressions one function, which
``core.codegen`` compiles; numbers that change, as lengths, are inputs of it.
"""

from __future__ import annotations

import hashlib
import itertools
import math
import threading
from abc import abstractmethod
from collections.abc import Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from core import symbolic
from core.arrays import Array
from core.errors import JointError
from core.joints.base import JointModel, nearest_turn, numbers
from core.joints.evaluated import Evaluated
from core.joints.nearest import nearest, refined
from core.kernels import functions
from core.symbolic import Evaluator, Expression, derivative, symbol
from core.symbolic.expression import ZERO

if TYPE_CHECKING:
    from core.codegen import Program

RECHART_BELOW = 0.5
"""Regularity below which another chart is looked for: that of latitude and longitude at 69 degrees."""
_BETTER = 1.5  # so many times as regular a chart must be, or one would follow the other all the time
_SAME_POSE = 1e-9
_THIRD = 2.0 * math.pi / 3.0
_MOST_STARTS = 81


class SymbolicJoint(Evaluated):
    """A joint that says where its frame is; kernels, motion subspace and rates come from that.

    A subclass has ``n``, ``coordinate_names``, ``rotary`` and ``expressions``, and ``constants`` where it has any.
    Joints of equal expressions share their code, whatever their constants.
    """

    @property
    def constants(self) -> Sequence[float]:
        return ()

    @abstractmethod
    def expressions(self, q: Sequence[Expression], constants: Sequence[Expression]) -> Sequence[Expression]:
        """Return ``Q(q)`` as twelve expressions, row by row the rotation and then the origin.

        Args:
            q: Coordinates, n symbols.
            constants: Symbols that stand for the joint's ``constants``, in their order.
        """

    @cached_property
    def written(self) -> WrittenJoint:
        """The joint as symbols and expressions.

        Raises:
            JointError: If there are not twelve expressions.
        """
        q = tuple(symbol(f"q{k}") for k in range(self.n))
        constants = tuple(symbol(f"c{k}") for k in range(len(self.constants)))
        Q = tuple(self.expressions(q, constants))
        if len(Q) != 12:
            raise JointError(
                f'joint type "{self.type_name}" gives {len(Q)} expressions; expected 12: R, row by row, and p'
            )
        return written(q, constants, Q)

    @property
    def evaluation(self) -> functions.Function:
        return self.written.compiled()

    @property
    def has_charts(self) -> bool:
        return False

    def other_charts(self, q: ArrayLike) -> Sequence[SymbolicJoint]:
        """Return types with the same poses in as many other coordinates, of which one may be better at a place.

        Where this one is near a singularity, ``rechart`` goes on in the one that is farthest from its own.
        """
        return ()

    @cached_property
    def _scales(self) -> Array:
        """What S is multiplied with so that its columns are about 1 long and lengths count as angles do, (6, n)."""
        wide = np.where(self.rotary, math.pi, 1.0)
        places = wide * np.random.default_rng(self.n).uniform(-1.0, 1.0, size=(32, self.n))
        found = np.array([self.subspace(place) for place in places])
        found = found[np.isfinite(found).all(axis=(1, 2))]
        if not len(found):
            return np.ones((6, self.n))
        lengths = np.sqrt((found[:, 3:] ** 2).sum(axis=1).mean(axis=0)).max(initial=0.0)
        rows = np.repeat([1.0, 1.0 / lengths if lengths > 0.0 else 1.0], 3)[:, None]
        sizes = np.sqrt(((found * rows) ** 2).sum(axis=1).mean(axis=0))
        return np.asarray(rows / np.where(sizes > 0.0, sizes, 1.0))

    def regularity(self, q: ArrayLike) -> float:
        """Return how far S is from singular: its least singular value by its greatest, columns of equal weight."""
        S = self._scales * self.subspace(q)
        if not np.isfinite(S).all():
            return math.nan
        values = np.linalg.svd(S, compute_uv=False)
        return float(values[-1] / values[0]) if values[0] > 0.0 else 0.0

    def rechart(self, q: ArrayLike, v: ArrayLike, early: bool = False) -> tuple[JointModel, Array, Array] | None:
        others = self.other_charts(q)
        if not others:
            return None
        best = self.regularity(q)
        if not best < RECHART_BELOW:
            return None
        X, found = self.transform(q), None
        for chart in others:
            place, off = refined(chart, chart.coordinates(X), X)
            there = chart.regularity(place)
            if off < _SAME_POSE and there > _BETTER * best:
                best, found = there, (chart, place)
        if found is None:
            return None
        chart, place = found
        twist = self.subspace(q) @ np.asarray(v, dtype=np.float64)
        return chart, place, np.asarray(np.linalg.lstsq(chart.subspace(place), twist, rcond=None)[0], dtype=np.float64)

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in super().__getstate__().items() if name not in ("written", "_scales")}

    def coordinates(self, X: ArrayLike, near: ArrayLike | None = None) -> Array:
        """Return coordinates of the pose, or of one near it, by least squares; a radian counts as much as a metre.

        The search begins at ``near``; if that leads astray, angles are tried thirds of a turn to either side too, and
        more than a turn away where they do not come back to the same place.
        """
        around = np.zeros(self.n) if near is None else np.array(numbers(near))
        thirds = [
            () if not rotary else (0, 1, -1) if turns else (0, 1, -1, 2, -2, 3, -3, 4, -4)
            for rotary, turns in zip(self.rotary, self.turns, strict=True)
        ]
        steps = itertools.islice(itertools.product(*(each or (0,) for each in thirds)), _MOST_STARTS)
        starts = [around + _THIRD * np.array(step) for step in steps]
        q = nearest(self, np.asarray(X, dtype=np.float64), starts, around)
        for k, turns in enumerate(self.turns):
            if turns:
                q[k] = nearest_turn(float(q[k]), float(around[k]))
        return q

    @property
    def turns(self) -> tuple[bool, ...]:
        """Which coordinates come back to the same place after a whole turn."""
        return (False,) * self.n

    @property
    def period(self) -> float | None:
        return math.tau if self.turns == (True,) else None

    @property
    def periods(self) -> tuple[float | None, ...]:
        return tuple(math.tau if turns else None for turns in self.turns)


class WrittenJoint:
    """Q, S and dS/dq of expressions, in the form of ``core.kernels.functions``.

    Called, it evaluates the graph with plain floats: it serves until there is compiled code, and where LLVM is not.

    Attributes:
        q: Symbols of the coordinates.
        constants: Symbols of the constants.
        Q: Twelve expressions, row by row the rotation and then the origin.
    """

    def __init__(self, q: Sequence[Expression], constants: Sequence[Expression], Q: Sequence[Expression]):
        self.q, self.constants, self.Q = tuple(q), tuple(constants), tuple(Q)
        self._evaluators: dict[int, Evaluator] = {}
        self._lock = threading.RLock()
        self._is_compiled = False

    @cached_property
    def columns(self) -> list[list[Expression]]:
        """The columns of S, six expressions each."""
        return subspace(self.Q, self.q)

    @cached_property
    def stages(self) -> tuple[list[Expression], ...]:
        """What a function of ``core.kernels.functions`` writes, order by order."""
        Q, flat = self.Q, [entry for column in self.columns for entry in column]
        slopes = derivative(flat, self.q) if self.q else []
        n = len(self.q)
        second = [slopes[6 * i + j][k] for i in range(n) for k in range(n) for j in range(6)]
        return [*Q[:3], Q[9], *Q[3:6], Q[10], *Q[6:9], Q[11]], flat, second

    def __call__(self, q: Array, constants: Array, out: Array, order: int) -> None:
        order = min(order, 2)
        with self._lock:
            if order not in self._evaluators:
                outputs = [entry for stage in self.stages[: order + 1] for entry in stage]
                self._evaluators[order] = Evaluator(outputs, [*self.q, *self.constants])
        given = [*q[: len(self.q)].tolist(), *constants[: len(self.constants)].tolist()]
        found = self._evaluators[order].floats(given)
        out[: len(found)] = found

    def compiled(self) -> WrittenJoint:
        """Return itself, and have compiled code serve from now on, where there is LLVM."""
        with self._lock:
            if not self._is_compiled:
                self._is_compiled = True
                inputs = {"q": self.q, "constants": self.constants}
                from core.codegen import generate_named, program_of  # what only these joints need

                content = program_of(inputs, [self.Q]).content()

                def program() -> Program:
                    return program_of(inputs, self.stages)

                function = generate_named([_version(), content], program)
                function.when_served(lambda address: functions.compiled(self, address, function))
        return self


def subspace(Q: Sequence[Expression], q: Sequence[Expression]) -> list[list[Expression]]:
    """Return the columns of S of a transform, ``unhat(Q^-1 dQ/dq_k)``, six expressions each.

    Args:
        Q: Twelve expressions, row by row the rotation and then the origin.
        q: Coordinates, symbols.

    Source: Si & Guenter eq. 9.
    """
    slopes = derivative(list(Q), list(q)) if q else []
    R, columns = list(Q[:9]), []
    for k in range(len(q)):
        by = [row[k] for row in slopes]
        turned = [[_dot(R[i::3], by[j:9:3]) for j in range(3)] for i in range(3)]
        columns.append([turned[2][1], turned[0][2], turned[1][0], *(_dot(R[i::3], by[9:]) for i in range(3))])
    return columns


def _dot(a: Sequence[Expression], b: Sequence[Expression]) -> Expression:
    total = ZERO
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total


_known: dict[tuple[tuple[Expression, ...], int, int], WrittenJoint] = {}
_making = threading.RLock()


def written(q: Sequence[Expression], constants: Sequence[Expression], Q: Sequence[Expression]) -> WrittenJoint:
    """Return the one function of these expressions, of symbols q0, q1 ... and c0, c1 ..."""
    with _making:
        key = tuple(Q), len(q), len(constants)
        if key not in _known:
            _known[key] = WrittenJoint(q, constants, Q)
        return _known[key]


@cache
def _version() -> bytes:
    """Return a digest of the sources that make S and dS/dq of Q."""
    made = hashlib.blake2b(digest_size=20)
    for source in sorted([Path(__file__), *Path(symbolic.__file__).parent.glob("*.py")]):
        made.update(source.name.encode() + source.read_bytes())
    return made.digest()
