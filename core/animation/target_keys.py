"""Targets of a lock keyed over time: a hand that follows a path, a foot that turns with a plate.

Positions run along a Catmull-Rom spline, rotations along ``squad``, both with the tangents for uneven spacing that
poses have (``core.animation.interpolation``); before the first and after the last key the target stays as it is there.
A path that ends where it begins has no ends: a circle stays round there.
Planes and lines are told by unit directions and places, and those are what is interpolated.
"""

from __future__ import annotations

from collections.abc import Sequence as Seq
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.animation.interpolation import key_slopes
from core.animation.key import LINEAR, SPLINE, check_frame
from core.errors import SequenceError
from core.spatial import quaternion as quat

Array = NDArray[np.float64]

Near = tuple[Any, ...]
"""Keys around a span: that before it if there is one, its two, and that after."""

TARGET_INTERPOLATIONS: tuple[str, ...] = (SPLINE, LINEAR)
"""How the way between two keys of a target can be filled."""

# Opposite directions have no way between them that is shorter than all others.
_OPPOSITE = 1e-9
_SAME = 1e-9


@dataclass(frozen=True, eq=False)
class TargetKey:
    """Where a lock's target is at a frame.

    Attributes:
        frame: Whole number from 0 on.
        target: As ``Lock.target`` of the lock's kind; read-only once it is part of a strip.
        interp: How the span that begins here is filled: ``"spline"`` or ``"linear"``.
    """

    frame: int
    target: Any
    interp: str = SPLINE

    def __post_init__(self) -> None:
        object.__setattr__(self, "frame", check_frame(self.frame))
        if self.interp not in TARGET_INTERPOLATIONS:
            valid = ", ".join(TARGET_INTERPOLATIONS)
            raise SequenceError(f'interpolation "{self.interp}" of a target at frame {self.frame}; valid are {valid}')

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TargetKey):
            return NotImplemented
        mine, theirs = np.asarray(self.target, dtype=np.float64), np.asarray(other.target, dtype=np.float64)
        same = mine.shape == theirs.shape and mine.tobytes() == theirs.tobytes()
        return (self.frame, self.interp) == (other.frame, other.interp) and same

    def __hash__(self) -> int:
        return hash((self.frame, self.interp))


def target_at(keys: Seq[TargetKey], kind: str, frame: float) -> Any:
    """Return the target at a frame, whole or not; at a key it is the key's, bit for bit.

    Args:
        keys: Sorted by frame, at least one.
        kind: Kind of the lock.
        frame: Frame number.
    """
    if frame <= keys[0].frame:
        return keys[0].target
    if frame >= keys[-1].frame:
        return keys[-1].target
    i = next(k for k in range(len(keys) - 1, -1, -1) if keys[k].frame <= frame)
    if keys[i].frame == frame:
        return keys[i].target
    before: list[Any] = list(keys[max(i - 1, 0) : i])
    after: list[Any] = list(keys[i + 2 : i + 3])
    if len(keys) > 3 and _same(keys[0].target, keys[-1].target):
        # A path that ends where it begins goes through that place as through any other.
        round_trip = keys[-1].frame - keys[0].frame
        before = before or [_Neighbor(keys[-2].frame - round_trip, keys[-2].target)]
        after = after or [_Neighbor(keys[1].frame + round_trip, keys[1].target)]
    return _between((*before, keys[i], keys[i + 1], *after), len(before), kind, frame)


def _same(a: Any, b: Any) -> bool:
    return bool(np.abs(np.asarray(a) - np.asarray(b)).max() <= _SAME)


class _Neighbor(NamedTuple):
    """A key beyond an end of a closed path."""

    frame: int
    target: Any
    interp: str = SPLINE


