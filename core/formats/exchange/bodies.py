"""The bodies of a figure as meshes: rigid ones on their joints, or one skin that bends."""

from __future__ import annotations

import numpy as np

from core.arrays import Array
from core.formats.exchange.normals import unshared, with_normals
from core.formats.exchange.scene import BODY_COLOR, Color, Ints, Node, Part, Scene, SceneMesh, SceneSkin
from core.skeleton import Skeleton
from core.skeleton.helper_joints import with_helpers
from core.skeleton.segment import segment_mesh
from core.skeleton.skin import bind_frames, segment_skin


def add_bodies(scene: Scene, s: Skeleton, holder: int, joints: list[int]) -> None:
    """Put the bodies of a figure into a scene.

    A figure with a skin that bends gets one mesh of all its segments, which follows joints and helper joints; one
    without gets a mesh for each segment, on a node under its joint. A figure of more than one joint has a skin in any
    case: by that other programs know that nodes are the joints of a figure.

    Args:
        scene: It gets the meshes, and nodes for them.
        s: The figure.
        holder: The node that the figure hangs on.
        joints: The nodes of its joints, and of its helper joints after them.
    """
    bodies = [i for i in range(len(s.joints)) if segment_mesh(s, i) is not None]
    bends = any(segment_skin(s, i) is not None for i in bodies)
    skin = None
    if bends or len(s.joints) > 1:
        inverse: Array = np.linalg.inv(with_helpers(s, bind_frames(s))).astype(np.float64)
        scene.skins.append(SceneSkin(s.name, tuple(joints), inverse, joints[0]))
        skin = len(scene.skins) - 1
    if bends:
        scene.meshes.append(SceneMesh(s.name, _bent(s, bodies)))
        scene.nodes.append(Node(f"{s.name} body", holder, mesh=len(scene.meshes) - 1, skin=skin))
        return
    for i in bodies:
        mesh = segment_mesh(s, i)
        assert mesh is not None
        parts = _parts([(i, mesh.vertices, mesh.triangles.astype(np.int64))], s, None)
        if parts:
            scene.meshes.append(SceneMesh(s.joints[i].name, parts))
            scene.nodes.append(Node(f"{s.joints[i].name} body", joints[i], mesh=len(scene.meshes) - 1))


def _bent(s: Skeleton, bodies: list[int]) -> list[Part]:
    """Return all segments in the bind pose, in the world, with what they follow."""
    frames, pieces = bind_frames(s), []
    numbers, weights = [], []
    for i in bodies:
        mesh, skin = segment_mesh(s, i), segment_skin(s, i)
        assert mesh is not None
        pieces.append((i, mesh.vertices @ frames[i, :3, :3].T + frames[i, :3, 3], mesh.triangles.astype(np.int64)))
        if skin is None:
            numbers.append(np.tile([i, 0, 0, 0], (len(mesh.vertices), 1)))
            weights.append(np.tile([1.0, 0.0, 0.0, 0.0], (len(mesh.vertices), 1)))
        else:
            numbers.append(np.where(skin.weights > 0.0, skin.joints, 0))
            weights.append(skin.weights)
    return _parts(pieces, s, (np.concatenate(numbers), np.concatenate(weights)))


def _parts(pieces: list[tuple[int, Array, Ints]], s: Skeleton, follows: tuple[Ints, Array] | None) -> list[Part]:
    """Return pieces, each a joint with its points and triangles, by colour; normals go across pieces."""
    starts = np.cumsum([0, *(len(points) for _, points, _ in pieces)])
    points = np.concatenate([points for _, points, _ in pieces])
    triangles = np.concatenate([rows + start for (_, _, rows), start in zip(pieces, starts, strict=False)])
    if not len(triangles):
        return []
    colors: list[Color] = [s.joints[i].color or BODY_COLOR for i, _, rows in pieces for _ in range(len(rows))]
    corners, normals = with_normals(points, triangles)
    found: list[Part] = []
    for color in dict.fromkeys(colors):
        mine = np.array([each == color for each in colors])
        corner = np.repeat(mine, 3)
        old, rows, normal = unshared(points, triangles[mine], corners[corner], normals[corner])
        part = Part(points[old], rows, normal, color, "#{:02x}{:02x}{:02x}".format(*(round(255 * c) for c in color)))
        if follows is not None:
            part.joints, part.weights = follows[0][old], follows[1][old]
        found.append(part)
    return found
