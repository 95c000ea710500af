"""Runs a reference scene in one of the ways of the tables, and judges what comes out."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.dynamics import Scene, Stabilization, Trajectory, redmax, simulate
from core.dynamics.constraints import PrescribedBody, PrescribedJoint
from core.dynamics.contact.methods import BilateralStaggeredProjections
from core.dynamics.integrators import RK45, Integrator, LinearlyImplicit
from core.dynamics.system import System
from tests.physics.scenes.adaptive import integrate
from tests.physics.scenes.building import Reference
from tests.physics.scenes.program_friction import ProgramFriction
from tests.physics.scenes.rubbing import with_bearings
from tests.physics.scenes.table import BDF1, BDF2, BISP, EULER, RECURSIVE, REDMAX

Array = NDArray[np.float64]

COLUMNS = (EULER, BISP, RECURSIVE, REDMAX, BDF1, BDF2)

EULER_GATE = 1e-8
"""Of the difference, to the given energy."""
QP_GATE = 1e-2
"""Of the difference itself [erg], where there are limits or friction, found by a quadratic program within the program's
own tolerances; it is what the program asks of itself."""
BEARING_GATE = 0.2
"""Of the difference of our own friction, to the given energy: bearings touch elsewhere, and all passes are taken."""
BDF_GATE = 1e-4
"""Of the difference, to the given energy or 1."""
DRIFT_GATE = 1e-5
"""Of what the energy drifts in adaptive steps, to the greatest kinetic energy."""
DIGITS_GATE = 1e-5
"""Of the difference with the program's own adaptive steps, to the given energy, where work is done."""
AGREEMENT_GATE = 1e-8
"""Of the difference of two formulations, where no energy is given."""

_RTOL, _ATOL = 1e-7, 1e-9


@dataclass(frozen=True)
class Outcome:
    """What a scene gave in one way.

    Attributes:
        given: Energy that the program gives, or None.
        ours: Ours; in adaptive columns with the program's own steps.
        check: What was checked, and how far off it is.
        off: That number.
        gate: How large it may be.
        seconds: How long it took.
    """

    given: float | None
    ours: float
    check: str
    off: float
    gate: float
    seconds: float

    @property
    def good(self) -> bool:
        return self.off <= self.gate


def run(reference: Reference, column: str) -> Outcome:
    """Run a scene in one of ``COLUMNS``."""
    began = time.perf_counter()
    scene = reference.build()
    given = reference.given[column]
    if column == EULER:
        outcome = _euler(reference, scene, given)
    elif column == BISP:
        outcome = _bearings(reference, scene, given)
    elif column in (BDF1, BDF2):
        outcome = _implicit(reference, scene, given, column)
    else:
        outcome = _adaptive(reference, scene, given, column)
    return replace(outcome, seconds=time.perf_counter() - began)


def energy(trajectory: Trajectory) -> float:
    """Return kinetic energy at the end plus what the potential one has risen."""
    return float(trajectory.energy[-1].sum() - trajectory.energy[0, 1])


def euler(reference: Reference, scene: Scene, formulation: str) -> float:
    """Return the energy after linearly implicit Euler steps, in the program's charts and with its friction."""
    method: Integrator = _steps() if reference.rough is None else ProgramFriction(reference.rough)
    stabilization = Stabilization(step=reference.gamma)
    return energy(simulate(scene, reference.duration, reference.h, method, formulation, stabilization=stabilization))


def _steps() -> LinearlyImplicit:
    return LinearlyImplicit(approach="touching", early_charts=False)


def _bearings(reference: Reference, scene: Scene, given: float | None) -> Outcome:
    """Run our own friction in place of the program's."""
    assert reference.rough is not None and given is not None
    scene = with_bearings(scene, reference.rough)
    stabilization = Stabilization(step=reference.gamma)
    method = BilateralStaggeredProjections()
    ours = energy(
        simulate(scene, reference.duration, reference.h, _steps(), stabilization=stabilization, contact=method)
    )
    return Outcome(given, ours, "relative", abs(ours - given) / abs(given), BEARING_GATE, 0.0)