def _between(near: Near, i: int, kind: str, frame: float) -> Any:
    if kind == "position" or kind == "point_pair":
        return _values(near, i, [np.asarray(key.target) for key in near], frame)
    if kind == "orientation":
        return quat.to_matrix(_rotation(near, i, [np.asarray(key.target) for key in near], frame))
    if kind == "pose":
        pose = np.eye(4)
        pose[:3, 3] = _values(near, i, [key.target[:3, 3] for key in near], frame)
        pose[:3, :3] = quat.to_matrix(_rotation(near, i, [key.target[:3, :3] for key in near], frame))
        return pose
    if kind == "plane":
        normal = _direction(near, i, [key.target[:3] for key in near], frame)
        return np.append(normal, _values(near, i, [key.target[3:] for key in near], frame))
    if kind == "line":
        place = _values(near, i, [key.target[0] for key in near], frame)
        return np.stack((place, _direction(near, i, [key.target[1] for key in near], frame)))
    if kind == "aim":
        return _direction(near, i, [np.asarray(key.target) for key in near], frame)
    values = _values(near, i, [np.asarray(key.target, dtype=np.float64).reshape(-1) for key in near], frame)
    return float(values[0]) if np.ndim(near[i].target) == 0 else values.reshape(np.shape(near[i].target))


def _spans(near: Near, at: int) -> tuple[int, int, float, float]:
    """Return the neighbours of key ``at`` and the lengths of the spans either side; zero where there is none."""
    before, after = max(at - 1, 0), min(at + 1, len(near) - 1)
    return before, after, float(near[at].frame - near[before].frame), float(near[after].frame - near[at].frame)


def _values(near: Near, i: int, values: list[Array], frame: float) -> Array:
    a, b = values[i], values[i + 1]
    h = float(near[i + 1].frame - near[i].frame)
    u = (frame - near[i].frame) / h
    if near[i].interp == LINEAR:
        return a + u * (b - a)
    slopes = []
    for at in (i, i + 1):
        before, after, h_in, h_out = _spans(near, at)
        slopes.append(
            key_slopes(values[before], values[at], values[after], np.float64(h_in), np.float64(h_out)) * h  # type: ignore[arg-type]
        )
    c2 = 3.0 * (b - a) - 2.0 * slopes[0] - slopes[1]
    c3 = slopes[0] + slopes[1] - 2.0 * (b - a)
    result: Array = a + u * (slopes[0] + u * (c2 + u * c3))
    return result


def _rotation(near: Near, i: int, matrices: list[Array], frame: float) -> Array:
    q = [quat.from_matrix(matrices[0])]
    for matrix in matrices[1:]:  # each on the side of the one before: the shorter way round
        q.append(quat.shortest(q[-1], quat.from_matrix(matrix)))
    h = float(near[i + 1].frame - near[i].frame)
    u = (frame - near[i].frame) / h
    if near[i].interp == LINEAR:
        return quat.slerp(q[i], q[i + 1], u)
    tangents = []
    for at in (i, i + 1):
        before, after, h_in, h_out = _spans(near, at)
        tangents.append(quat.squad_tangent(q[before], q[at], q[after], np.float64(h_in), np.float64(h_out)) * h)
    controls = quat.squad_controls(q[i], q[i + 1], *tangents)
    return quat.squad(q[i], q[i + 1], *controls, u)


def _direction(near: Near, i: int, directions: list[Array], frame: float) -> Array:
    """Return a unit vector between two, on the great circle through them, at the pace of the spline."""
    a, b = directions[i], directions[i + 1]
    u = (frame - near[i].frame) / float(near[i + 1].frame - near[i].frame)
    if near[i].interp == SPLINE and len(near) > 2:
        vector = _values(near, i, directions, frame)
        length = float(np.linalg.norm(vector))
        if length > 0.5:  # else the spline cuts through the sphere and its direction would whirl
            return vector / length
    return turned_direction(a, b, u)


def turned_direction(a: Array, b: Array, u: float) -> Array:
    """Return the unit vector that lies ``u`` of the way from ``a`` to ``b`` on the great circle, shape (3,)."""
    cross = np.cross(a, b)
    sine, cosine = float(np.linalg.norm(cross)), float(a @ b)
    if sine < _OPPOSITE:
        if cosine > 0.0:
            return np.array(b if u >= 0.5 else a)
        cross = np.cross(a, np.eye(3)[int(np.argmin(np.abs(a)))])
        sine = float(np.linalg.norm(cross))
        axis, angle = cross / sine, np.pi
    else:
        axis, angle = cross / sine, float(np.arctan2(sine, cosine))
    turned = np.cos(u * angle) * a + np.sin(u * angle) * np.cross(axis, a)
    result: Array = turned / np.linalg.norm(turned)
    return result
