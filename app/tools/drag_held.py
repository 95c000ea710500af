"""A drag under locks: goal and locks are solved together, so that the body gives way and what is locked stays."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from app.document.holding import lock_options
from app.document.lock_states import hold_fully
from app.tools.base import spoken_name
from app.tools.hindrance import NONE, Hindrance, distance_text, limit_side
from core import compiled
from core.constraints.places import Places
from core.constraints.row_values import row_values
from core.constraints.rows import rows_of_locks
from core.constraints.solve_locks import LockSolver, solve_locks
from core.ik import Goal, Result, solve
from core.kinematics import forward_kinematics, point_jacobian

if TYPE_CHECKING:
    from app.document.document import Document
    from app.tools.hindrance import Watch
    from core.constraints.lock import Lock
    from core.constraints.solve_locks import LockResult
    from core.kinematics.chain import Chain
    from core.skeleton import Skeleton

Array = NDArray[np.float64]

HOLDS_ITSELF = "damped_least_squares"
"""The solver of the session under which goal and locks are one problem; the others propose, and the locks correct."""

STEPS, PLAIN_STEPS = 8, 4
"""Iterations between two repaints unless the session says otherwise, and while the slow twins of kernels serve."""
MOST_STEPS = 32
"""Iterations up to which more are tried where as many as asked for led nowhere."""
STILL = 1e-7
"""A pose that changes by less between two repaints has come to rest, [m] and [rad]."""
PATIENCE = 40
"""Most repaints that go on while the mouse rests."""
HELD_BACK = (1e-2, 5e-3)
"""Share of the reach that locks must keep a part from its goal by to be named, and to stay named."""
BLAME_EVERY = 4
"""Moves from one look for what holds a part back to the next."""
SHARE = 0.7
"""Share of what the goal wants that locks must take away to be named: else the part is still on its way."""


class HeldDrag:
    """The solver of one drag while locks hold, made ready once, at the press.

    Args:
        document: The open document, whose locks at the current frame hold.
        joint: The dragged joint.
        point: The end-effector in its frame, shape (3,), [m].
        chain: What the drag moves.
        press: Pose at press, shape (nq,).

    Attributes:
        unfinished: Whether the pose has not come to rest: going on from it would change it.
    """

    def __init__(self, document: Document, joint: int, point: Array, chain: Chain, press: Array):
        assert document.skeleton is not None
        self._document, self._skeleton = document, document.skeleton
        self._joint, self._point, self._chain = joint, point, chain
        self._press = np.array(press, dtype=np.float64)
        self._locks = hold_fully(document.locks_now())
        self._figures = document.model.other_figures(self._locks)
        self._solvers: dict[bool, LockSolver] = {}
        self._named, self._age = "", BLAME_EVERY
        self._reference: tuple[Array, Array] | None = None
        self._tries = 0
        self._more = 1
        self.unfinished = False

    def _solver(self, moves_root: bool) -> LockSolver:
        if moves_root not in self._solvers:
            session = self._document.session
            self._solvers[moves_root] = LockSolver(
                self._skeleton,
                self._locks,
                goals=[Goal(*self._grip(moves_root), position=np.zeros(3))],
                goal_dofs=self.goal_dofs(moves_root),
                comfort=session.comfort,
                max_iterations=self._steps,
                figures=self._figures,
                q=self._press,
            )
        return self._solvers[moves_root]

    @property
    def _steps(self) -> int:
        usual = STEPS if compiled.mode() == compiled.COMPILED else PLAIN_STEPS
        asked = self._document.session.lock_iterations or usual
        return max(asked, min(asked * self._more, MOST_STEPS))

    def _grip(self, moves_root: bool) -> tuple[int, Array]:
        """Return the joint and its point that the goal is for: with the whole figure the origin of the root.

        A point beside the origin could be brought nearer by tilting the whole figure.
        """
        return (0, np.zeros(3)) if moves_root else (self._joint, self._point)

    def _aim(self, q: Array, goal: Array, moves_root: bool) -> Array:
        """Return where the gripped point should go, shape (3,), [m], for a goal of the dragged part.

        With the whole figure its root goes as far as the part is led: how the body gives way meanwhile may turn the
        part, which must not lead the root astray.
        """
        if not moves_root:
            self._reference = None
            return goal
        if self._reference is None:
            self._reference = self._place(q, self._joint, self._point), self._place(q, *self._grip(True))
        part, root = self._reference
        return root + goal - part

    def goal_dofs(self, moves_root: bool) -> tuple[int, ...]:
        """Return the places in the pose that move for the goal: the chain's, or the root's translation."""
        return (0, 1, 2) if moves_root else tuple(self._chain.dofs)

    def follow(self, q: Array, goal: Array, moves_root: bool, firm: bool = True) -> LockResult:
        """Return the pose that brings the part toward a goal with all locks held.

        Args:
            q: The pose shown now, shape (nq,).
            goal: Where the end-effector should be, world, shape (3,), [m].
            moves_root: Whether the goal moves the figure as a whole.
            firm: Whether to stay near the pose at press, if the session says so.
        """
        session, solver, steps = self._document.session, self._solver(moves_root), self._steps
        solver.max_iterations = steps
        start = self._press if firm and session.hold_mode == "firm" else None
        goal = self._aim(q, goal, moves_root)
        wanted = Goal(*self._grip(moves_root), position=goal)
        if session.lock_method != "hold":
            result = solve_locks(
                self._skeleton,
                q,
                self._locks,
                goals=[wanted],
                goal_dofs=self.goal_dofs(moves_root),
                start=start,
                max_iterations=None if session.lock_iterations is None else steps,
                figures=self._figures,
                **lock_options(session),
            )
        elif session.solver == HOLDS_ITSELF or moves_root:
            result = solver.solve(q, goal_positions=goal[None], start=start)
        else:
            proposed = solve(self._skeleton, q, wanted, base=self._chain.base, **session.solver_options(self._press))
            result = solver.project(proposed.q)
        moved = float(np.abs(result.q - q).max(initial=0.0))
        spent = result.iterations >= steps
        # Steps that were all refused begin anew with the next picture; only more of them lead on.
        self._more = 2 * self._more if spent and moved <= STILL and steps < MOST_STEPS else 1
        self.unfinished = self._more > 1 or (moved > STILL and (spent or not result.held))
        return result

    def solved(self, q: Array, goal: Array, moves_root: bool, watch: Watch) -> Result:
        """Return what ``follow`` finds in the form of a result of inverse kinematics, for what the window tells."""
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
            firm: Whether to stay near the pose at press, if the session says so.
        """
        while True:
            q = np.asarray(self.follow(q, goal, moves_root, firm).q)
            if not self.again():
                return self.settled(q)

    def again(self) -> bool:
        """Return whether to go on while the mouse rests; each call counts until ``fresh``."""
        self._tries += 1
        return self.unfinished and self._tries <= PATIENCE

    def fresh(self) -> None:
        """Take note that the mouse has moved."""
        self._tries = 0

    def settled(self, q: Array) -> Array:
        """Return the pose to leave at release: one whose locks were not solved to the end is projected."""
        return np.asarray(self._solver(False).project(q).q) if self.unfinished else q

    # -- why the part is not at its goal -----------------------------------------------------------------------------

    def account(self, before: float, result: LockResult, goal: Array, watch: Watch) -> Result:
        """Return a solve of goal and locks in the form of one of inverse kinematics, for what the window tells.

        Args:
            before: Distance to the goal that the solve began with, [m].
            result: What the solver found.
            goal: Where the end-effector should be, world, shape (3,), [m].
            watch: Knows how far the chain reaches.
        """
        missing = goal - self._effector(result.q)
        distance = float(np.linalg.norm(missing))
        converged = distance <= self._document.session.tolerance
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

    def hindrance(self, q: Array, goal: Array, moves_root: bool, span: float) -> Hindrance:
        """Return which lock holds the part back, as far as one does.

        Args:
            q: The pose, shape (nq,).
            goal: Where the end-effector should be, world, shape (3,), [m].
            moves_root: Whether the goal moves the figure as a whole.
            span: Reach of the chain, [m].
        """
        missing = self._aim(q, goal, moves_root) - self._place(q, *self._grip(moves_root))
        distance = float(np.linalg.norm(missing))
        if distance < HELD_BACK[bool(self._named)] * span:
            self._named, self._age = "", BLAME_EVERY
            return NONE
        # Which locks they are changes slowly, and asking takes longer than the rest.
        self._age += 1
        if self._age >= BLAME_EVERY:
            self._age = 0
            self._named = lock_names(self._skeleton, self.blamed(q, missing, moves_root))
        if not self._named:
            return NONE
        note = f"held back by {self._named}, {distance_text(distance)} to the goal"
        return Hindrance("locks", tag=f"held by {self._named}", brief="held by locks", note=note)

    def blamed(self, q: Array, missing: Array, moves_root: bool) -> list[Lock]:
        """Return the locks that take away what the goal wants, those that take most first.

        Where a drag has come to rest, what the goal wants of the joints is balanced by the locks and by limits
        (Welman 1993, eq. 5.4: the forces of constraint); each lock's part in it is told by its multipliers.
        """
        skeleton = self._skeleton
        g = np.zeros(skeleton.nq)
        dofs = list(self.goal_dofs(moves_root))
        g[dofs] = (point_jacobian(skeleton, q, *self._grip(moves_root))[:3].T @ missing)[dofs]
        free = np.ones(skeleton.nq, dtype=bool)
        for i in range(3, skeleton.nq):
            free[i] = limit_side(skeleton, q, i - 3, 1e-6) * g[i] <= 0.0
        g *= free
        size = float(np.linalg.norm(g))
        if size < 1e-12:
            return []
        places = Places(skeleton, q, self._figures)
        shares = []
        blocks, owners = [], []
        for lock in self._locks:
            rows = [entry for entry in rows_of_locks([lock], places)[1] if entry.weight >= 1.0]
            if rows:
                blocks.append(row_values(rows, places)[1] * free)
                owners.append(lock)
        if not blocks:
            return []
        J = np.concatenate(blocks)
        multipliers = np.linalg.lstsq(J.T, g, rcond=1e-9)[0]
        if float(np.linalg.norm(J.T @ multipliers)) < SHARE * size:
            return []
        at = 0
        for lock, block in zip(owners, blocks, strict=True):
            force = block.T @ multipliers[at : at + len(block)]
            at += len(block)
            shares.append((float(force @ g) / size**2, lock))
        most = max(share for share, _ in shares)
        named = [(share, lock) for share, lock in shares if share >= max(0.5 * most, 0.1)]
        return [lock for _, lock in sorted(named, key=lambda pair: -pair[0])]


def lock_names(skeleton: Skeleton, locks: list[Lock]) -> str:
    """Return locks as they stand in a sentence: ``the lock of left foot``, ``the locks of left and right foot``."""
    parts = list(dict.fromkeys("balance" if lock.kind == "balance" else _part(skeleton, lock) for lock in locks))
    if not parts:
        return ""
    if len(parts) == 1:
        return "balance" if parts[0] == "balance" else f"the lock of {parts[0]}"
    shown = parts[:2]
    text = " and ".join(shown) if len(parts) == 2 else f"{', '.join(shown)} and {len(parts) - 2} more"
    return f"the locks of {text}"


def _part(skeleton: Skeleton, lock: Any) -> str:
    return spoken_name(skeleton.joints[skeleton.joint_index(lock.joint)].name)


def finite_reach(outer: float) -> float:
    """Return the reach of a chain as a length to measure by, [m]."""
    return max(outer, 1e-9) if math.isfinite(outer) else 1.0
