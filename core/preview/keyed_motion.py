"""Energy, momentum and forces of the keyed motion: what it would take for a figure to move as its keys say.

A figure on two feet can share its weight between them in endless ways. Of all that make the same force and the same
moment the least is taken, moments counted as forces at a short arm: feet that stand alike bear alike, and a foot that
the centre of mass is above bears more.

The motion is looked at in steps of about a sixtieth to a twenty-fourth of a second, whole frames where possible, with
locks held, and differentiated there (``core.preview.body_motion``). So the kink that every spline has in its
acceleration at a key is spread over two steps, while keys at every frame, as of a recording or of baked physics, give
the velocities and accelerations of the motion they were taken from.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from core.animation.sequence import Sequence
from core.arrays import Array
from core.dynamics.contact.world import World
from core.errors import Cancelled
from core.joints import Composite, Free, FreeRotationFirst, JointModel, Spherical
from core.kinematics.forward import forward_kinematics
from core.kinematics.jacobian import point_jacobian
from core.preview.body_motion import Stencil, bodies_of, body_motion, differences, rotation_differences, stencil
from core.preview.plausibility.support import clearances, surface
from core.preview.plausibility.violation import THRESHOLDS
from core.skeleton import Skeleton
from core.skeleton.extent import figure_height
from core.spatial import so3

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody

_ARM = 0.03  # of the figure's height: the arm at which a moment counts as its force
_BAND = 0.006  # of the height: points of a part so far above its lowest one touch the ground too


class Bearing(NamedTuple):
    """A part that the ground bears.

    Attributes:
        joint: Index of its joint.
        point: Where, in the world, shape (3,), [m].
        force: What the ground does there, shape (3,), [N].
        moment: Shape (3,), [N m].
    """

    joint: int
    point: Array
    force: Array
    moment: Array


def ground_share(s: Skeleton, frames: Array, center: Array, wrench: Array, world: World) -> list[Bearing]:
    """Return how the parts that touch the ground share what the world has to do to a figure.

    Args:
        s: The figure.
        frames: World frames of all joints, shape (n, 4, 4).
        center: Its centre of mass, shape (3,), [m].
        wrench: ``[t; f]`` about the centre of mass that is needed, shape (6,).
        world: Where the ground is.

    Returns:
        The parts; none where nothing touches the ground, or where it would have to pull.
    """
    up = world.normals(center)
    height = figure_height(s)
    if wrench[3:] @ up <= 0.0:
        return []
    near = clearances(s, frames[None], world)[0] <= THRESHOLDS.touching * height
    parts = surface(s)
    found: list[tuple[int, Array]] = []
    for n in np.flatnonzero(near).tolist():
        X = frames[parts.joints[n]]
        points = parts.points[n] @ X[:3, :3].T + X[:3, 3]
        low = points @ up
        found.append((parts.joints[n], points[low <= low.min() + _BAND * height].mean(axis=0)))
    if not found:
        return []
    columns = np.zeros((6, 6 * len(found)))
    for k, (_, point) in enumerate(found):
        own = columns[:, 6 * k : 6 * k + 6]
        own[:3, :3] = np.eye(3) * (_ARM * height)  # moments in units of a force at the arm
        own[3:, 3:] = np.eye(3)
        x, y, z = point - center
        own[:3, 3:] = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]
    shares = (columns.T @ np.linalg.solve(columns @ columns.T, wrench)).reshape(-1, 6)
    return [
        Bearing(joint, point, share[3:], share[:3] * (_ARM * height))
        for (joint, point), share in zip(found, shares, strict=True)
    ]


GRAVITY = (0.0, -9.81, 0.0)
_FINEST, _COARSEST = 60.0, 24.0  # steps a second
_CHUNK = 64  # poses between two looks at ``cancelled``


def _go_on() -> bool:
    return False


@dataclass(frozen=True)
class KeyedDynamics:
    """What the keyed motion means, a row for each frame. World axes, SI units.

    Attributes:
        frames: Frame numbers, shape (m,).
        times: The same, [s], shape (m,).
        poses: Poses with locks held, shape (m, nq).
        kinetic: Kinetic energy, [J], shape (m,).
        potential: Potential energy, ``-m g.c``, 0 at the world's origin, [J], shape (m,).
        momentum: ``[L; P]``: angular momentum about the centre of mass and linear momentum, [N m s] and [N s],
            shape (m, 6).
        inertia: Inertia of the whole figure as it stands, about its centre of mass, [kg m^2], shape (m, 3, 3).
        center_of_mass: Its place, [m], shape (m, 3).
        velocity: Its velocity, [m/s], shape (m, 3).
        acceleration: Its acceleration, [m/s^2], shape (m, 3).
        ground_wrench: What the world has to do to the figure, ``[t; f]`` about the centre of mass, [N m] and [N],
            shape (m, 6): 0 in free flight, the weight upwards in standing.
        root_wrench: The same about the root's origin, shape (m, 6).
        torques: What each degree of freedom has to do, [N m] and [N], shape (m, n_dofs): if ``root_wrench`` acts at
            the root, or where a world was given and the figure stands, if the ground acts at what touches it.
        mass: Mass of the figure, [kg].
    """

    frames: Array
    times: Array
    poses: Array
    kinetic: Array
    potential: Array
    momentum: Array
    inertia: Array
    center_of_mass: Array
    velocity: Array
    acceleration: Array
    ground_wrench: Array
    root_wrench: Array
    torques: Array
    mass: float

    @property
    def total(self) -> Array:
        """Kinetic and potential energy together, [J], shape (m,)."""
        return self.kinetic + self.potential


def keyed_dynamics(
    sequence: Sequence,
    frames: ArrayLike | None = None,
    *,
    gravity: ArrayLike | None = None,
    world: World | None = None,
    torques: bool = True,
    progress: Callable[[float], None] | None = None,
    cancelled: Callable[[], bool] = _go_on,
) -> KeyedDynamics:
    """Return energy, momentum and forces of a sequence's motion.

    Args:
        sequence: The sequence. Before its first and after its last key it stands still.
        frames: Frame numbers, whole or not, shape (m,); None for the whole ones of its range.
        gravity: Acceleration of free fall, shape (3,), [m/s^2]; None for the world's, or the earth's.
        world: Where the ground is that bears the figure while it stands; without one ``torques`` are those of a
            figure that is held at its root.
        torques: Whether those are worked out, which takes most of the time; if not they are 0.
        progress: Told what is done, 0 to 1.
        cancelled: Asked now and then whether to stop.

    Raises:
        Cancelled: If ``cancelled`` said so.
        DynamicsError: If the figure has no mass, or a joint has a scale; names it.
        SequenceError: If a frame is not finite.
    """
    s = sequence.skeleton
    bodies = bodies_of(s)
    numbers = asked_frames(sequence, frames)
    motion = Sampled(sequence, numbers, progress, cancelled, 0.5 if torques else 1.0)
    poses = motion.poses_at(numbers)
    X = forward_kinematics(s, poses)
    moving = body_motion(bodies, X, forward_kinematics(s, motion.samples), motion.how)
    if gravity is None:
        gravity = GRAVITY if world is None else world.gravity
    g = np.asarray(gravity, dtype=np.float64)
    center = moving.center
    forces = bodies.masses[:, None] * (moving.accelerations - g)
    force = forces.sum(axis=1)
    moment = (moving.moments + np.cross(moving.arms, forces)).sum(axis=1)
    root = moment + np.cross(center - X[:, 0, :3, 3], force)
    found = np.zeros((len(numbers), s.n_dofs))
    if torques:
        for i, pose in enumerate(poses):
            if i % _CHUNK == 0:
                if cancelled():
                    raise Cancelled
                if progress is not None:
                    progress(0.5 + 0.5 * i / len(poses))
            needed = _generalized(s, pose, bodies.joints.tolist(), bodies.centers, forces[i], moving.moments[i])
            if world is not None:
                wrench = np.concatenate([moment[i], force[i]])
                needed -= _borne(s, pose, X[i], ground_share(s, X[i], center[i], wrench, world))
            found[i] = needed[3:]
    if progress is not None:
        progress(1.0)
    return KeyedDynamics(
        numbers, numbers / sequence.fps, poses, moving.kinetic, -bodies.mass * (center @ g),
        np.concatenate([moving.spin, bodies.mass * moving.velocity], axis=1),
        moving.inertia, center, moving.velocity, moving.acceleration,
        np.concatenate([moment, force], axis=1), np.concatenate([root, force], axis=1), found, bodies.mass,
    )  # fmt: skip


def keyed_states(
    sequence: Sequence,
    model: Multibody,
    frames: ArrayLike | None = None,
    *,
    progress: Callable[[float], None] | None = None,
    cancelled: Callable[[], bool] = _go_on,
) -> tuple[Array, Array, Array]:
    """Return the keyed motion in the coordinates of a model of its figure.

    Args:
        sequence: The sequence.
        model: ``Multibody.from_skeleton`` of its figure.
        frames: As of :func:`keyed_dynamics`.
        progress: Told what is done, 0 to 1.
        cancelled: Asked now and then whether to stop.

    Returns:
        ``x``, ``v`` and ``vdot``, each of shape (m, nv): what ``model.inverse_dynamics`` takes. Balls by their
        shortest turn, their rates worked out from rotations, so that it does not matter where that vector jumps.

    Raises:
        Cancelled: If ``cancelled`` said so.
        DynamicsError: If the model was not made of a figure.
    """
    numbers = asked_frames(sequence, frames)
    motion = Sampled(sequence, numbers, progress, cancelled)
    x = np.array([model.state_from_pose(q) for q in motion.poses_at(numbers)]).reshape(-1, model.nq)
    around = np.array([model.state_from_pose(q) for q in motion.samples]).reshape(-1, model.nq)
    v, vdot = differences(around, motion.how)
    for first in ball_columns(model):
        part = slice(first, first + 3)
        w, wdot = rotation_differences(so3.exp(around[:, part]), motion.how)
        r = x[:, part]
        back = so3.inverse_left_jacobian(r)
        v[:, part] = np.einsum("mij,mj->mi", back, w)
        rest = wdot - np.einsum("mij,mj->mi", so3.left_jacobian_rate(r, v[:, part]), v[:, part])
        vdot[:, part] = np.einsum("mij,mj->mi", back, rest)
    return x, v, vdot


def ball_columns(model: Multibody) -> list[int]:
    """Return where the rotation vectors stand in the coordinates of a model: the first of each three."""
    found: list[int] = []

    def look(joint: JointModel, first: int) -> None:
        if isinstance(joint, (Spherical, FreeRotationFirst)):
            found.append(first)
        elif isinstance(joint, Free):
            found.append(first + 3)
        elif isinstance(joint, Composite):
            for part in joint.joints:
                look(part, first)
                first += part.n

    for body, first in zip(model.bodies, model.first.tolist(), strict=False):
        look(body.joint, first)
    return found


def asked_frames(sequence: Sequence, frames: ArrayLike | None) -> Array:
    """Return frame numbers as an array, shape (m,); None makes those of the range."""
    if frames is None:
        first, last = sequence.range
        return np.arange(first, last + 1, dtype=np.float64)
    return np.array(frames, dtype=np.float64).reshape(-1)


class Sampled:
    """The motion of a sequence in even steps, and how to differentiate it at frames.

    Args:
        sequence: The sequence.
        frames: Frame numbers, shape (m,).
        progress: Told what is done.
        cancelled: Asked whether to stop.
        share: How much of all is done when the samples are there.

    Attributes:
        step: Frames between two samples.
        samples: Poses of the samples that are needed, shape (count, nq).
        how: Which of them determine the motion at the frames.
    """

    def __init__(
        self,
        sequence: Sequence,
        frames: Array,
        progress: Callable[[float], None] | None = None,
        cancelled: Callable[[], bool] = _go_on,
        share: float = 1.0,
    ):
        self._sequence = sequence
        self._watch = progress, cancelled, share
        fps = float(sequence.fps)
        self.step = max(1.0, float(round(fps / _FINEST))) if fps >= _COARSEST else 1.0 / math.ceil(_COARSEST / fps)
        first, last = _moving(sequence)
        count = max(int((last - first) / self.step), 0) + 1
        self._offset = last - first - (count - 1) * self.step  # the last sample is the last key
        at = np.clip((frames - first - self._offset) / self.step, 0.0, count - 1.0)
        how = stencil(at, count, self.step / fps)
        # Outside of its keys a motion stands still.
        still = (frames < first) | (frames > last)
        how.first[still], how.second[still] = 0.0, 0.0
        used, place = np.unique(how.samples, return_inverse=True)
        self.how: Stencil = how._replace(samples=place.reshape(how.samples.shape).astype(np.intp))
        self._numbers: Array = np.asarray(first + self._offset + used * self.step, dtype=np.float64)
        self.samples = self._poses(self._numbers)

    def poses_at(self, frames: Array) -> Array:
        """Return the poses at frames, those that are samples already not asked for again, shape (m, nq)."""
        at = np.clip(np.searchsorted(self._numbers, frames), 0, max(len(self._numbers) - 1, 0))
        known = self._numbers[at] == frames if len(self._numbers) else np.zeros(len(frames), dtype=bool)
        poses = self.samples[at] if len(self._numbers) else np.empty((len(frames), self._sequence.skeleton.nq))
        if not known.all():
            poses[~known] = self._sequence.poses_at_frames(frames[~known])
        return poses

    def _poses(self, frames: Array) -> Array:
        progress, cancelled, share = self._watch
        found = np.empty((len(frames), self._sequence.skeleton.nq))
        for i in range(0, len(frames), _CHUNK):
            if cancelled():
                raise Cancelled
            if progress is not None:
                progress(share * i / len(frames))
            found[i : i + _CHUNK] = self._sequence.poses_at_frames(frames[i : i + _CHUNK])
        return found


def _moving(sequence: Sequence) -> tuple[float, float]:
    """Return the first and the last frame between which a sequence can move."""
    first, last = (float(frame) for frame in sequence.range)
    if sequence.keys and not sequence.locks.in_effect:
        keyed = float(sequence.keys[0].frame), float(sequence.keys[-1].frame)
        if not sequence.timing.in_use:
            return keyed
        first, last = min(first, keyed[0]), max(last, keyed[1])
    elif sequence.keys:
        first, last = min(first, float(sequence.keys[0].frame)), max(last, float(sequence.keys[-1].frame))
    return first, last


def _generalized(s: Skeleton, pose: Array, joints: list[int], points: Array, forces: Array, moments: Array) -> Array:
    """Return the forces dual to a pose's values that wrenches make at points in the frames of joints, shape (nq,)."""
    total = np.zeros(s.nq)
    for joint, point, force, moment in zip(joints, points, forces, moments, strict=True):
        J = point_jacobian(s, pose, joint, point)
        total += force @ J[:3] + moment @ J[3:]
    return total


def _borne(s: Skeleton, pose: Array, frames: Array, bearings: list[Bearing]) -> Array:
    """Return the forces dual to a pose's values that the ground makes, shape (nq,)."""
    joints = [each.joint for each in bearings]
    points = [frames[each.joint, :3, :3].T @ (each.point - frames[each.joint, :3, 3]) for each in bearings]
    own = np.array(points).reshape(-1, 3)
    forces, moments = (np.array([each[k] for each in bearings]).reshape(-1, 3) for k in (2, 3))
    return _generalized(s, pose, joints, own, forces, moments)
