"""Locks in time: the pose at any time is the interpolated one, projected onto the locks in effect.

A pose depends on the keys, the locks and the time alone, whichever others were asked for before. The projection starts
from the interpolated pose and stays near it; the root is a thousand times less mobile than in a drag, so that it goes
where the animator keyed it and the limbs do the rest. Before that, the root steps back where a limb would get straight
(``core.animation.locks.soft_reach``).

A lock that comes on gradually is held exactly at a target between its own and where the part would be without it. Where
several do so at once, each has the others as they are then: so one may begin, or reach its full strength, without the
others noticing.
"""

from __future__ import annotations

import itertools
import json
import math
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from core.animation.locks.giving_up import GivingUp
from core.animation.locks.soft_reach import Limb, Slack, limb_joints, limbs_of, root_steps
from core.animation.locks.strip import LockStrip, strip_to_json
from core.arrays import Array, Ints
from core.constraints.lock import Lock
from core.constraints.places import Figures, Places
from core.constraints.records import lock_to_json
from core.constraints.solve_locks import LockSolver, lock_residuals
from core.errors import JointError, LockError
from core.kinematics.forward import forward_kinematics
from core.skeleton import Skeleton
from core.skeleton.joined import Joined
from core.skeleton.tree import pack

OFF, EASED, FULL = 0, 1, 2
"""A lock that is off, one that is coming on or going off, and one that is kept in full."""


class LockTimes:
    """The locks of a sequence over time, by number: first those that hold at all times, then those of strips.

    Args:
        locks: Locks that hold at all times.
        strips: Lock strips.
        figures: The other figures that are there by name; locks that name one that is not, or none of its joints, are
            off.

    Attributes:
        strips: The strips.
        always: How many locks hold at all times.
        locks: All locks, the strip's weight in each.
        elsewhere: Which name another figure that is there, shape (k,).
        start: First frames of the strips, shape (number of strips,).
        end: Their last moments.
    """

    def __init__(
        self, locks: tuple[Lock, ...], strips: tuple[LockStrip, ...], figures: Mapping[str, Skeleton] | None = None
    ):
        self.strips = strips
        self.always = len(locks)
        self.locks = (*locks, *(strip.weighted(strip.lock) for strip in strips))
        named = np.array([bool(lock.figures) for lock in self.locks], dtype=bool)
        there = np.array([_is_there(lock, figures or {}) for lock in self.locks], dtype=bool)
        self.elsewhere, missing = named & there, named & ~there
        nothing = np.array([max(lock.weights) <= 0.0 for lock in self.locks], dtype=bool)
        self._silent = missing | nothing
        self.start = np.array([strip.start for strip in strips], dtype=np.float64)
        self.end = np.array([_last_moment(strip, strips) for strip in strips], dtype=np.float64)
        eases = np.array([strip.eases for strip in strips]).reshape(-1, 2)
        self._full = self.start + eases[:, 0], self.end - eases[:, 1]

    def states(self, frames: Array) -> NDArray[np.int8]:
        """Return for each frame and lock whether it is off, eased or full, shape (m, number of locks)."""
        at = frames[:, None]
        found = np.full((len(frames), len(self.locks)), FULL, dtype=np.int8)
        strips = found[:, self.always :]
        strips[(at < self._full[0]) | (at > self._full[1])] = EASED
        # With an ease nothing of the lock is on at its very ends.
        started = (at > self.start) | ((at == self.start) & (self._full[0] == self.start))
        ended = (at > self.end) | ((at == self.end) & (self._full[1] < self.end))
        strips[~started | ended] = OFF
        found[:, self._silent] = OFF
        return found

    def target(self, number: int, frame: float) -> Any:
        """Return the target of a lock at a frame."""
        if number < self.always:
            return self.locks[number].target
        return self.strips[number - self.always].target_at(frame)

    def keyed(self, number: int) -> bool:
        """Return whether a lock has a target that moves."""
        return number >= self.always and self.strips[number - self.always].moves

    def target_frames(self, number: int) -> Array:
        """Return the frames at which a lock's target is keyed while its strip is on, shape (k,).

        With that at which one of the same lock goes on: up to there it is.
        """
        if number < self.always:
            return np.zeros(0)
        n = number - self.always
        found = np.array([key.frame for key in self.strips[n].targets], dtype=np.float64)
        return found[(found >= self.start[n]) & (np.nextafter(found, -np.inf) <= self.end[n])]

    def lock(self, number: int, frame: float) -> Lock:
        """Return a lock with its target at a frame."""
        lock = self.locks[number]
        target = self.target(number, frame)
        return lock if target is lock.target else replace(lock, target=target)

    def span(self, number: int) -> tuple[float, float] | None:
        """Return the first and last frame of a lock's strip; None if it holds at all times."""
        if number < self.always:
            return None
        strip = self.strips[number - self.always]
        return float(strip.start), math.inf if strip.end is None else float(strip.end)

    def factor(self, number: int, frame: float) -> float:
        """Return how far a lock has come on at a frame."""
        return 1.0 if number < self.always else self.strips[number - self.always].factor_at(frame)


