"""What the parts of the timeline that show locks share: rows of parts and kinds, what is flagged, what is copied."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import degrees, floor
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from app.document.changes import (
    Change,
    FigureChanged,
    FileChanged,
    FrameChanged,
    KeysChanged,
    LocksChanged,
    SequenceChanged,
    SessionChanged,
)
from app.document.gestures.strip_gesture import StripGesture
from app.document.marked_spans import MarkedSpan
from app.timeline.model import TimelineModel
from app.timeline.strips.board import StripBoard
from app.words.lock_summary_words import sunk_text
from app.words.lock_words import angle_text, joint_of, kind_text, length_text, part_of
from app.words.part_names import spoken_name
from app.work.background import Progress
from app.work.calm_search import CalmSearch
from core.animation.locks.spans import GIVEN_UP, JUMPS, LockSpan, lock_spans
from core.animation.locks.strip import retimed
from core.animation.locks.summary import LockSummary, lock_summary
from core.constraints.kinds import KINDS

if TYPE_CHECKING:
    from app.document.document import Document
    from app.document.lock_proposals import LockProposal
    from core.animation.locks.strip import LockStrip
    from core.animation.sequence import Sequence
    from core.constraints.lock import Lock
    from core.skeleton import Skeleton


@dataclass(frozen=True)
class LockRow:
    """One row.

    Attributes:
        part: Name of the part, ``"Right foot"``.
        kind: Kind of all its locks.
        joint: Index of the joint, None for what holds the whole figure.
        strips: Its strips, by start; no two of them at the same frame.
    """

    part: str
    kind: str
    joint: int | None
    strips: tuple[LockStrip, ...]


def row_joint(lock: Lock, skeleton: Skeleton) -> int | None:
    """Return the joint whose row a lock stands in; None for what holds the whole figure."""
    return None if lock.rule.of_figure else joint_of(lock, skeleton)


def what_it_holds(lock: Lock, skeleton: Skeleton) -> tuple[Any, ...]:
    """Return what must be the same of two locks that are one lock at different times."""
    joint = row_joint(lock, skeleton)
    other = None
    if lock.second is not None:
        figure, part, point = lock.second
        other = (figure, part, point.tobytes())
    text = lock.target if lock.rule.by_equation else None
    return (joint, lock.kind, lock.point.tobytes(), other, text)


def siblings(strip: LockStrip, strips: Iterable[LockStrip], skeleton: Skeleton) -> list[LockStrip]:
    """Return the other strips of the same lock, by start: those that ``strip`` must not run into."""
    mine = what_it_holds(strip.lock, skeleton)
    others = [each for each in strips if each.id != strip.id and what_it_holds(each.lock, skeleton) == mine]
    return sorted(others, key=lambda each: each.start)


def lock_rows(strips: Iterable[LockStrip], skeleton: Skeleton | None) -> tuple[LockRow, ...]:
    """Return the rows that strips stand in: by joint, then by kind; those that overlap get a row each.

    Equations have no joint; those of other parts stand in other rows.
    """
    if skeleton is None:
        return ()
    groups: dict[tuple[int, int, str], list[LockStrip]] = {}
    for strip in strips:
        lock = strip.lock
        joint = row_joint(lock, skeleton)
        place = len(skeleton.joints) if joint is None else joint
        groups.setdefault((place, KINDS.index(lock.rule), part_of(lock, skeleton)), []).append(strip)
    rows = []
    for (place, _, part), group in sorted(groups.items()):
        joint = place if place < len(skeleton.joints) else None
        kind_name = group[0].lock.kind
        rows += [LockRow(part, kind_name, joint, tuple(lane)) for lane in _lanes(group)]
    return tuple(rows)


def _lanes(strips: list[LockStrip]) -> list[list[LockStrip]]:
    """Return the strips in as few lists as hold no two at the same frame."""
    lanes: list[list[LockStrip]] = []
    for strip in sorted(strips, key=lambda each: each.start):
        for lane in lanes:
            end = lane[-1].end
            if end is not None and end < strip.start:
                lane.append(strip)
                break
        else:
            lanes.append([strip])
    return lanes


class FlagSearch(CalmSearch["tuple[tuple[LockSpan, ...], LockSummary | None]"]):
    """Searches the active sequence.

    Attributes:
        flags: What was found last: spans, by their first frame.

    Signals:
        changed(): Something else was found.
    """

    changed = Signal()

    def __init__(self, document: Document, parent: QObject | None = None):
        super().__init__(document, parent, "Looking for locks that cannot be held")
        self.flags: tuple[LockSpan, ...] = ()
        self._reported_for: str | None = None
        self._said = False

    def wanted(self, sequence: Sequence) -> bool:
        return bool(sequence.locks.in_effect)

    def work(self, sequence: Sequence) -> Callable[[Progress], tuple[tuple[LockSpan, ...], LockSummary | None]]:
        def look(progress: Progress) -> tuple[tuple[LockSpan, ...], LockSummary | None]:
            def stop() -> bool:
                progress(0.0)  # raises if it is to stop
                return False

            return lock_spans(sequence, progress=progress), lock_summary(sequence, stop)

        return look

    def show(self, found: tuple[tuple[LockSpan, ...], LockSummary | None] | None) -> None:
        flags, summary = found or ((), None)
        self._notify(summary)
        self.document.session.locks.summary = summary
        if flags != self.flags:
            self.flags = flags
            self.changed.emit()

    def _notify(self, summary: LockSummary | None) -> None:
        """Say what an edit has made sink into the floor; what a file brings along is in the panel."""
        document, before = self.document, self.document.session.locks.summary
        name = document.sequence.name if document.sequence is not None else None
        if summary is not None and before is not None and self._reported_for == name:
            text = sunk_text(summary, document.skeleton, before)
            if text:
                document.say("warning", text)
                self._said = True
        elif self._said and self._reported_for != name:
            document.say("info", "")  # it was of another motion
            self._said = False
        self._reported_for = name


READ_AGAIN = (LocksChanged, FigureChanged, FileChanged, SequenceChanged)
SEARCH_AGAIN = (LocksChanged, FigureChanged, FileChanged, SequenceChanged, KeysChanged)


class LockBoard(StripBoard["LockStrip"]):
    """Rows of lock strips.

    Attributes:
        flags: Frames at which a lock cannot be held or jumps.
        copied: The strip that was copied last, or None.
        chosen: Id of a strip and frame of the key of its target that is selected, or None.
    """

    rows: tuple[LockRow, ...]

    def __init__(self, model: TimelineModel):
        super().__init__(model)
        self.copied: LockStrip | None = None
        self.proposals: dict[str, LockProposal] = {}
        self.chosen: tuple[str, int] | None = None
        self._summary = ""
        self._followed: tuple[Mapping[int, int], dict[str, LockStrip]] | None = None
        self.search = FlagSearch(self.document, self)
        self.search.changed.connect(self._take_flags)
        self.document.changed.connect(self._take)
        self._read()

    @property
    def all_strips(self) -> tuple[LockStrip, ...]:
        return self.document.locks.strips

    def put_proposal(self, changed: LockProposal) -> None:
        """Put a proposal in the place of the one with its id."""
        locks = self.document.session.locks
        locks.proposed = tuple(changed if each.strip.id == changed.strip.id else each for each in locks.proposed)

    def strips(self) -> Iterable[LockStrip]:
        proposed = self.proposals
        return [strip for strip in super().strips() if strip.id not in proposed]

    def gesture(self, text: str) -> StripGesture:
        return StripGesture(self.document, text)

    def put_all(self, strips: Iterable[LockStrip], text: str, gesture: int | None = None) -> bool:
        return self.document.locks.set(strips, text, gesture)

    def name_of(self, strip: LockStrip) -> str:
        """Return what a strip is called: ``"Right foot, position"``; a name that a person gave it comes first."""
        skeleton = self.document.skeleton
        kind = kind_text(strip.lock, skeleton)
        return strip.name or f"{part_of(strip.lock, skeleton)}, {kind[:1].lower()}{kind[1:]}"

    @property
    def flags(self) -> tuple[LockSpan, ...]:
        """Flagged spans of the strips, by start."""
        return self.search.flags

    @property
    def selected(self) -> str | None:
        return self.document.session.locks.selected

    def select(self, strip_id: str | None) -> None:
        """Select a strip, in the whole window."""
        if self.chosen is not None and self.chosen[0] != strip_id:
            self.choose(None)
        self.document.session.locks.selected = strip_id

    def choose(self, key: tuple[str, int] | None) -> None:
        """Select a key of a target: id of the strip and frame."""
        if key != self.chosen:
            self.chosen = key
            self.changed.emit()

    @property
    def holding(self) -> bool:
        """Whether locks hold between keys."""
        sequence = self.document.sequence
        return sequence is None or sequence.locks.holds

    @property
    def broken(self) -> frozenset[str]:
        """Ids of the strips whose locks cannot be held at the current frame."""
        if self.document.session.playback.playing:
            return frozenset()
        states = self.document.locks.states()
        return frozenset(s.strip.id for s in states if s.strip is not None and s.word == "conflict")

    def chosen_target(self, strip: LockStrip) -> int | None:
        """Return which key of a strip's target is selected, or None."""
        if self.chosen is None or self.chosen[0] != strip.id:
            return None
        frames = [key.frame for key in strip.targets]
        return frames.index(self.chosen[1]) if self.chosen[1] in frames else None

    def shown(self, strip: LockStrip) -> LockStrip:
        """Return a strip as it is shown: while keys are dragged or spread it follows them."""
        model = self.model
        if not model.dragging:
            return strip
        moves = model.whole_moves()
        if self._followed is None or self._followed[0] != moves or strip.id not in self._followed[1]:
            strips = retimed(self.document.locks.strips, model.frames.tolist(), moves)
            self._followed = dict(moves), {each.id: each for each in strips}
        return self._followed[1].get(strip.id, strip)

    def siblings(self, strip: LockStrip) -> list[LockStrip]:
        skeleton = self.document.skeleton
        return [] if skeleton is None else siblings(strip, self.document.locks.strips, skeleton)

    def flags_of(self, strip: LockStrip) -> list[LockSpan]:
        """Return the flagged spans that a strip has a part in; none while keys are dragged to other frames."""
        return [] if self.model.dragging else [flag for flag in self.flags if strip.id in flag.strips]

    def flag_text(self, flag: LockSpan) -> str:
        """Return what a flagged span says: ``"Left foot jumps 18° between frames 31 and 32"``."""
        skeleton, sequence = self.document.skeleton, self.document.sequence
        locks = [] if sequence is None else [lock for n, lock in enumerate(sequence.locks) if n in flag.always]
        locks += [strip.lock for strip in self.document.locks.strips if strip.id in flag.strips]
        parts = list(dict.fromkeys(part_of(lock, skeleton) for lock in locks))
        names = ", ".join([part if i == 0 else spoken_name(part) for i, part in enumerate(parts)])
        if flag.kind == JUMPS:
            first = floor(flag.at - 1e-9)
            verb = "jumps" if len(parts) == 1 else "jump"
            return f"{names} {verb} {degrees(flag.worst):.0f}° between frames {first} and {first + 1}"
        if flag.kind == GIVEN_UP:
            step = length_text(flag.worst)
            return f"{names} released at frames {flag.first}–{flag.last}: holding would move the root by {step}"
        turned = all(lock.rule.holds_orientation and not lock.rule.holds_position for lock in locks)
        return f"{names} not held: {angle_text(flag.worst) if turned else length_text(flag.worst)}"

    def summary(self) -> str:
        """Return what the flagged spans say that the current frame is in; "" while the motion plays."""
        if self.document.session.playback.playing or self.model.dragging:
            return ""
        frame = self.document.frame
        return ", ".join(self.flag_text(flag) for flag in self.flags if flag.first <= frame <= flag.last)

    def _notify(self) -> None:
        """Say in the status line what is flagged at the frame that was gone to, and take it away after."""
        before, self._summary = self._summary, self.summary()
        if self._summary != before:
            self.document.say("info", self._summary)

    def _take(self, change: Change) -> None:
        live = bool(change.live)
        if isinstance(change, READ_AGAIN):
            self._read()
        elif isinstance(change, SessionChanged) and change.name in ("selected_lock", "hovered_lock", "conflict"):
            self.changed.emit()
        elif isinstance(change, SessionChanged) and change.name == "proposed_locks":
            self._read()
        elif isinstance(change, KeysChanged) and not live:
            self.changed.emit()
        if isinstance(change, SEARCH_AGAIN):
            self.search.wish(live)
        if isinstance(change, FrameChanged):
            self._notify()

    def _read(self) -> None:
        self._followed = None
        before = len(self.rows)
        self.proposals = {each.strip.id: each for each in self.document.session.locks.proposed}
        proposed = (each.strip for each in self.proposals.values())
        self.rows = lock_rows((*self.document.locks.strips, *proposed), self.document.skeleton)
        if self.chosen is not None:
            strip = self.strip(self.chosen[0])
            if strip is None or self.chosen[1] not in {key.frame for key in strip.targets}:
                self.chosen = None
        if len(self.rows) != before:
            self.grown.emit()
        self.changed.emit()

    def _take_flags(self) -> None:
        self.model.flagged = tuple(MarkedSpan(each.first, each.last, self.flag_text(each)) for each in self.flags)
        self.model.changed.emit()
        self.changed.emit()

    def stop(self) -> None:
        """End what goes on in the background."""
        self.search.stop()
