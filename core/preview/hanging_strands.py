"""The nodes of all strands of a figure in motion, a step at a time, however the figure is moved."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence as Seq
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.dynamics.contact.world import World
from core.dynamics.deformable.body import Attachment, Deformable
from core.errors import DynamicsError
from core.preview.strand_obstacles import StrandObstacles
from core.preview.strand_step import StrandStep
from core.preview.strands import Strand
from core.skeleton import Skeleton

LONGEST_STEP = 1.0 / 120.0
"""Longest step, [s]."""
_SETTLES, _CALM = 2.0, 8.0
"""How long strands hang still before the motion begins, [s], and how much the air brakes them then, [1/s]."""


class Nodes(NamedTuple):
    """Nodes of all strands at a moment: places and velocities, shapes (n, 3), [m] and [m/s]."""

    p: Array
    v: Array


class HangingStrands:
    """Steps of the strands of one figure.

    Args:
        skeleton: The figure.
        strands: The strands, at least one.
        world: Gravity and floor.
        step: Length of a step, [s].

    Attributes:
        strands: As given.
        step: As given.
        joints: Joints whose frames the steps take: part and other part of each strand, then those that carry shapes.

    Raises:
        DynamicsError: If a strand hangs on a joint that the figure does not have; names it.
    """

    def __init__(self, skeleton: Skeleton, strands: Seq[Strand], world: World, step: float):
        self.strands, self.step, self._world = tuple(strands), step, world
        joints = [joint_of(skeleton, each, name) for each in self.strands for name in (each.part, each.other)]
        bodies = [each.body() for each in self.strands]
        counts = [len(body.points) for body in bodies]
        self._first = np.cumsum([0, *counts]).tolist()
        of = np.repeat(np.arange(len(bodies)), counts)
        self._part, self._radius = 2 * of, np.array([body.radius for body in bodies])[of]
        drag, shape = (np.array([getattr(each, name) for each in self.strands])[of] for name in ("drag", "shape"))
        self._nodes = _together(bodies)
        self._stepper = StrandStep(self._nodes, step, world.gravity, drag, shape)
        led = [self._nodes.attached[k] for k in sorted(self._nodes.attached)]
        self._held = np.array(sorted(self._nodes.attached), dtype=np.intp)
        self._led_by = np.array([int(body) for body, _ in led], dtype=np.intp)
        self._led_at = np.array([point for _, point in led])
        stopped = np.array([each.collides for each in self.strands], dtype=np.bool_)[of]
        self._obstacles = StrandObstacles(skeleton, self._radius, bool(stopped.any()))
        self._unstopped = np.tile(~stopped[:, None], len(self._obstacles.joints))
        self._ignored = self._unstopped
        self.joints: list[int] = joints + self._obstacles.joints.tolist()

    def each(self, p: Array) -> tuple[Array, ...]:
        """Return the rows of each strand, of an array with a row for each node; new."""
        return tuple(p[a:b].copy() for a, b in itertools.pairwise(self._first))

    def begun(self, frames: Array) -> Nodes:
        """Return the nodes at rest.

        A strand may begin below the skin: what a fixed end is inside of, and the part that it is fixed to, do not stop
        the nodes after it, up to the first that is outside of that.

        Args:
            frames: World frames of ``joints``, shape (k, 4, 4).
        """
        held, p = self._led(frames)
        inside = self._obstacles.inside(p, self._shapes(frames))
        p[self._held] = held
        self._ignored = self._unstopped | self._covered(inside, self._obstacles.inside(p, self._shapes(frames)))
        self._ignored[self._held] = True
        nodes = Nodes(p, np.zeros_like(p))
        for _ in range(math.ceil(_SETTLES / self.step)):
            nodes = self.next(nodes, frames, frames, _CALM)
        return nodes._replace(v=np.zeros_like(p))

    def _covered(self, inside: NDArray[np.bool_], there: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which nodes which shapes are not to stop, shape (n, s).

        Args:
            inside: Which nodes are inside of which shapes on the way at rest, shape (n, s).
            there: The same with fixed ends where they are fixed.
        """
        found = np.zeros_like(inside)
        for k, (each, (a, b)) in enumerate(zip(self.strands, itertools.pairwise(self._first), strict=True)):
            ends = [(np.arange(a, b), self.joints[2 * k])]
            if each.other is not None:
                ends.append((np.arange(a, b)[::-1], self.joints[2 * k + 1]))
            for rows, joint in ends:
                own = inside[rows]
                own[0] = there[rows[0]] | (self._obstacles.joints == joint)
                found[rows] |= np.logical_and.accumulate(own)
        return found

    def next(self, nodes: Nodes, frames: Array, before: Array, drag: float | None = None) -> Nodes:
        """Return the nodes after a step.

        Args:
            nodes: Before it.
            frames: World frames of ``joints`` at its end, shape (k, 4, 4).
            before: The same at its start.
            drag: How much the air brakes instead of as the strands say, [1/s].
        """
        held, rest = self._led(frames)
        p, v = self._stepper.step(*nodes, held, rest, drag)
        shapes, earlier = self._shapes(frames), self._shapes(before)
        return self._above_floor(Nodes(*self._obstacles.outside(p, v, shapes, earlier, self.step, self._ignored)))

    def _shapes(self, frames: Array) -> Array:
        """Return the frames of the joints that carry shapes."""
        return frames[2 * len(self.strands) :]

    def _led(self, frames: Array) -> tuple[Array, Array]:
        """Return where fixed nodes are, and all nodes at rest, for frames of the parts; new."""
        X, Y = frames[self._part], frames[self._led_by]
        rest = np.einsum("nij,nj->ni", X[:, :3, :3], self._nodes.points) + X[:, :3, 3]
        return np.einsum("nij,nj->ni", Y[:, :3, :3], self._led_at) + Y[:, :3, 3], rest

    def _above_floor(self, nodes: Nodes) -> Nodes:
        """Return nodes none of which is below the floor: what would be stops there and slides on."""
        over = self._world.above(nodes.p) - self._radius
        over[self._held] = 0.0
        low = np.flatnonzero(over < 0.0)
        if not len(low):
            return nodes
        p, v, normals = nodes.p.copy(), nodes.v.copy(), self._world.normals(nodes.p[low])
        p[low] -= over[low, None] * normals
        v[low] -= np.minimum(np.einsum("ni,ni->n", v[low], normals), 0.0)[:, None] * normals
        return Nodes(p, v)


