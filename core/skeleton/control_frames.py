"""Control frames of a joint's splines as rows of numbers, which is how files give them and people edit them.

A row is a place and three angles, ``x y z rx ry rz``, [m] and [deg], in the frame that the parts of the joint before
the spline leave. Angles of a curve are those of ``Rz Ry Rx``, as of a joint's orientation, those of a surface of
``Rx Ry Rz``. A composite joint has the rows of its splines one after the other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from core.arrays import Array
from core.errors import JointError
from core.joints import Composite, JointModel, SplineCurve, SplineSurface
from core.skeleton.euler import euler_degrees, euler_rotation
from core.spatial import se3


class SplinePart(NamedTuple):
    """A spline that a joint is, or that a composite joint has among its parts.

    Attributes:
        model: The spline.
        before: The parts that come before it.
        coordinate: Its first coordinate among the joint's.
        rows: Its control frames among the joint's.
    """

    model: SplineCurve | SplineSurface
    before: tuple[JointModel, ...]
    coordinate: int
    rows: range

    def frame(self, q: Sequence[float] | Array) -> Array:
        """Return where its control frames stand in the joint's frame at the joint's coordinates, shape (4, 4)."""
        X, at = np.eye(4), 0
        for part in self.before:
            X, at = X @ part.transform(np.asarray(q)[at : at + part.n]), at + part.n
        return X


def spline_parts(model: JointModel | None) -> tuple[SplinePart, ...]:
    """Return the splines of a joint type, in order."""
    parts = model.joints if isinstance(model, Composite) else () if model is None else (model,)
    found: list[SplinePart] = []
    coordinate = row = 0
    for i, part in enumerate(parts):
        if isinstance(part, SplineCurve | SplineSurface):
            count = len(part.frames) if isinstance(part, SplineCurve) else part.values[0].size
            found.append(SplinePart(part, tuple(parts[:i]), coordinate, range(row, row + count)))
            row += count
        coordinate += part.n
    return tuple(found)


def curve_from_controls(controls: Array, closed: bool, basis: str = "b-spline") -> SplineCurve:
    """Return the spline curve of control frames, rows of shape (m, 6).

    Raises:
        JointError: If they make no curve.
    """
    frames = np.tile(np.eye(4), (len(controls), 1, 1))
    for frame, numbers in zip(frames, controls, strict=True):
        frame[:3, :3], frame[:3, 3] = euler_rotation(numbers[3:]), numbers[:3]
    return SplineCurve(frames, closed, basis)


def surface_from_controls(controls: Array, rows: int, columns: int, basis: str = "b-spline") -> SplineSurface:
    """Return the spline surface of control frames, row by row of its grid, shape (rows columns, 6).

    Raises:
        JointError: If they make no surface.
    """
    values = np.array(controls, dtype=np.float64).T.reshape(6, rows, columns)
    values[3:] = np.vectorize(math.radians)(values[3:])
    return SplineSurface(values, basis)


def controls_of(model: JointModel | None) -> Array:
    """Return the control frames of a joint type's splines, shape (m, 6); new."""
    rows = [_rows(part.model) for part in spline_parts(model)]
    return np.concatenate([np.zeros((0, 6)), *rows])


def _rows(model: SplineCurve | SplineSurface) -> Array:
    if isinstance(model, SplineCurve):
        return np.array([[*frame[:3, 3], *euler_degrees(frame[:3, :3])] for frame in model.frames])
    rows = np.array(model.values.reshape(6, -1).T)
    rows[:, 3:] = _tidy_degrees(rows[:, 3:])
    return rows


def _tidy_degrees(radians: Array) -> Array:
    """Return angles in degrees, as short decimal numbers where such are the same angles."""
    degrees = np.vectorize(math.degrees)(radians)
    for digits in (12, 9, 6, 4, 2):
        rounded = np.round(degrees, digits) + 0.0
        degrees = np.where(np.vectorize(math.radians)(rounded) == radians, rounded, degrees)
    return np.asarray(degrees)


def with_controls(model: JointModel | None, controls: Array) -> JointModel | None:
    """Return a joint type with its splines made of other control frames.

    Args:
        model: A spline, or a composite joint with splines among its parts.
        controls: Rows, shape (m, 6).

    Returns:
        The type; None where it has another number of control frames.

    Raises:
        JointError: If they make no such joint.
    """
    found = spline_parts(model)
    if not found or len(controls) != found[-1].rows.stop:
        return None
    made = iter([_remade(part.model, controls[part.rows.start : part.rows.stop]) for part in found])
    if not isinstance(model, Composite):
        return next(made)
    return Composite(*(next(made) if isinstance(p, SplineCurve | SplineSurface) else p for p in model.joints))


def _remade(model: SplineCurve | SplineSurface, rows: Array) -> SplineCurve | SplineSurface:
    if isinstance(model, SplineCurve):
        return curve_from_controls(rows, model.closed, model.basis)
    _, first, second = model.values.shape
    return surface_from_controls(rows, first, second, model.basis)


