"""From a scene to its motion."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.checked_arrays import shown
from core.dynamics.arrays import finite_array
from core.dynamics.contact.methods import ContactMethod, find_contact_method
from core.dynamics.forces import Load
from core.dynamics.formulations import formulation as find_formulation
from core.dynamics.hyper.system import HyperSystem
from core.dynamics.integrators import INTEGRATORS, Integrator
from core.dynamics.integrators.contact_step import ContactStep
from core.dynamics.scene import Scene
from core.dynamics.stabilization import Stabilization
from core.dynamics.system import System
from core.dynamics.trajectory import Trajectory
from core.errors import Cancelled, DynamicsError

if TYPE_CHECKING:
    from core.dynamics.contact.solving import Touched

_MOST_ROWS = 10_000_000


def simulate(
    scene: Scene,
    duration: float,
    dt: float,
    integrator: str | Integrator = "linearly_implicit",
    formulation: str = "recursive",
    *,
    stabilization: Stabilization | None = None,
    open_start: bool = False,
    contact: str | ContactMethod | None = None,
    progress: Callable[[float], object] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Trajectory:
    """Return the motion of a scene. The same input gives the same bits.

    Joints change their charts between steps where they come near a singularity; the rows are in those of the scene's
    model.

    Args:
        scene: Model, start, and what acts on it.
        duration: How long [s]; rounded up to whole steps.
        dt: Time from row to row and, unless the integrator chooses its own, the step [s].
        integrator: A name in ``INTEGRATORS``, or one of them with its own settings; ``contact`` for contacts.
        formulation: By which accelerations are worked out, as in ``Multibody.forward_dynamics``. Steps that solve for
            velocities take the matrices of ``redmax`` if asked to, else the recursive ones; ``bdf1``, ``bdf2``,
            ``variational`` and ``hakenberg`` have their own equations.
        stabilization: How constraints are kept from drifting; ``Stabilization()`` if left out.
        open_start: Whether loops, rods and gears may be open at the start by more than a hundredth of the model's size;
            stabilization draws them together. Motions that are prescribed may always begin elsewhere.
        contact: By which method ``linearly_implicit`` and ``symplectic_euler`` find contact impulses and friction: a
            name in ``CONTACT_METHODS``, or one of them with its own settings. In maximal coordinates with the
            formulation ``maximal``, else in those of the joints.
        progress: Takes how much is done, 0 to 1, about a hundred times; may raise ``Cancelled``.
        cancelled: Asked before each step; if it returns true, the simulation stops.

    Returns:
        Rows at 0, dt, 2 dt, ...

    Raises:
        DynamicsError: If an argument makes no sense, the integrator cannot take a constraint, one is open at the start,
            or the motion is no longer finite or beyond all measure; says which, or when and at which body.
        Cancelled: If ``cancelled`` asks for it.
    """
    if not isinstance(scene, Scene):
        raise DynamicsError(f"the scene is {shown(scene)}; it must be a Scene")
    dt = _positive(dt, "dt", zero=False)
    duration = _positive(duration, "the duration", zero=True)
    count = math.ceil(duration / dt - 1e-9)
    if count > _MOST_ROWS:
        raise DynamicsError(f"{duration:g} s in steps of {dt:g} s are {count} rows; at most {_MOST_ROWS} are possible")
    run = Simulation(
        scene, dt, integrator, formulation, stabilization=stabilization, open_start=open_start, contact=contact
    )
    rows = Trajectory(
        dt * np.arange(count + 1, dtype=np.float64),
        np.empty((count + 1, scene.nq)),
        np.empty((count + 1, scene.nq)),
        np.empty((count + 1, 2)),
        np.empty((count + 1, 6)),
    )
    _march(rows, run, progress, cancelled)
    return rows


def _march(
    rows: Trajectory,
    run: Simulation,
    progress: Callable[[float], object] | None,
    cancelled: Callable[[], bool] | None,
) -> None:
    """Write all rows of a motion, step by step; raises what ``simulate`` does."""
    count, reported = len(rows.times) - 1, 0
    _write(rows, 0, run)
    for k in range(count):
        if cancelled is not None and cancelled():
            raise Cancelled
        run.step()
        _write(rows, k + 1, run)
        if progress is not None and (100 * (k + 1)) // count > reported:
            reported = (100 * (k + 1)) // count
            progress((k + 1) / count)
    if progress is not None and reported < 100:
        progress(1.0)


def _write(rows: Trajectory, k: int, run: Simulation) -> None:
    """Write a row of a motion."""
    rows.x[k], rows.v[k] = run.x, run.v
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        rows.energy[k] = run.energy()
        rows.momentum[k] = run.state.momentum()


class Simulation:
    """A scene on its way, a step at a time: what ``simulate`` runs through, for those who do not know the end.

    Args:
        scene: As of ``simulate``.
        dt: The step [s], greater than 0.
        integrator: As of ``simulate``.
        formulation: As of ``simulate``.
        stabilization: As of ``simulate``.
        open_start: As of ``simulate``.
        contact: As of ``simulate``.

    Attributes:
        scene: What is simulated.
        dt: The step [s].
        x: Coordinates in the charts of the scene's model, shape (nq,).
        v: Rates in the same charts, shape (nv,).
        state: The same state in the charts that the joints had on the way here.
        touched: What touched in the last step, and with which forces; None before it and without a contact method.

    Raises:
        DynamicsError: As ``simulate``.
    """

    def __init__(
        self,
        scene: Scene,
        dt: float,
        integrator: str | Integrator = "linearly_implicit",
        formulation: str = "recursive",
        *,
        stabilization: Stabilization | None = None,
        open_start: bool = False,
        contact: str | ContactMethod | None = None,
    ) -> None:
        if not isinstance(scene, Scene):
            raise DynamicsError(f"the scene is {shown(scene)}; it must be a Scene")
        self.scene, self.dt = scene, _positive(dt, "dt", zero=False)
        find_formulation(formulation)
        self._method = find_integrator(integrator)
        self._contact = None if contact is None else find_contact_method(contact)
        self._method.check(scene, INTEGRATORS, None if self._contact is None else self._contact.name)
        self._formulation, self._stabilization = formulation, stabilization or Stabilization()
        self.touched: Touched | None = None
        if scene.constraints and not open_start:
            from core.dynamics.constraints.start import check_start

            x, v = np.array(scene.x), np.array(scene.v)
            start = (x, v) if scene.reduction is None else scene.reduction.joint_state(x, v)
            check_start(scene.constraints, scene.model, *start)
        self.set_state(scene.x, scene.v)

    @property
    def time(self) -> float:
        """Time, [s]; 0 where the state was set, unless that was given one."""
        return self._start + self._steps * self.dt

    def set_state(self, x: ArrayLike, v: ArrayLike, time: float = 0.0) -> None:
        """Begin anew in a state of the scene's model, shapes (nq,) and (nv,), at a time [s].

        Raises:
            DynamicsError: If it is not finite or beyond all measure.
        """
        nq, kind = self.scene.nq, System if self.scene.reduction is None else HyperSystem
        self._system = kind(self.scene, self._formulation, self._stabilization, self._contact)
        self._start, self._steps = float(time), 0
        self._take(np.array(finite_array(x, (nq,), "x")), np.array(finite_array(v, (nq,), "v")))
        self._method.begin(self._system, self._x, self._v)

    def step(self) -> None:
        """Take a step.

        Raises:
            DynamicsError: If the motion is no longer finite or beyond all measure; says when and at which body.
        """
        system, method = self._system, self._method
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            x, v = method.step(system, self.time, self._x, self._v, self.dt)
            self._steps += 1
            self.touched = None if system.contact is None else system.contact.touched
            if not method.touches:  # what touches is stepped by an engine that keeps its own state
                x = system.within_bounds(self.time, x)
        before = system.model
        self._take(x, v)
        if self._x is not x:
            method.recharted(before, system, self._x, self._v)

    def energy(self) -> tuple[float, float]:
        """Return kinetic and potential energy [J], that of forces included."""
        return self._system.energy(self.state)

    def loads(self) -> Load:
        """Return what all forces and the controller do in the present state, in the charts of ``state``."""
        return self._system.load(self.state)

    def _take(self, x: Array, v: Array) -> None:
        """Go on from a state in the present charts; these may change."""
        system = self._system
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            self.state = system.state(self.time, x, v)
            self.x, self.v = system.at_home(x, v)
            system.row, system.row_rates = self.x, self.v
            self._x, self._v = system.rechart(x, v, self._method.early_charts)


def _positive(value: float, what: str, zero: bool) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number) or number < 0.0 or (number == 0.0 and not zero):
        wanted = "0 or more" if zero else "greater than 0"
        raise DynamicsError(f"{what} is {shown(value)}; it must be a finite number of seconds, {wanted}")
    return number


def find_integrator(chosen: str | Integrator) -> Integrator:
    """Return an integrator by name, ``contact`` among them; one with its own settings as it is.

    Raises:
        DynamicsError: If there is none of that name; lists those there are.
    """
    if isinstance(chosen, Integrator):
        return chosen
    kinds: tuple[type[Integrator], ...] = (*INTEGRATORS, ContactStep)
    for kind in kinds:
        if kind.name == chosen:
            return kind()
    names = ", ".join(kind.name for kind in kinds)
    raise DynamicsError(f"there is no integrator {chosen!r}; there are {names}")
