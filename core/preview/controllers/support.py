"""What a figure stands on, and whether it can stay up: soles, their polygon, and the extrapolated centre of mass.

The extrapolated centre of mass, or instantaneous capture point, is where a foot would have to be for the body to come
to rest above it as an inverted pendulum: ``xi = c + v / omega``, ``omega = sqrt(g / h)``.

Source: Hof, Gazendam and Sinke (2005), The condition for dynamic stability, J. Biomech. 38, 1-8.
"""

from __future__ import annotations

import math

import numpy as np

from core.arrays import Array
from core.constraints.soles import hull
from core.dynamics.contact.figure_shapes import figure_geometries
from core.preview.anatomy import Anatomy
from core.preview.controllers.controller import Situation

_SOLE = 0.012  # share of the height: corners so near the lowest of a foot are its sole
_LEAST = 0.15  # share of the height that the pendulum has at least
LEVEL = [0, 2]  # the horizontal axes


class Soles:
    """The soles of the feet of a figure with two legs, and what else of it touches.

    Args:
        anatomy: The figure.
    """

    def __init__(self, anatomy: Anatomy):
        self._anatomy = anatomy
        geometries = figure_geometries(anatomy.actor.sequence.skeleton, anatomy.actor.model, 1.0)
        corners: dict[int, list[Array]] = {}
        for shape in geometries:
            points = shape.shape.polytope.points @ shape.X_BS[:3, :3].T + shape.X_BS[:3, 3]
            corners.setdefault(shape.body, []).append(points)
        self._points: list[list[tuple[int, Array]]] = []
        for leg in anatomy.legs:
            bodies = [leg.bodies[kind] for kind in ("ankle", "toes") if leg.bodies[kind] >= 0]
            there = [(b, np.concatenate(corners[b])) for b in bodies if b in corners]
            rest = anatomy.rest_poses
            lows = [(pts @ rest[b, :3, :3].T + rest[b, :3, 3])[:, 1] for b, pts in there]
            low = min((each.min() for each in lows), default=0.0)
            keep = _SOLE * anatomy.height
            self._points.append([(b, pts[y <= low + keep]) for (b, pts), y in zip(there, lows, strict=True)])
            self._points[-1] = [(b, pts) for b, pts in self._points[-1] if len(pts)]
        self.bodies = [frozenset(b for b, _ in own) for own in self._points]

    def corners(self, foot: int, poses: Array) -> Array:
        """Return the corners of a sole in the world, shape (k, 3)."""
        return np.concatenate([pts @ poses[b, :3, :3].T + poses[b, :3, 3] for b, pts in self._points[foot]])

    def polygon(self, feet: list[int], poses: Array) -> Array:
        """Return the polygon of soles seen from above, corners (x, z), shape (m, 2); none for no feet."""
        if not feet:
            return np.zeros((0, 2))
        points = np.concatenate([self.corners(foot, poses)[:, LEVEL] for foot in feet])
        return np.asarray(points[hull(points)])

    def standing(self, now: Situation) -> list[int]:
        """Return which feet touch."""
        return [foot for foot in (0, 1) if self.bodies[foot] & now.touching]


def frequency(now: Situation, ground: float, height: float) -> float:
    """Return the rate omega at which the inverted pendulum falls, [1/s]."""
    return math.sqrt(max(now.gravity, 0.1) / max(float(now.center[1]) - ground, _LEAST * height))


def nearest(polygon: Array, point: Array) -> Array:
    """Return the point of a convex polygon that is nearest to a point, shape (2,)."""
    if len(polygon) == 1:
        return np.asarray(polygon[0])
    after = np.roll(polygon, -1, axis=0)
    edge, away = after - polygon, point - polygon
    if len(polygon) > 2:
        turns = edge[:, 0] * away[:, 1] - edge[:, 1] * away[:, 0]
        if (turns >= 0.0).all() or (turns <= 0.0).all():
            return np.array(point)
    share = np.clip((edge * away).sum(axis=1) / np.maximum((edge * edge).sum(axis=1), 1e-12), 0.0, 1.0)
    places = polygon + share[:, None] * edge
    return np.asarray(places[np.argmin(np.linalg.norm(places - point, axis=1))])


def shrunk(polygon: Array, share: float) -> Array:
    """Return a polygon smaller by a share of itself about its middle."""
    middle = polygon.mean(axis=0)
    return np.asarray(middle + (1.0 - share) * (polygon - middle))
