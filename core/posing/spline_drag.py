"""A part that moves along a path or a surface alone, as a spline's, follows the pointer on it, however it bends.

A goal in the plane of the view through the part would pull it back wherever its path leads into the depth. So the place
is sought on the path itself, as it is seen: downhill from where the part is, so that a path that crosses itself in
the view is followed along. Only off its path the part goes to the nearest place that is seen.

What is seen is measured in grains, the smallest step of the pointer: a screen's pixels.
"""

from __future__ import annotations

import numpy as np

from core.arrays import Array
from core.ik import Result
from core.ik.reach import Reach
from core.kinematics import closest_point_on_ray, forward_kinematics
from core.kinematics.chain import Chain
from core.posing.pointer_ray import Sight
from core.skeleton.joint import Joint
from core.skeleton.joint_records import joint_ranges
from core.skeleton.skeleton import Skeleton

OFF = 24.0
"""A pointer that is further from the place found downhill is off the path: all of it is looked at, [grain]."""
GAIN = 8.0
"""By how much another place must be nearer to be gone to then, [grain]."""
FOLD = 2.0
"""The same for one just round a bend, which a fast pointer may cut short, [grain]."""
AHEAD = 2.0
"""How far along the path that may be, in distances of the pointer from the part."""
MARGIN = 12.0
"""What is added to that, [grain]."""

_PER_SPAN, _MOST = {1: 16, 2: 8}, {1: 512, 2: 32}
"""Places looked at in each span, and at most along each coordinate, of curves and of surfaces."""
_ITERATIONS = 40
_DIFFERENCE = 1e-5
_SETTLED = 1e-3
"""A step that moves the part by less ends the search, [grain]."""


