"""Welman's first-order equation of motion with Lagrange multipliers, eqs. 5.5 to 5.7, over a function-block network.

``qdot = K (g_a + g_c)`` with ``g_c = J^T lambda`` and ``(J K J^T) lambda = -J K g_a``, solved by the truncated singular
value decomposition. Deviations are fed back in one of two ways: as the spring of eq. 5.7, ``-k K J^T C`` (with K, or
joints that may not help would move), or inside the multipliers, ``(J K J^T) lambda = -J K g_a - k C``, which undoes a
deviation in the directions that it has and no others (Baumgarte 1972).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from core.arrays import Array
from core.constraints.banded import banded_solve
from core.constraints.hold.mobility import pose_units
from core.constraints.network.jacobian import Ints
from core.constraints.network.network import Assembled, Network
from core.skeleton.clamp import clamp_pose
from core.skeleton.tree import pack

CUT = 1e-9
"""Singular values of ``J K J^T`` below this part of the largest one are dropped; those of J below its root."""
SPRING, MULTIPLIER = "spring", "multiplier"
FEEDBACKS = (SPRING, MULTIPLIER)
TRUST = 0.25
"""Largest change of a value in one step of :func:`satisfy_constraints`, [rad] or parts of the figure's size."""
_HALVINGS = 8


class Motion(NamedTuple):
    """What the multipliers say at one state.

    Attributes:
        change: Change of the global state, shape (size,), [m] and [rad].
        multipliers: One for each row of the constraints, shape (m,).
        rank: How many singular values were kept.
    """

    change: Array
    multipliers: Array
    rank: int


def lagrange_motion(
    network: Network, dt: float = 1.0, gain: float = 1.0, feedback: str = MULTIPLIER, limits: bool = True,
    cut: float = CUT,
) -> Motion:  # fmt: skip
    """Return how the state changes in a time ``dt`` at the speed it has now; nothing is changed.

    Args:
        network: Figures, constraints and forces.
        dt: Length of the Euler step.
        gain: k of eq. 5.7, in 1 / time with ``feedback="multiplier"``: ``gain * dt = 1`` undoes a deviation at once.
        feedback: ``"spring"`` or ``"multiplier"``.
        limits: Whether degrees of freedom stop at their limits, the others making up for them.
        cut: Part of the largest singular value below which one counts as zero.
    """
    system = network.assemble()
    own = system.variables
    lower, upper = (bound[own] - network.state.vector[own] for bound in network.state.bounds)
    K, g = network.state.mobility[own], network.generalized_force()[own]
    J, H, scale = _scaled(network, system)
    C = scale * system.C
    applied = dt * K * g
    if feedback == SPRING:
        applied = applied - dt * gain * K * (H.T @ C)
        wanted = -(J @ (dt * K * g))
    else:
        wanted = -(J @ applied) - dt * gain * C
    free, stopped = K > 0.0, np.zeros(len(own))
    while True:
        # A value that stops at a limit moves by what is left to it; the others must do the rest.
        mobile = np.where(free, K, 0.0)
        right = wanted + J @ np.where(free, 0.0, applied - stopped)
        multipliers, rank = truncated_solve((J * mobile) @ H.T, right, cut)
        change = np.where(free, applied + mobile * (H.T @ multipliers), stopped)
        beyond = free & ((change < lower) | (change > upper)) if limits else np.zeros(len(own), dtype=bool)
        if not beyond.any():
            break
        stopped[beyond] = np.clip(change, lower, upper)[beyond]
        free &= ~beyond
    whole = np.zeros(network.state.size)
    whole[own] = change
    return Motion(whole, scale * multipliers / dt, rank)


