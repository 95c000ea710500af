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
    from core.dynamics.multibody import Multibody


def parents(bodies: tuple[Body, ...]) -> NDArray[np.intp]:
    """Return the indices of the parents, shape (nb,).

    Raises:
        DynamicsError: If there is no body, two share a name, or a parent is not an earlier body; names the body.
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
        parent = body.parent if not isinstance(body.parent, str) else indices.get(body.parent)
        if parent is None:
            raise DynamicsError(
                f'body "{body.name}": there is no parent "{body.parent}"; expected an earlier body or -1'
            )
        if not -1 <= parent < i:
            raise DynamicsError(
                f'body "{body.name}", number {i}: its parent is {body.parent!r}; expected a body before it, or -1'
            )
        found[i] = parent
    return found


def chosen(model: Multibody, bodies: ArrayLike | Iterable[int | str]) -> NDArray[np.bool_]:
    """Return which bodies are meant, shape (nb,).

    Args:
        model: The tree.
        bodies: Indices or names, or a truth value for each body.

    Raises:
        DynamicsError: If a body is not there, or truth values are not as many as bodies.
    """
    given: list[Any] = list(np.asarray(bodies)) if isinstance(bodies, np.ndarray) else list(bodies)  # type: ignore[arg-type]
    mask = np.zeros(len(model.bodies), dtype=np.bool_)
    if any(isinstance(value, (bool, np.bool_)) for value in given):
        if len(given) != len(mask) or not all(isinstance(value, (bool, np.bool_)) for value in given):
            raise DynamicsError(f"the bodies are {shown(bodies)}; expected indices, names or {len(mask)} truth values")
        mask[:] = given
    else:
        mask[[model.index(value) for value in given]] = True
    return mask
