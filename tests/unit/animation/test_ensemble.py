"""Figures that locks tie together: one system, the same poses whoever asks, and bit for bit nothing where none does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.animation import LockStrip, Sequence, TargetKey
from core.animation.ensemble import Ensemble, link
from core.constraints import Lock, bind, lock_residuals, solve_locks
from core.constraints.places import Places
from core.errors import SequenceError
from core.formats import bundled_folder
from core.kinematics import forward_kinematics
from core.skeleton import Dof, Joint, Skeleton, load_skeleton

MAN, WOMAN = (load_skeleton(bundled_folder() / f"{name}.scr") for name in ("human", "woman"))
TURNS = tuple(Dof("hinge", axis, -np.inf, np.inf) for axis in np.eye(3))
BOX = Skeleton("box", [Joint("box", -1, dofs=TURNS, mass=2.0, tips=(np.array([0.0, 0.3, 0.0]),))])
HANDS, FEET = ("left hand", "right hand"), ("left foot", "right foot")
HELD = 1e-6
FPS = 30.0
SAMPLES = np.arange(0.0, 60.01, FPS / 240.0)


def standing(s: Skeleton) -> np.ndarray:
    """Knees and elbows a little bent."""
    q = s.rest_pose()
    for joint, angle in (("thigh", 0.3), ("shank", 0.6), ("foot", 0.3), ("forearm", 1.2)):
        for side in ("left", "right"):
            dof = s.first_dof[s.joint_index(f"{side} {joint}")]
            q[3 + dof] = angle * (1 if s.limits[dof, 1] > -s.limits[dof, 0] else -1)
    return q


def mover(s: Skeleton, seed: int, hands: dict[str, np.ndarray], z: float = 0.0, turn: float = 0.0) -> Sequence:
    """A figure on locked feet that sways, its hands near some places."""
    rng = np.random.default_rng(seed)
    base = standing(s)
    base[2], base[3] = z, base[3] + turn
    feet = [bind(Lock(foot, "pose"), s, base) for foot in FEET]
    sequence = Sequence(s, FPS, s.name)
    for frame in range(0, 61, 15):
        q = base.copy()
        q[:3] += 0.03 * rng.normal(size=3) * (1.0, 0.5, 0.3)
        q[3:6] += 0.03 * rng.normal(size=3)
        places = [Lock(hand, "position", target=place + 0.02 * rng.normal(size=3)) for hand, place in hands.items()]
        sequence.set_key(frame, solve_locks(s, q, [*feet, *places], root_weight=1e-3).q)
    sequence.locks.strips = [LockStrip(foot, 0) for foot in feet]
    return sequence


def dancers(mutual: bool = True) -> tuple[Sequence, Sequence]:
    """Two who face each other and hold both hands from frame 10 to 50, eased in and out over 5."""
    left, right = np.array([0.25, 1.05, 0.32]), np.array([-0.25, 1.05, 0.32])
    man = mover(MAN, 0, {"left hand": left, "right hand": right})
    woman = mover(WOMAN, 1, {"right hand": left, "left hand": right}, 0.64, np.pi)
    pairs = zip(HANDS, reversed(HANDS), strict=True)
    locks = [Lock(a, "point_pair", (0, 0, 0), (0, 0, 0), ("woman", b, (0, 0, 0)), mutual=mutual) for a, b in pairs]
    man.locks.strips = [*man.locks.strips, *(LockStrip(lock, 10, 50, 5, 5) for lock in locks)]
    return man, woman


def copied(sequence: Sequence) -> Sequence:
    """The same motion in a sequence that knows no other."""
    made = Sequence(sequence.skeleton, sequence.fps, sequence.name, keys=sequence.keys)
    made.locks.strips = sequence.locks.strips
    return made


def hand(s: Skeleton, poses: np.ndarray, joint: str) -> np.ndarray:
    return forward_kinematics(s, poses)[..., s.joint_index(joint), :3, 3]


def apart(man: np.ndarray, woman: np.ndarray) -> float:
    """How far the hands of dancers are apart at most, [m]."""
    pairs = zip(HANDS, reversed(HANDS), strict=True)
    return max(float(np.abs(hand(MAN, man, a) - hand(WOMAN, woman, b)).max()) for a, b in pairs)


def off(lock: Lock, own: Skeleton, poses: np.ndarray, others: dict[str, tuple[Skeleton, np.ndarray]]) -> float:
    """How far off a lock is at most, [m] and [rad]."""
    found = 0.0
    for i, q in enumerate(poses):
        left = lock_residuals(own, q, [lock], {name: (s, p[i]) for name, (s, p) in others.items()})
        found = max(found, float(left.residuals.max()))
    return found


def test_dancers_hold_hands_and_their_feet_stay() -> None:
    man, woman = dancers()
    poses = link({"human": man, "woman": woman}).poses(SAMPLES / FPS)
    inside = (SAMPLES >= 15) & (SAMPLES <= 45)
    assert apart(poses["human"][inside], poses["woman"][inside]) <= HELD
    for sequence in (man, woman):
        own = poses[sequence.skeleton.name]
        for foot in FEET:
            places = hand(sequence.skeleton, own, foot)
            assert np.abs(places - places[0]).max() <= HELD
        free = sequence.interpolated_at_frames(SAMPLES)
        assert np.abs(own - free)[inside, :3].max() < 2e-3  # limbs do it, not the root
        assert (np.abs(own - free)[inside, 6:].max(axis=1) > 1e-3).all()  # and both give way
        lo, hi = sequence.skeleton.limits.T
        assert (own[:, 3:] >= lo).all() and (own[:, 3:] <= hi).all()


def test_nothing_jumps_where_they_come_together_and_part() -> None:
    man, woman = dancers()
    link({"human": man, "woman": woman})
    for sequence in (man, woman):
        for frame in (10.0, 15.0, 45.0, 50.0):
            around = sequence.poses_at_frames([frame - 1e-6, frame, frame + 1e-6])
            assert np.abs(np.diff(around, axis=0)).max() < 1e-7, frame


@pytest.mark.verify
def test_whoever_is_asked_for_in_whatever_order_the_bits_are_the_same() -> None:
    man, woman = dancers()
    ensemble = link([("human", man), ("woman", woman)])
    together = {"human": man.poses_at_frames(SAMPLES), "woman": woman.poses_at_frames(SAMPLES)}
    others = dancers()
    again = link({"human": others[0], "woman": others[1]})
    rng = np.random.default_rng(5)
    for i in rng.permutation(len(SAMPLES))[:60].tolist():
        name = ("human", "woman")[int(rng.integers(2))]
        sequence = again.sequences[again.names.index(name)]
        assert np.array_equal(sequence.pose_at_frame(SAMPLES[i]), together[name][i])
    assert np.array_equal(ensemble.pose("woman", 1.0), woman.pose_at(1.0))


@pytest.mark.verify
def test_where_no_lock_ties_them_they_are_as_if_alone_to_the_bit() -> None:
    man, woman = dancers()
    outside = SAMPLES[(SAMPLES < 10) | (SAMPLES > 50)]
    alone = {sequence.skeleton.name: copied(sequence).poses_at_frames(SAMPLES) for sequence in (man, woman)}
    ensemble = link({"human": man, "woman": woman})
    apart_now = np.isin(SAMPLES, outside)
    for sequence in (man, woman):
        name = sequence.skeleton.name
        assert np.array_equal(sequence.poses_at_frames(outside), alone[name][apart_now])
        assert np.array_equal(sequence.poses_at_frames(SAMPLES)[apart_now], alone[name][apart_now])
        assert not np.array_equal(sequence.pose_at_frame(30), copied(sequence).pose_at_frame(30))
        places = sequence.root_places(SAMPLES)
        assert np.array_equal(places, sequence.poses_at_frames(SAMPLES)[:, :3])
    man.locks.strips = man.locks.strips[:2]
    free = copied(man).poses_at_frames(SAMPLES), copied(woman).poses_at_frames(SAMPLES)
    assert np.array_equal(man.poses_at_frames(SAMPLES), free[0]) and not man.tied
    assert np.array_equal(woman.poses_at_frames(SAMPLES), free[1])
    assert ensemble.system(30, "human").names == ("human",)


def test_a_lock_that_is_not_mutual_moves_its_own_figure_alone() -> None:
    man, woman = dancers(mutual=False)
    alone = copied(woman).poses_at_frames(SAMPLES)
    ensemble = link({"human": man, "woman": woman})
    assert np.array_equal(woman.poses_at_frames(SAMPLES), alone)
    inside = (SAMPLES >= 15) & (SAMPLES <= 45)
    assert apart(man.poses_at_frames(SAMPLES)[inside], alone[inside]) <= HELD
    found = ensemble.system(30, "human")
    assert found.names == ("human", "woman") and found.leaders == {"woman"}
    assert set(found.fixed) == {0, 1, 2, *range(found.joined.columns[1].start, found.joined.nq)}
    assert lock_residuals(found.joined, found.pose, found.locks).residuals.max() <= HELD
    assert [len(pose) for pose in found.joined.split(found.pose)] == [MAN.nq, WOMAN.nq]
    assert np.array_equal(found.joined.split(found.pose)[0], man.pose_at_frame(30))
    assert ensemble.system(30, "woman").names == ("woman",)


@pytest.mark.verify
def test_an_edit_of_one_is_seen_by_the_other() -> None:
    man, woman = dancers()
    link({"human": man, "woman": woman})
    before = man.poses_at_frames(SAMPLES)
    moved = woman.keys.at(30).q.copy()
    moved[1] -= 0.02
    for edit in ("key", "strip", "holds", "timing"):
        if edit == "key":
            woman.set_key(30, moved)
        elif edit == "strip":
            woman.locks.strips = woman.locks.strips[:1]
        elif edit == "holds":
            woman.locks.holds = False
        else:
            woman.delete(30)
        again = copied(man), copied(woman)
        again[1].locks.holds = woman.locks.holds
        link({"human": again[0], "woman": again[1]})
        after = man.poses_at_frames(SAMPLES)
        assert not np.array_equal(after, before), edit
        assert np.array_equal(after, again[0].poses_at_frames(SAMPLES)), edit
        before = after


def box_in(man: Sequence) -> tuple[Sequence, dict[str, Lock]]:
    """A box between a man's hands at frame 0, and what ties each hand and it together."""
    q = man.keys[0].q
    there = BOX.rest_pose()
    there[:3] = 0.5 * sum(hand(MAN, q, each) for each in HANDS)
    sequence = Sequence(BOX, FPS, "box")
    sequence.set_key(0, there)
    locks = {
        each: bind(Lock(each, "carry", other=("box", "box", (0, 0, 0))), MAN, q, {"box": (BOX, there)})
        for each in HANDS
    }
    locks["box"] = bind(Lock("box", "carry", other=("human", "right hand", (0, 0, 0))), BOX, there, {"human": (MAN, q)})
    return sequence, locks


