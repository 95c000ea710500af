"""The data-flow network: figures below, handles on them, constraints and forces on handles; rewired while it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.constraints.network.constraint import Constraint
from core.constraints.network.handles import CenterOfMassHandle, OrientationHandle, PointHandle, PoseHandle
from core.constraints.network.handles.base import Handle
from core.constraints.network.jacobian import Ints
from core.constraints.network.state import FigureState, State
from core.errors import JointError, LockError
from core.skeleton.skeleton import Skeleton

if TYPE_CHECKING:
    from scipy import sparse

AnyHandle = TypeVar("AnyHandle", bound=Handle)
AnyConstraint = TypeVar("AnyConstraint", bound=Constraint)


class Assembled(NamedTuple):
    """The global system at one state.

    Attributes:
        C: Values of all constraints that are held exactly, one after another, shape (m,), [m] and [rad].
        J: Their Jacobian over ``variables``, sparse, shape (m, n).
        H: The same with zeros for variables that may not move to keep a constraint; ``J`` itself where all may.
        variables: Elements of the global state that any handle depends on, ascending, shape (n,).
        angular: Which rows are angles, bools, shape (m,).
    """

    C: Array
    J: sparse.csr_array
    H: sparse.csr_array
    variables: Ints
    angular: NDArray[np.bool_]


class _Wiring(NamedTuple):
    """What of the global system depends on the blocks alone and not on the state.

    Attributes:
        hard: Constraints that are held exactly.
        variables: As in ``Assembled``.
        indices: Column of each entry of the sparse Jacobian.
        starts: Where each of its rows begins, and the number of all entries.
        angular: As in ``Assembled``.
    """

    hard: tuple[Constraint, ...]
    variables: Ints
    indices: NDArray[np.int32]
    starts: NDArray[np.int32]
    angular: NDArray[np.bool_]


class Force:
    """A force [N] on a point, or a torque [N m] on an orientation, in world axes; ``value`` may be changed."""

    def __init__(self, handle: Handle, value: Any):
        self.handle = handle
        self.value: Array = np.asarray(value, dtype=np.float64)


class Network:
    """Function blocks wired up from figures to constraints (Welman 1993, section 5.3).

    Handles are shared: asking for one that is there gives the same block. A handle stays as long as a constraint or
    a force uses it.

    Attributes:
        state: Poses of all figures.
        constraints: In the order they were added.
        forces: Forces on handles.
    """

    def __init__(self) -> None:
        self.state = State()
        self.constraints: list[Constraint] = []
        self.forces: list[Force] = []
        self._handles: dict[tuple[Any, ...], Handle] = {}
        self._wiring: _Wiring | None = None

    @property
    def handles(self) -> tuple[Handle, ...]:
        """All handles."""
        return tuple(self._handles.values())

    # -- figures and handles -------------------------------------------------------------------------------------

    def add_figure(self, skeleton: Skeleton, q: Any, name: str | None = None) -> FigureState:
        """Add a figure in a pose; ``name`` None takes the skeleton's.

        Raises:
            LockError: If there is one of that name.
            PoseError: If the pose does not fit it.
        """
        return self.state.add(skeleton, q, name)

    def point(self, joint: int | str, point: Any = (0.0, 0.0, 0.0), figure: str | None = None) -> PointHandle:
        """Return the handle of a point of a part; ``figure`` None is the first figure.

        Raises:
            LockError: If there is no such figure or joint.
        """
        owner, index = self._joint(joint, figure)
        return self._shared(PointHandle(owner, index, np.array(point, dtype=np.float64)))

    def orientation(self, joint: int | str, figure: str | None = None) -> OrientationHandle:
        """Return the handle of a part's orientation.

        Raises:
            LockError: If there is no such figure or joint.
        """
        return self._shared(OrientationHandle(*self._joint(joint, figure)))

    def center_of_mass(self, figure: str | None = None, joint: int = -1) -> CenterOfMassHandle:
        """Return the handle of a figure's centre of mass; of one of those joined to it by any joint of that one.

        Raises:
            LockError: If there is no such figure.
        """
        return self._shared(CenterOfMassHandle(self._figure(figure), joint))

    def pose(self, figure: str | None = None) -> PoseHandle:
        """Return the handle of a figure's whole pose.

        Raises:
            LockError: If there is no such figure.
        """
        return self._shared(PoseHandle(self._figure(figure)))

    def share(self, handle: AnyHandle) -> AnyHandle:
        """Return a handle of any kind, or the one of the same key that is there already."""
        return self._shared(handle)

    def _shared(self, handle: AnyHandle) -> AnyHandle:
        known = self._handles.get(handle.key)
        if known is None:
            self._handles[handle.key] = handle
            self._wiring = None
            return handle
        if known is not handle:
            handle.disconnect()
        return known  # type: ignore[return-value]  # handles of one key are of one kind

    def _figure(self, name: str | None) -> FigureState:
        figures = self.state.figures
        if name is None and figures:
            return next(iter(figures.values()))
        if name not in figures:
            known = ", ".join(f'"{other}"' for other in figures) or "none"
            raise LockError(f'no figure "{name}" in the network; there are {known}')
        return figures[name]

    def _joint(self, joint: int | str, figure: str | None) -> tuple[FigureState, int]:
        owner = self._figure(figure)
        try:
            return owner, owner.skeleton.joint_index(joint)
        except JointError as error:
            raise LockError(f"handle: {error}") from None

    # -- constraints and forces ----------------------------------------------------------------------------------

    def add(self, constraint: AnyConstraint) -> AnyConstraint:
        """Add a constraint at the top.

        Raises:
            LockError: If a handle of it is not of this network.
        """
        try:
            for handle in constraint.handles:
                self._check(handle)
        except LockError:
            constraint.disconnect()
            raise
        self.constraints.append(constraint)
        self._wiring = None
        return constraint

    def remove(self, constraint: Constraint) -> None:
        """Take a constraint off; handles that nothing else uses go with it.

        Raises:
            LockError: If it is not there.
        """
        if constraint not in self.constraints:
            raise LockError("the constraint is not in the network, so it cannot be removed")
        self.constraints.remove(constraint)
        constraint.disconnect()
        self._drop(constraint.handles)

    def apply_force(self, handle: Handle, value: Any) -> Force:
        """Apply a force to a point or a torque to an orientation, shape (3,); it stays until ``remove_force``.

        Raises:
            LockError: If the handle is not of this network.
        """
        self._check(handle)
        force = Force(handle, value)
        self.forces.append(force)
        return force

    def remove_force(self, force: Force) -> None:
        """Take a force off.

        Raises:
            LockError: If it is not there.
        """
        if force not in self.forces:
            raise LockError("the force is not in the network, so it cannot be removed")
        self.forces.remove(force)
        self._drop((force.handle,))

    def _check(self, handle: Handle) -> None:
        if self._handles.get(handle.key) is not handle:
            raise LockError("the handle is not of this network; ask the network for its handles")

    def _drop(self, handles: tuple[Handle, ...]) -> None:
        self._wiring = None
        pulled = [force.handle for force in self.forces]
        for handle in handles:
            if not handle.users and handle not in pulled and self._handles.pop(handle.key, None) is not None:
                handle.disconnect()

    # -- the global system ---------------------------------------------------------------------------------------

    @property
    def variables(self) -> Ints:
        """Elements of the global state that any handle depends on, ascending."""
        return self._wired().variables

    def assemble(self) -> Assembled:
        """Return ``C`` and its sparse Jacobian over the variables; blocks whose inputs are as before do no work."""
        from scipy import sparse  # takes long to load, and only these solvers need it

        wiring = self._wired()
        shape = (len(wiring.angular), len(wiring.variables))
        nothing = np.zeros(0)
        C = np.concatenate([nothing, *(block.value for block in wiring.hard)])
        entries = np.concatenate([nothing, *(block.jacobian.rows.ravel() for block in wiring.hard)])
        J = sparse.csr_array((entries, wiring.indices, wiring.starts), shape=shape)
        if all(block.elements is None for block in wiring.hard):
            return Assembled(C, J, J, wiring.variables, wiring.angular)
        entries = np.concatenate([nothing, *(block.helping.ravel() for block in wiring.hard)])
        H = sparse.csr_array((entries, wiring.indices, wiring.starts), shape=shape)
        return Assembled(C, J, H, wiring.variables, wiring.angular)

    def _wired(self) -> _Wiring:
        """Return where the blocks' rows and columns stand in the global system; kept until blocks come or go."""
        wiring = self._wiring
        if wiring is None:
            parts = [handle.elements + handle.figure.first for handle in self._handles.values()]
            variables = np.unique(np.concatenate(parts)) if parts else np.zeros(0, dtype=np.int64)
            hard = tuple(block for block in self.constraints if not block.soft)
            sizes = [len(block.value) for block in hard]
            columns = [np.searchsorted(variables, block.jacobian.columns) for block in hard]
            indices = [np.tile(own, size) for own, size in zip(columns, sizes, strict=True)]
            lengths = [np.full(size, len(own)) for own, size in zip(columns, sizes, strict=True)]
            angular = np.repeat(np.array([block.angular for block in hard], dtype=bool), sizes)
            none = np.zeros(0, dtype=np.int64)
            starts = np.concatenate([[0], np.cumsum(np.concatenate([none, *lengths]))]).astype(np.int32)
            wiring = self._wiring = _Wiring(
                hard, variables, np.concatenate([none, *indices]).astype(np.int32), starts, angular
            )
        return wiring

    def generalized_force(self) -> Array:
        """Return ``g_a = sum J_h^T F`` over all forces and springs, shape (state.size,); new."""
        g = np.zeros(self.state.size)
        for force in self.forces:
            jacobian = force.handle.jacobian
            g[jacobian.columns] += jacobian.rows.T @ force.value
        for spring in self.constraints:
            if spring.soft:
                g[spring.jacobian.columns] -= spring.helping.T @ (spring.weight * spring.value)
        return g
