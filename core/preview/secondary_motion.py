"""Secondary motion: strands that follow a figure's motion, whatever moves that; the figure is not moved by them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from collections.abc import Sequence as Seq
from typing import NamedTuple

import numpy as np

from core.animation.sequence import Sequence
from core.arrays import Array
from core.dynamics.deformable.body import Attachment, Deformable
from core.errors import DynamicsError
from core.kinematics import forward_kinematics
from core.preview.settings import PhysicsSettings
from core.preview.strand_obstacles import StrandObstacles
from core.preview.strand_step import StrandStep
from core.preview.strands import Strand

LONGEST_STEP = 1.0 / 120.0
"""Longest step, [s]."""
_SETTLES, _CALM = 2.0, 8.0
"""How long strands hang still before the motion begins, [s], and how much the air brakes them then, [1/s]."""
_AHEAD, _KEPT = 64, 16
"""So many steps have the frames of their parts worked out together, and so many lots of them are kept."""
_BEFORE = 5.0
"""How long a motion that goes round and round has gone on before the round that is shown, at least, [s]."""


class _Nodes(NamedTuple):
    """Nodes of all strands at a moment: places and velocities, shapes (n, 3), [m] and [m/s]."""

    p: Array
    v: Array


class SecondaryMotion:
    """Strands along a motion. What a frame shows does not depend on what was asked before; the same input, same bits.

    The motion begins with the strands at rest; one that goes round and round, as after some rounds, so that it goes on
    without a jerk. Steps are worked out when they are asked for and kept. When the motion changes, make another one.

    Args:
        sequence: Motion of the figure that the strands hang on.
        strands: The strands.
        settings: Gravity and floor; None for the usual ones.
        poses: Gives the poses at frames, shape (m,) to (m, nq), instead of the sequence's, as of a simulation.

    Attributes:
        strands: As given.
        step: Length of a step, [s].

    Raises:
        DynamicsError: If a strand hangs on a joint that the figure does not have; names it.
    """

    def __init__(
        self,
        sequence: Sequence,
        strands: Seq[Strand],
        settings: PhysicsSettings | None = None,
        *,
        poses: Callable[[Array], Array] | None = None,
    ):
        self.strands, self._sequence = tuple(strands), sequence
        self._world = (PhysicsSettings() if settings is None else settings).world
        self._poses = sequence.poses_at_frames if poses is None else poses
        self._per_frame = max(1, math.ceil(1.0 / (sequence.fps * LONGEST_STEP) - 1e-9))
        self.step = 1.0 / (sequence.fps * self._per_frame)
        self._joints = [self._joint(each, name) for each in self.strands for name in (each.part, each.other)]
        bodies = [each.body() for each in self.strands]
        counts = [len(body.points) for body in bodies]
        self._first = np.cumsum([0, *counts])
        of = np.repeat(np.arange(len(bodies)), counts)
        self._part, self._radius = 2 * of, np.array([body.radius for body in bodies])[of]
        drag, shape = (np.array([getattr(each, name) for each in self.strands])[of] for name in ("drag", "shape"))
        if bodies:
            self._nodes = _together(bodies)
            self._step = StrandStep(self._nodes, self.step, self._world.gravity, drag, shape)
            led = [self._nodes.attached[k] for k in sorted(self._nodes.attached)]
            self._held = np.array(sorted(self._nodes.attached), dtype=np.intp)
            self._led_by = np.array([int(body) for body, _ in led], dtype=np.intp)
            self._led_at = np.array([point for _, point in led])
        stopped = np.array([each.collides for each in self.strands], dtype=np.bool_)[of]
        self._obstacles = StrandObstacles(sequence.skeleton, self._radius, bool(stopped.any()))
        self._ignored = np.tile(~stopped[:, None], len(self._obstacles.joints))
        self._joints += self._obstacles.joints.tolist()
        self._rounds = poses is None and sequence.closes
        self._start = float(sequence.range[0]) if self._rounds else 0.0
        self._known: list[_Nodes] = []
        self._parts: dict[int, Array] = {}

    def at(self, frame: float) -> tuple[Array, ...]:
        """Return the places of the nodes of each strand at a frame, world, shapes (n, 3), [m]; new.

        Between steps they are on the straight way from one to the next. Before its begin they are as there.
        """
        if not self.strands:
            return ()
        number = max(frame - self._start, 0.0) * self._per_frame
        whole = math.floor(number + 1e-9)
        share = max(number - whole, 0.0)
        self._reach(whole + (share > 1e-9))
        p = self._known[whole].p
        if share > 1e-9:
            p = p + share * (self._known[whole + 1].p - p)
        return tuple(p[a:b].copy() for a, b in itertools.pairwise(self._first.tolist()))

    # -- steps -----------------------------------------------------------------------------------------------------

    def _reach(self, number: int) -> None:
        """Work out all steps up to one."""
        if not self._known:
            self._known.append(self._begun())
        while len(self._known) <= number:
            k = len(self._known)
            self._known.append(self._next(self._known[-1], self._frames_of(k), self._frames_of(k - 1)))

    def _begun(self) -> _Nodes:
        """Return the nodes where the motion begins."""
        frames = self._frames_of(0)
        held, p = self._led(frames)
        self._ignored |= self._obstacles.inside(p, self._shapes(frames))
        p[self._held] = held
        self._ignored[self._held] = True
        nodes = _Nodes(p, np.zeros_like(p))
        for _ in range(math.ceil(_SETTLES / self.step)):
            nodes = self._next(nodes, frames, frames, _CALM)
        nodes = nodes._replace(v=np.zeros_like(p))
        if not self._rounds:
            return nodes
        first, last = self._sequence.range
        ends = self._poses(np.array([float(first), float(last)]))
        count = (last - first) * self._per_frame
        for _ in range(math.ceil(_BEFORE / (count * self.step))):
            for number in range(1, count + 1):
                nodes = self._next(nodes, self._frames_of(number), self._frames_of(number - 1))
            nodes = nodes._replace(p=nodes.p + ends[0, :3] - ends[1, :3])
        return nodes

    def _next(self, nodes: _Nodes, frames: Array, before: Array, drag: float | None = None) -> _Nodes:
        """Return the nodes after a step, with the frames of joints at its end and its start, shape (joints, 4, 4)."""
        held, rest = self._led(frames)
        p, v = self._step.step(*nodes, held, rest, drag)
        shapes, earlier = self._shapes(frames), self._shapes(before)
        return self._above_floor(_Nodes(*self._obstacles.outside(p, v, shapes, earlier, self.step, self._ignored)))

    def _shapes(self, frames: Array) -> Array:
        """Return the frames of the joints that carry shapes."""
        return frames[2 * len(self.strands) :]

    def _led(self, frames: Array) -> tuple[Array, Array]:
        """Return where fixed nodes are, and all nodes at rest, for frames of the parts; new."""
        X, Y = frames[self._part], frames[self._led_by]
        rest = np.einsum("nij,nj->ni", X[:, :3, :3], self._nodes.points) + X[:, :3, 3]
        return np.einsum("nij,nj->ni", Y[:, :3, :3], self._led_at) + Y[:, :3, 3], rest

    def _above_floor(self, nodes: _Nodes) -> _Nodes:
        """Return nodes none of which is below the floor: what would be stops there and slides on."""
        floor = self._world.floor
        if floor is None:
            return nodes
        over = nodes.p @ floor.normal - floor.height * floor.normal[1] - self._radius
        over[self._held] = 0.0
        low = np.flatnonzero(over < 0.0)
        if not len(low):
            return nodes
        p, v = nodes.p.copy(), nodes.v.copy()
        p[low] -= over[low, None] * floor.normal
        v[low] -= np.minimum(v[low] @ floor.normal, 0.0)[:, None] * floor.normal
        return _Nodes(p, v)

    # -- the figure --------------------------------------------------------------------------------------------------

    def _frames_of(self, number: int) -> Array:
        """Return the frames of both parts of each strand, then of joints that carry shapes, at a step, (k, 4, 4)."""
        lot, place = divmod(number, _AHEAD)
        if lot not in self._parts:
            frames = self._start + (lot * _AHEAD + np.arange(_AHEAD)) / self._per_frame
            X = forward_kinematics(self._sequence.skeleton, self._poses(frames))
            if len(self._parts) >= _KEPT:
                self._parts.clear()
            self._parts[lot] = X[:, self._joints]
        return np.asarray(self._parts[lot][place])

    def _joint(self, strand: Strand, name: str | None) -> int:
        """Return the joint of a name; the strand's own part for None.

        Raises:
            DynamicsError: If there is none.
        """
        names = self._sequence.skeleton.joint_names
        wanted = strand.part if name is None else name
        if wanted not in names:
            raise DynamicsError(
                f'a strand hangs on "{wanted}", which figure "{self._sequence.skeleton.name}" does not have; '
                f"it has {', '.join(names)}"
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


def strands_of(settings: PhysicsSettings, figure: str, first: bool) -> tuple[Strand, ...]:
    """Return the strands of one of the figures of a project.

    Args:
        settings: Of the project.
        figure: Name of the figure.
        first: Whether it is the first one, which strands hang on that name none.
    """
    return tuple(each for each in settings.strands if each.figure == figure or (first and not each.figure))
