"""The bearings of a figure's joints: what its file calls ``coulomb``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.dynamics.bearings import Bearing
from core.skeleton.extent import figure_height

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody

RADIUS, HEIGHT = 0.01, 0.02
"""Size of a bearing whose file gives none, as a share of the figure's height."""


def figure_bearings(model: Multibody, first: int = 0) -> tuple[Bearing, ...]:
    """Return the bearings in the joints of a figure, of a scene or of a step; a root that floats has none.

    Of joints that are one ball together, the one that rubs most counts.

    Args:
        model: Made by ``Multibody.from_skeleton``; of any other there are none.
        first: Number that the model's first body has in the model that the bearings are for.
    """
    if model.figure is None:
        return ()
    balls = {int(k): ball.x for ball in model.figure.balls for k in ball.x}
    size = figure_height(model.figure.skeleton)
    found: dict[int, Bearing] = {}
    for own in model.joint_physics:
        floats = model.figure.place is not None and own.body == 0
        if not own.coulomb or floats:
            continue
        radius = RADIUS * size if own.radius is None else own.radius
        height = HEIGHT * size if own.height is None else own.height
        start = int(model.first[own.body])
        for k in own.coordinates:
            part = [int(c) for c in balls.get(k, (k,))]
            places = tuple(c - start for c in part)
            bearing = Bearing(own.body + first, own.coulomb, radius, height, coordinates=places)
            before = found.get(part[0])
            if before is None or before.friction * before.radius < own.coulomb * radius:
                found[part[0]] = bearing
    return tuple(found.values())
