"""Under timing curves a pose is keyed where it is seen, and is what is seen from then on."""

from __future__ import annotations

import numpy as np
import pytest

from app.document.document import Document
from core.animation.curves.timing_curves import SpeedCurve, TimingCurve
from core.formats import bundled_folder

SLOW = TimingCurve(((0.0, 0.0), (16.0, 10.0), (32.0, 32.0)))


@pytest.fixture
def document() -> Document:
    made = Document()
    made.files.open(bundled_folder() / "library" / "Walks and runs" / "walk.seq")
    return made


def turned(document: Document, name: str, by: float) -> tuple[np.ndarray, int]:
    q = np.array(document.pose)
    joint = document.skeleton.joint_index(name)
    column = 3 + int(document.skeleton.first_dof[joint])
    q[column] += by
    return q, column


@pytest.mark.parametrize("live", [False, True])
@pytest.mark.parametrize("own", [False, True])
def test_what_is_posed_is_seen_and_undo_stays_there(document: Document, live: bool, own: bool) -> None:
    document.sequences.set_timing("*", SLOW)
    if own:
        document.sequences.set_timing("right forearm", TimingCurve(((0.0, 0.0), (10.0, 15.0), (32.0, 32.0))))
    document.set_frame(19)
    sequence = document.sequence
    before, seen, keys = document.state_json(), np.array(document.pose), {key.frame for key in sequence.keys}
    at = float(SLOW.at(19.0))
    assert at != round(at)
    q, _ = turned(document, "right forearm", 0.2)
    steps, said = document.stack.index(), []
    document.message.connect(lambda level, text, details: said.append(text))
    if live:
        gesture = document.posing.begin_gesture("Pose")
        for part in (0.3, 0.7, 1.0):
            gesture.set_pose(seen + part * (q - seen))
        assert gesture.commit()
    else:
        assert document.posing.set(q)
    assert document.stack.index() == steps + 1
    assert document.pose.tobytes() == q.tobytes() == sequence.pose_at_frame(19).tobytes()
    assert said[-1] == f"Keyed at frame {round(at)}, which the timing shows here"
    made = {key.frame for key in sequence.keys} - keys
    assert round(at) in made and 19 not in made
    document.history.undo()
    assert document.state_json() == before and document.frame == 19
    document.history.redo()
    assert document.frame == 19 and document.pose.tobytes() == q.tobytes()
    document.set_frame(0)
    document.history.undo()
    assert document.frame == 19 and document.pose.tobytes() == seen.tobytes()


def test_a_key_that_is_seen_exactly_leaves_the_timing_as_it_is(document: Document) -> None:
    document.sequences.set_timing("*", SLOW)
    document.set_frame(16)
    points = document.sequence.timing.curves["*"].points
    q, column = turned(document, "left forearm", 0.1)
    assert document.posing.set(q)
    assert document.sequence.timing.curves["*"].points == points
    assert document.sequence.keys.at(10).q[column] == q[column] and document.sequence.keys.at(16).q[column] != q[column]


def test_a_root_that_goes_at_its_own_speed_is_reported(document: Document) -> None:
    document.sequences.set_root_speed(SpeedCurve(((0.0, 1.0), (32.0, 3.0))))
    document.set_frame(12)
    q, said = np.array(document.pose), []
    document.message.connect(lambda level, text, details: said.append(text))
    assert document.posing.set(q + np.eye(len(q))[1] * 0.05)
    assert "follows its path" in said[-1]


def test_keys_around_and_the_key_to_delete_are_those_that_are_seen(document: Document) -> None:
    document.sequences.set_timing("*", SLOW)
    document.set_frame(16)  # shows frame 10 of the path, between the keys at 8 and 12
    assert document.posing.pose_between("lean", 1.0)
    q = document.sequence.keys.at(12).q
    assert np.allclose(document.pose, q) and np.allclose(document.sequence.keys.at(10).q, q)
    assert document.keys.delete()
    assert document.sequence.keys.at(10) is None and document.sequence.keys.at(16) is not None
    said = []
    document.message.connect(lambda level, text, details: said.append(text))
    assert document.keys.set() and document.sequence.keys.at(10) is not None
    assert said == ["Keyed at frame 10, which the timing shows here"]
