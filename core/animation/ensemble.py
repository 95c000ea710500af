"""Several figures on one clock: those that locks tie together at a moment are solved as one.

A lock that names another figure is an edge from its figure to that one, and back as well where it is mutual. Figures
that reach each other both ways, such as dancers who hold hands, or a man and the box that hangs on one of his hands
while he holds it with both, are one system: their skeletons are joined (``core.skeleton.joined``) and held like one
figure. A figure that only leads, such as one whose shoulder a hand lies on, comes first by itself, and its pose stands
still while those that follow are solved. A figure that no lock ties to another at a moment has the pose it has alone,
bit for bit.

Time is counted in seconds: sequences of other frame rates meet at the same moment, not at the same frame.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.animation.curves.tracks import snapped
from core.animation.locks.giving_up import GivingUp
from core.animation.locks.holding import OFF, Holding, LockTimes, Motion, Solvers
from core.arrays import Array, Ints
from core.constraints.joined_locks import joined_lock, joined_target, parted_target
from core.constraints.lock import Lock
from core.constraints.places import Figures
from core.errors import SequenceError
from core.skeleton.joined import Joined, joined

if TYPE_CHECKING:
    from core.animation.sequence import Sequence

Bools = NDArray[np.bool_]

_MOST_ANSWERS = 64
_LONGEST_ANSWER = 256  # frames


class System(NamedTuple):
    """Figures that are solved together at a moment.

    Attributes:
        names: Their names, in the order in which they are joined: first those that are solved, then those that lead.
        joined: The figures as one.
        locks: The locks in effect, with joints of the joined figure.
        leaders: Names of those whose poses stand.
        fixed: Values of the joined pose that nothing may move.
        pose: The joined pose that holds the locks, shape (nq,).
    """

    names: tuple[str, ...]
    joined: Joined
    locks: tuple[Lock, ...]
    leaders: frozenset[str]
    fixed: tuple[int, ...]
    pose: Array


class _Crossing(NamedTuple):
    """A lock between two figures: its number in the owner's list, whose it is, which figure it names, and if mutual."""

    number: int
    owner: int
    other: int
    mutual: bool


class _Member(NamedTuple):
    """What holds one figure's locks where no other figure is tied to it.

    Attributes:
        sequence: Its sequence.
        times: Its locks over time.
        alone: Holds them.
        names: Which figures the names in its locks mean.
    """

    sequence: Sequence
    times: LockTimes
    alone: Holding
    names: Mapping[str, int]


class _Part(NamedTuple):
    """The locks of one member of a system.

    Attributes:
        times: Its locks over time, all of them.
        numbers: Those that count in the system.
        ratio: Its frames in one frame of the system's clock.
    """

    times: LockTimes
    numbers: Ints
    ratio: float


