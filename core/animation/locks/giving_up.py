"""Where locks would throw a recorded motion about: they are given up there, over a span with a blend on either side.

A recording has a key nearly every frame, none of which knows of the locks. Where the person walks away from a locked
foot, each frame can still be solved, but the figure flips from one solution to the next and the root jumps. There the
motion goes without the locks instead: from the first step that is too fast to the last one, and what holds before and
after is blended with the recorded motion for a quarter of a second or more. Keys made by hand are left alone;
what jumps between them is flagged.

What is given up at a frame depends on the motion and the locks within some seconds of it, whichever frames were asked
for before. Frames are looked at in pieces, each when it is first needed, and remembered by what they are made of: an
edit has only the pieces looked at again that it changes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from core.arrays import Array, Bools
from core.kinematics.forward import forward_kinematics
from core.skeleton import Skeleton


class Steps(NamedTuple):
    """Steps from each pose to the next.

    Attributes:
        root: How far the root's origin goes, [m], shape (m - 1,).
        turns: How far each joint turns against its parent, [rad], shape (m - 1, n); the root against the world.
    """

    root: Array
    turns: Array


def pose_steps(s: Skeleton, poses: Array) -> Steps:
    """Return the steps from each pose to the next.

    Angles are measured between the rotations, not from the pose's values: two triples of angles may be nearly the same
    turn.

    Args:
        s: The figure.
        poses: Shape (m, nq).
    """
    frames = forward_kinematics(s, poses)
    own = _turned(s, frames)
    return Steps(_lengths(np.diff(frames[:, 0, :3, 3], axis=0)), _angles(own[:-1], own[1:]))


def pose_distances(s: Skeleton, a: Array, b: Array) -> Steps:
    """Return how far poses are from others, pair by pair, each of shape (m, nq); as ``pose_steps``."""
    one, two = forward_kinematics(s, a), forward_kinematics(s, b)
    return Steps(_lengths(two[:, 0, :3, 3] - one[:, 0, :3, 3]), _angles(_turned(s, one), _turned(s, two)))


def _lengths(vectors: Array) -> Array:
    return np.asarray(np.sqrt((vectors * vectors).sum(axis=-1)))


def _turned(s: Skeleton, frames: Array) -> Array:
    """Return the rotations of joints in their parents, shape (m, n, 3, 3)."""
    world = frames[:, :, :3, :3]
    parents = np.array([max(joint.parent, 0) for joint in s.joints])
    own: Array = np.swapaxes(world[:, parents], -1, -2) @ world
    own[:, 0] = world[:, 0]
    return own


def _angles(a: Array, b: Array) -> Array:
    # |A - B|^2 of two rotations is 8 sin^2(angle / 2)
    size = ((a - b) ** 2).sum(axis=(-2, -1))
    result: Array = 2.0 * np.arcsin(np.minimum(np.sqrt(size / 8.0), 1.0))
    return result


DENSE = 2
"""Most frames between two keys of a recording."""

ROOT_STEP, ROOT_SPEED = 0.02, 1.0
"""How far locks may move the root between two frames beyond what the motion does, [m], and how fast, [m/s]."""

TURN_STEP, TURN_SPEED = np.radians(20.0), np.radians(1000.0)
"""How far and how fast they may turn a joint beyond what it does, [rad] and [rad/s]."""

BLEND = 0.25
"""Shortest blend, [s]; it gets longer where the locks have moved the root far."""

_LONGEST = 1.0  # blend, [s]
_BLEND_SPEED = 0.75  # [m/s]: how fast a blend may move the root at most
_TOGETHER = 1.0  # [s]: what is given up twice within so long is given up in between
_PIECE = 32  # frames
_MOST_PIECES = 4_000


class _Piece(NamedTuple):
    """Steps from the frames of a piece to the next ones, shape (_PIECE,), or at the frames themselves.

    Attributes:
        bad: Whether a step is too far.
        root: How far the root goes in it with the locks, [m].
        turn: How far the joint goes that turns farthest, [rad].
        off: How far from the recorded place the root is at the frame, [m].
    """

    bad: Bools
    root: Array
    turn: Array
    off: Array


_NOTHING = _Piece(np.zeros(_PIECE, dtype=bool), np.zeros(_PIECE), np.zeros(_PIECE), np.zeros(_PIECE))


class GivenUp(NamedTuple):
    """Frames at which locks are given up.

    Attributes:
        first: Frame at which the blend to the motion without locks begins.
        last: Frame at which the blend back ends.
        root: Largest step of the root that the locks would have asked for, [m].
        turn: Largest turn of a joint, [rad].
        at: Frame at which the root would go farthest.
    """

    first: float
    last: float
    root: float
    turn: float
    at: float


_known: WeakKeyDictionary[Skeleton, dict[bytes, _Piece]] = WeakKeyDictionary()


class GivingUp:
    """How far locks are kept over time.

    Args:
        skeleton: The figure.
        keys: Frames of the keys, ascending, shape (n,).
        fps: Frames a second.
        span: First and last frame at which there are locks.
        free: From frames to the poses without locks.
        held: From frames and these poses to the poses that hold the locks.
        locks: Gives what distinguishes the locks from others, for what is remembered.
    """

    def __init__(
        self,
        skeleton: Skeleton,
        keys: Array,
        fps: float,
        span: tuple[float, float],
        free: Callable[[Array], Array],
        held: Callable[[Array, Array], Array],
        locks: Callable[[], bytes],
    ):
        self._skeleton, self._free, self._held, self._locks = skeleton, free, held, locks
        self._fps = fps
        self._root = min(ROOT_STEP, ROOT_SPEED / fps)
        self._turn = min(TURN_STEP, TURN_SPEED / fps)
        self._reach = int(np.ceil(max(_TOGETHER, _LONGEST) * fps)) + 1
        self._pieces: dict[int, _Piece] = {}
        self._dense = self._runs(keys, span)

    @cached_property
    def _locks_as_bytes(self) -> bytes:
        return self._locks()

    @staticmethod
    def _runs(keys: Array, span: tuple[float, float]) -> Array:
        """Return where a recording begins and ends under the locks, one row each, ascending."""
        if len(keys) < 3:
            return np.empty((0, 2))
        breaks = np.flatnonzero(np.diff(keys) > DENSE)
        first, last = keys[np.concatenate(([0], breaks + 1))], keys[np.concatenate((breaks, [len(keys) - 1]))]
        runs = np.stack((np.maximum(first, span[0] - 1.0), np.minimum(last, span[1] + 1.0)), axis=1)
        return np.asarray(runs[runs[:, 1] - runs[:, 0] > 2 * DENSE])  # a few keys close to each other are by hand

    @property
    def any(self) -> bool:
        """Whether there is a recording under the locks at all."""
        return len(self._dense) > 0

    def _dense_steps(self, frames: Array) -> Bools:
        """Return which steps from frames to the next whole ones lie in a recording."""
        at = np.searchsorted(self._dense[:, 0], frames, side="right") - 1
        inside: Bools = (at >= 0) & (frames + 1.0 <= self._dense[np.maximum(at, 0), 1])
        return inside

    def _piece(self, number: int) -> _Piece:
        found = self._pieces.get(number)
        if found is None:
            found = self._pieces[number] = self._looked(number)
        return found

    def _looked(self, number: int) -> _Piece:
        frames = number * _PIECE + np.arange(_PIECE + 1.0)
        dense = self._dense_steps(frames[:-1])
        if not dense.any():
            return _NOTHING
        free = self._free(frames)
        known = _known.setdefault(self._skeleton, {})
        name = hashlib.blake2b(self._locks_as_bytes, digest_size=16)
        name.update(repr((number, self._fps)).encode() + dense.tobytes() + free.tobytes())
        found = known.get(name.digest())
        if found is None:
            held = self._held(frames, free)
            steps, own, off = (
                pose_steps(self._skeleton, held),
                pose_steps(self._skeleton, free),
                pose_distances(self._skeleton, free, held),
            )
            turns = (steps.turns - own.turns).max(axis=1)
            bad = dense & ((steps.root > own.root + self._root) | (turns > self._turn))
            found = _Piece(bad, steps.root, steps.turns.max(axis=1), off.root[:-1])
            if len(known) >= _MOST_PIECES:
                known.clear()
            known[name.digest()] = found
        return found

    def _around(self, first: float, last: float) -> tuple[int, _Piece]:
        """Return the first frame and what is known from there on, of all that counts for frames from one to another."""
        a, b = (int(np.floor(frame / _PIECE)) for frame in (first - self._reach, last + self._reach))
        lowest, highest = self._dense[0, 0], self._dense[-1, 1]
        a, b = max(a, int(lowest // _PIECE)), min(b, int(highest // _PIECE))
        pieces = [self._piece(number) for number in range(a, b + 1)] or [_NOTHING]
        return a * _PIECE, _Piece(*(np.concatenate(parts) for parts in zip(*pieces, strict=True)))

    def weights(self, frames: Array) -> Array:
        """Return how far the locks are kept at frames, 1 in full, 0 not at all, shape (m,)."""
        result = np.ones(len(frames))
        if not self.any or not len(frames):
            return result
        start, found = self._around(float(frames.min()), float(frames.max()))
        bad = np.flatnonzero(found.bad)
        if not len(bad):
            return result
        after = np.searchsorted(bad + start, frames, side="right")  # the first bad step that begins later
        before = after - 1
        ends = np.where(before >= 0, bad[np.maximum(before, 0)] + start + 1.0, -np.inf)
        begins = np.where(after < len(bad), bad[np.minimum(after, len(bad) - 1)] + start, np.inf)
        both = (before >= 0) & (after < len(bad)) & (begins - ends <= _TOGETHER * self._fps)
        for edges, reach, sign in ((ends, frames - ends, 1), (begins, begins - frames, -1)):
            there = np.isfinite(edges)
            if there.any():
                blends = self._blends(edges[there], sign, start, found.off)
                u = np.clip(reach[there] / blends, 0.0, 1.0)
                result[there] *= u * u * (3.0 - 2.0 * u)
        result[both] = 0.0
        return result

    def _blends(self, edges: Array, sign: int, start: int, off: Array) -> Array:
        """Return how long blends are that begin at edges and go on to either side, [frames]."""
        most = int(np.ceil(_LONGEST * self._fps))
        found = np.empty(len(edges))
        distinct, which = np.unique(edges, return_inverse=True)
        lengths = []
        for edge in (distinct - start).astype(int).tolist():
            some = off[edge : edge + most + 1] if sign > 0 else off[max(edge - most, 0) : edge + 1]
            # The steepest part of the blend moves the root by 1.5 times its distance over its length.
            wanted = 1.5 * float(some.max(initial=0.0)) / _BLEND_SPEED
            lengths.append(self._fps * min(max(wanted, BLEND), _LONGEST))
        found = np.array(lengths)[which.reshape(-1)]
        return found

    def spans(self, first: float, last: float) -> list[GivenUp]:
        """Return where locks are given up between two frames, ascending."""
        if not self.any:
            return []
        frames = np.arange(np.floor(max(first, self._dense[0, 0] - self._reach)),
                           np.ceil(min(last, self._dense[-1, 1] + self._reach)) + 1.0)  # fmt: skip
        less = self.weights(frames) < 1.0
        edges = np.flatnonzero(np.diff(np.concatenate(([False], less, [False])).astype(np.int8)))
        result = []
        for a, b in edges.reshape(-1, 2).tolist():
            start, found = self._around(frames[a], frames[b - 1])
            at = np.flatnonzero(found.bad)
            at = at[(at + start >= frames[a] - 1.0) & (at + start <= frames[b - 1])]
            if len(at):
                worst = int(at[found.root[at].argmax()])
                root, turn = float(found.root[worst]), float(found.turn[at].max())
                result.append(GivenUp(float(frames[a]), float(frames[b - 1]), root, turn, float(start + worst)))
        return result
