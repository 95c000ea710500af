"""A layer's keys as a sequence of their own, for what works on sequences: curves of offsets, and edits of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from core.animation.layers.layer import Layer
from core.animation.sequence import Sequence
from core.skeleton import Skeleton
from core.skeleton.per_skeleton import per_skeleton


def layer_sequence(layer: Layer, fps: float = 30.0) -> Sequence:
    """Return a sequence with the keys of a layer, whose poses are its offsets: without its weight, limits or locks.

    Args:
        layer: The layer.
        fps: Frames a second.
    """
    return Sequence(free_figure(layer.skeleton), fps, layer.name, keys=layer.keys)


@per_skeleton
def free_figure(skeleton: Skeleton) -> Skeleton:
    """Return a figure with the same channels without limits and cones, none of whose joints follow others.

    Its root has no offset: where it stands is what a pose says.
    """
    joints = []
    for joint in skeleton.joints:
        dofs = tuple(dof._replace(lo=-np.inf, hi=np.inf) for dof in joint.dofs)
        offset = np.zeros(3) if joint.parent < 0 else joint.offset
        joints.append(replace(joint, dofs=dofs, offset=offset, cone=None, follows=(), loops=()))
    return Skeleton(skeleton.name, joints, skeleton.layout)
