"""Where a motion takes place: on the floor, and facing the front of the house, +z."""

from __future__ import annotations

from collections.abc import Sequence as Seq
from dataclasses import dataclass, replace

import numpy as np

from core.arrays import Array
from core.formats.importing import findings as doubt
from core.formats.importing.choices import AUTO, AVERAGE, FIRST, LOWEST, ImportChoices
from core.formats.importing.findings import Findings
from core.formats.importing.first_frame import begins_apart
from core.formats.importing.measures import Upward, likely_unit, sampled, standing_height
from core.formats.importing.recording import continuous_euler
from core.formats.importing.units import DOUBTFUL, FileUnit
from core.kinematics import forward_kinematics
from core.skeleton import Skeleton
from core.skeleton.anatomy import Anatomy, find_anatomy
from core.skeleton.dof import HINGE
from core.skeleton.euler import euler_degrees
from core.skeleton.frames import frames_at
from core.skeleton.named_parts import FOOT, SHANK, THIGH, TOE, UPPER_ARM
from core.spatial.so3 import axis_rotation

_UP = np.array([0.0, 1.0, 0.0])
_CHUNK = 256  # poses at a time
_AXIAL = 1.0 - 1e-12
_LEVEL = 0.3  # of a line from side to side: less than this of it is level in somebody who lies on the side


class Stance:
    """How a figure stands and where it faces, over its poses.

    Args:
        figure: The figure with its bodies, y up, [m].
    """

    def __init__(self, figure: Skeleton):
        self.figure = figure
        self.anatomy: Anatomy = find_anatomy(figure, frames_at(figure, np.zeros(figure.n_dofs)))
        self.soles = _sole_points(figure, self.anatomy)
        self.sides = _sides(self.anatomy) if self.anatomy.human else None

    @property
    def human(self) -> bool:
        """Whether it is known for a person."""
        return self.anatomy.human

    def lowest(self, q: Array) -> Array:
        """Return the height of the lowest point of the feet in each pose, of all the figure if it has no feet, [m].

        Args:
            q: Shape (m, nq).
        """
        chunks = (q[start : start + _CHUNK] for start in range(0, len(q), _CHUNK))
        found = [self.lowest_of(forward_kinematics(self.figure, chunk)) for chunk in chunks]
        return np.concatenate([np.empty(0), *found])

    def lowest_of(self, X: Array) -> Array:
        """Return the same of frames in the world, shape (m, n, 4, 4); they may be turned and scaled."""
        heights = [(points @ X[:, i, 1, :3].T + X[:, i, 1, 3]).min(axis=0) for i, points in self.soles.items()]
        return np.asarray(np.min(heights, axis=0))

    def forward(self, q: Array) -> Array:
        """Return where the figure faces in each pose, level, shape (m, 3); zero where it cannot be determined.

        Args:
            q: Shape (m, nq).
        """
        chunks = (q[start : start + _CHUNK] for start in range(0, len(q), _CHUNK))
        found = [self.forward_of(forward_kinematics(self.figure, chunk)) for chunk in chunks]
        return np.concatenate([np.empty((0, 3)), *found])

    def forward_of(self, X: Array) -> Array:
        """Return the same of frames in the world, shape (m, n, 4, 4); they may be turned and scaled."""
        if self.sides is None:
            return np.zeros((len(X), 3))
        left, right = self.sides
        at = X[..., :3, 3]
        across = at[:, left].sum(axis=1) - at[:, right].sum(axis=1)
        ahead = np.cross(across, _UP)
        level = np.linalg.norm(ahead, axis=1)
        sound = level > _LEVEL * np.linalg.norm(across, axis=1)
        return np.where(sound[:, None], ahead / np.where(level > 0.0, level, 1.0)[:, None], 0.0)

    def facing(self, q: Array, when: str) -> float | None:
        """Return the angle from +z towards +x at which the figure faces, [rad]; None if it cannot be determined.

        Args:
            q: Shape (m, nq).
            when: ``"first"`` for the first pose, ``"average"`` for the mean direction of all.
        """
        return level_angle(self.forward(q[:1] if when == FIRST else q).sum(axis=0))


def turned(figure: Skeleton, q: Array, turn: Array, pivot: Array) -> tuple[Skeleton, Array]:
    """Return a figure and its motion turned in the world.

    The angles of a root with three hinges take the turn, and the rest pose stays; another root's frame is turned, and
    that of a figure without motion.

    Args:
        figure: The figure.
        q: Poses, shape (m, nq).
        turn: The rotation, shape (3, 3).
        pivot: The point that stays, shape (3,), [m].
    """
    root = figure.joints[0]
    if not len(q):
        return _root_turned(figure, turn, turn @ (root.offset - pivot) + pivot), q
    moved = q.copy()
    moved[:, :3] = (root.offset + q[:, :3] - pivot) @ turn.T + pivot - root.offset
    hinges = _euler_hinges(figure)
    if hinges is None:
        return _root_turned(figure, turn, root.offset), moved
    order, signs = hinges
    angles = signs * q[:, 3:6]
    rotation = np.broadcast_to(np.eye(3), (len(q), 3, 3))
    for k, axis in enumerate(order):
        rotation = rotation @ axis_rotation(np.eye(3)[axis], angles[:, k])
    inside = root.rotation.T @ turn @ root.rotation
    moved[:, 3:6] = signs * continuous_euler(order, inside @ rotation, angles[0])
    return figure, moved


