"""Joints that are evaluated in Python, as those on splines are, before each part of a step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.arrays import Array
from core.dynamics.engine.tree import Tree

if TYPE_CHECKING:
    from core.dynamics.engine.assembly import Assembly


def go_home(tree: Tree) -> None:
    """Let all joints be in the charts of the model."""
    for part in tree.general:
        part.joint = part.home


def evaluate(built: Assembly, u: Array) -> None:
    """Write transforms, subspaces and, at velocities ``u``, biases of the joints into their nodes."""
    m = built.memory
    for part in built.tree.general:
        own = slice(part.first, part.first + part.joint.n)
        q = m.x[own]
        transform = part.joint.transform(q)
        m.nodes["joint"][part.first, :9] = transform[:3, :3].ravel()
        m.nodes["joint"][part.first, 9:] = transform[:3, 3]
        m.nodes["joint_rate"][part.first] = part.joint.subspace_rate(q, u[own]) @ u[own]
        m.nodes["joint_column"][own] = part.joint.subspace(q).T


def rechart(built: Assembly) -> None:
    """Let each joint change its chart where it wants to."""
    m = built.memory
    for part in built.tree.general:
        own = slice(part.first, part.first + part.joint.n)
        found = part.joint.rechart(m.x[own], m.u[own], early=True)
        if found is not None:
            part.joint, m.x[own], m.u[own] = found
            m.state.jumped = 1
