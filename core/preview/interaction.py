"""Taking a hand in a simulation: a part is pulled by a spring, or struck."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from core.arrays import Array
from core.errors import DynamicsError
from core.preview.lock_rows import Pull, place_of

if TYPE_CHECKING:
    from core.preview.simulated import Simulated

PULL = 2.0
"""How quick the spring of a pull is: with the figure's mass on it, it would swing so often, [Hz]."""


class Interaction:
    """What pulls and throws parts of the first figure of a simulation."""

    def __init__(self, stage: Simulated):
        self._stage = stage
        self._pulled: tuple[int, Array, Array] | None = None

    def springs(self) -> list[Pull]:
        """Return the spring of what is pulled."""
        if self._pulled is None:
            return []
        mass, quick = self._stage.actors[0].model.mass, 2.0 * np.pi * PULL
        return [Pull(*self._pulled, mass * quick**2, mass * quick)]

    def _body(self, joint: int | str) -> tuple[int, Array]:
        actor = self._stage.actors[0]
        body, X_BJ = place_of(actor, actor.sequence.skeleton.joint_index(joint))
        if body < 0:
            raise DynamicsError(f'joint "{joint}" moves with no body, so nothing can push or pull it; choose another')
        return body, X_BJ

    def pull(self, joint: int | str, point: Array, target: Array) -> None:
        """Pull a point of a joint's frame to a place in the world by a spring."""
        body, X_BJ = self._body(joint)
        self._pulled = body, X_BJ[:3, :3] @ point + X_BJ[:3, 3], target

    def release(self) -> None:
        """Let go."""
        self._pulled = None

    def throw(self, joint: int | str | None, velocity: Array) -> None:
        """Change the velocity of the centre of a part, or of the whole figure with None, at once."""
        stage, actor = self._stage, self._stage.actors[0]
        x, v = stage.stepper.state()
        if joint is None:
            root = actor.span.start + actor.coordinates_of(0)
            if stage.prescribed()[root].any() or actor.place is None:
                raise DynamicsError("keys move the root of the figure, so it cannot be thrown as a whole")
            v[actor.span.start + actor.place + np.arange(3)] += velocity
            stage.stepper.set_state(x, v, stage.stepper.time)
            return
        body, _ = self._body(joint)
        if not stage.moved[0][actor.sequence.skeleton.joint_index(joint)]:
            raise DynamicsError(f'keys move joint "{joint}", so it cannot be thrown; make it dynamic first')
        blow = self._weight(body, x, velocity) * velocity
        arm = stage.stepper.readings.body_poses()[body, :3, :3] @ stage.model.bodies[body].inertia.center
        stage.push(body, np.concatenate([np.cross(arm, blow), blow]))

    def _weight(self, body: int, x: Array, direction: Array) -> float:
        """Return the mass that a blow at the centre of a body along a direction has to move, [kg]."""
        model, length = self._stage.model, float(np.linalg.norm(direction))
        if length == 0.0:
            return 0.0
        along = model.body_poses(x)[body, :3, :3].T @ (direction / length)
        wrenches = np.zeros((len(model.bodies), 6))
        wrenches[body] = np.concatenate([np.cross(model.bodies[body].inertia.center, along), along])
        row = model.jacobian_transpose_product(x, wrenches)
        gives = float(row @ model.inverse_mass_product(x, row, self._stage.immobile()))
        return 1.0 / gives if gives > 1e-12 else 0.0
