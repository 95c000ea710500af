"""Strands of the figures of a simulation: they follow what it makes of them, from sample to sample."""

from __future__ import annotations

import math
from collections.abc import Sequence as Seq

import numpy as np

from core.arrays import Array
from core.kinematics import forward_kinematics
from core.preview.hanging_strands import LONGEST_STEP, HangingStrands, Nodes
from core.preview.secondary_motion import strands_of
from core.preview.settings import PhysicsSettings
from core.skeleton import Skeleton

_NOWHERE = np.zeros((0, 3))


class SimulatedStrands:
    """The strands of all figures of a simulation.

    Args:
        settings: Have the strands; those that name no figure are the first's.
        figures: The figures of the simulation, in order.
        tick: Time between two samples, [s].
        names: By which the settings know the figures.

    Raises:
        DynamicsError: If a strand hangs on a joint that its figure does not have; names it.
    """

    def __init__(self, settings: PhysicsSettings, figures: Seq[Skeleton], tick: float, names: Seq[str]):
        self._count = max(1, math.ceil(tick / LONGEST_STEP - 1e-9))
        step = tick / self._count
        self._of: list[tuple[int, Skeleton, tuple[int, ...], HangingStrands]] = []
        for k, (figure, name) in enumerate(zip(figures, names, strict=True)):
            own = strands_of(settings, name, k == 0)
            if own:
                numbers = tuple(next(i for i, one in enumerate(settings.strands) if one is each) for each in own)
                self._of.append((k, figure, numbers, HangingStrands(figure, own, settings.world, step)))
        self._size = len(settings.strands)
        self._known: list[list[Nodes]] = []

    def add(self, poses: Seq[Array], before: Seq[Array] | None) -> tuple[Array, ...]:
        """Return the places of the nodes at the next sample, see ``Sample.strands``.

        Args:
            poses: Of the figures at the sample.
            before: The same at the sample before, to which the strands hung on; None at the start, where they rest.
        """
        if not self._size:
            return ()
        if before is None:
            self._known.clear()
        now, found = [], [_NOWHERE] * self._size
        for which, (k, figure, numbers, hanging) in enumerate(self._of):
            if before is None:
                nodes = hanging.begun(forward_kinematics(figure, poses[k])[hanging.joints])
            else:
                # A sample's angles are near those of the one before: between both they go straight.
                along = np.linspace(0.0, 1.0, self._count + 1)[:, None]
                X = forward_kinematics(figure, before[k] + along * (poses[k] - before[k]))[:, hanging.joints]
                nodes = self._known[-1][which]
                for k_step in range(self._count):
                    nodes = hanging.next(nodes, X[k_step + 1], X[k_step])
            now.append(nodes)
            for number, places in zip(numbers, hanging.each(nodes.p), strict=True):
                places.setflags(write=False)
                found[number] = places
        self._known.append(now)
        return tuple(found)

    def keep(self, count: int) -> None:
        """Forget what followed the first samples: so many are kept."""
        del self._known[count:]