def turned_rates(figure: Skeleton, q: Array, moved: Array, rates: Array, turn: Array) -> Array:
    """Return the rates of a pose in which a figure moves as before, turned in the world, shape (nq,).

    Args:
        figure: The figure.
        q: The pose, shape (nq,).
        moved: The same, turned as by :func:`turned`, shape (nq,).
        rates: Its rates before, shape (nq,), [m/s] and [rad/s].
        turn: The rotation, shape (3, 3).
    """
    made = rates.copy()
    made[:3] = turn @ rates[:3]
    if _euler_hinges(figure) is not None:  # the root's spin in its own frame stays
        axes = [dof.axis for dof in figure.joints[0].dofs]
        spin = _spins(axes, q[3:6]) @ rates[3:6]
        made[3:6] = np.linalg.lstsq(_spins(axes, moved[3:6]), spin, rcond=None)[0]
    return made


def _spins(axes: Seq[Array], angles: Array) -> Array:
    """Return the angular velocity in the turned frame for a rate of 1 of each of three hinges, in columns."""
    columns: list[Array] = []
    after = np.eye(3)
    for axis, angle in reversed(list(zip(axes, angles, strict=True))):
        columns.insert(0, after.T @ axis)
        after = axis_rotation(axis, angle) @ after
    return np.column_stack(columns)


def turned_figure(figure: Skeleton, turn: Array) -> Skeleton:
    """Return a figure that rests and moves in turned axes; its poses stay but for the root's place.

    Args:
        figure: The figure.
        turn: The rotation, shape (3, 3).
    """
    if np.array_equal(turn, np.eye(3)):
        return figure
    return _root_turned(figure, turn, turn @ figure.joints[0].offset + 0.0)


def _root_turned(figure: Skeleton, turn: Array, offset: Array) -> Skeleton:
    root = figure.joints[0]
    first = replace(root.as_given(), offset=offset, orientation=euler_degrees(turn @ root.rotation))
    joints = [first, *(joint.as_given() for joint in figure.joints[1:])]
    return Skeleton(figure.name, joints, figure.layout, figure.source, figure.warnings)


def level_angle(ahead: Array) -> float | None:
    """Return the angle of a level direction from +z towards +x, [rad]; None for no direction."""
    return float(np.arctan2(ahead[0], ahead[2])) if np.any(np.abs(ahead) > 1e-9) else None


def level_turn(angle: float) -> Array:
    """Return the rotation about the vertical by an angle from +z towards +x, [rad], shape (3, 3)."""
    return axis_rotation(_UP, angle)


def _euler_hinges(figure: Skeleton) -> tuple[tuple[int, int, int], Array] | None:
    """The axes of a root that turns by three hinges about three coordinate axes, and their signs; None for others."""
    dofs = figure.joints[0].dofs
    if len(dofs) != 3 or any(dof.kind != HINGE for dof in dofs):
        return None
    axes = [int(np.argmax(np.abs(dof.axis))) for dof in dofs]
    along = np.array([float(dof.axis[axis]) for dof, axis in zip(dofs, axes, strict=True)])
    if len(set(axes)) < 3 or not (np.abs(along) > _AXIAL).all():
        return None
    return (axes[0], axes[1], axes[2]), np.sign(along)


def _sole_points(figure: Skeleton, anatomy: Anatomy) -> dict[int, Array]:
    """Points of the parts that a figure stands on, by joint, each (k, 3) in the joint's frame, [m]."""
    parts = anatomy.having(FOOT, TOE) or anatomy.having(SHANK) if anatomy.human else range(len(figure.joints))
    found: dict[int, Array] = {}
    for i in parts:
        joint = figure.joints[i]
        meshes = [item.mesh.vertices for item in joint.objects if item.mesh is not None]
        bare = [np.zeros((1, 3)), np.reshape(joint.tips, (-1, 3))]
        found[i] = np.concatenate(meshes or bare)
    return found


def _sides(anatomy: Anatomy) -> tuple[list[int], list[int]] | None:
    """Where the left and the right limbs begin; None if a side has none."""
    first = [i for i in anatomy.chains if anatomy.parts[i] in (THIGH, UPPER_ARM)]
    left, right = ([i for i in first if anatomy.sides[i] == side] for side in (1, -1))
    return (left, right) if left and len(left) == len(right) else None


Moved = tuple[Skeleton, Array]

_SUNK = 0.15  # of its height: a figure deeper in the floor than this has its origin elsewhere
_AFLOAT = 1.0  # likewise above it, all the time
_SAMPLES = 200


