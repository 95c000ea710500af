"""The document's floor, obstacles, moving things and other figures as the views show them now."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from app.viewport.ground import GROUND, Ground
from core.kinematics import forward_kinematics

if TYPE_CHECKING:
    from app.viewport.physics_world import Solid
    from app.viewport.scene import Scene
    from core.preview.settings import PhysicsSettings

Array = NDArray[np.float64]


class WorldScene:
    """What the figure moves among; without settings of physics an empty place with the usual floor.

    Args:
        scene: The posed figure.
    """

    def __init__(self, scene: Scene):
        self._scene = scene
        self._ground: tuple[object, Ground | None] = (None, GROUND)
        self._obstacles: tuple[object, Solid | None] = (None, None)
        self._others: tuple[object, tuple[Solid, ...]] = (None, ())

    @property
    def settings(self) -> PhysicsSettings | None:
        """The document's, None while it has none or its figure stands at rest to be edited."""
        document = self._scene.document
        return document.physics_settings if document.model.physics and not self._scene.at_rest else None

    @property
    def ground(self) -> Ground | None:
        """The floor; None where there is none."""
        settings = self.settings
        if settings is None:
            return GROUND
        if self._ground[0] is not settings:
            floor = settings.floor
            self._ground = settings, None if floor is None else Ground(floor.normal, floor.offset)
        return self._ground[1]

    @property
    def solids(self) -> tuple[Solid, ...]:
        """Obstacles, things that move freely where they are now, and in physics mode other figures."""
        settings, sample = self.settings, self._scene.document.physics.current
        found = []
        if settings is not None or sample is not None:
            from app.viewport.physics_world import obstacle_solid, thing_solid  # they bring the shapes along

            if settings is not None:
                if self._obstacles[0] is not settings:
                    self._obstacles = settings, obstacle_solid(settings.world.geometries)
                found.append(self._obstacles[1])
            if sample is not None:
                found.append(thing_solid(sample.shapes, sample.props))
            elif settings is not None:
                found.append(thing_solid(settings.props, [thing.X_WB for thing in settings.props]))
        return (*(solid for solid in found if solid is not None), *self._other_figures())

    def strings(self) -> list[Array]:
        """Return the course of each string, shape (k, 3), [m]."""
        settings, sample, skeleton = self.settings, self._scene.document.physics.current, self._scene.skeleton
        if settings is None or not settings.strings or skeleton is None:
            return []
        from app.viewport.physics_world import string_lines

        things = settings.props if sample is None else sample.shapes
        poses = [thing.X_WB for thing in things] if sample is None else sample.props
        named = {thing.name: pose for thing, pose in zip(things, poses, strict=False) if thing.name}
        return string_lines(settings, skeleton, self._scene.poses, named)

    def _other_figures(self) -> tuple[Solid, ...]:
        document = self._scene.document
        if document.physics.mode != "physics" or len(document.model.figures) < 2:
            return ()
        from app.viewport.physics_world import FIGURE, Solid

        model, sample = document.model, document.physics.current
        key: object = sample if sample is not None else (document.frame, document.stack.index())
        if self._others[0] is not key and self._others[0] != key:
            there = [
                (model.figures[i].skeleton, model.sequences[index])
                for i, index in enumerate(model.active.sequences)
                if i != model.active.figure
            ]
            if sample is None:
                poses = [sequence.pose_at_frame(document.frame) for _, sequence in there]
            else:
                poses = list(sample.others)
            self._others = (
                key,
                tuple(
                    Solid(skeleton, forward_kinematics(skeleton, q), FIGURE)
                    for (skeleton, _), q in zip(there, poses, strict=False)
                ),
            )
        return self._others[1]
