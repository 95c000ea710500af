"""Locks that keep feet on the path they have: a strip for each stance, and one with a keyed target for each swing.

A stance that rolls is held by what touches: first the heel stays in place and the foot turns about it as it did, then
all of the foot is still, then its toes are, and the foot turns about their joint. Toes that bend about one axis leave
the foot one way to move, so all that is held of it then is how high its heel is; nothing is held twice, and what all
these say is the same where they meet.

A foot that slid stands still afterwards, so the motion changes by as much as it slid; the swings beside take that up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Sequence as Row
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from core.animation.contacts.feet import Foot
from core.animation.contacts.finding import ContactOptions, Contacts, find_contacts, over_ground
from core.animation.contacts.path_keys import path_keys
from core.animation.contacts.phases import (
    FLAT,
    ON_HEEL,
    ON_TOES,
    REST,
    SWING,
    Phase,
    phases_of,
    stances,
    stillest,
    without_frames,
    without_moments,
)
from core.animation.curves.key_rows import same_pose
from core.animation.cycles import NO_CYCLES
from core.animation.locks.strip import LockStrip
from core.animation.locks.target_keys import TargetKey
from core.animation.sequence import Sequence
from core.arrays import Array
from core.constraints.kinds import find_kind
from core.constraints.kinds.pose import joined
from core.constraints.lock import Lock
from core.constraints.soles import height, sole_outline
from core.errors import SequenceError
from core.kinematics.forward import forward_kinematics
from core.progress import Progress, forward, part, report
from core.skeleton.mirroring.pose_mirror import counterpart, pose_mirror
from core.skeleton.skeleton import Skeleton
from core.spatial import so3

TOLERANCE = 0.5e-3
"""How far a keyed path may be from the one it stands for, [m]."""

SHOWN_RATE = 240.0
"""Samples a second at which the motion before and after is compared, [1/s]."""

_SETTLE = 0.3  # [s]: so long a swing takes at most to take up what a stance differs from what it was
_MIRRORED = 1e-6  # [m] or [rad]: a pose nearer to a mirror image is that
_CARELESS = 0.04  # [m]: so deep in the floor a foot of a recording may stand, the more so if its sole leans
_NEAR_FLOOR = 0.02  # [m]: ground as near to height 0 as that is the floor, or to the ground that was given
_AT_ONCE = 256
_ROUNDS, _MOST_PLACED, _MOST_COMPARED = 60, 600, 48
_LANDING = 0.07  # [s]: so long at most a foot may be slow and low and yet only coming there, or leaving
_RISING = 0.05  # [s]: in that time a swing comes above the floor from a stance below it, or goes down to one
_APART = 0.002  # of the figure's height: an end of a stance that is nearer to its place is part of it
_UNUSUAL = 1.5  # times the median distance from the place is no reason either

_NAMES = {
    SWING: "path",
    ON_HEEL: "on its heel",
    FLAT: "stance",
    ON_TOES: "on its toes",
    REST: "stance",
}


class FootPath(NamedTuple):
    """What was found of one foot.

    Attributes:
        joint: Its joint.
        phases: What it does, frame after frame.
        strips: How many strips it got.
        keys: How many keys the targets of these have.
        slip: How far from where it now stands still it was, at most, [m].
        slid: How far it slid in a stance, at most: from one place in it to another, [m].
        off: How far its keyed paths are from the present one, at most, [m]; without what stances change.
        places: Where these lead its frame, at each frame of the motion, world, shape (m, 4, 4).
    """

    joint: int
    phases: tuple[Phase, ...]
    strips: int
    keys: int
    slip: float
    slid: float
    off: float
    places: Array

    @property
    def stances(self) -> int:
        """How often it stands or rests."""
        stands = [phase.kind != SWING for phase in self.phases]
        return sum(now and not before for before, now in zip([False, *stands], stands, strict=False))

    @property
    def swings(self) -> int:
        """How often it is under way."""
        return sum(phase.kind == SWING for phase in self.phases)


@dataclass(frozen=True, eq=False)
class FootPaths:
    """Locks that keep feet on their paths.

    Attributes:
        strips: The new strips.
        feet: What was found of each foot.
        contacts: When they are in contact.
        skipped: Joints of feet that never touch the ground.
        tolerance: How far a keyed path might be from the one it stands for, [m].
        swings: Ids of those strips that lead a foot on its way from one stance to the next.
    """

    strips: tuple[LockStrip, ...]
    feet: tuple[FootPath, ...]
    contacts: Contacts
    skipped: tuple[int, ...]
    tolerance: float
    swings: frozenset[str] = frozenset()

    @property
    def stances(self) -> tuple[LockStrip, ...]:
        """The strips that hold feet while they stand."""
        return tuple(strip for strip in self.strips if strip.id not in self.swings)


def lock_paths(
    sequence: Sequence,
    feet: Iterable[Foot] | None = None,
    options: ContactOptions | None = None,
    tolerance: float = TOLERANCE,
    progress: Progress | None = None,
    contacts: Contacts | None = None,
    phases: Mapping[int, Row[Phase]] | None = None,
    every_frame: bool = False,
) -> FootPaths:
    """Return lock strips that keep feet on the path they have from the first key to the last.

    Frames at which a part is locked already get no second lock. The sequence stays as it is.

    Args:
        sequence: The motion.
        feet: The feet, or other parts; None for the figure's feet. Of these, one that never touches the ground gets no
            lock; parts that are given get a path then.
        options: Bounds for contacts, see ``find_contacts``.
        tolerance: How far a keyed path may be from the one it stands for, [m].
        progress: Takes how much is done, 0 to 1; may raise ``core.errors.Cancelled``.
        contacts: What ``find_contacts`` has found already.
        phases: What feet do at each frame, by their joints, where it is known better than contacts say.
        every_frame: Whether the paths of swings have a key at every frame instead of as few as will do: it is much
            quicker, and right where keys take the paths over and the strips go again.

    Raises:
        SequenceError: If there is no key or no foot, or the tolerance is not positive.
    """
    if not (np.isfinite(tolerance) and tolerance > 0.0):
        raise SequenceError(f"tolerance is {tolerance!r}; it must be more than 0 m")
    given, progress = feet is not None, forward(progress)
    chosen = None if feet is None else tuple(feet)
    if contacts is None:
        contacts = find_contacts(sequence, chosen, options, part(progress, 0.0, 0.3))
    strips: list[LockStrip] = []
    found: list[FootPath] = []
    skipped: list[int] = []
    number = len(contacts.feet)
    share = 0.7 / max(number, 1)
    own = [part(progress, 0.3 + share * n, 0.3 + share * (n + 1)) for n in range(number)]
    makers = [_Maker(sequence, contacts, n, tolerance, own[n], every_frame) for n in range(number)]
    for maker in makers:
        if phases is not None and maker.joint in phases:
            maker.phases, maker.given = list(phases[maker.joint]), True
    mirror = _mirrored_end(sequence)
    if mirror is not None:
        of = {maker.joint: maker for maker in makers}
        for maker in makers:
            other = of.get(counterpart(sequence.skeleton, maker.joint))
            if other is not None:
                maker.ends_as(other, mirror)
    for n, (foot, maker) in enumerate(zip(contacts.feet, makers, strict=True)):
        report(progress, 0.3 + share * n)
        if not given and foot.grounded and all(phase.kind == SWING for phase in maker.phases):
            skipped.append(foot.joint)
            continue
        made = maker.strips()
        strips += made
        keys = sum(len(strip.targets) for strip in made)
        found.append(
            FootPath(foot.joint, tuple(maker.phases), len(made), keys, maker.slip, maker.slid, maker.off, maker.places)
        )
    report(progress, 1.0)
    swings = frozenset(strip.id for strip in strips if any(strip.id in maker.swings for maker in makers))
    return FootPaths(tuple(strips), tuple(found), contacts, tuple(skipped), tolerance, swings)


def path_change(
    sequence: Sequence, found: FootPaths, progress: Progress | None = None, rate: float = SHOWN_RATE
) -> float:
    """Return how far the locks move anything of a figure from where the motion has it now, at most, [m].

    Looked at between frames, too: at every joint, and at the soles of the feet.

    Args:
        sequence: The motion; its strips are others for as long as this takes.
        found: The locks.
        progress: Takes how much is done, 0 to 1; may raise ``core.errors.Cancelled``.
        rate: Samples a second, [1/s].
    """
    s, before = sequence.skeleton, sequence.locks.strips
    first, last = float(found.contacts.frames[0]), float(found.contacts.frames[-1])
    number = max(int(np.ceil((last - first) * rate / sequence.fps)), 1)
    frames, worst = np.linspace(first, last, number + 1), 0.0
    try:
        for start in range(0, len(frames), _AT_ONCE):
            report(progress, start / len(frames))
            at = frames[start : start + _AT_ONCE]
            now = _places(s, found.contacts.feet, sequence.poses_at_frames(at))
            sequence.locks.strips = (*before, *found.strips)
            then = _places(s, found.contacts.feet, sequence.poses_at_frames(at))
            sequence.locks.strips = before
            worst = max(worst, float(np.linalg.norm(then - now, axis=2).max()))
    finally:
        sequence.locks.strips = before
    return worst


def _places(s: Skeleton, feet: tuple[Foot, ...], poses: Array) -> Array:
    """Return where the joints and the soles of feet are in poses, shape (m, k, 3), [m]."""
    X = forward_kinematics(s, poses)
    found = [X[:, :, :3, 3]]
    for foot in feet:
        for region in foot.regions:
            own = X[:, region.joint]
            found.append(np.einsum("mij,kj->mki", own[:, :3, :3], region.points) + own[:, None, :3, 3])
    return np.concatenate(found, axis=1)


# -- one foot --------------------------------------------------------------------------------------------------------


class _Held(NamedTuple):
    """What stays of a foot in a phase: its pose and that of its toes, or a point of it.

    Attributes:
        foot: Pose of the foot; None where only a point stays.
        toes: Pose of the toes; None likewise.
        point: The point that stays, world; None where all of it does.
    """

    foot: Array | None
    toes: Array | None
    point: Array | None


class _Maker:
    """Makes the strips of one foot.

    Attributes:
        joint: Its joint.
        phases: What it does.
        given: Whether that was said, and is not to be changed.
        slip: How far from where it stands still then it was, at most, [m].
        slid: How far it slid in a stance, at most, [m].
        off: How far its paths are from what they stand for, at most, [m].
        places: Where its strips lead the foot's frame at each whole frame, shape (m, 4, 4).
        swings: Ids of the strips that lead it through its swings.
    """

    def __init__(
        self, sequence: Sequence, contacts: Contacts, n: int, tolerance: float, progress: Progress | None,
        every_frame: bool = False,
    ):  # fmt: skip
        self._sequence, self._tolerance, self._progress = sequence, tolerance, progress
        self._every_frame = every_frame
        self.swings: set[str] = set()
        self._skeleton = s = sequence.skeleton
        self._foot = foot = contacts.feet[n]
        self._frames = contacts.frames
        self._first = round(float(self._frames[0]))
        self._last = round(float(self._frames[-1]))
        self._parts = (len(self._frames) - 1) // max(self._last - self._first, 1) or 1
        self._F, self._T = contacts.frames_of[n][:, 0], contacts.frames_of[n][:, 1]
        self.places = self._F[:: self._parts].copy()
        self.joint, self.given = foot.joint, False
        self._after: Array | None = None
        self._goes_round = _goes_round(sequence)
        same = len(sequence.keys) > 1 and same_pose(np.asarray(sequence.keys[0].q), np.asarray(sequence.keys[-1].q))
        self._seam = self._F[-1] @ np.linalg.inv(self._F[0]) if same else None
        self._floor, self._ground = contacts.bounds.floor, contacts.ground
        self.slip = self.slid = self.off = 0.0
        self._two = foot.toes is not None and foot.toe_axes in (1, 3)
        if foot.rolls:
            self._heel = foot.regions[0].pivot
            tip = foot.regions[1].pivot if foot.toes is None else None
            if tip is None:  # where the toes bend, in the foot's frame
                tip = (np.linalg.inv(self._F[0]) @ self._T[0])[:3, 3]
            self._tip = tip
        self._name = s.joint_names[foot.joint]
        self._point = foot.point
        self.phases = phases_of(foot, contacts.touching[n], contacts.frames_of[n], self._first, self._parts, height(s))

    def ends_as(self, other: _Maker, mirror: Array) -> None:
        """Let a swing end as the foot of the other side begins, whose motion goes on with this one, mirrored.

        Args:
            other: What makes the strips of that foot.
            mirror: What takes the figure's first pose to its last, a reflection (4, 4).
        """
        runs, stays = other._stands
        if runs and runs[0][0].first == self._first:
            moved = other._ends(runs[0], stays[0])[0] @ np.linalg.inv(other._F[0])
            self._after = mirror @ moved @ np.linalg.inv(mirror) @ self._F[-1]

    @property
    def _stands_on_floor(self) -> bool:
        """Whether what it stands on is at height 0."""
        return self._floor is not None and abs(self._floor) <= _NEAR_FLOOR and self._foot.grounded

    @property
    def _lowest(self) -> float:
        """How low a heel may be that turns about its toes, [m]."""
        return min(self._floor, 0.0) if self._floor is not None and self._stands_on_floor else -np.inf

    # -- what stays ----------------------------------------------------------------------------------------------

    def _at(self, frame: float) -> int:
        return round((frame - self._first) * self._parts)

    def _span(self, first: int, last: int) -> slice:
        return slice(self._at(first), self._at(last) + 1)

    def _points(self, kind: str, span: slice) -> Array:
        """Return what of the foot stays in a phase, at its samples, shape (m, k, 3)."""
        F, T = self._F[span], self._T[span]
        if kind == ON_HEEL:
            return _moved(F, self._heel[None])
        if kind == ON_TOES:
            return _moved(F, self._tip[None])
        if kind == REST and not self._foot.turns:
            return _moved(F, self._point[None])
        own = [_moved(T if region.joint != self._foot.joint else F, region.points) for region in self._foot.regions]
        return np.concatenate(own, axis=1)

    def _run(self, run: list[Phase]) -> list[_Held]:
        """Return what stays in each phase of a run of contacts: what touches does not move from one to the next."""
        start, at = self._anchor(run)
        held: list[_Held | None] = [None] * len(run)
        held[start] = self._held(run[start].kind, at)
        for k in range(start + 1, len(run)):
            held[k] = self._handed_on(held[k - 1], run[k - 1].kind, run[k])  # type: ignore[arg-type]
        for k in range(start - 1, -1, -1):
            held[k] = self._handed_on(held[k + 1], run[k + 1].kind, run[k])  # type: ignore[arg-type]
        return [each for each in held if each is not None]

    def _anchor(self, run: list[Phase]) -> tuple[int, int]:
        """Return the phase whose place is taken as it is, and the sample of it.

        Where the motion goes round that is its end: so one round meets the next as it did before.
        """
        if self._goes_round and run[-1].last == self._last:
            return len(run) - 1, len(self._frames) - 1
        if self._goes_round and run[0].first == self._first:
            return 0, 0
        flat = [k for k, phase in enumerate(run) if phase.kind in (FLAT, REST)] or list(range(len(run)))
        k = max(flat, key=lambda k: run[k].last - run[k].first)
        return k, self._stillest(run[k])

    def _stillest(self, phase: Phase) -> int:
        span = self._span(phase.first, phase.last)
        return span.start + stillest(self._points(phase.kind, span))

    def _held(self, kind: str, at: int) -> _Held:
        F, T = self._F[at], self._T[at]
        if kind in (FLAT, REST):
            return _Held(F, T, None)
        if kind == ON_HEEL:
            return _Held(None, None, _place(F, self._heel))
        return _Held(None, T if self._two else None, _place(F, self._tip))

    def _placed(self, runs: list[list[Phase]], stays: list[list[_Held]], robust: bool = False) -> list[list[_Held]]:
        """Return what stays in runs of contacts, each put where it is the least far from where the foot was.

        The first and the last run of a motion that goes round are one, and stay so.
        """
        placed: list[list[_Held]] = []
        stay = [self._held_already(run) for run in runs]
        joined = len(runs) > 1 and self._seam is not None and self._reaches(runs[0], runs[-1])
        for n, (run, held) in enumerate(zip(runs, stays, strict=True)):
            if stay[n] or (joined and n in (0, len(runs) - 1) and (stay[0] or stay[-1])):
                placed.append(held)  # locks that are there say where
                continue
            if joined and n == 0:
                placed.append([])  # with the last one
                continue
            parts = [(run, held, np.eye(4))]
            if joined and n == len(runs) - 1:
                assert self._seam is not None
                parts.append((runs[0], stays[0], self._seam))
            elif self._goes_round and self._seam is None and self._at_an_end(run):
                placed.append(held)  # as the motion has it where rounds meet
                continue
            motion = self._nearest(parts, robust)
            placed.append([_after(motion, each) for each in held])
            if len(parts) > 1:
                there = np.linalg.inv(parts[1][2])
                placed[0] = [_after(there @ motion @ parts[1][2], each) for each in stays[0]]
        return placed

    def _held_already(self, run: list[Phase]) -> bool:
        """Return whether locks that are there hold the foot, or its toes, in a part of a run."""
        s, parts = self._skeleton, (self._foot.joint, self._foot.toes)
        return any(
            s.joint_index(old.lock.joint) in parts
            and old.weight > 0.0
            and old.start <= run[-1].last
            and (old.end is None or old.end >= run[0].first)
            for old in self._sequence.locks.strips
        )

    def _at_an_end(self, run: list[Phase]) -> bool:
        """Return whether a run begins or ends with the motion."""
        return run[0].first == self._first or run[-1].last == self._last

    def _reaches(self, first: list[Phase], last: list[Phase]) -> bool:
        """Return whether a run begins with the motion and another one ends with it."""
        return first[0].first == self._first and last[-1].last == self._last

    def _nearest(self, parts: list[tuple[list[Phase], list[_Held], Array]], robust: bool) -> Array:
        """Return the motion (4, 4) that takes what stays nearest to the foot, so that it goes the least far at most.

        Half of what it slid is the best there is. Found by least squares, over and over, in which what is farther off
        counts for more.

        Args:
            parts: Runs, what stays in them, and a motion that takes them to where the first one is.
            robust: Whether it shall go where the foot is most of the time instead, whatever is far from there.
        """
        there, off = [], []
        for run, held, carried in parts:
            for phase, each in zip(run, held, strict=True):
                now, stays = self._compared(phase, each)
                now = now @ carried[:3, :3].T + carried[:3, 3]
                stays = stays @ carried[:3, :3].T + carried[:3, 3]
                there.append(np.broadcast_to(stays, now.shape).reshape(-1, 3))
                off.append((now - stays).reshape(-1, 3))
        motion = _least_off(np.concatenate(there), np.concatenate(off), robust)
        if not self._stands_on_floor:
            return motion
        low = np.inf
        for _, held, carried in parts:
            for each in held:
                if each.foot is not None and each.toes is not None:
                    F, T = motion @ carried @ each.foot, motion @ carried @ each.toes
                    low = min(low, float(self._soles(F[None], T[None])[0]))
        if -_CARELESS <= low < 0.0:  # the little that a motion is careless there
            motion[1, 3] -= low
        return motion

    def _compared(self, phase: Phase, held: _Held) -> tuple[Array, Array]:
        """Return where what stays was in a phase, shape (m, k, 3), and where it stays, shape (1, k, 3)."""
        now = self._points(phase.kind, self._span(phase.first, phase.last))
        if held.foot is None:
            assert held.point is not None
            return now, held.point[None, None]
        F, T = held.foot, held.toes if held.toes is not None else held.foot
        if phase.kind == REST and not self._foot.turns:
            return now, _moved(F[None], self._point[None])
        own = [_moved((T if r.joint != self._foot.joint else F)[None], r.points) for r in self._foot.regions]
        return now, np.concatenate(own, axis=1)

    def _soles(self, F: Array, T: Array) -> Array:
        """Return how high the lowest point of the foot is over the ground at samples, shape (m,), [m]."""
        s, foot = self._skeleton, self._foot
        points = [_moved(F, sole_outline(s, foot.joint) if foot.turns else self._point[None])]
        if foot.toes is not None:
            points.append(_moved(T, sole_outline(s, foot.toes)))
        return np.asarray(over_ground(self._ground, np.concatenate(points, axis=1)).min(axis=1))

    def _handed_on(self, held: _Held, kind: str, to: Phase) -> _Held:
        """Return what stays in a phase next to another one."""
        if to.kind != FLAT:
            assert held.foot is not None
            pivot = self._heel if to.kind == ON_HEEL else self._tip
            return _Held(None, held.toes if self._two and to.kind == ON_TOES else None, _place(held.foot, pivot))
        at = self._stillest(to)
        F = self._turned(kind, held, slice(at, at + 1))[0]
        T = F @ np.linalg.inv(self._F[at]) @ self._T[at]
        return _Held(F, T, None)

    def _turned(self, kind: str, held: _Held, span: slice) -> Array:
        """Return the poses of the foot at samples, moved so that what touches stays, shape (m, 4, 4)."""
        F = self._F[span]
        if kind == ON_TOES and held.toes is not None:
            return np.asarray(held.toes @ np.linalg.inv(self._T[span]) @ F)
        assert held.point is not None
        pivot = self._heel if kind == ON_HEEL else self._tip
        moved = F.copy()
        moved[:, :3, 3] += held.point - _moved(F, pivot[None])[:, 0]
        return moved

    # -- strips --------------------------------------------------------------------------------------------------

    def strips(self) -> list[LockStrip]:
        """Return the strips, in the order of their frames."""
        made: list[LockStrip] = []
        toes: list[LockStrip] = []
        runs, stays = self._stands
        ends = [self._ends(run, held) for run, held in zip(runs, stays, strict=True)]
        before, after = None, self._after  # the poses of the foot at the ends of the motion, where it swings there
        if self._seam is not None and runs:  # where one round goes over into the next, nothing jumps
            before, after = np.linalg.inv(self._seam) @ ends[-1][1], self._seam @ ends[0][0]
            before = before if runs[-1][-1].last == self._last else None
            after = after if runs[0][0].first == self._first else None
        for n, (run, held) in enumerate(zip(runs, stays, strict=True)):
            made += self._swing(
                ends[n - 1][1] if n else before, ends[n][0], runs[n - 1][-1].last if n else None, run[0].first
            )
            for k in range(len(run)):
                made += self._stance(run, held, k)
            toes += self._toe_strips(run, held)
            self._slid(run, held)
        made += self._swing(ends[-1][1] if runs else None, after, runs[-1][-1].last if runs else None, None)
        return self._free([*_contiguous(made), *toes])

    @cached_property
    def _stands(self) -> tuple[list[list[Phase]], list[list[_Held]]]:
        """Return the runs of contacts and what stays in them, without the frames at which the foot only comes there.

        As it lands and as it leaves a foot may be slow and low for a frame or two, and yet centimetres from where it
        stands. That is taken for a part of the swing, one frame after the other, as long as it lies apart.
        """
        if not self.given:
            self.phases = without_moments(self.phases)
        reach = max(round(_LANDING * self._sequence.fps), 1)
        may = {f for a, b in stances(self.phases) for f in (*range(a, a + reach), *range(b - reach + 1, b + 1))}
        while True:
            runs = self._runs()
            stays = [self._run(run) for run in runs]
            if self.given:
                return runs, self._placed(runs, stays)
            usual = self._placed(runs, stays, robust=True)  # what is far off shall not move it there
            cut = {f for run, held in zip(runs, usual, strict=True) for f in self._apart(run, held)} & may
            if not cut:
                return runs, self._placed(runs, stays)
            self.phases = without_frames(self.phases, cut)

    def _apart(self, run: list[Phase], held: list[_Held]) -> list[int]:
        """Return the first or the last frame of a run, whichever is farther off, if it is no part of the stance."""
        off: list[float] = []
        for phase, each in zip(run, held, strict=True):
            now, there = self._compared(phase, each)
            off += np.linalg.norm(now - there, axis=2).max(axis=1)[:: self._parts].tolist()
        usual = max(_APART * height(self._skeleton), _UNUSUAL * float(np.median(off)))
        ends = [
            (off[n], frame)
            for n, frame in ((0, run[0].first), (-1, run[-1].last))
            if frame not in (self._first, self._last)
        ]
        return [frame for far, frame in sorted(ends)[-1:] if far > usual and len(off) > 1]

    def _runs(self) -> list[list[Phase]]:
        found: list[list[Phase]] = []
        for before, phase in zip([None, *self.phases], self.phases, strict=False):
            if phase.kind == SWING:
                continue
            if before is None or before.kind == SWING:
                found.append([])
            found[-1].append(phase)
        return found

    def _slid(self, run: list[Phase], held: list[_Held]) -> None:
        """Note how far the foot slid in a run."""
        for phase, each in zip(run, held, strict=True):
            now, there = self._compared(phase, each)
            self.slid = max(self.slid, _widest(now - there))
            self.slip = max(self.slip, float(np.linalg.norm(now - there, axis=2).max()))

    def _ends(self, run: list[Phase], held: list[_Held]) -> tuple[Array, Array]:
        """Return the poses of the foot as a run begins and as it ends."""
        found = []
        for phase, each, frame in ((run[0], held[0], run[0].first), (run[-1], held[-1], run[-1].last)):
            at = self._at(frame)
            found.append(each.foot if each.foot is not None else self._turned(phase.kind, each, slice(at, at + 1))[0])
        return found[0], found[1]

    def _stance(self, run: list[Phase], held: list[_Held], k: int) -> list[LockStrip]:
        """Return the strip of one phase of a run."""
        phase, each, last = run[k], held[k], len(run) - 1
        if phase.kind in (FLAT, REST):
            assert each.foot is not None
            lock = self._lock(self._place_of(each.foot))
            self.places[phase.first - self._first : phase.last + 1 - self._first] = each.foot
            return [self._strip(lock, phase.kind, phase.first, phase.last)]
        # It rolls on until it is flat.
        a = run[k - 1].last if k > 0 else phase.first
        b = run[k + 1].first if k < last else phase.last
        if a == b and len(run) > 1:
            return []
        span = self._span(a, b)
        F = self._turned(phase.kind, each, span)
        before = held[k - 1].foot if k > 0 else None
        after = held[k + 1].foot if k < last else None
        pivot = self._heel if phase.kind == ON_HEEL else self._tip
        F = self._blended(F, before, after, pivot, b - a)
        self._lead(F, a, b)
        if phase.kind == ON_TOES and each.toes is not None:
            return [self._toe_roll(F, a, b)]
        assert each.point is not None
        wanted = F.copy()
        wanted[:, :3, 3] = each.point
        lock = Lock(self._name, "pose", point=pivot, target=wanted[0])
        return [self._path(lock, phase.kind, wanted, a, b, pivot)]

    def _lead(self, F: Array, a: int, b: int) -> None:
        """Note where the foot is led from one frame to another, poses at their samples."""
        self.places[a - self._first : b + 1 - self._first] = F[:: self._parts]

    def _toe_roll(self, F: Array, a: int, b: int) -> LockStrip:
        """Return what holds the foot while its toes are held: its heel's height, or where all is free its turn."""
        if self._foot.toe_axes == 3:
            lock = Lock(self._name, "orientation", target=F[0, :3, :3])
            return self._path(lock, ON_TOES, F, a, b, self._tip)
        high = max(float(_place(F[0], self._heel)[1]), self._lowest)
        lock = Lock(self._name, "plane", point=self._heel, target=(0.0, 1.0, 0.0, high))
        return self._path(lock, ON_TOES, F, a, b, self._heel)

    def _toe_strips(self, run: list[Phase], held: list[_Held]) -> list[LockStrip]:
        """Return strips that hold the toes as long as they touch."""
        foot = self._foot
        if not self._two or foot.toes is None:
            return []
        found: list[LockStrip] = []
        name = self._skeleton.joint_names[foot.toes]
        point = foot.regions[1].points.mean(axis=0)
        k = 0
        while k < len(run):
            if run[k].kind == ON_HEEL:
                k += 1
                continue
            first, T = run[k].first, held[k].toes
            while k + 1 < len(run) and run[k + 1].kind != ON_HEEL:
                k += 1
            assert T is not None
            lock = Lock(name, "pose", point=point, target=joined(_place(T, point), T[:3, :3]))
            found.append(LockStrip(lock, first, self._end(run[k].last), name=f"{name} stance"))
            k += 1
        return found

    def _blended(self, F: Array, before: Array | None, after: Array | None, pivot: Array, frames: int) -> Array:
        """Return poses turned about a point so that they begin and end as the flat foot beside them."""
        u = np.linspace(0.0, 1.0, len(F))
        return _eased_turns(F, pivot, before, after, 1.0 - _smooth(u), _smooth(u)) if frames else F

    def _swing(self, start: Array | None, end: Array | None, first: int | None, last: int | None) -> list[LockStrip]:
        """Return the strip of a swing between two runs, or one before the first or after the last."""
        a, b = self._first if first is None else first, self._last if last is None else last
        if a >= b and not (first is None and last is None):
            return []
        span = self._span(a, b)
        F = self._F[span].copy()
        if a == b:
            return self._swings([self._strip(self._lock(self._place_of(F[0])), SWING, a, b)])
        settle = min(_SETTLE * self._sequence.fps / (b - a), 1.0)
        u = np.linspace(0.0, 1.0, len(F))
        w0, w1 = 1.0 - _smooth(u / settle), _smooth(1.0 - (1.0 - u) / settle)
        F = _eased_turns(F, self._point, start, end, w0, w1, places=True)
        F[:, 1, 3] += self._clear(F, span, u, (first is not None, last is not None))
        self._lead(F, a, b)
        lock = self._lock(self._place_of(F[0]))
        if self._every_frame:
            at = self._targets(F[:: self._parts])
            wanted = at if lock.kind == "pose" else at[:, :3, 3]
            keys = tuple(TargetKey(frame, target) for frame, target in zip(range(a, b + 1), wanted, strict=True))
            return self._swings([self._strip(lock, SWING, a, b, keys)])
        return self._swings([self._path(lock, SWING, self._targets(F), a, b, self._point)])

    def _swings(self, strips: list[LockStrip]) -> list[LockStrip]:
        """Remember strips as those of swings, and return them."""
        self.swings.update(strip.id for strip in strips)
        return strips

    def _clear(self, F: Array, span: slice, u: Array, meets: tuple[bool, bool]) -> Array:
        """Return by how much a swing is raised that its end poses would take below the floor, shape (m,), [m].

        Args:
            F: Its poses, shape (m, 4, 4).
            span: Its samples.
            u: How much of it lies behind, shape (m,).
            meets: Whether it comes from a stance, and goes to one.
        """
        if not self._stands_on_floor:
            return np.zeros(len(F))
        T = F @ np.linalg.inv(self._F[span]) @ self._T[span]
        low = self._soles(F, T)
        room = self._tolerance * np.minimum(20.0 * u * (1.0 - u), 1.0)
        frames = (len(F) - 1) / self._parts
        begun = np.ones(len(F))
        for end, way, stands in ((0, u, meets[0]), (-1, 1.0 - u, meets[1])):
            if low[end] < 0.0 and stands:  # by and by, so that it does not start with a jump
                begun *= _smooth(way * frames / max(_RISING * self._sequence.fps, 1.0))
        return np.asarray(np.clip(room - low, 0.0, _NEAR_FLOOR) * begun)

    # -- locks ---------------------------------------------------------------------------------------------------

    def _targets(self, F: Array) -> Array:
        """Return targets of the foot's own lock as poses whose place is that of the lock's point, shape (m, 4, 4)."""
        found = F.copy()
        found[:, :3, 3] = _moved(F, self._point[None])[:, 0]
        return found

    def _place_of(self, F: Array) -> Array:
        return self._targets(F[None])[0]

    def _lock(self, target: Array) -> Lock:
        if self._foot.turns:
            return Lock(self._name, "pose", point=self._point, target=target)
        return Lock(self._name, "position", point=self._point, target=target[:3, 3])

    def _end(self, last: int) -> int | None:
        """Return the end of a strip: one key is a pose that stays."""
        return None if self._first == self._last else last

    def _strip(self, lock: Lock, kind: str, first: int, last: int, keys: tuple[TargetKey, ...] = ()) -> LockStrip:
        return LockStrip(lock, first, self._end(last), targets=keys, name=f"{self._name} {_NAMES[kind]}")

    def _path(self, lock: Lock, kind: str, wanted: Array, a: int, b: int, point: Array) -> LockStrip:
        """Return a strip whose target is keyed along poses: of the lock's point, or of the foot for other kinds."""
        frames = self._frames[self._span(a, b)]
        arms = self._foot.probes - point
        form = lock.kind
        if form == "plane":
            heights = np.maximum(_moved(wanted, self._heel[None])[:, 0, 1], self._lowest)
            values = [np.array([0.0, 1.0, 0.0, h]) for h in heights.tolist()]

            def away(target: Array, n: int) -> float:
                return abs(float(target[3]) - float(heights[n]))
        elif form == "orientation":
            values = [F[:3, :3] for F in wanted]

            def away(target: Array, n: int) -> float:
                return _farthest((target - wanted[n, :3, :3]) @ arms.T)
        elif form == "position":
            values = [F[:3, 3] for F in wanted]

            def away(target: Array, n: int) -> float:
                return float(np.linalg.norm(target - wanted[n, :3, 3]))
        else:
            values = list(wanted)

            def away(target: Array, n: int) -> float:
                apart = (target[:3, :3] - wanted[n, :3, :3]) @ arms.T
                return _farthest(apart + (target[:3, 3] - wanted[n, :3, 3])[:, None])

        reach = float(np.linalg.norm(arms, axis=1).max())
        keys, off = path_keys(values, frames, away, find_kind(form), self._tolerance, reach, self._progress)
        self.off = max(self.off, off)
        if len(keys) == 2 and np.abs(np.asarray(keys[0].target) - np.asarray(keys[1].target)).max() < 1e-9:
            return self._strip(replace(lock, target=values[0]), kind, a, b)
        return self._strip(replace(lock, target=keys[0].target), kind, a, b, keys)

    def _free(self, strips: list[LockStrip]) -> list[LockStrip]:
        """Return strips cut to the frames at which their part has no lock yet."""
        s = self._skeleton
        kept: list[LockStrip] = []
        for strip in strips:
            joint = s.joint_index(strip.lock.joint)
            taken = [
                (old.start, self._last if old.end is None else old.end)
                for old in self._sequence.locks.strips
                if s.joint_index(old.lock.joint) == joint and old.weight > 0.0
                and (old.lock.rule.holds_position or old.lock.rule.holds_orientation)
                and not old.lock.figures  # a grip goes along
            ]  # fmt: skip
            always = [lock for lock in self._sequence.locks if not lock.figures]
            if any(s.joint_index(lock.joint) == joint for lock in always):
                continue
            pieces = _without(strip, taken, self._last)
            kept += self._swings(pieces) if strip.id in self.swings else pieces
        return kept


