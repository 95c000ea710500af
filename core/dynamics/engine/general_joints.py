"""Joints that change their chart, between the parts of a step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from core.dynamics.engine.assembly import Assembly


def go_home(built: Assembly) -> None:
    """Let all joints be in the charts of the model."""
    for part in built.tree.recharted:
        built.tree.put(part, part.home, built.memory)


def rechart(built: Assembly) -> None:
    """Let each joint change its chart where it wants to; one with limits, which mean its own coordinates, stays."""
    m = built.memory
    for part in built.tree.recharted:
        own = slice(part.first, part.first + part.joint.n)
        found = part.joint.rechart(m.x[own], m.u[own], early=True)
        if found is None:
            continue
        joint, x, u = found
        if joint != part.joint and (np.isfinite(m.low[own]).any() or np.isfinite(m.high[own]).any()):
            continue
        m.x[own], m.u[own] = x, u
        built.tree.put(part, joint, m)
        m.state.jumped, m.state.placed = 1, 0
