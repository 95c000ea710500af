"""Swing an elbow or a knee: the bend goes round the line from the limb's base to its end, which stays where it is."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.constraints.lock import Lock
from core.kinematics import forward_kinematics
from core.kinematics.chain import Chain, ancestry, drag_chain
from core.skeleton.control_points import BEND, ControlPoint, control_points
from core.skeleton.skeleton import Skeleton

EDGE_ON = 0.15
"""Sine of the angle between line of sight and the circle's plane below which the circle counts as seen edge on."""
KEPT_TURN = 0.003
"""Weight of the end's orientation beside the 1 of its place."""
STRAIGHT = 0.01
"""Share of the limb's length by which a bend must stand off the line; of a straighter limb there is no circle."""
_SAMPLES = 360
_STAY = 0.02  # what a turn by one radian costs, in radii: edge on, one of two places seen alike must win


def swing_base(skeleton: Skeleton, point: ControlPoint) -> int:
    """Return the joint at which a swing of a bend begins: the limb's base, or one above it if that turns too little."""
    up = ancestry(skeleton, point.base)
    dofs = 0
    for joint in up:
        dofs += len(skeleton.joints[joint].dofs)
        if dofs >= 3 or joint == up[-1] or skeleton.joints[joint].parent == up[-1]:
            return joint
    return point.base


def swing_chain(skeleton: Skeleton, point: ControlPoint) -> Chain:
    """Return what moves when a bend is swung: its whole limb, from the base to the end."""
    return drag_chain(skeleton, point.end, "up_to", swing_base(skeleton, point))


def end_lock(skeleton: Skeleton, point: ControlPoint) -> Lock:
    """Return the lock that keeps the end of a limb while its bend is swung: only joints of the limb hold it.

    The place is held exactly, the orientation as far as the limb can: few limbs have the freedom to keep all of it.
    """
    limb = swing_chain(skeleton, point).joints
    return Lock(point.end, "pose", point=point.end_point, weight=(1.0, KEPT_TURN), joints=limb)


def end_locks(skeleton: Skeleton, point: ControlPoint, mirror: bool = False) -> list[Lock]:
    """Return the lock of the end of a limb, with ``mirror`` also that of the limb on the other side."""
    found = [end_lock(skeleton, point)]
    if mirror:
        across = skeleton.joints[point.joint].mirror
        found += [
            end_lock(skeleton, other)
            for other in control_points(skeleton)
            if other.role == BEND and across is not None and skeleton.joints[other.joint].name == across
        ]
    return found


def circle(skeleton: Skeleton, q: Array, point: ControlPoint) -> tuple[Array, Array, Array] | None:
    """Return the circle that a bend may go on: its middle, its unit axis and the way to the bend, (3,) each, [m].

    None if the limb is straight: then every way round looks the same.

    Args:
        skeleton: The figure.
        q: Pose, shape (nq,).
        point: The bend.
    """
    frames = forward_kinematics(skeleton, q)
    base, bend, end = (
        frames[joint, :3, :3] @ at + frames[joint, :3, 3]
        for joint, at in ((point.base, np.zeros(3)), (point.joint, point.point), (point.end, point.end_point))
    )
    line = end - base
    length = float(np.linalg.norm(line))
    limb = float(np.linalg.norm(bend - base) + np.linalg.norm(end - bend))
    if length < 1e-9 or limb < 1e-9:
        return None
    axis = line / length
    middle = base + axis * float(axis @ (bend - base))
    away = bend - middle
    return None if float(np.linalg.norm(away)) < STRAIGHT * limb else (middle, axis, away)


def place_on_circle(
    middle: ArrayLike, axis: ArrayLike, away: ArrayLike, origin: ArrayLike, direction: ArrayLike
) -> Array:
    """Return the point of a circle that a ray means, shape (3,), [m].

    Where the circle is seen as an ellipse it is the point in the direction of where the ray meets its plane. Seen edge
    on it is the point nearest to the ray, of two such points the one nearer to ``away``.

    Args:
        middle: Of the circle, world, shape (3,), [m].
        axis: Its unit axis, shape (3,).
        away: From the middle to a point of it, shape (3,), [m].
        origin: Where the ray starts, world, shape (3,), [m].
        direction: Its unit direction, shape (3,).
    """
    middle, axis, away, origin, direction = (
        np.asarray(each, dtype=np.float64) for each in (middle, axis, away, origin, direction)
    )
    radius = float(np.linalg.norm(away))
    first = away / radius
    second = np.cross(axis, first)
    facing = float(direction @ axis)
    if abs(facing) > EDGE_ON:
        met = origin + direction * (float((middle - origin) @ axis) / facing) - middle
        toward = np.array([met @ first, met @ second])
        size = float(np.linalg.norm(toward))
        if size < 1e-9 * radius:
            return middle + away
        return np.asarray(middle + radius * (toward[0] * first + toward[1] * second) / size)

    def cost(angle: Array) -> Array:
        places = middle + radius * (np.cos(angle)[:, None] * first + np.sin(angle)[:, None] * second) - origin
        aside = places - (places @ direction)[:, None] * direction
        return np.asarray(np.linalg.norm(aside, axis=1) + _STAY * radius * np.abs(angle))

    angles = np.linspace(-np.pi, np.pi, _SAMPLES + 1)
    best = float(angles[int(np.argmin(cost(angles)))])
    step = 2.0 * np.pi / _SAMPLES
    fine = best + np.linspace(-step, step, 41)
    best = float(fine[int(np.argmin(cost(fine)))])
    return np.asarray(middle + radius * (np.cos(best) * first + np.sin(best) * second))