def _without(strip: LockStrip, taken: list[tuple[int, int]], last: int) -> list[LockStrip]:
    """Return what of a strip lies outside some ranges of frames."""
    end = last if strip.end is None else strip.end
    pieces, at = [], strip.start
    for first, until in sorted(taken):
        if until < at or first > end:
            continue
        if first > at:
            pieces.append((at, first - 1))
        at = max(at, until + 1)
    if at <= end:
        pieces.append((at, end))
    if pieces == [(strip.start, end)]:
        return [strip]
    ends = {b: strip.end if b == end else b for _, b in pieces}
    return [LockStrip(strip.lock, a, ends[b], targets=strip.targets, name=strip.name) for a, b in pieces]


def _contiguous(strips: list[LockStrip]) -> list[LockStrip]:
    """Return strips that follow each other: of two of a kind the first ends a frame before, and goes on to the next."""
    found: list[LockStrip] = []
    for strip, after in zip(strips, [*strips[1:], None], strict=False):
        if after is None or after.lock.kind != strip.lock.kind or strip.end != after.start:
            found.append(strip)
        elif strip.end > strip.start:
            found.append(replace(strip, end=strip.end - 1))
    return found


def _mirrored_end(sequence: Sequence) -> Array | None:
    """Return the reflection (4, 4) that takes a motion's first pose to its last; None if that is no mirror image."""
    if len(sequence.keys) < 2:
        return None
    s = sequence.skeleton
    first, last = (np.asarray(sequence.keys[n].q) for n in (0, -1))
    own = slice(3 + len(s.joints[0].dofs), None)  # without where the root is and how it is turned
    if same_pose(first, last) or own.start == s.nq:
        return None
    if np.abs(pose_mirror(s).convert(first[None])[0, own] - last[own]).max() > _MIRRORED:
        return None
    reflection = np.diag([-1.0, 1.0, 1.0, 1.0])
    a, b = (forward_kinematics(s, q)[0] for q in (first, last))
    return np.asarray(b @ np.linalg.inv(reflection @ a @ reflection) @ reflection)


