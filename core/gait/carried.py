"""How a body is carried over its feet: over where they press, as high as legs reach, and along its flights."""

from __future__ import annotations

import numpy as np

from core.arrays import Array
from core.gait.cycle import smoothed
from core.gait.feet import Contact
from core.gait.limbs import Limb
from core.gait.stepping import GRAVITY
from core.gait.stepping import flights as flights_of
from core.gait.turns import LEFT

_SPRING = 0.36  # [s]: for how long a leg gives way where it lands, or before it pushes off
_NEAR = 0.05  # how much it counts to be where it is wanted, against where the ground bears it


def over_feet(wanted: Array, pressure: Array, rising: Array, height: float, fps: float) -> Array:
    """Return the way of a body near a wanted one, of which the ground's force passes through the feet, shape (m, 2).

    The force that bears and moves a mass at ``x`` on height ``h`` acts on the ground at ``x - h x'' / (g + y'')``. That
    is kept near where feet stand, by least squares over all frames at once; in flight nothing moves it sideways.

    Args:
        wanted: x and z of it, shape (m, 2), [m].
        pressure: Where feet stand, x and z, shape (m, 2), [m].
        rising: How high it is over a level, shape (m,), [m].
        height: How high it is over the ground, [m].
        fps: Frames a second.

    Source: Vukobratovic and Borovac (2004), "Zero-moment point", International Journal of Humanoid Robotics 1, 157-173.
    """
    from scipy.linalg import solveh_banded  # here: the window starts without it

    m = len(wanted)
    if m < 5:
        return wanted
    h = height / GRAVITY * fps * fps
    push = np.maximum(1.0 + np.gradient(np.gradient(rising)) * fps * fps / GRAVITY, 0.0)
    push[0] = push[-1] = 1.0
    # One row for each inner frame: h (x[k-1] - 2 x[k] + x[k+1]) - push[k] (x[k] - pressure[k]).
    k = np.arange(1, m - 1)
    middle = -2.0 * h - push[k]
    band = np.zeros((3, m))  # of the normal equations, diagonals from the outermost
    diagonal = np.full(m, _NEAR * _NEAR)
    diagonal[0] = diagonal[-1] = 1e6
    np.add.at(diagonal, k - 1, h * h)
    np.add.at(diagonal, k, middle * middle)
    np.add.at(diagonal, k + 1, h * h)
    beside = np.zeros(m - 1)
    np.add.at(beside, k - 1, h * middle)
    np.add.at(beside, k, h * middle)
    band[2], band[1, 1:], band[0, 2:] = diagonal, beside, h * h
    right = -push[k, None] * pressure[k]
    side = np.full((m, 1), _NEAR * _NEAR)
    side[0] = side[-1] = 1e6
    b = side * wanted
    np.add.at(b, k - 1, h * right)
    np.add.at(b, k, middle[:, None] * right)
    np.add.at(b, k + 1, h * right)
    # What is far from a print that is moved stays as it was, to the bit.
    return np.round(np.asarray(solveh_banded(band, b)), 10)


def pressed(
    limbs: tuple[Limb, ...],
    contacts: tuple[tuple[Contact, ...], ...],
    number: int,
    loads: tuple[float, ...] = (1.0, 1.0),
) -> Array:
    """Return where the ground bears a body: from heel to ball of the feet that stand, x and z, shape (m, 2), [m].

    Args:
        limbs: The limbs.
        contacts: Where each stands.
        number: Number of frames.
        loads: How much each bears as all stand.
    """
    total, weight = np.zeros((number, 2)), np.zeros(number)
    for limb, where, load in zip(limbs, contacts, loads, strict=True):
        leg = limb.leg
        for contact in where:
            rows = np.arange(contact.land, contact.leave + 1)
            u = (rows - contact.land) / max(contact.leave - contact.land, 1)
            if contact.push <= 0.0 or contact.landed <= 0:
                u = 0.5 + 0.4 * (u - 0.5)
            frame = contact.flat
            heel, ball = ((frame[:3, :3] @ point + frame[:3, 3])[[0, 2]] for point in (leg.heel, leg.ball))
            share = np.sin(np.pi * np.clip((rows - contact.land + 0.5) / (len(rows)), 0.02, 0.98))
            if contact.landed <= 0:
                share = np.maximum(share, np.where(u < 0.5, 1.0, 0.0))
            if contact.leave >= number - 1:
                share = np.maximum(share, np.where(u > 0.5, 1.0, 0.0))
            share = load * share
            total[rows] += share[:, None] * (heel + u[:, None] * (ball - heel))
            weight[rows] += share
    there = weight > 0.0
    at = np.arange(number)
    return np.stack([np.interp(at, at[there], total[there, n] / weight[there]) for n in range(2)], axis=1)


