"""Looks for frames at which locks cannot be held, are given up, or make the motion jump.

The motion is sampled twice a frame. Where it goes much farther from one sample to the next than it would without locks,
the interval is halved again and again toward the larger step: a fast motion gets slower with it, a jump stays.

What is found between two events, keys or where a lock comes or goes, depends on the keys and strips around alone. It is
remembered by what these are, so that after an edit only what has changed is looked at again.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from core.animation.curves.pacing import path_frames, shown_frames
from core.animation.curves.timing_curves import WHOLE_FIGURE
from core.animation.key import Key
from core.animation.layers.layer import layer_to_json
from core.animation.locks.strip import LockStrip, strip_to_json
from core.animation.sequence import Sequence
from core.arrays import Array
from core.constraints.lock import Lock
from core.constraints.lock_result import HELD as HELD_PLACE
from core.constraints.lock_result import HELD_TURN
from core.constraints.places import Places
from core.constraints.records import lock_to_json
from core.errors import Cancelled
from core.kinematics.chain import ancestry
from core.skeleton import Skeleton

HELD, JUMPS, GIVEN_UP = "held", "jumps", "given up"

STEP = 0.5
"""Frames between two samples."""

_FAST = np.radians(1.0)  # per sample beyond what the motion has without locks: worth a closer look
_JUMP = np.radians(0.5)
_MOVED = 1e-3  # [m]: a part that goes farther at a jump jumps
_HALVINGS = 14
_AT_ONCE = 2  # samples between two questions whether to stop: some milliseconds, where locks cannot be held a hundredth
_SHARE = 0.25  # of the step that is left at the end where it is a jump; a square root's would be 1/128
_METRE = 2.0  # radians that a metre of a slide or the root counts for
_MOST_KNOWN = 20_000
_TOUCHING = 1.0  # frames
_BEYOND = 1e-3  # frames: so far past its ends a span is looked at, for what jumps there


@dataclass(frozen=True)
class LockSpan:
    """Frames at which locks are not held or jump.

    Attributes:
        kind: ``"held"``: a lock cannot be held; ``"jumps"``: the motion is not continuous; ``"given up"``: a recording
            goes on without the locks, which would throw it about (``giving_up.py``).
        first: First frame.
        last: Last frame.
        strips: Ids of the strips that have a part in it; of locks without a strip none.
        worst: Largest residual, [m] or [rad], or largest jump of a degree of freedom, [rad] or [m]; where locks are
            given up the largest step of the root that they ask for from one frame to the next, [m].
        at: Frame number at which it is worst.
        text: What to report.
        always: Which of the sequence's ``locks``, that hold at all times, have a part in it, by their place.
    """

    kind: str
    first: int
    last: int
    strips: tuple[str, ...]
    worst: float
    at: float
    text: str
    always: tuple[int, ...] = ()


@dataclass(frozen=True)
class _Found:
    """One sample that is to be flagged."""

    kind: str
    start: float
    end: float
    locks: tuple[int, ...]
    worst: float


_known: WeakKeyDictionary[Skeleton, dict[bytes, tuple[_Found, ...]]] = WeakKeyDictionary()


def lock_spans(
    sequence: Sequence,
    cancelled: Callable[[], bool] = lambda: False,
    progress: Callable[[float], None] | None = None,
) -> tuple[LockSpan, ...]:
    """Return the spans of a sequence at which locks are not held or jump, by their first frame.

    Slow: not for the thread that paints. The sequence must not change meanwhile.

    Args:
        sequence: The sequence; with ``holds`` off nothing is found.
        cancelled: Asked now and then whether to stop.
        progress: Told what part is done; may raise ``Cancelled``.

    Raises:
        Cancelled: If it was asked to stop.
    """
    if not sequence.locks.in_effect:
        return ()
    found: list[_Found] = []
    done = 0.0

    def check() -> None:
        """Stop if asked to: a progress that stops the search must be heard all the time, too."""
        if cancelled():
            raise Cancelled
        if progress is not None:
            progress(done)

    events = _events(sequence)
    for i, (start, end) in enumerate(itertools.pairwise(events)):
        done = i / max(len(events) - 1, 1)
        check()
        found += _remembered(sequence, start, end, check)
    spans = [*_joined(sequence, found), *_given_up(sequence, events[0], events[-1])]
    return tuple(sorted(spans, key=lambda span: (span.first, span.last, span.kind)))


def _events(sequence: Sequence) -> list[float]:
    """Return the frames between which motion and locks are of one piece, ascending."""
    first, last = sequence.range
    keys = shown_frames(np.array(sequence.keys.frames, dtype=np.float64), sequence.timing.curves)
    frames = {float(frame) for frame in keys}
    for strip in sequence.locks.strips:
        ease_in, ease_out = strip.eases
        frames |= {float(strip.start), strip.start + ease_in}
        frames |= {float(key.frame) for key in strip.targets}
        if strip.end is not None:
            frames |= {float(strip.end), strip.end - ease_out}
    low = min(float(first), *sequence.keys.frames, float(first))
    high = max(float(last), *sequence.keys.frames, float(last))
    frames |= {low, high}
    # Beyond the last key nothing moves but what a lock's target does.
    return sorted(frame for frame in frames if low <= frame <= high)


def _remembered(sequence: Sequence, start: float, end: float, check: Callable[[], None]) -> tuple[_Found, ...]:
    active = [i for i, strip in enumerate(sequence.locks.strips) if _meets(strip, start, end)]
    if not active and not sequence.locks:
        return ()
    if sequence.tied or (sequence.locks.holding.kept(np.linspace(start, end, 3)) < 1.0).any():
        return tuple(_looked(sequence, start, end, check))
    known = _known.setdefault(sequence.skeleton, {})
    name = _digest(sequence, active, start, end)
    # Locks are remembered by their place among those in effect: other strips may come and go.
    numbers = [*range(len(sequence.locks)), *(len(sequence.locks) + i for i in active)]
    if name not in known:
        if len(known) >= _MOST_KNOWN:
            known.clear()
        places = {number: place for place, number in enumerate(numbers)}
        known[name] = tuple(
            _Found(f.kind, f.start - start, f.end - start, tuple(places[n] for n in f.locks), f.worst)
            for f in _looked(sequence, start, end, check)
        )
    return tuple(
        _Found(f.kind, f.start + start, f.end + start, tuple(numbers[n] for n in f.locks), f.worst) for f in known[name]
    )


def _meets(strip: LockStrip, start: float, end: float) -> bool:
    return strip.start <= end and (strip.end is None or strip.end >= start)


def _digest(sequence: Sequence, active: list[int], start: float, end: float) -> bytes:
    """Return what the motion in a span depends on, as a hash: the keys around, and the strips there with their keys."""
    hashed = hashlib.blake2b(digest_size=16)
    for i in active:
        strip = sequence.locks.strips[i]
        record = {**strip_to_json(strip, sequence.skeleton), "id": "", "name": ""}
        hashed.update(json.dumps([record, strip.start - start]).encode())
    for lock in sequence.locks:
        hashed.update(json.dumps(lock_to_json(lock, sequence.skeleton)).encode())
    for key in _depended_on(sequence, start - _BEYOND, end + _BEYOND):
        shapes = sorted((name, repr(shape)) for name, shape in key.shapes.items())
        keyed = None if key.keyed is None else sorted(key.keyed)
        hashed.update(json.dumps([key.frame - start, repr(key.shape), shapes, keyed]).encode())
        hashed.update(key.q.tobytes())
    if sequence.layers:  # their tangents reach far: all of their keys count
        records = [layer_to_json(layer) for layer in sequence.layers]
        hashed.update(json.dumps([start, records]).encode())
    if sequence.timing.in_use:
        hashed.update(repr((start, sorted(sequence.timing.curves.items()), sequence.timing.root_speed)).encode())
    beginning = not sequence.keys or start - _BEYOND < sequence.keys[0].frame
    hashed.update(json.dumps([start - int(start), end - start, sequence.goes_round, beginning]).encode())
    return hashed.digest()


def _depended_on(sequence: Sequence, first: float, last: float) -> list[Key]:
    """Return the keys that the motion from one frame to another depends on."""
    keys = list(sequence.keys)
    if not keys or sequence.timing.root_speed is not None:  # the root's way is as long as all of it
        return keys
    seam = [*keys[:2], *keys[-2:]] if sequence.goes_round else []
    names = [name for name in sequence.timing.curves if name != WHOLE_FIGURE] or [WHOLE_FIGURE]
    ends = np.array(
        [path_frames(np.array([first, last]), sequence.timing.curves, name) for name in [*names, WHOLE_FIGURE]]
    )
    return sequence.tracks.keys_around(float(ends[:, 0].min()), float(ends[:, 1].max())) + seam


def _looked(sequence: Sequence, start: float, end: float, check: Callable[[], None]) -> Iterator[_Found]:
    """Look at the motion from one event to the next, and a little beyond either."""
    number = max(int(np.ceil((end - start) / STEP)), 1)
    frames = np.concatenate(([start - _BEYOND], np.linspace(start, end, number + 1), [end + _BEYOND]))
    frames = frames[frames >= 0.0]
    free = sequence.interpolated_at_frames(frames)
    left = np.zeros((len(frames), len(sequence.locks) + len(sequence.locks.strips)))
    poses = np.empty_like(free)
    for i in range(0, len(frames), _AT_ONCE):
        check()
        span = slice(i, i + _AT_ONCE)
        poses[span] = sequence.locks.holding.held(frames[span], free[span], left[span])
    left = _beyond(sequence, frames, poses, left)
    unheld = left.max(axis=1, initial=0.0) > 0.0
    inside = (frames >= start) & (frames <= end) & (sequence.locks.holding.kept(frames) >= 1.0)  # else that is reported
    for i in np.flatnonzero(inside & unheld).tolist():
        at = float(frames[i])
        yield _Found(HELD, at, at, tuple(np.flatnonzero(left[i]).tolist()), float(left[i].max()))
    steps, without = _distances(sequence, poses), _distances(sequence, free)
    far = (steps > without + _FAST) & ~(unheld[:-1] & unheld[1:])  # where nothing is held that is reported already
    for i in np.flatnonzero(far).tolist():
        jump = _jump(sequence, float(frames[i]), float(frames[i + 1]), float(steps[i]), check)
        if jump is not None:
            yield _Found(JUMPS, jump.after, jump.after, _jumping(sequence, jump), jump.size)


def _given_up(sequence: Sequence, first: float, last: float) -> Iterator[LockSpan]:
    """Return the spans at which locks are given up."""
    holding, giving = sequence.locks.holding, sequence.locks.holding.giving_up
    for found in giving.spans(first, last) if giving is not None else ():
        on = np.flatnonzero(holding.times.states(np.arange(found.first, found.last + 1.0)).any(axis=0)).tolist()
        always = len(sequence.locks)
        locks = [sequence.locks[n] if n < always else sequence.locks.strips[n - always].lock for n in on]
        parts = ", ".join(dict.fromkeys(str(lock.joint) for lock in locks))
        worst = f"{100.0 * found.root:.2g} cm and a joint by {np.degrees(found.turn):.0f}°"
        when = f"frames {found.first:.0f} to {found.last:.0f}"
        text = f"Released at {when}: holding {parts} would move the root by {worst} at once"
        ids, known = (sequence.locks.strips[n - always].id for n in on if n >= always), (n for n in on if n < always)
        span = int(found.first), int(found.last)
        yield LockSpan(GIVEN_UP, *span, tuple(ids), found.root, found.at, text, tuple(known))


def _beyond(sequence: Sequence, frames: Array, poses: Array, left: Array) -> Array:
    """Return residuals with 0 for what holds and for what is soft, as the list of locks has it.

    Args:
        sequence: The sequence.
        frames: Frame numbers, shape (m,).
        poses: The poses there, shape (m, nq).
        left: Largest part of each lock's residual, [m] or [rad], shape (m, number of locks).
    """
    found = np.zeros_like(left)
    locks = [*sequence.locks, *(strip.weighted(strip.lock) for strip in sequence.locks.strips)]
    for n, lock in enumerate(locks):
        rule, hard = lock.rule, [weight >= 1.0 for weight in lock.weights]
        both = rule.holds_position and rule.holds_orientation
        least = HELD_TURN if not rule.holds_position else HELD_PLACE
        for i in np.flatnonzero(left[:, n] > least).tolist() if any(hard) else ():
            worst = float(left[i, n])
            if both and (not all(hard) or worst <= HELD_TURN):  # which of the two it is must be known
                far, turned = _deviation(sequence, n, float(frames[i]), poses[i])
                far = far if hard[0] and far > HELD_PLACE else 0.0
                worst = max(far, turned if hard[1] and turned > HELD_TURN else 0.0)
            found[i, n] = worst
    return found


def _deviation(sequence: Sequence, number: int, frame: float, pose: Array) -> tuple[float, float]:
    """Return how far off a lock is in a pose, [m] and [rad]; 0 for what it does not hold."""
    now = sequence.locks.holding.locks_at(frame)
    lock = next((lock for n, lock in now if n == number), None)
    if lock is None:
        return 0.0, 0.0
    places = Places(sequence.skeleton, pose, sequence.locks.holding.figures(frame))
    far, turned = lock.rule.deviation(lock, places, [lock for _, lock in now])
    return tuple(0.0 if offset is None else float(np.linalg.norm(offset)) for offset in (far, turned))  # type: ignore[return-value]


def _distances(sequence: Sequence, poses: Array) -> Array:
    """Return how far the pose goes from each sample to the next: the largest angle, a slide's length counted as one."""
    slides = np.ones(poses.shape[1])
    slides[:3] = _METRE
    result: Array = (np.abs(np.diff(poses, axis=0)) * slides).max(axis=1, initial=0.0)
    return result


