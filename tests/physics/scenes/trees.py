"""Trees with other joints than hinges (RedMax matlab 2, 3, 14, 16 to 19, 25, 35)."""

from __future__ import annotations

from math import pi

import numpy as np

from core.dynamics import Body, Multibody, Scene
from core.joints import (
    Composite,
    Free,
    Free2D,
    FreeRotationFirst,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Translational,
    Universal,
)
from core.joints.base import JointModel
from core.spatial import SpatialInertia, so3
from tests.physics.scenes.building import GRAVITY, X, Y, Z, box, box_inertia, chain, cylinder_inertia, model, start

DOWN = (0.0, 0.0, -5.0)


def mobile() -> Scene:
    m = model(
        [
            box("1", -1, (1, 1, 10), Revolute(X), (0, 0, 15), DOWN),
            box("2", "1", (1, 20, 1), Revolute(Z), (0, 0, -10)),
            box("3", "2", (1, 1, 10), Revolute(X), (0, -10, 0), DOWN),
            box("4", "2", (1, 1, 10), Revolute(Y), (0, 10, 0), DOWN),
        ]
    )
    return Scene(m, *start(m, q3=pi / 4, q4=pi / 4))


def balls() -> Scene:
    m = model(chain(2, Spherical(), (1, 1, 10), (0, 0, -10), DOWN))
    return Scene(m, *start(m, q1=(pi / 8, 0, 0), v1=(0, 0, 2), q2=(pi / 8, 0, 0)))


def universal_joints() -> Scene:
    m = model(chain(3, Universal(), (1, 1, 10), (0, 0, -10), DOWN))
    return Scene(m, *start(m, q1=(pi / 8, 0), q2=(0, pi / 8), q3=(pi / 8, 0)))


def _plate(joint: JointModel, gravity: tuple[float, float, float] = GRAVITY) -> Multibody:
    return model(
        [
            box("1", -1, (10, 10, 1), joint),
            box("2", "1", (1, 1, 10), Revolute(Y), (-5, 0, 0), DOWN),
            box("3", "1", (1, 1, 10), Revolute(X), (0, -5, 0), DOWN),
        ],
        gravity,
    )


def planar() -> Scene:
    m = _plate(Planar())
    return Scene(m, *start(m, q2=pi / 2, q3=pi / 4))


def translational(v2: float = 2.0, v3: float = 1.0) -> Scene:
    m = _plate(Translational(), (0.0, 0.0, 0.0))
    return Scene(m, *start(m, v2=v2, v3=v3))


def thrown() -> Scene:
    m = model([box("1", -1, (1, 1, 1), Free())], (0.0, 0.0, -1.0))
    return Scene(m, *start(m, v1=(0, 0, 3, 0.2, 0.4, 0.6)))


def thrown_turning_first() -> Scene:
    m = model([box("1", -1, (1, 1, 1), FreeRotationFirst())], (0.0, 0.0, -1.0))
    return Scene(m, *start(m, v1=(0.2, 0.4, 0.6, 0, 0, 3)))


def composite() -> Scene:
    m = model([box("1", -1, (1, 1, 10), Composite(Revolute(X), Prismatic(X)), body_at=(0, 0, 5))])
    return Scene(m, *start(m, q1=(0.1, 0), v1=(0, 1)))


def welded() -> Scene:
    bar = box_inertia((1, 1, 10)).moved(np.eye(3), (0, 0, -5))
    roll = cylinder_inertia(1.0, 10.0).moved(so3.exp([0.0, pi / 2, 0.0]), (5, 0, -10))
    m = model([Body("1", -1, Revolute(Y), inertia=SpatialInertia.combine([bar, roll]))])
    return Scene(m, *start(m))


def in_the_plane() -> Scene:
    m = model(
        [
            box("1", -1, (10, 1, 1), Free2D()),
            box("2", "1", (10, 1, 1), Revolute(Z), (5, 0, 0), (5, 0, 0)),
        ],
        (0.0, -1.0, 0.0),
    )
    return Scene(m, *start(m, v1=(0, 0, 1), v2=-1))


def slide_and_pendulum() -> Scene:
    m = model(
        [
            box("1", -1, (20, 1, 1), Prismatic(X)),
            box("2", "1", (1, 1, 10), Revolute(Y), (-10, 0, 0), DOWN),
        ]
    )
    return Scene(m, *start(m, q2=pi / 2))


def projectile() -> Scene:
    m = model([box("1", -1, (1, 1, 1), Free2D())], (0.0, -980.0, 0.0))
    return Scene(m, *start(m, q1=(-10, -10, 0), v1=(50, 200, 20)))
