"""Closed loops of bodies (RedMax matlab 4, 8, 15)."""

from __future__ import annotations

from math import pi

from core.dynamics import Scene
from core.dynamics.constraints import Coupling, LoopClosure
from core.joints import Prismatic, Revolute
from tests.physics.scenes.building import X, Y, box, model, start

DOWN = (0.0, 0.0, -5.0)
UP = (0.0, 0.0, 5.0)
HINGE = Revolute(Y)


def four_bar_bodies() -> list:
    return [
        box("1", -1, (20, 1, 1)),
        box("2", "1", (1, 1, 10), HINGE, (-10, 0, 0), DOWN),
        box("3", "1", (1, 1, 10), HINGE, (10, 0, 0), DOWN),
        box("4", "2", (20, 1, 1), HINGE, (0, 0, -10), (10, 0, 0)),
        box("5", "4", (1, 1, 10), HINGE, (10, 0, 0), DOWN),
    ]


def four_bar() -> Scene:
    m = model(four_bar_bodies())
    return Scene(m, *start(m, v5=5), constraints=(LoopClosure("3", DOWN, "4", (10, 0, 0), "hinge"),))


def loop_and_gear() -> Scene:
    m = model(
        [
            box("1", -1, (10, 1, 1)),
            box("2", "1", (1, 1, 10), HINGE, (5, 0, 0), DOWN),
            box("3", "2", (1, 1, 10), HINGE, (0, 0, -10), DOWN),
            box("4", "3", (10, 1, 1), HINGE, (0, 0, -10), (-5, 0, 0)),
            box("5", "4", (1, 1, 10), HINGE, (-10, 0, 0), UP),
            box("6", "5", (1, 1, 10), HINGE, (0, 0, 10), UP),
            box("7", "4", (1, 1, 10), HINGE, (-5, 0, 0), DOWN),
        ]
    )
    constraints = (LoopClosure("6", UP, "1", (-5, 0, 0), "hinge"), Coupling("6", "3", 0.5))
    return Scene(m, *start(m, v7=10), constraints=constraints)


def slide_in_loop() -> Scene:
    m = model(
        [
            box("1", -1, (22, 1, 1)),
            box("2", "1", (1, 1, 10), HINGE, (-11, 0, 0), DOWN),
            box("3", "2", (22, 1, 1), Prismatic(X), (0, 0, -10), (11, 0, 0)),
            box("4", "3", (1, 1, 10), HINGE, (22, 0, 0), UP),
            box("5", "3", (1, 1, 10), HINGE, (11, 0, 0), DOWN),
        ]
    )
    return Scene(m, *start(m, q5=3 * pi / 4), constraints=(LoopClosure("4", UP, "1", (11, 0, 0), "hinge"),))
