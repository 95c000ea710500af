"""Cubic splines of three bases: which control values bear on a place, and how many spans they make.

Span k runs from ``q = k`` to ``k + 1`` and is shaped by four control values in a row, the next span by those one
further on, of a Bezier spline three. A uniform B-spline comes near its control values, with continuous second
derivatives; a uniform Catmull-Rom spline goes through them, with continuous first ones; a Bezier spline goes through
every third, with whatever tangents those beside it give. Beyond the first and the last span of an open spline the basis
functions go on as straight lines, so that a joint that is pushed past an end moves on smoothly.

Source: Sueda eqs. 2.61 to 2.66; Catmull and Rom (1974); cumulative forms after Kim, Kim and Shin (1995).
"""

from __future__ import annotations

from core.errors import JointError

B_SPLINE, CATMULL_ROM, BEZIER = 0.0, 1.0, 2.0
"""Numbers of the bases in kernels."""
BASES = {"b-spline": B_SPLINE, "catmull-rom": CATMULL_ROM, "bezier": BEZIER}

FARTHEST = 1e6
"""Spans past an end after which an open spline goes no farther, so that every number is a place."""


def spans(controls: int, closed: bool, basis: str, what: str) -> int:
    """Return how many spans so many control values in a row make.

    Raises:
        JointError: If there is no such basis, or the number does not suit it; the message names ``what``.
    """
    if basis not in BASES:
        raise JointError(f"{what} has the basis {basis!r}; expected {', '.join(BASES)}")
    if basis == "bezier":
        if controls % 3 != (0 if closed else 1) or controls < 3 + (not closed):
            wanted = "3, 6, 9" if closed else "4, 7, 10"
            raise JointError(f"{what} of Bezier spans has {controls} control frames; expected {wanted} and so on")
        return controls // 3
    if controls < (3 if closed else 4):
        kind = "a closed" if closed else "an open"
        raise JointError(f"{what} has {controls} control frames; expected {3 if closed else 4} or more of {kind} one")
    return controls if closed else controls - 3
