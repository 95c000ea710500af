"""Which part the pointer means: the one under it, else one it misses by a few pixels.

Of several parts that lie one behind the other it is mostly the first. But a thin part may cover the place where a
larger one would be taken hold of, as a forearm does before the pelvis, and the polygons of a part may reach into its
neighbour's. There the part wins whose handle, the place where a drag takes it, is near the pointer.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.skeleton.segment import end_effector

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.scene.pointing import SceneView
    from app.scene.scene import Scene
    from core.kinematics.picking import Hit

Array = NDArray[np.float64]

SLACK = 6.0
"""A part that the pointer misses by no more than about this is still taken, [px]."""
NEAR = 9.0
"""A handle is near that is no further from the pointer than this, [px]."""
AROUND = 18.0
"""What is seen at this distance around the pointer says which part it is on, [px]."""
TOUCHING = 0.03
"""Two parts lie against each other if no more than this is between them along the ray, in figure heights."""
CLEARLY = 0.5
"""Of two parts that lie against each other one is meant if its handle is nearer by this factor."""
_RINGS = ((0.5 * SLACK, 4), (SLACK, 8))


def _ring(radius: float, count: int) -> tuple[tuple[float, float], ...]:
    turns = (2.0 * math.pi * k / count for k in range(count))
    return tuple((radius * math.cos(turn), radius * math.sin(turn)) for turn in turns)


_OFFSETS = tuple(_ring(radius, count) for radius, count in _RINGS)
_AROUND = _ring(AROUND, 12)


def pick_near(scene: Scene, view: SceneView, x: float, y: float) -> Hit | None:
    """Return the part that a pixel means, or the one that is missed by at most ``SLACK`` pixels.

    Of the parts under the pixel it is the first one, but for

    - a neighbour of it in the skeleton that lies against it there and whose handle is clearly nearer;
    - a part behind it whose handle is near, and nearer than its own, if that part is most of what is seen around.

    If there is none, rays are cast in rings; the innermost ring that hits anything counts, and in it the part nearest
    to the eye.

    Args:
        scene: The posed figure.
        view: Gives the rays.
        x: Logical pixels from the view's left.
        y: Logical pixels from its top.
    """
    hits = scene.pick_all(*view.ray(x, y))
    if hits:
        return _meant(scene, view, x, y, hits)
    for ring in _OFFSETS:
        beside = [hit for dx, dy in ring if (hit := scene.pick(*view.ray(x + dx, y + dy))) is not None]
        if beside:
            return min(beside, key=lambda hit: hit.distance)
    return None


def handle_distances(scene: Scene, view: SceneView, joints: Sequence[int], x: float, y: float) -> Array:
    """Return how far the handles of some parts are from a pixel, shape (len(joints),), [px].

    Args:
        scene: The posed figure; there has to be one.
        view: Projects.
        joints: Indices of the parts.
        x: Logical pixels from the view's left.
        y: Logical pixels from its top.
    """
    skeleton = scene.skeleton
    assert skeleton is not None
    places = np.array([scene.world(joint, end_effector(skeleton, joint)) for joint in joints])
    pixels = view.project(places)
    return np.asarray(np.hypot(pixels[:, 0] - x, pixels[:, 1] - y))


def covers_another(scene: Scene, view: SceneView, x: float, y: float, joint: int, place: Array) -> bool:
    """Return whether a mark of one part lies over another part that a pixel means, and whose handle is nearer.

    Args:
        scene: The posed figure.
        view: Gives the rays.
        x: Logical pixels from the view's left.
        y: Logical pixels from its top.
        joint: Index of the part that the mark belongs to.
        place: Where the mark is, world, shape (3,), [m].
    """
    hit = pick_near(scene, view, x, y)
    if hit is None or hit.joint == joint:
        return False
    at = view.project(np.asarray(place, dtype=np.float64)[None])[0]
    return bool(handle_distances(scene, view, (hit.joint,), x, y)[0] < math.hypot(at[0] - x, at[1] - y))


def _meant(scene: Scene, view: SceneView, x: float, y: float, hits: tuple[Hit, ...]) -> Hit:
    """Return which of the parts under a pixel is meant."""
    first, *behind = hits
    if not behind or scene.skeleton is None:
        return first
    own, *others = handle_distances(scene, view, [hit.joint for hit in hits], x, y).tolist()
    for hit, away in sorted(zip(behind, others, strict=True), key=lambda each: each[1]):
        against = hit.distance - first.distance <= TOUCHING * scene.height
        if against and away < CLEARLY * own and _neighbours(scene, first.joint, hit.joint):
            return hit
        if away <= NEAR and away < own and _surrounds(scene, view, x, y, hit.joint, first.joint):
            return hit
    return first


def _neighbours(scene: Scene, a: int, b: int) -> bool:
    """Return whether one of two joints is the other's parent, those without a body apart."""
    assert scene.skeleton is not None
    joints = scene.skeleton.joints

    def above(joint: int) -> int:
        joint = joints[joint].parent
        while joint >= 0 and not joints[joint].has_body:
            joint = joints[joint].parent
        return joint

    return above(a) == b or above(b) == a


def _surrounds(scene: Scene, view: SceneView, x: float, y: float, joint: int, before: int) -> bool:
    """Return whether as much of a part is seen around a pixel as of the one that covers it there."""
    seen = [hit.joint for dx, dy in _AROUND if (hit := scene.pick(*view.ray(x + dx, y + dy))) is not None]
    return seen.count(joint) >= max(seen.count(before), 1)