def _goes_round(sequence: Sequence) -> bool:
    """Return whether a motion ends in the pose it begins with, or its mirror image, or goes on beyond its keys.

    Wherever it stands then.
    """
    if len(sequence.keys) < 2:
        return False
    first, last = (np.asarray(sequence.keys[n].q) for n in (0, -1))
    return sequence.cycles != NO_CYCLES or same_pose(first, last) or _mirrored_end(sequence) is not None


def _after(motion: Array, held: _Held) -> _Held:
    """Return what stays, moved."""
    foot, toes = (None if X is None else motion @ X for X in (held.foot, held.toes))
    return _Held(foot, toes, None if held.point is None else _place(motion, held.point))


def _least_off(points: Array, off: Array, robust: bool) -> Array:
    """Return the small motion (4, 4) of points after which the farthest of them is the least far from its goal.

    If ``robust``, that after which the sum of their distances is least.

    Args:
        points: Where they are, shape (n, 3), [m].
        off: From there to their goals, shape (n, 3), [m].
    """
    if len(points) > _MOST_PLACED:
        at = np.linspace(0, len(points) - 1, _MOST_PLACED).round().astype(np.intp)
        points, off = points[at], off[at]
    middle = points.mean(axis=0)
    arms = points - middle
    size = max(float(np.linalg.norm(arms, axis=1).max()), 1e-3)
    moves = np.zeros((len(points), 3, 6))
    moves[:, :, :3] = np.eye(3)
    moves[:, :, 3:] = -so3.hat(arms) / size  # so that a turn counts as the way it moves the farthest
    rows, goals = moves.reshape(-1, 6), off.reshape(-1)
    weights, best, least = np.ones(len(points)), np.zeros(6), np.inf
    for _ in range(_ROUNDS):
        weighed = np.repeat(weights, 3)[:, None] * rows
        A = weighed.T @ rows + 1e-6 * weights.sum() * np.eye(6)
        x = np.linalg.solve(A, weighed.T @ goals)
        left = np.linalg.norm((goals - rows @ x).reshape(-1, 3), axis=1)
        farthest = float(left.max())
        measured = float(left.sum()) if robust else farthest
        if measured < least:
            best, least = x, measured
        if farthest <= 1e-9:
            break
        # Lawson (1961); Weiszfeld (1937)
        weights = 1.0 / np.maximum(left, 1e-3 * farthest) if robust else weights * (0.05 + left / farthest)
        weights /= weights.max()
    motion = np.eye(4)
    motion[:3, :3] = so3.exp(best[3:] / size)
    motion[:3, 3] = middle + best[:3] - motion[:3, :3] @ middle
    return motion


