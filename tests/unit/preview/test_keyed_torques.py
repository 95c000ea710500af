"""Torques keyed over time: curves and their records, what strips do with them, and what they do to bodies."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from core.animation import Key, Sequence
from core.animation import hybrid_strips as hybrids
from core.animation.hybrid_strips import HybridStrip, hybrid_from_json, hybrid_to_json
from core.animation.torque_curves import TorqueCurve
from core.errors import SequenceError
from core.formats import Project, bundled_folder, load, save
from core.preview.preview import Preview
from core.preview.settings import PhysicsSettings
from core.skeleton import Dof, Joint, Skeleton, load_skeleton
from core.skeleton.dof import HINGE
from core.skeleton.mirroring.pose_mirror import pose_mirror

MAN = load_skeleton(bundled_folder() / "stickman.scr")
FREE = (-np.inf, np.inf)
INERTIA = np.diag([0.02, 0.03, 0.04])
PUSH = ((0.0, 0.0), (6.0, 0.3), (12.0, 0.0))


def wheel(axes: str) -> Skeleton:
    """Return a heavy body that stays in its place, with another one that turns about its own centre on hinges."""
    dofs = tuple(Dof(HINGE, np.eye(3)["xyz".index(axis)], *FREE) for axis in axes)
    base = Joint("base", -1, mass=1.0, center=np.zeros(3), inertia=np.eye(3))
    part = Joint("part", 0, dofs=dofs, mass=1.0, center=np.zeros(3), inertia=INERTIA)
    return Skeleton("wheel", [base, part])


def turned(axes: str, dof: int, integrator: str) -> tuple[Preview, int]:
    """Return a simulation in which a torque acts on the part from frame 4 on, and the torque's place in the pose."""
    s = wheel(axes)
    sequence = Sequence(s, keys=[Key(0, s.rest_pose()), Key(30, s.rest_pose())])
    sequence.hybrid_strips = [HybridStrip(("part",), 4, torques=(TorqueCurve("part", dof, PUSH),))]
    settings = PhysicsSettings(gravity=0.0, floor=None, integrator=integrator)
    return Preview(sequence, 2, settings), 3 + dof


@pytest.mark.sampled(1)
@pytest.mark.parametrize("integrator", ["contact", "rk4"])
@pytest.mark.parametrize(("axes", "dof"), [("x", 0), ("yxz", 0), ("yxz", 1)])
def test_a_torque_turns_a_part_as_its_impulse_says(axes, dof, integrator):
    preview, place = turned(axes, dof, integrator)
    samples = preview.run(20)
    axis = "xyz".index(axes[dof])
    impulse = 2.0 / 3.0 * 0.3 * 12.0 / 30.0  # through three keys the cubics are one parabola
    np.testing.assert_allclose(samples[-1].rates[place], impulse / INERTIA[axis, axis], rtol=1e-4)
    assert next(sample.frame for sample in samples if np.abs(sample.rates).max() > 1e-9) > 4.0
    others = np.delete(samples[-1].q, place)
    np.testing.assert_allclose(others, np.delete(samples[0].q, place), atol=1e-9)


def test_curves_go_through_their_keys_and_not_beyond():
    curve = TorqueCurve("arm", 0, ((2, -1), (4, 5), (9, 5), (12, 0.5)))
    assert [curve.at(frame) for frame in (-3, 2, 4, 9, 12, 99)] == [-1.0, -1.0, 5.0, 5.0, 0.5, 0.5]
    between = np.array([curve.at(frame) for frame in np.linspace(2, 4, 50)])
    assert (np.diff(between) > 0).all() and curve.at(6.3) == pytest.approx(5.0)
    assert curve.with_key(3, 7.0).at(3) == 7.0 and curve.with_key(4, 1.0).keys[1] == (4, 1.0)
    assert curve.without_key(4).keys == ((2, -1), (9, 5), (12, 0.5))
    assert TorqueCurve("arm", 0, ((0, 2),)).without_key(0) is None and TorqueCurve("arm", 0, ((0, 2),)).at(5) == 2.0


