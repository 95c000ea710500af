"""Optimisation: the errors are one function of the pose, and its least value inside the limits is looked for.

The functions are scipy's: L-BFGS-B for plain limits, a variable-metric method with active bounds as Jack's was, and
SLSQP where joints also have cones, which are no plain limits.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from core.arrays import Array
from core.ik import nodes_kernel, optimization_kernel
from core.ik.nodes_kernel import record, record_start
from core.ik.optimization_kernel import GRADIENT, POINT, UNIT
from core.ik.problem import Problem, evaluate
from core.ik.solver import Solver
from core.kernels import serving
from core.kinematics.cones import NO_CONE
from core.skeleton.tree import KIND_HINGE

MEMORY = 20
"""Pairs of steps and gradient changes that L-BFGS-B keeps."""
LARGEST_STEP = 0.5
"""Most that the first step changes a node, [rad] or [W]."""
TURNS = 2
"""How often hinges at the end of a wide range may be tried at its other end."""
WIDE = math.pi
"""From what range on a hinge counts as one that could as well go round the other way, [rad]."""
STALL_STEPS, STALL = 8, 1e-2
"""So many iterations must lower the error by that part of the tolerance."""
_FLAT = 1e-6
"""Part of the slope toward the goals under which the objective counts as level."""
_OFF = 0.05
"""How far a start that is level is moved, [rad]."""


def run(problem: Problem, tolerance: float, max_iterations: int) -> int:
    """Minimise ``sum w_p |P_d - P_c|^2 + w_o L^2 sum_j (1 - u_jd . u_jc)`` inside the limits.

    The variable of a node is its value over ``sqrt(K_i)``, so that a stiff joint moves less. The result is the best
    pose met, never worse than the start.

    Source: Welman (1993) sections 3.3, 3.4.
    """
    search = _Search(problem, tolerance)
    x: Array | None = problem.x
    for _ in range(1 + TURNS):
        if x is None or search.done or search.iterations >= max_iterations or not search.prepare(x):
            break
        search.minimize(max_iterations - search.iterations)
        x = search.other_direction()
    return search.finish()


def load_libraries() -> None:
    """Import what the solver otherwise imports at its first use, which then takes a tenth of a second longer.

    Safe on any thread.
    """
    import scipy.optimize  # noqa: F401

    _libraries()


def _one_thread() -> Any:
    """Keep scipy's linear algebra on one thread meanwhile: sharing out matrices this small takes ten times as long."""
    return _libraries().limit(limits=1)


@cache
def _libraries() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")


