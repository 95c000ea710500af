"""The path of a joint with coordinates of its own, as of a spline: a thin curve, or a light grid over a surface.

It is drawn where the joint is selected.

What the limits leave is drawn plainly and the rest faintly, as is what the part itself hides; a bar stands across where
it ends.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainter

from app.marks import paint
from app.render.mesh.occlusion import hull_mesh
from core.joints import JointModel, SplineCurve, SplineSurface
from core.joints.contact import ContactJoint
from core.joints.transformed import Transformed
from core.skeleton.control_frames import spline_parts
from core.skeleton.joint_records import joint_ranges

if TYPE_CHECKING:
    from app.scene.pointing import SceneView
    from app.scene.scene import Scene
    from core.skeleton import Dof, Joint, Skeleton

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

TOKEN = "accent"
WIDTH, FINE = 1.8, 1.0
FAINT, GRID, BORDER, HIDDEN = 0.3, 0.45, 0.85, 0.22
"""Opacity of what the limits leave out, of the lines of a grid and of those at its edge, of all behind the part."""
BAR = 7.0  # half the length of the bar at an end, [px]
_STEPS = 16  # points in a span
_CELLS = 2  # lines of the grid in a span
_LEAST_CELLS, _MOST_CELLS = 4, 16  # of joints whose coordinates have no spans


def _steps(model: JointModel, lower: float, upper: float, most: int) -> int:
    """Return how many points a line takes: so many a span of a spline, or a radian; those of shorter ranges too."""
    least = 2 if isinstance(model, SplineCurve | SplineSurface) else 4 * _STEPS
    return min(max(least, int(np.ceil((upper - lower) * _STEPS)) + 1), most)


@lru_cache(maxsize=64)
def path_points(model: JointModel, lower: float, upper: float) -> Array:
    """Return places of a joint from one value of its coordinate to another, in its fixed frame, shape (m, 3), [m]."""
    values = np.linspace(lower, upper, _steps(model, lower, upper, 2000))
    return np.array([model.transform([value])[:3, 3] for value in values])


@lru_cache(maxsize=64)
def sheet(model: JointModel, low: tuple[float, float], high: tuple[float, float]) -> tuple[tuple[Array, bool], ...]:
    """Return the lines of a grid over a joint's coordinates, and whether each is at its edge; shapes (m, 3), [m]."""
    lines = []
    for along in (0, 1):
        across = 1 - along
        count = max(1, round((high[across] - low[across]) * _CELLS))
        if not isinstance(model, SplineSurface):
            count = min(max(count, _LEAST_CELLS), _MOST_CELLS)
        for k, fixed in enumerate(np.linspace(low[across], high[across], count + 1)):
            points = []
            for place in np.linspace(low[along], high[along], _steps(model, low[along], high[along], 400)):
                q = (place, fixed) if along == 0 else (fixed, place)
                points.append(model.transform(q)[:3, 3])
            lines.append((np.array(points), k in (0, count)))
    return tuple(lines)


@lru_cache(maxsize=64)
def hulls(joint: Joint) -> tuple[tuple[Array, Array, float], ...]:
    """Return what is around each of a joint's objects, in its frame, [m].

    Returns:
        The planes of its hull, outwards, rows (nx, ny, nz, -distance); middle and radius of a ball around it.
    """
    import scipy  # here, as a figure whose geometry is kept needs none of it

    found = []
    for part in joint.objects:
        hull = None if part.mesh is None else hull_mesh(part.mesh.vertices)
        if part.mesh is not None and hull is not None:
            corners = part.mesh.vertices[hull[0]]
            middle = 0.5 * (corners.min(axis=0) + corners.max(axis=0))
            radius = float(np.linalg.norm(corners - middle, axis=1).max())
            found.append((scipy.spatial.ConvexHull(corners).equations, middle, radius))
    return tuple(found)


def _near(eyes: Array, points: Array, middle: Array, radius: float) -> Flags:
    """Return between which eyes and points a ball may stand, shape (m,)."""
    rays, off = points - eyes, middle - eyes
    share = np.clip(np.einsum("ij,ij->i", rays, off) / np.maximum(np.einsum("ij,ij->i", rays, rays), 1e-30), 0.0, 1.0)
    gap = off - share[:, None] * rays
    return np.asarray(np.einsum("ij,ij->i", gap, gap) <= radius**2)


