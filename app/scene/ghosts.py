"""The figure at neighbouring keys or frames: worked out in slices, so that nothing waits for locks to be solved."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from app.document.changes import (
    Change,
    FigureChanged,
    FileChanged,
    FrameChanged,
    KeysChanged,
    LocksChanged,
    SelectionChanged,
    SequenceChanged,
    SessionChanged,
)
from app.scene.ghost_keys import AFTER, BEFORE, ghost_frames
from core.kinematics import forward_kinematics

if TYPE_CHECKING:
    from app.scene.scene import Scene

Array = NDArray[np.float64]

LIT = 1.4
"""Strength of the ghost under the pointer and of the dragged one."""
KINDS = (FigureChanged, KeysChanged, SequenceChanged, LocksChanged, FileChanged)
GHOST_SESSION = frozenset(
    {"ghosts_before", "ghosts_after", "ghosts_at", "ghost_step", "ghost_parts", "ghost_strength", "ghost_fade",
     "hovered_ghost", "compared"}
)  # fmt: skip
"""Values of the session that ghosts depend on."""
_SESSION = GHOST_SESSION | {"overlays", "mode"}
_KEPT = 128


@dataclass(frozen=True, eq=False)
class KeyGhost:
    """The figure at a neighbouring key or frame.

    Attributes:
        frame: Where in time.
        keyed: Whether there is a key.
        poses: World frames of its joints, shape (n, 4, 4), [m].
        token: ``"ghost_before"`` or ``"ghost_after"``.
        strength: 1 for the nearest one, less with each step further, more for the one under the pointer.
        top: Point above its head, or above its limb, where the label goes, shape (3,), [m].
        name: What it is called; "" for its key or frame.
    """

    frame: int
    keyed: bool
    poses: Array
    token: str
    strength: float
    top: Array
    name: str = ""


class Ghosts:
    """The ghosts that are shown, each worked out once as long as the motion stays the same.

    Attributes:
        dragged_key: The ghost of a key that is being dragged: frame and pose (nq,); then it is the only one. Else None.
    """

    def __init__(self, scene: Scene):
        self._scene = scene
        self._placed: dict[int, Array] = {}  # world frames at frames of the motion
        self._wanted: list[tuple[int, str, float]] | None = None
        self._shown: tuple[object, tuple[KeyGhost, ...]] | None = None
        self._compared: tuple[object, KeyGhost | None] | None = None
        self.dragged_key: tuple[int, Array] | None = None

    def forget(self) -> None:
        """Drop everything: the motion is another one."""
        self._placed.clear()
        self._wanted = self._shown = None

    def take(self, change: Change) -> None:
        """Drop what a change of the document makes stale; while a drag is under way ghosts stay as they are."""
        if isinstance(change, KINDS) and not change.live:
            self.forget()
        elif isinstance(change, (FrameChanged, SelectionChanged)) or (
            isinstance(change, SessionChanged) and change.name in _SESSION
        ):
            self._wanted = self._shown = None

    # -- which -----------------------------------------------------------------------------------------------------

    @property
    def joints(self) -> frozenset[int] | None:
        """The joints that are drawn of a ghost; None for all of them."""
        scene = self._scene
        chosen, skeleton = scene.document.selection.joints, scene.skeleton
        if (
            scene.document.session.view.ghost_parts != "limb"
            or skeleton is None
            or not chosen
            or self.dragged_key is not None
        ):
            return None
        found = set(chosen)
        for name, joints in skeleton.groups:
            if name and not frozenset(chosen).isdisjoint(joints):
                found.update(joints)
        return frozenset(found)

    def wanted(self) -> list[tuple[int, str, float]]:
        """Return frame, colour token and strength of each ghost there should be, the nearest first."""
        scene = self._scene
        document, sequence = scene.document, scene.document.sequence
        if self.dragged_key is not None:
            frame = self.dragged_key[0]
            return [(frame, BEFORE if frame < document.frame else AFTER, LIT)]
        if scene.skeleton is None or scene.at_rest or sequence is None or not document.session.view.overlays["ghosts"]:
            return []
        if scene.physics.shown:  # there the keyed motion is the only one
            return []
        if self._wanted is None:
            self._wanted = ghost_frames(sequence, document.frame, document.session)
        return self._wanted

    # -- where -----------------------------------------------------------------------------------------------------

    @property
    def compared(self) -> KeyGhost | None:
        """The figure in the motion that this one is compared with, at the current frame, or None."""
        scene, other = self._scene, self._scene.document.session.view.compared
        if other is None or scene.skeleton is None or scene.at_rest or scene.physics.shown:
            return None
        frame = round(scene.document.frame)
        if self._compared is None or self._compared[0] != (other, frame, scene.skeleton):
            q = other.pose(frame)
            ghost = None
            if q is not None and len(q) == scene.skeleton.nq:
                ghost = replace(
                    self._ghost((frame, AFTER, LIT), forward_kinematics(scene.skeleton, q)), name=other.name
                )
            self._compared = (other, frame, scene.skeleton), ghost
        return self._compared[1]

    @property
    def shown(self) -> tuple[KeyGhost, ...]:
        """The ghosts that are worked out, the nearest first; without locks that is all of them at once."""
        compared = self.compared
        if compared is not None and self.dragged_key is None:
            return (compared,)  # others would be taken for it
        rows = self.wanted()
        if not rows:
            return ()
        scene, sequence = self._scene, self._scene.document.sequence
        assert sequence is not None and scene.skeleton is not None
        if self.dragged_key is not None:
            frame, q = self.dragged_key
            placed = {frame: forward_kinematics(scene.skeleton, q)}
            return tuple(self._ghost(row, placed[frame]) for row in rows)
        missing = [row[0] for row in rows if row[0] not in self._placed]
        if missing and not sequence.locks.in_effect:
            self._put(missing, forward_kinematics(scene.skeleton, sequence.poses_at_frames(missing)))
        lit, joints = scene.document.session.view.hovered_ghost, self.joints
        key = (lit, joints, tuple(id(self._placed.get(row[0])) for row in rows))
        if self._shown is None or self._shown[0] != key:
            found = [row if row[0] != lit else (row[0], row[1], LIT) for row in rows if row[0] in self._placed]
            self._shown = key, tuple(self._ghost(row, self._placed[row[0]]) for row in found)
        return self._shown[1]

    def _put(self, frames: list[int], poses: Array) -> None:
        if len(self._placed) + len(frames) > _KEPT:
            needed = {row[0] for row in self.wanted()}
            self._placed = {frame: placed for frame, placed in self._placed.items() if frame in needed}
        self._placed.update(zip(frames, poses, strict=True))

    def _ghost(self, row: tuple[int, str, float], poses: Array) -> KeyGhost:
        frame, token, strength = row
        scene, joints = self._scene, self.joints
        points = scene.points(poses, None if joints is None else tuple(sorted(joints)))
        top = points[int(np.argmax(points[:, 1]))].copy() if len(points) else poses[0, :3, 3].copy()
        sequence = scene.document.sequence
        keyed = sequence is not None and sequence.keys.at(frame) is not None
        return KeyGhost(frame, keyed, poses, token, strength, top)

    @property
    def left(self) -> bool:
        """Whether some ghosts are yet to be worked out."""
        return self.dragged_key is None and any(row[0] not in self._placed for row in self.wanted())

    def work(self, budget: float) -> bool:
        """Work out ghosts for a time, [s], the nearest first; return whether there are new ones."""
        sequence, skeleton = self._scene.document.sequence, self._scene.skeleton
        end, found = time.perf_counter() + budget, False
        while sequence is not None and skeleton is not None and self.left and time.perf_counter() < end:
            frame = next(row[0] for row in self.wanted() if row[0] not in self._placed)
            self._put([frame], forward_kinematics(skeleton, sequence.poses_at_frames([frame])))
            found = True
        return found

    # -- under the pointer -----------------------------------------------------------------------------------------

    def at(self, origin: Array, direction: Array) -> int | None:
        """Return the frame of the ghost that a ray hits first, or None."""
        nearest, frame, bare = np.inf, None, self._scene.bare_bones
        for ghost in self.shown if self.dragged_key is None else ():
            hits = [self._scene.pick_at(ghost.poses, origin, direction, self.joints)]
            if bare is not None:
                hits.append(bare.pick(ghost.poses, origin, direction, self.joints))
            for hit in hits:
                if hit is not None and hit.distance < nearest:
                    nearest, frame = hit.distance, ghost.frame
        return frame


def ghost_name(frame: int, keyed: bool) -> str:
    """Return what a ghost is called: ``Key at frame 14``, or ``Frame 20`` where there is no key."""
    return f"Key at frame {frame}" if keyed else f"Frame {frame}"