class Ensemble:
    """Sequences of several figures. Threads that ask at once wait for each other.

    It sees at each question whether any of its sequences has been edited since, and works all out anew then.

    Args:
        figures: Sequences by the names that locks have for their figures, or pairs of a name and a sequence, in the
            order of the document. Of figures with one name locks mean the first that is not their own.

    Attributes:
        names: The names.
        sequences: The sequences.
    """

    def __init__(self, figures: Mapping[str, Sequence] | Iterable[tuple[str, Sequence]]):
        pairs = tuple(figures.items()) if isinstance(figures, Mapping) else tuple(figures)
        self.names = tuple(name for name, _ in pairs)
        self.sequences = tuple(sequence for _, sequence in pairs)
        self._guard = threading.RLock()
        self._stamp: tuple[Any, ...] = ()
        self._locks_stamp: tuple[Any, ...] = ()
        self._members: tuple[_Member, ...] = ()
        self._crossings: tuple[_Crossing, ...] = ()
        self._parts: dict[bytes, tuple[tuple[tuple[int, ...], tuple[int, ...]] | None, ...]] = {}
        self._shared: dict[tuple[tuple[int, ...], tuple[int, ...]], _Shared] = {}
        self._solvers: dict[tuple[tuple[int, ...], tuple[int, ...]], Solvers] = {}
        self._answers: dict[Any, tuple[Array, Array, Array]] = {}
        self._ready: dict[Any, Array] = {}

    # -- who is there --------------------------------------------------------------------------------------------

    def index(self, sequence: Sequence) -> int:
        """Return the number of a sequence.

        Raises:
            SequenceError: If it is none of these.
        """
        for k, each in enumerate(self.sequences):
            if each is sequence:
                return k
        raise SequenceError(f'sequence "{sequence.name}" is none of those of {", ".join(self.names) or "no figure"}')

    def others(self, index: int) -> dict[str, Sequence]:
        """Return the sequences of the other figures by the names that locks of one have for them."""
        found: dict[str, Sequence] = {}
        for k, (name, sequence) in enumerate(zip(self.names, self.sequences, strict=True)):
            if k != index:
                found.setdefault(name, sequence)
        return found

    def forget_answers(self) -> None:
        """Forget the poses that were asked for last, which are kept for the others of a system."""
        self._answers, self._ready = {}, {}

    def ties(self, index: int) -> bool:
        """Return whether a lock ties a figure to another at any time."""
        with self._guard:
            self._refresh()
            return any(index in (each.owner, each.other) for each in self._crossings)

    # -- poses ---------------------------------------------------------------------------------------------------

    def poses(self, times: object) -> dict[str, Array]:
        """Return the poses of all figures at many times, locks held, by name, shape (m, nq) each.

        Args:
            times: Shape (m,), [s].

        Raises:
            SequenceError: If a time is not finite.
        """
        return {name: sequence.poses(times) for name, sequence in self._linked()}

    def pose(self, name: str, time: float) -> Array:
        """Return the pose of a figure at a time, [s], shape (nq,).

        Raises:
            SequenceError: If there is no such figure, or the time is not finite.
        """
        return self._named(name).poses([time])[0]

    def partners(self, frame: float, name: str) -> frozenset[str]:
        """Return the names of the others that are solved together with a figure at a frame of its own clock.

        Raises:
            SequenceError: If there is no such figure.
        """
        index = self.index(self._named(name))
        with self._guard:
            self._refresh()
            together = self._together(index, self._live(index, snapped(np.array([float(frame)])))[0])
        return frozenset(self.names[k] for k in (together or ((), ()))[0] if k != index)

    def system(self, frame: float, name: str, whole: bool = False) -> System:
        """Return what is solved together with a figure at a frame of its own clock; it may be alone in it.

        Args:
            frame: The frame.
            name: The figure.
            whole: Whether locks that are just coming on or going off are left out.

        Raises:
            SequenceError: If there is no such figure.
        """
        index = self.index(self._named(name))
        with self._guard:
            self._refresh()
            frames = snapped(np.array([float(frame)]))
            solved, leading = self._together(index, self._live(index, frames)[0]) or ((index,), ())
            shared = self._sharing(solved, leading)
            there = shared.frames(index, frames)
            start = self._joined_poses(shared, there)
            now = float(there[0])
            found = shared.holding.locks_at(now, start[0])
            if whole:
                found = [(n, lock) for n, lock in found if shared.times.factor(n, now) >= 1.0]
            pose = shared.holding.held(there, start)[0]
        return System(
            tuple(self.names[k] for k in (*solved, *leading)),
            shared.joined,
            tuple(lock for _, lock in found),
            frozenset(self.names[k] for k in leading),
            shared.fixed,
            pose,
        )

    def _named(self, name: str) -> Sequence:
        for each, sequence in self._linked():
            if each == name:
                return sequence
        known = ", ".join(f'"{each}"' for each in self.names) or "none"
        raise SequenceError(f'there is no figure "{name}"; there are {known}')

    def _linked(self) -> Iterator[tuple[str, Sequence]]:
        """Yield names and sequences, which must know that they belong together."""
        for name, sequence in zip(self.names, self.sequences, strict=True):
            if sequence.ensemble is not self:
                raise SequenceError(f'sequence "{sequence.name}" of "{name}" is not linked to the others')
            yield name, sequence

    # -- what holds the locks of one of them -----------------------------------------------------------------------

    def held(self, index: int, frames: Array, poses: Array | None = None, residuals: Array | None = None) -> Array:
        """Return the poses of a figure that hold its locks, and those that tie it to others.

        Args:
            index: Its number.
            frames: Frame numbers on its own clock, snapped, shape (m,).
            poses: Its interpolated poses there, shape (m, nq); None to work them out.
            residuals: Takes what is left of each of its locks, [m] or [rad], shape (m, number of locks).
        """
        with self._guard:
            self._refresh()
            asked = (index, frames.tobytes()) if poses is None and residuals is None else None
            if asked in self._ready:
                return self._ready[asked].copy()
            member = self._members[index]
            live = self._live(index, frames)
            on = live.any(axis=1)
            if poses is None and not on.all():
                poses = member.sequence.interpolated_at_frames(frames)
            if not on.any():
                assert poses is not None
                return self._alone(index, frames, poses, residuals)
            result = np.empty((len(frames), member.sequence.skeleton.nq))
            for row, at in _rows(live):
                together = self._together(index, row)
                own = None if poses is None else poses[at]
                left = None if residuals is None else np.zeros((len(at), residuals.shape[1]))
                if together is None:
                    own = member.sequence.interpolated_at_frames(frames[at]) if own is None else own
                    result[at] = self._alone(index, frames[at], own, left)
                else:
                    result[at] = self._in_system(index, together, frames[at], own, left)
                if residuals is not None:
                    residuals[at] = left
            return result

    def linked(self, index: int, frames: Array) -> Bools:
        """Return at which frames of its own clock a figure is solved with others or after them, shape (m,)."""
        with self._guard:
            self._refresh()
            found = np.zeros(len(frames), dtype=bool)
            for row, at in _rows(self._live(index, frames)):
                found[at] = self._together(index, row) is not None
            return found

    def locks_at(self, index: int, frame: float) -> list[tuple[int, Lock]]:
        """Return a figure's locks in effect at a frame with their numbers, eased targets and all."""
        with self._guard:
            self._refresh()
            member, frames = self._members[index], np.array([frame])
            together = self._together(index, self._live(index, frames)[0])
            if together is None:
                return member.alone.locks_at(frame)
            shared = self._sharing(*together)
            there = shared.frames(index, frames)
            found = shared.holding.locks_at(float(there[0]), self._joined_poses(shared, there)[0])
        own = shared.places[index]
        names = shared.names(index)
        return [
            (
                n,
                replace(
                    member.times.locks[n],
                    target=parted_target(lock, lock.target, own, shared.joined, names),
                    weight=lock.weight,
                ),
            )
            for n, lock in ((shared.times.own(n, own), lock) for n, lock in found)
            if n >= 0
        ]

    def figures(self, index: int, frame: float) -> Figures:
        """Return the figures that a figure's locks may name, in their poses at a frame of its own clock."""
        with self._guard:
            self._refresh()
            found = {}
            for name, k in self._members[index].names.items():
                frames = _on_clock(np.array([frame]), self.sequences[index].fps, self.sequences[k].fps)
                found[name] = self.sequences[k].skeleton, self.held(k, frames)[0]
            return found

    def alone(self, index: int) -> Holding:
        """Return what holds a figure's locks where no other figure is tied to it, as long as no sequence is edited."""
        with self._guard:
            self._refresh()
            return self._members[index].alone

    # -- who is tied to whom -------------------------------------------------------------------------------------

    def _refresh(self) -> None:
        """Forget all if a sequence has been edited since; solvers only if its locks have."""
        stamp = tuple(sequence.locks.edition for sequence in self.sequences)
        if stamp == self._stamp:
            return
        locks_stamp = tuple(sequence.locks.contents for sequence in self.sequences)
        if locks_stamp != self._locks_stamp:
            self._solvers = {}
        self._stamp, self._locks_stamp = stamp, locks_stamp
        self._parts, self._shared = {}, {}
        self.forget_answers()
        self._members = tuple(map(self._member, range(len(self.sequences))))
        found = []
        for k, member in enumerate(self._members):
            for n in np.flatnonzero(member.times.elsewhere).tolist() if member.sequence.locks.holds else ():
                lock = member.times.locks[n]
                found += [_Crossing(n, k, member.names[name], lock.mutual) for name in lock.figures]
        self._crossings = tuple(found)

    def _member(self, index: int) -> _Member:
        sequence = self.sequences[index]
        names: dict[str, int] = {}
        for k, name in enumerate(self.names):
            if k != index:
                names.setdefault(name, k)
        times = LockTimes(
            tuple(sequence.locks),
            sequence.locks.strips,
            {name: self.sequences[k].skeleton for name, k in names.items()},
        )
        return _Member(sequence, times, Holding(sequence.motion, times), names)

    def _alone(self, index: int, frames: Array, poses: Array, residuals: Array | None) -> Array:
        member = self._members[index]
        return member.alone.held(frames, poses, residuals) if member.sequence.locks.in_effect else poses

    def _live(self, index: int, frames: Array) -> Bools:
        """Return which locks between figures are on at frames of a figure's clock, shape (m, number of them)."""
        found = np.zeros((len(frames), len(self._crossings)), dtype=bool)
        known: dict[int, NDArray[np.int8]] = {}
        for c, each in enumerate(self._crossings):
            if each.owner not in known:
                there = _on_clock(frames, self.sequences[index].fps, self.sequences[each.owner].fps)
                known[each.owner] = self._members[each.owner].times.states(there)
            found[:, c] = known[each.owner][:, each.number] > OFF
        return found

    def _together(self, index: int, live: Bools) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
        """Return who is solved together with a figure, and who leads them; None if it is alone.

        Args:
            index: The figure.
            live: Which locks between figures are on, shape (number of them,).
        """
        name = live.tobytes()
        if name not in self._parts:
            self._parts[name] = self._find_parts(live)
        return self._parts[name][index]

    def _find_parts(self, live: Bools) -> tuple[tuple[tuple[int, ...], tuple[int, ...]] | None, ...]:
        count = len(self.sequences)
        step = np.zeros((count, count), dtype=bool)
        for on, each in zip(live.tolist(), self._crossings, strict=True):
            step[each.owner, each.other] |= on
            step[each.other, each.owner] |= on and each.mutual
        reach = step.copy()
        for k in range(count):
            reach |= reach[:, k : k + 1] & reach[k : k + 1]
        found = []
        for k in range(count):
            solved = tuple(j for j in range(count) if j == k or (reach[k, j] and reach[j, k]))
            leading = tuple(j for j in range(count) if j not in solved and step[list(solved), j].any())
            found.append((solved, leading) if len(solved) > 1 or leading else None)
        return tuple(found)

    # -- solving them --------------------------------------------------------------------------------------------

    def _sharing(self, solved: tuple[int, ...], leading: tuple[int, ...]) -> _Shared:
        name = solved, leading
        if name not in self._shared:
            solvers = self._solvers.setdefault(name, {})
            self._shared[name] = _Shared(self._members, solved, leading, solvers)
        return self._shared[name]

    def _joined_poses(self, shared: _Shared, frames: Array, known: Mapping[int, Array] | None = None) -> Array:
        """Return the joined poses from which a system is solved: interpolated ones, and of leaders those they have.

        Args:
            shared: The system.
            frames: Frames of its clock, shape (m,).
            known: Interpolated poses that are known already, by the figure's number.
        """
        known = known or {}
        own = [
            known[k] if k in known else self.sequences[k].interpolated_at_frames(shared.own_frames(k, frames))
            for k in shared.solved
        ]
        led = [self.held(k, shared.own_frames(k, frames)) for k in shared.leading]
        return shared.joined.join([*own, *led])

    def _in_system(
        self,
        index: int,
        together: tuple[tuple[int, ...], tuple[int, ...]],
        frames: Array,
        poses: Array | None,
        residuals: Array | None,
    ) -> Array:
        """Return the poses of one figure of a system; arguments as of ``held``."""
        shared = self._sharing(*together)
        own = shared.places[index]
        columns, there = shared.joined.columns[own], shared.frames(index, frames)
        name = (together, there.tobytes()) if len(frames) <= _LONGEST_ANSWER else None
        known = self._answers.get(name)
        if known is not None and poses is not None and not np.array_equal(known[0][:, columns], poses):
            known, name = None, None  # asked for other poses than those that the sequence has
        if known is None:
            start = self._joined_poses(shared, there, {} if poses is None else {index: poses})
            left = np.zeros((len(frames), len(shared.times.locks)))
            known = start, shared.holding.held(there, start, left), left
            if name is not None:
                if len(self._answers) >= _MOST_ANSWERS:
                    self.forget_answers()
                self._answers[name] = known
                for k in shared.solved if poses is None else ():
                    pose = known[1][:, shared.joined.columns[shared.places[k]]]
                    self._ready[k, shared.own_frames(k, there).tobytes()] = pose
        if residuals is not None:
            for n in range(known[2].shape[1]):
                number = shared.times.own(n, own)
                if number >= 0:
                    residuals[:, number] = known[2][:, n]
        return known[1][:, columns].copy()


