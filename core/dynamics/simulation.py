"""From a scene to its motion."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from core.arrays import Array
from core.checked_arrays import shown
from core.dynamics.formulations import formulation as find_formulation
from core.dynamics.integrators import INTEGRATORS, Integrator
from core.dynamics.integrators.contact_step import ContactStep
from core.dynamics.scene import Scene
from core.dynamics.stabilization import Stabilization
from core.dynamics.system import System
from core.dynamics.trajectory import Trajectory
from core.errors import Cancelled, DynamicsError

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
            velocities take the matrices of ``redmax`` if asked to, else the recursive ones; BDF has its own equations.
        stabilization: How constraints are kept from drifting; ``Stabilization()`` if left out.
        open_start: Whether loops, rods and gears may be open at the start by more than a hundredth of the model's size;
            stabilization draws them together. Motions that are prescribed may always begin elsewhere.
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
    find_formulation(formulation)
    method = _integrator(integrator)
    method.check(scene)
    system = System(scene, formulation, stabilization or Stabilization())
    model = scene.model
    x, v = np.array(scene.x), np.array(scene.v)
    if scene.constraints and not open_start:
        from core.dynamics.constraints.start import check_start

        check_start(scene.constraints, model, x, v)
    rows = Trajectory(
        dt * np.arange(count + 1, dtype=np.float64),
        np.empty((count + 1, model.nq)),
        np.empty((count + 1, model.nv)),
        np.empty((count + 1, 2)),
        np.empty((count + 1, 6)),
    )
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        _march(rows, system, method, x, v, dt, progress, cancelled)
    return rows


def _march(
    rows: Trajectory,
    system: System,
    method: Integrator,
    x: Array,
    v: Array,
    dt: float,
    progress: Callable[[float], object] | None,
    cancelled: Callable[[], bool] | None,
) -> None:
    """Write all rows of a motion, step by step; raises what ``simulate`` does."""
    count, reported = len(rows.times) - 1, 0
    _write(rows, 0, system, x, v)
    x, v = system.rechart(x, v, method.early_charts)
    method.begin(system, x, v)
    for k in range(count):
        if cancelled is not None and cancelled():
            raise Cancelled
        x, v = method.step(system, k * dt, x, v, dt)
        if not method.touches:  # what touches is stepped by an engine that keeps its own state
            x = system.within_bounds((k + 1) * dt, x)
        _write(rows, k + 1, system, x, v)
        before, old = system.model, x
        x, v = system.rechart(x, v, method.early_charts)
        if x is not old:
            method.recharted(before, system, x, v)
        if progress is not None and (100 * (k + 1)) // count > reported:
            reported = (100 * (k + 1)) // count
            progress((k + 1) / count)
    if progress is not None and reported < 100:
        progress(1.0)


def _write(rows: Trajectory, k: int, system: System, x: Array, v: Array) -> None:
    """Write a row of a motion.

    Raises:
        DynamicsError: If it is not finite.
    """
    state = system.state(float(rows.times[k]), x, v)
    rows.x[k], rows.v[k] = system.at_home(x, v)
    system.row, system.row_rates = rows.x[k], rows.v[k]
    rows.energy[k] = system.energy(state)
    rows.momentum[k] = state.momentum()


def _positive(value: float, what: str, zero: bool) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number) or number < 0.0 or (number == 0.0 and not zero):
        wanted = "0 or more" if zero else "greater than 0"
        raise DynamicsError(f"{what} is {shown(value)}; it must be a finite number of seconds, {wanted}")
    return number


def _integrator(chosen: str | Integrator) -> Integrator:
    if isinstance(chosen, Integrator):
        return chosen
    kinds: tuple[type[Integrator], ...] = (*INTEGRATORS, ContactStep)
    for kind in kinds:
        if kind.name == chosen:
            return kind()
    names = ", ".join(kind.name for kind in kinds)
    raise DynamicsError(f"there is no integrator {chosen!r}; there are {names}")
