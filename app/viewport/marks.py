"""Marks that belong to the figure and its motion: trail of a part, centre of mass."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainter

from app.viewport import overlays
from app.viewport.ghost_keys import trail_keys
from core.kinematics import forward_kinematics
from core.skeleton.mass import mass_properties
from core.skeleton.segment import end_effector

if TYPE_CHECKING:
    from app.viewport.scene import Scene
    from app.viewport.view import View

Array = NDArray[np.float64]
Dots = tuple[str, Array]
Bead = tuple[QPointF, str]

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
    """Return the figure's centre of mass in the world, shape (3,), [m]."""
    skeleton = scene.skeleton
    if skeleton is None:
        return np.zeros(3)
    if scene.masses is None:
        found = [mass_properties(skeleton, i)[:2] for i in range(len(skeleton.joints))]
        scene.masses = (np.array([m for m, _ in found]), np.array([c for _, c in found]))
    masses, local = scene.masses
    X = scene.poses
    centers = np.einsum("nij,nj->ni", X[:, :3, :3], local) + X[:, :3, 3]
    total = float(masses.sum())
    return masses @ centers / total if total > 0.0 else np.array(X[0, :3, 3])


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
        X = forward_kinematics(skeleton, sequence.poses(frames / sequence.fps))[:, joint]
        path = np.einsum("mij,j->mi", X[:, :3, :3], end_effector(skeleton, joint)) + X[:, :3, 3]
        scene.trail = (joint, frames, path, keys)
        scene.trail_time = time.monotonic()
    return scene.trail[1:]
