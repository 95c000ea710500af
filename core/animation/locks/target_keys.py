"""Targets of a lock keyed over time: a hand that follows a path, a foot that turns with a plate.

Positions run along a Catmull-Rom spline, rotations along ``squad``, both with the tangents for uneven spacing that
poses have (``core.animation.curves.interpolation``); before the first and after the last key the target stays as it
is there.
A path that ends where it begins has no ends: a circle stays round there.
Planes and lines are told by unit directions and places, and those are what is interpolated. Uniform and centripetal
Catmull-Rom and steps are as for poses; what poses can do besides is the plain spline here.

With a speed curve the target goes along its path by length between the curve's ends: a place with the curve's speed,
what has no place along with the curve's share of the time.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.animation.curves.arc_length import ArcLength
from core.animation.curves.interpolation import key_slopes
from core.animation.curves.key_rows import KINDS
from core.animation.curves.tangents import Chords, Ways, tangents
from core.animation.curves.timing import SpeedCurve
from core.animation.key import LINEAR, SPLINE, check_frame
from core.animation.shape import CATMULL_ROM, CENTRIPETAL, STEPPED
from core.errors import SequenceError
from core.spatial import quaternion as quat

Array = NDArray[np.float64]

Near = tuple[Any, ...]
"""Keys around a span: that before it if there is one, its two, and that after."""

TARGET_INTERPOLATIONS: tuple[str, ...] = (SPLINE, LINEAR, STEPPED, CATMULL_ROM, CENTRIPETAL)
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
        interp: How the span that begins here is filled, as for poses.
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


def target_at(keys: tuple[TargetKey, ...], kind: str, frame: float, speed: SpeedCurve | None = None) -> Any:
    """Return the target at a frame, whole or not; at a key it is the key's, bit for bit.

    Args:
        keys: Sorted by frame, at least one.
        kind: Kind of the lock.
        frame: Frame number.
        speed: How fast the path is travelled; None for as it is keyed.
    """
    if speed is not None and speed.first < frame < speed.last:
        frame = _travelled(keys, kind, speed, frame)
    if frame <= keys[0].frame:
        return keys[0].target
    if frame >= keys[-1].frame:
        return keys[-1].target
    i = bisect_right(keys, frame, key=lambda key: key.frame) - 1
    if keys[i].frame == frame or keys[i].interp == STEPPED:
        return keys[i].target
    return _between(*_near(keys, i), kind, frame)


def _near(keys: tuple[TargetKey, ...], i: int) -> tuple[Near, int]:
    """Return the keys around the span after key ``i``, and where that key is among them."""
    before: list[Any] = list(keys[max(i - 1, 0) : i])
    after: list[Any] = list(keys[i + 2 : i + 3])
    if len(keys) > 3 and _same(keys[0].target, keys[-1].target):
        # A path that ends where it begins goes through that place as through any other.
        round_trip = keys[-1].frame - keys[0].frame
        before = before or [_Neighbor(keys[-2].frame - round_trip, keys[-2].target, keys[-2].interp)]
        after = after or [_Neighbor(keys[1].frame + round_trip, keys[1].target, keys[1].interp)]
    return (*before, keys[i], keys[i + 1], *after), len(before)


_PLACES: dict[str, Callable[[Any], Array]] = {
    "position": np.asarray,
    "point_pair": np.asarray,
    "pose": lambda target: np.asarray(target[:3, 3]),
    "line": lambda target: np.asarray(target[0]),
}
"""Where the place stands in the targets of kinds that have one."""


def _travelled(keys: tuple[TargetKey, ...], kind: str, speed: SpeedCurve, frame: float) -> float:
    """Return the frame of the path at which a target travelled by length is."""
    first, last = max(speed.first, keys[0].frame), min(speed.last, keys[-1].frame)
    if not first < last:
        return frame
    part = float(speed.fraction(frame))
    if kind not in _PLACES:
        return first + part * (last - first)
    way, span = _way(keys, kind, first, last)
    if way.total <= 0.0:
        return frame
    pieces, u = way.places([part * way.total])
    i = span + int(pieces[0])
    return keys[i].frame + float(u[0]) * (keys[i + 1].frame - keys[i].frame)


@lru_cache(maxsize=64)
def _way(keys: tuple[TargetKey, ...], kind: str, first: float, last: float) -> tuple[ArcLength, int]:
    """Return the lengths of the path between two frames, and the span it begins in."""
    a = bisect_right(keys, first, key=lambda key: key.frame) - 1
    b = bisect_left(keys, last, key=lambda key: key.frame) - 1
    cubics = []
    for i in range(a, b + 1):
        near, at = _near(keys, i)
        cubics.append(_cubic(near, at, [_PLACES[kind](key.target) for key in near]))
    ends = [(frame - keys[i].frame) / (keys[i + 1].frame - keys[i].frame) for frame, i in ((first, a), (last, b))]
    return ArcLength(np.array(cubics), *ends), a


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


def _tangent(near: Near, at: int, leaves: bool, d_in: Array, d_out: Array, plain: Array) -> Array:
    """Return the tangent that leaves key ``at`` or comes to it, [1/frame]; ``plain`` is that of the spline."""
    _, _, h_in, h_out = _spans(near, at)
    own, before = (np.array([KINDS[near[k].interp]], dtype=np.int8) for k in (at, max(at - 1, 0)))
    ways = Ways(own, before, own, np.zeros((1, 3)))
    if not ways.special:
        return plain
    return tangents(Chords(d_in, d_out, np.array([h_in]), np.array([h_out]), _length), plain, ways)[leaves]


def _length(d: Array) -> Array:
    return np.asarray(np.sqrt((d * d).sum(axis=-1, keepdims=True)))


def _values(near: Near, i: int, values: list[Array], frame: float) -> Array:
    u = (frame - near[i].frame) / float(near[i + 1].frame - near[i].frame)
    c0, c1, c2, c3 = _cubic(near, i, values)
    result: Array = c0 + u * (c1 + u * (c2 + u * c3))
    return result


def _cubic(near: Near, i: int, values: list[Array]) -> Array:
    """Return the cubic of the span after key ``i``, the lowest power first, shape (4, d)."""
    a, b = values[i], values[i + 1]
    nothing = np.zeros_like(a)
    if near[i].interp == STEPPED:
        return np.stack((a, nothing, nothing, nothing))
    if near[i].interp == LINEAR:
        return np.stack((a, b - a, nothing, nothing))
    h = float(near[i + 1].frame - near[i].frame)
    slopes = []
    for at in (i, i + 1):
        before, after, h_in, h_out = _spans(near, at)
        plain = key_slopes(values[before], values[at], values[after], np.float64(h_in), np.float64(h_out))  # type: ignore[arg-type]
        d_in, d_out = values[at] - values[before], values[after] - values[at]
        slopes.append(_tangent(near, at, at == i, d_in, d_out, plain) * h)
    c2 = 3.0 * (b - a) - 2.0 * slopes[0] - slopes[1]
    c3 = slopes[0] + slopes[1] - 2.0 * (b - a)
    return np.stack((a, slopes[0], c2, c3))


def _rotation(near: Near, i: int, matrices: list[Array], frame: float) -> Array:
    q = [quat.from_matrix(matrices[0])]
    for matrix in matrices[1:]:  # each on the side of the one before: the shorter way round
        q.append(quat.shortest(q[-1], quat.from_matrix(matrix)))
    h = float(near[i + 1].frame - near[i].frame)
    u = (frame - near[i].frame) / h
    if near[i].interp == LINEAR:
        return quat.slerp(q[i], q[i + 1], u)
    halves = []
    for at in (i, i + 1):
        before, after, h_in, h_out = _spans(near, at)
        plain = quat.squad_tangent(q[before], q[at], q[after], np.float64(h_in), np.float64(h_out))
        d_in, d_out = -quat.arc(q[at], q[before]), quat.arc(q[at], q[after])
        halves.append(_tangent(near, at, at == i, d_in, d_out, plain) * h)
    controls = quat.squad_controls(q[i], q[i + 1], *halves)
    return quat.squad(q[i], q[i + 1], *controls, u)


def _direction(near: Near, i: int, directions: list[Array], frame: float) -> Array:
    """Return a unit vector between two, on the great circle through them, at the pace of the spline."""
    a, b = directions[i], directions[i + 1]
    u = (frame - near[i].frame) / float(near[i + 1].frame - near[i].frame)
    if near[i].interp != LINEAR and len(near) > 2:
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