class _Shared:
    """What holds the locks of a system.

    Args:
        members: All figures.
        solved: Numbers of those that are solved; the first one's clock is the system's.
        leading: Numbers of those that lead.
        solvers: Solvers of the same locks, kept from before.
    """

    def __init__(
        self,
        members: tuple[_Member, ...],
        solved: tuple[int, ...],
        leading: tuple[int, ...],
        solvers: Solvers,
    ):
        self._members = members
        self.solved, self.leading = solved, leading
        all_of_them = (*solved, *leading)
        self.places = {k: place for place, k in enumerate(all_of_them)}
        self.joined = J = joined([members[k].sequence.skeleton for k in all_of_them])
        self.fps = members[solved[0]].sequence.fps
        self.fixed = (*J.FIXED, *(v for k in leading for v in range(*J.columns[self.places[k]].indices(J.nq))))
        self.times = JoinedTimes(J, [self._part(k) for k in solved], [self.names(k) for k in solved])
        motion = Motion(J, self._keys, self._interpolated, self.fps, gives_up=False, fixed=self.fixed)
        self.holding = Holding(motion, self.times, solvers)

    def names(self, index: int) -> dict[str, int]:
        """Return which members of the joined figure the names in a figure's locks mean."""
        return {name: self.places[k] for name, k in self._members[index].names.items() if k in self.places}

    def _part(self, index: int) -> _Part:
        member, names = self._members[index], self.names(index)
        on = [
            n
            for n, lock in enumerate(member.times.locks)
            if not lock.figures or (member.times.elsewhere[n] and all(name in names for name in lock.figures))
        ]
        numbers = np.array(on if member.sequence.locks.in_effect else [], dtype=np.intp)
        return _Part(member.times, numbers, member.sequence.fps / self.fps)

    def frames(self, index: int, frames: Array) -> Array:
        """Return frames of the system's clock at the moments of frames of a figure's, shape (m,)."""
        return _on_clock(frames, self._members[index].sequence.fps, self.fps)

    def own_frames(self, index: int, frames: Array) -> Array:
        """Return frames of a figure's clock at the moments of frames of the system's, shape (m,)."""
        return _on_clock(frames, self.fps, self._members[index].sequence.fps)

    def _keys(self, joints: tuple[int, ...]) -> Array:
        found = [np.empty(0)]
        own: dict[int, list[int]] = {}
        for joint in joints:
            place, number = self.joined.member_of(joint)
            if place >= 0:
                own.setdefault(place, []).append(max(number, 0))  # the place is keyed with the root
        for place, numbers in own.items():
            index = (*self.solved, *self.leading)[place]
            found.append(self.frames(index, self._members[index].sequence.motion.keys(tuple(numbers))))
        return np.unique(np.concatenate(found))

    def _interpolated(self, frames: Array) -> Array:
        """Return the joined poses without any locks, of those that lead too: what limbs have at keys goes by them."""
        everybody = (*self.solved, *self.leading)
        return self.joined.join(
            [self._members[k].sequence.interpolated_at_frames(self.own_frames(k, frames)) for k in everybody]
        )


