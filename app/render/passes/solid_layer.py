"""Obstacles, rigid bodies and other figures: drawn like the figure, with the same lights and the shadow it casts."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from app.look.theme import Theme
from app.render.colors import linear, srgb
from app.render.drawn_figure import DrawnFigure
from app.render.gl import GL
from app.render.physics_world import FIGURE, Solid

if TYPE_CHECKING:
    from app.render.programs import Program
    from core.skeleton import Skeleton

Array = NDArray[np.float64]

_KEPT = 8


class SolidLayer:
    """Keeps what was uploaded last; the context must be current for everything."""

    def __init__(self) -> None:
        self._figures: OrderedDict[Skeleton, DrawnFigure] = OrderedDict()

    def ready(self, solids: Sequence[Solid], theme: Theme) -> list[tuple[DrawnFigure, Array]]:
        """Upload where solids are and their colours; return those that there is something to draw of, and their poses.

        Args:
            solids: What.
            theme: The colours.
        """
        found = []
        for solid in solids:
            figure = self._figure(solid.figure)
            if not len(figure.drawn):
                continue
            if solid.token == FIGURE:
                colours = figure.colours(theme, ())
            else:
                colours = np.ones((len(solid.poses), 4), dtype=np.float32)
                colours[:, :3] = linear(srgb(theme, solid.token))
            figure.buffer.set_palette(figure.buffer.instance(figure.palette(solid.poses), colours)[None])
            found.append((figure, solid.poses))
        return found

    def draw(self, solids: Sequence[Solid], theme: Theme, begin: Callable[[DrawnFigure], Program]) -> None:
        """Draw solids into the bound frame, with depth.

        Args:
            solids: What.
            theme: The colours.
            begin: Takes into use the program that draws a figure, with its lights.
        """
        GL.glEnable(GL.GL_DEPTH_TEST)
        for figure, _ in self.ready(solids, theme):
            begin(figure)
            figure.buffer.bind()
            figure.buffer.draw(0)
        GL.glDisable(GL.GL_DEPTH_TEST)

    def _figure(self, skeleton: Skeleton) -> DrawnFigure:
        figure = self._figures.get(skeleton)
        if figure is None:
            figure = self._figures[skeleton] = DrawnFigure(skeleton)
            while len(self._figures) > _KEPT:
                self._figures.popitem(last=False)[1].buffer.dispose()
        self._figures.move_to_end(skeleton)
        return figure

    def dispose(self) -> None:
        """Free everything."""
        for figure in self._figures.values():
            figure.buffer.dispose()
        self._figures.clear()
