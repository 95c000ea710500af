"""Where a tag of a gesture stands: beside what it is about, not over the figure if there is room.

Sizes are logical pixels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF

from app.marks import paint
from core.skeleton.segment import end_effector

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.scene.pointing import SceneView
    from app.scene.scene import Scene
    from core.skeleton import Skeleton

Array = NDArray[np.float64]

WIDEST, SHARE = 380.0, 0.45
"""A tag is at most so wide, and at most that share of its view."""
GAP = 8.0
_MARGIN = 14.0
"""How far from the middle line of a segment a tag must stay."""
_PRECIOUS, _AGAIN, _STEP = 40.0, 12.0, 1.0
"""Cost of a point of the dragged part or the head beside 1 of another one's; of leaving the side last taken; and of
each further choice."""
_ALONG = np.array([0.0, 1.0, 2.0])
"""Places on a segment that are looked at, in halves of it."""


def fitted(text: str, brief: str, room: float) -> str:
    """Return the words of a tag that fit a view so wide: all, else the brief ones, cut off where they must be."""
    most = min(WIDEST, SHARE * room)
    for words in (text, brief):
        if words and paint.chip_size(words)[0] <= most:
            return words
    inside = most - 2.0 * paint.CHIP_PADDING
    return QFontMetricsF(paint.font(12.0, 500)).elidedText(brief or text, Qt.TextElideMode.ElideRight, inside)


class TagPlaces:
    """Chooses places for tags over a figure; one that follows the mouse keeps its side as long as that is about free.

    Args:
        scene: The posed figure.
    """

    def __init__(self, scene: Scene):
        self._scene = scene
        self._known: tuple[Skeleton | None, Array, Array] = (None, np.zeros((0, 3)), np.zeros(0))
        self._last: int | None = None

    def forget(self) -> None:
        """Take note that a gesture is over."""
        self._last = None

    def place(
        self, view: SceneView, room: QRectF, around: QRectF, text: str, part: int, taken: Sequence[QRectF] = ()
    ) -> QRectF:
        """Return the box of a tag.

        Args:
            view: The view.
            room: Where in it tags may stand.
            around: What the tag belongs to: it stands beside this.
            text: Its words.
            part: The part that is dragged or turned.
            taken: Boxes that other tags have.
        """
        width, height = paint.chip_size(text)
        points, weights = self._points(view, part)
        boxes = [paint.keep_inside(box, room) for box in _choices(around, points, width, height)]
        costs = []
        for k, box in enumerate(boxes):
            cost = _STEP * k + (0.0 if self._last in (None, k) else _AGAIN)
            if len(points):
                inside = (
                    (points[:, 0] > box.left() - _MARGIN) & (points[:, 0] < box.right() + _MARGIN)
                    & (points[:, 1] > box.top() - _MARGIN) & (points[:, 1] < box.bottom() + _MARGIN)
                )  # fmt: skip
                cost += _AGAIN * float(weights[inside].sum())
            cost += sum(_PRECIOUS * _AGAIN for other in (around, *taken) if box.intersects(other))
            costs.append(cost)
        self._last = int(np.argmin(costs))
        return boxes[self._last]

    def _points(self, view: SceneView, part: int) -> tuple[Array, Array]:
        """Return places on the segments as they appear, shape (m, 2), and how much each must be seen, shape (m,)."""
        skeleton = self._scene.skeleton
        if skeleton is None:
            return np.zeros((0, 2)), np.zeros(0)
        if self._known[0] is not skeleton:
            halves = np.array([end_effector(skeleton, joint) for joint in range(len(skeleton.joints))])
            heads = [_PRECIOUS if "head" in joint.name.lower() else 1.0 for joint in skeleton.joints]
            self._known = (skeleton, halves, np.array(heads))
        _, halves, weights = self._known
        poses = self._scene.poses
        reach = np.einsum("nij,nj->ni", poses[:, :3, :3], halves)
        world = poses[:, None, :3, 3] + _ALONG[None, :, None] * reach[:, None]
        seen = view.project(world.reshape(-1, 3))
        weights = weights.copy()
        weights[part] = _PRECIOUS
        front = seen[:, 2] > 0.0
        return seen[front, :2], np.repeat(weights, len(_ALONG))[front]


def _choices(around: QRectF, points: Array, width: float, height: float) -> list[QRectF]:
    """Return the boxes that come into question, best first."""
    middle, x, y = around.center(), around.left(), around.top()
    right, bottom = around.right() + GAP, around.bottom() + GAP
    level, over, under = middle.y() - 0.5 * height, y - GAP - height, bottom
    lefts = [middle.x() - 0.5 * width, right, x - GAP - width]
    found = [(lefts[0], over), (lefts[1], level), (lefts[2], level), (lefts[0], under)]
    found += [(lefts[1], over), (lefts[2], over), (lefts[1], under), (lefts[2], under)]
    if len(points):  # beside the whole figure
        near = [points[:, 0].max() + _MARGIN + GAP, points[:, 0].min() - _MARGIN - GAP - width]
        near.sort(key=lambda left: abs(left + 0.5 * width - middle.x()))
        found += [(left, top) for left in near for top in (level, over, under)]
    return [QRectF(left, top, width, height) for left, top in found]
