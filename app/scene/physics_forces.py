"""Arrows of contact forces and momentum, friction cones, and the centre of mass over what it stands on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from app.render.physics_picture import ARROW, CENTER, CONE_EDGE, FLOOR_MARK, HEAD, LINE, Pen
from core.constraints.soles import hull
from core.spatial.so3 import hat

if TYPE_CHECKING:
    from core.preview.sample import ContactForces

Array = NDArray[np.float64]

METRES_A_NEWTON = 1e-3
LONGEST = 1.1
"""No arrow of a force is longer, [m], of a person."""
LEAST_FORCE = 0.01
"""Forces below this share of the figure's weight are not drawn."""
CONE_HEIGHT = 0.15  # [m], of a person
RING_RADIUS = 0.24
"""Radius of the ring of the angular momentum of a person, [m]."""
FULL_TURN = np.radians(320.0)
_LEAST_TURN = np.radians(25.0)
SPEED_REACH = 0.4  # [m] of arrow for a figure whose centre of mass moves at 1 m/s, of a person
_SPIN = 0.035
"""Angular momentum that the ring closes at, for a figure of mass 1 and height 1; a person's is 8 kg m^2/s."""
_STILL = 0.004  # [m/s]: slower than that nothing is said to move
_FORCE_WIDTH, _MOMENTUM_WIDTH = 3.2, 2.4
_CONE_STEPS, _RING_STEPS = 24, 40
_TURN = np.linspace(0.0, 2.0 * np.pi, _CONE_STEPS + 1)
_CIRCLE = np.column_stack([np.cos(_TURN), np.sin(_TURN)])
_SLANT = np.array([0.48, 0.64, 0.6])  # not an axis that is common in scenes


@dataclass(frozen=True, eq=False)
class Resultants:
    """The contacts of a figure, one for each part that is touched.

    Attributes:
        joints: The parts, shape (k,).
        points: Where the forces act together, shape (k, 3), [m].
        forces: On the figure, shape (k, 3), [N].
        normals: Unit, from what is touched to the part, shape (k, 3).
        friction: Friction coefficient, shape (k,).
        magnitudes: Of the forces, shape (k,), [N].
    """

    joints: NDArray[np.int64]
    points: Array
    forces: Array
    normals: Array
    friction: Array
    magnitudes: Array


def resultants(contacts: ContactForces, least: float) -> Resultants:
    """Return the contacts of each part as one: the sum of its forces, at the mean of their places weighted by them.

    Args:
        contacts: Of one sample.
        least: Smaller sums are left out, [N].
    """
    joints = np.asarray(contacts.joints, dtype=np.int64)
    counted = (joints >= 0) & np.isfinite(contacts.forces).all(axis=1)
    if not counted.any():  # only rigid bodies touch something: sums of nothing would be integers
        none = np.zeros((0, 3))
        return Resultants(joints[:0], none, none, none, np.zeros(0), np.zeros(0))
    parts, row = np.unique(joints[counted], return_inverse=True)
    force, point = contacts.forces[counted], contacts.points[counted]
    weight = np.linalg.norm(force, axis=1)
    total = np.bincount(row, weight, len(parts))

    def sums(values: Array) -> Array:
        columns = [np.bincount(row, values[:, k], len(parts)) for k in range(3)]
        return np.asarray(np.column_stack(columns).reshape(-1, 3), dtype=np.float64)

    share = weight / np.maximum(total[row], 1e-300)
    forces, normals = sums(force), sums(share[:, None] * contacts.normals[counted])
    size = np.linalg.norm(forces, axis=1)
    kept = size >= max(least, 1e-9)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    return Resultants(
        parts[kept], sums(share[:, None] * point)[kept], forces[kept], normals[kept],
        np.bincount(row, share * contacts.friction[counted], len(parts))[kept], size[kept],
    )  # fmt: skip


def arrow_ends(found: Resultants, scale: float, most: float = np.inf) -> Array:
    """Return the tips of the arrows of forces, shape (k, 3), [m]: 1 m a kN at scale 1, but no longer than ``most``."""
    lengths = METRES_A_NEWTON * scale * found.magnitudes
    return found.points + (METRES_A_NEWTON * scale * np.minimum(1.0, most / lengths))[:, None] * found.forces


def draw_forces(pen: Pen, found: Resultants, scale: float, most: float = np.inf) -> None:
    """Draw an arrow for each part that is touched, from where the force acts.

    An arrow that would be longer than ``most``, [m], as those of blows are, ends there and has a second head: it is
    not as long as its force is large.
    """
    if not len(found.joints):
        return
    tips = arrow_ends(found, scale, most)
    pen.lines(found.points, tips, "force", _FORCE_WIDTH, ARROW)
    cut = METRES_A_NEWTON * scale * found.magnitudes > most
    if cut.any():
        offset = tips[cut] - found.points[cut]
        pen.lines(found.points[cut] + 0.7 * offset, found.points[cut] + 0.9 * offset, "force", _FORCE_WIDTH, HEAD)


