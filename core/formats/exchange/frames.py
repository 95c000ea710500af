"""Rigid frames of the nodes of a foreign scene over its clips: sizes go into distances and shapes."""

from __future__ import annotations

import numpy as np

from core.arrays import Array
from core.formats.exchange.components import Component, Tree
from core.formats.exchange.scene import Scene, SceneClip

_SQUARE = 1e-4  # how far axes may be from right angles before the nearest rotation is looked for


def parted(worlds: Array) -> tuple[Array, Array]:
    """Return affine frames as rigid ones, and what stretches come before them: ``W = F K``.

    Args:
        worlds: Shape (..., 4, 4).

    Returns:
        ``F``, shape (..., 4, 4), and ``K``, shape (..., 3, 3), symmetric up to a reflection.
    """
    linear = worlds[..., :3, :3]
    lengths = np.linalg.norm(linear, axis=-2)
    turns = linear / np.where(lengths > 0.0, lengths, 1.0)[..., None, :]
    mirrored = np.linalg.det(turns) < 0.0
    turns = turns * np.where(mirrored[..., None, None], np.array([-1.0, 1.0, 1.0]), 1.0)
    skew = np.abs(np.swapaxes(turns, -1, -2) @ turns - np.eye(3)).max(axis=(-1, -2)) > _SQUARE
    if skew.any():
        u, _, v = np.linalg.svd(turns[skew])
        signs = np.sign(np.linalg.det(u @ v))
        u[..., :, 2] *= signs[..., None]
        turns[skew] = u @ v
    frames = np.zeros(worlds.shape)
    frames[..., :3, :3], frames[..., :3, 3], frames[..., 3, 3] = turns, worlds[..., :3, 3], 1.0
    return frames, np.swapaxes(turns, -1, -2) @ linear


def clip_frames(scene: Scene, tree: Tree, component: Component, clip: SceneClip, whole: Array) -> tuple[Array, Array]:
    """Return the rigid frames of joints in the world at every frame of a clip, and their stretches.

    Args:
        scene: The scene.
        tree: Its tree.
        component: The figure.
        clip: The clip.
        whole: What is done to the whole scene: a turn and a size, shape (4, 4).

    Returns:
        Shapes (m, n, 4, 4) and (m, n, 3, 3).
    """
    every = slice(0, clip.count)
    above = [*reversed(tree.path(component.joints[0])[1:])]
    top = whole[None]
    for number in above:
        top = top @ scene.local_frames(number, clip, every)
    worlds = np.empty((clip.count, len(component.joints), 4, 4))
    for k, number in enumerate(component.joints):
        parent = component.parents[k]
        worlds[:, k] = (top if parent < 0 else worlds[:, parent]) @ scene.local_frames(number, clip, every)
    return parted(worlds)
