"""What a simulation is made of: figures and rigid bodies in one model, and what takes its steps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.dynamics.body import Body
from core.dynamics.contact.figure_shapes import figure_geometries
from core.dynamics.contact.shapes import Geometry
from core.dynamics.engine import StepReport
from core.dynamics.figures.ties import figure_ties
from core.dynamics.forces import Force
from core.errors import DynamicsError
from core.joints import Free
from core.preview.actor import Actor, merged
from core.preview.held_locks import HeldLocks
from core.preview.interaction import Interaction
from core.preview.keyed_states import KeyedStates
from core.preview.keyed_torques import KeyedTorques
from core.preview.moves import Moves
from core.preview.overlaps import Watch
from core.preview.part_forces import forces_of
from core.preview.rigid_bodies import RigidBody
from core.preview.sample import LockResidual
from core.preview.settings import PhysicsSettings
from core.preview.simulated import Moving
from core.spatial import so3

Mask = NDArray[np.bool_]

_JITTER = 0.02  # rad/s or m/s: of the motion that a seed adds


class Moment(NamedTuple):
    """A state to go on from.

    Attributes:
        x: Coordinates of all figures and rigid bodies, shape (nq,).
        rates: What works their rates out, shape (nv,).
        rigid_bodies: The rigid bodies.
        minds: What the controllers of strips remember.
    """

    x: Array
    rates: Callable[[], Array]
    rigid_bodies: tuple[RigidBody, ...]
    minds: tuple[Any, ...] = ()


class Stage(ABC):
    """Figures and rigid bodies in one model, and what moves them; a kind for each way to take steps.

    Args:
        actors: The figures, their bodies and coordinates in a row.
        settings: What the simulation goes by.
        start: Frame at which it begins.
        per_frame: Steps in a frame.

    Attributes:
        actors: The figures.
        settings: What the simulation goes by.
        rigid_bodies: Those that move freely: those of the settings, then what was dropped since the start.
        held: The locks of each figure.
        keyed: The keyed motion of each figure.
        torques: What strips key of torques.
        interaction: What pulls and throws.
        ties: Loops of the figures, and what their degrees of freedom follow.
        watch: What looks after it.
        step: Length of a step, [s].
        geometries: The shapes that the figures carry.
        forces: Further forces on the bodies of ``model``.
        moves: What moves each figure now.
        moved: For each figure which of its joints forces carry along now, shape (n_joints,).
        joint_of_body: Index of the joint of the first figure that each body is, -1 for others;
            last, as body -1, that of the world: -2, shape (nb + 1,).
    """

    def __init__(self, actors: list[Actor], settings: PhysicsSettings, start: float, per_frame: int):
        self.actors, self.settings = actors, settings
        self._start, self._per_frame = start, per_frame
        self._fps = actors[0].sequence.fps
        self.step = 1.0 / (self._fps * per_frame)
        self.keyed = [KeyedStates(actor, *_clock(actor, self._fps, start, per_frame)) for actor in actors]
        self.held = [HeldLocks(actors, k) for k in range(len(actors))]
        self.geometries = self._of_figures()
        self.rigid_bodies: tuple[RigidBody, ...] = ()
        self.torques = KeyedTorques(actors)
        self.interaction = Interaction(self)
        self.ties = tuple(tie for actor in actors for tie in figure_ties(actor.model, actor.bodies.start))
        self._begin_at = [actor.entry(self.keyed[k].frame(0)) for k, actor in enumerate(actors)]

    # -- building ------------------------------------------------------------------------------------------------

    def _of_figures(self) -> list[Geometry]:
        found: list[Geometry] = []
        for actor in self.actors:
            own = figure_geometries(actor.sequence.skeleton, actor.model, self.settings.friction)
            found += [replace(shape, body=shape.body + actor.bodies.start) for shape in own]
        return found

    def begin(self) -> None:
        """Put everything where the keys have it at the start."""
        self.rigid_bodies = self.settings.rigid_bodies
        self.moves = [actor.moves_at(keyed.frame(0)) for actor, keyed in zip(self.actors, self.keyed, strict=True)]
        for held in self.held:
            held.restart()
        self.interaction.release()
        x = np.concatenate([x for x, _ in self._begin_at])
        v = np.concatenate([v for _, v in self._begin_at])
        if self.settings.begins_with_rates(self.actors[0].sequence, self.keyed[0].frame(0)):
            v = np.where(self._keyed_coordinates(len(v)), v, self._given_rates(v))
        self._build(x, v, self.rigid_bodies)
        self.switch(0, True)

    def _given_rates(self, v: Array) -> Array:
        """Return rates with those of the first figure as the settings give them.

        Raises:
            DynamicsError: If they are not as many as the figure's pose has values.
        """
        actor, rates = self.actors[0], np.array(self.settings.start_rates)
        pose = actor.sequence.pose_at_frame(self.keyed[0].frame(0))
        if len(rates) != len(pose):
            raise DynamicsError(
                f"physics: start_rates has {len(rates)} numbers; a pose of "
                f'"{actor.sequence.skeleton.name}" has {len(pose)}'
            )
        given = v.copy()
        given[actor.span] = actor.figure.state_rates(pose, rates, self._begin_at[0][0])
        return given

    def _build(self, x: Array, v: Array, new: tuple[RigidBody, ...], time: float = 0.0) -> None:
        """Make model and stepper, at coordinates and rates of all that was there and of new rigid bodies after it."""
        bodies = [
            Body(f"rigid body {k + 1}", -1, Free(), inertia=body.shape().inertia(body.mass))
            for k, body in enumerate(self.rigid_bodies)
        ]
        gravity = self.settings.world.gravity
        self.model = merged(self.actors, bodies, gravity)
        begin = self._start / self._fps
        self.forces: tuple[Force, ...] = forces_of(self.settings.forces, self.actors, self.rigid_bodies, begin)
        first = self.actors[-1].bodies.stop
        shapes = [
            Geometry(body.shape(), first + k, friction=body.friction, name=body.name or bodies[k].name)
            for k, body in enumerate(self.rigid_bodies)
        ]
        for body in new:
            rotation = so3.log(so3.exp(body.rotation))
            turning = so3.inverse_left_jacobian(rotation) @ body.spin
            x, v = np.concatenate([x, body.position, rotation]), np.concatenate([v, body.velocity, turning])
        self.start([*self.geometries, *shapes], x, v, time)
        self.joint_of_body = np.full(len(self.model.bodies) + 1, -1, dtype=np.int64)
        self.joint_of_body[-1] = -2  # the world
        own = self.actors[0]
        self.joint_of_body[own.bodies] = [own.names[name] for name in own.model.names]

    def add(self, body: RigidBody) -> None:
        """Let another rigid body in, where it is at its start."""
        x, v = self.stepper.state()
        mask = self.prescribed()
        self.rigid_bodies = (*self.rigid_bodies, body)
        self._build(x, v, (body,), self.stepper.time)
        self.prescribe(mask)
        self.watch = Watch(self)

    def moment(self) -> Moment:
        """Return the state as it is."""
        return Moment(*self.stepper.coordinates(), self.rigid_bodies)

    def resume(self, moment: Moment, step: int) -> None:
        """Go on from a state that was at a step; nothing is pulled."""
        self.rigid_bodies = moment.rigid_bodies
        self.interaction.release()
        for held in self.held:
            held.restart()
        self._build(moment.x, moment.rates(), (), step * self.step)
        self.switch(step, True)

    # -- what moves what -----------------------------------------------------------------------------------------

    def frame(self, step: int) -> float:
        """Return the frame of the first figure's sequence at a step."""
        return self._start + step / self._per_frame

    def prescribed(self) -> Mask:
        """Return which coordinates keys move, shape (nv,)."""
        return self._keyed_coordinates(self.model.nv)

    def _keyed_coordinates(self, count: int) -> Mask:
        keyed = np.zeros(count, dtype=np.bool_)
        for actor, moves in zip(self.actors, self.moves, strict=True):
            keyed[actor.span] = moves.by < 0
        return keyed

    def frames(self, step: float) -> list[float]:
        """Return the frame of each figure's sequence at a step."""
        return [float(keyed.frame(step)) for keyed in self.keyed]

    def moves_at(self, step: int) -> list[Moves]:
        """Return what moves each figure from a step on."""
        return [actor.moves_at(keyed.frame(step)) for actor, keyed in zip(self.actors, self.keyed, strict=True)]

    def residuals_later(self, step: int, poses: list[Array]) -> Callable[[], tuple[LockResidual, ...]]:
        """Return what works out how the locks hold at a step, from what is known now.

        Args:
            step: The step.
            poses: Poses of the figures then.
        """
        carried = [moves.carried for moves in self.moves_at(step)]
        found = [
            held.residuals_later(keyed.frame(step), carried, poses)
            for held, keyed in zip(self.held, self.keyed, strict=True)
            if held
        ]
        return lambda: tuple(each for later in found for each in later())

    def switch(self, step: int, begin: bool = False) -> None:
        """Let keys or forces move what they move from a step on."""
        before, self.moves = self.moves, self.moves_at(step)
        if begin or any(was is not now for was, now in zip(before, self.moves, strict=True)):
            self.moved = [moves.carried for moves in self.moves]
            self.prescribe(self.prescribed())
        if begin and step == 0 and self.settings.seed:
            x, v = self.stepper.state()
            added = np.random.default_rng(self.settings.seed).normal(0.0, _JITTER, len(v))
            self.stepper.set_state(x, v + np.where(self.prescribed(), 0.0, added))
        if begin:
            self.watch = Watch(self)

    # -- for those that push ------------------------------------------------------------------------------------

    def mobility(self, body: int, point: Array) -> Array:
        """Return how easily forces move a point of a body, shape (3, 3), [1/kg], world axes."""
        x, _ = self.stepper.state()
        R = self.stepper.readings.body_poses()[body, :3, :3]
        rows = []
        for along in R:  # the world's axes, in the body's
            wrenches = np.zeros((len(self.model.bodies), 6))
            wrenches[body] = np.concatenate([np.cross(point, along), along])
            rows.append(self.model.jacobian_transpose_product(x, wrenches))
        J = np.array(rows)
        return np.asarray(J @ self.model.inverse_mass_product(x, J.T, self.immobile()))

    def immobile(self) -> Array:
        """Return inertia to be added to coordinates so that none moves that keys move, shape (nv,)."""
        return np.where(self.prescribed(), 1e12, 0.0)

    # -- what kinds differ in -------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def stepper(self) -> Moving:
        """What takes the steps."""

    @abstractmethod
    def start(self, geometries: list[Geometry], x: Array, v: Array, time: float) -> None:
        """Make what takes the steps of ``model``, in a state.

        Args:
            geometries: Shapes of the bodies.
            x: Coordinates, shape (nq,).
            v: Rates, shape (nv,).
            time: [s].
        """

    @abstractmethod
    def prescribe(self, mask: Mask) -> None:
        """Let keys move coordinates from now on, shape (n,); those of bodies that came later are not among them."""

    @abstractmethod
    def push(self, body: int, impulse: Array) -> None:
        """Strike a body: a wrench times a time at its origin B, in world axes, shape (6,), [N m s] and [N s]."""

    @abstractmethod
    def advance(self, step: int, count: int) -> StepReport:
        """Take steps.

        Args:
            step: Number of the first, counted from the start.
            count: How many.

        Raises:
            DynamicsError: If the motion runs away.
        """

    # -- as it is ------------------------------------------------------------------------------------------------

    def state_of(self, number: int) -> tuple[Array, Array]:
        """Return coordinates and rates of a figure as they are."""
        x, v = self.stepper.state()
        span = self.actors[number].span
        return x[span], v[span]

    def poses(self) -> list[Array]:
        """Return the poses of all figures as they are, for locks."""
        x, _ = self.stepper.state()
        return [actor.figure.pose(actor.model, x[actor.span], actor.figure.home) for actor in self.actors]


def _clock(actor: Actor, fps: float, start: float, per_frame: int) -> tuple[float, float]:
    """Return start and steps in a frame for a figure whose sequence may have another rate."""
    factor = actor.sequence.fps / fps
    return start * factor, per_frame / factor
