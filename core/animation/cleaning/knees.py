"""Poses to hold feet from: the root goes along with feet that are put elsewhere, and knees bend to their own side.

A leg that is nearly straight turns its knee by 15 degrees for a centimetre, and which way is anybody's guess: a knee of
a recording that is straight to within a degree bends forward in one frame and back in the next one. So the root first
goes along with the feet, by the smooth way that leaves legs as long as they were, straight ones before all. Then each
knee is bent by as much as its leg must be shorter, to the side to which it bends all through the motion; its hip and
the foot turn along.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence as Row
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg import solveh_banded

from core.animation.contacts.feet import Foot
from core.animation.layers.offsets import kept_inside, turns_of, with_offset
from core.animation.locks.soft_reach import Limb, limb_joints, limb_of, where
from core.arrays import Array
from core.constraints.lock import Lock
from core.kinematics.forward import forward_kinematics
from core.skeleton.dof import HINGE
from core.skeleton.skeleton import Skeleton
from core.spatial import quaternion as quat

_STRAIGHT = np.radians(5.0)  # a knee that is bent by less is taken to be bent so far: beyond, it turns at once
_USUAL = np.radians(15.0)  # knees that never bend farther back than this bend to where the foot points
_RATE = 30.0  # [1/s]: frames a second that the weights below are for
_NEARLY = np.radians(20.0)  # knees that are bent by more count less: they turn little
_STAYS = 300.0  # how much it counts that the root stays where it is, in lengths of a leg, against knees, [rad]
_SMOOTH = 2e3  # that it goes as it did
_EVEN = 12.0  # that knees turn as they did
_LESS = 3.0  # how much more it counts the nearer it comes to as far as it may go
_ROUNDS = 6


class _Leg(NamedTuple):
    """A leg, and the joint that makes it shorter.

    Attributes:
        limb: From where it hangs to the foot.
        hip: Joint that turns it any way; -1 if none does.
        knee: The joint that bends it.
        column: Column of the pose that does, of a hinge; -1 for a knee that turns any way.
        base: Where it turns from in each pose, shape (m, 3), [m].
        tip: Where its foot is, shape (m, 3), [m].
        axis: What its knee bends about, world, shape (m, 3).
        bend: How far it is bent, back below 0, shape (m,), [rad].
        middle: Mean of the squared distance from hip to foot over all bends, shape (m,), [m^2].
        reach: By how much that changes at most, shape (m,), [m^2].
    """

    limb: Limb
    hip: int
    knee: int
    column: int
    base: Array
    tip: Array
    axis: Array
    bend: Array
    middle: Array
    reach: Array

    def bend_for(self, distance: Array) -> Array:
        """Return how far it must be bent for hip and foot to be so far apart, shape (m,), 0 or more, [rad]."""
        return np.asarray(np.arccos(np.clip((distance * distance - self.middle) / self.reach, -1.0, 1.0)))

    def soft_bend(self, distance: Array) -> tuple[Array, Array]:
        """Return the same, but on the tangent where it is less than ``_STRAIGHT``, and its slope over the distance."""
        cosine = (distance * distance - self.middle) / self.reach
        edge = np.cos(_STRAIGHT)
        inside = np.clip(cosine, -edge, edge)
        steep = -1.0 / np.sqrt(1.0 - inside * inside)
        return np.arccos(inside) + steep * (cosine - inside), steep * 2.0 * distance / self.reach


def legs_ready(s: Skeleton, feet: Row[Foot], places: Row[Array], poses: Array, fps: float, most: float) -> Array:
    """Return poses from which feet are to be held at their places: they are there nearly.

    Args:
        s: The figure.
        feet: Its feet.
        places: Where the frame of each is wanted in each pose, shape (m, 4, 4) each.
        poses: The poses, of frames that follow each other, shape (m, nq).
        fps: Frames a second.
        most: How far the root may go, [m].
    """
    frames = forward_kinematics(s, poses)
    legs = [(leg, F) for foot, F in zip(feet, places, strict=True) if (leg := _leg(s, foot, frames)) is not None]
    if not legs:
        return poses
    goals = [F[:, :3, 3] if leg.limb.rigid else F[:, :3, :3] @ leg.limb.point + F[:, :3, 3] for leg, F in legs]
    shift = _root(legs, goals, fps, most)
    made = poses.copy()
    made[:, :3] += shift
    for (leg, F), goal in zip(legs, goals, strict=True):
        way = goal - leg.base - shift
        need = leg.bend_for(np.linalg.norm(way, axis=1))
        made = _bent(s, made, leg, need - leg.bend)
        if leg.hip >= 0:
            now = forward_kinematics(s, made)
            made = _turned(s, made, now, leg.hip, _between(where(leg.limb, now)[1] - leg.base - shift, way))
        if leg.limb.rigid:
            now = forward_kinematics(s, made)
            own = now[:, leg.limb.tip, :3, :3]
            made = _turned(s, made, now, leg.limb.tip, quat.from_matrix(F[:, :3, :3] @ np.swapaxes(own, 1, 2)))
    return kept_inside(s, made, poses)


def _leg(s: Skeleton, foot: Foot, frames: Array) -> _Leg | None:
    """Return the leg of a foot by the joint that shortens it the most; None if none bends to one side."""
    kind, target = ("pose", np.eye(4)) if foot.turns else ("position", np.zeros(3))
    limb = limb_of(s, Lock(s.joint_names[foot.joint], kind, point=foot.point, target=target))
    if limb is None:
        return None
    joints = limb_joints(s, limb)
    made: list[_Leg] = []
    for n, joint in enumerate(joints[1:-1] if limb.rigid else joints[1:]):
        hip = next((each for each in reversed(joints[: n + 1]) if _number(s, each) is not None), -1)
        made += _bending(s, limb, hip, joint, frames, _toward_toes(s, foot, frames))
    return max(made, key=lambda leg: float(np.mean(leg.reach * (1.0 - np.cos(leg.bend)))), default=None)


def _number(s: Skeleton, joint: int) -> int | None:
    """Return the number among ``turns_of`` of a joint that turns any way; None for another one."""
    found = np.flatnonzero(turns_of(s).columns[:, 0] == 3 + s.first_dof[joint])
    return int(found[0]) if len(found) and s.joints[joint].dofs else None


def _carrier(s: Skeleton, joint: int, frames: Array) -> Array:
    """Return the rotation of what a joint turns in, shape (m, 3, 3)."""
    return np.asarray(frames[:, s.joints[joint].parent, :3, :3] @ s.joints[joint].rotation)


def _toward_toes(s: Skeleton, foot: Foot, frames: Array) -> Array:
    """Return where a foot points, shape (m, 3); zero for one without toes."""
    if foot.toes is not None:
        return np.asarray(frames[:, foot.toes, :3, 3] - frames[:, foot.joint, :3, 3])
    ahead = foot.regions[1].pivot - foot.regions[0].pivot if foot.rolls else np.zeros(3)
    return np.asarray(frames[:, foot.joint, :3, :3] @ ahead)


def _bending(s: Skeleton, limb: Limb, hip: int, joint: int, frames: Array, ahead: Array) -> Iterator[_Leg]:
    """Yield how a joint bends a leg: as a rotation about the axis that it mostly bends about, or by a hinge.

    One that is straight nearly all the time bends to where the foot points.
    """
    base, tip = where(limb, frames)
    base = frames[:, hip, :3, 3] if hip >= 0 else base
    thigh, shin = frames[:, joint, :3, 3] - base, tip - frames[:, joint, :3, 3]
    usual = np.cross(ahead, thigh)
    usual /= np.maximum(np.linalg.norm(usual, axis=1), 1e-9)[:, None]
    carrier, first, dofs = _carrier(s, joint, frames), 3 + s.first_dof[joint], s.joints[joint].dofs
    if _number(s, joint) is not None:
        across = np.cross(thigh, shin)
        usual *= (np.sin(_USUAL) * np.linalg.norm(thigh, axis=1) * np.linalg.norm(shin, axis=1))[:, None] ** 2
        across = across * np.linalg.norm(across, axis=1)[:, None] + usual
        axis = np.einsum("mji,mj->i", carrier, across)
        far = float(np.linalg.norm(axis))
        if far > 0.0:
            about = carrier @ (axis / far)
            yield _Leg(limb, hip, joint, -1, base, tip, about, *_curve(about, thigh, shin))
        return
    for k in {0, len(dofs) - 1} if dofs else ():  # their axes stay where they are as the others turn
        if dofs[k].kind == HINGE:
            about = (carrier if k == 0 else frames[:, joint, :3, :3]) @ dofs[k].axis
            bend, middle, reach = _curve(about, thigh, shin)
            side = np.sign((bend * np.abs(bend) + _USUAL**2 * np.sign((about * usual).sum(axis=1))).sum())
            if side != 0.0:
                yield _Leg(limb, hip, joint, first + k, base, tip, side * about, side * bend, middle, reach)


def _curve(axis: Array, thigh: Array, shin: Array) -> tuple[Array, Array, Array]:
    """Return how far a leg is bent about an axis, and the sine curve of its squared length over that: mean and reach.

    Args:
        axis: In each pose, shape (m, 3).
        thigh: From the hip to where it bends, shape (m, 3), [m].
        shin: From there to the foot, shape (m, 3), [m].
    """
    along = (thigh * axis).sum(axis=1) * (shin * axis).sum(axis=1)
    cosine = (thigh * shin).sum(axis=1) - along
    sine = (np.cross(thigh, shin) * axis).sum(axis=1)
    middle = (thigh * thigh).sum(axis=1) + (shin * shin).sum(axis=1) + 2.0 * along
    return np.arctan2(sine, cosine), middle, np.maximum(2.0 * np.hypot(sine, cosine), 1e-12)


def _bent(s: Skeleton, poses: Array, leg: _Leg, angles: Array) -> Array:
    """Return poses with a knee bent by angles, shape (m,)."""
    now = forward_kinematics(s, poses)
    if leg.column < 0:
        return _turned(s, poses, now, leg.knee, quat.from_axis_angle(leg.axis, angles))
    joint, made = s.joints[leg.knee], poses.copy()
    dof = joint.dofs[leg.column - 3 - s.first_dof[leg.knee]]
    first = leg.column == 3 + s.first_dof[leg.knee]
    about = (_carrier(s, leg.knee, now) if first else now[:, leg.knee, :3, :3]) @ dof.axis
    made[:, leg.column] += np.sign((about * leg.axis).sum(axis=1)) * angles
    return made


def _turned(s: Skeleton, poses: Array, frames: Array, joint: int, turns: Array) -> Array:
    """Return poses with a joint turned, in the world, if it is one that turns any way.

    Args:
        s: The figure.
        poses: Shape (m, nq).
        frames: Their world frames.
        joint: The joint.
        turns: By what, quaternions, shape (m, 4).
    """
    number = _number(s, joint)
    if number is None:
        return poses
    carrier = quat.from_matrix(_carrier(s, joint, frames))
    own = quat.multiply(quat.conjugate(carrier), quat.multiply(turns, carrier))
    offset, known = np.zeros_like(poses), turns_of(s)
    axes = known.axes.taken(np.array([number]))
    offset[:, known.columns[number]] = axes.angles(own[:, None], np.zeros((len(poses), 1, 3)))[:, 0]
    return with_offset(s, poses, offset)


def _between(a: Array, b: Array) -> Array:
    """Return the least turns that take directions to others, quaternions, shape (m, 4)."""
    a, b = (each / np.maximum(np.linalg.norm(each, axis=1), 1e-9)[:, None] for each in (a, b))
    made = np.concatenate([1.0 + (a * b).sum(axis=1, keepdims=True), np.cross(a, b)], axis=1)
    return np.asarray(quat.normalize(made))


def _root(legs: Row[tuple[_Leg, Array]], goals: Row[Array], fps: float, most: float) -> Array:
    """Return the smooth way of the root that leaves knees as they are, in the sense of least squares, shape (m, 3).

    Args:
        legs: The legs.
        goals: Where their feet are wanted, shape (m, 3) each.
        fps: Frames a second.
        most: How far it may go, [m].
    """
    m, pace, length = len(goals[0]), fps / _RATE, max(leg.limb.length for leg, _ in legs)
    shaken = np.diff(np.eye(3), n=2, axis=0)[0] if m > 2 else np.zeros(3)
    bends = sparse.diags_array(shaken, offsets=(0, 1, 2), shape=(max(m - 2, 0), m))
    apart = sparse.diags_array((-1.0, 1.0), offsets=(0, 1), shape=(m - 1, m))
    smooth = sparse.kron(_SMOOTH * pace**4 * (bends.T @ bends) / length**2, sparse.eye_array(3), format="csr")
    even = (sparse.eye_array(m) + _EVEN * pace**2 * (apart.T @ apart)).tocsr()
    rows = np.arange(m + 1) * 3
    way = np.zeros(3 * m)
    for _ in range(_ROUNDS):
        part = np.linalg.norm(way.reshape(m, 3), axis=1) / most
        A = smooth + sparse.diags_array(np.repeat(_STAYS * (1.0 + _LESS * part**4) / length**2, 3))
        b = -(A @ way)
        for (leg, _), goal in zip(legs, goals, strict=True):
            off = leg.base + way.reshape(m, 3) - goal
            far = np.maximum(np.linalg.norm(off, axis=1), 1e-9)
            bend, slope = leg.soft_bend(far)
            J = sparse.csr_array(((off * (slope / far)[:, None]).reshape(-1), np.arange(3 * m), rows), shape=(m, 3 * m))
            straight = sparse.diags_array(np.minimum(np.sin(_NEARLY) / np.maximum(np.sin(leg.bend), 1e-9), 1.0))
            weighed = J.T @ (straight @ even @ straight)
            A = A + weighed @ J
            b -= weighed @ (bend - np.maximum(leg.bend, _STRAIGHT))
        found = sparse.coo_array(A)
        banded = np.zeros((9, 3 * m))
        low = found.row >= found.col
        np.add.at(banded, (found.row[low] - found.col[low], found.col[low]), found.data[low])
        way += solveh_banded(banded, b, lower=True)
        far = np.linalg.norm(way.reshape(m, 3), axis=1)
        way *= np.repeat(np.minimum(1.0, most / np.maximum(far, 1e-9)), 3)
    return way.reshape(m, 3)
