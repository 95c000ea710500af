"""Joints that change their chart, between the parts of a step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.dynamics.engine.tree import Tree

if TYPE_CHECKING:
    from core.dynamics.engine.assembly import Assembly


def go_home(tree: Tree) -> None:
    """Let all joints be in the charts of the model."""
    for part in tree.recharted:
        part.present.joint = part.home


def rechart(built: Assembly) -> None:
    """Let each joint change its chart where it wants to."""
    m = built.memory
    for part in built.tree.recharted:
        own = slice(part.first, part.first + part.joint.n)
        found = part.joint.rechart(m.x[own], m.u[own], early=True)
        if found is not None:
            part.present.joint, m.x[own], m.u[own] = found
            m.state.jumped = 1
