"""Forces along paths, as the memory of the engine has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from core.arrays import Array
from core.dynamics.engine.chains import apart, chain_of, on_one_chain
from core.dynamics.engine.locks import fixed_point
from core.dynamics.engine.memory import PATH, PATH_POINT

if TYPE_CHECKING:
    from core.dynamics.engine.assembly import Assembly
    from core.dynamics.forces.implicit import PathTerm


class _Tables(NamedTuple):
    """What stands one after the other for all paths.

    Attributes:
        paths: Records of ``PATH``.
        points: Records of ``PATH_POINT``.
        nodes: Nodes that move segments and whole paths.
        keys: Of activations over time, each shape (k, 3).
    """

    paths: list[Any]
    points: list[Any]
    nodes: list[int]
    keys: list[Array]


def put_paths(built: Assembly, forces: Sequence[PathTerm]) -> tuple[int, bool]:
    """Write forces along paths into the memory; return how many rows give way, and whether any leaves its tree."""
    if not forces:
        return 0, False
    tables, rows, keyed, outer = _Tables([], [], [], []), 0, False, False
    for force in forces:
        rows, beyond = _add(built, force, tables, rows)
        keyed |= len(force.curve) > 1
        outer |= beyond
    keys = np.concatenate(tables.keys)
    built.make_room(
        paths=len(tables.paths), path_points=len(tables.points), path_nodes=len(tables.nodes), path_keys=len(keys),
        applied=rows, slacks=rows,
    )  # fmt: skip
    m = built.memory
    m.paths.array[: len(tables.paths)] = tables.paths
    m.path_points.array[: len(tables.points)] = tables.points
    m.path_nodes[: len(tables.nodes)], m.path_keys[: len(keys)] = tables.nodes, keys
    m.state.path_count, m.state.path_keyed = len(tables.paths), int(keyed)
    return rows, outer


def _add(built: Assembly, force: PathTerm, tables: _Tables, rows: int) -> tuple[int, bool]:
    """Add a force; return how many rows there are then, and whether something beyond a tree pulls at it."""
    m = built.memory
    fixed = [
        fixed_point(built.model, m, body, point, "point")
        for body, point in zip(force.bodies, force.points, strict=True)
    ]
    chains = [chain_of(m, at.node) for at in fixed]
    path, first = np.zeros((), dtype=PATH), len(tables.points)
    moves: set[int] = set()
    own_rows, beyond = 0, False
    for k, at in enumerate(fixed):
        point = np.zeros((), dtype=PATH_POINT)
        point["node"], point["point"] = at.node, at.point
        point["node_first"] = point["node_middle"] = point["node_end"] = len(tables.nodes)
        if k + 1 < len(fixed):
            one, two = chains[k], chains[k + 1]
            alone = apart(one, two)
            tables.nodes.extend(alone[0])
            point["node_middle"] = len(tables.nodes)
            tables.nodes.extend(alone[1])
            point["node_end"] = len(tables.nodes)
            leaves = one[:1] != two[:1]
            beyond |= leaves
            point["two_trees"] = int(leaves and bool(one) and bool(two))
            own_rows += 2 * int(point["two_trees"])
            moves.update(alone[0], alone[1])
        tables.points.append(point)
    nodes = sorted(moves, key=lambda i: (int(m.depth[i]), i))
    path["one_chain"] = int(on_one_chain(m, nodes))
    path["law"], path["first"], path["end"], path["row"] = force.law, first, len(tables.points), rows
    path["node_first"], path["node_end"] = len(tables.nodes), len(tables.nodes) + len(nodes)
    path["key_first"] = sum(map(len, tables.keys))
    path["key_end"] = path["key_first"] + len(force.curve)
    values = force.parameters
    path["values"][: len(values)] = values
    tables.nodes.extend(nodes)
    tables.keys.append(force.curve)
    tables.paths.append(path)
    return rows + own_rows + (0 if path["one_chain"] else 1), beyond
