"""What the equations of motion take of a tree of bodies: its data, and what follows from a pose alone."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.arrays import Array
from core.dynamics.body import Body


class TreeModel(Protocol):
    """A tree of bodies; :class:`core.dynamics.multibody.Multibody` is one.

    Attributes:
        bodies: The bodies, parents before children.
        names: Their names.
        parents: Index of each body's parent, -1 for the world, shape (nb,).
        gravity: Shape (3,), [m/s^2].
        first: First coordinate of each body's joint, and how many there are, shape (nb + 1,).
        nq, nv: How many coordinates, and rates, there are.
        limits: Of the coordinates, shape (nq, 2).
        X_PJ: Poses of joint frames in the parents' joint frames where coordinates are 0, shape (nb, 4, 4).
        X_JB: Poses of the bodies in their joint frames, shape (nb, 4, 4).
        Ad_BJ: Adjoints that take twists from J to B, shape (nb, 6, 6).
        inertias: Spatial inertias in the joint frames, shape (nb, 6, 6).
        mass: Of all, [kg].
        packed: The same for the kernels of the recursion, once it is asked for.
        calm: No wrenches, shape (nb, 6).
        shape: (nv,).
    """

    bodies: tuple[Body, ...]
    names: tuple[str, ...]
    parents: NDArray[np.int64]
    gravity: Array
    first: NDArray[np.int64]
    nq: int
    nv: int
    limits: Array
    X_PJ: Array
    X_JB: Array
    Ad_BJ: Array
    inertias: Array
    mass: float
    packed: Any
    calm: Array
    shape: tuple[int]

    def index(self, body: int | str) -> int:
        """Return the index of a body given by index or name."""
        ...

    def joint_poses(self, x: ArrayLike) -> Array:
        """Return the world poses of the joint frames, shape (nb, 4, 4)."""
        ...

    def body_poses(self, x: ArrayLike) -> Array:
        """Return the world poses of the bodies, shape (nb, 4, 4)."""
        ...

    def body_twists(self, x: ArrayLike, v: ArrayLike) -> Array:
        """Return the twists of the bodies at their origins in their axes, shape (nb, 6)."""
        ...
