"""The pointer in a view, and what may be asked of the view it is in, without knowing which widget that is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRect

if TYPE_CHECKING:
    from app.look.theme import Theme
    from app.render.camera import Camera

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Pointer:
    """Where the pointer is in a view, and what is held.

    Attributes:
        x: Logical pixels from the view's left.
        y: Logical pixels from its top.
        shift: Whether Shift is held.
        ctrl: Whether Ctrl is held.
    """

    x: float
    y: float
    shift: bool = False
    ctrl: bool = False


class SceneView(Protocol):
    """What tools and marks may ask of the view they work and are painted in.

    Attributes:
        chip_left: Where chips in its upper left corner begin, logical pixels.
    """

    chip_left: float

    @property
    def camera(self) -> Camera:
        """What it is seen through."""

    @property
    def theme(self) -> Theme:
        """Colours of the view."""

    def width(self) -> int:
        """Return how wide it is, logical pixels."""

    def height(self) -> int:
        """Return how high it is, logical pixels."""

    def rect(self) -> QRect:
        """Return its own area, logical pixels."""

    def ray(self, x: float, y: float) -> tuple[Array, Array]:
        """Return origin and unit direction of the ray under a pixel."""

    def project(self, points: Array) -> Array:
        """Return pixels and depth of world points, shape (m, 3)."""

    def pixel_size(self, point: Array) -> float:
        """Return how many metres a logical pixel covers at a world point."""

    def update(self) -> None:
        """Paint the overlays again soon."""


def view_point(view: SceneView, point: Array) -> QPointF:
    """Return where a world point appears in a view, logical pixels."""
    x, y, _ = view.project(np.asarray(point, dtype=np.float64)[None])[0]
    return QPointF(float(x), float(y))