def joint_of(skeleton: Skeleton, strand: Strand, name: str | None) -> int:
    """Return the joint of a name; the strand's own part for None.

    Raises:
        DynamicsError: If there is none.
    """
    names = skeleton.joint_names
    wanted = strand.part if name is None else name
    if wanted not in names:
        raise DynamicsError(
            f'a strand hangs on "{wanted}", which figure "{skeleton.name}" does not have; it has {", ".join(names)}'
        )
    return names.index(wanted)


def _together(bodies: Seq[Deformable]) -> Deformable:
    """Return the nodes of several strands in a row, the ends of the k-th attached as to bodies 2 k and 2 k + 1."""
    first = np.cumsum([0, *(len(body.points) for body in bodies)]).tolist()
    attached = {
        first[k] + node: Attachment(2 * k + int(part), point)
        for k, body in enumerate(bodies)
        for node, (part, point) in body.attached.items()
    }
    return Deformable(
        "strands",
        np.concatenate([body.points for body in bodies]),
        np.concatenate([body.masses for body in bodies]),
        np.concatenate([body.pairs + start for body, start in zip(bodies, first[:-1], strict=True)]),
        np.concatenate([body.stiffness for body in bodies]),
        np.concatenate([np.asarray(body.lengths) for body in bodies]),
        np.concatenate([np.asarray(body.damping) for body in bodies]),
        attached,
    )
