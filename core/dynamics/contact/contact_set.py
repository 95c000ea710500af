"""Which shapes may touch which, packed for the kernels that find where they do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.arrays import Array
from core.dynamics.arrays import finite_array
from core.dynamics.contact import packing as at
from core.dynamics.contact import pairs_kernel
from core.dynamics.contact.ground_packing import packed_ground
from core.dynamics.contact.materials import DEFAULT_FRICTION, friction_between
from core.dynamics.contact.shapes import Geometry
from core.dynamics.contact.world import World
from core.errors import DynamicsError
from core.kernels import serving

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody

Ints = NDArray[np.int64]

_MOST_ROWS = 1024
"""Rows that a search writes at most, unless the caller has room for more."""


class ContactSet:
    """Shapes of bodies and of the world, and which pairs of them may touch, packed into two blocks of memory.

    Everything on a body may touch the world, and what hangs on another root: another figure, a ball that was dropped.
    Shapes of one tree touch each other only on request, and never if they are on one body, on bodies that a joint
    connects, or overlap at rest.

    Attributes:
        geometries: All shapes, those on bodies first; rows of contacts name them by number.
        pairs: Which of them may touch, shape (k, 2): the second is on the world or comes later.
        ints, floats: The blocks, as in ``core.dynamics.contact.packing``. The kernels work in them, so that one set
            serves one thread at a time.
        capacity: Rows that there can be at once, at most 1024.

    Args:
        model: The bodies.
        geometries: Shapes on them.
        world: Floor and obstacles.
        self_contact: Whether parts of one figure touch each other.
        rest: State in which what overlaps is left alone, shape (nq,); None is the figure's pose of rest, or zero.
        loose: Pairs of bodies that never touch each other, such as a hand and what it holds.

    Raises:
        DynamicsError: If a shape is on a body that is not there.
    """

    def __init__(
        self,
        model: Multibody,
        geometries: Iterable[Geometry] = (),
        world: World | None = None,
        *,
        self_contact: bool = False,
        rest: ArrayLike | None = None,
        loose: Iterable[tuple[int, int]] = (),
    ):
        own = tuple(geometries)
        world = World(floor=None) if world is None else world
        for geometry in own:
            if not isinstance(geometry, Geometry):
                raise DynamicsError(f"among the shapes is {geometry!r}; each must be a Geometry")
            if not 0 <= geometry.body < len(model.bodies):
                raise DynamicsError(
                    f'shape "{geometry.name}" is on body {geometry.body}; there are bodies 0 to {len(model.bodies) - 1}'
                )
        self.floor, self.ground = world.floor, world.ground
        self.geometries: tuple[Geometry, ...] = (*own, *world.geometries)
        self._bodies = len(model.bodies)
        fixed = [(i, len(own) + k) for i in range(len(own)) for k in range(len(world.geometries))]
        roots = _roots(model.parents)
        bodies = [geometry.body for geometry in own]
        others = [(i, j) for i, j in combinations(range(len(own)), 2) if roots[bodies[i]] != roots[bodies[j]]]
        inner: list[tuple[int, int]] = []
        if self_contact:
            joined = {frozenset((i, int(parent))) for i, parent in enumerate(model.parents)}
            inner = [
                (i, j)
                for i, j in combinations(range(len(own)), 2)
                if roots[bodies[i]] == roots[bodies[j]]
                and bodies[i] != bodies[j]
                and frozenset((bodies[i], bodies[j])) not in joined
            ]
            inner = self._apart(model, inner, rest)
        apart = {frozenset(pair) for pair in loose}
        free = [(i, j) for i, j in others + inner if frozenset((bodies[i], bodies[j])) not in apart]
        self._pack(fixed + sorted(free))

    def _apart(self, model: Multibody, pairs: list[tuple[int, int]], rest: ArrayLike | None) -> list[tuple[int, int]]:
        """Return those pairs that do not overlap at rest."""
        if not pairs:
            return []
        if rest is None:
            home = None if model.figure is None else model.figure.home
            rest = np.zeros(model.nq) if home is None else model.state_from_pose(home)
        floor, self.floor, ground, self.ground = self.floor, None, self.ground, None
        self._pack(pairs)
        self.floor, self.ground = floor, ground
        X_WB = model.body_poses(finite_array(rest, (model.nq,), "rest"))
        self.capacity = at.MOST_PATCH * len(pairs)  # all of them, however many overlap
        _, numbers = self.find(X_WB, np.zeros(self._bodies))
        touching = {int(number >> at.CODE_BITS) - len(self.geometries) for number in numbers}
        return [pair for k, pair in enumerate(pairs) if k not in touching]

    def find(self, X_WB: ArrayLike, reach: ArrayLike, kernels: Any = None) -> tuple[Array, Ints]:
        """Return where shapes touch, or are near it.

        Args:
            X_WB: Poses of the bodies, shape (nb, 4, 4).
            reach: For each body how near something must come to count, shape (nb,), [m]; a pair counts by its sum.
            kernels: Module that serves; None is whatever serves now.

        Returns:
            Rows of contacts, shape (k, 12), as at ``packing.WIDTH``, and their persistent numbers, shape (k,); new.
        """
        poses = finite_array(X_WB, (self._bodies, 4, 4), "X_WB")
        rows, numbers = np.zeros((self.capacity, at.WIDTH)), np.zeros(self.capacity, dtype=np.int64)
        module = serving(pairs_kernel) if kernels is None else kernels
        count = module.find(
            self.ints, self.floats, np.ascontiguousarray(poses[:, :3, :3]), np.ascontiguousarray(poses[:, :3, 3]),
            finite_array(reach, (self._bodies,), "reach"), rows, numbers,
        )  # fmt: skip
        return rows[:count].copy(), numbers[:count].copy()

    def _pack(self, pairs: Sequence[tuple[int, int]]) -> None:
        shapes = self.geometries
        tops = [geometry.shape.polytope for geometry in shapes]
        counts = [
            len(shapes),
            sum(len(top.points) for top in tops),
            sum(len(top.faces) for top in tops),
            sum(len(top.edges) for top in tops),
            sum(len(loop) for top in tops for loop in top.faces),
            len(pairs),
        ]
        ground = (np.zeros(0, dtype=np.int64), np.zeros(0)) if self.ground is None else packed_ground(self.ground)
        starts = at.starts(*counts, ground=len(ground[0]), ground_floats=len(ground[1]))
        self.pairs: Ints = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        self.ints: Ints = np.zeros(starts[at.INT_LENGTH - at.SHAPE_ROWS], dtype=np.int64)
        self.floats: Array = np.zeros(starts[-1])
        ints, floats = self.ints, self.floats
        ints[at.SHAPE_ROWS : at.HEADER] = starts
        ints[[at.SHAPES, at.POINTS, at.FACES, at.EDGES, at.LOOPS, at.PAIRS]] = counts
        ints[[at.GROUND, at.GROUND_FLOATS]] = len(ground[0]), len(ground[1])
        ints[ints[at.GROUND_INTS] : ints[at.GROUND_INTS] + len(ground[0])] = ground[0]
        floats[ints[at.GROUND_VALUES] : ints[at.GROUND_VALUES] + len(ground[1])] = ground[1]
        ints[at.DYNAMIC] = sum(geometry.body >= 0 for geometry in shapes)

        def part(block: NDArray, start: int, *shape: int) -> NDArray:
            first = int(ints[start])
            return block[first : first + int(np.prod(shape))].reshape(shape)

        rows, values = (
            part(ints, at.SHAPE_ROWS, counts[0], at.SHAPE_INTS),
            part(floats, at.SHAPE_VALUES, counts[0], at.SHAPE_FLOATS),
        )
        faces, edges = part(ints, at.FACE_ROWS, counts[2], at.FACE_INTS), part(ints, at.EDGE_ROWS, counts[3], 4)
        loop = part(ints, at.LOOP, counts[4])
        local, world = part(floats, at.LOCAL, counts[1], 3), part(floats, at.WORLD, counts[1], 3)
        normals, turned = part(floats, at.NORMALS, counts[2], 3), part(floats, at.WORLD_NORMALS, counts[2], 3)
        p = f = e = v = 0
        for k, (geometry, top) in enumerate(zip(shapes, tops, strict=True)):
            R, place = geometry.X_BS[:3, :3], geometry.X_BS[:3, 3]
            rows[k, : at.PLACED] = geometry.body, p, len(top.points), f, len(top.faces), e, len(top.edges)
            rows[k, at.SOLID] = top.is_solid
            center, bound = geometry.bound
            values[k, : at.AT] = *center, bound, geometry.shape.radius, geometry.friction
            local[p : p + len(top.points)] = top.points @ R.T + place
            normals[f : f + len(top.faces)] = top.normals @ R.T
            for number, corners in enumerate(top.faces):
                faces[f + number] = v, len(corners), top.has_area[number]
                loop[v : v + len(corners)] = corners
                v += len(corners)
            edges[e : e + len(top.edges)] = top.edges
            if geometry.body < 0:  # stays where it is: placed once and for all
                values[k, at.AT :] = center
                world[p : p + len(top.points)] = local[p : p + len(top.points)]
                turned[f : f + len(top.faces)] = normals[f : f + len(top.faces)]
                rows[k, [at.PLACED, at.TURNED]] = 1
            p, f, e = p + len(top.points), f + len(top.faces), e + len(top.edges)
        part(ints, at.PAIR_ROWS, counts[5], 2)[:] = self.pairs
        frictions = [geometry.friction for geometry in shapes]
        part(floats, at.PAIR_FRICTION, counts[5])[:] = [friction_between(frictions[i], frictions[j]) for i, j in pairs]
        room = sum(min(len(top.points), at.MOST_FLOOR) for g, top in zip(shapes, tops, strict=True) if g.body >= 0)
        if self.ground is not None:
            room = at.MOST_FLOOR * int(ints[at.DYNAMIC])
        elif self.floor is None:
            room = 0
        self.capacity = max(1, min(room + at.MOST_PATCH * len(pairs), _MOST_ROWS))
        part(floats, at.FLOOR_VALUES, at.FLOOR_FLOATS)[at.FLOOR_FRICTION] = DEFAULT_FRICTION
        if self.floor is not None:
            ints[at.FLOOR] = 1
            part(floats, at.FLOOR_VALUES, at.FLOOR_FLOATS)[:] = (
                *self.floor.normal,
                self.floor.offset,
                self.floor.friction,
            )


def _roots(parents: NDArray[np.integer]) -> list[int]:
    """Return the root that each body hangs on."""
    roots: list[int] = []
    for i, parent in enumerate(parents.tolist()):
        roots.append(i if parent < 0 else roots[parent])
    return roots
