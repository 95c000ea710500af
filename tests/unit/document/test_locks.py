"""Locks of a document: every edit is one step that undo takes back, the journal keeps and figures carry along."""

from __future__ import annotations

import numpy as np
import pytest

from app.document import Document
from app.document.changes import Change
from app.document.document import Document as _Document
from app.document.edits.lock_states import word_for
from core.animation.locks.target_keys import TargetKey
from core.constraints import Lock
from core.constraints.solve_locks import lock_residuals
from core.kinematics import forward_kinematics
from core.skeleton.segment import end_effector
from tests.support.changes import kind_of

FOOT, OTHER = "left foot", "right foot"


@pytest.fixture
def human(skeletons_folder) -> Document:
    document = Document()
    assert document.files.open(skeletons_folder / "human.scr")
    q = np.array(document.pose)
    for name, value in (("left shank", 0.5), ("right shank", 0.5), ("left thigh", 0.3), ("right thigh", 0.3)):
        q[3 + document.skeleton.first_dof[document.skeleton.joint_index(name)]] += value
    q[1] += 0.1
    q = np.clip(q, [-9, -9, -9, *document.skeleton.limits[:, 0]], [9, 9, 9, *document.skeleton.limits[:, 1]])
    assert document.posing.set(q)
    return document


def kinds(document: _Document) -> list[tuple[str, str, int, int | None]]:
    return [(str(s.lock.joint), s.lock.kind, s.start, s.end) for s in document.locks.strips]


def residual(document: _Document) -> float:
    locks = [strip.lock for strip in document.locks.strips if strip.covers(document.frame)]
    return float(lock_residuals(document.skeleton, document.pose, locks).residuals.max())


@pytest.mark.parametrize(
    ("part", "order"),
    [(FOOT, ("pose", "position", "orientation")), ("left hand", ("position", "orientation", "pose"))],
)
def test_the_key_goes_through_all_three_and_off_and_feet_hold_place_and_turn_at_once(human, part, order):
    start = human.state_json()
    states, texts = [], []
    for kind in order:
        assert human.locks.cycle(part)
        assert kinds(human) == [(part, kind, 0, None)]
        states.append(human.locks.strips[0].id)
        texts.append(human.stack.undoText())
    assert len(set(states)) == 1, "one lock all the time"
    assert texts[order.index("pose")] == f"Lock {part}: position and orientation"
    assert human.locks.cycle(part) and kinds(human) == []
    assert human.stack.undoText() == f"Remove lock of {part}"
    for _ in range(4):
        human.history.undo()
    assert human.state_json() == start


def test_at_a_later_frame_it_ends_the_lock_and_then_begins_another(human):
    human.locks.cycle(FOOT)
    human.set_frame(12)
    assert human.locks.cycle(FOOT) and kinds(human) == [(FOOT, "pose", 0, 12)]
    assert human.locks.cycle(FOOT) and kinds(human) == [(FOOT, "pose", 0, 11), (FOOT, "pose", 12, None)]
    for _ in range(3):
        assert human.locks.cycle(FOOT)
    assert kinds(human) == [(FOOT, "pose", 0, 11)]


@pytest.mark.parametrize("again", ["position", "plane"])
def test_no_part_has_two_locks_of_a_kind_at_one_frame(human, again):
    assert human.locks.lock_parts([FOOT], again)
    human.set_frame(12)
    assert human.locks.release([FOOT]) and human.locks.lock_parts([FOOT], again)
    assert kinds(human) == [(FOOT, again, 0, 11), (FOOT, again, 12, None)]
    assert len(human.locks.now()) == 1


def test_several_parts_come_to_the_same(human):
    human.locks.cycle(OTHER)
    assert human.locks.cycle([FOOT, OTHER])
    assert {(joint, kind) for joint, kind, *_ in kinds(human)} == {(FOOT, "position"), (OTHER, "position")}
    human.set_frame(5)
    assert human.locks.cycle([OTHER, FOOT])
    assert {end for *_, end in kinds(human)} == {5}


def test_a_new_lock_holds_the_part_where_a_drag_would_take_it(human):
    human.locks.lock_parts([FOOT], "position")
    skeleton, lock = human.skeleton, human.locks.strips[0].lock
    X = forward_kinematics(skeleton, human.pose)[skeleton.joint_index(FOOT)]
    point = end_effector(skeleton, FOOT)
    assert np.array_equal(lock.point, point)
    np.testing.assert_allclose(lock.target, X[:3, :3] @ point + X[:3, 3], atol=1e-12)
    assert residual(human) < 1e-12


