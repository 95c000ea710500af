"""A drag under locks: goal and locks are solved together, so that the body gives way and what is locked stays."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from core.arrays import Array
from core.constraints.counterpart import ALIKE
from core.constraints.hold.mobility import pose_units
from core.constraints.solve_locks import LockResult, LockSolver, solve_locks
from core.ik import Goal, Result, solve
from core.ik.options import SolveOptions
from core.ik.root_under_locks import UPRIGHT, UPRIGHT_BODY
from core.kinematics import forward_kinematics, point_jacobian
from core.kinematics.chain import Chain
from core.posing.hindrance import Hindrance, HindranceWatch, LockHindrance, limit_side
from core.posing.pacing import SPARE_STEPS
from core.posing.pose_edit import HOLD, HeldLocks, both_sides, mirrored_goal
from core.skeleton.mirroring.pose_mirror import other_columns
from core.skeleton.skeleton import Skeleton
from core.skeleton.stance import flipped
from core.spatial import so3

HOLDS_ITSELF = "damped_least_squares"
"""The solver under which goal and locks are one problem; under others it is drawn to what they find."""

STEPS, FEW_STEPS = 8, 2
"""Iterations an event unless asked for otherwise, and with many locks."""
MANY = 4
"""Locks from which on they are many: all four hooves of a horse."""
MOST_STEPS = 32
"""Iterations up to which more are tried where as many as asked for led nowhere."""
MOST_RESTING = 4
"""Times as many iterations while the pointer rests: nothing but the end of them is waited for."""
STILL = 1e-7
"""A pose that changes by less from one event to the next has come to rest, [m] and [rad]."""
PATIENCE = 40
"""Most events that go on while the pointer rests."""
HELD_BACK = {False: 1e-2, True: 5e-3}
"""Share of the reach, or of the figure's size for the whole figure, that locks must keep a part from its goal by to be
named, and to stay named."""
EVEN = 1e-9
"""Sides that differ by no more than this are alike, [m] and [rad]."""
ARRIVED = 1.5e-3
"""Share of the figure's size within which a goal counts as reached: a firm drag stays about so much short of it."""


