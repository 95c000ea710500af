"""Strands that follow keyed motion: fixed ends, bits that repeat, rest shapes, closed forms, the step of scenes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from core.animation import Sequence
from core.dynamics import Body, Multibody, Scene, simulate
from core.dynamics.contact.world import Floor
from core.dynamics.deformable import Attachment, strand, with_deformables
from core.errors import DynamicsError
from core.formats import load
from core.joints import Revolute
from core.kinematics import forward_kinematics
from core.preview import PhysicsSettings, SecondaryMotion, Strand
from core.preview.secondary_motion import strands_of
from core.preview.strand_obstacles import StrandObstacles
from core.preview.strand_step import StrandStep
from core.skeleton import load_skeleton
from core.spatial import SpatialInertia

HAIR = Strand(
    "head",
    ((0, 0.2, -0.09), (0, 0.1, -0.14), (0, -0.15, -0.16)),
    links=6,
    mass=0.03,
    drag=2.0,
    collides=False,
    name="hair",
)
CORD = Strand(
    "left hand", ((0, 0, 0), (0, -0.3, 0)), links=8, mass=0.05, other="right hand", stretch=20.0, collides=False
)


@pytest.fixture
def walk(skeletons_folder: Path) -> Sequence:
    (path,) = (skeletons_folder / "library").rglob("walk.seq")
    return load(path).sequences[0]


@pytest.fixture
def nod(skeletons_folder: Path) -> Sequence:
    s = load_skeleton(skeletons_folder / "human.scr")
    sequence = Sequence(s)
    for frame, shift in ((0, 0.0), (20, 0.5), (40, 0.0)):
        q = s.rest_pose()
        q[0] += shift
        q[3:6] += 0.4 * shift
        sequence.set_key(frame, q)
    return sequence


def places(sequence: Sequence, frame: float, joint: str, points: np.ndarray) -> np.ndarray:
    X = forward_kinematics(sequence.skeleton, sequence.pose_at_frame(frame))[sequence.skeleton.joint_index(joint)]
    return points @ X[:3, :3].T + X[:3, 3]


def test_fixed_nodes_go_with_their_parts(nod: Sequence) -> None:
    motion = SecondaryMotion(nod, [HAIR, CORD])
    for frame in (0, 1, 12.5, 30):
        hair, cord = motion.at(frame)
        assert hair.shape == (7, 3) and cord.shape == (9, 3)
        at = [places(nod, frame, "head", np.asarray(HAIR.points)[:1])[0]]
        at += [places(nod, frame, each, np.zeros((1, 3)))[0] for each in ("left hand", "right hand")]
        # Halfway between two steps they are on the straight way.
        np.testing.assert_allclose([hair[0], cord[0], cord[-1]], at, atol=1e-4 if frame % 1 else 1e-12)


@pytest.mark.verify
def test_the_same_bits_whatever_was_asked_before(nod: Sequence) -> None:
    first, second = (SecondaryMotion(nod, [HAIR, CORD]) for _ in range(2))
    forward = [first.at(frame) for frame in (3, 17.3, 40)]
    backward = [second.at(frame) for frame in (40, 17.3, 3)][::-1]
    for a, b in zip(forward, backward, strict=True):
        assert all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))
    first.at(40)[0][:] = 0.0
    assert np.array_equal(first.at(40)[0], forward[2][0])


@pytest.mark.verify
def test_it_lags_behind_and_comes_to_rest(nod: Sequence) -> None:
    motion = SecondaryMotion(nod, [HAIR])
    tips = np.array([motion.at(frame)[0][-1] - motion.at(frame)[0][0] for frame in range(200)])
    assert np.abs(tips[10] - tips[0])[0] > 0.02
    assert np.abs(tips[-1] - tips[-10]).max() < 3e-3
    lengths = np.linalg.norm(np.diff([motion.at(frame)[0] for frame in range(60)], axis=1), axis=2)
    rest = np.linalg.norm(np.diff(HAIR.body().points, axis=0), axis=1)
    assert np.abs(lengths / rest - 1.0).max() < 0.1


@pytest.mark.verify
def test_a_cord_hangs_as_its_weight_stretches_it(nod: Sequence) -> None:
    cord = Strand("head", ((0, 0, -0.3), (0, -0.4, -0.3)), links=4, mass=0.2, stretch=30.0, bend=0.0)
    still = Sequence(nod.skeleton)
    still.set_key(0, nod.skeleton.rest_pose())
    (nodes,) = SecondaryMotion(still, [cord], PhysicsSettings(floor=None)).at(0)
    below = 9.81 * (0.2 - 0.05 * (np.arange(4) + 0.5))
    np.testing.assert_allclose(-np.diff(nodes[:, 1]), 0.1 * (1.0 + below / 30.0), rtol=1e-4)


@pytest.mark.verify
def test_a_strand_with_a_shape_keeps_it(nod: Sequence) -> None:
    still = Sequence(nod.skeleton)
    still.set_key(0, nod.skeleton.rest_pose())
    points = np.array([(0, 0.1, -0.1), (0, 0.15, -0.2), (0, 0.15, -0.4)])
    sag = []
    for shape in (0.0, 10.0, 100.0):
        tail = Strand("head", points, links=6, mass=0.1, shape=shape)
        (nodes,) = SecondaryMotion(still, [tail], PhysicsSettings(floor=None)).at(0)
        sag.append(places(still, 0, "head", points)[-1, 1] - nodes[-1, 1])
    assert sag[0] > 0.2 and sag[1] < 0.1
    assert sag[2] == pytest.approx(9.81 / 100.0**2, rel=0.1)


def test_its_step_is_the_linearly_implicit_one_of_scenes() -> None:
    rope = strand(
        "rope", [(0, 0, 0), (0.3, 0.1, 0), (0.8, 0, 0.2)], mass=0.3, stretch=200.0, bend=5.0, damping=0.02, links=7,
        attached={0: Attachment(-1, (0.0, 0.0, 0.0)), 7: Attachment(-1, (0.7, 0.0, 0.2))},
    )  # fmt: skip
    model = Multibody([Body("post", -1, Revolute((0, 0, 1)), inertia=SpatialInertia.sphere(1.0, 0.1))])
    made = with_deformables(model, [0.0], [rope])
    h, p, v = 1.0 / 120.0, made.nodes(0, made.x), np.zeros((8, 3))
    step = StrandStep(rope, h, model.gravity)
    for formulation in ("recursive", "redmax"):
        places, speeds = p, v
        motion = simulate(Scene(made.model, made.x, made.v, made.forces), 0.2, h, formulation=formulation)
        for row in motion.x[1:]:
            places, speeds = step.step(places, speeds, p[[0, 7]], p)
            np.testing.assert_allclose(places, made.nodes(0, row), atol=1e-9)


@pytest.mark.verify
def test_round_and_round_it_goes_without_a_jerk(walk: Sequence) -> None:
    assert walk.closes
    motion = SecondaryMotion(walk, [HAIR])
    first, last = walk.range
    back = walk.poses_at_frames([first, last])[:, :3]
    ends = motion.at(first)[0] - back[0], motion.at(last)[0] - back[1]
    assert np.abs(ends[0] - ends[1]).max() < 5e-4
    swing = [motion.at(frame)[0][-1] - motion.at(frame)[0][0] for frame in range(first, last + 1)]
    assert np.ptp(swing, axis=0).max() > 5e-3


@pytest.mark.verify
def test_nothing_is_below_the_floor(nod: Sequence) -> None:
    tail = Strand("left foot", ((0, 0, 0), (0, -0.4, 0)), links=8)
    motion = SecondaryMotion(nod, [tail], PhysicsSettings(floor=Floor(0.0)))
    assert min(motion.at(frame)[0][1:, 1].min() for frame in range(0, 40, 5)) >= tail.radius - 1e-9


@pytest.mark.verify
def test_hair_stays_out_of_the_figure(nod: Sequence) -> None:
    """A strand from above the head falls through it, unless that stops it."""
    inside = []
    for collides in (True, False):
        hung = Strand("head", ((0, 0.3, 0), (0, 0.3, 0.3)), links=10, stretch=400.0, collides=collides)
        motion = SecondaryMotion(nod, [hung], PhysicsSettings(floor=None))
        obstacles = StrandObstacles(nod.skeleton, np.full(11, hung.radius - 1e-6))
        found = 0
        for frame in (0, 10, 20, 30):
            X = forward_kinematics(nod.skeleton, nod.pose_at_frame(frame))
            found += int(obstacles.inside(motion.at(frame)[0], X[obstacles.joints])[1:].sum())
        inside.append(found)
    assert inside[0] == 0 and inside[1] > 4


@pytest.mark.verify
def test_shapes_push_the_shortest_way_out(nod: Sequence) -> None:
    s = nod.skeleton
    X = forward_kinematics(s, s.rest_pose())
    rng = np.random.default_rng(5)
    center = X[s.joint_index("chest"), :3, 3]
    p = center + [0.0, 0.1, 0.0] + 0.1 * rng.normal(size=(400, 3))
    obstacles = StrandObstacles(s, np.full(400, 0.01))
    frames = X[obstacles.joints]
    others = np.tile(obstacles.joints != s.joint_index("chest"), (400, 1))
    before = (obstacles.inside(p, frames) & ~others).any(axis=1)
    assert before.sum() > 50
    v = np.tile([0.0, -1.0, 0.0], (400, 1))
    out, slower = obstacles.outside(p, v, frames, frames, 0.01, others)
    assert not (obstacles.inside(out + 1e-9 * (out - p), frames) & ~others)[before].any()
    assert np.array_equal(out[~before], p[~before]) and np.array_equal(slower[~before], v[~before])
    assert (np.linalg.norm(slower, axis=1) <= 1.0 + 1e-12).all() and (np.abs(slower - v).max(axis=1) > 0).sum() > 20
    # A part that comes up under them takes them along.
    lower = frames.copy()
    lower[:, 1, 3] -= 0.02
    risen = obstacles.outside(p, np.zeros((400, 3)), frames, lower, 0.01, others)[1]
    assert risen[before, 1].max() > 1.0


@pytest.mark.verify
def test_poses_may_come_from_elsewhere(nod: Sequence) -> None:
    lying = nod.skeleton.rest_pose()
    lying[0] = 3.0
    motion = SecondaryMotion(nod, [HAIR], poses=lambda frames: np.tile(lying, (len(frames), 1)))
    assert motion.at(10)[0][0, 0] == pytest.approx(3.0, abs=1e-9)
    assert SecondaryMotion(nod, []).at(10) == ()


def test_a_document_records_them() -> None:
    tail = Strand("pelvis", ((0, 0, 0), (0, 0, -0.5)), links=5, shape=3.0, figure="cat", name="tail", anchor=(0, 1, 0))
    settings = PhysicsSettings(strands=(HAIR, CORD, tail))
    record = json.loads(json.dumps(settings.to_record()))
    back = PhysicsSettings.from_record(record)
    assert back.to_record() == record
    assert record["strands"][2] == {
        "part": "pelvis", "points": [[0, 0, 0], [0, 0, -0.5]], "links": 5, "shape": 3.0, "figure": "cat",
        "name": "tail", "anchor": [0, 1, 0],
    }  # fmt: skip
    assert [each.name for each in strands_of(back, "cat", False)] == ["tail"]
    assert [each.part for each in strands_of(back, "man", True)] == ["head", "left hand"]
    assert strands_of(back, "man", False) == ()


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (3, "strand is 3; it must be an object"),
        ({"part": "head"}, "strand has no points; it needs part, points"),
        ({"part": "head", "points": [[0, 0, 0]]}, "points has shape"),
        ({"part": "head", "points": [[0, 0, 0], [0, 0, 0]]}, "at one place"),
        ({"part": "head", "points": [[0, 0, 0], [0, 0, 1e9]]}, "within 1e6"),
        ({"part": "head", "points": "long"}, "points is 'long'"),
        ({"part": 3, "points": [[0, 0, 0], [0, 1, 0]]}, "part is 3"),
        ({"part": "head", "points": [[0, 0, 0], [0, 1, 0]], "links": 0}, "links is 0"),
        ({"part": "head", "points": [[0, 0, 0], [0, 1, 0]], "links": 10**6}, "links is 1000000"),
        ({"part": "head", "points": [[0, 0, 0], [0, 1, 0]], "mass": 0}, "mass 0 kg makes no sense"),
        ({"part": "head", "points": [[0, 0, 0], [0, 1, 0]], "shape": float("nan")}, "shape is nan"),
        ({"part": "head", "points": [[0, 0, 0], [0, 1, 0]], "other": 2}, "other is 2"),
        ({"part": "head", "points": [[0, 0, 0], [0, 1, 0]], "anchor": [0]}, "anchor has shape"),
        ({"part": "head", "points": [[0, 0, 0], [0, 1, 0]], "curl": 1}, "has a member 'curl'"),
    ],
)
def test_what_makes_no_sense_is_refused(record: object, message: str) -> None:
    with pytest.raises(DynamicsError) as refused:
        Strand.from_record(record)
    assert message in str(refused.value) and str(refused.value).startswith("strand")


def test_a_joint_that_is_not_there_is_named(nod: Sequence) -> None:
    with pytest.raises(DynamicsError, match='a strand hangs on "tail", which figure "human" does not have'):
        SecondaryMotion(nod, [Strand("tail", ((0, 0, 0), (0, 1, 0)))])