def test_nobody_selected_and_no_figure_are_said_in_one_line(human):
    said: list[str] = []
    human.message.connect(lambda level, text, details: said.append(text))
    assert not human.locks.cycle([]) and said[-1] == "select a part to lock first"
    assert not human.locks.remove("none") and 'no lock "none"' in said[-1]
    assert not human.locks.edit("none", weight=0.5)
    empty = Document()
    empty.message.connect(lambda level, text, details: said.append(text))
    assert not empty.locks.cycle("foot") and "no figure" in said[-1]
    assert empty.locks.add(Lock("foot", "position")) is None and not empty.locks.states() and empty.locks.strips == ()
    assert not empty.locks.solve_now()
    assert all("\n" not in text for text in said)


def test_every_edit_is_one_step_and_undo_brings_back_the_bits(human):
    human.set_frame(4)
    lock = human.locks.add(Lock(FOOT, "pose", weight=(1.0, 0.5)), end=20, ease_in=3.0, name="Step")
    edits = [
        lambda: human.locks.edit(lock, weight=0.25),
        lambda: human.locks.edit(lock, start=2, end=30, ease_out=4.0, strip_weight=0.5),
        lambda: human.locks.edit(lock, kind="plane"),
        lambda: human.locks.edit(lock, kind="position", axes=(True, False, True)),
        lambda: human.locks.edit(lock, target=(0.1, 0.2, 0.3)),
        lambda: human.locks.edit(lock, targets=(TargetKey(3, (0, 0, 0)), TargetKey(9, (0, 0.1, 0)))),
        lambda: human.locks.split(lock, 10),
        lambda: human.locks.copy(lock, 40),
        lambda: human.locks.mirror(lock),
        lambda: human.locks.end(lock, 8),
        lambda: human.locks.lock_pair("aim", "head", "right hand"),
        lambda: human.locks.lock_pair("point_pair", "left hand", "pelvis"),
        lambda: human.locks.lock_pair("distance", "left hand", "right hand"),
        lambda: human.locks.add(Lock("pelvis", "balance")),
        lambda: human.locks.lock_parts([FOOT, OTHER], "line"),
        lambda: human.locks.set_holds(False),
        lambda: human.locks.release([OTHER]),
        lambda: human.locks.remove(lock),
        lambda: human.locks.clear(),
    ]
    states = [human.state_json()]
    for edit in edits:
        count = human.stack.count()
        assert edit()
        assert human.stack.count() == count + 1
        states.append(human.state_json())
    assert len(set(states)) == len(states)
    for state in reversed(states[:-1]):
        human.history.undo()
        assert human.state_json() == state
    for state in states[1:]:
        human.history.redo()
        assert human.state_json() == state


def test_edits_of_one_gesture_are_one_step(human):
    lock = human.locks.add(Lock(FOOT, "position"))
    number, count, before = human.gesture_id(), human.stack.count(), human.state_json()
    for weight in (0.9, 0.6, 0.3):
        assert human.locks.edit(lock, gesture=number, weight=weight)
    assert human.stack.count() == count + 1 and human.locks.strip(lock).lock.weight == 0.3
    human.history.undo()
    assert human.state_json() == before


def test_what_is_not_possible_changes_nothing(human):
    lock = human.locks.add(Lock(FOOT, "position"), start=5, end=9)
    state = human.state_json()
    assert not human.locks.split(lock, 5) and not human.locks.split(lock, 30)
    assert not human.locks.end(lock, 2)
    assert not human.locks.edit(lock, weight=2.0)
    assert not human.locks.edit(lock, color="red")
    assert not human.locks.edit(lock, joint="tail")
    assert human.locks.mirror(human.locks.add(Lock("head", "position"))) is None
    human.history.undo()
    assert human.state_json() == state
    assert not human.locks.set((human.locks.strip(lock), human.locks.strip(lock)))
    assert human.locks.lock_pair("aim", "head", "head") is None
    assert human.state_json() == state


def test_the_other_side_is_locked_where_it_is(human):
    lock = human.locks.add(Lock(FOOT, "pose", point=end_effector(human.skeleton, FOOT), weight=(1.0, 0.5)))
    other = human.locks.mirror(lock)
    mirrored = human.locks.strip(other).lock
    assert mirrored.joint == OTHER and mirrored.kind == "pose" and mirrored.weight == (1.0, 0.5)
    assert residual(human) < 1e-12


