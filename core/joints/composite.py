"""Composite joint: several joints one after the other, without bodies between them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.checked_arrays import shown
from core.errors import JointError
from core.joints import row_kernel
from core.joints.base import JointModel, Step, nearest_turn
from core.joints.evaluated import evaluated
from core.joints.geometry.vectors import IDENTITY, ORIGIN, add, pose, product, rotated, vectors
from core.joints.mirrored import Mirrored
from core.joints.nearest import nearest
from core.joints.position_expressions import expressions_of
from core.kernels.functions import Function
from core.spatial import se3
from core.symbolic import Expression

_THIRD = 2.0 * math.pi / 3.0
_MOST_SAMPLED = 3


class Composite(JointModel):
    """Joints in a row, ``Q = Q_1 Q_2 ... Q_m``; the coordinates are theirs in this order.

    Args:
        joints: One or more, the first next to the parent.

    Attributes:
        joints: The same, a tuple.

    Raises:
        JointError: If there is none, or one is no joint.

    Source: Sueda eqs. 2.48 to 2.52 (2.52 has a plus before the last term), for any number of joints.
    """

    type_name: ClassVar[str] = "composite"

    def __init__(self, *joints: JointModel):
        if not joints:
            raise JointError("a composite joint has no joints; expected one or more")
        for joint in joints:
            if not isinstance(joint, JointModel):
                raise JointError(f"a composite joint holds {shown(joint)}; expected joints only")
        self.joints = joints
        self.n = sum(joint.n for joint in joints)
        self.rotary = tuple(flag for joint in joints for flag in joint.rotary)
        self.coordinate_names = _distinct([name for joint in joints for name in joint.coordinate_names])
        steps: tuple[Step, ...] | None = ()
        for joint in joints:
            steps = None if steps is None or joint.steps is None else steps + joint.steps
        self.steps = steps
        ends = list(itertools.accumulate((joint.n for joint in joints), initial=0))
        self._parts = [slice(a, b) for a, b in itertools.pairwise(ends)]

    def __setattr__(self, name: str, value: object) -> None:
        if "_parts" in self.__dict__:
            raise AttributeError(f"a joint cannot be changed; make a new one instead of setting {name}")
        super().__setattr__(name, value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Composite) and self.joints == other.joints

    def __hash__(self) -> int:
        return hash((Composite, self.joints))

    def __repr__(self) -> str:
        return f"Composite({', '.join(map(repr, self.joints))})"

    @property
    def units(self) -> tuple[str, ...]:
        """What each coordinate measures."""
        return tuple(unit for joint in self.joints for unit in joint.units)

    @property
    def evaluation(self) -> Function:
        return row_kernel.steps if self.steps is not None else row_kernel.row

    @property
    def constants(self) -> Sequence[float]:
        if self.steps is not None:
            return super().constants
        found = [float(len(self.joints)), float(self.n)]
        for joint in self.joints:
            slot, constants = evaluated(joint)
            found += [slot, float(joint.n), float(len(constants)), *constants.tolist()]
        return found

    def expressions(self, q: Sequence[Expression], constants: Sequence[Expression]) -> Sequence[Expression] | None:
        if self.steps is not None:
            return None  # dynamics has the hinges and slides themselves
        R, p, at = IDENTITY, ORIGIN, 2  # behind the numbers of joints and of coordinates
        for joint, part in zip(self.joints, self._parts, strict=True):
            count = len(evaluated(joint)[1])
            Q = expressions_of(joint, q[part], constants[at + 3 : at + 3 + count])
            if Q is None:
                return None
            own = vectors(Q)
            R, p = product(R, (own[0], own[1], own[2])), add(p, rotated(R, own[3]))
            at += 3 + count
        return pose(R, p)

    @property
    def has_charts(self) -> bool:
        return any(joint.has_charts for joint in self.joints)

    @property
    def domain(self) -> tuple[tuple[float, float], ...]:
        return tuple(each for joint in self.joints for each in joint.domain)

    @property
    def places(self) -> tuple[int, ...]:
        return super().places if self.n > 1 else tuple(count for joint in self.joints for count in joint.places)

    def reflected(self) -> Composite:
        """Return the parts, each reflected."""
        return Composite(*(joint.reflected() or Mirrored(joint) for joint in self.joints))

    def linkage(self, q: ArrayLike) -> tuple[Array, ...]:
        found: list[Array] = []
        before = np.eye(4)
        for joint, own in zip(self.joints, self._parts, strict=True):
            values = np.asarray(q, dtype=np.float64)[own]
            found += [line @ before[:3, :3].T + before[:3, 3] for line in joint.linkage(values)]
            before = before @ joint.transform(values)
        return tuple(found)

    def transform(self, q: ArrayLike) -> Array:
        q = np.asarray(q, dtype=np.float64)
        X = self.joints[0].transform(q[self._parts[0]])
        for joint, part in zip(self.joints[1:], self._parts[1:], strict=True):
            X = X @ joint.transform(q[part])
        return X

    def subspace(self, q: ArrayLike) -> Array:
        q = np.asarray(q, dtype=np.float64)
        S = np.empty((6, self.n))
        last = len(self.joints) - 1
        adjoint: Array | None = None
        for i in range(last, -1, -1):
            joint, part = self.joints[i], self._parts[i]
            own = joint.subspace(q[part])
            S[:, part] = own if adjoint is None else adjoint @ own
            if i:
                step = se3.inverse_adjoint(joint.transform(q[part]))
                adjoint = step if adjoint is None else adjoint @ step
        return S

    def subspace_rate(self, q: ArrayLike, v: ArrayLike) -> Array:
        q, v = np.asarray(q, dtype=np.float64), np.asarray(v, dtype=np.float64)
        rate = np.empty((6, self.n))
        adjoint = np.eye(6)
        # Twist of the last frame relative to the one at hand, expressed in the last one.
        twist = np.zeros(6)
        for i in range(len(self.joints) - 1, -1, -1):
            joint, part = self.joints[i], self._parts[i]
            S = adjoint @ joint.subspace(q[part])
            rate[:, part] = adjoint @ joint.subspace_rate(q[part], v[part]) - se3.ad(twist) @ S
            if i:
                twist = twist + S @ v[part]
                adjoint = adjoint @ se3.inverse_adjoint(joint.transform(q[part]))
        return rate

    def coordinates(self, X: ArrayLike, near: ArrayLike | None = None) -> Array:
        """Return coordinates of the pose, or of the pose nearest to it, a radian counting as much as a metre.

        A single joint that moves has its own answer. Otherwise the search begins at ``near``; if that leads astray,
        the first angles are tried a third of a turn to either side.
        """
        X = np.asarray(X, dtype=np.float64)
        around = np.zeros(self.n) if near is None else np.asarray(near, dtype=np.float64)
        moving = [i for i, joint in enumerate(self.joints) if joint.n]
        if len(moving) <= 1:
            return self.joints[moving[0]].coordinates(X, around) if moving else np.zeros(0)
        angles = [k for k, flag in enumerate(self.rotary) if flag][:_MOST_SAMPLED]
        starts = []
        for turns in itertools.product((0.0, _THIRD, -_THIRD), repeat=len(angles)):
            starts.append(around.copy())
            starts[-1][angles] += turns
        q = nearest(self, X, starts, around)
        for k, joint_turns in enumerate(self._whole_turns()):
            if joint_turns:
                q[k] = nearest_turn(float(q[k]), float(around[k]))
        return q

    def _whole_turns(self) -> list[bool]:
        """Return which coordinates may change by whole turns alone: those of hinges, not of rotation vectors."""
        return [flag and joint.steps is not None for joint in self.joints for flag in joint.rotary]

    def rechart(self, q: ArrayLike, v: ArrayLike, early: bool = False) -> tuple[JointModel, Array, Array] | None:
        q, v = np.array(q, dtype=np.float64), np.array(v, dtype=np.float64)
        joints = list(self.joints)
        changed = False
        for i, part in enumerate(self._parts):
            found = joints[i].rechart(q[part], v[part], early)
            if found is not None:
                joints[i], q[part], v[part] = found
                changed = True
        if not changed:
            return None
        return self if all(a is b for a, b in zip(joints, self.joints, strict=True)) else Composite(*joints), q, v


def _distinct(names: list[str]) -> tuple[str, ...]:
    """Return the names, those that occur more than once with a number after them."""
    numbered = []
    for i, name in enumerate(names):
        numbered.append(f"{name} {names[: i + 1].count(name)}" if names.count(name) > 1 else name)
    return tuple(numbered)
