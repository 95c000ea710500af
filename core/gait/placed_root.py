"""The root of poses, put so that the root itself, or the pelvis on it, is in given frames of the world."""

from __future__ import annotations

import numpy as np

from core.arrays import Array
from core.gait.biped import Biped
from core.kinematics.forward import forward_kinematics
from core.skeleton import Skeleton
from core.skeleton.per_skeleton import per_skeleton
from core.skeleton.root_turn import RootTurn
from core.spatial import quaternion as quat
from core.spatial.three_axes import ThreeAxes


def put_root(biped: Biped, q: Array, pelvis: Array) -> None:
    """Put the root of poses so that the pelvis is in frames of the world, shape (m, 4, 4), in place."""
    place_root(biped.skeleton, q, pelvis @ np.linalg.inv(biped.pelvis_in_root))


def place_root(s: Skeleton, q: Array, root: Array) -> None:
    """Put the root of poses into frames of the world, shape (m, 4, 4), in place."""
    joint = s.joints[0]
    count = len(joint.dofs)
    if count:
        wanted = joint.rotation.T @ root[:, :3, :3]
        q[:, 3 : 3 + count] = _root_angles(s, wanted, q[:, 3 : 3 + count])
    q[:, :3] = 0.0
    there = forward_kinematics(s, q)[:, 0, :3, 3]
    q[:, :3] = root[:, :3, 3] - there


def _root_angles(s: Skeleton, wanted: Array, given: Array) -> Array:
    """Return the values of the root's degrees of freedom that make rotations, shape (m, n)."""
    way = _root_turn(s)
    if isinstance(way, RootTurn):
        return way.values(wanted, given, np.zeros_like(given))
    # A body that walks is upright: the same branch is right for all, but for full turns.
    return np.unwrap(np.asarray(way.angles(quat.from_matrix(wanted), given)), axis=0)


@per_skeleton
def _root_turn(s: Skeleton) -> RootTurn | ThreeAxes:
    dofs = s.joints[0].dofs
    turns = RootTurn(dofs)
    if len(dofs) != 3 or len(turns.solved) != 3:
        return turns
    return ThreeAxes(np.array([dof.axis for dof in dofs])[None])
