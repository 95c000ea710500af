"""What a view shows, apart from where it is seen from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.render.ground import GROUND, Ground
from app.render.lights import USUAL, Lights

if TYPE_CHECKING:
    from app.render.physics_picture import PhysicsPicture
    from app.render.physics_world import Solid
    from core.terrain import Terrain


class Ghost(NamedTuple):
    """A translucent copy of the figure.

    Attributes:
        poses: Joint frames in the world, shape (n_joints, 4, 4).
        token: Colour token, such as ``"ghost_before"`` or ``"ghost_after"``; ``"ghost_keyed"`` is quiet grey.
        strength: 1 for the nearest key; halved each step further away.
    """

    poses: NDArray[np.float64]
    token: str
    strength: float = 1.0


@dataclass
class Picture:
    """One frame's content.

    Attributes:
        poses: Joint frames of the figure in the world, shape (n_joints, 4, 4); None if there is no figure.
        ghosts: (poses, token, strength) each, nearest key first; drawn behind the figure.
        ghost_joints: Joints whose segments are drawn of ghosts; None for all.
        hover: Joints that a click would grab; outlined in the text colour.
        selected: Selected joints; outlined in the accent.
        chain: Joints of the drag chain; tinted and outlined in the accent.
        helping: Joints that may help to hold the lock under the pointer; tinted a little.
        helping_token: The lock's colour token.
        grid: Whether the grid and the world lines are drawn.
        silhouette: Whether the figure is drawn flat, without light.
        small: Whether this is one of the small views: quieter ghosts, thinner outlines.
        scale: Device pixels a logical one; outlines get as much wider.
        body: How much the figure hides what is behind it: 1 wholly, less to see its bones through it.
        loose: Whether every body follows its own joint alone, as in the bind pose: then joints can be moved without the
            bodies being made ready again.
        physics: Signs of physics drawn over it all; None for none.
        solids: Obstacles, rigid bodies that move freely, other figures.
        ground: The floor, which has the grid and the shadow; None for no floor: then there is no shadow.
        terrain: Ground of triangles, drawn in the floor's colours with the shadow of what stands on it; None for none.
        background: Whether anything is drawn behind; without it the picture is transparent, premultiplied.
        shadow: Whether, without a background, the shadow on the ground is drawn all the same.
        backdrop: What is drawn behind: ``"stage"`` is the editor's sky, ground and grid, ``"studio"`` a floor that runs
            into the wall without an edge, ``"#rrggbb"`` a plain colour.
        lights: How the figure is lit.
    """

    poses: NDArray[np.float64] | None = None
    ghosts: Sequence[Ghost | tuple[NDArray[np.float64], str, float]] = ()
    ghost_joints: frozenset[int] | None = None
    hover: set[int] = field(default_factory=set)
    selected: set[int] = field(default_factory=set)
    chain: set[int] = field(default_factory=set)
    helping: set[int] = field(default_factory=set)
    helping_token: str = "accent"
    grid: bool = True
    silhouette: bool = False
    small: bool = False
    scale: float = 1.0
    body: float = 1.0
    loose: bool = False
    physics: PhysicsPicture | None = None
    solids: Sequence[Solid] = ()
    ground: Ground | None = GROUND
    terrain: Terrain | None = None
    background: bool = True
    shadow: bool = False
    backdrop: str = "stage"
    lights: Lights = USUAL
