"""Moving a part by a small step, as the arrow keys do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.tools.drag_held import HeldDrag
from core.ik import Goal, solve
from core.skeleton.segment import end_effector

if TYPE_CHECKING:
    from app.document.document import Document
    from app.scene.scene import Scene
    from app.tools.base import Array
    from core.kinematics.chain import Chain


def nudged(document: Document, scene: Scene, joint: int, chain: Chain, whole: bool, step: Array) -> Array:
    """Return the pose with a part's end-effector moved by a step, the locks of the frame held.

    Args:
        document: The open document, which has a figure.
        scene: The posed figure.
        joint: The part.
        chain: What moves.
        whole: Whether the whole figure moves.
        step: World, shape (3,), [m].
    """
    skeleton = document.skeleton
    assert skeleton is not None
    q, local = np.array(document.pose, dtype=np.float64), end_effector(skeleton, joint)
    place = scene.world(joint, local) + step
    if document.locks.holding:
        return HeldDrag(document, joint, local, chain, q).finished(q, place, whole)
    if whole:
        q[:3] += step
        return q
    goal = Goal(joint, point=local, position=place)
    return solve(skeleton, q, [goal], base=chain.base, **document.session.solver.options(q)).q
