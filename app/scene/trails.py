"""Which trails are shown, where their beads are in a view, and which one is under the pointer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from app.scene.bead_gaps import far_apart
from app.scene.motion_samples import FACING, ROOT, MotionSamples
from core.animation.channels import PLACE
from core.kinematics.chain import ancestry
from core.skeleton.segment import end_effector

if TYPE_CHECKING:
    from app.scene.pointing import ToolView
    from app.scene.scene import Scene

Array = NDArray[np.float64]

ROOT_PATH = -1
"""Stands for a part where the path of the root on the floor is meant."""
HIT, HIT_OVER_PART, SAME = 9.0, 6.0, 1.0
"""A press no further than this from a bead's middle takes it; nearer where it lies over the figure.

Those that are less than the last apart are at one place, [px]."""
MOST = 8
"""Most trails at a time."""
_KEPT = 6


@dataclass(frozen=True)
class Bead:
    """A key on a trail.

    Attributes:
        part: Joint whose trail it is on, or ``ROOT_PATH``.
        frame: The key's frame.
    """

    part: int
    frame: int


@dataclass(frozen=True, eq=False)
class Trail:
    """Where a part goes.

    Attributes:
        part: The joint, or ``ROOT_PATH``.
        frames: Ascending, shape (m,).
        path: World points, shape (m, 3), [m]; on the floor for the root's path.
        keys: Frames of the keys to be marked.
        places: Where they are on the path, shape (k, 3), [m].
        facing: Unit directions in the floor's plane in which the root faces at the keys, shape (k, 3), zero where it
            faces up or down; empty for other trails.
    """

    part: int
    frames: Array
    path: Array
    keys: tuple[int, ...]
    places: Array
    facing: Array


class Trails:
    """All trails of the scene.

    Attributes:
        samples: Where all parts go.
        lit: The bead under the pointer or dragged, or None.
    """

    def __init__(self, scene: Scene):
        self._scene = scene
        self.samples = MotionSamples(scene)
        self.lit: Bead | None = None
        self._known: dict[int, tuple[int, Trail]] = {}
        self._placed: dict[object, tuple[Array, tuple[Bead, ...]]] = {}

    @property
    def parts(self) -> tuple[int, ...]:
        """Joints that have a trail now: the kept ones, and the selected ones if trails are switched on."""
        scene = self._scene
        session, skeleton = scene.document.session, scene.skeleton
        if skeleton is None or scene.at_rest:
            return ()
        chosen = [
            *session.view.trail_parts,
            *(scene.document.selection.joints if session.view.overlays["trail"] else ()),
        ]
        return tuple(dict.fromkeys(joint for joint in chosen if joint < len(skeleton.joints)))[-MOST:]

    def shown(self) -> list[Trail]:
        """Return the trails there are now, that of the root on the floor first."""
        scene = self._scene
        rows = list(self.parts)
        if scene.skeleton is not None and not scene.at_rest and scene.document.session.view.overlays["root_path"]:
            rows.insert(0, ROOT_PATH)
        if not rows or len(self.samples.frames) < 2:
            return []
        return [self._trail(part) for part in rows]

    def trail(self, part: int) -> Trail | None:
        """Return the trail of a part, or of the root on the floor, if it is shown."""
        return next((each for each in self.shown() if each.part == part), None)

    def _trail(self, part: int) -> Trail:
        samples = self.samples
        known = self._known.get(part)
        if known is not None and known[0] == samples.version:
            return known[1]
        path, keys = samples.path(ROOT if part == ROOT_PATH else part), self._keys(part)
        at = np.searchsorted(samples.frames, keys)
        facing = np.zeros((0, 3))
        if part == ROOT_PATH:
            facing = samples.path(FACING)[at] - path[at]
            facing[:, 1] = 0.0
            lengths = np.linalg.norm(facing, axis=1, keepdims=True)
            facing = np.where(lengths > 0.3, facing / np.maximum(lengths, 1e-12), 0.0)
            path = on_floor(path)
        trail = Trail(part, samples.frames, path, tuple(keys), path[at], facing)
        self._known = {p: row for p, row in self._known.items() if row[0] == samples.version}
        self._known[part] = samples.version, trail
        return trail

    def _keys(self, part: int) -> list[int]:
        """Return the frames of the keys that move a part: those that hold its channel or one above it."""
        sequence, skeleton = self._scene.document.sequence, self._scene.skeleton
        keys = self.samples.keys
        if sequence is None or skeleton is None or not keys:
            return []
        channels, table = sequence.channels, sequence.keys.table
        moving = () if part == ROOT_PATH else channels.of_joints(ancestry(skeleton, part))
        columns = [channels.index(name) for name in (PLACE, *moving)]
        rows = np.searchsorted(table.frames, keys)
        held = table.keyed[np.ix_(np.minimum(rows, len(table) - 1), columns)].any(axis=1)
        return [key for key, row, kept in zip(keys, rows, held, strict=True) if kept and table.frames[row] == key]

    # -- beads -----------------------------------------------------------------------------------------------------

    def beads(self, view: ToolView) -> tuple[Array, tuple[Bead, ...]]:
        """Return where the beads are in a view, logical pixels (k, 2), and which they are: none hides another.

        Of keys at one place that of the current frame goes first. A part has no bead there: the part itself is there,
        also for keys between which it stays.
        """
        trails, now = self.shown(), self._scene.document.frame
        size = view.project(np.zeros((1, 3)))[0]  # says with the camera how large the view is
        key = (
            tuple(id(trail) for trail in trails), now, repr(view.camera.to_json()), float(size[0]), float(size[1]),
            self.lit,
        )  # fmt: skip
        found = self._placed.get(key)
        if found is not None:
            return found
        pixels, beads = [np.zeros((0, 2))], []
        for trail in trails:
            if not trail.keys:
                continue
            seen = view.project(trail.places)
            kept = far_apart(seen, chosen=trail.keys.index(now) if now in trail.keys else None)
            if self.lit is not None and self.lit.part == trail.part and self.lit.frame in trail.keys:
                kept[trail.keys.index(self.lit.frame)] = True
            if trail.part != ROOT_PATH and now in trail.keys:
                kept[trail.keys.index(now)] = False
            pixels.append(seen[kept, :2])
            beads += [Bead(trail.part, trail.keys[k]) for k in np.flatnonzero(kept)]
        if len(self._placed) >= _KEPT:
            self._placed.clear()
        self._placed[key] = found = np.concatenate(pixels), tuple(beads)
        return found

    def at(self, view: ToolView, x: float, y: float, over_part: bool) -> Bead | None:
        """Return the bead under a pixel, the nearest, of those at one place that of the current frame; None for none.

        Args:
            view: The view.
            x: Logical pixels from its left.
            y: Logical pixels from its top.
            over_part: Whether a part of the figure is under the pixel: then only the bead's middle counts, and none of
                the path on the floor, which the figure stands in front of, nor one where its part is just now.
        """
        pixels, beads = self.beads(view)
        if not beads:
            return None
        now = self._scene.document.frame
        away = np.hypot(pixels[:, 0] - x, pixels[:, 1] - y)
        if over_part:
            hidden = [bead.part == ROOT_PATH or self.on_part(view, bead) for bead in beads]
            away = np.where(hidden, np.inf, away)
        nearest = min(range(len(beads)), key=lambda k: away[k] - (SAME if beads[k].frame == now else 0.0))
        return beads[nearest] if away[nearest] <= (HIT_OVER_PART if over_part else HIT) else None

    def on_part(self, view: ToolView, bead: Bead) -> bool:
        """Whether a bead is where its part is just now, as near as its size: a press there means the part."""
        place, skeleton = self.place(bead), self._scene.skeleton
        if place is None or skeleton is None or bead.part == ROOT_PATH:
            return False
        seen = view.project(np.array([place, self._scene.world(bead.part, end_effector(skeleton, bead.part))]))
        return bool(np.hypot(*(seen[0, :2] - seen[1, :2])) <= HIT)

    def place(self, bead: Bead) -> Array | None:
        """Return where a bead is, world, shape (3,), [m]; None if it is no longer there."""
        trail = self.trail(bead.part)
        if trail is None or bead.frame not in trail.keys:
            return None
        return np.array(trail.places[trail.keys.index(bead.frame)])


def on_floor(points: Array) -> Array:
    """Return world points dropped onto the floor, shape (m, 3), [m]."""
    dropped = np.array(points)
    dropped[:, 1] = 0.0
    return dropped