class _Jump(NamedTuple):
    """Two moments as good as one, the poses there, shape (2, nq), and the largest step between them."""

    before: float
    after: float
    poses: Array
    size: float


def _jump(sequence: Sequence, a: float, b: float, step: float, check: Callable[[], None]) -> _Jump | None:
    """Return where the motion jumps between two frames and how far; None if it is but fast."""
    first = step
    ends = sequence.poses_at_frames([a, b])
    for _ in range(_HALVINGS):
        check()
        middle = 0.5 * (a + b)
        pose = sequence.poses_at_frames([middle])
        one, two = _distances(sequence, np.concatenate((ends[:1], pose, ends[1:])))
        if one >= two:
            b, ends, step = middle, np.concatenate((ends[:1], pose)), one
        else:
            a, ends, step = middle, np.concatenate((pose, ends[1:])), two
        if step < max(_JUMP, _SHARE * first):
            return None
    return _Jump(a, b, ends, step)


def _jumping(sequence: Sequence, jump: _Jump) -> tuple[int, ...]:
    """Return which locks have to do with a jump.

    Those whose part jumps, and those that come or go if none of them does. Where neither is so, a limb has changed
    sides: the locks whose limb it is, or all if it is nobody's.
    """
    s, holding = sequence.skeleton, sequence.locks.holding
    states = holding.times.states(np.array([jump.before, jump.after]))
    active = np.flatnonzero(states.any(axis=0)).tolist()
    changed = [n for n in active if (states[0, n] == 0) != (states[1, n] == 0)]
    before, after = (
        Places(s, pose, holding.figures(at))
        for pose, at in zip(jump.poses, (jump.before, jump.after), strict=True)
    )  # fmt: skip
    locks = [*sequence.locks, *(strip.lock for strip in sequence.locks.strips)]
    jumping = {n for n in active if _moves(s, locks[n], before, after)}
    named = jumping if jumping & set(changed) else jumping | set(changed)
    if not named:
        far = np.abs(np.diff(jump.poses, axis=0))[0]
        joint = s.dof_joints[int(far[3:].argmax())] if far[3:].max(initial=0.0) > 0.0 else 0
        named = {n for n in active if joint in ancestry(s, s.joint_index(locks[n].joint))}
    return tuple(sorted(named or active))


