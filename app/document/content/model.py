"""The document's content without Qt: figures, sequences, the unkeyed pose and the frame. Commands work on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.document.content.records import (
    AllLocks,
    Figure,
    Record,
    renamed_figure_in,
    sequence_for,
    sequence_from_json,
    sequence_to_json,
)
from core.animation.curves.timing_curves import TimingCurve
from core.animation.ensemble import link
from core.animation.hybrid_strips import HybridStrip
from core.animation.key import Key
from core.animation.layers.layer import Layer
from core.animation.locks.sequence_locks import ActiveLock
from core.animation.locks.strip import LockStrip
from core.animation.new_sequence import new_sequence
from core.animation.sequence import Sequence
from core.arrays import Array
from core.constraints.lock import Lock
from core.errors import SequenceError
from core.formats.importing.findings import Findings
from core.skeleton import Skeleton
from core.skeleton.figure_parts import figure_names, full_name

_CACHED_FRAMES = 4096
_APART = 5  # frames


def read_only(q: Array) -> Array:
    """Return a read-only copy of a pose; one that is read-only already comes back as it is."""
    if q.flags.writeable:
        q = q.copy()
        q.setflags(write=False)
    return q


@dataclass(frozen=True)
class Active:
    """Which figure is edited, and which sequence each figure shows.

    Attributes:
        figure: Index of the active figure, -1 if there is none.
        sequences: For every figure the index of its sequence.
    """

    figure: int = -1
    sequences: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Pending:
    """A pose that was edited with auto-key off and is not in any key.

    Attributes:
        frame: The frame it was made at.
        q: Pose, shape (nq,); read-only.
    """

    frame: int
    q: Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "q", read_only(self.q))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pending) and self.frame == other.frame and self.q.tobytes() == other.q.tobytes()

    __hash__ = None  # type: ignore[assignment]  # as Python has it for what is not hashable

    def to_json(self) -> Record:
        """Return the record."""
        return {"frame": self.frame, "q": self.q.tolist()}

    @classmethod
    def from_json(cls, record: Mapping[str, Any] | None) -> Pending | None:
        """Return what a record stands for; None stands for no pending pose."""
        return None if record is None else cls(record["frame"], np.array(record["q"], dtype=np.float64))


class Model:
    """Everything that commands change, and nothing that only this window sees.

    Attributes:
        figures: Figures, each with its text.
        sequences: Sequences of all figures; ``sequences[i].skeleton`` is one of the figures' skeletons.
        active: What is edited and shown.
        pending: The unkeyed pose of the active figure, or None.
        frame: The current frame; not part of the state unless a pose is pending at it.
        view: Cameras and the like, as the file keeps them.
        physics: Physics settings, as the file keeps them.
        extra: Members of the file that this version does not know.
        unit: Metres a unit of the file the document came from.
        unit_guess: How that is known, as in ``core.formats.Project``; not part of the state.
        imported: What was found out about a file of another program, likewise.
        ahead: How many frames are worked out at once, likewise: more while they are played.
    """

    def __init__(self) -> None:
        self.figures: list[Figure] = []
        self.sequences: list[Sequence] = []
        self.active = Active()
        self.pending: Pending | None = None
        self.frame = 0
        self.view: dict[str, Any] = {}
        self.physics: dict[str, Any] = {}
        self.extra: dict[str, Any] = {}
        self.unit = 1.0
        self.unit_guess = "file"
        self.imported: Findings | None = None
        self.ahead = 1
        self._poses: dict[int, Array] = {}
        self._others: dict[tuple[int, int], Array] = {}
        self._active_locks: tuple[Sequence | None, int, list[ActiveLock]] | None = None

    # -- what is shown -------------------------------------------------------------------------------------------

    @property
    def skeleton(self) -> Skeleton | None:
        """The active figure, or None."""
        return self.figures[self.active.figure].skeleton if self.active.figure >= 0 else None

    @property
    def sequence_index(self) -> int:
        """Index of the active figure's sequence, -1 without a figure."""
        return self.active.sequences[self.active.figure] if self.active.figure >= 0 else -1

    @property
    def sequence(self) -> Sequence | None:
        """The active figure's sequence, or None."""
        index = self.sequence_index
        return self.sequences[index] if index >= 0 else None

    @property
    def shown_sequences(self) -> list[Sequence]:
        """The sequence that each figure shows, in the order of the figures."""
        return [self.sequences[index] for index in self.active.sequences]

    @property
    def others(self) -> list[Sequence]:
        """The sequences of the other figures that are shown."""
        return [self.sequences[k] for i, k in enumerate(self.active.sequences) if i != self.active.figure]

    @property
    def figure_names(self) -> tuple[str, ...]:
        """By which parts of figures are known where there are several, see ``core.skeleton.figure_parts``."""
        return figure_names(figure.skeleton.name for figure in self.figures)

    @property
    def names_in_order(self) -> tuple[str, ...]:
        """The same with the active figure's first, then as ``others`` has them."""
        names, first = self.figure_names, self.active.figure
        return (names[first], *names[:first], *names[first + 1 :]) if first >= 0 else ()

    def part_name(self, joint: str) -> str:
        """Return by which name a joint of the active figure is attached to: with the figure's if there are several."""
        return full_name(self.figure_names[self.active.figure], joint) if len(self.figures) > 1 else joint

    @property
    def played(self) -> tuple[int, int]:
        """First and last frame that play: those of the active sequence.

        Where that ends with its last key, the others' last keys count too: a figure that just came has few keys.
        """
        sequence = self.sequence
        if sequence is None:
            return 0, 0
        first, last = sequence.range
        if sequence.ends_with_last_key:
            last = max(round(each.range[1] * sequence.fps / each.fps) for each in self.shown_sequences)
        return int(first), int(last)

    def keyed_pose(self, frame: int) -> Array:
        """Return the sequence's pose at a frame, the pending one left out; read-only, (0,) without a figure."""
        pose = self._poses.get(frame)
        if pose is None:
            sequence = self.sequence
            frames = self.frames_ahead(frame, self.active.figure)
            if len(self._poses) >= _CACHED_FRAMES:
                self._poses.clear()
            poses = np.zeros((len(frames), 0)) if sequence is None else sequence.poses_at_frames(frames)
            for each, q in zip(frames, poses, strict=True):
                self._poses[each] = read_only(q)
            pose = self._poses[frame]
        return pose

    def frames_ahead(self, frame: int, number: int) -> range:
        """Return the frames from one on that are worked out at once, for each figure up to another one.

        So that while several play no frame has to wait for all of them.
        """
        return range(frame, frame + self.ahead - (frame + _APART * max(number, 0)) % self.ahead)

    def figure_pose(self, number: int, frame: int) -> Array:
        """Return the keyed pose of a figure, shape (nq,), read-only: the one door to the poses of other figures.

        Args:
            number: Index of the figure.
            frame: Frame of the active sequence; a sequence of another rate is asked for the same time.
        """
        pose = self._others.get((number, frame))
        if pose is None:
            sequence, active = self.sequences[self.active.sequences[number]], self.sequence
            # Playing asks for the next frames soon: many at once take little longer than one.
            frames = self.frames_ahead(frame, number)
            factor = 1.0 if active is None or active.fps == sequence.fps else sequence.fps / active.fps
            if len(self._others) >= _CACHED_FRAMES:
                self._others.clear()
            for each, q in zip(frames, sequence.poses_at_frames([factor * each for each in frames]), strict=True):
                self._others[number, each] = read_only(q)
            pose = self._others[number, frame]
        return pose

    @property
    def pose(self) -> Array:
        """The pose at the current frame, the pending one if there is one; read-only."""
        return self.pending.q if self.pending is not None else self.keyed_pose(self.frame)

    def forget_poses(self) -> None:
        """Drop the cached poses after anything they depend on has changed."""
        self._poses.clear()
        self._others.clear()
        self._active_locks = None
        self._link_figures()

    def _link_figures(self) -> None:
        """Let the sequences that the figures show know each other where a lock of one names another figure."""
        shown = [
            (figure.skeleton.name, self.sequences[index])
            for figure, index in zip(self.figures, self.active.sequences, strict=False)
            if index < len(self.sequences)
        ]
        if not any(sequence.locks.name_other_figures for _, sequence in shown):
            for _, sequence in shown:
                if sequence.ensemble is not None:
                    sequence.ensemble = None
            return
        known = shown[0][1].ensemble
        if (
            known is None
            or known.names != tuple(name for name, _ in shown)
            or any(
                sequence.ensemble is not known or each is not sequence
                for (_, sequence), each in zip(shown, known.sequences, strict=True)
            )
        ):
            link(shown)

    # -- locks ---------------------------------------------------------------------------------------------------

    def active_locks(self, frame: int) -> list[ActiveLock]:
        """Return what locks act at a frame: (strip or None, lock, share of it that eases leave)."""
        known, sequence = self._active_locks, self.sequence
        if known is None or known[0] is not sequence or known[1] != frame:
            found = [] if sequence is None else list(sequence.locks.active(frame))
            self._active_locks = known = (sequence, frame, found)
        return known[2]

    def companions_of(self, index: int) -> dict[str, Sequence]:
        """Return the sequences that other figures show, by the names that locks of sequence number ``index`` have."""
        mine = self.sequences[index].skeleton
        found: dict[str, Sequence] = {}
        for sequence in self.shown_sequences:
            if sequence.skeleton is not mine:
                found.setdefault(sequence.skeleton.name, sequence)
        return found

    def all_locks(self) -> list[AllLocks]:
        """Return the locks, strips, layers and script of every sequence."""
        return [
            (tuple(item.locks), tuple(item.locks.strips), item.hybrid_strips, item.layers, item.script)
            for item in self.sequences
        ]

    def put_all_locks(self, locks: Iterable[AllLocks]) -> None:
        """Put locks, strips, layers and script of every sequence back as ``all_locks`` returned them."""
        for sequence, (always, strips, hybrid, layers, script) in zip(self.sequences, locks, strict=True):
            sequence.locks, sequence.locks.strips, sequence.hybrid_strips = list(always), strips, hybrid
            sequence.layers, sequence.script = [layer.on(sequence.skeleton) for layer in layers], script
        self.forget_poses()

    def other_figures(
        self, locks: Iterable[Lock] | None = None, frame: int | None = None
    ) -> dict[str, tuple[Skeleton, Array]]:
        """Return the other figures and their poses at a time, by name, for locks that name some.

        Args:
            locks: Locks whose figures are wanted; None for all other figures.
            frame: When; None for the current frame.
        """
        wanted = None if locks is None else {name for lock in locks for name in lock.figures}
        if wanted is not None and not wanted:
            return {}
        when = self.frame if frame is None else frame
        found: dict[str, tuple[Skeleton, Array]] = {}
        for i, figure in enumerate(self.figures):
            if i != self.active.figure and (wanted is None or figure.skeleton.name in wanted):
                found.setdefault(figure.skeleton.name, (figure.skeleton, self.figure_pose(i, when)))
        return found

    # -- changing ------------------------------------------------------------------------------------------------

    def put_keys(self, index: int, keys: Mapping[int, Key | None]) -> None:
        """Put keys at frames of sequence number ``index``, or take away what is there where the value is None."""
        sequence = self.sequences[index]
        sequence.change_keys(keys)
        self._poses.clear()
        tied = sequence.ensemble is not None
        if index != self.sequence_index or tied:
            self._others.clear()  # else the keys of one figure are none of the others' business
        plain = not (sequence.layers or sequence.timing.in_use)
        free = plain and not (sequence.locks.strips or sequence.locks or tied)
        if index == self.sequence_index and free:
            # At a key the pose is the key's, bit for bit; a drag need not work out the spans around it.
            whole = {frame: key.q for frame, key in keys.items() if key is not None and key.keyed is None}
            self._poses.update(whole)

    def show_pose(self, frame: int, q: Array) -> None:
        """Take a pose for the sequence's at a frame until something changes: it holds all locks there already."""
        self._poses[frame] = q

    def put_strips(self, index: int, strips: Iterable[LockStrip]) -> None:
        """Put other lock strips in the place of those of sequence number ``index``."""
        self.sequences[index].locks.strips = tuple(strips)
        self.forget_poses()

    def put_layers(self, index: int, layers: Iterable[Layer]) -> None:
        """Put other layers in the place of those of sequence number ``index``; the figure may be one made anew."""
        sequence = self.sequences[index]
        sequence.layers = [layer.on(sequence.skeleton) for layer in layers]
        self._poses.clear()
        if index != self.sequence_index or sequence.ensemble is not None:
            self._others.clear()

    def put_hybrid_strips(self, index: int, strips: Iterable[HybridStrip]) -> None:
        """Put other hybrid strips in the place of those of sequence number ``index``; no pose depends on them."""
        self.sequences[index].hybrid_strips = tuple(strips)

    def replace_figure(
        self,
        index: int,
        figure: Figure,
        keys: Mapping[int, tuple[Key, ...]] | None = None,
        timings: Mapping[int, Mapping[str, TimingCurve]] | None = None,
    ) -> None:
        """Put another figure in a figure's place; its sequences now move this one, and locks go along.

        A lock whose part is gone is dropped.

        Args:
            index: Index of the figure.
            figure: The other one.
            keys: Keys of each of its sequences, by the sequence's index; None if it has the same degrees of freedom
                and the keys stay.
            timings: Timing curves of each of its sequences likewise.
        """
        old = self.figures[index].skeleton
        self.figures[index] = figure
        new = figure.skeleton
        self.sequences = [
            sequence_for(item, new, (keys or {}).get(i), (timings or {}).get(i))
            if item.skeleton is old
            else renamed_figure_in(item, old, new)
            for i, item in enumerate(self.sequences)
        ]
        self.forget_poses()

    def keys_and_timings(
        self, figure: Skeleton
    ) -> tuple[dict[int, tuple[Key, ...]], dict[int, Mapping[str, TimingCurve]]]:
        """Return the keys and the timing curves of all sequences of a figure, by the sequence's index."""
        own = {i: sequence for i, sequence in enumerate(self.sequences) if sequence.skeleton is figure}
        return {i: item.keys for i, item in own.items()}, {i: item.timing.curves for i, item in own.items()}

    def figure_of(self, sequence: Sequence) -> int:
        """Return the index of the figure a sequence moves."""
        return next(i for i, figure in enumerate(self.figures) if figure.skeleton is sequence.skeleton)

    def check(self) -> None:
        """Check that figures, sequences, what is active and the pending pose fit together; for content from files.

        Raises:
            SequenceError: If a sequence or what is active names something that is not there.
            PoseError: If the pending pose does not fit the figure.
        """
        skeletons = [figure.skeleton for figure in self.figures]
        for sequence in self.sequences:
            if not any(sequence.skeleton is skeleton for skeleton in skeletons):
                raise SequenceError(f'sequence "{sequence.name}" moves a figure that is not in the document')
        shown = self.active.sequences
        fits = len(shown) == len(skeletons) and all(
            0 <= index < len(self.sequences) and self.sequences[index].skeleton is skeletons[i]
            for i, index in enumerate(shown)
        )
        if not fits or not (0 <= self.active.figure < len(skeletons) or (self.active.figure == -1 and not skeletons)):
            raise SequenceError(f"figure {self.active.figure} with sequences {shown} cannot be active here")
        if self.pending is not None:
            if self.skeleton is None:
                raise SequenceError("a pose is pending, but there is no figure")
            self.skeleton.check_pose(self.pending.q)

    # -- the whole -----------------------------------------------------------------------------------------------

    def to_json(self) -> Record:
        """Return the complete state; two models are equal bit for bit exactly if these are equal as JSON text."""
        return {
            "figures": [figure.to_json() for figure in self.figures],
            "sequences": [sequence_to_json(sequence, self.figure_of(sequence)) for sequence in self.sequences],
            "active": {"figure": self.active.figure, "sequences": list(self.active.sequences)},
            "pending": None if self.pending is None else self.pending.to_json(),
            "view": self.view,
            "physics": self.physics,
            "extra": self.extra,
            "unit": self.unit,
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Model:
        """Return the model of a state.

        Raises:
            core.errors.CoreError: If a figure or a sequence in it is not valid.
        """
        model = cls()
        model.figures = [Figure.from_json(figure) for figure in record["figures"]]
        model.sequences = [
            sequence_from_json(sequence, model.figures[sequence["figure"]].skeleton) for sequence in record["sequences"]
        ]
        model.active = Active(record["active"]["figure"], tuple(record["active"]["sequences"]))
        model.pending = Pending.from_json(record["pending"])
        model.frame = model.pending.frame if model.pending is not None else 0
        model.view, model.physics, model.extra = dict(record["view"]), dict(record["physics"]), dict(record["extra"])
        model.unit = record["unit"]
        model.forget_poses()
        return model

    @classmethod
    def of(cls, figures: Iterable[Figure], sequences: Iterable[Sequence] = ()) -> Model:
        """Return a model of figures and their sequences; a figure without one gets an empty sequence."""
        model = cls()
        model.figures = list(figures)
        model.sequences = list(sequences)
        shown: list[int] = []
        for figure in model.figures:
            own = [i for i, sequence in enumerate(model.sequences) if sequence.skeleton is figure.skeleton]
            if not own:
                own = [len(model.sequences)]
                model.sequences.append(new_sequence(figure.skeleton))
            shown.append(own[0])
        model.active = Active(0 if model.figures else -1, tuple(shown))
        if model.sequence is not None:
            model.frame = model.sequence.range[0]
        model.forget_poses()
        return model
