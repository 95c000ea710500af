"""Figures without shapes in pictures that nobody handles, as movies and icons are: their bones as thin rods."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from app.render.mesh.bare_bones import BareBones
from core.skeleton import Skeleton
from core.skeleton.extent import figure_height
from core.skeleton.joint import SegmentObject
from core.skeleton.per_skeleton import per_skeleton
from core.skeleton.segment import capsule_mesh

_ROD, _BALL = 0.010, 0.016  # radii, of the figure's height


def with_rods(skeleton: Skeleton) -> Skeleton:
    """Return the figure with a rod for each bone that nothing is seen of, and a ball at its joint.

    The same figure if all of it is seen. Joints and degrees of freedom are those of the figure, so that its poses fit.
    A rod keeps the length of the bone at rest, also where a slide moves the joint at its end.
    """
    made = _made(skeleton)
    return made[0] if made else skeleton


@per_skeleton
def _made(skeleton: Skeleton) -> tuple[Skeleton, ...]:
    height = figure_height(skeleton)
    bones = BareBones(skeleton, height)
    if not len(bones.owners):
        return ()
    joints = list(skeleton.joints)
    for owner in np.unique(bones.owners).tolist():
        tips = bones.tips[bones.owners == owner]
        parts = [capsule_mesh(np.zeros(3), np.zeros(3), _BALL * height)]
        parts += [capsule_mesh(np.zeros(3), tip, _ROD * height) for tip in tips]
        joints[owner] = replace(joints[owner], objects=tuple(SegmentObject("", part) for part in parts))
    return (Skeleton(skeleton.name, joints, skeleton.layout, skeleton.source, skeleton.warnings),)
