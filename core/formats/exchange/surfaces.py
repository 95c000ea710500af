"""Meshes of a foreign scene as bodies of joints: cut into segments, one for each joint and colour.

Here a segment belongs to a joint and has one colour. So every triangle goes to the joint that its corners follow most,
and what a joint carries in further colours goes to joints without freedom at the same place.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.arrays import Array
from core.formats.exchange.scene import Color, Ints
from core.skeleton.mesh import MOST_JOINTS, Mesh

_SPECK = 0.01  # of a segment's surface: a colour that covers less goes with the main one


@dataclass
class Surface:
    """Triangles of one colour in the pose in which all degrees of freedom are zero.

    Attributes:
        points: Shape (k, 3), world, [m].
        triangles: Shape (m, 3).
        joints: Which joints of the figure each point follows, shape (k, w).
        weights: How much, rows add up to 1, shape (k, w).
        color: Red, green and blue in 0..1, or None.
        material: What its material is called.
    """

    points: Array
    triangles: Ints
    joints: Ints
    weights: Array
    color: Color | None
    material: str


@dataclass
class Segment:
    """What one joint carries in one colour; see ``Surface``. Its mesh is in the joint's frame."""

    joint: int
    mesh: Mesh
    color: Color | None
    material: str


def segments(surfaces: list[Surface], frames: Array, names: list[str]) -> list[Segment]:
    """Return the segments of a figure, for each joint the one of the largest surface first.

    Args:
        surfaces: All its surfaces.
        frames: World frames of its joints where all degrees of freedom are zero, shape (n, 4, 4).
        names: Names of its joints.
    """
    pieces: dict[int, dict[Color | None, list[tuple[float, Surface, Ints]]]] = {}
    for surface in surfaces:
        if not len(surface.triangles):
            continue
        owners = _owners(surface, len(frames))
        a, b, c = (surface.points[surface.triangles[:, k]] for k in range(3))
        areas = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)
        for joint in np.unique(owners).tolist():
            mine = owners == joint
            row = (float(areas[mine].sum()), surface, surface.triangles[mine])
            pieces.setdefault(joint, {}).setdefault(surface.color, []).append(row)
    found: list[Segment] = []
    for joint in sorted(pieces):
        colors = sorted(pieces[joint].values(), key=lambda rows: -sum(area for area, _, _ in rows))
        whole = sum(area for rows in colors for area, _, _ in rows)
        kept = [colors[0]]
        for rows in colors[1:]:
            if sum(area for area, _, _ in rows) < _SPECK * whole:
                kept[0] = kept[0] + rows
            else:
                kept.append(rows)
        for rows in kept:
            mesh = _joined([(surface, triangles) for _, surface, triangles in rows], joint, frames, names)
            found.append(Segment(joint, mesh, rows[0][1].color, rows[0][1].material))
    return found


def _owners(surface: Surface, count: int) -> Ints:
    """Return the joint that the corners of each triangle follow most, shape (m,)."""
    table = np.zeros((len(surface.points), count))
    for column in range(surface.joints.shape[1]):
        np.add.at(table, (np.arange(len(table)), surface.joints[:, column]), surface.weights[:, column])
    return np.asarray(np.argmax(table[surface.triangles].sum(axis=1), axis=1))


def _joined(pieces: list[tuple[Surface, Ints]], joint: int, frames: Array, names: list[str]) -> Mesh:
    """Return triangles of a joint as a mesh in its frame."""
    points, triangles, joints, weights, start = [], [], [], [], 0
    for surface, rows in pieces:
        used, local = np.unique(rows, return_inverse=True)
        points.append(surface.points[used])
        triangles.append(local.reshape(-1, 3) + start)
        own, share = _few(surface.joints[used], surface.weights[used], joint)
        joints.append(own)
        weights.append(share)
        start += len(used)
    world, follows, shares = np.concatenate(points), np.concatenate(joints), np.concatenate(weights)
    inward = np.linalg.inv(frames[joint])
    others = []
    for other in np.unique(follows[shares > 0.0]).tolist():
        if other != joint:
            others.append((names[other], np.where(follows == other, shares, 0.0).sum(axis=1)))
    local_points = world @ inward[:3, :3].T + inward[:3, 3]
    return Mesh(local_points, np.concatenate(triangles).astype(np.int32), weights=tuple(others))


def _few(joints: Ints, weights: Array, owner: int) -> tuple[Ints, Array]:
    """Return what points follow, at most ``MOST_JOINTS`` besides the owner; rows add up to 1 with what it has."""
    others = np.where(joints == owner, 0.0, weights)
    own = weights.sum(axis=1) - others.sum(axis=1)
    order = np.argsort(-others, axis=1, kind="stable")[:, :MOST_JOINTS]
    joints, others = np.take_along_axis(joints, order, axis=1), np.take_along_axis(others, order, axis=1)
    total = own + others.sum(axis=1)
    return joints, np.asarray(np.clip(others / np.where(total > 0.0, total, 1.0)[:, None], 0.0, 1.0))