@dataclass(frozen=True)
class Stand:
    """Where figures stand before they are put on the floor and turned to the front.

    Attributes:
        human: Whether one of them is known for a person.
        height: Height of the tallest, [m].
        lowest: Height of the lowest point of the feet over the motion, [m].
        first_lowest: The same in the first frame, [m].
        facing: Where the figure faces in the first frame, from +z towards +x, [rad]; None if it has no known front.
        facing_average: The same on average.
        odd: Whether nobody has said where the floor is, and a person's feet are far from it.
        apart: Whether the first frame is a pose apart from the motion.
    """

    human: bool
    height: float
    lowest: float
    first_lowest: float
    facing: float | None
    facing_average: float | None
    odd: bool
    apart: bool


def stood(moved: list[Moved], choices: ImportChoices) -> tuple[list[Moved], Stand]:
    """Return figures and motions on the floor and facing the front as chosen, and where they stood.

    Several figures keep their places beside each other: the first person among them, else the first figure, decides.

    Args:
        moved: Each figure, with bodies and y up, [m], and its poses, shape (m, nq).
        choices: What the person chose.
    """
    stances = [Stance(figure) for figure, _ in moved]
    main = next((k for k, stance in enumerate(stances) if stance.human), 0)
    figure, q = moved[main]
    stance = stances[main]
    poses = q if len(q) else np.zeros((1, figure.nq))
    facings = {when: stance.facing(sampled(poses, _SAMPLES), when) for when in (FIRST, AVERAGE)}
    if choices.facing is not None and len(q):
        exact = stance.facing(poses, choices.facing)
        if exact:
            pivot = (figure.joints[0].offset + poses[0, :3]) * np.array([1.0, 0.0, 1.0])
            moved = [turned(one, rows, level_turn(-exact), pivot) for one, rows in moved]
            stances = [Stance(one) for one, _ in moved]
    lows = [one.lowest(rows if choices.floor == LOWEST else sampled(rows, _SAMPLES)) if len(rows) else
            one.lowest(np.zeros((1, one.figure.nq)))
            for one, (_, rows) in zip(stances, moved, strict=True)]  # fmt: skip
    lowest, first = (float(min(value)) for value in ([low.min() for low in lows], [low[0] for low in lows]))
    if choices.floor is not None:
        down = lowest if choices.floor == LOWEST else first
        moved = [_shifted(one, rows, down) for one, rows in moved]
    height = max(standing_height(one) for one, _ in moved)
    astray = first < -_SUNK * height or lowest > _AFLOAT * height
    odd = choices.floor is None and stance.human and len(q) > 0 and astray
    apart = begins_apart(figure, q, standing_height(figure))
    return moved, Stand(stance.human, height, lowest, first, facings[FIRST], facings[AVERAGE], odd, apart)


def placed(
    moved: list[Moved],
    bare: Skeleton,
    choices: ImportChoices,
    known: FileUnit,
    found: Upward,
    up: str,
    meaning: tuple[str | None, bool] = (None, True),
    positions: str | None = None,
) -> tuple[list[Moved], Findings]:
    """Return figures and motions on the floor and facing the front as chosen, and the findings.

    Args:
        moved: As for ``stood``.
        bare: The largest figure in units of the file.
        choices: What the person chose.
        known: The unit.
        found: The upward axis that was found.
        up: The one that was taken.
        meaning: What positions below the root seem to mean, and whether that is sure.
        positions: What was taken for it.
    """
    moved, stand = stood(moved, choices)
    doubts = []
    if known.guess == DOUBTFUL:
        doubts.append(doubt.SIZE)
    if choices.up in (None, AUTO) and not found.sure:
        doubts.append(doubt.UP)
    if choices.positions in (None, AUTO) and not meaning[1]:
        doubts.append(doubt.POSITIONS)
    if stand.odd:
        doubts.append(doubt.FLOOR)
    return moved, Findings(
        choices, stand.human, stand.height, known.unit, likely_unit(bare), found.axis, found.sure, up, meaning[0],
        positions, stand.lowest, stand.first_lowest, stand.facing, stand.facing_average, stand.apart, tuple(doubts),
    )  # fmt: skip


def done_to(before: Moved, after: Moved) -> Array:
    """Return what was done to the world between two placings of a figure, shape (4, 4).

    Args:
        before: The figure and its poses.
        after: The same, turned and moved as a whole.
    """
    (old, q), (new, moved) = before, after
    if not len(q):
        q, moved = np.zeros((1, old.nq)), np.zeros((1, new.nq))
    one, other = forward_kinematics(old, q[:1])[0, 0], forward_kinematics(new, moved[:1])[0, 0]
    if np.array_equal(one, other):
        return np.eye(4)
    for frame in (one, other):
        frame[:3, :3] /= np.linalg.norm(frame[:3, :3], axis=0)
    return np.asarray(other @ np.linalg.inv(one))


def _shifted(figure: Skeleton, q: Array, down: float) -> Moved:
    """Return a figure and its motion moved down, [m]; one without motion rests there."""
    if not len(q):
        offset = figure.joints[0].offset - down * _UP
        return _root_turned(figure, np.eye(3), offset), q
    moved = q.copy()
    moved[:, 1] -= down
    return figure, moved
