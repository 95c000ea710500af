"""Props in simulations: held by who falls they fall with him, let go they fly on, and figures run into each other."""

from __future__ import annotations

import numpy as np
import pytest

from core.animation import LockStrip, Sequence
from core.animation.ensemble import link
from core.animation.hybrid_strips import HybridStrip
from core.constraints import Lock, bind
from core.formats import bundled_folder
from core.kinematics import forward_kinematics
from core.preview import Preview
from core.skeleton import load_skeleton
from core.skeleton.building import props
from core.skeleton.segment import end_effector

SLIPS = 0.01
"""How far a hand may slip on what it holds while it falls, [m]."""


def carrying(end: int | None = None) -> tuple[Sequence, Sequence]:
    """A man who lifts a box with both hands in ten frames, and the box; ``end`` is when he lets go."""
    s, box = load_skeleton(bundled_folder() / "human.scr"), props.box((0.3, 0.25, 0.3))
    man, thing = Sequence(s, 30, "human"), Sequence(box, 30, "box")
    q = s.rest_pose()
    for side in ("left", "right"):
        for joint, angle in (("upper arm", 0.5), ("forearm", 1.3)):
            dof = s.first_dof[s.joint_index(f"{side} {joint}")]
            q[3 + dof] = angle * (1 if s.limits[dof, 1] > -s.limits[dof, 0] else -1)
    hands = [s.joint_index(f"{side} hand") for side in ("left", "right")]
    b = box.rest_pose()
    b[:3] = forward_kinematics(s, q)[hands, :3, 3].mean(axis=0) - box.joints[0].offset
    grips = [
        bind(Lock(hand, "carry", end_effector(s, hand), other=("box", "box", (0, 0, 0)), mutual=True), s, q,
             {"box": (box, b)})
        for hand in ("left hand", "right hand")
    ]  # fmt: skip
    man.locks.strips = [LockStrip(grip, 0, end) for grip in grips]
    for frame in (0, 10):
        man.set_key(frame, q + np.eye(s.nq)[2] * 0.04 * frame)
        thing.set_key(frame, b + np.eye(6)[2] * 0.04 * frame)
    link({"human": man, "box": thing})
    return man, thing


def test_who_falls_takes_along_what_he_holds() -> None:
    man, box = carrying()
    preview = Preview(man, 0.0, others=[box])
    preview.run(16)
    s = man.skeleton
    for sample in preview.samples[::4]:
        X, B = forward_kinematics(s, sample.q), forward_kinematics(box.skeleton, sample.others[0])[0]
        for strip in man.locks.strips:
            hand = X[s.joint_index(strip.lock.joint)]
            on_it = B[:3, :3] @ strip.lock.target[:3, 3] + B[:3, 3]
            assert np.linalg.norm(hand[:3, :3] @ strip.lock.point + hand[:3, 3] - on_it) < SLIPS
    assert preview.samples[-1].others[0][1] < preview.samples[0].others[0][1] - 0.5  # not hanging in the air
    assert not box.hybrid_strips  # the sequence is as it was


@pytest.mark.verify
def test_what_is_let_go_flies_on_as_the_hand_moved() -> None:
    man, box = carrying(end=10)
    box.hybrid_strips = [HybridStrip((), 10)]
    came = np.diff(box.poses_at_frames([9.99, 10.0])[:, :3], axis=0)[0] * 30 / 0.01
    preview = Preview(box, 10.0, others=[man])
    preview.run(12)
    first, second = (sample.q[:3] for sample in preview.samples[:2])
    away = (second - first) / preview.tick
    assert np.allclose(away[[0, 2]], came[[0, 2]], atol=0.05) and came[2] > 1.0
    assert abs(away[1] - came[1]) < 0.3  # it has begun to fall


@pytest.mark.verify
def test_two_figures_run_into_each_other() -> None:
    sequences = []
    for name, z in (("human", 0.0), ("woman", 0.4)):
        each = Sequence(load_skeleton(bundled_folder() / f"{name}.scr"), 30, name)
        q = each.skeleton.rest_pose()
        q[2] = z
        each.set_key(0, q)
        each.hybrid_strips = [HybridStrip((), 0)]
        sequences.append(each)
    man, woman = sequences
    together, alone = Preview(man, 0.0, others=[woman]), Preview(man, 0.0)
    for each in (together, alone):
        each.throw(None, (0.0, 0.0, 2.0))
        each.run(12)
    away = [sample.q[2] for sample in (together.samples[-1], alone.samples[-1])]
    assert away[0] < away[1] - 0.1  # she is in his way
    assert together.samples[-1].others[0][2] > 0.4 + 0.1  # and is pushed along


@pytest.mark.verify
def test_hands_that_reach_into_what_they_hold_do_not_push_it_off() -> None:
    man, box = carrying(end=10)
    wide = Sequence(props.box((0.46, 0.15, 0.1)), 30, "box")  # palms and wrists are inside
    for key in box.keys:
        wide.set_key(key.frame, key.q)
    wide.hybrid_strips = [HybridStrip((), 10)]
    link({"human": man, "box": wide})
    inside = {each.second.strip('"') for each in Preview(wide, 10.0, others=[man]).overlaps}
    assert inside == {"human 1: left forearm", "human 1: right forearm"}
