"""The offsets of one layer over time.

A layer's keys are interpolated as all keys are: values by their tangents, rotations as splines of rotations.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from core.animation.curves.tracks import Tracks
from core.animation.layers.layer import Layer
from core.animation.layers.offsets import scaled_offset, turns_of
from core.arrays import Array, Bools

MOST_KEYS = 400
"""Layers with more keys, as recorded ones have, are worked out span by span as they are asked for."""


class LayerTrack:
    """The offsets of one layer over time.

    Args:
        layer: The layer, which has keys.
        before: What it was before; what stays the same is taken over.

    Attributes:
        layer: The layer.
        tracks: The curves through its keys.
        moves: Which values of a pose it moves, shape (nq,).
    """

    def __init__(self, layer: Layer, before: LayerTrack | None = None):
        self.layer = layer
        old = None if before is None else before.tracks
        same = before is not None and before.layer.keys is layer.keys
        self.tracks: Tracks = (
            old if same and old is not None else Tracks(layer.skeleton, layer.keys, old, bounded=False)
        )
        self.moves: Bools = layer.moves

    @property
    def fits(self) -> bool:
        """Whether a kernel may add it: without eases, few keys, and no turn of more than half a turn."""
        keys, turns = self.layer.keys, turns_of(self.layer.skeleton)
        if len(keys) > MOST_KEYS or self.tracks.eased:
            return False
        most = np.abs([key.q[turns.columns] for key in keys]).max(initial=0.0)
        return bool(most <= np.pi)

    @cached_property
    def packed(self) -> tuple[Array, ...]:
        """Its spans as the kernel takes them."""
        return self.tracks.packed(turns_of(self.layer.skeleton).compounds)

    def offsets(self, frames: Array) -> Array:
        """Return its offsets at frames, the weight not counted, shape (m, nq); zero for what it does not move."""
        return np.where(self.moves, self.tracks.poses_at(frames), 0.0)

    def weighted(self, frames: Array) -> Array:
        """Return what it adds at frames, shape (m, nq)."""
        return scaled_offset(self.layer.skeleton, self.offsets(frames), self.layer.weights_at(frames)[:, None])
