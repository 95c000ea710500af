"""Turn a part about an axis with its place kept, by inverse kinematics: the pose as a function of the angle."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.constraints.hold.mobility import pose_units
from core.constraints.lock import Lock
from core.ik import Goal, Result, solve
from core.ik.options import SolveOptions, StepOptions
from core.kinematics import forward_kinematics, point_jacobian
from core.kinematics.chain import ancestry
from core.posing.drag_session import moved_chain
from core.posing.hindrance import limit_side
from core.posing.pose_edit import HeldLocks, edited_pose
from core.skeleton.clamp import clamp_pose
from core.skeleton.cones import cone_hinges
from core.skeleton.dof import HINGE, SLIDE
from core.skeleton.extent import figure_height
from core.skeleton.root_turn import RootTurn
from core.skeleton.segment import end_effector
from core.skeleton.skeleton import Skeleton
from core.spatial import so3

STRIDE = math.radians(2.0)
"""An angle is gone to in strides of this length, so that no solve starts far from its goal."""

QUICKEST = 5.0
"""How many times as far as the part the quickest joint may turn; more would look like a jump."""

CORRECTION = 1.0
"""How many times as far as the part a joint may turn to make up for what is missing between two strides."""

FIRMNESS = 4.0
"""Weight of the place beside the orientation's 1 where the chain cannot keep both."""

LAGGING, DRIFTING = math.radians(30.0), 0.15
"""The part goes no further once it is so much behind the angle, or that share of the chain's reach out of place."""

FINEST = 1e-4
"""Coarsest tolerance, [m] for a figure of 1 m or more; a coarser one would make slow turns uneven."""

_SAME_PLACE = 1e-6  # [m]
AT_LIMIT = 1e-3
"""Share of its range within which a degree of freedom is at its limit."""

FLAT = 0.02
"""Cosine between what is missing and how a joint moves the part, under which the joint does not help."""


@dataclass(frozen=True, eq=False)
class Turned:
    """A part turned as far as it goes.

    Attributes:
        q: The pose, shape (nq,).
        behind: By how much the part's orientation misses the one asked for, [rad].
        drift: How far the part is out of its place, [m].
        result: What the solver said last, or None if none was needed.
    """

    q: Array
    behind: float
    drift: float
    result: Result | None = None


