"""Where a recorded motion takes place: on the floor, which is level, and facing the front.

The floor is the plane through the points by which feet touch it, found by least squares in which what is far off counts
for less (Huber 1964). It can lean only in directions in which feet went far enough to say so: someone who walks along a
line says nothing about how the floor leans to the side.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from core.animation.contacts.finding import Contacts
from core.animation.key import Key
from core.animation.locks.moved import moved_lock, moved_strip
from core.animation.sequence import Sequence
from core.arrays import Array
from core.constraints.soles import height
from core.errors import SequenceError
from core.skeleton.stance import stance
from core.spatial import so3

FACING, TRAVEL = "facing", "travel"
"""What is turned to the front, +z: where the figure faces as the motion begins, or the way it goes."""

_UP = np.array([0.0, 1.0, 0.0])
_FAR = 0.3  # of the figure's height: so far feet must go in a direction to say how the floor leans there
_STRAIGHT = 0.3  # of the figure's height: who goes less far from beginning to end goes nowhere
_ROUNDS, _HUBER = 20, 0.01  # [m]


@dataclass(frozen=True, eq=False)
class Floor:
    """The floor that feet touch.

    Attributes:
        height: How high it is below the middle of the places where they do, [m].
        turn: The least rotation that makes it level, shape (3, 3).
        middle: The middle of these places, in it, shape (3,), [m].
        scatter: How far touching feet are from it, root mean square, [m].
    """

    height: float
    turn: Array
    middle: Array
    scatter: float

    @property
    def tilt(self) -> float:
        """By how much it leans, [rad]."""
        return math.acos(min(max(float(self.turn[1, 1]), -1.0), 1.0))

    def motion(self, level: bool) -> Array:
        """Return the motion, shape (4, 4), that takes it to height 0, and makes it level, too, if ``level``."""
        made = np.eye(4)
        if level:
            made[:3, :3] = self.turn
            made[:3, 3] = self.middle - self.turn @ self.middle
        made[1, 3] -= self.height
        return made


def find_floor(contacts: Contacts, size: float) -> Floor | None:
    """Return the floor under a motion; None if no foot touches it.

    Args:
        contacts: When feet touch, and where they are.
        size: Height of the figure, [m].
    """
    found = [np.empty((0, 3))]
    for foot, touching, F in zip(contacts.feet, contacts.touching, contacts.frames_of, strict=True):
        for region, down in zip(foot.regions, touching, strict=True):
            if foot.grounded and down.any():
                own = F[down, 0 if region.joint == foot.joint else 1]
                points = np.einsum("mij,kj->mki", own[:, :3, :3], region.points) + own[:, None, :3, 3]
                lowest = points[..., 1].argmin(axis=1)
                found.append(points[np.arange(len(points)), lowest])
    points = np.concatenate(found)
    if not len(points):
        return None
    middle = points.mean(axis=0)
    flat = (points - middle)[:, [0, 2]]
    _, axes = np.linalg.eigh(flat.T @ flat)
    across = flat @ axes
    wide = np.ptp(across, axis=0) >= _FAR * size
    rows = np.column_stack([np.ones(len(points)), across[:, wide]])
    x = _robust(rows, points[:, 1] - middle[1])
    off = points[:, 1] - middle[1] - rows @ x
    slope = axes[:, wide] @ x[1:]  # dy/dx and dy/dz
    normal = np.array([-slope[0], 1.0, -slope[1]])
    normal /= np.linalg.norm(normal)
    place = middle + np.array([0.0, x[0], 0.0])
    return Floor(float(place[1]), _least_turn(normal, _UP), place, float(np.sqrt(np.mean(off**2))))


def _robust(rows: Array, values: Array) -> Array:
    """Return the least squares solution in which what is farther off than ``_HUBER`` counts for less."""
    weights = np.ones(len(values))
    for _ in range(_ROUNDS):
        root = np.sqrt(weights)[:, None]
        x = np.linalg.lstsq(root * rows, root[:, 0] * values, rcond=None)[0]
        off = np.abs(values - rows @ x)
        weights = np.minimum(1.0, _HUBER / np.maximum(off, 1e-12))
    return np.asarray(x)


def _least_turn(a: Array, b: Array) -> Array:
    """Return the least rotation that takes a direction to another one, shape (3, 3)."""
    axis = np.cross(a, b)
    sine = float(np.linalg.norm(axis))
    if sine < 1e-12:
        return np.eye(3)
    return so3.exp(axis / sine * math.atan2(sine, float(a @ b)))


def heading_motion(sequence: Sequence, heading: str | float, to_origin: bool) -> Array:
    """Return the motion over the ground, shape (4, 4), that turns a motion to the front, about where it begins.

    Args:
        sequence: The motion, with a key.
        heading: ``FACING``, ``TRAVEL``, or the angle about y by which it is turned, [rad].
        to_origin: Whether it then begins at the origin.

    Raises:
        SequenceError: If it is neither, or the motion goes nowhere whose way is to be turned.
    """
    ends = sequence.poses_at_frames([sequence.keys[0].frame, sequence.keys[-1].frame])
    about = stance(sequence.skeleton)
    places = [np.array([x, 0.0, z]) for _, x, z in map(about.ground_place, ends)]
    if heading == FACING:
        angle = -about.heading(ends[0])
    elif heading == TRAVEL:
        way = places[1] - places[0]
        if float(np.linalg.norm(way)) < _STRAIGHT * height(sequence.skeleton):
            raise SequenceError(
                "the motion ends near where it begins, so it has no way that could be turned; turn where it faces"
            )
        angle = -math.atan2(float(way[0]), float(way[2]))
    elif isinstance(heading, (int, float)) and not isinstance(heading, bool) and math.isfinite(heading):
        angle = float(heading)
    else:
        raise SequenceError(f'heading is {heading!r}; it must be "{FACING}", "{TRAVEL}" or an angle in rad')
    made = np.eye(4)
    made[:3, :3] = so3.axis_rotation(_UP, angle)
    made[:3, 3] = (np.zeros(3) if to_origin else places[0]) - made[:3, :3] @ places[0]
    return made


def place(sequence: Sequence, motion: Array) -> None:
    """Take a whole sequence elsewhere in the world, rigidly: its keys and all that locks hold.

    Args:
        sequence: The sequence, without layers and timing curves; changed.
        motion: Where the world's frame goes, shape (4, 4).

    Raises:
        SequenceError: If the figure's root cannot be turned so.
    """
    if not len(sequence.keys) or np.array_equal(motion, np.eye(4)):
        return
    channels = sequence.channels
    poses = stance(sequence.skeleton).placed(np.array([sequence.pose_of(key) for key in sequence.keys]), motion)
    turned = not np.array_equal(motion[:3, :3], np.eye(3))
    keys: list[Key] = []
    for key, q in zip(sequence.keys, poses, strict=True):
        moved = {"q": np.where(channels.mask(key.keyed), q, key.q) if key.keyed is not None else q}
        shapes = {
            name: replace(key.shape_of(name), slopes_in=None, slopes_out=None)
            for name in {channels.names[0], *channels.of_joints((0,), place=True)}
            if turned and key.keys(name) and key.shape_of(name).has_slopes
        }
        keys.append(key.changed(**moved, shapes={**key.shapes, **shapes}) if shapes else key.changed(**moved))
    strips = tuple(moved_strip(strip, motion) for strip in sequence.locks.strips)
    always = [moved_lock(lock, motion) for lock in sequence.locks]
    sequence.set_keys(keys)
    sequence.locks = always
    sequence.locks.strips = strips
