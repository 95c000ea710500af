"""Sky, ground, grid, terrain and the shadow on the ground: what is behind everything else in a picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from app.render.frame_view import FrameView
from app.render.gl import GL
from app.render.ground import GROUND, Ground
from app.render.passes.backdrop import Backdrop
from app.render.passes.floor_plane import FloorPlane
from app.render.passes.shadow import Shadow, ground_patch
from app.render.passes.solid_layer import Caster
from app.render.passes.terrain_layer import TerrainLayer
from app.render.programs import Program
from app.render.targets import Target, TargetStore
from core.terrain import Terrain

Array = NDArray[np.float64]

_DENSITY = {"dark": 0.66, "light": 0.42}
_STUDIO_DENSITY = {"dark": 0.56, "light": 0.40}
_LARGEST_PATCH = 2.5  # half of the ground that several bodies may cast their shadow on together, [m]


class Surroundings:
    """Draws them, and keeps those of cameras that rest; the context must be current for everything."""

    def __init__(self) -> None:
        self._layers = TargetStore(5, depth=False)
        self._backdrop, self._shadow = Backdrop(), Shadow()
        self._floor: FloorPlane | None = None
        self._terrain: TerrainLayer | None = None

    @staticmethod
    def shadowed(view: FrameView) -> bool:
        """Return whether the figure's shadow on the ground is seen."""
        picture, camera = view.picture, view.camera
        if not (picture.background or picture.shadow) or camera.kind not in ("perspective", "top"):
            return False
        return picture.terrain is not None or _above(view)

    def cast(self, view: FrameView, casters: Sequence[Caster], programs: Callable[..., Program]) -> None:
        """Make the shadow ready, unless it is already that of the same bodies.

        Args:
            view: The frame; its picture has the ground.
            casters: What casts it, as uploaded: the figure first, then other solids, which are left out if
                all together are so large that little would be left of the figure's.
            programs: Gives the program of a vertex and a fragment shader for a figure.
        """
        plane = self._plane(view, casters)
        roots = np.array([caster.poses[0, :3, 3] for caster in casters])
        if float((roots.max(axis=0) - roots.min(axis=0))[[0, 2]].max()) > 2.0 * _LARGEST_PATCH:
            casters = casters[:1]  # what all of them would need is larger still
        spheres = [caster.figure.spheres(caster.poses) for caster in casters]
        light = view.picture.lights.direction
        middles, radii = np.concatenate([s[0] for s in spheres]), np.concatenate([s[1] for s in spheres])
        patch = ground_patch(middles, radii, plane, light)
        if len(casters) > 1 and patch[2] > _LARGEST_PATCH:
            casters, patch = casters[:1], ground_patch(*spheres[0], plane, light)
        key = (
            tuple((caster.figure.skeleton, caster.poses.tobytes()) for caster in casters),
            plane.tobytes(),
            light.tobytes(),
        )
        hulls = [
            (
                caster.figure.buffer,
                programs("shadow_cast.vert", "shadow_cast.frag", figure=caster.figure),
                caster.instance,
            )
            for caster in casters
        ]
        top = max(float((c[:, 1] + r).max()) for c, r in spheres)
        self._shadow.update(key, hulls, patch, plane, light, top)

    @staticmethod
    def _plane(view: FrameView, casters: Sequence[Caster]) -> Array:
        """Return the plane that the shadow is worked out on: the floor, or a level one under a terrain's place there.

        What it keeps of the light is the same on any plane below the casters; how soft it is goes by the height.
        """
        terrain = view.picture.terrain
        if terrain is None:
            return (view.picture.ground or GROUND).plane
        centers = casters[0].figure.spheres(casters[0].poses)[0]
        heights = terrain.heights(centers[:, [0, 2]])
        return Ground(level=float(heights.min())).plane

    def fill(self, view: FrameView, frame: Target, shadow: bool) -> None:
        """Fill the frame with what is behind; depth is that of the terrain then, stencil is clear.

        Args:
            view: What is seen.
            frame: Where to draw.
            shadow: Whether there is a shadow to be drawn.
        """
        self._fill_flat(view, frame, shadow)
        if view.picture.terrain is not None:
            self._draw_terrain(view, view.picture.terrain, shadow)

    def _fill_flat(self, view: FrameView, frame: Target, shadow: bool) -> None:
        """Fill it with what is behind the terrain, and clear depth and stencil."""
        if not view.picture.background:
            frame.bind()
            GL.glClearColor(0.0, 0.0, 0.0, 0.0)
            GL.glClear(GL.GL_COLOR_BUFFER_BIT | GL.GL_DEPTH_BUFFER_BIT | GL.GL_STENCIL_BUFFER_BIT)
            self._lay_shadow(view, shadow)
            return
        ground = view.picture.ground or GROUND
        backdrop = view.picture.backdrop
        grid = view.picture.grid and backdrop == "stage"
        key = (view.camera_key, view.width, view.height, view.theme.name, grid, ground.plane.tobytes(), backdrop)
        layer = self._layers.get(key)
        if layer is None:
            layer = self._layers.add(key, view.width, view.height, 0)
            layer.bind()
            camera = view.camera
            if not ground.usual:  # the same surroundings as seen from a place as much lower
                camera = camera.copy()
                camera.shift((0.0, -ground.level / float(ground.normal[1]), 0.0))
            if backdrop == "stage":
                self._backdrop.draw(camera, view.width, view.height, view.theme, grid and not ground.tilted)
            elif backdrop == "studio":
                self._backdrop.draw_studio(camera, view.width, view.height, view.theme)
            else:
                GL.glClearColor(*(int(backdrop[k : k + 2], 16) / 255.0 for k in (1, 3, 5)), 1.0)
                GL.glClear(GL.GL_COLOR_BUFFER_BIT)
            if ground.tilted and backdrop == "stage":
                self._floor = self._floor or FloorPlane()
                self._floor.draw(view, ground)
        layer.copy_to(frame)
        frame.bind()
        GL.glClear(GL.GL_DEPTH_BUFFER_BIT | GL.GL_STENCIL_BUFFER_BIT)
        self._lay_shadow(view, shadow)

    def _lay_shadow(self, view: FrameView, shadow: bool) -> None:
        """Draw the shadow on what is there, or on nothing."""
        ground = view.picture.ground
        on_floor = view.picture.terrain is None or (ground is not None and self._shadow.lies_on(ground.plane))
        if shadow and on_floor and self.shadowed(view) and _above(view):
            self._shadow.draw(view.view_projection, _density(view))

    def _draw_terrain(self, view: FrameView, terrain: Terrain, shadow: bool) -> None:
        """Draw the terrain over what is behind, with the shadow on it."""
        self._terrain = self._terrain or TerrainLayer()
        shown = shadow and self.shadowed(view)
        self._terrain.draw(view, terrain, self._shadow.on_terrain(_density(view)) if shown else {})

    def dispose(self) -> None:
        """Free everything."""
        for part in (self._layers, self._backdrop, self._shadow, self._floor, self._terrain):
            if part is not None:
                part.dispose()


def _above(view: FrameView) -> bool:
    """Return whether there is a floor that the camera is above of."""
    ground = view.picture.ground
    return ground is not None and bool(view.camera.eye @ ground.normal > ground.level)


def _density(view: FrameView) -> float:
    """Return how dark the shadow is."""
    stage = view.picture.background and view.picture.backdrop == "stage"
    density = (_DENSITY if stage else _STUDIO_DENSITY)[view.theme.name]
    return density * (0.4 if view.camera.kind == "top" else 1.0)
