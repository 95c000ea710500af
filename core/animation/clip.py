"""A clip: keys taken from a sequence, to be put in elsewhere."""

from __future__ import annotations

from collections.abc import Sequence as Seq
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.animation import hybrid_strips as hybrids
from core.animation.carried_keys import ChannelMap
from core.animation.channels import Channels, channels_of
from core.animation.hybrid_strips import HybridStrip, checked_hybrid_strips
from core.animation.key import Key
from core.animation.key_parts import Names, Parts, part_of
from core.animation.locks.strip import LockStrip, checked_strips, cut_out
from core.constraints import mirrored_lock
from core.errors import PoseError
from core.skeleton import Skeleton
from core.skeleton.clamp import clamp_cones
from core.skeleton.mirroring.pose_mirror import pose_mirror


@dataclass(frozen=True)
class Clip:
    """Keys copied from a range of frames.

    Attributes:
        keys: Keys sorted by frame; their frames count from the first frame of the range.
        length: Number of frames from the first to the last frame of the range.
        joint_names: Joints of the figure the keys belong to; a clip fits figures with the same ones.
        strips: Lock strips over the range, cut off at its ends; their frames count likewise.
        dof_names: Degrees of freedom of that figure, as ``Skeleton.dof_names``: what poses of other figures go by.
        channels_of_values: Name of the channel of each value of its poses.
        hybrid_strips: Hybrid strips over the range likewise.
        offsets: Whether its keys are those of a layer, whose poses are offsets.
    """

    keys: tuple[Key, ...]
    length: int
    joint_names: tuple[str, ...] = ()
    strips: tuple[LockStrip, ...] = ()
    dof_names: tuple[str, ...] = ()
    channels_of_values: tuple[str, ...] = ()
    hybrid_strips: tuple[HybridStrip, ...] = ()
    offsets: bool = False

    @property
    def channels(self) -> Names:
        """Names of the channels that a key of it holds; None for all."""
        found: set[str] = set()
        for key in self.keys:
            if key.keyed is None:
                return None
            found |= key.keyed
        return frozenset(found) if found else None

    def check(self, skeleton: Skeleton) -> None:
        """Check that the keys fit a figure.

        Raises:
            PoseError: If it has other joints, or a pose has another length.
        """
        if self.joint_names and self.joint_names != skeleton.joint_names:
            strange = [name for name in self.joint_names if name not in skeleton.joint_names]
            what = f'joint "{strange[0]}" is not in it' if strange else "its joints are not all the same"
            raise PoseError(f'these keys are of another figure than "{skeleton.name}": {what}')
        for key in self.keys:
            skeleton.check_pose(key.q)
        checked_strips(self.strips, skeleton, "these keys")
        checked_hybrid_strips(self.hybrid_strips, skeleton, "these keys")

    def fitted(self, skeleton: Skeleton) -> Clip:
        """Return the clip for a figure: as it is if the figure has the same degrees of freedom, else by their names.

        Keys then hold the channels whose values are all found; locks stay behind.

        Raises:
            PoseError: If the figure shares no joint that moves but the root.
        """
        channels = channels_of(skeleton)
        if not self.dof_names or self.dof_names == skeleton.dof_names:
            self.check(skeleton)
            names = tuple(channels.names[number] for number in channels.of_value)
            if not self.channels_of_values or self.channels_of_values == names:
                return self
        map = self._map(channels, skeleton.dof_names, skeleton.joint_names)
        keys = []
        for key in self.keys:
            values = np.append(key.q, 0.0)[map.columns]
            rest = np.zeros(skeleton.nq) if self.offsets else skeleton.rest_pose()
            made = map.key(key, np.where(map.columns >= 0, values, rest))
            whole = frozenset(name for name, own in zip(channels.names, map.sources, strict=True) if own)
            if made is not None and made.keyed is None:
                made = part_of(made, channels, whole)
            if made is not None:
                keys.append(made)
        same = self.dof_names == skeleton.dof_names
        return replace(
            self,
            keys=tuple(keys),
            strips=self.strips if same else (),
            hybrid_strips=self.hybrid_strips if same else (),
            joint_names=skeleton.joint_names,
            dof_names=skeleton.dof_names,
            channels_of_values=tuple(channels.names[number] for number in channels.of_value),
        )

    def _map(self, channels: Channels, dof_names: tuple[str, ...], joints: tuple[str, ...]) -> ChannelMap:
        """Return where values of a figure's poses come from: channels of which one value is missing are left out."""
        place = {name: 3 + i for i, name in enumerate(self.dof_names)}
        columns = np.array([0, 1, 2, *(place.get(name, -1) for name in dof_names)], dtype=np.intp)
        for own in channels.columns:
            if (columns[own] < 0).any():
                columns[own] = -1
        root = channels.of_value[3] if len(columns) > 3 else 0
        if not any((columns[own] >= 0).all() for number, own in enumerate(channels.columns) if number not in (0, root)):
            joint = next((name for name in self.joint_names if name not in joints), None)
            what = "no joint moves in the same way" if joint is None else f'joint "{joint}" is not in it'
            raise PoseError(f'these keys are of another figure than "{channels.figure}": {what}')
        return ChannelMap.of(_Layout(self.channels_of_values), channels, columns)

    def inside_cones(self, skeleton: Skeleton) -> Clip:
        """Return the clip with the swings of all its keys inside the cones of a figure, which it fits.

        Figures with the same joints may have other cones, and so may the two sides of one.
        """
        keys = []
        for key in self.keys:
            q = clamp_cones(skeleton, key.q)
            keys.append(key if q is key.q else key.changed(q=q))
        same = all(a is b for a, b in zip(keys, self.keys, strict=True))
        return self if same else replace(self, keys=tuple(keys))

    def flipped(self, skeleton: Skeleton) -> Clip:
        """Return the clip in a mirror at x = 0: what the left side did the right one does.

        Args:
            skeleton: The figure, which the clip fits.
        """
        mirror, channels = pose_mirror(skeleton), channels_of(skeleton)
        map = ChannelMap.of(channels, channels, mirror.columns, mirror.factors)
        poses = mirror.convert(np.array([key.q for key in self.keys]).reshape(len(self.keys), skeleton.nq))
        strips = []
        for strip in self.strips:
            targets = [mirrored_lock(replace(strip.lock, target=key.target), skeleton).target for key in strip.targets]
            moved = [replace(key, target=target) for key, target in zip(strip.targets, targets, strict=True)]
            strips.append(replace(strip, lock=mirrored_lock(strip.lock, skeleton), targets=tuple(moved)))
        names = skeleton.joint_names
        other: dict[str, str | None] = {names[joint]: names[side] for joint, side in enumerate(mirror.counterparts)}
        mirrored = hybrids.mirrored(self.hybrid_strips, skeleton, other)
        return replace(self, keys=map.keys(self.keys, poses), strips=tuple(strips), hybrid_strips=mirrored)

    @classmethod
    def of(
        cls,
        keys: Seq[Key],
        first: int,
        last: int,
        skeleton: Skeleton,
        strips: Seq[LockStrip] = (),
        parts: Parts | None = None,
        hybrid_strips: Seq[HybridStrip] = (),
    ) -> Clip:
        """Return the clip of ``keys`` and ``strips`` with frames in ``first..last``, both included.

        Args:
            keys: Sorted keys of a sequence.
            first: First frame.
            last: Last frame.
            skeleton: The figure.
            strips: Lock strips.
            parts: Which channels are taken at which frames; None for all keys of the range.
            hybrid_strips: Hybrid strips.
        """
        channels, chosen = channels_of(skeleton), []
        for key in keys:
            if first <= key.frame <= last and (parts is None or key.frame in parts):
                part = part_of(key, channels, None if parts is None else parts[key.frame])
                if part is not None:
                    chosen.append(part.moved(key.frame - first))
        names = tuple(channels.names[number] for number in channels.of_value)
        cut = cut_out(tuple(strips), first, last)
        forces = hybrids.cut_out(tuple(hybrid_strips), first, last)
        return cls(tuple(chosen), last - first, skeleton.joint_names, cut, skeleton.dof_names, names, forces)


class _Layout:
    """The channels of the figure that a clip came from, as far as a ``ChannelMap`` needs them."""

    def __init__(self, of_values: tuple[str, ...]):
        self.names: tuple[str, ...] = tuple(dict.fromkeys(of_values))
        numbers = {name: number for number, name in enumerate(self.names)}
        self.of_value: NDArray[np.intp] = np.array([numbers[name] for name in of_values], dtype=np.intp)
        self.columns: tuple[NDArray[np.intp], ...] = tuple(
            np.flatnonzero(self.of_value == number) for number in range(len(self.names))
        )

    def __contains__(self, name: object) -> bool:
        return name in self.names
