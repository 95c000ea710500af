"""Marks that belong to the figure and its motion: trail of a part, centre of mass."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QTimer
from PySide6.QtGui import QPainter

from app.viewport import overlays
from app.viewport.ghost_keys import trail_keys
from core import kinematics
from core.errors import SkeletonError
from core.kinematics import forward_kinematics
from core.skeleton.segment import end_effector

if TYPE_CHECKING:
    from app.viewport.scene import Scene
    from app.viewport.view import View

Array = NDArray[np.float64]
Dots = tuple[str, Array]
Bead = tuple[QPointF, str]

BUDGET = 0.008
"""Where locks hold in between, so long is spent on a trail at each paint, [s]: solving every frame of it may take long.
What is left follows with the next paint; until then the trail goes where it would without locks."""
_MOST_SAMPLES = 600


class Marks:
    """Paints trail and centre of mass as the session's overlays ask.

    Args:
        scene: The posed figure.
    """

    def __init__(self, scene: Scene):
        self.scene = scene
        self._placed: tuple[object, object, list[Dots], list[Bead]] | None = None  # the trail as it was drawn last

    def paint(self, painter: QPainter, view: View, small: bool) -> None:
        """Paint what is switched on."""
        shown = self.scene.document.session.overlays
        if self.scene.skeleton is None:
            return
        if shown.get("trail", False) and not small and not self.scene.at_rest:
            self._paint_trail(painter, view)
        if shown.get("com", False):
            overlays.draw_center_of_mass(painter, view, center_of_mass(self.scene), small)

    def _paint_trail(self, painter: QPainter, view: View) -> None:
        trail = part_trail(self.scene)
        if trail is None:
            return
        if self.scene.trail_left and self.scene.document.gesture is None:
            QTimer.singleShot(0, view, view.update)
        now, camera = self.scene.document.frame, view.camera
        key = (now, camera.to_json(), view.width(), view.height())
        if self._placed is None or self._placed[0] is not self.scene.trail or self._placed[1] != key:
            self._placed = self.scene.trail, key, *_placed(view, trail, now)
        dots, beads = self._placed[2:]
        for token, places in dots:
            overlays.draw_trail(painter, view, places, token)
        overlays.draw_beads(painter, view, beads)


def _placed(view: View, trail: tuple[Array, Array, list[int]], now: int) -> tuple[list[Dots], list[Bead]]:
    """Return where a trail's dots and beads are in a view, and their colour tokens."""
    frames, path, keys = trail
    split = int(np.searchsorted(frames, now))
    dots = [
        ("ghost_before", overlays.trail_dots(view, path[: split + 1])),
        ("ghost_after", overlays.trail_dots(view, path[split:])),
    ]
    pixels = view.project(path[np.searchsorted(frames, keys)])
    apart = overlays.far_apart(pixels)
    beads = [
        (QPointF(x, y), "ghost_before" if key < now else "ghost_after")
        for key, (x, y, _), kept in zip(keys, pixels.tolist(), apart, strict=True)
        if kept and key != now
    ]
    return dots, beads


def center_of_mass(scene: Scene) -> Array:
    """Return the figure's centre of mass in the world, shape (3,), [m]; the root for a figure that weighs nothing."""
    skeleton = scene.skeleton
    if skeleton is None:
        return np.zeros(3)
    try:
        return kinematics.center_of_mass(skeleton, scene.document.pose, scene.poses)
    except SkeletonError:
        return np.array(scene.poses[0, :3, 3])


def part_trail(scene: Scene) -> tuple[Array, Array, list[int]] | None:
    """Return where the part selected last goes: frames (m,), world points (m, 3) [m], and the keys to be marked."""
    document, skeleton = scene.document, scene.skeleton
    sequence = document.sequence
    if skeleton is None or sequence is None or not document.selection or len(sequence.keys) < 2:
        return None
    joint = document.selection[-1]
    if scene.trail is None or scene.trail[0] != joint:
        keys = trail_keys(sequence)
        step = max(1, -(-(keys[-1] - keys[0]) // _MOST_SAMPLES))
        frames = np.unique(np.concatenate([np.arange(keys[0], keys[-1] + 1, step), keys])).astype(np.float64)
        scene.trail = (joint, frames, _path(scene, joint, sequence.interpolated_at_frames(frames)), keys)
        scene.trail_left = []
        if sequence.held:  # the nearest frames first
            scene.trail_left = np.argsort(-np.abs(frames - document.frame), kind="stable").tolist()
        scene.trail_slow = _held_trail(scene)
        scene.trail_time = time.monotonic()
    elif scene.trail_left and document.gesture is None:
        _held_trail(scene)
    return scene.trail[1:]


def _path(scene: Scene, joint: int, poses: Array) -> Array:
    """Return where a part's end-effector is in some poses (m, nq), world, shape (m, 3), [m]."""
    assert scene.skeleton is not None
    X = forward_kinematics(scene.skeleton, poses)[:, joint]
    return np.asarray(np.einsum("mij,j->mi", X[:, :3, :3], end_effector(scene.skeleton, joint)) + X[:, :3, 3])


def _held_trail(scene: Scene) -> bool:
    """Go on putting a trail where locks hold it, as long as the budget lasts; return whether some is left."""
    sequence, left = scene.document.sequence, scene.trail_left
    if scene.trail is None or sequence is None or not left:
        return False
    joint, frames, path, keys = scene.trail
    path, end = path.copy(), time.perf_counter() + BUDGET
    while left and time.perf_counter() < end:
        k = left.pop()
        path[k] = _path(scene, joint, sequence.poses_at_frames([frames[k]]))[0]
    scene.trail = (joint, frames, path, keys)
    return bool(left)