def truncated_solve(A: Array, b: Array, cut: float = CUT) -> tuple[Array, int]:
    """Return the least-norm solution of ``A x = b`` without A's small singular values, and how many were kept.

    A large matrix with a narrow band, as of many locks along a chain, that has no small ones is solved in linear time.

    Args:
        A: Shape (m, m).
        b: Shape (m,).
        cut: Part of the largest singular value below which one counts as zero.

    Source: Welman (1993) section 5.2.4; Maciejewski and Klein (1989).
    """
    if not len(b):
        return np.zeros(0), 0
    banded = banded_solve(A, b, cut)
    if banded is not None:
        return banded, len(b)
    U, sigma, Vt = np.linalg.svd(A)
    kept = sigma > cut * sigma[0]
    inverse = np.where(kept, 1.0 / np.where(kept, sigma, 1.0), 0.0)
    return Vt.T @ (inverse * (U.T @ b)), int(kept.sum())


def lagrange_step(network: Network, dt: float = 1.0, gain: float = 1.0, feedback: str = MULTIPLIER) -> Motion:
    """Take one Euler step: move the network's state, inside all limits."""
    motion = lagrange_motion(network, dt, gain, feedback)
    put(network, network.state.vector + motion.change)
    return motion


def integrate(
    network: Network, duration: float, dt: float, gain: float = 1.0, feedback: str = SPRING,
    tolerance: float | None = None,
) -> int:  # fmt: skip
    """Let the network move for a time; return how often the equation of motion was worked out.

    Args:
        network: Figures, constraints and forces; its state is changed.
        duration: How long.
        dt: Length of the Euler steps; with ``tolerance`` the longest one.
        gain: k of eq. 5.7.
        feedback: ``"spring"`` or ``"multiplier"``.
        tolerance: Error of a step [m, rad] that is let pass; None takes Euler steps, a number Bogacki and Shampine's
            third-order steps with an embedded second-order one, as long as the tolerance allows.
    """
    left, calls, step = float(duration), 0, float(dt)

    def rate(state: Array) -> Array:
        put(network, state)
        return lagrange_motion(network, 1.0, gain, feedback, limits=False).change

    while left > 1e-12 * duration:
        h, start = min(step, left), network.state.vector
        if tolerance is None:
            calls += 1
            put(network, start + h * rate(start))
            left -= h
            continue
        calls += 4
        a = rate(start)
        b = rate(start + 0.5 * h * a)
        c = rate(start + 0.75 * h * b)
        end = start + h * (2.0 * a + 3.0 * b + 4.0 * c) / 9.0
        error = h * float(np.abs((-5.0 * a + 6.0 * b + 8.0 * c) / 72.0 - rate(end) / 8.0).max(initial=0.0))
        if error <= tolerance or h < 1e-6 * dt:
            put(network, end)
            left -= h
        else:
            put(network, start)
        step = min(dt, h * min(4.0, max(0.2, 0.9 * (tolerance / max(error, 1e-300)) ** (1.0 / 3.0))))
    return calls


def satisfy_constraints(network: Network, tolerance: float, most: int, cut: float = CUT) -> int:
    """Move the state until its constraints hold; return the steps taken.

    Only the deviation is undone, no force acts: Newton's method with the least motion in the sense of K. A step that
    does not lessen the deviation is halved.

    Args:
        network: Figures and constraints.
        tolerance: Largest deviation that counts as none, [m], angles times the figure's size.
        most: Most steps.
        cut: See :func:`lagrange_motion`.
    """
    forces = [(force, force.value) for force in network.forces]
    springs = [(block, block.weight) for block in network.constraints if block.soft]
    for force, value in forces:
        force.value = np.zeros_like(value)
    for block, _ in springs:
        block.weight = 0.0
    used = 0
    try:
        cost, worst = deviation(network)
        while worst > tolerance and used < most:
            used += 1
            start = network.state.vector
            change = _trusted(network, lagrange_motion(network, cut=cut).change)
            for _ in range(_HALVINGS):
                put(network, start + change)
                after, worst = deviation(network)
                if after < cost:
                    break
                change = 0.5 * change
            else:
                put(network, start)
                break
            if after > (1.0 - 1e-9) * cost:
                break
            cost = after
    finally:
        for force, value in forces:
            force.value = value
        for block, weight in springs:
            block.weight = weight
    return used


