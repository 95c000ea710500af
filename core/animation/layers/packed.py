"""Layers as the kernel takes them: all spans between their keys worked out once, in arrays beside each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.animation.layers import layers_kernel
from core.animation.layers.offsets import turns_of
from core.animation.layers.track import LayerTrack
from core.arrays import Array
from core.kernels import serving
from core.skeleton import Skeleton
from core.skeleton.clamp import clamp_cones
from core.skeleton.cones import cones_of
from core.skeleton.following import followed, follows_of


class PackedLayers:
    """Layers of one figure that the kernel adds.

    Args:
        skeleton: The figure.
        tracks: The layers, those that act first first; each one that ``fits``.
    """

    def __init__(self, skeleton: Skeleton, tracks: Sequence[LayerTrack]):
        self._skeleton = skeleton
        turns, cones = turns_of(skeleton), cones_of(skeleton)
        packed = [track.packed for track in tracks]
        begins, spans, cubics, arcs, by_angle = (np.concatenate([own[i] for own in packed]) for i in range(5))
        self._arrays = tuple(map(np.ascontiguousarray, (begins, spans, cubics, _arcs(arcs), by_angle)))
        self._first = np.cumsum([0, *(len(own[0]) for own in packed)]).astype(np.int64)
        self._moves = np.array([track.moves for track in tracks], dtype=np.float64)
        self._columns = np.ascontiguousarray(turns.columns, dtype=np.int64).reshape(-1, 3)
        self._plain = np.setdiff1d(np.arange(skeleton.nq), turns.columns).astype(np.int64)
        e = turns.axes.axes.reshape(-1, 3, 3)
        self._axes = np.ascontiguousarray(e)
        self._across = np.ascontiguousarray(np.stack([e[:, 1], np.cross(e[:, 0], e[:, 1])], axis=1))
        # e_1 . R_2(s) e_3 = p cos s + r sin s, neighbouring axes being at right angles, with p^2 + r^2 = 1.
        p, r = (e[:, 0] * e[:, 2]).sum(axis=1), (e[:, 0] * np.cross(e[:, 1], e[:, 2])).sum(axis=1)
        self._phases = np.arctan2(r, p)
        self._limits = np.array([np.full(skeleton.nq, -np.inf), np.full(skeleton.nq, np.inf)])
        self._limits[:, 3:] = skeleton.limits.T
        self._cones = np.ascontiguousarray(cones.columns, dtype=np.int64).reshape(-1, 2)
        self._cosines = np.ascontiguousarray(cones.cosines, dtype=np.float64)
        curves = [track.layer.weight_curve for track in tracks]
        self._weights = np.ascontiguousarray(np.concatenate(curves))
        self._weighed = np.cumsum([0, *map(len, curves)]).astype(np.int64)
        self._work = np.empty((max(len(turns), 1), layers_kernel.WORK))

    def added(self, frames: Array, poses: Array) -> Array:
        """Return poses with the layers added, inside limits and cones; see ``LayerMotion.added``."""
        made = poses.copy()
        outside = serving(layers_kernel).add(
            np.ascontiguousarray(poses), made, frames, self._weights, self._weighed, self._first, *self._arrays,
            self._moves, self._columns, self._plain, self._axes, self._across, self._phases, self._limits,
            self._cones, self._cosines, self._work,
        )  # fmt: skip
        if outside:
            made = clamp_cones(self._skeleton, made, poses)
        return followed(self._skeleton, made) if follows_of(self._skeleton) else made


def _arcs(arcs: Array) -> Array:
    """Return arcs as the kernel takes them, shape (n, t, 16), of those with half rotation vectors, shape (n, t, 14)."""
    found = np.zeros((*arcs.shape[:2], 16))
    for i, k in ((0, 0), (7, 8)):
        way = arcs[..., i + 4 : i + 7]
        half = np.linalg.norm(way, axis=-1)
        found[..., k : k + 4], found[..., k + 4] = arcs[..., i : i + 4], half
        found[..., k + 5 : k + 8] = way / np.maximum(half, 5e-324)[..., None]
    return found
