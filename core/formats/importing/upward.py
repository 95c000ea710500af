"""Which axis of a motion file points upwards, found in its data.

Three clues decide it: where the trunk of a person points at rest, where it points while it moves, and along which axis
the feet come down to one height again and again. No single one of them is enough: people lie, files rest in odd poses,
and recordings float. The axis that most of them agree on is taken; it is sure if no other one comes near.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from core.arrays import Array
from core.formats.importing.anatomy import (
    FOOT,
    HEAD,
    NECK,
    SHANK,
    THIGH,
    TOE,
    UPPER_ARM,
    Anatomy,
    find_anatomy,
)
from core.formats.importing.choices import UPS
from core.kinematics import forward_kinematics
from core.skeleton import Skeleton
from core.skeleton.frames import frames_at

SAMPLES = 60
"""Poses of a motion that are looked at, at most."""

_CONVENTION = "y"
_AXIAL = 0.9  # cosine: a direction nearer to an axis than this points along it
_BIPED = 0.64  # cosine of 50 degrees: how far legs may hang from opposite to the trunk
_GROUND = 0.5  # weight of the feet's heights; trunk at rest and trunk in motion count 1 each
_STEADY = 0.08  # of the figure's size: scatter of the lowest point of a figure that walks on a floor
_MARGIN = 0.35  # between the best axis and the next one

_AXES = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [-1, 0, 0], [0, -1, 0], [0, 0, -1]], dtype=np.float64)
_TURNS = {
    "y": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "z": [[1, 0, 0], [0, 0, 1], [0, -1, 0]],
    "-z": [[1, 0, 0], [0, 0, -1], [0, 1, 0]],
    "x": [[0, -1, 0], [1, 0, 0], [0, 0, 1]],
    "-x": [[0, 1, 0], [-1, 0, 0], [0, 0, 1]],
    "-y": [[1, 0, 0], [0, -1, 0], [0, 0, -1]],
}


class Upward(NamedTuple):
    """What was found.

    Attributes:
        axis: One of ``UPS``.
        sure: Whether nothing speaks for another one.
    """

    axis: str
    sure: bool


def upright(up: str) -> Array:
    """Return the quarter turns that bring a file's upward axis to +y, shape (3, 3), a signed permutation."""
    return np.array(_TURNS[up], dtype=np.float64)


def sampled(rows: Array, most: int = SAMPLES) -> Array:
    """Return at most ``most`` rows, evenly over all of them, the first and the last included."""
    if len(rows) <= most:
        return rows
    return rows[np.unique(np.linspace(0, len(rows) - 1, most).round().astype(int))]


def find_up(figure: Skeleton, q: Array) -> Upward:
    """Return the axis of a figure's file that points upwards.

    A figure that is not known for a person, or has no size, is taken to stand along y.

    Args:
        figure: The figure as its file has it, bare, in any unit.
        q: Poses of its motion, shape (m, nq), a few are enough; none for a figure alone.
    """
    rest = frames_at(figure, np.zeros(figure.n_dofs))
    anatomy = find_anatomy(figure, rest)
    if not anatomy.human:
        return Upward(_CONVENTION, True)
    body = _Body(figure, anatomy)
    at_rest = body.upward(rest[None, :, :3, 3])[0]
    resting = next((up for up, axis in zip(UPS, _AXES, strict=True) if float(at_rest @ axis) > _AXIAL), None)
    scores = np.zeros(len(UPS))
    if resting is not None:
        scores[UPS.index(resting)] += 1.0
    if len(q):
        places = forward_kinematics(figure, sampled(q))[..., :3, 3]
        directions = body.upward(places)
        scores += np.clip(directions @ _AXES.T, 0.0, None).mean(axis=0)
        scores += _GROUND * np.array([body.stands(places, axis) for axis in _AXES])
    order = np.argsort(-scores, kind="stable")
    best, second = int(order[0]), int(order[1])
    if scores[best] <= 0.0:
        return Upward(_CONVENTION, False)
    if len(q) and resting is not None and UPS[best] not in (resting, _CONVENTION):
        # Somebody lies, or the file rests in other axes than it moves in.
        return Upward(_CONVENTION if resting == _CONVENTION else UPS[best], False)
    if scores[best] - scores[second] >= _MARGIN:
        return Upward(UPS[best], True)
    near = scores[UPS.index(_CONVENTION)] > scores[best] - _MARGIN
    return Upward(_CONVENTION if near else UPS[best], False)


class _Body:
    """Where a person's hips, shoulders and feet are.

    Args:
        figure: The figure.
        anatomy: What its joints are.
    """

    def __init__(self, figure: Skeleton, anatomy: Anatomy):
        self.hips = _beginnings(figure, anatomy, THIGH)
        self.shoulders = anatomy.having(NECK, HEAD) or _beginnings(figure, anatomy, UPPER_ARM)
        self.feet = anatomy.having(FOOT) or [chain[-1] for chain in anatomy.chains.values()]
        self.low = anatomy.having(FOOT, TOE) or anatomy.having(SHANK)
        at = anatomy.frames[:, :3, 3]
        self.size = max(float(np.ptp(at, axis=0).max()), 1e-300)
        trunk, legs = self._parts(at[None])
        # An animal on four legs has its trunk along the ground; its legs decide.
        self.biped = float(trunk[0] @ legs[0]) > _BIPED

    def _parts(self, places: Array) -> tuple[Array, Array]:
        """Return the directions of the trunk and of the legs, both upwards, shape (m, 3) each."""
        hips = places[:, self.hips].mean(axis=1)
        trunk = places[:, self.shoulders].mean(axis=1) - hips
        legs = hips - places[:, self.feet].mean(axis=1)
        return _units(trunk), _units(legs)

    def upward(self, places: Array) -> Array:
        """Return where the body's own upward direction points, shape (m, 3), unit vectors or zero."""
        trunk, legs = self._parts(places)
        return trunk if self.biped else legs

    def stands(self, places: Array, axis: Array) -> float:
        """Return from 0 to 1 how far the figure stands on a floor at right angles to ``axis``."""
        heights = places @ axis
        lowest = heights.min(axis=1)
        on_feet = float(np.mean(heights[:, self.low].min(axis=1) <= lowest + 1e-6 * self.size))
        return on_feet * float(np.exp(-np.std(lowest) / (_STEADY * self.size)))


def _beginnings(figure: Skeleton, anatomy: Anatomy, part: str) -> list[int]:
    """The joints at which limbs of one kind begin."""
    return [i for i in anatomy.chains if anatomy.parts[i] == part]


def _units(vectors: Array) -> Array:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0.0)
