"""A scene as other programs know it: a tree of nodes, what hangs on them, and how they move.

All is in metres, y up, right-handed, as glTF has it. A node's frame in its parent's is ``T R S``: its scale first, then
its rotation, then its place. A vertex of a skinned mesh goes to ``sum_j w_j W_j B_j p`` with ``W`` the nodes' frames in
the world and ``B`` the skin's inverse bind matrices.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import srgb
from core.arrays import Array
from core.errors import Problem
from core.spatial.quaternion import from_matrix, to_matrix

Ints = NDArray[np.int64]
Color = tuple[float, float, float]

_INFLUENCES = 4  # joints that a vertex follows at most, as glTF and UsdSkel have it
BODY_COLOR: Color = (0.902, 0.878, 0.835)
"""What a segment without a colour of its own is drawn in, red, green and blue in 0..1."""


@dataclass
class Node:
    """A place in the scene.

    Attributes:
        name: Its name.
        parent: Number of the node that it hangs on, -1 for none.
        translation: Shape (3,), [m].
        rotation: Unit quaternion (w, x, y, z), shape (4,).
        scale: Shape (3,).
        mesh: Number of the mesh that hangs on it, or None.
        skin: Number of the skin that the mesh follows, or None.
        camera: Number of its camera, or None.
    """

    name: str
    parent: int = -1
    translation: Array = field(default_factory=lambda: np.zeros(3))
    rotation: Array = field(default_factory=lambda: np.array([1.0, 0.0, 0.0, 0.0]))
    scale: Array = field(default_factory=lambda: np.ones(3))
    mesh: int | None = None
    skin: int | None = None
    camera: int | None = None

    @property
    def local(self) -> Array:
        """Its frame in its parent's, shape (4, 4); new."""
        return trs_frames(self.translation, self.rotation, self.scale)


@dataclass
class Part:
    """Triangles of one colour.

    Attributes:
        points: Shape (k, 3), [m], in the node's frame, or in that of the skin.
        triangles: Numbers of points, shape (m, 3).
        normals: Unit vectors, shape (k, 3), or None.
        color: Red, green and blue in 0..1 as a screen has them, or None.
        material: What its material is called.
        joints: Which joints of the skin each point follows, shape (k, w), or None.
        weights: How much, shape (k, w), or None.
    """

    points: Array
    triangles: Ints
    normals: Array | None = None
    color: Color | None = None
    material: str = ""
    joints: Ints | None = None
    weights: Array | None = None


@dataclass
class SceneMesh:
    """A mesh of one or more colours."""

    name: str
    parts: list[Part]


@dataclass
class SceneSkin:
    """What a mesh follows.

    Attributes:
        name: Its name.
        joints: Numbers of nodes.
        inverse_bind: What takes a point of the mesh to the frame of each, shape (k, 4, 4).
        root: The node under which all of them hang, or None where the file does not say.
    """

    name: str
    joints: tuple[int, ...]
    inverse_bind: Array
    root: int | None = None


@dataclass
class SceneCamera:
    """A camera; it looks along -z with y up.

    Attributes:
        name: Its name.
        fov: Vertical angle of view, [rad].
    """

    name: str
    fov: float


@dataclass
class Track:
    """How a node moves, a row for each frame of its clip; None for what does not change.

    Attributes:
        translation: Shape (m, 3), [m].
        rotation: Unit quaternions (w, x, y, z), neighbours on the same side, shape (m, 4).
        scale: Shape (m, 3).
    """

    translation: Array | None = None
    rotation: Array | None = None
    scale: Array | None = None


@dataclass
class SceneClip:
    """A motion.

    Attributes:
        name: Its name.
        fps: Frames a second.
        count: How many frames it has, at times 0, 1 / fps, ...
        tracks: By number of node.
        fovs: Vertical angle of view of cameras at each frame, by number of camera, shape (m,), [rad].
    """

    name: str
    fps: float
    count: int
    tracks: dict[int, Track] = field(default_factory=dict)
    fovs: dict[int, Array] = field(default_factory=dict)


