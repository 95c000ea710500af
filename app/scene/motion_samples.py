"""Where all parts go over time: what trails and paths are drawn from.

During a drag all of it is computed again in slices too, beside the moves of the mouse and not in them.

Without locks everything is known at once. Where locks hold in between, each frame has to be solved: that comes in
slices, the frames nearest to the current one first. Until a frame is solved its parts are where they would be without
locks, moved by what the locks did at the solved frames beside it, or before the last edit: so a trail has no kinks
while it is being worked out.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from app.document.changes import Change, FigureChanged, FileChanged, KeysChanged, LocksChanged, SequenceChanged
from app.scene.ghost_keys import trail_keys
from core.errors import SkeletonError
from core.kinematics import center_of_mass, forward_kinematics
from core.skeleton.segment import end_effector, rest_frames

if TYPE_CHECKING:
    from app.scene.scene import Scene
    from core.animation import Sequence
    from core.skeleton import Skeleton

Array = NDArray[np.float64]

BUDGET = 0.008
"""So long is spent on solving frames at a time, [s]; what is left follows when the window has had its turn."""
INTERVAL = 0.06
"""While keys are dragged everything is computed again at most this often, [s]."""
MOST = 600
"""Most samples of a whole sequence."""
_FINE = 4  # samples a frame at most
_FINE_HELD = 2  # where each has to be solved
_KINDS = (FigureChanged, KeysChanged, SequenceChanged, LocksChanged, FileChanged)
ROOT, FACING, CENTER = -1, -2, -3
"""Rows after those of the joints: the root's place, a point 1 m before it where it faces, the centre of mass."""


