"""The Euler filter: angles of keys without flips and needless turns, each the same rotation as before.

A rotation has two triples of angles and any number of whole turns beside them. Recorded or imported keys change from
one to the other on the way, and a curve through them runs wild. Here each chosen key takes the triple that is nearest
to the key before; single hinges only whole turns. No pose at a key changes but for rounding.
"""

from __future__ import annotations

import numpy as np

from core.animation.channels import channels_of
from core.animation.curves.compound_joints import CompoundJoints
from core.animation.key import Key
from core.animation.key_parts import Parts, bent, held
from core.animation.sequence import Sequence
from core.arrays import Array, Bools, Ints
from core.skeleton import Skeleton
from core.skeleton.dof import ANGLE

_SAME = 1e-9  # angles that differ by less stay bit for bit, [rad]
_TURN = 2.0 * np.pi


def without_flips(sequence: Sequence, parts: Parts) -> tuple[Key, ...]:
    """Return a sequence's keys with the angles of some near those of the keys before them.

    Channels that follow their angles (``turns``) stay: their whole turns are meant. Slopes set by hand go where the
    other triple is taken, whose angles run another way. Hinges with limits do not leave them.

    Args:
        sequence: The sequence; it does not change.
        parts: Channels that are filtered, by frame. The first key of a channel stays as it is.
    """
    skeleton, channels = sequence.skeleton, channels_of(sequence.skeleton)
    joints = CompoundJoints(skeleton)
    numbers = channels.of_value[joints.columns[:, 0]] if len(joints) else np.empty(0, dtype=np.intp)
    hinges = _hinges(skeleton, joints.columns)
    near, known = skeleton.rest_pose(), np.zeros(len(channels), dtype=bool)
    made: list[Key] = []
    for key in sequence.keys:
        own = np.isin(channels.names, list(held(key, channels)))
        chosen = np.zeros(len(channels), dtype=bool)
        if key.frame in parts:
            chosen = np.isin(channels.names, list(held(key, channels, parts[key.frame]))) & known & own
            chosen &= [not key.shape_of(name).turns for name in channels.names]
        q = _nearest(skeleton, joints, numbers, hinges, chosen, key.q, near)
        made.append(_with_pose(key, q, skeleton))
        near = np.where(own[channels.of_value], q, near)
        known |= own
    return tuple(made)


def _hinges(skeleton: Skeleton, compounds: Ints) -> Ints:
    """Return the places of single angles in a pose."""
    angles = [3 + dof for dof in range(len(skeleton.all_dofs)) if skeleton.dof_units[dof] == ANGLE]
    return np.setdiff1d(np.array(angles, dtype=np.intp), compounds.reshape(-1))


def _nearest(
    skeleton: Skeleton, joints: CompoundJoints, numbers: Ints, hinges: Ints, chosen: Bools, q: Array, near: Array
) -> Array:
    """Return a pose with the chosen channels' angles nearest to those of another pose."""
    if not chosen.any():
        return q
    made = np.array(q)
    if len(joints):
        before = joints.values(q)
        after = joints.angles(joints.rotations(before), joints.values(near))
        moved = chosen[numbers] & (np.abs(after - before).max(axis=-1) > _SAME)
        joints.put(made, np.where(moved[:, None], after, before))
    of_value = channels_of(skeleton).of_value
    own = hinges[chosen[of_value[hinges]]]
    turned = q[own] - _TURN * np.rint((q[own] - near[own]) / _TURN)
    limits = skeleton.limits[own - 3]
    inside = (turned >= limits[:, 0]) & (turned <= limits[:, 1])
    made[own] = np.where(inside & (np.abs(turned - q[own]) > _SAME), turned, q[own])
    return made


def _with_pose(key: Key, q: Array, skeleton: Skeleton) -> Key:
    """Return a key with other angles; slopes of values that now run another way are let go."""
    if np.array_equal(q, key.q):
        return key
    whole = np.abs((q - key.q) / _TURN - np.rint((q - key.q) / _TURN)) < _SAME
    return bent(key, q, ~whole, channels_of(skeleton))
