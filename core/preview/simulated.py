"""What parts of a simulation see of the whole: its figures, the model made of them, and the stepper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from core.arrays import Array
    from core.dynamics.contact.contact_set import ContactSet
    from core.dynamics.contact.world import World
    from core.dynamics.engine.part_motion import BodyMotion
    from core.dynamics.engine.readings import ContactRecord
    from core.dynamics.multibody import Multibody
    from core.preview.actor import Actor
    from core.preview.keyed_states import KeyedStates
    from core.preview.settings import PhysicsSettings

Mask = NDArray[np.bool_]


class Readable(Protocol):
    """What can be read of the state that a simulation has come to, as of :class:`core.dynamics.engine.Stepper`."""

    def body_poses(self, first: int = 0) -> Array:
        """Return the poses of the bodies in the world from a number on, shape (nb - first, 4, 4)."""
        ...

    def body_twists(self) -> Array:
        """Return the twists [w; v] of the bodies at their origins B in the axes of B, shape (nb, 6)."""
        ...

    def motion(self, bodies: slice | None = None) -> BodyMotion:
        """Return energy, momentum and centre of mass of all bodies, or of some that follow each other."""
        ...

    def contact_record(self) -> ContactRecord:
        """Return what touches."""
        ...

    def joint_torques(self) -> Array:
        """Return what motors, limits and drives exert in the joints, shape (nv,), [N m] or [N]."""
        ...


class Moving(Protocol):
    """What takes the steps of a simulation, as far as all kinds do.

    Attributes:
        world: Gravity, floor, obstacles.
    """

    world: World

    @property
    def time(self) -> float:
        """Time, [s]."""
        ...

    @property
    def asleep(self) -> bool:
        """Whether everything rests until something is changed."""
        ...

    @property
    def fastest(self) -> float:
        """Largest rate of a coordinate that is not prescribed, [rad/s] or [m/s]; NaN if one is."""
        ...

    @property
    def contacts(self) -> ContactSet | None:
        """The shapes that may touch; None where nothing does."""
        ...

    @property
    def readings(self) -> Readable:
        """What can be read."""
        ...

    def state(self) -> tuple[Array, Array]:
        """Return coordinates and rates of the model, shapes (nq,) and (nv,), new."""
        ...

    def set_state(self, x: ArrayLike, v: ArrayLike, time: float = 0.0) -> None:
        """Begin anew in a state, at a time, [s]."""
        ...

    def coordinates(self) -> tuple[Array, Callable[[], Array]]:
        """Return coordinates, and what works the rates out that go with them, now or later."""
        ...


class Simulated(Protocol):
    """A simulation, as those that work for it know it.

    Attributes:
        actors: The figures.
        settings: What it goes by.
        keyed: The keyed states of each figure.
        moved: For each figure which of its joints forces carry along now, shape (n_joints,).
        model: All bodies.
    """

    actors: list[Actor]
    settings: PhysicsSettings
    keyed: list[KeyedStates]
    moved: list[Mask]
    model: Multibody

    @property
    def stepper(self) -> Moving:
        """What takes the steps."""
        ...

    def prescribed(self) -> Mask:
        """Return which coordinates move as prescribed, shape (nv,)."""
        ...

    def immobile(self) -> Array:
        """Return inertia to be added to coordinates so that none moves that keys move, shape (nv,)."""
        ...

    def push(self, body: int, impulse: Array) -> None:
        """Strike a body: a wrench times a time at its origin B, in world axes, shape (6,), [N m s] and [N s]."""
        ...
