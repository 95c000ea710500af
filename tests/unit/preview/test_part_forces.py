"""Springs and muscles of the settings act on the bodies of the simulation: at points of joints and of rigid bodies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from core.animation import Sequence
from core.dynamics.forces import Muscle, SpringDamper
from core.dynamics.state import State
from core.errors import DynamicsError
from core.formats.bundled import bundled_folder
from core.kinematics import forward_kinematics
from core.preview.line_nodes import Node, node_places, nodes_of, with_nodes
from core.preview.preview import Preview
from core.preview.rigid_bodies import PhysicsString, RigidBody
from core.preview.settings import PhysicsSettings
from core.skeleton import Skeleton, load_skeleton
from core.skeleton.figure_parts import figure_names, full_name, split_name

HAND = "left hand"


@pytest.fixture(scope="module")
def human() -> Skeleton:
    return load_skeleton(bundled_folder() / "human.scr")


def sequence_of(skeleton: Skeleton) -> Sequence:
    sequence = Sequence(skeleton, name="stands")
    sequence.set_key(0, skeleton.rest_pose())
    return sequence


def test_points_in_joints_and_bodies_are_where_the_views_have_them(human: Skeleton) -> None:
    ball = RigidBody("ball", (0.1,), 1.0, np.array([0.5, 2.0, 0.0]), rotation=np.array([0.0, 0.7, 0.0]), name="ball")
    parts = (HAND, "right toes", "ball", "world")
    points = [[0.01, 0.02, 0.03], [0.0, 0.01, 0.04], [0.0, 0.1, 0.0], [1.0, 2.0, 3.0]]
    force = SpringDamper(parts, points, 10.0, 0.5)
    preview = Preview(sequence_of(human), 0.0, PhysicsSettings(rigid_bodies=(ball,), forces=(force,)))
    stage = preview._stage
    (placed,) = stage.forces
    state = State(stage.model, *stage.stepper.state(), 0.0)
    frames = dict(zip(human.joint_names, forward_kinematics(human, human.rest_pose()), strict=True))
    wanted = node_places(nodes_of(force), frames | {"ball": ball.X_WB})
    assert_allclose(placed.path(state).points, wanted, atol=1e-9)
    assert_allclose(preview.samples[0].paths[0].points, wanted, atol=1e-9, err_msg="as a sample has them")


def test_keys_are_at_times_of_the_sequence(human: Skeleton) -> None:
    sequence = sequence_of(human)
    muscle = Muscle((HAND, "world"), [np.zeros(3), [0.0, 2.0, 0.0]], 10.0, 0.5, [(1.0, 0.0), (2.0, 0.8)])
    preview = Preview(sequence, 0.5 * sequence.fps, PhysicsSettings(forces=(muscle,)))
    assert preview._stage.forces[0].activation == ((0.5, 0.0), (1.5, 0.8))
    tension = preview.samples[0].paths[0].tension
    assert tension == pytest.approx(later_tension(sequence, muscle, 0.0), rel=1e-9), "a sample has them at its times"
    steady = Muscle((HAND, "world"), [np.zeros(3), [0.0, 2.0, 0.0]], 10.0, 0.5, 0.3)
    later = Preview(sequence, 0.5 * sequence.fps, PhysicsSettings(forces=(steady,)))
    assert later._stage.forces[0].activation == 0.3


def later_tension(sequence: Sequence, muscle: Muscle, activation: float) -> float:
    """Return the tension at the start of a muscle that is always as active."""
    settings = PhysicsSettings(forces=(replace(muscle, activation=activation),))
    return Preview(sequence, 0.0, settings).samples[0].paths[0].tension


def test_parts_of_other_figures_are_known_by_the_figures_name(human: Skeleton) -> None:
    sequence, other = sequence_of(human), sequence_of(human)
    name = human.name
    spring = SpringDamper((HAND, f"{name} 2: head"), np.zeros((2, 3)), 40.0, 0.0)
    string = PhysicsString(f"{name} 2: left hand", np.array([0.0, 2.0, 0.0]), 1.0, other=f"{name}: head")
    settings = PhysicsSettings(forces=(spring,), strings=(string,))
    preview = Preview(sequence, 0.0, settings, others=(other,))
    first, second = (actor.bodies for actor in preview._stage.actors)
    hand, head = preview._stage.forces[0].bodies
    assert first.start <= hand < first.stop and second.start <= head < second.stop
    # Which of them is simulated first makes no difference to what they are called.
    turned = Preview(other, 0.0, PhysicsSettings(forces=(spring,)), others=(sequence,), names=(f"{name} 2", name))
    assert turned._stage.forces[0].bodies[1] == head - second.start
    whole = sum(sum(State(actor.model, x, v, 0.0).energy()) for actor, (x, v) in zip(
        preview._stage.actors, preview._stage._begin_at, strict=True))  # fmt: skip
    assert preview.samples[0].energy_of_all == pytest.approx(whole)
    with pytest.raises(DynamicsError, match="biceps is fixed to"):
        Preview(sequence, 0.0, PhysicsSettings(forces=(replace(spring, name="biceps"),)))


def test_figures_of_one_name_have_numbers() -> None:
    assert figure_names(["Man", "Dog", "Man", "Man"]) == ("Man", "Dog", "Man 2", "Man 3")
    assert figure_names(["Man", "Man", "Man 2"]) == ("Man", "Man 3", "Man 2")
    assert split_name(full_name("Man: two", "left hand")) == ("Man: two", "left hand")
    assert split_name("left hand") == ("", "left hand")


def test_a_name_is_text() -> None:
    with pytest.raises(DynamicsError, match="the name of a spring and damper is 3; it must be text"):
        SpringDamper((HAND, "world"), np.zeros((2, 3)), 40.0, 0.0, name=3)  # type: ignore[arg-type]


def test_a_spring_between_a_hand_and_a_body_pulls_both(human: Skeleton) -> None:
    ball = RigidBody("ball", (0.1,), 2.0, np.array([0.5, 3.0, 0.0]), name="ball")
    spring = SpringDamper((HAND, "ball"), np.zeros((2, 3)), 40.0, 0.0)
    heights = []
    for forces in ((), (spring,)):
        preview = Preview(sequence_of(human), 0.0, PhysicsSettings(rigid_bodies=(ball,), forces=forces, gravity=0.0))
        preview.run(6.0)
        sample = preview.samples[-1]
        poses = forward_kinematics(human, sample.q)
        heights.append((poses[human.joint_index(HAND), 1, 3], sample.rigid_bodies[0][1, 3]))
    (hand, weight), (pulled, drawn) = heights
    assert pulled > hand + 0.02 and drawn < weight - 0.02


def test_a_part_that_is_not_there_is_named(human: Skeleton) -> None:
    spring = SpringDamper(("tail", "world"), np.zeros((2, 3)), 40.0, 0.0)
    with pytest.raises(DynamicsError, match='fixed to "tail", which is neither a joint of the figure nor a rigid body'):
        Preview(sequence_of(human), 0.0, PhysicsSettings(forces=(spring,)))


def test_nodes_of_strings_and_forces_are_exchanged() -> None:
    string = PhysicsString("hand", np.array([0.0, 2.0, 0.0]), 1.0)
    assert [node.part for node in nodes_of(string)] == ["hand", None]
    turned = with_nodes(string, [Node(None, np.ones(3)), Node("foot", np.zeros(3))])
    assert isinstance(turned, PhysicsString) and turned.part == "foot" and turned.other is None
    assert_allclose(turned.anchor, 1.0)
    both = with_nodes(string, [Node("hand", np.zeros(3)), Node("foot", np.ones(3))])
    assert isinstance(both, PhysicsString) and (both.part, both.other) == ("hand", "foot")
    with pytest.raises(DynamicsError, match="must be on a part or a body"):
        with_nodes(string, [Node(None, np.ones(3)), Node(None, np.zeros(3))])
    spring = SpringDamper(("hand", -1), [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]], 1.0, 0.0)
    assert [node.part for node in nodes_of(spring)] == ["hand", None]
    assert with_nodes(spring, nodes_of(spring)).bodies == ("hand", "world")  # type: ignore[union-attr]


def test_settings_with_forces_along_paths_come_back_from_a_file() -> None:
    settings = PhysicsSettings(
        forces=(
            SpringDamper(("hand", "world"), [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]], 5.0, 0.25, 0.5),
            Muscle(("a", "b", "c"), np.arange(9.0).reshape(3, 3), 7.0, 0.4, [(0.0, 0.0), (0.5, 1.0)], 0.1),
        )
    )
    again = PhysicsSettings.from_record(settings.to_record())
    assert again.to_record() == settings.to_record()
    spring, muscle = again.forces
    assert isinstance(spring, SpringDamper) and spring.bodies == ("hand", "world") and spring.stiffness == 5.0
    assert isinstance(muscle, Muscle) and muscle.activation == ((0.0, 0.0), (0.5, 1.0)) and len(muscle.bodies) == 3
