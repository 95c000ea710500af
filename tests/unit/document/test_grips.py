"""Hands that hold a prop, partners that hold hands: they stay together in all edits and between keys, and at the ends
of a grip nothing jumps."""

from __future__ import annotations

import numpy as np
import pytest

from app.document import Document
from core.animation import Sequence
from core.formats import bundled_folder
from core.kinematics import forward_kinematics
from core.posing import DragSession
from core.skeleton import load_skeleton
from core.skeleton.building import props
from tests.support.counts import examples, few_of

HELD = 1e-6  # m
DRAGS = 20
JUMP = 1e-3  # m, in a 240th of a frame


def posed(document: Document, turns: dict[str, float], **place: float) -> None:
    """Key the pose with some joints bent and the root at a place."""
    s = document.skeleton
    q = np.array(document.pose)
    for name, angle in turns.items():
        for side in ("left", "right"):
            dof = s.first_dof[s.joint_index(f"{side} {name}")]
            q[3 + dof] = angle * (1 if s.limits[dof, 1] > -s.limits[dof, 0] else -1)
    for k, axis in enumerate("xyz"):
        q[k] = place.get(axis, q[k])
    q[3] = place.get("turn", q[3])  # about the vertical
    assert document.posing.set(q)


@pytest.fixture
def carrier(qapp) -> Document:  # type: ignore[no-untyped-def]
    """A man and a box between his hands, both keyed at frame 0; the man is edited."""
    document = Document()
    document.session.keys.auto = True
    assert document.figures.add(load_skeleton(bundled_folder() / "human.scr"))
    posed(document, {"upper arm": 0.5, "forearm": 1.3})
    s = document.skeleton
    hands = forward_kinematics(s, document.pose)[[s.joint_index(f"{side} hand") for side in ("left", "right")], :3, 3]
    box = props.box((0.3, 0.25, 0.3))
    assert document.figures.add(box)
    q = box.rest_pose()
    q[:3] = hands.mean(axis=0) - box.joints[0].offset
    assert document.posing.set(q) or True
    assert document.figures.show(0)
    return document


def grip(document: Document, frames: object, names: tuple[str, str] = ("human", "box")) -> np.ndarray:
    """Return the hands in the frame of the box at frames, shape (m, 2, 4, 4)."""
    shown = {each.skeleton.name: each for each in document.model.shown_sequences}
    man, box = (shown[name] for name in names)
    s = man.skeleton
    X = forward_kinematics(s, man.poses_at_frames(frames))
    B = forward_kinematics(box.skeleton, box.poses_at_frames(frames))[:, 0]
    hands = [s.joint_index(f"{side} hand") for side in ("left", "right")]
    return np.linalg.solve(B[:, None], X[:, hands])


def hands(document: Document) -> list[int]:
    s = document.skeleton
    return [s.joint_index(f"{side} hand") for side in ("left", "right")]


def drag(document: Document, joint: int, by: np.ndarray, mode: str = "limb") -> None:
    """Drag a part of the active figure as the tool does."""
    from app.document.edits.holding import posing_options

    options = posing_options(document.model, document.session, document.pose)
    session = DragSession(document.skeleton, document.pose, joint, mode=mode, **options)
    gesture = document.posing.begin_gesture("Drag")
    place = session.effector
    for share in np.linspace(0.1, 1.0, 8):
        gesture.show(session.move_to(place + share * by))
    gesture.show(session.settle())
    gesture.commit()


def held_well(document: Document, before: np.ndarray, frames: object) -> None:
    off = grip(document, frames) - before
    assert np.abs(off).max() <= HELD


def test_a_box_goes_with_hands_hips_and_hands_with_the_box(carrier: Document) -> None:
    document = carrier
    start = grip(document, [0])[0]
    steps = document.stack.count()
    assert document.grips.hold(1, hands(document))
    assert document.stack.count() == steps + 1  # one step
    document.set_frame(20)
    right = document.skeleton.joint_index("right hand")
    drag(document, right, np.array([0.0, 0.12, 0.05]))
    held_well(document, start, [20])
    box = document.model.sequences[1].pose_at_frame(20)
    assert box[1] - document.model.sequences[1].pose_at_frame(0)[1] > 0.05  # it went along
    document.set_frame(40)
    drag(document, 0, np.array([0.1, -0.1, 0.3]))
    held_well(document, start, [20, 40])
    document.figures.show(1)
    document.set_frame(60)
    goal = document.pose[:3] + np.array([0.0, 0.1, 0.05])
    drag(document, 0, np.array([0.0, 0.1, 0.05]))
    held_well(document, start, [20, 40, 60])
    assert np.allclose(document.pose[:3], goal, atol=1e-6)  # the hands follow the box
    # At 240 samples a second between the keys.
    held_well(document, start, few_of(np.arange(0.0, 60.0, 30 / 240.0), 60))
    document.history.undo()
    held_well(document, start, [20, 40])