class PartTurn:
    """How one part turns: what moves, what keeps its place, and from where.

    The part's end-effector keeps its place. Where all that moves is one joint, such as a thigh by its hip, the joint
    keeps its own place and the end-effector swings about it. A root with three hinges turns the whole figure,
    its place kept by the root's translation.

    Args:
        skeleton: The figure.
        q: Pose at press, shape (nq,), [m] and [rad].
        part: Index or name of the part's joint.
        mode: What moves, as ``DragSession`` takes it.
        locks: What is held meanwhile, as ``DragSession`` takes it; see ``shown``.
        solver: Name of one of ``core.ik.SOLVERS``.
        tolerance: Distance and angle times reach within which the part has followed, [m]; never coarser than 0.1 mm
            for a figure of a metre.
        mirror: Whether the other side of the figure does the same; see ``shown``.
        **options: More keywords of ``core.ik.solve``.

    Attributes:
        center: World point about which the part turns, shape (3,), [m].
        rotation: Orientation ``R_WJ`` of the part at press, shape (3, 3).
        start: The pose at press, shape (nq,).
        whole: Whether the whole figure turns.
        keeps_place: Whether the end-effector is held; else the joint holds itself.
        reach: Length of the chain, [m].
    """

    def __init__(
        self,
        skeleton: Skeleton,
        q: ArrayLike,
        part: int | str,
        mode: str | int = "limb",
        locks: Sequence[Lock] | HeldLocks = (),
        solver: str = "ccd",
        *,
        tolerance: float = FINEST,
        mirror: bool = False,
        **options: Unpack[StepOptions],
    ):
        self.skeleton, self.joint = skeleton, (joint := skeleton.joint_index(part))
        self.chain = chain = moved_chain(skeleton, joint, mode)
        self.start = np.array(q, dtype=np.float64)
        self.rotation = orientation(skeleton, self.start, joint)
        frames = forward_kinematics(skeleton, self.start)
        self.point = end_effector(skeleton, joint)
        effector = frames[joint, :3, :3] @ self.point + frames[joint, :3, 3]
        turning = [k for k in chain.joints if skeleton.joints[k].dofs]
        slides = any(dof.kind != HINGE for k in turning for dof in skeleton.joints[k].dofs)
        origins = frames[turning, :3, 3] if turning else frames[[joint], :3, 3]
        self.reach = float(np.linalg.norm(np.diff([*origins, effector], axis=0), axis=1).sum())
        root = RootTurn(skeleton.joints[turning[0]].dofs) if turning and len(turning) == 1 + turning[0] == 1 else None
        self.whole = root is not None and len(root.solved) == 3
        one_place = not slides and float(np.ptp(origins, axis=0).max()) < _SAME_PLACE
        self.keeps_place = self.whole or not one_place
        self.center = effector if self.keeps_place else np.array(origins[0])
        self._root = root if self.whole else None
        self._on_root = orientation(skeleton, self.start, 0).T @ self.rotation
        self._unit = np.array(
            [
                1.0 if dof.kind == HINGE else max(self.reach, 1e-9) if dof.kind == SLIDE else unit
                for dof, unit in zip(skeleton.all_dofs, pose_units(skeleton)[3:], strict=True)
            ]
        )
        finest = FINEST * min(1.0, figure_height(skeleton))
        self._options: SolveOptions = {"solver": solver, "tolerance": min(float(tolerance), finest), **options}
        self._holding, self._mirror = HeldLocks.of(locks, skeleton, self.start), mirror

    def look(self, q: Array, rotation: Array, result: Result | None = None) -> Turned:
        """Return how far a pose is from an orientation and from the place at press."""
        behind = float(so3.angle_between(orientation(self.skeleton, q, self.joint), rotation))
        drift = 0.0
        if self.keeps_place:
            X = forward_kinematics(self.skeleton, q)[self.joint]
            drift = float(np.linalg.norm(X[:3, :3] @ self.point + X[:3, 3] - self.center))
        return Turned(q, behind, drift, result)

    def shown(self, turned: Turned) -> Array:
        """Return a part's pose with the other side and all locks seen to, shape (nq,): what an editor shows.

        Args:
            turned: The part turned.
        """
        edited = None if self.whole else self.chain.dofs
        return edited_pose(self.skeleton, self.start, turned.q, self._holding, mirror=self._mirror, edited=edited)

    def toward(self, q: Array, rotation: Array, stride: float) -> Turned:
        """Return the pose that gives the part an orientation, as near to it as one stride may come.

        Args:
            q: Pose to start from, shape (nq,).
            rotation: Orientation ``R_WJ`` asked for, shape (3, 3).
            stride: How far the part should turn from there, [rad].
        """
        if self._root is not None:
            return self.look(self._whole_turned(q, rotation), rotation)
        if self.keeps_place:
            weight = (FIRMNESS, 1.0)
            goal = Goal(self.joint, point=self.point, position=self.center, rotation=rotation, weight=weight)
        else:
            goal = Goal(self.joint, rotation=rotation)
        result = solve(self.skeleton, q, goal, base=self.chain.base, **self._options)
        change = result.q - q
        quickest, most = float((np.abs(change[3:]) / self._unit).max(initial=0.0)), QUICKEST * stride
        if quickest <= most:
            return self.look(result.q, rotation, result)
        # What is left waits for the next stride: beside a stretched arm a hair's turn may swing the elbow far.
        return self.look(clamp_pose(self.skeleton, q + (most / quickest) * change), rotation, result)

    def _whole_turned(self, q: Array, rotation: Array) -> Array:
        """Return the pose with the root turned and shifted so that its end-effector stays."""
        assert self._root is not None
        root, number = self.skeleton.joints[0], len(self.skeleton.joints[0].dofs)
        out = np.array(q, dtype=np.float64)
        given = out[None, 3 : 3 + number]
        wanted = root.rotation.T @ rotation @ self._on_root.T
        out[3 : 3 + number] = self._root.values(wanted[None], given, np.zeros_like(given))[0]
        out[3:] = np.clip(out[3:], self.skeleton.limits[:, 0], self.skeleton.limits[:, 1])
        X = forward_kinematics(self.skeleton, out)[self.joint]
        out[:3] += self.center - (X[:3, :3] @ self.point + X[:3, 3])
        return out

    def stops(self, turned: Turned, rotation: Array) -> tuple[int, ...]:
        """Return the degrees of freedom whose limits keep the part from an orientation, or from its place.

        Those that are at a limit in the pose itself, not in one the solver would have gone to: what would help if it
        could go on, and what this turn has used up. The one that would help most comes first. Joints held by a cone
        are at no limit of their own; they count as the solver says.
        """
        q, skeleton = turned.q, self.skeleton
        X, J = forward_kinematics(skeleton, q)[self.joint], point_jacobian(skeleton, q, self.joint, self.point)
        parts = [(J[3:], so3.log(rotation @ orientation(skeleton, q, self.joint).T))]
        if self.keeps_place:
            parts.append((J[:3], self.center - (X[:3, :3] @ self.point + X[:3, 3])))
        solved = turned.result.blocked if turned.result is not None else ()
        helps: dict[int, float] = {}
        for column in self.chain.dofs:
            dof = column - 3
            side, before = (limit_side(skeleton, pose, dof, AT_LIMIT) for pose in (q, self.start))
            help_ = max(side * _cosine(rows[:, column], missing) for rows, missing in parts)
            if side and (help_ > FLAT or side != before):
                helps[dof] = help_
            elif not side and dof in solved and cone_hinges(skeleton.joints[skeleton.dof_joints[dof]]) is not None:
                helps[dof] = max(abs(_cosine(rows[:, column], missing)) for rows, missing in parts)
        return tuple(sorted(helps, key=lambda dof: (-helps[dof], dof)))


