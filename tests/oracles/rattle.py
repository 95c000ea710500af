"""RATTLE on SO(3) as it stands in the papers: all multipliers, of every joint, found by a general solver."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from core.spatial import so3

Array = NDArray[np.float64]


class Bodies(NamedTuple):
    """Masses (nb,), inertias about the centres (nb, 3, 3), centres (nb, 3), rotations (nb, 3, 3), momenta of either."""

    m: Array
    J: Array
    c: Array
    R: Array
    p: Array
    pi: Array


class Pin(NamedTuple):
    """Points of bodies a and b, from the centres, coincide; an axis of a, if any, stays normal to two of b."""

    a: int
    b: int
    at_a: Array
    at_b: Array
    axis: Array | None = None
    normals: tuple[Array, ...] = ()


def gaps(pins: list[Pin], c: Array, R: Array) -> Array:
    out = []
    for s in pins:
        out += list(c[s.a] + R[s.a] @ s.at_a - c[s.b] - R[s.b] @ s.at_b)
        out += [(R[s.b] @ n) @ (R[s.a] @ s.axis) for n in s.normals]
    return np.array(out)


def jacobian(pins: list[Pin], R: Array) -> Array:
    """Shape (m, nb, 6): by [turn in own axes; move of the centre]."""
    rows = []
    for s in pins:
        row = np.zeros((3, len(R), 6))
        row[:, s.a, :3], row[:, s.a, 3:] = -R[s.a] @ so3.hat(s.at_a), np.eye(3)
        row[:, s.b, :3], row[:, s.b, 3:] = R[s.b] @ so3.hat(s.at_b), -np.eye(3)
        rows.append(row)
        for n in s.normals:
            row = np.zeros((1, len(R), 6))
            row[0, s.a, :3] = -(R[s.b] @ n) @ R[s.a] @ so3.hat(s.axis)
            row[0, s.b, :3] = -(R[s.a] @ s.axis) @ R[s.b] @ so3.hat(n)
            rows.append(row)
    return np.concatenate(rows)


def turn(J: Array, pi: Array, h: float) -> Array:
    """Return F with ``h hat(pi) = F Jd - Jd F^T``."""
    Jd = 0.5 * np.trace(J) * np.eye(3) - J

    def left(f: Array) -> Array:
        A = so3.exp(f) @ Jd
        return so3.vee(A - A.T) - h * pi

    return so3.exp(scipy.optimize.root(left, h * np.linalg.solve(J, pi), tol=1e-14).x)


def step(bodies: Bodies, pins: list[Pin], h: float, gravity: Array) -> Bodies:
    m, J, c, R, p, pi = bodies
    G = jacobian(pins, R)
    push = 0.5 * h * m[:, None] * gravity

    def end(multipliers: Array) -> Bodies:
        impulse = np.einsum("mbk,m->bk", G, multipliers)
        p_half, pi_half = p + push + impulse[:, 3:], pi + impulse[:, :3]
        F = np.stack([turn(J[i], pi_half[i], h) for i in range(len(m))])
        return Bodies(m, J, c + h * p_half / m[:, None], R @ F, p_half, np.einsum("bji,bj->bi", F, pi_half))

    start = np.zeros(len(G))
    found = scipy.optimize.root(lambda k: gaps(pins, *end(k)[2:4]), start, tol=1e-14).x
    after = end(found)
    G = jacobian(pins, after.R)
    p, pi = after.p + push, after.pi
    light = np.zeros((len(m), 6, 6))
    light[:, :3, :3], light[:, 3:, 3:] = np.linalg.inv(J), np.eye(3) / m[:, None, None]
    twists = np.einsum("bij,bj->bi", light, np.concatenate([pi, p], axis=1))
    W = np.einsum("mbi,bij,nbj->mn", G, light, G)
    mu = np.linalg.solve(W, -np.einsum("mbi,bi->m", G, twists))
    impulse = np.einsum("mbk,m->bk", G, mu)
    return after._replace(p=p + impulse[:, 3:], pi=pi + impulse[:, :3])