def test_nothing_jumps_where_a_grip_ends_and_what_is_put_down_stays(carrier: Document) -> None:
    document = carrier
    document.set_frame(10)
    assert document.grips.hold(1, hands(document))
    document.set_frame(30)
    drag(document, 0, np.array([0.2, 0.0, 0.3]))
    document.set_frame(40)
    document.selection.set([document.skeleton.joint_index("pelvis")])  # which holds nothing: all that he holds is meant
    assert document.grips.any and document.grips.let_go() and not document.grips.any
    box, man = document.model.sequences[1], document.model.sequences[0]
    left = box.pose_at_frame(40)
    document.set_frame(60)
    posed(document, {"upper arm": 0.0, "forearm": 0.3})
    assert np.abs(box.poses_at_frames([40.5, 50, 60]) - left).max() <= 1e-9  # it stays where it was left
    for sequence in (box, man):
        for end in (10, 40):
            poses = sequence.poses_at_frames([end - 1 / 240, end, end + 1 / 240])
            X = forward_kinematics(sequence.skeleton, poses)[..., :3, 3]
            assert np.abs(np.diff(X, axis=0)).max() < JUMP
    assert np.abs(box.poses_at_frames([0, 5, 9.9]) - box.pose_at_frame(0)).max() <= 1e-9  # and before it is as it was


@pytest.mark.verify
def test_two_who_hold_both_hands_follow_each_other(qapp) -> None:  # type: ignore[no-untyped-def]
    document = dancers()
    before = gaps(document)
    assert document.grips.hold(1, hands(document))
    rng = np.random.default_rng(5)
    feet = {k: forward_kinematics(s.skeleton, s.pose_at_frame(0))[s.skeleton.joint_index("left foot"), :3, 3]
            for k, s in enumerate(document.model.sequences)}  # fmt: skip
    moved = 0
    for k in range(examples(DRAGS)):
        document.figures.show(k % 2)
        document.set_frame(5 * (k + 1))
        other = document.model.sequences[1 - k % 2].pose_at_frame(5 * (k + 1))
        joint = document.skeleton.joint_index(("left hand", "right hand", "pelvis", "head")[k // 2 % 4])
        drag(document, joint, 0.12 * rng.normal(size=3))
        now = document.model.sequences[1 - k % 2].pose_at_frame(5 * (k + 1))
        moved += not np.array_equal(now, other)
    samples = np.arange(0.0, 5.0 * examples(DRAGS), 30 / 240.0)
    assert np.abs(gaps(document, samples) - before).max() <= HELD
    assert moved >= examples(DRAGS) // 2  # a pull on the one moves the other
    assert feet


def dancers() -> Document:
    """Two who face each other, hands at one place, both keyed at frame 0."""
    document = Document()
    document.session.keys.auto = True
    for name, z, turn in (("human", 0.0, 0.0), ("woman", 0.62, np.pi)):
        assert document.figures.add(load_skeleton(bundled_folder() / f"{name}.scr"))
        posed(document, {"upper arm": 0.35, "forearm": 1.2}, z=z, turn=turn)
    document.figures.show(0)
    return document


def gaps(document: Document, frames: object = (0.0,)) -> np.ndarray:
    """Return from his hands to where hers were in his at first: her hands' places in the frames of his, (m, 2, 3)."""
    places = []
    for sequence, sides in zip(document.model.sequences, (("left", "right"), ("right", "left")), strict=True):
        s: Sequence = sequence
        X = forward_kinematics(s.skeleton, s.poses_at_frames(frames))
        places.append([X[:, s.skeleton.joint_index(f"{side} hand")] for side in sides])
    strips = document.model.sequences[0].locks.strips
    if not strips:
        return np.zeros((1, 2, 3))
    found = []
    for strip in strips:
        _, joint, point = strip.lock.second
        man, woman = document.model.sequences
        A = forward_kinematics(man.skeleton, man.poses_at_frames(frames))[:, man.skeleton.joint_index(strip.lock.joint)]
        B = forward_kinematics(woman.skeleton, woman.poses_at_frames(frames))[:, woman.skeleton.joint_index(joint)]
        found.append(A[:, :3, :3] @ strip.lock.point + A[:, :3, 3] - B[:, :3, :3] @ point - B[:, :3, 3])
    return np.stack(found, axis=1)


def test_a_drag_in_many_moves_that_moves_a_partner_is_undone_exactly(qapp) -> None:  # type: ignore[no-untyped-def]
    document = dancers()
    assert document.grips.hold(1, hands(document))
    man, woman = document.model.sequences
    before, q = [man.keys.at(0).q, woman.keys.at(0).q], np.array(document.pose)
    gesture = document.posing.begin_gesture("Drag")
    for share in (0.3, 1.0, 1.0):  # the pointer rests at the end: nobody goes back
        gesture.set_pose(q + share * np.eye(len(q))[1] * 0.05)
    moved = woman.keys.at(0).q.copy()
    assert not np.array_equal(moved, before[1])
    gesture.commit()
    document.history.undo()
    assert [man.keys.at(0).q.tobytes(), woman.keys.at(0).q.tobytes()] == [each.tobytes() for each in before]
    document.history.redo()
    assert np.array_equal(woman.keys.at(0).q, moved)
    assert np.abs(gaps(document)).max() <= HELD
