"""What of a figure goes on four legs: two girdles with a pair each, the spine between, neck and tail."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from core.animation.contacts.feet import Foot, figure_feet, foot_of
from core.arrays import Array, Ints
from core.constraints.soles import part_vertices
from core.gait.error import GaitError
from core.gait.leg import Leg, leg_of, rounding_of
from core.gait.limbs import Limb, limb_of
from core.gait.turns import LEFT, RIGHT, Turns, axes_of, facing_of, hinges_of, line_to, turns_of
from core.kinematics.center_of_mass import center_of_mass
from core.kinematics.forward import forward_kinematics
from core.skeleton.per_skeleton import per_skeleton
from core.skeleton.segment import rest_frames
from core.skeleton.skeleton import Skeleton

_ALONG = 0.6  # cosine: hinges whose axis is as near to the left turn a limb forward and back
_MOST_ROLL = np.radians(50.0)
_NUDGE = 1e-5
_GIVE = 0.25  # of its length: as much shorter a limb gets at most where it stands
_SINK = 0.6  # of its range: so far the joint over a hoof gives way then
_MIDDLE = 0.02  # of the figure's length: nearer to its middle a part is on neither side


class Quadruped(NamedTuple):
    """A figure that goes on four legs.

    Attributes:
        skeleton: The figure.
        facing: Rotation from the axes left, up and forward to the world's at rest, shape (3, 3).
        pelvis: Joint that the hind legs hang from.
        pelvis_in_root: It at rest in the root's frame, shape (4, 4).
        pelvis_rest: Its orientation at rest in the axes left, up, forward, shape (3, 3).
        pelvis_place: Where it is at rest from ``middle``, left, up and forward, shape (3,), [m].
        middle: How far forward the middle between its pairs of feet is at rest, and where sideways, shape (2,), [m].
        limbs: Left and right hind leg, left and right foreleg.
        stands: Where their feet stand at rest from the middle, to the left and forward, shape (4, 2), [m].
        weight: Where the centre of mass is at rest from the middle over the ground, shape (3,), [m].
        leg_length: How high the hips are over the ground at rest, [m].
        spine: Joints from the pelvis to where the forelegs hang, one ``Turns`` each.
        neck: Joints from there to the head.
        tail: Joints of the tail.
    """

    skeleton: Skeleton
    facing: Array
    pelvis: int
    pelvis_in_root: Array
    pelvis_rest: Array
    pelvis_place: Array
    middle: Array
    limbs: tuple[Limb, ...]
    stands: Array
    weight: Array
    leg_length: float
    spine: tuple[Turns, ...]
    neck: tuple[Turns, ...]
    tail: tuple[Turns, ...]

    @property
    def apart(self) -> float:
        """How far before the hind feet the forefeet stand, [m]."""
        return float(self.stands[2:, 1].mean() - self.stands[:2, 1].mean())


def quadruped_on(s: Skeleton, feet: tuple[str, ...]) -> Quadruped:
    """Return what of a figure goes on feet that are picked by name; on those it has if none is named.

    Raises:
        JointError: If there is no such part.
        GaitError: If there are not four, or they are no two pairs.
    """
    return _quadruped(s, [foot_of(s, name) for name in feet]) if feet else quadruped_of(s)


@per_skeleton
def quadruped_of(s: Skeleton) -> Quadruped:
    """Return what of a figure goes on its four feet; kept as long as the skeleton lives.

    Raises:
        GaitError: If there are not four, or they are no two pairs.
    """
    return _quadruped(s, [foot for foot in figure_feet(s) if foot.grounded])


def _quadruped(s: Skeleton, feet: list[Foot]) -> Quadruped:
    if len(feet) != 4:
        raise GaitError(f'figure "{s.name}" stands on {len(feet)} feet; this gait is for figures with four')
    X = rest_frames(s)
    facing = facing_of(s, X, feet)
    B = facing.T
    spots = np.array([B @ X[foot.joint, :3, 3] for foot in feet])
    order = np.argsort(spots[:, 2], kind="stable")
    pairs = [sorted(order[:2], key=lambda k: -spots[k, 0]), sorted(order[2:], key=lambda k: -spots[k, 0])]
    lines = [line_to(s, foot.joint) for foot in feet]
    girdles = [max(set(lines[a]) & set(lines[b]), key=lines[a].index) for a, b in pairs]
    if girdles[0] == girdles[1] or girdles[0] not in line_to(s, girdles[1]):
        raise GaitError(f'figure "{s.name}": its feet are no pair behind and a pair before on one spine')
    ground = min(float(part_vertices(s, foot.joint, X)[:, 1].min()) for foot in feet)
    limbs: list[Limb] = []
    for pair, girdle in zip(pairs, girdles, strict=True):
        for k, side in zip(pair, (LEFT, RIGHT), strict=True):
            limbs.append(_limb(s, X, facing, girdle, feet[k], side, ground))
    stands = np.array([_stand(limb, B @ X[limb.leg.foot.joint, :3, 3]) for limb in limbs])
    middle = np.array([stands[:, 0].mean(), 0.5 * (stands[:2, 1].mean() + stands[2:, 1].mean())])
    origin = np.array([middle[0], ground, middle[1]])
    legs = {joint for line, pair in zip((lines[k] for pair in pairs for k in pair), (0, 0, 1, 1), strict=True)
            for joint in line[line.index(girdles[pair]) + 1 :]}  # fmt: skip
    spine = line_to(s, girdles[1])
    between = spine[spine.index(girdles[0]) + 1 :]
    taken = legs | set(between)
    return Quadruped(
        s, facing, girdles[0], np.linalg.inv(X[0]) @ X[girdles[0]], B @ X[girdles[0], :3, :3],
        B @ X[girdles[0], :3, 3] - origin, middle, tuple(limbs), stands - middle,
        B @ center_of_mass(s, s.rest_pose()) - origin,
        float(np.mean([B[1] @ X[limb.leg.hip, :3, 3] for limb in limbs[:2]])) - ground,
        _turning(s, B, between), _turning(s, B, _neck(s, X, B, girdles[1], legs, middle[0])),
        _turning(s, B, _tail(s, X, B, girdles[0], taken, middle[0])),
    )  # fmt: skip


def _stand(limb: Limb, foot: Array) -> Array:
    """Return where the middle of a sole is at rest, to the left and forward, shape (2,), [m]."""
    return np.asarray((foot - limb.leg.flat[:3, 3])[[0, 2]])


def _turning(s: Skeleton, B: Array, joints: list[int]) -> tuple[Turns, ...]:
    rest = s.rest_pose()
    found = [turns_of(s, rest, joint, B) for joint in joints]
    return tuple(turns for turns in found if len(turns.columns))


def _limb(s: Skeleton, X: Array, facing: Array, girdle: int, foot: Foot, side: int, ground: float) -> Limb:
    """Return a limb: what turns more than one way at its top swings it, hinges below fold it."""
    B, rest = facing.T, s.rest_pose()
    leg = _hoofed(s, X, B, leg_of(s, X, B, girdle, foot, side, ground), ground)
    line = line_to(s, foot.joint)
    line = line[line.index(girdle) + 1 :]
    many = [k for k, joint in enumerate(line[:-1]) if len(hinges_of(s, joint)) > 1]
    top = max(many[-1] if many else 0, 0) + 1
    swing, shares = np.zeros(s.nq), []
    for joint in line[:top]:
        columns, axes = axes_of(s, rest, joint, B)
        shares += [(column, axis[0]) for column, axis in zip(columns, axes, strict=True) if abs(axis[0]) >= _ALONG]
    if not shares:
        raise GaitError(f'figure "{s.name}": the leg of "{s.joint_names[foot.joint]}" has no hinge that swings it')
    if len(shares) > 1 and len(line) > top + 1:  # a shoulder blade, an upper arm: the elbow swings with them
        columns, axes = axes_of(s, rest, line[top], B)
        shares += [(column, axis[0]) for column, axis in zip(columns, axes, strict=True) if abs(axis[0]) >= _ALONG]
    swinging = [column for column, _ in shares]
    swing[swinging] = _moved(s, B, swinging, line[0], foot.joint, (0.0, 1.0))
    folding = []
    for joint in line[top:-1]:
        columns, axes = axes_of(s, rest, joint, B)
        folding += [column for column, axis in zip(columns, axes, strict=True) if abs(axis[0]) >= _ALONG]
    if not folding:
        raise GaitError(f'figure "{s.name}": the leg of "{s.joint_names[foot.joint]}" has no knee; it cannot step')
    leg = leg._replace(hip_turns=turns_of(s, rest, line[top - 1], B))
    # What makes it longer without swinging it, as far as one of its hinges goes.
    straight, opening = np.zeros(s.nq), sorted({*swinging, *folding})
    longer = _moved(s, B, opening, line[0], foot.joint, (1.0, 0.0))
    ends = s.limits[np.array(opening) - 3] - rest[opening][:, None]
    folds = np.take_along_axis(ends, np.abs(ends).argmax(axis=1)[:, None], axis=1)[:, 0]
    opening = [column for column, by, fold in zip(opening, longer, folds, strict=True)
               if column not in folding or by * fold < 0.0]  # fmt: skip
    longer = _moved(s, B, opening, line[0], foot.joint, (1.0, 0.0))
    low, high = (s.limits[np.array(opening) - 3, k] - rest[opening] for k in (0, 1))
    room = np.where(longer > 0.0, high, -low) / np.maximum(np.abs(longer), 1e-9)
    straight[opening] = longer * float(room.min())
    # Where it stands it gives way by the same hinges, and by the joint over the hoof.
    give, room = np.zeros(s.nq), np.where(longer > 0.0, -low, high) / np.maximum(np.abs(longer), 1e-9)
    give[opening] = -longer * float(min(room.min(), _GIVE))
    last = folding[-1]
    give[last] += _SINK * min(s.limits[last - 3] - rest[last], key=abs)
    return limb_of(s, leg, girdle, facing, swing, np.array(folding, dtype=np.intp), straight, give)


def _moved(s: Skeleton, B: Array, columns: list[int], top: int, foot: int, wanted: tuple[float, float]) -> Array:
    """Return by how much hinges turn so that a limb gets longer, of its length, and swings to the back, [rad], (k,).

    Of all ways the one that asks each hinge for the least of its range.
    """
    rest = s.rest_pose()
    poses = np.tile(rest, (2 * len(columns), 1))
    for n, column in enumerate(columns):
        poses[2 * n, column] -= _NUDGE
        poses[2 * n + 1, column] += _NUDGE
    F = forward_kinematics(s, np.concatenate([rest[None], poses]))
    away = (F[:, foot, :3, 3] - F[0, top, :3, 3]) @ B.T
    reach, back = np.hypot(away[:, 1], away[:, 2]), np.arctan2(-away[:, 2], -away[:, 1])
    J = np.stack([(each[2::2] - each[1::2]) / (2.0 * _NUDGE) for each in (reach / reach[0], back)])
    ranges = np.array([np.clip(np.ptp(s.limits[column - 3]), 0.01, np.pi) for column in columns])
    if len(columns) == 1:
        return np.array([1.0 / J[1, 0]])
    return np.asarray(ranges * (np.linalg.pinv(J * ranges) @ np.array(wanted)))


def _hoofed(s: Skeleton, X: Array, B: Array, leg: Leg, ground: float) -> Leg:
    """Return a leg whose foot rolls over its tip, if it sets itself down as a whole."""
    if leg.foot.rolls or leg.toe_column >= 0:
        return leg
    points = part_vertices(s, leg.foot.joint, X) @ B.T
    low = points[:, 1] - ground < 0.25 * float(np.ptp(points[:, 1])) + 1e-3
    place = X[leg.foot.joint]
    tip = np.array([float((B @ place[:3, 3])[0]), ground, float(points[low, 2].max())])
    back = np.array([tip[0], ground, float(points[low, 2].min())])
    ball, heel = (np.linalg.inv(place)[:3, :3] @ (B.T @ point) + np.linalg.inv(place)[:3, 3] for point in (tip, back))
    rounding = rounding_of(leg.rolls, leg.flat, leg.axis, (heel, ball), leg.lowest, True)
    return leg._replace(heel=heel, ball=ball, rounding=rounding, most_roll=_MOST_ROLL)


def _below(s: Skeleton, joint: int) -> list[int]:
    return [i for i in range(len(s.joints)) if joint in line_to(s, i)[:-1]]


def _neck(s: Skeleton, X: Array, B: Array, girdle: int, legs: set[int], middle: float) -> list[int]:
    """Return the joints from the forelegs' girdle to the head: the highest part that turns in the figure's middle."""
    length = float(np.ptp(X[:, :3, 3] @ B[2]))
    above = [i for i in _below(s, girdle) if i not in legs and hinges_of(s, i)
             and abs(float(B[0] @ X[i, :3, 3]) - middle) < _MIDDLE * length]  # fmt: skip
    if not above:
        return []
    line = line_to(s, max(above, key=lambda i: float(X[i, 1, 3])))
    return line[line.index(girdle) + 1 :]


def _tail(s: Skeleton, X: Array, B: Array, girdle: int, taken: set[int], middle: float) -> list[int]:
    """Return the joints of the tail: the longest line behind the pelvis."""
    behind = [i for i in _below(s, girdle) if not taken & set(line_to(s, i))
              and float(B[2] @ (X[i, :3, 3] - X[girdle, :3, 3])) < 0.0]  # fmt: skip
    if not behind:
        return []
    line = max((line_to(s, i) for i in behind), key=len)
    return line[line.index(girdle) + 1 :]


def columns_of(turns: tuple[Turns, ...]) -> Ints:
    """Return the places in the pose of what some joints turn, shape (k,)."""
    return np.concatenate([each.columns for each in turns]) if turns else np.zeros(0, dtype=np.intp)