def test_a_pair_holds_as_the_parts_stand(human):
    assert human.locks.lock_pair("point_pair", "left hand", "pelvis")
    assert human.locks.lock_pair("distance", "head", "right hand")
    assert residual(human) < 1e-9


@pytest.mark.sampled(2)
@pytest.mark.parametrize("auto_key", [True, False])
@pytest.mark.parametrize(("part", "goal", "axis"), [("head", "left hand", "forward"), ("left hand", "head", "along")])
def test_what_aims_turns_to_what_it_aims_at_which_stays(human, part, goal, axis, auto_key):
    human.session.keys.auto = auto_key
    skeleton, before = human.skeleton, np.array(human.pose)
    q = np.array(before)
    for name, value in (("left upper arm", 1.2), ("left forearm", 0.6)):
        place = 3 + skeleton.first_dof[skeleton.joint_index(name)]
        q[place] = np.clip(q[place] + value, *skeleton.limits[place - 3])
    assert human.posing.set(q)
    state, before = human.state_json(), human.pose.copy()
    i, j = skeleton.joint_index(part), skeleton.joint_index(goal)

    def off() -> float:
        """How far the part's axis points past the other part, [rad]; from plain kinematics."""
        A, B = forward_kinematics(skeleton, human.pose)[[i, j]]
        sight = B[:3, :3] @ end_effector(skeleton, j) + B[:3, 3] - A[:3, 3]
        look = A[:3, 2] if axis == "forward" else A[:3, :3] @ end_effector(skeleton, i)  # no part is turned at rest
        return float(np.arccos(np.clip(look @ sight / np.linalg.norm(look) / np.linalg.norm(sight), -1.0, 1.0)))

    assert off() > 0.2
    lock = human.locks.strip(human.locks.lock_pair("aim", part, goal)).lock
    assert off() < 1e-6 and residual(human) < 1e-9
    assert skeleton.joint_names[0] not in lock.joints and goal not in lock.joints
    there = forward_kinematics(skeleton, before)[j]
    assert np.abs(forward_kinematics(skeleton, human.pose)[j] - there).max() < 1e-9
    assert np.array_equal(human.pose[:6], before[:6])
    human.history.undo()
    assert human.state_json() == state


@pytest.mark.parametrize("auto_key", [True, False])
def test_poses_are_held_and_an_edited_value_stays_if_it_can(human, auto_key):
    human.session.keys.auto = auto_key
    human.locks.cycle([FOOT, OTHER])
    q = np.array(human.pose)
    q[1] -= 0.03
    assert human.posing.set(q)
    assert human.pose[1] == q[1] and residual(human) < 1e-6
    q = np.array(human.pose)
    with human.posing.begin_gesture("Down") as gesture:
        q[1] -= 0.01
        gesture.set_pose(q)
        assert human.pose[1] == q[1] and residual(human) < 1e-6
    q = np.array(human.pose)
    q[1] += 5.0  # further than the legs reach: the locks win
    assert human.posing.set(q)
    assert residual(human) < 1e-6 and human.pose[1] < 1.0
    pose = human.pose if not auto_key else human.sequence.keys.at(0).q
    assert residual(human) < 1e-6 and np.array_equal(pose, human.pose)


def test_a_pose_that_was_made_without_holding_is_shown_as_it_plays(human):
    human.locks.cycle(FOOT)
    human.session.locks.hold = False
    with human.posing.begin_gesture("Away") as gesture:
        q = np.array(human.pose)
        q[0] += 0.1
        gesture.set_pose(q)
        assert np.array_equal(human.pose, q)
    assert np.array_equal(human.sequence.keys.at(0).q, q)
    assert residual(human) < 1e-6 and np.array_equal(human.pose, human.sequence.pose_at_frame(0))


def test_states_say_how_locks_stand(human):
    hard = human.locks.add(Lock(FOOT, "position"))
    human.locks.add(Lock(OTHER, "orientation"), start=10)
    states = {state.strip.id: state for state in human.locks.states()}
    assert [state.word for state in human.locks.states()] == ["holds", "off"]
    assert states[hard].position_residual < 1e-9 and np.isnan(states[hard].angle_residual)
    assert human.locks.states() is human.locks.states(), "worked out once"
    human.locks.set_holds(False)
    q = np.array(human.pose)
    q[0] += 0.1
    assert human.posing.set(q, hold=False)
    state = human.locks.states()[0]
    assert state.word == "conflict" and state.position_residual == pytest.approx(0.1)
    human.locks.edit(hard, weight=0.5)
    assert human.locks.states()[0].word == "yields"


