"""What a pose has below the floor: which parts, how deep, and how it is said."""

from __future__ import annotations

import numpy as np
import pytest

from app.words.floor_words import floor_text
from core.constraints.soles import part_vertices
from core.dynamics.contact.world import Floor
from core.kinematics import forward_kinematics
from core.posing.floor import DEEP, parts_below_floor
from core.skeleton import Skeleton, load_skeleton


@pytest.fixture(scope="module")
def human(skeletons_folder) -> Skeleton:
    return load_skeleton(skeletons_folder / "human.scr")


@pytest.mark.parametrize("name", ["human", "woman", "stickman", "horse", "hand", "robot", "spider", "bird"])
def test_no_figure_is_below_the_floor_at_rest(skeletons_folder, name):
    figure = load_skeleton(skeletons_folder / f"{name}.scr")
    assert parts_below_floor(figure, figure.rest_pose()) == ()


def test_every_part_below_is_found_as_deep_as_its_mesh_is(human):
    rng = np.random.default_rng(3)
    low, high = np.clip(human.limits, -1.0, 1.0).T
    for _ in range(12):
        q = human.rest_pose()
        q[3:] = rng.uniform(low, high)
        q[1] -= rng.uniform(0.0, 0.6)
        X = forward_kinematics(human, q)
        lowest = np.array([part_vertices(human, i, X)[:, 1].min() for i in range(len(human.joints))])
        found = dict(parts_below_floor(human, q))
        # Skin bends with its neighbours, which the points around a part do not.
        assert {i for i in np.flatnonzero(lowest < -DEEP - 0.01).tolist()} <= set(found)
        assert set(found) <= {i for i in np.flatnonzero(lowest < -DEEP + 0.01).tolist()}
        feet = [human.joint_index(f"{side} foot") for side in ("left", "right")]
        assert all(found[i] == pytest.approx(-lowest[i], abs=1e-2) for i in feet if i in found)


def test_foot_and_toes_are_one_and_both_feet_are_named(human):
    q = human.rest_pose()
    q[1] -= 0.03
    text = floor_text(human, parts_below_floor(human, q))
    assert text.endswith("3.0 cm below the floor") and text.count("left") + text.count("Left") == 1
    assert "right" in text.lower() and " and " in text
    one = human.rest_pose()
    one[3 + human.first_dof[human.joint_index("left foot")]] = np.radians(40.0)
    text = floor_text(human, parts_below_floor(human, one))
    assert text.startswith("Left ") and " and " not in text
    q[1] -= 0.8
    assert "more parts" in floor_text(human, parts_below_floor(human, q))
    assert floor_text(human, ()) == ""


def test_the_floor_is_the_one_that_is_set(human):
    q = human.rest_pose()
    assert parts_below_floor(human, q, Floor(height=-0.1)) == ()
    assert parts_below_floor(human, q, Floor(height=0.05))[0].depth == pytest.approx(0.05, abs=1e-3)
    sloped = parts_below_floor(human, q, Floor(normal=np.array([0.3, 1.0, 0.0])))
    sides = {human.joints[part.joint].name.split()[0] for part in sloped}
    assert len(sides) == 1  # one foot is uphill of the middle, the other one is not
