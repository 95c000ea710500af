"""The ghosts of a picture: drawn by themselves into a layer, in one call, and kept while they and the camera rest."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from app.render.colors import srgb
from app.render.drawn_figure import DrawnFigure
from app.render.frame_view import FrameView
from app.render.gl import GL
from app.render.programs import Program
from app.render.targets import Target, TargetStore

Array = NDArray[np.float64]
Rectangle = tuple[int, int, int, int]

COARSE = 10.0
"""Coarse triangles of no more pixels than this may stand for a figure at rest."""
_COARSE_GHOST = 60.0  # and for ghosts while something moves
_MOVING_GHOSTS = 4  # most that are drawn while camera or ghosts move on a machine whose processor draws
# (face on, what the rim adds) of a ghost's tint.
_GHOST, _GHOST_SMALL, _GHOST_KEYED = (0.13, 0.72), (0.06, 0.42), (0.06, 0.55)


class GhostLayers:
    """Layers with ghosts, one for each camera, size and content, the least recently used given away first.

    Args:
        software: Whether the processor draws.
        program: Returns the program of two shaders and their words.
        level: Returns at which level a figure in some pose is drawn, given how many pixels a triangle may cover.
    """

    def __init__(
        self,
        software: bool,
        program: Callable[..., Program],
        level: Callable[[FrameView, DrawnFigure, Array, float], tuple[int, float]],
    ):
        self._software, self._program, self._level = software, program, level
        self._layers = TargetStore(5, depth=False)
        self._bounds: dict[int, Rectangle] = {}
        self._changing: set[tuple[int, int, str]] = set()  # views whose ghosts were drawn again for the last picture

    def layer(self, view: FrameView, figure: DrawnFigure, scratch: Target) -> tuple[Target, Rectangle]:
        """Return the layer with the ghosts, and the rectangle of pixels they lie in."""
        ghosts = view.picture.ghosts
        content = tuple((ghost[0].tobytes(), ghost[1], float(ghost[2])) for ghost in ghosts)
        key = (
            figure.skeleton, view.camera_key, view.width, view.height, view.samples, view.theme.name,
            view.picture.small, view.picture.ghost_joints, content,
        )  # fmt: skip
        layer = self._layers.get(key)
        if layer is None and self._hurries(view):
            ghosts = ghosts[:_MOVING_GHOSTS]
            key = (*key[:-1], content[:_MOVING_GHOSTS])
            layer = self._layers.get(key)
        if layer is not None:
            return layer, self._bounds[layer.framebuffer]
        spheres = [figure.spheres(ghost[0]) for ghost in ghosts]
        bounds = view.bounds(np.concatenate([s[0] for s in spheres]), np.concatenate([s[1] for s in spheres]))
        layer = self._layers.add(key, view.width, view.height, 0)
        self._bounds[layer.framebuffer] = bounds
        scratch.bind()
        GL.glClearColor(0.0, 0.0, 0.0, 0.0)
        GL.glClear(GL.GL_COLOR_BUFFER_BIT | GL.GL_DEPTH_BUFFER_BIT)
        GL.glEnable(GL.GL_DEPTH_TEST)
        program = self._program("figure.vert", "figure.frag", "GHOST")
        program.use()
        tint = _GHOST_SMALL if view.picture.small else _GHOST
        if any(ghost[1] == "ghost_keyed" for ghost in ghosts):
            tint = _GHOST_KEYED
        program.set(
            palette=0, joint_count=figure.buffer.n_joints, first_instance=1, view_projection=view.view_projection,
            eye=view.eye, veil=srgb(view.theme, "ground_near"), tint=tint,
        )  # fmt: skip
        figure.buffer.bind()
        limit = COARSE if view.samples else _COARSE_GHOST  # fine again as soon as nothing moves
        level = max(self._level(view, figure, ghost[0], limit)[0] for ghost in ghosts)
        if view.picture.ghost_joints is None:
            figure.buffer.draw(level, len(ghosts))
        else:
            figure.buffer.draw_joints(view.picture.ghost_joints, level, instances=len(ghosts))
        GL.glDisable(GL.GL_DEPTH_TEST)
        scratch.copy_to(layer)
        return layer, bounds

    def _hurries(self, view: FrameView) -> bool:
        """Whether only the nearest ghosts are drawn: the processor draws, and no picture of a view is like the last.

        Asked when ghosts are to be drawn again.
        """
        place = (view.width, view.height, view.camera.kind)
        if view.samples or not self._software or len(view.picture.ghosts) <= _MOVING_GHOSTS:
            self._changing.discard(place)
            return False
        hurries = place in self._changing
        self._changing.add(place)
        return hurries

    def lay_over(self, layer: Target, bounds: Rectangle) -> None:
        """Lay the ghosts over the frame that is bound, in a rectangle of pixels."""
        program = self._program("screen.vert", "copy.frag")
        program.use()
        program.set(source=1)
        layer.bind_texture()
        GL.glEnable(GL.GL_SCISSOR_TEST)
        GL.glScissor(*bounds)
        GL.glEnable(GL.GL_BLEND)
        GL.glBlendFunc(GL.GL_ONE, GL.GL_ONE_MINUS_SRC_ALPHA)
        GL.glDrawArrays(GL.GL_TRIANGLES, 0, 3)
        GL.glDisable(GL.GL_BLEND)
        GL.glDisable(GL.GL_SCISSOR_TEST)

    def dispose(self) -> None:
        """Free all layers."""
        self._layers.dispose()
