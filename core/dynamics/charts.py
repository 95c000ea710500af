"""From one chart of a joint to another one: coordinates, rates, whole states of models."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from core.arrays import Array

if TYPE_CHECKING:
    from core.dynamics.tree_model import TreeModel
    from core.joints import JointModel


def converted(here: JointModel, q: Array, there: JointModel, near: Array | None = None) -> Array:
    """Return the coordinates in the chart ``there`` of the pose that ``q`` gives ``here``, shape (n,).

    Args:
        here: The joint in the chart of ``q``.
        q: Coordinates, shape (n,).
        there: The same joint in another chart.
        near: Coordinates in ``there`` that choose among those with the same pose.
    """
    return there.coordinates(here.transform(q), near=near)


def rates_matrix(here: JointModel, q_here: Array, there: JointModel, q_there: Array) -> Array:
    """Return A, shape (n, n), with rates in ``there`` = A rates ``here``, at one pose.

    Both give the same twist, ``S_here v_here = S_there v_there``. Where the chart ``there`` is singular, A gives the
    least rates that come nearest.
    """
    return np.asarray(np.linalg.lstsq(there.subspace(q_there), here.subspace(q_here), rcond=None)[0], dtype=np.float64)


def converted_state(
    here: TreeModel, x: Array, v: Array, there: TreeModel, near: Array | None = None, *, every: bool = False
) -> tuple[Array, Array]:
    """Return a state of the model ``here`` in the charts of ``there``: ``(x, v)``, new arrays.

    Args:
        here: The model in the charts of ``x`` and ``v``.
        x: Coordinates, shape (nq,).
        v: Rates, shape (nv,).
        there: The same model in other charts.
        near: Coordinates in ``there``, shape (nq,); of those with the same pose the nearest to them are taken.
        every: Whether joints whose chart is the same are carried over to the coordinates next to ``near`` as well.
    """
    x_there, v_there = x.copy(), v.copy()
    for i, (body, other) in enumerate(zip(here.bodies, there.bodies, strict=True)):
        if body.joint is other.joint and not (every and body.joint.has_charts):
            continue
        part = slice(int(here.first[i]), int(here.first[i + 1]))
        q = converted(body.joint, x[part], other.joint, None if near is None else near[part])
        x_there[part] = q
        v_there[part] = rates_matrix(body.joint, x[part], other.joint, q) @ v[part]
    return x_there, v_there
