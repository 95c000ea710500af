"""Poses that hold feet where they should be: by their limbs alone, and by the root where these do not reach."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from core.animation.locks.holding import MOST_STEPS, ROOT_WEIGHT, TOLERANCE
from core.arrays import Array, Ints
from core.constraints.lock import Lock
from core.constraints.solve_locks import LockSolver
from core.gait import limb_kernel
from core.gait.feet import FootWay
from core.gait.kept import KeptRows
from core.gait.leg import Leg
from core.gait.turns import line_to
from core.kernels import serving
from core.kernels.threads import share_rows
from core.kinematics import forward_kernel
from core.skeleton import Skeleton
from core.skeleton.per_skeleton import per_skeleton
from core.skeleton.tree import Tree, pack

_HELD = 1e-10  # [m]: what is off by less needs no solver
_WORTH_A_THREAD = 60  # poses
_DAMPING = 1e-4  # of the square of a limb's length
_ARM = 0.2  # of a limb's length: how far from each other the points are by which a foot's turn is measured


class Grip(NamedTuple):
    """What moves a foot.

    Attributes:
        leg: The foot, and what it stands on.
        columns: What of a pose moves it, but for its toes, shape (c,).
        ease: How readily each of those does, shape (c,).
        length: Length of the limb, [m].
        limits: Between what each stays, shape (c, 2).
    """

    leg: Leg
    columns: Ints
    ease: Array
    length: float
    limits: Array

    @property
    def marks(self) -> Array:
        """Points of the foot that say where it is, in its frame, shape (k, 3): two of a hoof, which may tilt."""
        leg = self.leg
        if not leg.foot.turns:
            return np.stack([leg.heel, leg.ball])
        up, ahead = (leg.flat[:3, :3].T @ np.eye(3)[k] for k in (1, 2))
        return np.asarray(leg.foot.point + _ARM * self.length * np.stack([leg.axis, ahead - leg.axis, up - ahead]))


def marked(frames: Array, marks: Array) -> Array:
    """Return where points of frames are, shape (m, 3 k)."""
    found = np.einsum("mij,kj->mki", frames[:, :3, :3], marks) + frames[:, None, :3, 3]
    return found.reshape(len(frames), -1)


def pose_at(frame: Array, point: Array) -> Array:
    """Return the target of a pose lock of a point: its place and the part's rotation."""
    found = frame.copy()
    found[:3, 3] = frame[:3, :3] @ point + frame[:3, 3]
    return found


def brought(s: Skeleton, grip: Grip, q: Array, wanted: Array) -> Array:
    """Return poses with a limb moved so that its foot is where it should be, or as near as it gets.

    Args:
        s: The figure.
        grip: What moves the foot.
        q: Poses, shape (m, nq).
        wanted: Frames of the foot, shape (m, 4, 4).
    """
    marks, columns, line = grip.marks, grip.columns, _line_of(s, grip.leg.foot.joint)
    own, limits = np.ascontiguousarray(q[:, line.columns]), np.ascontiguousarray(grip.limits.T)
    goals, damped = np.ascontiguousarray(marked(wanted, marks)), _DAMPING * grip.length**2
    places, last = np.searchsorted(line.columns, columns), len(line.tree.parent) - 1
    kernels = serving(limb_kernel)

    def work(first: int, end: int) -> None:
        kernels.bring(
            line.tree, own[first:end], last, marks, goals[first:end], places, grip.ease, limits, damped
        )  # fmt: skip

    share_rows(work, len(own), _WORTH_A_THREAD)
    found = np.array(q)
    found[:, columns] = own[:, places]
    return found


def frames_of(s: Skeleton, joint: int, q: Array) -> Array:
    """Return the frames of one joint alone in poses, shape (m, 4, 4)."""
    line = _line_of(s, joint)
    found = np.empty((len(q), len(line.tree.parent), 4, 4))
    if len(q):
        serving(forward_kernel).forward(line.tree, np.ascontiguousarray(q[:, line.columns]), found)
    return found[:, -1]


