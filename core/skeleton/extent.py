"""How large a figure is, with all that is drawn of it."""

from __future__ import annotations

import numpy as np

from core.arrays import Array
from core.skeleton.frames import frames_at
from core.skeleton.per_skeleton import per_skeleton
from core.skeleton.segment import rest_frames
from core.skeleton.skin import skinned_vertices
from core.skeleton.structure import Structure

_TINY = 1e-9  # [m]


@per_skeleton
def rest_extent(s: Structure) -> Array:
    """Return the size of the box around the figure in its rest pose, objects and tips included, (3,) [m]; read-only."""
    extent = _extent(s, rest_frames(s))
    extent.setflags(write=False)
    return extent


def pose_extent(s: Structure, q: Array) -> Array:
    """Return the size of the box around the figure in a pose, objects and tips included, (3,) [m].

    Args:
        s: The figure.
        q: Pose, shape (nq,).

    Raises:
        PoseError: If the pose does not fit the skeleton.
    """
    return _extent(s, frames_at(s, s.check_pose(q)[3:]))


def _extent(s: Structure, frames: Array) -> Array:
    lows, highs = [frames[:, :3, 3].min(axis=0)], [frames[:, :3, 3].max(axis=0)]
    for i in range(len(s.joints)):
        tips = np.reshape(s.joints[i].tips, (-1, 3)) @ frames[i, :3, :3].T + frames[i, :3, 3]
        points = np.concatenate([skinned_vertices(s, i, frames), tips])
        if len(points):
            lows.append(points.min(axis=0))
            highs.append(points.max(axis=0))
    return np.asarray(np.max(highs, axis=0) - np.min(lows, axis=0), dtype=np.float64)


def figure_height(s: Structure) -> float:
    """Return how tall the figure stands in its rest pose, objects and tips included, [m].

    A figure that lies along the ground (less than a quarter as high as long) has its largest extent instead.
    """
    return height_of(rest_extent(s))


def height_of(extent: Array) -> float:
    """Return the height of a figure by the box around it; of one that lies along the ground its largest extent.

    Args:
        extent: Shape (3,), [m].
    """
    height, largest = float(extent[1]), float(extent.max())
    if largest <= _TINY:
        return 1.0
    return height if height >= 0.25 * largest else largest
