"""What every joint type is: a transform Q, a motion subspace S and its rate, over a few coordinates.

A joint carries the frame J of its body relative to the frame P where it sits on the parent: ``X_PJ = Q(q)``. Moving
at the rates ``v = q'`` the frame J has, relative to P and expressed in J, the twist ``phi = [w; v] = S(q) v``; so
column k of ``S`` is ``unhat(Q^-1 dQ/dq_k)``, and ``Sdot`` is the derivative of ``S`` by time, entry by entry.

Source: Sueda sections 2.1, 2.4.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.checked_arrays import shown
from core.errors import JointError
from core.joints import row_kernel
from core.kernels.functions import Function

if TYPE_CHECKING:
    from core.symbolic import Expression

Vector = tuple[float, float, float]

HINGE, SLIDE = "hinge", "slide"
ANGLE, LENGTH, NUMBER = "angle", "length", "number"
"""What a coordinate measures: [rad], [m], or nothing that has a unit, as the place along a spline."""

_AnyArray = TypeVar("_AnyArray", bound=np.ndarray)


class Step(NamedTuple):
    """One hinge or slide of a joint that is made of them.

    Attributes:
        kind: ``"hinge"`` or ``"slide"``.
        axis: Unit axis in the frame left by the steps before it.
    """

    kind: str
    axis: Vector


class JointModel(ABC):
    """A joint type with its parameters. Immutable; equal parameters make equal joints.

    Attributes:
        type_name: The words after ``joint type`` in a skeleton file.
        n: Number of coordinates.
        coordinate_names: A name for each of them.
        rotary: Whether each of them is an angle, [rad]; the others are lengths, [m], or mere numbers.
        units: What each of them measures, ``"angle"``, ``"length"`` or ``"number"``: by itself an angle where it is
            rotary, a length where it is that of a slide.
        steps: The hinges and slides that the joint is made of, in order and in the same coordinates; None if it is
            made otherwise.
    """

    type_name: ClassVar[str]
    n: int
    coordinate_names: tuple[str, ...]
    rotary: tuple[bool, ...]
    steps: tuple[Step, ...] | None = None

    parameters: ClassVar[tuple[tuple[str, str], ...]] = ()
    """What follows the type's name in a skeleton file, in order, which is also how the class is called: the attribute,
    and whether it is an ``"axis"``, a ``"length"``, [m], a ``"point"``, [m], an ``"angle"``, degrees there, a plain
    ``"number"``, a ``"curve"`` or a ``"surface"`` of ``core.joints.geometry``. What may be left out has a default of
    the class and is given by name: ``"word a b"``, one of these words, or ``"angle after word"``, behind this word; so
    may stand a ``"letter"``, x, y or z, too."""

    @property
    def units(self) -> tuple[str, ...]:
        """What each coordinate measures; a type with coordinates that are lengths says so."""
        slides = [step.kind == SLIDE for step in self.steps] if self.steps is not None else [False] * self.n
        return tuple(
            ANGLE if rotary else LENGTH if slide else NUMBER for rotary, slide in zip(self.rotary, slides, strict=True)
        )

    @property
    def evaluation(self) -> Function | None:
        """A kernel declared with ``pointers=True`` that does what ``transform``, ``subspace`` and their gradient do.

        Of coordinates and ``constants`` it writes Q as twelve numbers, rows of [R | p], then, at order 1, the n columns
        of S one after the other, then, at order 2, dS_i/dq_k at [i][k], six numbers each. None: the methods are called.
        """
        return None if self.steps is None else row_kernel.steps

    @property
    def constants(self) -> Sequence[float]:
        """The numbers that ``evaluation`` goes by."""
        steps = self.steps or ()
        return (float(len(steps)), *(x for step in steps for x in (float(step.kind == SLIDE), *step.axis)))

    @property
    def domain(self) -> tuple[tuple[float, float], ...]:
        """Least and largest value that each coordinate can have."""
        return ((-math.inf, math.inf),) * self.n

    @property
    def period(self) -> float | None:
        """By how much the one coordinate of a joint that closes goes round; None where none does."""
        return None

    @property
    def periods(self) -> tuple[float | None, ...]:
        """After how much of each coordinate the part is where it was; None where it is not."""
        return (self.period,) if self.n == 1 else (None,) * self.n

    @property
    def places(self) -> tuple[int, ...]:
        """At how many values of each coordinate a look at the joint is enough to know its size and its speeds."""
        return ({1: 9, 2: 5, 3: 3}.get(self.n, 2),) * self.n

    @classmethod
    def template(cls, size: float) -> JointModel | None:
        """Return a joint of this type to begin with, for a part of a size, [m]; None: there is no usual one."""
        return None

    def reflected(self) -> JointModel | None:
        """Return the joint whose motion at each value is the reflection in x = 0 of this one's; None: it has no name.

        What is None here is written as ``Mirrored`` of this joint.
        """
        return None

    def linkage(self, q: ArrayLike) -> tuple[Array, ...]:
        """Return lines that show in a picture what holds the body, as rods and rims, beside where it can go.

        Args:
            q: Coordinates, shape (n,).

        Returns:
            Points of each, shape (m, 3), in the frame P, [m].
        """
        return ()

    @abstractmethod
    def transform(self, q: ArrayLike) -> Array:
        """Return ``Q(q)``, the pose of J in P, shape (4, 4).

        Args:
            q: Coordinates, shape (n,).

        Returns:
            An array that may be read-only and shared, as of the other methods; copy it to change it.
        """

    @abstractmethod
    def subspace(self, q: ArrayLike) -> Array:
        """Return ``S(q)``, shape (6, n): the twist of J relative to P, expressed in J, is ``S v``."""

    @abstractmethod
    def subspace_rate(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Return the time derivative of ``S``, shape (6, n), as the coordinates change at the rates ``v``; linear in v.

        Args:
            q: Coordinates, shape (n,).
            v: Their rates, shape (n,), [1/s].
        """

    def subspace_gradient(self, q: ArrayLike) -> Array:
        """Return the derivative of ``S`` by the coordinates, shape (6, n, n): ``dS[:, i]/dq_k`` stands at [:, i, k]."""
        gradient = np.empty((6, self.n, self.n))
        for k, unit in enumerate(np.eye(self.n)):
            gradient[:, :, k] = self.subspace_rate(q, unit)
        return gradient

    def expressions(self, q: Sequence[Expression], constants: Sequence[Expression]) -> Sequence[Expression] | None:
        """Return ``Q(q)`` as twelve expressions, row by row the rotation and then the origin; None if there are none.

        Args:
            q: Coordinates, n symbols.
            constants: Symbols that stand for the joint's ``constants``, in their order.
        """
        return None

    @abstractmethod
    def coordinates(self, X: ArrayLike, near: ArrayLike | None = None) -> Array:
        """Return coordinates with ``transform(q) == X``, shape (n,); of a pose out of reach, those of one near it.

        Args:
            X: Pose of J in P, shape (4, 4).
            near: Coordinates, shape (n,), to say which of several solutions is meant: the nearest; None for zeros.
        """

    def rechart(self, q: ArrayLike, v: ArrayLike, early: bool = False) -> tuple[JointModel, Array, Array] | None:
        """Return the same pose and the same twist in other coordinates where these here near a singularity.

        Args:
            q: Coordinates, shape (n,).
            v: Their rates, shape (n,).
            early: Whether to leave as soon as others are as good, far from any singularity: rotation vectors at half a
                turn. Coarse steps in these coordinates want that.

        Returns:
            The joint (another chart, or this one where only the numbers change), its coordinates and their rates;
            None where there is no need, and always for joints without singularities.
        """
        return None


