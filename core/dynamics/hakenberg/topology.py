"""Which joint connects which bodies: the matrices E and sigma, and the order in which a tree is eliminated."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.arrays import Array
from core.checked_arrays import shown
from core.dynamics.body_names import WORLD
from core.errors import DynamicsError


class Topology(NamedTuple):
    """A forest of bodies. The world, which the paper does not have, stands in E as a body of infinite mass that rests.

    Attributes:
        E: The two bodies that each joint connects, ``WORLD`` for the world, shape (n, 2).
        sigma: +1 for the first body of a joint, -1 for its second, else 0, shape (n, nb + 1); the last column is the
            world's.
        order: A row for each joint, the tips first: the joint, the body beyond it, the body before it or ``WORLD``, and
            the sign of the body beyond it in sigma, shape (n, 4).
        roots: The first body of each tree that does not hang on the world, shape (k,).
        tree: For each body the place of its tree in ``roots``, -1 for one that hangs on the world, shape (nb,).
    """

    E: NDArray[np.int64]
    sigma: Array
    order: NDArray[np.int64]
    roots: NDArray[np.int64]
    tree: NDArray[np.int64]


def topology_of(E: ArrayLike, count: int) -> Topology:
    """Return how joints connect bodies.

    Args:
        E: The two bodies of each joint, shape (n, 2); -1 is the world.
        count: Number of bodies.

    Raises:
        DynamicsError: If a body is not there, or joints close a circle; names the joint.

    Source: Hakenberg, Topology of the skeleton.
    """
    pairs = np.array(E, dtype=np.int64).reshape(-1, 2)
    joints_of: dict[int, list[int]] = {i: [] for i in range(WORLD, count)}
    for j, pair in enumerate(pairs.tolist()):
        for body in pair:
            if body not in joints_of:
                raise DynamicsError(
                    f"joint {j} connects the bodies {shown(pair)}; there are {count}, from 0 on, and -1, the world"
                )
            joints_of[body].append(j)
    sigma = np.zeros((len(pairs), count + 1))
    sigma[np.arange(len(pairs)), pairs[:, 0]] = 1.0  # -1 is the last column
    sigma[np.arange(len(pairs)), pairs[:, 1]] -= 1.0
    order: list[tuple[int, int, int, int]] = []
    roots: list[int] = []
    tree = np.full(count, -2)
    used: set[int] = set()
    for root in range(WORLD, count):
        if root != WORLD:
            if tree[root] != -2:
                continue
            tree[root] = len(roots)
            roots.append(root)
        waiting = [root]
        for body in waiting:
            for j in joints_of[body]:
                if j in used:
                    continue
                used.add(j)
                side = 0 if pairs[j, 0] != body else 1
                other = int(pairs[j, side])
                if other in (WORLD, body) or tree[other] != -2:
                    raise DynamicsError(
                        f"joint {j}, between the bodies {shown(pairs[j].tolist())}, closes a circle; expected a tree"
                    )
                tree[other] = -1 if root == WORLD else tree[root]
                order.append((j, other, body, 1 - 2 * side))
                waiting.append(other)
    rows = np.array(order[::-1], dtype=np.int64).reshape(-1, 4)
    return Topology(pairs, sigma, rows, np.array(roots, dtype=np.int64), tree)
