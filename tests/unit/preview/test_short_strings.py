"""Strings that are shorter at the start than their ends are apart draw these together calmly."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.dynamics.engine.settings import StepSettings
from core.formats import load
from core.kinematics import forward_kinematics
from core.preview.preview import Preview
from core.preview.rigid_bodies import PhysicsString
from core.preview.settings import PhysicsSettings

SHORT = 0.24
"""By how much a string is too short, [m]."""
SLACK = 2e-3
"""How much farther apart than its length the ends of a string may be, [m]."""
MASS = 6.4 + 2.4 + 2.3
"""Of the three bodies, [kg]."""
TIES = [
    ("first", (0.0, 0.0, 0.0), (0.0, 1.6, 0.0)),
    ("first", (0.2, 0.1, 0.15), (0.0, 1.6, 0.0)),  # at a corner, so that it turns as well
    ("second", (0.2, 0.0, 0.0), (0.3, 2.6, -0.5)),
    ("third", (0.305, 0.1, 0.05), (2.0, 0.7, 1.0)),
]
"""Parts, points in them, and the places in the world that strings tie these to."""


@pytest.mark.parametrize("turning", [False, True], ids=["at rest", "turning"])
@pytest.mark.parametrize(("part", "point", "anchor"), TIES)
def test_a_string_that_is_too_short_draws_its_ends_together_calmly(
    skeletons_folder: Path, part: str, point: tuple, anchor: tuple, turning: bool
) -> None:
    project = load(skeletons_folder / "scenes" / "three bodies.seq")
    (sequence,), (figure,) = project.sequences, project.figures
    joint = figure.joint_index(part)

    def apart(q: np.ndarray) -> float:
        X = forward_kinematics(figure, q)[joint]
        return float(np.linalg.norm(X[:3, :3] @ point + X[:3, 3] - anchor))

    settings = PhysicsSettings.from_record(project.physics)
    assert settings.gravity == 0.0 and settings.floor is None
    length = apart(sequence.pose_at_frame(0)) - SHORT
    string = PhysicsString(part, np.array(anchor), length, point=np.array(point))
    rates = settings.start_rates if turning else None
    preview = Preview(sequence, 0, replace(settings, strings=(string,), start_rates=rates))
    while preview.samples[-1].time < 1.0:
        preview.advance()
    samples = preview.samples
    # Seen from one who walks along with the tied end a tow adds nothing to the kinetic energy, M v^2 / 2 at first: then
    # nothing can move faster on the whole than by 2 v.
    most = (np.sqrt(samples[0].kinetic) + np.sqrt(2.0 * MASS) * StepSettings().push_most) ** 2
    assert max(sample.kinetic for sample in samples) < most
    too_far = np.array([apart(sample.q) - length for sample in samples])
    assert too_far[0] == pytest.approx(SHORT)
    closed = int(np.argmax(too_far < SLACK))
    assert too_far[closed] < SLACK and 0.1 < samples[closed].time < 1.0
    assert too_far[closed:].max() < SLACK
