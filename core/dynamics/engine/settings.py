"""How a step is taken, and what it reports about itself."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from core.checked_arrays import shown
from core.errors import DynamicsError


@dataclass(frozen=True)
class StepSettings:
    """How steps are taken.

    Attributes:
        step: Length of a step, [s].
        margin: Points nearer than this after the step, as they would move freely, are contacts, [m].
        limit_margin: The same for limits of joints, [rad] or [m].
        fixed_point: Most passes in which the sliding speeds of a step are found.
        largest_turn: A joint that would turn farther than this in a step has it taken in parts, [rad].
        most_parts: Most parts of a step.
        lock_pull: Share of the gap of a lock, or of a string, that each step closes.
        push_out: Speed at which what is inside something else comes out, [m/s] or [rad/s]: so slow that it adds no
            energy worth telling.
        push_rate: What is deeper than ``deep`` by d comes out at this times ``d^2 / (d + deep)`` besides, [1/s]: hardly
            lifted where it is little deeper and rests, but soon where it is far in.
        push_most: Nothing comes out faster than this, however far in it is, and no string that is too short draws its
            ends together faster, [m/s] or [rad/s].
        deep: Depth that comes of the steps themselves, [m].
        too_deep: Where something ends a part of a step deeper than this, and deeper than it was, the part is taken in
            halves, [m].
        jump: Change of a velocity by rows from which on the step before says nothing about the next one, [rad/s].
        keep_energy: Whether relative motion is slowed down where a step would add energy that nothing has brought in:
            no motor, pull, spring, prescribed motion or moving lock.
        energy_rise: By how much the energy may rise in a step all the same, [J].
        sleep: Whether everything falls asleep that rests on contacts or locks and for ``sleep_time`` has neither moved
            nor turned farther than ``sleep_length`` and ``sleep_turn``, no coordinate being faster than
            ``sleep_speed`` and nothing driving it.
        settle_energy: What touches the world, and has had less kinetic energy than this for ``settle_time``, is slowed
            down if it may fall asleep, as by all that rubs in bodies: limbs do not swing for ever, [J/kg].
        settle_time: [s].
        settle_rate: How fast it is slowed down, [1/s].
        sleep_length: [m].
        sleep_turn: [rad].
        sleep_speed: [m/s] or [rad/s].
        sleep_time: [s].
    """

    step: float = 1.0 / 240.0
    margin: float = 0.003
    limit_margin: float = 0.005
    fixed_point: int = 5
    largest_turn: float = 0.03
    most_parts: int = 16
    lock_pull: float = 0.2
    push_out: float = 0.0
    push_rate: float = 100.0
    push_most: float = 1.5
    deep: float = 0.0005
    too_deep: float = 0.001
    jump: float = 0.5
    keep_energy: bool = True
    energy_rise: float = 5e-4
    sleep: bool = True
    settle_energy: float = 0.02
    settle_time: float = 1.0
    settle_rate: float = 2.0
    sleep_length: float = 5e-4
    sleep_turn: float = 5e-3
    sleep_speed: float = 0.1
    sleep_time: float = 0.5

    def __post_init__(self) -> None:
        for field in fields(self):
            if field.name in ("sleep", "keep_energy"):
                continue
            value = getattr(self, field.name)
            positive = field.name in ("step", "largest_turn", "fixed_point", "most_parts", "push_most", "sleep_time")
            whole = field.name in ("fixed_point", "most_parts")
            kinds = (int,) if whole else (int, float)
            if isinstance(value, bool) or not isinstance(value, kinds) or not math.isfinite(value):
                raise DynamicsError(f"{field.name} is {shown(value)}; it must be a {'whole ' if whole else ''}number")
            if value < 0 or (positive and value == 0):
                wanted = "more than 0" if positive else "0 or more"
                raise DynamicsError(f"{field.name} is {value:g}; it must be {wanted}")


@dataclass(frozen=True)
class StepReport:
    """What the steps of one call were like.

    Attributes:
        kkt: Largest residual of the conditions for the optimum, of all quadratic programs whose answer was taken.
        fallbacks: How many of these had to be found by projected Gauss-Seidel.
        substeps: Parts of steps.
        iterations: Of the quadratic programs.
        flights: Parts of steps in free flight.
        contacts: Contacts of the last part.
        left_out: Contacts beyond the room there is for them.
    """

    kkt: float
    fallbacks: int
    substeps: int
    iterations: int
    flights: int
    contacts: int
    left_out: int
