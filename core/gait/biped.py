"""What of a figure walks: its pelvis and legs, the trunk over them, its arms; found from its joints and feet."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from core.animation.contacts.feet import HEEL, Foot, figure_feet, foot_of, forward_of, standing_part
from core.arrays import Array, Ints
from core.constraints.soles import part_vertices, sole_outline
from core.gait.bending import Bending, bending, columns_of
from core.gait.error import GaitError
from core.kinematics.forward import forward_kinematics
from core.skeleton.dof import SLIDE
from core.skeleton.per_skeleton import per_skeleton
from core.skeleton.segment import rest_frames, segment_tip
from core.skeleton.skeleton import Skeleton
from core.spatial import so3

LEFT, RIGHT = 1, -1

_STRETCH, _OTHERS_STRETCH, _CROUCHED, _STANDS_BENT = 0.997, 0.988, 0.9, 0.96  # of a leg's length
_FOOT = (0.22, 0.34)  # of a leg's length: how long a person's foot is
_FLAT = 0.03  # of a leg's length: so even is a person's sole
_HANGS = 0.5  # cosine: an arm that cannot be brought as near to hanging is a wing, or a horn
_ALONG = 0.6  # cosine: hinges whose axis is as near to a direction turn about it
_MOST_STRIKE = 30.0  # [deg]
OUTWARD = np.radians(6.0)
_TILTS = np.radians([-20.0, -8.0, 0.0, 8.0, 20.0])
_PITCHES = np.radians(np.arange(-35.0, 71.0, 7.0))
_ROUND = np.radians(np.arange(-110.0, 111.0, 11.0))
_HEEL_ROLL = np.radians(28.0)  # the most that a foot is turned up on its heel
_SUNK = 0.0008  # [m]: as far may the rounding of a heel go into the ground while it rolls


class Turns(NamedTuple):
    """Degrees of freedom that turn something, and by how much each does for a small rotation.

    Attributes:
        columns: Their places in the pose, shape (k,).
        share: Values for a rotation vector in the body's axes (left, up, forward), shape (k, 3).
    """

    columns: Array
    share: Array


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


class Arm(NamedTuple):
    """One arm.

    Attributes:
        side: ``LEFT`` or ``RIGHT``.
        shoulder: Degrees of freedom that swing it.
        elbow: Degrees of freedom that bend it; None if it has none.
    """

    side: int
    shoulder: Turns
    elbow: Turns | None


class Biped(NamedTuple):
    """A figure that walks on two legs.

    Attributes:
        skeleton: The figure.
        pelvis: Joint that both legs hang from.
        pelvis_in_root: The pelvis at rest in the root's frame, shape (4, 4).
        facing: Rotation from the axes left, up and forward to the world's at rest, shape (3, 3).
        pelvis_rest: Orientation of the pelvis at rest in the axes left, up, forward, shape (3, 3).
        stand: The pose it stands in before it walks: at rest, the arms hanging, shape (nq,).
        height: How high the pelvis is over the ground at rest, [m].
        legs: The left and the right one.
        spine: Joints from the pelvis to the arms, one ``Turns`` each.
        neck: Joints from there to the head.
        arms: Its arms, if it has any.
    """

    skeleton: Skeleton
    pelvis: int
    pelvis_in_root: Array
    facing: Array
    pelvis_rest: Array
    stand: Array
    height: float
    legs: tuple[Leg, Leg]
    spine: tuple[Turns, ...]
    neck: tuple[Turns, ...]
    arms: tuple[Arm, ...]

    @property
    def leans(self) -> bool:
        """Whether hips and feet turn about the way forward; else the body goes straight over the feet."""
        return all(
            float(np.abs(turns.share[:, 2]).max(initial=0.0)) > 0.5
            for leg in self.legs
            for turns in (leg.hip_turns, leg.ankle_turns)
        )

    @property
    def outward(self) -> float:
        """How far feet are turned outward in a walk, [rad]."""
        return OUTWARD if self.leans else 0.0

    @property
    def is_stiff(self) -> bool:
        """Whether a leg has no knee."""
        return any(leg.is_stiff for leg in self.legs)

    @property
    def leg_length(self) -> float:
        """From the hips to the ground at rest, [m]: what speeds and steps are measured by."""
        return self.height + float(np.mean([leg.hip_place[1] for leg in self.legs]))


@per_skeleton
def biped_of(s: Skeleton) -> Biped:
    """Return what of a figure walks; kept as long as the skeleton lives.

    Raises:
        GaitError: If it does not stand on two feet, or a leg cannot take a step.
    """
    return _biped(s, [foot for foot in figure_feet(s) if foot.grounded])


def biped_on(s: Skeleton, feet: tuple[str, ...]) -> Biped:
    """Return what of a figure walks on feet that are picked by name; on those it has if none is named.

    Any part of a leg stands for its foot, where the figure stands on one.

    Raises:
        JointError: If there is no such part.
        GaitError: If there are not two, or a leg cannot take a step.
    """
    if not feet:
        return biped_of(s)
    picked = _picked(s)
    if feet not in picked:
        picked[feet] = _biped(s, [foot_of(s, standing_part(s, name)) for name in feet])
    return picked[feet]


@per_skeleton
def _picked(s: Skeleton) -> dict[tuple[str, ...], Biped]:
    """Return what was found of a figure on feet that were picked by name: the same object each time."""
    return {}


def _biped(s: Skeleton, feet: list[Foot]) -> Biped:
    if len(feet) != 2:
        raise GaitError(f'figure "{s.name}" stands on {len(feet)} feet; this gait is for figures with two')
    X = rest_frames(s)
    facing = facing_of(s, X, feet)
    B = facing.T
    lines = [line_to(s, foot.joint) for foot in feet]
    pelvis = max(set(lines[0]) & set(lines[1]), key=lines[0].index)
    feet.sort(key=lambda foot: -float((B @ X[foot.joint, :3, 3])[0]))
    ground = min(float((part_vertices(s, joint, X))[:, 1].min()) for foot in feet for joint in _parts(foot))
    legs = [leg_of(s, X, B, pelvis, foot, side, ground) for foot, side in zip(feet, (LEFT, RIGHT), strict=True)]
    trunk = _Trunk(s, X, B, pelvis, {joint for line in lines for joint in line[line.index(pelvis) + 1 :]})
    return Biped(
        s, pelvis, np.linalg.inv(X[0]) @ X[pelvis], facing, B @ X[pelvis, :3, :3] @ facing, trunk.stand,
        float(X[pelvis, 1, 3]) - ground, (legs[0], legs[1]), trunk.spine, trunk.neck, trunk.arms,
    )  # fmt: skip


def _parts(foot: Foot) -> list[int]:
    return [foot.joint] if foot.toes is None else [foot.joint, foot.toes]


def line_to(s: Skeleton, joint: int) -> list[int]:
    """Return the joints from the root to one."""
    found = [joint]
    while s.joints[found[-1]].parent >= 0:
        found.append(s.joints[found[-1]].parent)
    return found[::-1]


def facing_of(s: Skeleton, X: Array, feet: list[Foot]) -> Array:
    """Return the axes left, up and forward as columns, from where the feet point."""
    ahead = np.zeros(3)
    for foot in feet:
        way = forward_of(s, foot.joint)
        if foot.toes is not None:
            way = X[foot.toes, :3, :3] @ segment_tip(s, foot.toes) + X[foot.toes, :3, 3] - X[foot.joint, :3, 3]
        ahead += np.array([way[0], 0.0, way[2]])
    if float(np.linalg.norm(ahead)) < 1e-6:
        ahead = np.array([0.0, 0.0, 1.0])
    ahead /= np.linalg.norm(ahead)
    up = np.array([0.0, 1.0, 0.0])
    return np.stack([np.cross(up, ahead), up, ahead], axis=1)


def hinges_of(s: Skeleton, joint: int) -> list[int]:
    """Return the places in the pose of what turns a joint: of its hinges, and of coordinates of its own."""
    return [k for k, dof in zip(columns_of(s, joint), s.joints[joint].dofs, strict=True) if dof.kind != SLIDE]


def axes_of(s: Skeleton, q: Array, joint: int, B: Array) -> tuple[list[int], Array]:
    """Return the hinges of a joint and their axes in the body's axes in a pose, shape (k, 3)."""
    columns = hinges_of(s, joint)
    if not columns:
        return columns, np.zeros((0, 3))
    step = 1e-5
    poses = np.tile(q, (2 * len(columns), 1))
    for n, column in enumerate(columns):
        poses[2 * n, column] -= step
        poses[2 * n + 1, column] += step
    R = forward_kinematics(s, poses)[:, joint, :3, :3]
    found = []
    for n in range(len(columns)):
        W = (R[2 * n + 1] - R[2 * n]) @ (0.5 * (R[2 * n + 1] + R[2 * n])).T / (2.0 * step)
        found.append(B @ np.array([W[2, 1] - W[1, 2], W[0, 2] - W[2, 0], W[1, 0] - W[0, 1]]) / 2.0)
    return columns, np.array(found)