@dataclass
class Scene:
    """All of it.

    Attributes:
        nodes: Every node after its parent.
        meshes: Meshes.
        skins: Skins.
        cameras: Cameras.
        clips: Motions.
        figures: Nodes that figures hang on, if it was written here.
        ground: Nodes of what stands around the figures and does not move, likewise.
        record: What this program keeps beside it, see ``core.formats.exchange.record``; None for a foreign file.
        poses: Poses of each sequence of the record, shape (m, nq) each.
        warnings: What was noticed.
    """

    nodes: list[Node] = field(default_factory=list)
    meshes: list[SceneMesh] = field(default_factory=list)
    skins: list[SceneSkin] = field(default_factory=list)
    cameras: list[SceneCamera] = field(default_factory=list)
    clips: list[SceneClip] = field(default_factory=list)
    figures: list[int] = field(default_factory=list)
    ground: list[int] = field(default_factory=list)
    record: dict[str, Any] | None = None
    poses: list[Array] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)

    def rest_worlds(self) -> Array:
        """Return the frame of every node in the world as the scene stands, shape (n, 4, 4)."""
        worlds = np.zeros((len(self.nodes), 4, 4))
        for i, node in enumerate(self.nodes):
            worlds[i] = node.local if node.parent < 0 else worlds[node.parent] @ node.local
        return worlds

    def local_frames(self, number: int, clip: SceneClip, frames: slice) -> Array:
        """Return a node's frames in its parent's at some frames of a clip, shape (m, 4, 4) or (1, 4, 4) if it stays."""
        node, track = self.nodes[number], clip.tracks.get(number)
        if track is None:
            return node.local[None]
        given = (track.translation, track.rotation, track.scale)
        rest = (node.translation, node.rotation, node.scale)
        return trs_frames(*(r if g is None else g[frames] for g, r in zip(given, rest, strict=True)))


def trs_frames(translation: Array, rotation: Array, scale: Array) -> Array:
    """Return frames ``T R S``, shape (..., 4, 4); the arguments broadcast."""
    shape = np.broadcast_shapes(translation.shape[:-1], rotation.shape[:-1], scale.shape[:-1])
    frames = np.zeros((*shape, 4, 4))
    frames[..., :3, :3] = to_matrix(rotation) * scale[..., None, :]
    frames[..., :3, 3] = translation
    frames[..., 3, 3] = 1.0
    return frames


def trs_of(frames: Array) -> tuple[Array, Array, Array]:
    """Return places, rotations (w, x, y, z) and sizes of frames ``T R S``; what shears is left out.

    Args:
        frames: Shape (..., 4, 4).

    Returns:
        Shapes (..., 3), (..., 4) and (..., 3).
    """
    linear = frames[..., :3, :3]
    sizes = np.linalg.norm(linear, axis=-2)
    sizes = sizes * np.where(np.linalg.det(linear) < 0.0, -1.0, 1.0)[..., None] ** np.array([1.0, 0.0, 0.0])
    turns = linear / np.where(sizes != 0.0, sizes, 1.0)[..., None, :]
    return frames[..., :3, 3].copy(), from_matrix(turns), np.asarray(sizes)


def to_linear(color: Color) -> Color:
    """Return a colour of the screen as linear light."""
    r, g, b = srgb.to_linear(color).tolist()
    return r, g, b


def to_screen(color: Color) -> Color:
    """Return linear light as a colour of the screen, in 0..1."""
    r, g, b = srgb.to_screen(color).tolist()
    return r, g, b


def strongest(joints: Ints, weights: Array) -> tuple[Ints, Array]:
    """Return the four joints that each vertex follows most, with weights that add up to 1; both of shape (v, up to 4).

    Args:
        joints: What each vertex follows, shape (v, k).
        weights: How much, shape (v, k); below 0 counts as 0, and where all are 0 the first joint has everything.
    """
    weights = np.maximum(weights, 0.0)
    order = np.argsort(-weights, axis=1, kind="stable")[:, :_INFLUENCES]
    joints, weights = np.take_along_axis(joints, order, axis=1), np.take_along_axis(weights, order, axis=1)
    total = weights.sum(axis=1, keepdims=True)
    weights = np.where(total > 0.0, weights / np.where(total > 0.0, total, 1.0), np.eye(weights.shape[1])[0])
    return joints, weights
