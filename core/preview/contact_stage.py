"""Steps with contacts, locks, strings and motors, by the engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.dynamics.bearings import fitted
from core.dynamics.constraints.situation import Situation
from core.dynamics.contact.shapes import Geometry
from core.dynamics.engine import Stepper, StepReport, StepSettings
from core.dynamics.engine.dry_friction import DryFriction
from core.dynamics.engine.outer_wrenches import OuterWrenches
from core.dynamics.figures.bearings import figure_bearings
from core.dynamics.state import State
from core.preview.actor import Actor
from core.preview.compliance import Compliance
from core.preview.controllers.directed import Directed
from core.preview.grips import grips
from core.preview.held_locks import Wanted
from core.preview.keyed_states import KeyedTargets
from core.preview.lock_equations import LockEquations
from core.preview.lock_rows import LockRows, Pull, Rows
from core.preview.motors import Drive
from core.preview.settings import PhysicsSettings
from core.preview.stage import Moment, Stage
from core.preview.strings import string_of

Mask = NDArray[np.bool_]


class ContactStage(Stage):
    """Bodies that touch, and are held, driven and prescribed.

    Args:
        actors, settings, start, per_frame: As of ``Stage``.
    """

    def __init__(self, actors: list[Actor], settings: PhysicsSettings, start: float, per_frame: int):
        super().__init__(actors, settings, start, per_frame)
        self._drives = [Drive(actor) for actor in actors]
        self._directed = Directed(self)

    # -- building ------------------------------------------------------------------------------------------------

    @property
    def stepper(self) -> Stepper:
        """What takes the steps."""
        return self._stepper

    def begin(self) -> None:
        self._first = True
        self._directed.restart()
        super().begin()

    def moment(self) -> Moment:
        return super().moment()._replace(minds=self._directed.minds)

    def resume(self, moment: Moment, step: int) -> None:
        self._first = True  # locks hold there as they are
        self._directed.resume(moment.minds, step)
        super().resume(moment, step)

    def start(self, geometries: list[Geometry], x: Array, v: Array, time: float) -> None:
        self._equations = LockEquations()
        equations = any(held.has_equations for held in self.held)
        self._tied = (*self.ties, self._equations) if equations else self.ties
        self._acting = (*self.forces, self._equations.springs) if equations else self.forces
        self._stepper = Stepper(
            self.model,
            geometries,
            self.settings.world,
            settings=StepSettings(step=self.step),
            self_contact=self.settings.self_contact,
            parts=[(actor.model, actor.span.start) for actor in self.actors],
            forces=self._acting,
            constraints=self._tied,
            loose=grips(self.actors),
        )
        self._stepper.set_state(x, v, time)
        self._strings = [string_of(each, self.actors, self.rigid_bodies) for each in self.settings.strings]
        self._stepper.inputs.set_strings(self._strings)
        self._steady = self._stepper.inputs.torque
        bearings = [each for actor in self.actors for each in figure_bearings(actor.model, actor.bodies.start)]
        rubbing = [own for each in bearings for own in fitted(each, self.model)]
        parts = [(actor.model, actor.span.start) for actor in self.actors]
        self._dry = DryFriction(self.model, rubbing, parts, self.step)
        self._pulls: list[Pull] = []
        self._driven = False
        self._exerted = False
        self._locked = False
        self._rows_set = Rows([], [], [])
        self._owners: list[tuple[int, str | int]] = []
        self._compliance = Compliance(self, self._stepper, self.geometries)
        self._rows = [LockRows(held, self.actors) for held in self.held]
        self._targets = KeyedTargets(self._stepper, self.actors, self.keyed)

    def prescribe(self, mask: Mask) -> None:
        whole = np.zeros(self.model.nv, dtype=np.bool_)
        whole[: len(mask)] = mask
        self._stepper.inputs.prescribe(whole)

    def push(self, body: int, impulse: Array) -> None:
        self._stepper.inputs.push(body, impulse)

    # -- steps ---------------------------------------------------------------------------------------------------

    def advance(self, step: int, count: int) -> StepReport:
        self.switch(step)
        if self._is_free(step):
            self._rest()
            report = self._stepper.step(count)
        else:
            inertia = [
                drive.inertia(self.state_of(k)[0]) if drive.needed(self.moves[k], self.keyed[k].frame(step)) else None
                for k, drive in enumerate(self._drives)
            ]
            report = _sum([self._one(step + k, inertia, k == count - 1) for k in range(count)])
        self._first = False
        return report

    def _is_free(self, step: int) -> bool:
        """Return whether nothing has to be set in the stepper from step to step."""
        if any(moves.keyed for moves in self.moves) or any(self.held) or self.torques or self._dry:
            return False
        pairs = zip(self._drives, self.moves, self.keyed, strict=True)
        return not any(drive.needed(moves, keyed.frame(step)) for drive, moves, keyed in pairs)

    def _rest(self) -> None:
        """Let motors and locks of the steps before act no longer."""
        if self._exerted:
            self._stepper.inputs.set_joint_forces(torque=self._steady)
            self._exerted = False
        self._stop_motors()
        self._compliance.stop()
        if self._locked:
            self._put(Rows([], [], []))
            self._put_equations([])
        else:
            self._put_pulls([])

    def _one(self, step: int, inertia: list[Array | None], last: bool) -> StepReport:
        """Take a step with all that is set from step to step."""
        self._send_keys(step, last)
        self._compliance.send(step, *self._returning(step))
        efforts = None
        if any(each is not None for each in inertia):
            efforts = self._send_motors(step, inertia)
        else:
            self._stop_motors()
        self._send_joint_forces(step, efforts)
        if any(self.held):
            self._send_locks(step)
        else:
            self._put_pulls([])
        report = self._stepper.step(1)
        if self._owners:
            for (k, name), gap in zip(self._owners, self._stepper.readings.lock_gaps(), strict=True):
                self.held[k].off(name, float(gap))
        self._close_equations()
        return report

    def _close_equations(self) -> None:
        """Take back what the step has left open of equations, and note those that cannot be held."""
        gaps = self._equations.close(self._stepper, self.model, self.immobile())
        for equation, gap in zip(self._equations.hard, gaps, strict=True):
            self.held[equation.actors[0][0]].off(equation.name, gap)

    def _put_equations(self, wanted: list[tuple[int, Wanted]]) -> None:
        if not wanted and not self._equations.hard and self._equations.springs.idle:
            return
        x, v = self._stepper.state()
        at = Situation(self.model, x, v, self._stepper.time)
        names = [held.by_name for held in self.held]
        self._equations.put(wanted, self.actors, names, at, self.step, self.prescribed())
        self._locked = self._locked or bool(wanted)

    def _send_joint_forces(self, step: int, efforts: Array | None) -> None:
        """Set keyed torques, those of controllers, and dry friction."""
        inputs = self._stepper.inputs
        if self._dry and not self._stepper.asleep and self._rub(step):
            inputs.set_dry_friction(self._dry.torque, self._dry.damping)
        if self.torques or efforts is not None or self._exerted:
            keyed = self.torques.at(self.frames(step + 0.5), self.model.nv)
            inputs.set_joint_forces(torque=self._steady + keyed + (0.0 if efforts is None else efforts))
        self._exerted = efforts is not None

    def _rub(self, step: int) -> bool:
        """Work out the dry friction of the step that comes; return whether it has changed."""
        stepper = self._stepper
        x, v = stepper.state()
        poses, twists = stepper.readings.body_poses(), stepper.readings.body_twists()
        outer = OuterWrenches(poses)
        outer.total += self._dry.weight(poses, stepper.world.gravity)
        outer.add_contacts(stepper)
        outer.add_locks(stepper, self._rows_set.locks)
        outer.add_strings(stepper, self._strings)
        outer.add_pulls(stepper, self._pulls)
        if self._acting:
            outer.add_forces(self._acting, State(self.model, x, v, stepper.time))
        if self._tied:
            outer.add_constraints(stepper, self._tied, Situation(self.model, x, v, stepper.time))
        free = ~self.prescribed()
        _, returning = self._returning(step)
        for actor, own in zip(self.actors, returning, strict=True):
            free[actor.span] &= ~own
        rests = bool(self._rows_set.locks) or len(stepper.readings.contact_record().rows) > 0
        return self._dry.take(x, v, poses, twists, outer.total, free, rests)

    def _send_keys(self, step: int, last: bool) -> None:
        keyed = [moves.keyed for moves in self.moves]
        if any(keyed):
            find = self._targets.entering if last else self._targets.at
            self._stepper.inputs.target(find(step + 1, keyed))

    def _send_motors(self, step: int, inertia: list[Array | None]) -> Array | None:
        """Set motors; return torques of controllers besides, shape (nv,), of balls about own axes, or None."""
        kp, kd = np.zeros(self.model.nv), np.zeros(self.model.nv)
        efforts: Array | None = None
        for k, own in enumerate(inertia):
            if own is None:
                continue
            keyed, span, drive = self.keyed[k], self.actors[k].span, self._drives[k]
            drive.set(
                self.moves[k], keyed.frame(step), self.step, self.settings.motor_gain, own, partial(self.state_of, k),
                (keyed.x(step), keyed.came(step)), (keyed.x(step + 1), keyed.came(step + 1)),
            )  # fmt: skip
            if self._directed.steer(k, drive, step):
                efforts = np.zeros(self.model.nv) if efforts is None else efforts
                efforts[span] = drive.torque
            kp[span], kd[span] = drive.kp, drive.kd
            if drive.caught:
                self.held[k].lose_all()
        driven = [own is not None for own in inertia]
        if any(drive.leads for drive, drives in zip(self._drives, driven, strict=True) if drives):
            x, v = np.zeros(self.model.nq), np.zeros(self.model.nv)
            for actor, drive, drives in zip(self.actors, self._drives, driven, strict=True):
                if drives:
                    x[actor.span], v[actor.span] = drive.x, drive.v
            self._stepper.inputs.set_motors(kp, kd, x, v)
        else:
            self._stepper.inputs.set_motors(kp, kd, self._targets.at(step + 1, driven, came=True))
        self._driven = True
        return efforts

    def _stop_motors(self) -> None:
        if self._driven:
            self._stepper.inputs.set_motors(np.zeros(self.model.nv), np.zeros(self.model.nv))
            self._driven = False

    def _send_locks(self, step: int) -> None:
        rows = Rows([], [], [])
        known: list[tuple[Array, Array]] = []

        def bodies() -> tuple[Array, Array]:
            if not known:
                known.append((self._stepper.readings.body_poses(), self._stepper.readings.body_twists()))
            return known[0]

        returning, _ = self._returning(step)
        equations: list[tuple[int, Wanted]] = []
        for k, held in enumerate(self.held):
            if not held:
                continue
            frame = self.keyed[k].frame(step)
            later = self.keyed[k].frame(step + 1)
            wanted = held.wanted(frame, later - frame, self.moved, returning, self.poses, self._first)
            if wanted:
                own = self._rows[k].rows(wanted, bodies, self.poses, self.mobility)
                rows.locks.extend(own.locks)
                rows.pulls.extend(own.pulls)
                rows.owners.extend(own.owners)
                equations += [(k, each) for each in wanted if each.lock.rule.by_equation]
        self._put(rows)
        self._put_equations(equations)

    def _returning(self, step: int) -> tuple[list[Mask], list[Mask]]:
        """Return for each figure which joints, and which coordinates, are returning to their keys."""
        returning = [moves.returning(keyed.frame(step)) for moves, keyed in zip(self.moves, self.keyed, strict=True)]
        return [joints for joints, _ in returning], [coordinates for _, coordinates in returning]

    def _put(self, rows: Rows) -> None:
        self._rows_set = rows
        self._stepper.inputs.set_locks(rows.locks)
        self._owners = rows.owners
        self._put_pulls(rows.pulls)
        self._locked = bool(rows.locks or rows.pulls)

    def _put_pulls(self, pulls: Sequence[Pull]) -> None:
        self._pulls = [*self.interaction.springs(), *pulls]
        self._stepper.inputs.set_pulls(self._pulls)


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