def turns_of(
    s: Skeleton, q: Array, joints: int | list[int], B: Array, keep: Array | None = None, without: Ints | None = None
) -> Turns:
    """Return what of a pose turns something by a small rotation.

    Args:
        s: The figure.
        q: The pose.
        joints: What turns: a joint, or several in a row.
        B: Rotation from the world at rest to the body's axes, shape (3, 3).
        keep: Only what turns about this unit axis of the body counts, shape (3,).
        without: Columns that are left as they are.
    """
    each = [axes_of(s, q, joint, B) for joint in ([joints] if isinstance(joints, int) else joints)]
    columns = [k for own, _ in each for k in own]
    axes = np.concatenate([own for _, own in each])
    if without is not None and len(without):
        kept = [n for n, k in enumerate(columns) if k not in without]
        columns, axes = [columns[n] for n in kept], axes[kept]
    if keep is not None:
        axes = np.where(np.abs(axes @ keep)[:, None] >= _ALONG, axes, 0.0)
    share = np.linalg.pinv(axes.T, rcond=1e-3) if len(columns) else np.zeros((0, 3))
    return Turns(np.array(columns, dtype=np.intp), np.asarray(share, dtype=np.float64))


# -- legs ------------------------------------------------------------------------------------------------------------


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
    sole = np.concatenate([_under(s, X, joint) for joint in _parts(foot)]) @ B.T
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
        if float(np.abs(axes[:, 0]).max(initial=0.0)) >= _ALONG:
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
    if abs(axes[k, 0]) < _ALONG:
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