@pytest.mark.parametrize(
    ("torques", "message"),
    [
        (3, "torques are 3; they must be torque curves"),
        ([3], "torque curve 3: it must be an object with joint, dof and keys"),
        ([{"joint": "left arm", "dof": -1, "keys": [[0, 1]]}], "dof is -1; it must be a whole number"),
        ([{"joint": "left arm", "dof": 0, "keys": []}], 'torque of joint "left arm" has no keys'),
        ([{"joint": "left arm", "dof": 0, "keys": [[1, 2], [1, 3]]}], "the key at 1 follows one at 1"),
        ([{"joint": "left arm", "dof": 0, "keys": [[1, "x"]]}], "torque is 'x'; it must be a finite number"),
        ([{"joint": "left arm", "dof": 0, "keys": [[1]]}], "(1,) is no key"),
        ([{"joint": "left arm", "dof": 0, "keys": [[0, 1e9]]}], "is out of range"),
        ([{"joint": "head", "dof": 0, "keys": [[0, 1]]}], 'torque of joint "head", which the strip does not move'),
        ([TorqueCurve("left arm", 0, PUSH)] * 2, 'two torque curves of joint "left arm", dof 0'),
    ],
)
def test_what_makes_no_sense_is_reported_in_one_line(torques, message):
    with pytest.raises(SequenceError, match=re.escape(message)) as caught:
        HybridStrip(("left arm",), 0, torques=torques)
    assert "\n" not in str(caught.value)


def test_a_figure_must_have_the_degree_of_freedom():
    sequence = Sequence(MAN, keys=[Key(0, MAN.rest_pose())])
    with pytest.raises(SequenceError, match='joint "left arm" has no degree of freedom 9 for a torque'):
        sequence.hybrid_strips = [HybridStrip(("left arm",), 0, torques=(TorqueCurve("left arm", 9, PUSH),))]


def test_records_and_files_keep_them(tmp_path):
    strip = HybridStrip(("left arm",), 3, 20, torques=(TorqueCurve("left arm", 0, PUSH),), id="a")
    assert hybrid_from_json(json.loads(json.dumps(hybrid_to_json(strip)))) == strip
    assert "torques" not in hybrid_to_json(replace(strip, torques=()))
    sequence = Sequence(MAN, keys=[Key(0, MAN.rest_pose())])
    sequence.hybrid_strips = [strip]
    save(Project([MAN], [sequence]), tmp_path / "torque.seq")
    assert load(tmp_path / "torque.seq").sequences[0].hybrid_strips == (strip,)


def test_torques_stay_at_their_frames_where_strips_are_cut_and_follow_where_they_are_moved():
    strip = HybridStrip((), 10, 40, torques=(TorqueCurve("left arm", 0, PUSH),))

    def at(made: HybridStrip, frame: float) -> float:
        return made.torques[0].at(frame - made.start)

    first, second = hybrids.split(strip, 14)
    (cut,) = hybrids.cut_out((strip,), 13, 30)
    before, after = hybrids.without_range((strip,), 12, 15)
    for frame in (14.0, 16.5, 21.0):
        assert at(first, frame) == at(second, frame) == at(cut, frame - 13) == at(after, frame) == at(strip, frame)
    assert before.torques == strip.torques
    assert at(hybrids.moved_copy(strip, 50), 56) == 0.3
    (slow,) = hybrids.rescaled((strip,), 2.0)
    assert at(slow, 32) == 0.3
    assert hybrids.with_parts(strip, ("head",)).torques == ()
    assert hybrids.renamed((strip,), {"left arm": None})[0].torques == ()
    assert hybrids.renamed((strip,), {"left arm": "wing"})[0].torques[0].joint == "wing"


def test_a_mirrored_torque_does_on_the_other_side_what_it_did():
    joint, settings = MAN.joint_index("left arm"), PhysicsSettings(gravity=0.0, floor=None)
    torques = tuple(TorqueCurve("left arm", dof, PUSH) for dof in range(len(MAN.joints[joint].dofs)))
    sequence = Sequence(MAN, keys=[Key(0, MAN.rest_pose()), Key(20, MAN.rest_pose())])
    sequence.hybrid_strips = [HybridStrip(("left arm", "left hand"), 0, torques=torques)]
    sides = pose_mirror(MAN).counterparts
    names = {MAN.joint_names[joint]: MAN.joint_names[other] for joint, other in enumerate(sides)}
    mirrored = hybrids.mirrored(sequence.hybrid_strips, MAN, names)
    assert mirrored[0].parts == ("right arm", "right hand")
    ends = [Preview(sequence, 0, settings, strips=strips).run(6)[-1].q for strips in (None, mirrored)]
    assert np.abs(ends[0] - MAN.rest_pose()).max() > 0.05
    np.testing.assert_allclose(pose_mirror(MAN).convert(ends[0]), ends[1], atol=1e-6)