class LockedDrag:
    """The solver of one drag while locks hold, made ready once, at the press.

    Args:
        skeleton: The figure.
        press: Pose at press, shape (nq,).
        joint: The dragged joint.
        point: The end-effector in its frame, shape (3,), [m].
        chain: What the drag moves.
        holding: The locks, at least one, and how they are held.
        mirror: Whether the other side does the same.
        options: Keywords of ``core.ik.solve``: the solver that proposes, and how it works.

    Attributes:
        unfinished: Whether the pose has not come to rest: going on from it would change it.
    """

    def __init__(
        self,
        skeleton: Skeleton,
        press: Array,
        joint: int,
        point: Array,
        chain: Chain,
        holding: HeldLocks,
        mirror: bool,
        options: SolveOptions,
    ):
        self._skeleton, self._press = skeleton, press
        self._joint, self._point, self._chain = joint, point, chain
        self._holding, self._options = holding, options
        self._locks, self._figures = holding.locks, holding.figures
        self._both = bool(mirror and other_columns(skeleton, chain.dofs).size)
        self._held = holding.with_mirror_images(skeleton, press) if self._both else None
        # What ties one side to the other moves both as one, if they were alike at press.
        tied = self._held is not None and len(self._held) > len(self._locks)
        self._alike = tied and float(np.abs(press - flipped(skeleton, press)).max()) <= ALIKE
        self._solvers: dict[bool, LockSolver] = {}
        self._hindrance = LockHindrance(skeleton, self._locks, self._figures)
        self._size = float(pose_units(skeleton)[0])
        self._facing = forward_kinematics(skeleton, press)[0][:3, :3]
        self._reference: tuple[Array, Array] | None = None
        self._tries = 0
        self._more = 1
        self.unfinished = False

    def _solver(self, moves_root: bool) -> LockSolver:
        if moves_root not in self._solvers:
            self._solvers[moves_root] = LockSolver(
                self._skeleton,
                self._held or self._locks,
                goals=self._goals(self._press, moves_root, np.zeros(3)),
                goal_dofs=self.goal_dofs(moves_root),
                comfort=self._holding.comfort,
                max_iterations=self._steps,
                figures=self._figures,
                q=self._press,
            )
        return self._solvers[moves_root]

    @property
    def busy(self) -> bool:
        """Whether the locks are so many that each look takes long."""
        return len(self._locks) >= MANY

    @property
    def _steps(self) -> int:
        usual = FEW_STEPS if self.busy else STEPS
        asked = self._holding.iterations or usual * min(max(self._tries, 1), MOST_RESTING)
        return max(asked, min(asked * self._more, FEW_STEPS if self.busy else MOST_STEPS))

    def _grip(self, moves_root: bool) -> tuple[int, Array]:
        """Return the joint and its point that the goal is for: with the whole figure the origin of the root.

        A point beside the origin could be brought nearer by tilting the whole figure.
        """
        return (0, np.zeros(3)) if moves_root else (self._joint, self._point)

    def _aim(self, q: Array, goal: Array, moves_root: bool) -> Array:
        """Return where the gripped point should go, shape (3,), [m], for a goal of the dragged part.

        With the whole figure its root goes as far as the part is dragged: how the body gives way meanwhile may turn
        the part, which must not mislead the root.
        """
        if not moves_root:
            self._reference = None
            return goal
        if self._reference is None:
            self._reference = self._place(q, self._joint, self._point), self._place(q, *self._grip(True))
        part, root = self._reference
        return root + goal - part

    def goal_dofs(self, moves_root: bool) -> tuple[int, ...]:
        """Return the places in the pose that move for the goals: the chain's, or the root's."""
        if moves_root:
            return tuple(range(3 + self._skeleton.first_dof[1]))
        others = other_columns(self._skeleton, self._chain.dofs).tolist() if self._both else []
        return tuple(sorted({*self._chain.dofs, *others}))

    def _goals(self, q: Array, moves_root: bool, goal: Array) -> list[Goal]:
        """Return the goals of the gripped point and of the one across from it in mirror editing, and of the root.

        The root's is its orientation at press, where it may turn.
        """
        goals, weight = [Goal(*self._grip(moves_root), position=goal)], self._upright(moves_root)
        other = mirrored_goal(self._skeleton, q, goals[0]) if self._both and not moves_root else None
        goals += [] if other is None else [other]
        return [*goals, Goal(0, rotation=self._facing, weight=weight)] if weight > 0.0 else goals

    def _upright(self, moves_root: bool) -> float:
        """Return how much it counts that the root keeps its orientation at press; 0 if goals do not turn it."""
        turns = any(3 <= k < 3 + self._skeleton.first_dof[1] for k in self.goal_dofs(moves_root))
        # Welman's penalty method has no weights: to it the goal would be as good as a lock.
        if not turns or self._holding.method == "ccd":
            return 0.0
        return UPRIGHT if moves_root else UPRIGHT_BODY

    def follow(
        self,
        q: Array,
        goal: Array,
        moves_root: bool,
        firm: bool = True,
        bounds: tuple[Array, Array] | None = None,
    ) -> LockResult:
        """Return the pose that brings the part toward a goal with all locks held.

        Args:
            q: The pose shown now, shape (nq,).
            goal: Where the end-effector should be, world, shape (3,), [m].
            moves_root: Whether the goal moves the figure as a whole.
            firm: Whether to stay near the pose at press, if ``holding`` says so.
            bounds: Of pose values, shape (nq,) each, that a second look keeps to.
        """
        holding, solver, steps = self._holding, self._solver(moves_root), self._steps
        solver.max_iterations = steps
        start = self._press if firm and holding.firm else None
        goal = self._aim(q, goal, moves_root)
        wanted = Goal(*self._grip(moves_root), position=goal)
        if holding.method != HOLD:
            result = solve_locks(
                self._skeleton,
                q,
                self._held or self._locks,
                goals=self._goals(q, moves_root, goal),
                goal_dofs=self.goal_dofs(moves_root),
                start=start,
                max_iterations=None if holding.iterations is None else steps,
                figures=self._figures,
                method=holding.method,
                comfort=holding.comfort,
            )
        else:
            if self._options["solver"] != HOLDS_ITSELF and not moves_root:
                near = self._press if start is not None and self._options["secondary"] is None else None
                how: dict[str, Any] = {"near": near, "spare_steps": SPARE_STEPS}
                start = solve(self._skeleton, q, wanted, base=self._chain.base, **how, **self._options).q
                if self._both:
                    start = both_sides(self._skeleton, self._press, start, self._chain.dofs)[0]
            # The place of a goal of an orientation counts for nothing.
            wants = [each.position for each in self._goals(q, moves_root, goal)]
            places = np.array([np.zeros(3) if place is None else place for place in wants])
            if bounds is not None:
                solver.max_iterations = max(2, steps // 2)
                return self._even(solver, solver.solve(q, goal_positions=places, start=start, bounds=bounds))
            result = self._even(solver, solver.solve(q, goal_positions=places, start=start))
        moved = float(np.abs(result.q - q).max(initial=0.0))
        spent = result.iterations >= steps
        # Steps that were all refused begin anew with the next event; only more of them get further.
        self._more = 2 * self._more if spent and moved <= STILL and steps < MOST_STEPS else 1
        self.unfinished = self._more > 1 or (moved > STILL and (spent or not result.held))
        return result

    def _even(self, solver: LockSolver, result: LockResult) -> LockResult:
        """Return what was found with both sides alike, if they were alike at press and the locks can be held so.

        Two tied hands that are pulled apart cannot follow. How they give way is then decided by small things, and
        might well be to one side.
        """
        if not self._alike:
            return result
        across = flipped(self._skeleton, result.q)
        if float(np.abs(across - result.q).max()) <= EVEN:
            return result
        even = solver.project(0.5 * (result.q + across))
        return even if even.held else result

    def solved(self, q: Array, goal: Array, moves_root: bool, watch: HindranceWatch) -> Result:
        """Return what ``follow`` finds in the form of a result of inverse kinematics."""
        before = float(np.linalg.norm(goal - self._effector(q)))
        return self.account(before, self.follow(q, goal, moves_root), goal, watch)

    def _effector(self, q: Array) -> Array:
        return self._place(q, self._joint, self._point)

    def _place(self, q: Array, joint: int, point: Array) -> Array:
        X = forward_kinematics(self._skeleton, q)[joint]
        return np.asarray(X[:3, :3] @ point + X[:3, 3])

    def finished(self, q: Array, goal: Array, moves_root: bool, firm: bool = False) -> Array:
        """Return the pose that has come to rest at a goal, or as near to it as locks allow.

        Args:
            q: The pose to begin with, shape (nq,).
            goal: Where the end-effector should be, world, shape (3,), [m].
            moves_root: Whether the goal moves the figure as a whole.
            firm: Whether to stay near the pose at press, if ``holding`` says so.
        """
        while True:
            q = np.asarray(self.follow(q, goal, moves_root, firm).q)
            if not self.again():
                return self.settled(q)

    @property
    def patient(self) -> bool:
        """Whether the pointer has not rested for too long to go on."""
        return self._tries < PATIENCE

    def again(self) -> bool:
        """Return whether to go on while the pointer rests; each call counts until ``fresh``."""
        self._tries += 1
        return self.unfinished and self._tries <= PATIENCE

    def fresh(self) -> None:
        """Take note that the pointer has moved."""
        self._tries = 0

    def settled(self, q: Array) -> Array:
        """Return the pose to leave at release: as it is, as it was shown, if its locks hold; else projected."""
        solver = self._solver(False)
        return q if solver.residuals(q).held else np.asarray(solver.project(q).q)

    def near(self, q: Array) -> Array | None:
        """Return a pose near one that holds the locks, shape (nq,); None if there is none."""
        found = self._solver(False).project(q)
        return np.asarray(found.q) if found.held else None

    # -- why the part is not at its goal -----------------------------------------------------------------------------

    def account(self, before: float, result: LockResult, goal: Array, watch: HindranceWatch) -> Result:
        """Return a solve of goal and locks in the form of one of inverse kinematics.

        Args:
            before: Distance to the goal that the solve began with, [m].
            result: What the solver found.
            goal: Where the end-effector should be, world, shape (3,), [m].
            watch: Knows how far the chain reaches.
        """
        missing = goal - self._effector(result.q)
        distance = float(np.linalg.norm(missing))
        converged = distance <= max(float(self._options["tolerance"]), ARRIVED * self._size)
        away = float(np.linalg.norm(goal - watch.reach.center))
        short = max(0.0, away - watch.reach.outer, watch.reach.inner - away)
        blocked = () if converged else self._pressed(result.q, missing)
        reason = "reached" if converged else "limits" if blocked else "stalled"
        errors = np.array([before, min(distance, before)])
        return Result(result.q, distance, result.iterations, converged, errors, reason, blocked, short)

    def _pressed(self, q: Array, missing: Array) -> tuple[int, ...]:
        """Return the degrees of freedom of the chain that the goal presses against their limits."""
        J = point_jacobian(self._skeleton, q, self._joint, self._point)[:3]
        found = []
        for column in self._chain.dofs:
            side = limit_side(self._skeleton, q, column - 3, 1e-6) if column >= 3 else 0
            if side and side * float(J[:, column] @ missing) > 0.0:
                found.append(column - 3)
        return tuple(found)

    def hindrance(self, q: Array, goal: Array, moves_root: bool, reach: float) -> Hindrance:
        """Return which locks hold the part back, and which limits they press against, as far as some do.

        Args:
            q: The pose, shape (nq,).
            goal: Where the end-effector should be, world, shape (3,), [m].
            moves_root: Whether the goal moves the figure as a whole.
            reach: How far the chain reaches, [m]; may be infinite.
        """
        missing = self._aim(q, goal, moves_root) - self._place(q, *self._grip(moves_root))
        distance = float(np.linalg.norm(missing))
        span = self._size if moves_root else min(finite_reach(reach), self._size)
        if distance < HELD_BACK[self._hindrance.named] * span:
            return self._hindrance.forget()
        return self._hindrance.look(q, lambda: self._force(q, missing, moves_root), distance)

    def _force(self, q: Array, missing: Array, moves_root: bool) -> Array:
        """Return what the goals want of each value of the pose, shape (nq,), lengths in units of the figure's size."""
        skeleton, dofs = self._skeleton, list(self.goal_dofs(moves_root))
        force, size = np.zeros(skeleton.nq), self._size
        force[dofs] = (point_jacobian(skeleton, q, *self._grip(moves_root))[:3].T @ missing)[dofs] / size**2
        weight = self._upright(moves_root)
        if weight > 0.0:
            X = forward_kinematics(skeleton, q)[0]
            turned = so3.log(self._facing @ X[:3, :3].T)
            force[dofs] += weight * (point_jacobian(skeleton, q, 0, np.zeros(3))[3:].T @ turned)[dofs]
        return force


def finite_reach(outer: float) -> float:
    """Return the reach of a chain as a length to measure by, [m]."""
    return max(outer, 1e-9) if math.isfinite(outer) else 1.0
