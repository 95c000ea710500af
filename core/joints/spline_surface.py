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
from core.joints.base import JointModel, frozen, numbers
from core.joints.nearest import nearest
from core.joints.spherical_euler import SphericalEuler
from core.joints.splines import basis, basis_rows, segment
from core.spatial import se3, so3

_SAMPLES = 4
_MOST_STARTS = 5
_ANGLES = SphericalEuler("XYZ")


@dataclass(frozen=True, eq=False)
class SplineSurface(JointModel):
    """A frame on a surface of frames, ``Q = T_x(f_1) T_y(f_2) T_z(f_3) R_x(f_4) R_y(f_5) R_z(f_6)``.

    Each ``f_k(u, v)`` is a tensor product of uniform cubic B-splines over its own grid of control values. ``u`` runs
    over the first index of the grid, from 0 to its number of rows less three, ``v`` over the second likewise; beyond
    that the surface goes on straight.

    Attributes:
        values: Control values, shape (6, a, b): places x, y, z, [m], and angles about x, y, z, [rad], at the nodes of
            a grid of 4 by 4 or more. Angles about y well below a right angle keep clear of gimbal lock.

    Raises:
        JointError: If the grid is too small, a value is not finite, or the surface does not change along u or v.

    Source: Sueda eqs. 2.68 to 2.71 and algorithm 4, after Lee and Terzopoulos (2008). The six exponentials are those
    of a translation and of Euler angles, which give the same S and dS/dq in fewer steps.
    """

    values: Array

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
        if not np.isfinite(values).all():
            k, i, j = np.argwhere(~np.isfinite(values))[0].tolist()
            what = ("x", "y", "z", "angle about x", "angle about y", "angle about z")[k]
            place = f"control frame ({i + 1}, {j + 1})"
            raise JointError(f"{what} of {place} of a spline surface is {values[k, i, j]:g}; expected a finite number")
        for axis, name in ((1, "u"), (2, "v")):
            if not np.abs(np.diff(values, axis=axis)).max() > 1e-12:
                raise JointError(f"a spline surface does not change along {name}; expected control frames that differ")
        object.__setattr__(self, "values", frozen(values))
        object.__setattr__(self, "_last", (None,))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, SplineSurface)
            and self.values.shape == other.values.shape
            and self.values.tobytes() == other.values.tobytes()
        )

    def __hash__(self) -> int:
        return hash((SplineSurface, self.values.shape, self.values.tobytes()))

    @property
    def segments(self) -> tuple[int, int]:
        """Number of patches along u and along v."""
        return self.values.shape[1] - 3, self.values.shape[2] - 3

    def _evaluated(self, q: ArrayLike) -> tuple[Array, Array, Array]:
        """Return Q, S and dS/dq, shapes (4, 4), (6, 2), (6, 2, 2); of one place in a row they are worked out once."""
        place = tuple(numbers(q))
        last = self._last  # type: ignore[attr-defined]
        if last[0] == place:
            known: tuple[Array, Array, Array] = last[1]
            return known
        (i, u), (j, v) = (segment(x, count, False) for x, count in zip(place, self.segments, strict=True))
        along, across = np.array(basis(u)), np.array(basis(v))
        # f[d, e] is the derivative of order d by u and e by v, shape (3, 3, 6).
        f = np.moveaxis(along @ self.values[:, i : i + 4, j : j + 4] @ across.T, 0, -1)
        angles = f[0, 0, 3:]
        rates = np.array([f[1, 0], f[0, 1]])
        second = np.array([[f[2, 0], f[1, 1]], [f[1, 1], f[0, 2]]])
        Q = _ANGLES.transform(angles).copy()
        E = _ANGLES.subspace(angles)[:3]
        Rt = Q[:3, :3].T
        Q[:3, 3] = f[0, 0, :3]
        S, dS = np.empty((6, 2)), np.empty((6, 2, 2))
        S[:3], S[3:] = E @ rates[:, 3:].T, Rt @ rates[:, :3].T
        for k in range(2):
            E_rate = _ANGLES.subspace_rate(angles, rates[k, 3:])[:3]
            dS[:3, :, k] = E_rate @ rates[:, 3:].T + E @ second[:, k, 3:].T
            dS[3:, :, k] = Rt @ second[:, k, :3].T - so3.hat(S[:3, k]) @ S[3:]
        found = frozen(Q), frozen(S), frozen(dS)
        object.__setattr__(self, "_last", (place, found))
        return found

    def transform(self, q: ArrayLike) -> Array:
        return self._evaluated(q)[0]

    def subspace(self, q: ArrayLike) -> Array:
        return self._evaluated(q)[1]

    def subspace_rate(self, q: ArrayLike, v: ArrayLike) -> Array:
        du, dv = numbers(v)
        gradient = self._evaluated(q)[2]
        rate: Array = du * gradient[:, :, 0] + dv * gradient[:, :, 1]
        return rate

    def subspace_gradient(self, q: ArrayLike) -> Array:
        return self._evaluated(q)[2]

    @cached_property
    def _sampled(self) -> tuple[Array, Array, float]:
        """Places on the surface, (m, 2), the frames there, and the length that counts as much as a radian."""
        rows, columns = (np.arange(count * _SAMPLES + 1) / _SAMPLES for count in self.segments)
        _, a, b = self.values.shape
        f = (basis_rows(rows, a) @ self.values @ basis_rows(columns, b).T).reshape(6, -1).T
        poses = se3.transform(so3.from_euler("xyz", f[:, 3:]), f[:, :3])
        places = np.stack(np.meshgrid(rows, columns, indexing="ij"), axis=-1).reshape(-1, 2)
        reach = float(np.linalg.norm(f[:, :3] - f[:, :3].mean(axis=0), axis=1).max())
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