class AnyTimes(Protocol):
    """Locks over time, by number: those of a sequence, or of several on one clock; see ``LockTimes``."""

    @property
    def locks(self) -> tuple[Lock, ...]: ...
    def states(self, frames: Array) -> NDArray[np.int8]: ...
    def target(self, number: int, frame: float) -> Any: ...
    def keyed(self, number: int) -> bool: ...
    def target_frames(self, number: int) -> Array: ...
    def lock(self, number: int, frame: float) -> Lock: ...
    def span(self, number: int) -> tuple[float, float] | None: ...
    def factor(self, number: int, frame: float) -> float: ...


Solvers = dict[tuple[tuple[int, ...], tuple[int, ...]], LockSolver]
"""Solvers by the numbers of their locks, and of those that get targets which are not their own."""


def _good_for_one(locks: tuple[Lock, ...]) -> bool:
    """Return whether a solver of these locks is good for one frame only."""
    return any(lock.rule.pose_dependent for lock in locks)


def _as_bytes(s: Skeleton, times: LockTimes) -> bytes:
    """Return the locks of a figure as bytes: the same ones as long as they hold the same."""
    always = [lock_to_json(lock, s) for lock in times.locks[: times.always]]
    strips = [{**strip_to_json(strip, s), "id": "", "name": ""} for strip in times.strips]
    return json.dumps([always, strips]).encode()


def _is_there(lock: Lock, figures: Mapping[str, Skeleton]) -> bool:
    """Return whether what a lock names of other figures is there."""
    if not lock.figures or not all(name in figures for name in lock.figures):
        return False
    try:
        if lock.second is not None:
            figure, joint, _ = lock.second
            return figures[str(figure)].joint_index(joint) >= 0
        lock.rule.check_others(lock.target, figures.__getitem__)
    except (JointError, LockError):
        return False
    return True


def _last_moment(strip: LockStrip, strips: tuple[LockStrip, ...]) -> float:
    """Return the last moment a strip is on: its end, or just before one of the same lock goes on a frame later.

    So the halves of a strip that was split hold between the frames of the cut, too.
    """
    if strip.end is None:
        return float("inf")
    for other in strips:
        same = other.lock.joint == strip.lock.joint and other.lock.kind == strip.lock.kind
        if same and other.start == strip.end + 1 and other.eases[0] == 0.0 and strip.eases[1] == 0.0:
            return float(np.nextafter(other.start, -np.inf))
    return float(strip.end)


def groups(states: NDArray[np.int8]) -> Iterator[tuple[NDArray[np.int8], Ints]]:
    """Return each row of states that occurs with where it does, leaving out where all are off."""
    if len(states) == 1:
        yield states[0], np.zeros(1, dtype=np.intp)
        return
    kinds, which = np.unique(states, axis=0, return_inverse=True)
    for k, state in enumerate(kinds):
        if state.any():
            yield state, np.flatnonzero(which.reshape(-1) == k)


