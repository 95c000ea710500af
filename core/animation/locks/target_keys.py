"""Targets of a lock keyed over time: a hand that follows a path, a foot that turns with a plate.

Positions run along a Catmull-Rom spline, rotations along ``squad``, both with the tangents for uneven spacing that
poses have (``core.animation.curves.tangents``); before the first and after the last key the target stays as it
is there.
A path that ends where it begins has no ends: a circle stays round there.
Planes and lines are given by unit directions and places, and those are what is interpolated. Uniform and centripetal
Catmull-Rom, steps and slopes of one's own are as for poses; what poses can do besides is the plain spline here.

With a speed curve the target goes along its path by length between the curve's ends: a place with the curve's speed,
what has no place along with the curve's share of the time.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from typing import Any, NamedTuple, TypeVar

import numpy as np

from core.animation.curves.arc_length import ArcLength
from core.animation.curves.key_rows import KINDS
from core.animation.curves.tangents import Chords, TangentKinds, key_slopes, tangents
from core.animation.curves.timing_curves import SpeedCurve
from core.animation.key import LINEAR, SPLINE, check_frame
from core.animation.shape import CATMULL_ROM, CENTRIPETAL, FREE, STEPPED
from core.arrays import Array
from core.constraints.kinds.base import Kind
from core.constraints.kinds.target_parts import DIRECTION, PLACE, ROTATION, TargetPart, put_together
from core.errors import SequenceError
from core.spatial import quaternion as quat
from core.spatial import so3

_Frames = TypeVar("_Frames", float, Array)

Near = tuple[Any, ...]
"""Keys around a span: that before it if there is one, its two, and that after."""

TARGET_INTERPOLATIONS: tuple[str, ...] = (SPLINE, LINEAR, STEPPED, CATMULL_ROM, CENTRIPETAL, FREE)
"""How the way between two keys of a target can be filled."""

# Opposite directions have no way between them that is shorter than all others.
_OPPOSITE = 1e-9
_SAME = 1e-9
_STEP = 1e-4  # [frames]: so far along its slopes a target is followed to see where they go elsewhere

Slopes = tuple[float, ...]
"""How fast a target changes, part after part, per frame: of a place its velocity, of a rotation the angular velocity
in its own axes, [rad], of a number its change; of a direction nothing."""


@dataclass(frozen=True, eq=False)
class TargetKey:
    """Where a lock's target is at a frame.

    Attributes:
        frame: Whole number from 0 on.
        target: As ``Lock.target`` of the lock's kind; read-only once it is part of a strip.
        interp: How the span that begins here is filled, as for poses.
        slope_in: How fast it changes as it comes here through a span of slopes of its own (``"free"``); None for as
            the plain spline does.
        slope_out: Likewise as it leaves, if the span that begins here is one.

    Raises:
        SequenceError: If a value makes no sense.
    """

    frame: int
    target: Any
    interp: str = SPLINE
    slope_in: Slopes | None = None
    slope_out: Slopes | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "frame", check_frame(self.frame))
        for name in ("slope_in", "slope_out"):
            object.__setattr__(self, name, _slopes(getattr(self, name), f"{name} of a target at frame {self.frame}"))
        if self.interp not in TARGET_INTERPOLATIONS:
            valid = ", ".join(TARGET_INTERPOLATIONS)
            raise SequenceError(f'interpolation "{self.interp}" of a target at frame {self.frame}; valid are {valid}')

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TargetKey):
            return NotImplemented
        mine, theirs = np.asarray(self.target, dtype=np.float64), np.asarray(other.target, dtype=np.float64)
        same = mine.shape == theirs.shape and mine.tobytes() == theirs.tobytes()
        slopes = (self.slope_in, self.slope_out) == (other.slope_in, other.slope_out)
        return (self.frame, self.interp) == (other.frame, other.interp) and slopes and same

    def __hash__(self) -> int:
        return hash((self.frame, self.interp))

    def elsewhere(self, rule: Kind, place: Callable[[Any], Any]) -> TargetKey:
        """Return the key with its target, and so the slopes of it, taken elsewhere: mirrored, moved, expressed anew.

        Args:
            rule: Kind of the lock.
            place: Returns where a target goes.
        """
        come, leave = (
            None if own is None else _slopes_of(rule, place, self.target, own)
            for own in (self.slope_in, self.slope_out)
        )
        return replace(self, target=place(self.target), slope_in=come, slope_out=leave)

    def stretched(self, before: float, after: float) -> TargetKey:
        """Return the key with slopes for spans that have become so many times as long before and after it."""
        if self.slope_in is None and self.slope_out is None:
            return self
        return replace(
            self,
            slope_in=self.slope_in and tuple(each / before for each in self.slope_in),
            slope_out=self.slope_out and tuple(each / after for each in self.slope_out),
        )


def slopes_of_parts(parts: Sequence[TargetPart], target: Any) -> list[int]:
    """Return how many slopes each part of a target has."""
    return [0 if p.form == DIRECTION else 3 if p.form == ROTATION else p.numbers(target).size for p in parts]


def _slopes(value: Any, what: str) -> Slopes | None:
    if value is None:
        return None
    try:
        slopes = tuple(float(each) for each in value)
    except (TypeError, ValueError):
        raise SequenceError(f"{what} is {value!r}; it must be a list of numbers, or None") from None
    if not np.isfinite(slopes).all():
        raise SequenceError(f"{what} is {value!r}; all of it must be finite numbers")
    return slopes


def _slopes_of(rule: Kind, place: Callable[[Any], Any], target: Any, slopes: Slopes) -> Slopes:
    """Return slopes of a target taken elsewhere: the difference of where it goes a little before and after."""
    before, after = (place(_followed(rule, target, slopes, step)) for step in (-_STEP, _STEP))
    return _differences(rule, before, after, 2.0 * _STEP)


def _differences(rule: Kind, before: Any, after: Any, apart: float) -> Slopes:
    """Return the slopes of a target that goes from one to the other in some frames."""
    return tuple((target_way(rule.parts, before, after) / apart).tolist())


def target_way(parts: Sequence[TargetPart], a: Any, b: Any) -> Array:
    """Return how far a target has gone from ``a`` to ``b``, part after part as slopes have it, shape (d,)."""
    found: list[Array] = []
    for part in parts:
        if part.form == ROTATION:
            found.append(so3.log(part.of(a).T @ part.of(b)))
        elif part.form != DIRECTION:
            found.append(part.numbers(b) - part.numbers(a))
    return np.concatenate(found) if found else np.zeros(0)


def _followed(rule: Kind, target: Any, slopes: Slopes, step: float) -> Any:
    """Return a target so many frames along its slopes."""
    values: list[Any] = []
    for n, part in enumerate(rule.parts):
        own = step * _slope_of(rule.parts, n, target, slopes)
        if part.form == ROTATION:
            values.append(part.of(target) @ so3.exp(own))
        elif part.form == DIRECTION:
            values.append(part.of(target))
        else:
            values.append(part.of(target) + own.reshape(part.of(target).shape))
    return put_together(rule.parts, values, target)


def _slope_of(parts: Sequence[TargetPart], n: int, target: Any, slopes: Slopes) -> Array:
    """Return the slopes of one part, in a row."""
    sizes = slopes_of_parts(parts, target)
    first = sum(sizes[:n])
    return np.array(slopes[first : first + sizes[n]])


OwnSlopes = tuple[Array | None, Array | None]
_NO_SLOPES: OwnSlopes = (None, None)


class TargetPath:
    """The path of a target through its keys; what does not depend on the frame that is asked for is worked out once.

    Args:
        keys: Sorted by frame, at least one.
        rule: Kind of the lock.
        speed: How fast the path is travelled; None for as it is keyed.
    """

    def __init__(self, keys: tuple[TargetKey, ...], rule: Kind, speed: SpeedCurve | None = None):
        self._keys, self._rule, self._speed = keys, rule, speed
        self._place = next((part for part in rule.parts if part.form == PLACE), None)
        self._spans: dict[int, _Span] = {}

    def at(self, frame: float) -> Any:
        """Return the target at a frame, whole or not; at a key it is the key's, bit for bit."""
        keys, speed = self._keys, self._speed
        if speed is not None and speed.first < frame < speed.last:
            frame = self._travelled(speed, frame)
        if frame <= keys[0].frame:
            return keys[0].target
        if frame >= keys[-1].frame:
            return keys[-1].target
        i = bisect_right(keys, frame, key=lambda key: key.frame) - 1
        if keys[i].frame == frame or keys[i].interp == STEPPED:
            return keys[i].target
        return _between(self._span(i), self._rule, frame)

    def along(self, frames: Array) -> list[Any]:
        """Return the target at each of some frames, ascending, shape (m,): as ``at`` does, but many in one go."""
        keys = self._keys
        if self._speed is not None or np.any(np.diff(frames) < 0.0):
            return [self.at(frame) for frame in frames.tolist()]
        found: list[Any] = []
        at_keys = [float(key.frame) for key in keys]
        for i, run in groupby(frames.tolist(), lambda frame: bisect_right(at_keys, frame) - 1):
            wanted = list(run)
            if not 0 <= i < len(keys) - 1 or keys[i].interp == STEPPED:
                found += [self.at(frame) for frame in wanted]
                continue
            while wanted and wanted[0] == at_keys[i]:
                found.append(keys[i].target)
                wanted.pop(0)
            if wanted:
                found += _between_all(self._span(i), self._rule, np.array(wanted))
        return found

    def key_at(self, frame: int) -> TargetKey:
        """Return a key for a frame that has none: as the span around it, with slopes of its own if that has them."""
        keys, target = self._keys, self.at(frame)
        i = bisect_right(keys, frame, key=lambda key: key.frame) - 1
        interp = keys[max(i, 0)].interp
        if interp != FREE or not 0 <= i < len(keys) - 1:
            return TargetKey(frame, target, interp)

        # It goes through the frame smoothly: between keys nothing turns at once.
        slopes = _differences(self._rule, self.at(frame - _STEP), self.at(frame + _STEP), 2.0 * _STEP)
        return TargetKey(frame, target, interp, slopes, slopes)

    def _span(self, i: int) -> _Span:
        if i not in self._spans:
            self._spans[i] = _Span(*_near(self._keys, i), {})
        return self._spans[i]

    def _travelled(self, speed: SpeedCurve, frame: float) -> float:
        """Return the frame of the path at which a target travelled by length is."""
        first, last = max(speed.first, self._keys[0].frame), min(speed.last, self._keys[-1].frame)
        if not first < last:
            return frame
        part = float(speed.fraction(frame))
        if self._place is None:
            return first + part * (last - first)
        arc, begin = self._arc
        if arc.total <= 0.0:
            return frame
        pieces, u = arc.places([part * arc.total])
        i = begin + int(pieces[0])
        return self._keys[i].frame + float(u[0]) * (self._keys[i + 1].frame - self._keys[i].frame)

    @cached_property
    def _arc(self) -> tuple[ArcLength, int]:
        """The lengths of the path between the ends of the speed, and the span it begins in."""
        keys, speed = self._keys, self._speed
        assert speed is not None and self._place is not None
        first, last = max(speed.first, keys[0].frame), min(speed.last, keys[-1].frame)
        a = bisect_right(keys, first, key=lambda key: key.frame) - 1
        b = bisect_left(keys, last, key=lambda key: key.frame) - 1
        n = self._rule.parts.index(self._place)
        spans = [self._span(i) for i in range(a, b + 1)]
        cubics = [_cubic(span, self._place.of, _own_slopes(span, self._rule.parts, n)) for span in spans]
        ends = [(frame - keys[i].frame) / (keys[i + 1].frame - keys[i].frame) for frame, i in ((first, a), (last, b))]
        return ArcLength(np.array(cubics), *ends), a


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


