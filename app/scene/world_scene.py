"""The document's floor, obstacles, rigid bodies and other figures as the views show them now."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.document.content.walk_rules import terrain_of
from app.physics.line_edits import FORCES, STRINGS, body_names, definite_name
from app.render.ground import GROUND, Ground
from app.words.line_kinds import STRAND
from core.kinematics.extent import Span
from core.kinematics.picking import Picker
from core.skeleton.figure_parts import full_name

if TYPE_CHECKING:
    from app.render.physics_world import Solid
    from app.render.world_lines import WorldLine
    from app.scene.other_figures import OtherFigure
    from app.scene.scene import Scene
    from core.preview.settings import PhysicsSettings
    from core.skeleton import Skeleton
    from core.terrain import Terrain

Array = NDArray[np.float64]

_DOWN = np.array([0.0, -1.0, 0.0])
OBSTACLE, BODY, STRANDS = "obstacles", "rigid_bodies", "strands"
"""Where the settings of physics have what stands, what moves freely, and strands."""
LINES = (STRINGS, FORCES, STRANDS)
"""Where they have what is attached."""


class WorldItem(NamedTuple):
    """Something in the world besides figures.

    Attributes:
        field: ``OBSTACLE``, ``BODY``, or one of ``LINES`` for what is attached.
        number: Its place there.
        name: What it is called.
        point: Where it was hit, world, shape (3,), [m].
        distance: From the ray's origin, [m].
        node: Which of the points of something that is attached; None for the thing itself.
    """

    field: str
    number: int
    name: str
    point: Array
    distance: float
    node: int | None = None

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
        self._hair: tuple[object, Solid | None] = (None, None)
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

    @property
    def terrain(self) -> Terrain | None:
        """Ground that is not level: what the active figure walks on, else the scene's, else what others walk on."""
        if self._scene.at_rest:
            return None
        sequence, settings = self._scene.document.sequence, self.settings
        found = None if sequence is None else terrain_of((sequence,))
        if found is None and settings is not None:
            found = settings.terrain
        return terrain_of(self._scene.document.model.others) if found is None and sequence is not None else found

    def struck(self, origin: Array, direction: Array) -> Array | None:
        """Return where a ray meets the ground, or beside it the floor, shape (3,), [m]; None if it does not.

        Args:
            origin: Where the ray starts, world, shape (3,), [m].
            direction: Where it goes, unit, shape (3,).
        """
        ground, terrain = self.ground, self.terrain
        found = None if terrain is None else terrain.hit(origin, direction)
        if found is not None or ground is None or not direction @ ground.normal < 0.0:
            return found
        far = float((ground.level - origin @ ground.normal) / (direction @ ground.normal))
        return np.asarray(origin + far * direction) if far > 0.0 else None

    def on_ground(self, points: Array) -> Array:
        """Return the places on the ground, or beside it on the floor, straight below or above some points.

        Args:
            points: Shape (k, 3), [m].

        Returns:
            Shape (k, 3), [m]; NaN where there is neither.
        """
        found = np.full_like(points, np.nan) if self.ground is None else self.ground.below(points)
        if self.terrain is not None:
            heights, _, there = self.terrain.surface(points[:, [0, 2]])
            found[there] = points[there]
            found[there, 1] = heights[there]
        return found

    def below(self, points: Array) -> Array:
        """Return the places on the highest surface of the world below some points: obstacles, else ground, else floor.

        Args:
            points: Shape (k, 3), [m].

        Returns:
            Shape (k, 3), [m]; NaN where there is nothing below.
        """
        points = np.asarray(points, dtype=np.float64).reshape(-1, 3)
        found, obstacles = self.on_ground(points), self._solid_obstacles()
        if obstacles is not None:
            picker = self._picker(obstacles.figure)
            for k, point in enumerate(points):
                hit = picker.pick(obstacles.poses, point, _DOWN)
                if hit is not None and not hit.point[1] <= found[k, 1]:
                    found[k] = point[0], hit.point[1], point[2]
        return found

    def _picker(self, skeleton: Skeleton) -> Picker:
        found = self._pickers.get(skeleton)
        if found is None:
            if len(self._pickers) > 3:
                self._pickers.clear()
            found = self._pickers[skeleton] = Picker(skeleton)
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
            hit = None if solid is None else self._picker(solid.figure).pick(solid.poses, origin, direction)
            if hit is not None and hit.joint < len(numbers):
                number = numbers[hit.joint]
                item = getattr(settings, field)[number]
                found.append(WorldItem(field, number, item.name or item.kind, hit.point, hit.distance))
        return min(found, key=lambda each: each.distance, default=None)

    def lines(self) -> list[WorldLine]:
        """Return the strings, springs, ropes, muscles and strands as they are now."""
        settings, skeleton = self.settings, self._scene.skeleton
        if settings is None or skeleton is None or not self.has_lines:
            return []
        from app.render.world_lines import world_lines  # it brings the forces along

        found = world_lines(settings, skeleton, self._scene.poses, self.part_frames(), self.seconds)
        return [*found, *self._strands()]

    @property
    def has_lines(self) -> bool:
        """Whether anything is attached."""
        settings = self.settings
        return settings is not None and bool(settings.strings or settings.forces or settings.strands)

    def _strands(self) -> list[WorldLine]:
        """Return hair, tails and cords: as they were simulated, else as keys move them."""
        settings, skeleton, physics = self.settings, self._scene.skeleton, self._scene.document.physics
        if settings is None or skeleton is None or not settings.strands:
            return []
        from app.render.world_lines import strand_lines  # it brings the forces along
        from core.preview.secondary_motion import placed

        sample = physics.current
        if sample is not None:
            return strand_lines(settings, dict(enumerate(sample.strands)), skeleton)
        poses, hanging = self._scene.poses, physics.strands.at(self._scene.document.frame)
        frames = {name: poses[k] for k, name in enumerate(skeleton.joint_names)}
        found = {number: placed(settings.strands[number], nodes, frames) for number, nodes in hanging.items()}
        return strand_lines(settings, {number: p for number, p in found.items() if p is not None}, skeleton)

    @property
    def seconds(self) -> float:
        """Time of the sequence that is shown, [s]."""
        document = self._scene.document
        return 0.0 if document.sequence is None else document.physics.frame / document.sequence.fps

    def body_frames(self) -> dict[str, Array]:
        """Return where rigid bodies are now, world frames of shape (4, 4), by the names that lines know them by."""
        settings, sample = self.settings, self._scene.document.physics.current
        if settings is None:
            return {}
        poses = [body.X_WB for body in settings.rigid_bodies] if sample is None else sample.rigid_bodies
        return dict(zip(body_names(settings), poses, strict=False))

    def part_frames(self) -> dict[str, Array]:
        """Return the same, and where there are several figures also the joints of those shown, by their full names."""
        frames, model, skeleton = self.body_frames(), self._scene.document.model, self._scene.skeleton
        if len(model.figures) < 2 or skeleton is None:
            return frames
        names = model.figure_names
        shown = [(names[model.active.figure], skeleton, self._scene.poses)]
        shown += [(names[each.number], each.skeleton, each.poses) for each in self._others()]
        for name, figure, poses in shown:
            frames |= {full_name(name, joint): pose for joint, pose in zip(figure.joint_names, poses, strict=True)}
        return frames

    def part_at(self, origin: Array, direction: Array) -> tuple[str, Array, float] | None:
        """Return the part of another figure that a ray hits first: full name, place in the world and distance, [m].

        Args:
            origin: Where the ray starts, world, shape (3,), [m].
            direction: Where it goes, unit, shape (3,).
        """
        found = []
        names = self._scene.document.model.figure_names
        for each in self._others():
            hit = self._scene.others.picker(each.skeleton).pick(each.poses, origin, direction)
            if hit is not None:
                part = full_name(names[each.number], each.skeleton.joint_names[hit.joint])
                found.append((part, hit.point, hit.distance))
        return min(found, key=lambda each: each[2], default=None)

    def _others(self) -> tuple[OtherFigure, ...]:
        """Return the other figures where something may be attached to them; hidden ones hold strings as well."""
        return () if self._scene.at_rest else self._scene.others.here

    def _courses(self) -> list[Array]:
        lines = self.lines()
        if not lines:
            return []
        from app.render.world_lines import course_of  # whoever has a line has loaded it

        return [course_of(line) for line in lines]

    def nodes(self) -> list[WorldItem]:
        """Return the points that strings, springs, ropes and muscles run through, where they are."""
        return [
            WorldItem(*line.key, self._node_name(line, node), point, 0.0, node)
            for line in self.lines()
            if line.key[0] != STRANDS  # theirs are many, and move by themselves
            for node, point in enumerate(line.points)
        ]

    def _node_name(self, line: WorldLine, node: int) -> str:
        settings = self.settings
        assert settings is not None
        own = getattr(settings, line.key[0])[line.key[1]]
        if line.key[0] == STRINGS and node == len(line.points) - 1:
            return f"anchor of {definite_name(own)}"
        return f"{'end' if node in (0, len(line.points) - 1) else 'point'} of {definite_name(own)}"

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
        """Obstacles, rigid bodies where they are now, and other figures."""
        settings, sample = self.settings, self._scene.document.physics.current
        if settings is None and sample is None:
            return self._scene.others.solids
        from app.render.physics_world import moving_solid  # it brings the shapes along

        moving = moving_solid(settings, None if sample is None else (sample.shapes, sample.rigid_bodies))
        there = [solid for solid in (self._solid_obstacles(), moving, self._strand_solid()) if solid is not None]
        return (*there, *self._scene.others.solids)

    def _strand_solid(self) -> Solid | None:
        lines = self._strands()
        if not lines:
            return None
        from app.render.world_lines import strands_solid  # whoever has a strand has loaded it

        key = tuple((line.points.tobytes(), line.radius, line.free) for line in lines)
        if self._hair[0] != key:  # views ask one after the other
            self._hair = key, strands_solid(lines)
        return self._hair[1]

    def places_of(self, field: str, number: int) -> Array:
        """Return where something in the world is: the points of a line, else its place; shape (k, 3), [m]."""
        own = [line.points for line in self.lines() if line.key == (field, number)]
        items = () if self.settings is None else getattr(self.settings, field)
        if own or not number < len(items):
            return np.array(own, dtype=np.float64).reshape(-1, 3)
        return np.array(items[number].position, dtype=np.float64).reshape(1, 3)

    def extents(self) -> list[Array]:
        """Return for each body that there is some points that span it, shape (k, 3), [m]; obstacles come last."""
        found: list[tuple[bool, Array]] = [(False, course) for course in self._courses()]
        solids = self.solids
        self._spans = {each.figure: self._spans.get(each.figure) or Span(each.figure) for each in solids}
        for solid in solids:
            if solid.token == STRAND:  # by their courses
                continue
            span = self._spans[solid.figure]
            parts = [None] if solid.token == "body" else [(joint,) for joint in range(len(solid.poses))]
            found += [(solid.token == "obstacle", span.place(solid.poses, part)) for part in parts]
        return [points for _, points in sorted(found, key=lambda each: each[0])]
