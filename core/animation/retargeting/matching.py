"""How the parts of one figure are turned when those of another are: by poses of both that look alike.

Figures are made in different poses, one with its arms at its sides, another with them spread. So each of the target's
parts is turned, in thought, until its bone points as that of the source does in the pose that figure was made in, the
shortest way round. From there on both turn alike: ``R_target = R_source S^T A T`` with rotations ``S`` and ``T`` of
the parts in the poses they were made in and ``A`` that turn. Feet are turned about the vertical only, as both figures
stand with their soles on the floor. So is the base of a figure without legs if the other one has some, as its wheels
stay on the floor.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from core.animation.retargeting.pairs import anatomy_of, part_of, rolls
from core.arrays import Array
from core.skeleton.anatomy import Anatomy
from core.skeleton.named_parts import (
    CLAVICLE,
    FOOT,
    FOREARM,
    HAND,
    HEAD,
    NECK,
    PELVIS,
    SHANK,
    THIGH,
    TOE,
    TRUNK,
    UPPER_ARM,
)
from core.skeleton.segment import segment_tip
from core.skeleton.skeleton import Skeleton
from core.spatial import quaternion as quat
from core.spatial import so3

_BY_BODY = (PELVIS, TRUNK, NECK, HEAD)
"""Parts whose bones point differently in all figures, and yet stand alike: the axes of the body are matched."""
_ON_THE_FLOOR = (FOOT, TOE)
_LEVEL = 0.3  # of a bone's length: a foot that points less far ahead says nothing of its way

_STEADY = 0.9  # of a mean of directions: a foot whose mean is shorter is not level where it stands

BONE = 4.0
"""How much more the direction of a bone counts than its turn about itself."""
_WEIGHTS = {PELVIS: 100.0, TRUNK: 20.0, NECK: 2.0, HEAD: 3.0, CLAVICLE: 2.0, UPPER_ARM: 2.0, FOREARM: 2.0, THIGH: 3.0,
            SHANK: 2.0, FOOT: 2.0}  # fmt: skip
_LEVEL_BASE = 1e5  # the same of the base of a figure without legs, which stays level


def rotations(frames: Array) -> Array:
    """Return the rotations of frames that may be scaled, shape (..., 3, 3)."""
    U, _, V = np.linalg.svd(frames[..., :3, :3])
    U[..., -1] *= np.where(np.linalg.det(U @ V) < 0.0, -1.0, 1.0)[..., None]
    return np.asarray(U @ V)


def bone(s: Skeleton, anatomy: Anatomy, joint: int, frames: Array) -> Array:
    """Return the direction of a joint's bone in the world, shape (3,): to the next joint of its limb, else to its tip.

    Args:
        s: The figure.
        anatomy: What its joints are.
        joint: Number of the joint.
        frames: World frames of all joints, shape (n, 4, 4).
    """
    at = frames[joint, :3, 3]
    following = anatomy.next[joint] if anatomy.next else -1
    if following < 0:
        inner = [k for k in s.children[joint] if np.linalg.norm(frames[k, :3, 3] - at) > 1e-6]
        following = inner[0] if len(inner) == 1 else -1
    if following >= 0:
        way = frames[following, :3, 3] - at
    else:
        inner = [k for k in s.children[joint] if anatomy.parts[k] == anatomy.parts[joint]]
        far = [frames[k, :3, 3] for k in inner] or [frames[joint, :3, :3] @ segment_tip(s, joint) + at]
        way = np.mean(far, axis=0) - at
    length = float(np.linalg.norm(way))
    return way / length if length > 1e-9 else np.zeros(3)


def _shortest(a: Array, b: Array) -> Array:
    """Return the shortest rotation of one unit vector onto another, shape (3, 3)."""
    c, axis = float(a @ b), np.cross(a, b)
    s = float(np.linalg.norm(axis))
    if s < 1e-12:
        if c > 0.0:
            return np.eye(3)
        side = np.eye(3)[int(np.argmin(np.abs(a)))]
        across = np.cross(a, side)
        return so3.axis_rotation(across / np.linalg.norm(across), np.pi)
    return so3.axis_rotation(axis / s, float(np.arctan2(s, c)))


class Matching:
    """What turns of the source's parts mean for those of the target.

    Args:
        source: The figure that the motion is of.
        target: The figure that is to move likewise.
        joints: The source's joint for each of the target's that has one, by number.

    Attributes:
        weights: How much it counts along the axes of each of the target's parts that it turns as wanted, in its frame,
            shape (n, 3, 3); zero for those that go along.
    """

    def __init__(self, source: Skeleton, target: Skeleton, joints: Mapping[int, int]):
        self.source, self.target, self.joints = source, target, dict(joints)
        here, there = anatomy_of(source), anatomy_of(target)
        S, T = here.frames, there.frames
        Rs, Rt = rotations(S), rotations(T)
        body = _body(here) @ _body(there).T
        self.weights = np.zeros((len(target.joints), 3, 3))
        self._turns: dict[int, Array] = {}
        turned: dict[int, Array] = {}
        for b in sorted(self.joints):
            a = self.joints[b]
            part = part_of(target, b)
            own, other = bone(target, there, b, T), bone(source, here, a, S)
            if part in _BY_BODY or not own.any() or not other.any() or b == 0:
                A = body
            elif part in _ON_THE_FLOOR:
                A = turned.get(self._above(b), body) if part == TOE else _level(body @ own, other, here.up) @ body
            else:
                A = _shortest(body @ own, other) @ body
                if part == HAND and np.degrees(np.arccos(np.clip(own @ self._bone_above(there, b, T), -1, 1))) > 60.0:
                    A = turned.get(self._above(b), A)
            turned[b] = A
            self._turns[b] = Rs[a].T @ A @ Rt[b]
            along = Rt[b].T @ own
            weight = _WEIGHTS.get(part, 1.0)
            self.weights[b] = weight * (np.eye(3) + BONE * np.outer(along, along))
        self._whole = self._unbent()
        self._between = self._shared()
        for b in self._between:
            self.weights[b] = np.eye(3)
        self._level = rolls(source, target) and 0 in self.joints
        if self._level:
            self.weights[0] = _LEVEL_BASE * np.eye(3)

    def stand(self, joint: int, frames: Array) -> None:
        """Let a foot be level on average where the source's stands flat, whatever pose that was made in.

        Args:
            joint: Number of the target's joint.
            frames: World frames of the source's joint where it stands flat, shape (m, 4, 4).
        """
        up = rotations(frames).mean(axis=0)[1]
        own = rotations(anatomy_of(self.target).frames[joint])[1]
        length = float(np.linalg.norm(up))
        if length > _STEADY:
            self._turns[joint] = _shortest(self._turns[joint] @ own, up / length) @ self._turns[joint]

    def _above(self, joint: int) -> int:
        """Return the nearest joint above that is paired, -1 if there is none."""
        joint = self.target.joints[joint].parent
        while joint >= 0 and joint not in self.joints:
            joint = self.target.joints[joint].parent
        return joint

    def _bone_above(self, anatomy: Anatomy, joint: int, frames: Array) -> Array:
        above = self._above(joint)
        return bone(self.target, anatomy, above, frames) if above >= 0 else np.zeros(3)

    def _unbent(self) -> dict[int, tuple[int, Array]]:
        """Return the limbs that cannot bend where the source's do: the joint at their end, and the way of their bone.

        An arm without an elbow points to where the source's hand is.
        """
        there = anatomy_of(self.target)
        found: dict[int, tuple[int, Array]] = {}
        for end in self.joints:
            above = self._above(end)
            upper = UPPER_ARM if there.parts[end] == HAND else THIGH
            if there.parts[end] in (HAND, FOOT) and above >= 0 and there.parts[above] == upper:
                own = bone(self.target, there, above, there.frames)
                found[above] = (end, rotations(there.frames[above]).T @ own)
        return found

    def _shared(self) -> dict[int, tuple[int, int, float]]:
        """Return the unpaired joints between two paired ones in a row: those above and below, and how far between."""
        found: dict[int, tuple[int, int, float]] = {}
        for low in self.joints:
            row = []
            joint = self.target.joints[low].parent
            while joint >= 0 and joint not in self.joints:
                row.append(joint)
                joint = self.target.joints[joint].parent
            if joint < 0:
                continue
            for k, between in enumerate(row):
                if self.target.joints[between].dofs:
                    found.setdefault(between, (joint, low, 1.0 - (k + 1) / (len(row) + 1)))
        return found

    def wanted(self, frames: Array) -> Array:
        """Return the rotation that is wanted of each of the target's parts, shape (m, n, 3, 3).

        Args:
            frames: World frames of the source's joints in its poses, shape (m, k, 4, 4).
        """
        own = rotations(frames[:, list(self.joints.values())])
        made = np.broadcast_to(np.eye(3), (len(frames), len(self.target.joints), 3, 3)).copy()
        for column, b in enumerate(self.joints):
            made[:, b] = own[:, column] @ self._turns[b]
        if self._level:
            rest = rotations(anatomy_of(self.target).frames[0])
            made[:, 0] = _headings(made[:, 0] @ rest.T) @ rest
        for b, (end, along) in self._whole.items():
            way = frames[:, self.joints[end], :3, 3] - frames[:, self.joints[b], :3, 3]
            length = np.linalg.norm(way, axis=1, keepdims=True)
            now, then = made[:, b] @ along, np.divide(way, length, out=made[:, b] @ along, where=length > 1e-9)
            axis, c = np.cross(now, then), np.sum(now * then, axis=1)
            s = np.linalg.norm(axis, axis=1)
            turn = np.divide(np.arctan2(s, c), s, out=np.zeros_like(s), where=s > 1e-12)
            made[:, b] = so3.exp(axis * turn[:, None]) @ made[:, b]
        T = rotations(anatomy_of(self.target).frames)
        for b, (above, below, share) in self._between.items():
            low, high = (quat.from_matrix(made[:, k] @ T[k].T) for k in (above, below))
            made[:, b] = quat.to_matrix(quat.slerp(low, high, share)) @ T[b]
        return made


def _body(anatomy: Anatomy) -> Array:
    """Return the axes of a body as a rotation: to its left, upwards and ahead."""
    return np.stack([anatomy.left, anatomy.up, anatomy.forward], axis=1)


def _headings(turns: Array) -> Array:
    """Return the rotations about the vertical that are nearest to some, shape (m, 3, 3)."""
    angles = np.arctan2(turns[:, 0, 2] - turns[:, 2, 0], turns[:, 0, 0] + turns[:, 2, 2])
    return np.asarray(so3.exp(angles[:, None] * np.array([0.0, 1.0, 0.0])))


def _level(a: Array, b: Array, up: Array) -> Array:
    """Return the rotation about the vertical that lets one direction point the way of another, shape (3, 3)."""
    a, b = a - up * float(a @ up), b - up * float(b @ up)
    if np.linalg.norm(a) < _LEVEL or np.linalg.norm(b) < _LEVEL:
        return np.eye(3)
    angle = np.arctan2(float(np.cross(a, b) @ up), float(a @ b))
    return so3.axis_rotation(up, float(angle))