def _same(a: Any, b: Any) -> bool:
    return bool(np.abs(np.asarray(a) - np.asarray(b)).max() <= _SAME)


class _Neighbor(NamedTuple):
    """A key beyond an end of a closed path."""

    frame: int
    target: Any
    interp: str = SPLINE


class _Span(NamedTuple):
    """The way from a key to the next: what is known of it already, by what it is of."""

    near: Near
    i: int
    known: dict[str, Any]

    def part(self, frame: _Frames) -> _Frames:
        """Return which part of the span lies behind at a frame, or at each of some."""
        start, end = self.near[self.i].frame, self.near[self.i + 1].frame
        return (frame - start) / float(end - start)


def _between(span: _Span, rule: Kind, frame: float) -> Any:
    """Return the target in a span: each part of it by its own kind of interpolation."""
    return _between_all(span, rule, np.array([frame]))[0]


def _between_all(span: _Span, rule: Kind, frames: Array) -> list[Any]:
    """Return the target at frames in a span, shape (m,), one after the other."""
    values: list[Array] = []
    for n, part in enumerate(rule.parts):
        if part.form == ROTATION:
            values.append(quat.to_matrix(_rotation(span, part.of, frames, _own_slopes(span, rule.parts, n))))
        elif part.form == DIRECTION:
            values.append(np.array([_direction(span, part.of, frame) for frame in frames.tolist()]))
        elif part.form == PLACE:
            values.append(_values(span, part.of, frames, part.name, _own_slopes(span, rule.parts, n)))
        else:
            values.append(_values(span, part.numbers, frames, part.name, _own_slopes(span, rule.parts, n))[:, 0])
    whole = span.near[span.i].target
    return [put_together(rule.parts, [each[k] for each in values], whole) for k in range(len(frames))]


