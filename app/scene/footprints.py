"""Where locked feet stand: the outlines of their soles on the floor."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.animation.locks.strip import STRIP_MARK
from core.constraints.soles import height, hull, sole
from core.constraints.support import contact_points
from core.kinematics import forward_kinematics

if TYPE_CHECKING:
    from app.scene.scene import Scene
    from core.animation.locks.strip import LockStrip
    from core.skeleton import Skeleton

Array = NDArray[np.float64]
Print = tuple[Array, int, int]
"""Outline on the floor, shape (k, 3), [m], first and last frame at which the foot stands there."""

KINDS = ("position", "pose")
_FLAT = 0.8  # cosine of the tilt from which on a sole leaves no print
_NEAR = 0.06  # of the figure's height: what is higher above the floor stands elsewhere


class Footprints:
    """The prints of the parts that locks hold in place, worked out in slices and kept until the motion changes."""

    def __init__(self, scene: Scene):
        self._scene = scene
        self._known: dict[str, tuple[object, Array | None]] = {}
        self._keys: object = None
        self._fresh: set[str] = set()

    def _strips(self) -> list[LockStrip]:
        """Return the strips that may leave prints: those that hold a part where it is, and whose target rests."""
        scene, sequence = self._scene, self._scene.document.sequence
        if scene.skeleton is None or scene.at_rest or sequence is None or not sequence.locks.holds:
            return []
        if not scene.document.session.view.overlays["footprints"]:
            return []
        strips = [strip for strip in sequence.locks.strips if strip.lock.kind in KINDS and not strip.moves]
        # A walk that is made by rules shows its own.
        return [strip for strip in strips if sequence.gait is None or not strip.id.startswith(STRIP_MARK)]

    def outlines(self) -> list[Print]:
        """Return the prints that are worked out."""
        sequence, found = self._scene.document.sequence, []
        for strip in self._strips():
            outline = self._known.get(strip.id, (None, None))[1]
            if outline is not None and sequence is not None:
                found.append((outline, strip.start, sequence.range[1] if strip.end is None else strip.end))
        return found

    def _missing(self) -> list[LockStrip]:
        sequence, strips = self._scene.document.sequence, self._strips()
        if sequence is not None and self._keys is not sequence.keys:  # what is shown stays until there is something new
            self._keys = sequence.keys
            self._fresh.clear()
        return [s for s in strips if s.id not in self._fresh or self._known.get(s.id, (None,))[0] is not s]

    @property
    def left(self) -> bool:
        """Whether some prints are yet to be worked out."""
        return bool(self._missing())

    def work(self, budget: float) -> bool:
        """Work out prints for a time, [s]; return whether there are new ones."""
        skeleton, sequence = self._scene.skeleton, self._scene.document.sequence
        end, found = time.perf_counter() + budget, False
        for strip in self._missing() if skeleton is not None and sequence is not None else ():
            if time.perf_counter() > end:
                break
            assert skeleton is not None and sequence is not None
            frame = standing_frame(strip, sequence.range[1])
            frames = forward_kinematics(skeleton, sequence.poses_at_frames([frame]))[0]
            self._known[strip.id] = strip, outline_at(skeleton, frames, skeleton.joint_index(strip.lock.joint))
            self._fresh.add(strip.id)
            found = True
        return found


def standing_frame(strip: LockStrip, last: int) -> float:
    """Return a frame in the middle of what a strip holds in full.

    Args:
        strip: The strip.
        last: Where the sequence ends.
    """
    end = max(strip.start, last) if strip.end is None else strip.end
    first, after = strip.start + strip.eases[0], end - (0.0 if strip.end is None else strip.eases[1])
    return 0.5 * (first + after) if first <= after else 0.5 * (strip.start + end)


def outline_at(skeleton: Skeleton, frames: Array, joint: int) -> Array | None:
    """Return the outline that a part and what hangs on it leave on the floor, shape (k, 3), [m]; None if none does.

    Args:
        skeleton: The figure.
        frames: World frames of its joints, shape (n, 4, 4), [m].
        joint: The part.
    """
    if contact_points(skeleton, frames, joint)[:, 1].min() > _NEAR * height(skeleton):
        return None
    down = frames[joint, :3, :3] @ sole(skeleton, joint).down
    if -down[1] < _FLAT * float(np.linalg.norm(down)):
        return None
    parts, corners = [joint], []
    for part in parts:
        parts.extend(skeleton.children[part])
        if skeleton.joints[part].has_body:
            X = frames[part]
            corners.append(sole(skeleton, part).outline @ X[:3, :3].T + X[:3, 3])
    points = np.concatenate(corners)
    outline = points[hull(points[:, [2, 0]])]
    outline[:, 1] = 0.0
    return outline if len(outline) > 2 else None
