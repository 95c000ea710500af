"""A tree of rigid bodies joined by joints: the model of all formulations of the equations of motion."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.dynamics import (
    batch,
    checks,
    energy,
    fastest,
    formulations,
    jacobian_products,
    recursive,
    structure,
    symbolic,
)  # fmt: skip
from core.dynamics.arrays import finite_array
from core.dynamics.body import Body
from core.dynamics.figures.posed import Posed
from core.dynamics.motion import joint_steps, motion
from core.dynamics.recursive import quick
from core.errors import DynamicsError
from core.spatial import se3


class Multibody(Posed):
    """A tree of rigid bodies, immutable: ``M(x) vdot + bias(x, v) = tau`` and the forces from outside.

    The coordinates ``x`` are those of all joints in the order of the bodies, the velocities ``v = dx/dt`` their rates
    and the generalized forces ``tau`` dual to them. Twists are ``[w; v]``, wrenches ``[t; f]``. External wrenches act
    on each body at B's origin in B's axes, shape (nb, 6); gravity is not among them. Units are the caller's.

    Attributes:
        bodies: The bodies, parents first.
        names: Their names.
        parents: Index of each body's parent, -1 for the world, shape (nb,).
        gravity: Acceleration of free fall in the world, shape (3,).
        nq: Number of coordinates.
        nv: Number of velocities, equal to ``nq``.
        first: ``first[i]:first[i + 1]`` are the coordinates of body i, shape (nb + 1,).
        X_PJ: Poses of the joint frames at the joints' zero in the parents' joint frames, shape (nb, 4, 4).
        X_JB: Poses of the body frames in the joint frames, shape (nb, 4, 4).
        Ad_BJ: Adjoints that take twists from J to B, shape (nb, 6, 6).
        inertias: Inertia of each body about J's origin in J's axes, shape (nb, 6, 6).
        mass: Mass of all bodies together.
        limits, figure, joint_physics: See :class:`core.dynamics.figures.posed.Posed`.
        packed: What the kernels of the recursive formulation made of it at the first call.
        shape: Of coordinates and velocities, ``(nv,)``.
        calm: No external wrenches, for kernels, which do not change it, shape (nb, 6).
        still: No forces of joints, likewise, shape (nv,).

    Args:
        bodies: The bodies; a parent comes before its children.
        gravity: Shape (3,).

    Raises:
        DynamicsError: If two bodies share a name, a parent is missing or comes later, a number is not finite, or a
            coordinate moves no mass, so that the mass matrix would be singular.
    """

    def __init__(self, bodies: Iterable[Body], gravity: ArrayLike = (0.0, -9.81, 0.0)):
        self.bodies: tuple[Body, ...] = structure.body_tuple(bodies)
        self.names: tuple[str, ...] = tuple(body.name for body in self.bodies)
        self.parents = _frozen(structure.parents(self.bodies))
        checks.check_masses(self.bodies, self.parents)
        self.gravity = _frozen(np.array(finite_array(gravity, (3,), "gravity")))
        self.first = _frozen(np.cumsum([0, *(body.joint.n for body in self.bodies)]))
        self.nq = self.nv = int(self.first[-1])
        self.limits = _frozen(np.tile([-np.inf, np.inf], (self.nq, 1)))
        self.X_PJ = _frozen(np.stack([body.X_PJ for body in self.bodies]))
        self.X_JB = _frozen(np.stack([body.X_JB for body in self.bodies]))
        self.Ad_BJ = _frozen(se3.adjoint(se3.inverse(self.X_JB)))
        in_joints = [body.inertia.moved(body.X_JB[:3, :3], body.X_JB[:3, 3]) for body in self.bodies]
        self.inertias = _frozen(np.stack([inertia.matrix() for inertia in in_joints]))
        self._masses = np.array([inertia.mass for inertia in in_joints])
        self._centers = np.stack([inertia.center for inertia in in_joints])
        self.mass = float(self._masses.sum())
        self.packed: Any = None
        self.shape = (self.nv,)
        self.calm = np.zeros((len(self.bodies), 6))
        self.still = np.zeros(self.nv)

    def __repr__(self) -> str:
        roots = int(np.sum(self.parents < 0))
        return (
            f"Multibody({_count(len(self.bodies), 'body', 'bodies')} in {_count(roots, 'tree')}, "
            f"{_count(self.nq, 'coordinate')}, mass {self.mass:.6g})"
        )

    def index(self, body: int | str) -> int:
        """Return the index of a body given by index or name.

        Raises:
            DynamicsError: If there is none; lists the names.
        """
        if isinstance(body, str):
            if body in self.names:
                return self.names.index(body)
        elif isinstance(body, (int, np.integer)) and not isinstance(body, bool) and 0 <= body < len(self.bodies):
            return int(body)
        raise DynamicsError(f"there is no body {body!r}; there are {len(self.bodies)}: {', '.join(self.names)}")

    # -- poses and twists ----------------------------------------------------------------------------------------

    def joint_poses(self, x: ArrayLike) -> Array:
        """Return ``X_WJ``, the world poses of the joint frames at ``x``, shape (nb, 4, 4); new."""
        poses = joint_steps(self, self._coordinates(x))
        for i, parent in enumerate(self.parents.tolist()):
            if parent >= 0:
                poses[i] = poses[parent] @ poses[i]
        return poses

    def body_poses(self, x: ArrayLike) -> Array:
        """Return ``X_WB``, the world poses of the bodies at ``x``, shape (nb, 4, 4); new."""
        return np.asarray(self.joint_poses(x) @ self.X_JB)

    def body_twists(self, x: ArrayLike, v: ArrayLike) -> Array:
        """Return the twists of the bodies against the world at B's origin, in B, shape (nb, 6); new."""
        V = motion(self, self._coordinates(x), self._velocities(v)).V
        assert V is not None
        return np.einsum("ijk,ik->ij", self.Ad_BJ, V)

    def center_of_mass(self, x: ArrayLike) -> Array:
        """Return the centre of mass of all bodies in the world at ``x``, shape (3,); new.

        Raises:
            DynamicsError: If nothing has mass.
        """
        if not self.mass > 0.0:
            raise DynamicsError("the model has no centre of mass: no body has mass")
        return np.asarray(self._masses @ self.body_centers(x) / self.mass)

    def body_centers(self, x: ArrayLike) -> Array:
        """Return the centres of mass of the bodies in the world at ``x``, shape (nb, 3); new."""
        poses = self.joint_poses(x)
        return np.asarray(np.einsum("ijk,ik->ij", poses[:, :3, :3], self._centers) + poses[:, :3, 3])

    # -- equations of motion -------------------------------------------------------------------------------------

    def forward_dynamics(
        self,
        x: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike | None = None,
        formulation: str = "recursive",
        *,
        wrenches: ArrayLike | None = None,
    ) -> Array:
        """Return the accelerations ``vdot`` that forces cause, shape (nv,); new.

        Many states are given as rows, and give rows, shape (k, nv), each with the same bits as alone; the kernels of
        the recursive formulation and generated code compute them on all processors. An argument of one state's shape
        then stands for all rows.

        Args:
            x: Coordinates, shape (nq,) or (k, nq).
            v: Velocities, shape (nv,) or (k, nv).
            tau: Generalized forces, shape (nv,) or (k, nv); None for none.
            formulation: A name in ``FORMULATIONS``; all give the same.
            wrenches: External wrenches at B in B, shape (nb, 6) or (k, nb, 6); None for none.

        Raises:
            DynamicsError: If an argument is of the wrong shape or not finite, there is no such formulation or it
                cannot take a joint, or a joint has a direction that moves no inertia; names the body, and the row.
        """
        if wrenches is None and formulation == "recursive":
            found = quick("forward", self, x, v, self.still if tau is None else tau)
            if found is not None:
                return found
        elif wrenches is None and formulation == "symbolic":
            found = symbolic.quick(self, x, v, self.still if tau is None else tau)
            if found is not None:
                return found
        elif wrenches is None and formulation == "fastest":
            found = fastest.quick(self, x, v, self.still if tau is None else tau)
            if found is not None:
                return found
        compute = formulations.formulation(formulation)
        if self._are_rows(x, v, tau, wrenches):
            count, arguments = self._rows(x, v, "tau", self.still if tau is None else tau, wrenches)
            return batch.forward(self, formulation, compute, count, arguments)
        return compute(self, *self._state(x, v), self._forces(tau), self._wrenches(wrenches))

    def hybrid_dynamics(
        self,
        x: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        vdot: ArrayLike,
        prescribed: ArrayLike | Iterable[int | str],
        *,
        wrenches: ArrayLike | None = None,
    ) -> tuple[Array, Array]:
        """Return all accelerations and all generalized forces where the motion of some joints is prescribed.

        Args:
            x: Coordinates, shape (nq,).
            v: Velocities, shape (nv,).
            tau: Generalized forces, shape (nv,); those of free joints count.
            vdot: Accelerations, shape (nv,); those of prescribed joints count.
            prescribed: Bodies whose joints are prescribed: indices or names, or a truth value for each body.
            wrenches: External wrenches at B in B, shape (nb, 6); None for none.

        Returns:
            ``vdot`` and ``tau`` of all joints, shapes (nv,), new: what was given where it counts, else computed.

        Raises:
            DynamicsError: As ``forward_dynamics``.

        Source: Sueda algorithm 9.
        """
        accelerations = self._velocities(vdot, "vdot")
        mask = structure.chosen(self, prescribed)
        state, forces, outside = self._state(x, v), self._forces(tau), self._wrenches(wrenches)
        return recursive.hybrid(self, *state, forces, accelerations, mask, outside)

    def inverse_dynamics(
        self, x: ArrayLike, v: ArrayLike, vdot: ArrayLike, *, wrenches: ArrayLike | None = None
    ) -> Array:
        """Return the generalized forces ``tau`` that accelerations take, shape (nv,); new.

        Many states are given as rows, as in ``forward_dynamics``, and give rows, shape (k, nv).

        Args:
            x: Coordinates, shape (nq,) or (k, nq).
            v: Velocities, shape (nv,) or (k, nv).
            vdot: Accelerations, shape (nv,) or (k, nv).
            wrenches: External wrenches at B in B, shape (nb, 6) or (k, nb, 6); None for none.

        Raises:
            DynamicsError: If an argument is of the wrong shape or not finite; names the row.

        Source: Liu & Jain section 7.
        """
        if wrenches is None:
            found = quick("inverse", self, x, v, vdot)
            if found is not None:
                return found
        if self._are_rows(x, v, vdot, wrenches):
            return batch.dynamics(self, "inverse", recursive.inverse, *self._rows(x, v, "vdot", vdot, wrenches))
        return recursive.inverse(self, *self._state(x, v), self._velocities(vdot, "vdot"), self._wrenches(wrenches))

    def bias(self, x: ArrayLike, v: ArrayLike) -> Array:
        """Return the generalized forces that keep ``vdot`` zero, gravity's among them, shape (nv,); new.

        Of many states as rows, shape (k, nv), as ``inverse_dynamics``.
        """
        return self.inverse_dynamics(x, v, np.zeros(self.nv))

    def mass_matrix(self, x: ArrayLike) -> Array:
        """Return the mass matrix at ``x``, shape (nv, nv), exactly symmetric; new.

        Of many states, shape (k, nq), those of all, shape (k, nv, nv), each with the same bits as alone.
        """
        if batch.holds_rows(x):
            return batch.mass_matrices(self, batch.as_rows(x=(x, (self.nq,)))[1][0])
        return recursive.mass_matrix(self, self._coordinates(x))

    def inverse_mass_product(
        self,
        x: ArrayLike,
        rhs: ArrayLike,
        added: ArrayLike | None = None,
        *,
        blocks: ArrayLike | None = None,
    ) -> Array:
        """Return ``(M + diag(added) + J^T blkdiag(blocks) J)^-1 rhs`` without forming a matrix; new, shaped as ``rhs``.

        Args:
            x: Coordinates, shape (nq,).
            rhs: One vector, shape (nv,), or several as columns, shape (nv, k).
            added: Terms of the joints such as ``h D - h^2 K``, shape (nv,); None for none.
            blocks: Terms of the bodies at B in B, shape (nb, 6, 6); None for none.

        Raises:
            DynamicsError: If an argument is of the wrong shape or not finite, or the sum is singular.

        Source: Sueda algorithm 10.
        """
        position = self._coordinates(x)
        columns = np.shape(rhs)[1:]
        right = finite_array(rhs, (self.nv, *columns[:1]), "rhs").reshape(self.nv, *(columns[:1] or (1,)))
        joint_terms = np.zeros(self.nv) if added is None else self._velocities(added, "added")
        body_terms = None if blocks is None else finite_array(blocks, (len(self.bodies), 6, 6), "blocks")
        rows = recursive.inverse_product(self, position, np.ascontiguousarray(right.T), joint_terms, body_terms)
        return np.ascontiguousarray(rows.T).reshape(self.nv, *columns)

    # -- products with the Jacobian ------------------------------------------------------------------------------

    def jacobian_product(self, x: ArrayLike, v: ArrayLike) -> Array:
        """Return ``J v``: the twists of the bodies for any velocities, at B in B, shape (nb, 6); new.

        Source: Sueda algorithm 5.
        """
        position, rates = self._state(x, v)
        return jacobian_products.jacobian_product(self, motion(self, position), rates)

    def jacobian_rate_product(self, x: ArrayLike, v: ArrayLike, other: ArrayLike | None = None) -> Array:
        """Return ``Jdot other``, shape (nb, 6); new: with ``J vdot`` it makes the rates of the bodies' twists.

        Args:
            x: Coordinates, shape (nq,).
            v: Velocities that change ``J``, shape (nv,).
            other: What is multiplied, shape (nv,); None takes ``v``.

        Source: Sueda algorithm 5.
        """
        position, rates = self._state(x, v)
        factor = rates if other is None else self._velocities(other, "other")
        return jacobian_products.jacobian_rate_product(self, motion(self, position, rates), factor)

    def jacobian_transpose_product(self, x: ArrayLike, wrenches: ArrayLike) -> Array:
        """Return ``J^T wrenches``: the generalized forces of wrenches at B in B, shape (nv,); new.

        Source: Sueda algorithm 6.
        """
        position = self._coordinates(x)
        return jacobian_products.jacobian_transpose_product(self, motion(self, position), self._wrenches(wrenches))

    # -- energy and momentum -------------------------------------------------------------------------------------

    def energy(self, x: ArrayLike, v: ArrayLike) -> tuple[float, float]:
        """Return the kinetic and the potential energy, ``-sum m g.c``, at ``x`` and ``v``."""
        position, rates = self._state(x, v)
        potential = -float(self._masses @ self.body_centers(position) @ self.gravity)
        return energy.kinetic_energy(self, position, rates), potential

    def momentum(self, x: ArrayLike, v: ArrayLike) -> Array:
        """Return ``[L; P]``: angular momentum about the world's origin and linear momentum, world axes, shape (6,)."""
        return energy.momentum(self, *self._state(x, v))

    # -- charts --------------------------------------------------------------------------------------------------

    def rechart(self, x: ArrayLike, v: ArrayLike, early: bool = False) -> tuple[Multibody, Array, Array]:
        """Return the same state in coordinates that are good here: each joint changes its chart where it wants to.

        Args:
            x: Coordinates, shape (nq,).
            v: Velocities, shape (nv,).
            early: Whether joints change as soon as another chart is as good, as ``JointModel.rechart`` has it.

        Returns:
            The model, ``x`` and ``v``: this very model unless a joint now is another one; new arrays where something
            changed.
        """
        x, v = self._coordinates(x), self._velocities(v)
        bodies = list(self.bodies)
        x_new, v_new = x, v
        for i, body in enumerate(self.bodies):
            part = slice(self.first[i], self.first[i + 1])
            changed = body.joint.rechart(x[part], v[part], early)
            if changed is None:
                continue
            if x_new is x:
                x_new, v_new = x.copy(), v.copy()
            joint, x_new[part], v_new[part] = changed
            if joint != body.joint:
                bodies[i] = replace(body, joint=joint)
        if all(new is old for new, old in zip(bodies, self.bodies, strict=True)):
            return self, x_new, v_new
        model = copy.copy(self)  # everything but the joints is as it was, and checked
        model.bodies = tuple(bodies)
        model.packed = None
        return model, x_new, v_new

    # -- checks --------------------------------------------------------------------------------------------------

    def _are_rows(self, x: Any, v: Any, given: Any, wrenches: Any) -> bool:
        return any(batch.holds_rows(value) for value in (x, v, given)) or batch.holds_rows(wrenches, 2)

    def _rows(self, x: Any, v: Any, what: str, given: Any, wrenches: Any) -> tuple[int, list[Array]]:
        shape = (self.nv,)
        outside = len(self.bodies), 6
        pushed = np.zeros(outside) if wrenches is None else wrenches
        return batch.as_rows(**{"x": (x, shape), "v": (v, shape), what: (given, shape), "wrenches": (pushed, outside)})

    def _coordinates(self, x: ArrayLike) -> Array:
        return finite_array(x, (self.nq,), "x")

    def _velocities(self, v: ArrayLike, what: str = "v") -> Array:
        return finite_array(v, (self.nv,), what)

    def _state(self, x: ArrayLike, v: ArrayLike) -> tuple[Array, Array]:
        return self._coordinates(x), self._velocities(v)

    def _forces(self, tau: ArrayLike | None) -> Array:
        return np.zeros(self.nv) if tau is None else self._velocities(tau, "tau")

    def _wrenches(self, wrenches: ArrayLike | None) -> Array:
        shape = (len(self.bodies), 6)
        return np.zeros(shape) if wrenches is None else finite_array(wrenches, shape, "wrenches")


def _count(number: int, one: str, many: str | None = None) -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def _frozen(array: Any) -> Any:
    array.setflags(write=False)
    return array
