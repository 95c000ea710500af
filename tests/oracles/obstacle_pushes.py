"""The criterion that keeps a chain clear of obstacles, point by point: an oracle for its kernel."""

from __future__ import annotations

import numpy as np

from core.ik.criteria import Posture, Solid
from core.ik.criteria.obstacles import INFLUENCE
from core.ik.criteria.obstacles_kernel import SAMPLES
from core.skeleton.segment import segment_capsule


def obstacle_value(
    posture: Posture, balls: list[tuple[np.ndarray, float]], solids: list[Solid]
) -> tuple[float, np.ndarray]:
    """Return value and gradient, shape (K,), of ``core.ik.criteria.obstacles.Obstacles``."""
    s, value, gradient = posture.skeleton, 0.0, np.zeros(len(posture.dofs))

    def push(joint: int, point: np.ndarray, way: np.ndarray, missing: float, share: float) -> None:
        nonlocal value, gradient
        value += 0.5 * share * missing**2
        gradient -= share * missing * way @ posture.jacobian(joint, point)[:3] / posture.size

    for joint in posture.joints:
        capsule = segment_capsule(s, joint)
        if not (s.joints[joint].has_body or np.any(capsule.end)):
            continue
        X, line = posture.frames[joint], capsule.end - capsule.start

        for center, radius in balls:
            way = X[:3, :3] @ line
            at = X[:3, :3] @ capsule.start + X[:3, 3]
            exact = (center - at) @ way / max(float(way @ way), 1e-300)
            along = np.clip(exact, 0.0, 1.0)
            off = at + along * way - center
            distance = float(np.linalg.norm(off))
            missing = INFLUENCE - (distance - capsule.radius - radius) / posture.size
            if missing > 0.0:
                push(joint, capsule.start + along * line, off / distance, missing, 1.0)
        for solid in solids:
            for share in np.linspace(0.0, 1.0, SAMPLES):
                point = capsule.start + share * line
                outside = solid.normals @ (X[:3, :3] @ point + X[:3, 3]) - solid.offsets
                missing = solid.influence - (float(outside.max()) - capsule.radius) / posture.size
                if missing > 0.0:
                    push(joint, point, solid.normals[int(outside.argmax())], missing, 1.0 / SAMPLES)
    return value, gradient
