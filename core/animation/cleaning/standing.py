"""Feet of a recorded motion that stand where they stand: locks for their stances, keys for everything else.

A foot that slid in a stance is locked where it is the least far from all the places where it was, and its way before
and after leads there and back. Legs do that, and where they are nearly straight or do not reach, the root. A stance in
which a foot slid too far is two of them, with a small step between. One that would pull the root farther than it may
ends earlier or begins later, and where not even that helps, feet are free for these frames, and the motion leads from
what is before them to what comes after.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Row
from dataclasses import dataclass

import numpy as np

from core.animation.cleaning.knees import legs_ready
from core.animation.contacts.feet import Foot
from core.animation.contacts.finding import Contacts, runs
from core.animation.contacts.paths import FootPaths, lock_paths
from core.animation.contacts.phases import Phase, stances, without_frames, without_moments
from core.animation.contacts.steps import with_steps
from core.animation.key import LINEAR, Key
from core.animation.layers.offsets import kept_inside, offset_between, scaled_offset, with_offset
from core.animation.locks.holding import Holding, LockTimes
from core.animation.locks.strip import LockStrip
from core.animation.sequence import Sequence
from core.arrays import Array, Bools, Ints
from core.constraints.soles import height
from core.kinematics.forward import forward_kinematics
from core.progress import Progress, forward, part, report

ROOT = 0.02
"""So far the root may move for feet to stand, [m]."""

_ROUNDS, _TRIED = 6, 2  # times at most that anything is tried, and that stances are cut at their ends only
_SHORTENED = 0.25  # [s]: so much of a stance may go at either end
_FEW = 5  # frames: of a stance that would be left beyond those at which a foot is free
_NEAR = 0.3  # [s]: so near to a stance a way through the air may be bent by it
_BESIDE = 2  # frames: so many beside those at which feet are free the motion leads over, too
_TOES = 0.1  # [s]: so long toes take to come to where they are held
_AT_ONCE = 64


@dataclass(frozen=True, eq=False)
class Standing:
    """A motion whose feet stand.

    Attributes:
        paths: What was found of them.
        strips: What holds them.
        root: How far the root moved, at each frame from the first key to the last, shape (m,), [m].
        moved: How far any joint moved at most, [m].
        shortened: At how many frames a foot no longer stands that stood, as the root would have had to move too far.
    """

    paths: FootPaths
    strips: tuple[LockStrip, ...]
    root: Array
    moved: float
    shortened: int


def stand(
    sequence: Sequence,
    contacts: Contacts,
    phases: Mapping[int, Row[Phase]] | None = None,
    root: float = ROOT,
    progress: Progress | None = None,
) -> Standing:
    """Let the feet of a sequence stand where they are in contact: it gets a key at every frame, and lock strips.

    Args:
        sequence: The motion, without layers and timing curves; changed.
        contacts: When its feet are in contact.
        phases: What each foot does, by its joint, where it is known better than contacts say.
        root: How far the root may move, [m].
        progress: Takes how much is done, 0 to 1; may raise ``core.errors.Cancelled``.
    """
    progress = forward(progress)
    s = sequence.skeleton
    frames = np.arange(round(float(contacts.frames[0])), round(float(contacts.frames[-1])) + 1)
    kept, before = sequence.locks.strips, sequence.poses_at_frames(frames)
    asked: Mapping[int, Row[Phase]] = find_stances(sequence, contacts, phases, part(progress, 0.0, 0.05))
    first = asked
    for turn in range(_ROUNDS):
        begin, end = (1.0 - 0.95 * 0.5**n for n in (turn, turn + 1))  # most motions need one round or two
        middle = 0.8 * begin + 0.2 * end
        paths = lock_paths(
            sequence, contacts=contacts, phases=asked, every_frame=True, progress=part(progress, begin, middle)
        )
        of = {path.joint: path.places for path in paths.feet}
        feet = [foot for foot in contacts.feet if foot.joint in of]
        ready = legs_ready(s, feet, [of[foot.joint] for foot in feet], before, sequence.fps, root)
        after = _held(sequence, (*kept, *paths.strips), frames, ready, part(progress, middle, end))
        far = np.linalg.norm(after[:, :3] - before[:, :3], axis=1) > root
        if not far.any():
            break
        if turn < _TRIED:
            shorter = _shortened(
                asked, first, frames[far], round(_SHORTENED * sequence.fps), round(_NEAR * sequence.fps)
            )
        else:
            gone = frames[_widened(far)].tolist()
            shorter = {joint: without_moments(without_frames(each, gone)) for joint, each in asked.items()}
        if shorter == asked:  # only on the way from one stance to the next
            break
        asked = shorter
    strips = paths.stances
    if far.any():
        led = _widened(far)
        strips = tuple(each for each in strips if not led[_span(each, frames)].any())
        after = _led_over(sequence, led, before, after)
    after = _with_eased_toes(sequence, contacts.feet, strips, frames, before, after)
    sequence.set_keys([Key(int(frame), q, LINEAR) for frame, q in zip(frames, after, strict=True)])
    sequence.locks.strips = (*kept, *strips)
    report(progress, 1.0)
    moved = np.linalg.norm(after[:, :3] - before[:, :3], axis=1)
    return Standing(paths, strips, moved, _farthest(sequence, before, after), _frames(first) - _frames(asked))


def _widened(far: Bools) -> Bools:
    """Return which poses are among some or right beside them, shape (m,)."""
    return np.asarray(np.convolve(far, np.ones(2 * _BESIDE + 1), mode="same") > 0.0)


def _span(strip: LockStrip, frames: Ints) -> slice:
    """Return where the frames of a strip are among all."""
    last = int(frames[-1]) if strip.end is None else strip.end
    return slice(int(np.searchsorted(frames, strip.start)), int(np.searchsorted(frames, last, side="right")))


def find_stances(
    sequence: Sequence,
    contacts: Contacts,
    given: Mapping[int, Row[Phase]] | None = None,
    progress: Progress | None = None,
) -> dict[int, Row[Phase]]:
    """Return what each foot does, by its joint, with a small step in each stance in which it slides or turns too far.

    Args:
        sequence: The motion.
        contacts: When its feet are in contact.
        given: What feet do that is known better; it stays.
        progress: Takes how much is done, 0 to 1; may raise ``core.errors.Cancelled``.
    """
    size = height(sequence.skeleton)
    found: dict[int, Row[Phase]] = dict(given or {})
    paths = lock_paths(sequence, contacts=contacts, phases=given, every_frame=True, progress=progress)
    own = {foot.joint: (foot, F) for foot, F in zip(contacts.feet, contacts.frames_of, strict=True)}
    parts = (len(contacts.frames) - 1) // max(round(float(contacts.frames[-1] - contacts.frames[0])), 1) or 1
    for path in paths.feet:
        foot, F = own[path.joint]
        phases: Row[Phase] = path.phases
        if given is None or path.joint not in given:
            phases = with_steps(foot, phases, F[::parts], size, sequence.fps)
        found[path.joint] = phases
    return found


def _led_over(sequence: Sequence, far: Bools, before: Array, after: Array) -> Array:
    """Return poses that lead, where locks pull too far, from what they change before to what they change after.

    Args:
        sequence: The motion.
        far: At which of the poses, and beside them, shape (m,).
        before: The poses as recorded, shape (m, nq).
        after: As locks have them.
    """
    s, made = sequence.skeleton, after.copy()
    for a, b in runs(far):
        offset = np.zeros((b - a, s.nq))
        for edge, share in ((a - 1, np.arange(b - a, 0, -1)), (b, np.arange(1, b - a + 1))):
            if 0 <= edge < len(after):
                off = offset_between(s, before[edge], after[edge])
                lefts = _smooth(share / (b - a + 1))
                offset += np.array([scaled_offset(s, off, left) for left in lefts.tolist()])
        made[a:b] = kept_inside(s, with_offset(s, before[a:b], offset), before[a:b])
    return made


def _held(sequence: Sequence, strips: Row[LockStrip], frames: Ints, poses: Array, progress: Progress | None) -> Array:
    """Return the poses near some others that strips hold whatever it takes, shape (m, nq)."""
    holding = Holding(sequence.motion._replace(gives_up=False), LockTimes(tuple(sequence.locks), tuple(strips)))
    found = []
    for start in range(0, len(frames), _AT_ONCE):
        report(progress, start / len(frames))
        rows = slice(start, start + _AT_ONCE)
        found.append(holding.held(frames[rows].astype(np.float64), poses[rows]))
    return np.concatenate(found)


def _with_eased_toes(
    sequence: Sequence, feet: Row[Foot], strips: Row[LockStrip], frames: Ints, before: Array, after: Array
) -> Array:
    """Return poses in which toes come to where they are held, and leave it, by and by: their foot does so anyway."""
    s, made = sequence.skeleton, after.copy()
    reach = max(round(_TOES * sequence.fps), 1)
    for foot in feet:
        if foot.toes is None:
            continue
        name = s.joint_names[foot.toes]
        held = np.zeros(len(frames), dtype=bool)
        for strip in strips:
            if strip.lock.joint == name:
                held[_span(strip, frames)] = True
        columns = np.arange(3 + s.first_dof[foot.toes], 3 + s.first_dof[foot.toes] + len(s.joints[foot.toes].dofs))
        offsets = np.zeros_like(made)
        for a, b in runs(held):
            for edge, rows in ((a, range(max(a - reach, 0), a)), (b - 1, range(b, min(b + reach, len(frames))))):
                off = offset_between(s, before[edge], after[edge])
                for row in rows:
                    if not held[row]:
                        left = _smooth(np.array(1.0 - abs(row - edge) / (reach + 1)))
                        offsets[row, columns] += scaled_offset(s, off, float(left))[columns]
        made = with_offset(s, made, offsets)
    return kept_inside(s, made, np.where(made == after, after, before))


def _smooth(u: Array) -> Array:
    return u * u * (3.0 - 2.0 * u)


def _farthest(sequence: Sequence, before: Array, after: Array) -> float:
    """Return how far any joint is from one row of poses to another, at most, [m]."""
    worst = 0.0
    for start in range(0, len(before), _AT_ONCE):
        rows = slice(start, start + _AT_ONCE)
        X, Y = (forward_kinematics(sequence.skeleton, poses[rows])[..., :3, 3] for poses in (before, after))
        worst = max(worst, float(np.linalg.norm(X - Y, axis=-1).max()))
    return worst


def _shortened(
    stood: Mapping[int, Row[Phase]], first: Mapping[int, Row[Phase]], frames: Ints, most: int, near: int
) -> dict[int, Row[Phase]]:
    """Return what feet do with the ends of stances gone that frames lie near: of the foot nearest to such an end.

    Args:
        stood: What they do, by joints.
        first: What they did at first.
        frames: The frames.
        most: So many frames of a stance may go at either end.
        near: So many frames before and after a stance it may be the reason for.
    """
    cut: dict[int, set[int]] = {}
    for frame in frames.tolist():
        ends = []
        for joint, phases in stood.items():
            for a, b in stances(phases):
                if not a - near <= frame <= b + near:
                    continue
                low, high = next(((c, d) for c, d in stances(first[joint]) if c <= a and b <= d), (a, b))
                if frame <= b and max(frame, a) - low < most:
                    inside = max(frame, a)
                    ends.append((abs(frame - a), joint, range(a if inside - a <= _FEW else inside - 1, inside + 2)))
                if frame >= a and high - min(frame, b) < most:
                    inside = min(frame, b)
                    ends.append(
                        (abs(b - frame), joint, range(inside - 1, (b if b - inside <= _FEW else inside + 1) + 1))
                    )
        if ends:
            _, joint, gone = min(ends, key=lambda end: end[0])
            cut.setdefault(joint, set()).update(gone)
    return {
        joint: without_moments(without_frames(each, cut[joint])) if joint in cut else each
        for joint, each in stood.items()
    }


def _frames(phases: Mapping[int, Row[Phase]]) -> int:
    """Return at how many frames feet stand, all together."""
    return sum(last - first + 1 for each in phases.values() for first, last in stances(each))
