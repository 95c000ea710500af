"""A lock's target while it is dragged: from the motion of the pointer to where the target goes."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from app.marks import manipulators
from app.marks.manipulators import Handle
from app.marks.target_path import is_path, moved_target
from app.scene.lock_places import LockMark
from app.scene.pointing import Pointer
from app.tools import lock_grips
from app.tools.base import FINE, Array
from app.tools.pointer_hold import PointerHold
from app.tools.turn_part import snapped
from core.spatial import so3

if TYPE_CHECKING:
    from app.document.gestures.strip_gesture import LockGesture
    from core.animation.locks.strip import LockStrip

CLICK = 3.0
"""A press that moves no further than this is a click, [px]."""
STEP = 0.01
"""Steps of a target's path while Shift is held, [m]."""


@dataclass
class LockHold(PointerHold):
    """What the pressed mouse holds, world, [m]; pixels logical.

    Attributes:
        mark: The lock as it was at the press.
        strip: Its strip at the press.
        grip: Arrow or ring that is held; None for the glyph, the middle or a key of the path.
        key: Number of the target's key that is moved, or of the point of a path; None for the target at the current
            frame.
        turning: Whether it turns.
        axis: World axis that it is held to, 0 to 2.
        angle: Where the ring is held, [rad]; None for one that is seen from its edge.
        wanted: How far the ring was turned, before Shift, [rad].
        by: How far the target has come, shape (3,).
        spin: How far it was turned without a ring, as a rotation vector, shape (3,), [rad].
        begun: Whether it has moved at all: else it is a click.
    """

    mark: LockMark
    strip: LockStrip
    grip: Handle | None = None
    key: int | None = None
    turning: bool = False
    axis: int | None = None
    angle: float | None = None
    wanted: float = 0.0
    by: Array = field(default_factory=lambda: np.zeros(3))
    spin: Array = field(default_factory=lambda: np.zeros(3))
    gesture: LockGesture | None = None
    begun: bool = False

    def take_grip(self, grip: Handle) -> None:
        """Hold a target by an arrow or a ring; a ring counts from where it is taken hold of."""
        self.grip, self.turning = grip, grip.kind == "hinge"
        if self.turning:
            angle = manipulators.angle_at(self.view, grip, *self.at)
            if angle is not None:
                self.grip, self.angle = replace(grip, zero=grip.at(angle)), 0.0

    @property
    def amount(self) -> float:
        """How far the target has come: [m], or [rad] if it turns."""
        if self.turning:
            return self._turned if self.grip is not None else float(np.linalg.norm(so3.log(self.rotation)))
        return float(np.linalg.norm(self.by))

    @property
    def frame(self) -> int | None:
        """Frame of the key that is moved, or None."""
        return None if self.key is None or is_path(self.strip) else self.strip.targets[self.key].frame

    @property
    def guided(self) -> bool:
        """Whether something else than the letter of an axis says already which way it goes."""
        return self.grip is not None or (self.key is None and lock_grips.only_axis(self.mark) is not None)

    def move(self, pointer: Pointer) -> bool:
        """Take the pointer's next place; return whether the target is to follow: a click does not move it."""
        before = self.last
        dx, dy = self.follow(pointer)
        if not self.begun:
            if math.hypot(pointer.x - self.at[0], pointer.y - self.at[1]) < CLICK:
                return False
            if self.key is None and not lock_grips.movable(self.mark):
                return False
            self.begun = True
            before, dx, dy = self.at, pointer.x - self.at[0], pointer.y - self.at[1]  # the way so far counts too
        if self.turning:
            self._spin(before, FINE if pointer.ctrl else 1.0, dx, dy)
        else:
            self.by = self._moved()
        return True

    def hold_to(self, axis: int) -> None:
        """Hold the target to a world axis, or let it go if it is held to that one."""
        self.axis = None if self.axis == axis else axis
        self.spin = np.zeros(3)
        if self.begun and not self.turning:
            self.by = self._moved()

    def _spin(self, before: tuple[float, float], gain: float, dx: float, dy: float) -> None:
        """Add what the pointer has turned since the last move."""
        view, ring = self.view, self.grip
        if ring is None:
            right, up, _ = view.camera.basis
            turn = (dx * up + dy * right) * (gain / manipulators.RADIUS)
            if self.axis is not None:
                turn = np.eye(3)[self.axis] * float(turn[np.argmax(np.abs(turn))])
            self.spin = so3.log(so3.exp(turn) @ so3.exp(self.spin))
            return
        if self.angle is None:
            step = float(manipulators.tangent_rate(view, ring, *before) @ np.array([dx, dy]))
        else:
            angle = manipulators.angle_at(view, ring, *self.last)
            if angle is None:
                return
            step = float(np.remainder(angle - self.angle + np.pi, 2.0 * np.pi) - np.pi)
            self.angle = angle
        self.wanted += gain * step

    def _moved(self) -> Array:
        """Return how far the target has come, in steps while Shift is held, shape (3,), [m]."""
        axis = self._axis()
        by = self.travel(axis)
        if axis is None:
            return np.asarray(STEP * np.round(by / STEP) if self.pointer.shift else by)
        length = float(by @ axis)
        return np.asarray((STEP * round(length / STEP) if self.pointer.shift else length) * axis)

    def _axis(self) -> Array | None:
        """Return the unit direction the target is held to, shape (3,), or None."""
        axis = lock_grips.only_axis(self.mark) if self.key is None else None
        if axis is None and self.grip is not None:
            axis = self.grip.axis
        return axis if axis is not None or self.axis is None else np.eye(3)[self.axis]

    @property
    def _turned(self) -> float:
        return snapped(self.wanted) if self.pointer.shift else self.wanted

    @property
    def rotation(self) -> Array:
        """How far the target was turned, in the world, shape (3, 3)."""
        if self.grip is not None:
            return np.asarray(so3.exp(self._turned * self.grip.axis))
        spin, length = self.spin, float(np.linalg.norm(self.spin))
        if self.pointer.shift and length > 0.0:
            spin = spin * (snapped(length) / length)
        return np.asarray(so3.exp(spin))

    def values(self, now: int) -> dict[str, Any]:
        """Return what to change of the strip: its target, or if that has keys the key at a frame.

        Args:
            now: The current frame: there a target with keys gets one more if it has none.
        """
        if self.key is not None and is_path(self.strip):
            points = np.array(self.strip.lock.target)
            points[self.key] += self.by
            return {"target": points}
        keys = self.strip.targets
        target = self.mark.lock.target if self.key is None else keys[self.key].target
        if self.turning:
            target = lock_grips.turned(self.mark, target, self.rotation)
        elif self.key is not None:
            target = moved_target(self.mark.kind, target, self.by)
        else:
            target = lock_grips.moved(self.mark, target, self.by)
        if not keys:
            return {"target": target}
        frame = now if self.frame is None else self.frame
        new = replace(self.strip.key_at(frame), target=target)
        return {"targets": tuple(sorted([*(k for k in keys if k.frame != frame), new], key=lambda k: k.frame))}