def _own_slopes(span: _Span, parts: Sequence[TargetPart], n: int) -> OwnSlopes:
    """Return the slopes that the keys of a span have of their own for a part: as it leaves and as it comes."""
    start, end = span.near[span.i], span.near[span.i + 1]
    if start.interp != FREE:
        return _NO_SLOPES
    return (
        None if start.slope_out is None else _slope_of(parts, n, start.target, start.slope_out),
        None if end.slope_in is None else _slope_of(parts, n, end.target, end.slope_in),
    )


def _spans(near: Near, at: int) -> tuple[int, int, float, float]:
    """Return the neighbours of key ``at`` and the lengths of the spans either side; zero where there is none."""
    before, after = max(at - 1, 0), min(at + 1, len(near) - 1)
    return before, after, float(near[at].frame - near[before].frame), float(near[after].frame - near[at].frame)


def _tangent(near: Near, at: int, leaves: bool, d_in: Array, d_out: Array, plain: Array) -> Array:
    """Return the tangent that leaves key ``at`` or comes to it, [1/frame]; ``plain`` is that of the spline."""
    _, _, h_in, h_out = _spans(near, at)
    own, before = (np.array([_kind(near[k].interp)], dtype=np.int8) for k in (at, max(at - 1, 0)))
    kinds = TangentKinds(own, before, own, np.zeros((1, 3)))
    if not kinds.special:
        return plain
    return tangents(Chords(d_in, d_out, np.array([h_in]), np.array([h_out]), _length), plain, kinds)[leaves]