def _euler(reference: Reference, scene: Scene, given: float | None) -> Outcome:
    ours = euler(reference, scene, "redmax")
    if given is None:
        other = euler(reference, reference.build(), "recursive")
        return Outcome(None, ours, "formulations", abs(other - ours) / max(1.0, abs(ours)), AGREEMENT_GATE, 0.0)
    if reference.rough is not None or any(not constraint.equality for constraint in scene.constraints):
        return Outcome(given, ours, "difference", abs(ours - given), QP_GATE, 0.0)
    return Outcome(given, ours, "relative", abs(ours - given) / abs(given), EULER_GATE, 0.0)


def _implicit(reference: Reference, scene: Scene, given: float | None, column: str) -> Outcome:
    trajectory = simulate(scene, reference.duration, reference.h, column)
    ours = energy(trajectory)
    if given is None:
        return Outcome(None, ours, "equation", _missed(scene, trajectory, column), AGREEMENT_GATE, 0.0)
    gate = reference.gate or BDF_GATE
    return Outcome(given, ours, "relative", abs(ours - given) / max(1.0, abs(given)), gate, 0.0)


def _missed(scene: Scene, trajectory: Trajectory, column: str) -> float:
    """Return by how much the rows miss the discrete equation, to its largest term, with RedMax's matrices."""
    h = float(trajectory.times[1])
    worst = 0.0
    for k in range(2, len(trajectory.times)):
        x2, x1, x0 = trajectory.x[k], trajectory.x[k - 1], trajectory.x[k - 2]
        v2, v1, v0 = trajectory.v[k], trajectory.v[k - 1], trajectory.v[k - 2]
        reduced = redmax.system(scene.model, x2, v2)
        if column == BDF1:
            left, right = reduced.M @ (x2 - x1 - h * v1), h * h * reduced.f
        else:
            step = x2 - (4.0 * x1 - x0) / 3.0 - h * (8.0 * v1 - 2.0 * v0) / 9.0
            left, right = reduced.M @ step, 4.0 / 9.0 * h * h * reduced.f
        worst = max(worst, float(np.abs(left - right).max() / np.abs(reduced.M @ (h * v2)).max()))
    return worst


def _adaptive(reference: Reference, scene: Scene, given: float | None, column: str) -> Outcome:
    scene = reference.adaptive() if reference.adaptive else scene
    duration = reference.adaptive_duration or reference.duration
    ours = program_energy(scene, duration, column)
    if reference.works:
        assert given is not None
        return Outcome(given, ours, "relative", abs(ours - given) / abs(given), DIGITS_GATE, 0.0)
    method: Integrator = RK45(_RTOL, _ATOL)
    formulation = "recursive" if column == RECURSIVE else "redmax"
    precise = simulate(scene, duration, reference.h, method, formulation)
    drift = abs(energy(precise) - precise.energy[0, 0]) / precise.energy[:, 0].max()
    return Outcome(given, ours, "drift", float(drift), DRIFT_GATE, 0.0)


def program_energy(scene: Scene, duration: float, column: str) -> float:
    """Return the energy that comes out with the program's own adaptive steps and constraints.

    Gaps g are closed at ``-10 gdot - 25 g``, but where a joint or body is led at ``-25 g`` with "redmax", and with
    "rhd" not at all: so the digits of scenes 9, 12, 13, 20 and 30 come out.
    """
    led = any(isinstance(constraint, (PrescribedJoint, PrescribedBody)) for constraint in scene.constraints)
    closing = 0.0 if led and column == RECURSIVE else 5.0
    stabilization = Stabilization(0.0 if led else 5.0, closing, 0.0)
    system = System(scene, "recursive" if column == RECURSIVE else "redmax", stabilization)
    n = scene.model.nq

    def rates(t: float, y: Array) -> Array:
        return np.concatenate([y[n:], system.acceleration(t, y[:n], y[n:])])

    x, v = np.array(scene.x), np.array(scene.v)
    y = integrate(rates, np.concatenate([x, v]), duration)
    last = system.energy(system.state(duration, y[:n], y[n:]))
    return sum(last) - system.energy(system.state(0.0, x, v))[1]
