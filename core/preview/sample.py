"""What a simulation reports at one time: the pose, what touches, what pulls, and how well all of it holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.preview.rigid_bodies import RigidBody

if TYPE_CHECKING:
    from core.dynamics.forces import Path

KEYED, FREE, MOTORED = 0, 1, 2
"""What moves a joint: its keys, forces alone, or forces and a motor."""


class ContactForces(NamedTuple):
    """Forces where something touches, one a row.

    Attributes:
        points: Where, in the world, shape (k, 3), [m].
        normals: Unit normals towards the part that is pushed, shape (k, 3).
        forces: Force on that part, shape (k, 3), [N].
        friction: Friction coefficients, shape (k,).
        joints: Index of the joint of the figure whose part is pushed, -1 for that of a rigid body or of another figure,
            shape (k,).
        others: What pushes, likewise; -2 for what does not move: floor and obstacles, shape (k,).
    """

    points: Array
    normals: Array
    forces: Array
    friction: Array
    joints: NDArray[np.int64]
    others: NDArray[np.int64]

    @classmethod
    def none(cls) -> ContactForces:
        """Return no forces at all."""
        empty, nobody = np.zeros((0, 3)), np.zeros(0, dtype=np.int64)
        return cls(empty, empty, empty, np.zeros(0), nobody, nobody)

    @property
    def ground(self) -> Array:
        """Force of floor and obstacles on the figure, shape (3,), [N]."""
        return np.asarray(self.forces[(self.joints >= 0) & (self.others == -2)].sum(axis=0))


class LockResidual(NamedTuple):
    """How far a part is from where a lock of the sequence wants it.

    Attributes:
        strip: Id of the lock's strip; None for a lock that holds at all times.
        joint: Name of the part.
        kind: Kind of the lock.
        position: [m].
        rotation: [rad].
        acts: Whether it is a constraint of the simulation; balance is not while the figure is dynamic, and no lock
            is that holds a part which only keys move.
    """

    strip: str | None
    joint: str
    kind: str
    position: float
    rotation: float
    acts: bool


@dataclass(frozen=True, eq=False)
class Sample:
    """The state of a simulation at one time. Arrays are read-only.

    One of a simulation (:meth:`later`) works some of its values out when they are first looked at: most never are.

    Attributes:
        time: Since the start, [s].
        frame: Frame of the sequence, whole or not.
        q: Pose of the figure, shape (nq,), [m] and [rad]; of joints that keys move it is the sequence's, bit for bit.
        rates: Rates of the pose, shape (nq,), [m/s] and [rad/s].
        others: Poses of the other figures, in their order.
        rigid_bodies: Poses of the rigid bodies that move freely, each of shape (4, 4), in the order of ``shapes``.
        shapes: These rigid bodies.
        kinetic: Kinetic energy of the figure, [J].
        potential: Its potential energy, 0 at height 0, [J].
        momentum: ``[L; P]`` of the figure, angular momentum about its centre of mass, shape (6,), [N m s] and [N s].
        center_of_mass: Of the figure, shape (3,), [m].
        velocity: Of its centre of mass, shape (3,), [m/s].
        contacts: Forces where something touches.
        torques: What motors, limits and keys exert in each degree of freedom, shape (n_dofs,), [N m] and [N].
        lock_residuals: How the locks of the sequence hold.
        dynamic: What moves each joint: ``KEYED``, ``FREE`` or ``MOTORED``, shape (n_joints,).
        kkt: Largest residual of the steps since the sample before; see ``docs/physics.md``.
        fallbacks: How many solves since then fell back to the slower solver.
        asleep: Whether nothing moves any more.
        strands: Places of the nodes of each strand of the settings, world, shapes (n, 3), [m]; no nodes for one of a
            figure that is not simulated.
    """

    time: float
    frame: float
    q: Array
    rates: Array
    others: tuple[Array, ...]
    rigid_bodies: tuple[Array, ...]
    shapes: tuple[RigidBody, ...]
    kinetic: float
    potential: float
    momentum: Array
    center_of_mass: Array
    velocity: Array
    contacts: ContactForces
    torques: Array
    lock_residuals: tuple[LockResidual, ...]
    dynamic: NDArray[np.int8]
    kkt: float = 0.0
    fallbacks: int = 0
    asleep: bool = False
    strands: tuple[Array, ...] = ()

    @classmethod
    def later(cls, known: dict[str, Any], deferred: dict[str, Callable[[], Any]]) -> Sample:
        """Return a sample that works some of its values out when they are first looked at.

        Args:
            known: Values by name.
            deferred: The other ones by name: what works each out, from nothing that changes afterwards.
        """
        sample = object.__new__(cls)
        sample.__dict__.update(known, _deferred=deferred)
        return sample

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Return a value that was not looked at so far."""
            own = self.__dict__
            work_out = own.get("_deferred", {}).get(name)
            if work_out is not None:
                own[name] = work_out()  # if two threads look at the same time, both find the same
                own["_deferred"].pop(name, None)
            elif name not in own:
                raise AttributeError(f"a sample has no {name}")
            return own[name]

    @property
    def paths(self) -> tuple[Path, ...]:
        """How springs, ropes and muscles stand, points in the world and tension: those of the settings, in order."""
        found: tuple[Path, ...] = getattr(self, "paths_of_forces", ())
        return found

    @property
    def energy_of_all(self) -> float:
        """Kinetic energy, and potential energy of gravity, of all figures and rigid bodies together, [J]."""
        kinetic, potential = getattr(self, "energies_of_all", (self.kinetic, self.potential))
        return float(kinetic + potential)

    @property
    def energy(self) -> float:
        """Kinetic and potential energy together, [J]."""
        return self.kinetic + self.potential
