"""The document's floor, obstacles, rigid bodies and other figures as the views show them now."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.render.ground import GROUND, Ground
from core.kinematics import forward_kinematics
from core.kinematics.extent import Span
from core.kinematics.picking import Picker

if TYPE_CHECKING:
    from app.render.physics_world import Solid
    from app.scene.scene import Scene
    from core.preview.settings import PhysicsSettings
    from core.skeleton import Skeleton

Array = NDArray[np.float64]

_DOWN = np.array([0.0, -1.0, 0.0])
OBSTACLE, BODY, ANCHOR = "obstacles", "rigid_bodies", "strings"
"""Where the settings of physics have what stands, what moves freely, and strings."""


class WorldItem(NamedTuple):
    """Something in the world besides figures.

    Attributes:
        field: ``OBSTACLE``, ``BODY`` or ``ANCHOR``.
        number: Its place there.
        name: What it is called.
        point: Where it was hit, world, shape (3,), [m].
        distance: From the ray's origin, [m].
    """

    field: str
    number: int
    name: str
    point: Array
    distance: float

    @property
    def key(self) -> tuple[str, int]:
        """Which one it is."""
        return self.field, self.number


class WorldScene:
    """What the figure moves among; without settings of physics an empty place with the usual floor."""

    def __init__(self, scene: Scene):
        self._scene = scene
        self._ground: tuple[object, Ground | None] = (None, GROUND)
        self._obstacles: tuple[object, Solid | None] = (None, None)
        self._others: tuple[object, tuple[Solid, ...]] = (None, ())
        self._numbers: tuple[object, list[int]] = (None, [])
        self._pickers: dict[Skeleton, Picker] = {}  # of what was asked for last
        self._spans: dict[Skeleton, Span] = {}  # of what was there last

    @property
    def settings(self) -> PhysicsSettings | None:
        """The document's, None while it has none or its figure stands at rest to be edited."""
        document = self._scene.document
        return document.physics.settings.now if document.model.physics and not self._scene.at_rest else None

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

    def below(self, points: Array) -> Array:
        """Return the places on the highest surface of the world below some points: on obstacles, else on the floor.

        Args:
            points: Shape (k, 3), [m].

        Returns:
            Shape (k, 3), [m]; NaN where there is nothing below.
        """
        points = np.asarray(points, dtype=np.float64).reshape(-1, 3)
        ground, obstacles = self.ground, self._solid_obstacles()
        found = np.full_like(points, np.nan) if ground is None else ground.below(points)
        if obstacles is not None:
            picker = self._picker(obstacles)
            for k, point in enumerate(points):
                hit = picker.pick(obstacles.poses, point, _DOWN)
                if hit is not None and not hit.point[1] <= found[k, 1]:
                    found[k] = point[0], hit.point[1], point[2]
        return found

    def _picker(self, solid: Solid) -> Picker:
        found = self._pickers.get(solid.figure)
        if found is None:
            if len(self._pickers) > 3:
                self._pickers.clear()
            found = self._pickers[solid.figure] = Picker(solid.figure)
        return found

    def item_at(self, origin: Array, direction: Array) -> WorldItem | None:
        """Return the obstacle or the body that moves which a ray hits first; None if it hits none.

        What was dropped into a simulation belongs to that alone and is none.

        Args:
            origin: Where the ray starts, world, shape (3,), [m].
            direction: Where it goes, unit, shape (3,).
        """
        settings, sample = self.settings, self._scene.document.physics.current
        if settings is None:
            return None
        from app.render.physics_world import moving_solid  # it brings the shapes along

        moving = moving_solid(settings, None if sample is None else (sample.shapes, sample.rigid_bodies))
        if self._numbers[0] is not settings:  # an obstacle may have several shapes
            self._numbers = settings, [k for k, item in enumerate(settings.obstacles) for _ in item.geometries]
        found = []
        for field, solid, numbers in (
            (OBSTACLE, self._solid_obstacles(), self._numbers[1]),
            (BODY, moving, list(range(len(settings.rigid_bodies)))),
        ):
            hit = None if solid is None else self._picker(solid).pick(solid.poses, origin, direction)
            if hit is not None and hit.joint < len(numbers):
                number = numbers[hit.joint]
                item = getattr(settings, field)[number]
                found.append(WorldItem(field, number, item.name or item.kind, hit.point, hit.distance))
        return min(found, key=lambda each: each.distance, default=None)

    def anchors(self) -> list[WorldItem]:
        """Return the places of the world at which strings hang, where they are."""
        settings = self.settings
        strings = () if settings is None else settings.strings
        return [
            WorldItem(ANCHOR, k, f"anchor of the {string.name or f'string of {string.part}'}", string.anchor, 0.0)
            for k, string in enumerate(strings)
            if string.other is None
        ]

    def _solid_obstacles(self) -> Solid | None:
        settings = self.settings
        if settings is None:
            return None
        if self._obstacles[0] is not settings:
            from app.render.physics_world import obstacle_solid  # it brings the shapes along

            self._obstacles = settings, obstacle_solid(settings.world.geometries)
        return self._obstacles[1]

    @property
    def solids(self) -> tuple[Solid, ...]:
        """Obstacles, rigid bodies where they are now, and in physics mode other figures."""
        settings, sample = self.settings, self._scene.document.physics.current
        if settings is None and sample is None:
            return self._other_figures()
        from app.render.physics_world import moving_solid  # it brings the shapes along

        moving = moving_solid(settings, None if sample is None else (sample.shapes, sample.rigid_bodies))
        there = [solid for solid in (self._solid_obstacles(), moving) if solid is not None]
        return (*there, *self._other_figures())

    def extents(self, everywhere: bool = False) -> list[Array]:
        """Return for each body that there is some points that span it, shape (k, 3), [m]; obstacles come last.

        Args:
            everywhere: Whether other figures count in modes that do not show them, too.
        """
        found: list[tuple[bool, Array]] = [(False, course) for course in self.strings()]
        solids = (*self.solids, *(self._figures_beside() if everywhere and not self._other_figures() else ()))
        self._spans = {each.figure: self._spans.get(each.figure) or Span(each.figure) for each in solids}
        for solid in solids:
            span = self._spans[solid.figure]
            parts = [None] if solid.token == "body" else [(joint,) for joint in range(len(solid.poses))]
            found += [(solid.token == "obstacle", span.place(solid.poses, part)) for part in parts]
        return [points for _, points in sorted(found, key=lambda each: each[0])]

    def strings(self) -> list[Array]:
        """Return the course of each string, shape (k, 3), [m]."""
        settings, sample, skeleton = self.settings, self._scene.document.physics.current, self._scene.skeleton
        if settings is None or not settings.strings or skeleton is None:
            return []
        from app.render.physics_world import string_lines

        bodies = settings.rigid_bodies if sample is None else sample.shapes
        poses = [body.X_WB for body in bodies] if sample is None else sample.rigid_bodies
        named = {body.name: pose for body, pose in zip(bodies, poses, strict=False) if body.name}
        return string_lines(settings, skeleton, self._scene.poses, named)

    def _other_figures(self) -> tuple[Solid, ...]:
        document = self._scene.document
        return self._figures_beside() if document.physics.mode == "physics" else ()

    def _figures_beside(self) -> tuple[Solid, ...]:
        document = self._scene.document
        if len(document.model.figures) < 2:
            return ()
        from app.render.physics_world import FIGURE, Solid

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
