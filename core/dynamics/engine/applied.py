"""Forces and constraints given as objects, ``core.dynamics.forces`` and ``core.dynamics.constraints``, for the kernels.

This is the one way by which either reaches the engine. A force that the kernels have (``Force.implicit``) is put there
once and for all. Of any other, what it does and how that changes with the state (``add``, ``differentiate``) is
evaluated before each part of a step, as are the rows of constraints.

Only stiffness that pulls back and damping that brakes are foreseen: of the symmetric parts of ``K`` and ``D`` of each
force, those that push on stay as they are at the beginning of the step. So the matrix of the step stays positive, and
forces that only act between bodies do not change their momentum.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.dynamics.engine import conversions
from core.dynamics.engine.chains import chain_of, on_one_chain
from core.dynamics.engine.memory import APPLIED
from core.dynamics.forces import Derivatives, Force, Load
from core.dynamics.forces.implicit import ImplicitTerms
from core.dynamics.positive_part import NOTHING, positive_part
from core.dynamics.state import State
from core.spatial import so3

if TYPE_CHECKING:
    from core.dynamics.constraints import Constraint
    from core.dynamics.engine.assembly import Assembly
    from core.dynamics.engine.readings import Readings
    from core.dynamics.multibody import Multibody

Integers = NDArray[np.int64]


class _Rows(NamedTuple):
    """Rows on the step's velocities.

    Attributes:
        columns: Shape (m, nv).
        bound: Speed that is wanted, shape (m,).
        equality: Shape (m,).
        gap: Shape (m,).
        velocity: Shape (m,).
        soft: Whether they give way.
    """

    columns: Array
    bound: Array
    equality: NDArray[np.bool_]
    gap: Array
    velocity: Array
    soft: bool


class Applied:
    """Forces and constraints on a model.

    Args:
        model: The bodies.
        forces: Forces.
        constraints: Constraints.

    Attributes:
        terms: What forces are in the kernels once and for all.
        evaluated: Whether anything has to be evaluated before each part of a step.

    Raises:
        DynamicsError: If one does not fit the model; names it.
    """

    def __init__(self, model: Multibody, forces: Sequence[Force] = (), constraints: Sequence[Constraint] = ()):
        self._model = model
        self.terms = ImplicitTerms(model)
        for force in forces:
            force.check(model)
        self._forces = [force for force in forces if not force.implicit(self.terms)]
        self._constraints = tuple(constraints)
        for constraint in self._constraints:
            constraint.describe(model)
        self.evaluated = bool(self._forces or self._constraints)
        self._near: Array | None = None

    def start(self) -> None:
        """Forget the state before: another one begins."""
        self._near = None

    def evaluate(self, built: Assembly, readings: Readings, h: float) -> None:
        """Write what acts in the present state into the memory.

        Args:
            built: The memory and what it is of.
            readings: Of the present state.
            h: Length of the part of a step that comes, [s].
        """
        m = built.memory
        m.applied_effort[:], m.applied_joint_mass[:] = 0.0, 0.0
        m.applied_wrench[:] = 0.0
        m.state.coupling_count, m.state.applied_count = 0, m.state.acting_rows
        x, v = conversions.model_state(built.tree, m, m.u, self._near)
        self._near = x
        state = self._state(x, v, float(m.state.time))
        state.poses, state.twists = readings.body_poses(), readings.body_twists()
        blocks = conversions.rates_blocks(built.tree, m, x)
        found = _Evaluated(built, state, blocks, h)
        if self._forces:
            found.add_forces(self._forces)
        if self._constraints:
            found.add_constraints(self._constraints)
        found.write()

    def _state(self, x: Array, v: Array, t: float) -> State:
        if not self._constraints:
            return State(self._model, x, v, t)
        from core.dynamics.constraints import Situation

        return Situation(self._model, x, v, t)


class _Evaluated:
    """What acts in one state.

    Args:
        built: The memory, whose nodes stand where the state is.
        state: The model there.
        blocks: As from :func:`conversions.rates_blocks`.
        h: Length of the part of a step that comes, [s].
    """

    def __init__(self, built: Assembly, state: State, blocks: Sequence[tuple[slice, Array]], h: float):
        self._built, self._state, self._blocks, self._h = built, state, blocks, h
        self._nodes = built.memory.body_node
        self._rows: list[_Rows] = []
        self._couplings: list[tuple[Integers, Integers, Array]] = []
        self._mass = np.zeros(len(built.memory.chain))

    # -- forces --------------------------------------------------------------------------------------------------

    def add_forces(self, forces: Sequence[Force]) -> None:
        """Add what forces do, and how it changes with the state."""
        state, m = self._state, self._built.memory
        load, model = Load(state.model), state.model
        K, D = np.zeros((2, model.nv, model.nv))
        alone: list[tuple[int, Array, Array]] = []
        for force in forces:
            force.add(state, load)
            own = Derivatives(model)
            force.differentiate(state, own)
            K -= own.joint_stiffness.dense()
            D += own.joint_damping.dense()
            for bodies in _components([*own.body_stiffness, *own.body_damping]):
                moving = [body for body in bodies if self._nodes[body] >= 0]
                if len(moving) == 1:
                    pair = moving[0], moving[0]
                    alone.append((pair[0], own.body_stiffness.get(pair, _NONE), own.body_damping.get(pair, _NONE)))
                elif moving:
                    self._couple(moving, own, load)
        if alone:
            self._resist(alone, load)
        if K.any() or D.any():
            self._couple_joints(K, D, load)
        acting = np.flatnonzero(load.wrenches.any(axis=1) & (self._nodes >= 0))
        about = np.einsum("kji,kj->ki", self._frames[acting], load.wrenches[acting])
        np.add.at(m.applied_wrench, self._nodes[acting], about)
        m.applied_effort[:] = conversions.efforts(self._blocks, load.tau)

    def _resist(self, alone: Sequence[tuple[int, Array, Array]], load: Load) -> None:
        """Foresee what forces become when the bodies move on which they act: body, K and D of each."""
        of, h = np.array([body for body, _, _ in alone], dtype=np.int64), self._h
        K, D = positive_part(-np.array([K for _, K, _ in alone])), positive_part(np.array([D for _, _, D in alone]))
        np.subtract.at(load.wrenches, of, h * np.einsum("kij,kj->ki", K, self._state.twists[of]))
        X, nodes = self._frames[of], self._nodes[of]
        self._couplings.append((nodes, nodes, X.transpose(0, 2, 1) @ (h * D + h * h * K) @ X))

    def _couple(self, bodies: list[int], own: Derivatives, load: Load) -> None:
        """Foresee what a force between some bodies becomes when these move."""
        K, D = (
            positive_part(sign * np.block([[terms.get((a, b), _NONE) for b in bodies] for a in bodies]))
            for terms, sign in ((own.body_stiffness, -1.0), (own.body_damping, 1.0))
        )
        h, twists = self._h, self._state.twists
        load.wrenches[bodies] -= h * (K @ twists[bodies].ravel()).reshape(-1, 6)
        A = h * D + h * h * K
        frames = self._frames[bodies]
        nodes = self._nodes[bodies]
        m = self._built.memory
        if on_one_chain(m, nodes.tolist()):
            depth = m.depth[nodes]
            # Each pair once, the one that hangs on the other first.
            before = (depth[:, None] > depth) | ((depth[:, None] == depth) & np.tri(len(nodes), dtype=np.bool_))
            first, second = np.nonzero(before)
            blocks = A.reshape(len(nodes), 6, len(nodes), 6)[first, :, second]
            blocks = frames[first].transpose(0, 2, 1) @ blocks @ frames[second]
            same = (nodes[first] == nodes[second]) & (first != second)
            blocks[same] += blocks[same].transpose(0, 2, 1)
            self._couplings.append((nodes[first], nodes[second], blocks))
            return
        J = np.zeros((6 * len(bodies), self._state.model.nv))
        for k, (node, X) in enumerate(zip(nodes.tolist(), frames, strict=True)):
            own_chain = chain_of(m, node)
            J[6 * k : 6 * k + 6, own_chain] = X @ m.nodes["S"][own_chain].T
        self._soften(A, J)

    def _couple_joints(self, K: Array, D: Array, load: Load) -> None:
        """Foresee what forces in joints become when the coordinates change."""
        acts = (K != 0.0) | (D != 0.0)
        used = np.flatnonzero(acts.any(axis=0) | acts.any(axis=1))
        square = np.ix_(used, used)
        K[square], D[square] = positive_part(K[square]), positive_part(D[square])
        h = self._h
        load.tau -= h * (K @ self._state.v)
        A = conversions.by_velocities(self._blocks, h * D + h * h * K)
        start, depth = self._built.memory.start, self._built.memory.depth
        pairs = [(int(i), int(j)) for i, j in zip(*np.nonzero(A), strict=True)]
        for part in _components(pairs):
            if on_one_chain(self._built.memory, part):
                for i in part:
                    for j in part:
                        if depth[j] <= depth[i]:
                            self._mass[start[i] + depth[j]] += A[i, j]
            else:
                J = np.zeros((len(part), len(A)))
                J[np.arange(len(part)), part] = 1.0
                self._soften(A[np.ix_(part, part)], J)

    def _soften(self, A: Array, J: Array) -> None:
        """Add rows that give way, with the sum of all ``g g^T`` that is ``J^T A J``."""
        weights, vectors = np.linalg.eigh(A)
        kept = weights > NOTHING * weights.max(initial=0.0)
        columns = np.sqrt(weights[kept])[:, None] * (vectors[:, kept].T @ J)
        count, zero = len(columns), np.zeros(len(columns))
        if count:
            bound = columns @ self._built.memory.u
            self._rows.append(_Rows(columns, bound, np.ones(count, dtype=np.bool_), zero, zero, True))

    # -- constraints ---------------------------------------------------------------------------------------------

    def add_constraints(self, constraints: Sequence[Constraint]) -> None:
        """Add the rows of constraints; gaps are closed as those of locks are."""
        from core.dynamics.constraints import Situation, stacked

        assert isinstance(self._state, Situation)
        stack = stacked(constraints, self._state)
        own, pull = stack.rows, float(self._built.memory.state.lock_pull)
        gap = np.where(stack.positional, own.gap, 0.0)
        share = np.where(stack.equality | (gap < 0.0), pull, 1.0)
        bound = own.velocity - share * gap / self._h
        columns = conversions.efforts(self._blocks, own.G)
        self._rows.append(_Rows(columns, bound, stack.equality, gap, own.velocity, False))

    # -- the memory ----------------------------------------------------------------------------------------------

    def write(self) -> None:
        """Write couplings and rows into the memory, in which room is made for them."""
        count = sum(len(rows.bound) for rows in self._rows)
        soft = sum(len(rows.bound) for rows in self._rows if rows.soft)
        couplings = sum(len(a) for a, _, _ in self._couplings)
        before = int(self._built.memory.state.acting_rows)
        self._built.make_room(couplings=couplings, applied=before + count, slacks=before + soft)
        m = self._built.memory
        m.applied_joint_mass[:] = self._mass
        m.state.coupling_count = couplings
        if couplings:
            a, b, blocks = (np.concatenate(each) for each in zip(*self._couplings, strict=True))
            table = m.couplings.array[:couplings]
            table["a"], table["b"], table["matrix"] = a, b, blocks.reshape(-1, 36)
        first = slack = before
        for rows in self._rows:
            own = slice(first, first + len(rows.bound))
            records = np.zeros(len(rows.bound), dtype=APPLIED)
            records["slack"] = -1
            if rows.soft:
                records["slack"] = np.arange(slack, slack + len(rows.bound))
                slack += len(rows.bound)
            records["equality"], records["gap"], records["velocity"] = rows.equality, rows.gap, rows.velocity
            records["bound"] = rows.bound
            m.applied_rows.array[own], m.applied_columns[own] = records, rows.columns
            first = own.stop
        m.state.applied_count = before + count

    # -- how bodies hang together --------------------------------------------------------------------------------

    @cached_property
    def _frames(self) -> Array:
        """What makes twists of the bodies' nodes about their reference points such at B in B, shape (nb, 6, 6)."""
        m, X = self._built.memory, self._state.poses
        R = X[:, :3, :3].transpose(0, 2, 1)
        arms = X[:, :3, 3] - m.nodes["p"][m.reference[self._nodes]]
        found = np.zeros((len(X), 6, 6))
        found[:, :3, :3] = found[:, 3:, 3:] = R
        found[:, 3:, :3] = -R @ so3.hat(arms)
        return found


_NONE = np.zeros((6, 6))


def _components(pairs: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Return the numbers that pairs connect, directly or by others, each list in order."""
    if all(a == b for a, b in pairs):
        return [[a] for a in dict.fromkeys(a for a, _ in pairs)]
    found: dict[int, set[int]] = {}
    for a, b in pairs:
        both = found.get(a, {a}) | found.get(b, {b})
        for each in both:
            found[each] = both
    return [sorted(part) for part in {id(part): part for part in found.values()}.values()]
