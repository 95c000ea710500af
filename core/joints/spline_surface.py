"""Spline surface joint: a frame that moves over a tensor product of cubic B-splines."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.checked_arrays import shown
from core.errors import JointError
from core.joints import spline_kernel
from core.joints.base import frozen
from core.joints.evaluated import Evaluated
from core.joints.nearest import nearest
from core.joints.splines import BASES, spans
from core.kernels.functions import Function
from core.spatial import se3

_SAMPLES = 4
_MOST_STARTS = 5
_MOST_LOOKS = 20
_REFLECTION = np.array([-1.0, 1.0, 1.0, 1.0, -1.0, -1.0])


@dataclass(frozen=True, eq=False)
class SplineSurface(Evaluated):
    """A frame on a surface of frames, ``Q = T_x(f_1) T_y(f_2) T_z(f_3) R_x(f_4) R_y(f_5) R_z(f_6)``.

    Each ``f_k(u, v)`` is a tensor product of cubic splines over its own grid of control values. ``u`` runs
    over the first index of the grid, from 0 to its number of rows less three, ``v`` over the second likewise; beyond
    that the surface goes on straight.

    Attributes:
        values: Control values, shape (6, a, b): places x, y, z, [m], and angles about x, y, z, [rad], at the nodes of
            a grid of 4 by 4 or more. Angles about y well below a right angle keep clear of gimbal lock.
        basis: As that of a ``SplineCurve``, along u and along v; a Bezier surface has 4, 7, 10 or so rows and columns.

    Raises:
        JointError: If the grid is too small, a value is not finite, or the surface does not change along u or v.

    Source: Sueda eqs. 2.68 to 2.71 and algorithm 4, after Lee and Terzopoulos (2008). The six exponentials are those
    of a translation and of Euler angles, which give the same S and dS/dq in fewer steps.
    """

    values: Array
    basis: str = "b-spline"

    type_name: ClassVar[str] = "spline surface"
    n: ClassVar[int] = 2  # type: ignore[misc]
    coordinate_names: ClassVar[tuple[str, ...]] = ("u", "v")  # type: ignore[misc]
    rotary: ClassVar[tuple[bool, ...]] = (False, False)  # type: ignore[misc]

    def __post_init__(self) -> None:
        try:
            values = np.array(self.values, dtype=np.float64)
        except (TypeError, ValueError):
            raise JointError(f"control values are {shown(self.values)}; expected numbers, shape (6, a, b)") from None
        if values.ndim != 3 or values.shape[0] != 6:
            raise JointError(f"control values have shape {values.shape}; expected (6, a, b): x y z and three angles")
        if min(values.shape[1:]) < 4:
            grid = f"{values.shape[1]} by {values.shape[2]}"
            raise JointError(f"a spline surface has {grid} control frames; expected 4 by 4 or more")
        rows, columns = (spans(count, False, self.basis, "a spline surface") for count in values.shape[1:])
        object.__setattr__(self, "_spans", (rows, columns))
        if not np.isfinite(values).all():
            k, i, j = np.argwhere(~np.isfinite(values))[0].tolist()
            what = ("x", "y", "z", "angle about x", "angle about y", "angle about z")[k]
            place = f"control frame ({i + 1}, {j + 1})"
            raise JointError(f"{what} of {place} of a spline surface is {values[k, i, j]:g}; expected a finite number")
        for axis, name in ((1, "u"), (2, "v")):
            if not np.abs(np.diff(values, axis=axis)).max() > 1e-12:
                raise JointError(f"a spline surface does not change along {name}; expected control frames that differ")
        object.__setattr__(self, "values", frozen(values))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, SplineSurface)
            and self.values.shape == other.values.shape
            and self.basis == other.basis
            and self.values.tobytes() == other.values.tobytes()
        )

    def __hash__(self) -> int:
        return hash((SplineSurface, self.basis, self.values.shape, self.values.tobytes()))

    @property
    def segments(self) -> tuple[int, int]:
        """Number of patches along u and along v."""
        found: tuple[int, int] = self._spans  # type: ignore[attr-defined]
        return found

    @property
    def evaluation(self) -> Function:
        return spline_kernel.surface

    @property
    def constants(self) -> tuple[float, ...]:
        _, rows, columns = self.values.shape
        return (float(rows), float(columns), BASES[self.basis], *self.values.ravel().tolist())

    @property
    def domain(self) -> tuple[tuple[float, float], ...]:
        rows, columns = self.segments
        return (0.0, float(rows)), (0.0, float(columns))

    @property
    def places(self) -> tuple[int, ...]:
        rows, columns = self.segments
        return min(_SAMPLES * rows, _MOST_LOOKS) + 1, min(_SAMPLES * columns, _MOST_LOOKS) + 1

    def reflected(self) -> SplineSurface:
        return SplineSurface(self.values * _REFLECTION[:, None, None] + 0.0, self.basis)

    @cached_property
    def _sampled(self) -> tuple[Array, Array, float]:
        """Places on the surface, (m, 2), the frames there, and the length that counts as much as a radian."""
        rows, columns = (np.arange(count * _SAMPLES + 1) / _SAMPLES for count in self.segments)
        places = np.stack(np.meshgrid(rows, columns, indexing="ij"), axis=-1).reshape(-1, 2)
        poses = np.array([self.transform(place) for place in places])
        at = poses[:, :3, 3]
        reach = float(np.linalg.norm(at - at.mean(axis=0), axis=1).max())
        return places, poses, reach if reach > 1e-12 else 1.0

    def coordinates(self, X: ArrayLike, near: ArrayLike | None = None) -> Array:
        """Return the place of a pose, or of the frame nearest to it (angles and lengths by the surface's reach)."""
        X = np.asarray(X, dtype=np.float64)
        places, poses, length = self._sampled
        off = se3.log(se3.inverse(poses) @ X)
        off[:, 3:] /= length
        best = np.argsort(np.linalg.norm(off, axis=1), kind="stable")[:_MOST_STARTS]
        starts = list(places[best])
        here = places[len(places) // 2] if near is None else np.asarray(near, dtype=np.float64)
        return nearest(self, X, [here, *starts], here, length)
