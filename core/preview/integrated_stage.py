"""Steps by an integrator and a formulation: bodies and their joints, with contacts where a method finds them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.arrays import Array, Ints
from core.dynamics.bearings import Bearing
from core.dynamics.constraints import Constraint, JointLimits
from core.dynamics.constraints.situation import Situation
from core.dynamics.contact.contact_set import ContactSet
from core.dynamics.contact.scene import Contacts
from core.dynamics.contact.shapes import Geometry
from core.dynamics.contact.world import World
from core.dynamics.engine import StepReport
from core.dynamics.engine.figure_forces import as_forces, figure_forces
from core.dynamics.engine.memory import CONTACT, CONTACT_STATE
from core.dynamics.engine.part_motion import BodyMotion, Part
from core.dynamics.engine.readings import NO_CONTACTS, TOUCHING, ContactRecord
from core.dynamics.figures.bearings import figure_bearings
from core.dynamics.forces import Force, Load
from core.dynamics.forces.joint_coordinates import add_torque
from core.dynamics.forces.point_force import wrench_at
from core.dynamics.integrators import Integrator
from core.dynamics.multibody import Multibody
from core.dynamics.scene import Scene
from core.dynamics.simulation import Simulation, find_integrator
from core.dynamics.state import State
from core.errors import DynamicsError, RunawayError
from core.preview.keyed_coordinates import KeyedCoordinates, keys_refused
from core.preview.lock_rows import Pull
from core.preview.method import MAXIMAL, check_joints, contact_method
from core.preview.sample import LockResidual
from core.preview.stage import Stage
from core.spatial import so3

Mask = NDArray[np.bool_]


class IntegratedStage(Stage):
    """Bodies whose joints forces and keys move; locks and strings do not hold, things touch by a contact method.

    Args:
        actors, settings, start, per_frame: As of ``Stage``.
    """

    @property
    def stepper(self) -> IntegratedMotion:
        """What takes the steps."""
        return self._stepper

    def start(self, geometries: list[Geometry], x: Array, v: Array, time: float) -> None:
        own = figure_forces(self.model.nv, [(actor.model, actor.span.start) for actor in self.actors])
        self._pulls = Pulls()
        self._torques = own.torque
        keyed = (StripTorques(self),) if self.torques else ()
        self._forces = (*as_forces(self.model, own), *self.forces, self._pulls, *keyed)
        self._mask = np.zeros(self.model.nv, dtype=np.bool_)
        self._known: tuple[float, tuple[Array, Array, Array]] | None = None
        self._touching = contact_method(self.settings)
        self._contacts: Contacts | None = None
        if self._touching is not None:
            self._contacts = Contacts(tuple(geometries), self.settings.world, self.settings.self_contact)
        self._put(x, v, time)

    def _put(self, x: Array, v: Array, time: float) -> None:
        settings = self.settings
        integrator = find_integrator(settings.integrator)
        constraints = self._constraints(integrator)
        check_joints(integrator, integrator.works_by(settings.formulation, bool(constraints)), self.model)
        bearings: tuple[Bearing, ...] = ()
        if self._touching is not None and self._touching.rubs and settings.formulation != MAXIMAL:
            bearings = self._bearings()
        scene = Scene(self.model, x, v, self._forces, self._contacts, constraints, bearings=bearings)
        method = None if self._touching is None else self._touching()
        run = Simulation(scene, self.step, integrator, settings.formulation, contact=method)
        run.set_state(x, v, time)
        self._stepper = IntegratedMotion(run, settings.world, self._mask, self._torques)

    def _bearings(self) -> tuple[Bearing, ...]:
        """Return those of the figures, but where keys move the joint."""
        found = [each for actor in self.actors for each in figure_bearings(actor.model, actor.bodies.start)]
        return tuple(each for each in found if not self._mask[self._places(each)].any())

    def _places(self, bearing: Bearing) -> Ints:
        assert isinstance(bearing.joint, int) and bearing.coordinates is not None
        return int(self.model.first[bearing.joint]) + np.array(bearing.coordinates)

    def _constraints(self, integrator: Integrator) -> tuple[Constraint, ...]:
        """Return what keys and limits ask of the joints.

        Raises:
            DynamicsError: If keys move joints but the integrator cannot follow them.
        """
        found: list[Constraint] = []
        for i in range(len(self.model.bodies)):
            part = slice(int(self.model.first[i]), int(self.model.first[i + 1]))
            keyed = self._mask[part]
            if keyed.any():
                found.append(KeyedCoordinates(i, np.flatnonzero(keyed), part, self._keyed_motion))
                if not integrator.takes(found[-1]):
                    raise DynamicsError(keys_refused(integrator))
            limits = np.where(keyed[:, None], [-np.inf, np.inf], self.model.limits[part])
            if integrator.limits and np.isfinite(limits).any():
                found.append(JointLimits(i, limits[:, 0], limits[:, 1]))
        return (*found, *(tie for tie in self.ties if integrator.takes(tie) and self._is_moved(tie)))

    def _is_moved(self, tie: Constraint) -> bool:
        """Return whether forces move any of the coordinates that a tie is of; keys see to the others."""
        x = np.concatenate([x for x, _ in self._begin_at])
        x = np.concatenate([x, np.zeros(self.model.nq - len(x))])
        G = tie.evaluate(Situation(self.model, x, np.zeros_like(x))).G
        return bool((np.abs(G[:, ~self._mask]) > 0.0).any())

    def prescribe(self, mask: Mask) -> None:
        whole = np.zeros(self.model.nv, dtype=np.bool_)
        whole[: len(mask)] = mask
        if np.array_equal(whole, self._mask):
            return
        self._mask = whole
        self._put(*self._at_keys(), self._stepper.time)

    def _at_keys(self) -> tuple[Array, Array]:
        """Return the state, all that keys move exactly where they have it."""
        x, v = self._stepper.state()
        at, rate, _ = self._keyed_motion(self._stepper.time)
        x[self._mask], v[self._mask] = at[self._mask], rate[self._mask]
        return x, v

    def push(self, body: int, impulse: Array) -> None:
        x, v = self._stepper.state()
        R = self._stepper.readings.body_poses()[body, :3, :3]
        wrenches = np.zeros((len(self.model.bodies), 6))
        wrenches[body] = np.concatenate([R.T @ impulse[:3], R.T @ impulse[3:]])
        row = self.model.jacobian_transpose_product(x, wrenches)
        v += self.model.inverse_mass_product(x, row, self.immobile())
        self._stepper.set_state(x, v, self._stepper.time)

    def advance(self, step: int, count: int) -> StepReport:
        self.switch(step)
        self._pulls.springs = [self._stable(each) for each in self.interaction.springs()]
        try:
            for _ in range(count):
                self._stepper.run.step()
            if self._mask.any():  # what a step leaves of a gap is not carried on
                self._stepper.set_state(*self._at_keys(), self._stepper.time)
        except DynamicsError as error:
            raise RunawayError(str(error)) from error
        return StepReport(0.0, 0, count, 0, 0, 0, 0)

    def residuals_later(self, step: int, poses: list[Array]) -> Callable[[], tuple[LockResidual, ...]]:
        """Return what works out how far parts are from their locks, none of which acts; as of ``Stage``."""
        later = super().residuals_later(step, poses)
        return lambda: tuple(each._replace(acts=False) for each in later())

    def _stable(self, pull: Pull) -> Pull:
        """Return a pull so weak that a step that does not foresee it stays stable."""
        moves = float(np.linalg.eigvalsh(self.mobility(pull.body, pull.point))[-1])
        share = min(1.0, 1.0 / max(pull.damping * moves * self.step, 1e-12))
        return pull._replace(stiffness=share * pull.stiffness, damping=share * pull.damping)

    def _keyed_motion(self, t: float) -> tuple[Array, Array, Array]:
        """Return where keys have the figures at a time, with rates and accelerations by differences over two steps."""
        if self._known is not None and self._known[0] == t:
            return self._known[1]
        h = self.step
        x, v, a = np.zeros((3, self.model.nv))
        for actor, keyed in zip(self.actors, self.keyed, strict=True):
            frames = np.maximum(keyed.frame(np.array([t - h, t, t + h]) / h), 0.0)
            before, now, after = actor.states(actor.sequence.poses_at_frames(frames))
            for c in actor.balls:
                before[c], after[c] = so3.nearest_turns(before[c], now[c]), so3.nearest_turns(after[c], now[c])
            x[actor.span] = now
            v[actor.span] = (after - before) / (2.0 * h)
            a[actor.span] = (after - 2.0 * now + before) / (h * h)
        self._known = t, (x, v, a)
        return x, v, a


class IntegratedMotion:
    """A simulation as the rest of a preview sees what takes its steps.

    Args:
        run: The simulation.
        world: Gravity, floor and obstacles.
        prescribed: Coordinates that keys move, shape (nv,).
        torques: Torques of the motors in the joints, shape (nv,).

    Attributes:
        run: The simulation.
        world: As given.
        contacts: None: what already overlaps is not looked for.
        asleep: False: nothing falls asleep.
        readings: What can be read.
    """

    contacts: ContactSet | None = None
    asleep = False

    def __init__(self, run: Simulation, world: World, prescribed: Mask, torques: Array):
        self.run, self.world, self._free = run, world, ~prescribed
        self.readings = StateReadings(run, torques)

    @property
    def time(self) -> float:
        """Time, [s]."""
        return self.run.time

    @property
    def fastest(self) -> float:
        """Largest rate of a coordinate that is not prescribed, [rad/s] or [m/s]."""
        return float(np.abs(self.run.v[self._free]).max(initial=0.0))

    def state(self) -> tuple[Array, Array]:
        """Return coordinates and rates in the charts of the model, shapes (nq,) and (nv,), new."""
        return self.run.x.copy(), self.run.v.copy()

    def set_state(self, x: ArrayLike, v: ArrayLike, time: float = 0.0) -> None:
        """Begin anew in a state, shapes (nq,) and (nv,), at a time, [s]."""
        self.run.set_state(x, v, time)

    def coordinates(self) -> tuple[Array, Callable[[], Array]]:
        """Return coordinates, and what gives the rates that go with them."""
        x, v = self.state()
        return x, lambda: v


class StateReadings:
    """What can be read of the state that a simulation has come to. All arrays are new.

    Args:
        run: The simulation.
        torques: Torques of the motors in the joints, shape (nv,).
    """

    def __init__(self, run: Simulation, torques: Array):
        self._run, self._torques = run, torques
        self._part: Part | None = None

    def body_poses(self, first: int = 0) -> Array:
        """Return ``X_WB``, the poses of the bodies from a number on, shape (nb - first, 4, 4)."""
        return self._run.state.poses[first:].copy()

    def body_twists(self) -> Array:
        """Return the twists [w; v] of the bodies at their origins B in the axes of B, shape (nb, 6)."""
        return self._run.state.twists.copy()

    def motion(self, bodies: slice | None = None) -> BodyMotion:
        """Return energy, momentum and centre of mass of all bodies, or of some that follow each other."""
        model, state = self._run.scene.model, self._run.state
        own = slice(0, len(model.bodies)) if bodies is None else bodies
        if self._part is None or self._part.bodies != own:
            self._part = Part(model, own)
        return self._part.motion(state.poses[:, :3, :3], state.poses[:, :3, 3], state.twists, model.gravity)

    def contact_record(self) -> ContactRecord:
        """Return what touched in the last step, with the forces that a contact method found."""
        touched = self._run.touched
        if touched is None or not touched.forces.any():
            return NO_CONTACTS
        at, forces = touched
        rows, states = np.zeros(len(forces), dtype=CONTACT), np.zeros(len(forces), dtype=CONTACT_STATE)
        rows["point"], rows["normal"], rows["gap"], rows["friction"] = at.points, at.normals, at.gaps, at.friction
        rows["body_a"], rows["body_b"] = at.bodies.T
        states["force"], states["first_tangent"], states["second_tangent"] = forces, *at.tangents.swapaxes(0, 1)
        kept = forces.any(axis=1) | (at.gaps <= TOUCHING)
        return ContactRecord(rows[kept], states[kept])

    def joint_torques(self) -> Array:
        """Return what the motors of the figures exert in the joints, shape (nv,), [N m] or [N]."""
        return self._torques.copy()


class StripTorques(Force):
    """Torques that strips key over time.

    Args:
        stage: The simulation.
    """

    label: ClassVar[str] = "Keyed torques"
    description: ClassVar[str] = "Drives joints with torques that are keyed over time."

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        model = stage.model
        body = np.repeat(np.arange(len(model.bodies)), np.diff(model.first))
        starts = [int(actor.span.start + c[0]) for actor in stage.actors for c in actor.balls]
        self._balls = [(int(body[start]), start, start - int(model.first[body[start]])) for start in starts]

    def check(self, model: Multibody) -> None:
        """Accept the model of the stage."""

    def add(self, state: State, load: Load) -> None:
        torque = self._stage.torques.at(self._stage.frames(state.t / self._stage.step), state.model.nv)
        for body, start, local in self._balls:
            own = torque[start : start + 3]
            if own.any():  # about its own axes; as forces have it, dual to the rates of the rotation vector
                turn = state.home_coordinates(body)[local : local + 3]
                torque[start : start + 3] = so3.right_jacobian(turn).T @ own
        for body in range(len(state.model.bodies)):
            part = state.coordinates(body)
            if torque[part].any():
                add_torque(state, body, state.home_rates_matrix(body), torque[part], load.tau)


class Pulls(Force):
    """Springs from points of bodies to places, such as that of the mouse.

    Attributes:
        springs: The springs.
    """

    label: ClassVar[str] = "Pulls"
    description: ClassVar[str] = "Pulls points of bodies to places."

    def __init__(self) -> None:
        self.springs: Sequence[Pull] = ()

    @property
    def idle(self) -> bool:
        return not self.springs

    def check(self, model: Multibody) -> None:
        """Accept every model."""

    def add(self, state: State, load: Load) -> None:
        for pull in self.springs:
            R, p = state.poses[pull.body, :3, :3], state.poses[pull.body, :3, 3]
            w, v = state.twists[pull.body, :3], state.twists[pull.body, 3:]
            off = R.T @ (pull.target - p) - pull.point
            force = pull.stiffness * off - pull.damping * (v + np.cross(w, pull.point))
            load.wrenches[pull.body] += wrench_at(pull.point, force)