ROOT_WEIGHT = 1e-3
"""How mobile the root is, against a drag: what the limbs can do is not done by it."""

TOLERANCE = 1e-9
"""Largest residual of a lock that counts as held, [m]; angles are times the figure's size."""

MOST_STEPS = 24
"""Most steps for a pose, and once more past straight: what can be held takes about four, hard cases ten or so."""

_SOLVED = 0.4 * TOLERANCE  # of each coordinate, so that three of them are within the tolerance
_KEPT = 1.75 * TOLERANCE  # a key that was solved to the tolerance coordinate by coordinate is held

_MOST_UNHELD = 2_000
_MOST_EASED = 4
_MOST_SOLVERS = 64


class Motion(NamedTuple):
    """What locks hold on to.

    Attributes:
        skeleton: The figure.
        keys: From joints to the frames of the keys that hold any of them, ascending, shape (n,).
        poses: From frames to interpolated poses.
        fps: Frames a second.
        gives_up: Whether locks are given up where they would throw a recording about.
        fixed: Pose values that nothing may move, such as those of figures that lead.
    """

    skeleton: Skeleton
    keys: Callable[[tuple[int, ...]], Array]
    poses: Callable[[Array], Array]
    fps: float = 30.0
    gives_up: bool = True
    fixed: tuple[int, ...] = ()