def lifter(seed: int = 2) -> Sequence:
    return mover(MAN, seed, {"left hand": np.array([0.18, 1.0, 0.38]), "right hand": np.array([-0.18, 1.0, 0.38])})


@pytest.mark.verify
def test_a_box_in_one_hand_that_the_other_holds_too_comes_to_the_hands() -> None:
    man = lifter()
    box, locks = box_in(man)
    box.locks.strips = [LockStrip(locks["box"], 0)]
    man.locks.strips = [*man.locks.strips, LockStrip(locks["left hand"], 0)]
    ensemble = link({"human": man, "box": box})
    poses = ensemble.poses(SAMPLES / FPS)
    others = {"box": (BOX, poses["box"])}
    for each in HANDS:
        assert off(locks[each], MAN, poses["human"], others) <= HELD
    for foot in FEET:
        places = hand(MAN, poses["human"], foot)
        assert np.abs(places - places[0]).max() <= HELD
    found = ensemble.system(30, "box")
    assert found.names == ("human", "box") and not found.leaders
    # It follows the hands by more than its grip asks of them.
    went = np.abs(poses["box"][:, :3] - poses["box"][0, :3]).max()
    pulled = np.abs(poses["human"] - man.interpolated_at_frames(SAMPLES))[:, :3].max()
    assert went > 0.01 and pulled < 2e-3


