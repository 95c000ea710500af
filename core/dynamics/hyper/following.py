"""Maps of coordinates for some joints of a model, while the others keep theirs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from core.dynamics.hyper.expression_map import ExpressionMap
from core.errors import DynamicsError
from core.symbolic import Expression, symbol

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody

Output = str | float | Expression


def following(
    model: Multibody, names: Sequence[str], joints: Mapping[str | int, Output | Sequence[Output]]
) -> ExpressionMap:
    """Return the map by which some joints follow new coordinates; all other joints keep their own.

    A spine whose vertebrae share one bend: ``following(model, ["bend"], {"v1": "bend", "v2": "bend", "v3": "bend"})``.

    Args:
        model: The bodies.
        names: The new coordinates, which come first in ``q_R``; those of joints that are not named follow, as
            ``joint_3`` or, of several, ``joint_3_0`` and so on, numbered as the bodies are.
        joints: By body, index or name, the expressions of the coordinates of its joint: one, or one each.

    Raises:
        DynamicsError: If there is no such body, its joint has another number of coordinates, or an expression cannot
            be read; names it.
    """
    given: dict[int, Sequence[Output]] = {}
    for body, outputs in joints.items():
        i = model.index(body)
        one = isinstance(outputs, (str, float, int, Expression))
        several: Sequence[Output] = [outputs] if one else tuple(outputs)  # type: ignore[list-item, arg-type]
        count = int(model.first[i + 1] - model.first[i])
        if len(several) != count:
            raise DynamicsError(
                f'the joint of "{model.names[i]}" has {count} coordinates and {len(several)} expressions; '
                "expected one each"
            )
        if i in given:
            raise DynamicsError(f'the joint of "{model.names[i]}" is given twice; expected once')
        given[i] = several
    own: list[str] = []
    outputs_of: list[Output] = []
    for i, body_ in enumerate(model.bodies):
        if i in given:
            outputs_of.extend(given[i])
            continue
        count = body_.joint.n
        new = [f"joint_{i}"] if count == 1 else [f"joint_{i}_{k}" for k in range(count)]
        own.extend(new)
        outputs_of.extend(symbol(name) for name in new)
    return ExpressionMap((*names, *own), outputs_of)