@pytest.mark.parametrize(
    ("weight", "factor", "place", "turn", "word"),
    [
        (1.0, 1.0, 0.0, np.nan, "holds"),
        (1.0, 1.0, 0.01, np.nan, "conflict"),
        (1.0, 0.5, 0.01, np.nan, "yields"),
        (0.5, 1.0, 0.01, np.nan, "yields"),
        (0.0, 1.0, 0.01, np.nan, "off"),
        (1.0, 0.0, 0.01, np.nan, "off"),
        ((1.0, 0.5), 1.0, 0.0, 0.1, "yields"),
        ((0.5, 1.0), 1.0, 0.0, 0.1, "conflict"),
    ],
)
def test_words(weight, factor, place, turn, word):
    kind = "pose" if isinstance(weight, tuple) else "position"
    assert word_for(Lock("foot", kind, weight=weight), factor, place, turn) == word


@pytest.mark.verify
def test_solve_now_is_one_step_and_says_when_it_cannot(human):
    human.locks.set_holds(False)
    human.session.locks.hold = False
    human.locks.cycle(FOOT)
    q = np.array(human.pose)
    q[1] += 0.02
    human.posing.set(q)
    assert residual(human) > 1e-3
    count = human.stack.count()
    assert human.locks.solve_now()
    assert residual(human) < 1e-6 and human.stack.count() == count + 1


def test_locks_go_along_with_a_figure_that_is_changed(human):
    for _ in range(3):
        human.locks.cycle(FOOT)
    human.locks.lock_pair("distance", "head", FOOT)
    before = human.state_json()
    assert human.figures.reroot(FOOT)
    assert residual(human) < 1e-9
    human.history.undo()
    assert human.state_json() == before
    assert human.figures.edit(lambda builder: builder.rename(FOOT, "hoof"), "Rename")
    assert [joint for joint, *_ in kinds(human)] == ["hoof", "head"]
    assert human.locks.strips[1].lock.other[0] == "hoof"
    assert residual(human) < 1e-9
    human.history.undo()
    assert human.state_json() == before
    assert human.figures.edit(lambda builder: builder.remove(FOOT), "Remove")
    assert kinds(human) == []
    human.history.undo()
    assert human.state_json() == before


@pytest.mark.verify
def test_locks_survive_file_and_journal(human, tmp_path):
    human.files.start_journal(tmp_path / "journals")
    human.locks.add(Lock(FOOT, "pose", weight=(1.0, 1 / 3)), end=9, ease_in=1.5, name="Step")
    human.locks.add(Lock("pelvis", "balance"), start=3)
    human.locks.edit(human.locks.strips[0].id, targets=())
    human.locks.set_holds(False)
    state = human.state_json()
    assert human.files.save(tmp_path / "locked.seq")
    again = Document()
    assert again.files.open(tmp_path / "locked.seq")
    assert kinds(again) == kinds(human) and again.sequence.locks.holds is False
    assert [s.id for s in again.locks.strips] == [s.id for s in human.locks.strips]
    assert human.state_json() == state


def test_what_views_hear(human):
    heard: list[tuple[str, Change]] = []
    human.changed.connect(lambda change: heard.append((kind_of(change), change)))
    human.locks.add(Lock(FOOT, "position"))
    assert [kind for kind, _ in heard][:2] == ["locks", "pose"] and not heard[0][1].live


def test_solving_says_that_all_locks_hold_or_how_many_do_not(human):
    said: list[str] = []
    human.message.connect(lambda level, text, details: said.append(text))
    human.locks.lock_parts([FOOT], "position")
    human.locks.solve_now()
    assert said[-1] == "All locks hold"
    human.session.locks.hold = False
    place = np.array(human.locks.strips[0].lock.target)
    human.locks.add(
        Lock(FOOT, "position", point=human.locks.strips[0].lock.point, target=tuple(place + np.array([0.0, 0.0, 0.2])))
    )
    human.locks.solve_now()
    assert said[-1] == "2 of 2 locks do not hold"
