"""Steps of jointed bodies: the update as printed, and one that keeps constraints and momenta.

Equation (6) keeps what (1) and (2) say only as long as steps are infinitely small. The printed update, of first order,
drifts off and gains energy until the motion blows up. The stabilized one takes the same accelerations at four places
(Runge and Kutta's method on SO(3)), then brings the joints together by the least motion and lets the momenta be what
the loads from outside make of them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from core.arrays import Array
from core.dynamics.hakenberg import equations, step_kernel
from core.dynamics.hakenberg.bodies import BodyStates, JointedBodies
from core.dynamics.hakenberg.equations import Loads
from core.dynamics.hakenberg.solution import Method, no_solution, solve, usable
from core.kernels import serving
from core.spatial import so3

LoadsAt = Callable[[float, BodyStates], Loads]
"""``loads(t, state)``, t in seconds from the step's start."""

TOLERANCE = 1e-14
"""What the stabilized step leaves: gaps, of the larger of 1 and the joints' distance from the origin; turns of axes."""
_MOST_CORRECTIONS = 6

_PLACES, _WEIGHTS = (0.0, 0.5, 0.5, 1.0), np.array([1.0, 2.0, 2.0, 1.0]) / 6.0
"""Where in a step Runge and Kutta's method takes rates, and how much each counts."""


def intrinsic_loads(bodies: JointedBodies, friction: float | Array = 0.0, motor: float | Array = 0.0) -> LoadsAt:
    """Return loads that are friction and motors of the joints, as ``equations.intrinsic_torques``."""
    none = Loads.none(bodies)
    return lambda t, state: none._replace(e=equations.intrinsic_torques(bodies, state, friction, motor))


def printed_step(
    bodies: JointedBodies, state: BodyStates, h: float, loads: LoadsAt | None = None, *, method: Method = "svd"
) -> BodyStates:
    """Return the state a step later by the update as it is printed: velocities first, places and turns by them.

    Args:
        bodies: The bodies.
        state: Where they are and how they move.
        h: Step [s].
        loads: What acts, or None.
        method: How (6) is solved.

    Source: Hakenberg, Algorithm for animation.
    """
    found = solve(bodies, state, None if loads is None else loads(0.0, state), method=method)
    v, omega = state.v + h * found.a, state.omega + h * found.domega
    return BodyStates(state.p + h * v, state.R @ so3.exp(h * omega), v, omega)


def stabilized_step(
    bodies: JointedBodies, state: BodyStates, h: float, loads: LoadsAt | None = None, *, method: Method = "tree"
) -> BodyStates:
    """Return the state a step later: error of fourth order, (1) and (2) kept to rounding, and the momenta too.

    Each tree that floats has afterwards the momenta it had and what the loads from outside gave it.

    Args:
        bodies: The bodies.
        state: Where they are and how they move, with (1) and (2) or not far from it.
        h: Step [s].
        loads: What acts, or None.
        method: How (6) is solved.

    Source: Hakenberg (6); Munthe-Kaas (1998) for the Runge-Kutta step; Cline & Pai (2003) for post-stabilization.
    """
    run, packed, count = serving(step_kernel), bodies.packed, len(bodies.masses)
    start = here = BodyStates(*map(usable, state))
    momenta = np.zeros((len(bodies.topology.roots), 6))
    run.add_momenta(packed, *start, momenta)
    rates = np.empty((4, 4, count, 3))  # by place: of rotation vectors from the start on, and of p, v and omega
    rates[0, 0] = start.omega
    for k, (share, weight) in enumerate(zip(_PLACES, _WEIGHTS.tolist(), strict=True)):
        if k:
            here = _empty(count)
            run.carry_on(*start, share * h, rates[k - 1], *here, rates[k, 0])
        acting = Loads.none(bodies) if loads is None else loads(share * h, here)
        found = solve(bodies, here, acting, method=method)
        rates[k, 1], rates[k, 2], rates[k, 3] = here.v, found.a, found.domega
        run.add_loads(packed, weight * h, here.p, here.R, usable(acting.forces), usable(acting.torques), momenta)
    after = _empty(count)
    run.carry_on(*start, h, np.tensordot(_WEIGHTS, rates, 1), *after, np.empty((count, 3)))
    return with_momenta(bodies, _put_together(bodies, after), momenta)


def _empty(count: int) -> BodyStates:
    p, v, omega = np.empty((3, count, 3))
    return BodyStates(p, np.empty((count, 3, 3)), v, omega)


def projected(bodies: JointedBodies, state: BodyStates) -> BodyStates:
    """Return the state with (1) and (2), reached by the least motion and the least change of velocities.

    Measured by kinetic energy: the joints act, equal and opposite on both bodies, so that the centre of mass stays and
    impulses change neither momentum.

    Raises:
        DynamicsError: If the tree cannot be eliminated, as with numbers that are not finite.
    """
    return _put_together(bodies, BodyStates(*(np.array(array, dtype=np.float64) for array in state)))


def _put_together(bodies: JointedBodies, state: BodyStates) -> BodyStates:
    """Change a state as ``projected`` says, and return it."""
    work = step_kernel.work_for(len(bodies.masses), len(bodies.E))
    if not serving(step_kernel).put_together(bodies.packed, TOLERANCE, _MOST_CORRECTIONS, *state, work):
        raise no_solution()
    return state


def with_momenta(bodies: JointedBodies, state: BodyStates, momenta: Array) -> BodyStates:
    """Return the state with a rigid motion of each floating tree added that gives it the momenta wanted.

    Args:
        bodies: The bodies.
        state: Where they are and how they move; (2) stays as it is.
        momenta: ``[L; P]`` of the trees of ``topology.roots`` about the world's origin, shape (k, 6).
    """
    v, omega = np.array(state.v), np.array(state.omega)
    good = serving(step_kernel).give_momenta(
        bodies.packed, usable(state.p), usable(state.R), usable(momenta), v, omega, np.empty((7, 6)), np.empty(6)
    )
    if not good:
        raise no_solution()
    return state._replace(v=v, omega=omega)
