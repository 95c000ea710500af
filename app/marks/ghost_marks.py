"""The labels of ghosts: each over its own, none over another or over the figure. Sizes are logical pixels."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from app.marks import paint
from app.scene.ghost_keys import AFTER, BEFORE
from app.scene.ghosts import ghost_name

if TYPE_CHECKING:
    from app.scene.pointing import SceneView
    from app.scene.scene import Scene

Array = NDArray[np.float64]

_GAP = 4.0
_OVER = 10.0  # from the top of a ghost up to its label
_FAR = 12.0  # a label that is moved farther is tied to its ghost by a line


class GhostLabel(NamedTuple):
    """A label.

    Attributes:
        box: Where, [px].
        frame: The frame a click goes to.
        text: What it says.
        token: Its colour.
        top: The top of its ghost, [px].
    """

    box: QRectF
    frame: int
    text: str
    token: str
    top: QPointF


def ghost_labels(view: SceneView, scene: Scene) -> list[GhostLabel]:
    """Return a label for each ghost that has room for one, the nearest ghosts first."""
    bounds, found = QRectF(view.rect()), []
    lit, now = scene.document.session.view.hovered_ghost, scene.document.frame
    ghosts = sorted(scene.ghosts, key=lambda ghost: abs(ghost.frame - now))
    tops = view.project(np.array([ghost.top for ghost in ghosts]).reshape(-1, 3)).tolist()
    for ghost, (x, y, depth) in zip(ghosts, tops, strict=True):
        if depth <= 0.0:
            continue
        text = ghost.name or ghost_name(ghost.frame, ghost.keyed)
        width, height = paint.chip_size(text)
        box = QRectF(x - 0.5 * width, y - _OVER - height, width, height)
        if bounds.intersects(box):
            found.append(GhostLabel(box, ghost.frame, text, ghost.token, QPointF(x, y)))
    if not found:
        return []
    nearest = [next((each for each in found if each.token == token), None) for token in (BEFORE, AFTER)]
    if nearest[0] is not None and nearest[1] is not None:
        _part(nearest[0].box, nearest[1].box)
    shown: list[GhostLabel] = []
    figure = _figure_boxes(view, scene)
    for label in sorted(found, key=lambda label: (label.frame != lit, label not in nearest)):
        wanted = paint.keep_inside(label.box, bounds)
        taken = np.array([*figure, *(_with_gap(other.box) for other in shown)]) if label in nearest else figure
        inside = label._replace(box=_free_place(wanted, taken.reshape(-1, 4), bounds))
        if not any(inside.box.adjusted(-_GAP, 0.0, _GAP, 0.0).intersects(other.box) for other in shown):
            shown.append(inside)
    return shown


def _figure_boxes(view: SceneView, scene: Scene) -> Array:
    """Return the boxes of the figure's segments with the gap round them: left, top, right, bottom, (k, 4) [px]."""
    pixels, owners = view.project(scene.points(scene.poses)), scene.owners()
    seen = pixels[:, 2] > 0.0
    if not seen.all():
        pixels, owners = pixels[seen], owners[seen]
    if not len(owners):
        return np.zeros((0, 4))
    order = np.argsort(owners, kind="stable")
    places, owners = pixels[order, :2], owners[order]
    starts = np.flatnonzero(np.diff(owners, prepend=-1))
    low, high = np.minimum.reduceat(places, starts), np.maximum.reduceat(places, starts)
    return np.column_stack([low - _GAP, high + _GAP])


def _free_place(box: QRectF, taken: Array, bounds: QRectF) -> QRectF:
    """Return a box moved up or sideways, the least that leaves what is taken free; where there is no room, as it is.

    Args:
        box: The box.
        taken: Others with the gap round them, see :func:`_figure_boxes`.
        bounds: Where it must stay.
    """
    found = []
    left, top, right, bottom = taken.T
    for up, side in ((1, 0), (0, -1), (0, 1)):
        at = QRectF(box)
        for _ in range(len(taken) + 1):
            hit = (left < at.right()) & (at.left() < right) & (top < at.bottom()) & (at.top() < bottom)
            if not hit.any():
                break
            if up:
                at.moveBottom(float(top[hit].min()) - 1.0)
            elif side < 0:
                at.moveRight(float(left[hit].min()) - 1.0)
            else:
                at.moveLeft(float(right[hit].max()) + 1.0)
        if bounds.contains(at):
            found.append(at)
    return min(found, key=lambda at: (at.center() - box.center()).manhattanLength(), default=box)


def _with_gap(box: QRectF) -> tuple[float, float, float, float]:
    return box.left() - _GAP, box.top() - _GAP, box.right() + _GAP, box.bottom() + _GAP


def _part(first: QRectF, second: QRectF) -> None:
    """Move two labels that overlap apart, sideways, so that each stays over its own ghost."""
    if not first.adjusted(-_GAP, 0.0, _GAP, 0.0).intersects(second):
        return
    left, right = (first, second) if first.center().x() <= second.center().x() else (second, first)
    overlap = left.right() + _GAP + 1.0 - right.left()
    left.translate(-0.5 * overlap, 0.0)
    right.translate(0.5 * overlap, 0.0)


def draw_ghost_labels(painter: QPainter, view: SceneView, labels: list[GhostLabel], lit: int | None) -> None:
    """Draw the ghosts' labels, that of the ghost under the pointer last; a click on one goes there."""
    for label in sorted(labels, key=lambda label: label.frame == lit):
        over = label.frame == lit
        beside = max(label.box.left() - label.top.x(), label.top.x() - label.box.right())
        if beside > _FAR or label.top.y() - label.box.bottom() > _OVER + _FAR:
            end = QPointF(
                min(max(label.top.x(), label.box.left() + _GAP), label.box.right() - _GAP),
                min(max(label.top.y(), label.box.top()), label.box.bottom()),
            )
            paint.stroke_line(painter, view.theme, [end, label.top], label.token, 1.0, halo=1.2, alpha=0.8)
        paint.draw_chip(
            painter, view.theme, label.box, label.text, "text" if over else label.token, label.token if over else None
        )
