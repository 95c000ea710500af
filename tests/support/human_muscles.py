"""Muscles of the human."""

from __future__ import annotations

import numpy as np

from core.dynamics import Multibody
from core.dynamics.forces import Muscle

WAYS: dict[str, list[tuple[str, tuple[float, float, float]]]] = {
    "biceps": [("clavicle", (0.13, 0.0, 0.03)), ("upper arm", (0.0, -0.1, 0.04)), ("forearm", (0.0, -0.05, 0.03))],
    "triceps": [("clavicle", (0.13, 0.0, -0.03)), ("upper arm", (0.0, -0.15, -0.04)), ("forearm", (0.0, 0.02, -0.03))],
    "hamstring": [("pelvis", (0.08, 0.0, -0.06)), ("thigh", (0.0, -0.25, -0.06)), ("shank", (0.0, -0.05, -0.04))],
    "quadriceps": [
        ("pelvis", (0.08, 0.08, 0.08)), ("thigh", (0.0, -0.2, 0.08)), ("thigh", (0.0, -0.42, 0.05)),
        ("shank", (0.0, -0.08, 0.04)),
    ],
    "calf": [("thigh", (0.0, -0.38, -0.04)), ("shank", (0.0, -0.1, -0.05)), ("foot", (0.0, -0.04, -0.05))],
}  # fmt: skip
"""Muscles of one side: parts without their side, and points in them."""
ACROSS: dict[str, list[tuple[str, tuple[float, float, float]]]] = {
    "trapezius": [("head", (0.0, 0.0, -0.06)), ("neck", (0.02, 0.0, -0.06)), ("clavicle", (0.12, 0.02, -0.02))],
}
"""Those whose ends hang on different branches."""


def muscles(
    model: Multibody, force: float, ways: dict[str, list[tuple[str, tuple[float, float, float]]]]
) -> list[Muscle]:
    """Return the muscles of both sides, as long as is best for them in the pose of rest."""
    poses, found = model.body_poses(np.zeros(model.nq)), []
    for side, sign in (("right", -1.0), ("left", 1.0)):
        for way in ways.values():
            bodies = [part if part in model.names else f"{side} {part}" for part, _ in way]
            points = [np.array(point) * (sign, 1.0, 1.0) for _, point in way]
            places = [
                (poses[model.index(body)] @ [*point, 1.0])[:3] for body, point in zip(bodies, points, strict=True)
            ]
            length = float(np.linalg.norm(np.diff(places, axis=0), axis=1).sum())
            found.append(Muscle(bodies, points, force, 0.7 * length, 0.3, 0.3 * length))
    return found