@pytest.mark.verify
def test_hands_follow_a_box_that_has_keys_of_its_own() -> None:
    man = lifter()
    box, locks = box_in(man)
    high = box.keys[0].q.copy()
    high[:3] += (0.02, 0.08, 0.03)
    high[4] = 0.2
    box.set_key(60, high)
    man.locks.strips = [*man.locks.strips, *(LockStrip(locks[each], 0) for each in HANDS)]
    alone = copied(box).poses_at_frames(SAMPLES)
    poses = link({"human": man, "box": box}).poses(SAMPLES / FPS)
    assert np.array_equal(poses["box"], alone)
    for each in HANDS:
        assert off(locks[each], MAN, poses["human"], {"box": (BOX, alone)}) <= HELD


def test_a_box_is_handed_over_without_a_jump() -> None:
    man = lifter()
    woman = mover(WOMAN, 7, {"left hand": np.array([-0.2, 1.0, 0.42])}, 0.8, np.pi)
    box, locks = box_in(man)
    box.locks.strips = [LockStrip(locks["box"], 0, 30)]
    figures = {"human": man, "woman": woman, "box": box}
    link(figures)
    there = box.pose_at_frame(30)
    taken = bind(
        Lock("box", "carry", other=("woman", "left hand", (0, 0, 0))), BOX, there,
        {"woman": (WOMAN, woman.pose_at_frame(30))},
    )  # fmt: skip
    box.locks.strips = [LockStrip(locks["box"], 0, 29), LockStrip(taken, 30)]
    ensemble = link(figures)
    for frame in (29.0, 29.5, 30.0):
        around = box.poses_at_frames([frame - 1e-7, frame, frame + 1e-7])
        assert np.abs(np.diff(around, axis=0)).max() <= HELD
    assert ensemble.system(29, "box").names == ("box", "human")
    assert ensemble.system(30, "box").names == ("box", "woman")
    assert off(taken, BOX, box.poses_at_frames([35, 60]), {"woman": (WOMAN, woman.poses_at_frames([35, 60]))}) <= HELD


