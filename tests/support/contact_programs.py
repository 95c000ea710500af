"""Random programs of contacts, and how far impulses are from what staggered projections must meet."""

from __future__ import annotations

import numpy as np

from core.dynamics.contact.methods import Impulses, Program


def contact_program(seed: int) -> Program:
    """Return six contacts with friction as a random program; of an even seed, one depends on two others."""
    rng = np.random.default_rng(seed)
    n, k = 12, 6
    normal, tangent = rng.normal(size=(k, n)), rng.normal(size=(2 * k, n))
    if seed % 2 == 0:
        normal[-1], tangent[-2:] = normal[0] + normal[1], tangent[:2] + tangent[2:4]
    mu = rng.choice([0.3, 0.7, 1.0], k)
    return Program(normal, rng.normal(size=k) * 0.5 + 0.3, 0, tangent, rng.normal(size=2 * k), mu)


def staggered_conditions(program: Program, found: Impulses) -> tuple[float, float, float, float]:
    """Return the greatest errors of impulses, each 0 where it is met.

    Returns:
        ``|min(gap, push)|`` of the normals (complementarity), excess over the bounds of friction, speeds along tangents
        whose friction is within its bounds, and speeds that friction at a bound does not oppose.
    """
    z, push, drag = found.z, found.push, found.drag
    gap = program.normal @ z - program.wanted
    most = np.repeat(program.friction * push[program.limits :], 2)
    speed = program.slip + program.tangent @ z
    scale = max(1.0, float(np.abs(drag).max(initial=0.0)))
    inside = np.abs(drag) < most - 1e-6 * scale
    at_most = ~inside & (most > 1e-6 * scale)
    return (
        float(np.abs(np.minimum(gap, push)).max(initial=0.0)),
        float((np.abs(drag) - most).max(initial=0.0)),
        float(np.abs(speed[inside]).max(initial=0.0)),
        float(np.maximum(np.sign(drag) * speed, 0.0)[at_most].max(initial=0.0)),
    )
