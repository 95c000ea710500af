"""Forces of the settings act in previews; a new one is a class, which no other file has to know."""

from __future__ import annotations

import json
from dataclasses import fields

import numpy as np
import pytest

from core.animation import Key, Sequence
from core.dynamics.contact.world import Floor
from core.dynamics.forces import (
    FORCES,
    BodyDamping,
    Derivatives,
    ElasticRope,
    Force,
    IntrinsicTorque,
    JointSpring,
    JointTorque,
    Load,
    SpringDamper,
)
from core.dynamics.multibody import Multibody
from core.dynamics.state import State
from core.errors import DynamicsError
from core.formats import bundled_folder
from core.kinematics.forward import forward_kinematics
from core.preview import PhysicsSettings, Preview
from core.skeleton import load_skeleton

MAN = load_skeleton(bundled_folder() / "stickman.scr")
MASS = Multibody.from_skeleton(MAN).mass


class Wind(Force):
    """Air that moves in gusts drags on all bodies: a force of this file's own."""

    label = "Wind"
    description = "Air that moves drags on all bodies."

    def __init__(self, drag: float, speed: float):
        self.drag, self.speed = drag, speed

    def check(self, model: Multibody) -> None:
        pass

    def add(self, state: State, load: Load) -> None:
        air = np.array([self.speed * (1.0 + np.sin(9.0 * state.t)), 0.0, 0.0])
        for R, twist, wrench in zip(state.poses[:, :3, :3], state.twists, load.wrenches, strict=True):
            wrench[3:] += self.drag * (R.T @ air - twist[3:])

    def differentiate(self, state: State, derivatives: Derivatives) -> None:
        for i in range(len(state.model.bodies)):
            derivatives.damp(i, i, np.diag([0.0, 0.0, 0.0, self.drag, self.drag, self.drag]))


def falling(*forces: Force, **settings: object) -> Preview:
    q = MAN.rest_pose()
    q[1] += 3.0
    sequence = Sequence(MAN, fps=30, keys=[Key(0, q)])
    return Preview(sequence, 0, PhysicsSettings(forces=forces, **settings))  # type: ignore[arg-type]


def test_wind_carries_a_figure_away() -> None:
    """Its centre of mass is as fast as the air lets it, in gusts, and falls no faster than drag allows."""
    still, blown = falling(floor=None), falling(Wind(50.0, 2.0), floor=None)
    still.run(45), blown.run(45)
    assert abs(still.samples[-1].velocity[0]) < 1e-9
    speeds = [sample.velocity[0] for sample in blown.samples[20:]]
    assert min(speeds) > -0.1 and 2.0 < max(speeds) < 4.0
    assert -blown.samples[-1].velocity[1] < 0.7 * -still.samples[-1].velocity[1]


def test_strong_drag_is_solved_for_at_the_end_of_a_step() -> None:
    """Explicit, it would turn velocities round thirty-fold a step."""
    preview = falling(*(BodyDamping(name, 1e4) for name in ("pelvis", "left hand")), floor=None)
    preview.run(20)
    assert all(np.abs(sample.velocity).max() < 0.1 for sample in preview.samples)


@pytest.mark.verify
def test_a_preview_with_forces_does_the_same_again_to_the_bit() -> None:
    """Time goes on for them after a ball is dropped and the whole figure thrown, and where a preview resumes."""
    preview = falling(Wind(20.0, 1.0), floor=Floor())
    preview.run(10)
    preview.throw(None, (0.0, 0.5, 0.0))
    preview.drop_ball((2.0, 1.0, 0.0))
    preview.run(20)
    assert np.ptp([sample.velocity[0] for sample in preview.samples[10:]]) > 0.01
    whole = falling(Wind(20.0, 1.0), floor=Floor())
    whole.run(20)
    first = [sample.q.tobytes() for sample in whole.samples]
    whole.rewind()
    whole.run(20)
    assert [sample.q.tobytes() for sample in whole.samples] == first
    whole.rewind(10)
    whole.run(20)
    np.testing.assert_allclose([sample.q for sample in whole.samples][-1], np.frombuffer(first[-1]), atol=1e-3)


def test_a_sample_shows_how_springs_and_muscles_stand() -> None:
    """Points on their parts, and the tension, which is that of the law at the length between them."""
    spring = SpringDamper(("left hand", "world"), ((0, -0.05, 0), (0.3, 6.0, 0)), 100.0, 0.5)
    rope = ElasticRope(("left hand", "torso", "right hand"), ((0, 0, 0), (0, 0, 0.2), (0, 0, 0)), 500.0, 0.6, 3.0)
    preview = falling(JointSpring("left hand", 1.0), spring, rope)
    preview.run(10)
    for sample in (preview.samples[0], preview.samples[-1]):
        first, second = sample.paths
        assert first.points.shape == (2, 3) and second.points.shape == (3, 3)
        hand = MAN.joint_index("left hand")
        np.testing.assert_allclose(second.points[0], forward_kinematics(MAN, sample.q)[hand, :3, 3], atol=1e-9)
        length = np.linalg.norm(first.points[1] - first.points[0])
        assert first.tension == pytest.approx(100.0 * (length - 0.5))
    preview.rewind()
    assert not falling(JointSpring("left hand", 1.0)).samples[0].paths


@pytest.mark.sampled(4)
@pytest.mark.parametrize("kind", [kind for kind in FORCES if kind not in (IntrinsicTorque, JointTorque)])
def test_a_file_may_list_forces_and_they_act_the_same(kind: type[Force]) -> None:
    values = {
        "body": "left hand", "joint": "left hand", "damping": 3.0, "stiffness": 30.0, "rest": 0.3, "point": (0, 0.1, 0),
        "direction": (1, 0, 0), "force": (20, 0, 0), "hardening": 4.0, "other": "right hand",
        "bodies": ("left hand", "head"), "points": ((0, 0, 0), (0, 0.1, 0)), "rest_length": 0.2,
        "optimal_force": 300.0, "optimal_length": 0.5, "activation": [(0.0, 0.2), (1.0, 0.6)], "tendon_length": 0.1,
        "fastest": 10.0, "name": "biceps",
    }  # fmt: skip
    force = kind(**{field.name: values[field.name] for field in fields(kind)})
    given = PhysicsSettings(floor=None, forces=(force, Wind(1.0, 1.0), JointTorque("left hand", lambda t: t)))
    record = json.loads(json.dumps(given.to_record()))
    assert [each["kind"] for each in record["forces"]] == [kind.__name__]  # what no file can hold is left out
    read = PhysicsSettings.from_record(record)
    assert read.to_record() == record
    poses = []
    for forces in ((force,), read.forces, ()):
        preview = falling(*forces, floor=None)
        preview.throw("left hand", (0.0, 0.0, 1.0))
        poses.append(preview.run(5)[-1].q)
    np.testing.assert_array_equal(poses[0], poses[1])
    assert np.abs(poses[0] - poses[2]).max() > 1e-4


def test_what_is_no_force_is_refused() -> None:
    with pytest.raises(DynamicsError, match="among the forces is 3"):
        falling(3)  # type: ignore[arg-type]
    with pytest.raises(DynamicsError, match="there is no body"):
        falling(BodyDamping("tail", 1.0))