def frozen(array: _AnyArray) -> _AnyArray:
    """Return ``array`` itself, made read-only."""
    array.setflags(write=False)
    return array


def numbers(q: ArrayLike) -> list[float]:
    """Return coordinates as plain numbers, which are many times as fast as arrays of a few; NaN for infinite ones.

    Python's sine of infinity is an error; that of NaN is NaN, by which a motion shows that it has run away.
    """
    values: list[float] = q.tolist() if isinstance(q, np.ndarray) else [float(x) for x in np.asarray(q)]
    if not math.isfinite(sum(values)):
        return [math.nan if math.isinf(value) else value for value in values]
    return values


def unit_axis(axis: ArrayLike, what: str) -> Vector:
    """Return ``axis`` at unit length; one that has it to rounding is kept to the last bit.

    Raises:
        JointError: If it is not three finite numbers, or all of them are zero; the message names ``what``.
    """
    try:
        x, y, z = (float(value) for value in np.asarray(axis))
    except (TypeError, ValueError):
        raise JointError(f"{what} has the axis {shown(axis)}; expected three numbers") from None
    largest = max(abs(x), abs(y), abs(z))
    if not math.isfinite(x + y + z) or not math.isfinite(largest):
        raise JointError(f"{what} has the axis ({x:g}, {y:g}, {z:g}); expected finite numbers")
    if largest == 0.0:
        raise JointError(f"{what} has the axis (0, 0, 0), which has no direction; expected a vector that is not zero")
    if abs(x * x + y * y + z * z - 1.0) > 4.0 * np.finfo(float).eps:
        x, y, z = x / largest, y / largest, z / largest
        length = math.sqrt(x * x + y * y + z * z)
        x, y, z = x / length, y / length, z / length
    # A negative zero would make equal joints print differently.
    return x + 0.0, y + 0.0, z + 0.0


def nearest_turn(value: float, near: float, turn: float = 2.0 * math.pi) -> float:
    """Return ``value`` with as many whole turns added as bring it nearest to ``near``; NaN if there is no such."""
    turns = (near - value) / turn
    return value + turn * round(turns) if math.isfinite(turns) else math.nan


def angle_about(R: Array, axis: Vector, near: float = 0.0) -> float:
    """Return the angle of the rotation about ``axis`` that is nearest to ``R``, [rad].

    ``atan2(axis . 2 vee(R), tr R - axis . R axis)`` maximises ``tr(R^T exp(axis angle))``.

    Args:
        R: Rotation, shape (3, 3).
        axis: Unit axis.
        near: Which turn is meant; also the answer where every angle is as good.
    """
    (a, b, c), (d, e, f), (g, h, i) = R.tolist()
    x, y, z = axis
    sine = x * (h - f) + y * (c - g) + z * (d - b)
    along = x * (a * x + b * y + c * z) + y * (d * x + e * y + f * z) + z * (g * x + h * y + i * z)
    cosine = a + e + i - along
    if abs(sine) + abs(cosine) < 1e-14:
        return near
    return nearest_turn(math.atan2(sine, cosine), near)