def _moves(s: Skeleton, lock: Lock, before: Places, after: Places) -> bool:
    """Return whether what a lock holds on to is elsewhere, or turned, from one moment to the next."""
    joint = s.joint_index(lock.joint)
    if lock.rule.holds_position:
        offset = after.point(joint, lock.point) - before.point(joint, lock.point)
        if float(np.linalg.norm(offset)) > _MOVED:
            return True
    # |A - B| of two rotations is 2 sqrt(2) sin(angle / 2)
    turn = float(np.linalg.norm(after.rotation(joint) - before.rotation(joint)))
    return bool(lock.rule.holds_orientation and turn > np.sqrt(2.0) * _JUMP)


# -- telling ---------------------------------------------------------------------------------------------------------


def _joined(sequence: Sequence, found: list[_Found]) -> Iterator[LockSpan]:
    """Join samples that touch and have a lock in common."""
    open_spans: list[list[_Found]] = []
    for item in sorted(found, key=lambda item: (item.kind, item.start)):
        for span in open_spans:
            last = span[-1]
            if item.kind == last.kind and item.start - last.end <= _TOUCHING and set(item.locks) & set(last.locks):
                span.append(item)
                break
        else:
            open_spans.append([item])
    for span in open_spans:
        yield _described(sequence, span)