class JoinedTimes:
    """The locks of several sequences over time, as locks of the joined figure; see ``LockTimes``.

    Args:
        J: The joined figure.
        parts: The locks of its first members.
        names: Of each of these, which members the names in its locks mean.

    Attributes:
        locks: The locks, one member's after the other's.
    """

    def __init__(self, J: Joined, parts: list[_Part], names: list[dict[str, int]]):
        self._parts, self._joined, self._names = parts, J, names
        self._of = [(place, int(n)) for place, part in enumerate(parts) for n in part.numbers]
        self.locks: tuple[Lock, ...] = tuple(
            joined_lock(parts[place].times.locks[n], place, J, names[place]) for place, n in self._of
        )

    def own(self, number: int, place: int) -> int:
        """Return the number that a lock has in the list of a member, -1 if it is another one's."""
        whose, n = self._of[number]
        return n if whose == place else -1

    def states(self, frames: Array) -> NDArray[np.int8]:
        """Return for each frame and lock whether it is off, eased or full, shape (m, number of locks)."""
        found = [part.times.states(_scaled(frames, part.ratio))[:, part.numbers] for part in self._parts]
        result: NDArray[np.int8] = np.concatenate(found, axis=1)
        return result

    def _there(self, number: int, frame: float) -> tuple[_Part, int, float]:
        place, n = self._of[number]
        part = self._parts[place]
        return part, n, float(_scaled(np.array([frame]), part.ratio)[0])

    def target(self, number: int, frame: float) -> Any:
        """Return the target of a lock at a frame."""
        if not self.keyed(number):
            return self.locks[number].target
        part, n, there = self._there(number, frame)
        place, _ = self._of[number]
        return joined_target(self.locks[number], part.times.target(n, there), place, self._joined, self._names[place])

    def keyed(self, number: int) -> bool:
        """Return whether a lock has a target that moves."""
        place, n = self._of[number]
        return self._parts[place].times.keyed(n)

    def target_frames(self, number: int) -> Array:
        """Return the frames in a lock's strip at which its target is keyed, shape (k,)."""
        place, n = self._of[number]
        part = self._parts[place]
        return np.asarray(part.times.target_frames(n) / part.ratio)

    def lock(self, number: int, frame: float) -> Lock:
        """Return a lock with its target at a frame."""
        lock, target = self.locks[number], self.target(number, frame)
        return lock if target is lock.target else replace(lock, target=target)

    def span(self, number: int) -> tuple[float, float] | None:
        """Return the first and last frame of a lock's strip; None if it holds at all times."""
        place, n = self._of[number]
        part = self._parts[place]
        own = part.times.span(n)
        return None if own is None else (own[0] / part.ratio, own[1] / part.ratio)

    def factor(self, number: int, frame: float) -> float:
        """Return how far a lock has come on at a frame."""
        part, n, there = self._there(number, frame)
        return part.times.factor(n, there)


