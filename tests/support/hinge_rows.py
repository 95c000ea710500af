"""A joint whose transform is written as expressions and which is a row of hinges: one has the other to compare with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from core.dynamics import Body, Multibody
from core.joints import JointModel, Revolute
from core.spatial import SpatialInertia, se3, so3
from core.symbolic import Expression, apply, constant

Array = np.ndarray
AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


class HingeRow(JointModel):
    """Hinges in a row, a shift along x behind each: ``Q = R_1(q_1) T_x(l_1) R_2(q_2) T_x(l_2) ...``.

    A torus on a torus has the axes ``zyyz`` (4 coordinates), with spin ``zyxyz``.

    Args:
        axes: A letter for each hinge.
        lengths: Of the shifts, [m].
        written: Whether the joint gives its expressions.
    """

    type_name: ClassVar[str] = "hinge row"

    def __init__(self, axes: str, lengths: Sequence[float], written: bool = True):
        self.axes, self.lengths, self.written = axes, tuple(lengths), written
        self.n = len(axes)
        self.rotary = (True,) * self.n
        self.coordinate_names = tuple(f"q{k}" for k in range(self.n))

    @property
    def constants(self) -> tuple[float, ...]:
        return self.lengths

    def transform(self, q: ArrayLike) -> Array:
        X = np.eye(4)
        for step in self._steps(q):
            X = X @ step
        return X

    def _steps(self, q: ArrayLike) -> list[Array]:
        return [
            se3.transform(so3.axis_rotation(axis, angle), np.zeros(3)) @ se3.transform(None, (length, 0.0, 0.0))
            for axis, angle, length in zip(self.axes, np.asarray(q), self.lengths, strict=True)
        ]

    def subspace(self, q: ArrayLike) -> Array:
        S, X = np.empty((6, self.n)), np.eye(4)
        for k, step in reversed(list(enumerate(self._steps(q)))):
            X = step @ X
            S[:, k] = se3.adjoint(se3.inverse(X)) @ np.array([*AXES[self.axes[k]], 0.0, 0.0, 0.0])
        return S

    def subspace_rate(self, q: ArrayLike, v: ArrayLike) -> Array:
        S, rates = self.subspace(q), np.asarray(v)
        return np.stack(
            [-se3.ad(S[:, k + 1 :] @ rates[k + 1 :]) @ S[:, k] for k in range(self.n)],
            axis=1,
        )

    def coordinates(self, X: ArrayLike, near: ArrayLike | None = None) -> Array:
        raise NotImplementedError

    def expressions(self, q: Sequence[Expression], constants: Sequence[Expression]) -> Sequence[Expression] | None:
        if not self.written:
            return None
        R = [[constant(float(i == j)) for j in range(3)] for i in range(3)]
        p = [constant(0.0)] * 3
        for axis, angle, length in zip(self.axes, q, constants, strict=True):
            k = "xyz".index(axis)
            a, b = (k + 1) % 3, (k + 2) % 3
            c, s = apply("cos", angle), apply("sin", angle)
            for row in R:
                row[a], row[b] = c * row[a] + s * row[b], c * row[b] - s * row[a]
            p = [old + row[0] * length for old, row in zip(p, R, strict=True)]
        return [entry for row in R for entry in row] + p


def as_hinges(model: Multibody) -> Multibody:
    """The same model, each row as so many bodies that weigh nothing but for the last."""
    bodies = []
    for body in model.bodies:
        joint, parent, X_PJ = body.joint, body.parent, body.X_PJ
        assert isinstance(joint, HingeRow)
        for k, (axis, length) in enumerate(zip(joint.axes, joint.lengths, strict=True)):
            shift = se3.transform(None, (length, 0.0, 0.0))
            last = k == joint.n - 1
            bodies.append(
                Body(
                    body.name if last else f"{body.name}.{k}",
                    parent,
                    Revolute(AXES[axis]),
                    X_PJ,
                    shift @ body.X_JB if last else np.eye(4),
                    body.inertia if last else SpatialInertia.zero(),
                )
            )
            parent, X_PJ = f"{body.name}.{k}", shift
        _ = parent
    # A body behind a row hangs on the row's end: the last shift belongs to its own way.
    ends = {body.name: body.joint.constants[-1] for body in model.bodies}
    return Multibody(
        [
            Body(
                body.name, body.parent, body.joint,
                se3.transform(None, (ends[body.parent], 0.0, 0.0)) @ body.X_PJ if body.parent in ends else body.X_PJ,
                body.X_JB, body.inertia,
            )
            for body in bodies
        ],
        model.gravity,
    )  # fmt: skip
