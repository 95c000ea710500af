"""Strands as pictures: round bodies along their nodes, drawn with light and shadow as figures are."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.render.physics_world import Solid
from app.words.line_kinds import STRAND
from core.skeleton import Joint, Skeleton
from core.skeleton.joint import SegmentObject
from core.skeleton.mesh import Mesh

Array = NDArray[np.float64]

_SIDES = 14
_PER_LINK, _MOST_PIECES = 3, 96  # pieces that a link, and a whole strand, is drawn with
_LEAST_PIECES = 16
_CAP = np.array([[0.45, 0.96], [0.75, 0.8], [0.93, 0.55]])  # rings of a half ball: how far out, and how thick
_THIN = 0.3  # how thick a free end is, as a share
_APART = 4.0  # pieces of the figure stand so far apart at rest that none shades another


class StrandLook(NamedTuple):
    """What is drawn of a strand.

    Attributes:
        nodes: Places in the world, shape (n, 3), [m].
        radius: How thick it is, [m].
        free: Whether its last node is free: then it grows thin.
    """

    nodes: Array
    radius: float
    free: bool


def strand_solid(strands: Sequence[StrandLook]) -> Solid | None:
    """Return what is drawn of strands; None if there are none."""
    pieces = [_pieces(each) for each in strands if len(each.nodes) > 1]
    if not pieces:
        return None
    frames = np.concatenate(pieces)
    count = max(_LEAST_PIECES, 1 << (len(frames) - 1).bit_length())
    rest = np.repeat(frames[-1:], count - len(frames), axis=0)
    rest[:, :3, :3] *= 1e-6  # what is not needed is too small to be seen
    return Solid(_figure(count), np.concatenate([frames, rest]), STRAND)  # also the token of its colour


def _pieces(look: StrandLook) -> Array:
    """Return what takes pieces, one long from z = 0 and one thick, to their places in the world, shape (k, 4, 4)."""
    course = smooth_course(look.nodes, _PER_LINK, _MOST_PIECES)
    share = (np.arange(len(course) - 1) + 0.5) / (len(course) - 1)
    thick = look.radius * (1.0 - (1.0 - _THIN) * share**2 if look.free else np.ones(len(share)))
    # Both ends are round: rings of a ball before and after it.
    for first, radius in ((True, thick[0]), (False, thick[-1])):
        end, inner = (course[0], course[1]) if first else (course[-1], course[-2])
        away = (end - inner) / max(float(np.linalg.norm(end - inner)), 1e-9)
        cap = end + radius * _CAP[:, :1] * away
        course = np.concatenate([cap[::-1], course] if first else [course, cap])
        rings = radius * _CAP[:, 1]
        thick = np.concatenate([rings[::-1], thick] if first else [thick, rings])
    ways = np.diff(course, axis=0)
    along = ways / np.maximum(np.linalg.norm(ways, axis=1), 1e-9)[:, None]
    side = np.cross(along[0], np.eye(3)[int(np.argmin(np.abs(along[0])))])
    frames = np.tile(np.eye(4), (len(ways), 1, 1))
    for k, direction in enumerate(along):  # the sides go on from piece to piece, else edges would show
        side = side - (side @ direction) * direction
        side /= max(float(np.linalg.norm(side)), 1e-12)
        frames[k, :3, 0], frames[k, :3, 1] = thick[k] * side, thick[k] * np.cross(direction, side)
    frames[:, :3, 2] = ways
    frames[:, :3, 3] = course[:-1]
    return frames


def smooth_course(nodes: Array, per_link: int, most: int) -> Array:
    """Return a smooth curve through nodes, shape (k, 3): by Catmull and Rom, with so many points a link.

    Args:
        nodes: Shape (n, 3), two or more.
        per_link: Pieces a link; fewer if they would be more than ``most``, but one.
        most: Pieces.
    """
    links = len(nodes) - 1
    count = max(min(per_link, most // links), 1)
    if count == 1 or links == 1:
        return np.asarray(nodes)
    ends = np.concatenate([[2.0 * nodes[0] - nodes[1]], nodes, [2.0 * nodes[-1] - nodes[-2]]])
    a, b, c, d = ends[:-3, None], ends[1:-2, None], ends[2:-1, None], ends[3:, None]
    t = (np.arange(count) / count)[None, :, None]
    curve = 0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3)
    return np.concatenate([curve.reshape(-1, 3), nodes[-1:]])


@cache
def _piece() -> Mesh:
    """Return a tube about z from 0 to 1 of radius 1, its ends rounded."""
    # How thick it is at heights: flat domes, since pieces are several times as long as they are thick, or not at all.
    rings = ((-0.18, 0.55), (0.0, 1.0), (1.0, 1.0), (1.18, 0.55))
    turn = 2.0 * np.pi * np.arange(_SIDES) / _SIDES
    points = [(0.0, 0.0, -0.25)]
    points += [(r * float(np.cos(a)), r * float(np.sin(a)), z) for z, r in rings for a in turn]
    points.append((0.0, 0.0, 1.25))
    triangles = []
    top = len(points) - 1
    for k in range(_SIDES):
        after = (k + 1) % _SIDES
        triangles.append((0, 1 + after, 1 + k))
        for ring in range(len(rings) - 1):
            low, high = 1 + ring * _SIDES, 1 + (ring + 1) * _SIDES
            triangles += [(low + k, low + after, high + after), (low + k, high + after, high + k)]
        last = 1 + (len(rings) - 1) * _SIDES
        triangles.append((last + k, last + after, top))
    return Mesh(np.array(points), np.array(triangles, dtype=np.int32))


@cache
def _figure(count: int) -> Skeleton:
    """Return a figure of so many pieces, the same one each time; counts are powers of two."""
    body = (SegmentObject("", _piece()),)
    places = (np.array([_APART * k, 0.0, 0.0]) for k in range(count))
    joints = [
        Joint(f"piece {k}", -1 if k == 0 else 0, offset=place, objects=body, mass=0.0) for k, place in enumerate(places)
    ]
    return Skeleton("strands", joints)
