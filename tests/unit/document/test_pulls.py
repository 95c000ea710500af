"""Pulls on what is held: limbs that tie figures together give way first, spines next, and feet stay on the ground."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest

from app.document import Document
from app.document.edits.holding import posing_options
from core.formats import bundled_folder
from core.kinematics import forward_kinematics
from core.kinematics.chain import drag_chain
from core.posing import DragSession
from core.skeleton import Skeleton, load_skeleton
from core.skeleton.building import props

HELD = 1e-6  # m
STAYS = 1e-9  # m or rad
NEAR = 2e-3  # m, from the goal
EVENTS = 16


@pytest.fixture
def pair(qapp) -> Document:  # type: ignore[no-untyped-def]
    """Two who stand side by side with straight arms; his left hand holds her right one, he is edited."""
    document = Document()
    document.session.keys.auto = True
    for name, x in (("human", 0.0), ("woman", 0.62)):
        assert document.figures.add(load_skeleton(bundled_folder() / f"{name}.scr"))
        q = np.array(document.pose)
        q[0] = x
        assert document.posing.set(q) or True
    middle = np.mean([place_of(document, 0, "left hand"), place_of(document, 1, "right hand")], axis=0)
    for number, part in ((1, "right hand"), (0, "left hand")):
        document.figures.show(number)
        session = DragSession(document.skeleton, document.pose, part)
        assert document.posing.set(session.jump_to(session.effector + middle - place_of(document, number, part)))
    assert document.grips.hold(1, [document.skeleton.joint_index("left hand")])
    return document


@pytest.fixture
def carrier(qapp) -> Document:  # type: ignore[no-untyped-def]
    """A man who holds a box in both hands; the box is edited."""
    document = Document()
    document.session.keys.auto = True
    assert document.figures.add(load_skeleton(bundled_folder() / "human.scr"))
    s, q = document.skeleton, np.array(document.pose)
    for name, angle in (("upper arm", 0.5), ("forearm", 1.3)):
        for side in ("left", "right"):
            dof = s.first_dof[s.joint_index(f"{side} {name}")]
            q[3 + dof] = angle * (1 if s.limits[dof, 1] > -s.limits[dof, 0] else -1)
    assert document.posing.set(q)
    hands = [s.joint_index(f"{side} hand") for side in ("left", "right")]
    box = props.box((0.3, 0.25, 0.3))
    assert document.figures.add(box)
    q = box.rest_pose()
    q[:3] = forward_kinematics(s, document.model.sequences[0].pose_at_frame(0))[hands, :3, 3].mean(axis=0)
    q[:3] -= box.joints[0].offset
    assert document.posing.set(q)
    document.figures.show(0)
    assert document.grips.hold(1, hands)
    document.figures.show(1)
    return document


def place_of(document: Document, number: int, part: str) -> np.ndarray:
    sequence = document.model.sequences[number]
    return frames_of(document, number)[sequence.skeleton.joint_index(part), :3, 3]


def frames_of(document: Document, number: int) -> np.ndarray:
    sequence = document.model.sequences[number]
    return forward_kinematics(sequence.skeleton, sequence.pose_at_frame(0))


def poses(document: Document) -> list[np.ndarray]:
    return [each.pose_at_frame(0) for each in document.model.sequences]


def limbs(s: Skeleton, parts: Iterable[str], mode: str = "limb") -> list[int]:
    return sorted({k for part in parts for k in drag_chain(s, part, mode).dofs})


def pull(document: Document, part: str | int, by: tuple[float, float, float]) -> tuple[DragSession, float, list]:
    """Drag a part as the tool does; return the session, how far its part is from the goal, and all poses on the way."""
    options = posing_options(document.model, document.session, document.pose)
    session = DragSession(document.skeleton, document.pose, part, **options)
    gesture = document.posing.begin_gesture("Drag")
    goal, on_the_way = session.effector + np.array(by), []
    for share in np.linspace(1.0 / EVENTS, 1.0, EVENTS):
        gesture.show(session.move_to(session.place_in(session.start) + share * np.array(by)))
        session.note_shown(gesture.shown)
        on_the_way.append(poses(document))
    gesture.commit()
    return session, float(np.linalg.norm(goal - session.place_in(document.pose))), on_the_way


def gap(document: Document) -> float:
    lock = document.model.sequences[0].locks.strips[0].lock
    _, joint, point = lock.second
    A, B = frames_of(document, 0), frames_of(document, 1)
    man, woman = (each.skeleton for each in document.model.sequences)
    one, other = A[man.joint_index(lock.joint)], B[woman.joint_index(joint)]
    return float(np.abs(one[:3, :3] @ lock.point + one[:3, 3] - other[:3, :3] @ point - other[:3, 3]).max())


def changed(before: np.ndarray, after: np.ndarray) -> set[int]:
    return set(np.flatnonzero(np.abs(after - before) > STAYS).tolist())


@pytest.mark.sampled(1)
@pytest.mark.parametrize("locked", [False, True])
def test_joined_hands_are_raised_by_their_arms_alone(pair: Document, locked: bool) -> None:
    document = pair
    if locked:
        for number in (1, 0):
            document.figures.show(number)
            assert document.locks.lock_parts(["left foot", "right foot"], "pose")
    before = poses(document)
    for up in (0.03, 0.35, 0.9):
        session, off, on_the_way = pull(document, "left hand", (0.0, up, 0.0))
        man, woman = (each.skeleton for each in document.model.sequences)
        assert gap(document) <= HELD
        assert off <= NEAR and abs(session.distance - off) <= NEAR  # it is there, and the status says so
        after = poses(document)
        assert changed(before[0], after[0]) <= set(limbs(man, ["left hand"]))
        assert changed(before[1], after[1]) <= set(limbs(woman, ["right hand"]))
        assert changed(before[1], after[1])
        # Nothing jumps: an elbow goes no further in an event than a few times what the hand does.
        places = np.array([forward_kinematics(woman, each[1])[:, :3, 3] for each in on_the_way])
        assert np.linalg.norm(np.diff(places, axis=0), axis=2).max() <= 4.0 * up / EVENTS
        document.history.undo()
        assert all(np.array_equal(a, b) for a, b in zip(before, poses(document), strict=True))


@pytest.mark.verify
def test_out_of_reach_of_an_arm_the_spine_leans_and_the_feet_stay(pair: Document) -> None:
    document = pair
    before, feet = poses(document), frames_of(document, 1)
    woman = document.model.sequences[1].skeleton
    soles = [woman.joint_index(f"{side} foot") for side in ("left", "right")]
    session, off, _ = pull(document, "left hand", (-0.5, 0.0, 0.0))
    assert gap(document) <= HELD and abs(session.distance - off) <= NEAR
    after = poses(document)
    assert np.abs(frames_of(document, 1)[soles] - feet[soles]).max() <= 1e-5
    spine = [k for k in limbs(woman, ["chest"], "body") if k >= 6]
    assert np.abs(after[1] - before[1])[spine].max() > 0.05
    assert np.abs(after[1] - before[1])[:3].max() < 0.1
    man = document.model.sequences[0].skeleton
    assert changed(before[0], after[0]) <= set(limbs(man, ["left hand"]))  # Limb is what the drag moves


@pytest.mark.verify
def test_a_hand_that_its_partner_cannot_follow_comes_back_and_its_distance_is_told(pair: Document) -> None:
    document = pair
    document.figures.show(1)
    s = document.skeleton
    for part in ("left foot", "right foot", "chest"):
        assert document.locks.lock_parts([part], "pose")
    document.figures.show(0)
    before, chest = poses(document), frames_of(document, 1)[s.joint_index("chest")]
    session, off, _ = pull(document, "left hand", (-0.5, 0.0, 0.0))
    assert gap(document) <= HELD
    assert np.abs(frames_of(document, 1)[s.joint_index("chest")] - chest).max() <= 1e-5
    man = document.skeleton
    assert changed(before[0], poses(document)[0]) <= set(limbs(man, ["left hand"]))
    alone = DragSession(man, before[0], "left hand")
    alone.jump_to(alone.effector + np.array([-0.5, 0.0, 0.0]))
    assert off > alone.distance + 0.02 and abs(session.distance - off) <= NEAR


def test_a_box_is_lifted_by_the_arms_and_takes_nobody_off_the_ground(carrier: Document) -> None:
    document = carrier
    man = document.model.sequences[0].skeleton
    before, low = poses(document), frames_of(document, 0)
    feet = [man.joint_index(f"{side} foot") for side in ("left", "right")]
    arms = set(limbs(man, ["left hand", "right hand"]))
    _, off, _ = pull(document, 0, (0.0, 0.3, 0.0))
    assert off <= NEAR
    assert changed(before[0], poses(document)[0]) <= arms
    document.history.undo()
    document.figures.show(1)
    session, off, _ = pull(document, 0, (0.0, 1.0, 0.0))  # further than he reaches
    assert off > 0.05 and abs(session.distance - off) <= NEAR
    assert np.abs(frames_of(document, 0)[feet] - low[feet]).max() <= 1e-5
    document.history.undo()
    document.figures.show(1)
    _, off, _ = pull(document, 0, (0.0, -0.4, 0.0))  # he bends down
    assert off <= NEAR
    assert np.abs(frames_of(document, 0)[feet] - low[feet]).max() <= 1e-5


def test_what_is_held_says_by_what_and_what_is_let_go_at_rest_falls(carrier: Document) -> None:
    document, said = carrier, []
    document.message.connect(lambda kind, text, *_: said.append(text))
    assert document.grips.holders == "left hand and right hand of human"
    document.figures.show(0)
    assert document.grips.holders == ""
    document.set_frame(20)
    document.figures.show(1)
    pull_at = np.array(document.pose)
    pull_at[2] += 0.1
    assert document.posing.set(pull_at)
    document.set_frame(10)
    assert document.grips.throw() and "thrown at frame 10" in said[-1]
    document.history.undo()
    document.figures.show(1)
    document.set_frame(40)
    assert document.grips.throw() and "Box falls at frame 40" in said[-1]
    assert document.grips.holders == ""
