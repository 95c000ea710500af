"""What is inside something else where a simulation begins, and when the motion that follows makes no sense any more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.errors import RunawayError

if TYPE_CHECKING:
    from core.preview.simulated import Simulated

LEAST = 0.005
"""What is less deep inside something else at the start counts as touching it, [m]."""
AFTER, FASTEST = 0.5, 20.0
"""So long after something overlaps, [s], nothing may be faster than it was, and falls, by more than this, [m/s]."""
SENSELESS = 2000.0
"""Rates of coordinates, [m/s] or [rad/s], beyond which a motion runs away if no free fall explains them."""
SUDDEN = 30.0
"""Speed at the start, [m/s], that no figure reaches by itself, so that its keys leap there."""
_FALLS = 1.05  # what falls so fast gains less than a part of it from one sample to the next


class Overlap(NamedTuple):
    """Two bodies of which one is inside the other.

    Attributes:
        first: Name of one; of a figure that of the part.
        second: Name of the other.
        depth: How deep, [m].
    """

    first: str
    second: str
    depth: float

    def __str__(self) -> str:
        return f"{self.first} is {100.0 * self.depth:.0f} cm inside {self.second}"


def overlap_message(overlaps: Sequence[Overlap]) -> str:
    """Return overlaps in a few words, the deepest by name."""
    text = " and ".join(str(each) for each in overlaps[:2])
    more = len(overlaps) - 2
    return text + (f", and {more} more overlap{'s' if more == 1 else ''}" if more > 0 else "")


class Watch:
    """Looks after a simulation: what overlaps at its start, and whether it runs away.

    Args:
        stage: The simulation, where it begins or where something was added to it.
    """

    def __init__(self, stage: Simulated):
        self._stage = stage
        stepper = stage.stepper
        deep = np.zeros((0, 12))
        if stepper.contacts is not None:
            poses = stepper.readings.body_poses()
            rows, _ = stepper.contacts.find(poses, np.zeros(len(poses)))
            deep = rows[rows[:, 6] < -LEAST]
        self._rows = deep[np.argsort(deep[:, 6], kind="stable")]
        self._fastest = self._rates()
        speeds = self._speeds()
        self._speed = float(speeds.max(initial=0.0))
        parts = speeds[: stage.actors[-1].bodies.stop]  # of figures: balls may be as fast as they like
        self._sudden = int(parts.argmax()) if parts.max(initial=0.0) > SUDDEN else None
        self._leap = float(parts.max(initial=0.0))

    def overlaps(self) -> tuple[Overlap, ...]:
        """Return what forces move that was inside something else, deepest first, each pair once."""
        contacts, free = self._stage.stepper.contacts, self._free()
        shapes = () if contacts is None else contacts.geometries
        below = "the floor" if self._stage.stepper.world.ground is None else "the ground"
        found: dict[tuple[int, int], Overlap] = {}
        for row in self._rows:
            bodies = [int(body) for body in row[8:10]]
            if not any(free[body] for body in bodies if body >= 0):
                continue
            names = [
                self._name(body, shapes[int(shape)].name) if shape >= 0 else below
                for body, shape in zip(bodies, row[10:12], strict=True)
            ]
            key = (bodies[0], bodies[1] if bodies[1] >= 0 else -2 - int(row[11]))
            found.setdefault(key, Overlap(names[0], names[1], -float(row[6])))
        return tuple(found.values())

    @property
    def leap(self) -> str:
        """What moves faster at the start than a figure can, in a few words; "" if nothing does."""
        if self._sudden is None:
            return ""
        name = self._stage.model.bodies[self._sudden].name
        return f'the motion leaps: "{name}" moves at {self._leap:.0f} m/s'

    def check(self, time: float) -> None:
        """See that what was simulated since makes sense.

        Args:
            time: Of the simulation, [s].

        Raises:
            RunawayError: If not; names what overlapped at the start.
        """
        stepper = self._stage.stepper
        rates = self._rates()
        runs = not rates <= max(SENSELESS, _FALLS * self._fastest)
        passed = stepper.time
        if not runs and len(self._rows) and passed <= AFTER:
            falls = float(np.linalg.norm(stepper.world.gravity)) * passed
            runs = not self._speeds().max(initial=0.0) <= FASTEST + self._speed + falls
        if runs:
            raise RunawayError(self.why(time))
        self._fastest = rates

    def why(self, time: float) -> str:
        """Return a line that says what may have made the motion run away at a time, [s]."""
        there = self.overlaps()
        if self.leap:
            return f"the motion runs away at t = {time:.3g} s: at the start {self.leap}; start a few frames later"
        if not there:
            return f"the motion runs away at t = {time:.3g} s; weaker forces or shorter steps may do"
        return f"the motion runs away at t = {time:.3g} s: at the start {overlap_message(there)}; move them apart"

    def _rates(self) -> float:
        return self._stage.stepper.fastest

    def _speeds(self) -> Array:
        """Return how fast bodies move by their centres of mass, 0 for those that keys move, [m/s], shape (nb,)."""
        twists, bodies = self._stage.stepper.readings.body_twists(), self._stage.model.bodies
        centers = np.array([body.inertia.center for body in bodies])
        speeds = np.linalg.norm(twists[:, 3:] + np.cross(twists[:, :3], centers), axis=1)
        return np.where(self._free(), speeds, 0.0)

    def _free(self) -> NDArray[np.bool_]:
        """Return which bodies forces move, shape (nb,)."""
        stage = self._stage
        free = np.ones(len(stage.model.bodies), dtype=np.bool_)
        for actor, moved in zip(stage.actors, stage.moved, strict=True):
            free[actor.bodies] = [bool(moved[actor.names[name]]) for name in actor.model.names]
        return free

    def _name(self, body: int, shape: str) -> str:
        is_part = 0 <= body < self._stage.actors[-1].bodies.stop
        return f'"{self._stage.model.bodies[body].name if is_part else shape}"'
