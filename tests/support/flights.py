"""Motions that are plausible by making, and the same with a fault put in: for the search for implausible motion.

All are keyed at every frame, as recordings and baked simulations are.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from core.animation import Key, LockStrip, Sequence
from core.constraints import Lock
from core.dynamics import Multibody, Scene, simulate
from core.formats import bundled_folder, load
from core.kinematics import center_of_mass, forward_kinematics
from core.preview.keyed_motion import keyed_dynamics
from core.skeleton import Skeleton
from core.skeleton.extent import figure_height
from core.spatial import so3

G = 9.81
FIGURES = ("human", "woman", "stickman", "robot", "horse")
FEET = ("right foot", "left foot")
_STEP = 1.0 / 240.0


class Flight(NamedTuple):
    """A figure that flies.

    Attributes:
        skeleton: The figure.
        fps: Frames a second.
        poses: Its poses at every frame, shape (m, nq).
        centers: Where its centre of mass is, shape (m, 3), [m].
    """

    skeleton: Skeleton
    fps: float
    poses: np.ndarray
    centers: np.ndarray

    @property
    def times(self) -> np.ndarray:
        """[s], shape (m,)."""
        return np.arange(len(self.poses)) / self.fps

    def sequence(self, poses: np.ndarray | None = None) -> Sequence:
        """Return it, or other poses of the same figure, as keys at every frame."""
        rows = self.poses if poses is None else poses
        return Sequence(self.skeleton, fps=self.fps, keys=[Key(k, q) for k, q in enumerate(rows)])


@cache
def figure(name: str) -> Skeleton:
    """Return a bundled figure."""
    return load(bundled_folder() / f"{name}.scr").figures[0]


def simulated_flight(seed: int) -> Flight:
    """Return a bundled figure that was thrown, turning and with limbs that swing, and flies high above the ground."""
    rng = np.random.default_rng(seed)
    s = figure(FIGURES[seed % len(FIGURES)])
    fps = float(rng.choice([24.0, 30.0, 60.0]))
    model = Multibody.from_skeleton(s)
    q = s.rest_pose()
    q[1] += 2.0 * figure_height(s)
    rates = np.zeros(s.nq)
    rates[:3] = rng.normal(0.0, 1.5, 3)
    rates[1] += 3.0
    rates[3:] = rng.normal(0.0, 0.8, s.nq - 3)
    rates[3:6] = rng.normal(0.0, 2.0 if seed % 2 else 5.0, 3)
    x, v = model.state_from_pose(q, rates)
    frames = round(rng.uniform(0.35, 0.7) * fps)
    each = round(1.0 / (fps * _STEP))
    motion = simulate(Scene(model, x, v), duration=frames / fps, dt=_STEP, integrator="rk4")
    poses = [q]
    for row in motion.x[each::each]:
        poses.append(model.pose_from_state(row, near=poses[-1]))
    found = np.array(poses)
    return Flight(s, fps, found, center_of_mass(s, found))


# -- faults ------------------------------------------------------------------------------------------------------------


def higher(flight: Flight, factor: float) -> Sequence:
    """Return a flight whose parabola is so many times as high over the line from its start to its end."""
    T = flight.times[-1]
    extra = (factor - 1.0) * 0.5 * G * flight.times * (T - flight.times)
    poses = flight.poses.copy()
    poses[:, 1] += extra
    return flight.sequence(poses)


def slower(flight: Flight, factor: float) -> Sequence:
    """Return a flight that takes so many times as long."""
    dense = flight.sequence()
    count = int((len(flight.poses) - 1) * factor)
    return flight.sequence(dense.interpolated_at_frames(np.arange(count + 1) / factor))


def hanging(flight: Flight, frames: int) -> Sequence:
    """Return a flight that stops for some frames on its way."""
    k = len(flight.poses) // 2
    return flight.sequence(np.concatenate([flight.poses[:k], np.tile(flight.poses[k], (frames, 1)), flight.poses[k:]]))


def pushed(flight: Flight, part: float, heading: float) -> Sequence:
    """Return a flight that is accelerated sideways by a part of gravity."""
    poses = flight.poses.copy()
    travel = 0.5 * part * G * flight.times**2
    poses[:, 0] += travel * np.cos(heading)
    poses[:, 2] += travel * np.sin(heading)
    return flight.sequence(poses)


def spun(flight: Flight, part: float, at: float) -> Sequence | None:
    """Return a flight whose angular momentum becomes greater by a part of itself, at a part of its time.

    The whole figure turns about its centre of mass, which stays on its parabola. None if it hardly turns.
    """
    motion = keyed_dynamics(flight.sequence(), torques=False)
    middle = len(flight.poses) // 2
    L = motion.momentum[middle, :3]
    moment = np.trace(motion.inertia[middle]) / 3.0
    if np.linalg.norm(L) < 4.0 * moment:
        return None
    model = Multibody.from_skeleton(flight.skeleton)
    extra = np.linalg.solve(motion.inertia[middle], part * L)
    late = np.maximum(flight.times - at * flight.times[-1], 0.0)
    turns = so3.exp(late[:, None] * extra)
    start = model.X_PJ[0, :3, 3]
    poses = [flight.poses[0]]
    for q, R, c in zip(flight.poses[1:], turns[1:], flight.centers[1:], strict=True):
        x = model.state_from_pose(q)
        x[:3] = c + R @ (start + x[:3] - c) - start
        x[3:6] = so3.log(R @ so3.exp(x[3:6]))
        poses.append(model.pose_from_state(x, near=poses[-1]))
    return flight.sequence(np.array(poses))


# -- on the ground -----------------------------------------------------------------------------------------------------


def jump(seed: int, factor: float = 1.0) -> Sequence:
    """Return a jump of the man with locked feet before and after; with a factor its time in the air is so much longer.

    He dips, pushes off, flies without changing his pose, and lands in the knees.
    """
    rng = np.random.default_rng(seed)
    s, fps = figure("human"), 60.0
    rest = s.rest_pose()
    speed, dip, far = rng.uniform(1.6, 2.6), rng.uniform(0.10, 0.16), rng.uniform(0.0, 0.4)
    sink, push = 0.5, 2.0 * dip / speed
    flight = 2.0 * speed / G
    base = s.rest_pose()
    base[1] -= 0.02

    def height(t: float) -> tuple[float, float]:
        """Height of the hips against standing, and how far along the way."""
        if t < sink:
            return -dip * 0.5 * (1.0 - np.cos(np.pi * t / sink)), 0.0
        t -= sink
        if t < push:
            return -dip + 0.5 * speed / push * t * t, 0.0
        t -= push
        if t < flight:
            return speed * t - 0.5 * G * t * t, far * t / flight
        t -= flight
        if t < push:
            return -speed * t + 0.5 * speed / push * t * t, far
        return -dip * 0.5 * (1.0 + np.cos(np.pi * min((t - push) / sink, 1.0))), far

    begin, end = sink + push, sink + push + flight
    stretch = np.arange(round((end + push + sink + flight * (factor - 1.0)) * fps) + 1) / fps
    times = np.where(
        stretch < begin,
        stretch,
        np.where(
            stretch < begin + flight * factor, begin + (stretch - begin) / factor, stretch - flight * (factor - 1)
        ),
    )
    keys = []
    for k, t in enumerate(times):
        q = base.copy()
        up, along = height(float(t))
        q[1] += up
        q[2] += along
        keys.append(Key(k, q))
    sequence = Sequence(s, fps=fps, keys=keys)
    off, on = round(begin * fps), round((begin + flight * factor) * fps)
    frames = forward_kinematics(s, rest)
    strips = []
    for joint in FEET:
        X = frames[s.joint_index(joint)]
        there = X.copy()
        there[2, 3] += far
        strips.append(LockStrip(Lock(joint, "pose", target=X), 0, off))
        strips.append(LockStrip(Lock(joint, "pose", target=there), on))
    sequence.locks.strips = strips
    return sequence


def squat(part: float, fps: float = 60.0) -> Sequence:
    """Return the man who drops into his knees, the centre of mass falling at so many times gravity for a while."""
    s = figure("human")
    times = np.arange(round(1.2 * fps) + 1) / fps - 0.3
    falling = 0.22
    speed = part * G * falling
    fall = 0.5 * speed * falling
    braking = fall / speed
    keys = []
    for k, t in enumerate(times):
        q = s.rest_pose()
        if 0.0 < t < falling:
            q[1] -= 0.5 * part * G * t * t
        elif falling <= t < falling + braking:
            u = t - falling
            q[1] -= fall + speed * u - 0.5 * speed / braking * u * u
        elif t >= falling:
            q[1] -= 1.5 * fall
        keys.append(Key(k, q))
    return Sequence(s, fps=fps, keys=keys)


def lifted(sequence: Sequence, height: float) -> Sequence:
    """Return a sequence without locks that goes on so much above the ground."""
    poses = sequence.poses_at_frames(np.arange(sequence.range[0], sequence.range[1] + 1))
    poses[:, 1] += height
    return Sequence(sequence.skeleton, fps=sequence.fps, keys=[Key(k, q) for k, q in enumerate(poses)])
