"""Locks at every in-between: held to the nanometre, in any order, from the keys and strips alone."""

from dataclasses import replace

import numpy as np
import pytest

from core.animation import LockStrip, Sequence, TargetKey
from core.animation.locks.holding import Holding, LockTimes, Motion
from core.animation.locks.soft_reach import limb_of
from core.constraints import Lock, bind
from core.constraints.solve_locks import lock_residuals, solve_locks
from core.formats import bundled_folder
from core.kinematics import forward_kinematics
from core.skeleton import Skeleton, load_skeleton
from core.spatial import so3


def stiff(man):
    """Return the man with ankles that bend up by 20 degrees only, as without load: they come to their limits."""
    feet = [k for k, joint in enumerate(man.joints) if joint.name.endswith(" foot")]
    joints = list(man.joints)
    for k in feet:
        flex, tilt = joints[k].dofs
        joints[k] = replace(joints[k], dofs=(flex._replace(hi=np.radians(20.0)), tilt))
    return Skeleton(man.name, joints)


MAN = stiff(load_skeleton(bundled_folder() / "human.scr"))
LO, HI = MAN.limits.T
FPS, RATE = 24, 240
LEGS = [3 + k for k, name in enumerate(MAN.dof_names) if any(part in name for part in ("thigh", "shank", "foot"))]
LEGS_OF = [k - 3 for k in LEGS]
HELD = 1e-9
PAIRS = 20
SPARE = np.radians(5.0)


def bent(angle):
    """The man with bent knees, his left foot where it is at rest."""
    q = MAN.rest_pose()
    for k, name in enumerate(MAN.dof_names):
        part = {"shank.x": 1.0, "thigh.-x": 0.5, "foot.-x": 0.5}
        q[3 + k] = next((angle * share for end, share in part.items() if name.endswith(end)), q[3 + k])
    foot = MAN.joint_index("left foot")
    q[:3] += (forward_kinematics(MAN, MAN.rest_pose()) - forward_kinematics(MAN, q))[foot, :3, 3]
    return q


FEET = [bind(Lock(joint, "pose"), MAN, bent(0.7)) for joint in ("left foot", "right foot")]


def key_pair(seed, spare=0.0):
    """Two random poses that hold both feet, the joints of the legs so far inside their limits, [rad].

    An ankle that is at its limit in a key has nothing left for what lies between: see the last test.
    """
    rng = np.random.default_rng(seed)
    found = []
    while len(found) < 2:
        q = bent(0.7)
        q[:3] += rng.uniform(-0.15, 0.15, 3) * (1, 0.4, 1)
        q[3:] += 0.125 * rng.normal(size=MAN.n_dofs) * np.minimum(HI - LO, 1.5)
        q[3:] = np.clip(q[3:], LO, HI)
        result = solve_locks(MAN, q, FEET)
        legs = result.q[LEGS]
        if result.held and (legs >= LO[LEGS_OF] + spare).all() and (legs <= HI[LEGS_OF] - spare).all():
            found.append(result.q)
    return found


def there_and_back(first, second, frames=60):
    """A sequence of which the span in the middle begins and ends without speed."""
    sequence = Sequence(MAN, FPS)
    for k, q in enumerate((second, first, second, first)):
        sequence.set_key(k * frames, q)
    return sequence


