"""The spline that a joint gets by a choice of its type: a path as large as the part, changed in the figure's file."""

from __future__ import annotations

import numpy as np

from core.arrays import Array
from core.joints import SplineCurve, SplineSurface
from core.skeleton import Skeleton
from core.skeleton.extent import figure_height
from core.skeleton.joint_type import curve_from_controls
from core.skeleton.segment import segment_mesh

FRAMES = 8  # of the ring
SIDE = 4  # frames along a side of the patch
_DOME = 0.15  # height of the patch, of the size
_SMALLEST = 0.01  # [m]
_OF_FIGURE = 0.1  # size of a way for a part without a body, of the figure's height


def part_size(skeleton: Skeleton, joint: int) -> float:
    """Return the largest extent of a joint's body along the axes of its frame, to the millimetre, [m]."""
    mesh = segment_mesh(skeleton, joint)
    size = _OF_FIGURE * figure_height(skeleton)
    if mesh is not None and len(mesh.vertices):
        size = float(np.ptp(mesh.vertices, axis=0).max())
    return round(max(size, _SMALLEST), 3)


def ring_controls(skeleton: Skeleton, joint: int) -> Array:
    """Return the control frames of ``default_curve`` as files write them, shape (8, 6), [m] and [deg]."""
    radius = part_size(skeleton, joint)
    rows = []
    for k in range(FRAMES):
        turn = 2.0 * np.pi * (k - 1) / FRAMES  # the curve begins at its second frame
        place = radius * np.array([np.cos(turn) - 1.0, 0.0, np.sin(turn)])
        rows.append([*np.round(place, 6), 0.0, -np.degrees(turn), 0.0])
    return np.array(rows) + 0.0


def default_curve(skeleton: Skeleton, joint: int) -> SplineCurve:
    """Return a ring in the x-z plane, as wide as twice the part, that begins where the part is and turns it along."""
    return curve_from_controls(ring_controls(skeleton, joint), True)


def default_surface(skeleton: Skeleton, joint: int) -> SplineSurface:
    """Return a gently domed patch over the x-z plane, as wide as the part, its middle where the part is."""
    size = part_size(skeleton, joint)
    values = np.zeros((6, SIDE, SIDE))
    steps = np.arange(SIDE) - 0.5 * (SIDE - 1)
    x, z = np.meshgrid(size * steps, size * steps, indexing="ij")
    # y = -bend (x^2 + z^2); splines keep its second derivatives, and its middle is brought to zero.
    bend = 2.0 * _DOME / size
    height = -bend * (x**2 + z**2)
    weights = np.array([1.0, 23.0, 23.0, 1.0]) / 48.0
    values[0], values[1], values[2] = x, height - weights @ height @ weights, z
    turns = np.round(np.degrees(np.arctan(2.0 * bend * np.stack([-z, x]))), 2)
    values[3], values[5] = np.radians(turns)
    values[:3] = np.round(values[:3], 6)
    return SplineSurface(values + 0.0)