# -- trunk and arms --------------------------------------------------------------------------------------------------


class _Trunk:
    """Finds spine, neck and arms, and lets the arms hang."""

    def __init__(self, s: Skeleton, X: Array, B: Array, pelvis: int, legs: set[int]):
        self._s, self._X, self._B = s, X, B
        self.stand = s.rest_pose()
        self.spine: tuple[Turns, ...] = ()
        self.neck: tuple[Turns, ...] = ()
        self.arms: tuple[Arm, ...] = ()
        pairs = [pair for pair in s.mirror_pairs if not set(pair) & legs]
        ends = [line for pair in pairs for line in (line_to(s, pair[0]), line_to(s, pair[1])) if pelvis in line]
        chains = self._arm_chains(ends, pelvis)
        above = [i for i in range(len(s.joints)) if i not in legs and pelvis in line_to(s, i)[:-1]]
        if not chains:
            top = max(above, key=lambda i: float(X[i, 1, 3]), default=pelvis)
            self.spine = self._turning(line_to(s, top)[len(line_to(s, pelvis)) :])
            return
        chest = self._s.joints[chains[0][0]].parent
        from_pelvis = line_to(s, chest)
        self.spine = self._turning(from_pelvis[from_pelvis.index(pelvis) + 1 :])
        taken = {joint for chain in chains for joint in chain}
        heads = [i for i in above if i not in taken and chest in line_to(s, i)[:-1]]
        if heads:
            head = max(heads, key=lambda i: float(X[i, 1, 3]))
            line = line_to(s, head)
            self.neck = self._turning(line[line.index(chest) + 1 :])
        for chain in chains:
            self.arms += self._arm(chain)

    def _turning(self, joints: list[int]) -> tuple[Turns, ...]:
        found = [turns_of(self._s, self.stand, joint, self._B) for joint in joints]
        return tuple(turns for turns in found if len(turns.columns))

    def _arm_chains(self, ends: list[list[int]], pelvis: int) -> list[list[int]]:
        """Return the chains of the two longest limbs that are no legs, one for each side."""
        s, X = self._s, self._X
        best: dict[int, tuple[float, list[int]]] = {}
        for line in ends:
            paired = {joint for pair in s.mirror_pairs for joint in pair}
            chain = [joint for joint in line[line.index(pelvis) + 1 :] if joint in paired]
            if not chain or float(X[chain[0], 1, 3]) <= float(X[pelvis, 1, 3]):
                continue
            side = LEFT if float((self._B @ X[chain[-1], :3, 3])[0]) > 0.0 else RIGHT
            length = sum(float(np.linalg.norm(X[b, :3, 3] - X[a, :3, 3])) for a, b in itertools.pairwise(chain))
            length += float(np.linalg.norm(segment_tip(s, chain[-1])))
            if side not in best or length > best[side][0]:
                best[side] = length, chain
        if len(best) != 2 or s.joints[best[LEFT][1][0]].parent != s.joints[best[RIGHT][1][0]].parent:
            return []
        return [best[LEFT][1], best[RIGHT][1]]

    def _arm(self, chain: list[int]) -> tuple[Arm, ...]:
        """Return an arm; its two longest links are the upper arm and the forearm."""
        s, X, B = self._s, self._X, self._B
        places = [X[joint, :3, 3] for joint in chain]
        places.append(X[chain[-1], :3, :3] @ segment_tip(s, chain[-1]) + places[-1])
        links = [float(np.linalg.norm(b - a)) for a, b in itertools.pairwise(places)]
        order = sorted(range(len(chain)), key=lambda k: -links[k])
        first = min(order[:2])
        second = max(order[:2]) if len(order) > 1 else None
        shoulder = chain[first]
        if not hinges_of(s, shoulder):
            return ()
        if not self._let_hang(shoulder, places[first + 1] - places[first]):
            return ()  # a wing that is raised does not swing
        side = LEFT if float((B @ places[first])[0]) > 0.0 else RIGHT
        elbow = None
        if second is not None and hinges_of(s, chain[second]):
            elbow = turns_of(s, self.stand, chain[second], B, keep=np.array([1.0, 0.0, 0.0]))
        return (Arm(side, turns_of(s, self.stand, shoulder, B), elbow),)

    def _let_hang(self, shoulder: int, way: Array) -> bool:
        """Turn a shoulder so that the arm hangs, if it does not at rest, by small turns that its hinges can make.

        Returns:
            Whether it hangs at all; else it stays as at rest.
        """
        s, B = self._s, self._B
        columns = hinges_of(s, shoulder)
        side = np.sign(float((B @ way)[0])) or 1.0
        goal = np.array([0.12 * side, -1.0, 0.0])
        goal /= np.linalg.norm(goal)
        local = self._X[shoulder, :3, :3].T @ (way / np.linalg.norm(way))
        if float((B @ way / np.linalg.norm(way)) @ goal) > 0.9:
            return True
        before = self.stand[columns].copy()
        for _ in range(60):
            now = B @ forward_kinematics(s, self.stand)[shoulder, :3, :3] @ local
            error = np.cross(now, goal)
            if float(np.linalg.norm(error)) < 1e-3 and float(now @ goal) > 0.0:
                break
            _, axes = axes_of(s, self.stand, shoulder, B)
            J = axes.T
            step = J.T @ np.linalg.solve(J @ J.T + 1e-3 * np.eye(3), 0.5 * error)
            value = self.stand[columns] + step
            rows = np.array(columns) - 3
            self.stand[columns] = np.clip(value, s.limits[rows, 0], s.limits[rows, 1])
        hangs = float((B @ forward_kinematics(s, self.stand)[shoulder, :3, :3] @ local) @ goal) > _HANGS
        if not hangs:
            self.stand[columns] = before
        return hangs
