"""A body moved by the forces of its legs: it slows down as it climbs over a foot, and falls on to the next one.

The abstract legs of ``leg_dynamics_kernel`` are steered from footprint to footprint: their springs and the torque at
the hip are changed, step by step and as little as possible, until a walk comes of it. Footprints and times are planned
before and stay. What the legs leave open, the feet, the sides, trunk and arms, is kinematic.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from core.arrays import Array
from core.gait import leg_dynamics_kernel
from core.gait.biped import Biped
from core.gait.footsteps import Footsteps
from core.gait.leg_dynamics_kernel import CONTROLS, STATE, Trunk
from core.kernels import serving

GRAVITY = 9.81
_TRUNK = 0.678  # share of the mass: trunk, head and arms (Dempster, after Winter 2009)
_TRUNK_CENTER, _TRUNK_GYRATION = 0.626, 0.496  # of its length: from the hips, and of gyration about its centre
_TRUNK_LENGTH = 0.54  # of a leg's length, from hip to shoulder
_STIFFNESS = 20.0  # of a leg, times weight over its length
_DAMPING = 0.12  # of a leg, of what stops all swinging
_UPRIGHT, _STEADY = 6.0, 0.8  # times what the trunk's weight needs; of what stops all swinging
_HEEL, _BALL = -0.30, 0.32  # of a sole's length: the way of the support
_SUBSTEP = 1.0 / 55.0  # [s]
_GENTLE = 0.04  # of a leg's length: a step that rises or falls less is one on level ground
_ALIKE = 0.3  # by as much of the usual length may it be longer or shorter
_ITERATIONS, _MET = 12, 1e-5  # what steps may be apart, of lengths, of lean and of velocities of a pendulum
_TIGHT = 1e5  # weight of what must hold, against about 1e2 of what may give


def trunk_of(length: float, rest: float, sole: float, lean: float) -> Trunk:
    """Return what stands on legs of a length, that bear it at another, with a sole of a length, [m]."""
    arm = _TRUNK_CENTER * _TRUNK_LENGTH * length
    inertia = _TRUNK * (_TRUNK_GYRATION * _TRUNK_LENGTH * length) ** 2
    upright = _UPRIGHT * _TRUNK * GRAVITY * arm
    steady = 2.0 * _STEADY * math.sqrt(upright * (inertia + _TRUNK * arm * arm))
    stiffness = _STIFFNESS * GRAVITY / length
    return Trunk(_TRUNK, arm, inertia, upright, steady, stiffness, 2.0 * _DAMPING * math.sqrt(stiffness),
                 rest + GRAVITY / stiffness, lean, _HEEL * sole, _BALL * sole, GRAVITY)  # fmt: skip


class Ride(NamedTuple):
    """How a body goes over its feet by forces, from one landing to another.

    Attributes:
        first: First frame.
        along: How far forward the hips would be by curves, shape (m,), [m].
        ways: Hips forward and up, [m], lean of the trunk, [rad], and their rates, at each frame, shape (m, 6).
        controls: What steered it, of each step, shape (n, 4).
        gap: How far one step ends from where the next one begins, at most, [m], [rad] or those in a second.
    """

    first: int
    along: Array
    ways: Array
    controls: Array
    gap: float


def rides(biped: Biped, steps: Footsteps, ahead: Array, ground: Array, heights: Array, lean: float) -> list[Ride]:
    """Return how a body goes over its feet wherever the steps are even; there is none for others.

    Args:
        biped: The figure.
        steps: Its footsteps.
        ahead: Where it heads at each frame, shape (m, 3).
        ground: The place over which the body would go by curves, shape (m, 3), [m].
        heights: How high the middle of its hips would be, shape (m,), [m].
        lean: How far the trunk leans forward, [rad].
    """
    gone = np.concatenate([[0.0], np.cumsum((np.diff(ground, axis=0) * ahead[1:]).sum(axis=1))])
    return [
        ride
        for run in _runs(biped, steps)
        if (ride := _ride(biped, steps, run, ahead, ground, gone, heights, lean)) is not None
    ]


def _runs(biped: Biped, steps: Footsteps) -> list[list[int]]:
    """Return runs of footprints from whose landing to the next one's the body goes by forces."""
    places, count = steps.places, len(steps.sides)
    first = 3 if steps.lead > 0 else 2
    stops = steps.last > steps.lands[-1]
    long = np.hypot(*(np.diff(places[:, [0, 2]], axis=0)).T)
    usual = float(np.median(long))
    found: list[list[int]] = []
    for k in range(first, count - (2 if stops else 1)):
        rises = np.abs(np.diff(places[k - 2 : k + 2, 1]))
        even = float(rises.max()) < _GENTLE * biped.leg_length
        even &= bool((np.abs(long[k - 1 : k + 1] - usual) < _ALIKE * usual).all())
        even &= steps.lands[k] < steps.leaves[k - 1] < steps.lands[k + 1] <= steps.last
        if not even:
            continue
        if found and found[-1][-1] == k - 1:
            found[-1].append(k)
        else:
            found.append([k])
    return [run for run in found if len(run) > 1]


