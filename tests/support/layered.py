"""Sequences with layers, for tests and measurements."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.animation.key import Key
from core.animation.layers.layer import Layer
from core.animation.sequence import Sequence as MotionSequence
from core.animation.sorted_keys import Keys
from core.skeleton import Skeleton


def random_layers(
    sequence: MotionSequence, count: int, keys: int, seed: int = 0, size: float = 0.2
) -> tuple[Layer, ...]:
    """Return layers with random offsets all over a sequence, weights of all kinds, the last two for some parts only."""
    rng, skeleton = np.random.default_rng(seed), sequence.skeleton
    first, last = sequence.range
    names = [name for name in sequence.channels.names if name]
    made = []
    for i in range(count):
        frames = np.unique(np.linspace(first, last, keys).astype(int) + rng.integers(0, 3, keys))
        offsets = size * rng.standard_normal((len(frames), skeleton.nq))
        offsets[:, :3] *= 0.1
        some = frozenset(rng.choice(names, len(names) // 2, replace=False).tolist()) if i >= count - 2 else None
        own = Keys(skeleton, [Key(int(f), q, keyed=some) for f, q in zip(frames, offsets, strict=True)])
        weights = ((first, 0.2), (last, 1.5)) if i % 3 == 2 else ()
        made.append(Layer(f"layer {i}", f"Layer {i}", own, [1.0, 0.5, 1.3][i % 3], weights))
    return tuple(made)


def poses_at_random(
    skeleton: Skeleton, frames: Sequence[int], seed: int, reach: float = 1.5, middle: float = 0.6
) -> list[Key]:
    """Return keys with random poses inside the limits.

    Args:
        skeleton: The figure.
        frames: Where they are.
        seed: Of the random numbers.
        reach: Limits count as no wider than this either way, [rad] or [m].
        middle: The part of each range, about its middle, that values are taken from, 0 to 1.
    """
    rng = np.random.default_rng(seed)
    lo, hi = np.clip(skeleton.limits, -reach, reach).T
    keys = []
    for frame in frames:
        q = rng.uniform(-0.2, 0.2, skeleton.nq)
        q[3:] = lo + (hi - lo) * rng.uniform(0.5 - 0.5 * middle, 0.5 + 0.5 * middle, skeleton.n_dofs)
        keys.append(Key(frame, q))
    return keys


def keyed_at_random(skeleton: Skeleton, frames: list[int], seed: int = 0) -> MotionSequence:
    """Return a sequence with random poses inside the limits."""
    return MotionSequence(skeleton, keys=poses_at_random(skeleton, frames, seed))
