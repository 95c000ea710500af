"""The span of a sequence that is solved for: its bodies, what holds them when, and the keyed motion to start from."""

from __future__ import annotations

import itertools
from collections.abc import Sequence as Numbers
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from core.animation.sequence import Sequence
from core.arrays import Array, Bools
from core.constraints.soles import band, sole_outline
from core.dynamics.contact.world import World
from core.errors import SequenceError
from core.kinematics import forward_kinematics
from core.preview.actor import Actor
from core.preview.anatomy import Anatomy
from core.preview.least_energy.angle_limits import Angles
from core.preview.least_energy.grid import POINTS, SHARES, Grid
from core.preview.least_energy.holds import Hold
from core.preview.least_energy.program import Program
from core.preview.least_energy.torque_limits import Strong
from core.skeleton.skeleton import Skeleton
from core.spatial import quaternion as quat
from core.spatial import so3
from core.spatial.three_axes import ThreeAxes

_TO_THE_WORLD = ("position", "pose", "orientation")
_STILL = 1e-3
"""By how much a part may move that counts as held, [m] and [rad]."""
SPARE = 0.98
"""Share of the strength that is used at the points of Gauss: what is left over is for the times between."""
_SHORT = 0.1
"""A time between holds that one cubic piece is enough for, [s]."""


@dataclass(frozen=True)
class Stance:
    """A part that stands still for a time.

    Attributes:
        joint: Index of the joint.
        first: First frame.
        last: Last frame.
        turns: Whether it does not turn either.
        point: What stands still, in the joint's frame, shape (3,), [m].
        ground: Whether it stands on the floor.
    """

    joint: int
    first: float
    last: float
    turns: bool
    point: Array
    ground: bool


def stances(sequence: Sequence, first: int, last: int, world: World) -> list[Stance]:
    """Return which parts locks hold to the world in a span, and parts on the floor that they carry along.

    Args:
        sequence: The sequence.
        first: First frame.
        last: Last frame.
        world: With the floor.
    """
    s = sequence.skeleton
    frames = np.arange(first, last + 1)
    X = forward_kinematics(s, sequence.poses_at_frames(frames))
    held: dict[int, list[tuple[bool, Array]]] = {}
    for k, frame in enumerate(frames.tolist()):
        for _, lock, factor in sequence.locks.active(float(frame)):
            if factor > 1.0 - 1e-9 and lock.kind in _TO_THE_WORLD:
                joint = s.joint_index(lock.joint)
                own = held.setdefault(joint, [(False, np.zeros(3))] * len(frames))
                own[k] = True, np.asarray(lock.point, dtype=np.float64)
    found: list[Stance] = []
    for joint, own in sorted(held.items()):
        for a, b in _runs(np.array([on for on, _ in own])):
            turns = _still(X[a : b + 1, joint, :3, :3])
            point = own[a][1]
            at = X[a : b + 1, joint, :3, :3] @ point + X[a : b + 1, joint, :3, 3]
            if b > a and np.abs(at - at[0]).max() < _STILL:
                ground = _on_floor(s, joint, X[a], world)
                found.append(Stance(joint, float(first + a), float(first + b), turns, point, ground))
    return found


