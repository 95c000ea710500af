"""What touches in a scene: the shapes that its bodies carry, and the world that they are in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from core.checked_arrays import shown
from core.dynamics.contact.shapes import Geometry
from core.dynamics.contact.world import World
from core.errors import DynamicsError


@dataclass(frozen=True, eq=False)
class Contacts:
    """The contacts of a :class:`core.dynamics.Scene`.

    Attributes:
        geometries: The shapes that bodies carry.
        world: Floor and obstacles; its gravity does not count, that of the scene's model does.
        self_contact: Whether parts of one tree touch each other.

    Raises:
        DynamicsError: If something is of the wrong type.
    """

    geometries: tuple[Geometry, ...] = ()
    world: World = field(default_factory=World)
    self_contact: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.geometries, Geometry) or not isinstance(self.geometries, Iterable):
            raise DynamicsError(
                f"geometries are {shown(self.geometries)}; they must be a tuple, (one,) for a single one"
            )
        object.__setattr__(self, "geometries", tuple(self.geometries))
        for geometry in self.geometries:
            if not isinstance(geometry, Geometry):
                raise DynamicsError(f"among the geometries is {shown(geometry)}; each must be a Geometry")
        if not isinstance(self.world, World):
            raise DynamicsError(f"the world of the contacts is {shown(self.world)}; it must be a World")
