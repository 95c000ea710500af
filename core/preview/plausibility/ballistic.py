"""A flight put on its parabola: other keys of the root's place, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from core.animation.channels import PLACE
from core.animation.key import Key
from core.animation.sequence import Sequence
from core.animation.shape import FREE, Shape
from core.errors import SequenceError
from core.kinematics.center_of_mass import center_of_mass
from core.preview.differences import differences, stencil
from core.preview.keyed_motion import GRAVITY
from core.preview.plausibility.violation import Violation
from core.skeleton.segment import figure_height
from core.skeleton.skeleton import Array

_HIGHEST = 3.0  # of the figure's height: what would rise by more is no flight but hangs in the air
_NEAR = 6e-4, 0.015  # of the figure's height, of the rise of the flight: so far the root may be from its place
_SHORTEST = 2  # frames
_BESIDE = 2  # keys either side of a flight whose spans its keys can bend


def ballistic_fix(sequence: Sequence, violation: Violation, gravity: ArrayLike = GRAVITY) -> tuple[Key, ...]:
    """Return the keys that put the centre of mass on its parabola between the ends of a flight.

    The root's place is keyed, and nothing else: at the first and last frame of the flight it stays where it is, in
    between it is moved so that the centre of mass of each pose lies on the parabola through those two places. Keys
    that are there already are kept; as few others are added as that takes.

    Args:
        sequence: The sequence; it does not change.
        violation: What was found, of kind ``"parabola"`` or, pushed sideways, ``"momentum"``.
        gravity: Acceleration of free fall, shape (3,), [m/s^2].

    Returns:
        Keys to put in the place of those at their frames.

    Raises:
        SequenceError: If other keys of the root's place cannot mend it, or it has no end.
        SkeletonError: If the figure weighs nothing.
    """
    a, b = violation.first, violation.last
    if not violation.fixable:
        raise SequenceError(f"frames {a} to {b}: other places of the root do not mend this: {violation.text}")
    if sequence.timed:
        raise SequenceError(
            f'sequence "{sequence.name}" has a timing curve or a speed of the root; take it away before flights are put'
            " on their parabola"
        )
    if b - a < _SHORTEST or not sequence.keys:
        raise SequenceError(f"frames {a} to {b}: there is no frame in between to put on a parabola")
    g = np.asarray(gravity, dtype=np.float64)
    seconds = (b - a) / sequence.fps
    rise = 0.125 * float(np.linalg.norm(g)) * seconds**2
    if rise > _HIGHEST * figure_height(sequence.skeleton):
        raise SequenceError(
            f"frames {a} to {b}: a flight of {seconds:.1f} s would rise by {rise:.1f} m; put the figure on the ground,"
            " lock what holds it, or make the flight shorter"
        )
    near = max(_NEAR[0] * figure_height(sequence.skeleton), _NEAR[1] * rise)
    return _fitted(sequence, _Wanted(sequence, a, b, g), near)


class _Wanted:
    """Where the root is wanted, at every half frame of a flight and of the keys around.

    Args:
        sequence: The sequence.
        first: First frame of the flight.
        last: Last frame of it.
        gravity: Shape (3,), [m/s^2].

    Attributes:
        frames: Frame numbers, two a frame, shape (m,).
        places: Where the root is wanted, shape (m, 3), [m].
        first: First frame of the flight.
        last: Last frame.
    """

    def __init__(self, sequence: Sequence, first: int, last: int, gravity: Array):
        self.first, self.last = first, last
        keyed = sequence.channel_frames(PLACE).tolist()
        before = [frame for frame in keyed if frame < first][-_BESIDE:]
        after = [frame for frame in keyed if frame > last][:_BESIDE]
        begin, end = min([first, *before]), max([last, *after])
        self.frames = begin + 0.5 * np.arange(2 * (end - begin) + 1)
        poses = sequence.poses_at_frames(self.frames)
        self.places = sequence.interpolated_at_frames(self.frames)[:, :3]
        self._beside = self._slopes(~self.inside), self.inside.copy()
        t = (self.frames - first) / sequence.fps
        centers = center_of_mass(sequence.skeleton, poses)
        start, stop = centers[self._at(first)], centers[self._at(last)]
        T = (last - first) / sequence.fps
        speed = (stop - start) / T - 0.5 * gravity * T
        wanted = start + t[:, None] * speed + 0.5 * t[:, None] ** 2 * gravity
        self.places = np.where(self.inside[:, None], self.places + wanted - centers, self.places)
        self._slope = self._slopes(self.inside)

    @property
    def inside(self) -> np.ndarray:
        """Which frames are of the flight, shape (m,)."""
        return np.asarray((self.frames >= self.first) & (self.frames <= self.last))

    def _at(self, frame: float) -> int:
        return round(2.0 * (frame - self.frames[0]))

    def _slopes(self, where: np.ndarray) -> Array:
        """Return slopes of the places, [m/frame], told by those of the same stretch only, shape (m, 3)."""
        found = np.zeros_like(self.places)
        edges = np.flatnonzero(np.diff(where.astype(np.int8))) + 1
        for rows in np.split(np.arange(len(where)), edges):
            found[rows] = differences(self.places[rows], stencil(np.arange(float(len(rows))), len(rows), 0.5))[0]
        return found

    def place(self, frame: int) -> Array:
        """Return where the root is wanted at a frame, shape (3,), [m]."""
        return np.asarray(self.places[self._at(frame)])

    def shape(self, frame: int) -> Shape:
        """Return the shape of the root's place at a frame of the flight: with the slopes that it is wanted to have."""
        k = self._at(frame)
        own = tuple(self._slope[k].tolist())
        before = tuple(self._beside[0][max(k - 1, 0)].tolist()) if frame == self.first and k > 0 else own
        past = frame == self.last and k + 1 < len(self.frames)
        after = tuple(self._beside[0][k + 1].tolist()) if past else own
        return Shape(FREE, slopes_in=before, slopes_out=after)


