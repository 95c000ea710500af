"""Which part the pointer means: the one under it, else one it misses by a few pixels.

Of several parts that lie one behind the other it is mostly the first. But a thin part may cover the place where a
larger one would be taken hold of, as a forearm does before the pelvis, and the polygons of a part may reach into its
neighbour's. There the part wins whose handle, the place where a drag takes it, is near the pointer. And where a short
end of a part is drawn small, as the toes are in a view of the whole figure, it is only meant from its own handle on:
the front of a foot is the foot.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.skeleton.per_skeleton import per_skeleton
from core.skeleton.segment import end_effector, segment_mesh, segment_tip
from core.skeleton.structure import Structure

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
CROWDED = 6.0 * NEAR
"""A short end is drawn small if its handle is no further from its parent's than this, seen from the side, [px]."""
CLOSE = 0.25
"""It is meant so near the line from its handle to its tip, of that distance, and never less than ``SLACK``."""
SHORT = 0.6
"""A part is a short end if nothing hangs on it and it is at most so long and so large as its parent."""
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
    - a part behind it whose handle is near, and nearer than its own, if that part is most of what is seen around;
    - the parent of a short end that is drawn small, but near the end's own handle and from there to its tip.

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
        return _or_parent(scene, view, x, y, _meant(scene, view, x, y, hits))
    for ring in _OFFSETS:
        beside = [hit for dx, dy in ring if (hit := scene.pick(*view.ray(x + dx, y + dy))) is not None]
        if beside:
            return _or_parent(scene, view, x, y, min(beside, key=lambda hit: hit.distance))
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


def _or_parent(scene: Scene, view: SceneView, x: float, y: float, hit: Hit) -> Hit:
    """Return the part that was hit, or its parent if it is a short end, drawn small, whose handle is not near."""
    skeleton = scene.skeleton
    if skeleton is None or hit.joint not in short_ends(skeleton):
        return hit
    own, parent = hit.joint, skeleton.joints[hit.joint].parent
    handle, tip = scene.world(own, end_effector(skeleton, own)), scene.world(own, segment_tip(skeleton, own))
    away = float(np.linalg.norm(handle - scene.world(parent, end_effector(skeleton, parent))))
    apart = away / view.pixel_size(handle)
    ends = view.project(np.array([handle, tip]))[:, :2]
    line, pointer = ends[1] - ends[0], np.array([x, y]) - ends[0]
    along = min(max(float(pointer @ line) / max(float(line @ line), 1e-9), 0.0), 1.0)
    if apart > CROWDED or np.linalg.norm(pointer - along * line) <= max(SLACK, CLOSE * apart):
        return hit
    return hit._replace(joint=parent)


@per_skeleton
def short_ends(s: Structure) -> frozenset[int]:
    """Return the parts on which nothing hangs and that are short and small beside their parents, as toes are."""
    inner = {joint.parent for joint in s.joints if joint.has_body}
    found = set()
    for i, joint in enumerate(s.joints):
        if i in inner or joint.parent < 0 or not (joint.has_body and s.joints[joint.parent].has_body):
            continue
        own, other = segment_mesh(s, i), segment_mesh(s, joint.parent)
        if own is None or other is None:
            continue
        sizes = (np.linalg.norm(np.ptp(mesh.vertices, axis=0)) for mesh in (own, other))
        lengths = (np.linalg.norm(segment_tip(s, each)) for each in (i, joint.parent))
        if all(end <= SHORT * whole for end, whole in (tuple(sizes), tuple(lengths))):
            found.add(i)
    return frozenset(found)


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
