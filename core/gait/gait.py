"""What a gait is: a name, how many legs it is for, and what makes it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from core.gait.manner import Manner, Pace
from core.gait.prints import Print
from core.gait.walk import Walk
from core.skeleton import Skeleton
from core.terrain.ground import Ground


class Gait(NamedTuple):
    """A gait.

    Attributes:
        name: Its name, as in the records of sequences and on the command line. Gaits for other numbers of legs may
            have the same.
        legs: How many legs it is for.
        text: What it is, in a few words.
        make: Returns keys and lock strips of a figure that moves like that on a ground, at frames a second. The same
            arguments give the same bits. Raises ``GaitError`` if the figure cannot.
        pace: Returns speed, length and rate of its steps for a leg of so many metres; None for those of a walk.
        prints: Returns its footprints, without all the rest; None for those of a walk on two feet.
        moves: Whether it goes along a way; speed, steps and paths mean nothing to one that stays.
        knees: Whether legs must bend at a knee for it.
        leaps: Whether how far it goes at once is what a person sets, and its speed follows from that.
        keyed: As ``make``, with a key at each frame; None if that has one at each anyway.
        fastest: No joint turns faster in it, [rad/s]: who goes so fast that one would is refused.
    """

    name: str
    legs: int
    text: str
    make: Callable[[Skeleton, Manner, Ground, float], Walk]
    moves: bool = True
    knees: bool = False
    leaps: bool = False
    pace: Callable[[Manner, float], Pace] | None = None
    prints: Callable[[Skeleton, Manner, Ground, float], tuple[Print, ...]] | None = None
    keyed: Callable[[Skeleton, Manner, Ground, float], Walk] | None = None
    fastest: float = math.radians(600.0)

    def pace_for(self, manner: Manner, leg: float) -> Pace:
        """Return speed, length and rate of its steps for a leg of so many metres."""
        return manner.pace(leg) if self.pace is None else self.pace(manner, leg)

    def each_frame(self, s: Skeleton, manner: Manner, ground: Ground, fps: float) -> Walk:
        """Return keys at each frame of a figure that moves like that; see ``make``."""
        return (self.make if self.keyed is None else self.keyed)(s, manner, ground, fps)
