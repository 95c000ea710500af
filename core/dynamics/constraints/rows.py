"""Rows of a constraint on the joint rates, and by bodies or joints before they are carried over to these."""

from __future__ import annotations

from typing import NamedTuple

from core.arrays import Array


class Rows(NamedTuple):
    """Rows of a constraint on the joint rates (Sueda 2.100 to 2.105).

    An equality wants ``gap = 0``, ``G v = velocity``, ``G vdot + bias = acceleration``; an inequality wants each of
    them to be at least that while the gap is closed.

    Attributes:
        G: Shape (m, nv).
        bias: ``Gdot v``, shape (m,).
        gap: ``g(x, t)``, shape (m,); 0 where only a velocity is wanted. Its rate is ``G v - velocity``.
        velocity: Wanted ``G v``, shape (m,).
        acceleration: Wanted ``G vdot + bias``, shape (m,).
    """

    G: Array
    bias: Array
    gap: Array
    velocity: Array
    acceleration: Array


class BodyRows(NamedTuple):
    """The same rows on the bodies' twists, before they are carried over to the joint rates (Sueda 2.98).

    Attributes:
        blocks: Pairs of a body's index and its columns of ``G_m``, shape (m, 6): times the twist ``[w; v]`` of the
            body in B at B's origin.
        bias: ``Gdot_m phi``, shape (m,).
        gap: As in ``Rows``, and so on.
        velocity: Shape (m,).
        acceleration: Shape (m,).
    """

    blocks: tuple[tuple[int, Array], ...]
    bias: Array
    gap: Array
    velocity: Array
    acceleration: Array


class CoordinateRows(NamedTuple):
    """The same rows by the joints whose coordinates they take.

    Attributes:
        blocks: Pairs of a body's index and its joint's columns of ``G_r``, shape (m, n_i).
        bias: Shape (m,).
        gap: As in ``Rows``, and so on.
        velocity: Shape (m,).
        acceleration: Shape (m,).
    """

    blocks: tuple[tuple[int, Array], ...]
    bias: Array
    gap: Array
    velocity: Array
    acceleration: Array
