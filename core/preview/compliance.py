"""What yields to joints that return to their keys: friction, limits, and in the end contacts.

Keys know no contact: soles stand a little in the floor, and what has fallen may be caught where no way along the ground
leads back, as toes that are folded under. So a part that is led slides without friction, may be as deep in the floor as
its key is, and towards the end goes through whatever is in its way; its joints go through what limits forbid.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.dynamics.contact.shapes import Geometry
from core.dynamics.contact.world import World

if TYPE_CHECKING:
    from core.dynamics.engine import Stepper
    from core.preview.simulated import Simulated

FIRM, MELTED, DEEPEST = 0.4, 0.8, 0.5
"""Share of the way back up to which contacts hold, from which on none does, and how deep parts may be then, [m]."""

Mask = NDArray[np.bool_]


class Compliance:
    """What sets which bodies slide and sink in.

    Args:
        stage: The simulation.
        stepper: What takes its steps.
        geometries: What the bodies of its figures carry.
    """

    def __init__(self, stage: Simulated, stepper: Stepper, geometries: list[Geometry]):
        self._stage, self._stepper, self._geometries = stage, stepper, geometries
        self._yields = False
        self._deep: dict[tuple[int, float], Array] = {}

    def stop(self) -> None:
        """Let nothing yield any longer."""
        if self._yields:
            count = len(self._stage.model.bodies)
            self._stepper.inputs.set_yield(
                np.ones(count), np.zeros(count), np.ones(self._stage.model.nv, dtype=np.bool_)
            )
        self._yields, self._deep = False, {}

    def send(self, step: int, returning: list[Mask], coordinates: list[Mask]) -> None:
        """Prepare the stepper before a step.

        Args:
            step: Number of the step.
            returning: For each figure which of its joints are returning to their keys, shape (n_joints,).
            coordinates: For each figure which of its own coordinates are, shape (nq,).
        """
        if not any(each.any() for each in returning):
            self.stop()
            return
        stage, count = self._stage, len(self._stage.model.bodies)
        grip, give, limited = np.ones(count), np.zeros(count), np.ones(stage.model.nv, dtype=np.bool_)
        for number, actor in enumerate(stage.actors):
            if not returning[number].any():
                continue
            frame = stage.keyed[number].frame(step)
            strips = [s for s in actor.strips if s.end is not None and s.end - s.eases[1] <= frame < s.end]
            end = min(s.end for s in strips if s.end is not None)
            if (number, end) not in self._deep:
                self._deep[number, end] = self._depths(number, end)
            bodies = np.unique(actor.figure.joint_body[returning[number] & (actor.figure.joint_body >= 0)])
            bodies = bodies + actor.bodies.start
            left = max((end - frame) / s.eases[1] for s in strips if s.end == end)
            u = min(max((1.0 - left - FIRM) / (MELTED - FIRM), 0.0), 1.0)
            grip[bodies] = 0.0
            give[bodies] = self._deep[number, end][bodies] + DEEPEST * u * u * (3.0 - 2.0 * u)
            limited[actor.span] = ~coordinates[number]
        self._stepper.inputs.set_yield(grip, give, limited)
        self._yields = True

    def _depths(self, number: int, frame: float) -> Array:
        """Return how deep the bodies of a figure are in the floor as keyed at a frame, shape (nb,)."""
        stage, actor = self._stage, self._stage.actors[number]
        poses = np.tile(np.eye(4), (len(stage.model.bodies), 1, 1))
        poses[actor.bodies] = actor.model.body_poses(actor.states(actor.sequence.poses_at_frames([frame]))[0])
        return depths(self._geometries, poses, stage.settings.world)


def depths(geometries: list[Geometry], poses: Array, world: World) -> Array:
    """Return how deep each body is in the floor or the ground, 0 if it is not, shape (nb,), [m].

    Args:
        geometries: What the bodies carry.
        poses: Poses of the bodies, shape (nb, 4, 4).
        world: What there is; obstacles do not count.
    """
    found = np.zeros(len(poses))
    for geometry in geometries:
        if geometry.body < 0:
            continue
        X = poses[geometry.body] @ geometry.X_BS
        points = geometry.shape.polytope.points @ X[:3, :3].T + X[:3, 3]
        lowest = float(world.above(points).min()) - geometry.shape.radius
        found[geometry.body] = max(found[geometry.body], -lowest)
    return found
