"""A part that moves along a spline alone follows the pointer on its way, however that goes nearer and farther.

A goal in the plane of the view through the part would pull it back wherever its way leads into the depth. So the place
is looked for on the way itself, as it is seen: downhill from where the part is, so that a way that crosses itself in
the view is followed along. Only off its way the part goes to the nearest place that is seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.scene.pointing import ToolView
from app.tools.base import Array
from core.ik import Result
from core.kinematics import closest_point_on_ray, forward_kinematics
from core.skeleton.joint_type import type_period
from core.skeleton.splines import spline_spans

if TYPE_CHECKING:
    from core.ik.reach import Reach
    from core.kinematics.chain import Chain
    from core.skeleton import Skeleton

OFF = 24.0
"""A pointer that is further from the place found downhill is off the way: all of it is looked at, [px]."""
GAIN = 8.0
"""By how much another place must be nearer to be gone to then, [px]."""
FOLD = 2.0
"""The same for one just round a bend, which a fast pointer may cut short, [px]."""
AHEAD = 2.0
"""How far along the way that may be, in distances of the pointer from the part."""
MARGIN = 12.0
"""What is added to that, [px]."""

_PER_SPAN, _MOST = {1: 16, 2: 8}, {1: 512, 2: 32}
"""Places looked at in each span, and at most along each coordinate, of curves and of surfaces."""
_ITERATIONS = 40
_DIFFERENCE = 1e-5
_SETTLED = 1e-3
"""A step that moves the part by less ends the search, [px]."""


def way_of(skeleton: Skeleton, joint: int, local: Array, chain: Chain) -> Way | None:
    """Return the way that a drag moves a part along; None unless all that moves are one spline's coordinates.

    Args:
        skeleton: The figure.
        joint: The dragged joint.
        local: Its end-effector, in its frame, shape (3,), [m].
        chain: What the drag moves.
    """
    moving = [k for k in chain.joints if skeleton.joints[k].dofs]
    if len(moving) != 1:
        return None
    own = skeleton.joints[moving[0]]
    # One that does not follow drags at all is left to the solver, which keeps it still.
    return Way(skeleton, joint, local, moving[0]) if own.curved is not None and own.weight > 0.0 else None


def _downhill(heights: Array, k: int, side: int) -> int:
    """Return where a walk from a place of a row ends that goes down to one side, -1 or 1."""
    while 0 <= k + side < len(heights) and heights[k + side] < heights[k]:
        k += side
    return k


class Way:
    """What is known of a spline while a part is dragged along it.

    Args:
        skeleton: The figure.
        joint: The dragged joint.
        local: Its end-effector, in its frame, shape (3,), [m].
        moving: The joint that runs along a spline: this one or, with nothing that moves between, one above it.
    """

    def __init__(self, skeleton: Skeleton, joint: int, local: Array, moving: int):
        self._skeleton, self._joint, self._local = skeleton, joint, np.asarray(local, dtype=np.float64)
        first, last = skeleton.first_dof[moving], skeleton.first_dof[moving + 1]
        self._dofs = np.arange(first, last)
        self._limits = np.array(skeleton.limits[first:last], dtype=np.float64)
        model = skeleton.joints[moving].curved
        assert model is not None
        self._period = type_period(model)
        self._counts = [
            max(2, min(int(np.ceil(span)) * _PER_SPAN[last - first], _MOST[last - first]))
            for span in spline_spans(model)
        ]
        self._steps = np.array(spline_spans(model)) / self._counts
        self._pose = np.zeros(0)
        self._table: Array | None = None
        self._heading = 0  # which way along a curve the part went last

    def led(
        self, q: Array, view: ToolView, at: tuple[float, float], reach: Reach, tolerance: float
    ) -> tuple[Result, Array]:
        """Return the pose with the part where its way is under a pixel, and the place under the pixel beside it.

        Args:
            q: The pose shown now, shape (nq,); the search goes on from there.
            view: The view.
            at: The pixel, logical.
            reach: What the lengths of the chain allow.
            tolerance: Distance from the pixel's ray within which the part is there, [m].
        """
        pose = np.array(q, dtype=np.float64)
        self._stand(pose)
        target = np.array(at, dtype=np.float64)
        before = self._place(pose)
        pose[3 + self._dofs], steps = self._found(view, target, pose[3 + self._dofs])
        place, ray = self._place(pose), view.ray(*at)
        goal = closest_point_on_ray(*ray, place)
        error = float(np.linalg.norm(goal - place))
        blocked = () if error <= tolerance else self._pressed(view, target, pose[3 + self._dofs])
        short = max(0.0, float(np.linalg.norm(goal - reach.center)) - reach.outer)
        reason = "reached" if error <= tolerance else "limits" if blocked else "out_of_reach" if short else "stalled"
        first = float(np.linalg.norm(closest_point_on_ray(*ray, before) - before))
        errors = np.array([first, *[min(first, error)] * steps])
        return Result(pose, error, steps, error <= tolerance, errors, reason, blocked, short), goal

    # -- places ------------------------------------------------------------------------------------------------------

    def _stand(self, pose: Array) -> None:
        """Take note of where all else is: what is known of the way holds only as long as that stays."""
        still = pose.copy()
        still[3 + self._dofs] = 0.0
        if not np.array_equal(still, self._pose):
            self._pose, self._table = still, None

    def _place(self, pose: Array) -> Array:
        return self._places(pose[None, 3 + self._dofs])[0]

    def _places(self, values: Array) -> Array:
        """Return the end-effector at many coordinates, (m, n), in the world, shape (m, 3), [m]."""
        poses = np.repeat(self._pose[None], len(values), axis=0)
        poses[:, 3 + self._dofs] = values
        X = forward_kinematics(self._skeleton, poses)[:, self._joint]
        return np.asarray(X[:, :3, :3] @ self._local + X[:, :3, 3])

    def _grid(self) -> tuple[Array, Array]:
        """Return coordinates all over the spline, (m, n), and the places there, (m, 3), [m]; made once."""
        axes = [step * np.arange(count + 1) for step, count in zip(self._steps, self._counts, strict=True)]
        values = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(axes))
        if self._table is None:
            self._table = self._places(values)
        return values, self._table

    @staticmethod
    def _seen(view: ToolView, places: Array) -> Array:
        """Return pixels of places, shape (m, 2); what is behind the eye is infinitely far off."""
        pixels = np.array(view.project(places), dtype=np.float64)
        return np.where(pixels[:, 2:] > 0.0, pixels[:, :2], np.inf)

    def _away(self, view: ToolView, target: Array, x: Array) -> float:
        """Return how far the part is seen from the target at some coordinates, [px]."""
        return float(np.linalg.norm(self._seen(view, self._places(x[None]))[0] - target))

    # -- the search --------------------------------------------------------------------------------------------------

    def _found(self, view: ToolView, target: Array, start: Array) -> tuple[Array, int]:
        """Return the coordinates that are seen nearest to the target, as a drag goes on from others, and the steps."""
        if len(start) == 1:
            return self._along(view, target, start)
        found, steps = self._descend(view, target, start, self._limits)
        away = self._away(view, target, found)
        if away <= OFF:
            return found, steps
        values, places = self._grid()
        inside = ((values >= self._limits[:, 0]) & (values <= self._limits[:, 1])).all(axis=1)
        if inside.any():
            distances = np.linalg.norm(self._seen(view, places[inside]) - target, axis=1)
            if distances.min() < away - GAIN:
                other, more = self._descend(view, target, values[inside][int(np.argmin(distances))], self._limits)
                return other, steps + more
        return found, steps

    def _along(self, view: ToolView, target: Array, start: Array) -> tuple[Array, int]:
        """Do that on a curve: of places all along it, once round both ways, one is chosen and then made exact."""
        x, step = float(start[0]), float(self._steps[0])
        lo, hi = self._limits[0]
        if self._period is not None:
            lo, hi = max(lo, x - self._period), min(hi, x + self._period)
        _, table = self._grid()
        number = np.arange(int(np.ceil(lo / step)), int(np.floor(hi / step)) + 1)
        extra = np.array([lo, x, hi])
        values = np.concatenate([number * step, extra])
        known = table[number % self._counts[0] if self._period is not None else np.clip(number, 0, self._counts[0])]
        values, first = np.unique(values, return_index=True)
        pixels = self._seen(view, np.concatenate([known, self._places(extra[:, None])])[first])
        away = np.linalg.norm(pixels - target, axis=1)
        at = int(np.searchsorted(values, x))

        def exact(k: int) -> tuple[Array, float]:
            bounds = np.array([[max(lo, values[k] - step), min(hi, values[k] + step)]])
            found, more = self._descend(view, target, values[k : k + 1], bounds)
            steps.append(more)
            return found, self._away(view, target, found)

        steps: list[int] = []
        chosen = min((_downhill(away, at, side) for side in (-1, 1)), key=lambda k: float(away[k]))
        found, least = exact(chosen)
        if np.isfinite(pixels).all():
            lengths = np.linalg.norm(np.diff(pixels, axis=0), axis=1)
            far = np.abs(np.concatenate([[0.0], np.cumsum(lengths)]) - lengths[:at].sum())
            near = np.where(far <= AHEAD * away[at] + MARGIN, away, np.inf)
            best = int(np.argmin(near))
            # Where two sides of a way lie upon another in the view the drag goes on round the bend, not back.
            beyond = _downhill(away, _downhill(-away, at, self._heading), self._heading) if self._heading else at
            turns = self._heading * (float(found[0]) - x) < 0.0 and beyond != at and bool(np.isfinite(near[beyond]))
            for k, more in ((best, -FOLD), (beyond, FOLD)) if turns else ((best, -FOLD),):
                other, distance = exact(k) if abs(k - chosen) > 1 else (found, least)
                if distance < least + more:
                    found, least = other, distance
        if not least <= OFF:
            rounds = away + 1e-6 * np.abs(values - x)  # of places that are seen alike the one in the nearest round
            if rounds.min() < least - GAIN:
                found, _ = exact(int(np.argmin(rounds)))
        if found[0] != x:
            self._heading = 1 if found[0] > x else -1
        return found, sum(steps)

    def _slope(self, view: ToolView, x: Array) -> Array:
        """Return how the pixel changes with the coordinates, shape (2, n), [px]."""
        h = _DIFFERENCE * np.eye(len(x))
        pixels = self._seen(view, self._places(np.concatenate([x + h, x - h])))
        return np.asarray((pixels[: len(x)] - pixels[len(x) :]).T / (2.0 * _DIFFERENCE))

    def _descend(self, view: ToolView, target: Array, x: Array, bounds: Array) -> tuple[Array, int]:
        """Return the local minimum of the distance in the view downhill of some coordinates, and the steps taken.

        Gauss and Newton's steps, damped after Levenberg and Marquardt where one would not come nearer, and no longer
        than what lies between two places of the grid, so that none leaps over to another part of the way.

        Args:
            view: The view.
            target: Pixel, shape (2,).
            x: Coordinates to begin at, shape (n,).
            bounds: Lower and upper bound of each, shape (n, 2).
        """
        x = np.clip(x, bounds[:, 0], bounds[:, 1])
        off = self._seen(view, self._places(x[None]))[0] - target
        damping = 1e-6
        for iteration in range(_ITERATIONS):
            if not np.isfinite(off).all():
                return x, iteration
            J = self._slope(view, x)
            gradient = J.T @ off
            free = ~(((x <= bounds[:, 0]) & (gradient > 0.0)) | ((x >= bounds[:, 1]) & (gradient < 0.0)))
            H = J[:, free].T @ J[:, free]
            weights = np.diagonal(H) + 1e-9 * float(np.trace(H))
            if not np.isfinite(J).all() or not free.any() or not weights.all():
                return x, iteration
            moved = np.inf
            while damping < 1e8:
                step = np.zeros(len(x))
                step[free] = np.linalg.solve(H + damping * np.diag(weights), -gradient[free])
                step /= max(1.0, float((np.abs(step) / self._steps).max()))
                trial = np.clip(x + step, bounds[:, 0], bounds[:, 1])
                there = self._seen(view, self._places(trial[None]))[0] - target
                if there @ there < off @ off:
                    moved = float(np.linalg.norm(there - off))
                    x, off, damping = trial, there, max(0.2 * damping, 1e-9)
                    break
                damping *= 5.0
            if not _SETTLED <= moved < np.inf:
                return x, iteration + 1
        return x, _ITERATIONS

    def _pressed(self, view: ToolView, target: Array, x: Array) -> tuple[int, ...]:
        """Return the degrees of freedom at a limit that keeps the part from coming nearer to the target."""
        off = self._seen(view, self._places(x[None]))[0] - target
        gradient = self._slope(view, x).T @ off
        held = ((x <= self._limits[:, 0]) & (gradient > 0.0)) | ((x >= self._limits[:, 1]) & (gradient < 0.0))
        return tuple(int(k) for k in self._dofs[held])
