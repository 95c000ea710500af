"""A sequence of one figure as a sequence of another one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from core.animation.contacts.feet import Foot, figure_feet
from core.animation.contacts.finding import Contacts, find_contacts, moving_range
from core.animation.contacts.paths import FootPaths, lock_paths
from core.animation.contacts.phases import FLAT, REST, SWING, Phase, phases_of
from core.animation.key import LINEAR, Key
from core.animation.new_sequence import new_sequence
from core.animation.retargeting.matching import Matching
from core.animation.retargeting.pairs import Pair, anatomy_of, checked_pairs, suggested_pairs
from core.animation.retargeting.posing import TurnedPoses
from core.animation.sequence import Sequence
from core.arrays import Array
from core.constraints.soles import height
from core.errors import SequenceError
from core.kinematics import forward_kinematics
from core.skeleton.named_parts import THIGH
from core.skeleton.segment import rest_frames
from core.skeleton.skeleton import Skeleton

_AT_ONCE = 256
Progress = Callable[[float], None]


@dataclass(frozen=True, eq=False)
class Retargeted:
    """A motion on another figure.

    Attributes:
        sequence: The motion, with a key at each frame and locks that hold its feet.
        pairs: The pairs it was made by.
        scale: How many times as long its ways over the ground are.
        paths: What holds the feet; None where the figure has no feet, or they are not to be held.
    """

    sequence: Sequence
    pairs: tuple[Pair, ...]
    scale: float
    paths: FootPaths | None


def retarget(
    sequence: Sequence,
    target: Skeleton,
    pairs: Iterable[Pair] | None = None,
    scale: float | None = None,
    hold_feet: bool = True,
    progress: Progress | None = None,
) -> Retargeted:
    """Return a sequence in which another figure moves as the figure of this one does.

    Parts that are paired are turned alike, as far as limits allow. Ways over the ground, and how high the hips are, are
    as much longer as the legs. Where a foot of the source stands that of the target is held in its place by locks; how
    far it was off the ground while it stood does not matter.

    Args:
        sequence: The motion, with its locks.
        target: The figure that is to move likewise.
        pairs: Which joint stands for which; None for those that bodies and names speak for.
        scale: How many times as long ways are; None for what the legs say.
        hold_feet: Whether locks hold the feet where they stand.
        progress: Takes how much is done, 0 to 1; may raise ``core.errors.Cancelled``.

    Raises:
        SequenceError: If there is no key, a pair names no joint or one twice, or the scale is not positive.
    """
    source, tell = sequence.skeleton, progress or _nothing
    if not sequence.keys:
        raise SequenceError("there is no key, so there is no motion to take over")
    if scale is not None and not (np.isfinite(scale) and scale > 0.0):
        raise SequenceError(f"scale is {scale!r}; it must be more than 0")
    chosen = suggested_pairs(source, target) if pairs is None else tuple(pairs)
    matching = Matching(source, target, checked_pairs(source, target, chosen))
    factor = scale if scale is not None else _leg(target) / _leg(source)
    first, last = moving_range(sequence)
    frames = np.arange(first, last + 1)
    wanted, hips = [], []
    for start in range(0, len(frames), _AT_ONCE):
        tell(0.1 * start / len(frames))
        X = forward_kinematics(source, sequence.poses_at_frames(frames[start : start + _AT_ONCE].astype(np.float64)))
        wanted.append(matching.wanted(X))
        hips.append(_hips(source, X))
    poses = TurnedPoses(target, matching.weights).poses(
        np.concatenate(wanted), lambda part: tell(0.1 + 0.4 * part)
    )
    _placed(source, target, poses, np.concatenate(hips), factor)
    made = new_sequence(target, sequence.name)
    made.fps, made.menu, made.loop = sequence.fps, sequence.menu, sequence.loop
    made.set_keys([Key(int(frame), q, LINEAR) for frame, q in zip(frames, poses, strict=True)])
    made.set_range(*sequence.range)
    feet = _feet(source, target, matching.joints) if hold_feet else {}
    if not feet:
        tell(1.0)
        return Retargeted(made, chosen, factor, None)
    contacts = find_contacts(sequence, feet.values(), progress=lambda part: tell(0.5 + 0.1 * part))
    phases = {
        foot.joint: _as_stands(foot, phases_of(own, touching, places, first, _parts(contacts), height(source)))
        for foot, own, touching, places in zip(
            feet, contacts.feet, contacts.touching, contacts.frames_of, strict=True
        )
    }  # fmt: skip
    paths = lock_paths(made, tuple(feet), phases=phases, progress=lambda part: tell(0.6 + 0.4 * part))
    made.locks.strips = (*made.locks.strips, *paths.strips)
    tell(1.0)
    return Retargeted(made, chosen, factor, paths)


def _nothing(part: float) -> None:
    """Take how much is done."""


def _parts(contacts: Contacts) -> int:
    """Return how many samples there are to a frame."""
    span = round(float(contacts.frames[-1] - contacts.frames[0]))
    return (len(contacts.frames) - 1) // max(span, 1) or 1


def _as_stands(foot: Foot, phases: list[Phase]) -> list[Phase]:
    """Return what a foot does, said as its own shape has it: one with heel and toes is flat where another rests."""
    made: list[Phase] = []
    for phase in phases:
        kind = phase.kind
        if kind != SWING and not foot.rolls:
            kind = REST
        elif kind == REST:
            kind = FLAT
        if made and made[-1].kind == kind:
            made[-1] = made[-1]._replace(last=phase.last)
        else:
            made.append(phase._replace(kind=kind))
    return made


def _feet(source: Skeleton, target: Skeleton, joints: dict[int, int]) -> dict[Foot, Foot]:
    """Return the source's foot for each of the target's whose joint, or one below it, is paired with it."""
    own = {foot.joint: foot for foot in figure_feet(source)}
    found: dict[Foot, Foot] = {}
    for foot in figure_feet(target):
        other = own.get(joints.get(foot.joint, -1))
        if other is not None:
            found[foot] = other
    return found


def _hips(s: Skeleton, X: Array) -> Array:
    """Return the middle between the hips in frames of shape (m, n, 4, 4), that of the root without any, (m, 3)."""
    anatomy = anatomy_of(s)
    thighs = [i for i in anatomy.chains if anatomy.parts[i] == THIGH]
    return np.asarray(X[:, thighs or [0]][:, :, :3, 3].mean(axis=1))


def _leg(s: Skeleton) -> float:
    """Return how long the legs of a figure are, from the hips to the floor; the height of one without, [m]."""
    anatomy, frames = anatomy_of(s), rest_frames(s)
    thighs = [i for i in anatomy.chains if anatomy.parts[i] == THIGH]
    feet = figure_feet(s)
    if not thighs or not feet:
        return height(s)
    lengths = []
    for thigh in thighs:
        length, joint = 0.0, thigh
        below = anatomy.next[joint]
        while below >= 0:
            length += float(np.linalg.norm(frames[below, :3, 3] - frames[joint, :3, 3]))
            joint, below = below, anatomy.next[below]
        lengths.append(length)
    sole = [
        float(frames[foot.joint, 1, 3])
        - min(float((frames[r.joint, :3, :3] @ r.points.T + frames[r.joint, :3, 3:])[1].min()) for r in foot.regions)
        for foot in feet
    ]
    return float(np.mean(lengths) + np.mean(sole))


def _placed(source: Skeleton, target: Skeleton, poses: Array, hips: Array, factor: float) -> None:
    """Put poses where the hips are as much farther on, and higher, as the legs are longer."""
    wheels = not any(anatomy_of(target).parts[i] == THIGH for i in anatomy_of(target).chains)
    for start in range(0, len(poses), _AT_ONCE):
        rows = slice(start, start + _AT_ONCE)
        now = _hips(target, forward_kinematics(target, poses[rows]))
        off = factor * hips[rows] - now
        if wheels:  # it stands as high as it stands
            off[:, 1] = 0.0
        poses[rows, :3] += off
