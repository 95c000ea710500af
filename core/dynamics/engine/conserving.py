"""Energy and momentum of the trees of a model, and the rates that have given ones: the projection of free flight."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.dynamics.contact.world import World
from core.dynamics.engine import conserving_kernel, conversions
from core.dynamics.engine.assembly import Assembly
from core.dynamics.engine.settings import StepSettings
from core.kernels import serving
from core.kernels.functions import raise_kept

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody


class TreePart(NamedTuple):
    """A tree of bodies that hang on each other, by the coordinates of the model.

    Attributes:
        coordinates: Which are its own, shape (k,).
        root: Number of the body that its first coordinates belong to.
        bodies: Numbers of all its bodies.
        free: Whether these are six that move it anywhere, so that its momentum may be chosen.
        mass: Of its bodies together.
    """

    coordinates: NDArray[np.intp]
    root: int
    bodies: tuple[int, ...]
    free: bool
    mass: float


class ConservedTrees:
    """The trees of a model as the kernels of the flight have them.

    Args:
        model: The bodies, in any order that has parents first.

    Attributes:
        parts: The trees. Bodies that stand still belong to none; what hangs on them by joints of its own is a tree.
    """

    def __init__(self, model: Multibody):
        root = _roots(model)
        # Those that stand still come first, the others by the tree that they belong to.
        order = sorted(range(len(root)), key=lambda i: (max(root[i], -1), i))
        sorted_model = model
        if order != sorted(order):
            bodies = [model.bodies[i] for i in order]
            parents = [int(model.parents[i]) for i in order]
            bodies = [
                replace(body, parent=model.names[parent] if parent >= 0 else -1)
                for body, parent in zip(bodies, parents, strict=True)
            ]
            sorted_model = type(model)(bodies, model.gravity)
        # Which coordinate of the model each one of the kernels is.
        spans = [np.arange(model.first[i], model.first[i + 1]) for i in order]
        self._places: NDArray[np.intp] = np.concatenate([np.zeros(0, dtype=np.intp), *spans])
        world = World(gravity=model.gravity, floor=None)
        self._built = Assembly(sorted_model, (), world, StepSettings(sleep=False), False, None, ())
        tree = self._built.tree
        owner = np.repeat(order, np.diff(sorted_model.first)).tolist()
        masses = self._built.memory.nodes["weight"]
        self._starts = np.flatnonzero(np.diff(tree.reference, prepend=-1)).tolist()
        self.parts: tuple[TreePart, ...] = tuple(
            TreePart(
                self._places[start:end],
                owner[start],
                tuple(i for i, top in enumerate(root) if top == owner[start]),
                int(tree.reference[start]) == start + 5,
                float(masses[start:end].sum()),
            )
            for start, end in zip(self._starts, [*self._starts[1:], len(owner)], strict=True)
        )

    def measure(self, x: Array, v: Array) -> Array:
        """Return energy, with that of gravity, and momentum of each tree, shape (trees, 7); new.

        Args:
            x: Coordinates of the model, shape (nq,).
            v: Rates, shape (nv,).

        Returns:
            Rows ``[E; L; P]`` in world axes, ``L`` about the centre of mass of the tree, [J], [N m s], [N s].
        """
        self._put(x, v)
        serving(conserving_kernel).measure_trees(self._built.memory)
        raise_kept()
        return np.array(self._built.memory.conserved[self._starts])

    def conserve(self, x: Array, v: Array, wanted: Array, free: NDArray[np.bool_]) -> Array:
        """Return the rates nearby with which each tree has the energy and the momentum that are wanted; shape (nv,).

        The momentum is put right by a rigid motion of the whole tree, the energy then by a factor of what its joints
        move besides. A tree whose joints hardly move keeps the energy that it has.

        Args:
            x: Coordinates of the model, shape (nq,).
            v: Rates, shape (nv,).
            wanted: Rows as ``measure`` returns them, shape (trees, 7).
            free: Whether the momentum of each tree is put right too, shape (trees,).
        """
        m, places = self._built.memory, self._places
        position = self._put(x, v)
        m.conserved[self._starts] = wanted
        m.held[self._starts] = ~free
        serving(conserving_kernel).conserve(m)
        raise_kept()
        m.held[:] = 0
        tree = self._built.tree
        rates = np.empty_like(v)
        rates[places] = conversions.rates(tree, position, m.u)
        return rates

    def _put(self, x: Array, v: Array) -> Array:
        """Write a state of the model into the memory; return its coordinates in the order of the nodes."""
        built, m = self._built, self._built.memory
        position = x[self._places]
        m.x[:] = position
        m.u[:] = m.u_middle[:] = conversions.velocities(built.tree, position, v[self._places])
        built.put_turns("turn", conversions.turns_of(built.tree, position))
        return position


def _roots(model: Multibody) -> list[int]:
    """Return the first body of the tree that each body belongs to; below 0 for those that stand still."""
    root: list[int] = []
    for i, (body, parent) in enumerate(zip(model.bodies, model.parents.tolist(), strict=True)):
        above = -1 if parent < 0 else root[parent]
        root.append(above if above >= 0 else i if body.joint.n else -1)
    return root
