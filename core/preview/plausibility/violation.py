"""What is reported about a stretch of implausible motion."""

from __future__ import annotations

from dataclasses import dataclass

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
