"""Poses in a mirror: parts of one side stand where those of the other did, reflected."""

import numpy as np
import pytest

from core.formats.bundled import bundled_path
from core.kinematics import forward_kinematics
from core.skeleton import read_scr
from core.skeleton.mirroring.pose_mirror import pose_mirror


@pytest.mark.parametrize("name", ["human", "horse", "spider", "bird"])
def test_the_mirrored_pose_is_the_reflection_of_the_figure(name):
    path = bundled_path(f"skeletons:{name}.scr")
    figure = read_scr(path.read_text(), path.name, path.parent, path)
    mirror = pose_mirror(figure)
    random = np.random.default_rng(3)
    q = random.normal(0.0, 0.4, (3, figure.nq))
    mirrored = mirror.convert(q)
    reflection = np.diag([-1.0, 1.0, 1.0])
    for before, after in zip(forward_kinematics(figure, q), forward_kinematics(figure, mirrored), strict=True):
        for joint, other in enumerate(mirror.counterparts):
            assert np.allclose(after[other][:3, 3], reflection @ before[joint][:3, 3], atol=1e-12)
            turned = reflection @ before[joint][:3, :3] @ reflection
            assert np.allclose(after[other][:3, :3], turned, atol=1e-12)
    assert mirror.exact and mirror.counterparts != tuple(range(len(figure.joints)))
    assert mirror.convert(mirrored).tobytes() == q.tobytes()