def _described(sequence: Sequence, span: list[_Found]) -> LockSpan:
    worst = max(span, key=lambda item: item.worst)
    always = len(sequence.locks)
    numbers = sorted({n for item in span for n in item.locks})
    strips = tuple(sequence.locks.strips[n - always].id for n in numbers if n >= always)
    first, last = int(np.floor(span[0].start)), int(np.ceil(max(item.end for item in span)))
    frame = f"{worst.start:.1f}".removesuffix(".0")
    if span[0].kind == JUMPS:
        locks = [sequence.locks[n] if n < always else sequence.locks.strips[n - always].lock for n in numbers]
        parts = ", ".join(dict.fromkeys(str(lock.joint) for lock in locks))
        text = f"The motion jumps by {np.degrees(worst.worst):.0f}° at frame {frame}: {parts}"
    else:
        locks = [sequence.locks[n] if n < always else sequence.locks.strips[n - always].lock for n in worst.locks]
        parts = ", ".join(dict.fromkeys(str(lock.joint) for lock in locks))
        angular = all(lock.rule.holds_orientation and not lock.rule.holds_position for lock in locks)
        size = f"{np.degrees(worst.worst):.1f}°" if angular else f"{100.0 * worst.worst:.2g} cm"
        text = f"Cannot be held at frame {frame}: {parts} off by {size}"
    known = tuple(n for n in numbers if n < always)
    return LockSpan(span[0].kind, first, last, strips, worst.worst, worst.start, text, known)
