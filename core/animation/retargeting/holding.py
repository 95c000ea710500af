"""Feet of a retargeted motion, held where they stand by locks that its limbs can keep."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import scipy

from core.animation.contacts.feet import Foot
from core.animation.contacts.finding import ContactOptions, find_contacts
from core.animation.contacts.paths import FootPaths, lock_paths
from core.animation.contacts.phases import Phase, stances, without_frames
from core.animation.contacts.steps import with_steps
from core.animation.key import LINEAR, Key
from core.animation.sequence import Sequence
from core.arrays import Array, Bools, Ints
from core.constraints.lock import Lock
from core.constraints.soles import height
from core.constraints.solve_locks import solve_locks
from core.kinematics import forward_kinematics
from core.progress import Progress, part, report

_SMOOTH, _ROOT = 0.06, 1e-3  # [s]; how easily the root moves where the legs could, beside joints
_NEARER, _ROUNDS = 2, 10  # times at most that feet are put nearer to each other, and that anything is tried
_HELD = 1e-6  # [m] or [rad]
_YIELDS, _UPRIGHT = 0.1, 0.5  # how much a foot's place, and how the body is turned, count where both cannot be


def keyed(sequence: Sequence, frames: Ints, poses: Array) -> None:
    """Let a sequence have a key at each of some frames and no other."""
    sequence.set_keys([Key(int(frame), q, LINEAR) for frame, q in zip(frames, poses, strict=True)])


def hold(
    sequence: Sequence,
    feet: tuple[Foot, ...],
    phases: Mapping[int, list[Phase]],
    even: bool,
    progress: Progress | None,
) -> tuple[FootPaths, int]:
    """Give a sequence lock strips that hold its feet where they stand, and keys that keep them.

    Legs that may not go as far apart as those of the source stand nearer to each other: where they come to. What cannot
    be held even so is let go, of the foot that is nearer to its next or last step.

    Args:
        sequence: The motion, with a key at each frame; changed.
        feet: Its feet.
        phases: What each does, by its joint.
        even: Whether the ground is y = 0 everywhere.
        progress: Takes how much is done, 0 to 1; may raise ``core.errors.Cancelled``.

    Returns:
        What holds the feet, and at how many frames a foot is free at which it stood.
    """
    frames, poses = (np.array([key.frame for key in sequence.keys]), np.array([key.q for key in sequence.keys]))
    options = ContactOptions(floor=0.0) if even else None
    contacts = find_contacts(sequence, feet, options)
    parts = (len(contacts.frames) - 1) // max(len(frames) - 1, 1) or 1
    first = {
        foot.joint: list(with_steps(foot, phases[foot.joint], F[::parts], height(sequence.skeleton), sequence.fps))
        for foot, F in zip(feet, contacts.frames_of, strict=True)
    }
    kept, stood = sequence.locks.strips, dict(first)
    for turn in range(_ROUNDS):
        begin, end = 1.0 - 0.5**turn, 1.0 - 0.5 ** (turn + 1)  # most motions need one round or two
        middle = 0.6 * begin + 0.4 * end
        paths = lock_paths(sequence, feet, options, phases=stood, progress=part(progress, begin, middle))
        sequence.locks.strips = (*kept, *paths.strips)
        poses, off = _settled(sequence, frames, poses, part(progress, middle, end))
        if not off.any() or turn == _ROUNDS - 1:
            break
        if turn >= _NEARER:
            for frame in frames[off].tolist():
                inside = {joint: _inside(each, frame) for joint, each in stood.items()}
                joint = min(inside, key=lambda each: inside[each])
                stood[joint] = without_frames(stood[joint], range(frame - 1, frame + 2))
        sequence.locks.strips = kept
        keyed(sequence, frames, poses)
    keyed(sequence, frames, poses)
    report(progress, 1.0)
    return paths, _standing(first) - _standing(stood)


def _standing(phases: Mapping[int, list[Phase]]) -> int:
    """Return at how many frames feet stand, all together."""
    return sum(last - first + 1 for each in phases.values() for first, last in stances(each))


def _inside(phases: list[Phase], frame: int) -> float:
    """Return how many frames a foot stands before and after one, whichever is less; infinity where it does not."""
    for first, last in stances(phases):
        if first <= frame <= last:
            return min(frame - first, last - frame)
    return np.inf


def _settled(sequence: Sequence, frames: Ints, poses: Array, progress: Progress | None) -> tuple[Array, Bools]:
    """Return poses that keep the locks at each frame, shape (m, nq), and which of them do not, shape (m,).

    Legs of other proportions do not reach where they should, so the root has to give way. It does so evenly: by the way
    that it would have to go alone, smoothed over time; the legs do the rest.
    """
    s, locks = sequence.skeleton, [[each.lock for each in sequence.locks.active(frame)] for frame in frames.tolist()]
    ways = np.zeros((len(poses), 3))
    for row, own in enumerate(locks):
        report(progress, 0.5 * row / len(locks))
        if own:
            ways[row] = solve_locks(s, poses[row], own).q[:3] - poses[row, :3]
    made = poses.copy()
    made[:, :3] += scipy.ndimage.gaussian_filter1d(ways, _SMOOTH * sequence.fps, axis=0, mode="nearest")
    off = np.zeros(len(poses), dtype=bool)
    for row, own in enumerate(locks):
        report(progress, 0.5 + 0.5 * row / len(locks))
        if own:
            found = solve_locks(s, made[row], own, root_weight=_ROOT)
            if not (found.residuals < _HELD).all():
                upright = Lock(0, "orientation", target=forward_kinematics(s, poses[row])[0, :3, :3], weight=_UPRIGHT)
                less = [each for lock in own for each in _yielding(lock)]
                off[row], found = True, solve_locks(s, made[row], [*less, upright])
            made[row] = found.q
    return made, off


def _yielding(lock: Lock) -> list[Lock]:
    """Return locks that let a foot come nearer rather than tip it over: they keep its turn and how high it is."""
    if lock.kind != "pose":
        return [lock]
    X = np.asarray(lock.target)
    level = replace(lock, kind="plane", target=(0.0, 1.0, 0.0, float(X[1, 3])))
    near = replace(lock, kind="position", target=X[:3, 3], weight=_YIELDS)
    return [Lock(lock.joint, "orientation", target=X[:3, :3]), level, near]