def samples(start, end, every=1):
    """Frames at 240 Hz."""
    return np.arange(start * RATE // FPS, end * RATE // FPS + 1, every) * (FPS / RATE)


def peak(poses, columns=slice(3, None)):
    """Largest acceleration of a joint, [rad/s^2], of poses at 240 Hz."""
    return float(np.abs(np.diff(poses[:, columns], 2, axis=0)).max()) * RATE**2


@pytest.mark.parametrize(
    ("seeds", "frames", "every"),
    [(range(2, 4), 60, 40), pytest.param(range(PAIRS), 60, 1, marks=pytest.mark.verify)],
    ids=["some", "all"],
)
def test_feet_stay_where_they_are_between_keys_that_hold_them(seeds, frames, every):
    rng = np.random.default_rng(0)
    moved, ratios = [], []
    for seed in seeds:
        keys = key_pair(seed, SPARE)
        sequence = there_and_back(*keys, frames)
        sequence.locks.strips = [LockStrip(lock, 0) for lock in FEET]
        at = samples(frames, 2 * frames, every)
        free, held = sequence.interpolated_at_frames(at), sequence.poses_at_frames(at)
        assert max(lock_residuals(MAN, q, FEET).residuals.max() for q in held) <= HELD
        assert lock_residuals(MAN, free[len(free) // 2], FEET).residuals.max() > 1e-4  # there is something to do
        assert held[0].tobytes() == keys[0].tobytes() and held[-1].tobytes() == keys[1].tobytes()
        assert (held[:, 3:] >= LO - 1e-12).all() and (held[:, 3:] <= HI + 1e-12).all()
        order = rng.permutation(len(at))[: len(at) if every > 1 else 60]
        fresh = there_and_back(*keys, frames)
        fresh.locks.strips = sequence.locks.strips
        for i in order:
            assert fresh.pose_at_frame(at[i]).tobytes() == held[i].tobytes()
        moved.append(np.abs(held - free)[:, :3].max())
        if every == 1:
            ratios.append(peak(held) / peak(free))
    print(f"root moved by the solver: median {1e3 * np.median(moved):.2f} mm, most {1e3 * max(moved):.2f} mm")
    assert max(moved) <= 2e-3
    if ratios:
        print(f"peak acceleration, locked / unlocked: median {np.median(ratios):.2f}, most {max(ratios):.2f}")
        assert np.median(ratios) <= 2.0


@pytest.mark.parametrize("every", [10, pytest.param(1, marks=pytest.mark.verify)])
def test_legs_that_are_nearly_straight_follow_a_root_that_overshoots_without_a_jerk(every):
    pose = solve_locks(MAN, bent(np.radians(6.6)), FEET[:0]).q
    feet = tuple(bind(Lock(joint, "pose"), MAN, pose) for joint in ("left foot", "right foot"))
    limb = limb_of(MAN, feet[0])
    assert limb is not None and limb.rigid and MAN.joints[limb.base].name == "left thigh"

    def overshooting(frames):
        poses = np.tile(pose, (len(frames), 1))
        poses[:, 1] += 0.04 * np.sin(np.pi * np.asarray(frames) / 60.0) ** 2
        return poses

    at = samples(0, 60)
    free = overshooting(at)
    assert lock_residuals(MAN, free[300], feet).residuals.max() > 0.035
    holding = Holding(Motion(MAN, lambda joints: np.array([0.0, 60.0]), overshooting), LockTimes(feet, ()))
    chosen = np.concatenate([np.arange(i, i + 3) for i in range(0, 599, 3 * every)])
    held = holding.held(at[chosen], free[chosen])
    assert max(lock_residuals(MAN, q, feet).residuals.max() for q in held) <= HELD
    acceleration = np.abs(held[2::3] - 2.0 * held[1::3] + held[0::3])[:, LEGS].max() * RATE**2
    print(f"root overshoots: acceleration of the legs {acceleration:.2f} rad/s^2")
    assert acceleration <= 2.0
    assert holding.held(at[:1], free[:1]).tobytes() == pose.tobytes()
    needed = 0.04 - (limb.length - np.linalg.norm(_leg(pose, limb)))
    assert 0.0 < np.abs(held - free[chosen])[:, 1].max() - needed < 0.002


def _leg(q, limb):
    frames = forward_kinematics(MAN, q)
    return frames[limb.tip, :3, 3] - frames[limb.base, :3, 3]


@pytest.mark.parametrize("every", [30, pytest.param(1, marks=pytest.mark.verify)])
def test_a_hand_stays_on_a_path_that_its_target_is_keyed_to(every):
    keys = key_pair(2)
    sequence = there_and_back(*keys)
    hand = MAN.joint_index("right hand")
    lock = Lock(hand, "position", target=(0, 0, 0))
    center = forward_kinematics(MAN, keys[0])[hand, :3, 3] + (0.0, 0.05, 0.05)
    angles = np.linspace(0, 2 * np.pi, 61)
    circle = center + 0.08 * np.stack((np.cos(angles), np.sin(angles), 0 * angles), axis=1)
    path = tuple(TargetKey(60 + k, place) for k, place in enumerate(circle))
    strip = LockStrip(lock, 60, 120, targets=path)
    sequence.locks.strips = [strip, *(LockStrip(lock, 0) for lock in FEET)]
    at = samples(60, 120, every)
    held = sequence.poses_at_frames(at)
    places = forward_kinematics(MAN, held)[:, hand, :3, 3]
    assert np.abs(places - [strip.target_at(f) for f in at]).max() <= HELD
    away = places - center  # between its keys the spline is that near to the circle
    assert np.abs(np.hypot(away[:, 0], away[:, 1]) - 0.08).max() < 1e-6 and np.abs(away[:, 2]).max() <= HELD
    for q in held[::5]:
        assert lock_residuals(MAN, q, FEET).residuals.max() <= HELD


def test_off_is_the_interpolated_motion_to_the_bit_and_nothing_is_worked_out():
    sequence = there_and_back(*key_pair(2))
    at = samples(0, 180, 7)
    free = sequence.poses_at_frames(at)
    assert not sequence.locks.in_effect and sequence.locks._holding is None
    sequence.locks.strips = [LockStrip(FEET[0], 60, 90)]
    outside = (at < 60) | (at > 90)
    sequence.locks.holds = False
    assert sequence.poses_at_frames(at).tobytes() == free.tobytes() and sequence.locks._holding is None
    sequence.locks.holds = True
    held = sequence.poses_at_frames(at)
    assert held[outside].tobytes() == free[outside].tobytes()
    assert (np.abs(held - free)[~outside].max(axis=1) > 1e-6).any()
    assert np.array_equal(sequence.interpolated_at_frames(at), free)
    assert np.array_equal(sequence.interpolated(4.0), free[0] * 0 + sequence.interpolated_at_frames([96.0])[0])
    sequence.locks.strips = ()
    assert sequence.poses_at_frames(at).tobytes() == free.tobytes()


def test_an_ease_holds_exactly_what_it_has_come_to_and_nothing_jumps_where_it_begins_and_ends():
    # The left foot comes on while the right one goes off: neither notices when the other is there.
    keys = key_pair(2)
    sequence = there_and_back(*keys)
    left, right = (bind(replace(lock, target=None), MAN, keys[1]) for lock in FEET)
    right = replace(right, target=right.target + np.array([[0, 0, 0, 0.02]] * 3 + [[0] * 4]))
    sequence.locks.strips = [LockStrip(left, 70, 110, 12, 6), LockStrip(right, 60, 78, 4, 10)]
    tiny = 1e-4
    for edge in (60, 64, 68, 70, 78, 82, 104, 110):
        before, at, after = sequence.poses_at_frames([edge - tiny, edge, edge + tiny])
        assert np.abs(before - at).max() < 1e-4 and np.abs(after - at).max() < 1e-4, edge
    frame = 74.0
    active, report = sequence.locks.report(frame)
    assert [item.strip.id for item in active] == [strip.id for strip in sequence.locks.strips]
    assert 0 < active[0].factor < 1 and 0 < active[1].factor < 1 and report.residuals.max() <= HELD
    off = lock_residuals(MAN, sequence.pose_at_frame(frame), [right]).residuals[0]
    whole = lock_residuals(MAN, sequence.interpolated_at_frames([frame])[0], [right]).residuals[0]
    assert 0.1 * whole < off < 0.95 * whole


def test_halves_of_a_split_strip_hold_between_their_frames():
    keys = key_pair(2)
    sequence = there_and_back(*keys)
    sequence.locks.strips = [LockStrip(FEET[0], 0, None)]
    frames = np.linspace(22.5, 24.5, 41)
    whole = sequence.poses_at_frames(frames)
    sequence.locks.strips = [LockStrip(FEET[0], 0, 23), LockStrip(FEET[0], 24, None)]
    assert np.abs(sequence.poses_at_frames(frames) - whole).max() < 1e-7
    # With an ease at the cut, or another part's strip behind it, the first one is over where it ends.
    sequence.locks.strips = [LockStrip(FEET[0], 0, 23), LockStrip(FEET[1], 24, None)]
    assert lock_residuals(MAN, sequence.pose_at_frame(23.5), FEET[:1]).residuals[0] > 1e-6


def test_every_kind_of_lock_eases_in_without_a_jump():
    keys = key_pair(3)
    pose = keys[0]
    for lock in (
        Lock("right hand", "position", axes=(True, False, True)),
        Lock("right hand", "orientation"),
        Lock("head", "orientation", axes=(False, True, False)),
        Lock("left hand", "plane"),
        Lock("left hand", "line"),
        Lock("right hand", "distance", other=("left hand", (0, 0, 0))),
        Lock("right hand", "point_pair", other=("left hand", (0, 0.05, 0)), weight=1.0),
        Lock("head", "aim", other=("right hand", (0, 0, 0))),
        Lock("head", "balance", target=0.03),
    ):
        bound = bind(lock, MAN, pose)
        sequence = Sequence(MAN, FPS)
        sequence.set_key(0, keys[0])
        sequence.set_key(60, keys[1])
        sequence.locks.strips = [LockStrip(bound, 20, 40, 8, 8)]
        found = sequence.poses_at_frames([20, 20.001, 20.002, 27.999, 28, 28.001])
        steps = np.abs(np.diff(found, axis=0)).max(axis=1)
        assert np.delete(steps, 2).max() < 2e-3, lock.kind
        assert np.array_equal(found[0], sequence.interpolated_at_frames([20])[0])
        assert lock_residuals(MAN, found[5], [bound]).residuals[0] <= 1e-8, lock.kind
        half = sequence.pose_at_frame(24)
        assert lock.kind == "balance" or sequence.locks.report(24)[1].residuals[0] <= HELD, lock.kind
        assert np.isfinite(half).all()


def test_soft_strips_draw_and_a_lock_on_another_figure_follows_it():
    keys = key_pair(2)
    sequence = there_and_back(*keys)
    target = forward_kinematics(MAN, keys[0])[MAN.joint_index("left hand"), :3, 3] + (0, 0.1, 0.1)
    lock = Lock("left hand", "position", target=target)
    left = []
    for weight in (0.0, 0.3, 0.9, 1.0):
        sequence.locks.strips = [LockStrip(lock, 0, weight=weight)]
        left.append(lock_residuals(MAN, sequence.pose_at_frame(80), [lock]).residuals[0])
    assert left[0] > 0.05 and left[0] >= left[1] >= left[2] > left[3] and left[3] <= HELD
    ball = load_skeleton(bundled_folder() / "arm7.scr")
    other = Sequence(ball, FPS)
    for frame, x in ((0, 0.0), (120, 0.2)):
        q = ball.rest_pose()
        q[:3] = target + np.array([x, 0, 0])
        other.set_key(frame, q)
    pair = Lock("left hand", "point_pair", other=("ball", 0, (0, 0, 0)), target=(0, 0, 0))
    sequence.locks.strips = [LockStrip(pair, 0)]
    assert np.array_equal(sequence.pose_at_frame(80), sequence.interpolated_at_frames([80])[0])  # no such figure yet
    sequence.companions = {"ball": other}
    for frame in (60.0, 80.0):
        hand = forward_kinematics(MAN, sequence.pose_at_frame(frame))[MAN.joint_index("left hand"), :3, 3]
        assert np.abs(hand - forward_kinematics(ball, other.pose_at_frame(frame))[0, :3, 3]).max() <= 2e-9


def test_where_an_ankle_is_at_its_limit_the_root_goes_no_farther_than_it_must():
    # The keys have the ankles within 0.2 and 3 degrees of their limits: between them no pose holds the feet with the
    # pelvis less than 3 mm from where it was, turned as it is. The least is found by another method.
    from scipy.optimize import minimize

    keys = key_pair(19)
    sequence = there_and_back(*keys)
    sequence.locks.strips = [LockStrip(lock, 0) for lock in FEET]
    frame = samples(60, 120)[[212]]
    free, held = sequence.interpolated_at_frames(frame)[0], sequence.poses_at_frames(frame)[0]
    index = [0, 1, 2, *LEGS]
    feet = [MAN.joint_index(lock.joint) for lock in FEET]

    def error(x):
        q = free.copy()
        q[index] = x
        frames = forward_kinematics(MAN, q)[feet]
        off = [f[:3, 3] - lock.target[:3, 3] for f, lock in zip(frames, FEET, strict=True)]
        off += [so3.log(f[:3, :3] @ lock.target[:3, :3].T) for f, lock in zip(frames, FEET, strict=True)]
        return 10.0 * np.concatenate(off)

    bounds = [(None, None)] * 3 + [(LO[k], HI[k]) for k in LEGS_OF]
    least = np.inf
    for start in (held, free):
        found = minimize(
            lambda x: 1e4 * np.sum((x[:3] - free[:3]) ** 2),
            start[index],
            bounds=bounds,
            constraints={"type": "eq", "fun": error},
            method="SLSQP",
            options={"maxiter": 300, "ftol": 1e-14},
        )
        assert np.abs(error(found.x)).max() < 1e-6
        least = min(least, float(np.linalg.norm(found.x[:3] - free[:3])))
    moved = float(np.linalg.norm((held - free)[:3]))
    print(
        f"an ankle at its limit: the root moves {1e3 * moved:.2f} mm, the least with its own turn {1e3 * least:.2f} mm"
    )
    assert least > 3e-3  # what 2 mm would not do
    assert 0.9 * least < moved < 1.02 * least and np.abs(held - free)[3:6].max() < np.radians(0.2)
