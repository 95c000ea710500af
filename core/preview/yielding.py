"""Which parts may slide and sink in while they are led back to their keys.

Keys know no contact: soles stand a little in the floor, and the way back to a key may lead a foot over the ground that
friction would hold. So a part that is led slides without friction, and may be as deep in the floor as its key is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.dynamics.contact.shapes import Geometry
from core.dynamics.contact.world import Floor

if TYPE_CHECKING:
    from core.preview.stage import Stage

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


class Yielding:
    """What tells a stepper which bodies slide and sink in.

    Args:
        stage: The simulation.
        geometries: What the bodies of its figures carry.
    """

    def __init__(self, stage: Stage, geometries: list[Geometry]):
        self._stage, self._geometries = stage, geometries
        self._led: tuple[bytes, ...] | None = None

    def stop(self) -> None:
        """Let nothing slide any longer."""
        if self._led is not None:
            self._led = None
            count = len(self._stage.model.bodies)
            self._stage.stepper.set_yield(np.ones(count), np.zeros(count))

    def tell(self, step: int, led: list[Mask]) -> None:
        """Tell the stepper before a step.

        Args:
            step: Number of the step.
            led: For each figure which of its joints are led back to their keys, shape (n_joints,).
        """
        key = tuple(each.tobytes() for each in led)
        if key == self._led or (self._led is None and not any(each.any() for each in led)):
            return
        self._led = key
        stage, count = self._stage, len(self._stage.model.bodies)
        grip, give = np.ones(count), np.zeros(count)
        for actor, keyed, own in zip(stage.actors, stage.keyed, led, strict=True):
            if not own.any():
                continue
            frame = keyed.frame(step)
            end = min(s.end for s in actor.strips if s.end is not None and s.start <= frame < s.end)
            x = actor.states(actor.sequence.poses_at_frames([end]))[0]
            poses = np.tile(np.eye(4), (count, 1, 1))
            poses[actor.bodies] = actor.model.body_poses(x)
            deep = depths(self._geometries, poses, stage.settings.floor)
            bodies = actor.bodies.start + np.unique(actor.figure.joint_body[own & (actor.figure.joint_body >= 0)])
            grip[bodies], give[bodies] = 0.0, deep[bodies]
        stage.stepper.set_yield(grip, give)


def depths(geometries: list[Geometry], poses: Array, floor: Floor | None) -> Array:
    """Return how deep each body is in the floor, 0 if it is not, shape (nb,), [m].

    Args:
        geometries: What the bodies carry.
        poses: Poses of the bodies, shape (nb, 4, 4).
        floor: The floor.
    """
    found = np.zeros(len(poses))
    if floor is None:
        return found
    for geometry in geometries:
        if geometry.body < 0:
            continue
        X = poses[geometry.body] @ geometry.X_BS
        points = geometry.shape.polytope.points @ X[:3, :3].T + X[:3, 3]
        lowest = float((points @ floor.normal).min()) - geometry.shape.radius - floor.offset
        found[geometry.body] = max(found[geometry.body], -lowest)
    return found
