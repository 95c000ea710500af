"""A walk of the library as a camera would have recorded it: with noise, a spike, a gap, and feet that slide."""

from __future__ import annotations

import numpy as np

from core.animation.key import Key
from core.animation.sequence import Sequence
from core.arrays import Array
from core.formats import bundled_folder, load

SPIKE = ("right forearm", 20, 21)
"""A channel, and the first and last frame at which it is somewhere else."""
GAP = ("head", 31, 40)
"""A channel, and the first and last frame at which it stands still and then leaps."""


def walk() -> Sequence:
    """Return the walk, a key at every frame, without locks."""
    found = load(bundled_folder() / "library" / "Walks and runs" / "walk.seq").sequences[0]
    poses = found.poses_at_frames(np.arange(0.0, found.keys[-1].frame + 0.5, 0.5))
    made = Sequence(found.skeleton, 2.0 * found.fps, "recorded walk")
    made.set_keys([Key(frame, q) for frame, q in enumerate(poses)])
    return made


def recorded(noise: float = 0.004, slide: float = 0.03, faults: bool = True, seed: int = 7) -> Sequence:
    """Return the walk as it was recorded.

    Args:
        noise: Of each joint, root mean square, [rad]; a fifth of that of the root's place, [m].
        slide: How far all of it sways sideways, so that its feet slide, [m].
        faults: Whether there are a spike and a gap.
        seed: Of the noise.
    """
    made = walk()
    poses = np.array([key.q for key in made.keys])
    poses[:, 0] += slide * np.sin(np.arange(len(poses)) / len(poses) * 4.0 * np.pi)
    shaken = np.random.default_rng(seed).normal(0.0, noise, poses.shape)
    shaken[:, :3] *= 0.2
    poses[:, :] += shaken
    if faults:
        poses[SPIKE[1] : SPIKE[2] + 1, _columns(made, SPIKE[0])[0]] += 0.7
        own = _columns(made, GAP[0])
        poses[:, own[0]] += np.where(np.arange(len(poses)) > GAP[2], 0.5, 0.0)
        poses[GAP[1] : GAP[2] + 1, own] = poses[GAP[1] - 1, own]
    made.set_keys([Key(frame, q) for frame, q in enumerate(poses)])
    return made


def _columns(sequence: Sequence, channel: str) -> Array:
    return sequence.channels.columns[sequence.channels.index(channel)]
