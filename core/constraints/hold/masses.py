"""Masses for balance: joints that are not nodes are carried, at the pose of the moment, by the nearest that is.

Fingers, a neck or an arm that no other row is about can do little for balance, and would make every step dearer. They
keep their angles, and so they are weights fixed to what carries them; where they are is worked out anew only when a
pose has them otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from core.arrays import Array
from core.constraints.hold.packed import MASS, Hold
from core.constraints.hold.rows import Rows, helped
from core.kinematics.center_of_mass import segment_masses
from core.kinematics.chain import ancestry
from core.kinematics.chain_nodes import ChainNodes
from core.kinematics.forward import forward_kinematics
from core.skeleton.joined import Joined
from core.skeleton.skeleton import Skeleton
from core.skeleton.tree import Ints

HEAVY = 0.2
"""Part of all mass from which on a joint that carries it helps to keep the balance, whatever other rows are about."""


def legs(s: Skeleton, rows: Rows) -> set[int]:
    """Return the pose values of the root and of all between it and what the figure stands on, for rows of balance."""
    joints = {0, *(above for joint in rows.supports for above in ancestry(s, joint))}
    return {0, 1, 2, *(3 + k for j in joints for k in range(s.first_dof[j], s.first_dof[j + 1]))}


class Masses(NamedTuple):
    """What joints without nodes weigh, and on what.

    Attributes:
        q_index: Their pose values.
        values: These when they were last folded in, shape of ``q_index``.
        joints: Those that weigh something.
        carriers: The nearest joint above each that has its place among the nodes.
        nodes: Its node, -1 for the base frame.
        mass: Parts of all mass.
        centers: Centres in the frames of ``joints``, shape (m, 3), [m].
        linear: From the carrier's frame to its node's, shape (m, 3, 3).
        origin: The same, shape (m, 3), [W].
        moment: Moment of the joints that are nodes, in the nodes' frames, shape (K, 3), [W].
        size: W, [m].
    """

    q_index: Ints
    values: Array
    joints: Ints
    carriers: Ints
    nodes: Ints
    mass: Array
    centers: Array
    linear: Array
    origin: Array
    moment: Array
    size: float


def _wholes(s: Skeleton) -> Array:
    """Return for each joint what all of its figure weighs, shape (n,), [kg]: figures joined to one count each alone."""
    masses = segment_masses(s)[0]
    wholes = np.full(len(masses), float(masses.sum()))
    if isinstance(s, Joined):
        for k in range(len(s.members)):
            own = s.joints_of(k)
            wholes[own.start : own.stop] = float(masses[own.start : own.stop].sum()) or wholes[0]
    return wholes


def moving_joints(s: Skeleton, rows: Sequence[Rows]) -> Iterable[int]:
    """Return the joints that may move in a drag with balance.

    Those that other rows are about, those named as helpers, and those that carry much of the mass; if there are no
    other rows, all.
    """
    about = helped(rows)
    if not about:
        return range(len(s.joints))
    carried = segment_masses(s)[0].copy()
    whole = _wholes(s)
    for i in range(len(carried) - 1, 0, -1):
        carried[s.joints[i].parent] += carried[i]
    heavy = np.flatnonzero(carried >= HEAVY * whole).tolist()
    return {*about, *heavy, *(joint for each in rows if each.form == MASS for joint in each.joints or ())}


def find_masses(s: Skeleton, h: Hold, chain: ChainNodes, size: float) -> Masses:
    """Write the masses that nodes carry, and return what ``fold_masses`` needs for the rest of their moments."""
    masses, centers = segment_masses(s)
    shares = masses / _wholes(s)
    moment = np.zeros_like(h.moment)
    joints, carriers = [], []
    for joint, share in enumerate(shares):
        carrier = joint
        while carrier not in chain.after:
            carrier = s.joints[carrier].parent
        node, linear, origin, _ = chain.after[carrier]
        h.mass[node] += share
        if carrier == joint:
            moment[node] += share * (linear @ (centers[joint] / size) + origin)
        elif share > 0.0:
            joints.append(joint)
            carriers.append(carrier)
    h.moment[:] = moment
    index = np.array([3 + k for k, joint in enumerate(s.dof_joints) if joint not in chain.after], dtype=np.int64)
    after = [chain.after[carrier] for carrier in carriers]
    at = np.array(joints, dtype=np.int64)
    return Masses(
        index,
        np.full(len(index) if joints else 0, np.nan),
        at,
        np.array(carriers, dtype=np.int64),
        np.array([node for node, _, _, _ in after], dtype=np.int64),
        shares[at],
        centers[at],
        np.array([linear for _, linear, _, _ in after]).reshape(-1, 3, 3),
        np.array([origin for _, _, origin, _ in after]).reshape(-1, 3),
        moment,
        size,
    )


def fold_masses(s: Skeleton, h: Hold, masses: Masses, q: Array) -> None:
    """Write the moments of a pose's joints without nodes, if they are not as they were when this was done last."""
    if not len(masses.joints):
        return
    now = q[masses.q_index]
    if np.array_equal(now, masses.values) and len(now):
        return
    masses.values[:] = now
    F = forward_kinematics(s, q)
    own, above = F[masses.joints], F[masses.carriers]
    place = (own[:, :3, :3] @ masses.centers[:, :, None])[:, :, 0] + own[:, :3, 3] - above[:, :3, 3]
    arm = np.linalg.solve(above[:, :3, :3], place[:, :, None]) / masses.size
    center = (masses.linear @ arm)[:, :, 0] + masses.origin
    h.moment[:] = masses.moment
    np.add.at(h.moment, masses.nodes, masses.mass[:, None] * center)
