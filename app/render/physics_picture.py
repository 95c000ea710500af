"""What the renderer draws of physics over the figure: shapes and lines as rows of numbers, one draw call each."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from app.look.theme import Theme
from app.render.colors import srgb

Array = NDArray[np.float64]
Rows = NDArray[np.float32]

ELLIPSOID, CYLINDER, CENTER, FLOOR_MARK = 0.0, 1.0, 2.0, 3.0
LINE, ARROW, CONE_EDGE, HEAD = 0.0, 1.0, 2.0, 3.0
SHAPE_WIDTH, LINE_WIDTH = 20, 16
RIM = 2.4
"""How much wider than a line the rim behind it is, [px]."""
_RIM_ALPHA = 0.6


@dataclass(frozen=True, eq=False)
class PhysicsPicture:
    """Signs over the figure; read-only, and the same object as long as nothing of it has changed.

    Attributes:
        shapes: Shape (n, 20), float32: three rows of the map from the unit shape to the world; colour; kind, width of
            the lines or radius [px], opacity of the fill, of the rings.
        lines: Shape (m, 16), float32: start and kind; end and width [px]; colour; dash, gap and beginning [m], radius
            of a cone [m].
        tints: Colour and strength by joint that segments get for the torques in their joints, shape (n_joints, 4),
            linear light; None for none.
    """

    shapes: Rows
    lines: Rows
    tints: Rows | None = None


def shape_rows(count: int) -> Rows:
    """Return rows for shapes, yet to be filled, shape (count, 20)."""
    return np.empty((count, SHAPE_WIDTH), dtype=np.float32)


@dataclass
class Pen:
    """Collects rows."""

    theme: Theme
    _shapes: list[Rows] = field(default_factory=list)
    _rims: list[Rows] = field(default_factory=list)
    _lines: list[Rows] = field(default_factory=list)

    def shapes(
        self, kind: float, maps: Array, tokens: tuple[str | Rows, ...], which: NDArray[np.int64] | int,
        width: float | Array, fill: float | Array = 0.0, rings: float | Array = 0.0, alpha: float = 1.0,
    ) -> None:  # fmt: skip
        """Add shapes of one kind.

        Args:
            kind: ``ELLIPSOID`` (the unit sphere), ``CYLINDER`` (about z, from -1 to 1), ``CENTER`` or ``FLOOR_MARK``.
            maps: What takes the unit shapes into the world, shape (k, 3, 4), [m]; of signs only the place counts.
            tokens: Names of colours, or sRGB, shape (3,) each.
            which: Number of the colour of each.
            width: Of lines, or radius of a sign, [px].
            fill: Opacity of the fill.
            rings: Opacity of the fine rings.
            alpha: Opacity of all.
        """
        rows = shape_rows(len(maps))
        rows[:, :12] = maps.reshape(-1, 12)
        rows[:, 12:15] = np.array([self._rgb(token) for token in tokens])[which]
        rows[:, 15], rows[:, 16], rows[:, 17], rows[:, 18], rows[:, 19] = alpha, kind, width, fill, rings
        self._shapes.append(rows)

    def _rgb(self, token: str | Rows) -> Rows:
        return srgb(self.theme, token) if isinstance(token, str) else token

    def add_shapes(self, rows: Rows) -> None:
        """Add shapes that are rows already."""
        self._shapes.append(rows)

    def lines(
        self, starts: Array, ends: Array, token: str | Rows, width: float | Array,
        kind: float = LINE, dash: tuple[float, float] = (0.0, 0.0), begins: float | Array = 0.0,
        radius: float | Array = 0.0, alpha: float = 1.0, rim: bool = True,
    ) -> None:  # fmt: skip
        """Add lines or arrows of one colour.

        Args:
            starts: Shape (k, 3), world, [m].
            ends: The same.
            token: Name of the colour, or sRGB, shape (3,).
            width: [px]; one for all, or shape (k,).
            kind: ``LINE``, ``ARROW``, ``CONE_EDGE`` (from the apex to the middle of the base) or ``HEAD``.
            dash: Lengths of dash and gap, [m]; 0 for a solid line.
            begins: How far along its way each line begins, [m].
            radius: Of cones at their base, [m]; the sign chooses one of the two edges.
            alpha: Opacity.
            rim: Whether there is a rim behind; arrows have their own.
        """
        rows = np.empty((len(starts), LINE_WIDTH), dtype=np.float32)
        rows[:, :3], rows[:, 3], rows[:, 4:7], rows[:, 7] = starts, kind, ends, width
        rows[:, 8:11] = self._rgb(token)
        rows[:, 11] = alpha
        rows[:, 12:14], rows[:, 14], rows[:, 15] = dash, begins, radius
        self._lines.append(rows)
        if rim and kind in (LINE, CONE_EDGE):
            behind = rows.copy()
            behind[:, 7] = width + RIM
            behind[:, 8:11], behind[:, 11] = srgb(self.theme, "halo"), _RIM_ALPHA * alpha
            behind[:, 12] = 0.0
            self._rims.append(behind)

    def polyline(
        self, points: Array, token: str, width: float, dash: tuple[float, float] = (0.0, 0.0), alpha: float = 1.0,
        rim: bool = True,
    ) -> None:  # fmt: skip
        """Add lines from point to point, shape (k, 3), [m]; dashes run on round the corners."""
        between = points[1:] - points[:-1]
        steps = np.sqrt((between * between).sum(axis=1))
        begins = np.concatenate([[0.0], np.cumsum(steps)[:-1]])
        self.lines(points[:-1], points[1:], token, width, LINE, dash, begins, alpha=alpha, rim=rim)

    def picture(self, tints: Rows | None = None) -> PhysicsPicture:
        """Return what was collected; rims lie behind all lines."""
        shapes = np.concatenate(self._shapes) if self._shapes else shape_rows(0)
        lines = [*self._rims, *self._lines]
        return PhysicsPicture(
            shapes, np.concatenate(lines) if lines else np.zeros((0, LINE_WIDTH), dtype=np.float32), tints
        )
