"""How readily each degree of freedom moves for locks: Welman's K."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.arrays import Array
from core.kinematics.links import link_lengths
from core.skeleton.per_skeleton import per_skeleton
from core.skeleton.skeleton import Skeleton
from core.skeleton.tree import KIND_HINGE, pack

SHORTEST = 0.05
"""Floor of a link's length, as a part of W: a joint at the tip would else turn without bound."""


@per_skeleton
def _natural(s: Skeleton) -> Array:
    """Return the mobility of each pose value where nothing weighs or fixes it, shape (nq,); read-only."""
    tree = pack(s)
    length = np.maximum(link_lengths(s, tree) / (tree.size or 1.0), SHORTEST)
    K = np.ones(s.nq)
    K[3:] = tree.weight / tree.resistance / np.where(tree.kind == KIND_HINGE, length, 1.0)
    return K


def mobility(s: Skeleton, root_weight: float = 1.0, fixed: Sequence[int] = ()) -> Array:
    """Return ``K_i = w / (w_i d_i)`` of each pose value, shape (nq,), lengths in units of W; new.

    ``w`` is the joint's responsiveness, ``d_i`` its resistance, ``w_i`` the length of its link; a slide's is 1.

    Args:
        s: The figure.
        root_weight: Multiplies those of the root.
        fixed: Values that may not move: 0.

    Source: Welman (1993) eqs. 4.10, 4.11.
    """
    K = _natural(s).copy()
    K[: 3 + s.first_dof[1]] *= root_weight
    K[list(fixed)] = 0.0
    return K


def pose_units(s: Skeleton) -> Array:
    """Return what one unit of each pose value is: W for lengths, 1 for angles, shape (nq,); new.

    That of a spline's coordinate is what moves a part by about W or one radian.
    """
    tree = pack(s)
    unit = np.empty(s.nq)
    unit[:3] = tree.size or 1.0
    unit[3:] = tree.unit
    return unit
