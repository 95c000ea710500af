"""Where the centre of mass of the figure on screen is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core import kinematics
from core.errors import SkeletonError

if TYPE_CHECKING:
    from app.scene.scene import Scene

Array = NDArray[np.float64]


def center_of_mass(scene: Scene) -> Array:
    """Return the figure's centre of mass in the world, shape (3,), [m]; the root for a figure that weighs nothing."""
    skeleton = scene.skeleton
    if skeleton is None:
        return np.zeros(3)
    try:
        return kinematics.center_of_mass(skeleton, scene.document.pose, scene.poses)
    except SkeletonError:
        return np.array(scene.poses[0, :3, 3])
