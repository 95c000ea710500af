"""Which body hangs on which, and which bodies people mean."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.checked_arrays import shown
from core.dynamics.body import Body
from core.errors import DynamicsError

if TYPE_CHECKING:
    from core.dynamics.tree_model import TreeModel


def body_tuple(bodies: Any) -> tuple[Body, ...]:
    """Return bodies as a tuple.

    Raises:
        DynamicsError: If they are none, or something among them is no body.
    """
    try:
        found = tuple(bodies)
    except TypeError:
        raise DynamicsError(f"the bodies are {shown(bodies)}; expected bodies in a row") from None
    for i, body in enumerate(found):
        if not isinstance(body, Body):
            raise DynamicsError(f"number {i} of the bodies is {shown(body)}, which is no body; expected a Body")
    return found


def parents(bodies: tuple[Body, ...]) -> NDArray[np.intp]:
    """Return the indices of the parents, shape (nb,).

    Raises:
        DynamicsError: If there is no body, two share a name, or a parent is not an earlier body (a body that is not
            there, itself, one further down, a circle); names the body.
    """
    if not bodies:
        raise DynamicsError("the model has no bodies; it needs one at least")
    indices: dict[str, int] = {}
    for i, body in enumerate(bodies):
        if body.name in indices:
            raise DynamicsError(f'bodies {indices[body.name]} and {i} are both named "{body.name}"; names must differ')
        indices[body.name] = i
    found = np.empty(len(bodies), dtype=np.intp)
    for i, body in enumerate(bodies):
        parent = body.parent if not isinstance(body.parent, str) else indices.get(body.parent, _world(body.parent))
        if parent is None or not -1 <= parent < len(bodies):
            raise DynamicsError(f'body "{body.name}": there is no parent {body.parent!r}; expected {_EARLIER}')
        found[i] = parent
    for i, body in enumerate(bodies):
        if found[i] == i:
            raise DynamicsError(f'body "{body.name}": its parent is itself; expected {_EARLIER}')
        if found[i] > i:
            above = _above(found, i)
            if above[-1] == i:
                ring = " -> ".join(f'"{bodies[k].name}"' for k in (i, *above))
                raise DynamicsError(f'body "{body.name}": its parents go round in a circle, {ring}; expected a tree')
            parent_name = bodies[int(found[i])].name
            raise DynamicsError(
                f'body "{body.name}", number {i}: its parent "{parent_name}" is number {found[i]}; expected {_EARLIER}'
            )
    return found


_EARLIER = 'a body before it in the list, or -1 or "world" for the world'


def _world(name: str) -> int | None:
    """Return -1 for the world's name, which counts unless a body has it; None for another one."""
    return -1 if name == "world" else None


def _above(parents: NDArray[np.intp], i: int) -> list[int]:
    """Return the bodies above a body, nearest first, as far as the world or one that was met before."""
    above: list[int] = []
    k = int(parents[i])
    while k >= 0:
        again = k == i or k in above
        above.append(k)
        if again:
            break
        k = int(parents[k])
    return above


def chosen(model: TreeModel, bodies: ArrayLike | Iterable[int | str]) -> NDArray[np.bool_]:
    """Return which bodies are meant, shape (nb,).

    Args:
        model: The tree.
        bodies: Indices or names, one or several, or a truth value for each body.

    Raises:
        DynamicsError: If a body is not there, or truth values are not as many as bodies.
    """
    single = isinstance(bodies, (str, int, np.integer)) and not isinstance(bodies, bool)
    try:
        given: list[Any] = [bodies] if single else list(bodies)  # type: ignore[arg-type]
    except TypeError:
        raise DynamicsError(f"the bodies are {shown(bodies)}; expected indices or names") from None
    mask = np.zeros(len(model.bodies), dtype=np.bool_)
    if any(isinstance(value, (bool, np.bool_)) for value in given):
        if len(given) != len(mask) or not all(isinstance(value, (bool, np.bool_)) for value in given):
            raise DynamicsError(f"the bodies are {shown(bodies)}; expected indices, names or {len(mask)} truth values")
        mask[:] = given
    else:
        mask[[model.index(value) for value in given]] = True
    return mask
