"""How readily each degree of freedom moves for locks: Welman's K."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.arrays import Array
from core.kinematics.links import link_lengths
from core.skeleton.joined import Joined, is_prop
from core.skeleton.per_skeleton import per_skeleton
from core.skeleton.skeleton import Skeleton
from core.skeleton.tree import KIND_HINGE, pack

SHORTEST = 0.05
"""Floor of a link's length, as a part of W: a joint at the tip would else turn without bound."""


PROP_WEIGHT = 1e3
"""How mobile what is carried about is against a limb: it comes to the hands, and the hands do not go to it."""


@per_skeleton
def _natural(s: Skeleton) -> Array:
    """Return the mobility of each pose value where nothing weighs or fixes it, shape (nq,); read-only."""
    if isinstance(s, Joined):
        return _of_members(s)
    tree = pack(s)
    length = np.maximum(link_lengths(s, tree) / (tree.size or 1.0), SHORTEST)
    K = np.ones(s.nq)
    K[3:] = tree.weight / tree.resistance / np.where(tree.kind == KIND_HINGE, length, 1.0)
    return K


def _of_members(s: Joined) -> Array:
    """Return the same of figures joined to one: each is moved by its locks as it is alone.

    What a step costs does not depend on the unit of length, which is another one here: ``dx^2 / K`` stays.
    """
    K, unit = np.ones(s.nq), pose_units(s)
    for member, own in zip(s.members, s.columns, strict=True):
        K[own] = _natural(member) * (pose_units(member) / unit[own]) ** 2
        if is_prop(member):
            K[own] *= PROP_WEIGHT
    return K


def mobility(s: Skeleton, root_weight: float = 1.0, fixed: Sequence[int] = ()) -> Array:
    """Return ``K_i = w / (w_i d_i)`` of each pose value, shape (nq,), lengths in units of W; new.

    ``w`` is the joint's responsiveness, ``d_i`` its resistance, ``w_i`` the length of its link; a slide's is 1.

    Args:
        s: The figure.
        root_weight: Multiplies those of the root; of figures joined to one those of each one's, but of no prop.
        fixed: Values that may not move: 0.

    Source: Welman (1993) eqs. 4.10, 4.11.
    """
    K = _natural(s).copy()
    if isinstance(s, Joined):
        for member, root in zip(s.members, s.roots, strict=True):
            K[root] *= 1.0 if is_prop(member) else root_weight
    else:
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
