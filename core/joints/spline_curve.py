"""Spline curve joint: a frame that moves along a cubic B-spline through control frames."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.checked_arrays import check_rotation, shown
from core.errors import JointError
from core.joints import spline_kernel
from core.joints.base import frozen, nearest_turn, numbers
from core.joints.evaluated import Evaluated
from core.joints.nearest import nearest
from core.joints.splines import BASES, spans
from core.kernels.functions import Function
from core.spatial import se3, so3

_SAMPLES = 16
_MOST_STARTS = 4
_LOOKS, _MOST_LOOKS = 4, 400
_REFLECTION = np.diag([-1.0, 1.0, 1.0, 1.0])
_HALF_TURN = math.pi - 1e-6


@dataclass(frozen=True, eq=False)
class SplineCurve(Evaluated):
    """A frame on a curve of frames, ``Q = C_k exp(D_1 B_1) exp(D_2 B_2) exp(D_3 B_3)`` in segment k.

    ``D_i = log(C_(k+i-1)^-1 C_(k+i))`` and ``B_i`` are the cumulative basis functions. The coordinate runs over the
    segments, one unit each: a closed curve has as many as control frames and any number is a place on it; an open one
    has three less, from 0 to ``segments``, and goes on straight beyond. Those of a Bezier curve share only their end
    frames, so that there are a third as many.

    Attributes:
        frames: Control frames in the joint frame, shape (m, 4, 4); 3 or more of a closed curve, 4 of an open one.
        closed: Whether the last frame leads on to the first.
        basis: ``"b-spline"``, uniform, near the frames; ``"catmull-rom"``, uniform, through them; or ``"bezier"``,
            through every third.

    Raises:
        JointError: If there are too few frames, one is not a pose, neighbours are half a turn apart (which way round
            would be anybody's guess), or all are the same.

    Source: Sueda eq. 2.67 and algorithm 3 (line 10 with the derivative of the basis function), after Lee and
    Terzopoulos (2008).
    """

    frames: Array
    closed: bool = True
    basis: str = "b-spline"

    type_name: ClassVar[str] = "spline curve"
    n: ClassVar[int] = 1  # type: ignore[misc]
    coordinate_names: ClassVar[tuple[str, ...]] = ("along",)  # type: ignore[misc]
    rotary: ClassVar[tuple[bool, ...]] = (False,)  # type: ignore[misc]

    def __post_init__(self) -> None:
        frames = _checked_frames(self.frames)
        object.__setattr__(self, "_spans", spans(len(frames), self.closed, self.basis, "a spline curve"))
        following = np.roll(frames, -1, axis=0)
        differences = se3.log(se3.inverse(frames) @ following)
        between = differences if self.closed else differences[:-1]
        for i, turn in enumerate(np.linalg.norm(between[:, :3], axis=1).tolist()):
            if turn > _HALF_TURN:
                pair = f"{i + 1} and {(i + 1) % len(frames) + 1}"
                raise JointError(
                    f"control frames {pair} of a spline curve are half a turn apart; expected less, or a frame between"
                )
        if not np.abs(between).max() > 1e-12:
            raise JointError("all control frames of a spline curve are the same; expected frames along a path")
        object.__setattr__(self, "frames", frozen(frames))
        object.__setattr__(self, "_differences", frozen(differences))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, SplineCurve)
            and (self.closed, self.basis) == (other.closed, other.basis)
            and self.frames.tobytes() == other.frames.tobytes()
        )

    def __hash__(self) -> int:
        return hash((SplineCurve, self.closed, self.basis, self.frames.tobytes()))

    @property
    def segments(self) -> int:
        """Number of segments."""
        found: int = self._spans  # type: ignore[attr-defined]
        return found

    @property
    def evaluation(self) -> Function:
        return spline_kernel.curve

    @property
    def constants(self) -> tuple[float, ...]:
        head = (float(len(self.frames)), float(self.closed), BASES[self.basis])
        differences = self._differences  # type: ignore[attr-defined]
        return (*head, *self.frames[:, :3].ravel().tolist(), *differences.ravel().tolist())

    @property
    def domain(self) -> tuple[tuple[float, float], ...]:
        return ((-math.inf, math.inf) if self.closed else (0.0, float(self.segments)),)

    @property
    def period(self) -> float | None:
        return float(self.segments) if self.closed else None

    @property
    def places(self) -> tuple[int, ...]:
        return (min(_LOOKS * self.segments, _MOST_LOOKS) + 1,)

    def reflected(self) -> SplineCurve:
        return SplineCurve(_REFLECTION @ self.frames @ _REFLECTION + 0.0, self.closed, self.basis)

    @cached_property
    def _sampled(self) -> tuple[Array, Array, float]:
        """Places along the curve, the frames there, and the length that counts as much as a radian."""
        count = self.segments * _SAMPLES
        places = np.arange(count + (not self.closed)) / _SAMPLES
        poses = np.array([self.transform([place]) for place in places])
        middle = self.frames[:, :3, 3].mean(axis=0)
        reach = float(np.linalg.norm(self.frames[:, :3, 3] - middle, axis=1).max())
        return places, poses, reach if reach > 1e-12 else 1.0

    def coordinates(self, X: ArrayLike, near: ArrayLike | None = None) -> Array:
        """Return the place of a pose, or of the frame on the curve nearest to it (angles and lengths by its reach).

        Where the curve crosses itself, ``near`` says which place is meant, and on a closed one which round.
        """
        X = np.asarray(X, dtype=np.float64)
        here = 0.0 if near is None else numbers(near)[0]
        places, poses, length = self._sampled
        off = se3.log(se3.inverse(poses) @ X)
        off[:, 3:] /= length
        distance = np.linalg.norm(off, axis=1)
        if self.closed:
            lowest = (distance <= np.roll(distance, 1)) & (distance <= np.roll(distance, -1))
        else:
            padded = np.concatenate([[math.inf], distance, [math.inf]])
            lowest = (distance <= padded[:-2]) & (distance <= padded[2:])
        candidates = np.flatnonzero(lowest)
        chosen = candidates[np.argsort(distance[candidates], kind="stable")][:_MOST_STARTS]
        starts = [[here]]
        for place in places[chosen].tolist():
            starts.append([nearest_turn(place, here, self.segments) if self.closed else place])
        return nearest(self, X, [np.array(start) for start in starts], np.array([here]), length)


def _checked_frames(frames: ArrayLike) -> Array:
    """Return control frames as a new array of poses; JointError if they are not."""
    try:
        array = np.array(frames, dtype=np.float64)
    except (TypeError, ValueError):
        raise JointError(f"control frames are {shown(frames)}; expected poses, shape (m, 4, 4)") from None
    if array.ndim != 3 or array.shape[1:] != (4, 4):
        raise JointError(f"control frames have shape {array.shape}; expected poses, shape (m, 4, 4)")
    for i, X in enumerate(array, 1):
        if not np.isfinite(X).all():
            raise JointError(f"control frame {i} of a spline curve is {shown(X.tolist())}; expected finite numbers")
        if X[3].tolist() != [0.0, 0.0, 0.0, 1.0]:
            raise JointError(f"control frame {i} of a spline curve ends in {X[3].tolist()}; expected [0, 0, 0, 1]")
        check_rotation(X[:3, :3], f"the rotation of control frame {i} of a spline curve", JointError)
        # As good as the check lets through is not good enough for the exactness of S.
        array[i - 1, :3, :3] = so3.exp(so3.log(X[:3, :3]))
    return array
