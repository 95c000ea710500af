"""What a contact method solves: rows of a step in coordinates in which inertia is the identity and equations hold.

With ``A = L L^T`` and ``v = free + L^-T (held + Z z)``, ``held`` what equations ask for and Z an orthonormal basis of
what they leave, ``1/2 |z|^2`` is the kinetic energy of the change that contacts make. Maximal and reduced coordinates
with joints and loops all look the same here (Sueda 1.79, 1.80, 2.105).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from core.arrays import Array


class Rubbing(NamedTuple):
    """Friction in joints.

    Attributes:
        rows: Speeds at which bearings slide, on z, shape (p, n).
        slip: The same at ``z = 0``, shape (p,).
        most: Takes z, and the impulses push, drag and grip that make it, to the bounds of friction, shape (p,).
    """

    rows: Array
    slip: Array
    most: Callable[[Array, Array, Array, Array], Array]


class Program(NamedTuple):
    """Rows on z. The first ``limits`` normal rows are bounds without friction, the others contacts.

    Attributes:
        normal: Shape (l + k, n); each wants ``normal @ z >= wanted`` and pushes, ``z += normal^T push``.
        wanted: Shape (l + k,).
        limits: How many rows are bounds, l.
        tangent: Two rows a contact, shape (2 k, n).
        slip: Speeds along the tangents at ``z = 0``, shape (2 k,).
        friction: Coefficients, shape (k,).
        rubbing: Friction in joints; None without any.
    """

    normal: Array
    wanted: Array
    limits: int
    tangent: Array
    slip: Array
    friction: Array
    rubbing: Rubbing | None = None

    def sliding(self, z: Array) -> Array:
        """Return how fast each contact slides, shape (k,)."""
        speeds = (self.slip + self.tangent @ z).reshape(-1, 2)
        return np.asarray(np.sqrt((speeds**2).sum(axis=1)))


class Impulses(NamedTuple):
    """What a contact method found.

    Attributes:
        z: ``normal^T push + tangent^T drag``, shape (n,).
        push: Impulses along the normal rows, 0 or more, shape (l + k,).
        drag: Impulses of friction along the tangents, shape (2 k,).
        passes: How many programs of contacts were solved.
        converged: Whether what is iterated has come to rest.
        residual: The largest natural residual of the last programs.
        grip: Impulses of friction in joints, ``z += rows^T grip``, shape (p,).
    """

    z: Array
    push: Array
    drag: Array
    passes: int
    converged: bool
    residual: float
    grip: Array = np.zeros(0)
