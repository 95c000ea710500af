"""The figures of the document that are not active: where they are now, and which of them a ray hits."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.render.mesh.rods import with_rods
from core.kinematics import forward_kinematics
from core.kinematics.picking import Picker
from core.skeleton.helper_joints import keep_helpers, with_helpers

if TYPE_CHECKING:
    from app.document.changes import Change
    from app.render.physics_world import Solid
    from app.scene.scene import Scene
    from core.skeleton import Skeleton

Array = NDArray[np.float64]


class OtherFigure(NamedTuple):
    """A figure that is not active.

    Attributes:
        number: Its place in the document.
        skeleton: The figure, bones without a shape drawn as rods.
        q: Its pose, shape (nq,).
        poses: World frames of its joints, shape (n, 4, 4), [m].
    """

    number: int
    skeleton: Skeleton
    q: Array
    poses: Array


class FigureHit(NamedTuple):
    """What of another figure a ray hits first.

    Attributes:
        figure: Number of the figure in the document.
        joint: Index of the joint that carries the part.
        point: Where, world, shape (3,), [m].
        distance: From the ray's origin, [m].
    """

    figure: int
    joint: int
    point: Array
    distance: float


def _placed(number: int, skeleton: Skeleton, q: Array) -> OtherFigure:
    return OtherFigure(number, with_rods(skeleton), q, forward_kinematics(skeleton, q))


class OtherFigures:
    """What views draw of the document's other figures, and what of them the pointer finds."""

    def __init__(self, scene: Scene):
        self._scene = scene
        self._now: tuple[OtherFigure, ...] | None = None
        self._placed: dict[int, OtherFigure] = {}
        self._ahead: dict[tuple[int, int], tuple[OtherFigure, Array]] = {}  # by figure and frame, with helpers' frames
        self._pickers: dict[Skeleton, Picker] = {}  # of what was there last

    def take(self, change: Change) -> None:
        """Look again where they are after a change of the document."""
        self._now = None

    @property
    def here(self) -> tuple[OtherFigure, ...]:
        """All of them, hidden ones too, in the document's order, in the pose that they have now."""
        if self._now is None:
            self._now = self._posed()
        return self._now

    @property
    def shown(self) -> tuple[OtherFigure, ...]:
        """Those that views draw; none while the active figure stands at rest to be edited."""
        if self._scene.at_rest or len(self._scene.document.model.figures) < 2:
            return ()
        figures = self._scene.document.figures
        return tuple(each for each in self.here if not figures.is_hidden(each.number))

    @property
    def solids(self) -> tuple[Solid, ...]:
        """Those that views draw, for the renderer."""
        shown = self.shown
        if not shown:
            return ()
        from app.render.physics_world import FIGURE, Solid

        hovered = self._scene.document.session.view.hovered_figure
        return tuple(Solid(each.skeleton, each.poses, FIGURE, each.number == hovered) for each in shown)

    def pick(self, origin: Array, direction: Array) -> FigureHit | None:
        """Return what a ray hits first of those that are drawn and may be picked, or None.

        Args:
            origin: Where the ray starts, world, shape (3,), [m].
            direction: Where it goes, unit, shape (3,).
        """
        found, figures = [], self._scene.document.figures
        for each in self.shown:
            if figures.is_fixed(each.number):
                continue
            hit = self.picker(each.skeleton).pick(each.poses, origin, direction)
            if hit is not None:
                found.append(FigureHit(each.number, *hit))
        return min(found, key=lambda hit: hit.distance, default=None)

    def _posed(self) -> tuple[OtherFigure, ...]:
        document = self._scene.document
        model, sample = document.model, document.physics.current
        if len(model.figures) < 2:
            self._placed.clear()
            self._ahead.clear()
            return ()
        if model.ahead == 1:
            self._ahead.clear()
        numbers = [k for k in range(len(model.figures)) if k != model.active.figure]
        if sample is not None:
            poses = dict(zip(numbers, sample.others, strict=False))
        else:
            poses = {k: model.figure_pose(k, document.frame) for k in numbers}
        placed = {}
        for k, q in poses.items():
            skeleton, before = model.figures[k].skeleton, self._placed.get(k)
            # The same array, the same pose: the model keeps the poses that nothing has changed.
            if before is not None and before.q is q and before.skeleton is with_rods(skeleton):
                placed[k] = before
            else:
                placed[k] = self._placed_ahead(k, q) if sample is None else _placed(k, skeleton, q)
        self._placed = placed
        return tuple(placed.values())

    def _placed_ahead(self, number: int, q: Array) -> OtherFigure:
        """Return a figure in the pose that it has now; while it plays the frames to come are placed as well."""
        model, frame = self._scene.document.model, self._scene.document.frame
        skeleton = model.figures[number].skeleton
        if model.ahead == 1:
            return _placed(number, skeleton, q)
        known = self._ahead.get((number, frame))
        if known is None or known[0].q is not q:
            drawn = with_rods(skeleton)
            poses = [model.figure_pose(number, each) for each in model.frames_ahead(frame, number)]
            frames = forward_kinematics(skeleton, np.array(poses))
            helped = with_helpers(drawn, frames)
            for k, each in enumerate(poses):
                self._ahead[number, frame + k] = OtherFigure(number, drawn, each, frames[k]), helped[k]
            known = self._ahead[number, frame]
        del self._ahead[number, frame]
        keep_helpers(known[0].skeleton, known[0].poses, known[1])
        return known[0]

    def picker(self, skeleton: Skeleton) -> Picker:
        """Return what finds the parts of one of them under a ray."""
        found = self._pickers.get(skeleton)
        if found is None:
            there = {each.skeleton for each in self.here}
            self._pickers = {known: picker for known, picker in self._pickers.items() if known in there}
            found = self._pickers[skeleton] = Picker(skeleton)
        return found
