"""Why a dragged part is not at its goal, said without flicker."""

from __future__ import annotations

import numpy as np
import pytest

from app.words.hindrance import UNHINDERED, explained, named, stopped_by, value_text
from app.words.lengths import distance_text
from app.words.part_names import spoken_name
from core.formats.bundled import bundled_folder
from core.ik import Result
from core.ik.reach import chain_reach
from core.kinematics import drag_chain
from core.posing.hindrance import HindranceWatch, stop_at
from core.skeleton import load_skeleton
from core.skeleton.segment import end_effector


@pytest.fixture(scope="module")
def human():
    return load_skeleton(bundled_folder() / "human.scr")


@pytest.fixture
def watch(human):
    hand = human.joint_index("right hand")
    point = end_effector(human, hand)
    reach = chain_reach(human, human.rest_pose(), hand, point, drag_chain(human, hand).base)
    return HindranceWatch(human, hand, point, reach)


def explanation(watch, human, away=0.0, converged=False, nudge=True, q=None, **found):
    """Return what is said of a solve that ends with its effector ``away`` [reach] from a goal."""
    pose = human.rest_pose() if q is None else q
    goal = watch.reach.center + watch.reach.outer * np.array([0.8, 0.0, 0.0])
    effector = goal - np.array([away * watch.reach.outer, 0.0, 0.0])
    found = watch.look(Result(pose, away, 1, converged, **found), goal, effector)
    return explained(human, found, human.joint_index("right hand"), nudge)


def test_words():
    assert [distance_text(v) for v in (0.0421, 1.31, 0.0034, 0.9996, 0.00999)] == [
        "4.2 cm", "1.31 m", "3.4 mm", "1.00 m", "1.0 cm",
    ]  # fmt: skip
    assert value_text("angle", np.radians(-30.0)) == "−30.0°" and value_text("angle", -1e-9) == "0.0°"
    assert value_text("length", -0.021) == "−2.1 cm"


def test_what_is_reached_is_not_explained(human, watch):
    assert explanation(watch, human, 0.0, converged=True, blocked=(17,)) == UNHINDERED
    for blocked in ((), (17,)):
        why = explanation(watch, human, 0.3, reason="iterations", blocked=blocked)
        assert not why.reason and not why.stops, "it is still on its way"
        assert why.tag == f"{distance_text(0.3 * watch.reach.outer)} left: too few steps"
    assert explanation(watch, human, 1e-3, reason="iterations") == UNHINDERED


def test_reach_has_a_band_in_which_nothing_changes(human, watch):
    size = watch.reach.outer
    for share, reason in ((1e-3, ""), (2e-3, "out_of_reach"), (1e-3, "out_of_reach"), (4e-4, ""), (1e-3, "")):
        why = explanation(watch, human, share, reason="out_of_reach", short=share * size)
        assert why.reason == reason and (why.beyond > 0.0) == bool(reason)


def test_a_goal_beyond_reach_is_called_so_whatever_else_holds(human, watch):
    size = watch.reach.outer
    tags = set()
    for away in (0.2, 0.3, 0.6, 1.2, 0.3, 0.2):
        why = explanation(watch, human, away, reason="out_of_reach", blocked=(17,), short=0.2 * size)
        assert why.reason == "out_of_reach" and why.beyond == 0.2 * size and why.center is not None
        tags.add(why.tag)
        held = away > 0.2  # by limits, from the edge of its reach
        assert bool(why.stops) == held and why.note.startswith(why.tag) and ("stopped by" in why.note) == held
    assert tags == {f"out of reach by {distance_text(0.2 * size)}"}, "one place, one explanation"
    assert explanation(watch, human, 0.3, reason="limits", blocked=(17,)).reason == "limits"


def test_many_stops_are_counted(human):
    stops = [named(human, stop_at(human, human.rest_pose(), dof)) for dof in (10, 17, 18, 20)]
    first, second = (f"{spoken_name(stop.label)} at {stop.text}" for stop in stops[:2])
    assert stopped_by(stops[:1]) == f"stopped by {first}"
    assert stopped_by(stops[:2]) == f"stopped by {first} and {second}"
    assert stopped_by(stops) == f"stopped by {first}, {second} and 2 more"
    assert stopped_by(stops, 1) == f"stopped by {first} and 3 more"


def test_two_at_most_are_named_and_stay_while_they_are_at_their_limits(human, watch):
    dofs = [i - 3 for i in drag_chain(human, "right hand").dofs]
    q = human.rest_pose()
    for dof in dofs:
        q[3 + dof] = human.limits[dof, 1]
    first = explanation(watch, human, 0.2, q=q, reason="limits", blocked=tuple(dofs[:5]))
    names = [stop.dof for stop in first.stops]
    assert len(names) == 2 and all(stop.side == 1 for stop in first.stops)
    assert first.tag.count(" at ") == 2 and first.note.count("upper limit") == 2
    q[3 + names[0]] -= 2e-3  # off its limit by a hair, as solvers leave it now and then
    again = explanation(watch, human, 0.2, q=q, reason="limits", blocked=tuple(d for d in dofs[:5] if d != names[0]))
    assert [stop.dof for stop in again.stops] == names and again.tag == first.tag
    q[3 + names[0]] -= 0.3
    other = explanation(watch, human, 0.2, q=q, reason="limits", blocked=tuple(d for d in dofs[:5] if d != names[0]))
    assert other.stops[0].dof == names[1] and names[0] not in [stop.dof for stop in other.stops]


def test_a_straight_limb(human, watch):
    why = explanation(watch, human, 0.2, nudge=False, reason="straight")
    assert why.reason == "straight" and why.note.startswith("Right arm is straight: nothing can bend it from here.")
    assert why.note.endswith("turn on Bend straight limbs")
    assert explanation(watch, human, 0.2, reason="straight").note.endswith("Pull a little sideways")


def test_a_goal_too_close_is_called_so(human, watch):
    watch.reach = watch.reach._replace(inner=0.9 * watch.reach.outer)
    why = explanation(watch, human, 0.1, reason="out_of_reach", short=0.1 * watch.reach.outer)
    assert why.tag.startswith("too close by ") and why.radius == watch.reach.inner
    watch.carry(np.array([1.0, 0.0, 0.0]))
    assert why.center[0] == pytest.approx(watch.reach.center[0] - 1.0)
