"""A figure in a simulation: what of its pose are which coordinates, and how its keys move these."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.animation.hybrid_strips import HybridStrip
from core.animation.sequence import Sequence
from core.arrays import Array, Ints
from core.dynamics.multibody import Multibody
from core.preview.keyed_motion import ball_columns
from core.preview.moves import Moves
from core.spatial import so3

_NEAR = 0.01  # frames between the poses that a velocity of the keyed motion is made of


class Actor:
    """A figure that takes part in a simulation.

    Args:
        sequence: Its keyed motion.
        strips: Its hybrid strips.
        frame: Frame at which the simulation begins: where the model holds what moves no mass.
        gravity: Acceleration of free fall, shape (3,), [m/s^2].
        body: Number of its first body in the whole model.
        first: Where its coordinates begin in the whole model.
        name: By which parts of it are known among those of other figures; its figure's unless given.

    Attributes:
        sequence: Its keyed motion.
        strips: Its hybrid strips.
        model: Model of this figure alone.
        bodies: Its bodies in the whole model.
        span: Its coordinates in the whole model.
        balls: Where its rotation vectors stand in its own coordinates, shape (number, 3).
        plain: Which of its own coordinates are none of these, shape (k,).
        dof_joints: Index of the joint of each degree of freedom, shape (n_dofs,).
        free_dofs: Which degrees of freedom the model can move, shape (n_dofs,).
        above: For each joint the coordinates that move it: its own and those of all joints it hangs on.

    Raises:
        DynamicsError: If the figure has no model: no mass, or a joint with a scale.
    """

    def __init__(
        self,
        sequence: Sequence,
        strips: tuple[HybridStrip, ...],
        frame: float,
        gravity: Array,
        body: int = 0,
        first: int = 0,
        name: str = "",
    ):
        s = sequence.skeleton
        self.sequence, self.strips = sequence, strips
        self.name = name or s.name
        self.model: Multibody = Multibody.from_skeleton(s, gravity=gravity, pose=sequence.pose_at_frame(frame))
        assert self.model.figure is not None
        self.figure = self.model.figure
        self.bodies = slice(body, body + len(self.model.bodies))
        self.span = slice(first, first + self.model.nq)
        self.balls: Ints = np.array(ball_columns(self.model), dtype=np.intp)[:, None] + np.arange(3)
        self.plain: Ints = np.setdiff1d(np.arange(self.model.nq), self.balls)
        self._coordinates = self._of_joints()
        held = np.zeros(s.n_dofs, dtype=np.bool_)
        held[list(self.figure.held)] = True
        self.dof_joints: Ints = np.asarray(s.dof_joints, dtype=np.intp)
        self.free_dofs: NDArray[np.bool_] = ~held
        self.above = self._carriers()
        self._moves: dict[tuple[int, ...], Moves] = {}
        self.names = {joint.name: i for i, joint in enumerate(s.joints)}

    @property
    def place(self) -> int | None:
        """Where the place of the root begins in its coordinates; None if it has none."""
        return self.figure.place

    def _of_joints(self) -> tuple[Ints, ...]:
        """Return the coordinates that each joint is part of; those of the root's place are of the first joint."""
        s, model = self.sequence.skeleton, self.model
        found: list[set[int]] = [set() for _ in s.joints]
        for item in model.joint_physics:
            found[item.joint] |= set(item.coordinates)
        own = set(range(int(model.first[0]), int(model.first[1])))
        found[0] |= own - set().union(*found)
        return tuple(np.array(sorted(each), dtype=np.intp) for each in found)

    def coordinates_of(self, joint: int) -> Ints:
        """Return which of its own coordinates belong to a joint."""
        return self._coordinates[joint]

    def _carriers(self) -> tuple[Ints, ...]:
        found: list[Ints] = []
        for i, joint in enumerate(self.sequence.skeleton.joints):
            above = found[joint.parent] if joint.parent >= 0 else np.zeros(0, dtype=np.intp)
            found.append(np.union1d(above, self.coordinates_of(i)))
        return tuple(found)

    def moves_at(self, frame: float) -> Moves:
        """Return what moves its joints and its coordinates from a frame on; the same object while that is the same."""
        active = tuple(
            number
            for number, strip in enumerate(self.strips)
            if strip.start <= frame and (strip.end is None or frame < strip.end)
        )
        if active not in self._moves:
            self._moves[active] = Moves(self, active)
        return self._moves[active]

    # -- the keyed motion ------------------------------------------------------------------------------------------

    def states(self, poses: Array) -> Array:
        """Return the coordinates of poses, shape (m, nq)."""
        return self.figure.states(poses, self.model.nq)

    def rates(self, x: Array, around: Array, weights: Array) -> Array:
        """Return rates at ``x`` from states nearby, through balls as turnings; of one state or of several at once.

        Args:
            x: Coordinates, shape (..., nq).
            around: Coordinates nearby, shape (..., k, nq).
            weights: What each of them, less ``x``, adds to the rate, shape (k,), [1/s].
        """
        v = np.asarray(weights @ (around - x[..., None, :]))
        if len(self.balls):
            here = x[..., self.balls]
            turns = so3.log(np.swapaxes(so3.exp(here), -1, -2)[..., None, :, :, :] @ so3.exp(around[..., self.balls]))
            w = np.einsum("k,...kbi->...bi", weights, turns)  # in the ball's own axes
            v[..., self.balls] = np.einsum("...bij,...bj->...bi", so3.inverse_right_jacobian(here), w)
        return v

    def entry(self, frame: float) -> tuple[Array, Array]:
        """Return state and rates of the keyed motion at a frame, as it comes there; at its first key as it leaves.

        Returns:
            ``x`` and ``v``, shape (nq,) each.
        """
        keys = self.sequence.keys
        back = not keys or frame > keys[0].frame
        side = -_NEAR if back else _NEAR
        frames = np.maximum(frame + side * np.arange(4), 0.0)
        x = self.states(self.sequence.poses_at_frames(frames))
        step = side / self.sequence.fps
        return x[0], self.rates(x[0], x, np.array([-11.0, 18.0, -9.0, 2.0]) / (6.0 * step))


def merged(actors: list[Actor], bodies: list, gravity: Array) -> Multibody:
    """Return one model of figures and rigid bodies.

    Args:
        actors: The figures; the first one's bodies keep their names.
        bodies: Further bodies, none of which hangs on another.
        gravity: Acceleration of free fall, shape (3,), [m/s^2].
    """
    from dataclasses import replace

    if len(actors) == 1 and not bodies:
        return actors[0].model
    found: list = []
    for actor in actors:
        offset, name = len(found), actor.sequence.skeleton.name
        for body in actor.model.bodies:
            parent = int(body.parent) if int(body.parent) < 0 else int(body.parent) + offset
            own = body.name if offset == 0 else f"{name} {offset}: {body.name}"
            found.append(replace(body, name=own, parent=parent))
    model = Multibody([*found, *bodies], gravity)
    first = actors[0].model
    model.figure, model.joint_physics = (
        first.figure,
        tuple(
            item._replace(
                body=item.body + actor.bodies.start, coordinates=tuple(c + actor.span.start for c in item.coordinates)
            )
            for actor in actors
            for item in actor.model.joint_physics
        ),
    )
    limits = np.tile([-np.inf, np.inf], (model.nq, 1))
    for actor in actors:
        limits[actor.span] = actor.model.limits
    limits.setflags(write=False)
    model.limits = limits
    return model
