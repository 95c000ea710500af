"""The terms of a step's matrix by pairs of bodies and by coordinates, and the part of them that is a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.dynamics.positive_part import positive_part
from core.spatial import se3

if TYPE_CHECKING:
    from core.dynamics.forces import Derivatives
    from core.dynamics.state import State
    from core.dynamics.tree_model import TreeModel

Integers = NDArray[np.int64]
_MOST = 12
"""Coordinates that are eliminated together at most."""
_NO_PLACES, _NO_NUMBERS = np.zeros((0, 2), dtype=np.int64), np.zeros(0)


class Terms(NamedTuple):
    """The matrix ``J^T T J + E``.

    Attributes:
        pairs: Of each block of T the body that feels it and the one whose twist it is of, shape (k, 2); of each body
            with itself first, in their order.
        blocks: At the bodies' origins in their axes, shape (k, 6, 6).
        places: Row and column of each entry of E, shape (m, 2).
        entries: Shape (m,).
    """

    pairs: Integers
    blocks: Array
    places: Integers
    entries: Array


class TreePart(NamedTuple):
    """What of a matrix is eliminated from the tips inwards, besides the bodies' inertias.

    Attributes:
        bodies: Which have blocks, shape (k,).
        blocks: Positive semidefinite, at the bodies' origins in their axes, shape (k, 6, 6).
        clusters: Coordinates that are eliminated together.
    """

    bodies: Integers
    blocks: Array
    clusters: Clusters


def resistance(state: State, derivatives: Derivatives | None, h: float, inertias: Array) -> Terms:
    """Return ``M + h D``, whose product with the rates at the start is a part of the right side.

    Args:
        state: The bodies.
        derivatives: Of what acts on them.
        h: Step [s].
        inertias: Of the bodies, ``newton_euler.body_inertias``.
    """
    if derivatives is None:
        return _joined(state, inertias, _NO_PLACES, np.zeros((0, 6, 6)), _NO_PLACES, _NO_NUMBERS)
    pairs, blocks = _listed(derivatives.body_damping)
    places, entries = derivatives.joint_damping.entries()
    return _joined(state, inertias, pairs, h * blocks, places, h * entries)


def step_matrix(state: State, derivatives: Derivatives | None, h: float, inertias: Array) -> Terms:
    """Return ``M + h D - h^2 K``, made symmetric (Sueda 2.79); arguments as of ``resistance``."""
    if derivatives is None:
        return resistance(state, None, h, inertias)
    damping, stiffness = _listed(derivatives.body_damping), _listed(derivatives.body_stiffness)
    pairs = np.concatenate([damping[0], stiffness[0]])
    blocks = np.concatenate([0.5 * h * damping[1], -0.5 * h * h * stiffness[1]])
    pairs, blocks = np.concatenate([pairs, pairs[:, ::-1]]), np.concatenate([blocks, blocks.transpose(0, 2, 1)])
    d, k = derivatives.joint_damping.entries(), derivatives.joint_stiffness.entries()
    places = np.concatenate([d[0], k[0]])
    entries = np.concatenate([0.5 * h * d[1], -0.5 * h * h * k[1]])
    places, entries = np.concatenate([places, places[:, ::-1]]), np.concatenate([entries, entries])
    return _joined(state, inertias, pairs, blocks, places, entries)


def tree_part(state: State, terms: Terms, inertias: Array) -> TreePart:
    """Return the part of a step's matrix that is a tree of clusters.

    It has the blocks of single bodies and the diagonal of the coordinates, as algorithm 10 has them. What acts between
    two bodies does not feel how both move as one, but only what is between them: where that are few joints, their
    coordinates are eliminated together, and the pair counts as it is. Between others it counts with what it does to
    each of the two bodies alone.
    """
    model = state.model
    count = len(model.bodies)
    own = terms.blocks[:count] - inertias
    union, paths = _Union(model.nv), []
    for r, c in terms.places[terms.places[:, 0] > terms.places[:, 1]].tolist():
        union.join([r, c])
    found: list[int] = []
    for k in np.flatnonzero(terms.pairs[:, 0] > terms.pairs[:, 1]).tolist():
        path = _path(model, *terms.pairs[k].tolist())
        if path is not None and union.join([q for i, _ in path for q in _coordinates(model, i)]):
            found.append(k)
            paths.append(path)
    clusters = Clusters(model, union.groups())
    clusters.add(terms.places, terms.entries)
    if paths:
        near = np.array(found, dtype=np.int64)
        first, second = terms.pairs[near].T
        # The pair alone gives no wrench where both move as one: T_ii = -T_ij Ad_ji, T_jj = Ad_ij^T T_ii Ad_ij.
        felt = positive_part(-terms.blocks[near] @ _seen(state, second, first))
        back = _seen(state, first, second)
        np.subtract.at(own, first, felt)
        np.subtract.at(own, second, back.transpose(0, 2, 1) @ felt @ back)
        joints = np.array([i for path in paths for i, _ in path], dtype=np.int64)
        which = np.repeat(np.arange(len(paths)), [len(path) for path in paths])
        carried = _seen(state, first[which], joints) @ model.Ad_BJ[joints]
        at = 0
        for path, block in zip(paths, felt, strict=True):
            columns = [side * carried[at + m] @ state.motion.S[i] for m, (i, side) in enumerate(path)]
            at += len(path)
            if columns:
                J = np.concatenate(columns, axis=1)
                clusters.add_matrix([q for i, _ in path for q in _coordinates(model, i)], J.T @ block @ J)
    clusters.make_positive()
    bodies = np.flatnonzero(own.any(axis=(1, 2)))
    return TreePart(bodies, positive_part(own[bodies]), clusters)


class Clusters:
    """Coordinates that are eliminated together, and what acts among them.

    Args:
        model: The tree.
        groups: The coordinates of each cluster, from its root outwards; each coordinate is in one.

    Attributes:
        where: Cluster of each coordinate and its place in it, shape (nv, 2).
        table: Of each cluster its first place in ``members``, how many it has, where it begins in ``H``, shape (k, 3).
        members: Nodes, one more than the coordinates, of all clusters, shape (nv,).
        H: What acts among the coordinates of each cluster, matrices one after the other.
    """

    def __init__(self, model: TreeModel, groups: list[list[int]]) -> None:
        sizes = np.array([len(group) for group in groups], dtype=np.int64)
        first, at = np.cumsum(sizes) - sizes, np.cumsum(sizes**2) - sizes**2
        self.table = np.stack([first, sizes, at], axis=1)
        order = np.array([q for group in groups for q in group], dtype=np.int64)
        self.members = order + 1
        self.where = np.empty((model.nv, 2), dtype=np.int64)
        self.where[order, 0] = np.repeat(np.arange(len(groups)), sizes)
        self.where[order, 1] = np.arange(len(order)) - np.repeat(first, sizes)
        self.H = np.zeros(int((sizes**2).sum()))

    def add(self, places: Integers, entries: Array) -> None:
        """Add entries of the coordinates' matrix, as far as they are of one cluster."""
        cluster, row = self.where[places[:, 0]].T
        other, column = self.where[places[:, 1]].T
        same = cluster == other
        own = self.table[cluster[same]]
        np.add.at(self.H, own[:, 2] + own[:, 1] * row[same] + column[same], entries[same])

    def add_matrix(self, coordinates: list[int], matrix: Array) -> None:
        """Add a matrix of some coordinates of one cluster."""
        own = self.table[self.where[coordinates[0], 0]]
        rows = self.where[coordinates, 1]
        self.H[own[2] + own[1] * rows[:, None] + rows] += matrix

    def make_positive(self) -> None:
        """Leave out what pushes apart."""
        single = self.table[self.table[:, 1] == 1, 2]
        self.H[single] = np.maximum(self.H[single], 0.0)
        for _, n, at in self.table[self.table[:, 1] > 1].tolist():
            matrix = self.H[at : at + n * n]
            matrix[:] = positive_part(matrix.reshape(n, n)).ravel()