@pytest.mark.verify
def test_a_chain_of_leaders_is_solved_from_its_head() -> None:
    man = lifter()
    box, locks = box_in(man)
    box.locks.strips = [LockStrip(locks["box"], 0)]
    other = Sequence(Skeleton("lid", BOX.joints), FPS, "lid")
    other.set_key(0, box.keys[0].q)
    lid = bind(
        Lock("box", "carry", other=("box", "box", (0, 0, 0))), other.skeleton, box.keys[0].q,
        {"box": (BOX, box.keys[0].q)},
    )  # fmt: skip
    other.locks = [lid]
    alone = copied(man).poses_at_frames(SAMPLES)
    ensemble = link({"lid": other, "box": box, "human": man})
    assert np.array_equal(man.poses_at_frames(SAMPLES), alone)
    assert ensemble.system(10, "lid").leaders == {"box"} and ensemble.system(10, "box").leaders == {"human"}
    poses = ensemble.poses(SAMPLES / FPS)
    assert off(lid, other.skeleton, poses["lid"], {"box": (BOX, poses["box"])}) <= HELD


@pytest.mark.verify
def test_sequences_of_other_rates_meet_at_the_same_moment() -> None:
    man, woman = dancers()
    slow = Sequence(WOMAN, 2 * FPS, "woman")
    for key in woman.keys:
        slow.set_key(2 * key.frame, key.q)
    slow.locks.strips = woman.locks.strips
    poses = link({"human": man, "woman": slow}).poses(SAMPLES / FPS)
    inside = (SAMPLES >= 15) & (SAMPLES <= 45)
    assert apart(poses["human"][inside], poses["woman"][inside]) <= HELD
    assert slow.poses_at_frames(2.0 * SAMPLES) == pytest.approx(poses["woman"], abs=1e-8)
    same = link({"human": copied(man), "woman": copied(woman)}).poses(SAMPLES / FPS)
    assert np.abs(same["human"] - poses["human"]).max() < 1e-6


def test_each_figure_of_a_system_keeps_its_own_balance() -> None:
    man, woman = dancers()
    margin = Lock("head", "balance", target=0.03)
    keys = []
    for key in man.keys:
        q = key.q.copy()
        q[2] += 0.12  # it would fall
        keys.append(replace(key, q=q))
    man.set_keys(keys)
    man.locks = [margin]
    link({"human": man, "woman": woman})
    for frame in (0.0, 20.0, 30.0):
        q, there = man.pose_at_frame(frame), man.interpolated_at_frames([frame])[0]
        locks = [each.lock for each in man.locks.active(frame) if each.lock.kind in ("pose", "balance")]
        places = Places(MAN, there)
        before = margin.rule.deviation(margin, places, locks).position
        after = margin.rule.deviation(margin, Places(MAN, q), locks).position
        # The outline follows the toes, which nobody holds.
        assert np.linalg.norm(before) > 0.05 and np.linalg.norm(after) < 1e-3, frame


