"""Joints that are evaluated in Python, as those on splines are, around the steps of the kernels."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from core.arrays import Array
from core.dynamics.engine.settings import StepReport
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


def advance(built: Assembly, count: int) -> StepReport:
    """Take steps one by one, each in parts of its own, and evaluate the joints before each part."""
    m = built.memory
    step, most = float(m.state.step), float(m.state.most_substeps)
    total: StepReport | None = None
    try:
        m.state.most_substeps = 1.0
        for left in range(count, 0, -1):
            fastest = float(np.abs(m.u).max(initial=0.0))
            parts = min(max(1, math.ceil(fastest * step / m.state.largest_turn)), int(most))
            for part in range(parts, 0, -1):
                u = m.u
                evaluate(built, u if m.state.jumped else 1.5 * u - 0.5 * m.u_before)
                m.state.step = step / parts
                built.advance(1, (left - 1) * parts + part)
                report = built.report()
                total = report if total is None else _sum(total, report)
                _rechart(built)
    finally:
        m.state.step, m.state.most_substeps = step, most
    evaluate(built, m.u)
    return total if total is not None else built.report()


def _sum(a: StepReport, b: StepReport) -> StepReport:
    return replace(
        b, kkt=max(a.kkt, b.kkt), fallbacks=a.fallbacks + b.fallbacks, substeps=a.substeps + b.substeps,
        iterations=a.iterations + b.iterations, flights=a.flights + b.flights, left_out=a.left_out + b.left_out,
    )  # fmt: skip


def _rechart(built: Assembly) -> None:
    """Let each joint change its chart where it wants to."""
    m = built.memory
    for part in built.tree.general:
        own = slice(part.first, part.first + part.joint.n)
        found = part.joint.rechart(m.x[own], m.u[own], early=True)
        if found is not None:
            part.joint, m.x[own], m.u[own] = found
            m.state.jumped = 1
