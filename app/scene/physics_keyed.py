"""What physics mode shows of the keyed motion while nothing is simulated: momentum, and what the figure stands on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.constraints.soles import band
from core.constraints.support import contact_points, lowest_parts, polygon_of
from core.errors import CoreError

if TYPE_CHECKING:
    from app.scene.scene import Scene

Array = NDArray[np.float64]

_KEPT = 512


@dataclass(frozen=True, eq=False)
class Moment:
    """The keyed motion at a frame; fields as those of a sample of a simulation.

    Attributes:
        momentum: ``[L; P]`` about the centre of mass, shape (6,), [N m s] and [N s].
        center_of_mass: Shape (3,), [m].
        torques: Of each degree of freedom, shape (n_dofs,), [N m] and [N]; None if they were not asked for.
        contacts: None: nobody knows where the keyed motion pushes.
    """

    momentum: Array
    center_of_mass: Array
    torques: Array | None
    contacts: None = None


class KeyedMotion:
    """Momentum and torques of the keyed motion at the current frame, as far as they are worked out."""

    def __init__(self, scene: Scene):
        self._scene = scene
        self._kept: dict[tuple[int, bool], Moment | None] = {}
        self._motion: object = None
        self._support: tuple[Array, Array] | None = None

    def forget(self) -> None:
        """Drop everything: the motion is another one."""
        self._kept.clear()

    def _wanted(self) -> tuple[int, bool] | None:
        document = self._scene.document
        physics, sequence = document.physics, document.sequence
        if physics.mode != "physics" or physics.current is not None or sequence is None or document.pending:
            return None
        if not sequence.keys or self._scene.skeleton is None:
            return None
        torques = physics.overlays["torques"].on
        return (document.frame, torques) if torques or physics.overlays["momentum"].on else None

    @property
    def moment(self) -> Moment | None:
        """The current frame's, None if it is not known yet or there is no motion."""
        wanted = self._wanted()
        sequence = self._scene.document.sequence
        if wanted is None or sequence is None:
            return None
        if wanted not in self._kept and not sequence.locks.in_effect:
            self.work()
        return self._kept.get(wanted)

    @property
    def left(self) -> bool:
        """Whether the current frame is yet to be worked out."""
        wanted = self._wanted()
        return wanted is not None and wanted not in self._kept

    def work(self) -> None:
        """Work the current frame out; with locks that takes some milliseconds."""
        wanted, sequence, skeleton = self._wanted(), self._scene.document.sequence, self._scene.skeleton
        if wanted is None or sequence is None or skeleton is None:
            return
        if len(self._kept) >= _KEPT:
            self._kept.clear()
        from core.preview.keyed_motion import keyed_dynamics  # only who looks at physics needs it

        frame, torques = wanted
        try:
            world = self._scene.document.physics.settings.simulated.world
            found = keyed_dynamics(sequence, [frame], world=world, torques=torques)
        except CoreError:  # a figure that weighs nothing, or is scaled: it can be posed, but it has no momentum
            self._kept[wanted] = None
            return
        self._kept[wanted] = Moment(
            found.momentum[0], found.center_of_mass[0], found.torques[0] if torques else None
        )  # fmt: skip

    def support(self, poses: Array) -> Array:
        """Return the corners on the ground of what the figure stands on, shape (m, 3), [m]; none if it does not."""
        skeleton = self._scene.skeleton
        if skeleton is None or not any(joint.has_body for joint in skeleton.joints):
            return np.zeros((0, 3))
        if self._support is None or self._support[0] is not poses:
            parts = [
                part
                for part in lowest_parts(skeleton, poses)
                if contact_points(skeleton, poses, part)[:, 1].min() <= 2.0 * band(skeleton)
            ]
            corners = polygon_of(skeleton, poses, parts)
            ground = np.column_stack([corners[:, 0], np.zeros(len(corners)), corners[:, 1]])
            self._support = poses, ground
        return self._support[1]
