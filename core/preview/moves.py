"""What moves the joints of a figure while certain strips are on: keys, forces, or motors."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from core.animation.hybrid_strips import UNDRIVEN
from core.preview.sample import FREE, KEYED, MOTORED

if TYPE_CHECKING:
    from core.animation.hybrid_strips import HybridStrip
    from core.animation.sequence import Sequence
    from core.dynamics.multibody import Multibody

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


class Movable(Protocol):
    """A figure of a simulation, as far as it matters what moves it: see :class:`core.preview.actor.Actor`."""

    sequence: Sequence
    strips: tuple[HybridStrip, ...]
    model: Multibody
    names: dict[str, int]
    dof_joints: Ints
    free_dofs: Mask
    above: tuple[Ints, ...]

    def coordinates_of(self, joint: int) -> Ints:
        """Return which of its own coordinates belong to a joint."""
        ...


class Moves:
    """What moves the joints of a figure while certain strips are on. Nothing of it changes.

    Joints that are one rotation of the model are moved together: all of them, if forces move one.

    Args:
        actor: The figure.
        active: Numbers of the strips that are on.

    Attributes:
        dynamic: ``KEYED``, ``FREE`` or ``MOTORED`` of each joint, shape (n_joints,).
        by: For each coordinate the number of the strip that moves it, -1 for keys, shape (nq,).
        keyed: Whether keys move some coordinate.
        groups: The strips that move coordinates, by number, and which each moves.
    """

    def __init__(self, actor: Movable, active: tuple[int, ...]):
        self._actor = actor
        self.dynamic, self.by = _moved_by(actor, active)
        self.keyed = bool((self.by < 0).any())
        numbers = np.unique(self.by[self.by >= 0]).tolist()
        self.groups = tuple((number, np.flatnonzero(self.by == number)) for number in numbers)
        self._returning: dict[tuple[int, ...], tuple[Mask, Mask]] = {}

    @cached_property
    def values(self) -> Mask:
        """Which values of the pose forces move, shape (nq of the figure,)."""
        dofs = (self.dynamic[self._actor.dof_joints] != KEYED) & self._actor.free_dofs
        return _fixed(np.concatenate([np.full(3, self.dynamic[0] != KEYED), dofs]))

    @cached_property
    def whole(self) -> bool:
        """Whether forces move all values of the pose."""
        return bool(self.values.all())

    @cached_property
    def carried(self) -> Mask:
        """Which joints forces carry along: those that they move, and what hangs on these, shape (n_joints,)."""
        return _fixed(np.array([bool((self.by[own] >= 0).any()) for own in self._actor.above]))

    def returning(self, frame: float) -> tuple[Mask, Mask]:
        """Return which joints, shape (n_joints,), and which coordinates, shape (nq,), go back to their keys.

        Args:
            frame: Frame of the figure's sequence.
        """
        leading = tuple(
            number
            for number, strip in enumerate(self._actor.strips)
            if strip.end is not None and strip.end - strip.eases[1] <= frame < strip.end
        )
        if leading not in self._returning:
            coordinates = np.isin(self.by, leading)
            joints = np.array([bool(coordinates[own].any()) for own in self._actor.above])
            self._returning[leading] = _fixed(joints), _fixed(coordinates)
        return self._returning[leading]


def _moved_by(actor: Movable, active: tuple[int, ...]) -> tuple[NDArray[np.int8], Ints]:
    by = np.full(actor.model.nq, -1, dtype=np.int64)
    dynamic = np.zeros(len(actor.sequence.skeleton.joints), dtype=np.int8)
    for number in active:
        strip = actor.strips[number]
        mode = FREE if strip.mode in UNDRIVEN else MOTORED
        if strip.whole:
            by[:], dynamic[:] = number, mode
            continue
        for name in strip.parts:
            joint = actor.names[name]
            dynamic[joint] = mode
            own = actor.coordinates_of(joint)
            by[own[by[own] < 0]] = number
    changed = True
    while changed:
        changed = False
        for joint in range(len(dynamic)):
            own = actor.coordinates_of(joint)
            moving = own[by[own] >= 0]
            if len(moving) and (dynamic[joint] == KEYED or len(moving) < len(own)):
                number = int(by[moving[0]])
                by[own[by[own] < 0]] = number
                if dynamic[joint] == KEYED:
                    dynamic[joint] = FREE if actor.strips[number].mode in UNDRIVEN else MOTORED
                changed = True
    return _fixed(dynamic), _fixed(by)


def _fixed(array: NDArray[Any]) -> NDArray[Any]:
    array.setflags(write=False)
    return array
