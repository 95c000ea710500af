"""Joints along spline curves and over spline surfaces (RedMax matlab 21, 22)."""

from __future__ import annotations

from math import pi

import numpy as np

from core.dynamics import Scene
from core.joints import Revolute, SplineCurve, SplineSurface
from tests.physics.scenes.building import X, Y, box, model, start, turned

DOWN = (0.0, 0.0, -5.0)


def curve() -> Scene:
    frames = np.stack(
        [
            turned(Y, pi, (-10, 0, 0)),
            turned(Y, pi / 2, (0, 0, -2)),
            turned(Y, 0.0, (10, 0, 0)),
            turned(Y, -pi / 2, (0, 0, 2)),
        ]
    )
    m = model(
        [
            box("1", -1, (1, 1, 10), Revolute(Y), body_at=DOWN),
            box("2", "1", (10, 1, 1), SplineCurve(frames, closed=True), (0, 0, -10), (5, 0, 0)),
            box("3", "2", (10, 1, 1), Revolute(Y), (10, 0, 0), (5, 0, 0)),
        ]
    )
    return Scene(m, *start(m, q3=15 * pi / 16))


def surface() -> Scene:
    line = np.linspace(-15.0, 15.0, 4)
    bend = np.linspace(-pi / 4, pi / 4, 4)
    x, y = np.meshgrid(line, line, indexing="ij")
    a = np.repeat(bend[:, None], 4, axis=1)
    values = np.stack([x, y, 0.05 * (x * x + y * y), a, a, np.zeros((4, 4))])
    m = model(
        [
            box("1", -1, (1, 1, 10), Revolute(X), body_at=DOWN),
            box("2", "1", (1, 1, 10), SplineSurface(values), (0, 0, -14), DOWN),
            box("3", "2", (1, 1, 10), Revolute(Y), (0, 0, -10), DOWN),
        ]
    )
    return Scene(m, *start(m, q1=pi / 8, q2=(0.5, 0.5), q3=pi / 4))