class Holding:
    """Holds the locks of a sequence at any time. Threads that ask at once wait for each other.

    Args:
        motion: What they hold on to.
        times: The locks over time. Those that name other figures must be off wherever they are asked for.
        solvers: Solvers of the same locks, kept from before; filled.
    """

    def __init__(self, motion: Motion, times: AnyTimes, solvers: Solvers | None = None):
        self.motion = motion
        self.times = times
        self._locks = times.locks
        self._solvers: Solvers = {} if solvers is None else solvers
        self._limbs: dict[tuple[int, ...], tuple[tuple[int, Limb], ...]] = {}
        self._slacks: dict[int, Slack] = {}
        self._unheld: dict[tuple[float, bytes], tuple[Array, Array]] = {}
        self._size = pack(motion.skeleton).size or 1.0
        self._giving: GivingUp | None = None
        self._guard = threading.RLock()  # solvers keep their work in place

    # -- poses ---------------------------------------------------------------------------------------------------

    def moved(self, frames: Array) -> NDArray[np.bool_]:
        """Return at which frames locks have a say in the pose, shape (m,)."""
        return np.asarray(self.times.states(frames).any(axis=1))

    def held(self, frames: Array, poses: Array, residuals: Array | None = None) -> Array:
        """Return the poses that hold the locks.

        Args:
            frames: Frame numbers, shape (m,).
            poses: The interpolated poses there, shape (m, nq).
            residuals: Takes what is left of each lock in effect, [m] or [rad], shape (m, number of locks).

        Returns:
            Shape (m, nq); ``poses`` itself if no lock is in effect. A pose that holds all locks stays bit for bit.
        """
        states = self.times.states(frames)
        if not states.any():
            return poses
        result = poses.copy()
        with self._guard:
            self._hold(states, frames, poses, residuals, result)
            self._give_up(states, frames, poses, residuals, result)
        return result

    def kept(self, frames: Array) -> Array:
        """Return how far locks are kept at frames, shape (m,): less than 1 where they would throw a recording about."""
        with self._guard:
            giving = self.giving_up
            return np.ones(len(frames)) if giving is None else giving.weights(frames)

    @property
    def giving_up(self) -> GivingUp | None:
        """What finds where locks are given up; None where that is not done, as where other figures are held."""
        times = self.times
        if not self.motion.gives_up or not isinstance(times, LockTimes):
            return None
        if self._giving is None:
            s = self.motion.skeleton
            joints = (0,) if s.joints[0].dofs else (s.joint_index(self._locks[0].joint),)
            first = min([0.0] * bool(times.always) + times.start.tolist(), default=0.0)
            last = np.inf if times.always else float(times.end.max(initial=0.0))
            self._giving = GivingUp(
                s, self.motion.keys(joints), self.motion.fps, (first, last), self.motion.poses, self._plainly,
                lambda: _as_bytes(s, times),
            )  # fmt: skip
        return self._giving if self._giving.any else None

    def _plainly(self, frames: Array, poses: Array) -> Array:
        """Return the poses that hold the locks whatever it takes."""
        result = poses.copy()
        self._hold(self.times.states(frames), frames, poses, None, result)
        return result

    def _give_up(
        self, states: NDArray[np.int8], frames: Array, poses: Array, residuals: Array | None, result: Array
    ) -> None:
        giving = self.giving_up
        if giving is None:
            return
        weights = giving.weights(frames)
        less = np.flatnonzero((weights < 1.0) & states.any(axis=1))
        if not len(less):
            return
        part = weights[less, None]
        result[less] = np.where(part > 0.0, poses[less] + part * (result[less] - poses[less]), poses[less])
        if residuals is None:
            return
        for i in less.tolist():
            found = self.locks_at(float(frames[i]))
            locks = [lock for _, lock in found]
            left = lock_residuals(self.motion.skeleton, result[i], locks).residuals
            residuals[i] = 0.0
            residuals[i, [n for n, _ in found]] = left

    def _hold(
        self, states: NDArray[np.int8], frames: Array, poses: Array, residuals: Array | None, result: Array
    ) -> None:
        poses = np.ascontiguousarray(poses)
        for state, at in groups(states):
            full = tuple(np.flatnonzero(state == FULL).tolist())
            partly = tuple(np.flatnonzero(state == EASED).tolist())
            if partly:
                for i in at:
                    left = None if residuals is None else residuals[i : i + 1]
                    result[i] = self._with_eases(full, partly, float(frames[i]), poses[i], left)
            elif full:
                left = None if residuals is None else np.zeros((len(at), len(self._locks)))
                result[at] = self._project(full, frames[at], poses[at], residuals=left)
                if residuals is not None:
                    residuals[at] = left

    def locks_at(self, frame: float, pose: Array | None = None) -> list[tuple[int, Lock]]:
        """Return the locks in effect at a frame with their numbers, eased targets and all.

        Args:
            frame: Frame number.
            pose: The interpolated pose there, shape (nq,); None if the motion's own is meant.
        """
        state = self.times.states(np.array([frame]))[0]
        full = [(int(i), self.times.lock(int(i), frame)) for i in np.flatnonzero(state == FULL)]
        partly = tuple(np.flatnonzero(state == EASED).tolist())
        if partly:
            pose = self.motion.poses(np.array([frame]))[0] if pose is None else pose
            with self._guard:
                full += self._eased(tuple(i for i, _ in full), partly, frame, pose, {}).items()
        return sorted(full, key=lambda pair: pair[0])

    def figures(self, frame: float) -> Figures:
        """Return the other figures that locks name, in their poses at a frame."""
        return {}

    def solver(self, numbers: tuple[int, ...], locks: tuple[Lock, ...], given: tuple[int, ...] = ()) -> LockSolver:
        """Return a solver for locks; kept for the next time where they do not depend on the pose.

        Args:
            numbers: The locks.
            locks: The same, with any targets.
            given: Numbers of those that get targets which are not their own.
        """
        fresh, name = _good_for_one(locks), (numbers, given)
        if fresh or name not in self._solvers:
            made = LockSolver(
                self.motion.skeleton, locks, root_weight=ROOT_WEIGHT, tolerance=_SOLVED, fixed=self.motion.fixed
            )
            if fresh:
                return made
            if len(self._solvers) >= _MOST_SOLVERS:
                self._solvers.clear()
            self._solvers[name] = made
        return self._solvers[name]

    def _project(
        self,
        numbers: tuple[int, ...],
        frames: Array,
        poses: Array,
        targets: Any = None,
        residuals: Array | None = None,
    ) -> Array:
        """Return poses projected onto locks.

        Args:
            numbers: The locks.
            frames: Frame numbers, shape (m,).
            poses: Interpolated poses, shape (m, nq).
            targets: Targets that are not the locks' own, by their number; for a single frame.
            residuals: As in ``held``.
        """
        given: Mapping[int, Any] = targets or {}
        moving = [n for n in numbers if self.times.keyed(n) and n not in given]
        keyed = {n: [self.times.target(n, float(f)) for f in frames] for n in moving}
        moved = self._stepped(numbers, frames, poses, given, keyed)
        result = np.empty_like(poses)
        locks = tuple(self._locks[n] for n in numbers)
        wanted = {place: keyed[n] for place, n in enumerate(numbers) if n in keyed}
        wanted |= {place: [given[n]] for place, n in enumerate(numbers) if n in given}
        one_by_one = _good_for_one(locks)
        remembers = not one_by_one and not given
        names = (
            [(frame, pose.tobytes()) for frame, pose in zip(frames.tolist(), poses, strict=True)] if remembers else []
        )
        known = [self._unheld.get(name) for name in names]
        if any(found is not None for found in known):
            at = [i for i, found in enumerate(known) if found is None]
            part = np.zeros((len(at), len(self._locks)))
            if at:
                result[at] = self._project(numbers, frames[at], poses[at], targets, part)
            if residuals is not None:
                residuals[at] = part
            for i, found in enumerate(known):
                if found is not None:
                    result[i] = found[0]
                    if residuals is not None:
                        residuals[i, list(numbers)] = found[1]
            return result
        for first, end in itertools.pairwise(range(len(frames) + 1)) if one_by_one else ((0, len(frames)),):
            solver, span = self.solver(numbers, locks, tuple(given)), slice(first, end)
            now = {place: values[span] for place, values in wanted.items()}
            result[span], left, used = solver.project_many(poses[span], moved[span], _KEPT, now, MOST_STEPS)
            if residuals is not None:
                residuals[span, list(numbers)] = left
        for i in np.flatnonzero(used >= MOST_STEPS).tolist() if remembers else ():
            if len(self._unheld) >= _MOST_UNHELD:
                self._unheld.clear()
            self._unheld[names[i]] = result[i].copy(), left[i]
        return result

    def _stepped(
        self, numbers: tuple[int, ...], frames: Array, poses: Array, given: Mapping[int, Any], keyed: Mapping[int, Any]
    ) -> Array:
        """Return the interpolated poses with the root where no limb gets straight."""
        s = self.motion.skeleton
        if numbers not in self._limbs:
            found = limbs_of(s, tuple(self._locks[n] for n in numbers))
            self._limbs[numbers] = tuple((numbers[i], limb) for i, limb in found)
        moved, roots = poses, self._by_root(numbers)
        world = forward_kinematics(s, poses) if roots else np.empty(0)
        for first, limbs in roots:
            targets = [self._targets(n, frames, given, keyed) for n, _ in limbs]
            scales = [self._slack(n, limb).at(frames) for n, limb in limbs]
            steps = root_steps(world, [limb for _, limb in limbs], targets, scales)
            if steps is not None:
                moved = poses.copy() if moved is poses else moved
                moved[:, first : first + 3] += steps
        return moved

    def _by_root(self, numbers: tuple[int, ...]) -> list[tuple[int, list[tuple[int, Limb]]]]:
        """Return the limbs of each root's locks with where its place stands in a pose: of a figure that leads none."""
        s, found = self.motion.skeleton, self._limbs[numbers]
        if not isinstance(s, Joined):
            return [(0, list(found))] if found else []
        of: dict[int, list[tuple[int, Limb]]] = {}
        for n, limb in found:
            of.setdefault(s.columns[s.member_of(limb.tip)[0]].start, []).append((n, limb))
        return [(first, limbs) for first, limbs in of.items() if first not in self.motion.fixed]

    def _targets(self, n: int, frames: Array, given: Mapping[int, Any], keyed: Mapping[int, Any]) -> Array:
        if n in given:
            return np.asarray(given[n])[None]
        if n in keyed:
            return np.stack(keyed[n])
        target = np.asarray(self.times.target(n, float(frames[0])))
        return np.broadcast_to(target, (len(frames), *target.shape))

    def _slack(self, n: int, limb: Limb) -> Slack:
        if n not in self._slacks:
            # A key that has nothing of the limb says nothing about how straight it should be.
            keys = self.motion.keys(limb_joints(self.motion.skeleton, limb))
            span = self.times.span(n)
            if span is not None:
                ends = [end for end in span if end < np.inf]
                inside = keys[(keys >= span[0]) & (keys <= span[1])]
                keys = np.unique(np.concatenate((inside, ends, self.times.target_frames(n))))

            def targets(frames: Array) -> tuple[Array, Array]:
                found = [self.times.target(n, frame) for frame in frames.tolist()]
                return np.stack(found), np.array([self.times.factor(n, frame) for frame in frames.tolist()])

            self._slacks[n] = Slack(self.motion.skeleton, limb, keys, self.motion.poses, targets)
        return self._slacks[n]

    # -- eases ---------------------------------------------------------------------------------------------------

    def _with_eases(
        self, full: tuple[int, ...], partly: tuple[int, ...], frame: float, pose: Array, residuals: Array | None
    ) -> Array:
        """Return the pose that holds some locks in full and others as far as they have come on."""
        found = self._eased(full, partly, frame, pose, {})
        return self._solved(full, found, frame, pose, residuals)

    def _solved(
        self, full: tuple[int, ...], eased: Mapping[int, Lock], frame: float, pose: Array, residuals: Array | None
    ) -> Array:
        numbers = tuple(sorted((*full, *eased)))
        if any(lock.rule.pose_dependent for lock in eased.values()):
            locks = tuple(eased.get(n) or self.times.lock(n, frame) for n in numbers)
            return (
                LockSolver(
                    self.motion.skeleton,
                    locks,
                    root_weight=ROOT_WEIGHT,
                    tolerance=_SOLVED,
                    max_iterations=MOST_STEPS,
                    fixed=self.motion.fixed,
                )
                .project(pose)
                .q
            )
        targets = {n: lock.target for n, lock in eased.items()}
        return self._project(numbers, np.array([frame]), pose[None], targets, residuals)[0]

    def _eased(
        self,
        full: tuple[int, ...],
        partly: tuple[int, ...],
        frame: float,
        pose: Array,
        known: dict[tuple[int, ...], Places],
    ) -> dict[int, Lock]:
        """Return locks that have come on in part, with the targets they have got to.

        Each starts from where its part is with the others as they are, but without itself.

        Args:
            full: Numbers of the locks that hold in full.
            partly: Numbers of those that have come on in part.
            frame: Frame number.
            pose: The interpolated pose.
            known: Where all parts are without some of them; filled.
        """
        found: dict[int, Lock] = {}
        for n in partly:
            lock, factor = self.times.lock(n, frame), self.times.factor(n, frame)
            if lock.rule.pose_dependent:  # inequalities have no place to come from: they come on softly
                found[n] = replace(lock, weight=factor * min(lock.weights))
                continue
            others = tuple(k for k in partly if k != n) if len(partly) <= _MOST_EASED else ()
            if others not in known:
                there = pose
                if full or others:
                    there = self._solved(full, self._eased(full, others, frame, pose, known), frame, pose, None)
                known[others] = Places(self.motion.skeleton, there)
            offset = (1.0 - factor) * lock.rule.away(lock, known[others])
            found[n] = replace(lock, target=lock.rule.eased_target(lock.target, offset))
        return found
