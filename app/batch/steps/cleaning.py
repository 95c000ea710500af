"""``clean``: spikes and dropouts are filled, what shakes is filtered, and feet are held where they stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from app.batch.steps.step import Clip, Step
from app.batch.table import Table
from core.animation import Sequence
from core.animation.cleaning.faults import find_faults, without_faults
from core.animation.cleaning.filtering import filtered
from core.animation.cleaning.filters import FILTERS
from core.animation.contacts.feet import figure_feet
from core.animation.contacts.paths import lock_paths
from core.progress import Progress, part

NONE = "none"
BUTTERWORTH, SAVITZKY_GOLAY = FILTERS
_CUTOFF, _WINDOW = 10.0, 0.1


@dataclass(frozen=True)
class Clean(Step):
    """What is mended.

    Attributes:
        faults: Whether spikes and dropouts are filled.
        filter: A name in ``FILTERS``, or ``NONE``.
        amount: Its cutoff frequency, [Hz], or its window, [s].
        lock_feet: Whether feet are locked to their path, so that they stand still.
    """

    do: ClassVar[str] = "clean"
    about: ClassVar[str] = (
        "mends captured motion; faults, filter (butterworth, savitzky_golay, none), cutoff (Hz), window (s), lock_feet"
    )
    faults: bool = True
    filter: str = BUTTERWORTH
    amount: float = _CUTOFF
    lock_feet: bool = True

    @classmethod
    def read(cls, table: Table) -> Clean:
        """Return the step that a table describes."""
        name = table.choice("filter", (*FILTERS, NONE), BUTTERWORTH) or BUTTERWORTH
        cutoff = table.number("cutoff", _CUTOFF, 0.1, 1e3, "Hz") or _CUTOFF
        window = table.number("window", _WINDOW, 1e-3, 10.0, "s") or _WINDOW
        for key, of in (("cutoff", BUTTERWORTH), ("window", SAVITZKY_GOLAY)):
            if key in table.values and name != of:
                table.problem(key, f'goes with filter = "{of}", and the filter is "{name}"')
        return cls(
            table.flag("faults", True), name, cutoff if name == BUTTERWORTH else window, table.flag("lock_feet", True)
        )

    def run(self, clip: Clip, progress: Progress | None) -> None:
        """Clean each motion from its first key to its last."""
        moving = clip.moving
        for k, sequence in enumerate(moving):
            self._clean(clip, sequence, part(progress, k / len(moving), (k + 1) / len(moving)))

    def _clean(self, clip: Clip, sequence: Sequence, progress: Progress | None) -> None:
        first, last = sequence.keys[0].frame, sequence.keys[-1].frame
        said = []
        if self.faults:
            found = find_faults(sequence, first, last)
            inside = [fault for fault in found if first < fault.first and fault.last < last]
            sequence.set_keys(without_faults(sequence, inside))
            said.append(f"{len(inside)} faults filled")
            if len(found) > len(inside):
                clip.warnings.append(f"{len(found) - len(inside)} faults reach to an end of the motion and were left")
        if self.filter != NONE:
            sequence.set_keys(filtered(sequence, first, last, FILTERS[self.filter](self.amount)))
            said.append(f"filtered ({self.filter})")
        if self.lock_feet and figure_feet(sequence.skeleton):
            strips = lock_paths(sequence, progress=progress).strips
            sequence.locks.strips = (*sequence.locks.strips, *strips)
            said.append(f"feet held by {len(strips)} locks")
        sequence.gait = None  # a walk by rules would make its keys anew
        clip.notes.append(f"cleaned: {', '.join(said) or 'nothing'}")
