"""Velocities at the end of a step with contacts, joints and constraints, in reduced or in maximal coordinates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from core.arrays import Array
from core.dynamics import newton_euler
from core.dynamics.constraints.conflicts import refuse_conflicts
from core.dynamics.constraints.dual import Solved
from core.dynamics.constraints.half_solved import HalfSolved
from core.dynamics.constraints.least_motion import met_equations
from core.dynamics.constraints.situation import Situation
from core.dynamics.constraints.stacking import Stack, chosen_rows, stacked
from core.dynamics.constraints.velocities import wanted_velocities
from core.dynamics.contact.methods import ContactMethod, Program
from core.dynamics.contact.rubbing import BearingFriction
from core.dynamics.contact.touching import ContactFinder, Touching
from core.dynamics.maximal import joints as joint_rows
from core.dynamics.maximal.dense_system import constraint_matrix
from core.errors import DynamicsError
from core.spatial import se3

if TYPE_CHECKING:
    from core.dynamics.forces import Load
    from core.dynamics.scene import Scene

_NOT_DEFINITE = (
    "the matrix of the step is not positive definite: a joint or a body moves no mass, or forces that push apart are "
    "too stiff for the step"
)
_RANK_TOLERANCE = 1e-10
_NOTHING_BELOW = 1e-9
"""Length of a row in what equations leave free, to its whole length, under which it is rounding."""


class Touched(NamedTuple):
    """What touched in a step.

    Attributes:
        at: The contacts.
        forces: On the first body of each, in the world, shape (k, 3), [N].
    """

    at: Touching
    forces: Array


class ContactSolver:
    """Finds the velocities of a scene's steps by a contact method; keeps friction from step to step.

    Args:
        scene: What is simulated.
        method: Finds the impulses.
        maximal: Whether the twists of the bodies are the unknowns, with rows for the joints; else the joints' rates.
        gamma: Part of a gap that is closed in a unit of time, [1/s].

    Attributes:
        touched: What touched in the last step; None before the first one.

    Raises:
        DynamicsError: If a bearing does not fit its joint, or the method does not take it.
    """

    def __init__(self, scene: Scene, method: ContactMethod, maximal: bool, gamma: float) -> None:
        self._constraints = scene.constraints
        self._inertias = newton_euler.body_inertias(scene.model)
        self._finder = ContactFinder(scene.model, scene.contacts)
        self._method, self._maximal, self._gamma = method, maximal, gamma
        self._dragged: dict[int, Array] = {}
        self.touched: Touched | None = None
        if scene.bearings and (not method.rubs or maximal):
            raise DynamicsError(f"{method.name} does not take bearings so; bisp does, in reduced coordinates")
        self._bearings = BearingFriction(scene, self._inertias, method.regularizer) if scene.bearings else None

    def velocities(
        self, at: Situation, A: Array, rhs: Array, load: Load, h: float, approach: Literal["touching", "ahead"]
    ) -> Array:
        """Return the rates at the end of a step, shape (nv,); new.

        Args:
            at: Where, when and how fast the bodies are at its start.
            A: Symmetric positive definite matrix of the step, shape (nv, nv).
            rhs: ``A v1 = rhs`` without contacts and constraints, shape (nv,).
            load: What acts at the start.
            h: Step, [s].
            approach: What limits do that are not touched yet, as in ``velocity_step``.

        Raises:
            DynamicsError: If constraints contradict each other, or ``A`` is not positive definite.

        Source: Sueda 1.79, 1.80, 2.105, at the level of velocities.
        """
        half = HalfSolved.of(A, _NOT_DEFINITE)
        free = half.back(half.forth(rhs))
        stack = stacked(self._constraints, at)
        active, wanted = wanted_velocities(stack, h, self._gamma, approach)
        stack, wanted = chosen_rows(stack, active), wanted[active]
        J = at.jacobian
        touching = self._finder.find(at.poses, at.twists, (J @ free).reshape(-1, 6), h)
        if self._maximal:
            half, start, joints, rates = _maximal_step(self._inertias, at, A, rhs, load, h)
            found = self._solve(
                half, start, joints, stack.rows.G @ rates, stack, wanted, touching, touching.rows, h, at, load
            )
            v = rates @ found
        else:
            none = np.zeros((0, len(free)))
            v = self._solve(half, free, none, stack.rows.G, stack, wanted, touching, touching.rows @ J, h, at, load)
        missed = wanted - stack.rows.G @ v
        missed[~stack.equality] = np.maximum(missed[~stack.equality], 0.0)
        size = np.linalg.norm(stack.rows.G, axis=1) * np.linalg.norm(free)
        solved = Solved(v, np.zeros(len(wanted)), missed, size)
        refuse_conflicts(stack, solved, wanted, v, max(self._gamma, 1.0 / h), "velocities")
        return v

    def _solve(
        self,
        half: HalfSolved,
        free: Array,
        joints: Array,
        G: Array,
        stack: Stack,
        wanted: Array,
        touching: Touching,
        C: Array,
        h: float,
        at: Situation,
        load: Load,
    ) -> Array:
        """Return the velocities in the coordinates of ``half``, shape (n,).

        Args:
            half: Factor of the step's matrix.
            free: Velocities without any row, shape (n,).
            joints: Rows of the joints, wanted to be 0, shape (m, n).
            G: Rows of the stack in these coordinates.
            stack: Says which are equations.
            wanted: What they want.
            touching: The contacts.
            C: Their rows in these coordinates, shape (3 k, n).
            h: Step, [s].
            at: Where the bodies are.
            load: What acts on them.
        """
        k, equal = len(touching.gaps), stack.equality
        closing = np.where(touching.gaps > 0.0, 1.0 / h, self._gamma)
        equations = np.vstack([joints, G[equal]])
        bounds = np.vstack([G[~equal], C[:k]])
        held, rest, begun = np.zeros(len(free)), None, free
        if len(equations):
            B = half.forth(equations.T).T
            lengths = np.linalg.norm(B, axis=1)
            kept = lengths > 1e-12 * lengths.max()
            right = np.concatenate([np.zeros(len(joints)), wanted[equal]]) - equations @ free
            held, rest = met_equations(B[kept] / lengths[kept, None], right[kept] / lengths[kept], _RANK_TOLERANCE)
            free = free + half.back(held)
        rows = half.forth(np.vstack([bounds, C[k:]]).T).T
        if rest is not None:
            lengths = np.linalg.norm(rows, axis=1)
            rows = rows @ rest
            rows[np.linalg.norm(rows, axis=1) <= _NOTHING_BELOW * lengths] = 0.0
        least = np.concatenate([wanted[~equal], -closing * touching.gaps]) - bounds @ free
        count = len(bounds)
        program = Program(rows[:count], least, count - k, rows[count:], C[k:] @ free, touching.friction)
        if self._bearings is not None:
            momenta = _momenta(self._inertias, at, load, h)
            rubbing = self._bearings.rubbing(at, half, begun, free, rest, stack, touching, momenta)
            program = program._replace(rubbing=rubbing)
        found = self._method.last = self._method.solve(program, self._drag(touching))
        parts = found.drag.reshape(-1, 2, 1) * touching.tangents
        pushes = found.push[count - k :, None] * touching.normals
        self.touched = Touched(touching, (pushes + parts.sum(axis=1)) / h)
        self._dragged = dict(zip(touching.numbers.tolist(), parts.sum(axis=1), strict=True))
        return free + half.back(found.z if rest is None else rest @ found.z)

    def _drag(self, touching: Touching) -> Array:
        """Return the friction of the step before along the present tangents, shape (2 k,)."""
        drag = np.zeros((len(touching.numbers), 2))
        for i, number in enumerate(touching.numbers.tolist()):
            before = self._dragged.get(number)
            if before is not None:
                drag[i] = touching.tangents[i] @ before
        return drag.ravel()


def _momenta(M: Array, at: Situation, load: Load, h: float) -> Array:
    """Return ``M_m (J v - h Jdot v) + h f_m`` of the separate bodies, shape (nb, 6), M their inertias (nb, 6, 6)."""
    forces = newton_euler.forces(M, at.twists, at.poses[:, :3, :3], at.model.gravity) + load.wrenches
    return np.asarray(np.einsum("bij,bj->bi", M, at.twists - h * at.drifts) + h * forces)


def _maximal_step(
    M: Array, at: Situation, A: Array, rhs: Array, load: Load, h: float
) -> tuple[HalfSolved, Array, Array, Array]:
    """Return the step's matrix, factored, and free velocities in maximal coordinates, the joints' rows, and ``R``.

    The unknowns are the twists at the end of the step less ``h Jdot v``, so that they are ``J v1``: the joints' rows
    are wanted to be 0, and ``v1 = R`` times them, ``R J = 1``. What acts in the joints' coordinates and not on bodies
    comes in by ``R^T``.

    Source: Sueda 1.71 to 1.74.
    """
    model = at.model
    joints = joint_rows.of_motion(model, at.x, at.motion)
    count = len(model.bodies)
    Ad_JB = se3.adjoint(model.X_JB)

    def on_bodies(rows: Array) -> Array:
        return np.asarray(np.einsum("mbi,bij->mbj", rows.reshape(-1, count, 6), Ad_JB).reshape(-1, 6 * count))

    rates = np.zeros((model.nv, 6 * count))
    for i, inverse in enumerate(at.inverse_subspaces):
        own, parent = at.coordinates(i), int(model.parents[i])
        rates[own, 6 * i : 6 * i + 6] = inverse
        if parent >= 0:
            rates[own, 6 * parent : 6 * parent + 6] = -inverse @ at.motion.Ad[i]
    R = on_bodies(rates)
    momenta = _momenta(M, at, load, h)
    J = at.jacobian
    right = momenta.ravel() + R.T @ (rhs - J.T @ momenta.ravel())
    left = np.zeros((6 * count, 6 * count))
    for i in range(count):
        left[6 * i : 6 * i + 6, 6 * i : 6 * i + 6] = M[i]
    left += R.T @ (A - J.T @ left @ J) @ R
    half = HalfSolved.of(left, _NOT_DEFINITE)
    return half, half.back(half.forth(right)), on_bodies(constraint_matrix(joints.rows)), R
