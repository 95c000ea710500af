"""The motion of layers: their offsets at every time, and poses with these added.

A layer's keys are interpolated as all keys are: values by their tangents, rotations as splines of rotations. Limits do
not bound offsets; the poses that they make are brought inside them once all layers are added.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from core.animation.channels import channels_of
from core.animation.layers.layer import Layer, Layers
from core.animation.layers.offsets import kept_inside, offset_between, scaled_offset, with_offset
from core.animation.layers.packed import PackedLayers
from core.animation.layers.track import LayerTrack
from core.arrays import Array, Bools
from core.skeleton import Skeleton


def acting(layers: Iterable[Layer]) -> Layers:
    """Return the layers that act: not muted, with keys, and if some are solo those alone."""
    there = [layer for layer in layers if not layer.muted]
    solo = [layer for layer in there if layer.solo]
    return tuple(layer for layer in (solo or there) if layer.keys)


class LayerMotion:
    """What the layers of a sequence add to it.

    Args:
        skeleton: The figure.
        layers: All layers, those that act first first.
        before: What they were before.
    """

    def __init__(self, skeleton: Skeleton, layers: Layers, before: LayerMotion | None = None):
        self.skeleton, self.layers = skeleton, layers
        old: dict[str, LayerTrack] = {} if before is None or before.skeleton is not skeleton else before._known
        self._tracks = [LayerTrack(layer, old.get(layer.id)) for layer in acting(layers)]
        self._known: dict[str, LayerTrack] = {id: old[id] for id in old if any(layer.id == id for layer in layers)}
        self._known.update({track.layer.id: track for track in self._tracks})
        moves = np.zeros(skeleton.nq, dtype=bool)
        for track in self._tracks:
            moves |= track.moves
        self.moves: Bools = moves
        fit = bool(self._tracks) and all(track.fits for track in self._tracks)
        self._packed = PackedLayers(skeleton, self._tracks) if fit else None

    def added(self, frames: Array, poses: Array) -> Array:
        """Return poses with the layers added, inside limits and cones, shape (m, nq).

        Args:
            frames: Frame numbers, shape (m,).
            poses: The poses there without layers, shape (m, nq); where nothing is added they stay, bit for bit.
        """
        if not self.moves.any() or not len(frames):
            return poses
        if self._packed is not None:
            return self._packed.added(frames, poses)
        return self.added_plainly(frames, poses)

    def added_plainly(self, frames: Array, poses: Array) -> Array:
        """Return the same as ``added``, layer by layer: for any layers, and to compare the kernel with."""
        made = poses
        for track in self._tracks:
            made = with_offset(self.skeleton, made, track.weighted(frames))
        return kept_inside(self.skeleton, made, poses)

    def offset_for(self, layer: Layer, frame: float, below: Array, wanted: Array) -> Array:
        """Return the offset that a layer must have at a frame for the pose there to be another one, shape (nq,).

        Args:
            layer: The layer; it acts if it has keys, and has some weight at the frame.
            frame: The frame.
            below: The pose there without layers, shape (nq,).
            wanted: The pose that is to be seen, likewise.
        """
        at, passed, made, rest = np.array([float(frame)]), False, below, []
        order = {each.id: i for i, each in enumerate(self.layers)}
        for track in self._tracks:
            if track.layer.id == layer.id:
                continue
            passed = order[track.layer.id] > order[layer.id]
            if passed:
                rest.append(track.weighted(at)[0])
            else:
                made = with_offset(self.skeleton, made, track.weighted(at)[0])
        zero, pose = np.zeros(self.skeleton.nq), wanted
        for offset in reversed(rest):
            pose = with_offset(self.skeleton, pose, offset_between(self.skeleton, offset, zero))
        offset = offset_between(self.skeleton, made, pose)
        return scaled_offset(self.skeleton, offset, 1.0 / layer.weight_at(frame))

    def without(self, frame: float, shown: Array, below: Array, wanted: Array) -> Array:
        """Return the pose that the keys must have at a frame for the pose there to be another one, shape (nq,).

        Args:
            frame: The frame.
            shown: The pose that is seen there, shape (nq,).
            below: The pose there without layers: joints that are not to change keep its values, bit for bit.
            wanted: The pose that is to be seen.
        """
        if not self.moves.any():
            return wanted
        at, zero, pose = np.array([float(frame)]), np.zeros(self.skeleton.nq), wanted
        for track in reversed(self._tracks):
            back = offset_between(self.skeleton, track.weighted(at)[0], zero)
            pose = with_offset(self.skeleton, pose, back)
        channels = channels_of(self.skeleton)
        changed = np.zeros(len(channels), dtype=bool)
        changed[channels.of_value[wanted != shown]] = True
        return np.where(changed[channels.of_value], pose, below)

    def offset_of(self, layer: Layer, frame: float) -> Array:
        """Return the offset that a layer has at a frame, whether it acts or not, shape (nq,)."""
        if not layer.keys:
            return np.zeros(self.skeleton.nq)
        track = self._known.get(layer.id)
        if track is None or track.layer is not layer:
            track = LayerTrack(layer, track)
        keyed = np.asarray(layer.keys.table.keyed.any(axis=0))[channels_of(self.skeleton).of_value]
        return np.where(keyed, track.tracks.pose(float(frame)), 0.0)
