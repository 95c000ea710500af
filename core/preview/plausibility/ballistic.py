"""A flight put on its parabola, and its turning made even: other keys of the root, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.animation.channels import PLACE
from core.animation.curves.compound_joints import CompoundJoints
from core.animation.key import Key
from core.animation.sequence import Sequence
from core.animation.shape import FREE, Shape
from core.arrays import Array, Bools
from core.errors import SequenceError
from core.kernels import serving
from core.kinematics.center_of_mass import center_of_mass
from core.kinematics.forward import forward_kinematics
from core.preview.body_motion import bodies_of, differences, spins, stencil
from core.preview.keyed_motion import GRAVITY
from core.preview.plausibility import flexible_kernel
from core.preview.plausibility.violation import Violation
from core.skeleton import Skeleton
from core.skeleton.extent import figure_height
from core.spatial import quaternion as quat
from core.spatial import so3

_SHOTS = 20
_HIT = 1e-10  # rad
_NUDGE = 1e-6
_FARTHEST = 1.0  # rad: a correction that turns the figure farther at once is cut down


def evened_turns(s: Skeleton, poses: Array, step: float) -> Array:
    """Return how to turn a flying figure about its centre of mass so that its angular momentum stays the same.

    It is turned as a whole, its pose apart. What it has at the first and at the last pose stays as it is.

    Args:
        s: The figure.
        poses: Poses of the flight, evenly spaced, shape (m, nq).
        step: Time between two, [s].

    Returns:
        Rotations in world axes, the first and the last none, shape (m, 3, 3).

    Raises:
        SequenceError: If no angular momentum leads from the first pose to the last.
    """
    count = len(poses)
    frames = forward_kinematics(s, poses)
    spin, inertia = spins(bodies_of(s), frames, stencil(np.arange(float(count)), count, step))
    flexible = _Flexible(spin, inertia, step)
    kept = spin.mean(axis=0)
    for _ in range(_SHOTS):
        size = max(float(np.linalg.norm(kept)), 1.0) * _NUDGE
        nudged = flexible.turns(kept + size * np.concatenate([np.zeros((1, 3)), np.eye(3)]))  # all in one pass
        turns = nudged[:, 0].copy()
        missed = so3.log(turns[-1])
        if float(np.linalg.norm(missed)) < _HIT:
            turns[-1] = np.eye(3)
            return turns
        slope = so3.log(nudged[-1, 1:] @ turns[-1].T).T / size
        # Turns add up from the left: the error is expressed in the world's axes at the end.
        change = np.linalg.solve(slope, -missed * min(1.0, _FARTHEST / float(np.linalg.norm(missed))))
        kept = kept + change
    raise SequenceError("no rotation in the air leads from its first pose to its last; change one of them")


class _Flexible:
    """A body whose inertia and own angular momentum change with its pose.

    Args:
        spins: Angular momentum that it has by changing its pose, shape (m, 3), [N m s].
        inertias: Its inertia, shape (m, 3, 3), [kg m^2].
        step: Time between two, [s].
    """

    def __init__(self, spins: Array, inertias: Array, step: float):
        self._step = step
        # At the poses and half way between them.
        self._spins, self._inverse = _halved(spins), np.linalg.inv(_halved(inertias))

    def turns(self, kept: Array) -> Array:
        """Return the turns at the poses if it has constant angular momenta in the world, (k, 3) to (m, k, 3, 3)."""
        found = np.empty((len(kept), len(self._spins) // 2 + 1, 3, 3))
        serving(flexible_kernel).turns(self._spins, self._inverse, self._step, kept, np.empty((3, 3)), found)
        return found.swapaxes(0, 1)


def _halved(values: Array) -> Array:
    """Return values with the means of neighbours in between, shape (2 m - 1, ...)."""
    found = np.empty((2 * len(values) - 1, *values.shape[1:]))
    found[::2] = values
    found[1::2] = 0.5 * (values[1:] + values[:-1])
    return found


_HIGHEST = 3.0  # of the figure's height: what would rise by more is no flight but hangs in the air
_NEAR = 6e-4, 0.015  # of the figure's height, of the rise of the flight: so far the root may be from its place
_ARM = 0.25  # of the figure's height: how far it is from a root that is turned wrongly to what is then elsewhere
_SHORTEST = 2  # frames
_BESIDE = 2  # keys either side of a flight whose spans its keys can bend


def ballistic_fix(sequence: Sequence, violation: Violation, gravity: ArrayLike = GRAVITY) -> tuple[Key, ...]:
    """Return the keys that put the centre of mass on its parabola between the ends of a flight.

    The root is keyed, and nothing else: at the first and last frame of the flight it stays where it is, in between it
    is moved so that the centre of mass of each pose lies on the parabola through those two places. If the violation is
    about turning, the root is turned as well, so that the angular momentum is the same all the way between the two
    poses. Keys that are there already are kept; as few others are added as that takes.

    Args:
        sequence: The sequence; it does not change.
        violation: What was found, of kind ``"parabola"`` or ``"momentum"``.
        gravity: Acceleration of free fall, shape (3,), [m/s^2].

    Returns:
        Keys to put in the place of those at their frames.

    Raises:
        SequenceError: If other keys of the root cannot repair it: it is no flight, or is too long for one, or the root
            has no ball joint to turn by.
        DynamicsError: If the figure weighs nothing or has a scale.
    """
    a, b = violation.first, violation.last
    if not violation.fixable:
        raise SequenceError(f"frames {a} to {b}: other keys of the root do not repair this: {violation.text}")
    if sequence.timing.in_use:
        raise SequenceError(
            f'sequence "{sequence.name}" has a timing curve or a speed of the root; remove it before flights are fitted'
            " to parabolas"
        )
    if b - a < _SHORTEST or not sequence.keys:
        raise SequenceError(f"frames {a} to {b}: there is no frame in between to fit to a parabola")
    g = np.asarray(gravity, dtype=np.float64)
    seconds = (b - a) / sequence.fps
    rise = 0.125 * float(np.linalg.norm(g)) * seconds**2
    height = figure_height(sequence.skeleton)
    if rise > _HIGHEST * height:
        raise SequenceError(
            f"frames {a} to {b}: a flight of {seconds:.1f} s would rise by {rise:.1f} m; put the figure on the ground,"
            " lock what holds it, or make the flight shorter"
        )
    return _fitted(_Wanted(sequence, a, b, g, violation.turning), max(_NEAR[0] * height, _NEAR[1] * rise))


class _Track(NamedTuple):
    """What one channel of the root is wanted to do.

    Attributes:
        channel: Its name.
        columns: Where its values stand in a pose, shape (3,).
        values: What they are wanted to be, shape (m, 3).
        slopes: Their slopes, each side of an end of the flight estimated from that side, shape (m, 3), [1/frame].
        beside: The slopes of what there is outside of the flight, shape (m, 3), [1/frame].
    """

    channel: str
    columns: NDArray[np.intp]
    values: Array
    slopes: Array
    beside: Array


class _Wanted:
    """What the root is wanted to do, at every half frame of a flight and of the keys around.

    Args:
        sequence: The sequence.
        first: First frame of the flight.
        last: Last frame of it.
        gravity: Shape (3,), [m/s^2].
        turning: Whether the angular momentum is made even too.

    Attributes:
        sequence: The sequence.
        first: First frame of the flight.
        last: Last frame.
        frames: Frame numbers, two a frame, shape (m,).
        tracks: What each channel is wanted to do.
    """

    def __init__(self, sequence: Sequence, first: int, last: int, gravity: Array, turning: bool):
        self.sequence, self.first, self.last = sequence, first, last
        s = sequence.skeleton
        turned = _Turned(s) if turning else None
        names = {PLACE} if turned is None else {PLACE, turned.channel}
        keyed = self.keyed_frames(names)
        before = [frame for frame in keyed if frame < first][-_BESIDE:]
        after = [frame for frame in keyed if frame > last][:_BESIDE]
        begin, end = min([first, *before]), max([last, *after])
        self.frames = begin + 0.5 * np.arange(2 * (end - begin) + 1)
        poses = sequence.poses_at_frames(self.frames)
        shown = sequence.interpolated_at_frames(self.frames)
        inside = self.inside
        flying = poses[inside]
        centers = center_of_mass(s, flying)
        t = (self.frames[inside] - first) / sequence.fps
        speed = (centers[-1] - centers[0]) / t[-1] - 0.5 * gravity * t[-1]
        shift = centers[0] + t[:, None] * speed + 0.5 * t[:, None] ** 2 * gravity - centers
        place = np.arange(3)
        self.tracks: list[_Track] = []
        if turned is not None:
            turns = evened_turns(s, flying, 0.5 / sequence.fps)
            root = forward_kinematics(s, flying)[:, 0]
            arms = root[:, :3, 3] - centers
            shift += np.einsum("mij,mj->mi", turns, arms) - arms
            angles = turned.angles(turns @ root[:, :3, :3], shown[inside][:, turned.columns])
            self._add(turned.channel, turned.columns, shown, angles)
        self._add(PLACE, place, shown, shown[inside][:, :3] + shift)
        self.turned = turned

    def keyed_frames(self, names: set[str]) -> list[int]:
        """Return the frames at which some channels are keyed, ascending."""
        return sorted({frame for name in names for frame in self.sequence.keys.channel_frames(name).tolist()})

    @property
    def channels(self) -> set[str]:
        """Names of the channels."""
        return {track.channel for track in self.tracks}

    @property
    def inside(self) -> Bools:
        """Which frames are of the flight, shape (m,)."""
        return np.asarray((self.frames >= self.first) & (self.frames <= self.last))

    def _add(self, channel: str, columns: NDArray[np.intp], shown: Array, flying: Array) -> None:
        there = shown[:, columns]
        values = there.copy()
        values[self.inside] = flying
        # What there is goes on up to the flight's ends: its slopes there are estimated from what lies outside.
        outside = self._slopes(there, [self.frames <= self.first, self.frames >= self.last])
        self.tracks.append(_Track(channel, columns, values, self._slopes(values, [self.inside]), outside))

    def _slopes(self, values: Array, stretches: list[Bools]) -> Array:
        """Return slopes of values, each stretch estimated by itself, shape (m, 3)."""
        found = np.zeros_like(values)
        for stretch in stretches:
            rows = np.flatnonzero(stretch)
            found[rows] = differences(values[rows], stencil(np.arange(float(len(rows))), len(rows), 0.5))[0]
        return found

    def at(self, frame: float) -> int:
        """Return the place of a frame among those that are looked at."""
        return round(2.0 * float(frame - self.frames[0]))

    def shape(self, track: _Track, frame: int) -> Shape:
        """Return the shape of a channel at a frame of the flight: with the slopes that it is wanted to have."""
        k = self.at(frame)
        own = tuple(track.slopes[k].tolist())
        beside = tuple(track.beside[k].tolist())
        comes = beside if frame == self.first and k > 0 else own
        leaves = beside if frame == self.last and k + 1 < len(self.frames) else own
        return Shape(FREE, slopes_in=comes, slopes_out=leaves)

    def away(self, shown: Array) -> Array:
        """Return how far the root of poses is from where it is wanted, shape (m,), [m]; a turn counts at its arm."""
        found = np.zeros(len(shown))
        for track in self.tracks:
            if track.channel == PLACE:
                found += np.linalg.norm(shown[:, :3] - track.values, axis=1)
            elif self.turned is not None:
                arm = _ARM * figure_height(self.sequence.skeleton)
                found += arm * self.turned.between(shown[:, track.columns], track.values)
        return found


class _Turned:
    """The root's turning as a channel.

    Attributes:
        channel: Name of the channel.
        columns: Where its angles stand in a pose, shape (3,).

    Raises:
        SequenceError: If the root has no ball joint of its own.
    """

    def __init__(self, s: Skeleton):
        joints = CompoundJoints(s)
        own = 3 + np.arange(len(s.joints[0].dofs))
        found = [k for k, columns in enumerate(joints.columns) if np.array_equal(columns, own)]
        if not found:
            raise SequenceError(
                f'the root "{s.joints[0].name}" of figure "{s.name}" is not a ball joint: its keys cannot even out'
                " its turning"
            )
        self.channel, self.columns = s.joints[0].name, joints.columns[found[0]]
        self._axes = joints.taken(np.array(found[:1]))
        self._back = s.joints[0].rotation.T

    def angles(self, rotations: Array, near: Array) -> Array:
        """Return the angles of rotations of the root in the world, each nearest to the one before, shape (m, 3)."""
        turns = quat.from_matrix(self._back @ rotations)
        found = []
        last, was = near[0], near[0]
        for turn, there in zip(turns, near, strict=True):
            last = self._axes.angles(turn[None], (last + there - was)[None])[0]
            was = there
            found.append(last)
        return np.array(found)

    def between(self, a: Array, b: Array) -> Array:
        """Return the angle between the rotations of angles, shape (m,), [rad]."""
        first, second = (np.array([self._axes.rotations(row[None])[0] for row in rows]) for rows in (a, b))
        return np.asarray(quat.angle_between(first, second))


def _fitted(wanted: _Wanted, near: float) -> tuple[Key, ...]:
    """Return keys that bring the root as near to where it is wanted as given, more and more of them where it is not."""
    sequence = wanted.sequence
    keyed = set(wanted.keyed_frames(wanted.channels))
    begin, end = int(wanted.frames[0]), int(wanted.frames[-1])
    chosen = {wanted.first, wanted.last, *(frame for frame in keyed if wanted.first < frame < wanted.last)}
    trial = Sequence(sequence.skeleton, fps=sequence.fps, loop=sequence.loop)
    trial.set_range(*sequence.range)
    while True:
        made = [_key(wanted, frame) for frame in sorted(chosen)]
        trial.set_keys({key.frame: key for key in (*sequence.keys, *made)}.values())
        away = wanted.away(trial.interpolated_at_frames(wanted.frames))
        there = chosen | keyed
        free = [frame for frame in range(begin, end + 1) if frame not in there]
        worst = int(away.argmax())
        if away[worst] <= near or not free:
            return tuple(made)
        chosen.add(min(free, key=lambda frame: (abs(frame - wanted.frames[worst]), frame)))


def _key(wanted: _Wanted, frame: int) -> Key:
    """Return the key of a frame with the root put where it is wanted."""
    old = wanted.sequence.keys.at(frame)
    q = (old.q if old is not None else wanted.sequence.interpolated_at_frames([frame])[0]).copy()
    for track in wanted.tracks:
        q[track.columns] = track.values[wanted.at(frame)]
    names = wanted.channels
    inside = wanted.first <= frame <= wanted.last
    shapes = {track.channel: wanted.shape(track, frame) for track in wanted.tracks} if inside else {}
    if old is None:
        return Key(frame, q, keyed=names, shapes=shapes)
    keyed = None if old.keyed is None else old.keyed | names
    return replace(old, q=q, keyed=keyed, shapes={**old.shapes, **shapes})
