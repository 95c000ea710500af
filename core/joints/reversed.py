"""Reversed joint: another joint, seen from the body that it carries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.errors import JointError
from core.joints import row_kernel
from core.joints.base import JointModel
from core.joints.composite import Composite
from core.joints.geometry.vectors import pose, rotated, scale, transposed, vectors
from core.joints.mirrored import Mirrored
from core.joints.position_expressions import expressions_of
from core.joints.transformed import Transformed
from core.kernels.functions import Function
from core.spatial import se3
from core.symbolic import Expression


@dataclass(frozen=True)
class Reversed(Transformed):
    """A joint whose parent and child have changed places, ``Q = Q_joint^-1`` at the same coordinates.

    ``S = -Ad(Q_joint) S_joint``, and ``dS_i/dq_k = -Ad(Q_joint) (ad(S_k) S_i + dS_i/dq_k)`` of what the joint has.

    Attributes:
        joint: The joint that is read backwards.

    Raises:
        JointError: If it is a composite joint, whose parts are reversed one by one: see ``JointModel.inverse``.
    """

    type_name: ClassVar[str] = "reversed"

    def __post_init__(self) -> None:
        if isinstance(self.joint, Composite):
            raise JointError("a composite joint is reversed part by part; expected Composite.inverse()")

    @property
    def evaluation(self) -> Function:
        return row_kernel.backwards

    def expressions(self, q: Sequence[Expression], constants: Sequence[Expression]) -> Sequence[Expression] | None:
        Q = expressions_of(self.joint, q, constants[2:])  # behind the slot and the number of coordinates
        if Q is None:
            return None
        x, y, z, p = vectors(Q)
        R = transposed((x, y, z))
        return pose(R, scale(-1.0, rotated(R, p)))

    def linkage(self, q: ArrayLike) -> tuple[Array, ...]:
        X = self.transform(q)
        return tuple(line @ X[:3, :3].T + X[:3, 3] for line in self.joint.linkage(q))

    def transform(self, q: ArrayLike) -> Array:
        return se3.inverse(self.joint.transform(q))

    def subspace(self, q: ArrayLike) -> Array:
        return -se3.adjoint(self.joint.transform(q)) @ self.joint.subspace(q) + 0.0

    def subspace_rate(self, q: ArrayLike, v: ArrayLike) -> Array:
        S = self.joint.subspace(q)
        inner = se3.ad(S @ np.asarray(v, dtype=np.float64)) @ S + self.joint.subspace_rate(q, v)
        return -se3.adjoint(self.joint.transform(q)) @ inner + 0.0

    def coordinates(self, X: ArrayLike, near: ArrayLike | None = None) -> Array:
        return self.joint.coordinates(se3.inverse(np.asarray(X, dtype=np.float64)), near)

    def rechart(self, q: ArrayLike, v: ArrayLike, early: bool = False) -> tuple[JointModel, Array, Array] | None:
        found = self.joint.rechart(q, v, early)
        return None if found is None else (Reversed(found[0]), found[1], found[2])

    def reflected(self) -> JointModel | None:
        other = self.joint.reflected() or Mirrored(self.joint)
        return None if isinstance(other, Composite) else Reversed(other)

    def inverse(self) -> JointModel:
        return self.joint


def inverse_of(model: JointModel) -> tuple[JointModel, tuple[int, ...]]:
    """Return the joint whose pose is the inverse of another one's, parent and child exchanged.

    Returns:
        The joint, and for each of its coordinates which one of the other joint it is: the parts of a composite joint
        come in reverse order.
    """
    if not isinstance(model, Composite):
        return model.inverse() or Reversed(model), tuple(range(model.n))
    parts: list[JointModel] = []
    columns: list[int] = []
    end = model.n
    for part in reversed(model.joints):
        made, own = inverse_of(part)
        parts.append(made)
        columns += [end - part.n + k for k in own]
        end -= part.n
    return Composite(*parts), tuple(columns)