class _Search:
    """One run: the objective as scipy wants it, and the best pose met.

    Args:
        problem: Its ``x`` is where to start.
        tolerance: [W].
    """

    def __init__(self, problem: Problem, tolerance: float):
        self.problem = problem
        self.tolerance = tolerance
        self.scale = 1.0
        self.iterations = 0
        self._kernels = serving(optimization_kernel)
        self._nodes = serving(nodes_kernel)
        nodes, work = problem.nodes, problem.work
        self.best, self.worst = evaluate(problem, problem.x)
        self.x = problem.x.copy()
        record_start(work, self.best)
        self.free = nodes.gain > 0.0
        self.coned = problem.structure.coned
        self._mark = self.best

    @property
    def done(self) -> bool:
        """Whether the goals are met."""
        return self.worst <= self.tolerance

    def other_direction(self) -> Array | None:
        """Return the best pose with hinges that are pressed against a limit at their other one, shape (K,), or None.

        Limits cut the circle open. Where a search ends at a cut, the way on begins on its other side.
        """
        nodes = self.problem.nodes
        if self.done:
            return None
        self.problem.work.s[UNIT] = 1.0
        down = self._slopes(self.x)
        wide = self.free & (nodes.kind == KIND_HINGE) & np.isfinite(nodes.upper - nodes.lower)
        wide[wide] &= (nodes.upper - nodes.lower)[wide] >= WIDE
        top, bottom = wide & (down > 0.0) & (self.x >= nodes.upper), wide & (down < 0.0) & (self.x <= nodes.lower)
        if not (top | bottom).any():
            return None
        x = np.where(top, nodes.lower, np.where(bottom, nodes.upper, self.x))
        self._nodes.clamp(nodes, x)
        return x

    def prepare(self, x: Array) -> bool:
        """Choose the units of the variables; return whether any of them helps.

        In these units the steepest way down has slope one, and a step of one along it goes to the least value of the
        linearised goals: what both of scipy's methods try first.

        Args:
            x: Where to start, shape (K,).
        """
        problem, work = self.problem, self.problem.work
        gain = problem.nodes.gain
        if not self.free.any():
            return False
        work.s[UNIT] = np.where(self.free, np.sqrt(gain / gain.max()), 1.0)
        gradient = self._descent(x)
        weights = np.repeat(problem.aims.weight[:, :2], 3, axis=1).ravel()
        pull = np.where(self.free, work.s[UNIT] * ((weights * work.E) @ work.J), 0.0)
        pulled = float(np.abs(pull).max())
        if pulled == 0.0:
            return False
        if np.abs(gradient).max() <= _FLAT * pulled:
            # Half a turn away the objective is at its top; the logarithm still knows where to turn.
            x = x + _OFF * work.s[UNIT] * (pull / pulled)
            self._nodes.clamp(problem.nodes, x)
            gradient = self._descent(x)
        slope = math.sqrt(float(gradient @ gradient))
        if slope == 0.0:
            return False
        bend = work.J @ (work.s[UNIT] * gradient)
        curvature = 2.0 * float(weights @ (bend * bend))
        largest = float(np.abs(work.s[UNIT] * gradient).max())
        step = min(slope * slope / curvature if curvature > 0.0 else math.inf, LARGEST_STEP / largest) * slope
        work.s[UNIT, self.free] *= step
        self.scale = 1.0 / (step * slope)
        self._start = x
        return math.isfinite(self.scale) and step > 0.0

    def minimize(self, max_iterations: int) -> None:
        """Let scipy look for the least value, from the start of ``prepare``."""
        from scipy.optimize import Bounds, minimize

        nodes, unit = self.problem.nodes, self.problem.work.s[UNIT].copy()
        z = self._start / unit
        bounds = Bounds(np.where(self.free, nodes.lower / unit, z), np.where(self.free, nodes.upper / unit, z))
        options: dict[str, Any] = {"maxiter": max_iterations, "ftol": 0.0}
        if self.coned:
            method, constraints = "SLSQP", [self._cones(unit)]
            options["ftol"] = 1e-30
        else:
            method, constraints = "L-BFGS-B", []
            options |= {"gtol": 0.0, "maxcor": MEMORY, "maxfun": 20 * max_iterations + 20}
        with _one_thread():
            minimize(
                self._value,
                z,
                jac=True,
                method=method,
                bounds=bounds,
                constraints=constraints,
                options=options,
                callback=self._after,
            )

    def finish(self) -> int:
        """Put the best pose into the problem with its frames and errors; return the iterations."""
        problem = self.problem
        problem.x[:] = self.x
        evaluate(problem, problem.x)
        return self.iterations

    def _descent(self, x: Array) -> Array:
        """Return the way down at ``x`` for the nodes that are free and not pressed against a limit, shape (K,)."""
        nodes, down = self.problem.nodes, self._slopes(x)
        pressed = ((down > 0.0) & (x >= nodes.upper)) | ((down < 0.0) & (x <= nodes.lower))
        return np.where(self.free & ~pressed, down, 0.0)

    def _slopes(self, x: Array) -> Array:
        """Return minus the gradient at ``x``, shape (K,)."""
        problem, work = self.problem, self.problem.work
        self._kernels.evaluate(problem.nodes, problem.aims, x / work.s[UNIT], work, 1.0)
        return -work.s[GRADIENT]

    def _value(self, z: Array) -> tuple[float, Array]:
        """Return objective and gradient at ``z``; note the pose if it is the best so far."""
        problem, work = self.problem, self.problem.work
        value = self._kernels.evaluate(problem.nodes, problem.aims, z, work, self.scale)
        if not self.coned:
            self._note(work.s[POINT])
        return value, work.s[GRADIENT].copy()

    def _note(self, x: Array) -> None:
        merit, worst = self.problem.work.score.tolist()
        if merit < self.best:
            self.best, self.worst = merit, worst
            self.x[:] = x

    def _after(self, z: Array) -> None:
        """Count an iteration of scipy's, and end the search where it is time."""
        problem, work = self.problem, self.problem.work
        if self.coned:
            # On its way SLSQP may be outside a cone by a little.
            x = np.clip(z * work.s[UNIT], problem.nodes.lower, problem.nodes.upper)
            self._nodes.clamp(problem.nodes, x)
            evaluate(problem, x)
            self._note(x)
        self.iterations += 1
        record(work, self.best)
        if self.done:
            raise StopIteration
        if self.iterations % STALL_STEPS == 0:
            if math.sqrt(self._mark) - math.sqrt(self.best) < STALL * self.tolerance:
                raise StopIteration
            self._mark = self.best

    def _cones(self, unit: Array) -> dict[str, Any]:
        """Return the cones as scipy takes constraints: ``cos a cos b - cos cone >= 0`` of each pair of swings."""
        nodes = self.problem.nodes
        a = np.flatnonzero((nodes.cone != NO_CONE) & (np.arange(len(unit)) < nodes.partner))
        b, rows = nodes.partner[a], np.arange(len(a))

        def value(z: Array) -> Array:
            return np.asarray(np.cos(z[a] * unit[a]) * np.cos(z[b] * unit[b]) - nodes.cone[a])

        def gradient(z: Array) -> Array:
            x, y = z[a] * unit[a], z[b] * unit[b]
            out = np.zeros((len(a), len(z)))
            out[rows, a], out[rows, b] = -np.sin(x) * np.cos(y) * unit[a], -np.cos(x) * np.sin(y) * unit[b]
            return out

        return {"type": "ineq", "fun": value, "jac": gradient}


OPTIMIZATION = Solver(
    "optimization",
    "Optimisation",
    "Weighs all joints and limits at once: the whole chain settles where the error is least.",
    run,
    200,
    character="weighs limits",
)
