"""Marks that belong to the figure and its motion: trail of a part, centre of mass."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
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

_MOST_SAMPLES = 600


class Marks:
    """Paints trail and centre of mass as the session's overlays ask.

    Args:
        scene: The posed figure.
    """

    def __init__(self, scene: Scene):
        self.scene = scene

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
        frames, path, keys = trail
        now = self.scene.document.frame
        split = int(np.searchsorted(frames, now))
        overlays.draw_trail(painter, view, path[: split + 1], "ghost_before")
        overlays.draw_trail(painter, view, path[split:], "ghost_after")
        places = path[np.searchsorted(frames, keys)]
        apart = overlays.far_apart(view.project(places))
        beads = [
            (place, "ghost_before" if key < now else "ghost_after")
            for key, place, kept in zip(keys, places, apart, strict=True)
            if kept and key != now
        ]
        overlays.draw_beads(painter, view, beads)


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
