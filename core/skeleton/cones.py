"""Joints that swing inside a true cone: how far a pose swings, and the same pose brought back to its cones.

Two hinges at angles ``a`` and ``b`` across an axis turn it by an angle whose cosine is ``cos a cos b``. This is the
one place where that is worked out for poses; ``core.kinematics.nodes_kernel`` has the same for kernels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from core.arrays import Array, Ints
from core.skeleton.dof import HINGE
from core.skeleton.joint import Joint
from core.skeleton.per_skeleton import per_skeleton
from core.skeleton.structure import Structure

_STEPS = 60
_SQUARE = 1e-9
_LESS = 1e-9  # what is left to the rim: rounding would otherwise take an angle past it


def cone_hinges(joint: Joint) -> tuple[int, int] | None:
    """Return which two hinges of a joint swing inside its cone, as numbers of its degrees of freedom.

    Those across the axis of its ``ball`` line: they stand before a third hinge (behind it where the joint has been
    turned round by re-rooting), all three at right angles, and have the cone as their limits. In a joint that was
    written otherwise they are the first two hinges. None if it has no cone, or one that is no bound.
    """
    if joint.cone is None or joint.cone >= math.pi:
        return None
    for shift in (0, 1):
        for k in range(len(joint.dofs) - 2):
            a, b, c = joint.dofs[k : k + 3]
            swings = (a, b) if shift == 0 else (b, c)
            across = all(dof.hi == -dof.lo == joint.cone for dof in swings) and a.kind == b.kind == c.kind == HINGE
            if across and max(abs(float(x.axis @ y.axis)) for x, y in ((a, b), (b, c), (c, a))) < _SQUARE:
                return k + shift, k + shift + 1
    hinges = [k for k, dof in enumerate(joint.dofs) if dof.kind == HINGE]
    return (hinges[0], hinges[1]) if len(hinges) > 1 else None


@dataclass(frozen=True, eq=False)
class Cones:
    """The cones of a figure's joints; ``cones_of`` gives them.

    Attributes:
        joints: Index of the joint of each cone, shape (k,).
        columns: Where the two angles of its swing stand in a pose, shape (k, 2).
        cosines: Cosine of each half-angle, shape (k,).
    """

    joints: Ints
    columns: Ints
    cosines: Array

    def __len__(self) -> int:
        return len(self.joints)

    def swing_cosines(self, q: Array) -> Array:
        """Return the cosines of the angles by which joints with cones swing, shapes (..., nq) to (..., k)."""
        found: Array = np.cos(q[..., self.columns]).prod(axis=-1)
        return found

    def swings(self, q: Array) -> Array:
        """Return the angles by which joints with cones swing, [rad], shapes (..., nq) to (..., k)."""
        return np.asarray(np.arccos(np.clip(self.swing_cosines(q), -1.0, 1.0)))

    def reaches(self, q: Array, least: Array | None = None) -> Array:
        """Return how far either angle of each swing can go with the other as it is, [rad], (..., nq) to (..., k, 2).

        An angle with at most this size is inside the cone to the last bit; infinity where the cone is no bound.

        Args:
            q: Poses, shape (..., nq).
            least: As for ``allowed``.
        """
        others = np.cos(q[..., self.columns[:, ::-1]])
        wanted = (self.cosines if least is None else least)[..., None]
        with np.errstate(divide="ignore", invalid="ignore"):
            cosines = wanted / others
        barred = (wanted > 0.0) & (others <= 0.0)
        bound = (others > 0.0) & (cosines > -1.0)
        found = np.where(bound, np.arccos(np.clip(cosines, -1.0, 1.0)) * (1.0 - _LESS) - _LESS, np.inf)
        return np.where(barred, 0.0, np.maximum(found, 0.0))

    def allowed(self, q: Array, least: Array | None = None) -> Array:
        """Return how much of each swing its cone allows, shapes (..., nq) to (..., k): 1 where it is inside, else less.

        Args:
            q: Poses, shape (..., nq).
            least: Cosines of other half-angles instead of the joints' own, shape (..., k) or (k,).
        """
        angles = q[..., self.columns]
        wanted = np.broadcast_to(self.cosines if least is None else least, angles.shape[:-1])
        share = np.ones(angles.shape[:-1])
        outside = np.cos(angles).prod(axis=-1) < wanted
        if outside.any():
            some, cosines = angles[outside], wanted[outside]
            low, high = np.zeros(len(some)), np.ones(len(some))
            for _ in range(_STEPS):
                middle = 0.5 * (low + high)
                inside = np.cos(middle[:, None] * some).prod(axis=-1) >= cosines
                low, high = np.where(inside, middle, low), np.where(inside, high, middle)
            share[outside] = low
        return share

    def hold(self, q: Array, least: Array | None = None) -> None:
        """Bring poses back to their cones, in place: both angles of a swing on their way from zero, nothing else.

        Args:
            q: Poses, shape (..., nq); what is inside stays as it is, bit for bit.
            least: As for ``allowed``.
        """
        share = self.allowed(q, least)
        if (share < 1.0).any():
            q[..., self.columns] *= share[..., None]


@per_skeleton
def cones_of(skeleton: Structure) -> Cones:
    """Return the cones of a figure."""
    found = [(i, joint, cone_hinges(joint)) for i, joint in enumerate(skeleton.joints)]
    bound = [(i, joint.cone or 0.0, swings) for i, joint, swings in found if swings is not None]
    columns = [[3 + skeleton.first_dof[i] + k for k in swings] for i, _, swings in bound]
    return Cones(
        np.array([i for i, _, _ in bound], dtype=np.intp),
        np.array(columns, dtype=np.intp).reshape(-1, 2),
        np.array([math.cos(cone) for _, cone, _ in bound]),
    )
