"""How constraints and forces name bodies: by index or name, and the world; and which body has a coordinate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from core.dynamics.tree_model import TreeModel

WORLD = -1
"""Index that stands for the world where a constraint, a force or a joint takes a body; its name is ``"world"``."""


def body_index(model: TreeModel, body: int | str) -> int:
    """Return the index of a body given by index or name; ``WORLD`` for -1 and "world", unless a body is named so.

    Raises:
        DynamicsError: If there is no such body.
    """
    if body == WORLD or (body == "world" and "world" not in model.names):
        return WORLD
    return model.index(body)


def body_of_coordinate(model: TreeModel, k: int) -> int:
    """Return the index of the body whose joint has coordinate ``k``."""
    return int(np.searchsorted(model.first, k, side="right")) - 1
