"""What a criterion is: a number that says how much a pose is worth avoiding, with its gradient."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from core.arrays import Array
from core.ik.goal import Goal
from core.kinematics.chain import ancestry
from core.kinematics.forward import forward_kinematics
from core.kinematics.jacobian import point_jacobian
from core.skeleton.skeleton import Skeleton
from core.skeleton.tree import KIND_SLIDE, Ints, pack


class Posture:
    """A pose of a chain as a criterion sees it; what is asked for is worked out once.

    Attributes:
        skeleton: The figure.
        q: The pose, shape (nq,), [m] and [rad].
        dofs: Indices into ``q`` of what may move, shape (K,), parents first.
        goals: What the chain is asked for.
        top: First joint of the chain.
        size: The figure's size W, [m]: divide lengths by it, so that the unit of length plays no part.
    """

    def __init__(self, skeleton: Skeleton, q: Array, dofs: Ints, goals: tuple[Goal, ...], top: int, size: float):
        self.skeleton, self.q, self.dofs, self.goals, self.top, self.size = skeleton, q, dofs, goals, top, size
        self._kept: dict[Any, Any] = {}

    def at(self, q: Array) -> Posture:
        """Return the same chain in another pose."""
        other = Posture(self.skeleton, q, self.dofs, self.goals, self.top, self.size)
        other._kept = self._kept
        return other

    def once(self, key: Any, make: Callable[[], Any]) -> Any:
        """Return what ``make`` gives, worked out once for all poses of the chain.

        Args:
            key: Anything that distinguishes it from what others keep.
            make: Must not depend on the pose.
        """
        if key not in self._kept:
            self._kept[key] = make()
        return self._kept[key]

    @property
    def unit(self) -> Array:
        """What each ``dofs`` entry is measured in: W for lengths, 1 for angles, else ``Tree.unit``, shape (K,)."""

        def make() -> Array:
            tree = pack(self.skeleton)
            slides = [k < 3 or tree.kind[k - 3] == KIND_SLIDE for k in self.dofs.tolist()]
            return np.where(slides, self.size, np.concatenate([np.ones(3), tree.unit])[self.dofs])

        return np.asarray(self.once("unit", make))

    @property
    def joints(self) -> tuple[int, ...]:
        """Joints of the chain, from its top to every goal's joint, parents first."""

        def make() -> tuple[int, ...]:
            found: set[int] = set()
            for goal in self.goals:
                up = ancestry(self.skeleton, self.skeleton.joint_index(goal.joint))
                found.update(up[: up.index(self.top) + 1])
            return tuple(sorted(found))

        return tuple(self.once("joints", make))

    @cached_property
    def frames(self) -> Array:
        """World frames of all joints, shape (n, 4, 4)."""
        return forward_kinematics(self.skeleton, self.q)

    @property
    def affine(self) -> bool:
        """Whether any joint has a scale, so that frames are no rotations."""
        return pack(self.skeleton).scaled

    def jacobian(self, joint: int, point: Array) -> Array:
        """Return the Jacobian [v; w] of a point of a joint with respect to ``dofs``, shape (6, K)."""
        return np.asarray(point_jacobian(self.skeleton, self.q, joint, point)[:, self.dofs])


@runtime_checkable
class Criterion(Protocol):
    """A measure of poses that a redundant chain makes small, as far as its goals leave it free.

    ``evaluate`` returns the value, without unit, and its gradient with respect to ``posture.q[posture.dofs]``, shape
    (K,), per [rad] or [m]. The value must be smooth enough for a gradient that is exact, and must not depend on the
    unit of length.
    """

    def evaluate(self, posture: Posture) -> tuple[float, Array]:
        """Return value and gradient, shape (K,)."""
        ...


class Kind(NamedTuple):
    """A criterion as menus and ``solve`` see it.

    Attributes:
        name: What ``solve(secondary=...)`` takes.
        label: What the editor calls it.
        description: One sentence on what it does.
        needs: What must come with the name, in words; "" if nothing.
        make: ``make(skeleton, data) -> Criterion``; data is None if nothing is needed. Raises ``GoalError``.
    """

    name: str
    label: str
    description: str
    needs: str
    make: Callable[[Skeleton, Any], Criterion]