def pull(network: Network, tolerance: float, most: int) -> int:
    """Let springs and forces move the state along its constraints until little comes of it; return the steps taken.

    Euler steps of eq. 5.7, as long as they shorten the springs, with what the constraints lose on the way put right
    after each. A step that stretches the springs is halved.

    Args:
        network: Figures, constraints, and the springs that pull.
        tolerance: See :func:`satisfy_constraints`.
        most: Most steps.
    """
    used, energy = 0, stretch(network)
    while used < most and energy > 0.0:
        dt = _best_step(network)
        if dt == 0.0:
            break
        used += 1
        start, held = network.state.vector, deviation(network)[1]
        change = _trusted(network, lagrange_motion(network, dt, 1.0 / dt).change)
        for _ in range(_HALVINGS):
            put(network, start + change)
            satisfy_constraints(network, tolerance, _HALVINGS)
            after = stretch(network)
            if after < energy and deviation(network)[1] <= max(tolerance, held):
                break
            change = 0.5 * change
        else:
            put(network, start)
            break
        fallen, energy = energy - after, after
        if fallen <= 1e-6 * energy:
            break
    return used


def put(network: Network, state: Array) -> None:
    """Let the network take a state, each figure moved inside its limits, true cones included."""
    for figure in network.state.figures.values():
        figure.set(clamp_pose(figure.skeleton, state[figure.elements]))


def _scaled(network: Network, system: Assembled) -> tuple[Array, Array, Array]:
    """Return J and H with lengths in parts of the figures' size, dense, and what rows are multiplied with."""
    size = _size(network)
    scale = np.where(system.angular, 1.0, 1.0 / size)
    J = scale[:, None] * system.J.toarray()
    return J, J if system.H is system.J else scale[:, None] * system.H.toarray(), scale


def _size(network: Network) -> float:
    return max((pack(figure.skeleton).size for figure in network.state.figures.values()), default=1.0) or 1.0


def _trusted(network: Network, change: Array) -> Array:
    """Return a change shortened until no value moves farther than ``TRUST``."""
    figures = network.state.figures.values()
    units = np.concatenate([pose_units(figure.skeleton) for figure in figures])
    largest = float(np.abs(change / units).max(initial=0.0))
    return change * (TRUST / largest) if largest > TRUST else change


def deviation(network: Network) -> tuple[float, float]:
    """Return the sum of squares of all constraints and the longest, as residuals count: angles times the size, [m]."""
    size = _size(network)
    parts = [block.value * (size if block.angular else 1.0) for block in network.constraints if not block.soft]
    squares = [float(part @ part) for part in parts]
    return sum(squares), math.sqrt(max(squares, default=0.0))


def _soft(network: Network) -> list[tuple[float, Array, Ints, Array]]:
    """Return weight, value, elements and Jacobian of each spring."""
    springs = [block for block in network.constraints if block.soft]
    return [(block.weight, block.value, block.jacobian.columns, block.jacobian.rows) for block in springs]


def stretch(network: Network) -> float:
    """Return the energy of all springs, [m^2] and [rad^2] times half their weights."""
    return sum(0.5 * block.weight * float(block.value @ block.value) for block in network.constraints if block.soft)


def _best_step(network: Network) -> float:
    """Return the Euler step after which springs that stay linear would be least stretched; 0 if none gets shorter."""
    rate = lagrange_motion(network, 1.0, 0.0).change
    fall, curvature = 0.0, 0.0
    for weight, C, columns, rows in _soft(network):
        moved = rows @ rate[columns]
        fall -= weight * float(C @ moved)
        curvature += weight * float(moved @ moved)
    return fall / curvature if fall > 0.0 else 0.0