def _widest(off: Array) -> float:
    """Return how far points go at most from one of some samples to another, of shape (m, k, 3), [m]."""
    m = len(off)
    at = np.unique(np.linspace(0, m - 1, min(m, _MOST_COMPARED)).round().astype(np.intp))
    return float(np.linalg.norm(off[at][:, None] - off[at][None], axis=3).max())


def _smooth(u: Array) -> Array:
    v = np.clip(u, 0.0, 1.0)
    return np.asarray(v * v * (3.0 - 2.0 * v))


def _place(X: Array, point: Array) -> Array:
    return np.asarray(X[:3, :3] @ point + X[:3, 3])


def _moved(X: Array, points: Array) -> Array:
    """Return points of a part at samples, shape (m, k, 3)."""
    return np.asarray(np.einsum("mij,kj->mki", X[:, :3, :3], points) + X[:, None, :3, 3])


def _farthest(offsets: Array) -> float:
    """Return the greatest length of columns, shape (3, k)."""
    return float(np.sqrt((offsets * offsets).sum(axis=0).max()))


def _eased_turns(
    F: Array, pivot: Array, start: Array | None, end: Array | None, w0: Array, w1: Array, places: bool = False
) -> Array:
    """Return poses that begin as one and end as another one, turned about a point of them, shape (m, 4, 4).

    Args:
        F: The poses, shape (m, 4, 4).
        pivot: The point, in their frame.
        start: What the first shall be; None for as it is.
        end: What the last shall be.
        w0: How much of the difference at the start each takes, shape (m,).
        w1: How much of that at the end.
        places: Whether the point moves along, too; else it stays where it is.
    """
    turn, shift = np.zeros((len(F), 3)), np.zeros((len(F), 3))
    for wanted, now, weight in ((start, F[0], w0), (end, F[-1], w1)):
        if wanted is None:
            continue
        turn += weight[:, None] * so3.log(wanted[:3, :3] @ now[:3, :3].T)
        shift += weight[:, None] * (_place(wanted, pivot) - _place(now, pivot))
    found = F.copy()
    at = _moved(F, pivot[None])[:, 0]
    found[:, :3, :3] = so3.exp(turn) @ F[:, :3, :3]
    found[:, :3, 3] = at - found[:, :3, :3] @ pivot
    if places:
        found[:, :3, 3] += shift
    return found
