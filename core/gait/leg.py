"""A leg: what it bends by, how it stands, and what its foot rolls over; found from joints and vertices."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from core.animation.contacts.feet import HEEL, Foot
from core.arrays import Array, Ints
from core.constraints.soles import part_vertices, sole_outline
from core.gait.bending import Bending, bending
from core.gait.error import GaitError
from core.gait.turns import ALONG, Turns, axes_of, hinges_of, line_to, turns_of
from core.skeleton.skeleton import Skeleton
from core.spatial import so3

_STRETCH, _OTHERS_STRETCH, _CROUCHED, _STANDS_BENT = 0.997, 0.988, 0.9, 0.96  # of a leg's length
_FOOT = (0.22, 0.34)  # of a leg's length: how long a person's foot is
_FLAT = 0.03  # of a leg's length: so even is a person's sole
_MOST_STRIKE = 30.0  # [deg]
_TILTS = np.radians([-20.0, -8.0, 0.0, 8.0, 20.0])
_PITCHES = np.radians(np.arange(-35.0, 71.0, 7.0))
_ROUND = np.radians(np.arange(-110.0, 111.0, 11.0))
_HEEL_ROLL = np.radians(28.0)  # the most that a foot is turned up on its heel
_SUNK = 0.0008  # [m]: as far may the rounding of a heel go into the ground while it rolls


class Leg(NamedTuple):
    """One leg.

    Attributes:
        side: ``LEFT`` or ``RIGHT``.
        hip: Joint it hangs from.
        foot: The foot, as contacts know it.
        hip_place: Hip in the pelvis' axes at rest from the pelvis' origin, shape (3,), [m].
        bend: Columns of the pose that bend the leg, the one that shortens it most first: the knee, of who walks on
            toes also the heel; none of a stiff leg, shape (k,).
        bends: Values of them, shape (b, k).
        reach: Distance from hip to ankle at those, ascending, shape (b,), [m].
        direction: Angle of the way from hip to ankle about the left axis at those, shape (b,), [rad].
        knee_turn: By how much the foot is turned about the left axis at those, shape (b,), [rad].
        stands: That distance at rest, [m].
        hip_turns: Degrees of freedom of the hip.
        ankle_turns: Those of the foot.
        flat: The foot's frame while it stands at rest, from the middle of its sole on the ground, shape (4, 4).
        toe_flat: Likewise that of the toes; the foot's if there are none.
        heel: Point on the ground over which it rolls at first, in the foot's frame, shape (3,).
        ball: Point over which it rolls at last, likewise: the joint of the toes, or the tip.
        axis: Unit axis of both rolls, in the foot's frame, that lifts the heel, shape (3,).
        toe_column: Column of the pose that bends the toes, or -1.
        toe_sign: What of it per angle that the heel is lifted.
        most_roll: How far the heel may be lifted, [rad].
        sole: Points under foot, shape (k, 3): those of the foot and of the toes, from the middle of the sole on the
            ground, at rest, to the left, up and forward.
        lowest: Points of the foot of which one is the lowest however it is turned, in its frame, shape (k, 3).
        lowest_toes: Those of its toes, in theirs; empty without.
        rolls: Angles by which it is rolled, ascending, shape (r,), [rad].
        rounding: How far it must come down at those to touch the ground, its pivot being a point and the foot round,
            shape (r,), [m].
        outer: Points of the foot below and at its front and back, which an edge meets first, in its frame, shape
            (k, 3).
        outer_toes: Those of its toes, in theirs; empty without.
    """

    side: int
    hip: int
    foot: Foot
    hip_place: Array
    bend: Ints
    bends: Array
    reach: Array
    direction: Array
    knee_turn: Array
    stands: float
    hip_turns: Turns
    ankle_turns: Turns
    flat: Array
    toe_flat: Array
    heel: Array
    ball: Array
    axis: Array
    toe_column: int
    toe_sign: float
    most_roll: float
    sole: Array
    lowest: Array
    lowest_toes: Array
    rolls: Array
    rounding: Array
    outer: Array
    outer_toes: Array

    @property
    def length(self) -> float:
        """Longest distance from hip to ankle, [m]."""
        return float(self.reach[-1])

    @property
    def stretched(self) -> float:
        """How far it is stretched in a walk at most, of its length: less by who stands with bent legs, as a bird."""
        if self.stands < _STANDS_BENT * self.length:
            return _CROUCHED
        return _STRETCH if self.like_a_persons else _OTHERS_STRETCH

    @property
    def like_a_persons(self) -> bool:
        """Whether it has one knee and a foot as long and flat as people have: what was recorded of people fits it."""
        _, even, long = np.ptp(self.sole, axis=0) / self.length
        return len(self.bend) == 1 and _FOOT[0] <= long <= _FOOT[1] and bool(even <= _FLAT)

    @property
    def walks_on_toes(self) -> bool:
        """Whether a heel off the ground bends with the knee, as a bird's: its toes come down flat."""
        return len(self.bend) > 1

    @property
    def is_stiff(self) -> bool:
        """Whether it is as long however it moves: nothing between hip and foot bends."""
        return not len(self.bend)