def _kind(interp: str) -> int:
    """Return the number of a way to fill a span; where slopes of its own are left out it is the spline."""
    return KINDS[SPLINE if interp == FREE else interp]


def _length(d: Array) -> Array:
    return np.asarray(np.sqrt((d * d).sum(axis=-1, keepdims=True)))


def _values(
    span: _Span, take: Callable[[Any], Array], frame: _Frames, name: str = "values", own: OwnSlopes = _NO_SLOPES
) -> Array:
    if name not in span.known:
        span.known[name] = _cubic(span, take, own)
    c0, c1, c2, c3 = span.known[name]
    u = np.asarray(span.part(frame))
    u = u.reshape(*u.shape, *(1,) * c0.ndim)
    result: Array = c0 + u * (c1 + u * (c2 + u * c3))
    return result


def _cubic(span: _Span, take: Callable[[Any], Array], own: OwnSlopes = _NO_SLOPES) -> Array:
    """Return the cubic of a span, the lowest power first, shape (4, d)."""
    near, i = span.near, span.i
    values = [take(key.target) for key in near]
    a, b = values[i], values[i + 1]
    nothing = np.zeros_like(a)
    if near[i].interp == STEPPED:
        return np.stack((a, nothing, nothing, nothing))
    if near[i].interp == LINEAR:
        return np.stack((a, b - a, nothing, nothing))
    h = float(near[i + 1].frame - near[i].frame)
    slopes = []
    for at, slope in ((i, own[0]), (i + 1, own[1])):
        if slope is not None:
            slopes.append(slope * h)
            continue
        before, after, h_in, h_out = _spans(near, at)
        plain = key_slopes(values[before], values[at], values[after], np.float64(h_in), np.float64(h_out))  # type: ignore[arg-type]
        d_in, d_out = values[at] - values[before], values[after] - values[at]
        slopes.append(_tangent(near, at, at == i, d_in, d_out, plain) * h)
    c2 = 3.0 * (b - a) - 2.0 * slopes[0] - slopes[1]
    c3 = slopes[0] + slopes[1] - 2.0 * (b - a)
    return np.stack((a, slopes[0], c2, c3))


