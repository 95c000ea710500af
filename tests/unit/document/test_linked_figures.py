"""Figures of a document whose locks name each other: played and posed they are the same, and edits reach everybody."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from app.document.content.model import Active, Model
from app.document.content.records import Figure
from core.animation import LockStrip, Sequence
from core.constraints import Lock, bind, lock_residuals
from core.formats import bundled_folder
from core.kinematics import forward_kinematics
from core.skeleton import load_skeleton

HELD = 1e-6


def sequence(name: str, z: float, turn: float, fps: float = 30.0) -> Sequence:
    s = load_skeleton(bundled_folder() / f"{name}.scr")
    made = Sequence(s, fps, name)
    for frame in (0, 30):
        q = s.rest_pose()
        q[2], q[3] = z + 0.001 * frame, q[3] + turn
        for side in ("left", "right"):
            for joint, angle in (("upper arm", 0.3), ("forearm", 1.0)):
                dof = s.first_dof[s.joint_index(f"{side} {joint}")]
                q[3 + dof] = angle * (1 if s.limits[dof, 1] > -s.limits[dof, 0] else -1)
        made.set_key(frame, q)
    return made


@pytest.fixture
def model() -> Model:
    made = Model()
    made.sequences = [sequence("human", 0.0, 0.0), sequence("woman", 0.5, np.pi)]
    made.figures = [Figure(each.skeleton) for each in made.sequences]
    made.active = Active(0, (0, 1))
    made.forget_poses()
    return made


def hands(model: Model, man: np.ndarray, woman: np.ndarray) -> float:
    """How far his left hand and her right hand are apart, [m]."""
    pairs = zip(model.sequences, (man, woman), ("left hand", "right hand"), strict=True)
    places = [forward_kinematics(s.skeleton, q)[s.skeleton.joint_index(joint), :3, 3] for s, q, joint in pairs]
    return float(np.linalg.norm(places[0] - places[1]))


def tie(model: Model) -> Lock:
    lock = Lock("left hand", "point_pair", (0, 0, 0), (0, 0, 0), ("woman", "right hand", (0, 0, 0)), mutual=True)
    model.put_strips(0, [LockStrip(lock, 0)])
    return lock


def test_figures_know_each_other_only_while_a_lock_ties_them(model: Model) -> None:
    assert all(each.ensemble is None for each in model.sequences)
    tie(model)
    first = model.sequences[0].ensemble
    assert first is not None and first is model.sequences[1].ensemble and first.names == ("human", "woman")
    model.forget_poses()
    assert model.sequences[0].ensemble is first  # and what it has worked out stays
    model.put_strips(0, [])
    assert all(each.ensemble is None for each in model.sequences)


@pytest.mark.verify
def test_played_and_posed_the_others_are_the_same(model: Model) -> None:
    lock = tie(model)
    for frame in (0, 7, 30):
        own = model.keyed_pose(frame)
        other = model.other_figures([lock], frame)["woman"][1]
        assert hands(model, own, other) <= HELD
        assert np.array_equal(other, model.sequences[1].pose_at_frame(frame))
    assert not np.array_equal(model.keyed_pose(7), model.sequences[0].interpolated_at_frames([7])[0])


def test_an_edit_of_the_one_moves_the_other(model: Model) -> None:
    lock = tie(model)
    before = model.keyed_pose(10)
    key = model.sequences[1].keys.at(0)
    q = key.q.copy()
    q[1] += 0.03
    model.put_keys(1, {0: replace(key, q=q)})
    after = model.keyed_pose(10)
    assert not np.array_equal(before, after)
    assert hands(model, after, model.other_figures([lock], 10)["woman"][1]) <= HELD


@pytest.mark.verify
def test_figures_of_other_rates_meet_at_a_time(model: Model) -> None:
    model.sequences[1] = sequence("woman", 0.5, np.pi, 60.0)
    model.sequences[1].set_range(0, 60)
    model.figures[1] = Figure(model.sequences[1].skeleton)
    lock = tie(model)
    assert hands(model, model.keyed_pose(12), model.other_figures([lock], 12)["woman"][1]) <= HELD


def test_a_figure_with_another_root_takes_what_is_carried_by_it_along(model: Model) -> None:
    old = model.sequences[0].skeleton
    man, woman = (each.pose_at_frame(0) for each in model.sequences)
    lock = bind(
        Lock("head", "carry", other=("human", "left thigh", (0, 0.05, 0))), model.sequences[1].skeleton, woman,
        {"human": (old, man)},
    )  # fmt: skip
    model.put_strips(1, [LockStrip(lock, 0)])
    new = old.rerooted("left foot")
    model.replace_figure(0, Figure(new), {0: ()}, {0: {}})
    there = model.sequences[1].locks.strips[0].lock
    assert not np.array_equal(there.other[2], lock.other[2])
    left = lock_residuals(model.sequences[1].skeleton, woman, [there], {"human": (new, new.convert(man))})
    assert left.residuals.max() < 1e-9