class _Line(NamedTuple):
    """The joints from the root to one of a figure alone: what else there is does not move its end.

    Attributes:
        tree: They, packed.
        columns: Their places in the figure's pose, shape (k,).
    """

    tree: Tree
    columns: Ints


def _line_of(s: Skeleton, joint: int) -> _Line:
    lines = _lines(s)
    if joint not in lines:
        tree, line = pack(s), line_to(s, joint)
        dofs = np.concatenate([np.arange(tree.first[j], tree.first[j + 1]) for j in line])
        lengths = [0, *(tree.first[j + 1] - tree.first[j] for j in line)]
        own = tree._replace(
            parent=np.arange(-1, len(line) - 1), offset=tree.offset[line], rotation=tree.rotation[line],
            scale=tree.scale[line], flags=tree.flags[line], first=np.cumsum(lengths), kind=tree.kind[dofs],
            letter=tree.letter[dofs], axis=tree.axis[dofs], record=tree.record[dofs],
        )  # fmt: skip
        lines[joint] = _Line(own, np.concatenate([np.arange(3), 3 + dofs]))
    return lines[joint]


@per_skeleton
def _lines(s: Skeleton) -> dict[int, _Line]:
    return {}


_solved = KeptRows(16)


def held(s: Skeleton, grips: list[Grip], ways: list[FootWay], q: Array, frames: Ints) -> tuple[Array, float]:
    """Return poses at frames that hold all feet by their limbs, and little by the root, and how far one misses.

    Args:
        s: The figure.
        grips: What moves each of its feet.
        ways: The ways of these.
        q: Poses that about do, shape (k, nq).
        frames: Their frames, shape (k,).
    """
    off = np.max([_off(s, grip, q, way.frames[frames]) for grip, way in zip(grips, ways, strict=True)], axis=0)
    rows = np.flatnonzero(off > _HELD)
    if not len(rows):
        return q, float(off.max(initial=0.0))
    there, poses = [way.frames[frames[rows]] for way in ways], q[rows]
    solved = _solved.get(
        (s, *(grip.leg for grip in grips)), (), (poses, *there),
        lambda k: _by_locks(s, grips, poses[k], [each[k] for each in there]),
    )  # fmt: skip
    found = q.copy()
    found[rows] = solved[:, :-1]
    return found, max(float(solved[:, -1].max(initial=0.0)), float(off[off <= _HELD].max(initial=0.0)))


def _by_locks(s: Skeleton, grips: list[Grip], q: Array, there: list[Array]) -> Array:
    """Return poses in which locks hold the feet in frames, and by how much one is off, shape (k, nq + 1)."""
    free: set[int] = set()
    locks: list[Lock] = []
    targets: dict[int, list[Array]] = {}
    for grip, places in zip(grips, there, strict=True):
        free |= {int(k) for k in grip.columns}
        own = grip.leg.foot
        for point in (own.point,) if own.turns else grip.marks:
            goals = _targets(places, point, own.turns)
            targets[len(locks)] = goals
            locks.append(Lock(own.joint, "pose" if own.turns else "position", point=point, target=goals[0]))
    fixed = [k for k in range(3, s.nq) if k not in free]
    solver = LockSolver(s, locks, fixed=fixed, root_weight=ROOT_WEIGHT, tolerance=0.4 * TOLERANCE)
    found, left, _ = solver.project_many(q, q, TOLERANCE, targets, MOST_STEPS)
    return np.concatenate([found, left.max(axis=1, keepdims=True)], axis=1)


def _off(s: Skeleton, grip: Grip, q: Array, there: Array) -> Array:
    """Return how far a foot is from where it should be in poses, shape (k,), [m]."""
    marks = grip.marks
    found = marked(frames_of(s, grip.leg.foot.joint, q), marks)
    return np.asarray(np.abs(found - marked(there, marks)).max(axis=1))


def _targets(places: Array, point: Array, turns: bool) -> list[Array]:
    """Return targets of a foot: the same array for as long as it stands still."""
    found: list[Array] = []
    for place in places:
        target = pose_at(place, point) if turns else place[:3, :3] @ point + place[:3, 3]
        found.append(found[-1] if found and np.array_equal(found[-1], target) else target)
    return found