def _fitted(sequence: Sequence, wanted: _Wanted, near: float) -> tuple[Key, ...]:
    """Return keys that bring the root as near to where it is wanted as told, more and more of them where it is not."""
    keyed = set(sequence.channel_frames(PLACE).tolist())
    begin, end = int(wanted.frames[0]), int(wanted.frames[-1])
    chosen = {wanted.first, wanted.last, *(frame for frame in keyed if wanted.first < frame < wanted.last)}
    trial = Sequence(sequence.skeleton, fps=sequence.fps, loop=sequence.loop)
    trial.set_range(*sequence.range)
    while True:
        made = [_key(sequence, wanted, frame) for frame in sorted(chosen)]
        keys = {key.frame: key for key in (*sequence.keys, *made)}
        trial.set_keys(keys.values())
        away = np.linalg.norm(trial.interpolated_at_frames(wanted.frames)[:, :3] - wanted.places, axis=1)
        there = chosen | keyed
        free = [frame for frame in range(begin, end + 1) if frame not in there]
        worst = int(away.argmax())
        if away[worst] <= near or not free:
            return tuple(made)
        chosen.add(min(free, key=lambda frame: (abs(frame - wanted.frames[worst]), frame)))


def _key(sequence: Sequence, wanted: _Wanted, frame: int) -> Key:
    """Return the key of a frame with the root's place put where it is wanted."""
    old = sequence.key_at(frame)
    q = (old.q if old is not None else sequence.interpolated_at_frames([frame])[0]).copy()
    q[:3] = wanted.place(frame)
    inside = wanted.first <= frame <= wanted.last
    shapes = {PLACE: wanted.shape(frame)} if inside else {}
    if old is None:
        return Key(frame, q, keyed=(PLACE,), shapes=shapes)
    keyed = None if old.keyed is None else old.keyed | {PLACE}
    kept = {name: shape for name, shape in old.shapes.items() if name != PLACE or not inside}
    return replace(old, q=q, keyed=keyed, shapes={**kept, **shapes})