def test_reports_and_residuals_are_those_of_the_system() -> None:
    man, woman = dancers()
    link({"human": man, "woman": woman})
    for frame in (12.0, 30.0, 48.0):
        active, result = man.locks.report(frame)
        assert len(active) == 4 and result.residuals.max() <= HELD
    frames = np.array([5.0, 12.0, 30.0, 55.0])
    left = np.ones((4, 4))
    held = man.locks.holding.held(frames, man.interpolated_at_frames(frames), left)
    assert np.array_equal(held, man.poses_at_frames(frames)) and left.max() <= HELD
    assert man.tied and woman.tied and man.locks.holding.giving_up is None
    # Asked for a pose that is not the sequence's, it answers for that one.
    other = man.interpolated_at_frames(frames)
    other[:, 1] -= 0.01
    assert not np.array_equal(man.locks.holding.held(frames, other), held)
    assert np.array_equal(man.poses_at_frames(frames), held)


def test_keyed_targets_move_between_figures_too() -> None:
    man = lifter()
    box, locks = box_in(man)
    start = locks["box"].target
    away = start.copy()
    away[:3, 3] += (0.0, 0.1, 0.0)
    strip = LockStrip(replace(locks["box"], target=None), 0, targets=(TargetKey(0, start), TargetKey(40, away)))
    box.locks.strips = [strip]
    link({"human": man, "box": box})
    for frame in (0.0, 17.25, 60.0):
        now = box.locks.active(frame)[0].lock
        others = {"human": (MAN, man.poses_at_frames([frame]))}
        assert off(now, BOX, box.poses_at_frames([frame]), others) <= HELD
    assert np.array_equal(box.locks.active(60)[0].lock.target, away)


def test_twins_mean_each_other_by_their_name() -> None:
    twin = load_skeleton(bundled_folder() / "human.scr")
    left = np.array([0.25, 1.05, 0.32])
    one, two = mover(MAN, 0, {"left hand": left}), mover(twin, 1, {"right hand": left}, 0.64, np.pi)
    lock = Lock("left hand", "point_pair", (0, 0, 0), (0, 0, 0), ("human", "right hand", (0, 0, 0)), mutual=True)
    one.locks = [lock]
    ensemble = link([("human", one), ("human", two)])
    gap = hand(MAN, one.poses_at_frames(SAMPLES), "left hand") - hand(twin, two.poses_at_frames(SAMPLES), "right hand")
    assert np.abs(gap).max() <= HELD and ensemble.system(0, "human").names == ("human", "human")
    assert one.companions == {"human": two} and two.companions == {"human": one}


@pytest.mark.verify
def test_companions_are_a_door_to_it() -> None:
    man, woman = dancers(mutual=False)
    man.companions = {"woman": woman}
    assert man.companions == {"woman": woman} and woman.companions == {} and woman.ensemble is None
    linked = dancers(mutual=False)
    link({"human": linked[0], "woman": linked[1]})
    assert np.array_equal(man.poses_at_frames(SAMPLES), linked[0].poses_at_frames(SAMPLES))
    man.companions = {}
    assert man.ensemble is None and np.array_equal(man.pose_at_frame(30), copied(man).pose_at_frame(30))


@pytest.mark.verify
def test_a_lock_on_what_is_not_there_is_off() -> None:
    man, woman = dancers()
    link({"human": man, "woman": woman})
    strips, without = man.locks.strips, man.poses_at_frames(SAMPLES)
    for other in (("Bob", "left hand", (0, 0, 0)), ("woman", "tail", (0, 0, 0))):
        lost = LockStrip(Lock("head", "point_pair", (0, 0, 0), (0, 0, 0), other), 0)
        man.locks.strips = [*strips, lost]
        assert np.array_equal(man.poses_at_frames(SAMPLES), without)
        assert man.locks.report(30)[1].residuals.max() <= HELD
        man.locks.strips = [lost]
        assert not man.tied


def test_nonsense_is_refused() -> None:
    man, woman = dancers()
    ensemble = link({"human": man, "woman": woman})
    with pytest.raises(SequenceError, match='no figure "Bob"'):
        ensemble.pose("Bob", 0.0)
    with pytest.raises(SequenceError, match="none of those of human, woman"):
        ensemble.index(copied(man))
    with pytest.raises(SequenceError, match="none of those"):
        copied(man).ensemble = ensemble
    with pytest.raises(SequenceError, match="not linked"):
        Ensemble({"human": man}).poses([0.0])