def _ride(
    biped: Biped, steps: Footsteps, run: list[int], ahead: Array, ground: Array, gone: Array, heights: Array,
    lean: float,
) -> Ride | None:  # fmt: skip
    """Return how a body goes over a run of footprints: least change of springs and torques, by Gauss and Newton.

    Where the run begins and ends within the walk, place and velocity are those of the curves; else they are free.
    """
    lands, leaves, fps = steps.lands, steps.leaves, steps.fps
    first, last = int(lands[run[0]]), int(lands[run[-1] + 1])
    size = float(np.mean([np.ptp(leg.sole[:, 2]) for leg in biped.legs]))
    L, n = biped.leg_length, len(run)
    rates = np.gradient(np.stack([gone, heights], axis=1), 1.0 / fps, axis=0)
    at = [int(lands[k]) for k in (*run, run[-1] + 1)]
    wanted = np.zeros((n + 1, STATE))
    wanted[:, 0], wanted[:, 1], wanted[:, 2] = gone[at], heights[at], lean
    wanted[:, 3], wanted[:, 4] = rates[at, 0], 0.0
    data = np.zeros((n, 9))
    for row, k in enumerate(run):
        x = [gone[at[row]] + float((steps.places[j] - ground[at[row]]) @ ahead[at[row]]) for j in (k, k - 1)]
        stands = float(min(leaves[k], 2 * lands[k + 1] - lands[k]) - lands[k])
        data[row] = [
            lands[k + 1] - lands[k], leaves[k - 1] - lands[k], x[0], steps.places[k, 1], x[1], steps.places[k - 1, 1],
            stands, lands[k] - lands[k - 1], leaves[k - 1] - lands[k - 1],
        ]  # fmt: skip
        data[row, [0, 1, 6, 7, 8]] /= fps
    base = float(np.mean(steps.places[run, 1]))
    rest = float(heights[first : last + 1].max()) - base
    trunk = trunk_of(float(L), rest, size, float(lean))
    pinned = np.array([first > 0, last < steps.last])
    states, controls, gap = _steered(trunk, data, wanted, pinned, L)
    if states is None:
        return None
    kernel, work = serving(leg_dynamics_kernel), np.zeros((7, STATE))
    ways = np.zeros((last - first + 1, STATE))
    for row in range(n):
        fine, span = _fine(fps), at[row + 1] - at[row]
        way = np.zeros((span * fine + 1, STATE))
        way[0] = states[row]
        kernel.walk_step(trunk, data[row], controls[row], way, work)
        way += np.linspace(0.0, 1.0, len(way))[:, None] * (states[row + 1] - way[-1])
        ways[at[row] - first : at[row + 1] - first + 1] = way[::fine]
    return Ride(first, gone[first : last + 1], ways, controls, gap)


def _fine(fps: float) -> int:
    return max(math.ceil(1.0 / (fps * _SUBSTEP)), 1)


def _steered(trunk: Trunk, data: Array, wanted: Array, pinned: Array, L: float) -> tuple[Array | None, Array, float]:
    """Return the states at the ends of steps, shape (n + 1, 6), what steers them, (n, 4), and how far they are apart.

    All steps at once, as a banded system of least squares: that a step ends where the next one begins weighs most.
    """
    import scipy  # here: the window starts without it

    kernel, n = serving(leg_dynamics_kernel), len(data)
    count = max(round(float(data[:, 0].max()) / _SUBSTEP), 8)
    states, controls = wanted.copy(), np.zeros((n, CONTROLS))
    ends, slopes = np.zeros((n, STATE)), np.zeros((n, STATE + CONTROLS, STATE))
    way, work = np.zeros((count + 1, STATE)), np.zeros((7, STATE))
    v = math.sqrt(GRAVITY * L)
    unit = np.array([L, L, 1.0, v, v, v / L])
    near = 1.0 / np.array([0.03 * L, 0.03 * L, 0.10, 0.4 * v, 0.2 * v, 1.0])
    light = 1.0 / np.array([0.02 * L, 0.02 * L, 0.02 * L, 0.05 * GRAVITY * L])
    block, size = STATE + CONTROLS, (n + 1) * (STATE + CONTROLS) - CONTROLS
    wide = 2 * STATE + CONTROLS
    below = np.tril_indices(wide)
    for _ in range(_ITERATIONS):
        kernel.walk_steps(trunk, data, states[:-1].copy(), controls, ends, slopes, way, work)
        if not np.isfinite(slopes).all():
            return None, controls, np.inf
        gap = float((np.abs(ends - states[1:]) / unit).max())
        if gap < _MET:
            return states, controls, gap
        banded, g = np.zeros((wide, size)), np.zeros(size)
        for k in range(n + 1):
            i = k * block
            heavy = near.copy()
            if (k == 0 and pinned[0]) or (k == n and pinned[1]):
                heavy[[0, 1, 3]] = _TIGHT
            diagonal = np.arange(i, i + STATE)
            banded[0, diagonal] += heavy**2
            g[diagonal] += heavy**2 * (wanted[k] - states[k])
        for k in range(n):
            i = k * block
            diagonal = np.arange(i + STATE, i + block)
            banded[0, diagonal] += light**2
            g[diagonal] -= light**2 * controls[k]
            row = np.zeros((STATE, block + STATE))
            row[:, :block], row[:, block:] = slopes[k].T, -np.eye(STATE)
            row *= (_TIGHT / unit)[:, None]
            banded[below[0] - below[1], i + below[1]] += (row.T @ row)[below]
            g[i : i + block + STATE] += row.T @ ((_TIGHT / unit) * (states[k + 1] - ends[k]))
        change = scipy.linalg.solveh_banded(banded, g, lower=True)
        for k in range(n + 1):
            states[k] += change[k * block : k * block + STATE]
            if k < n:
                controls[k] += change[k * block + STATE : (k + 1) * block]
    return None, controls, np.inf