class PartnerHolding(Holding):
    """Holds the locks of one figure among several.

    Args:
        ensemble: All of them.
        index: Which one it is.
        motion: What its own locks hold on to.
    """

    def __init__(self, ensemble: Ensemble, index: int, motion: Motion):
        self._ensemble, self._index, self._alone = ensemble, index, ensemble.alone(index)
        super().__init__(motion, self._alone.times)

    def held(self, frames: Array, poses: Array, residuals: Array | None = None) -> Array:
        return self._ensemble.held(self._index, frames, poses, residuals)

    def moved(self, frames: Array) -> Bools:
        found: Bools = super().moved(frames) | self._ensemble.linked(self._index, frames)
        return found

    @property
    def giving_up(self) -> GivingUp | None:
        """What finds where locks are given up where the figure is alone; None where that is not done."""
        return self._alone.giving_up

    def kept(self, frames: Array) -> Array:
        return np.where(self._ensemble.linked(self._index, frames), 1.0, super().kept(frames))

    def locks_at(self, frame: float, pose: Array | None = None) -> list[tuple[int, Lock]]:
        return self._ensemble.locks_at(self._index, frame)

    def figures(self, frame: float) -> Figures:
        return self._ensemble.figures(self._index, frame)


def link(figures: Mapping[str, Sequence] | Iterable[tuple[str, Sequence]]) -> Ensemble:
    """Return the ensemble of figures, each of whose sequences now knows the others; see :class:`Ensemble`."""
    made = Ensemble(figures)
    for sequence in made.sequences:
        sequence.ensemble = made
    return made


def _scaled(frames: Array, ratio: float) -> Array:
    return frames if ratio == 1.0 else snapped(frames * ratio)


def _on_clock(frames: Array, fps: float, other: float) -> Array:
    """Return the frames at another rate at the moments of frames at one, the same ones where the rates are."""
    return _scaled(frames, other / fps)


def _rows(live: Bools) -> Iterator[tuple[Bools, Ints]]:
    """Yield each row that occurs with where it does."""
    if len(live) == 1:
        yield live[0], np.zeros(1, dtype=np.intp)
        return
    kinds, which = np.unique(live, axis=0, return_inverse=True)
    for k, row in enumerate(kinds):
        yield row, np.flatnonzero(which.reshape(-1) == k)
