"""Obstacles, rigid bodies and other figures: drawn like the figure, with the same lights and the shadow it casts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from app.look.theme import Theme
from app.render.colors import Float, linear, srgb
from app.render.drawn_figure import DrawnFigure
from app.render.gl import GL
from app.render.physics_world import FIGURE, Solid

if TYPE_CHECKING:
    from app.render.programs import Program
    from core.skeleton import Skeleton

Array = NDArray[np.float64]


Begin = Callable[[DrawnFigure, Array, bool], "tuple[Program, int]"]


class Store(Protocol):
    """Gives a figure's buffers, and keeps those of what is drawn beside it."""

    def __call__(self, skeleton: Skeleton, beside: Collection[Skeleton] = ()) -> DrawnFigure: ...


class Caster(NamedTuple):
    """Something that was uploaded to be drawn, and casts a shadow.

    Attributes:
        figure: Its buffers.
        poses: World frames of its joints, shape (n, 4, 4), [m].
        instance: Its place in the palette of these buffers: several things may be drawn of one figure.
        lives: Whether it is a figure of the document.
    """

    figure: DrawnFigure
    poses: Array
    instance: int = 0
    lives: bool = True


class SolidLayer:
    """Draws solids; the context must be current for everything.

    Args:
        store: Where figures are uploaded, those that are drawn as solids and others.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._ready: tuple[tuple[Solid, ...], Theme, list[Caster]] | None = None

    def ready(self, solids: Sequence[Solid], theme: Theme) -> list[Caster]:
        """Upload where solids are and their colours; return those that there is something to draw of.

        Args:
            solids: What.
            theme: The colours.
        """
        known = self._ready
        if known is not None and known[1] is theme and len(known[0]) == len(solids):
            pairs = zip(known[0], solids, strict=True)
            if all(a.figure is b.figure and a.poses is b.poses and a[2:] == b[2:] for a, b in pairs):
                return known[2]  # every view shows them, and each asks twice
        found: list[Caster] = []
        rows: dict[DrawnFigure, list[Float]] = {}
        skeletons = {solid.figure for solid in solids}
        for solid in solids:
            figure = self._store(solid.figure, skeletons)
            if not len(figure.drawn):
                continue
            if solid.token == FIGURE:
                colours = figure.colours(theme, (), range(len(solid.poses)) if solid.hovered else ())
            else:
                colours = np.ones((len(solid.poses), 4), dtype=np.float32)
                colours[:, :3] = linear(srgb(theme, solid.token))
            instances = rows.setdefault(figure, [])
            found.append(Caster(figure, solid.poses, len(instances), solid.token == FIGURE))
            instances.append(figure.buffer.instance(figure.palette(solid.poses), colours))
        for figure, palette in rows.items():
            figure.buffer.set_palette(np.array(palette))
        self._ready = tuple(solids), theme, found
        return found

    def forget(self) -> None:
        """Upload everything anew next time: buffers have changed hands."""
        self._ready = None

    def draw(self, solids: Sequence[Solid], theme: Theme, begin: Begin) -> None:
        """Draw solids into the bound frame, with depth.

        Args:
            solids: What.
            theme: The colours.
            begin: Takes into use the program that draws a figure in some poses, with its lights, as finely as it is
                seen if it is one of the document's; returns that, and the level, as ``FigureBuffer.draw`` takes it.
        """
        GL.glEnable(GL.GL_DEPTH_TEST)
        for figure, poses, instance, lives in self.ready(solids, theme):
            program, level = begin(figure, poses, lives)
            program.set(first_instance=instance)
            figure.buffer.bind()
            figure.buffer.draw(level)
        GL.glDisable(GL.GL_DEPTH_TEST)