class _Union:
    """Sets of coordinates, joined as long as they stay small."""

    def __init__(self, n: int) -> None:
        self.of = list(range(n))
        self.sets: dict[int, list[int]] = {k: [k] for k in range(n)}

    def join(self, coordinates: list[int]) -> bool:
        """Make one set of those that hold some coordinates; return whether that is small enough."""
        touched = {self.of[q] for q in coordinates}
        if sum(len(self.sets[k]) for k in touched) > _MOST:
            return False
        whole = min(touched, default=0)
        for k in touched - {whole}:
            for q in self.sets[k]:
                self.of[q] = whole
            self.sets[whole] += self.sets.pop(k)
        return True

    def groups(self) -> list[list[int]]:
        """Return the sets, each in order: parents come first."""
        return [sorted(own) for own in self.sets.values()]


def _coordinates(model: TreeModel, body: int) -> range:
    return range(int(model.first[body]), int(model.first[body + 1]))


def _path(model: TreeModel, i: int, j: int) -> list[tuple[int, float]] | None:
    """Return the bodies whose joints are between two, 1 on the side of the first and -1 on the other; None if many."""
    path: list[tuple[int, float]] = []
    coordinates, parents = 0, model.parents
    while i != j:
        later = max(i, j)  # parents come first
        own = len(_coordinates(model, later))
        coordinates += own
        if coordinates > _MOST:
            return None
        if own:
            path.append((later, 1.0 if i == later else -1.0))
        i, j = (int(parents[i]), j) if i == later else (i, int(parents[j]))
    return path


def _seen(state: State, there: Integers, here: Integers) -> Array:
    """Return what takes twists from the frames of the bodies ``here`` to those of ``there``, shape (k, 6, 6)."""
    return np.asarray(se3.adjoint(se3.inverse(state.poses[there]) @ state.poses[here]))


def _listed(terms: dict[tuple[int, int], Array]) -> tuple[Integers, Array]:
    """Return pairs, shape (k, 2), and blocks, shape (k, 6, 6)."""
    return (
        np.array(list(terms), dtype=np.int64).reshape(-1, 2),
        np.array(list(terms.values()), dtype=np.float64).reshape(-1, 6, 6),
    )


def _joined(state: State, inertias: Array, pairs: Integers, blocks: Array, places: Integers, entries: Array) -> Terms:
    """Return terms with the bodies' inertias, each pair of bodies and each place once."""
    count, nv = len(state.model.bodies), state.model.nv
    # Those of each body with itself first: numbered before all others.
    key = np.where(pairs[:, 0] == pairs[:, 1], pairs[:, 0], count + pairs[:, 0] * count + pairs[:, 1])
    kept, where = np.unique(np.concatenate([np.arange(count), key]), return_inverse=True)
    whole = np.zeros((len(kept), 6, 6))
    np.add.at(whole, where, np.concatenate([inertias, blocks]))
    first, second = np.divmod(kept - count, count)
    both = np.stack([np.where(kept < count, kept, first), np.where(kept < count, kept, second)], axis=1)
    spots, where = np.unique(places[:, 0] * nv + places[:, 1], return_inverse=True)
    numbers = np.zeros(len(spots))
    np.add.at(numbers, where, entries)
    return Terms(both, whole, np.stack(np.divmod(spots, max(nv, 1)), axis=1), numbers)
