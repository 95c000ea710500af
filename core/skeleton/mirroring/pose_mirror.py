"""Poses seen in a mirror: the left side does what the right one did, and the other way round.

Reflection in x = 0 takes a hinge about ``a`` to one about ``-M a`` and a slide along ``a`` to one along ``M a``, with
the same value (``core.skeleton.mirroring.mirror``). A figure whose sides are alike so takes the reflected pose when
each joint takes its counterpart's values, negated where its axis runs the other way; a joint without a counterpart is
its own.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.joints import JointModel
from core.skeleton.joint_type import reflected as reflected_type
from core.skeleton.mirroring.mirror import reflect_dof
from core.skeleton.per_skeleton import per_skeleton
from core.skeleton.skeleton import Skeleton
from core.skeleton.splines import spline_record


def _reflect(one: JointModel, other: JointModel | None) -> bool:
    """Return whether two splines are each other's reflection, but for rounding."""
    if other is None or type(one) is not type(other):
        return False
    a, b = spline_record(one), spline_record(reflected_type(other))
    return len(a) == len(b) and bool(np.allclose(a, b, rtol=0.0, atol=1e-9))


class PoseMirror:
    """Takes poses of a figure to those it has in a mirror at x = 0. ``pose_mirror`` gives it.

    The reflection is exact for figures whose sides are alike; where an axis has none across from it that is parallel,
    the value comes from the one that is nearest to it.

    Attributes:
        columns: For each value of a mirrored pose the number of the value it comes from, shape (nq,).
        factors: What that is multiplied with, 1 or -1, shape (nq,).
        counterparts: For each joint the number of its counterpart; its own if it has none.
        exact: Whether every axis has a parallel one across from it, and every spline its reflection.
    """

    def __init__(self, skeleton: Skeleton):
        self.columns: NDArray[np.intp] = np.arange(skeleton.nq)
        self.factors: Array = np.ones(skeleton.nq)
        self.factors[0] = -1.0
        pairs = skeleton.mirror_pairs
        other = {**dict(pairs), **{b: a for a, b in pairs}}
        self.counterparts: tuple[int, ...] = tuple(other.get(i, i) for i in range(len(skeleton.joints)))
        self.exact = True
        for i, joint in enumerate(skeleton.joints):
            source = self.counterparts[i]
            free = list(range(len(skeleton.joints[source].dofs)))
            if joint.curved is not None and not _reflect(joint.curved, skeleton.joints[source].curved):
                self.exact = False  # a way that is not the other one's reflection keeps its value
            reflected = [reflect_dof(dof) for dof in skeleton.joints[source].dofs]
            for k, dof in enumerate(joint.dofs):
                # Of axes that are equally near, the one at the same place in the row.
                alike = [n for n in free if reflected[n].kind == dof.kind]
                if not alike:
                    self.exact = False
                    continue
                cosines = {n: float(reflected[n].axis @ dof.axis) for n in alike}
                best = max(alike, key=lambda n: (round(abs(cosines[n]), 9), n == k))
                self.exact &= abs(cosines[best]) > 1.0 - 1e-9
                free.remove(best)
                place = 3 + skeleton.first_dof[i] + k
                self.columns[place] = 3 + skeleton.first_dof[source] + best
                self.factors[place] = 1.0 if cosines[best] > 0.0 else -1.0
        self.columns.setflags(write=False)
        self.factors.setflags(write=False)

    def convert(self, q: Array) -> Array:
        """Return mirrored poses, new; shape (nq,) or (m, nq). Twice mirrored is the pose itself, bit for bit.

        Limits are not looked at: those of the two sides may differ.
        """
        mirrored: Array = np.asarray(q, dtype=np.float64)[..., self.columns] * self.factors
        return mirrored


@per_skeleton
def pose_mirror(skeleton: Skeleton) -> PoseMirror:
    """Return what mirrors poses of a figure; kept as long as the figure lives."""
    return PoseMirror(skeleton)
