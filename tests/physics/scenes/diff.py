"""Rotations in Euler's angles (RedMax matlab-diff 7, 9); other scenes of that table are in the other modules."""

from __future__ import annotations

from math import pi

from core.dynamics import Scene
from core.joints import Composite, SphericalEuler, Translational
from tests.physics.scenes.building import X, box, chain, model, start, turned


def balls_in_angles(first: str = "XYZ", second: str = "XYZ") -> Scene:
    joints = [SphericalEuler(first), SphericalEuler(second)]
    m = model(chain(2, joints, (1, 1, 10), (0, 0, -10), (0, 0, -5)))
    q1 = joints[0].coordinates(turned(X, pi / 8))
    return Scene(m, *start(m, q1=q1, v1=(2, 2, 2), q2=(pi / 2, 0, 0)))


def thrown_in_angles() -> Scene:
    """Here the free joint of the reference program turns in Euler's angles."""
    m = model([box("1", -1, (1, 1, 1), Composite(Translational(), SphericalEuler("XYZ")))], (0.0, 0.0, -1.0))
    return Scene(m, *start(m, v1=(0, 0, 3, 0.2, 0.4, 0.6)))
