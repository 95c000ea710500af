"""Ways out of lock conflicts as steps of a document: each is one, and Undo takes it back to the last bit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from app.document.document import Document
from app.document.locks.lock_fixes import apply_fix
from core.animation.locks.target_keys import TargetKey
from core.constraints import Fix, Lock


@pytest.fixture
def document(qapp, skeletons_folder) -> Document:
    made = Document()
    assert made.files.open(skeletons_folder / "stickman.scr")
    made.locks.set_holds(False)
    return made


def put(document: Document, part: str, **values) -> str:
    key = document.locks.add(Lock(part, "position", **values))
    assert key is not None
    return key


def done(document: Document, ids, fix: Fix) -> None:
    """Do a fix, undo it, and do it again."""
    before, steps = document.state_json(), document.stack.index()
    assert apply_fix(document, ids, fix)
    assert document.stack.index() == steps + 1 and document.stack.undoText() == fix.title
    after = document.state_json()
    assert after != before
    document.history.undo()
    assert document.state_json() == before
    document.history.redo()
    assert document.state_json() == after


def test_a_lock_is_softened_and_its_keyed_target_stays(document):
    key, other = put(document, "left hand"), put(document, "right hand")
    target = document.locks.strip(key).lock.target
    document.locks.edit(key, targets=(TargetKey(0, target), TargetKey(20, target + 0.1)))
    document.set_frame(10)
    now = document.locks.strip(key).lock_at(10)
    done(document, [other, key], Fix("Soften left hand", "soften", {1: replace(now, weight=0.5)}))
    strip = document.locks.strip(key)
    assert strip.lock.weight == 0.5 and [each.frame for each in strip.targets] == [0, 20]
    assert document.locks.strip(other).lock.weight == 1.0


def test_a_strip_below_full_weight_is_not_softened_twice(document):
    key = put(document, "left hand")
    document.locks.edit(key, strip_weight=0.8)
    now = document.locks.strip(key).lock_at(0)
    assert now.weight == 0.8
    done(document, [key], Fix("Soften left hand", "soften", {0: replace(now, weight=0.5)}))
    assert document.locks.strip(key).lock_at(0).weight == 0.5


def test_a_lock_is_dropped(document):
    key, other = put(document, "left hand"), put(document, "right hand")
    done(document, [key, other], Fix("Drop left hand", "drop", {0: None}))
    assert [strip.id for strip in document.locks.strips] == [other]


def test_a_lock_is_turned_into_a_plane(document):
    key = put(document, "left hand")
    target = document.locks.strip(key).lock.target
    document.locks.edit(key, targets=(TargetKey(0, target), TargetKey(20, target + 0.1)))
    plane = Lock("left hand", "plane", target=(0.0, 1.0, 0.0, float(target[1])))
    done(document, [key], Fix("Keep left hand on a level plane", "plane", {0: plane}))
    assert document.locks.strip(key).lock == plane and document.locks.strip(key).targets == ()


def test_a_moved_target_is_moved_at_this_frame_only_where_it_is_keyed(document):
    key = put(document, "pelvis")
    target = document.locks.strip(key).lock.target
    document.locks.edit(key, targets=(TargetKey(0, target), TargetKey(20, target)))
    document.set_frame(20)
    lower = target - np.array([0.0, 0.05, 0.0])
    moved = replace(document.locks.strip(key).lock_at(20), target=lower)
    done(document, [key], Fix("Lower pelvis by 5.0 cm", "move", {0: moved}))
    first, last = document.locks.strip(key).targets
    np.testing.assert_array_equal(first.target, target)
    np.testing.assert_array_equal(last.target, lower)


def test_all_joints_may_help(document):
    key = put(document, "left hand", joints=("left hand",))
    free = replace(document.locks.strip(key).lock, joints=None)
    done(document, [key], Fix("Let all joints help left hand", "free", {0: free}))
    assert document.locks.strip(key).lock.joints is None


@pytest.mark.parametrize("auto_key", [True, False])
def test_a_pose_is_taken_into_the_key_or_stays_pending(document, auto_key):
    document.session.keys.auto = auto_key
    key = put(document, "left foot")
    q = document.pose.copy()
    q[3 + document.skeleton.first_dof[document.skeleton.joint_index("left arm")]] += 0.4
    done(document, [key], Fix("Use a pose that holds them all", "pose", q=q))
    np.testing.assert_allclose(document.pose, q, atol=1e-9)
    assert document.pending is not auto_key


def test_an_unkeyed_pose_comes_onto_the_locks_that_are_left(document):
    document.session.keys.auto = False
    key, torn = put(document, "left hand"), put(document, "left foot")
    document.session.locks.hold = False
    q = document.pose.copy()
    q[3 + document.skeleton.first_dof[document.skeleton.joint_index("left arm")]] += 0.2
    document.posing.set(q)
    document.locks.edit(torn, target=document.locks.strip(torn).lock.target + 3.0)
    document.session.locks.hold = True
    done(document, [key, torn], Fix("Drop left foot", "drop", {1: None}))
    (state,) = document.locks.states()
    assert document.pending and state.word == "holds"


def test_limits_are_widened(document):
    skeleton = document.skeleton
    dof = skeleton.first_dof[skeleton.joint_index("left arm")]
    low, high = (float(x) for x in skeleton.limits[dof])
    done(document, [], Fix("Widen left arm", "limit", limits={dof: (low - 0.1, high + 0.2)}))
    assert tuple(document.skeleton.limits[dof]) == (low - 0.1, high + 0.2)


def test_what_cannot_be_is_said(document):
    said = []
    document.message.connect(lambda *words: said.append(words))
    assert not apply_fix(document, [None], Fix("Drop it", "drop", {0: None}))
    assert not apply_fix(document, ["gone"], Fix("Drop it", "drop", {0: None}))
    assert "at all times" in said[0][1] and '"gone"' in said[1][1] and all(level == "warning" for level, *_ in said)
