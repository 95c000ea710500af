"""How a leg gets shorter: by its knee, by knee and heel of who walks on toes, by a slide; or not at all."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from core.arrays import Array, Ints
from core.kinematics.forward import forward_kinematics
from core.skeleton.dof import SLIDE
from core.skeleton.skeleton import Skeleton

_BENDS = 48
_MOST_BEND = np.radians(120.0)
_LEAST_BEND = 0.2  # [rad]: what bends less is no knee
_LEAST = 0.1  # of a leg's length: what shortens it by less leaves it stiff
_HELPS = 0.3  # of what the knee shortens it: a joint that does as much bends along with it
_LONGER = 0.01  # of a leg's length: what makes it longer than at rest by less counts for nothing


class Bending(NamedTuple):
    """How a leg bends, from folded to straight.

    Attributes:
        columns: Columns of the pose that bend it, the one that shortens it most first; none of a stiff leg, shape (k,).
        joints: Their joints, in order.
        bends: Values of them, shape (b, k).
        reach: Distance from hip to foot at those, ascending, shape (b,), [m].
        direction: Angle of the way from hip to foot about the left axis at those, shape (b,), [rad].
        stands: Distance from hip to foot at rest, [m].
        turn: By how much the foot is turned about the left axis at those, shape (b,), [rad].
    """

    columns: Ints
    joints: tuple[int, ...]
    bends: Array
    reach: Array
    direction: Array
    turn: Array
    stands: float


class _Part(NamedTuple):
    """A degree of freedom that shortens a leg: its column, joint, value at which it does most, and by how much then."""

    column: int
    joint: int
    far: float
    shorter: float


def bending(s: Skeleton, B: Array, line: list[int]) -> Bending:
    """Return how a leg bends.

    Args:
        s: The figure.
        B: Rotation from the world at rest to the axes left, up, forward, shape (3, 3).
        line: Joints from the hip to the foot.
    """
    rest = s.rest_pose()
    whole = _ways(s, B, line, rest[None])[0]
    size = float(np.linalg.norm(whole[0]))
    parts = sorted(_parts(s, B, line, size), key=lambda part: -part.shorter)
    if not parts or parts[0].shorter < _LEAST * size:
        way = whole[0]
        none = np.zeros((1, 0))
        return Bending(
            np.zeros(0, dtype=np.intp), (), none, np.array([size]), np.array([np.arctan2(-way[2], -way[1])]),
            np.zeros(1), size,
        )  # fmt: skip
    knee = parts[0]
    used = [knee]
    for part in parts[1:]:
        if part.shorter >= _HELPS * knee.shorter and part.joint not in {each.joint for each in used}:
            used.append(part)
    columns = np.array([part.column for part in used], dtype=np.intp)
    far = np.array([part.far for part in used])
    straight = np.array([_straightest(s, B, line, part, size) for part in used])
    u = np.linspace(0.0, 1.0, _BENDS)
    values = rest[columns] + u[:, None] * (far - rest[columns])
    if (np.abs(straight - rest[columns]) > 1e-9).any():  # it stands bent: there is more to it than at rest
        back = np.linspace(-1.0, 0.0, _BENDS // 2 + 1)[:-1]
        values = np.concatenate([rest[columns] - back[:, None] * (straight - rest[columns]), values])
    poses = np.tile(rest, (len(values), 1))
    poses[:, columns] = values
    way, R = _ways(s, B, line, poses)
    R = R @ _ways(s, B, line, rest[None])[1][0].T
    turn = np.unwrap(np.arctan2(R[:, 2, 1], R[:, 1, 1]))
    turn -= turn[int(np.abs(values - rest[columns]).sum(axis=1).argmin())]
    reach = np.linalg.norm(way, axis=1)
    # The way down, turned about the left axis: positive to the back.
    direction = np.unwrap(np.arctan2(-way[:, 2], -way[:, 1]))
    top = int(reach.argmax())
    found = slice(top, top + 1 + int(reach[top:].argmin()))
    order = np.argsort(reach[found], kind="stable")
    return Bending(
        columns, tuple(sorted({part.joint for part in used}, key=line.index)), values[found][order],
        reach[found][order], direction[found][order], turn[found][order], size,
    )  # fmt: skip


def columns_of(s: Skeleton, joint: int) -> list[int]:
    """Return the places of a joint's degrees of freedom in the pose."""
    first = 3 + sum(len(each.dofs) for each in s.joints[:joint])
    return list(range(first, first + len(s.joints[joint].dofs)))


def _ways(s: Skeleton, B: Array, line: list[int], poses: Array) -> tuple[Array, Array]:
    """Return the way from hip to foot, shape (m, 3), and the foot's orientation, (m, 3, 3), in the body's axes."""
    F = forward_kinematics(s, poses)
    way = (F[:, line[-1], :3, 3] - F[:, line[0], :3, 3]) @ B.T
    return way, B @ F[:, line[-1], :3, :3] @ B.T


def _parts(s: Skeleton, B: Array, line: list[int], size: float) -> list[_Part]:
    """Return what shortens a leg between hip and foot."""
    rest, found = s.rest_pose(), []
    for joint in line[1:-1]:
        for column, dof in zip(columns_of(s, joint), s.joints[joint].dofs, strict=True):
            best: _Part | None = None
            most, least = (size, _LEAST * size) if dof.kind == SLIDE else (_MOST_BEND, _LEAST_BEND)
            for limit in s.limits[column - 3]:
                far = float(np.clip(limit, rest[column] - most, rest[column] + most))
                if abs(far - rest[column]) < least:
                    continue
                pose = rest.copy()
                pose[column] = far
                shorter = size - float(np.linalg.norm(_ways(s, B, line, pose[None])[0][0]))
                if best is None or shorter > best.shorter:
                    best = _Part(column, joint, far, shorter)
            if best is not None and best.shorter > 0.0:
                found.append(best)
    return found


def _straightest(s: Skeleton, B: Array, line: list[int], part: _Part, size: float) -> float:
    """Return the value of a degree of freedom at which the leg is longest; that at rest unless it is clearly longer."""
    rest = s.rest_pose()
    at = float(rest[part.column])
    lower, upper = s.limits[part.column - 3]
    limit = lower if part.far > at else upper
    other = float(np.clip(limit, at - _MOST_BEND, at + _MOST_BEND))
    values = np.linspace(at, other, _BENDS)
    poses = np.tile(rest, (_BENDS, 1))
    poses[:, part.column] = values
    reach = np.linalg.norm(_ways(s, B, line, poses)[0], axis=1)
    best = int(reach.argmax())
    return float(values[best]) if reach[best] > (1.0 + _LONGER) * size else at
