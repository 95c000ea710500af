"""A figure on the graphics side, with what is needed to bound it."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from app.look.theme import Theme
from app.render.colors import Float, linear, srgb
from app.render.figure_buffer import FigureBuffer
from app.render.mesh.geometry import Geometry
from app.render.mesh.kept_geometry import kept_geometry
from app.render.picture import Ghost
from core.skeleton.helper_joints import with_helpers
from core.skeleton.per_skeleton import per_skeleton
from core.skeleton.skeleton import Skeleton
from core.skeleton.skin import bind_frames, blended, skin_frames

Array = NDArray[np.float64]

_HEAVY = 10_000  # triangles
_CHAIN_TINT, _HELP_TINT = 0.78, 0.3
_GHOSTS_KEPT = 40
_RIGID = 1e-12  # a frame whose axes are this near to unit vectors at right angles neither stretches nor shears


@per_skeleton
def _geometry_of(skeleton: Skeleton) -> Geometry:
    """Return a figure's triangles; views and thumbnails draw with two renderers, but they are built once."""
    return kept_geometry(skeleton)


def prepare_figure(skeleton: Skeleton) -> None:
    """Build a figure's triangles now, so that drawing it first is quick; any thread may do it."""
    _geometry_of(skeleton)


class DrawnFigure:
    """A figure's buffers, and spheres and corners round its segments; made while the context is current.

    Attributes:
        skeleton: The figure.
        buffer: Its buffers.
        triangle_areas: Mean area of the fine and of the coarse triangles, [m^2].
        bulge: How far the surface leaves the fine triangles, [m].
        drawn: Joints that have something to draw.
        reach: How far from its root something of it is as it is bound, [m].
        heavy: Whether it has so many triangles that its shadow on itself is that of its coarse copy.
    """

    def __init__(self, skeleton: Skeleton):
        geometry = _geometry_of(skeleton)
        self.skeleton = skeleton
        self._bind = with_helpers(skeleton, bind_frames(skeleton))
        scales = np.array([joint.scale for joint in skeleton.joints])
        self.buffer = FigureBuffer(geometry, len(self._bind), skewed=bool((np.ptp(scales, axis=1) > 0.0).any()))
        # Spheres, in a joint's frame, round what follows it of a segment: bent, the segment lies between them.
        inverse = np.linalg.inv(self._bind)
        followed, centers, radii = [], [], []
        for first, count in geometry.ranges[0]:
            rows = np.flatnonzero(np.bincount(geometry.indices[first : first + count]))  # without numpy.ma, see skin.py
            points = geometry.vertices["position"][rows].astype(np.float64)
            joints = np.where(
                geometry.vertices["weights"][rows] > 0, geometry.vertices["joints"][rows].astype(np.int64), -1
            )
            for joint in np.flatnonzero(np.bincount(joints[joints >= 0])).tolist():
                mine = points[(joints == joint).any(axis=1)] @ inverse[joint, :3, :3].T + inverse[joint, :3, 3]
                center = 0.5 * (mine.min(axis=0) + mine.max(axis=0))
                followed.append(joint)
                centers.append(center)
                radii.append(np.linalg.norm(mine - center, axis=1).max())
        self._followed = np.array(followed, dtype=np.int64)
        self._centers, self._radii = np.reshape(centers, (-1, 3)), np.array(radii)
        self._coloured: tuple[object, Float] | None = None
        self._ghosts: dict[object, Float] = {}
        self._placed: tuple[bytes, Array, Array] | None = None
        self.triangle_areas = [geometry.triangle_area(level) for level in (0, 1)]
        self.bulge = geometry.bulge
        self.drawn = np.flatnonzero(geometry.ranges[0, :, 1])
        self.heavy = int(geometry.skin[0, 1]) > 3 * _HEAVY
        first, count = geometry.hull
        hull = geometry.vertices[np.flatnonzero(np.bincount(geometry.indices[first : first + count]))]
        self._corners, self._joints = hull["position"].astype(np.float64), hull["joints"].astype(np.int64)
        self._weights = hull["weights"] / 65535.0
        self._bends = geometry.influences > 1
        self.reach = float(np.linalg.norm(self._corners - self._bind[0, :3, 3], axis=1).max(initial=0.0))

    def palette(self, poses: Array) -> Array:
        """Return what takes the vertices from the bind pose to another, for each joint and helper, shape (k, 4, 4)."""
        return skin_frames(self.skeleton, poses)

    def colours(
        self, theme: Theme, chain: Collection[int], helping: Collection[int] = (), helping_token: str = "accent"
    ) -> Float:
        """Return the colour of each joint's segment in linear light, shape (n_joints, 4); read-only.

        Args:
            theme: Gives the colour of what has none of its own.
            chain: Joints that are tinted in the accent.
            helping: Joints that are tinted a little.
            helping_token: In which colour.
        """
        joints, tinted, slightly = self.skeleton.joints, frozenset(chain), frozenset(helping)
        key = (theme.body, theme.accent, tinted, slightly, helping_token)
        if self._coloured is None or self._coloured[0] != key:
            colours = np.ones((len(joints), 4), dtype=np.float32)
            colours[:, :3] = linear(srgb(theme, "body"))
            for i, joint in enumerate(joints):
                if joint.color is not None:
                    colours[i, :3] = linear(joint.color)
            for some, token, share in ((slightly - tinted, helping_token, _HELP_TINT), (tinted, "accent", _CHAIN_TINT)):
                rows = [i for i in some if 0 <= i < len(joints)]
                colours[rows, :3] += share * (linear(srgb(theme, token)) - colours[rows, :3])
            colours.setflags(write=False)
            self._coloured = key, colours
        return self._coloured[1]

    def ghost_rows(self, theme: Theme, ghost: Ghost | tuple[Array, str, float]) -> Float:
        """Return a ghost's rows of the palette, shape (n_joints, 4, 4); read-only."""
        poses, token, strength = ghost
        tint = srgb(theme, token)
        key = (poses.tobytes(), tint.tobytes(), float(strength))
        found = self._ghosts.get(key)
        if found is None:
            if len(self._ghosts) >= _GHOSTS_KEPT:
                self._ghosts.clear()
            colours = np.empty((len(poses), 4), dtype=np.float32)
            colours[:, :3], colours[:, 3] = tint, strength
            found = self._ghosts[key] = self.buffer.instance(self.palette(poses), colours)
            found.setflags(write=False)
        return found

    def spheres(self, poses: Array) -> tuple[Array, Array]:
        """Return centres (k, 3) in the world and radii (k,) of spheres whose hull holds the figure; read-only."""
        key = poses.tobytes()
        if self._placed is None or self._placed[0] != key:  # asked for several times in each of several views
            frames = with_helpers(self.skeleton, poses)[self._followed]
            turns = frames[:, :3, :3]
            centers = np.einsum("kij,kj->ki", turns, self._centers) + frames[:, :3, 3]
            stretched = np.abs(turns.transpose(0, 2, 1) @ turns - np.eye(3)).max(initial=0.0) > _RIGID
            radii = self._radii * np.linalg.norm(turns, axis=(1, 2), ord=2) if stretched else self._radii.copy()
            for array in (centers, radii):
                array.setflags(write=False)
            self._placed = key, centers, radii
        return self._placed[1:]

    def hull_points(self, poses: Array) -> Array:
        """Return the corners of the segments' hulls in the world, shape (n, 3), [m]; the figure lies among them."""
        moves = self.palette(poses)
        if self._bends:
            return blended(moves, self._joints, self._weights, self._corners)
        rows = moves[self._joints[:, 0], :3]
        return np.asarray(np.einsum("kab,kb->ka", rows[:, :, :3], self._corners) + rows[:, :, 3])
