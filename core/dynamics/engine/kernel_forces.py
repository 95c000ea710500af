"""Forces that the kernels have, as the memory of the engine has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from core.dynamics.engine.chains import apart, chain_of, on_one_chain
from core.dynamics.engine.locks import fixed_point
from core.dynamics.engine.memory import DRAG, POINT_FORCE, VECTOR_FORCE
from core.dynamics.engine.paths import put_paths

if TYPE_CHECKING:
    from core.dynamics.engine.assembly import Assembly
    from core.dynamics.forces.implicit import DragTerm, ImplicitTerms, PointTerm, VectorTerm

_ORIGIN = np.zeros(3)


def put_forces(built: Assembly, terms: ImplicitTerms) -> None:
    """Write forces along paths, at points, drag and what acts on rotation vectors into the memory, once and for all."""
    count = len(terms.paths) + len(terms.points) + len(terms.drags) + len(terms.vectors)
    if not count:
        return
    rows, outer = put_paths(built, terms.paths)
    outer |= _put_points(built, terms.points)
    outer |= _put_vectors(built, terms.vectors)
    rows, beyond = _put_drags(built, terms.drags, rows)
    state = built.memory.state
    state.acting, state.acting_rows, state.acting_outer = count, rows, int(outer or beyond)
    state.applied_count = rows


def _put_points(built: Assembly, forces: Sequence[PointTerm]) -> bool:
    """Write forces at points; return whether there are any, as they all come from outside."""
    built.make_room(point_forces=len(forces))
    m = built.memory
    for k, force in enumerate(forces):
        at, own = fixed_point(built.model, m, force.body, force.point, "point"), np.zeros((), dtype=POINT_FORCE)
        own["node"], own["point"], own["force"] = at.node, at.point, force.force
        m.point_forces.array[k] = own
    m.state.point_force_count = len(forces)
    return bool(forces)


def _put_vectors(built: Assembly, forces: Sequence[VectorTerm]) -> bool:
    """Write what acts on rotation vectors; return whether any of these is a root's, beside the world."""
    built.make_room(vector_forces=len(forces))
    m, outer = built.memory, False
    for k, force in enumerate(forces):
        own = np.zeros((), dtype=VECTOR_FORCE)
        own["node"] = force.first
        for name in ("stiffness", "hardening", "damping", "rest", "torque"):
            own[name] = getattr(force, name)
        m.vector_forces.array[k] = own
        body = int(np.searchsorted(built.model.first, force.first, side="right")) - 1
        outer |= int(built.model.parents[body]) < 0
    m.state.vector_force_count = len(forces)
    return outer


def _put_drags(built: Assembly, forces: Sequence[DragTerm], rows: int) -> tuple[int, bool]:
    """Write drags, whose rows that give way come after others; return how many there are then, and whether any force
    is not inside one tree."""
    nodes: list[int] = []
    drags: list[Any] = []
    outer = False
    m = built.memory
    for force in forces:
        at, own = fixed_point(built.model, m, force.body, _ORIGIN, "point"), np.zeros((), dtype=DRAG)
        other = int(m.body_node[force.other]) if force.other >= 0 else -1
        chains = chain_of(m, at.node), chain_of(m, other)
        alone = apart(*chains)
        outer |= chains[0][:1] != chains[1][:1]
        own["a"], own["b"], own["point"], own["damping"] = at.node, other, at.point, force.damping
        own["node_first"], own["node_middle"] = len(nodes), len(nodes) + len(alone[0])
        nodes += [*alone[0], *alone[1]]
        own["node_end"], own["row"] = len(nodes), rows
        own["one_chain"] = int(on_one_chain(m, [*alone[0], *alone[1]]))
        rows += 0 if own["one_chain"] else 6
        drags.append(own)
    built.make_room(drags=len(drags), drag_nodes=len(nodes), applied=rows, slacks=rows)
    m = built.memory
    for k, own in enumerate(drags):
        m.drags.array[k] = own
    m.drag_nodes[: len(nodes)] = nodes
    m.state.drag_count = len(drags)
    return rows, outer
