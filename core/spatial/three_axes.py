"""Rotations given as angles about three fixed axes, and back."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.spatial import quaternion as quat

# Below this sine neighbouring axes count as parallel: they do not turn in three independent ways.
PARALLEL = 1e-6
# Where two axes fall together their angles are distinguished by this much of the angles asked for; its square root is
# about how far from gimbal lock, [rad], they start to matter.
_LOCKED = 1e-22


def independent(axes: Array) -> bool:
    """Return whether rotations about three axes in turn, shape (3, 3), one a row, turn in three independent ways."""
    return bool(np.all(np.linalg.norm(np.cross(axes[:2], axes[1:]), axis=1) > PARALLEL))


class ThreeAxes:
    """Rotations ``R = R_1(t_1) R_2(t_2) R_3(t_3)`` about fixed unit axes, of many triples of axes at once.

    Args:
        axes: Shape (c, 3, 3): the second index is the axis; neighbouring axes are not parallel.

    Source: the decomposition is that of Davenport's general angles, for axes at any angles to each other (Piovan and
    Bullo, 2012), with both solutions kept.
    """

    def __init__(self, axes: Array):
        self.axes: Array = np.array(axes, dtype=np.float64).reshape(-1, 3, 3)
        self._prepare()

    def __len__(self) -> int:
        return len(self.axes)

    def _prepare(self) -> None:
        e1, e2, e3 = self.axes[:, 0], self.axes[:, 1], self.axes[:, 2]
        # A frame about the first axis: (e1, p, r) is right-handed.
        p = e2 - (e1 * e2).sum(-1, keepdims=True) * e1
        p /= np.linalg.norm(p, axis=-1, keepdims=True)
        frame = np.stack([e1, p, np.cross(e1, p)], axis=-2)
        along = (e2 * e3).sum(-1, keepdims=True)
        # R_2(t) e_3 = cos t (e_3 - along e_2) + sin t (e_2 x e_3) + along e_2, written in that frame.
        parts = np.stack([e3 - along * e2, np.cross(e2, e3), along * e2], axis=-2)
        self._swing = np.einsum("cki,cji->ckj", parts, frame)
        a, b, self._c = self._swing[:, 0, 0], self._swing[:, 1, 0], self._swing[:, 2, 0]
        self._phase = np.arctan2(b, a)
        self._reach = np.hypot(a, b)
        # For axes at right angles this is zero; then the square root below loses nothing to cancellation.
        rest = 1.0 - self._reach**2 + self._c**2
        self._rest = np.where(np.abs(rest) < 1e-14, 0.0, rest)
        # R e_3 in that frame as a quadratic form of the quaternion: shape (c, 16, 3).
        basis = np.eye(4)
        forms = np.empty((len(self), 4, 4, 3))
        third = np.concatenate([np.zeros((len(self), 1)), e3], axis=-1)
        for i in range(4):
            for j in range(4):
                product = quat.multiply(quat.multiply(basis[i], third), quat.conjugate(basis[j]))
                forms[:, i, j] = np.einsum("ci,cki->ck", product[:, 1:], frame)
        self._form = forms.reshape(-1, 16, 3)

    def taken(self, which: NDArray[np.intp]) -> ThreeAxes:
        """Return some of the triples, one for each number in ``which``, in this order and as often."""
        some = ThreeAxes.__new__(ThreeAxes)
        for name in ("axes", "_swing", "_phase", "_reach", "_c", "_rest", "_form"):
            setattr(some, name, getattr(self, name)[which])
        return some

    def rotations(self, angles: Array) -> Array:
        """Return the rotations for angles, shapes (..., c, 3) to (..., c, 4)."""
        q = quat.from_axis_angle(self.axes, angles)
        return quat.multiply(quat.multiply(q[..., 0, :], q[..., 1, :]), q[..., 2, :])

    def half_velocities(self, angles: Array, rates: Array) -> Array:
        """Return half the angular velocity in the compound's own axes for angle rates, shapes (..., c, 3)."""
        back = quat.conjugate(quat.from_axis_angle(self.axes, angles))
        third = quat.rotate(back[..., 2, :], self.axes[:, 1])
        second = quat.rotate(quat.multiply(back[..., 2, :], back[..., 1, :]), self.axes[:, 0])
        return 0.5 * (rates[..., :1] * second + rates[..., 1:2] * third + rates[..., 2:] * self.axes[:, 2])

    def angles(self, q: Array, near: Array) -> Array:
        """Return the angles of rotations, on the branch nearest to given angles.

        There are two triples of angles for a rotation, and any whole turns beside; the one with the least sum of
        squared distances is taken. At gimbal lock, where one angle is free, the first is the one asked for.

        Args:
            q: Unit quaternions, shape (..., c, 4).
            near: Angles asked for, [rad], shape (..., c, 3).

        Returns:
            [rad], shape (..., c, 3). A rotation that axes at odd angles cannot reach gets the angles of one near it.
        """
        away = self._away(q, near)
        squares = away * away
        far = squares[..., 0] + squares[..., 1] + squares[..., 2]
        chosen: Array = near + np.where((far[0] <= far[1])[..., None], away[0], away[1])
        return chosen

    def both_angles(self, q: Array, near: Array) -> Array:
        """Return both triples of angles of rotations, each in the turn nearest to given angles, (2, ..., c, 3).

        Arguments as of ``angles``.
        """
        found: Array = near + self._away(q, near)
        return found

    def _away(self, q: Array, near: Array) -> Array:
        """Return how far both triples of angles are from those asked for, in the nearest turn, (2, ..., c, 3)."""
        outer = (q[..., :, None] * q[..., None, :]).reshape(*q.shape[:-1], 1, 16)
        target = np.matmul(outer, self._form)[..., 0, :]
        along, tp, tr = target[..., 0], target[..., 1], target[..., 2]
        cosine = along - self._c
        # reach^2 - cosine^2, written by the part of R e_3 across e_1.
        square = tp * tp + tr * tr - (self._rest - 2.0 * along * self._c)
        opening = np.arctan2(np.sqrt(np.maximum(square, 0.0)), np.clip(cosine, -self._reach, self._reach))
        pair = np.empty((2, *near.shape))
        pair[0, ..., 1] = self._phase + opening
        pair[1, ..., 1] = self._phase - opening
        second = pair[..., 1:2]
        swing = np.cos(second) * self._swing[:, 0] + np.sin(second) * self._swing[:, 1] + self._swing[:, 2]
        vp, vr = swing[..., 1], swing[..., 2]
        free = near[..., 0]
        pair[..., 0] = np.arctan2(
            vp * tr - vr * tp + _LOCKED * np.sin(free), vp * tp + vr * tr + _LOCKED * np.cos(free)
        )
        half = quat.from_axis_angle(self.axes[:, :2], -pair[..., :2])
        left = quat.multiply(half[..., 1, :], quat.multiply(half[..., 0, :], q))
        e3 = self.axes[:, 2]
        sine = left[..., 1] * e3[:, 0] + left[..., 2] * e3[:, 1] + left[..., 3] * e3[:, 2]
        pair[..., 2] = 2.0 * np.arctan2(sine, left[..., 0])
        away = pair - near
        away -= 2.0 * np.pi * np.rint(away / (2.0 * np.pi))
        return away