def hidden(planes: Array, eyes: Array, points: Array) -> Flags:
    """Return which points a convex solid hides from the eye, or has inside of it, shape (m,).

    Args:
        planes: Of the solid, shape (k, 4): outward normals, and distances with a minus.
        eyes: From where each is seen, shape (m, 3).
        points: Shape (m, 3), in the same frame, [m].

    Source: Cyrus and Beck (1978), clipping of a segment by a convex polyhedron.
    """
    start = eyes @ planes[:, :3].T + planes[:, 3]
    end = points @ planes[:, :3].T + planes[:, 3]
    step = start - end
    share = start / np.where(step == 0.0, 1.0, step)
    enter = np.where(step > 0.0, share, -np.inf).max(axis=1)
    leave = np.where(step < 0.0, share, np.inf).min(axis=1)
    outside = ((step == 0.0) & (start > 0.0)).any(axis=1)
    return np.asarray(~outside & (np.maximum(enter, 0.0) < np.minimum(leave, 1.0)))


def base_frame(skeleton: Skeleton, poses: Array, joint: int) -> Array:
    """Return the frame in which a joint's path is given, in the world, shape (4, 4).

    Args:
        skeleton: The figure.
        poses: World frames of its joints, shape (n, 4, 4), [m].
        joint: The joint.
    """
    own = skeleton.joints[joint]
    fixed = np.eye(4)
    fixed[:3, :3], fixed[:3, 3] = own.rotation, own.offset
    if own.parent >= 0:
        return np.asarray(poses[own.parent] @ fixed)
    return np.asarray(fixed)


def draw(painter: QPainter, view: SceneView, scene: Scene) -> None:
    """Draw the paths of all selected joints that have one."""
    skeleton = scene.edited if scene.at_rest else scene.skeleton
    if skeleton is None:
        return
    for joint in scene.document.selection.joints:
        own = skeleton.joints[joint] if joint < len(skeleton.joints) else None
        if own is None or own.curved is None or _touches(own.curved):
            continue
        frame = base_frame(skeleton, scene.poses, joint)
        q = skeleton.rest_pose() if scene.at_rest else np.asarray(scene.document.pose)
        if own.parent < 0:
            frame[:3, 3] += 0.0 if scene.at_rest else q[:3]
        values = q[3 + skeleton.first_dof[joint] : 3 + skeleton.first_dof[joint + 1]]
        pen = _Pen(painter, view, own, scene.poses[joint])
        for path in _paths(own.curved, values, frame):
            _draw_path(pen, path, own.dofs[path.first : path.first + path.model.n])


class _Path(NamedTuple):
    """One or two coordinates of a joint that are drawn.

    Attributes:
        model: What has them: the joint, or one of its splines.
        values: What they are now, shape (n,).
        frame: In which it is given, world, shape (4, 4).
        first: Which of the joint's coordinates is its first.
    """

    model: JointModel
    values: Array
    frame: Array
    first: int


def _paths(model: JointModel, q: Array, frame: Array) -> Iterator[_Path]:
    """Yield a joint's splines, or the joint itself where it has none and one or two coordinates."""
    parts = spline_parts(model)
    for part in parts:
        own = q[part.coordinate : part.coordinate + part.model.n]
        yield _Path(part.model, own, frame @ part.frame(q), part.coordinate)
    if not parts and model.n in (1, 2):
        yield _Path(model, q, frame, 0)


def _touches(model: JointModel) -> bool:
    """Return whether a joint runs on curves and surfaces that are drawn themselves, see ``touching``."""
    return isinstance(model.joint if isinstance(model, Transformed) else model, ContactJoint)


def _draw_path(pen: _Pen, path: _Path, dofs: Sequence[Dof]) -> None:
    if path.model.n == 1:
        _draw_curve(pen, path, dofs)
    else:
        _draw_surface(pen, path, dofs)


def _whole(path: _Path, dofs: Sequence[Dof], k: int) -> tuple[float, float]:
    """Return from where to where a coordinate is drawn: all of it, or what lies around its value if it has no end."""
    ends = joint_ranges(path.model, dofs)[k]
    value, wide = float(path.values[k]), math.pi if path.model.rotary[k] else 1.0
    return ends if ends is not None else (value - wide, value + wide)


def _draw_curve(pen: _Pen, path: _Path, dofs: Sequence[Dof]) -> None:
    (dof,), model, frame, whole = dofs, path.model, path.frame, _whole(path, dofs, 0)
    ranged = np.isfinite(dof.lo) or np.isfinite(dof.hi)
    lower, upper = (dof.lo if np.isfinite(dof.lo) else whole[0]), (dof.hi if np.isfinite(dof.hi) else whole[1])
    if ranged and (lower, upper) != whole:
        pen.lines([_world(frame, path_points(model, *whole))], FINE, FAINT)
    if upper - lower <= 0.0:
        return
    points = _world(frame, path_points(model, lower, upper))
    pen.lines([points], WIDTH, 1.0)
    open_ended = model.period is None and joint_ranges(model, dofs)[0] is None
    for end, first, second in ((lower, 0, 1), (upper, -1, -2)) if model.period is None or ranged else ():
        if not open_ended or end in (dof.lo, dof.hi):
            pen.bar(points[[first, second]])


