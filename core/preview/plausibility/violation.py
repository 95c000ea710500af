"""From when on a motion counts as implausible, every number of the search in one place, and what is reported.

They stand where recorded jumps and walks of real people, with the masses that figures have, hardly ever go, and where
changes of more than 5 % do: a recorded jump keeps gravity within 4 %, and the ground under a recorded walk never seems
to pull with more than 13 % of the weight.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Thresholds:
    """From when on a motion counts as implausible.

    Lengths with "of the height" are parts of the figure's height in its rest pose.

    Attributes:
        touching: A part less than this far above the ground touches it, of the height; the scatter of the feet's
            distance from the ground, large in recordings, is added twice.
        touching_most: It is never more than this, of the height.
        surely_off: In a stretch in which nothing ever is more than this far above the ground, the figure is in the air
            only if it falls: ``touching`` and four times the scatter, but never more than this, of the height.
        shortest: Shortest flight that is looked at, [s].
        trimmed: Part of a flight at either end that is not looked at: feet may still push.
        falling: Part of gravity by which the centre of mass must fall in a stretch that may be a flight.
        gravity: Difference from gravity, as a part of it, up and down; sideways, an acceleration as a part of it.
        off_parabola: Distance from the parabola as a part of how high the flight's own parabola rises.
        rise: What measures may be wrong by, as a height of the centre of mass; of the height. It makes short flights
            more uncertain than long ones.
        turning: Change of the angular momentum from the first to the last third of a flight, and along it, as a part
            of it.
        turning_least: That change if the whole body turned, [rad/s]; a lesser one never counts.
        wobbling: Largest change of the angular momentum in between, as a part of it.
        wobbling_least: The same if the whole body turned, [rad/s].
        turning_rate: Changes are reported as parts of the angular momentum, or if it is less of what the whole body has
            that turns at this rate, [rad/s].
        smoothing: Over how long forces of the ground are averaged, [s].
        pulling: Force by which the ground would have to pull, as a part of the weight.
        slipping: Force sideways beyond what friction gives, as a part of the weight.
        friction: Friction coefficient if none is given.
        beyond_feet: How far outside of the feet the ground's force may seem to act, of the height; a hint only.
        lasting: How long a fault of the ground's force must last, [s].
    """

    touching: float = 0.02
    touching_most: float = 0.05
    surely_off: float = 0.08
    shortest: float = 0.12
    trimmed: float = 0.1
    falling: float = 0.5
    gravity: float = 0.045
    off_parabola: float = 0.06
    rise: float = 0.0015
    turning: float = 0.045
    turning_least: float = 0.25
    wobbling: float = 0.08
    wobbling_least: float = 0.4
    turning_rate: float = 4.0
    smoothing: float = 0.2
    pulling: float = 0.15
    slipping: float = 0.15
    friction: float = 1.0
    beyond_feet: float = 0.12
    lasting: float = 0.06


THRESHOLDS = Thresholds()


PARABOLA, MOMENTUM, PULL, FRICTION, BALANCE = "parabola", "momentum", "pull", "friction", "balance"
KINDS = (PARABOLA, MOMENTUM, PULL, FRICTION, BALANCE)


@dataclass(frozen=True)
class Violation:
    """A stretch of a motion that forces could not make.

    Attributes:
        kind: ``"parabola"``: in the air the centre of mass is off its parabola. ``"momentum"``: in the air the figure
            is pushed sideways or starts or stops to turn. ``"pull"``: the ground would have to pull. ``"friction"``:
            it would have to hold more than friction does. ``"balance"``: its force would have to act beside the feet.
        first: First frame of it.
        last: Last frame of it.
        amount: How large it is, as a part of what would be right: 0.1 is 10 %.
        text: The same in a sentence, with numbers and units.
        hint: Whether it only may be wrong.
        turning: Whether it is about how the figure turns, not where it goes.
    """

    kind: str
    first: int
    last: int
    amount: float
    text: str
    hint: bool = False
    turning: bool = False

    @property
    def fixable(self) -> bool:
        """Whether ``ballistic_fix`` repairs it: other keys of the root are enough."""
        return self.kind in (PARABOLA, MOMENTUM)
