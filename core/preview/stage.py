"""What a simulation is made of: figures and rigid bodies in one model, its stepper, and what acts in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.dynamics.body import Body
from core.dynamics.contact.figure_shapes import figure_geometries
from core.dynamics.contact.shapes import Geometry
from core.dynamics.engine import Stepper, StepReport, StepSettings
from core.joints import Free
from core.preview.actor import Actor, merged
from core.preview.compliance import Compliance
from core.preview.held_locks import HeldLocks
from core.preview.interaction import Interaction
from core.preview.keyed_states import KeyedStates, KeyedTargets
from core.preview.lock_rows import LockRows, Pull, Rows
from core.preview.motors import Drive
from core.preview.moves import Moves
from core.preview.overlaps import Watch
from core.preview.rigid_bodies import RigidBody
from core.preview.sample import LockResidual
from core.preview.settings import PhysicsSettings
from core.preview.strings import string_of
from core.spatial import so3

Mask = NDArray[np.bool_]

_JITTER = 0.02  # rad/s or m/s: of the motion that a seed adds


class Moment(NamedTuple):
    """A state to go on from.

    Attributes:
        x: Coordinates of all figures and rigid bodies, shape (nq,).
        rates: What works their rates out, shape (nv,).
        rigid_bodies: The rigid bodies.
    """

    x: Array
    rates: Callable[[], Array]
    rigid_bodies: tuple[RigidBody, ...]


class Stage:
    """Figures and rigid bodies in one model, and what moves them.

    Args:
        actors: The figures, their bodies and coordinates in a row.
        settings: What the simulation goes by.
        start: Frame at which it begins.
        per_frame: Steps in a frame.

    Attributes:
        actors: The figures.
        settings: What the simulation goes by.
        rigid_bodies: Those that move freely: those of the settings, then what was dropped since the start.
        stepper: What takes the steps.
        held: The locks of each figure.
        keyed: The keyed motion of each figure.
        interaction: What pulls and throws.
        watch: What looks after it.
        moved: For each figure which of its joints forces carry along now, shape (n_joints,).
        joint_of_body: Index of the joint of the first figure that each body is, -1 for others;
            last, as body -1, that of the world: -2, shape (nb + 1,).
    """

    def __init__(self, actors: list[Actor], settings: PhysicsSettings, start: float, per_frame: int):
        self.actors, self.settings = actors, settings
        self._start, self._per_frame = start, per_frame
        self._fps = actors[0].sequence.fps
        self._step = 1.0 / (self._fps * per_frame)
        self.keyed = [KeyedStates(actor, *_clock(actor, self._fps, start, per_frame)) for actor in actors]
        self.held = [HeldLocks(actors, k) for k in range(len(actors))]
        self._drives = [Drive(actor) for actor in actors]
        self._geometries = self._of_figures()
        self.rigid_bodies: tuple[RigidBody, ...] = ()
        self.interaction = Interaction(self)
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
        self._moves = [actor.moves_at(keyed.frame(0)) for actor, keyed in zip(self.actors, self.keyed, strict=True)]
        for held in self.held:
            held.restart()
        self.interaction.release()
        self._first = True
        x = np.concatenate([x for x, _ in self._begin_at])
        v = np.concatenate([v for _, v in self._begin_at])
        self._build(x, v, self.rigid_bodies)
        self._switch(0, True)

    def _build(self, x: Array, v: Array, new: tuple[RigidBody, ...], time: float = 0.0) -> None:
        """Make model and stepper, at coordinates and rates of all that was there and of new rigid bodies after it."""
        bodies = [
            Body(f"rigid body {k + 1}", -1, Free(), inertia=body.shape().inertia(body.mass))
            for k, body in enumerate(self.rigid_bodies)
        ]
        gravity = self.settings.world.gravity
        self.model = merged(self.actors, bodies, gravity)
        first = self.actors[-1].bodies.stop
        shapes = [
            Geometry(body.shape(), first + k, friction=body.friction, name=body.name or bodies[k].name)
            for k, body in enumerate(self.rigid_bodies)
        ]
        for body in new:
            rotation = so3.log(so3.exp(body.rotation))
            turning = so3.inverse_left_jacobian(rotation) @ body.spin
            x, v = np.concatenate([x, body.position, rotation]), np.concatenate([v, body.velocity, turning])
        self.stepper = Stepper(
            self.model,
            [*self._geometries, *shapes],
            self.settings.world,
            settings=StepSettings(step=self._step),
            self_contact=self.settings.self_contact,
            parts=[(actor.model, actor.span.start) for actor in self.actors],
            forces=self.settings.forces,
        )
        self.stepper.set_state(x, v, time)
        strings = self.settings.strings
        self.stepper.inputs.set_strings([string_of(string, self.actors, self.rigid_bodies) for string in strings])
        self._driven = False
        self._locked = False
        self._owners: list[tuple[int, str | int]] = []
        self._compliance = Compliance(self, self._geometries)
        self._rows = [LockRows(held, self.actors) for held in self.held]
        self._targets = KeyedTargets(self.stepper, self.actors, self.keyed)
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
        self._prescribe(mask)
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
        self._first = True  # locks hold there as they are
        self._build(moment.x, moment.rates(), (), step * self._step)
        self._switch(step, True)

    # -- what moves what -----------------------------------------------------------------------------------------

    def frame(self, step: int) -> float:
        """Return the frame of the first figure's sequence at a step."""
        return self._start + step / self._per_frame

    def prescribed(self) -> Mask:
        """Return which coordinates keys move, shape (nv,)."""
        keyed = np.zeros(self.model.nv, dtype=np.bool_)
        for actor, moves in zip(self.actors, self._moves, strict=True):
            keyed[actor.span] = moves.by < 0
        return keyed

    def _prescribe(self, mask: Mask) -> None:
        whole = np.zeros(self.model.nv, dtype=np.bool_)
        whole[: len(mask)] = mask
        self.stepper.inputs.prescribe(whole)

    def _moves_at(self, step: int) -> list[Moves]:
        return [actor.moves_at(keyed.frame(step)) for actor, keyed in zip(self.actors, self.keyed, strict=True)]

    def residuals_later(self, step: int, poses: list[Array]) -> Callable[[], tuple[LockResidual, ...]]:
        """Return what works out how the locks hold at a step, from what is known now.

        Args:
            step: The step.
            poses: Poses of the figures then.
        """
        carried = [moves.carried for moves in self._moves_at(step)]
        found = [
            held.residuals_later(keyed.frame(step), carried, poses)
            for held, keyed in zip(self.held, self.keyed, strict=True)
            if held
        ]
        return lambda: tuple(each for later in found for each in later())

    def _switch(self, step: int, begin: bool = False) -> None:
        """Let keys or forces move what they move from a step on."""
        before, self._moves = self._moves, self._moves_at(step)
        if begin or any(was is not now for was, now in zip(before, self._moves, strict=True)):
            self.moved = [moves.carried for moves in self._moves]
            self._prescribe(self.prescribed())
        if begin and step == 0 and self.settings.seed:
            x, v = self.stepper.state()
            added = np.random.default_rng(self.settings.seed).normal(0.0, _JITTER, len(v))
            self.stepper.set_state(x, v + np.where(self.prescribed(), 0.0, added))
        if begin:
            self.watch = Watch(self)

    # -- steps ---------------------------------------------------------------------------------------------------

    def advance(self, step: int, count: int) -> StepReport:
        """Take steps.

        Args:
            step: Number of the first, counted from the start.
            count: How many.

        Raises:
            DynamicsError: If the motion runs away.
        """
        self._switch(step)
        if self._is_free(step):
            self._rest()
            report = self.stepper.step(count)
        else:
            inertia = [
                drive.inertia(self.state_of(k)[0]) if drive.needed(self._moves[k], self.keyed[k].frame(step)) else None
                for k, drive in enumerate(self._drives)
            ]
            report = _sum([self._one(step + k, inertia, k == count - 1) for k in range(count)])
        self._first = False
        return report

    def _is_free(self, step: int) -> bool:
        """Return whether nothing has to be set in the stepper from step to step."""
        if any(moves.keyed for moves in self._moves) or any(self.held):
            return False
        pairs = zip(self._drives, self._moves, self.keyed, strict=True)
        return not any(drive.needed(moves, keyed.frame(step)) for drive, moves, keyed in pairs)

    def _rest(self) -> None:
        """Let motors and locks of the steps before act no longer."""
        if self._driven:
            self.stepper.inputs.set_motors(np.zeros(self.model.nv), np.zeros(self.model.nv))
            self._driven = False
        self._compliance.stop()
        if self._locked:
            self._put(Rows([], [], []))
        else:
            self._put_pulls([])

    def _one(self, step: int, inertia: list[Array | None], last: bool) -> StepReport:
        """Take a step with all that is set from step to step."""
        self._send_keys(step, last)
        self._compliance.send(step, *self._returning(step))
        if any(each is not None for each in inertia):
            self._send_motors(step, inertia)
        elif self._driven:
            self.stepper.inputs.set_motors(np.zeros(self.model.nv), np.zeros(self.model.nv))
            self._driven = False
        if any(self.held):
            self._send_locks(step)
        else:
            self._put_pulls([])
        report = self.stepper.step(1)
        if self._owners:
            for (k, name), gap in zip(self._owners, self.stepper.readings.lock_gaps(), strict=True):
                self.held[k].off(name, float(gap))
        return report

    def _send_keys(self, step: int, last: bool) -> None:
        keyed = [moves.keyed for moves in self._moves]
        if any(keyed):
            find = self._targets.entering if last else self._targets.at
            self.stepper.inputs.target(find(step + 1, keyed))

    def _send_motors(self, step: int, inertia: list[Array | None]) -> None:
        kp, kd = np.zeros(self.model.nv), np.zeros(self.model.nv)
        for k, own in enumerate(inertia):
            if own is None:
                continue
            keyed, span, drive = self.keyed[k], self.actors[k].span, self._drives[k]
            drive.set(
                self._moves[k], keyed.frame(step), self._step, self.settings.motor_gain, own, partial(self.state_of, k),
                (keyed.x(step), keyed.came(step)), (keyed.x(step + 1), keyed.came(step + 1)),
            )  # fmt: skip
            kp[span], kd[span] = drive.kp, drive.kd
            if drive.caught:
                self.held[k].lose_all()
        driven = [own is not None for own in inertia]
        if any(drive.leads for drive, drives in zip(self._drives, driven, strict=True) if drives):
            x, v = np.zeros(self.model.nq), np.zeros(self.model.nv)
            for actor, drive, drives in zip(self.actors, self._drives, driven, strict=True):
                if drives:
                    x[actor.span], v[actor.span] = drive.x, drive.v
            self.stepper.inputs.set_motors(kp, kd, x, v)
        else:
            self.stepper.inputs.set_motors(kp, kd, self._targets.at(step + 1, driven, came=True))
        self._driven = True

    def _send_locks(self, step: int) -> None:
        rows = Rows([], [], [])
        known: list[tuple[Array, Array]] = []

        def bodies() -> tuple[Array, Array]:
            if not known:
                known.append((self.stepper.readings.body_poses(), self.stepper.readings.body_twists()))
            return known[0]

        returning, _ = self._returning(step)
        for k, held in enumerate(self.held):
            if not held:
                continue
            frame = self.keyed[k].frame(step)
            later = self.keyed[k].frame(step + 1)
            wanted = held.wanted(frame, later - frame, self.moved, returning, self.poses, self._first)
            if wanted:
                own = self._rows[k].rows(wanted, bodies, self.poses, self._mobility)
                rows.locks.extend(own.locks)
                rows.pulls.extend(own.pulls)
                rows.owners.extend(own.owners)
        self._put(rows)

    def _mobility(self, body: int, point: Array) -> Array:
        """Return how easily forces move a point of a body, shape (3, 3), [1/kg], world axes."""
        x, _ = self.stepper.state()
        R = self.stepper.readings.body_poses()[body, :3, :3]
        rows = []
        for along in R:  # the world's axes, in the body's
            wrenches = np.zeros((len(self.model.bodies), 6))
            wrenches[body] = np.concatenate([np.cross(point, along), along])
            rows.append(self.model.jacobian_transpose_product(x, wrenches))
        J = np.array(rows)
        still = np.where(self.prescribed(), 1e12, 0.0)
        return np.asarray(J @ self.model.inverse_mass_product(x, J.T, still))

    def _returning(self, step: int) -> tuple[list[Mask], list[Mask]]:
        """Return for each figure which joints, and which coordinates, are returning to their keys."""
        returning = [moves.returning(keyed.frame(step)) for moves, keyed in zip(self._moves, self.keyed, strict=True)]
        return [joints for joints, _ in returning], [coordinates for _, coordinates in returning]

    def _put(self, rows: Rows) -> None:
        self.stepper.inputs.set_locks(rows.locks)
        self._owners = rows.owners
        self._put_pulls(rows.pulls)
        self._locked = bool(rows.locks or rows.pulls)

    def _put_pulls(self, pulls: Sequence[Pull]) -> None:
        self.stepper.inputs.set_pulls([*self.interaction.springs(), *pulls])

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


def _sum(reports: list[StepReport]) -> StepReport:
    """Return what several calls were like as one."""
    return replace(
        reports[-1],
        kkt=max(each.kkt for each in reports),
        **{
            name: sum(getattr(each, name) for each in reports)
            for name in ("fallbacks", "substeps", "iterations", "flights", "left_out")
        },
    )