def heights_in_flight(contacts: tuple[tuple[Contact, ...], ...], number: int, fps: float) -> Array:
    """Return how high a body is over where it takes off and lands, shape (m,), [m].

    In flight it falls freely; in between its legs catch it and throw it up again.
    """
    flown = flights_of(contacts, number)
    found = np.zeros(number)
    g = GRAVITY / (fps * fps)
    edges = [(0, 0.0)]
    for a, b in flown:
        edges += [(a, 0.5 * g * (b - a)), (b, -0.5 * g * (b - a))]
        fall = np.arange(b - a + 1)
        found[a : b + 1] = 0.5 * g * fall * (b - a - fall)
    edges.append((number - 1, 0.0))
    for (a, start), (b, end) in zip(edges[::2], edges[1::2], strict=True):
        if b <= a:
            continue
        # Long stances catch it within the time of one leg's spring, and throw it up in the same.
        t, span = np.arange(b - a + 1.0), min(float(b - a), _SPRING * fps)
        u, v = np.clip(t / span, 0.0, 1.0), np.clip(1.0 - (b - a - t) / span, 0.0, 1.0)
        found[a : b + 1] += u * (1.0 - u) ** 2 * span * start - v * v * (1.0 - v) * span * end
    return found


def reached(limbs: tuple[Limb, ...], contacts: tuple[tuple[Contact, ...], ...], hips: tuple[Array, ...],
            frames: tuple[Array, ...], share: float, sigma: float) -> Array:  # fmt: skip
    """Return by how much a body must come down so that limbs reach where their feet stand, shape (m,), [m].

    Args:
        limbs: The limbs.
        contacts: Where each stands.
        hips: Where each hangs, shape (m, 3).
        frames: The frame of each foot, shape (m, 4, 4), where it stands.
        share: As far as this, of its reach, a limb is stretched at most.
        sigma: Frames over which it is smoothed.
    """
    from scipy.ndimage import maximum_filter1d  # here: the window starts without it

    number = len(hips[0])
    over = np.zeros(number)
    for limb, where, hip, foot in zip(limbs, contacts, hips, frames, strict=True):
        reach = share * limb.reach
        for contact in where:
            rows = np.arange(contact.land, min(contact.leave, number - 1) + 1)
            away = hip[rows] - foot[rows, :3, 3]
            flat = np.hypot(away[:, 0], away[:, 2])
            tall = np.sqrt(np.maximum(reach * reach - flat * flat, (0.4 * reach) ** 2))
            over[rows] = np.maximum(over[rows], away[:, 1] - tall)
    if float(over.max()) <= 0.0:
        return over
    wide = maximum_filter1d(over, size=2 * round(2.0 * sigma) + 1, mode="nearest")
    return smoothed(wide, sigma)


def bears(contacts: tuple[tuple[Contact, ...], ...], limbs: tuple[Limb, ...], number: int, sigma: float) -> Array:
    """Return to which side the weight is, from -1, right, to 1, left, shape (m,)."""
    left, right = np.zeros(number), np.zeros(number)
    for limb, where in zip(limbs, contacts, strict=True):
        for contact in where:
            (left if limb.leg.side == LEFT else right)[contact.land : contact.leave + 1] += 1.0
    total = left + right
    held = np.where(total > 0.0, (left - right) / np.maximum(total, 1.0), 0.0)
    return smoothed(held, sigma)
