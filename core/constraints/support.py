"""The support polygon: what a figure stands on, and how far inside of it the centre of mass is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from core.arrays import Array
from core.constraints.soles import band, height, hull, part_vertices, sole, sole_outline
from core.kinematics.center_of_mass import center_of_mass
from core.kinematics.forward import forward_kinematics
from core.skeleton.skeleton import Skeleton

__all__ = ["balance_margin", "contact_points", "margin_of", "sole_outline", "standing_parts", "support_polygon"]

_LIFTED = 0.03  # [m]: a corner of the sole that has risen by more touches the ground no longer
_UPRIGHT = 0.7  # a sole tilted by more than 45 degrees is none: the part stands on whatever is lowest
_STEP = 0.15  # of the figure's height: how much higher than the lowest one another support may be; a stair
_MERGED = 5e-4  # [m]: how far a corner may stick out and still be left away


def contact_points(s: Skeleton, frames: Array, joint: int) -> Array:
    """Return where a part touches the ground if it stands on it, or would if the ground were right below it.

    The corners of its sole that have not risen, as long as the sole faces down; else its lowest vertices.

    Args:
        s: The figure.
        frames: World frames of all joints, shape (n, 4, 4).
        joint: Index of the part's joint.

    Returns:
        Shape (k, 3), world, [m]; new, never empty.
    """
    X = frames[joint]
    outline, heights, down, _, _ = sole(s, joint)
    now = X[:3, :3] @ down
    if -now[1] > _UPRIGHT * float(np.linalg.norm(now)):
        points = outline @ X[:3, :3].T + X[:3, 3]
        rise = points[:, 1] - heights
        return np.asarray(points[rise <= rise.min() + min(_LIFTED, 3.0 * band(s))])
    points = part_vertices(s, joint, frames)
    return np.asarray(points[points[:, 1] <= points[:, 1].min() + band(s)])


def standing_parts(s: Skeleton, frames: Array, joints: Iterable[int | str]) -> tuple[int, ...]:
    """Return the parts that support a figure which is held at some: these, and those below them that touch the ground.

    A foot brings its toes along. Parts much higher than the lowest one, such as a hand on a rail, do not count.

    Args:
        s: The figure.
        frames: World frames of all joints, shape (n, 4, 4).
        joints: Indices or names of what is held.

    Raises:
        JointError: If there is no such joint.
    """
    held = sorted({s.joint_index(joint) for joint in joints})
    low = {i: float(contact_points(s, frames, i)[:, 1].min()) for i in held}
    if not low:
        return ()
    ground, step = min(low.values()), _STEP * height(s)
    found = [i for i in held if low[i] <= ground + step]
    return tuple(sorted(set(found).union(*(_toes(s, frames, i, low[i]) for i in found))))


def _toes(s: Skeleton, frames: Array, joint: int, level: float) -> set[int]:
    """The parts below a joint that touch the ground on which it stands."""
    found: set[int] = set()
    waiting = list(s.children[joint])
    while waiting:
        i = waiting.pop()
        waiting.extend(s.children[i])
        if s.joints[i].has_body and contact_points(s, frames, i)[:, 1].min() <= level + 2.0 * band(s):
            found.add(i)
    return found


def lowest_parts(s: Skeleton, frames: Array) -> tuple[int, ...]:
    """Return the parts on which a figure stands that nothing holds: those that reach as low as any, within 1 cm."""
    bodies = [i for i in range(len(s.joints)) if s.joints[i].has_body] or list(range(len(s.joints)))
    low = np.array([part_vertices(s, i, frames)[:, 1].min() for i in bodies])
    return tuple(i for i, y in zip(bodies, low, strict=True) if y <= low.min() + band(s))


def support_polygon(s: Skeleton, q: Any, joints: Iterable[int | str]) -> Array:
    """Return the convex hull of where the supporting parts touch the ground, seen from above.

    Args:
        s: The figure.
        q: Pose, shape (nq,), [m] and [rad].
        joints: Indices or names of the supporting parts; their toes are found.

    Returns:
        Corners (x, z), counter-clockwise in a plane where x goes right and z up, shape (m, 2), [m]; a line or a point
        if the figure stands on no more, no row without joints. New.

    Raises:
        JointError: If there is no such joint.
        PoseError: If ``q`` has the wrong shape or holds NaN or infinity.
    """
    return polygon_at(s, forward_kinematics(s, q), joints)


def polygon_at(s: Skeleton, frames: Array, joints: Iterable[int | str]) -> Array:
    """Return :func:`support_polygon` of a pose whose world frames are known, shape (n, 4, 4)."""
    return polygon_of(s, frames, standing_parts(s, frames, joints))


def polygon_of(s: Skeleton, frames: Array, parts: Sequence[int]) -> Array:
    """Return the convex hull of where some parts touch the ground, no others, see :func:`support_polygon`."""
    if not parts:
        return np.zeros((0, 2))
    points = np.concatenate([contact_points(s, frames, i) for i in parts])[:, [0, 2]]
    return simplified(points[hull(points)])


def simplified(corners: Array, tolerance: float = _MERGED, enough: int = 3) -> Array:
    """Return a convex polygon without the corners that hardly stick out of their neighbours' line.

    Round toes have a dozen corners; a solver that keeps the centre of mass inside needs a row for each edge.

    Args:
        corners: Shape (m, 2), [m].
        tolerance: By how much a corner that is left away may stick out, [m].
        enough: So many corners are never made fewer.
    """
    kept = list(range(len(corners)))
    while len(kept) > max(enough, 3):
        points = corners[kept]
        before, after = np.roll(points, 1, axis=0), np.roll(points, -1, axis=0)
        edge, out = after - before, points - before
        area = np.abs(edge[:, 0] * out[:, 1] - edge[:, 1] * out[:, 0])
        sticks = area / np.maximum(np.linalg.norm(edge, axis=1), 1e-9)
        least = int(np.argmin(sticks))
        if sticks[least] > tolerance:
            break
        del kept[least]
    return np.asarray(corners[kept])


def margin_of(polygon: Array, point: Array) -> float:
    """Return how far a point is inside a convex polygon, negative outside, [m].

    Args:
        polygon: Corners, counter-clockwise, shape (m, 2), [m].
        point: Shape (2,), [m].

    Returns:
        The distance from the nearest edge; of no polygon minus infinity.
    """
    if len(polygon) == 0:
        return -np.inf
    after = np.roll(polygon, -1, axis=0)
    edge, away = after - polygon, np.asarray(point) - polygon
    square = np.maximum((edge * edge).sum(axis=1), 1e-300)
    share = np.clip((edge * away).sum(axis=1) / square, 0.0, 1.0)
    distance = float(np.linalg.norm(away - share[:, None] * edge, axis=1).min())
    inside = len(polygon) > 2 and bool((edge[:, 0] * away[:, 1] - edge[:, 1] * away[:, 0] >= 0.0).all())
    return distance if inside else -distance


def balance_margin(s: Skeleton, q: Any, joints: Iterable[int | str]) -> float:
    """Return how far the centre of mass is inside the support polygon, seen from above.

    Args:
        s: The figure.
        q: Pose, shape (nq,), [m] and [rad].
        joints: Indices or names of the supporting parts; their toes are found.

    Returns:
        Distance from the nearest edge, negative outside, [m]; minus infinity without joints.

    Raises:
        JointError: If there is no such joint.
        PoseError: If ``q`` has the wrong shape or holds NaN or infinity.
        SkeletonError: If the figure weighs nothing.
    """
    frames = forward_kinematics(s, q)
    return margin_of(polygon_at(s, frames, joints), center_of_mass(s, q, frames)[[0, 2]])
