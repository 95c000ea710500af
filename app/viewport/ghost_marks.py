"""The labels of ghosts: each over its own, none over another. Sizes are logical pixels."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from app.viewport import paint
from app.viewport.ghost_keys import AFTER, BEFORE
from app.viewport.ghosts import ghost_name

if TYPE_CHECKING:
    from app.viewport.scene import Scene
    from app.viewport.view import View

_GAP = 4.0


class GhostLabel(NamedTuple):
    """A label.

    Attributes:
        box: Where, [px].
        frame: The frame a click goes to.
        text: What it says.
        token: Its colour.
    """

    box: QRectF
    frame: int
    text: str
    token: str


def ghost_labels(view: View, scene: Scene) -> list[GhostLabel]:
    """Return a label for each ghost that has room for one, the nearest ghosts first."""
    bounds, found = QRectF(view.rect()), []
    lit, now = scene.document.session.hovered_ghost, scene.document.frame
    ghosts = sorted(scene.ghosts, key=lambda ghost: abs(ghost.frame - now))
    tops = view.project(np.array([ghost.top for ghost in ghosts]).reshape(-1, 3)).tolist()
    for ghost, (x, y, depth) in zip(ghosts, tops, strict=True):
        if depth <= 0.0:
            continue
        text = ghost_name(ghost.frame, ghost.keyed)
        width, height = paint.chip_size(text)
        box = QRectF(x - 0.5 * width, y - 10.0 - height, width, height)
        if bounds.intersects(box):
            found.append(GhostLabel(box, ghost.frame, text, ghost.token))
    nearest = [next((each for each in found if each.token == token), None) for token in (BEFORE, AFTER)]
    if nearest[0] is not None and nearest[1] is not None:
        _part(nearest[0].box, nearest[1].box)
    shown: list[GhostLabel] = []
    for label in sorted(found, key=lambda label: (label.frame != lit, label not in nearest)):
        inside = label._replace(box=paint.keep_inside(label.box, bounds))
        if not any(inside.box.adjusted(-_GAP, 0.0, _GAP, 0.0).intersects(other.box) for other in shown):
            shown.append(inside)
    return shown


def _part(first: QRectF, second: QRectF) -> None:
    """Move two labels that overlap apart, sideways, so that each stays over its own ghost."""
    if not first.adjusted(-_GAP, 0.0, _GAP, 0.0).intersects(second):
        return
    left, right = (first, second) if first.center().x() <= second.center().x() else (second, first)
    overlap = left.right() + _GAP + 1.0 - right.left()
    left.translate(-0.5 * overlap, 0.0)
    right.translate(0.5 * overlap, 0.0)


def draw_ghost_labels(painter: QPainter, view: View, labels: list[GhostLabel], lit: int | None) -> None:
    """Draw the ghosts' labels, that of the ghost under the pointer last; a click on one goes there."""
    for label in sorted(labels, key=lambda label: label.frame == lit):
        over = label.frame == lit
        paint.draw_chip(
            painter, view.theme, label.box, label.text, "text" if over else label.token, label.token if over else None
        )
