"""The shapes that a figure touches the world with: one or more for each part of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.arrays import Array
from core.dynamics.contact.fitting import fitted
from core.dynamics.contact.materials import DEFAULT_FRICTION, checked_friction
from core.dynamics.contact.shapes import Capsule, Geometry, Shape
from core.dynamics.packed import to_z
from core.errors import DynamicsError
from core.skeleton.per_skeleton import per_skeleton
from core.skeleton.segment import rest_frames, segment_capsule
from core.skeleton.skeleton import Skeleton
from core.spatial import se3

if TYPE_CHECKING:
    from core.dynamics.multibody import Multibody

_FLOOR = 0.004  # of the figure's height: what ends this near its lowest point stands on it


def figure_geometries(skeleton: Skeleton, model: Multibody, friction: float = DEFAULT_FRICTION) -> tuple[Geometry, ...]:
    """Return the shapes of all parts of a figure, carried by the bodies of a model made of it.

    A part that is drawn has a ball, a capsule or a box if it is like one, else the convex hull of its polygons, with
    few corners; what the figure stands on in the pose of rest has a flat sole. A part of several objects far apart has
    a shape for each. A part that is drawn as a capsule has that.

    Args:
        skeleton: The figure.
        model: ``Multibody.from_skeleton`` of it.
        friction: Friction coefficient of what the figure itself gives none for.

    Raises:
        DynamicsError: If the model was made of another figure, or of none.
    """
    figure = model.figure
    if figure is None or figure.skeleton is not skeleton:
        raise DynamicsError("the model was not made of this figure; expected Multibody.from_skeleton of it")
    friction = checked_friction(friction, "the figure")
    found: list[Geometry] = []
    for part in figure_parts(skeleton):
        joint, body = skeleton.joints[part.joint], int(figure.joint_body[part.joint])
        if body >= 0 and not figure.inside[part.joint]:
            rough = friction if joint.friction is None else joint.friction
            found.append(Geometry(part.shape, body, figure.X_BJ[part.joint] @ part.X_JS, rough, part.name))
    return tuple(found)


class _Part(NamedTuple):
    """A shape of a figure: the joint that carries it, what it is, its pose in the joint's frame, its name."""

    joint: int
    shape: Shape
    X_JS: Array
    name: str


def figure_parts(skeleton: Skeleton) -> tuple[_Part, ...]:
    """Return the shapes of all parts of a figure with the joints that carry them, as ``figure_geometries`` has them."""
    return _of_figure(skeleton)


@per_skeleton
def _of_figure(skeleton: Skeleton) -> tuple[_Part, ...]:
    frames = rest_frames(skeleton)
    lowest = _lowest(skeleton, frames)
    found: list[_Part] = []
    for i, joint in enumerate(skeleton.joints):
        if not joint.has_body:
            continue
        sole = -frames[i, :3, :3].T @ np.array([0.0, 1.0, 0.0]) if lowest[i] else None
        for k, (shape, X_JS) in enumerate(_parts(skeleton, i, sole)):
            found.append(_Part(i, shape, X_JS, joint.name if k == 0 else f"{joint.name} {k + 1}"))
    return tuple(found)


def _clouds(skeleton: Skeleton, i: int) -> list[Array]:
    return [item.mesh.vertices for item in skeleton.joints[i].objects if item.mesh is not None]


def _lowest(skeleton: Skeleton, frames: Array) -> NDArray[np.bool_]:
    """Return which parts end at the lowest level of the figure in the pose of rest, shape (n,)."""
    least = np.full(len(skeleton.joints), np.inf)
    most = -np.inf
    for i in range(len(skeleton.joints)):
        for points in _clouds(skeleton, i):
            height = points @ frames[i, 1, :3] + frames[i, 1, 3]
            least[i] = min(least[i], height.min())
            most = max(most, height.max())
    if not np.isfinite(most):
        return np.zeros(len(least), dtype=np.bool_)
    return np.asarray(least < least.min() + _FLOOR * (most - least.min()))


def _parts(skeleton: Skeleton, i: int, sole: Array | None) -> list[tuple[Shape, Array]]:
    clouds = _clouds(skeleton, i)
    if not clouds:
        start, end, radius = segment_capsule(skeleton, i)
        length = float(np.linalg.norm(end - start))
        axis = (end - start) / length if length > 0.0 else np.array([0.0, 0.0, 1.0])
        return [(Capsule(radius, 0.5 * length), se3.transform(to_z(axis), 0.5 * (start + end)))]
    return fitted(clouds, sole)
