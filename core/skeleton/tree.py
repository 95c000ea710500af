"""A skeleton as packed, parent-first arrays: what kernels read.

The arrays are made once a skeleton and shared by everything that asks; treat them as read-only. (They are not marked
so because compiled kernels are typed for ordinary arrays.)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.skeleton.dof import COORDINATE, HINGE, SLIDE
from core.skeleton.joint_records import joint_extent, joint_record, joint_units
from core.skeleton.per_skeleton import per_skeleton
from core.skeleton.skeleton import Skeleton

Ints = NDArray[np.int64]

KIND_HINGE, KIND_SLIDE, KIND_BEFORE, KIND_GENERAL = 0, 1, 2, 3
"""``KIND_GENERAL`` is the last coordinate of a joint that is not made of hinges and slides, at which its transform
stands; ``KIND_BEFORE`` is each one before it, which moves nothing by itself."""
_KINDS = {HINGE: KIND_HINGE, SLIDE: KIND_SLIDE, COORDINATE: KIND_GENERAL}
TURNED, SCALED = 1, 2
GENERAL_AXIS = 3


class Tree(NamedTuple):
    """Packed form of a skeleton with n joints and d degrees of freedom.

    Attributes:
        parent: Parent of each joint, -1 for the root, shape (n,).
        offset: Origin in the parent's frame, shape (n, 3), [m].
        rotation: Fixed rotation in the parent's frame, shape (n, 3, 3).
        scale: Static scale on the right of the rotation, shape (n, 3).
        flags: ``TURNED`` if the fixed rotation is not the identity, ``SCALED`` if the scale is not 1, shape (n,).
        first: Number of each joint's first DOF and the number of all, shape (n + 1,).
        kind: ``KIND_HINGE``, ``KIND_SLIDE``, ``KIND_BEFORE`` or ``KIND_GENERAL``, shape (d,).
        letter: 0, 1, 2 if the axis is plus or minus x, y, z, else ``GENERAL_AXIS``, shape (d,).
        axis: Unit axes in the frame left by the DOFs before, shape (d, 3).
        unit: What one unit of a solver's is: 1 for angles, W for slides (1 where W is 0), for coordinates what moves a
            part by about W or one radian, shape (d,).
        record: Where the record of a coordinate's joint begins in ``records``, -1 for hinges and slides, shape (d,).
        records: Constants of these joints, see ``core.kinematics.joints_kernel``, in pose units.
        lower: Lower limits, shape (d,), [rad] or [m].
        upper: Upper limits, shape (d,), [rad] or [m].
        weight: Responsiveness of the DOF's joint, shape (d,).
        resistance: Welman's d_i of the DOF's joint, shape (d,).
        length: World length of each joint's offset in the zero pose, 0 for the root, shape (n,), [m].
        linear: Linear part of each joint's frame in the zero pose, shape (n, 3, 3).
        levels: Pairs (joints, their parents) of equal depth, root left out.
        size: The figure's world scale W: longest way from the root to a joint, slides at their limits, [m]; may be 0.
        scaled: Whether any joint has a scale other than 1.
        general: Whether any joint is evaluated by a function of its own, which may raise.
    """

    parent: Ints
    offset: Array
    rotation: Array
    scale: Array
    flags: Ints
    first: Ints
    kind: Ints
    letter: Ints
    axis: Array
    unit: Array
    record: Ints
    records: Array
    lower: Array
    upper: Array
    weight: Array
    resistance: Array
    length: Array
    linear: Array
    levels: tuple[tuple[Ints, Ints], ...]
    size: float
    scaled: bool
    general: bool


@per_skeleton
def pack(skeleton: Skeleton) -> Tree:
    """Return the packed form of ``skeleton``, made at the first call and kept as long as the skeleton lives."""
    joints = skeleton.joints
    n, d = len(joints), skeleton.n_dofs
    kind = np.array([_KINDS[dof.kind] for dof in skeleton.all_dofs], dtype=np.int64)
    parent = np.array([joint.parent for joint in joints], dtype=np.int64)
    offset = np.array([joint.offset for joint in joints]).reshape(n, 3)
    rotation = np.array([joint.rotation for joint in joints]).reshape(n, 3, 3)
    scale = np.array([joint.scale for joint in joints]).reshape(n, 3)
    turned = np.any(rotation != np.eye(3), axis=(1, 2))
    scaled = np.any(scale != 1.0, axis=1)
    axis = np.array([dof.axis for dof in skeleton.all_dofs]).reshape(d, 3)
    letter = np.full(d, GENERAL_AXIS, dtype=np.int64)
    for k in range(3):
        letter[np.abs(axis[:, k]) == 1.0] = k

    length, path_length = np.zeros(n), np.zeros(n)
    linear = np.zeros((n, 3, 3))
    depth = np.zeros(n, dtype=np.int64)
    for i, joint in enumerate(joints):
        p = joint.parent
        above = np.eye(3) if p < 0 else linear[p]
        linear[i] = above @ rotation[i]
        if joint.curved is not None:
            linear[i] = linear[i] @ joint.curved.transform(np.zeros(len(joint.dofs)))[:3, :3]
        linear[i] = linear[i] @ np.diag(scale[i])
        if p >= 0:
            depth[i] = depth[p] + 1
            length[i] = float(np.linalg.norm(above @ offset[i]))
        slides = sum(
            max([abs(limit) for limit in (dof.lo, dof.hi) if np.isfinite(limit)], default=0.0)
            for dof in joint.dofs
            if dof.kind == SLIDE
        )
        if joint.curved is not None:
            slides = joint_extent(joint.curved, joint.dofs)
        path_length[i] = (path_length[p] if p >= 0 else 0.0) + length[i] + slides
    levels = tuple(
        (members, parent[members]) for members in (np.flatnonzero(depth == k) for k in range(1, int(depth.max()) + 1))
    )
    size = float(path_length.max())
    unit = np.where(kind == KIND_SLIDE, size or 1.0, 1.0)
    record = np.full(d, -1, dtype=np.int64)
    records: list[Array] = []
    for i, joint in enumerate(joints):
        own = slice(skeleton.first_dof[i], skeleton.first_dof[i + 1])
        if joint.curved is not None:
            kind[own] = [KIND_BEFORE] * (len(joint.dofs) - 1) + [KIND_GENERAL]
            unit[own] = joint_units(joint.curved, joint.dofs, size or 1.0)
            record[own] = sum(map(len, records))
            records.append(joint_record(joint.curved))
    owner = [joints[i] for i in skeleton.dof_joints]
    return Tree(
        parent=parent,
        offset=offset,
        rotation=rotation,
        scale=scale,
        flags=TURNED * turned.astype(np.int64) + SCALED * scaled.astype(np.int64),
        first=np.array(skeleton.first_dof, dtype=np.int64),
        kind=kind,
        letter=letter,
        axis=axis,
        unit=unit,
        record=record,
        records=np.concatenate(records) if records else np.zeros(0),
        lower=np.array(skeleton.limits[:, 0]),
        upper=np.array(skeleton.limits[:, 1]),
        weight=np.array([joint.weight for joint in owner], dtype=np.float64),
        resistance=np.array([joint.resistance for joint in owner], dtype=np.float64),
        length=length,
        linear=linear,
        levels=levels,
        size=size,
        scaled=bool(scaled.any()),
        general=bool((kind == KIND_GENERAL).any()),
    )
