"""A recorded motion cleaned up, all at once: faults filled, noise filtered, put on the floor, feet held, cut to size.

What is wanted is a ``Choices``; what is left out of it is found from the motion itself. The steps are done in the order
in which each helps the next: a spike would spoil the filter, noise the floor, and a floor that leans the feet.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from collections.abc import Sequence as Row
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from core.animation.channels import channels_of
from core.animation.cleaning.cutting import Cut, Place, copied, looped, trimmed, without
from core.animation.cleaning.faults import Fault, FaultOptions, find_faults, without_faults
from core.animation.cleaning.filtering import filtered
from core.animation.cleaning.filters import Butterworth, Filter, SavitzkyGolay, window_for
from core.animation.cleaning.placing import Floor, find_floor, heading_motion, place
from core.animation.cleaning.residuals import Residual, find_cutoffs
from core.animation.cleaning.samples import FEWEST
from core.animation.cleaning.standing import ROOT, Standing, find_stances, stand
from core.animation.contacts.feet import figure_feet
from core.animation.contacts.finding import ContactOptions, Contacts, find_contacts
from core.animation.contacts.phases import Phase
from core.animation.joining.join import ready
from core.animation.layers.motion import acting
from core.animation.sequence import Sequence
from core.constraints.soles import height
from core.errors import SequenceError
from core.progress import Progress, forward, part, report

FOUND = "found"
"""For what is to be found from the motion."""
BUTTERWORTH, SAVITZKY_GOLAY = "butterworth", "savitzky_golay"


@dataclass(frozen=True)
class Choices:
    """What is to be done to a motion; frames are those of the motion as it is before.

    Attributes:
        fill: Spikes and dropouts that are filled: ``FOUND`` for all that are found, () for none.
        faults: What counts as one.
        filter: ``BUTTERWORTH`` or ``SAVITZKY_GOLAY``; None for no filter.
        cutoff: Of the filter, [Hz]; None for the one that residual analysis finds for each joint.
        filtered: Names of the channels that are filtered; None for all of them.
        stretch: First and last frame of what is filled and filtered; None for all of it.
        floor: By how much the motion is lowered, [m]; ``FOUND`` for as much as brings its floor to height 0.
        level: Whether a floor that leans is made level.
        heading: What is turned to the front, ``"facing"`` or ``"travel"``, or by which angle, [rad]; None for nothing.
        to_origin: Whether it then begins at the origin.
        hold_feet: Whether feet are locked where they stand.
        contacts: Bounds for when they do.
        phases: What feet do at each frame, by their joints, where it is known better; frames as they are before.
        root: How far the root may move for that, [m].
        remove: Stretches that are taken out, first and last frame of each.
        trim: First and last frame that stay; None for all.
        loop: Whether the motion is made to go round: with ``trim``, between about these frames.
        cross_fade: How long it takes where something was taken out, or a loop closes, [frames]; None for as usual.

    Raises:
        SequenceError: If a value makes no sense.
    """

    fill: str | tuple[Fault, ...] = FOUND
    faults: FaultOptions = field(default_factory=FaultOptions)
    filter: str | None = BUTTERWORTH
    cutoff: float | None = None
    filtered: frozenset[str] | None = None
    stretch: tuple[int, int] | None = None
    floor: float | str = FOUND
    level: bool = False
    heading: str | float | None = None
    to_origin: bool = False
    hold_feet: bool = True
    contacts: ContactOptions = field(default_factory=ContactOptions)
    phases: Mapping[int, Row[Phase]] | None = None
    root: float = ROOT
    remove: tuple[tuple[int, int], ...] = ()
    trim: tuple[int, int] | None = None
    loop: bool = False
    cross_fade: int | None = None

    def __post_init__(self) -> None:
        if isinstance(self.fill, str) and self.fill != FOUND:
            raise SequenceError(f'clean-up: fill is "{self.fill}"; it must be "{FOUND}" or the faults to fill')
        if self.filter not in (None, BUTTERWORTH, SAVITZKY_GOLAY):
            raise SequenceError(
                f'clean-up: filter is "{self.filter}"; it must be "{BUTTERWORTH}", "{SAVITZKY_GOLAY}" or None'
            )
        if self.cutoff is not None:
            Butterworth(self.cutoff)
        if isinstance(self.floor, str) and self.floor != FOUND:
            raise SequenceError(f'clean-up: floor is "{self.floor}"; it must be "{FOUND}" or a height in m')
        if not isinstance(self.floor, str) and not math.isfinite(self.floor):
            raise SequenceError(f"clean-up: floor is {self.floor}; it must be a height in m")
        if not (math.isfinite(self.root) and self.root > 0.0):
            raise SequenceError(f"clean-up: root is {self.root}; it must be more than 0 m")


@dataclass(frozen=True, eq=False)
class Cleaned:
    """A motion that was cleaned up.

    Attributes:
        sequence: It.
        faults: What was filled.
        left: Faults that were not, as they reach to an end of the motion.
        cutoffs: What was filtered, by channels, [Hz].
        floor: The floor that was found; None where none was looked for, or no foot touches one.
        standing: What holds the feet; None where they are not held.
        place: Where each frame of the motion before is now; None for what is gone.
        notes: What else had to change, a sentence each.
    """

    sequence: Sequence
    faults: tuple[Fault, ...]
    left: tuple[Fault, ...]
    cutoffs: Mapping[str, float]
    floor: Floor | None
    standing: Standing | None
    place: Place
    notes: tuple[str, ...]

    def values(self, before: Sequence) -> dict[str, Any]:
        """Return what another sequence, the one before, must have to be this one, by names for ``Sequence.put``."""
        made = self.sequence
        return {
            "keys": tuple(made.keys),
            "strips": made.locks.strips,
            "hybrid_strips": made.hybrid_strips,
            "layers": made.layers,
            "timings": dict(made.timing.curves),
            "root_speed": made.timing.root_speed,
            "markers": made.markers,
            "camera": made.camera,
            "cycles": made.cycles,
            "gait": made.gait,
            "range": (made.range[0], None if made.ends_with_last_key else made.range[1]),
            "place": self.place,
        }


@dataclass(frozen=True, eq=False)
class Found:
    """What was found in a motion before anything is done to it.

    Attributes:
        faults: Spikes and dropouts that can be filled.
        left: Those that reach to an end of the motion.
        residuals: Noise and cutoffs of its channels.
        contacts: When its feet are in contact once faults are filled and noise is filtered; None without feet.
        phases: What each foot does at each frame, by its joint.
        floor: The floor under it; None if no foot touches one.
    """

    faults: tuple[Fault, ...]
    left: tuple[Fault, ...]
    residuals: tuple[Residual, ...]
    contacts: Contacts | None
    phases: Mapping[int, Row[Phase]]
    floor: Floor | None


def look(sequence: Sequence, choices: Choices | None = None, progress: Progress | None = None) -> Found:
    """Return what clean-up would find in a motion, for somebody to accept or change.

    Args:
        sequence: The motion; it does not change.
        choices: What is to be done, which says what counts as what; None for the usual.
        progress: Takes how much is done, 0 to 1; may raise ``core.errors.Cancelled``.

    Raises:
        SequenceError: If there are too few keys.
    """
    choices, progress = choices or Choices(), forward(progress)
    _check_length(sequence)
    work = _Work(sequence, replace(choices, fill=FOUND), part(progress, 0.0, 1.0))
    work.fill()
    work.filter()
    residuals = work.residuals
    if not residuals:  # the filter was given its cutoff, is off, or filters nothing
        residuals = find_cutoffs(work.made, *work.stretch, choices.filtered or None, part(progress, 0.15, 0.2))
    contacts, phases, floor = None, {}, None
    if figure_feet(sequence.skeleton):
        work.ready()
        contacts = find_contacts(work.made, None, choices.contacts, part(progress, 0.2, 0.5))
        floor = find_floor(contacts, height(sequence.skeleton))
        phases = find_stances(work.made, contacts, choices.phases, part(progress, 0.5, 1.0))
    report(progress, 1.0)
    return Found(work.filled, work.left, tuple(residuals), contacts, phases, floor)


def _check_length(sequence: Sequence) -> None:
    if len(sequence.keys) < 2 or sequence.keys[-1].frame - sequence.keys[0].frame + 1 < FEWEST:
        raise SequenceError(f'"{sequence.name}" has too short a motion to clean up; {FEWEST} frames are needed')


def cleaned(sequence: Sequence, choices: Choices | None = None, progress: Progress | None = None) -> Cleaned:
    """Return a motion cleaned up.

    Args:
        sequence: The motion; it does not change.
        choices: What is to be done; None for all that helps every recording: faults filled, noise filtered, the floor
            brought to height 0, and feet held where they stand.
        progress: Takes how much is done, 0 to 1; may raise ``core.errors.Cancelled``.

    Raises:
        SequenceError: If there are too few keys, or something that was chosen cannot be.
        JointError: If the figure has no channel that was named.
    """
    choices = choices or Choices()
    _check_length(sequence)
    work = _Work(sequence, choices, forward(progress))
    work.fill()
    work.filter()
    work.place()
    work.hold()
    work.cut()
    report(progress, 1.0)
    return work.result()


class _Work:
    """A clean-up under way."""

    def __init__(self, sequence: Sequence, choices: Choices, progress: Progress | None):
        self.made, self.choices, self.progress = copied(sequence), choices, progress
        self.skeleton = sequence.skeleton
        self.keyed = sequence.keys[0].frame, sequence.keys[-1].frame
        low, high = choices.stretch or self.keyed
        self.stretch = max(low, self.keyed[0]), min(high, self.keyed[1])
        self.filled: tuple[Fault, ...] = ()
        self.left: tuple[Fault, ...] = ()
        self.residuals: list[Residual] = []
        self.cutoffs: dict[str, float] = {}
        self.floor: Floor | None = None
        self.standing: Standing | None = None
        self.places: list[Place] = []
        self.notes: list[str] = []

    def fill(self) -> None:
        """Fill faults."""
        chosen = self.choices.fill
        if isinstance(chosen, str):
            faults = find_faults(self.made, *self.stretch, options=self.choices.faults)
            inside = [each for each in faults if self.keyed[0] < each.first and each.last < self.keyed[1]]
            self.filled = tuple(inside)
            self.left = tuple(each for each in faults if each not in inside)
        else:
            self.filled = tuple(chosen)
        if self.filled:
            self.made.set_keys(without_faults(self.made, self.filled))
        report(self.progress, 0.05)

    def filter(self) -> None:
        """Filter noise."""
        kind, cutoff = self.choices.filter, self.choices.cutoff
        channels, wanted = channels_of(self.skeleton), self.choices.filtered
        if kind is None or (wanted is not None and not wanted):
            return
        names = channels.checked(channels.names if wanted is None else wanted)
        if cutoff is not None:
            self.cutoffs = dict.fromkeys(names, cutoff)
        else:
            self.residuals = find_cutoffs(self.made, *self.stretch, frozenset(names), part(self.progress, 0.05, 0.15))
            for each in self.residuals:
                if each.cutoff is not None:
                    self.cutoffs[each.channel] = min(each.cutoff, self.cutoffs.get(each.channel, math.inf))
        made: dict[str, Filter] = {
            name: Butterworth(each) if kind == BUTTERWORTH else SavitzkyGolay(window_for(each))
            for name, each in self.cutoffs.items()
        }
        self.made.set_keys(filtered(self.made, *self.stretch, made))
        report(self.progress, 0.2)

    def place(self) -> None:
        """Put the motion on the floor, level, facing the front."""
        choices = self.choices
        motion = np.eye(4)
        if choices.floor == FOUND or choices.level:
            self.ready()
            if figure_feet(self.skeleton):
                contacts = find_contacts(self.made, None, choices.contacts, part(self.progress, 0.2, 0.25))
                self.floor = find_floor(contacts, height(self.skeleton))
            if self.floor is not None:
                motion = self.floor.motion(choices.level)
                if choices.floor != FOUND:
                    motion[1, 3] += self.floor.height
        if choices.floor != FOUND and choices.floor != 0.0:
            motion[1, 3] -= float(choices.floor)
        if not np.array_equal(motion, np.eye(4)):
            self.ready()
            place(self.made, motion)
        if choices.heading is not None or choices.to_origin:
            self.ready()
            place(self.made, heading_motion(self.made, choices.heading or 0.0, choices.to_origin))
        report(self.progress, 0.25)

    def hold(self) -> None:
        """Lock feet where they stand."""
        choices = self.choices
        if not choices.hold_feet or not figure_feet(self.skeleton):
            return
        self.ready()
        options = choices.contacts
        contacts = find_contacts(self.made, None, options, part(self.progress, 0.25, 0.3))
        self.standing = stand(self.made, contacts, choices.phases, choices.root, part(self.progress, 0.3, 0.85))

    def cut(self) -> None:
        """Take out, trim, and let go round."""
        choices = self.choices
        for first, last in sorted(choices.remove, reverse=True):
            self._take(without(self.made, first, last, choices.cross_fade, part(self.progress, 0.85, 0.9)))
        trim = choices.trim
        if trim is not None:
            trim = self._where(trim[0], True), self._where(trim[1], False)
        if choices.loop:
            begin, end = trim or (None, None)
            self._take(looped(self.made, begin, end, choices.cross_fade, part(self.progress, 0.9, 1.0)))
        elif trim is not None:
            self._take(trimmed(self.made, *trim))

    def _take(self, cut: Cut) -> None:
        self.made = cut.sequence
        self.places.append(cut.place)
        self.notes += cut.notes

    def _where(self, frame: int, later: bool) -> int:
        """Return where a frame of the motion before is now; of one that is gone, the next that is not."""
        end = self.keyed[1] if later else self.keyed[0]
        for each in range(frame, end + 1) if later else range(frame, end - 1, -1):
            there = self._placed(each)
            if there is not None:
                return round(there)
        raise SequenceError(f"frame {frame} is outside the motion, {self.keyed[0]} to {self.keyed[1]}")

    def _placed(self, frame: float) -> float | None:
        there: float | None = frame
        for each in self.places:
            there = None if there is None else each(there)
        return there

    def ready(self) -> None:
        """Let keys have what layers add and timing says, as what comes next is about the motion that is shown."""
        layers = self.made.layers
        made = ready(self.made, self.notes)
        if made is not self.made:
            gone = acting(layers)
            made.layers = tuple(layer for layer in layers if layer not in gone)
            self.made = made

    def result(self) -> Cleaned:
        """Return what has come out."""
        return Cleaned(
            self.made, self.filled, self.left, self.cutoffs, self.floor, self.standing, self._placed,
            tuple(dict.fromkeys(self.notes)),
        )  # fmt: skip