def _cosine(a: Array, b: Array) -> float:
    """Return the cosine between two vectors, 0 where one of them is none."""
    size = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / size if size > 1e-12 else 0.0


class TurnPath:
    """The pose as a function of the angle about one axis; the same angle gives the same pose, and 0 the one at press.

    Args:
        turn: What turns.
        axis: World axis, a unit vector, shape (3,).
    """

    def __init__(self, turn: PartTurn, axis: Array):
        self._turn, self._axis = turn, axis
        first = Turned(turn.start, 0.0, 0.0)
        self._walked: dict[int, list[Turned]] = {1: [first], -1: [first]}
        self._ended = {1: False, -1: False}

    def rotation(self, angle: float) -> Array:
        """Return the orientation asked for at an angle, [rad], shape (3, 3)."""
        return np.asarray(so3.axis_rotation(self._axis, angle) @ self._turn.rotation)

    def at(self, angle: float) -> Turned:
        """Return the part turned by an angle, [rad]; any number of turns."""
        side, goal = 1 if angle >= 0.0 else -1, self.rotation(angle)
        whole, share = divmod(abs(angle) / STRIDE, 1.0)
        before = self._stride(side, int(whole))
        if share == 0.0 or before.q is self._stride(side, int(whole) + 1).q:
            return self._seen(before, angle, goal)
        if self._turn.whole:
            return self._turn.toward(before.q, goal, share * STRIDE)
        after = self._stride(side, int(whole) + 1)
        between = (1.0 - share) * before.q + share * after.q
        # A straight line between two poses near each other misses by little; what a solve from there would add must
        # vanish at both of them, and where the goal cannot be met it would only wander.
        most = CORRECTION * min(share, 1.0 - share) * STRIDE
        found = self._turn.toward(between, goal, most / QUICKEST)
        if found.result is not None and found.result.converged:
            return found if found.result.iterations else replace(found, result=after.result)
        return self._seen(self._turn.look(between, goal, after.result), angle, goal)

    def _stride(self, side: int, count: int) -> Turned:
        """Return the part turned by so many strides to one side, or as far as it goes."""
        walked = self._walked[side]
        while len(walked) <= count and not self._ended[side]:
            last = self._turn.toward(walked[-1].q, self.rotation(side * len(walked) * STRIDE), STRIDE)
            walked.append(last)
            self._ended[side] = last.behind > LAGGING or last.drift > DRIFTING * self._turn.reach
        return walked[min(count, len(walked) - 1)]

    def _seen(self, turned: Turned, angle: float, goal: Array) -> Turned:
        """Return a pose with how far it is behind an angle, past half a turn too, where the other side is nearer."""
        side = 1 if angle >= 0.0 else -1
        past = abs(angle) - (len(self._walked[side]) - 1) * STRIDE
        if self._ended[side] and past > 0.0:
            return replace(turned, behind=self._walked[side][-1].behind + past)
        return self._turn.look(turned.q, goal, turned.result)


class FreeTurn:
    """A part turned freely, stride by stride.

    Args:
        turn: What turns.
    """

    def __init__(self, turn: PartTurn):
        self._turn = turn
        self.goal = turn.rotation
        self.now = Turned(turn.start, 0.0, 0.0)

    def by(self, vector: Array) -> Turned:
        """Turn on by a rotation vector in the world, shape (3,), [rad]."""
        angle = float(np.linalg.norm(vector))
        count = max(1, math.ceil(angle / STRIDE))
        step = so3.exp(np.asarray(vector) / count)
        for _ in range(count):
            goal = np.asarray(step @ self.goal)
            if self.now.behind > LAGGING or self.now.drift > DRIFTING * self._turn.reach:
                # No further to this side; a turn that brings the goal nearer again is taken.
                nearer = self._turn.look(self.now.q, goal)
                if nearer.behind >= self.now.behind:
                    continue
            self.goal = goal
            self.now = self._turn.toward(self.now.q, goal, angle / count)
        return self.now


def orientation(skeleton: Skeleton, q: Array, joint: int) -> Array:
    """Return the rotation ``R_WJ`` of a joint without the scales above it, shape (3, 3)."""
    up = ancestry(skeleton, joint)
    if all(np.all(skeleton.joints[k].scale == 1.0) for k in up):
        return np.asarray(forward_kinematics(skeleton, q)[joint, :3, :3])
    rotation = np.eye(3)
    for k in reversed(up):
        rotation = rotation @ skeleton.joints[k].rotation
        for d in range(skeleton.first_dof[k], skeleton.first_dof[k + 1]):
            if skeleton.all_dofs[d].kind == HINGE:
                rotation = rotation @ so3.axis_rotation(skeleton.all_dofs[d].axis, q[3 + d])
    return rotation
