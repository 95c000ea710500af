"""What legs do in a step, measured from places of joints, so that recorded and made walks compare whatever their rigs.

Angles are those of segments in the plane of travel; a foot lands where it is farthest before the pelvis (Zeni, Richards
and Higginson 2008, "Two simple methods for determining gait events during treadmill and overground walking using
kinematic data", Gait & Posture 27, 710-714).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from scipy.ndimage import gaussian_filter1d
from scipy.signal import find_peaks

from core.animation.sequence import Sequence
from core.arrays import Array, Ints
from core.kinematics.forward import forward_kinematics
from core.skeleton import Skeleton
from core.skeleton.segment import segment_tip

PHASES = 101
CURVES = ("hip", "knee", "ankle", "rise", "surge")
"""Thigh before the vertical, bend of the knee, foot up against the shank, [deg]; how high the hips' middle is over its
mean, and how far it is ahead of one that goes evenly, [% of the leg]."""


class Rig(NamedTuple):
    """The joints of two legs: of the left and the right one, each hip, knee, ankle, and what carries the toes' end."""

    legs: tuple[tuple[int, int, int], tuple[int, int, int]]
    toes: tuple[tuple[int, Array], tuple[int, Array]]


class Strides(NamedTuple):
    """What legs do in strides of a walk.

    Attributes:
        curves: Of each stride the curves in the order of ``CURVES``, from where its foot lands to where it lands again,
            shape (n, 5, ``PHASES``).
        speed: Mean speed, over the root of gravity times the leg.
        step: Mean length of a step, of the leg.
        leave: When the foot leaves the ground, of a stride, in the mean.
        leg: Length of thigh and shank, [m].
    """

    curves: Array
    speed: float
    step: float
    leave: float
    leg: float

    @property
    def mean(self) -> Array:
        """The mean curves, shape (5, ``PHASES``)."""
        return np.asarray(self.curves.mean(axis=0))


def rig_of(s: Skeleton, names: Iterable[tuple[str, str, str, str | None]]) -> Rig:
    """Return the legs of a figure by the names of hip, knee, ankle and toes; without toes by the end of the foot."""
    legs, toes = [], []
    for hip, knee, ankle, toe in names:
        legs.append((s.joint_index(hip), s.joint_index(knee), s.joint_index(ankle)))
        if toe is None:
            toes.append((legs[-1][2], segment_tip(s, legs[-1][2])))
        else:
            toes.append((s.joint_index(toe), np.zeros(3)))
    return Rig((legs[0], legs[1]), (toes[0], toes[1]))


def strides_of(sequence: Sequence, rig: Rig, first: float, last: float, rate: float = 120.0) -> Strides:
    """Return the strides of a walk on level ground along a straight line, between two frames.

    Args:
        sequence: The walk.
        rig: Its legs.
        first: First frame.
        last: Last frame.
        rate: Samples a second.
    """
    frames = np.arange(first, last + 1e-9, sequence.fps / rate)
    X = forward_kinematics(sequence.skeleton, sequence.poses_at_frames(frames))
    middle = 0.5 * (X[:, rig.legs[0][0], :3, 3] + X[:, rig.legs[1][0], :3, 3])
    way = (middle[-1] - middle[0])[[0, 2]]
    ahead = np.array([way[0], 0.0, way[1]]) / np.linalg.norm(way)
    up = np.array([0.0, 1.0, 0.0])
    # Legs as the rig has them in the mean: bones may be of slightly changing length.
    leg = float(np.mean([
        np.linalg.norm(X[:, b, :3, 3] - X[:, a, :3, 3], axis=1).mean()
        for line in rig.legs for a, b in ((line[0], line[1]), (line[1], line[2]))
    ]) * 2.0)  # fmt: skip
    speed = float(np.linalg.norm(way)) / (len(frames) - 1) * rate
    found, lengths, leaves = [], [], []
    for side in (0, 1):
        hip, knee, ankle = (X[:, j, :3, 3] for j in rig.legs[side])
        j, tip = rig.toes[side]
        toe = X[:, j, :3, :3] @ tip + X[:, j, :3, 3]
        thigh, shank, foot = knee - hip, ankle - knee, toe - ankle
        hip_angle = np.degrees(np.arctan2(thigh @ ahead, -(thigh @ up)))
        shank_angle = np.degrees(np.arctan2(shank @ ahead, -(shank @ up)))
        pitch = np.degrees(np.arctan2(foot @ up, foot @ ahead))
        lands, lifts = _events((ankle - middle) @ ahead, rate)
        for a, b in itertools.pairwise(lands):
            inside = lifts[(lifts > a) & (lifts < b)]
            if not len(inside):
                continue
            leaves.append((inside[0] - a) / (b - a))
            lengths.append(float((ankle[b] - ankle[a]) @ ahead) / 2.0)
            at = np.linspace(a, b, PHASES)

            def sampled(values: Array, at: Array = at) -> Array:
                return np.interp(at, np.arange(len(values)), values)

            level = sampled(pitch)[15:30].mean()  # flat on the ground there
            rise = 100.0 * sampled(middle @ up) / leg
            gone = 100.0 * sampled(middle @ ahead) / leg
            surge = gone - np.linspace(gone[0], gone[-1], PHASES)
            found.append([
                sampled(hip_angle), sampled(hip_angle - shank_angle), sampled(pitch) - level - sampled(shank_angle),
                rise - rise.mean(), surge - surge.mean(),
            ])  # fmt: skip
    size = np.sqrt(9.81 * leg)
    return Strides(np.array(found), speed / size, float(np.mean(lengths)) / leg, float(np.mean(leaves)), leg)


def _events(before: Array, rate: float) -> tuple[Ints, Ints]:
    """Return where a foot lands and where it leaves, by how far it is before the pelvis."""
    smooth = gaussian_filter1d(before, 0.02 * rate)
    apart, tall = max(int(0.5 * rate), 1), 0.3 * float(np.ptp(smooth))
    lands, lifts = (find_peaks(sign * smooth, distance=apart, prominence=tall)[0] for sign in (1.0, -1.0))
    return lands, lifts