def draw_cones(pen: Pen, found: Resultants, height: float) -> None:
    """Draw the friction cones, dashed: where a force may point without anything sliding.

    Args:
        pen: Takes the lines.
        found: The contacts.
        height: Of the cones along their axes, [m].
    """
    count = len(found.joints)
    if not count:
        return
    bases, radii = found.points + height * found.normals, height * found.friction
    dash = (0.2 * height, 0.13 * height)
    for side in (1.0, -1.0):
        pen.lines(found.points, bases, "force", 1.4, CONE_EDGE, dash, radius=side * radii, rim=False)
    first, second = _across(found.normals)
    rings = bases[:, None] + radii[:, None, None] * (
        _CIRCLE[None, :, :1] * first[:, None] + _CIRCLE[None, :, 1:] * second[:, None]
    )
    step = 2.0 * np.pi / _CONE_STEPS * radii
    begins = (np.arange(_CONE_STEPS)[None] * step[:, None]).ravel()
    pen.lines(rings[:, :-1].reshape(-1, 3), rings[:, 1:].reshape(-1, 3), "force", 1.4, LINE, dash, begins, rim=False)


def _across(axes: Array) -> tuple[Array, Array]:
    """Return two unit vectors at right angles to each of some unit vectors and to each other, shapes (k, 3)."""
    rows = np.arange(len(axes))
    least = np.zeros_like(axes)
    least[rows, np.abs(axes).argmin(axis=1)] = 1.0
    first = np.cross(axes, least)
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    return first, np.cross(axes, first)


# -- centre of mass ----------------------------------------------------------------------------------------------


def support_corners(points: Array) -> Array:
    """Return the contacts round which the smallest convex polygon seen from above goes, shape (m, 3), [m]."""
    return points[hull(points[:, [2, 0]])] if len(points) else np.zeros((0, 3))


def draw_center(pen: Pen, center: Array, foot: Array, support: Array, scale: float) -> None:
    """Draw the centre of mass, its drop line and the place below, and the polygon that it has to stay over.

    Args:
        pen: Takes all.
        center: Shape (3,), [m].
        foot: Where the drop line ends, shape (3,), [m]; NaN for none.
        support: Corners of the polygon, shape (m, 3), [m].
        scale: Size of marks.
    """
    dash = (0.022 * scale, 0.016 * scale)
    if len(support) > 1:
        corners = np.concatenate([support, support[:1]]) if len(support) > 2 else support
        pen.polyline(corners, "lock_balance", 1.5, (0.03 * scale, 0.02 * scale))
    signs = [center]
    if np.isfinite(foot).all():
        pen.lines(center[None], foot[None], "lock_balance", 1.2, dash=dash)
        signs.append(foot)
    maps = np.zeros((len(signs), 3, 4))
    maps[:, :, 3] = signs
    pen.shapes(CENTER, maps[:1], ("lock_balance",), 0, 6.5)
    if len(signs) > 1:
        pen.shapes(FLOOR_MARK, maps[1:], ("lock_balance",), 0, 5.5)


# -- momentum ----------------------------------------------------------------------------------------------------


def linear_end(center: Array, momentum: Array, mass: float, scale: float) -> Array | None:
    """Return where the arrow of the linear momentum ends, shape (3,), [m]; None for a figure that stands still."""
    velocity = momentum[3:] / max(mass, 1e-9)
    if float(np.linalg.norm(velocity)) < _STILL * scale:
        return None
    return np.asarray(center + SPEED_REACH * scale * velocity)


def ring_points(center: Array, momentum: Array, mass: float, height: float, scale: float) -> Array | None:
    """Return the arc of the angular momentum round the centre of mass, shape (k, 3), [m]; None if there is none.

    It runs the way the figure turns, the farther round the more it turns, almost all the way round for a person who
    somersaults.
    """
    spin = momentum[:3]
    size = float(np.linalg.norm(spin))
    whole = _SPIN * max(mass, 1e-9) * height**2
    if size < 2e-3 * whole:
        return None
    axis = spin / size
    first = _SLANT - float(_SLANT @ axis) * axis
    first /= max(float(np.linalg.norm(first)), 1e-9)
    sweep = _LEAST_TURN + (FULL_TURN - _LEAST_TURN) * np.tanh(size / whole)
    turn = np.linspace(0.0, sweep, _RING_STEPS + 1)[:, None]
    return np.asarray(center + RING_RADIUS * scale * (np.cos(turn) * first + np.sin(turn) * (hat(axis) @ first)))


def draw_momentum(pen: Pen, center: Array, end: Array | None, ring: Array | None) -> None:
    """Draw the linear momentum as an arrow and the angular one as a ring with a head."""
    if ring is not None:
        pen.polyline(ring[:-1], "momentum_angular", _MOMENTUM_WIDTH)
        pen.lines(ring[-2:-1], ring[-1:], "momentum_angular", _MOMENTUM_WIDTH, HEAD)
    if end is not None:
        pen.lines(center[None], end[None], "momentum_linear", _MOMENTUM_WIDTH, ARROW)
