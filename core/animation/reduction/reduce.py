"""Key reduction: as few keys, joint by joint or pose by pose, as stay within a tolerance of the motion at every frame.

What is keyed at the same frames is a *track*: each channel by itself, or all of them where whole poses are wanted.
Every channel gets keys with slopes of their own (``"free"``), whose values and slopes are fitted by least squares, so
that a key need not lie on the motion. First each track alone is kept to a share of the tolerance: what it is off moves
all that hangs on it, by its reach. Then the whole figure is measured at every frame; where a part is too far off, the
track above it that is most to blame gets a key. In the end keys are taken away, those first that matter least, as long
as every part stays within the tolerance: what one track does not need of it another one may use. Of whole poses, which
are few, two neighbours become one between them where that does, too.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from core.animation.channels import Channels, channels_of
from core.animation.cleaning.samples import Samples
from core.animation.key import Key
from core.animation.key_parts import canonical, held, joined, rest_of
from core.animation.reduction import DEGREES, MILLIMETRES
from core.animation.reduction.curve import Change, Curve
from core.animation.reduction.measure import Measure
from core.animation.sequence import Sequence
from core.animation.shape import FREE, Shape
from core.arrays import Array
from core.errors import SequenceError
from core.kinematics.chain import ancestry
from core.progress import Progress, forward, part, report
from core.skeleton.following import follows_of

_SHARE = 0.5
"""Of the tolerance that a track alone may take at first."""
_ROUNDS = 200
_RUN = 8
"""Frames in a row that are too far off get one key at a time for each so many of them."""
_PASSES = 4
_FEW = 0.01
"""A pass that takes away no more than this share of the keys is the last one."""
_CLOSE = 1e-3  # frames: so near to an end its slope is taken
_FITS, _NEARLY = 6, 2.0
"""So often a change is fitted, as long as no part is farther off than so many times the tolerance."""
_LIGHTEST = 0.02  # of its tolerance: a sample that is less far off counts for no less
_ALONE, _MENDED, _THINNED, _MERGED = 0.55, 0.6, 0.75, 0.95
"""Shares of the time after which each track alone, all together, what can be taken away, and what can be put together
is done."""
_AT_ONCE = 512
"""Frames that are played at once."""
_TRIED = 12
"""In so many poses it is tried how far a channel reaches."""


@dataclass(frozen=True, eq=False)
class Reduction:
    """What was found.

    Attributes:
        keys: All keys of the sequence, as they are to be.
        channels: Names of the channels that were reduced.
        first: First frame of the stretch.
        last: Last frame.
        before: Keys of these channels in the stretch as it was, counted channel by channel.
        after: The same of what came out.
        frames_before: Frames of the stretch at which any of these channels had a key.
        frames_after: The same of what came out.
        off: How far any part is off at any whole frame, at most, [m].
        turned: By how much any part is turned off, at most, [rad].
        whole_poses: Whether all of these channels are keyed at the same frames.
    """

    keys: tuple[Key, ...]
    channels: tuple[str, ...]
    first: int
    last: int
    before: int
    after: int
    frames_before: int
    frames_after: int
    off: float
    turned: float
    whole_poses: bool = False

    @property
    def share(self) -> float:
        """Keys of a channel for each frame of the stretch, in the mean of all channels, 0 to 1."""
        return self.after / (len(self.channels) * (self.last - self.first + 1))


def reduced(
    sequence: Sequence,
    first: int,
    last: int,
    millimetres: float = MILLIMETRES,
    degrees: float = DEGREES,
    channels: Iterable[str] | None = None,
    progress: Progress | None = None,
    whole_poses: bool = False,
) -> Reduction:
    """Return a sequence's keys with a stretch of the motion reduced to few keys.

    What the keys say counts, without layers and locks, which stay as they are: what locks hold they hold exactly
    afterwards, too. The poses at both ends stay, and so do the slopes of the motion before and after the stretch.
    Compound joints follow their angles between the new keys.

    Args:
        sequence: The sequence; it does not change.
        first: First frame.
        last: Last frame.
        millimetres: How far either end of any part may be off at any whole frame, [mm].
        degrees: By how much any part may be turned off, [degrees].
        channels: Names of the channels; None for all.
        progress: Takes how much is done, 0 to 1, and may raise ``core.errors.Cancelled``.
        whole_poses: Whether all channels are keyed at the same frames, pose by pose: fewer frames have a key, but
            there are more keys in all.

    Raises:
        SequenceError: If a tolerance is no positive number, the range is not valid or too short, there are no keys,
            or timing curves or joints that follow others stand between the keys and the motion.
        JointError: If the figure has no such channel.
    """
    for value, name in ((millimetres, "mm"), (degrees, "degrees")):
        if not (math.isfinite(value) and value > 0.0):
            raise SequenceError(f"a tolerance of {value:g} {name} makes no sense; it must be a positive number")
    if sequence.timing.in_use:
        raise SequenceError("timing curves shift the motion between the keys; bake the timing first, then reduce keys")
    if follows_of(sequence.skeleton):
        raise SequenceError(f"joints of {sequence.skeleton.name} follow others; bake what they do first, then reduce")
    names = None if channels is None else frozenset(channels)
    samples = Samples.of(sequence, first, last, names)
    work = _Work(sequence, samples, names, millimetres / 1000.0, math.radians(degrees), whole_poses, progress)
    work.begin()
    work.mend()
    work.thin()
    if whole_poses:
        work.merge()
    return work.result()


class _Work:
    """A reduction under way.

    Args:
        sequence: The sequence.
        samples: Its motion in the stretch.
        names: Channels that are reduced; None for all.
        place: Tolerance of places, [m].
        turn: Tolerance of orientations, [rad].
        whole_poses: Whether all channels are keyed at the same frames.
        progress: Takes how much is done.
    """

    def __init__(
        self,
        sequence: Sequence,
        samples: Samples,
        names: frozenset[str] | None,
        place: float,
        turn: float,
        whole_poses: bool,
        progress: Progress | None,
    ):
        self.sequence, self.samples, self.names = sequence, samples, names
        self.place, self.turn, self.whole = place, turn, whole_poses
        self.channels: Channels = channels_of(sequence.skeleton)
        s = sequence.skeleton
        self.measure = Measure(s, samples.poses)
        self.numbers = [n for n, name in enumerate(self.channels.names) if names is None or name in names]
        tried = samples.poses[np.unique(np.linspace(0, len(samples.poses) - 1, _TRIED).astype(int))]
        # Who is turned off by the tolerance counts as who is off by it: the greater reach of both.
        reaches = np.maximum(self.measure.reaches(tried), np.where(np.arange(s.nq) < 3, 0.0, place / turn))
        self.tracks = [self.numbers] if whole_poses else [[n] for n in self.numbers]
        self.columns = [np.concatenate([self.channels.columns[n] for n in track]) for track in self.tracks]
        limits = np.concatenate([np.tile([[-np.inf], [np.inf]], 3), s.limits.T], axis=1)
        self.curves = [Curve(samples.poses[:, c], reaches[c], (limits[0, c], limits[1, c])) for c in self.columns]
        self.poses: Array = samples.poses.copy()
        self._above = [self._tracks_above(i) for i in range(len(s.joints))]
        self._progress = forward(progress)

    def _tracks_above(self, joint: int) -> list[int]:
        """Return the tracks that move a part: those of its own joint and of all above, the root's place first."""
        line = ancestry(self.sequence.skeleton, joint)
        return [
            track for track, own in enumerate(self.tracks)
            if any(n == 0 or not set(self.channels.joints[n]).isdisjoint(line) for n in own)
        ]  # fmt: skip

    # -- each track alone ------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Give each track the keys that it needs alone."""
        share = _ALONE / len(self.curves)
        for done, curve in enumerate(self.curves):
            report(self._progress, share * done)
            curve.refine(_SHARE * self.place)
            curve.thin(_SHARE * self.place, part(self._progress, share * (done + 0.1), share * (done + 1)))
        for columns, curve in zip(self.columns, self.curves, strict=True):
            self.poses[:, columns] = curve.made

    # -- all of them -----------------------------------------------------------------------------------------------

    def off(self, poses: Array, first: int = 0) -> Array:
        """Return how far each part is off, 1 for as far as it may be, shape (m, n_joints)."""
        found = self.measure.distance(poses, first)
        return np.maximum(found.places / self.place, found.turns / self.turn)

    def mend(self) -> None:
        """Put keys where a part is too far off."""
        for turn in range(_ROUNDS):
            report(self._progress, _MENDED - (_MENDED - _ALONE) / (1 + turn))  # few rounds, as a rule
            off = self.off(self.poses)
            new = self._blamed(off)
            if not new:
                return
            for track, at in new.items():
                self.curves[track].add(at)
                self.poses[:, self.columns[track]] = self.curves[track].made

    def _blamed(self, off: Array) -> dict[int, set[int]]:
        """Return where which tracks need a key: in each run of frames with a part too far off."""
        worst = off.max(axis=1)
        over = np.flatnonzero(worst > 1.0)
        new: dict[int, set[int]] = {}
        if not len(over):
            return new
        own = [curve.off for curve in self.curves]
        for run in np.split(over, np.flatnonzero((np.diff(over) > 1) | (np.diff(over // _RUN) > 0)) + 1):
            at = int(run[worst[run].argmax()])
            parts = np.flatnonzero(off[at] > 1.0)
            part = int(parts[off[at, parts].argmax()])
            for track in sorted(self._above[part], key=lambda track: -own[track][at]):
                frame = self.curves[track].worst_around(at)
                if frame is not None:
                    new.setdefault(track, set()).add(frame)
                    break
        return new

    def thin(self) -> None:
        """Take away keys as long as every part stays within the tolerance, those first that matter least."""
        kept: set[tuple[int, int]] = set()  # what was refused, and has the same keys around it as then
        begun, left = _MENDED, 0.5 * ((_THINNED if self.whole else _MERGED) - _MENDED)
        for _ in range(_PASSES):
            tell = part(self._progress, begun, begun + left)  # a pass that is not the last one has half of what is left
            found = self._by_size(kept, part(tell, 0.0, 0.4))
            gone = 0
            for done, (_, track, frame) in enumerate(found):
                report(tell, 0.4 + 0.6 * done / len(found))
                curve = self.curves[track]
                k = int(np.searchsorted(curve.keys, frame))
                near = [(track, each) for each in curve.around(k)]
                if self._taken(track, curve.without(k)):
                    kept.difference_update(near)
                    gone += 1
                else:
                    kept.add((track, frame))
            begun, left = begun + left, 0.5 * left
            if gone <= _FEW * len(found):
                return

    def _by_size(self, kept: set[tuple[int, int]], progress: Progress | None) -> list[tuple[float, int, int]]:
        """Return what each curve would be off without a key, its track and frame, the least first."""
        found: list[tuple[float, int, int]] = []
        for track, curve in enumerate(self.curves):
            for k in range(1, len(curve.keys) - 1):
                report(progress, (track + k / len(curve.keys)) / len(self.curves))
                if (track, int(curve.keys[k])) not in kept:
                    found.append((curve.size_of(curve.without(k)), track, int(curve.keys[k])))
        return sorted(found)

    def _taken(self, track: int, change: Change) -> bool:
        """Take a change over if every part stays within the tolerance; return whether it was.

        Least squares let a few samples be far off where many others are near. So samples that are too far off count
        for more in another fit, and again: that goes to the fit whose worst sample is least far off (Lawson 1961).
        Only where there are few keys, those of whole poses: for each channel it would take twice the time, for 2 to
        6 % fewer keys.
        """
        there = slice(change.first, change.first + len(change.made))
        weights, off, curve = np.ones(len(change.made)), np.zeros(len(change.made)), self.curves[track]
        for fit in range(_FITS if self.whole else 1):
            if fit:
                weights *= np.maximum(off, _LIGHTEST)
                weights = np.maximum(weights / weights.mean(), _LIGHTEST**2)
                change = curve.weighed(change, weights)
            poses = self.poses[there].copy()
            poses[:, self.columns[track]] = change.made
            off = self.off(poses, change.first).max(axis=1)
            if off.max() <= 1.0:
                self.poses[there] = poses
                curve.take(change)
                return True
            if off.max() > _NEARLY:
                return False
        return False

    def merge(self) -> None:
        """Put one key in the place of two neighbours as long as every part stays within the tolerance."""
        begun, left = _THINNED, 0.5 * (_MERGED - _THINNED)
        for _ in range(_PASSES):
            tell, gone = part(self._progress, begun, begun + left), 0
            for track, curve in enumerate(self.curves):
                k = 1
                while k < len(curve.keys) - 2:
                    report(tell, (track + k / len(curve.keys)) / len(self.curves))
                    gone += self._merged(track, k)
                    k += 1
            begun, left = begun + left, 0.5 * left
            if not gone:
                return

    def _merged(self, track: int, k: int) -> bool:
        """Put one key between two neighbours, the first by its number, in their place if that does; return whether."""
        curve = self.curves[track]
        a, b = int(curve.keys[k]), int(curve.keys[k + 1])
        between = sorted(range(a + 1, b), key=lambda at: abs(2 * at - a - b))
        return any(self._taken(track, curve.merged(k, at)) for at in between)

    # -- what comes out --------------------------------------------------------------------------------------------

    def result(self) -> Reduction:
        """Return the keys, measured as they play."""
        begun, left = _MERGED, 0.5 * (1.0 - _MERGED)
        keys = self._keys()
        found = self._measured(keys, part(self._progress, begun, begun + left))
        for _ in range(_ROUNDS):  # limits and cones may bend what is played
            off = np.maximum(found[0] / self.place, found[1] / self.turn)
            if off.max() <= 1.0:
                break
            new = self._blamed(off)
            if not new:
                break
            for track, at in new.items():
                self.curves[track].add(at)
            begun, left = begun + left, 0.5 * left
            keys = self._keys()
            found = self._measured(keys, part(self._progress, begun, begun + left))
        names = tuple(self.channels.names[n] for n in self.numbers)
        there = range(self.samples.first, self.samples.last + 1)
        before = [len(held(key, self.channels) & set(names)) for key in self.sequence.keys if key.frame in there]
        after = [curve.keys for curve in self.curves]
        counts = [len(track) * len(curve.keys) for track, curve in zip(self.tracks, self.curves, strict=True)]
        report(self._progress, 1.0)
        return Reduction(
            keys, names, there.start, there.stop - 1, sum(before), sum(counts), sum(n > 0 for n in before),
            len(np.unique(np.concatenate(after))), float(found[0].max()), float(found[1].max()),
            len(self.tracks) == 1 and len(self.numbers) > 1,
        )  # fmt: skip

    def _measured(self, keys: tuple[Key, ...], progress: Progress | None) -> tuple[Array, Array]:
        made = Sequence(self.sequence.skeleton, self.sequence.fps, loop=self.sequence.loop, keys=keys)
        made.cycles = self.sequence.cycles
        places, turns, count = [], [], len(self.samples.poses)
        for first in range(0, count, _AT_ONCE):
            report(progress, first / count)
            frames = self.samples.first + np.arange(first, min(first + _AT_ONCE, count))
            found = self.measure.distance(made.base_at_frames(frames), first)
            places.append(found.places)
            turns.append(found.turns)
        return np.concatenate(places), np.concatenate(turns)

    def _keys(self) -> tuple[Key, ...]:
        """Return the keys of the sequence with those of the curves in the place of what was in the stretch."""
        first, names = self.samples.first, self.channels.names
        own = frozenset(names[n] for n in self.numbers)
        shapes: dict[int, dict[str, Shape]] = {}
        for n in self.numbers:
            curve, columns = self._curve_of(n)
            ends = self._slopes_beyond(n)
            for k, (at, slope) in enumerate(zip(curve.keys.tolist(), curve.slopes[:, columns], strict=True)):
                come = ends[0] if k == 0 and ends[0] is not None else slope
                leave = ends[1] if k == len(curve.keys) - 1 and ends[1] is not None else slope
                shape = Shape(FREE, turns=True, slopes_in=tuple(come.tolist()), slopes_out=tuple(leave.tolist()))
                shapes.setdefault(first + at, {})[names[n]] = shape
        made: dict[int, Key] = {}
        for key in self.sequence.keys:
            inside = first <= key.frame <= self.samples.last
            rest = rest_of(key, self.channels, own) if inside else key
            if rest is not None:
                made[key.frame] = rest
        for frame, mine in shapes.items():
            new, there = self._key(frame, mine), made.get(frame)
            made[frame] = new if there is None else joined(there, new, self.channels, "reduce")
        return tuple(made[frame] for frame in sorted(made))

    def _key(self, frame: int, shapes: dict[str, Shape]) -> Key:
        """Return a key of some channels, by their shapes."""
        row = frame - self.samples.first
        q = self.samples.poses[row].copy()
        for name in shapes:
            n = self.channels.index(name)
            curve, columns = self._curve_of(n)
            q[self.channels.columns[n]] = curve.values[int(np.searchsorted(curve.keys, row)), columns]
        return canonical(Key(frame, q, keyed=frozenset(shapes), shapes=shapes), self.channels)

    def _curve_of(self, n: int) -> tuple[Curve, slice]:
        """Return the curve of a channel's track, and where in it the channel's values stand."""
        track = next(number for number, own in enumerate(self.tracks) if n in own)
        begin = sum(len(self.channels.columns[each]) for each in self.tracks[track][: self.tracks[track].index(n)])
        return self.curves[track], slice(begin, begin + len(self.channels.columns[n]))

    def _slopes_beyond(self, n: int) -> tuple[Array | None, Array | None]:
        """Return the slopes with which the motion comes to the stretch and leaves it; None where there is none."""
        keyed = [key.frame for key in self.sequence.keys if key.keys(self.channels.names[n])]
        columns, found = self.channels.columns[n], []
        for frame, step in ((self.samples.first, -1), (self.samples.last, 1)):
            beyond = bool(keyed) and (keyed[0] < frame if step < 0 else keyed[-1] > frame)
            near = self.sequence.base_at_frames([frame, frame + step * _CLOSE])[:, columns]
            found.append((near[1] - near[0]) / (step * _CLOSE) if beyond else None)
        return found[0], found[1]
