"""The shapes that follow a figure's joints: made once for a look, and carried along pose by pose."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from app.render.physics_picture import CYLINDER, ELLIPSOID, Pen, Rows, shape_rows
from app.scene.physics_figure import FigureMarks, placed

if TYPE_CHECKING:
    from app.document.physics.overlays import Overlay
    from app.look.theme import Theme

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]

KEYED, DYNAMIC, MOTOR = 0, 1, 2
_TOKENS = ("text3", "dyn", "dyn")
_FILLS, _RINGS = np.array([0.10, 0.13, 0.05]), np.array([0.35, 0.7, 0.7])  # by what moves a body
_OUTLINE = 1.3
_HINGE_FILL, _HINGE_RINGS, _BALL_FILL, _BALL_RINGS = 0.42, 0.8, 0.30, 0.85
_RAIL, _BLOCK = 1.2, 0.3  # half lengths of a slide's rail and block, in those of a hinge's cylinder


class FigureShapes:
    """Ellipsoids, cylinders and spheres of a figure; what does not change with its pose is kept."""

    def __init__(self) -> None:
        self._key: tuple[object, ...] = ()
        self._joints: Numbers = np.zeros(0, dtype=np.int64)
        self._maps: Array = np.zeros((0, 3, 4))
        self._rows: Rows = shape_rows(0)

    def draw(
        self, pen: Pen, marks: FigureMarks, poses: Array, moved_by: bytes, overlays: Mapping[str, Overlay]
    ) -> None:
        """Draw them.

        Args:
            pen: Takes the rows.
            marks: Of the figure.
            poses: World frames of its joints, shape (n, 4, 4), [m].
            moved_by: ``KEYED``, ``DYNAMIC`` or ``MOTOR`` for each joint; empty for all keyed.
            overlays: Which are on, and how large.
        """
        shown = overlays["inertia"], overlays["hinges"], overlays["balls"]
        key = (marks, moved_by, shown, pen.theme)
        if key != self._key:
            self._key = key
            self._make(marks, moved_by, overlays, pen.theme)
        if len(self._joints):
            rows = self._rows.copy()
            rows[:, :12] = placed(poses, self._joints, self._maps).reshape(-1, 12)
            pen.add_shapes(rows)
        if overlays["hinges"].on and len(marks.slides):
            _draw_slides(pen, marks, poses, overlays["hinges"].scale)

    def _make(self, marks: FigureMarks, moved_by: bytes, overlays: Mapping[str, Overlay], theme: Theme) -> None:
        pen, joints, maps = Pen(theme), [], []
        kinds = np.zeros(len(marks.masses), dtype=np.int64)
        if len(moved_by) == len(kinds):
            kinds[:] = np.frombuffer(moved_by, dtype=np.uint8)
        kinds = kinds[marks.bodies]
        for name, kind, owners, shapes, tokens, which, fill, rings in (
            ("inertia", ELLIPSOID, marks.bodies, marks.ellipsoids, _TOKENS, kinds, _FILLS[kinds], _RINGS[kinds]),
            ("hinges", CYLINDER, marks.hinges, marks.cylinders, ("accent",), 0, _HINGE_FILL, _HINGE_RINGS),
            ("balls", ELLIPSOID, marks.balls, marks.spheres, ("lock_position",), 0, _BALL_FILL, _BALL_RINGS),
        ):
            if overlays[name].on and len(owners):
                pen.shapes(kind, shapes, tokens, which, _OUTLINE, fill, rings)
                joints.append(owners)
                larger = shapes.copy()
                larger[:, :, :3] *= overlays[name].scale  # about its middle
                maps.append(larger)
        self._rows = pen.picture().shapes
        self._joints = np.concatenate(joints) if joints else np.zeros(0, dtype=np.int64)
        self._maps = np.concatenate(maps) if maps else np.zeros((0, 3, 4))


def _draw_slides(pen: Pen, marks: FigureMarks, poses: Array, scale: float) -> None:
    """Draw the rail of each slide and the block on it."""
    frames = poses[marks.slides]
    middle = frames[:, :3, 3]
    along = (frames[:, :3, :3] @ marks.rails[:, 1, :, None])[:, :, 0] * scale
    pen.lines(middle - _RAIL * along, middle + _RAIL * along, "accent", 1.4)
    pen.lines(middle - _BLOCK * along, middle + _BLOCK * along, "accent", 5.0)