def _rotation(span: _Span, take: Callable[[Any], Array], frame: _Frames, own: OwnSlopes = _NO_SLOPES) -> Array:
    if "turn" not in span.known:
        span.known["turn"] = _turn(span, take, own)
    start, end, controls = span.known["turn"]
    if controls is None:
        return quat.slerp(start, end, span.part(frame))
    leave, come = controls
    return quat.squad(start, end, leave, come, span.part(frame))


def _turn(
    span: _Span, take: Callable[[Any], Array], own: OwnSlopes = _NO_SLOPES
) -> tuple[Array, Array, tuple[Array, Array] | None]:
    """Return the rotations at both ends of a span, and the controls of the way between; None for the shortest."""
    near, i = span.near, span.i
    q = [quat.from_matrix(take(near[0].target))]
    for key in near[1:]:  # each on the side of the one before: the shorter way round
        q.append(quat.shortest(q[-1], quat.from_matrix(take(key.target))))
    if near[i].interp == LINEAR:
        return q[i], q[i + 1], None
    h = float(near[i + 1].frame - near[i].frame)
    halves = []
    for at, slope in ((i, own[0]), (i + 1, own[1])):
        if slope is not None:
            halves.append(0.5 * slope * h)
            continue
        before, after, h_in, h_out = _spans(near, at)
        plain = quat.squad_tangent(q[before], q[at], q[after], np.float64(h_in), np.float64(h_out))
        d_in, d_out = -quat.arc(q[at], q[before]), quat.arc(q[at], q[after])
        halves.append(_tangent(near, at, at == i, d_in, d_out, plain) * h)
    return q[i], q[i + 1], quat.squad_controls(q[i], q[i + 1], *halves)


def _direction(span: _Span, take: Callable[[Any], Array], frame: float) -> Array:
    """Return a unit vector between two, on the great circle through them, at the pace of the spline."""
    near, i = span.near, span.i
    if near[i].interp != LINEAR and len(near) > 2:
        vector = _values(span, take, frame, "direction")
        length = float(np.linalg.norm(vector))
        if length > 0.5:  # else the spline cuts through the sphere and its direction would whirl
            return vector / length
    return turned_direction(take(near[i].target), take(near[i + 1].target), span.part(frame))


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