def leg_of(s: Skeleton, X: Array, B: Array, pelvis: int, foot: Foot, side: int, ground: float) -> Leg:
    line = line_to(s, foot.joint)
    line = line[line.index(pelvis) + 1 :]
    where = f'figure "{s.name}": the leg of "{s.joint_names[foot.joint]}"'
    if len(line) < 2:
        raise GaitError(f"{where} is one part with its foot; it needs a joint at the hip and one at the foot")
    rest = s.rest_pose()
    above, bent, below = _divided(s, B, line)
    hip = _hip(s, B, above)
    if not any(hinges_of(s, joint) for joint in above):
        raise GaitError(f"{where} does not turn at the hip; it needs a joint there that swings it")
    toe_column, axis, sign, most = _rolling(s, X, B, foot, rest)
    inverse = np.linalg.inv(X[foot.joint])
    heel, ball = _pivots(s, X, B, foot, ground)
    sole = np.concatenate([_under(s, X, joint) for joint in parts_of(foot)]) @ B.T
    middle = 0.5 * (sole.min(axis=0) + sole.max(axis=0))
    middle[1] = ground
    M = np.eye(4)
    M[:3, :3], M[:3, 3] = B, -middle  # from the world at rest to the middle of the sole
    toes = foot.joint if foot.toes is None else foot.toes
    lowest = _lowest(s, X, B, foot.joint)
    lowest_toes = np.zeros((0, 3)) if foot.toes is None else _lowest(s, X, B, foot.toes)
    rolls = np.radians(np.linspace(-_MOST_STRIKE, 60.0, 46))
    flat = M @ X[foot.joint]
    local = (inverse[:3, :3] @ heel + inverse[:3, 3], inverse[:3, :3] @ ball + inverse[:3, 3])
    rounding = rounding_of(rolls, flat, axis, local, lowest, toe_column < 0)
    return Leg(
        side, hip, foot, B @ (X[hip, :3, 3] - X[pelvis, :3, 3]), bent.columns, bent.bends, bent.reach, bent.direction,
        bent.turn, bent.stands, turns_of(s, rest, above, B, without=bent.columns),
        turns_of(s, rest, below, B, without=bent.columns), flat, M @ X[toes], *local, axis, toe_column, sign, most,
        sole - middle, lowest, lowest_toes, rolls, rounding,
        _lowest(s, X, B, foot.joint, _ROUND),
        np.zeros((0, 3)) if foot.toes is None else _lowest(s, X, B, foot.toes, _ROUND),
    )  # fmt: skip


def _divided(s: Skeleton, B: Array, line: list[int]) -> tuple[list[int], Bending, list[int]]:
    """Return the joints of a leg's hip, how it bends, and the joints of its foot: each may be several in a row."""
    bent = bending(s, B, line)
    if not bent.joints:
        return line[:-1], bent, line[-1:]
    first, last = line.index(bent.joints[0]), line.index(bent.joints[-1])
    hip = _hip(s, B, line[:first])
    if hip != line[0]:  # where it hangs from joints in a row, the one that swings it counts
        bent = bending(s, B, line[line.index(hip) :])
        first, last = line.index(bent.joints[0]), line.index(bent.joints[-1])
    return line[:first], bent, line[last + 1 :]


def _hip(s: Skeleton, B: Array, joints: list[int]) -> int:
    """Return which of some joints in a row swings a leg to the front."""
    for i in joints:
        _, axes = axes_of(s, s.rest_pose(), i, B)
        if float(np.abs(axes[:, 0]).max(initial=0.0)) >= ALONG:
            return i
    return joints[0]