class MotionSamples:
    """The end-effectors of all parts, the root and the centre of mass over the frames that trails show.

    Attributes:
        version: Another number after each change of what the samples say.
    """

    def __init__(self, scene: Scene):
        self._scene = scene
        self.version = 0
        self._stale = True
        self._live = False
        self._at = 0.0
        self._cost = 0.0
        self._span: tuple[int, int] | None = None
        self._frames: Array = np.zeros(0)
        self._keys: list[int] = []
        self._plain: Array = np.zeros((0, 0, 3))
        self._moved: Array = np.zeros((0, 0, 3))  # by locks
        self._known: NDArray[np.bool_] = np.zeros(0, dtype=np.bool_)  # whether that is so, or was before the last edit
        self._fresh: NDArray[np.bool_] = np.zeros(0, dtype=np.bool_)  # whether it was solved since the last edit
        self._left: list[int] = []
        self._effectors: tuple[Skeleton, Array] | None = None

    # -- keeping up ------------------------------------------------------------------------------------------------

    def forget(self) -> None:
        """Drop everything: another figure."""
        self._stale, self._live = True, False
        self._frames, self._keys, self._left = np.zeros(0), [], []
        self._plain = self._moved = np.zeros((0, 0, 3))
        self._known = self._fresh = np.zeros(0, dtype=np.bool_)
        self._span = None
        self.version += 1

    def take(self, change: Change) -> None:
        """Take note of a change of the document; nothing is worked out before somebody asks."""
        if isinstance(change, _KINDS):
            self._stale, self._live = True, bool(change.live)

    def _ensure(self, slice_of_time: bool = False) -> None:
        """Work out what is stale: during a drag in a slice of time only, and not more often than there is time for."""
        sequence, skeleton = self._scene.document.sequence, self._scene.skeleton
        if sequence is None or skeleton is None:
            return
        span = self._wanted_span(sequence)
        if not self._stale and span == self._span:
            return
        now = time.monotonic()
        if self._live and span == self._span:
            if not slice_of_time or now - self._at < max(INTERVAL, 4.0 * self._cost):
                return
        self._rebuild(sequence, skeleton, span)
        self._stale, self._at, self._cost = False, time.monotonic(), time.monotonic() - now

    @property
    def stale(self) -> bool:
        """Whether a drag has gone on since the samples were worked out."""
        return self._stale

    def _wanted_span(self, sequence: Sequence) -> tuple[int, int] | None:
        keys, around = sequence.keys, self._scene.document.session.view.trail_frames
        if not keys:
            return None
        first, last = keys[0].frame, keys[-1].frame
        if sequence.locks.in_effect:  # locks alone can make a motion
            first, last = min(first, sequence.range[0]), max(last, sequence.range[1])
        if around:
            now = self._scene.document.frame
            first, last = max(first, now - around), min(last, now + around)
        return (first, last) if last > first else None

    def _rebuild(self, sequence: Sequence, skeleton: Skeleton, span: tuple[int, int] | None) -> None:
        old_frames, old_moved, old_known = self._frames, self._moved, self._known
        self.version += 1
        self._span = span
        if span is None:
            self._frames, self._keys, self._left = np.zeros(0), [], []
            return
        first, last = span
        marked = sequence.keys.table.frames
        chosen = trail_keys(sequence, marked[(marked >= first) & (marked <= last)])
        self._keys = chosen[:: -(-len(chosen) // MOST)] if chosen else []
        step = max(1, -(-(last - first) // MOST))
        fine = min(_FINE_HELD if sequence.locks.in_effect else _FINE, max(1, MOST // max(1, last - first)))
        grid = np.arange(first * fine, last * fine + 1, step if fine == 1 else 1) / fine
        self._frames = frames = np.unique(np.concatenate([grid, self._keys, [last]]).astype(np.float64))
        self._plain = self._points(skeleton, sequence.interpolated_at_frames(frames))
        self._moved = np.zeros_like(self._plain)
        self._known, self._fresh = np.zeros((2, len(frames)), dtype=np.bool_)
        self._left = []
        if sequence.locks.in_effect:
            if len(old_frames) and old_known.any() and old_moved.shape[1:] == self._moved.shape[1:]:
                at = np.clip(np.searchsorted(old_frames, frames), 0, len(old_frames) - 1)
                self._known = old_known[at] & (np.abs(old_frames[at] - frames) < 1e-9)
                self._moved[self._known] = old_moved[at[self._known]]
            whole = frames == np.rint(frames)
            dragged_key = self._scene.ghost_figures.dragged_key
            away = np.abs(frames - (self._scene.document.frame if dragged_key is None else dragged_key[0]))
            self._left = np.lexsort((-away, whole)).tolist()  # whole frames and near ones last: taken first

    def _points(self, skeleton: Skeleton, poses: Array) -> Array:
        """Return places of all parts and of what ``ROOT``, ``FACING`` and ``CENTER`` name, shape (m, n + 3, 3), [m]."""
        X = forward_kinematics(skeleton, poses)
        if self._effectors is None or self._effectors[0] is not skeleton:
            tips = np.array([end_effector(skeleton, joint) for joint in range(len(skeleton.joints))])
            self._effectors = skeleton, tips
        n = len(skeleton.joints)
        found = np.empty((len(poses), n + 3, 3))
        found[:, :n] = np.einsum("mnij,nj->mni", X[..., :3, :3], self._effectors[1]) + X[..., :3, 3]
        found[:, n + 3 + ROOT] = X[:, 0, :3, 3]
        ahead = rest_frames(skeleton)[0, :3, :3].T @ np.array([0.0, 0.0, 1.0])
        found[:, n + 3 + FACING] = X[:, 0, :3, 3] + X[:, 0, :3, :3] @ ahead
        try:
            found[:, n + 3 + CENTER] = center_of_mass(skeleton, poses, X)
        except SkeletonError:
            found[:, n + 3 + CENTER] = X[:, 0, :3, 3]
        return found

    # -- what is known ---------------------------------------------------------------------------------------------

    @property
    def frames(self) -> Array:
        """The frames of the samples, ascending, shape (m,); whole ones and some between."""
        self._ensure()
        return self._frames

    @property
    def keys(self) -> list[int]:
        """The keys to be marked, which are among the frames."""
        self._ensure()
        return self._keys

    def path(self, row: int) -> Array:
        """Return where a joint's end-effector goes, or what ``ROOT``, ``FACING`` or ``CENTER`` names, (m, 3) [m]."""
        self._ensure()
        if not len(self._frames):
            return np.zeros((0, 3))
        plain, moved = self._plain[:, row], self._moved[:, row]
        use = self._known & ~self._outdated
        if not use.any() or use.all():
            return plain + moved if use.any() else plain
        known = self._frames[use]
        return plain + np.column_stack([np.interp(self._frames, known, moved[use, k]) for k in range(3)])

    @property
    def _outdated(self) -> NDArray[np.bool_]:
        """Which samples were solved before the last edit and lie between two that have been since, shape (m,).

        Whole frames come first: the others in between would make a zigzag of the trail, half of it old.
        """
        old = np.zeros(len(self._fresh), dtype=np.bool_)
        old[1:-1] = self._fresh[:-2] & self._fresh[2:] & ~self._fresh[1:-1]
        return old

    # -- locks -----------------------------------------------------------------------------------------------------

    @property
    def left(self) -> bool:
        """Whether some frames are yet to be solved, or the last moves of a drag yet to be seen."""
        return self._stale or bool(self._left)

    def work(self, budget: float = BUDGET) -> bool:
        """Solve frames for a time, [s]; return whether the samples say something new."""
        before = self.version
        self._ensure(slice_of_time=True)
        sequence, skeleton = self._scene.document.sequence, self._scene.skeleton
        if sequence is None or skeleton is None or not self._left:
            return self.version != before
        end = time.perf_counter() + budget
        while self._left and time.perf_counter() < end:
            k = self._left.pop()
            pose = sequence.poses_at_frames([self._frames[k]])
            self._moved[k] = self._points(skeleton, pose)[0] - self._plain[k]
            self._known[k] = self._fresh[k] = True
        self.version += 1
        return True
