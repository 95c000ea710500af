"""The grips of a lock's target as they are painted, and how far it has come. Sizes are logical pixels."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPen

from app.marks import manipulators, overlays, paint, part_rings
from app.scene.pointing import view_point

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.marks.manipulators import Handle
    from app.marks.tag_places import TagPlaces
    from app.scene.lock_places import LockMark
    from app.scene.pointing import SceneView

Array = NDArray[np.float64]

HALF = 5.0
"""Half of the handle in the middle."""
HEADER = 34.0
_FAR = 100.0


class HeldTarget(Protocol):
    """The target of a lock while it is dragged, world, [m]; see ``app.tools.lock_hold.LockHold``."""

    @property
    def mark(self) -> LockMark:
        """The lock as it was at the press."""

    @property
    def grip(self) -> Handle | None:
        """Arrow or ring that is held, if one is."""

    @property
    def turning(self) -> bool:
        """Whether it turns."""

    @property
    def axis(self) -> int | None:
        """World axis that it is held to, 0 to 2."""

    @property
    def start(self) -> Array:
        """Where it was at the press, shape (3,)."""

    @property
    def by(self) -> Array:
        """How far it has come, shape (3,)."""

    @property
    def wanted(self) -> float:
        """How far the ring was turned, before Shift, [rad]."""

    @property
    def amount(self) -> float:
        """How far it has come: [m], or [rad] if it turns."""


def toward(view: SceneView, handle: Handle) -> Handle:
    """Return a ring with its letter where it is seen best: far from the middle, and rather in front than behind."""
    if handle.kind != "hinge":
        return handle
    right, up, eye = view.camera.basis
    side = np.cross(handle.axis, handle.zero)

    def seen(direction: Array) -> float:
        return float(np.hypot(direction @ right, direction @ up) + 0.4 * (direction @ eye))

    return replace(handle, zero=max((handle.zero, side, -handle.zero, -side), key=seen))


def draw(
    painter: QPainter, view: SceneView, shown: Sequence[Handle], lit: int | None, middle: Array | None, in_middle: bool
) -> None:
    """Draw the grips of a selected lock.

    Args:
        painter: Where to draw.
        view: The view.
        shown: Arrows and rings.
        lit: Number of the one under the pointer.
        middle: Where the handle in the middle is, shape (3,), [m]; None for none.
        in_middle: Whether the pointer is over that.
    """
    turned = tuple(toward(view, each) for each in shown)
    if turned:
        manipulators.draw(painter, view, view.theme, turned, lit if lit is None or lit < len(turned) else None, None)
    if middle is not None:
        draw_middle(painter, view, middle, in_middle)


def draw_middle(painter: QPainter, view: SceneView, place: Array, lit: bool) -> None:
    """Draw the handle that moves a target in the plane of the view."""
    at = view_point(view, place)
    painter.setPen(QPen(paint.color(view.theme, "halo", 0.85), 1.4))
    painter.setBrush(paint.color(view.theme, "accent" if lit else "text"))
    painter.drawRect(QRectF(at.x() - HALF, at.y() - HALF, 2.0 * HALF, 2.0 * HALF))


def draw_path(painter: QPainter, view: SceneView, hold: HeldTarget) -> None:
    """Draw the grip that is dragged, the axis a target is held to, and the path it has come."""
    if hold.axis is not None:
        along = np.linspace(-_FAR, _FAR, 81)[:, None] * np.eye(3)[hold.axis]
        seen = view.project(hold.start + along)
        ends = [view_point(view, hold.start + along[k]) for k in np.flatnonzero(seen[:, 2] > 0.0)[[0, -1]]]
        token = overlays.AXIS_TOKENS[hold.axis]
        paint.stroke_line(painter, view.theme, ends, token, 1.4, (6.0, 4.0), halo=1.2, alpha=0.9)
    if hold.turning and hold.grip is not None:
        part_rings.draw_sector(painter, view, hold.grip, hold.amount, 0.0)
    if hold.grip is not None:
        turned = replace(hold.grip, value=hold.wanted, center=hold.grip.center + hold.by)
        manipulators.draw(painter, view, view.theme, (turned,), 0, 0)
    if not hold.turning:
        line = [view_point(view, hold.start), view_point(view, hold.start + hold.by)]
        paint.stroke_line(painter, view.theme, line, "accent", 1.6, (4.0, 3.0))
        draw_middle(painter, view, hold.start + hold.by, True)


def draw_tag(
    painter: QPainter, view: SceneView, hold: HeldTarget, places: TagPlaces, text: str, troubled: bool
) -> QRectF:
    """Draw the tag that says how far a target has come; return its box."""
    at = view_point(view, hold.start + hold.by)
    room = QRectF(painter.viewport()).adjusted(0.0, HEADER, 0.0, 0.0)
    size = manipulators.RADIUS + 8.0 if hold.turning and hold.grip is not None else 16.0
    around = QRectF(at.x() - size, at.y() - size, 2.0 * size, 2.0 * size)
    box = places.place(view, room, around, text, hold.mark.joint)
    ink, border = ("warn", "warn") if troubled else ("accent", "acc_line")
    paint.draw_chip(painter, view.theme, box, text, ink, border)
    return box