def _lowest(s: Skeleton, X: Array, B: Array, joint: int, pitches: Array = _PITCHES) -> Array:
    """Return points of a part of which one is the lowest however a foot is turned, in its joint's frame, (k, 3)."""
    own = (part_vertices(s, joint, X) - X[joint, :3, 3]) @ X[joint, :3, :3]
    pitch, tilt = (each.reshape(-1) for each in np.meshgrid(pitches, _TILTS, indexing="ij"))
    down = np.stack([np.sin(tilt), -np.cos(pitch) * np.cos(tilt), np.sin(pitch) * np.cos(tilt)], axis=1)
    return np.asarray(own[np.unique((own @ X[joint, :3, :3].T @ B.T @ down.T).argmax(axis=0))])


def rounding_of(
    rolls: Array, flat: Array, axis: Array, pivots: tuple[Array, Array], lowest: Array, whole: bool
) -> Array:
    """Return how far a foot must come down to touch the ground where it is rolled about a point, shape (r,)."""
    turned = flat[:3, :3] @ so3.axis_rotation(axis, rolls)
    pivot = np.where((rolls < 0.0)[:, None], pivots[0], pivots[1])
    up = np.einsum("mij,mkj->mki", turned, lowest[None] - pivot[:, None])[:, :, 1]
    start = (pivot @ flat[:3, :3].T + flat[:3, 3])[:, 1]
    gap = up.min(axis=1) + start
    return np.where((rolls < 0.0) | whole, gap, 0.0) * np.minimum(np.abs(rolls) / 0.03, 1.0)


def _under(s: Skeleton, X: Array, joint: int) -> Array:
    """Return the outline of a part's underside in the world, shape (k, 3)."""
    return np.asarray(sole_outline(s, joint) @ X[joint, :3, :3].T + X[joint, :3, 3])


def _rolling(s: Skeleton, X: Array, B: Array, foot: Foot, rest: Array) -> tuple[int, Array, float, float]:
    """Return the column that bends the toes, the axis that lifts the heel, its sign there, and how far it goes."""
    R = X[foot.joint, :3, :3]
    lateral = R.T @ B.T @ np.array([1.0, 0.0, 0.0])
    most = np.radians(55.0)
    if foot.toes is None:
        return -1, lateral, 1.0, most
    columns, axes = axes_of(s, rest, foot.toes, B)
    if not columns:
        return -1, lateral, 1.0, most
    k = int(np.abs(axes[:, 0]).argmax())
    if abs(axes[k, 0]) < ALONG:
        return -1, lateral, 1.0, most
    axis = axes[k] * np.sign(axes[k, 0])
    sign = -float(np.sign(axes[k, 0]))  # the toes turn back against the foot
    limit = s.limits[columns[k] - 3, 1 if sign > 0.0 else 0]
    room = max(abs(float(limit) - rest[columns[k]]) - np.radians(4.0), 0.0)
    return columns[k], R.T @ B.T @ axis, sign, min(most, room)


def _pivots(s: Skeleton, X: Array, B: Array, foot: Foot, ground: float) -> tuple[Array, Array]:
    """Return the points over which a foot rolls, in the world at rest.

    The heel's lies on the ground, and as far back as the heel's rounding lets it turn up without going into it.
    """
    points = part_vertices(s, foot.joint, X) @ B.T
    center = B @ X[foot.joint, :3, 3]
    up = points[:, 1] - ground
    turn = _HEEL_ROLL
    low = up < 0.5 * (center[1] - ground) + 1e-3
    behind = points[low, 2] + (up[low] * np.cos(turn) + _SUNK) / np.sin(turn)
    outline = _under(s, X, foot.joint) @ B.T
    rear = float(outline[:, 2].min())
    heel = np.array([center[0], ground, float(np.clip(behind.min(), rear, center[2]))])
    if foot.toes is not None:
        ball = B @ X[foot.toes, :3, 3]
    else:
        front = outline[outline[:, 2] >= outline[:, 2].max() - 0.1 * np.ptp(outline[:, 2])].mean(axis=0)
        tips = points[low & (points[:, 2] > center[2])]
        reach = tips[:, 2] - (tips[:, 1] - ground + _SUNK) if len(tips) else np.array([front[2]])
        ball = np.array([front[0], ground, max(float(reach.max()), float(center[2]))])
    if not any(region.name == HEEL for region in foot.regions):  # it sets itself down as a whole
        heel = ball = np.array([center[0], ground, center[2]])
    return B.T @ heel, B.T @ ball


def parts_of(foot: Foot) -> list[int]:
    return [foot.joint] if foot.toes is None else [foot.joint, foot.toes]
