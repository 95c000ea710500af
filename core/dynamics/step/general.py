"""Joints that are evaluated in Python, as those on splines are, around the steps of the kernels."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.dynamics.step import slots as at
from core.dynamics.step.settings import StepReport
from core.dynamics.step.tree import Tree

if TYPE_CHECKING:
    from core.dynamics.step.built import Built

Array = NDArray[np.float64]


def go_home(tree: Tree) -> None:
    """Let all joints be in the charts of the model."""
    for part in tree.general:
        part.joint = part.home


def evaluate(built: Built, u: Array) -> None:
    """Write transforms, subspaces and, at velocities ``u``, biases of the joints into their nodes."""
    m = built.memory
    for part in built.tree.general:
        own = slice(part.first, part.first + part.joint.n)
        q = m.vectors[at.X, own]
        transform = part.joint.transform(q)
        node = m.nodes[part.first]
        node[at.JOINT : at.JOINT + 9] = transform[:3, :3].ravel()
        node[at.JOINT + 9 : at.JOINT + 12] = transform[:3, 3]
        node[at.JOINT_RATE : at.JOINT_RATE + 6] = part.joint.subspace_rate(q, u[own]) @ u[own]
        m.nodes[own, at.JOINT_COLUMN : at.JOINT_COLUMN + 6] = part.joint.subspace(q).T


def advance(built: Built, count: int) -> StepReport:
    """Take steps one by one, each in parts of its own, and evaluate the joints before each part."""
    m = built.memory
    step, most = float(m.numbers[at.STEP]), float(m.numbers[at.MOST_SUBSTEPS])
    total: StepReport | None = None
    try:
        m.numbers[at.MOST_SUBSTEPS] = 1.0
        for left in range(count, 0, -1):
            fastest = float(np.abs(m.vectors[at.U]).max(initial=0.0))
            parts = min(max(1, math.ceil(fastest * step / m.numbers[at.LARGEST_TURN])), int(most))
            for part in range(parts, 0, -1):
                u = m.vectors[at.U]
                evaluate(built, u if m.head[at.JUMPED] else 1.5 * u - 0.5 * m.vectors[at.BEFORE])
                m.numbers[at.STEP] = step / parts
                built.advance(1, (left - 1) * parts + part)
                report = built.report()
                total = report if total is None else _sum(total, report)
                _rechart(built)
    finally:
        m.numbers[at.STEP], m.numbers[at.MOST_SUBSTEPS] = step, most
    evaluate(built, m.vectors[at.U])
    return total if total is not None else built.report()


def _sum(a: StepReport, b: StepReport) -> StepReport:
    return replace(
        b, kkt=max(a.kkt, b.kkt), fallbacks=a.fallbacks + b.fallbacks, substeps=a.substeps + b.substeps,
        iterations=a.iterations + b.iterations, flights=a.flights + b.flights, left_out=a.left_out + b.left_out,
    )  # fmt: skip


def _rechart(built: Built) -> None:
    """Let each joint change its chart where it wants to."""
    m = built.memory
    for part in built.tree.general:
        own = slice(part.first, part.first + part.joint.n)
        found = part.joint.rechart(m.vectors[at.X, own], m.vectors[at.U, own], early=True)
        if found is not None:
            part.joint, m.vectors[at.X, own], m.vectors[at.U, own] = found
            m.head[at.JUMPED] = 1