# -- other numbers of control frames ---------------------------------------------------------------------------------


def with_frame_after(model: SplineCurve, number: int) -> SplineCurve:
    """Return a curve with one more control frame, half-way from one to the next; of a Bezier curve three more.

    Those of a Bezier curve halve its span by de Casteljau's construction, so that places on it stay where they are as
    far as its frames are not turned.

    Raises:
        JointError: If there is no such frame.
    """
    frames = list(model.frames)
    if not 0 <= number < len(frames):
        raise JointError(f"a spline curve of {len(frames)} control frames has no frame {number + 1}")
    if model.basis == "bezier":
        first = 3 * min(number // 3, model.segments - 1)
        a, b, c, d = (frames[(first + k) % len(frames)] for k in range(4))
        ab, bc, cd = _between(a, b), _between(b, c), _between(c, d)
        left, right = _between(ab, bc), _between(bc, cd)
        frames[first + 1 : first + 3] = [ab, left, _between(left, right), right, cd]
    else:
        if number == len(frames) - 1 and not model.closed:
            number -= 1  # the way ends there: half-way to it
        frames.insert(number + 1, _between(frames[number], frames[(number + 1) % len(frames)]))
    return SplineCurve(np.array(frames), model.closed, model.basis)


def without_frame(model: SplineCurve, number: int) -> SplineCurve:
    """Return a curve without one of its control frames; of a Bezier curve with one span less.

    Raises:
        JointError: If there are too few left, or there is no such frame.
    """
    frames = list(model.frames)
    if not 0 <= number < len(frames):
        raise JointError(f"a spline curve of {len(frames)} control frames has no frame {number + 1}")
    if model.basis == "bezier":  # what goes is the end frame that is nearest, with its handles
        knot = round(number / 3)
        first = min(max(3 * knot - 1, 0), len(frames) - 3)
        del frames[first : first + 3]
    else:
        del frames[number]
    return SplineCurve(np.array(frames), model.closed, model.basis)


def _between(a: Array, b: Array) -> Array:
    """Return the frame half-way between two: the middle of their places, and of their rotations."""
    half = np.array(a)
    twist = se3.log(se3.inverse(a) @ b)
    half[:3, :3] = (a @ se3.exp(np.concatenate([0.5 * twist[:3], np.zeros(3)])))[:3, :3]
    half[:3, 3] = 0.5 * (a[:3, 3] + b[:3, 3])
    return half


# -- other bases ---------------------------------------------------------------------------------------------------


def with_basis(model: SplineCurve | SplineSurface, basis: str) -> SplineCurve | SplineSurface:
    """Return a spline in another basis: as a Bezier spline on the same path, else by the same control frames.

    A curve keeps its frames and speeds where its spans meet, a surface its values everywhere.

    Raises:
        JointError: If there is no such basis, or the frames make no such spline.
    """
    if basis == model.basis:
        return model
    if isinstance(model, SplineSurface):
        values = model.values
        if basis == "bezier":
            along, across = (_to_bezier(model.basis, count) for count in values.shape[1:])
            values = along @ values @ across.T
        return SplineSurface(values, basis)
    if basis != "bezier":
        return SplineCurve(model.frames, model.closed, basis)
    frames = []
    for k in range(model.segments):
        for at, share in ((k, 0.0), (k, 1.0 / 3.0), (k + 1, -1.0 / 3.0)):
            frames.append(model.transform([at]) @ se3.exp(share * model.subspace([at])[:, 0]))
    if not model.closed:
        frames.append(model.transform([model.segments]))
    return SplineCurve(np.array(frames), model.closed, basis)


_FROM = {
    "b-spline": np.array([[1.0, 4.0, 1.0, 0.0], [0.0, 4.0, 2.0, 0.0], [0.0, 2.0, 4.0, 0.0], [0.0, 1.0, 4.0, 1.0]])
    / 6.0,
    "catmull-rom": np.array([[0.0, 6.0, 0.0, 0.0], [-1.0, 6.0, 1.0, 0.0], [0.0, 1.0, 6.0, -1.0], [0.0, 0.0, 6.0, 0.0]])
    / 6.0,
}
"""The four Bezier values of a span by the four values that shape it."""


def _to_bezier(basis: str, count: int) -> Array:
    """Return what makes the Bezier values of an open row of ``count`` values, shape (3 spans + 1, count)."""
    made = np.zeros((3 * (count - 3) + 1, count))
    for k in range(count - 3):
        made[3 * k : 3 * k + 4] = 0.0
        made[3 * k : 3 * k + 4, k : k + 4] = _FROM[basis]
    return made


def with_closed(model: SplineCurve, closed: bool) -> SplineCurve:
    """Return a curve that is closed or open, by the same control frames.

    A Bezier curve loses its last frame when it is closed and ends in its first one when it is opened.

    Raises:
        JointError: If there are too few.
    """
    frames = model.frames
    if model.basis == "bezier" and closed != model.closed:
        frames = frames[:-1] if closed else np.concatenate([frames, frames[:1]])
    return SplineCurve(frames, closed, model.basis)
