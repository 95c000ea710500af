"""A tree of rigid bodies joined by joints: the model of all formulations of the equations of motion."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.dynamics.arrays import finite_array
from core.dynamics.body import Body
from core.dynamics.motion import joint_steps, motion
from core.errors import DynamicsError
from core.spatial import se3

Array = NDArray[np.float64]


class Multibody:
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

    Args:
        bodies: The bodies; a parent comes before its children.
        gravity: Shape (3,).

    Raises:
        DynamicsError: If two bodies share a name, a parent is missing or comes later, or a number is not finite.
    """

    def __init__(self, bodies: Iterable[Body], gravity: ArrayLike = (0.0, -9.81, 0.0)):
        self.bodies: tuple[Body, ...] = tuple(bodies)
        self.names: tuple[str, ...] = tuple(body.name for body in self.bodies)
        self.parents = _frozen(_parents(self.bodies))
        self.gravity = _frozen(np.array(finite_array(gravity, (3,), "gravity")))
        self.first = _frozen(np.cumsum([0, *(body.joint.n for body in self.bodies)]))
        self.nq = self.nv = int(self.first[-1])
        self.X_PJ = _frozen(np.stack([body.X_PJ for body in self.bodies]))
        self.X_JB = _frozen(np.stack([body.X_JB for body in self.bodies]))
        self.Ad_BJ = _frozen(se3.adjoint(se3.inverse(self.X_JB)))
        in_joints = [body.inertia.moved(body.X_JB[:3, :3], body.X_JB[:3, 3]) for body in self.bodies]
        self.inertias = _frozen(np.stack([inertia.matrix() for inertia in in_joints]))
        self._masses = np.array([inertia.mass for inertia in in_joints])
        self._centers = np.stack([inertia.center for inertia in in_joints])
        self.mass = float(self._masses.sum())

    def index(self, body: int | str) -> int:
        """Return the index of a body told by index or name.

        Raises:
            DynamicsError: If there is none; lists the names.
        """
        if isinstance(body, str):
            if body in self.names:
                return self.names.index(body)
        elif 0 <= body < len(self.bodies):
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
        return np.asarray(self._masses @ self._world_centers(x) / self.mass)

    def _world_centers(self, x: ArrayLike) -> Array:
        poses = self.joint_poses(x)
        return np.asarray(np.einsum("ijk,ik->ij", poses[:, :3, :3], self._centers) + poses[:, :3, 3])

    # -- charts --------------------------------------------------------------------------------------------------

    def rechart(self, x: ArrayLike, v: ArrayLike) -> tuple[Multibody, Array, Array]:
        """Return the same state in coordinates that are good here: each joint changes its chart where it wants to.

        Args:
            x: Coordinates, shape (nq,).
            v: Velocities, shape (nv,).

        Returns:
            The model, ``x`` and ``v``: this very model unless a joint now is another one; new arrays where something
            changed.
        """
        x, v = self._coordinates(x), self._velocities(v)
        bodies = list(self.bodies)
        x_new, v_new = x, v
        for i, body in enumerate(self.bodies):
            part = slice(self.first[i], self.first[i + 1])
            changed = body.joint.rechart(x[part], v[part])
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
        return model, x_new, v_new

    # -- checks --------------------------------------------------------------------------------------------------

    def _coordinates(self, x: ArrayLike) -> Array:
        return finite_array(x, (self.nq,), "x")

    def _velocities(self, v: ArrayLike, what: str = "v") -> Array:
        return finite_array(v, (self.nv,), what)


def _frozen(array: Any) -> Any:
    array.setflags(write=False)
    return array


def _parents(bodies: tuple[Body, ...]) -> NDArray[np.intp]:
    """Return the indices of the parents, shape (nb,).

    Raises:
        DynamicsError: If there is no body, two share a name, or a parent is not an earlier body; names the body.
    """
    if not bodies:
        raise DynamicsError("the model has no bodies; it needs one at least")
    indices: dict[str, int] = {}
    for i, body in enumerate(bodies):
        if body.name in indices:
            raise DynamicsError(f'bodies {indices[body.name]} and {i} are both named "{body.name}"; names must differ')
        indices[body.name] = i
    parents = np.empty(len(bodies), dtype=np.intp)
    for i, body in enumerate(bodies):
        parent = body.parent if not isinstance(body.parent, str) else indices.get(body.parent)
        if parent is None:
            raise DynamicsError(
                f'body "{body.name}": there is no parent "{body.parent}"; expected an earlier body or -1'
            )
        if not -1 <= parent < i:
            raise DynamicsError(
                f'body "{body.name}", number {i}: its parent is {body.parent!r}; expected a body before it, or -1'
            )
        parents[i] = parent
    return parents
