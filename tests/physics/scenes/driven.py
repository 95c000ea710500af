"""Bodies and joints that are led along a given motion (RedMax matlab 13, 20, 32)."""

from __future__ import annotations

from math import atan2, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from core.dynamics import Body, Scene
from core.dynamics.constraints import LoopClosure, PrescribedBody, PrescribedJoint, PrescribedSpeed
from core.joints import Revolute
from tests.physics.scenes.building import Y, at, box, box_inertia, model, start, turned
from tests.physics.scenes.chains import logistic

Array = NDArray[np.float64]

HINGE = Revolute(Y)
DOWN, UP = (0.0, 0.0, -5.0), (0.0, 0.0, 5.0)
TURN_AND_SLIDE = (1, 3, 5)
"""Twist components of a body in the plane across y."""


def led(t: float) -> tuple[Array, Array]:
    """Return the twist that the led body is given (velocity in the world) and its rate, each shape (6,)."""
    if t < 2.0:
        w, vx, dw, dvx = -t, 0.0, -1.0, 0.0
    elif t < 4.0:
        w, vx, dw, dvx = t - 4.0, 0.0, 1.0, 0.0
    elif t < 6.0:
        w, vx, dw, dvx = t - 4.0, -2.0 * (t - 4.0), 1.0, -2.0
    elif t < 8.0:
        w, vx, dw, dvx = 8.0 - t, 2.0 * (t - 8.0), -1.0, 2.0
    else:
        w, vx, dw, dvx = 0.0, 0.0, 0.0, 0.0
    return np.array([0, w, 0, vx, 0, 0]), np.array([0, dw, 0, dvx, 0, 0])


def led_body() -> Scene:
    m = model(
        [
            box("1", -1, (1, 1, 10), HINGE, body_at=DOWN),
            box("2", "1", (10, 1, 1), HINGE, (0, 0, -10), (5, 0, 0)),
            box("3", "2", (1, 1, 10), HINGE, (10, 0, 0), UP),
            box("4", "3", (10, 1, 1), HINGE, (0, 0, 10), (5, 0, 0)),
        ]
    )
    return Scene(m, *start(m), constraints=(PrescribedBody("4", TURN_AND_SLIDE, led, "world"),))


def led_body_and_joint() -> Scene:
    m = model(
        [
            box("1", -1, (1, 1, 10), HINGE, body_at=DOWN),
            box("2", "1", (10, 1, 1), HINGE, (0, 0, -10), (5, 0, 0)),
            box("3", "2", (10, 1, 1), HINGE, (10, 0, 0), (5, 0, 0)),
            box("4", "3", (1, 1, 10), HINGE, (10, 0, 0), UP),
            box("5", "4", (10, 1, 1), HINGE, (0, 0, 10), (5, 0, 0)),
        ]
    )
    # Without the plateau at the end, which counts in the last step.
    joint = PrescribedJoint("3", lambda t: logistic(t, 10.0, 0.5 * pi, plateau=False))
    return Scene(m, *start(m), constraints=(joint, PrescribedBody("5", TURN_AND_SLIDE, led, "world")))


def linkage_bodies(first: Body) -> list[Body]:
    """Return the bar ``first`` and three more that close a triangle of 6, 12 and 14 at the start."""
    s = 16.0
    z = 2.0 * sqrt(s * (s - 6.0) * (s - 12.0) * (s - 14.0)) / 6.0
    x = sqrt(14.0**2 - z * z)
    back = x - 6.0
    return [
        first,
        box("2", "1", (4, 0.5, 0.5), HINGE, (-5, 0, 0), (2, 0, 0)),
        Body("3", "2", HINGE, at(4, 0, 0), turned(Y, -atan2(z, x), (x / 2, 0, z / 2)), box_inertia((14, 0.5, 0.5))),
        Body("4", "3", HINGE, at(x, 0, z), turned(Y, -atan2(z, back), (-back / 2, 0, -z / 2)),
             box_inertia((12, 0.5, 0.5))),
    ]  # fmt: skip


def driven_linkage() -> Scene:
    """The joint turns at +4 pi: that gives the energy of the program; with the -4 pi of the table it is 3880.693."""
    m = model(linkage_bodies(box("1", -1, (10, 0.5, 0.5), HINGE, (0, 0, 10))))
    constraints = (
        LoopClosure("4", (-6, 0, 0), "1", (5, 0, 0), "hinge"),
        # The reference sets the speed with the other sign: its -4 pi turns the joint by +4 pi a second.
        PrescribedSpeed("2", lambda t: (4.0 * pi, 0.0), maximal=True),
    )
    return Scene(m, *start(m, q1=pi), constraints=constraints)