def spline_drag(skeleton: Skeleton, joint: int, local: Array, chain: Chain) -> SplineDrag | None:
    """Return what drags a part along its path; None unless all that moves are one joint's own one or two coordinates.

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
    return SplineDrag(skeleton, joint, local, moving[0]) if _is_finite(own) and own.weight > 0.0 else None


def _is_finite(joint: Joint) -> bool:
    """Return whether all places of a joint can be looked at: those of a path or a surface that ends or closes."""
    model = joint.curved
    return model is not None and model.n <= max(_PER_SPAN) and None not in joint_ranges(model, joint.dofs)


def _downhill(heights: Array, k: int, side: int) -> int:
    """Return where a walk from a place of a row ends that goes down to one side, -1 or 1."""
    while 0 <= k + side < len(heights) and heights[k + side] < heights[k]:
        k += side
    return k


class _Picture:
    """Places as the pointer sees them, beside the ray through it.

    Args:
        origin: Of the ray, world, shape (3,), [m].
        direction: Its unit direction, shape (3,).
        sight: How the figure is seen.
        depth: How far the part lies behind the eye along the view's normal, [m], where a grain is measured.
    """

    def __init__(self, origin: Array, direction: Array, sight: Sight, depth: float):
        self._origin, self._back, self._parallel = origin, sight.normal, sight.parallel
        side = np.cross(sight.normal, np.eye(3)[int(np.argmin(np.abs(sight.normal)))])
        side /= np.linalg.norm(side)
        self._across = np.stack([side, np.cross(sight.normal, side)], axis=1)
        self._scale = (1.0 if sight.parallel else depth) / sight.grain
        self.target: Array = self.seen(np.asarray(origin + direction)[None])[0]

    def seen(self, places: Array) -> Array:
        """Return where places (m, 3) are seen, shape (m, 2), [grain]; what is behind the eye is infinitely far off."""
        away = places - self._origin
        across = self._scale * (away @ self._across)
        if self._parallel:
            return np.asarray(across)
        depth = -(away @ self._back)[:, None]
        return np.where(depth > 0.0, across / np.where(depth > 0.0, depth, 1.0), np.inf)


class SplineDrag:
    """What is known of a path or a surface while a part is dragged along it.

    Args:
        skeleton: The figure.
        joint: The dragged joint.
        local: Its end-effector, in its frame, shape (3,), [m].
        moving: The joint that runs along it: this one or, with nothing that moves between, one above it.
    """

    def __init__(self, skeleton: Skeleton, joint: int, local: Array, moving: int):
        self._skeleton, self._joint, self._local = skeleton, joint, np.asarray(local, dtype=np.float64)
        first, last = skeleton.first_dof[moving], skeleton.first_dof[moving + 1]
        self._dofs = np.arange(first, last)
        self._limits = np.array(skeleton.limits[first:last], dtype=np.float64)
        model = skeleton.joints[moving].curved
        assert model is not None
        ranges = np.array(joint_ranges(model, skeleton.joints[moving].dofs), dtype=np.float64)
        self._lower, spans = ranges[:, 0], ranges[:, 1] - ranges[:, 0]
        self._periods = model.periods
        self._counts = [
            max(2, min(int(np.ceil(span)) * _PER_SPAN[last - first], _MOST[last - first])) for span in spans.tolist()
        ]
        self._steps = np.maximum(spans, 1e-12) / self._counts
        self._pose = np.zeros(0)
        self._table: Array | None = None
        self._heading = 0  # the side along a curve to which the part went last
        self._depth: float | None = None

    def follow(
        self, q: Array, origin: Array, direction: Array, sight: Sight, reach: Reach, tolerance: float
    ) -> tuple[Result, Array]:
        """Return the pose with the part where its path is under the pointer, and the place under the pointer beside it.

        Args:
            q: The pose shown now, shape (nq,); the search goes on from there.
            origin: Origin of the pointer's ray, world, shape (3,), [m].
            direction: Its unit direction, shape (3,).
            sight: How the figure is seen.
            reach: What the lengths of the chain allow.
            tolerance: Distance from the ray within which the part is there, [m].
        """
        pose = np.array(q, dtype=np.float64)
        self._stand(pose)
        before = self._place(pose)
        if self._depth is None:
            self._depth = max(float((origin - before) @ sight.normal), 1e-9)
        view = _Picture(origin, direction, sight, self._depth)
        pose[3 + self._dofs], steps = self._found(view, pose[3 + self._dofs])
        place = self._place(pose)
        goal = closest_point_on_ray(origin, direction, place)
        error = float(np.linalg.norm(goal - place))
        blocked = () if error <= tolerance else self._pressed(view, pose[3 + self._dofs])
        short = max(0.0, float(np.linalg.norm(goal - reach.center)) - reach.outer)
        reason = "reached" if error <= tolerance else "limits" if blocked else "out_of_reach" if short else "stalled"
        first = float(np.linalg.norm(closest_point_on_ray(origin, direction, before) - before))
        errors = np.array([first, *[min(first, error)] * steps])
        return Result(pose, error, steps, error <= tolerance, errors, reason, blocked, short), goal

    # -- places ------------------------------------------------------------------------------------------------------

    def _stand(self, pose: Array) -> None:
        """Take note of where all else is: what is known of the path holds only as long as that stays."""
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
        axes = [
            lower + step * np.arange(count + 1)
            for lower, step, count in zip(self._lower, self._steps, self._counts, strict=True)
        ]
        values = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(axes))
        if self._table is None:
            self._table = self._places(values)
        return values, self._table

    def _away(self, view: _Picture, x: Array) -> float:
        """Return how far from the pointer the part is seen at some coordinates, [grain]."""
        return float(np.linalg.norm(view.seen(self._places(x[None]))[0] - view.target))

    # -- the search --------------------------------------------------------------------------------------------------

    def _found(self, view: _Picture, start: Array) -> tuple[Array, int]:
        """Return the coordinates that are seen nearest to the pointer, as a drag goes on from others, and the steps."""
        if len(start) == 1:
            return self._along(view, start)
        found, steps = self._descend(view, start, self._limits)
        away = self._away(view, found)
        if away <= OFF:
            return found, steps
        values, places = self._grid()
        values = values.copy()
        for k, period in enumerate(self._periods):
            if period is not None:  # the round that is nearest, or one within the limits
                values[:, k] += period * np.round((start[k] - values[:, k]) / period)
                values[:, k] += period * (values[:, k] < self._limits[k, 0]) - period * (
                    values[:, k] > self._limits[k, 1]
                )
        inside = ((values >= self._limits[:, 0]) & (values <= self._limits[:, 1])).all(axis=1)
        if inside.any():
            distances = np.linalg.norm(view.seen(places[inside]) - view.target, axis=1)
            if distances.min() < away - GAIN:
                other, more = self._descend(view, values[inside][int(np.argmin(distances))], self._limits)
                return other, steps + more
        return found, steps

    def _along(self, view: _Picture, start: Array) -> tuple[Array, int]:
        """Do that on a curve: of places all along it, once round either side, one is chosen and then made exact."""
        x, step, first = float(start[0]), float(self._steps[0]), float(self._lower[0])
        lo, hi = self._limits[0]
        period = self._periods[0]
        if period is not None:
            lo, hi = max(lo, x - period), min(hi, x + period)
        _, table = self._grid()
        number = np.arange(int(np.ceil((lo - first) / step)), int(np.floor((hi - first) / step)) + 1)
        extra = np.array([lo, x, hi])
        values = np.concatenate([first + number * step, extra])
        known = table[number % self._counts[0] if period is not None else np.clip(number, 0, self._counts[0])]
        values, unique = np.unique(values, return_index=True)
        seen = view.seen(np.concatenate([known, self._places(extra[:, None])])[unique])
        away = np.linalg.norm(seen - view.target, axis=1)
        at = int(np.searchsorted(values, x))

        def exact(k: int) -> tuple[Array, float]:
            bounds = np.array([[max(lo, values[k] - step), min(hi, values[k] + step)]])
            found, more = self._descend(view, values[k : k + 1], bounds)
            steps.append(more)
            return found, self._away(view, found)

        steps: list[int] = []
        chosen = min((_downhill(away, at, side) for side in (-1, 1)), key=lambda k: float(away[k]))
        found, least = exact(chosen)
        if np.isfinite(seen).all():
            lengths = np.linalg.norm(np.diff(seen, axis=0), axis=1)
            far = np.abs(np.concatenate([[0.0], np.cumsum(lengths)]) - lengths[:at].sum())
            near = np.where(far <= AHEAD * away[at] + MARGIN, away, np.inf)
            best = int(np.argmin(near))
            # Where two sides of a path lie upon each other in the view the drag goes on round the bend, not back.
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

    def _slope(self, view: _Picture, x: Array) -> Array:
        """Return how the place seen changes with the coordinates, shape (2, n), [grain]."""
        h = _DIFFERENCE * np.eye(len(x))
        seen = view.seen(self._places(np.concatenate([x + h, x - h])))
        return np.asarray((seen[: len(x)] - seen[len(x) :]).T / (2.0 * _DIFFERENCE))

    def _descend(self, view: _Picture, x: Array, bounds: Array) -> tuple[Array, int]:
        """Return the local minimum of the distance in the view downhill of some coordinates, and the steps taken.

        Gauss and Newton's steps, damped after Levenberg and Marquardt where one would not come nearer, and no longer
        than what lies between two places of the grid, so that none leaps over to another part of the path.

        Args:
            view: How places are seen.
            x: Coordinates to begin at, shape (n,).
            bounds: Lower and upper bound of each, shape (n, 2).
        """
        x = np.clip(x, bounds[:, 0], bounds[:, 1])
        off = view.seen(self._places(x[None]))[0] - view.target
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
                there = view.seen(self._places(trial[None]))[0] - view.target
                if there @ there < off @ off:
                    moved = float(np.linalg.norm(there - off))
                    x, off, damping = trial, there, max(0.2 * damping, 1e-9)
                    break
                damping *= 5.0
            if not _SETTLED <= moved < np.inf:
                return x, iteration + 1
        return x, _ITERATIONS

    def _pressed(self, view: _Picture, x: Array) -> tuple[int, ...]:
        """Return the degrees of freedom at a limit that keeps the part from coming nearer to the pointer."""
        off = view.seen(self._places(x[None]))[0] - view.target
        gradient = self._slope(view, x).T @ off
        held = ((x <= self._limits[:, 0]) & (gradient > 0.0)) | ((x >= self._limits[:, 1]) & (gradient < 0.0))
        return tuple(int(k) for k in self._dofs[held])