def _draw_surface(pen: _Pen, path: _Path, dofs: Sequence[Dof]) -> None:
    model, frame = path.model, path.frame
    (a, b), (c, d) = (_whole(path, dofs, k) for k in (0, 1))
    one, other = dofs
    low = float(one.lo if np.isfinite(one.lo) else a), float(other.lo if np.isfinite(other.lo) else c)
    high = float(one.hi if np.isfinite(one.hi) else b), float(other.hi if np.isfinite(other.hi) else d)
    if low != (a, c) or high != (b, d):
        around = [points for points, edge in sheet(model, (a, c), (b, d)) if edge]
        pen.lines([_world(frame, points) for points in around], FINE, FAINT)
    for edge in (False, True):
        grid = [points for points, outer in sheet(model, low, high) if outer == edge]
        pen.lines([_world(frame, points) for points in grid], WIDTH if edge else FINE, BORDER if edge else GRID)


def _world(frame: Array, points: Array) -> Array:
    return np.asarray(points @ frame[:3, :3].T + frame[:3, 3])


class _Pen:
    """Draws lines through the world, fainter where the part that runs along them stands before them.

    The part's own hull is asked, not the picture: what others of the figure hide would cost a ray for each point.
    """

    def __init__(self, painter: QPainter, view: SceneView, joint: Joint, pose: Array):
        self._painter, self._view = painter, view
        self._hulls, self._into = hulls(joint), np.asarray(np.linalg.inv(pose), dtype=np.float64)

    def lines(self, lines: Sequence[Array], width: float, alpha: float) -> None:
        """Draw lines through world points, those behind the eye left out."""
        if not lines:
            return
        points = np.concatenate(lines)
        pixels = self._view.project(points)
        covered, faint, first = self._covered(points, pixels), min(alpha, HIDDEN), 0
        for each in lines:
            # A piece ends where what hides it changes, and the next one begins at its end.
            last = first + len(each) - 1
            turns = (np.flatnonzero(covered[first + 1 : last] != covered[first : last - 1]) + first + 1).tolist()
            for start, end in pairwise([first, *turns, last]):
                self._piece(pixels[start : end + 1], width, faint if covered[start] else alpha)
            first = last + 1

    def bar(self, points: Array) -> None:
        """Draw a bar across the end of a line whose last two points are given, the end first."""
        pixels = self._view.project(points)
        (x, y, near), (u, v, far) = pixels.tolist()
        length = float(np.hypot(x - u, y - v))
        if near <= 0.0 or far <= 0.0 or length < 1e-6:
            return
        side = QPointF((y - v) / length, (u - x) / length)
        end = QPointF(x, y)
        alpha = HIDDEN if self._covered(points, pixels)[0] else 1.0
        line = [end - side * BAR, end + side * BAR]
        paint.stroke_line(self._painter, self._view.theme, line, TOKEN, 2.2, alpha=alpha)

    def _covered(self, points: Array, pixels: Array) -> Flags:
        found = np.zeros(len(points), dtype=bool)
        seen = np.flatnonzero(pixels[:, 2] > 0.0)
        if not self._hulls or not len(seen):
            return found
        origin, direction = self._view.ray(0.0, 0.0)
        eyes = np.broadcast_to(origin, (len(seen), 3))
        if self._view.camera.orthographic:
            eyes = points[seen] - pixels[seen, 2:] * direction
        own, theirs = _world(self._into, points[seen]), _world(self._into, eyes)
        for planes, middle, radius in self._hulls:
            near = np.flatnonzero(_near(theirs, own, middle, radius))
            if len(near):
                found[seen[near]] |= hidden(planes, theirs[near], own[near])
        return found

    def _piece(self, pixels: Array, width: float, alpha: float) -> None:
        run: list[QPointF] = []
        for x, y, depth in pixels.tolist():
            if depth > 0.0:
                run.append(QPointF(x, y))
                continue
            self._stroke(run, width, alpha)
            run = []
        self._stroke(run, width, alpha)

    def _stroke(self, run: list[QPointF], width: float, alpha: float) -> None:
        if len(run) > 1:
            paint.stroke_line(self._painter, self._view.theme, run, TOKEN, width, halo=1.6, alpha=alpha)