def _runs(mask: Bools) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(np.int8)))
    return [(int(a), int(b) - 1) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def _still(R: Array) -> bool:
    return bool(so3.angle_between(R, R[:1]).max(initial=0.0) < _STILL)


def _on_floor(s: Skeleton, joint: int, X: Array, world: World) -> bool:
    low = world.above(sole_outline(s, joint) @ X[joint, :3, :3].T + X[joint, :3, 3]).min()
    return bool(low <= 2.0 * band(s))


class Span:
    """What there is to solve.

    Args:
        sequence: The sequence.
        first: First frame, where the motion is as keyed.
        last: Last frame, likewise.
        world: Gravity and the floor.
        root_moves: Whether the root goes where forces of contacts make it go; else it moves as keyed, held by nothing.
            None: if something is held.
        nodes: Nodes a second.
        strength: How strong the figure is, 1 for the table of strengths: efforts then count as shares of strength, and
            none is larger; infinite: they count so, and none is limited. None: efforts count as torques, whatever they
            are.
        parts: Into how many each interval between them is cut: a motion over fewer parts is one over more as well.
        keep: Frames within the span whose poses stay as keyed.
        also: Times of further nodes, [s].
        degree: Of the splines of joints that neither carry nor are held; see :class:`Grid`.

    Attributes:
        program: The program.
        start: Unknowns of the keyed motion.
        held: What is held.
        root_moves: As asked for, or found.
        nodes: As given.
        keep: As given.
        anatomy: How strong the figure is, where that counts.
    """

    def __init__(
        self, sequence: Sequence, first: int, last: int, world: World,
        *, root_moves: bool | None = None, nodes: float = 12.0, parts: int = 1, strength: float | None = None,
        keep: Numbers[int] = (), also: Numbers[float] = (), degree: int = 3,
    ):  # fmt: skip
        self.sequence, self.first, self.last = sequence, first, last
        self.nodes, self.keep = nodes, tuple(keep)
        self.actor = Actor(sequence, (), float(first), world.gravity)
        self.model = model = self.actor.model
        self.held = stances(sequence, first, last, world)
        self.root_moves = bool(self.held) if root_moves is None else root_moves
        self.held = self.held if self.root_moves else []
        times = self._nodes(nodes)
        times = np.interp(np.arange(parts * (len(times) - 1) + 1) / parts, np.arange(len(times)), times)
        times = np.union1d(times, [t for t in also if np.abs(times - t).min() > 1e-9])
        marks = self.seconds(np.array([each for held in self.held for each in (held.first, held.last)]))
        inner = range(1, len(times) - 1)
        breaks = [k for k in inner if np.abs(marks - times[k]).min(initial=np.inf) < 1e-9]
        self.grid = grid = Grid(times, breaks, degree)
        x, _ = self._keyed(times)
        root = np.zeros(model.nv, dtype=np.bool_)
        place = self.actor.place
        if place is not None:
            end = int(model.first[1])
            turning = any(int(ball.x[0]) < end for ball in self.actor.figure.balls)
            root[place : end if turning else place + 3] = True
        holds = [self._hold(each, x, world) for each in self.held]
        balls = self._angles(x, root)
        gravity = float(np.linalg.norm(world.gravity))
        force = max(model.mass * gravity, 1.0)
        level = None if world.ground is not None else world.floor  # uneven ground is not looked out for on the way
        floor = -np.inf if level is None else level.height * float(level.normal[1])
        nothing = np.zeros(model.nv, dtype=np.bool_)
        free, fixed = (root, nothing) if self.root_moves else (nothing, root)

        scale, strong = np.ones(model.nv), []
        self.anatomy: Anatomy | None = None
        if strength is not None:
            anatomy = Anatomy(self.actor)
            scale = np.where(anatomy.strength > 0.0, anatomy.strength, 1.0)
            self.anatomy = anatomy
            for b, own in enumerate(anatomy.coordinates):
                if np.isfinite(strength) and len(own) and not root[own].any() and (scale[own] > 0.0).all():
                    axes = (anatomy.axes[b] @ anatomy.turns[own].T).reshape(3, -1)
                    strong.append(Strong(own, axes, strength * SPARE * anatomy.limits[b]))

        kept = [k for k in inner if np.abs(self.seconds(np.array(self.keep)) - times[k]).min(initial=np.inf) < 1e-9]

        def make(effort: float) -> Program:
            sizes = effort * scale[~root]
            return Program(model, grid, ~root, free, holds, balls, sizes, force, floor, fixed, x, strong, kept)

        self.program = make(1.0)
        fine = np.unique(np.concatenate([times, *(times[:-1] + share * np.diff(times) for share in SHARES)]))
        forces = np.zeros(self.program.size - self.program.motion_size)
        plain = self.program.unknowns.packed(*self._keyed(fine), forces, fine)
        self.start = self._with_forces(plain)
        mean = np.sqrt(self.program.cost_of(self.start) / (times[-1] - times[0]))
        self.program = make(1.0 if strength is not None else max(float(mean), 1e-6))

    def largest_share(self, torques: Array) -> float:
        """Return the largest share of its strength that a joint needs for torques of several times, shape (m, nv)."""
        assert self.anatomy is not None
        return max((float(self.anatomy.share(own).max(initial=0.0)) for own in torques), default=0.0)

    def seconds(self, frames: ArrayLike) -> Array:
        """Return times of frames from the first on."""
        return (np.asarray(frames, dtype=np.float64) - self.first) / self.sequence.fps

    def _nodes(self, rate: float) -> Array:
        """Return times of nodes: where holds begin and end, and evenly between."""
        marks = {0.0, float(self.seconds(self.last))}
        for each in self.held:
            marks |= {float(self.seconds(each.first)), float(self.seconds(each.last))}
        marks |= {float(self.seconds(frame)) for frame in self.keep}
        ordered = sorted(marks)
        times = [np.zeros(1)]
        for a, b in itertools.pairwise(ordered):
            count = max(2 if b - a > _SHORT else 1, int(np.ceil((b - a) * rate - 1e-9)))
            times.append(np.linspace(a, b, count + 1)[1:])
        return np.concatenate(times)

    def _keyed(self, times: Array) -> tuple[Array, Array]:
        """Return coordinates of the keyed motion and their rates at times; at the ends rates as outside of the span."""
        frames = self.first + times * self.sequence.fps
        step = 0.05
        around = frames[:, None] + step * np.array([-1.0, 0.0, 1.0])
        poses = self.sequence.poses_at_frames(np.maximum(around.ravel(), 0.0))
        x = self.actor.states(poses).reshape(len(times), 3, -1)
        rate = self.sequence.fps / step
        v = self.actor.rates(x[:, 1], x[:, [0, 2]], 0.5 * rate * np.array([-1.0, 1.0]))
        v[0] = self.actor.rates(x[0, 1], x[0, :1], np.array([-rate]))
        v[-1] = self.actor.rates(x[-1, 1], x[-1, 2:], np.array([rate]))
        q = x[:, 1]
        for k in range(1, len(q)):
            balls = self.actor.balls
            if len(balls):
                turned = so3.nearest_turns(q[k, balls], q[k - 1, balls])
                if np.abs(turned - q[k, balls]).max() > 1e-9:
                    w = so3.right_jacobian(q[k, balls]) @ v[k, balls][..., None]
                    v[k, balls] = (so3.inverse_right_jacobian(turned) @ w)[..., 0]
                    q[k, balls] = turned
        return q, v

    def _hold(self, stance: Stance, x: Array, world: World) -> Hold:
        figure, s = self.actor.figure, self.sequence.skeleton
        body = int(figure.joint_body[stance.joint])
        if body < 0 or figure.inside[stance.joint]:
            raise SequenceError(f'"{s.joints[stance.joint].name}" is held, but is no part with a mass of its own')
        X_BJ = figure.X_BJ[stance.joint]
        start, end = (float(self.seconds(frame)) for frame in (stance.first, stance.last))
        k = int(np.searchsorted(self.grid.times, start - 1e-9))
        pose = self.model.body_poses(x[k])[body]
        soles = np.zeros((0, 3))
        if stance.ground:
            soles = _corners(sole_outline(s, stance.joint)) @ X_BJ[:3, :3].T + X_BJ[:3, 3]
        point = X_BJ[:3, :3] @ stance.point + X_BJ[:3, 3]
        if world.floor is None and world.ground is None:
            return Hold(body, pose, start, end, stance.turns, point, soles)
        normal = world.normals(pose[:3, :3] @ point + pose[:3, 3])
        return Hold(body, pose, start, end, stance.turns, point, soles, world.friction, normal)

    def _angles(self, x: Array, root: Bools) -> list[Angles]:
        s, found = self.sequence.skeleton, []
        poses = self.poses(x)
        for ball in self.actor.figure.balls:
            limits = s.limits[ball.q - 3]
            if np.isfinite(limits).any() and not root[ball.x[0]] and not len(ball.before_q) + len(ball.after_q):
                axes = ThreeAxes(ball.axes[None])
                found.append(Angles(ball.x, axes, limits[:, 0], limits[:, 1], poses[:, ball.q]))
        return found

    def poses(self, x: Array) -> Array:
        """Return the poses of coordinates that follow each other, shape (m, nq).

        Of the two ways in which three angles make a rotation it is the one within limits, then the nearest.
        """
        s, near, found = self.sequence.skeleton, self.sequence.pose_at_frame(self.first), []
        balls = [
            (ball, ThreeAxes(ball.axes[None]), s.limits[ball.q - 3])
            for ball in self.actor.figure.balls
            if not len(ball.before_q) + len(ball.after_q)
        ]
        for row in x:
            q = np.array(self.model.pose_from_state(row, near=near))
            for ball, axes, limits in balls:
                both = axes.both_angles(quat.exp(0.5 * row[ball.x])[None], near[ball.q][None])[:, 0]
                beyond = np.maximum(np.maximum(limits[:, 0] - both, both - limits[:, 1]), 0.0).sum(axis=1)
                far = np.abs(both - near[ball.q]).sum(axis=1)
                q[ball.q] = both[int(np.argmin(beyond + 1e-2 * far))]
            near = q
            found.append(q)
        return np.stack(found)

    def _with_forces(self, z: Array) -> Array:
        """Return unknowns with the forces of contacts that carry a motion best, and with the least efforts."""
        program = self.program
        if program.size == program.motion_size:
            return z
        q, qd, qdd, wrenches, columns = program.states(z)
        free = program.efforts.at(q, qd, qdd, wrenches)[:, program.free] / program.force
        J = program.efforts.rate_jacobians(q)
        found = [z[: program.motion_size]]
        for k, acting in enumerate(columns[::POINTS]):
            if not acting:
                continue
            rows, here = [], range(POINTS * k, POINTS * (k + 1))
            slots = [6 * program.slot(i) for i, _, _ in acting]
            for j in here:
                share, parts = SHARES[j - here.start], []
                for at, (_, W, _) in zip(slots, columns[j], strict=True):
                    push = J[j, at : at + 6, program.free].T @ W
                    parts += [(1.0 - share) * push, share * push]
                rows.append(np.hstack(parts))
            matrix = np.vstack(rows)
            left = np.vstack([matrix, 1e-3 * np.eye(matrix.shape[1])])
            right = np.concatenate([*free[here.start : here.stop], np.zeros(matrix.shape[1])])
            at = program.unknowns.first_force(k)
            bounds = program.low[at : at + matrix.shape[1]], np.inf
            found.append(scipy.optimize.lsq_linear(left, right, bounds, method="bvls").x)
        return np.concatenate(found)


def _corners(outline: Array) -> Array:
    """Return few corners of an outline: those farthest out along the diagonals."""
    flat = outline[:, [0, 2]] - outline[:, [0, 2]].mean(axis=0)
    scale = np.maximum(np.abs(flat).max(axis=0), 1e-9)
    ways = np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])
    chosen = np.unique(np.argmax(flat / scale @ ways.T, axis=0))
    return np.asarray(outline[chosen])
