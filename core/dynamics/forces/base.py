"""What a force is: it adds to the loads on a model and owes its energy, its power and its derivatives."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.checked_arrays import shown
from core.dynamics.forces.coordinate_blocks import CoordinateBlocks
from core.errors import DynamicsError

if TYPE_CHECKING:
    from core.dynamics.forces.implicit import ImplicitTerms
    from core.dynamics.multibody import Multibody
    from core.dynamics.state import State


class Load:
    """What all forces together do to a model.

    Attributes:
        tau: Generalized forces dual to ``v``, shape (nv,).
        wrenches: ``[t; f]`` on each body at B's origin in B's axes, shape (nb, 6).
    """

    def __init__(self, model: Multibody) -> None:
        self.tau = np.zeros(model.nv)
        self.wrenches = np.zeros((len(model.bodies), 6))

    def generalized(self, model: Multibody, x: Array) -> Array:
        """Return ``tau + J^T wrenches``, shape (nv,); new."""
        if not self.wrenches.any():
            return self.tau.copy()
        return self.tau + model.jacobian_transpose_product(x, self.wrenches)


class Derivatives:
    """How the loads change: ``K = df/dx`` and ``D = -df/dv``, each for joints and for bodies.

    A spring that pulls back has a negative ``K``, a damper a positive ``D``.

    Attributes:
        joint_stiffness: Of ``tau`` by the coordinates, blocks of a matrix of shape (nv, nv).
        joint_damping: Of ``tau`` by the rates, likewise.
        body_stiffness: By pairs of bodies: of the wrench on the first one by displacements ``[w; v]`` of the second
            one in its own frame, shape (6, 6).
        body_damping: By pairs of bodies: of the wrench on the first one by the twist of the second one.
    """

    def __init__(self, model: Multibody) -> None:
        self.joint_stiffness = CoordinateBlocks(model.nv)
        self.joint_damping = CoordinateBlocks(model.nv)
        self.body_stiffness: dict[tuple[int, int], Array] = {}
        self.body_damping: dict[tuple[int, int], Array] = {}

    def stiffen(self, body: int, other: int, K: Array) -> None:
        """Add ``K``, shape (6, 6), of the wrench on ``body`` by displacements of ``other``."""
        _add(self.body_stiffness, (body, other), K)

    def damp(self, body: int, other: int, D: Array) -> None:
        """Add ``D``, shape (6, 6), of the wrench on ``body`` by the twist of ``other``."""
        _add(self.body_damping, (body, other), D)

    def step_terms(self, J: Array | None, h: float) -> Array:
        """Return ``J^T (h D_m - h^2 K_m) J + h D_r - h^2 K_r``, made symmetric, shape (nv, nv); new.

        Args:
            J: Jacobian of the bodies' twists, shape (6 nb, nv); may be None where no body has terms.
            h: Step [s].

        Source: Sueda 2.79, the elastic terms made symmetric as in 1.9.2.
        """
        A = h * self.joint_damping.dense() - h * h * self.joint_stiffness.dense()
        for scale, terms in ((h, self.body_damping), (-h * h, self.body_stiffness)):
            for (body, other), term in terms.items():
                assert J is not None
                A += scale * (J[6 * body : 6 * body + 6].T @ term @ J[6 * other : 6 * other + 6])
        return 0.5 * (A + A.T)

    def damping_product(self, J: Array | None, v: Array) -> Array:
        """Return ``D_r v + J^T D_m J v``, shape (nv,); new. ``J`` as in ``step_terms``."""
        product = self.joint_damping @ v
        for (body, other), term in self.body_damping.items():
            assert J is not None
            product += J[6 * body : 6 * body + 6].T @ (term @ (J[6 * other : 6 * other + 6] @ v))
        return product

    @property
    def on_bodies(self) -> bool:
        """Whether any term acts on bodies."""
        return bool(self.body_stiffness or self.body_damping)


def _add(terms: dict[tuple[int, int], Array], pair: tuple[int, int], term: Array) -> None:
    terms[pair] = terms[pair] + term if pair in terms else term


class Force(ABC):
    """Something that pushes, pulls or brakes. A new one is a class and a line in ``FORCES``.

    Attributes:
        label: What people call it.
        description: One sentence on what it does.
        conservative: Whether ``energy`` accounts for all that it does: it neither takes nor brings in any, and depends
            on nothing but where the bodies are.
    """

    label: ClassVar[str]
    description: ClassVar[str]
    conservative: ClassVar[bool] = False

    @property
    def idle(self) -> bool:
        """Whether it does nothing at present, so that nobody needs to ask what it does."""
        return False

    @abstractmethod
    def check(self, model: Multibody) -> None:
        """Check that the force fits the model.

        Raises:
            DynamicsError: If a body is not there or a value has the wrong length; names it.
        """

    @abstractmethod
    def add(self, state: State, load: Load) -> None:
        """Add what the force does in ``state`` to ``load``."""

    def moved(self, motion: Array) -> Force:
        """Return the force once the world is turned and moved with all that is in it.

        One that has nothing of the world in it, as forces between parts have not, stays as it is.

        Args:
            motion: What is done to the world, shape (4, 4).
        """
        return self

    def energy(self, state: State) -> float:
        """Return the potential energy [J] that the force has stored; 0 for one that stores none."""
        return 0.0

    def power(self, state: State) -> float:
        """Return the rate [W] at which the force does work on the bodies, ``tau . v + sum wrench . twist``."""
        load = Load(state.model)
        self.add(state, load)
        power = float(load.tau @ state.v)
        if load.wrenches.any():
            power += float((load.wrenches * state.twists).sum())
        return power

    def differentiate(self, state: State, derivatives: Derivatives) -> None:  # noqa: B027 - many have none
        """Add ``K`` and ``D`` in ``state`` to ``derivatives``; a force that knows none leaves them as they are."""

    def implicit(self, terms: ImplicitTerms) -> bool:
        """Add what the engine's kernels have of the force; return whether that is all of it.

        One that returns False, as one of one's own mostly does, is evaluated before each step of the engine: ``add``
        gives what it does there, ``differentiate`` what is solved for at the end, so that it is stable however stiff.
        """
        return False


def vector(value: ArrayLike, what: str) -> Array:
    """Return ``value`` as a read-only array, shape (3,).

    Raises:
        DynamicsError: If it is not three finite numbers; names ``what``.
    """
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        array = np.empty(0)
    if array.shape != (3,) or not np.isfinite(array).all():
        raise DynamicsError(f"{what} is {shown(value)}; it must be three finite numbers")
    array.setflags(write=False)
    return array


def coefficient(value: float, what: str) -> float:
    """Return a stiffness or damping coefficient as a float.

    Raises:
        DynamicsError: If it is negative or not finite; names ``what``.
    """
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if not (np.isfinite(number) and number >= 0.0):
        raise DynamicsError(f"{what} is {shown(value)}; it must be a finite number, 0 or more")
    return number
